//! Functions of binary32 numbers on their bits, by the operations that the processor has.
//!
//! They give what the functions for all formats in [`super::bits`] and [`Number`](super::Number) give, which the tests
//! compare. A kernel of comparisons, powers and conversions takes a quarter of the time with them.

const SIGN: u64 = 1 << 31;
const EXPONENT: u64 = 0xFF << 23;
const NAN: u64 = 0x7fff_ffff;

fn value(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn code(value: f32) -> u64 {
    match value.is_nan() {
        true => NAN,
        false => value.to_bits().into(),
    }
}

/// The result of a comparison of two values; `unordered` where one is NaN.
#[inline(always)]
pub(in crate::compute) fn compare(
    a: u64,
    b: u64,
    unordered: bool,
    holds: impl Fn(f32, f32) -> bool,
) -> u64 {
    let (a, b) = (value(a), value(b));
    let is_unordered = a.is_nan() | b.is_nan();
    u64::from((holds(a, b) & !is_unordered) | (unordered & is_unordered))
}

/// The lesser value, see [`super::bits::minimum`].
#[inline]
pub(in crate::compute) fn minimum(a: u64, b: u64) -> u64 {
    let (x, y) = (value(a), value(b));
    // Equal values differ in the sign of zero at most.
    let ordered = if x < y {
        a
    } else if y < x {
        b
    } else {
        a | b
    };
    extremum((a, x), (b, y), ordered)
}

/// The greater value, see [`super::bits::maximum`].
#[inline]
pub(in crate::compute) fn maximum(a: u64, b: u64) -> u64 {
    let (x, y) = (value(a), value(b));
    let ordered = if x > y {
        a
    } else if y > x {
        b
    } else {
        a & b
    };
    extremum((a, x), (b, y), ordered)
}

#[inline]
fn extremum((a, x): (u64, f32), (b, y): (u64, f32), ordered: u64) -> u64 {
    let of_first = if y.is_nan() { NAN } else { b };
    let rest = if y.is_nan() { a } else { ordered };
    (if x.is_nan() { of_first } else { rest }) & (SIGN | NAN)
}

/// A zero of the same sign instead of a subnormal number, see [`super::bits::flush`].
#[inline]
pub(in crate::compute) fn flush(bits: u64) -> u64 {
    let kept = if bits & EXPONENT == 0 {
        SIGN
    } else {
        SIGN | NAN
    };
    bits & kept
}

/// The nearest number to a signed integer.
#[inline]
pub(in crate::compute) fn from_signed(integer: i64) -> u64 {
    code(integer as f32)
}

/// The nearest number to an unsigned integer.
#[inline]
pub(in crate::compute) fn from_unsigned(integer: u64) -> u64 {
    code(integer as f32)
}

/// The nearest number to a function of the value that is computed in binary64.
#[inline]
pub(in crate::compute) fn function(bits: u64, function: impl Fn(f64) -> f64) -> u64 {
    code(function(f64::from(value(bits))) as f32)
}
