//! Values of operands as people write them.

use crate::{
    debug::{Expression, Number, Scope, Type},
    description::{Element, Value},
    machine::inspect::{View, WARP},
};

use super::{Form, Operand};

/// The name of the lane in an expression, and the special register that it means.
const LANE: (&str, &str) = ("lane", "%laneid");

/// A value that was read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Given {
    /// The same bits in all lanes.
    Same(u64),
    /// The bits of each lane.
    Lanes(Box<[u64; WARP]>),
    /// An expression with the lane in it.
    Each(Expression),
}

impl Given {
    /// Reads a value: a number, `{first, second}`, 32 values with commas between them, or an expression with `lane`.
    pub(super) fn parse(text: &str, operand: &Operand) -> Result<Given, String> {
        let text = text.trim();
        let wrong = |problem: String| format!("`{text}` for `{}`: {problem}", operand.name);
        let parts = split(text);
        if parts.len() > 1 {
            if parts.len() != WARP {
                return Err(wrong(format!(
                    "expected one value, or {WARP} with commas between them, found {}",
                    parts.len()
                )));
            }
            let mut lanes = Box::new([0; WARP]);
            for (lane, part) in lanes.iter_mut().zip(parts) {
                *lane = bits(part, operand.form).map_err(wrong)?;
            }
            return Ok(Given::Lanes(lanes));
        }
        let plain = bits(text, operand.form);
        if let Ok(it) = plain {
            return Ok(Given::Same(it));
        }
        match Expression::parse(text).map(with_lane) {
            Ok(Some(it)) => Ok(Given::Each(it)),
            _ => plain.map(Given::Same).map_err(wrong),
        }
    }

    /// The bits in each lane, where the lanes are known.
    pub(super) fn bits(
        &self,
        operand: &Operand,
        scope: &Scope<'_, '_>,
        lanes: usize,
    ) -> Result<[u64; WARP], String> {
        let expression = match self {
            Given::Same(it) => return Ok([*it; WARP]),
            Given::Lanes(it) => return Ok(**it),
            Given::Each(it) => it,
        };
        let ty = operand.form.type_of(operand.class);
        let mut all = [0; WARP];
        for (lane, bits) in all.iter_mut().enumerate().take(lanes) {
            let view = View { lane, ..scope.view };
            let number = Scope { view, ..*scope }.number(expression);
            *bits = number
                .and_then(|it| ty.encode(it))
                .map_err(|it| format!("the value of `{}` in lane {lane}: {it}", operand.name))?;
        }
        Ok(all)
    }
}

impl Operand {
    /// Checks a value as it is written, before the statements run; an expression in the lane is computed only then.
    ///
    /// # Errors
    /// It does not fit the operand, as a sentence.
    pub fn check(&self, value: &str) -> Result<(), String> {
        let number = match Given::parse(value, self)? {
            Given::Each(Expression::Integer(it)) => Number::Integer(it),
            Given::Each(Expression::Float(it)) => Number::Float(it),
            _ => return Ok(()),
        };
        let fits = self.form.type_of(self.class).encode(number);
        fits.map(drop)
            .map_err(|it| format!("`{value}` for `{}`: {it}", self.name))
    }

    /// Returns a value that fits every operand of this type: `1`, `true`, `{1, 2}`.
    #[must_use]
    pub fn sample(&self) -> String {
        match self.form {
            Form::Predicate => "true".to_owned(),
            Form::Numbers(Element::Float(_), 1) => "1.0".to_owned(),
            Form::Numbers(_, 1) => "1".to_owned(),
            Form::Numbers(Element::Float(_), 2) => "{1, 2}".to_owned(),
            Form::Numbers(_, count) => {
                let ones = vec!["1"; count as usize];
                format!("{{{}}}", ones.join(", "))
            }
        }
    }
}

