//! Language server and command line of ptx-analyzer.
//!
//! This is the only crate that knows LSP, JSON, threads, the clock and files. Everything about PTX
//! is asked of the `analysis` crate.
//!
//! The way of a message: `transport` (framing, order, life cycle; tower-lsp) → `backend` (the
//! methods of LSP) → `state` (the one thread that writes) → `pool` (workers, which run `handlers`
//! over a `snapshot`) → `lsp` (conversions) → back to the client.

mod backend;
mod binaries;
pub mod cli;
pub mod config;
mod draw;
mod exact;
mod files;
mod handlers;
mod known;
mod logging;
mod lsp;
mod pool;
mod snapshot;
mod state;
mod transport;

pub use transport::serve;
