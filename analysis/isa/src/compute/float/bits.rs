//! Functions on the bits of a format. They read the low bits of what they are given, and their results have no others.

use std::cmp::Ordering;

use super::format::{Format, Special};

/// The kind of a value, as `testp` asks for it: `normal` is [`Self::Normal`] or [`Self::Zero`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Not a number.
    Nan,
    /// An infinity.
    Infinite,
    /// A zero.
    Zero,
    /// A number whose exponent bits are 0.
    Subnormal,
    /// Any other number.
    Normal,
}

/// The bits that a value of the format has, those that are always 0 included.
const fn mask(format: Format) -> u64 {
    match format {
        Format::E2m3 | Format::E3m2 => 0x3f,
        Format::Ue4m3 => 0x7f,
        _ => u64::MAX >> (64 - format.bits()),
    }
}

/// The sign bit if `negative`; 0 where the format has none.
pub(super) const fn sign_bit(format: Format, negative: bool) -> u64 {
    match format.layout() {
        Some(layout) if negative => layout.sign() << layout.padding,
        _ => 0,
    }
}

/// The bits of a value without its sign.
const fn magnitude(format: Format, bits: u64) -> u64 {
    bits & mask(format) & !sign_bit(format, true)
}

/// Returns the bits of the largest number.
pub const fn largest(format: Format) -> u64 {
    match format.layout() {
        Some(layout) => layout.largest() << layout.padding,
        None => 0x7f,
    }
}

/// Returns the bits of infinity; NaN where the format has only this, else the number that is farthest from 0.
pub const fn infinity(format: Format, negative: bool) -> u64 {
    match format.layout() {
        Some(layout) => match layout.special {
            Special::InfinityAndNan => {
                layout.infinity() << layout.padding | sign_bit(format, negative)
            }
            Special::Nan => canonical_nan(format),
            Special::Nothing => largest(format) | sign_bit(format, negative),
        },
        None if negative => 0x80,
        None => 0x7f,
    }
}

/// Returns the NaN that results have; the largest number where the format has none, as conversions have it.
pub const fn canonical_nan(format: Format) -> u64 {
    match format {
        Format::F64 => 0x7ff8_0000_0000_0000,
        Format::F32 | Format::Tf32 => 0x7fff_ffff,
        Format::F16 | Format::Bf16 => 0x7fff,
        Format::E4m3 | Format::E5m2 | Format::Ue4m3 => 0x7f,
        Format::Ue8m0 | Format::Ue5m3 => 0xff,
        Format::E2m3 | Format::E3m2 | Format::E2m1 | Format::S2f6 => largest(format),
    }
}

/// The bits of 1.
const fn one(format: Format) -> u64 {
    match format.layout() {
        Some(layout) => (layout.bias() as u64) << layout.fraction << layout.padding,
        None => 0x40,
    }
}

/// Returns the kind of a value.
pub const fn classify(format: Format, bits: u64) -> Class {
    let Some(layout) = format.layout() else {
        return if bits & mask(format) == 0 {
            Class::Zero
        } else {
            Class::Normal
        };
    };
    let code = magnitude(format, bits) >> layout.padding;
    if code >= layout.infinity() {
        if matches!(layout.special, Special::InfinityAndNan) && code == layout.infinity() {
            Class::Infinite
        } else {
            Class::Nan
        }
    } else if layout.fraction == 0 || code >> layout.fraction != 0 {
        Class::Normal
    } else if code == 0 {
        Class::Zero
    } else {
        Class::Subnormal
    }
}

/// Whether the value is NaN.
pub const fn is_nan(format: Format, bits: u64) -> bool {
    matches!(classify(format, bits), Class::Nan)
}

/// Whether the sign is negative, also that of NaN.
pub const fn sign(format: Format, bits: u64) -> bool {
    match format.layout() {
        Some(_) => bits & sign_bit(format, true) != 0,
        None => bits & 0x80 != 0,
    }
}

