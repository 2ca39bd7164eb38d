//! What generated accessors are made of.

use super::AstNode;
use crate::{NodeOrToken, SyntaxKind, SyntaxNode, SyntaxToken};

pub(super) fn child<N: AstNode>(parent: &SyntaxNode) -> Option<N> {
    parent.children().find_map(N::cast)
}

pub(super) fn children<N: AstNode>(parent: &SyntaxNode) -> impl Iterator<Item = N> + use<N> {
    parent.children().filter_map(N::cast)
}

pub(super) fn token(parent: &SyntaxNode, kind: SyntaxKind) -> Option<SyntaxToken> {
    parent
        .children_with_tokens()
        .filter_map(NodeOrToken::into_token)
        .find(|it| it.kind() == kind)
}
