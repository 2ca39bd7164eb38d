//! The Debug Adapter Protocol, over the standard streams of the program.

use std::{
    io::{Read, Write},
    process::{Command, Stdio},
};

use expect_test::{Expect, expect};
use ptx_tests::binary;
use serde_json::{Value, json};

/// Sends bytes and closes the stream: the exit status, and what the program answers.
#[track_caller]
fn check(input: &[u8], expect: Expect) {
    let mut program = Command::new(binary::build("dev"))
        .arg("dap")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = program.stdin.take().expect("a pipe");
    // A program that has ended reads no more.
    let _ = stdin.write_all(input);
    drop(stdin);
    let (mut out, mut errors) = (String::new(), String::new());
    let stdout = program.stdout.as_mut().expect("a pipe");
    stdout.read_to_string(&mut out).expect("text");
    let stderr = program.stderr.as_mut().expect("a pipe");
    stderr.read_to_string(&mut errors).expect("text");
    let status = program.wait().expect("an end").code();
    let mut shown = format!("{status:?} {errors}\n");
    for part in out.split("Content-Length: ").skip(1) {
        let body = part.split_once("\r\n\r\n").expect("a header").1;
        let message: Value = serde_json::from_str(body).expect("JSON");
        let name = message["command"].as_str().or(message["event"].as_str());
        shown += &format!(
            "{} {} {}\n",
            message["type"].as_str().expect("a type"),
            name.expect("a name"),
            message["message"].as_str().unwrap_or("")
        );
    }
    expect.assert_eq(&shown);
}

fn framed(requests: &[(&str, Value)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (seq, (command, arguments)) in (1..).zip(requests) {
        let request =
            json!({ "seq": seq, "type": "request", "command": command, "arguments": arguments });
        let text = request.to_string();
        bytes.extend(format!("Content-Length: {}\r\n\r\n{text}", text.len()).bytes());
    }
    bytes
}

#[test]
fn a_session_ends_in_order() {
    let nothing = json!({});
    check(
        &framed(&[
            ("initialize", nothing.clone()),
            ("disconnect", nothing.clone()),
        ]),
        expect![[""]],
    );
    // A client that is gone.
    check(&framed(&[("initialize", nothing)]), expect![[""]]);
    check(b"", expect![[""]]);
}

#[test]
fn what_is_not_the_protocol_ends_the_program() {
    check(b"hello\r\n\r\n", expect![[""]]);
    check(b"Content-Length: x\r\n\r\n{}", expect![[""]]);
    check(b"Content-Length: 100\r\n\r\n{}", expect![[""]]);
    check(b"Content-Length: 1\r\n\r\n{", expect![[""]]);
    check(b"Content-Length: 99999999999\r\n\r\n", expect![[""]]);
    check(&[b'a'; 100_000], expect![[""]]);
}
