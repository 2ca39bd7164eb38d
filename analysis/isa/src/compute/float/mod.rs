//! Floating-point arithmetic that is exact until it is rounded once.
//!
//! - [`Format`]: the floating-point types of PTX;
//! - [`Number`]: an exact number, with the operations and [`Number::round`];
//! - [`bits`]: functions on the bits of a format, such as `.ftz` and `.sat`;
//! - [`Operation`]: the rounded operations, also on many lanes at once.
//!
//! The results are the same on every platform: neither rounding modes of a processor nor its fused operations are used.

pub(super) mod binary32;
mod binary64;
pub mod bits;
mod elementary;
mod format;
mod lanes;
mod number;
mod operation;
mod rounding;
#[cfg(test)]
mod tests;

pub use bits::Class;
pub use format::Format;
pub use lanes::{apply, apply_finite};
pub use number::Number;
pub use operation::Operation;
pub use rounding::Rounding;
