//! What directives demand, and where they may stand, as measured with ptxas 13.5.

use crate::target::{Gate, Suffix, Target, Version};

/// Least version, last version, number of the least target, and the directives that demand them.
type Row = ((u8, u8), Option<(u8, u8)>, u16, &'static [&'static str]);

const GATES: &[Row] = &[
    ((1, 3), None, 10, &[".maxnreg", ".maxntid"]),
    ((1, 3), Some((2, 0)), 10, &[".maxnctapersm"]),
    ((2, 0), None, 10, &[".minnctapersm", ".pragma", ".section"]),
    ((2, 1), None, 10, &[".reqntid"]),
    ((2, 1), None, 20, &[".calltargets", ".callprototype"]),
    ((2, 2), None, 10, &[".ptr"]),
    ((2, 3), None, 10, &[".address_size"]),
    ((3, 1), None, 10, &[".weak"]),
    ((4, 0), None, 30, &[".managed"]),
    ((5, 0), None, 10, &[".common"]),
    // The manual says 6.0.
    ((5, 1), None, 30, &[".branchtargets"]),
    ((6, 3), None, 30, &[".alias"]),
    ((6, 4), None, 30, &[".noreturn"]),
    (
        (7, 8),
        None,
        90,
        &[".reqnctapercluster", ".explicitcluster", ".maxclusterrank"],
    ),
    // Undocumented.
    ((8, 8), None, 10, &[".local_maxnreg"]),
    (
        (9, 0),
        None,
        80,
        &[".abi_preserve", ".abi_preserve_control"],
    ),
    ((9, 0), None, 90, &[".blocksareclusters"]),
    // The manual says 9.3.
    ((9, 2), None, 10, &[".language"]),
    (
        (9, 4),
        None,
        10,
        &[".loc_intermediate", ".nv_intermediate_source_section"],
    ),
    ((9, 4), None, 80, &[".minperctamemory"]),
];

/// What a directive demands; an open gate for those of PTX ISA 1.0 and for other words.
#[must_use]
pub fn gate(word: &str) -> Gate {
    let Some(((major, minor), until, target, _)) = GATES.iter().find(|it| it.3.contains(&word))
    else {
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

/// Directives between the header of an `.entry` and its body, PTX ISA 11.4, 11.7 and 11.8.
pub const OF_ENTRY: &[&str] = &[
    ".maxnreg",
    ".maxntid",
    ".reqntid",
    ".minnctapersm",
    ".maxnctapersm",
    ".reqnctapercluster",
    ".maxclusterrank",
    ".explicitcluster",
    ".blocksareclusters",
    ".minperctamemory",
    ".language",
    ".pragma",
    ".local_maxnreg",
];

/// Directives between the header of a `.func` and its body.
pub const OF_FUNCTION: &[&str] = &[
    ".noreturn",
    ".abi_preserve",
    ".abi_preserve_control",
    ".language",
    ".local_maxnreg",
];

/// Words of `.target` that are no architecture.
pub const TARGET_OPTIONS: &[&str] = &[
    "texmode_unified",
    "texmode_independent",
    "debug",
    "map_f64_to_f32",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_of_words() {
        assert!(gate(".entry").is_open());
        assert_eq!(gate(".alias").since, Some(Version::new(6, 3)));
        assert_eq!(gate(".maxnctapersm").until, Some(Version::new(2, 0)));
        for word in OF_ENTRY.iter().chain(OF_FUNCTION) {
            assert!(!gate(word).is_open(), "{word}");
        }
    }
}
