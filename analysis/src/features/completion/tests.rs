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
            "``: %r1 %r2 table pointer helper k %tid.x %ctaid.x %laneid %ntid.x %nctaid.x %ctaid.y and 42 more"
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
            "``: %r1 %r8 %r2 %r7 pointer helper k %tid.x %ctaid.x %laneid %ntid.x %nctaid.x and 42 more"
        ],
    );
}

#[test]
fn constants_where_only_they_can_be_or_mostly_are() {
    for (text, expected) in [
        (
            "cp.async.ca.shared.global [table], [%rd1], $0;",
            expect!["``: 4 16 8"],
        ),
        ("cp.async.wait_group $0;", expect!["``: 0 2 8 4 1 5"]),
        ("bar.sync $0;", expect!["``: 0 %r0"]),
        ("shl.b32 %r1, %r2, $0;", expect!["``: 2 1 8 16 23 4 %r0"]),
        (
            "lop3.b32 %r1, %r2, %r3, %r4, $0;",
            expect!["``: 0x80 0xfe 0x96 0xf8 0xca 0xe8"],
        ),
        (
            ".pragma $0;",
            expect![[
                r#"``: "nounroll" "used_bytes_mask" "enable_smem_spilling" "frequency" "mma_throughput""#
            ]],
        ),
    ] {
        check_body(text, expected);
    }
    for (text, expected) in [
        (
            ".entry k() .maxntid $0 { ret; }",
            expect!["``: 128 256 512 1024 384 64 32"],
        ),
        (
            ".entry k() .maxntid 128, $0 { ret; }",
            expect!["``: 128 256 512 1024 384 64 32"],
        ),
        (
            ".entry k() .maxntid 128 $0 { ret; }",
            expect![
                "``: .maxnreg .maxntid .reqntid .minnctapersm .reqnctapercluster .maxclusterrank .explicitcluster"
            ],
        ),
        (
            ".entry k() .maxntid 128 .maxnreg $0 { ret; }",
            expect!["``: 128 64 168 255 32"],
        ),
        (
            ".global .align $0 .b8 a[4];",
            expect!["``: 16 8 4 128 32 64 2 1 1024"],
        ),
        (
            ".global .align 4 $0",
            expect!["``: .b8 .b32 .f32 .u32 .b64 .u64 .b16 .b128 .u8 .u16 .s8 .s16 and 12 more"],
        ),
        (
            ".global $0",
            expect!["``: .align .b8 .b32 .f32 .u32 .b64 .u64 .b16 .b128 .u8 .u16 .s8 and 13 more"],
        ),
        (
            ".entry k(.param $0) { ret; }",
            expect!["``: .u64 .u32 .b64 .b32 .f32 .b8 .b16 .b128 .u8 .u16 .s8 .s16 and 13 more"],
        ),
    ] {
        check(&format!("{HEADER}{text}"), expected);
    }
    check(
        ".version 9.0\n.target sm_90, $0",
        expect![
            "``: texmode_unified texmode_independent debug map_f64_to_f32 sm_121a sm_121f sm_121 sm_120a sm_120f sm_120 sm_110a sm_110f and 40 more"
        ],
    );
}

