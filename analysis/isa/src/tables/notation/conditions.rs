//! Conditions, expressions and gates.

use std::cmp::Ordering;

use super::{
    scanner::{Checked, Scanner, collect, split_outside},
    scope::Scope,
};
use crate::{
    condition::{Atom, Condition, Expression},
    tables::word_set::WordSet,
    target::{Gate, Target, TextureMode, Version},
};

/// Reads `@7.0..7.8 sm_80 sm_90a`; without a version `@ sm_80`.
pub(super) fn gate(text: &'static str) -> Checked<Gate> {
    let mut gate = Gate::default();
    for word in text.split_whitespace() {
        if let Some(below) = word.strip_prefix("<sm_") {
            gate.below = Some(
                below
                    .parse()
                    .map_err(|_| format!("`{word}` is not a target"))?,
            );
        } else if word.starts_with("sm_") {
            gate.targets
                .push(Target::parse(word).ok_or_else(|| format!("`{word}` is not a target"))?);
        } else {
            let (since, until) = word
                .split_once("..")
                .map_or((word, None), |(a, b)| (a, Some(b)));
            let version = |text: &str| {
                Version::parse(text).ok_or_else(|| format!("`{text}` is not a version"))
            };
            if !since.is_empty() {
                gate.since = Some(version(since)?);
            }
            gate.until = until.map(version).transpose()?;
        }
    }
    Ok(gate)
}

/// Splits `text @gate` into its parts.
pub(super) fn split_gate(text: &'static str) -> Checked<(&'static str, Gate)> {
    match text.split_once('@') {
        Some((text, rest)) => Ok((text.trim(), gate(rest)?)),
        None => Ok((text.trim(), Gate::default())),
    }
}

/// Reads a condition.
pub(super) fn condition(text: &'static str, scope: &Scope<'_>) -> Checked<Condition> {
    let mut out = Vec::with_capacity(1);
    let mut rest = text;
    loop {
        let (one, more) = split_or(rest);
        let atoms = collect(split_outside(one, b',').map(|it| atom(it, scope)))?;
        out.push(atoms.into());
        match more {
            Some(more) => rest = more,
            None => return Ok(Condition(out.into())),
        }
    }
}

fn split_or(text: &'static str) -> (&'static str, Option<&'static str>) {
    let mut depth = 0usize;
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            'o' if depth == 0
                && text[i..].starts_with("or ")
                && (i == 0 || text[..i].ends_with(' ')) =>
            {
                return (text[..i].trim(), Some(text[i + 3..].trim()));
            }
            _ => {}
        }
    }
    (text.trim(), None)
}

fn atom(text: &'static str, scope: &Scope<'_>) -> Checked<Atom> {
    let mut s = Scanner::new(text);
    let negated = s.eat("!");
    if s.eat_tight(".") {
        let word = s.word().ok_or("expected a word after `.`")?;
        let id = scope
            .word(word)
            .ok_or_else(|| format!("no variant has the word `.{word}`"))?;
        end(s)?;
        return Ok(if negated {
            Atom::NoWord(id)
        } else {
            Atom::Word(id)
        });
    }
    if s.peek() == '(' {
        let left = expression(&mut s, scope)?;
        let operator = ["<=", ">=", "==", "<", ">"]
            .into_iter()
            .find(|it| s.eat(it))
            .ok_or("expected a comparison")?;
        let right = expression(&mut s, scope)?;
        end(s)?;
        return Ok(match operator {
            "<=" => Atom::AtMost(left, right),
            ">=" => Atom::AtMost(right, left),
            "==" => Atom::Compare(left, Ordering::Equal, right),
            "<" => Atom::Compare(left, Ordering::Less, right),
            _ => Atom::Compare(left, Ordering::Greater, right),
        });
    }
    let name = s
        .word()
        .ok_or_else(|| format!("expected a condition, found `{text}`"))?;
    match name {
        "has" => {
            let operand = s.word().ok_or("expected the name of an operand")?;
            end(s)?;
            return Ok(if negated {
                Atom::NoOperand(operand)
            } else {
                Atom::Operand(operand)
            });
        }
        "version" => {
            let below = s.eat("<");
            if !below && !s.eat(">=") {
                return Err("expected `<` or `>=`".to_owned());
            }
            let version = Version::parse(s.rest()).ok_or("expected a version")?;
            let number = u16::from(version.major) * 10 + u16::from(version.minor);
            return Ok(if below {
                Atom::VersionBelow(number)
            } else {
                Atom::VersionFrom(number)
            });
        }
        "texmode" => {
            if !s.eat("=") {
                return Err("expected `=`".to_owned());
            }
            return match s.rest() {
                "unified" => Ok(Atom::TextureMode(TextureMode::Unified)),
                "independent" => Ok(Atom::TextureMode(TextureMode::Independent)),
                it => Err(format!("`{it}` is not a texture mode")),
            };
        }
        "target" => {
            if s.eat_word("in") {
                let list = s.rest().split_whitespace().map(|it| {
                    Target::parse(it)
                        .map(|it| (it.number, it.suffix))
                        .ok_or_else(|| format!("`{it}` is not a target"))
                });
                return Ok(Atom::TargetIn(list.collect::<Checked<_>>()?));
            }
            let below = s.eat("<");
            if !below && !s.eat(">=") {
                return Err("expected `<`, `>=` or `in`".to_owned());
            }
            let target = Target::parse(s.rest()).ok_or("expected a target")?;
            return Ok(if below {
                Atom::TargetBelow(target.number)
            } else {
                Atom::TargetFrom(target.number)
            });
        }
        _ => {}
    }
    let slot = scope
        .slot(name)
        .ok_or_else(|| format!("`{name}` is not a slot of this variant"))?;
    if s.is_empty() {
        return Ok(if negated {
            Atom::NoSlot(slot)
        } else {
            Atom::Slot(slot)
        });
    }
    if s.eat("==") {
        let other = s
            .word()
            .and_then(|it| scope.slot(it))
            .ok_or("expected a slot after `==`")?;
        return Ok(Atom::Same(slot, other));
    }
    if s.eat("!==") {
        let other = s
            .word()
            .and_then(|it| scope.slot(it))
            .ok_or("expected a slot after `!==`")?;
        return Ok(Atom::Different(slot, other));
    }
    let not = s.eat("!=");
    if !not && !s.eat("=") {
        return Err(format!("expected `=`, `!=` or `==` after `{name}`"));
    }
    // A set may hold words of other instructions, a written word may not.
    let mut set = WordSet::default();
    scope.expand(s.rest(), |word| {
        match scope.word(&word) {
            Some(id) => set.insert(id),
            None if s.rest().split_whitespace().any(|it| it == word) => {
                return Err(format!("no variant has the word `.{word}`"));
            }
            None => {}
        }
        Ok(())
    })?;
    Ok(if not {
        Atom::NotIn(slot, set)
    } else {
        Atom::In(slot, set)
    })
}

