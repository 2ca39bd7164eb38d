//! The evaluator of instructions: the values that they compute.

pub mod float;
