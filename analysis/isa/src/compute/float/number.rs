//! Exact numbers and the operations on them.

use std::{
    cmp::Ordering,
    ops::{Add, Div, Mul, Neg, Sub},
};

use super::format::{Format, Special};

/// A NaN, an infinity, a zero or a number that is not zero.
///
/// Sums, products, quotients (the operators) and roots of numbers of any formats carry what one correct rounding needs.
/// They are exact if 128 bits suffice; else the low bit of the significand is set, which keeps the number between the
/// same neighbours of every format. A sum of results that were not exact has an error of less than 2^-120 of the largest
/// operand.
#[derive(Clone, Copy, Debug)]
pub struct Number(pub(super) Magnitude);

#[derive(Clone, Copy, Debug)]
pub(super) enum Magnitude {
    Nan,
    Infinity {
        negative: bool,
    },
    /// The sign of a zero that is left by `x - x` depends on the rounding mode.
    Zero {
        negative: Option<bool>,
    },
    Finite(Finite),
}

/// A number that is not zero: `significand` × 2^(`exponent` - 127), with the highest bit of the significand set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Finite {
    pub(super) negative: bool,
    pub(super) exponent: i32,
    pub(super) significand: u128,
}

/// Exponents of any results of a few operations are below; it bounds [`Number::scale_by_power`].
const FARTHEST: i32 = 1 << 28;

impl Finite {
    /// The magnitude 2^`exponent` × `value`; zero of the same sign if the value is.
    fn normalized(negative: bool, exponent: i32, value: u128) -> Magnitude {
        if value == 0 {
            return Magnitude::Zero {
                negative: Some(negative),
            };
        }
        let zeros = value.leading_zeros();
        let exponent = (exponent + 127 - zeros as i32).clamp(-FARTHEST, FARTHEST);
        Magnitude::Finite(Self {
            negative,
            exponent,
            significand: value << zeros,
        })
    }

    fn compare_magnitude(&self, other: &Self) -> Ordering {
        (self.exponent, self.significand).cmp(&(other.exponent, other.significand))
    }
}

/// `value` / 2^`count`, with the lowest bit set if a bit was lost.
pub(super) const fn shift_right_sticky(value: u128, count: u32) -> u128 {
    if count == 0 {
        value
    } else if count > 127 {
        (value != 0) as u128
    } else {
        value >> count | (value << (128 - count) != 0) as u128
    }
}

/// The high half of a product; its lowest bit is set if the low half is not 0.
fn multiply_high_sticky(a: u128, b: u128) -> u128 {
    const LOW: u128 = u64::MAX as u128;
    let (a_high, a_low, b_high, b_low) = (a >> 64, a & LOW, b >> 64, b & LOW);
    if a_low == 0 && b_low == 0 {
        return a_high * b_high;
    }
    let low = a_low * b_low;
    let middle = a_high * b_low + (low >> 64);
    let (middle, carry) = middle.overflowing_add(a_low * b_high);
    let high = a_high * b_high + (middle >> 64) + (u128::from(carry) << 64);
    high | u128::from((middle & LOW) | (low & LOW) != 0)
}

/// `a` / `b` × 2^64 as integer, and whether something is left; `a` < 2 `b`, and the highest bit of `b` is set.
fn divide(a: u128, b: u128) -> (u128, bool) {
    if b << 64 == 0 {
        // The divisors of all formats.
        let b = b >> 64;
        return (a / b, !a.is_multiple_of(b));
    }
    let (mut quotient, mut rest) = (0, a);
    let mut carry = false;
    for step in 0..=64 {
        if step > 0 {
            quotient <<= 1;
            carry = rest >> 127 != 0;
            rest <<= 1;
        }
        if carry || rest >= b {
            rest = rest.wrapping_sub(b);
            quotient |= 1;
        }
    }
    (quotient, rest != 0)
}

impl Number {
    /// NaN. It has neither sign nor payload: [`super::bits`] has the functions for which they matter.
    pub const NAN: Self = Self(Magnitude::Nan);

