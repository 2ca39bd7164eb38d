//! Incremental semantic analysis of NVIDIA PTX.
//!
//! [`AnalysisHost`] owns the state and accepts changes; [`Analysis`] is an immutable snapshot that
//! answers questions. The boundary speaks files, byte offsets and plain data: nothing here knows LSP,
//! threads, the clock or the file system.

mod api;

pub use api::*;
