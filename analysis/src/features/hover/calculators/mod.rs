//! Calculators: what people compute by hand for matrices in shared memory, from values that they write.
//!
//! A question such as `swizzle mode=128 row=3` names a calculator and gives it values; forms of the book ask the same
//! questions. The answers come from the code that decodes descriptors for hovers and moves bytes for runs.

mod descriptors;
mod fragment;
mod swizzle;
mod tensor_map;
#[cfg(test)]
mod tests;

use crate::hir::number::integer;

/// A calculator of the book and of `explain`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calculator {
    /// The word with which its questions begin: `swizzle`.
    pub name: &'static str,
    /// Its values, in the order of a form.
    pub inputs: Vec<CalculatorInput>,
}

/// A value that a calculator takes, written `NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalculatorInput {
    /// The name in questions: `stride-dimension-offset`.
    pub name: &'static str,
    /// A description for forms, with its unit.
    pub label: &'static str,
    /// Allowed values; empty for numbers and free text.
    pub choices: Vec<String>,
    /// Whether `choices` are suggestions, and other values are allowed.
    pub is_open: bool,
    /// The value in questions that do not give it; empty for none.
    pub default: String,
}

/// The answer to the values of a calculator, as Markdown; the error is about a value.
type Calculate = fn(&Values<'_>) -> Result<String, String>;

/// Every calculator, with its answer.
fn all() -> [(Calculator, Calculate); 5] {
    [
        (descriptors::matrix(), descriptors::matrix_descriptor),
        (descriptors::product(), descriptors::instruction_descriptor),
        (tensor_map::calculator(), tensor_map::tensor_map),
        (swizzle::calculator(), swizzle::swizzle),
        (fragment::calculator(), fragment::fragment),
    ]
}

/// Every calculator, in the order of the book.
#[must_use]
pub fn calculators() -> Vec<Calculator> {
    all().into_iter().map(|it| it.0).collect()
}

/// The answer to a question that begins with the name of a calculator and continues with values, `NAME=VALUE`, as
/// Markdown; `None` for other questions.
///
/// # Errors
///
/// A value is missing, unknown or impossible; the text names it.
#[must_use]
pub fn calculate(question: &str) -> Option<Result<String, String>> {
    let mut name = String::new();
    let mut written = Vec::new();
    for word in question.split_whitespace() {
        match word.split_once('=') {
            Some((key, value)) if !key.is_empty() => written.push((key, value)),
            _ if written.is_empty() => {
                name.push_str(if name.is_empty() { "" } else { "-" });
                name.push_str(&word.to_lowercase());
            }
            _ => return None,
        }
    }
    if written.is_empty() {
        return None;
    }
    let (calculator, calculate) = all().into_iter().find(|it| it.0.name == name)?;
    // An empty field of a form is a value that is not given.
    written.retain(|it| !it.1.is_empty());
    Some(calculate(&Values {
        calculator: &calculator,
        written,
    }))
}

/// The values of a question.
struct Values<'a> {
    calculator: &'a Calculator,
    written: Vec<(&'a str, &'a str)>,
}

impl<'a> Values<'a> {
    /// The value of an input that is not written; empty for none.
    fn default(&self, name: &str) -> &'a str {
        let mut inputs = self.calculator.inputs.iter();
        inputs
            .find(|it| it.name == name)
            .map_or("", |it| &it.default)
    }

    /// A value as it is written, or its default.
    fn text(&self, name: &str) -> &'a str {
        let written = self.written.iter().rfind(|it| it.0 == name);
        written.map_or_else(|| self.default(name), |it| it.1)
    }

    /// A number; `None` if it is not given.
    fn optional(&self, name: &str) -> Result<Option<u64>, String> {
        match self.text(name) {
            "" => Ok(None),
            text => match integer(text) {
                Some(it) => Ok(Some(it)),
                None => Err(format!("`{name}={text}`: expected a number")),
            },
        }
    }

    fn number(&self, name: &str, most: u64) -> Result<u64, String> {
        match self.optional(name)? {
            Some(it) if it <= most => Ok(it),
            Some(it) => Err(format!("`{name}={it}`: expected at most {most}")),
            None => Err(format!("`{name}` is missing")),
        }
    }

    /// Numbers with `x` or commas between them; empty if they are not given.
    fn numbers(&self, name: &str) -> Result<Vec<u64>, String> {
        let text = self.text(name);
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let all: Option<Vec<u64>> = text.split([',', 'x']).map(integer).collect();
        all.ok_or_else(|| format!("`{name}={text}`: expected numbers, as in `64x128`"))
    }

    /// One of the choices of an input, by its index.
    fn choice(&self, name: &str) -> Result<usize, String> {
        let text = self.text(name);
        let mut inputs = self.calculator.inputs.iter();
        let choices = inputs
            .find(|it| it.name == name)
            .map_or(&[][..], |it| &it.choices);
        let index = choices.iter().position(|it| it == text);
        index.ok_or_else(|| format!("`{name}={text}`: expected {}", choices.join(", ")))
    }

    /// Rejects names that are not inputs.
    fn only_inputs(&self) -> Result<(), String> {
        let inputs: Vec<&str> = self.calculator.inputs.iter().map(|it| it.name).collect();
        match self.written.iter().find(|it| !inputs.contains(&it.0)) {
            Some((name, _)) => Err(format!(
                "`{name}` is not an input; inputs: {}",
                inputs.join(", ")
            )),
            None => Ok(()),
        }
    }

    /// The names and values without the inputs of these names.
    fn others(&self, known: &[&str]) -> Vec<(&'a str, &'a str)> {
        let all = self.written.iter().copied();
        all.filter(|it| !known.contains(&it.0)).collect()
    }
}

/// An input that takes any text.
fn free(name: &'static str, label: &'static str, default: &str) -> CalculatorInput {
    CalculatorInput {
        name,
        label,
        choices: Vec::new(),
        is_open: true,
        default: default.to_owned(),
    }
}

/// An input with choices, the first of which is the default.
fn one_of<'a>(
    name: &'static str,
    label: &'static str,
    choices: impl IntoIterator<Item = &'a str>,
) -> CalculatorInput {
    let choices: Vec<String> = choices.into_iter().map(str::to_owned).collect();
    CalculatorInput {
        name,
        label,
        is_open: false,
        default: choices.first().cloned().unwrap_or_default(),
        choices,
    }
}

/// A row of a Markdown table.
fn row(first: &str, cells: impl IntoIterator<Item = String>) -> String {
    let cells = cells.into_iter().map(|it| format!(" {it} |"));
    format!("| {first} |{}\n", cells.collect::<String>())
}
