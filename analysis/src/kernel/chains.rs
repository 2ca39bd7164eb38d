//! From loads of shared memory to the products of matrices that use what they load: through registers, and through stores
//! to shared memory, from which other loads or products read again.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    flow::{
        form_program::work,
        graph::Graph,
        ids::{BlockId, Step, Value},
    },
    kernel::{
        events::{Kernel, Start},
        joins::Region,
        rings::Copy,
        tiles::{Bytes, Reach},
    },
    values::{lanes::LaneSamples, memory::MemoryAccess},
};

/// Instructions between a load and a product or store.
const MAX_BETWEEN: usize = 256;
/// Writes of a register that are followed, and blocks in which they are searched.
const MAX_WRITES: usize = 4;
const MAX_BLOCKS: usize = 64;
/// Stores whose values are followed.
const MAX_STORES: usize = 512;

/// The instructions that control may reach after some others.
pub(super) struct After<'a> {
    graph: &'a Graph,
    steps: Vec<Step>,
    blocks: FxHashSet<BlockId>,
}

impl After<'_> {
    /// Whether an instruction is one of them.
    pub(super) fn has(&self, step: Step) -> bool {
        let block = |step: Step| self.graph.block_of[step as usize];
        let before = |it: &Step| *it < step && block(*it) == block(step);
        self.blocks.contains(&block(step)) || self.steps.iter().any(before)
    }
}

