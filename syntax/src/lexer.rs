//! Splits text into tokens.
//!
//! The lexer follows what ptxas 13.5 was measured to read: blanks are TAB, LF, FF, CR, SPACE and 0x1A;
//! a comment ends at LF only; strings have no escapes and may span lines; a period and the word
//! after it are one token, with its `::` parts; `%` starts an identifier when a word character follows.

use crate::SyntaxKind::{self, *};

/// The tokens of a text: kinds and start offsets; together they cover the text without gaps.
#[derive(Debug, Default)]
pub struct Tokens {
    kinds: Vec<SyntaxKind>,
    /// One more than `kinds`: the last entry is the length of the text.
    starts: Vec<u32>,
    /// Whether a string, comment or raw text is not closed, so that any later text could change it.
    unterminated: bool,
}

impl Tokens {
    /// Number of tokens, trivia included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether the text is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Kind of the token with this index.
    #[must_use]
    pub fn kind(&self, index: usize) -> SyntaxKind {
        self.kinds[index]
    }

    /// Start of the token with this index, in bytes; the length of the text for the index after the last.
    #[must_use]
    pub fn start(&self, index: usize) -> usize {
        self.starts[index] as usize
    }

    /// Text of the token with this index; `text` is the text that was split.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str, index: usize) -> &'a str {
        &text[self.start(index)..self.start(index + 1)]
    }

    /// Whether a string, comment or raw text is not closed.
    #[must_use]
    pub fn has_unterminated(&self) -> bool {
        self.unterminated
    }

    /// Whether a token starts at `offset`, or the text ends there.
    #[must_use]
    pub fn is_boundary(&self, offset: usize) -> bool {
        self.starts
            .binary_search_by(|it| (*it as usize).cmp(&offset))
            .is_ok()
    }
}

/// Splits a text of at most `u32::MAX` bytes into tokens. Never fails.
#[must_use]
pub fn tokenize(text: &str) -> Tokens {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        pos: 0,
        unterminated: false,
        raw_text_next: false,
        no_source_end: false,
    };
    let mut tokens = Tokens {
        kinds: Vec::with_capacity(text.len() / 3),
        starts: Vec::with_capacity(text.len() / 3 + 1),
        unterminated: false,
    };
    while lexer.pos < lexer.bytes.len() {
        let start = lexer.pos;
        let kind = lexer.next();
        debug_assert!(lexer.pos > start);
        tokens.kinds.push(kind);
        tokens.starts.push(start as u32);
    }
    tokens.starts.push(text.len() as u32);
    tokens.unterminated = lexer.unterminated;
    tokens
}

/// A byte that may appear inside an identifier.
pub(crate) fn is_word(byte: u8) -> bool {
    CLASS[byte as usize] & WORD != 0
}

fn is_blank(byte: u8) -> bool {
    CLASS[byte as usize] & BLANK != 0
}

/// Whether this is a well-formed identifier: `[A-Za-z][\w$]*` or `[_$%][\w$]+`.
#[must_use]
pub fn is_identifier(text: &str) -> bool {
    match text.as_bytes() {
        [first, rest @ ..] if first.is_ascii_alphabetic() => rest.iter().all(|it| is_word(*it)),
        [b'_' | b'$' | b'%', rest @ ..] => !rest.is_empty() && rest.iter().all(|it| is_word(*it)),
        _ => false,
    }
}

const WORD: u8 = 1;
const BLANK: u8 = 2;

/// Classes of bytes, looked up instead of compared because every byte of a file passes through here.
static CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0usize;
    while i < 256 {
        let byte = i as u8;
        if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' {
            table[i] |= WORD;
        }
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c | 0x1a) {
            table[i] |= BLANK;
        }
        i += 1;
    }
    table
};

