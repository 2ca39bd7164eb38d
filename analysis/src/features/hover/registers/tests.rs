use expect_test::expect;

use super::super::tests::check;
use super::*;
use crate::{
    ExactRegisters,
    fixture::{Fixture, HEADER},
};

/// A kernel that keeps 40 values and their sums live.
fn kernel(name: &str, bounds: &str) -> String {
    let loads: String = (0..40)
        .map(|it| format!("ld.shared.b32 %r{it}, [%s+{}];\n", it * 4))
        .collect();
    let sums: String = (0..9)
        .map(|it| format!("add.u32 %t{it}, %s, %r{it};\n"))
        .collect();
    let stores: String = (0..40)
        .rev()
        .map(|it| format!("st.volatile.shared.b32 [%s+{}], %r{it};\n", it * 4))
        .collect();
    let more: String = (0..9)
        .map(|it| format!("st.volatile.shared.b32 [%s+{}], %t{it};\n", it * 4))
        .collect();
    format!(
        "{HEADER}.entry {name}(.param .u64 p) {bounds} {{\n.reg .b32 %r<40>, %t<9>, %s; .reg .b64 %rd<2>;\n\
             mov.u32 %s, %tid.x;\nld.param.u64 %rd1, [p];\n{loads}{sums}barrier.sync 0;\n{stores}{more}st.global.u32 [%rd1], %s;\nret;\n}}\n"
    )
}

#[test]
fn targets_that_lack_an_instruction_are_not_compared() {
    let text = format!(
        "{HEADER}.entry $0k() {{ .reg .b64 %rd<2>; fence.proxy.async; mov.u64 %rd1, 0; st.global.u64 [%rd1], %rd1; ret; }}\n"
    );
    let hover = |text: &str| {
        let fixture = Fixture::new(text);
        let (_, at) = fixture.cursor();
        let found = fixture.host.analysis().hover(at);
        found.unwrap().unwrap().info.markdown
    };
    let markdown = hover(&text);
    assert!(!markdown.contains("`sm_80`"), "{markdown}");
    assert!(markdown.contains("- `sm_100`"), "{markdown}");
    let fast = text.replace("sm_90\n", "sm_90a\n");
    let fast = fast.replace("fence.proxy.async", "wgmma.fence.sync.aligned");
    let markdown = hover(&fast);
    assert!(!markdown.contains("On other targets"), "{markdown}");
}

