//! The shadow of memory: for each word the accesses that later ones may race with.
//!
//! A word has a list of accesses in one arena, the oldest first. Pages of heads exist for what was accessed only, and the
//! page of the last access is remembered, since the lanes of a warp access neighbours: a look is an index, not a search.
//! A line that only rows of lanes have accessed so far has a list of these and none for its words, see [`Shadow::add_row`]:
//! that is a thirtieth of the work and of the memory.

use isa::strength::Scope;
use rustc_hash::FxHashMap;
use syntax::TextRange;

use super::{
    clock::Moment,
    findings::lanes_of,
    stripe::{LINE, StripePart, WORD},
    warp::LANES,
};

/// Lines of a page.
const PAGE: usize = 16;
/// Rows of a line at most, so that a look at all of them is short.
const MOST_ROWS: usize = 8;
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
    /// Whether the same statement has written the location before, an asynchronous one.
    pub(super) repeats: bool,
    /// The value that is written to the word, see [`part`]; `None` if only memory has it.
    pub(super) value: Option<u32>,
    pub(super) range: TextRange,
    /// The times and statements of its lanes, by the index among them, if these differ; of atomic operations.
    pub(super) many: Option<u32>,
}

/// The last atomic operation of each lane of a warp on a word.
#[derive(Clone, Debug)]
struct Many {
    times: [u32; LANES],
    ranges: [TextRange; LANES],
}

impl Entry {
    /// Whether another access of its warp is the same for each lane that both have.
    pub(super) fn is_repeated_by(&self, new: &Entry) -> bool {
        self.is_like(new) && !self.asynchronous && self.bytes & !new.bytes == 0
    }

    /// Whether another access is by the same warp and of the same kind.
    fn is_like(&self, other: &Entry) -> bool {
        let kind = |it: &Entry| {
            let marks = (it.writes, it.strong, it.atomic, it.asynchronous);
            (
                it.author,
                it.view,
                it.scope,
                it.by_proxy,
                it.read_only,
                marks,
            )
        };
        kind(self) == kind(other)
    }

    /// The access as clocks know it.
    pub(super) fn moment(&self) -> Moment {
        Moment {
            source: self.author,
            number: self.clock,
            time: match self.author == self.view {
                true => self.time,
                false => self.clock,
            },
            lanes: self.lanes,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    entry: Entry,
    next: u32,
}

/// Accesses of words of a line by lanes of a warp.
#[derive(Clone, Debug)]
struct RowNode {
    /// The access by all of the lanes. Their values are in memory only.
    entry: Entry,
    row: StripePart,
    next: u32,
}

/// The lists of a page.
#[derive(Clone, Debug)]
struct Page {
    /// The first row of each line.
    rows: [u32; PAGE],
    /// The lists of the words of each line that has such.
    words: [u32; PAGE],
}

/// The accesses of all words.
#[derive(Clone, Debug)]
pub(super) struct Shadow {
    numbers: FxHashMap<u64, u32>,
    pages: Vec<Page>,
    /// For the lines that have lists of words, the first node of each word.
    lines: Vec<[u32; LINE as usize]>,
    nodes: Vec<Node>,
    /// The first node that is not used.
    free: u32,
    rows: Vec<RowNode>,
    /// The first row that is not used.
    free_row: u32,
    many: Vec<Many>,
    /// Those that are not used.
    free_many: Vec<u32>,
    /// The page of the last access, and its index.
    last: (u64, u32),
}

impl Default for Shadow {
    fn default() -> Shadow {
        Shadow {
            numbers: FxHashMap::default(),
            pages: Vec::new(),
            lines: Vec::new(),
            nodes: Vec::new(),
            free: NONE,
            rows: Vec::new(),
            free_row: NONE,
            many: Vec::new(),
            free_many: Vec::new(),
            last: (u64::MAX, 0),
        }
    }
}

/// The accesses of single lanes that an entry has.
fn parts(entry: Entry, many: &Many) -> impl Iterator<Item = Entry> + use<> {
    let (times, ranges) = (many.times, many.ranges);
    lanes_of(entry.lanes).map(move |lane| Entry {
        lanes: 1 << lane,
        time: times[usize::from(lane)],
        range: ranges[usize::from(lane)],
        many: None,
        ..entry
    })
}

/// The end of the list of a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tail {
    line: u32,
    slot: usize,
    node: u32,
}

/// The part of a value that is written to word number `index` of an access of `bytes` bytes.
pub(super) fn part(value: u64, bytes: u64, index: u64) -> u32 {
    match (bytes, index) {
        (..=WORD, _) | (8, 0) => value as u32,
        (8, _) => (value >> 32) as u32,
        // Such a value is a digest.
        _ => (value ^ value >> 32) as u32,
    }
}

impl Shadow {
    /// The page of a line, and its number there.
    fn page(&mut self, line: u64) -> (usize, usize) {
        let number = line / PAGE as u64;
        if self.last.0 != number {
            let next = self.pages.len() as u32;
            let index = *self.numbers.entry(number).or_insert(next);
            if index == next {
                self.pages.push(Page {
                    rows: [NONE; PAGE],
                    words: [NONE; PAGE],
                });
            }
            self.last = (number, index);
        }
        (self.last.1 as usize, (line % PAGE as u64) as usize)
    }

