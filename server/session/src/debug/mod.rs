//! A debug adapter without I/O: messages of the Debug Adapter Protocol in, messages out.
//!
//! [`Session::receive`] takes a message and answers it; [`Session::advance`] runs the kernel for a while and says when it
//! stops. The program around it has the streams and reads files ([`Files`]).

mod breakpoints;
mod evaluate;
mod lanes;
mod launch;
mod outcome;
mod program;
mod protocol;
mod session;
mod show;
mod state;
#[cfg(test)]
mod tests;

pub use program::{Files, Programs};
pub use session::Session;
