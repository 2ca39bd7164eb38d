//! Verdicts of ptxas 13.5 on instructions, as fixtures.

mod addresses;
mod textures;

use crate::fixture::{check_diagnostics, check_file};

/// Statements in the body of an entry with registers of every kind.
#[track_caller]
fn check(statements: &str) {
    check_diagnostics(&format!(
        ".global .b8 table[16]; .shared .b8 tile[16];\n.entry k(.param .u64 p) {{\n.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<40>; .reg .b64 %rd<4>; .reg .f32 %f<40>; .reg .f64 %d<4>; .reg .u32 %u<4>;\n{statements}\n}}\n"
    ));
}

#[test]
fn clean_code() {
    check(
        "ld.param.u64 %rd1, [p];
mov.u32 %r1, %tid.x;
mad.wide.s32 %rd2, %r1, 4, %rd1;
ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2+16];
@!%p1 st.shared.b32 [tile+4], %r1;
setp.lt.and.s32 %p1|%p2, %r1, 10, !%p3;
cvt.rn.f16x2.f32 %r2, %f1, %f2;
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};
shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;
atom.global.add.u32 %r1, [%rd1], 1;
bar.sync 0;
ret.uni;",
    );
}

/// Statements that ptxas takes although the manual does not have them.
#[test]
fn beyond_the_manual() {
    check(
        "ldmatrix.sync.aligned.m8n8.x128.b16 %r1, [%rd1];
add.f32 %f1, %f2, k;
and.pred %p1, %p2, k;
st.f64 [%rd1], k;
st.u32 [%rd1], k+4;
vadd.s32.s32.s32 %r1, k, %r2, %r3;
bfind.shiftamt.shiftamt.s32 %r1, %r2;
//            ^^^^^^^^^ warning ignored-modifier: `.shiftamt` has no effect here (ptxas ignores it)
wmma.load.c.sync.aligned.row.m16n16k16.f32 {%f1, %f2, %f3, %f4, %f5, %f6, _, %f8}, [%rd1];
atom.exch.b32 %r1, [%rd1], %r2, %r3;
st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], {%u1, %u2}, [%r3];
stmatrix.sync.aligned.m8n8.x8.b16 [%rd1], {%r0, %r1};
ldmatrix.sync.aligned.m8n8.x8.b16 {%r0, %r1}, [%rd1];",
    );
}

#[test]
fn functions_are_no_destinations_and_no_elements() {
    check(
        "ld.global.u32 k, [%rd1];
//            ^ invalid-operand: the name of an entry is not valid here in `ld.global.u32` | expected a register at least as wide as .u32
ld.global.v2.u32 {k, %r1}, [%rd1];
//                ^ invalid-operand: the name of an entry is not valid here in `ld.global.v2.u32` | expected a register at least as wide as .u32
cvt.u64.u32 k, %r1;
//          ^ invalid-operand: the name of an entry is not valid here in `cvt.u64.u32` | expected a register at least as wide as .u64
st.global.v2.u32 [%rd1], {k, %r1};
//                        ^ invalid-operand: the name of an entry is not valid here in `st.global.v2.u32` | expected a register at least as wide as .u32, an integer constant, or a special register
st.global.v2.u32 [%rd1], k;
//                       ^ invalid-operand: the name of an entry is not valid here in `st.global.v2.u32` | expected a vector `{…}` of 2 elements, a register at least as wide as .u32 each",
    );
}

#[test]
fn opcodes_and_modifiers() {
    check(
        "ad.s32 %r1, %r2, 4;
//^^ unknown-instruction: unknown instruction `ad`
selpp.b32 %r1, %r2, %r3, %p1;
//^^^^^ unknown-instruction: unknown instruction `selpp` | did you mean `selp`?
ld.gloal.f32 %f1, [%rd1];
//^^^^^^ modifier-not-allowed: `.gloal` is not allowed in `ld.gloal.f32` | did you mean `.global`?
mul.wied.s32 %rd1, %r2, %r3;
// ^^^^^ modifier-not-allowed: `.wied` is not allowed in `mul.wied.s32` | did you mean `.wide`?
mul.s32 %r1, %r2, %r3;
//^^^^^^^ modifier-required: `mul.s32` needs one of `.hi`, `.lo`
",
    );
}

