//! The words of declarations, as measured with ptxas 13.5: state spaces and types.

use crate::types::Class;

/// The state space of a variable or parameter, PTX ISA 5.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateSpace {
    /// `.reg`
    Register,
    /// `.const`
    Const,
    /// `.global`
    Global,
    /// `.local`
    Local,
    /// `.param`
    Parameter,
    /// `.shared`
    Shared,
    /// `.tex`, the textures of PTX ISA 1.0 to 1.4.
    Texture,
}

use StateSpace::{Const, Global, Local, Parameter, Register, Shared, Texture};

const SPACES: [(&str, StateSpace); 7] = [
    (".reg", Register),
    (".const", Const),
    (".global", Global),
    (".local", Local),
    (".param", Parameter),
    (".shared", Shared),
    (".tex", Texture),
];

impl StateSpace {
    /// The state space with this spelling; those with a part after `::` are none of variables.
    #[must_use]
    pub fn from_word(word: &str) -> Option<StateSpace> {
        SPACES.iter().find(|it| it.0 == word).map(|it| it.1)
    }

    /// The spelling.
    #[must_use]
    pub fn word(self) -> &'static str {
        SPACES[self as usize].0
    }
}

/// An opaque type, PTX ISA 5.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Opaque {
    /// `.texref`
    Texture,
    /// `.samplerref`
    Sampler,
    /// `.surfref`
    Surface,
}

/// The type of a variable or parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableType {
    /// A fundamental type.
    Basic(Class),
    /// An opaque type.
    Opaque(Opaque),
    /// A type of instructions that ptxas reads in declarations too: for arrays, and some for scalars.
    Packed {
        /// The spelling.
        word: &'static str,
        /// Whether a scalar may have it.
        scalar: bool,
    },
}

/// Types of instructions that arrays may have. The manual has no variables of them.
const ONLY_ARRAYS: &[&str] = &[
    ".f32x2", ".u16x2", ".s16x2", ".e4m3", ".e5m2", ".e4m3x2", ".e5m2x2", ".e4m3x4", ".e5m2x4",
    ".e2m1x2", ".e2m3x2", ".e3m2x2", ".ue8m0x2", ".s2f6x2",
];
/// Types of instructions that scalars and arrays may have.
const ALSO_SCALARS: &[&str] = &[".e2m1x4", ".e2m3x4", ".e3m2x4", ".ue8m0x4"];

impl VariableType {
    /// The type with this spelling; `None` for those that only instructions know.
    #[must_use]
    pub fn from_word(word: &str) -> Option<VariableType> {
        let packed = |list: &'static [&'static str], scalar| {
            let word = list.iter().find(|it| **it == word)?;
            Some(VariableType::Packed { word, scalar })
        };
        let opaque = match word {
            ".texref" => Some(Opaque::Texture),
            ".samplerref" => Some(Opaque::Sampler),
            ".surfref" => Some(Opaque::Surface),
            _ => None,
        };
        word.strip_prefix('.')
            .and_then(Class::from_word)
            .map(VariableType::Basic)
            .or(opaque.map(VariableType::Opaque))
            .or_else(|| packed(ONLY_ARRAYS, false))
            .or_else(|| packed(ALSO_SCALARS, true))
    }

    /// The spelling.
    #[must_use]
    pub fn word(self) -> String {
        match self {
            VariableType::Basic(class) => format!(".{}", class.word()),
            VariableType::Opaque(Opaque::Texture) => ".texref".to_owned(),
            VariableType::Opaque(Opaque::Sampler) => ".samplerref".to_owned(),
            VariableType::Opaque(Opaque::Surface) => ".surfref".to_owned(),
            VariableType::Packed { word, .. } => word.to_owned(),
        }
    }
}

/// The number of elements of the vector of a declaration; `.v8` is a word of instructions only.
#[must_use]
pub fn vector_length(word: &str) -> Option<u8> {
    match word {
        ".v2" => Some(2),
        ".v4" => Some(4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_spellings() {
        for (word, space) in SPACES {
            assert_eq!(StateSpace::from_word(word), Some(space));
            assert_eq!(space.word(), word);
        }
        for word in [
            ".b32",
            ".f16x2",
            ".pred",
            ".texref",
            ".samplerref",
            ".surfref",
            ".e4m3",
            ".ue8m0x4",
        ] {
            assert_eq!(
                VariableType::from_word(word)
                    .map(VariableType::word)
                    .as_deref(),
                Some(word)
            );
        }
        for word in [".bf16", ".tf32", ".b1", ".u8x4", ".shared::cta"] {
            assert_eq!(VariableType::from_word(word), None, "{word}");
            assert_eq!(StateSpace::from_word(word), None, "{word}");
        }
    }
}
