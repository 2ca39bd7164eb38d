//! A person at work, by chance: edits of every kind and questions of every kind, over LSP; and the
//! comparison with a server that never saw another text.

mod positions;

use fastrand::Rng;
use serde_json::{Value, json};
use syntax::text::{Edit, Encoding, LineTable, apply_edit};

use crate::{
    client::{RpcError, TestServer},
    mutate,
};

/// Steps that undo remembers.
const HISTORY: usize = 60;
/// Lines that are pasted at once.
const PASTED: usize = 1_000;
/// Questions about single places at each comparison.
const QUESTIONS: usize = 12;
/// A text that grew to this multiple of the original starts again.
const GROWTH: usize = 3;

/// Settings under which every feature answers.
fn everything() -> Value {
    json!({
        "codeLens": { "references": true },
        "inlayHints": { "defaults": true, "demangledNames": true, "registerTypes": true },
        "diagnostics": { "debounce": 0 },
        "portability": { "targets": ["sm_80", "sm_90a"] },
        "workspace": { "index": false },
    })
}

/// Does the handshake of a client that has every feature switched on.
pub fn initialize(server: &mut TestServer) {
    server.initialize(json!({
        "processId": null,
        "capabilities": { "general": { "positionEncodings": ["utf-16"] } },
        "initializationOptions": everything(),
    }));
}

/// Methods of questions that [`params`] suits.
pub const METHODS: [&str; 38] = [
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
    "ptx/sameSourceLine",
    "ptx/viewSyntaxTree",
    "textDocument/codeAction",
    "textDocument/codeLens",
    "textDocument/completion",
    "textDocument/completion",
    "textDocument/declaration",
    "textDocument/definition",
    "textDocument/diagnostic",
    "textDocument/documentHighlight",
    "textDocument/documentLink",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/hover",
    "textDocument/hover",
    "textDocument/inlayHint",
    "textDocument/inlineValue",
    "textDocument/onTypeFormatting",
    "textDocument/prepareCallHierarchy",
    "textDocument/prepareRename",
    "textDocument/rangeFormatting",
    "textDocument/references",
    "textDocument/rename",
    "textDocument/selectionRange",
    "textDocument/semanticTokens/range",
    "textDocument/signatureHelp",
    "textDocument/typeDefinition",
    "textDocument/implementation",
    "ptx/slice",
    "ptx/registerAccesses",
    "ptx/accesses",
    "ptx/costs",
    "ptx/kernelMap",
    "ptx/reading",
    "ptx/tryStatements",
    "workspace/symbol",
];

/// Parameters that suit all of [`METHODS`], about a place and a range of a document.
pub fn params(rng: &mut Rng, uri: &str, at: &Value, range: &Value) -> Value {
    json!({
        "textDocument": { "uri": uri },
        "position": at,
        "positions": [at],
        "range": range,
        "context": {
            "includeDeclaration": rng.bool(), "diagnostics": [],
            "triggerKind": 1, "isRetrigger": false,
            "frameId": 1, "stoppedLocation": range,
        },
        "newName": *rng.choice(&["%fresh", "fresh", ""]).expect("a name"),
        "query": *rng.choice(&["k", "", "kernel"]).expect("a query"),
        "options": { "tabSize": 4, "insertSpaces": rng.bool() },
        "ch": *rng.choice(&[";", "}", "\n"]).expect("a character"),
        "item": {
            "name": "k", "kind": 12, "uri": uri, "range": range,
            "selectionRange": { "start": at, "end": at },
        },
    })
}

