//! A language client for tests and benches.

mod one_thread;

use std::{
    collections::{BTreeMap, VecDeque},
    path::Path,
    process::Stdio,
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    process::Command,
    runtime::Runtime,
    task::JoinHandle,
};

/// How long an expected message may take before the test fails. Generous: a debug build next to compilers that take
/// nine tenths of the machine needed more than a minute for a few seconds of work.
const PATIENCE: Duration = Duration::from_secs(180);
/// Bytes that may wait in either direction.
const BUFFER: usize = 1 << 20;

/// An error answer.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcError {
    /// JSON-RPC or LSP error code.
    pub code: i64,
    /// Message of an error response.
    pub message: String,
    /// More about it, `null` when there is none.
    pub data: Value,
}

impl RpcError {
    /// JSON-RPC: the message is not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// JSON-RPC: the message is JSON but no request, or one that is not allowed now.
    pub const INVALID_REQUEST: i64 = -32600;
    /// JSON-RPC: the method does not exist.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// JSON-RPC: the parameters do not fit the method.
    pub const INVALID_PARAMS: i64 = -32602;
    /// JSON-RPC: the server failed.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// LSP: a request before `initialize`.
    pub const SERVER_NOT_INITIALIZED: i64 = -32002;
    /// LSP: the client cancelled the request.
    pub const REQUEST_CANCELLED: i64 = -32800;
    /// LSP: the text changed while the request was under way.
    pub const CONTENT_MODIFIED: i64 = -32801;
    /// LSP: the request cannot be fulfilled.
    pub const REQUEST_FAILED: i64 = -32803;
    /// LSP: the server gave up; a pull of diagnostics may be sent again.
    pub const SERVER_CANCELLED: i64 = -32802;
}

/// A language server, in this process or in another one, and a client that talks to it.
///
/// Requests of the server are answered at once, with [`settings`](TestServer::settings) for
/// `workspace/configuration` and `null` else. When it is dropped, the client shuts the server down
/// and fails if that does not work, or if there was a message that the test did not ask for.
pub struct TestServer {
    runtime: Runtime,
    /// `None` after the client has hung up.
    writer: Option<Box<dyn AsyncWrite + Unpin + Send>>,
    incoming: Receiver<(Value, Instant)>,
    /// When the last byte of the message had come that was waited for last: to read it takes longer than to
    /// send it, and that is not work of the server.
    pub arrived: Instant,
    /// Messages that were received while waiting for another one.
    waiting: VecDeque<Value>,
    serving: Option<JoinHandle<u8>>,
    process: Option<u32>,
    next_id: i64,
    versions: BTreeMap<String, i64>,
    allows_problems: bool,
    /// Methods of the requests that the server made.
    pub server_requests: Vec<String>,
    /// The answer to every item of `workspace/configuration`.
    pub settings: Value,
}

impl TestServer {
    /// A server in this process that waits for `initialize`.
    pub fn start() -> TestServer {
        let runtime = runtime();
        let (writer, server_reader) = tokio::io::duplex(BUFFER);
        let (server_writer, reader) = tokio::io::duplex(BUFFER);
        let serving = runtime.spawn(server::serve(server_reader, server_writer));
        TestServer::connect(runtime, reader, writer, serving)
    }

    /// A server in a process of its own, over its standard input and output.
    pub fn spawn(program: &Path, arguments: &[&str]) -> TestServer {
        let runtime = runtime();
        let guard = runtime.enter();
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .expect("the server starts");
        let process = child.id();
        let writer = child.stdin.take().expect("standard input is piped");
        let reader = child.stdout.take().expect("standard output is piped");
        let serving = runtime.spawn(async move {
            let status = child.wait().await.expect("the server can be waited for");
            // A signal gives no code.
            status
                .code()
                .and_then(|it| it.try_into().ok())
                .unwrap_or(u8::MAX)
        });
        drop(guard);
        let mut server = TestServer::connect(runtime, reader, writer, serving);
        server.process = process;
        server
    }

    /// A session on one thread, as in a worker of a browser, in this process; it waits for `initialize`.
    pub fn on_one_thread() -> TestServer {
        let runtime = runtime();
        let (writer, server_reader) = tokio::io::duplex(BUFFER);
        let (server_writer, reader) = tokio::io::duplex(BUFFER);
        let serving = runtime.spawn(one_thread::serve(server_reader, server_writer));
        TestServer::connect(runtime, reader, writer, serving)
    }

