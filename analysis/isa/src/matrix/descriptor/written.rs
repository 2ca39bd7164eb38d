//! Descriptors from fields as people write them: `swizzle=128-bytes`, `n=256`.

use super::{Field, Format, Meaning, common_format, format};
use crate::target::Target;

/// A descriptor by a name, for calculators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name: `wgmma`, or the kind of an instruction descriptor.
    pub name: &'static str,
    instruction: &'static str,
    operand: &'static str,
    words: &'static [&'static str],
}

const fn named(
    name: &'static str,
    instruction: &'static str,
    operand: &'static str,
    words: &'static [&'static str],
) -> Named {
    Named {
        name,
        instruction,
        operand,
        words,
    }
}

/// Descriptors of matrices in shared memory.
pub const SHARED: [Named; 2] = [
    named("wgmma", "wgmma.mma_async", "a", &[]),
    named("tcgen05", "tcgen05.mma", "a", &[]),
];

/// Instruction descriptors, by `.kind`.
pub const PRODUCTS: [Named; 7] = [
    named("f16", "tcgen05.mma", "idesc", &["kind::f16"]),
    named("tf32", "tcgen05.mma", "idesc", &["kind::tf32"]),
    named("f8f6f4", "tcgen05.mma", "idesc", &["kind::f8f6f4"]),
    named("i8", "tcgen05.mma", "idesc", &["kind::i8"]),
    named("mxf8f6f4", "tcgen05.mma", "idesc", &["kind::mxf8f6f4"]),
    named("mxf4", "tcgen05.mma", "idesc", &["kind::mxf4"]),
    named("mxf4nvf4", "tcgen05.mma", "idesc", &["kind::mxf4nvf4"]),
];

impl Named {
    /// The fields; without a target those of targets other than the `sm_107` family.
    #[must_use]
    pub fn format(&self, sparse: bool, target: Option<Target>) -> Option<Format> {
        let mut words = self.words.to_vec();
        words.extend(sparse.then_some("sp"));
        match target {
            Some(target) => format(self.instruction, self.operand, &words, target),
            None => common_format(self.instruction, self.operand, &words),
        }
    }
}

/// A text as a key: letters and digits in lower case, a dash for everything else.
fn key(text: &str) -> String {
    let parts = text.split(|it: char| !it.is_ascii_alphanumeric());
    let parts: Vec<&str> = parts.filter(|it| !it.is_empty()).collect();
    parts.join("-").to_ascii_lowercase()
}