/// Answers to questions about a whole document, by method.
pub type Answers = Vec<(&'static str, Value)>;

/// One document in an editor.
pub struct Session {
    uri: String,
    original: String,
    text: String,
    lines: LineTable,
    /// Edits that lead back, the latest last.
    history: Vec<Edit>,
    /// The semantic tokens that the client has, with their name.
    tokens: Option<(Value, Vec<Value>)>,
}

impl Session {
    /// Opens a document.
    pub fn open(server: &mut TestServer, uri: &str, text: &str) -> Session {
        server.open(uri, text);
        Session {
            uri: uri.to_owned(),
            original: text.to_owned(),
            text: text.to_owned(),
            lines: LineTable::new(text),
            history: Vec::new(),
            tokens: None,
        }
    }

    /// The text that the server should have now.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The name of the document and the text that the server should have now.
    pub fn into_parts(self) -> (String, String) {
        (self.uri, self.text)
    }

    /// Closes the document.
    pub fn close(self, server: &mut TestServer) {
        server.close(&self.uri);
    }

    /// One edit or a burst of them.
    pub fn edit(&mut self, rng: &mut Rng, server: &mut TestServer) {
        if self.text.len() > GROWTH * self.original.len() + 10_000 {
            self.replace(server, self.original.clone());
        }
        match rng.u8(..40) {
            // An undo storm, as by a key that is held down.
            0..=3 => {
                for _ in 0..rng.usize(1..20) {
                    let Some(edit) = self.history.pop() else {
                        break;
                    };
                    self.apply(server, edit);
                    self.history.pop();
                }
            }
            // Many lines at once.
            4 => {
                let line = self.lines.line_of(self.offset(rng));
                let start = self.lines.line_start(line);
                let end = self.lines.line_start(line + rng.u32(1..40));
                let piece = self.text[usize::from(start)..usize::from(end)].to_owned();
                let lines = piece.lines().count().max(1);
                let insert = piece.repeat(rng.usize(1..=PASTED.div_ceil(lines)));
                self.apply(server, Edit::new(syntax::TextRange::empty(start), insert));
            }
            // A brace is deleted, which concerns everything after it.
            5..=7 => {
                let from = usize::from(self.offset(rng));
                let found = self.text[from..].find(['{', '}']).map(|it| from + it);
                if let Some(at) = found.and_then(|it| u32::try_from(it).ok()) {
                    let range = syntax::TextRange::at(at.into(), 1.into());
                    self.apply(server, Edit::new(range, ""));
                }
            }
            8 => self.replace(server, self.original.clone()),
            9 => self.format(server),
            10 => {
                server.reopen(&self.uri, &self.text);
                self.tokens = None;
            }
            _ => {
                let edit = mutate::edit(rng, &self.text, &self.lines);
                self.apply(server, edit);
            }
        }
    }

    fn offset(&self, rng: &mut Rng) -> syntax::TextSize {
        let at = self
            .text
            .floor_char_boundary(rng.usize(0..=self.text.len()));
        syntax::TextSize::new(at.try_into().expect("a text shorter than 4 GiB"))
    }

    /// Sends an edit as a client would: some offsets are not positions.
    fn apply(&mut self, server: &mut TestServer, edit: Edit) {
        let place = |offset| self.lines.position(offset, Encoding::Utf16);
        let (start, end) = (place(edit.range.start()), place(edit.range.end()));
        let range = self.lines.range(start, end, Encoding::Utf16);
        let edit = Edit::new(range, edit.insert);
        let (start, end) = ((start.line, start.character), (end.line, end.character));
        server.edit(&self.uri, start, end, &edit.insert);
        let removed = &self.text[usize::from(range.start())..usize::from(range.end())];
        self.history.push(Edit::new(edit.range_after(), removed));
        if self.history.len() > HISTORY {
            self.history.remove(0);
        }
        apply_edit(&mut self.text, &edit).expect("an edit of this text");
        self.lines.apply(&edit, &self.text);
    }

    fn replace(&mut self, server: &mut TestServer, text: String) {
        server.replace(&self.uri, &text);
        self.text = text;
        self.lines = LineTable::new(&self.text);
        self.history.clear();
    }

    fn format(&mut self, server: &mut TestServer) {
        let answer = server.settled("textDocument/formatting", &self.formatting());
        let edits = answer.as_array().cloned().unwrap_or_default();
        if edits.is_empty() {
            return;
        }
        // All of them are about the text before; the last one first leaves the others in place.
        let number = |it: &Value| u32::try_from(it.as_u64().expect("a number")).expect("32 bits");
        let position = |it: &Value| syntax::text::Position {
            line: number(&it["line"]),
            character: number(&it["character"]),
        };
        let mut text = self.text.clone();
        let mut changes = Vec::new();
        for edit in edits.iter().rev() {
            let place = &edit["range"];
            let (start, end) = (position(&place["start"]), position(&place["end"]));
            let range = self.lines.range(start, end, Encoding::Utf16);
            let insert = edit["newText"].as_str().expect("a text");
            text.replace_range(usize::from(range.start())..usize::from(range.end()), insert);
            changes.push(json!({ "range": place, "text": insert }));
        }
        server.change(&self.uri, Value::Array(changes));
        self.text = text;
        self.lines = LineTable::new(&self.text);
        self.history.clear();
    }

    fn formatting(&self) -> Value {
        json!({
            "textDocument": { "uri": self.uri },
            "options": { "tabSize": 4, "insertSpaces": true },
        })
    }

    fn whole(&self) -> Value {
        json!({
            "textDocument": { "uri": self.uri },
            "range": {
                "start": { "line": 0, "character": 0 },
                "end": { "line": self.lines.line_count(), "character": 0 },
            },
            "context": { "diagnostics": [] },
        })
    }

    /// Asks one question somewhere; returns the id.
    pub fn ask(&self, rng: &mut Rng, server: &mut TestServer) -> i64 {
        let (method, params) = self.question(rng);
        server.send_request(method, params)
    }

    /// A question about some place.
    fn question(&self, rng: &mut Rng) -> (&'static str, Value) {
        let offsets = [self.offset(rng), self.offset(rng)];
        let place = |offset| {
            let at = self.lines.position(offset, Encoding::Utf16);
            json!({ "line": at.line, "character": at.character })
        };
        let at = place(offsets[0]);
        let range = json!({
            "start": place(offsets[0].min(offsets[1])), "end": place(offsets[0].max(offsets[1])),
        });
        let params = params(rng, &self.uri, &at, &range);
        (METHODS[rng.usize(..METHODS.len())], params)
    }

    /// Waits for the answers to questions; they may be refused, but the server may not fail.
    pub fn settle(server: &mut TestServer, asked: Vec<i64>) -> Result<(), String> {
        const REFUSALS: [i64; 3] = [
            RpcError::CONTENT_MODIFIED,
            RpcError::SERVER_CANCELLED,
            RpcError::REQUEST_FAILED,
        ];
        for id in asked {
            match server.response(id) {
                Err(error) if !REFUSALS.contains(&error.code) => return Err(format!("{error:?}")),
                Ok(_) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// The diagnostics of the whole document, once the server has settled.
    pub fn answers(&mut self, server: &mut TestServer) -> Answers {
        let whole = self.whole();
        let mut answers = Vec::new();
        for method in [
            "textDocument/documentSymbol",
            "textDocument/foldingRange",
            "textDocument/inlayHint",
            "textDocument/codeLens",
            "textDocument/documentLink",
            "textDocument/codeAction",
            "ptx/viewSyntaxTree",
        ] {
            answers.push((method, server.settled(method, &whole)));
        }
        let formatting = server.settled("textDocument/formatting", &self.formatting());
        answers.push(("textDocument/formatting", formatting));
        answers.push((
            "textDocument/diagnostic",
            Value::Array(server.pull_diagnostics(&self.uri)),
        ));
        answers.push(("textDocument/semanticTokens", self.semantic_tokens(server)));
        answers
    }

    /// The tokens as a client has them that asks for differences.
    fn semantic_tokens(&mut self, server: &mut TestServer) -> Value {
        let answer = match &self.tokens {
            None => server.settled(
                "textDocument/semanticTokens/full",
                &json!({ "textDocument": { "uri": self.uri } }),
            ),
            Some((name, _)) => server.settled(
                "textDocument/semanticTokens/full/delta",
                &json!({ "textDocument": { "uri": self.uri }, "previousResultId": name }),
            ),
        };
        let data = match (answer.get("edits"), self.tokens.take()) {
            (Some(edits), Some((_, mut data))) => {
                let number = |it: &Value| {
                    usize::try_from(it.as_u64().expect("a number")).expect("a short list")
                };
                for edit in edits.as_array().expect("a list").iter().rev() {
                    let start = number(&edit["start"]);
                    let insert = edit["data"].as_array().cloned().unwrap_or_default();
                    data.splice(start..start + number(&edit["deleteCount"]), insert);
                }
                data
            }
            _ => answer["data"].as_array().expect("a list").clone(),
        };
        // Of very many tokens the server keeps no copy to compare with, and gives no name.
        let name = &answer["resultId"];
        self.tokens = name.is_string().then(|| (name.clone(), data.clone()));
        Value::Array(data)
    }

    /// Compares the server's answers with the answers of a native one that was only ever shown this text, and looks at
    /// the places that they name.
    pub fn compare_with_fresh(
        &mut self,
        rng: &mut Rng,
        server: &mut TestServer,
    ) -> Result<(), String> {
        // The last version is one that was not awaited yet.
        let end = syntax::TextSize::of(self.text.as_str());
        self.apply(server, Edit::new(syntax::TextRange::empty(end), " "));
        let found = self.answers(server);
        // What was pushed for this version is what is answered when asked.
        let pushed = Value::Array(server.diagnostics(&self.uri));
        server.forget_notifications();
        let mut fresh = TestServer::start();
        initialize(&mut fresh);
        let expected = Session::open(&mut fresh, &self.uri, &self.text).answers(&mut fresh);
        for ((method, found), (_, expected)) in found.iter().zip(&expected) {
            let misplaced = match *method {
                "textDocument/semanticTokens" => positions::misplaced_token(found, &self.lines),
                _ => positions::misplaced(found, &self.uri, &self.lines),
            };
            if let Some(misplaced) = misplaced {
                return Err(format!("{method}: {misplaced}"));
            }
            if found != expected {
                return Err(format!("{method}: {}", difference(found, expected)));
            }
            if *method == "textDocument/diagnostic" && *found != pushed {
                return Err(format!(
                    "pushed diagnostics: {}",
                    difference(&pushed, found)
                ));
            }
        }
        // The questions about one place; they may be refused, but so by both.
        for _ in 0..QUESTIONS {
            let (method, params) = self.question(rng);
            let found = server.request(method, params.clone());
            if let Ok(answer) = &found
                && let Some(misplaced) = positions::misplaced(answer, &self.uri, &self.lines)
            {
                return Err(format!("{method}: {misplaced}"));
            }
            if !same_answer(&found, &fresh.request(method, params)) {
                return Err(format!(
                    "{method}: the answers about one place differ: {found:?}"
                ));
            }
        }
        Ok(())
    }
}

/// Whether two answers are equal, apart from the text of refusals and the names of tokens, which each server chooses.
fn same_answer(one: &Result<Value, RpcError>, other: &Result<Value, RpcError>) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => without_names(one) == without_names(other),
        (Err(one), Err(other)) => one.code == other.code,
        _ => false,
    }
}

fn without_names(answer: &Value) -> Value {
    let mut answer = answer.clone();
    if let Some(object) = answer.as_object_mut() {
        object.remove("resultId");
    }
    answer
}

/// The first entry in which two answers differ.
fn difference(found: &Value, expected: &Value) -> String {
    let entries = |it: &Value| match it {
        Value::Array(entries) => entries.clone(),
        Value::String(text) => text.lines().map(Value::from).collect(),
        other => vec![other.clone()],
    };
    let (found, expected) = (entries(found), entries(expected));
    let at = found.iter().zip(&expected).take_while(|(a, b)| a == b);
    let at = at.count();
    format!(
        "entry {at} of {} is {:#}\nand of {} with a fresh server {:#}",
        found.len(),
        found.get(at).unwrap_or(&Value::Null),
        expected.len(),
        expected.get(at).unwrap_or(&Value::Null),
    )
}
