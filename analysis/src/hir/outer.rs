//! The names of the module as functions see them.
//!
//! Each name that a function uses is a query of its own, without places in the order of the text: what is declared
//! elsewhere in the module, or moves, concerns the functions that name it and no others.

#![expect(
    unused_lifetimes,
    reason = "salsa makes another struct of an interned one, and that uses it"
)]

use isa::target::Target;
use salsa::Database;

use super::{
    body::body,
    items::Function,
    module::{DeclarationKind, DeclarationSource, function_order, module_scope},
};

/// A name of a module, or one that is looked for there.
#[salsa::interned(debug)]
pub(crate) struct ModuleName<'db> {
    /// Its text.
    #[returns(deref)]
    pub(crate) text: Box<str>,
}

/// A declaration of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OuterDeclaration {
    /// The kind of what is declared.
    pub(crate) kind: DeclarationKind,
    /// Where it is.
    pub(crate) source: DeclarationSource,
}

/// The declarations of a name of the module, as a function sees them.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct OuterName {
    /// In the order of the text.
    all: Vec<OuterDeclaration>,
    /// How many of them the function does not come before.
    before: usize,
}

impl OuterName {
    /// All of them, in the order of the text.
    pub(crate) fn all(&self) -> &[OuterDeclaration] {
        &self.all
    }

    /// Those that are not after the function.
    pub(crate) fn before(&self) -> &[OuterDeclaration] {
        &self.all[..self.before]
    }
}

/// The declarations of a name of the module, or of the parameterised name that covers it.
pub(crate) fn outer_name<'db>(
    db: &'db dyn Database,
    function: Function<'db>,
    name: &str,
) -> &'db OuterName {
    declarations_of(db, function, ModuleName::new(db, name))
}

#[salsa::tracked(returns(ref))]
fn declarations_of<'db>(
    db: &'db dyn Database,
    function: Function<'db>,
    name: ModuleName<'db>,
) -> OuterName {
    let file = function.file(db);
    let found = module_scope(db, file).find(name.text(db));
    let order = function_order(db, file).get(&function);
    let before = |it: u32| order.is_some_and(|own| it <= *own);
    OuterName {
        all: found
            .iter()
            .map(|it| OuterDeclaration {
                kind: it.kind,
                source: it.source,
            })
            .collect(),
        before: found.partition_point(|it| before(it.order)),
    }
}

/// The target that the functions before this one leave in force, if one of them changes it.
#[salsa::tracked(returns(copy))]
pub(crate) fn target_before<'db>(db: &'db dyn Database, function: Function<'db>) -> Option<Target> {
    let file = function.file(db);
    let scope = module_scope(db, file);
    if scope.targets.is_empty() {
        return None;
    }
    let order = function_order(db, file).get(&function)?;
    scope.target_before(*order)
}

/// The definitions of a function that have the name of a declaration of the module, by their index, with the first one.
#[salsa::tracked(returns(deref))]
pub(crate) fn shadowed_names<'db>(
    db: &'db dyn Database,
    function: Function<'db>,
) -> Vec<(usize, DeclarationSource)> {
    let scope = module_scope(db, function.file(db));
    let definitions = body(db, function).definitions.iter().enumerate();
    definitions
        .filter_map(|(index, it)| {
            let found = match it.count {
                None => scope.find(&it.name),
                Some(_) => scope.family(&it.name),
            };
            Some((index, found.first()?.source))
        })
        .collect()
}
