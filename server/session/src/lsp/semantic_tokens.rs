//! Semantic tokens: the legend, the relative encoding and differences between answers.
//!
//! Default themes colour only the standard token types, so the types of the analysis are mapped to
//! the standard types whose usual colours tell them apart:
//!
//! | PTX | LSP | why |
//! |---|---|---|
//! | opcode | `keyword` | the words that are read first |
//! | modifier | `modifier` | themes colour it like `static` or `const` |
//! | type | `type` | |
//! | state space | `namespace` | a space of addresses |
//! | directive, `#` line | `macro` | statements to the assembler, not to the machine |
//! | register | `variable` | |
//! | special register | `variable` with `readonly` and `defaultLibrary` | predefined |
//! | variable in memory | `variable` with `static` | |
//! | label | `label` | standard since LSP 3.18, known to VS Code for longer |
//! | named constant | `enumMember` | |
//!
//! The rest has the obvious counterpart.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use analysis::{FileId, TokenModifiers, TokenType};
use rustc_hash::FxHashMap;
use syntax::{
    TextRange, TextSize,
    text::{Encoding, LineTable},
};

use super::lsp_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokensEdit,
    SemanticTokensLegend,
};

const TYPES: &[SemanticTokenType] = &[
    SemanticTokenType::KEYWORD,
    SemanticTokenType::MODIFIER,
    SemanticTokenType::TYPE,
    SemanticTokenType::NAMESPACE,
    SemanticTokenType::MACRO,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::new("label"),
    SemanticTokenType::FUNCTION,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::NUMBER,
    SemanticTokenType::STRING,
    SemanticTokenType::COMMENT,
    SemanticTokenType::OPERATOR,
];

/// The modifiers of the analysis in the order of their bits, then the modifiers of the table above.
const MODIFIERS: &[SemanticTokenModifier] = &[
    SemanticTokenModifier::DECLARATION,
    SemanticTokenModifier::DEFINITION,
    SemanticTokenModifier::READONLY,
    SemanticTokenModifier::DEPRECATED,
    SemanticTokenModifier::MODIFICATION,
    SemanticTokenModifier::STATIC,
    SemanticTokenModifier::DEFAULT_LIBRARY,
];
const STATIC: u32 = 1 << 5;
const DEFAULT_LIBRARY: u32 = 1 << 6;

/// The token types and modifiers that answers refer to by number.
pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TYPES.to_vec(),
        token_modifiers: MODIFIERS.to_vec(),
    }
}

/// Index in [`TYPES`] and further modifier bits.
fn encode_type(token_type: TokenType) -> (u32, u32) {
    match token_type {
        TokenType::Opcode => (0, 0),
        TokenType::Modifier => (1, 0),
        TokenType::Type => (2, 0),
        TokenType::StateSpace => (3, 0),
        TokenType::Directive | TokenType::Macro => (4, 0),
        TokenType::Register => (5, 0),
        TokenType::SpecialRegister => (5, TokenModifiers::READONLY.0 | DEFAULT_LIBRARY),
        TokenType::Variable => (5, STATIC),
        TokenType::Parameter => (6, 0),
        TokenType::Label => (7, 0),
        TokenType::Function => (8, 0),
        TokenType::Constant => (9, 0),
        TokenType::Number => (10, 0),
        TokenType::String => (11, 0),
        TokenType::Comment => (12, 0),
        TokenType::Operator => (13, 0),
    }
}

