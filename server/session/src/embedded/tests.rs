use std::sync::Arc;

use analysis::{AnalysisConfig, AnalysisHost, FileId};
use syntax::host::Language;

use super::*;
use crate::{
    config::Features,
    exact::Results,
    host::Bare,
    lsp::{capabilities::Client, lsp_types::Url},
    snapshot::{Shared, Snapshot},
};

const FILE: FileId = FileId(0);

/// A session in which one document is open.
struct Session {
    snapshot: Snapshot,
    document: Arc<HostDocument>,
}

impl Session {
    fn new(text: &str, language: Language) -> Session {
        let shared = Shared::new(Arc::new(Bare), Client::default());
        let uri = Url::parse("file:///a.cu").expect("a URI");
        assert_eq!(shared.change_files(|files| files.intern(&uri)), FILE);
        Session {
            snapshot: Snapshot {
                analysis: AnalysisHost::new().analysis(),
                shared: Arc::new(shared),
                diagnostics: true,
                embedded: true,
                features: Features::default(),
                exact: Results::default(),
                hosts: Arc::default(),
                settings: Arc::new(AnalysisConfig::default()),
            },
            document: Arc::new(HostDocument::new(text.to_owned(), language)),
        }
    }

    /// Replaces the first occurrence of a text.
    fn edit(&mut self, old: &str, new: &str) {
        let text = self.document.text().replacen(old, new, 1);
        self.document = Arc::new(Arc::clone(&self.document).replaced(&text));
    }

    /// The words at which something is wrong.
    fn wrong(&self) -> Vec<&str> {
        let all = self.document.all_fragments();
        let found = self.document.diagnostics(&self.snapshot, FILE, all);
        let found = found.expect("nothing changes");
        let text = self.document.text();
        found.iter().map(|it| &text[it.range]).collect()
    }

    /// How many modules were analysed so far.
    fn analysed(&self) -> u64 {
        self.snapshot.shared.fragments.analysed()
    }
}

const SOURCE: &str = r#"
__device__ void f(unsigned x) {
    asm volatile("{ .reg .u32 a; add.u32 a, %0, 1; mov.u32 %0, a; }" : "+r"(x));
    asm volatile("bar.sync 0;");
    asm volatile("bar.syn 0;");
}
"#;

#[test]
fn typing_outside_of_the_strings_analyses_nothing() {
    let mut session = Session::new(SOURCE, Language::Cuda);
    assert_eq!(session.wrong(), [".syn"]);
    let before = session.analysed();
    session.edit("unsigned x", "unsigned first, unsigned x");
    session.edit(
        "\n__device__",
        "// a comment with \"bar.foo\" in it\n__device__",
    );
    assert_eq!(session.wrong(), [".syn"]);
    assert_eq!(session.analysed(), before);
    // Inside one it is that one alone, for as many targets as before.
    session.edit("bar.sync 0", "bar.sync 1");
    assert_eq!(session.wrong(), [".syn"]);
    assert_eq!(session.analysed(), before + 1);
}

#[test]
fn equal_statements_are_analysed_once() {
    let statement = "    asm volatile(\"bar.sync 0;\");\n";
    let text = format!("__device__ void f() {{\n{}}}\n", statement.repeat(300));
    let session = Session::new(&text, Language::Cuda);
    assert_eq!(session.wrong(), [""; 0]);
    assert_eq!(session.analysed(), 1);
}

#[test]
fn edits_answer_for_the_statement_that_is_written() {
    let session = Session::new(SOURCE, Language::Cuda);
    let writing = |word: &str| {
        let offset = SOURCE.rfind(word).expect("it is there") + word.len();
        let offset = TextSize::new(offset as u32);
        let writing = session.document.writing(&session.snapshot, FILE, offset);
        let writing = writing.expect("nothing changes")?;
        Some((&SOURCE[writing.statement], &SOURCE[writing.word]))
    };
    assert_eq!(writing("bar.syn"), Some(("bar.syn 0;", ".syn")));
    assert_eq!(writing("void"), None);
}

#[test]
fn a_text_that_was_replaced_is_given_up() {
    let mut session = Session::new(SOURCE, Language::Cuda);
    let old = Arc::clone(&session.document);
    session.edit("bar.syn ", "bar.sync ");
    let all = old.all_fragments();
    let found = old.diagnostics(&session.snapshot, FILE, all);
    assert_eq!(found, Err(RequestError::ContentModified));
}

#[test]
fn settings_choose_the_target() {
    let mut session = Session::new(
        "__device__ void f() { asm volatile(\"cp.async.wait_all;\"); }",
        Language::Cuda,
    );
    assert_eq!(session.wrong(), [""; 0]);
    session.snapshot.settings = Arc::new(AnalysisConfig {
        target_override: Some("sm_75".into()),
        ..AnalysisConfig::default()
    });
    assert_eq!(session.wrong(), ["cp.async.wait_all"]);
}
