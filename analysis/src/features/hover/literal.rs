//! Constants: their values in other notations, and as the masks that some instructions make of them.

use std::fmt::Write as _;

use crate::hir::number::integer;

/// The meaning of a constant to the instruction in which it appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::features) enum Role {
    /// The truth table of `lop3`.
    LookUpTable,
    /// The selector of `prmt` without a mode.
    Permutation,
    /// A descriptor of a matrix or of a product.
    Descriptor,
    /// Any other.
    Value,
}

/// The value of a floating-point constant that is written as its bits, such as `0f3F800000`.
pub(in crate::features) fn of_bits(text: &str) -> Option<String> {
    let (prefix, hex) = text.split_at_checked(2)?;
    Some(match prefix {
        "0f" | "0F" => {
            let value = f32::from_bits(u32::from_str_radix(hex, 16).ok()?);
            number(value.into(), &format!("{value:?}"))
        }
        "0d" | "0D" => {
            let value = f64::from_bits(u64::from_str_radix(hex, 16).ok()?);
            number(value, &format!("{value:?}"))
        }
        _ => return None,
    })
}

/// A literal in words.
pub(in crate::features) fn describe(text: &str, role: Option<Role>) -> Option<String> {
    if let Some(hex) = text.strip_prefix("0f").or(text.strip_prefix("0F")) {
        let bits = u32::from_str_radix(hex, 16).ok()?;
        return Some(single(text, bits));
    }
    if let Some(hex) = text.strip_prefix("0d").or(text.strip_prefix("0D")) {
        let bits = u64::from_str_radix(hex, 16).ok()?;
        return Some(double(text, f64::from_bits(bits)));
    }
    if text.contains('.') || text.contains(['e', 'E']) && !text.starts_with("0x") {
        return Some(double(text, text.parse().ok()?));
    }
    let value = integer(text)?;
    let mut out = format!("```ptx\n{text}\n```\n{value} = {value:#x}");
    if value > 1 {
        let _ = write!(out, " = {}", binary(value));
    }
    if (1 << 31..1 << 32).contains(&value) {
        let _ = write!(out, "\n\nas `.s32`: {}", value as u32 as i32);
    }
    if value >= 1 << 63 {
        let _ = write!(out, "\n\nas `.s64`: {}", value as i64);
    }
    match role {
        Some(Role::LookUpTable) if value < 256 => {
            let _ = write!(out, "\n\n{}", truth_table(value as u8));
        }
        Some(Role::Permutation) => {
            let _ = write!(out, "\n\n{}", permutation(value as u16));
        }
        Some(Role::Descriptor) => {}
        _ => {
            if let Some(meaning) = as_float(value) {
                let _ = write!(out, "\n\nas bits of `.f32`: {meaning}");
            }
        }
    }
    Some(out)
}

/// A literal after a minus in words.
pub(in crate::features) fn describe_negated(text: &str) -> Option<String> {
    let Some(value) = integer(text) else {
        return match text.starts_with("0f") || text.starts_with("0F") || text.starts_with("0d") {
            true => describe(text, None),
            false => Some(double(&format!("-{text}"), -text.parse::<f64>().ok()?)),
        };
    };
    let negated = -i128::from(value);
    let wide = value.wrapping_neg();
    let mut out = format!("```ptx\n-{text}\n```\n{negated} = {wide:#x} in 64 bits");
    if value <= 1 << 31 {
        let _ = write!(out, ", {:#x} in 32 bits", wide as u32);
    }
    Some(out)
}

/// Bits in groups of four.
fn binary(value: u64) -> String {
    let digits = format!("{value:b}");
    let mut out = "0b".to_owned();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(4) {
            out.push('_');
        }
        out.push(digit);
    }
    out
}

/// Integers that are well-known bits of a float.
fn as_float(value: u64) -> Option<String> {
    let bits = u32::try_from(value).ok()?;
    let float = f32::from_bits(bits);
    let known = bits & 0xffff == 0
        && bits > 0xffff
        && float.is_finite()
        && float.abs() > 1e-6
        && float.abs() < 1e9;
    known.then(|| format!("{float:?}"))
}

