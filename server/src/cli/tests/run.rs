//! The command `run`.

use super::*;

/// Adds a number to the elements of an array.
pub(super) const ADD: &str = "\
.version 8.0
.target sm_90
.address_size 64

// run: grid=[2] block=[4] args.n={value=7} args.a=0f3F800000
//   args.x={ramp=[8], type=\"f32\"} args.y={zeros=[8], type=\"f32\"}
//   expect.y={value=[1, 2, 3, 4, 5, 6, 7, 0]} expect.x={same=\"x\"}
.visible .entry add(.param .u64 x, .param .u64 y, .param .u32 n, .param .f32 a)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<6>;
    .reg .f32 %f<4>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    ld.param.u32 %r1, [n];
    ld.param.f32 %f1, [a];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra done;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    add.f32 %f3, %f2, %f1;
    st.global.f32 [%rd5], %f3;
done:
    ret;
}
";

/// Everything that the program says, but for times.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the convention of expect-test"
)]
pub(super) fn check_timeless(folder: &Path, args: &[&str], expect: Expect) {
    let path = folder.to_str().expect("a UTF-8 path");
    let args: Vec<_> = args.iter().map(|it| it.replace("DIR", path)).collect();
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    let (status, stdout, stderr) = run_with(&args, b"", false);
    let said = format!("{stdout}{stderr}status {status}\n").replace(path, "DIR");
    let mut shown = String::new();
    let mut rest = &*said;
    for key in ["\"seconds\":", "time=\""].into_iter().cycle().take(200) {
        if let Some((before, after)) = rest.split_once(key) {
            let end = after.find(|it: char| !it.is_ascii_digit() && !matches!(it, '.' | 'e' | '-'));
            shown += before;
            shown += key;
            shown.push('T');
            rest = &after[end.unwrap_or(after.len())..];
        }
    }
    expect.assert_eq(&(shown + rest));
}

