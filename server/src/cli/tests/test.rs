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
    check_timeless(
        folder,
        &["test", "DIR"],
        expect![[r#"
        passed DIR/add.ptx:5 add
        passed DIR/add.seven.toml seven
        failed DIR/add.toml add
        `x` of `add` has no argument, and an instruction reads it
        passed DIR/deep/known.ptx:5 turn
        failed DIR/deep/racy.ptx:5 turn
        error[race]: another warp reads this location, which this instruction writes, and nothing orders them (block 0,0,0, warp 1, lanes 0-31)
          --> DIR/deep/racy.ptx:21:5
           |
        21 |     st.shared.u32 [%r5], %r2;
           |     ^^^^^^^^^^^^^^^^^^^^^^^^^
           |
        note: reads the location
          --> DIR/deep/racy.ptx:24:5
           |
        24 |     ld.shared.u32 %r7, [%r6];
           |     -------------------------

        error[race]: another warp writes this location, which this instruction reads, and nothing orders them (block 0,0,0, warp 1, lanes 0-31)
          --> DIR/deep/racy.ptx:24:5
           |
        24 |     ld.shared.u32 %r7, [%r6];
           |     ^^^^^^^^^^^^^^^^^^^^^^^^^
           |
        note: writes the location
          --> DIR/deep/racy.ptx:21:5
           |
        21 |     st.shared.u32 [%r5], %r2;
           |     -------------------------

        x: 32 of 64 elements differ, first at [0]: got undefined, want 63
        turn: ran 31 steps of warps; 2 findings, 1 of 1 expectation failed
        --schedule lowest: found race
        --schedule reverse: found race
        --schedule random:1: found race
        passed DIR/deep/turn.ptx:5 turn
        4 passed, 2 failed
        status 1
    "#]],
    );
    check_timeless(
        folder,
        &["test", "DIR/deep/turn.ptx", "DIR/add.seven.toml"],
        expect![[r#"
            passed DIR/deep/turn.ptx:5 turn
            passed DIR/add.seven.toml seven
            2 passed, 0 failed
            status 0
        "#]],
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
        expect![[r#"
            {"file":"DIR/add.ptx","messages":[],"name":"seven","passed":true,"runs":[{"approximated":[],"entry":"add","expectations":[{"different":0,"first_difference":null,"holds":true,"name":"y","of":8}],"findings":[],"lane_instructions":130,"late":false,"name":"seven","not_run":[],"outcome":"finished","schedule":"reverse","seconds":T,"steps":17}],"seconds":T,"test":"DIR/add.seven.toml seven"}
            status 0
        "#]],
    );
    check_timeless(
        folder,
        &["test", "DIR", "--format", "junit"],
        expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites tests="6" failures="2" time="T">
          <testsuite name="DIR/add.ptx" tests="3" failures="1" time="T">
            <testcase classname="DIR/add.ptx" name="DIR/add.ptx:5 add" time="T"/>
            <testcase classname="DIR/add.ptx" name="DIR/add.seven.toml seven" time="T"/>
            <testcase classname="DIR/add.ptx" name="DIR/add.toml add" time="T">
              <failure message="`x` of `add` has no argument, and an instruction reads it">`x` of `add` has no argument, and an instruction reads it&#10;</failure>
            </testcase>
          </testsuite>
          <testsuite name="DIR/deep/known.ptx" tests="1" failures="0" time="T">
            <testcase classname="DIR/deep/known.ptx" name="DIR/deep/known.ptx:5 turn" time="T"/>
          </testsuite>
          <testsuite name="DIR/deep/racy.ptx" tests="1" failures="1" time="T">
            <testcase classname="DIR/deep/racy.ptx" name="DIR/deep/racy.ptx:5 turn" time="T">
              <failure message="--schedule lowest: found race">error[race]: another warp reads this location, which this instruction writes, and nothing orders them (block 0,0,0, warp 1, lanes 0-31)&#10;  --&gt; DIR/deep/racy.ptx:21:5&#10;   |&#10;21 |     st.shared.u32 [%r5], %r2;&#10;   |     ^^^^^^^^^^^^^^^^^^^^^^^^^&#10;   |&#10;note: reads the location&#10;  --&gt; DIR/deep/racy.ptx:24:5&#10;   |&#10;24 |     ld.shared.u32 %r7, [%r6];&#10;   |     -------------------------&#10;&#10;error[race]: another warp writes this location, which this instruction reads, and nothing orders them (block 0,0,0, warp 1, lanes 0-31)&#10;  --&gt; DIR/deep/racy.ptx:24:5&#10;   |&#10;24 |     ld.shared.u32 %r7, [%r6];&#10;   |     ^^^^^^^^^^^^^^^^^^^^^^^^^&#10;   |&#10;note: writes the location&#10;  --&gt; DIR/deep/racy.ptx:21:5&#10;   |&#10;21 |     st.shared.u32 [%r5], %r2;&#10;   |     -------------------------&#10;&#10;x: 32 of 64 elements differ, first at [0]: got undefined, want 63&#10;turn: ran 31 steps of warps; 2 findings, 1 of 1 expectation failed&#10;--schedule lowest: found race&#10;--schedule reverse: found race&#10;--schedule random:1: found race&#10;</failure>
            </testcase>
          </testsuite>
          <testsuite name="DIR/deep/turn.ptx" tests="1" failures="0" time="T">
            <testcase classname="DIR/deep/turn.ptx" name="DIR/deep/turn.ptx:5 turn" time="T"/>
          </testsuite>
        </testsuites>
        status 1
    "#]],
    );
    check_timeless(
        folder,
        &["test", "--mutate", "DIR/deep/turn.ptx"],
        expect![[r#"
            failed DIR/deep/turn.ptx:5 turn
            DIR/deep/turn.ptx:27: passes without `bar.sync 0;`
            1 of 2 mutants found
            0 passed, 1 failed
            status 1
        "#]],
    );
    check_timeless(
        folder,
        &["test", "DIR/plain.ptx"],
        expect![[r#"
        0 passed, 0 failed
        warning: no runs found
        status 0
    "#]],
    );
    check_timeless(
        folder,
        &["test", "DIR/other.toml", "DIR/none.ptx"],
        expect![[r#"
            0 passed, 0 failed
            error: DIR/other.toml: there is no file of PTX beside it
            error: DIR/none.ptx: No such file or directory (os error 2)
            status 2
        "#]],
    );
}

#[test]
fn tests_of_a_page() {
    let page = format!("# Turn\n\n```ptx\n{TURN}```\n\n```ptx\nret;\n```\n");
    let broken = page.replace("=[63,", "=[0,");
    let folder = folder(&[
        ("page.md", page.as_bytes()),
        ("broken.md", broken.as_bytes()),
    ]);
    check_timeless(
        folder.path(),
        &[
            "test",
            "DIR/page.md",
            "DIR/broken.md",
            "--schedules",
            "lowest",
        ],
        expect![[r#"
            passed DIR/page.md:8 turn
            failed DIR/broken.md:8 turn
            x: 1 of 64 elements differ, first at [0]: got 63, want 0
            turn: ran 34 steps of warps; no findings, 1 of 1 expectation failed
            --schedule lowest: unexpected contents of x
            1 passed, 1 failed
            status 1
        "#]],
    );
    // Pages in folders may have kernels that are not meant to pass.
    check_timeless(
        folder.path(),
        &["test", "DIR"],
        expect![[r#"
            0 passed, 0 failed
            warning: no runs found
            status 0
        "#]],
    );
}
