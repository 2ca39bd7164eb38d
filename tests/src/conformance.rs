//! Comparison of our verdicts on statements with those of ptxas.

pub mod generation;
pub mod generator;
pub mod judge;
pub mod mutants;
pub mod mutation;
pub mod operands;
pub mod ours;
pub mod program;
pub mod ptxas;
pub mod recorded;
pub mod report;
pub mod rules;
pub mod semantics;
pub mod text;
pub mod verdicts;
pub mod walks;
