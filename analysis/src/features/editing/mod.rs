//! Changes of the text: fixes, formatting, new names. Each is tried or checked before it is offered, so that the room
//! asks `diagnostics` about copies of the text.

pub(crate) mod code_actions;
pub(crate) mod formatting;
pub(crate) mod rename;
