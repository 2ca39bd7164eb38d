//! PTX inside files of other languages on the command line.

use expect_test::expect;

use super::{check_in, folder};

const KERNEL: &str = "__global__ void k(unsigned *p) {\n    unsigned x = p[0];\n    /* größe */ asm volatile(\"add.u32 %0, %0, 1;\\n\\t\"\n        \"sub.z32 %0, %0, 2;\" : \"+r\"(x));\n    asm volatile(\"fence.proxy.async;\" ::: \"memory\");\n}\n";

#[test]
fn files_of_other_languages_are_checked_when_they_are_named() {
    let folder = folder(&[("a.cu", KERNEL.as_bytes()), ("b.txt", KERNEL.as_bytes())]);
    check_in(
        folder.path(),
        &["check", "DIR/a.cu", "--target", "sm_80"],
        b"",
        expect![[r#"
            error[modifier-not-allowed]: `.z32` is not allowed in `sub.z32`
             --> DIR/a.cu:4:13
              |
            4 |         "sub.z32 %0, %0, 2;" : "+r"(x));
              |             ^^^^
              |
            help: did you mean `.s32`?

            error[unsupported-by-target]: `fence.proxy.async` needs target `sm_90` or later; this code is compiled for `sm_80`
             --> DIR/a.cu:5:19
              |
            5 |     asm volatile("fence.proxy.async;" ::: "memory");
              |                   ^^^^^

            checked 1 file: 2 errors
            status 1
        "#]],
    );
    check_in(
        folder.path(),
        &["check", "DIR"],
        b"",
        expect![[r#"
        checked 0 files: no problems
        status 0
    "#]],
    );
    check_in(
        folder.path(),
        &["check", "--embedded", "--format", "json", "DIR"],
        b"",
        expect![[r#"
            {"file":"DIR/a.cu","line":4,"column":13,"end_line":4,"end_column":17,"severity":"error","code":"modifier-not-allowed","message":"`.z32` is not allowed in `sub.z32`","help":"did you mean `.s32`?","fixes":[{"title":"Replace `.z32` by `.s32`","edits":[{"line":4,"column":14,"end_line":4,"end_column":17,"insert":"s32"}]}]}
            status 1
        "#]],
    );
    check_in(
        folder.path(),
        &["check", "--embedded", "--format", "github", "DIR"],
        b"",
        expect![[r#"
            ::error title=modifier-not-allowed,file=DIR/a.cu,line=4,endLine=4,col=13,endColumn=17::`.z32` is not allowed in `sub.z32`%0Adid you mean `.s32`?
            checked 1 file: 1 error
            status 1
        "#]],
    );
}

#[test]
fn targets_come_from_the_compile_commands() {
    let commands =
        br#"[{"directory": ".", "file": "../a.cu", "command": "nvcc -arch=sm_80 a.cu"}]"#;
    let text = KERNEL.replace(".z32", ".u32");
    let folder = folder(&[
        ("a.cu", text.as_bytes()),
        ("build/compile_commands.json", commands),
    ]);
    check_in(
        folder.path(),
        &["check", "DIR/a.cu"],
        b"",
        expect![[r#"
        error[unsupported-by-target]: `fence.proxy.async` needs target `sm_90` or later; this code is compiled for `sm_80`
         --> DIR/a.cu:5:19
          |
        5 |     asm volatile("fence.proxy.async;" ::: "memory");
          |                   ^^^^^

        checked 1 file: 1 error
        status 1
    "#]],
    );
    let marked = format!("// ptx-analyzer: target sm_90\n{text}");
    std::fs::write(folder.path().join("a.cu"), marked).expect("a file");
    check_in(
        folder.path(),
        &["check", "DIR/a.cu"],
        b"",
        expect![[r#"
        checked 1 file: no problems
        status 0
    "#]],
    );
}
