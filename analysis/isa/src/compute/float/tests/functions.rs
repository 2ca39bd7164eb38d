//! Functions on bits, rounding with random bits, fixed point and the approximations.

use fastrand::Rng;

use super::{cases, operand};
use crate::compute::float::{Class, Format, Number, Rounding, binary32, bits};

const NARROW: [Format; 4] = [Format::F16, Format::Bf16, Format::E4m3, Format::E5m2];

/// The value of a format of at most 32 bits in binary64, which has all of them.
fn value(format: Format, code: u64) -> f64 {
    Number::decode(format, code).to_f64()
}

#[test]
fn formats_have_the_names_of_types() {
    for format in Format::ALL {
        assert_eq!(Format::from_word(format.word()), Some(format));
    }
    assert_eq!(Format::from_word("f8"), None);
}

/// Every code of the narrow formats, by the values in binary64.
#[test]
fn functions_on_all_codes() {
    for format in NARROW {
        for code in 0..1_u64 << format.bits() {
            let it = value(format, code);
            let exact = |result: f64| Number::from_f64(result).round(format, Rounding::TowardZero);
            let message = format!("{format:?} {code:#x}");
            assert_eq!(bits::is_nan(format, code), it.is_nan(), "{message}");
            assert_eq!(
                bits::sign(format, code),
                code >> (format.bits() - 1) != 0,
                "{message}"
            );
            let magnitude = code & ((1 << (format.bits() - 1)) - 1);
            assert_eq!(bits::with_sign(format, code, false), magnitude, "{message}");
            assert_eq!(
                bits::with_sign(format, code, true),
                magnitude | 1 << (format.bits() - 1),
                "{message}"
            );
            assert_eq!(
                bits::saturate(format, code),
                exact(if it > 0.0 { it.min(1.0) } else { 0.0 }),
                "{message}"
            );
            let least = 2_f64.powi(format.layout().expect("a layout").least_exponent());
            let class = match it {
                _ if it.is_nan() => Class::Nan,
                _ if it.is_infinite() => Class::Infinite,
                0.0 => Class::Zero,
                _ if it.abs() < least => Class::Subnormal,
                _ => Class::Normal,
            };
            assert_eq!(bits::classify(format, code), class, "{message}");
            if it.is_nan() {
                for function in [bits::relu, bits::finite, bits::positive_zero, bits::flush] {
                    assert_eq!(function(format, code), code, "{message}");
                }
                continue;
            }
            assert_eq!(
                bits::relu(format, code),
                if it.is_sign_negative() { 0 } else { code },
                "{message}"
            );
            let largest = Number::largest(format).to_f64();
            assert_eq!(
                bits::finite(format, code),
                exact(it.clamp(-largest, largest)),
                "{message}"
            );
            assert_eq!(
                bits::positive_zero(format, code),
                if it == 0.0 { 0 } else { code },
                "{message}"
            );
            let flushed = format == Format::F16 && it.abs() < least;
            assert_eq!(
                bits::flush(format, code),
                if flushed {
                    exact(0.0_f64.copysign(it))
                } else {
                    code
                },
                "{message}"
            );
        }
    }
}

#[test]
fn functions_of_wide_formats() {
    let single = Format::F32;
    assert_eq!(bits::flush(single, 0x8000_0001), 0x8000_0000);
    assert_eq!(bits::flush(single, 0x0080_0000), 0x0080_0000);
    assert_eq!(bits::flush(Format::F64, 1), 0);
    assert_eq!(bits::saturate(single, 0xffc0_0000), 0);
    assert_eq!(
        bits::saturate(Format::F64, 2_f64.to_bits()),
        1_f64.to_bits()
    );
    assert_eq!(bits::finite(single, 0xff80_0000), 0xff7f_ffff);
    assert_eq!(bits::finite(Format::Tf32, 0x7f80_0000), 0x7f7f_e000);
    assert_eq!(bits::with_sign(single, 0x7fc0_1234, true), 0xffc0_1234);
    assert_eq!(bits::minimum(single, 0x7fc0_0001, 0x8000_0000), 0x8000_0000);
    assert_eq!(bits::maximum(single, 0x7fc0_0001, 0xffc0_0000), 0x7fff_ffff);
    assert_eq!(bits::minimum(Format::S2f6, 0x80, 0x7f), 0x80);
    assert_eq!(bits::classify(single, 0x007f_ffff), Class::Subnormal);
}

