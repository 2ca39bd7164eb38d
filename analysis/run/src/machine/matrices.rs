//! Matrix instructions on the machine.

mod tests;
