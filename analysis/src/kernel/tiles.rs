//! Tiles in shared memory that asynchronous copies of threads fill: the loads that read them, the products of matrices
//! that use what these load, and the stages of the tile.
//!
//! The addresses are numbers, computed for every thread of the block and for some turns of the loop; an address that
//! depends on anything but the place of a thread and the turn is left out.

use isa::{
    compute::{LANES, Node},
    event::{EventKind, Group},
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    accesses::block_shape,
    flow::{
        form_program::work,
        ids::{BlockId, Step, VariableName},
    },
    kernel::{
        events::{Kernel, Start, is_product},
        map::CopiedTile,
    },
    values::{lanes::LaneSamples, memory::MemoryAccess},
};

/// Turns of a loop for which addresses are computed.
const TURNS: u32 = 16;
/// Stages at most: they come at least twice in these turns.
const MAX_STAGES: usize = 8;
/// Accesses whose addresses are computed, and addresses of one kernel at most.
const MAX_ACCESSES: usize = 1024;
const MAX_NUMBERS: usize = 1 << 17;
/// Instructions between a load and a product.
const MAX_BETWEEN: usize = 256;
/// Writes of a register that are followed, and blocks in which they are searched.
const MAX_WRITES: usize = 4;
const MAX_BLOCKS: usize = 64;
/// The bytes for which a set has one bit, and the bytes of shared memory that it covers.
const GRAIN: u64 = 4;
const SHARED_BYTES: u64 = 1 << 18;
/// The bits of an address in a matrix descriptor, without its lowest ones, and the bytes that are read there at least.
const DESCRIPTOR_MASK: u64 = 0x3FFF;
const DESCRIPTOR_SHIFT: u32 = 4;
const DESCRIPTOR_BYTES: u64 = 16;

/// Bytes of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bytes(Vec<u64>);

impl Bytes {
    fn new() -> Bytes {
        Bytes(vec![0; (SHARED_BYTES / GRAIN / 64) as usize])
    }

    fn add(&mut self, start: u64, bytes: u64) {
        for grain in start / GRAIN..(start + bytes).div_ceil(GRAIN) {
            self.0[(grain / 64) as usize] |= 1 << (grain % 64);
        }
    }

    fn add_all(&mut self, other: &Bytes) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own |= other;
        }
    }

    fn meets(&self, other: &Bytes) -> bool {
        self.0.iter().zip(&other.0).any(|it| it.0 & it.1 != 0)
    }

    fn count(&self) -> u64 {
        let grains: u32 = self.0.iter().map(|it| it.count_ones()).sum();
        GRAIN * u64::from(grains)
    }

    fn end(&self) -> u64 {
        let last = self.0.iter().enumerate().rfind(|it| *it.1 != 0);
        last.map_or(0, |(index, word)| {
            GRAIN * (64 * (index as u64 + 1) - u64::from(word.leading_zeros()))
        })
    }

    fn first(&self) -> u64 {
        let words = self.0.iter().zip(0..).find(|it| *it.0 != 0);
        words.map_or(0, |(word, index)| {
            GRAIN * (64 * index + u64::from(word.trailing_zeros()))
        })
    }
}

/// The bytes that an instruction accesses.
struct Reach {
    step: Step,
    variable: VariableName,
    /// The parameters from which the address that is copied from is made.
    source: Vec<String>,
    /// The bytes of all turns, and of the first turn.
    all: Bytes,
    once: Bytes,
    /// The places that it has in turn; nothing if they do not come again.
    stages: Option<usize>,
    /// The depth of its loops.
    depth: u32,
}

/// An address with the bytes at it.
struct Accessed {
    step: Step,
    node: Node,
    bytes: u64,
    lanes: u32,
    descriptor: bool,
}

