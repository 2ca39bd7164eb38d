//! Programs: what a statement computes as a sequence of operations on all lanes at once.
//!
//! A program is made once for a form, see [`super::lower`], and run as often as the statement is. Registers are numbers
//! of 64 bits, one for each lane; what a type does not fill is 0. The few exact integers that need more have 128 bits.

use super::{
    exact::Relation,
    float::{Class, Format, Operation as FloatOperation, Rounding},
};

/// A value of a program, by its index in [`Program::steps`].
pub type Node = u32;

/// Where a value comes from that a program reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    /// The operand, by its index among the bound operands of the statement.
    pub operand: u8,
    /// The element, of an operand in braces.
    pub element: Option<u8>,
    /// Which 64 bits of it, the lowest first.
    pub half: u8,
}

/// An operation of a program; the nodes before it are its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A value that is read, by its index in [`Program::inputs`].
    Input(u16),
    /// The same number in all lanes.
    Constant(u64),
    /// The same number of 128 bits.
    WideConstant(u128),
    /// The number of the lane.
    Lane,
    /// The lanes that run the statement, as a mask.
    Active,
    /// The carry flag, 0 or 1.
    Carry,
    /// The stack pointer.
    Stack,
    /// A number of 64 bits, signed or not, with 128.
    Widen(Node, bool),
    /// The low 64 bits of one of 128.
    Narrow(Node),
    /// The upper 64 bits of one of 128.
    Upper(Node),
    /// The low bits, filled with 0.
    ZeroExtend(Node, u8),
    /// The low bits, filled with copies of the uppermost.
    SignExtend(Node, u8),
    /// An operation on two integers.
    Binary(Binary, Width, Node, Node),
    /// An operation on an integer.
    Unary(Unary, Width, Node),
    /// The second where the first is 1, the third where it is 0.
    Select(Width, Node, Node, Node),
    /// A function of three bits, for each bit.
    LookUp(Node, Node, Node, Node),
    /// So many bits of a number from a position on.
    Field(Width, Node, Node, Node),
    /// The position of the n-th one from a base on.
    NthSet(Node, Node, Node),
    /// The value in one lane, in all.
    Broadcast(Node, u8),
    /// The value in the lane that the second names.
    Gather(Node, Node),
    /// A rounded operation on floats.
    Float(FloatStep),
    /// The nearest number with random bits, of which there are so many.
    Stochastic {
        /// The float.
        from: Node,
        /// Its format.
        format: Format,
        /// The format of the result.
        to: Format,
        /// The random bits.
        random: Node,
        /// Their number.
        count: u8,
        /// Whether what is too large becomes the largest number.
        finite: bool,
    },
    /// The nearest float of an integer.
    FromInteger {
        /// The integer.
        from: Node,
        /// Its width.
        width: Width,
        /// Whether it is signed.
        signed: bool,
        /// The format.
        to: Format,
        /// The mode.
        mode: Mode,
    },
    /// The nearest integer of so many bits; what a NaN becomes.
    ToInteger {
        /// The float.
        from: Node,
        /// Its format.
        format: Format,
        /// Whether the integer is signed.
        signed: bool,
        /// Width of the integer in bits, at most 64.
        bits: u8,
        /// What a NaN becomes.
        nan: u64,
    },
    /// The nearest integer as a float.
    Integral(Format, Mode, Node),
    /// A function of a float.
    FloatUnary(FloatUnary, Format, Node),
    /// The smaller or the larger one of two floats.
    Extreme(bool, Format, Node, Node),
    /// A comparison of floats, and whether it holds where one is a NaN.
    FloatCompare(Relation, bool, Format, Format, Node, Node),
    /// A test of a float.
    FloatTest(FloatTest, Format, Node),
    /// The sign of a float replaced by a truth.
    WithSign(Format, Node, Node),
}

