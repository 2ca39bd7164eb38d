//! Constant expressions, evaluated as ptxas 13.5 does, which is not quite what PTX ISA 4.5.5 says.
//!
//! Values are signed or unsigned 64-bit integers and doubles. An expression may also contain a name, as in
//! `%rd1+8` or `!%p1`; what follows a name and `+` is one constant expression.

use isa::operand::FloatForm;
use syntax::{Cursor, CursorToken, SyntaxKind, TextRange, TextSize};

use crate::hir::{number, tree::trimmed};

/// The value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constant {
    /// A literal below 2^63 without `U`, and what is computed from such.
    Signed(i64),
    /// Any other integer.
    Unsigned(u64),
    /// `0f3F800000`, which ptxas keeps as bits.
    Single(u32),
    /// A decimal or `0d` number, and what is computed from floats.
    Double(FloatForm, f64),
}

/// The kind of an expression.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'a> {
    /// A constant.
    Constant(Constant),
    /// A node that is not a constant, and the integer that is added to it.
    Offset(Cursor<'a>, i128),
    /// A node that is not a constant.
    Other(Cursor<'a>),
    /// A constant expression that cannot be evaluated; there is a problem for it, or a syntax error.
    Wrong,
}

/// Something that ptxas does not evaluate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The token or expression.
    pub(crate) range: TextRange,
    /// The problem with it.
    pub(crate) kind: ProblemKind,
}

/// Why an expression is not evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProblemKind {
    /// The literal is too large, or too small for a normal double.
    Overflow,
    /// The right side of `/` or `%` is zero, be it in a branch that is not taken.
    DivisionByZero,
    /// An integer on one side of an operator and a float on the other.
    Mixed,
    /// A float where only integers are allowed.
    IntegerExpected,
    /// A cast to another type than `.s64` and `.u64`.
    Cast,
    /// A `0f` constant beside an operator.
    SingleInExpression,
}

impl Constant {
    /// The value of an integer.
    pub(crate) fn integer(self) -> Option<i128> {
        match self {
            Constant::Signed(it) => Some(it.into()),
            Constant::Unsigned(it) => Some(it.into()),
            Constant::Single(_) | Constant::Double(..) => None,
        }
    }

    /// The 64 bits of an integer, and whether it is unsigned.
    fn bits(self) -> Option<(u64, bool)> {
        match self {
            Constant::Signed(it) => Some((it.cast_unsigned(), false)),
            Constant::Unsigned(it) => Some((it, true)),
            Constant::Single(_) | Constant::Double(..) => None,
        }
    }

    /// The value with which ptxas computes.
    fn float(self) -> Option<f64> {
        match self {
            // ptxas takes the bits for those of a double.
            Constant::Single(it) => Some(f64::from_bits(it.into())),
            Constant::Double(_, it) => Some(it),
            Constant::Signed(_) | Constant::Unsigned(_) => None,
        }
    }

    fn from_bits(bits: u64, unsigned: bool) -> Constant {
        if unsigned {
            Constant::Unsigned(bits)
        } else {
            Constant::Signed(bits.cast_signed())
        }
    }

    fn from_bool(value: bool) -> Constant {
        Constant::Signed(value.into())
    }
}

