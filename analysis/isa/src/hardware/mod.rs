//! The machine: its limits, how many warps fit, what instructions cost.

pub mod cost;
pub mod limits;
pub mod memory;
pub mod occupancy;
pub mod peaks;
