//! The meaning of a name in use, for the instruction tables.

use isa::operand::{Operand, Symbol};
use salsa::Database;
use syntax::TextRange;

use crate::db::SourceFile;

use super::{
    body::{Body, Reference, Target},
    declared::{Declared, module_declared},
    items::{Function, items},
    module::{DeclarationKind, DeclarationSource, module_scope},
    operand::special,
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
        Target::Free(_) => module_name(db, function.file(db), name),
        Target::Section(_) => Operand::Unknown,
    }
}

/// The kind of a name of the module.
pub(crate) fn module_name(db: &dyn Database, file: SourceFile, name: &str) -> Operand {
    let Some(declaration) = module_scope(db, file).find(name).first() else {
        return Operand::Unknown;
    };
    match (declaration.kind, declaration.source) {
        (DeclarationKind::Entry, _) => Operand::Symbol(Symbol::Entry),
        (DeclarationKind::Function, _) => Operand::Symbol(Symbol::Function),
        (DeclarationKind::Variable, DeclarationSource::Variable(index)) => {
            module_declared(db, items(db, file).module)[index as usize]
                .0
                .clone()
        }
        _ => Operand::Unknown,
    }
}
