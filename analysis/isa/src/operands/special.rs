//! The special registers, PTX ISA chapter 10, with what they require as measured with ptxas 13.5.

use std::{ops::Range, sync::LazyLock};

use rustc_hash::FxHashMap;

use crate::{
    target::{Gate, Suffix, Target, Version},
    types::Class,
};

/// A predefined, read-only register.
#[derive(Debug, PartialEq, Eq)]
pub struct SpecialRegister {
    /// The name; a `#` stands for the number of numbered ones.
    pub name: &'static str,
    /// The numbers; empty for those without one.
    numbers: Range<u32>,
    /// Its type, with the period.
    pub ty: &'static str,
    /// The components of a vector, as selectors; empty for a scalar.
    pub components: &'static [&'static str],
    /// Version and number of the target that it needs; none for those of PTX ISA 1.0.
    least: Option<(Version, u16)>,
    /// The largest value in every launch, of a vector in each component; `u32::MAX` if nothing bounds it. CUDA C++
    /// programming guide, technical specifications per compute capability.
    most: [u32; 3],
    /// Its contents, as one sentence.
    pub description: &'static str,
}

impl SpecialRegister {
    /// The name with the number of a numbered register.
    #[must_use]
    pub fn written(&self, number: Option<u32>) -> String {
        match number {
            Some(number) => self.name.replace('#', &number.to_string()),
            None => self.name.to_owned(),
        }
    }

    /// Its requirements on a module.
    #[must_use]
    pub fn gate(&self) -> Gate {
        self.least.map_or_else(Gate::default, |(since, number)| {
            let suffix = Suffix::Plain;
            Gate {
                since: Some(since),
                targets: vec![Target { number, suffix }],
                ..Gate::default()
            }
        })
    }

    /// The register class that it is read as; `None` if ptxas takes several widths: `%gridid` had 32 bits
    /// before PTX ISA 3.0 and has 64 since, and either is still read as the other.
    #[must_use]
    pub fn class(&self) -> Option<Class> {
        if self.name == "%gridid" {
            return None;
        }
        Class::from_word(self.ty.trim_start_matches('.'))
    }

    /// Whether instructions of 16 bits read it: these registers had 16 bits before PTX ISA 2.0, and
    /// `mov.u16` of them is still accepted (measured with ptxas 13.5).
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        ["%tid", "%ntid", "%ctaid", "%nctaid"].contains(&self.name)
    }

    /// The number in this name, if it is one of these numbered registers.
    fn number(&self, name: &str) -> Option<u32> {
        let (before, after) = self.name.split_once('#')?;
        let digits = name.strip_prefix(before)?.strip_suffix(after)?;
        let number: u32 = digits.parse().ok()?;
        // The number has one spelling only.
        let known = self.numbers.contains(&number) && number.to_string() == digits;
        known.then_some(number)
    }
}

/// The bits that the largest value of a special register needs, of a vector in a component; `None` if nothing bounds the
/// values.
#[must_use]
pub fn bits(name: &str, component: Option<char>) -> Option<u8> {
    let register = get(find(name)?.0)?;
    let at = match component {
        None if register.components.is_empty() => 0,
        Some(it @ 'x'..='z') => usize::from(it as u8 - b'x'),
        _ => return None,
    };
    let most = register.most[at];
    (most < u32::MAX).then(|| (u32::BITS - most.leading_zeros()) as u8)
}

/// Components of the vectors; the fourth element reads as zero.
const XYZ: &[&str] = &[".x", ".y", ".z"];

/// The requirements of registers of PTX ISA 1.0.
const ALWAYS: Option<(Version, u16)> = None;

const fn since(major: u8, minor: u8, target: u16) -> Option<(Version, u16)> {
    Some((Version::new(major, minor), target))
}

const fn numbered(
    name: &'static str,
    numbers: Range<u32>,
    ty: &'static str,
    least: Option<(Version, u16)>,
    description: &'static str,
) -> SpecialRegister {
    let components = &[];
    SpecialRegister {
        name,
        numbers,
        ty,
        components,
        least,
        most: [u32::MAX; 3],
        description,
    }
}

const fn scalar(
    name: &'static str,
    ty: &'static str,
    least: Option<(Version, u16)>,
    description: &'static str,
) -> SpecialRegister {
    numbered(name, 0..0, ty, least, description)
}

const fn vector(
    name: &'static str,
    least: Option<(Version, u16)>,
    description: &'static str,
) -> SpecialRegister {
    SpecialRegister {
        components: XYZ,
        ..scalar(name, ".u32", least, description)
    }
}

impl SpecialRegister {
    const fn at_most(self, most: [u32; 3]) -> SpecialRegister {
        SpecialRegister { most, ..self }
    }
}