fn single(text: &str, bits: u32) -> String {
    let value = f32::from_bits(bits);
    format!(
        "```ptx\n{text}\n```\n`.f32` {}{}\n\nsign {}, exponent {}, fraction {:#08x}",
        number(value.into(), &format!("{value:?}")),
        class(value.classify()),
        bits >> 31,
        exponent(i64::from(bits >> 23 & 0xff), 0xff, 127),
        bits & 0x7f_ffff,
    )
}

fn double(text: &str, value: f64) -> String {
    let bits = value.to_bits();
    format!(
        "```ptx\n{text}\n```\n`.f64` {}{}\n\n`0d{bits:016X}`: sign {}, exponent {}, fraction {:#015x}",
        number(value, &format!("{value:?}")),
        class(value.classify()),
        bits >> 63,
        exponent((bits >> 52 & 0x7ff) as i64, 0x7ff, 1023),
        bits & 0xf_ffff_ffff_ffff,
    )
}

fn number(value: f64, text: &str) -> String {
    if value.is_nan() {
        return "not a number".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 {
            "+infinity"
        } else {
            "-infinity"
        }
        .to_owned();
    }
    for (known, name) in [
        (std::f64::consts::PI, "π"),
        (std::f64::consts::LOG2_E, "log2(e)"),
        (std::f64::consts::LN_2, "ln(2)"),
    ] {
        if (value.abs() - known).abs() < 1e-6 {
            let sign = if value < 0.0 { "-" } else { "" };
            return format!("{text}, about {sign}{name}");
        }
    }
    text.to_owned()
}

fn exponent(biased: i64, most: i64, bias: i64) -> String {
    match biased {
        0 => "0 (zero or subnormal)".to_owned(),
        it if it == most => "all ones".to_owned(),
        it => (it - bias).to_string(),
    }
}

fn class(class: std::num::FpCategory) -> &'static str {
    match class {
        std::num::FpCategory::Subnormal => ", subnormal: `.ftz` makes it 0",
        _ => "",
    }
}

/// The operation of a `lop3` table: a is 0xF0, b is 0xCC, c is 0xAA.
fn truth_table(table: u8) -> String {
    let mut out =
        "`lop3` table, the bit at `a*4 + b*2 + c`:\n\n| a | b | c | result |\n|---|---|---|---|\n"
            .to_owned();
    for row in 0..8u8 {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            row >> 2,
            row >> 1 & 1,
            row & 1,
            table >> row & 1
        );
    }
    let _ = write!(out, "\n`{}`", expression(table));
    out
}

/// A Boolean expression for a table of three variables: the shortest of a search, else a sum of products.
fn expression(table: u8) -> String {
    const A: u8 = 0xf0;
    const B: u8 = 0xcc;
    const C: u8 = 0xaa;
    // Terms of one and two variables.
    let mut terms: Vec<(u8, String)> = vec![
        (0, "0".to_owned()),
        (255, "1".to_owned()),
        (A, "a".to_owned()),
        (B, "b".to_owned()),
        (C, "c".to_owned()),
        (!A, "~a".to_owned()),
        (!B, "~b".to_owned()),
        (!C, "~c".to_owned()),
    ];
    let simple = |term: &str| term.len() <= 2;
    let mut level = terms.clone();
    for _ in 0..2 {
        let mut next: Vec<(u8, String)> = Vec::new();
        for (x, left) in &level {
            for (y, right) in &terms[..8] {
                for (operator, value) in [("&", x & y), ("|", x | y), ("^", x ^ y)] {
                    let known = |list: &[(u8, String)]| list.iter().any(|it| it.0 == value);
                    if known(&terms) || known(&next) || !simple(right) {
                        continue;
                    }
                    let left = if simple(left) {
                        left.clone()
                    } else {
                        format!("({left})")
                    };
                    next.push((value, format!("{left} {operator} {right}")));
                }
            }
        }
        terms.extend(next.iter().cloned());
        level = next;
    }
    // Two terms of two variables each.
    if let Some((_, found)) = terms.iter().find(|it| it.0 == table) {
        return found.clone();
    }
    for (x, left) in &terms {
        for (y, right) in &terms {
            for (operator, value) in [("&", x & y), ("|", x | y), ("^", x ^ y)] {
                if value == table {
                    return format!("({left}) {operator} ({right})");
                }
            }
        }
    }
    let products = (0..8u8).filter(|it| table >> it & 1 == 1).map(|row| {
        let part = |bit: u8, name: &str| {
            if row >> bit & 1 == 1 {
                name.to_owned()
            } else {
                format!("~{name}")
            }
        };
        format!("({} & {} & {})", part(2, "a"), part(1, "b"), part(0, "c"))
    });
    products.collect::<Vec<_>>().join(" | ")
}

