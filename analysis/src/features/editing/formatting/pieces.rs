//! An item as lines of pieces: tokens and comments, each with the blanks before it.

use syntax::{Cursor, CursorToken, NodeOrToken, SyntaxKind, TextRange, TextSize, lexer::tokenize};

use super::spacing::space_between;

/// The contents of one line: a statement, a header, a bracket; its own line breaks included.
#[derive(Debug)]
pub(super) struct Line<'a> {
    /// Its pieces; at least one.
    pub(super) pieces: Vec<Piece<'a>>,
    /// Line breaks before it in the text, at least 1.
    pub(super) breaks: usize,
    /// Blocks around it.
    pub(super) depth: usize,
    /// Whether it is an instruction.
    pub(super) instruction: bool,
    /// Whether it is an instruction or a declaration in a body.
    pub(super) statement: bool,
    /// Where the comment at its end begins in the text, if it stays there.
    pub(super) comment_column: Option<usize>,
    /// The blanks at its start, and those of one level; filled in by the layout.
    pub(super) indent: String,
    pub(super) step: String,
}

/// A token or a comment.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    /// The blanks before it in the text, and their place.
    pub(super) blank: String,
    pub(super) blank_range: TextRange,
    /// The text that shall appear there instead; filled in by the layout.
    pub(super) wanted: String,
    /// Line breaks before it that are kept: inside a line those of the author.
    pub(super) breaks: usize,
    /// Whether a blank is before it when no line ends there.
    pub(super) space: bool,
    /// Whether it begins its line in the text.
    pub(super) own_line: bool,
    /// Whether it is a closing bracket, which is under the start of its line.
    pub(super) outdent: bool,
    pub(super) role: Role,
    /// The token, and the node that it is part of.
    pub(super) kind: SyntaxKind,
    pub(super) parent: SyntaxKind,
    /// Whether its blanks are those of a table that the author has aligned.
    pub(super) kept: bool,
    /// As the first piece of a later line of such a statement: the blanks after those of the statement.
    pub(super) hanging: Option<usize>,
    /// The blanks before it as an element of a vector in columns.
    pub(super) pad: Option<usize>,
}

/// The kind of a piece in the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The first token of the operands.
    Operands,
    /// A comment or a line marker.
    Comment,
    /// Any other token.
    Other,
}

/// Columns from one tab stop to the next: compilers align comments for these.
const TAB: usize = 8;

/// The column after a text that begins in a column.
pub(super) fn after(column: usize, text: &str) -> usize {
    text.chars().fold(column, |column, it| match it {
        '\n' => 0,
        '\t' => column / TAB * TAB + TAB,
        _ => column + 1,
    })
}

/// The lines of a top-level item.
pub(super) fn lines<'a>(item: &Cursor<'a>) -> Vec<Line<'a>> {
    let mut builder = Builder {
        lines: Vec::new(),
        blank: String::new(),
        blank_start: item.range().start(),
        previous: None,
        fresh: true,
        statement: false,
        marks: false,
        column: 0,
    };
    if is_left_alone(item.kind()) {
        builder.verbatim(item);
    } else {
        builder.node(item, 0, false);
    }
    builder.lines
}

/// How the lines of the text end.
pub(super) fn newline(lines: &[Line<'_>]) -> &'static str {
    let mut blanks = lines.iter().flat_map(|it| &it.pieces).map(|it| &it.blank);
    match blanks.find(|it| it.contains('\n')) {
        Some(blank) if blank.contains("\r\n") => "\r\n",
        _ => "\n",
    }
}

/// Nodes whose layout means something to their producers.
fn is_left_alone(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::SECTION
            | SyntaxKind::DWARF_LINE
            | SyntaxKind::INTERMEDIATE_SECTION
            | SyntaxKind::ERROR
    )
}

struct Builder<'a> {
    lines: Vec<Line<'a>>,
    /// Blanks since the last piece.
    blank: String,
    blank_start: TextSize,
    /// The token before: its kind, and that of its node.
    previous: Option<(SyntaxKind, SyntaxKind)>,
    /// Whether the next piece starts a line.
    fresh: bool,
    /// Whether an instruction or a declaration in a body is being read.
    statement: bool,
    /// Whether a label or a source location is being read.
    marks: bool,
    /// The column in the text.
    column: usize,
}

