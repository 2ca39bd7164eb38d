//! Textures, samplers and surfaces as operands, in both texture modes, and vectors of coordinates.

use crate::fixture::check_file;

/// Statements in a module with these options of `.target` and declarations.
#[track_caller]
fn check(mode: &str, declarations: &str, statements: &str) {
    check_file(&format!(
        ".version 9.4\n.target sm_90{mode}\n.address_size 64\n{declarations}\n.entry k() {{\n.reg .pred %p<4>; .reg .b32 %r<8>; .reg .u32 %u<8>; .reg .b64 %rd<4>; .reg .f32 %f<8>;\n{statements}\n}}\n"
    ));
}

#[test]
fn unified() {
    check(
        "",
        ".global .texref image; .global .surfref canvas;",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f5, %f6}];
tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];
txq.width.b32 %r1, [image];
txq.filter_mode.b32 %r1, [image];
txq.force_unnormalized_coords.b32 %r1, [image];
//                                      ^^^^^ invalid-operand: the name of a texture is not valid here in `txq.force_unnormalized_coords.b32` | expected a .b64, .u64 or .s64 register
suld.b.2d.b32.trap %r1, [canvas, {%r2, %r3}];",
    );
}

#[test]
fn independent() {
    check(
        ", texmode_independent",
        ".global .texref image; .global .samplerref sampler;",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, sampler, {%f5, %f6}];
tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f5, %f6}];
//                                              ^^^^^^^^^^ invalid-operand: a vector of 2 is not valid here in `tex.2d.v4.f32.f32` | expected the name of a .samplerref
txq.width.b32 %r1, [image];
txq.filter_mode.b32 %r1, [sampler];
txq.filter_mode.b32 %r1, [image];
//                        ^^^^^ invalid-operand: the name of a texture is not valid here in `txq.filter_mode.b32` | expected the name of a .samplerref
txq.width.b32 %r1, [sampler];
//                  ^^^^^^^ invalid-operand: the name of a sampler is not valid here in `txq.width.b32` | expected the name of a .texref",
    );
}

#[test]
fn coordinates() {
    check(
        "",
        ".global .texref image;",
        "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [image, {%r1, %f6}];
tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [image, {%f5, %f6}];
//                                              ^^^^^^^^^^ invalid-operand: a vector of 2 is not valid here in `tex.2d.v4.f32.s32` | expected a vector `{…}` of 2 elements, a register for .s32 each, a vector `{…}` of 4 elements, a register for .s32 each, or a register for .s32
tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%laneid, 1.5}];
tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%tid.x, 1.5}];
//                                              ^^^^^^^^^^^^^ invalid-operand: a vector of 2 is not valid here in `tex.2d.v4.f32.f32` | expected a vector `{…}` of 2 elements, a register for .f32 each, a vector `{…}` of 4 elements, a register for .f32 each, or a register for .f32
tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {0f3F800000, 1.5, %f6, %laneid}];
tex.a1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%u1, %f6}];
tex.a1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f5, %f6}];
//                                               ^^^^^^^^^^ invalid-operand: a vector of 2 is not valid here in `tex.a1d.v4.f32.f32` | expected a vector `{…}` of 2 elements, a register for .f32 each, a vector `{…}` of 4 elements, a register for .f32 each, or a register for .f32",
    );
}

#[test]
fn addresses() {
    check(
        "",
        ".global .b8 table[16]; .global .attribute(.unified(1, 2)) .b8 shared_by_all[16];
//                                        ^^^^^^^^ compile-only: ptxas takes `.unified` with `--compile-only` only | such modules are linked before they run",
        "ld.global.b32 %r1, [shared_by_all].unified;
ld.global.b32 %r1, [table].unified;
//                 ^^^^^^^^^^^^^^^ invalid-operand: an address in brackets is not valid here in `ld.global.b32` | expected no word after the bracket
ld.global.b32 %r1, table[4];
atom.global.add.u32 %r1, table[4], 1;
//                       ^^^^^^^^ invalid-operand: an element of an array is not valid here in `atom.global.add.u32` | expected an address in brackets `[…]`
add.u64 %rd1, table[4], 1;
//            ^^^^^^^^ invalid-operand: an element of an array is not valid here in `add.u64` | expected a register for .u64 or an integer constant
mov.u64 %rd1, table[4];
st.global.v2.b32 [%rd1], {%r1, _};
//                             ^ invalid-operand: the sink `_` is not valid here in `st.global.v2.b32` | expected a register at least as wide as .b32, an integer constant, or a special register
fence.proxy.acquire.alias.sys;",
    );
}