/// Returns the value with that sign; the payload of NaN stays. Where the format has no sign, nothing changes.
pub const fn with_sign(format: Format, bits: u64, negative: bool) -> u64 {
    match format.layout() {
        Some(_) => magnitude(format, bits) | sign_bit(format, negative),
        None if sign(format, bits) == negative => bits & mask(format),
        None if bits & mask(format) == 0x80 => largest(format),
        None => bits.wrapping_neg() & mask(format),
    }
}

/// Returns a zero of the same sign instead of a subnormal number of `f64`, `f32` or `f16`: `.ftz`. Others are never flushed.
pub const fn flush(format: Format, bits: u64) -> u64 {
    match classify(format, bits) {
        Class::Subnormal if matches!(format, Format::F64 | Format::F32 | Format::F16) => {
            bits & sign_bit(format, true)
        }
        _ => bits & mask(format),
    }
}

/// Returns the nearest value from 0 to 1, and +0 instead of NaN: `.sat`.
pub const fn saturate(format: Format, bits: u64) -> u64 {
    if is_nan(format, bits) || sign(format, bits) {
        0
    } else {
        let (bits, one) = (magnitude(format, bits), one(format));
        if bits > one { one } else { bits }
    }
}

/// Returns +0 instead of what has a negative sign and is not NaN: `.relu`.
pub const fn relu(format: Format, bits: u64) -> u64 {
    if sign(format, bits) && !is_nan(format, bits) {
        0
    } else {
        bits & mask(format)
    }
}

/// Returns the largest number of the same sign instead of infinity: `.satfinite`.
///
/// Formats without infinity have lost the difference: see [`super::Number::round_finite`].
pub const fn finite(format: Format, bits: u64) -> u64 {
    match classify(format, bits) {
        Class::Infinite => largest(format) | bits & sign_bit(format, true),
        _ => bits & mask(format),
    }
}

/// Returns +0 instead of -0: `.pzo`.
pub const fn positive_zero(format: Format, bits: u64) -> u64 {
    match classify(format, bits) {
        Class::Zero => 0,
        _ => bits & mask(format),
    }
}

/// The value on a scale of its format, on which both zeros are 0; `None` for NaN.
fn rank(format: Format, bits: u64) -> Option<i64> {
    let Some(layout) = format.layout() else {
        return Some(i64::from(bits as i8));
    };
    let code = (magnitude(format, bits) >> layout.padding) as i64;
    // With infinity NaNs are above it, else it is NaN itself.
    let nan = layout.infinity() + u64::from(matches!(layout.special, Special::InfinityAndNan));
    ((code as u64) < nan).then_some(if sign(format, bits) { -code } else { code })
}

/// Compares two values of one format; -0 equals +0, and NaN compares with nothing.
pub fn compare(format: Format, a: u64, b: u64) -> Option<Ordering> {
    Some(rank(format, a)?.cmp(&rank(format, b)?))
}

/// Returns the lesser value: -0 is less than +0, and NaN loses to any number; the canonical NaN of two.
pub fn minimum(format: Format, a: u64, b: u64) -> u64 {
    extremum(format, a, b, Ordering::Less)
}

/// Returns the greater value: +0 is greater than -0, and NaN loses to any number; the canonical NaN of two.
pub fn maximum(format: Format, a: u64, b: u64) -> u64 {
    extremum(format, a, b, Ordering::Greater)
}

fn extremum(format: Format, a: u64, b: u64, wanted: Ordering) -> u64 {
    let kept = match (rank(format, a), rank(format, b)) {
        (None, None) => canonical_nan(format),
        (None, Some(_)) => b,
        (Some(_), None) => a,
        // Equal values differ in the sign of zero at most.
        (Some(x), Some(y)) if x == y => {
            if sign(format, a) == wanted.is_lt() {
                a
            } else {
                b
            }
        }
        (Some(x), Some(y)) => {
            if x.cmp(&y) == wanted {
                a
            } else {
                b
            }
        }
    };
    kept & mask(format)
}