/// Encodes sorted tokens as LSP wants them: each relative to the one before.
///
/// Tokens over several lines become one token per line unless `multiline` allows them.
pub fn encode(
    tokens: &[analysis::SemanticToken],
    lines: &LineTable,
    encoding: Encoding,
    multiline: bool,
) -> Vec<SemanticToken> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut line = Line::new(0, lines, encoding);
    let (mut last_line, mut last_column) = (0, 0);
    let mut push = |line: &Line<'_>, start: TextSize, (token_type, bits): (u32, u32), length| {
        let column = line.column(start);
        let delta_line = line.number - last_line;
        let delta_start = match delta_line {
            0 => column - last_column,
            _ => column,
        };
        (last_line, last_column) = (line.number, column);
        out.push(SemanticToken {
            delta_line,
            delta_start,
            length,
            token_type,
            token_modifiers_bitset: bits,
        });
    };
    for token in tokens {
        let (token_type, extra) = encode_type(token.token_type);
        let kind = (token_type, token.modifiers.0 | extra);
        line.advance_to(token.range.start());
        if token.range.end() <= line.end {
            push(&line, token.range.start(), kind, line.columns(token.range));
            continue;
        }
        let first = line.clone();
        let mut length = 0;
        loop {
            let whole = TextRange::new(line.start, line.end);
            let part = whole.intersect(token.range).unwrap_or_default();
            if multiline {
                length += line.columns(part);
            } else if !part.is_empty() {
                push(&line, part.start(), kind, line.columns(part));
            }
            if token.range.end() <= line.next || line.is_last() {
                break;
            }
            // A line break counts as one column.
            length += 1;
            line = Line::new(line.number + 1, lines, encoding);
        }
        if multiline {
            push(&first, token.range.start(), kind, length);
        }
    }
    out
}

/// A line that sorted tokens are placed in, so that few columns have to be looked up.
#[derive(Clone)]
struct Line<'a> {
    lines: &'a LineTable,
    encoding: Encoding,
    number: u32,
    start: TextSize,
    /// End of the line without its break.
    end: TextSize,
    /// Start of the next line, or the end of the text.
    next: TextSize,
    /// Columns are bytes, as in almost all lines.
    plain: bool,
}

impl<'a> Line<'a> {
    fn new(number: u32, lines: &'a LineTable, encoding: Encoding) -> Line<'a> {
        let (start, end) = (lines.line_start(number), lines.line_end(number));
        let columns = lines.position(end, encoding).character;
        Line {
            lines,
            encoding,
            number,
            start,
            end,
            next: lines.line_start(number + 1),
            plain: columns == u32::from(end - start),
        }
    }

    fn is_last(&self) -> bool {
        self.number + 1 >= self.lines.line_count()
    }

    fn advance_to(&mut self, offset: TextSize) {
        if offset >= self.next && !self.is_last() {
            *self = Line::new(self.lines.line_of(offset), self.lines, self.encoding);
        }
    }

    fn column(&self, offset: TextSize) -> u32 {
        if self.plain {
            u32::from(offset - self.start)
        } else {
            self.lines.position(offset, self.encoding).character
        }
    }

    fn columns(&self, range: TextRange) -> u32 {
        self.column(range.end()) - self.column(range.start())
    }
}

/// The one edit that turns `old` into `new`: the part between the common start and end.
pub fn diff(old: &[SemanticToken], new: &[SemanticToken]) -> Vec<SemanticTokensEdit> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[start..], &new[start..]);
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (removed, inserted) = (old.len() - tail, &new[..new.len() - tail]);
    if removed == 0 && inserted.is_empty() {
        return Vec::new();
    }
    // Five numbers per token.
    vec![SemanticTokensEdit {
        start: 5 * u32::try_from(start).unwrap_or(u32::MAX),
        delete_count: 5 * u32::try_from(removed).unwrap_or(u32::MAX),
        data: Some(inserted.to_vec()),
    }]
}

/// 200,000 tokens are some 600 kB of PTX.
const MAX_STORED: usize = 200_000;

/// The latest answer for each open file, to send differences from.
#[derive(Debug, Default)]
pub struct TokenCache {
    next_id: AtomicU64,
    files: Mutex<FxHashMap<FileId, (String, Vec<SemanticToken>)>>,
}

impl TokenCache {
    /// Stores an answer and returns its id and the answer that it replaces.
    ///
    /// A very large one is not stored and gets no id: it would need as much memory as the tree.
    pub fn replace(
        &self,
        file: FileId,
        tokens: &[SemanticToken],
    ) -> (Option<String>, Option<(String, Vec<SemanticToken>)>) {
        if tokens.len() > MAX_STORED {
            return (None, self.lock().remove(&file));
        }
        let id = self.next_id.fetch_add(1, Ordering::Relaxed).to_string();
        let old = self.lock().insert(file, (id.clone(), tokens.to_vec()));
        (Some(id), old)
    }