impl Kernel<'_, '_> {
    /// The tiles that copies of threads fill.
    pub(super) fn tiles(&mut self) -> Vec<CopiedTile> {
        let copies: FxHashSet<Step> = self
            .steps(|it| it == EventKind::Issue(Group::Copy))
            .into_iter()
            .collect();
        if copies.is_empty() {
            return Vec::new();
        }
        let subject = self.subject;
        let shape = block_shape(subject.db, subject.function, None);
        if shape.threads.is_none() || copies.len() > MAX_ACCESSES {
            return vec![self.unplaced(copies)];
        }
        let (db, function, flow) = (subject.db, subject.function, subject.flow);
        let mut samples = LaneSamples::new(db, function, flow, shape, true);
        let uses = self.uses_of_loads(&samples);
        let accesses = std::mem::take(&mut samples.accesses);
        let mut writes = Vec::new();
        let mut reads = Vec::new();
        let mut left = MAX_NUMBERS;
        for (step, all) in &accesses {
            let fills = copies.contains(step);
            if !fills && !uses.contains_key(step) {
                continue;
            }
            for access in all.iter().filter(|it| it.writes == fills) {
                if !samples.space(access).is_shared() {
                    continue;
                }
                let Some(bytes) = access.bytes else { continue };
                let place = Accessed {
                    step: *step,
                    node: access.address,
                    bytes,
                    lanes: access.lanes,
                    descriptor: false,
                };
                let found = reach(&mut samples, &place, &mut left);
                match fills {
                    true => writes.extend(found.map(|it| Reach {
                        source: sources(&mut samples, all),
                        ..it
                    })),
                    false => reads.extend(found),
                }
            }
        }
        let mut products: FxHashMap<Step, Vec<Step>> = uses;
        for step in self.steps(is_product) {
            for node in self.descriptor_nodes(&mut samples, step) {
                let place = Accessed {
                    step,
                    node,
                    bytes: DESCRIPTOR_BYTES,
                    lanes: 1,
                    descriptor: true,
                };
                if let Some(found) = reach(&mut samples, &place, &mut left) {
                    products.entry(step).or_insert_with(|| vec![step]);
                    reads.push(found);
                }
            }
        }
        let placed: FxHashSet<Step> = writes.iter().map(|it| it.step).collect();
        let groups = groups(writes).into_iter();
        let mut tiles: Vec<CopiedTile> =
            groups.map(|it| self.tile(&it, &reads, &products)).collect();
        if placed.len() < copies.len() {
            // Any tile may have another stage there.
            for tile in &mut tiles {
                tile.stages = None;
            }
            tiles.push(self.unplaced(copies.difference(&placed).copied()));
        }
        tiles
    }

    /// The copies to unknown places.
    fn unplaced(&self, copies: impl IntoIterator<Item = Step>) -> CopiedTile {
        CopiedTile {
            place: None,
            source: None,
            copies: self.ranges(copies),
            bytes: 0,
            stages: None,
            reads: Vec::new(),
            products: Vec::new(),
        }
    }

    /// The blocks that control may reach after some instructions.
    fn blocks_after(&self, steps: impl Iterator<Item = Step>) -> FxHashSet<BlockId> {
        let graph = &self.subject.flow.graph;
        let mut work: Vec<BlockId> = steps.map(|it| graph.block_of[it as usize]).collect();
        let mut found = FxHashSet::default();
        while let Some(block) = work.pop() {
            let after = graph.successors.get(block as usize).iter();
            work.extend(after.filter(|it| found.insert(**it)));
        }
        found
    }

    /// For each load the products that use what it loads, through registers.
    fn uses_of_loads(&self, samples: &LaneSamples<'_>) -> FxHashMap<Step, Vec<Step>> {
        let subject = self.subject;
        let loads: FxHashSet<Step> = (samples.accesses.iter())
            .filter(|it| it.1.iter().any(is_load))
            .map(|it| it.0)
            .collect();
        let multiplies = |step: Step| {
            let form = subject.operands.form(step);
            form.is_some_and(|it| work(subject.db, it).tensor > 0)
        };
        let mut found: FxHashMap<Step, Vec<Step>> = FxHashMap::default();
        for product in (0..subject.flow.facts.len() as Step).filter(|it| multiplies(*it)) {
            let mut seen: FxHashSet<Step> = FxHashSet::default();
            let mut work = vec![product];
            while let Some(step) = work.pop() {
                for value in subject.flow.facts.reads.get(step as usize) {
                    let chains = samples.values.chains();
                    let writes = match chains.writes(*value) {
                        [only] => Some(vec![*only]),
                        _ => chains.few_reaching_writes(*value, step, MAX_WRITES, MAX_BLOCKS),
                    };
                    for write in writes.into_iter().flatten() {
                        if seen.len() >= MAX_BETWEEN || !seen.insert(write) {
                            continue;
                        }
                        if loads.contains(&write) {
                            found.entry(write).or_default().push(product);
                        } else if !multiplies(write) && !subject.semantics(write).accesses_memory()
                        {
                            work.push(write);
                        }
                    }
                }
            }
        }
        found
    }

    /// The registers of a product that may be matrix descriptors.
    fn descriptor_nodes(&self, samples: &mut LaneSamples<'_>, step: Step) -> Vec<Node> {
        let values = self.wide_registers(step);
        values
            .into_iter()
            .map(|it| samples.before(it, step))
            .collect()
    }

