//! Layouts cover their matrices, agree with the formulas of the manual, and have as many registers as the tables.

use rustc_hash::FxHashSet;

use super::*;
use crate::{
    matcher::{Outcome, Statement},
    matching::match_statement,
    operand::Operand,
    table::tables,
    target::{Module, Target, Version},
    types::Class,
};

/// Every combination of shape and types of `mma`, with the registers of d, a, b, c.
const PRODUCTS: &[(&str, [u32; 4])] = &[
    ("m8n8k4.row.col.f16.f16.f16.f16", [4, 2, 2, 4]),
    ("m8n8k4.col.row.f16.f16.f16.f16", [4, 2, 2, 4]),
    ("m8n8k4.row.row.f32.f16.f16.f16", [8, 2, 2, 4]),
    ("m8n8k4.col.col.f32.f16.f16.f32", [8, 2, 2, 8]),
    ("m8n8k4.row.col.f64.f64.f64.f64", [2, 1, 1, 2]),
    ("m16n8k4.row.col.f64.f64.f64.f64", [4, 2, 1, 4]),
    ("m16n8k8.row.col.f64.f64.f64.f64", [4, 4, 2, 4]),
    ("m16n8k16.row.col.f64.f64.f64.f64", [4, 8, 4, 4]),
    ("m16n8k8.row.col.f16.f16.f16.f16", [2, 2, 1, 2]),
    ("m16n8k8.row.col.f32.f16.f16.f32", [4, 2, 1, 4]),
    ("m16n8k16.row.col.f16.f16.f16.f16", [2, 4, 2, 2]),
    ("m16n8k16.row.col.f32.f16.f16.f32", [4, 4, 2, 4]),
    ("m16n8k8.row.col.f32.bf16.bf16.f32", [4, 2, 1, 4]),
    ("m16n8k16.row.col.f32.bf16.bf16.f32", [4, 4, 2, 4]),
    ("m16n8k4.row.col.f32.tf32.tf32.f32", [4, 2, 1, 4]),
    ("m16n8k8.row.col.f32.tf32.tf32.f32", [4, 4, 2, 4]),
    ("m16n8k16.row.col.f32.e4m3.e5m2.f32", [4, 2, 1, 4]),
    ("m16n8k32.row.col.f16.e4m3.e5m2.f16", [2, 4, 2, 2]),
    (
        "m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32",
        [4, 4, 2, 4],
    ),
    ("m8n8k16.row.col.s32.s8.u8.s32", [2, 1, 1, 2]),
    ("m16n8k16.row.col.s32.s8.u8.s32", [4, 2, 1, 4]),
    ("m16n8k32.row.col.satfinite.s32.u8.u8.s32", [4, 4, 2, 4]),
    ("m8n8k32.row.col.s32.s4.u4.s32", [2, 1, 1, 2]),
    ("m16n8k32.row.col.s32.s4.u4.s32", [4, 2, 1, 4]),
    ("m16n8k64.row.col.s32.s4.u4.s32", [4, 4, 2, 4]),
    ("m8n8k128.row.col.s32.b1.b1.s32.xor.popc", [2, 1, 1, 2]),
    ("m16n8k128.row.col.s32.b1.b1.s32.xor.popc", [4, 2, 1, 4]),
    ("m16n8k256.row.col.s32.b1.b1.s32.and.popc", [4, 4, 2, 4]),
    (
        "m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0",
        [4, 4, 2, 4],
    ),
    (
        "m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3",
        [4, 4, 2, 4],
    ),
    (
        "m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e2m1.e4m3.f32.ue8m0",
        [4, 4, 2, 4],
    ),
];

/// The same with half of A left out.
const SPARSE: &[(&str, [u32; 4])] = &[
    ("m16n8k16.row.col.f16.f16.f16.f16", [2, 2, 2, 2]),
    ("m16n8k32.row.col.f32.f16.f16.f32", [4, 4, 4, 4]),
    ("m16n8k16.row.col.f32.bf16.bf16.f32", [4, 2, 2, 4]),
    ("m16n8k32.row.col.f32.bf16.bf16.f32", [4, 4, 4, 4]),
    ("m16n8k8.row.col.f32.tf32.tf32.f32", [4, 2, 2, 4]),
    ("m16n8k16.row.col.f32.tf32.tf32.f32", [4, 4, 4, 4]),
    ("m16n8k32.row.col.s32.s8.u8.s32", [4, 2, 2, 4]),
    ("m16n8k64.row.col.s32.s8.u8.s32", [4, 4, 4, 4]),
    ("m16n8k64.row.col.s32.s4.u4.s32", [4, 2, 2, 4]),
    ("m16n8k128.row.col.s32.s4.u4.s32", [4, 4, 4, 4]),
    ("m16n8k64.row.col.f32.e4m3.e5m2.f32", [4, 4, 4, 4]),
    (
        "m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32",
        [4, 4, 4, 4],
    ),
    (
        "m16n8k128.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0",
        [4, 4, 4, 4],
    ),
];

