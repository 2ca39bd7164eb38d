//! The known facts about a function of a file.

use std::cell::Cell;

use salsa::Database;

use crate::{
    flow::{
        Flow,
        ids::{Step, VariableName},
    },
    hir::{
        body::{Body, Place, Target, body},
        bound::Operands,
        forms::forms,
        instruction::references,
        items::{Function, items, module_items},
        layout::{layouts, module_layouts},
        module::{DeclarationSource, signature},
        outer::outer_name,
    },
    pressure::bounds,
    protocols::{
        form::{FormFacts, form_facts},
        known::Known,
    },
    values::{Purpose, Values},
};

/// Asks something about a function with its flow.
pub(crate) fn ask<'db, T>(
    db: &'db dyn Database,
    function: Function<'db>,
    flow: &Flow,
    question: impl FnOnce(&Known<'_>) -> T,
) -> T {
    let body = body(db, function);
    let (forms, operands) = (forms(db, function), Operands::of(db, function));
    let facts: Vec<Cell<Option<&FormFacts>>> = vec![Cell::new(None); forms.all.len()];
    let form = |step: Step| {
        let index = forms.index(step as usize)?;
        let known = facts[index].get();
        let found = known.unwrap_or_else(|| form_facts(db, forms.all[index]));
        facts[index].set(Some(found));
        Some(found)
    };
    question(&Known {
        body,
        flow,
        bound: &|step| operands.get(step),
        form: &form,
        entry: signature(db, function).entry,
        bounds: bounds(db, function),
        size: &|symbol| size(db, function, body, symbol),
        check: &|| db.unwind_if_revision_cancelled(),
        foreign: &|step| is_foreign(db, function, body, step),
        values: &|| Values::of(db, function, flow, Purpose::Addresses),
    })
}

/// Bytes of a variable, if it is declared once.
fn size(
    db: &dyn Database,
    function: Function<'_>,
    body: &Body,
    symbol: VariableName,
) -> Option<u64> {
    match symbol {
        VariableName::Own(id) => (*layouts(db, function).get(id as usize)?)?.size,
        VariableName::Free(free) => {
            let file = function.file(db);
            let name = body.free.get(free as usize)?;
            let [declaration] = outer_name(db, function, name).all() else {
                return None;
            };
            let DeclarationSource::Variable(index) = declaration.source else {
                return None;
            };
            let layouts = module_layouts(db, module_items(db, file));
            (*layouts.get(index as usize)?)?.size
        }
    }
}

/// Whether an instruction calls a function without a body in the module, or what a register holds.
fn is_foreign(db: &dyn Database, function: Function<'_>, body: &Body, step: u32) -> bool {
    let Some(instruction) = body.instructions.get(step as usize) else {
        return false;
    };
    let references = references(body, instruction);
    references
        .iter()
        .filter(|it| it.place == Place::Callee)
        .any(|it| match it.target {
            Target::Free(name) => {
                let file = function.file(db);
                let Some(name) = body.free.get(name as usize) else {
                    return false;
                };
                let declarations = outer_name(db, function, name).all();
                !declarations.iter().any(|it| match it.source {
                    DeclarationSource::Function(index) => items(db, file)
                        .functions
                        .get(index as usize)
                        .is_some_and(|it| signature(db, *it).defined),
                    _ => false,
                })
            }
            Target::Definition(_) => true,
            _ => false,
        })
}
