//! Ends without `ret`.

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        lints::statements::Statements,
        registry::MISSING_RETURN,
    },
    hir::{
        body::{OUTERMOST, body},
        items::Function,
        tree,
    },
};

use salsa::Database;
use syntax::{TextRange, TextSize};

/// Where control leaves an entry after its last instruction.
pub(super) fn check(
    db: &dyn Database,
    function: Function<'_>,
    statements: &Statements<'_>,
    findings: &mut Vec<Finding>,
) {
    if !tree::has_word(&function.green(db).cursor(), ".entry") {
        return;
    }
    let (body, flow) = (body(db, function), statements.flow());
    let mut ends = flow.graph.open_ends.iter();
    if !ends.any(|it| flow.graph.reachable[*it as usize]) {
        return;
    }
    let Some(scope) = body.scopes.get(OUTERMOST as usize) else {
        return;
    };
    let end = scope.range.end();
    let brace = TextRange::new(end - TextSize::new(1).min(end), end);
    findings.push(finding(
        brace,
        MISSING_RETURN,
        "control reaches the end of the entry without `ret` or `exit`".to_owned(),
        Some("ptxas ends the thread here, as `ret` would".to_owned()),
    ));
}
