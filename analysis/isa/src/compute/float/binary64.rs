//! Ways through binary64, which the processor has, to results that are rounded once.
//!
//! A number that is rounded to odd (to the neighbour whose last bit is 1, unless it is exact) can be rounded again to
//! any format with two bits less, in any direction, as if it were exact: S. Boldo, G. Melquiond, "Emulation of FMA and
//! correctly rounded sums: proved algorithms using rounding to odd", 2008.

use super::{
    bits,
    format::{Format, Layout},
    lanes::Operation,
    number::Number,
    rounding::Rounding,
};

const FRACTION: u32 = 52;
const BIAS: i32 = 1023;
const SIGN: u64 = 1 << 63;
const INFINITY: u64 = 0x7ff << FRACTION;

/// The sum, and the part that it lacks to the exact one. Source: D. Knuth, "TwoSum"; exact without overflow.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// The sum, rounded to odd.
#[inline]
pub(super) fn add_to_odd(a: f64, b: f64) -> f64 {
    let (sum, error) = two_sum(a, b);
    let bits = sum.to_bits();
    // The error of an infinity is NaN, and neither less nor greater than 0.
    let inexact = u64::from((error < 0.0) | (error > 0.0));
    let even = inexact & !bits;
    let toward_zero = (bits ^ error.to_bits()) >> 63;
    f64::from_bits(
        bits.wrapping_add(even & 1)
            .wrapping_sub((even & toward_zero & 1) << 1),
    )
}

/// The product, and the part that it lacks to the exact one. Source: T. J. Dekker; exact if nothing leaves the range.
#[inline]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let split = |it: f64| {
        let scaled = it * 134_217_729.0;
        let high = scaled - (scaled - it);
        (high, it - high)
    };
    let (product, (a_high, a_low), (b_high, b_low)) = (a * b, split(a), split(b));
    let error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    (product, error)
}

/// Whether the exponent is so near 0 that no sum or product of parts of such numbers leaves the range.
#[inline]
fn is_moderate(value: f64) -> bool {
    value.abs() > 1e-120 && value.abs() < 1e120
}

/// `a` × `b` + `c`, rounded to nearest. Source: Boldo and Melquiond.
#[inline]
pub(super) fn mul_add(a: f64, b: f64, c: f64) -> f64 {
    if is_moderate(a) && is_moderate(b) && is_moderate(c) {
        let (product, low) = two_product(a, b);
        let (upper, lower) = two_sum(c, low);
        let (sum, error) = two_sum(product, upper);
        return sum + add_to_odd(error, lower);
    }
    if a == 0.0 || b == 0.0 {
        return a * b + c;
    }
    let [a, b, c] = [a, b, c].map(Number::from_f64);
    a.mul_add(b, c).to_f64()
}

/// An operation on operands of at most 24 bits, or a conversion, through binary64.
pub(super) struct Narrow<'a> {
    op: Operation,
    formats: &'a [Format],
    to: Format,
    layout: Layout,
    rounding: Rounding,
}

impl<'a> Narrow<'a> {
    /// Returns the way for the operation, if there is one.
    pub(super) fn new(
        op: Operation,
        formats: &'a [Format],
        to: Format,
        rounding: Rounding,
    ) -> Option<Self> {
        let layout = to
            .layout()
            .filter(|it| it.signed && it.fraction < FRACTION)?;
        let exact = op == Operation::Convert || !formats.contains(&Format::F64);
        let known = !matches!(rounding, Rounding::Stochastic { .. });
        (exact && known).then_some(Self {
            op,
            formats,
            to,
            layout,
            rounding,
        })
    }

