//! Expectations: the contents that arrays should have after a run.

use super::contents::Contents;

/// An expectation about an array.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// The name of the array.
    pub name: String,
    /// The array, by its index in the launch.
    pub array: usize,
    /// The contents that it is to have.
    pub goal: Goal,
    /// By how much an element may differ, times the magnitude of the wanted one,
    pub rtol: f64,
    /// and beside that.
    pub atol: f64,
}

/// The contents that an array is to have.
#[derive(Clone, Debug)]
pub enum Goal {
    /// These.
    Contents(Contents),
    /// These bits in each element.
    Bits(u64),
    /// Those of another array after the run.
    Array(usize),
    /// Its own before the run.
    Unchanged,
}
