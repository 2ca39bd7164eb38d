//! Inlay hints, lenses, links, call hierarchy and source lines as a client sees them.

use ptx_tests::client::{TestServer, place};
use serde_json::{Value, json};

use crate::URI;

const TEXT: &str = "\
.version 8.0
.target sm_90
.address_size 64
.func scale(.param .f32 factor) { ret; }
.entry _Z1kv()
{
    .reg .f32 sum;
    mov.f32 sum, 0f3F800000;
again:
    call scale, (sum);
    bra again;
}
";

fn whole(uri: &str) -> Value {
    json!({
        "textDocument": { "uri": uri },
        "range": {
            "start": { "line": 0, "character": 0 },
            "end": { "line": 99, "character": 0 },
        },
    })
}

/// Line, column and label of each inlay hint.
fn hints(server: &mut TestServer) -> Vec<(u64, u64, String)> {
    let answer = server.settled("textDocument/inlayHint", &whole(URI));
    let number = |value: &Value| value.as_u64().expect("a number");
    let hints = answer.as_array().expect("a list");
    hints
        .iter()
        .map(|it| {
            (
                number(&it["position"]["line"]),
                number(&it["position"]["character"]),
                it["label"].as_str().expect("a string").to_owned(),
            )
        })
        .collect()
}

fn with_settings(settings: Value, capabilities: Value) -> TestServer {
    let mut server = TestServer::start();
    server.initialize(json!({
        "capabilities": capabilities, "initializationOptions": settings,
    }));
    server
}

#[test]
fn the_usual_hints() {
    let mut server = TestServer::ready();
    server.open(URI, TEXT);
    assert_eq!(
        hints(&mut server),
        [(7, 27, "= 1.0".to_owned()), (9, 17, "factor:".to_owned()),]
    );
    let first_line = json!({
        "textDocument": { "uri": URI },
        "range": {
            "start": { "line": 0, "character": 0 },
            "end": { "line": 1, "character": 0 },
        },
    });
    let none = server.settled("textDocument/inlayHint", &first_line);
    assert_eq!(none, json!([]));
}

