//! Language server and command line of ptx-analyzer.
//!
//! This is the only crate that knows threads, the clock, files and processes. What messages mean is the
//! business of the `session` crate, and everything about PTX the business of `analysis`.
//!
//! The way of a message: `transport` (framing, order, life cycle; tower-lsp) → `backend` (the
//! methods of LSP) → `state` (the one thread that writes) → `pool` (workers, which run the handlers of the session
//! over a snapshot) → back to the client.

mod backend;
mod binaries;
pub mod cli;
mod compile_commands;
mod exact;
mod files;
mod logging;
mod outgoing;
mod pool;
mod session_host;
mod state;
mod transport;

pub use session::config;
pub use transport::serve;
