//! The conditions of the preprocessor when device code is compiled for a target.

use isa::target::{Suffix, Target};
use syntax::host::{Condition, Test};

/// An answer that may not be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    Yes,
    No,
    Unknown,
}

/// Decides whether a place under these conditions is compiled for a target; without one, for any device.
pub(super) fn compiled(text: &str, conditions: &[Condition], target: Option<Target>) -> Truth {
    let mut all = Truth::Yes;
    for condition in conditions {
        let expression = &text[condition.range];
        let value = match condition.test {
            Test::Value => value(expression, target).map(|it| it != 0),
            Test::Defined => {
                let mut reader = Reader::new(expression, target);
                match reader.next() {
                    Token::Name(name) => defined(name, target),
                    _ => None,
                }
            }
        };
        match value {
            Some(it) if it != condition.expected => return Truth::No,
            Some(_) => {}
            None => all = Truth::Unknown,
        }
    }
    all
}

/// Whether nvcc defines a name when it compiles for a device.
fn defined(name: &str, target: Option<Target>) -> Option<bool> {
    // Of hosts and of other compilers for devices.
    const NEVER: [&str; 8] = [
        "__HIP_DEVICE_COMPILE__",
        "__HIP_PLATFORM_AMD__",
        "__HIPCC__",
        "__HIP__",
        "USE_ROCM",
        "__AMDGCN__",
        "__SYCL_DEVICE_ONLY__",
        "__OPENCL_VERSION__",
    ];
    match name {
        "__CUDA_ARCH__" | "__CUDACC__" => return Some(true),
        _ if NEVER.contains(&name) => return Some(false),
        _ => {}
    }
    let target = target?;
    match name {
        "__CUDA_ARCH_SPECIFIC__" => return Some(target.suffix == Suffix::Architecture),
        "__CUDA_ARCH_FAMILY_SPECIFIC__" => return Some(target.suffix != Suffix::Plain),
        _ => {}
    }
    let feature = name
        .strip_prefix("__CUDA_ARCH_FEAT_SM")?
        .strip_suffix("_ALL")?;
    let number: u16 = feature.parse().ok()?;
    Some(target.suffix == Suffix::Architecture && target.number == number)
}

/// Whether a condition of the header `nv/target` holds.
fn of_header(name: &str, target: Option<Target>) -> Option<bool> {
    match name {
        "NV_IS_DEVICE" | "NV_ANY_TARGET" => return Some(true),
        "NV_IS_HOST" | "NV_NO_TARGET" => return Some(false),
        _ => {}
    }
    let (condition, number) = name.strip_prefix("NV_")?.split_once("_SM_")?;
    let target = target?;
    let digits = number.trim_end_matches(['a', 'f']);
    let suffix = &number[digits.len()..];
    let number: u16 = digits.parse().ok()?;
    match (condition, suffix) {
        ("PROVIDES", "") => Some(target.number >= number),
        ("IS_EXACTLY", "") => Some(target.number == number),
        ("HAS_FEATURE", "a") => {
            Some(target.suffix == Suffix::Architecture && target.number == number)
        }
        ("HAS_FEATURE", "f") => Some(
            target.suffix != Suffix::Plain
                && target.number / 10 == number / 10
                && target.number >= number,
        ),
        _ => None,
    }
}

