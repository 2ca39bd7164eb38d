//! Statements on values, from asm strings and from selections.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use run::statements::Statements;
use serde_json::{Value, json};

use super::{Arc, Bare, Client, Host};
use crate::host::RunStatements;

/// A host without files that runs statements.
#[derive(Debug)]
struct Runner;

impl Host for Runner {
    fn run_statements(&self) -> Option<RunStatements> {
        Some(Statements::run)
    }
}

/// A client with a document in which two `¦` mark a range, or one a place; and what it asks about.
fn session(
    host: Arc<dyn Host>,
    language: &str,
    marked: &str,
    commands: &[&str],
) -> (Client, Value) {
    let capabilities = json!({
        "experimental": { "commands": { "commands": commands } },
        "textDocument": { "codeAction": { "codeActionLiteralSupport": {} } },
    });
    let mut client = Client::on(host, capabilities, Value::Null);
    let uri = "untitled:a";
    let text = marked.replace('¦', "");
    let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let place = |before: &str| {
        let line = before.matches('\n').count();
        let start = before.rfind('\n').map_or(0, |it| it + 1);
        json!({ "line": line, "character": before[start..].encode_utf16().count() })
    };
    let start = marked.find('¦').expect("a place is marked");
    let end = marked.rfind('¦').expect("a place is marked");
    let range = json!({
        "start": place(&marked[..start]),
        "end": place(&marked[..end].replace('¦', "")),
    });
    let params = json!({ "textDocument": { "uri": uri }, "range": range });
    (client, params)
}

fn answer(client: &mut Client, method: &str, params: Value) -> Value {
    client.ask(7, method, params);
    let said = client.run();
    let answer = said.iter().find(|it| it["id"] == 7).expect("an answer");
    answer["result"].clone()
}

/// Tries the statements at the marks: without values their operands are shown.
#[track_caller]
fn check(language: &str, marked: &str, values: &[&str], expect: Expect) {
    let (mut client, mut params) = session(Arc::new(Runner), language, marked, &[]);
    params["values"] = json!(values);
    let found = answer(&mut client, "ptx/tryStatements", params.clone());
    let mut text = String::new();
    let inputs = found["inputs"].as_array().cloned().unwrap_or_default();
    let word = |it: &Value| it.as_str().map(str::to_owned);
    let is_right = inputs.iter().all(|it| it["problem"].is_null());
    if found["problem"].is_null() && is_right && (inputs.is_empty() || !values.is_empty()) {
        params["run"] = json!(true);
        let ran = answer(&mut client, "ptx/tryStatements", params);
        text += &word(&ran["shown"])
            .or(word(&ran["problem"]))
            .unwrap_or("null".to_owned());
    } else {
        for it in &inputs {
            let name = format!(
                "{} .{}",
                word(&it["name"]).unwrap(),
                word(&it["type"]).unwrap()
            );
            let sample = word(&it["sample"]).unwrap();
            let expression = word(&it["expression"]).unwrap_or_default();
            let problem = word(&it["problem"]).unwrap_or_default();
            let line = format!("{name} `{expression}` such as {sample}: {problem}");
            let _ = writeln!(text, "{}", line.trim_end_matches([' ', ':']));
        }
        text += &word(&found["problem"]).unwrap_or_default();
    }
    expect.assert_eq(&text);
}

const CUDA: &str = r#"
__device__ unsigned f(unsigned x, float y) {
    unsigned d;
    asm("{ .reg .u32 a; add.u32 a, %1, %2;¦ mul.lo.u32 %0, a, 3; }" : "=r"(d) : "r"(x + 1), "r"(5u));
    return d;
}
"#;

