//! Fixes that are offered for wrong modules, and their results.

mod trials;

use std::sync::Arc;

use expect_test::{Expect, expect};

use super::*;
use crate::{
    AnalysisConfig, Change,
    fixture::{Fixture, HEADER},
};

/// The actions at the cursor of a module, given as it is.
fn actions(fixture: &Fixture) -> Vec<CodeAction> {
    let (analysis, at) = fixture.cursor();
    let range = TextRange::empty(at.offset);
    analysis
        .code_actions(FileRange {
            file: at.file,
            range,
        })
        .unwrap()
}

fn apply(text: &str, action: &CodeAction) -> String {
    let mut text = text.to_owned();
    for edit in action.edits.files[0].edits.iter().rev() {
        text.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.insert);
    }
    text
}

#[track_caller]
fn check_module(before: &str, title: &str, after: &str) {
    let fixture = Fixture::new(before);
    let actions = actions(&fixture);
    let titles: Vec<&str> = actions.iter().map(|it| &*it.title).collect();
    let action = actions.iter().find(|it| it.title == title);
    let action = action.unwrap_or_else(|| panic!("no `{title}` among {titles:?}"));
    let actual = apply(&fixture.files[0].1, action);
    assert!(actual == after, "actual:\n{actual}");
    assert!(!action.diagnostics.is_empty());
}

/// Checks what an action makes of a module, given without its header.
#[track_caller]
fn check(before: &str, title: &str, after: &str) {
    check_module(
        &format!("{HEADER}{before}"),
        title,
        &format!("{HEADER}{after}"),
    );
}

/// Checks an action inside a kernel with some registers.
#[track_caller]
fn check_fix(before: &str, title: &str, after: &str) {
    const START: &str =
        ".entry k {\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n.reg .f32 %f<4>;\n.reg .pred %p<2>;\n";
    check(
        &format!("{START}{before}\n}}\n"),
        title,
        &format!("{START}{after}\n}}\n"),
    );
}

/// Checks what is offered at the cursor; `*` marks what is preferred.
fn check_titles(before: &str, expect: Expect) {
    let fixture = Fixture::new(&format!(
        "{HEADER}.entry k {{\n.reg .b32 %r<4>;\n.reg .f32 %f<4>;\n{before}\n}}\n"
    ));
    let titles: String = actions(&fixture)
        .iter()
        .map(|it| format!("{}{}\n", if it.preferred { "* " } else { "- " }, it.title))
        .collect();
    expect.assert_eq(&titles);
}

#[test]
fn misspelt_words() {
    check_fix(
        "ad$0dd.s32 %r1, %r1, 1;",
        "Replace `addd` by `add`",
        "add.s32 %r1, %r1, 1;",
    );
    check_fix(
        "mul.w$0ied.s32 %d1, %r1, 1;",
        "Replace `.wied` by `.wide`",
        "mul.wide.s32 %d1, %r1, 1;",
    );
    check_fix(
        "cp.async.wait_al$0;",
        "Replace `.wait_al` by `.wait_all`",
        "cp.async.wait_all;",
    );
    check_fix(
        "cp.asynk$0.commit_group;",
        "Replace `.asynk` by `.async`",
        "cp.async.commit_group;",
    );
}

