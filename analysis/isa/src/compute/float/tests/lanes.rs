//! The fast ways give what the exact one gives.

use fastrand::Rng;

use super::{cases, operands};
use crate::compute::float::{
    Format, Number, Operation, Rounding, apply, apply_finite, bits, operation::Rounded,
};

const OPERATIONS: [Operation; 7] = [
    Operation::Convert,
    Operation::Add,
    Operation::Subtract,
    Operation::Multiply,
    Operation::MultiplyAdd,
    Operation::Divide,
    Operation::SquareRoot,
];

const MODES: [Rounding; 6] = [
    Rounding::NearestEven,
    Rounding::NearestAway,
    Rounding::TowardZero,
    Rounding::Down,
    Rounding::Up,
    Rounding::Stochastic {
        bits: 0x155,
        count: 10,
    },
];

/// Compares `apply` with [`Number`] on this many operands.
fn compare(
    rng: &mut Rng,
    op: Operation,
    formats: [Format; 3],
    to: Format,
    rounding: Rounding,
    count: usize,
) {
    const LANES: usize = 4;
    for _ in 0..count / LANES {
        let mut values = [[0; LANES]; 3];
        for lane in 0..LANES {
            let drawn = operands(rng, formats);
            for (values, drawn) in values.iter_mut().zip(drawn) {
                values[lane] = drawn;
            }
        }
        let values = values.each_ref();
        let formats = &formats[..op.operands()];
        for finite in [false, true] {
            let (mut fast, mut slow) = ([0; LANES], [0; LANES]);
            let function = if finite { apply_finite } else { apply };
            function(op, formats, to, rounding, &values, &mut fast);
            Rounded {
                op,
                formats,
                to,
                rounding,
                finite,
            }
            .exact(&values[..op.operands()], &mut slow);
            assert_eq!(
                fast, slow,
                "{op:?} of {formats:?} {values:#x?} to {to:?}, {rounding:?}, finite: {finite}"
            );
        }
    }
}

#[test]
fn one_format() {
    let mut rng = Rng::with_seed(10);
    for format in [
        Format::F16,
        Format::Bf16,
        Format::Tf32,
        Format::F32,
        Format::F64,
    ] {
        for op in OPERATIONS {
            for rounding in MODES {
                compare(&mut rng, op, [format; 3], format, rounding, cases() / 2);
            }
        }
    }
}

#[test]
fn any_formats() {
    let mut rng = Rng::with_seed(11);
    let formats: Vec<Format> = Format::ALL
        .into_iter()
        .filter(|it| *it != Format::S2f6)
        .collect();
    for op in OPERATIONS {
        for rounding in MODES {
            for _ in 0..cases() / 4 {
                let mut format = || formats[rng.usize(..formats.len())];
                let (from, to) = ([format(), format(), format()], format());
                compare(&mut rng, op, from, to, rounding, 4);
            }
        }
    }
}

/// Sums next to the midpoint of two numbers, where double rounding shows, and sums with cancellation near the range limits.
#[test]
fn sums_at_the_edge() {
    let mut rng = Rng::with_seed(13);
    for (format, digits) in [(Format::F32, 24), (Format::F64, 53)] {
        let exact = |value: Number| value.round(format, Rounding::NearestEven);
        let power = |exponent: i32| Number::from_unsigned(1).scale_by_power(exponent);
        let one = power(0);
        for k in 1..digits {
            // (1 + ε)(1 - ε) = 1 - ε².
            let factor = [one + power(-k), (one - power(-k)).scale_by_power(-digits)];
            for addend in [
                one,
                one + power(1 - digits),
                one + power(2 - digits),
                one - power(-digits),
            ] {
                let values = [factor[0], factor[1], addend].map(exact);
                for signs in 0..8_u64 {
                    let value =
                        |it: usize| [bits::with_sign(format, values[it], signs >> it & 1 != 0)];
                    assert_exact(format, [value(0), value(1), value(2)]);
                }
            }
        }
        for _ in 0..cases() {
            let [a, b] = if rng.bool() {
                operands(&mut rng, [format; 2])
            } else {
                // The product is normal, but not all of its parts are.
                let scale = rng.i32(400..600);
                [-scale, scale - rng.i32(850..1022)].map(|exponent| {
                    let fraction = rng.u64(..) >> 12;
                    let number = Number::from_f64(f64::from_bits(1_f64.to_bits() | fraction));
                    exact(number.scale_by_power(exponent))
                })
            };
            let product = Number::decode(format, a) * Number::decode(format, b);
            let near = exact(-product).wrapping_add_signed(rng.i64(-2..=2));
            assert_exact(format, [[a], [b], [near]]);
        }
    }
}

fn assert_exact(format: Format, values: [[u64; 1]; 3]) {
    let values = values.each_ref();
    for rounding in MODES {
        let (mut fast, mut slow) = ([0], [0]);
        let (op, formats) = (Operation::MultiplyAdd, &[format; 3]);
        apply(op, formats, format, rounding, &values, &mut fast);
        Rounded {
            op,
            formats,
            to: format,
            rounding,
            finite: false,
        }
        .exact(&values, &mut slow);
        assert_eq!(fast, slow, "{values:#x?} of {format:?}, {rounding:?}");
    }
}

/// Sums that are in the middle of two numbers of binary32, or nearer to it than binary64 can show.
#[test]
fn middles_of_binary32() {
    let mut rng = Rng::with_seed(13);
    let f32s = [Format::F32; 3];
    for count in 0..cases() {
        let mut values = [[0; 4]; 3];
        for lane in 0..4 {
            // (1 + d) (1 - d) is 1 - d², which is a half of the last bit of the addend or nearly so.
            let d = (-rng.i32(1..=23) as f32).exp2();
            let exponent = match count % 3 {
                0 => rng.i32(-149..=-120),
                _ => rng.i32(-60..=60),
            };
            let scale = (exponent as f32).exp2();
            let addend = match rng.u32(..3) {
                0 => f32::from_bits(rng.u32(0x0000_0000..0x0100_0000)),
                1 => scale * (rng.u32(0x80_0000..0x100_0000) as f32) * 2.0,
                _ => -scale * (rng.u32(0x80_0000..0x100_0000) as f32) * 2.0,
            };
            let scale = match rng.u32(..3) {
                0 => scale / 2.0,
                1 => -scale,
                _ => scale,
            };
            let drawn = [(1.0 + d) * scale, 1.0 - d, addend];
            for (values, drawn) in values.iter_mut().zip(drawn) {
                values[lane] = drawn.to_bits().into();
            }
        }
        let values = values.each_ref();
        let (mut fast, mut slow) = ([0; 4], [0; 4]);
        let (op, mode) = (Operation::MultiplyAdd, Rounding::NearestEven);
        apply(op, &f32s, Format::F32, mode, &values, &mut fast);
        let exact = Rounded {
            op,
            formats: &f32s,
            to: Format::F32,
            rounding: mode,
            finite: false,
        };
        exact.exact(&values, &mut slow);
        assert_eq!(fast, slow, "{values:#x?}");
    }
}
