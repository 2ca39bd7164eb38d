//! Completion and signature help as a client sees them.

use ptx_tests::client::{TestServer, place};
use serde_json::{Value, json};

use crate::URI;

const TEXT: &str = "\
.version 8.0
.target sm_90
.address_size 64
.entry k()
{
    .reg .b32 %r<9>;
    ld.global.
    add.s32 %r1, %r2, %r3;
    ret;
}
";

fn items(server: &mut TestServer, line: u32, character: u32) -> Vec<Value> {
    let answer = server.settled("textDocument/completion", &place(URI, line, character));
    answer["items"].as_array().cloned().unwrap_or_default()
}

#[test]
fn modifiers_replace_what_is_typed() {
    let mut server = TestServer::ready();
    server.open(URI, TEXT);
    let items = items(&mut server, 6, 14);
    let float = items.iter().find(|it| it["label"] == ".f32").unwrap();
    assert_eq!(
        float["textEdit"],
        json!({
            "range": {
                "start": { "line": 6, "character": 13 },
                "end": { "line": 6, "character": 14 },
            },
            "newText": ".f32",
        })
    );
    assert!(items.iter().all(|it| it["label"] != ".lo"));
    let sorted = items.iter().map(|it| it["sortText"].as_str().unwrap());
    assert!(sorted.is_sorted());
}

#[test]
fn documentation_is_resolved_when_it_is_wanted() {
    let mut server = TestServer::with_capabilities(json!({
        "textDocument": { "completion": { "completionItem": {
            "snippetSupport": true, "documentationFormat": ["markdown"],
        } } },
    }));
    server.open(URI, TEXT);
    let items = items(&mut server, 8, 4);
    let add = items.iter().find(|it| it["label"] == "add").unwrap();
    assert_eq!(add["documentation"], Value::Null);
    let resolved = server
        .request("completionItem/resolve", add.clone())
        .unwrap();
    let text = resolved["documentation"]["value"].as_str().unwrap();
    assert!(text.contains("d = a + b"), "{text}");
    let snippet = items
        .iter()
        .find(|it| it["label"] == "thread-index")
        .unwrap();
    assert_eq!(snippet["insertTextFormat"], 2);
}

#[test]
fn snippets_are_plain_for_clients_that_do_not_know_them() {
    let mut server = TestServer::ready();
    server.open(URI, TEXT);
    let items = items(&mut server, 8, 4);
    let snippet = items
        .iter()
        .find(|it| it["label"] == "thread-index")
        .unwrap();
    let text = snippet["textEdit"]["newText"].as_str().unwrap();
    assert!(!text.contains('$'), "{text}");
    assert_eq!(snippet["insertTextFormat"], 1);
}

#[test]
fn the_operand_at_the_cursor_is_active() {
    let mut server = TestServer::ready();
    server.open(URI, TEXT);
    let help = server.settled("textDocument/signatureHelp", &place(URI, 7, 17));
    assert_eq!(help["signatures"][0]["label"], "add.s32 d, a, b");
    assert_eq!(help["activeParameter"], 1);
    assert_eq!(
        help["signatures"][0]["parameters"][1]["label"],
        json!([11, 12])
    );
}

/// The text that the item of `.version` inserts in an empty file, and the command after it.
fn version(capabilities: Value) -> (Value, Value) {
    let mut server = TestServer::with_capabilities(capabilities);
    server.open(URI, "");
    let items = items(&mut server, 0, 0);
    let version = items.iter().find(|it| it["label"] == ".version").unwrap();
    (
        version["textEdit"]["newText"].clone(),
        version["command"]["command"].clone(),
    )
}

#[test]
fn values_follow_a_directive_of_the_header() {
    let snippets = json!({ "completion": { "completionItem": { "snippetSupport": true } } });
    let command = "editor.action.triggerSuggest";
    assert_eq!(
        version(json!({
            "textDocument": snippets,
            "experimental": { "commands": { "commands": [command] } },
        })),
        (json!(".version "), json!(command))
    );
    let (text, none) = version(json!({ "textDocument": snippets }));
    assert!(
        text.as_str().unwrap().starts_with(".version ${1|"),
        "{text}"
    );
    assert_eq!(none, Value::Null);
    assert_eq!(version(json!({})), (json!(".version "), Value::Null));
}
