//! Speed of the flow and of the model of registers. The targets: flow with liveness of 5,000 instructions
//! within 5 ms, the model within 50 ms; the model of 100,000 instructions within 2 s. Where a value of 10,000
//! instructions comes from and goes within 10 ms, when the flow is known, which diagnostics ask for; a hover in as many
//! within 3 ms.
//!
//! Run with `cargo bench -p ptx-analyzer-tests --bench flow`. Each size is twice the one before, so a time
//! that more than doubles is not linear.

use std::sync::Arc;

use analysis::{AnalysisHost, Change, FileContents, FileId, FilePosition};
use divan::{Bencher, counter::ItemsCount};
use ptx_tests::generate;

const FILE: FileId = FileId(0);
/// Instructions of the kernels.
const SIZES: &[usize] = &[5_000, 10_000, 50_000, 100_000];

fn main() {
    divan::main();
}

/// A kernel of `count` instructions, read and with its names resolved.
fn host(instructions: usize) -> AnalysisHost {
    let text = generate::function(instructions);
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FILE, Some(Arc::new(FileContents::new(&text))))],
        config: None,
    });
    host.analysis()
        .semantic_tokens(FILE, None)
        .expect("no cancellation");
    host
}

/// The same with its flow and liveness.
fn host_with_flow(instructions: usize) -> AnalysisHost {
    let host = host(instructions);
    host.analysis().stats(FILE).expect("no cancellation");
    host
}

/// The same after the diagnostics, for which editors ask when a file is opened.
fn host_with_diagnostics(instructions: usize) -> AnalysisHost {
    let host = host_with_flow(instructions);
    host.analysis().diagnostics(FILE).expect("no cancellation");
    host
}

/// Blocks, dominators, loops and liveness.
#[divan::bench(args = SIZES, sample_count = 10)]
fn flow_with_liveness(bencher: Bencher<'_, '_>, size: usize) {
    bencher
        .counter(ItemsCount::new(size))
        .with_inputs(|| host(size))
        .bench_local_refs(|host| host.analysis().stats(FILE).expect("no cancellation"));
}

/// A register that the instruction at the middle of a kernel reads.
fn register(instructions: usize) -> FilePosition {
    let text = generate::function(instructions);
    let middle = text.len() / 2;
    let read = text[middle..].find(", %").expect("an operand") + middle + 3;
    FilePosition {
        file: FILE,
        offset: (read as u32).into(),
    }
}

/// The writes that reach a register, and the two slices of its value.
fn definition_and_slices(host: &AnalysisHost, at: FilePosition) {
    let analysis = host.analysis();
    let writes = analysis.goto_definition(at).expect("nobody cancels");
    let slice = analysis.slice(at).expect("nobody cancels");
    assert!(writes.is_some() && slice.is_some());
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn slices(bencher: Bencher<'_, '_>, size: usize) {
    let at = register(size);
    bencher
        .counter(ItemsCount::new(size))
        .with_inputs(|| host_with_flow(size))
        .bench_local_refs(|host| definition_and_slices(host, at));
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn slices_with_flow(bencher: Bencher<'_, '_>, size: usize) {
    let at = register(size);
    bencher
        .counter(ItemsCount::new(size))
        .with_inputs(|| host(size))
        .bench_local_refs(|host| definition_and_slices(host, at));
}

/// The estimate, when the flow is known.
#[divan::bench(args = SIZES, sample_count = 10)]
fn model_of_registers(bencher: Bencher<'_, '_>, size: usize) {
    bencher
        .counter(ItemsCount::new(size))
        .with_inputs(|| host_with_flow(size))
        .bench_local_refs(|host| {
            let found = host
                .analysis()
                .registers(FILE, None)
                .expect("no cancellation");
            assert_eq!(found.len(), 1);
        });
}

/// The hover of a register with its value, in a file whose diagnostics are shown.
#[divan::bench(args = SIZES, sample_count = 20)]
fn hover(bencher: Bencher<'_, '_>, size: usize) {
    let at = register(size);
    bencher
        .with_inputs(|| host_with_diagnostics(size))
        .bench_local_refs(|host| host.analysis().hover(at).expect("no cancellation"));
}

/// The first hover of a register in a function, with its flow.
#[divan::bench(args = SIZES, sample_count = 10)]
fn first_hover(bencher: Bencher<'_, '_>, size: usize) {
    let at = register(size);
    bencher
        .with_inputs(|| host(size))
        .bench_local_refs(|host| host.analysis().hover(at).expect("no cancellation"));
}

/// The hover of an opcode, with what its constants compute.
#[divan::bench(args = SIZES, sample_count = 20)]
fn hover_of_an_opcode(bencher: Bencher<'_, '_>, size: usize) {
    let text = generate::function(size);
    let middle = text.len() / 2;
    let line = text[middle..].find("\tshl.b32").expect("a shift") + middle + 1;
    let at = FilePosition {
        file: FILE,
        offset: (line as u32).into(),
    };
    bencher
        .with_inputs(|| host_with_flow(size))
        .bench_local_refs(|host| host.analysis().hover(at).expect("no cancellation"));
}
