//! Fields lie side by side, survive encoding and decoding, and warn about what may not be.

use expect_test::{Expect, expect};

use super::*;
use crate::{
    documentation::{Topic, entry},
    table::tables,
};

fn target(name: &str) -> Target {
    Target::parse(name).expect("a target")
}

#[track_caller]
fn find(instruction: &str, operand: &str, words: &str, name: &str) -> Format {
    let words: Vec<&str> = words.split('.').collect();
    format(instruction, operand, &words, target(name)).expect("a descriptor")
}

/// Every format there is.
fn all() -> Vec<Format> {
    let mut all = Vec::new();
    for name in ["sm_90a", "sm_100a", "sm_107a"] {
        for sparse in ["", "sp."] {
            for kind in [
                "f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4",
            ] {
                let words = format!("{sparse}cta_group::1.kind::{kind}");
                all.push(find("tcgen05.mma", "idesc", &words, name));
            }
        }
        all.push(find("tcgen05.mma.ws", "idesc", "kind::f16", name));
        all.push(find(
            "tcgen05.mma.ws",
            "zero_column_mask",
            "kind::f16",
            name,
        ));
        all.push(find("tcgen05.mma", "a", "kind::f16", name));
        all.push(find("tcgen05.cp", "s_desc", "128x256b", name));
        all.push(find("wgmma.mma_async", "b", "sync", name));
    }
    all
}

#[test]
fn fields_lie_side_by_side() {
    for format in all() {
        let mut next = 0;
        for field in &format.fields {
            assert_eq!(field.low, next, "{} of {}", field.name, format.title);
            next += field.width;
        }
        assert_eq!(next, format.bits, "{}", format.title);
        for concept in format.concepts {
            assert!(entry(Topic::Concepts, concept).is_some(), "{concept}");
        }
    }
}

#[test]
fn what_is_encoded_is_decoded() {
    for format in all() {
        for field in &format.fields {
            if matches!(field.meaning, Meaning::Fixed(_)) {
                continue;
            }
            for value in 0..1 << field.width.min(6) {
                let bits = format.encode(&[(field.name, value)]).expect("a descriptor");
                for decoded in format.decode(bits) {
                    let expected = match decoded.field.meaning {
                        Meaning::Fixed(value) => value,
                        _ if decoded.field == *field => value,
                        _ => 0,
                    };
                    assert_eq!(decoded.value, expected, "{} {value}", field.name);
                }
            }
            assert_eq!(format.encode(&[(field.name, 1 << field.width)]), None);
        }
        assert_eq!(format.encode(&[("reserved", 0)]), None);
        assert_eq!(format.encode(&[("nothing", 0)]), None);
    }
}

/// Operands that are called descriptors are those of the tables.
#[test]
fn the_operands_exist() {
    for (instruction, operand) in [
        ("wgmma.mma_async", "a"),
        ("wgmma.mma_async", "b"),
        ("tcgen05.mma", "a"),
        ("tcgen05.mma", "b"),
        ("tcgen05.mma", "idesc"),
        ("tcgen05.mma.ws", "a"),
        ("tcgen05.mma.ws", "b"),
        ("tcgen05.mma.ws", "idesc"),
        ("tcgen05.mma.ws", "zero_column_mask"),
        ("tcgen05.cp", "s_desc"),
    ] {
        let mut variants = tables().with_name(instruction).flat_map(|it| &it.variants);
        assert!(
            variants.any(|it| it.operands.iter().any(|it| it.name == operand)),
            "{instruction} {operand}"
        );
    }
}

#[track_caller]
fn check(format: &Format, bits: u64, expected: Expect) {
    let mut text = String::new();
    for it in format.decode(bits) {
        if it.field.name == "reserved" && it.problem.is_none() {
            continue;
        }
        let problem = it.problem.map_or(String::new(), |it| format!(" !! {it}"));
        let last = it.field.low + it.field.width - 1;
        text += &format!(
            "{}-{last} {}: {}{problem}\n",
            it.field.low, it.field.name, it.text
        );
    }
    expected.assert_eq(&text);
}

