//! Names that nobody uses, and names that hide others.

use rustc_hash::{FxHashMap, FxHashSet};
use salsa::Database;

use crate::{
    SymbolKind,
    db::SourceFile,
    hir::{
        body::{Body, Definition, OUTERMOST, Target, body},
        items::{Function, items},
        module::{ModuleBody, ModulePlace, ModuleVariable, module_body, module_scope},
        tree,
    },
};

use super::{
    super::{Finding, ItemIndex, LINE, Place},
    codes::{SHADOWED_NAME, UNUSED_LABEL, UNUSED_PARAMETER, UNUSED_REGISTER, UNUSED_VARIABLE},
    finding,
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

pub(super) fn in_function(db: &dyn Database, function: Function<'_>, findings: &mut Vec<Finding>) {
    let body = body(db, function);
    // Prototypes have parameters that only their definition uses.
    if body.scopes.len() < 2
        && function
            .green(db)
            .cursor()
            .node(syntax::SyntaxKind::BLOCK)
            .is_none()
    {
        return;
    }
    // What the parser did not understand may use anything.
    if function.errors(db).is_empty() {
        unused(db, function, body, findings);
    }
    shadowed(db, function, body, findings);
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
                (UNUSED_LABEL, format!("nothing refers to label `{name}`"))
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
        findings.push(finding(code, definition.name_range, message, None));
    }
}

/// Whether a parameter stands in the header.
fn is_formal(body: &Body, definition: &Definition) -> bool {
    let block = body.scopes.get(OUTERMOST as usize).map(|it| it.range);
    block.is_none_or(|it| !it.contains_range(definition.name_range))
}

/// Names that hide one of a block around or of the module.
fn shadowed(db: &dyn Database, function: Function<'_>, body: &Body, findings: &mut Vec<Finding>) {
    let mut by_name: FxHashMap<(&str, bool), Vec<&Definition>> = FxHashMap::default();
    let scope = module_scope(db, function.file(db));
    for definition in &body.definitions {
        let key = (&*definition.name, definition.count.is_some());
        let same = by_name.entry(key).or_default();
        // Blocks one after the other declare the same names again, as those of inlined calls do: what is over
        // is not looked at for each of them.
        while same
            .last()
            .is_some_and(|it| it.scope != definition.scope && !encloses(body, it, definition))
        {
            same.pop();
        }
        let outer = same
            .iter()
            .rev()
            .find(|it| it.scope != definition.scope && encloses(body, it, definition));
        let module = match definition.count {
            None => scope.find(&definition.name).first(),
            Some(_) => scope.family(&definition.name).first(),
        };
        let hidden = match (outer, module) {
            (Some(outer), _) => Some((
                format!(
                    "`{}` hides the one of the block around, declared on line {LINE}",
                    definition.name
                ),
                Some(Place::Own(outer.name_range)),
            )),
            // A prototype in a body declares the name of the module itself.
            (None, Some(outer)) if definition.kind != SymbolKind::Function => Some((
                format!(
                    "`{}` hides the one of the module, declared on line {LINE}",
                    definition.name
                ),
                Some(Place::of(outer)),
            )),
            _ if isa::special::find(&definition.name).is_some() => Some((
                format!(
                    "`{}` hides the special register of this name",
                    definition.name
                ),
                None,
            )),
            _ => None,
        };
        if let Some((message, place)) = hidden {
            let mut found = finding(SHADOWED_NAME, definition.name_range, message, None);
            found
                .related
                .extend(place.map(|it| (it, "the hidden declaration")));
            findings.push(found);
        }
        if same.last().is_none_or(|it| it.scope != definition.scope) {
            same.push(definition);
        }
    }
}

/// Whether the scope of a definition lies around that of another.
fn encloses(body: &Body, outer: &Definition, inner: &Definition) -> bool {
    let scope = |it: &Definition| body.scopes.get(it.scope as usize);
    match (scope(outer), scope(inner)) {
        (Some(_), Some(_)) if outer.scope == OUTERMOST => true,
        (Some(outer), Some(inner)) => outer.range.contains_range(inner.range),
        _ => false,
    }
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
            finding(UNUSED_VARIABLE, variable.name_range, message, None),
        ));
    }
}
