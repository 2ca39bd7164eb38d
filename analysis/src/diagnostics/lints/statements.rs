//! The facts about the statements of a function that lints use.

use std::cell::OnceCell;

use salsa::Database;
use syntax::{Cursor, TextRange};

use crate::{
    Severity,
    diagnostics::finding::Finding,
    flow::{
        Flow,
        effects::{Effects, effects},
        facts::{Nodes, Step},
    },
    hir::{form::Form, forms::forms, instruction::Parts, items::Function, tree::text_of_range},
};

/// The statements of a function, and the errors found in them before the lints.
pub(super) struct Statements<'a> {
    db: &'a dyn Database,
    function: Function<'a>,
    nodes: Nodes<'a>,
    /// Made when it is asked for. Not the one that salsa keeps: of most functions nobody else wants it, and
    /// together they are a sixth of the memory that a file takes.
    flow: OnceCell<Flow>,
    /// Where the errors are, sorted.
    errors: Vec<TextRange>,
}

impl<'a> Statements<'a> {
    pub(super) fn new(
        db: &'a dyn Database,
        function: Function<'a>,
        findings: &[Finding],
    ) -> Statements<'a> {
        let errors = findings.iter().filter(|it| it.severity == Severity::Error);
        let mut errors: Vec<TextRange> = errors.map(|it| it.range).collect();
        errors.sort_unstable_by_key(|it| it.start());
        Statements {
            db,
            function,
            nodes: Nodes::new(db, function),
            flow: OnceCell::new(),
            errors,
        }
    }

    /// How control and values go through the function.
    pub(super) fn flow(&self) -> &Flow {
        self.flow.get_or_init(|| Flow::of(self.db, self.function))
    }

    /// Whether an error starts in a range.
    pub(super) fn is_wrong(&self, range: TextRange) -> bool {
        let next = self.errors.partition_point(|it| it.start() < range.start());
        let next = self.errors.get(next);
        next.is_some_and(|it| it.start() < range.end())
    }

    /// The words that name an instruction, as they are written.
    pub(super) fn mnemonic(&self, step: Step) -> String {
        let node = self.instruction(step);
        let text = |it: Cursor<'_>| text_of_range(&it, Parts::of(&it).name());
        node.map_or_else(String::new, text)
    }

    /// Where the words are that name an instruction.
    pub(super) fn name(&self, step: Step) -> Option<TextRange> {
        Some(Parts::of(&self.instruction(step)?).name())
    }

    /// The effects of an instruction besides reading and writing its operands.
    pub(super) fn effects(&self, step: Step) -> Option<Effects> {
        Some(effects(self.db, self.form(step)?))
    }

    /// The form of an instruction.
    pub(super) fn form(&self, step: Step) -> Option<Form<'a>> {
        let forms = forms(self.db, self.function);
        Some(forms.all[forms.index(step as usize)?])
    }

    /// An instruction of the function.
    pub(super) fn instruction(&self, step: Step) -> Option<Cursor<'a>> {
        self.nodes.get(step)
    }
}
