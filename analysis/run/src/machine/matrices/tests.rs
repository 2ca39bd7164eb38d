//! Matrix instructions in kernels, against plain loops over formulas of the manual.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use crate::machine::tests::run_text;

/// Numbers that look random.
fn numbers(seed: u32, count: usize) -> Vec<u32> {
    let mut state = seed;
    let step = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state ^ state >> 15
    };
    (0..count).map(step).collect()
}

/// The numbers of an array that a run prints, and what comes before arrays.
fn printed(out: &str, array: &str) -> (String, Vec<u32>) {
    let start = format!("{array} = [");
    let line = out.lines().find_map(|it| it.strip_prefix(&start));
    let line = line.unwrap_or_default().trim_end_matches(']');
    let numbers = line.split(", ").filter_map(|it| it.parse::<i32>().ok());
    let before = out.lines().take_while(|it| !it.starts_with("p0 = "));
    let before = before.map(|it| format!("{it}\n")).collect();
    (before, numbers.map(|it| it as u32).collect())
}

/// Words of shared memory in the kernels for movements.
const WORDS: usize = 512;

/// A kernel in which a warp fills shared memory from `p0`, moves matrices at the offsets in `p1`, and stores four
/// registers of each lane, or shared memory, in `p2`.
fn movement(statement: &str, results: &str) -> String {
    let mut body = String::new();
    for at in 0..WORDS / 32 {
        let _ = write!(
            body,
            "ld.global.u32 %v, [%p0+{0}];\nst.shared.u32 [%s+{0}], %v;\n",
            at * 128
        );
    }
    format!(
        ".version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2)
{{
.reg .b64 %p<4>, %a;
.reg .b32 %r<4>, %t, %s, %v, %x;
.shared .align 16 .b8 buffer[{}];
ld.param.u64 %p0, [p0];
ld.param.u64 %p1, [p1];
ld.param.u64 %p2, [p2];
mov.u32 %t, %tid.x;
mul.wide.u32 %a, %t, 4;
add.s64 %p0, %p0, %a;
add.s64 %p1, %p1, %a;
mov.u32 %s, buffer;
mad.lo.u32 %s, %t, 4, %s;
{body}
bar.warp.sync -1;
ld.global.u32 %x, [%p1];
mov.u32 %v, buffer;
add.u32 %x, %x, %v;
mul.wide.u32 %a, %t, 16;
add.s64 %p2, %p2, %a;
mov.b32 %r0, 0;
mov.b32 %r1, 0;
mov.b32 %r2, 0;
mov.b32 %r3, 0;
{statement}
{results}
ret;
}}
",
        WORDS * 4
    )
}

const REGISTERS: &str = "st.global.v4.b32 [%p2], {%r0, %r1, %r2, %r3};";

/// Rows that are not one after the other, with gaps between them.
fn rows(count: usize) -> Vec<u32> {
    let mut offsets: Vec<u32> = (0..32)
        .map(|it| (it * 7 % 32) * 64 + 16 * (it % 4))
        .collect();
    // The others are invalid addresses.
    offsets[count..].iter_mut().for_each(|it| *it = 0x00F0_0003);
    offsets
}

/// Checks what lanes get: `element` is the matrix, the row and the column in memory of a byte or half of a register.
fn loads(
    words: &str,
    (registers, rows_of_all, bytes): (usize, usize, usize),
    element: impl Fn(usize, usize, usize) -> (usize, usize),
) {
    let names: Vec<String> = (0..registers).map(|it| format!("%r{it}")).collect();
    let statement = format!(
        "ldmatrix.sync.aligned.{words} {{{}}}, [%x];",
        names.join(", ")
    );
    let text = movement(&statement, REGISTERS);
    let contents = numbers(1, WORDS);
    let memory: Vec<u8> = contents.iter().flat_map(|it| it.to_le_bytes()).collect();
    let offsets = rows(rows_of_all);
    let out = run_text(&text, 32, &[&contents, &offsets, &[0; 128]], &[]);
    let (before, got) = printed(&out, "p2");
    assert_eq!(before, "Finished\n", "{words}");
    for lane in 0..32 {
        for register in 0..registers {
            let mut wanted = 0;
            for index in 0..4 / bytes {
                let (row, column) = element(lane, register, index);
                let at = offsets[row] as usize + column * bytes;
                for byte in 0..bytes {
                    wanted |= u32::from(memory[at + byte]) << (8 * (index * bytes + byte));
                }
            }
            assert_eq!(
                got[lane * 4 + register],
                wanted,
                "{words} lane {lane} register {register}"
            );
        }
    }
}

