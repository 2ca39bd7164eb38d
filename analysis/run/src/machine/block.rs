//! Blocks and clusters: shared memory, barriers, warps.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{
    mbarrier::Mbarrier,
    memory::Bytes,
    tensor_memory::{TENSOR_GRAIN, TENSOR_LANES, TensorCells},
    warp::Warp,
};

/// The address of the first byte of shared memory: variables begin at a multiple of 1,024 bytes, and a null pointer
/// means none.
pub(super) const SHARED_START: u64 = 1024;

/// A block.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// Its place in the grid.
    pub(super) index: [u32; 3],
    /// Its number in the grid.
    pub(super) number: u64,
    /// Its number in its cluster.
    pub(super) rank: u32,
    pub(super) shared: Bytes,
    /// The parts of shared memory between its variables, ascending, by their offsets; no access may touch them.
    pub(super) holes: Arc<[(u64, u64)]>,
    pub(super) barriers: FxHashMap<u32, Barrier>,
    /// The barriers at which a thread has waited, by number.
    pub(super) waited: u32,
    /// The mbarriers, by their offset in shared memory.
    pub(super) mbarriers: FxHashMap<usize, Mbarrier>,
    /// Tensor memory, once something is allocated there.
    pub(super) tensor: Option<Box<TensorCells>>,
    pub(super) warps: Vec<Warp>,
    /// The threads that have not ended.
    pub(super) live: u32,
    /// Whether a barrier of the cluster has let threads go, so that the other blocks know that it runs.
    pub(super) started: bool,
}

/// Bytes that the race detector reserves for the shared memory of a block.
const KEY_SPAN: u64 = 1 << 24;
impl Block {
    /// Whether bytes of shared memory belong to no variable.
    pub(super) fn is_hole(&self, offset: u64, bytes: u64) -> bool {
        let touches = |it: &(u64, u64)| offset < it.1 && it.0 < offset.saturating_add(bytes);
        self.holes.iter().any(touches)
    }

    /// Those by which the race detector knows the bytes of its shared memory.
    pub(super) fn shared_keys(&self) -> std::ops::Range<u64> {
        self.shared_key(0)..self.shared_key(self.shared.len())
    }

    /// The number by which the race detector knows a byte of shared memory.
    pub(super) fn shared_key(&self, offset: usize) -> u64 {
        (1 << 63) | (self.number * KEY_SPAN + offset as u64)
    }

    /// The number by which the race detector knows 16 lanes of a column of tensor memory, as if they were a byte.
    pub(super) fn tensor_key(&self, lane: u32, column: u32) -> u64 {
        let cell = u64::from(column) * u64::from(TENSOR_LANES / TENSOR_GRAIN);
        (1 << 62) | (self.number * KEY_SPAN + cell + u64::from(lane / TENSOR_GRAIN))
    }
}

/// A barrier of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Barrier {
    /// The threads for which it waits; 0 for all of the block.
    pub(super) expected: u32,
    /// Those that have arrived.
    pub(super) arrived: u32,
    /// Their lanes, each with the warp rank.
    pub(super) lanes: Vec<(u32, u32)>,
    /// Those that brought a true value.
    pub(super) some: u32,
    /// The warps whose clocks it has joined, for races.
    pub(super) clock: super::clock::Clock,
    /// Which instruction is waited at, for messages.
    pub(super) at: Option<syntax::TextRange>,
}

/// A cluster of blocks that run at the same time.
#[derive(Clone, Debug, Default)]
pub(super) struct Cluster {
    /// Its number among those of the launch.
    pub(super) number: u64,
    pub(super) blocks: Vec<Block>,
    /// Threads that have arrived at the barrier of the cluster.
    pub(super) arrived: u32,
    /// How often the barrier of the cluster let threads go.
    pub(super) generation: u64,
    pub(super) clock: super::clock::Clock,
    /// The knowledge of those that were let go last.
    pub(super) complete: super::clock::Clock,
    /// The knowledge of those that have arrived, be it released or not,
    pub(super) passing: super::clock::Clock,
    /// and those of all the times before.
    pub(super) passed: super::clock::Clock,
}
