//! Editor features: offsets in, plain data out; one file each.

pub(crate) mod document_symbols;
pub(crate) mod goto;
mod navigation;
pub(crate) mod references;
pub(crate) mod syntax_tree;
