//! The requirements of directives, and where they may appear, as measured with ptxas 13.5.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::{
    target::{Gate, Suffix, Target, Version},
    variable::VariableType,
};

/// Least version, last version, number of the least target, and the directives that need them.
pub(crate) type Row = ((u8, u8), Option<(u8, u8)>, u16, &'static [&'static str]);

pub(crate) const GATES: &[Row] = &[
    ((1, 3), None, 10, &[".maxnreg", ".maxntid"]),
    ((1, 0), Some((1, 5)), 10, &["@@DWARF"]),
    ((1, 3), Some((2, 0)), 10, &[".maxnctapersm"]),
    ((1, 5), None, 10, &[TEXMODE_INDEPENDENT]),
    ((2, 0), None, 10, &[".minnctapersm", ".pragma", ".section"]),
    ((2, 1), None, 10, &[".reqntid"]),
    ((2, 1), None, 20, &[".calltargets", ".callprototype"]),
    ((2, 2), None, 10, &[".ptr"]),
    ((2, 3), None, 10, &[".address_size"]),
    ((3, 0), None, 10, &[DEBUG]),
    ((3, 1), None, 10, &[".weak"]),
    ((3, 2), None, 10, &[FILE_TIME, SECTION_OFFSET]),
    ((4, 0), None, 30, &[".managed"]),
    ((8, 0), None, 90, &[".unified"]),
    ((5, 0), None, 10, &[".common"]),
    // The manual says 6.0.
    ((5, 1), None, 30, &[".branchtargets"]),
    ((6, 3), None, 30, &[".alias"]),
    ((6, 4), None, 30, &[".noreturn"]),
    // The manual says 7.2.
    ((7, 0), None, 10, &[SECTION_LABEL, INLINED_AT]),
    ((7, 5), None, 10, &[SECTION_DIFFERENCE, SECTION_NEGATIVE]),
    (
        (7, 8),
        None,
        90,
        &[".reqnctapercluster", ".explicitcluster", ".maxclusterrank"],
    ),
    ((8, 3), None, 50, &["used_bytes_mask"]),
    // The manual says 9.0.
    ((8, 7), None, 75, &["enable_smem_spilling"]),
    // Undocumented.
    ((8, 8), None, 10, &[".local_maxnreg"]),
    (
        (9, 0),
        None,
        80,
        &[".abi_preserve", ".abi_preserve_control"],
    ),
    ((9, 0), None, 90, &[".blocksareclusters"]),
    ((9, 0), None, 10, &["frequency"]),
    // The manual says 9.3.
    ((9, 2), None, 10, &[".language"]),
    ((9, 3), None, 10, &["mma_throughput"]),
    (
        (9, 4),
        None,
        10,
        &[".loc_intermediate", ".nv_intermediate_source_section"],
    ),
    ((9, 4), None, 80, &[".minperctamemory"]),
];

/// The option of `.target` that separates textures from samplers.
pub const TEXMODE_INDEPENDENT: &str = "texmode_independent";
/// The option of `.target` that promises debug sections.
pub const DEBUG: &str = "debug";
/// The option of `.target` that makes `.f64` mean `.f32`, for targets below [`FIRST_WITH_F64`].
pub const MAP_F64: &str = "map_f64_to_f32";
/// The first target that calculates with `.f64`.
pub const FIRST_WITH_F64: u16 = 13;
/// The time stamp and the size of a `.file`.
pub const FILE_TIME: &str = "a time stamp in `.file`";
/// `inlined_at` in a `.loc`.
pub const INLINED_AT: &str = "`inlined_at`";
/// A label in a section.
pub const SECTION_LABEL: &str = "a label in a section";
/// A label plus a number in a section.
pub const SECTION_OFFSET: &str = "a label plus a number in a section";
/// The difference of two labels in a section.
pub const SECTION_DIFFERENCE: &str = "the difference of two labels in a section";
/// A negative number in a section.
pub const SECTION_NEGATIVE: &str = "a negative number in a section";

/// The versions that check the gate of `inlined_at`: ptxas 13.5 lets it pass below 4.0.
pub const INLINED_AT_CHECKED_SINCE: Version = Version::new(4, 0);

