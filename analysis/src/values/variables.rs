//! The variables whose addresses are leaves: where they are, and how large.

use isa::operand::{Operand, Space, Symbol as Declaration};
use salsa::Database;

use crate::{
    flow::ids::VariableName,
    hir::{
        body::body,
        declared::{Declared, declared, module_declared},
        items::{Function, module_items},
        layout::{Layout, layouts, module_layouts},
        linkage::Linkage,
        module::{DeclarationSource, module_body},
        outer::outer_name,
    },
};

/// A variable or parameter in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) space: Space,
    /// Bytes; `None` if the size is open, or another module declares it.
    pub(crate) size: Option<u64>,
    /// Bytes, a power of two.
    pub(crate) alignment: u64,
    /// Whether the launch or another module gives its memory.
    pub(crate) external: bool,
}

/// The variable of a symbol; `None` if the name is that of something else or is declared more than once.
pub(crate) fn variable(
    db: &dyn Database,
    function: Function<'_>,
    symbol: VariableName,
) -> Option<Variable> {
    let body = body(db, function);
    let (name, declared, layout, external) = match symbol {
        VariableName::Own(id) => {
            let layout = layouts(db, function).get(id as usize).copied().flatten();
            let name = body.definition(id).name.to_string();
            (
                name,
                declared(db, function).get(id as usize)?,
                layout,
                false,
            )
        }
        VariableName::Free(free) => {
            let name = body.free.get(free as usize)?;
            let [declaration] = outer_name(db, function, name).all() else {
                return None;
            };
            let DeclarationSource::Variable(index) = declaration.source else {
                return None;
            };
            let module = module_items(db, function.file(db));
            let index = index as usize;
            let external = module_body(db, module).variables.get(index)?.linkage;
            (
                name.to_string(),
                module_declared(db, module).get(index)?,
                module_layouts(db, module).get(index).copied().flatten(),
                external == Some(Linkage::Extern),
            )
        }
    };
    let Declared(Operand::Symbol(Declaration::Variable(space, _))) = declared else {
        return None;
    };
    let Layout {
        size, alignment, ..
    } = layout?;
    Some(Variable {
        name,
        space: *space,
        size: size.filter(|_| !external),
        alignment,
        external,
    })
}
