use expect_test::{Expect, expect};

use crate::machine::tests::{run_described, run_described_with};

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

/// Waits for the mbarrier and stores an element of the box for each thread.
const WAIT: &str = "\
again:
mbarrier.try_wait.parity.shared.b64 %d, [%b], 0;
@!%d bra again;
ld.shared.u32 %r, [%t];
st.global.u32 [%a], %r;
ret;
}";

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
{WAIT}"
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

/// Elements of a box are combined with those that are there, by the type of the map; those out of bounds are not.
#[test]
fn boxes_are_reduced() {
    let run = |op: &str, ty: &str, values: &str| {
        let text = format!(
            "{HEAD}
            add.u32 %r, %x, 3;
            st.shared.u32 [%t], %r;
            fence.proxy.async;
            bar.sync 0;
            @%c cp.reduce.async.bulk.tensor.2d.global.shared::cta.{op}.tile.bulk_group [%m, {{1, 0}}], [%s];
            @%c cp.async.bulk.commit_group;
            @%c cp.async.bulk.wait_group 0;
            ret;
            }}"
        );
        let launch = format!(
            "block = 8
            grid = 2
            args.map.tensormap = {{ of = 'x', type = '{ty}', shape = [4, 2], strides = [16], box = [4, 2], element_strides = [2, 1] }}
            args.x = {{ value = {values}, type = '{ty}' }}
            args.y = {{ zeros = [1], type = 'u32' }}"
        );
        let out = run_described(&text, &launch);
        format!("{op} {ty}: {}\n", out.replace('\n', " "))
    };
    let numbers = "[0, 1, 2, 3, 4, 5, 6, 7]";
    let all = [
        run("add", "u32", numbers),
        run("min", "s32", "[-1, -1, -1, -1, 90, 90, 90, 90]"),
        run("max", "s32", "[-1, -1, -1, -1, 90, 90, 90, 90]"),
        run("max", "u32", "[0, 4294967295, 0, 0, 0, 0, 0, 0]"),
        run("inc", "u32", numbers),
        run("dec", "u32", numbers),
        run("and", "u32", "[7, 7, 7, 7, 8, 8, 8, 8]"),
        run("xor", "u32", numbers),
        run("add", "f32", "[0, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5]"),
        run("max", "f32", "[0, 0, 0, 0, 0, 0, 0, 0]"),
    ];
    expect![[r#"
        add u32: Finished p0 = [0, 7, 10, 13, 4, 19, 22, 25] p1 = [0] 
        min s32: Finished p0 = [-1, -1, -1, -1, 90, 7, 8, 9] p1 = [0] 
        max s32: Finished p0 = [-1, 3, 4, 5, 90, 90, 90, 90] p1 = [0] 
        max u32: Finished p0 = [0, -1, 4, 5, 0, 7, 8, 9] p1 = [0] 
        inc u32: Finished p0 = [0, 3, 4, 5, 4, 7, 8, 9] p1 = [0] 
        dec u32: Finished p0 = [0, 3, 0, 1, 4, 3, 4, 5] p1 = [0] 
        and u32: Finished p0 = [7, 3, 4, 5, 8, 0, 8, 8] p1 = [0] 
        xor u32: Finished p0 = [0, 1, 2, 3, 4, 5, 6, 7] p1 = [0] 
        add f32: Finished p0 = [0, 1069547520, 1069547520, 1069547520, 1069547520, 1069547520, 1069547520, 1069547520] p1 = [0] 
        max f32: Finished unspecified-operand 28 `@%c cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group [%m, {1, 0}], [%s];` lanes [0]: the type of the elements of the tensor has no such reduction p0 = [0, 0, 0, 0, 0, 0, 0, 0] p1 = [0] 
    "#]].assert_eq(&all.concat());
}

/// The type of a map counts: packed elements have parts of bytes, and are not run.
#[test]
fn packed_elements_of_tensors() {
    let text = format!("{HEAD}\nret;\n}}");
    for ty in ["b4x16", "e2m1"] {
        let launch = format!(
            "block = 1
            args.map.tensormap = {{ of = 'x', type = '{ty}', shape = [64, 4], strides = [32], box = [64, 4] }}
            args.x = {{ zeros = [128], type = 'u8' }}
            args.y = {{ zeros = [1], type = 'u32' }}"
        );
        let out = run_described(&text, &launch);
        assert_eq!(out, format!("tensors of `{ty}` are not run yet\n"));
    }
}

/// Two images of 4 pixels of 4 channels: a column of 6 pixels from the first base on, one pixel further by the offset.
#[test]
fn columns_of_images() {
    let text = |mode: &str, at: &str| {
        format!(
            "{HEAD}
            @%c mbarrier.init.shared.b64 [%b], 1;
            @%c fence.proxy.async;
            bar.sync 0;
            @%c mbarrier.arrive.expect_tx.shared.b64 %st, [%b], 96;
            @%c cp.async.bulk.tensor.3d.shared::cluster.global{mode}.mbarrier::complete_tx::bytes [%s], [%m, {{{at}}}], [%b]{};
{WAIT}",
            if mode.is_empty() { "" } else { ", {1}" }
        )
    };
    let launch = "block = 24
        args.map.tensormap = { of = 'x', type = 'u32', shape = [4, 4, 2], lower_corner = [-1], upper_corner = [-1], channels = 4, pixels = 6 }
        args.x = { ramp = [32], type = 'u32' }
        args.y = { zeros = [24], type = 'u32' }";
    check(
        &text(".im2col", "0, 1, 0"),
        launch,
        expect![[r#"
        Finished
        p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]
        p1 = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]
    "#]],
    );
    check(
        &text(".im2col", "0, 3, 0"),
        launch,
        expect![[r#"
            Trap
            unspecified-operand 28 `@%c cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%s], [%m, {0, 3, 0}], [%b], {1};` lanes [0]: the coordinates [0, 3, 0] are out of the bounding box of the images
            p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]
            p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        "#]],
    );
    check(
        &text("", "0, 1, 0"),
        launch,
        expect![[r#"
            Trap
            unspecified-operand 28 `@%c cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%m, {0, 1, 0}], [%b];` lanes [0]: the tensor map is one of the other modes, tiled or im2col
            p0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]
            p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        "#]],
    );
}

/// Two images of 2 rows of 3 pixels of 4 channels: the pixels of a row, and of the same row of the next image.
#[test]
fn rows_of_images() {
    let text = |mode: &str, bytes: u32, at: &str| {
        let head = HEAD.replace("sm_90a", "sm_100a");
        format!(
            "{head}
            @%c mbarrier.init.shared.b64 [%b], 1;
            @%c fence.proxy.async;
            bar.sync 0;
            @%c mbarrier.arrive.expect_tx.shared.b64 %st, [%b], {bytes};
            @%c cp.async.bulk.tensor.4d.shared::cluster.global.{mode}.mbarrier::complete_tx::bytes [%s], [%m, {at};
{WAIT}"
        )
    };
    let launch = |channels: u32, swizzle: u32| {
        format!(
            "block = 24
        args.map.tensormap = {{ of = 'x', type = 'u32', shape = [4, 3, 2, 2], lower_corner = [-1, -1], upper_corner = [-1, -1], channels = {channels}, pixels = 6, swizzle = {swizzle} }}
        args.x = {{ ramp = [48], type = 'u32' }}
        args.y = {{ zeros = [24], type = 'u32' }}"
        )
    };
    let run = |mode: &str, bytes: u32, at: &str, launch: &str| {
        let out = run_described(&text(mode, bytes, at), launch);
        let out: Vec<&str> = out.lines().filter(|it| !it.starts_with("p0")).collect();
        format!("{mode} {at}\n{}\n", out.join(" "))
    };
    let all = [
        run(
            "im2col::w",
            96,
            "{0, 1, 1, 0}], [%b], {0, 1}",
            &launch(4, 32),
        ),
        // The first pixel may be before the bounding box.
        run(
            "im2col::w::128",
            512,
            "{0, -3, 0, 0}], [%b], {0, 0}",
            &launch(1, 32),
        ),
        run(
            "im2col::w",
            96,
            "{0, 2, 1, 0}], [%b], {0, 0}",
            &launch(4, 32),
        ),
        run(
            "im2col::w",
            96,
            "{0, 1, 1, 0}], [%b], {2, 0}",
            &launch(4, 32),
        ),
        run(
            "im2col::w",
            96,
            "{0, 1, 1, 0}], [%b], {0, 0}",
            &launch(4, 0),
        ),
    ];
    expect![[r#"
        im2col::w {0, 1, 1, 0}], [%b], {0, 1}
        Finished p1 = [20, 21, 22, 23, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 0, 0, 0, 0, 0, 0, 0, 0]
        im2col::w::128 {0, -3, 0, 0}], [%b], {0, 0}
        Finished p1 = [0, 0, 0, 0, 4, 0, 24, 28, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        im2col::w {0, 2, 1, 0}], [%b], {0, 0}
        Trap unspecified-operand 28 `@%c cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes [%s], [%m, {0, 2, 1, 0}], [%b], {0, 0};` lanes [0]: the coordinates [0, 2, 1, 0] are out of the bounding box of the images p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        im2col::w {0, 1, 1, 0}], [%b], {2, 0}
        Stopped not run: the pixels of a halo, whose place the manual shows in figures only p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        im2col::w {0, 1, 1, 0}], [%b], {0, 0}
        Trap unspecified-operand 28 `@%c cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes [%s], [%m, {0, 1, 1, 0}], [%b], {0, 0};` lanes [0]: rows of pixels take a swizzle p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    "#]].assert_eq(&all.concat());
}

/// A copy that is not done ends the run, so that its mbarrier, which never completes, is not a deadlock; the same if it
/// lands late.
#[test]
fn a_copy_that_is_not_done_ends_the_run() {
    let text = format!(
        "{HEAD}
        @%c mbarrier.init.shared.b64 [%b], 1;
        @%c fence.proxy.async;
        bar.sync 0;
        @%c mbarrier.arrive.expect_tx.shared.b64 %st, [%b], 32;
        @%c cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%y, {{0, 0}}], [%b];
{WAIT}"
    );
    let launch = "block = 64
        args.map.tensormap = { of = 'x', type = 'u32', shape = [8, 1], strides = [32], box = [8, 1] }
        args.x = { ramp = [8], type = 'u32' }
        args.y = { zeros = [32], type = 'u32' }";
    let now = run_described(&text, launch);
    assert_eq!(now, run_described_with(&text, launch, true));
    expect![[r#"
        Trap
        unspecified-operand 28 `@%c cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%y, {0, 0}], [%b];` lanes [0]: there is no tensor map at 0x7f0000004a00
        p0 = [0, 1, 2, 3, 4, 5, 6, 7]
        p1 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    "#]].assert_eq(&now);
}
