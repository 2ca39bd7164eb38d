use expect_test::{Expect, expect};

use crate::machine::tests::run_described_with;

/// Runs a body with endpoints of `x` and of `y`, a multicast one; the outcome, and that of late copies if it differs.
#[track_caller]
fn check(body: &str, expect: Expect) {
    let text = format!(
        ".version 9.4\n.target sm_100a\n.address_size 64\n\
        .visible .entry k(.param .u64 x, .param .u64 y, .param .u32 ex, .param .u32 ey)\n{{\n\
        .reg .b64 %x, %y, %o; .reg .b32 %ex, %ey, %t, %a, %r, %s; .reg .pred %p, %f;\n\
        .shared .align 128 .b32 s[64]; .shared .align 8 .b64 bar;\n\
        ld.param.u64 %x, [x]; ld.param.u64 %y, [y]; ld.param.u32 %ex, [ex]; ld.param.u32 %ey, [ey];\n\
        mov.u32 %t, %tid.x; mov.u32 %s, s; mad.lo.u32 %a, %t, 4, %s;\n\
        setp.eq.u32 %f, %t, 0;\n\
        .reg .b64 %z<257>;\n\
        mov.b64 %z0, 0; mov.b64 %z8, 8; mov.b64 %z16, 16; mov.b64 %z20, 20; mov.b64 %z32, 32;\n\
        mov.b64 %z48, 48; mov.b64 %z128, 128; mov.b64 %z256, 256;\n\
        @%f mbarrier.init.layout::v1.shared.b64 [bar], 1;\n\
        bar.warp.sync -1;\n\
        {body}\n}}\n"
    );
    let launch = r#"
        block = 32
        [args.x]
        value = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        type = "u32"
        [args.y]
        zeros = [68]
        type = "u32"
        [args.ex]
        endpoint = { of = "x" }
        [args.ey]
        endpoint = { of = "y", multicast = true }
    "#;
    let now = run_described_with(&text, launch, false);
    let late = run_described_with(&text, launch, true);
    let mut all = now.clone();
    if late != now {
        all += "late: ";
        all += &late;
    }
    expect.assert_eq(&all);
}

const GET: &str = "fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys.b128";
const PUT: &str =
    "fabric.try_put.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric";
const WAIT: &str = "\
w: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
@!%p bra w;";
const STORE: &str = "\
ld.shared.u32 %r, [%a];
setp.lt.u32 %p, %t, 16;
mul.wide.u32 %o, %t, 4;
add.u64 %o, %o, %y;
@%p st.global.u32 [%o], %r;
ret;";