#[test]
fn operands() {
    check(
        "add.s32 %r1, %r2, %f1;
//                ^^^ invalid-operand: a .f32 register is not valid here in `add.s32` | expected a register for .s32 or an integer constant
add.s32 %r1, %r2;
//^^^^^^^ wrong-operand-count: `add.s32` takes 3 operands, not 2
ld.global.v4.f32 {%f1, %f2, %f3}, [%rd1];
//               ^^^^^^^^^^^^^^^ invalid-operand: a vector of 3 is not valid here in `ld.global.v4.f32` | expected a vector `{…}` of 4 elements, a register at least as wide as .f32 each
setp.lt.f32 %r1, %f1, %f2;
//          ^^^ invalid-operand: a .b32 register is not valid here in `setp.lt.f32` | expected a .pred register or `_`
@%r1 ret;
//^^^ invalid-operand: a guard needs a .pred register; this is a .b32 register
shl.b32 %r1, %r2, %rd1;
//                ^^^^ invalid-operand: a .b64 register is not valid here in `shl.b32` | expected a .b32, .u32 or .s32 register, or an integer constant
bar.sync 17;
//       ^^ invalid-operand: the constant 17 is not valid here in `bar.sync` | expected a .b32, .u32 or .s32 register, or a constant from 0 to 15
",
    );
}

#[test]
fn one_word_is_to_blame() {
    check(
        "add.rn.s32 %r1, %r2, 4;
// ^^^ modifier-not-allowed: `.rn` is not allowed in `add.rn.s32` | `.rn` is for `.f32`, `.f64`, `.f16`, `.f16x2`, `.bf16`, `.bf16x2`
cvt.f32.f64 %f1, %d1;
//^^^^^^^^^^^ modifier-required: `cvt.f32.f64` needs one of `.rn`, `.rz`, `.rm`, `.rp`
cvt.rni.f32.s32 %f1, %r1;
// ^^^^ modifier-not-allowed: `.rni` is not allowed in `cvt.rni.f32.s32` | allowed here: `.rn`, `.rz`, `.rm`, `.rp`
mul.s32.lo %r1, %r2, %r3;
//     ^^^ modifier-not-allowed: `.lo` must directly follow `mul`
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};
//              ^^^^^^^^ invalid-operand: these operands do not go with `.m16n8k8` in `mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32` | they go with `.m16n8k16`
st.global.f32 %f1, [%rd1];
//            ^^^^^^^^^^^ invalid-operand: the operands of `st.global.f32` are in the wrong order | exchange the first and the second of these operands
ld.volatile.const.u32 %r1, [%rd1];
//^^^^^^^^^ modifier-not-allowed: `.volatile` is not allowed in `ld.volatile.const.u32` | `.volatile` and `.const` exclude each other
",
    );
}

#[test]
fn elements_of_vectors_are_alike() {
    // Only neighbours are compared, and an untyped register is between any two.
    check(
        "st.global.v4.b32 [%rd1], {%u1, %r1, %f1, %f2};
st.global.v2.b32 [%rd1], {%u1, %f1};
//                       ^^^^^^^^^^ invalid-operand: a vector of 2 is not valid here in `st.global.v2.b32` | all elements must be of one width, and neighbours both integers or both floats unless one is untyped
ld.global.v2.b32 {%r1, %rd2}, [%rd1];
//               ^^^^^^^^^^^ invalid-operand: a vector of 2 is not valid here in `ld.global.v2.b32` | all elements must be of one width, and neighbours both integers or both floats unless one is untyped
",
    );
    // Together they have one type; elements of several types are untyped bits.
    check(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%u1}, {%r1}, {%f1,0f3F800000,%f3,%r4};
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%u2,%u1}, {%r1}, {%f1,%f2,%f3,%f4};
//                                                                  ^^^^^^^^^ invalid-operand: a vector of 2 is not valid here in `mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32` | expected a vector `{…}` of 2 elements, a .b32 or .f16x2 register each
",
    );
}

