//! The conditions of the preprocessor when device code is compiled for a target.

use std::cell::Cell;

use isa::target::{Suffix, Target};
use syntax::{
    TextRange,
    host::{Condition, Define, Macros, Test},
};

/// An answer that may not be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    Yes,
    No,
    Unknown,
}

/// The knowledge of the preprocessor when it compiles a text for a target; without one, for any device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Preprocessor<'a> {
    text: &'a str,
    macros: &'a Macros,
    target: Option<Target>,
    /// Whether names are undefined that the text does not define.
    plain: bool,
}

/// Macros stand for each other at most so deep.
const NESTED: u32 = 8;
/// At most so many definitions are looked at for a place.
const LOOKS: u32 = 4096;

/// The effort for one place.
#[derive(Debug)]
struct Effort {
    looks: Cell<u32>,
}

/// The meaning of a name to the preprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Macro {
    /// It stands for the text at the range, if that is known.
    Defined(Option<TextRange>),
    Undefined,
    Unknown,
}

impl<'a> Preprocessor<'a> {
    pub(super) fn new(text: &'a str, macros: &'a Macros, target: Option<Target>) -> Self {
        Preprocessor {
            text,
            macros,
            target,
            plain: false,
        }
    }

    /// The same where the command line and other files define nothing, but for the names of compilers and of the
    /// toolkit.
    pub(super) fn plain(self) -> Self {
        Preprocessor {
            plain: true,
            ..self
        }
    }

    /// Decides whether a place under these conditions is compiled.
    pub(super) fn compiled(&self, conditions: &[Condition]) -> Truth {
        let effort = Effort {
            looks: Cell::new(LOOKS),
        };
        self.all(conditions.iter().copied(), &effort, NESTED)
    }

    fn all(
        &self,
        conditions: impl Iterator<Item = Condition>,
        effort: &Effort,
        nested: u32,
    ) -> Truth {
        let mut all = Truth::Yes;
        for condition in conditions {
            match self.holds(&condition, effort, nested) {
                Some(it) if it != condition.expected => return Truth::No,
                Some(_) => {}
                None => all = Truth::Unknown,
            }
        }
        all
    }

    /// The answer to the question of a condition.
    fn holds(&self, condition: &Condition, effort: &Effort, nested: u32) -> Option<bool> {
        let start = usize::from(condition.range.start());
        let preprocessor = Preprocessor {
            plain: self.plain && is_of_directive(self.text.get(..start)?),
            ..*self
        };
        let place = Extent {
            preprocessor,
            condition: *condition,
            effort,
            nested,
        };
        let mut reader = ConditionReader::new(
            self.text
                .get(std::ops::Range::<usize>::from(condition.range))?,
            place,
        );
        match condition.test {
            Test::Value => reader.all().map(|it| it != 0),
            Test::Defined => match reader.next() {
                Token::Name(name) => reader.place.defined(name),
                _ => None,
            },
        }
    }
}

/// The place of an expression.
#[derive(Clone, Copy, Debug)]
struct Extent<'a> {
    preprocessor: Preprocessor<'a>,
    /// The condition that the expression belongs to.
    condition: Condition,
    effort: &'a Effort,
    /// So many macros in each other may follow.
    nested: u32,
}

impl Extent<'_> {
    fn target(&self) -> Option<Target> {
        self.preprocessor.target
    }

    fn defined(&self, name: &str) -> Option<bool> {
        defined(name, self.target()).or_else(|| match self.find(name) {
            Macro::Defined(_) => Some(true),
            Macro::Undefined => Some(false),
            Macro::Unknown => None,
        })
    }

    /// The definition of a name that is in force here.
    fn find(&self, name: &str) -> Macro {
        let Preprocessor { text, macros, .. } = self.preprocessor;
        let defines = macros.named(text, name);
        let elsewhere = match self.preprocessor.plain && !is_reserved(name) {
            true => Macro::Undefined,
            false => Macro::Unknown,
        };
        if defines.is_empty() {
            return elsewhere;
        }
        if self.nested == 0 {
            return Macro::Unknown;
        }
        let before = defines.partition_point(|it| it.name.start() < self.condition.range.start());
        for define in defines[..before].iter().rev() {
            let looks = self.effort.looks.get();
            let Some(looks) = looks.checked_sub(1) else {
                return Macro::Unknown;
            };
            self.effort.looks.set(looks);
            let innermost = macros.around(define).next();
            // `#ifndef NAME` and `#define NAME`: it is defined afterwards, by this one or another.
            let default = innermost.is_some_and(|it| self.asks_whether_missing(&it, name));
            let around = macros.around(define).skip(usize::from(default));
            match self.preprocessor.all(around, self.effort, self.nested - 1) {
                Truth::Yes if !define.defined => return Macro::Undefined,
                Truth::Yes if default => return Macro::Defined(None),
                Truth::Yes => return Macro::Defined(define.value),
                Truth::No => {}
                Truth::Unknown => return Macro::Unknown,
            }
        }
        // The condition around the contents of a header, or around a definition.
        let guards = |it: &Define| macros.around(it).next() == Some(self.condition);
        match before > 0 || defines.iter().any(guards) {
            true => Macro::Undefined,
            false => elsewhere,
        }
    }

    /// Whether a condition is that a name is not defined.
    fn asks_whether_missing(&self, condition: &Condition, name: &str) -> bool {
        let text = &self.preprocessor.text[condition.range];
        match condition.test {
            Test::Defined => {
                !condition.expected && text.trim().split(['/', ' ', '\t']).next() == Some(name)
            }
            Test::Value => {
                let rest = text.trim().strip_prefix('!').map(str::trim_start);
                let rest = rest.and_then(|it| it.strip_prefix("defined"));
                condition.expected
                    && rest.is_some_and(|it| it.trim_matches(['(', ')', ' ', '\t']) == name)
            }
        }
    }
}