fn split(text: &str) -> Vec<&str> {
    text.split('.').collect()
}

#[track_caller]
fn fragments(instruction: &str, words: &str) -> Vec<Fragment> {
    match layout(instruction, &split(words)) {
        Some(Layout::Fragments(found)) => found,
        other => panic!("{instruction}.{words}: {other:?}"),
    }
}

#[track_caller]
fn one(instruction: &str, words: &str, operand: &str) -> Fragment {
    let mut found = fragments(instruction, words).into_iter();
    found.find(|it| it.operand == operand).expect("an operand")
}

/// Every element of every matrix is held exactly once.
#[track_caller]
fn covers(what: &str, fragment: &Fragment) {
    let mut seen = FxHashSet::default();
    for lane in 0..fragment.lanes {
        for register in 0..fragment.registers {
            for element in 0..fragment.elements {
                let at = fragment.position(lane, register, element);
                assert!(
                    at.part < fragment.parts.1
                        && at.row < fragment.rows
                        && at.column < fragment.columns,
                    "{what} {}: {at:?} is outside",
                    fragment.operand
                );
                assert!(seen.insert(at), "{what} {}: {at:?} twice", fragment.operand);
            }
        }
    }
    let all = fragment.parts.1 * fragment.rows * fragment.columns;
    assert_eq!(seen.len() as u32, all, "{what} {}", fragment.operand);
}

/// Every instruction with a known layout.
fn all() -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    for (words, _) in PRODUCTS {
        all.push(("mma", format!("sync.aligned.{words}")));
    }
    for (words, _) in SPARSE {
        all.push(("mma", format!("sp::ordered_metadata.sync.aligned.{words}")));
    }
    for n in [8, 16, 24, 64, 128, 248, 256] {
        for (k, types) in [
            (8, "f32.tf32.tf32"),
            (16, "f16.f16.f16"),
            (16, "f32.bf16.bf16"),
            (32, "f32.e4m3.e5m2"),
            (32, "s32.s8.u8"),
            (256, "s32.b1.b1.and.popc"),
        ] {
            all.push((
                "wgmma.mma_async",
                format!("sync.aligned.m64n{n}k{k}.{types}"),
            ));
            if k < 256 {
                let words = format!("sp.sync.aligned.m64n{n}k{}.{types}", 2 * k);
                all.push(("wgmma.mma_async", words));
            }
        }
    }
    for (shape, counts) in [
        ("m8n8", &[1, 2, 4][..]),
        ("m8n8.trans", &[1, 2, 4]),
        ("m16n16.trans", &[1, 2]),
        ("m8n16", &[1, 2, 4]),
    ] {
        for count in counts {
            all.push(("ldmatrix", format!("sync.aligned.{shape}.x{count}.b16")));
        }
    }
    for shape in ["m8n8", "m8n8.trans", "m16n8.trans"] {
        for count in [1, 2, 4] {
            all.push(("stmatrix", format!("sync.aligned.{shape}.x{count}.b16")));
        }
    }
    all.push(("movmatrix", "sync.aligned.m8n8.trans.b16".to_owned()));
    for (shape, most) in [
        ("32x32b", 128),
        ("16x64b", 128),
        ("16x128b", 64),
        ("16x256b", 32),
        ("16x32bx2", 128),
    ] {
        let mut count = 1;
        while count <= most {
            for pack in ["", ".pack::16b"] {
                let words = format!("sync.aligned.{shape}.x{count}{pack}.b32");
                all.push(("tcgen05.ld", words));
            }
            count *= 2;
        }
    }
    all
}

