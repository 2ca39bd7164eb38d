//! The surroundings of a statement that is checked.

use isa::target::Module;
use syntax::{Cursor, TextRange};

use crate::{
    diagnostics::{lints::addresses::Named, rules::names::address_register::AddressRegister},
    hir::operand::Resolve,
};

/// The version and target for which a statement is checked.
pub(in crate::diagnostics) struct Context<'a> {
    pub(in crate::diagnostics) module: Module,
    /// Whether another target in the header changes nothing here.
    pub(in crate::diagnostics) fixed: bool,
    /// The class of a name.
    pub(in crate::diagnostics) resolve: Resolve<'a>,
    /// The variable or parameter that a name means.
    pub(in crate::diagnostics) named: &'a dyn Fn(TextRange) -> Option<Named>,
    /// The instruction.
    pub(in crate::diagnostics) node: &'a Cursor<'a>,
    /// A register for an address that nothing uses yet.
    pub(in crate::diagnostics) new_address: &'a dyn Fn() -> Option<AddressRegister>,
}
