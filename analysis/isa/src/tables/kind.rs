//! Kinds of operands.

use std::borrow::Cow;

use super::condition::{Choices, Condition, Expression};
use crate::operands::{
    operand::Symbol,
    types::{Classes, Type, type_of},
};

/// A type that a kind refers to.
#[derive(Debug, Clone)]
pub enum TypeRef {
    /// The type in a slot.
    Slot(u8),
    /// This type.
    Word(&'static str),
    /// The type of twice the width.
    Wide(Box<TypeRef>),
    /// The untyped bits of the same width.
    Untyped(Box<TypeRef>),
    /// The untyped bits of so many elements that are as wide as the type together, of 8 bits at least.
    Part(Box<TypeRef>, u32),
}

impl TypeRef {
    pub(crate) fn resolve(&self, choices: &Choices<'_>) -> Option<Type> {
        type_of(&self.word(choices)?)
    }

    /// The type word, without the period, if its slot has one.
    #[must_use]
    pub fn word(&self, choices: &Choices<'_>) -> Option<Cow<'static, str>> {
        Some(match self {
            TypeRef::Slot(slot) => choices.word(*slot)?.into(),
            TypeRef::Word(word) => (*word).into(),
            TypeRef::Wide(inner) => {
                let word = inner.word(choices)?;
                let digits = word.find(|c: char| c.is_ascii_digit())?;
                let bits = word[digits..].parse::<u32>().ok()? * 2;
                format!("{}{bits}", &word[..digits]).into()
            }
            TypeRef::Untyped(inner) => format!("b{}", inner.resolve(choices)?.bits).into(),
            TypeRef::Part(inner, count) => {
                let bits = inner.resolve(choices)?.bits.checked_div(*count)?;
                format!("b{}", bits.max(8)).into()
            }
        })
    }
}

/// Where the address of a bracket may point.
#[derive(Debug, Clone)]
pub enum SpaceRef {
    /// The state space in a slot; generic if the slot is empty.
    Slot(u8),
    /// This space.
    Word(&'static str),
}

impl SpaceRef {
    /// The state space; empty for generic addresses.
    #[must_use]
    pub fn word(&self, choices: &Choices<'_>) -> &'static str {
        match self {
            SpaceRef::Slot(slot) => choices.word(*slot).unwrap_or(""),
            SpaceRef::Word(word) => word,
        }
    }
}

/// Integers that an immediate may be.
#[derive(Debug, Clone)]
pub enum Integers {
    /// Any.
    Any,
    /// From the first to the second in steps of the third.
    Range(Expression, Expression, i64),
    /// The same, of the low 32 bits.
    Low32(Expression, Expression, i64),
    /// One of these.
    List(Vec<i64>),
}

/// Which registers may hold an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressWidth {
    /// Integer registers of 8 to 64 bits.
    Any,
    /// 16 to 64 bits.
    From16,
    /// 32 and 64 bits.
    From32,
    /// 64 bits.
    Only64,
    /// 32 bits.
    Only32,
    /// 8 bits.
    Only8,
}

/// One thing that an operand may be.
#[derive(Debug, Clone)]
pub enum Kind {
    /// A register that holds the type exactly.
    Register(TypeRef),
    /// The same, or a constant of the type, or a register plus a constant.
    Source(TypeRef),
    /// A constant of the type.
    Constant(TypeRef),
    /// A register at least as wide as the type, as `ld`, `st` and `cvt` take it.
    Loose(TypeRef),
    /// A register of one of these classes.
    Classes(Classes),
    /// The same, or a register of one of these classes plus a constant.
    ClassesOffset(Classes),
    /// An integer constant.
    Integer(Integers),
    /// A float constant.
    Float,
    /// A float constant in `0f` notation.
    Hex32,
    /// A float constant above 0 and up to 1, as an `.f32`.
    Fraction,
    /// A predicate register, perhaps negated.
    Predicate {
        /// Whether `!p` may stand for `p`.
        negatable: bool,
    },
    /// `{…}` of so many elements, or a vector register.
    Vector(VectorKind),
    /// `{…}` with kinds of its own for each element.
    Tuple(Vec<Vec<Kind>>),
    /// The kind, where the condition holds.
    When(Box<Kind>, Condition),
    /// The contents of `[a]`.
    Address(SpaceRef, AddressWidth),
    /// A special register of this width, or of 32 bits for 16.
    Special(TypeRef),
    /// A special register at least as wide as the type.
    LooseSpecial(TypeRef),
    /// The name of a variable, or one plus a constant; in one state space if one is given.
    VariableName(Option<SpaceRef>),
    /// The name of a function or entry, or one plus a constant.
    FunctionName,
    /// The name of one of these.
    Name(Symbol),
    /// `_`
    Sink,
    /// `-a`
    Minus(Box<Kind>),
    /// `a.b0`: one of these selectors after an operand of the kind; `[0-3]` in one is a digit.
    Selected(Box<Kind>, Vec<Cow<'static, str>>),
    /// The kind, but none of the others.
    Except(Box<Kind>, Vec<Kind>),
    /// One of these without the brackets of the address that it stands for: ptxas ignores them where
    /// another operand of the instruction is a bracket of several.
    Bare(Vec<Kind>),
    /// `table[4]`, where ptxas takes it for `[table+4]`.
    Element,
    /// Any register, and the names of textures, samplers and surfaces.
    AnyRegister,
    /// Anything: the operands of `call` are checked against the callee.
    Any,
}

/// The kinds that a vector may be.
#[derive(Debug, Clone)]
pub struct VectorKind {
    /// Number of elements.
    pub count: Expression,
    /// The kinds that an element may be.
    pub element: Vec<Kind>,
    /// Whether some elements may be `_`.
    pub sink: bool,
    /// Whether constants may appear among the registers.
    pub constants: bool,
    /// Whether special registers may appear among the registers, as untyped bits.
    pub specials: bool,
    /// Which element is the index of an array of textures, from 1 on; none or 0 if none is.
    pub index: Option<Expression>,
    /// Whether each element must be of the kinds, not only the vector as a whole: ptxas replaces the
    /// instruction by others that take the elements one by one.
    pub each: bool,
    /// Other kinds that each element must be of besides; empty if there are none.
    pub also: Vec<Kind>,
    /// Whether an integer constant as the first element speaks for the whole vector, even for integers only.
    pub first: bool,
    /// Whether no constant in front speaks for the others.
    pub strict: bool,
    /// Whether a vector of constants only is judged as a whole, too, not element by element.
    pub whole: bool,
    /// How many elements each of the instructions takes by which ptxas replaces this one: each of these parts
    /// must be a legal vector. 0 or none if it does not.
    pub parts: Option<Expression>,
}
