//! Which values are alive where: read later on some way, and written before on some way.
//!
//! Most values of a compiler's output live in one block only. Those that are read in a block before it
//! writes them are numbered, and only they take a bit per block.

use super::{
    facts::Value,
    graph::{BlockId, Graph},
    lists::Lists,
};

/// What each instruction reads and writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accesses<'a> {
    /// The values that each instruction reads.
    pub(crate) reads: &'a Lists,
    /// The values that each instruction writes.
    pub(crate) writes: &'a Lists,
    /// Whether the old values may stay behind the writes of an instruction.
    pub(crate) keeps: &'a [bool],
}

/// Liveness at the borders of blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Liveness {
    /// The values that cross borders, by their bits.
    crossing: Vec<Value>,
    /// Words of 64 bits for each block.
    words: usize,
    /// Read later, before any write that replaces the value.
    read_from: Vec<u64>,
    read_after: Vec<u64>,
    /// Written on some way to the block.
    written_before: Vec<u64>,
    written_after: Vec<u64>,
}

/// Stands for a value that crosses no border.
const LOCAL: u32 = u32::MAX;
/// How often somebody may interrupt the work on a long function, in blocks.
const CHECK_INTERVAL: usize = 256;

impl Liveness {
    /// Liveness of a graph with a number of values. `check` is called now and then, so that it can
    /// interrupt the work on a long function.
    pub(crate) fn of(
        graph: &Graph,
        accesses: &Accesses<'_>,
        values: usize,
        check: &dyn Fn(),
    ) -> Liveness {
        let count = graph.blocks.len();
        let (crossing, bits) = crossing(graph, accesses, values);
        let words = crossing.len().div_ceil(64);
        let zeros = || vec![0_u64; words * count];
        let mut it = Liveness {
            crossing,
            words,
            read_from: zeros(),
            read_after: zeros(),
            written_before: zeros(),
            written_after: zeros(),
        };
        if words == 0 {
            return it;
        }
        let mut replaced = zeros();
        for (block, steps) in graph.blocks.iter().enumerate() {
            if block.is_multiple_of(CHECK_INTERVAL) {
                check();
            }
            let base = block * words;
            for step in steps.clone().map(|it| it as usize) {
                for value in accesses.reads.get(step) {
                    if let Some((word, bit)) = place(bits[*value as usize])
                        && replaced[base + word] & bit == 0
                    {
                        it.read_from[base + word] |= bit;
                    }
                }
                for value in accesses.writes.get(step) {
                    if let Some((word, bit)) = place(bits[*value as usize]) {
                        it.written_after[base + word] |= bit;
                        if !accesses.keeps[step] {
                            replaced[base + word] |= bit;
                        }
                    }
                }
            }
        }
        check();
        it.flow_back(graph, &replaced, check);
        check();
        it.flow_on(graph, check);
        it
    }

    fn flow_back(&mut self, graph: &Graph, replaced: &[u64], check: &dyn Fn()) {
        let words = self.words;
        let count = graph.blocks.len();
        let mut work: Vec<BlockId> = (0..count as BlockId).collect();
        let mut waiting = vec![true; count];
        while let Some(block) = work.pop() {
            let block = block as usize;
            if block.is_multiple_of(CHECK_INTERVAL) {
                check();
            }
            waiting[block] = false;
            let base = block * words;
            for next in graph.successors.get(block) {
                let next = *next as usize * words;
                for word in 0..words {
                    self.read_after[base + word] |= self.read_from[next + word];
                }
            }
            let mut changed = false;
            for (at, replaced) in (base..).zip(&replaced[base..base + words]) {
                let new = self.read_from[at] | self.read_after[at] & !replaced;
                changed |= new != self.read_from[at];
                self.read_from[at] = new;
            }
            if changed {
                for before in graph.predecessors.get(block) {
                    if !std::mem::replace(&mut waiting[*before as usize], true) {
                        work.push(*before);
                    }
                }
            }
        }
    }

