//! The type under which an operand is read and shown: one number, or several in one register.

use isa::types::Class;

use crate::{debug::Type, description::Element};

/// The type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A truth value.
    Predicate,
    /// So many numbers next to each other, the first one in the lowest bits.
    Numbers(Element, u32),
}

impl Form {
    /// Returns the type of a word without its period: `f32`, `f16x2`, `pred`.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Form> {
        if word == Class::Pred.word() {
            return Some(Form::Predicate);
        }
        if let Some(it) = Element::from_word(word) {
            return Some(Form::Numbers(it, 1));
        }
        let (element, count) = word.rsplit_once('x')?;
        let count = count.parse().ok().filter(|it| (2..=16).contains(it))?;
        Some(Form::Numbers(Element::from_word(element)?, count))
    }

    /// Returns the type of a register, from its class alone.
    #[must_use]
    pub fn of_class(class: Class) -> Form {
        let plain = || match Type::of_register(class) {
            Type::Predicate => Form::Predicate,
            Type::Number(it) => Form::Numbers(it, 1),
        };
        Form::from_word(class.word()).unwrap_or_else(plain)
    }

    /// Returns the type of one value in a register of a class.
    pub(super) fn type_of(self, class: Class) -> Type {
        match self {
            Form::Predicate => Type::Predicate,
            Form::Numbers(element, 1) => Type::Number(element),
            Form::Numbers(..) => Type::of_register(class),
        }
    }

    /// Returns its bits; 1 for a truth value.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Form::Predicate => 1,
            Form::Numbers(element, count) => element.bits() * count,
        }
    }

    /// Returns its word, without a period.
    #[must_use]
    pub fn word(self) -> String {
        match self {
            Form::Predicate => Class::Pred.word().to_owned(),
            Form::Numbers(element, 1) => element.word(),
            Form::Numbers(element, count) => format!("{}x{count}", element.word()),
        }
    }

    /// Returns the value of bits as a text: a number, or `{first, second}`.
    #[must_use]
    pub fn show(self, bits: u64) -> String {
        match self {
            Form::Predicate => (bits & 1 == 1).to_string(),
            Form::Numbers(element, 1) => Type::Number(element).show(bits, false),
            Form::Numbers(element, count) => {
                let width = element.bits();
                let all = (0..count).map(|it| {
                    let part = bits.checked_shr(it * width).unwrap_or(0);
                    Type::Number(element).show(part, false)
                });
                format!("{{{}}}", all.collect::<Vec<_>>().join(", "))
            }
        }
    }
}
