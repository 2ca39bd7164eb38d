//! Instructions against the tables.

pub(crate) mod address_width;
pub(in crate::diagnostics) mod check;
pub(in crate::diagnostics) mod constants;
mod context;
mod misspelt;
mod modifier_fixes;
pub(in crate::diagnostics) mod narrow_address;
mod operand_fixes;
mod parameter_map;
pub(crate) mod portability;
mod rejected;
mod special_register;
mod statement;
#[cfg(test)]
mod tests;
