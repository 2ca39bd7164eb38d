//! Speed of the instruction checks; the target is 2 µs per instruction. Memory is measured by `memory`:
//! counting allocations would slow these figures down.
//!
//! Run with `cargo bench -p ptx-analyzer-tests --bench instructions`.

use std::sync::{Arc, LazyLock};

use analysis::{AnalysisHost, Change, FileContents, FileId, Severity};
use divan::{Bencher, black_box, counter::ItemsCount};
use isa::{
    matcher::{Outcome, Statement},
    matching::match_statement,
    operand::Operand,
    table::{FILES, Tables, tables},
    target::{Module, Target, Version},
};
use ptx_tests::generate;

/// Size of the generated file, in bytes.
const LEN: usize = 2_000_000;

static TEXT: LazyLock<String> = LazyLock::new(|| generate::module(LEN));

fn main() {
    divan::main();
}

fn instructions(text: &str) -> usize {
    text.lines()
        .map(str::trim_start)
        .filter(|it| it.ends_with(';') && !it.starts_with('.'))
        .count()
}

/// All diagnostics of a file, without reading it.
#[divan::bench(sample_count = 10)]
fn diagnostics_of_a_file(bencher: Bencher<'_, '_>) {
    let contents = Arc::new(FileContents::new(&TEXT));
    bencher
        .counter(ItemsCount::new(instructions(&TEXT)))
        .with_inputs(|| {
            let mut host = AnalysisHost::new();
            host.apply_change(Change {
                files: vec![(FileId(0), Some(Arc::clone(&contents)))],
                config: None,
            });
            host
        })
        .bench_local_refs(|host| {
            let found = host
                .analysis()
                .diagnostics(FileId(0))
                .expect("no cancellation");
            let mut wrong = found.iter().filter(|it| it.severity == Severity::Error);
            assert_eq!(wrong.next(), None);
        });
}

/// The matcher alone, on statements that fit.
#[divan::bench]
fn match_statements(bencher: Bencher<'_, '_>) {
    let statements = generate::statements();
    let module = Module::new(
        Version::new(8, 5),
        Target::parse("sm_90").expect("a target"),
    );
    bencher
        .counter(ItemsCount::new(statements.len()))
        .bench_local(|| {
            for (opcode, words, operands) in &statements {
                let outcome = match_statement(
                    tables(),
                    black_box(&Statement {
                        opcode,
                        words,
                        operands,
                        module,
                    }),
                );
                assert!(matches!(outcome, Outcome::Fit(_)), "{opcode}: {outcome:?}");
            }
        });
}

/// Wrong statements of the usual sorts: vectors and types that do not go together, a word that is too
/// much, one that is missing, and an unknown one. The target is 20 µs per statement.
#[divan::bench]
fn explain_statements(bencher: Bencher<'_, '_>) {
    let mut statements = generate::statements();
    statements.retain(|it| ["mma", "add", "cvt", "ld"].contains(&it.0));
    // The instruction with the most forms: each of its words missing, and each one wrong.
    let mma = statements.iter().find(|it| it.0 == "mma").cloned();
    let (_, words, operands) = mma.expect("there is one");
    let wrong = (0..words.len()).flat_map(|at| {
        let (mut shorter, mut other) = (words.clone(), words.clone());
        shorter.remove(at);
        other[at] = if at < 6 { "m16n8k17" } else { "bf16" };
        [shorter, other].map(|words| ("mma", words, operands.clone()))
    });
    let wrong: Vec<_> = wrong.collect();
    for (opcode, words, operands) in &mut statements {
        match *opcode {
            "mma" => operands[0] = Operand::Vector(vec![Operand::Integer(0); 3]),
            "add" => words.insert(0, "rn"),
            "cvt" => drop(words.remove(0)),
            _ => words[0] = "gloal",
        }
    }
    statements.extend(wrong);
    let module = Module::new(
        Version::new(8, 5),
        Target::parse("sm_90").expect("a target"),
    );
    bencher
        .counter(ItemsCount::new(statements.len()))
        .bench_local(|| {
            for (opcode, words, operands) in &statements {
                let statement = Statement {
                    opcode,
                    words,
                    operands,
                    module,
                };
                let outcome = match_statement(tables(), black_box(&statement));
                assert!(
                    matches!(outcome, Outcome::Mismatch(_)),
                    "{opcode}: {outcome:?}"
                );
            }
        });
}

/// Reading the tables, which happens once; the target is 5 ms.
#[divan::bench(sample_count = 20)]
fn read_tables(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| Tables::read(black_box(FILES)).expect("the tables are well formed"));
}
