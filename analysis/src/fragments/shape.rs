//! How the text of a fragment hangs together with what other fragments of its file may have.

use rustc_hash::FxHashSet;
use syntax::{
    SyntaxKind, TextRange, TextSize,
    lexer::{Tokens, tokenize},
};

/// A name that is still declared where a fragment ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaked {
    pub(super) name: String,
    pub(super) range: TextRange,
    pub(super) label: bool,
}

/// Braces, names and ends of a fragment. Ranges are those of its text.
#[derive(Clone, Debug, Default)]
pub(super) struct FragmentShape {
    /// How many blocks end here that began elsewhere.
    pub(super) closes: u32,
    /// How many blocks are open at the end.
    pub(super) opens: u32,
    /// The first brace that closes too much.
    pub(super) extra: Option<TextRange>,
    /// The last brace that is not closed.
    pub(super) unclosed: Option<TextRange>,
    /// The names declared at the end, with the depth of their block.
    pub(super) leaked: Vec<(i64, Leaked)>,
    /// The labels that it declares.
    pub(super) labels: Vec<TextRange>,
    /// Registers that are declared anywhere in it, with their places.
    pub(super) registers: Vec<(String, TextRange)>,
    /// The last token, if it does not end its statement.
    pub(super) unfinished: Option<TextRange>,
    /// The semicolon at its start, which ends a statement of another fragment.
    pub(super) finishes: Option<TextRange>,
    /// Whether it ends inside a comment.
    pub(super) in_comment: bool,
    /// The statements, each from its first token to its semicolon.
    pub(super) statements: Vec<TextRange>,
    /// The first opcode or directive.
    pub(super) first: Option<String>,
}

impl FragmentShape {
    pub(super) fn new(text: &str) -> FragmentShape {
        let tokens = tokenize(text);
        let mut shape = FragmentShape::default();
        let mut reader = ShapeReader {
            text,
            tokens: &tokens,
            shape: &mut shape,
            depth: 0,
            least: 0,
            open: Vec::new(),
            start: None,
            declaration: None,
            previous: None,
        };
        for index in 0..tokens.len() {
            reader.token(index);
        }
        reader.finish();
        shape.first = first(text, &tokens);
        shape
    }

    /// The statement around a range: what one of its parts says may be about all of it.
    pub(super) fn around(&self, range: TextRange) -> TextRange {
        let first = self
            .statements
            .partition_point(|it| it.end() < range.start());
        self.statements[first..]
            .iter()
            .take_while(|it| it.start() <= range.end())
            .fold(range, |sum, it| sum.cover(*it))
    }

    /// Whether a statement may begin at an offset.
    pub(super) fn begins(&self, offset: TextSize) -> bool {
        let index = self.statements.partition_point(|it| it.end() <= offset);
        self.statements
            .get(index)
            .is_none_or(|it| it.start() >= offset)
    }
}

struct ShapeReader<'a> {
    text: &'a str,
    tokens: &'a Tokens,
    shape: &'a mut FragmentShape,
    depth: i64,
    least: i64,
    /// The braces that are open here.
    open: Vec<TextRange>,
    /// Where the statement here begins.
    start: Option<usize>,
    /// Whether the statement declares variables: whether they are registers.
    declaration: Option<bool>,
    /// The token before, without whitespace and comments.
    previous: Option<usize>,
}

