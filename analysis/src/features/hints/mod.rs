//! Additions that an editor shows in the text without being asked: colours, inlay hints, code lenses. The room answers
//! for a range, and asks `values` and `pressure` no more than that range needs.

pub(crate) mod code_lenses;
pub(crate) mod inlay_hints;
mod pressure_hints;
pub(crate) mod semantic_tokens;
