//! Judges of the arithmetic: APFloat, exact integers, ml_dtypes.
//!
//! Seeds are fixed. `PTX_FLOAT_CASES=200000 cargo test --release -p ptx-analyzer-isa float` draws more operands than
//! the gate does: more than 1,000,000 for each rounding mode and format.

mod apfloat;
mod functions;
mod lanes;
mod narrow;
mod roots;

use fastrand::Rng;

use super::{Format, bits};

/// Operands of each operation, rounding mode and format.
fn cases() -> usize {
    std::env::var("PTX_FLOAT_CASES")
        .map_or(3_500, |it| it.parse().expect("PTX_FLOAT_CASES is a number"))
}

/// Bits of the format: edge values, numbers near 1 with few or many bits set, and any.
fn operand(rng: &mut Rng, format: Format) -> u64 {
    let layout = format.layout().expect("a floating-point format");
    let sign = rng.u64(..) & layout.sign();
    let fraction = {
        let ones = (1_u64 << layout.fraction) - 1;
        let bit = 1_u64 << rng.u32(0..=layout.fraction);
        ones & match rng.u8(..6) {
            0 => bit,
            1 => bit - 1,
            2 => !(bit - 1),
            3 => !bit,
            4 => 1 | bit,
            _ => rng.u64(..),
        }
    };
    let code = match rng.u8(..8) {
        0 => [
            0,
            1,
            layout.infinity(),
            layout.largest(),
            1 << layout.fraction,
            (1 << layout.fraction) - 1,
            layout.magnitude(),
        ][rng.usize(..7)],
        1 => fraction,
        2..5 => {
            let exponent = layout.bias() + rng.i32(-3..=3);
            (exponent.max(0) as u64) << layout.fraction | fraction
        }
        5 => rng.u64(..) << layout.fraction | fraction,
        _ => rng.u64(..),
    };
    (sign | code & layout.magnitude()) << layout.padding
}

/// Operands of one operation; later ones are often near earlier ones, so that differences cancel.
fn operands<const N: usize>(rng: &mut Rng, formats: [Format; N]) -> [u64; N] {
    let mut values = [0; N];
    for (index, format) in formats.into_iter().enumerate() {
        values[index] = operand(rng, format);
        if index > 0 && format == formats[index - 1] && rng.u8(..4) == 0 {
            let near = values[index - 1].wrapping_add_signed(rng.i64(-2..=2));
            values[index] = bits::with_sign(format, near, rng.bool());
        }
    }
    values
}

/// The bits, with one NaN for all.
fn canonical(format: Format, value: u64) -> u64 {
    if bits::is_nan(format, value) {
        bits::canonical_nan(format)
    } else {
        value
    }
}
