//! The costs of loops and entries: bytes, operations and instructions of a block.

use isa::{
    compute::AddressSpace,
    event::{Event, EventKind},
    peaks::Peak,
    semantics::Together,
};
use rustc_hash::{FxHashMap, FxHashSet};
use salsa::Database;

use super::{
    pattern::{block_shape, leaf_names},
    trips::{Trips, trips},
};
use crate::{
    api::Cost,
    db::SourceFile,
    flow::{effects::semantics, flow, form_program::work, ids::Step},
    hir::{
        body::body,
        bound::{Bound, BoundInstruction, Operands},
        declared::header,
        items::{Function, item_offsets, items},
        module::signature,
    },
    values::{
        lanes::LaneSamples,
        memory::{AccessKind, MemoryAccess},
    },
};

/// The operands that name the CTAs of the cluster to which a copy goes.
const TARGETS: [Option<&str>; 2] = [Some("mask"), Some("wide_mask")];
/// Instructions of an entry at most.
const MAX_STEPS: usize = 60_000;

/// The costs of the entries of a file, or of the one with a name: for each those outside its loops, then its loops in
/// the order of the text.
pub(crate) fn costs(
    db: &dyn Database,
    file: SourceFile,
    entry: Option<&str>,
    block: Option<[u32; 3]>,
) -> Vec<Cost> {
    let offsets = item_offsets(db, file);
    let functions = items(db, file).functions.iter().zip(&offsets.functions);
    let peak = header(db, file).target.and_then(Peak::of);
    let mut found = Vec::new();
    for (function, start) in functions {
        if entry.is_some_and(|it| it != function.name(db)) {
            continue;
        }
        found.extend(
            costs_of(db, *function, block)
                .iter()
                .cloned()
                .map(|it| Cost {
                    head: it.head.map(|it| it + *start),
                    peak,
                    ..it
                }),
        );
    }
    found
}

/// The costs of an entry, with ranges relative to it: those outside its loops, then its loops in the order of the text.
/// None for a function that is not an entry with a body, or too long.
#[salsa::tracked(returns(deref))]
pub(crate) fn costs_of<'db>(
    db: &'db dyn Database,
    function: Function<'db>,
    block: Option<[u32; 3]>,
) -> Vec<Cost> {
    let signature = signature(db, function);
    let flow = flow(db, function);
    if !signature.defined || !signature.entry || flow.facts.len() > MAX_STEPS {
        return Vec::new();
    }
    let shape = block_shape(db, function, block);
    let mut samples = LaneSamples::new(db, function, flow, shape, true);
    let count = flow.graph.loops.len();
    let none = Sum {
        expected: Some(0),
        ..Sum::default()
    };
    let mut sums = vec![none; count + 1];
    let operands = Operands::of(db, function);
    let noted = Noted::of(&mut samples, &operands);
    let mut once = FxHashSet::default();
    // One sample for each warp of the block.
    let warps = shape.warps();
    for warp in 0..warps {
        db.unwind_if_revision_cancelled();
        samples.begin(warp);
        add_warp(&mut samples, &operands, &noted, &mut once, &mut sums);
    }
    sums.iter_mut().for_each(Sum::add_boxes);
    let body = body(db, function);
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|it| flow.graph.blocks[flow.graph.loops[*it].head as usize].start);
    let mut found = Vec::new();
    for index in std::iter::once(count).chain(order) {
        let mut cost = sums[index].cost(function.name(db), warps > 0);
        if let Some(it) = flow.graph.loops.get(index) {
            let first = flow.graph.blocks[it.head as usize].start;
            let first = body.instructions.get(first as usize);
            cost.head = first.map(|it| it.range);
            let names = leaf_names(&samples, &operands, function);
            if let Some(Trips { text, count }) = trips(&mut samples, index as u32, &names) {
                cost.trips = Some(text);
                cost.count = count;
            }
        }
        found.push(cost);
    }
    found
}