#[test]
fn operands_have_the_types_of_their_constraints() {
    check(
        "cuda-cpp",
        CUDA,
        &[],
        expect![[r#"
            %1 .u32 `x + 1` such as 1
            %2 .u32 `5u` such as 5
        "#]],
    );
    check(
        "cuda-cpp",
        CUDA,
        &["2", "5"],
        expect![[r#"
        // for sm_90a
        { .reg .u32 a; add.u32 a, %1, %2; mul.lo.u32 %0, a, 3; }

        %1 (.u32, x + 1) = 2
        %2 (.u32, 5u) = 5

          1  add.u32 a, %1, %2;
             a = 7
          2  mul.lo.u32 %0, a, 3;
             %0 = 21

        %0 (.u32) = 21
            hex       0x00000015
            s32       21
            f32       3e-44
            f16x2     {1.2516975e-6, 0}
            bits      00000000 00000000 00000000 00010101
    "#]],
    );
    check(
        "cuda-cpp",
        CUDA,
        &["lane"],
        expect!["expected 1 value, for `%2` (.u32); found 0"],
    );
    check(
        "cuda-cpp",
        CUDA,
        &["1", "2", "3"],
        expect!["expected 2 values, found 3"],
    );
    check(
        "cuda-cpp",
        CUDA,
        &["1.5", "0x1ffffffff"],
        expect![[r#"
            %1 .u32 `x + 1` such as 1: `1.5` for `%1`: a `.u32` is an integer
            %2 .u32 `5u` such as 5: `0x1ffffffff` for `%2`: 8589934591 does not fit into `.u32`
        "#]],
    );
    // The bits in a register of `f` are read as a number.
    check(
        "cpp",
        r#"void f(float x) { asm("fma.rn.f32 %0, %0,¦ %1, 0f3F800000;" : "+f"(x) : "f"(2.0f)); }"#,
        &["1.5", "2"],
        expect![[r#"
            // for sm_90a
            fma.rn.f32 %0, %0, %1, 0f3F800000;

            %0 (.f32, x) = 1.5
            %1 (.f32, 2.0f) = 2

            %0 (.f32) = 4
                hex       0x40800000
                u32       1082130432
                s32       1082130432
                f16x2     {0, 2.25}
                bits      01000000 10000000 00000000 00000000
        "#]],
    );
}

#[test]
fn operands_of_one_register_have_one_value() {
    check(
        "cuda-cpp",
        r#"__device__ void f(int x) { int y; asm("mov.u32 %0, 7;¦ add.u32 %0, %1, %0;" : "=r"(y) : "0"(x)); }"#,
        &[],
        expect![[r#"
            // for sm_90a
            mov.u32 %0, 7; add.u32 %0, %0, %0;

              1  mov.u32 %0, 7;
                 %0 = 7
              2  add.u32 %0, %0, %0;
                 %0 = 14

            %0 (.u32) = 14
                hex       0x0000000e
                s32       14
                f32       2e-44
                f16x2     {8.34465e-7, 0}
                bits      00000000 00000000 00000000 00001110
        "#]],
    );
    check(
        "cuda-cpp",
        r#"__device__ void f(int x) { int y; asm("add.u32 %0, %1,¦ 1;" : "=r"(y) : "0"(x)); }"#,
        &["4"],
        expect![[r#"
            // for sm_90a
            add.u32 %0, %0, 1;

            %0 (.u32, x) = 4

            %0 (.u32) = 5
                hex       0x00000005
                s32       5
                f32       7e-45
                f16x2     {2.9802322e-7, 0}
                bits      00000000 00000000 00000000 00000101
        "#]],
    );
}

#[test]
fn other_languages() {
    check(
        "rust",
        "fn f(x: u32) { let y: u32; unsafe { asm!(\"add.u32 {y}, {x},¦ {1};\", y = out(reg32) y, in(reg32) 4, x = in(reg32) x) } }",
        &[],
        expect![[r#"
            {1} .u32 `4` such as 4
            {x} .u32 `x` such as 1
        "#]],
    );
    check(
        "rust",
        "fn f(x: u32) { let y: u32; unsafe { asm!(\"add.u32 {y}, {x},¦ {1};\", y = out(reg32) y, in(reg32) 4, x = in(reg32) x) } }",
        &["4", "3"],
        expect![[r#"
            // for sm_90a
            add.u32 {y}, {x}, {1};

            {1} (.u32, 4) = 4
            {x} (.u32, x) = 3

            {y} (.u32) = 7
                hex       0x00000007
                s32       7
                f32       1e-44
                f16x2     {4.172325e-7, 0}
                bits      00000000 00000000 00000000 00000111
        "#]],
    );
    check(
        "python",
        "tl.inline_asm_elementwise(\"shl.b32 $0,¦ $1, 3;\", \"=r,r\", [x], dtype=tl.int32, is_pure=True, pack=1)",
        &["5"],
        expect![[r#"
            // for sm_90a
            shl.b32 $0, $1, 3;

            $1 (.b32, x) = 5

            $0 (.b32) = 40
                hex       0x00000028
                u32       40
                s32       40
                f32       5.6e-44
                f16x2     {2.3841858e-6, 0}
                bits      00000000 00000000 00000000 00101000
        "#]],
    );
}

#[test]
fn selections_of_ptx() {
    let text = "\
.version 8.0
.target sm_80
.address_size 64
.entry k()
{
  .reg .f32 %f<4>;
  .reg .pred %p;
  setp.¦gt.f32 %p, %f1, 0f00000000;
  @%p add.f32 %f2, %f1¦, %f1;
  ret;
}
";
    check(
        "ptx",
        text,
        &[],
        expect![[r#"
        %f1 .f32 `` such as 1.0
    "#]],
    );
    check(
        "ptx",
        text,
        &["2"],
        expect![[r#"
        // for sm_80
        setp.gt.f32 %p, %f1, 0f00000000;
        @%p add.f32 %f2, %f1, %f1;

        %f1 (.f32) = 2

          1  setp.gt.f32 %p, %f1, 0f00000000;
             %p = true
          2  @%p add.f32 %f2, %f1, %f1;
             %f2 = 4

        %p (.pred) = true

        %f2 (.f32) = 4
            hex       0x40800000
            u32       1082130432
            s32       1082130432
            f16x2     {0, 2.25}
            bits      01000000 10000000 00000000 00000000
    "#]],
    );
    let one = text.replace('¦', "").replace("@%p add", "@%p ¦add");
    check(
        "ptx",
        &one,
        &["1.5", "lane > 2"],
        expect![[r#"
            // for sm_80
            @%p add.f32 %f2, %f1, %f1;

            %f1 (.f32) = 1.5
            %p (.pred) = lane > 2

            %f2 (.f32) by lane
                 0  undefined       undefined       undefined       3 (0x40400000)
                 4  3 (0x40400000)  3 (0x40400000)  3 (0x40400000)  3 (0x40400000)
                 8  3 (0x40400000)  3 (0x40400000)  3 (0x40400000)  3 (0x40400000)
                12  3 (0x40400000)  3 (0x40400000)  3 (0x40400000)  3 (0x40400000)
                16  3 (0x40400000)  3 (0x40400000)  3 (0x40400000)  3 (0x40400000)
                20  3 (0x40400000)  3 (0x40400000)  3 (0x40400000)  3 (0x40400000)
                24  3 (0x40400000)  3 (0x40400000)  3 (0x40400000)  3 (0x40400000)
                28  3 (0x40400000)  3 (0x40400000)  3 (0x40400000)  3 (0x40400000)
        "#]],
    );
    let none = text.replace('¦', "").replace(".entry k", ".entry ¦k");
    check("ptx", &none, &[], expect!["null"]);
}

#[test]
fn what_cannot_run_says_why() {
    let asm = |text: &str, operands: &str| {
        format!(
            "__device__ void f(unsigned long long p, int x) {{ asm volatile(\"¦{text}\" {operands}); }}"
        )
    };
    let check = |text: &str, operands: &str, values: &[&str], expect: Expect| {
        check("cuda-cpp", &asm(text, operands), values, expect);
    };
    check(
        "ld.global.u32 %0, [%1];",
        ": \"=r\"(x) : \"l\"(p)",
        &[],
        expect![
            "there is no memory for the address `%1`: only variables that the statements declare can be accessed, such as `.shared .align 16 .b8 s[64];`; run a kernel instead"
        ],
    );
    check(
        "add.q32 %0, %0, 1;",
        ": \"+r\"(x)",
        &[],
        expect!["`.q32` is not allowed in `add.q32`; did you mean `.s32`?"],
    );
    check(
        "div.u32 %0, %0, %1;",
        ": \"+r\"(x) : \"r\"(0)",
        &["1", "0"],
        expect![[r#"
            // for sm_90a
            div.u32 %0, %0, %1;

            %0 (.u32, x) = 1
            %1 (.u32, 0) = 0

            %0 (.u32) = 4294967295
                hex       0xffffffff
                s32       -1
                f32       nan
                f16x2     {nan, nan}
                bits      11111111 11111111 11111111 11111111
            division-by-zero: the divisor is 0, and PTX does not say what the result is
        "#]],
    );
    check(
        "wgmma.fence.sync.aligned;",
        "",
        &[],
        expect!["`wgmma.fence.sync.aligned` needs four warps; run a kernel instead"],
    );
    check(
        "add.u32 %0, %0, %1;",
        ": \"+r\"(x) : \"n\"(N)",
        &["1"],
        expect!["expected 1 value, for `%1` (.u32); found 0"],
    );
}

#[test]
fn the_code_action_is_offered_to_clients_with_its_command() {
    let titles = |language: &str, marked: &str, commands: &[&str]| {
        let (mut client, mut params) = session(Arc::new(Runner), language, marked, commands);
        params["context"] = json!({ "diagnostics": [] });
        let found = answer(&mut client, "textDocument/codeAction", params);
        let all = found.as_array().cloned().unwrap_or_default();
        let tries = all.into_iter().filter(|it| it["title"] == "Try this PTX…");
        tries.map(|it| it["command"].clone()).collect::<Vec<_>>()
    };
    let command = ["ptx-analyzer.tryStatements"];
    let found = titles("cuda-cpp", CUDA, &command);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["arguments"][0], "untitled:a");
    assert_eq!(found[0]["arguments"][1]["start"]["line"], 3);
    assert_eq!(titles("cuda-cpp", CUDA, &[]), [Value::Null; 0]);
    assert_eq!(titles("cuda-cpp", "¦int x;", &command), [Value::Null; 0]);
    let selection = ".version 8.0\n.target sm_80\n.entry k()\n{\n  ¦bar.sync 0;¦\n}\n";
    assert_eq!(titles("ptx", selection, &command).len(), 1);
    let place = selection.replacen('¦', "", 1);
    assert_eq!(titles("ptx", &place, &command), [Value::Null; 0]);
}

#[test]
fn a_host_that_runs_nothing_offers_nothing() {
    let command = ["ptx-analyzer.tryStatements"];
    let (mut client, mut params) = session(Arc::new(Bare), "cuda-cpp", CUDA, &command);
    params["context"] = json!({ "diagnostics": [] });
    let actions = answer(&mut client, "textDocument/codeAction", params.clone());
    let mut actions = actions.as_array().into_iter().flatten();
    assert!(actions.all(|it| it["title"] != "Try this PTX…"));
    let found = answer(&mut client, "ptx/tryStatements", params);
    assert_eq!(found["problem"], "this server cannot run PTX");
    assert_eq!(found["inputs"], json!([]));
}
