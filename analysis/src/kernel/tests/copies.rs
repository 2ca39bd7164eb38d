//! Copies and the products that use what they copy.

use expect_test::{Expect, expect};

use super::check;

/// Two stages of two tiles each, of 8192 and 4096 bytes, that products read; `descriptor` makes %rd4 of the address %r9.
#[track_caller]
fn check_products(descriptor: &str, expect: Expect) {
    check(
        &format!(
            ".version 8.5
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 smem[];
.entry k(.param .u64 map, .param .u32 n) .reqntid 128 {{
.reg .b32 %r<30>; .reg .b64 %rd<9>; .reg .pred %p<9>; .reg .f32 %f<4>;
ld.param.u64 %rd1, [map]; ld.param.u32 %r1, [n];
mov.u32 %r2, smem;
mbarrier.init.shared::cta.b64 [%r2+32768], 1;
mbarrier.init.shared::cta.b64 [%r2+32776], 1;
mov.u32 %r4, 0;
L: and.b32 %r5, %r4, 1; shr.u32 %r6, %r4, 1; and.b32 %r6, %r6, 1;
shl.b32 %r7, %r5, 3; add.u32 %r7, %r7, %r2; add.u32 %r7, %r7, 32768;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 12288;
shl.b32 %r8, %r5, 13; add.u32 %r9, %r2, %r8; shl.b32 %r10, %r5, 12; add.u32 %r11, %r2, %r10; add.u32 %r12, %r11, 16384;
cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%rd1, {{%r4}}], [%r7];
cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r12], [%rd1, {{%r4}}], [%r7];
W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r7], %r6;
@!%p1 bra W;
{descriptor}
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f0, %f1, %f2, %f3}}, %rd4, %rd5, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, %r1;
@%p2 bra L;
ret;
}}
"
        ),
        expect,
    );
}