    /// Returns the value of the low bits of `bits`.
    pub fn decode(format: Format, bits: u64) -> Self {
        let Some(layout) = format.layout() else {
            return Self(Finite::normalized(
                bits & 0x80 != 0,
                -6,
                u128::from((bits as i8).unsigned_abs()),
            ));
        };
        let bits = bits >> layout.padding;
        let negative = bits & layout.sign() != 0;
        let code = bits & layout.magnitude();
        if code >= layout.infinity() {
            let infinite = layout.special == Special::InfinityAndNan && code == layout.infinity();
            return Self(if infinite {
                Magnitude::Infinity { negative }
            } else {
                Magnitude::Nan
            });
        }
        let (exponent, fraction) = (code >> layout.fraction, code & ((1 << layout.fraction) - 1));
        if format == Format::Ue8m0 {
            return Self(Finite::normalized(false, exponent as i32 - 127, 1));
        }
        let hidden = u64::from(exponent != 0) << layout.fraction;
        let exponent = (exponent as i32).max(1) - layout.bias() - layout.fraction as i32;
        Self(Finite::normalized(
            negative,
            exponent,
            u128::from(hidden | fraction),
        ))
    }

    /// Returns the largest number of a format.
    pub fn largest(format: Format) -> Self {
        Self::decode(format, super::bits::largest(format))
    }

    /// Returns an integer; its zero is positive.
    pub fn from_signed(value: i128) -> Self {
        Self(Finite::normalized(value < 0, 0, value.unsigned_abs()))
    }

    /// Returns an integer; its zero is positive.
    pub fn from_unsigned(value: u128) -> Self {
        Self(Finite::normalized(false, 0, value))
    }

    /// Whether it is NaN.
    pub fn is_nan(&self) -> bool {
        matches!(self.0, Magnitude::Nan)
    }

    /// Whether it is an infinity.
    pub fn is_infinite(&self) -> bool {
        matches!(self.0, Magnitude::Infinity { .. })
    }

