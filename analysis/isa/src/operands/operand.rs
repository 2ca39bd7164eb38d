//! The operands of a statement with their names resolved, for the matcher.

use crate::types::Class;

/// A state space of a symbol or of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// `.const`
    Const,
    /// `.global`
    Global,
    /// `.global` with the attribute `.unified`, which `[a].unified` needs.
    Unified,
    /// `.local`
    Local,
    /// `.shared`
    Shared,
    /// `.param` of an entry.
    EntryParameter,
    /// `.param` that a function receives.
    InputParameter,
    /// `.param` that a function returns.
    ReturnParameter,
    /// `.param` declared in a body, for calls.
    LocalParameter,
}

impl Space {
    /// The word of the state space in a declaration, without its period.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Space::Const => "const",
            Space::Global | Space::Unified => "global",
            Space::Local => "local",
            Space::Shared => "shared",
            Space::EntryParameter
            | Space::InputParameter
            | Space::ReturnParameter
            | Space::LocalParameter => "param",
        }
    }
}

/// A name that is not a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A variable or parameter in memory. A scalar has a class: in braces its name is taken for
    /// a value of it.
    Variable(Space, Option<Class>),
    /// `.texref`, or a variable in `.tex`.
    TextureReference,
    /// `.samplerref`
    SamplerReference,
    /// `.surfref`
    SurfaceReference,
    /// `.func`
    Function,
    /// `.entry`
    Entry,
    /// A branch label.
    Label,
    /// The label of a `.branchtargets`.
    BranchTargets,
    /// The label of a `.calltargets`.
    CallTargets,
    /// The label of a `.callprototype`.
    CallPrototype,
}

/// Notation of a float constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatForm {
    /// `1.5`
    Decimal,
    /// `0f3F800000`
    Hex32,
    /// `0d3FF0000000000000`
    Hex64,
}

/// One operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register with its declared type; `lanes` is 2 or 4 for `.v2` and `.v4` registers, else 1.
    Register {
        /// Declared type.
        class: Class,
        /// Elements.
        lanes: u8,
    },
    /// A special register.
    Special {
        /// The type of one component.
        class: Class,
        /// Number of components: 4 for `%tid`, 1 for `%tid.x` and `%laneid`.
        lanes: u8,
        /// Whether one component is selected, as in `%tid.x`.
        component: bool,
        /// Whether instructions of 16 bits read it, too; see [`crate::special::SpecialRegister::is_narrow`].
        narrow: bool,
    },
    /// An integer constant, evaluated; its bits when it does not fit.
    Integer(i128),
    /// A float constant.
    Float(FloatForm, f64),
    /// A name in memory or in the code.
    Symbol(Symbol),
    /// `base + constant`
    Offset(Box<Operand>, i128),
    /// `base[constant]`, where the base is a name.
    Element(Box<Operand>, i128),
    /// `[…]`, with the word after it (`.unified`).
    Address(Vec<Operand>, Option<Box<str>>),
    /// `{…}`
    Vector(Vec<Operand>),
    /// `a|b`
    Pair(Box<Operand>, Box<Operand>),
    /// `_`
    Sink,
    /// `!a`
    Not(Box<Operand>),
    /// `-a`, where `a` is not a constant.
    Minus(Box<Operand>),
    /// `a.b0`: a selector of a scalar register, without the period.
    Selected(Box<Operand>, Box<str>),
    /// The parenthesized lists of `call`.
    Arguments(Vec<Operand>),
    /// Something that is wrong for another reason and already reported: fits everywhere.
    Unknown,
    /// A form that no instruction takes, such as `-(r+1)` or `r*2`.
    Invalid,
}
