//! The conversions of `printf`: what one of them writes, ISO C 7.21.6.1.

#[cfg(test)]
mod tests;

/// The most characters that a width or a precision may ask for.
const MOST: usize = 4096;

/// A width or a precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    /// It is not stated.
    Missing,
    /// A number in the format.
    Number(usize),
    /// An argument of its own.
    Argument,
}

/// A conversion of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conversion<'a> {
    flags: &'a str,
    pub(super) width: Amount,
    pub(super) precision: Amount,
    length: &'a str,
    letter: u8,
}

/// The digits at the start of a text as a number, and what follows.
fn amount(text: &str) -> (Amount, &str) {
    if let Some(rest) = text.strip_prefix('*') {
        return (Amount::Argument, rest);
    }
    let rest = text.trim_start_matches(|it: char| it.is_ascii_digit());
    let digits = &text[..text.len() - rest.len()];
    let number = digits.parse().ok().map(|it: usize| it.min(MOST));
    (number.map_or(Amount::Missing, Amount::Number), rest)
}

impl<'a> Conversion<'a> {
    /// Reads a conversion after its percent sign; returns it with the text that follows.
    pub(super) fn read(text: &'a str) -> Option<(Conversion<'a>, &'a str)> {
        let rest = text.trim_start_matches(['-', '+', ' ', '#', '0']);
        let flags = &text[..text.len() - rest.len()];
        let (width, rest) = amount(rest);
        let (precision, rest) = match rest.strip_prefix('.') {
            Some(rest) => match amount(rest) {
                (Amount::Missing, rest) => (Amount::Number(0), rest),
                it => it,
            },
            None => (Amount::Missing, rest),
        };
        let after = rest.trim_start_matches(['h', 'l', 'L', 'j', 'z', 't']);
        let length = &rest[..rest.len() - after.len()];
        let letter = *after.as_bytes().first()?;
        let found = Conversion {
            flags,
            width,
            precision,
            length,
            letter,
        };
        letter.is_ascii_alphabetic().then(|| (found, &after[1..]))
    }

    /// The bytes of its argument in the list.
    pub(super) fn size(&self) -> u64 {
        let is_long = self.length.contains(['l', 'L', 'j', 'z', 't']);
        match is_long || b"psfFeEgGaA".contains(&self.letter) {
            true => 8,
            false => 4,
        }
    }

    /// Whether its argument is the address of a text.
    pub(super) fn is_text(&self) -> bool {
        self.letter == b's'
    }

    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    /// Its output for a text.
    pub(super) fn of_text(&self, text: &str, width: i64, precision: Option<usize>) -> String {
        let kept: String = text.chars().take(precision.unwrap_or(usize::MAX)).collect();
        self.padded("", &kept, width, false)
    }

    /// Its output for the bits of a number.
    pub(super) fn of_number(&self, value: u64, width: i64, precision: Option<usize>) -> String {
        match self.letter {
            b'c' => self.padded("", &char::from(value as u8).to_string(), width, false),
            b'p' => self.padded("0x", &format!("{value:x}"), width, false),
            b'd' | b'i' => {
                let value = match self.length {
                    "hh" => i64::from(value as i8),
                    "h" => i64::from(value as i16),
                    "" => i64::from(value as i32),
                    _ => value as i64,
                };
                let digits = value.unsigned_abs().to_string();
                self.integer(self.sign(value < 0), digits, value == 0, width, precision)
            }
            b'u' | b'o' | b'x' | b'X' => {
                let value = match self.length {
                    "hh" => value & 0xFF,
                    "h" => value & 0xFFFF,
                    _ => value,
                };
                let (prefix, digits) = match self.letter {
                    b'u' => ("", value.to_string()),
                    b'o' => ("0", format!("{value:o}")),
                    b'x' => ("0x", format!("{value:x}")),
                    _ => ("0X", format!("{value:X}")),
                };
                let prefix = if self.has('#') && value != 0 {
                    prefix
                } else {
                    ""
                };
                self.integer(prefix, digits, value == 0, width, precision)
            }
            _ => self.float(f64::from_bits(value), width, precision.unwrap_or(6)),
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.has('+'), self.has(' ')) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    fn integer(
        &self,
        prefix: &str,
        digits: String,
        is_zero: bool,
        width: i64,
        precision: Option<usize>,
    ) -> String {
        let digits = match precision {
            Some(0) if is_zero => String::new(),
            Some(least) => format!("{digits:0>least$}"),
            None => digits,
        };
        self.padded(prefix, &digits, width, precision.is_none())
    }

    fn float(&self, value: f64, width: i64, precision: usize) -> String {
        let sign = self.sign(value.is_sign_negative());
        let value = value.abs();
        if !value.is_finite() {
            let word = if value.is_nan() { "nan" } else { "inf" };
            let word = match self.letter.is_ascii_uppercase() {
                true => word.to_uppercase(),
                false => word.to_owned(),
            };
            return self.padded(sign, &word, width, false);
        }
        let digits = match self.letter.to_ascii_lowercase() {
            b'f' => format!("{value:.precision$}"),
            b'e' => exponential(value, precision),
            _ => self.shortest(value, precision.max(1)),
        };
        let digits = match self.letter.is_ascii_uppercase() {
            true => digits.to_uppercase(),
            false => digits,
        };
        self.padded(sign, &digits, width, true)
    }

    /// The shorter of both notations with so many significant digits.
    fn shortest(&self, value: f64, precision: usize) -> String {
        let long = exponential(value, precision - 1);
        let exponent = long.rsplit('e').next().and_then(|it| it.parse().ok());
        let exponent: i64 = exponent.unwrap_or(0);
        let plain = (-4..precision as i64).contains(&exponent);
        let trimmed = |it: &str| match it.contains('.') && !self.has('#') {
            true => it.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => it.to_owned(),
        };
        if plain {
            let digits = (precision as i64 - 1 - exponent).max(0) as usize;
            return trimmed(&format!("{value:.digits$}"));
        }
        match long.split_once('e') {
            Some((digits, exponent)) => format!("{}e{exponent}", trimmed(digits)),
            None => long,
        }
    }

    /// A number or text in its width; a negative width is one with the flag `-`.
    fn padded(&self, prefix: &str, digits: &str, width: i64, zeros: bool) -> String {
        let length = prefix.chars().count() + digits.chars().count();
        let wanted = usize::try_from(width.unsigned_abs()).unwrap_or(0).min(MOST);
        let missing = wanted.saturating_sub(length);
        match (self.has('-') || width < 0, zeros && self.has('0')) {
            (true, _) => format!("{prefix}{digits}{}", " ".repeat(missing)),
            (_, true) => format!("{prefix}{}{digits}", "0".repeat(missing)),
            _ => format!("{}{prefix}{digits}", " ".repeat(missing)),
        }
    }
}

/// A number with one digit before the point, and an exponent of at least two.
fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let exponent: i64 = exponent.parse().unwrap_or(0);
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
        None => text,
    }
}
