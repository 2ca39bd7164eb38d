//! The machinery of the parser: a token cursor over a tree builder.
//!
//! The grammar itself is in [`crate::grammar`]. Trees are built directly, without an event list: a
//! node that turns out to be the left side of a larger one is wrapped by means of a checkpoint.

use std::sync::Arc;

use rowan::{GreenNode, TextRange, TextSize};

use crate::{
    ItemErrors, SyntaxError, SyntaxErrorCode,
    SyntaxKind::{self, *},
    builder::{Builder, Checkpoint},
    lexer::{Tokens, tokenize},
};

/// Deepest nesting of blocks and of brackets that the parser follows; beyond it the brackets become
/// plain tokens, with an error. Keeps the stack bounded on any input.
pub(crate) const MAX_DEPTH: u32 = 512;

/// Pseudo kind of the end of the text; no token has the kind of the root node.
pub(crate) const END: SyntaxKind = SOURCE_FILE;

/// Distributes errors with offsets into the text of `tree` over its children.
pub(crate) fn errors_by_child(tree: &GreenNode, errors: Vec<SyntaxError>) -> ItemErrors {
    let none: Arc<[SyntaxError]> = Arc::from([]);
    let mut errors = errors.into_iter().peekable();
    let mut start = TextSize::from(0);
    let mut out = Vec::with_capacity(tree.children().len());
    let mut children = tree.children().peekable();
    while let Some(child) = children.next() {
        let end = start
            + match child {
                rowan::NodeOrToken::Node(it) => it.text_len(),
                rowan::NodeOrToken::Token(it) => it.text_len(),
            };
        let last = children.peek().is_none();
        let mut list = Vec::new();
        // An error at the end of an item is about that item: something is missing there.
        while let Some(mut error) =
            errors.next_if(|it| last || it.range.start() < end || it.range.end() <= end)
        {
            error.range -= start;
            if let Some((range, _)) = &mut error.related {
                *range -= start;
            }
            list.push(error);
        }
        out.push(if list.is_empty() {
            none.clone()
        } else {
            list.into()
        });
        start = end;
    }
    out
}

/// Result of parsing a piece of a file.
pub(crate) struct PartialParse {
    pub(crate) tree: GreenNode,
    /// Errors, sorted, with offsets into the piece.
    pub(crate) errors: Vec<SyntaxError>,
    pub(crate) unterminated: bool,
    /// Whether the grammar rule consumed all tokens.
    pub(crate) consumed: bool,
    /// Whether the last child of the root ended with its own last token, whatever follows.
    pub(crate) complete: bool,
    /// Whether the last run of statements continues with whatever follows.
    pub(crate) run_open: bool,
    pub(crate) tokens: Tokens,
}

/// Parses `text` by one grammar rule, as if it stood `depth` blocks deep.
pub(crate) fn parse_part(text: &str, depth: u32, rule: fn(&mut Parser<'_>)) -> PartialParse {
    let tokens = tokenize(text);
    let mut parser = Parser {
        text,
        tokens: &tokens,
        consumed: 0,
        current: 0,
        previous_end: 0,
        previous: END,
        builder: Builder::new(text.len()),
        errors: Vec::new(),
        depth,
        lexical_error: false,
        height: 0,
        initializer: false,
        misaligned: None,
        complete: true,
        run_open: false,
    };
    parser.skip_trivia();
    rule(&mut parser);
    let consumed = parser.consumed == tokens.len();
    let (complete, run_open) = (parser.complete, parser.run_open);
    let (builder, mut errors) = (parser.builder, parser.errors);
    errors.sort_by_key(|it| (it.range.start(), it.range.end()));
    PartialParse {
        tree: builder.finish(),
        errors,
        unterminated: tokens.has_unterminated(),
        consumed,
        complete,
        run_open,
        tokens,
    }
}

/// A cursor over tokens that builds a tree.
pub(crate) struct Parser<'a> {
    text: &'a str,
    tokens: &'a Tokens,
    /// Tokens before this index are in the tree.
    consumed: usize,
    /// The next token that is not trivia.
    current: usize,
    /// End of the last token that is not trivia, and its kind.
    previous_end: usize,
    previous: SyntaxKind,
    builder: Builder,
    errors: Vec<SyntaxError>,
    depth: u32,
    /// A token before the current one was reported; what it breaks is not reported again.
    lexical_error: bool,
    /// Height of the tree of the expression that was read last.
    pub(crate) height: u32,
    /// Whether the expression that is read is an initial value.
    pub(crate) initializer: bool,
    /// The `{` of the first block of the function whose `}` is further left than it: where a `}` is
    /// missing in the end, it is most likely this block's.
    misaligned: Option<TextRange>,
    /// Whether the last item or statement ended by its own last token.
    pub(crate) complete: bool,
    /// Whether the last run of statements was not ended by its last statement.
    pub(crate) run_open: bool,
}

