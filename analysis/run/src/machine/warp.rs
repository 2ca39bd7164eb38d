//! Warps: the groups of lanes that run together, and the frames of the functions that they are in.

use std::sync::Arc;

use analysis::code::{CARRY, STACK, Source};
use rustc_hash::FxHashMap;
use syntax::TextRange;

use super::{
    findings::lanes_of,
    memory::{LOCAL_SIZE, Local},
    pending::Pending,
    watch::Watch,
};

/// The number of lanes of a warp.
pub(super) const LANES: usize = 32;
/// A value in each lane.
pub(super) type Lanes = [u64; LANES];

/// The lanes of a warp that are at one instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// The lanes as a mask.
    pub(super) lanes: u32,
    /// The frame of the function, by its index in the warp.
    pub(super) frame: usize,
    /// The instruction, by its index in the function.
    pub(super) pc: u32,
    pub(super) state: State,
    /// Where it last polled an mbarrier in vain, and how often memory had changed then.
    pub(super) polled: Option<(u32, u64)>,
}

/// The reason for which a group waits, if it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It can.
    Ready,
    /// It waits at a barrier of the block.
    AtBarrier {
        /// The barrier.
        barrier: u32,
    },
    /// The barrier let it go: the threads that brought a true value, and all.
    Released {
        /// Those with a true value.
        some: u64,
        /// All.
        every: u64,
    },
    /// It waits for other lanes of the warp at the instruction.
    ForLanes {
        /// The lanes.
        mask: u32,
    },
    /// It waits for the other blocks of the cluster.
    AtCluster,
    /// It repeats a loop in which it sees nothing new, until memory has changed more often than this.
    Spins {
        /// The changes when it looked.
        changes: u64,
    },
    /// It polls an mbarrier in vain, until memory has changed more often than this.
    Polls {
        /// The changes when it looked.
        changes: u64,
    },
}

/// A call of a function by some lanes of a warp.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The function, by its index in the code.
    pub(super) function: usize,
    /// The registers, by slot.
    pub(super) registers: Vec<Lanes>,
    /// The lanes in which a register is undefined, by slot.
    pub(super) undefined: Vec<u32>,
    /// The undefined bits in each lane, for slots in which not all are in the lanes above.
    pub(super) partly: FxHashMap<u32, Box<Lanes>>,
    /// The read of memory from which a slot last got something undefined.
    pub(super) origins: FxHashMap<u32, TextRange>,
    /// The bytes of variables in `.param` space, those of a lane together.
    pub(super) parameters: Vec<u8>,
    /// Bytes of these for a lane.
    pub(super) parameter_size: usize,
    /// Where its local variables begin, in bytes.
    pub(super) local: u64,
    /// Where those of the functions that it calls begin.
    pub(super) local_end: u64,
    /// The bytes between its local variables, from where they begin.
    pub(super) holes: Arc<[(u64, u64)]>,
    /// The frame that called it, with the instruction of the call.
    pub(super) caller: Option<(usize, u32)>,
    /// The lanes that have not returned.
    pub(super) lanes: u32,
    /// How many frames are around it.
    pub(super) depth: u32,
}

impl Frame {
    /// A frame of a function with so many slots, for some lanes.
    pub(super) fn new(function: usize, slots: usize, lanes: u32) -> Frame {
        let mut frame = Frame {
            function,
            registers: vec![[0; LANES]; slots],
            undefined: vec![u32::MAX; slots],
            partly: FxHashMap::default(),
            origins: FxHashMap::default(),
            parameters: Vec::new(),
            parameter_size: 0,
            local: 0,
            local_end: 0,
            holes: Arc::default(),
            caller: None,
            lanes,
            depth: 0,
        };
        frame.registers[STACK as usize] = [LOCAL_SIZE; LANES];
        frame.undefined[STACK as usize] = 0;
        frame.undefined[CARRY as usize] = 0;
        frame
    }

    /// Whether some of these bytes of local memory are between its variables.
    pub(super) fn is_hole(&self, offset: u64, bytes: u64) -> bool {
        let Some(start) = offset.checked_sub(self.local) else {
            return false;
        };
        let touches = |it: &(u64, u64)| start < it.1 && it.0 < start + bytes;
        self.holes.iter().any(touches)
    }

