//! Types of values: what a type word of a statement means to an evaluator.

use super::float::Format;

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// True or false.
    Predicate,
    /// An integer, or untyped bits, which count as unsigned.
    Integer {
        /// Width in bits, 1 to 128.
        bits: u32,
        /// Whether it is signed.
        signed: bool,
    },
    /// A float.
    Float(Format),
}

/// A type: one element, or several side by side, the first lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueType {
    /// The type of an element.
    pub element: ElementType,
    /// The number of elements: 2 of `f16x2`.
    pub count: u32,
}

impl ElementType {
    /// Width in bits.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            ElementType::Predicate => 1,
            ElementType::Integer { bits, .. } => bits,
            ElementType::Float(format) => format.bits(),
        }
    }

    /// The type with this word, without the period: `s32`, `bf16`; packs have more than one element.
    #[must_use]
    pub fn from_word(word: &str) -> Option<ElementType> {
        if word == "pred" {
            return Some(ElementType::Predicate);
        }
        if let Some(format) = Format::from_word(word) {
            return Some(ElementType::Float(format));
        }
        let signed = match word.as_bytes().first()? {
            b's' => true,
            b'b' | b'u' => false,
            _ => return None,
        };
        let bits: u32 = word[1..].parse().ok()?;
        let known = matches!(bits, 1 | 2 | 4 | 8 | 16 | 32 | 64 | 128);
        known.then_some(ElementType::Integer { bits, signed })
    }
}

impl ValueType {
    /// True or false.
    pub const PREDICATE: ValueType = ValueType {
        element: ElementType::Predicate,
        count: 1,
    };

    /// The type with this word, without the period.
    #[must_use]
    pub fn from_word(word: &str) -> Option<ValueType> {
        if let Some(element) = ElementType::from_word(word) {
            return Some(ValueType { element, count: 1 });
        }
        let (element, count) = word.rsplit_once('x')?;
        let count = count.parse().ok().filter(|it| (2..=32).contains(it))?;
        let element = ElementType::from_word(element)?;
        Some(ValueType { element, count })
    }

    /// Untyped bits.
    #[must_use]
    pub fn untyped(bits: u32) -> ValueType {
        let signed = false;
        ValueType {
            element: ElementType::Integer { bits, signed },
            count: 1,
        }
    }

    /// Width in bits of all elements.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.element.bits() * self.count
    }
}
