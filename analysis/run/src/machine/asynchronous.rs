//! Asynchronous operations: copies that land at once or as late as allowed, and the groups that wait for them.

#[cfg(test)]
mod tests;

use std::{collections::VecDeque, sync::Arc};

use analysis::code::{Event, Instruction, Slot, Source};
use isa::{
    compute::{Program, Surroundings, Until},
    event::{EventKind, Group},
};
use rustc_hash::FxHashMap;

use crate::outcome::FindingCode;

use super::{
    Machine,
    access::Region,
    bulk::write_bulk,
    clock::Clock,
    fabric::{FABRIC_LAYOUT, fabric_group, is_submitted},
    findings::{At, lanes_of},
    mbarriers,
    races::{Kind, Thread},
    running::{Running, kind_of},
    warp::{LANES, Lanes, Warp},
};

/// The operations that have not landed, and the groups of warps.
#[derive(Clone, Debug, Default)]
pub(super) struct Asynchronous {
    /// Those of each lane that have not been closed into a group, and the groups that were, the oldest first.
    lanes: FxHashMap<(usize, u8, Group), Groups>,
    /// Operations that land at an mbarrier, the oldest first.
    pending: VecDeque<Operation>,
}

#[derive(Clone, Debug, Default)]
struct Groups {
    open: Vec<Operation>,
    closed: VecDeque<Vec<Operation>>,
    /// How many groups were closed.
    count: u32,
}

/// An operation of a lane that has not landed.
#[derive(Clone, Debug)]
struct Operation {
    program: Arc<Program>,
    inputs: Vec<[u64; 1]>,
    lane: usize,
    /// The number of the cluster.
    cluster: u64,
    block: usize,
    running: Running,
    thread: Thread,
    kind: Kind,
    /// Its registers, if a tensor core does it.
    core: Option<Box<Core>>,
    /// The knowledge of those that see its arrival, if it differs from that of its thread.
    knows: Option<Clock>,
    /// For an arrival that follows copies: their source, and how much of it is before.
    copies: Option<(usize, u32)>,
}

/// The registers of an operation of a tensor core.
#[derive(Clone, Debug)]
pub(super) struct Core {
    /// The inputs of its program when it was issued.
    pub(super) inputs: Vec<Lanes>,
    /// Where they come from.
    pub(super) sources: Vec<Source>,
    /// Where its results go.
    pub(super) destinations: Vec<Option<Slot>>,
    /// The instruction, for messages.
    pub(super) name: Arc<str>,
}

/// The kinds of groups that a warp or its lanes wait for.
const GROUPS: [Group; 7] = [
    Group::Copy,
    Group::Bulk,
    Group::Wgmma,
    Group::TensorLoad,
    Group::TensorStore,
    Group::Fabric,
    Group::Fetch,
];

/// The number that an operation of a whole warp has in place of a lane.
const WHOLE_WARP: u8 = LANES as u8;
/// Whether the operations of a warp are committed and waited for as a whole, and not those of each lane.
fn is_of_warp(group: Group) -> bool {
    !matches!(group, Group::Copy | Group::Bulk) && !is_submitted(group)
}

/// The lanes whose groups an instruction of some lanes is about.
fn members(group: Group, active: u32) -> u32 {
    match is_of_warp(group) {
        true => 1,
        false => active,
    }
}

fn group_of(until: Option<Until>) -> Option<Group> {
    match until {
        Some(Until::Group("copy")) => Some(Group::Copy),
        Some(Until::Group("bulk")) => Some(Group::Bulk),
        Some(Until::Group("wgmma")) => Some(Group::Wgmma),
        Some(Until::Group("tensor-load")) => Some(Group::TensorLoad),
        Some(Until::Group("tensor-store")) => Some(Group::TensorStore),
        Some(Until::Group("tensor-mma")) => Some(Group::TensorMma),
        _ => None,
    }
}

impl Asynchronous {
    /// The copies out of shared memory by some warps that nothing has waited for, with their lanes.
    pub(super) fn unread(&self, warps: &[usize]) -> Vec<(At, u32)> {
        let lanes = self.lanes.iter();
        let own = lanes.filter(|it| it.0.2 == Group::Bulk && warps.contains(&it.0.0));
        let operations = own.flat_map(|it| it.1.closed.iter().flatten().chain(&it.1.open));
        let mut found: Vec<(At, u32)> = Vec::new();
        for operation in operations {
            let (at, lanes) = (operation.running.at, 1 << operation.lane);
            match found.iter_mut().find(|it| it.0.range == at.range) {
                Some(it) => it.1 |= lanes,
                None => found.push((at, lanes)),
            }
        }
        found
    }

