use expect_test::{Expect, expect};

use crate::machine::tests::{run, run_described, run_late};

#[track_caller]
fn check(body: &str, threads: u32, arrays: &[&[u32]], expect: Expect) {
    let now = run(body, threads, arrays, &[]);
    let late = run_late(body, threads, arrays, &[]);
    let mut text = now.clone();
    if late != now {
        text += "late: ";
        text += &late;
    }
    expect.assert_eq(&text);
}

const REGISTERS: &str = "\
.reg .b64 %p, %q, %i, %a, %st;
.reg .b32 %r, %s, %t, %n, %x;
.reg .pred %c, %d;
.shared .align 16 .b8 s[256];
.shared .align 8 .b64 bar;
ld.param.u64 %p, [p0];
ld.param.u64 %q, [p1];
mov.u32 %x, %tid.x;
cvt.u64.u32 %i, %x;
shl.b64 %i, %i, 2;
mov.u32 %t, s;
shl.b32 %n, %x, 2;
add.u32 %t, %t, %n;
add.s64 %a, %p, %i;
";
const STORE: &str = "\
add.s64 %a, %q, %i;
st.global.u32 [%a], %r;
ret;";
const NUMBERS: [u32; 32] = [
    10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33,
    34, 35, 36, 37, 38, 39, 40, 41,
];

#[test]
fn copies_of_a_thread() {
    let body = |wait: &str| {
        format!(
            "{REGISTERS}
            cp.async.ca.shared.global [%t], [%a], 4;
            cp.async.commit_group;
            {wait}
            ld.shared.u32 %r, [%t];
            {STORE}"
        )
    };
    check(
        &body("cp.async.wait_group 0;"),
        4,
        &[&NUMBERS, &[0; 4]],
        expect![[r#"
            Finished
            p0 = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41]
            p1 = [10, 11, 12, 13]
        "#]],
    );
    check(
        &body("cp.async.wait_group 1;"),
        4,
        &[&NUMBERS, &[0; 4]],
        expect![[r#"
            Finished
            stale-read 24 `ld.shared.u32 %r, [%t];` lanes [0, 1, 2, 3]: the copy that writes this location has not been waited for
            p0 = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41]
            p1 = [10, 11, 12, 13]
            late: Finished
            stale-read 24 `ld.shared.u32 %r, [%t];` lanes [0, 1, 2, 3]: the copy that writes this location has not been waited for
            p0 = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41]
            p1 = [0, 0, 0, 0]
        "#]],
    );
}

#[test]
fn bulk_copies_complete_at_mbarriers() {
    let body = |wait: &str, expect: u32| {
        format!(
            "{REGISTERS}
            mov.u32 %s, bar;
            setp.eq.u32 %c, %x, 0;
            @%c mbarrier.init.shared.b64 [%s], 1;
            fence.proxy.async;
            bar.sync 0;
            mov.u32 %n, s;
            @%c mbarrier.arrive.expect_tx.shared.b64 %st, [%s], {expect};
            @%c cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%n], [%p], 128, [%s];
            {wait}
            ld.shared.u32 %r, [%t];
            {STORE}"
        )
    };
    let unordered = body("", 128).replace("bar.sync 0;", "");
    check(
        &unordered,
        64,
        &[&NUMBERS, &[0; 64]],
        expect![[r#"
            Finished
            stale-read 30 `ld.shared.u32 %r, [%t];` lanes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]: the copy that writes this location has not been waited for
            p0 = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41]
            p1 = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            late: Finished
            stale-read 30 `ld.shared.u32 %r, [%t];` lanes [0]: the copy that writes this location has not been waited for
            p0 = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41]
            p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        "#]],
    );
    let wait = "again: mbarrier.try_wait.parity.shared.b64 %d, [%s], 0;\n@!%d bra again;";
    check(
        &body(wait, 128),
        32,
        &[&NUMBERS, &[0; 32]],
        expect![[r#"
            Finished
            p0 = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41]
            p1 = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41]
        "#]],
    );
    check(
        &body("", 128),
        32,
        &[&NUMBERS, &[0; 32]],
        expect![[r#"
            Finished
            stale-read 30 `ld.shared.u32 %r, [%t];` lanes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]: the copy that writes this location has not been waited for
            p0 = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41]
            p1 = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41]
            late: Finished
            stale-read 30 `ld.shared.u32 %r, [%t];` lanes [0]: the copy that writes this location has not been waited for
            p0 = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41]
            p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        "#]],
    );
    check(
        &body(wait, 256),
        32,
        &[&NUMBERS, &[0; 32]],
        expect![[r#"
            Deadlock
            deadlock 29 `mbarrier.try_wait.parity.shared.b64 %d, [%s], 0;` lanes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]: the warp waits for a phase of an mbarrier that nothing completes any more
            p0 = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41]
            p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        "#]],
    );
}

