use expect_test::{Expect, expect};
use std::{fmt::Write as _, sync::Arc};

use crate::{AnalysisHost, Change, FileContents, FileId};

use super::*;

fn comparable(text: &str) -> Comparable {
    let file = FileId(0);
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(file, Some(Arc::new(FileContents::new(text))))],
        config: None,
    });
    host.analysis()
        .comparable(file)
        .expect("nothing cancels it")
}

/// The differences, a line each; functions that are the same are left out.
fn differences(old: &str, new: &str) -> String {
    let comparison = compare(&comparable(old), &comparable(new));
    let mut out = String::new();
    for (word, old, new) in &comparison.directives {
        let _ = writeln!(out, "{word} {old} -> {new}");
    }
    for change in &comparison.variables {
        let _ = writeln!(out, "variable {} {}", change.name, change.kind.word());
    }
    for change in &comparison.functions {
        if change.kind == ChangeKind::Same {
            continue;
        }
        let _ = write!(out, "{} {}", change.name(), change.kind.word());
        if let (ChangeKind::Renamed, Some(old)) = (change.kind, &change.old) {
            let _ = write!(out, " from {}", old.name);
        }
        let declarations = if change.declarations {
            " declarations"
        } else {
            ""
        };
        let _ = writeln!(out, "{declarations}");
        if matches!(change.kind, ChangeKind::Added | ChangeKind::Removed) {
            continue;
        }
        for range in &change.removed {
            let _ = writeln!(out, "  - {}", &old[*range]);
        }
        for range in &change.added {
            let _ = writeln!(out, "  + {}", &new[*range]);
        }
        for (range, _) in &change.moved {
            let _ = writeln!(out, "  moved {}", &old[*range]);
        }
        for it in &change.rewired {
            let _ = writeln!(out, "  {} is now {}, {} uses", it.old, it.new, it.uses);
        }
    }
    out
}

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

fn kernel(body: &str) -> String {
    format!(
        "{HEAD}.visible .entry k(.param .u64 a) {{\n.reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n{body}\n}}\n"
    )
}

const BODY: &str = "\
ld.param.u64 %rd1, [a];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
ld.global.u32 %r2, [%rd3];
setp.eq.s32 %p1, %r2, 0;
@%p1 bra L;
add.s32 %r3, %r2, %r1;
shl.b32 %r4, %r3, 2;
st.global.u32 [%rd3], %r4;
L:
ret;";

fn check(old: &str, new: &str, expected: Expect) {
    expected.assert_eq(&differences(&kernel(old), &kernel(new)));
}

fn check_change(from: &str, to: &str, expected: Expect) {
    assert!(BODY.contains(from), "{from}");
    check(BODY, &BODY.replacen(from, to, 1), expected);
}

#[test]
fn names_mean_nothing() {
    let same = [
        ("%r", "%other"),
        ("%rd", "%long"),
        ("L", "$end"),
        ("ld.param", "/* b */ .loc 1 2 3\nld.param"),
        ("add.s32 %r3, %r2, %r1", "add.s32 %r3, %r1, %r2"),
        (" 0;\n", " 0 ;\n\n// c\n"),
    ];
    for (from, to) in same {
        let old = kernel(BODY);
        let new = old.replace(from, to);
        assert_ne!(old, new);
        assert_eq!(differences(&old, &new), "", "{from} {to}");
        assert_eq!(differences(&new, &old), "", "{from} {to}");
    }
    // A register of another type and the same width, and a file with debug information.
    let old = kernel("mov.b32 %r1, 1;\nst.global.b32 [a], %r1;");
    let new = old.replace(".b32 %r<9>", ".f32 %r<9>")
        + ".file 1 \"a.cu\"\n.section .debug_str { .b8 1 }\n";
    assert_eq!(differences(&old, &new), "");
}