    /// Takes a group of submitted operations that have not landed: the oldest one of a lane.
    fn oldest_submitted(&mut self) -> Vec<Operation> {
        let waits = |it: &(&(usize, u8, Group), &mut Groups)| {
            is_submitted(it.0.2) && it.1.closed.iter().any(|it| !it.is_empty())
        };
        let found = self.lanes.iter_mut().filter(waits);
        let first = found.min_by_key(|it| (it.0.0, it.0.1, it.0.2 == Group::Fetch));
        let closed = first.map(|it| &mut it.1.closed);
        let mut all = closed.into_iter().flatten();
        all.find(|it| !it.is_empty())
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// How many operations of a warp have not landed, and how many groups it has closed, by the kind of group; none of
    /// the kinds that it has not used.
    pub(super) fn of_warp(&self, warp: usize) -> Vec<(Group, usize, u32)> {
        let kinds = GROUPS.into_iter().filter_map(|kind| {
            let lanes = self.lanes.iter();
            let own = lanes.filter(|it| it.0.0 == warp && it.0.2 == kind);
            let (mut used, mut waiting, mut closed) = (false, 0, 0);
            for (_, groups) in own {
                used = true;
                waiting += groups.open.len() + groups.closed.iter().map(Vec::len).sum::<usize>();
                closed = closed.max(groups.count);
            }
            used.then_some((kind, waiting, closed))
        });
        kinds.collect()
    }
}

impl Machine<'_> {
    /// Issues the later effects of an instruction.
    pub(super) fn issue(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        instruction: &Instruction,
        program: &Arc<Program>,
    ) {
        self.read_inputs(warp, running, &program.inputs, &instruction.later_sources);
        let inputs = std::mem::take(&mut self.inputs);
        let core = program.tensor.is_some().then(|| Core {
            inputs: inputs.clone(),
            sources: instruction.later_sources.clone(),
            destinations: instruction.later_destinations.clone(),
            name: Arc::clone(&instruction.name),
        });
        let submitted = fabric_group(instruction);
        let group = submitted.or_else(|| group_of(program.until));
        if submitted.is_some() {
            self.approximated.insert("success of fabric operations");
        }
        let exchanges = |it: &Event| matches!(it.kind, EventKind::WarpExchange);
        let once = submitted.is_some() && instruction.events.iter().any(exchanges);
        let of_warp = group.is_some_and(is_of_warp);
        let waits = group.is_some_and(|it| GROUPS.contains(&it));
        let commits = group == Some(Group::TensorMma) && core.is_none();
        let lanes = match (of_warp && waits) || once {
            true => running.active & running.active.wrapping_neg(),
            false => running.active,
        };
        for lane in lanes_of(lanes) {
            let own: Vec<[u64; 1]> = inputs.iter().map(|it| [it[usize::from(lane)]]).collect();
            let mut kind = kind_of(instruction, program);
            kind.asynchronous = true;
            kind.pipelined = group == Some(Group::TensorMma);
            let mut operation = Operation {
                program: Arc::clone(program),
                inputs: own,
                lane: lane.into(),
                cluster: self.world.clusters[running.cluster].number,
                block: running.block,
                running: *running,
                thread: self.world.races.thread(warp.clock, warp.time),
                kind,
                core: core.clone().map(Box::new),
                knows: None,
                copies: None,
            };
            if matches!(program.until, Some(Until::Copies)) {
                let source = self.world.races.operations_of(warp.clock, Group::Copy);
                let key = (warp.clock, lane, Group::Copy);
                let groups = self.asynchronous.lanes.entry(key).or_default();
                // What is copied from now on is not before it.
                groups.count += 1;
                operation.copies = Some((source, groups.count));
            }
            let lane = match (once, of_warp) {
                (true, _) => WHOLE_WARP,
                (false, true) => 0,
                (false, false) => lane,
            };
            if let Some(group) = group {
                let key = (warp.clock, lane, group);
                let source = self.world.races.operations_of(warp.clock, group);
                let groups = self.asynchronous.lanes.entry(key).or_default();
                operation.thread.author = source;
                operation.thread.clock = groups.count + 1;
                let number = groups.count + 1;
                if let Some(core) = &operation.core {
                    let place = (running.frame, running.at.range);
                    let registers = (&core.sources[..], &core.destinations[..]);
                    let program = &operation.program;
                    warp.pending
                        .begin(place, program, registers, (group, number));
                }
            }
            if commits {
                operation.knows = Some(self.complete_products(warp, running));
            }
            let late = self.launch.late || submitted.is_some();
            match (group.filter(|_| waits), late) {
                (Some(group), true) => {
                    let groups = self.asynchronous.lanes.entry((warp.clock, lane, group));
                    groups.or_default().open.push(operation);
                }
                (None, true) => self.asynchronous.pending.push_back(operation),
                (_, false) => self.land(warp, operation),
            }
        }
        self.inputs = inputs;
    }