fn end(s: Scanner) -> Checked<()> {
    if s.is_empty() {
        Ok(())
    } else {
        Err(format!("unexpected `{}`", s.rest()))
    }
}

/// Reads an expression: numbers, slots, `m(shape)`, `bits(type)`, `+ - * /`, `if(condition; a; b)`.
pub(super) fn expression(s: &mut Scanner, scope: &Scope<'_>) -> Checked<Expression> {
    let mut left = term(s, scope)?;
    loop {
        let operator = match s.peek() {
            '+' => '+',
            '-' => '-',
            _ => return Ok(left),
        };
        s.eat(if operator == '+' { "+" } else { "-" });
        let right = term(s, scope)?;
        left = Expression::Binary(Box::new(left), operator, Box::new(right));
    }
}

fn term(s: &mut Scanner, scope: &Scope<'_>) -> Checked<Expression> {
    let mut left = factor(s, scope)?;
    loop {
        let operator = match s.peek() {
            '*' => '*',
            '/' => '/',
            _ => return Ok(left),
        };
        s.eat(if operator == '*' { "*" } else { "/" });
        let right = factor(s, scope)?;
        left = Expression::Binary(Box::new(left), operator, Box::new(right));
    }
}

fn factor(s: &mut Scanner, scope: &Scope<'_>) -> Checked<Expression> {
    if s.eat("(") {
        let inner = expression(s, scope)?;
        if !s.eat(")") {
            return Err("expected `)`".to_owned());
        }
        return Ok(inner);
    }
    if s.peek().is_ascii_digit() || s.peek() == '-' {
        return s
            .number()
            .map(Expression::Number)
            .ok_or_else(|| "expected a number".to_owned());
    }
    let name = s
        .word()
        .ok_or_else(|| format!("expected a number or a slot, found `{}`", s.rest()))?;
    if matches!(name, "value" | "low32") && s.eat("(") {
        let operand = s.word().ok_or("expected the name of an operand")?;
        if !s.eat(")") {
            return Err("expected `)`".to_owned());
        }
        return Ok(match name {
            "value" => Expression::Value(operand),
            _ => Expression::Low32(operand),
        });
    }
    if name == "if" && s.eat("(") {
        let rest = s.rest();
        let close = matching(rest).ok_or("expected `)`")?;
        let parts: Vec<_> = split_outside(&rest[..close], b';').collect();
        let [when, then, otherwise] = parts[..] else {
            return Err("expected `if(condition; a; b)`".to_owned());
        };
        let condition = condition(when, scope)?;
        let (mut a, mut b) = (Scanner::new(then), Scanner::new(otherwise));
        let out = Expression::If(
            Box::new(condition),
            Box::new(expression(&mut a, scope)?),
            Box::new(expression(&mut b, scope)?),
        );
        *s = Scanner::new(&rest[close + 1..]);
        return Ok(out);
    }
    if s.eat("(") {
        let slot = s
            .word()
            .and_then(|it| scope.slot(it))
            .ok_or("expected a slot")?;
        if !s.eat(")") {
            return Err("expected `)`".to_owned());
        }
        return match name {
            "bits" => Ok(Expression::Bits(slot)),
            _ if name.len() == 1 => Ok(Expression::Dimension(
                slot,
                name.chars().next().unwrap_or('m'),
            )),
            _ => Err(format!("`{name}` is not a function")),
        };
    }
    scope
        .slot(name)
        .map(Expression::Slot)
        .ok_or_else(|| format!("`{name}` is not a slot of this variant"))
}

/// Index of the `)` that closes a `(` before the text.
pub(super) fn matching(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(i),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}
