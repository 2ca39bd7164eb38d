//! Items, scopes and names: what the text means, without positions in the file.

pub(crate) mod body;
pub(crate) mod bound;
pub(crate) mod declaration;
pub(crate) mod declared;
pub(crate) mod fit;
pub(crate) mod form;
pub(crate) mod forms;
pub(crate) mod header;
pub(crate) mod in_force;
pub(crate) mod instruction;
pub(crate) mod items;
pub(crate) mod layout;
pub(crate) mod linkage;
mod lower;
mod lowered;
pub(crate) mod module;
pub(crate) mod number;
pub(crate) mod operand;
pub(crate) mod outer;
pub(crate) mod reached;
pub(crate) mod resolve;
pub(crate) mod symbol;
pub(crate) mod tree;