    /// Closes the products of the tensor core that a warp has issued so far: the knowledge of those that see them done.
    fn complete_products(&mut self, warp: &Warp, running: &Running) -> Clock {
        let group = Group::TensorMma;
        let groups = self
            .asynchronous
            .lanes
            .entry((warp.clock, 0, group))
            .or_default();
        groups.count += 1;
        let count = groups.count;
        let source = self.world.races.operations_of(warp.clock, group);
        let thread = self.world.races.thread(warp.clock, warp.time);
        let races = &mut self.world.races;
        races.completion(thread, running.active, source, count)
    }

    /// Orders the products of the tensor core that a warp has issued so far, and what its lanes know, before what others
    /// do with tensor memory once these let them.
    pub(super) fn fence_products(&mut self, warp: &Warp, running: &Running) {
        let group = Group::TensorMma;
        let groups = self.asynchronous.lanes.get_mut(&(warp.clock, 0, group));
        let count = groups.map(|it| {
            // Those that follow are not before the fence.
            it.count += 1;
            it.count
        });
        let races = &mut self.world.races;
        let products = count.map(|count| (races.operations_of(warp.clock, group), count));
        races.fence_before((warp.clock, warp.time), running.active, products);
    }

    /// Closes groups and waits for them.
    pub(super) fn handle_groups(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        instruction: &Instruction,
    ) {
        for event in &instruction.events {
            match event.kind {
                EventKind::Commit(group) if GROUPS.contains(&group) => {
                    let lanes = lanes_of(members(group, running.active));
                    let whole = (group == Group::Fetch).then_some(WHOLE_WARP);
                    for lane in lanes.chain(whole) {
                        self.close((warp.clock, lane, group), warp);
                    }
                }
                EventKind::Wait(group) | EventKind::WaitRead(group) if GROUPS.contains(&group) => {
                    let count = event.operands[0].or(event.operands[1]);
                    let kept = count.map(|it| self.read(warp, running, it, 32).0);
                    for lane in lanes_of(members(group, running.active)) {
                        let kept = kept.map(|it| it[usize::from(lane)] as usize);
                        self.wait(warp, (lane, running.active), group, kept);
                    }
                }
                _ => {}
            }
        }
    }

    /// Closes a group. Operations that have waited for that land, unless they land as late as allowed.
    fn close(&mut self, key: (usize, u8, Group), warp: &mut Warp) {
        let groups = self.asynchronous.lanes.entry(key).or_default();
        let open = std::mem::take(&mut groups.open);
        groups.count += 1;
        if !is_submitted(key.2) || self.launch.late {
            groups.closed.push_back(open);
            return;
        }
        for operation in open {
            self.land(warp, operation);
        }
    }

    /// Waits until at most so many groups of a lane are left; without a number for everything.
    fn wait(
        &mut self,
        warp: &mut Warp,
        (lane, active): (u8, u32),
        group: Group,
        kept: Option<usize>,
    ) {
        let key = (warp.clock, lane, group);
        let Some(groups) = self.asynchronous.lanes.get_mut(&key) else {
            return;
        };
        let mut landing = Vec::new();
        let keep = kept.unwrap_or(0);
        while groups.closed.len() > keep {
            landing.extend(groups.closed.pop_front().unwrap_or_default());
        }
        let mut known = groups.count - groups.closed.len() as u32;
        if kept.is_none() {
            landing.append(&mut groups.open);
            known = groups.count + 1;
            groups.count += 1;
        }
        for operation in landing {
            self.land(warp, operation);
        }
        let source = self.world.races.operations_of(warp.clock, group);
        let races = &mut self.world.races;
        match is_of_warp(group) {
            true => races.acquire_source(warp.clock, active, source, known),
            false => races.acquire_lane((warp.clock, lane), source, known),
        }
        warp.pending.landed(group, known);
    }

    /// Lands the operations of a warp of a kind, which are waited for all the same.
    pub(super) fn land_group(&mut self, warp: &mut Warp, group: Group) {
        let Some(groups) = self.asynchronous.lanes.get_mut(&(warp.clock, 0, group)) else {
            return;
        };
        let closed = groups.closed.iter_mut().flat_map(std::mem::take);
        let mut landing: Vec<Operation> = closed.collect();
        landing.append(&mut groups.open);
        for operation in landing {
            self.land(warp, operation);
        }
    }

