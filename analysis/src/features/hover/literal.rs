//! Constants: their values in other notations, and as the masks that some instructions make of them.

use std::fmt::Write as _;

use isa::compute::formula;

use crate::hir::number::integer;

/// The meaning of a constant to the instruction in which it appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::features) enum Role {
    /// A truth table.
    LookUpTable,
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
        // Compilers write floats so: `-8388608` is negative infinity.
        if let Some(meaning) = as_float(u64::from(wide as u32)) {
            let _ = write!(out, "\n\nas bits of `.f32`: {meaning}");
        }
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

/// The float whose bits an integer is, if it is a common one or infinite.
fn as_float(value: u64) -> Option<String> {
    let bits = u32::try_from(value).ok()?;
    let float = f32::from_bits(bits);
    let known = bits & 0xffff == 0 && bits > 0xffff && (1e-6..1e9).contains(&float.abs());
    let text = format!("{float:?}");
    (known || float.is_infinite()).then(|| number(float.into(), &text))
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

/// The function of a truth table: a is 0xF0, b is 0xCC, c is 0xAA.
fn truth_table(table: u8) -> String {
    let mut out =
        "Truth table, the bit at `a*4 + b*2 + c`:\n\n| a | b | c | result |\n|---|---|---|---|\n"
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
    let _ = write!(out, "\n`{}`", formula(table, ["a", "b", "c"]));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        let shown = |text| describe(text, None).unwrap();
        assert!(shown("0f3F800000").contains("`.f32` 1.0"));
        assert!(shown("0f7F800000").contains("+infinity"));
        assert!(shown("0d3FF0000000000000").contains("`.f64` 1.0"));
        assert!(shown("255").contains("0xff = 0b1111_1111"));
        assert!(shown("0xFFFFFFFF").contains("as `.s32`: -1"));
        assert!(shown("0x3F800000").contains("as bits of `.f32`: 1.0"));
        assert!(shown("0xff800000").contains("as bits of `.f32`: -infinity"));
        let negated = |text| describe_negated(text).unwrap();
        assert!(negated("8388608").contains("as bits of `.f32`: -infinity"));
        assert!(!negated("1").contains("`.f32`"));
        let table = describe("0x96", Some(Role::LookUpTable)).unwrap();
        assert!(table.contains("`a ^ b ^ c`"));
        assert_eq!(
            describe("0f3F8", None).map(|it| it.contains("subnormal")),
            Some(true)
        );
    }
}
