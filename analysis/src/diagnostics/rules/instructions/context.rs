//! The surroundings of a statement that is checked.

use isa::{matcher::Fit, target::Module};
use syntax::{Cursor, TextRange};

use crate::{
    diagnostics::{lints::addresses::Named, rules::names::address_register::AddressRegister},
    hir::{form::FormContents, operand::Resolve},
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
    /// The form of the instruction, and the variant that it fits.
    pub(in crate::diagnostics) form: &'a FormContents,
    pub(in crate::diagnostics) fit: Option<&'a Fit<'static>>,
    /// The instruction.
    pub(in crate::diagnostics) node: &'a Cursor<'a>,
    /// A register for an address that nothing uses yet.
    pub(in crate::diagnostics) new_address: &'a dyn Fn() -> Option<AddressRegister>,
}
