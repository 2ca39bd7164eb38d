use expect_test::{Expect, expect};

use crate::machine::tests::run_described;

#[track_caller]
fn check(text: &str, launch: &str, expect: Expect) {
    expect.assert_eq(&run_described(text, launch));
}

const HEAD: &str = "\
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 y)
{
.reg .b64 %m, %y, %i, %st, %a;
.reg .b32 %s, %b, %x, %r, %t, %rank, %remote;
.reg .pred %c, %d;
.shared .align 1024 .b8 tile[1024];
.shared .align 8 .b64 bar;
mov.b64 %m, map;
cvta.param.u64 %m, %m;
ld.param.u64 %y, [y];
mov.u32 %s, tile;
mov.u32 %b, bar;
mov.u32 %x, %tid.x;
setp.eq.u32 %c, %x, 0;
cvt.u64.u32 %i, %x;
shl.b64 %i, %i, 2;
add.s64 %a, %y, %i;
shl.b32 %t, %x, 2;
add.u32 %t, %t, %s;
";

#[test]
fn a_box_lands_in_shared_memory() {
    let body = |swizzle: u32, at: &str| {
        (
            format!(
                "{HEAD}
                @%c mbarrier.init.shared.b64 [%b], 1;
                @%c fence.proxy.async;
                bar.sync 0;
                @%c mbarrier.arrive.expect_tx.shared.b64 %st, [%b], 256;
                @%c cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%m, {{{at}}}], [%b];
                again:
                mbarrier.try_wait.parity.shared.b64 %d, [%b], 0;
                @!%d bra again;
                ld.shared.u32 %r, [%t];
                st.global.u32 [%a], %r;
                ret;
                }}"
            ),
            format!(
                "block = 64
                args.map.tensormap = {{ of = 'x', type = 'u32', shape = [8, 8], strides = [32], box = [8, 8], element_strides = [1, 1], swizzle = {swizzle} }}
                args.x = {{ ramp = [64], type = 'u32' }}
                args.y = {{ zeros = [64], type = 'u32' }}"
            ),
        )
    };
    let (text, launch) = body(0, "1, 6");
    check(
        &text,
        &launch,
        expect![[r#"
        Finished
        p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]
        p1 = [49, 50, 51, 52, 53, 54, 55, 0, 57, 58, 59, 60, 61, 62, 63, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    "#]],
    );
    let (text, launch) = body(32, "0, 0");
    check(
        &text,
        &launch,
        expect![[r#"
        Finished
        p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]
        p1 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 36, 37, 38, 39, 32, 33, 34, 35, 44, 45, 46, 47, 40, 41, 42, 43, 52, 53, 54, 55, 48, 49, 50, 51, 60, 61, 62, 63, 56, 57, 58, 59]
    "#]],
    );
}

#[test]
fn the_other_proxy_needs_a_fence() {
    for fence in ["fence.proxy.async;", ""] {
        let text = format!(
            "{HEAD}
            add.u32 %r, %x, 100;
            st.shared.u32 [%t], %r;
            {fence}
            bar.sync 0;
            @%c cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%m, {{0, 0}}], [%s];
            @%c cp.async.bulk.commit_group;
            @%c cp.async.bulk.wait_group.read 0;
            ret;
            }}"
        );
        let launch = "block = 32
            args.map.tensormap = { of = 'x', type = 'u32', shape = [8, 4], strides = [32], box = [8, 4], element_strides = [1, 1] }
            args.x = { ramp = [32], type = 'u32' }
            args.y = { zeros = [1], type = 'u32' }";
        let expect = match fence {
            "" => expect![[r#"
                Finished
                missing-proxy-fence 28 `@%c cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%m, {0, 0}], [%s];` lanes [0]: this operation of the asynchronous proxy need not see what was written to this location: `fence.proxy.async` is missing between them
                p0 = [100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131]
                p1 = [0]
            "#]],
            _ => expect![[r#"
                Finished
                p0 = [100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131]
                p1 = [0]
            "#]],
        };
        check(&text, launch, expect);
    }
}

#[test]
fn blocks_of_a_cluster_write_to_each_other() {
    check(
        "\
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 y) .reqnctapercluster 2
{
.reg .b64 %y, %i, %a;
.reg .b32 %s, %x, %r, %t, %rank, %remote;
.shared .align 16 .b8 tile[64];
ld.param.u64 %y, [y];
mov.u32 %x, %tid.x;
mov.u32 %s, tile;
mov.u32 %rank, %cluster_ctarank;
xor.b32 %rank, %rank, 1;
shl.b32 %t, %x, 2;
add.u32 %t, %t, %s;
mapa.shared::cluster.u32 %remote, %t, %rank;
mad.lo.u32 %r, %rank, 100, %x;
barrier.cluster.arrive;
barrier.cluster.wait;
st.shared::cluster.u32 [%remote], %r;
barrier.cluster.arrive;
barrier.cluster.wait;
ld.shared.u32 %r, [%t];
mov.u32 %rank, %ctaid.x;
mad.lo.u32 %x, %rank, 4, %x;
mul.wide.u32 %i, %x, 4;
add.s64 %a, %y, %i;
st.global.u32 [%a], %r;
ret;
}",
        "block = 4
        grid = 2
        args.y = { zeros = [8], type = 'u32' }",
        expect![[r#"
            Finished
            p0 = [0, 1, 2, 3, 100, 101, 102, 103]
        "#]],
    );
}
