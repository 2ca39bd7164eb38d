//! The state thread with requests that the real ones cannot be made to be: endless or panicking.

mod index;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use expect_test::{Expect, expect};
use serde_json::json;
use session::{
    Handler, Priority, Reads, Run,
    lsp::lsp_types::{Diagnostic, TextDocumentIdentifier},
    snapshot::{Answer, RequestError},
};
use tokio::sync::{mpsc, oneshot};

use super::{open_document::LONG_TEXT, *};

const WAIT: Duration = Duration::from_secs(20);
const MAIN: &str = "file:///main.ptx";
/// Questions about a text without items are answered too soon to be interrupted.
const TEXT: &str = ".version 8.0\n";
const OTHER: &str = "file:///other.ptx";

/// The input of a test request: a document, and a count of how often it was begun.
type Params = (TextDocumentIdentifier, Arc<AtomicUsize>);

/// Answers at once.
static QUICK: Handler<Params, u32> = Handler {
    method: "test/quick",
    priority: Priority::Latency,
    document: |params| Some(&params.0),
    reads: Reads::Document,
    run: Run::Snapshot(|_, _| Ok(7)),
};

static PANICKING: Handler<Params, u32> = Handler {
    method: "test/panicking",
    priority: Priority::Latency,
    document: |params| Some(&params.0),
    reads: Reads::Document,
    run: Run::Snapshot(|_, _| std::panic::resume_unwind(Box::new("boom"))),
};

/// Asks the analysis until that is interrupted.
static ENDLESS: Handler<Params, u32> = Handler {
    method: "test/endless",
    priority: Priority::Latency,
    document: |params| Some(&params.0),
    reads: Reads::Document,
    run: Run::Snapshot(endless),
};

/// As above, under the name of the request that clients must ask again.
static ENDLESS_DIAGNOSTIC: Handler<Params, u32> = Handler {
    method: "textDocument/diagnostic",
    priority: Priority::Background,
    document: |params| Some(&params.0),
    reads: Reads::Document,
    run: Run::Snapshot(endless),
};

/// The number of bytes of the document, 0 for one that is not known.
static LENGTH: Handler<Params, u32> = Handler {
    method: "test/length",
    priority: Priority::Latency,
    document: |params| Some(&params.0),
    reads: Reads::Document,
    run: Run::Snapshot(length),
};

/// As above, as a request that reads all files.
static LENGTH_OF_ALL: Handler<Params, u32> = Handler {
    method: "test/lengthOfAll",
    priority: Priority::Latency,
    document: |params| Some(&params.0),
    reads: Reads::Known,
    run: Run::Snapshot(length),
};

/// As above, as a request that reads the whole workspace.
static LENGTH_OF_WORKSPACE: Handler<Params, u32> = Handler {
    method: "test/lengthOfWorkspace",
    priority: Priority::Latency,
    document: |params| Some(&params.0),
    reads: Reads::Workspace,
    run: Run::Snapshot(length),
};

fn length(snapshot: &Snapshot, params: &Params) -> Answer<u32> {
    let document = snapshot.document(&params.0.uri)?;
    Ok(document.map_or(0, |it| it.lines().text_len().into()))
}

fn endless(snapshot: &Snapshot, params: &Params) -> Answer<u32> {
    params.1.fetch_add(1, Ordering::SeqCst);
    loop {
        snapshot.document(&params.0.uri)?;
        snapshot.analysis.document_symbols(FileId(0))?;
        thread::sleep(Duration::from_millis(1));
    }
}

/// A state thread and what it says.
struct Fixture {
    state: StateHandle,
    outgoing: mpsc::UnboundedReceiver<Outgoing>,
}

/// A request under way.
struct Pending {
    answer: oneshot::Receiver<Answer<u32>>,
    cancel: Arc<CancelSlot>,
    begun: Arc<AtomicUsize>,
}

impl Fixture {
    fn new(capabilities: serde_json::Value) -> Fixture {
        Fixture::on(Disk::REAL, &json!({ "capabilities": capabilities }))
    }

