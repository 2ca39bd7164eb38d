//! The time of a keystroke in a document with PTX in another language.
//!
//! Run with `cargo bench -p ptx-analyzer-tests --bench embedded`.

use std::sync::Arc;

use analysis::{AnalysisConfig, AnalysisHost, FileId};
use divan::Bencher;
use session::{
    config::Features,
    embedded::HostDocument,
    exact::Results,
    host::Bare,
    lsp::{
        capabilities::Client,
        lsp_types::{
            DidChangeTextDocumentParams, Position, Range, TextDocumentContentChangeEvent, Url,
            VersionedTextDocumentIdentifier,
        },
    },
    snapshot::{Shared, Snapshot},
};
use syntax::{host::Language, text::Encoding};

const FILE: FileId = FileId(0);

fn main() {
    divan::main();
}

/// A document by its size.
#[derive(Clone, Copy, Debug)]
enum Size {
    /// 10,000 lines with 300 statements.
    Kernels,
    /// 2.9 MB with 736 statements.
    Header,
}

/// Code around statements of assembly, all different.
fn text(size: Size) -> String {
    let code = "    // Copies one row, 'as it is', of the tile.\n    for (int i = threadIdx.x; i < columns; i += 32) { tile[row * 40 + i] = static_cast<float>(source[i]) * scale; }\n";
    let (statements, blocks) = match size {
        Size::Kernels => (300, 15),
        Size::Header => (736, 24),
    };
    let mut text = String::from("__device__ void f(unsigned *smem, const float *source) {\n");
    for index in 0..statements {
        for _ in 0..blocks {
            text.push_str(code);
        }
        text.push_str(&format!(
            "    asm volatile(\"{{ .reg .u32 t; add.u32 t, %0, {index};\\n\\t\"\n        \"st.shared.u32 [%0], t; }}\" :: \"r\"(smem), \"l\"(source + {index}) : \"memory\");\n"
        ));
    }
    text + "}\n"
}

fn snapshot() -> Snapshot {
    let shared = Shared::new(Arc::new(Bare), Client::default());
    let uri = Url::parse("file:///a.cu").expect("a URI");
    shared.change_files(|files| files.intern(&uri));
    Snapshot {
        analysis: AnalysisHost::new().analysis(),
        shared: Arc::new(shared),
        diagnostics: true,
        embedded: true,
        features: Features::default(),
        exact: Results::default(),
        hosts: Arc::default(),
        settings: Arc::new(AnalysisConfig::default()),
    }
}

/// A key in a line in the middle of a document.
fn key(line: u32, text: &str) -> DidChangeTextDocumentParams {
    let at = Position::new(line, 4);
    DidChangeTextDocumentParams {
        text_document: VersionedTextDocumentIdentifier {
            uri: Url::parse("file:///a.cu").expect("a URI"),
            version: 1,
        },
        content_changes: vec![TextDocumentContentChangeEvent {
            range: Some(Range::new(at, at)),
            range_length: None,
            text: text.to_owned(),
        }],
    }
}

fn document(size: Size) -> Arc<HostDocument> {
    Arc::new(HostDocument::new(text(size), Language::Cuda))
}

/// The part of the thread that reads messages.
#[divan::bench(args = [Size::Kernels, Size::Header], sample_count = 200)]
fn edit(bencher: Bencher<'_, '_>, size: Size) {
    let mut document = Some(document(size));
    bencher.bench_local(|| {
        let old = document.take().expect("it is put back");
        let (new, _) = old.changed(&[key(2000, "x")], Encoding::Utf16);
        document = Some(Arc::new(new));
    });
}

/// From a key outside strings to all diagnostics.
#[divan::bench(args = [Size::Kernels, Size::Header], sample_count = 200)]
fn keystroke(bencher: Bencher<'_, '_>, size: Size) {
    let snapshot = snapshot();
    let mut document = Some(document(size));
    let find = |it: &HostDocument| {
        let all = it.all_fragments();
        it.diagnostics(&snapshot, FILE, all)
            .expect("nothing changes")
    };
    assert!(find(document.as_deref().expect("it is there")).is_empty());
    bencher.bench_local(|| {
        let old = document.take().expect("it is put back");
        let (new, _) = old.changed(&[key(2000, "x")], Encoding::Utf16);
        let found = find(&new);
        document = Some(Arc::new(new));
        found
    });
}
