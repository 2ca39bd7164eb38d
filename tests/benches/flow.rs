//! Speed of the flow and of the model of registers. The targets: flow with liveness of 5,000 instructions
//! within 5 ms, the model within 50 ms; the model of 100,000 instructions within 2 s.
//!
//! Run with `cargo bench -p ptx-analyzer-tests --bench flow`. Each size is twice the one before, so a time
//! that more than doubles is not linear.

use std::sync::Arc;

use analysis::{AnalysisHost, Change, FileContents, FileId};
use divan::{Bencher, counter::ItemsCount};
use ptx_tests::generate;

const FILE: FileId = FileId(0);
/// Instructions of the kernels.
const SIZES: &[usize] = &[5_000, 10_000, 50_000, 100_000];

fn main() {
    divan::main();
}

/// A kernel of so many instructions, read and with its names resolved.
fn host(instructions: usize) -> AnalysisHost {
    let text = generate::function(instructions);
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FILE, Some(Arc::new(FileContents::new(&text))))],
        config: None,
    });
    host.analysis()
        .semantic_tokens(FILE, None)
        .expect("nobody cancels");
    host
}

/// Blocks, dominators, loops and liveness.
#[divan::bench(args = SIZES, sample_count = 10)]
fn flow_with_liveness(bencher: Bencher<'_, '_>, size: usize) {
    bencher
        .counter(ItemsCount::new(size))
        .with_inputs(|| host(size))
        .bench_local_refs(|host| host.analysis().stats(FILE).expect("nobody cancels"));
}

/// The estimate, when the flow is known.
#[divan::bench(args = SIZES, sample_count = 10)]
fn model_of_registers(bencher: Bencher<'_, '_>, size: usize) {
    bencher
        .counter(ItemsCount::new(size))
        .with_inputs(|| {
            let host = host(size);
            host.analysis().stats(FILE).expect("nobody cancels");
            host
        })
        .bench_local_refs(|host| {
            let found = host
                .analysis()
                .registers(FILE, None)
                .expect("nobody cancels");
            assert_eq!(found.len(), 1);
        });
}
