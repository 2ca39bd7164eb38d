//! The command `registers`.

use super::*;

pub(super) const KERNEL: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p) .maxntid 128 {\n\
    .reg .b64 %rd1; .reg .f32 %f<3>;\nld.param.u64 %rd1, [p];\nld.global.f32 %f1, [%rd1];\n\
    ld.global.f32 %f2, [%rd1+4];\nadd.f32 %f1, %f1, %f2;\nst.global.f32 [%rd1], %f1;\nret;\n}\n";

#[test]
fn registers_of_entries() {
    check(
        &["registers", "-"],
        KERNEL,
        expect![[r#"
            registers  range  live  line  cap  warps  limit  target  entry
            ~8         6-11   2     8     -    64/64  -      sm_90   k
            status 0
        "#]],
    );
    check(
        &[
            "registers",
            "--format",
            "json",
            "--target",
            "sm_75,sm_120",
            "-",
        ],
        KERNEL,
        expect![[r#"
            {"file":"-","entry":"k","target":"sm_75","estimate":6,"low":5,"high":9,"max_live":2,"peak_line":8,"cap":null,"occupancy":{"warps":32,"of":32,"limiter":null},"exact":null}
            {"file":"-","entry":"k","target":"sm_120","estimate":8,"low":6,"high":11,"max_live":2,"peak_line":8,"cap":null,"occupancy":{"warps":48,"of":48,"limiter":null},"exact":null}
            status 0
        "#]],
    );
    check(
        &["registers", "--target", "sm_1", "-"],
        "",
        expect![[r#"
            error: invalid value 'sm_1' for '--target <TARGETS>': there is no such target; did you mean `sm_10`?

            For more information, try '--help'.
            status 2
        "#]],
    );
    check(
        &["registers", "no such file"],
        "",
        expect![[r#"
            error: no such file: No such file or directory (os error 2)
            status 2
        "#]],
    );
}

#[test]
fn registers_above_a_baseline() {
    let (_, json, _) = run_with(
        &["registers", "--format", "json", "-"],
        KERNEL.as_bytes(),
        false,
    );
    let lower = json.replace("\"estimate\":", "\"estimate\":1,\"was\":");
    let folder = folder(&[
        ("same.json", json.as_bytes()),
        ("lower.json", lower.as_bytes()),
        ("broken.json", b"{"),
    ]);
    let run = |arguments: &[&str], expect: Expect| {
        let all = [&["registers", "-"], arguments].concat();
        check_in(folder.path(), &all, KERNEL.as_bytes(), expect);
    };
    run(
        &["--baseline", "DIR/same.json"],
        expect![[r#"
            registers  range  live  line  cap  warps  limit  target  entry
            ~8         6-11   2     8     -    64/64  -      sm_90   k
            status 0
        "#]],
    );
    run(
        &["--baseline", "DIR/lower.json"],
        expect![[r#"
            registers  range  live  line  cap  warps  limit  target  entry
            ~8         6-11   2     8     -    64/64  -      sm_90   k
            -: k on sm_90: about 8 registers, 1 in the baseline
            status 1
        "#]],
    );
    run(
        &["--baseline", "DIR/lower.json", "--growth", "99"],
        expect![[r#"
            registers  range  live  line  cap  warps  limit  target  entry
            ~8         6-11   2     8     -    64/64  -      sm_90   k
            status 0
        "#]],
    );
    run(
        &["--baseline", "DIR/broken.json"],
        expect![[r#"
        error: DIR/broken.json:1: EOF while parsing an object at line 1 column 1
        status 2
    "#]],
    );
}
