//! The words of declarations and what they require, as measured with ptxas 13.5.

use crate::{
    target::{Gate, Suffix, Target, Version},
    types::Class,
};

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
    pub fn word(self) -> &'static str {
        match self {
            VariableType::Basic(class) => class.dotted(),
            VariableType::Opaque(Opaque::Texture) => ".texref",
            VariableType::Opaque(Opaque::Sampler) => ".samplerref",
            VariableType::Opaque(Opaque::Surface) => ".surfref",
            VariableType::Packed { word, .. } => word,
        }
    }
}

/// Types that ptxas does not read in declarations, and a type of the same width that it reads.
const STAND_INS: &[(&str, &str)] = &[
    (".bf16", ".b16"),
    (".bf16x2", ".b32"),
    (".tf32", ".b32"),
    (".u8x4", ".b32"),
    (".s8x4", ".b32"),
    (".b1", ".pred"),
    (".u4", ".u8"),
    (".s4", ".s8"),
];

/// The type that a variable has instead of one that only instructions know; that of a scalar for types
/// that only arrays may have.
#[must_use]
pub fn stand_in(word: &str) -> Option<&'static str> {
    if let Some((_, other)) = STAND_INS.iter().find(|it| it.0 == word) {
        return Some(other);
    }
    let bits = crate::types::type_of(word.strip_prefix('.')?)?.bits;
    [".b8", ".b16", ".b32", ".b64", ".b128"]
        .into_iter()
        .find(|it| it.strip_prefix(".b").and_then(|it| it.parse().ok()) == Some(bits))
}

/// Every type that a variable may have, and the vectors: the spellings.
pub fn type_words() -> impl Iterator<Item = &'static str> {
    const FUNDAMENTAL: [&str; 18] = [
        ".b8", ".b16", ".b32", ".b64", ".b128", ".u8", ".u16", ".u32", ".u64", ".s8", ".s16",
        ".s32", ".s64", ".f16", ".f16x2", ".f32", ".f64", ".pred",
    ];
    FUNDAMENTAL
        .into_iter()
        .chain([".texref", ".samplerref", ".surfref", ".v2", ".v4"])
}

/// The requirements of a variable of this type. ptxas looks at some types of scalars and of single elements only.
#[must_use]
pub fn gate(ty: VariableType, vector: bool, array: bool) -> Gate {
    let since = |major, minor, target| Gate {
        since: Some(Version::new(major, minor)),
        targets: vec![Target {
            number: target,
            suffix: Suffix::Plain,
        }],
        ..Gate::default()
    };
    match ty {
        VariableType::Basic(Class::F16x2) if !vector => since(4, 2, 53),
        VariableType::Basic(Class::B128) if !array => since(8, 3, 70),
        VariableType::Opaque(_) if !array => since(1, 5, 10),
        _ => Gate::default(),
    }
}

/// The largest vector of a variable, in bits.
pub const MAX_VECTOR_BITS: u32 = 128;

/// The largest alignment of a variable, in bytes.
pub const MAX_ALIGNMENT: u64 = 1 << 31;

/// The largest alignment of a parameter, in bytes.
pub const MAX_PARAMETER_ALIGNMENT: u64 = 128;

/// The versions that know `.tex` variables; textures have been `.global .texref` since.
#[must_use]
pub fn texture_space_gate() -> Gate {
    Gate {
        until: Some(Version::new(1, 4)),
        ..Gate::default()
    }
}

/// The versions that know constant banks, `.const[2]`.
#[must_use]
pub fn bank_gate() -> Gate {
    Gate {
        since: Some(Version::new(1, 5)),
        until: Some(Version::new(2, 1)),
        ..Gate::default()
    }
}

/// The last constant bank that a variable may name. Bank 0 is for the variables of the module, the others
/// for `.extern` arrays of unknown size.
pub const LAST_BANK: u64 = 10;

/// The versions that know registers and `.local` variables of the module: those without an ABI.
#[must_use]
pub fn module_register_gate() -> Gate {
    Gate {
        until: Some(Version::new(2, 3)),
        ..Gate::default()
    }
}

/// Where a `.param` may appear in a body: not before 2.0, when it declared a parameter of an entry.
#[must_use]
pub fn body_parameter_gate(entry: bool, version: Version) -> Gate {
    if entry && version < Version::new(1, 4) {
        return Gate::default();
    }
    Gate {
        since: Some(Version::new(2, 0)),
        ..Gate::default()
    }
}

/// An attribute of variables in `.attribute(…)`, PTX ISA 5.4.8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The spelling.
    pub word: &'static str,
    /// How many numbers follow in parentheses.
    pub numbers: usize,
    /// Whether ptxas requires `--compile-only`.
    pub compile_only: bool,
}

/// The attributes.
pub const ATTRIBUTES: [Attribute; 2] = [
    Attribute {
        word: ".managed",
        numbers: 0,
        compile_only: false,
    },
    Attribute {
        word: ".unified",
        numbers: 2,
        compile_only: true,
    },
];

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
                VariableType::from_word(word).map(VariableType::word),
                Some(word)
            );
        }
        for word in [".bf16", ".tf32", ".b1", ".u8x4", ".shared::cta"] {
            assert_eq!(VariableType::from_word(word), None, "{word}");
            assert_eq!(StateSpace::from_word(word), None, "{word}");
        }
        for word in type_words() {
            assert!(VariableType::from_word(word).is_some() || vector_length(word).is_some());
        }
    }

    #[test]
    fn types_of_instructions_have_others_in_their_place() {
        assert_eq!(stand_in(".bf16"), Some(".b16"));
        assert_eq!(stand_in(".e4m3x2"), Some(".b16"));
        assert_eq!(stand_in(".foo"), None);
    }

    #[test]
    fn what_types_demand() {
        let b128 = VariableType::Basic(Class::B128);
        assert_eq!(gate(b128, false, false).since, Some(Version::new(8, 3)));
        assert!(gate(b128, false, true).is_open());
        assert!(body_parameter_gate(true, Version::new(1, 3)).is_open());
        assert!(!body_parameter_gate(true, Version::new(1, 4)).admits_version(Version::new(1, 4)));
    }
}
