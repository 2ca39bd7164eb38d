//! Builds green trees bottom up, with equal tokens and equal small nodes shared.
//!
//! rowan's own builder looks at the text of a token in memory for each hit and counts references up and
//! down for children of nodes that then turn out to be known; half of the time of the parser went there.
//! Here a short token is its own key, a node is the numbers of its children, and a child is made only
//! when a node that is new takes it.

use std::hash::Hasher as _;

use hashbrown::HashTable;
use rowan::{GreenNode, GreenToken, NodeOrToken};
use rustc_hash::FxHasher;

use crate::SyntaxKind;

type GreenElement = NodeOrToken<GreenNode, GreenToken>;

/// Tokens of at most this many bytes are their own keys.
const SHORT: usize = 14;
/// Nodes of more children are not shared; rowan has the same limit.
const SHARED_CHILDREN: usize = 3;
/// Where a node has no child, and where nothing is known yet.
const NONE: u32 = u32::MAX;

/// A tree that grows at its end.
pub(crate) struct Builder {
    /// The nodes that are open: kind and index of the first child.
    parents: Vec<(SyntaxKind, usize)>,
    children: Vec<Child>,
    shared: Shared,
}

/// A place among the children of the open node.
#[derive(Clone, Copy)]
pub(crate) struct Checkpoint(usize);

enum Child {
    /// An index into [`Shared::elements`].
    Shared(u32),
    Node(GreenNode),
}

/// Elements of which every copy is the same one.
struct Shared {
    elements: Vec<GreenElement>,
    /// For each element the first node that had nothing else in it: nearly every operand is such a node.
    around: Vec<SharedElement>,
    /// Tokens of one ASCII character, nearly half of all.
    single: [SharedElement; 128],
    /// Short tokens and small nodes that are in neither list.
    keyed: HashTable<(ElementKey, u32)>,
    /// Long tokens by the hash of their texts.
    long: HashTable<(u64, u32)>,
}

/// An element of a kind, or that there is none yet.
#[derive(Clone, Copy)]
struct SharedElement {
    kind: u16,
    index: u32,
}

impl SharedElement {
    const NOTHING: SharedElement = SharedElement {
        kind: 0,
        index: NONE,
    };
}

/// The common property of two equal elements. The key of a token ends with its kind and its length, the key of a
/// node with its kind and [`NODE`].
#[derive(Clone, Copy, PartialEq, Eq)]
struct ElementKey(u64, u64);

/// Where a token has its length.
const NODE: u64 = 0xFF;

/// The first bytes of a text.
static MASKS: [u128; SHORT + 1] = {
    let mut masks = [0; SHORT + 1];
    let mut len = 0;
    while len <= SHORT {
        masks[len] = (1 << (8 * len)) - 1;
        len += 1;
    }
    masks
};

impl ElementKey {
    /// The key of the token that starts at a byte of a text.
    fn for_token(kind: SyntaxKind, text: &[u8], start: usize, len: usize) -> ElementKey {
        debug_assert!(
            len <= SHORT && kind as u16 <= 0xFF,
            "each has its own bytes"
        );
        let bytes = match text[start..].first_chunk::<16>() {
            Some(bytes) => *bytes,
            None => {
                let mut bytes = [0; 16];
                bytes[..len].copy_from_slice(&text[start..start + len]);
                bytes
            }
        };
        let bytes = u128::from_le_bytes(bytes) & MASKS[len];
        let tail = (kind as u64) << 48 | (len as u64) << 56;
        ElementKey(bytes as u64, (bytes >> 64) as u64 | tail)
    }

    /// The key of a node with shared children.
    fn for_node(kind: SyntaxKind, children: [u32; SHARED_CHILDREN]) -> ElementKey {
        debug_assert!(kind as u16 <= 0xFF, "it has one byte");
        let [one, two, three] = children.map(u64::from);
        ElementKey(one | two << 32, three | (kind as u64) << 48 | NODE << 56)
    }

    fn hash(&self) -> u64 {
        // The product of two words, folded, depends on all bits of both.
        let product = u128::from(self.0 ^ 0x9E37_79B9_7F4A_7C15)
            .wrapping_mul(u128::from(self.1 ^ 0xD6E8_FEB8_6659_FD93));
        product as u64 ^ (product >> 64) as u64
    }
}

impl Builder {
    /// A builder for the tree of a text of `len` bytes.
    pub(crate) fn new(len: usize) -> Builder {
        // Compilers write some 30 bytes per element that is new; few texts need more room.
        let expected = (len / 32).clamp(32, 1 << 16);
        Builder {
            parents: Vec::with_capacity(8),
            children: Vec::with_capacity(64),
            shared: Shared {
                elements: Vec::with_capacity(expected),
                around: Vec::with_capacity(expected),
                single: [SharedElement::NOTHING; 128],
                keyed: HashTable::with_capacity(expected),
                long: HashTable::new(),
            },
        }
    }

