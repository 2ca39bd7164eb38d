//! The command `test`.

use super::{
    run::{ADD, check_timeless},
    *,
};

/// Turns an array around in shared memory.
const TURN: &str = "\
.version 8.0
.target sm_90
.address_size 64

// run: block=[64] args.x={ramp=[64], type=\"u32\"} expect.x={value=[63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51,
//   50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22,
//   21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]}
.visible .entry turn(.param .u64 x)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 tile[256];
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3];
    mov.u32 %r3, tile;
    shl.b32 %r4, %r1, 2;
    add.u32 %r5, %r3, %r4;
    st.shared.u32 [%r5], %r2;
    bar.sync 0;
    sub.u32 %r6, 252, %r4;
    add.u32 %r6, %r3, %r6;
    ld.shared.u32 %r7, [%r6];
    st.global.u32 [%rd3], %r7;
    bar.sync 0;
    ret;
}
";

#[test]
fn tests_of_a_folder() {
    let racy = TURN.replacen("    bar.sync 0;\n", "", 1);
    let folder = folder(&[
        ("add.ptx", ADD.as_bytes()),
        ("add.toml", b"block = [1]\nargs.n = 0\n"),
        ("add.seven.toml", b"name = 'seven'\nblock = [8]\nargs.x = { ramp = [8], type = 'f32' }\nargs.y = { zeros = [8], type = 'f32' }\nargs.n = 7\nargs.a = 1.5\nexpect.y = { value = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 0] }\n"),
        ("deep/turn.ptx", TURN.as_bytes()),
        ("deep/racy.ptx", racy.as_bytes()),
        ("deep/known.ptx", racy.replace("block=[64]", "block=[64] finds=[\"race\"]").as_bytes()),
        ("other.toml", b"block = [1]\n"),
        ("plain.ptx", GOOD.as_bytes()),
    ]);
    let folder = folder.path();
    check_timeless(folder, &["test", "DIR"], expect![[""]]);
    check_timeless(
        folder,
        &["test", "DIR/deep/turn.ptx", "DIR/add.seven.toml"],
        expect![[""]],
    );
    check_timeless(
        folder,
        &[
            "test",
            "DIR",
            "--filter",
            "seven",
            "--format",
            "json",
            "--schedules",
            "reverse",
        ],
        expect![[""]],
    );
    check_timeless(folder, &["test", "DIR", "--format", "junit"], expect![[""]]);
    check_timeless(
        folder,
        &["test", "--mutate", "DIR/deep/turn.ptx"],
        expect![[""]],
    );
    check_timeless(folder, &["test", "DIR/plain.ptx"], expect![[""]]);
    check_timeless(
        folder,
        &["test", "DIR/other.toml", "DIR/none.ptx"],
        expect![[""]],
    );
}