impl<'a> Parser<'a> {
    // ---- Looking -------------------------------------------------------------------------------

    /// Kind of the current token, [`END`] at the end of the text.
    pub(crate) fn kind(&self) -> SyntaxKind {
        if self.current < self.tokens.len() {
            self.tokens.kind(self.current)
        } else {
            END
        }
    }

    pub(crate) fn at(&self, kind: SyntaxKind) -> bool {
        self.kind() == kind
    }

    /// Text of the current token.
    pub(crate) fn current_text(&self) -> &'a str {
        if self.current < self.tokens.len() {
            self.tokens.text(self.text, self.current)
        } else {
            ""
        }
    }

    /// The index after `index` of a token that is not trivia.
    pub(crate) fn next_index(&self, index: usize) -> usize {
        let mut index = index + 1;
        while index < self.tokens.len() && is_skipped(self.tokens.kind(index)) {
            index += 1;
        }
        index
    }

    pub(crate) fn current_index(&self) -> usize {
        self.current
    }

    pub(crate) fn kind_at(&self, index: usize) -> SyntaxKind {
        if index < self.tokens.len() {
            self.tokens.kind(index)
        } else {
            END
        }
    }

    pub(crate) fn text_at(&self, index: usize) -> &'a str {
        if index < self.tokens.len() {
            self.tokens.text(self.text, index)
        } else {
            ""
        }
    }

    /// Kind of the token after the current one, trivia excluded.
    pub(crate) fn second(&self) -> SyntaxKind {
        self.kind_at(self.next_index(self.current))
    }

    /// Whether the current token is this dotted word.
    pub(crate) fn at_dotted(&self, word: &str) -> bool {
        self.at(DOTTED) && self.current_text() == word
    }

    /// Whether a line ends between the last consumed token and the current one.
    pub(crate) fn line_break_before(&self) -> bool {
        self.text.as_bytes()[self.previous_end..self.tokens.start(self.current)].contains(&b'\n')
    }

    /// Whether a line ends between the token before `index`, which is not trivia, and that token.
    pub(crate) fn line_break_before_index(&self, index: usize) -> bool {
        (self.current..index)
            .rev()
            .map_while(|it| self.kind_at(it).is_trivia().then(|| self.text_at(it)))
            .any(|it| it.as_bytes().contains(&b'\n'))
    }

    /// Whether nothing is between the last consumed token and the current one.
    pub(crate) fn adjacent(&self) -> bool {
        self.previous_end == self.tokens.start(self.current)
    }

    /// Kind of the last consumed token.
    pub(crate) fn previous(&self) -> SyntaxKind {
        self.previous
    }

    // ---- Consuming -----------------------------------------------------------------------------

    /// Puts the next token into the tree.
    fn take(&mut self) {
        let start = self.tokens.start(self.consumed);
        let len = self.tokens.start(self.consumed + 1) - start;
        let kind = self.tokens.kind(self.consumed);
        self.builder.token(kind, self.text, start, len);
        self.consumed += 1;
    }

    /// Puts trivia before the current token into the tree.
    fn flush(&mut self) {
        while self.consumed < self.current {
            self.take();
        }
    }

    fn skip_trivia(&mut self) {
        self.lexical_error = false;
        while self.current < self.tokens.len() && is_skipped(self.tokens.kind(self.current)) {
            let kind = self.tokens.kind(self.current);
            if !kind.is_trivia() {
                self.report_token(kind);
                self.lexical_error = true;
            }
            self.current += 1;
        }
    }

    /// Consumes the current token.
    pub(crate) fn bump(&mut self) {
        if self.current >= self.tokens.len() {
            return;
        }
        self.flush();
        let kind = self.tokens.kind(self.current);
        if kind == BAD_NUMBER {
            self.report_token(kind);
        } else if kind == STRING {
            self.report_foreign_character();
        }
        self.take();
        self.previous_end = self.tokens.start(self.current + 1);
        self.previous = kind;
        self.current += 1;
        self.skip_trivia();
    }

    pub(crate) fn eat(&mut self, kind: SyntaxKind) -> bool {
        let at = self.at(kind);
        if at {
            self.bump();
        }
        at
    }

    /// Starts a node; trivia before it stays outside.
    pub(crate) fn start(&mut self, kind: SyntaxKind) {
        self.flush();
        self.builder.start_node(kind);
    }

    /// Starts an item or statement; trivia before it goes inside.
    pub(crate) fn start_with_trivia(&mut self, kind: SyntaxKind) {
        self.builder.start_node(kind);
    }

    pub(crate) fn finish(&mut self) {
        self.builder.finish_node();
    }

    /// Remembers this place for [`Parser::start_at`].
    pub(crate) fn checkpoint(&mut self) -> Checkpoint {
        self.flush();
        self.builder.checkpoint()
    }

    pub(crate) fn start_at(&mut self, checkpoint: Checkpoint, kind: SyntaxKind) {
        self.builder.start_node_at(checkpoint, kind);
    }

    /// Puts what trails an item or statement on its last line into it: trivia up to the last comment
    /// before a line break.
    pub(crate) fn attach_trailing_comments(&mut self) {
        let mut end = self.consumed;
        for index in self.consumed..self.current {
            let kind = self.tokens.kind(index);
            let text = self.tokens.text(self.text, index);
            if text.as_bytes().contains(&b'\n') || !kind.is_trivia() {
                break;
            }
            if matches!(kind, LINE_COMMENT | BLOCK_COMMENT) {
                end = index + 1;
            }
        }
        while self.consumed < end {
            self.take();
        }
    }

    /// Puts everything that is left into the tree.
    pub(crate) fn flush_rest(&mut self) {
        self.flush();
    }

    /// Start of the current token.
    pub(crate) fn offset(&self) -> usize {
        self.tokens.start(self.current)
    }

    /// The text from `start` to the end of the last consumed token.
    pub(crate) fn text_since(&self, start: usize) -> &'a str {
        &self.text[start..self.previous_end.max(start)]
    }

    // ---- Nesting -------------------------------------------------------------------------------

    /// Enters a bracket or block, unless the nesting is too deep; pair with [`Parser::leave`].
    pub(crate) fn enter(&mut self) -> bool {
        if self.depth >= MAX_DEPTH {
            return false;
        }
        self.depth += 1;
        true
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Whether the place is inside a body.
    pub(crate) fn in_body(&self) -> bool {
        self.depth > 0
    }

    /// Whether the place is in the body of a function, outside blocks in it.
    pub(crate) fn in_outermost_block(&self) -> bool {
        self.depth == 1
    }

    /// Consumes tokens flatly where the nesting is too deep: the bracket and everything up to the end
    /// of the statement.
    pub(crate) fn too_deep(&mut self) {
        self.error_at(
            SyntaxErrorCode::NestingTooDeep,
            self.current_range(),
            format!("more than {MAX_DEPTH} nested brackets or blocks are not analysed"),
        );
        self.start(ERROR);
        let mut braces = 0usize;
        loop {
            match self.kind() {
                END => break,
                SEMICOLON if braces == 0 => break,
                R_BRACE if braces == 0 => break,
                R_BRACE => braces -= 1,
                L_BRACE => braces += 1,
                _ => {}
            }
            self.bump();
        }
        self.finish();
        // The brackets around it lack their partners now; that is not news.
        self.lexical_error = true;
    }

    /// The column of an offset with nothing but blanks before it on its line, in bytes.
    fn indentation(&self, offset: usize) -> Option<usize> {
        let before = &self.text.as_bytes()[..offset];
        let blanks = before
            .iter()
            .rev()
            .take_while(|it| matches!(it, b' ' | b'\t'))
            .count();
        let line = before.len() - blanks;
        (line == 0 || before[line - 1] == b'\n').then_some(blanks)
    }

    /// Forgets the blocks of the function before.
    pub(crate) fn start_function(&mut self) {
        self.misaligned = None;
    }

    /// Compares the indentation of the current `}` with the indentation of its `{`.
    pub(crate) fn compare_indentation(&mut self, open: TextRange) {
        let close = self.indentation(self.offset());
        if self.misaligned.is_none()
            && close
                .zip(self.indentation(open.start().into()))
                .is_some_and(|(close, open)| close < open)
        {
            self.misaligned = Some(open);
        }
    }

    /// The block whose `}` is missing when the `}` of `open` is not found.
    pub(crate) fn unclosed_block(&mut self, open: TextRange) -> TextRange {
        self.misaligned.take().unwrap_or(open)
    }

    // ---- Errors --------------------------------------------------------------------------------

    /// Range of the current token, empty at the end of the text.
    pub(crate) fn current_range(&self) -> TextRange {
        let start = self.tokens.start(self.current);
        let end = if self.current < self.tokens.len() {
            self.tokens.start(self.current + 1)
        } else {
            start
        };
        range(start, end)
    }

    /// The empty range after the last consumed token.
    pub(crate) fn previous_end_range(&self) -> TextRange {
        range(self.previous_end, self.previous_end)
    }

    pub(crate) fn error_at(&mut self, code: SyntaxErrorCode, range: TextRange, message: String) {
        self.errors.push(SyntaxError {
            code,
            range,
            message,
            related: None,
            missing: None,
            help: None,
        });
    }

    /// Reports an error of the syntax with what to do about it.
    pub(crate) fn error_with_help(&mut self, range: TextRange, message: &str, help: &'static str) {
        self.error_at(SyntaxErrorCode::Syntax, range, message.to_owned());
        if let Some(error) = self.errors.last_mut() {
            error.help = Some(help);
        }
    }

    /// Reports that the current token is not what belongs here.
    ///
    /// A token missing at the end of a line is reported there and not at the next line's first word.
    pub(crate) fn expected(&mut self, what: &str) {
        if self.at(END) || self.line_break_before() {
            let message = format!("expected {what}");
            self.report_expected(self.previous_end_range(), message);
        } else {
            let message = format!(
                "expected {what}, found {}",
                describe(self.kind(), self.current_text())
            );
            self.report_expected(self.current_range(), message);
        }
    }

    /// Reports what is expected at an offset, once.
    fn report_expected(&mut self, range: TextRange, message: String) {
        let reported = self.errors.last().is_some_and(|it| {
            it.range == range
                || it
                    .related
                    .as_ref()
                    .is_some_and(|(place, _)| *place == range)
        });
        if !self.lexical_error && !reported {
            self.error_at(SyntaxErrorCode::Syntax, range, message);
        }
    }

    /// Reports that the current token is not what belongs here, and that `missing` before it would do.
    pub(crate) fn expected_missing(&mut self, what: &str, missing: &'static str) {
        let before = self.errors.len();
        self.expected(what);
        for error in &mut self.errors[before..] {
            error.missing = Some(missing);
        }
    }

    /// Consumes a token of this kind or reports that it is missing.
    pub(crate) fn expect(&mut self, kind: SyntaxKind, what: &str) -> bool {
        let found = self.eat(kind);
        if !found {
            self.expected(what);
        }
        found
    }

    /// Consumes the closing partner of a bracket that was opened at `open`.
    pub(crate) fn expect_close(&mut self, kind: SyntaxKind, open: TextRange) -> bool {
        if self.eat(kind) {
            return true;
        }
        if !self.lexical_error {
            let (open_text, close_text) = match kind {
                R_PAREN => ("(", ")"),
                R_BRACKET => ("[", "]"),
                _ => ("{", "}"),
            };
            let place = if self.at(END) || self.line_break_before() {
                self.previous_end_range()
            } else {
                self.current_range()
            };
            self.errors.push(SyntaxError {
                code: SyntaxErrorCode::UnclosedDelimiter,
                range: open,
                message: format!("unclosed `{open_text}`"),
                related: Some((place, format!("expected `{close_text}` here"))),
                // Where the statement ends, so does what it opened.
                missing: (kind != R_BRACE && self.at(SEMICOLON)).then_some(close_text),
                help: None,
            });
        }
        false
    }

    /// Says of the bracket opened at `open`, if it was just reported as unclosed, where it is closed best.
    pub(crate) fn close_at(&mut self, open: TextRange, close: SyntaxKind, end: TextRange) {
        if let Some(error) = self.errors.last_mut()
            && error.code == SyntaxErrorCode::UnclosedDelimiter
            && error.range == open
            && let Some((place, _)) = &mut error.related
        {
            *place = end;
            error.missing = Some(if close == R_BRACE { "}" } else { "]" });
        }
    }

    /// Consumes the current token as an error.
    pub(crate) fn bump_as_error(&mut self) {
        self.start(ERROR);
        self.bump();
        self.finish();
    }

    /// The first character of a string that is not ASCII. Only comments may contain others.
    fn report_foreign_character(&mut self) {
        let text = self.tokens.text(self.text, self.current);
        let Some((at, character)) = text.char_indices().find(|it| !it.1.is_ascii()) else {
            return;
        };
        let start = self.tokens.start(self.current) + at;
        self.error_at(
            SyntaxErrorCode::InvalidCharacter,
            range(start, start + character.len_utf8()),
            format!("`{character}` is not ASCII: ptxas reads other characters in comments only"),
        );
    }

    fn report_token(&mut self, kind: SyntaxKind) {
        let text = self.tokens.text(self.text, self.current);
        let start = self.tokens.start(self.current);
        let (code, message) = match kind {
            BAD_NUMBER => (SyntaxErrorCode::MalformedNumber, malformed_number(text)),
            UNTERMINATED if text.starts_with('"') => (
                SyntaxErrorCode::Unterminated,
                "this string is not closed by a second `\"`".to_owned(),
            ),
            UNTERMINATED => (
                SyntaxErrorCode::Unterminated,
                "this comment is not closed by `*/`".to_owned(),
            ),
            _ => (SyntaxErrorCode::InvalidCharacter, invalid_character(text)),
        };
        // The opening of an unterminated comment is what has to be looked at, not the rest of the file.
        let end = if kind == UNTERMINATED && text.starts_with("/*") {
            start + 2
        } else {
            start + text.len()
        };
        self.error_at(code, range(start, end), message);
    }
}

