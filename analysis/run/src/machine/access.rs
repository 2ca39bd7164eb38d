//! Accesses of memory: from an address to bytes, with what can be wrong on the way.

use isa::compute::{AddressSpace, Place, window};

use crate::outcome::FindingCode;

use super::{
    block::{Block, SHARED_START},
    clock::Clock,
    clusters::Clusters,
    findings::{At, Findings, lanes_of},
    memory::{Global, LOCAL_SIZE, Local},
    races::{Kind, Races, Thread},
    warp::{Frame, LANES},
};

/// Where the variables of a frame in `.param` space begin; those of the entry are below.
pub(super) const FRAME_PARAMETERS: u64 = 1 << 31;
/// The most bytes that one access of a thread copies.
const MOST_AT_ONCE: usize = 16;
/// The size of a window of a state space in bytes.
const WINDOW: u64 = 1 << 32;

/// The bytes that an address means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    /// An allocation in global memory, by its index.
    Global(usize),
    /// The shared memory of a block of the cluster.
    Shared(usize),
    /// Local memory of the thread.
    Local,
    /// The parameters of the entry.
    Entry,
    /// The variables of the frame in `.param` space.
    Frame,
}

/// Accesses of lanes in one region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Together {
    pub(super) region: Region,
    /// The number that an address there exceeds its offset by.
    pub(super) base: u64,
    /// Whether all lanes of a warp access memory, each lane the bytes after the bytes of the lane before.
    pub(super) neighbours: bool,
    /// Whether all lanes of a warp access the same bytes.
    pub(super) is_one: bool,
}

/// The memory as the lanes of a warp see it while they run an instruction.
pub(super) struct Access<'a> {
    pub(super) global: &'a mut Global,
    /// The clusters that have not been launched.
    pub(super) left: &'a mut Clusters,
    /// The response to the request for one of them, once there is one.
    pub(super) response: Option<u128>,
    /// The blocks of the cluster.
    pub(super) blocks: &'a mut [Block],
    /// The block of the warp.
    pub(super) own: usize,
    pub(super) entry: &'a super::memory::Bytes,
    /// Where each of them begins and ends.
    pub(super) parameters: &'a [(u64, u64)],
    pub(super) frame: &'a mut Frame,
    pub(super) local: &'a mut [Local],
    pub(super) findings: &'a mut Findings,
    pub(super) races: &'a mut Races,
    pub(super) at: At,
    pub(super) thread: Thread,
    /// The lanes that run the instruction.
    pub(super) active: u32,
    /// The lane of the first element of the arrays, 0 unless one lane runs alone.
    pub(super) first_lane: usize,
    /// The lanes in which something undefined was read.
    pub(super) undefined: u32,
    /// Whether the undefined bits of memory are read inverted.
    pub(super) inverts: bool,
    /// A parameter without an argument was read.
    pub(super) missing: bool,
    /// Whether nothing is reported or recorded, as the instruction runs a second time.
    pub(super) quiet: bool,
    /// How the accesses count in races.
    pub(super) kind: Kind,
    /// The knowledge of those that see an arrival of this access, if it differs from that of its thread.
    pub(super) knows: Option<Clock>,
}

