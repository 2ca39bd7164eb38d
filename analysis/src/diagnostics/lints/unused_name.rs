//! Names that nobody uses, and names that hide others.

use rustc_hash::FxHashSet;
use salsa::Database;
use syntax::SyntaxKind;

use crate::{
    SymbolKind,
    db::SourceFile,
    diagnostics::{
        finding::{Finding, finding},
        place::ItemIndex,
        registry::{UNUSED_LABEL, UNUSED_PARAMETER, UNUSED_REGISTER, UNUSED_VARIABLE},
    },
    hir::{
        body::{Body, Definition, OUTERMOST, Target, body},
        items::{Function, items},
        module::{ModuleBody, ModulePlace, ModuleVariable, module_body},
        tree,
    },
};

/// Variables that only this module could use.
fn private(module: &ModuleBody) -> impl Iterator<Item = &ModuleVariable> {
    let variables = module.variables.iter();
    variables.filter(|it| it.linkage.is_none() && it.count.is_none())
}

/// Names of the variables that only this module could use.
#[salsa::tracked(returns(ref))]
fn private_names(db: &dyn Database, file: SourceFile) -> FxHashSet<Box<str>> {
    let module = module_body(db, items(db, file).module);
    private(module).map(|it| it.name.clone()).collect()
}

/// Private variables of the module that a function uses, sorted. Other names of the module may come and go
/// while somebody types, and no variable is looked at again.
#[salsa::tracked(returns(deref))]
fn used_private_names<'db>(db: &'db dyn Database, function: Function<'db>) -> Vec<Box<str>> {
    let private = private_names(db, function.file(db));
    let free = body(db, function).free.iter();
    let mut names: Vec<_> = free.filter(|it| private.contains(*it)).cloned().collect();
    names.sort_unstable();
    names
}

/// Names that debug information uses, which may be labels of functions.
#[salsa::tracked(returns(ref))]
fn section_names(db: &dyn Database, file: SourceFile) -> FxHashSet<Box<str>> {
    let references = &module_body(db, items(db, file).module).references;
    references
        .iter()
        .filter(|it| it.place == ModulePlace::Section)
        .map(|it| it.name.clone())
        .collect()
}

pub(super) fn check(db: &dyn Database, function: Function<'_>, findings: &mut Vec<Finding>) {
    let body = body(db, function);
    // Prototypes have parameters that only their definition uses.
    if !has_body(db, function, body) {
        return;
    }
    // What the parser did not understand may use anything.
    if function.errors(db).is_empty() {
        unused(db, function, body, findings);
    }
}

/// Whether a function is more than a prototype.
pub(super) fn has_body(db: &dyn Database, function: Function<'_>, body: &Body) -> bool {
    let block = || function.green(db).cursor().node(SyntaxKind::BLOCK);
    body.scopes.len() >= 2 || block().is_some()
}

fn unused(db: &dyn Database, function: Function<'_>, body: &Body, findings: &mut Vec<Finding>) {
    let mut used = vec![false; body.definitions.len()];
    for reference in &body.references {
        if let Target::Definition(id) = reference.target
            && let Some(used) = used.get_mut(id as usize)
        {
            *used = true;
        }
    }
    let entry = tree::has_word(&function.green(db).cursor(), ".entry");
    for (definition, used) in body.definitions.iter().zip(used) {
        if used {
            continue;
        }
        let name = &definition.name;
        let (code, message) = match definition.kind {
            SymbolKind::Register => {
                let shown = match definition.count {
                    Some(count) => format!("{name}<{count}>"),
                    None => name.to_string(),
                };
                (UNUSED_REGISTER, format!("register `{shown}` is never used"))
            }
            SymbolKind::Label if !section_names(db, function.file(db)).contains(name) => {
                (UNUSED_LABEL, format!("label `{name}` is never used"))
            }
            SymbolKind::Parameter if is_formal(body, definition) => {
                let what = if entry { "the entry" } else { "the function" };
                (
                    UNUSED_PARAMETER,
                    format!("{what} never uses its parameter `{name}`"),
                )
            }
            SymbolKind::Parameter | SymbolKind::Variable => {
                (UNUSED_VARIABLE, format!("variable `{name}` is never used"))
            }
            _ => continue,
        };
        findings.push(finding(definition.name_range, code, message, None));
    }
}

/// Whether a parameter is in the header.
fn is_formal(body: &Body, definition: &Definition) -> bool {
    let block = body.scopes.get(OUTERMOST as usize).map(|it| it.range);
    block.is_none_or(|it| !it.contains_range(definition.name_range))
}

/// Variables that only this module could use, and does not.
pub(super) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    let items = items(db, file);
    let module = module_body(db, items.module);
    if private_names(db, file).is_empty() {
        return;
    }
    let mut used: FxHashSet<&str> = module.references.iter().map(|it| &*it.name).collect();
    for function in &items.functions {
        used.extend(used_private_names(db, *function).iter().map(|it| &**it));
    }
    for variable in private(module).filter(|it| !used.contains(&*it.name)) {
        let message = format!("variable `{}` is never used", variable.name);
        findings.push((
            ItemIndex::Other(variable.item),
            finding(variable.name_range, UNUSED_VARIABLE, message, None),
        ));
    }
}
