//! The values of a description with their places in the text, however it was written.

use std::ops::Range;

use isa::compute::float::Format;
use rustc_hash::FxHashMap;
use toml::de::{DeTable, DeValue};

use super::problem::Problem;

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The bytes of the text that it takes; empty if it was not read from a text.
    pub span: Range<usize>,
    /// The value.
    pub data: Data,
}

/// A value without its place.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Keys and their values, in the order of the text.
    Table(Vec<(Key, Value)>),
    /// Values in order.
    List(Vec<Value>),
    /// A string.
    Text(String),
    /// An integer, and whether it is written in decimal.
    Integer(i128, bool),
    /// A floating-point number.
    Float(f64),
    /// The bits of a floating-point number, as PTX writes them.
    FloatBits(Format, u64),
    /// `true` or `false`.
    Bool(bool),
}

/// A key of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The name.
    pub name: String,
    /// The bytes of the text that it takes.
    pub span: Range<usize>,
}

impl From<Data> for Value {
    fn from(data: Data) -> Value {
        Value { span: 0..0, data }
    }
}

impl Value {
    /// Reads a text in TOML in which floating-point numbers may be written as in PTX, too.
    ///
    /// # Errors
    /// The text is not TOML.
    pub fn parse(text: &str) -> Result<Value, Problem> {
        let (text, bits) = without_ptx_floats(text);
        let table = DeTable::parse(&text).map_err(|it| {
            Problem::new(it.span().unwrap_or_default(), "", it.message().to_owned())
        })?;
        let span = table.span();
        Ok(Value {
            span,
            data: Data::Table(entries(table.into_inner(), &bits)?),
        })
    }

    /// Reads one value as [`Self::parse`] does; a word that is not a value is a string.
    #[must_use]
    pub fn parse_word(text: &str) -> Value {
        let written = format!("value = {text}");
        match Value::parse(&written).map(|it| it.data) {
            Ok(Data::Table(mut entries)) if entries.len() == 1 => entries.remove(0).1.data.into(),
            _ => Data::Text(text.to_owned()).into(),
        }
    }

    /// The value of a key, if it is a table that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        let Data::Table(entries) = &self.data else {
            return None;
        };
        let found = entries.iter().find(|it| it.0.name == key);
        found.map(|it| &it.1)
    }

    /// Puts a value at the end of a path of keys, and tables where there are none.
    pub fn set(&mut self, path: &[&str], value: Value) {
        let Some((first, rest)) = path.split_first() else {
            *self = value;
            return;
        };
        if !matches!(self.data, Data::Table(_)) {
            self.data = Data::Table(Vec::new());
        }
        let Data::Table(entries) = &mut self.data else {
            return;
        };
        let at = entries.iter().position(|it| it.0.name == *first);
        let at = at.unwrap_or_else(|| {
            let key = Key {
                name: (*first).to_owned(),
                span: 0..0,
            };
            entries.push((key, Data::Table(Vec::new()).into()));
            entries.len() - 1
        });
        entries[at].1.set(rest, value);
    }

    /// Moves all places by so many bytes.
    pub(super) fn shift(&mut self, by: usize) {
        let moved = |span: &mut Range<usize>| *span = span.start + by..span.end + by;
        moved(&mut self.span);
        match &mut self.data {
            Data::Table(entries) => {
                for (key, value) in entries {
                    moved(&mut key.span);
                    value.shift(by);
                }
            }
            Data::List(list) => list.iter_mut().for_each(|it| it.shift(by)),
            _ => {}
        }
    }

    /// Its kind with an article, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.data {
            Data::Table(_) => "a table",
            Data::List(_) => "a list",
            Data::Text(_) => "a string",
            Data::Integer(..) => "an integer",
            Data::Float(_) | Data::FloatBits(..) => "a floating-point number",
            Data::Bool(_) => "a truth value",
        }
    }
}

/// Bits of numbers as PTX writes them, by their place.
type FloatBits = FxHashMap<usize, (Format, u64)>;

/// The format and the bits of a number as PTX writes it: `0f3F800000`, `0d3FF0000000000000`.
pub(super) fn ptx_float(word: &str) -> Option<(Format, u64)> {
    let (format, digits) = match word.get(..2)? {
        "0f" | "0F" => (Format::F32, 8),
        "0d" | "0D" => (Format::F64, 16),
        _ => return None,
    };
    let hex = word.get(2..)?;
    let right = hex.len() == digits && hex.bytes().all(|it| it.is_ascii_hexdigit());
    let bits = right.then(|| u64::from_str_radix(hex, 16).ok()).flatten();
    bits.map(|bits| (format, bits))
}

/// The text with numbers as PTX writes them made hexadecimal integers of the same length, and what they are.
fn without_ptx_floats(text: &str) -> (String, FloatBits) {
    let mut bits = FloatBits::default();
    let mut found: Vec<u8> = text.as_bytes().to_vec();
    let mut quote = None;
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        match (quote, byte) {
            (Some(b'"'), b'\\') => at += 1,
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'#') => {
                let rest = &text.as_bytes()[at..];
                at += rest
                    .iter()
                    .position(|it| *it == b'\n')
                    .unwrap_or(rest.len());
            }
            (None, _) if byte.is_ascii_alphanumeric() => {
                let rest = &text.as_bytes()[at..];
                let is_word = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'.');
                let length = rest
                    .iter()
                    .position(|it| !is_word(it))
                    .unwrap_or(rest.len());
                // All bytes of the word are ASCII.
                if let Some(number) = text.get(at..at + length).and_then(ptx_float) {
                    bits.insert(at, number);
                    found[at + 1] = b'x';
                }
                at += length - 1;
            }
            // A string ends with its line at the latest, unless it has three quotes.
            (Some(_), b'\n') if !text[..at].contains("\"\"\"") && !text[..at].contains("'''") => {
                quote = None;
            }
            _ => {}
        }
        at += 1;
    }
    // Letters were replaced by letters.
    (String::from_utf8(found).unwrap_or_default(), bits)
}

fn entries(table: DeTable<'_>, bits: &FloatBits) -> Result<Vec<(Key, Value)>, Problem> {
    let mut found = Vec::new();
    for (key, value) in table {
        let key = Key {
            span: key.span(),
            name: key.into_inner().into_owned(),
        };
        let span = value.span();
        found.push((key, read(value.into_inner(), span, bits)?));
    }
    found.sort_by_key(|it| it.0.span.start);
    Ok(found)
}

fn read(value: DeValue<'_>, span: Range<usize>, bits: &FloatBits) -> Result<Value, Problem> {
    let data = match value {
        DeValue::String(text) => Data::Text(text.into_owned()),
        DeValue::Integer(it) => match bits.get(&span.start) {
            Some((format, bits)) => Data::FloatBits(*format, *bits),
            None => match i128::from_str_radix(it.as_str(), it.radix()) {
                Ok(value) => Data::Integer(value, it.radix() == 10),
                Err(_) => return Err(Problem::new(span, "", "this integer is too large")),
            },
        },
        DeValue::Float(it) => match it.as_str().parse() {
            Ok(value) => Data::Float(value),
            Err(_) => return Err(Problem::new(span, "", "this number cannot be read")),
        },
        DeValue::Boolean(it) => Data::Bool(it),
        DeValue::Datetime(_) => return Err(Problem::new(span, "", "a date has no use here")),
        DeValue::Array(list) => {
            let list = list.into_iter().map(|it| {
                let span = it.span();
                read(it.into_inner(), span, bits)
            });
            Data::List(list.collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => Data::Table(entries(table, bits)?),
    };
    Ok(Value { span, data })
}
