//! A bit for each value and block.

use super::{Accesses, BlockId, Graph, Range};

/// Values at the borders of blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bits {
    /// The number of the first value.
    first: u32,
    /// Words of 64 bits for each block.
    words: usize,
    /// Read later, before any write that replaces the value.
    read_from: Vec<u64>,
    read_after: Vec<u64>,
    /// Written on some way to the block.
    written_before: Vec<u64>,
    written_after: Vec<u64>,
}

/// How often somebody may interrupt the work on a long function, in blocks.
const CHECK_INTERVAL: usize = 256;

impl Bits {
    /// The bits of the values with some of the numbers.
    pub(super) fn of(
        graph: &Graph,
        accesses: &Accesses<'_>,
        numbers: &[u32],
        range: Range<u32>,
        check: &dyn Fn(),
    ) -> Bits {
        let count = graph.blocks.len();
        let words = range.len().div_ceil(64);
        let zeros = || vec![0_u64; words * count];
        let mut it = Bits {
            first: range.start,
            words,
            read_from: zeros(),
            read_after: zeros(),
            written_before: zeros(),
            written_after: zeros(),
        };
        if words == 0 {
            return it;
        }
        let place = |value: u32| {
            let number = numbers[value as usize];
            range.contains(&number).then(|| it.place(number))
        };
        let (mut read_from, mut written_after) = (zeros(), zeros());
        let mut replaced = zeros();
        for (block, steps) in graph.blocks.iter().enumerate() {
            if block.is_multiple_of(CHECK_INTERVAL) {
                check();
            }
            let base = block * words;
            for step in steps.clone().map(|it| it as usize) {
                for value in accesses.reads.get(step) {
                    if let Some((word, bit)) = place(*value)
                        && replaced[base + word] & bit == 0
                    {
                        read_from[base + word] |= bit;
                    }
                }
                for value in accesses.writes.get(step) {
                    if let Some((word, bit)) = place(*value) {
                        written_after[base + word] |= bit;
                        if !accesses.keeps[step] {
                            replaced[base + word] |= bit;
                        }
                    }
                }
            }
        }
        it.read_from = read_from;
        it.written_after = written_after;
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

    /// The word of a block and the bit of a number of this range.
    fn place(&self, number: u32) -> (usize, u64) {
        let index = number - self.first;
        (index as usize / 64, 1 << (index % 64))
    }

    /// The numbers of the values that are alive where a block starts, ascending.
    pub(super) fn live_in(&self, block: BlockId) -> impl Iterator<Item = u32> + '_ {
        numbers(self.first, self.words_in(block))
    }

    /// The numbers of the values that are alive where a block ends, ascending.
    pub(super) fn live_out(&self, block: BlockId) -> impl Iterator<Item = u32> + '_ {
        numbers(self.first, self.words_out(block))
    }

    /// The number of the first value.
    pub(super) fn first(&self) -> u32 {
        self.first
    }

    /// The bits of the values that are alive where a block starts.
    pub(super) fn words_in(&self, block: BlockId) -> impl Iterator<Item = u64> + '_ {
        self.both(&self.read_from, &self.written_before, block)
            .map(|it| it.0 & it.1)
    }

    /// The bits of the values that are alive where a block ends.
    pub(super) fn words_out(&self, block: BlockId) -> impl Iterator<Item = u64> + '_ {
        self.both(&self.read_after, &self.written_after, block)
            .map(|it| it.0 & it.1)
    }

    /// The bits of the values that are read from a block on, and that no way to it writes.
    pub(super) fn words_undefined(&self, block: BlockId) -> impl Iterator<Item = u64> + '_ {
        self.both(&self.read_from, &self.written_before, block)
            .map(|it| it.0 & !it.1)
    }

    pub(super) fn is_live_out(&self, block: BlockId, number: u32) -> bool {
        let (word, bit) = self.place(number);
        let at = block as usize * self.words + word;
        self.read_after[at] & self.written_after[at] & bit != 0
    }

    pub(super) fn is_undefined_in(&self, block: BlockId, number: u32) -> bool {
        let (word, bit) = self.place(number);
        let at = block as usize * self.words + word;
        self.read_from[at] & !self.written_before[at] & bit != 0
    }

    fn both<'a>(
        &self,
        left: &'a [u64],
        right: &'a [u64],
        block: BlockId,
    ) -> impl Iterator<Item = (u64, u64)> + use<'a> {
        let words = block as usize * self.words..(block as usize + 1) * self.words;
        let right = right[words.clone()].iter().copied();
        left[words].iter().copied().zip(right)
    }
}

/// The numbers whose bits are set.
pub(super) fn numbers(first: u32, words: impl Iterator<Item = u64>) -> impl Iterator<Item = u32> {
    (0..).zip(words).flat_map(move |(index, word): (u32, u64)| {
        let bits = std::iter::successors(Some(word), |it| Some(it & it.wrapping_sub(1)));
        let bits = bits.take_while(|it| *it != 0);
        bits.map(move |it| first + index * 64 + it.trailing_zeros())
    })
}
