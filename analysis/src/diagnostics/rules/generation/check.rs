//! Which function is asked what.

use salsa::Database;

use crate::{
    db::SourceFile,
    diagnostics::{
        finding::Finding,
        place::ItemIndex,
        rules::generation::{far_store, memory, missing_call, missing_definition, system_function},
    },
    hir::items::Function,
};

/// Problems with the code of a function. They look at the findings before.
pub(in crate::diagnostics) fn in_function(
    db: &dyn Database,
    function: Function<'_>,
    findings: &mut Vec<Finding>,
) {
    missing_call::check(db, function, findings);
    far_store::check(db, function, findings);
    system_function::in_function(db, function, findings);
}

/// Problems with the data and the functions of a module.
pub(in crate::diagnostics) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    memory::in_module(db, file, findings);
    missing_definition::in_module(db, file, findings);
    system_function::in_module(db, file, findings);
}
