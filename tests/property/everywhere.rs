//! Every question at every token: no panic, and the answers agree with each other.

use std::{collections::BTreeSet, sync::Arc};

use analysis::{Analysis, FilePosition, FileRange, Reference, Severity};
use ptx_tests::{
    fixtures::{self, Fixture},
    mutate,
    properties::answers::{self, ALL_LENSES, FILE, all_hints},
};
use syntax::{
    Document, FileContents, TextRange, TextSize,
    text::{Edit, apply_edit},
};

use crate::writing;

const WHY: &str = "no cancellation";

fn analysis(contents: Arc<FileContents>) -> Analysis {
    answers::host(contents).analysis()
}

/// Starts and insides of all tokens; of large files a part, evenly spread.
fn offsets(contents: &FileContents) -> Vec<TextSize> {
    const MOST: usize = 3_000;
    let tokens = contents
        .tree
        .syntax()
        .descendants_with_tokens()
        .filter_map(|it| it.into_token());
    let ranges: Vec<TextRange> = tokens.map(|it| it.text_range()).collect();
    let step = ranges.len() / MOST + 1;
    let inside = |it: TextRange| {
        [
            it.start(),
            it.start() + TextSize::from(u32::from(it.len()) / 2),
            it.end(),
        ]
    };
    ranges.into_iter().step_by(step).flat_map(inside).collect()
}

fn at(offset: TextSize) -> FilePosition {
    FilePosition { file: FILE, offset }
}

/// Asks everything about one place and checks what can be checked without knowing the text.
fn ask(analysis: &Analysis, offset: TextSize, len: TextSize) {
    let inside = |it: TextRange| assert!(it.end() <= len, "{offset:?}: {it:?} of {len:?}");
    for found in [
        analysis.goto_definition(at(offset)),
        analysis.goto_declaration(at(offset)),
    ] {
        if let Some(found) = found.expect(WHY) {
            assert!(found.range.contains_inclusive(offset));
            for target in found.info {
                inside(target.full_range);
                assert!(
                    target.full_range.contains_range(target.focus_range),
                    "{target:?}"
                );
            }
        }
    }
    let mut outer: Option<TextRange> = None;
    for range in analysis.selection_ranges(at(offset)).expect(WHY) {
        inside(range);
        assert!(range.contains_inclusive(offset), "{offset:?}: {range:?}");
        assert!(
            outer.is_none_or(|it| range.contains_range(it) && range != it),
            "{offset:?}"
        );
        outer = Some(range);
    }
    if let Some(hover) = analysis.hover(at(offset)).expect(WHY) {
        assert!(hover.range.contains_inclusive(offset));
        assert!(!hover.info.markdown.is_empty());
    }
    if let Some(life) = analysis.live_range(at(offset)).expect(WHY) {
        assert!(!life.register.is_empty());
        let runs = life.ranges.windows(2);
        assert!(runs.into_iter().all(|it| it[0].end() <= it[1].start()));
        for place in life.definitions.iter().chain(&life.uses) {
            let mut runs = life.ranges.iter();
            assert!(runs.any(|it| it.contains_range(*place)), "{life:?}");
        }
    }
    ask_about_relations(analysis, offset, len);
    let highlights = analysis.highlight(at(offset)).expect(WHY);
    let Some(all) = occurrences(analysis, offset, true) else {
        // Outside names, only an event of a protocol has highlights: its opcode, which the cursor is at or after, and
        // its partners.
        assert!(
            highlights.is_empty() || {
                let mut ranges = highlights.iter().map(|it| it.location.range);
                ranges.any(|it| it.start() <= offset)
                    && highlights.iter().all(|it| it.location.range.end() <= len)
            },
            "{offset:?}: {highlights:?}"
        );
        return;
    };
    let here = u32::from(offset);
    assert!(
        all.iter().any(|it| it.0 <= here && here <= it.1),
        "{offset:?}: {all:?}"
    );
    assert!(all.iter().all(|it| it.1 <= len.into()));
    // With one file, these two are the same question.
    assert_eq!(highlights.len(), all.len(), "{offset:?}");
    let without = occurrences(analysis, offset, false).expect("there is a name");
    assert!(without.is_subset(&all), "{offset:?}: {without:?} {all:?}");
    // Asked at another occurrence, the answer is the same, or one is part of the other: `%r<9>` has
    // the occurrences of every `%r3`.
    for other in [all.first(), all.last()].into_iter().flatten() {
        let found = occurrences(analysis, other.0.into(), true).expect("there is a name");
        assert!(found.contains(other), "{offset:?}: {other:?}");
        assert!(
            found.is_subset(&all) || all.is_subset(&found),
            "{offset:?}: {other:?}"
        );
    }
}

