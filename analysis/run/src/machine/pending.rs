//! Registers of operations that have not been waited for: products of a warpgroup, loads from tensor memory.

use analysis::code::{Slot, Source};
use isa::{
    compute::{Op, Program},
    event::Group,
};
use rustc_hash::FxHashMap;
use syntax::TextRange;

/// The registers of a warp that operations still use, and those that were written since the last fence for registers.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    /// By frame and slot.
    pub(super) used: FxHashMap<(usize, Slot), Use>,
    /// When the last fence for registers was, by the time of the warp; 0 if there was none.
    pub(super) fence: u32,
    /// The registers that were written since, by frame and slot, with the statement.
    pub(super) written: FxHashMap<(usize, Slot), TextRange>,
}

/// The use of a register by an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) group: Group,
    /// The number of the group of the operation.
    pub(super) number: u32,
    /// Whether the operation writes it.
    pub(super) writes: bool,
    /// Whether the register only holds a copy of that of the operation.
    pub(super) copied: bool,
    pub(super) range: TextRange,
}

/// The slot of a register that a node of a program is, if it is one.
pub(super) fn slot_of(program: &Program, sources: &[Source], node: u32) -> Option<Slot> {
    let Some(Op::Input(input)) = program.steps.get(node as usize) else {
        return None;
    };
    match sources.get(*input as usize) {
        Some(Source::Register(slot, _)) => Some(*slot),
        _ => None,
    }
}

impl Pending {
    /// Whether no instruction that reads or writes registers concerns it.
    pub(super) fn is_idle(&self) -> bool {
        self.fence == 0 && self.used.is_empty()
    }

    /// An operation of a statement uses registers of a frame from now on: those that it reads when it runs, and those
    /// that it writes.
    pub(super) fn begin(
        &mut self,
        (frame, range): (usize, TextRange),
        program: &Program,
        (sources, destinations): (&[Source], &[Option<Slot>]),
        (group, number): (Group, u32),
    ) {
        let used = |writes| Use {
            group,
            number,
            writes,
            copied: false,
            range,
        };
        if let Some(tensor) = &program.tensor {
            tensor.for_each_register(|node, writes| {
                if let (Some(slot), false) = (slot_of(program, sources, node), writes) {
                    self.used.insert((frame, slot), used(false));
                }
            });
        }
        for slot in destinations.iter().flatten() {
            self.used.insert((frame, *slot), used(true));
        }
    }

    /// Groups up to a number are complete.
    pub(super) fn landed(&mut self, group: Group, known: u32) {
        self.used
            .retain(|_, it| it.group != group || it.number > known);
    }

    /// A fence for registers, at a time of the warp.
    pub(super) fn fence_registers(&mut self, time: u32) {
        self.fence = time.max(1);
        self.written.clear();
    }
}