/// The figures of a loop.
#[derive(Clone, Debug, Default)]
struct Sum {
    read: u64,
    written: u64,
    shared: u64,
    fma: u64,
    tensor: u64,
    special: u64,
    instructions: u64,
    /// Whether bytes are missing of global and of shared memory, and products of matrices.
    unknown_read: bool,
    unknown_written: bool,
    unknown_shared: bool,
    unknown_tensor: bool,
    /// Whether boxes of tensors are copied to shared memory, and the bytes that mbarriers expect; `None` if not known.
    boxes: bool,
    expected: Option<u64>,
    /// Whether other bulk copies may bring a part of these.
    bulk: bool,
}

/// The facts about instructions that no warp changes.
#[derive(Debug, Default)]
struct Noted {
    /// The operations of products of matrices with an instruction descriptor.
    products: FxHashMap<Step, Option<u64>>,
    /// The bytes that an mbarrier expects.
    expected: FxHashMap<Step, Option<u64>>,
    /// The copies that complete on an mbarrier, and whether on those of several CTAs.
    completing: FxHashMap<Step, bool>,
}

impl Noted {
    fn of(samples: &mut LaneSamples<'_>, operands: &Operands<'_>) -> Noted {
        let mut noted = Noted::default();
        for step in &samples.flow().facts.eventful {
            let Some(instruction) = operands.get(*step) else {
                continue;
            };
            for event in semantics(instruction.db, instruction.id).events {
                match event.kind {
                    EventKind::Expect | EventKind::ArriveExpect => {
                        let bytes = expected(samples, &instruction, event, *step);
                        noted.expected.insert(*step, bytes);
                    }
                    EventKind::Complete => {
                        let targets = instruction.form.positions(TARGETS);
                        let several = targets.iter().any(Option::is_some);
                        noted.completing.insert(*step, several);
                    }
                    EventKind::Issue(_) => {
                        if let Some(it) = samples.values.described_work(*step) {
                            noted.products.insert(*step, it);
                        }
                    }
                    _ => {}
                }
            }
        }
        noted
    }
}

/// The bytes that an mbarrier expects by an event, which is the second operand.
fn expected(
    samples: &mut LaneSamples<'_>,
    instruction: &BoundInstruction<'_>,
    event: &Event,
    step: Step,
) -> Option<u64> {
    let at = instruction.form.positions(event.operands)[1]?;
    let operand = instruction.operand(at)?;
    if let Some(it) = operand.integer() {
        return u64::try_from(it).ok();
    }
    let Bound::Name(name, None) = operand.bound() else {
        return None;
    };
    let value = samples.flow().facts.value(name)?;
    samples.values.number(value, step)
}

impl Sum {
    fn cost(&self, entry: &str, known: bool) -> Cost {
        let figure = |number: u64, unknown: bool| (known && !unknown).then_some(number);
        Cost {
            entry: entry.to_owned(),
            head: None,
            trips: None,
            count: None,
            global_read: figure(self.read, self.unknown_read),
            global_written: figure(self.written, self.unknown_written),
            shared: figure(self.shared, self.unknown_shared),
            fma: figure(self.fma, false),
            tensor: figure(self.tensor, self.unknown_tensor),
            special: figure(self.special, false),
            instructions: figure(self.instructions, false),
            peak: None,
        }
    }

    /// The bytes of boxes, whose sizes only their tensor maps have: those that mbarriers expect of them.
    fn add_boxes(&mut self) {
        if !self.boxes {
            return;
        }
        match self.expected.filter(|it| *it > 0 && !self.bulk) {
            Some(it) => {
                self.read += it;
                self.shared += it;
            }
            None => (self.unknown_read, self.unknown_shared) = (true, true),
        }
    }