    /// The lists of the words of a line, which takes its rows apart.
    fn words(&mut self, line: u64) -> u32 {
        let (page, at) = self.page(line);
        let lists = self.pages[page].words[at];
        if lists != NONE {
            return lists;
        }
        let lists = self.lines.len() as u32;
        self.lines.push([NONE; LINE as usize]);
        self.pages[page].words[at] = lists;
        let mut node = std::mem::replace(&mut self.pages[page].rows[at], NONE);
        let mut ends = [NONE; LINE as usize];
        while node != NONE {
            let RowNode { entry, row, next } = self.rows[node as usize];
            for (word, lane) in row.each() {
                let slot = usize::from(word);
                let tail = Tail {
                    line: lists,
                    slot,
                    node: ends[slot],
                };
                let entry = Entry {
                    lanes: 1 << lane,
                    value: None,
                    ..entry
                };
                ends[slot] = self.append(tail, entry);
            }
            self.rows[node as usize].next = self.free_row;
            self.free_row = node;
            node = next;
        }
        lists
    }

    /// The accesses of a word, the oldest first.
    pub(super) fn of_word(&self, word: u64) -> Vec<Entry> {
        let (line, slot) = (word / LINE, (word % LINE) as usize);
        let Some(page) = self.numbers.get(&(line / PAGE as u64)) else {
            return Vec::new();
        };
        let (page, at) = (&self.pages[*page as usize], (line % PAGE as u64) as usize);
        let mut found = Vec::new();
        let mut row = page.rows[at];
        while let Some(it) = self.rows.get(row as usize) {
            if let Some((_, lane)) = it.row.each().find(|it| usize::from(it.0) == slot) {
                found.push(Entry {
                    lanes: 1 << lane,
                    ..it.entry
                });
            }
            row = it.next;
        }
        let lists = self.lines.get(page.words[at] as usize);
        let mut node = lists.map_or(NONE, |it| it[slot]);
        while let Some(it) = self.nodes.get(node as usize) {
            match it.entry.many {
                None => found.push(it.entry),
                Some(many) => found.extend(parts(it.entry, &self.many[many as usize])),
            }
            node = it.next;
        }
        found
    }

    /// Looks at the accesses of a word, the oldest first, and drops those for which `keep` is false. Accesses of lanes at
    /// different times are taken apart for it, unless `keep_whole` is true, which may also take lanes from them.
    pub(super) fn retain(
        &mut self,
        word: u64,
        mut keep_whole: impl FnMut(&mut Entry) -> bool,
        mut keep: impl FnMut(&mut Entry) -> bool,
    ) -> Tail {
        let line = self.words(word / LINE);
        let slot = (word % LINE) as usize;
        let head = &mut self.lines[line as usize][slot];
        let (mut node, mut last) = (*head, NONE);
        while node != NONE {
            let next = self.nodes[node as usize].next;
            let entry = &mut self.nodes[node as usize].entry;
            let many = entry.many;
            let is_kept = match many {
                None => keep(entry),
                Some(many) => {
                    if !keep_whole(entry) {
                        for mut part in parts(*entry, &self.many[many as usize]) {
                            if !keep(&mut part) {
                                entry.lanes &= !part.lanes;
                            }
                        }
                    }
                    entry.lanes != 0
                }
            };
            if is_kept {
                last = node;
            } else {
                match last {
                    NONE => *head = next,
                    _ => self.nodes[last as usize].next = next,
                }
                self.free_many.extend(many);
                self.nodes[node as usize].next = self.free;
                self.free = node;
            }
            node = next;
        }
        Tail {
            line,
            slot,
            node: last,
        }
    }