/// Runs all queries about the name or the line at an offset.
fn ask_about_relations(analysis: &Analysis, offset: TextSize, len: TextSize) {
    let inside = |it: TextRange| assert!(it.end() <= len, "{offset:?}: {it:?} of {len:?}");
    if let Some(found) = analysis.goto_type_definition(at(offset)).expect(WHY) {
        assert!(found.range.contains_inclusive(offset));
        found.info.iter().for_each(|it| inside(it.full_range));
    }
    for item in analysis.call_hierarchy(at(offset)).expect(WHY) {
        inside(item.full_range);
    }
    let calls = [
        analysis.incoming_calls(at(offset)),
        analysis.outgoing_calls(at(offset)),
    ];
    for call in calls.into_iter().flat_map(|it| it.expect(WHY)) {
        assert!(!call.ranges.is_empty(), "{offset:?}: {call:?}");
        call.ranges.iter().for_each(|it| inside(*it));
    }
    analysis.source_locations(at(offset)).expect(WHY);
    if let Some(lines) = analysis.same_source_line(at(offset)).expect(WHY) {
        lines.ranges.iter().for_each(|it| inside(*it));
    }
    // A name that can be renamed is one that the renaming takes.
    if let Ok(prepared) = analysis.prepare_rename(at(offset)).expect(WHY) {
        inside(prepared.range);
        assert!(prepared.range.start() <= offset);
    }
    for name in ["%fresh", "fresh", ""] {
        if let Ok(change) = analysis.rename(at(offset), name).expect(WHY) {
            for edit in change.files.iter().flat_map(|it| &it.edits) {
                inside(edit.range);
            }
        }
    }
}

/// Starts and ends of the occurrences of the name at an offset.
fn occurrences(
    analysis: &Analysis,
    offset: TextSize,
    declaration: bool,
) -> Option<BTreeSet<(u32, u32)>> {
    let found = analysis.references(at(offset), declaration).expect(WHY)?;
    let range = |it: &Reference| {
        (
            it.location.range.start().into(),
            it.location.range.end().into(),
        )
    };
    let distinct: BTreeSet<(u32, u32)> = found.iter().map(range).collect();
    assert_eq!(distinct.len(), found.len(), "{offset:?}: {found:?}");
    Some(distinct)
}

fn ask_everywhere(fixture: &Fixture, contents: &Arc<FileContents>) {
    let len = contents.tree.text_len();
    let analysis = analysis(contents.clone());
    for offset in offsets(contents) {
        ask(&analysis, offset, len);
    }
    check_whole_file(&analysis, contents);
    let beyond = len + TextSize::from(7);
    assert_eq!(
        analysis.goto_definition(at(beyond)).expect(WHY),
        None,
        "{}",
        fixture.name
    );
}

