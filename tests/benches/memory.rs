//! Memory that the instruction tables take: the largest allocation of `read_tables` is what they occupy.
//!
//! Run with `cargo bench -p ptx-analyzer-tests --bench memory`.

use divan::{Bencher, black_box};
use isa::table::{FILES, Tables};

/// Counts allocations and their bytes.
#[global_allocator]
static ALLOCATOR: divan::AllocProfiler = divan::AllocProfiler::system();

fn main() {
    divan::main();
}

/// Reading the tables; its time is measured by `instructions`.
#[divan::bench(sample_count = 10)]
fn read_tables(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| Tables::read(black_box(FILES)).expect("the tables are well formed"));
}