/// Tokens that the grammar never sees: trivia, and tokens that are reported where they are.
fn is_skipped(kind: SyntaxKind) -> bool {
    kind.is_trivia() || matches!(kind, UNTERMINATED | UNKNOWN)
}

fn range(start: usize, end: usize) -> TextRange {
    TextRange::new(TextSize::from(start as u32), TextSize::from(end as u32))
}

/// How a message names a token.
pub(crate) fn describe(kind: SyntaxKind, text: &str) -> String {
    match kind {
        END => "the end of the file".to_owned(),
        STRING => "a string".to_owned(),
        RAW_TEXT => "raw text".to_owned(),
        _ if text.len() > 40 => {
            let cut = (0..=37)
                .rev()
                .find(|it| text.is_char_boundary(*it))
                .unwrap_or(0);
            format!("`{}…`", &text[..cut])
        }
        _ => format!("`{text}`"),
    }
}

/// Whether the text is a decimal integer and a dotted word without a blank between them.
fn dotted_word(text: &str) -> bool {
    text.split_once('.').is_some_and(|(number, word)| {
        number.bytes().all(|it| it.is_ascii_digit())
            && word.starts_with(|it: char| it.is_ascii_alphabetic())
    })
}

fn malformed_number(text: &str) -> String {
    let bytes = text.as_bytes();
    let hint = match bytes {
        [b'0', b'f' | b'F', ..] => "`0f` needs exactly 8 hexadecimal digits",
        [b'0', b'd' | b'D', ..] => "`0d` needs exactly 16 hexadecimal digits",
        [b'0', b'x' | b'X', ..] => "`0x` needs hexadecimal digits",
        [b'0', b'b' | b'B', ..] => "`0b` needs the digits 0 and 1",
        [b'0', rest @ ..] if !rest.is_empty() && rest.iter().all(u8::is_ascii_digit) => {
            "a number that starts with 0 is octal and has no digits 8 and 9"
        }
        _ if dotted_word(text) => "the `.` is part of the number; put a space before it",
        [.., b'u'] => "the suffix of an unsigned integer is a capital `U`",
        _ => "integers take no suffix but `U`, and floats none",
    };
    format!("malformed number {}: {hint}", describe(BAD_NUMBER, text))
}

/// Depends on the text alone and not on its place: a window of a reparse starts anywhere.
fn invalid_character(text: &str) -> String {
    if text.starts_with('\u{feff}') {
        return "ptxas rejects a byte order mark; save the file as UTF-8 without one".to_owned();
    }
    let first = text.chars().next().unwrap_or('\u{fffd}');
    match first {
        '#' => "PTX has no preprocessor; only line markers such as `# 12 \"file.cu\"` may start with `#`".to_owned(),
        '.' => "expected a modifier after `.`".to_owned(),
        '\'' => "PTX has no character literals".to_owned(),
        c if !c.is_ascii() => format!("`{c}` is not ASCII; outside comments and strings PTX is ASCII only"),
        c if c.is_ascii_control() => format!("the control character U+{:04X} is not allowed", c as u32),
        c => format!("`{c}` is not a valid character in PTX"),
    }
}
