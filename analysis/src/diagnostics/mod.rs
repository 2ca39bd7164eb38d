//! Diagnostics: one file per family of rules.
//!
//! Rules find problems in one function, or in the items around the functions, with places relative to
//! them; salsa keeps these findings. Offsets in the file and line numbers are put in at the end, when
//! the diagnostics of a file are [joined](join).

mod arguments;
mod attributes;
#[cfg(test)]
mod call_tests;
mod calls;
mod codes;
mod compiler;
mod constants;
mod directives;
mod duplicates;
mod fix;
mod initializers;
mod instruction_fixes;
#[cfg(test)]
mod instruction_tests;
mod instructions;
mod join;
mod kept;
mod levels;
mod lints;
mod memo;
mod names;
mod nearby;
mod operand_fixes;
#[cfg(test)]
mod pages;
mod parameter_access;
mod parameter_words;
mod parameters;
mod portability;
mod prototype_fixes;
mod prototypes;
mod redeclarations;
mod register_fixes;
mod statement;
mod storage;
mod subject;
mod suggestion;
mod syntax_errors;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod texture_tests;
mod torn;
#[cfg(test)]
mod variable_tests;
mod variables;

use salsa::Database;
use syntax::TextRange;

use crate::{
    Severity,
    db::SourceFile,
    hir::{
        body::{body, refresh},
        items::{Function, items},
        module::{Declaration, DeclarationSource, module_body},
    },
};

pub(crate) use calls::Call;
pub use codes::{DIAGNOSTIC_CODES, DiagnosticCode, PTXAS as PTXAS_CODE};
pub(crate) use compiler::with_messages;
pub(crate) use directives::locations_of;
use fix::Repair;
pub(crate) use instructions::{operand_nodes, resolve};
pub(crate) use join::{Fixes, diagnostics};
use kept::{Keeper, Kept};
pub(crate) use levels::has_controls;
#[cfg(test)]
pub(crate) use lints::{is_flow_lint, is_lint};
pub(crate) use nearby::after_edits;
pub use nearby::{Earlier, Replacement};
use subject::Subject;
pub(crate) use syntax_errors::syntax_diagnostics;

/// A problem, with places that do not depend on where its item stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    /// Where, relative to the item.
    range: TextRange,
    severity: Severity,
    code: &'static str,
    /// What is wrong; [`LINE`] stands for the line of the first related place.
    message: String,
    help: Option<String>,
    related: Vec<(Place, &'static str)>,
    fixes: Vec<Repair>,
}

/// Stands in a message for a line number, which is known at the end only. No PTX name contains it.
const LINE: &str = "{line}";

/// A place in a file, independent of offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the same item.
    Own(TextRange),
    /// In an item that is no function.
    Item(u32, TextRange),
    /// The name that a declaration of the module declares.
    Declaration(DeclarationSource),
    /// The number of the `.version` directive.
    Version,
    /// The first name of the `.target` directive.
    Target,
}

impl Place {
    fn of(declaration: &Declaration) -> Place {
        Place::Declaration(declaration.source)
    }
}

/// Finds what a family of rules says about a function.
type Family = fn(&dyn Database, Function<'_>, &mut Vec<Finding>);

/// What looks at statements, each alone, and at the declarations that they name.
const STATEMENTS: [fn(&Subject<'_>, &mut Vec<Finding>); 4] = [
    names::in_function,
    constants::in_function,
    instructions::in_function,
    // It looks at the errors found before.
    calls::in_function,
];

/// The findings of one function.
#[salsa::tracked(returns(deref))]
fn function_findings<'db>(db: &'db dyn Database, function: Function<'db>) -> Vec<Kept> {
    let mut findings = Vec::new();
    // The next keystroke starts from there.
    refresh(db, function);
    let subject = Subject::whole(db, function);
    for family in STATEMENTS {
        // A keystroke waits until this stops, so it is asked often whether it is still wanted.
        db.unwind_if_revision_cancelled();
        family(&subject, &mut findings);
    }
    let families: [Family; 6] = [
        duplicates::in_function,
        variables::in_function,
        parameters::in_function,
        directives::in_function,
        portability::in_function,
        // They look at the errors found before.
        lints::in_function,
    ];
    for family in families {
        db.unwind_if_revision_cancelled();
        family(db, function, &mut findings);
    }
    Keeper::keep_all(findings)
}

/// Findings about the items of a file: for each the item, as an index of a function or another item.
#[salsa::tracked(returns(deref))]
fn module_findings(db: &dyn Database, file: SourceFile) -> Vec<(ItemIndex, Kept)> {
    let mut findings = Vec::new();
    names::in_module(db, file, &mut findings);
    duplicates::in_module(db, file, &mut findings);
    redeclarations::in_module(db, file, &mut findings);
    constants::in_module(db, file, &mut findings);
    variables::in_module(db, file, &mut findings);
    directives::in_module(db, file, &mut findings);
    portability::in_module(db, file, &mut findings);
    lints::in_module(db, file, &mut findings);
    let mut keeper = Keeper::default();
    findings
        .into_iter()
        .map(|(item, it)| (item, keeper.keep(it)))
        .collect()
}

/// Index of a top-level item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ItemIndex {
    Function(u32),
    Other(u32),
}

/// Where the name of a declaration of the module stands: its item and the range in it.
fn declaration_place(
    db: &dyn Database,
    file: SourceFile,
    source: DeclarationSource,
) -> (ItemIndex, TextRange) {
    let items = items(db, file);
    match source {
        DeclarationSource::Variable(index) => {
            let variable = &module_body(db, items.module).variables[index as usize];
            (ItemIndex::Other(variable.item), variable.name_range)
        }
        DeclarationSource::Function(index) => {
            let body = body(db, items.functions[index as usize]);
            (ItemIndex::Function(index), body.name.unwrap_or_default())
        }
        DeclarationSource::Prototype(index, definition) => {
            let body = body(db, items.functions[index as usize]);
            (
                ItemIndex::Function(index),
                body.definition(definition).name_range,
            )
        }
    }
}
