//! Programs: what a statement computes as a sequence of operations on all lanes at once.
//!
//! A program is made once for a form, see [`super::lower`], and run as often as the statement is. Registers are numbers
//! of 64 bits, one for each lane; what a type does not fill is 0. The few exact integers that need more have 128 bits.

use std::sync::Arc;

use crate::matrix::tensor_map::BoxMode;

use super::{
    float::{Class, Format, Operation as FloatOperation, Rounding},
    matrix::MatrixProgram,
    memory::{Bulk, BulkSource, Counter, MapStore, Place, Store, Until},
    node::Node,
    pass::Pass,
    tensor::TensorStep,
    texture::{TexelStore, TextureRequest},
};

/// Where a value comes from that a program reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    /// The operand, by its index among the bound operands of the statement.
    pub operand: u8,
    /// The element, of an operand in braces.
    pub element: Option<u8>,
    /// Which 64 bits of it, the lowest first.
    pub half: u8,
    /// The number of bits that the register has there, at most 64; those above are 0.
    pub bits: u8,
}

/// An operation of a program; the nodes before it are its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A value that is read, by its index in [`Program::inputs`].
    Input(u32),
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
    /// The number of the CTA of the thread in its cluster.
    CtaRank,
    /// The CTAs of the cluster of the thread, as a mask.
    Ctas,
    /// The element of [`Program::repeated`] for which the program runs.
    Member,
    /// The address in tensor memory that has just been allocated.
    Allocated,
    /// The bytes before the element for which the program runs, see [`Program::sweep`].
    Sweep,
    /// The number of threads of a barrier, or of those for which [`Program::participants`] is 1.
    Participants {
        /// Whether all count.
        all: bool,
    },
    /// The bytes of a box of a tensor.
    BoxBytes {
        /// The place of the map, by its index in [`Program::places`].
        place: u16,
        /// The address of the map.
        map: Node,
        /// How the coordinates choose elements.
        mode: BoxMode,
    },
    /// 64 bits that are read from memory.
    Load {
        /// The place, by its index in [`Program::places`].
        place: u16,
        /// The address of the first element of the place.
        address: Node,
        /// The element.
        element: u8,
        /// Which 64 bits of it, the lowest first.
        half: u8,
    },
    /// An element of what a request asks, by the index of that in [`Program::textures`].
    Texture(u16, u8),
    /// The address itself, which must be a multiple of so many bytes.
    Aligned(Node, u8),
    /// A register of the result of [`Program::matrix`].
    Matrix(u16),
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
    /// The lanes in which the lowest bit is 1, as a mask of 32 bits in all lanes.
    Ballot(Node),
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
        /// The result for a NaN.
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

impl Op {
    /// Calls `act` with each node that the operation reads.
    pub fn for_each_operand(&self, mut act: impl FnMut(Node)) {
        // A copy whose operands are not changed.
        let _ = self.map_operands(|it| {
            act(it);
            it
        });
    }

