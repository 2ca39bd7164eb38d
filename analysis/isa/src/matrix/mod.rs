//! Matrices: which lane holds which element, and what describes them in memory.

pub mod descriptor;
pub mod host;
pub mod layout;
pub mod shared;
pub mod swizzle;
pub mod tensor_map;
