//! The ways through a file and between files: definitions, uses, outlines, folds, sources. The room asks `hir` for names
//! and `values` for what is written and read; other features may use its targets.

pub(crate) mod call_hierarchy;
pub(crate) mod document_symbols;
pub(crate) mod entries;
pub(crate) mod folding;
pub(crate) mod goto;
pub(crate) mod references;
pub(crate) mod selection_ranges;
pub(crate) mod source_locations;
pub(in crate::features) mod target;
pub(crate) mod values;
pub(crate) mod workspace_symbols;
