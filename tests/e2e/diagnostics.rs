//! Problems, pushed and pulled.

use ptx_tests::client::TestServer;
use serde_json::{Value, json};

use crate::{KERNEL, URI};

/// [`KERNEL`] without one semicolon.
fn broken() -> String {
    KERNEL.replace("%tid.x;", "%tid.x")
}

fn puller() -> TestServer {
    TestServer::with_capabilities(json!({ "textDocument": { "diagnostic": {} } }))
}

/// The start, the severity and the code of each.
fn summary(diagnostics: &[Value]) -> Vec<(u64, u64, Value)> {
    let number = |value: &Value| value.as_u64().expect("a number");
    diagnostics
        .iter()
        .map(|it| {
            assert!(it["message"].as_str().is_some_and(|it| !it.is_empty()));
            (
                number(&it["range"]["start"]["line"]),
                number(&it["severity"]),
                it["code"].clone(),
            )
        })
        .collect()
}

#[test]
fn they_are_pushed_to_clients_that_do_not_ask() {
    let mut server = TestServer::ready();
    server.open(URI, &broken());
    assert_eq!(
        summary(&server.diagnostics(URI)),
        [(8, 1, json!("syntax-error"))]
    );
    server.edit(URI, (8, 23), (8, 23), ";");
    assert_eq!(server.diagnostics(URI), [] as [Value; 0]);
    server.edit(URI, (12, 8), (12, 13), "nowhere");
    assert_eq!(
        summary(&server.diagnostics(URI)),
        [(12, 1, json!("undefined-label"))]
    );
    server.close(URI);
    assert_eq!(
        server.diagnostics(URI),
        [] as [Value; 0],
        "closing takes them away"
    );
}

#[test]
fn only_the_last_of_many_versions_matters() {
    let mut server = TestServer::ready();
    server.open(URI, KERNEL);
    for _ in 0..50 {
        server.edit(URI, (8, 23), (8, 24), "");
        server.edit(URI, (8, 23), (8, 23), ";");
    }
    server.edit(URI, (8, 23), (8, 24), "");
    assert_eq!(
        summary(&server.diagnostics(URI)),
        [(8, 1, json!("syntax-error"))]
    );
}

#[test]
fn they_are_not_pushed_to_clients_that_ask() {
    let mut server = puller();
    server.open(URI, &broken());
    assert_eq!(
        summary(&server.pull_diagnostics(URI)),
        [(8, 1, json!("syntax-error"))]
    );
    server.edit(URI, (8, 23), (8, 23), ";");
    assert_eq!(server.pull_diagnostics(URI), [] as [Value; 0]);
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(!server.has_notification("textDocument/publishDiagnostics"));
}

#[test]
fn unchanged_ones_are_not_sent_again() {
    let mut server = puller();
    server.open(URI, &broken());
    let ask = |server: &mut TestServer, previous: &Value| {
        let params = json!({ "textDocument": { "uri": URI }, "previousResultId": previous });
        server.settled("textDocument/diagnostic", &params)
    };
    let first = ask(&mut server, &Value::Null);
    assert_eq!(first["kind"], "full");
    let again = ask(&mut server, &first["resultId"]);
    assert_eq!(
        (&again["kind"], &again["items"]),
        (&json!("unchanged"), &Value::Null)
    );
    server.edit(URI, (8, 23), (8, 23), ";");
    let fixed = ask(&mut server, &first["resultId"]);
    assert_eq!(
        (&fixed["kind"], &fixed["items"]),
        (&json!("full"), &json!([]))
    );
}

#[test]
fn they_are_where_the_problem_is_in_every_encoding() {
    let text = KERNEL.replace("    bra again;", "/* 𝄞é */ bra nowhere;");
    for (encoding, column) in [("utf-8", 17), ("utf-16", 14), ("utf-32", 13)] {
        let mut server = TestServer::with_capabilities(
            json!({ "general": { "positionEncodings": [encoding] } }),
        );
        server.open(URI, &text);
        let range = &server.diagnostics(URI)[0]["range"];
        assert_eq!(
            range["start"],
            json!({ "line": 12, "character": column }),
            "{encoding}"
        );
        assert_eq!(
            range["end"],
            json!({ "line": 12, "character": column + 7 }),
            "{encoding}"
        );
    }
}

#[test]
fn names_resolve_across_open_documents() {
    let other = "file:///ptx-analyzer-tests/b.ptx";
    let mut server = TestServer::with_capabilities(
        json!({ "textDocument": { "definition": { "linkSupport": false } } }),
    );
    server.open(
        other,
        ".version 8.0\n.target sm_80\n.visible .func helper()\n{\n    ret;\n}\n",
    );
    server.open(
        URI,
        ".version 8.0\n.target sm_80\n.extern .func helper();\n.entry k()\n{\n    call helper;\n    ret;\n}\n",
    );
    let params = ptx_tests::client::place(URI, 5, 10);
    let found = server
        .settled("textDocument/definition", &params)
        .to_string();
    assert!(found.contains("/b.ptx"), "{found}");
}

/// An entry long enough that its flow is analysed after everything else.
fn long_kernel() -> String {
    let many = "    add.s32 %r2, %r1, 1;\n".repeat(2000);
    format!(
        ".version 8.0\n.target sm_80\n.entry k()\n{{\n    .reg .b32 %r<9>;\n    mov.u32 %r1, 7;\n{many}    ret;\n}}\n"
    )
}

/// The codes of warnings and errors with their lines.
fn worst(diagnostics: &[Value]) -> Vec<(u64, String)> {
    let all = diagnostics
        .iter()
        .filter(|it| it["severity"].as_u64() < Some(3));
    let code = |it: &Value| it["code"].as_str().unwrap_or_default().to_owned();
    all.map(|it| {
        (
            it["range"]["start"]["line"].as_u64().unwrap_or_default(),
            code(it),
        )
    })
    .collect()
}

#[test]
fn in_a_long_function_a_change_concerns_others() {
    let mut server = TestServer::ready();
    server.open(URI, &long_kernel());
    assert_eq!(worst(&server.diagnostics(URI)), []);
    // Nothing writes `%r1` any more, and a name is wrong.
    server.edit(URI, (5, 14), (5, 15), "99");
    assert_eq!(
        worst(&server.diagnostics(URI)),
        [
            (5, "undefined-name".to_owned()),
            (6, "uninitialized-register".to_owned())
        ]
    );
    server.edit(URI, (5, 4), (5, 4), "\n");
    assert_eq!(
        worst(&server.diagnostics(URI)),
        [
            (6, "undefined-name".to_owned()),
            (7, "uninitialized-register".to_owned())
        ]
    );
    server.edit(URI, (6, 10), (6, 12), "1");
    assert_eq!(worst(&server.diagnostics(URI)), []);
}

#[test]
fn comments_that_set_levels_hold_in_long_functions() {
    let mut server = TestServer::ready();
    server.open(URI, &long_kernel());
    assert_eq!(worst(&server.diagnostics(URI)), []);
    server.edit(URI, (5, 14), (5, 15), "3");
    let wrong = [(6, "uninitialized-register".to_owned())];
    assert_eq!(worst(&server.diagnostics(URI)), wrong);
    let comment = "// ptx-analyzer: allow(uninitialized-register)\n";
    server.edit(URI, (2, 0), (2, 0), comment);
    assert_eq!(worst(&server.diagnostics(URI)), []);
    server.edit(URI, (20, 14), (20, 15), "4");
    assert_eq!(worst(&server.diagnostics(URI)), []);
}
