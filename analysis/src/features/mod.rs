//! Editor features: offsets in, plain data out; one file each.

pub(crate) mod call_hierarchy;
pub(crate) mod code_actions;
pub(crate) mod code_lenses;
pub(crate) mod completion;
pub(crate) mod demangle;
pub(crate) mod document_symbols;
pub(crate) mod documentation;
pub(crate) mod flow_graph;
pub(crate) mod folding;
pub(crate) mod formatting;
pub(crate) mod goto;
pub(crate) mod hover;
pub(crate) mod inlay_hints;
pub(crate) mod live_range;
mod navigation;
mod pressure_hints;
pub(crate) mod references;
pub(crate) mod registers;
pub(crate) mod rename;
pub(crate) mod selection_ranges;
pub(crate) mod semantic_tokens;
pub(crate) mod signature_help;
pub(crate) mod site;
pub(crate) mod source_locations;
pub(crate) mod stats;
pub(crate) mod syntax_tree;
pub(crate) mod workspace_symbols;