#[test]
fn loads_of_eight_rows() {
    for count in [1, 2, 4] {
        for space in [".shared", ".shared::cta"] {
            loads(
                &format!("m8n8.x{count}{space}.b16"),
                (count, 8 * count, 2),
                |lane, matrix, index| (8 * matrix + lane / 4, 2 * (lane % 4) + index),
            );
            loads(
                &format!("m8n8.x{count}.trans{space}.b16"),
                (count, 8 * count, 2),
                |lane, matrix, index| (8 * matrix + 2 * (lane % 4) + index, lane / 4),
            );
        }
    }
}

#[test]
fn loads_of_bytes() {
    for count in [1, 2] {
        // Registers come in pairs, and a lane has bytes of two neighbouring rows, eight columns apart.
        loads(
            &format!("m16n16.x{count}.trans.shared.b8"),
            (2 * count, 16 * count, 1),
            |lane, register, index| {
                let row = 4 * (lane % 4) + 2 * (register % 2) + index % 2;
                (16 * (register / 2) + row, lane / 4 + 8 * (index / 2))
            },
        );
    }
}

#[test]
fn loads_that_unpack() {
    let contents = numbers(1, WORDS);
    let memory: Vec<u8> = contents.iter().flat_map(|it| it.to_le_bytes()).collect();
    for (format, bits) in [("b6x16_p32", 6), ("b4x16_p64", 4)] {
        for count in [1, 2, 4] {
            let names: Vec<String> = (0..count).map(|it| format!("%r{it}")).collect();
            let names = names.join(", ");
            let statement = format!(
                "ldmatrix.sync.aligned.m8n16.x{count}.shared.b8x16.{format} {{{names}}}, [%x];"
            );
            let offsets = rows(8 * count);
            let text = movement(&statement, REGISTERS);
            let out = run_text(&text, 32, &[&contents, &offsets, &[0; 128]], &[]);
            let (before, got) = printed(&out, "p2");
            assert_eq!(before, "Finished\n");
            for lane in 0..32 {
                for register in 0..count {
                    let at = offsets[8 * register + lane / 4] as usize;
                    let row = u128::from_le_bytes(memory[at..at + 16].try_into().unwrap());
                    let mut wanted = 0;
                    for index in 0..4 {
                        let element = row >> (bits * (4 * (lane % 4) + index)) & ((1 << bits) - 1);
                        wanted |= (element as u32) << (8 * index);
                    }
                    assert_eq!(got[lane * 4 + register], wanted, "{statement} lane {lane}");
                }
            }
        }
    }
}

/// Checks what lanes store, as [`loads`].
fn stores(
    words: &str,
    (registers, rows_of_all, bytes): (usize, usize, usize),
    element: impl Fn(usize, usize, usize) -> (usize, usize),
) {
    let names: Vec<String> = (0..registers).map(|it| format!("%r{it}")).collect();
    let mut statement = String::new();
    for (index, name) in names.iter().enumerate() {
        let _ = writeln!(statement, "ld.global.b32 {name}, [%p0+{}];", 128 * index);
    }
    let names = names.join(", ");
    let _ = write!(
        statement,
        "stmatrix.sync.aligned.{words} [%x], {{{names}}};\nbar.warp.sync -1;"
    );
    let mut results = "mul.wide.u32 %a, %t, 12;\nsub.s64 %p2, %p2, %a;\n".to_owned();
    for at in 0..WORDS / 32 {
        let _ = write!(
            results,
            "ld.shared.u32 %v, [%s+{0}];\nst.global.u32 [%p2+{0}], %v;\n",
            at * 128
        );
    }
    let contents = numbers(5, WORDS);
    let mut wanted: Vec<u8> = contents.iter().flat_map(|it| it.to_le_bytes()).collect();
    let offsets = rows(rows_of_all);
    for lane in 0..32 {
        for register in 0..registers {
            let value = contents[32 * register + lane].to_le_bytes();
            for index in 0..4 / bytes {
                let (row, column) = element(lane, register, index);
                let at = offsets[row] as usize + column * bytes;
                wanted[at..at + bytes].copy_from_slice(&value[index * bytes..][..bytes]);
            }
        }
    }
    let text = movement(&statement, &results);
    let out = run_text(&text, 32, &[&contents, &offsets, &[0; WORDS]], &[]);
    let (before, got) = printed(&out, "p2");
    let got: Vec<u8> = got.iter().flat_map(|it| it.to_le_bytes()).collect();
    assert_eq!(before, "Finished\n", "{words}");
    assert_eq!(got, wanted, "{words}");
}

