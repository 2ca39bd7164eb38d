//! Kinds of instructions by what the tables say of them.

use analysis::code::{Code, Instruction};
use isa::{event::EventKind, semantics::Order};

/// Whether others wait for an instruction, or it waits for them, or it orders memory.
#[must_use]
pub fn synchronizes(instruction: &Instruction) -> bool {
    // To sleep orders nothing for other threads.
    let orders =
        !matches!(instruction.order, Order::None | Order::Volatile) && instruction.strength.scoped;
    let mut events = instruction.events.iter();
    orders || events.any(|it| is_synchronization(it.kind))
}

/// Whether an instruction is a fence for tensor memory only. Where all waits acquire and all arrivals release, these order
/// operations on tensor memory as well, and it is not needed.
#[must_use]
pub fn fences_tensor_memory(instruction: &Instruction) -> bool {
    let is_fence = |it| matches!(it, EventKind::FenceBefore | EventKind::FenceAfter);
    instruction.events.iter().any(|it| is_fence(it.kind))
}

/// Whether threads may wait or arrive by an instruction that orders nothing, such as a relaxed access.
#[must_use]
pub fn synchronizes_without_order(instruction: &Instruction) -> bool {
    let is_open = matches!(instruction.order, Order::None | Order::Volatile);
    instruction.strength.strong && is_open
}

fn is_synchronization(event: EventKind) -> bool {
    use EventKind::{
        Arrive, ArriveCopies, ArriveExpect, BlockArrive, BlockSync, ClusterArrive, ClusterWait,
        Commit, Expect, FenceAfter, FenceBefore, GridLaunch, GridWait, Init, PhaseWait,
        PhaseWaitRelaxed, ProxyFence, RegisterFence, Wait, WaitRead, WarpSync,
    };
    matches!(
        event,
        Commit(_)
            | Wait(_)
            | WaitRead(_)
            | RegisterFence
            | Init
            | Expect
            | Arrive
            | ArriveExpect
            | ArriveCopies
            | PhaseWait
            | PhaseWaitRelaxed
            | BlockSync
            | BlockArrive
            | WarpSync
            | ClusterArrive
            | ClusterWait
            | ProxyFence
            | FenceBefore
            | FenceAfter
            | GridLaunch
            | GridWait
    )
}

/// Whether an instruction of some code starts an operation that ends later, so that it matters how late.
#[must_use]
pub fn has_asynchronous_operations(code: &Code) -> bool {
    use EventKind::{ArriveCopies, Commit, Complete, Issue, Wait, WaitRead};
    let instructions = code.functions.iter().flat_map(|it| &it.instructions);
    let mut events = instructions.flat_map(|it| &it.events);
    events.any(|it| {
        matches!(
            it.kind,
            Issue(_) | Commit(_) | Wait(_) | WaitRead(_) | ArriveCopies | Complete
        )
    })
}
