//! Documents: opening, changing and closing them, in every way that clients were seen to.

use ptx_tests::{
    client::{RpcError, TestServer, change, place},
    fixtures, mutate,
};
use serde_json::{Value, json};
use syntax::text::{Encoding, LineTable, apply_edit};

use crate::{KERNEL, URI, assert_text};

/// A server that counts columns in this encoding.
fn server_with(encoding: &str) -> TestServer {
    TestServer::with_capabilities(json!({ "general": { "positionEncodings": [encoding] } }))
}

#[test]
fn edits_change_the_text() {
    let mut server = TestServer::ready();
    server.open(URI, "ab\ncd\n");
    assert_text(&mut server, URI, "ab\ncd\n");
    server.edit(URI, (0, 1), (0, 1), "x");
    assert_text(&mut server, URI, "axb\ncd\n");
    server.edit(URI, (0, 2), (1, 1), "");
    assert_text(&mut server, URI, "axd\n");
    server.edit(URI, (1, 0), (1, 0), "ret;");
    assert_text(&mut server, URI, "axd\nret;");
    server.replace(URI, "");
    assert_text(&mut server, URI, "");
}

#[test]
fn changes_of_one_message_apply_one_after_the_other() {
    let mut server = TestServer::ready();
    server.open(URI, "abc");
    let changes = [
        change((0, 0), (0, 1), "1\n"),
        change((1, 0), (1, 1), "2\n"),
        change((2, 0), (2, 1), "3\n"),
    ];
    server.change(URI, json!(changes));
    assert_text(&mut server, URI, "1\n2\n3\n");
}

/// As a formatter changes a text, and nearly so.
#[test]
fn many_changes_of_one_message_apply_one_after_the_other() {
    const LINES: u32 = 40;
    let lines = |line: &str| {
        (0..LINES)
            .map(|it| format!("{line}{it}\r\n"))
            .collect::<String>()
    };
    let backwards = || (0..LINES).rev();
    let indent = |line: u32| change((line, 0), (line, 1), "\t");
    let mut server = TestServer::ready();
    server.open(URI, &lines("ab"));
    server.change(URI, backwards().map(indent).collect());
    assert_text(&mut server, URI, &lines("\tb"));
    // From the start to the end, each moves those after it.
    let open = |line: u32| change((2 * line, 0), (2 * line, 0), "\r\n");
    server.change(URI, (0..LINES).map(open).collect());
    assert_text(&mut server, URI, &lines("\r\n\tb"));
    // Backwards, but the last one is after all, or outside the text, or the whole text.
    for (last, text) in [
        (
            change((2 * LINES, 0), (2 * LINES, 0), "z"),
            lines("\r\nb") + "z",
        ),
        (change((999, 0), (999, 9), "z"), lines("\r\nb") + "z"),
        (json!({ "text": "z" }), "z".to_owned()),
    ] {
        server.replace(URI, &lines("\r\n\tb"));
        let unindent = |line: u32| change((2 * line + 1, 0), (2 * line + 1, 1), "");
        let mut changes: Vec<Value> = backwards().map(unindent).collect();
        changes.push(last);
        server.change(URI, json!(changes));
        assert_text(&mut server, URI, &text);
    }
}

#[test]
fn surrogate_pairs_count_twice_in_utf16() {
    let mut server = server_with("utf-16");
    server.open(URI, "// 𝄞𝄞é\nret;\n");
    server.edit(URI, (0, 5), (0, 7), "x");
    assert_text(&mut server, URI, "// 𝄞xé\nret;\n");
    server.edit(URI, (0, 7), (0, 7), "😀");
    assert_text(&mut server, URI, "// 𝄞xé😀\nret;\n");
    // Between the two halves of a pair there is no place: the one before it is meant.
    server.edit(URI, (0, 4), (0, 4), "y");
    assert_text(&mut server, URI, "// y𝄞xé😀\nret;\n");
}

#[test]
fn columns_are_counted_as_agreed() {
    for (encoding, column) in [("utf-8", 10), ("utf-16", 7), ("utf-32", 6)] {
        let mut server = server_with(encoding);
        server.open(URI, "// é→𝄞|;\n");
        // After the clef: 3 + 2 + 3 + 4 bytes, less the bar.
        let column = column + if encoding == "utf-8" { 2 } else { 0 };
        server.edit(URI, (0, column), (0, column + 1), "x");
        assert_text(&mut server, URI, "// é→𝄞x;\n");
    }
}

#[test]
fn half_a_surrogate_pair_is_a_replacement_character() {
    let mut server = TestServer::ready();
    server.open(URI, "// a\n");
    // Editors written in JavaScript split pairs; Rust strings cannot hold the halves.
    let body = json!({
        "jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
            "textDocument": { "uri": URI, "version": 2 },
            "contentChanges": [change((0, 3), (0, 4), "HALF")],
        },
    });
    server.send_body(&body.to_string().replace("HALF", "\\ud83d"));
    assert_text(&mut server, URI, "// \u{fffd}\n");
}

#[test]
fn all_three_line_ends_are_line_ends() {
    let mut server = TestServer::ready();
    server.open(URI, "a\r\nb\rc\nd");
    server.edit(URI, (1, 1), (1, 1), "1");
    server.edit(URI, (2, 1), (2, 1), "2");
    server.edit(URI, (3, 1), (3, 1), "3");
    assert_text(&mut server, URI, "a\r\nb1\rc2\nd3");
    // A column after the end of a line is its end, not the middle of its line break.
    server.edit(URI, (0, 2), (0, 2), "0");
    assert_text(&mut server, URI, "a0\r\nb1\rc2\nd3");
    // The halves of a line break come together.
    server.replace(URI, "a\rx\nb");
    server.edit(URI, (1, 0), (1, 1), "");
    server.edit(URI, (1, 0), (1, 0), "c");
    assert_text(&mut server, URI, "a\r\ncb");
}

