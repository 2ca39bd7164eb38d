//! Who belongs to whom: the events of a function as groups, barriers and allocations.

use isa::event::{EventKind, Group};

use crate::{
    flow::facts::Step,
    protocols::{
        kernel::{Kernel, KernelEvent, MemoryPlace},
        known::Known,
        moments::{Moment, Moments},
        stages::{GROUPS, Running, Stages},
    },
};

/// Things that events of a function have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Protocol {
    /// Their common part, as a heading.
    pub(crate) title: String,
    /// The events, in the order of the text.
    pub(crate) parts: Vec<Part>,
}

/// An event of a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The instruction.
    pub(crate) step: Step,
    /// Its effect there.
    pub(crate) role: String,
    /// The instructions that it waits for or commits, or that do so with it; empty if all others count.
    pub(crate) partners: Vec<Step>,
}

/// The protocols of a function.
pub(crate) fn protocols(known: &Known<'_>) -> Vec<Protocol> {
    if known.flow.facts.eventful.is_empty() {
        return Vec::new();
    }
    let kernel = Kernel::new(known);
    let moments = Moments::of(&kernel);
    let mut found = Vec::new();
    for (group, title) in GROUPS {
        found.extend(in_groups(&kernel, &moments, group, title));
    }
    found.extend(barriers_in_memory(&kernel));
    found.extend(barriers_of_block(&kernel));
    found.extend(others(&kernel));
    found
}

/// The stages of a group of operations.
fn in_groups(
    kernel: &Kernel<'_>,
    moments: &Moments<'_, '_>,
    group: Group,
    title: &str,
) -> Option<Protocol> {
    let role = |kind: EventKind| match kind {
        EventKind::Issue(it) if it == group => Some("starts"),
        EventKind::Commit(it) if it == group => Some("commits"),
        EventKind::Wait(it) | EventKind::WaitRead(it) if it == group => Some("waits"),
        EventKind::RegisterFence if group == Group::Wgmma => Some("orders registers"),
        _ => None,
    };
    let stages = Stages::of(kernel, group);
    let mut pairs: Vec<(Step, Step)> = Vec::new();
    let apply = |step: Step, moment: Moment<'_>, running: &mut Running| {
        stages.apply(step, moment, running);
    };
    moments.go(
        Running::new(),
        apply,
        Stages::join,
        &mut |step, moment, running| {
            let Moment::Event(event) = moment else {
                return;
            };
            let wants = |age: u8| match event.kind {
                EventKind::Commit(it) => it == group && age == 0,
                kind => stages.is_wait(kind) && stages.left(event).is_none_or(|left| age > left),
            };
            let partners = running.iter().filter(|it| wants(it.1));
            pairs.extend(partners.map(|it| (step, it.0)));
        },
    );
    let parts = kernel.events.iter().filter_map(|it| {
        let mut role = role(it.kind)?.to_owned();
        if role == "waits"
            && let Some(left) = stages.left(it)
        {
            role = match left {
                0 => "waits until no group is pending".to_owned(),
                1 => "waits until at most 1 group is pending".to_owned(),
                _ => format!("waits until at most {left} groups are pending"),
            };
        }
        Some(Part {
            step: it.step,
            role,
            partners: partners(&pairs, it.step),
        })
    });
    let parts: Vec<Part> = parts.collect();
    let own = |it: &Part| !it.role.starts_with("orders");
    parts.iter().any(own).then(|| Protocol {
        title: title.to_owned(),
        parts,
    })
}

