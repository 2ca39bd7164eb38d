//! The goals and stops of a run that is debugged, and the changes that a person makes.

use isa::compute::AddressSpace;

use crate::{
    machine::inspect::{View, WarpId},
    outcome::Finding,
};

/// A thread at which a person looks: a lane of a warp, for all lanes that are at the same instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    /// The warp.
    pub warp: WarpId,
    /// The lane.
    pub lane: usize,
}

/// A change that a person made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A change of a register in some lanes.
    Register {
        /// The warp.
        warp: WarpId,
        /// The frame, by its index in the warp.
        frame: usize,
        /// The slot.
        slot: u32,
        /// The lanes as a mask.
        lanes: u32,
        /// The new bits.
        bits: u64,
    },
    /// A change of memory.
    Memory {
        /// The thread whose memory it is.
        view: View,
        /// The state space.
        space: AddressSpace,
        /// The first byte.
        address: u64,
        /// The new bytes.
        bytes: Vec<u8>,
    },
}

/// The way in which a run continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// To the next breakpoint or finding.
    Continue,
    /// Until the lanes have run an instruction.
    StepIn(Thread),
    /// The same, where calls are one.
    Next(Thread),
    /// Until the function has returned.
    StepOut(Thread),
    /// Until the lanes are at an instruction that waits for other warps.
    Barrier(Thread),
    /// Until the lanes are at another source line, where calls are one.
    Line(Thread),
    /// Back to before the last instruction of the lanes.
    StepBack(Thread),
    /// Back to the last breakpoint or finding, or to the start.
    Reverse,
}

/// Why a run has stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is at its start.
    Entry,
    /// A step is done.
    Step,
    /// Somebody asked for it.
    Pause,
    /// It is at breakpoints, by their numbers.
    Breakpoint(Vec<u64>),
    /// Watched data has changed, by its number.
    Data(u64),
    /// Findings. Unless all threads wait, the run is before the instruction that has them.
    Finding(Vec<Finding>),
    /// An instruction is next that makes NaN in these lanes, as a mask, of operands that are none.
    Nan(u32),
    /// The kernel has ended.
    Ended,
}

/// A stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Why.
    pub reason: Reason,
    /// At which thread; of a kernel without threads none.
    pub thread: Option<Thread>,
}
