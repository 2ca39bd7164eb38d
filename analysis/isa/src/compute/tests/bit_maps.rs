//! Statements with constants: from where each bit of a result comes, and the numbers that they compute.

use std::{collections::BTreeMap, fmt::Write as _};

use expect_test::{Expect, expect};

use super::statement::compile;

/// The results of a statement, one line for each run of bits.
#[track_caller]
fn check(statement: &str, expected: Expect) {
    let compiled = compile(statement, &mut BTreeMap::new()).expect("a statement that fits");
    let found = compiled.outcomes().expect("a statement of one lane");
    let mut out = String::new();
    for result in &found.results {
        if let Some(number) = result.bits.as_constant() {
            let _ = writeln!(out, "{}", result.ty.text(number));
            continue;
        }
        match result.bits.text(&found.sources, 6) {
            None => out.push_str("unknown\n"),
            Some(text) => {
                for (place, what) in &text.lines {
                    let place = if place.is_empty() { "all" } else { place };
                    let _ = writeln!(out, "{place}: {what}");
                }
            }
        }
    }
    if found.is_open != Some(false) {
        let _ = writeln!(out, "open: {:?}", found.is_open);
    }
    expected.assert_eq(&out);
}

#[test]
fn permutations() {
    check(
        "prmt.b32 $d, $a, $b, 0x1234",
        expect![[r#"
        byte 3: byte 1 of `a`
        byte 2: byte 2 of `a`
        byte 1: byte 3 of `a`
        byte 0: byte 0 of `b`
    "#]],
    );
    check(
        "prmt.b32 $d, $a, $b, 0x5410",
        expect![[r#"
        bytes 3 to 2: bytes 1 to 0 of `b`
        bytes 1 to 0: bytes 1 to 0 of `a`
    "#]],
    );
    check(
        "prmt.b32 $d, $a, $b, 0x3210",
        expect![[r#"
            all: `a`
        "#]],
    );
    check(
        "prmt.b32 $d, $a, $b, 0x8b6f",
        expect![[r#"
            bits 31 to 24: bit 7 of `a`
            bits 23 to 16: bit 31 of `a`
            bits 15 to 8: bits 23 to 16 of `b`
            bits 7 to 0: bit 31 of `b`
        "#]],
    );
    check(
        "prmt.b32 $d, $a, 0, 0x4440",
        expect![[r#"
        bits 31 to 8: 0
        bits 7 to 0: bits 7 to 0 of `a`
    "#]],
    );
    check(
        "prmt.b32.f4e $d, $a, $b, 1",
        expect![[r#"
        byte 3: byte 0 of `b`
        bytes 2 to 0: bytes 3 to 1 of `a`
    "#]],
    );
    check(
        "prmt.b32 $d, $a, $b, $c",
        expect![[r#"
        unknown
    "#]],
    );
    check(
        "brev.b32 $d, $a",
        expect![[r#"
            all: bits 0 to 31 of `a`
        "#]],
    );
}

#[test]
fn fields_and_shifts() {
    check(
        "bfe.u32 $d, $a, 3, 4",
        expect![[r#"
        bits 31 to 4: 0
        bits 3 to 0: bits 6 to 3 of `a`
    "#]],
    );
    check(
        "bfe.s32 $d, $a, 3, 4",
        expect![[r#"
        bits 31 to 4: bit 6 of `a`
        bits 3 to 0: bits 6 to 3 of `a`
    "#]],
    );
    check(
        "bfe.u32 $d, $a, 3, 0",
        expect![[r#"
        0
    "#]],
    );
    check(
        "bfi.b32 $d, $a, $b, 8, 4",
        expect![[r#"
        bits 31 to 12: bits 31 to 12 of `b`
        bits 11 to 8: bits 3 to 0 of `a`
        bits 7 to 0: bits 7 to 0 of `b`
    "#]],
    );
    check(
        "bfi.b64 $d, $a, $b, 8, 4",
        expect![[r#"
        bits 63 to 12: bits 63 to 12 of `b`
        bits 11 to 8: bits 3 to 0 of `a`
        bits 7 to 0: bits 7 to 0 of `b`
    "#]],
    );
    check(
        "shl.b32 $d, $a, 4",
        expect![[r#"
        bits 31 to 4: bits 27 to 0 of `a`
        bits 3 to 0: 0
    "#]],
    );
    check(
        "shl.b32 $d, $a, 32",
        expect![[r#"
        0
    "#]],
    );
    check(
        "shr.u32 $d, $a, 4",
        expect![[r#"
        bits 31 to 28: 0
        bits 27 to 0: bits 31 to 4 of `a`
    "#]],
    );
    check(
        "shr.s64 $d, $a, 8",
        expect![[r#"
            bits 63 to 56: bit 63 of `a`
            bits 55 to 0: bits 63 to 8 of `a`
        "#]],
    );
    check(
        "shf.l.wrap.b32 $d, $a, $b, 8",
        expect![[r#"
        bytes 3 to 1: bytes 2 to 0 of `b`
        byte 0: byte 3 of `a`
    "#]],
    );
    check(
        "shf.r.clamp.b32 $d, $a, $b, 5",
        expect![[r#"
        bits 31 to 27: bits 4 to 0 of `b`
        bits 26 to 0: bits 31 to 5 of `a`
    "#]],
    );
    check(
        "mul.lo.u32 $d, $a, 16",
        expect![[r#"
        bits 31 to 4: bits 27 to 0 of `a`
        bits 3 to 0: 0
    "#]],
    );
    check(
        "mul.wide.u32 $d, $a, 4",
        expect![[r#"
        bits 63 to 34: 0
        bits 33 to 2: `a`
        bits 1 to 0: 0
    "#]],
    );
    check(
        "mul.hi.u32 $d, $a, 0x10000",
        expect![[r#"
        bits 31 to 16: 0
        bits 15 to 0: bits 31 to 16 of `a`
    "#]],
    );
    check(
        "div.u32 $d, $a, 8",
        expect![[r#"
        bits 31 to 29: 0
        bits 28 to 0: bits 31 to 3 of `a`
    "#]],
    );
    check(
        "rem.u32 $d, $a, 8",
        expect![[r#"
        bits 31 to 3: 0
        bits 2 to 0: bits 2 to 0 of `a`
    "#]],
    );
    check(
        "bmsk.clamp.b32 $d, 4, 8",
        expect![[r#"
        4080 = 0xff0
    "#]],
    );
    check(
        "szext.clamp.s32 $d, $a, 8",
        expect![[r#"
            bits 31 to 8: bit 7 of `a`
            bits 7 to 0: bits 7 to 0 of `a`
        "#]],
    );
    check(
        "fns.b32 $d, 0x8a, 0, 2",
        expect![[r#"
        3
    "#]],
    );
}

#[test]
fn masks_and_tables() {
    check(
        "and.b32 $d, $a, 255",
        expect![[r#"
        bits 31 to 8: 0
        bits 7 to 0: bits 7 to 0 of `a`
    "#]],
    );
    check(
        "and.b32 $d, $a, 0x0f0f0f0f",
        expect![[r#"
        bits 27 to 24: bits 27 to 24 of `a`
        bits 19 to 16: bits 19 to 16 of `a`
        bits 11 to 8: bits 11 to 8 of `a`
        bits 3 to 0: bits 3 to 0 of `a`
        other bits: 0
    "#]],
    );
    check(
        "and.b32 $d, $a, 0x55555555",
        expect![[r#"
        unknown
    "#]],
    );
    check(
        "and.b32 $d, $a, 0",
        expect![[r#"
        0
    "#]],
    );
    check(
        "or.b32 $d, $a, 0x80000000",
        expect![[r#"
        bit 31: 1
        bits 30 to 0: bits 30 to 0 of `a`
    "#]],
    );
    check(
        "xor.b32 $d, $a, -1",
        expect![[r#"
            all: `~a`
        "#]],
    );
    check(
        "xor.b32 $d, $a, 0xff00",
        expect![[r#"
        bits 31 to 16: bits 31 to 16 of `a`
        bits 15 to 8: bits 15 to 8 of `~a`
        bits 7 to 0: bits 7 to 0 of `a`
    "#]],
    );
    check(
        "not.b32 $d, $a",
        expect![[r#"
            all: `~a`
        "#]],
    );
    check(
        "lop3.b32 $d, $a, $b, $c, 0x60",
        expect![[r#"
            all: `a & (b ^ c)`
        "#]],
    );
    check(
        "lop3.b32 $d, $a, $b, $c, 0x96",
        expect![[r#"
            all: `a ^ b ^ c`
        "#]],
    );
    check(
        "lop3.b32 $d, $a, $b, $c, 0xca",
        expect![[r#"
            all: `(a & b) | (c & ~a)`
        "#]],
    );
    check(
        "lop3.b32 $d, $a, $b, 0xff, 0xca",
        expect![[r#"
        bits 31 to 8: `a[31:8] & b[31:8]`
        bits 7 to 0: `b[7:0] | ~a[7:0]`
    "#]],
    );
    check(
        "lop3.b32 $d, $a, $a, $c, 0x96",
        expect![[r#"
            all: `c`
        "#]],
    );
    check(
        "lop3.or.b32 $d|$p, $a, $b, $c, 0x80, $q",
        expect![[r#"
            all: `a & b & c`
            unknown
        "#]],
    );
    check(
        "selp.b32 $d, 1, 0, $p",
        expect![[r#"
        bits 31 to 1: 0
        bit 0: `p`
    "#]],
    );
    check(
        "selp.b32 $d, $a, $b, $p",
        expect![[r#"
            all: `(p & a) | (b & ~p)`
        "#]],
    );
    check(
        "setp.lt.s32 $p, $a, 0",
        expect![[r#"
            all: bit 31 of `a`
        "#]],
    );
    check(
        "setp.lt.and.s32 $p|$q, $a, 0, !$r",
        expect![[r#"
            all: `a[31] & ~r`
            all: `~(a[31] | r)`
        "#]],
    );
    check(
        "add.s32 $d, $a, 1",
        expect![[r#"
        unknown
    "#]],
    );
    check(
        "add.s32 $d, $a, 0",
        expect![[r#"
            all: `a`
        "#]],
    );
}

#[test]
fn moves() {
    check(
        "mov.b64 $d, {$a, $b}",
        expect![[r#"
        bits 63 to 32: `b`
        bits 31 to 0: `a`
    "#]],
    );
    check(
        "mov.b64 {$a, $b}, $d",
        expect![[r#"
            all: bits 31 to 0 of `d`
            all: bits 63 to 32 of `d`
        "#]],
    );
    check(
        "mov.b64 {$a, _}, $d",
        expect![[r#"
            all: bits 31 to 0 of `d`
        "#]],
    );
    check(
        "mov.b32 $d, {$a, $b, $c, $e}",
        expect![[r#"
        bits 31 to 24: `e`
        bits 23 to 16: `c`
        bits 15 to 8: `b`
        bits 7 to 0: `a`
    "#]],
    );
    check(
        "mov.b128 $d, {$a, $b}",
        expect![[r#"
        bits 127 to 64: `b`
        bits 63 to 0: `a`
    "#]],
    );
    check(
        "mov.b128 {$a, $b}, $d",
        expect![[r#"
            all: bits 63 to 0 of `d`
            all: bits 127 to 64 of `d`
        "#]],
    );
    check(
        "cvt.u64.u32 $d, $a",
        expect![[r#"
        bits 63 to 32: 0
        bits 31 to 0: `a`
    "#]],
    );
    check(
        "cvt.s32.s8 $d, $a",
        expect![[r#"
            bits 31 to 8: bit 7 of `a`
            bits 7 to 0: bits 7 to 0 of `a`
        "#]],
    );
    check(
        "cvt.u8.u32 $d, $a",
        expect![[r#"
        bits 31 to 8: 0
        bits 7 to 0: bits 7 to 0 of `a`
    "#]],
    );
    check(
        "cvt.rn.f32.s32 $d, $a",
        expect![[r#"
        unknown
    "#]],
    );
    check(
        "dp4a.u32.u32 $d, $a, 1, 0",
        expect![[r#"
        bits 31 to 8: 0
        bits 7 to 0: bits 7 to 0 of `a`
    "#]],
    );
}

#[test]
fn numbers() {
    check(
        "add.s32 $d, 5, 7",
        expect![[r#"
        12 = 0xc
    "#]],
    );
    check(
        "sub.u32 $d, 5, 7",
        expect![[r#"
        4294967294 = 0xfffffffe
    "#]],
    );
    check(
        "sub.s32 $d, 5, 7",
        expect![[r#"
        -2 = 0xfffffffe
    "#]],
    );
    check(
        "add.f32 $d, 0f3F800000, 2.5",
        expect![[r#"
        3.5 = 0f40600000
    "#]],
    );
    check(
        "fma.rn.f64 $d, 1.5, 2.0, 0.25",
        expect![[r#"
        3.25 = 0d400A000000000000
    "#]],
    );
    check(
        "div.u32 $d, 5, 0",
        expect![[r#"
        4294967295 = 0xffffffff
        open: Some(true)
    "#]],
    );
    check(
        "div.u32 $d, $a, $b",
        expect![[r#"
        unknown
        open: None
    "#]],
    );
    check(
        "ex2.approx.f32 $d, 1.5",
        expect![[r#"
        2.828427 = 0f403504F3
    "#]],
    );
    check(
        "setp.lt.s32 $p, -1, 3",
        expect![[r#"
        true
    "#]],
    );
    check(
        "cvt.rn.f16.f32 $d, 1.5",
        expect![[r#"
        1.5 = 0x3e00
    "#]],
    );
    check(
        "mul.wide.s32 $d, -3, 5",
        expect![[r#"
        -15 = 0xfffffffffffffff1
    "#]],
    );
    check(
        "mov.b64 $d, {1, 2}",
        expect![[r#"
        8589934593 = 0x200000001
    "#]],
    );
}