/// The functions for binary32 alone give what those for all formats give.
#[test]
fn functions_of_binary32() {
    let mut rng = Rng::with_seed(17);
    let format = Format::F32;
    let round = |it: Number| it.round(format, Rounding::NearestEven);
    for _ in 0..cases() {
        let (a, b) = (operand(&mut rng, format), operand(&mut rng, format));
        let b = [b, b, a, a ^ 1 << 31][rng.usize(..4)];
        let message = format!("{a:#x} {b:#x}");
        let (x, y) = (a, b);
        assert_eq!(
            binary32::minimum(x, y),
            bits::minimum(format, a, b),
            "{message}"
        );
        assert_eq!(
            binary32::maximum(x, y),
            bits::maximum(format, a, b),
            "{message}"
        );
        assert_eq!(binary32::flush(a), bits::flush(format, a), "{message}");
        for unordered in [false, true] {
            let less = bits::compare(format, a, b).map_or(unordered, std::cmp::Ordering::is_lt);
            let unequal = bits::compare(format, a, b).map_or(unordered, std::cmp::Ordering::is_ne);
            let compare = |holds: fn(f32, f32) -> bool| binary32::compare(a, b, unordered, holds);
            assert_eq!(compare(|a, b| a < b), u64::from(less), "{message}");
            assert_eq!(compare(|a, b| a != b), u64::from(unequal), "{message}");
        }
        let integer = rng.u64(..) >> rng.u32(..64);
        let unsigned = round(Number::from_unsigned(integer.into()));
        assert_eq!(binary32::from_unsigned(integer), unsigned, "{integer}");
        let signed = integer.cast_signed() >> rng.u32(..64);
        let expected = round(Number::from_signed(signed.into()));
        assert_eq!(binary32::from_signed(signed), expected, "{signed}");
        let number = Number::decode(format, a);
        assert_eq!(
            binary32::function(a, libm::exp2),
            round(number.exp2()),
            "{message}"
        );
        assert_eq!(
            binary32::function(a, libm::log2),
            round(number.log2()),
            "{message}"
        );
    }
}

/// The share of random bits that carry is the discarded part.
#[test]
fn random_bits_round_in_proportion() {
    let mut rng = Rng::with_seed(7);
    for (from, to, count) in [
        (Format::F32, Format::F16, 8),
        (Format::F32, Format::E4m3, 8),
        (Format::F32, Format::E2m1, 4),
    ] {
        for _ in 0..cases() / 10 {
            let number = Number::decode(from, operand(&mut rng, from));
            if number.is_nan() {
                continue;
            }
            let results =
                (0..1 << count).map(|bits| number.round(to, Rounding::Stochastic { bits, count }));
            let below = number.round(to, Rounding::TowardZero);
            let toward = results.clone().filter(|it| *it == below).count();
            let away = if number.is_negative() {
                Rounding::Down
            } else {
                Rounding::Up
            };
            let above = number.round(to, away);
            assert!(
                results.clone().all(|it| it == below || it == above),
                "{number:?}"
            );
            // The distance from the lesser magnitude in units of 2^-count of the gap, rounded down.
            let [low, high] = [below, above].map(|it| Number::decode(to, it));
            if below != above && !high.is_infinite() && !high.is_nan() {
                let part = ((number - low) / (high - low)).scale_by_power(count as i32);
                let part = part.to_integer().expect("a number");
                assert_eq!(toward as i128, (1 << count) - part, "{number:?} to {to:?}");
            }
        }
    }
    // Without the bits that the format of the source has more, nothing carries.
    let one = Number::from_f64(1.0);
    assert_eq!(
        one.round(
            Format::E2m1,
            Rounding::Stochastic {
                bits: 255,
                count: 8
            }
        ),
        2
    );
}

#[test]
fn fixed_point() {
    for code in 0..256_u64 {
        let number = Number::decode(Format::S2f6, code);
        assert_eq!(number.to_f64(), f64::from(code as i8) / 64.0);
        for rounding in [
            Rounding::NearestEven,
            Rounding::TowardZero,
            Rounding::Down,
            Rounding::Up,
        ] {
            assert_eq!(number.round(Format::S2f6, rounding), code);
        }
    }
    for (value, nearest, down) in [
        (1.984375, 0x7f, 0x7f),
        (3.0, 0x7f, 0x7f),
        (f64::INFINITY, 0x7f, 0x7f),
        (f64::NEG_INFINITY, 0x80, 0x80),
        (1e300, 0x7f, 0x7f),
        (-2.5, 0x80, 0x80),
        (f64::NAN, 0x7f, 0x7f),
        (0.5 / 64.0, 0, 0),
        (1.5 / 64.0, 2, 1),
        (-0.5 / 64.0, 0, 0xff),
        (-1e-300, 0, 0xff),
        (-0.0, 0, 0),
    ] {
        let number = Number::from_f64(value);
        assert_eq!(
            number.round(Format::S2f6, Rounding::NearestEven),
            nearest,
            "{value}"
        );
        assert_eq!(number.round(Format::S2f6, Rounding::Down), down, "{value}");
    }
}

/// Scales: PTX rounds toward zero or up, and the sign is lost.
#[test]
fn powers_of_two() {
    for (value, toward_zero, up) in [
        (1.0, 127, 127),
        (1.5, 127, 128),
        (-3.0, 128, 129),
        (0.0, 0, 0),
        (2_f64.powi(-127), 0, 0),
        (2_f64.powi(-140), 0, 0),
        (1.5 * 2_f64.powi(-127), 0, 1),
        (2_f64.powi(127), 254, 254),
        (1.5 * 2_f64.powi(127), 254, 255),
        (2_f64.powi(128), 254, 255),
        (f64::INFINITY, 255, 255),
        (f64::NAN, 255, 255),
    ] {
        let number = Number::from_f64(value);
        assert_eq!(
            number.round(Format::Ue8m0, Rounding::TowardZero),
            toward_zero,
            "{value}"
        );
        assert_eq!(number.round(Format::Ue8m0, Rounding::Up), up, "{value}");
    }
    let infinity = Number::from_f64(f64::INFINITY);
    assert_eq!(infinity.round_finite(Format::Ue8m0, Rounding::Up), 254);
    assert_eq!(Number::NAN.round_finite(Format::Ue8m0, Rounding::Up), 255);
}

