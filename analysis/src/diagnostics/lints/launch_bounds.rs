//! Directives of an entry about its registers.

use crate::{
    diagnostics::lints::statements::Statements,
    flow::facts::Step,
    hir::{items::Function, module::signature, tree},
};

use salsa::Database;
use syntax::{SyntaxKind, TextRange};

/// The first word of the directive with a name.
pub(super) fn directive(
    db: &dyn Database,
    function: Function<'_>,
    name: &str,
) -> Option<TextRange> {
    let cursor = function.green(db).cursor();
    let mut all = cursor
        .nodes()
        .filter(|it| it.kind() == SyntaxKind::TUNING_DIRECTIVE);
    let found = all.find(|it| {
        let word = it.token(SyntaxKind::DOTTED);
        word.is_some_and(|it| it.text() == name)
    });
    found.map(|it| tree::trimmed(&it))
}

/// Whether a function is an entry with a body.
pub(super) fn is_defined_entry(db: &dyn Database, function: Function<'_>) -> bool {
    let of = signature(db, function);
    of.entry && of.defined
}

/// Where the entry changes its number of registers.
pub(super) fn register_changes(statements: &Statements<'_>) -> Vec<TextRange> {
    let flow = statements.flow();
    let is_it = |step: &Step| {
        statements
            .effects(*step)
            .is_some_and(|it| it.changes_registers)
    };
    let steps = flow.facts.eventful.iter().filter(|it| is_it(it));
    steps.filter_map(|it| statements.name(*it)).collect()
}
