//! One client and its session on one thread: JSON-RPC messages in, messages out.
//!
//! For programs without threads, as a worker in a browser is one. [`Connection::receive`] puts a message into a queue
//! and [`Connection::step`] does one thing of what is waiting. A program that hands over everything that has arrived
//! before each step gets what threads would give: edits of one document are applied together, a request that was
//! cancelled is not worked on, and a request whose document has changed meanwhile is answered so.
//!
//! The clock is the caller's: it says when no edit came for a while ([`Connection::settle`]), and when the
//! diagnostics that take long are wanted ([`Waiting::Diagnostics`]).

mod documents;
mod message;

use std::{
    collections::{BTreeMap, VecDeque},
    panic::AssertUnwindSafe,
    sync::Arc,
};

use analysis::{AnalysisConfig, AnalysisHost, Change, FileId};
use rustc_hash::FxHashMap;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};
use syntax::FileContents;
use tracing::{error, warn};

use self::{
    documents::OpenDocument,
    message::{Message, Parsed},
};
use crate::{
    config::{Config, Problem, SECTION},
    diagnostics::Stage,
    embedded::HostDocuments,
    exact::Results,
    host::Host,
    lsp::{
        capabilities::{Client, initialize_result, settings_registration},
        ext::{DID_READ_FILES, RUN_PTXAS},
        lsp_types::{
            DidChangeConfigurationParams, DidChangeTextDocumentParams, DidSaveTextDocumentParams,
            ExecuteCommandParams, InitializeResult, MessageType, Url,
        },
        registration::{embedded_registrations, embedded_unregistrations},
    },
    requests::{self, LensTextParams},
    snapshot::{Answer, RequestError, Shared, Snapshot},
};

/// JSON-RPC: the message is not JSON.
const PARSE_ERROR: i64 = -32700;
/// JSON-RPC: the message is JSON but not a request, or one that is not allowed now.
const INVALID_REQUEST: i64 = -32600;
/// JSON-RPC: the method does not exist.
const METHOD_NOT_FOUND: i64 = -32601;
/// LSP: a request before `initialize`.
const NOT_INITIALIZED: i64 = -32002;

/// The work that a [`Connection`] has, most urgent last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Waiting {
    /// None.
    Nothing,
    /// The client knows diagnostics of each document; a search for all of them may take longer than a keystroke.
    Diagnostics,
    /// Messages, or a document whose diagnostics the client does not know at all.
    Messages,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    New,
    Initialized,
    ShutDown,
    Ended {
        orderly: bool,
    },
}

/// A session with one client.
pub struct Connection {
    machine: Arc<dyn Host>,
    host: AnalysisHost,
    shared: Arc<Shared>,
    config: Config,
    phase: Phase,
    /// The documents that the client has open.
    documents: BTreeMap<FileId, OpenDocument>,
    /// The open documents in other languages.
    hosts: Arc<HostDocuments>,
    /// The settings of the analysis.
    settings: Arc<AnalysisConfig>,
    /// The files that the client has read and not opened.
    read: FxHashMap<FileId, Arc<FileContents>>,
    queue: VecDeque<Message>,
    out: Vec<String>,
    /// Number of the latest request to the client.
    last_request: u64,
    /// The request for the settings that waits for its answer.
    settings_request: Option<u64>,
    /// Messages about the settings that came before `initialized`.
    early: Vec<(MessageType, String)>,
    begun: bool,
    /// Whether the server has registered for documents in other languages.
    hosts_registered: bool,
}

impl Connection {
    /// A session that waits for `initialize`.
    #[must_use]
    pub fn new(machine: Arc<dyn Host>) -> Connection {
        Connection {
            host: AnalysisHost::new(),
            shared: Arc::new(Shared::new(Arc::clone(&machine), Client::default())),
            machine,
            config: Config::default(),
            phase: Phase::New,
            documents: BTreeMap::new(),
            hosts: Arc::default(),
            settings: Arc::default(),
            read: FxHashMap::default(),
            queue: VecDeque::new(),
            out: Vec::new(),
            last_request: 0,
            settings_request: None,
            early: Vec::new(),
            begun: false,
            hosts_registered: false,
        }
    }

    /// Takes a message of the client; [`Self::step`] works on it.
    pub fn receive(&mut self, text: &str) {
        match Message::parse(text) {
            Parsed::Message(Message::Cancel(id)) => self.cancel(&id),
            Parsed::Message(message) => self.queue.push_back(message),
            Parsed::Invalid(id) => self.refuse(&id, INVALID_REQUEST, "this is not a request"),
            Parsed::NoJson(reason) => self.refuse("null", PARSE_ERROR, &reason),
        }
    }