impl ShapeReader<'_> {
    fn range(&self, index: usize) -> TextRange {
        let at = |it: usize| TextSize::new(self.tokens.start(it) as u32);
        TextRange::new(at(index), at(index + 1))
    }

    fn token(&mut self, index: usize) {
        use SyntaxKind::{
            BACKSLASH, BLOCK_COMMENT, COLON, COMMA, DOTTED, IDENT, L_BRACE, LINE_COMMENT, LT,
            R_BRACE, SEMICOLON, UNTERMINATED, WHITESPACE,
        };
        let kind = self.tokens.kind(index);
        match kind {
            WHITESPACE | LINE_COMMENT | BLOCK_COMMENT | BACKSLASH => return,
            UNTERMINATED => {
                self.shape.in_comment |= self.tokens.text(self.text, index).starts_with("/*");
                return;
            }
            SEMICOLON => {
                if self.previous.is_none() {
                    self.shape.finishes = Some(self.range(index));
                }
                self.end(index);
            }
            L_BRACE if self.start.is_none() => {
                self.depth += 1;
                self.open.push(self.range(index));
            }
            R_BRACE if self.start.is_none() => {
                self.depth -= 1;
                if self.open.pop().is_none() {
                    self.shape.extra.get_or_insert(self.range(index));
                }
                self.least = self.least.min(self.depth);
                let depth = self.depth;
                self.shape.leaked.retain(|it| it.0 <= depth);
            }
            COLON if self.start.is_some() && self.start == self.previous => {
                if let Some(label) = self.previous.filter(|it| self.tokens.kind(*it) == IDENT) {
                    self.shape.labels.push(self.range(label));
                    self.leak(label, true);
                }
                self.end(index);
            }
            _ => {
                if self.start.is_none() {
                    self.start = Some(index);
                    if kind == DOTTED {
                        self.declaration = match self.tokens.text(self.text, index) {
                            ".reg" => Some(true),
                            ".shared" | ".local" | ".global" | ".const" | ".param" => Some(false),
                            _ => None,
                        };
                    }
                }
                if kind == IDENT
                    && let Some(registers) = self.declaration
                    && self
                        .previous
                        .is_some_and(|it| matches!(self.tokens.kind(it), DOTTED | COMMA))
                {
                    self.leak(index, false);
                    if registers {
                        let name = self.tokens.text(self.text, index).to_owned();
                        let range = self.range(index);
                        self.shape.registers.push((name, range));
                    }
                }
                if kind == LT
                    && self.declaration == Some(true)
                    && let Some(last) = self.shape.registers.last_mut()
                {
                    // A row of registers: each has the name with a number.
                    last.0.push('0');
                }
            }
        }
        self.previous = Some(index);
    }

    fn leak(&mut self, index: usize, label: bool) {
        let leaked = Leaked {
            name: self.tokens.text(self.text, index).to_owned(),
            range: self.range(index),
            label,
        };
        self.shape.leaked.push((self.depth, leaked));
    }

    /// A statement ends with a token.
    fn end(&mut self, index: usize) {
        let start = self.start.take().unwrap_or(index);
        let range = self.range(start).cover(self.range(index));
        self.shape.statements.push(range);
        self.declaration = None;
    }

    fn finish(&mut self) {
        if let (Some(start), Some(last)) = (self.start, self.previous) {
            self.shape.unfinished = Some(self.range(last));
            let range = self.range(start).cover(self.range(last));
            self.shape.statements.push(range);
        }
        self.shape.closes = self.least.unsigned_abs() as u32;
        self.shape.opens = (self.depth - self.least) as u32;
        self.shape.unclosed = self.open.last().copied();
    }
}

/// The first word that says what a fragment does: an opcode with its modifiers, or a directive.
fn first(text: &str, tokens: &Tokens) -> Option<String> {
    let mut index = 0;
    while index < tokens.len() {
        match tokens.kind(index) {
            SyntaxKind::IDENT => {
                let mut after = index + 1;
                while after < tokens.len() && tokens.kind(after) == SyntaxKind::WHITESPACE {
                    after += 1;
                }
                let guard = index > 0
                    && matches!(tokens.kind(index - 1), SyntaxKind::AT | SyntaxKind::BANG);
                let label = after < tokens.len() && tokens.kind(after) == SyntaxKind::COLON;
                if !guard && !label {
                    let mut end = index + 1;
                    while end < tokens.len() && tokens.kind(end) == SyntaxKind::DOTTED {
                        end += 1;
                    }
                    return Some(text[tokens.start(index)..tokens.start(end)].to_owned());
                }
            }
            SyntaxKind::DOTTED => return Some(tokens.text(text, index).to_owned()),
            SyntaxKind::INTEGER | SyntaxKind::PERCENT | SyntaxKind::UNKNOWN => return None,
            _ => {}
        }
        index += 1;
    }
    None
}

/// The common part of the fragments of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    /// How many fragments leave blocks open.
    opening: u32,
    /// How many close blocks of others.
    closing: u32,
    /// How many begin with the end of a statement.
    finishing: u32,
    /// How many end inside a statement.
    unfinished: u32,
    /// Names that some fragment leaves declared.
    names: FxHashSet<String>,
    /// How many end inside a comment.
    in_comment: u32,
}

impl Neighbours {
    pub(super) fn add(&mut self, shape: &FragmentShape) {
        self.opening += u32::from(shape.opens > 0);
        self.closing += u32::from(shape.closes > 0);
        self.finishing += u32::from(shape.finishes.is_some());
        self.unfinished += u32::from(shape.unfinished.is_some());
        self.in_comment += u32::from(shape.in_comment);
        self.names
            .extend(shape.leaked.iter().map(|it| it.1.name.clone()));
    }

    /// Whether blocks that a fragment leaves open may be closed by others, and the other way round.
    pub(super) fn explain_braces(&self, shape: &FragmentShape) -> bool {
        (shape.opens == 0 || self.closing > u32::from(shape.closes > 0))
            && (shape.closes == 0 || self.opening > u32::from(shape.opens > 0))
    }

    /// Whether a statement may end in another fragment.
    pub(super) fn explain_end(&self, shape: &FragmentShape) -> bool {
        self.finishing > u32::from(shape.finishes.is_some())
    }

    /// Whether the semicolon that a fragment begins with may end a statement of another one.
    pub(super) fn explain_begin(&self, shape: &FragmentShape) -> bool {
        self.unfinished > u32::from(shape.unfinished.is_some())
    }

    /// Whether another fragment, or a later part of this one, may have declared a name.
    pub(super) fn declare(&self, name: &str) -> bool {
        self.names.contains(name)
    }
}
