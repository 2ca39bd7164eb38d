//! The predefined registers and constants of PTX, as data.

/// A predefined, read-only register.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SpecialRegister {
    /// The name.
    pub(crate) name: &'static str,
    /// Its type.
    pub(crate) ty: &'static str,
    /// The components of a vector, as selectors; empty for a scalar.
    pub(crate) components: &'static [&'static str],
    /// What it holds, as one sentence.
    pub(crate) description: &'static str,
}

impl SpecialRegister {
    /// The name with the number of a numbered register.
    pub(crate) fn written(&self, number: Option<u32>) -> String {
        match number {
            Some(number) => self.name.replace('#', &number.to_string()),
            None => self.name.to_owned(),
        }
    }
}

/// Components of the vectors; the fourth element reads as zero.
const XYZ: &[&str] = &[".x", ".y", ".z"];

const fn scalar(
    name: &'static str,
    ty: &'static str,
    description: &'static str,
) -> SpecialRegister {
    SpecialRegister {
        name,
        ty,
        components: &[],
        description,
    }
}

const fn vector(name: &'static str, description: &'static str) -> SpecialRegister {
    SpecialRegister {
        name,
        ty: ".u32",
        components: XYZ,
        description,
    }
}

/// All of them; a `#` in a name stands for the number of numbered ones, see [`NUMBERED`].
#[rustfmt::skip]
pub(crate) static SPECIAL_REGISTERS: &[SpecialRegister] = &[
    scalar("%aggr_smem_size", ".u32", "Shared memory of the CTA in bytes, static, dynamic and reserved taken together."),
    scalar("%clock", ".u32", "Lower 32 bits of a cycle counter that wraps around."),
    scalar("%clock64", ".u64", "A 64-bit cycle counter."),
    scalar("%clock_hi", ".u32", "Upper 32 bits of the cycle counter `%clock64`."),
    vector("%cluster_ctaid", "Position of the CTA in its cluster."),
    scalar("%cluster_ctarank", ".u32", "Number of the CTA among all CTAs of its cluster."),
    vector("%cluster_nctaid", "Shape of the cluster in CTAs."),
    scalar("%cluster_nctarank", ".u32", "Number of CTAs in the cluster."),
    vector("%clusterid", "Position of the cluster in the grid."),
    vector("%ctaid", "Position of the CTA in the grid."),
    scalar("%current_graph_exec", ".u64", "Identifier of the running device graph, or 0 outside of one."),
    scalar("%dynamic_smem_size", ".u32", "Dynamic shared memory of the CTA in bytes, as given at launch."),
    scalar("%envreg#", ".b32", "A register set by the driver before the kernel starts; its meaning is private to the driver."),
    scalar("%globaltimer", ".u64", "A global nanosecond clock."),
    scalar("%globaltimer_hi", ".u32", "Upper 32 bits of `%globaltimer`."),
    scalar("%globaltimer_lo", ".u32", "Lower 32 bits of `%globaltimer`."),
    scalar("%gridid", ".u64", "Identifier of the grid, unique within a context while it runs."),
    scalar("%is_explicit_cluster", ".pred", "True if the launch asked for clusters."),
    scalar("%laneid", ".u32", "Number of the thread in its warp, from 0 to `WARP_SZ` - 1."),
    scalar("%lanemask_eq", ".u32", "Mask with the bit of this lane set."),
    scalar("%lanemask_ge", ".u32", "Mask with the bits of this lane and of all higher lanes set."),
    scalar("%lanemask_gt", ".u32", "Mask with the bits of all higher lanes set."),
    scalar("%lanemask_le", ".u32", "Mask with the bits of this lane and of all lower lanes set."),
    scalar("%lanemask_lt", ".u32", "Mask with the bits of all lower lanes set."),
    vector("%nclusterid", "Shape of the grid in clusters."),
    vector("%nctaid", "Shape of the grid in CTAs."),
    scalar("%nsmid", ".u32", "An upper bound of the numbers in `%smid`; they need not be contiguous."),
    vector("%ntid", "Shape of the CTA in threads."),
    scalar("%nwarpid", ".u32", "An upper bound of the numbers in `%warpid`."),
    scalar("%perctamemoryoffset", ".u64", "Offset of the memory that was set aside for this CTA."),
    scalar("%perctamemorysize", ".u32", "Size of the memory that was set aside for each CTA."),
    scalar("%pm#", ".u32", "Lower 32 bits of a performance monitor counter."),
    scalar("%pm#_64", ".u64", "A performance monitor counter."),
    scalar("%reserved_smem_offset_begin", ".b32", "Offset of the first byte of the shared memory that the system reserves."),
    scalar("%reserved_smem_offset_#", ".b32", "Offset into the shared memory that the system reserves."),
    scalar("%reserved_smem_offset_cap", ".b32", "Size of the shared memory that the system reserves."),
    scalar("%reserved_smem_offset_end", ".b32", "Offset after the last byte of the shared memory that the system reserves."),
    scalar("%smid", ".u32", "Number of the multiprocessor that runs the thread; it may change while the thread runs."),
    vector("%tid", "Position of the thread in its CTA."),
    scalar("%total_smem_size", ".u32", "Shared memory of the CTA in bytes, static and dynamic, without what the system reserves."),
    scalar("%warpid", ".u32", "Number of the warp in its CTA; it may change while the thread runs."),
];

/// Numbered registers: pattern, text before and after the number, and how many there are.
const NUMBERED: &[(&str, &str, &str, u32)] = &[
    ("%envreg#", "%envreg", "", 32),
    ("%pm#", "%pm", "", 8),
    ("%pm#_64", "%pm", "_64", 8),
    ("%reserved_smem_offset_#", "%reserved_smem_offset_", "", 2),
];

/// Index of the special register with this name, and its number if it is a numbered one.
pub(crate) fn find(name: &str) -> Option<(u16, Option<u32>)> {
    if !name.starts_with('%') {
        return None;
    }
    let numbered = NUMBERED.iter().find_map(|(pattern, before, after, count)| {
        let digits = name.strip_prefix(before)?.strip_suffix(after)?;
        let number: u32 = digits.parse().ok()?;
        // The number has one spelling only.
        (number < *count && number.to_string() == digits).then_some((*pattern, Some(number)))
    });
    let (pattern, number) = numbered.unwrap_or((name, None));
    let index = SPECIAL_REGISTERS.iter().position(|it| it.name == pattern)?;
    Some((u16::try_from(index).ok()?, number))
}

/// The special register with this index.
pub(crate) fn get(index: u16) -> Option<&'static SpecialRegister> {
    SPECIAL_REGISTERS.get(usize::from(index))
}

#[cfg(test)]
mod tests {
    use super::*;

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