#[test]
fn entries() {
    check(
        &kernel("$0k", ""),
        expect![[r#"
            **About 48 registers** (36 to 58) on `sm_90`: 40 of 64 warps are resident with 256 threads per block (assumed), limited by registers. 8 registers fewer: 48 warps. Up to 48 registers keep that

            ```text
            ▂▂▂▃▃▃▄▄▄▄▅▅▅▆▆▆▇▇▇▇████████▇▇▇▆▆▆▆▅▅▅▄▄▄▃▃▃▂▂▂▂ as written
            ```
            At most 50 live as written, at line 56

            Live as written at line 56, where most are:

            - 40 in 40 × `ld.b32` of lines 8 to 47, last read at lines 58 to 97
            - 9 in 9 × `add.u32` of lines 48 to 56, last read at lines 98 to 106
            - 1 in 1 × `mov.u32` of line 6, last read at line 107

            On other targets:

            - `sm_80`: about 48 (36 to 58), 40 of 64 warps
            - `sm_100`: about 48 (36 to 58), 40 of 64 warps
            - `sm_120`: about 48 (36 to 58), 40 of 48 warps

            ```ptx
            .entry k(.param .u64 p)
            ```
            Kernel

            0 uses in this file"#]],
    );
    check(
        &kernel("$0k", ".maxntid 1024 .maxnreg 40"),
        expect![[r#"
            **About 40 registers** (30 to 40) on `sm_90`: 32 of 64 warps are resident with 1024 threads per block, limited by registers. 8 registers fewer: 64 warps

            ```text
            ▂▂▂▃▃▃▄▄▄▄▅▅▅▆▆▆▇▇▇▇████████▇▇▇▆▆▆▆▅▅▅▄▄▄▃▃▃▂▂▂▂ as written
            ```
            At most 50 live as written, at line 56

            `.maxnreg` allows 40 registers

            Live as written at line 56, where most are:

            - 40 in 40 × `ld.b32` of lines 8 to 47, last read at lines 58 to 97
            - 9 in 9 × `add.u32` of lines 48 to 56, last read at lines 98 to 106
            - 1 in 1 × `mov.u32` of line 6, last read at line 107

            On other targets:

            - `sm_80`: about 40 (30 to 40), 32 of 64 warps
            - `sm_100`: about 40 (30 to 40), 32 of 64 warps
            - `sm_120`: about 40 (30 to 40), 32 of 48 warps

            ```ptx
            .entry k(.param .u64 p) .maxntid 1024 .maxnreg 40
            ```
            Kernel

            0 uses in this file"#]],
    );
}

#[test]
fn small_entries_and_declared_ones() {
    for body in ["{ ret; }", "{ }"] {
        check(
            &format!("{HEADER}.entry $0k() {body}"),
            expect![[r#"
            **About 4 registers** (4 to 8) on `sm_90`: 64 of 64 warps are resident with 256 threads per block (assumed). Up to 32 registers keep that

            On other targets:

            - `sm_80`: about 4 (4 to 8), 64 of 64 warps
            - `sm_100`: about 4 (4 to 8), 64 of 64 warps
            - `sm_120`: about 4 (4 to 8), 48 of 48 warps

            ```ptx
            .entry k()
            ```
            Kernel

            0 uses in this file"#]],
        );
    }
    check(
        &format!("{HEADER}.entry $0k();"),
        expect![[r#"
            ```ptx
            .entry k()
            ```
            Kernel, declared only

            0 uses in this file"#]],
    );
}

#[test]
fn lives() {
    let text = kernel("k", "");
    check(
        &text.replacen("%r7,", "%r$07,", 1),
        expect![[r#"
                `d` of `ld`: a register at least as wide as the type; braces around several with `.v2`, `.v4`, `.v8`, where `_` skips an element (in the manual only with 256 bits).

                ```ptx
                .reg .b32 %r<40>
                ```
                Register, type `.b32`, 32 bits (4 bytes) in `k`: `%r7`

                Read at lines 55, 90

                3 uses in this file

                Takes 1 register, live at lines 15 to 90, also where most registers are live"#]],
    );
    check(
        &text.replacen("%rd1,", "%rd$01,", 1),
        expect![[r#"
            `d` of `ld`: a register at least as wide as the type; braces around several with `.v2`, `.v4`, `.v8`, where `_` skips an element (in the manual only with 256 bits).

            ```ptx
            .reg .b64 %rd<2>
            ```
            Register, type `.b64`, 64 bits (8 bytes) in `k`: `%rd1`

            = `p`

            Read at line 107

            2 uses in this file

            Probably takes no register of a thread (a constant, a parameter, the same in all threads, or a part of what uses it), live at lines 7 to 107"#]],
    );
    let many: String = (0..9)
        .map(|it| format!("mov.u32 %r1, {it};\nst.shared.u32 [0], %r1;\nbar.sync 0;\n"))
        .collect();
    check(
        &format!("{HEADER}.entry k() {{\n.reg .b32 %r<2>;\n{many}mov.u32 %r$01, 1;\nret;\n}}\n"),
        expect![[r#"
            `d` of `mov`: a register; in braces several, filled from the lowest bits upwards, `_` for parts that are not wanted.

            ```ptx
            .reg .b32 %r<2>
            ```
            Register, type `.b32`, 32 bits (4 bytes) in `k`: `%r1`

            = `1`

            Nothing reads this value

            19 uses in this file

            Probably takes no register of a thread (a constant, a parameter, the same in all threads, or a part of what uses it), live at lines 6 to 7, 9 to 10, 12 to 13, 15 to 16, 18 to 19, 21 to 22 and 4 more runs"#]],
    );
}

/// A kernel of many instructions, after which most values are live at once.
fn long_kernel(instructions: usize) -> String {
    let long = "add.u32 %early, %early, %tid;\n".repeat(instructions);
    let peak = kernel("k", "");
    let peak = peak.replace(
        "mov.u32 %s, %tid.x;",
        &format!(
            ".reg .b32 %early, %tid;\nmov.u32 %tid, %tid.x;\nmov.u32 %early, %ctaid.x;\n{long}\
                 st.volatile.shared.b32 [0], %early;\nmov.u32 %s, %tid;"
        ),
    );
    assert_ne!(peak, kernel("k", ""));
    peak
}

#[test]
fn lives_in_long_functions() {
    // Too long for the model, so the order of the text tells where most are live.
    let text = long_kernel(500);
    check(
        &text.replacen("%r7,", "%r$07,", 1),
        expect![[r#"
                `d` of `ld`: a register at least as wide as the type; braces around several with `.v2`, `.v4`, `.v8`, where `_` skips an element (in the manual only with 256 bits).

                ```ptx
                .reg .b32 %r<40>
                ```
                Register, type `.b32`, 32 bits (4 bytes) in `k`: `%r7`

                Read at lines 559, 594

                3 uses in this file

                Takes 1 register, live at lines 519 to 594, also where most registers are live"#]],
    );
    check(
        &text.replacen("[0], %early", "[0], %ea$0rly", 1),
        expect![[r#"
            `b` of `st`: a register at least as wide as the type, of which the low bits are stored, or, as ptxas accepts, a constant; braces around several with `.v2`, `.v4`, `.v8`. In vectors of 256 bits `_` leaves that location unchanged.

            ```ptx
            .reg .b32 %early
            ```
            Register, type `.b32`, 32 bits (4 bytes) in `k`

            = `ctaid.x + 500*%tid`

            Written at line 508: `add.u32 %early, %early, %tid;`

            Read at line 509

            1002 uses in this file

            Takes 1 register, live at lines 8 to 509"#]],
    );
    // In an enormous one only what is near is looked at.
    let text = long_kernel(40_000);
    check(
        &text.replacen("%r7,", "%r$07,", 1),
        expect![[r#"
                `d` of `ld`: a register at least as wide as the type; braces around several with `.v2`, `.v4`, `.v8`, where `_` skips an element (in the manual only with 256 bits).

                ```ptx
                .reg .b32 %r<40>
                ```
                Register, type `.b32`, 32 bits (4 bytes) in `k`: `%r7`

                Uses are not counted while hovering in a function of this length"#]],
    );
    let at = text.replacen("ld.shared.b32 %r7", "l$0d.shared.b32 %r7", 1);
    let fixture = Fixture::new(&at);
    let (analysis, at) = fixture.cursor();
    let hover = analysis.hover(at).unwrap().unwrap().info.markdown;
    expect![[r#"
        ```ptx
        ld.shared.b32 %r7, [%s+28];
        ```
    "#]]
    .assert_eq(
        hover
            .lines()
            .take(4)
            .collect::<Vec<_>>()
            .join("\n")
            .as_str(),
    );
}

/// The figures of exact mode are shown above the estimate.
#[test]
fn exact_figures() {
    let text = kernel("$0k", "");
    let fixture = Fixture::new(&text);
    let (_, at) = fixture.cursor();
    let hover = |registers: u32, spilled: u32, lines: &[(u32, u32)]| {
        let exact = ExactEntry {
            name: "k".to_owned(),
            target: "sm_90a".to_owned(),
            registers: ExactRegisters {
                registers,
                spill_stores: spilled,
                spill_loads: spilled,
                ..ExactRegisters::default()
            },
            lines: lines.to_vec(),
            instructions: None,
        };
        let other = ExactEntry {
            name: "other".to_owned(),
            ..exact.clone()
        };
        let analysis = fixture.host.analysis();
        let hover = analysis.hover_with(at, &[other, exact]).unwrap().unwrap();
        let markdown = hover.info.markdown;
        let from = markdown.find("**✓").unwrap();
        let to = markdown.find("\n\nLive as written").unwrap();
        markdown[from..to].to_owned()
    };
    expect![[r#"
        **✓ 48 registers** on `sm_90a` by `ptxas`, no spills: 40 of 64 warps are resident with 256 threads per block (assumed), limited by registers. 8 registers fewer: 48 warps. Up to 48 registers keep that

        Estimated: 48 (36 to 58)

        ```text
        ▂▂▂▃▃▃▄▄▄▄▅▅▅▆▆▆▇▇▇▇████████▇▇▇▆▆▆▆▅▅▅▄▄▄▃▃▃▂▂▂▂ as written
        ▁▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂█████████████████████████▂▂▂▂ by ptxas
        ```
        At most 44 live by ptxas, at line 47"#]].assert_eq(&hover(48, 0, &[(8, 4), (46, 44), (47, 44), (100, 3)]));
    expect![[r#"
        **✓ 32 registers** on `sm_90a` by `ptxas`, 12 bytes spilled: 64 of 64 warps are resident with 256 threads per block (assumed). Up to 32 registers keep that

        Estimated: 48 (36 to 58)

        ```text
        ▂▂▂▃▃▃▄▄▄▄▅▅▅▆▆▆▇▇▇▇████████▇▇▇▆▆▆▆▅▅▅▄▄▄▃▃▃▂▂▂▂ as written
        ```
        At most 50 live as written, at line 56"#]].assert_eq(&hover(32, 6, &[]));
    expect![[r#"
        **✓ 129 registers** on `sm_90a` by `ptxas`, no spills: 8 of 64 warps are resident with 256 threads per block (assumed), limited by registers. 1 register fewer: 16 warps

        Estimated: 48 (36 to 58)

        ```text
        ▂▂▂▃▃▃▄▄▄▄▅▅▅▆▆▆▇▇▇▇████████▇▇▇▆▆▆▆▅▅▅▄▄▄▃▃▃▂▂▂▂ as written
        ```
        At most 50 live as written, at line 56"#]].assert_eq(&hover(129, 0, &[]));
}

#[test]
fn rows_of_bars() {
    let rows = |rows: &[&[(u32, u32)]]| {
        let named: Vec<(&str, &[(u32, u32)])> = rows.iter().map(|it| ("x", *it)).collect();
        sparklines(&named)
    };
    assert_eq!(rows(&[&[], &[]]), "");
    assert_eq!(rows(&[&[(4, 0)]]), "▁ x\n");
    assert_eq!(rows(&[&[(4, 0), (5, 7), (9, 14)]]), "▁▅▅▅▅█ x\n");
    assert_eq!(rows(&[&[(4, 7)], &[], &[(6, 14)]]), "▅▅▅ x\n▁▁█ x\n");
    let long: Vec<(u32, u32)> = (0..1000).map(|it| (it, it)).collect();
    assert_eq!(rows(&[&long]).chars().count(), COLUMNS + " x\n".len());
}