/// A rounded operation on floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatStep {
    /// The operation.
    pub operation: FloatOperation,
    /// The operands; unused ones repeat the first.
    pub operands: [Node; 3],
    /// The formats of the operands.
    pub formats: [Format; 3],
    /// The format of the result.
    pub to: Format,
    /// The rounding mode.
    pub mode: Mode,
    /// Whether what is too large becomes the largest number.
    pub finite: bool,
}

/// A rounding mode, without the random bits of `.rs`.
pub type Mode = Rounding;

/// The width in which an operation on integers works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 64 bits.
    Narrow,
    /// 128 bits.
    Wide,
}

/// An operation on two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of the operations")]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    And,
    Or,
    Xor,
    /// By so many bits; 0 from the width on.
    ShiftLeft,
    /// By so many bits, filled with 0.
    ShiftRight,
    /// By so many bits, filled with the sign.
    ShiftRightSigned,
    /// 0 or 1, as the others that compare.
    Equal,
    NotEqual,
    Less,
    LessSigned,
    LessEqual,
    LessEqualSigned,
    Minimum,
    MinimumSigned,
    Maximum,
    MaximumSigned,
    /// Toward 0; what a division by 0 gives is not specified, here all ones.
    Quotient,
    QuotientSigned,
    /// With the sign of the first; of a division by 0 the first.
    Remainder,
    RemainderSigned,
    /// The low bits of the product without carries.
    Carryless,
    /// The low bits of the first, so many as the second says, as a signed number.
    SignedField,
}

/// An operation on an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// Two's complement.
    Negate,
    /// All bits inverted.
    Complement,
    /// The number of ones.
    PopulationCount,
    /// The position of the highest one, -1 of 0.
    Highest,
    /// So many low bits in the opposite order.
    Reverse(u8),
    /// So many ones.
    Ones,
}

/// A test of a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatTest {
    /// Whether it is of a class.
    Is(Class),
    /// Whether the sign bit is set, also of a NaN.
    Sign,
    /// Whether it is the NaN that tensor copies write out of bounds.
    OutOfBounds,
}

/// A function of a float that keeps its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "see the functions of the notation")]
pub enum FloatUnary {
    Flush,
    Saturate,
    Relu,
    Finite,
    PositiveZero,
    Exp2,
    Log2,
    Sine,
    Cosine,
    HyperbolicTangent,
    /// One divided by the square root.
    ReciprocalSquareRoot,
}

/// What a program writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// An operand, by its index among the bound operands, with its element if it is in braces.
    Operand {
        /// The operand.
        operand: u8,
        /// The element, of one in braces.
        element: Option<u8>,
        /// Which 64 bits of it, the lowest first.
        half: u8,
    },
    /// The carry flag.
    Carry,
    /// The stack pointer.
    Stack,
}

/// How sure the result of a program is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exactness {
    /// The manual says every bit.
    #[default]
    Exact,
    /// The manual bounds the error; the nearest number is given.
    Bounded,
    /// The order of additions is open; the sum is rounded once.
    Unordered,
}

/// What a statement computes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// What is read.
    pub inputs: Vec<Input>,
    /// The operations, each on nodes before it.
    pub steps: Vec<Op>,
    /// What is written, all at once.
    pub outputs: Vec<(Destination, Node)>,
    /// A truth: the manual leaves the result open where it is 1.
    pub unspecified: Option<Node>,
    /// How sure the result is.
    pub exactness: Exactness,
    /// Whether a lane reads what others hold.
    pub crosses_lanes: bool,
    /// Whether some operations work on 128 bits.
    pub wide: bool,
}

impl Binary {
    /// Whether the result is 0 or 1, in 64 bits whatever the width is.
    #[must_use]
    pub fn is_comparison(self) -> bool {
        use Binary::{Equal, Less, LessEqual, LessEqualSigned, LessSigned, NotEqual};
        matches!(
            self,
            Equal | NotEqual | Less | LessSigned | LessEqual | LessEqualSigned
        )
    }
}