/// Evaluates a node and everything below it. The depth is that of the tree, which the parser bounds.
pub(crate) fn evaluate<'a>(node: &Cursor<'a>, problems: &mut Vec<Problem>) -> Value<'a> {
    let mut children = node.nodes();
    match node.kind() {
        SyntaxKind::LITERAL => match node.tokens().next() {
            Some(token) => literal(&token, problems),
            None => Value::Wrong,
        },
        SyntaxKind::NAME_REFERENCE
            if node
                .tokens()
                .next()
                .is_some_and(|it| it.text() == "WARP_SZ") =>
        {
            Value::Constant(Constant::Signed(32))
        }
        SyntaxKind::PARENTHESIZED_EXPRESSION => match children.next() {
            Some(child) => match evaluate(&child, problems) {
                Value::Offset(..) | Value::Other(_) => Value::Other(*node),
                constant => constant,
            },
            None => Value::Wrong,
        },
        SyntaxKind::CAST_EXPRESSION => match children.next() {
            Some(child) => cast(node, &child, problems),
            None => Value::Wrong,
        },
        SyntaxKind::PREFIX_EXPRESSION => match (node.tokens().next(), children.next()) {
            (Some(operator), Some(child)) => prefix(node, &operator, &child, problems),
            _ => Value::Wrong,
        },
        SyntaxKind::BINARY_EXPRESSION => {
            match (children.next(), node.tokens().next(), children.next()) {
                (Some(left), Some(operator), Some(right)) => {
                    binary(node, (&left, &operator, &right), problems)
                }
                _ => Value::Wrong,
            }
        }
        SyntaxKind::CONDITIONAL_EXPRESSION => {
            match (children.next(), children.next(), children.next()) {
                (Some(condition), Some(then), Some(otherwise)) => {
                    conditional(node, [&condition, &then, &otherwise], problems)
                }
                _ => Value::Wrong,
            }
        }
        _ => {
            for child in children.filter(|it| !is_plain(it)) {
                evaluate(&child, problems);
            }
            Value::Other(*node)
        }
    }
}

/// Whether a node is a name or a short integer, in which there is no problem: nearly all operands and values are.
pub(crate) fn is_plain(node: &Cursor<'_>) -> bool {
    match node.kind() {
        SyntaxKind::NAME_REFERENCE | SyntaxKind::SINK => true,
        // Digits of any base are at most four bits each.
        SyntaxKind::LITERAL => {
            node.range().len() <= TextSize::new(16)
                && node
                    .tokens()
                    .next()
                    .is_some_and(|it| it.kind() == SyntaxKind::INTEGER)
        }
        _ => false,
    }
}

fn literal<'a>(token: &CursorToken<'a>, problems: &mut Vec<Problem>) -> Value<'a> {
    let text = token.text();
    let constant = match token.kind() {
        SyntaxKind::BAD_NUMBER => return Value::Wrong,
        SyntaxKind::FLOAT => float(text),
        _ => number::integer(text).map(|it| {
            let unsigned = text.ends_with('U') || i64::try_from(it).is_err();
            Constant::from_bits(it, unsigned)
        }),
    };
    match constant {
        Some(it) => Value::Constant(it),
        None => wrong(token.range(), ProblemKind::Overflow, problems),
    }
}

/// The value of a float literal; `None` if it is not a normal double.
fn float(text: &str) -> Option<Constant> {
    match text.as_bytes() {
        [b'0', b'f' | b'F', ..] => u32::from_str_radix(&text[2..], 16)
            .ok()
            .map(Constant::Single),
        [b'0', b'd' | b'D', ..] => u64::from_str_radix(&text[2..], 16)
            .ok()
            .map(|it| Constant::Double(FloatForm::Hex64, f64::from_bits(it))),
        _ => {
            let value: f64 = text.parse().ok()?;
            let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
            let zero = !mantissa.bytes().any(|it| matches!(it, b'1'..=b'9'));
            (value.is_normal() || zero).then_some(Constant::Double(FloatForm::Decimal, value))
        }
    }
}

fn wrong<'a>(range: TextRange, kind: ProblemKind, problems: &mut Vec<Problem>) -> Value<'a> {
    problems.push(Problem { range, kind });
    Value::Wrong
}

/// Reports a `0f` constant that is beside an operator without parentheses of its own.
fn bare_single(node: &Cursor<'_>, problems: &mut Vec<Problem>) -> bool {
    let single = node.kind() == SyntaxKind::LITERAL
        && node
            .token(SyntaxKind::FLOAT)
            .is_some_and(|it| matches!(it.text().as_bytes(), [b'0', b'f' | b'F', ..]));
    if single {
        wrong(trimmed(node), ProblemKind::SingleInExpression, problems);
    }
    single
}