/// Checks the answers about the whole file and about half of it.
fn check_whole_file(analysis: &Analysis, contents: &FileContents) {
    let len = contents.tree.text_len();
    let tokens = analysis.semantic_tokens(FILE, None).expect(WHY);
    for pair in tokens.windows(2) {
        assert!(pair[0].range.end() <= pair[1].range.start(), "{pair:?}");
    }
    assert!(tokens.last().is_none_or(|it| it.range.end() <= len));
    assert!(tokens.iter().all(|it| !it.range.is_empty()));
    let half = TextRange::new(TextSize::from(u32::from(len) / 2), len);
    let some = analysis.semantic_tokens(FILE, Some(half)).expect(WHY);
    let expected = tokens
        .iter()
        .filter(|it| it.range.intersect(half).is_some_and(|it| !it.is_empty()));
    let missing: Vec<_> = expected.filter(|it| !some.contains(it)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    for fold in analysis.folding_ranges(FILE).expect(WHY) {
        assert!(
            fold.range.end() <= len && !fold.range.is_empty(),
            "{fold:?}"
        );
        let lines = [fold.range.start(), fold.range.end()].map(|it| contents.lines.line_of(it));
        assert!(lines[0] < lines[1], "{fold:?}");
    }
    for graph in analysis.flow_graphs(FILE, None).expect(WHY) {
        let count = graph.blocks.len() as u32;
        assert!(
            graph
                .edges
                .iter()
                .all(|it| it.from < count && it.to < count)
        );
        assert!(graph.blocks.iter().all(|it| it.range.end() <= len));
        let at = at(graph.name_range.start());
        assert_eq!(analysis.flow_graph(at, &[]).expect(WHY), Some(graph));
    }
    for entry in analysis.registers(FILE, None).expect(WHY) {
        assert!(entry.range.contains_range(entry.name_range) && entry.range.end() <= len);
        assert!(entry.low <= entry.estimate && entry.estimate <= entry.high);
        let most = entry.alive.iter().map(|it| it.1).max();
        assert!(most.is_none_or(|it| it <= entry.max_live), "{entry:?}");
        let at = at(entry.name_range.start());
        assert_eq!(analysis.registers_at(at).expect(WHY), Some(entry));
    }
    let whole = FileRange {
        file: FILE,
        range: TextRange::up_to(len),
    };
    for hint in analysis.inlay_hints(whole, all_hints(), &[]).expect(WHY) {
        assert!(hint.offset <= len && !hint.label.is_empty(), "{hint:?}");
    }
    for lens in analysis.code_lenses(FILE, ALL_LENSES).expect(WHY) {
        assert!(lens.range.end() <= len, "{lens:?}");
    }
    for link in analysis.document_links(FILE).expect(WHY) {
        assert!(link.range.end() <= len, "{link:?}");
    }
    for action in analysis.code_actions(whole).expect(WHY) {
        assert!(!action.title.is_empty() && !action.diagnostics.is_empty());
        let edits = &action.edits.files[0].edits;
        assert!(edits.iter().all(|it| it.range.end() <= len), "{action:?}");
        let ordered = |pair: &[Edit]| pair[0].range.end() <= pair[1].range.start();
        assert!(edits.windows(2).all(ordered), "{action:?}");
    }
}

#[test]
fn every_token_of_every_file() {
    for fixture in fixtures::ptx().iter().chain(&fixtures::corpus()) {
        let contents = Arc::new(FileContents::new(&fixture.text));
        ask_everywhere(fixture, &contents);
        writing::ask_everywhere(&analysis(contents.clone()), FILE, &contents);
    }
}

#[test]
fn every_token_of_broken_files() {
    for (seed, fixture) in fixtures::ptx().iter().enumerate() {
        let mut rng = fastrand::Rng::with_seed(seed as u64);
        let mut document = Document::new(fixture.text.clone());
        for _ in 0..2 {
            for _ in 0..5 {
                let edit = mutate::edit(&mut rng, document.text(), document.lines());
                document.apply(&edit).expect("the edit fits");
            }
            ask_everywhere(fixture, &document.contents());
        }
        let contents = document.contents();
        writing::ask_everywhere(&analysis(contents.clone()), FILE, &contents);
    }
}

/// How many problems there are. A new name may hide another one, which is worth a hint only.
fn problems(analysis: &Analysis) -> usize {
    let all = analysis.diagnostics(FILE).expect(WHY);
    all.iter().filter(|it| it.severity < Severity::Hint).count()
}

#[test]
fn a_renamed_file_means_the_same() {
    for fixture in fixtures::ptx() {
        let contents = Arc::new(FileContents::new(&fixture.text));
        let old = analysis(contents.clone());
        let before = problems(&old);
        let mut seen = BTreeSet::new();
        let mut renamed = 0;
        for offset in offsets(&contents) {
            let Ok(prepared) = old.prepare_rename(at(offset)).expect(WHY) else {
                continue;
            };
            // Of `%r12` only `%r` can be renamed, also with the cursor after it.
            assert!(prepared.range.start() <= offset);
            let all = occurrences(&old, offset, true).expect("there is a name");
            // Each name once; all its occurrences give the same answer.
            if !seen.insert(all.clone()) {
                continue;
            }
            let prefix = if prepared.placeholder.starts_with('%') {
                "%"
            } else {
                ""
            };
            let change = old
                .rename(at(offset), &format!("{prefix}fresh_name"))
                .expect(WHY);
            let change = change.unwrap_or_else(|error| panic!("{}: {error:?}", fixture.name));
            let [file] = &change.files[..] else {
                panic!("{}: {change:?}", fixture.name);
            };
            let mut text = fixture.text.clone();
            let mut place = prepared.range.start();
            for edit in file.edits.iter().rev() {
                apply_edit(&mut text, edit).expect("the edit fits");
                if edit.range.start() < prepared.range.start() {
                    place = place + TextSize::of(&edit.insert) - edit.range.len();
                }
            }
            let new = analysis(Arc::new(FileContents::new(&text)));
            let name = &prepared.placeholder;
            assert_eq!(problems(&new), before, "{}: {name}", fixture.name);
            let found = occurrences(&new, place, true).expect("there is a name");
            assert_eq!(
                found.len(),
                all.len(),
                "{}: {name}: {found:?} {all:?}",
                fixture.name
            );
            renamed += 1;
        }
        assert!(2 < renamed, "{}: {renamed} names", fixture.name);
    }
}
