//! Kinds of operands.
//!
//! | notation | what the operand may be |
//! |---|---|
//! | `reg(t)` | a register that holds type `t` exactly; `t` is a slot, a type, `wide(t)`, `untyped(t)`, or `half(t)` and `quarter(t)` for untyped bits |
//! | `src(t)` | the same, or a constant of the type, or register + constant |
//! | `const(t)` | a constant of the type |
//! | `loose(t)` | a register at least as wide as the type |
//! | `b32 u32 …` | a register of one of these classes; sets (`set i32 = b32 u32 s32`) may be used |
//! | `offset(b32 …)` | the same, or such a register plus a constant |
//! | `int`, `int(0..15)`, `int(0..1008/16)`, `int{1 2 4}` | an integer constant; `int32(…)` looks at its low 32 bits |
//! | `float`, `hex32` | a float constant, one in `0f` notation |
//! | `fraction` | a float constant above 0 and up to 1 |
//! | `pred`, `!pred` | a predicate, perhaps negated |
//! | `vec(n; kinds)`, `vec(n; kinds; sink)` | `{…}` of n elements, or a vector register; some may be `_` |
//! | `vec(n; kinds; constants)` | the same with constants among the registers |
//! | `vec(n; kinds; index(k))` | the same where the k-th element is the index of an array of textures; none for 0 |
//! | `vec(n; kinds; each)` | the same where each element must be of the kinds, not only the vector as a whole |
//! | `vec(n; kinds; also kinds)` | each element is also of one of these other kinds |
//! | `vec(n; kinds; first)` | an integer constant as the first element speaks for all, even for integers only |
//! | `vec(n; kinds; strict)` | no constant as the first element speaks for the others |
//! | `vec(n; kinds; whole)` | a vector of constants is judged as a whole, too |
//! | `vec(n; kinds; parts(k))` | each k elements must be a legal vector on their own |
//! | `{kinds, kinds}` | `{…}` with kinds for each element |
//! | `kind when condition` | the kind, where the condition holds |
//! | `except(kind; kinds)` | the first kind, but none of the others |
//! | `bare(kinds)` | one of these without the brackets of the address that it stands for |
//! | `addr(space)`, `addr8(…)`, `addr16(…)`, `addr32_64(…)`, `addr32(…)`, `addr64(…)` | what is in brackets; `space` is a slot or a word, `generic` for none |
//! | `sreg(t)`, `loose_sreg(t)` | a special register, of the width or at least of it |
//! | `variable`, `variable(space)`, `function` | a name |
//! | `label branchtargets calltargets callprototype texref samplerref surfref` | a name of that kind |
//! | `sink` | `_` |
//! | `minus kind` | `-kind` |
//! | `kind.b0,b1`, `kind.h[0-3][0-3]` | the kind with one of these selectors |
//! | `register` | any register or texture name, where ptxas does not check it |
//! | `any` | anything |

use super::{
    conditions::{condition, expression, matching},
    scanner::{Checked, Scanner, collect, find, split_outside},
    scope::{NO_SLOT, Scope},
};
use crate::{
    condition::Expression,
    kind::{AddressWidth, Integers, Kind, SpaceRef, TypeRef, VectorKind},
    operand::Symbol,
    types::{Class, Classes, type_of},
};

/// Reads alternatives between `|`.
pub(super) fn kinds(text: &'static str, scope: &Scope<'_>) -> Checked<Vec<Kind>> {
    let mut out = Vec::new();
    for one in split_outside(text, b'|') {
        out.reserve_exact(1);
        // `(kinds) when condition`
        let group = split_when(one)
            .and_then(|(it, when)| Some((it.strip_prefix('(')?.strip_suffix(')')?, when)));
        match group {
            Some((inner, when)) => {
                let condition = condition(when, scope)?;
                let inner = kinds(inner, scope)?.into_iter();
                out.extend(inner.map(|it| Kind::When(Box::new(it), condition.clone())));
            }
            None => out.push(kind(one, scope)?),
        }
    }
    Ok(out)
}