/// `(.s64) value`
fn cast<'a>(node: &Cursor<'a>, child: &Cursor<'a>, problems: &mut Vec<Problem>) -> Value<'a> {
    if bare_single(child, problems) {
        return Value::Wrong;
    }
    let value = match evaluate(child, problems) {
        Value::Constant(it) => it,
        Value::Wrong => return Value::Wrong,
        Value::Offset(..) | Value::Other(_) => return Value::Other(*node),
    };
    let Some(ty) = node.token(SyntaxKind::DOTTED) else {
        return Value::Wrong;
    };
    let unsigned = match ty.text() {
        ".s64" => false,
        ".u64" => true,
        _ => return wrong(ty.range(), ProblemKind::Cast, problems),
    };
    match value.bits() {
        Some((bits, _)) => Value::Constant(Constant::from_bits(bits, unsigned)),
        None => wrong(trimmed(child), ProblemKind::IntegerExpected, problems),
    }
}

fn prefix<'a>(
    node: &Cursor<'a>,
    operator: &CursorToken<'a>,
    child: &Cursor<'a>,
    problems: &mut Vec<Problem>,
) -> Value<'a> {
    if bare_single(child, problems) {
        return Value::Wrong;
    }
    let value = match evaluate(child, problems) {
        Value::Constant(it) => it,
        Value::Wrong => return Value::Wrong,
        Value::Offset(..) | Value::Other(_) => return Value::Other(*node),
    };
    Value::Constant(match (operator.kind(), value) {
        (SyntaxKind::PLUS, it) => it,
        (SyntaxKind::MINUS, Constant::Signed(it)) => Constant::Signed(it.wrapping_neg()),
        (SyntaxKind::MINUS, Constant::Unsigned(it)) => Constant::Unsigned(it.wrapping_neg()),
        (SyntaxKind::MINUS, Constant::Single(it)) => Constant::Single(it ^ 1 << 31),
        (SyntaxKind::MINUS, Constant::Double(form, it)) => Constant::Double(form, -it),
        (operator, value) => match (operator, value.bits()) {
            (SyntaxKind::BANG, Some((bits, _))) => Constant::from_bool(bits == 0),
            (SyntaxKind::TILDE, Some((bits, _))) => Constant::Unsigned(!bits),
            (_, None) => return wrong(trimmed(child), ProblemKind::IntegerExpected, problems),
            _ => return Value::Wrong,
        },
    })
}

fn binary<'a>(
    node: &Cursor<'a>,
    (left, operator, right): (&Cursor<'a>, &CursorToken<'a>, &Cursor<'a>),
    problems: &mut Vec<Problem>,
) -> Value<'a> {
    let singles = [bare_single(left, problems), bare_single(right, problems)];
    if singles.contains(&true) {
        return Value::Wrong;
    }
    let values = (evaluate(left, problems), evaluate(right, problems));
    let mut apply = |a, b| operate((a, left), operator.kind(), (b, right), node, problems);
    match values {
        (Value::Wrong, _) | (_, Value::Wrong) => Value::Wrong,
        (Value::Constant(a), Value::Constant(b)) => {
            apply(a, b).map_or(Value::Wrong, Value::Constant)
        }
        (Value::Other(base), Value::Constant(b)) if operator.kind() == SyntaxKind::PLUS => {
            match b.integer() {
                Some(it) => Value::Offset(base, it),
                None => wrong(trimmed(right), ProblemKind::IntegerExpected, problems),
            }
        }
        // What follows the first `+` is one constant expression: `[r+1<<4]` is `[r+16]`.
        (Value::Offset(base, a), Value::Constant(b)) => apply(from_integer(a), b)
            .and_then(Constant::integer)
            .map_or(Value::Wrong, |it| Value::Offset(base, it)),
        _ => Value::Other(*node),
    }
}

/// The constant of an integer that came from one.
fn from_integer(value: i128) -> Constant {
    i64::try_from(value).map_or(Constant::Unsigned(value as u64), Constant::Signed)
}