    /// Forgets a file that was closed.
    pub fn forget(&self, file: FileId) {
        self.lock().remove(&file);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, FxHashMap<FileId, (String, Vec<SemanticToken>)>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn token(start: u32, end: u32, token_type: TokenType) -> analysis::SemanticToken {
        analysis::SemanticToken {
            range: TextRange::new(start.into(), end.into()),
            token_type,
            modifiers: TokenModifiers::default(),
        }
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "the convention of expect-test"
    )]
    fn check(text: &str, tokens: &[analysis::SemanticToken], multiline: bool, expect: Expect) {
        let lines = LineTable::new(text);
        let out: String = encode(tokens, &lines, Encoding::Utf16, multiline)
            .iter()
            .map(|it| {
                let name = TYPES[it.token_type as usize].as_str();
                let (line, start) = (it.delta_line, it.delta_start);
                format!(
                    "+{line}:{start} {} {name} {:b}\n",
                    it.length, it.token_modifiers_bitset
                )
            })
            .collect();
        expect.assert_eq(&out);
    }

    #[test]
    fn tokens_are_relative() {
        check(
            "add %r1;\n  mov %tid;",
            &[
                token(0, 3, TokenType::Opcode),
                token(4, 7, TokenType::Register),
                token(11, 14, TokenType::Opcode),
                token(15, 19, TokenType::SpecialRegister),
            ],
            false,
            expect![[r#"
                +0:0 3 keyword 0
                +0:4 3 variable 0
                +1:2 3 keyword 0
                +0:4 4 variable 1000100
            "#]],
        );
    }

    #[test]
    fn comments_over_lines_are_split_or_counted() {
        let text = "a /* 😀\r\n\r\n x */ b";
        let tokens = [
            token(2, 18, TokenType::Comment),
            token(19, 20, TokenType::Label),
        ];
        check(
            text,
            &tokens,
            false,
            expect![[r#"
                +0:2 5 comment 0
                +2:0 5 comment 0
                +0:6 1 label 0
            "#]],
        );
    }

    #[test]
    fn places_are_those_of_the_line_table() {
        let text = "ä b\nc d\n\n😀 e 😀 f\r\n\ng";
        let lines = LineTable::new(text);
        let starts = text
            .char_indices()
            .filter(|(_, char)| !char.is_whitespace());
        let tokens: Vec<_> = starts
            .map(|(at, char)| {
                let start = u32::try_from(at).expect("short text");
                let end = start + u32::try_from(char.len_utf8()).expect("short character");
                token(start, end, TokenType::Label)
            })
            .collect();
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            let (mut line, mut character) = (0, 0);
            for (encoded, token) in encode(&tokens, &lines, encoding, false).iter().zip(&tokens) {
                if encoded.delta_line > 0 {
                    character = 0;
                }
                line += encoded.delta_line;
                character += encoded.delta_start;
                let start = lines.position(token.range.start(), encoding);
                let end = lines.position(token.range.end(), encoding);
                assert_eq!((line, character), (start.line, start.character));
                assert_eq!(encoded.length, end.character - start.character);
            }
        }
    }

    #[test]
    fn differences_are_one_edit() {
        let lines = LineTable::new("a b c d");
        let all = |types: [TokenType; 4]| {
            let tokens: Vec<_> = (0..4)
                .map(|it| token(2 * it, 2 * it + 1, types[it as usize]))
                .collect();
            encode(&tokens, &lines, Encoding::Utf8, false)
        };
        let (label, opcode) = (TokenType::Label, TokenType::Opcode);
        let old = all([label, label, label, label]);
        let new = all([label, opcode, label, label]);
        assert_eq!(diff(&old, &old), []);
        let edits = diff(&old, &new);
        assert_eq!(edits.len(), 1);
        assert_eq!((edits[0].start, edits[0].delete_count), (5, 5));
        assert_eq!(edits[0].data.as_deref(), Some(&new[1..2]));
        assert_eq!(diff(&old, &[])[0].delete_count, 20);
    }
}
