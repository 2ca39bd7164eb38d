//! Green trees: immutable, shareable between threads, without offsets.

use rowan::{GreenNode, GreenNodeData, NodeOrToken, TextRange, TextSize};

use crate::{SyntaxKind, SyntaxNode};

/// An immutable tree that reproduces a piece of text.
///
/// Comparison looks at what two trees do not share: after an edit they share nearly everything. rowan's own
/// comparison is always deep (25 ms for two handles of one 10 MB tree).
#[derive(Clone, Debug)]
pub struct Green(GreenNode);

impl Green {
    /// Wraps a tree.
    #[must_use]
    pub fn new(node: GreenNode) -> Green {
        Green(node)
    }

    /// The tree itself.
    #[must_use]
    pub fn node(&self) -> &GreenNode {
        &self.0
    }

    /// Length of the text in bytes.
    #[must_use]
    pub fn text_len(&self) -> TextSize {
        self.0.text_len()
    }

    /// Kind of the root node.
    #[must_use]
    pub fn kind(&self) -> SyntaxKind {
        SyntaxKind::from_raw(self.0.kind().0)
    }

    /// A red tree over this green tree; its offsets start at 0.
    #[must_use]
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.0.clone())
    }

    /// A cursor at the root; its offsets start at 0.
    #[must_use]
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor {
            node: &self.0,
            start: TextSize::from(0),
        }
    }
}

impl PartialEq for Green {
    fn eq(&self, other: &Green) -> bool {
        same(&self.0, &other.0)
    }
}

/// Whether two nodes are equal. The recursion is as deep as the tree, which the parser bounds.
fn same(left: &GreenNodeData, right: &GreenNodeData) -> bool {
    let children = || left.children().zip(right.children());
    std::ptr::eq(left, right)
        || left.text_len() == right.text_len()
            && left.kind() == right.kind()
            && left.children().len() == right.children().len()
            && children().all(|pair| match pair {
                (NodeOrToken::Node(left), NodeOrToken::Node(right)) => same(left, right),
                (NodeOrToken::Token(left), NodeOrToken::Token(right)) => {
                    std::ptr::eq(left, right) || left == right
                }
                _ => false,
            })
}

impl Eq for Green {}

/// A borrowed node of a green tree with its offset: cheap to walk, knows no parent.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    node: &'a GreenNodeData,
    start: TextSize,
}

/// A borrowed token of a green tree with its offset.
#[derive(Clone, Copy, Debug)]
pub struct CursorToken<'a> {
    kind: SyntaxKind,
    text: &'a str,
    start: TextSize,
}

impl<'a> Cursor<'a> {
    /// Kind of the node.
    #[must_use]
    pub fn kind(&self) -> SyntaxKind {
        SyntaxKind::from_raw(self.node.kind().0)
    }

    /// Range of the node, trivia included.
    #[must_use]
    pub fn range(&self) -> TextRange {
        TextRange::at(self.start, self.node.text_len())
    }

    /// The green node itself.
    #[must_use]
    pub fn green(&self) -> &'a GreenNodeData {
        self.node
    }

    /// Children, nodes and tokens, in order.
    pub fn children(
        &self,
    ) -> impl Iterator<Item = NodeOrToken<Cursor<'a>, CursorToken<'a>>> + use<'a> {
        let mut offset = self.start;
        self.node.children().map(move |child| {
            let start = offset;
            match child {
                NodeOrToken::Node(node) => {
                    offset += node.text_len();
                    NodeOrToken::Node(Cursor { node, start })
                }
                NodeOrToken::Token(token) => {
                    offset += token.text_len();
                    NodeOrToken::Token(CursorToken {
                        kind: SyntaxKind::from_raw(token.kind().0),
                        text: token.text(),
                        start,
                    })
                }
            }
        })
    }

    /// Child nodes in order.
    pub fn nodes(&self) -> impl Iterator<Item = Cursor<'a>> + use<'a> {
        self.children().filter_map(NodeOrToken::into_node)
    }

    /// The last child node; those before it are not looked at.
    #[must_use]
    pub fn last_node(&self) -> Option<Cursor<'a>> {
        let mut end = self.range().end();
        for child in self.node.children().rev() {
            match child {
                NodeOrToken::Node(node) => {
                    let start = end - node.text_len();
                    return Some(Cursor { node, start });
                }
                NodeOrToken::Token(token) => end -= token.text_len(),
            }
        }
        None
    }

    /// Child tokens in order, trivia excluded.
    pub fn tokens(&self) -> impl Iterator<Item = CursorToken<'a>> + use<'a> {
        self.children()
            .filter_map(NodeOrToken::into_token)
            .filter(|it| !it.kind.is_trivia())
    }

    /// The nodes that contain the byte after `offset`, this one first; none when it does not.
    ///
    /// Costs a binary search per level, unlike a walk over the children.
    #[must_use]
    pub fn nodes_at(&self, offset: TextSize) -> Vec<Cursor<'a>> {
        if !self.range().contains(offset) {
            return Vec::new();
        }
        // Only rowan's red nodes know where a child begins without adding up those before it.
        let root = SyntaxNode::new_root(self.node.to_owned());
        let byte = TextRange::at(offset - self.start, TextSize::from(1));
        let innermost = match root.covering_element(byte) {
            NodeOrToken::Node(node) => Some(node),
            NodeOrToken::Token(token) => token.parent(),
        };
        let ancestors = innermost.iter().flat_map(SyntaxNode::ancestors);
        let path: Vec<_> = ancestors
            .map(|it| (it.index(), it.text_range().start()))
            .collect();
        let mut nodes = vec![*self];
        let mut around = self.node;
        // The last of the path is the node itself.
        for (index, start) in path.into_iter().rev().skip(1) {
            let Some(NodeOrToken::Node(node)) = around.children().nth(index) else {
                break;
            };
            around = node;
            nodes.push(Cursor {
                node,
                start: self.start + start,
            });
        }
        nodes
    }

    /// The first child node of this kind.
    #[must_use]
    pub fn node(&self, kind: SyntaxKind) -> Option<Cursor<'a>> {
        self.nodes().find(|it| it.kind() == kind)
    }

    /// The first child token of this kind.
    #[must_use]
    pub fn token(&self, kind: SyntaxKind) -> Option<CursorToken<'a>> {
        self.tokens().find(|it| it.kind == kind)
    }
}

impl<'a> CursorToken<'a> {
    /// Kind of the token.
    #[must_use]
    pub fn kind(&self) -> SyntaxKind {
        self.kind
    }

    /// Text of the token.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Range of the token.
    #[must_use]
    pub fn range(&self) -> TextRange {
        TextRange::at(self.start, TextSize::of(self.text))
    }
}

#[cfg(test)]
mod tests {
    use crate::FileContents;

    #[test]
    fn trees_are_equal_if_their_texts_are() {
        let texts = [
            "",
            ".version 8.0",
            ".version 8.1",
            ".entry k() { ret; }",
            ".entry k() { bra; }",
            ".entry k() { ret ;}",
            ".entry k(){ ret; } ",
            "// ntry k() { ret; }",
        ];
        for left in texts {
            for right in texts {
                let (one, other) = (FileContents::new(left), FileContents::new(right));
                assert_eq!(one.tree == other.tree, left == right, "{left} {right}");
            }
        }
    }
}
