//! Quick fixes as a client gets and applies them.

use ptx_tests::client::TestServer;
use serde_json::{Value, json};

use crate::{KERNEL, URI};

/// [`KERNEL`] with a misspelt opcode and without a semicolon.
fn broken() -> String {
    KERNEL
        .replace("add.s32", "addd.s32")
        .replace("%tid.x;", "%tid.x")
}

fn client(code_action: &Value) -> TestServer {
    TestServer::with_capabilities(json!({
        "workspace": { "workspaceEdit": { "documentChanges": true } },
        "textDocument": { "codeAction": code_action },
    }))
}

fn literals() -> Value {
    json!({
        "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix"] } },
        "isPreferredSupport": true,
    })
}

/// The actions at a column of line 10, where `addd` appears.
fn actions(server: &mut TestServer, context: &Value) -> Vec<Value> {
    let at = json!({ "line": 10, "character": 6 });
    let params = json!({
        "textDocument": { "uri": URI }, "range": { "start": at, "end": at }, "context": context,
    });
    let answer = server.settled("textDocument/codeAction", &params);
    answer.as_array().cloned().unwrap_or_default()
}

#[test]
fn a_fix_is_offered_for_its_problem() {
    let mut server = client(&literals());
    server.open(URI, &broken());
    let diagnostics = server.diagnostics(URI);
    assert_eq!(diagnostics.len(), 2);
    let actions = actions(
        &mut server,
        &json!({ "diagnostics": diagnostics, "only": ["quickfix"] }),
    );
    let [action] = &actions[..] else {
        panic!("{actions:#?}")
    };
    assert_eq!(action["title"], "Replace `addd` by `add`");
    assert_eq!(
        (&action["kind"], &action["isPreferred"]),
        (&json!("quickfix"), &json!(true))
    );
    assert_eq!(action["diagnostics"], json!([diagnostics[1]]));
    assert_eq!(
        action["edit"]["documentChanges"],
        json!([{
            "textDocument": { "uri": URI, "version": 1 },
            "edits": [{
                "range": {
                    "start": { "line": 10, "character": 4 },
                    "end": { "line": 10, "character": 8 },
                },
                "newText": "add",
            }],
        }])
    );
}

#[test]
fn all_slips_are_repaired_at_once() {
    let mut server = client(&literals());
    server.open(URI, &broken());
    let actions = actions(
        &mut server,
        &json!({ "diagnostics": [], "only": ["source.fixAll"] }),
    );
    let [action] = &actions[..] else {
        panic!("{actions:#?}")
    };
    assert_eq!(action["kind"], "source.fixAll");
    let edits = action["edit"]["documentChanges"][0]["edits"]
        .as_array()
        .expect("edits");
    // From the last to the first, so that their places stay right.
    for edit in edits.iter().rev() {
        let place = |name: &str| {
            let number = |field: &str| {
                edit["range"][name][field]
                    .as_u64()
                    .and_then(|it| u32::try_from(it).ok())
            };
            (
                number("line").expect("a line"),
                number("character").expect("a column"),
            )
        };
        server.edit(
            URI,
            place("start"),
            place("end"),
            edit["newText"].as_str().expect("a text"),
        );
    }
    crate::assert_text(&mut server, URI, KERNEL);
    assert_eq!(server.diagnostics(URI), [] as [Value; 0]);
}

#[test]
fn clients_that_want_commands_get_nothing() {
    let mut server = client(&json!({}));
    server.open(URI, &broken());
    assert_eq!(
        actions(&mut server, &json!({ "diagnostics": [] })),
        [] as [Value; 0]
    );
}

#[test]
fn a_family_of_registers_is_renamed_by_a_command_of_the_client() {
    let titles = |commands: &Value, context: &Value| {
        let mut server = TestServer::with_capabilities(json!({
            "textDocument": { "codeAction": literals() },
            "experimental": { "commands": { "commands": commands } },
        }));
        server.open(URI, KERNEL);
        let line = KERNEL.lines().position(|it| it.contains("add.s32"));
        let at = json!({ "line": line, "character": 14 });
        let params = json!({
            "textDocument": { "uri": URI }, "range": { "start": at, "end": at }, "context": context,
        });
        let answer = server.settled("textDocument/codeAction", &params);
        answer.as_array().cloned().unwrap_or_default()
    };
    let known = json!(["ptx-analyzer.renameFamily"]);
    let [action] = &titles(&known, &json!({ "diagnostics": [] }))[..] else {
        panic!("one action");
    };
    assert_eq!(action["title"], "Rename all registers of `%r<4>`…");
    assert_eq!(action["kind"], "refactor.rename");
    let command = &action["command"];
    assert_eq!(command["command"], known[0]);
    let declared = KERNEL.lines().position(|it| it.contains("%r<4>"));
    assert_eq!(
        command["arguments"],
        json!([URI, { "line": declared, "character": 14 }])
    );
    // Not where it would only light a bulb, nor for clients that cannot ask for a name.
    let automatic = json!({ "diagnostics": [], "triggerKind": 2 });
    assert_eq!(titles(&known, &automatic).len(), 0);
    assert_eq!(titles(&json!([]), &json!({ "diagnostics": [] })).len(), 0);
}
