//! Opening long documents: a worker parses the text, and messages about the document wait for it.
//!
//! The state thread continues meanwhile, so that other documents are edited and answered. Messages
//! still act in the order of the wire wherever one can tell: those about the document are kept in
//! order until it is parsed, and so are questions whose answers read other files. Those that would be wrong without
//! some file of the workspace wait until all are read.

use std::{collections::VecDeque, panic::AssertUnwindSafe};

use analysis::FileId;
use session::{
    Priority, Reads,
    lsp::lsp_types::{TextDocumentItem, Url},
};
use syntax::Document;
use tracing::error;

use super::{
    Event, State, exact,
    open_document::{DocumentText, OpenDocument, Parsing},
    work::Work,
};

/// A worker has parsed a text that was opened.
pub(crate) struct Opened {
    file: FileId,
    load: u64,
    uri: Url,
    /// `None` when the parser panicked.
    document: Option<Document>,
}

impl State {
    /// Keeps an event that has to wait until a document is parsed; returns any other.
    pub(super) fn hold(&mut self, mut event: Event) -> Option<Event> {
        let about = match &event {
            Event::Open(params) => Some(&params.text_document.uri),
            Event::Change(params) => Some(&params.text_document.uri),
            Event::Saved(uri) | Event::RunPtxas(uri, ..) => Some(uri),
            Event::Request(request) => request.document(),
            _ => return Some(event),
        };
        let about = about.and_then(|uri| self.shared.files(|files| files.get(uri)));
        // What concerns the document means it as it will be then.
        if let Some(parsing) = about.and_then(|file| self.parsing(file)) {
            parsing.held.push(event);
            return None;
        }
        if let Event::Request(request) = &mut event {
            request.arrive(self.revision_of(request.document()));
            if request.reads() != Reads::Document
                && let Some(parsing) = self.documents.values_mut().find_map(OpenDocument::parsing)
            {
                parsing.held.push(event);
                return None;
            }
            if request.reads() == Reads::Workspace && self.workspace.is_incomplete() {
                self.hold_for_index(event);
                return None;
            }
        }
        Some(event)
    }

    fn parsing(&mut self, file: FileId) -> Option<&mut Parsing> {
        self.documents.get_mut(&file)?.parsing()
    }

    /// Lets a worker parse the text of a document that was just opened.
    pub(super) fn parse_on_worker(&mut self, file: FileId, load: u64, item: TextDocumentItem) {
        let TextDocumentItem {
            uri, version, text, ..
        } = item;
        let events = self.handle.clone();
        let task = move || {
            let document = std::panic::catch_unwind(AssertUnwindSafe(|| Document::new(text))).ok();
            events.send(Event::Opened(Opened {
                file,
                load,
                uri,
                document,
            }));
        };
        let parsing = Parsing {
            load,
            held: Vec::new(),
        };
        self.documents.insert(
            file,
            OpenDocument::new(DocumentText::Parsing(parsing), version),
        );
        self.pool.push(Priority::Latency, Work::task(task));
    }

    /// Takes over a text that a worker has parsed; what waited for it comes before what is in the
    /// queue.
    pub(super) fn opened(&mut self, opened: Opened, queue: &mut VecDeque<Event>) {
        let Opened {
            file,
            load,
            uri,
            document,
        } = opened;
        let held = match self.parsing(file) {
            Some(parsing) if parsing.load == load => std::mem::take(&mut parsing.held),
            _ => {
                // It was closed meanwhile.
                self.free(document);
                return;
            }
        };
        let open = self.documents.get_mut(&file);
        if let (Some(open), Some(document)) = (open, document) {
            open.text = DocumentText::Parsed(document);
            let version = open.version;
            self.schedule_first(file);
            self.shared
                .change_files(|files| files.opened(file, &uri, version));
            self.write_document(file, None);
        } else {
            error!(%uri, "the parser panicked, the document is not open");
            self.documents.remove(&file);
        }
        for event in held.into_iter().rev() {
            queue.push_front(event);
        }
    }

    /// Lets go of what waited for a document that was closed before it was parsed.
    pub(super) fn abandon(&mut self, parsing: Parsing, file: FileId) {
        for event in parsing.held {
            // Changes are void. Questions about other documents are as good as before.
            let request = match event {
                Event::Request(request) => request,
                Event::RunPtxas(.., reply) => {
                    exact::refuse(reply, exact::CLOSED);
                    continue;
                }
                _ => continue,
            };
            let about = request.document();
            if about.and_then(|uri| self.shared.files(|files| files.get(uri))) == Some(file) {
                request.interrupt();
            } else {
                self.handle.send(Event::Request(request));
            }
        }
    }

    /// Answers what waits, because nothing is parsed any more.
    pub(super) fn abandon_all(&mut self) {
        for event in self.workspace.take_held() {
            if let Event::Request(request) = event {
                request.interrupt();
            }
        }
        for open in self.documents.values_mut() {
            if let Some(parsing) = open.parsing() {
                for event in std::mem::take(&mut parsing.held) {
                    match event {
                        Event::Request(request) => request.interrupt(),
                        Event::RunPtxas(.., reply) => exact::refuse(reply, exact::ENDING),
                        _ => {}
                    }
                }
            }
        }
    }

    /// Drops something large on a worker.
    pub(super) fn free<T: Send + 'static>(&self, garbage: T) {
        self.pool
            .push(Priority::Background, Work::task(move || drop(garbage)));
    }
}
