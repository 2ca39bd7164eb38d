//! The facts about a function that the rules about calls use, and the parts of a call.

use std::{borrow::Cow, cell::OnceCell};

use isa::operand::Operand;
use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextSize};

use crate::{
    db::SourceFile,
    diagnostics::place::Place,
    hir::{
        body::{Body, Reference, Target},
        declaration::{Declaration, Shape},
        declared::Declared,
        header::FunctionHeader,
        items::Function,
        operand::operand,
        resolve::resolve,
        tree::{self, operand_nodes},
    },
};

/// A function whose calls are judged.
pub(in crate::diagnostics) struct CallContext<'a> {
    pub(in crate::diagnostics) db: &'a dyn Database,
    pub(in crate::diagnostics) function: Function<'a>,
    pub(in crate::diagnostics) body: &'a Body,
    pub(in crate::diagnostics) types: &'a [Declared],
    pub(in crate::diagnostics) cursor: Cursor<'a>,
    /// The declarations of the function, by the places of the names; made for the first call.
    pub(in crate::diagnostics) shapes: OnceCell<FxHashMap<TextSize, Shape>>,
}

/// The registers and constants that a call may take as results and arguments.
pub(in crate::diagnostics) struct Callee<'a> {
    /// How messages name it.
    pub(in crate::diagnostics) name: String,
    pub(in crate::diagnostics) header: Cow<'a, FunctionHeader>,
    /// Where it is declared.
    pub(in crate::diagnostics) place: Option<Place>,
}

/// The parts of a call.
pub(crate) struct CallParts<'a> {
    pub(crate) results: Option<Cursor<'a>>,
    pub(crate) callee: Cursor<'a>,
    pub(crate) arguments: Option<Cursor<'a>>,
    /// The prototype or list of targets of an indirect call.
    pub(crate) table: Option<Cursor<'a>>,
}

impl<'a> CallParts<'a> {
    /// The parts, or the first operand that a call has no place for.
    pub(crate) fn of(instruction: &Cursor<'a>) -> Result<CallParts<'a>, Option<Cursor<'a>>> {
        let is_list = |it: &Cursor<'_>| it.kind() == SyntaxKind::ARGUMENT_LIST;
        let mut nodes = operand_nodes(instruction).peekable();
        let results = nodes.next_if(is_list);
        let callee = nodes.next().ok_or(results)?;
        if is_list(&callee) {
            return Err(Some(callee));
        }
        let arguments = nodes.next_if(is_list);
        let table = nodes.next_if(|it| !is_list(it));
        match nodes.next() {
            Some(surplus) => Err(Some(surplus)),
            None => Ok(CallParts {
                results,
                callee,
                arguments,
                table,
            }),
        }
    }
}

impl<'a> CallContext<'a> {
    pub(in crate::diagnostics) fn file(&self) -> SourceFile {
        self.function.file(self.db)
    }

    /// The class of an operand.
    pub(in crate::diagnostics) fn operand(&self, node: &Cursor<'_>) -> Operand {
        operand(node, &|range, name| {
            resolve(self.db, self.function, self.body, self.types, range, name)
        })
    }

    /// The reference of a node that is a plain name.
    pub(in crate::diagnostics) fn reference(&self, node: &Cursor<'_>) -> Option<&'a Reference> {
        let name = (node.kind() == SyntaxKind::NAME_REFERENCE)
            .then(|| node.token(SyntaxKind::IDENT))
            .flatten()?;
        self.body.reference_at(name.range())
    }

    /// The type of a register or variable that the function declares, given by its use.
    pub(in crate::diagnostics) fn shape(&self, reference: &Reference) -> Option<&Shape> {
        let Target::Definition(id) = reference.target else {
            return None;
        };
        let shapes = self.shapes.get_or_init(|| {
            let mut shapes = FxHashMap::default();
            // By the starts of their names.
            tree::for_each_variable(&self.cursor, &mut |it| {
                let declaration = Declaration::of(it);
                for declarator in &declaration.declarators {
                    if let Some(name) = declarator.name {
                        shapes.insert(name.range().start(), declaration.shape(declarator));
                    }
                }
            });
            shapes
        });
        shapes.get(&self.body.definition(id).name_range.start())
    }
}

/// The text of an operand on one line.
pub(in crate::diagnostics) fn text(node: &Cursor<'_>) -> String {
    tree::text_of_range(node, node.range())
}
