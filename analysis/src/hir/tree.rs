//! Small helpers over borrowed green trees.

use crate::SymbolKind;
use syntax::{Cursor, CursorToken, NodeOrToken, SyntaxKind, TextRange, TextSize, ast::Linkage};

/// The first token of a node that is no trivia.
fn first_token<'a>(node: &Cursor<'a>) -> Option<CursorToken<'a>> {
    node.children().find_map(|child| match child {
        NodeOrToken::Node(it) => first_token(&it),
        NodeOrToken::Token(it) => (!it.kind().is_trivia()).then_some(it),
    })
}

/// The end of the last token of a node that is no trivia.
fn last_end(node: &Cursor<'_>) -> Option<TextSize> {
    let content = |it: &NodeOrToken<Cursor<'_>, CursorToken<'_>>| {
        it.as_token().is_none_or(|it| !it.kind().is_trivia())
    };
    let end = |it: NodeOrToken<Cursor<'_>, CursorToken<'_>>| match it {
        NodeOrToken::Node(it) => last_end(&it),
        NodeOrToken::Token(it) => Some(it.range().end()),
    };
    // Children can be walked in one direction only, and nearly every last one has a token.
    end(node.children().filter(content).last()?)
        .or_else(|| node.children().filter(content).filter_map(end).last())
}

/// The range of a node without the trivia at its ends; empty at its start if it is all trivia.
pub(crate) fn trimmed(node: &Cursor<'_>) -> TextRange {
    match (first_token(node), last_end(node)) {
        (Some(first), Some(end)) => TextRange::new(first.range().start(), end),
        _ => TextRange::empty(node.range().start()),
    }
}

/// The name that a node declares: the word of its `Name` child.
pub(crate) fn name<'a>(node: &Cursor<'a>) -> Option<CursorToken<'a>> {
    node.node(SyntaxKind::NAME)?.token(SyntaxKind::IDENT)
}

/// Every token of a node in order, trivia included.
pub(crate) fn for_each_token<'a>(node: &Cursor<'a>, visit: &mut impl FnMut(CursorToken<'a>)) {
    for child in node.children() {
        match child {
            NodeOrToken::Node(it) => for_each_token(&it, visit),
            NodeOrToken::Token(it) => visit(it),
        }
    }
}

/// The tokens of some elements on one line: single blanks instead of line breaks and comments.
#[derive(Default)]
pub(crate) struct OneLine {
    text: String,
    blank: bool,
}

impl OneLine {
    /// A node on one line.
    pub(crate) fn of(node: &Cursor<'_>) -> String {
        let mut line = OneLine::default();
        line.push_node(node);
        line.finish()
    }

    /// Appends a token.
    pub(crate) fn push(&mut self, token: &CursorToken<'_>) {
        if token.kind().is_trivia() {
            self.blank = true;
            return;
        }
        let closes = matches!(
            token.kind(),
            SyntaxKind::R_PAREN | SyntaxKind::COMMA | SyntaxKind::SEMICOLON
        );
        if self.blank && !closes && !self.text.is_empty() && !self.text.ends_with('(') {
            self.text.push(' ');
        }
        self.blank = false;
        self.text.push_str(token.text());
    }

    /// Appends all tokens of a node.
    pub(crate) fn push_node(&mut self, node: &Cursor<'_>) {
        for_each_token(node, &mut |token| self.push(&token));
    }

    /// What was collected.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}

/// A declared variable as text without its initializer: `.global .align 16 .b8 table[64]`.
pub(crate) fn variable_text(declaration: &Cursor<'_>, declarator: &Cursor<'_>) -> String {
    let mut line = OneLine::default();
    for child in declaration.children() {
        match child {
            NodeOrToken::Node(it) if it.kind() == SyntaxKind::DECLARATOR => break,
            NodeOrToken::Node(it) => line.push_node(&it),
            NodeOrToken::Token(it) => line.push(&it),
        }
    }
    line.blank = true;
    for child in declarator.children() {
        match child {
            NodeOrToken::Token(it) if it.kind() == SyntaxKind::EQ => break,
            NodeOrToken::Node(it) => line.push_node(&it),
            NodeOrToken::Token(it) => line.push(&it),
        }
    }
    line.finish()
}

/// What the variables of a declaration are.
pub(crate) fn variable_kind(declaration: &Cursor<'_>) -> SymbolKind {
    if has_word(declaration, ".reg") {
        SymbolKind::Register
    } else if has_word(declaration, ".param") {
        SymbolKind::Parameter
    } else {
        SymbolKind::Variable
    }
}

/// The linking directive of a variable or function.
pub(crate) fn linkage(node: &Cursor<'_>) -> Option<Linkage> {
    node.tokens()
        .filter(|it| it.kind() == SyntaxKind::DOTTED)
        .find_map(|it| Linkage::from_word(it.text()))
}

/// Calls `act` for each instruction in a function or a block, in the order of the text.
pub(crate) fn for_each_instruction<'a>(node: &Cursor<'a>, act: &mut impl FnMut(&Cursor<'a>)) {
    for child in node.nodes() {
        match child.kind() {
            SyntaxKind::INSTRUCTION => act(&child),
            SyntaxKind::BLOCK | SyntaxKind::STATEMENT_RUN => for_each_instruction(&child, act),
            _ => {}
        }
    }
}

/// Every node below a node, in order.
pub(crate) fn for_each_node<'a>(node: &Cursor<'a>, visit: &mut impl FnMut(&Cursor<'a>)) {
    for child in node.nodes() {
        visit(&child);
        for_each_node(&child, visit);
    }
}

/// Whether a dotted word is a direct child of a node.
pub(crate) fn has_word(node: &Cursor<'_>, word: &str) -> bool {
    node.tokens()
        .any(|it| it.kind() == SyntaxKind::DOTTED && it.text() == word)
}

/// The header of a function as text: everything before its body or semicolon.
pub(crate) fn header_text(function: &Cursor<'_>) -> String {
    let mut line = OneLine::default();
    for child in function.children() {
        match child {
            NodeOrToken::Node(it) if it.kind() == SyntaxKind::BLOCK => break,
            NodeOrToken::Token(it) if it.kind() == SyntaxKind::SEMICOLON => break,
            NodeOrToken::Node(it) => line.push_node(&it),
            NodeOrToken::Token(it) => line.push(&it),
        }
    }
    line.finish()
}

/// The tokens of a range as text on one line.
pub(crate) fn text_of_range(node: &Cursor<'_>, range: TextRange) -> String {
    fn push(line: &mut OneLine, node: &Cursor<'_>, range: TextRange) {
        for child in node.children() {
            match child {
                NodeOrToken::Node(it) if it.range().intersect(range).is_some() => {
                    push(line, &it, range);
                }
                NodeOrToken::Token(it) if range.contains_range(it.range()) => line.push(&it),
                _ => {}
            }
        }
    }
    let mut line = OneLine::default();
    push(&mut line, node, range);
    line.finish()
}

/// The outermost node of a kind that contains an offset.
pub(crate) fn node_at<'a>(
    node: &Cursor<'a>,
    kind: SyntaxKind,
    offset: TextSize,
) -> Option<Cursor<'a>> {
    // What is asked for by its own place needs no search.
    if node.kind() == kind {
        return Some(*node);
    }
    let around = node.nodes_at(offset);
    around.into_iter().find(|it| it.kind() == kind)
}
