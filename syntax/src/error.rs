//! Errors of the parser.

use std::sync::Arc;

use rowan::{TextRange, TextSize};

/// Stable code of a syntax error; also the name of its documentation page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyntaxErrorCode {
    /// Something else was expected here.
    Syntax,
    /// A `(`, `[` or `{` without its partner, or the partner without it.
    UnclosedDelimiter,
    /// A word that starts like a number but is none.
    MalformedNumber,
    /// A string or comment that the file does not close.
    Unterminated,
    /// A character that no token of PTX contains.
    InvalidCharacter,
    /// More nested brackets or blocks than the parser follows.
    NestingTooDeep,
}

impl SyntaxErrorCode {
    /// Every code.
    pub const ALL: [SyntaxErrorCode; 6] = [
        SyntaxErrorCode::Syntax,
        SyntaxErrorCode::UnclosedDelimiter,
        SyntaxErrorCode::MalformedNumber,
        SyntaxErrorCode::Unterminated,
        SyntaxErrorCode::InvalidCharacter,
        SyntaxErrorCode::NestingTooDeep,
    ];

    /// The code as users see it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            SyntaxErrorCode::Syntax => "syntax-error",
            SyntaxErrorCode::UnclosedDelimiter => "unclosed-delimiter",
            SyntaxErrorCode::MalformedNumber => "malformed-number",
            SyntaxErrorCode::Unterminated => "unterminated-token",
            SyntaxErrorCode::InvalidCharacter => "invalid-character",
            SyntaxErrorCode::NestingTooDeep => "nesting-too-deep",
        }
    }
}

/// One syntax error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Stable code.
    pub code: SyntaxErrorCode,
    /// Where, as UTF-8 offsets from the start of the top-level item that contains the error. An empty
    /// range means that something is missing at that offset.
    pub range: TextRange,
    /// The problem and the expectation.
    pub message: String,
    /// A second place that explains the error, also relative to the item.
    pub related: Option<(TextRange, String)>,
    /// The punctuation that is missing, where that is plain. It belongs directly after the last token
    /// before `range`, or before the place in `related` if there is one.
    pub missing: Option<&'static str>,
    /// The advice, where the message does not say it.
    pub help: Option<&'static str>,
}

impl SyntaxError {
    /// The same error with its ranges moved by `offset` towards the end of the text.
    #[must_use]
    pub fn shifted(&self, offset: TextSize) -> SyntaxError {
        SyntaxError {
            code: self.code,
            range: self.range + offset,
            message: self.message.clone(),
            related: self
                .related
                .as_ref()
                .map(|(range, message)| (*range + offset, message.clone())),
            missing: self.missing,
            help: self.help,
        }
    }
}

/// The errors of each element of a source file, in the order of the children of the root; an element
/// without errors has an empty list.
pub type ItemErrors = Vec<Arc<[SyntaxError]>>;
