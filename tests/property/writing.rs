//! Requests while typing, at every token: completion, parameter hints and formatting.

use std::collections::BTreeSet;

use analysis::{Analysis, FileId, FilePosition, FormattingOptions, documentation};
use ptx_tests::properties::formatting::{check_edits, check_tokens};
use syntax::{FileContents, NodeOrToken, TextRange, TextSize, text::Edit};

const WHY: &str = "no cancellation";
/// The most positions that are tried in a file, evenly spread.
const MOST: usize = 250;
/// One of this many positions is formatted alone: each time the item around it is laid out.
const FORMATTED: usize = 25;

/// Asks at the insides and ends of tokens, where the cursor is while typing.
pub(crate) fn ask_everywhere(analysis: &Analysis, file: FileId, contents: &FileContents) {
    let text = contents.tree.syntax().text().to_string();
    let ranges: Vec<TextRange> = contents
        .tree
        .syntax()
        .descendants_with_tokens()
        .filter_map(NodeOrToken::into_token)
        .map(|it| it.text_range())
        .collect();
    // A step that shares no factor with the period of a repeated statement meets all its tokens.
    let step = (ranges.len() / MOST + 1) | 1;
    for (index, range) in ranges.into_iter().step_by(step).enumerate() {
        // Positions of an editor are between characters.
        let middle = usize::from(range.start()) + usize::from(range.len()) / 2;
        let middle = u32::try_from(text.floor_char_boundary(middle)).expect("a short text");
        let inside = TextSize::from(middle);
        for offset in BTreeSet::from([inside, range.end()]) {
            complete(analysis, FilePosition { file, offset }, &text);
            signature_help(analysis, FilePosition { file, offset });
        }
        if index % FORMATTED == 0 {
            let edits = edits(analysis, file, Some(range));
            check_edits(&edits, &text);
            let touches = |it: &Edit| it.range.intersect(range).is_some();
            assert!(edits.iter().all(touches), "{range:?}: {edits:?}");
        }
    }
    let beyond = TextSize::of(&text) + TextSize::from(7);
    let at = FilePosition {
        file,
        offset: beyond,
    };
    analysis.completions(at).expect(WHY);
    signature_help(analysis, at);
    check_tokens(&text, &edits(analysis, file, None));
}

fn complete(analysis: &Analysis, at: FilePosition, text: &str) {
    let Some(found) = analysis.completions(at).expect(WHY) else {
        return;
    };
    // The editor replaces the word up to the cursor, and the cursor is in the text.
    assert_eq!(found.replace.end(), at.offset);
    let word = text.get(usize::from(found.replace.start())..usize::from(at.offset));
    let word = word.unwrap_or_else(|| panic!("{:?} is not part of the text", found.replace));
    assert!(!word.contains(char::is_whitespace), "{at:?}: {word:?}");
    let mut seen = BTreeSet::new();
    for item in &found.items {
        assert!(!item.label.is_empty(), "{at:?}");
        let kind = format!("{:?}", item.kind);
        assert!(
            seen.insert((&item.label, kind)),
            "{at:?}: {} twice",
            item.label
        );
        if let Some(insert) = &item.insert {
            assert!(!insert.plain.contains("${"), "{insert:?}");
        }
    }
    // What the editor asks for when it shows an item.
    for item in found.items.iter().take(3) {
        if let Some(key) = &item.documentation {
            assert!(
                documentation(key).is_none_or(|it| !it.is_empty()),
                "{key:?}"
            );
        }
    }
}

fn signature_help(analysis: &Analysis, at: FilePosition) {
    let Some(help) = analysis.signature_help(at).expect(WHY) else {
        return;
    };
    let mut end = 0;
    for parameter in &help.parameters {
        assert!(end <= parameter.start && parameter.start < parameter.end);
        let range = parameter.start as usize..parameter.end as usize;
        assert!(help.label.get(range).is_some(), "{help:?}");
        // It covers the code, so each part is one line.
        assert!(!parameter.documentation.contains('\n'), "{help:?}");
        end = parameter.end;
    }
}

fn edits(analysis: &Analysis, file: FileId, range: Option<TextRange>) -> Vec<Edit> {
    analysis
        .formatting(file, range, FormattingOptions::default())
        .expect(WHY)
}
