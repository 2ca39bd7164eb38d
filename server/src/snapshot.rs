//! What a worker may look at while it answers a question.

use std::sync::{Arc, PoisonError, RwLock};

use analysis::{Analysis, Cancelled, Diagnostic, ExactEntry, FileId, FilePosition, FileRange};
use syntax::{
    FileContents, TextRange, TextSize,
    text::{Encoding, LineTable},
};

use crate::{
    config::Features,
    exact::results::Results,
    files::FileTable,
    known::KnownDiagnostics,
    lsp::{
        capabilities::Client,
        from_proto,
        lsp_types::{Location, Position, Range, TextDocumentPositionParams, Url},
        semantic_tokens::TokenCache,
        to_proto,
    },
};

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RequestError {
    /// The file changed while the answer was worked out.
    ContentModified,
    /// As above, for a question that the client should ask again.
    ServerCancelled,
    /// The client took the question back.
    Cancelled,
    /// What was asked for cannot be done; the text is for the user.
    Refused(String),
    /// A bug of the server.
    Internal(String),
}

impl From<Cancelled> for RequestError {
    fn from(cancelled: Cancelled) -> Self {
        match cancelled {
            Cancelled::PendingWrite => RequestError::ContentModified,
            Cancelled::Requested => RequestError::Cancelled,
        }
    }
}

/// Result of a handler.
pub(crate) type Answer<T> = Result<T, RequestError>;

/// State that the state thread changes while workers read it.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(crate) client: Client,
    pub(crate) tokens: TokenCache,
    pub(crate) known: KnownDiagnostics,
    files: RwLock<FileTable>,
}

impl Shared {
    pub(crate) fn new(client: Client) -> Self {
        Shared {
            client,
            ..Shared::default()
        }
    }

    pub(crate) fn files<T>(&self, read: impl FnOnce(&FileTable) -> T) -> T {
        read(&self.files.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Only the state thread calls this.
    pub(crate) fn change_files<T>(&self, write: impl FnOnce(&mut FileTable) -> T) -> T {
        write(&mut self.files.write().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The state of the analysis at one moment.
pub(crate) struct Snapshot {
    pub(crate) analysis: Analysis,
    pub(crate) shared: Arc<Shared>,
    /// Whether problems are reported at all.
    pub(crate) diagnostics: bool,
    /// What else is shown.
    pub(crate) features: Features,
    /// What `ptxas` said about open documents.
    pub(crate) exact: Results,
}

/// A file with what is needed to convert its positions.
pub(crate) struct Document {
    pub(crate) file: FileId,
    pub(crate) contents: Arc<FileContents>,
    pub(crate) encoding: Encoding,
}

impl Document {
    pub(crate) fn lines(&self) -> &LineTable {
        &self.contents.lines
    }

    pub(crate) fn position(&self, offset: TextSize) -> Position {
        self.range(TextRange::empty(offset)).start
    }

    pub(crate) fn range(&self, range: TextRange) -> Range {
        to_proto::range(range, self.lines(), self.encoding)
    }

    pub(crate) fn text_range(&self, range: Range) -> TextRange {
        from_proto::range(range, self.lines(), self.encoding)
    }

    pub(crate) fn at(&self, position: Position) -> FilePosition {
        FilePosition {
            file: self.file,
            offset: from_proto::offset(position, self.lines(), self.encoding),
        }
    }
}

impl Snapshot {
    /// What `ptxas` made of the entries of an open document, if it still has the text that was compiled.
    pub(crate) fn exact_entries(&self, file: FileId) -> &[ExactEntry] {
        let version = self.shared.files(|files| files.version(file));
        self.exact.get(&file).map_or(&[], |it| it.entries(version))
    }

    /// Diagnostics of a file together with the messages of `ptxas`.
    pub(crate) fn with_messages_of_ptxas(
        &self,
        file: FileId,
        diagnostics: Vec<Diagnostic>,
    ) -> Answer<Vec<Diagnostic>> {
        let Some(findings) = self.exact.get(&file) else {
            return Ok(diagnostics);
        };
        let version = self.shared.files(|files| files.version(file));
        let messages = findings.messages(version);
        let joined = self
            .analysis
            .with_compiler_messages(file, diagnostics, &messages);
        Ok(joined?)
    }

    /// The file behind a URI, or `None` when the server does not know it.
    pub(crate) fn document(&self, uri: &Url) -> Answer<Option<Document>> {
        match self.shared.files(|files| files.get(uri)) {
            Some(file) => self.document_of(file),
            None => Ok(None),
        }
    }

    pub(crate) fn document_of(&self, file: FileId) -> Answer<Option<Document>> {
        let contents = self.analysis.contents(file)?;
        Ok(contents.map(|contents| Document {
            file,
            contents,
            encoding: self.shared.client.encoding,
        }))
    }

    /// The file and the place in it that a question is about.
    pub(crate) fn position(
        &self,
        params: &TextDocumentPositionParams,
    ) -> Answer<Option<(Document, FilePosition)>> {
        let document = self.document(&params.text_document.uri)?;
        Ok(document.map(|document| {
            let position = document.at(params.position);
            (document, position)
        }))
    }

    pub(crate) fn uri(&self, file: FileId) -> Option<Url> {
        self.shared.files(|files| files.uri(file).cloned())
    }

    pub(crate) fn location(&self, at: FileRange) -> Answer<Option<Location>> {
        let (Some(document), Some(uri)) = (self.document_of(at.file)?, self.uri(at.file)) else {
            return Ok(None);
        };
        Ok(Some(Location {
            uri,
            range: document.range(at.range),
        }))
    }
}
