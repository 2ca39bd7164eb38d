//! Lints, and what sets their levels.

use std::collections::BTreeMap;

use syntax::Document;

mod accesses;
mod advice;
mod flow;
mod protocols;

use crate::{
    AnalysisConfig, Change, DiagnosticTag, FileId, Level, Severity,
    diagnostics::registry::is_flow_lint,
    fixture::{Fixture, HEADER, check_lints as check, check_only},
};

#[test]
fn names_that_nobody_uses() {
    check(
        r#".shared .b32 tile[4];
//           ^^^^ hint unused-variable: variable `tile` is never used
.visible .global .b32 exported;
.global .u64 used, initial = used;
//                 ^^^^^^^ hint unused-variable: variable `initial` is never used
.func prototype(.param .b32 x);
//    ^^^^^^^^^ missing-definition: `prototype` is declared and never defined | declare it `.extern` if another module defines it
.entry k(.param .b64 p, .param .b64 q) {
//                   ^ hint unused-parameter: the entry never uses its parameter `p`
.reg .b32 a, %r<3>, %s<2>;
//        ^ hint unused-register: register `a` is never used
//                  ^^ hint unused-register: register `%s<2>` is never used
.reg .b64 b;
.local .b32 l;
//          ^ hint unused-variable: variable `l` is never used
ld.param.b64 b, [q];
mov.b32 %r0, 1;
L: M: bra M;
//^ hint unused-label: label `L` is never used

}
.func f(.param .b32 x) { ret; }
//                  ^ hint unused-parameter: the function never uses its parameter `x`
"#,
    );
}

#[test]
fn labels_of_debug_information_are_used() {
    check(
        r#".entry k {
$L_begin: ret;
$L_end:
}
.section .debug_info {
.b64 $L_begin
.b64 $L_end
}
"#,
    );
}

#[test]
fn what_is_not_understood_may_use_everything() {
    check(
        r#".entry k {
.reg .b32 a;
mov.b32 a b;
//        ^ syntax-error: expected `,` or `;`, found `b`
}
"#,
    );
}

#[test]
fn a_block_hides_what_is_around_it_and_not_what_came_before() {
    check(
        r#".entry k {
{ .reg .b32 r; mov.b32 r, 1; }
.reg .b32 r;
mov.b32 r, 1;
{ .reg .b32 r; mov.b32 r, 1; }
//          ^ hint shadowed-name: `r` shadows the declaration in the enclosing block on line 6 | the shadowed declaration on line 6
{ { .reg .b32 r; mov.b32 r, 1; } }
//            ^ hint shadowed-name: `r` shadows the declaration in the enclosing block on line 6 | the shadowed declaration on line 6
}
"#,
    );
}

#[test]
fn names_that_hide_others() {
    check(
        r#".global .b32 g;
//           ^ hint unused-variable: variable `g` is never used
.entry k(.param .b64 p) {
//                   ^ hint unused-parameter: the entry never uses its parameter `p`
.reg .b32 g, r, %laneid;
//        ^ hint shadowed-name: `g` shadows the declaration at module scope on line 4 | the shadowed declaration on line 4
//              ^^^^^^^ hint shadowed-name: `%laneid` shadows the special register of this name
mov.b32 g, r;
mov.b32 %laneid, r;
{ .reg .b64 r, p; mov.b64 r, p; }
//          ^ hint shadowed-name: `r` shadows the declaration in the enclosing block on line 6 | the shadowed declaration on line 6
//             ^ hint shadowed-name: `p` shadows the declaration in the enclosing block on line 5 | the shadowed declaration on line 5
{ .reg .b64 t; mov.b64 t, 0; }
{ .reg .b32 t; mov.b32 t, 0; }
ret;
}
"#,
    );
}

#[test]
fn deprecated_forms() {
    let text = ".version 6.0\n.target sm_60\n.address_size 64\n.entry k {\n.reg .b32 r<3>; .reg .pred p<2>;\n\
        vote.all.pred p0, p1;\nvote.sync.all.pred p0, p1, 0xffffffff;\n\
        shfl.up.b32 r0|p0, r1, r2, 0;\nshfl.sync.up.b32 r0, r1, r2, 0, 0xffffffff;\n}\n";
    let fixture = Fixture::new(text);
    let mut diagnostics = fixture.host.analysis().diagnostics(FileId(0)).unwrap();
    diagnostics.retain(|it| !is_flow_lint(it.code));
    let mut fixed = Document::new(text.to_owned());
    for diagnostic in diagnostics.iter().rev() {
        assert_eq!(diagnostic.code, "deprecated-form");
        for edit in diagnostic.fixes[0].edits.iter().rev() {
            fixed.apply(edit).unwrap();
        }
    }
    let lines: Vec<_> = fixed.text().lines().skip(5).take(3).collect();
    assert_eq!(
        lines,
        [
            "vote.sync.all.pred p0, p1, 0xffffffff;",
            "vote.sync.all.pred p0, p1, 0xffffffff;",
            "shfl.sync.up.b32 r0|p0, r1, r2, 0, 0xffffffff;",
        ]
    );
}

