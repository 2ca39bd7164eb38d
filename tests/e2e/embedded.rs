//! PTX inside documents in other languages.

use ptx_tests::client::{TestServer, place};
use serde_json::{Value, json};

/// The document that most tests open.
const URI: &str = "file:///ptx-analyzer-tests/a.cu";

/// A function of CUDA with two statements, of which the second one has a mistake.
const SOURCE: &str = "\
__device__ unsigned f(unsigned x, unsigned *p) {
    unsigned lane; // 🦀
    asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));
    asm volatile(\"/* 🦀 */ add.z32 %0, %1, 1;\\n\\t\"
                 \"st.global.u32 [%2], %0;\"
                 : \"+r\"(lane) : \"r\"(x), \"l\"(p) : \"memory\");
    return lane;
}
";

fn server(capabilities: Value) -> TestServer {
    let mut server = TestServer::start();
    server.initialize(json!({ "capabilities": capabilities }));
    server
}

/// Each diagnostic as its place, code and message.
fn told(diagnostics: &[Value]) -> Vec<String> {
    let at = |it: &Value| format!("{}:{}", it["line"], it["character"]);
    diagnostics
        .iter()
        .map(|it| {
            let (start, end) = (at(&it["range"]["start"]), at(&it["range"]["end"]));
            format!("{start}-{end} {}", it["code"].as_str().unwrap_or_default())
        })
        .collect()
}

#[test]
fn mistakes_are_told_where_they_stand() {
    let mut server = server(json!({}));
    server.open_as(URI, "cuda-cpp", SOURCE);
    // Columns are UTF-16 units: the crab has two.
    assert_eq!(
        told(&server.diagnostics(URI)),
        ["3:30-3:34 modifier-not-allowed"]
    );
    server.edit(URI, (3, 31), (3, 32), "u");
    server.notify(
        "textDocument/didSave",
        json!({ "textDocument": { "uri": URI } }),
    );
    assert_eq!(told(&server.diagnostics(URI)), [""; 0]);
}

#[test]
fn clients_may_ask_for_what_is_wrong() {
    let mut server = server(json!({ "textDocument": { "diagnostic": {} } }));
    server.open_as(URI, "cpp", SOURCE);
    assert_eq!(
        told(&server.pull_diagnostics(URI)),
        ["3:30-3:34 modifier-not-allowed"]
    );
    server.close(URI);
    assert_eq!(told(&server.pull_diagnostics(URI)), [""; 0]);
}

#[test]
fn hovers_are_those_of_the_string_and_of_nothing_else() {
    let mut server = server(json!({}));
    server.open_as(URI, "cuda-cpp", SOURCE);
    assert!(server.hover(URI, 4, 19).contains("st"));
    assert_eq!(
        server.hover(URI, 3, 35),
        ".reg .b32 %0\n\nOperand 0: lane, constraint +r, read and written"
    );
    let nothing = server.request("textDocument/hover", place(URI, 1, 5));
    assert_eq!(nothing.expect("an answer"), Value::Null);
}

#[test]
fn documents_of_other_languages_have_nothing_else() {
    let mut server = server(json!({}));
    server.open_as(URI, "cuda-cpp", SOURCE);
    let document = json!({ "uri": URI });
    let range = json!({
        "start": { "line": 0, "character": 0 }, "end": { "line": 7, "character": 0 },
    });
    for (method, params) in [
        ("textDocument/documentSymbol", json!({})),
        ("textDocument/foldingRange", json!({})),
        ("textDocument/codeLens", json!({})),
        ("textDocument/documentLink", json!({})),
        (
            "textDocument/formatting",
            json!({ "options": { "tabSize": 4, "insertSpaces": true } }),
        ),
        (
            "textDocument/rangeFormatting",
            json!({ "range": range, "options": { "tabSize": 4, "insertSpaces": true } }),
        ),
    ] {
        let mut params = params;
        params["textDocument"] = document.clone();
        let answer = server.request(method, params).expect("an answer");
        let nothing = answer.is_null() || answer.as_array().is_some_and(Vec::is_empty);
        assert!(nothing, "{method}: {answer}");
    }
    let symbols = server.request("workspace/symbol", json!({ "query": "" }));
    assert_eq!(symbols.expect("an answer"), json!([]));
}

