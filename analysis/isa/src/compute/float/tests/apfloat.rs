//! APFloat of LLVM, in Rust, judges the five rounding modes of IEEE 754.

use std::fmt::Debug;

use fastrand::Rng;
use rustc_apfloat::{
    Float, FloatConvert, Round,
    ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Quad, Single},
};

use super::{canonical, cases, operand, operands};
use crate::compute::float::{Format, Number, Operation, Rounding, bits};

const MODES: [(Rounding, Round); 5] = [
    (Rounding::NearestEven, Round::NearestTiesToEven),
    (Rounding::NearestAway, Round::NearestTiesToAway),
    (Rounding::TowardZero, Round::TowardZero),
    (Rounding::Down, Round::TowardNegative),
    (Rounding::Up, Round::TowardPositive),
];

/// An APFloat type and the format of the same bits.
trait Judge: Float + Debug {
    const FORMAT: Format;

    fn read(bits: u64) -> Self {
        Self::from_bits(u128::from(bits))
    }

    fn code(self) -> u64 {
        canonical(Self::FORMAT, self.to_bits() as u64)
    }
}

macro_rules! judges {
    ($($ty:ident = $format:ident),*) => {
        $(impl Judge for $ty {
            const FORMAT: Format = Format::$format;
        })*

        fn for_each_format(visitor: &mut impl Visitor) {
            $(visitor.visit::<$ty>();)*
        }

        #[test]
        fn conversions() {
            macro_rules! from {
                ($from:ident) => {{
                    $(conversion::<$from, $ty>();)*
                }};
            }
            $(from!($ty);)*
        }
    };
}

judges!(
    Half = F16,
    BFloat = Bf16,
    Single = F32,
    Double = F64,
    Float8E4M3FN = E4m3,
    Float8E5M2 = E5m2
);

/// Fails if the number, rounded, is not what the judge says.
fn assert_rounded<F: Judge>(
    number: Number,
    rounding: Rounding,
    expected: F,
    what: impl Fn() -> String,
) {
    let actual = number.round(F::FORMAT, rounding);
    // The judge confuses the signs of numbers beyond -448 that it rounds down or up.
    if F::FORMAT == Format::E4m3
        && matches!(rounding, Rounding::Down | Rounding::Up)
        && number.is_negative()
        && !number.is_infinite()
        && number.abs().compare(&Number::largest(F::FORMAT)) == Some(std::cmp::Ordering::Greater)
    {
        let stays = rounding == Rounding::Up;
        assert_eq!(
            actual,
            if stays { 0xfe } else { 0x7f },
            "{} to e4m3, {rounding:?}",
            what()
        );
        return;
    }
    assert_eq!(
        actual,
        expected.code(),
        "{} to {:?}, {rounding:?}",
        what(),
        F::FORMAT
    );
}

trait Visitor {
    fn visit<F: Judge>(&mut self);
}

fn conversion<A: Judge + FloatConvert<B>, B: Judge>() {
    let mut rng = Rng::with_seed(1);
    for (rounding, mode) in MODES {
        for _ in 0..cases() / 6 {
            let value = operand(&mut rng, A::FORMAT);
            let expected = A::read(value).convert_r(mode, &mut false).value;
            let number = Number::decode(A::FORMAT, value);
            assert_rounded(number, rounding, expected, || {
                format!("{:?} {value:#x}", A::FORMAT)
            });
        }
    }
}

#[test]
fn arithmetic() {
    struct Arithmetic;
    impl Visitor for Arithmetic {
        fn visit<F: Judge>(&mut self) {
            let mut rng = Rng::with_seed(2);
            for (rounding, mode) in MODES {
                for _ in 0..cases() {
                    let values = operands(&mut rng, [F::FORMAT; 3]);
                    let [a, b, c] = values.map(F::read);
                    let numbers = values.map(|it| Number::decode(F::FORMAT, it));
                    for (operation, expected) in [
                        (Operation::Add, a.add_r(b, mode)),
                        (Operation::Subtract, a.sub_r(b, mode)),
                        (Operation::Multiply, a.mul_r(b, mode)),
                        (Operation::Divide, a.div_r(b, mode)),
                        (Operation::MultiplyAdd, a.mul_add_r(b, c, mode)),
                    ] {
                        let number = operation.exact(&numbers);
                        assert_rounded(number, rounding, expected.value, || {
                            format!("{operation:?} of {values:#x?}")
                        });
                    }
                }
            }
        }
    }
    for_each_format(&mut Arithmetic);
}

/// Sums and products of narrow operands in `f32`: there the operands are exact.
#[test]
fn mixed_formats() {
    let single = |format: Format, value: u64| {
        let mut lost = false;
        let value = u128::from(value);
        let wide: Single = match format {
            Format::F16 => Half::from_bits(value).convert(&mut lost).value,
            Format::Bf16 => BFloat::from_bits(value).convert(&mut lost).value,
            _ => Single::from_bits(value),
        };
        wide
    };
    let mut rng = Rng::with_seed(3);
    for (rounding, mode) in MODES {
        for narrow in [Format::F16, Format::Bf16] {
            for _ in 0..cases() {
                let formats = [narrow, narrow, Format::F32];
                let values = operands(&mut rng, formats);
                let numbers = [0, 1, 2].map(|it| Number::decode(formats[it], values[it]));
                let [a, b, c] = [0, 1, 2].map(|it| single(formats[it], values[it]));
                for (actual, expected) in [
                    (numbers[0] + numbers[2], a.add_r(c, mode)),
                    (numbers[2] - numbers[0], c.sub_r(a, mode)),
                    (numbers[0] * numbers[1], a.mul_r(b, mode)),
                    (
                        numbers[0].mul_add(numbers[1], numbers[2]),
                        a.mul_add_r(b, c, mode),
                    ),
                ] {
                    let actual = actual.round(Format::F32, rounding);
                    assert_eq!(
                        actual,
                        expected.value.code(),
                        "{narrow:?} {values:#x?}, {rounding:?}"
                    );
                }
            }
        }
    }
}