#[test]
fn operands_of_copies() {
    // The sizes go together, and addresses are as wide as what replaces the instruction wants.
    check(
        "cp.async.ca.shared.global [%r1], [%rd1], 8, 4;
cp.async.ca.shared.global [%r1], [%rd1], 8, 16;
//                                          ^^ invalid-operand: the constant 16 is not valid here in `cp.async.ca.shared.global` | expected a .b32, .u32 or .s32 register, or a constant from 0 to 8
cp.async.cg.shared.global [%r1], [%rd1], 8;
//                                       ^ invalid-operand: the constant 8 is not valid here in `cp.async.cg.shared.global` | expected the constant 16
createpolicy.range.L2::evict_last.b64 %rd1, [%rd2], 16, -1;
createpolicy.range.L2::evict_last.b64 %rd1, [%rd2], 16, 8;
//                                                      ^ invalid-operand: the constant 8 is not valid here in `createpolicy.range.L2::evict_last.b64` | expected a .b32, .u32 or .s32 register, or a constant from 16 to 4294967295
createpolicy.fractional.L2::evict_last.b64 %rd1, 0.5;
createpolicy.fractional.L2::evict_last.b64 %rd1, 1.5;
//                                               ^^^ invalid-operand: a floating-point constant is not valid here in `createpolicy.fractional.L2::evict_last.b64` | expected a .b32 or .f32 register or a floating-point constant above 0 and up to 1
st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%h1], %r1, [%h1];
//                                                         ^^^ invalid-operand: a .b16 register is not valid here in `st.async.shared::cluster.mbarrier::complete_tx::bytes.b32` | expected an address: an integer register or a variable of the state space, perhaps plus a constant
cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r1, %f1}], [%r3];
cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%u1, %f1}], [%r3];
//                                                           ^^^^^^^^^^ invalid-operand: a vector of 2 is not valid here in `cp.async.bulk.tensor.2d.global.shared::cta.bulk_group` | expected a vector `{…}` of 2 elements, a .b32, .u32 or .s32 register each
cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1+8, {%r1, %r2}], [%r3];
//                                                     ^^^^^^ invalid-operand: a .b64 register plus a constant is not valid here in `cp.async.bulk.tensor.2d.global.shared::cta.bulk_group` | expected brackets with 2 elements: `[map, coordinates]`
cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%tid.x, 1}], [%r3];
//                                                           ^^^^^^^^^^^ invalid-operand: a vector of 2 is not valid here in `cp.async.bulk.tensor.2d.global.shared::cta.bulk_group` | expected a vector `{…}` of 2 elements, a .b32, .u32 or .s32 register each
cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%laneid, 1}], [%r3];
cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {1, %h1}], [%r3];
//                                                           ^^^^^^^^ invalid-operand: a vector of 2 is not valid here in `cp.async.bulk.tensor.2d.global.shared::cta.bulk_group` | expected a vector `{…}` of 2 elements, a .b32, .u32 or .s32 register each
cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd1, {0, 0, 0, 0}], [%r3], {1, %r1};
",
    );
}

#[test]
fn special_registers_have_widths() {
    check(
        "mov.b16 %h1, %tid.x;
mov.b16 %h1, %laneid;
//           ^^^^^^^ invalid-operand: a special register of type .u32 is not valid here in `mov.b16` | read it into a register first: `mov.u32 %r, %laneid;`
cvt.rna.tf32.f32 %r1, 0f3F800000;
cvt.rna.tf32.f32 %r1, 43;
//                    ^^ invalid-operand: the constant 43 is not valid here in `cvt.rna.tf32.f32` | expected a .b32 or .f32 register
",
    );
}

#[test]
fn versions_and_targets() {
    check(
        "wgmma.fence.sync.aligned;
//^^^^^^^^^^^ unsupported-by-target: `wgmma.fence.sync.aligned` needs target `sm_90a`; this module is for `sm_90`
add.sat.u32 %r1, %r2, 4;
// ^^^^ unsupported-by-target: `.sat` in `add.sat.u32` needs target `sm_107a`, `sm_107f`, `sm_120a`, or `sm_120f`; this module is for `sm_90`
tcgen05.wait::ld.sync.aligned;
//^^^^^^^^^^^^^^^^ unsupported-by-target: `tcgen05.wait::ld.sync.aligned` needs target `sm_100a`, `sm_100f`, `sm_110a`, or `sm_110f`; this module is for `sm_90`
",
    );
}

#[test]
fn one_error_per_mistake() {
    // Undeclared names and broken syntax are reported once, by those who know about them.
    check(
        "add.s32 %r1, %q, 4;
//           ^^ undefined-name: `%q` is not declared
add.s32 %r1, %r2
//              ^ syntax-error: expected `,` or `;`
ret;",
    );
}

