//! Streams of bytes that were once messages: whatever comes, the server neither fails nor hangs.

use ptx_tests::{
    client::{RpcError, TestServer, change, place},
    fuzz::fuzz,
    mutate,
    properties::streams,
};
use serde_json::{Value, json};

use crate::{KERNEL, URI};

/// Messages of a session, some of them out of order.
fn messages(rng: &mut fastrand::Rng) -> Vec<String> {
    let document = json!({ "uri": URI, "languageId": "ptx", "version": 1, "text": KERNEL });
    let start = [
        (
            "initialize",
            json!({ "capabilities": {}, "processId": null }),
            true,
        ),
        ("initialized", json!({}), false),
        (
            "textDocument/didOpen",
            json!({ "textDocument": document }),
            false,
        ),
    ];
    let some = [
        ("textDocument/hover", place(URI, 8, 14), true),
        ("textDocument/documentSymbol", place(URI, 0, 0), true),
        ("textDocument/diagnostic", place(URI, 0, 0), true),
        (
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": URI, "version": 2 },
                "contentChanges": [change((3, 0), (4, 0), &mutate::soup(rng, 3))],
            }),
            false,
        ),
        (
            "workspace/didChangeConfiguration",
            json!({ "settings": { "target": "sm_80", "diagnostics": { "debounce": 0 } } }),
            false,
        ),
        ("$/cancelRequest", json!({ "id": 3 }), false),
        ("$/setTrace", json!({ "value": "off" }), false),
        ("textDocument/didClose", place(URI, 0, 0), false),
        ("shutdown", Value::Null, true),
        ("exit", Value::Null, false),
    ];
    let mut chosen: Vec<_> = start.to_vec();
    for _ in 0..rng.usize(..12) {
        // The end comes rarely before the end.
        let last = if rng.u8(..8) == 0 { 0 } else { 2 };
        chosen.push(some[rng.usize(..some.len() - last)].clone());
    }
    if rng.u8(..4) == 0 {
        rng.shuffle(&mut chosen);
    }
    let body = |(index, (method, params, asks)): (usize, (&str, Value, bool))| {
        let mut body = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        if asks {
            body["id"] = json!(index);
        }
        body.to_string()
    };
    chosen.into_iter().enumerate().map(body).collect()
}

/// The bytes of messages whose headers are right, or nearly.
fn bytes(rng: &mut fastrand::Rng, messages: &[String]) -> Vec<u8> {
    let mut out = Vec::new();
    for body in messages {
        let length = match rng.u8(..30) {
            0 => rng.usize(..body.len()),
            1 => body.len() + rng.usize(..200),
            2 => *rng
                .choice(&[0, 1 << 29, 1 << 30, usize::MAX])
                .expect("a length"),
            _ => body.len(),
        };
        let header = match rng.u8(..30) {
            0 => format!("content-length:{length}\n\n"),
            1 => format!(
                "X: {}\r\nContent-Length: {length}\r\n\r\n",
                "x".repeat(40_000)
            ),
            2 => format!("Content-Length: -{length}\r\n\r\n"),
            3 => format!("Content-Length: {length}\r\nContent-Length: 7\r\n\r\n"),
            4 => format!("Content-Length: {length}\r\n"),
            5 => String::new(),
            6 => format!("Content-Type: a\r\nContent-Length: {length}\r\n\r\n"),
            _ => format!("Content-Length: {length}\r\n\r\n"),
        };
        out.extend_from_slice(header.as_bytes());
        out.extend_from_slice(body.as_bytes());
    }
    if rng.bool() {
        for _ in 0..rng.usize(1..6) {
            let at = rng.usize(..out.len());
            match rng.u8(..5) {
                0 => out[at] = rng.u8(..),
                1 => drop(out.drain(at..(at + rng.usize(..60)).min(out.len()))),
                2 => {
                    let piece = out[at..(at + rng.usize(..300)).min(out.len())].to_vec();
                    out.splice(at..at, piece);
                }
                3 => drop(out.splice(at..at, (0..rng.usize(..40)).map(|_| rng.u8(..)))),
                // Half a message, and then the end.
                _ => out.truncate(at.max(1)),
            }
        }
    }
    out
}

#[test]
fn broken_streams() {
    fuzz("broken streams", 60, |rng| {
        let messages = messages(rng);
        let bytes = bytes(rng, &messages);
        let mut rest = &bytes[..];
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rng.usize(1..=rest.len()));
            pieces.push(now);
            rest = later;
        }
        streams::check(pieces);
    });
}