#[test]
fn slips_in_the_names_of_registers() {
    check_titles(
        "add.u32 r$01, %r1, %r2;",
        expect![[r#"
            * Replace `r1` by `%r1`
            - Declare `.reg .u32 r1`
        "#]],
    );
    check_titles(
        "add.u32 %r1, %R$02, %r2;",
        expect![[r#"
            * Replace `%R2` by `%r2`
            - Declare `.reg .u32 %R2`
        "#]],
    );
    check_titles(
        "mov.u32 %r1, %tid$0x;",
        expect![[r#"
            * Replace `%tidx` by `%tid.x`
            - Declare `.reg .u32 %tidx`
        "#]],
    );
    check_titles(
        "mov.u32 %r1, ti$0d.x;",
        expect![[r#"
        * Replace `tid` by `%tid`
    "#]],
    );
    check_titles(
        "mov.u32 %r1, LANE$0ID;",
        expect![[r#"
            * Replace `LANEID` by `%laneid`
            - Declare `.reg .u32 LANEID`
        "#]],
    );
    check_titles(
        "add.f32 %f1, r$01, %f2;",
        expect![[r#"
            * Replace `r1` by `%r1`
            - Declare `.reg .f32 r1`
        "#]],
    );
    check_titles("add.u32 %r1, %r2, %r$0;", expect![[r#""#]]);
    check_titles(
        ".reg .pred %p<3>;\n@p$01 ret;",
        expect![[r#"
            * Replace `p1` by `%p1`
            - Declare `.reg .pred p1`
        "#]],
    );
}

#[test]
fn a_type_with_two_digits_swapped() {
    check_titles(
        "add.u2$03 %r1, %r1, 1;",
        expect![[r#"
        * Replace `.u23` by `.u32`
        - Replace `.u23` by `.s32`
    "#]],
    );
}

#[test]
fn missing_modifiers() {
    check_fix(
        "div.f3$02 %f1, %f1, %f1;",
        "Insert `.rn`",
        "div.rn.f32 %f1, %f1, %f1;",
    );
    check_fix(
        "fma$0.f32 %f1, %f1, %f1, %f1;",
        "Insert `.rz`",
        "fma.rz.f32 %f1, %f1, %f1, %f1;",
    );
    check_fix(
        "setp.lt$0 %p1, %r1, %r2;",
        "Insert `.s32`",
        "setp.lt.s32 %p1, %r1, %r2;",
    );
    check_fix(
        "cp.co$0mmit_group;",
        "Insert `.async`",
        "cp.async.commit_group;",
    );
    check_titles(
        "div.f3$02 %f1, %f1, %f1;",
        expect![[r#"
            - Insert `.rn`
            - Insert `.full`
            - Insert `.approx`
            - Insert `.rp`
            - Insert `.rm`
            - Insert `.rz`
        "#]],
    );
    check_titles(
        "cvt.f3$02.s32 %f1, %r1;",
        expect![[r#"
            - Insert `.rn`
            - Insert `.rz`
            - Insert `.rm`
            - Insert `.rp`
        "#]],
    );
}

#[test]
fn illegal_modifiers() {
    check_fix(
        "add.rn$0.s32 %r1, %r1, 1;",
        "Remove `.rn`",
        "add.s32 %r1, %r1, 1;",
    );
    check_fix(
        "add.sat$0.u32 %r1, %r1, 1;",
        "Remove `.sat`",
        "add.u32 %r1, %r1, 1;",
    );
    check_fix(
        "ld.v3$0.u32 {%r1, %r2}, [%d1];",
        "Replace `.v3` by `.v2`",
        "ld.v2.u32 {%r1, %r2}, [%d1];",
    );
    check_fix("membar.gpu$0.sys;", "Remove `.gpu`", "membar.sys;");
    check_fix(
        "cvt.s32.s32.s32$0 %r1, %r2;",
        "Remove `.s32`",
        "cvt.s32.s32 %r1, %r2;",
    );
    check_titles(
        "bfe.b3$02 %r1, %r2, %r3, %r3;",
        expect![[r#"
            - Replace `.b32` by `.u32`
            - Replace `.b32` by `.s32`
        "#]],
    );
    check_titles(
        "add.f31$0 %f1, %f1, %f1;",
        expect![[r#"
        * Replace `.f31` by `.f32`
    "#]],
    );
}

#[test]
fn versions_and_targets() {
    let module = |version: &str, target: &str, cursor: &str| {
        format!(
            ".version {version} // v\n.target {target}, debug\n.address_size 64\n.entry k {{\n.reg .b32 r;\n{cursor}redux.sync.add.s32 r, r, -1;\n}}\n"
        )
    };
    check_module(
        &module("7.0", "sm_70", "$0"),
        "Change `.target` to `sm_80`",
        &module("7.0", "sm_80", ""),
    );
    check_module(
        &module("6.0", "sm_70", "$0"),
        "Change `.target` to `sm_80` and raise `.version` to 7.0",
        &module("7.0", "sm_80", ""),
    );
    check_module(
        &module("6.5", "sm_80", "$0"),
        "Raise `.version` to 7.0",
        &module("7.0", "sm_80", ""),
    );
    check_module(
        ".version 8.5\n.target sm_103\n.entry k {\n.reg .b32 r;\n$0setmaxnreg.inc.sync.aligned.u32 24;\n}\n",
        "Change `.target` to `sm_103f` and raise `.version` to 8.8",
        ".version 8.8\n.target sm_103f\n.entry k {\n.reg .b32 r;\nsetmaxnreg.inc.sync.aligned.u32 24;\n}\n",
    );
}

#[test]
fn special_registers_have_gates() {
    let module = |version: &str, target: &str, cursor: &str| {
        format!(
            ".version {version}\n.target {target}\n.entry k {{\n.reg .b32 r;\nmov.u32 r, {cursor}%cluster_ctaid.x;\n}}\n"
        )
    };
    check_module(
        &module("7.0", "sm_80", "$0"),
        "Change `.target` to `sm_90` and raise `.version` to 7.8",
        &module("7.8", "sm_90", ""),
    );
}

#[test]
fn a_target_of_the_settings_is_not_changed() {
    let mut fixture = Fixture::new(
        ".version 8.0\n.target sm_90a\n.entry k {\nwgmma$0.fence.sync.aligned;\nret;\n}\n",
    );
    assert_eq!(actions(&fixture), []);
    let config = AnalysisConfig {
        target_override: Some(Arc::from("sm_90")),
        ..AnalysisConfig::default()
    };
    fixture.host.apply_change(Change {
        files: Vec::new(),
        config: Some(config),
    });
    let (analysis, at) = fixture.cursor();
    assert_eq!(analysis.diagnostics(at.file).unwrap().len(), 1);
    assert_eq!(actions(&fixture), []);
}

#[test]
fn punctuation() {
    check_fix(
        "mov.b32 %r1, %r2$0\nret;",
        "Insert `;`",
        "mov.b32 %r1, %r2;\nret;",
    );
    check_fix(
        "mov.b32 %r1 /* c */ $0%r2;",
        "Insert `,`",
        "mov.b32 %r1, /* c */ %r2;",
    );
    check_fix(
        "ld.global.b32 %r1, $0[%d1;",
        "Insert `]`",
        "ld.global.b32 %r1, [%d1];",
    );
    check_fix(
        "ld.global.v2.b32 $0{%r1, %r2, [%d1];",
        "Insert `}`",
        "ld.global.v2.b32 {%r1, %r2}, [%d1];",
    );
    check(
        ".global .b32 a$0\n.global .b32 b;\n",
        "Insert `;`",
        ".global .b32 a;\n.global .b32 b;\n",
    );
}

#[test]
fn undefined_names() {
    check(
        ".global .b32 table;\n.entry k {\n\t.reg .b64 a;\n\tmov.b64 a, tabel$0;\n}\n",
        "Replace `tabel` by `table`",
        ".global .b32 table;\n.entry k {\n\t.reg .b64 a;\n\tmov.b64 a, table;\n}\n",
    );
    check(
        ".func helper { }\n.entry k {\ncall hepler$0;\n}\n",
        "Replace `hepler` by `helper`",
        ".func helper { }\n.entry k {\ncall helper;\n}\n",
    );
    check(
        ".entry k {\nbra $0$L_lop;\n$L_loop: ret;\n}\n",
        "Replace `$L_lop` by `$L_loop`",
        ".entry k {\nbra $L_loop;\n$L_loop: ret;\n}\n",
    );
    check(
        ".global .b32 table;\n.global .u64 t[] = {tabel$0, 1};\n",
        "Replace `tabel` by `table`",
        ".global .b32 table;\n.global .u64 t[] = {table, 1};\n",
    );
}

#[test]
fn undeclared_registers() {
    check(
        ".entry k {\n    .reg .b32 a;\n    setp.lt.s32 $0q, a, 1;\n}\n",
        "Declare `.reg .pred q`",
        ".entry k {\n    .reg .pred q;\n    .reg .b32 a;\n    setp.lt.s32 q, a, 1;\n}\n",
    );
    check(
        ".entry k { { @$0q ret; } }\n",
        "Declare `.reg .pred q`",
        ".entry k { .reg .pred q; { @q ret; } }\n",
    );
    check_fix_of_class("ld.global.f32 %f1, [q$0];", "b64");
    check_fix_of_class("add.f32 %f1, %f2, q$0;", "f32");
    check_fix_of_class("cvt.rn.f32.s32 q$0, %r1;", "f32");
    check(
        ".entry k {\n.reg .b32 %r<4>;\nmov.b32 %r1, %r17$0;\n}\n",
        "Declare `%r<18>`",
        ".entry k {\n.reg .b32 %r<18>;\nmov.b32 %r1, %r17;\n}\n",
    );
}

#[track_caller]
fn check_fix_of_class(statement: &str, class: &str) {
    let text =
        format!("{HEADER}.entry k {{\n.reg .b32 %r<4>;\n.reg .f32 %f<4>;\n{statement}\n}}\n");
    let titles: Vec<String> = actions(&Fixture::new(&text))
        .into_iter()
        .map(|it| it.title)
        .collect();
    assert_eq!(titles, [format!("Declare `.reg .{class} q`")]);
}

#[test]
fn all_of_a_kind() {
    check(
        ".entry k {\n.reg .b32 %r<4>;\nmov.b32 $0%r4, %r17;\nmov.b32 %r9, 1;\n}\n",
        "Declare all numbered registers that are missing in the file",
        ".entry k {\n.reg .b32 %r<18>;\nmov.b32 %r4, %r17;\nmov.b32 %r9, 1;\n}\n",
    );
    check(
        ".entry k {\n.reg .b32 r;\nadd.rn$0.s32 r, r, r;\naddd.s32 r, r, r;\nadd.ftz.s32 r, r, r;\n}\n",
        "Remove all modifiers that are not allowed in the file",
        ".entry k {\n.reg .b32 r;\nadd.s32 r, r, r;\naddd.s32 r, r, r;\nadd.s32 r, r, r;\n}\n",
    );
    check_module(
        ".version 6.0\n.target sm_60\n.entry k {\n.reg .b32 r;\n$0redux.sync.add.s32 r, r, -1;\nbar.warp.sync r;\nwgmma.fence.sync.aligned;\n}\n",
        "Change `.version` and `.target` to what the whole file needs",
        ".version 8.0\n.target sm_90a\n.entry k {\n.reg .b32 r;\nredux.sync.add.s32 r, r, -1;\nbar.warp.sync r;\nwgmma.fence.sync.aligned;\n}\n",
    );
}

#[test]
fn all_slips() {
    check(
        "$0.entry k {\n.reg .b32 r\nmvo.b32 r, 1;\nadd.rn.s32 r r, r;\n}\n",
        "Fix all auto-fixable problems",
        // Another comma would only show that `.rn` is wrong.
        ".entry k {\n.reg .b32 r;\nmov.b32 r, 1;\nadd.rn.s32 r r, r;\n}\n",
    );
    let clean = Fixture::new(".version 8.0\n.target sm_90\n.entry k { r$0et; }\n");
    assert_eq!(actions(&clean), []);
}

#[test]
fn prototypes() {
    check(
        ".entry k {\n.reg .b64 %d<4>; .param .align 8 .b8 q[16];\n    @%p call (%d2), %d$01, (%d3, q, 1.0);\n}\n",
        "Declare the `.callprototype` of this call",
        ".entry k {\n.reg .b64 %d<4>; .param .align 8 .b8 q[16];\n    prototype_1: .callprototype (.param .b64 _) _ (.param .b64 _, .param .align 8 .b8 _[16], .param .f32 _);\n    @%p call (%d2), %d1, (%d3, q, 1.0), prototype_1;\n}\n",
    );
    check(
        "// The kernel.\n.entry k {\n.reg .b64 %d<4>; call fr$0ee, (%d1);\n}\n",
        "Declare `free`",
        "// The kernel.\n.extern .func free (.param .b64 ptr);\n.entry k {\n.reg .b64 %d<4>; call free, (%d1);\n}\n",
    );
}

#[test]
fn operands_in_a_wrong_form() {
    check_fix(
        "st.global.f32 $0%f1, [%d1+4];",
        "Exchange the operands",
        "st.global.f32 [%d1+4], %f1;",
    );
    check_fix(
        "ld.global.f32 %f1, $0%d1;",
        "Put `%d1` in brackets",
        "ld.global.f32 %f1, [%d1];",
    );
    check_fix(
        "add.s32 %r1, [$0%r2], 1;",
        "Remove the brackets",
        "add.s32 %r1, %r2, 1;",
    );
    check_fix(
        "elect.sync $0%p1, -1;",
        "Make `%p1` the second part of a pair",
        "elect.sync _|%p1, -1;",
    );
}

#[test]
fn state_spaces_of_parameters() {
    check(
        ".entry k(.u64 $0a) { ret; }\n",
        "Insert `.param`",
        ".entry k(.param .u64 a) { ret; }\n",
    );
    check(
        ".entry k(.re$0g .u64 a) { ret; }\n",
        "Replace by `.param`",
        ".entry k(.param .u64 a) { ret; }\n",
    );
    check(
        ".entry k(.param .align 1$02 .u64 a) { ret; }\n",
        "Replace `12` by `16`",
        ".entry k(.param .align 16 .u64 a) { ret; }\n",
    );
}

#[test]
fn directives() {
    check_module(
        "$0.entry k { ret; }\n",
        "Insert `.version`, `.target` and `.address_size`",
        ".version 8.5\n.target sm_90\n.address_size 64\n\n.entry k { ret; }\n",
    );
    check_module(
        "$0.target sm_103a\n.entry k { ret; }\n",
        "Insert `.version 8.8`",
        ".version 8.8\n.target sm_103a\n.entry k { ret; }\n",
    );
    check_module(
        ".version 7.0\n$0.address_size 64\n.entry k { ret; }\n",
        "Insert `.target sm_80`",
        ".version 7.0\n.target sm_80\n.address_size 64\n.entry k { ret; }\n",
    );
    check_module(
        ".version 8.5\n.target sm_90\n.address_size $032\n.entry k { ret; }\n",
        "Replace `32` by `64`",
        ".version 8.5\n.target sm_90\n.address_size 64\n.entry k { ret; }\n",
    );
    check_module(
        ".version 7.0\n.target sm_9$00\n.entry k { ret; }\n",
        "Raise `.version` to 7.8",
        ".version 7.8\n.target sm_90\n.entry k { ret; }\n",
    );
    check(
        ".entry k .maxntid 3 .reqnt$0id 3 { ret; }\n",
        "Remove `.reqntid`",
        ".entry k .maxntid 3  { ret; }\n",
    );
    check_module(
        ".version 9.0\n.target sm_90\n.func f .abi_preserve 3 .noret$0urn { exit; }\n",
        "Move `.noreturn` before `.abi_preserve`",
        ".version 9.0\n.target sm_90\n.func f .noreturn .abi_preserve 3  { exit; }\n",
    );
    check_module(
        ".version 8.5\n.target sm_90\n.func f .abi_pre$0serve 3 { exit; }\n",
        "Raise `.version` to 9.0",
        ".version 9.0\n.target sm_90\n.func f .abi_preserve 3 { exit; }\n",
    );
}

#[test]
fn the_space_of_a_variable() {
    let module = |word: &str| {
        format!(
            ".const .f32 c;\n.shared .f32 s;\n.entry k(.param .f32 p) {{\n.reg .f32 f;\n{word}\n}}\n"
        )
    };
    check(
        &module("ld.f32 f, [$0p];"),
        "Insert `.param`",
        &module("ld.param.f32 f, [p];"),
    );
    check(
        &module("ld.global.f32 f, [$0s];"),
        "Replace `.global` by `.shared`",
        &module("ld.shared.f32 f, [s];"),
    );
    check(
        &module("ld.f32 f, [$0c+4];"),
        "Insert `.const`",
        &module("ld.const.f32 f, [c+4];"),
    );
}

#[test]
fn addresses_are_as_wide_as_the_module_says() {
    check_module(
        ".version 7.0\n.target sm_70\n.address_size 32\n.entry k {\n.reg .f32 f;\nld.global.f32 f, [$0a];\n}\n",
        "Declare `.reg .b32 a`",
        ".version 7.0\n.target sm_70\n.address_size 32\n.entry k {\n.reg .b32 a;\n.reg .f32 f;\nld.global.f32 f, [a];\n}\n",
    );
}

/// The titles of the quick fixes at the cursor, the preferred one with a star.
#[track_caller]
fn check_preferred(before: &str, wanted: &[&str]) {
    let fixture = Fixture::new(before);
    let actions = actions(&fixture);
    let quick = actions
        .iter()
        .filter(|it| it.kind == CodeActionKind::QuickFix);
    let titles: Vec<String> = quick
        .map(|it| format!("{}{}", if it.preferred { "*" } else { "" }, it.title))
        .collect();
    assert_eq!(titles, wanted);
}

#[test]
fn registers_that_are_missing_are_declared_and_not_respelt() {
    // Neither the stem `%rd` nor a register of another width is meant; the whole family is missing.
    check_preferred(
        &format!(
            "{HEADER}.entry k {{ .reg .b64 %rd<3>; .reg .b64 %rd_; mov.b32 %$0r1, 1; add.s32 %r7, %r1, 2; }}"
        ),
        &[
            "*Declare `.reg .b32 %r<8>`",
            "Declare all registers that are missing in the file",
        ],
    );
    check(
        ".entry k {\n.reg .b32 %r<2>;\nmov.b32 $0%r4, 1;\nmov.b32 %r9, 1;\n}\n",
        "Declare `%r<10>`",
        ".entry k {\n.reg .b32 %r<10>;\nmov.b32 %r4, 1;\nmov.b32 %r9, 1;\n}\n",
    );
    check_preferred(
        &format!(
            "{HEADER}.entry k(.param .u32 a, .param .u32 b) {{ .reg .b32 r; ld.param.u32 r, [$0bb]; }}"
        ),
        &["*Replace `bb` by `b`"],
    );
    // A register in the place of a parameter has its name.
    check_preferred(
        &format!(
            "{HEADER}.entry k(.param .u64 in) {{ .reg .b64 %rd<2>; ld.param.u64 %rd1, [$0iin]; }}"
        ),
        &["*Replace `iin` by `in`"],
    );
    check_preferred(
        &format!("{HEADER}.entry k(.param .u64 in) {{ .reg .b64 d; ld.param.u64 d, [$0%base]; }}"),
        &["*Declare `.reg .b64 %base`"],
    );
    check_preferred(
        &format!("{HEADER}.entry k(.param .u64 in) {{ .reg .b64 d; ld.global.u64 d, [$0bas]; }}"),
        &["*Declare `.reg .b64 bas`"],
    );
}

#[test]
fn a_special_register_with_components() {
    check_preferred(
        &format!("{HEADER}.entry k {{ .reg .b32 r; mov.u32 r, %t$0id; }}"),
        &["*Replace `%tid` by `%tid.x`"],
    );
}

#[test]
fn headers_are_raised_for_the_whole_file() {
    check_module(
        ".version 6.0\n.target sm_60\n.entry k {\n.reg .b32 r;\nr$0edux.sync.add.s32 r, r, -1;\nwgmma.fence.sync.aligned;\n}\n",
        "Change `.target` to `sm_90a` and raise `.version` to 8.0",
        ".version 8.0\n.target sm_90a\n.entry k {\n.reg .b32 r;\nredux.sync.add.s32 r, r, -1;\nwgmma.fence.sync.aligned;\n}\n",
    );
    check_module(
        "$0.target sm_80\n.version 8.0\n.entry k { ret; }\n",
        "Move `.version` before `.target`",
        ".version 8.0\n.target sm_80\n.entry k { ret; }\n",
    );
}

#[test]
fn generic_addresses_of_parameters() {
    const COPY: &str =
        "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile]";
    let text = |registers: &str, before: &str, map: &str| {
        format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .align 64 .b8 map[128]) {{\n    .reg .b32 %r<3>;{registers}\n    .shared .align 128 .b8 tile[128];\n    .shared .b64 bar;\n    {before}{COPY}, [{map}, {{%r1}}], [bar];\n    ret;\n}}\n"
        )
    };
    // A family of the function gets one more member.
    check_module(
        &text(" .reg .b64 %rd<4>;", "", "$0map"),
        "Use its generic address in `%rd4`",
        &text(
            " .reg .b64 %rd<5>;",
            "mov.b64 %rd4, map;\n    cvta.param.u64 %rd4, %rd4;\n    ",
            "%rd4",
        ),
    );
    // Without a family the register has a declaration of its own.
    let after = text(
        "",
        "mov.b64 %rd, map;\n    cvta.param.u64 %rd, %rd;\n    ",
        "%rd",
    );
    check_module(
        &text("", "", "$0map"),
        "Use its generic address in `%rd`",
        &after.replacen("{\n", "{\n    .reg .b64 %rd;\n", 1),
    );
}
