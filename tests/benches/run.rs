//! Prints how fast the machine runs kernels, on one core and with all checks.
//!
//! Run with `cargo bench -p ptx-analyzer-tests --bench run`. A lane-instruction is an instruction in one lane of a warp.

#![expect(clippy::print_stdout, reason = "a table is what this program is for")]

use std::{path::Path, sync::Arc, time::Instant};

use analysis::{AnalysisHost, Change, FileContents, FileId, code::Code};
use ptx_tests::workspace::top;
use run::{
    Ended, Limits, Machine,
    description::{Description, comments},
};

const FILE: FileId = FileId(0);
/// Measurements, of which the fastest counts.
const RUNS: usize = 7;

/// The name of a kernel, how often a measurement runs it, and a title.
const KERNELS: &[(&str, u32, &str)] = &[
    ("alu", 1, "integer and logic"),
    ("fma", 1, "`fma.rn.f32`"),
    ("memory", 1, "loads and stores"),
    ("columns", 1, "loads and stores of columns"),
    ("copy", 1, "a copy of 1,048,576 words"),
    ("atomics", 1, "atomic operations on different words"),
    ("counter", 1, "atomic operations on one word"),
    ("histogram", 1, "a histogram in shared memory"),
    ("shuffle", 1, "`shfl.sync`"),
    ("vote", 1, "`vote.sync`"),
    ("barrier", 1, "`bar.sync` of 256 threads"),
    ("matrices", 1, "products of 128 × 128 × 64 `f16`"),
    ("small", 1000, "1,000 runs of 8 × 128 threads"),
    ("attention", 1, "a tile of attention, 64 × 64 × 64"),
];

fn load(path: &Path) -> (Code, Description) {
    let text = std::fs::read_to_string(path).expect("a kernel");
    let comment = comments(&text).into_iter().next().expect("a launch");
    let value = comment
        .value
        .unwrap_or_else(|it| panic!("{}: {}", path.display(), it.message));
    let description = Description::read(&value);
    let description = description.unwrap_or_else(|it| panic!("{}: {}", path.display(), it.message));
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FILE, Some(Arc::new(FileContents::new(text.as_str()))))],
        config: None,
    });
    let code = host.analysis().code(FILE).expect("nobody writes");
    (code, description)
}

fn main() {
    println!("| kernel | ms | million lane-instructions per second |");
    println!("|---|---|---|");
    let only: Vec<String> = std::env::args().skip(1).collect();
    for (name, times, title) in KERNELS {
        let named = only.iter().any(|it| it == name);
        if !named && only.iter().any(|it| !it.starts_with('-')) {
            continue;
        }
        let path = top().join("tests/benches/run").join(format!("{name}.ptx"));
        let (code, description) = load(&path);
        let entry = description.entry_of(&code);
        let entry = entry.unwrap_or_else(|it| panic!("{name}: {}", it.message));
        let no_file = |name: &str| Err(format!("{name} is not read"));
        let (mut best, mut lane_instructions) = (f64::INFINITY, 0);
        for _ in 0..RUNS {
            let start = Instant::now();
            lane_instructions = 0;
            for _ in 0..*times {
                let prepared = description.prepare(&code, entry, Limits::default(), &no_file);
                let prepared = prepared.unwrap_or_else(|it| panic!("{name}: {}", it.message));
                let machine = Machine::new(&code, prepared.launch);
                let mut machine = machine.unwrap_or_else(|it| panic!("{name}: {}", it.0));
                while !machine.advance(u64::MAX) {}
                let outcome = machine.outcome();
                assert_eq!(outcome.ended, Ended::Finished, "{name}");
                assert!(
                    outcome.findings.is_empty(),
                    "{name}: {:?}",
                    outcome.findings
                );
                lane_instructions += outcome.lane_instructions;
            }
            best = best.min(start.elapsed().as_secs_f64());
        }
        let speed = lane_instructions as f64 / best / 1e6;
        println!("| {title} | {:.1} | {speed:.0} |", best * 1e3);
    }
}
