//! The blocks of each value, as runs of blocks that follow each other in the text.

use std::ops::Range;

use crate::flow::ids::BlockId;

use super::bits::{Bits, numbers};

/// Values at the borders of blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Runs {
    live_in: Set,
    live_out: Set,
    undefined_in: Set,
}

/// The blocks of each value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Set {
    /// By number, then by block.
    runs: Vec<Run>,
    /// The indices of the runs that have a block in common with each stretch of [`Set::stretch`] blocks.
    near: Vec<Vec<u32>>,
    stretch: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    number: u32,
    blocks: Range<BlockId>,
}

/// The most stretches of a function: a value that is live everywhere is in the list of each of them.
const STRETCHES: usize = 128;

impl Runs {
    /// Collects the bits of a number of blocks, which come in parts, by their numbers.
    pub(super) fn of(parts: impl Iterator<Item = Bits>, count: usize) -> Runs {
        let mut it = Runs::default();
        for bits in parts {
            let first = bits.first();
            it.live_in.add(first, count, |it| bits.words_in(it));
            it.live_out.add(first, count, |it| bits.words_out(it));
            it.undefined_in
                .add(first, count, |it| bits.words_undefined(it));
        }
        for set in [&mut it.live_in, &mut it.live_out] {
            set.list(count);
        }
        it
    }

    /// The numbers of the values that are live where a block starts, ascending.
    pub(super) fn live_in(&self, block: BlockId) -> impl Iterator<Item = u32> + '_ {
        self.live_in.of(block)
    }

    /// The numbers of the values that are live where a block ends, ascending.
    pub(super) fn live_out(&self, block: BlockId) -> impl Iterator<Item = u32> + '_ {
        self.live_out.of(block)
    }

    /// For each block, up to the last with a value, the sum of the weights of the values that are live where it ends.
    pub(super) fn weights_out(&self, weight: impl Fn(u32) -> u32) -> Vec<u32> {
        let runs = &self.live_out.runs;
        let count = runs.iter().map(|it| it.blocks.end as usize).max();
        // How much more there is in a block than in the one before it, modulo 2^32.
        let mut sums = vec![0_u32; count.unwrap_or(0) + 1];
        for run in runs {
            let weight = weight(run.number);
            let [start, end] = [run.blocks.start, run.blocks.end].map(|it| it as usize);
            sums[start] = sums[start].wrapping_add(weight);
            sums[end] = sums[end].wrapping_sub(weight);
        }
        let mut sum = 0_u32;
        for it in &mut sums {
            sum = sum.wrapping_add(*it);
            *it = sum;
        }
        sums
    }

    pub(super) fn is_live_out(&self, block: BlockId, number: u32) -> bool {
        self.live_out.contains(block, number)
    }

    /// Whether any block has a value that no way to it writes.
    pub(super) fn any_undefined(&self) -> bool {
        !self.undefined_in.runs.is_empty()
    }

    pub(super) fn is_undefined_in(&self, block: BlockId, number: u32) -> bool {
        self.undefined_in.contains(block, number)
    }
}

impl Set {
    /// Adds the values from a number on.
    fn add<W: Iterator<Item = u64>>(
        &mut self,
        first: u32,
        count: usize,
        words: impl Fn(BlockId) -> W,
    ) {
        let from = self.runs.len();
        // The bits of the block before, and where the run of each value began.
        let mut last: Vec<u64> = Vec::new();
        let mut open: Vec<BlockId> = Vec::new();
        for block in 0..count as BlockId {
            if block == 0 {
                last.resize(words(block).count(), 0);
                open.resize(64 * last.len(), 0);
            }
            for (index, now) in words(block).enumerate() {
                let changed = std::mem::replace(&mut last[index], now) ^ now;
                for at in numbers(index as u32 * 64, std::iter::once(changed)) {
                    match now >> (at % 64) & 1 {
                        0 => self.runs.push(Run {
                            number: first + at,
                            blocks: open[at as usize]..block,
                        }),
                        _ => open[at as usize] = block,
                    }
                }
            }
        }
        for at in numbers(0, last.into_iter()) {
            self.runs.push(Run {
                number: first + at,
                blocks: open[at as usize]..count as BlockId,
            });
        }
        self.runs[from..].sort_unstable_by_key(|it| (it.number, it.blocks.start));
    }

    /// Notes which runs are near which blocks.
    fn list(&mut self, count: usize) {
        self.stretch = count.div_ceil(STRETCHES).max(1) as u32;
        self.near = vec![Vec::new(); count.div_ceil(self.stretch as usize)];
        for (index, run) in (0..).zip(&self.runs) {
            let near = run.blocks.start / self.stretch..=(run.blocks.end - 1) / self.stretch;
            for stretch in near {
                self.near[stretch as usize].push(index);
            }
        }
    }

    /// The numbers of the values that have a block.
    fn of(&self, block: BlockId) -> impl Iterator<Item = u32> + '_ {
        let near = &self.near[(block / self.stretch) as usize];
        let runs = near.iter().map(|it| &self.runs[*it as usize]);
        runs.filter(move |it| it.blocks.contains(&block))
            .map(|it| it.number)
    }

    fn contains(&self, block: BlockId, number: u32) -> bool {
        let before = |it: &Run| (it.number, it.blocks.start) <= (number, block);
        let run = self.runs[..self.runs.partition_point(before)].last();
        run.is_some_and(|it| it.number == number && it.blocks.contains(&block))
    }
}
