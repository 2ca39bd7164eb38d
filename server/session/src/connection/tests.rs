mod kernels;
mod trial;

use serde_json::{Value, json};

use super::*;
use crate::host::{Bare, Host};

const URI: &str = "untitled:a.ptx";
const TEXT: &str = ".version 8.0\n.target sm_90\n.entry k()\n{\n  \n  bar.sync 0;\n  \n  ret;\n}\n";

/// A client that hands over what it has said when it asks.
struct Client(Connection);

impl Client {
    fn new(capabilities: Value, options: Value) -> Client {
        Client::on(Arc::new(Bare), capabilities, options)
    }

    fn on(host: Arc<dyn Host>, capabilities: Value, options: Value) -> Client {
        let mut client = Client(Connection::new(host));
        let params = json!({ "capabilities": capabilities, "initializationOptions": options });
        client.ask(1, "initialize", params);
        client.notify("initialized", json!({}));
        client.run();
        client
    }

    fn ask(&mut self, id: i64, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.0.receive(&message.to_string());
    }

    fn notify(&mut self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.0.receive(&message.to_string());
    }

    fn open(&mut self, text: &str) {
        let document = json!({ "uri": URI, "languageId": "ptx", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn type_at(&mut self, version: i32, line: u32, character: u32, text: &str) {
        let at = json!({ "line": line, "character": character });
        self.notify(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": URI, "version": version },
                "contentChanges": [{ "range": { "start": at, "end": at }, "text": text }],
            }),
        );
    }

    fn hover(&mut self, id: i64) {
        let at = json!({ "line": 5, "character": 3 });
        let params = json!({ "textDocument": { "uri": URI }, "position": at });
        self.ask(id, "textDocument/hover", params);
    }

    /// The messages of the session until it has nothing to do.
    fn run(&mut self) -> Vec<Value> {
        let mut said = Vec::new();
        while self.0.waiting() != Waiting::Nothing {
            let messages = self.0.step();
            said.extend(
                messages
                    .iter()
                    .map(|it| serde_json::from_str::<Value>(it).unwrap()),
            );
        }
        said
    }
}

/// Ids with error codes, methods with versions: the course of a conversation in short.
fn outline(said: &[Value]) -> Vec<String> {
    said.iter()
        .map(|it| match it["method"].as_str() {
            Some(method) => {
                let codes = it["params"]["diagnostics"].as_array();
                let codes = codes
                    .into_iter()
                    .flatten()
                    .map(|it| it["code"].as_str().unwrap_or("?"));
                let codes = codes.collect::<Vec<_>>().join(" ");
                format!("{method} {} {codes}", it["params"]["version"])
                    .trim_end()
                    .to_owned()
            }
            None => match it["error"]["code"].as_i64() {
                Some(code) => format!("{} error {code}", it["id"]),
                None => format!("{} answer", it["id"]),
            },
        })
        .collect()
}

#[test]
fn what_is_not_allowed_is_refused() {
    let mut client = Client(Connection::new(Arc::new(Bare)));
    client.hover(1);
    client.0.receive("{");
    client.0.receive("[]");
    client.0.receive(r#"{"id":"x"}"#);
    assert_eq!(
        outline(&client.run()),
        [
            "null error -32700",
            "null error -32600",
            "\"x\" error -32600",
            "1 error -32002"
        ]
    );
    let mut client = Client::new(json!({}), Value::Null);
    client.ask(2, "initialize", json!({}));
    client.ask(3, "no/such", json!({}));
    client.ask(4, "textDocument/hover", json!({}));
    client.ask(
        5,
        "workspace/executeCommand",
        json!({ "command": RUN_PTXAS }),
    );
    client.ask(6, "shutdown", Value::Null);
    client.ask(7, "shutdown", Value::Null);
    assert_eq!(
        outline(&client.run()),
        [
            "2 error -32600",
            "3 error -32601",
            "4 error -32602",
            "5 error -32602",
            "6 answer",
            "7 error -32600"
        ]
    );
    assert_eq!(client.0.exit_status(), None);
    client.notify("exit", Value::Null);
    client.run();
    assert_eq!(client.0.exit_status(), Some(0));
}

#[test]
fn no_program_is_offered() {
    let mut connection = Connection::new(Arc::new(Bare));
    connection.receive(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    let said = connection.step().concat();
    assert!(said.contains("executeCommandProvider") && !said.contains(RUN_PTXAS));
}

#[test]
fn edits_are_merged_and_stale_questions_answered_so() {
    let mut client = Client::new(
        json!({}),
        json!({ "diagnostics": { "quietWhileTyping": false } }),
    );
    client.open(TEXT);
    client.hover(2);
    assert_eq!(
        outline(&client.run()),
        ["2 answer", "textDocument/publishDiagnostics 1"]
    );
    client.type_at(2, 5, 2, "x");
    client.hover(3);
    client.type_at(3, 5, 3, "y");
    client.type_at(4, 5, 4, "z");
    client.hover(4);
    client.hover(5);
    client.notify("$/cancelRequest", json!({ "id": 5 }));
    assert_eq!(
        outline(&client.run()),
        [
            "5 error -32800",
            "3 error -32801",
            "4 answer",
            "textDocument/publishDiagnostics 4 unknown-instruction"
        ]
    );
}

#[test]
fn what_is_unfinished_is_told_when_nobody_types() {
    let mut client = Client::new(json!({}), Value::Null);
    client.open(TEXT);
    client.run();
    client.type_at(2, 6, 2, "mo");
    assert_eq!(
        outline(&client.run()),
        ["textDocument/publishDiagnostics 2"]
    );
    client.0.settle();
    let said = outline(&client.run());
    assert!(
        said[0].starts_with("textDocument/publishDiagnostics 2 "),
        "{said:?}"
    );
    client.0.settle();
    assert_eq!(client.0.waiting(), Waiting::Nothing);
}

#[test]
fn settings_are_asked_for_and_act() {
    let capabilities = json!({
        "workspace": {
            "configuration": true,
            "didChangeConfiguration": { "dynamicRegistration": true },
            "inlayHint": { "refreshSupport": true },
        },
    });
    let mut client = Client(Connection::new(Arc::new(Bare)));
    client.ask(1, "initialize", json!({ "capabilities": capabilities }));
    client.notify("initialized", json!({}));
    client.open(&TEXT.replace("bar", "wrong"));
    let said = client.run();
    assert_eq!(
        outline(&said)[1..],
        [
            "client/registerCapability null",
            "workspace/configuration null",
            "textDocument/publishDiagnostics 1 unknown-instruction"
        ]
    );
    let id = &said[2]["id"];
    let settings = json!([{ "diagnostics": { "enable": false }, "inlayHints": { "defaults": true }, "no": 1 }]);
    let answer = json!({ "jsonrpc": "2.0", "id": id, "result": settings });
    client.0.receive(&answer.to_string());
    client
        .0
        .receive(r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
    assert_eq!(
        outline(&client.run()),
        [
            "window/logMessage null",
            "workspace/inlayHint/refresh null",
            "textDocument/publishDiagnostics 1"
        ]
    );
}

#[test]
fn files_that_the_client_has_read_declare_names() {
    let other = ".version 8.0\n.target sm_90\n.visible .func f() { ret; }\n";
    let symbols = |client: &mut Client, id| {
        client.ask(id, "workspace/symbol", json!({ "query": "f" }));
        let said = client.run();
        let answer = said.iter().find(|it| it["id"] == id).unwrap();
        let names = answer["result"].as_array().into_iter().flatten();
        names
            .map(|it| it["location"]["uri"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let mut client = Client::new(json!({}), Value::Null);
    let files = json!({ "files": [{ "uri": "vfs:/f.ptx", "text": other }] });
    client.notify(DID_READ_FILES, files);
    assert_eq!(symbols(&mut client, 2), ["vfs:/f.ptx"]);
    // What is open wins, until it is closed.
    let document = json!({ "uri": "vfs:/f.ptx", "languageId": "ptx", "version": 1, "text": TEXT });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    assert_eq!(symbols(&mut client, 3), [""; 0]);
    let document = json!({ "textDocument": { "uri": "vfs:/f.ptx" } });
    client.notify("textDocument/didClose", document);
    assert_eq!(symbols(&mut client, 4), ["vfs:/f.ptx"]);
    client.notify(
        DID_READ_FILES,
        json!({ "files": [{ "uri": "vfs:/f.ptx", "text": null }] }),
    );
    assert_eq!(symbols(&mut client, 5), [""; 0]);
}

#[test]
fn protocols_and_differences_are_answered() {
    let mut client = Client::new(json!({}), Value::Null);
    client.open(TEXT);
    let document = json!({ "uri": "untitled:b.ptx", "languageId": "ptx", "version": 1, "text": TEXT.replace("bar", "membar.gl; bar") });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    client.ask(
        2,
        "ptx/protocols",
        json!({ "textDocument": { "uri": URI } }),
    );
    client.ask(
        3,
        "ptx/diff",
        json!({ "old": { "uri": URI }, "new": { "uri": "untitled:b.ptx" } }),
    );
    client.ask(
        4,
        "ptx/diff",
        json!({ "old": { "uri": URI }, "new": { "uri": URI } }),
    );
    let said = client.run();
    let result = |id: i64| &said.iter().find(|it| it["id"] == id).unwrap()["result"];
    let parts = &result(2)[0]["parts"];
    assert_eq!(result(2)[0]["function"], "k");
    assert_eq!(parts[0]["range"]["start"]["line"], 5, "{parts}");
    let difference = &result(3)[0];
    assert_eq!(
        (
            &difference["name"],
            &difference["change"],
            &difference["added"],
            &difference["removed"]
        ),
        (&json!("k"), &json!("changed"), &json!(1), &json!(0))
    );
    assert!(difference["registers"][0].is_number(), "{difference}");
    assert_eq!(result(4), &json!([]));
}

#[test]
fn inline_asm_has_diagnostics_while_it_is_edited() {
    let uri = "playground:/1/kernel.cu";
    let text = "__device__ int f() {\n  int r;\n  asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(r));\n  return r;\n}\n";
    let mut client = Client::new(
        json!({}),
        json!({ "diagnostics": { "quietWhileTyping": false } }),
    );
    let document = json!({ "uri": uri, "languageId": "cuda-cpp", "version": 1, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    assert_eq!(
        outline(&client.run()),
        ["textDocument/publishDiagnostics 1"]
    );
    let at = json!({ "line": 2, "character": 7 });
    client.notify(
        "textDocument/didChange",
        json!({
            "textDocument": { "uri": uri, "version": 2 },
            "contentChanges": [{ "range": { "start": at, "end": at }, "text": "re" }],
        }),
    );
    assert_eq!(
        outline(&client.run()),
        ["textDocument/publishDiagnostics 2 unknown-instruction"]
    );
    client.notify(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": uri } }),
    );
    assert_eq!(
        outline(&client.run()),
        ["textDocument/publishDiagnostics null"]
    );
}

#[test]
fn documents_in_other_languages_are_asked_for_where_the_folders_are() {
    let register = json!({ "dynamicRegistration": true });
    let names = ["synchronization", "hover", "completion", "codeAction"];
    let capabilities: Value = names.iter().map(|it| (*it, register.clone())).collect();
    let mut client = Client(Connection::new(Arc::new(Bare)));
    client.ask(
        1,
        "initialize",
        json!({
            "capabilities": { "textDocument": capabilities },
            "workspaceFolders": [{ "uri": "vscode-vfs://github/a/b", "name": "b" }],
        }),
    );
    client.notify("initialized", json!({}));
    let said = client.run();
    let hover = said[1]["params"]["registrations"]
        .as_array()
        .and_then(|all| all.iter().find(|it| it["method"] == "textDocument/hover"))
        .expect("a registration");
    let selector = hover["registerOptions"]["documentSelector"].as_array();
    let cuda: Vec<_> = selector
        .into_iter()
        .flatten()
        .filter(|it| it["language"] == "cuda-cpp")
        .map(|it| it["scheme"].as_str().unwrap())
        .collect();
    assert_eq!(cuda, ["file", "untitled", "vscode-vfs"]);
    let off = json!({ "settings": { "embedded": { "enable": false } } });
    client.notify("workspace/didChangeConfiguration", off);
    let said = client.run();
    assert_eq!(said[0]["method"], "client/unregisterCapability");
    let gone = said[0]["params"]["unregisterations"].as_array();
    assert!(gone.is_some_and(|it| it.iter().any(|it| it["id"] == hover["id"])));
}

#[test]
fn runs_have_lenses_and_their_mistakes_are_told() {
    let commands =
        json!({ "commands": ["ptx-analyzer.run", "ptx-analyzer.debug", "ptx-analyzer.addRun"] });
    let mut client = Client::new(
        json!({ "experimental": { "commands": commands } }),
        json!({ "codeLens": { "registers": false } }),
    );
    let text = TEXT.replace(
        ".entry k()",
        "// run: block = 1\n.entry k() { ret; }\n  .entry j(.param .u32 n)",
    );
    client.open(&text);
    client.run();
    client.ask(
        2,
        "textDocument/codeLens",
        json!({ "textDocument": { "uri": URI } }),
    );
    let said = client.run();
    let lenses = said[0]["result"].as_array().unwrap().clone();
    assert_eq!(lenses.len(), 3);
    for lens in lenses {
        client.ask(3, "codeLens/resolve", lens);
    }
    let said = client.run();
    let commands = said.iter().map(|it| it["result"]["command"].clone());
    let at = json!({ "line": 4, "character": 2 });
    let edit = json!({
        "range": { "start": at, "end": at },
        "newText": "// run: grid = 1 block = 128\n  //   args.n = 128\n  ",
    });
    assert_eq!(
        commands.collect::<Vec<_>>(),
        [
            json!({ "title": "Run", "command": "ptx-analyzer.run", "arguments": [URI, "k"] }),
            json!({ "title": "Debug", "command": "ptx-analyzer.debug", "arguments": [URI, "k"] }),
            json!({ "title": "Add a run…", "command": "ptx-analyzer.addRun", "arguments": [URI, edit] }),
        ]
    );
    // A client without the commands has no lenses, but the mistakes.
    let mut client = Client::new(
        json!({}),
        json!({ "codeLens": { "loops": false, "registers": false }, "diagnostics": { "quietWhileTyping": false } }),
    );
    client.open(
        &text
            .replace("block = 1", "blok = 1")
            .replace(".param .u32 n", ""),
    );
    assert_eq!(
        outline(&client.run()),
        ["textDocument/publishDiagnostics 1 run-comment"]
    );
    let at = json!({ "line": 2, "character": 9 });
    let place = json!({ "textDocument": { "uri": URI }, "position": at });
    client.ask(2, "textDocument/completion", place);
    client.ask(
        3,
        "textDocument/codeLens",
        json!({ "textDocument": { "uri": URI } }),
    );
    let said = client.run();
    assert_eq!(said[0]["result"]["items"][0]["label"], "grid");
    assert_eq!(said[1]["result"], Value::Null);
    client.type_at(2, 2, 11, "c");
    client.run();
    let at = json!({ "line": 2, "character": 10 });
    let place = json!({ "textDocument": { "uri": URI }, "position": at });
    client.ask(4, "textDocument/hover", place);
    let said = client.run();
    let hover = said.iter().find(|it| it["id"] == 4).unwrap();
    assert_eq!(
        hover["result"]["contents"]["value"],
        "The threads of a block along x, y and z. Optional with .reqntid."
    );
}
