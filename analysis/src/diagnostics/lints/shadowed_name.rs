//! Names that hide others.

use crate::{
    SymbolKind,
    diagnostics::{
        finding::{Finding, LINE, finding},
        lints::unused_name::has_body,
        place::Place,
        registry::SHADOWED_NAME,
    },
    hir::{
        body::{Body, Definition, OUTERMOST, body},
        items::Function,
        outer::shadowed_names,
    },
};

use rustc_hash::FxHashMap;
use salsa::Database;

/// Names that hide one of a block around or of the module.
pub(super) fn check(db: &dyn Database, function: Function<'_>, findings: &mut Vec<Finding>) {
    let body = body(db, function);
    if !has_body(db, function, body) {
        return;
    }
    let mut by_name: FxHashMap<(&str, bool), Vec<&Definition>> = FxHashMap::default();
    let mut shadowed = shadowed_names(db, function).iter().peekable();
    for (index, definition) in body.definitions.iter().enumerate() {
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
        let module = shadowed.next_if(|it| it.0 == index);
        let hidden = match (outer, module) {
            (Some(outer), _) => Some((
                format!(
                    "`{}` shadows the declaration in the enclosing block on line {LINE}",
                    definition.name
                ),
                Some(Place::Own(outer.name_range)),
            )),
            // A prototype in a body declares the name of the module itself.
            (None, Some(outer)) if definition.kind != SymbolKind::Function => Some((
                format!(
                    "`{}` shadows the declaration at module scope on line {LINE}",
                    definition.name
                ),
                Some(Place::Declaration(outer.1)),
            )),
            _ if isa::special::find(&definition.name).is_some() => Some((
                format!(
                    "`{}` shadows the special register of this name",
                    definition.name
                ),
                None,
            )),
            _ => None,
        };
        if let Some((message, place)) = hidden {
            let mut found = finding(definition.name_range, SHADOWED_NAME, message, None);
            found
                .related
                .extend(place.map(|it| (it, "the shadowed declaration")));
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