/// A server on which nothing was lost answers each request once, whatever its parameters are.
#[test]
fn parameters_of_wrong_types() {
    fuzz("wrong parameters", 60, |rng| {
        let mut server = TestServer::ready();
        server.expect_problems_in_log();
        server.open(URI, KERNEL);
        let mut asked = Vec::new();
        for body in messages(rng).iter().skip(3) {
            let message: Value = serde_json::from_str(body).expect("JSON");
            let method = message["method"].as_str().expect("a method").to_owned();
            if ["initialize", "shutdown", "exit"].contains(&method.as_str()) {
                continue;
            }
            let mut params = message["params"].clone();
            for _ in 0..rng.usize(1..3) {
                spoil(rng, &mut params);
            }
            match message.get("id") {
                Some(_) => asked.push(server.send_request(&method, params)),
                None => server.notify(&method, params),
            }
        }
        for id in asked {
            if let Err(error) = server.response(id) {
                assert_ne!(error.code, RpcError::INTERNAL_ERROR, "{error:?}");
            }
        }
        server.replace(URI, KERNEL);
        server.reopen(URI, KERNEL);
        crate::assert_text(&mut server, URI, KERNEL);
    });
}

/// Replaces one value somewhere inside by another one.
fn spoil(rng: &mut fastrand::Rng, value: &mut Value) {
    let inner: Vec<&mut Value> = match value {
        Value::Array(entries) => entries.iter_mut().collect(),
        Value::Object(entries) => entries.iter_mut().map(|it| it.1).collect(),
        _ => Vec::new(),
    };
    match rng.choice(inner) {
        Some(inner) if rng.u8(..4) != 0 => spoil(rng, inner),
        _ => *value = strange(rng, 3),
    }
}

/// Any JSON at all.
pub(crate) fn strange(rng: &mut fastrand::Rng, depth: u32) -> Value {
    match rng.u8(..if depth == 0 { 8 } else { 10 }) {
        0 => Value::Null,
        1 => json!(rng.bool()),
        2 => json!(rng.i64(..)),
        3 => json!(rng.u64(..)),
        4 => json!(-1.5e300),
        5 => json!(""),
        6 => json!(mutate::soup(rng, 3)),
        7 => json!("x".repeat(rng.usize(..2_000))),
        8 => (0..rng.usize(..4))
            .map(|_| strange(rng, depth - 1))
            .collect(),
        _ => {
            let entry = |rng: &mut fastrand::Rng| {
                let names = ["uri", "version", "range", "text", "line", "", "é"];
                let name = (*rng.choice(&names).expect("a name")).to_owned();
                (name, strange(rng, depth - 1))
            };
            (0..rng.usize(..4)).map(|_| entry(rng)).collect()
        }
    }
}

/// Settings of every kind of value, alone and together.
#[test]
fn any_settings() {
    let values = |rng: &mut fastrand::Rng| match rng.u8(..6) {
        0 => json!(["sm_90", "sm_90a", "sm_0", "", "é"][..rng.usize(..=5)]),
        1 => json!(["**/*.ptx", "[", "{a,{b", "", "\\", "**/**/**", "é*"][rng.usize(..7)..]),
        2 => json!({ "unused-register": "error", "nonsense": "off", "syntax-error": 1 }),
        3 => json!(["off", "warn", "sm_90a", "SM_90", "sm_", "compute_90"][rng.usize(..6)]),
        4 => json!(rng.u64(..20_000)),
        _ => strange(rng, 3),
    };
    fuzz("settings", 40, |rng| {
        let mut server = TestServer::ready();
        server.expect_problems_in_log();
        server.open(URI, KERNEL);
        for _ in 0..20 {
            let mut settings = serde_json::Map::new();
            for setting in server::config::SETTINGS {
                if rng.u8(..3) != 0 {
                    continue;
                }
                let value = values(rng);
                match setting.name.split_once('.') {
                    // Nested, or with a dot.
                    Some((group, name)) if rng.bool() => {
                        settings.insert(group.to_owned(), json!({ name: value }));
                    }
                    _ => drop(settings.insert(setting.name.to_owned(), value)),
                }
            }
            let settings = match rng.u8(..8) {
                0 => strange(rng, 4),
                1 => json!({ "ptx-analyzer": settings }),
                _ => Value::Object(settings),
            };
            server.notify(
                "workspace/didChangeConfiguration",
                json!({ "settings": settings }),
            );
            let id = server.send_request("textDocument/diagnostic", place(URI, 0, 0));
            if let Err(error) = server.response(id) {
                assert_eq!(
                    error.code,
                    RpcError::SERVER_CANCELLED,
                    "{settings}: {error:?}"
                );
            }
        }
        crate::assert_text(&mut server, URI, KERNEL);
        server.forget_notifications();
    });
}
