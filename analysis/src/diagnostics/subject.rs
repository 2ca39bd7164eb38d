//! Checks that work statement by statement.

use salsa::Database;
use syntax::{Cursor, TextRange};

use crate::{
    flow::facts::for_each_instruction_in,
    hir::{
        body::{Body, Instruction, body},
        declared::Declared,
        forms::{Forms, forms},
        items::Function,
        tree,
    },
};

/// A function, or a part of it.
pub(in crate::diagnostics) struct Subject<'a> {
    pub(in crate::diagnostics) db: &'a dyn Database,
    pub(in crate::diagnostics) function: Function<'a>,
    /// The instructions of the part, and all declarations of the function.
    pub(in crate::diagnostics) body: &'a Body,
    /// The forms of these instructions.
    forms: &'a Forms<'a>,
    wrong_constants: bool,
    /// Relative to the function.
    part: Option<TextRange>,
}

impl<'a> Subject<'a> {
    /// All of a function.
    pub(in crate::diagnostics) fn whole(
        db: &'a dyn Database,
        function: Function<'a>,
    ) -> Subject<'a> {
        Subject::new(db, function, body(db, function), forms(db, function), None)
    }

    /// A part of a function, of which the body and the forms were made.
    pub(in crate::diagnostics) fn part(
        db: &'a dyn Database,
        function: Function<'a>,
        body: &'a Body,
        forms: &'a Forms<'a>,
        part: TextRange,
    ) -> Subject<'a> {
        Subject::new(db, function, body, forms, Some(part))
    }

    fn new(
        db: &'a dyn Database,
        function: Function<'a>,
        body: &'a Body,
        forms: &'a Forms<'a>,
        part: Option<TextRange>,
    ) -> Subject<'a> {
        Subject {
            db,
            function,
            body,
            wrong_constants: forms.all.iter().any(|it| it.data(db).wrong_constant),
            forms,
            part,
        }
    }

    /// Whether it is all of the function.
    pub(in crate::diagnostics) fn is_whole(&self) -> bool {
        self.part.is_none()
    }

    /// The forms of the instructions that are judged.
    pub(in crate::diagnostics) fn forms(&self) -> &Forms<'a> {
        self.forms
    }

    /// Whether a constant expression in these instructions has no value.
    pub(in crate::diagnostics) fn has_wrong_constants(&self) -> bool {
        self.wrong_constants
    }

    /// The tree of the function.
    pub(in crate::diagnostics) fn cursor(&self) -> Cursor<'a> {
        self.function.green(self.db).cursor()
    }

    /// The classes of the definitions of the function.
    pub(in crate::diagnostics) fn types(&self) -> &'a [Declared] {
        &self.body.operands
    }

    /// Calls `act` for each instruction, with its place in the body.
    pub(in crate::diagnostics) fn for_each_instruction(
        &self,
        act: &mut impl FnMut(&Instruction, &Cursor<'a>),
    ) {
        for_each_instruction_in(&self.cursor(), self.body, self.part, act);
    }

    /// Whether some of a node is judged.
    pub(in crate::diagnostics) fn contains(&self, node: &Cursor<'_>) -> bool {
        tree::lies_in(node, self.part)
    }
}