#[test]
fn every_element_is_held_exactly_once() {
    let all = all();
    assert!(all.len() > 200, "{}", all.len());
    for (instruction, words) in all {
        for fragment in fragments(instruction, &words) {
            covers(&format!("{instruction}.{words}"), &fragment);
        }
    }
}

/// Whether two fragments agree as far as both go: repetitions (`.x4`, wider N) only add registers.
fn agree(a: &Fragment, b: &Fragment) -> bool {
    let key = |it: &Fragment| (it.operand, it.lanes, it.elements, it.kept);
    let registers = a.registers.min(b.registers);
    let mut all = (0..a.lanes)
        .flat_map(|lane| (0..registers).map(move |register| (lane, register)))
        .flat_map(|at| (0..a.elements).map(move |element| (at.0, at.1, element)));
    key(a) == key(b) && all.all(|it| a.position(it.0, it.1, it.2) == b.position(it.0, it.1, it.2))
}

/// Figures are made of the catalogue, so it must have every layout, and none twice.
#[test]
fn the_catalogue_is_complete() {
    let mut known: Vec<(&str, Vec<Fragment>)> = Vec::new();
    for example in CATALOG {
        let Some(Layout::Fragments(found)) = example.layout() else {
            panic!("{example:?}");
        };
        let entry = (example.instruction, found);
        assert!(!known.contains(&entry), "{example:?} is there twice");
        known.push(entry);
    }
    for (instruction, words) in all() {
        let found = fragments(instruction, &words);
        let mut same = known.iter().filter(|it| it.0 == instruction);
        let is_there = match instruction {
            "mma" => found
                .iter()
                .all(|it| same.clone().any(|known| known.1.contains(it))),
            // One figure shows what `.pack::16b` does to every shape.
            _ if words.contains("pack::16b") => true,
            _ => same.any(|it| it.1.iter().zip(&found).all(|(a, b)| agree(a, b))),
        };
        assert!(is_there, "{instruction}.{words}");
    }
}

/// A register of the type of an accumulator or factor.
fn registers(word: &str, count: u32) -> Operand {
    let class = match word {
        "f32" => Class::F32,
        "f64" => Class::F64,
        _ => Class::B32,
    };
    let register = Operand::Register { class, lanes: 1 };
    Operand::Vector(vec![register; count as usize])
}

#[test]
fn fragments_have_the_registers_of_the_tables() {
    let word = || Operand::Register {
        class: Class::B32,
        lanes: 1,
    };
    let ids = || Operand::Vector(vec![Operand::Integer(0), Operand::Integer(0)]);
    for (list, head) in [
        (PRODUCTS, "sync.aligned"),
        (SPARSE, "sp::ordered_metadata.sync.aligned"),
    ] {
        for (words, counts) in list {
            let text = format!("{head}.{words}");
            let words = split(&text);
            let found = fragments("mma", &text);
            let ours: Vec<u32> = found.iter().map(|it| it.registers).collect();
            assert_eq!(ours, counts, "{text}");
            let types = ["f32", "s32", "f16", "f64"];
            let d = words.iter().find(|it| types.contains(it)).expect("a type");
            let c = words.iter().rfind(|it| types.contains(it)).expect("a type");
            let factor = if *d == "f64" { "f64" } else { "b32" };
            let mut operands = vec![
                registers(d, ours[0]),
                registers(factor, ours[1]),
                registers(factor, ours[2]),
                registers(c, ours[3]),
            ];
            if head.starts_with("sp") {
                operands.extend([word(), Operand::Integer(0)]);
            }
            if words.contains(&"block_scale") {
                operands.extend([word(), ids(), word(), ids()]);
            }
            // Half precision of m8n8k4 alone needs no newer target, but takes it.
            let statement = Statement {
                opcode: "mma",
                words: &words,
                operands: &operands,
                module: Module::new(
                    Version::parse("9.4").expect("a version"),
                    Target::parse("sm_120a").expect("a target"),
                ),
            };
            let outcome = match_statement(tables(), &statement);
            assert!(matches!(outcome, Outcome::Fit(_)), "{text}");
        }
    }
}

/// The position of an element by its number in the fragment, as the manual counts.
fn nth(fragment: &Fragment, lane: u32, index: u32) -> (u32, u32) {
    let at = fragment.position(lane, index / fragment.elements, index % fragment.elements);
    (at.row, at.column)
}

