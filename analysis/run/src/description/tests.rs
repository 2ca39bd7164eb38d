//! Descriptions: what they mean, and what is said about those that are wrong.

mod numpy;
mod wrong;

use std::fmt::Write as _;

use analysis::code::{Bounds, Code, Formal, Function, Variable};
use expect_test::{Expect, expect};
use isa::{compute::float::Format, variable::StateSpace};
use syntax::{
    TextRange,
    text::{Encoding, LineTable},
};

use super::*;
use crate::{
    launch::{Argument, Limits},
    outcome::{Ended, Outcome},
};

/// The code of an entry `k` with parameters like `x: u64` and `raw: b8[16]`.
fn code(parameters: &str) -> Code {
    let mut code = Code::default();
    let mut function = Function {
        name: "k".to_owned(),
        entry: true,
        defined: true,
        ..Function::default()
    };
    for (id, parameter) in (0..).zip(parameters.split(", ").filter(|it| !it.is_empty())) {
        let (name, ty) = parameter.split_once(": ").expect("a name and a type");
        let (ty, count) = match ty.split_once('[') {
            Some((ty, count)) => (ty, count.trim_end_matches(']').parse().ok()),
            None => (ty, None),
        };
        let size = u64::from(Element::from_word(ty).expect("a type").bits() / 8);
        code.variables.push(Variable {
            name: name.to_owned(),
            space: StateSpace::Parameter,
            ty: ty.to_owned(),
            lanes: 1,
            dimensions: count.into_iter().collect(),
            size: size * count.unwrap_or(1),
            alignment: size,
            external: false,
            contents: Vec::new(),
            name_range: TextRange::default(),
        });
        function.parameters.push(Formal::Variable(id));
    }
    code.functions.push(function);
    code
}

/// The files that descriptions may name.
fn file(name: &str) -> Result<Vec<u8>, String> {
    let floats =
        |numbers: &[f32]| -> Vec<u8> { numbers.iter().flat_map(|it| it.to_le_bytes()).collect() };
    let bytes = floats(&[1.0, 2.5, -3.0, 0.1]);
    match name {
        "x.npy" => Ok(npy::write(Element::Float(Format::F32), &[2, 2], &bytes)),
        "broken.npy" => Ok(b"\x93NUMPY\x01\x00".to_vec()),
        _ => Err("there is no such file".to_owned()),
    }
}

fn limits() -> Limits {
    Limits {
        memory: 1 << 20,
        ..Limits::default()
    }
}

fn prepared(code: &Code, text: &str) -> Result<Prepared, Problem> {
    let value = Value::parse(text)?;
    let description = Description::read(&value)?;
    let entry = description.entry_of(code)?;
    description.prepare(code, entry, limits(), &file)
}

fn problem(text: &str, problem: &Problem) -> String {
    let offset = u32::try_from(problem.span.start).expect("a short text");
    let at = LineTable::new(text).position(offset.into(), Encoding::Utf8);
    format!("{}:{}: {problem}\n", at.line + 1, at.character + 1)
}

fn said(code: &Code, text: &str) -> String {
    let prepared = match prepared(code, text) {
        Ok(it) => it,
        Err(it) => return problem(text, &it),
    };
    let launch = prepared.launch;
    let mut said = format!(
        "grid {:?} block {:?} cluster {:?} shared {}\n",
        launch.grid, launch.block, launch.cluster, launch.shared
    );
    for (array, layout) in launch.arrays.iter().zip(&prepared.arrays) {
        let elements = (0..6).map_while(|it| bits_at(layout.element, &array.bytes, it));
        let elements: Vec<String> = elements
            .map(|it| layout.element.shown(it).to_string())
            .collect();
        let word = layout.element.word();
        let undefined = if array.undefined { " undefined" } else { "" };
        let _ = writeln!(
            said,
            "array {} {word}{:?}{undefined}: {}",
            array.name,
            layout.shape,
            elements.join(" ")
        );
    }
    for it in &launch.arguments {
        let _ = match it {
            Argument::Bytes(bytes) => writeln!(said, "bytes {bytes:02x?}"),
            other => writeln!(said, "{other:?}"),
        };
    }
    for it in prepared.expectations {
        let _ = writeln!(said, "{} {:?} {} {}", it.name, it.goal, it.rtol, it.atol);
    }
    said
}

