//! Types of elements, and numbers as their bits.

use isa::compute::float::{Format, Number, Rounding};

use super::{
    problem::not_allowed,
    value::{Data, Value, ptx_float},
};

/// The type of an element of an array, or of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// A floating-point number.
    Float(Format),
    /// An integer with a sign, of so many bits.
    Signed(u32),
    /// An integer without a sign, of so many bits.
    Unsigned(u32),
    /// So many bits.
    Bits(u32),
}

/// A number as messages and programs show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shown {
    /// An integer.
    Integer(i128),
    /// A floating-point number of 64 bits.
    Float(f64),
    /// A floating-point number of at most 32 bits.
    Single(f32),
    /// Nothing was ever written there.
    Undefined,
}

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The shortest digits that tell a number from all others of its type.
        let (number, plain, short) = match self {
            Shown::Integer(it) => return write!(f, "{it}"),
            Shown::Undefined => return f.write_str("undefined"),
            Shown::Float(it) => (*it, it.to_string(), format!("{it:e}")),
            Shown::Single(it) => (f64::from(*it), it.to_string(), format!("{it:e}")),
        };
        if number.is_nan() {
            return f.write_str("nan");
        }
        let is_plain =
            number.is_infinite() || number == 0.0 || (1e-5..1e17).contains(&number.abs());
        f.write_str(if is_plain { &plain } else { &short })
    }
}

const WIDTHS: [u32; 4] = [8, 16, 32, 64];

impl Element {
    /// Returns the words of all types, without their periods.
    #[must_use]
    pub fn words() -> Vec<String> {
        let floats = Format::ALL.into_iter().map(Element::Float);
        let integers = [Element::Signed, Element::Unsigned, Element::Bits];
        let integers = integers.into_iter().flat_map(|it| WIDTHS.map(it));
        floats.chain(integers).map(Element::word).collect()
    }

    /// Returns the type that a word names, without its period: `f32`, `u8`.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Element> {
        if let Some(format) = Format::from_word(word) {
            return Some(Element::Float(format));
        }
        let make = match word.get(..1)? {
            "s" => Element::Signed,
            "u" => Element::Unsigned,
            "b" => Element::Bits,
            _ => return None,
        };
        let bits = word[1..].parse().ok().filter(|it| WIDTHS.contains(it));
        bits.map(make).filter(|it| it.word() == word)
    }

    /// Reads the word of a type.
    pub(super) fn parse(word: &str) -> Result<Element, String> {
        Element::from_word(word).ok_or_else(|| {
            let words = Element::words();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            not_allowed("type", word, &words)
        })
    }

    /// Returns its word, without a period.
    #[must_use]
    pub fn word(self) -> String {
        match self {
            Element::Float(format) => format.word().to_owned(),
            Element::Signed(bits) => format!("s{bits}"),
            Element::Unsigned(bits) => format!("u{bits}"),
            Element::Bits(bits) => format!("b{bits}"),
        }
    }

    /// Returns how many bits an element takes in an array: 4 for `e2m1`, else a multiple of 8.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Element::Float(format) => format.bits(),
            Element::Signed(bits) | Element::Unsigned(bits) | Element::Bits(bits) => bits,
        }
    }

    /// Returns the bytes of so many elements, if they fill bytes and do not overflow.
    #[must_use]
    pub fn bytes(self, count: u64) -> Option<u64> {
        let bits = count.checked_mul(self.bits().into())?;
        (bits % 8 == 0).then_some(bits / 8)
    }

    /// Returns the number that some bits are; an integer for those that have no type.
    #[must_use]
    pub fn number(self, bits: u64) -> Number {
        match self {
            Element::Float(format) => Number::decode(format, bits),
            Element::Signed(_) => Number::from_signed(self.integer(bits)),
            Element::Unsigned(_) | Element::Bits(_) => Number::from_unsigned(bits.into()),
        }
    }

    /// Returns the integer that some bits are.
    pub(super) fn integer(self, bits: u64) -> i128 {
        match self {
            Element::Signed(width) => {
                let unused = 64 - width;
                i128::from(((bits << unused) as i64) >> unused)
            }
            _ => bits.into(),
        }
    }

    /// Returns the number that some bits are, to be shown.
    #[must_use]
    pub fn shown(self, bits: u64) -> Shown {
        match self {
            Element::Float(Format::F64) => Shown::Float(self.number(bits).to_f64()),
            // Nothing of it is lost.
            Element::Float(_) => Shown::Single(self.number(bits).to_f64() as f32),
            _ => Shown::Integer(self.integer(bits)),
        }
    }

    /// Returns the bits of a number, rounded to the nearest one that there is.
    #[must_use]
    pub fn round(format: Format, number: Number) -> u64 {
        number.round(format, Rounding::NearestEven)
    }

    /// Returns the bits of an integer.
    ///
    /// # Errors
    /// It is too large, as a sentence.
    pub fn from_integer(self, value: i128) -> Result<u64, String> {
        if let Element::Float(format) = self {
            return Ok(Element::round(format, Number::from_signed(value)));
        }
        let bits = self.bits();
        let (least, most) = (-(1_i128 << (bits - 1)), (1_i128 << bits) - 1);
        if !(least..=most).contains(&value) {
            return Err(format!("{value} does not fit into `.{}`", self.word()));
        }
        Ok(value as u64 & (most as u64))
    }

    /// Returns the bits of a value of a description.
    ///
    /// # Errors
    /// It is not a number of this type, as a sentence.
    pub fn encode(self, value: &Value) -> Result<u64, String> {
        match (&value.data, self) {
            (Data::Integer(it, false), Element::Float(_)) => Err(format!(
                "a `.{}` has a decimal number, or its bits as `0f` with 8 or `0d` with 16 hexadecimal digits; `{it:#x}` is an integer",
                self.word()
            )),
            (Data::Integer(it, _), _) => self.from_integer(*it),
            (Data::Bool(it), Element::Unsigned(_) | Element::Bits(_)) => Ok((*it).into()),
            (Data::Float(it), _) => self.encode_float(Number::from_f64(*it), None),
            (Data::FloatBits(format, bits), _) => {
                self.encode_float(Number::decode(*format, *bits), Some((*format, *bits)))
            }
            (Data::Text(text), _) => self.encode_text(text),
            _ => Err(format!("expected a number, found {}", value.kind())),
        }
    }

    /// The bits of a floating-point number, whose own bits may be known.
    fn encode_float(self, number: Number, bits: Option<(Format, u64)>) -> Result<u64, String> {
        let format = match self {
            Element::Float(format) => format,
            Element::Bits(16) => Format::F16,
            Element::Bits(32) => Format::F32,
            Element::Bits(64) => Format::F64,
            _ => return Err(format!("a `.{}` is an integer", self.word())),
        };
        Ok(match bits {
            // A NaN keeps what it carries.
            Some((same, bits)) if same == format => bits,
            _ => Element::round(format, number),
        })
    }

    /// The bits of a number in a string: what TOML has no word for.
    fn encode_text(self, text: &str) -> Result<u64, String> {
        if let Some((format, bits)) = ptx_float(text) {
            return self.encode_float(Number::decode(format, bits), Some((format, bits)));
        }
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        if let Some(value) = hex.and_then(|it| i128::from_str_radix(it, 16).ok()) {
            return self.encode(&Data::Integer(value, false).into());
        }
        if let Ok(value) = text.parse() {
            return self.from_integer(value);
        }
        match text.parse::<f64>() {
            Ok(value) => self.encode_float(Number::from_f64(value), None),
            Err(_) => Err(format!("expected a number, found \"{text}\"")),
        }
    }
}