    /// Lands operations that nothing but an mbarrier waits for, when nothing else can run; whether there were any.
    pub(super) fn land_late(&mut self) -> bool {
        let pending = self.asynchronous.pending.pop_front();
        let landing = match pending {
            Some(operation) => vec![operation],
            None => self.asynchronous.oldest_submitted(),
        };
        if landing.is_empty() {
            return false;
        }
        let mut warp = Warp::for_landing();
        for operation in landing {
            self.land(&mut warp, operation);
        }
        // Who polls may see it.
        self.world.global.changes += 1;
        self.queue.clear();
        true
    }

    /// Lands what is pending of clusters whose threads have ended: what nobody waited for lands all the same.
    pub(super) fn land_all(&mut self) {
        if self.asynchronous.lanes.is_empty() && self.asynchronous.pending.is_empty() {
            return;
        }
        let ended = self.world.clusters.iter();
        let ended = ended.filter(|it| it.blocks.iter().all(|it| it.live == 0));
        let numbers: Vec<u64> = ended.clone().map(|it| it.number).collect();
        let warps = ended.flat_map(|it| &it.blocks).flat_map(|it| &it.warps);
        let warps: Vec<usize> = warps.map(|it| it.clock).collect();
        let pending = std::mem::take(&mut self.asynchronous.pending);
        let (mut landing, pending): (VecDeque<_>, _) = pending
            .into_iter()
            .partition(|it| numbers.contains(&it.cluster));
        self.asynchronous.pending = pending;
        for warp in warps {
            for lane in 0..=WHOLE_WARP {
                for group in GROUPS {
                    let key = (warp, lane, group);
                    if let Some(groups) = self.asynchronous.lanes.remove(&key) {
                        let open = match is_submitted(group) {
                            true => {
                                self.check_submitted(&groups.open);
                                Vec::new()
                            }
                            false => groups.open,
                        };
                        landing.extend(groups.closed.into_iter().flatten().chain(open));
                    }
                }
            }
        }
        let mut warp = Warp::for_landing();
        for operation in landing {
            self.land(&mut warp, operation);
        }
    }

    /// Reports the operations that have not been submitted when nothing can run any more.
    pub(super) fn check_all_submitted(&mut self) {
        let lanes = std::mem::take(&mut self.asynchronous.lanes);
        let mut open: Vec<_> = lanes.iter().filter(|it| is_submitted(it.0.2)).collect();
        open.sort_by_key(|it| (it.0.0, it.0.1));
        for (_, groups) in open {
            self.check_submitted(&groups.open);
        }
        self.asynchronous.lanes = lanes;
    }

    /// Reports operations that were never submitted.
    fn check_submitted(&mut self, open: &[Operation]) {
        for operation in open {
            let message = "the operation is never submitted: no thread can observe its completion";
            let (code, lanes) = (FindingCode::MbarrierMisuse, 1 << operation.lane);
            let at = operation.running.at;
            self.world
                .findings
                .push(code, &at, lanes, message.to_owned(), Vec::new());
        }
    }

    /// Lands the copies of a lane that an arrival follows.
    fn land_copies(&mut self, warp: &mut Warp, key: (usize, u8, Group)) {
        let Some(groups) = self.asynchronous.lanes.get_mut(&key) else {
            return;
        };
        let mut landing: Vec<Operation> = Vec::new();
        for group in &mut groups.closed {
            landing.append(group);
        }
        landing.append(&mut groups.open);
        for operation in landing {
            self.land(warp, operation);
        }
    }