#[test]
fn comments_and_launch_files() {
    let launch = "grid = [2]\nblock = [4]\nargs.x = { file = 'x.npy' }\nargs.y = { undefined = [2, 4], type = 'bf16' }\nargs.n = 4\nargs.a = 2\n";
    let x: Vec<u8> = (0..8_u8)
        .flat_map(|it| f32::from(it).to_le_bytes())
        .collect();
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (8,), }\n";
    file.extend([header.len() as u8, 0]);
    file.extend(header.as_bytes());
    file.extend(x);
    let folder = folder(&[
        ("k.ptx", ADD.as_bytes()),
        ("l.toml", launch.replace("bf16", "f32").as_bytes()),
        (
            "data/l.toml",
            b"block = [4]\nargs.x = { file = '../x.npy' }\n",
        ),
        ("x.npy", &file),
        ("wrong.toml", b"blck = [4]\n"),
    ]);
    let folder = folder.path();
    check_timeless(
        folder,
        &["run", "DIR/k.ptx"],
        expect![[r#"
        y: as expected
        x: as expected
        add: ran 34 steps of warps; no findings
        status 0
    "#]],
    );
    check_timeless(
        folder,
        &["run", "DIR/k.ptx", "--format", "json"],
        expect![[r#"
            {"entry":"add","outcome":"finished","steps":34,"lane_instructions":130,"seconds":T,"findings":[],"expectations":[{"name":"y","holds":true,"first_difference":null,"different":0,"of":8},{"name":"x","holds":true,"first_difference":null,"different":0,"of":8}],"not_run":[],"approximated":[]}
            status 0
        "#]],
    );
    check_timeless(
        folder,
        &["run", "DIR/k.ptx", "--set", "n=5"],
        expect![[r#"
        y: 2 of 8 elements differ, first at [5]: got 0, want 6
        x: as expected
        add: ran 34 steps of warps; no findings, 1 of 2 expectations failed
        status 1
    "#]],
    );
    check_timeless(
        folder,
        &["run", "DIR/k.ptx", "--set", "m=5"],
        expect![[r#"
        error: DIR/k.ptx:5: there is no `m` to set
        status 2
    "#]],
    );
    let launch = [
        "run",
        "DIR/k.ptx",
        "--launch",
        "DIR/l.toml",
        "--out",
        "DIR/out",
    ];
    check_timeless(
        folder,
        &launch,
        expect![[r#"
        add: ran 28 steps of warps; no findings
        status 0
    "#]],
    );
    let y = fs::read(folder.join("out/y.npy")).expect("the array");
    let floats: Vec<f32> = y[y.len() - 32..]
        .chunks_exact(4)
        .map(|it| f32::from_le_bytes(it.try_into().expect("four bytes")))
        .collect();
    assert_eq!(floats[..4], [2.0, 3.0, 4.0, 5.0]);
    for launch in ["DIR/data/l.toml", "DIR/wrong.toml", "DIR/none.toml"] {
        let args = ["run", "DIR/k.ptx", "--launch", launch];
        let expected = match launch {
            "DIR/data/l.toml" => expect![[r#"
                error: DIR/data/l.toml:2:10: args.x.file: ../x.npy: the file is outside the folder of the launch
                status 2
            "#]],
            "DIR/wrong.toml" => expect![[r#"
                error: DIR/wrong.toml:1:1: blck: unknown key `blck`; did you mean `block`? (allowed: name, entry, grid, block, cluster, shared, args, expect, finds)
                status 2
            "#]],
            _ => expect![[r#"
                error: DIR/none.toml: No such file or directory (os error 2)
                status 2
            "#]],
        };
        check_timeless(folder, &args, expected);
    }
    check_timeless(
        folder,
        &["run", "DIR/k.ptx", "--entry", "ad"],
        expect![[r#"
            error: DIR/k.ptx: there is no entry `ad` (entries: add)
            status 2
        "#]],
    );
    check_timeless(
        folder,
        &["run", "DIR/k.ptx", "--schedule", "random:x"],
        expect![[r#"
            error: invalid value 'random:x' for '--schedule <ORDER>': a schedule is lowest, reverse or random:SEED, where SEED is a number

            For more information, try '--help'.
            status 2
        "#]],
    );
    check_timeless(
        folder,
        &["run", "--can", "DIR/k.ptx"],
        expect![[r#"
        DIR/k.ptx: everything can be run
        status 0
    "#]],
    );
    check_timeless(
        folder,
        &["run", "--can", "--format", "json", "DIR/k.ptx"],
        expect![[r#"
            {"file":"DIR/k.ptx","not_run":[]}
            status 0
        "#]],
    );
}

#[test]
fn findings_and_limits() {
    let beyond = ADD
        .replace("args.n={value=7}", "args.n={value=8}")
        .replace("y={zeros=[8]", "y={zeros=[7]");
    let beyond = beyond.replace("expect.y={value=[1, 2, 3, 4, 5, 6, 7, 0]} ", "");
    let endless = ADD.replace("done:", "more: bra more;\ndone:");
    let folder = folder(&[
        ("beyond.ptx", beyond.as_bytes()),
        ("endless.ptx", endless.as_bytes()),
        (
            "missing.ptx",
            ADD.replace("args.a=0f3F800000", "").as_bytes(),
        ),
        ("below.ptx", ADD.replace("// run", "\n// no").as_bytes()),
        ("broken.ptx", ADD.replace("ret;", "rat;").as_bytes()),
        (
            "lost.ptx",
            ADD.replace("    ret;", "// run: block=[1]\n    ret;")
                .as_bytes(),
        ),
    ]);
    let folder = folder.path();
    check_timeless(
        folder,
        &["run", "DIR/beyond.ptx"],
        expect![[r#"
        error[out-of-bounds]: the access writes 4 bytes: directly after the end of `y`, which has 28 bytes (block 1,0,0, warp 0, lane 3)
          --> DIR/beyond.ptx:29:5
           |
        29 |     st.global.f32 [%rd5], %f3;
           |     ^^^^^^^^^^^^^^^^^^^^^^^^^^

        x: as expected
        add: ran 34 steps of warps; 1 finding
        status 1
    "#]],
    );
    check_timeless(
        folder,
        &["run", "DIR/beyond.ptx", "--format", "json"],
        expect![[r#"
            {"entry":"add","outcome":"finished","steps":34,"lane_instructions":136,"seconds":T,"findings":[{"code":"out-of-bounds","severity":"error","message":"the access writes 4 bytes: directly after the end of `y`, which has 28 bytes","file":"DIR/beyond.ptx","line":29,"column":5,"block":[1,0,0],"warp":0,"lanes":[3],"related":[]}],"expectations":[{"name":"x","holds":true,"first_difference":null,"different":0,"of":8}],"not_run":[],"approximated":[]}
            status 1
        "#]],
    );
    check_timeless(
        folder,
        &["run", "DIR/endless.ptx", "--steps", "1000"],
        expect![[r#"
            add: stopped at a limit: ran 1026 steps of warps; no findings
            status 3
        "#]],
    );
    check_timeless(
        folder,
        &["run", "DIR/missing.ptx"],
        expect![[r#"
        error: add: `a` of `add` has no argument, and an instruction reads it
        status 2
    "#]],
    );
    check_timeless(
        folder,
        &["run", "DIR/below.ptx"],
        expect![[r#"
        error: DIR/below.ptx: there is no launch: give --launch FILE, or write a `// run:` comment above the entry
        status 2
    "#]],
    );
    check_timeless(
        folder,
        &["run", "DIR/broken.ptx"],
        expect![[r#"
        error[unknown-instruction]: unknown instruction `rat`
          --> DIR/broken.ptx:31:5
           |
        31 |     rat;
           |     ^^^
           |
        help: did you mean `ret`?

        status 2
    "#]],
    );
    check_timeless(
        folder,
        &["run", "DIR/lost.ptx"],
        expect![[r#"
        error: DIR/lost.ptx:31: a `// run:` comment must be above an entry
        status 2
    "#]],
    );
}

#[test]
fn two_kernels_are_compared() {
    let other = ADD
        .replace(".entry add", ".entry sum")
        .replace("add.f32 %f3, %f2, %f1;", "sub.f32 %f3, %f2, %f1;");
    let folder = folder(&[
        ("a.ptx", ADD.as_bytes()),
        ("b.ptx", other.as_bytes()),
        (
            "c.ptx",
            ADD.replace(".param .u32 n, ", "")
                .replace("ld.param.u32 %r1, [n];", "mov.u32 %r1, 7;")
                .as_bytes(),
        ),
    ]);
    let folder = folder.path();
    check_timeless(
        folder,
        &["run", "DIR/a.ptx", "--same-as", "DIR/a.ptx"],
        expect![[r#"
            y: as expected
            x: as expected
            add: ran 34 steps of warps; no findings
            add: ran 34 steps of warps; no findings
            all arrays are the same as those of DIR/a.ptx:add
            status 0
        "#]],
    );
    check_timeless(
        folder,
        &[
            "run",
            "DIR/a.ptx",
            "--same-as",
            "DIR/a.ptx",
            "--set",
            "n=6..7",
            "--set",
            "a=0,1.5",
        ],
        expect![[r#"
            y: 7 of 8 elements differ, first at [0]: got 0, want 1
            x: as expected
            add (n=6, a=0): ran 34 steps of warps; no findings, 1 of 2 expectations failed
            add: ran 34 steps of warps; no findings
            all arrays are the same as those of DIR/a.ptx:add
            y: 7 of 8 elements differ, first at [0]: got 1.5, want 1
            x: as expected
            add (n=6, a=1.5): ran 34 steps of warps; no findings, 1 of 2 expectations failed
            add: ran 34 steps of warps; no findings
            all arrays are the same as those of DIR/a.ptx:add
            y: 7 of 8 elements differ, first at [0]: got 0, want 1
            x: as expected
            add (n=7, a=0): ran 34 steps of warps; no findings, 1 of 2 expectations failed
            add: ran 34 steps of warps; no findings
            all arrays are the same as those of DIR/a.ptx:add
            y: 7 of 8 elements differ, first at [0]: got 1.5, want 1
            x: as expected
            add (n=7, a=1.5): ran 34 steps of warps; no findings, 1 of 2 expectations failed
            add: ran 34 steps of warps; no findings
            all arrays are the same as those of DIR/a.ptx:add
            status 1
        "#]],
    );
    check_timeless(
        folder,
        &["run", "DIR/a.ptx", "--same-as", "DIR/b.ptx:sum"],
        expect![[r#"
            y: as expected
            x: as expected
            add: ran 34 steps of warps; no findings
            sum: ran 34 steps of warps; no findings
            y: 7 of 8 elements differ, first at [0]: got 1, want -1
            status 1
        "#]],
    );
    check_timeless(
        folder,
        &[
            "run",
            "DIR/a.ptx",
            "--same-as",
            "DIR/b.ptx",
            "--format",
            "json",
        ],
        expect![[r#"
            {"entry":"add","outcome":"finished","steps":34,"lane_instructions":130,"seconds":T,"findings":[],"expectations":[{"name":"y","holds":true,"first_difference":null,"different":0,"of":8},{"name":"x","holds":true,"first_difference":null,"different":0,"of":8}],"not_run":[],"approximated":[],"same_as":{"file":"DIR/b.ptx","entry":"sum","outcome":"finished","steps":34,"lane_instructions":130,"seconds":T,"findings":[],"expectations":[],"not_run":[],"approximated":[],"arrays":[{"name":"x","holds":true,"first_difference":null,"different":0,"of":8},{"name":"y","holds":false,"first_difference":{"index":[0],"got":1.0,"want":-1.0},"different":7,"of":8}]}}
            status 1
        "#]],
    );
    check_timeless(
        folder,
        &["run", "DIR/a.ptx", "--same-as", "DIR/b.ptx:add"],
        expect![[r#"
            error: DIR/b.ptx: there is no entry `add`
            status 2
        "#]],
    );
    check_timeless(
        folder,
        &["run", "DIR/a.ptx", "--same-as", "DIR/c.ptx"],
        expect![[r#"
            error: add: `add` of DIR/c.ptx has other parameters
            status 2
        "#]],
    );
}
