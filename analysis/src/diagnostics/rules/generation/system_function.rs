//! Addresses of functions that the driver provides: they have none.

use isa::system_call::has_address;
use salsa::Database;
use syntax::TextRange;

use crate::{
    db::SourceFile,
    diagnostics::{
        finding::{Finding, finding},
        place::{ItemIndex, Place},
        registry::SYSTEM_FUNCTION_ADDRESS,
    },
    hir::{
        body::{Place as WordPlace, Target, body},
        items::{Function, items},
        module::{
            DeclarationKind, DeclarationSource, ModulePlace, module_body, module_scope, signature,
        },
        outer::outer_name,
    },
};

/// The names of such functions in instructions, also where control never gets to.
pub(super) fn in_function(db: &dyn Database, function: Function<'_>, findings: &mut Vec<Finding>) {
    let body = body(db, function);
    if body.free.iter().all(|it| has_address(it)) {
        return;
    }
    let file = function.file(db);
    for reference in &body.references {
        let Target::Free(free) = reference.target else {
            continue;
        };
        let Some(name) = body.free.get(free as usize).filter(|it| !has_address(it)) else {
            continue;
        };
        let all = outer_name(db, function, name).all().iter();
        let all: Vec<_> = all.map(|it| (it.kind, it.source)).collect();
        if reference.place == WordPlace::Operand
            && let Some(source) = provided(db, file, name, &all)
        {
            findings.push(problem(reference.range, name, source));
        }
    }
}

/// The names of such functions in initializers.
pub(super) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    let scope = module_scope(db, file);
    for reference in &module_body(db, items(db, file).module).references {
        if reference.place != ModulePlace::Initializer || has_address(&reference.name) {
            continue;
        }
        let all = scope.find(&reference.name).iter();
        let all: Vec<_> = all.map(|it| (it.kind, it.source)).collect();
        if let Some(source) = provided(db, file, &reference.name, &all) {
            findings.push((
                ItemIndex::Other(reference.item),
                problem(reference.range, &reference.name, source),
            ));
        }
    }
}

/// The first declaration of a function, if the module does not define it. One that it defines is its own.
fn provided(
    db: &dyn Database,
    file: SourceFile,
    name: &str,
    declarations: &[(DeclarationKind, DeclarationSource)],
) -> Option<DeclarationSource> {
    let items = items(db, file);
    let is_defined = |source: &DeclarationSource| match source {
        DeclarationSource::Function(index) => {
            let function = items.functions.get(*index as usize);
            function.is_none_or(|it| signature(db, *it).defined)
        }
        DeclarationSource::Prototype(..) => false,
        DeclarationSource::Variable(_) => true,
    };
    let module = module_body(db, items.module);
    let mut aliases = module.aliases.iter();
    let mut all = declarations.iter();
    let own = all.any(|(kind, source)| *kind != DeclarationKind::Function || is_defined(source))
        || aliases.any(|it| {
            module
                .references
                .get(*it as usize)
                .is_some_and(|it| &*it.name == name)
        });
    declarations.first().filter(|_| !own).map(|it| it.1)
}

fn problem(range: TextRange, name: &str, source: DeclarationSource) -> Finding {
    let mut found = finding(
        range,
        SYSTEM_FUNCTION_ADDRESS,
        format!("`{name}` has no address: the driver provides it, and it can only be called"),
        Some("use the address of a `.func` that calls it".to_owned()),
    );
    found.related = vec![(Place::Declaration(source), "declared here")];
    found
}
