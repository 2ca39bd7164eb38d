//! `.maxnreg` that leaves no block room.

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        lints::launch_bounds::{directive, is_defined_entry},
        registry::TOO_MANY_REGISTERS,
    },
    hir::{in_force::in_force, items::Function},
    pressure::bounds,
};

use isa::{
    limits::{Limits, REGISTERS_PER_MULTIPROCESSOR},
    occupancy::REGISTER_STEP,
};
use salsa::Database;

/// `.maxnreg` that allows more registers than a block of the bound size can have.
pub(super) fn check(db: &dyn Database, function: Function<'_>, findings: &mut Vec<Finding>) {
    if !is_defined_entry(db, function) {
        return;
    }
    let bounds = bounds(db, function);
    let (Some(threads), Some(registers)) = (bounds.threads, bounds.registers) else {
        return;
    };
    let Some(limits) = in_force(db, function).and_then(|it| Limits::at_least(it.start.target))
    else {
        return;
    };
    let fits = limits.register_cap(threads, 1);
    let given = registers
        .div_ceil(REGISTER_STEP)
        .saturating_mul(REGISTER_STEP);
    if threads > isa::limits::THREADS_PER_CTA || registers <= fits {
        return;
    }
    let Some(range) = directive(db, function, ".maxnreg") else {
        return;
    };
    findings.push(finding(
        range,
        TOO_MANY_REGISTERS,
        format!(
            "a block of {threads} threads with {given} registers each cannot be launched: a \
             multiprocessor has {REGISTERS_PER_MULTIPROCESSOR}"
        ),
        Some(format!("with so many threads there are {fits} for each")),
    ));
}