#[test]
#[cfg(unix)]
fn the_target_is_that_of_the_build() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |target: &str| {
        let text = json!([{
            "directory": folder.path(),
            "file": "a.cu",
            "command": format!("nvcc -arch={target} a.cu"),
        }]);
        std::fs::write(
            folder.path().join("compile_commands.json"),
            text.to_string(),
        )
        .expect("a file");
    };
    write("sm_75");
    let uri = format!("file://{}", folder.path().join("a.cu").display());
    let mut server = server(json!({}));
    let source = "__device__ void f() { asm volatile(\"cp.async.wait_all;\"); }\n";
    server.open_as(&uri, "cuda-cpp", source);
    assert_eq!(
        told(&server.diagnostics(&uri)),
        ["0:36-0:53 unsupported-by-target"]
    );
    write("sm_80");
    let database = uri.replace("a.cu", "compile_commands.json");
    server.notify(
        "workspace/didChangeWatchedFiles",
        json!({ "changes": [{ "uri": database, "type": 2 }] }),
    );
    assert_eq!(told(&server.diagnostics(&uri)), [""; 0]);
}

/// The position of a text, and of the byte so far into it; columns of UTF-16.
fn at(text: &str, needle: &str, behind: usize) -> (u32, u32) {
    let offset = text.find(needle).expect("it is there") + behind;
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default();
    (line as u32, column.encode_utf16().count() as u32)
}

/// The labels of the first completions at a position, each with its text and its detail.
fn completions(server: &mut TestServer, text: &str, needle: &str, behind: usize) -> Vec<String> {
    let (line, column) = at(text, needle, behind);
    let answer = server
        .request("textDocument/completion", place(URI, line, column))
        .expect("an answer");
    let items = answer["items"].as_array().cloned().unwrap_or_default();
    let shown = |it: &Value| {
        let (label, text) = (&it["label"], &it["textEdit"]["newText"]);
        let range = &it["textEdit"]["range"];
        let range = (
            range["start"]["character"].as_u64(),
            range["end"]["character"].as_u64(),
        );
        let length = range.1.unwrap_or_default() - range.0.unwrap_or_default();
        let detail = it["detail"].as_str().unwrap_or_default();
        format!(
            "{} -> {} ({length}) {detail}",
            label.as_str().unwrap_or_default(),
            text.as_str().unwrap_or_default()
        )
    };
    items.iter().map(shown).collect()
}

#[test]
fn completions_are_written_as_the_string_has_them() {
    let mut server = server(json!({}));
    let source = "__device__ void f(unsigned x, float y) {\n\
        asm volatile(\"mov.u32 %0, %%la; ad\" : \"+r\"(x) : \"f\"(y), \"n\"(2 + 3));\n\
        asm volatile(\"mov.u32 %0, %;\" : \"+r\"(x));\n\
        asm volatile(\"a\");\n}\n";
    server.open_as(URI, "cuda-cpp", source);
    let find = |server: &mut TestServer, needle: &str, behind: usize, label: &str| {
        let found = completions(server, source, needle, behind);
        let prefix = format!("{label} ->");
        found
            .iter()
            .find(|it| it.starts_with(&prefix))
            .unwrap_or_else(|| panic!("{label} at {needle}: {found:?}"))
            .clone()
    };
    assert!(find(&mut server, "%%la", 4, "%laneid").starts_with("%laneid -> %%laneid (4)"));
    assert_eq!(find(&mut server, "%%la", 4, "%0"), "%0 -> %0 (4) x \"+r\"");
    assert_eq!(
        find(&mut server, "%%la", 4, "%2"),
        "%2 -> %2 (4) 2 + 3 \"n\""
    );
    assert!(find(&mut server, "; ad", 4, "add").starts_with("add -> add (2)"));
    assert_eq!(
        find(&mut server, "%0, %;", 5, "%0"),
        "%0 -> %0 (1) x \"+r\""
    );
    assert!(find(&mut server, "%0, %;", 5, "%tid.x").starts_with("%tid.x -> %%tid.x (1)"));
    // A string that is not PTX yet may become PTX.
    assert!(find(&mut server, "\"a\"", 2, "add").starts_with("add -> add (1)"));
    assert_eq!(completions(&mut server, source, "__device__", 3), [""; 0]);
    assert_eq!(completions(&mut server, source, "\"+r\"", 2), [""; 0]);
}

/// The texts at the ranges of an answer.
fn texts<'a>(text: &'a str, answer: &Value) -> Vec<&'a str> {
    let lines: Vec<&str> = text.lines().collect();
    let ranges = answer.as_array().expect("a list");
    ranges
        .iter()
        .map(|it| {
            let (start, end) = (&it["range"]["start"], &it["range"]["end"]);
            let line = lines[start["line"].as_u64().expect("a line") as usize];
            let column = |it: &Value| it["character"].as_u64().expect("a column") as usize;
            &line[column(start)..column(end)]
        })
        .collect()
}