    /// Whether it is a zero.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Magnitude::Zero { .. })
    }

    /// Whether the sign is negative; the sign of NaN, and of a zero of which only rounding knows it, is positive.
    pub fn is_negative(&self) -> bool {
        match self.0 {
            Magnitude::Nan => false,
            Magnitude::Infinity { negative } => negative,
            Magnitude::Zero { negative } => negative.unwrap_or(false),
            Magnitude::Finite(it) => it.negative,
        }
    }

    /// Returns the number with that sign.
    pub fn with_sign(self, negative: bool) -> Self {
        Self(match self.0 {
            Magnitude::Nan => Magnitude::Nan,
            Magnitude::Infinity { .. } => Magnitude::Infinity { negative },
            Magnitude::Zero { .. } => Magnitude::Zero {
                negative: Some(negative),
            },
            Magnitude::Finite(it) => Magnitude::Finite(Finite { negative, ..it }),
        })
    }

    /// Returns the magnitude.
    pub fn abs(self) -> Self {
        self.with_sign(false)
    }

    /// Returns `self` × `factor` + `addend`; exact in the product if both factors have at most 63 bits.
    pub fn mul_add(self, factor: Self, addend: Self) -> Self {
        self * factor + addend
    }

    /// Returns the square root: NaN of a negative number, -0 of -0.
    pub fn sqrt(self) -> Self {
        Self(match self.0 {
            it @ (Magnitude::Nan
            | Magnitude::Zero { .. }
            | Magnitude::Infinity { negative: false }) => it,
            Magnitude::Infinity { .. } | Magnitude::Finite(Finite { negative: true, .. }) => {
                Magnitude::Nan
            }
            Magnitude::Finite(it) => {
                // The unit of the radicand must be an even power of two.
                let unit = it.exponent - 127;
                let radicand = shift_right_sticky(it.significand, unit.rem_euclid(2) as u32);
                let unit = unit + unit.rem_euclid(2);
                let root = radicand.isqrt();
                Finite::normalized(
                    false,
                    unit / 2 - 1,
                    root << 1 | u128::from(root * root != radicand),
                )
            }
        })
    }

    /// Returns 1 / √`self`, correct for numbers of at most 64 bits: ±infinity of ±0, NaN of a negative number.
    pub fn reciprocal_sqrt(self) -> Self {
        Self(match self.0 {
            Magnitude::Nan => Magnitude::Nan,
            Magnitude::Zero { .. } => Magnitude::Infinity {
                negative: self.is_negative(),
            },
            Magnitude::Infinity { negative: false } => Magnitude::Zero {
                negative: Some(false),
            },
            Magnitude::Infinity { .. } | Magnitude::Finite(Finite { negative: true, .. }) => {
                Magnitude::Nan
            }
            Magnitude::Finite(it) => {
                let divisor = shift_right_sticky(it.significand, 64);
                let unit = it.exponent - 63;
                // 2^190 or 2^189 / divisor, so that the unit of the quotient is an even power of two.
                let power = 190 - unit.rem_euclid(2);
                let (high, rest) = (
                    (1_u128 << (power - 64)) / divisor,
                    (1_u128 << (power - 64)) % divisor,
                );
                let (low, rest) = ((rest << 64) / divisor, (rest << 64) % divisor);
                let quotient = high << 64 | low;
                let root = quotient.isqrt();
                let exact = rest == 0 && root * root == quotient;
                Finite::normalized(
                    false,
                    (-unit - power) / 2 - 1,
                    root << 1 | u128::from(!exact),
                )
            }
        })
    }

    /// Returns `self` × 2^`power`.
    pub fn scale_by_power(self, power: i32) -> Self {
        Self(match self.0 {
            Magnitude::Finite(it) => Magnitude::Finite(Finite {
                exponent: it.exponent.saturating_add(power).clamp(-FARTHEST, FARTHEST),
                ..it
            }),
            it => it,
        })
    }

    /// Returns the integer, rounded toward 0 and saturated; `None` for NaN.
    pub fn to_integer(self) -> Option<i128> {
        let (negative, magnitude) = match self.0 {
            Magnitude::Nan => return None,
            Magnitude::Zero { .. } => return Some(0),
            Magnitude::Infinity { negative } => (negative, u128::MAX),
            Magnitude::Finite(it) if it.exponent < 0 => return Some(0),
            Magnitude::Finite(it) if it.exponent > 127 => (it.negative, u128::MAX),
            Magnitude::Finite(it) => (it.negative, it.significand >> (127 - it.exponent)),
        };
        let limit = i128::MAX as u128;
        Some(if magnitude > limit {
            if negative { i128::MIN } else { i128::MAX }
        } else if negative {
            -(magnitude as i128)
        } else {
            magnitude as i128
        })
    }

    /// Compares two numbers; -0 equals +0, and NaN compares with nothing.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        let sign = |it: &Self| match it.0 {
            Magnitude::Zero { .. } => 0,
            _ => 1 - 2 * i32::from(it.is_negative()),
        };
        if self.is_nan() || other.is_nan() {
            return None;
        }
        Some(sign(self).cmp(&sign(other)).then_with(|| {
            let magnitude = match (self.0, other.0) {
                (Magnitude::Finite(a), Magnitude::Finite(b)) => a.compare_magnitude(&b),
                _ => self.is_infinite().cmp(&other.is_infinite()),
            };
            if self.is_negative() {
                magnitude.reverse()
            } else {
                magnitude
            }
        }))
    }

    /// Returns the lesser number: -0 is less than +0, and NaN loses to any number.
    pub fn minimum(self, other: Self) -> Self {
        self.extreme(other, Ordering::Less)
    }

    /// Returns the greater number: +0 is greater than -0, and NaN loses to any number.
    pub fn maximum(self, other: Self) -> Self {
        self.extreme(other, Ordering::Greater)
    }

    /// The one of two numbers that has this order to the other one.
    fn extreme(self, other: Self, wanted: Ordering) -> Self {
        let order = match self.compare(&other) {
            // Only zeros of different signs are equal and not the same.
            Some(Ordering::Equal) => other.is_negative().cmp(&self.is_negative()),
            Some(order) => order,
            None if self.is_nan() => return other,
            None => return self,
        };
        if order == wanted { self } else { other }
    }
}

