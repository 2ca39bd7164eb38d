//! The floating-point types of PTX and how their bits are read.

/// A floating-point type, or the fixed-point type `s2f6`.
///
/// Source: PTX ISA, chapters 5.2.3 to 5.2.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// IEEE 754 binary16.
    F16,
    /// The upper half of a binary32.
    Bf16,
    /// A binary32 of which the low 13 bits are 0.
    Tf32,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// 4 exponent and 3 fraction bits; has NaN, but no infinity.
    E4m3,
    /// 5 exponent and 2 fraction bits, as IEEE 754 would have it.
    E5m2,
    /// 2 exponent and 3 fraction bits; has neither NaN nor infinity. The 2 high bits of its byte are 0.
    E2m3,
    /// 3 exponent and 2 fraction bits; has neither NaN nor infinity. The 2 high bits of its byte are 0.
    E3m2,
    /// 2 exponent bits and 1 fraction bit; has neither NaN nor infinity.
    E2m1,
    /// 8 exponent bits, a power of two; has NaN, but neither sign, zero nor infinity.
    Ue8m0,
    /// 4 exponent and 3 fraction bits; has NaN, but neither sign nor infinity. The high bit of its byte is 0.
    Ue4m3,
    /// 5 exponent and 3 fraction bits; has NaN, but neither sign nor infinity.
    Ue5m3,
    /// Two's complement with 6 fraction bits, from -2 to 127/64.
    S2f6,
}

/// The codes of a format above those of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    /// Infinity, then NaNs.
    InfinityAndNan,
    /// The highest code is NaN.
    Nan,
    /// None.
    Nothing,
}

/// How a format puts a number into bits: a sign if there is one, a biased exponent, a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Whether the highest bit is a sign.
    pub(super) signed: bool,
    /// The number of exponent bits.
    pub(super) exponent: u32,
    /// The number of fraction bits.
    pub(super) fraction: u32,
    /// The codes above those of numbers.
    pub(super) special: Special,
    /// The number of low bits that are always 0.
    pub(super) padding: u32,
}

impl Layout {
    /// The exponent of 1 is stored as this.
    pub(super) const fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The least exponent of a normal number.
    pub(super) const fn least_exponent(self) -> i32 {
        1 - self.bias()
    }

    /// The bits of the magnitude, without padding.
    pub(super) const fn magnitude(self) -> u64 {
        (1 << (self.exponent + self.fraction)) - 1
    }

    /// The code of infinity, if there is one; else the first that is not a number.
    pub(super) const fn infinity(self) -> u64 {
        match self.special {
            Special::InfinityAndNan => self.magnitude() >> self.fraction << self.fraction,
            Special::Nan => self.magnitude(),
            Special::Nothing => self.magnitude() + 1,
        }
    }

    /// The code of the largest number.
    pub(super) const fn largest(self) -> u64 {
        self.infinity() - 1
    }

    /// The sign bit, without padding; 0 if there is none.
    pub(super) const fn sign(self) -> u64 {
        (self.signed as u64) << (self.exponent + self.fraction)
    }
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 14] = [
        Self::F16,
        Self::Bf16,
        Self::Tf32,
        Self::F32,
        Self::F64,
        Self::E4m3,
        Self::E5m2,
        Self::E2m3,
        Self::E3m2,
        Self::E2m1,
        Self::Ue8m0,
        Self::Ue4m3,
        Self::Ue5m3,
        Self::S2f6,
    ];

    /// Returns the format that a type names, without its period: `f32`, `e4m3`.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }

    /// Returns the name of the type, without its period.
    pub const fn word(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::Tf32 => "tf32",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::E4m3 => "e4m3",
            Self::E5m2 => "e5m2",
            Self::E2m3 => "e2m3",
            Self::E3m2 => "e3m2",
            Self::E2m1 => "e2m1",
            Self::Ue8m0 => "ue8m0",
            Self::Ue4m3 => "ue4m3",
            Self::Ue5m3 => "ue5m3",
            Self::S2f6 => "s2f6",
        }
    }

    /// Returns the number of bits of an element, those that are always 0 included.
    pub const fn bits(self) -> u32 {
        match self {
            Self::F64 => 64,
            Self::F32 | Self::Tf32 => 32,
            Self::F16 | Self::Bf16 => 16,
            Self::E2m1 => 4,
            _ => 8,
        }
    }

    /// Returns how numbers are put into bits; `None` for fixed point.
    pub(super) const fn layout(self) -> Option<Layout> {
        use Special::{InfinityAndNan, Nan, Nothing};
        let (signed, exponent, fraction, special) = match self {
            Self::F16 => (true, 5, 10, InfinityAndNan),
            Self::Bf16 => (true, 8, 7, InfinityAndNan),
            Self::Tf32 => (true, 8, 10, InfinityAndNan),
            Self::F32 => (true, 8, 23, InfinityAndNan),
            Self::F64 => (true, 11, 52, InfinityAndNan),
            Self::E4m3 => (true, 4, 3, Nan),
            Self::E5m2 => (true, 5, 2, InfinityAndNan),
            Self::E2m3 => (true, 2, 3, Nothing),
            Self::E3m2 => (true, 3, 2, Nothing),
            Self::E2m1 => (true, 2, 1, Nothing),
            Self::Ue8m0 => (false, 8, 0, Nan),
            Self::Ue4m3 => (false, 4, 3, Nan),
            Self::Ue5m3 => (false, 5, 3, Nan),
            Self::S2f6 => return None,
        };
        let padding = if matches!(self, Self::Tf32) { 13 } else { 0 };
        Some(Layout {
            signed,
            exponent,
            fraction,
            special,
            padding,
        })
    }

    /// Returns whether the format has a NaN.
    pub const fn has_nan(self) -> bool {
        match self.layout() {
            Some(layout) => !matches!(layout.special, Special::Nothing),
            None => false,
        }
    }

    /// Returns whether the format has infinities.
    pub const fn has_infinity(self) -> bool {
        match self.layout() {
            Some(layout) => matches!(layout.special, Special::InfinityAndNan),
            None => false,
        }
    }
}
