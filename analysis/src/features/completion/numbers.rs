//! Constants of operands: those that real code writes there, and all where few are allowed.

use isa::{operand::Operand, types::Class, usage::constants};

use crate::{CompletionItem, CompletionKind, hir::number::integer};

use super::context::Head;

/// The constants that are tried where only constants are allowed.
const TRIED: std::ops::RangeInclusive<i128> = 0..=256;
/// Most that are offered where real code says nothing of them: more are any numbers, of which the first few suffice.
const MOST: usize = 40;
const FIRST: usize = 4;

/// Puts the constants that an operand is likely to be before the names that it could be.
pub(super) fn numbers(
    admits: &mut dyn FnMut(&Operand) -> bool,
    head: &Head,
    operand: usize,
    items: &mut Vec<CompletionItem>,
) {
    let words: String = head.before.iter().map(|it| format!(".{it}")).collect();
    let mut texts: Vec<String> = constants(&format!("{}{words}", head.opcode), operand)
        .iter()
        .filter(|it| value(it).is_some_and(|it| admits(&Operand::Integer(it))))
        .map(|it| (*it).to_owned())
        .collect();
    let registers = [
        Class::B16,
        Class::B32,
        Class::B64,
        Class::F32,
        Class::F64,
        Class::Pred,
    ];
    if !registers
        .into_iter()
        .any(|class| admits(&Operand::Register { class, lanes: 1 }))
    {
        let all: Vec<i128> = TRIED.filter(|it| admits(&Operand::Integer(*it))).collect();
        let shown = match all.len() {
            0..=MOST => &all[..],
            _ if texts.is_empty() => &all[..FIRST],
            _ => &[],
        };
        for text in shown.iter().map(i128::to_string) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    let texts = texts.into_iter();
    items.splice(
        0..0,
        texts.map(|it| CompletionItem::new(it, CompletionKind::Value)),
    );
}

/// The value of a constant with its sign.
fn value(text: &str) -> Option<i128> {
    match text.strip_prefix('-') {
        Some(text) => Some(-i128::from(integer(text)?)),
        None => integer(text).map(i128::from),
    }
}
