//! The instruction that is hovered over, matched with the tables.

use isa::{
    matcher::{Fit, Outcome, Statement},
    matching::match_statement,
    operand::Operand,
    table::{OperandPattern, Presence, tables},
    target::Module,
};
use syntax::{Cursor, CursorToken};

use crate::{
    features::completion::module,
    hir::{body::body_around, in_force::in_force, instruction::Parts, resolve::resolve},
};

use super::Context;

/// An instruction of a file, and what the tables say about it.
pub(super) struct MatchedInstruction<'a> {
    pub(super) module: Module,
    pub(super) modifiers: Vec<CursorToken<'a>>,
    pub(super) nodes: Vec<Cursor<'a>>,
    pub(super) operands: Vec<Operand>,
    /// The variant that fits.
    pub(super) fit: Option<Fit<'static>>,
}

impl MatchedInstruction<'_> {
    /// The operand in the tables, if its place tells it: nothing before it is left out.
    pub(super) fn pattern(&self, index: usize) -> Option<&'static OperandPattern> {
        let patterns = &self.fit.as_ref()?.variant.operands;
        let is_there = |it: &OperandPattern| matches!(it.presence, Presence::Required);
        let certain =
            patterns.len() == self.nodes.len() || patterns.iter().take(index + 1).all(is_there);
        patterns.get(index).filter(|_| certain)
    }
}

impl Context<'_> {
    fn module(&self) -> Module {
        let in_force = self.function.and_then(|it| in_force(self.db, it));
        in_force.map_or_else(|| module(self.db, self.file), |it| it.start)
    }

    /// An instruction of the function at the cursor.
    pub(super) fn find<'a>(&'a self, instruction: &Cursor<'a>) -> Option<MatchedInstruction<'a>> {
        let function = self.function?;
        let parts = Parts::of(instruction);
        let body = &*body_around(self.db, function, instruction.range());
        let types = &body.operands;
        let operands = parts
            .resolved(&|range, name: &str| resolve(self.db, function, body, types, range, name));
        let statement = Statement {
            opcode: parts.opcode?.text(),
            words: &parts.words,
            operands: &operands,
            module: self.module(),
        };
        let fit = match match_statement(tables(), &statement) {
            Outcome::Fit(fit) => Some(fit),
            Outcome::Mismatch(_) => None,
        };
        Some(MatchedInstruction {
            module: self.module(),
            modifiers: parts.modifiers,
            nodes: parts.operands,
            operands,
            fit,
        })
    }
}
