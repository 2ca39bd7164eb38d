//! Names that are not declared where they are used, or more than once.

pub(in crate::diagnostics) mod address_register;
pub(in crate::diagnostics) mod duplicates;
pub(in crate::diagnostics) mod missing_registers;
pub(in crate::diagnostics) mod redeclarations;
mod register_fixes;
pub(in crate::diagnostics) mod undefined;