/// All of them, by name.
#[rustfmt::skip]
pub static SPECIAL_REGISTERS: &[SpecialRegister] = &[
    scalar("%aggr_smem_size", ".u32", since(8, 1, 90), "Shared memory of the CTA in bytes, static, dynamic and reserved taken together."),
    scalar("%clock", ".u32", ALWAYS, "Lower 32 bits of a cycle counter that wraps around."),
    scalar("%clock64", ".u64", since(2, 0, 20), "A 64-bit cycle counter."),
    scalar("%clock_hi", ".u32", since(5, 0, 20), "Upper 32 bits of the cycle counter `%clock64`."),
    vector("%cluster_ctaid", since(7, 8, 90), "Position of the CTA in its cluster."),
    scalar("%cluster_ctarank", ".u32", since(7, 8, 90), "Number of the CTA among all CTAs of its cluster."),
    vector("%cluster_nctaid", since(7, 8, 90), "Shape of the cluster in CTAs."),
    scalar("%cluster_nctarank", ".u32", since(7, 8, 90), "Number of CTAs in the cluster."),
    vector("%clusterid", since(7, 8, 90), "Position of the cluster in the grid."),
    vector("%ctaid", ALWAYS, "Position of the CTA in the grid.").at_most([0x7FFF_FFFE, 65_534, 65_534]),
    scalar("%current_graph_exec", ".u64", since(8, 0, 50), "Identifier of the running device graph, or 0 outside one."),
    scalar("%dynamic_smem_size", ".u32", since(4, 1, 20), "Dynamic shared memory of the CTA in bytes, as given at launch."),
    numbered("%envreg#", 0..32, ".b32", ALWAYS, "A register set by the driver before the kernel starts; its meaning is private to the driver."),
    scalar("%globaltimer", ".u64", since(3, 1, 30), "A global nanosecond clock."),
    scalar("%globaltimer_hi", ".u32", since(3, 1, 30), "Upper 32 bits of `%globaltimer`."),
    scalar("%globaltimer_lo", ".u32", since(3, 1, 30), "Lower 32 bits of `%globaltimer`."),
    scalar("%gridid", ".u64", ALWAYS, "Identifier of the grid, unique within a context while it runs."),
    scalar("%is_explicit_cluster", ".pred", since(7, 8, 90), "True if the launch asked for clusters."),
    scalar("%laneid", ".u32", since(1, 3, 10), "Number of the thread in its warp, from 0 to `WARP_SZ` - 1.").at_most([31; 3]),
    scalar("%lanemask_eq", ".u32", since(2, 0, 20), "Mask with the bit of this lane set."),
    scalar("%lanemask_ge", ".u32", since(2, 0, 20), "Mask with the bits of this lane and of all higher lanes set."),
    scalar("%lanemask_gt", ".u32", since(2, 0, 20), "Mask with the bits of all higher lanes set."),
    scalar("%lanemask_le", ".u32", since(2, 0, 20), "Mask with the bits of this lane and of all lower lanes set."),
    scalar("%lanemask_lt", ".u32", since(2, 0, 20), "Mask with the bits of all lower lanes set."),
    vector("%nclusterid", since(7, 8, 90), "Shape of the grid in clusters."),
    vector("%nctaid", ALWAYS, "Shape of the grid in CTAs.").at_most([0x7FFF_FFFF, 65_535, 65_535]),
    scalar("%nsmid", ".u32", since(2, 0, 20), "One more than the largest number that `%smid` may have; the numbers need not be contiguous."),
    vector("%ntid", ALWAYS, "Shape of the CTA in threads.").at_most([1024, 1024, 64]),
    scalar("%nwarpid", ".u32", since(2, 0, 20), "An upper bound of the numbers in `%warpid`."),
    scalar("%perctamemoryoffset", ".u64", since(9, 4, 80), "Address of the memory that was set aside for this CTA."),
    scalar("%perctamemorysize", ".u32", since(9, 4, 80), "Size of the memory that was set aside for each CTA."),
    numbered("%pm#", 0..4, ".u32", since(1, 3, 10), "Lower 32 bits of a performance monitor counter."),
    numbered("%pm#", 4..8, ".u32", since(3, 0, 20), "Lower 32 bits of a performance monitor counter."),
    numbered("%pm#_64", 0..8, ".u64", since(4, 0, 50), "A performance monitor counter."),
    scalar("%reserved_smem_offset_begin", ".b32", since(7, 6, 80), "Offset of the first byte of the shared memory that the system reserves."),
    numbered("%reserved_smem_offset_#", 0..2, ".b32", since(7, 6, 80), "Offset into the shared memory that the system reserves."),
    scalar("%reserved_smem_offset_cap", ".b32", since(7, 6, 80), "Size of the shared memory that the system reserves."),
    scalar("%reserved_smem_offset_end", ".b32", since(7, 6, 80), "Offset after the last byte of the shared memory that the system reserves."),
    scalar("%smid", ".u32", since(1, 3, 10), "Number of the multiprocessor that runs the thread; it may change while the thread runs."),
    vector("%tid", ALWAYS, "Position of the thread in its CTA.").at_most([1023, 1023, 63]),
    scalar("%total_smem_size", ".u32", since(4, 1, 20), "Shared memory of the CTA in bytes, static and dynamic, without what the system reserves."),
    scalar("%warpid", ".u32", since(1, 3, 10), "Number of the warp in its CTA; it may change while the thread runs."),
];

