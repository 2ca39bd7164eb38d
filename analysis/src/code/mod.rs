//! Code: the functions and variables of a file as plain data that a machine can run.
//!
//! It holds what the tables and the names of the text say, resolved once: programs of instructions, registers as slots,
//! variables with size and contents. Nothing in it refers to the database or to the syntax tree but ranges of text.

mod contents;
mod function;
mod instruction;
mod lower;
mod names;
mod places;

pub(crate) use function::bounds as launch_bounds;
pub(crate) use lower::{code, headers};

use std::{borrow::Cow, sync::Arc};

use isa::{
    compute::Program,
    event::EventKind,
    semantics::{Control, Order, Together},
    strength::Strength,
    types::Class,
    variable::StateSpace,
};
use syntax::TextRange;

/// Index of a [`Function`] in [`Code::functions`].
pub type FunctionId = u32;
/// Index of a [`Variable`] in [`Code::variables`].
pub type VariableId = u32;
/// Index of a register slot in a function: 64 bits for each thread.
pub type Slot = u32;

/// The functions and variables of a file.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The functions in the order of the text, those without a body too.
    pub functions: Vec<Function>,
    /// The variables: those of the module first, then those of the functions, parameters too.
    pub variables: Vec<Variable>,
    /// The number of the target, 90 of `sm_90a`; 0 if the file names none.
    pub target: u32,
    /// Whether addresses have 32 bits.
    pub narrow_addresses: bool,
}

/// An entry or a function.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// The name.
    pub name: String,
    /// Whether it is an `.entry`.
    pub entry: bool,
    /// Whether it has a body.
    pub defined: bool,
    /// Its name in the file.
    pub name_range: TextRange,
    /// The parameters, in the order of the text; one in a register of several slots is as many.
    pub parameters: Vec<Formal>,
    /// The results, likewise.
    pub results: Vec<Formal>,
    /// The variables that it declares in its body.
    pub variables: Vec<VariableId>,
    /// How many register slots a thread has in it.
    pub slots: u32,
    /// The registers that it names, in the order of their declarations and numbers.
    pub registers: Vec<Register>,
    /// The instructions, in the order of the text.
    pub instructions: Vec<Instruction>,
    /// The shapes of a launch that it requires.
    pub bounds: Bounds,
}

/// The slot of the carry flag, which every function has.
pub const CARRY: Slot = 0;
/// The slot of the stack pointer, which every function has.
pub const STACK: Slot = 1;

/// A parameter or a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formal {
    /// In `.param` space.
    Variable(VariableId),
    /// A register of a function, or a slot of a wide one.
    Register(Slot),
}

/// A register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// The name with its number: `%r12`.
    pub name: String,
    /// Its first slot; a vector has one for each element, and 128 bits take two.
    pub slot: Slot,
    /// Its type, of an element if it is a vector.
    pub class: Class,
    /// The elements of a vector; 1 if it is none.
    pub lanes: u8,
}

/// The shapes of a launch that directives of an entry state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The threads of a block along x, y and z, by `.reqntid`.
    pub block: Option<[u32; 3]>,
    /// The most threads of a block, the product of `.maxntid`.
    pub most_threads: Option<u64>,
    /// The largest block along x, y and z, if `.maxntid` bounds each direction.
    pub largest_block: Option<[u32; 3]>,
    /// The blocks of a cluster along x, y and z, by `.reqnctapercluster`.
    pub cluster: Option<[u32; 3]>,
}

/// A variable or parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The state space.
    pub space: StateSpace,
    /// The type of an element, without its period: `f32`, `b8`, `texref`; empty if there is none.
    pub ty: String,
    /// The elements of a vector type; 1 if it is none.
    pub lanes: u8,
    /// The dimensions of an array; none for a scalar, 0 for one left open.
    pub dimensions: Vec<u64>,
    /// Bytes; 0 for an array of open size.
    pub size: u64,
    /// Bytes, a power of two.
    pub alignment: u64,
    /// Whether it is only declared here, by `.extern`.
    pub external: bool,
    /// The contents at the start, zero where none are stated.
    pub contents: Vec<Content>,
    /// The name in the file.
    pub name_range: TextRange,
}