    fn on(disk: Disk, initialize: &serde_json::Value) -> Fixture {
        let (sender, outgoing) = mpsc::unbounded_channel();
        let state = spawn_on(sender, disk);
        let client = Client::new(initialize);
        state.send(Event::Initialize(Box::new(client)));
        state.send(Event::Initialized);
        Fixture { state, outgoing }
    }

    fn params<T: serde::de::DeserializeOwned>(params: serde_json::Value) -> T {
        serde_json::from_value(params).expect("parameters of LSP")
    }

    fn open(&self, uri: &str, text: &str) {
        self.state.send(Event::Open(Self::params(json!({
            "textDocument": { "uri": uri, "languageId": "ptx", "version": 1, "text": text },
        }))));
    }

    fn change(&self, uri: &str, version: i32, changes: serde_json::Value) {
        self.state.send(Event::Change(Self::params(json!({
            "textDocument": { "uri": uri, "version": version },
            "contentChanges": changes,
        }))));
    }

    fn close(&self, uri: &str) {
        self.state.send(Event::Close(Self::params(
            json!({ "textDocument": { "uri": uri } }),
        )));
    }

    fn ask(&self, handler: &'static Handler<Params, u32>) -> Pending {
        self.ask_about(MAIN, handler)
    }

    fn ask_about(&self, uri: &str, handler: &'static Handler<Params, u32>) -> Pending {
        let (reply, answer) = oneshot::channel();
        let cancel = Arc::new(CancelSlot::default());
        let begun = Arc::new(AtomicUsize::new(0));
        let document = Self::params(json!({ "uri": uri }));
        let params = (document, begun.clone());
        self.state.send(Event::Request(Box::new(Request::new(
            handler,
            params,
            reply,
            cancel.clone(),
        ))));
        Pending {
            answer,
            cancel,
            begun,
        }
    }

    /// Keeps all workers busy until the requests are cancelled.
    fn keep_workers_busy(&self) -> Vec<Pending> {
        let busy: Vec<_> = (0..64).map(|_| self.ask_about(OTHER, &ENDLESS)).collect();
        while self.status().workers_waiting == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        busy
    }

    /// Asks the state thread itself, which has to be free for that.
    fn status(&self) -> ServerStatus {
        let (reply, answer) = oneshot::channel();
        self.state.send(Event::Status(reply));
        block_on(async {
            tokio::time::timeout(WAIT, answer)
                .await
                .expect("an answer in time")
                .expect("an answer at all")
        })
    }

    /// The warnings that the user has had since they were last asked for.
    fn warnings(&mut self) -> Vec<String> {
        let mut shown = Vec::new();
        while let Ok(message) = self.outgoing.try_recv() {
            if let Outgoing::Show(MessageType::WARNING, text) = message {
                shown.push(text);
            }
        }
        shown
    }

    /// The next diagnostics that are pushed, readably.
    fn published(&mut self) -> String {
        loop {
            let outgoing = block_on(async {
                tokio::time::timeout(WAIT, self.outgoing.recv())
                    .await
                    .expect("a message in time")
                    .expect("a state thread that runs")
            });
            if let Outgoing::Diagnostics(params) = outgoing {
                let mut out = format!("{} {:?}\n", params.uri, params.version);
                let diagnostics: Vec<Diagnostic> =
                    serde_json::from_str(params.diagnostics.get()).expect("diagnostics");
                for diagnostic in diagnostics {
                    let start = diagnostic.range.start;
                    out += &format!(
                        "{}:{} {}\n",
                        start.line, start.character, diagnostic.message
                    );
                }
                return out;
            }
        }
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.state.stop();
    }
}

