//! The roles of warps in the outline of a file.

use salsa::Database;
use syntax::TextRange;

use crate::{
    DocumentSymbol, SymbolKind,
    db::SourceFile,
    flow::flow,
    hir::{
        items::{Function, item_offsets, items},
        module::signature,
        tree::trimmed,
    },
    kernel::{events::Kernel, map::WarpRole},
    reading::Subject,
};

/// An outline of more entries is without roles, which take longer than names.
const MAX_ENTRIES: usize = 64;
/// Longer functions are without roles in the outline.
const MAX_STEPS: usize = 100_000;
/// Symbols in each other at most.
const MAX_DEPTH: usize = 32;

/// The outline of a file in which entries contain the roles of their warps, and roles the symbols inside them.
pub(crate) fn with_roles(
    db: &dyn Database,
    file: SourceFile,
    mut symbols: Vec<DocumentSymbol>,
) -> Vec<DocumentSymbol> {
    let items = items(db, file);
    let offsets = item_offsets(db, file);
    let entries = items.functions.iter().zip(&offsets.functions);
    let entries: Vec<_> = entries
        .filter(|it| signature(db, *it.0).defined && signature(db, *it.0).entry)
        .collect();
    if entries.len() > MAX_ENTRIES {
        return symbols;
    }
    for (function, start) in entries {
        db.unwind_if_revision_cancelled();
        let roles = roles_of(db, *function);
        if roles.is_empty() {
            continue;
        }
        let range = trimmed(&function.green(db).cursor()) + *start;
        if let Some(entry) = symbols.iter_mut().find(|it| it.full_range == range) {
            for role in roles {
                insert(&mut entry.children, symbol(role, role.range + *start));
            }
        }
    }
    symbols
}

/// The roles of the warps of an entry, with ranges relative to it.
#[salsa::tracked(returns(deref))]
fn roles_of<'db>(db: &'db dyn Database, function: Function<'db>) -> Vec<WarpRole> {
    let flow = flow(db, function);
    if flow.facts.eventful.is_empty() || flow.facts.len() > MAX_STEPS {
        return Vec::new();
    }
    let subject = Subject::of(db, function);
    let mut kernel = Kernel::of(&subject, 0.into());
    let roles = kernel.roles().into_iter();
    roles.map(|it| it.role).collect()
}

fn symbol(role: &WarpRole, range: TextRange) -> DocumentSymbol {
    let mut detail: Vec<String> = Vec::new();
    let counts = [
        (role.copies.len(), "copy", "copies"),
        (role.products.len(), "product", "products"),
        (role.stores.len(), "store", "stores"),
    ];
    for (count, one, many) in counts {
        match count {
            0 => {}
            1 => detail.push(format!("1 {one}")),
            _ => detail.push(format!("{count} {many}")),
        }
    }
    DocumentSymbol {
        name: role.name.to_owned(),
        detail: (!detail.is_empty()).then(|| detail.join(", ")),
        kind: SymbolKind::WarpRole,
        full_range: range,
        focus_range: TextRange::empty(range.start()),
        children: Vec::new(),
    }
}

/// Inserts a symbol into the innermost one around it; the symbols inside it become its children.
fn insert(mut symbols: &mut Vec<DocumentSymbol>, mut new: DocumentSymbol) {
    for _ in 0..MAX_DEPTH {
        let holds = |it: &DocumentSymbol| {
            it.full_range.contains_range(new.full_range) && it.full_range != new.full_range
        };
        let Some(index) = symbols.iter().position(holds) else {
            break;
        };
        symbols = &mut symbols[index].children;
    }
    let inside = |it: &DocumentSymbol| new.full_range.contains_range(it.full_range);
    let (children, others) = std::mem::take(symbols).into_iter().partition(inside);
    new.children = children;
    *symbols = others;
    let at = symbols.partition_point(|it| it.full_range.start() <= new.full_range.start());
    symbols.insert(at, new);
}