/// Who is in a pair with an instruction.
fn partners(pairs: &[(Step, Step)], step: Step) -> Vec<Step> {
    let other = |it: &(Step, Step)| match *it {
        (one, other) if one == step => Some(other),
        (one, other) if other == step => Some(one),
        _ => None,
    };
    let mut found: Vec<Step> = pairs.iter().filter_map(other).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The barriers in shared memory whose place is known.
fn barriers_in_memory(kernel: &Kernel<'_>) -> Vec<Protocol> {
    let mut found: Vec<(MemoryPlace, Protocol)> = Vec::new();
    for event in &kernel.events {
        let number = |words: &str, before: &str| match kernel.constant(event, 1) {
            Some(it) => format!("{words}{before} {it}"),
            None => words.to_owned(),
        };
        let role = match event.kind {
            EventKind::Init => number("initializes", " for arrivals:"),
            EventKind::Invalidate => "invalidates".to_owned(),
            EventKind::Expect => number("expects bytes", ":"),
            EventKind::Arrive => "arrives".to_owned(),
            EventKind::ArriveExpect => number("arrives and expects bytes", ":"),
            EventKind::ArriveCopies => "arrives when copies are done".to_owned(),
            EventKind::Commit(Group::TensorMma) => {
                "arrives when the tensor core is done".to_owned()
            }
            EventKind::Complete => number("brings bytes", ":"),
            EventKind::PhaseWait => number("waits", " for parity"),
            EventKind::PhaseWaitRelaxed => number("waits, relaxed", ", for parity"),
            _ => continue,
        };
        let Some(place) = kernel.address(event) else {
            continue;
        };
        let part = Part {
            step: event.step,
            role,
            partners: Vec::new(),
        };
        match found.iter_mut().find(|it| it.0 == place) {
            Some(it) => it.1.parts.push(part),
            None => found.push((
                place,
                Protocol {
                    title: format!("mbarrier `{}`", kernel.describe(place)),
                    parts: vec![part],
                },
            )),
        }
    }
    found.into_iter().map(|it| it.1).collect()
}

/// The barriers of the block, by their numbers.
fn barriers_of_block(kernel: &Kernel<'_>) -> Vec<Protocol> {
    let mut found: Vec<(Option<i64>, Protocol)> = Vec::new();
    for event in &kernel.events {
        let words = match event.kind {
            EventKind::BlockSync => "waits",
            EventKind::BlockArrive => "arrives",
            _ => continue,
        };
        let role = match kernel.constant(event, 1) {
            Some(it) => format!("{words} with {it} threads"),
            None => words.to_owned(),
        };
        let number = kernel.constant(event, 0);
        let part = Part {
            step: event.step,
            role,
            partners: Vec::new(),
        };
        match found.iter_mut().find(|it| it.0 == number) {
            Some(it) => it.1.parts.push(part),
            None => found.push((
                number,
                Protocol {
                    title: match number {
                        Some(it) => format!("barrier {it} of the block"),
                        None => "barriers of the block with a number in a register".to_owned(),
                    },
                    parts: vec![part],
                },
            )),
        }
    }
    found.into_iter().map(|it| it.1).collect()
}

/// The barrier of the cluster, tensor memory, registers and dependent grids.
fn others(kernel: &Kernel<'_>) -> Vec<Protocol> {
    let titles = [
        "barrier of the cluster",
        "allocation of tensor memory",
        "registers of the warpgroup",
        "dependent grids",
        "fences of proxies and of tensor memory",
    ];
    let mut found: Vec<Protocol> = Vec::new();
    for (index, title) in titles.into_iter().enumerate() {
        let role = |event: &KernelEvent| {
            let number = |words: &str, operand| match kernel.constant(event, operand) {
                Some(it) => format!("{words} {it}"),
                None => words.to_owned(),
            };
            let (of, role) = match event.kind {
                EventKind::ClusterArrive => (0, "arrives".to_owned()),
                EventKind::ClusterWait => (0, "waits".to_owned()),
                EventKind::TensorAlloc => (1, number("allocates columns:", 1)),
                EventKind::TensorDealloc => (1, number("gives back columns:", 1)),
                EventKind::TensorRelinquish => (1, "gives up the right to allocate".to_owned()),
                EventKind::RegistersIncrease => (2, number("increases to", 0)),
                EventKind::RegistersDecrease => (2, number("decreases to", 0)),
                EventKind::GridLaunch => (3, "lets dependent grids start".to_owned()),
                EventKind::GridWait => (3, "waits for the grids before".to_owned()),
                EventKind::ProxyFence => {
                    (4, "orders generic before asynchronous accesses".to_owned())
                }
                EventKind::FenceBefore => {
                    (4, "orders tensor memory before what follows".to_owned())
                }
                EventKind::FenceAfter => {
                    (4, "orders tensor memory after what was before".to_owned())
                }
                _ => return None,
            };
            (of == index).then_some(role)
        };
        let parts: Vec<Part> = kernel
            .events
            .iter()
            .filter_map(|it| {
                Some(Part {
                    step: it.step,
                    role: role(it)?,
                    partners: Vec::new(),
                })
            })
            .collect();
        if !parts.is_empty() {
            found.push(Protocol {
                title: title.to_owned(),
                parts,
            });
        }
    }
    found
}