    /// Adds a token: `len` bytes of a text from `start` on.
    pub(crate) fn token(&mut self, kind: SyntaxKind, text: &str, start: usize, len: usize) {
        let index = self.shared.token(kind, text, start, len);
        self.children.push(Child::Shared(index));
    }

    /// Opens a node.
    pub(crate) fn start_node(&mut self, kind: SyntaxKind) {
        self.parents.push((kind, self.children.len()));
    }

    /// Closes the node that was opened last.
    pub(crate) fn finish_node(&mut self) {
        let Some((kind, first)) = self.parents.pop() else {
            debug_assert!(false, "no node is open");
            return;
        };
        let child = self.shared.node(kind, &mut self.children, first);
        self.children.push(child);
    }

    /// Remembers this place for [`Builder::start_node_at`].
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        Checkpoint(self.children.len())
    }

    /// Opens a node around what was added since the checkpoint.
    pub(crate) fn start_node_at(&mut self, checkpoint: Checkpoint, kind: SyntaxKind) {
        debug_assert!(self.parents.last().is_none_or(|it| it.1 <= checkpoint.0));
        self.parents
            .push((kind, checkpoint.0.min(self.children.len())));
    }

    /// The tree: its root was closed last.
    pub(crate) fn finish(mut self) -> GreenNode {
        debug_assert!(self.parents.is_empty() && self.children.len() == 1);
        match self.children.pop().map(|it| self.shared.element(it)) {
            Some(NodeOrToken::Node(root)) => root,
            _ => GreenNode::new(SyntaxKind::SOURCE_FILE.into(), []),
        }
    }
}

impl Shared {
    /// The number of a token.
    fn token(&mut self, kind: SyntaxKind, text: &str, start: usize, len: usize) -> u32 {
        let new = || GreenToken::new(kind.into(), &text[start..start + len]);
        if len == 1
            && let Some(known) = self.single.get(usize::from(text.as_bytes()[start]))
        {
            if known.kind == kind as u16 && known.index != NONE {
                return known.index;
            }
            return self.single_token(kind, text, start);
        }
        if len <= SHORT {
            let key = ElementKey::for_token(kind, text.as_bytes(), start, len);
            return match self.keyed.find(key.hash(), |it| it.0 == key) {
                Some((_, index)) => *index,
                None => self.insert(key, new().into()),
            };
        }
        let text = &text[start..start + len];
        let mut hasher = FxHasher::default();
        hasher.write(text.as_bytes());
        let hash = hasher.finish();
        let same = |it: &(u64, u32)| {
            let element = self.elements[it.1 as usize].as_token();
            it.0 == hash && element.is_some_and(|it| it.kind() == kind.into() && it.text() == text)
        };
        if let Some((_, index)) = self.long.find(hash, same) {
            return *index;
        }
        let index = self.push(new().into());
        self.long.insert_unique(hash, (hash, index), |it| it.0);
        index
    }

    /// The number of a token of one character that was not met before as one of this kind.
    #[cold]
    fn single_token(&mut self, kind: SyntaxKind, text: &str, start: usize) -> u32 {
        let byte = usize::from(text.as_bytes()[start]);
        let token = GreenToken::new(kind.into(), &text[start..=start]);
        if self.single[byte].index == NONE {
            let index = self.push(token.into());
            self.single[byte] = SharedElement {
                kind: kind as u16,
                index,
            };
            return index;
        }
        let key = ElementKey::for_token(kind, text.as_bytes(), start, 1);
        match self.keyed.find(key.hash(), |it| it.0 == key) {
            Some((_, index)) => *index,
            None => self.insert(key, token.into()),
        }
    }

    /// Takes the children from `first` on and makes a node of them.
    fn node(&mut self, kind: SyntaxKind, children: &mut Vec<Child>, first: usize) -> Child {
        if let [Child::Shared(only)] = children[first..] {
            let known = self.around[only as usize];
            if known.kind == kind as u16 && known.index != NONE {
                children.truncate(first);
                return Child::Shared(known.index);
            }
            if known.index == NONE {
                children.truncate(first);
                let element = self.elements[only as usize].clone();
                let index = self.push(GreenNode::new(kind.into(), [element]).into());
                self.around[only as usize] = SharedElement {
                    kind: kind as u16,
                    index,
                };
                return Child::Shared(index);
            }
        }
        let key = self.key(kind, &children[first..]);
        if let Some(key) = key
            && let Some((_, index)) = self.keyed.find(key.hash(), |it| it.0 == key)
        {
            let index = *index;
            children.truncate(first);
            return Child::Shared(index);
        }
        let elements = children.drain(first..).map(|it| self.element(it));
        let node = GreenNode::new(kind.into(), elements);
        match key {
            Some(key) => Child::Shared(self.insert(key, node.into())),
            None => Child::Node(node),
        }
    }

