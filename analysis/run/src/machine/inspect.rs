//! Views of a run from outside: warps, frames, registers, memory and barriers as plain data.

use analysis::code::{Code, Slot, VariableId};
use isa::{compute::AddressSpace, event::Group, variable::StateSpace};
use syntax::TextRange;

use crate::{
    launch::Launch,
    outcome::{Ended, Finding},
};

use super::{
    Machine,
    access::FRAME_PARAMETERS,
    block::{Block, SHARED_START},
    launch::space_of,
    memory::{LOCAL_SIZE, Owner},
    special,
    warp::{LANES, Lanes, State, Warp},
};

/// A warp of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WarpId {
    /// The number of its block in the grid.
    pub block: u64,
    /// Its number in the block.
    pub warp: u32,
}

/// A warp with its groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpView {
    /// The warp.
    pub id: WarpId,
    /// The place of its block in the grid.
    pub block: [u32; 3],
    /// The lanes that have not ended, as a mask.
    pub live: u32,
    /// The groups of lanes that are at one instruction, by their lowest lanes.
    pub groups: Vec<GroupView>,
}

/// The lanes of a warp that are at one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupView {
    /// The lanes as a mask.
    pub lanes: u32,
    /// The frame, by its index in the warp.
    pub frame: usize,
    /// The function, by its index in the code.
    pub function: usize,
    /// The instruction, by its index in the function.
    pub pc: u32,
    /// The reason for which it waits.
    pub waits: Option<Wait>,
}

/// Why a group cannot run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// It waits at a barrier of the block, by its number.
    Barrier(u32),
    /// It waits for these lanes of the warp.
    Lanes(u32),
    /// It waits for the other blocks of the cluster.
    Cluster,
    /// It waits for a change of memory, as it polls in vain.
    Change,
}

/// A call of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameView {
    /// The frame, by its index in the warp.
    pub index: usize,
    /// The function, by its index in the code.
    pub function: usize,
    /// The instruction at which it is, by its index in the function: that of the call in the frames around the innermost.
    pub pc: u32,
}

/// A barrier of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierView {
    /// Its number.
    pub number: u32,
    /// The threads for which it waits; 0 for all of the block.
    pub expected: u32,
    /// Those that have arrived.
    pub arrived: u32,
    /// The instruction that is waited at.
    pub at: Option<TextRange>,
}

/// An mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MbarrierView {
    /// Its address in shared memory.
    pub address: u64,
    /// The number of its phase.
    pub phase: u64,
    /// The arrivals that a phase expects.
    pub expected: i64,
    /// Those that are missing in this phase.
    pub pending: i64,
    /// The bytes that are missing in this phase.
    pub bytes: i64,
}

/// Asynchronous operations of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsyncView {
    /// The kind of their groups.
    pub kind: Group,
    /// The operations of lanes that have not landed.
    pub waiting: usize,
    /// The groups that were closed.
    pub closed: u32,
}

/// Memory as a thread sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The warp of the thread.
    pub warp: WarpId,
    /// The frame in which it is.
    pub frame: usize,
    /// Its lane.
    pub lane: usize,
}

/// Bytes with whether each has been written: `None` is undefined.
pub type Known = Vec<Option<u8>>;

