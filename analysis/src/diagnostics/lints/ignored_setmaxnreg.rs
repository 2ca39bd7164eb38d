//! `setmaxnreg` without launch bounds.

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        lints::{
            launch_bounds::{is_defined_entry, register_changes},
            statements::Statements,
        },
        registry::IGNORED_SETMAXNREG,
    },
    hir::items::Function,
    pressure::bounds,
};

use salsa::Database;

pub(super) fn check(
    db: &dyn Database,
    function: Function<'_>,
    statements: &Statements<'_>,
    findings: &mut Vec<Finding>,
) {
    let bounds = bounds(db, function);
    if !is_defined_entry(db, function) || bounds.threads.is_some() || bounds.registers.is_some() {
        return;
    }
    let changes = register_changes(statements);
    let changes = changes.into_iter().filter(|it| !statements.is_wrong(*it));
    findings.extend(changes.map(|it| {
        finding(
            it,
            IGNORED_SETMAXNREG,
            "ptxas ignores this: the register count at entry is unknown".to_owned(),
            Some("`.maxnreg`, or `.maxntid` with `.minnctapersm`, tells it".to_owned()),
        )
    }));
}
