//! A bit for each value and block.

use std::ops::Range;

use crate::flow::{
    graph::Graph,
    ids::{Accesses, BlockId},
    lists::Lists,
};

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
        let place_of = |value: u32| {
            let number = numbers[value as usize];
            range.contains(&number).then(|| place(number - range.start))
        };
        let mut replaced = zeros();
        for (block, steps) in graph.blocks.iter().enumerate() {
            if block.is_multiple_of(CHECK_INTERVAL) {
                check();
            }
            let base = block * words;
            for step in steps.clone().map(|it| it as usize) {
                for value in accesses.reads.get(step) {
                    if let Some((word, bit)) = place_of(*value)
                        && replaced[base + word] & bit == 0
                    {
                        it.read_from[base + word] |= bit;
                    }
                }
                for value in accesses.writes.get(step) {
                    if let Some((word, bit)) = place_of(*value) {
                        it.written_after[base + word] |= bit;
                        if !accesses.keeps[step] {
                            replaced[base + word] |= bit;
                        }
                    }
                }
            }
        }
        check();
        let all: Vec<BlockId> = (0..count as BlockId).collect();
        Spread {
            words,
            sources: &graph.successors,
            next: &graph.predecessors,
            stays: |at: usize| !replaced[at],
        }
        .run(all, &mut it.read_from, &mut it.read_after, check);
        check();
        // What is written where control never gets reaches nothing.
        for block in (0..count).filter(|it| !graph.reachable[*it]) {
            it.written_after[block * words..][..words].fill(0);
        }
        let reachable = (0..count).rev().filter(|it| graph.reachable[*it]);
        let reachable: Vec<BlockId> = reachable.map(|it| it as BlockId).collect();
        Spread {
            words,
            sources: &graph.predecessors,
            next: &graph.successors,
            stays: |_: usize| u64::MAX,
        }
        .run(
            reachable,
            &mut it.written_after,
            &mut it.written_before,
            check,
        );
        it
    }

    /// The numbers of the values that are live where a block starts, ascending.
    pub(super) fn live_in(&self, block: BlockId) -> impl Iterator<Item = u32> + '_ {
        numbers(self.first, self.words_in(block))
    }

    /// The numbers of the values that are live where a block ends, ascending.
    pub(super) fn live_out(&self, block: BlockId) -> impl Iterator<Item = u32> + '_ {
        numbers(self.first, self.words_out(block))
    }

    /// For each block the sum of the weights of the values that are live where it ends. Neighbouring blocks differ in few
    /// values, so each sum is computed from the one before it.
    pub(super) fn weights_out(&self, weight: impl Fn(u32) -> u32) -> Vec<u32> {
        let count = self.read_after.len().checked_div(self.words).unwrap_or(0);
        let mut before = vec![0; self.words];
        let mut sum = 0_u32;
        let mut sums = Vec::with_capacity(count);
        for block in 0..count as BlockId {
            for (index, word) in self.words_out(block).enumerate() {
                let old = std::mem::replace(&mut before[index], word);
                let first = self.first + index as u32 * 64;
                let sum_of = |word| numbers(first, [word].into_iter()).map(&weight).sum::<u32>();
                sum = sum + sum_of(word & !old) - sum_of(old & !word);
            }
            sums.push(sum);
        }
        sums
    }

    /// The number of the first value.
    pub(super) fn first(&self) -> u32 {
        self.first
    }

    /// The bits of the values that are live where a block starts.
    pub(super) fn words_in(&self, block: BlockId) -> impl Iterator<Item = u64> + '_ {
        self.both(&self.read_from, &self.written_before, block)
            .map(|it| it.0 & it.1)
    }

    /// The bits of the values that are live where a block ends.
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
        let (word, bit) = place(number - self.first);
        let at = block as usize * self.words + word;
        self.read_after[at] & self.written_after[at] & bit != 0
    }

    pub(super) fn is_undefined_in(&self, block: BlockId, number: u32) -> bool {
        let (word, bit) = place(number - self.first);
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

/// How bits spread from block to block, until nothing changes.
struct Spread<'a, S> {
    /// Words of 64 bits for each block.
    words: usize,
    /// From where a block gets bits,
    sources: &'a Lists,
    /// and which blocks get its own.
    next: &'a Lists,
    /// Which bits of a word pass through its block.
    stays: S,
}

impl<S: Fn(usize) -> u64> Spread<'_, S> {
    /// Begins with the last of some blocks. A block gets the bits that its sources `give`, and gives those that stay.
    fn run(&self, mut work: Vec<BlockId>, give: &mut [u64], get: &mut [u64], check: &dyn Fn()) {
        let words = self.words;
        let mut waiting = vec![false; give.len() / words];
        for block in &work {
            waiting[*block as usize] = true;
        }
        while let Some(block) = work.pop() {
            let block = block as usize;
            if block.is_multiple_of(CHECK_INTERVAL) {
                check();
            }
            waiting[block] = false;
            let base = block * words;
            for source in self.sources.get(block) {
                let source = *source as usize * words;
                for word in 0..words {
                    get[base + word] |= give[source + word];
                }
            }
            let mut changed = false;
            for at in base..base + words {
                let new = give[at] | get[at] & (self.stays)(at);
                changed |= new != give[at];
                give[at] = new;
            }
            if changed {
                for next in self.next.get(block) {
                    if !std::mem::replace(&mut waiting[*next as usize], true) {
                        work.push(*next);
                    }
                }
            }
        }
    }
}

/// The word of a block and the bit of it that an index has.
fn place(index: u32) -> (usize, u64) {
    (index as usize / 64, 1 << (index % 64))
}

/// The numbers whose bits are set.
pub(super) fn numbers(first: u32, words: impl Iterator<Item = u64>) -> impl Iterator<Item = u32> {
    (0..).zip(words).flat_map(move |(index, word): (u32, u64)| {
        let bits = std::iter::successors(Some(word), |it| Some(it & it.wrapping_sub(1)));
        let bits = bits.take_while(|it| *it != 0);
        bits.map(move |it| first + index * 64 + it.trailing_zeros())
    })
}
