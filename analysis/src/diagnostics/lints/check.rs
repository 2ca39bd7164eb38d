//! Which function is asked which lint.

use salsa::Database;

use crate::{
    db::SourceFile,
    diagnostics::{
        finding::Finding,
        lints::{
            divergent_barrier, ignored_setmaxnreg, incomplete_argument, infinite_loop,
            likely_spill, local_memory, memory_accesses, missing_return, protocols, shadowed_name,
            statements::Statements, too_many_registers, too_many_threads, uninitialized_register,
            unreachable_code, unused_name, unused_value,
        },
        place::ItemIndex,
    },
    hir::items::Function,
};

/// A lint of the flow of a function.
type FlowLint = fn(&dyn Database, Function<'_>, &Statements<'_>, &mut Vec<Finding>);

const FLOW_LINTS: [FlowLint; 8] = [
    unreachable_code::check,
    uninitialized_register::check,
    missing_return::check,
    divergent_barrier::check,
    infinite_loop::check,
    unused_value::check,
    protocols::check,
    memory_accesses::check,
];

/// Lints of one function, but for those of single statements.
pub(in crate::diagnostics) fn in_function(
    db: &dyn Database,
    function: Function<'_>,
    findings: &mut Vec<Finding>,
) {
    unused_name::check(db, function, findings);
    shadowed_name::check(db, function, findings);
    too_many_threads::check(db, function, findings);
    let statements = Statements::new(db, function, findings);
    // What the parser did not understand may write anything and jump anywhere.
    if function.errors(db).is_empty() {
        for lint in FLOW_LINTS {
            lint(db, function, &statements, findings);
            db.unwind_if_revision_cancelled();
        }
    }
    too_many_registers::check(db, function, findings);
    ignored_setmaxnreg::check(db, function, &statements, findings);
    likely_spill::check(db, function, &statements, findings);
    local_memory::check(db, function, findings);
    incomplete_argument::check(db, function, findings);
}

/// Lints of what is around the functions.
pub(in crate::diagnostics) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    unused_name::in_module(db, file, findings);
}