    /// Whether the operation gives 128 bits.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        match self {
            Op::WideConstant(_)
            | Op::Widen(..)
            | Op::Unary(_, Width::Wide, _)
            | Op::Select(Width::Wide, ..) => true,
            Op::Binary(binary, Width::Wide, ..) => !binary.is_comparison(),
            _ => false,
        }
    }

    /// Whether the operation reads an element of memory, or checks an address.
    pub(super) fn is_of_memory(&self) -> bool {
        matches!(self, Op::Load { .. } | Op::Aligned(..))
    }

    /// The most bits of a value that comes from memory, from a tensor core or from what surrounds the lanes; `None` for
    /// operations on inputs, constants and the number of the lane.
    #[must_use]
    pub fn outside_bits(&self) -> Option<u8> {
        match self {
            Op::Carry => Some(1),
            Op::Member => Some(5),
            Op::CtaRank => Some(8),
            Op::Active | Op::Ctas | Op::Participants { .. } => Some(32),
            Op::Stack
            | Op::Sweep
            | Op::Allocated
            | Op::BoxBytes { .. }
            | Op::Matrix(_)
            | Op::Texture(..)
            | Op::Load { .. } => Some(64),
            _ => None,
        }
    }

    /// The same operation on other nodes.
    #[must_use]
    pub fn map_operands(&self, mut map: impl FnMut(Node) -> Node) -> Op {
        match *self {
            Op::Input(_)
            | Op::Constant(_)
            | Op::WideConstant(_)
            | Op::Lane
            | Op::Active
            | Op::Carry
            | Op::Stack
            | Op::CtaRank
            | Op::Ctas
            | Op::Member
            | Op::Sweep
            | Op::Allocated
            | Op::Matrix(_)
            | Op::Texture(..)
            | Op::Participants { .. } => *self,
            Op::BoxBytes {
                place,
                map: address,
                mode,
            } => Op::BoxBytes {
                place,
                map: map(address),
                mode,
            },
            Op::Aligned(a, bytes) => Op::Aligned(map(a), bytes),
            Op::Load {
                place,
                address,
                element,
                half,
            } => Op::Load {
                place,
                address: map(address),
                element,
                half,
            },
            Op::Widen(a, signed) => Op::Widen(map(a), signed),
            Op::Narrow(a) => Op::Narrow(map(a)),
            Op::Upper(a) => Op::Upper(map(a)),
            Op::ZeroExtend(a, bits) => Op::ZeroExtend(map(a), bits),
            Op::SignExtend(a, bits) => Op::SignExtend(map(a), bits),
            Op::Binary(binary, width, a, b) => Op::Binary(binary, width, map(a), map(b)),
            Op::Unary(unary, width, a) => Op::Unary(unary, width, map(a)),
            Op::Select(width, c, a, b) => Op::Select(width, map(c), map(a), map(b)),
            Op::LookUp(a, b, c, table) => Op::LookUp(map(a), map(b), map(c), map(table)),
            Op::Field(width, a, b, c) => Op::Field(width, map(a), map(b), map(c)),
            Op::NthSet(a, b, c) => Op::NthSet(map(a), map(b), map(c)),
            Op::Broadcast(a, lane) => Op::Broadcast(map(a), lane),
            Op::Gather(a, lane) => Op::Gather(map(a), map(lane)),
            Op::Ballot(a) => Op::Ballot(map(a)),
            Op::Float(step) => Op::Float(FloatStep {
                operands: step.operands.map(map),
                ..step
            }),
            Op::Stochastic {
                from,
                format,
                to,
                random,
                count,
                finite,
            } => Op::Stochastic {
                from: map(from),
                format,
                to,
                random: map(random),
                count,
                finite,
            },
            Op::FromInteger {
                from,
                width,
                signed,
                to,
                mode,
            } => Op::FromInteger {
                from: map(from),
                width,
                signed,
                to,
                mode,
            },
            Op::ToInteger {
                from,
                format,
                signed,
                bits,
                nan,
            } => Op::ToInteger {
                from: map(from),
                format,
                signed,
                bits,
                nan,
            },
            Op::Integral(format, mode, a) => Op::Integral(format, mode, map(a)),
            Op::FloatUnary(function, format, a) => Op::FloatUnary(function, format, map(a)),
            Op::Extreme(larger, format, a, b) => Op::Extreme(larger, format, map(a), map(b)),
            Op::FloatCompare(relation, unordered, first, second, a, b) => {
                Op::FloatCompare(relation, unordered, first, second, map(a), map(b))
            }
            Op::FloatTest(test, format, a) => Op::FloatTest(test, format, map(a)),
            Op::WithSign(format, a, sign) => Op::WithSign(format, map(a), map(sign)),
        }
    }
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

/// A relation of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of the relations")]
pub enum Relation {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
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
    /// The test of a class.
    Is(Class),
    /// The sign bit, also of a NaN.
    Sign,
    /// The NaN that tensor copies write out of bounds.
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

/// A place that a program writes.
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

/// The computation of a statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The values that are read.
    pub inputs: Vec<Input>,
    /// The operations, each on nodes before it.
    pub steps: Vec<Op>,
    /// The results, which are written all at once.
    pub outputs: Vec<(Destination, Node)>,
    /// A truth: the manual leaves the result open where it is 1.
    pub unspecified: Option<Node>,
    /// How sure the result is.
    pub exactness: Exactness,
    /// Whether a lane reads what others hold.
    pub crosses_lanes: bool,
    /// Whether some operations work on 128 bits.
    pub wide: bool,
    /// Whether it reads the carry flag or the stack pointer.
    pub flags: bool,
    /// Whether it reads, writes or checks memory.
    pub accesses: bool,
    /// The places in memory that are read and written.
    pub places: Vec<Place>,
    /// The elements that are written to memory, after everything is read.
    pub stores: Vec<Store>,
    /// The bytes that are written to memory in bulk.
    pub bulk: Vec<Bulk>,
    /// The counters that grow once for the whole, PTX ISA 9.7.10.4.3.
    pub counters: Vec<Counter>,
    /// The fields of tensor maps that are replaced.
    pub fields: Vec<MapStore>,
    /// The questions about textures and surfaces.
    pub textures: Vec<TextureRequest>,
    /// The elements that are written to surfaces.
    pub texels: Vec<TexelStore>,
    /// Whether lanes run it one after the other, each as a whole: it reads and writes memory at once.
    pub atomic: bool,
    /// Whether the result depends on where state spaces lie among generic addresses.
    pub windows: bool,
    /// A mask: the program runs once for each bit, see [`Op::Member`].
    pub repeated: Option<Node>,
    /// The number of bytes over which the program runs, one element after the other, see [`Op::Sweep`]; with the bytes
    /// of an element.
    pub sweep: Option<(Node, u8)>,
    /// Whether it works on matrices whose elements the lanes of a warp hold.
    pub fragments: bool,
    /// A product of matrices, whose results are read by [`Op::Matrix`].
    pub matrix: Option<Box<MatrixProgram>>,
    /// An operation of a tensor core, whose results are read by [`Op::Matrix`].
    pub tensor: Option<Box<TensorStep>>,
    /// A truth that the threads of a barrier bring: what the barrier computes is known when all are there.
    pub participants: Option<Node>,
    /// The effects that happen at some later time, as a program of their own with the same operands.
    pub later: Option<Arc<Program>>,
    /// The sign that they have happened; of a later program.
    pub until: Option<Until>,
    /// The steps as [`super::Machine::compute`] runs them; empty if it does not.
    pub(super) passes: Vec<Pass>,
}

