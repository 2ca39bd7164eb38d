//! Fixes that are tried before they are offered, and those that only a trial finds.

use super::*;

/// A module that is longer than what is judged at once: functions before and after one with many statements.
fn long(statement: &str, declarations: &str) -> String {
    let other = |name: &str| {
        let line = "add.s32 %r1, %r2, %r3;\n".repeat(400);
        format!(".func {name} {{\n.reg .b32 %r<4>;\n{line}}}\n")
    };
    let lines = "add.s32 %r1, %r2, 1;\n".repeat(400);
    format!(
        "{HEADER}{}.entry k {{\n.reg .b32 %r<4>;\n{declarations}\n{lines}{statement}\n{lines}}}\n{}",
        other("f"),
        other("g")
    )
}

#[test]
fn fixes_are_tried_in_long_files() {
    let check = |text: &str, expect: Expect| {
        let fixture = Fixture::new(text);
        let titles: String = actions(&fixture)
            .iter()
            .map(|it| format!("{}{}\n", if it.preferred { "* " } else { "- " }, it.title))
            .collect();
        expect.assert_eq(&titles);
    };
    check(
        &long("add$0d.s32 %r1, %r2, %r3;", ""),
        expect![[r#"
        * Replace `addd` by `add`
        - Fix all auto-fixable problems
    "#]],
    );
    check(
        &long("add.s32 %r1, %r2, %r3$0", ""),
        expect![[r#"
        * Insert `;`
        - Fix all auto-fixable problems
    "#]],
    );
    check(
        &long("add.s32 %r1, %r2, %$0r9;", ""),
        expect![[r#"
            * Declare `%r<10>`
            - Fix all auto-fixable problems
        "#]],
    );
    check(
        &long("st.shared.b32 $0[%r1, %r2;", ""),
        expect![[r#"
        * Insert `]`
        - Fix all auto-fixable problems
    "#]],
    );
    // It would leave another error, on the same line or in a name that is declared twice.
    check(
        &long("ad$0dd.s32 %r1, %r2, x;", ""),
        expect![[r#"
        - Replace `addd` by `add`
        - Fix all auto-fixable problems
    "#]],
    );
    // Errors in other statements on the line do not count.
    check(
        &long("ad$0dd.s32 %r1, %r2, %r3; mov.b32 %r1, x;", ""),
        expect![[r#"
        * Replace `addd` by `add`
        - Fix all auto-fixable problems
    "#]],
    );
    // What is declared may be meant anywhere.
    check(&long("mov.b32 %r1, y;", ".reg .b$033 y;"), expect![""]);
    check(&long("mov.b32 %r1, y;", ".regg$0 .b32 y;"), expect![""]);
}

#[test]
fn a_body_without_its_declarations() {
    let lines = |mark: &str| -> String {
        let line = |it| match it {
            41 => format!("add.s32 %r1, {mark}%q{it}, %w{it};\n"),
            _ => format!("add.s32 %r1, %q{it}, %w{it};\n"),
        };
        (0..42).map(line).collect()
    };
    let before = format!(".entry k {{\n.reg .b32 %r<4>, %w<1>;\n{}}}\n", lines("$0"));
    check(
        &before,
        "Declare `.reg .s32 %q<42>`",
        &format!(
            ".entry k {{\n.reg .s32 %q<42>;\n.reg .b32 %r<4>, %w<1>;\n{}}}\n",
            lines("")
        ),
    );
    check(
        &before.replace("%w<1>", "%w<42>"),
        "Declare all registers that are missing in the file",
        &format!(
            ".entry k {{\n.reg .s32 %q<42>;\n.reg .b32 %r<4>, %w<42>;\n{}}}\n",
            lines("")
        ),
    );
    check(
        &before,
        "Fix all auto-fixable problems",
        &format!(
            ".entry k {{\n.reg .s32 %q<42>;\n.reg .b32 %r<4>, %w<42>;\n{}}}\n",
            lines("")
        ),
    );
    // A name of the module is none of the family, and one declaration does not suit two types.
    check_preferred(
        &format!(
            "{HEADER}.global .b32 x9; .entry k {{ .reg .b32 a; .reg .f64 d; add.s32 a, $0x1, x2; mov.b64 d, x9; }}"
        ),
        &[
            "*Declare `.reg .s32 x<3>`",
            "Declare all registers that are missing in the file",
        ],
    );
    check_preferred(
        &format!(
            "{HEADER}.entry k {{ .reg .b32 a; .reg .f64 d; add.s32 a, $0x1, 1; add.f64 d, x2, d; }}"
        ),
        &[
            "*Declare `.reg .s32 x1`",
            "Declare all registers that are missing in the file",
        ],
    );
}

#[test]
fn what_is_too_much_is_removed() {
    check_titles(
        "add.s32 %r1, %r2, %r2 $0%r3;",
        expect![[r#"
        - Remove `%r3`
        - Remove `%r2`
    "#]],
    );
    check_titles(
        "add.s32 %r1, %r2 $0%r2, %r3;",
        expect![[r#"
        * Remove `%r2`
    "#]],
    );
    check_titles(
        "add.s32 %r1, %r2, %r3, $0%r3;",
        expect![[r#"
        - Remove `%r3`
    "#]],
    );
    check_titles(
        "add.s32 %r1, %r2, (u32)$0%r3;",
        expect![[r#"
        * Remove `(u32)`
    "#]],
    );
    check_titles(
        "ld.shared%r3.b32 $0%r1, [%r2];",
        expect![[r#"
        * Remove `%r3`
    "#]],
    );
    check_titles(
        "ld%r2.shared$0.b32 %r1, [%r2];",
        expect![[r#"
        - Remove `%r2`
    "#]],
    );
    check_titles(
        "ld.shared.b32 %r1, $0[ [%r2];",
        expect![[r#"
        * Remove `[`
    "#]],
    );
    check_titles(
        "ld.shared.b32 %r1, $0[%r2[;",
        expect![[r#"
        * Replace `[` by `]`
    "#]],
    );
    check_titles(
        "add.s32 %r1, [$0%r2, %r3;",
        expect![[r#"
        * Remove `[`
    "#]],
    );
    check_titles(
        "ret$0.align;",
        expect![[r#"
        * Remove `.align`
    "#]],
    );
    check_titles(
        "bra L$0.gpu; L: ret;",
        expect![[r#"
        - Remove `.gpu`
    "#]],
    );
    check_titles(
        "ret;$0;",
        expect![[r#"
        - Remove `;`
    "#]],
    );
    check_titles(
        "mov.b32 %r1, %r2;\n.param .u64 $0.ptr .global .align 1 x,\nret;",
        expect![[r#"
            - Remove `.param .u64 .ptr .global .align 1 x,`
        "#]],
    );
    check_titles(
        "mov.b32 %r1, %r2;\n$0.version 8.0\nret;",
        expect![[r#"
        - Remove `.version`
    "#]],
    );
}

#[test]
fn what_is_inserted_makes_its_statement_legal() {
    check_titles(
        "mov.b32 %r1, %r2 $0%r3;",
        expect![[r#"
        - Remove `%r3`
        - Remove `%r2`
    "#]],
    );
    check_titles(
        "ld.shared.v2.b32 $0{%r1, %r2.b32, [%r3];",
        expect![[r#"
        * Replace `.b32` by `}`
    "#]],
    );
    check_titles(
        "mov.b32 %r1, %r2$0\n bar;",
        expect![[r#"
        * Insert `;`
        - Fix all auto-fixable problems
    "#]],
    );
}

#[test]
fn torn_words() {
    check_titles(
        "ld.sha $0red.b32 %r1, [%r2];",
        expect![[r#"
        - Replace `.sha red` by `.shared`
    "#]],
    );
    check_titles(
        "ld.shaé$0red.b32 %r1, [%r2];",
        expect![[r#"
        - Remove `é`
    "#]],
    );
    check_titles(
        "add.s32 %r1, %r2, %ré$03;",
        expect![[r#"
        - Remove `é`
    "#]],
    );
    let fixture = |text: &str| {
        format!(".version 8.5\n.target sm_90\n.entry k .maxntid 32 {text} {{ ret; }}\n")
    };
    check_module(
        &fixture(".reqnctapercluster 2 .explié$0itcluster"),
        "Replace `.expliéitcluster` by `.explicitcluster`",
        &fixture(".reqnctapercluster 2 .explicitcluster"),
    );
    check_module(
        &fixture(".reqnctaperc $0luster 2 .explicitcluster"),
        "Replace `.reqnctaperc luster` by `.reqnctapercluster`",
        &fixture(".reqnctapercluster 2 .explicitcluster"),
    );
}

#[test]
fn a_module_without_a_head() {
    check_preferred("$0.reg .b32 %r<4>;\nmov.b32 %r1, 1;\nret;\n", &[]);
    check_preferred(
        "$0.global .b32 x;\n",
        &["*Insert `.version`, `.target` and `.address_size`"],
    );
}

#[test]
fn of_two_fixes_the_better_is_first() {
    check_preferred(
        ".version 7.0\n.target sm_80\n.entry k .max$0clusterrank { ret; }\n",
        &[
            "*Remove `.maxclusterrank`",
            "Change `.target` to `sm_90` and raise `.version` to 7.8",
        ],
    );
}
