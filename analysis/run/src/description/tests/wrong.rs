//! Problems of descriptions that are wrong.

use expect_test::expect;

use super::*;

#[test]
fn wrong_keys_and_values() {
    check_lines(
        "x: u64, n: u32, f: f32, raw: b8[4], short: u16",
        r#"
        gird = [4]
        grid = [0]
        grid = [1, 1, 1, 1]
        grid = "4"
        grid = ["m"]
        grid = ["(4"]
        grid = ["4 / 0"]
        grid = [3]
        grid = [1, 70000]
        block = [1025]
        block = [1, 1, 65]
        block = 2
        block = []
        cluster = [17]
        cluster = [2]
        shared = -1
        shared = 300000
        entry = "l"
        entry = 1
        args = 1
        args.y.zeros = [1]
        args.xx = { zeros = [1], type = "f32" }
        args.5 = 1
        args.x = { zeros = [1] }
        args.x = { zero = [1] }
        args.x = { type = "f32" }
        args.x = { zeros = [1], ramp = [1], type = "f32" }
        args.x = { zeros = [1], type = "f31" }
        args.x = { zeros = [1000, 1000], type = "f32" }
        args.x = { zeros = [100000000000, 100000000000], type = "f32" }
        args.x = { zeros = [-1], type = "f32" }
        args.x = { zeros = [3], type = "e2m1" }
        args.x = { file = "y.npy" }
        args.x = { file = "broken.npy" }
        args.x = { file = "x.npy", type = "s32" }
        args.x = { random = { seed = 1 }, type = "f32" }
        args.x = { random = { shape = [1], low = 2, high = 1 }, type = "f32" }
        args.x = { random = { shape = [1], high = 300 }, type = "u8" }
        args.x = { random = { shape = [1], max = 1 }, type = "f32" }
        args.x = { value = [1, [2]], type = "f32" }
        args.x = { value = [1, 300], type = "u8" }
        args.x = { value = [1] }
        args.x = "x"
        args.n = 0x100000000
        args.n = 1.5
        args.n = { value = "many" }
        args.n = { zeros = [1], type = "f32" }
        args.n = { value = 1, type = "u64" }
        args.f = 0x3F800000
        args.f = 12e
        args.raw = 1
        args.raw = { bytes = "0" }
        args.raw = { bytes = "0011" }
        args.raw = { bytes = "0g" }
        args.raw = { bytes = "00112233", type = "f32" }
        args.raw = { zeros = [2], type = "f32" }
        args = { 0 = { zeros = [1], type = "f32" }, x = { zeros = [1], type = "f32" } }
        args.x = { tensormap = { of = "y", type = "f32", shape = [4], box = [4] } }
        args.x = { tensormap = { of = "x", type = "f32", shape = [4], box = [4, 4] } }
        args.x = { tensormap = { of = "x", type = "f32", shape = [4], box = [257] } }
        args.x = { tensormap = { of = "x", type = "f32", shape = [4, 4], strides = [1, 2], box = [1, 1] } }
        args.x = { tensormap = { of = "x", type = "f32", shape = [4], box = [4], swizzle = 12 } }
        args.x = { tensormap = { of = "x", type = "f32", shape = [4], box = [4], fill = "zero" } }
        args.x = { tensormap = { type = "f32", shape = [4], box = [4] } }
        expect.x = { value = 1 }
        expect = { x = { value = 1, same = "x" } }
        finds = ["rase"]
        "#,
        expect![[r#"
            gird = [4]
              2:1: gird: unknown key `gird`; did you mean `grid`? (allowed: name, entry, grid, block, cluster, shared, args, expect, finds)
            grid = [0]
              2:9: grid: 0 is not from 1 to 4294967295
            grid = [1, 1, 1, 1]
              2:8: grid: expected 1 to 3 numbers, found 4
            grid = "4"
              grid [4, 1, 1] block [1, 1, 1] cluster [1, 1, 1] shared 0
            grid = ["m"]
              2:9: grid: `m` is not a scalar argument with an integer
            grid = ["(4"]
              2:9: grid: `)` is missing in a size
            grid = ["4 / 0"]
              2:9: grid: `4 / 0` has no value
            grid = [3]
              grid [3, 1, 1] block [1, 1, 1] cluster [1, 1, 1] shared 0
            grid = [1, 70000]
              2:8: grid: a grid has at most [2147483647, 65535, 65535] blocks along x, y and z
            block = [1025]
              1:9: block: 1025 threads are more than the 1024 of a block
            block = [1, 1, 65]
              1:9: block: a block has at most [1024, 1024, 64] threads along x, y and z
            block = 2
              grid [1, 1, 1] block [2, 1, 1] cluster [1, 1, 1] shared 0
            block = []
              1:9: block: expected 1 to 3 numbers, found 0
            cluster = [17]
              2:11: cluster: 17 blocks are more than the 16 of a cluster
            cluster = [2]
              1:1: grid: [1, 1, 1] is not a multiple of the cluster, [2, 1, 1]
            shared = -1
              2:10: shared: -1 is not a size
            shared = 300000
              2:10: shared: 300000 bytes are more than the 232448 of a block
            entry = "l"
              2:9: entry: unknown entry `l` (allowed: k)
            entry = 1
              2:9: entry: expected a string, found an integer
            args = 1
              2:8: args: expected a table, found an integer
            args.y.zeros = [1]
              2:6: args.y: `type` is missing: the type of an element (allowed: f16, bf16, tf32, f32, f64, e4m3, e5m2, e2m3, e3m2, e2m1, ue8m0, ue4m3, ue5m3, s2f6, s8, s16, s32, s64, u8, u16, u32, u64, b8, b16, b32, b64)
            args.xx = { zeros = [1], type = "f32" }
              2:6: args.xx: unknown parameter `xx`; did you mean `x`? (allowed: x, n, f, raw, short)
            args.5 = 1
              2:6: args.5: unknown parameter `5` (allowed: x, n, f, raw, short)
            args.x = { zeros = [1] }
              2:10: args.x: `type` is missing: the type of an element (allowed: f16, bf16, tf32, f32, f64, e4m3, e5m2, e2m3, e3m2, e2m1, ue8m0, ue4m3, ue5m3, s2f6, s8, s16, s32, s64, u8, u16, u32, u64, b8, b16, b32, b64)
            args.x = { zero = [1] }
              2:12: args.x.zero: unknown key `zero`; did you mean `zeros`? (allowed: file, zeros, undefined, ramp, random, value, tensormap, texture, sampler, endpoint, bytes, type)
            args.x = { type = "f32" }
              2:10: args.x: expected one of file, zeros, undefined, ramp, random, value, tensormap, texture, sampler, endpoint, bytes
            args.x = { zeros = [1], ramp = [1], type = "f32" }
              2:32: args.x.ramp: `ramp` and `zeros` exclude each other
            args.x = { zeros = [1], type = "f31" }
              2:32: args.x.type: unknown type `f31`; did you mean `f32`? (allowed: f16, bf16, tf32, f32, f64, e4m3, e5m2, e2m3, e3m2, e2m1, ue8m0, ue4m3, ue5m3, s2f6, s8, s16, s32, s64, u8, u16, u32, u64, b8, b16, b32, b64)
            args.x = { zeros = [1000, 1000], type = "f32" }
              2:10: args.x: the arrays take more than the limit of 1048576 bytes
            args.x = { zeros = [100000000000, 100000000000], type = "f32" }
              2:20: args.x.zeros: the array is too large
            args.x = { zeros = [-1], type = "f32" }
              2:21: args.x.zeros: -1 is not a size
            args.x = { zeros = [3], type = "e2m1" }
              2:10: args.x: the elements do not fill bytes
            args.x = { file = "y.npy" }
              2:10: args.x.file: y.npy: there is no such file
            args.x = { file = "broken.npy" }
              2:10: args.x.file: broken.npy: the header is truncated
            args.x = { file = "x.npy", type = "s32" }
              2:10: args.x.file: x.npy: elements of type `f32` cannot become `s32`
            args.x = { random = { seed = 1 }, type = "f32" }
              2:21: args.x.random: `shape` is missing
            args.x = { random = { shape = [1], low = 2, high = 1 }, type = "f32" }
              2:10: args.x.random.high: 1 is less than `low`
            args.x = { random = { shape = [1], high = 300 }, type = "u8" }
              2:10: args.x.random.high: 300 does not fit into `.u8`
            args.x = { random = { shape = [1], max = 1 }, type = "f32" }
              2:36: args.x.random.max: unknown key `max` (allowed: shape, seed, low, high)
            args.x = { value = [1, [2]], type = "f32" }
              2:24: args.x.value: the lists have different lengths
            args.x = { value = [1, 300], type = "u8" }
              2:24: args.x.value: 300 does not fit into `.u8`
            args.x = { value = [1] }
              2:10: args.x: `type` is missing: the type of an element (allowed: f16, bf16, tf32, f32, f64, e4m3, e5m2, e2m3, e3m2, e2m1, ue8m0, ue4m3, ue5m3, s2f6, s8, s16, s32, s64, u8, u16, u32, u64, b8, b16, b32, b64)
            args.x = "x"
              2:10: args.x: expected a table, found a string
            args.n = 0x100000000
              2:10: args.n.value: 4294967296 does not fit into `.u32`
            args.n = 1.5
              2:10: args.n.value: a `.u32` is an integer
            args.n = { value = "many" }
              2:10: args.n.value: expected a number, found "many"
            args.n = { zeros = [1], type = "f32" }
              2:10: args.n: the address of an array takes a 64-bit integer; the parameter is a `.u32`
            args.n = { value = 1, type = "u64" }
              2:10: args.n.value: a `u64` does not have the size of the parameter, a `.u32`
            args.f = 0x3F800000
              2:10: args.f.value: a `.f32` has a decimal number, or its bits as `0f` with 8 or `0d` with 16 hexadecimal digits; `0x3f800000` is an integer
            args.f = 12e
              2:13: invalid exponent, expected digits
            args.raw = 1
              2:12: args.raw.value: the parameter is an array of 4 bytes; it takes `bytes`, or a list with a `type`
            args.raw = { bytes = "0" }
              2:22: args.raw.bytes: expected two digits for each byte, found an odd number of digits
            args.raw = { bytes = "0011" }
              2:12: args.raw.bytes: the parameter has 4 bytes, these are 2
            args.raw = { bytes = "0g" }
              2:22: args.raw.bytes: expected hexadecimal digits
            args.raw = { bytes = "00112233", type = "f32" }
              2:41: args.raw.type: `bytes` has no type
            args.raw = { zeros = [2], type = "f32" }
              2:12: args.raw: the parameter has 4 bytes, these elements have 8
            args = { 0 = { zeros = [1], type = "f32" }, x = { zeros = [1], type = "f32" } }
              2:45: args.x: the parameter has an argument already
            args.x = { tensormap = { of = "y", type = "f32", shape = [4], box = [4] } }
              2:31: args.x.tensormap.of: unknown array `y` (there is no array)
            args.x = { tensormap = { of = "x", type = "f32", shape = [4], box = [4, 4] } }
              2:69: args.x.tensormap.box: expected 1 numbers as in `shape`, found 2
            args.x = { tensormap = { of = "x", type = "f32", shape = [4], box = [257] } }
              2:69: args.x.tensormap.box: 257 is not from 1 to 256
            args.x = { tensormap = { of = "x", type = "f32", shape = [4, 4], strides = [1, 2], box = [1, 1] } }
              2:76: args.x.tensormap.strides: expected 1 numbers, one for each dimension but the innermost, found 2
            args.x = { tensormap = { of = "x", type = "f32", shape = [4], box = [4], swizzle = 12 } }
              2:84: args.x.tensormap.swizzle: unknown value `12`; did you mean `32`? (allowed: 0, 32, 64, 128)
            args.x = { tensormap = { of = "x", type = "f32", shape = [4], box = [4], fill = "zero" } }
              2:81: args.x.tensormap.fill: unknown value `zero`; did you mean `zeros`? (allowed: zeros, nan)
            args.x = { tensormap = { type = "f32", shape = [4], box = [4] } }
              2:24: args.x.tensormap: `of` is missing
            expect.x = { value = 1 }
              2:8: expect.x: unknown array `x` (there is no array)
            expect = { x = { value = 1, same = "x" } }
              2:36: expect.x.same: `same` and `value` exclude each other
            finds = ["rase"]
              2:10: finds: unknown finding `rase`; did you mean `race`? (allowed: race, out-of-bounds, misaligned-access, uninitialized-read, use-after-return, deadlock, divergent-sync, invalid-mask, stale-read, missing-proxy-fence, mbarrier-misuse, trap, division-by-zero, unspecified-operand)
        "#]],
    );
    check_lines(
        "x: u64, y: u64",
        r#"
        args = { x = { ramp = [4], type = "f32" }, y = { ramp = [4], type = "u32" } }
        args.x = { ramp = [4], type = "f32" } }
        "#,
        expect![[r#"
            args = { x = { ramp = [4], type = "f32" }, y = { ramp = [4], type = "u32" } }
              grid [1, 1, 1] block [1, 1, 1] cluster [1, 1, 1] shared 0
            args.x = { ramp = [4], type = "f32" } }
              2:39: unexpected key or value, expected newline, `#`
        "#]],
    );
    let with = |expectation: &str| {
        let text = format!(
            "block = [1]\nargs.x = {{ ramp = [4], type = 'f32' }}\nargs.y = {{ ramp = [2, 2], type = 'u32' }}\n{expectation}"
        );
        said(&code("x: u64, y: u64"), &text)
    };
    let expectations = [
        "expect.x = { same = 'y' }",
        "expect.x = { same = 'z' }",
        "expect.x = { value = [1, 2] }",
        "expect.x = { value = 'a' }",
        "expect.x = { file = 'z.npy' }",
        "expect.y = { file = 'x.npy' }",
        "expect.y = { value = 1, rtol = -1 }",
        "expect.y = { value = 1, tol = 1 }",
        "expect.w = { value = 1 }",
    ];
    let all: String = expectations
        .iter()
        .map(|it| format!("{it}\n  {}", with(it)))
        .collect();
    expect![[r#"
        expect.x = { same = 'y' }
          4:12: expect.x.same: `x` is f32[4], `y` is u32[2, 2]
        expect.x = { same = 'z' }
          4:12: expect.x.same: unknown array `z` (allowed: x, y)
        expect.x = { value = [1, 2] }
          4:12: expect.x.value: the array has the shape [4], this has [2]
        expect.x = { value = 'a' }
          4:12: expect.x.value: expected a number, found "a"
        expect.x = { file = 'z.npy' }
          4:12: expect.x.file: z.npy: there is no such file
        expect.y = { file = 'x.npy' }
          4:12: expect.y.file: x.npy: elements of type `f32` cannot become `u32`
        expect.y = { value = 1, rtol = -1 }
          4:32: expect.y.rtol: -1 is not a tolerance
        expect.y = { value = 1, tol = 1 }
          4:25: expect.y.tol: unknown key `tol`; did you mean `rtol`? (allowed: file, value, same, rtol, atol)
        expect.w = { value = 1 }
          4:8: expect.w: unknown array `w` (allowed: x, y)
    "#]].assert_eq(&all);
}

#[test]
fn bounds_of_the_entry() {
    let mut code = code("");
    code.functions[0].bounds = Bounds {
        block: Some([32, 1, 1]),
        most_threads: None,
        largest_block: None,
        cluster: Some([2, 1, 1]),
    };
    let mut all = String::new();
    for text in [
        "grid = [2]",
        "grid = [3]",
        "grid = [2]\nblock = [64]",
        "grid = [2]\ncluster = [1]",
    ] {
        all += &said(&code, text);
    }
    code.functions[0].bounds = Bounds {
        most_threads: Some(64),
        largest_block: None,
        ..Bounds::default()
    };
    for text in ["", "block = [65]"] {
        all += &said(&code, text);
    }
    let mut other = code.functions[0].clone();
    other.name = "l".to_owned();
    code.functions.push(other);
    for text in [
        "block = [1]",
        "block = [1]\nentry = 'm'",
        "block = [1]\nentry = 'l'",
    ] {
        all += &said(&code, text);
    }
    all += &said(&Code::default(), "block = [1]");
    expect![[r#"
        grid [2, 1, 1] block [32, 1, 1] cluster [2, 1, 1] shared 0
        1:8: grid: [3, 1, 1] is not a multiple of the cluster, [2, 1, 1]
        2:9: block: [64, 1, 1] differs from `.reqntid`, which requires [32, 1, 1]
        2:11: cluster: [1, 1, 1] differs from `.reqnctapercluster`, which requires [2, 1, 1]
        1:1: block: `block` is missing: the threads of a block, as `k` has no `.reqntid`
        1:9: block: 65 threads are more than the 64 of a block
        1:1: entry: the file has several entries (allowed: k, l)
        2:9: entry: unknown entry `m` (allowed: k, l)
        grid [1, 1, 1] block [1, 1, 1] cluster [1, 1, 1] shared 0
        1:1: entry: the file has no entry
    "#]]
    .assert_eq(&all);
}