#[test]
fn stores_of_rows() {
    for count in [1, 2, 4] {
        stores(
            &format!("m8n8.x{count}.shared.b16"),
            (count, 8 * count, 2),
            |lane, matrix, index| (8 * matrix + lane / 4, 2 * (lane % 4) + index),
        );
        stores(
            &format!("m8n8.x{count}.trans.shared.b16"),
            (count, 8 * count, 2),
            |lane, matrix, index| (8 * matrix + 2 * (lane % 4) + index, lane / 4),
        );
        stores(
            &format!("m16n8.x{count}.trans.shared.b8"),
            (count, 8 * count, 1),
            |lane, matrix, index| {
                let row = 2 * (lane % 4) + index % 2;
                (8 * matrix + row, lane / 4 + 8 * (index / 2))
            },
        );
    }
}

/// The end of a run and the codes of its findings.
#[track_caller]
fn check_movement(statement: &str, offsets: &[u32], expect: Expect) {
    let text = movement(statement, REGISTERS);
    let out = run_text(&text, 32, &[&numbers(1, WORDS), offsets, &[0; 128]], &[]);
    let before = printed(&out, "p2").0;
    let codes = before.lines().filter_map(|it| it.split(' ').next());
    expect.assert_eq(&codes.collect::<Vec<_>>().join(" "));
}

#[test]
fn rows_that_are_wrong() {
    let mut offsets = rows(16);
    offsets[9] += 8;
    check_movement(
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0, %r1}, [%x];",
        &offsets,
        expect!["Finished misaligned-access"],
    );
    check_movement(
        "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%x], {%r0, %r1};",
        &offsets,
        expect!["Finished misaligned-access"],
    );
    // Of one matrix the tenth address does not count.
    check_movement(
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%x];",
        &offsets,
        expect!["Finished"],
    );
    offsets[9] = WORDS as u32 * 4;
    check_movement(
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0, %r1}, [%x];",
        &offsets,
        expect!["Finished out-of-bounds"],
    );
}

