//! The order in which warps run.

use std::sync::Arc;

use crate::{launch::Schedule, outcome::Ended};

use super::{
    Machine,
    block::{Block, Cluster},
    memory::{Bytes, Local},
    warp::{Frame, Group, LANES, State, Warp},
};

/// How many instructions a warp runs before another one does.
const QUANTUM: u32 = 64;
/// After so many turns without a block that ends, one more cluster runs beside the others: they may wait for it.
const PATIENCE: u64 = 4096;
/// How many clusters run at the same time at most.
const MOST_CLUSTERS: usize = 256;
/// Each so many turns of a warp, its groups take turns.
const FAIR: u64 = 16;

/// The order in which warps run.
#[derive(Clone, Debug)]
pub(super) struct Order {
    schedule: Schedule,
    random: u64,
    /// Turns so far.
    turns: u64,
    /// The turn at which a block ended last, or a cluster was added.
    pub(super) progress: u64,
    /// Whether a block has ended since clusters were removed.
    pub(super) block_ended: bool,
    /// The number of findings, and the step at which it changed last.
    findings: usize,
    found: u64,
}

impl Order {
    pub(super) fn new(schedule: Schedule) -> Order {
        let seed = match schedule {
            Schedule::Random(seed) => seed,
            _ => 0,
        };
        Order {
            schedule,
            random: seed ^ 0x9E37_79B9_7F4A_7C15,
            turns: 0,
            progress: 0,
            block_ended: false,
            findings: 0,
            found: 0,
        }
    }

    /// A number below another one, drawn with the seed (SplitMix64).
    pub(super) fn draw(&mut self, below: usize) -> usize {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % below.max(1) as u64) as usize
    }
}

/// Counts a turn of a warp; whether its groups take turns in it.
pub(super) fn begin_turn(warp: &mut Warp) -> bool {
    warp.turns += 1;
    warp.turns.is_multiple_of(FAIR) && warp.watch.turn().is_none()
}