    fn connect(
        runtime: Runtime,
        reader: impl AsyncRead + Unpin + Send + 'static,
        writer: impl AsyncWrite + Unpin + Send + 'static,
        serving: JoinHandle<u8>,
    ) -> TestServer {
        let (sender, incoming) = channel();
        runtime.spawn(async move {
            let mut reader = tokio::io::BufReader::new(reader);
            while let Some(body) = read_body(&mut reader).await {
                let arrived = Instant::now();
                if sender.send((parsed(&body), arrived)).is_err() {
                    break;
                }
            }
        });
        TestServer {
            runtime,
            writer: Some(Box::new(writer)),
            incoming,
            arrived: Instant::now(),
            waiting: VecDeque::new(),
            serving: Some(serving),
            process: None,
            next_id: 0,
            versions: BTreeMap::new(),
            allows_problems: false,
            server_requests: Vec::new(),
            settings: Value::Null,
        }
    }

    /// The number of the server's process, if it has one of its own.
    pub fn process(&self) -> Option<u32> {
        self.process
    }

    /// Ends the server's process at once, as the system or a person does when nothing else helps.
    pub fn kill(&mut self) {
        self.serving
            .take()
            .expect("a server that was not waited for")
            .abort();
        // The process ends with its handle.
        self.writer = None;
    }

    /// Everything that the server has sent and no test has read, after its end.
    pub fn rest(&mut self) -> Vec<Value> {
        let rest = self.incoming.iter().map(|it| it.0).collect::<Vec<_>>();
        self.waiting.extend(rest);
        self.waiting.drain(..).collect()
    }

    /// A server after `initialize` and `initialized` with these client capabilities.
    pub fn with_capabilities(capabilities: Value) -> TestServer {
        let mut server = TestServer::start();
        server.initialize(json!({
            "processId": null, "rootUri": null, "capabilities": capabilities,
        }));
        server
    }

    /// A server after `initialize` and `initialized` with a client that can do nothing special.
    pub fn ready() -> TestServer {
        TestServer::with_capabilities(json!({}))
    }

    /// Does the handshake and returns the result of `initialize`.
    ///
    /// Problems are shown at once, unless the options say otherwise: a test does not wait until the edits have left a
    /// statement.
    pub fn initialize(&mut self, mut params: Value) -> Value {
        if let Some(options) = params.as_object_mut() {
            let options = options
                .entry("initializationOptions")
                .or_insert_with(|| json!({}));
            let diagnostics = options
                .as_object_mut()
                .map(|it| it.entry("diagnostics").or_insert_with(|| json!({})));
            if let Some(diagnostics) = diagnostics.and_then(Value::as_object_mut) {
                diagnostics
                    .entry("quietWhileTyping")
                    .or_insert(json!(false));
            }
        }
        let result = self.request("initialize", params).expect("initialize");
        self.notify("initialized", json!({}));
        result
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        assert!(self.try_send_bytes(bytes), "the server does not read");
    }

    /// Sends bytes to a server that may have ended; `false` when it has.
    pub fn try_send_bytes(&mut self, bytes: &[u8]) -> bool {
        let writer = self.writer.as_mut().expect("a client that has not hung up");
        let write = async {
            writer.write_all(bytes).await?;
            writer.flush().await
        };
        self.runtime.block_on(write).is_ok()
    }

    /// Sends a body with its header.
    pub fn send_body(&mut self, body: &str) {
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.send_body(&message.to_string());
    }

    /// Sends a request and returns its id.
    pub fn send_request(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let id = self.next_id;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send_body(&message.to_string());
        id
    }

    /// Waits for the answer to a request.
    pub fn response(&mut self, id: impl Into<Value>) -> Result<Value, RpcError> {
        let id = id.into();
        let what = format!("the answer to request {id}");
        let answer = self.wait_for(&what, |it| it.get("method").is_none() && it["id"] == id);
        let error = &answer["error"];
        if error.is_null() {
            return Ok(answer["result"].clone());
        }
        Err(RpcError {
            code: error["code"].as_i64().expect("an error has a code"),
            message: error["message"]
                .as_str()
                .expect("an error has a message")
                .to_owned(),
            data: error["data"].clone(),
        })
    }