fn conditional<'a>(
    node: &Cursor<'a>,
    parts: [&Cursor<'a>; 3],
    problems: &mut Vec<Problem>,
) -> Value<'a> {
    let [condition, then, otherwise] = parts;
    let values = [
        (evaluate(condition, problems), condition),
        (evaluate(then, problems), then),
        (evaluate(otherwise, problems), otherwise),
    ];
    choose(node, values, problems)
}

/// The value of a condition whose parts have values. Apart from the function that evaluates them, which
/// calls itself: its frame has to be small.
fn choose<'a>(
    node: &Cursor<'a>,
    [condition, then, otherwise]: [(Value<'a>, &Cursor<'a>); 3],
    problems: &mut Vec<Problem>,
) -> Value<'a> {
    // `[r+1 ? 4 : 8]`: the condition starts after the `+`.
    let (base, condition) = match condition {
        (Value::Offset(base, it), node) => (Some(base), (Value::Constant(from_integer(it)), node)),
        other => (None, other),
    };
    let mut integers = [0; 3].map(Constant::Signed);
    let mut whole = true;
    for ((value, part), integer) in [condition, then, otherwise].into_iter().zip(&mut integers) {
        match value {
            Value::Constant(it) if it.integer().is_some() => *integer = it,
            Value::Constant(_) => {
                wrong(trimmed(part), ProblemKind::IntegerExpected, problems);
                whole = false;
            }
            Value::Wrong => whole = false,
            Value::Offset(..) | Value::Other(_) => return Value::Other(*node),
        }
    }
    if !whole {
        return Value::Wrong;
    }
    // The chosen value keeps its type.
    let [condition, then, otherwise] = integers;
    let chosen = if condition.integer() == Some(0) {
        otherwise
    } else {
        then
    };
    match (base, chosen.integer()) {
        (Some(base), Some(it)) => Value::Offset(base, it),
        _ => Value::Constant(chosen),
    }
}

