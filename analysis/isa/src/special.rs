//! What special registers demand, PTX ISA chapter 10, as measured with ptxas 13.5.

use crate::target::{Gate, Suffix, Target, Version};

/// Least version, number of the least target, and the registers that demand them; `#` is a number.
const GATES: &[((u8, u8), u16, &[&str])] = &[
    (
        (1, 3),
        10,
        &[
            "%laneid", "%warpid", "%smid", "%pm0", "%pm1", "%pm2", "%pm3",
        ],
    ),
    (
        (2, 0),
        20,
        &[
            "%nwarpid",
            "%nsmid",
            "%lanemask_eq",
            "%lanemask_le",
            "%lanemask_lt",
            "%lanemask_ge",
            "%lanemask_gt",
            "%clock64",
        ],
    ),
    ((3, 0), 20, &["%pm4", "%pm5", "%pm6", "%pm7"]),
    (
        (3, 1),
        30,
        &["%globaltimer", "%globaltimer_lo", "%globaltimer_hi"],
    ),
    ((4, 0), 50, &["%pm#_64"]),
    ((4, 1), 20, &["%total_smem_size", "%dynamic_smem_size"]),
    ((5, 0), 20, &["%clock_hi"]),
    (
        (7, 6),
        80,
        &[
            "%reserved_smem_offset_begin",
            "%reserved_smem_offset_end",
            "%reserved_smem_offset_cap",
            "%reserved_smem_offset_#",
        ],
    ),
    (
        (7, 8),
        90,
        &[
            "%is_explicit_cluster",
            "%clusterid",
            "%nclusterid",
            "%cluster_ctaid",
            "%cluster_nctaid",
            "%cluster_ctarank",
            "%cluster_nctarank",
        ],
    ),
    ((8, 0), 50, &["%current_graph_exec"]),
    ((8, 1), 90, &["%aggr_smem_size"]),
    ((9, 4), 80, &["%perctamemoryoffset", "%perctamemorysize"]),
];

/// What a special register demands; an open gate for those of PTX ISA 1.0 and for other names.
#[must_use]
pub fn gate(name: &str) -> Gate {
    let found = GATES
        .iter()
        .find(|(_, _, names)| names.iter().any(|it| is(it, name)));
    found.map_or_else(Gate::default, |((major, minor), target, _)| Gate {
        since: Some(Version::new(*major, *minor)),
        targets: vec![Target {
            number: *target,
            suffix: Suffix::Plain,
        }],
        ..Gate::default()
    })
}

/// Whether a name is of a pattern with one number.
fn is(pattern: &str, name: &str) -> bool {
    match pattern.split_once('#') {
        None => pattern == name,
        Some((before, after)) => name
            .strip_prefix(before)
            .and_then(|it| it.strip_suffix(after))
            .is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_of_names() {
        assert!(gate("%tid").is_open());
        assert!(gate("%envreg3").is_open());
        assert_eq!(gate("%pm3").since, Some(Version::new(1, 3)));
        assert_eq!(gate("%pm3_64").since, Some(Version::new(4, 0)));
        assert_eq!(gate("%clusterid").targets[0].number, 90);
    }
}
