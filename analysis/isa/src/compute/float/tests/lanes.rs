//! The fast ways give what the exact one gives.

use fastrand::Rng;

use super::{cases, operands};
use crate::compute::float::{Format, Operation, Rounding, apply, apply_finite, lanes::Rounded};

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

/// Compares both ways on so many operands.
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