#[test]
fn products_of_copied_tiles() {
    check_products(
        "add.u32 %r13, %r9, 32; shr.u32 %r14, %r13, 4; and.b32 %r14, %r14, 16383; cvt.u64.u32 %rd2, %r14; \
         or.b64 %rd4, %rd2, 0x4000004000010000; and.b32 %r15, %r12, 262016; shr.u32 %r15, %r15, 4; \
         cvt.u64.u32 %rd3, %r15; add.u64 %rd5, %rd3, 0x4000004000010002;",
        expect![[r#"
            k Some((128, true))
            smem None [9, 10, 14, 16, 17] [18, 22]
            loop 12 depth 1 waits 1
            loop 18 depth 2 waits 1
            smem+32768 x2 by Some(8) init [9, 10] arrived [14] [Some(12288)] completed [16, 17] waited [18]
            copy 16 Some("smem + 8192·…") Some(0) [] [22]
            copy 17 Some("smem+16384 + 4096·…") Some(0) [] [22]
            unknown []
        "#]],
    );
    // Bits are put above an address that is known to be small only because it is one of shared memory.
    check_products(
        "shr.u32 %r14, %r9, 4; cvt.u64.u32 %rd2, %r14; or.b64 %rd2, %rd2, 0x4000004000010000; add.u64 %rd4, %rd2, 2; \
         shr.u32 %r15, %r2, 4; cvt.u64.u32 %rd3, %r15; or.b64 %rd5, %rd3, 0x4000004000010008;",
        expect![[r#"
            k Some((128, true))
            smem None [9, 10, 14, 16, 17] [18, 22]
            loop 12 depth 1 waits 1
            loop 18 depth 2 waits 1
            smem+32768 x2 by Some(8) init [9, 10] arrived [14] [Some(12288)] completed [16, 17] waited [18]
            copy 16 Some("smem + 8192·…") Some(0) [] [22]
            copy 17 Some("smem+16384 + 4096·…") Some(0) [] []
            unknown []
        "#]],
    );
    // An address outside the tiles, and an unknown one.
    check_products(
        "add.u32 %r13, %r2, 24576; bfe.u32 %r14, %r13, 4, 14; cvt.u64.u32 %rd2, %r14; \
         or.b64 %rd4, %rd2, 0x4000004000010000; mov.b64 %rd5, %rd1;",
        expect![[r#"
            k Some((128, true))
            smem None [9, 10, 14, 16, 17] [18, 22]
            loop 12 depth 1 waits 1
            loop 18 depth 2 waits 1
            smem+32768 x2 by Some(8) init [9, 10] arrived [14] [Some(12288)] completed [16, 17] waited [18]
            copy 16 Some("smem + 8192·…") Some(0) [] []
            copy 17 Some("smem+16384 + 4096·…") Some(0) [] []
            unknown []
        "#]],
    );
}

#[test]
fn tiles_in_variables_of_their_own() {
    check(
        ".version 8.6
.target sm_100a
.address_size 64
.entry k(.param .u64 map) .reqntid 128 {
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;
.shared .align 1024 .b8 one[8192]; .shared .align 1024 .b8 two[4096]; .shared .align 8 .b64 full;
ld.param.u64 %rd1, [map];
mbarrier.init.shared::cta.b64 [full], 1;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 12288;
cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [one], [%rd1, {%r4}], [full];
cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [two], [%rd1, {%r4}], [full];
W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [full], 0;
@!%p1 bra W;
mov.u32 %r1, one; shr.u32 %r1, %r1, 4; cvt.u64.u32 %rd2, %r1; or.b64 %rd2, %rd2, 0x4000404000010000; add.s64 %rd3, %rd2, 6;
mov.u32 %r2, two; shr.u32 %r2, %r2, 4; cvt.u64.u32 %rd4, %r2; or.b64 %rd4, %rd4, 0x4000404000010000;
tcgen05.mma.cta_group::1.kind::f16 [%r5], %rd3, %rd4, %r6, %p2;
add.s64 %rd3, %rd2, 512; add.s64 %rd4, %rd4, 2;
tcgen05.mma.cta_group::1.kind::f16 [%r5], %rd3, %rd4, %r6, %p2;
ret;
}
",
        expect![[r#"
            k Some((128, true))
            one Some(8192) [10] [16, 18]
            two Some(4096) [11] [16, 18]
            full Some(8) [8, 9] [12]
            loop 12 depth 1 waits 1
            full x1 by None init [8] arrived [9] [Some(12288)] completed [10, 11] waited [12]
            copy 10 Some("one") Some(0) [] [16]
            copy 11 Some("two") Some(0) [] [16, 18]
            unknown []
        "#]],
    );
}

/// Two stages that two warps fill, half each; the warp chooses the half by `half`, the counter a stage by `stage`.
#[track_caller]
fn check_halves(stage: u32, half: u32, product: u32, expect: Expect) {
    check(
        &format!(
            ".version 8.5
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 smem[];
.entry k(.param .u64 map, .param .u32 n) .reqntid 128 {{
.reg .b32 %r<30>; .reg .b64 %rd<9>; .reg .pred %p<9>; .reg .f32 %f<4>;
ld.param.u64 %rd1, [map]; ld.param.u32 %r1, [n];
mov.u32 %r2, smem; mov.u32 %r3, %tid.x; shr.u32 %r3, %r3, 5; and.b32 %r3, %r3, 1;
mbarrier.init.shared::cta.b64 [%r2+65536], 1;
mbarrier.init.shared::cta.b64 [%r2+65544], 1;
mov.u32 %r4, 0;
L: and.b32 %r5, %r4, 1; shr.u32 %r6, %r4, 1; and.b32 %r6, %r6, 1;
shl.b32 %r7, %r5, 3; add.u32 %r7, %r7, %r2; add.u32 %r7, %r7, 65536;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 16384;
mul.lo.u32 %r8, %r5, {stage}; mul.lo.u32 %r9, %r3, {half}; add.u32 %r10, %r2, %r8; add.u32 %r10, %r10, %r9;
cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%rd1, {{%r4}}], [%r7];
W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r7], %r6;
@!%p1 bra W;
add.u32 %r11, %r2, {product}; shr.u32 %r11, %r11, 4; and.b32 %r11, %r11, 16383; cvt.u64.u32 %rd2, %r11;
cvt.u64.u32 %rd3, %r5; mul.lo.u64 %rd3, %rd3, 512;
or.b64 %rd4, %rd2, 0x4000004000010000; add.u64 %rd4, %rd4, %rd3; mov.b64 %rd5, %rd1;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f0, %f1, %f2, %f3}}, %rd4, %rd5, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, %r1;
@%p2 bra L;
ret;
}}
"
        ),
        expect,
    );
}

#[test]
fn the_stride_of_stages_is_that_of_the_mbarrier() {
    // The stages of a half one after the other, then the other half; the descriptor varies with the stage.
    check_halves(
        8192,
        16384,
        16384,
        expect![[r#"
            k Some((128, true))
            smem None [9, 10, 14, 16] [17, 23]
            loop 12 depth 1 waits 1
            loop 17 depth 2 waits 1
            smem+65536 x2 by Some(8) init [9, 10] arrived [14] [Some(16384)] completed [16] waited [17]
            copy 16 Some("smem + 8192·…") Some(0) [] [23]
            unknown []
        "#]],
    );
    // A stage has both halves; an address after the last stage.
    check_halves(
        16384,
        8192,
        8192,
        expect![[r#"
            k Some((128, true))
            smem None [9, 10, 14, 16] [17, 23]
            loop 12 depth 1 waits 1
            loop 17 depth 2 waits 1
            smem+65536 x2 by Some(8) init [9, 10] arrived [14] [Some(16384)] completed [16] waited [17]
            copy 16 Some("smem + 8192·…") Some(0) [] [23]
            unknown []
        "#]],
    );
    check_halves(
        16384,
        8192,
        32768,
        expect![[r#"
            k Some((128, true))
            smem None [9, 10, 14, 16] [17, 23]
            loop 12 depth 1 waits 1
            loop 17 depth 2 waits 1
            smem+65536 x2 by Some(8) init [9, 10] arrived [14] [Some(16384)] completed [16] waited [17]
            copy 16 Some("smem + 8192·…") Some(0) [] []
            unknown []
        "#]],
    );
}

/// A ring of three stages that threads fill by copies; `next` makes the next stage %r5 of itself.
#[track_caller]
fn check_tiles(bounds: &str, next: &str, expect: Expect) {
    check(
        &format!(
            ".version 8.5
.target sm_80
.address_size 64
.extern .shared .align 1024 .b8 smem[];
.entry k(.param .u64 k_param_0, .param .u64 k_param_1, .param .u32 n) {bounds} {{
.reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .pred %p<9>; .reg .f32 %f<9>;
ld.param.u64 %rd1, [k_param_0]; ld.param.u64 %rd2, [k_param_1]; ld.param.u32 %r1, [n];
cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;
mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 4; mov.u32 %r4, smem; add.u32 %r6, %r4, %r3;
mul.wide.u32 %rd3, %r3, 1; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
cp.async.cg.shared.global [%r6], [%rd4], 16;
cp.async.cg.shared.global [%r6+3072], [%rd5], 16;
cp.async.commit_group;
cp.async.cg.shared.global [%r6+1024], [%rd4+1024], 16;
cp.async.cg.shared.global [%r6+4096], [%rd5+1024], 16;
cp.async.commit_group;
mov.u32 %r5, 1; mov.u32 %r7, 2; mov.u32 %r8, 0; shl.b32 %r9, %r2, 4; and.b32 %r9, %r9, 496;
L: add.u32 %r10, %r7, 1; setp.lt.s32 %p1, %r10, 3; selp.b32 %r7, %r10, 0, %p1;
cp.async.wait_group 1;
bar.sync 0;
shl.b32 %r11, %r7, 10; add.u32 %r12, %r4, %r11; add.u32 %r13, %r12, %r9;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r20, %r21, %r22, %r23}}, [%r13];
ldmatrix.sync.aligned.m8n8.x2.shared.b16 {{%r24, %r25}}, [%r13+3072];
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%f0, %f1, %f2, %f3}}, {{%r20, %r21, %r22, %r23}}, {{%r24, %r25}}, {{%f0, %f1, %f2, %f3}};
{next}
shl.b32 %r15, %r5, 10; add.u32 %r16, %r6, %r15;
cp.async.cg.shared.global [%r16], [%rd4+2048], 16;
cp.async.cg.shared.global [%r16+3072], [%rd5+2048], 16;
cp.async.commit_group;
add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, %r1;
@%p3 bra L;
ld.shared.u32 %r30, [%r6]; st.global.u32 [%rd1], %r30;
ret;
}}
"
        ),
        expect,
    );
}

#[test]
fn tiles_that_threads_copy() {
    check_tiles(
        ".reqntid 64",
        "add.u32 %r14, %r5, 1; setp.lt.s32 %p2, %r14, 3; selp.b32 %r5, %r14, 0, %p2;",
        expect![[r#"
            k Some((64, true))
            smem None [11, 12, 14, 15, 27, 28] [22, 23, 32]
            loop 18 depth 1 waits 0
            tile Some("smem") from Some("param_0") Some(3) stages of 1024 filled [11, 14, 27] read [22] [24]
            tile Some("smem+3072") from Some("param_1") Some(3) stages of 1024 filled [12, 15, 28] read [23] [24]
            barrier Some(0) None [20] []
            unknown []
        "#]],
    );
    check_tiles(
        ".reqntid 64",
        "add.u32 %r14, %r5, 1; and.b32 %r5, %r14, 3;",
        expect![[r#"
            k Some((64, true))
            smem None [11, 12, 14, 15, 27, 28] [22, 23, 32]
            loop 18 depth 1 waits 0
            tile Some("smem") from Some("param_0") Some(4) stages of 1024 filled [11, 14, 27] read [22, 23] [24]
            tile Some("smem+3072") from Some("param_1") Some(4) stages of 1024 filled [12, 15, 28] read [23] [24]
            barrier Some(0) None [20] []
            unknown []
        "#]],
    );
    // The text has only the largest block.
    check_tiles(
        ".maxntid 64, 1, 1",
        "add.u32 %r14, %r5, 1; setp.lt.s32 %p2, %r14, 3; selp.b32 %r5, %r14, 0, %p2;",
        expect![[r#"
            k Some((64, false))
            smem None [11, 12, 14, 15, 27, 28] [22, 23, 32]
            loop 18 depth 1 waits 0
            tile Some("smem") from Some("param_0") Some(3) stages of 1024 filled [11, 14, 27] read [22] [24]
            tile Some("smem+3072") from Some("param_1") Some(3) stages of 1024 filled [12, 15, 28] read [23] [24]
            barrier Some(0) None [20] []
            unknown []
        "#]],
    );
    check_tiles(
        ".maxnreg 64",
        "add.u32 %r14, %r5, 1; setp.lt.s32 %p2, %r14, 3; selp.b32 %r5, %r14, 0, %p2;",
        expect![[r#"
            k None
            smem None [11, 12, 14, 15, 27, 28] [22, 23, 32]
            loop 18 depth 1 waits 0
            tile Some("smem") from Some("param_0") Some(3) stages of ? filled [11, 14, 27] read [22] [24]
            tile Some("smem+3072") from Some("param_1") Some(3) stages of ? filled [12, 15, 28] read [23] [24]
            barrier Some(0) None [20] []
            unknown []
        "#]],
    );
    // A stage that the loop does not decide.
    check_tiles(
        ".reqntid 64",
        "ld.global.u32 %r5, [%rd1];",
        expect![[r#"
            k Some((64, true))
            smem None [11, 12, 14, 15, 27, 28] [22, 23, 32]
            loop 18 depth 1 waits 0
            tile Some("smem") from Some("param_0") None stages of 2048 filled [11, 14] read [22] [24]
            tile Some("smem+3072") from Some("param_1") None stages of 2048 filled [12, 15] read [23] [24]
            tile None from None None stages of ? filled [27, 28] read [] []
            barrier Some(0) None [20] []
            unknown []
        "#]],
    );
}

/// Two stages of a tile of 4096 bytes that a bulk copy fills, and what is done with the bytes %r5 of a stage.
#[track_caller]
fn check_loads(body: &str, expect: Expect) {
    check(
        &format!(
            ".version 8.5
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 smem[];
.entry k(.param .u64 map, .param .u32 n) .reqntid 128 {{
.reg .b32 %r<30>; .reg .b64 %rd<9>; .reg .pred %p<9>; .reg .f32 %f<4>; .reg .b16 %h<4>;
ld.param.u64 %rd1, [map]; ld.param.u32 %r1, [n];
mov.u32 %r2, smem; mov.u32 %r3, %tid.x; shl.b32 %r3, %r3, 4;
mbarrier.init.shared::cta.b64 [%r2+32768], 1;
mbarrier.init.shared::cta.b64 [%r2+32776], 1;
mov.u32 %r4, 0;
L: and.b32 %r5, %r4, 1; shr.u32 %r6, %r4, 1; and.b32 %r6, %r6, 1;
shl.b32 %r7, %r5, 3; add.u32 %r7, %r7, %r2; add.u32 %r7, %r7, 32768;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 4096;
shl.b32 %r8, %r5, 12; add.u32 %r9, %r2, %r8; add.u32 %r10, %r9, %r3;
cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%rd1, {{%r4}}], [%r7];
W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r7], %r6;
@!%p1 bra W;
{body}
add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, %r1;
@%p2 bra L;
ld.shared.u32 %r29, [%r2]; st.shared.u32 [%r2+16384], %r29;
ret;
}}
"
        ),
        expect,
    );
}

#[test]
fn products_of_loaded_bulk_copies() {
    // Through registers; the load after the loop feeds nothing.
    check_loads(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r10]; and.b32 %r24, %r20, %r21;
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r20, %r21, %r22, %r23}, {%r24, %r24}, {%f0, %f1, %f2, %f3};",
        expect![[r#"
            k Some((128, true))
            smem None [9, 10, 14, 16, 23] [17, 19, 23]
            loop 12 depth 1 waits 1
            loop 17 depth 2 waits 1
            smem+32768 x2 by Some(8) init [9, 10] arrived [14] [Some(4096)] completed [16] waited [17]
            copy 16 Some("smem + 4096·…") Some(0) [19] [20]
            unknown []
        "#]],
    );
    // Through a store to bytes that the product reads.
    check_loads(
        "ld.shared.b32 %r20, [%r10]; st.shared.b32 [%r10+8192], %r20;
add.u32 %r21, %r9, 8192; shr.u32 %r21, %r21, 4; cvt.u64.u32 %rd2, %r21; or.b64 %rd4, %rd2, 0x4000004000010000;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd4, %rd4, 1, 1, 1, 0, 0;",
        expect![[r#"
            k Some((128, true))
            smem None [9, 10, 14, 16, 19, 24] [17, 19, 21, 24]
            loop 12 depth 1 waits 1
            loop 17 depth 2 waits 1
            smem+32768 x2 by Some(8) init [9, 10] arrived [14] [Some(4096)] completed [16] waited [17]
            copy 16 Some("smem + 4096·…") Some(0) [19] [21]
            unknown []
        "#]],
    );
    // What is stored elsewhere does not reach the product.
    check_loads(
        "ld.shared.b32 %r20, [%r10]; st.shared.b32 [%r10+20480], %r20;
add.u32 %r21, %r9, 8192; shr.u32 %r21, %r21, 4; cvt.u64.u32 %rd2, %r21; or.b64 %rd4, %rd2, 0x4000004000010000;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd4, %rd4, 1, 1, 1, 0, 0;",
        expect![[r#"
            k Some((128, true))
            smem None [9, 10, 14, 16, 19, 24] [17, 19, 21, 24]
            loop 12 depth 1 waits 1
            loop 17 depth 2 waits 1
            smem+32768 x2 by Some(8) init [9, 10] arrived [14] [Some(4096)] completed [16] waited [17]
            copy 16 Some("smem + 4096·…") Some(0) [] []
            unknown []
        "#]],
    );
}

#[test]
fn products_of_one_of_two_warpgroups() {
    // The constant is outside the tile, and what the second half of the threads adds brings the address into it.
    check_loads(
        "and.b32 %r20, %r3, 1024; shl.b32 %r20, %r20, 1; setp.eq.u32 %p3, %r20, 0; @%p3 bra NEXT;
add.u32 %r22, %r9, %r20; add.u32 %r22, %r22, -2048; and.b32 %r22, %r22, 262016; shr.u32 %r22, %r22, 4;
cvt.u64.u32 %rd3, %r22; or.b64 %rd5, %rd3, 0x4000004000010000;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd5, %rd5, 1, 1, 1, 0, 0;
NEXT:",
        expect![[r#"
            k Some((128, true))
            smem None [9, 10, 14, 16, 26] [17, 22, 26]
            loop 12 depth 1 waits 1
            loop 17 depth 2 waits 1
            smem+32768 x2 by Some(8) init [9, 10] arrived [14] [Some(4096)] completed [16] waited [17]
            copy 16 Some("smem + 4096·…") Some(0) [] [22]
            unknown []
        "#]],
    );
}
