//! The syntax tree as text, for people who work on the parser.

use salsa::Database;
use syntax::{NodeOrToken, TextRange, TextSize, debug_tree_within};

use crate::db::SourceFile;

/// Bytes of text after which the rest of a tree is left out.
const MOST: usize = 8 << 20;

/// The tree of a file, or of the smallest node that covers `range`.
pub(crate) fn syntax_tree(db: &dyn Database, file: SourceFile, range: Option<TextRange>) -> String {
    let root = file.contents(db).tree.syntax();
    let Some(range) = range else {
        return debug_tree_within(&root, MOST);
    };
    let end = root.text_range().end();
    let clamp = |offset: TextSize| offset.min(end);
    let range = TextRange::new(clamp(range.start()), clamp(range.end()));
    match root.covering_element(range) {
        NodeOrToken::Node(node) => debug_tree_within(&node, MOST),
        NodeOrToken::Token(token) => {
            let parent = token.parent();
            parent
                .map(|it| debug_tree_within(&it, MOST))
                .unwrap_or_default()
        }
    }
}
