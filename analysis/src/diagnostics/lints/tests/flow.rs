//! Lints about flow.

use crate::fixture::check_only;

#[track_caller]
fn check(body: &str) {
    let codes = [
        "unreachable-code",
        "uninitialized-register",
        "missing-return",
    ];
    check_only(&codes, body);
}

#[test]
fn code_that_never_runs() {
    check(
        r#".func stop() .noreturn;
.entry k() {
.reg .pred %p; .reg .b32 %r<3>;
mov.b32 %r1, 1;
setp.eq.b32 %p, %r1, 1;
@%p bra E;
bra E;
mov.b32 %r2, %r1; add.s32 %r1, %r2, 1;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ hint unreachable-code: unreachable code
E: call stop;
trap;
ret;
}
"#,
    );
}

#[test]
fn registers_that_nobody_wrote() {
    check(
        r#".entry k() {
.reg .pred %p, %q; .reg .b32 %r<9>; .reg .v2 .b32 v;
setp.eq.s32 %p, %r1, %r1;
//              ^^^ warning uninitialized-register: `%r1` is used before it is written
@%p mov.b32 %r2, 1;
mov.b32 %r3, %r2;
mov.b32 v.x, %r3;
mov.b32 %r3, %r8;
mov.b32 %r4, v.y;
@%q bra L;
//^^ warning uninitialized-register: `%q` is used before it is written
mov.b32 %r5, 1;
L: add.s32 %r5, %r5, %r6;
//                   ^^^ warning uninitialized-register: `%r6` is used before it is written
st.shared.b32 [%r5], %r6;
st.shared.b32 [%r4], %r7;
//                   ^^^ warning uninitialized-register: `%r7` is used before it is written
ret;
}
"#,
    );
}

#[test]
fn entries_that_just_end() {
    check(
        r#".func f() { .reg .b32 r; mov.b32 r, 1; }
.entry a() { }
.entry b() { .reg .pred p; setp.eq.b32 p, 1, 1; @p exit; }
//                                                       ^ hint missing-return: control reaches the end of the entry without `ret` or `exit` | ptxas ends the thread here, as `ret` would
.entry c() { trap; }
.entry d() { L: bra L; }
"#,
    );
}

#[test]
fn what_is_known_in_part() {
    check(
        r#".entry k(.param .u64 p) {
.reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd;
ld.param.u64 %rd, [p];
mov.u32 %r1, %tid.x;
setp.eq.u32 %p, %r1, 0;
bfi.b32 %r2, %r1, %r3, 8, 8;
prmt.b32 %r2, %r2, %r4, 0x3210;
selp.b32 %r2, %r2, %r5, %p;
st.global.v2.b32 [%rd], {%r2, %r6};
st.global.b32 [%rd], %r7;
//                   ^^^ warning uninitialized-register: `%r7` is used before it is written
ret;
}
"#,
    );
}

#[test]
fn statements_that_are_wrong_already() {
    check(
        r#".entry k() {
.reg .b32 %r<9>; .reg .b64 %rd;
add.s32 %r1, %r2, %rd;
add.s32 %r1, %r3, 1;
//           ^^^ warning uninitialized-register: `%r3` is used before it is written
ret;
}
"#,
    );
}

#[test]
fn values_that_are_only_moved() {
    check(
        r#".entry k(.param .u64 p) {
.reg .pred %p, %q; .reg .b32 %r<20>; .reg .b64 %rd;
ld.param.u64 %rd, [p];
mov.u32 %r1, %tid.x;
setp.eq.u32 %p, %r1, 0;
shfl.sync.down.b32 %r2|%q, %r10, 1, 31, -1;
//                         ^^^^ hint uninitialized-register: `%r10` is used before it is written | its value is only moved, never used
@%q mov.b32 %r3, %r2;
selp.b32 %r4, %r3, %r1, %p;
shfl.sync.down.b32 %r5, %r4, 2, 31, -1;
shfl.sync.down.b32 %r6, %r11, 1, 31, -1;
//                      ^^^^ warning uninitialized-register: `%r11` is used before it is written
mov.b32 %r7, %r6;
st.global.b32 [%rd], %r7;
shfl.sync.down.b32 %r8, %r12, 1, 31, -1;
add.u32 %r9, %r12, 1;
//           ^^^^ warning uninitialized-register: `%r12` is used before it is written
shfl.sync.down.b32 %r8, %r13, %r13, 31, -1;
//                            ^^^^ warning uninitialized-register: `%r13` is used before it is written
ret;
}
"#,
    );
}
