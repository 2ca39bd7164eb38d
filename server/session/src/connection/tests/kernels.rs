//! Requests about kernels as wholes.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::{Client, URI};

const KERNEL: &str = "\
.version 8.0
.target sm_90
.address_size 64
.file 1 \"sum.cu\"
.entry sum(.param .u64 a, .param .u32 n) .reqntid 128
{
    .reg .pred %p;
    .reg .b32 %r<4>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 tile[512];
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [a];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd1, %rd1, %rd2;
    mov.u32 %r2, 0;
    mov.f32 %f1, 0f00000000;
again:
    .loc 1 7 3
    ld.global.f32 %f2, [%rd1];
    fma.rn.f32 %f1, %f2, %f2, %f1;
    add.u64 %rd1, %rd1, 512;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p, %r2, 8;
    @%p bra again;
    shl.b32 %r3, %r1, 2;
    st.shared.f32 [%r3], %f1;
    bar.sync 0;
    ret;
}
";

fn answer(method: &str, more: &Value) -> Value {
    answer_with(json!({}), method, more)
}

fn answer_with(capabilities: Value, method: &str, more: &Value) -> Value {
    let mut client = Client::new(capabilities, Value::Null);
    client.open(KERNEL);
    let mut params = json!({ "textDocument": { "uri": URI } });
    for (key, value) in more.as_object().into_iter().flatten() {
        params[key] = value.clone();
    }
    client.ask(7, method, params);
    let said = client.run();
    let answer = said.iter().find(|it| it["id"] == 7).expect("an answer");
    answer["result"].clone()
}

fn at(line: u32) -> Value {
    json!({ "position": { "line": line, "character": 0 } })
}

#[track_caller]
fn check(found: &Value, line: impl Fn(&Value) -> String, expect: Expect) {
    let mut out = String::new();
    for it in found.as_array().into_iter().flatten() {
        let _ = writeln!(out, "{}", line(it));
    }
    expect.assert_eq(&out);
}

#[test]
fn accesses() {
    let line = |it: &Value| {
        format!(
            "{} {} {} {} {} sectors {}/{} ways {} {}",
            it["range"]["start"]["line"],
            it["space"],
            it["kind"],
            it["bytes"],
            it["verdict"],
            it["sectors"],
            it["idealSectors"],
            it["ways"],
            it["address"],
        )
    };
    check(
        &answer("ptx/accesses", &json!({})),
        line,
        expect![[r#"
            12 "param" "load" 8 "decided" sectors null/null ways null "a"
            19 "global" "load" 4 "decided" sectors 4/4 ways null "%rd1"
            26 "shared" "store" 4 "decided" sectors null/null ways 1 "4*tid.x"
        "#]],
    );
    check(&answer("ptx/accesses", &at(0)), line, expect![""]);
}

#[test]
fn costs() {
    let found = answer("ptx/costs", &at(12));
    let line = |it: &Value| {
        format!(
            "{} {} read {} written {} shared {} flops {}",
            it["head"]["start"]["line"],
            it["trips"],
            it["globalBytesRead"],
            it["globalBytesWritten"],
            it["sharedBytes"],
            it["flops"],
        )
    };
    check(
        &found,
        line,
        expect![[r#"
            null null read 0 written 0 shared 512 flops {"fma":0,"special":0,"tensor":0}
            19 "8" read 512 written 0 shared 0 flops {"fma":256,"special":0,"tensor":0}
        "#]],
    );
}

#[test]
fn the_lens_of_a_loop() {
    let lenses = answer("textDocument/codeLens", &json!({}));
    let lens = lenses.as_array().into_iter().flatten();
    let mut lens = lens.filter(|it| it["data"]["loop"] == true);
    let found = lens.next().expect("a lens");
    assert_eq!(found["range"]["start"]["line"], 17);
    assert_eq!(lens.next(), None);
    let resolved = answer("codeLens/resolve", found);
    let command = json!({ "title": "8 iterations · 512 B from global · 256 flop · 0.50 flop/B", "command": "" });
    assert_eq!(resolved["command"], command);
    let experimental =
        json!({ "experimental": { "commands": { "commands": ["ptx-analyzer.showKernel"] } } });
    let resolved = answer_with(experimental, "codeLens/resolve", found);
    assert_eq!(resolved["command"]["command"], "ptx-analyzer.showKernel");
    assert_eq!(resolved["command"]["arguments"][1]["line"], 17);
}

#[test]
fn the_map() {
    let found = answer("ptx/kernelMap", &at(12));
    assert_eq!(found["function"], "sum");
    assert_eq!(found["title"], "sum, 128 threads");
    let line = |it: &Value| {
        let mut out = format!("{}", it["title"]);
        for row in it["rows"].as_array().into_iter().flatten() {
            let ranges = row["ranges"].as_array().into_iter().flatten();
            let lines: String = ranges
                .map(|it| format!(" {}", it["start"]["line"]))
                .collect();
            let (depth, text) = (&row["depth"], &row["text"]);
            let _ = write!(out, "\n{depth} {text}{lines}");
        }
        out
    };
    check(
        &found["sections"],
        line,
        expect![[r#"
            "shared memory"
            0 "`tile`: 512 bytes"
            "loops"
            0 "lines 20-25: 8 iterations · 512 B from global · 256 flop · 0.50 flop/B" 19
            "barriers of the block"
            0 "barrier 0: lines 28" 27
        "#]],
    );
    let svg = found["svg"].as_str().expect("a drawing");
    assert!(svg.contains("data-line=\"19\" data-end=\"24\""), "{svg}");
    assert_eq!(answer("ptx/kernelMap", &at(0)), Value::Null);
}

#[test]
fn the_reading() {
    let found = answer("ptx/reading", &at(12));
    assert_eq!(found[0]["heading"], "sum(a, n):");
    let line = |it: &Value| {
        let ranges = it["ranges"].as_array().into_iter().flatten();
        let lines: String = ranges
            .map(|it| format!(" {}", it["start"]["line"]))
            .collect();
        let source = match &it["source"] {
            Value::Null => String::new(),
            it => format!(" from {} {} {}", it["path"], it["line"], it["uri"]),
        };
        let (indent, text) = (&it["indent"], &it["text"]);
        format!("{indent} {text}{lines}{source}")
    };
    check(
        &found[0]["lines"],
        line,
        expect![[r#"
            0 "rd1 = a + 4*tid.x" 11 12 13 14
            0 "r2 = 0; f1 = 0.0" 15 16
            0 "do:"
            1 "f2 = rd1[0]" 19 from "sum.cu" 6 null
            1 "f1 = f2*f2 + f1" 20 from "sum.cu" 6 null
            1 "rd1 = rd1 + 512" 21 from "sum.cu" 6 null
            1 "r2 = r2 + 1" 22 from "sum.cu" 6 null
            0 "while r2 < 8" 23 24 from "sum.cu" 6 null
            0 "shared@(4*tid.x) = f1" 11 25 26 from "sum.cu" 6 null
            0 "──── bar.sync(0) ──── stage 2" 27 from "sum.cu" 6 null
        "#]],
    );
    let named = json!({ "function": "sum" });
    assert_eq!(answer("ptx/reading", &named), found);
    let named = json!({ "function": "other" });
    assert_eq!(answer("ptx/reading", &named), json!([]));
}
