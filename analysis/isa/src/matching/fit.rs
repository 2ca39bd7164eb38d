//! The meaning of a statement that fits: the order of its words and the types of its constants.

use super::{
    binding::OperandPath,
    matcher::{Fit, Statement, Taken, match_operands},
};
use crate::{
    condition::Choices, kind::Kind, semantics::Semantics, table::WordSet, tables, types::type_of,
};

impl Fit<'_> {
    /// The words of the statement in the order in which the manual writes them, those that ptxas ignores
    /// left out.
    pub fn ordered_words(&self) -> impl Iterator<Item = &'static str> + Clone {
        let chosen = self.slots.iter().flatten();
        let chosen = chosen.filter_map(|it| self.instruction.words.get(usize::from(*it)));
        self.instruction.fixed.iter().chain(chosen).copied()
    }

    /// Whether words are in the order of the manual, but for slots that real code has in any order.
    #[must_use]
    pub fn is_usual_order(&self, words: &[&str]) -> bool {
        let fixed = self.instruction.fixed.len();
        let mut taken = vec![false; self.slots.len()];
        // The slot of each word; words that appear twice keep their order.
        let mut slots = Vec::with_capacity(words.len());
        for word in words.iter().skip(fixed) {
            let holds = |it: &usize| {
                let id = self.slots[*it].map(usize::from);
                !taken[*it] && id.and_then(|it| self.instruction.words.get(it)) == Some(word)
            };
            let Some(slot) = (0..self.slots.len()).find(holds) else {
                return false;
            };
            taken[slot] = true;
            slots.push(slot);
        }
        let free = |it: usize| self.variant.slots[it].free;
        words.starts_with(&self.instruction.fixed)
            && slots.iter().enumerate().all(|(at, second)| {
                let mut before = slots[..at].iter();
                before.all(|first| first < second || free(*first) & free(*second) != 0)
            })
    }

    /// The effects of the instruction with these words.
    #[must_use]
    pub fn semantics(&self) -> Semantics {
        tables().semantics(self.instruction.opcode, self.ordered_words())
    }

    /// For each operand that an integer constant may be, the width in bits of the integer type that it has
    /// there.
    #[must_use]
    pub fn constant_bits(&self, statement: &Statement<'_>) -> Vec<Option<u32>> {
        let mut bits = vec![None; statement.operands.len()];
        self.for_each_operand(statement, &mut |operand, choices| {
            let whole = OperandPath::operand(usize::from(operand.path.operand));
            if operand.path == whole
                && let Some(bits) = bits.get_mut(usize::from(whole.operand))
            {
                let mut kinds = operand.kinds.iter();
                *bits = kinds.find_map(|it| integer_bits(it, choices));
            }
        });
        bits
    }

    /// Calls a function with each operand that the head of the variant names, and what was chosen before it.
    pub(super) fn for_each_operand(
        &self,
        statement: &Statement<'_>,
        act: &mut impl FnMut(&Taken<'_>, &Choices<'_>),
    ) {
        let mut present = WordSet::default();
        for id in self.slots.iter().flatten() {
            present.insert(*id);
        }
        let mut choices = Choices {
            opcode: self.instruction.opcode,
            words: &self.instruction.words,
            slots: self.slots.clone(),
            present,
            operands: Vec::new(),
            integers: Vec::new(),
            module: statement.module,
        };
        match_operands(self.variant, statement.operands, &mut choices, false, act);
    }
}

fn integer_bits(kind: &Kind, choices: &Choices<'_>) -> Option<u32> {
    let (Kind::Source(ty) | Kind::Constant(ty)) = kind else {
        return None;
    };
    let ty = type_of(&ty.word(choices)?)?;
    ty.constants.integer.then_some(ty.bits)
}