    /// The key of a node that is to be shared.
    fn key(&self, kind: SyntaxKind, children: &[Child]) -> Option<ElementKey> {
        if children.len() > SHARED_CHILDREN {
            return None;
        }
        let mut indices = [NONE; SHARED_CHILDREN];
        for (child, index) in children.iter().zip(&mut indices) {
            match child {
                Child::Shared(it) => *index = *it,
                Child::Node(_) => return None,
            }
        }
        Some(ElementKey::for_node(kind, indices))
    }

    fn element(&self, child: Child) -> GreenElement {
        match child {
            Child::Shared(index) => self.elements[index as usize].clone(),
            Child::Node(node) => node.into(),
        }
    }

    fn insert(&mut self, key: ElementKey, element: GreenElement) -> u32 {
        let index = self.push(element);
        self.keyed
            .insert_unique(key.hash(), (key, index), |it| it.0.hash());
        index
    }

    fn push(&mut self, element: GreenElement) -> u32 {
        self.elements.push(element);
        self.around.push(SharedElement::NOTHING);
        self.elements.len() as u32 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree with a node for each word in `text`.
    fn words(text: &str) -> GreenNode {
        let mut builder = Builder::new(text.len());
        builder.start_node(SyntaxKind::SOURCE_FILE);
        let mut start = 0;
        for word in text.split_inclusive(' ') {
            builder.start_node(SyntaxKind::NAME);
            builder.token(SyntaxKind::IDENT, text, start, word.len());
            builder.finish_node();
            start += word.len();
        }
        builder.finish_node();
        builder.finish()
    }

    #[test]
    fn equal_nodes_are_one_and_no_others() {
        // Of all lengths around the length of a key, and with prefixes and zeros that a key might mix up.
        let mut words_of_text = Vec::new();
        for len in 1..40 {
            words_of_text.push("a".repeat(len));
            words_of_text.push("\0".repeat(len));
            words_of_text.push(format!("{}b", "a".repeat(len - 1)));
        }
        let text = words_of_text.join(" ") + " ";
        let text = text.repeat(2);
        let tree = words(&text);
        assert_eq!(tree.to_string(), text);
        let children: Vec<_> = tree.children().filter_map(NodeOrToken::into_node).collect();
        for left in &children {
            for right in &children {
                let one = std::ptr::eq(*left, *right);
                assert_eq!(one, left.to_string() == right.to_string(), "{left} {right}");
            }
        }
    }

    #[test]
    fn only_nodes_of_the_same_kind_and_children_are_one() {
        let mut builder = Builder::new(0);
        builder.start_node(SyntaxKind::SOURCE_FILE);
        for kind in [SyntaxKind::NAME, SyntaxKind::LABEL, SyntaxKind::NAME] {
            for text in ["", "a", "aa", "aaa", "aaaa"] {
                builder.start_node(kind);
                for start in 0..text.len() {
                    builder.token(SyntaxKind::IDENT, text, start, 1);
                }
                builder.finish_node();
            }
        }
        builder.finish_node();
        let tree = builder.finish();
        let children: Vec<_> = tree.children().filter_map(NodeOrToken::into_node).collect();
        for (index, left) in children.iter().enumerate() {
            for (other, right) in children.iter().enumerate() {
                let same = left.kind() == right.kind() && left.to_string() == right.to_string();
                let one = std::ptr::eq(*left, *right);
                // Nodes of four children are not shared.
                let shared = left.children().len() <= SHARED_CHILDREN;
                assert_eq!(one, index == other || same && shared, "{left} {right}");
            }
        }
    }

    #[test]
    fn a_checkpoint_wraps_what_came_after_it() {
        let mut builder = Builder::new(0);
        builder.start_node(SyntaxKind::SOURCE_FILE);
        builder.token(SyntaxKind::IDENT, "abc", 0, 1);
        let checkpoint = builder.checkpoint();
        builder.token(SyntaxKind::IDENT, "abc", 1, 1);
        builder.start_node_at(checkpoint, SyntaxKind::NAME);
        builder.token(SyntaxKind::IDENT, "abc", 2, 1);
        builder.finish_node();
        builder.finish_node();
        let tree = builder.finish();
        let children: Vec<_> = tree.children().map(|it| it.to_string()).collect();
        assert_eq!(children, ["a", "bc"]);
    }
}