    /// The read of memory from which something undefined in one of these sources comes.
    pub(super) fn origin(&self, sources: &[Source]) -> Option<TextRange> {
        let mut slots = sources.iter().filter_map(|it| match it {
            Source::Register(slot, _) => Some(*slot),
            _ => None,
        });
        slots.find_map(|slot| {
            let undefined = self.undefined[slot as usize] != 0;
            self.origins.get(&slot).copied().filter(|_| undefined)
        })
    }

    /// The undefined bits of a slot in a lane.
    pub(super) fn undefined_bits(&self, slot: usize, lane: usize) -> u64 {
        match self.undefined[slot] >> lane & 1 {
            0 => 0,
            _ => self
                .partly
                .get(&(slot as u32))
                .map_or(u64::MAX, |it| it[lane]),
        }
    }

    /// Writes a slot in some lanes, with the bits that are undefined; `None` means none.
    pub(super) fn write(
        &mut self,
        slot: usize,
        lanes: u32,
        value: &Lanes,
        undefined: Option<&Lanes>,
    ) {
        let register = &mut self.registers[slot];
        if lanes == u32::MAX {
            register.copy_from_slice(value);
        } else {
            for lane in lanes_of(lanes).map(usize::from) {
                register[lane] = value[lane];
            }
        }
        if undefined.is_some() || self.undefined[slot] & lanes != 0 {
            self.mark(slot, lanes, undefined);
        }
    }

    /// Says which bits of a slot are undefined in some lanes.
    pub(super) fn mark(&mut self, slot: usize, lanes: u32, bits: Option<&Lanes>) {
        let old = self.undefined[slot];
        let Some(bits) = bits else {
            self.undefined[slot] = old & !lanes;
            if old != 0 && old & !lanes == 0 {
                self.partly.remove(&(slot as u32));
            }
            return;
        };
        let mut all: Lanes = std::array::from_fn(|lane| self.undefined_bits(slot, lane));
        for lane in lanes_of(lanes).map(usize::from) {
            all[lane] = bits[lane];
        }
        let marked = (0..LANES).filter(|it| all[*it] != 0);
        self.undefined[slot] = marked.fold(0, |mask, it| mask | 1 << it);
        match self.undefined[slot] {
            0 => self.partly.remove(&(slot as u32)),
            _ => self.partly.insert(slot as u32, Box::new(all)),
        };
    }
}

/// A warp.
#[derive(Clone, Debug, Default)]
pub(super) struct Warp {
    /// Its number in the block.
    pub(super) number: u32,
    /// The number by which the clocks of the grid know it.
    pub(super) clock: usize,
    /// The lanes that have not ended.
    pub(super) live: u32,
    /// How often it has executed each instruction that is for whole warpgroups.
    pub(super) in_group: FxHashMap<TextRange, u32>,
    pub(super) groups: Vec<Group>,
    pub(super) frames: Vec<Frame>,
    /// Frames that nobody is in.
    pub(super) free: Vec<usize>,
    /// Local memory of each lane.
    pub(super) local: Vec<Local>,
    /// How many instructions it has run.
    pub(super) time: u32,
    /// The phase of the barrier of the cluster at which it arrived last.
    pub(super) cluster_phase: u64,
    /// The lanes that have arrived at the barrier of the cluster and not waited since.
    pub(super) at_cluster: u32,
    /// Which group runs when they take turns.
    pub(super) turn: usize,
    /// The registers of its operations that have not been waited for.
    pub(super) pending: Pending,
    /// How often it was its turn.
    pub(super) turns: u64,
    /// The state to which it may come back.
    pub(super) watch: Watch,
}

impl Warp {
    /// Whether it is one of a block, and not what is in its place while it runs.
    pub(super) fn has_started(&self) -> bool {
        !self.frames.is_empty()
    }

    /// A warp without instructions, through which asynchronous operations reach memory.
    pub(super) fn for_landing() -> Warp {
        Warp {
            // No clock of a warp that runs.
            clock: usize::MAX,
            frames: vec![Frame::new(0, 2, 0)],
            local: vec![Local::default(); LANES],
            ..Warp::default()
        }
    }

    /// Joins groups that are at the same instruction and can run.
    pub(super) fn merge(&mut self) {
        if let [only] = &self.groups[..]
            && only.lanes != 0
        {
            return;
        }
        self.groups.retain(|it| it.lanes != 0);
        let mut index = 1;
        while index < self.groups.len() {
            let group = self.groups[index];
            let same = self.groups[..index].iter().position(|it| {
                (it.pc, it.state, group.state) == (group.pc, State::Ready, State::Ready)
                    && self.are_alike(it.frame, group.frame)
            });
            match same {
                Some(it) => {
                    let frame = self.groups[it].frame;
                    self.move_lanes(group.frame, frame, group.lanes);
                    self.groups[it].lanes |= group.lanes;
                    self.groups.swap_remove(index);
                }
                None => index += 1,
            }
        }
    }

