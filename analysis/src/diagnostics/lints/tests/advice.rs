//! Lints about barriers, loops, values nobody reads, launch bounds and what is slow.

use crate::fixture::check_only;

/// An entry with registers, `%r1` being the thread and `%r2` a parameter.
fn entry(header: &str, body: &str) -> String {
    format!(
        ".entry k(.param .u32 n, .param .u64 out) {header} {{
.reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; ld.param.u64 %rd1, [out];
{body}
ret;
}}
"
    )
}

#[test]
fn what_is_not_proven_is_told_once() {
    // Each of the two barriers in each function may be divergent, and one is.
    let function = |name: &str, end: &str| {
        format!(
            ".entry {name}(.param .u32 n) {{
.reg .pred %p, %q; .reg .b32 %r<9>;
mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n];
setp.ge.u32 %p, %r1, %r2; setp.lt.u32 %q, %r1, 16;
@%p bra DONE;
bar.sync 1, %r2;
{end}bar.sync 0;
DONE: bar.sync 0;
ret;
}}
"
        )
    };
    let certain = "//^^^ warning divergent-barrier: `bar` is not executed by all threads of the warp: its guard is divergent | all threads of a warp must execute it together\n";
    let first = function(
        "a",
        "//^^^ warning divergent-barrier: `bar` may not be executed by all threads of the warp: the branch on line 8 may be divergent (and 3 more in this file) | all threads of a warp must execute it together | the branch on line 8 | also here on line 10 | also here on line 19 | also here on line 21\n",
    );
    let certain = certain.replacen("//", "//  ", 1);
    let second = function("b", &format!("@%q bar.sync 0;\n{certain}"));
    check_only(&["divergent-barrier"], &format!("{first}{second}"));
}

/// Whether a barrier under this predicate of `%p1` is reported.
#[track_caller]
fn guarded(header: &str, predicate: &str, reported: bool) {
    let carets = match reported {
        true => {
            "//   ^^^ warning divergent-barrier: `bar` is not executed by all threads of the warp: its guard is divergent \
             | all threads of a warp must execute it together\n"
        }
        false => "",
    };
    let body = format!("{predicate}\n@%p1 bar.sync 0;\n{carets}");
    check_only(&["divergent-barrier"], &entry(header, body.trim_end()));
}

#[test]
fn guards_that_divide_warps() {
    for predicate in [
        "setp.lt.u32 %p1, %r1, 16;",
        "setp.eq.u32 %p1, %r1, 40;",
        "and.b32 %r3, %r1, 1; setp.ne.u32 %p1, %r3, 0;",
        "mov.u32 %r3, %laneid; setp.eq.u32 %p1, %r3, 0;",
        "cvt.u64.u32 %rd2, %r1; shl.b64 %rd3, %rd2, 2; setp.gt.u64 %p1, %rd3, 8;",
        "setp.eq.u32 %p2, %r1, 0; not.pred %p1, %p2;",
    ] {
        guarded("", predicate, true);
    }
    // The test of a bound: whether it divides a warp is known at run time only.
    check_only(
        &["divergent-barrier"],
        &entry(
            "",
            "mov.u32 %r3, %ctaid.x; mad.lo.u32 %r4, %r3, 256, %r1; setp.lt.u32 %p1, %r4, %r2;
@%p1 bar.sync 0;
//   ^^^ warning divergent-barrier: `bar` may not be executed by all threads of the warp: its guard may be divergent | all threads of a warp must execute it together",
        ),
    );
    for predicate in [
        "setp.lt.u32 %p1, %r1, 32;",
        "setp.lt.u32 %p1, %r1, 512;",
        "shr.u32 %r3, %r1, 5; setp.eq.u32 %p1, %r3, 0;",
        "and.b32 %r3, %r1, 32; setp.ne.u32 %p1, %r3, 0;",
        "setp.lt.u32 %p1, %r2, 16;",
        "mov.u32 %r3, %ctaid.x; setp.lt.u32 %p1, %r3, 16;",
        "mov.u32 %r3, %tid.y; setp.lt.u32 %p1, %r3, 16;",
        "ld.global.u32 %r3, [%rd1]; setp.lt.u32 %p1, %r3, 16;",
        "shfl.sync.idx.b32 %r3, %r1, 0, 31, -1; setp.lt.u32 %p1, %r3, 16;",
        "mov.u32 %r3, %r1; mov.u32 %r3, 0; setp.lt.u32 %p1, %r3, 16;",
        // 0 in every thread, however -1 is written.
        "mov.b32 %r3, -1; rem.s32 %r4, %r1, %r3; setp.ne.s32 %p1, %r4, 0;",
        "mov.b32 %r3, 0xffffffff; rem.s32 %r4, %r1, %r3; setp.ne.s32 %p1, %r4, 0;",
    ] {
        guarded("", predicate, false);
    }
    guarded(".maxntid 16", "setp.lt.u32 %p1, %r1, 16;", false);
    guarded(".reqntid 16, 16", "setp.lt.u32 %p1, %r1, 16;", false);
    guarded(".reqntid 16, 16", "setp.lt.u32 %p1, %r1, 8;", true);
}

