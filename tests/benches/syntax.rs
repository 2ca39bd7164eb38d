//! Speed of the syntax crate on 10 MB of generated PTX, or on the file that `PTX_BENCH_FILE` names.
//!
//! Run with `cargo bench -p ptx-analyzer-tests --bench syntax`.

use std::sync::LazyLock;

use divan::{
    Bencher, black_box,
    counter::{BytesCount, ItemsCount},
};
use ptx_tests::fixtures;
use syntax::{
    Document, FileContents, ReparseLevel, TextRange, TextSize,
    text::{Edit, Encoding, LineTable, apply_edit, minimal_edit},
};

static TEXT: LazyLock<String> = LazyLock::new(fixtures::bench_text);

fn main() {
    divan::main();
}

#[divan::bench(sample_count = 10)]
fn lex(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::of_str(&*TEXT))
        .bench(|| syntax::lexer::tokenize(&TEXT));
}

#[divan::bench(sample_count = 10)]
fn parse(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::of_str(&*TEXT))
        .bench(|| syntax::parse(&TEXT));
}

#[divan::bench(sample_count = 10)]
fn line_table(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::of_str(&*TEXT))
        .bench(|| LineTable::new(&TEXT));
}

/// The middle of the text, after a register in the operands of a statement.
fn middle() -> TextSize {
    let half = TEXT.floor_char_boundary(TEXT.len() / 2);
    let register = TEXT[half..].find("\t%r").map_or(half, |it| half + it + 3);
    TextSize::new(u32::try_from(register).expect("a text shorter than 4 GiB"))
}

/// Types one text in the middle and takes it out again, so that each turn starts from the same.
fn keystrokes(bencher: Bencher<'_, '_>, insert: &str, expected: Option<ReparseLevel>) {
    let at = middle();
    let typed = Edit::new(TextRange::empty(at), insert);
    let removed = Edit::new(typed.range_after(), "");
    let mut document = Document::new(TEXT.clone());
    bencher.counter(ItemsCount::new(2_u32)).bench_local(|| {
        for edit in [&typed, &removed] {
            let level = document.apply(black_box(edit)).expect("the edit fits");
            assert!(expected.is_none_or(|it| it == level), "{level:?}");
        }
    });
    // What the analysis gets must not have gone astray under the stopwatch.
    assert!(*document.contents() == FileContents::new(&TEXT));
}

#[divan::bench(sample_count = 50)]
fn keystroke_in_a_statement(bencher: Bencher<'_, '_>) {
    let is_generated = std::env::var_os(fixtures::BENCH_VARIABLE).is_none();
    keystrokes(
        bencher,
        "1",
        is_generated.then_some(ReparseLevel::Statements),
    );
}

#[divan::bench(sample_count = 20)]
fn keystroke_that_closes_a_body(bencher: Bencher<'_, '_>) {
    keystrokes(bencher, "}", None);
}

#[divan::bench(sample_count = 10)]
fn keystroke_that_opens_a_comment(bencher: Bencher<'_, '_>) {
    keystrokes(bencher, "/*", None);
}

#[divan::bench(sample_count = 50)]
fn line_table_after_a_keystroke(bencher: Bencher<'_, '_>) {
    let edit = Edit::new(TextRange::empty(middle()), "1");
    let mut after = TEXT.clone();
    apply_edit(&mut after, &edit).expect("the edit fits");
    let table = LineTable::new(&TEXT);
    bencher
        .with_inputs(|| table.clone())
        .bench_local_values(|mut table| {
            table.apply(&edit, &after);
            table
        });
}

#[divan::bench(sample_count = 50)]
fn smallest_edit_of_a_full_text(bencher: Bencher<'_, '_>) {
    let mut after = TEXT.clone();
    after.insert(middle().into(), 'x');
    bencher
        .counter(BytesCount::of_str(&*TEXT))
        .bench(|| minimal_edit(&TEXT, &after));
}

#[divan::bench(sample_count = 50)]
fn ten_thousand_positions(bencher: Bencher<'_, '_>) {
    let table = LineTable::new(&TEXT);
    let step = table.line_count() / 10_000 + 1;
    bencher.bench(|| {
        (0..table.line_count())
            .step_by(step as usize)
            .map(|line| {
                table
                    .position(table.line_end(line), Encoding::Utf16)
                    .character
            })
            .fold(0_u32, u32::wrapping_add)
    });
}
