//! Square roots and their reciprocals, by squares of integers.

use std::cmp::Ordering;

use fastrand::Rng;

use super::{cases, operand};
use crate::compute::float::{Format, Number, Rounding, bits};

/// Compares `mantissa`² × `factor` × 2^`exponent` with 1. `mantissa` < 2^55, `factor` < 2^53.
fn compare_square(mantissa: u64, factor: u64, exponent: i32) -> Ordering {
    let square = u128::from(mantissa) * u128::from(mantissa);
    // The product, in limbs of 64 bits.
    let low = (square & u128::from(u64::MAX)) * u128::from(factor);
    let high = (square >> 64) * u128::from(factor) + (low >> 64);
    let low = low as u64;
    let length = if high == 0 {
        64 - low.leading_zeros() as i32
    } else {
        192 - high.leading_zeros() as i32
    };
    let power_of_two = high.count_ones() + low.count_ones() == 1;
    match (length - 1 + exponent).cmp(&0) {
        Ordering::Equal if !power_of_two => Ordering::Greater,
        it => it,
    }
}

/// The mantissa and exponent of a positive finite number.
fn parts(format: Format, value: u64) -> (u64, i32) {
    let layout = format.layout().expect("a floating-point format");
    let code = value >> layout.padding;
    let (exponent, fraction) = (code >> layout.fraction, code & ((1 << layout.fraction) - 1));
    let hidden = u64::from(exponent != 0) << layout.fraction;
    (
        fraction | hidden,
        exponent.max(1) as i32 - layout.bias() - layout.fraction as i32,
    )
}

/// `root` is right if the true value is between it, or the middle to its neighbours, and its neighbour. `compare`
/// compares the square of mantissa × 2^exponent with what it should be.
fn assert_root(
    format: Format,
    rounding: Rounding,
    root: u64,
    compare: impl Fn(u64, i32) -> Ordering,
    message: &str,
) {
    let layout = format.layout().expect("a floating-point format");
    let unit = 1 << layout.padding;
    let at = |value| {
        let (mantissa, exponent) = parts(format, value);
        compare(mantissa, exponent)
    };
    let middle = |below: u64| {
        let (mantissa, exponent) = parts(format, below);
        compare(2 * mantissa + 1, exponent - 1)
    };
    match rounding {
        Rounding::TowardZero | Rounding::Down => {
            assert!(at(root).is_le() && at(root + unit).is_gt(), "{message}");
        }
        Rounding::Up => assert!(at(root).is_ge() && at(root - unit).is_lt(), "{message}"),
        _ => assert!(
            middle(root - unit).is_lt() && middle(root).is_gt(),
            "{message}"
        ),
    }
}

#[test]
fn square_roots() {
    let mut rng = Rng::with_seed(6);
    for format in [
        Format::F16,
        Format::Bf16,
        Format::Tf32,
        Format::F32,
        Format::F64,
    ] {
        for rounding in [
            Rounding::NearestEven,
            Rounding::TowardZero,
            Rounding::Down,
            Rounding::Up,
        ] {
            for _ in 0..cases() {
                let mut value = bits::with_sign(format, operand(&mut rng, format), false);
                if rng.u8(..4) == 0 {
                    // Squares, and their neighbours.
                    let number = Number::decode(format, value);
                    value = (number * number).round(format, rounding);
                }
                if bits::is_nan(format, value)
                    || value == 0
                    || value == bits::infinity(format, false)
                {
                    continue;
                }
                let (mantissa, exponent) = parts(format, value);
                let number = Number::decode(format, value);

                // root² = value: root² × 2^k = mantissa × 2^exponent, by a comparison of integers.
                let root = number.sqrt().round(format, rounding);
                let square = |m: u64, e: i32| {
                    let square = u128::from(m) * u128::from(m);
                    let distance = 2 * e - exponent;
                    let mantissa = u128::from(mantissa);
                    let bits = |it: u128| 128 - it.leading_zeros() as i32;
                    match (bits(square) + distance).cmp(&bits(mantissa)) {
                        Ordering::Equal if distance <= 0 => square.cmp(&(mantissa << -distance)),
                        Ordering::Equal => (square << distance).cmp(&mantissa),
                        it => it,
                    }
                };
                assert_root(
                    format,
                    rounding,
                    root,
                    square,
                    &format!("√ of {format:?} {value:#x}, {rounding:?}"),
                );

                // root² × value = 1, and no root is subnormal or beyond the largest number.
                let root = number.reciprocal_sqrt().round(format, rounding);
                let product = |m: u64, e: i32| compare_square(m, mantissa, 2 * e + exponent);
                assert_root(
                    format,
                    rounding,
                    root,
                    product,
                    &format!("1/√ of {format:?} {value:#x}, {rounding:?}"),
                );
            }
        }
    }
}

#[test]
fn roots_of_what_is_not_positive() {
    for (value, root, reciprocal) in [
        (0.0, 0.0, f64::INFINITY),
        (-0.0, -0.0, f64::NEG_INFINITY),
        (f64::INFINITY, f64::INFINITY, 0.0),
        (f64::NEG_INFINITY, f64::NAN, f64::NAN),
        (-1.0, f64::NAN, f64::NAN),
        (f64::NAN, f64::NAN, f64::NAN),
    ] {
        let number = Number::from_f64(value);
        let bits = |it: f64| {
            if it.is_nan() {
                bits::canonical_nan(Format::F64)
            } else {
                it.to_bits()
            }
        };
        assert_eq!(number.sqrt().to_f64().to_bits(), bits(root), "√{value}");
        assert_eq!(
            number.reciprocal_sqrt().to_f64().to_bits(),
            bits(reciprocal),
            "1/√{value}"
        );
    }
}