/// The 8-bit scale formats without another judge have the values of the signed format with the same fields.
#[test]
fn unsigned_formats() {
    for code in 0..0x7f {
        assert_eq!(
            value(Format::Ue4m3, code),
            value(Format::E4m3, code),
            "{code:#x}"
        );
        assert_eq!(
            (-Number::decode(Format::E4m3, code)).round(Format::Ue4m3, Rounding::NearestEven),
            code
        );
    }
    assert!(bits::is_nan(Format::Ue4m3, 0x7f) && bits::is_nan(Format::Ue5m3, 0xff));
    // 5 exponent bits, as f16: the codes are the upper part of its magnitudes.
    for code in 0..0xff_u64 {
        let expected = if code < 0xf8 {
            value(Format::F16, code << 7)
        } else {
            65536.0 * (1.0 + f64::from(code as u32 & 7) / 8.0)
        };
        assert_eq!(value(Format::Ue5m3, code), expected, "{code:#x}");
        assert_eq!(
            Number::from_f64(expected).round(Format::Ue5m3, Rounding::NearestEven),
            code
        );
    }
}

#[test]
fn narrow_overflow() {
    let big = Number::from_f64(1e30);
    for (format, rounded, finite) in [
        (Format::E4m3, 0x7f, 0x7e),
        (Format::E5m2, 0x7c, 0x7b),
        (Format::E2m3, 0x1f, 0x1f),
        (Format::E3m2, 0x1f, 0x1f),
        (Format::E2m1, 7, 7),
        (Format::F16, 0x7c00, 0x7bff),
    ] {
        assert_eq!(
            big.round(format, Rounding::NearestEven),
            rounded,
            "{format:?}"
        );
        assert_eq!(
            big.round_finite(format, Rounding::NearestEven),
            finite,
            "{format:?}"
        );
        assert_eq!(
            big.round(format, Rounding::TowardZero),
            finite,
            "{format:?}"
        );
        let sign = 1 << (format.layout().expect("a layout").magnitude().count_ones());
        assert_eq!(
            (-big).round_finite(format, Rounding::NearestEven),
            finite | sign,
            "{format:?}"
        );
    }
}

/// The error of the approximations is far below what PTX allows.
#[test]
fn approximations() {
    let mut rng = Rng::with_seed(8);
    for _ in 0..cases() {
        let code = operand(&mut rng, Format::F32);
        let number = Number::decode(Format::F32, code);
        let x = f64::from(f32::from_bits(code as u32));
        for (name, actual, expected) in [
            ("exp2", number.exp2(), x.exp2()),
            ("log2", number.log2(), x.log2()),
            ("sin", number.sin(), x.sin()),
            ("cos", number.cos(), x.cos()),
            ("tanh", number.tanh(), x.tanh()),
        ] {
            let actual = actual.to_f64();
            assert!(
                actual.to_bits() == expected.to_bits()
                    || actual.is_nan() && expected.is_nan()
                    || ((actual - expected) / expected).abs() < 1e-15,
                "{name}({x}) = {actual}, not {expected}"
            );
        }
    }
}

/// Products and quotients whose lowest bit is far below those that are kept.
#[test]
fn the_last_bit_counts() {
    let next = |value: f64| f64::from_bits(value.to_bits() + 1).to_bits();
    // (x + 1)(x² - x + 1) = x³ + 1.
    let x = 1_u128 << 43;
    let product = Number::from_unsigned(x + 1) * Number::from_unsigned(x * x - x + 1);
    assert_eq!(
        product.round(Format::F64, Rounding::Up),
        next(2_f64.powi(129))
    );
    assert_eq!(
        product.round(Format::F64, Rounding::Down),
        2_f64.powi(129).to_bits()
    );

    let divisor = (1_u128 << 64) + 1;
    let quotient = Number::from_unsigned((divisor << 62) + 1) / Number::from_unsigned(divisor);
    assert_eq!(
        quotient.round(Format::F64, Rounding::Up),
        next(2_f64.powi(62))
    );
    assert_eq!(
        quotient.round(Format::F64, Rounding::Down),
        2_f64.powi(62).to_bits()
    );

    // (2^128 - 1)² = 2^256 - 2^129 + 1.
    let largest = Number::from_unsigned(u128::MAX);
    let power = |exponent: i32| Number::from_unsigned(1).scale_by_power(exponent);
    let rest = (largest * largest - power(256)).abs();
    assert!(
        rest.compare(&power(256 - 120))
            .is_some_and(std::cmp::Ordering::is_lt),
        "{rest:?}"
    );
}
