//! Groups of asynchronous operations that a thread starts, commits and waits for.

use std::ops::Range;

use isa::event::{EventKind, Group};

use crate::{
    flow::{facts::Step, ids::BlockId},
    protocols::{
        kernel::{Kernel, KernelEvent},
        known::Known,
        moments::{Moment, Moments},
    },
};

/// Operations that are followed at a time.
const MAX_OPERATIONS: usize = 128;
/// More groups than are counted.
const MANY: u8 = 32;

/// The groups with their names.
pub(super) const GROUPS: [(Group, &str); 6] = [
    (Group::Wgmma, "asynchronous products of the warpgroup"),
    (Group::Copy, "asynchronous copies of the thread"),
    (Group::Bulk, "bulk copies in groups"),
    (Group::TensorLoad, "loads from tensor memory"),
    (Group::TensorStore, "stores to tensor memory"),
    (Group::TensorMma, "operations of the tensor core"),
];

/// The operations that may be in flight, by instruction, and how many groups were committed since, their own included.
pub(super) type Running = Vec<(Step, u8)>;

/// The stages of one group.
#[derive(Clone, Copy)]
pub(super) struct Stages<'k, 'f> {
    kernel: &'k Kernel<'f>,
    group: Group,
}

impl<'k, 'f> Stages<'k, 'f> {
    pub(super) fn of(kernel: &'k Kernel<'f>, group: Group) -> Stages<'k, 'f> {
        Stages { kernel, group }
    }

    /// How many groups a wait leaves, if it leaves any. Tensor memory has no groups: its waits are for all.
    pub(super) fn left(self, event: &KernelEvent) -> Option<u8> {
        let counted = matches!(self.group, Group::Wgmma | Group::Copy | Group::Bulk);
        if !counted || self.kernel.operand(event, 0).is_none() {
            return None;
        }
        u8::try_from(self.kernel.constant(event, 0)?).ok()
    }

    /// Whether this is a wait for the group.
    pub(super) fn is_wait(self, kind: EventKind) -> bool {
        matches!(kind, EventKind::Wait(it) | EventKind::WaitRead(it) if it == self.group)
    }

    /// Changes the running operations as a moment does.
    pub(super) fn apply(self, step: Step, moment: Moment<'_>, running: &mut Running) {
        let Moment::Event(event) = moment else {
            return;
        };
        match event.kind {
            EventKind::Issue(it) if it == self.group => {
                running.retain(|it| it.0 != step);
                if running.len() < MAX_OPERATIONS {
                    running.push((step, 0));
                    running.sort_unstable();
                }
            }
            EventKind::Commit(it) if it == self.group => {
                running
                    .iter_mut()
                    .for_each(|it| it.1 = (it.1 + 1).min(MANY));
            }
            kind if self.is_wait(kind) => match self.left(event) {
                Some(left) => running.retain(|it| it.1 <= left),
                None => running.clear(),
            },
            _ => {}
        }
    }

    /// Adds the operations that may run on another way to the same place.
    pub(super) fn join(into: &mut Running, other: &Running) {
        for it in other {
            match into.binary_search_by_key(&it.0, |it| it.0) {
                Ok(at) => into[at].1 = into[at].1.min(it.1),
                Err(at) if into.len() < MAX_OPERATIONS => into.insert(at, *it),
                Err(_) => {}
            }
        }
    }
}

/// Instructions of a block during which operations of a group may be in flight, from the one that starts them to the
/// wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InFlight {
    /// The name of the group.
    pub(crate) group: &'static str,
    pub(crate) block: BlockId,
    pub(crate) steps: Range<Step>,
}

/// The operations in flight in a function, of the groups that it waits for. An operation that arrives at an mbarrier
/// may be waited for by other threads.
pub(crate) fn in_flight(known: &Known<'_>) -> Vec<InFlight> {
    if known.flow.facts.eventful.is_empty() {
        return Vec::new();
    }
    let kernel = Kernel::new(known);
    let moments = Moments::of(&kernel);
    let mut found = Vec::new();
    for (group, name) in GROUPS {
        let stages = Stages::of(&kernel, group);
        if !kernel.events.iter().any(|it| stages.is_wait(it.kind)) {
            continue;
        }
        let spans = moments.spans(
            Running::new(),
            |step, moment, running| stages.apply(step, moment, running),
            Stages::join,
            |running: &Running| !running.is_empty(),
        );
        found.extend(spans.into_iter().map(|(block, steps)| InFlight {
            group: name,
            block,
            steps,
        }));
    }
    found.sort_by_key(|it| it.block);
    found
}