    /// Adds an access of whole words by lanes of a warp to a line that has only rows, each of which accesses the same
    /// words by the same lanes as `row`, or other words.
    ///
    /// `is_before` returns whether an access of another warp is ordered before the new one in all lanes; accesses of the
    /// same warp are, since each lane accesses the same words again. A row that is ordered before is replaced where
    /// [`Shadow::add_own`] replaces an access. Returns whether it was added: not if the line has other accesses, or a race is
    /// possible.
    pub(super) fn add_row(
        &mut self,
        line: u64,
        row: StripePart,
        entry: &Entry,
        mut is_before: impl FnMut(&Entry) -> bool,
    ) -> bool {
        let (page, at) = self.page(line);
        if self.pages[page].words[at] != NONE {
            return false;
        }
        let first = self.pages[page].rows[at];
        // The rows that it takes the place of, as a mask of their places in the list.
        let (mut replaced, mut count) = (0_u32, 0);
        let mut node = first;
        while node != NONE {
            let old = &self.rows[node as usize];
            if old.row.words & row.words != 0 {
                let is_own = old.entry.view == entry.view && old.entry.time < entry.time;
                if old.row != row || (old.entry.view == entry.view && !is_own) {
                    return false;
                }
                match is_own || is_before(&old.entry) {
                    true if entry.read_only && old.entry.writes => return false,
                    true if entry.writes || !old.entry.writes => replaced |= 1 << count,
                    true => {}
                    false if old.entry.writes || entry.writes => return false,
                    false => {}
                }
            }
            count += 1;
            node = old.next;
        }
        if count - replaced.count_ones() as usize >= MOST_ROWS {
            return false;
        }
        let (mut node, mut last, mut place) = (first, NONE, 0);
        while node != NONE {
            let next = self.rows[node as usize].next;
            if replaced >> place & 1 == 1 {
                match last {
                    NONE => self.pages[page].rows[at] = next,
                    _ => self.rows[last as usize].next = next,
                }
                self.rows[node as usize].next = self.free_row;
                self.free_row = node;
            } else {
                last = node;
            }
            place += 1;
            node = next;
        }
        let index = match self.free_row {
            NONE => {
                self.rows.push(RowNode {
                    entry: *entry,
                    row,
                    next: NONE,
                });
                self.rows.len() as u32 - 1
            }
            free => {
                let node = &mut self.rows[free as usize];
                self.free_row = std::mem::replace(&mut node.next, NONE);
                (node.entry, node.row) = (*entry, row);
                free
            }
        };
        match last {
            NONE => self.pages[page].rows[at] = index,
            _ => self.rows[last as usize].next = index,
        }
        true
    }

    /// Adds an access where all earlier ones of the word are by the same lane of the same warp, of the same bytes and
    /// before it: those are in order, and it takes the place of what it covers. Returns whether that is so; most
    /// accesses are of this kind.
    pub(super) fn add_own(&mut self, word: u64, entry: &Entry) -> bool {
        let is_plain = !(entry.asynchronous || entry.by_proxy || entry.read_only);
        if !is_plain || entry.author != entry.view {
            return false;
        }
        let line = self.words(word / LINE);
        let slot = (word % LINE) as usize;
        let first = self.lines[line as usize][slot];
        let (mut node, mut last, mut count) = (first, NONE, 0);
        while node != NONE {
            let Node { entry: old, next } = &self.nodes[node as usize];
            let is_own = old.author == entry.author
                && old.view == entry.view
                && old.lanes == entry.lanes
                && old.bytes == entry.bytes
                && old.time < entry.time
                && !old.asynchronous
                && old.many.is_none();
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
            NONE => {
                let tail = Tail {
                    line,
                    slot,
                    node: last,
                };
                self.append(tail, *entry);
            }
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

    /// Merges an atomic operation into the entry for operations of the same kind by its warp. Returns false if the list,
    /// which [`Shadow::retain`] has just returned, has no such entry.
    pub(super) fn join_atomic(&mut self, tail: Tail, entry: &Entry) -> bool {
        let mut node = self.lines[tail.line as usize][tail.slot];
        let is_joined = |old: &Entry| {
            old.is_like(entry) && old.clock == entry.clock && old.bytes == entry.bytes
        };
        while let Some(it) = self.nodes.get_mut(node as usize) {
            if !is_joined(&it.entry) {
                node = it.next;
                continue;
            }
            let index = it.entry.many.unwrap_or_else(|| {
                let all = Many {
                    times: [it.entry.time; LANES],
                    ranges: [it.entry.range; LANES],
                };
                match self.free_many.pop() {
                    Some(free) => {
                        self.many[free as usize] = all;
                        free
                    }
                    None => {
                        self.many.push(all);
                        self.many.len() as u32 - 1
                    }
                }
            });
            let all = &mut self.many[index as usize];
            for lane in lanes_of(entry.lanes).map(usize::from) {
                all.times[lane] = entry.time;
                all.ranges[lane] = entry.range;
            }
            it.entry.many = Some(index);
            it.entry.lanes |= entry.lanes;
            it.entry.value = None;
            return true;
        }
        false
    }

    /// Bytes that it takes, without what is reserved for more.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let pages = size_of_val(&self.pages[..]) + self.numbers.len() * size_of::<(u64, u32)>();
        let rows = size_of_val(&self.rows[..]) + size_of_val(&self.many[..]);
        pages + rows + size_of_val(&self.lines[..]) + size_of_val(&self.nodes[..])
    }

    /// Adds an access to the end of a list that [`Shadow::retain`] has just returned, and returns its node.
    pub(super) fn append(&mut self, tail: Tail, entry: Entry) -> u32 {
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
            NONE => self.lines[tail.line as usize][tail.slot] = index,
            last => self.nodes[last as usize].next = index,
        }
        index
    }
}