    fn add_access(&mut self, space: AddressSpace, access: &MemoryAccess, threads: u64) {
        let bytes = access.bytes.map(|it| it * threads);
        let (reads, writes) = match access.kind {
            AccessKind::Atomic => (true, true),
            _ => (!access.writes, access.writes),
        };
        let add = |sum: &mut u64, unknown: &mut bool| match bytes {
            Some(it) => *sum += it,
            None => *unknown = true,
        };
        let global = matches!(space, AddressSpace::Global | AddressSpace::Generic);
        let shared = matches!(
            space,
            AddressSpace::Shared | AddressSpace::SharedCluster | AddressSpace::Generic
        );
        if space == AddressSpace::Generic {
            (self.unknown_read, self.unknown_written) =
                (self.unknown_read | reads, self.unknown_written | writes);
            self.unknown_shared = true;
            return;
        }
        if global && reads {
            add(&mut self.read, &mut self.unknown_read);
        }
        if global && writes {
            add(&mut self.written, &mut self.unknown_written);
        }
        if shared {
            add(&mut self.shared, &mut self.unknown_shared);
        }
    }
}

/// Adds the work of a warp. One thread of the block makes bulk copies and expects their bytes, which `once` notes,
/// unless it is known that one thread of each warp does.
fn add_warp(
    samples: &mut LaneSamples<'_>,
    operands: &Operands<'_>,
    noted: &Noted,
    once: &mut FxHashSet<Step>,
    sums: &mut [Sum],
) {
    let flow = samples.flow();
    let accesses = std::mem::take(&mut samples.accesses);
    let mut next = 0;
    for (block, steps) in (0..).zip(&flow.graph.blocks) {
        let index = flow.graph.loop_of[block as usize].map_or(sums.len() - 1, |it| it as usize);
        let there = match flow.graph.reachable[block as usize] {
            true => samples.lanes_in(block),
            false => 0,
        };
        for step in steps.clone() {
            while accesses.get(next).is_some_and(|it| it.0 < step) {
                next += 1;
            }
            if there == 0 {
                continue;
            }
            let sum = &mut sums[index];
            sum.instructions += 1;
            let mut lanes = there;
            if let Some(guard) = guard(samples, step) {
                lanes &= samples.mask(guard, block);
            }
            if lanes == 0 {
                continue;
            }
            let threads = u64::from(lanes.count_ones());
            if let Some(instruction) = operands.get(step) {
                let (db, form) = (instruction.db, instruction.id);
                let work = work(db, form);
                sum.fma += u64::from(work.plain) * threads;
                sum.special += u64::from(work.special) * threads;
                let groups = semantics(db, form).together == Together::Warpgroup;
                sum.tensor += if groups { work.tensor / 4 } else { work.tensor };
            }
            match noted.products.get(&step) {
                Some(Some(it)) => sum.tensor += it,
                Some(None) => sum.unknown_tensor = true,
                None => {}
            }
            let own = accesses.get(next).filter(|it| it.0 == step);
            let own = own.map_or(&[][..], |it| &it.1);
            let expected = noted.expected.get(&step);
            let by_one = (expected.is_some() || own.iter().any(|it| it.bulk))
                && (threads == 1 || once.insert(step));
            if by_one && let Some(bytes) = expected {
                sum.expected = bytes.and_then(|it| Some(sum.expected? + it));
            }
            if let Some(several) = noted.completing.get(&step) {
                let is_box = |it: &MemoryAccess| it.tensor && !it.writes && it.bytes.is_none();
                if own.iter().any(is_box) {
                    sum.boxes = true;
                    // Other CTAs read a part of what arrives here.
                    sum.unknown_read |= several;
                    continue;
                }
                sum.bulk |= own.iter().any(|it| it.bulk);
            }
            for access in own {
                let space = samples.space(access);
                match access.bulk {
                    true if by_one => sums[index].add_access(space, access, 1),
                    true => {}
                    false => {
                        let lanes = (lanes & access.lanes).count_ones();
                        sums[index].add_access(space, access, lanes.into());
                    }
                }
            }
        }
    }
    samples.accesses = accesses;
}

/// The guard of an instruction other than a branch, if it depends on the place of the thread alone.
fn guard(samples: &mut LaneSamples<'_>, step: Step) -> Option<isa::compute::Node> {
    let guard = samples.condition(step)?;
    samples.is_placed(guard).then_some(guard)
}