/// The kind of each byte that is a token by itself, whatever follows.
static ALONE: [Option<SyntaxKind>; 256] = {
    let mut table = [None; 256];
    table[b'(' as usize] = Some(L_PAREN);
    table[b')' as usize] = Some(R_PAREN);
    table[b'{' as usize] = Some(L_BRACE);
    table[b'}' as usize] = Some(R_BRACE);
    table[b'[' as usize] = Some(L_BRACKET);
    table[b']' as usize] = Some(R_BRACKET);
    table[b',' as usize] = Some(COMMA);
    table[b';' as usize] = Some(SEMICOLON);
    table[b':' as usize] = Some(COLON);
    table[b'?' as usize] = Some(QUESTION);
    table[b'+' as usize] = Some(PLUS);
    table[b'-' as usize] = Some(MINUS);
    table[b'*' as usize] = Some(STAR);
    table[b'~' as usize] = Some(TILDE);
    table[b'^' as usize] = Some(CARET);
    table[b'\\' as usize] = Some(BACKSLASH);
    table
};

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
    unterminated: bool,
    /// The token before was `.source_begin`.
    raw_text_next: bool,
    /// No `.source_end` follows; remembered so that the text is searched once and not once per word.
    no_source_end: bool,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    fn skip_while(&mut self, accept: impl Fn(u8) -> bool) {
        let rest = &self.bytes[self.pos..];
        let end = rest.iter().position(|it| !accept(*it));
        self.pos += end.unwrap_or(rest.len());
    }

    fn next(&mut self) -> SyntaxKind {
        if self.raw_text_next {
            self.raw_text_next = false;
            if let Some(kind) = self.raw_text() {
                return kind;
            }
        }
        let byte = self.peek(0);
        if is_blank(byte) {
            self.pos += 1;
            self.skip_while(is_blank);
            return WHITESPACE;
        }
        if let Some(kind) = ALONE[byte as usize] {
            return self.punctuation(1, kind);
        }
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => self.word(),
            b'%' | b'$' | b'_' if is_word(self.peek(1)) => self.word(),
            b'_' => self.punctuation(1, UNDERSCORE),
            b'%' => self.punctuation(1, PERCENT),
            b'.' => self.full_stop(),
            b'0'..=b'9' => self.number(),
            b'/' if self.peek(1) == b'/' => {
                self.skip_while(|it| it != b'\n');
                // The `\r` of a CRLF line end is a blank, not a part of the comment.
                if self.pos > 0 && self.bytes[self.pos - 1] == b'\r' && self.peek(0) == b'\n' {
                    self.pos -= 1;
                }
                LINE_COMMENT
            }
            b'/' if self.peek(1) == b'*' => self.delimited(2, "*/", BLOCK_COMMENT),
            b'"' => self.delimited(1, "\"", STRING),
            b'#' => self.line_marker(),
            _ => self.operator(byte),
        }
    }

    fn punctuation(&mut self, len: usize, kind: SyntaxKind) -> SyntaxKind {
        self.pos += len;
        kind
    }

    fn operator(&mut self, byte: u8) -> SyntaxKind {
        let next = self.peek(1);
        let (len, kind) = match (byte, next) {
            (b'=', b'=') => (2, EQ_EQ),
            (b'=', _) => (1, EQ),
            (b'!', b'=') => (2, NOT_EQ),
            (b'!', _) => (1, BANG),
            (b'<', b'<') => (2, SHL),
            (b'<', b'=') => (2, LT_EQ),
            (b'<', _) => (1, LT),
            (b'>', b'>') => (2, SHR),
            (b'>', b'=') => (2, GT_EQ),
            (b'>', _) => (1, GT),
            (b'/', _) => (1, SLASH),
            (b'&', b'&') => (2, AMP_AMP),
            (b'&', _) => (1, AMP),
            (b'|', b'|') => (2, PIPE_PIPE),
            (b'|', _) => (1, PIPE),
            (b'@', b'@') => (2, AT_AT),
            (b'@', _) => (1, AT),
            _ => {
                // One token for a run of characters that PTX has no use for, so that a file in another
                // encoding gives one error per run and not one per byte.
                // The first one may also be a `$` that begins no word.
                let rest = &self.bytes[self.pos + 1..];
                let len = rest
                    .iter()
                    .position(|it| it.is_ascii() && !is_unknown(*it))
                    .unwrap_or(rest.len());
                (1 + len, UNKNOWN)
            }
        };
        self.punctuation(len, kind)
    }

    fn word(&mut self) -> SyntaxKind {
        self.pos += 1;
        self.skip_while(is_word);
        IDENT
    }

    /// `.word` with its `::` parts, a float such as `.5`, or a lone period.
    fn full_stop(&mut self) -> SyntaxKind {
        if !is_word(self.peek(1)) {
            return self.punctuation(1, UNKNOWN);
        }
        let start = self.pos;
        self.pos += 1;
        self.skip_while(is_word);
        let word = &self.bytes[start + 1..self.pos];
        if word[0].is_ascii_digit() && self.float_after_full_stop(start) {
            return FLOAT;
        }
        loop {
            // `.L2::cache_hint`, and the last part of `.sp::2:4`.
            if self.peek(0) == b':' && self.peek(1) == b':' && is_word(self.peek(2)) {
                self.pos += 2;
                let part = self.pos;
                self.skip_while(is_word);
                let digits = self.bytes[part..self.pos].iter().all(u8::is_ascii_digit);
                if digits && self.peek(0) == b':' && self.peek(1).is_ascii_digit() {
                    self.pos += 1;
                    self.skip_while(is_word);
                }
            } else {
                break;
            }
        }
        if &self.bytes[start..self.pos] == b".source_begin" {
            self.raw_text_next = true;
        }
        DOTTED
    }

    /// Whether the digits after the period at `start` form a float; moves to its end if so.
    fn float_after_full_stop(&mut self, start: usize) -> bool {
        let end = self.pos;
        self.pos = start + 1;
        self.skip_while(|it| it.is_ascii_digit());
        self.exponent();
        if self.pos >= end && !is_word(self.peek(0)) {
            return true;
        }
        self.pos = end;
        false
    }

    /// Skips `e12`, `E+5` and the like.
    fn exponent(&mut self) -> bool {
        if matches!(self.peek(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
            if self.peek(1 + sign).is_ascii_digit() {
                self.pos += 1 + sign;
                self.skip_while(|it| it.is_ascii_digit());
                return true;
            }
        }
        false
    }

    fn number(&mut self) -> SyntaxKind {
        let start = self.pos;
        let kind = match (self.peek(0), self.peek(1)) {
            (b'0', b'f' | b'F') => self.exact_float(8),
            (b'0', b'd' | b'D') => self.exact_float(16),
            (b'0', b'x' | b'X') => self.prefixed_integer(|it| it.is_ascii_hexdigit()),
            (b'0', b'b' | b'B') => self.prefixed_integer(|it| matches!(it, b'0' | b'1')),
            _ => self.decimal(start),
        };
        // `1u`, `0f3f`, `12ab`: ptxas splits these into two tokens that never fit together.
        if is_word(self.peek(0)) {
            self.skip_while(is_word);
            return BAD_NUMBER;
        }
        kind
    }

    fn exact_float(&mut self, digits: usize) -> SyntaxKind {
        self.pos += 2;
        let start = self.pos;
        self.skip_while(|it| it.is_ascii_hexdigit());
        if self.pos - start == digits {
            FLOAT
        } else {
            BAD_NUMBER
        }
    }

    fn prefixed_integer(&mut self, accept: impl Fn(u8) -> bool) -> SyntaxKind {
        self.pos += 2;
        let start = self.pos;
        self.skip_while(accept);
        let empty = self.pos == start;
        self.unsigned_suffix();
        if empty { BAD_NUMBER } else { INTEGER }
    }

    fn unsigned_suffix(&mut self) {
        if self.peek(0) == b'U' {
            self.pos += 1;
        }
    }

    fn decimal(&mut self, start: usize) -> SyntaxKind {
        self.skip_while(|it| it.is_ascii_digit());
        let digits_end = self.pos;
        let mut float = false;
        // The period belongs to the number whatever follows: `.align 4.b8` reads as `4.` and `b8`.
        if self.peek(0) == b'.' {
            self.pos += 1;
            self.skip_while(|it| it.is_ascii_digit());
            float = true;
        }
        if self.exponent() || float {
            return FLOAT;
        }
        let digits = &self.bytes[start..digits_end];
        let octal = digits.len() > 1 && digits[0] == b'0';
        self.unsigned_suffix();
        if octal && digits.iter().any(|it| matches!(it, b'8' | b'9')) {
            BAD_NUMBER
        } else {
            INTEGER
        }
    }

    /// A token that ends with `close`; without it, an unterminated token up to the end of the line.
    fn delimited(&mut self, open_len: usize, close: &str, kind: SyntaxKind) -> SyntaxKind {
        let body = self.pos + open_len;
        if let Some(len) = self.text[body..].find(close)
            && !(kind == STRING && holds_statements(&self.text[body..body + len]))
        {
            self.pos = body + len + close.len();
            return kind;
        }
        self.unterminated = true;
        if kind == BLOCK_COMMENT {
            self.pos = self.bytes.len();
        } else {
            self.skip_while(|it| it != b'\n' && it != b'\r');
        }
        UNTERMINATED
    }

    /// `# 12 "file" 1`, `#line 12 "file"`; any other line from its `#` on is one unknown token.
    fn line_marker(&mut self) -> SyntaxKind {
        let start = self.pos;
        let horizontal = |it: u8| it == b' ' || it == b'\t';
        self.pos += 1;
        self.skip_while(horizontal);
        if self.text[self.pos..].starts_with("line") {
            self.pos += 4;
        }
        self.skip_while(horizontal);
        let digits = self.pos;
        self.skip_while(|it| it.is_ascii_digit());
        if self.pos == digits || is_word(self.peek(0)) {
            // `#define` and its like: PTX has no preprocessor, so the whole line means nothing.
            self.pos = start + 1;
            self.skip_while(|it| it != b'\n' && it != b'\r');
            return UNKNOWN;
        }
        let mut end = self.pos;
        self.skip_while(horizontal);
        if self.peek(0) == b'"' {
            let rest = &self.text[self.pos + 1..];
            if let Some(len) = rest
                .find(['"', '\n'])
                .filter(|len| rest.as_bytes()[*len] == b'"')
            {
                self.pos += len + 2;
                end = self.pos;
                // Flags of the preprocessor, such as `1 3`.
                loop {
                    self.skip_while(horizontal);
                    let digits = self.pos;
                    self.skip_while(|it| it.is_ascii_digit());
                    if self.pos == digits || is_word(self.peek(0)) {
                        break;
                    }
                    end = self.pos;
                }
            }
        }
        self.pos = end;
        LINE_MARKER
    }

    /// The lines between `.source_begin` and a line that holds `.source_end`.
    fn raw_text(&mut self) -> Option<SyntaxKind> {
        if self.no_source_end {
            return None;
        }
        let rest = &self.text[self.pos..];
        let mut offset = 0;
        for line in rest.split_inclusive('\n') {
            if line.trim_start().starts_with(".source_end") {
                let len = offset + (line.len() - line.trim_start().len());
                self.pos += len;
                return (len > 0).then_some(RAW_TEXT);
            }
            offset += line.len();
        }
        self.unterminated = true;
        self.no_source_end = true;
        None
    }
}

