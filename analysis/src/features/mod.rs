//! Editor features: offsets in, plain data out. Each room answers one kind of question; none knows a client or a file
//! system. They ask `hir`, `flow`, `values` and the rooms of estimates, and keep nothing themselves.

pub(crate) mod completion;
pub(crate) mod editing;
pub(crate) mod hints;
pub(crate) mod hover;
pub(crate) mod navigation;
pub(crate) mod views;
