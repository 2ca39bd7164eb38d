//! The Model Context Protocol, over the standard streams of the program.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use expect_test::{Expect, expect};
use ptx_tests::binary;
use serde_json::{Value, json};

const MODULE: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 values)
{
    .reg .b32 %r<4>;
    mov.u32 %r4, %tid.x;
    add.
}
";

/// A client.
struct Client {
    program: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u32,
}

impl Client {
    fn start(arguments: &[&str]) -> Client {
        let mut program = Command::new(binary::build("dev"))
            .arg("mcp")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let input = program.stdin.take();
        let output = BufReader::new(program.stdout.take().expect("a pipe"));
        let mut client = Client {
            program,
            input,
            output,
            last: 0,
        };
        let client_info = json!({ "name": "test", "version": "1" });
        let answer = client.ask(
            "initialize",
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client_info }),
        );
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], "2025-06-18");
        assert_eq!(result["serverInfo"]["name"], "ptx-analyzer");
        assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(result["capabilities"], json!({ "tools": {} }));
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("an open pipe");
        writeln!(input, "{message}").expect("the program reads");
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.output
            .read_line(&mut line)
            .expect("the program writes");
        serde_json::from_str(&line).expect("one message of JSON in each line")
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        self.send(
            &json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }),
        );
        let answer = self.next();
        assert_eq!(answer["id"], self.last, "{answer}");
        answer
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.ask("tools/call", params);
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// The object that a tool answers with.
    fn data(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        let value = result["structuredContent"].clone();
        // For clients that read texts only.
        let text = result["content"][0]["text"].as_str().expect("a text");
        assert_eq!(serde_json::from_str::<Value>(text).expect("JSON"), value);
        value
    }

    /// The text that a tool answers with.
    fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result["content"][0]["text"]
            .as_str()
            .expect("a text")
            .to_owned()
    }

    /// The answer of a tool to a question that is wrong.
    fn refusal(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        result["content"][0]["text"]
            .as_str()
            .expect("a text")
            .to_owned()
    }

    fn exit_status(mut self) -> Option<i32> {
        self.input = None;
        self.program.wait().expect("the program ends").code()
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the convention of expect-test"
)]
fn check(found: &str, expect: Expect) {
    expect.assert_eq(found);
}