/// A type of elements: its word, its width in bits, and a small number in it.
type Element = (&'static str, usize, fn(i64) -> u64);

fn half(it: i64) -> u64 {
    let bits = (it as f32).to_bits();
    match it {
        0 => 0,
        _ => u64::from((bits >> 31 << 15) | ((bits >> 13 & 0x3FFFF) - ((127 - 15) << 10))),
    }
}

const F16: Element = ("f16", 16, half);
const BF16: Element = ("bf16", 16, |it| u64::from((it as f32).to_bits() >> 16));
const TF32: Element = ("tf32", 32, |it| (it as f32).to_bits().into());
const F32: Element = ("f32", 32, |it| (it as f32).to_bits().into());
const F64: Element = ("f64", 64, |it| (it as f64).to_bits());
const S8: Element = ("s8", 8, |it| it as u64 & 0xFF);
const S4: Element = ("s4", 4, |it| it as u64 & 0xF);
const S32: Element = ("s32", 32, |it| it as u64 & 0xFFFF_FFFF);

/// A matrix of small numbers, and its words in memory.
struct Stored {
    numbers: Vec<i64>,
    words: Vec<u32>,
}

/// Makes a matrix, whose rows or columns are `stride` elements apart.
fn stored(
    seed: u32,
    (rows, columns): (usize, usize),
    (element, layout, stride): (Element, &str, usize),
) -> Stored {
    let drawn = numbers(seed, rows * columns).into_iter();
    let numbers: Vec<i64> = drawn.map(|it| i64::from(it >> 9) % 9 - 4).collect();
    let lines = if layout == "row" { rows } else { columns };
    let mut words = vec![0; (lines * stride * element.1).div_ceil(32)];
    for row in 0..rows {
        for column in 0..columns {
            let code = element.2(numbers[row * columns + column]);
            let at = element.1 * place(layout, stride, row, column);
            words[at / 32] |= (code << (at % 32)) as u32;
            if element.1 == 64 {
                words[at / 32 + 1] = (code >> 32) as u32;
            }
        }
    }
    Stored { numbers, words }
}

fn place(layout: &str, stride: usize, row: usize, column: usize) -> usize {
    match layout {
        "row" => row * stride + column,
        _ => column * stride + row,
    }
}

fn vector(name: &str, count: usize) -> String {
    let all: Vec<String> = (0..count).map(|it| format!("%{name}{it}")).collect();
    format!("{{{}}}", all.join(", "))
}

/// A product of matrices in memory, as loops have it.
fn product(
    shape: (usize, usize, usize),
    factor: Element,
    sum: Element,
    layouts: [&str; 4],
    types: &str,
    gaps: bool,
) {
    let (m, n, k) = shape;
    let padding = if gaps { 128 / factor.1 } else { 0 };
    let gap = usize::from(gaps) * 8;
    let long = |layout: &str, rows: usize, columns: usize| match layout {
        "row" => columns,
        _ => rows,
    };
    let lines = [
        long(layouts[0], m, k) + padding,
        long(layouts[1], k, n) + padding,
        long(layouts[2], m, n) + gap,
        long(layouts[3], m, n) + 2 * gap,
    ];
    let a = stored(11, (m, k), (factor, layouts[0], lines[0]));
    let b = stored(12, (k, n), (factor, layouts[1], lines[1]));
    let c = stored(13, (m, n), (sum, layouts[2], lines[2]));
    let mut d = stored(14, (m, n), (sum, layouts[3], lines[3]));
    let registers = |element: Element, rows: usize, columns: usize| match element.1 {
        64 => rows * columns / 32,
        bits => rows * columns * bits / 1024,
    };
    let factors = |rows, columns| match factor.0 {
        "f16" => 8,
        _ => registers(factor, rows, columns),
    };
    let word = format!("m{m}n{n}k{k}");
    let (class, wide) = match factor.0 {
        "f64" => ("b64", "b64"),
        _ => ("b32", if sum.0 == "f32" { "f32" } else { "b32" }),
    };
    let counts = [factors(m, k), factors(k, n), registers(sum, m, n)];
    let [ra, rb] = [vector("a", counts[0]), vector("b", counts[1])];
    let [rc, rd] = [vector("c", counts[2]), vector("d", counts[2])];
    let [la, lb, lc, ld] = layouts;
    let sd = lines[3];
    // Rows or columns that follow each other need no stride.
    let strides = lines.map(|it| match gaps {
        true => format!(", {it}"),
        false => String::new(),
    });
    let [wa, wb, wc, wd] = &strides;
    let text = format!(
        ".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)
{{
.reg .b64 %p<4>;
.reg .{class} %a<9>, %b<9>;
.reg .{wide} %c<9>, %d<9>;
ld.param.u64 %p0, [p0];
ld.param.u64 %p1, [p1];
ld.param.u64 %p2, [p2];
ld.param.u64 %p3, [p3];
wmma.load.a.sync.aligned.{la}.{word}.global.{0} {ra}, [%p0]{wa};
wmma.load.b.sync.aligned.{lb}.{word}.global.{0} {rb}, [%p1]{wb};
wmma.load.c.sync.aligned.{lc}.{word}.global.{1} {rc}, [%p2]{wc};
wmma.mma.sync.aligned.{la}.{lb}.{word}.{types} {rd}, {ra}, {rb}, {rc};
wmma.store.d.sync.aligned.{ld}.{word}.global.{1} [%p3], {rd}{wd};
ret;
}}
",
        factor.0, sum.0
    );
    for row in 0..m {
        for column in 0..n {
            let mut total = c.numbers[row * n + column];
            for at in 0..k {
                total += a.numbers[row * k + at] * b.numbers[at * n + column];
            }
            let code = sum.2(total);
            let at = sum.1 * place(ld, sd, row, column);
            let mask = u64::MAX >> (64 - sum.1.min(32));
            let old = &mut d.words[at / 32];
            *old = *old & !((mask << (at % 32)) as u32) | (code << (at % 32)) as u32;
            if sum.1 == 64 {
                d.words[at / 32 + 1] = (code >> 32) as u32;
            }
        }
    }
    let before = stored(14, (m, n), (sum, ld, sd));
    let out = run_text(
        &text,
        32,
        &[&a.words, &b.words, &c.words, &before.words],
        &[],
    );
    let (ended, got) = printed(&out, "p3");
    assert_eq!(ended, "Finished\n", "{text}");
    assert_eq!(got, d.words, "{text}");
}

#[test]
fn products_in_memory() {
    for shape in [(16, 16, 16), (8, 32, 16), (32, 8, 16)] {
        for layouts in [
            ["row", "col", "row", "row"],
            ["col", "row", "col", "row"],
            ["row", "row", "row", "col"],
        ] {
            product(shape, F16, F32, layouts, "f32.f32", true);
            product(shape, F16, F16, layouts, "f16.f16", true);
            product(shape, BF16, F32, layouts, "f32.bf16.bf16.f32", true);
            product(shape, S8, S32, layouts, "s32.s8.s8.s32", true);
        }
    }
    let layouts = ["row", "col", "row", "col"];
    product((16, 16, 8), TF32, F32, layouts, "f32.tf32.tf32.f32", true);
    product(
        (16, 16, 8),
        TF32,
        F32,
        ["col", "row", "col", "row"],
        "f32.tf32.tf32.f32",
        true,
    );
    product((8, 8, 4), F64, F64, layouts, "f64.f64.f64.f64", true);
    product((8, 8, 32), S4, S32, layouts, "s32.s4.s4.s32", true);
    for shape in [(16, 16, 16), (8, 32, 16), (32, 8, 16)] {
        product(shape, F16, F32, layouts, "f32.f32", false);
        product(
            shape,
            S8,
            S32,
            ["col", "row", "col", "row"],
            "s32.s8.s8.s32",
            false,
        );
    }
}