    /// Does what an operation does.
    fn land(&mut self, warp: &mut Warp, operation: Operation) {
        let Operation {
            core,
            knows,
            program,
            inputs,
            lane,
            cluster,
            block,
            running,
            thread,
            kind,
            copies,
        } = operation;
        if copies.is_some() {
            self.land_copies(warp, (thread.view, lane as u8, Group::Copy));
        }
        let found = self
            .world
            .clusters
            .iter()
            .position(|it| it.number == cluster);
        let Some(cluster) = found else {
            return;
        };
        if let Some(core) = core {
            let place = Running {
                cluster,
                block,
                ..running
            };
            return self.run_core(warp, &program, &core, &place, (thread, kind));
        }
        let submitted = program.accesses_fabric();
        let rank = self.world.clusters[cluster].blocks[block].rank;
        let mut surroundings = Surroundings {
            active: 1 << lane,
            cta: rank.into(),
            ctas: u64::MAX >> (64 - self.world.clusters[cluster].blocks.len().clamp(1, 64)),
            ..Surroundings::alone(&[0])
        };
        // The mask of a repeated program and the size of one over many elements do not depend on these.
        let place = (cluster, block, 0);
        let at = running.at;
        let mut access = self.world.access_at(warp, place, at, thread, kind);
        access.active = 1 << lane;
        access.first_lane = lane;
        access.knows = knows;
        access.quiet = true;
        self.single
            .run_on(&program, &inputs, &surroundings, &mut access);
        let members = program.repeated.map_or(1, |it| self.single.value(it)[0]);
        let mut sweep = program
            .sweep
            .map_or((1, 1), |it| (self.single.value(it.0)[0], u64::from(it.1)));
        if let Some((size, _)) = program.sweep {
            let size = self.single.value(size)[0] as usize;
            access.quiet = false;
            let inside = program.stores.iter().all(|it| {
                let (space, address) = (
                    program.places[usize::from(it.place)].space,
                    self.single.value(it.address)[0],
                );
                access.many(space, address, size, lane, true).is_some()
            });
            // Nothing is written, but the mbarrier completes, as after a copy out of bounds: its waits are not a deadlock.
            if !inside {
                sweep.0 = 0;
            }
        }
        for member in (0..32).filter(|it| members >> it & 1 == 1) {
            let mut landed = true;
            for offset in (0..sweep.0).step_by(sweep.1.max(1) as usize) {
                surroundings.member = member;
                surroundings.sweep = offset;
                access.quiet = false;
                self.single
                    .run_on(&program, &inputs, &surroundings, &mut access);
                let single = &self.single;
                let value = |node: u32| single.value(node)[0];
                // What completes at an mbarrier is ordered before those that see its phase complete.
                if let Some(Until::Barrier { place, address, .. }) = program.until
                    && !submitted
                {
                    let place = program.places[usize::from(place)];
                    let found = access.resolve(place.space, value(address), 8);
                    if let Some((Region::Shared(at), offset)) = found
                        && let Some(barrier) = access.blocks[at].mbarriers.get(&offset)
                    {
                        access.thread.author = barrier.source;
                        access.thread.clock = barrier.phase as u32 + 1;
                    }
                }
                for bulk in &program.bulk {
                    landed &= write_bulk(&mut access, &program, bulk, lane, &value);
                }
                for store in &program.stores {
                    let place = program.places[usize::from(store.place)];
                    let values = (value(store.value), store.high.map_or(0, value));
                    let address = value(store.address);
                    access.store(&place, address, store.element, lane, values, (0, 0));
                }
                // Who sees that the phase is complete sees what was copied before.
                for store in program.stores.iter().filter(|_| copies.is_some()) {
                    let place = program.places[usize::from(store.place)];
                    let found = access.resolve(place.space, value(store.address), 8);
                    if let (Some((Region::Shared(at), offset)), Some((source, known))) =
                        (found, copies)
                        && let Some(barrier) = access.blocks[at].mbarriers.get_mut(&offset)
                    {
                        let gathering = &mut barrier.gathering.known;
                        gathering.raise_lane(source as u32, lane, known + 1);
                    }
                }
            }
            for counter in &program.counters {
                let (place, value) = (counter.place, |node: u32| self.single.value(node)[0]);
                let place = program.places[usize::from(place)];
                let (address, plus) = (value(counter.address), value(counter.plus));
                access.increase(&place, address, plus, lane);
            }
            if let Some(Until::Barrier {
                place,
                address,
                bytes,
            }) = program.until
                && landed
            {
                let place = program.places[usize::from(place)];
                let (address, bytes) = (
                    self.single.value(address)[0],
                    self.single.value(bytes)[0] as i64,
                );
                let found = access.resolve(place.space, address, 8);
                if let Some((Region::Shared(at), offset)) = found {
                    mbarriers::check_order(&mut access, at, offset, lane);
                }
                if let Some((Region::Shared(at), offset)) = found
                    && let Some(barrier) = access.blocks[at].mbarriers.get_mut(&offset)
                {
                    let wrong = submitted && barrier.layout != FABRIC_LAYOUT;
                    if submitted {
                        let (source, number) = (thread.author as u32, thread.time + 1);
                        barrier.gathering.known.raise_lane(source, lane, number);
                    }
                    barrier.complete_bytes(bytes, running.at);
                    if wrong {
                        let message = "the operation completes only at an mbarrier that was initialized with `.layout::v1`";
                        mbarriers::misuse(&mut access, lane, message.to_owned());
                    }
                }
            }
        }
        for block in &mut self.world.clusters[cluster].blocks {
            mbarriers::settle(block);
        }
        self.end_if_refused();
    }
}
