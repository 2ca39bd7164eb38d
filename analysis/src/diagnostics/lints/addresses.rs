//! Accesses to variables and parameters at constant offsets.

use std::cell::OnceCell;

use isa::{
    operand::Operand,
    word_class::{type_bits, vector_length},
};
use salsa::Database;
use syntax::{Cursor, CursorToken, SyntaxKind};

use crate::{
    SymbolKind,
    constant::{Value, evaluate},
    diagnostics::{place::Place, subject::Subject},
    hir::{
        body::{Body, Reference, Target},
        form::FormContents,
        items::{Function, module_items},
        layout::{Layout, layouts, module_layouts},
        module::DeclarationSource,
        outer::outer_name,
    },
};

/// A variable or parameter in memory that a statement names.
#[derive(Clone, Copy)]
pub(in crate::diagnostics) struct Named {
    pub(super) layout: Layout,
    pub(super) declared: Place,
}

impl Named {
    /// Whether it is not an array.
    pub(in crate::diagnostics) fn is_scalar(&self) -> bool {
        self.layout.scalar
    }

    /// Where it is declared.
    pub(in crate::diagnostics) fn declared(&self) -> Place {
        self.declared
    }
}

/// Finds what the names of a function stand for.
pub(in crate::diagnostics) struct Layouts<'a> {
    db: &'a dyn Database,
    function: Function<'a>,
    body: &'a Body,
    own: OnceCell<&'a [Option<Layout>]>,
}

impl<'a> Layouts<'a> {
    pub(in crate::diagnostics) fn new(subject: &Subject<'a>) -> Layouts<'a> {
        Layouts {
            db: subject.db,
            function: subject.function,
            body: subject.body,
            own: OnceCell::new(),
        }
    }

    /// The variable or parameter that a reference means.
    pub(in crate::diagnostics) fn named(&self, reference: &Reference) -> Option<Named> {
        match reference.target {
            Target::Definition(id) => {
                let definition = self.body.definition(id);
                if definition.kind == SymbolKind::Register {
                    return None;
                }
                let own = self.own.get_or_init(|| layouts(self.db, self.function));
                Some(Named {
                    layout: (*own.get(id as usize)?)?,
                    declared: Place::Own(definition.name_range),
                })
            }
            Target::Free(free) => {
                let file = self.function.file(self.db);
                let name = self.body.free.get(free as usize)?;
                // Of several declarations one may be larger.
                let [declaration] = outer_name(self.db, self.function, name).all() else {
                    return None;
                };
                let DeclarationSource::Variable(index) = declaration.source else {
                    return None;
                };
                let layouts = module_layouts(self.db, module_items(self.db, file));
                Some(Named {
                    layout: (*layouts.get(index as usize)?)?,
                    declared: Place::Declaration(declaration.source),
                })
            }
            _ => None,
        }
    }
}

/// Bytes that a load, store or atomic operation of a form touches.
pub(in crate::diagnostics) fn accessed(form: &FormContents) -> Option<u64> {
    let is_address = |it: &Operand| matches!(it, Operand::Address(_, None));
    if !form.operands.iter().any(is_address) {
        return None;
    }
    let semantics = form.semantics();
    let mut accesses = semantics.reads.iter().chain(semantics.writes);
    accesses.find(|it| it.is_plain())?;
    let words = || form.words.iter().map(|it| format!(".{it}"));
    let bits = words().rev().find_map(|it| type_bits(&it))?;
    let elements = words().find_map(|it| vector_length(&it));
    Some(u64::from(bits / 8) * u64::from(elements.unwrap_or(1)))
}

/// The name and the constant offset of an address such as `[x+4]`.
pub(in crate::diagnostics) fn place<'a>(address: &Cursor<'a>) -> Option<(CursorToken<'a>, i128)> {
    if address.kind() != SyntaxKind::ADDRESS {
        return None;
    }
    let (name, offset) = match evaluate(&address.nodes().next()?, &mut Vec::new()) {
        Value::Offset(name, offset) => (name, offset),
        Value::Other(name) => (name, 0),
        _ => return None,
    };
    let token = name.tokens().next()?;
    (name.kind() == SyntaxKind::NAME_REFERENCE).then_some((token, offset))
}