    fn flow_on(&mut self, graph: &Graph, check: &dyn Fn()) {
        let words = self.words;
        let count = graph.blocks.len();
        // What is written where control never gets reaches nothing.
        for block in (0..count).filter(|it| !graph.reachable[*it]) {
            self.written_after[block * words..][..words].fill(0);
        }
        let reachable = (0..count).rev().filter(|it| graph.reachable[*it]);
        let mut work: Vec<BlockId> = reachable.map(|it| it as BlockId).collect();
        let mut waiting = graph.reachable.clone();
        while let Some(block) = work.pop() {
            let block = block as usize;
            if block.is_multiple_of(CHECK_INTERVAL) {
                check();
            }
            waiting[block] = false;
            let base = block * words;
            for before in graph.predecessors.get(block) {
                let before = *before as usize * words;
                for word in 0..words {
                    self.written_before[base + word] |= self.written_after[before + word];
                }
            }
            let mut changed = false;
            for at in base..base + words {
                let new = self.written_after[at] | self.written_before[at];
                changed |= new != self.written_after[at];
                self.written_after[at] = new;
            }
            if changed {
                for next in graph.successors.get(block) {
                    if !std::mem::replace(&mut waiting[*next as usize], true) {
                        work.push(*next);
                    }
                }
            }
        }
    }

    /// The values that are alive where a block starts.
    pub(crate) fn live_in(&self, block: BlockId) -> impl Iterator<Item = Value> + '_ {
        self.both(&self.read_from, &self.written_before, block)
    }

    /// The values that are alive where a block ends.
    pub(crate) fn live_out(&self, block: BlockId) -> impl Iterator<Item = Value> + '_ {
        self.both(&self.read_after, &self.written_after, block)
    }

    /// The values that a block reads first, or one behind it, and that no way to it writes.
    pub(crate) fn undefined_in(&self, block: BlockId) -> impl Iterator<Item = Value> + '_ {
        let base = block as usize * self.words;
        let words = (0..self.words)
            .map(move |it| self.read_from[base + it] & !self.written_before[base + it]);
        self.values(words)
    }

    fn both<'a>(
        &'a self,
        left: &'a [u64],
        right: &'a [u64],
        block: BlockId,
    ) -> impl Iterator<Item = Value> + 'a {
        let base = block as usize * self.words;
        self.values((0..self.words).map(move |it| left[base + it] & right[base + it]))
    }

    fn values<'a>(
        &'a self,
        words: impl Iterator<Item = u64> + 'a,
    ) -> impl Iterator<Item = Value> + 'a {
        words.enumerate().flat_map(move |(index, word)| {
            let bits = std::iter::successors(Some(word), |it| Some(it & it.wrapping_sub(1)));
            let bits = bits.take_while(|it| *it != 0);
            bits.map(move |it| self.crossing[index * 64 + it.trailing_zeros() as usize])
        })
    }
}

/// The word and the bit of a number; `None` for [`LOCAL`].
fn place(number: u32) -> Option<(usize, u64)> {
    (number != LOCAL).then(|| (number as usize / 64, 1 << (number % 64)))
}

/// The values that a block reads before it writes them, and the number of each value.
fn crossing(graph: &Graph, accesses: &Accesses<'_>, values: usize) -> (Vec<Value>, Vec<u32>) {
    let mut crossing = Vec::new();
    let mut bits = vec![LOCAL; values];
    // The last block that replaced each value.
    let mut replaced = vec![BlockId::MAX; values];
    for (block, steps) in graph.blocks.iter().enumerate() {
        for step in steps.clone().map(|it| it as usize) {
            for value in accesses.reads.get(step) {
                let at = *value as usize;
                if replaced[at] != block as BlockId && bits[at] == LOCAL {
                    bits[at] = crossing.len() as u32;
                    crossing.push(*value);
                }
            }
            if !accesses.keeps[step] {
                for value in accesses.writes.get(step) {
                    replaced[*value as usize] = block as BlockId;
                }
            }
        }
    }
    (crossing, bits)
}