/// The formulas of the manual, of element `i` of a lane in group `g` and thread `t`.
#[test]
fn the_formulas_of_the_manual() {
    type Rule = fn(u32, u32, u32) -> (u32, u32);
    let rules: &[(&str, &str, Rule)] = &[
        ("m8n8k4.row.col.f64.f64.f64.f64", "a", |g, t, _| (g, t)),
        ("m8n8k4.row.col.f64.f64.f64.f64", "b", |g, t, _| (t, g)),
        ("m8n8k4.row.col.f64.f64.f64.f64", "c", |g, t, i| {
            (g, 2 * t + i)
        }),
        ("m8n8k16.row.col.s32.s8.s8.s32", "a", |g, t, i| {
            (g, 4 * t + i)
        }),
        ("m8n8k32.row.col.s32.s4.s4.s32", "b", |g, t, i| {
            (8 * t + i, g)
        }),
        ("m8n8k128.row.col.s32.b1.b1.s32", "a", |g, t, i| {
            (g, 32 * t + i)
        }),
        ("m16n8k4.row.col.f32.tf32.tf32.f32", "a", |g, t, i| {
            (g + 8 * i, t)
        }),
        ("m16n8k8.row.col.f32.bf16.bf16.f32", "a", |g, t, i| {
            (g + if i < 2 { 0 } else { 8 }, 2 * t + (i & 1))
        }),
        ("m16n8k8.row.col.f32.tf32.tf32.f32", "a", |g, t, i| {
            let row = if i == 0 || i == 2 { g } else { g + 8 };
            (row, if i < 2 { t } else { t + 4 })
        }),
        ("m16n8k8.row.col.f32.tf32.tf32.f32", "b", |g, t, i| {
            (t + 4 * i, g)
        }),
        ("m16n8k16.row.col.f32.f16.f16.f32", "a", |g, t, i| {
            let row = if i < 2 || (4..6).contains(&i) {
                g
            } else {
                g + 8
            };
            (row, 2 * t + (i & 1) + if i < 4 { 0 } else { 8 })
        }),
        ("m16n8k16.row.col.f32.f16.f16.f32", "b", |g, t, i| {
            (2 * t + (i & 1) + if i < 2 { 0 } else { 8 }, g)
        }),
        ("m16n8k16.row.col.f16.f16.f16.f16", "d", |g, t, i| {
            (if i < 2 { g } else { g + 8 }, 2 * t + (i & 1))
        }),
        ("m16n8k16.row.col.f64.f64.f64.f64", "a", |g, t, i| {
            if i % 2 == 0 {
                (g, 2 * i + t)
            } else {
                (g + 8, 2 * i - 2 + t)
            }
        }),
        ("m16n8k16.row.col.f64.f64.f64.f64", "b", |g, t, i| {
            (t + 4 * i, g)
        }),
        ("m16n8k16.row.col.s32.s8.s8.s32", "a", |g, t, i| {
            (if i < 4 { g } else { g + 8 }, 4 * t + (i & 3))
        }),
        ("m16n8k32.row.col.s32.s8.s8.s32", "a", |g, t, i| {
            let row = if i < 4 || (8..12).contains(&i) {
                g
            } else {
                g + 8
            };
            (row, 4 * t + (i & 3) + if i < 8 { 0 } else { 16 })
        }),
        ("m16n8k32.row.col.s32.s4.s4.s32", "a", |g, t, i| {
            (if i < 8 { g } else { g + 8 }, 8 * t + (i & 7))
        }),
        ("m16n8k64.row.col.s32.s4.s4.s32", "b", |g, t, i| {
            (8 * t + (i & 7) + if i < 8 { 0 } else { 32 }, g)
        }),
        // The manual writes i for i & 31 in the lower half, which would leave the matrix.
        ("m16n8k256.row.col.s32.b1.b1.s32", "a", |g, t, i| {
            let row = if i < 32 || (64..96).contains(&i) {
                g
            } else {
                g + 8
            };
            (row, 32 * t + (i & 31) + if i < 64 { 0 } else { 128 })
        }),
        ("m16n8k32.row.col.f32.e4m3.e4m3.f32", "c", |g, t, i| {
            (if i < 2 { g } else { g + 8 }, 2 * t + (i & 1))
        }),
    ];
    for (words, operand, rule) in rules {
        let fragment = one("mma", words, operand);
        for lane in 0..32 {
            for index in 0..fragment.registers * fragment.elements {
                let expected = rule(lane / 4, lane % 4, index);
                assert_eq!(
                    nth(&fragment, lane, index),
                    expected,
                    "{words} {operand}: lane {lane}, element {index}"
                );
            }
        }
    }
}