#[test]
fn constants_that_are_cut_off() {
    check(
        r#".entry k {
.reg .b32 r; .reg .b16 h; .reg .b64 d;
add.s32 r, r, 0x100000000;
//            ^^^^^^^^^^^ warning truncated-immediate: 4294967296 does not fit into 32 bits: ptxas uses 0
add.s32 r, r, 0xffffffff;
add.u32 r, r, -1;
add.u32 r, r, -0x80000000;
add.u32 r, r, -0x80000001;
//            ^^^^^^^^^^^ warning truncated-immediate: -2147483649 does not fit into 32 bits: ptxas uses 2147483647
mov.b32 r, -1024U;
add.s16 h, h, 65536;
//            ^^^^^ warning truncated-immediate: 65536 does not fit into 16 bits: ptxas uses 0
add.s64 d, d, 0xffffffffffffffff;
shl.b32 r, r, 40;
}
"#,
    );
}

#[test]
fn accesses_at_constant_offsets() {
    check(
        r#".shared .align 16 .b8 s[32];
.extern .shared .b8 open[];
.global .v2 .f32 v;
.entry k(.param .b64 p) {
.reg .b32 r<4>; .reg .b64 d;
ld.param.b64 d, [p];
ld.param.b64 d, [p+4];
//              ^^^^^ warning out-of-bounds: these 8 bytes at offset 4 are outside `p`, which has 8 bytes (line 7) | declared here on line 7
ld.shared.v4.b32 {r0, r1, r2, r3}, [s+16];
ld.shared.v4.b32 {r0, r1, r2, r3}, [s+8];
//                                 ^^^^^ warning misaligned-access: an access to 16 bytes needs an address that is a multiple of 16; `s` is aligned to 16 (line 4) and the offset is 8 | declared here on line 4
ld.shared.v4.b32 {r0, r1, r2, r3}, [s+20];
//                                 ^^^^^^ warning out-of-bounds: these 16 bytes at offset 20 are outside `s`, which has 32 bytes (line 4) | declared here on line 4
st.shared.b32 [s+-4], r0;
//            ^^^^^^ warning out-of-bounds: these 4 bytes at offset -4 are outside `s`, which has 32 bytes (line 4) | declared here on line 4
ld.shared.b32 r0, [open+1000];
ld.shared.b32 r0, [open+1];
atom.global.add.u32 r0, [v+8], 1;
//                      ^^^^^ warning out-of-bounds: these 4 bytes at offset 8 are outside `v`, which has 8 bytes (line 6) | declared here on line 6
ld.global.b32 r0, [v+4];
ld.global.b32 r0, [d+1];
}
"#,
    );
}

#[test]
fn arguments_stored_in_part() {
    check(
        r#".func (.param .b64 result) f(.param .b64 x, .param .b64 y) {
.reg .b32 r; .reg .b64 d;
ld.param.b64 d, [x];
ld.param.b64 d, [y];
{
.param .b64 whole, halves, part;
st.param.b64 [whole], d;
st.param.b32 [halves], r;
st.param.b32 [halves+4], r;
st.param.b32 [part], r;
//            ^^^^ warning incomplete-argument: only 4 of the 8 bytes of `part` are stored: the rest of the value is undefined | declared here on line 9
call (part), f, (whole, halves);
}
st.param.b32 [result], r;
//            ^^^^^^ warning incomplete-argument: only 4 of the 8 bytes of `result` are stored: the rest of the value is undefined | declared here on line 4
ret;
}
"#,
    );
}

#[test]
fn block_sizes() {
    check(
        r#".entry a .maxntid 1024 { ret; }
.entry b .maxntid 1024, 1, 2 { ret; }
//       ^^^^^^^^^^^^^^^^^^^ warning too-many-threads: a block of 2048 threads cannot be launched | no GPU has blocks of more than 1024 threads
.entry c .reqntid 32, 33 { ret; }
//       ^^^^^^^^^^^^^^^ warning too-many-threads: a block of 1056 threads cannot be launched | no GPU has blocks of more than 1024 threads
"#,
    );
}

#[test]
fn order_of_modifiers() {
    check(
        r#".entry k {
.reg .f32 f; .reg .b64 d; .reg .b32 r;
add.ftz.rn.f32 f, f, f;
// ^^^^^^^^^^^ hint modifier-order: the manual writes `add.rn.ftz.f32`
add.rn.ftz.f32 f, f, f;
atom.add.global.u32 r, [d], r;
//  ^^^^^^^^^^^^^^^ hint modifier-order: the manual writes `atom.global.add.u32`
}
"#,
    );
}