/// The value of an expression.
fn value(expression: &str, target: Option<Target>) -> Option<i64> {
    let mut reader = Reader::new(expression, target);
    let value = reader.binary(0);
    matches!(reader.next(), Token::End).then_some(value)?
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Number(i64),
    Name(&'a str),
    Operator(&'a str),
    End,
}

/// Operators with two operands, the loosest first.
const LEVELS: [&[&str]; 7] = [
    &["||"],
    &["&&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Expressions are nested at most so deep.
const DEPTH: u32 = 64;

struct Reader<'a> {
    text: &'a str,
    target: Option<Target>,
    depth: u32,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, target: Option<Target>) -> Reader<'a> {
        Reader {
            text,
            target,
            depth: 0,
        }
    }

    fn peek(&self) -> Token<'a> {
        Reader {
            text: self.text,
            ..*self
        }
        .next()
    }

    fn next(&mut self) -> Token<'a> {
        loop {
            self.text = self.text.trim_start();
            if let Some(rest) = self.text.strip_prefix("/*") {
                self.text = rest.split_once("*/").map_or("", |it| it.1);
            } else if self.text.starts_with("//") {
                self.text = "";
            } else if let Some(rest) = self.text.strip_prefix('\\') {
                self.text = rest;
            } else {
                break;
            }
        }
        let word = |it: char| it.is_alphanumeric() || it == '_' || it == '\'';
        let Some(first) = self.text.chars().next() else {
            return Token::End;
        };
        let len = if word(first) {
            self.text.find(|it| !word(it)).unwrap_or(self.text.len())
        } else {
            let two = self.text.get(..2).unwrap_or_default();
            let known = LEVELS.iter().any(|level| level.contains(&two));
            if known { 2 } else { first.len_utf8() }
        };
        let (token, rest) = self.text.split_at(len);
        self.text = rest;
        if !word(first) {
            return Token::Operator(token);
        }
        if !first.is_ascii_digit() {
            return Token::Name(token);
        }
        let digits = token
            .trim_end_matches(['u', 'U', 'l', 'L'])
            .replace('\'', "");
        let hexadecimal = digits
            .strip_prefix("0x")
            .or_else(|| digits.strip_prefix("0X"));
        let number = match hexadecimal {
            Some(it) => i64::from_str_radix(it, 16),
            None => digits.parse(),
        };
        number.map_or(Token::Operator(token), Token::Number)
    }

    /// An expression whose operators are at this level or below.
    fn binary(&mut self, level: usize) -> Option<i64> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1);
        while let Token::Operator(operator) = self.peek() {
            if !operators.contains(&operator) {
                break;
            }
            self.next();
            let right = self.binary(level + 1);
            left = match (operator, left, right) {
                ("||", Some(it), _) | ("||", _, Some(it)) if it != 0 => Some(1),
                ("&&", Some(0), _) | ("&&", _, Some(0)) => Some(0),
                (_, Some(left), Some(right)) => apply(operator, left, right),
                _ => None,
            };
        }
        left
    }

    fn unary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > DEPTH {
            self.text = "";
            return None;
        }
        let value = match self.next() {
            Token::Number(it) => Some(it),
            Token::Operator("!") => self.unary().map(|it| i64::from(it == 0)),
            Token::Operator("-") => self.unary().and_then(i64::checked_neg),
            Token::Operator("+") => self.unary(),
            Token::Operator("(") => {
                let value = self.binary(0);
                match self.next() {
                    Token::Operator(")") => value,
                    _ => None,
                }
            }
            Token::Name("defined") => {
                let parenthesis = self.peek() == Token::Operator("(");
                if parenthesis {
                    self.next();
                }
                let name = self.next();
                if parenthesis {
                    self.next();
                }
                match name {
                    Token::Name(name) => defined(name, self.target).map(i64::from),
                    _ => None,
                }
            }
            Token::Name(name) => {
                if self.peek() == Token::Operator("(") {
                    self.skip_parentheses();
                }
                self.name(name)
            }
            _ => None,
        };
        self.depth -= 1;
        value
    }

    fn name(&self, name: &str) -> Option<i64> {
        match name {
            "true" | "__CUDACC__" => Some(1),
            "false" => Some(0),
            "__CUDA_ARCH__" => self.target.map(|it| i64::from(it.number) * 10),
            "__CUDA_ARCH_SPECIFIC__" | "__CUDA_ARCH_FAMILY_SPECIFIC__" => {
                let target = self.target?;
                let number = i64::from(target.number) * 10;
                defined(name, self.target).map(|it| if it { number } else { 0 })
            }
            _ => defined(name, self.target)
                .or_else(|| of_header(name, self.target))
                .map(i64::from),
        }
    }

    fn skip_parentheses(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.next() {
                Token::Operator("(") => depth += 1,
                Token::Operator(")") => {
                    depth -= 1;
                    if depth == 0 {
                        return;
                    }
                }
                Token::End => return,
                _ => {}
            }
        }
    }
}

fn apply(operator: &str, left: i64, right: i64) -> Option<i64> {
    Some(match operator {
        "||" | "&&" => i64::from(operator == "&&"),
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "<<" => left.checked_shl(right.try_into().ok()?)?,
        ">>" => left.checked_shr(right.try_into().ok()?)?,
        "+" => left.checked_add(right)?,
        "-" => left.checked_sub(right)?,
        "*" => left.checked_mul(right)?,
        "/" => left.checked_div(right)?,
        "%" => left.checked_rem(right)?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expression: &str, target: &str, expected: Option<bool>) {
        let value = value(expression, Target::parse(target)).map(|it| it != 0);
        assert_eq!(value, expected, "{expression} for {target}");
    }

    #[test]
    fn conditions_about_targets_have_answers() {
        check("__CUDA_ARCH__ >= 900", "sm_90a", Some(true));
        check("__CUDA_ARCH__ >= 900", "sm_80", Some(false));
        check(
            "defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 750)",
            "sm_75",
            Some(true),
        );
        check("!defined __CUDA_ARCH__", "sm_75", Some(false));
        check(
            "__CUDA_ARCH__ > 8'00 && UNKNOWN(1, 2)",
            "sm_80",
            Some(false),
        );
        check("__CUDA_ARCH__ > 800 || UNKNOWN", "sm_90", Some(true));
        check("UNKNOWN && __CUDA_ARCH__", "sm_90", None);
        check("__CUDA_ARCH_FEAT_SM90_ALL", "sm_90a", Some(true));
        check("defined(__CUDA_ARCH_FEAT_SM90_ALL)", "sm_90", Some(false));
        check("0", "sm_90", Some(false));
        check(
            "(__CUDA_ARCH__ / 100) == 9 /* why */ // that",
            "sm_90",
            Some(true),
        );
        check("__CUDA_ARCH__ >= 900 )", "sm_90", None);
        check("", "sm_90", None);
        check("defined(__CUDA_ARCH__", "", Some(true));
        check("__CUDA_ARCH__ >= 300", "", None);
    }
}
