//! Red trees: the view of a syntax tree that knows parents and offsets.
//!
//! All use of rowan outside this crate goes through these names, so that the library can be exchanged
//! here.

use std::fmt::Write as _;

use rowan::{TextRange, TextSize};

use crate::SyntaxKind;

/// The language tag that ties rowan's untyped trees to [`SyntaxKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PtxLanguage {}

impl rowan::Language for PtxLanguage {
    type Kind = SyntaxKind;

    fn kind_from_raw(raw: rowan::SyntaxKind) -> SyntaxKind {
        SyntaxKind::from_raw(raw.0)
    }

    fn kind_to_raw(kind: SyntaxKind) -> rowan::SyntaxKind {
        kind.into()
    }
}

impl From<SyntaxKind> for rowan::SyntaxKind {
    fn from(kind: SyntaxKind) -> rowan::SyntaxKind {
        rowan::SyntaxKind(kind as u16)
    }
}

/// A node of a syntax tree. Cheap to clone, bound to one thread.
pub type SyntaxNode = rowan::SyntaxNode<PtxLanguage>;
/// A token of a syntax tree.
pub type SyntaxToken = rowan::SyntaxToken<PtxLanguage>;
/// A node or token of a syntax tree.
pub type SyntaxElement = rowan::SyntaxElement<PtxLanguage>;
pub use rowan::{NodeOrToken, WalkEvent};

/// The range of a node without the trivia at its ends; empty at its start if it is all trivia.
#[must_use]
pub fn trimmed_range(node: &SyntaxNode) -> TextRange {
    let range = node.text_range();
    let mut first = node.first_token();
    while let Some(token) = first {
        if !range.contains_range(token.text_range()) {
            return TextRange::empty(range.start());
        }
        if !token.kind().is_trivia() {
            let mut last = node.last_token();
            while let Some(end) = last {
                if !end.kind().is_trivia() {
                    return TextRange::new(token.text_range().start(), end.text_range().end());
                }
                last = end.prev_token();
            }
        }
        first = token.next_token();
    }
    TextRange::empty(range.start())
}

/// The token that contains the byte after `offset`, or the last token at the end of the text.
///
/// `None` for an empty tree or an offset beyond it. Costs a binary search per level, unlike
/// `SyntaxNode::token_at_offset`, which is linear in the number of children.
#[must_use]
pub fn token_at(root: &SyntaxNode, offset: TextSize) -> Option<SyntaxToken> {
    let range = root.text_range();
    if range.is_empty() || offset < range.start() || offset > range.end() {
        return None;
    }
    if offset == range.end() {
        return root.last_token();
    }
    match root.covering_element(TextRange::at(offset, TextSize::from(1))) {
        NodeOrToken::Token(token) => Some(token),
        NodeOrToken::Node(_) => None,
    }
}

/// The tokens that end and begin at `offset`; one token twice when the offset is inside it.
#[must_use]
pub fn tokens_around(
    root: &SyntaxNode,
    offset: TextSize,
) -> (Option<SyntaxToken>, Option<SyntaxToken>) {
    let Some(right) = token_at(root, offset) else {
        return (None, None);
    };
    let range = right.text_range();
    if offset == range.start() {
        (right.prev_token(), Some(right))
    } else if offset == range.end() {
        (Some(right), None)
    } else {
        (Some(right.clone()), Some(right))
    }
}

/// The tree as indented text with a line per node and token, trivia included.
#[must_use]
pub fn debug_tree(node: &SyntaxNode) -> String {
    debug_tree_within(node, usize::MAX)
}

/// The same, with an ellipsis after `most` bytes: deep trees are indented far.
#[must_use]
pub fn debug_tree_within(node: &SyntaxNode, most: usize) -> String {
    let mut out = String::new();
    let mut depth = 0usize;
    for event in node.preorder_with_tokens() {
        if out.len() >= most {
            out.push_str("…\n");
            break;
        }
        match event {
            rowan::WalkEvent::Enter(element) => {
                let range = element.text_range();
                let _ = write!(
                    out,
                    "{:depth$}{:?}@{:?}",
                    "",
                    element.kind(),
                    range,
                    depth = depth * 2
                );
                if let NodeOrToken::Token(token) = &element {
                    let _ = write!(out, " {:?}", token.text());
                }
                out.push('\n');
                depth += 1;
            }
            rowan::WalkEvent::Leave(_) => depth -= 1,
        }
    }
    out
}
