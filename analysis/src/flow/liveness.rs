//! Which values are live where: read later on some way, and written before on some way.
//!
//! Most values of a compiler's output live in one block only. Those that are read in a block before it
//! writes them are numbered, and only they take a bit per block. Where that would be too many bits, they are
//! found for some of the values at a time, and kept as runs of blocks.

mod bits;
mod runs;

use self::{bits::Bits, runs::Runs};
use super::{
    graph::Graph,
    ids::{Accesses, BlockId, Value},
};

/// Liveness at the borders of blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Liveness {
    /// The values that cross borders, by their numbers.
    crossing: Vec<Value>,
    /// The number of each value, or [`LOCAL`].
    numbers: Vec<u32>,
    borders: Borders,
}

/// The known facts about numbered values at the borders of blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Borders {
    /// A bit for each value and block.
    Bits(Bits),
    /// The blocks of each value, for functions with many values and many blocks.
    Runs(Runs),
}

impl Default for Borders {
    fn default() -> Self {
        Borders::Bits(Bits::default())
    }
}

/// Stands for a value that crosses no border.
const LOCAL: u32 = u32::MAX;
/// The most words of 64 bits that a set of values for each block may take: 8 MiB, and five of them are needed. A
/// function of 50,000 instructions as compilers write them takes a tenth of that.
const MOST_WORDS: usize = 1 << 20;

impl Liveness {
    /// Liveness of a graph with a number of values. `check` is called now and then, so that it can
    /// interrupt the work on a long function.
    pub(crate) fn of(
        graph: &Graph,
        accesses: &Accesses<'_>,
        values: usize,
        check: &dyn Fn(),
    ) -> Liveness {
        Liveness::within(MOST_WORDS, graph, accesses, values, check)
    }

    /// The same with a bound on the words of a set.
    pub(super) fn within(
        most: usize,
        graph: &Graph,
        accesses: &Accesses<'_>,
        values: usize,
        check: &dyn Fn(),
    ) -> Liveness {
        let count = graph.blocks.len();
        let (crossing, numbers) = crossing(graph, accesses, values);
        let bits = |range| Bits::of(graph, accesses, &numbers, range, check);
        let all = crossing.len() as u32;
        let borders = if crossing.len().div_ceil(64) * count <= most {
            Borders::Bits(bits(0..all))
        } else {
            let together = 64 * (most / count).max(1) as u32;
            let parts = (0..all).step_by(together as usize);
            let parts = parts.map(|it| bits(it..all.min(it.saturating_add(together))));
            Borders::Runs(Runs::of(parts, count))
        };
        Liveness {
            crossing,
            numbers,
            borders,
        }
    }

    /// The values that are live where a block starts.
    pub(crate) fn live_in(&self, block: BlockId) -> impl Iterator<Item = Value> + '_ {
        let numbers: Box<dyn Iterator<Item = u32> + '_> = match &self.borders {
            Borders::Bits(it) => Box::new(it.live_in(block)),
            Borders::Runs(it) => Box::new(it.live_in(block)),
        };
        numbers.map(|it| self.crossing[it as usize])
    }

    /// The values that are live where a block ends.
    pub(crate) fn live_out(&self, block: BlockId) -> impl Iterator<Item = Value> + '_ {
        let numbers: Box<dyn Iterator<Item = u32> + '_> = match &self.borders {
            Borders::Bits(it) => Box::new(it.live_out(block)),
            Borders::Runs(it) => Box::new(it.live_out(block)),
        };
        numbers.map(|it| self.crossing[it as usize])
    }

    /// For each block the sum of the weights of the values that are live where it ends.
    pub(crate) fn weights_out(&self, weight: impl Fn(Value) -> u32) -> Vec<u32> {
        let weight = |number: u32| weight(self.crossing[number as usize]);
        match &self.borders {
            Borders::Bits(it) => it.weights_out(weight),
            Borders::Runs(it) => it.weights_out(weight),
        }
    }

    /// Whether a value is live where a block ends.
    pub(crate) fn is_live_out(&self, block: BlockId, value: Value) -> bool {
        self.number(value).is_some_and(|it| match &self.borders {
            Borders::Bits(bits) => bits.is_live_out(block, it),
            Borders::Runs(runs) => runs.is_live_out(block, it),
        })
    }

    /// Whether a block reads a value first, or one after it, and no way to it writes that.
    pub(crate) fn is_undefined_in(&self, block: BlockId, value: Value) -> bool {
        self.number(value).is_some_and(|it| match &self.borders {
            Borders::Bits(bits) => bits.is_undefined_in(block, it),
            Borders::Runs(runs) => runs.is_undefined_in(block, it),
        })
    }

    /// Whether a block may have such a value.
    pub(crate) fn any_undefined_in(&self, block: BlockId) -> bool {
        match &self.borders {
            Borders::Bits(it) => it.words_undefined(block).any(|it| it != 0),
            Borders::Runs(it) => it.any_undefined(),
        }
    }

    fn number(&self, value: Value) -> Option<u32> {
        let number = self.numbers.get(value as usize).copied();
        number.filter(|it| *it != LOCAL)
    }
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
