//! The shadow of memory: for each word the accesses that later ones may race with.
//!
//! A word has a list of accesses in one arena, the oldest first. Pages of heads exist for what was accessed only, and the
//! page of the last access is remembered, since the lanes of a warp access neighbours: a look is an index, not a search.

use isa::strength::Scope;
use rustc_hash::FxHashMap;
use syntax::TextRange;

/// Bytes of a word: those of most elements, so that most accesses have a word for themselves.
pub(super) const WORD: u64 = 4;
/// Words of a page.
const PAGE: usize = 512;
/// The end of a list.
const NONE: u32 = u32::MAX;

/// An access of some bytes of a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) author: u32,
    pub(super) clock: u32,
    /// The warp that issued it.
    pub(super) view: u32,
    pub(super) time: u32,
    pub(super) lanes: u32,
    /// The bytes of the word.
    pub(super) bytes: u8,
    pub(super) writes: bool,
    pub(super) strong: bool,
    pub(super) scope: Scope,
    pub(super) atomic: bool,
    pub(super) asynchronous: bool,
    pub(super) by_proxy: bool,
    pub(super) in_order: bool,
    pub(super) pipelined: bool,
    pub(super) read_only: bool,
    pub(super) value: u64,
    pub(super) range: TextRange,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    entry: Entry,
    next: u32,
}

/// The accesses of all words.
#[derive(Clone, Debug)]
pub(super) struct Shadow {
    pages: FxHashMap<u64, u32>,
    /// The first node of each word.
    heads: Vec<[u32; PAGE]>,
    nodes: Vec<Node>,
    /// The first node that is not used.
    free: u32,
    /// The page of the last access, and its index.
    last: (u64, u32),
}

impl Default for Shadow {
    fn default() -> Shadow {
        Shadow {
            pages: FxHashMap::default(),
            heads: Vec::new(),
            nodes: Vec::new(),
            free: NONE,
            last: (u64::MAX, 0),
        }
    }
}

/// The end of the list of a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tail {
    page: u32,
    slot: usize,
    node: u32,
}

impl Shadow {
    fn page(&mut self, word: u64) -> u32 {
        let number = word / PAGE as u64;
        if self.last.0 != number {
            let next = self.heads.len() as u32;
            let index = *self.pages.entry(number).or_insert(next);
            if index == next {
                self.heads.push([NONE; PAGE]);
            }
            self.last = (number, index);
        }
        self.last.1
    }

    /// The accesses of a word, the oldest first.
    pub(super) fn of_word(&self, word: u64) -> impl Iterator<Item = &Entry> {
        let page = self.pages.get(&(word / PAGE as u64));
        let slot = (word % PAGE as u64) as usize;
        let mut node = page.map_or(NONE, |it| self.heads[*it as usize][slot]);
        std::iter::from_fn(move || {
            let found = self.nodes.get(node as usize)?;
            node = found.next;
            Some(&found.entry)
        })
    }

    /// Looks at the accesses of a word, the oldest first, and drops those for which `keep` is false.
    pub(super) fn retain(&mut self, word: u64, mut keep: impl FnMut(&mut Entry) -> bool) -> Tail {
        let page = self.page(word);
        let slot = (word % PAGE as u64) as usize;
        let head = &mut self.heads[page as usize][slot];
        let (mut node, mut last) = (*head, NONE);
        while node != NONE {
            let next = self.nodes[node as usize].next;
            if keep(&mut self.nodes[node as usize].entry) {
                last = node;
            } else {
                match last {
                    NONE => *head = next,
                    _ => self.nodes[last as usize].next = next,
                }
                self.nodes[node as usize].next = self.free;
                self.free = node;
            }
            node = next;
        }
        Tail {
            page,
            slot,
            node: last,
        }
    }

    /// Adds an access where all earlier ones of the word are by the same lane of the same warp, of the same bytes and
    /// before it: those are in order, and it takes the place of what it covers. Returns whether that is so; most
    /// accesses are of this kind.
    pub(super) fn add_own(&mut self, word: u64, entry: &Entry) -> bool {
        let is_plain = !(entry.atomic || entry.asynchronous || entry.by_proxy || entry.read_only);
        if !is_plain || entry.author != entry.view {
            return false;
        }
        let page = self.page(word) as usize;
        let slot = (word % PAGE as u64) as usize;
        let first = self.heads[page][slot];
        let (mut node, mut last, mut count) = (first, NONE, 0);
        while node != NONE {
            let Node { entry: old, next } = &self.nodes[node as usize];
            let is_own = old.author == entry.author
                && old.view == entry.view
                && old.lanes == entry.lanes
                && old.bytes == entry.bytes
                && old.time < entry.time
                && !old.asynchronous;
            if !is_own || count == 2 {
                return false;
            }
            count += 1;
            last = node;
            node = *next;
        }
        let replaced = match last {
            NONE => NONE,
            _ if entry.writes => first,
            // A read that follows a read takes its place; one that follows a write is added to it.
            _ if self.nodes[last as usize].entry.writes => NONE,
            _ => last,
        };
        match replaced {
            NONE => self.append(
                Tail {
                    page: page as u32,
                    slot,
                    node: last,
                },
                *entry,
            ),
            index => {
                let node = &mut self.nodes[index as usize];
                node.entry = *entry;
                let rest = std::mem::replace(&mut node.next, NONE);
                if rest != NONE {
                    self.nodes[rest as usize].next = self.free;
                    self.free = rest;
                }
            }
        }
        true
    }

    /// Adds an access to the end of a list that [`Shadow::retain`] has just returned.
    pub(super) fn append(&mut self, tail: Tail, entry: Entry) {
        let new = Node { entry, next: NONE };
        let index = match self.free {
            NONE => {
                self.nodes.push(new);
                self.nodes.len() as u32 - 1
            }
            free => {
                self.free = self.nodes[free as usize].next;
                self.nodes[free as usize] = new;
                free
            }
        };
        match tail.node {
            NONE => self.heads[tail.page as usize][tail.slot] = index,
            last => self.nodes[last as usize].next = index,
        }
    }
}
