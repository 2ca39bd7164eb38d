//! The state that a worker may read while it answers a question.

use std::sync::{Arc, PoisonError, RwLock};

use analysis::{Analysis, AnalysisConfig, Diagnostic, ExactEntry, FileId, FilePosition, FileRange};
use syntax::{
    TextRange, TextSize,
    text::{Encoding, LineTable},
};

pub use crate::answer::{Answer, RequestError};
use crate::{
    config::{Features, HoverFigures},
    draw::Theme,
    embedded::{Fragments, HostDocument, HostDocuments},
    exact::{Findings, Results},
    files::FileTable,
    host::Host,
    lsp::{
        capabilities::Client,
        from_proto,
        lsp_types::{Location, Position, Range, TextDocumentPositionParams, Url},
        semantic_tokens::TokenCache,
        to_proto,
    },
    quiet::Quiet,
};

/// State that the state thread changes while workers read it.
#[derive(Debug)]
pub struct Shared {
    /// Files and threads of the machine.
    pub host: Arc<dyn Host>,
    /// The capabilities of the client.
    pub client: Client,
    /// The semantic tokens that the client has.
    pub tokens: TokenCache,
    /// The statements that are being written, and what is held back about them.
    pub quiet: Quiet,
    /// The diagnostics of the PTX in documents of other languages.
    pub fragments: Fragments,
    files: RwLock<FileTable>,
}

impl Shared {
    /// The state before any document is open.
    pub fn new(host: Arc<dyn Host>, client: Client) -> Self {
        Shared {
            files: RwLock::new(FileTable::new(Arc::clone(&host))),
            host,
            client,
            tokens: TokenCache::default(),
            quiet: Quiet::default(),
            fragments: Fragments::default(),
        }
    }

    /// Reads the table of files.
    pub fn files<T>(&self, read: impl FnOnce(&FileTable) -> T) -> T {
        read(&self.files.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Only the state thread calls this.
    pub fn change_files<T>(&self, write: impl FnOnce(&mut FileTable) -> T) -> T {
        write(&mut self.files.write().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The state of the analysis at one moment.
pub struct Snapshot {
    /// Snapshot of the salsa database.
    pub analysis: Analysis,
    /// State that the state thread changes meanwhile.
    pub shared: Arc<Shared>,
    /// Whether problems are reported at all.
    pub diagnostics: bool,
    /// Whether anything is said about PTX in other languages.
    pub embedded: bool,
    /// The other hints that are shown.
    pub features: Features,
    /// The messages of `ptxas` about open documents.
    pub exact: Results,
    /// The open documents of other languages.
    pub hosts: Arc<HostDocuments>,
    /// The settings of the analysis.
    pub settings: Arc<AnalysisConfig>,
}

/// A file with what is needed to convert its positions.
pub struct Document {
    /// Number of the file in the [`FileTable`].
    pub file: FileId,
    /// Line table of the text that the snapshot has.
    lines: Arc<LineTable>,
    /// The document of another language that it is, if it is one.
    pub host: Option<Arc<HostDocument>>,
    /// The unit of the columns of the client.
    pub encoding: Encoding,
}

impl Document {
    /// Line table of the text that the snapshot has.
    pub fn lines(&self) -> &LineTable {
        &self.lines
    }

    /// The position of an offset.
    pub fn position(&self, offset: TextSize) -> Position {
        self.range(TextRange::empty(offset)).start
    }

    /// The range of a range of offsets.
    pub fn range(&self, range: TextRange) -> Range {
        to_proto::range(range, self.lines(), self.encoding)
    }

    /// The offsets of a range; positions outside the text mean the nearest place inside.
    pub fn text_range(&self, range: Range) -> TextRange {
        from_proto::range(range, self.lines(), self.encoding)
    }

    /// The offset of a position.
    pub fn at(&self, position: Position) -> FilePosition {
        FilePosition {
            file: self.file,
            offset: from_proto::offset(position, self.lines(), self.encoding),
        }
    }
}

impl Snapshot {
    /// The colours of figures in hovers; none if hovers have no figures.
    pub fn hover_theme(&self) -> Option<Theme> {
        let dark = match self.features.figures {
            HoverFigures::Auto => self.shared.client.hover_pictures?,
            HoverFigures::Light => false,
            HoverFigures::Dark => true,
            HoverFigures::Off => return None,
        };
        Some(Theme::for_background(dark))
    }

    /// The figures of `ptxas` for the entries of an open document, if it still has the text that was compiled.
    pub fn exact_entries(&self, file: FileId) -> &[ExactEntry] {
        let version = self.shared.files(|files| files.version(file));
        self.exact.get(file).map_or(&[], |it| it.entries(version))
    }

    /// The results of the last run of `ptxas` on a document, and whether that has another text by now.
    pub fn findings(&self, file: FileId) -> Option<(&Findings, bool)> {
        let version = self.shared.files(|files| files.version(file));
        self.exact.get(file).map(|it| it.latest(version))
    }

    /// The same for the target of the document or for the other one that was compiled last.
    pub fn findings_for(&self, file: FileId, target: &str) -> Option<(&Findings, bool)> {
        let version = self.shared.files(|files| files.version(file));
        let found = self.exact.for_target(file, target);
        found.map(|it| it.latest(version))
    }

    /// Diagnostics of a file together with the messages of `ptxas`.
    pub fn with_messages_of_ptxas(
        &self,
        file: FileId,
        diagnostics: Vec<Diagnostic>,
    ) -> Answer<Vec<Diagnostic>> {
        let Some(findings) = self.exact.get(file) else {
            return Ok(diagnostics);
        };
        let version = self.shared.files(|files| files.version(file));
        let messages = findings.messages(version);
        let joined = self
            .analysis
            .with_compiler_messages(file, diagnostics, &messages);
        Ok(joined?)
    }

    /// The file of a URI, or `None` when the server does not know it.
    pub fn document(&self, uri: &Url) -> Answer<Option<Document>> {
        match self.shared.files(|files| files.get(uri)) {
            Some(file) => self.document_of(file),
            None => Ok(None),
        }
    }

    /// A file by its number, or `None` when it has no contents.
    pub fn document_of(&self, file: FileId) -> Answer<Option<Document>> {
        let encoding = self.shared.client.encoding;
        if let Some(host) = self.hosts.get(&file) {
            return Ok(Some(Document {
                file,
                lines: Arc::clone(host.lines()),
                host: Some(Arc::clone(host)),
                encoding,
            }));
        }
        let contents = self.analysis.contents(file)?;
        Ok(contents.map(|contents| Document {
            file,
            lines: Arc::clone(&contents.lines),
            host: None,
            encoding,
        }))
    }

    /// The file and the place in it that a question is about.
    pub fn position(
        &self,
        params: &TextDocumentPositionParams,
    ) -> Answer<Option<(Document, FilePosition)>> {
        let document = self.document(&params.text_document.uri)?;
        Ok(document.map(|document| {
            let position = document.at(params.position);
            (document, position)
        }))
    }

    /// The name of a file.
    pub fn uri(&self, file: FileId) -> Option<Url> {
        self.shared.files(|files| files.uri(file).cloned())
    }

    /// A place as clients name it, or `None` when its file is gone.
    pub fn location(&self, at: FileRange) -> Answer<Option<Location>> {
        let (Some(document), Some(uri)) = (self.document_of(at.file)?, self.uri(at.file)) else {
            return Ok(None);
        };
        Ok(Some(Location {
            uri,
            range: document.range(at.range),
        }))
    }
}
