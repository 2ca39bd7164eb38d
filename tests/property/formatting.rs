//! Formatting changes blanks only, and a formatted file stays as it is.

#![expect(
    clippy::print_stdout,
    reason = "the number of files says what was tested"
)]

use std::sync::Arc;

use analysis::{AnalysisHost, Change, FileContents, FileId, FormattingOptions};
use ptx_tests::fixtures;
use syntax::{SyntaxKind, text::Edit};

fn edits(text: &str) -> Vec<Edit> {
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FileId(0), Some(Arc::new(FileContents::new(text))))],
        config: None,
    });
    host.analysis()
        .formatting(FileId(0), None, FormattingOptions::default())
        .expect("nobody cancels")
}

pub(crate) fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for edit in edits {
        let range = usize::from(edit.range.start())..usize::from(edit.range.end());
        assert!(text[range.clone()].chars().all(char::is_whitespace));
        out.push_str(&text[end..range.start]);
        out.push_str(&edit.insert);
        end = range.end;
    }
    out.push_str(&text[end..]);
    out
}

/// The tokens and comments of a text.
pub(crate) fn tokens(text: &str) -> Vec<(SyntaxKind, String)> {
    FileContents::new(text)
        .tree
        .syntax()
        .descendants_with_tokens()
        .filter_map(|it| it.into_token())
        .filter(|it| it.kind() != SyntaxKind::WHITESPACE)
        .map(|it| (it.kind(), it.text().to_owned()))
        .collect()
}

#[test]
fn formatting_changes_blanks_only_and_is_stable() {
    let mut files = fixtures::ptx();
    files.extend(fixtures::corpus());
    for fixture in &files {
        let once = apply(&fixture.text, &edits(&fixture.text));
        let (before, after) = (tokens(&fixture.text), tokens(&once));
        if let Some(at) = before.iter().zip(&after).position(|(a, b)| a != b) {
            panic!("{}: {:?} became {:?}", fixture.name, before[at], after[at]);
        }
        assert_eq!(before.len(), after.len(), "{}", fixture.name);
        let again = edits(&once);
        assert!(
            again.is_empty(),
            "{}: formatting again changes {:?} near {:?}",
            fixture.name,
            again[0],
            &once[usize::from(again[0].range.start()).saturating_sub(40)
                ..usize::from(again[0].range.end())]
        );
    }
    println!("{} files", files.len());
}