/// 9.7.15.5.1, by the number of the lane.
#[test]
fn the_formulas_of_four_products() {
    type Rule = fn(u32, u32) -> (u32, u32);
    let rules: &[(&str, &str, Rule)] = &[
        ("row.col.f16.f16.f16.f16", "a", |l, i| {
            (l % 4 + l / 16 * 4, i)
        }),
        ("col.col.f16.f16.f16.f16", "a", |l, i| {
            (i % 4 + l / 16 * 4, l % 4)
        }),
        ("row.row.f16.f16.f16.f16", "b", |l, i| {
            (l % 4, i + l / 16 * 4)
        }),
        ("row.col.f16.f16.f16.f16", "b", |l, i| {
            (i, l % 4 + l / 16 * 4)
        }),
        ("row.col.f16.f16.f16.f16", "d", |l, i| {
            (l % 4 + l / 16 * 4, i)
        }),
        ("row.col.f32.f16.f16.f32", "c", |l, i| {
            let row = (l & 1) + (i & 2) + l / 16 * 4;
            (row, (i & 4) + (l & 2) + (i & 1))
        }),
    ];
    for (words, operand, rule) in rules {
        let fragment = one("mma", &format!("m8n8k4.{words}"), operand);
        for lane in 0..32 {
            for index in 0..fragment.registers * fragment.elements {
                assert_eq!(
                    nth(&fragment, lane, index),
                    rule(lane, index),
                    "{words} {operand}: lane {lane}, element {index}"
                );
                assert_eq!(fragment.position(lane, 0, 0).part, lane % 16 / 4);
            }
        }
    }
}

/// 9.7.15.6.2: the columns of which an element is one of those that are kept.
#[test]
fn the_formulas_of_sparse_products() {
    type Rule = fn(u32, u32, u32) -> (u32, u32);
    let rules: &[(&str, u32, Rule)] = &[
        ("m16n8k16.row.col.f16.f16.f16.f16", 4, |g, t, i| {
            (if i < 2 { g } else { g + 8 }, 4 * t)
        }),
        ("m16n8k32.row.col.f16.f16.f16.f16", 4, |g, t, i| {
            let row = if i < 2 || (4..6).contains(&i) {
                g
            } else {
                g + 8
            };
            (row, 4 * t + if i < 4 { 0 } else { 16 })
        }),
        ("m16n8k16.row.col.f32.tf32.tf32.f32", 2, |g, t, i| {
            let row = if i % 2 == 0 { g } else { g + 8 };
            (row, 2 * t + if i < 2 { 0 } else { 8 })
        }),
        ("m16n8k8.row.col.f32.tf32.tf32.f32", 2, |g, t, i| {
            (g + 8 * i, 2 * t)
        }),
        ("m16n8k32.row.col.s32.s8.s8.s32", 8, |g, t, i| {
            (if i < 4 { g } else { g + 8 }, 8 * t)
        }),
        ("m16n8k64.row.col.s32.s8.s8.s32", 8, |g, t, i| {
            let row = if i < 4 || (8..12).contains(&i) {
                g
            } else {
                g + 8
            };
            (row, 8 * t + if i < 8 { 0 } else { 32 })
        }),
        ("m16n8k128.row.col.s32.s4.s4.s32", 16, |g, t, i| {
            let row = if i < 8 || (16..24).contains(&i) {
                g
            } else {
                g + 8
            };
            (row, 16 * t + if i < 16 { 0 } else { 64 })
        }),
    ];
    for (words, width, rule) in rules {
        let fragment = one("mma", &format!("sp.{words}"), "a");
        assert!(fragment.kept.is_some());
        for lane in 0..32 {
            for index in 0..fragment.registers * fragment.elements {
                let (row, kept) = nth(&fragment, lane, index);
                let (expected, first) = rule(lane / 4, lane % 4, index);
                assert_eq!(row, expected, "{words}: lane {lane}, element {index}");
                assert!(
                    (first..first + width).contains(&(2 * kept)),
                    "{words}: lane {lane}, element {index}: {kept}"
                );
            }
        }
    }
}

