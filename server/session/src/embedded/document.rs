//! The text of a document in another language, under edits.

use std::{
    path::Path,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use analysis::{FileId, HostFile};
use rustc_hash::FxHashMap;
use syntax::{
    host::Language,
    text::{Edit, Encoding, InvalidEdit, LineTable, MAX_LEN, apply_edit},
};

use crate::{
    edits::{Applied, Editable, apply_changes, replace_text},
    lsp::lsp_types::DidChangeTextDocumentParams,
};

/// The open documents of other languages.
pub type HostDocuments = FxHashMap<FileId, Arc<HostDocument>>;

/// The language in which a document holds PTX, by the identifier that its client gives and by its path; none of a
/// document of PTX and of one that holds none.
#[must_use]
pub fn language_of(identifier: &str, path: &Path) -> Option<Language> {
    let by_path = Language::of_path(path);
    let is_ptx = path
        .extension()
        .is_some_and(|it| it.eq_ignore_ascii_case("ptx"));
    if identifier == "ptx" || is_ptx {
        return None;
    }
    match (Language::of_identifier(identifier), by_path) {
        // Editors without CUDA call it C++.
        (Some(Language::C), Some(Language::Cuda)) => Some(Language::Cuda),
        (None, by_path) => by_path,
        (by_identifier, _) => by_identifier,
    }
}

/// A document in another language as it is at one moment.
#[derive(Debug)]
pub struct HostDocument {
    body: Body,
    language: Language,
    /// The compile commands of the project; asked once, as it is read from files.
    compile_targets: Arc<OnceLock<Vec<String>>>,
    file: OnceLock<HostFile>,
    superseded: AtomicBool,
}

/// The state that edits change.
#[derive(Clone, Debug)]
struct Body {
    text: String,
    lines: Arc<LineTable>,
}

impl Editable for Body {
    fn text(&self) -> &str {
        &self.text
    }

    fn lines(&self) -> &LineTable {
        &self.lines
    }

    fn apply(&mut self, edit: &Edit) -> Result<(), InvalidEdit> {
        apply_edit(&mut self.text, edit)?;
        Arc::make_mut(&mut self.lines).apply(edit, &self.text);
        Ok(())
    }
}

impl HostDocument {
    /// A document that was opened; bytes beyond what texts may have are truncated.
    #[must_use]
    pub fn new(mut text: String, language: Language) -> HostDocument {
        if text.len() > MAX_LEN {
            text.truncate(text.floor_char_boundary(MAX_LEN));
        }
        let lines = Arc::new(LineTable::new(&text));
        HostDocument {
            body: Body { text, lines },
            language,
            compile_targets: Arc::default(),
            file: OnceLock::new(),
            superseded: AtomicBool::new(false),
        }
    }

    /// The document after messages about it, and what they did to its text.
    #[must_use]
    pub fn changed(
        self: Arc<HostDocument>,
        batch: &[DidChangeTextDocumentParams],
        encoding: Encoding,
    ) -> (HostDocument, Vec<Applied>) {
        self.with(|body| apply_changes(body, batch, encoding))
    }

    /// The document with another text.
    #[must_use]
    pub fn replaced(self: Arc<HostDocument>, text: &str) -> HostDocument {
        self.with(|body| replace_text(body, text)).0
    }

    fn with<T>(self: Arc<HostDocument>, edit: impl FnOnce(&mut Body) -> T) -> (HostDocument, T) {
        self.supersede();
        let (language, compile_targets) = (self.language, Arc::clone(&self.compile_targets));
        // Workers may still read the text as it was.
        let mut body = match Arc::try_unwrap(self) {
            Ok(own) => own.body,
            Err(shared) => shared.body.clone(),
        };
        let done = edit(&mut body);
        let document = HostDocument {
            body,
            language,
            compile_targets,
            file: OnceLock::new(),
            superseded: AtomicBool::new(false),
        };
        (document, done)
    }

    /// The same document, compiled for what the build of its project says now.
    #[must_use]
    pub fn recompiled(&self) -> HostDocument {
        self.supersede();
        HostDocument {
            body: self.body.clone(),
            language: self.language,
            compile_targets: Arc::default(),
            file: OnceLock::new(),
            superseded: AtomicBool::new(false),
        }
    }

    /// The language that it is in.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// Text of the document as it was last edited.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.body.text
    }

    /// Its lines and columns.
    #[must_use]
    pub fn lines(&self) -> &Arc<LineTable> {
        &self.body.lines
    }

    /// The PTX in it, which is searched when it is first asked for.
    pub fn file(&self) -> &HostFile {
        self.file
            .get_or_init(|| HostFile::new(&self.body.text, self.language))
    }

    /// The compile commands of the project, by the answer to the first question.
    pub(super) fn compile_targets(&self, ask: impl FnOnce() -> Vec<String>) -> Vec<String> {
        self.compile_targets.get_or_init(ask).clone()
    }

    /// The text is an old one: unfinished work on it is cancelled.
    pub fn supersede(&self) {
        self.superseded.store(true, Ordering::Relaxed);
    }

    /// Whether the text is an old one.
    #[must_use]
    pub fn is_superseded(&self) -> bool {
        self.superseded.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_known_by_identifier_and_path() {
        let check = |identifier: &str, path: &str, expected: Option<Language>| {
            assert_eq!(
                language_of(identifier, Path::new(path)),
                expected,
                "{identifier} {path}"
            );
        };
        check("cuda-cpp", "/a.cu", Some(Language::Cuda));
        check("cpp", "/a.cuh", Some(Language::Cuda));
        check("cuda", "/a.h", Some(Language::Cuda));
        check("cpp", "/a.h", Some(Language::C));
        check("plaintext", "/a.cu", Some(Language::Cuda));
        check("python", "Untitled-1", Some(Language::Python));
        check("rust", "/a.rs", Some(Language::Rust));
        check("llvm", "/a.ll", Some(Language::Llvm));
        check("ptx", "/a.cu", None);
        check("plaintext", "/a.ptx", None);
        check("markdown", "/a.md", None);
    }

    #[test]
    fn edits_make_a_new_document_and_the_old_one_stays() {
        let old = Arc::new(HostDocument::new("int a;\nint b;\n".into(), Language::C));
        let new = Arc::clone(&old).replaced("int a;\nint bc;\n");
        assert!(old.is_superseded() && !new.is_superseded());
        assert_eq!(
            (old.text(), new.text()),
            ("int a;\nint b;\n", "int a;\nint bc;\n")
        );
        assert_eq!(**new.lines(), LineTable::new(new.text()));
    }
}
