//! The rounded operations, on one lane and on many.

use super::{
    binary64::{self, Narrow},
    format::Format,
    number::Number,
    operation::{Operation, Rounded},
    rounding::Rounding,
};

/// Computes `op` on `N` lanes: `operands` are the bits of values of `formats`, `out` those of `to`.
///
/// Random bits are the same on all lanes.
///
/// # Panics
///
/// If there are fewer operands or formats than [`Operation::operands`].
pub fn apply<const N: usize>(
    op: Operation,
    formats: &[Format],
    to: Format,
    rounding: Rounding,
    operands: &[&[u64; N]],
    out: &mut [u64; N],
) {
    Rounded {
        op,
        formats: &formats[..op.operands()],
        to,
        rounding,
        finite: false,
    }
    .apply(operands, out);
}

/// Computes as [`apply`] does, but the largest number instead of infinity: `.satfinite`.
///
/// # Panics
///
/// If there are fewer operands or formats than [`Operation::operands`].
pub fn apply_finite<const N: usize>(
    op: Operation,
    formats: &[Format],
    to: Format,
    rounding: Rounding,
    operands: &[&[u64; N]],
    out: &mut [u64; N],
) {
    Rounded {
        op,
        formats: &formats[..op.operands()],
        to,
        rounding,
        finite: true,
    }
    .apply(operands, out);
}

impl Rounded<'_> {
    fn apply<const N: usize>(self, operands: &[&[u64; N]], out: &mut [u64; N]) {
        let operands = &operands[..self.formats.len()];
        let all = |format| self.to == format && self.formats.iter().all(|it| *it == format);
        let native = self.rounding == Rounding::NearestEven && !self.finite;
        if native && all(Format::F32) {
            nearest_f32(self.op, operands, out);
        } else if native && all(Format::F64) {
            nearest_f64(self.op, operands, out);
        } else if let Some(narrow) = Narrow::new(self) {
            narrow.apply(operands, out);
        } else {
            self.exact(operands, out);
        }
    }

    /// The way that is right for everything.
    pub(super) fn exact<const N: usize>(self, operands: &[&[u64; N]], out: &mut [u64; N]) {
        let mut numbers = [Number::NAN; 3];
        for (lane, out) in out.iter_mut().enumerate() {
            for ((number, format), operand) in numbers.iter_mut().zip(self.formats).zip(operands) {
                *number = Number::decode(*format, operand[lane]);
            }
            let exact = self.op.exact(&numbers[..self.formats.len()]);
            *out = if self.finite {
                exact.round_finite(self.to, self.rounding)
            } else {
                exact.round(self.to, self.rounding)
            };
        }
    }
}

/// Sets each lane of `out` to a function of the lanes of one operand.
fn unary<const N: usize>(
    operands: &[&[u64; N]],
    out: &mut [u64; N],
    function: impl Fn(u64) -> u64,
) {
    for (out, a) in out.iter_mut().zip(operands[0]) {
        *out = function(*a);
    }
}

/// Sets each lane of `out` to a function of the lanes of two operands.
fn binary<const N: usize>(
    operands: &[&[u64; N]],
    out: &mut [u64; N],
    function: impl Fn(u64, u64) -> u64,
) {
    for ((out, a), b) in out.iter_mut().zip(operands[0]).zip(operands[1]) {
        *out = function(*a, *b);
    }
}

fn nearest_f32<const N: usize>(op: Operation, operands: &[&[u64; N]], out: &mut [u64; N]) {
    let read = |bits: u64| f32::from_bits(bits as u32);
    let write = |value: f32| {
        u64::from(if value.is_nan() {
            0x7fff_ffff
        } else {
            value.to_bits()
        })
    };
    match op {
        Operation::Convert => unary(operands, out, |a| write(read(a))),
        Operation::SquareRoot => unary(operands, out, |a| write(read(a).sqrt())),
        Operation::Add => binary(operands, out, |a, b| write(read(a) + read(b))),
        Operation::Subtract => binary(operands, out, |a, b| write(read(a) - read(b))),
        Operation::Multiply => binary(operands, out, |a, b| write(read(a) * read(b))),
        Operation::Divide => binary(operands, out, |a, b| write(read(a) / read(b))),
        Operation::MultiplyAdd => {
            binary64::mul_add_binary32(operands[0], operands[1], operands[2], out);
        }
    }
}

fn nearest_f64<const N: usize>(op: Operation, operands: &[&[u64; N]], out: &mut [u64; N]) {
    let read = f64::from_bits;
    let write = |value: f64| {
        if value.is_nan() {
            0x7ff8_0000_0000_0000
        } else {
            value.to_bits()
        }
    };
    match op {
        Operation::Convert => unary(operands, out, |a| write(read(a))),
        Operation::SquareRoot => unary(operands, out, |a| write(read(a).sqrt())),
        Operation::Add => binary(operands, out, |a, b| write(read(a) + read(b))),
        Operation::Subtract => binary(operands, out, |a, b| write(read(a) - read(b))),
        Operation::Multiply => binary(operands, out, |a, b| write(read(a) * read(b))),
        Operation::Divide => binary(operands, out, |a, b| write(read(a) / read(b))),
        Operation::MultiplyAdd => binary64::mul_add(operands[0], operands[1], operands[2], out),
    }
}