impl Add for Number {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(match (self.0, other.0) {
            (Magnitude::Nan, _) | (_, Magnitude::Nan) => Magnitude::Nan,
            (Magnitude::Infinity { negative: a }, Magnitude::Infinity { negative: b })
                if a != b =>
            {
                Magnitude::Nan
            }
            (it @ Magnitude::Infinity { .. }, _) | (_, it @ Magnitude::Infinity { .. }) => it,
            (Magnitude::Zero { negative: a }, Magnitude::Zero { negative: b }) => Magnitude::Zero {
                negative: a.filter(|_| a == b),
            },
            (it @ Magnitude::Finite(_), Magnitude::Zero { .. })
            | (Magnitude::Zero { .. }, it @ Magnitude::Finite(_)) => it,
            (Magnitude::Finite(a), Magnitude::Finite(b)) => {
                let (large, small) = if a.compare_magnitude(&b).is_lt() {
                    (b, a)
                } else {
                    (a, b)
                };
                // One bit of room for the carry. Operands of formats and their products have at most 106 bits, so a
                // distance of one or two loses nothing, and from a greater one no difference cancels more than a bit.
                let distance = large.exponent.abs_diff(small.exponent).saturating_add(1);
                let high = shift_right_sticky(large.significand, 1);
                let low = shift_right_sticky(small.significand, distance);
                if a.negative == b.negative {
                    Finite::normalized(a.negative, large.exponent - 126, high + low)
                } else if high == low {
                    Magnitude::Zero { negative: None }
                } else {
                    Finite::normalized(large.negative, large.exponent - 126, high - low)
                }
            }
        })
    }
}

impl Sub for Number {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Number {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let negative = self.is_negative() != other.is_negative();
        Self(match (self.0, other.0) {
            (Magnitude::Nan, _)
            | (_, Magnitude::Nan)
            | (Magnitude::Infinity { .. }, Magnitude::Zero { .. })
            | (Magnitude::Zero { .. }, Magnitude::Infinity { .. }) => Magnitude::Nan,
            (Magnitude::Infinity { .. }, _) | (_, Magnitude::Infinity { .. }) => {
                Magnitude::Infinity { negative }
            }
            (Magnitude::Zero { .. }, _) | (_, Magnitude::Zero { .. }) => Magnitude::Zero {
                negative: Some(negative),
            },
            (Magnitude::Finite(a), Magnitude::Finite(b)) => Finite::normalized(
                negative,
                a.exponent + b.exponent - 126,
                multiply_high_sticky(a.significand, b.significand),
            ),
        })
    }
}

impl Div for Number {
    type Output = Self;

    fn div(self, divisor: Self) -> Self {
        let negative = self.is_negative() != divisor.is_negative();
        Self(match (self.0, divisor.0) {
            (Magnitude::Nan, _)
            | (_, Magnitude::Nan)
            | (Magnitude::Infinity { .. }, Magnitude::Infinity { .. })
            | (Magnitude::Zero { .. }, Magnitude::Zero { .. }) => Magnitude::Nan,
            (Magnitude::Infinity { .. }, _) | (_, Magnitude::Zero { .. }) => {
                Magnitude::Infinity { negative }
            }
            (Magnitude::Zero { .. }, _) | (_, Magnitude::Infinity { .. }) => Magnitude::Zero {
                negative: Some(negative),
            },
            (Magnitude::Finite(a), Magnitude::Finite(b)) => {
                // At most 65 bits, of which the highest is one of the two highest.
                let (quotient, rest) = divide(a.significand, b.significand);
                Finite::normalized(
                    negative,
                    a.exponent - b.exponent - 65,
                    quotient << 1 | u128::from(rest),
                )
            }
        })
    }
}

impl Neg for Number {
    type Output = Self;

    fn neg(self) -> Self {
        self.with_sign(!self.is_negative())
    }
}