impl Machine<'_> {
    /// Runs a warp for some instructions.
    pub(super) fn turn(&mut self) {
        if let Some((cluster, block, warp)) = self.choose() {
            self.run_warp(cluster, block, warp);
        }
    }

    /// The warp that runs next, by the indices of its cluster, its block and itself; there is none where the run ends or
    /// something else happens first.
    pub(super) fn choose(&mut self) -> Option<(usize, usize, usize)> {
        if self.steps >= self.launch.limits.steps {
            self.ended = Some(Ended::Limit);
            return None;
        }
        self.retire();
        self.end_after_findings();
        if self.ended.is_some() {
            return None;
        }
        if self.world.clusters.is_empty() && !self.start_cluster() {
            self.ended = Some(Ended::Finished);
            return None;
        }
        self.order.turns += 1;
        if self.order.turns - self.order.progress > PATIENCE
            && self.world.clusters.len() < MOST_CLUSTERS
        {
            self.start_cluster();
        }
        if self.queue.is_empty() {
            if self.spins() && !self.start_cluster() && !self.land_late() {
                self.report_deadlock(true);
                self.ended = Some(Ended::Deadlock);
                return None;
            }
            // What landed late may have ended the run.
            if self.ended.is_some() {
                return None;
            }
            self.fill_queue();
        }
        let Some(chosen) = self.queue.pop_front() else {
            // All of them wait. Others may be what they wait for.
            if self.world.clusters.len() < MOST_CLUSTERS && self.start_cluster() {
                return None;
            }
            if self.land_late() {
                return None;
            }
            self.report_deadlock(false);
            self.ended = Some(Ended::Deadlock);
            return None;
        };
        Some(chosen)
    }

    /// Ends a run long after its last finding.
    fn end_after_findings(&mut self) {
        let count = self.world.findings.all.len();
        if count != self.order.findings {
            self.order.findings = count;
            self.order.found = self.steps;
        }
        if count > 0 && self.steps - self.order.found > self.launch.limits.after_findings {
            self.ended = Some(Ended::Limit);
        }
    }

    fn run_warp(&mut self, cluster: usize, block: usize, number: usize) {
        let Some(place) = self
            .world
            .clusters
            .get_mut(cluster)
            .and_then(|it| it.blocks.get_mut(block))
            .and_then(|it| it.warps.get_mut(number))
        else {
            return;
        };
        let mut warp = std::mem::take(place);
        let changes = self.world.global.changes;
        warp.wake_pollers(changes);
        let fair = begin_turn(&mut warp);
        let quantum = self.quantum(&warp);
        let mut left = quantum;
        while left > 0 {
            warp.merge();
            let group = match fair {
                true => warp.next_in_turn(),
                false => warp.next(),
            };
            let Some(group) = group else {
                break;
            };
            let place = (cluster, block);
            // Groups that take turns do so after each instruction.
            let most = if fair && warp.groups.len() > 1 {
                0
            } else {
                left
            };
            let done = self.run_straight(place, &mut warp, group, most);
            left -= done;
            if done == 0 {
                left -= 1;
                self.steps += 1;
                self.step(place, &mut warp, group);
            }
            if self.ended.is_some() {
                break;
            }
        }
        self.end_turn(&mut warp, quantum - left, changes);
        if let Some(block) = self
            .world
            .clusters
            .get_mut(cluster)
            .and_then(|it| it.blocks.get_mut(block))
        {
            block.warps[number] = warp;
        }
    }

    /// How many instructions the warp of this turn runs.
    pub(super) fn quantum(&mut self, warp: &Warp) -> u32 {
        if let Some(turn) = warp.watch.turn() {
            return turn;
        }
        match self.order.schedule {
            Schedule::Random(_) => 1 + self.order.draw(QUANTUM as usize) as u32,
            _ => QUANTUM,
        }
    }

    /// The warps that can run, in the order of the schedule.
    fn fill_queue(&mut self) {
        let mut all = Vec::new();
        let changes = self.world.global.changes;
        for (cluster, it) in self.world.clusters.iter_mut().enumerate() {
            for (block, it) in it.blocks.iter_mut().enumerate() {
                it.warps.iter_mut().for_each(|it| it.wake_pollers(changes));
                let warps = it.warps.iter().enumerate();
                let ready = warps.filter(|it| it.1.can_run());
                all.extend(ready.map(|it| (cluster, block, it.0)));
            }
        }
        match self.order.schedule {
            Schedule::Lowest => {}
            Schedule::Reverse => all.reverse(),
            Schedule::Random(_) => {
                for index in (1..all.len()).rev() {
                    let other = self.order.draw(index + 1);
                    all.swap(index, other);
                }
            }
        }
        self.queue.extend(all);
    }

    /// Removes the clusters all of whose threads have ended.
    fn retire(&mut self) {
        if !std::mem::take(&mut self.order.block_ended) {
            return;
        }
        if self
            .world
            .clusters
            .iter()
            .any(|it| it.blocks.iter().all(|it| it.live == 0))
        {
            self.land_all();
        }
        let ended = self.world.clusters.iter();
        let ended = ended.filter(|it| it.blocks.iter().all(|it| it.live == 0));
        let warps = ended.flat_map(|it| &it.blocks).flat_map(|it| &it.warps);
        self.world.races.forget(warps.map(|it| it.clock));
        let before = self.world.clusters.len();
        self.world
            .clusters
            .retain(|it| it.blocks.iter().any(|it| it.live > 0));
        if self.world.clusters.len() != before {
            self.queue.clear();
            self.order.progress = self.order.turns;
        }
    }

    /// Whether one more cluster fits into the memory that a run may take, beside those that run. The first always does.
    fn has_room(&self) -> bool {
        let code = &self.code.functions[self.launch.entry as usize];
        let threads = self.launch.block.iter().map(|it| u64::from(*it));
        let warps = threads.product::<u64>().div_ceil(LANES as u64);
        let blocks = self.launch.cluster.iter().map(|it| u64::from(*it));
        let registers = u64::from(code.slots) * (LANES * 8) as u64;
        let one = blocks.product::<u64>() * (self.layouts.shared + warps * registers);
        let all = one.saturating_mul(self.world.clusters.len() as u64 + 1);
        self.world.clusters.is_empty() || all <= self.launch.limits.memory
    }

    /// Starts the next cluster; `false` if all have been started.
    fn start_cluster(&mut self) -> bool {
        if self.world.left.is_empty() || !self.has_room() {
            return false;
        }
        let Some((number, first)) = self.world.left.take() else {
            return false;
        };
        let shape = self.launch.cluster;
        let mut cluster = Cluster {
            number,
            ..Cluster::default()
        };
        for rank in 0..shape.iter().product::<u32>() {
            let inner = [
                rank % shape[0],
                rank / shape[0] % shape[1],
                rank / shape[0] / shape[1],
            ];
            let index = std::array::from_fn(|it| first[it] + inner[it]);
            cluster.blocks.push(self.new_block(index, rank));
        }
        self.world.clusters.push(cluster);
        self.order.progress = self.order.turns;
        self.queue.clear();
        true
    }

    fn new_block(&mut self, index: [u32; 3], rank: u32) -> Block {
        let threads: u32 = self.launch.block.iter().product();
        let grid = self.launch.grid.map(u64::from);
        let [x, y, z] = index.map(u64::from);
        let number = x + grid[0] * (y + grid[1] * z);
        let function = self.launch.entry as usize;
        let (local, _) = self.layouts.frames[function];
        let code = &self.code.functions[function];
        let mut warps = Vec::new();
        for warp in 0..threads.div_ceil(LANES as u32) {
            let lanes = match threads - warp * LANES as u32 {
                count @ ..32 => (1 << count) - 1,
                _ => u32::MAX,
            };
            let mut frame = Frame::new(function, code.slots as usize, lanes);
            frame.parameter_size = self.layouts.frames[function].1 as usize;
            frame.parameters = vec![0; frame.parameter_size * LANES];
            frame.local_end = local;
            frame.holes = Arc::clone(&self.layouts.local_holes[function]);
            warps.push(Warp {
                number: warp,
                clock: self.world.races.new_warp(number),
                live: lanes,
                groups: vec![Group {
                    lanes,
                    frame: 0,
                    pc: 0,
                    state: State::Ready,
                    polled: None,
                }],
                frames: vec![frame],
                local: vec![Local::default(); LANES],
                // What runs before the first meeting of lanes has a number too.
                time: 1,
                ..Warp::default()
            });
        }
        Block {
            index,
            number,
            rank,
            shared: Bytes::undefined(self.layouts.shared as usize),
            holes: Arc::clone(&self.layouts.holes),
            warps,
            live: threads,
            ..Block::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        launch::Limits,
        machine::{
            Machine,
            tests::{code, described},
        },
        outcome::Ended,
    };

    #[test]
    fn runs_with_findings_end() {
        let text = ".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b32 %r;
.reg .b64 %p;
ld.param.u64 %p, [out];
l: ld.global.u32 %r, [%p];
add.u32 %r, %r, 1;
st.global.u32 [%p], %r;
bra l;
}
";
        let code = code(text);
        let launch = "block = 32\nargs.out = { zeros = [1], type = 'u32' }";
        let limits = Limits {
            after_findings: 1000,
            ..Limits::default()
        };
        let launch = described(&code, launch, limits).unwrap();
        let mut machine = Machine::new(&code, launch).unwrap();
        assert!(machine.advance(1_000_000));
        let outcome = machine.outcome();
        assert_eq!(outcome.ended, Ended::Limit);
        assert!(!outcome.findings.is_empty() && outcome.steps < 10_000);
    }
}
