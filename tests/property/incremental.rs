//! After any edits, a document equals one that was just opened with the same text.

use std::time::{Duration, Instant};

use ptx_tests::{
    fixtures::{self, Fixture},
    generate, mutate,
    properties::trees,
};
use syntax::{Document, ReparseLevel, TextRange, TextSize, text::Edit};

/// Edits of each fixture; together more than ten thousand.
const EDITS: usize = 1_000;
/// Edits after which a document starts again from its file, before it is nothing but garbage.
const SESSION: usize = 25;
/// Names the environment variable with the number of edits of each file.
const EDITS_VARIABLE: &str = "PTX_EDITS";

/// Applies the edit incrementally and says what differs from a fresh document.
fn difference(before: &str, edit: &Edit) -> Option<String> {
    trees::edit(&mut Document::new(before.to_owned()), edit)
}

/// Removes from the text what the failure does not need, lines first and characters then.
fn shrink(mut before: String, mut edit: Edit) -> (String, Edit) {
    for by_lines in [true, false] {
        let mut at = 0;
        while at < before.len() {
            let rest = &before[at..];
            let len = match by_lines {
                true => rest.find('\n').map_or(rest.len(), |it| it + 1),
                false => rest.chars().next().map_or(1, char::len_utf8),
            };
            match without(&before, &edit, at, at + len) {
                Some((text, shifted)) if difference(&text, &shifted).is_some() => {
                    (before, edit) = (text, shifted);
                }
                _ => at += len,
            }
        }
    }
    (before, edit)
}

fn without(text: &str, edit: &Edit, from: usize, until: usize) -> Option<(String, Edit)> {
    let (start, end) = (
        usize::from(edit.range.start()),
        usize::from(edit.range.end()),
    );
    let shift = match () {
        () if until <= start => until - from,
        () if end <= from => 0,
        () => return None,
    };
    let size = |it: usize| TextSize::new(it.try_into().expect("a short text"));
    let range = TextRange::new(size(start - shift), size(end - shift));
    let text = format!("{}{}", &text[..from], &text[until..]);
    Some((text, Edit::new(range, edit.insert.clone())))
}

fn edit_file(fixture: &Fixture, seed: u64, edits: usize) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut document = Document::new(fixture.text.clone());
    for step in 0..edits {
        if step % SESSION == 0 || document.text().len() > 2 * fixture.text.len() + 1_000 {
            document = Document::new(fixture.text.clone());
        }
        let edit = mutate::edit(&mut rng, document.text(), document.lines());
        let before = document.text().to_owned();
        if let Some(difference) = trees::edit(&mut document, &edit) {
            let name = &fixture.name;
            // The failure may need more than this edit; then there is nothing to shrink.
            if self::difference(&before, &edit).is_some() {
                let (before, edit) = shrink(before, edit);
                let difference = self::difference(&before, &edit);
                panic!(
                    "{name}, step {step}: {edit:?} of {before:?}: {}",
                    difference.unwrap_or_default()
                );
            }
            panic!("{name}, step {step}, needs its history: {edit:?}: {difference}");
        }
    }
}

#[test]
fn ten_thousand_random_edits() {
    let fixtures = fixtures::ptx();
    let edits = std::env::var(EDITS_VARIABLE).map_or(EDITS, |it| it.parse().expect("a number"));
    assert!(10_000 <= edits * fixtures.len() || edits != EDITS);
    for (seed, fixture) in fixtures.iter().enumerate() {
        edit_file(fixture, seed as u64, edits);
    }
}

#[test]
fn edits_that_went_wrong_once() {
    let size = |it: usize| TextSize::new(it.try_into().expect("a short text"));
    for (before, start, end, insert) in [
        (".func (){}", 9, 9, "\u{feff}"),
        (".func {\n\t.reg }", 7, 14, "\u{feff}"),
    ] {
        let edit = Edit::new(TextRange::new(size(start), size(end)), insert);
        assert_eq!(difference(before, &edit), None, "{edit:?} of {before:?}");
    }
}

#[test]
fn random_edits_of_the_corpus() {
    for (seed, fixture) in fixtures::corpus().iter().enumerate() {
        // Large files take their time: every edit is compared with a parse of the whole file.
        let edits = (20_000_000 / fixture.text.len().max(1)).clamp(5, 200);
        edit_file(fixture, seed as u64, edits);
    }
}

#[test]
fn every_single_deletion_and_insertion() {
    // The shortest text with most kinds of things in it.
    let text = "\
.reg .b32 a; // c
.entry k(.param .b32 p)
{ /* d */
  @p ld.b32 {a, b}, [p + 4]; L: ret;
  { bra L; } #1
  .loc 1 2 3
}
// e
.func f;";
    let document = Document::new(text.to_owned());
    let size = |it: usize| TextSize::new(it.try_into().expect("a short text"));
    for start in 0..=text.len() {
        for len in [0, 1, 2, 5] {
            for insert in [
                "", "{", "}", "(", ";", ":", "\"", "/*", "*/", "//", "\n", " ", "a", ".", "@", "#",
                "1",
            ] {
                let end = (start + len).min(text.len());
                let edit = Edit::new(TextRange::new(size(start), size(end)), insert);
                if let Some(difference) = difference(document.text(), &edit) {
                    panic!("{edit:?}: {difference}");
                }
            }
        }
    }
}