impl<'a> Machine<'a> {
    /// The code that runs.
    #[must_use]
    pub fn code(&self) -> &'a Code {
        self.code
    }

    /// The launch.
    #[must_use]
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// The number of instructions of warps that have run.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// How it has ended, if it has.
    #[must_use]
    pub fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// The findings so far.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.world.findings.all
    }

    /// The text that the kernel has printed so far.
    #[must_use]
    pub fn printed(&self) -> &str {
        &self.printed
    }

    /// Roughly how many bytes a copy of it takes.
    #[must_use]
    pub fn footprint(&self) -> usize {
        let global = self
            .world
            .global
            .all
            .iter()
            .map(|it| it.data.len())
            .sum::<usize>();
        let blocks = self.world.clusters.iter().flat_map(|it| &it.blocks);
        let blocks = blocks.map(|block| {
            let frames = block.warps.iter().flat_map(|it| &it.frames);
            let frames =
                frames.map(|it| it.registers.len() * size_of::<Lanes>() + it.parameters.len());
            block.shared.len() + frames.sum::<usize>() + block.warps.len() * 4096
        });
        // The race detector remembers accesses of what was touched.
        4 * global + 4 * blocks.sum::<usize>() + (64 << 10)
    }

    /// Forgets what arrays contained at the start: copies of the machine need not have it.
    pub fn forget_contents(&mut self) {
        for array in &mut self.launch.arrays {
            array.bytes = Vec::new();
        }
    }

    fn block(&self, number: u64) -> Option<&Block> {
        let mut blocks = self.world.clusters.iter().flat_map(|it| &it.blocks);
        blocks.find(|it| it.number == number)
    }

    fn block_mut(&mut self, number: u64) -> Option<&mut Block> {
        let mut blocks = self.world.clusters.iter_mut().flat_map(|it| &mut it.blocks);
        blocks.find(|it| it.number == number)
    }

    fn warp(&self, id: WarpId) -> Option<&Warp> {
        self.block(id.block)?.warps.get(id.warp as usize)
    }

    fn warp_mut(&mut self, id: WarpId) -> Option<&mut Warp> {
        self.block_mut(id.block)?.warps.get_mut(id.warp as usize)
    }

    /// The warps of the blocks that run now, in the order of blocks; those whose threads have ended too.
    #[must_use]
    pub fn warps(&self) -> Vec<WarpView> {
        let blocks = self.world.clusters.iter().flat_map(|it| &it.blocks);
        let views = blocks.flat_map(|block| {
            let warps = block.warps.iter();
            warps.map(|it| view(block, it))
        });
        let mut views: Vec<WarpView> = views.collect();
        views.sort_by_key(|it| it.id);
        views
    }

    /// A warp, if its block runs now.
    #[must_use]
    pub fn warp_view(&self, id: WarpId) -> Option<WarpView> {
        let block = self.block(id.block)?;
        Some(view(block, block.warps.get(id.warp as usize)?))
    }

    /// The place of a block in the grid, if it runs now.
    #[must_use]
    pub fn block_index(&self, number: u64) -> Option<[u32; 3]> {
        self.block(number).map(|it| it.index)
    }

    /// The calls in which a group is, innermost first.
    #[must_use]
    pub fn frames(&self, id: WarpId, group: &GroupView) -> Vec<FrameView> {
        let mut frames = Vec::new();
        let Some(warp) = self.warp(id) else {
            return frames;
        };
        let (mut index, mut pc) = (group.frame, group.pc);
        while let Some(frame) = warp.frames.get(index) {
            frames.push(FrameView {
                index,
                function: frame.function,
                pc,
            });
            match frame.caller {
                Some(caller) => (index, pc) = caller,
                None => break,
            }
        }
        frames
    }

    /// How many calls are around a frame.
    #[must_use]
    pub fn depth(&self, id: WarpId, frame: usize) -> u32 {
        let frame = self.warp(id).and_then(|it| it.frames.get(frame));
        frame.map_or(0, |it| it.depth)
    }

    /// The function of a frame, by its index in the code.
    #[must_use]
    pub fn function_of(&self, id: WarpId, frame: usize) -> Option<usize> {
        Some(self.warp(id)?.frames.get(frame)?.function)
    }

    /// The bits of a register in each lane, and the lanes in which it is undefined as a mask.
    #[must_use]
    pub fn register(&self, id: WarpId, frame: usize, slot: Slot) -> Option<(&Lanes, u32)> {
        let frame = self.warp(id)?.frames.get(frame)?;
        let values = frame.registers.get(slot as usize)?;
        Some((values, *frame.undefined.get(slot as usize)?))
    }

    /// Writes a register in some lanes; returns whether there is one.
    pub fn write_register(
        &mut self,
        id: WarpId,
        frame: usize,
        slot: Slot,
        lanes: u32,
        bits: u64,
    ) -> bool {
        let frame = self.warp_mut(id).and_then(|it| it.frames.get_mut(frame));
        let Some(frame) = frame.filter(|it| (slot as usize) < it.registers.len()) else {
            return false;
        };
        let values = frame.registers[slot as usize].iter_mut().enumerate();
        for (_, value) in values.filter(|it| lanes >> it.0 & 1 == 1) {
            *value = bits;
        }
        frame.mark(slot as usize, lanes, None);
        true
    }

    /// The value of a special register in each lane, by its index in [`isa::special`] with its component and number.
    #[must_use]
    pub fn special(&self, id: WarpId, index: u16, component: u8, number: u32) -> Option<Lanes> {
        let block = self.block(id.block)?;
        let shape = special::Shape {
            launch: &self.launch,
            block,
            warp: id.warp,
            live: block.warps.get(id.warp as usize)?.live,
            steps: self.steps,
            shared: self.layouts.shared,
        };
        Some(special::value(&shape, index, component, number))
    }

    /// The state space of a variable and its address there, for the threads of a frame.
    #[must_use]
    pub fn place_of(&self, view: View, id: VariableId) -> Option<(AddressSpace, u64)> {
        let variable = self.code.variables.get(id as usize)?;
        let mut address = *self.layouts.addresses.get(id as usize)?;
        if variable.space == StateSpace::Local {
            address += self.warp(view.warp)?.frames.get(view.frame)?.local;
        }
        Some((space_of(variable), address))
    }

    /// The address of an array of the launch in global memory, by its index, and its size in bytes.
    #[must_use]
    pub fn array(&self, index: usize) -> Option<(u64, u64)> {
        let mut all = self.world.global.all.iter();
        let found = all.find(|it| it.owner == Owner::Array(index))?;
        Some((found.base, found.data.len() as u64))
    }

    /// Bytes of dynamic and static shared memory of a block, and the address of the first one.
    #[must_use]
    pub fn shared_extent(&self) -> (u64, u64) {
        (SHARED_START, self.layouts.shared)
    }

    /// Up to so many bytes from an address of a state space, as far as there is memory, as a thread sees it.
    #[must_use]
    pub fn read_bytes(&self, view: View, space: AddressSpace, address: u64, count: usize) -> Known {
        let (space, address) = resolve(space, address);
        let known = |bytes: &super::memory::Bytes, offset: u64| -> Known {
            let offset = usize::try_from(offset).unwrap_or(usize::MAX);
            let end = offset.saturating_add(count).min(bytes.len());
            let range = offset.min(end)..end;
            let byte = |at: usize| (!bytes.is_undefined(at)).then(|| bytes.bytes[at]);
            range.map(byte).collect()
        };
        match space {
            AddressSpace::Shared | AddressSpace::SharedCluster => {
                let Some(block) = self.shared_block(view.warp.block, address) else {
                    return Vec::new();
                };
                match (address & 0x00FF_FFFF).checked_sub(SHARED_START) {
                    Some(offset) => known(&block.shared, offset),
                    None => Vec::new(),
                }
            }
            AddressSpace::Local => {
                let Some(local) = self.warp(view.warp).and_then(|it| it.local.get(view.lane))
                else {
                    return Vec::new();
                };
                let end = address.saturating_add(count as u64).min(LOCAL_SIZE);
                let byte = |at: u64| {
                    let (value, undefined) = local.read(at, 1);
                    (undefined == 0).then_some(value as u8)
                };
                (address.min(end)..end).map(byte).collect()
            }
            AddressSpace::Parameter if address >= FRAME_PARAMETERS => {
                let frame = self
                    .warp(view.warp)
                    .and_then(|it| it.frames.get(view.frame));
                let Some(frame) = frame else {
                    return Vec::new();
                };
                let own = view.lane * frame.parameter_size;
                let own = frame.parameters.get(own..own + frame.parameter_size);
                let own = own.unwrap_or_default();
                let offset = (address - FRAME_PARAMETERS) as usize;
                let bytes = own.iter().skip(offset).take(count);
                bytes.map(|it| Some(*it)).collect()
            }
            AddressSpace::Parameter => known(&self.world.entry, address),
            _ => {
                let all = &self.world.global.all;
                let index = all.partition_point(|it| it.base <= address);
                match index.checked_sub(1).map(|it| &all[it]) {
                    Some(it) => known(&it.data, address - it.base),
                    None => Vec::new(),
                }
            }
        }
    }

    /// Writes bytes to an address of a state space as far as there is memory, as a thread sees it; returns how many.
    pub fn write_bytes(
        &mut self,
        view: View,
        space: AddressSpace,
        address: u64,
        bytes: &[u8],
    ) -> usize {
        let room = self.read_bytes(view, space, address, bytes.len()).len();
        let (space, address) = resolve(space, address);
        let bytes = &bytes[..room];
        let write = |to: &mut super::memory::Bytes, offset: u64| {
            for (at, byte) in (offset as usize..).zip(bytes) {
                to.write(at, 1, u64::from(*byte), 0);
            }
        };
        self.world.global.changes += 1;
        match space {
            AddressSpace::Shared | AddressSpace::SharedCluster => {
                let number = self
                    .shared_block(view.warp.block, address)
                    .map(|it| it.number);
                if let Some(block) = number.and_then(|it| self.block_mut(it)) {
                    write(&mut block.shared, (address & 0x00FF_FFFF) - SHARED_START);
                }
            }
            AddressSpace::Local => {
                let warp = self.warp_mut(view.warp);
                if let Some(local) = warp.and_then(|it| it.local.get_mut(view.lane)) {
                    for (at, byte) in (address..).zip(bytes) {
                        local.write(at, 1, u64::from(*byte), 0);
                    }
                }
            }
            AddressSpace::Parameter if address >= FRAME_PARAMETERS => {
                let warp = self.warp_mut(view.warp);
                if let Some(frame) = warp.and_then(|it| it.frames.get_mut(view.frame)) {
                    let start = view.lane * frame.parameter_size;
                    let start = start + (address - FRAME_PARAMETERS) as usize;
                    frame.parameters[start..start + room].copy_from_slice(bytes);
                }
            }
            AddressSpace::Parameter => write(&mut self.world.entry, address),
            _ => {
                let all = &mut self.world.global.all;
                let index = all.partition_point(|it| it.base <= address);
                if let Some(it) = index.checked_sub(1).map(|it| &mut all[it]) {
                    let base = it.base;
                    write(&mut it.data, address - base);
                }
            }
        }
        room
    }

    /// The block of the cluster whose shared memory an address means.
    fn shared_block(&self, own: u64, address: u64) -> Option<&Block> {
        let cluster = self
            .world
            .clusters
            .iter()
            .find(|it| it.blocks.iter().any(|it| it.number == own))?;
        match address >> 24 {
            0 => cluster.blocks.iter().find(|it| it.number == own),
            rank => cluster.blocks.get(rank as usize - 1),
        }
    }

    /// The barriers of a block that were used, by number.
    #[must_use]
    pub fn barriers(&self, block: u64) -> Vec<BarrierView> {
        let barriers = self.block(block).into_iter().flat_map(|it| &it.barriers);
        let views = barriers.map(|(number, it)| BarrierView {
            number: *number,
            expected: it.expected,
            arrived: it.arrived,
            at: it.at,
        });
        let mut views: Vec<BarrierView> = views.collect();
        views.sort_by_key(|it| it.number);
        views
    }

    /// The mbarriers of a block, by address.
    #[must_use]
    pub fn mbarriers(&self, block: u64) -> Vec<MbarrierView> {
        let barriers = self.block(block).into_iter().flat_map(|it| &it.mbarriers);
        let views = barriers.map(|(offset, it)| MbarrierView {
            address: SHARED_START + *offset as u64,
            phase: it.phase,
            expected: it.expected,
            pending: it.pending,
            bytes: it.transactions,
        });
        let mut views: Vec<MbarrierView> = views.collect();
        views.sort_by_key(|it| it.address);
        views
    }

    /// The asynchronous operations of a warp, by the kind of their groups.
    #[must_use]
    pub fn operations(&self, id: WarpId) -> Vec<AsyncView> {
        let Some(warp) = self.warp(id) else {
            return Vec::new();
        };
        let all = self.asynchronous.of_warp(warp.clock).into_iter();
        let views = all.map(|(kind, waiting, closed)| AsyncView {
            kind,
            waiting,
            closed,
        });
        views.collect()
    }
}