    /// Whether frames are calls of one function from the same places, so that their lanes can run together.
    pub(super) fn are_alike(&self, one: usize, other: usize) -> bool {
        let (mut one, mut other) = (one, other);
        while one != other {
            let (a, b) = (&self.frames[one], &self.frames[other]);
            match (a.caller, b.caller) {
                (Some(x), Some(y)) if x.1 == y.1 && a.function == b.function => {
                    (one, other) = (x.0, y.0);
                }
                _ => return false,
            }
        }
        true
    }

    /// Moves lanes from a frame to one that is alike, and so in the frames that called them.
    pub(super) fn move_lanes(&mut self, from: usize, to: usize, lanes: u32) {
        let (mut from, mut to) = (from, to);
        while from != to {
            let mut source = std::mem::replace(&mut self.frames[from], Frame::new(0, 2, 0));
            let target = &mut self.frames[to];
            for (old, new) in source.registers.iter().zip(&mut target.registers) {
                for lane in lanes_of(lanes).map(usize::from) {
                    new[lane] = old[lane];
                }
            }
            for slot in 0..source.undefined.len().min(target.undefined.len()) {
                if (source.undefined[slot] | target.undefined[slot]) & lanes != 0 {
                    let bits = std::array::from_fn(|lane| source.undefined_bits(slot, lane));
                    target.mark(slot, lanes, Some(&bits));
                }
            }
            let size = source.parameter_size;
            for lane in lanes_of(lanes).map(usize::from) {
                let part = lane * size..(lane + 1) * size;
                target.parameters[part.clone()].copy_from_slice(&source.parameters[part]);
            }
            source.lanes &= !lanes;
            target.lanes |= lanes;
            let callers = source.caller.zip(target.caller);
            if source.lanes == 0 {
                self.free.push(from);
            }
            self.frames[from] = source;
            match callers {
                Some((x, y)) => (from, to) = (x.0, y.0),
                None => return,
            }
        }
    }

    /// Lets those look again that poll, if memory has changed. Lanes of a warp that repeat a loop may also see others of
    /// it run.
    pub(super) fn wake_pollers(&mut self, now: u64) {
        let others = self.can_run();
        for group in &mut self.groups {
            if matches!(group.state, State::Polls { changes } if changes < now)
                || matches!(group.state, State::Spins { changes } if changes < now || others)
            {
                group.state = State::Ready;
            }
        }
    }

    /// The group that runs next: the deepest in calls, and of these the first in the text.
    pub(super) fn next(&self) -> Option<usize> {
        let ready = self.groups.iter().enumerate();
        let ready = ready.filter(|it| matches!(it.1.state, State::Ready | State::Released { .. }));
        let key = |it: &(usize, &Group)| {
            let depth = self.frames[it.1.frame].depth;
            (std::cmp::Reverse(depth), it.1.pc)
        };
        ready.min_by_key(key).map(|it| it.0)
    }

    /// The first instruction at which a group that has been chosen to run may meet another one that can run, or after
    /// which that one is chosen.
    pub(super) fn next_meeting(&self, group: usize) -> Option<u32> {
        if self.groups.len() == 1 {
            return None;
        }
        let depth = |it: &Group| self.frames[it.frame].depth;
        let own = depth(&self.groups[group]);
        let others = self.groups.iter().enumerate();
        let others = others.filter(|(index, it)| {
            let can_run = matches!(it.state, State::Ready | State::Released { .. });
            *index != group && can_run && depth(it) == own
        });
        others.map(|it| it.1.pc).min()
    }

    /// Another group that can run, each in turn, so that none waits forever for one that spins.
    pub(super) fn next_in_turn(&mut self) -> Option<usize> {
        let count = self.groups.len();
        for step in 1..=count {
            let index = (self.turn + step) % count;
            if matches!(
                self.groups[index].state,
                State::Ready | State::Released { .. }
            ) {
                self.turn = index;
                return Some(index);
            }
        }
        None
    }

    /// Whether a group can run.
    pub(super) fn can_run(&self) -> bool {
        self.next().is_some()
    }
}

/// The lowest lane of a mask.
pub(super) fn first(mask: u32) -> usize {
    mask.trailing_zeros() as usize % LANES
}
