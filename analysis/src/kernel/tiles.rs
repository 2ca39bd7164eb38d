//! Tiles in shared memory that asynchronous copies fill: the loads that read them, the products of matrices that use what
//! these load, and the stages of the tiles that threads copy. [`super::chains`] follows what is loaded.
//!
//! The addresses are numbers, computed for every thread of the block, or of the largest one if the text has no other
//! shape, and for some turns of the loop; an address that depends on anything but the place of a thread and the turn is
//! left out. Without launch bounds, what blocks of several shapes have in common is taken, of addresses that do not depend
//! on the shape.

use isa::{
    compute::{LANES, Node},
    event::{EventKind, Group},
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    accesses::largest_block,
    flow::ids::{Step, VariableName},
    kernel::{
        events::{Kernel, Start, is_product},
        joins::Region,
        map::CopiedTile,
        rings::Copy,
    },
    values::{lanes::LaneSamples, memory::MemoryAccess, sampling::BlockShape},
};

/// Turns of a loop for which addresses are computed.
const TURNS: u32 = 16;
/// Stages at most: they come at least twice in these turns.
const MAX_STAGES: usize = 8;
/// The shapes that are tried for blocks without bounds.
const SHAPES: [[u32; 3]; 3] = [[128, 1, 1], [256, 1, 1], [32, 8, 1]];
/// Accesses whose addresses are computed, and addresses of one kernel at most.
const MAX_ACCESSES: usize = 1024;
const MAX_NUMBERS: usize = 1 << 17;
/// The bytes for which a set has one bit, and the bytes of shared memory that it covers.
const GRAIN: u64 = 4;
const SHARED_BYTES: u64 = 1 << 18;
/// The bits of an address in a matrix descriptor, without its lowest ones, and the bytes that are read there at least.
const DESCRIPTOR_MASK: u64 = 0x3FFF;
const DESCRIPTOR_SHIFT: u32 = 4;
const DESCRIPTOR_BYTES: u64 = 16;

/// Bytes of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bytes(Vec<u64>);

impl Bytes {
    /// The bytes of a region, as far as they are inside shared memory.
    pub(super) fn of(region: &Region) -> Bytes {
        let mut bytes = Bytes::new();
        for (start, count) in region.stages() {
            let inside = |it: &u64| *it <= SHARED_BYTES;
            let start = u64::try_from(start).ok();
            let end = start.and_then(|it| it.checked_add(u64::try_from(count).ok()?));
            if let (Some(start), Some(_)) = (start, end.filter(inside)) {
                bytes.add(start, count.cast_unsigned());
            }
        }
        bytes
    }

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

