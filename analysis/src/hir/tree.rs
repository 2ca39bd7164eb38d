//! Small helpers over borrowed green trees.

use crate::{SymbolKind, hir::linkage::Linkage};

use isa::target::{Target, targets};
use syntax::{Cursor, CursorToken, NodeOrToken, SyntaxKind, TextRange, TextSize};

/// The first token of a node that is not trivia.
fn first_token<'a>(node: &Cursor<'a>) -> Option<CursorToken<'a>> {
    node.children().find_map(|child| match child {
        NodeOrToken::Node(it) => first_token(&it),
        NodeOrToken::Token(it) => (!it.kind().is_trivia()).then_some(it),
    })
}

/// The end of the last token of a node that is not trivia.
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

    /// The result so far.
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

/// The kind of the variables of a declaration.
pub(crate) fn variable_kind(declaration: &Cursor<'_>) -> SymbolKind {
    if has_word(declaration, ".reg") {
        SymbolKind::Register
    } else if has_word(declaration, ".param") {
        SymbolKind::Parameter
    } else {
        SymbolKind::Variable
    }
}

/// Whether a declaration of variables names none, which ptxas accepts.
pub(crate) fn is_nameless(declaration: &Cursor<'_>) -> bool {
    let mut declarators = declaration.nodes();
    !declarators.any(|it| it.kind() == SyntaxKind::DECLARATOR && name(&it).is_some())
}

/// The linking directive of a variable or function.
pub(crate) fn linkage(node: &Cursor<'_>) -> Option<Linkage> {
    node.tokens()
        .filter(|it| it.kind() == SyntaxKind::DOTTED)
        .find_map(|it| Linkage::from_word(it.text()))
}

/// The nodes of the operands of an instruction.
pub(crate) fn operand_nodes<'a>(instruction: &Cursor<'a>) -> impl Iterator<Item = Cursor<'a>> {
    instruction
        .nodes()
        .filter(|it| !matches!(it.kind(), SyntaxKind::GUARD | SyntaxKind::ERROR))
}

/// Calls `act` for each instruction in a function or a block, in the order of the text.
pub(crate) fn for_each_instruction<'a>(node: &Cursor<'a>, act: &mut impl FnMut(&Cursor<'a>)) {
    for_each_instruction_in(node, None, act);
}

/// As [`for_each_instruction`], of instructions that lie in a part only, if one is given.
pub(crate) fn for_each_instruction_in<'a>(
    node: &Cursor<'a>,
    part: Option<TextRange>,
    act: &mut impl FnMut(&Cursor<'a>),
) {
    for child in node.nodes().filter(|it| lies_in(it, part)) {
        match child.kind() {
            SyntaxKind::INSTRUCTION => act(&child),
            SyntaxKind::BLOCK | SyntaxKind::STATEMENT_RUN => {
                for_each_instruction_in(&child, part, act);
            }
            _ => {}
        }
    }
}

/// Whether some of a node lies in a part of the text; all is a part if none is given.
pub(crate) fn lies_in(node: &Cursor<'_>, part: Option<TextRange>) -> bool {
    let range = node.range();
    part.is_none_or(|it| range.start() < it.end() && it.start() < range.end())
}

/// Whether a statement is more than an instruction or the place in a source that it comes from. In a run of
/// statements only the last one may be.
pub(crate) fn may_declare(statement: &Cursor<'_>) -> bool {
    !matches!(
        statement.kind(),
        SyntaxKind::INSTRUCTION | SyntaxKind::LOC_DIRECTIVE
    )
}

/// Calls `act` for each statement in a function or a block that [may declare](may_declare) something, in the order
/// of the text; blocks are looked into.
pub(crate) fn for_each_declaration<'a>(node: &Cursor<'a>, act: &mut impl FnMut(&Cursor<'a>)) {
    for child in node.nodes() {
        match child.kind() {
            SyntaxKind::BLOCK => for_each_declaration(&child, act),
            SyntaxKind::STATEMENT_RUN => match child.last_node() {
                Some(last) if last.kind() == SyntaxKind::BLOCK => for_each_declaration(&last, act),
                Some(last) if may_declare(&last) => act(&last),
                _ => {}
            },
            _ => {}
        }
    }
}

/// Calls `act` for each parameter and each declaration of variables in a function.
pub(crate) fn for_each_variable<'a>(function: &Cursor<'a>, act: &mut impl FnMut(&Cursor<'a>)) {
    for child in function.nodes() {
        if matches!(
            child.kind(),
            SyntaxKind::RETURN_LIST | SyntaxKind::PARAMETER_LIST
        ) {
            let parameters = child.nodes();
            parameters
                .filter(|it| it.kind() == SyntaxKind::PARAMETER)
                .for_each(|it| act(&it));
        }
    }
    for_each_declaration(function, &mut |statement| {
        if statement.kind() == SyntaxKind::VARIABLE_DECLARATION {
            act(statement);
        }
    });
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

/// The last architecture that a `.target` directive names.
pub(crate) fn target_of(directive: &Cursor<'_>) -> Option<Target> {
    // One older than all, such as the `sm_9` of an unfinished `sm_90`, is none: nothing could be judged by it.
    let exists = |it: &Target| targets().any(|known| known.0.number <= it.number);
    directive
        .nodes()
        .filter_map(|it| Target::parse(it.token(SyntaxKind::IDENT)?.text()))
        .filter(exists)
        .last()
}
