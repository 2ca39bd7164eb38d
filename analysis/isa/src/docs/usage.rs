//! How often real code uses which heads, for the order of completions.
//!
//! Counted in 1,347 files of many producers (CUDA, Triton, hand-written kernels and others) in 2026.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// Head (`ld.global.f32`) and how often it occurs, by opcode.
static USAGE: LazyLock<FxHashMap<&'static str, Vec<(&'static str, u32)>>> = LazyLock::new(|| {
    let mut usage: FxHashMap<_, Vec<_>> = FxHashMap::default();
    let rows = include_str!("../../tables/usage.txt").lines();
    for (count, head) in rows.filter_map(|it| it.split_once(' ')) {
        let (opcode, words) = head.split_once('.').unwrap_or((head, ""));
        if let Ok(count) = count.parse() {
            usage.entry(opcode).or_default().push((words, count));
        }
    }
    usage
});

/// How often an opcode occurs.
#[must_use]
pub fn of_opcode(opcode: &str) -> u32 {
    let rows = USAGE.get(opcode).map_or(&[][..], Vec::as_slice);
    rows.iter().map(|it| it.1).sum()
}

/// How often the opcode occurs with these words first and one of the others next, by that word.
#[must_use]
pub fn next_words(opcode: &str, before: &[&str]) -> FxHashMap<&'static str, u32> {
    let mut next: FxHashMap<_, u32> = FxHashMap::default();
    for (words, count) in USAGE.get(opcode).map_or(&[][..], Vec::as_slice) {
        let mut words = words.split('.').filter(|it| !it.is_empty());
        if before.iter().all(|it| words.next() == Some(it))
            && let Some(word) = words.next()
        {
            *next.entry(word).or_default() += count;
        }
    }
    next
}

/// An operand by its number, and its constants.
type Constants = (usize, Vec<&'static str>);

/// The operands that are mostly constants, by head.
static CONSTANTS: LazyLock<FxHashMap<&'static str, Vec<Constants>>> = LazyLock::new(|| {
    let mut constants: FxHashMap<_, Vec<Constants>> = FxHashMap::default();
    let rows = include_str!("../../tables/constants.txt").lines();
    for row in rows.filter(|it| !it.starts_with('#')) {
        let mut parts = row.split(' ');
        if let (Some(head), Some(Ok(operand))) = (parts.next(), parts.next().map(str::parse)) {
            constants
                .entry(head)
                .or_default()
                .push((operand, parts.collect()));
        }
    }
    constants
});

/// The constants that real code writes most, as text, in the operand with this number (from 0) of a head (`shl.b32`);
/// none if at least a third of it writes something else there.
#[must_use]
pub fn constants(head: &str, operand: usize) -> &'static [&'static str] {
    let operands = CONSTANTS.get(head).map_or(&[][..], Vec::as_slice);
    let found = operands.iter().find(|it| it.0 == operand);
    found.map_or(&[], |it| it.1.as_slice())
}

/// Special registers that real code reads, the most frequent first, with their components.
const SPECIAL: &[&str] = &[
    "%tid.x",
    "%ctaid.x",
    "%laneid",
    "%ntid.x",
    "%nctaid.x",
    "%ctaid.y",
    "%tid.y",
    "%ctaid.z",
    "%nctaid.y",
    "%ntid.y",
    "%tid.z",
    "%ntid.z",
    "%lanemask_ge",
    "%nctaid.z",
    "%lanemask_le",
    "%lanemask_gt",
    "%lanemask_lt",
    "%smid",
    "%cluster_ctarank",
    "%globaltimer",
    "%warpid",
    "%clock",
    "%clock64",
    "%clusterid.x",
];

/// The place of a special register, with its component, among those that real code reads; the first are read most.
#[must_use]
pub fn rank_of_special(name: &str) -> usize {
    let known = SPECIAL.iter().position(|it| *it == name);
    known.unwrap_or(SPECIAL.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranked_special_registers_exist() {
        for name in SPECIAL {
            let (register, component) = name.split_once('.').map_or((*name, ""), |it| it);
            let mut all = crate::special::SPECIAL_REGISTERS.iter();
            let found = all.find(|it| it.name == register).expect(name);
            let components = found.components.iter();
            assert!(component.is_empty() || components.clone().any(|it| it[1..] == *component));
        }
        assert!(rank_of_special("%tid.x") < rank_of_special("%envreg0"));
    }

    #[test]
    fn frequent_constants_are_numbers() {
        assert_eq!(constants("bar.sync", 0), ["0"]);
        assert!(constants("add.u32", 0).is_empty());
        for (head, operands) in &*CONSTANTS {
            for text in operands.iter().flat_map(|it| &it.1) {
                let number = text.trim_start_matches('-');
                let number = number.strip_prefix("0x").map_or_else(
                    || number.parse().ok(),
                    |it| u64::from_str_radix(it, 16).ok(),
                );
                assert!(number.is_some(), "{head}: {text}");
            }
        }
    }

    #[test]
    fn real_code_loads_from_global_memory() {
        assert!(of_opcode("ld") > of_opcode("ldu"));
        let next = next_words("ld", &[]);
        assert!(next["global"] > next["volatile"]);
        assert!(next_words("ld", &["global"]).contains_key("f32"));
        assert!(next_words("no", &[]).is_empty());
    }
}