/// ptxas generates no code for 64-bit modules that take 32 bits of the address of a variable in global memory.
#[test]
fn the_address_of_a_global_variable_in_half_a_register() {
    check_body(
        "mov.u32 %r1, ta$0;",
        expect![
            "`ta`: pointer helper k %tid.x %ctaid.x %laneid %ntid.x %nctaid.x %ctaid.y %tid.y %ctaid.z %nctaid.y and 38 more"
        ],
    );
    check_body(
        "mov.u64 %rd1, ta$0;",
        expect!["`ta`: pointer helper k table %globaltimer %clock64 %current_graph_exec %rd0"],
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
        ("", MAX_ITEMS, "%r1999"),
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
            "``: .version module .target .address_size .visible .entry .func .global .const .shared .extern .weak and 20 more"
        ],
    );
    check(
        &format!("{HEADER}.vis$0"),
        expect![
            "`.vis`: .visible .entry .func .global .const .shared .extern .weak .common .file .section .pragma and 20 more"
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
    check_body("mov.b32 %r5, 1;\nadd.s32 %r6, $0", expect!["``: %r5"]);
    check_body("mov.b32 %r5, 1;\nadd.s32 $0", expect!["``: %r6 %r5"]);
    check_body("add.f32 %f1, %$0", expect!["`%`: %f0 %r0"]);
    check_body("ld.param.u64 %rd1, [$0", expect!["``: pointer %r0 %rd0"]);
    check_body("ld.global.f32 %f1, [$0];", expect!["``: table %rd0"]);
    check_body(
        "ld.global.v2.f32 {%f1, $0}, [%rd1];",
        expect!["``: %f1 %f0 %r0"],
    );
    check_body(
        "mov.u32 %r1, %ti$0",
        expect![
            "`%ti`: pointer helper k %tid.x %ctaid.x %laneid %ntid.x %nctaid.x %ctaid.y %tid.y %ctaid.z %nctaid.y and 38 more"
        ],
    );
    check_body("setp.eq.s32 $0", expect!["``: %p0"]);
    check_body("@$0", expect!["``: %p0"]);
    check_body("@!%p$0", expect!["`%p`: %p0"]);
    check_body("L1: bra $0", expect!["``: L1"]);
    check_body("call $0", expect!["``: helper"]);
    check_body(
        "add.s32 %r1, %r2, %r3;  $0",
        expect!["``: mov ld add st setp cvt mul bra fma ret sub and and 135 more"],
    );
    check_body("ld.global.\nadd.s32 %r1, $0", expect!["``: %r0"]);
    check_body("mov.u32 %r1, %tid.$0", expect!["`.`: .x .y .z"]);
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
        expect!["`.`: .u64 .u32 .b64 .b32 .f32 .b8 .b16 .b128 .u8 .u16 .s8 .s16 and 13 more"],
    );
    check(
        &format!("{HEADER}.visible .entry k() .$0"),
        expect![
            "`.`: .maxnreg .maxntid .reqntid .minnctapersm .reqnctapercluster .maxclusterrank .explicitcluster"
        ],
    );
    check(
        &format!("{HEADER}.global .$0"),
        expect!["`.`: .align .b8 .b32 .f32 .u32 .b64 .u64 .b16 .b128 .u8 .u16 .s8 and 13 more"],
    );
    check_body(
        ".reg .$0",
        expect!["`.`: .b32 .b64 .pred .f32 .b16 .f64 .b8 .b128 .u8 .u16 .u32 .u64 and 8 more"],
    );
    check_body(".reg .b16 %$0", expect!["`%`: %rs<…>"]);
    check_body(".reg .b32 %$0", expect!["`%`: "]);
}

#[test]
fn nothing_in_comments_numbers_and_strings() {
    check_body("// ld.$0", expect!["nothing"]);
    check_body("/* ld.$0 */", expect!["nothing"]);
    check_body("add.s32 %r1, %r2, 12$0", expect!["nothing"]);
    check_body("mov.b32 %r1, 1; // done $0", expect!["nothing"]);
}

#[test]
fn predicates_and_labels() {
    check_body("setp.ne.s32 %p3, %r1, 0;\n@$0", expect!["``: %p3"]);
    check_body("setp.eq.s32 %p1|$0, %r1, %r2;", expect!["``: %p1 %p0"]);
    check_body("setp.eq.and.s32 %p1, %r1, %r2, !$0", expect!["``: %p0"]);
    check_body("bra.uni $0\nA: ret; B:", expect!["``: A B"]);
    check_body("t: .branchtargets $0\nA: ret; B:", expect!["``: B"]);
    check_body(
        "A: ret; t: .branchtargets A; brx.idx %r1, $0",
        expect!["``: t"],
    );
}

#[test]
fn numbered_registers() {
    // The next free one as a destination, and what is read below and written nowhere before that.
    check_body(
        "mov.b32 %r1, 1;\nmov.b32 %r2, %r1;\nadd.s32 $0",
        expect!["``: %r3 %r2 %r1"],
    );
    check_body(
        "mov.b32 %r1, 1;\nadd.s32 $0\nadd.s32 %r3, %r5, %r1;",
        expect!["``: %r5 %r2 %r1 %r3"],
    );
    // Not the destination as a source, unless it has a value.
    check_body("mov.b32 %r1, 1;\nadd.s32 %r2, $0", expect!["``: %r1"]);
    check_body(
        "mov.b32 %r1, 1;\nmov.b32 %r2, 2;\nadd.s32 %r2, $0",
        expect!["``: %r2 %r1"],
    );
}

