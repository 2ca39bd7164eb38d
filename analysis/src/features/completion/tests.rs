//! Completion at `$0`: the word that is replaced, then the first items.

use expect_test::{Expect, expect};

use super::MAX_ITEMS;
use crate::fixture::{Fixture, HEADER};

/// Items that an expectation shows.
const SHOWN: usize = 12;

#[track_caller]
fn check(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let (analysis, position) = fixture.cursor();
    let shown = match analysis.completions(position).unwrap() {
        None => "nothing".to_owned(),
        Some(found) => {
            let replaced = fixture.text(crate::FileRange {
                file: position.file,
                range: found.replace,
            });
            let labels: Vec<&str> = found.items.iter().map(|it| it.label.as_str()).collect();
            let more = labels.len().saturating_sub(SHOWN);
            let first = labels[..labels.len().min(SHOWN)].join(" ");
            format!(
                "`{replaced}`: {first}{}",
                if more > 0 {
                    format!(" and {more} more")
                } else {
                    String::new()
                }
            )
        }
    };
    expected.assert_eq(&shown);
}

/// In the body of a kernel of a module for `sm_90`.
#[track_caller]
fn check_body(text: &str, expected: Expect) {
    check(
        &format!(
            "{HEADER}.global .b8 table[64];\n.func helper() {{ ret; }}\n.entry k(.param .u64 pointer) {{\n\
             .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .pred %p<9>;\n{text}\nret;\n}}\n"
        ),
        expected,
    );
}

#[test]
fn what_an_inner_declaration_hides_is_offered_once() {
    check_body(
        "{ .reg .b32 %r<3>; .shared .b8 table[4]; mov.b32 %r1, %r2; mov.b32 %r0, $0; }",
        expect![
            "``: %r0 %r1 %r2 pointer %f0 table helper k %aggr_smem_size %clock %clock_hi %cluster_ctaid.x and 44 more"
        ],
    );
}

/// In a function so long that only what is near the cursor is lowered, what is declared far away is offered
/// all the same, and what was used near comes first.
#[test]
fn a_long_function() {
    let far = "mov.b32 %r8, %r7;\n".repeat(20_000);
    check_body(
        &format!("{far}mov.b32 %r1, %r2;\nmov.b32 %r0, $0;\n{far}"),
        expect![
            "``: %r0 %r1 %r8 %r2 %r7 pointer %f0 helper k table %aggr_smem_size %clock and 46 more"
        ],
    );
}

#[test]
fn a_function_without_a_name_is_not_offered() {
    let text = ".func (.param .b32 x);\n.func named;\n.entry k() {\ncall $0;\n}\n";
    let fixture = Fixture::new(&format!("{HEADER}{text}"));
    let (analysis, position) = fixture.cursor();
    let found = analysis.completions(position).unwrap().unwrap();
    assert!(found.items.iter().any(|it| it.label == "named"));
    assert!(found.items.iter().all(|it| !it.label.is_empty()));
}

#[test]
fn of_thousands_of_registers_the_latest_that_fit_what_is_typed() {
    let written: String = (0..2_000)
        .map(|it| format!("mov.b32 %r{it}, 1;\n"))
        .collect();
    let complete = |typed: &str| {
        let text = format!(
            "{HEADER}.entry k() {{ .reg .b32 %r<2000>;\n{written}add.u32 %r0, %r1, {typed}$0\n}}\n"
        );
        let fixture = Fixture::new(&text);
        let (analysis, position) = fixture.cursor();
        analysis.completions(position).unwrap().unwrap()
    };
    for (typed, count, first) in [
        ("", MAX_ITEMS, "%r0"),
        // The digits may be apart.
        ("%R77", 0, "%r1977"),
        ("%r19991", 0, ""),
    ] {
        let found = complete(typed);
        assert!(found.is_incomplete, "{typed}");
        assert!(found.items.len() <= MAX_ITEMS, "{typed}");
        assert!(found.items.len() >= count, "{typed}");
        let label = found.items.first().map_or("", |it| it.label.as_str());
        assert_eq!(label, first, "{typed}");
    }
}

#[test]
fn opcodes_and_directives() {
    check_body(
        "$0",
        expect!["``: mov ld add st setp cvt mul bra fma ret sub and and 135 more"],
    );
    check_body(
        "cv$0",
        expect!["`cv`: mov ld add st setp cvt mul bra fma ret sub and and 135 more"],
    );
    check_body(
        "mov.u32 %r1, 5; sh$0",
        expect!["`sh`: mov ld add st setp cvt mul bra fma ret sub and and 135 more"],
    );
    check_body(
        "@%p1 b$0",
        expect!["`b`: mov ld add st setp cvt mul bra fma ret sub and and 135 more"],
    );
    check_body(
        ".$0",
        expect![
            "`.`: .reg .shared .local .param .loc .pragma .global .const .branchtargets .calltargets .callprototype"
        ],
    );
    check(
        "$0",
        expect![
            "``: .visible .entry .func .global .const .shared .extern .weak .common .file .section .pragma and 17 more"
        ],
    );
    check(
        &format!("{HEADER}.vis$0"),
        expect![
            "`.vis`: .visible .entry .func .global .const .shared .extern .weak .common .file .section .pragma and 17 more"
        ],
    );
}