#[test]
fn orders_of_compilers() {
    check_only(
        &["modifier-order"],
        r#".entry k {
.reg .f32 f; .reg .b64 d; .reg .b32 r, s, t, u; .reg .pred p;
vote.ballot.sync.b32 r, p, -1;
ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16 {r, s, t, u}, [d];
ldmatrix.sync.aligned.x4.m8n8.shared.b16 {r, s, t, u}, [d];
ld.global.acquire.gpu.b32 r, [d];
st.global.volatile.f32 [d], f;
atom.add.relaxed.gpu.u32 r, [d], r;
atom.global.gpu.acq_rel.add.f32 f, [d], f;
max.s16x2.relu r, r, r;
ex2.approx.f32.ftz f, f;
ldmatrix.aligned.sync.m8n8.x4.shared.b16 {r, s, t, u}, [d];
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ hint modifier-order: the manual writes `ldmatrix.sync.aligned.m8n8.x4.shared.b16`
}
"#,
    );
}

#[test]
fn comments_set_levels() {
    check(
        r#".entry k {
.reg .b32 a; // ptx-analyzer: allow(unused-register)
.reg .b32 b;
//        ^ hint unused-register: register `b` is never used
// ptx-analyzer: warning(unused-register)
.reg .b32 c;
//        ^ warning unused-register: register `c` is never used
.reg .b32 d; /* ptx-analyzer: error( unused-label , unused-register ) */
//        ^ unused-register: register `d` is never used
}
// ptx-analyzer: off(unused-register, unused-label)
.entry l {
.reg .b32 e;
L:
{ .reg .b32 f; // ptx-analyzer: information(unused-register)
//          ^ info unused-register: register `f` is never used
}
}
.entry m {
.reg .b32 g; // ptx-analyzer: allow(unused-regsiter)
//        ^ hint unused-register: register `g` is never used
//                                  ^^^^^^^^^^^^^^^ warning control-comment: unknown diagnostic code `unused-regsiter` | did you mean `unused-register`?
.reg .b32 h; // ptx-analyzer: forbid(unused-register)
//        ^ hint unused-register: register `h` is never used
//           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning control-comment: `forbid` is none of `allow`, `off`, `hint`, `information`, `warning`, `error`
.reg .b32 i; // ptx-analyzer: allow unused-register
//           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning control-comment: a control comment has the form `allow(code, …)`
mov.b32 i, unknown; // ptx-analyzer: warning(undefined-name)
//         ^^^^^^^ warning undefined-name: `unknown` is not declared
}
"#,
    );
}

/// The codes and severities in a file of its own, with settings.
fn found(text: &str, severity: &[(&str, Level)]) -> Vec<(&'static str, Severity)> {
    let mut fixture = Fixture::new(text);
    fixture.host.apply_change(Change {
        files: Vec::new(),
        config: Some(AnalysisConfig {
            severity: severity
                .iter()
                .map(|(code, level)| ((*code).into(), *level))
                .collect::<BTreeMap<_, _>>(),
            ..AnalysisConfig::default()
        }),
    });
    let diagnostics = fixture.host.analysis().diagnostics(FileId(0)).unwrap();
    diagnostics
        .into_iter()
        .map(|it| (it.code, it.severity))
        .collect()
}

#[test]
fn a_comment_at_the_head_is_about_the_file() {
    let text = format!("// ptx-analyzer: allow(unused-label)\n{HEADER}.entry k {{ L: }}\n");
    assert_eq!(found(&text, &[]), []);
    let text = format!("{HEADER}\n.entry k {{ L: }}\n");
    assert_eq!(found(&text, &[]), [("unused-label", Severity::Hint)]);
}

#[test]
fn settings_set_levels_and_comments_count_more() {
    let text = format!("{HEADER}.entry k {{ L: }}\n");
    let settings = [("unused-label", Level::Warning)];
    assert_eq!(
        found(&text, &settings),
        [("unused-label", Severity::Warning)]
    );
    let settings = [("unused-label", Level::Off)];
    assert_eq!(found(&text, &settings), []);
    let text = format!("{HEADER}.entry k {{\nL: // ptx-analyzer: hint(unused-label)\n}}\n");
    assert_eq!(found(&text, &settings), [("unused-label", Severity::Hint)]);
}

#[test]
fn tags() {
    let text = ".version 6.0\n.target sm_60\n.entry k { .reg .pred p; setp.eq.b32 p, 1, 1; vote.all.pred p, p; L: ret; }\n";
    let diagnostics = Fixture::new(text)
        .host
        .analysis()
        .diagnostics(FileId(0))
        .unwrap();
    let tags: Vec<_> = diagnostics.iter().map(|it| (it.code, &*it.tags)).collect();
    assert_eq!(
        tags,
        [
            ("deprecated-form", &[DiagnosticTag::Deprecated][..]),
            ("unused-value", &[DiagnosticTag::Unnecessary][..]),
            ("unused-label", &[DiagnosticTag::Unnecessary][..]),
        ]
    );
}