/// Edits the text at `$0`, or between two of them, and checks how much was read again.
#[track_caller]
fn check_level(text: &str, insert: &str, level: ReparseLevel) {
    let cuts: Vec<&str> = text.split("$0").collect();
    let size = |it: usize| TextSize::new(it.try_into().expect("a short text"));
    let (start, end) = match cuts[..] {
        [before, _] => (before.len(), before.len()),
        [before, removed, _] => (before.len(), before.len() + removed.len()),
        _ => panic!("one cursor or one selection"),
    };
    let edit = Edit::new(TextRange::new(size(start), size(end)), insert);
    let mut document = Document::new(cuts.concat());
    assert_eq!(document.apply(&edit), Ok(level), "{text:?} <- {insert:?}");
    assert_eq!(trees::difference(&document), None, "{text:?} <- {insert:?}");
}

/// A file with two kernels; the hole is in the body of the first.
fn in_body(hole: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.entry a()\n{{\n\t.reg .b32 %r<9>;\n\tmov.b32 %r1, 1;\n\
         {hole}\n\tmov.b32 %r2, 2;\nL:\n\tmov.b32 %r3, 3;\n\tret;\n}}\n.entry b()\n{{\n\tret;\n}}\n"
    )
}

#[test]
fn typing_in_a_body_reads_a_few_statements() {
    for (hole, insert) in [
        ("\tadd.s32 %r$0, %r2, %r3;", "1"),
        ("\tadd.s32 %r$01$0, %r2, %r3;", "2"),
        ("\tadd$0.s32 %r1, %r2, %r3;", "c"),
        ("\tadd.s32 %r1, %r2, $0%r3$0;", "0x10"),
        ("\tadd.s32 %r1, %r2, %r3;$0", " // comment"),
        ("\tadd.s32 %r1, %r2, %r3; // comm$0", "e"),
        ("\tadd.s32 %r1, %r2, %r3;$0", "\n\tsub.s32 %r1, %r2, %r3;"),
        ("$0\tadd.s32 %r1, %r2, %r3;\n$0", ""),
        ("$0\tadd.s32 %r1, %r2, %r3;", "//"),
        ("\tadd.s32 %r1, %r2, %r3$0;$0", ""),
        ("\tadd.s32 %r1, %r2, %r3$0", ";"),
        ("\tbra $0L$0;", "M"),
        ("$0", "M:\n"),
        ("\t$0bra L;$0", "ret;"),
        ("\t{ mov.b32 %r1, $01$0; }", "2"),
        ("\t{ { { ret$0 } } }", ";"),
        ("\t.loc 1 $02$0 3", "7"),
    ] {
        check_level(&in_body(hole), insert, ReparseLevel::Statements);
    }
}

#[test]
fn changing_a_header_or_a_brace_reads_an_item() {
    for (text, insert) in [
        (in_body("").replace(".entry b()", ".entry b$0()"), "2"),
        (
            in_body("").replace(".entry b()", ".entry b($0)"),
            ".param .b32 p",
        ),
        (
            in_body("").replace("\tret;\n}\n.entry b()", "\tret;\n}\n$0.entry b()"),
            ".global .b32 x;\n",
        ),
        (
            in_body("").replace(
                ".entry b()\n{\n\tret;\n}\n",
                "$0.entry b()\n{\n\tret;\n}\n$0",
            ),
            "",
        ),
    ] {
        check_level(&text, insert, ReparseLevel::Items);
    }
}

#[test]
fn what_reaches_everywhere_reads_the_file() {
    for (hole, insert) in [("$0", "/*"), ("$0", "\"")] {
        check_level(&in_body(hole), insert, ReparseLevel::File);
    }
    check_level(&in_body("/*$0"), "*/", ReparseLevel::File);
}

#[test]
fn a_keystroke_costs_far_less_than_a_parse() {
    let text = generate::module(2 << 20);
    let fastest = |runs: usize, work: &mut dyn FnMut()| -> Duration {
        let time = |()| {
            let start = Instant::now();
            work();
            start.elapsed()
        };
        // The fastest run is the one that the rest of the machine has disturbed least.
        std::iter::repeat_n((), runs)
            .map(time)
            .min()
            .expect("there are runs")
    };
    let whole = fastest(3, &mut || drop(syntax::parse(&text)));

    let mut document = Document::new(text.clone());
    let middle = text[text.len() / 2..].find(", %r").expect("a register") + text.len() / 2 + 4;
    let at = TextSize::new(middle.try_into().expect("a short text"));
    let typed = Edit::new(TextRange::empty(at), "1");
    let removed = Edit::new(typed.range_after(), "");
    let keystroke = fastest(20, &mut || {
        for edit in [&typed, &removed] {
            assert_eq!(document.apply(edit), Ok(ReparseLevel::Statements));
        }
    });
    assert!(
        20 * keystroke < whole,
        "{keystroke:?} for two keystrokes, {whole:?} for the file"
    );
}