/// A number as people write it, decimal or with `0x`.
fn number(text: &str) -> Option<u64> {
    let text = text.replace('_', "");
    match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

impl Field {
    /// The key that names the field: `stride-dimension-offset`.
    #[must_use]
    pub fn key(&self) -> String {
        key(self.name)
    }

    /// The keys of its values, if they are a few words; [`Field::bits_of`] takes them.
    #[must_use]
    pub fn choices(&self) -> Vec<String> {
        match self.meaning {
            Meaning::Choice(choices) => choices.iter().map(|it| key(it.1)).collect(),
            _ => Vec::new(),
        }
    }

    /// The bits of a written value: bytes of an address or offset, rows, columns, a number, or one of the choices.
    ///
    /// # Errors
    ///
    /// The field cannot have that value; the text says which it can.
    pub fn bits_of(&self, text: &str) -> Result<u64, String> {
        let expected = |what: String| Err(format!("`{}={text}`: expected {what}", self.key()));
        if let Meaning::Choice(choices) = self.meaning {
            let wanted = key(text);
            let equal =
                |it: &&(u64, &str)| [&wanted, &format!("{wanted}-bytes")].contains(&&key(it.1));
            let mut longer = choices.iter().filter(|it| key(it.1).starts_with(&wanted));
            return match (choices.iter().find(equal), longer.next(), longer.next()) {
                (Some(found), ..) | (None, Some(found), None) => Ok(found.0),
                _ => expected(self.choices().join(", ")),
            };
        }
        let unit = match self.meaning {
            Meaning::Bytes => 16,
            Meaning::Rows(unit, _) => unit,
            Meaning::Columns => 8,
            _ => 1,
        };
        let least = u64::from(self.meaning == Meaning::CountLessOne);
        let most = (self.largest() + least) * unit;
        let value = match (self.meaning, text) {
            (Meaning::Sparse(_), "yes") => Some(1),
            (Meaning::Sparse(_), "no") => Some(0),
            _ => number(text),
        };
        match value {
            Some(it) if it.is_multiple_of(unit) && (least..=most).contains(&it) => {
                Ok(it / unit - least)
            }
            _ if unit == 1 => expected(format!("a number from {least} to {most}")),
            _ => expected(format!("a multiple of {unit}, at most {most}")),
        }
    }

    /// The bits of a field that nothing is written for.
    fn default(&self) -> u64 {
        match self.meaning {
            Meaning::Fixed(value) => value,
            Meaning::Sparse(sparse) => sparse.into(),
            Meaning::Choice(choices) => match choices.iter().any(|it| it.0 == 0) {
                true => 0,
                false => choices.first().map_or(0, |it| it.0),
            },
            _ => 0,
        }
    }
}

impl Format {
    /// The descriptor with written values, by the keys of the fields; other fields are 0, or what they must be.
    ///
    /// # Errors
    ///
    /// A key or a value does not exist; the text says which ones do.
    pub fn encode_written(&self, values: &[(&str, &str)]) -> Result<u64, String> {
        let mut bits = 0;
        for field in &self.fields {
            bits |= field.default() << field.low;
        }
        for (name, value) in values {
            let free = |it: &&Field| !matches!(it.meaning, Meaning::Fixed(_));
            let fields: Vec<&Field> = self.fields.iter().filter(free).collect();
            let Some(field) = fields.iter().find(|it| it.key() == *name) else {
                let keys: Vec<String> = fields.iter().map(|it| it.key()).collect();
                return Err(format!(
                    "`{name}` is not a field of this descriptor; its fields: {}",
                    keys.join(", ")
                ));
            };
            let value = field.bits_of(value)?;
            bits = bits & !(field.largest() << field.low) | value << field.low;
        }
        Ok(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every() -> Vec<Format> {
        let newest = Target::parse("sm_107a");
        let all = SHARED.iter().chain(&PRODUCTS);
        all.flat_map(|it| {
            [(false, None), (true, None), (false, newest)]
                .map(|(sparse, target)| it.format(sparse, target))
        })
        .map(|it| it.expect("a format"))
        .collect()
    }

    /// Every allowed value of every field can be written as it is shown.
    #[test]
    fn shown_values_can_be_written() {
        for format in every() {
            for field in format
                .fields
                .iter()
                .filter(|it| !matches!(it.meaning, Meaning::Fixed(_)))
            {
                for value in 0..1_u64 << field.width.min(9) {
                    let bits = value << field.low;
                    let decoded = format.decode(bits);
                    let shown = decoded
                        .iter()
                        .find(|it| it.field == *field)
                        .expect("the field");
                    if shown.problem.is_some() {
                        continue;
                    }
                    let text = shown.text.split(" bytes (").next().expect("a text");
                    assert_eq!(field.bits_of(text), Ok(value), "{} {text}", field.name);
                    let written = format
                        .encode_written(&[(&field.key(), text)])
                        .expect("a value");
                    assert_eq!(field.value(written), value);
                }
            }
        }
    }

    #[test]
    fn defaults_are_valid() {
        for format in every() {
            let has = |it: &str| format.fields.iter().any(|field| field.key() == it);
            let size: &[_] = if has("m") {
                &[("m", "128"), ("n", "64")]
            } else {
                &[]
            };
            let bits = format.encode_written(size).expect("values");
            let problems: Vec<_> = format
                .decode(bits)
                .into_iter()
                .filter_map(|it| it.problem)
                .collect();
            assert_eq!(problems, [""; 0], "{}", format.title);
        }
    }

    #[test]
    fn wrong_values_are_explained() {
        let wgmma = SHARED[0].format(false, None).expect("a format");
        for (name, value, expected) in [
            (
                "swizzle",
                "256",
                "`swizzle=256`: expected none, 128-bytes, 64-bytes, 32-bytes",
            ),
            (
                "start-address",
                "0x408",
                "`start-address=0x408`: expected a multiple of 16, at most 262128",
            ),
            (
                "base-offset",
                "8",
                "`base-offset=8`: expected a number from 0 to 7",
            ),
            (
                "reserved",
                "0",
                "`reserved` is not a field of this descriptor; its fields: start-address, leading-dimension-offset, stride-dimension-offset, base-offset, swizzle",
            ),
        ] {
            assert_eq!(
                wgmma.encode_written(&[(name, value)]),
                Err(expected.to_owned())
            );
        }
        let tf32 = PRODUCTS[1].format(false, None).expect("a format");
        let error = tf32.encode_written(&[("type-of-a", "bf16")]);
        assert_eq!(error, Err("`type-of-a=bf16`: expected tf32".to_owned()));
    }
}
