//! Classification of the words that start with a period, and the widths of types.

/// The class of a dotted word, wherever it appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordClass {
    /// A type such as `.f32`, or the number of elements of a vector.
    Type,
    /// A state space such as `.global`.
    StateSpace,
    /// Anything else.
    Modifier,
}

/// State spaces, PTX ISA 5.1.
const STATE_SPACES: &[&str] = &[
    ".reg", ".sreg", ".const", ".global", ".local", ".param", ".shared", ".tex",
];

/// Types of one element and their widths in bits, PTX ISA 5.2.
#[rustfmt::skip]
const TYPES: &[(&str, u32)] = &[
    (".b1", 1), (".b4", 4), (".b8", 8), (".b16", 16), (".b32", 32), (".b64", 64), (".b128", 128),
    (".u4", 4), (".u8", 8), (".u16", 16), (".u32", 32), (".u64", 64),
    (".s4", 4), (".s8", 8), (".s16", 16), (".s32", 32), (".s64", 64),
    (".f16", 16), (".f16x2", 32), (".f32", 32), (".f32x2", 64), (".f64", 64),
    (".bf16", 16), (".bf16x2", 32), (".tf32", 32),
    (".u16x2", 32), (".s16x2", 32), (".u8x4", 32), (".s8x4", 32),
    (".e4m3", 8), (".e5m2", 8), (".e4m3x2", 16), (".e5m2x2", 16), (".e4m3x4", 32), (".e5m2x4", 32),
    (".e2m3", 6), (".e3m2", 6), (".e2m1", 4),
    (".e2m1x2", 8), (".e2m3x2", 16), (".e3m2x2", 16), (".e2m1x4", 16), (".e2m3x4", 32), (".e3m2x4", 32),
    (".ue8m0", 8), (".ue8m0x2", 16), (".ue4m3", 8), (".ue4m3x2", 16),
    (".b8x16", 128), (".b6x16_p32", 128), (".b4x16_p64", 128), (".b6p2x16", 128),
];

/// Types without a width of their own.
const OTHER_TYPES: &[&str] = &[
    ".pred",
    ".texref",
    ".samplerref",
    ".surfref",
    ".v2",
    ".v4",
    ".v8",
];

/// The class of a dotted word.
#[must_use]
pub fn classify(word: &str) -> WordClass {
    if is_state_space(word) {
        WordClass::StateSpace
    } else if type_bits(word).is_some() || OTHER_TYPES.contains(&word) {
        WordClass::Type
    } else {
        WordClass::Modifier
    }
}

/// Whether a word is a state space, with or without its part after `::`.
#[must_use]
pub fn is_state_space(word: &str) -> bool {
    let space = word.split("::").next().unwrap_or(word);
    STATE_SPACES.contains(&space)
}

/// Width of a type in bits.
#[must_use]
pub fn type_bits(word: &str) -> Option<u32> {
    TYPES.iter().find(|(name, _)| *name == word).map(|it| it.1)
}

/// Number of elements of a vector word such as `.v4`.
#[must_use]
pub fn vector_length(word: &str) -> Option<u32> {
    match word {
        ".v2" => Some(2),
        ".v4" => Some(4),
        ".v8" => Some(8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_one_class() {
        assert_eq!(classify(".shared::cluster"), WordClass::StateSpace);
        assert_eq!(classify(".bf16x2"), WordClass::Type);
        assert_eq!(classify(".v4"), WordClass::Type);
        assert_eq!(classify(".L2::cache_hint"), WordClass::Modifier);
        assert_eq!(classify(".rn"), WordClass::Modifier);
        assert_eq!(type_bits(".b128"), Some(128));
    }

    /// Where a value is narrower than what holds it, this is the width of the value.
    #[test]
    fn widths_are_those_of_registers() {
        for (word, bits) in TYPES {
            let narrow = [".e2m3", ".e3m2"].contains(word);
            if let Some(ty) = crate::types::type_of(&word[1..])
                && !narrow
            {
                assert_eq!(ty.bits, *bits, "{word}");
            }
        }
    }
}