#[test]
fn modifiers() {
    check_body(
        "ld.$0",
        expect![
            "`.`: .param .shared .global .const .f32 .b64 .local .b32 .u32 .u64 .s32 .volatile and 39 more"
        ],
    );
    check_body(
        "ld.glo$0",
        expect![
            "`.glo`: .param .shared .global .const .f32 .b64 .local .b32 .u32 .u64 .s32 .volatile and 39 more"
        ],
    );
    check_body(
        "ld.global.$0\nadd.s32 %r1, %r2, %r3;",
        expect!["`.`: .f32 .s32 .b16 .b32 .u32 .u64 .f64 .nc .v4 .u16 .v2 .u8 and 30 more"],
    );
    check_body(
        "ld.$0.f32 %f1, [%rd1];",
        expect![
            "`.`: .param .shared .global .const .local .volatile .v4 .v2 .weak .relaxed .acquire .mmio and 23 more"
        ],
    );
    check_body(
        "cvt.rn.f32.$0",
        expect!["`.`: .s32 .u32 .f64 .s64 .u8 .u64 .s16 .u16 .bf16 .s8 .ftz .sat"],
    );
    check_body(
        "cp.async.$0",
        expect![
            "`.`: .ca .bulk .cg .wait_group .commit_group .mbarrier .wait_all .shared .shared::cta .L2::cache_hint .L2::64B .L2::128B and 1 more"
        ],
    );
    check_body(
        "mul.$0",
        expect!["`.`: .f32 .wide .lo .f64 .hi .ftz .rn .rp .f16x2 .rm .rz .sat and 3 more"],
    );
    check_body("no.$0", expect!["`.`: "]);
    check_body("wgmma.$0", expect!["`.`: "]);
}

#[test]
fn operands() {
    check_body(
        "mov.b32 %r5, 1;\nadd.s32 %r6, $0",
        expect!["``: %r6 %r5 %r7 %f0 %rd0 %p0"],
    );
    check_body(
        "mov.b32 %r5, 1;\nadd.s32 $0",
        expect!["``: %r5 %r6 %f0 %rd0 %p0"],
    );
    check_body("add.f32 %f1, %$0", expect!["`%`: %f1 %r0 %f2 %rd0 %p0"]);
    check_body(
        "ld.param.u64 %rd1, [$0",
        expect!["``: pointer %rd1 %r0 %rd2 %f0 %p0"],
    );
    check_body(
        "ld.global.f32 %f1, [$0];",
        expect!["``: %r0 %rd0 table %f1 %f2 %p0"],
    );
    check_body(
        "ld.global.v2.f32 {%f1, $0}, [%rd1];",
        expect!["``: %f1 %r0 %f2 %rd0 %p0"],
    );
    check_body(
        "mov.u32 %r1, %ti$0",
        expect![
            "`%ti`: %r1 pointer %r2 helper k table %aggr_smem_size %clock %clock_hi %cluster_ctaid.x %cluster_ctaid.y %cluster_ctaid.z and 43 more"
        ],
    );
    check_body("setp.eq.s32 $0", expect!["``: %p0 %r0 %f0 %rd0"]);
    check_body("@$0", expect!["``: %p0 %r0 %f0 %rd0"]);
    check_body("@!%p$0", expect!["`%p`: %p0 %r0 %f0 %rd0"]);
    check_body("L1: bra $0", expect!["``: L1 %r0 %f0 %rd0 %p0"]);
    check_body(
        "call $0",
        expect![
            "``: pointer %r0 %f0 %rd0 %p0 helper table %aggr_smem_size %clock %clock64 %clock_hi %cluster_ctaid.x and 45 more"
        ],
    );
    check_body(
        "add.s32 %r1, %r2, %r3;  $0",
        expect!["``: mov ld add st setp cvt mul bra fma ret sub and and 135 more"],
    );
    check_body(
        "ld.global.\nadd.s32 %r1, $0",
        expect!["``: %r1 %r2 %f0 %rd0 %p0"],
    );
    check_body("mov.u32 %r1, %tid.$0", expect!["nothing"]);
}

#[test]
fn words_of_directives() {
    check(
        ".version $0",
        expect!["``: 9.5 9.4 9.3 9.2 9.1 9.0 8.8 8.7 8.6 8.5 8.4 8.3 and 37 more"],
    );
    check(
        ".version 8.0\n.target $0",
        expect![
            "``: sm_90a sm_90 sm_89 sm_87 sm_86 sm_82 sm_80 sm_75 sm_72 sm_70 sm_62 sm_61 and 40 more"
        ],
    );
    check(
        &format!("{HEADER}.visible $0"),
        expect!["``: .entry .func .global .const .shared"],
    );
    check(
        &format!("{HEADER}.visible .entry k($0"),
        expect!["``: .param .reg"],
    );
    check(
        &format!("{HEADER}.visible .entry k(.param .$0"),
        expect!["`.`: .b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s16 .s32 and 13 more"],
    );
    check(
        &format!("{HEADER}.visible .entry k() .$0"),
        expect![
            "`.`: .maxnreg .maxntid .reqntid .minnctapersm .reqnctapercluster .maxclusterrank .explicitcluster"
        ],
    );
    check(
        &format!("{HEADER}.global .$0"),
        expect!["`.`: .b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s16 .s32 and 13 more"],
    );
    check_body(
        ".reg .$0",
        expect!["`.`: .b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s16 .s32 and 8 more"],
    );
    check_body(".reg .b32 %$0", expect!["`%`: "]);
}

#[test]
fn nothing_in_comments_numbers_and_strings() {
    check_body("// ld.$0", expect!["nothing"]);
    check_body("/* ld.$0 */", expect!["nothing"]);
    check_body("add.s32 %r1, %r2, 12$0", expect!["nothing"]);
    check_body("mov.b32 %r1, 1; // done $0", expect!["nothing"]);
}
