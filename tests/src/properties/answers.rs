//! The analysis answers every question about any text, and after edits as one that never saw
//! another text.

use std::sync::Arc;

use analysis::{
    Analysis, AnalysisHost, Change, CodeLensKinds, FileId, FileRange, FormattingOptions,
    InlayHintKinds,
};
use syntax::{FileContents, TextRange, text::Edit};

const WHY: &str = "no cancellation";
/// The file of those who need only one.
pub const FILE: FileId = FileId(0);

/// Code lenses of every kind.
pub const ALL_LENSES: CodeLensKinds = CodeLensKinds {
    loops: true,
    references: true,
    registers: true,
    runs: true,
};

/// Also the inlay hints that are off by default.
#[must_use]
pub fn all_hints() -> InlayHintKinds {
    InlayHintKinds {
        defaults: true,
        demangled_names: true,
        live_registers: true,
        memory_accesses: true,
        register_types: true,
        ..InlayHintKinds::default()
    }
}

/// A host with one file, [`FILE`].
#[must_use]
pub fn host(contents: Arc<FileContents>) -> AnalysisHost {
    let mut host = AnalysisHost::new();
    change(&mut host, FILE, contents);
    host
}

/// Gives a file other contents.
pub fn change(host: &mut AnalysisHost, file: FileId, contents: Arc<FileContents>) {
    host.apply_change(Change {
        files: vec![(file, Some(contents))],
        config: None,
    });
}

/// The answers to questions about a whole file.
#[derive(Debug, PartialEq)]
pub struct Answers {
    /// Diagnostics of the file.
    pub diagnostics: Vec<analysis::Diagnostic>,
    /// Symbols of the outline.
    pub symbols: Vec<analysis::DocumentSymbol>,
    folds: Vec<analysis::Fold>,
    tokens: Vec<analysis::SemanticToken>,
    everywhere: Vec<analysis::NavigationTarget>,
    hints: Vec<analysis::InlayHint>,
    lenses: Vec<analysis::CodeLens>,
    links: Vec<analysis::DocumentLink>,
    actions: Vec<analysis::CodeAction>,
    formatting: Vec<Edit>,
}

impl Answers {
    /// Asks everything.
    pub fn new(analysis: &Analysis, file: FileId) -> Answers {
        let whole = FileRange {
            file,
            range: TextRange::new(0.into(), u32::MAX.into()),
        };
        Answers {
            diagnostics: analysis.diagnostics(file).expect(WHY),
            symbols: analysis.document_symbols(file).expect(WHY),
            folds: analysis.folding_ranges(file).expect(WHY),
            tokens: analysis.semantic_tokens(file, None).expect(WHY),
            everywhere: analysis.workspace_symbols("", usize::MAX).expect(WHY),
            hints: analysis.inlay_hints(whole, all_hints(), &[]).expect(WHY),
            lenses: analysis.code_lenses(file, ALL_LENSES).expect(WHY),
            links: analysis.document_links(file).expect(WHY),
            actions: analysis.code_actions(whole).expect(WHY),
            formatting: analysis
                .formatting(file, None, FormattingOptions::default())
                .expect(WHY),
        }
    }
}

/// Asks all questions about a file of this text, whatever the answers are.
pub fn ask_about_file(text: &str) {
    let host = host(Arc::new(FileContents::new(text)));
    Answers::new(&host.analysis(), FILE);
}
