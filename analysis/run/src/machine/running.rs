//! The warp that runs an instruction, and how its accesses count.

use analysis::code::Instruction;
use isa::{
    compute::{Op, Place, Program},
    event::EventKind,
    semantics::Order,
};

use super::{findings::At, races::Kind};

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

/// The place that a program of an atomic operation reads and writes, if it is one place, and the node of its address.
pub(super) fn updated(program: &Program) -> Option<(Place, u32)> {
    let first = program.stores.first()?;
    let place = program.places[usize::from(first.place)];
    let is_there = |it: u16, address: u32| {
        program.places[usize::from(it)] == place && address == first.address
    };
    let written = program.stores.iter();
    let written = written.filter(|it| is_there(it.place, it.address));
    let is_whole = written.count() == usize::from(place.count)
        && program.stores.len() == usize::from(place.count);
    let mut steps = program.steps.iter();
    let is_read = steps.all(|it| match it {
        Op::Load { place, address, .. } => is_there(*place, *address),
        _ => true,
    });
    let found = is_whole && is_read && place.field.is_none();
    found.then_some((place, first.address))
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