const LOCALS: &str = "\
__device__ void f(unsigned x, unsigned y) {
    asm volatile(\"{ .reg .pred %%p1; .reg .u32 tmp;\\n\\t\"
        \"setp.eq.u32 %%p1, %0, %1;\\n\\t\"
        \"@%%p1 add.u32 tmp, %0, %1;\\n\\t\"
        \"@%%p1 mov.u32 %0, tmp; }\" : \"+r\"(x) : \"r\"(y + 1));
}
";

#[test]
fn names_lead_to_their_declarations_and_operands_to_their_expressions() {
    let mut server = server(json!({}));
    server.open_as(URI, "cuda-cpp", LOCALS);
    let mut ask = |method: &str, needle: &str, behind: usize| {
        let (line, column) = at(LOCALS, needle, behind);
        let answer = server.request(method, place(URI, line, column));
        let answer = answer.expect("an answer");
        texts(LOCALS, &answer).join(" ")
    };
    assert_eq!(ask("textDocument/definition", "tmp, %0", 1), "tmp");
    assert_eq!(ask("textDocument/definition", "%1;", 1), "y + 1");
    assert_eq!(
        ask("textDocument/documentHighlight", "%%p1 add", 3),
        "%%p1 %%p1 %%p1 %%p1"
    );
    assert_eq!(
        ask("textDocument/documentHighlight", "%1;", 1),
        "%1 %1 y + 1"
    );
}

