//! Diagnostics. A rule finds problems in one function, or in the items around the functions, with places relative to
//! them; salsa keeps these findings. Offsets in the file and line numbers are put in at the end, when the diagnostics of
//! a file are [joined](rendering::join).

mod error_map;
mod finding;
mod findings;
mod fix;
mod lints;
mod place;
pub(crate) mod registry;
mod rendering;
mod rules;
mod stored;
mod subject;
pub(crate) mod suggestion;
#[cfg(test)]
mod tests;

pub use registry::{DIAGNOSTIC_CODES, DiagnosticCode, NO_MODULE_CODE, PTXAS_CODE};
#[cfg(test)]
pub(crate) use registry::{is_flow_lint, is_lint};
pub(crate) use rendering::{
    compiler::with_messages,
    foreign::severities,
    join::{Fixes, diagnostics, touches},
    levels::control_verbs,
    runs::with_run_comments,
    syntax_errors::syntax_diagnostics,
};
pub(crate) use rules::{
    calls::{arguments::admits as admits_argument, context::CallParts},
    directives::{debug::locations_of, tuning::lacks_cta_memory},
    gates::cause,
    instructions::{address_width::is_refused, portability::unavailable},
    names::missing_registers::missing_registers,
};