    /// The work that is left.
    #[must_use]
    pub fn waiting(&self) -> Waiting {
        if !self.queue.is_empty() || !self.out.is_empty() {
            return Waiting::Messages;
        }
        let reported = self.documents.values().map(|it| it.reported);
        match reported.min() {
            Some(Stage::Outdated) => Waiting::Messages,
            Some(Stage::Syntax) => Waiting::Diagnostics,
            Some(Stage::Complete) | None => Waiting::Nothing,
        }
    }

    /// Does one thing of what is waiting, the most urgent, and returns the messages for the client.
    pub fn step(&mut self) -> Vec<String> {
        // A panic concerns one message; where panics abort, the caller begins anew.
        let step = std::panic::catch_unwind(AssertUnwindSafe(|| match self.queue.pop_front() {
            Some(message) => self.handle(message),
            None => self.diagnose(),
        }));
        if step.is_err() {
            error!("the session panicked");
        }
        std::mem::take(&mut self.out)
    }

    /// Shows the diagnostics that were held back for unfinished statements; called when no edit came for a while.
    pub fn settle(&mut self) {
        let files: Vec<_> = self.documents.keys().copied().collect();
        for file in files {
            self.publish_held_back(file);
        }
    }

    /// The exit status of a program whose client has sent `exit`.
    #[must_use]
    pub fn exit_status(&self) -> Option<u8> {
        match self.phase {
            Phase::Ended { orderly } => Some(u8::from(!orderly)),
            _ => None,
        }
    }