#[test]
fn tools_are_listed_with_their_arguments() {
    let mut client = Client::start(&[]);
    let answer = client.ask("tools/list", json!({}));
    let mut listed = String::new();
    for tool in answer["result"]["tools"].as_array().expect("tools") {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["additionalProperties"], false);
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        assert!(tool["description"].as_str().is_some_and(|it| it.len() > 60));
        let properties = schema["properties"].as_object().expect("arguments");
        for (name, it) in properties {
            assert!(it["description"].as_str().is_some(), "{name} of {tool}");
        }
        let names: Vec<_> = properties.keys().map(String::as_str).collect();
        let required = &schema["required"];
        listed += &format!("{}({}) {required}\n", tool["name"], names.join(", "));
    }
    check(
        &listed,
        expect![[r#"
        "check"(hints, limit, name, path, portable_to, target, text) null
        "explain"(question, target) ["question"]
        "complete"(column, limit, line, path, text) ["line"]
        "registers"(path, shared, targets, text, threads) null
        "format"(indent, path, text) null
        "diff"(new, new_path, old, old_path) null
        "protocols"(function, path, text) null
    "#]],
    );
    assert_eq!(client.exit_status(), Some(0));
}

#[test]
fn tools_answer() {
    let mut client = Client::start(&[]);
    let found = client.data("check", json!({ "text": MODULE }));
    check(
        &pretty(&found),
        expect![[r#"
        {
          "errors": 2,
          "omitted": 0,
          "problems": [
            {
              "code": "undefined-name",
              "column": 13,
              "end_column": 16,
              "end_line": 7,
              "file": "text.ptx",
              "fixes": [
                {
                  "edits": [
                    {
                      "column": 18,
                      "end_column": 19,
                      "end_line": 6,
                      "insert": "5",
                      "line": 6
                    }
                  ],
                  "title": "Declare `%r<5>`"
                }
              ],
              "help": "`%r<4>` declares `%r0` to `%r3`",
              "line": 7,
              "message": "`%r4` is not declared",
              "severity": "error"
            },
            {
              "code": "invalid-character",
              "column": 8,
              "end_column": 9,
              "end_line": 8,
              "file": "text.ptx",
              "line": 8,
              "message": "expected a modifier after `.`",
              "severity": "error"
            }
          ],
          "warnings": 0
        }
    "#]],
    );
    let fewer = client.data("check", json!({ "text": MODULE, "limit": 1 }));
    assert_eq!(
        (&fewer["errors"], &fewer["omitted"]),
        (&found["errors"], &json!(1))
    );

    let cuda = "__global__ void f() { asm(\"foo.u32 %r1;\"); }\n";
    let found = client.data("check", json!({ "text": cuda, "name": "a.cu" }));
    let code = &found["problems"][0]["code"];
    assert_eq!(code, "unknown-instruction", "{found}");

    let found = client.data("complete", json!({ "text": MODULE, "line": 8, "limit": 3 }));
    check(
        &pretty(&found),
        expect![[r#"
        {
          "complete": false,
          "items": [
            {
              "detail": "Signed integer of 32 bits: -2,147,483,648 to 2,147,483,647.",
              "kind": "type",
              "label": ".s32"
            },
            {
              "detail": "Unsigned integer of 64 bits: 0 to 18,446,744,073,709,551,615.",
              "kind": "type",
              "label": ".u64"
            },
            {
              "detail": "Signed integer of 64 bits: -9,223,372,036,854,775,808 to 9,223,372,036,854,775,807.",
              "kind": "type",
              "label": ".s64"
            }
          ],
          "replace": {
            "column": 8,
            "end_column": 9,
            "end_line": 8,
            "line": 8
          }
        }
    "#]],
    );

    let found = client.text("explain", json!({ "question": "%laneid" }));
    assert!(
        found.starts_with("# %laneid (special register)\n"),
        "{found}"
    );

    let right = MODULE.replace("%r4", "%r1").replace("    add.\n", "");
    let found = client.data("registers", json!({ "text": right, "targets": ["sm_90"] }));
    check(
        &pretty(&found),
        expect![[r#"
        {
          "entries": [
            {
              "cap": null,
              "entry": "scale",
              "estimate": 4,
              "exact": null,
              "file": "text.ptx",
              "high": 8,
              "low": 4,
              "max_live": 0,
              "occupancy": {
                "limiter": null,
                "of": 64,
                "warps": 64
              },
              "peak_line": null,
              "target": "sm_90"
            }
          ],
          "omitted": 0
        }
    "#]],
    );

    let found = client.text(
        "format",
        json!({ "text": right.replace("    ", ""), "indent": 2 }),
    );
    assert!(found.contains("\n  mov.u32 "), "{found}");

    let new = right.replace("%tid.x", "%tid.y");
    let found = client.data("diff", json!({ "old": right, "new": new }));
    check(
        &pretty(&found),
        expect![[r#"
            {
              "functions": [
                {
                  "added": [
                    [
                      7,
                      7
                    ]
                  ],
                  "after": {
                    "exact": null,
                    "registers": 4
                  },
                  "before": {
                    "exact": null,
                    "registers": 4
                  },
                  "change": "changed",
                  "declarations": false,
                  "file": "new",
                  "function": "scale",
                  "instructions_added": 1,
                  "instructions_moved": 0,
                  "instructions_removed": 1,
                  "line": 4,
                  "moved": [],
                  "old_file": "old",
                  "old_line": 4,
                  "removed": [
                    [
                      7,
                      7
                    ]
                  ],
                  "rewired": []
                }
              ],
              "omitted": 0,
              "report": "old -> new: functions: 1 changed, 0 same\nchanged .entry scale: +1 -1, registers ~4 -> ~4\n  -      7         mov.u32 %r1, %tid.x;\n  +             7  mov.u32 %r1, %tid.y;\n",
              "same": false
            }
        "#]],
    );
    let found = client.data("diff", json!({ "old": right, "new": right }));
    assert_eq!(found["same"], true);

    let text = right.replace(
        "mov.u32",
        "cp.async.commit_group;\n    cp.async.wait_group 0;\n    mov.u32",
    );
    let found = client.data("protocols", json!({ "text": text }));
    check(
        &pretty(&found),
        expect![[r#"
        {
          "omitted": 0,
          "protocols": [
            {
              "function": "scale",
              "parts": [
                {
                  "line": 7,
                  "partners": [],
                  "role": "commits"
                },
                {
                  "line": 8,
                  "partners": [],
                  "role": "waits until no group is pending"
                }
              ],
              "protocol": "asynchronous copies of the thread"
            }
          ]
        }
    "#]],
    );
    assert_eq!(client.exit_status(), Some(0));
}

#[test]
fn wrong_questions_are_told_what_is_wrong() {
    let mut client = Client::start(&[]);
    let mut said = String::new();
    let mut refuse = |tool: &str, arguments: Value| {
        said += &client.refusal(tool, arguments);
        said.push('\n');
    };
    refuse("check", json!({}));
    refuse("check", json!({ "text": "", "path": "a.ptx" }));
    refuse("check", json!({ "path": "a.ptx" }));
    refuse("check", json!({ "text": 1 }));
    refuse("check", json!({ "text": "", "file": "a.ptx" }));
    refuse("check", json!({ "text": "", "target": "sm_1" }));
    refuse("explain", json!({ "question": "qqqzzzqqq" }));
    refuse("complete", json!({ "text": MODULE, "line": 99 }));
    refuse(
        "complete",
        json!({ "text": MODULE, "line": 1, "column": 0 }),
    );
    refuse("registers", json!({ "text": MODULE, "threads": 0 }));
    refuse("format", json!({ "text": MODULE, "indent": 99 }));
    refuse("format", json!({ "text": " ".repeat((4 << 20) + 1) }));
    check(
        &said,
        expect![[r#"
        give a text or the path of a file
        give a text or a path, not both
        this server reads no files: give the text, or start it with --root FOLDER
        wrong arguments: invalid type: integer `1`, expected a string
        wrong arguments: unknown field `file`, expected one of `text`, `path`, `name`, `target`, `portable_to`, `hints`, `limit`
        there is no target `sm_1`
        no documentation for `qqqzzzqqq`; `ptx-analyzer explain --list` prints all names
        the text has no line 99
        columns count from 1
        a block has 1 to 1024 threads
        a level of indentation has at most 16 columns
        text.ptx: a text has at most 4 MiB
    "#]],
    );

    // What no tool can answer is an error of the protocol.
    let answer = client.ask("tools/call", json!({ "name": "rm", "arguments": {} }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let answer = client.ask("no/such/method", json!({}));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    let answer = client.ask("tools/call", json!({ "name": "check", "arguments": [] }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    // Lines that are not messages are also answered.
    let surrogate = r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"\ud800"}}"#;
    for line in ["no JSON", surrogate] {
        let input = client.input.as_mut().expect("an open pipe");
        writeln!(input, "{line}").expect("the program reads");
        let answer = client.next();
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&Value::Null, &(-32700).into())
        );
    }
    let long = client.refusal(
        "check",
        json!({ "text": "", "target": "sm_".repeat(300_000) }),
    );
    assert!(
        long.starts_with("there is no target `sm_sm_") && long.len() < 100,
        "{}",
        long.len()
    );
    let empty = client.data("check", json!({ "text": "" }));
    assert_eq!(empty["errors"], 1, "ptxas wants `.version`: {empty}");
    assert_eq!(client.exit_status(), Some(0));
}

#[test]
fn answers_have_a_limit() {
    let mut client = Client::start(&[]);
    let wrong = "    mov.q32 %r1, %tid.x;\n".repeat(3_000);
    let many = MODULE.replace("    add.\n", &wrong);
    let found = client.data("check", json!({ "text": many, "limit": 1_000_000 }));
    assert_eq!(found["errors"], 3_001);
    assert!(found.to_string().len() < 140 << 10);
    let told = found["problems"].as_array().expect("problems").len();
    assert!(told > 100, "{told}");
    assert_eq!(found["omitted"], 3_001 - told);
}

#[test]
fn only_files_below_the_root_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root");
    fs::create_dir_all(root.join("below")).expect("a folder");
    fs::write(root.join("below/a.ptx"), MODULE).expect("a file");
    fs::write(folder.path().join("secret.ptx"), MODULE).expect("a file");
    let mut client = Client::start(&["--root", root.to_str().expect("UTF-8")]);
    let found = client.data("check", json!({ "path": "below/a.ptx" }));
    assert_eq!(found["errors"], 2, "{found}");
    assert_eq!(found["problems"][0]["file"], "below/a.ptx");
    let same = root.join("below/a.ptx");
    let found = client.data("check", json!({ "path": same.to_str().expect("UTF-8") }));
    assert_eq!(found["errors"], 2, "{found}");
    fs::write(root.join("data.ptx"), [0; 100]).expect("a file");
    let said = client.refusal("format", json!({ "path": "data.ptx" }));
    assert_eq!(said, "data.ptx: this is not PTX text: binary");
    let absolute = folder.path().join("secret.ptx");
    let mut outside = vec![
        "../secret.ptx".to_owned(),
        "below/../../secret.ptx".to_owned(),
        absolute.to_str().expect("UTF-8").to_owned(),
        "no such file.ptx".to_owned(),
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&absolute, root.join("link.ptx")).expect("a link");
        outside.push("link.ptx".to_owned());
    }
    for path in outside {
        for tool in ["check", "registers", "format", "protocols"] {
            let said = client.refusal(tool, json!({ "path": path }));
            assert_eq!(
                said,
                format!("{path}: there is no such file below the root")
            );
        }
        let said = client.refusal("diff", json!({ "old": "", "new_path": path }));
        assert!(said.contains("below the root"), "{said}");
    }
    let said = client.refusal("check", json!({ "path": "below" }));
    assert!(said.starts_with("below: "), "{said}");
    assert_eq!(client.exit_status(), Some(0));

    let no_folder = root.join("below/a.ptx");
    let output = Command::new(binary::build("dev"))
        .args(["mcp", "--root", no_folder.to_str().expect("UTF-8")])
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).ends_with(": this is not a folder\n"));
}

/// Opening a pipe waits for a writer.
#[cfg(unix)]
#[test]
fn pipes_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("a.ptx");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    let root = folder.path().to_str().expect("UTF-8");
    let mut client = Client::start(&["--root", root]);
    for _ in 0..2 {
        assert_eq!(
            client.refusal("check", json!({ "path": "a.ptx" })),
            "a.ptx: this is not a regular file"
        );
    }
    assert_eq!(client.exit_status(), Some(0));
}
