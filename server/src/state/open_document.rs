//! A document that the client has open, and its text.

use syntax::Document;

use super::{Event, schedule::Schedule};

/// Bytes from which on a text is parsed by a worker; a shorter one takes a few milliseconds.
pub(super) const LONG_TEXT: usize = 128 << 10;

/// A document that the client has open.
pub(super) struct OpenDocument {
    pub(super) text: DocumentText,
    pub(super) version: i32,
    /// When diagnostics are due, for clients that do not ask for them.
    pub(super) schedule: Schedule,
}

impl OpenDocument {
    pub(super) fn new(text: DocumentText, version: i32) -> OpenDocument {
        OpenDocument {
            text,
            version,
            schedule: Schedule::default(),
        }
    }

    /// The text, while a worker parses it.
    pub(super) fn parsing(&mut self) -> Option<&mut Parsing> {
        match &mut self.text {
            DocumentText::Parsing(parsing) => Some(parsing),
            DocumentText::Parsed(_) | DocumentText::Host => None,
        }
    }
}

/// The text of an open document.
pub(super) enum DocumentText {
    /// A worker parses it.
    Parsing(Parsing),
    /// The state thread owns it.
    Parsed(Document),
    /// It is in another language; see [`super::State`].
    Host,
}

/// A text that a worker parses.
pub(super) struct Parsing {
    /// Number of the attempt; results of older ones are void.
    pub(super) load: u64,
    /// The messages that arrived since and have to wait for the text, in the order of the wire.
    pub(super) held: Vec<Event>,
}

impl DocumentText {
    /// The document, unless it is still being parsed.
    pub(super) fn document(&mut self) -> Option<&mut Document> {
        match self {
            DocumentText::Parsing(_) | DocumentText::Host => None,
            DocumentText::Parsed(document) => Some(document),
        }
    }
}