impl Access<'_> {
    /// The bytes at an address: the region and the offset in it, if all of them lie there.
    pub(super) fn resolve(
        &mut self,
        space: AddressSpace,
        address: u64,
        bytes: u64,
    ) -> Option<(Region, usize)> {
        let inside = |offset: u64, size: u64| bytes <= size && offset <= size - bytes;
        let (space, offset) = match space {
            AddressSpace::Generic => {
                let windows = [
                    AddressSpace::Shared,
                    AddressSpace::Local,
                    AddressSpace::Parameter,
                ];
                let within = |it: &AddressSpace| address.wrapping_sub(window(*it)) < WINDOW;
                match windows.into_iter().find(within) {
                    Some(AddressSpace::Shared) => (
                        AddressSpace::SharedCluster,
                        address - window(AddressSpace::Shared),
                    ),
                    Some(it) => (it, address - window(it)),
                    None => (AddressSpace::Global, address),
                }
            }
            it => (it, address),
        };
        match space {
            AddressSpace::Shared | AddressSpace::SharedCluster => {
                let block = match offset >> 24 {
                    0 => self.own,
                    rank => rank as usize - 1,
                };
                if block != self.own && space == AddressSpace::Shared {
                    return None;
                }
                let offset = (offset & 0x00FF_FFFF).checked_sub(SHARED_START)?;
                let memory = self.blocks.get(block)?;
                let is_there = inside(offset, memory.shared.len() as u64);
                let found = is_there && !memory.is_hole(offset, bytes);
                found.then_some((Region::Shared(block), offset as usize))
            }
            AddressSpace::Local => {
                inside(offset, LOCAL_SIZE).then_some((Region::Local, offset as usize))
            }
            AddressSpace::Parameter if offset >= FRAME_PARAMETERS => {
                let offset = offset - FRAME_PARAMETERS;
                let size = self.frame.parameter_size as u64;
                inside(offset, size).then_some((Region::Frame, offset as usize))
            }
            AddressSpace::Fabric | AddressSpace::FabricCopies => {
                let found = self.global.at_endpoint(space, offset).ok()?;
                let address = inside(found.offset, found.size).then_some(found.address)?;
                let (index, offset) = self.global.find(address, bytes)?;
                Some((Region::Global(index), offset))
            }
            AddressSpace::Parameter => {
                let (start, end) = self.parameter(offset)?;
                inside(offset - start, end - start).then_some((Region::Entry, offset as usize))
            }
            _ => {
                // A launch may give an array as one in constant memory: it has an address of global memory.
                let window = match space {
                    AddressSpace::Constant if offset < WINDOW => window(space),
                    _ => 0,
                };
                let (index, offset) = self.global.find(window + offset, bytes)?;
                Some((Region::Global(index), offset))
            }
        }
    }

    /// As [`Access::resolve`], with findings where an access of `bytes` bytes at `address` is wrong.
    pub(super) fn checked(
        &mut self,
        space: AddressSpace,
        address: u64,
        bytes: u64,
        lane: usize,
        writes: bool,
    ) -> Option<(Region, usize)> {
        let mask = 1 << lane;
        let found = self.resolve(space, address, bytes);
        if self.quiet {
            return found;
        }
        if bytes.is_power_of_two() && !address.is_multiple_of(bytes) {
            self.misaligned(address, bytes, mask);
            return None;
        }
        let Some((region, offset)) = found else {
            self.out_of_bounds(space, address, bytes, mask, writes);
            return None;
        };
        if region == Region::Local && self.is_dead(offset as u64, bytes, lane) {
            self.dead(address, offset as u64, mask, lane);
            return None;
        }
        if let Region::Shared(block) = region
            && block != self.own
            && self.blocks[block].live == 0
        {
            let message = "the block with this shared memory has ended".to_owned();
            let code = FindingCode::UseAfterReturn;
            self.findings
                .push(code, &self.at, mask, message, Vec::new());
            return None;
        }
        if let Region::Shared(block) = region
            && block != self.own
            && !self.blocks[block].started
        {
            let others = self.blocks[block].warps.iter().map(|it| it.clock);
            if !self.races.knows_start(self.thread.view, others) {
                let message = "nothing orders the start of the block with this shared memory before this access";
                self.findings.push(
                    FindingCode::Race,
                    &self.at,
                    mask,
                    message.to_owned(),
                    Vec::new(),
                );
            }
        }
        if let Region::Global(index) = region {
            let allocation = &self.global.all[index];
            if allocation.freed || (writes && !allocation.writable) {
                let (name, what) = (
                    &allocation.name,
                    match allocation.freed {
                        true => "has been freed",
                        false => "is constant",
                    },
                );
                let message = format!("`{name}` {what}");
                let code = FindingCode::OutOfBounds;
                self.findings
                    .push(code, &self.at, mask, message, Vec::new());
                return None;
            }
        }
        Some((region, offset))
    }

    /// Whether no variable has some bytes of local memory: those between the frames and what `alloca` gave, and those
    /// between variables.
    fn is_dead(&self, offset: u64, bytes: u64, lane: usize) -> bool {
        let frame = &self.frame;
        let stack = frame.registers[analysis::code::STACK as usize][lane];
        let is_above = offset + bytes > frame.local_end && offset < stack;
        is_above || frame.is_hole(offset, bytes)
    }

    pub(super) fn dead(&mut self, address: u64, offset: u64, mask: u32, lane: usize) {
        let is_used = self.local[lane].was_used(offset) && offset >= self.frame.local_end;
        let (code, message) = match is_used {
            true => (
                FindingCode::UseAfterReturn,
                format!("the variable at {address:#x} was that of a function that has returned"),
            ),
            false => (
                FindingCode::OutOfBounds,
                format!("address {address:#x} of local memory is in no variable"),
            ),
        };
        self.findings
            .push(code, &self.at, mask, message, Vec::new());
    }

    /// Whether addresses between which a lane copies few bytes are multiples of their number, as one access needs it.
    pub(super) fn are_aligned(&mut self, addresses: &[u64], size: usize, lane: usize) -> bool {
        if !size.is_power_of_two() || size > MOST_AT_ONCE {
            return true;
        }
        let bytes = size as u64;
        let wrong = addresses.iter().find(|it| !it.is_multiple_of(bytes));
        if let Some(address) = wrong.filter(|_| !self.quiet) {
            self.misaligned(*address, bytes, 1 << lane);
        }
        wrong.is_none()
    }

    pub(super) fn misaligned(&mut self, address: u64, bytes: u64, mask: u32) {
        let code = FindingCode::MisalignedAccess;
        if !self.findings.knows(code, &self.at, mask) {
            let message = format!(
                "the address {address:#x} is not a multiple of {bytes}, the size of the access"
            );
            self.findings
                .push(code, &self.at, mask, message, Vec::new());
        }
    }

    pub(super) fn out_of_bounds(
        &mut self,
        space: AddressSpace,
        address: u64,
        bytes: u64,
        mask: u32,
        writes: bool,
    ) {
        let code = FindingCode::OutOfBounds;
        if self.findings.knows(code, &self.at, mask) {
            return;
        }
        let shared = address.wrapping_sub(window(AddressSpace::Shared)) < WINDOW;
        let is_shared = matches!(space, AddressSpace::Shared | AddressSpace::SharedCluster)
            || (space == AddressSpace::Generic && shared);
        let place = match is_shared {
            true => self.shared_place(space, address, bytes),
            false => match space {
                AddressSpace::Fabric | AddressSpace::FabricCopies => {
                    match self.global.at_endpoint(space, address) {
                        Ok(it) => format!(
                            "byte {} of the logical endpoint of `{}`, which has {}",
                            it.offset, it.name, it.size
                        ),
                        Err(reason) => reason,
                    }
                }
                AddressSpace::Local => format!("address {address:#x} of local memory"),
                AddressSpace::Parameter => match self.parameter(address) {
                    Some((start, end)) if address < FRAME_PARAMETERS => format!(
                        "at byte {} of a parameter, which has {}",
                        address - start,
                        end - start
                    ),
                    _ => "outside the parameters".to_owned(),
                },
                _ => self.global.neighbour(address),
            },
        };
        let what = if writes { "writes" } else { "reads" };
        let message = format!("the access {what} {bytes} bytes: {place}");
        self.findings
            .push(code, &self.at, mask, message, Vec::new());
    }

    /// Where the parameter of the entry begins and ends that is at an address or below it.
    fn parameter(&self, address: u64) -> Option<(u64, u64)> {
        let after = self.parameters.partition_point(|it| it.0 <= address);
        Some(self.parameters[after.checked_sub(1)?])
    }

    /// A phrase for an address of shared memory at which nothing is.
    fn shared_place(&self, space: AddressSpace, address: u64, bytes: u64) -> String {
        let inside = address.wrapping_sub(match space {
            AddressSpace::Generic => window(AddressSpace::Shared),
            _ => 0,
        });
        if inside >= WINDOW {
            return format!("{address:#x} is not an address of shared memory");
        }
        let block = match inside >> 24 {
            0 => self.own,
            rank => rank as usize - 1,
        };
        let Some(memory) = self.blocks.get(block) else {
            return format!(
                "shared memory of block {block} of the cluster, which has {} blocks",
                self.blocks.len()
            );
        };
        if block != self.own && space == AddressSpace::Shared {
            return format!(
                "shared memory of block {block} of the cluster, and the instruction is for that of its own block"
            );
        }
        let size = memory.shared.len() as u64;
        let offset = (inside & 0x00FF_FFFF) as i64 - SHARED_START as i64;
        match memory.is_hole(offset.cast_unsigned(), bytes) {
            true => format!("offset {offset} of shared memory, between two variables"),
            false => {
                format!("offset {offset} of shared memory, of which the block has {size} bytes")
            }
        }
    }

    pub(super) fn shared_key(&self, region: Region, offset: usize) -> Option<u64> {
        match region {
            Region::Global(index) => Some(self.global.all[index].base + offset as u64),
            Region::Shared(block) => Some(self.blocks[block].shared_key(offset)),
            Region::Local | Region::Entry | Region::Frame => None,
        }
    }

    /// The region that all accesses of `lanes` are in; `None` if they are in several regions or in memory that is
    /// private to a lane, or if one of them is an error.
    pub(super) fn together<const N: usize>(
        &mut self,
        place: &Place,
        addresses: &[u64; N],
        lanes: u32,
        writes: bool,
    ) -> Option<Together> {
        let bytes = u64::from(place.bytes) * u64::from(place.count);
        if N != LANES || self.first_lane != 0 || place.field.is_some() || lanes == 0 {
            return None;
        }
        let (mut least, mut most, mut bits) = (u64::MAX, 0, 0);
        let mut neighbours = false;
        if lanes == u32::MAX {
            let (mut wrong, mut next) = (0, addresses[0]);
            for it in addresses {
                wrong |= it ^ next;
                next = next.wrapping_add(bytes);
            }
            neighbours = wrong == 0;
            if neighbours {
                (least, most, bits) = (addresses[0], addresses[N - 1], addresses[0]);
            } else {
                for it in addresses {
                    (least, most, bits) = (least.min(*it), most.max(*it), bits | it);
                }
            }
        } else {
            for lane in lanes_of(lanes) {
                let it = addresses[usize::from(lane)];
                (least, most, bits) = (least.min(it), most.max(it), bits | it);
            }
        }
        if !bytes.is_power_of_two() || bits & (bytes - 1) != 0 {
            return None;
        }
        let (region, offset) = self.resolve(place.space, least, bytes)?;
        let (other, last) = self.resolve(place.space, most, bytes)?;
        let extent = most - least;
        if region != other || last as u64 - offset as u64 != extent {
            return None;
        }
        let is_right = match region {
            Region::Global(index) => {
                let allocation = &self.global.all[index];
                !allocation.freed && (allocation.writable || !writes)
            }
            Region::Shared(block) => {
                block == self.own && !self.blocks[block].is_hole(offset as u64, extent + bytes)
            }
            Region::Entry => !writes,
            Region::Local | Region::Frame => false,
        };
        is_right.then(|| Together {
            region,
            base: least - offset as u64,
            neighbours: neighbours && least < most,
            is_one: lanes == u32::MAX && least == most,
        })
    }

    /// Reads up to 8 bytes of a region, with the bits that are undefined.
    pub(super) fn read(
        &self,
        region: Region,
        offset: usize,
        count: usize,
        lane: usize,
    ) -> (u64, u64) {
        match region {
            Region::Global(index) => self.global.all[index].data.read(offset, count),
            Region::Shared(block) => self.blocks[block].shared.read(offset, count),
            Region::Local => self.local[lane].read(offset as u64, count),
            Region::Entry => self.entry.read(offset, count),
            Region::Frame => {
                let start = lane * self.frame.parameter_size + offset;
                let mut number = [0; 8];
                if let Some(bytes) = self.frame.parameters.get(start..start + count) {
                    number[..count].copy_from_slice(bytes);
                }
                (u64::from_le_bytes(number), 0)
            }
        }
    }

    pub(super) fn write(
        &mut self,
        region: Region,
        offset: usize,
        count: usize,
        lane: usize,
        (value, undefined): (u64, u64),
    ) {
        let (before, _) = self.read(region, offset, count, lane);
        let mask = u64::MAX >> (64 - 8 * count as u32);
        self.global.changes += u64::from(before != value & mask);
        match region {
            Region::Global(index) => {
                let data = &mut self.global.all[index].data;
                data.write(offset, count, value, undefined);
            }
            Region::Shared(block) => {
                let shared = &mut self.blocks[block].shared;
                shared.write(offset, count, value, undefined);
            }
            Region::Local => self.local[lane].write(offset as u64, count, value, undefined),
            Region::Entry => {}
            Region::Frame => {
                let start = lane * self.frame.parameter_size + offset;
                if let Some(bytes) = self.frame.parameters.get_mut(start..start + count) {
                    bytes.copy_from_slice(&value.to_le_bytes()[..count]);
                }
            }
        }
    }

    /// Where the first element of a place is. The whole access must be right; that is reported for the first element.
    pub(super) fn whole(
        &mut self,
        place: &Place,
        address: u64,
        lane: usize,
        writes: bool,
        element: u8,
    ) -> Option<(Region, usize)> {
        let bytes = u64::from(place.bytes) * u64::from(place.count);
        match element {
            0 => self.checked(place.space, address, bytes, lane, writes),
            _ if !address.is_multiple_of(bytes.next_power_of_two()) => None,
            _ => self.resolve(place.space, address, bytes),
        }
    }

    /// Reads many bytes in a lane; `None` if they do not lie in memory, which is reported. Undefined ones are told.
    pub(super) fn read_many(
        &mut self,
        place: &Place,
        address: u64,
        size: usize,
        lane: usize,
    ) -> Option<Vec<(u8, bool)>> {
        if size == 0 {
            return Some(Vec::new());
        }
        let (region, offset) = self.many(place.space, address, size, lane, false)?;
        let mut all = Vec::with_capacity(size);
        for at in 0..size {
            let (value, undefined) = self.read(region, offset + at, 1, lane);
            all.push((value as u8, undefined != 0));
        }
        self.record(region, offset, size, lane, false);
        Some(all)
    }

    /// Bytes lose their value, and an mbarrier that is there.
    pub(super) fn forget(&mut self, region: Region, offset: usize, size: usize, lane: usize) {
        match region {
            Region::Global(index) => self.global.all[index].data.mark(offset, size, true),
            Region::Shared(block) => {
                let block = &mut self.blocks[block];
                block.shared.mark(offset, size, true);
                block.mbarriers.remove(&offset);
            }
            Region::Local => {
                let start = offset as u64;
                self.local[lane].clear(start, start + size as u64);
            }
            Region::Entry | Region::Frame => {}
        }
    }

    pub(super) fn many(
        &mut self,
        space: AddressSpace,
        address: u64,
        size: usize,
        lane: usize,
        writes: bool,
    ) -> Option<(Region, usize)> {
        let found = self.resolve(space, address, size as u64);
        if found.is_none() && !self.quiet {
            self.out_of_bounds(space, address, size as u64, 1 << lane, writes);
        }
        found
    }

    /// The lanes in which a value is read.
    pub(super) fn running<const N: usize>(&self) -> u32 {
        match N {
            1 => 1 << self.first_lane,
            _ => self.active,
        }
    }
}