/// The rows by what they are about: most words of a declaration are in none, and every one is looked up.
static ROWS: LazyLock<FxHashMap<&str, &Row>> = LazyLock::new(|| {
    let words = |row: &'static Row| row.3.iter().map(move |it| (*it, row));
    GATES.iter().flat_map(words).collect()
});

/// The requirements of a directive, an option of `.target`, the first word of a pragma or one of the features with a
/// name of their own above requires; an open gate for those of PTX ISA 1.0 and for other words.
#[must_use]
pub fn gate(word: &str) -> Gate {
    let Some(((major, minor), until, target, _)) = ROWS.get(word) else {
        return Gate::default();
    };
    Gate {
        since: Some(Version::new(*major, *minor)),
        until: until.map(|(major, minor)| Version::new(major, minor)),
        targets: vec![Target {
            number: *target,
            suffix: Suffix::Plain,
        }],
        below: None,
    }
}

/// Directives that ptxas 13.5 reads as such wherever they are, so that they cannot name a section.
/// Types, state spaces and most modifiers of instructions cannot either.
#[rustfmt::skip]
pub const RESERVED: &[&str] = &[
    ".abi_preserve", ".abi_preserve_control", ".address_size", ".alias", ".align", ".attribute",
    ".blocksareclusters", ".branchtargets", ".callprototype", ".calltargets", ".common", ".const",
    ".entry", ".explicitcluster", ".extern", ".file", ".func", ".global", ".language", ".loc",
    ".loc_intermediate", ".local", ".managed", ".maxclusterrank", ".maxnctapersm", ".maxnreg",
    ".maxntid", ".minnctapersm", ".minperctamemory", ".noreturn", ".nv_intermediate_source_section",
    ".param", ".pragma", ".ptr", ".reg", ".reqnctapercluster", ".reqntid", ".section", ".shared",
    ".target", ".tex", ".unified", ".v2", ".v4", ".visible", ".weak",
];

/// Whether a section may have this name, its period included. Modifiers of instructions are not
/// looked for.
#[must_use]
pub fn may_name_section(word: &str) -> bool {
    !RESERVED.contains(&word) && VariableType::from_word(word).is_none()
}

/// Words of `.target` that are not architecture.
pub const TARGET_OPTIONS: &[&str] = &["texmode_unified", TEXMODE_INDEPENDENT, DEBUG, MAP_F64];

/// A pragma, chapter 11.7 of the manual; [`gate`] of its name is what it requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pragma {
    /// Its first word. As in ptxas 13.5, a string is the pragma when it starts so, blanks aside.
    pub name: &'static str,
    /// Whether it means something inside a body only.
    pub of_bodies: bool,
}

const fn pragma(name: &'static str, of_bodies: bool) -> Pragma {
    Pragma { name, of_bodies }
}

/// Every pragma.
pub const PRAGMAS: &[Pragma] = &[
    pragma("nounroll", false),
    pragma("used_bytes_mask", true),
    pragma("enable_smem_spilling", true),
    pragma("frequency", true),
    pragma("mma_throughput", true),
];

/// The names of source languages that `.language` takes, in any case.
pub const LANGUAGES: &[&str] = &[
    "unknown",
    "ptx",
    "nvvm",
    "cuda c++",
    "cuda c++ tile",
    "tile ir",
    "python-cutile",
    "fortran",
    "optix",
];

/// The largest number of a language that `.language` takes.
pub const LAST_LANGUAGE: u64 = 10;

/// The data words of a `.section`, with the width of a value in bytes.
pub const SECTION_DATA: &[(&str, u8)] = &[
    (".b8", 1),
    (".byte", 1),
    (".b16", 2),
    (".b32", 4),
    (".4byte", 4),
    (".b64", 8),
    (".quad", 8),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::performance::TUNING;

    #[test]
    fn gates_of_words() {
        assert!(gate(".entry").is_open());
        assert_eq!(gate(".alias").since, Some(Version::new(6, 3)));
        assert_eq!(gate(".maxnctapersm").until, Some(Version::new(2, 0)));
        for directive in TUNING {
            assert!(!gate(directive.word).is_open(), "{}", directive.word);
        }
    }
}
