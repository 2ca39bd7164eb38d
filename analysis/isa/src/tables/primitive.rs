//! The functions of the expressions that state what an instruction computes.

macro_rules! primitives {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $least:literal..=$most:literal),* $(,)?) => {
        /// The functions of the notation; the list is closed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Primitive { $($(#[doc = $doc])+ $variant),* }

        impl Primitive {
            /// Every primitive with its name and the least and the most arguments that it takes.
            pub const ALL: &'static [(&'static str, Primitive, usize, usize)] =
                &[$(($name, Primitive::$variant, $least, $most)),*];
        }
    };
}

primitives! {
    /// The magnitude.
    Absolute "abs" 1..=1,
    /// The smaller one; of floats -0 is below +0, and a NaN loses to a number.
    Minimum "min" 2..=2,
    /// The larger one, likewise.
    Maximum "max" 2..=2,
    /// The quotient of integers, rounded toward 0.
    Quotient "quotient" 2..=2,
    /// The remainder of integers, with the sign of the first.
    Remainder "remainder" 2..=2,
    /// So many bits from a position on, unsigned.
    Field "field" 3..=3,
    /// One bit as a truth.
    Bit "bit" 2..=2,
    /// The low bits as two's complement.
    Signed "signed" 2..=2,
    /// So many ones.
    Ones "ones" 1..=1,
    /// The unsigned number of the bits of an operand.
    Raw "raw" 1..=1,
    /// Elements side by side, the uppermost first.
    Concatenate "concat" 1..=8,
    /// An element of a packed value.
    Part "part" 2..=3,
    /// The number of ones.
    PopulationCount "popcount" 1..=1,
    /// The position of the highest one; -1 if there is none.
    Highest "highest" 1..=1,
    /// So many low bits in the opposite order.
    Reverse "reverse" 2..=2,
    /// The position of the n-th one from a base on, as `fns` finds it.
    NthSet "nth" 3..=3,
    /// A function of three bits, tabulated by a constant.
    LookUp "lut" 4..=4,
    /// An address that must be a multiple of so many bytes.
    Aligned "aligned" 2..=2,
    /// The product without carries.
    CarrylessProduct "clmul" 2..=2,
    /// A value with the part that the selector of the destination names replaced.
    Merge "merge" 2..=2,
    /// The element that the selector of an operand picks from both operands.
    Picked "picked" 3..=3,
    /// The truth that the mask of the destination has an element.
    Masked "masked" 2..=2,
    /// The type of the part that a selector names.
    Selected "selected" 2..=2,
    /// The nearest number of an integer type.
    Clamp "clamp" 1..=2,
    /// The nearest number of a float type.
    Round "round" 1..=3,
    /// The nearest integer, as a float.
    Integral "integral" 2..=2,
    /// The exact square root.
    SquareRoot "sqrt" 1..=1,
    /// Subnormal numbers become 0.
    Flush "flush" 1..=1,
    /// Into 0 to 1.
    Saturate "saturate" 1..=1,
    /// Negative numbers become 0.
    Relu "relu" 1..=1,
    /// Numbers beyond the largest one become that one.
    Finite "finite" 1..=1,
    /// -0 becomes +0.
    PositiveZero "positive_zero" 1..=1,
    /// The truth that it is a NaN.
    IsNan "isnan" 1..=1,
    /// The sign bit as a truth.
    Sign "sign" 1..=1,
    /// The value with another sign bit.
    WithSign "withsign" 2..=2,
    /// The truth that it is the NaN of tensor copies out of bounds.
    OutOfBounds "oob" 1..=1,
    /// The operation in a slot.
    Apply "apply" 2..=3,
    /// 2 to the power.
    Exp2 "exp2" 1..=1,
    /// The binary logarithm.
    Log2 "log2" 1..=1,
    /// The sine.
    Sine "sin" 1..=1,
    /// The cosine.
    Cosine "cos" 1..=1,
    /// The hyperbolic tangent.
    HyperbolicTangent "tanh" 1..=1,
    /// Times a power of 2.
    Scaled "scaled" 2..=2,
    /// The upper element of a pack, or a plain value.
    Upper "upper" 1..=1,
    /// The lower element of a pack, or a plain value.
    Lower "lower" 1..=1,
    /// Width of a type in bits.
    Bits "bits" 1..=1,
    /// Width of a type in bytes.
    Bytes "bytes" 1..=1,
    /// The number in the word of a slot; 1 if there is none.
    Number "number" 1..=1,
    /// The type of half the width.
    Half "half" 1..=1,
    /// The type of a quarter of the width.
    Quarter "quarter" 1..=1,
    /// The bytes from one up to another; the others become unspecified.
    Skip "skip" 3..=3,
    /// The bytes in a mask, of each 16; the others stay.
    Keep "keep" 2..=2,
    /// A box of a tensor.
    TensorBox "box" 1..=9,
    /// Its size in bytes.
    BoxBytes "box_bytes" 1..=1,
    /// A box of a tensor of another endpoint of a fabric.
    FabricBox "fabric_box" 1..=8,
    /// An element of a surface, the first coordinate in elements.
    Texel "texel" 4..=4,
    /// The bytes of a surface, the first coordinate in bytes.
    SurfaceBytes "surface_bytes" 4..=4,
    /// A filtered texture.
    Filtered "filtered" 1..=12,
    /// One component of four elements of a texture.
    Gathered "gathered" 1..=12,
    /// A comparison with a reference.
    Compared "compared" 2..=2,
    /// The truth that the texture is resident.
    Resident "resident" 1..=12,
    /// An element in the format of a surface.
    Formatted "formatted" 2..=2,
    /// An attribute of a texture, sampler or surface.
    Attribute "attribute" 2..=3,
    /// A matrix that a descriptor describes, or that registers hold.
    Described "described" 1..=3,
    /// A matrix by a lookup table.
    LookedUp "looked_up" 2..=2,
    /// Tensor memory.
    TensorMemory "tmem" 1..=5,
    /// A matrix with its sparsity expanded by metadata.
    Sparse "sparse" 2..=3,
    /// A matrix some columns of which are 0.
    ZeroColumns "zero_columns" 2..=2,
    /// Elements of 4 or 6 bits in bytes.
    Widened "widened" 2..=2,
    /// The scale of each element of a matrix.
    Scales "scales" 2..=3,
    /// The two elements that an order prefers, of each four.
    Chosen "chosen" 2..=3,
    /// The positions of these.
    Positions "positions" 2..=4,
    /// Elements at given positions, 0 elsewhere.
    Spread "spread" 5..=5,
    /// A generic address of a state space.
    ToGeneric "to_generic" 2..=2,
    /// The address in a state space of a generic one.
    FromGeneric "from_generic" 2..=2,
    /// The truth that a generic address is in a state space.
    Within "within" 2..=2,
    /// The same place in the shared memory of another CTA.
    InCta "in_cta" 2..=2,
    /// The CTA of a shared address.
    CtaOf "cta_of" 1..=1,
    /// The truth that a handle is one of an opaque variable of a type.
    KindOf "kind" 2..=2,
    /// The state of an mbarrier.
    State "state" 1..=1,
    /// The phase in a state.
    Phase "phase" 1..=1,
    /// The pending count in a state.
    Pending "pending" 1..=1,
    /// The truth that a request was canceled.
    Canceled "canceled" 1..=1,
    /// The first CTA of a response.
    FirstCta "first_cta" 1..=1,
    /// A value whose bits mean nothing outside the instructions that take it.
    Opaque "opaque" 0..=9,
}

impl Primitive {
    /// The primitive with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Primitive> {
        Primitive::ALL.iter().find(|it| it.0 == name).map(|it| it.1)
    }

    /// The truth that it is a place or a value that a chapter of the manual describes. Operands among its arguments that a form
    /// lacks are left out.
    #[must_use]
    pub fn is_place(self) -> bool {
        use Primitive::*;
        matches!(
            self,
            TensorBox
                | BoxBytes
                | FabricBox
                | Texel
                | SurfaceBytes
                | Filtered
                | Gathered
                | Compared
                | Resident
                | Formatted
                | Attribute
                | Described
                | LookedUp
                | TensorMemory
                | Sparse
                | ZeroColumns
                | Scales
                | Chosen
                | Positions
                | Opaque
        )
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Primitive::ALL[self as usize].0
    }
}