impl<'a> Builder<'a> {
    fn node(&mut self, node: &Cursor<'a>, depth: usize, instruction: bool) {
        let is_instruction = node.kind() == SyntaxKind::INSTRUCTION;
        let mut operands = false;
        let mut opened = false;
        for child in node.children() {
            match child {
                NodeOrToken::Token(token) => {
                    let mut depth = depth;
                    let block = node.kind() == SyntaxKind::BLOCK;
                    if block && matches!(token.kind(), SyntaxKind::L_BRACE | SyntaxKind::R_BRACE) {
                        self.fresh = true;
                        opened = true;
                    } else if block && opened {
                        // Comments before the closing brace; those before the block have its level.
                        depth += 1;
                    }
                    self.token(
                        &token,
                        node.kind(),
                        depth,
                        instruction || is_instruction,
                        false,
                    );
                    if block && !token.kind().is_trivia() {
                        self.fresh = true;
                    }
                }
                NodeOrToken::Node(child) => {
                    let starts = is_instruction
                        && !operands
                        && !matches!(child.kind(), SyntaxKind::GUARD | SyntaxKind::ERROR);
                    if starts {
                        operands = true;
                        self.operands(&child, depth);
                        continue;
                    }
                    match child.kind() {
                        SyntaxKind::STATEMENT_RUN => self.statements(&child, depth + 1),
                        kind if is_left_alone(kind) => self.verbatim(&child),
                        _ => self.node(&child, depth, instruction || is_instruction),
                    }
                }
            }
        }
    }

    fn statements(&mut self, run: &Cursor<'a>, depth: usize) {
        for child in run.children() {
            match child {
                NodeOrToken::Node(statement) => {
                    self.fresh = true;
                    self.statement = matches!(
                        statement.kind(),
                        SyntaxKind::INSTRUCTION | SyntaxKind::VARIABLE_DECLARATION
                    );
                    let label = statement.kind() == SyntaxKind::LABEL;
                    self.marks = label || statement.kind() == SyntaxKind::LOC_DIRECTIVE;
                    let depth = if label { depth - 1 } else { depth };
                    match statement.kind() {
                        kind if is_left_alone(kind) => self.verbatim(&statement),
                        _ => self.node(&statement, depth, false),
                    }
                    self.statement = false;
                    self.marks = false;
                    self.fresh = true;
                }
                NodeOrToken::Token(token) => {
                    self.token(&token, run.kind(), depth, false, false);
                }
            }
        }
    }

    /// The first operand of an instruction.
    fn operands(&mut self, node: &Cursor<'a>, depth: usize) {
        let mut first = true;
        let mut stack: Vec<(SyntaxKind, Vec<NodeOrToken<Cursor<'a>, CursorToken<'a>>>)> =
            vec![(node.kind(), reversed(node))];
        while let Some((kind, children)) = stack.last_mut() {
            let kind = *kind;
            match children.pop() {
                None => {
                    stack.pop();
                }
                Some(NodeOrToken::Node(child)) => stack.push((child.kind(), reversed(&child))),
                Some(NodeOrToken::Token(token)) => {
                    let is_first = first && !token.kind().is_trivia();
                    first &= token.kind().is_trivia();
                    self.token(&token, kind, depth, true, is_first);
                }
            }
        }
    }