fn kind(text: &'static str, scope: &Scope<'_>) -> Checked<Kind> {
    if let Some((inner, when)) = split_when(text) {
        let condition = condition(when, scope)?;
        return Ok(Kind::When(Box::new(kind(inner, scope)?), condition));
    }
    if let Some(elements) = text.strip_prefix('{').and_then(|it| it.strip_suffix('}')) {
        let elements = split_outside(elements, b',');
        return Ok(Kind::Tuple(collect(elements.map(|it| kinds(it, scope)))?));
    }
    if let Some(rest) = text.strip_prefix("minus ") {
        return Ok(Kind::Minus(Box::new(kind(rest.trim(), scope)?)));
    }
    if let Some((inner, selectors)) = split_selectors(text) {
        let mut patterns = Vec::new();
        for part in selectors.split(',') {
            scope.expand(part, |word| {
                patterns.push(word);
                Ok(())
            })?;
        }
        return Ok(Kind::Selected(Box::new(kind(inner, scope)?), patterns));
    }
    if let Some((name, argument)) = call(text) {
        return with_argument(name, argument, scope);
    }
    if let Some(list) = text
        .strip_prefix("int{")
        .and_then(|it| it.strip_suffix('}'))
    {
        let list = list
            .split_whitespace()
            .map(|it| it.parse().map_err(|_| format!("`{it}` is not a number")));
        return Ok(Kind::Integer(Integers::List(list.collect::<Checked<_>>()?)));
    }
    Ok(match text {
        "int" => Kind::Integer(Integers::Any),
        "float" => Kind::Float,
        "fraction" => Kind::Fraction,
        "hex32" => Kind::Hex32,
        "pred" => Kind::Predicate { negatable: false },
        "!pred" => Kind::Predicate { negatable: true },
        "sink" => Kind::Sink,
        "element" => Kind::Element,
        "any" => Kind::Any,
        "register" => Kind::AnyRegister,
        "variable" => Kind::VariableName(None),
        "function" => Kind::FunctionName,
        "label" => Kind::Name(Symbol::Label),
        "branchtargets" => Kind::Name(Symbol::BranchTargets),
        "calltargets" => Kind::Name(Symbol::CallTargets),
        "callprototype" => Kind::Name(Symbol::CallPrototype),
        "texref" => Kind::Name(Symbol::TextureReference),
        "samplerref" => Kind::Name(Symbol::SamplerReference),
        "surfref" => Kind::Name(Symbol::SurfaceReference),
        _ => Kind::Classes(classes(text, scope)?),
    })
}

/// `kind when condition`, outside parentheses.
fn split_when(text: &'static str) -> Option<(&'static str, &'static str)> {
    let depth = |it: &str| {
        it.bytes().fold(0_usize, |depth, byte| match byte {
            b'(' | b'{' => depth + 1,
            b')' | b'}' => depth.saturating_sub(1),
            _ => depth,
        })
    };
    find(text, " when ")?;
    let (at, word) = text
        .match_indices(" when ")
        .find(|it| depth(&text[..it.0]) == 0)?;
    Some((text[..at].trim(), text[at + word.len()..].trim()))
}

/// `reg(t).b0,b1`
fn split_selectors(text: &'static str) -> Option<(&'static str, &'static str)> {
    let at = text.rfind('.')?;
    let (inner, selectors) = (&text[..at], &text[at + 1..]);
    (!selectors.is_empty()
        && !inner.ends_with('.')
        && selectors
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || b", []-".contains(&it))
        && selectors.starts_with(|c: char| c.is_ascii_alphabetic()))
    .then_some((inner, selectors))
}

fn call(text: &'static str) -> Option<(&'static str, &'static str)> {
    let open = text.find('(')?;
    let close = matching(&text[open + 1..])? + open + 1;
    (close + 1 == text.len()).then(|| (&text[..open], text[open + 1..close].trim()))
}