/// A group that one block leaves open when it ends is not that of another block.
#[test]
fn groups_of_blocks_that_run_beside_each_other() {
    let text = "\
.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y)
{
.reg .b64 %x, %y, %i;
.reg .b32 %r, %s, %t, %b;
.reg .pred %c;
.shared .align 16 .b8 s[16];
.shared .align 16 .b8 u[16];
ld.param.u64 %x, [x];
ld.param.u64 %y, [y];
mov.u32 %s, s;
mov.u32 %t, u;
mov.u32 %b, %ctaid.x;
cp.async.ca.shared.global [%s], [%x], 4;
cp.async.commit_group;
cp.async.wait_group 0;
setp.eq.u32 %c, %b, 1;
@%c bra second;
wait:
ld.volatile.global.u32 %r, [%y];
setp.eq.u32 %c, %r, 0;
@%c bra wait;
cp.async.ca.shared.global [%t], [%x+4], 4;
cp.async.commit_group;
ld.shared.u32 %r, [%t];
st.global.u32 [%y+4], %r;
ret;
second:
cp.async.ca.shared.global [%t], [%x+4], 4;
mov.u32 %r, 1;
st.volatile.global.u32 [%y], %r;
ret;
}
";
    let launch = "block = 1
        grid = 2
        args.x = { ramp = [2], type = 'u32' }
        args.y = { zeros = [2], type = 'u32' }";
    expect![[r#"
        Finished
        stale-read 27 `ld.shared.u32 %r, [%t];` lanes [0]: the copy that writes this location has not been waited for
        p0 = [0, 1]
        p1 = [1, 1]
    "#]].assert_eq(&run_described(text, launch));
}

/// The bytes of a bulk copy in a mask, and those that are not at its ends.
#[test]
fn parts_of_bulk_copies() {
    let text = |copy: &str, read: &str| {
        format!(
            ".version 9.2\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p0, .param .u64 p1)\n{{\n{REGISTERS}
            setp.eq.u32 %c, %x, 0;
            mov.u32 %s, s;
            ld.global.u32 %r, [%a];
            st.shared.u32 [%t], %r;
            @%c mbarrier.init.shared.b64 [bar], 1;
            fence.proxy.async;
            bar.sync 0;
            {copy}
            {read}
            {STORE}
            }}"
        )
    };
    let launch = "block = 8
        args.p0 = { ramp = [16], type = 'u32' }
        args.p1 = { zeros = [8], type = 'u32' }";
    let masked = "\
@%c cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%p+32], [%s], 32, %h;
@%c cp.async.bulk.commit_group;
@%c cp.async.bulk.wait_group 0;
bar.sync 0;";
    let masked = format!(".reg .b16 %h; mov.b16 %h, 0xF00F;\n{masked}");
    let skipped = "\
@%c mbarrier.arrive.expect_tx.shared.b64 %st, [bar], 32;
@%c cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [s], [%p], 32, 4, 8, [bar];
again: mbarrier.try_wait.parity.shared.b64 %d, [bar], 0;
@!%d bra again;";
    let out = [
        run_described(&text(&masked, "ld.global.u32 %r, [%a+32];"), launch),
        run_described(&text(skipped, "ld.shared.u32 %r, [%t];"), launch),
    ];
    expect![[r#"
        Finished
        p0 = [0, 1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 3, 4, 13, 14, 7]
        p1 = [0, 9, 10, 3, 4, 13, 14, 7]
        Finished
        uninitialized-read 34 `st.global.u32 [%a], %r;` lanes [0, 6, 7]: the value that is stored depends on one that was never written
        p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        p1 = [0, 1, 2, 3, 4, 5, 0, 0]
    "#]].assert_eq(&out.concat());
}

/// Each CTA of the cluster gets the response to one request, which may always be refused, and bytes at its mbarrier.
#[test]
fn requests_for_all_of_a_cluster() {
    let text = "\
.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 y)
{
.reg .b128 %v;
.reg .b64 %y, %st;
.reg .b32 %r, %n;
.reg .pred %p;
.shared .align 16 .b8 response[16];
.shared .align 8 .b64 bar;
mbarrier.init.shared::cta.b64 [bar], 1;
fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 %st, [bar], 16;
barrier.cluster.arrive;
barrier.cluster.wait;
mov.u32 %n, %cluster_ctarank;
setp.eq.u32 %p, %n, 1;
@%p clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [response], [bar];
again:
mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
@!%p bra again;
ld.shared.b128 %v, [response];
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p, %v;
selp.u32 %r, 2, 1, %p;
ld.param.u64 %y, [y];
mad.wide.u32 %y, %n, 4, %y;
st.global.u32 [%y], %r;
barrier.cluster.arrive;
barrier.cluster.wait;
ret;
}
";
    let launch = "grid = 2
        cluster = 2
        block = 1
        args.y = { zeros = [2], type = 'u32' }";
    expect![[r#"
        Finished
        p0 = [1, 1]
    "#]]
    .assert_eq(&run_described(text, launch));
}
