//! Typed views of syntax trees.
//!
//! A view is a node and nothing else; accessors look for children by kind and return `None` where
//! broken text leaves a part out.

mod ext;
mod generated;
mod support;

pub use ext::Linkage;
pub use generated::*;

use crate::{SyntaxKind, SyntaxNode};

/// A typed view of a node.
pub trait AstNode: Sized {
    /// Whether a node of this kind has this view.
    fn can_cast(kind: SyntaxKind) -> bool;
    /// The view of `syntax`, if its kind fits.
    fn cast(syntax: SyntaxNode) -> Option<Self>;
    /// The node.
    fn syntax(&self) -> &SyntaxNode;
}