fn with_argument(name: &str, argument: &'static str, scope: &Scope<'_>) -> Checked<Kind> {
    let width = match name {
        "addr" => Some(AddressWidth::Any),
        "addr8" => Some(AddressWidth::Only8),
        "addr16" => Some(AddressWidth::From16),
        "addr32_64" => Some(AddressWidth::From32),
        "addr32" => Some(AddressWidth::Only32),
        "addr64" => Some(AddressWidth::Only64),
        _ => None,
    };
    if let Some(width) = width {
        return Ok(Kind::Address(space(argument, scope), width));
    }
    Ok(match name {
        "reg" => Kind::Register(type_ref(argument, scope)?),
        "src" => Kind::Source(type_ref(argument, scope)?),
        "const" => Kind::Constant(type_ref(argument, scope)?),
        "loose" => Kind::Loose(type_ref(argument, scope)?),
        "sreg" => Kind::Special(type_ref(argument, scope)?),
        "loose_sreg" => Kind::LooseSpecial(type_ref(argument, scope)?),
        "variable" => Kind::VariableName(Some(space(argument, scope))),
        "bare" => Kind::Bare(kinds(argument, scope)?),
        "except" => {
            let (one, others) = argument
                .split_once(';')
                .ok_or("expected `except(kind; kinds)`")?;
            let one = kind(one.trim(), scope)?;
            Kind::Except(Box::new(one), kinds(others.trim(), scope)?)
        }
        "offset" => Kind::ClassesOffset(classes(argument, scope)?),
        "int" | "int32" => {
            let bounds = argument
                .split_once("..")
                .ok_or("expected `int(from..to)`")?;
            let from = expression(&mut Scanner::new(bounds.0), scope)?;
            // The step is after the last `/`, which an expression in a range does not need.
            let (to, step) = match bounds.1.rsplit_once('/') {
                Some((to, step)) => (
                    to,
                    step.trim()
                        .parse()
                        .map_err(|_| "the step is not a number")?,
                ),
                None => (bounds.1, 1),
            };
            let to: Expression = expression(&mut Scanner::new(to), scope)?;
            Kind::Integer(if name == "int" {
                Integers::Range(from, to, step)
            } else {
                Integers::Low32(from, to, step)
            })
        }
        "vec" => {
            let parts: Vec<_> = split_outside(argument, b';').collect();
            let count = expression(&mut Scanner::new(parts[0]), scope)?;
            let element = kinds(
                parts.get(1).copied().ok_or("expected `vec(n; kinds)`")?,
                scope,
            )?;
            let mut vector = VectorKind {
                count,
                element,
                sink: false,
                constants: false,
                specials: false,
                each: false,
                also: Vec::new(),
                first: false,
                strict: false,
                whole: false,
                parts: None,
                index: None,
            };
            for flag in &parts[2..] {
                match *flag {
                    "sink" => vector.sink = true,
                    "constants" => vector.constants = true,
                    "specials" => vector.specials = true,
                    "each" => vector.each = true,
                    "first" => vector.first = true,
                    "strict" => vector.strict = true,
                    "whole" => vector.whole = true,
                    _ if flag.starts_with("also ") => vector.also = kinds(&flag[5..], scope)?,
                    _ => {
                        let (name, argument) = call(flag)
                            .ok_or_else(|| format!("`{flag}` says nothing about a vector"))?;
                        let number = Some(expression(&mut Scanner::new(argument), scope)?);
                        match name {
                            "index" => vector.index = number,
                            "parts" => vector.parts = number,
                            _ => return Err(format!("`{flag}` says nothing about a vector")),
                        }
                    }
                }
            }
            Kind::Vector(vector)
        }
        _ => return Err(format!("`{name}(…)` is not a kind of operand")),
    })
}

fn space(text: &'static str, scope: &Scope<'_>) -> SpaceRef {
    match text {
        "generic" => SpaceRef::Word(""),
        _ => scope
            .slot(text)
            .map_or(SpaceRef::Word(text), SpaceRef::Slot),
    }
}

fn type_ref(text: &'static str, scope: &Scope<'_>) -> Checked<TypeRef> {
    if let Some(inner) = text
        .strip_prefix("wide(")
        .and_then(|it| it.strip_suffix(')'))
    {
        return Ok(TypeRef::Wide(Box::new(type_ref(inner, scope)?)));
    }
    if let Some(inner) = text
        .strip_prefix("untyped(")
        .and_then(|it| it.strip_suffix(')'))
    {
        return Ok(TypeRef::Untyped(Box::new(type_ref(inner, scope)?)));
    }
    let part = |prefix| text.strip_prefix(prefix)?.strip_suffix(')');
    for (prefix, count) in [("half(", 2), ("quarter(", 4)] {
        if let Some(inner) = part(prefix) {
            return Ok(TypeRef::Part(Box::new(type_ref(inner, scope)?), count));
        }
    }
    // A slot of other variants only stays empty; where it is named after its word, the word itself is meant.
    match scope.slot(text) {
        Some(slot) if slot != NO_SLOT || type_of(text).is_none() => Ok(TypeRef::Slot(slot)),
        _ => type_of(text)
            .map(|_| TypeRef::Word(text))
            .ok_or_else(|| format!("`{text}` is neither a slot nor a type")),
    }
}

fn classes(text: &'static str, scope: &Scope<'_>) -> Checked<Classes> {
    let mut out = Classes::default();
    scope.expand(text, |word| {
        let class = Class::from_word(&word)
            .ok_or_else(|| format!("`{word}` is neither a kind of operand nor a register class"))?;
        out = out.union(Classes::of(&[class]));
        Ok(())
    })?;
    Ok(out)
}
