//! Runs kernels on arrays without a GPU, exactly where PTX is exact, and reports what is wrong with them.
//!
//! The crate has no input or output, threads or clock. [`Machine`] takes the code of a file
//! ([`analysis::code::Code`]) and a [`Launch`], and gives an [`Outcome`].

pub mod debug;
pub mod description;
mod kinds;
mod launch;
mod machine;
mod outcome;
#[cfg(test)]
mod pages;
pub mod statements;

pub use kinds::{
    fences_tensor_memory, has_asynchronous_operations, synchronizes, synchronizes_without_order,
};
pub use launch::{Addressing, Argument, Array, Launch, Limits, Schedule, TensorMap, Texture};
pub use machine::{LaunchError, Machine, inspect::View};
pub use outcome::{Ended, Finding, FindingCode, NotRun, Outcome, Related, Severity};
