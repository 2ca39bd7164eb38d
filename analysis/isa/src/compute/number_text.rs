//! Numbers for people, as their types write them.

use super::{
    float::{Format, Number, Rounding},
    value_type::{ElementType, ValueType},
};

/// Numbers up to this one look the same in all notations.
const DIGIT: u128 = 9;

impl ValueType {
    /// The number that bits of the type mean, and the bits where they look different: `12 = 0xc`, `1.5 = 0f3FC00000`,
    /// `true`, `{1.0, 2.0} = 0x40003c00`.
    #[must_use]
    pub fn text(self, bits: u128) -> String {
        if self.count == 1 {
            let number = self.element.number(bits);
            return match self.element {
                ElementType::Predicate => number,
                ElementType::Integer { .. } if bits <= DIGIT => number,
                ElementType::Float(Format::F32) => format!("{number} = 0f{bits:08X}"),
                ElementType::Float(Format::F64) => format!("{number} = 0d{bits:016X}"),
                _ => format!("{number} = {bits:#x}"),
            };
        }
        let width = self.element.bits();
        let elements = (0..self.count).map(|it| {
            let mask = u128::MAX >> (u128::BITS - width);
            self.element.number(bits >> (it * width) & mask)
        });
        let elements: Vec<String> = elements.collect();
        format!("{{{}}} = {bits:#x}", elements.join(", "))
    }
}

impl ElementType {
    /// The number that bits mean; those above the type count for an integer without a sign.
    pub(super) fn number(self, bits: u128) -> String {
        match self {
            ElementType::Predicate => (bits != 0).to_string(),
            ElementType::Integer {
                bits: width,
                signed,
            } => {
                let rest = u128::BITS - width;
                match signed {
                    true => ((bits << rest).cast_signed() >> rest).to_string(),
                    false => bits.to_string(),
                }
            }
            ElementType::Float(Format::F32) => format!("{:?}", f32::from_bits(bits as u32)),
            ElementType::Float(format) => {
                let number = Number::decode(format, bits as u64);
                let double = number.round(Format::F64, Rounding::NearestEven);
                format!("{:?}", f64::from_bits(double))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_by_their_types() {
        let check = |word: &str, bits: u128, expected: &str| {
            let ty = ValueType::from_word(word).expect("a type");
            assert_eq!(ty.text(bits), expected);
        };
        check("s32", 7, "7");
        check("s32", 12, "12 = 0xc");
        check("s32", 0xffff_fffb, "-5 = 0xfffffffb");
        check("b32", 0xffff_ffff, "4294967295 = 0xffffffff");
        check("u64", 1 << 40, "1099511627776 = 0x10000000000");
        check("f32", 0x4080_0000, "4.0 = 0f40800000");
        check("f32", 0x7fff_ffff, "NaN = 0f7FFFFFFF");
        check("f64", 0xbff0_0000_0000_0000, "-1.0 = 0dBFF0000000000000");
        check("f16", 0x3e00, "1.5 = 0x3e00");
        check("f16x2", 0x4000_3c00, "{1.0, 2.0} = 0x40003c00");
        check("s16x2", 0xffff_0003, "{3, -1} = 0xffff0003");
        check("pred", 1, "true");
    }
}