    fn tile(
        &self,
        writes: &[Reach],
        reads: &[Reach],
        products: &FxHashMap<Step, Vec<Step>>,
    ) -> CopiedTile {
        let depth = writes.iter().map(|it| it.depth).max().unwrap_or(0);
        let inner = || writes.iter().filter(|it| it.depth == depth);
        let (mut all, mut once) = (Bytes::new(), Bytes::new());
        writes.iter().for_each(|it| all.add_all(&it.all));
        inner().for_each(|it| once.add_all(&it.once));
        let stages = inner().next().and_then(|it| it.stages);
        // Copies before the loop fill stages of it.
        let fits = |it: &usize| {
            inner().all(|own| own.stages == Some(*it)) && once.count() * *it as u64 == all.count()
        };
        let after = self.blocks_after(writes.iter().map(|it| it.step));
        let block = |step: Step| self.subject.flow.graph.block_of[step as usize];
        let is_after = |step: Step| {
            let before = |it: &Reach| it.step < step && block(it.step) == block(step);
            after.contains(&block(step)) || writes.iter().any(before)
        };
        let meets = |it: &&Reach| {
            is_after(it.step) && it.variable == writes[0].variable && it.all.meets(&all)
        };
        let reads: Vec<&Reach> = reads.iter().filter(meets).collect();
        let used = reads
            .iter()
            .filter_map(|it| products.get(&it.step))
            .flatten();
        let loads = reads.iter().map(|it| it.step);
        let is_load = |it: &Step| products.get(it).is_none_or(|all| all[..] != [*it]);
        CopiedTile {
            copies: self.ranges(writes.iter().map(|it| it.step)),
            place: Some(
                self.described(Start::Symbol(writes[0].variable), all.first().cast_signed()),
            ),
            source: match &writes[0].source[..] {
                [name] => Some(self.subject.without_function(name).to_owned()),
                _ => None,
            },
            bytes: once.count(),
            stages: stages.filter(fits),
            reads: self.ranges(loads.filter(is_load)),
            products: self.ranges(used.copied()),
        }
    }
}

/// The names of the arrays that accesses read.
fn sources(samples: &mut LaneSamples<'_>, all: &[MemoryAccess]) -> Vec<String> {
    let mut found = Vec::new();
    for access in all.iter().filter(|it| !it.writes) {
        let leaves = samples.origins(access.address);
        let pointers = leaves.into_iter().filter(|it| samples.is_pointer(*it));
        found.extend(pointers.filter_map(|it| Some(samples.parameter_of(it)?.name.clone())));
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn is_load(access: &MemoryAccess) -> bool {
    !access.writes && !access.bulk
}

/// The bytes of the variable that an address is in, in all threads that run the instruction.
fn reach(samples: &mut LaneSamples<'_>, place: &Accessed, left: &mut usize) -> Option<Reach> {
    let flow = samples.flow();
    let block = flow.graph.block_of[place.step as usize];
    let (base, turning) = samples.single_variable(place.node)?;
    let (variable, _) = samples.variable_of(base)?;
    let turns = if turning && flow.graph.loop_of[block as usize].is_some() {
        TURNS
    } else {
        1
    };
    let warps = samples.shape.warps();
    *left = left.checked_sub((turns * warps) as usize)?;
    let guard = samples.condition(place.step);
    let (mut all, mut once) = (Bytes::new(), Bytes::new());
    // The first address in each turn.
    let mut firsts: Vec<Option<u64>> = vec![None; turns as usize];
    for warp in 0..warps {
        samples.begin(warp);
        let mut lanes = samples.lanes_in(block) & place.lanes;
        if let Some(guard) = guard.filter(|it| samples.is_placed(*it)) {
            lanes &= samples.mask(guard, block);
        }
        for turn in 0..turns {
            let numbers = samples.in_turn(place.node, block, turn);
            let start = samples.leaf_number_of(base);
            for lane in (0..LANES).filter(|it| lanes >> it & 1 == 1) {
                let at = match place.descriptor {
                    true => {
                        let address = (numbers[lane] & DESCRIPTOR_MASK) << DESCRIPTOR_SHIFT;
                        address.wrapping_sub(start) & (SHARED_BYTES - 1)
                    }
                    false => numbers[lane].wrapping_sub(start) & 0xFFFF_FFFF,
                };
                if at + place.bytes > SHARED_BYTES {
                    return None;
                }
                all.add(at, place.bytes);
                if turn == 0 {
                    once.add(at, place.bytes);
                }
                firsts[turn as usize].get_or_insert(at);
            }
        }
    }
    if all.count() == 0 {
        return None;
    }
    Some(Reach {
        step: place.step,
        variable,
        source: Vec::new(),
        all,
        once,
        stages: period(&firsts),
        depth: flow.graph.depth(block),
    })
}

/// After how many turns the same comes again.
fn period(turns: &[Option<u64>]) -> Option<usize> {
    if turns.len() == 1 {
        return Some(1);
    }
    let comes_again = |it: &usize| turns.iter().zip(&turns[*it..]).all(|(a, b)| a == b);
    (1..=MAX_STAGES.min(turns.len() / 2)).find(comes_again)
}

/// Copies from one array to places that follow each other or overlap.
fn groups(mut writes: Vec<Reach>) -> Vec<Vec<Reach>> {
    let key = |it: &Reach| (it.source.clone(), it.all.first());
    writes.sort_by_key(|it| (key(it), it.step));
    let mut found: Vec<Vec<Reach>> = Vec::new();
    let mut end = 0;
    for it in writes {
        let last = it.all.end();
        match found.last_mut() {
            Some(group)
                if group[0].source == it.source
                    && group[0].variable == it.variable
                    && it.all.first() <= end =>
            {
                end = end.max(last);
                group.push(it);
            }
            _ => {
                end = last;
                found.push(vec![it]);
            }
        }
    }
    found.sort_by_key(|it| it[0].all.first());
    found
}
