//! One step away from a form that the tables accept.

use fastrand::Rng;
use isa::{
    condition::Choices,
    table::tables,
    target::Module,
    types::{CLASSES, Class},
};

use super::{
    generator::{Draft, admits},
    operands::{Item, REGISTERS, register},
};

/// Changes the words after the opcode or the operands of a statement, once.
pub fn mutate(draft: &mut Draft, rng: &mut Rng) {
    if draft.operands.is_empty() || rng.bool() {
        words(draft, rng);
    } else {
        operands(draft, rng);
    }
}

/// Another token from the same instruction, or from any.
fn any_word(draft: &Draft, rng: &mut Rng) -> Option<String> {
    let own = rng.u8(..4) > 0;
    let words = if own {
        &draft.instruction.words
    } else {
        &rng.choice(tables().instructions().collect::<Vec<_>>())?
            .words
    };
    rng.choice(words).map(|it| (*it).to_owned())
}

fn words(draft: &mut Draft, rng: &mut Rng) {
    let count = draft.words.len();
    match rng.u8(..10) {
        0..3 if count > 0 => {
            draft.words.remove(rng.usize(..count));
        }
        3..7 if count > 0 => {
            if let Some(word) = any_word(draft, rng) {
                draft.words[rng.usize(..count)] = word;
            }
        }
        7 if count > 1 => {
            let first = rng.usize(..count - 1);
            draft.words.swap(first, first + 1);
        }
        _ => {
            if let Some(word) = any_word(draft, rng) {
                draft.words.insert(rng.usize(0..=count), word);
            }
        }
    }
}

fn operands(draft: &mut Draft, rng: &mut Rng) {
    let index = rng.usize(..draft.operands.len());
    match rng.u8(..12) {
        0 => {
            draft.operands.remove(index);
        }
        1 => {
            let item = scalar(rng);
            draft
                .operands
                .insert(rng.usize(0..=draft.operands.len()), item);
        }
        2 if index > 0 => draft.operands.swap(index - 1, index),
        3 => {
            let old = draft.operands[index].clone();
            draft.operands[index] = match old {
                Item::Bracket(mut items, _) if items.len() == 1 => items.remove(0),
                Item::Pair(first, _) => *first,
                Item::Scalar(text) if rng.bool() => Item::Bracket(vec![Item::Scalar(text)], None),
                item @ Item::Scalar(_) => Item::Pair(Box::new(item), Box::new(scalar(rng))),
                item => item,
            };
        }
        _ => change(&mut draft.operands[index], rng),
    }
}

/// Changes one part of an operand.
fn change(item: &mut Item, rng: &mut Rng) {
    match item {
        Item::Scalar(_) => *item = scalar(rng),
        Item::Pair(first, second) => change(if rng.bool() { first } else { second }, rng),
        Item::Bracket(items, _) => match rng.choice(items.iter_mut()) {
            Some(part) if rng.u8(..5) > 0 => change(part, rng),
            _ => items.push(scalar(rng)),
        },
        Item::Vector(items) => match rng.u8(..4) {
            0 if items.len() > 1 => {
                items.pop();
            }
            1 if items.len() < REGISTERS => items.push(items[0].clone()),
            2 => *item = items[0].clone(),
            _ => {
                if let Some(part) = rng.choice(items.iter_mut()) {
                    change(part, rng);
                }
            }
        },
    }
}

/// A register of some class, a constant or a name.
///
/// No register plus a constant: whether ptxas takes that as data depends on unrelated text.
fn scalar(rng: &mut Rng) -> Item {
    let classes: Vec<Class> = CLASSES.iter().map(|it| it.1).collect();
    Item::Scalar(match rng.u8(..16) {
        0 => rng.i32(-2..40).to_string(),
        1 => (1_u32 << rng.u8(..20)).to_string(),
        2 => "1.5".to_owned(),
        3 => "0f3F800000".to_owned(),
        4 => "_".to_owned(),
        5 => "gbuf`".to_owned(),
        6 => format!("!{}", register(Class::Pred, 1)),
        7 => format!("-{}", register(Class::B32, 2)),
        _ => register(
            *rng.choice(&classes).expect("there are classes"),
            rng.usize(..REGISTERS),
        ),
    })
}

/// A module that just fails the gates of an accepted statement: the version before the first that is
/// accepted for a target, or a neighbour of an accepted target.
pub fn just_below(draft: &Draft, modules: &[Module], rng: &mut Rng) -> Option<Module> {
    let mut choices: Choices<'static> = draft.choices.clone();
    let mut admitted = |module: Module| {
        choices.module = module;
        admits(draft.instruction, draft.variant, &choices)
    };
    // The modules are target by target, versions ascending.
    let verdicts: Vec<bool> = modules.iter().map(|it| admitted(*it)).collect();
    let mut edges = Vec::new();
    for (index, pair) in verdicts.windows(2).enumerate() {
        if pair[0] != pair[1] && modules[index].target == modules[index + 1].target {
            edges.push(modules[if pair[0] { index + 1 } else { index }]);
        }
    }
    // Targets that some version of an accepted one does not help.
    if edges.is_empty() || rng.bool() {
        let version = draft.choices.module.version;
        let of_version = modules
            .iter()
            .zip(&verdicts)
            .filter(|it| it.0.version == version);
        edges = of_version.filter(|it| !it.1).map(|it| *it.0).collect();
    }
    rng.choice(&edges).copied()
}
