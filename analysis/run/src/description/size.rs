//! Sizes: integers, or expressions over the scalar arguments, such as `"(n + 127) / 128"`.

use super::{
    problem::Problem,
    table::Table,
    value::{Data, Value},
};

/// A scalar argument that expressions may name.
pub(super) type Scalar = (String, i128);

/// The number of a value.
///
/// # Errors
/// It is neither an integer that is not negative nor an expression of one, as a sentence.
pub(super) fn size(value: &Value, scalars: &[Scalar]) -> Result<u64, String> {
    let number = match &value.data {
        Data::Integer(it, _) => *it,
        Data::Text(text) => evaluate(text, scalars)?,
        _ => return Err(format!("expected an integer, found {}", value.kind())),
    };
    u64::try_from(number).map_err(|_| format!("{number} is not a size"))
}

/// The elements along each dimension.
pub(super) fn shape(table: &Table<'_>, key: &str, scalars: &[Scalar]) -> Result<Vec<u64>, Problem> {
    let list = table.list(key).unwrap_or_default().iter();
    let sizes = list.map(|value| {
        size(value, scalars).map_err(|it| Problem::new(value.span.clone(), table.path(key), it))
    });
    sizes.collect()
}

fn evaluate(text: &str, scalars: &[Scalar]) -> Result<i128, String> {
    let mut rest = Rest {
        text,
        scalars,
        depth: 0,
    };
    let value = rest.sum()?;
    match rest.text.trim_start() {
        "" => Ok(value),
        other => Err(format!("unexpected `{other}` in the size \"{text}\"")),
    }
}

/// The text that is not read yet.
struct Rest<'a> {
    text: &'a str,
    scalars: &'a [Scalar],
    depth: u32,
}

/// The most parentheses within each other.
const MAX_DEPTH: u32 = 64;

impl Rest<'_> {
    /// Takes one of these operators.
    fn operator(&mut self, operators: &str) -> Option<char> {
        self.text = self.text.trim_start();
        let found = self
            .text
            .chars()
            .next()
            .filter(|it| operators.contains(*it))?;
        self.text = &self.text[1..];
        Some(found)
    }

    fn sum(&mut self) -> Result<i128, String> {
        let mut value = self.product()?;
        while let Some(operator) = self.operator("+-") {
            let other = self.product()?;
            value = combine(value, operator, other)?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<i128, String> {
        let mut value = self.factor()?;
        while let Some(operator) = self.operator("*/%") {
            let other = self.factor()?;
            value = combine(value, operator, other)?;
        }
        Ok(value)
    }

    fn factor(&mut self) -> Result<i128, String> {
        if self.operator("(").is_some() {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err("the size is nested too deeply".to_owned());
            }
            let value = self.sum()?;
            self.depth -= 1;
            return match self.operator(")") {
                Some(_) => Ok(value),
                None => Err("`)` is missing in a size".to_owned()),
            };
        }
        self.text = self.text.trim_start();
        let is_word = |it: char| it.is_alphanumeric() || matches!(it, '_' | '$');
        let end = self.text.find(|it| !is_word(it)).unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(end);
        self.text = rest;
        if let Ok(number) = word.parse() {
            return Ok(number);
        }
        let found = self.scalars.iter().find(|it| it.0 == word);
        found.map(|it| it.1).ok_or_else(|| match word {
            "" => "a number or a name is missing in a size".to_owned(),
            _ => format!("`{word}` is not a scalar argument with an integer"),
        })
    }
}

fn combine(a: i128, operator: char, b: i128) -> Result<i128, String> {
    let value = match operator {
        '+' => a.checked_add(b),
        '-' => a.checked_sub(b),
        '*' => a.checked_mul(b),
        '/' => a.checked_div_euclid(b),
        _ => a.checked_rem_euclid(b),
    };
    value.ok_or_else(|| format!("`{a} {operator} {b}` has no value"))
}