#[test]
fn branches_that_divide_warps() {
    check_only(
        &["divergent-barrier"],
        r#".entry k(.param .u32 n) {
.reg .pred %p<9>; .reg .b32 %r<9>;
mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 16;
@%p1 bra A;
barrier.sync 0;
bar.sync 0;
//^^^ warning divergent-barrier: `bar` is not executed by all threads of the warp: the branch on line 8 is divergent | all threads of a warp must execute it together | the divergent branch on line 8
@!%p1 bra B;
bra C;
A: bar.sync 0;
// ^^^ warning divergent-barrier: `bar` is not executed by all threads of the warp: the branch on line 8 is divergent | all threads of a warp must execute it together | the divergent branch on line 8
B: bra C;
C: bar.sync 0;
ret;
}
"#,
    );
    // Threads outside the bound end, and nobody waits for them; with a barrier after, they are missed.
    let bound = |after: &str| {
        format!(
            ".entry k(.param .u32 n) {{
.reg .pred %p; .reg .b32 %r<9>;
mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n];
setp.ge.u32 %p, %r1, %r2;
@%p bra DONE;
bar.sync 0;
{after}ret;
}}
"
        )
    };
    check_only(&["divergent-barrier"], &bound("DONE: "));
    check_only(
        &["divergent-barrier"],
        &bound(
            "//^^^ warning divergent-barrier: `bar` may not be executed by all threads of the warp: the branch on line 8 may be divergent | all threads of a warp must execute it together | the branch on line 8\nDONE: bar.sync 0;\n",
        ),
    );
}

#[test]
fn loops_without_end() {
    check_only(
        &["infinite-loop"],
        r#".func quit() .noreturn;
.entry a() { L: bra L; }
//              ^^^^^^ warning infinite-loop: this loop never ends and has no visible effect
.entry b(.param .u64 p) {
.reg .pred %p; .reg .b32 %r; .reg .b64 %rd;
ld.param.u64 %rd, [p];
M: setp.eq.u32 %p, %r, 1;
@%p bra N;
add.u32 %r, %r, 1;
N: ld.global.u32 %r, [%rd];
bra M;
//^^^^^^ warning infinite-loop: this loop never ends and has no visible effect
}
.entry c(.param .u64 p) {
.reg .pred %p; .reg .b32 %r; .reg .b64 %rd;
ld.param.u64 %rd, [p];
L: ld.volatile.global.u32 %r, [%rd]; bra L;
M: st.global.u32 [%rd], %r; bra M;
}
.entry d() { L: nanosleep.u32 100; bra L; }
.entry e() { .reg .pred %p; L: @%p exit; bra L; }
.entry f() { .reg .pred %p; L: @%p bra L; }
.entry g() { L: call quit; bra L; }
"#,
    );
}

#[test]
fn values_that_nobody_reads() {
    check_only(
        &["unused-value"],
        &entry(
            "",
            "add.u32 %r3, %r1, 1;
//^^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
add.u32 %r3, %r1, 2;
setp.eq.u32 %p1|%p2, %r3, 0;
@%p2 add.u32 %r4, %r3, 1;
//^^^^^^^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
setp.eq.u32 %p1|%p2, %r3, 0;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
atom.global.add.u32 %r5, [%rd1], %r3;
ld.volatile.global.u32 %r5, [%rd1];
ld.global.u32 %r5, [%rd1];
//^^^^^^^^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
mov.u32 %r6, 0;
L: add.u32 %r6, %r6, 1;
setp.lt.u32 %p3, %r6, %r2;
@%p3 bra L;
shfl.sync.idx.b32 %r7, %r1, 0, 31, -1;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
exit;
mov.u32 %r8, 0;",
        ),
    );
}

#[test]
fn carries_that_nobody_reads() {
    check_only(
        &["unused-value"],
        &entry(
            "",
            "add.cc.u32 %r3, %r1, %r2;
//^^^^^^^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
mov.u32 %r4, 1;
@%p1 bra L;
sub.cc.u32 %r3, %r1, %r2;
bra M;
L: mad.lo.cc.u32 %r3, %r1, %r2, %r4;
// ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
add.cc.u32 %r3, %r1, %r2;
M: addc.u32 %r5, %r1, %r2;
st.global.u32 [%rd1], %r5;
add.cc.u32 %r3, %r1, %r2;
//^^^^^^^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
ret;",
        ),
    );
}