#[test]
fn addresses() {
    check_body(
        "mov.b64 %rd1, 1; ld.global.f32 %f1, $0",
        expect!["``: [%rd1] [table]"],
    );
    check_body(
        "mov.b64 %rd1, 1; ld.global.f32 %f1, $0;",
        expect!["``: [%rd1] [table]"],
    );
    check_body(
        "mov.b64 %rd1, 1; st.global.f32 $0",
        expect!["``: [%rd1] [table]"],
    );
    check_body(
        "ld.param.u64 %rd1, $0",
        expect!["``: [pointer] [%r0] [%rd0]"],
    );
    check_body(
        "mov.b32 %r1, 1; mov.b64 %rd1, 1; ld.shared.f32 %f1, [$0];",
        expect!["``: %rd1 %r1"],
    );
    check_body(
        "mov.b32 %r1, 1; mov.b64 %rd1, 1; cp.async.ca.shared.global [$0], [%rd1], 4;",
        expect!["``: %rd1 %r1"],
    );
    check_body(
        "mov.b32 %r1, 1; mov.b64 %rd1, 1; cp.async.ca.shared.global [%r1], [$0], 4;",
        expect!["``: %rd1 table"],
    );
}

#[test]
fn calls() {
    let call = |text: &str| {
        format!(
            ".param .b32 a; .param .b64 b; .func (.param .b32 x) f(.param .b64 y, .reg .b32 z);\n\
             mov.b32 %r1, 1;\n{text}"
        )
    };
    check_body(&call("call $0"), expect!["``: f helper"]);
    check_body(&call("call ($0"), expect!["``: a b %r2 %f0 %rd0 %r1"]);
    check_body(&call("call (a), $0"), expect!["``: f helper"]);
    check_body(&call("call (a), f, ($0"), expect!["``: b %rd0"]);
    check_body(&call("call (a), f, (b, $0"), expect!["``: a %r1 %f0"]);
    check_body(&call("call (a), f, (b, %r1), $0"), expect!["``: "]);
    check_body(
        &call("P: .callprototype _ (.param .b64 _); call %rd1, (b), $0"),
        expect!["``: P"],
    );
    check_body(
        &call("P: .callprototype _ (.param .b64 _); call $0"),
        expect!["``: f helper %rd0"],
    );
    check_body("T: .calltargets $0", expect!["``: helper"]);
}

/// A parameter of a call has no address, and a function reads what it receives and writes what it returns.
#[test]
fn parameters() {
    let body = |text: &str| {
        format!(
            "{HEADER}.func (.param .b32 result) f(.param .b32 received) {{\n\
             .reg .b32 %r<9>; .param .b32 passed;\n{text}\nret;\n}}\n"
        )
    };
    check(
        &body("ld.param.b32 %r1, [$0];"),
        expect!["``: received passed %r0"],
    );
    check(
        &body("st.param.b32 [$0], 1;"),
        expect!["``: result passed %r0"],
    );
    check(
        &body("mov.b32 %r1, $0;"),
        expect![
            "``: result received f %tid.x %ctaid.x %laneid %ntid.x %nctaid.x %ctaid.y %tid.y %ctaid.z %nctaid.y and 38 more"
        ],
    );
}

/// The type that the instruction names comes before others of its width, and those before wider ones.
#[test]
fn the_wanted_type_comes_first() {
    let typed = |text: &str| {
        format!(
            "mov.b32 %r1, 1; mov.f32 %f1, 0f00000000; mov.b64 %rd1, 1; mov.b32 %r2, %r1;\n{text}"
        )
    };
    check_body("mov.pred %p1, $0", expect!["``: %is_explicit_cluster %p0"]);
    check_body(&typed("fma.rn.f32 $0"), expect!["``: %f2 %f1 %r3 %r2 %r1"]);
    check_body(
        &typed("cvt.rn.f32.u32 %f2, $0"),
        expect!["``: %r2 %r1 %rd1"],
    );
    check_body(
        &typed("ld.param.u64 %rd2, [$0"),
        expect!["``: pointer %r2 %rd1 %r1"],
    );
}

#[test]
fn components() {
    check_body("mov.u32 %r1, %tid.$0;", expect!["`.`: .x .y .z"]);
    check_body("mov.u32 %r1, %ctaid.y$0;", expect!["`.y`: .x .y .z"]);
    check_body(".reg .v2 .b32 v; mov.b32 %r1, v.$0;", expect!["`.`: .x .y"]);
    check_body(
        "vadd.s32.u32.s32 %r1, %r2.$0",
        expect!["`.`: .b0 .b1 .b2 .b3 .h0 .h1"],
    );
    check_body("mov.u32 %r1, %laneid.$0;", expect!["`.`: "]);
}

