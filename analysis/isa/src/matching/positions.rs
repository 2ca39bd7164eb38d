//! Where the operands of a statement are that the tables name.

use crate::tables::table::{Form, OperandPattern, Presence, Tables, Variant, WordSet};

/// Where operands of some names are in a statement: their indices among its operands. `words` are all words after
/// the opcode, `brackets` tells for each operand whether it is in brackets. `None` for those that are not there, or
/// when no variant has such operands.
#[must_use]
pub fn positions<const N: usize>(
    tables: &Tables,
    opcode: &str,
    words: &[&str],
    brackets: &[bool],
    names: [Option<&str>; N],
) -> [Option<usize>; N] {
    let mut order = Vec::with_capacity(brackets.len());
    let candidates = tables.with_opcode(opcode);
    let mut candidates = candidates.filter(|it| words.starts_with(&it.fixed));
    let found = candidates.any(|instruction| {
        let mut ids = WordSet::default();
        for word in &words[instruction.fixed.len()..] {
            match instruction.word_ids.get(word) {
                Some(id) => ids.insert(*id),
                None if instruction.spare.contains(word) => {}
                None => return false,
            }
        }
        let fits = |it: &&Variant| {
            let mut slots = it.slots.iter();
            it.words.covers(&ids) && slots.all(|it| !it.required || it.values.intersects(&ids))
        };
        instruction.variants.iter().filter(fits).any(|it| {
            order.clear();
            align(&it.operands, brackets, &mut order)
        })
    });
    names.map(|name| match found && name.is_some() {
        true => order.iter().position(|it| Some(*it) == name),
        false => None,
    })
}

/// Gives each operand of a statement the name of its pattern; what may be left out is filled from the left.
fn align(patterns: &[OperandPattern], brackets: &[bool], order: &mut Vec<&'static str>) -> bool {
    let Some((pattern, rest)) = patterns.split_first() else {
        return brackets.is_empty();
    };
    let bracket = matches!(pattern.form, Form::Bracket(..));
    if brackets.first() == Some(&bracket) {
        order.push(pattern.name);
        if align(rest, &brackets[1..], order) {
            return true;
        }
        order.pop();
    }
    !matches!(pattern.presence, Presence::Required) && align(rest, brackets, order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables;

    #[track_caller]
    fn check(statement: &str, operands: &str, name: &str, expected: Option<usize>) {
        let mut words = statement.split('.');
        let opcode = words.next().unwrap();
        let words: Vec<&str> = words.collect();
        let brackets: Vec<bool> = operands.chars().map(|it| it == '[').collect();
        let [found] = positions(tables(), opcode, &words, &brackets, [Some(name)]);
        assert_eq!(found, expected, "{statement} {operands} {name}");
    }

    #[test]
    fn operands_are_found_by_their_names() {
        check("mbarrier.init.shared::cta.b64", "[r", "count", Some(1));
        check("mbarrier.arrive.shared::cta.b64", "_[", "addr", Some(1));
        check("mbarrier.arrive.shared::cta.b64", "_[", "count", None);
        check("mbarrier.arrive.shared::cta.b64", "_[r", "count", Some(2));
        check("bar.sync", "r", "b", None);
        check("bar.red.popc.u32", "rrrp", "b", Some(2));
        check("bar.red.popc.u32", "rrp", "b", None);
        let copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
        check(copy, "[[r[", "barrier", Some(3));
        check(copy, "[[r[", "size", Some(2));
        check("shfl.sync.down.b32", "rrrrr", "membermask", Some(4));
        check("nothing.at.all", "r", "a", None);
    }
}
