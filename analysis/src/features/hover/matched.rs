//! The instruction that is hovered over, matched with the tables.

use isa::{
    matcher::Fit,
    operand::Operand,
    table::{OperandPattern, Presence},
    target::Module,
};
use syntax::{Cursor, CursorToken};

use crate::{
    features::{completion::module, hover::outcome::Computed},
    flow::form_program::form_program,
    hir::{
        fit::fit, form::Form, forms::form_at, in_force::in_force, instruction::Parts, tree::OneLine,
    },
};

use super::WordContext;

/// An instruction of a file, and what the tables say about it.
pub(super) struct MatchedInstruction<'a> {
    pub(super) form: Form<'a>,
    pub(super) module: Module,
    pub(super) modifiers: Vec<CursorToken<'a>>,
    pub(super) nodes: Vec<Cursor<'a>>,
    pub(super) operands: &'a [Operand],
    /// The variant that fits.
    pub(super) fit: Option<&'a Fit<'static>>,
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

impl WordContext<'_> {
    fn module(&self) -> Module {
        let in_force = self.function.and_then(|it| in_force(self.db, it));
        in_force.map_or_else(|| module(self.db, self.file), |it| it.start)
    }

    /// An instruction of the function at the cursor.
    pub(super) fn find<'a>(&'a self, instruction: &Cursor<'a>) -> Option<MatchedInstruction<'a>> {
        let function = self.function?;
        let parts = Parts::of(instruction);
        parts.opcode?;
        let form = form_at(self.db, function, instruction.range())?;
        let form = form.or_in_force(self.db, || self.module());
        let contents = form.data(self.db);
        Some(MatchedInstruction {
            form,
            module: contents.module?,
            modifiers: parts.modifiers,
            nodes: parts.operands,
            operands: &contents.operands,
            fit: fit(self.db, form),
        })
    }

    /// The result of an instruction from its constants, in Markdown, if there is something to say; see
    /// [`Computed::text`].
    pub(super) fn outcome(&self, found: &MatchedInstruction<'_>, numbers: bool) -> Option<String> {
        let program = form_program(self.db, found.form)?;
        let written: Vec<String> = found.nodes.iter().map(OneLine::of).collect();
        let computed = Computed {
            program: program.program,
            bindings: program.bindings,
            operands: found.operands,
            written: &written,
        };
        computed.text(numbers)
    }
}