/// A launch of an entry with these parameters.
#[track_caller]
fn check(parameters: &str, text: &str, expected: Expect) {
    expected.assert_eq(&said(&code(parameters), text));
}

/// The problems of some lines of a launch file, each a key with its value.
#[track_caller]
fn check_lines(parameters: &str, lines: &str, expected: Expect) {
    let code = code(parameters);
    let lines = lines.lines().map(str::trim).filter(|it| !it.is_empty());
    let said: String = lines
        .map(|line| {
            let block = if line.contains("block") {
                ""
            } else {
                "block = [1]\n"
            };
            let said = said(&code, &format!("{block}{line}"));
            let said = said.lines().next().unwrap_or_default().to_owned();
            format!("{line}\n  {said}\n")
        })
        .collect();
    expected.assert_eq(&said);
}

#[test]
fn all_keys() {
    check(
        "x: u64, y: u64, n: u32, f: f32, raw: b8[4], map: b8[128], z: b64, unused: u32",
        r#"
entry = "k"
grid = [4]
block = [8, 8]
cluster = [2]
shared = 0x400
name = "all of them"
[args.x]
file = "x.npy"
[args.y]
zeros = [2, 3]
type = "bf16"
[args.n]
value = 1024
[args.3]
value = 0f3F800000
[args.raw]
bytes = "00ff 10_20"
[args.map]
tensormap = { of = "x", type = "f32", shape = [2, 2], strides = [16], box = [2, 1], swizzle = 32, fill = "nan" }
[args.6]
ramp = ["n / 256", 2]
type = "s16"
[expect.y]
value = 3
rtol = 1e-5
[expect.x]
same = "x"
[expect.6]
value = [[0, 1], [2, 3], [4, 5], [6, -7]]
"#,
        expect![[r#"
            grid [4, 1, 1] block [8, 8, 1] cluster [2, 1, 1] shared 1024
            array x f32[2, 2]: 1 2.5 -3 0.1
            array y bf16[2, 3]: 0 0 0 0 0 0
            array 6 s16[4, 2]: 0 1 2 3 4 5
            Array(0)
            Array(1)
            bytes [00, 04, 00, 00]
            bytes [00, 00, 80, 3f]
            bytes [00, ff, 10, 20]
            TensorMap(TensorMap { of: 0, ty: "f32", shape: [2, 2], strides: [16], block: [2, 1], element_strides: [1, 1], swizzle: 32, interleave: 0, fill_nan: true, images: None })
            Array(2)
            Missing
            y Bits(16448) 0.00001 0
            x Unchanged 0 0
            6 Contents(Contents { element: Signed(16), shape: [4, 2], bytes: [0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 249, 255] }) 0 0
        "#]],
    );
}

#[test]
fn comments_have_the_same_keys() {
    let text = "\
// A kernel.
// run: grid=[4] block = 128 args.x={ramp=[1024], type=\"f32\"}  args.n={value=1024}
//   args.y.zeros=[1024] args.y.type=\"f32\"
//   expect.y={same=\"x\"}
// Not a part of it.
// run: block=1 args.n=0d3FF0000000000000 name=\"a b\"
    // run: grid={
\t//run: block=[1, gird=2
.entry k() {} // run: no
";
    let mut said = String::new();
    for comment in comments(text) {
        let lines = LineTable::new(text);
        let line = |at: usize| lines.line_of(u32::try_from(at).expect("a short text").into()) + 1;
        let _ = writeln!(
            said,
            "lines {} to {}",
            line(comment.start),
            line(comment.end)
        );
        match comment.value {
            Ok(value) => keys(&value, "", text, &mut said),
            Err(it) => said += &problem(text, &it),
        }
    }
    expect![[r#"
        lines 2 to 4
           grid = [4]
           block = 128
           args x ramp = [1024]
           args x type = "f32"
           args n value = 1024
           args y zeros = [1024]
           args y type = "f32"
           expect y same = "x"
        lines 6 to 6
           block = 1
           args n = 0d3FF0000000000000
           name = "a b"
        lines 7 to 7
        7:19: unclosed inline table, expected `}`
        lines 8 to 8
        8:23: unexpected `=` in array, expected value, `]`
    "#]]
    .assert_eq(&said);
}

/// The keys of a value with the texts of their values.
fn keys(value: &Value, path: &str, text: &str, said: &mut String) {
    let Data::Table(entries) = &value.data else {
        let _ = writeln!(said, "  {path} = {}", &text[value.span.clone()]);
        return;
    };
    for (key, value) in entries {
        assert_eq!(key.name, text[key.span.clone()]);
        keys(value, &format!("{path} {}", key.name), text, said);
    }
}

#[test]
fn numbers_of_all_types() {
    let mut all = String::new();
    for word in Element::words() {
        let element = Element::from_word(&word).expect("a word of a type");
        let numbers = [
            "1",
            "-2",
            "1.5",
            "0f3FC00000",
            "0x11",
            "inf",
            "nan",
            "1e9",
            "true",
            "255",
        ];
        let numbers = numbers.map(|it| match element.encode(&Value::parse_word(it)) {
            Ok(bits) => format!("{bits:x}={}", element.shown(bits)),
            Err(_) => "-".to_owned(),
        });
        let _ = writeln!(all, "{word}: {}", numbers.join(" "));
    }
    expect![[r#"
        f16: 3c00=1 c000=-2 3e00=1.5 3e00=1.5 - 7c00=inf 7fff=nan 7c00=inf - 5bf8=255
        bf16: 3f80=1 c000=-2 3fc0=1.5 3fc0=1.5 - 7f80=inf 7fff=nan 4e6e=998244350 - 437f=255
        tf32: 3f800000=1 c0000000=-2 3fc00000=1.5 3fc00000=1.5 - 7f800000=inf 7fffffff=nan 4e6e6000=999817200 - 437f0000=255
        f32: 3f800000=1 c0000000=-2 3fc00000=1.5 3fc00000=1.5 - 7f800000=inf 7fffffff=nan 4e6e6b28=1000000000 - 437f0000=255
        f64: 3ff0000000000000=1 c000000000000000=-2 3ff8000000000000=1.5 3ff8000000000000=1.5 - 7ff0000000000000=inf 7ff8000000000000=nan 41cdcd6500000000=1000000000 - 406fe00000000000=255
        e4m3: 38=1 c0=-2 3c=1.5 3c=1.5 - 7f=nan 7f=nan 7f=nan - 78=256
        e5m2: 3c=1 c0=-2 3e=1.5 3e=1.5 - 7c=inf 7f=nan 7c=inf - 5c=256
        e2m3: 8=1 30=-2 c=1.5 c=1.5 - 1f=7.5 1f=7.5 1f=7.5 - 1f=7.5
        e3m2: c=1 30=-2 e=1.5 e=1.5 - 1f=28 1f=28 1f=28 - 1f=28
        e2m1: 2=1 c=-2 3=1.5 3=1.5 - 7=6 7=6 7=6 - 7=6
        ue8m0: 7f=1 80=2 80=2 80=2 - ff=nan ff=nan 9d=1073741800 - 87=256
        ue4m3: 38=1 40=2 3c=1.5 3c=1.5 - 7f=nan 7f=nan 7f=nan - 78=256
        ue5m3: 78=1 80=2 7c=1.5 7c=1.5 - ff=nan ff=nan ff=nan - b8=256
        s2f6: 40=1 80=-2 60=1.5 60=1.5 - 7f=1.984375 7f=1.984375 7f=1.984375 - 7f=1.984375
        s8: 1=1 fe=-2 - - 11=17 - - - - ff=-1
        s16: 1=1 fffe=-2 - - 11=17 - - - - ff=255
        s32: 1=1 fffffffe=-2 - - 11=17 - - - - ff=255
        s64: 1=1 fffffffffffffffe=-2 - - 11=17 - - - - ff=255
        u8: 1=1 fe=254 - - 11=17 - - - 1=1 ff=255
        u16: 1=1 fffe=65534 - - 11=17 - - - 1=1 ff=255
        u32: 1=1 fffffffe=4294967294 - - 11=17 - - - 1=1 ff=255
        u64: 1=1 fffffffffffffffe=18446744073709551614 - - 11=17 - - - 1=1 ff=255
        b8: 1=1 fe=254 - - 11=17 - - - 1=1 ff=255
        b16: 1=1 fffe=65534 3e00=15872 3e00=15872 11=17 7c00=31744 7fff=32767 7c00=31744 1=1 ff=255
        b32: 1=1 fffffffe=4294967294 3fc00000=1069547520 3fc00000=1069547520 11=17 7f800000=2139095040 7fffffff=2147483647 4e6e6b28=1315859240 1=1 ff=255
        b64: 1=1 fffffffffffffffe=18446744073709551614 3ff8000000000000=4609434218613702656 3ff8000000000000=4609434218613702656 11=17 7ff0000000000000=9218868437227405312 7ff8000000000000=9221120237041090560 41cdcd6500000000=4741671816366391296 1=1 ff=255
    "#]].assert_eq(&all);
}

#[test]
fn values_are_replaced() {
    let mut value =
        Value::parse("grid = [1]\nargs.n = 1\nargs.m.value = 2\nargs.x.zeros = [1]").expect("TOML");
    for (name, number) in [
        ("n", "3"),
        ("m", "4"),
        ("grid", "[5]"),
        ("args.x.zeros", "[6]"),
    ] {
        assert!(
            Description::assign(&mut value, name, &Value::parse_word(number)),
            "{name}"
        );
    }
    assert!(!Description::assign(
        &mut value,
        "k",
        &Value::parse_word("1")
    ));
    let number = |path: &[&str]| {
        let found = path.iter().try_fold(&value, |value, key| value.get(key));
        found.map(|it| it.data.clone())
    };
    let one = |it| Some(Data::Integer(it, true));
    assert_eq!(number(&["args", "n"]), one(3));
    assert_eq!(number(&["args", "m", "value"]), one(4));
    let first = |path: &[&str]| match number(path) {
        Some(Data::List(list)) => list.first().map(|it| it.data.clone()),
        _ => None,
    };
    assert_eq!(first(&["grid"]), one(5));
    assert_eq!(first(&["args", "x", "zeros"]), one(6));
    assert_eq!(Description::scalars(&value), ["n", "m"]);
}

/// How an array of four elements is judged after a run.
fn judged(ty: &str, after: &str, undefined: &[usize], expectation: &str) -> String {
    let text = format!(
        "block = 1\nargs.x = {{ value = {after}, type = '{ty}' }}\nargs.y = {{ value = [[1, 2], [3, 4]], type = '{ty}' }}\nexpect.x = {{ {expectation} }}"
    );
    let prepared = prepared(&code("x: u64, y: u64"), &text).expect("a right description");
    let outcome = Outcome {
        ended: Ended::Finished,
        steps: 0,
        lane_instructions: 0,
        findings: Vec::new(),
        arrays: prepared
            .launch
            .arrays
            .iter()
            .map(|it| it.bytes.clone())
            .collect(),
        undefined: vec![undefined.to_vec(), Vec::new()],
        not_run: Vec::new(),
        wrong_launch: None,
        approximated: Vec::new(),
        printed: String::new(),
    };
    let judgement = prepared.judge(&outcome).remove(0);
    match &judgement.first {
        None => format!("holds, {}\n", judgement.of),
        Some(first) => format!(
            "{} of {} at {:?} (byte {}): got {}, want {}\n",
            judgement.different, judgement.of, first.index, first.byte, first.got, first.want
        ),
    }
}

#[test]
fn expectations() {
    let cases: &[(&str, &str, &[usize], &str)] = &[
        ("f32", "[[1, 2], [3, 4]]", &[], "same = 'y'"),
        ("f32", "[[1, 2], [3, 5]]", &[], "same = 'y'"),
        ("f32", "[[1, 2], [3, 5]]", &[], "same = 'x'"),
        ("f32", "[[1, 2], [3, 4]]", &[9], "same = 'y'"),
        ("f32", "[[1, 2], [3.25, 5]]", &[], "same = 'y', atol = 0.5"),
        (
            "f32",
            "[[1, 2], [3.25, 4.25]]",
            &[],
            "same = 'y', rtol = 0.1",
        ),
        (
            "f16",
            "[[inf, 2], [nan, -0.0]]",
            &[],
            "value = [inf, 2, nan, 0]",
        ),
        (
            "f16",
            "[[inf, 2], [nan, -0.0]]",
            &[],
            "value = [inf, 2, nan, 0], atol = 1",
        ),
        ("f16", "[[1, 1], [inf, nan]]", &[], "value = 1, atol = 1"),
        ("bf16", "[[1.0, 1.01], [1, 1]]", &[], "value = 1"),
        (
            "s32",
            "[[-1, -2], [3, 4]]",
            &[],
            "value = [-1, -2, 3, 0xffffffff]",
        ),
        ("u64", "[[1, 1], [1, 0xffffffffffffffff]]", &[], "value = 1"),
        ("u8", "[[1, 2], [3, 4]]", &[], "value = 3, atol = 1"),
        ("e2m1", "[[1, 2], [3, 4]]", &[], "value = [1, 2, 4, 4]"),
        ("f32", "[[1, 2.5], [-3, 0.1]]", &[], "file = 'x.npy'"),
    ];
    let mut all = String::new();
    for (ty, after, undefined, expectation) in cases {
        let said = judged(ty, after, undefined, expectation);
        let _ = write!(all, "{ty} {after}, {expectation}\n  {said}");
    }
    expect![[r#"
        f32 [[1, 2], [3, 4]], same = 'y'
          holds, 4
        f32 [[1, 2], [3, 5]], same = 'y'
          1 of 4 at [1, 1] (byte 12): got 5, want 4
        f32 [[1, 2], [3, 5]], same = 'x'
          holds, 4
        f32 [[1, 2], [3, 4]], same = 'y'
          1 of 4 at [1, 0] (byte 8): got undefined, want 3
        f32 [[1, 2], [3.25, 5]], same = 'y', atol = 0.5
          1 of 4 at [1, 1] (byte 12): got 5, want 4
        f32 [[1, 2], [3.25, 4.25]], same = 'y', rtol = 0.1
          holds, 4
        f16 [[inf, 2], [nan, -0.0]], value = [inf, 2, nan, 0]
          1 of 4 at [1, 1] (byte 6): got -0, want 0
        f16 [[inf, 2], [nan, -0.0]], value = [inf, 2, nan, 0], atol = 1
          holds, 4
        f16 [[1, 1], [inf, nan]], value = 1, atol = 1
          2 of 4 at [1, 0] (byte 4): got inf, want 1
        bf16 [[1.0, 1.01], [1, 1]], value = 1
          1 of 4 at [0, 1] (byte 2): got 1.0078125, want 1
        s32 [[-1, -2], [3, 4]], value = [-1, -2, 3, 0xffffffff]
          1 of 4 at [1, 1] (byte 12): got 4, want -1
        u64 [[1, 1], [1, 0xffffffffffffffff]], value = 1
          1 of 4 at [1, 1] (byte 24): got 18446744073709551615, want 1
        u8 [[1, 2], [3, 4]], value = 3, atol = 1
          1 of 4 at [0, 0] (byte 0): got 1, want 3
        e2m1 [[1, 2], [3, 4]], value = [1, 2, 4, 4]
          1 of 4 at [1, 0] (byte 1): got 3, want 4
        f32 [[1, 2.5], [-3, 0.1]], file = 'x.npy'
          holds, 4
    "#]]
    .assert_eq(&all);
}

#[test]
fn random_elements_stay_the_same() {
    let text = "block = 1\n\
        args.0 = { random = { shape = [6], seed = 1 }, type = 'f32' }\n\
        args.1 = { random = { shape = [6], seed = 1, low = -2, high = 2 }, type = 's8' }\n\
        args.2 = { random = { shape = [6], seed = 2, low = 0, high = 0xffffffffffffffff }, type = 'u64' }";
    check(
        "a: u64, b: u64, c: u64",
        text,
        expect![[r#"
            grid [1, 1, 1] block [1, 1, 1] cluster [1, 1, 1] shared 0
            array 0 f32[6]: 0.5665616 0.7457818 0.97100276 0.4443592 0.4442647 0.7628944
            array 1 s8[6]: 0 1 2 0 0 1
            array 2 u64[6]: 10905525725756348110 13819372491320860226 10987583248141275951 14119491246550939236 5747796768693156649 6394052312532759219
            Array(0)
            Array(1)
            Array(2)
        "#]],
    );
}
