//! More values than registers under the launch bounds.

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        lints::{
            launch_bounds::{directive, is_defined_entry, register_changes},
            statements::Statements,
        },
        registry::LIKELY_SPILL,
    },
    hir::{in_force::in_force, items::Function},
    pressure::{bounds, most_alive, pressure},
};

use isa::limits::Limits;
use salsa::Database;

/// Longer functions are not looked at for spills while somebody types.
const MAX_LENGTH: usize = 5_000;
/// How many registers an estimate may be above the cap before it is worth a word.
const MARGIN: u32 = 4;

/// More values than registers under the bounds.
pub(super) fn check(
    db: &dyn Database,
    function: Function<'_>,
    statements: &Statements<'_>,
    findings: &mut Vec<Finding>,
) {
    if !is_defined_entry(db, function) || !register_changes(statements).is_empty() {
        return;
    }
    let Some(limits) = in_force(db, function).and_then(|it| Limits::at_least(it.start.target))
    else {
        return;
    };
    let Some((cap, name)) = bounds(db, function).cap(limits) else {
        return;
    };
    // The model is not asked while the text alone shows that there is room.
    if statements.flow().facts.len() > MAX_LENGTH || most_alive(db, function) + MARGIN <= cap {
        return;
    }
    let pressure = pressure(db, function);
    let needs = pressure.least(limits);
    if needs <= cap + MARGIN || pressure.changes_registers {
        return;
    }
    let Some(range) = directive(db, function, name) else {
        return;
    };
    findings.push(finding(
        range,
        LIKELY_SPILL,
        format!("this leaves {cap} registers to a thread, and the entry needs about {needs}"),
        Some("ptxas keeps the rest in local memory, which is slow".to_owned()),
    ));
}
