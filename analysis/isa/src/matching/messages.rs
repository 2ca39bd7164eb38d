//! Kinds, conditions and rules in words, for messages.

use crate::{
    condition::{Atom, Choices, Condition, Expression},
    kind::{AddressWidth, Integers, Kind, VectorKind},
    table::{Consequence, OperandPattern, Presence, Rule, Variant, WordSet},
    target::TextureMode,
    types::Classes,
};

/// Words of a set that a message lists.
const MAX_LISTED: usize = 8;

/// A rule that a statement breaks, as a clause: "`.sat` needs `.s32` or `.u32`".
#[must_use]
pub fn rule(rule: &Rule, variant: &Variant, choices: &Choices<'_>) -> String {
    let when = rule
        .when
        .0
        .iter()
        .find(|all| all.iter().all(|it| it.holds(choices)));
    let when: Vec<String> = when
        .into_iter()
        .flatten()
        .filter_map(|it| present(it, choices))
        .collect();
    match &rule.then {
        Consequence::Require(then) => {
            let then = condition(then, variant, choices);
            if when.is_empty() {
                format!("this form needs {then}")
            } else {
                format!("{} needs {then}", and(&when))
            }
        }
        _ if when.len() > 1 => format!("{} cannot appear together", and(&when)),
        _ => format!(
            "{} is not allowed in this form",
            when.first().map_or("this combination", |it| it)
        ),
    }
}

fn and(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} with {last}", first.join(", ")),
    }
}

/// The part of the statement that an atom of a condition is about.
fn present(atom: &Atom, choices: &Choices<'_>) -> Option<String> {
    match atom {
        Atom::Word(id) => Some(word(choices, *id)),
        Atom::Slot(slot) | Atom::In(slot, _) => choices.word(*slot).map(|it| format!("`.{it}`")),
        Atom::Operand(name) => Some(format!("the operand {name}")),
        _ => None,
    }
}

fn word(choices: &Choices<'_>, id: u16) -> String {
    format!("`.{}`", choices.words[usize::from(id)])
}

fn one_of(choices: &Choices<'_>, set: &WordSet) -> String {
    let all: Vec<String> = set.iter().map(|it| word(choices, it)).collect();
    match &all[..] {
        [one] => one.clone(),
        [first, second] => format!("{first} or {second}"),
        _ if all.len() > MAX_LISTED => format!("one of {}, …", all[..MAX_LISTED].join(", ")),
        _ => format!("one of {}", all.join(", ")),
    }
}

fn condition(condition: &Condition, variant: &Variant, choices: &Choices<'_>) -> String {
    let values = |slot: u8| {
        variant
            .slots
            .get(usize::from(slot))
            .map(|it| it.values)
            .unwrap_or_default()
    };
    let atom = |it: &Atom| match it {
        Atom::Word(id) => word(choices, *id),
        Atom::NoWord(id) => format!("no {}", word(choices, *id)),
        Atom::Slot(slot) => one_of(choices, &values(*slot)),
        Atom::NoSlot(slot) => format!(
            "none of {}",
            one_of(choices, &values(*slot)).replace("one of ", "")
        ),
        Atom::In(_, set) => one_of(choices, set),
        Atom::NotIn(_, set) => format!("none of {}", one_of(choices, set).replace("one of ", "")),
        Atom::Same(..) => "equal types".to_owned(),
        Atom::Different(..) => "different types".to_owned(),
        Atom::Operand(name) => format!("the operand {name}"),
        Atom::NoOperand(name) => format!("no operand {name}"),
        Atom::VersionFrom(it) => format!("PTX ISA {}.{} or later", it / 10, it % 10),
        Atom::VersionBelow(it) => format!("a PTX ISA before {}.{}", it / 10, it % 10),
        Atom::TargetFrom(it) => format!("sm_{it} or later"),
        Atom::TargetBelow(it) => format!("a target before sm_{it}"),
        Atom::TextureMode(TextureMode::Unified) => "the texture mode texmode_unified".to_owned(),
        Atom::TextureMode(TextureMode::Independent) => {
            "the texture mode texmode_independent".to_owned()
        }
        Atom::TargetIn(_) | Atom::Compare(..) | Atom::AtMost(..) => "other sizes".to_owned(),
    };
    let all: Vec<String> = condition
        .0
        .iter()
        .map(|all| all.iter().map(&atom).collect::<Vec<_>>().join(" with "))
        .collect();
    all.join(", or ")
}

