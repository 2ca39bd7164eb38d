//! The functions of which PTX bounds the error: they are within 2 units of the last place of binary64.

use super::{format::Format, number::Number};

impl Number {
    /// The value of a binary64 number.
    pub fn from_f64(value: f64) -> Self {
        Self::decode(Format::F64, value.to_bits())
    }

    /// Returns 2 to this power.
    pub fn exp2(self) -> Self {
        Self::from_f64(libm::exp2(self.to_f64()))
    }

    /// Returns the logarithm to base 2: -infinity of a zero, NaN of a negative number.
    pub fn log2(self) -> Self {
        Self::from_f64(libm::log2(self.to_f64()))
    }

    /// Returns the sine of an angle in radians: NaN of an infinity.
    pub fn sin(self) -> Self {
        Self::from_f64(libm::sin(self.to_f64()))
    }

    /// Returns the cosine of an angle in radians: NaN of an infinity.
    pub fn cos(self) -> Self {
        Self::from_f64(libm::cos(self.to_f64()))
    }

    /// Returns the hyperbolic tangent.
    pub fn tanh(self) -> Self {
        Self::from_f64(libm::tanh(self.to_f64()))
    }
}