/// Index of the special register with this name, and its number if it is a numbered one.
#[must_use]
pub fn find(name: &str) -> Option<(u16, Option<u32>)> {
    if !name.starts_with('%') {
        return None;
    }
    let names = &*NAMES;
    match names.plain.get(name) {
        Some(index) => Some((*index, None)),
        None => names.numbered.iter().find_map(|index| {
            let number = SPECIAL_REGISTERS[usize::from(*index)].number(name)?;
            Some((*index, Some(number)))
        }),
    }
}

/// The indices of all of them: every name with a `%` is looked up, and few are found.
struct Names {
    plain: FxHashMap<&'static str, u16>,
    numbered: Vec<u16>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let mut names = Names {
        plain: FxHashMap::default(),
        numbered: Vec::new(),
    };
    for (index, register) in (0..).zip(SPECIAL_REGISTERS) {
        if register.name.contains('#') {
            names.numbered.push(index);
        } else {
            names.plain.insert(register.name, index);
        }
    }
    names
});

/// Special registers that are the same in all threads of a block, whatever they are numbers of.
const SAME_IN_BLOCK: &[&str] = &[
    "%aggr_smem_size",
    "%cluster_ctaid",
    "%cluster_ctarank",
    "%cluster_nctaid",
    "%cluster_nctarank",
    "%clusterid",
    "%ctaid",
    "%current_graph_exec",
    "%dynamic_smem_size",
    "%envreg#",
    "%gridid",
    "%is_explicit_cluster",
    "%nclusterid",
    "%nctaid",
    "%nsmid",
    "%ntid",
    "%nwarpid",
    "%reserved_smem_offset_#",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_end",
    "%total_smem_size",
];

/// Whether a special register, by its name in [`SPECIAL_REGISTERS`], has the same value in all threads of a block.
#[must_use]
pub fn is_same_in_block(name: &str) -> bool {
    SAME_IN_BLOCK.contains(&name)
}

/// Those whose value is another one at each read.
const CHANGING: [&str; 8] = [
    "%clock",
    "%clock64",
    "%clock_hi",
    "%globaltimer",
    "%globaltimer_hi",
    "%globaltimer_lo",
    "%pm#",
    "%pm#_64",
];

/// Whether a special register, by its name in [`SPECIAL_REGISTERS`], may have another value at each read.
#[must_use]
pub fn changes(name: &str) -> bool {
    CHANGING.contains(&name)
}

/// The special register with this index.
#[must_use]
pub fn get(index: u16) -> Option<&'static SpecialRegister> {
    SPECIAL_REGISTERS.get(usize::from(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(name: &str) -> Gate {
        get(find(name).unwrap().0).unwrap().gate()
    }

    #[test]
    fn gates_of_names() {
        assert!(gate("%tid").is_open());
        assert!(gate("%envreg3").is_open());
        assert_eq!(gate("%pm3").since, Some(Version::new(1, 3)));
        assert_eq!(gate("%pm4").since, Some(Version::new(3, 0)));
        assert_eq!(gate("%pm3_64").since, Some(Version::new(4, 0)));
        assert_eq!(gate("%clusterid").targets[0].number, 90);
    }

    #[test]
    fn names_have_a_table_entry() {
        for name in [
            "%tid",
            "%pm0",
            "%pm7",
            "%pm3_64",
            "%envreg0",
            "%envreg31",
            "%reserved_smem_offset_1",
        ] {
            assert!(find(name).is_some(), "{name}");
        }
        for name in [
            "tid",
            "%tidx",
            "%pm8",
            "%pm",
            "%envreg32",
            "%envreg00",
            "%pm0_6",
            "%r1",
        ] {
            assert_eq!(find(name), None, "{name}");
        }
    }

    #[test]
    fn descriptions_are_sentences() {
        for register in SPECIAL_REGISTERS {
            assert!(register.description.ends_with('.'), "{}", register.name);
        }
    }
}
