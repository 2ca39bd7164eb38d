//! Where threads meet: barriers of a block and of a cluster, and the lanes of a warp.

#[cfg(test)]
mod tests;

use analysis::code::{Event, Function, Instruction};
use isa::{
    compute::Op,
    event::EventKind,
    semantics::{Control, Order, Together},
};

use crate::outcome::{FindingCode, Related};

use super::{
    Machine,
    findings::{At, lane_ranges, lanes_of},
    running::Running,
    warp::{Group, LANES, State, Warp, first},
};

/// The fate of a group at an instruction at which threads meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Met {
    /// It waits.
    Waits,
    /// It runs the instruction.
    Goes,
    /// The same, with the threads of the barrier that brought a true value, and all.
    With(u64, u64),
}

fn event(instruction: &Instruction, is: impl Fn(EventKind) -> bool) -> Option<&Event> {
    instruction.events.iter().find(|it| is(it.kind))
}

fn is_barrier(kind: EventKind) -> bool {
    matches!(kind, EventKind::BlockSync | EventKind::BlockArrive)
}

/// Whether an instruction waits for warps: at a barrier of the block or of the cluster, or for a phase of an mbarrier.
pub(crate) fn waits_for_warps(instruction: &Instruction) -> bool {
    let kinds = |it| {
        let waits = matches!(
            it,
            EventKind::ClusterWait | EventKind::PhaseWait | EventKind::PhaseWaitRelaxed
        );
        is_barrier(it) || waits
    };
    event(instruction, kinds).is_some()
}

fn is_barrier_of_cluster(kind: EventKind) -> bool {
    matches!(kind, EventKind::ClusterArrive | EventKind::ClusterWait)
}

fn is_meeting_of_lanes(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::WarpSync | EventKind::WarpExchange | EventKind::Elect
    )
}

/// The message for a loop that waits for memory.
const ENDLESS: &str = "the warp repeats a loop forever: what it waits for changes no more";

/// The read of memory that a loop repeats which is at an instruction: the last one up to there, else the first one after.
fn polled(function: &Function, pc: u32) -> u32 {
    let reads = |it: &Instruction| {
        let steps = it.program.as_ref().map(|it| &it.steps);
        steps.is_some_and(|it| it.iter().any(|it| matches!(it, Op::Load { .. })))
    };
    let found = |it: &u32| function.instructions.get(*it as usize).is_some_and(reads);
    // The next jump back over the instruction closes the loop.
    let back = (pc..).zip(function.instructions.get(pc as usize..).unwrap_or_default());
    let mut back = back.filter_map(|(at, it)| {
        let first = it.targets.iter().copied().filter(|it| *it <= pc).min()?;
        Some((first, at))
    });
    let (first, last) = back.next().unwrap_or((pc.saturating_sub(64), pc));
    let before = (first..=pc).rev().find(found);
    before.or_else(|| (pc..=last).find(found)).unwrap_or(pc)
}

