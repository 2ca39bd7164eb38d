//! The meaning of a name in use, for the instruction tables.

use isa::operand::{Operand, Symbol};
use salsa::Database;
use syntax::TextRange;

use crate::db::SourceFile;

use super::{
    body::{Body, Reference, Target},
    declared::{Declared, module_declared},
    items::{Function, module_items},
    module::{DeclarationKind, DeclarationSource, module_scope},
    operand::special,
    outer::outer_name,
};

/// The kind of a name in a function.
pub(crate) fn resolve(
    db: &dyn Database,
    function: Function<'_>,
    body: &Body,
    types: &[Declared],
    range: TextRange,
    name: &str,
) -> Operand {
    match body.reference_at(range) {
        Some(it) => meaning(db, function, types, it, name),
        None => Operand::Unknown,
    }
}

/// The kind of a reference to a name.
pub(crate) fn meaning(
    db: &dyn Database,
    function: Function<'_>,
    types: &[Declared],
    reference: &Reference,
    name: &str,
) -> Operand {
    match reference.target {
        Target::Definition(id) => types[id as usize].0.clone(),
        Target::Special(index) => special(index),
        Target::WarpSize => Operand::Integer(32),
        Target::Free(_) => {
            let first = outer_name(db, function, name).all().first();
            declared(db, function.file(db), first.map(|it| (it.kind, it.source)))
        }
        Target::Section(_) => Operand::Unknown,
    }
}

/// The kind of a name of the module.
pub(crate) fn module_name(db: &dyn Database, file: SourceFile, name: &str) -> Operand {
    let first = module_scope(db, file).find(name).first();
    declared(db, file, first.map(|it| (it.kind, it.source)))
}

fn declared(
    db: &dyn Database,
    file: SourceFile,
    first: Option<(DeclarationKind, DeclarationSource)>,
) -> Operand {
    match first {
        Some((DeclarationKind::Entry, _)) => Operand::Symbol(Symbol::Entry),
        Some((DeclarationKind::Function, _)) => Operand::Symbol(Symbol::Function),
        Some((DeclarationKind::Variable, DeclarationSource::Variable(index))) => {
            module_declared(db, module_items(db, file))[index as usize]
                .0
                .clone()
        }
        _ => Operand::Unknown,
    }
}