/// The parts of a text between commas that are not in braces or parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, it) in text.char_indices() {
        match it {
            '{' | '(' => depth += 1,
            '}' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The bits of one value.
fn bits(text: &str, form: Form) -> Result<u64, String> {
    let text = text.trim();
    if let Some((word, inner)) = text.strip_suffix('}').and_then(|it| it.split_once('{')) {
        return packed(word.trim(), inner, form);
    }
    let element = match form {
        Form::Predicate => {
            return match text {
                "true" | "1" => Ok(1),
                "false" | "0" => Ok(0),
                _ => Err("a predicate is `true` or `false`".to_owned()),
            };
        }
        Form::Numbers(element, 1) => element,
        // The bits of all of them.
        Form::Numbers(..) => Element::Bits(form.bits()),
    };
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    if let Some(digits) = digits {
        let value = u64::from_str_radix(&digits.replace('_', ""), 16);
        let value = value.map_err(|_| "expected a number".to_owned())?;
        let fits = form.bits() >= 64 || value >> form.bits() == 0;
        return match fits {
            true => Ok(value),
            false => Err(format!(
                "it has more than the {} bits of a `.{}`",
                form.bits(),
                form.word()
            )),
        };
    }
    let has_dot = text.contains(['.', 'e', 'E', 'n', 'N']);
    if let (true, Element::Bits(_) | Element::Signed(_) | Element::Unsigned(_)) = (has_dot, element)
        && text.parse::<f64>().is_ok()
    {
        return Err(match form {
            Form::Numbers(_, 1) => format!(
                "a `.{}` is an integer; the bits of a floating-point number are `0f` with 8 hexadecimal digits",
                form.word()
            ),
            _ => format!(
                "a `.{}` has several numbers: `{{1, 2}}`, the lowest first",
                form.word()
            ),
        });
    }
    match text.parse::<f64>() {
        // TOML has other words for some of them.
        Ok(number) if matches!(element, Element::Float(_)) => {
            Type::Number(element).encode(Number::Float(number))
        }
        _ => element
            .encode(&Value::parse_word(text))
            .map_err(|_| format!("expected a `.{}`, such as {}", form.word(), example(form))),
    }
}

/// A value of a type, for messages.
fn example(form: Form) -> &'static str {
    match form {
        Form::Predicate => "`true`",
        Form::Numbers(Element::Float(_), 1) => "`1.5`, `0f3FC00000` or `inf`",
        Form::Numbers(_, 1) => "`12`, `0xff` or `4*lane`",
        Form::Numbers(..) => "`{1, 2}`, the lowest first",
    }
}

/// The bits of several numbers in one register, the lowest first; a word before them says of which type they are.
fn packed(word: &str, inner: &str, form: Form) -> Result<u64, String> {
    let form_of_word = || Form::from_word(word).ok_or_else(|| format!("`{word}` is not a type"));
    let used = match word {
        "" => form,
        _ => form_of_word()?,
    };
    let Form::Numbers(element, count) = used else {
        return Err("a predicate is `true` or `false`".to_owned());
    };
    if used.bits() != form.bits() {
        return Err(format!(
            "a `.{}` has {} bits, and the operand has {}",
            used.word(),
            used.bits(),
            form.bits()
        ));
    }
    if count == 1 {
        return Err("several numbers need their type: `f16x2{1, 2}`".to_owned());
    }
    let parts = split(inner);
    if parts.len() != count as usize {
        return Err(format!(
            "a `.{}` has {count} numbers, found {}",
            used.word(),
            parts.len()
        ));
    }
    let mut all = 0;
    for (place, part) in (0..).zip(parts) {
        all |= bits(part, Form::Numbers(element, 1))? << (place * element.bits());
    }
    Ok(all)
}

/// An expression in which the name of the lane is its register; `None` if it names anything else.
fn with_lane(expression: Expression) -> Option<Expression> {
    let boxed = |it: Box<Expression>| with_lane(*it).map(Box::new);
    Some(match expression {
        Expression::Variable(None, name) if name == LANE.0 => {
            Expression::Register(LANE.1.to_owned())
        }
        Expression::Register(name) if name == LANE.1 => Expression::Register(name),
        Expression::Integer(_) | Expression::Float(_) => expression,
        Expression::Unary(word, value) => Expression::Unary(word, boxed(value)?),
        Expression::Binary(word, left, right) => {
            Expression::Binary(word, boxed(left)?, boxed(right)?)
        }
        _ => return None,
    })
}