    fn token(
        &mut self,
        token: &CursorToken<'a>,
        parent: SyntaxKind,
        depth: usize,
        instruction: bool,
        operands: bool,
    ) {
        let kind = token.kind();
        let column = self.column;
        self.column = after(column, token.text());
        if kind == SyntaxKind::WHITESPACE {
            if self.blank.is_empty() {
                self.blank_start = token.range().start();
            }
            self.blank.push_str(token.text());
            return;
        }
        let comment = kind.is_trivia();
        let mut breaks = self.blank.matches('\n').count();
        // What is broken may reach to the end of its line, and a `\r` alone ends one.
        let broken = |it: (SyntaxKind, SyntaxKind)| {
            matches!(it.0, SyntaxKind::UNKNOWN | SyntaxKind::UNTERMINATED)
        };
        if self.previous.is_some_and(broken) && self.blank.contains('\r') {
            breaks = breaks.max(1);
        }
        let blank = std::mem::take(&mut self.blank);
        let start = if blank.is_empty() {
            token.range().start()
        } else {
            self.blank_start
        };
        let own_line = breaks > 0 || self.previous.is_none() && self.lines.is_empty();
        let before = self.lines.last().and_then(|it| it.pieces.last());
        let space = match self.previous {
            Some(previous) => {
                comment
                    || space_between(previous, (kind, parent), !blank.is_empty())
                    || !blank.is_empty() && before.is_some_and(|it| merge(it.text, token.text()))
            }
            None => false,
        };
        let closing = matches!(kind, SyntaxKind::R_PAREN | SyntaxKind::R_BRACE);
        let piece = Piece {
            text: token.text(),
            blank,
            blank_range: TextRange::new(start, token.range().start()),
            wanted: String::new(),
            breaks,
            space,
            own_line,
            outdent: closing,
            role: match () {
                () if comment => Role::Comment,
                () if operands => Role::Operands,
                () => Role::Other,
            },
            kind,
            parent,
            kept: false,
            hanging: None,
            pad: None,
        };
        // A comment stays after what it is after; a line comment ends its line.
        let follows = comment && !own_line && !self.lines.is_empty();
        let after_line_comment = self
            .lines
            .last()
            .and_then(|it| it.pieces.last())
            .is_some_and(|it| it.role == Role::Comment && !it.text.starts_with("/*"));
        let begins = (self.fresh || comment && own_line) && !follows;
        match self.lines.last_mut() {
            Some(line) if !begins => {
                let mut piece = piece;
                if after_line_comment {
                    piece.breaks = piece.breaks.max(1);
                }
                line.comment_column = (comment && self.marks).then_some(column);
                line.pieces.push(piece);
            }
            _ => self.lines.push(Line {
                pieces: vec![piece],
                breaks: breaks.max(1),
                depth,
                instruction: instruction && !comment,
                statement: self.statement && !comment,
                comment_column: None,
                indent: String::new(),
                step: String::new(),
            }),
        }
        self.fresh = match comment {
            // What follows a comment on a line of its own starts a line, in a statement too.
            true if begins => true,
            true => self.fresh,
            false => false,
        };
        self.previous = Some((kind, parent));
    }

    /// Keeps a node as it is.
    fn verbatim(&mut self, node: &Cursor<'a>) {
        let mut tokens = Vec::new();
        crate::hir::tree::for_each_token(node, &mut |token| tokens.push(token));
        for token in tokens {
            self.column = after(self.column, token.text());
            if token.kind() == SyntaxKind::WHITESPACE {
                if self.blank.is_empty() {
                    self.blank_start = token.range().start();
                }
                self.blank.push_str(token.text());
                continue;
            }
            self.blank.clear();
            self.previous = Some((token.kind(), node.kind()));
        }
        self.fresh = true;
    }
}

/// Whether two tokens without a blank between them would be others, as a number and a word of a wrong statement.
fn merge(left: &str, right: &str) -> bool {
    !tokenize(&format!("{left}{right}")).is_boundary(left.len())
}

fn reversed<'a>(node: &Cursor<'a>) -> Vec<NodeOrToken<Cursor<'a>, CursorToken<'a>>> {
    let mut children: Vec<_> = node.children().collect();
    children.reverse();
    children
}
