//! Right kernels without one of their instructions.

use std::{collections::BTreeMap, sync::Arc};

use analysis::Severity;
use ptx_tests::properties::answers::{self, FILE};
use syntax::FileContents;

use crate::programs::Program;

/// Least share that is reported, in percent.
pub(crate) const LEAST: usize = 55;

/// The instructions that are taken away, and how they are counted.
const KINDS: [(&str, &str); 24] = [
    ("wgmma.fence", "wgmma fence"),
    ("wgmma.commit_group", "wgmma commit"),
    ("wgmma.wait_group", "wgmma wait"),
    ("cp.async.bulk.commit_group", "bulk commit"),
    ("cp.async.bulk.wait_group", "bulk wait"),
    ("cp.async.commit_group", "copy commit"),
    ("cp.async.wait", "copy wait"),
    ("cp.async.mbarrier.arrive", "mbarrier arrive"),
    ("tcgen05.commit", "tensor commit"),
    ("tcgen05.wait", "tensor wait"),
    ("tcgen05.fence", "tensor fence"),
    ("tcgen05.dealloc", "tensor dealloc"),
    ("fence.proxy", "proxy fence"),
    ("mbarrier.init", "mbarrier init"),
    ("mbarrier.arrive.expect_tx", "mbarrier expect"),
    ("mbarrier.expect_tx", "mbarrier expect"),
    ("mbarrier.arrive", "mbarrier arrive"),
    ("mbarrier.try_wait", "mbarrier wait"),
    ("mbarrier.test_wait", "mbarrier wait"),
    ("barrier.cluster.arrive", "cluster arrive"),
    ("barrier.cluster.wait", "cluster wait"),
    ("bar.arrive", "block arrive"),
    ("bar.sync", "block sync"),
    ("griddepcontrol.wait", "grid wait"),
];

/// Why some of a kind are not reported: without them the kernel may still be right, as far as the text shows.
const REASONS: [(&str, &str); 19] = [
    (
        "block arrive",
        "others may arrive: the number of the barrier or of the threads is not known",
    ),
    (
        "block sync",
        "what others read is not in the text: descriptors, tensor maps, and addresses in registers",
    ),
    (
        "bulk commit",
        "a hint only where nothing writes shared memory after the copy",
    ),
    (
        "bulk wait",
        "another wait of the thread remains on every way, for a later group",
    ),
    (
        "cluster arrive",
        "a branch decides whether the thread arrives",
    ),
    (
        "cluster wait",
        "a branch decides whether the thread waits, or the block ends after it",
    ),
    (
        "copy commit",
        "the copies join the next group, and the number of pending groups fits",
    ),
    (
        "copy wait",
        "what is read is at an address of a ring, which may be of an older group",
    ),
    (
        "grid wait",
        "a hint only: the grids before may be done for other reasons",
    ),
    (
        "mbarrier arrive",
        "the address is in a register, or nobody waits there",
    ),
    (
        "mbarrier expect",
        "the bytes of several turns or phases are not told apart",
    ),
    (
        "mbarrier init",
        "the addresses of uses are in registers, and others of the array are initialized",
    ),
    (
        "mbarrier wait",
        "another wait at the same barrier remains, or what it protects is not in the text",
    ),
    (
        "proxy fence",
        "what was written is a barrier, or other memory than what is read",
    ),
    (
        "tensor fence",
        "waits and barriers that acquire are enough, as real kernels rely on",
    ),
    (
        "tensor wait",
        "to read the registers of a load waits for it",
    ),
    ("wgmma commit", "on one way nothing is to be committed"),
    (
        "wgmma fence",
        "nothing wrote the registers since the last one",
    ),
    (
        "wgmma wait",
        "only moves read the accumulators, and ptxas waits where it does not rename them",
    ),
];

/// How an instruction is counted.
fn kind(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    let line = match line.strip_prefix('@') {
        Some(guarded) => guarded.split_once(' ')?.1,
        None => line,
    };
    let found = KINDS.iter().find(|it| line.starts_with(it.0));
    found.map(|it| it.1)
}

/// How often each code is reported for a text, without hints.
fn warnings(text: &str) -> BTreeMap<&'static str, usize> {
    let host = answers::host(Arc::new(FileContents::new(text)));
    let all = host.analysis().diagnostics(FILE).expect("nothing changes");
    let mut counts = BTreeMap::new();
    for it in all.iter().filter(|it| it.severity != Severity::Hint) {
        *counts.entry(it.code).or_default() += 1;
    }
    counts
}

/// Takes each instruction away in turn. Prints a table, and returns how many of them are reported, and how many
/// there are.
pub(crate) fn run(programs: &[Program]) -> (usize, usize) {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut silent: Vec<String> = Vec::new();
    for program in programs {
        let before = warnings(&program.text);
        for (index, line) in program.text.lines().enumerate() {
            let Some(kind) = kind(line) else {
                continue;
            };
            let mut lines: Vec<&str> = program.text.lines().collect();
            lines[index] = "";
            let (told, all) = counts.entry(kind).or_default();
            *all += 1;
            let after = warnings(&lines.join("\n"));
            if after
                .iter()
                .all(|(code, count)| before.get(code).is_some_and(|it| it >= count))
            {
                silent.push(format!("{kind}: {}: {}", program.title, line.trim()));
            } else {
                *told += 1;
            }
        }
    }
    for it in silent {
        println!("silent: {it}");
    }
    for (kind, (told, all)) in &counts {
        let reason = REASONS.iter().find(|it| it.0 == *kind && told < all);
        let why = reason.map_or(String::new(), |it| format!("; silent: {}", it.1));
        println!("{told:5} of {all:5}  {kind}{why}");
        assert!(told == all || reason.is_some(), "a reason for {kind}");
    }
    let sum = |one: fn(&(usize, usize)) -> usize| counts.values().map(one).sum();
    (sum(|it| it.0), sum(|it| it.1))
}