#[test]
fn a_module_begins_with_its_header() {
    check(
        ".version 8.5\n$0",
        expect![
            "``: .target .address_size .visible .entry .func .global .const .shared .extern .weak .common .file and 20 more"
        ],
    );
    check(
        ".version 8.5\n.target sm_90\n$0",
        expect![
            "``: .address_size .visible .entry .func .global .const .shared .extern .weak .common .file .section and 20 more"
        ],
    );
}

#[test]
fn control_comments() {
    check_body(
        "ret; // ptx$0",
        expect![
            "`ptx`: ptx-analyzer: allow ptx-analyzer: off ptx-analyzer: hint ptx-analyzer: information ptx-analyzer: warning ptx-analyzer: error"
        ],
    );
    check_body(
        "ret; // ptx-analyzer: a$0",
        expect![
            "`ptx-analyzer: a`: ptx-analyzer: allow ptx-analyzer: off ptx-analyzer: hint ptx-analyzer: information ptx-analyzer: warning ptx-analyzer: error"
        ],
    );
    for text in ["allow($0)", "allow(unused-value, un$0", "off( $0"] {
        let fixture = Fixture::new(&format!("{HEADER}// ptx-analyzer: {text}\n"));
        let (analysis, position) = fixture.cursor();
        let found = analysis.completions(position).unwrap().unwrap();
        assert!(
            found.items.iter().any(|it| it.label == "unused-register"),
            "{text}"
        );
    }
    check_body(
        "ret; // ptx-analyzer: allow(unused-register)$0",
        expect!["nothing"],
    );
    check_body("ret; // ptarmigan$0", expect!["nothing"]);
}

#[test]
fn values_of_the_header_open_by_themselves() {
    for (text, opens) in [
        (".version $0", true),
        (".version 8.5\n.target $0", true),
        (".version 8.5 $0", false),
        (".visible $0", false),
        ("// a $0", false),
    ] {
        let fixture = Fixture::new(text);
        let (analysis, position) = fixture.cursor();
        assert_eq!(analysis.opens_after_blank(position), Ok(opens), "{text}");
    }
}

#[test]
fn only_arrays_have_elements() {
    check_body("mov.u64 %rd1, $0[0];", expect!["``: table"]);
    check_body(
        "mov.u64 %rd1, $0;",
        expect!["``: pointer helper k table %globaltimer %clock64 %current_graph_exec %rd0"],
    );
}

#[test]
fn directives_of_the_header_bring_their_values() {
    let inserted = |text: &str, label: &str| {
        let fixture = Fixture::new(text);
        let (analysis, position) = fixture.cursor();
        let found = analysis.completions(position).unwrap().unwrap();
        let item = found.items.into_iter().find(|it| it.label == label);
        let item = item.unwrap();
        item.insert.map(|it| (it.plain, it.snippet, item.continues))
    };
    let (plain, snippet, continues) = inserted("$0", ".version").unwrap();
    assert_eq!((plain.as_str(), continues), (".version ", true));
    assert!(snippet.starts_with(".version ${1|9."), "{snippet}");
    let (_, snippet, _) = inserted(".version 8.0\n.tar$0\n", ".target").unwrap();
    assert!(snippet.starts_with(".target ${1|sm_90a,"), "{snippet}");
    assert!(
        !snippet.contains("sm_100") && !snippet.contains("debug"),
        "{snippet}"
    );
    // What follows is kept.
    assert_eq!(inserted(".ver$0 8.0\n", ".version"), None);
    assert_eq!(inserted(".version 8.0\n$0", ".global"), None);
}

#[test]
fn what_no_statement_takes_is_not_offered() {
    check_body("bra $0\n", expect!["``: "]);
    check_body("bra $0;", expect!["``: "]);
    check_body("L1: bra $0;", expect!["``: L1"]);
    check_body("brx.idx %r1, $0;", expect!["``: "]);
    check_body("ld.global.u32 %r1, $0;", expect!["``: [table] [%rd0]"]);
}