/// The instructions that ptxas 13.5 drops at `-O3` when their result is not used, and those that it keeps.
#[test]
fn what_stays_when_nobody_reads_it() {
    check_only(
        &["unused-value"],
        &entry(
            "",
            "ld.mmio.relaxed.sys.global.u32 %r3, [%rd1];
ld.acquire.gpu.global.u32 %r3, [%rd1];
add.cc.u32 %r3, %r1, %r1;
addc.u32 %r4, %r1, %r1;
//^^^^^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
add.cc.u32 %r3, %r1, %r2;
//^^^^^^^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
add.cc.u32 %r3, %r1, %r1;
addc.cc.u32 %r3, %r1, %r2;
addc.u32 %r4, %r1, %r1;
//^^^^^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
vote.sync.any.pred %p1, %p2, -1;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
match.any.sync.b32 %r3, %r1, -1;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
activemask.b32 %r3;
//^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
redux.sync.add.u32 %r3, %r1, -1;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
elect.sync %r3|%p3, -1;
stacksave.u64 %rd3;
//^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
alloca.u64 %rd3, 16;
mbarrier.pending_count.b64 %r3, %rd1;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
mbarrier.test_wait.shared.b64 %p3, [%r1], %rd1;
multimem.ld_reduce.relaxed.sys.global.add.u32 %r3, [%rd1];
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ hint unused-value: the result is never used
st.global.u32 [%rd1], %r1;",
        ),
    );
}

#[test]
fn loops_whose_deeds_are_seen() {
    for (deed, hidden) in [
        (
            "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {%f1,%f1,%f1,%f1,%f1,%f1,%f1,%f1}",
            false,
        ),
        ("sured.b.add.1d.u32.trap [%rd1, {%r1}], %r2", false),
        ("ld.mmio.relaxed.sys.global.u32 %r3, [%rd1]", false),
        ("ld.acquire.gpu.global.u32 %r3, [%rd1]", false),
        ("prefetchu.L1 [%rd1]", false),
        ("applypriority.global.L2::evict_normal [%rd1], 128", false),
        ("shfl.sync.idx.b32 %r3, %r1, 0, 31, -1", true),
        ("vote.sync.any.pred %p1, %p2, -1", true),
    ] {
        let mark = match hidden {
            true => {
                "\n//^^^^^^ warning infinite-loop: this loop never ends and has no visible effect"
            }
            false => "",
        };
        let text = format!(
            ".entry k(.param .u64 p) {{
.reg .pred %p<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, 1; mov.f32 %f1, 0f00000000; setp.eq.u32 %p2, %r1, 1;
L: {deed};
bra L;{mark}
}}
"
        );
        check_only(&["infinite-loop"], &text);
    }
}

#[test]
fn words_that_change_an_operation() {
    // These are the same in all threads, or may be.
    for predicate in [
        "add.sat.s32 %r3, %r1, 0x7fffffff; setp.eq.s32 %p1, %r3, 0x7fffffff;",
        "setp.ne.u32 %p2, 1, 0; setp.eq.or.s32 %p1, %r1, 5, %p2;",
        "mov.u32 %r3, %nsmid; setp.lt.u32 %p1, %r3, 16;",
    ] {
        guarded("", predicate, false);
    }
    for predicate in [
        "cvt.u8.u32 %r3, %r1; setp.lt.u32 %p1, %r3, 16;",
        "cvt.sat.u8.u32 %r3, %r1; setp.lt.u32 %p1, %r3, 16;",
        "setp.gt.and.u32 %p1, %r1, 5, 1;",
    ] {
        guarded("", predicate, true);
    }
}

#[test]
fn who_must_run_it_together() {
    check_only(
        &["divergent-barrier"],
        &entry(
            "",
            "setp.lt.u32 %p1, %r1, 16; mov.b32 %r3, 0xffff;
@%p1 bra A;
bra B;
A: bar.warp.sync 0xffff;
@%p1 shfl.sync.idx.b32 %r4, %r1, 0, 31, 0xffff;
B: @%p1 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r3], 128;
//      ^^^^^^^^^^^^^^^^^^^^^^^ warning divergent-barrier: `tensormap.cp_fenceproxy` is not executed by all threads of the warp: its guard is divergent | all threads of a warp must execute it together",
        ),
    );
}

#[test]
fn elements_that_are_stored_may_be_undefined() {
    check_only(
        &["uninitialized-register"],
        &entry(
            "",
            "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {%r2, %r8};
multimem.st.relaxed.sys.global.v2.f32 [%rd1], {%r2, %r7};
st.global.v2.b32 [%rd1], {%r2, %r6};
st.global.b32 [%rd1], %r5;
//                    ^^^ warning uninitialized-register: `%r5` is used before it is written",
        ),
    );
}
