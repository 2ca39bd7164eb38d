//! Places in a file that do not depend on offsets.

use salsa::Database;
use syntax::TextRange;

use crate::{
    db::SourceFile,
    hir::{
        body::body,
        items::items,
        module::{Declaration, DeclarationSource, module_body},
    },
};

/// A place in a file, independent of offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::diagnostics) enum Place {
    /// In the same item.
    Own(TextRange),
    /// In an item that is not a function.
    Item(u32, TextRange),
    /// The name that a declaration of the module declares.
    Declaration(DeclarationSource),
    /// The number of the `.version` directive.
    Version,
    /// The first name of the `.target` directive.
    Target,
}

impl Place {
    pub(in crate::diagnostics) fn of(declaration: &Declaration) -> Place {
        Place::Declaration(declaration.source)
    }
}

/// Index of a top-level item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::diagnostics) enum ItemIndex {
    Function(u32),
    Other(u32),
}

/// Where the name of a declaration of the module appears: its item and the range in it.
pub(in crate::diagnostics) fn declaration_place(
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