#[test]
fn bytes_are_read_at_an_endpoint() {
    check(
        &format!(
            "@%f {GET} [s], [%ex, %z0], 64, [bar];
            @%f fabric.submit;
            @%f mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;
            {WAIT}
            {STORE}"
        ),
        expect![[r#"
            Finished
            p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
            p1 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        "#]],
    );
}

#[test]
fn operations_that_are_not_submitted_never_complete() {
    check(
        &format!(
            "@%f {GET} [s], [%ex, %z0], 64, [bar];
            @%f mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;
            {WAIT}
            {STORE}"
        ),
        expect![[r#"
            Deadlock
            mbarrier-misuse 16 `@%f fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys.b128 [s], [%ex, %z0], 64, [bar];` lanes [0]: the operation is never submitted: no thread can observe its completion
            deadlock 18 `mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;` lanes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]: the warp waits for a phase of an mbarrier that nothing completes any more
            p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
            p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        "#]],
    );
    // Puts are not submitted by a restricted one.
    check(
        &format!(
            "st.shared.u32 [%a], %t;
            fence.proxy.async.shared::cta;
            bar.warp.sync -1;
            @%f {PUT}.relaxed.sys.b128 [%ex, %z16], [s], 32, [bar];
            @%f fabric.submit.op_restrict::fetching;
            ret;"
        ),
        expect![[r#"
            Finished
            mbarrier-misuse 19 `@%f fabric.try_put.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys.b128 [%ex, %z16], [s], 32, [bar];` lanes [0]: the operation is never submitted: no thread can observe its completion
            p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
            p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        "#]],
    );
}

#[test]
fn bytes_are_written_at_an_endpoint() {
    let put = |fence: &str, id: &str, offset: &str, size: &str| {
        format!(
            "st.shared.u32 [%a], %t;
            {fence}
            bar.warp.sync -1;
            @%f {PUT}.relaxed.sys.b128 [{id}, %z{offset}], [s], {size}, [bar];
            @%f fabric.submit;
            @%f mbarrier.arrive.expect_tx.shared.b64 _, [bar], 2;
            {WAIT}
            ret;"
        )
    };
    let fence = "fence.proxy.async.shared::cta;";
    check(
        &put(fence, "%ex", "16", "32"),
        expect![[r#"
        Finished
        p0 = [0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15]
        p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    "#]],
    );
    check(
        &put("", "%ex", "16", "32"),
        expect![[r#"
        Finished
        missing-proxy-fence 19 `@%f fabric.try_put.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys.b128 [%ex, %z16], [s], 32, [bar];` lanes [0]: this operation of the asynchronous proxy need not see what was written to this location: `fence.proxy.async` is missing between them
        p0 = [0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15]
        p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    "#]],
    );
    // Bounds, alignment, the kind of endpoint, and identifiers that the launch lacks.
    check(
        &put(fence, "%ex", "48", "32"),
        expect![[r#"
        Finished
        out-of-bounds 19 `@%f fabric.try_put.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys.b128 [%ex, %z48], [s], 32, [bar];` lanes [0]: the access writes 32 bytes: byte 48 of the logical endpoint of `x`, which has 64
        p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    "#]],
    );
    check(
        &put(fence, "%ex", "8", "32"),
        expect![[r#"
        Finished
        misaligned-access 19 `@%f fabric.try_put.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys.b128 [%ex, %z8], [s], 32, [bar];` lanes [0]: the address 0x8 is not a multiple of 16, the size of the access
        p0 = [0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15]
        p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    "#]],
    );
    check(
        &put(fence, "%ey", "16", "32"),
        expect![[r#"
        Finished
        out-of-bounds 19 `@%f fabric.try_put.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys.b128 [%ey, %z16], [s], 32, [bar];` lanes [0]: the access writes 32 bytes: the logical endpoint of `y` is a multicast one, and the operation needs a unicast one
        p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    "#]],
    );
    check(
        &put(fence, "%t", "16", "32"),
        expect![[r#"
        Finished
        out-of-bounds 19 `@%f fabric.try_put.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys.b128 [%t, %z16], [s], 32, [bar];` lanes [0]: the access writes 32 bytes: 0x0 does not identify a logical endpoint
        p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    "#]],
    );
}

#[test]
fn bytes_in_a_mask_and_copies_of_a_multicast_endpoint() {
    let multimem = PUT.replace(".async", ".async.multimem");
    check(
        &format!(
            "st.shared.u32 [%a], 0x04030201;
            fence.proxy.async.shared::cta;
            bar.warp.sync -1;
            @%f {multimem}.cp_mask.relaxed.sys.b128 [%ey, %z0], [s], 32, [bar], 0x00F5;
            @%f fabric.submit;
            @%f mbarrier.arrive.expect_tx.shared.b64 _, [bar], 2;
            {WAIT}
            ret;"
        ),
        expect![[r#"
            Finished
            p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
            p1 = [196609, 67305985, 0, 0, 196609, 67305985, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        "#]],
    );
}

#[test]
fn reductions_and_a_counter() {
    let red = |offset: &str| {
        format!(
            "st.shared.u32 [%a], %t;
            fence.proxy.async.shared::cta;
            bar.warp.sync -1;
            @%f fabric.try_red.async.multimem.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes.relaxed.sys.add.u32 [%ey, %z0, %z{offset}], [s], 32, [bar];
            @%f fabric.submit;
            fabric.wait.sync_restrict::reads;
            @%f st.shared.u32 [s], 77;
            @%f mbarrier.arrive.expect_tx.shared.b64 _, [bar], 2;
            l: ld.relaxed.sys.global.u64 %o, [%y + 256];
            setp.lt.u64 %p, %o, 32;
            @%p bra l;
            fence.acq_rel.sys;
            ld.global.u32 %r, [%y + 4];
            @%f st.global.u32 [%x], %r;
            {WAIT}
            ret;"
        )
    };
    check(
        &red("256"),
        expect![[r#"
        Finished
        p0 = [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        p1 = [0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0]
    "#]],
    );
    check(
        &red("128"),
        expect![[r#"
        Deadlock
        misaligned-access 19 `@%f fabric.try_red.async.multimem.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes.relaxed.sys.add.u32 [%ey, %z0, %z128], [s], 32, [bar];` lanes [0]: the address 0x10010000000080 is not a multiple of 256, the size of the access
        deadlock 24 `ld.relaxed.sys.global.u64 %o, [%y + 256];` lanes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]: the warp repeats a loop forever: what it waits for changes no more
        p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        p1 = [0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    "#]],
    );
}

#[test]
fn a_warp_reads_a_sum_over_the_members() {
    check(
        &format!(
            "mul.wide.u32 %o, %t, 4;
            add.u64 %o, %o, %y;
            st.global.u32 [%o], %t;
            fence.proxy.fabric::generic.alias.release.sys;
            bar.warp.sync -1;
            fabric.try_pullred.async.multimem.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys.add.u32.sync [s], [%ey, %z0], 128, [bar], 0xffffffff;
            fabric.submit;
            @%f mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
            {WAIT}
            ld.shared.u32 %r, [%a];
            mul.wide.u32 %o, %t, 4;
            add.u64 %o, %o, %y;
            st.global.u32 [%o + 128], %r;
            ret;"
        ),
        expect![[r#"
            Finished
            p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
            p1 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 0, 0, 0, 0]
        "#]],
    );
}

#[test]
fn atomic_operations_give_the_old_value() {
    let atom = "fabric.try_atom.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys";
    check(
        &format!(
            "st.shared.u32 [%a], %t;
            fence.proxy.async.shared::cta;
            bar.warp.sync -1;
            @%f {atom}.add.u32 [%ex, %z20], [s], [s + 16], [bar];
            @%f {atom}.cas.b32 [%ex, %z32], [s + 16], [s + 32], [bar];
            @%f {atom}.cas.b32 [%ex, %z48], [s + 32], [s + 64], [bar];
            @%f fabric.submit;
            @%f mbarrier.arrive.expect_tx.shared.b64 _, [bar], 3;
            {WAIT}
            {STORE}"
        ),
        expect![[r#"
            Finished
            p0 = [0, 1, 2, 3, 4, 10, 6, 7, 12, 9, 10, 11, 12, 13, 14, 15]
            p1 = [0, 5, 2, 3, 8, 5, 6, 7, 12, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        "#]],
    );
}

#[test]
fn the_mbarrier_has_the_second_layout() {
    check(
        &format!(
            "@%f mbarrier.inval.shared.b64 [bar];
            @%f mbarrier.init.shared.b64 [bar], 1;
            bar.warp.sync -1;
            @%f {GET} [s], [%ex, %z0], 64, [bar];
            @%f fabric.submit;
            @%f mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;
            {WAIT}
            {STORE}"
        ),
        expect![[r#"
            Finished
            mbarrier-misuse 19 `@%f fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys.b128 [s], [%ex, %z0], 64, [bar];` lanes [0]: the operation completes only at an mbarrier that was initialized with `.layout::v1`
            p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
            p1 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        "#]],
    );
}

/// Runs a body with a map of 16 columns and 4 rows, a box of 8 columns and 2 rows, and an endpoint of `x`.
#[track_caller]
fn check_boxes(body: &str, expect: Expect) {
    let text = format!(
        ".version 9.4\n.target sm_107a\n.address_size 64\n\
        .visible .entry k(.param .align 64 .b8 map[128], .param .u64 x, .param .u64 y, .param .u32 ex)\n{{\n\
        .reg .b64 %m, %y, %o, %z, %z32; .reg .b32 %ex, %t, %a, %r, %s, %lo, %zero, %two; .reg .b16 %hi, %w, %h; .reg .pred %p, %f;\n\
        .shared .align 128 .b32 s[16]; .shared .align 8 .b64 bar;\n\
        mov.b64 %m, map; cvta.param.u64 %m, %m; ld.param.u64 %y, [y]; ld.param.u32 %ex, [ex];\n\
        mov.b64 %z, 0; mov.b64 %z32, 32; mov.b32 %zero, 0; mov.b32 %two, 2;\n\
        mov.b32 %lo, 2; mov.b16 %hi, 0; mov.b16 %w, 8; mov.b16 %h, 2;\n\
        mov.u32 %t, %tid.x; mov.u32 %s, s; mad.lo.u32 %a, %t, 4, %s;\n\
        setp.eq.u32 %f, %t, 0;\n\
        @%f mbarrier.init.layout::v1.shared.b64 [bar], 1;\n\
        bar.warp.sync -1;\n\
        {body}\n}}\n"
    );
    let launch = r#"
        block = 16
        [args.map]
        tensormap = { of = "x", type = "u32", shape = [16, 4], box = [8, 2] }
        [args.x]
        ramp = [64]
        type = "u32"
        [args.y]
        zeros = [16]
        type = "u32"
        [args.ex]
        endpoint = { of = "x" }
    "#;
    let now = run_described_with(&text, launch, false);
    let late = run_described_with(&text, launch, true);
    assert_eq!(now, late);
    expect.assert_eq(&now);
}

#[test]
fn boxes_of_tensors_at_an_endpoint() {
    let get = |attribute: &str, operands: &str| {
        format!(
            "@%f fabric.try_get.async.tensor.2d.shared::cta.tile.mbarrier::complete_tx::bytes.mbarrier::report::fabric.override::global_address{attribute}.relaxed.sys.b128 [s], [%m, {operands}], [bar];
            @%f fabric.submit;
            @%f mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;
            {WAIT}
            ld.shared.u32 %r, [%a];
            mad.wide.u32 %o, %t, 4, %y;
            st.global.u32 [%o], %r;
            ret;"
        )
    };
    check_boxes(
        &get("", "%ex, %z, {%zero, %two}"),
        expect![[r#"
        Finished
        p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]
        p1 = [32, 33, 34, 35, 36, 37, 38, 39, 48, 49, 50, 51, 52, 53, 54, 55]
    "#]],
    );
    // The offset of the tensor, and its sizes and strides: 8 columns of rows of 32 bytes.
    check_boxes(
        &get("", "%ex, %z32, {%zero, %zero}"),
        expect![[r#"
        Finished
        p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]
        p1 = [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31]
    "#]],
    );
    let sizes = ".override::global_dim_stride";
    check_boxes(
        &get(sizes, "%ex, %z, {%w, %h}, {%lo}, %hi, {%zero, %zero}"),
        expect![[r#"
            Finished
            p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]
            p1 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        "#]],
    );
    check_boxes(
        &get(sizes, "%ex, %z, {%w, %h}, {%lo}, %hi, {%zero, %two}"),
        expect![[r#"
            Trap
            unspecified-operand 15 `@%f fabric.try_get.async.tensor.2d.shared::cta.tile.mbarrier::complete_tx::bytes.mbarrier::report::fabric.override::global_address.override::global_dim_stride.relaxed.sys.b128 [s], [%m, %ex, %z, {%w, %h}, {%lo}, %hi, {%zero, %two}], [bar];` lanes [0]: the coordinates of a tensor whose sizes a statement gives are 0
            p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]
            p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        "#]],
    );
    check_boxes(
        &get("", "%two, %z, {%zero, %two}"),
        expect![[r#"
        Trap
        out-of-bounds 15 `@%f fabric.try_get.async.tensor.2d.shared::cta.tile.mbarrier::complete_tx::bytes.mbarrier::report::fabric.override::global_address.relaxed.sys.b128 [s], [%m, %two, %z, {%zero, %two}], [bar];` lanes [0]: the access reads 1 bytes: 0x2 does not identify a logical endpoint
        p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]
        p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    "#]],
    );
}

#[test]
fn boxes_are_put_and_reduced_at_an_endpoint() {
    let put = |name: &str, op: &str, size: u32| {
        format!(
            "st.shared.u32 [%a], 100;
            fence.proxy.async.shared::cta;
            bar.warp.sync -1;
            @%f fabric.{name}.async.tensor.2d.shared::cta.tile.mbarrier::complete_tx::16B.mbarrier::report::fabric.override::global_address.relaxed.sys.{op} [%m, %ex, %z, {{%zero, %two}}], [s], {size}, [bar];
            @%f fabric.submit;
            @%f mbarrier.arrive.expect_tx.shared.b64 _, [bar], 4;
            {WAIT}
            ret;"
        )
    };
    check_boxes(
        &put("try_put", "b128", 64),
        expect![[r#"
        Finished
        p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 100, 100, 100, 100, 100, 100, 100, 100, 40, 41, 42, 43, 44, 45, 46, 47, 100, 100, 100, 100, 100, 100, 100, 100, 56, 57, 58, 59, 60, 61, 62, 63]
        p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    "#]],
    );
    check_boxes(
        &put("try_red", "add", 64),
        expect![[r#"
        Finished
        p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 132, 133, 134, 135, 136, 137, 138, 139, 40, 41, 42, 43, 44, 45, 46, 47, 148, 149, 150, 151, 152, 153, 154, 155, 56, 57, 58, 59, 60, 61, 62, 63]
        p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    "#]],
    );
    check_boxes(
        &put("try_put", "b128", 32),
        expect![[r#"
        Trap
        unspecified-operand 18 `@%f fabric.try_put.async.tensor.2d.shared::cta.tile.mbarrier::complete_tx::16B.mbarrier::report::fabric.override::global_address.relaxed.sys.b128 [%m, %ex, %z, {%zero, %two}], [s], 32, [bar];` lanes [0]: the box has 64 bytes, and the statement copies 32
        p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]
        p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    "#]],
    );
}