/// The bytes that a `prmt` selector takes.
fn permutation(selector: u16) -> String {
    let mut out = "`prmt` selector, from the highest byte of the result:".to_owned();
    for byte in (0..4).rev() {
        let nibble = selector >> (4 * byte) & 0xf;
        let source = if nibble & 7 < 4 { "a" } else { "b" };
        let sign = if nibble & 8 == 0 {
            ""
        } else {
            ", its sign eight times"
        };
        let _ = write!(
            out,
            "\n- byte {byte}: byte {} of `{source}`{sign}",
            nibble & 3
        );
    }
    out
}

/// The bytes of the result of a selector of `prmt` without a mode, from the highest: `{a.b1, b.b0, …}`.
pub(super) fn selected_bytes(selector: u16) -> String {
    let byte = |byte: u16| {
        let nibble = selector >> (4 * byte) & 0xf;
        let source = if nibble & 7 < 4 { "a" } else { "b" };
        let sign = if nibble & 8 == 0 { "" } else { "sign of " };
        format!("{sign}{source}.b{}", nibble & 3)
    };
    let bytes: Vec<String> = (0..4).rev().map(byte).collect();
    format!(
        "the bytes of the result, highest first: `{{{}}}`",
        bytes.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_lop3_become_expressions() {
        for (table, expected) in [
            (0x80, "(a & b) & c"),
            (0xfe, "(a | b) | c"),
            (0x96, "(a ^ b) ^ c"),
            (0xf0, "a"),
            (0x3c, "a ^ b"),
            (0x00, "0"),
            (0xff, "1"),
        ] {
            assert_eq!(expression(table), expected, "{table:#x}");
        }
    }

    /// Evaluates an expression on the columns of the table, left to right within brackets.
    fn value(text: &str) -> u8 {
        fn sum(rest: &mut &str) -> u8 {
            let mut left = atom(rest);
            loop {
                let mut chars = rest.trim_start().chars();
                let Some(operator @ ('&' | '|' | '^')) = chars.next() else {
                    return left;
                };
                *rest = chars.as_str();
                let right = atom(rest);
                left = match operator {
                    '&' => left & right,
                    '|' => left | right,
                    _ => left ^ right,
                };
            }
        }
        fn atom(rest: &mut &str) -> u8 {
            let mut chars = rest.trim_start().chars();
            let first = chars.next().expect("an atom");
            *rest = chars.as_str();
            match first {
                'a' => 0xf0,
                'b' => 0xcc,
                'c' => 0xaa,
                '0' => 0,
                '1' => 255,
                '~' => !atom(rest),
                '(' => {
                    let value = sum(rest);
                    *rest = rest.trim_start().strip_prefix(')').expect("a bracket");
                    value
                }
                other => panic!("{other}"),
            }
        }
        sum(&mut &text[..])
    }

    #[test]
    fn every_table_has_an_expression_with_its_value() {
        for table in 0..=255u8 {
            let text = expression(table);
            assert_eq!(value(&text), table, "{text}");
        }
    }

    #[test]
    fn literals() {
        let shown = |text| describe(text, None).unwrap();
        assert!(shown("0f3F800000").contains("`.f32` 1.0"));
        assert!(shown("0f7F800000").contains("+infinity"));
        assert!(shown("0d3FF0000000000000").contains("`.f64` 1.0"));
        assert!(shown("255").contains("0xff = 0b1111_1111"));
        assert!(shown("0xFFFFFFFF").contains("as `.s32`: -1"));
        assert!(shown("0x3F800000").contains("as bits of `.f32`: 1.0"));
        assert!(
            describe("0x5410", Some(Role::Permutation))
                .unwrap()
                .contains("byte 3: byte 1 of `b`")
        );
        assert_eq!(
            describe("0f3F8", None).map(|it| it.contains("subnormal")),
            Some(true)
        );
    }
}
