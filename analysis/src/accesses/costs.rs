//! The costs of loops and entries: bytes, operations and instructions of a block.

use isa::{compute::AddressSpace, peaks::Peak, semantics::Together};
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
        bound::Operands,
        declared::header,
        items::{Function, item_offsets, items},
        module::signature,
    },
    values::{
        lanes::LaneSamples,
        memory::{AccessKind, MemoryAccess},
    },
};

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
    let mut sums = vec![Sum::default(); count + 1];
    // One sample for each warp of the block.
    let warps = shape.warps();
    for warp in 0..warps {
        db.unwind_if_revision_cancelled();
        samples.begin(warp);
        add_warp(db, function, &mut samples, warp == 0, &mut sums);
    }
    let body = body(db, function);
    let operands = Operands::of(db, function);
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

/// Adds what a warp does.
fn add_warp(
    db: &dyn Database,
    function: Function<'_>,
    samples: &mut LaneSamples<'_>,
    first: bool,
    sums: &mut [Sum],
) {
    let flow = samples.flow();
    let operands = Operands::of(db, function);
    let accesses = std::mem::take(&mut samples.accesses);
    let mut next = 0;
    for (block, steps) in (0..).zip(&flow.graph.blocks) {
        db.unwind_if_revision_cancelled();
        let index = flow.graph.loop_of[block as usize].map_or(sums.len() - 1, |it| it as usize);
        let there = match flow.graph.reachable[block as usize] {
            true => samples.lanes_in(block),
            false => 0,
        };
        for step in steps.clone() {
            while accesses.get(next).is_some_and(|it| it.0 < step) {
                next += 1;
            }
            let mut lanes = there;
            if let Some(guard) = guard(samples, step) {
                lanes &= samples.mask(guard, block);
            }
            if lanes == 0 {
                continue;
            }
            let threads = u64::from(lanes.count_ones());
            let sum = &mut sums[index];
            sum.instructions += 1;
            if let Some(form) = operands.form(step) {
                let work = work(db, form);
                sum.fma += u64::from(work.plain) * threads;
                sum.special += u64::from(work.special) * threads;
                let groups = semantics(db, form).together == Together::Warpgroup;
                sum.tensor += if groups { work.tensor / 4 } else { work.tensor };
            }
            for access in accesses
                .get(next)
                .filter(|it| it.0 == step)
                .map_or(&[][..], |it| &it.1)
            {
                let space = samples.space(access);
                match access.bulk {
                    // One thread of the block copies.
                    true if first => sums[index].add_access(space, access, 1),
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
