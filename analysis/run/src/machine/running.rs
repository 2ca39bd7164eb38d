//! The warp that runs an instruction, and how its accesses count.

use analysis::code::Instruction;
use isa::{compute::Program, event::EventKind, semantics::Order};

use super::{atomics::updated, findings::At, races::Kind};

/// A warp that runs an instruction: its place, and the lanes that run it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    pub(super) cluster: usize,
    pub(super) block: usize,
    /// The group, by its index in the warp.
    pub(super) group: usize,
    /// The frame, by its index in the warp.
    pub(super) frame: usize,
    pub(super) active: u32,
    pub(super) at: At,
}

/// How the accesses of an instruction count in races.
pub(super) fn kind_of(instruction: &Instruction, program: &Program) -> Kind {
    Kind {
        strong: program.atomic || instruction.strength.strong,
        atomic: program.atomic,
        scope: instruction.strength.scope,
        order: instruction.order,
        asynchronous: false,
        by_proxy: instruction.by_proxy,
        in_order: instruction
            .events
            .iter()
            .any(|it| it.kind == EventKind::TensorAlloc),
        pipelined: false,
        read_only: instruction.read_only,
        updates: program.atomic && updated(program).is_some(),
        relaxed: instruction.strength.strong && instruction.order == Order::None,
        value: 0,
    }
}
