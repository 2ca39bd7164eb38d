//! Checks that work statement by statement.

use salsa::Database;
use syntax::Cursor;

use crate::{
    flow::facts::for_each_instruction,
    hir::{
        body::{Body, Instruction, body},
        declared::Declared,
        forms::{Forms, forms},
        items::Function,
    },
};

/// A function whose statements are checked.
pub(in crate::diagnostics) struct Subject<'a> {
    pub(in crate::diagnostics) db: &'a dyn Database,
    pub(in crate::diagnostics) function: Function<'a>,
    pub(in crate::diagnostics) body: &'a Body,
    forms: &'a Forms<'a>,
    wrong_constants: bool,
}

impl<'a> Subject<'a> {
    pub(in crate::diagnostics) fn new(db: &'a dyn Database, function: Function<'a>) -> Subject<'a> {
        let forms = forms(db, function);
        Subject {
            db,
            function,
            body: body(db, function),
            wrong_constants: forms.all.iter().any(|it| it.data(db).wrong_constant),
            forms,
        }
    }

    /// The forms of its instructions.
    pub(in crate::diagnostics) fn forms(&self) -> &Forms<'a> {
        self.forms
    }

    /// Whether a constant expression in an instruction has no value.
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
        for_each_instruction(&self.cursor(), self.body, act);
    }
}