    /// Computes `out` of the lanes of the operands.
    pub(super) fn apply<const N: usize>(&self, operands: &[&[u64; N]], out: &mut [u64; N]) {
        let mut values = [[0.0; N]; 3];
        for ((values, format), operand) in values.iter_mut().zip(self.formats).zip(operands) {
            for lane in 0..N {
                values[lane] = decode(*format, operand[lane]);
            }
        }
        let [a, b, c] = &values;
        for lane in 0..N {
            let (a, b, c) = (a[lane], b[lane], c[lane]);
            let value = match self.op {
                Operation::Convert => a,
                Operation::Add => self.sum(a, b),
                Operation::Subtract => self.sum(a, -b),
                // At most 48 bits.
                Operation::Multiply => a * b,
                Operation::MultiplyAdd => self.sum(a * b, c),
                // Neither a quotient nor a root of numbers of 24 bits is, in 53 bits, on a number of 25 bits or on the
                // other side of it, unless it is that number: the distance is at least 2^-51 of it.
                Operation::Divide => a / b,
                Operation::SquareRoot => a.sqrt(),
            };
            out[lane] = self.round(value);
        }
    }

    /// The sum, rounded to odd; an exact zero has the sign that the rounding gives it.
    #[inline]
    fn sum(&self, a: f64, b: f64) -> f64 {
        let sum = add_to_odd(a, b);
        let cancelled = sum == 0.0 && (a.to_bits() | b.to_bits()) & SIGN != 0;
        if cancelled && self.rounding == Rounding::Down {
            -0.0
        } else {
            sum
        }
    }

    /// The bits of the rounded number.
    #[inline]
    fn round(&self, value: f64) -> u64 {
        let magnitude = value.to_bits() & !SIGN;
        let negative = value.is_sign_negative();
        if magnitude >= INFINITY {
            return if magnitude > INFINITY {
                bits::canonical_nan(self.to)
            } else {
                bits::infinity(self.to, negative)
            };
        }
        let layout = self.layout;
        let field = (magnitude >> FRACTION) as i32;
        let significand = magnitude & ((1 << FRACTION) - 1) | u64::from(field != 0) << FRACTION;
        let own = field.max(1) - BIAS;
        let exponent = own.max(layout.least_exponent());
        // From 54 on all that matters is that less than a half is dropped.
        let dropped = ((FRACTION - layout.fraction) as i32 + exponent - own).min(60) as u32;
        let (kept, rest) = (significand >> dropped, significand & ((1 << dropped) - 1));
        let half = 1 << (dropped - 1);
        let increment = match self.rounding {
            Rounding::NearestEven => rest + (kept & 1) > half,
            Rounding::NearestAway => rest >= half,
            Rounding::Down => negative && rest != 0,
            Rounding::Up => !negative && rest != 0,
            Rounding::TowardZero | Rounding::Stochastic { .. } => false,
        };
        let below = ((exponent - layout.least_exponent()) as u64) << layout.fraction;
        let code = below + kept + u64::from(increment);
        if code > layout.largest() {
            return if self.rounding.stays_finite(negative) {
                bits::largest(self.to) | bits::sign_bit(self.to, negative)
            } else {
                bits::infinity(self.to, negative)
            };
        }
        code << layout.padding | bits::sign_bit(self.to, negative)
    }
}

/// The value of a code: exact, as binary64 has the numbers of all formats.
#[inline]
fn decode(format: Format, code: u64) -> f64 {
    let layout = match format.layout() {
        _ if format == Format::F32 => return f64::from(f32::from_bits(code as u32)),
        _ if format == Format::F64 => return f64::from_bits(code),
        Some(layout) if layout.fraction > 0 => layout,
        _ => return Number::decode(format, code).to_f64(),
    };
    let code = code >> layout.padding;
    let magnitude = code & layout.magnitude();
    let sign = u64::from(code & layout.sign() != 0) << 63;
    let value = if magnitude < layout.infinity() {
        // As a number of binary64 it is too small by the difference of the biases; subnormal ones are right, too.
        let scale = f64::from_bits(((2 * BIAS - layout.bias()) as u64) << FRACTION);
        (f64::from_bits(magnitude << (FRACTION - layout.fraction)) * scale).to_bits()
    } else if bits::is_nan(format, code << layout.padding) {
        f64::NAN.to_bits()
    } else {
        INFINITY
    };
    f64::from_bits(value | sign)
}
