//! Instructions against the tables.

pub(in crate::diagnostics) mod check;
pub(in crate::diagnostics) mod constants;
mod modifier_fixes;
mod narrow_address;
mod operand_fixes;
pub(crate) mod portability;
mod rejected;
mod statement;
#[cfg(test)]
mod tests;