#[test]
fn names_of_a_statement_are_renamed_in_all_of_it() {
    let mut server = server(json!({}));
    server.open_as(URI, "cuda-cpp", LOCALS);
    let mut rename = |needle: &str, behind: usize, name: &str| {
        let (line, column) = at(LOCALS, needle, behind);
        let mut params = place(URI, line, column);
        params["newName"] = json!(name);
        let answer = server.request("textDocument/rename", params)?;
        let edits = answer["changes"][URI].as_array().expect("edits");
        Ok::<_, ptx_tests::client::RpcError>(
            edits
                .iter()
                .map(|it| it["newText"].as_str().unwrap_or_default().to_owned())
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(rename("tmp, %0", 1, "sum").expect("edits"), ["sum"; 3]);
    // The sign stays; its name is new.
    assert_eq!(rename("%%p1 add", 3, "%q").expect("edits"), ["q"; 4]);
    assert_eq!(rename("%%p1 add", 3, "q").expect("edits"), ["q"; 4]);
    rename("%1;", 1, "z").expect_err("operands have no names");
}

#[test]
fn fixes_are_escaped_for_their_string() {
    let mut server = server(json!({
        "textDocument": { "codeAction": { "codeActionLiteralSupport": {
            "codeActionKind": { "valueSet": ["quickfix"] },
        } } },
    }));
    let source =
        "__device__ void f(unsigned x) {\n    asm(\"mov.u32 %0, %%lanied;\" : \"=r\"(x));\n}\n";
    server.open_as(URI, "cuda-cpp", source);
    let (line, column) = at(source, "lanied", 2);
    let here = json!({ "line": line, "character": column });
    let actions = server.request(
        "textDocument/codeAction",
        json!({
            "textDocument": { "uri": URI },
            "range": { "start": here, "end": here },
            "context": { "diagnostics": [] },
        }),
    );
    let actions = actions.expect("an answer");
    assert_eq!(actions[0]["title"], "Replace `%lanied` by `%laneid`");
    assert_eq!(actions[0]["edit"]["changes"][URI][0]["newText"], "eid");
}

#[test]
fn signatures_are_those_of_the_instruction() {
    let mut server = server(json!({}));
    server.open_as(URI, "cuda-cpp", LOCALS);
    let (line, column) = at(LOCALS, "tmp, %0", 5);
    let help = server.request("textDocument/signatureHelp", place(URI, line, column));
    let help = help.expect("an answer");
    assert_eq!(help["activeParameter"], 1);
    let label = help["signatures"][0]["label"].as_str().unwrap_or_default();
    assert!(label.starts_with("add.u32"), "{label}");
}

#[test]
fn operands_show_their_expressions() {
    let mut server = server(json!({}));
    server.open_as(URI, "cuda-cpp", LOCALS);
    let answer = server.request(
        "textDocument/inlayHint",
        json!({
            "textDocument": { "uri": URI },
            "range": {
                "start": { "line": 2, "character": 0 }, "end": { "line": 3, "character": 0 },
            },
        }),
    );
    let answer = answer.expect("an answer");
    let labels: Vec<_> = answer.as_array().expect("a list").iter().collect();
    let labels: Vec<_> = labels.iter().map(|it| it["label"].as_str()).collect();
    assert_eq!(labels, [Some("x"), Some("y + 1")]);
}

#[test]
fn tokens_are_those_of_the_strings() {
    let mut server = server(json!({}));
    server.open_as(
        URI,
        "cuda-cpp",
        "int a; // 🦀\nasm(\"bar.sync 0; // 🦀\\n\\tret;\");\n",
    );
    let answer = server.request(
        "textDocument/semanticTokens/full",
        json!({ "textDocument": { "uri": URI } }),
    );
    let answer = answer.expect("an answer");
    let data = answer["data"].as_array().expect("a list");
    let number = |it: &Value| it.as_u64().unwrap_or_default();
    let (mut line, mut column, mut places) = (0, 0, Vec::new());
    for token in data.chunks(5) {
        let moved = number(&token[0]);
        line += moved;
        column = number(&token[1]) + if moved == 0 { column } else { 0 };
        places.push((line, column, number(&token[2])));
    }
    assert_eq!(places[0], (1, 5, 3));
    assert_eq!(places.last(), Some(&(1, 26, 3)));
    assert!(places.iter().all(|it| it.0 == 1), "{places:?}");
}

#[test]
fn clients_that_register_languages_are_asked_to() {
    let dynamic = json!({ "dynamicRegistration": true });
    let mut server = TestServer::start();
    server.initialize(json!({ "capabilities": { "textDocument": {
        "synchronization": dynamic, "hover": dynamic, "completion": dynamic, "codeAction": dynamic,
    } } }));
    while !server
        .server_requests
        .iter()
        .any(|it| it == "client/registerCapability")
    {
        server.has_notification("");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    server.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "embedded": { "enable": false } } }),
    );
    while !server
        .server_requests
        .iter()
        .any(|it| it == "client/unregisterCapability")
    {
        server.has_notification("");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// The titles of the code actions of a kind at a range, and the texts that they insert.
fn actions(server: &mut TestServer, kind: &str, range: [(u32, u32); 2]) -> Vec<(String, String)> {
    let position = |it: (u32, u32)| json!({ "line": it.0, "character": it.1 });
    let answer = server.request(
        "textDocument/codeAction",
        json!({
            "textDocument": { "uri": URI },
            "range": { "start": position(range[0]), "end": position(range[1]) },
            "context": { "diagnostics": [], "only": [kind] },
        }),
    );
    let answer = answer.expect("an answer");
    let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    let actions = answer.as_array().expect("a list").iter();
    actions
        .map(|it| {
            let changes = it["edit"]["documentChanges"].as_array().expect("changes");
            let last = changes.last().expect("a change");
            (text(&it["title"]), text(&last["edits"][0]["newText"]))
        })
        .collect()
}

#[test]
fn strings_are_laid_out_taken_out_and_made() {
    let mut server = server(json!({
        "textDocument": { "codeAction": { "codeActionLiteralSupport": {
            "codeActionKind": { "valueSet": [] },
        } } },
        "workspace": { "workspaceEdit": {
            "documentChanges": true, "resourceOperations": ["create"],
        } },
    }));
    let source = "__device__ void f(unsigned x) {\n    \
        asm(\"mov.u32 %0, %%laneid; bar.sync 0;\" : \"=r\"(x));\n    \
        asm volatile(\n        bar.sync 1;\n    );\n}\n";
    server.open_as(URI, "cuda-cpp", source);
    let here = at(source, "laneid", 0);
    let found = actions(&mut server, "refactor.rewrite", [here, here]);
    assert_eq!(
        found,
        [(
            "Format this PTX".to_owned(),
            "\"mov.u32  %0, %%laneid;\\n\\t\"\n        \"bar.sync 0;\"".to_owned(),
        )]
    );
    let found = actions(&mut server, "refactor.extract", [here, here]);
    assert_eq!(found.len(), 1);
    assert!(found[0].1.contains("mov.u32  %0, %laneid;"), "{found:?}");
    let range = [at(source, "bar.sync 1", 0), at(source, "1;", 2)];
    let found = actions(&mut server, "refactor.rewrite", range);
    assert_eq!(
        found,
        [(
            "Convert to strings of PTX".to_owned(),
            "        \"bar.sync 1;\\n\\t\"".to_owned(),
        )]
    );
    let elsewhere = at(source, "__device__", 0);
    assert_eq!(actions(&mut server, "refactor", [elsewhere, elsewhere]), []);
}
