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
    check_timeless(folder, &["run", "DIR/k.ptx"], expect![[""]]);
    check_timeless(
        folder,
        &["run", "DIR/k.ptx", "--format", "json"],
        expect![[""]],
    );
    check_timeless(folder, &["run", "DIR/k.ptx", "--set", "n=5"], expect![[""]]);
    check_timeless(folder, &["run", "DIR/k.ptx", "--set", "m=5"], expect![[""]]);
    let launch = [
        "run",
        "DIR/k.ptx",
        "--launch",
        "DIR/l.toml",
        "--out",
        "DIR/out",
    ];
    check_timeless(folder, &launch, expect![[""]]);
    let y = fs::read(folder.join("out/y.npy")).expect("the array");
    let floats: Vec<f32> = y[y.len() - 32..]
        .chunks_exact(4)
        .map(|it| f32::from_le_bytes(it.try_into().expect("four bytes")))
        .collect();
    assert_eq!(floats[..4], [2.0, 3.0, 4.0, 5.0]);
    for launch in ["DIR/data/l.toml", "DIR/wrong.toml", "DIR/none.toml"] {
        let args = ["run", "DIR/k.ptx", "--launch", launch];
        let expected = match launch {
            "DIR/data/l.toml" => expect![[""]],
            "DIR/wrong.toml" => expect![[""]],
            _ => expect![[""]],
        };
        check_timeless(folder, &args, expected);
    }
    check_timeless(
        folder,
        &["run", "DIR/k.ptx", "--entry", "ad"],
        expect![[""]],
    );
    check_timeless(
        folder,
        &["run", "DIR/k.ptx", "--schedule", "random:x"],
        expect![[""]],
    );
    check_timeless(folder, &["run", "--can", "DIR/k.ptx"], expect![[""]]);
    check_timeless(
        folder,
        &["run", "--can", "--format", "json", "DIR/k.ptx"],
        expect![[""]],
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
    check_timeless(folder, &["run", "DIR/beyond.ptx"], expect![[""]]);
    check_timeless(
        folder,
        &["run", "DIR/beyond.ptx", "--format", "json"],
        expect![[""]],
    );
    check_timeless(
        folder,
        &["run", "DIR/endless.ptx", "--steps", "1000"],
        expect![[""]],
    );
    check_timeless(folder, &["run", "DIR/missing.ptx"], expect![[""]]);
    check_timeless(folder, &["run", "DIR/below.ptx"], expect![[""]]);
    check_timeless(folder, &["run", "DIR/broken.ptx"], expect![[""]]);
    check_timeless(folder, &["run", "DIR/lost.ptx"], expect![[""]]);
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
        expect![[""]],
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
        expect![[""]],
    );
    check_timeless(
        folder,
        &["run", "DIR/a.ptx", "--same-as", "DIR/b.ptx:sum"],
        expect![[""]],
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
        expect![[""]],
    );
    check_timeless(
        folder,
        &["run", "DIR/a.ptx", "--same-as", "DIR/b.ptx:add"],
        expect![[""]],
    );
    check_timeless(
        folder,
        &["run", "DIR/a.ptx", "--same-as", "DIR/c.ptx"],
        expect![[""]],
    );
}