    /// Sends a request and waits for its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, RpcError> {
        let id = self.send_request(method, params);
        self.response(id)
    }

    /// Waits for a notification and returns its parameters.
    pub fn notification(&mut self, method: &str) -> Value {
        self.wait_for(method, |it| it["method"] == method)["params"].clone()
    }

    /// Opens a document as version 1.
    pub fn open(&mut self, uri: &str, text: &str) {
        self.open_version(uri, "ptx", text, 1);
    }

    /// Opens a document of another language as version 1.
    pub fn open_as(&mut self, uri: &str, language: &str, text: &str) {
        self.open_version(uri, language, text, 1);
    }

    /// Closes a document and opens it again, with versions that continue.
    pub fn reopen(&mut self, uri: &str, text: &str) {
        let version = self.versions.get(uri).copied().unwrap_or_default();
        self.close(uri);
        self.open_version(uri, "ptx", text, version + 1);
    }

    fn open_version(&mut self, uri: &str, language: &str, text: &str, version: i64) {
        self.versions.insert(uri.to_owned(), version);
        let document =
            json!({ "uri": uri, "languageId": language, "version": version, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Sends the changes as the next version of the document.
    pub fn change(&mut self, uri: &str, changes: Value) {
        let version = self.versions.entry(uri.to_owned()).or_insert(1);
        *version += 1;
        let document = json!({ "uri": uri, "version": *version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.notify("textDocument/didChange", params);
    }

    /// Replaces one range of the document; lines and columns are zero-based.
    pub fn edit(&mut self, uri: &str, start: (u32, u32), end: (u32, u32), text: &str) {
        self.change(uri, json!([change(start, end, text)]));
    }

    /// Replaces the whole document.
    pub fn replace(&mut self, uri: &str, text: &str) {
        self.change(uri, json!([{ "text": text }]));
    }

    /// Closes a document.
    pub fn close(&mut self, uri: &str) {
        self.versions.remove(uri);
        self.notify(
            "textDocument/didClose",
            json!({ "textDocument": { "uri": uri } }),
        );
    }

    /// Waits for the pushed diagnostics of the version of the document that was sent last.
    pub fn diagnostics(&mut self, uri: &str) -> Vec<Value> {
        let version = self.versions.get(uri).copied();
        let message = self.wait_for(&format!("diagnostics of {uri}"), |it| {
            it["method"] == "textDocument/publishDiagnostics"
                && it["params"]["uri"] == uri
                && it["params"]["version"].as_i64() == version
        });
        message["params"]["diagnostics"]
            .as_array()
            .expect("a list")
            .clone()
    }

    /// Asks for the diagnostics of a document until the server is not busy with a change.
    pub fn pull_diagnostics(&mut self, uri: &str) -> Vec<Value> {
        let params = json!({ "textDocument": { "uri": uri } });
        let answer = self.settled("textDocument/diagnostic", &params);
        answer["items"].as_array().expect("a full report").clone()
    }

    /// Sends a request again as long as it is refused because the text is changing.
    pub fn settled(&mut self, method: &str, params: &Value) -> Value {
        loop {
            match self.request(method, params.clone()) {
                Ok(answer) => return answer,
                Err(RpcError {
                    code: RpcError::CONTENT_MODIFIED | RpcError::SERVER_CANCELLED,
                    ..
                }) => {}
                Err(error) => panic!("{method}: {error:?}"),
            }
        }
    }

    /// The text of the hover at a position, once the text has settled; empty when there is none.
    pub fn hover(&mut self, uri: &str, line: u32, character: u32) -> String {
        let answer = self.settled("textDocument/hover", &place(uri, line, character));
        hover_text(&answer)
    }

    /// Ends the stream to the server without a word and returns the exit status.
    pub fn hang_up(&mut self) -> u8 {
        self.writer = None;
        self.exit_status()
    }

    /// Waits for the end of the server and returns the exit status.
    pub fn exit_status(&mut self) -> u8 {
        let serving = self
            .serving
            .take()
            .expect("a server that was not waited for");
        self.runtime
            .block_on(async { tokio::time::timeout(PATIENCE, serving).await })
            .expect("the server ends")
            .expect("the server does not panic")
    }

    /// Drops the notifications that have come and were not read.
    pub fn forget_notifications(&mut self) {
        self.has_notification("");
        self.waiting.retain(|it| it.get("id").is_some());
    }

    /// Whether a notification has come that was not read yet.
    pub fn has_notification(&mut self, method: &str) -> bool {
        let arrived: Vec<Value> = self.incoming.try_iter().map(|it| it.0).collect();
        for message in arrived {
            self.receive(message);
        }
        self.waiting.iter().any(|it| it["method"] == method)
    }

    /// Allows messages of the server about problems.
    pub fn expect_problems_in_log(&mut self) {
        self.allows_problems = true;
    }

    fn wait_for(&mut self, what: &str, matches: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.waiting.iter().position(&matches) {
            self.arrived = Instant::now();
            return self.waiting.remove(at).expect("its index was found");
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            let rest = deadline.saturating_duration_since(Instant::now());
            match self.incoming.recv_timeout(rest) {
                Ok((message, arrived)) if matches(&message) => {
                    self.arrived = arrived;
                    return message;
                }
                Ok((message, _)) => self.receive(message),
                Err(RecvTimeoutError::Timeout) => {
                    panic!("waited in vain for {what}; there is {:#?}", self.waiting)
                }
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("the server ended; the client waits for {what}")
                }
            }
        }
    }

    /// Answers a request of the server, keeps any other message.
    fn receive(&mut self, message: Value) {
        let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) else {
            self.waiting.push_back(message);
            return;
        };
        self.server_requests.push(method.to_owned());
        let result = match method {
            "workspace/configuration" => {
                let items = message["params"]["items"].as_array().map_or(0, Vec::len);
                Value::Array(vec![self.settings.clone(); items])
            }
            "window/workDoneProgress/create"
            | "client/registerCapability"
            | "client/unregisterCapability"
            | "workspace/codeLens/refresh"
            | "workspace/diagnostic/refresh"
            | "workspace/inlayHint/refresh"
            | "workspace/semanticTokens/refresh" => Value::Null,
            method => panic!("the server asks for {method}"),
        };
        let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        self.send_body(&answer.to_string());
    }

    /// Shuts the server down as a client should, and checks that nothing was left over.
    fn shut_down(&mut self) {
        assert_eq!(self.request("shutdown", Value::Null), Ok(Value::Null));
        self.notify("exit", Value::Null);
        assert_eq!(
            self.exit_status(),
            0,
            "the exit status after an orderly end"
        );
        let rest = self.incoming.try_iter().map(|it| it.0).collect::<Vec<_>>();
        self.waiting.extend(rest);
        let unhandled: Vec<&Value> = self
            .waiting
            .iter()
            .filter(|it| !self.may_be_ignored(it))
            .collect();
        assert!(unhandled.is_empty(), "nobody asked for {unhandled:#?}");
    }

    /// The messages that a server may send at any time without being asked.
    fn may_be_ignored(&self, message: &Value) -> bool {
        let is_problem = message["params"]["type"]
            .as_i64()
            .is_some_and(|kind| kind <= 2);
        match message["method"].as_str() {
            Some("textDocument/publishDiagnostics" | "$/progress") => true,
            Some("window/logMessage" | "window/showMessage") => self.allows_problems || !is_problem,
            // A last request of the server, made while the client was already leaving.
            Some(_) => message.get("id").is_some(),
            None => false,
        }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        // A failed test says enough, and a second panic would hide it.
        if self.serving.is_some() && !std::thread::panicking() {
            self.shut_down();
        }
    }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
}

/// Parameters of the requests that are about one place of a document.
pub fn place(uri: &str, line: u32, character: u32) -> Value {
    json!({
        "textDocument": { "uri": uri },
        "position": { "line": line, "character": character },
    })
}

/// One entry of `contentChanges`.
pub fn change(start: (u32, u32), end: (u32, u32), text: &str) -> Value {
    json!({
        "range": {
            "start": { "line": start.0, "character": start.1 },
            "end": { "line": end.0, "character": end.1 },
        },
        "text": text,
    })
}

/// The text of a hover, in whatever form it was sent; empty for `null`.
pub fn hover_text(hover: &Value) -> String {
    let contents = &hover["contents"];
    let text = contents.as_str().or_else(|| contents["value"].as_str());
    text.unwrap_or_default().to_owned()
}

/// Reads one message; `None` at the end of the stream.
pub async fn read_message(reader: &mut (impl AsyncRead + Unpin)) -> Option<Value> {
    Some(parsed(&read_body(reader).await?))
}

async fn read_body(reader: &mut (impl AsyncRead + Unpin)) -> Option<Vec<u8>> {
    let mut header = Vec::new();
    while !header.ends_with(b"\r\n\r\n") {
        header.push(reader.read_u8().await.ok()?);
    }
    let header = String::from_utf8(header).expect("a header in ASCII");
    let length = header
        .lines()
        .find_map(|line| line.strip_prefix("Content-Length: "))
        .expect("a header with a length");
    let mut body = vec![0; length.parse().expect("the length is a number")];
    reader.read_exact(&mut body).await.ok()?;
    Some(body)
}

fn parsed(body: &[u8]) -> Value {
    // It limits how deep values are nested; so do the readers of some clients.
    serde_json::from_slice(body).unwrap_or_else(|error| {
        let body = String::from_utf8_lossy(body);
        let start = body.chars().take(200).collect::<String>();
        panic!("the server writes what clients cannot read: {error} in {start}")
    })
}