/// Whether a text ends in a line with a directive.
fn is_of_directive(before: &str) -> bool {
    const LONGEST: usize = 256;
    let line = before.bytes().rev().take(LONGEST);
    let line = line.take_while(|it| *it != b'\n');
    line.filter(|it| !it.is_ascii_whitespace()).last() == Some(b'#')
}

/// Whether a name may be defined by a compiler or the toolkit.
fn is_reserved(name: &str) -> bool {
    let capital = |it: &str| it.starts_with(|it: char| it.is_ascii_uppercase());
    name.strip_prefix('_')
        .is_some_and(|it| it.starts_with('_') || capital(it))
        || name.starts_with("CUDA") && name.ends_with("VERSION")
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

struct ConditionReader<'a> {
    text: &'a str,
    place: Extent<'a>,
    depth: u32,
}

impl<'a> ConditionReader<'a> {
    fn new(text: &'a str, place: Extent<'a>) -> ConditionReader<'a> {
        ConditionReader {
            text,
            place,
            depth: 0,
        }
    }

    /// The value of an expression, which is all of the text.
    fn all(&mut self) -> Option<i64> {
        let value = self.binary(0);
        matches!(self.next(), Token::End).then_some(value)?
    }

    fn peek(&self) -> Token<'a> {
        ConditionReader {
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
                    Token::Name(name) => self.place.defined(name).map(i64::from),
                    _ => None,
                }
            }
            Token::Name(name) => {
                let plain = self.place.preprocessor.plain;
                if self.peek() == Token::Operator("(") {
                    self.skip_parentheses();
                    // Without a definition it would be an error.
                    self.place.preprocessor.plain = false;
                }
                let value = self.name(name);
                self.place.preprocessor.plain = plain;
                value
            }
            _ => None,
        };
        self.depth -= 1;
        value
    }

    fn name(&self, name: &str) -> Option<i64> {
        let target = self.place.target();
        match name {
            "true" | "__CUDACC__" => Some(1),
            "false" => Some(0),
            "__CUDA_ARCH__" => target.map(|it| i64::from(it.number) * 10),
            "__CUDA_ARCH_SPECIFIC__" | "__CUDA_ARCH_FAMILY_SPECIFIC__" => {
                let number = i64::from(target?.number) * 10;
                defined(name, target).map(|it| if it { number } else { 0 })
            }
            _ => defined(name, target)
                .or_else(|| of_header(name, target))
                .map(i64::from)
                .or_else(|| self.expanded(name)),
        }
    }

    /// The value of the expression that a macro stands for.
    fn expanded(&self, name: &str) -> Option<i64> {
        match self.place.find(name) {
            Macro::Defined(value) => {
                let text = self.place.preprocessor.text;
                let value = text.get(std::ops::Range::<usize>::from(value?))?;
                let place = Extent {
                    nested: self.place.nested.checked_sub(1)?,
                    ..self.place
                };
                ConditionReader::new(value, place).all()
            }
            Macro::Undefined => Some(0),
            Macro::Unknown => None,
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
    use syntax::host::{Language, lex};

    use super::*;

    fn check(expression: &str, target: &str, expected: Option<bool>) {
        check_in("", expression, target, expected);
    }

    fn text_in(before: &str, expression: &str) -> String {
        format!("{before}\n#if {expression}\nasm(\"trap;\" ::: \"memory\");\n#endif\n")
    }

    fn truth(value: Option<bool>) -> Truth {
        match value {
            Some(true) => Truth::Yes,
            Some(false) => Truth::No,
            None => Truth::Unknown,
        }
    }

    /// The value of a condition after a text.
    fn check_in(before: &str, expression: &str, target: &str, expected: Option<bool>) {
        let text = text_in(before, expression);
        let host = lex(&text, Language::Cuda);
        let preprocessor = Preprocessor::new(&text, &host.macros, Target::parse(target));
        let conditions = &host.statements.last().expect("one statement").conditions;
        assert_eq!(
            preprocessor.compiled(conditions),
            truth(expected),
            "{text} for {target}"
        );
    }

    #[test]
    fn macros_of_the_file_are_followed() {
        let feature = "#if __CUDA_ARCH__ >= 900\n#define HAS_TMA 1\n#endif";
        check_in(feature, "HAS_TMA", "sm_90", Some(true));
        check_in(feature, "defined(HAS_TMA)", "sm_90", Some(true));
        check_in(feature, "HAS_TMA", "sm_80", Some(false));
        check_in(feature, "!defined HAS_TMA", "sm_80", Some(true));
        check_in(feature, "HAS_TMA && OTHER", "sm_90", None);
        let value = "#define ARCH (__CUDA_ARCH__ / 10)\n#define LEAST 90 // Hopper";
        check_in(value, "ARCH >= LEAST", "sm_90a", Some(true));
        check_in(value, "ARCH >= LEAST", "sm_80", Some(false));
        let default = "#ifndef STAGES\n#define STAGES 4\n#endif";
        check_in(default, "defined(STAGES)", "sm_80", Some(true));
        check_in(default, "STAGES > 2", "sm_80", None);
        check_in("#define A 1\n#undef A", "defined(A)", "sm_80", Some(false));
        check_in("#if UNKNOWN\n#define A 1\n#endif", "A", "sm_80", None);
        check_in("#define A A\n", "A", "sm_80", None);
        check_in("#define A B\n#define B A\n", "A", "sm_80", None);
        check_in("#define F(x) x\n", "F(1)", "sm_80", None);
        check_in("#define F(x) x\n", "defined(F)", "sm_80", Some(true));
        check_in(
            "#if 0\n#elif __CUDA_ARCH__ < 900\n#define OLD\n#else\n#define NEW\n#endif",
            "defined NEW",
            "sm_90",
            Some(true),
        );
        check_in(
            "#if 0\n#elif __CUDA_ARCH__ < 900\n#define OLD\n#else\n#define NEW\n#endif",
            "defined NEW",
            "sm_80",
            Some(false),
        );
        // Those of a file are defined when its contents are compiled.
        check_in("#ifndef FILE_H\n#define FILE_H\n", "1", "sm_80", Some(true));
        check_in(
            "#if !defined(FILE_H)\n#define FILE_H\n",
            "1",
            "sm_80",
            Some(true),
        );
        check_in("#ifdef OTHER_H\n#define FILE_H\n", "1", "sm_80", None);
    }

    #[test]
    fn nothing_else_defines_a_name_in_plain_builds() {
        let check = |before: &str, condition: &str, expected: Option<bool>| {
            let text = text_in(before, condition);
            let host = lex(&text, Language::Cuda);
            let plain = Preprocessor::new(&text, &host.macros, Target::parse("sm_80")).plain();
            let conditions = &host.statements.last().expect("one statement").conditions;
            assert_eq!(plain.compiled(conditions), truth(expected), "{text}");
        };
        check("", "defined(NEVER)", Some(false));
        check("", "NEVER", Some(false));
        check("", "!defined(NEVER)", Some(true));
        check("", "defined(NEVER) || __CUDA_ARCH__ >= 800", Some(true));
        check("#define NEVER 1\n", "NEVER", Some(true));
        check("", "NEVER(1)", None);
        check("", "defined(__SOME_COMPILER__)", None);
        check("", "defined(_MSC_VER)", None);
        check("", "CUDART_VERSION >= 12000", None);
        // What C++ decides has other names.
        let text = "template <int N> void f() { if constexpr (N == 4) { asm(\"trap;\"); } }";
        let host = lex(text, Language::Cuda);
        let plain = Preprocessor::new(text, &host.macros, None).plain();
        let conditions = &host.statements[0].conditions;
        assert_eq!(
            (conditions.len(), plain.compiled(conditions)),
            (1, Truth::Unknown)
        );
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