impl Machine<'_> {
    /// Whether threads meet at an instruction, so that those whose guard does not hold continue without them.
    pub(super) fn meets(instruction: &Instruction) -> bool {
        instruction.together != Together::Nobody
            || event(instruction, is_barrier).is_some()
            || event(instruction, |it| it == EventKind::ClusterWait).is_some()
    }

    /// Lets a group wait where it has to.
    pub(super) fn meet(
        &mut self,
        warp: &mut Warp,
        running: &mut Running,
        instruction: &Instruction,
        state: State,
    ) -> Met {
        if let State::Released { some, every } = state {
            return Met::With(some, every);
        }
        // A barrier of the block counts threads; that of a warp needs them at one place.
        if instruction.together == Together::Lanes || instruction.together == Together::Warp {
            if !self.meet_lanes(warp, running, instruction) {
                return Met::Waits;
            }
        } else if instruction.together == Together::Warpgroup
            && !self.gather(warp, running, warp.live)
        {
            return Met::Waits;
        }
        if instruction.together == Together::Warpgroup {
            *warp.in_group.entry(running.at.range).or_default() += 1;
        }
        if let Some(event) = event(instruction, is_barrier) {
            let arrives = event.kind == EventKind::BlockArrive;
            let operands = event.operands;
            return self.block_barrier(warp, running, instruction, operands, arrives);
        }
        // A fence between any two proxies counts, so that its absence is certain.
        if instruction.order == Order::Proxy {
            let races = &mut self.world.races;
            races.proxy_fence(warp.clock, running.active, warp.time, true);
        }
        for event in &instruction.events {
            match event.kind {
                EventKind::ClusterArrive => {
                    self.arrive_at_cluster(warp, running, instruction.order == Order::Release);
                }
                EventKind::ProxyFence => {
                    let races = &mut self.world.races;
                    races.proxy_fence(warp.clock, running.active, warp.time, false);
                }
                EventKind::FenceBefore => self.fence_products(warp, running),
                EventKind::FenceAfter => {
                    let races = &mut self.world.races;
                    races.fence_after(warp.clock, running.active);
                }
                EventKind::MapAcquire => self.acquire_map(warp, running, event),
                EventKind::TensorAlloc
                    if !self.allocate_columns(warp, running, instruction, event) =>
                {
                    return Met::Waits;
                }
                EventKind::TensorDealloc => self.free_columns(warp, running, event),
                EventKind::TensorRelinquish => self.relinquish(running),
                EventKind::ClusterWait if !self.passes_cluster(warp, running) => {
                    return Met::Waits;
                }
                _ => {}
            }
        }
        let orders = !matches!(
            instruction.order,
            Order::None | Order::Proxy | Order::Copies | Order::Volatile
        );
        let is_fence = orders
            && instruction.strength.scoped
            && instruction.control == Control::Next
            && event(instruction, is_barrier_of_cluster).is_none()
            // Lanes that meet order what they do for each other only.
            && event(instruction, is_meeting_of_lanes).is_none()
            && instruction
                .program
                .as_ref()
                .is_some_and(|it| it.places.is_empty());
        if is_fence {
            let scope = instruction.strength.scope;
            let thread = (warp.clock, warp.time);
            let both_ways = instruction.order == Order::All;
            let races = &mut self.world.races;
            races.fence(thread, running.active, scope, both_ways);
        }
        Met::Goes
    }

    /// Lets the lanes that must run an instruction together wait for each other; whether they are there.
    fn meet_lanes(
        &mut self,
        warp: &mut Warp,
        running: &mut Running,
        instruction: &Instruction,
    ) -> bool {
        let meeting = event(instruction, is_meeting_of_lanes);
        let mask = meeting.and_then(|it| it.operands[0]);
        let Some(mask) = mask else {
            // Without a mask it is those who are there, or the whole warp.
            return match instruction.together {
                Together::Warp => self.gather(warp, running, warp.live),
                _ => true,
            };
        };
        let (masks, _) = self.read(warp, running, mask, 32);
        let own = masks[first(running.active)] as u32;
        let class = lanes_of(running.active).filter(|it| masks[usize::from(*it)] as u32 == own);
        let class = class.fold(0_u32, |all, it| all | 1 << it);
        if class & !own != 0 {
            let message = format!("the mask {own:#010x} lacks lanes that run this instruction");
            let lanes = class & !own;
            let (code, at) = (FindingCode::InvalidMask, &running.at);
            self.world
                .findings
                .push(code, at, lanes, message, Vec::new());
        }
        if class != running.active {
            self.split(warp, running, class);
        }
        if !self.gather(warp, running, own & warp.live | class) {
            return false;
        }
        let orders = meeting.is_some_and(|it| it.kind == EventKind::WarpSync);
        if orders {
            let all = running.active == warp.live;
            let lanes = if all { u32::MAX } else { running.active };
            self.world.races.meet(warp.clock, lanes, warp.time);
        }
        true
    }

    /// Leaves only some lanes of a group at the instruction; the others come to it as a group of their own.
    fn split(&mut self, warp: &mut Warp, running: &mut Running, lanes: u32) {
        let group = &mut warp.groups[running.group];
        let rest = Group {
            lanes: group.lanes & !lanes,
            state: State::Ready,
            ..*group
        };
        group.lanes = lanes;
        running.active = lanes;
        warp.groups.push(rest);
    }

    /// Brings the lanes that an instruction needs into the group that runs it, if all are there.
    fn gather(&mut self, warp: &mut Warp, running: &mut Running, needed: u32) -> bool {
        let Group {
            lanes, frame, pc, ..
        } = warp.groups[running.group];
        let mut present = lanes;
        let mut others = Vec::new();
        for (index, group) in warp.groups.iter().enumerate() {
            let waits = matches!(group.state, State::ForLanes { .. } | State::Ready);
            let is_here = index != running.group && group.pc == pc && waits;
            if is_here && warp.are_alike(group.frame, frame) {
                present |= group.lanes;
                others.push(index);
            }
        }
        if needed & !present != 0 {
            warp.groups[running.group].state = State::ForLanes { mask: needed };
            return false;
        }
        for index in others {
            let group = &mut warp.groups[index];
            let (from, moved) = (group.frame, group.lanes & needed);
            group.lanes &= !needed;
            warp.move_lanes(from, frame, moved);
        }
        let extra = lanes & !needed;
        warp.groups[running.group].lanes = needed;
        running.active = needed;
        if extra != 0 {
            warp.groups.push(Group {
                lanes: extra,
                frame,
                pc,
                state: State::Ready,
                polled: None,
            });
        }
        true
    }

    /// A barrier of the block.
    fn block_barrier(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        instruction: &Instruction,
        operands: [Option<analysis::code::Source>; 2],
        arrives: bool,
    ) -> Met {
        let lane = first(running.active);
        let read = |machine: &Self, source: Option<analysis::code::Source>| {
            source.map(|it| machine.read(warp, running, it, 32).0[lane] as u32)
        };
        let barrier = read(self, operands[0]).unwrap_or(0);
        let expected = read(self, operands[1]).unwrap_or(0);
        let some = match instruction.program.as_ref().and_then(|it| it.participants) {
            Some(node) => self.count_true(warp, running, instruction, node),
            None => 0,
        };
        if !expected.is_multiple_of(LANES as u32) {
            let message = format!(
                "the number of threads at a barrier must be a multiple of {LANES}, and it is {expected}"
            );
            self.report(FindingCode::UnspecifiedOperand, running, message);
        }
        self.compare_counts(running, barrier, expected);
        let clock = self.release(warp, running);
        let count = running.active.count_ones();
        let block = &mut self.world.clusters[running.cluster].blocks[running.block];
        let state = block.barriers.entry(barrier).or_default();
        // Where the numbers differ, nobody goes before the larger one.
        state.expected = state.expected.max(expected);
        state.arrived += count;
        match state.lanes.iter_mut().find(|it| it.0 == warp.number) {
            Some(it) => it.1 |= running.active,
            None => state.lanes.push((warp.number, running.active)),
        }
        state.some += some;
        state.clock.join(&clock);
        state.at = Some(running.at.range);
        if !arrives {
            block.waited |= 1 << (barrier % 32);
            warp.groups[running.group].state = State::AtBarrier { barrier };
        }
        self.open_barrier(running, barrier, warp);
        if arrives {
            return Met::Goes;
        }
        // The last one to come has been let go already.
        match warp.groups[running.group].state {
            State::Released { some, every } => Met::With(some, every),
            _ => Met::Waits,
        }
    }

    /// The knowledge that the lanes of a group bring to a barrier.
    fn release(&mut self, warp: &Warp, running: &Running) -> super::clock::Clock {
        let (races, lanes) = (&mut self.world.races, running.active);
        match lanes == warp.live {
            true => races.release(warp.clock),
            false => races.release_lanes(warp.clock, lanes, warp.time),
        }
    }

    /// Reports a thread that comes to a barrier with another number than those before it.
    fn compare_counts(&mut self, running: &Running, barrier: u32, expected: u32) {
        let block = &self.world.clusters[running.cluster].blocks[running.block];
        let Some(state) = block.barriers.get(&barrier).filter(|it| it.arrived > 0) else {
            return;
        };
        let (Some(at), before) = (state.at, state.expected) else {
            return;
        };
        // Without a number it is all of the block.
        if before == expected || before == 0 || expected == 0 {
            return;
        }
        let message = format!(
            "this thread waits for {expected} threads at barrier {barrier}, and those that have come wait for {before}"
        );
        let related = vec![Related {
            range: at,
            message: "the other number".to_owned(),
        }];
        let (code, lanes) = (FindingCode::DivergentSync, running.active);
        self.world
            .findings
            .push(code, &running.at, lanes, message, related);
    }

    fn count_true(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        instruction: &Instruction,
        node: u32,
    ) -> u32 {
        let Some(program) = &instruction.program else {
            return 0;
        };
        self.read_inputs(warp, running, &program.inputs, &instruction.sources);
        let values = self.value_of(warp, running, program, node);
        let lanes = lanes_of(running.active);
        lanes.filter(|it| values[usize::from(*it)] & 1 == 1).count() as u32
    }

    /// Lets the threads of a barrier go if all have arrived. `warp` is the one that runs, which is not in its block.
    fn open_barrier(&mut self, running: &Running, barrier: u32, warp: &mut Warp) {
        let cluster = &mut self.world.clusters[running.cluster];
        let block = &mut cluster.blocks[running.block];
        let live = block.live;
        let Some(state) = block.barriers.get(&barrier) else {
            return;
        };
        // A warp whose lanes have all come or ended counts as a whole one.
        let threads = |&(number, lanes): &(u32, u32)| {
            let live = match number == warp.number {
                true => warp.live,
                false => block.warps.get(number as usize).map_or(0, |it| it.live),
            };
            match live & !lanes {
                0 => LANES as u32,
                _ => lanes.count_ones(),
            }
        };
        let is_open = match state.expected {
            0 => state.arrived >= live,
            expected => state.lanes.iter().map(threads).sum::<u32>() >= expected,
        };
        if state.arrived == 0 || !is_open {
            return;
        }
        let Some(state) = block.barriers.remove(&barrier) else {
            return;
        };
        let released = State::Released {
            some: state.some.into(),
            every: state.arrived.into(),
        };
        let races = &mut self.world.races;
        let mut open = |warp: &mut Warp| {
            let mut lanes = 0;
            for group in &mut warp.groups {
                if group.state == (State::AtBarrier { barrier }) {
                    group.state = released;
                    lanes |= group.lanes;
                }
            }
            if lanes != 0 {
                let all = if lanes == warp.live { u32::MAX } else { lanes };
                races.acquire(warp.clock, all, &state.clock);
                races.meet(warp.clock, all, warp.time);
            }
        };
        open(warp);
        block.warps.iter_mut().for_each(&mut open);
    }

    /// All threads of a block have ended: reports accesses of its shared memory by other blocks that may come later.
    pub(super) fn check_readers(&mut self, running: &Running, warp: &Warp) {
        let cluster = &self.world.clusters[running.cluster];
        let block = &cluster.blocks[running.block];
        // The one that runs is not in its block.
        let others = block.warps.iter().filter(|it| it.number != warp.number);
        let mut warps = vec![warp.clock];
        warps.extend(others.filter(|it| it.has_started()).map(|it| it.clock));
        let races = &self.world.races;
        if cluster.blocks.len() == 1 && !warps.iter().any(|it| races.copies(*it)) {
            return;
        }
        let keys = block.shared_keys();
        let found = self
            .world
            .races
            .unordered_before(keys, &warps, &cluster.passed);
        let mut reports = self.asynchronous.unread(&warps);
        for (range, view, lanes) in found {
            let own = (running.at.block, warp.number, warp.clock);
            let others = cluster.blocks.iter().flat_map(|block| {
                let warps = block.warps.iter();
                warps.map(move |it| (block.index, it.number, it.clock))
            });
            let found = std::iter::once(own).chain(others).find(|it| it.2 == view);
            if let Some((block, warp, _)) = found {
                reports.push((At { range, block, warp }, lanes));
            }
        }
        for (at, lanes) in reports {
            let message = "the block with this shared memory may have ended: nothing orders its end after this access";
            let related = vec![Related {
                range: running.at.range,
                message: "the block ends".to_owned(),
            }];
            let code = FindingCode::UseAfterReturn;
            self.world
                .findings
                .push(code, &at, lanes, message.to_owned(), related);
        }
    }

    /// Threads have ended: barriers no longer wait for them.
    pub(super) fn after_end(&mut self, running: &Running, warp: &mut Warp) {
        for group in &mut warp.groups {
            if matches!(group.state, State::ForLanes { .. }) {
                group.state = State::Ready;
            }
        }
        let block = &self.world.clusters[running.cluster].blocks[running.block];
        let barriers: Vec<u32> = block.barriers.keys().copied().collect();
        for barrier in barriers {
            self.open_barrier(running, barrier, warp);
        }
        self.open_cluster(running, warp);
    }

    /// Threads arrive at the barrier of the cluster; without a release only what a fence has released is seen by others.
    fn arrive_at_cluster(&mut self, warp: &mut Warp, running: &Running, releases: bool) {
        if warp.at_cluster & running.active != 0 {
            let message = "the threads have arrived at the barrier of the cluster before, and not waited since";
            self.report(FindingCode::DivergentSync, running, message.to_owned());
        }
        warp.at_cluster |= running.active;
        let fenced = self.world.races.fenced(warp.clock, running.active, true);
        let clock = self.release(warp, running);
        let cluster = &mut self.world.clusters[running.cluster];
        cluster.arrived += running.active.count_ones();
        cluster.passing.join(&clock);
        cluster.clock.join(if releases { &clock } else { &fenced });
        warp.cluster_phase = cluster.generation + 1;
        self.open_cluster(running, warp);
    }

    fn open_cluster(&mut self, running: &Running, warp: &mut Warp) {
        let cluster = &mut self.world.clusters[running.cluster];
        let live: u32 = cluster.blocks.iter().map(|it| it.live).sum();
        if cluster.arrived == 0 || cluster.arrived < live {
            return;
        }
        cluster.arrived = 0;
        cluster.generation += 1;
        cluster.complete = std::mem::take(&mut cluster.clock);
        let passing = std::mem::take(&mut cluster.passing);
        cluster.passed.join(&passing);
        cluster.blocks.iter_mut().for_each(|it| it.started = true);
        let open = |warp: &mut Warp| {
            for group in &mut warp.groups {
                if group.state == State::AtCluster {
                    group.state = State::Ready;
                }
            }
        };
        open(warp);
        let blocks = cluster.blocks.iter_mut();
        blocks.flat_map(|it| &mut it.warps).for_each(open);
    }

    /// Whether the barrier of the cluster lets a group go; else it waits.
    fn passes_cluster(&mut self, warp: &mut Warp, running: &Running) -> bool {
        if running.active & !warp.at_cluster != 0 {
            let message = "the threads wait at the barrier of the cluster without having arrived";
            self.report(FindingCode::DivergentSync, running, message.to_owned());
        }
        let cluster = &self.world.clusters[running.cluster];
        if cluster.generation < warp.cluster_phase {
            warp.groups[running.group].state = State::AtCluster;
            return false;
        }
        warp.at_cluster &= !running.active;
        let clock = cluster.complete.clone();
        let all = running.active == warp.live;
        let lanes = if all { u32::MAX } else { running.active };
        self.world.races.acquire(warp.clock, lanes, &clock);
        self.world.races.meet(warp.clock, lanes, warp.time);
        true
    }

    /// Says who waits for what, when nothing can run.
    pub(super) fn report_deadlock(&mut self, spins: bool) {
        self.check_all_submitted();
        let code = self.code;
        let mut waits = Vec::new();
        for cluster in &self.world.clusters {
            for block in &cluster.blocks {
                for warp in &block.warps {
                    for group in &warp.groups {
                        let function = &code.functions[warp.frames[group.frame].function];
                        // Who polls waits where it looked last.
                        let place = match (group.state, group.polled) {
                            (State::Polls { .. }, Some((pc, _))) => pc,
                            (State::Spins { .. }, _) => polled(function, group.pc),
                            (State::Ready, _) if spins => polled(function, group.pc),
                            _ => group.pc,
                        };
                        let instruction = function.instructions.get(place as usize);
                        let range = instruction.map_or(function.name_range, |it| it.range);
                        let at = At {
                            range,
                            block: block.index,
                            warp: warp.number,
                        };
                        let meeting = instruction.and_then(|it| event(it, is_meeting_of_lanes));
                        let has_mask = meeting.is_some_and(|it| it.operands[0].is_some());
                        waits.push((at, *group, block.live, has_mask));
                        let barrier = match group.state {
                            State::AtBarrier { barrier } => block.barriers.get(&barrier),
                            _ => None,
                        };
                        let last = waits.len() - 1;
                        waits[last].2 = match barrier {
                            Some(it) if it.expected > 0 => it.expected,
                            _ => block.live,
                        };
                    }
                }
            }
        }
        let places = waits.iter().map(|it| it.0.range);
        let places: rustc_hash::FxHashSet<_> = places.collect();
        for (at, group, expected, has_mask) in &waits {
            let (code, message) = match group.state {
                State::AtBarrier { barrier } => (
                    FindingCode::Deadlock,
                    format!(
                        "the warp waits at barrier {barrier} for {expected} threads, and the others do not come"
                    ),
                ),
                State::ForLanes { mask } => {
                    let missing = lane_ranges(mask & !group.lanes);
                    let code = match has_mask {
                        true => FindingCode::InvalidMask,
                        false => FindingCode::DivergentSync,
                    };
                    (
                        code,
                        format!("the instruction waits for lanes {missing}, which are elsewhere"),
                    )
                }
                State::AtCluster => (
                    FindingCode::Deadlock,
                    "the warp waits for the other blocks of the cluster, which do not come"
                        .to_owned(),
                ),
                State::Polls { .. } => (
                    FindingCode::Deadlock,
                    "the warp waits for a phase of an mbarrier that nothing completes any more"
                        .to_owned(),
                ),
                State::Spins { .. } => (FindingCode::Deadlock, ENDLESS.to_owned()),
                State::Ready if spins => (FindingCode::Deadlock, ENDLESS.to_owned()),
                State::Ready | State::Released { .. } => continue,
            };
            let others = places.iter().filter(|it| **it != at.range);
            let mut others: Vec<_> = others.collect();
            others.sort_by_key(|it| it.start());
            let related = others.into_iter().take(4).map(|range| Related {
                range: *range,
                message: "other threads wait here".to_owned(),
            });
            let related = related.collect();
            self.world
                .findings
                .push(code, at, group.lanes, message, related);
        }
    }
}
