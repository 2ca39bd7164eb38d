//! Our own advice about code that ptxas accepts, a file for each lint.
//!
//! Every lint has a code of its own and a level that the settings and comments may change, see
//! [`levels`](crate::diagnostics::rendering::levels). A level is chosen by how often the lint fires on the output of
//! compilers, about which nobody can do anything.

pub(super) mod accepted;
pub(super) mod addresses;
pub(super) mod check;
pub(super) mod constant_access;
mod deprecated_form;
mod divergent_barrier;
mod ignored_setmaxnreg;
mod incomplete_argument;
mod infinite_loop;
mod integer_division;
mod launch_bounds;
mod likely_spill;
mod local_memory;
mod memory_accesses;
mod missing_return;
mod modifier_order;
mod protocols;
mod shadowed_name;
mod slow_f64;
pub(super) mod statement;
mod statements;
#[cfg(test)]
mod tests;
mod too_many_registers;
mod too_many_threads;
mod truncated_immediate;
mod uninitialized_register;
mod unreachable_code;
mod unused_name;
mod unused_value;