    fn cancel(&mut self, id: &str) {
        let is_it = |it: &Message| matches!(it, Message::Request { id: other, .. } if other == id);
        if let Some(at) = self.queue.iter().position(is_it) {
            self.queue.remove(at);
            self.reject(id, &RequestError::Cancelled);
        }
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::Request { id, method, params } => self.request(&id, &method, &params),
            Message::Change(params) => self.changes(params),
            Message::Notification { method, params } => self.notification(&method, &params),
            Message::Answer { id, result } => {
                if self.settings_request.is_some_and(|it| it.to_string() == id) {
                    self.settings_request = None;
                    let first = result.get(0).cloned().unwrap_or_default();
                    // Null is what a client without any such settings answers; what came with `initialize` stays.
                    if !first.is_null() {
                        self.configure(&first);
                    }
                }
            }
            // It has acted when it came.
            Message::Cancel(_) => {}
        }
    }

    /// Collects the changes of one document that wait, so that it is parsed and written once.
    fn changes(&mut self, first: DidChangeTextDocumentParams) {
        let mut batch = vec![first];
        while let Some(Message::Change(next)) = self.queue.front()
            && next.text_document.uri == batch[0].text_document.uri
            && let Some(Message::Change(next)) = self.queue.pop_front()
        {
            batch.push(next);
        }
        if self.phase == Phase::Initialized {
            self.change(&batch);
        }
    }

    fn request(&mut self, id: &str, method: &str, params: &RawValue) {
        match (self.phase, method) {
            (Phase::New, "initialize") => {
                let result = self.initialize(params);
                self.answer(id, &result);
            }
            (Phase::New, _) => self.refuse(id, NOT_INITIALIZED, "the server is not initialized"),
            (Phase::Initialized, "initialize") | (Phase::ShutDown | Phase::Ended { .. }, _) => {
                self.refuse(id, INVALID_REQUEST, "this request is not allowed now");
            }
            (Phase::Initialized, "shutdown") => {
                self.phase = Phase::ShutDown;
                self.documents.clear();
                self.hosts = Arc::default();
                self.answer(id, &Value::Null);
            }
            (Phase::Initialized, "workspace/executeCommand") => match self.execute(params) {
                Ok(()) => self.answer(id, &Value::Null),
                Err(error) => self.reject(id, &error),
            },
            (Phase::Initialized, _) => self.answer_request(id, method, params),
        }
    }

    /// Answers a question over a snapshot.
    fn answer_request(&mut self, id: &str, method: &str, params: &RawValue) {
        if self.is_stale(params) {
            // Clients stop requesting diagnostics unless the error makes them retry.
            let error = match method {
                "textDocument/diagnostic" => RequestError::ServerCancelled,
                _ => RequestError::ContentModified,
            };
            return self.reject(id, &error);
        }
        let snapshot = self.snapshot();
        let run = AssertUnwindSafe(|| requests::answer(&snapshot, method, params));
        let answer = std::panic::catch_unwind(run).unwrap_or_else(|_| {
            let text = format!("internal error in {method}");
            Some(Err(RequestError::Internal(text)))
        });
        // A write waits until it is gone.
        drop(snapshot);
        match answer {
            Some(Ok(result)) => self.answer_raw(id, result.get()),
            Some(Err(error)) => self.reject(id, &error),
            None => self.refuse(
                id,
                METHOD_NOT_FOUND,
                &format!("there is no method {method}"),
            ),
        }
    }

    /// Whether changes of the document that a question is about are waiting.
    fn is_stale(&self, params: &RawValue) -> bool {
        let mut changed = self.queue.iter().filter_map(|it| match it {
            Message::Change(params) => Some(&params.text_document.uri),
            _ => None,
        });
        let Some(first) = changed.next() else {
            return false;
        };
        let about = message::document_of(params);
        about.is_some_and(|uri| *first == uri || changed.any(|it| *it == uri))
    }

    fn notification(&mut self, method: &str, params: &RawValue) {
        if method == "exit" {
            let orderly = self.phase == Phase::ShutDown;
            self.phase = Phase::Ended { orderly };
        }
        if self.phase != Phase::Initialized {
            return;
        }
        match method {
            "initialized" => self.initialized(),
            "textDocument/didOpen" => self.with(method, params, Self::open),
            "textDocument/didClose" => self.with(method, params, |this, it| this.close(&it)),
            "textDocument/didSave" => {
                self.with(method, params, |this, it: DidSaveTextDocumentParams| {
                    let uri = &it.text_document.uri;
                    if let Some(file) = this.shared.files(|files| files.get(uri)) {
                        this.publish_held_back(file);
                    }
                });
            }
            "workspace/didChangeConfiguration" => {
                self.with(method, params, |this, it: DidChangeConfigurationParams| {
                    if this.shared.client.configuration {
                        this.request_settings();
                    } else {
                        this.configure(&it.settings);
                    }
                });
            }
            DID_READ_FILES => self.with(method, params, Self::read_files),
            // LSP allows clients to send what a server does not know.
            _ => {}
        }
    }

    fn with<P: DeserializeOwned>(
        &mut self,
        method: &str,
        params: &RawValue,
        act: impl FnOnce(&mut Self, P),
    ) {
        match serde_json::from_str(params.get()) {
            Ok(params) => act(self, params),
            Err(error) => warn!(method, %error, "invalid parameters"),
        }
    }

    fn initialize(&mut self, params: &RawValue) -> InitializeResult {
        let client = Client::new(&serde_json::from_str(params.get()).unwrap_or_default());
        let mut result = initialize_result(&client);
        if let Some(commands) = &mut result.capabilities.execute_command_provider {
            // There are no programs here.
            commands.commands.retain(|it| it != RUN_PTXAS);
        }
        let options = client.options.clone();
        self.shared = Arc::new(Shared::new(Arc::clone(&self.machine), client));
        self.phase = Phase::Initialized;
        self.configure(&options);
        result
    }

    fn initialized(&mut self) {
        self.begun = true;
        if let Some(registration) = settings_registration(&self.shared.client) {
            let params = json!({ "registrations": [registration] });
            self.request_client("client/registerCapability", &params);
        }
        self.send_early();
        self.register_hosts();
        if self.shared.client.configuration {
            self.request_settings();
        }
    }

    /// Asks a client that registers features by language for documents in other languages, or takes that back.
    fn register_hosts(&mut self) {
        let client = &self.shared.client;
        let wanted = self.config.embedded && client.register_languages;
        if wanted == self.hosts_registered {
            return;
        }
        self.hosts_registered = wanted;
        let (method, params) = match wanted {
            true => (
                "client/registerCapability",
                json!({ "registrations": embedded_registrations(client) }),
            ),
            false => (
                "client/unregisterCapability",
                // The name in the protocol.
                json!({ "unregisterations": embedded_unregistrations(client) }),
            ),
        };
        self.request_client(method, &params);
    }

    fn request_settings(&mut self) {
        let params = json!({ "items": [{ "section": SECTION }] });
        self.settings_request = Some(self.request_client("workspace/configuration", &params));
    }

    fn configure(&mut self, settings: &Value) {
        let (config, problems) = Config::from_json(settings);
        self.early.extend(problems.into_iter().map(|it| match it {
            Problem::Unknown(text) => (MessageType::WARNING, text),
            Problem::Invalid(text) => (MessageType::ERROR, text),
        }));
        let old = std::mem::replace(&mut self.config, config);
        if self.begun {
            self.send_early();
            self.register_hosts();
        }
        if old.analysis() != self.config.analysis() {
            self.write(Vec::new(), true);
        }
        if old.analysis() != self.config.analysis()
            || old.diagnostics != self.config.diagnostics
            || old.embedded != self.config.embedded
        {
            self.refresh();
        }
        let client = &self.shared.client;
        let launch = old.launch != self.config.launch;
        let hints = launch || old.features.hints != self.config.features.hints;
        let lenses = launch || old.features.lenses != self.config.features.lenses;
        let asks = [
            (
                hints && client.refresh_inlay_hints,
                "workspace/inlayHint/refresh",
            ),
            (
                lenses && client.refresh_code_lenses,
                "workspace/codeLens/refresh",
            ),
        ];
        for (_, method) in asks.into_iter().filter(|it| it.0) {
            self.request_client(method, &Value::Null);
        }
    }

    /// Sends what had to wait until the client was ready for it.
    fn send_early(&mut self) {
        for (kind, text) in std::mem::take(&mut self.early) {
            // An unknown setting is for the log, a wrong value for the user.
            let method = match kind {
                MessageType::ERROR => "window/showMessage",
                _ => "window/logMessage",
            };
            self.notify(method, &json!({ "type": kind, "message": text }));
        }
    }

    /// Makes the client show answers that changed without a change of its documents.
    fn refresh(&mut self) {
        let client = &self.shared.client;
        let asks = [
            (
                !client.pushes() && client.refresh_diagnostics,
                "workspace/diagnostic/refresh",
            ),
            (
                client.refresh_semantic_tokens,
                "workspace/semanticTokens/refresh",
            ),
        ];
        for (_, method) in asks.into_iter().filter(|it| it.0) {
            self.request_client(method, &Value::Null);
        }
        self.schedule_open_files();
    }

    fn execute(&mut self, params: &RawValue) -> Answer<()> {
        let params: ExecuteCommandParams = serde_json::from_str(params.get())
            .map_err(|error| RequestError::InvalidParams(error.to_string()))?;
        let Some(lens) = LensTextParams::new(&params.command, &params.arguments) else {
            let text = "there is no such command".to_owned();
            return Err(RequestError::InvalidParams(text));
        };
        let snapshot = self.snapshot();
        let text = requests::lens_text().answer(&snapshot, &lens)?;
        drop(snapshot);
        if let Some(text) = text {
            let params = json!({ "type": MessageType::INFO, "message": text });
            self.notify("window/showMessage", &params);
        }
        Ok(())
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            analysis: self.host.analysis(),
            shared: Arc::clone(&self.shared),
            diagnostics: self.config.diagnostics,
            embedded: self.config.embedded,
            features: self.config.features,
            exact: Results::default(),
            hosts: Arc::clone(&self.hosts),
            settings: Arc::clone(&self.settings),
        }
    }

    /// Writes new contents or the settings to the analysis, and schedules diagnostics.
    fn write(&mut self, files: Vec<(FileId, Option<Arc<FileContents>>)>, configured: bool) {
        self.apply(files, configured);
        self.schedule_open_files();
    }

    /// Writes new contents or the settings to the analysis. All writes go through here.
    fn apply(&mut self, files: Vec<(FileId, Option<Arc<FileContents>>)>, configured: bool) {
        let config = configured.then(|| self.config.analysis());
        if let Some(config) = &config {
            self.settings = Arc::new(config.clone());
        }
        self.host.apply_change(Change { files, config });
    }

    fn answer(&mut self, id: &str, result: &impl Serialize) {
        match serde_json::to_string(result) {
            Ok(result) => self.answer_raw(id, &result),
            Err(error) => self.reject(id, &RequestError::Internal(error.to_string())),
        }
    }

    fn answer_raw(&mut self, id: &str, result: &str) {
        self.out.push(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
        ));
    }

    fn reject(&mut self, id: &str, error: &RequestError) {
        let mut object = json!({ "code": error.code(), "message": error.message() });
        if *error == RequestError::ServerCancelled {
            object["data"] = json!({ "retriggerRequest": true });
        }
        self.out
            .push(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{object}}}"#));
    }

    fn refuse(&mut self, id: &str, code: i64, message: &str) {
        let object = json!({ "code": code, "message": message });
        self.out
            .push(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{object}}}"#));
    }

    fn notify(&mut self, method: &str, params: &Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.out.push(message.to_string());
    }

    fn request_client(&mut self, method: &str, params: &Value) -> u64 {
        self.last_request += 1;
        let id = self.last_request;
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if !params.is_null() {
            message["params"] = params.clone();
        }
        self.out.push(message.to_string());
        id
    }

    fn uri(&self, file: FileId) -> Option<Url> {
        self.shared.files(|files| files.uri(file).cloned())
    }
}

#[cfg(test)]
mod tests;
