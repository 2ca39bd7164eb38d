//! The machine: warps of blocks run instructions on the one evaluator, in an order that a seed decides.

mod access;
mod asynchronous;
mod atomics;
mod block;
mod bulk;
mod call;
mod clock;
mod clusters;
mod conflict;
mod conversions;
mod cores;
mod ends;
mod fabric;
pub(crate) mod findings;
pub(crate) mod inspect;
mod knowledge;
mod launch;
mod map_writes;
mod maps;
#[cfg(test)]
mod matrices;
mod mbarrier;
mod mbarriers;
mod memory;
mod notes;
mod pending;
mod plain;
mod races;
mod records;
mod register_uses;
mod running;
mod sampling;
mod schedule;
mod shadow;
pub(crate) mod single;
mod sleep;
mod special;
mod spin;
mod step;
mod stripe;
pub(crate) mod sync;
mod system;
mod tensor_memory;
mod tensors;
#[cfg(test)]
mod tests;
mod texture;
mod textures;
mod transfers;
mod warp;
mod watch;
mod world;

use std::collections::VecDeque;

use analysis::code::Code;
use isa::compute::Machine as Evaluator;
use rustc_hash::FxHashSet;

use crate::{
    launch::Launch,
    outcome::{Ended, NotRun, Outcome, Related},
};

pub use launch::LaunchError;

use self::{
    asynchronous::Asynchronous,
    launch::Layouts,
    memory::Owner,
    schedule::Order,
    spin::Spins,
    warp::{LANES, Lanes},
    world::World,
};

/// A launch that runs.
#[derive(Clone)]
pub struct Machine<'a> {
    code: &'a Code,
    launch: Launch,
    layouts: Layouts,
    world: World,
    order: Order,
    spins: Spins,
    asynchronous: Asynchronous,
    ended: Option<Ended>,
    steps: u64,
    lane_instructions: u64,
    not_run: Vec<NotRun>,
    wrong_launch: Option<String>,
    approximated: FxHashSet<&'static str>,
    printed: String,
    evaluator: Evaluator<LANES>,
    single: Evaluator<1>,
    inputs: Vec<Lanes>,
    /// The address in tensor memory that was allocated last.
    allocated: u64,
    flipped: Vec<Lanes>,
    /// Heap allocations that a kernel made, for names.
    allocations: u32,
    /// The warps that run next, see [`schedule`].
    queue: VecDeque<(usize, usize, usize)>,
    /// The turn that is under way if it runs one instruction at a time.
    cursor: Option<single::Cursor>,
}

impl Machine<'_> {
    /// Runs so many instructions of warps, or until it ends; returns whether it has ended.
    pub fn advance(&mut self, steps: u64) -> bool {
        let end = self.steps.saturating_add(steps);
        while self.ended.is_none() && self.steps < end {
            self.turn();
        }
        self.ended.is_some()
    }

    /// The outcome up to here.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let count = self.launch.arrays.len();
        let mut arrays = vec![Vec::new(); count];
        let mut undefined = vec![Vec::new(); count];
        for allocation in &self.world.global.all {
            if let Owner::Array(index) = allocation.owner {
                arrays[index].clone_from(&allocation.data.bytes);
                undefined[index] = allocation.data.all_undefined();
            }
        }
        let mut findings = self.world.findings.clone();
        for (lane, at, conflict) in self.world.races.doubtful() {
            let related = Related {
                range: conflict.other,
                message: conflict.related.clone(),
            };
            let message = conflict.message.clone();
            findings.push(conflict.code, at, 1 << lane, message, vec![related]);
        }
        findings.drop_consequences();
        let mut approximated: Vec<&'static str> = self.approximated.iter().copied().collect();
        approximated.sort_unstable();
        Outcome {
            ended: self.ended.unwrap_or(Ended::Limit),
            steps: self.steps,
            lane_instructions: self.lane_instructions,
            findings: findings.all,
            arrays,
            undefined,
            not_run: self.not_run.clone(),
            wrong_launch: self.wrong_launch.clone(),
            approximated,
            printed: self.printed.clone(),
        }
    }
}
