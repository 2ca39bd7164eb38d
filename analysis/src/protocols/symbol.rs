//! Variables.

use crate::hir::body::DefinitionId;

/// A variable: declared in the function, or a name of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Symbol {
    Own(DefinitionId),
    Free(u32),
}
