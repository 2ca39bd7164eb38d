//! Fixes of operands that an instruction does not take. As with modifiers the matcher is asked about
//! each of them, so that what is offered fits.

use isa::{
    matcher::{Statement, fit},
    operand::{Operand, Symbol},
    table::tables,
    types::Class,
};
use syntax::{Cursor, TextRange};

use crate::{
    FixKind,
    diagnostics::{
        fix::{Repair, prefer_single},
        place::Place,
        rules::instructions::rejected::Rejected,
    },
    hir::tree::{text_of_range, trimmed},
};

/// Words that name a state space.
const SPACES: &[&str] = &[
    "const",
    "global",
    "local",
    "param",
    "param::entry",
    "param::func",
    "shared",
    "shared::cta",
    "shared::cluster",
];

/// Exchanges two operands.
pub(in crate::diagnostics) fn exchange(
    found: &Rejected<'_>,
    first: usize,
    second: usize,
) -> Vec<Repair> {
    let (Some(a), Some(b)) = (found.nodes.get(first), found.nodes.get(second)) else {
        return Vec::new();
    };
    let mut repair = repair("Exchange the operands", trimmed(a), text(b));
    repair.edits.push((Place::Own(trimmed(b)), text(a)));
    vec![repair.preferred(true)]
}

/// Makes an operand one that the instruction takes: brackets that are missing or too much, a predicate
/// that must be the second part of a pair, the state space of a variable.
pub(in crate::diagnostics) fn correct(found: &Rejected<'_>, index: usize) -> Vec<Repair> {
    let (Some(operand), Some(node)) = (found.operands.get(index), found.nodes.get(index)) else {
        return Vec::new();
    };
    let range = trimmed(node);
    let written = text(node);
    let mut repairs = Vec::new();
    match operand {
        Operand::Register { .. } | Operand::Symbol(_) | Operand::Offset(..) => {
            let address = Operand::Address(vec![operand.clone()], None);
            if fits_with(found, index, address) {
                let title = format!("Put `{written}` in brackets");
                repairs.push(repair(title, range, format!("[{written}]")));
            }
        }
        Operand::Special {
            class,
            lanes: 2..,
            narrow,
            ..
        } => {
            let component = Operand::Special {
                class: *class,
                lanes: 1,
                component: true,
                narrow: *narrow,
            };
            if fits_with(found, index, component) {
                let title = format!("Replace `{written}` by `{written}.x`");
                repairs.push(repair(title, range, format!("{written}.x")));
            }
        }
        Operand::Address(items, None) => {
            if let ([inner], Some(inner_node)) = (&items[..], node.nodes().next())
                && fits_with(found, index, inner.clone())
            {
                repairs.push(repair("Remove the brackets", range, text(&inner_node)));
            }
        }
        _ => {}
    }
    if let Operand::Register {
        class: Class::Pred,
        lanes: 1,
    } = operand
    {
        let pair = Operand::Pair(Box::new(Operand::Sink), Box::new(operand.clone()));
        if fits_with(found, index, pair) {
            let title = format!("Make `{written}` the second part of a pair");
            repairs.push(repair(title, range, format!("_|{written}")));
        }
    }
    repairs.extend(space(found, operand));
    prefer_single(repairs)
}

fn repair(title: impl Into<String>, range: TextRange, text: String) -> Repair {
    Repair::new(FixKind::CorrectOperand, title.into(), range, text)
}

/// The text of an operand without the blanks around it.
fn text(node: &Cursor<'_>) -> String {
    text_of_range(node, trimmed(node))
}

/// Names the state space of the variable in an address.
fn space(found: &Rejected<'_>, operand: &Operand) -> Option<Repair> {
    let Operand::Address(items, _) = operand else {
        return None;
    };
    let base = match items.first()? {
        Operand::Offset(base, _) => base,
        other => other,
    };
    let Operand::Symbol(Symbol::Variable(space, _)) = base else {
        return None;
    };
    let word = space.word();
    let mut words: Vec<&str> = found.modifiers.iter().map(|it| &it.text()[1..]).collect();
    let present = words.iter().position(|it| SPACES.contains(it));
    let (range, title) = match present.and_then(|it| found.modifiers.get(it)) {
        Some(token) => (
            token.range(),
            format!("Replace `{}` by `.{word}`", token.text()),
        ),
        None => (
            TextRange::empty(found.opcode.range().end()),
            format!("Insert `.{word}`"),
        ),
    };
    match present.and_then(|it| words.get_mut(it)) {
        Some(it) => *it = word,
        None => words.insert(0, word),
    }
    let kind = match present {
        Some(_) => FixKind::ReplaceModifier,
        None => FixKind::InsertModifier,
    };
    fits(found, &words, found.operands).then(|| Repair::new(kind, title, range, format!(".{word}")))
}

fn fits_with(found: &Rejected<'_>, index: usize, operand: Operand) -> bool {
    let words: Vec<&str> = found.modifiers.iter().map(|it| &it.text()[1..]).collect();
    let mut operands = found.operands.to_vec();
    operands[index] = operand;
    fits(found, &words, &operands)
}

fn fits(found: &Rejected<'_>, words: &[&str], operands: &[Operand]) -> bool {
    let statement = Statement {
        opcode: found.opcode.text(),
        words,
        operands,
        module: found.module,
    };
    fit(tables(), &statement).is_some()
}