#[test]
fn descriptors() {
    let format = find("wgmma.mma_async", "a", "sync", "sm_90a");
    check(
        &format,
        0x4000_0040_0001_0040,
        expect![[r#"
            0-13 start address: 0x400 bytes (0x40 · 16)
            16-29 leading dimension offset: 0x10 bytes (0x1 · 16)
            32-45 stride dimension offset: 0x400 bytes (0x40 · 16)
            49-51 base offset: 0
            62-63 swizzle: 128 bytes
        "#]],
    );
    let format = find("tcgen05.mma", "b", "kind::f16", "sm_100a");
    check(
        &format,
        0x6000_0040_8001_0040,
        expect![[r#"
            0-13 start address: 0x400 bytes (0x40 · 16)
            16-29 leading dimension offset: 0x10 bytes (0x1 · 16)
            30-31 reserved: 0b10 !! must be 0
            32-45 stride dimension offset: 0x400 bytes (0x40 · 16)
            46-48 constant: 0b0 !! must be 0b1
            49-51 base offset: 0
            52-52 leading dimension: a relative offset
            61-63 swizzle: 3 !! 3 means nothing here; 0 (none), 1 (128 bytes in units of 32), 2 (128 bytes), 4 (64 bytes), 6 (32 bytes)
        "#]],
    );
    let format = find("tcgen05.mma", "idesc", "cta_group::1.kind::f16", "sm_100a");
    check(
        &format,
        0x0820_0490,
        expect![[r#"
        2-2 sparse: no
        4-5 type of D: f32
        7-9 type of A: bf16
        10-12 type of B: bf16
        13-13 negate A: no
        14-14 negate B: no
        15-15 A: K-major
        16-16 B: K-major
        17-22 N: 128
        24-28 M: 128
    "#]],
    );
    check(
        &format,
        0xffff_ffff,
        expect![[r#"
            0-1 reserved: 0b11 !! must be 0
            2-2 sparse: yes !! the instruction has no `.sp`, so it must be 0
            3-3 reserved: 0b1 !! must be 0
            4-5 type of D: 3 !! 3 means nothing here; 0 (f16), 1 (f32)
            6-6 reserved: 0b1 !! must be 0
            7-9 type of A: 7 !! 7 means nothing here; 0 (f16), 1 (bf16)
            10-12 type of B: 7 !! 7 means nothing here; 0 (f16), 1 (bf16)
            13-13 negate A: yes
            14-14 negate B: yes
            15-15 A: M-major, transposed
            16-16 B: N-major, transposed
            17-22 N: 504 !! from 8 to 256
            23-23 reserved: 0b1 !! must be 0
            24-28 M: 496 !! there are 64, 128, 256
            29-29 reserved: 0b1 !! must be 0
            30-31 reserved: 0b11 !! must be 0
        "#]],
    );
    let format = find(
        "tcgen05.mma",
        "idesc",
        "sp.cta_group::1.kind::mxf4nvf4",
        "sm_100a",
    );
    check(
        &format,
        0x0884_0484,
        expect![[r#"
        2-2 sparse: yes
        4-5 byte of the scales of B: byte 0
        7-9 type of A: e2m1
        10-11 type of B: e2m1
        13-13 negate A: no
        14-14 negate B: no
        17-22 N: 16
        23-23 type of the scales: ue8m0
        27-28 M: 128
        29-30 byte of the scales of A: byte 0
        31-31 K: 64, sparse 128
    "#]],
    );
}

#[test]
fn what_is_no_descriptor() {
    let words = ["cta_group::1", "kind::ti16"];
    assert_eq!(
        format("tcgen05.mma", "idesc", &words, target("sm_107a")),
        None
    );
    assert_eq!(
        format("tcgen05.mma", "enable", &words, target("sm_107a")),
        None
    );
    assert_eq!(format("add", "a", &[], target("sm_90")), None);
}
