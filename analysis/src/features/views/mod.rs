//! Data of panels: flow graphs, live registers, occupancy, protocols, targets. The room computes what they show, and the
//! session draws it.

pub(crate) mod flow_graph;
pub(crate) mod inline_values;
pub(crate) mod live_range;
pub(crate) mod live_registers;
pub(crate) mod protocols;
pub(crate) mod registers;
pub(crate) mod stats;
pub(crate) mod syntax_tree;
pub(crate) mod target_matrix;