/// Operands of 113 bits, through binary128: rounding twice in one direction is rounding once.
#[test]
fn long_operands() {
    let mut rng = Rng::with_seed(12);
    for (rounding, mode) in MODES {
        if matches!(rounding, Rounding::NearestEven | Rounding::NearestAway) {
            continue;
        }
        for _ in 0..cases() {
            let integers = [(); 2].map(|()| {
                let integer = rng.i128(..) >> (15 + rng.u32(..100));
                // Few bits, so that quotients and products are exact at times.
                if rng.u8(..4) == 0 {
                    integer >> 40 << 40
                } else {
                    integer
                }
            });
            let [a, b] = integers.map(|it| Quad::from_i128(it).value);
            let [x, y] = integers.map(Number::from_signed);
            for (actual, expected) in [
                (x + y, a.add_r(b, mode)),
                (x - y, a.sub_r(b, mode)),
                (x * y, a.mul_r(b, mode)),
                (x / y, a.div_r(b, mode)),
            ] {
                let expected: Double = expected.value.convert_r(mode, &mut false).value;
                assert_eq!(
                    actual.round(Format::F64, rounding),
                    expected.code(),
                    "{integers:?}, {rounding:?}"
                );
            }
        }
    }
}

#[test]
fn integers() {
    struct Integers;
    impl Visitor for Integers {
        fn visit<F: Judge>(&mut self) {
            let mut rng = Rng::with_seed(4);
            for (rounding, mode) in MODES {
                for _ in 0..cases() {
                    let integer = rng.i128(..) >> rng.u32(..128);
                    let integer = if rng.bool() {
                        integer
                    } else {
                        integer >> 64 << rng.u32(..64)
                    };
                    assert_eq!(
                        Number::from_signed(integer).round(F::FORMAT, rounding),
                        F::from_i128_r(integer, mode).value.code(),
                        "{integer} to {:?}, {rounding:?}",
                        F::FORMAT
                    );
                    assert_eq!(
                        Number::from_unsigned(integer as u128).round(F::FORMAT, rounding),
                        F::from_u128_r(integer as u128, mode).value.code(),
                        "{} to {:?}, {rounding:?}",
                        integer as u128,
                        F::FORMAT
                    );

                    let value = operand(&mut rng, F::FORMAT);
                    let number = Number::decode(F::FORMAT, value).to_integral(rounding);
                    assert_eq!(
                        number.round(F::FORMAT, Rounding::TowardZero),
                        F::read(value).round_to_integral(mode).value.code(),
                        "integral {value:#x} of {:?}, {rounding:?}",
                        F::FORMAT
                    );
                    // The judge saturates, and has 0 for NaN.
                    let expected = F::read(value).to_i128_r(128, mode, &mut false).value;
                    assert_eq!(
                        number.to_integer().unwrap_or(0),
                        expected,
                        "{value:#x} of {:?}",
                        F::FORMAT
                    );
                }
            }
        }
    }
    for_each_format(&mut Integers);
}

#[test]
fn comparisons() {
    struct Comparisons;
    impl Visitor for Comparisons {
        fn visit<F: Judge>(&mut self) {
            let mut rng = Rng::with_seed(5);
            for _ in 0..cases() {
                let values = operands(&mut rng, [F::FORMAT; 2]);
                let [a, b] = values.map(F::read);
                let expected = a.partial_cmp(&b);
                assert_eq!(
                    bits::compare(F::FORMAT, values[0], values[1]),
                    expected,
                    "{:?} {values:#x?}",
                    F::FORMAT
                );
                let numbers = values.map(|it| Number::decode(F::FORMAT, it));
                for (actual, number, expected) in [
                    (
                        bits::minimum(F::FORMAT, values[0], values[1]),
                        numbers[0].minimum(numbers[1]),
                        lesser(a, b),
                    ),
                    (
                        bits::maximum(F::FORMAT, values[0], values[1]),
                        numbers[0].maximum(numbers[1]),
                        -lesser(-a, -b),
                    ),
                ] {
                    let message = format!("{:?} {values:#x?}", F::FORMAT);
                    assert_eq!(canonical(F::FORMAT, actual), expected.code(), "{message}");
                    assert_eq!(
                        number.round(F::FORMAT, Rounding::TowardZero),
                        expected.code(),
                        "{message}"
                    );
                }
            }
        }
    }
    /// `minimum` of IEEE 754-2019 but for NaN, which loses.
    fn lesser<F: Judge>(a: F, b: F) -> F {
        if a.is_nan() {
            b
        } else if b.is_nan() {
            a
        } else {
            a.minimum(b)
        }
    }
    for_each_format(&mut Comparisons);
}
