//! Items, scopes and names: what the text means, without positions in the file.

pub(crate) mod items;
pub(crate) mod tree;