#[test]
fn elements_behind_a_constant() {
    check(
        "st.shared.v2.b32 [%r1], {1.5, %f1};
st.shared.v2.b32 [%r1], {1.5, %d1};
//                       ^^^ invalid-operand: a floating-point constant is not valid here in `st.shared.v2.b32` | expected a register at least as wide as .b32, an integer constant, or a special register
st.shared.v2.b32 [%r1], {%d1, 1.5};
st.shared.v2.f32 [%r1], {1.5, %rd1};
mov.b64 %rd1, {-2.0, 0f3F800000};
mov.b64 %rd1, {0f3F800000, -2.0};
//            ^^^^^^^^^^^^^^^^^^ invalid-operand: a vector of 2 is not valid here in `mov.b64` | expected a register for .b64, an integer constant, a special register of 64 bits, the name of a variable, or the name of a function
mov.b32 %r1, {1.5, %h1};
mov.b32 %r1, {1.5, 1.5};
//           ^^^^^^^^^^ invalid-operand: a vector of 2 is not valid here in `mov.b32` | expected a register for .b32, an integer constant, a special register of 32 bits, the name of a variable, or the name of a function",
    );
}

#[test]
fn one_misspelt_modifier_is_one_mistake() {
    check_file(
        r#".version 9.0
.target sm_90
.address_size 64
.entry k {
.reg .f32 %f<3>; .reg .b32 %r<3>; .reg .pred %p;
ex2.aprox.ftz.f32 %f1, %f2;
// ^^^^^^ modifier-not-allowed: `.aprox` is not allowed in `ex2.aprox.ftz.f32` | did you mean `.approx`?
ex2.aprox.ftzz.f32 %f1, %f2;
// ^^^^^^ modifier-not-allowed: `.aprox` is not allowed in `ex2.aprox.ftzz.f32` | did you mean `.approx`?
//       ^^^^^ modifier-not-allowed: `.ftzz` is not allowed in `ex2.aprox.ftzz.f32` | did you mean `.ftz`?
}
"#,
    );
}

#[test]
fn parameters_where_a_generic_address_is_needed() {
    check_file(
        r#".version 9.0
.target sm_90
.address_size 64
.entry k(.param .align 64 .b8 map[128]) {
.reg .b32 %r<3>; .shared .align 128 .b8 tile[128]; .shared .b64 bar;
.global .align 64 .b8 other[128];
cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile], [map, {%r1}], [bar];
//                                                                                    ^^^ invalid-operand: `map` is in `.param`; `cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes` needs its generic address | `mov.b64 %rd, map; cvta.param.u64 %rd, %rd;` puts it into a register
cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile], [tile, {%r1}], [bar];
//                                                                                    ^^^^ invalid-operand: the name of a `.shared` variable is not valid here in `cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes` | expected the name of a `.global` variable
cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile], [other, {%r1}], [bar];
}
"#,
    );
}

#[test]
fn special_registers_where_none_can_be() {
    check(
        "mov.u32 %r1, %tid;
//           ^^^^ invalid-operand: a special register without a component such as `.x` is not valid here in `mov.u32` | write one of its components: `%tid.x`, `%tid.y`, `%tid.z`
mov.u32 %r1, %tid.q;
//           ^^^^^^ invalid-operand: `.q` of a special register is not valid here in `mov.u32` | write one of its components: `%tid.x`, `%tid.y`, `%tid.z`
add.u32 %r1, %tid, 1;
//           ^^^^ invalid-operand: a special register without a component such as `.x` is not valid here in `add.u32` | write one of its components: `%tid.x`, `%tid.y`, `%tid.z`
add.u32 %r1, %tid.x, 1;
//           ^^^^^^ invalid-operand: a special register of type .u32 is not valid here in `add.u32` | read it into a register first: `mov.u32 %r, %tid.x;`
mov.u32 %r1, %laneid.x;
//           ^^^^^^^^^ invalid-operand: `.x` of a special register is not valid here in `mov.u32` | `%laneid` has no components
st.global.u64 [%rd1], %clock64;
//                    ^^^^^^^^ invalid-operand: a special register of type .u64 is not valid here in `st.global.u64` | read it into a register first: `mov.u64 %rd, %clock64;`
",
    );
}