#[test]
fn registers_that_nothing_writes_come_last() {
    check_body(
        "mov.u32 %r1, %$0",
        expect![
            "`%`: pointer helper k %tid.x %ctaid.x %laneid %ntid.x %nctaid.x %ctaid.y %tid.y %ctaid.z %nctaid.y and 38 more"
        ],
    );
    check_body(
        "mov.u32 %r3, 1; mov.u32 %r1, %$0",
        expect![
            "`%`: %r3 pointer helper k %tid.x %ctaid.x %laneid %ntid.x %nctaid.x %ctaid.y %tid.y %ctaid.z and 38 more"
        ],
    );
    check_body(
        "cvta.to.global.u64 %rd2, %rd1; ld.global.u32 %r1, [$0];",
        expect!["``: %rd2 %rd1 table"],
    );
}

/// The items for descriptors, with their details, in a kernel for a target.
#[track_caller]
fn check_descriptors(target: &str, text: &str, expected: Expect) {
    let fixture = Fixture::new(&format!(
        ".version 8.8\n.target {target}\n.address_size 64\n.shared .align 128 .b8 tile[4096];\n.entry k() {{\n\
         .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .pred %p<9>;\n{text}\nret;\n}}\n"
    ));
    let (analysis, position) = fixture.cursor();
    let found = analysis.completions(position).unwrap();
    let items = found.map(|it| it.items).unwrap_or_default();
    let items = items.iter().filter(|it| it.label.starts_with("descriptor"));
    let lines: Vec<String> = items
        .map(|it| {
            let text = it.insert.as_ref().map_or("", |it| &*it.plain);
            let detail = it.detail.as_deref().unwrap_or_default();
            format!("{}: {text}, {detail}", it.label)
        })
        .collect();
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn descriptors_of_matrices() {
    let product = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd4, %rd5, 1, 1, 1, 0, 0;";
    // The constant becomes the descriptor two statements later.
    check_descriptors(
        "sm_90a",
        &format!("mov.b64 %rd1, $0;\nor.b64 %rd4, %rd1, %rd2;\n{product}"),
        expect![[r#"
            descriptor: K-major, no swizzle: 0x0000001000080000, 0x0000001000080000, offsets of 128 and 256 bytes; add the start address / 16
            descriptor: K-major, swizzle 128 bytes: 0x4000004000010000, 0x4000004000010000, offsets of 16 and 1024 bytes; add the start address / 16
            descriptor: K-major, swizzle 64 bytes: 0x8000002000010000, 0x8000002000010000, offsets of 16 and 512 bytes; add the start address / 16
            descriptor: K-major, swizzle 32 bytes: 0xc000001000010000, 0xc000001000010000, offsets of 16 and 256 bytes; add the start address / 16"#]],
    );
    check_descriptors(
        "sm_90a",
        &format!("mov.b64 %rd3, $0;\nor.b64 %rd4, %rd1, %rd2;\n{product}"),
        expect![[""]],
    );
    check_descriptors(
        "sm_100a",
        "or.b64 %rd1, %rd2, $0;\ntcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd3, %r2, %p1;",
        expect![[r#"
            descriptor: K-major, no swizzle: 0x0000401000080000, 0x0000401000080000, offsets of 128 and 256 bytes; add the start address / 16
            descriptor: K-major, swizzle 128 bytes: 0x4000404000010000, 0x4000404000010000, offsets of 16 and 1024 bytes; add the start address / 16
            descriptor: K-major, swizzle 64 bytes: 0x8000402000010000, 0x8000402000010000, offsets of 16 and 512 bytes; add the start address / 16
            descriptor: K-major, swizzle 32 bytes: 0xc000401000010000, 0xc000401000010000, offsets of 16 and 256 bytes; add the start address / 16"#]],
    );
}

#[test]
fn descriptors_of_products() {
    check_descriptors(
        "sm_100a",
        "mov.b32 %r2, $0;\ntcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd3, %r2, %p1;",
        expect![[r#"
            descriptor: f16, D f32, 128x64: 0x08100010, 0x08100010, A and B f16 and K-major, M 128, N 64
            descriptor: f16, D f32, 128x128: 0x08200010, 0x08200010, A and B f16 and K-major, M 128, N 128
            descriptor: f16, D f32, 128x256: 0x08400010, 0x08400010, A and B f16 and K-major, M 128, N 256
            descriptor: bf16, D f32, 128x64: 0x08100490, 0x08100490, A and B bf16 and K-major, M 128, N 64
            descriptor: bf16, D f32, 128x128: 0x08200490, 0x08200490, A and B bf16 and K-major, M 128, N 128
            descriptor: bf16, D f32, 128x256: 0x08400490, 0x08400490, A and B bf16 and K-major, M 128, N 256"#]],
    );
}
