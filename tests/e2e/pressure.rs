//! Registers, drawings and live ranges as a client sees them.

use ptx_tests::client::{TestServer, place};
use serde_json::{Value, json};

use crate::{KERNEL, URI};

fn document() -> Value {
    json!({ "textDocument": { "uri": URI } })
}

#[test]
fn entries_tell_what_they_need() {
    let mut server = TestServer::ready();
    server.open(URI, KERNEL);
    let answer = server.settled("ptx/registers", &document());
    let entry = &answer["entries"][0];
    assert_eq!(answer["entries"].as_array().map(Vec::len), Some(1));
    assert_eq!(entry["name"], "scale");
    assert_eq!(entry["target"], "sm_80");
    assert_eq!(entry["range"]["start"]["line"], 3);
    assert_eq!(entry["range"]["end"]["line"], 13);
    assert_eq!(entry["selectionRange"]["start"]["character"], 16);
    assert_eq!(
        entry["occupancy"],
        json!({
            "warps": 64, "of": 64, "limiter": null, "threads": 256, "threadsAssumed": true,
            "next": null,
        })
    );
    assert_eq!(entry["exact"], Value::Null);
    assert_eq!(entry["lines"][0], json!({ "line": 7, "live": 0 }));
    assert_eq!(entry["lines"].as_array().map(Vec::len), Some(5));
    assert_eq!(server.settled("ptx/registers", &place(URI, 10, 0)), answer);
    let nothing = server.settled("ptx/registers", &place(URI, 1, 0));
    assert_eq!(nothing, json!({ "entries": [] }));
}

#[test]
fn launches_are_as_the_settings_say() {
    let mut server = TestServer::start();
    let settings = json!({ "registers": { "threads": 96, "dynamicSharedMemory": 65536 } });
    server.initialize(json!({ "capabilities": {}, "initializationOptions": settings }));
    server.open(URI, KERNEL);
    let answer = server.settled("ptx/registers", &document());
    let occupancy = &answer["entries"][0]["occupancy"];
    assert_eq!(
        (&occupancy["threads"], &occupancy["warps"]),
        (&json!(96), &json!(6))
    );
    assert_eq!(occupancy["limiter"], "shared memory");
}

#[test]
fn drawings_name_their_lines() {
    let mut server = TestServer::ready();
    server.open(URI, KERNEL);
    for (method, dark) in [("ptx/registerChart", true), ("ptx/flowGraph", false)] {
        let mut params = place(URI, 9, 0);
        params["dark"] = json!(dark);
        let answer = server.settled(method, &params);
        let svg = answer["svg"].as_str().expect("a string");
        assert!(
            svg.starts_with("<svg ") && svg.ends_with("</svg>\n"),
            "{svg}"
        );
        assert!(svg.contains("data-line=\"10\""), "{svg}");
        assert!(!svg.contains("<script") && !svg.contains("href"), "{svg}");
        assert_eq!(server.settled(method, &place(URI, 1, 0)), Value::Null);
    }
    let graph = server.settled("ptx/flowGraph", &place(URI, 9, 0));
    assert_eq!(graph["function"], "scale");
    assert_eq!(graph["blocks"][1]["label"], "again");
    assert_eq!(graph["blocks"][1]["loopDepth"], 1);
    assert_eq!(graph["blocks"][1]["instructions"], 3);
    assert_eq!(
        graph["edges"],
        json!([
            { "from": 0, "to": 1, "kind": "fallthrough", "back": false },
            { "from": 1, "to": 1, "kind": "branch", "back": true },
        ])
    );
    let mermaid = graph["mermaid"].as_str().expect("a string");
    assert!(mermaid.starts_with("flowchart TD\n    b0["), "{mermaid}");
}

#[test]
fn registers_have_a_life() {
    let mut server = TestServer::ready();
    server.open(URI, KERNEL);
    let life = server.settled("ptx/liveRange", &place(URI, 10, 13));
    assert_eq!(
        (&life["register"], &life["type"], &life["weight"]),
        (&json!("%r1"), &json!(".b32"), &json!(1))
    );
    let lines = |ranges: &Value| -> Vec<[u64; 2]> {
        let ranges = ranges.as_array().expect("a list");
        let line = |it: &Value| it["line"].as_u64().expect("a number");
        ranges
            .iter()
            .map(|it| [line(&it["start"]), line(&it["end"])])
            .collect()
    };
    assert_eq!(lines(&life["ranges"]), [[8, 12]]);
    assert_eq!(lines(&life["definitions"]), [[8, 8], [10, 10]]);
    assert_eq!(lines(&life["uses"]), [[10, 10], [11, 11]]);
    assert_eq!(
        (&life["crossesPeak"], &life["free"]),
        (&json!(true), &json!(false))
    );
    // The parameter of an entry is in constant memory.
    let life = server.settled("ptx/liveRange", &place(URI, 11, 20));
    assert_eq!(
        (&life["crossesPeak"], &life["free"]),
        (&json!(false), &json!(true))
    );
    let family = server.settled("ptx/liveRange", &place(URI, 5, 14));
    assert_eq!(family, Value::Null);
}

/// The titles of the lenses about registers.
fn lenses(settings: Value, text: &str) -> Vec<String> {
    let mut server = TestServer::start();
    let commands = json!(["ptx-analyzer.showReferences", "ptx-analyzer.showRegisters"]);
    let result = server.initialize(json!({
        "capabilities": { "experimental": { "commands": { "commands": commands } } },
        "initializationOptions": settings,
    }));
    assert_eq!(
        result["capabilities"]["executeCommandProvider"]["commands"],
        json!(["ptx/runPtxas"]),
        "none of those that it has"
    );
    server.open(URI, text);
    let lenses = server.settled("textDocument/codeLens", &document());
    let lenses = lenses.as_array().expect("a list");
    let title = |lens: &Value| {
        assert_eq!(lens["command"], Value::Null, "it is worked out later");
        let command = server.settled("codeLens/resolve", lens)["command"].clone();
        assert_eq!(command["command"], "ptx-analyzer.showRegisters");
        assert_eq!(command["arguments"][0], URI);
        assert_eq!(command["arguments"][1], lens["range"]["start"]);
        command["title"].as_str().expect("a string").to_owned()
    };
    lenses.iter().map(title).collect()
}

/// A kernel that keeps 70 values live.
fn wide() -> String {
    let loads: String = (0..70)
        .map(|it| format!("ld.shared.b32 %r{it}, [%s+{}];\n", it * 4))
        .collect();
    let stores: String = (0..70)
        .rev()
        .map(|it| format!("st.volatile.shared.b32 [%s+{}], %r{it};\n", it * 4))
        .collect();
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .entry wide() {{\n.reg .b32 %r<70>, %s;\nmov.u32 %s, %tid.x;\n{loads}\
         barrier.sync 0;\n{stores}ret;\n}}\n"
    )
}

#[test]
fn lenses_tell_what_entries_need() {
    assert_eq!(
        lenses(json!({}), KERNEL),
        ["≤ 32 regs · full occupancy @256 threads"]
    );
    let off = json!({ "registers": { "threads": 32 } });
    assert_eq!(
        lenses(off, KERNEL),
        ["≤ 32 regs · 32/64 warps @32 threads, limited by blocks"]
    );
    let titles = lenses(json!({}), &wide());
    assert!(
        titles[0]
            .contains(" warps @256 threads, limited by registers · 71 live as written at line 76"),
        "{titles:?}"
    );
}