/// A part of the contents of a variable at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Bytes at an offset.
    Bytes(u64, Vec<u8>),
    /// An address at an offset, of so many bytes.
    Address {
        /// The offset in bytes.
        at: u64,
        /// The bytes that it takes.
        size: u8,
        /// The variable or function.
        of: Symbol,
        /// The number of bytes that is added.
        plus: i64,
        /// Whether it is a generic address.
        generic: bool,
        /// By how many bits it is shifted to the right, for parts of an address.
        shift: u8,
    },
}

/// Something that has an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A variable.
    Variable(VariableId),
    /// A function.
    Function(FunctionId),
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The statement in the file.
    pub range: TextRange,
    /// The predicate under which it runs.
    pub guard: Option<Guard>,
    /// Its opcode with its modifiers.
    pub name: Arc<str>,
    /// The section of the manual that describes it; empty if no form of the tables fits.
    pub section: &'static str,
    /// The part of the machine that is missing, as a phrase, if there is no program for that reason.
    pub obstacle: Option<&'static str>,
    /// Its computation; `None` if there is none that could be run. One that computes nothing has an empty program.
    pub program: Option<Arc<Program>>,
    /// Where the inputs of the program come from.
    pub sources: Vec<Source>,
    /// Where the outputs of the program go; `None` for those that are not kept.
    pub destinations: Vec<Option<Slot>>,
    /// Where the inputs of [`Program::later`] come from.
    pub later_sources: Vec<Source>,
    /// Where the outputs of [`Program::later`] go.
    pub later_destinations: Vec<Option<Slot>>,
    /// Whether it only carries a value on.
    pub copies: bool,
    /// Where control goes.
    pub control: Control,
    /// The instructions to which it may jump, by index; the length of the list stands for the end.
    pub targets: Vec<u32>,
    /// Which of them is taken, if it jumps by a table.
    pub index: Option<Source>,
    /// The call, if it is one.
    pub call: Option<Box<Call>>,
    /// Its events in protocols.
    pub events: Vec<Event>,
    /// The accesses that it orders.
    pub order: Order,
    /// Who must run it together.
    pub together: Together,
    /// How its accesses of memory count among threads.
    pub strength: Strength,
    /// Whether it accesses memory through the asynchronous proxy.
    pub by_proxy: bool,
    /// The types under which it reads and writes registers.
    pub types: Arc<OperandTypes>,
    /// Whether it reads through the cache for memory that nobody writes while the kernel runs.
    pub read_only: bool,
    /// Whether it has a program and everything that it reads is known, so that it can be run.
    pub is_runnable: bool,
    /// Whether all it does is to write registers, from values that it reads in the same lane or in others.
    pub computes_only: bool,
    /// Whether all it does is to read memory or to write it, each lane for itself, and to write registers.
    pub accesses_only: bool,
    /// Whether all it does is to write registers, from values that lanes of a warp exchange where they meet.
    pub exchanges_only: bool,
}

/// The types that a form gives its operands, as words without a period; `None` for addresses, and where registers of
/// several types are allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperandTypes {
    /// Those of [`Instruction::sources`].
    pub sources: Vec<Option<Cow<'static, str>>>,
    /// Those of [`Instruction::destinations`].
    pub destinations: Vec<Option<Cow<'static, str>>>,
}

/// A guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate.
    pub slot: Slot,
    /// Whether the instruction runs where it is false.
    pub negated: bool,
}

/// Where a value comes from that an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A constant.
    Constant(u64),
    /// A register, plus a constant.
    Register(Slot, i64),
    /// A special register, by its index in [`isa::special`], with its component, 0 for `x`, and its number.
    Special {
        /// The index.
        index: u16,
        /// The component.
        component: u8,
        /// The number of a numbered one.
        number: u32,
    },
    /// The address of a variable or function in its state space, plus a constant.
    Address(Symbol, i64),
    /// The same as a generic address.
    GenericAddress(Symbol, i64),
    /// Something that cannot be read here.
    Unknown,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function that is called.
    pub callee: Callee,
    /// The arguments; a register of several slots is as many.
    pub arguments: Vec<Actual>,
    /// The places of the results.
    pub results: Vec<Actual>,
}

/// The function of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function of the file.
    Function(FunctionId),
    /// A function whose address a register holds.
    Indirect(Slot),
    /// A function that is declared nowhere.
    Unknown(String),
}

/// An argument or the place of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actual {
    /// A variable in `.param` space.
    Variable(VariableId),
    /// A value.
    Value(Source),
}

/// An event of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The event.
    pub kind: EventKind,
    /// Its operands, in the order of [`EventKind`].
    pub operands: [Option<Source>; 2],
}
