//! Type words, register classes and constants.

/// Declared type of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the type words of PTX ISA 5.2.1")]
pub enum Class {
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    F32,
    F64,
    Pred,
}

/// The meaning of the bits of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Untyped bits.
    Bits,
    /// Unsigned or signed integer.
    Integer,
    /// Floating point.
    Float,
    /// Predicate.
    Predicate,
}

use Class::*;

/// Every class with its spelling in declarations, without the period.
pub const CLASSES: [(&str, Class); 18] = [
    ("b8", B8),
    ("b16", B16),
    ("b32", B32),
    ("b64", B64),
    ("b128", B128),
    ("u8", U8),
    ("u16", U16),
    ("u32", U32),
    ("u64", U64),
    ("s8", S8),
    ("s16", S16),
    ("s32", S32),
    ("s64", S64),
    ("f16", F16),
    ("f16x2", F16x2),
    ("f32", F32),
    ("f64", F64),
    ("pred", Pred),
];

/// The spellings of [`CLASSES`] with the period.
const DOTTED: [&str; 18] = [
    ".b8", ".b16", ".b32", ".b64", ".b128", ".u8", ".u16", ".u32", ".u64", ".s8", ".s16", ".s32",
    ".s64", ".f16", ".f16x2", ".f32", ".f64", ".pred",
];

impl Class {
    /// The class with this spelling, without the period.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Class> {
        CLASSES.iter().find(|it| it.0 == word).map(|it| it.1)
    }

    /// The spelling without the period.
    #[must_use]
    pub fn word(self) -> &'static str {
        CLASSES[self as usize].0
    }

    /// The spelling.
    #[must_use]
    pub fn dotted(self) -> &'static str {
        DOTTED[self as usize]
    }

    /// Width in bits; 1 for predicates.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            B8 | U8 | S8 => 8,
            B16 | U16 | S16 | F16 => 16,
            B32 | U32 | S32 | F32 | F16x2 => 32,
            B64 | U64 | S64 | F64 => 64,
            B128 => 128,
            Pred => 1,
        }
    }

    /// The meaning of the bits. `f16x2` counts as untyped bits: ptxas takes it for any 32-bit integer.
    #[must_use]
    pub fn family(self) -> Family {
        match self {
            B8 | B16 | B32 | B64 | B128 | F16x2 => Family::Bits,
            U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 => Family::Integer,
            F16 | F32 | F64 => Family::Float,
            Pred => Family::Predicate,
        }
    }
}

/// A set of register classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Classes(u32);

impl Classes {
    /// The set of these classes.
    #[must_use]
    pub const fn of(list: &[Class]) -> Classes {
        let mut bits = 0;
        let mut i = 0;
        while i < list.len() {
            bits |= 1 << list[i] as u32;
            i += 1;
        }
        Classes(bits)
    }

    /// Whether the class is in the set.
    #[must_use]
    pub fn contains(self, class: Class) -> bool {
        self.0 & (1 << class as u32) != 0
    }

    /// Both sets together.
    #[must_use]
    pub fn union(self, other: Classes) -> Classes {
        Classes(self.0 | other.0)
    }

    /// The classes in the set.
    pub fn iter(self) -> impl Iterator<Item = Class> {
        CLASSES
            .iter()
            .map(|it| it.1)
            .filter(move |it| self.contains(*it))
    }
}

/// Which constants may stand for a value of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Constants {
    /// Integers, of any size: ptxas does not check the range of data.
    pub integer: bool,
    /// Floats in decimal notation.
    pub decimal: bool,
    /// `0f` floats.
    pub hex32: bool,
    /// `0d` floats.
    pub hex64: bool,
}

/// A type word of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// Width in bits of the whole, packed elements together.
    pub bits: u32,
    /// The registers that hold a value of the type where the width must be exact.
    pub registers: Classes,
    /// The constants that may stand for one.
    pub constants: Constants,
}

const NONE: Constants = Constants {
    integer: false,
    decimal: false,
    hex32: false,
    hex64: false,
};
const INTEGER: Constants = Constants {
    integer: true,
    ..NONE
};
const FLOAT: Constants = Constants {
    decimal: true,
    hex32: true,
    hex64: true,
    ..NONE
};

const fn ty(bits: u32, registers: &[Class], constants: Constants) -> Type {
    Type {
        bits,
        registers: Classes::of(registers),
        constants,
    }
}

/// The type with this word, without the period. Registers and constants as measured with ptxas 13.5.
#[must_use]
pub fn type_of(word: &str) -> Option<Type> {
    Some(match word {
        "b8" => ty(8, &[B8, U8, S8], INTEGER),
        "u8" | "s8" => ty(8, &[B8, U8, S8], INTEGER),
        "b16" => ty(16, &[B16, U16, S16, F16], INTEGER),
        "u16" | "s16" => ty(16, &[B16, U16, S16], INTEGER),
        "b32" => ty(
            32,
            &[B32, U32, S32, F32, F16x2],
            Constants {
                hex32: true,
                ..INTEGER
            },
        ),
        "u32" | "s32" => ty(32, &[B32, U32, S32, F16x2], INTEGER),
        "b64" => ty(
            64,
            &[B64, U64, S64, F64],
            Constants {
                hex64: true,
                decimal: true,
                ..INTEGER
            },
        ),
        "u64" | "s64" => ty(64, &[B64, U64, S64], INTEGER),
        "b128" => ty(128, &[B128], INTEGER),
        "f16" => ty(16, &[B16, F16], NONE),
        "bf16" => ty(16, &[B16], NONE),
        "f32" => ty(32, &[B32, F32], FLOAT),
        "f64" => ty(64, &[B64, F64], FLOAT),
        "tf32" => ty(32, &[B32], NONE),
        "f16x2" => ty(32, &[B32, F16x2], NONE),
        "bf16x2" => ty(32, &[B32], NONE),
        "u16x2" | "s16x2" | "u8x4" | "s8x4" => ty(32, &[B32, F16x2], NONE),
        "f32x2" => ty(64, &[B64], NONE),
        "e4m3" | "e5m2" | "e2m3" | "e3m2" | "ue8m0" | "ue4m3" => ty(8, &[B8, U8, S8], NONE),
        "e2m1x2" => ty(8, &[B8], NONE),
        "e4m3x2" | "e5m2x2" | "e2m3x2" | "e3m2x2" | "ue8m0x2" | "ue5m3x2" | "s2f6x2" | "e2m1x4" => {
            ty(16, &[B16], NONE)
        }
        "e4m3x4" | "e5m2x4" | "e2m3x4" | "e3m2x4" | "ue8m0x4" | "e2m1p4x4" => ty(32, &[B32], NONE),
        "pred" => ty(1, &[Pred], INTEGER),
        "e2m1" | "u4" | "s4" => ty(4, &[], NONE),
        "b1" => ty(1, &[], NONE),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_those_of_the_classes() {
        for (word, class) in CLASSES {
            assert_eq!((class.word(), &class.dotted()[1..]), (word, word));
            assert_eq!(Class::from_word(word), Some(class));
        }
    }
}