/// Applies an operator to two constants.
fn operate(
    (a, left): (Constant, &Cursor<'_>),
    operator: SyntaxKind,
    (b, right): (Constant, &Cursor<'_>),
    node: &Cursor<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Constant> {
    let division = matches!(operator, SyntaxKind::SLASH | SyntaxKind::PERCENT);
    match (a.bits(), b.bits(), a.float(), b.float()) {
        (_, Some((0, _)), None, _) if division => {
            wrong(trimmed(right), ProblemKind::DivisionByZero, problems);
            None
        }
        (Some(a), Some(b), ..) => Some(integers(a, operator, b)),
        (_, _, Some(_), Some(b)) if operator == SyntaxKind::SLASH && b == 0.0 => {
            wrong(trimmed(right), ProblemKind::DivisionByZero, problems);
            None
        }
        (_, _, Some(a), Some(b)) => {
            let result = floats(a, operator, b);
            if result.is_none() {
                wrong(trimmed(left), ProblemKind::IntegerExpected, problems);
            }
            result
        }
        _ => {
            wrong(trimmed(node), ProblemKind::Mixed, problems);
            None
        }
    }
}

/// An operator on floats; `None` if it wants integers.
#[allow(clippy::float_cmp, reason = "the language compares exactly")]
fn floats(a: f64, operator: SyntaxKind, b: f64) -> Option<Constant> {
    let number = |it| Some(Constant::Double(FloatForm::Decimal, it));
    let truth = |it| Some(Constant::from_bool(it));
    match operator {
        SyntaxKind::PLUS => number(a + b),
        SyntaxKind::MINUS => number(a - b),
        SyntaxKind::STAR => number(a * b),
        SyntaxKind::SLASH => number(a / b),
        SyntaxKind::LT => truth(a < b),
        SyntaxKind::GT => truth(a > b),
        SyntaxKind::LT_EQ => truth(a <= b),
        SyntaxKind::GT_EQ => truth(a >= b),
        SyntaxKind::EQ_EQ => truth(a == b),
        SyntaxKind::NOT_EQ => truth(a != b),
        _ => None,
    }
}

/// An operator on integers given by their bits and whether they are unsigned. If one is, both are taken for
/// such, and so is the result, except for shifts, comparisons, logic and `%`. The divisor is not zero.
fn integers(
    (a, a_unsigned): (u64, bool),
    operator: SyntaxKind,
    (b, b_unsigned): (u64, bool),
) -> Constant {
    let unsigned = a_unsigned || b_unsigned;
    let (x, y) = (a.cast_signed(), b.cast_signed());
    let of = |bits| Constant::from_bits(bits, unsigned);
    let truth = Constant::from_bool;
    let count = (b & 63) as u32;
    match operator {
        SyntaxKind::PLUS => of(a.wrapping_add(b)),
        SyntaxKind::MINUS => of(a.wrapping_sub(b)),
        SyntaxKind::STAR => of(a.wrapping_mul(b)),
        SyntaxKind::SLASH if unsigned => Constant::Unsigned(a.checked_div(b).unwrap_or_default()),
        SyntaxKind::SLASH if y == 0 => Constant::Signed(0),
        SyntaxKind::SLASH => Constant::Signed(x.wrapping_div(y)),
        SyntaxKind::PERCENT => Constant::Unsigned(a.checked_rem(b).unwrap_or_default()),
        SyntaxKind::SHL => Constant::from_bits(a << count, a_unsigned),
        SyntaxKind::SHR if a_unsigned => Constant::Unsigned(a >> count),
        SyntaxKind::SHR => Constant::Signed(x >> count),
        SyntaxKind::AMP => of(a & b),
        SyntaxKind::PIPE => of(a | b),
        SyntaxKind::CARET => of(a ^ b),
        SyntaxKind::LT => truth(if unsigned { a < b } else { x < y }),
        SyntaxKind::GT => truth(if unsigned { a > b } else { x > y }),
        SyntaxKind::LT_EQ => truth(if unsigned { a <= b } else { x <= y }),
        SyntaxKind::GT_EQ => truth(if unsigned { a >= b } else { x >= y }),
        SyntaxKind::EQ_EQ => truth(a == b),
        SyntaxKind::NOT_EQ => truth(a != b),
        SyntaxKind::AMP_AMP => truth(a != 0 && b != 0),
        // `||`: the grammar has no further operator.
        _ => truth(a != 0 || b != 0),
    }
}

#[cfg(test)]
mod tests {
    use syntax::FileContents;

    use super::*;

    /// The value of the initializer of a variable, and the problems in it.
    fn value(expression: &str) -> String {
        let text = format!(".global .u64 x = {expression};");
        let contents = FileContents::new(&text);
        let root = contents.tree.cursor();
        let mut problems = Vec::new();
        let node = root
            .nodes()
            .find_map(|it| it.node(SyntaxKind::DECLARATOR))
            .and_then(|it| it.nodes().last())
            .expect("there is an initializer");
        match evaluate(&node, &mut problems) {
            Value::Constant(it) => format!("{it:?}"),
            Value::Offset(base, it) => format!("{:?} + {it}", base.kind()),
            Value::Other(node) => format!("{:?}", node.kind()),
            Value::Wrong => problems
                .iter()
                .map(|it| format!("{:?} {}", it.kind, &text[it.range]))
                .collect::<Vec<_>>()
                .join(", "),
        }
    }

    #[track_caller]
    fn check(cases: &[(&str, &str)]) {
        for (expression, expected) in cases {
            assert_eq!(value(expression), *expected, "{expression}");
        }
    }

    /// Each value was measured with ptxas 13.5, by dividing by a comparison with it.
    #[test]
    fn integers_as_ptxas_computes_them() {
        check(&[
            ("07 + 0x10 + 0b11 + 2U", "Unsigned(28)"),
            ("WARP_SZ - 33", "Signed(-1)"),
            ("-9223372036854775808", "Unsigned(9223372036854775808)"),
            ("-7 / 2", "Signed(-3)"),
            ("-7 % 4", "Unsigned(1)"),
            ("-1 >> 1U", "Signed(-1)"),
            ("-1U >> 63", "Unsigned(1)"),
            ("1 << 65", "Signed(2)"),
            ("1 << -1", "Signed(-9223372036854775808)"),
            ("-1 & -1", "Signed(-1)"),
            ("~5", "Unsigned(18446744073709551610)"),
            ("!0U", "Signed(1)"),
            ("-1 < 0U", "Signed(0)"),
            ("0 ? 1U : -1", "Signed(-1)"),
            ("0 ? 2 : 0 ? 4 : 5", "Signed(5)"),
            ("--1 + (.s64)(.u64)2", "Signed(3)"),
            ("(.u64)-1 + 1", "Unsigned(0)"),
            ("1 || 0 && 0", "Signed(1)"),
            // ptxas crashes.
            (
                "(.s64)0x8000000000000000 / -1",
                "Signed(-9223372036854775808)",
            ),
        ]);
    }

    #[test]
    fn large_literals_wrap_around_once() {
        check(&[
            ("18446744073709551615", "Unsigned(18446744073709551615)"),
            ("18446744073709551616", "Signed(0)"),
            ("18446744073709553665", "Signed(2049)"),
            ("0x10000000000000000", "Signed(0)"),
            ("99999999999999999999", "Overflow 99999999999999999999"),
            ("0xffffffffffffffffff", "Overflow 0xffffffffffffffffff"),
        ]);
    }

    #[test]
    fn floats_as_ptxas_computes_them() {
        check(&[
            ("1.5 + .5", "Double(Decimal, 2.0)"),
            ("1. < 2e0", "Signed(1)"),
            ("-0d3ff0000000000000", "Double(Hex64, -1.0)"),
            ("(0f3f800000)", "Single(1065353216)"),
            ("(0f3f800000) == 1.0", "Signed(0)"),
            ("0.0e-400", "Double(Decimal, 0.0)"),
            ("1e400", "Overflow 1e400"),
            ("1e-308", "Overflow 1e-308"),
            (
                "2.2250738585072013e-308",
                "Double(Decimal, 2.2250738585072014e-308)",
            ),
        ]);
    }

    #[test]
    fn what_is_not_evaluated() {
        check(&[
            ("1 || 1/(2-2)", "DivisionByZero (2-2)"),
            ("1 ? 2 : 1 % 0", "DivisionByZero 0"),
            ("1.0/-0.0", "DivisionByZero -0.0"),
            ("1.0+2", "Mixed 1.0+2"),
            ("1 && 1.0", "Mixed 1 && 1.0"),
            ("1.0 << 2.0", "IntegerExpected 1.0"),
            ("!1.0", "IntegerExpected 1.0"),
            ("1 ? 1.0 : 2.0", "IntegerExpected 1.0, IntegerExpected 2.0"),
            ("(.u32)1", "Cast .u32"),
            ("(.s64)1.0", "IntegerExpected 1.0"),
            ("-0f3f800000", "SingleInExpression 0f3f800000"),
            ("1.0 + 0f3f800000", "SingleInExpression 0f3f800000"),
        ]);
    }

    #[test]
    fn names_are_no_constants() {
        check(&[
            ("g + 1 << 4", "NAME_REFERENCE + 16"),
            ("g + 1 ? 4 : 8", "NAME_REFERENCE + 4"),
            ("g + -1", "NAME_REFERENCE + -1"),
            ("g + 1.0", "IntegerExpected 1.0"),
            ("g - 1", "BINARY_EXPRESSION"),
            ("(g)", "PARENTHESIZED_EXPRESSION"),
            ("!g", "PREFIX_EXPRESSION"),
            ("1 + g", "BINARY_EXPRESSION"),
        ]);
    }
}