impl Kernel<'_, '_> {
    /// The instructions that control may reach after some others.
    pub(super) fn order_after(&self, steps: impl Iterator<Item = Step>) -> After<'_> {
        let graph = &self.subject.flow.graph;
        let steps: Vec<Step> = steps.collect();
        let mut work: Vec<BlockId> = steps
            .iter()
            .map(|it| graph.block_of[*it as usize])
            .collect();
        let mut blocks = FxHashSet::default();
        while let Some(block) = work.pop() {
            let after = graph.successors.get(block as usize).iter();
            work.extend(after.filter(|it| blocks.insert(**it)));
        }
        After {
            graph,
            steps,
            blocks,
        }
    }

    /// For each load the products that use what it loads, through registers.
    pub(super) fn uses_of_loads(&self, samples: &LaneSamples<'_>) -> FxHashMap<Step, Vec<Step>> {
        let loads = loads(samples);
        let mut found: FxHashMap<Step, Vec<Step>> = FxHashMap::default();
        for product in (0..self.subject.flow.facts.len() as Step).filter(|it| self.multiplies(*it))
        {
            let read = self.subject.flow.facts.reads.get(product as usize);
            for load in self.loads_of(samples, &loads, product, read) {
                found.entry(load).or_default().push(product);
            }
        }
        found
    }

    /// For each store to shared memory the loads from it whose results it stores.
    pub(super) fn stored_loads(&self, samples: &mut LaneSamples<'_>) -> FxHashMap<Step, Vec<Step>> {
        let subject = self.subject;
        let loads = loads(samples);
        let accesses = std::mem::take(&mut samples.accesses);
        let mut is_store = |it: &&(Step, Vec<MemoryAccess>)| {
            let mut all = it.1.iter();
            all.all(|it| it.writes && !it.bulk && samples.space(it).is_shared())
        };
        let stores = accesses.iter().filter(|it| is_store(it));
        let stores: Vec<Step> = stores.map(|it| it.0).take(MAX_STORES).collect();
        samples.accesses = accesses;
        let mut found = FxHashMap::default();
        for store in stores {
            let operands = subject.get(store).into_iter().flat_map(|it| it.operands());
            let values: Vec<Value> = operands
                .filter(|it| !it.is_address())
                .flat_map(|it| it.references.iter())
                .filter_map(|it| subject.flow.facts.value(it))
                .collect();
            let sources = self.loads_of(samples, &loads, store, &values);
            if !sources.is_empty() {
                found.insert(store, sources);
            }
        }
        found
    }

    fn multiplies(&self, step: Step) -> bool {
        let form = self.subject.operands.form(step);
        form.is_some_and(|it| work(self.subject.db, it).tensor > 0)
    }

    /// The loads from which registers that an instruction reads are computed.
    fn loads_of(
        &self,
        samples: &LaneSamples<'_>,
        loads: &FxHashSet<Step>,
        reader: Step,
        values: &[Value],
    ) -> Vec<Step> {
        let subject = self.subject;
        let chains = samples.values.chains();
        let mut found = Vec::new();
        let mut seen: FxHashSet<Step> = FxHashSet::default();
        let mut work: Vec<(Value, Step)> = values.iter().map(|it| (*it, reader)).collect();
        while let Some((value, step)) = work.pop() {
            let writes = match chains.writes(value) {
                [only] => Some(vec![*only]),
                _ => chains.few_reaching_writes(value, step, MAX_WRITES, MAX_BLOCKS),
            };
            for write in writes.into_iter().flatten() {
                if seen.len() >= MAX_BETWEEN || !seen.insert(write) {
                    continue;
                }
                if loads.contains(&write) {
                    found.push(write);
                } else if !self.multiplies(write) && !subject.semantics(write).accesses_memory() {
                    let read = subject.flow.facts.reads.get(write as usize);
                    work.extend(read.iter().map(|it| (*it, write)));
                }
            }
        }
        found
    }

    /// The products that use what each instruction reads, those included that read what is stored in between.
    pub(super) fn with_stored(
        &self,
        uses: FxHashMap<Step, Vec<Step>>,
        stored: &FxHashMap<Step, Vec<Step>>,
        stores: &[Reach],
        reads: &[Reach],
    ) -> FxHashMap<Step, Vec<Step>> {
        let mut found = uses.clone();
        for store in stores {
            let order = self.order_after(std::iter::once(store.step));
            let mut products: Vec<Step> = (reads.iter())
                .filter(|it| it.variable == store.variable && it.all.meets(&store.all))
                .filter(|it| order.has(it.step))
                .filter_map(|it| uses.get(&it.step))
                .flatten()
                .copied()
                .collect();
            products.sort_unstable();
            products.dedup();
            if products.is_empty() {
                continue;
            }
            for load in stored.get(&store.step).into_iter().flatten() {
                let known = found.entry(*load).or_default();
                known.extend(&products);
                known.sort_unstable();
                known.dedup();
            }
        }
        found
    }

    /// Notes for bulk copies the loads of their regions, and the products that use what these load or that read there by
    /// a descriptor whose place depends on the thread.
    pub(super) fn join_loads(
        &self,
        regions: &[Region],
        bulk: &mut [Copy],
        reads: &[Reach],
        products: &FxHashMap<Step, Vec<Step>>,
    ) {
        for region in regions {
            let Start::Symbol(variable) = region.start else {
                continue;
            };
            let bytes = Bytes::of(region);
            let meets = |it: &&Reach| it.variable == variable && it.all.meets(&bytes);
            // Warps other than the copying one may read, without a way from one to the other.
            let readers: Vec<(Step, After<'_>)> = (reads.iter().filter(meets))
                .map(|it| (it.step, self.order_after(std::iter::once(it.step))))
                .collect();
            if readers.is_empty() {
                continue;
            }
            for copy in bulk.iter_mut().filter(|it| region.is_filled_by(it)) {
                let order = self.order_after(std::iter::once(copy.step));
                let is_before = |it: &(Step, After<'_>)| it.1.has(copy.step) && !order.has(it.0);
                let readers = readers.iter().filter(|it| !is_before(it));
                let steps: Vec<Step> = readers.map(|it| it.0).collect();
                let used = steps.iter().filter_map(|it| products.get(it)).flatten();
                // Products read by themselves what is in their descriptors.
                let is_load = |it: &&Step| products.get(it).is_some_and(|all| all[..] != [**it]);
                let loads = steps.iter().filter(is_load).copied();
                let mut all = self.ranges(used.copied());
                all.append(&mut copy.copy.products);
                all.sort_by_key(|it| it.start());
                all.dedup();
                copy.copy.products = all;
                copy.copy.reads.extend(self.ranges(loads));
                copy.copy.reads.sort_by_key(|it| it.start());
                copy.copy.reads.dedup();
            }
        }
    }
}

/// The loads, other than copies.
fn loads(samples: &LaneSamples<'_>) -> FxHashSet<Step> {
    let is_load = |it: &MemoryAccess| !it.writes && !it.bulk;
    let all = samples
        .accesses
        .iter()
        .filter(|it| it.1.iter().any(is_load));
    all.map(|it| it.0).collect()
}