impl Program {
    /// Whether its results depend on the operands alone: it neither reads nor writes memory, does not ask where state
    /// spaces lie, and works on no matrices of other lanes.
    #[must_use]
    pub fn is_pure(&self) -> bool {
        self.places.is_empty()
            && self.later.is_none()
            && self.participants.is_none()
            && !self.windows
            && !self.fragments
    }

    /// Whether it writes results that depend on nothing but its inputs, and the manual leaves none of them open.
    #[must_use]
    pub fn computes_only(&self) -> bool {
        let depends = |it: &Op| it.outside_bits().is_some();
        self.has_results_only() && self.unspecified.is_none() && !self.steps.iter().any(depends)
    }

    /// Whether it only writes results, and these depend on nothing but its inputs in all lanes of a warp and the mask of
    /// active lanes.
    #[must_use]
    pub fn exchanges_only(&self) -> bool {
        let depends = |it: &Op| it.outside_bits().is_some() && *it != Op::Active;
        self.crosses_lanes && self.has_results_only() && !self.steps.iter().any(depends)
    }

    fn has_results_only(&self) -> bool {
        self.is_pure()
            && !self.atomic
            && !self.flags
            && !self.accesses
            && self.repeated.is_none()
            && self.stores.is_empty()
            && self.bulk.is_empty()
            && self.fields.is_empty()
            && self.tensor.is_none()
    }

    /// Whether it divides integers.
    #[must_use]
    pub fn divides(&self) -> bool {
        use Binary::{Quotient, QuotientSigned, Remainder, RemainderSigned};
        self.steps.iter().any(|it| {
            matches!(
                it,
                Op::Binary(Quotient | QuotientSigned | Remainder | RemainderSigned, ..)
            )
        })
    }

    /// The nodes that are read after the steps, each of which may be replaced.
    pub(super) fn for_each_end(&mut self, mut act: impl FnMut(&mut Node)) {
        self.outputs.iter_mut().for_each(|it| act(&mut it.1));
        self.unspecified.iter_mut().for_each(&mut act);
        for store in &mut self.stores {
            act(&mut store.address);
            act(&mut store.value);
            store.high.iter_mut().for_each(&mut act);
        }
        for bulk in &mut self.bulk {
            act(&mut bulk.address);
            act(&mut bulk.size);
            if let Some(to) = &mut bulk.to_box {
                to.for_each_node(&mut act);
            }
            match &mut bulk.from {
                BulkSource::Memory {
                    address,
                    size,
                    part,
                    ..
                } => {
                    act(address);
                    act(size);
                    if let Some(part) = part {
                        part.for_each_node(&mut act);
                    }
                }
                BulkSource::Box { address, of, .. } => {
                    act(address);
                    of.for_each_node(&mut act);
                }
                BulkSource::Zero | BulkSource::Undefined | BulkSource::Response => {}
            }
        }
        for counter in &mut self.counters {
            act(&mut counter.address);
            act(&mut counter.plus);
        }
        for field in &mut self.fields {
            act(&mut field.address);
            act(&mut field.index);
            act(&mut field.value);
        }
        for request in &mut self.textures {
            request.for_each_node(&mut act);
        }
        self.texels.iter_mut().for_each(|it| act(&mut it.value));
        self.participants.iter_mut().for_each(&mut act);
        self.repeated.iter_mut().for_each(&mut act);
        self.sweep.iter_mut().for_each(|it| act(&mut it.0));
        if let Some(matrix) = &mut self.matrix {
            matrix.for_each_node(&mut act);
        }
        if let Some(tensor) = &mut self.tensor {
            tensor.for_each_node(&mut act);
        }
        if let Some(Until::Barrier { address, bytes, .. }) = &mut self.until {
            act(address);
            act(bytes);
        }
    }

    /// Whether an operand, by its index among the bound ones, is the truth table of a function of three bits.
    #[must_use]
    pub fn is_table(&self, operand: u8) -> bool {
        let mut tables = self.steps.iter().filter_map(|it| match it {
            Op::LookUp(.., table) => Some(*table),
            _ => None,
        });
        tables.any(|mut node| {
            // As many bits of it as a table has.
            while let Some(Op::ZeroExtend(inner, _)) = self.steps.get(node as usize) {
                node = *inner;
            }
            let Some(Op::Input(input)) = self.steps.get(node as usize) else {
                return false;
            };
            let input = self.inputs.get(*input as usize);
            input.is_some_and(|it| it.operand == operand)
        })
    }
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
