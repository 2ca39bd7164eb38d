//! Answers that would grow without end are limited.

use ptx_tests::client::{TestServer, place};
use serde_json::{Value, json};

use crate::URI;

/// A module with this in the body of its kernel, from the third line on.
fn in_body(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {{ .reg .b32 a, b; .reg .pred q;\n{body}ret;\n}}\n"
    )
}

fn document() -> Value {
    json!({ "textDocument": { "uri": URI } })
}

fn count(answer: &Value) -> usize {
    answer.as_array().expect("a list").len()
}

#[test]
fn occurrences_around_the_cursor_are_marked() {
    let mut server = TestServer::ready();
    server.open(
        URI,
        &in_body(&"@q mov.b32 b, 1;\nadd.s32 a, b, 1;\n".repeat(6_000)),
    );
    for line in [4, 6_001, 12_003] {
        let marked = server.settled("textDocument/documentHighlight", &place(URI, line, 11));
        assert_eq!(count(&marked), 10_000);
        let here = |it: &Value| it["range"]["start"]["line"] == line;
        assert!(
            marked.as_array().expect("a list").iter().any(here),
            "{line}"
        );
    }
    let mut params = place(URI, 4, 11);
    params["context"] = json!({ "includeDeclaration": true });
    let all = server.settled("textDocument/references", &params);
    assert_eq!(count(&all), 12_001);
}

#[test]
fn an_outline_leaves_out_what_is_deep() {
    let mut server = TestServer::with_capabilities(json!({ "textDocument": {
        "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
    } }));
    let labels: String = (0..50_010).map(|it| format!("L{it}:\n")).collect();
    server.open(
        URI,
        &format!("{}.func last() {{ M: ret; }}\n", in_body(&labels)),
    );
    let outline = server.settled("textDocument/documentSymbol", &document());
    let names: Vec<&str> = outline
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["name"].as_str())
        .collect();
    assert_eq!(names.last(), Some(&"last"));
    let children = |it: &Value| it["children"].as_array().map_or(0, Vec::len);
    let inside: usize = outline
        .as_array()
        .expect("a list")
        .iter()
        .map(children)
        .sum();
    assert_eq!(names.len() + inside, 50_000);
}

#[test]
fn a_deep_tree_is_cut_short() {
    let mut server = TestServer::ready();
    server.open(
        URI,
        &in_body(&format!("mov.b32 a, {}1;\n", "-".repeat(40_000))),
    );
    let tree = server.settled("ptx/viewSyntaxTree", &document());
    let tree = tree.as_str().expect("a text");
    assert!(
        tree.ends_with("…\n") && tree.len() < 9 << 20,
        "{}",
        tree.len()
    );
}

#[test]
fn a_graph_of_very_many_blocks_is_not_drawn() {
    let mut server = TestServer::ready();
    let blocks: String = (0..2_100)
        .map(|it| format!("L{it}: @q bra L{it};\n"))
        .collect();
    server.open(URI, &in_body(&blocks));
    let graph = server.settled("ptx/flowGraph", &place(URI, 5, 0));
    assert!(count(&graph["blocks"]) > 2_100);
    let svg = graph["svg"].as_str().expect("a drawing");
    assert!(
        svg.contains("blocks: at most 2000 are drawn") && svg.len() < 2_000,
        "{svg}"
    );
}