    pub(super) fn meets(&self, other: &Bytes) -> bool {
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
pub(super) struct Reach {
    pub(super) step: Step,
    pub(super) variable: VariableName,
    /// The parameters from which the address that is copied from is made.
    source: Vec<String>,
    /// The bytes of all turns, and of the first turn.
    pub(super) all: Bytes,
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
    /// The tiles that copies of threads fill. For bulk copies, which fill regions, the loads are noted.
    pub(super) fn tiles(&mut self, regions: &[Region], bulk: &mut [Copy]) -> Vec<CopiedTile> {
        let copies: FxHashSet<Step> = self
            .steps(|it| it == EventKind::Issue(Group::Copy))
            .into_iter()
            .collect();
        if copies.is_empty() && regions.is_empty() {
            return Vec::new();
        }
        let shape = largest_block(self.subject.db, self.subject.function);
        if copies.len() > MAX_ACCESSES {
            return vec![self.unplaced(copies)];
        }
        match shape.threads {
            Some(_) => self.tiles_in(shape, true, &copies, regions, bulk),
            None if copies.is_empty() => Vec::new(),
            None => self.tiles_in_any(shape, &copies),
        }
    }

    /// The tiles in blocks of any shape.
    fn tiles_in_any(&mut self, any: BlockShape, copies: &FxHashSet<Step>) -> Vec<CopiedTile> {
        let mut common: Option<Vec<CopiedTile>> = None;
        for threads in SHAPES {
            let shape = BlockShape {
                threads: Some(threads),
                ..any
            };
            let tiles = self.tiles_in(shape, false, copies, &[], &mut []);
            let Some(common) = &mut common else {
                common = Some(tiles);
                continue;
            };
            for tile in common {
                let same = |it: &&CopiedTile| {
                    it.place == tile.place && it.copies == tile.copies && it.source == tile.source
                };
                match tiles.iter().find(same) {
                    Some(other) => {
                        tile.bytes = tile.bytes.filter(|it| other.bytes == Some(*it));
                        tile.stages = tile.stages.filter(|it| other.stages == Some(*it));
                        tile.reads.retain(|it| other.reads.contains(it));
                        tile.products.retain(|it| other.products.contains(it));
                    }
                    None => (tile.place, tile.source) = (None, None),
                }
            }
        }
        let common = common.unwrap_or_default().into_iter();
        let (mut placed, unplaced): (Vec<_>, Vec<_>) = common.partition(|it| it.place.is_some());
        let mut rest: Vec<_> = unplaced.into_iter().flat_map(|it| it.copies).collect();
        if !rest.is_empty() {
            rest.sort_by_key(|it| it.start());
            placed.push(CopiedTile {
                copies: rest,
                ..self.unplaced(None)
            });
        }
        placed
    }

    /// The tiles in blocks of a shape, which may be one of several.
    fn tiles_in(
        &mut self,
        shape: BlockShape,
        bounded: bool,
        copies: &FxHashSet<Step>,
        regions: &[Region],
        bulk: &mut [Copy],
    ) -> Vec<CopiedTile> {
        let subject = self.subject;
        let (db, function, flow) = (subject.db, subject.function, subject.flow);
        let mut samples = LaneSamples::new(db, function, flow, shape, true);
        let mut uses = self.uses_of_loads(&samples);
        let stored = self.stored_loads(&mut samples);
        let storing: FxHashSet<Step> = stored.values().flatten().copied().collect();
        let accesses = std::mem::take(&mut samples.accesses);
        let mut writes = Vec::new();
        let mut reads = Vec::new();
        let mut stores = Vec::new();
        let mut left = MAX_NUMBERS;
        for (step, all) in &accesses {
            let fills = copies.contains(step);
            let is_stored = stored.contains_key(step);
            if !fills && !is_stored && !storing.contains(step) && !uses.contains_key(step) {
                continue;
            }
            for access in all.iter().filter(|it| it.writes == (fills || is_stored)) {
                if !samples.space(access).is_shared() {
                    continue;
                }
                let Some(bytes) = access.bytes else { continue };
                if !bounded && samples.depends_on_shape(access.address) {
                    continue;
                }
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
                    false if is_stored => stores.extend(found),
                    false => reads.extend(found),
                }
            }
        }
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
                    uses.entry(step).or_insert_with(|| vec![step]);
                    reads.push(found);
                }
            }
        }
        let products = self.with_stored(uses, &stored, &stores, &reads);
        reads.retain(|it| products.contains_key(&it.step));
        self.join_loads(regions, bulk, &reads, &products);
        if copies.is_empty() {
            return Vec::new();
        }
        let placed: FxHashSet<Step> = writes.iter().map(|it| it.step).collect();
        let groups = groups(writes).into_iter();
        let mut tiles: Vec<CopiedTile> = groups
            .map(|it| self.tile(&it, bounded, &reads, &products))
            .collect();
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
            bytes: None,
            stages: None,
            reads: Vec::new(),
            products: Vec::new(),
        }
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
        bounded: bool,
        reads: &[Reach],
        products: &FxHashMap<Step, Vec<Step>>,
    ) -> CopiedTile {
        let depth = writes.iter().map(|it| it.depth).max().unwrap_or(0);
        let inner = || writes.iter().filter(|it| it.depth == depth);
        let (mut all, mut once) = (Bytes::new(), Bytes::new());
        writes.iter().for_each(|it| all.add_all(&it.all));
        inner().for_each(|it| once.add_all(&it.once));
        let stages = inner().next().and_then(|it| it.stages);
        // Copies before the loop fill stages of it. Larger blocks than the code is made for fill the next stage as well.
        let fits = |it: &usize| {
            inner().all(|own| own.stages == Some(*it))
                && (!bounded || once.count() * *it as u64 == all.count())
        };
        let order = self.order_after(writes.iter().map(|it| it.step));
        let meets = |it: &&Reach| {
            order.has(it.step) && it.variable == writes[0].variable && it.all.meets(&all)
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
            bytes: Some(once.count()),
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