/// Kinds of an operand as noun phrases.
#[must_use]
pub fn kinds(kinds: &[Kind], choices: &Choices<'_>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for it in kinds {
        // A source is two things: another kind may say more about its register.
        let parts = match it {
            Kind::Source(ty) => [
                kind(&Kind::Register(ty.clone()), choices),
                kind(&Kind::Constant(ty.clone()), choices),
            ],
            it => [kind(it, choices), None],
        };
        for text in parts.into_iter().flatten() {
            if !all.contains(&text) {
                all.push(text);
            }
        }
    }
    let wider: Vec<String> = all
        .iter()
        .filter_map(|it| it.strip_prefix("a register at least as wide as "))
        .map(|it| format!("a register for {it}"))
        .collect();
    all.retain(|it| !wider.contains(it));
    if kinds.iter().any(|it| matches!(it, Kind::Predicate { .. })) {
        // ptxas takes the second of these for predicates by accident.
        all.retain(|it| it != "a register for .pred" && it != "a .f16x2 register");
    }
    all
}

/// The same as one phrase.
pub(crate) fn any_of(kinds: &[Kind], choices: &Choices<'_>) -> String {
    either(&self::kinds(kinds, choices))
}

/// Alternatives in one phrase: "a or b", "a, b, or c".
#[must_use]
pub fn either(all: &[String]) -> String {
    match all {
        [] => String::new(),
        [one] => one.clone(),
        [first, second] if !first.contains(',') => format!("{first} or {second}"),
        [first @ .., last] => format!("{}, or {last}", first.join(", ")),
    }
}

/// The contents of brackets, as a noun phrase.
pub(crate) fn elements(patterns: &[OperandPattern], choices: &Choices<'_>) -> String {
    let there = patterns.iter().filter(|it| match &it.presence {
        Presence::If(condition) => condition.holds(choices),
        Presence::Required | Presence::Optional => true,
    });
    let names: Vec<String> = there
        .map(|it| match it.presence {
            Presence::Optional => format!("{}?", it.name),
            _ => it.name.to_owned(),
        })
        .collect();
    format!(
        "brackets with {}: `[{}]`",
        count(names.len()),
        names.join(", ")
    )
}

fn count(number: usize) -> String {
    match number {
        1 => "one element".to_owned(),
        _ => format!("{number} elements"),
    }
}

