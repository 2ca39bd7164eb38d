//! The language server for a worker of a browser, or for whoever else runs WebAssembly.
//!
//! Messages of LSP go in and out as the text of their JSON. Queueing, merging of edits and cancellation are those of
//! [`session::connection`]; the clock and the restart after a panic, which ends the instance, are in `background.js`.

#[cfg(feature = "debugger")]
mod debugger;
#[cfg(feature = "server")]
mod server;

#[cfg(feature = "debugger")]
pub use debugger::Debugger;
#[cfg(feature = "server")]
pub use server::Server;
