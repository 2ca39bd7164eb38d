//! Formatting changes blanks only, and a formatted text stays as it is.

use std::sync::Arc;

use analysis::FormattingOptions;
use syntax::{FileContents, SyntaxKind, TextSize, text::Edit};

use crate::properties::answers::{self, FILE};

/// Formats a text with the usual options.
#[must_use]
pub fn edits(text: &str) -> Vec<Edit> {
    let host = answers::host(Arc::new(FileContents::new(text)));
    host.analysis()
        .formatting(FILE, None, FormattingOptions::default())
        .expect("no cancellation")
}

/// The text after edits.
#[must_use]
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for edit in edits {
        let range = usize::from(edit.range.start())..usize::from(edit.range.end());
        out.push_str(&text[end..range.start]);
        out.push_str(&edit.insert);
        end = range.end;
    }
    out.push_str(&text[end..]);
    out
}

/// The tokens and comments of a text.
fn tokens(text: &str) -> Vec<(SyntaxKind, String)> {
    FileContents::new(text)
        .tree
        .syntax()
        .descendants_with_tokens()
        .filter_map(|it| it.into_token())
        .filter(|it| it.kind() != SyntaxKind::WHITESPACE)
        .map(|it| (it.kind(), it.text().to_owned()))
        .collect()
}

/// Text that separates tokens and means nothing else, the mark of the end of DOS files included.
fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\u{c}' | '\u{1a}')
}

/// Edits are in order, inside the text, and change blanks only.
pub fn check_edits(edits: &[Edit], text: &str) {
    let mut end = TextSize::from(0);
    for edit in edits {
        assert!(end <= edit.range.start(), "{edits:?}");
        end = edit.range.end();
        let range = usize::from(edit.range.start())..usize::from(end);
        let old = text.get(range).expect("a range of the text");
        // Of many edits neighbours are one, with the text between them.
        let rest = |text: &str| text.replace(is_blank, "");
        assert!(rest(old) == rest(&edit.insert), "{edit:?}: {old:?}");
    }
}

/// Checks that edits leave the tokens of a text as they are; returns the text after them.
pub fn check_tokens(text: &str, edits: &[Edit]) -> String {
    check_edits(edits, text);
    let formatted = apply(text, edits);
    let (before, after) = (tokens(text), tokens(&formatted));
    if let Some(at) = before.iter().zip(&after).position(|(a, b)| a != b) {
        panic!("{:?} became {:?} in\n{formatted}", before[at], after[at]);
    }
    assert_eq!(before.len(), after.len());
    formatted
}

/// Formats a text twice: its tokens stay, and the second time nothing is left to do, unless there are
/// syntax errors: where a statement ends is a guess then, and another one when the lines have changed.
pub fn check(name: &str, text: &str) {
    let once = check_tokens(text, &edits(text));
    if FileContents::new(text).all_errors().next().is_some() {
        return;
    }
    let again = edits(&once);
    if let Some(edit) = again.first() {
        let end = usize::from(edit.range.end());
        let start = once.floor_char_boundary(usize::from(edit.range.start()).saturating_sub(40));
        panic!(
            "{name}: formatting again changes {edit:?} near {:?}",
            &once[start..end]
        );
    }
}
