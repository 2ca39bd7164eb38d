//! Graphs and charts on the command line.

use expect_test::expect;

use super::{check, registers::KERNEL, run_with};

const TWO: &str = "\
.version 8.0
.target sm_90
.address_size 64
.func f { ret; }
.entry k()
{
    .reg .b32 %r<3>; .reg .pred %p;
    mov.u32 %r1, %tid.x;
again: // a loop
    setp.eq.u32 %p, %r1, 7;
    @%p bra done;
    add.u32 %r1, %r1, 1; bra again;
done: st.shared.u32 [%r1], %r1;
    ret;
    trap;
}
";

#[test]
fn graphs_as_text() {
    check(
        &["flow", "-"],
        TWO,
        expect![[r#"
            f
              0 line 4, 1 instruction, 0 live as written: leaves
            k
              0 line 8, 1 instruction, 1 live as written: fallthrough to 1
                1 again: lines 10 to 11, 2 instructions, 1 live as written, loop: fallthrough to 2, taken to 3
                2 line 12, 2 instructions, 1 live as written: branch back to 1
              3 done: lines 13 to 14, 2 instructions, 1 live as written: leaves
              4 line 15, 1 instruction, 0 live as written, never reached: leaves
            status 0
        "#]],
    );
    check(
        &["flow", "--function", "f", "-"],
        TWO,
        expect![[r#"
            f
              0 line 4, 1 instruction, 0 live as written: leaves
            status 0
        "#]],
    );
}

#[test]
fn graphs_for_mermaid() {
    check(
        &["flow", "--format", "mermaid", "--function", "k", "-"],
        TWO,
        expect![[r#"
            flowchart TD
                b0["line 8<br>1 instruction, 1 live as written"]
                b1["again: lines 10 to 11<br>2 instructions, 1 live as written, loop"]
                b2["line 12<br>2 instructions, 1 live as written"]
                b3["done: lines 13 to 14<br>2 instructions, 1 live as written"]
                b4["line 15<br>1 instruction, 0 live as written, never reached"]
                b0 --> b1
                b1 --> b2
                b1 -->|taken| b3
                b2 --> b1
                classDef unreachable stroke-dasharray: 4 4
                class b4 unreachable
            status 0
        "#]],
    );
}

#[test]
fn graphs_that_are_not_there() {
    check(
        &["flow", "--format", "svg", "-"],
        TWO,
        expect![[r#"
        error: -: choose one with --function: f, k
        status 2
    "#]],
    );
    check(
        &["flow", "--function", "g", "-"],
        TWO,
        expect![[r#"
        error: -: no function g has a body; there are: f, k
        status 2
    "#]],
    );
    check(
        &["flow", "-"],
        ".version 8.0\n.target sm_90\n",
        expect![[r#"
        error: -: no function has a body
        status 2
    "#]],
    );
    check(
        &["flow", "no such file"],
        "",
        expect![[r#"
        error: no such file: No such file or directory (os error 2)
        status 2
    "#]],
    );
}

#[test]
fn drawings() {
    for arguments in [
        &["flow", "--format", "svg", "--function", "k", "-"][..],
        &["registers", "--format", "svg", "--dark", "-"],
        &[
            "registers",
            "--format",
            "svg",
            "--target",
            "sm_80,sm_90",
            "-",
        ],
    ] {
        let (status, svg, errors) = run_with(arguments, TWO.as_bytes(), false);
        assert_eq!((status, &*errors), (0, ""));
        assert!(
            svg.starts_with("<svg ") && svg.ends_with("</svg>\n"),
            "{svg}"
        );
        // The comment is not part of an instruction.
        assert!(!svg.contains("// a loop"), "{svg}");
        assert!(svg.contains("data-line=\"9\""), "{svg}");
        assert_eq!(svg.matches("<svg ").count(), svg.matches("</svg>").count());
    }
    let graph = ["flow", "--format", "svg", "--function", "k", "-"];
    let (_, svg, _) = run_with(&graph, TWO.as_bytes(), false);
    for words in [
        "falls through",
        "branches if the guard holds",
        "back to a loop",
        "0 to 1 registers live as written",
        "in a loop",
        "never reached",
    ] {
        assert!(svg.contains(&format!("{words}</text>")), "{words}: {svg}");
    }
    assert!(
        svg.contains("<title>line 8\n1 instruction, 1 live as written</title>"),
        "{svg}"
    );
    let (_, svg, _) = run_with(
        &["registers", "--format", "svg", "-"],
        KERNEL.as_bytes(),
        false,
    );
    assert!(svg.contains(">Registers of k<"), "{svg}");
}