#[test]
fn functions_are_matched() {
    let function = |name: &str, number: u32| {
        format!(
            ".func {name}() {{ .reg .b32 %r<3>; mov.u32 %r1, {number}; add.u32 %r2, %r1, {number}; }}\n"
        )
    };
    let old = [
        HEAD,
        &function("f", 1),
        &function("g", 2),
        &function("h", 3),
    ]
    .concat();
    let new = [
        HEAD,
        &function("other", 3),
        &function("g", 2),
        &function("new", 9),
        &function("f", 4),
    ];
    expect![[r#"
        other renamed from h
        new added
        f changed
          - mov.u32 %r1, 1;
          - add.u32 %r2, %r1, 1;
          + mov.u32 %r1, 4;
          + add.u32 %r2, %r1, 4;
    "#]]
    .assert_eq(&differences(&old, &new.concat()));
    let hash = |hash: &str| {
        let name = format!("_GLOBAL__N__{hash}_4_k_cu_{hash}_f");
        format!(
            "{HEAD}.global .u32 {name}_v;\n{}.func g() {{ call {name}; st.global.u32 [{name}_v], 1; }}\n",
            function(&name, 1)
        )
    };
    assert_eq!(differences(&hash("0a1b2c3d"), &hash("11223344")), "");
}

#[test]
fn instructions_that_come_and_go() {
    check_change(
        "shl.b32 %r4, %r3, 2;",
        "shl.b32 %r4, %r3, 3;",
        expect![[r#"
            k changed
              - shl.b32 %r4, %r3, 2;
              + shl.b32 %r4, %r3, 3;
        "#]],
    );
    check_change(
        "@%p1 bra",
        "@!%p1 bra",
        expect![[r#"
        k changed
          - @%p1 bra L;
          + @!%p1 bra L;
    "#]],
    );
    check_change(
        "ld.global.u32",
        "ld.global.cg.u32",
        expect![[r#"
        k changed
          - ld.global.u32 %r2, [%rd3];
          + ld.global.cg.u32 %r2, [%rd3];
    "#]],
    );
    // Everything after has another name.
    let renumbered = BODY
        .replace("%r4", "%r7")
        .replace("%r3", "%r6")
        .replace("%r2", "%r5")
        .replace("shl", "mul.lo.u32 %r8, %r6, %r6;\nshl")
        .replace("%r6, 2", "%r8, 2");
    check(
        BODY,
        &renumbered,
        expect![[r#"
        k changed
          + mul.lo.u32 %r8, %r6, %r6;
          %r3 is now %r8, 1 uses
    "#]],
    );
}

#[test]
fn operands_and_branches() {
    check_change(
        "add.s32 %r3, %r2, %r1",
        "add.s32 %r3, %r1, %r1",
        expect![[r#"
            k changed
              %r2 is now %r1, 1 uses
        "#]],
    );
    check_change(
        "st.global.u32 [%rd3], %r4;\nL:",
        "L:\nst.global.u32 [%rd3], %r4;",
        expect![[r#"
            k changed
              L is now L, 1 uses
        "#]],
    );
    let two = "ld.param.u64 %rd1, [a];\nmov.u32 %r1, 1;\nmov.u32 %r2, 2;\nst.global.u32 [%rd1], %r1;\nst.global.u32 [%rd1+4], %r2;\n";
    check(
        two,
        &two.replace(
            "mov.u32 %r1, 1;\nmov.u32 %r2, 2;",
            "mov.u32 %r2, 2;\nmov.u32 %r1, 1;",
        ),
        expect![[r#"
            k changed
              moved mov.u32 %r1, 1;
        "#]],
    );
}

#[test]
fn declarations_and_directives() {
    let old = kernel(BODY);
    let more = |from: &str, to: &str| differences(&old, &old.replacen(from, to, 1));
    expect![[r#"
        k changed declarations
    "#]]
    .assert_eq(&more(
        "(.param .u64 a)",
        "(.param .u64 a) .maxntid 128, 1, 1",
    ));
    expect![[r#"
        k changed declarations
    "#]]
    .assert_eq(&more(".reg .pred", ".shared .b32 s[4];\n.reg .pred"));
    expect![[r#"
        k changed declarations
    "#]]
    .assert_eq(&more("ret;", ".pragma \"nounroll\";\nret;"));
    expect![[r#"
        .target sm_80 -> sm_90
    "#]]
    .assert_eq(&more("sm_80", "sm_90"));
    expect![[r#"
        variable v added
    "#]]
    .assert_eq(&more(".visible", ".global .u32 v = 1;\n.visible"));
    // The order of declarations means nothing.
    let shared = kernel(
        ".shared .b32 s[4];\n.shared .b64 t[4];\nst.shared.b32 [s], 1;\nst.shared.b64 [t], 1;",
    );
    let other = kernel(
        ".shared .b64 x[4];\n.shared .b32 y[4];\nst.shared.b32 [y], 1;\nst.shared.b64 [x], 1;",
    );
    assert_eq!(differences(&shared, &other), "");
}

#[test]
fn any_texts_can_be_compared() {
    let old = kernel(BODY);
    let mut rng = fastrand::Rng::with_seed(11);
    let pieces = [
        ";",
        "}",
        "{",
        "add.s32 %r3",
        "%r",
        "L:",
        "bra L;",
        "\"",
        "[",
        "\u{e9}",
        ".reg .b32 %r1;",
    ];
    for _ in 0..300 {
        let mut new = old.clone();
        for _ in 0..rng.usize(1..5) {
            let at = rng.usize(..new.len());
            if new.is_char_boundary(at) {
                new.insert_str(at, pieces[rng.usize(..pieces.len())]);
            }
        }
        // Whatever it is, it is itself, and both directions see a change or none.
        assert_eq!(differences(&new, &new), "", "{new}");
        let (there, back) = (differences(&old, &new), differences(&new, &old));
        assert_eq!(there.is_empty(), back.is_empty(), "{new}");
    }
}
