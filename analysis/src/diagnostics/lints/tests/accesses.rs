//! Lints of accesses through registers.

use crate::fixture::check_only;

#[track_caller]
fn check(body: &str) {
    let codes = [
        "out-of-bounds",
        "misaligned-access",
        "bank-conflict",
        "uncoalesced-access",
        "address-overflow",
    ];
    check_only(&codes, body);
}

#[test]
fn addresses_in_registers() {
    check(
        r#".shared .align 16 .b8 small[512];
.entry k() .reqntid 256 {
.reg .b32 %r<9>;
mov.u32 %r1, small;
ld.shared.b32 %r2, [%r1+512];
//^^ warning out-of-bounds: the threads of a block access `small` up to offset 516, but it has 512 bytes
ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%r1+4];
//^^ warning misaligned-access: an access to 16 bytes needs an address that is a multiple of 16; `small + 4` is not
ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%r1+496];
mov.u32 %r6, %tid.x;
mad.lo.s32 %r7, %r6, 4, %r1;
ld.shared.b32 %r2, [%r7];
//^^ warning out-of-bounds: the threads of a block access `small` up to offset 1024, but it has 512 bytes
ld.shared.b32 %r2, [%r7+-512];
//^^ warning out-of-bounds: the threads of a block access `small` from offset -512, but it has 512 bytes
mad.lo.s32 %r7, %r6, 2, %r1;
ld.shared.b16 %r2, [%r7];
}
"#,
    );
}

#[test]
fn only_what_is_certain() {
    check(
        r#".shared .align 4 .b8 small[64];
.extern .shared .align 16 .b8 open[];
.entry k(.param .u64 p, .param .u32 n) {
.reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .pred %q;
mov.u32 %r1, small;
ld.shared.v2.b32 {%r2, %r3}, [%r1+4];
mov.u32 %r6, %tid.x;
mad.lo.s32 %r7, %r6, 4, %r1;
ld.shared.b32 %r2, [%r7];
setp.lt.u32 %q, %r6, 16;
@%q ld.shared.b32 %r2, [%r7];
ld.param.u64 %rd1, [p];
ld.global.b64 %rd2, [%rd1+4];
mov.u32 %r1, open;
ld.shared.b32 %r2, [%r1+4096];
ld.param.u32 %r4, [n];
add.s32 %r5, %r1, %r4;
ld.shared.b64 %rd2, [%r5];
}
"#,
    );
}

#[test]
fn accesses_in_loops() {
    check(
        r#".shared .align 16 .b8 tile[8192];
.entry k(.param .u64 p, .param .u32 n) {
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %q;
ld.param.u64 %rd1, [p];
cvta.to.global.u64 %rd1, %rd1;
mov.u32 %r1, %tid.x;
and.b32 %r1, %r1, 31;
mov.u32 %r3, tile;
mad.lo.s32 %r4, %r1, 128, %r3;
ld.shared.b32 %r5, [%r4];
mad.lo.s32 %r6, %r1, 4, %r3;
mul.wide.u32 %rd2, %r1, 512;
add.s64 %rd2, %rd1, %rd2;
mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd3, %rd1, %rd3;
mov.b32 %r7, 0;
L:
ld.shared.b32 %r5, [%r4];
//^^ hint bank-conflict: 32-way bank conflict: lanes 0, 1, 2, 3, … access different words of one bank | rows of 132 bytes instead of 128 have no conflict here
ld.shared.b32 %r5, [%r6];
ld.global.b32 %r5, [%rd2];
//^^ hint uncoalesced-access: uncoalesced access: 32 lanes access 32 sectors of 32 bytes, 4 would do | assumed: param p is 256-byte aligned, blocks have a multiple of 32 threads along x
ld.global.b32 %r5, [%rd3];
atom.shared.add.u32 %r5, [%r4], 1;
add.s32 %r7, %r7, 1;
setp.lt.s32 %q, %r7, 8;
@%q bra L;
}
"#,
    );
}

#[test]
fn numbers_that_wrap() {
    check(
        r#".entry k(.param .u64 p, .param .u32 n) .reqntid 256 {
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %q;
ld.param.u64 %rd1, [p];
cvta.to.global.u64 %rd1, %rd1;
mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 24;
cvt.s64.s32 %rd2, %r2;
add.s64 %rd3, %rd1, %rd2;
st.global.b32 [%rd3], %r1;
//^^ hint address-overflow: `0x1000000*tid.x` in the address has 32 bits: thread 128 gets -2147483648 instead of 2147483648 | extend the operands to 64 bits before they are multiplied or added
mad.lo.u32 %r3, %r1, 33554432, 64;
mul.wide.u32 %rd4, %r3, 4;
add.s64 %rd4, %rd1, %rd4;
setp.lt.u32 %q, %r1, 128;
@%q st.global.b32 [%rd4], %r1;
@!%q st.global.b32 [%rd4], %r1;
//   ^^ hint address-overflow: `0x2000000*tid.x + 64` in the address has 32 bits: thread 128 gets 64 instead of 4294967360 | extend the operands to 64 bits before they are multiplied or added
}
"#,
    );
    // Other threads may run it, the upper bits are not wanted, and a difference counts backwards.
    check(
        r#".entry k(.param .u64 p, .param .u32 n) .reqntid 256 {
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %q;
ld.param.u64 %rd1, [p];
cvta.to.global.u64 %rd1, %rd1;
mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 24;
cvt.s64.s32 %rd2, %r2;
add.s64 %rd3, %rd1, %rd2;
ld.param.u32 %r4, [n];
setp.lt.u32 %q, %r1, %r4;
@%q st.global.b32 [%rd3], %r1;
mul.lo.u32 %r5, %r1, 0x9E3779B1;
shr.u32 %r5, %r5, 24;
mul.wide.u32 %rd4, %r5, 4;
add.s64 %rd4, %rd1, %rd4;
st.global.b32 [%rd4], %r1;
sub.u32 %r6, %r1, 4;
mul.wide.u32 %rd5, %r6, 4;
add.s64 %rd5, %rd1, %rd5;
st.global.b32 [%rd5], %r1;
@%q bra END;
st.global.b32 [%rd3], %r1;
END: ret;
}
"#,
    );
}