fn view(block: &Block, warp: &Warp) -> WarpView {
    let groups = warp.groups.iter().filter(|it| it.lanes != 0);
    let groups = groups.map(|it| GroupView {
        lanes: it.lanes,
        frame: it.frame,
        function: warp.frames[it.frame].function,
        pc: it.pc,
        waits: match it.state {
            State::Ready | State::Released { .. } => None,
            State::AtBarrier { barrier } => Some(Wait::Barrier(barrier)),
            State::ForLanes { mask } => Some(Wait::Lanes(mask)),
            State::AtCluster => Some(Wait::Cluster),
            State::Polls { .. } | State::Spins { .. } => Some(Wait::Change),
        },
    });
    let mut groups: Vec<GroupView> = groups.collect();
    groups.sort_by_key(|it| it.lanes.trailing_zeros());
    WarpView {
        id: WarpId {
            block: block.number,
            warp: warp.number,
        },
        block: block.index,
        live: warp.live,
        groups,
    }
}

/// The state space that a generic address means, and the address there.
fn resolve(space: AddressSpace, address: u64) -> (AddressSpace, u64) {
    use isa::compute::{memory::WINDOW, window};
    match space {
        AddressSpace::Generic => {}
        AddressSpace::Constant if address < WINDOW => {
            return (AddressSpace::Global, address + window(space));
        }
        _ => return (space, address),
    }
    let windows = [
        AddressSpace::Shared,
        AddressSpace::Local,
        AddressSpace::Parameter,
    ];
    let within = |it: &AddressSpace| address.wrapping_sub(window(*it)) < WINDOW;
    match windows.into_iter().find(within) {
        Some(it) => (it, address - window(it)),
        None => (AddressSpace::Global, address),
    }
}

/// The number of lanes of a warp.
pub const WARP: usize = LANES;
