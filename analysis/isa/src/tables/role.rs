//! The roles of the operands of an instruction, as far as names are concerned.

use std::cmp::Reverse;

use super::{
    instruction::{Form, Instruction, OperandPattern, Slot, Variant},
    kind::Kind,
    word_set::WordSet,
};
use crate::operands::operand::Symbol;

/// How an instruction uses the names among its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The operands whose bits are set are written, the others are read.
    Plain(u32),
    /// All operands are read; names without a declaration are branch targets.
    Branch,
    /// `(results), callee, (arguments), targets`.
    Call,
}

/// The assumption about an opcode that the tables do not have.
pub(crate) const FIRST_IS_WRITTEN: Role = Role::Plain(1);

impl Role {
    /// Whether the operand with this index is written, calls aside.
    #[must_use]
    pub fn writes(self, operand: u32) -> bool {
        match self {
            Role::Plain(written) => written.checked_shr(operand).is_some_and(|it| it & 1 == 1),
            Role::Branch | Role::Call => false,
        }
    }

    /// The role common to two forms of which either may be meant.
    fn join(self, other: Role, with: fn(u32, u32) -> u32) -> Role {
        match (self, other) {
            (Role::Plain(a), Role::Plain(b)) => Role::Plain(with(a, b)),
            _ => self,
        }
    }
}

fn of_variant(variant: &Variant) -> Role {
    let kinds = |it: &OperandPattern, is: fn(&Kind) -> bool| match &it.form {
        Form::Plain(kinds) => kinds.iter().any(is),
        _ => false,
    };
    let target = |it: &Kind| matches!(it, Kind::Name(Symbol::Label | Symbol::BranchTargets));
    let mut operands = variant.operands.iter();
    // Only the operands of `call` may be anything for the tables.
    if operands
        .clone()
        .any(|it| kinds(it, |kind| matches!(kind, Kind::Any)))
    {
        Role::Call
    } else if operands.any(|it| kinds(it, target)) {
        Role::Branch
    } else {
        let indices = (0..u32::BITS).zip(&variant.operands);
        let written = indices.filter(|it| it.1.written);
        Role::Plain(written.fold(0, |all, it| all | 1 << it.0))
    }
}

/// The role of an opcode whatever its words are, if all its forms agree.
pub(crate) fn common<'t>(instructions: impl Iterator<Item = &'t Instruction>) -> Option<Role> {
    let mut roles = instructions.flat_map(|it| &it.variants).map(of_variant);
    let first = roles.next()?;
    roles.all(|it| it == first).then_some(first)
}

/// The role of an opcode with these words, given without their periods, if its forms do not agree; of
/// incomplete words the nearest forms count. `instructions` are those of the opcode, the ones with more fixed
/// words first.
pub(crate) fn nearest<'t, I>(instructions: impl Fn() -> I, words: &[&str]) -> Role
where
    I: Iterator<Item = &'t Instruction>,
{
    let complete = |it: &&Instruction| words.starts_with(&it.fixed);
    let Some(longest) = instructions().find(complete) else {
        // Not written to the end: what all forms agree about.
        let variants = instructions().flat_map(|it| &it.variants);
        let roles = variants.map(of_variant);
        return roles
            .reduce(|a, b| a.join(b, |a, b| a & b))
            .unwrap_or(FIRST_IS_WRITTEN);
    };
    let mut ids = WordSet::default();
    for word in &words[longest.fixed.len()..] {
        if let Some(id) = longest.word_ids.get(word) {
            ids.insert(*id);
        }
    }
    // The forms that have most of the words, and lack the fewest beside them.
    let rank = |it: &Variant| {
        let known = ids.iter().filter(|id| it.words.contains(*id)).count();
        let lacks = |slot: &&Slot| slot.required && !slot.values.intersects(&ids);
        (known, Reverse(it.slots.iter().filter(lacks).count()))
    };
    let best = longest.variants.iter().map(rank).max();
    let nearest = longest.variants.iter().filter(|it| Some(rank(it)) == best);
    // Forms with the same words differ in operands in brackets, which are not registers.
    let roles = nearest.map(of_variant);
    roles
        .reduce(|a, b| a.join(b, |a, b| a | b))
        .unwrap_or(FIRST_IS_WRITTEN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::table::tables;

    #[track_caller]
    fn check(statement: &str, expected: Role) {
        let mut words = statement.split('.');
        let opcode = words.next().unwrap();
        assert_eq!(tables().role(opcode, || words), expected, "{statement}");
    }

    #[test]
    fn the_tables_say_what_is_written() {
        check("add.s32", Role::Plain(0b1));
        check("ld.global.f32", Role::Plain(0b1));
        check("st.global.f32", Role::Plain(0));
        check("setp.lt.s32", Role::Plain(0b1));
        check("bar.sync", Role::Plain(0));
        check("bar.red.popc.u32", Role::Plain(0b1));
        check("barrier.cta.red.and.pred", Role::Plain(0b1));
        check("bar.warp.sync", Role::Plain(0));
        check("nanosleep.u32", Role::Plain(0));
        check("tcgen05.ld.sync.aligned.32x32b.x2.b32", Role::Plain(0b1));
        check(
            "tcgen05.ld.red.sync.aligned.32x32b.x2.min.f32",
            Role::Plain(0b11),
        );
        check("tcgen05.st.sync.aligned.32x32b.x2.b32", Role::Plain(0));
        check(
            "tcgen05.dealloc.cta_group::1.sync.aligned.b32",
            Role::Plain(0),
        );
        check("mbarrier.arrive.b64", Role::Plain(0b1));
        check(
            "mbarrier.test_wait.phase_type::primary.b64",
            Role::Plain(0b11),
        );
        check("bra.uni", Role::Branch);
        check("brx.idx", Role::Branch);
        check("call.uni", Role::Call);
    }

    #[test]
    fn what_is_no_statement_has_a_role_too() {
        check("", Role::Plain(0b1));
        check("sub.x.y", Role::Plain(0b1));
        check("nothing.u32", Role::Plain(0b1));
        check("bar", Role::Plain(0));
        check("tcgen05.l", Role::Plain(0));
    }
}
