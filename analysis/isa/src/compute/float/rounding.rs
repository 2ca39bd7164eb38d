//! Rounding to the numbers of a format and to integers.

use super::{
    bits,
    format::{Format, Layout},
    number::{Finite, Magnitude, Number},
};

/// The direction of a rounding.
///
/// Source: PTX ISA, tables of rounding modifiers and the section of `cvt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To nearest, ties to even.
    NearestEven,
    /// To nearest, ties away from zero.
    NearestAway,
    /// Toward zero.
    TowardZero,
    /// Toward negative infinity.
    Down,
    /// Toward positive infinity.
    Up,
    /// Away from zero if the sum of the discarded bits and the random bits carries, else toward zero.
    Stochastic {
        /// The random bits.
        bits: u32,
        /// How many random bits there are, at most 32; they are added to as many of the highest discarded bits.
        count: u32,
    },
}

impl Rounding {
    /// Whether a magnitude grows to the next one: `odd` is the last bit kept, `dropped` the number of bits after it of
    /// `significand`, which may be more than it has.
    fn increments(self, negative: bool, odd: bool, significand: u128, dropped: u32) -> bool {
        let rest = if dropped < 128 {
            significand & ((1 << dropped) - 1)
        } else {
            significand
        };
        if rest == 0 {
            return false;
        }
        let half = match dropped {
            0..=128 => rest.cmp(&(1 << (dropped - 1))),
            _ => std::cmp::Ordering::Less,
        };
        match self {
            Self::NearestEven => half.is_gt() || half.is_eq() && odd,
            Self::NearestAway => half.is_ge(),
            Self::TowardZero => false,
            Self::Down => negative,
            Self::Up => !negative,
            Self::Stochastic { bits, count } => {
                let discarded = if dropped < count {
                    rest << (count - dropped)
                } else {
                    rest.checked_shr(dropped - count).unwrap_or(0)
                };
                discarded + u128::from(bits) >= 1 << count
            }
        }
    }

    /// Whether a number beyond the largest becomes the largest, not infinity.
    pub(super) fn stays_finite(self, negative: bool) -> bool {
        match self {
            Self::TowardZero => true,
            Self::Down => !negative,
            Self::Up => negative,
            _ => false,
        }
    }
}

impl Finite {
    /// The magnitude as a multiple of 2^`unit`, rounded; `None` if it has more than 64 bits.
    fn multiple_of(&self, unit: i32, rounding: Rounding, negative: bool) -> Option<u64> {
        let dropped = u32::try_from(127 - self.exponent.saturating_sub(unit)).ok()?;
        let kept = self.significand.checked_shr(dropped).unwrap_or(0);
        let increment = rounding.increments(negative, kept & 1 != 0, self.significand, dropped);
        u64::try_from(kept + u128::from(increment)).ok()
    }

    /// The code of the magnitude, rounded; `None` if it is beyond the largest one.
    fn code(&self, layout: Layout, rounding: Rounding) -> Option<u64> {
        // A format without signs takes the magnitude before it rounds.
        let negative = self.negative && layout.signed;
        let exponent = self.exponent.max(layout.least_exponent());
        if exponent > layout.bias() + 1 {
            return None;
        }
        // The hidden bit, and a carry out of the fraction, add one to the exponent.
        let below = ((exponent - layout.least_exponent()) as u64) << layout.fraction;
        let code =
            below + self.multiple_of(exponent - layout.fraction as i32, rounding, negative)?;
        (code <= layout.largest()).then_some(code)
    }

    /// The code of a power of two. Its least number is 2^-127, to which lesser ones go in every mode.
    fn power_code(&self, rounding: Rounding) -> Option<u64> {
        if self.exponent < -127 {
            return Some(0);
        }
        let odd = self.exponent & 1 == 0;
        let increment = rounding.increments(false, odd, self.significand, 127);
        u64::try_from(self.exponent + 127 + i32::from(increment))
            .ok()
            .filter(|it| *it < 0xff)
    }
}

impl Number {
    /// Returns the bits of the number of `format` that is nearest in that direction.
    ///
    /// Subnormal numbers are kept. NaN is the canonical one, and the largest number where the format has none. Beyond
    /// the largest number it is infinity or the largest number, as the rounding says; instead of infinity it is NaN
    /// where the format has only this, else the largest number. Formats without a sign take the magnitude.
    pub fn round(self, format: Format, rounding: Rounding) -> u64 {
        self.to_code(format, rounding)
            .unwrap_or_else(|negative| bits::infinity(format, negative))
    }

    /// Returns the bits as [`Self::round`], but the largest number instead of infinity: `.satfinite`.
    pub fn round_finite(self, format: Format, rounding: Rounding) -> u64 {
        self.to_code(format, rounding)
            .unwrap_or_else(|negative| bits::largest(format) | bits::sign_bit(format, negative))
    }

    /// The bits, or the sign of what is beyond all numbers.
    fn to_code(self, format: Format, rounding: Rounding) -> Result<u64, bool> {
        let Some(layout) = format.layout() else {
            return Ok(self.to_fixed(rounding));
        };
        let sign = |negative| bits::sign_bit(format, negative);
        match self.0 {
            Magnitude::Nan => Ok(bits::canonical_nan(format)),
            Magnitude::Infinity { negative } => Err(negative),
            Magnitude::Zero { negative } => {
                Ok(sign(negative.unwrap_or(rounding == Rounding::Down)))
            }
            Magnitude::Finite(it) => {
                let code = if format == Format::Ue8m0 {
                    it.power_code(rounding)
                } else {
                    it.code(layout, rounding)
                };
                match code {
                    Some(code) => Ok(code << layout.padding | sign(it.negative)),
                    None if rounding.stays_finite(it.negative && layout.signed) => {
                        Ok(bits::largest(format) | sign(it.negative))
                    }
                    None => Err(it.negative),
                }
            }
        }
    }

    /// The bits of `s2f6`, saturated.
    fn to_fixed(self, rounding: Rounding) -> u64 {
        let (negative, magnitude) = match self.0 {
            Magnitude::Nan => (false, u64::MAX),
            Magnitude::Infinity { negative } => (negative, u64::MAX),
            Magnitude::Zero { .. } => (false, 0),
            Magnitude::Finite(it) => (
                it.negative,
                it.multiple_of(-6, rounding, it.negative)
                    .unwrap_or(u64::MAX),
            ),
        };
        if negative {
            magnitude.min(128).wrapping_neg() & 0xff
        } else {
            magnitude.min(127)
        }
    }

    /// Returns the integer that is nearest in that direction; a zero keeps the sign.
    pub fn to_integral(self, rounding: Rounding) -> Self {
        let Magnitude::Finite(it) = self.0 else {
            return self;
        };
        if it.exponent >= 127 {
            return self;
        }
        let dropped = 127_u32.saturating_add_signed(it.exponent.saturating_neg());
        let kept = it.significand.checked_shr(dropped).unwrap_or(0);
        let increment = rounding.increments(it.negative, kept & 1 != 0, it.significand, dropped);
        let integer = Self::from_unsigned(kept + u128::from(increment));
        integer.with_sign(it.negative)
    }

    /// Returns the nearest binary64 number.
    pub fn to_f64(self) -> f64 {
        f64::from_bits(self.round(Format::F64, Rounding::NearestEven))
    }
}