impl Pending {
    fn wait_until_begun(&self, times: usize) {
        let start = Instant::now();
        while self.begun.load(Ordering::SeqCst) < times {
            assert!(start.elapsed() < WAIT, "the request is not begun");
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn answer(self) -> Answer<u32> {
        block_on(async {
            tokio::time::timeout(WAIT, self.answer)
                .await
                .expect("an answer in time")
                .expect("an answer at all")
        })
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime")
        .block_on(future)
}

#[test]
fn a_panic_is_one_error() {
    let fixture = Fixture::new(json!({}));
    fixture.open(MAIN, TEXT);
    let error = fixture.ask(&PANICKING).answer().expect_err("a panic");
    assert_eq!(
        error,
        RequestError::Internal("internal error in test/panicking: boom".to_owned())
    );
    assert_eq!(fixture.ask(&QUICK).answer(), Ok(7));
}

#[test]
fn a_request_is_cancelled_while_it_runs() {
    let fixture = Fixture::new(json!({}));
    fixture.open(MAIN, TEXT);
    let pending = fixture.ask(&ENDLESS);
    pending.wait_until_begun(1);
    pending.cancel.cancel();
    assert_eq!(pending.answer(), Err(RequestError::Cancelled));
    assert_eq!(fixture.ask(&QUICK).answer(), Ok(7));
}

#[test]
fn a_request_is_cancelled_while_it_waits() {
    let fixture = Fixture::new(json!({}));
    fixture.open(MAIN, TEXT);
    let blockers: Vec<_> = (0..64).map(|_| fixture.ask(&ENDLESS)).collect();
    let pending = fixture.ask(&ENDLESS);
    pending.cancel.cancel();
    for blocker in &blockers {
        blocker.cancel.cancel();
    }
    let begun = pending.begun.clone();
    assert_eq!(pending.answer(), Err(RequestError::Cancelled));
    assert!(begun.load(Ordering::SeqCst) <= 1);
}

#[test]
fn a_change_of_the_document_ends_its_requests() {
    let fixture = Fixture::new(json!({}));
    fixture.open(MAIN, TEXT);
    let endless: Vec<_> = (0..64).map(|_| fixture.ask(&ENDLESS)).collect();
    let diagnostic = fixture.ask(&ENDLESS_DIAGNOSTIC);
    endless[0].wait_until_begun(1);
    fixture.change(MAIN, 2, json!([{ "text": "// new" }]));
    for pending in endless {
        assert_eq!(pending.answer(), Err(RequestError::ContentModified));
    }
    assert_eq!(diagnostic.answer(), Err(RequestError::ServerCancelled));
    assert_eq!(fixture.ask(&QUICK).answer(), Ok(7));
}

#[test]
fn a_change_of_another_document_only_interrupts() {
    let fixture = Fixture::new(json!({}));
    fixture.open(MAIN, TEXT);
    let pending = fixture.ask(&ENDLESS);
    pending.wait_until_begun(1);
    fixture.open(OTHER, "");
    pending.wait_until_begun(2);
    fixture.change(OTHER, 2, json!([{ "text": "// new" }]));
    pending.wait_until_begun(3);
    pending.cancel.cancel();
    assert_eq!(pending.answer(), Err(RequestError::Cancelled));
}

#[test]
fn nothing_is_answered_after_shutdown() {
    let fixture = Fixture::new(json!({}));
    fixture.open(MAIN, TEXT);
    fixture.state.send(Event::Shutdown);
    assert_eq!(
        fixture.ask(&QUICK).answer(),
        Err(RequestError::ContentModified)
    );
}

#[test]
fn diagnostics_follow_the_document() {
    let mut fixture = Fixture::new(json!({}));
    let mut check = |expect: Expect, act: &dyn Fn(&Fixture)| {
        act(&fixture);
        expect.assert_eq(&fixture.published());
    };
    check(
        expect![[r#"
            file:///main.ptx Some(1)
            0:0 `foo` is outside a function: instructions and labels belong in the body of an `.entry` or `.func`
            0:0 a module starts with `.version` and `.target`, as in `.version 8.5` and `.target sm_90`
        "#]],
        &|it| it.open(MAIN, "foo"),
    );
    // Ranges that the text does not have, the wrong way round, and a second opening.
    check(
        expect![[r#"
            file:///main.ptx Some(3)
        "#]],
        &|it| {
            let everything = json!({
                "start": { "line": 9, "character": 9 }, "end": { "line": 0, "character": 0 },
            });
            it.change(MAIN, 2, json!([{ "text": "bar" }]));
            it.change(MAIN, 3, json!([{ "range": everything, "text": "" }]));
            it.change(OTHER, 1, json!([{ "text": "never opened" }]));
            it.close(OTHER);
        },
    );
    check(
        expect![[r#"
            file:///main.ptx Some(7)
            0:1 `foo` is outside a function: instructions and labels belong in the body of an `.entry` or `.func`
            0:1 a module starts with `.version` and `.target`, as in `.version 8.5` and `.target sm_90`
        "#]],
        &|it| {
            let text = json!({ "uri": MAIN, "languageId": "ptx", "version": 7, "text": " foo" });
            it.state.send(Event::Open(Fixture::params(
                json!({ "textDocument": text }),
            )));
        },
    );
    check(
        expect![[r#"
            file:///main.ptx None
        "#]],
        &|it| it.close(MAIN),
    );
}

#[test]
fn settings_switch_diagnostics() {
    let mut fixture = Fixture::new(json!({}));
    fixture.open(MAIN, "foo");
    assert!(fixture.published().contains("foo"));
    let off = json!({ "ptx-analyzer": { "diagnostics": { "enable": false } } });
    fixture.state.send(Event::ConfigurationChanged(off));
    assert_eq!(fixture.published(), "file:///main.ptx Some(1)\n");
    fixture.state.send(Event::ConfigurationChanged(json!({})));
    assert!(fixture.published().contains("foo"));
}

#[test]
fn clients_that_ask_get_nothing_pushed() {
    let mut fixture = Fixture::new(json!({
        "textDocument": { "diagnostic": {} },
        "workspace": { "diagnostics": { "refreshSupport": true } },
    }));
    fixture.open(MAIN, "foo");
    let off = json!({ "diagnostics": { "enable": false } });
    fixture.state.send(Event::ConfigurationChanged(off));
    assert_eq!(fixture.ask(&QUICK).answer(), Ok(7));
    let said: Vec<_> = std::iter::from_fn(|| fixture.outgoing.try_recv().ok()).collect();
    assert!(
        matches!(said[..], [Outgoing::RefreshDiagnostics]),
        "{said:?}"
    );
}

/// A text that a worker parses.
fn long_text() -> String {
    "// long\n".repeat(LONG_TEXT / 8 + 1)
}

fn release(busy: Vec<Pending>) {
    // All of them first: one that a write interrupted waits after the others.
    for pending in &busy {
        pending.cancel.cancel();
    }
    for pending in busy {
        assert_eq!(pending.answer(), Err(RequestError::Cancelled));
    }
}

fn insertion() -> serde_json::Value {
    let start = json!({ "line": 0, "character": 0 });
    json!([{ "range": { "start": start, "end": start }, "text": "!" }])
}

#[test]
fn a_long_text_is_parsed_beside_the_state_thread() {
    let mut fixture = Fixture::new(json!({}));
    let long = long_text();
    let bytes = u32::try_from(long.len()).expect("a short text");
    fixture.open(OTHER, TEXT);
    let busy = fixture.keep_workers_busy();
    fixture.open(MAIN, &long);
    let before = fixture.ask(&LENGTH);
    fixture.change(MAIN, 2, insertion());
    let after = fixture.ask(&LENGTH);
    let about_all = fixture.ask_about(OTHER, &LENGTH_OF_ALL);
    // No worker can have parsed it, and yet the state thread answers.
    let status = fixture.status();
    assert_eq!((status.open_documents, status.text_bytes), (2, 13));
    release(busy);
    // It is about the text before the change, or about none.
    let before = before.answer();
    assert!(
        [Ok(bytes), Err(RequestError::ContentModified)].contains(&before),
        "{before:?}"
    );
    assert_eq!(after.answer(), Ok(bytes + 1));
    assert_eq!(about_all.answer(), Ok(13));
    loop {
        let published = fixture.published();
        if published.starts_with(MAIN) {
            assert!(
                published.starts_with("file:///main.ptx Some(2)"),
                "{published}"
            );
            break;
        }
    }
}

#[test]
fn a_question_that_waited_is_not_about_a_later_text() {
    let fixture = Fixture::new(json!({}));
    fixture.open(OTHER, TEXT);
    let busy = fixture.keep_workers_busy();
    fixture.open(MAIN, &long_text());
    let about_all = fixture.ask_about(OTHER, &LENGTH_OF_ALL);
    for pending in &busy {
        pending.cancel.cancel();
    }
    fixture.change(OTHER, 2, insertion());
    // Whether the text was parsed before the change or not.
    let answer = about_all.answer();
    assert!(
        [Ok(13), Err(RequestError::ContentModified)].contains(&answer),
        "{answer:?}"
    );
    assert_eq!(fixture.ask_about(OTHER, &LENGTH).answer(), Ok(14));
}

#[test]
fn a_document_may_be_closed_before_it_is_parsed() {
    let fixture = Fixture::new(json!({}));
    fixture.open(OTHER, TEXT);
    let busy = fixture.keep_workers_busy();
    fixture.open(MAIN, &long_text());
    fixture.change(MAIN, 2, insertion());
    let [held, about_all] = [(MAIN, &LENGTH), (OTHER, &LENGTH_OF_ALL)]
        .map(|(uri, handler)| fixture.ask_about(uri, handler));
    fixture.close(MAIN);
    assert_eq!(held.answer(), Err(RequestError::ContentModified));
    let gone = fixture.ask(&LENGTH);
    // Another text of the same document; the first one is still to be parsed.
    fixture.open(MAIN, TEXT);
    let again = fixture.ask(&LENGTH);
    release(busy);
    let gone = gone.answer();
    assert!(
        [Ok(0), Err(RequestError::ContentModified)].contains(&gone),
        "{gone:?}"
    );
    assert_eq!(again.answer(), Ok(13));
    assert_eq!(about_all.answer(), Ok(13));
    fixture.open(MAIN, &long_text());
    fixture.close(MAIN);
    assert_eq!(fixture.ask(&LENGTH).answer(), Ok(0));
}

#[test]
fn a_document_may_be_opened_twice_while_it_is_parsed() {
    let fixture = Fixture::new(json!({}));
    fixture.open(MAIN, &long_text());
    fixture.change(MAIN, 2, insertion());
    fixture.open(MAIN, &format!("{}!!", long_text()));
    fixture.change(MAIN, 3, insertion());
    let bytes = u32::try_from(long_text().len()).expect("a short text");
    assert_eq!(fixture.ask(&LENGTH).answer(), Ok(bytes + 3));
}

#[test]
fn what_waits_for_a_text_is_answered_at_the_end() {
    let fixture = Fixture::new(json!({}));
    fixture.open(OTHER, TEXT);
    let busy = fixture.keep_workers_busy();
    fixture.open(MAIN, &long_text());
    let held = fixture.ask(&LENGTH);
    fixture.state.send(Event::Shutdown);
    assert_eq!(held.answer(), Err(RequestError::ContentModified));
    release(busy);
}

#[test]
fn questions_about_the_workspace_wait_until_it_is_read() {
    // The index waits for the settings.
    let mut fixture = Fixture::new(json!({ "workspace": { "configuration": true } }));
    fixture.open(MAIN, TEXT);
    let mut held = fixture.ask(&LENGTH_OF_WORKSPACE);
    let mut old = fixture.ask_about(OTHER, &LENGTH_OF_WORKSPACE);
    assert_eq!(fixture.ask(&LENGTH_OF_ALL).answer().ok(), Some(13));
    assert!(held.answer.try_recv().is_err() && old.answer.try_recv().is_err());
    fixture.open(OTHER, TEXT);
    // A client without progress is shown once.
    let mut shown = 0;
    while let Ok(message) = fixture.outgoing.try_recv() {
        shown += usize::from(matches!(message, Outgoing::Show(..)));
    }
    assert_eq!(shown, 1);
    fixture
        .state
        .send(Event::Configuration(serde_json::Value::Null));
    assert_eq!(held.answer().ok(), Some(13));
    assert!(matches!(old.answer(), Err(RequestError::ContentModified)));
    assert_eq!(fixture.ask(&LENGTH_OF_WORKSPACE).answer().ok(), Some(13));
}

#[test]
fn questions_that_wait_for_the_workspace_end_with_the_server() {
    let fixture = Fixture::new(json!({ "workspace": { "configuration": true } }));
    fixture.open(MAIN, TEXT);
    let held = fixture.ask(&LENGTH_OF_WORKSPACE);
    fixture.state.send(Event::Shutdown);
    assert!(held.answer().is_err());
}