#[test]
fn settings_choose_the_hints_and_ask_for_a_refresh() {
    let settings = json!({ "inlayHints": { "floatLiterals": false, "demangledNames": true } });
    let mut server = with_settings(
        settings,
        json!({ "workspace": { "inlayHint": { "refreshSupport": true } } }),
    );
    server.open(URI, TEXT);
    let labels = |server: &mut TestServer| -> Vec<String> {
        hints(server).into_iter().map(|it| it.2).collect()
    };
    assert_eq!(labels(&mut server), ["k()", "factor:"]);
    let settings = json!({ "inlayHints": { "registerTypes": true, "parameterNames": false } });
    server.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": settings }),
    );
    assert_eq!(labels(&mut server), [": .f32", "= 1.0"]);
    while !server
        .server_requests
        .iter()
        .any(|it| it == "workspace/inlayHint/refresh")
    {
        server.has_notification("");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn lenses_are_shown_on_request_and_counted_when_they_are_seen() {
    let document = json!({ "textDocument": { "uri": URI } });
    let mut server = with_settings(
        json!({ "codeLens": { "loops": false, "registers": false } }),
        json!({}),
    );
    server.open(URI, TEXT);
    assert_eq!(
        server.settled("textDocument/codeLens", &document),
        Value::Null
    );

    let settings = json!({ "codeLens": { "references": true, "registers": false } });
    let mut server = with_settings(
        settings,
        json!({ "experimental": { "commands": { "commands": ["ptx-analyzer.showReferences"] } } }),
    );
    server.open(URI, TEXT);
    let lenses = server.settled("textDocument/codeLens", &document);
    let titles: Vec<String> = lenses
        .as_array()
        .expect("a list")
        .iter()
        .map(|lens| {
            let lens = server.settled("codeLens/resolve", lens);
            assert_eq!(lens["command"]["command"], "ptx-analyzer.showReferences");
            let line = &lens["range"]["start"]["line"];
            format!("{line}: {}", lens["command"]["title"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        titles,
        ["3: 1 reference", "4: 0 references", "8: 1 reference"]
    );
    let lens = server.settled("codeLens/resolve", &lenses[0]);
    let arguments = &lens["command"]["arguments"];
    assert_eq!(arguments[0], URI);
    assert_eq!(arguments[1], json!({ "line": 3, "character": 6 }));
    assert_eq!(arguments[2][0]["range"]["start"]["line"], 9);
    assert_eq!(arguments[2].as_array().map(Vec::len), Some(1));
}

/// An editor without commands of ours: the server executes them, and shows a message.
#[test]
fn lenses_can_be_clicked_in_any_editor() {
    let settings = json!({ "codeLens": { "references": true } });
    let mut server = TestServer::start();
    let result = server.initialize(json!({
        "capabilities": {}, "initializationOptions": settings,
    }));
    assert_eq!(
        result["capabilities"]["executeCommandProvider"]["commands"],
        json!(["ptx/runPtxas", "ptx/tellReferences", "ptx/tellRegisters"])
    );
    server.open(URI, TEXT);
    let document = json!({ "textDocument": { "uri": URI } });
    let lenses = server.settled("textDocument/codeLens", &document);
    let mut shown = Vec::new();
    for lens in lenses.as_array().expect("a list") {
        let command = server.settled("codeLens/resolve", lens)["command"].clone();
        let answer = server.request("workspace/executeCommand", command);
        assert_eq!(answer, Ok(Value::Null));
        let message = server.notification("window/showMessage");
        assert_eq!(message["type"], 3);
        shown.push(message["message"].as_str().expect("a text").to_owned());
    }
    assert_eq!(
        shown,
        [
            "1 reference: line 10",
            "_Z1kv on sm_90: ≤ 32 regs · full occupancy @256 threads · at most 0 live as written",
            "0 references",
            "1 reference: line 11",
        ]
    );
    for arguments in [json!([]), json!([URI]), json!([7, {}])] {
        let command = json!({ "command": "ptx/tellRegisters", "arguments": arguments });
        assert!(server.request("workspace/executeCommand", command).is_err());
    }
    // Nothing is known of the file any more.
    let command = json!({
        "command": "ptx/tellRegisters",
        "arguments": ["file:///nowhere.ptx", { "line": 0, "character": 0 }],
    });
    let answer = server.request("workspace/executeCommand", command);
    assert_eq!(answer, Ok(Value::Null));
}

#[test]
fn calls_are_followed_both_ways() {
    let mut server = TestServer::ready();
    server.open(URI, TEXT);
    let items = server.settled("textDocument/prepareCallHierarchy", &place(URI, 9, 12));
    assert_eq!(items[0]["name"], "scale");
    assert_eq!(items[0]["selectionRange"]["start"]["line"], 3);
    let item = json!({ "item": items[0] });
    let callers = server.settled("callHierarchy/incomingCalls", &item);
    assert_eq!(callers[0]["from"]["name"], "_Z1kv");
    assert_eq!(
        callers[0]["fromRanges"],
        json!([{
            "start": { "line": 9, "character": 9 }, "end": { "line": 9, "character": 14 },
        }])
    );
    let caller = json!({ "item": callers[0]["from"] });
    let callees = server.settled("callHierarchy/outgoingCalls", &caller);
    assert_eq!(callees[0]["to"]["name"], "scale");
    assert_eq!(callees[0]["fromRanges"], callers[0]["fromRanges"]);
    let nothing = server.settled("textDocument/prepareCallHierarchy", &place(URI, 7, 6));
    assert_eq!(nothing, Value::Null);
}

#[test]
fn an_argument_leads_to_its_parameter() {
    let mut server = TestServer::ready();
    server.open(URI, TEXT);
    let found = server.settled("textDocument/typeDefinition", &place(URI, 9, 18));
    assert_eq!(
        found[0]["range"]["start"],
        json!({ "line": 3, "character": 24 })
    );
    let found = server.settled("textDocument/typeDefinition", &place(URI, 7, 13));
    assert_eq!(
        found[0]["range"]["start"],
        json!({ "line": 6, "character": 14 })
    );
}

#[test]
fn values_are_followed() {
    let text = "{H}.entry k()\n{\n    .reg .b32 %r<4>;\n    mov.u32 %r1, 1;\n    add.u32 %r2, %r1, 1;\n    mov.u32 %r1, 2;\n    add.u32 %r3, %r1, %r2;\n    ret;\n}\n"
        .replace("{H}", ".version 8.5\n.target sm_90\n.address_size 64\n");
    let mut server = TestServer::ready();
    server.open(URI, &text);
    let lines = |found: &Value, pointer: &str| -> Vec<u64> {
        let all = found.as_array().expect("a list").iter();
        all.map(|it| it.pointer(pointer).and_then(Value::as_u64).expect("a line"))
            .collect()
    };
    let at = place(URI, 9, 18);
    let definition = server.settled("textDocument/definition", &at);
    assert_eq!(lines(&definition, "/range/start/line"), [8]);
    let writes = server.settled("textDocument/implementation", &at);
    assert_eq!(lines(&writes, "/range/start/line"), [6, 8]);
    let declaration = server.settled("textDocument/declaration", &at);
    assert_eq!(lines(&declaration, "/range/start/line"), [5]);
    let highlights = server.settled("textDocument/documentHighlight", &at);
    // The declaration and the value at the cursor, and the other value as text.
    assert_eq!(lines(&highlights, "/kind"), [3, 1, 1, 3, 2]);
    let slice = server.settled("ptx/slice", &at);
    assert_eq!(lines(&slice["backward"], "/start/line"), [8]);
    assert_eq!(lines(&slice["forward"], "/start/line"), [9]);
    let slice = server.settled("ptx/slice", &place(URI, 9, 23));
    assert_eq!(lines(&slice["backward"], "/start/line"), [6, 7]);
    let accesses = server.settled("ptx/registerAccesses", &at);
    let words: Vec<&str> = accesses
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["access"].as_str())
        .collect();
    assert_eq!(words, ["declaration", "write", "read", "write", "read"]);
    assert_eq!(accesses[1]["otherValue"], true);
    assert_eq!(accesses[3]["otherValue"], false);
    assert_eq!(server.settled("ptx/slice", &place(URI, 10, 5)), Value::Null);
}

#[test]
fn mangled_names_are_explained() {
    let mut server = TestServer::ready();
    server.open(URI, TEXT);
    assert!(server.hover(URI, 4, 9).contains("k()"));
    let document = json!({ "textDocument": { "uri": URI } });
    let symbols = server.settled("textDocument/documentSymbol", &document);
    let names = symbols
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| &it["name"]);
    assert!(names.into_iter().any(|it| it == "k"), "{symbols}");
}

#[test]
fn the_source_is_found_if_it_exists() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("src")).expect("a folder");
    std::fs::write(folder.path().join("src/a.cu"), "\n\nx = y + 1;\n").expect("a file");
    let uri = format!("file://{}/a.ptx", folder.path().display());
    let source = format!("file://{}/src/a.cu", folder.path().display());
    let mut server = TestServer::ready();
    server.open(
        &uri,
        ".version 8.0\n.target sm_90\n.file 1 \"src/a.cu\"\n.file 2 \"gone.cu\"\n.entry k {\n\
         .reg .b32 x;\n.loc 1 3 5\nadd.s32 x, x, 1;\n.loc 2 1 1\nsub.s32 x, x, 1;\n.loc 1 3 9\nret;\n}\n",
    );
    let document = json!({ "textDocument": { "uri": uri } });
    let links = server.settled("textDocument/documentLink", &document);
    let targets: Vec<&Value> = links
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| &it["target"])
        .collect();
    let line = format!("{source}#L3");
    assert_eq!(targets, [&json!(source), &json!(line), &json!(line)]);

    let found = server.settled("textDocument/definition", &place(&uri, 7, 1));
    let at = json!({ "line": 2, "character": 4 });
    assert_eq!(
        found,
        json!([{ "uri": source, "range": { "start": at, "end": at } }])
    );
    let gone = server.settled("textDocument/definition", &place(&uri, 9, 1));
    assert_eq!(gone, Value::Null);
    // Hover shows the line of a file that exists: first at a `.loc`, after the page at an opcode.
    let hover = |server: &mut TestServer, line, column| {
        let shown = server.settled("textDocument/hover", &place(&uri, line, column));
        let text = shown["contents"]["value"].as_str();
        text.unwrap_or_default().to_owned()
    };
    for (line, column) in [(6, 1), (7, 1)] {
        let shown = hover(&mut server, line, column);
        assert!(shown.contains("x = y + 1;"), "{shown}");
        assert_eq!(shown.starts_with("a.cu:3"), line == 6, "{shown}");
    }
    let shown = hover(&mut server, 9, 1);
    assert!(!shown.is_empty() && !shown.contains("gone.cu"), "{shown}");
    // A name still leads to its declaration.
    let name = server.settled("textDocument/definition", &place(&uri, 7, 8));
    assert_eq!(name[0]["uri"], uri);

    let lines = server.settled("ptx/sameSourceLine", &place(&uri, 11, 1));
    assert_eq!((&lines["uri"], &lines["line"]), (&json!(source), &json!(2)));
    let starts: Vec<&Value> = lines["ranges"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| &it["start"]["line"])
        .collect();
    assert_eq!(starts, [7, 11]);
    let gone = server.settled("ptx/sameSourceLine", &place(&uri, 9, 1));
    assert_eq!(
        (&gone["uri"], &gone["path"]),
        (&Value::Null, &json!("gone.cu"))
    );

    // The way from the source: each run of instructions, also of a file that is spelled differently.
    let asked = source.replace("/src/", "/src/../src/");
    let found = server.settled("ptx/fromSourceLine", &json!({ "uri": asked, "line": 2 }));
    let lines: Vec<_> = found
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| (&it["uri"], &it["range"]["start"]["line"]))
        .collect();
    assert_eq!(lines, [(&json!(uri), &json!(7)), (&json!(uri), &json!(11))]);
    let none = server.settled("ptx/fromSourceLine", &json!({ "uri": source, "line": 4 }));
    assert_eq!(none, json!([]));
}
