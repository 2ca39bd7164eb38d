//! The findings of a function and of what is around the functions: every rule is asked here.

use salsa::Database;

use crate::{
    db::SourceFile,
    diagnostics::{
        finding::Finding,
        lints,
        place::ItemIndex,
        rendering::levels,
        rules::{
            calls,
            declarations::{parameters, variables},
            directives, generation,
            instructions::{self, constants, narrow_address, portability},
            names::{duplicates, redeclarations, undefined},
        },
        stored::{FindingInterner, StoredFinding},
        subject::Subject,
    },
    hir::items::Function,
};

/// Finds what a family of rules says about a function.
type Family = fn(&dyn Database, Function<'_>, &mut Vec<Finding>);

/// The findings of one function.
#[salsa::tracked(returns(deref))]
pub(in crate::diagnostics) fn function_findings<'db>(
    db: &'db dyn Database,
    function: Function<'db>,
) -> Vec<StoredFinding> {
    let mut findings = Vec::new();
    let subject = Subject::new(db, function);
    // Checks of single statements, and of the declarations that they name.
    let statements: [fn(&Subject<'_>, &mut Vec<Finding>); 4] = [
        undefined::in_function,
        constants::in_function,
        instructions::check::in_function,
        // It looks at the errors found before.
        calls::check::in_function,
    ];
    for family in statements {
        // A keystroke waits until this stops, so it is asked often whether it is still wanted.
        db.unwind_if_revision_cancelled();
        family(&subject, &mut findings);
    }
    let families: [Family; 8] = [
        duplicates::in_function,
        variables::in_function,
        parameters::in_function,
        directives::check::in_function,
        portability::in_function,
        narrow_address::in_function,
        // These look at the errors found before.
        generation::check::in_function,
        lints::check::in_function,
    ];
    for family in families {
        db.unwind_if_revision_cancelled();
        family(db, function, &mut findings);
    }
    findings.extend(
        levels::function_controls(db, function)
            .findings
            .iter()
            .cloned(),
    );
    FindingInterner::keep_all(findings)
}

/// Findings about the items of a file: for each the item, as an index of a function or another item.
#[salsa::tracked(returns(deref))]
pub(in crate::diagnostics) fn module_findings(
    db: &dyn Database,
    file: SourceFile,
) -> Vec<(ItemIndex, StoredFinding)> {
    let mut findings = Vec::new();
    undefined::in_module(db, file, &mut findings);
    duplicates::in_module(db, file, &mut findings);
    redeclarations::in_module(db, file, &mut findings);
    constants::in_module(db, file, &mut findings);
    variables::in_module(db, file, &mut findings);
    directives::check::in_module(db, file, &mut findings);
    portability::in_module(db, file, &mut findings);
    generation::check::in_module(db, file, &mut findings);
    lints::check::in_module(db, file, &mut findings);
    levels::control_findings(db, file, &mut findings);
    let mut keeper = FindingInterner::default();
    findings
        .into_iter()
        .map(|(item, it)| (item, keeper.keep(it)))
        .collect()
}
