//! Warps: the groups of lanes that run together, and the frames of the functions that they are in.

use analysis::code::{CARRY, STACK};

use super::memory::{LOCAL_SIZE, Local};

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

/// Whether a group can run.
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
    /// The bytes of variables in `.param` space, those of a lane together.
    pub(super) parameters: Vec<u8>,
    /// Bytes of these for a lane.
    pub(super) parameter_size: usize,
    /// Where its local variables begin, in bytes.
    pub(super) local: u64,
    /// Where those of the functions that it calls begin.
    pub(super) local_end: u64,
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
            parameters: Vec::new(),
            parameter_size: 0,
            local: 0,
            local_end: 0,
            caller: None,
            lanes,
            depth: 0,
        };
        frame.registers[STACK as usize] = [LOCAL_SIZE; LANES];
        frame.undefined[STACK as usize] = 0;
        frame.undefined[CARRY as usize] = 0;
        frame
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
    /// Which group runs when they take turns.
    pub(super) turn: usize,
}

impl Warp {
    /// A warp without instructions, through which asynchronous operations reach memory.
    pub(super) fn for_landing() -> Warp {
        Warp {
            frames: vec![Frame::new(0, 2, 0)],
            local: vec![Local::default(); LANES],
            ..Warp::default()
        }
    }

    /// Joins groups that are at the same instruction and can run.
    pub(super) fn merge(&mut self) {
        self.groups.retain(|it| it.lanes != 0);
        let mut index = 1;
        while index < self.groups.len() {
            let (head, tail) = self.groups.split_at_mut(index);
            let group = &tail[0];
            let same = head.iter_mut().find(|it| {
                (it.frame, it.pc, it.state) == (group.frame, group.pc, State::Ready)
                    && group.state == State::Ready
            });
            match same {
                Some(it) => {
                    it.lanes |= group.lanes;
                    self.groups.swap_remove(index);
                }
                None => index += 1,
            }
        }
    }

    /// Lets those look again that poll, if memory has changed.
    pub(super) fn wake_pollers(&mut self, now: u64) {
        for group in &mut self.groups {
            if matches!(group.state, State::Polls { changes } if changes < now) {
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