/// A kind of operand as a noun phrase; `None` for kinds that only ptxas's leniency explains.
#[must_use]
pub fn kind(kind: &Kind, choices: &Choices<'_>) -> Option<String> {
    Some(match kind {
        Kind::Register(ty) => format!("a register for .{}", ty.word(choices)?),
        Kind::Source(_) => any_of(std::slice::from_ref(kind), choices),
        Kind::Constant(ty) => match constants(&ty.word(choices)?) {
            "" => return None,
            constant => constant.to_owned(),
        },
        Kind::Loose(ty) => format!("a register at least as wide as .{}", ty.word(choices)?),
        Kind::Classes(it) | Kind::ClassesOffset(it) => classes(*it),
        Kind::Integer(set) => integers(set, choices),
        Kind::Float => "a floating-point constant".to_owned(),
        Kind::Tuple(elements) => format!("a vector `{{…}}` of {} elements", elements.len()),
        Kind::Fraction => "a floating-point constant above 0 and up to 1".to_owned(),
        Kind::When(inner, condition) if condition.holds(choices) => self::kind(inner, choices)?,
        Kind::Predicate { negatable: false } => "a .pred register".to_owned(),
        Kind::Predicate { negatable: true } => "a .pred register, perhaps negated".to_owned(),
        Kind::Vector(VectorKind { count, element, .. }) => {
            let element = element.iter().find_map(|it| self::kind(it, choices));
            let element = element.map_or_else(String::new, |it| format!(" of {it} each"));
            match (count, count.value(choices)) {
                (Expression::Slot(slot), _) if choices.word(*slot).is_none() => {
                    return element.strip_prefix(" of ").map(|it| it.trim_end_matches(" each").to_owned());
                }
                (_, Some(0) | None) => return None,
                (_, Some(1)) => format!("a vector `{{…}}` of 1 element{}", element.replace(" each", "")),
                (_, Some(count)) => format!("a vector `{{…}}` of {count} elements,{}", element.replace(" of ", " ")),
            }
        }
        Kind::Address(_, width) => match width {
            AddressWidth::Only64 => "an address in a 64-bit register or a variable",
            AddressWidth::Only32 => "an address in a 32-bit register or a variable",
            _ => "an address: an integer register or a variable of the state space, perhaps plus a constant",
        }
        .to_owned(),
        Kind::Special(ty) => match ty.resolve(choices).map(|it| it.bits) {
            Some(16) => "a component of `%tid`, `%ntid`, `%ctaid` or `%nctaid`".to_owned(),
            Some(bits @ (32 | 64)) => format!("a special register of {bits} bits"),
            _ => "a special register".to_owned(),
        },
        Kind::LooseSpecial(_) => "a special register".to_owned(),
        Kind::VariableName(Some(space)) if !space.word(choices).is_empty() => {
            format!("the name of a `.{}` variable", space.word(choices))
        }
        Kind::VariableName(_) => "the name of a variable".to_owned(),
        Kind::FunctionName => "the name of a function".to_owned(),
        Kind::Name(symbol) => {
            use crate::operand::Symbol;
            match symbol {
                Symbol::Label => "a label",
                Symbol::BranchTargets => "the label of a .branchtargets",
                Symbol::CallTargets => "the label of a .calltargets",
                Symbol::CallPrototype => "the label of a .callprototype",
                Symbol::TextureReference => "the name of a .texref",
                Symbol::SamplerReference => "the name of a .samplerref",
                Symbol::SurfaceReference => "the name of a .surfref",
                _ => "a name",
            }
            .to_owned()
        }
        Kind::Sink => "`_`".to_owned(),
        Kind::Minus(inner) => format!("minus {}", self::kind(inner, choices)?),
        Kind::Selected(inner, _) => format!("{} with a selector", self::kind(inner, choices)?),
        Kind::Except(inner, _) => self::kind(inner, choices)?,
        Kind::AnyRegister | Kind::Any | Kind::Bare(_) | Kind::Element | Kind::Hex32 | Kind::When(..) => return None,
    })
}

fn constants(ty: &str) -> &'static str {
    match crate::types::type_of(ty).map(|it| it.constants) {
        Some(it) if it.integer => "an integer constant",
        Some(it) if it.hex32 || it.decimal => "a floating-point constant",
        _ => "",
    }
}

fn classes(classes: Classes) -> String {
    let all: Vec<String> = classes.iter().map(|it| format!(".{}", it.word())).collect();
    match &all[..] {
        [one] => format!("a {one} register"),
        [first @ .., last] => format!("a {} or {last} register", first.join(", ")),
        [] => "nothing".to_owned(),
    }
}

fn integers(set: &Integers, choices: &Choices<'_>) -> String {
    match set {
        Integers::Any => "an integer constant".to_owned(),
        Integers::List(list) => {
            let all: Vec<String> = list.iter().map(i64::to_string).collect();
            match &all[..] {
                [one] => format!("the constant {one}"),
                _ => format!("one of the constants {}", all.join(", ")),
            }
        }
        Integers::Range(from, to, step) | Integers::Low32(from, to, step) => {
            let (Some(from), Some(to)) = (from.value(choices), to.value(choices)) else {
                return "an integer constant".to_owned();
            };
            match step {
                1 => format!("a constant from {from} to {to}"),
                _ => format!("a constant from {from} to {to} in steps of {step}"),
            }
        }
    }
}