/// An ASCII byte that starts no token.
fn is_unknown(byte: u8) -> bool {
    !is_word(byte) && !is_blank(byte) && !b"%./\"#(){}[],;:?=!<>+-*~&|^@\\".contains(&byte)
}

/// Whether the text between two quotation marks has several lines and a later one looks like PTX: the first
/// mark has no partner then, and the second one begins another string. ptxas reads on to the second one, but
/// a file name or a pragma that goes over lines is rare, and a mark that is not closed yet is not.
fn holds_statements(text: &str) -> bool {
    text.split_once('\n').is_some_and(|(_, rest)| {
        rest.contains([';', '{', '}'])
            || rest.lines().any(|line| {
                let mut characters = line.trim_start().chars();
                characters.next() == Some('.')
                    && characters.next().is_some_and(|it| it.is_ascii_alphabetic())
            })
    })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expect: Expect) {
        let tokens = tokenize(text);
        let mut out = String::new();
        for i in 0..tokens.len() {
            if tokens.kind(i) != WHITESPACE {
                out.push_str(&format!(
                    "{:?} {:?}\n",
                    tokens.kind(i),
                    tokens.text(text, i)
                ));
            }
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn words_and_modifiers() {
        check(
            "ld.global.L2::cache_hint.v4 %r1, $L_0 _ _a .16x256b .sp::2:4 .kind::mxf4 a.x",
            expect![[r#"
                IDENT "ld"
                DOTTED ".global"
                DOTTED ".L2::cache_hint"
                DOTTED ".v4"
                IDENT "%r1"
                COMMA ","
                IDENT "$L_0"
                UNDERSCORE "_"
                IDENT "_a"
                DOTTED ".16x256b"
                DOTTED ".sp::2:4"
                DOTTED ".kind::mxf4"
                IDENT "a"
                DOTTED ".x"
            "#]],
        );
    }

    #[test]
    fn numbers() {
        check(
            "0 17U 0x1F 0XaU 0b101 017 1.5 .5 1. 1.e5 1e5 1E+5 0f3F800000 0d3FF0000000000000 9.5.target 64U.entry",
            expect![[r#"
                INTEGER "0"
                INTEGER "17U"
                INTEGER "0x1F"
                INTEGER "0XaU"
                INTEGER "0b101"
                INTEGER "017"
                FLOAT "1.5"
                FLOAT ".5"
                FLOAT "1."
                FLOAT "1.e5"
                FLOAT "1e5"
                FLOAT "1E+5"
                FLOAT "0f3F800000"
                FLOAT "0d3FF0000000000000"
                FLOAT "9.5"
                DOTTED ".target"
                INTEGER "64U"
                DOTTED ".entry"
            "#]],
        );
    }

    #[test]
    fn malformed_numbers() {
        check(
            "1u 1L 1.5f 0x 08 0f3f 0d3ff 12ab 0b2 4.b8",
            expect![[r#"
                BAD_NUMBER "1u"
                BAD_NUMBER "1L"
                BAD_NUMBER "1.5f"
                BAD_NUMBER "0x"
                BAD_NUMBER "08"
                BAD_NUMBER "0f3f"
                BAD_NUMBER "0d3ff"
                BAD_NUMBER "12ab"
                BAD_NUMBER "0b2"
                BAD_NUMBER "4.b8"
            "#]],
        );
    }

    #[test]
    fn remainder_needs_a_blank() {
        check(
            "7 % 4 7%4",
            expect![[r#"
                INTEGER "7"
                PERCENT "%"
                INTEGER "4"
                INTEGER "7"
                IDENT "%4"
            "#]],
        );
    }

    #[test]
    fn trivia_and_strings() {
        check(
            "// a\r\n/* b\n */ # 12 \"f.cu\" 1 3\n#line 3\n#define X\n\"two\nlines\" é\u{0}",
            expect![[r##"
                LINE_COMMENT "// a"
                BLOCK_COMMENT "/* b\n */"
                LINE_MARKER "# 12 \"f.cu\" 1 3"
                LINE_MARKER "#line 3"
                UNKNOWN "#define X"
                STRING "\"two\nlines\""
                UNKNOWN "é\0"
            "##]],
        );
    }

    #[test]
    fn unterminated() {
        check(
            "\"abc\nret; /* x",
            expect![[r#"
                UNTERMINATED "\"abc"
                IDENT "ret"
                SEMICOLON ";"
                UNTERMINATED "/* x"
            "#]],
        );
    }

    /// A string may span lines; statements in it show that its end is missing.
    #[test]
    fn a_string_that_is_not_closed_yet() {
        check(
            "\"a\n.file 2 \"b\"\n\"c\nret;\n\"d\"\n\"two\nlines.cu\"",
            expect![[r#"
                UNTERMINATED "\"a"
                DOTTED ".file"
                INTEGER "2"
                STRING "\"b\""
                UNTERMINATED "\"c"
                IDENT "ret"
                SEMICOLON ";"
                STRING "\"d\""
                STRING "\"two\nlines.cu\""
            "#]],
        );
    }

    #[test]
    fn raw_text() {
        check(
            ".source_begin\nfoo \" {\n  .source_end\n}",
            expect![[r#"
                DOTTED ".source_begin"
                RAW_TEXT "\nfoo \" {\n  "
                DOTTED ".source_end"
                R_BRACE "}"
            "#]],
        );
    }

    #[test]
    fn lexing_covers_every_byte() {
        for text in [
            "",
            "\u{feff}.version",
            "a\u{b}b",
            "\\",
            "..",
            "%",
            "$",
            "0f",
            "#",
            "@@@",
        ] {
            let tokens = tokenize(text);
            let joined: String = (0..tokens.len()).map(|i| tokens.text(text, i)).collect();
            assert_eq!(joined, text);
        }
    }
}