#[test]
fn spot_checks() {
    let at = |fragment: &Fragment, lane, register, element| {
        let at = fragment.position(lane, register, element);
        (at.part, at.row, at.column)
    };
    let d = one("wgmma.mma_async", "sync.m64n256k16.f32.f16.f16", "d");
    assert_eq!((d.registers, d.lanes), (128, 128));
    assert_eq!(at(&d, 0, 1, 0), (0, 0, 1));
    assert_eq!(at(&d, 37, 2, 0), (0, 16 + 1 + 8, 2));
    assert_eq!(at(&d, 127, 127, 0), (0, 63, 255));
    let r = one("ldmatrix", "m8n8.x4.b16", "r");
    assert_eq!(at(&r, 5, 2, 1), (2, 1, 3));
    let r = one("ldmatrix", "m8n8.x4.trans.b16", "r");
    assert_eq!(at(&r, 5, 2, 1), (2, 3, 1));
    let r = one("ldmatrix", "m16n16.x2.trans.b8", "r");
    assert_eq!(at(&r, 5, 3, 3), (1, 4 + 2 + 1, 1 + 8));
    let r = one("tcgen05.ld", "16x64b.x2.b32", "r");
    assert_eq!(at(&r, 3, 1, 0), (0, 8, 3));
    let r = one("tcgen05.ld", "16x256b.x2.b32", "r");
    assert_eq!(at(&r, 5, 7, 0), (0, 9, 8 + 2 + 1));
    let r = one("tcgen05.ld", "32x32b.x4.pack::16b.b32", "r");
    assert_eq!(at(&r, 31, 2, 1), (0, 31, 5));
    let r = one("tcgen05.st", "16x32bx2.x4.b32", "r");
    assert_eq!(at(&r, 17, 3, 0), (1, 1, 3));
}

#[test]
fn formulas() {
    let text = |instruction: &str, words: &str, operand: &str, register: Option<u32>| {
        let found = one(instruction, words, operand).formula(register);
        let part = found.part.map_or(String::new(), |it| format!("{it}: "));
        format!("{part}{}, {}", found.row, found.column)
    };
    let words = "m16n8k16.row.col.f32.f16.f16.f32";
    assert_eq!(text("mma", words, "a", Some(0)), "g, 2t … 2t + 1");
    assert_eq!(text("mma", words, "a", Some(3)), "g + 8, 2t + 8 … 2t + 9");
    assert_eq!(text("mma", words, "b", Some(1)), "2t + 8 … 2t + 9, g");
    assert_eq!(text("mma", words, "d", None), "g + 8·(i / 2), 2t + (i % 2)");
    assert_eq!(
        text("mma", &format!("sp.{words}"), "a", Some(1)),
        "g + 8, 4t … 4t + 3"
    );
    assert_eq!(
        text("wgmma.mma_async", "m64n64k16.f32.f16.f16", "d", None),
        "g + 8·(i / 2 % 2) + 16w, 2t + (i % 2) + 8·(i / 4)"
    );
    assert_eq!(
        text("ldmatrix", "m16n16.x2.trans.b8", "r", Some(3)),
        "1: (e % 2) + 4t + 2, 8·(e / 2) + g"
    );
    assert_eq!(
        text("mma", "m8n8k4.row.col.f32.f16.f16.f32", "a", Some(1)),
        "(lane / 4 % 4): t + 4·(lane / 16), 2 … 3"
    );
    assert_eq!(text("tcgen05.ld", "32x32b.x8.b32", "r", Some(5)), "lane, 5");
}

#[test]
fn unknown_layouts() {
    for (instruction, words) in [
        ("wmma.mma", "m16n16k16.row.col.f32.f32"),
        ("wmma.load", "a.m16n16k16.f16"),
        ("mma", "m8n8k4.row.col.f32.tf32.tf32.f32"),
    ] {
        let found = layout(instruction, &split(words));
        assert!(matches!(found, Some(Layout::Unspecified(_))), "{words}");
    }
    assert_eq!(layout("add", &["s32"]), None);
    assert_eq!(layout("ldmatrix", &["m8n8", "x128", "b16"]), None);
    for words in ["m0n8k4", "m16n8k999999", "m16n8k1.f32.f16.f16.f32", "mnk"] {
        assert_eq!(layout("mma", &split(words)), None, "{words}");
    }
}
