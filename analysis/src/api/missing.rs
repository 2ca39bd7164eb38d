//! Registers that a text uses without a declaration.

use isa::types::Class;

/// A register that a function uses and nothing declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingRegister {
    /// The name as it is written: `%r1`, `%0`.
    pub name: String,
    /// The type that all its uses take, the most likely one; `None` if there is none, so that it is not a register.
    pub class: Option<Class>,
    /// Whether an instruction uses it in an address.
    pub in_address: bool,
}
