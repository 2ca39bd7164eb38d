//! Declarations: variables, parameters, initial values, calls.

pub mod call;
pub mod initializer;
pub mod parameter;
pub mod system_call;
pub mod variable;
