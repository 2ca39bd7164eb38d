//! `ptx-analyzer accesses` and `ptx-analyzer costs`.

use expect_test::expect;

use super::check;

/// Sums of rows: each thread adds every fourth element of a row of 64, and stores to a tile with a conflict.
const KERNEL: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry rows(.param .u64 .ptr .global .align 16 p, .param .u32 n)
.reqntid 64
{
    .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<3>; .reg .pred %p<3>;
    .shared .align 4 .b8 tile[4096];
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    mov.f32 %f1, 0f00000000;
    mov.u32 %r3, 0;
again:
    ld.global.f32 %f2, [%rd3];
    fma.rn.f32 %f1, %f2, %f2, %f1;
    add.s64 %rd3, %rd3, 256;
    add.u32 %r3, %r3, 64;
    setp.lt.u32 %p1, %r3, %r1;
    @%p1 bra again;
    shl.b32 %r4, %r2, 6;
    mov.u32 %r5, tile;
    add.u32 %r5, %r5, %r4;
    st.shared.f32 [%r5], %f1;
    setp.eq.u32 %p2, %r2, 0;
    @%p2 st.global.f32 [%rd1], %f1;
    ret;
}
";

#[test]
fn accesses_as_a_table() {
    check(
        &["accesses", "-"],
        KERNEL,
        expect![[r#"
        rows
             9 load   param      8 B                                     p
            10 load   param      4 B                                     n
            17 load   global     4 B  4 sectors                          %rd3
            26 store  shared     4 B  16-way conflict                    tile + 64*tid.x
            28 store  global     4 B  1 sector                           p
        status 0
    "#]],
    );
}

#[test]
fn accesses_as_json() {
    check(
        &["accesses", "--format", "json", "-"],
        KERNEL,
        expect![[r#"
            {"address":"p","aligned":true,"assumptions":[],"bytes":8,"column":5,"entry":"rows","file":"-","ideal_sectors":null,"in_range":true,"instruction":"ld.param.u64","kind":"load","line":9,"sectors":null,"space":"param","verdict":"decided","ways":null}
            {"address":"n","aligned":true,"assumptions":[],"bytes":4,"column":5,"entry":"rows","file":"-","ideal_sectors":null,"in_range":true,"instruction":"ld.param.u32","kind":"load","line":10,"sectors":null,"space":"param","verdict":"decided","ways":null}
            {"address":"%rd3","aligned":true,"assumptions":["param p is 256-byte aligned"],"bytes":4,"column":5,"entry":"rows","file":"-","ideal_sectors":4,"in_range":null,"instruction":"ld.global.f32","kind":"load","line":17,"sectors":4,"space":"global","verdict":"decided","ways":null}
            {"address":"tile + 64*tid.x","aligned":true,"assumptions":[],"bytes":4,"column":5,"entry":"rows","file":"-","ideal_sectors":null,"in_range":true,"instruction":"st.shared.f32","kind":"store","line":26,"sectors":null,"space":"shared","verdict":"decided","ways":16}
            {"address":"p","aligned":true,"assumptions":["param p is 256-byte aligned"],"bytes":4,"column":5,"entry":"rows","file":"-","ideal_sectors":1,"in_range":null,"instruction":"st.global.f32","kind":"store","line":28,"sectors":1,"space":"global","verdict":"decided","ways":null}
            status 0
        "#]],
    );
}

#[test]
fn costs() {
    check(
        &["costs", "-"],
        KERNEL,
        expect![[r#"
            rows, outside loops: reads 0 B and writes 4 B of global memory, accesses 256 B of shared memory, 0 flop, 0 flop in matrices, 0 special, 28 instructions
              loop at line 17, n/64 iterations, each: reads 256 B and writes 0 B of global memory, accesses 0 B of shared memory, 128 flop, 0 flop in matrices, 0 special, 12 instructions; 0.50 flop/B (balance of A100 80GB SXM in f32: 9.6)
            status 0
        "#]],
    );
    check(
        &["costs", "--format", "json", "-"],
        KERNEL,
        expect![[r#"
            {"entry":"rows","flop_per_byte":null,"flops":{"fma":0,"special":0,"tensor":0},"global_bytes_read":0,"global_bytes_written":4,"instructions":28,"loop":null,"peak":{"f16_product_flop_per_byte":153.01618440411966,"f32_flop_per_byte":9.563511525257478,"gpu":"A100 80GB SXM"},"shared_bytes":256,"trips":null}
            {"entry":"rows","flop_per_byte":0.5,"flops":{"fma":128,"special":0,"tensor":0},"global_bytes_read":256,"global_bytes_written":0,"instructions":12,"loop":17,"peak":{"f16_product_flop_per_byte":153.01618440411966,"f32_flop_per_byte":9.563511525257478,"gpu":"A100 80GB SXM"},"shared_bytes":0,"trips":"n/64"}
            status 0
        "#]],
    );
    let any = KERNEL.replace(".reqntid 64\n", "");
    check(
        &["costs", "-"],
        &any,
        expect![[r#"
        rows, outside loops: unknown, as the block has no shape; see --block
          loop at line 16, n/64 iterations, each: unknown, as the block has no shape; see --block
        status 0
    "#]],
    );
    check(
        &["costs", "--block", "64", "-"],
        &any,
        expect![[r#"
            rows, outside loops: reads 0 B and writes 4 B of global memory, accesses 256 B of shared memory, 0 flop, 0 flop in matrices, 0 special, 28 instructions
              loop at line 16, n/64 iterations, each: reads 256 B and writes 0 B of global memory, accesses 0 B of shared memory, 128 flop, 0 flop in matrices, 0 special, 12 instructions; 0.50 flop/B (balance of A100 80GB SXM in f32: 9.6)
            status 0
        "#]],
    );
}

#[test]
fn wrong_questions() {
    check(
        &["accesses", "--entry", "none", "-"],
        KERNEL,
        expect![[r#"
            error: -: no function none has a body
            status 2
        "#]],
    );
    check(
        &["costs", "--entry", "none", "-"],
        KERNEL,
        expect![[r#"
        error: -: no entry none has a body
        status 2
    "#]],
    );
    for block in ["0", "2048", "1,2,3,4", "x"] {
        let (status, _, said) = super::run_with(&["costs", "--block", block, "-"], b"", false);
        assert_eq!(status, super::FAILED, "{block}: {said}");
    }
}