#[test]
fn places_outside_the_text_are_moved_inside() {
    let mut server = TestServer::ready();
    server.open(URI, "ab\ncd");
    server.edit(URI, (0, 99), (0, 999), "1");
    assert_text(&mut server, URI, "ab1\ncd");
    server.edit(URI, (99, 0), (999, 99), "2");
    assert_text(&mut server, URI, "ab1\ncd2");
    server.edit(URI, (0, 0), (u32::MAX, u32::MAX), "3");
    assert_text(&mut server, URI, "3");
}

#[test]
fn inverted_ranges_are_put_in_order() {
    let mut server = TestServer::ready();
    server.open(URI, "ab\ncd");
    server.edit(URI, (1, 1), (0, 1), "-");
    assert_text(&mut server, URI, "a-d");
    server.edit(URI, (0, 3), (0, 0), "");
    assert_text(&mut server, URI, "");
}

#[test]
fn a_stale_edit_before_a_full_replacement_does_no_harm() {
    let mut server = TestServer::ready();
    server.open(URI, KERNEL);
    let changes = json!([
        change((500, 7), (600, 9), "}}}"),
        change((2, 0), (1, 0), "/*"),
        { "text": "ret;\n" },
        change((0, 4), (0, 4), " exit;"),
    ]);
    server.change(URI, changes);
    assert_text(&mut server, URI, "ret; exit;\n");
}

#[test]
fn a_full_text_is_as_good_as_an_edit() {
    let mut server = TestServer::ready();
    server.open(URI, KERNEL);
    for from in ["add.s32", "again", "\n", ".visible "] {
        let text = KERNEL.replace(from, "x");
        server.replace(URI, &text);
        assert_text(&mut server, URI, &text);
    }
    server.replace(URI, KERNEL);
    assert!(server.hover(URI, 8, 14).contains("%r<4>"));
}

#[test]
fn documents_that_are_not_open_are_left_alone() {
    let mut server = TestServer::ready();
    server.edit(URI, (0, 0), (0, 0), "x");
    server.close(URI);
    server.replace(URI, "y");
    assert_eq!(
        server.request("textDocument/hover", place(URI, 0, 0)),
        Ok(Value::Null)
    );
    server.open(URI, KERNEL);
    assert_text(&mut server, URI, KERNEL);
    server.close(URI);
    server.edit(URI, (0, 0), (0, 0), "x");
    server.open(URI, "ret;");
    assert_text(&mut server, URI, "ret;");
}

#[test]
fn opening_twice_takes_the_second_text() {
    let mut server = TestServer::ready();
    server.open(URI, KERNEL);
    server.open(URI, "ret;");
    assert_text(&mut server, URI, "ret;");
    server.edit(URI, (0, 0), (0, 3), "exit");
    assert_text(&mut server, URI, "exit;");
}

#[test]
fn unusual_uris_are_documents_too() {
    let mut server = TestServer::ready();
    for uri in [
        "untitled:Untitled-1",
        "file:///c%3A/a%20b/%C3%A9.ptx",
        "git:/a.ptx?%7B%22ref%22%7D",
    ] {
        server.open(uri, KERNEL);
        assert!(server.hover(uri, 8, 14).contains("%r<4>"), "{uri}");
    }
    // What is not a URI is refused, and nothing else happens.
    let answer = server.request("textDocument/hover", place("a.ptx", 0, 0));
    assert_eq!(answer.map_err(|it| it.code), Err(RpcError::INVALID_PARAMS));
}

#[test]
fn a_long_session_of_random_edits() {
    for (name, encoding) in [
        ("utf-8", Encoding::Utf8),
        ("utf-16", Encoding::Utf16),
        ("utf-32", Encoding::Utf32),
    ] {
        let mut rng = fastrand::Rng::with_seed(4);
        let mut server = server_with(name);
        for fixture in fixtures::ptx().iter().take(4) {
            let mut text = fixture.text.clone();
            let mut table = LineTable::new(&text);
            server.open(&uri(&fixture.name), &text);
            for step in 1..=60 {
                let edit = mutate::edit(&mut rng, &text, &table);
                let [start, end] = [edit.range.start(), edit.range.end()].map(|offset| {
                    let position = table.position(offset, encoding);
                    assert_eq!(
                        table.offset(position, encoding),
                        offset.min(table.line_end(position.line))
                    );
                    (position.line, position.character)
                });
                // What the client sends is a position; some offsets have none.
                let sent = syntax::text::Edit {
                    range: table.range(
                        table.position(edit.range.start(), encoding),
                        table.position(edit.range.end(), encoding),
                        encoding,
                    ),
                    insert: edit.insert,
                };
                server.edit(&uri(&fixture.name), start, end, &sent.insert);
                apply_edit(&mut text, &sent).expect("an edit of this text");
                table.apply(&sent, &text);
                if step % 20 == 0 {
                    assert_text(&mut server, &uri(&fixture.name), &text);
                }
            }
        }
    }
}

fn uri(name: &str) -> String {
    format!("file:///ptx-analyzer-tests/{name}")
}
