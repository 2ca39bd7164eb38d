//! Tensor memory: its allocation, and loads and stores that are not done when the instruction is.

use isa::{
    event::{EventKind, Group},
    table::tables,
};

use crate::flow::{facts::Step, ids::BlockId};
use crate::protocols::{
    kernel::{Kernel, KernelEvent},
    moments::{Moment, Moments},
    report::{Insertion, Report, report},
    solver::{Domain, solve},
};

const WAIT: &str = "tcgen05-missing-wait";

pub(super) fn run(kernel: &Kernel<'_>, moments: &Moments<'_, '_>, reports: &mut Vec<Report>) {
    allocation(kernel, reports);
    if kernel.events.iter().any(is_transfer) {
        transfers(kernel, reports);
    }
    relaxed_waits(kernel, moments, reports);
}

fn is_transfer(event: &KernelEvent) -> bool {
    matches!(
        event.kind,
        EventKind::Issue(Group::TensorLoad | Group::TensorStore)
    )
}

/// Columns that are not given back, are asked for too late, or are not as many as there can be.
fn allocation(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    let of = |kind: EventKind| kernel.events.iter().filter(move |it| it.kind == kind);
    let allocations: Vec<&KernelEvent> = of(EventKind::TensorAlloc).collect();
    let Some(first) = allocations.first() else {
        return;
    };
    let releases: Vec<&KernelEvent> = of(EventKind::TensorDealloc).collect();
    if releases.is_empty() && kernel.entry && !kernel.calls {
        let missing = tables().name_of(EventKind::TensorDealloc);
        let found = report(
            "tcgen05-missing-dealloc",
            first.step,
            format!("the entry never gives these columns back: it has no `{missing}`"),
            "a block must give back all tensor memory before it ends; the next one on the multiprocessor waits for it",
        );
        reports.push(found.hint(kernel.exercises()));
    }
    for event in &allocations {
        let given_up = of(EventKind::TensorRelinquish).find(|it| {
            let after = kernel.paths.after(it.step);
            after.is_some_and(|it| it.contains(event.step))
        });
        if let Some(it) = given_up {
            let relinquish = tables().name_of(EventKind::TensorRelinquish);
            reports.push(
                report(
                    "tcgen05-alloc-after-relinquish",
                    event.step,
                    "the block has given up the right to allocate before this".to_owned(),
                    format!("`{relinquish}` comes after the last allocation of the block"),
                )
                .related(it.step, "where it gives up the right"),
            );
        }
    }
    let mut counts: Option<Vec<i64>> = Some(Vec::new());
    for event in &allocations {
        let count = kernel.constant(event, 1);
        match (&mut counts, count) {
            (Some(all), Some(it)) => all.push(it),
            _ => counts = None,
        }
    }
    for event in allocations.iter().chain(&releases) {
        let Some(count) = kernel.constant(event, 1) else {
            continue;
        };
        // ptxas judges constants itself.
        let register = kernel.register_of(event, 1).is_some();
        let possible = (32..=512).contains(&count) && count & (count - 1) == 0;
        let message = if register && !possible {
            format!("{count} columns cannot be allocated")
        } else if event.kind == EventKind::TensorDealloc
            && counts.as_ref().is_some_and(|it| !it.contains(&count))
        {
            format!("{count} columns are given back, and no allocation is of so many")
        } else {
            continue;
        };
        reports.push(report(
            "tcgen05-column-count",
            event.step,
            message,
            "the number is a power of two from 32 to 512, the same for the allocation and its end",
        ));
    }
}

/// Transfers that may still run.
#[derive(Clone, PartialEq)]
struct TensorState {
    /// A store, on every way.
    store: Option<Step>,
    /// Loads, on every way, sorted.
    loads: Vec<Step>,
}

struct TensorRule<'k, 'f> {
    kernel: &'k Kernel<'f>,
    /// For each instruction with events of interest its kinds, sorted by instruction.
    events: Vec<&'k KernelEvent>,
}

impl TensorRule<'_, '_> {
    fn step(&self, step: Step, state: &mut TensorState, tell: &mut dyn FnMut(Step, Step, Group)) {
        // A use of a loaded register orders nothing but itself, PTX ISA 9.7.17.6.4.5.
        let first = self.events.partition_point(|it| it.step < step);
        for event in self.events[first..].iter().take_while(|it| it.step == step) {
            match event.kind {
                EventKind::Issue(Group::TensorLoad) => {
                    if let Err(at) = state.loads.binary_search(&step) {
                        state.loads.insert(at, step);
                    }
                }
                EventKind::Issue(Group::TensorStore) => state.store = Some(step),
                EventKind::Wait(Group::TensorLoad) => state.loads.clear(),
                EventKind::Wait(Group::TensorStore) => state.store = None,
                EventKind::Arrive
                | EventKind::ArriveExpect
                | EventKind::Commit(Group::TensorMma)
                | EventKind::Issue(Group::TensorMma)
                | EventKind::TensorDealloc => {
                    if let Some(it) = state.store.take() {
                        tell(step, it, Group::TensorStore);
                    }
                    let ends = matches!(event.kind, EventKind::Arrive | EventKind::TensorDealloc);
                    if let Some(it) = state.loads.first().filter(|_| ends) {
                        tell(step, *it, Group::TensorLoad);
                        state.loads.clear();
                    }
                }
                _ => {}
            }
        }
        if self.kernel.body.instructions[step as usize].call {
            *state = TensorState {
                store: None,
                loads: Vec::new(),
            };
        }
    }
}

impl Domain for TensorRule<'_, '_> {
    type State = TensorState;

    fn start(&self) -> TensorState {
        TensorState {
            store: None,
            loads: Vec::new(),
        }
    }

    fn run(&self, block: BlockId, state: &mut TensorState) {
        for step in self.kernel.flow.graph.blocks[block as usize].clone() {
            self.step(step, state, &mut |_, _, _| {});
        }
    }

    fn join(&self, into: &mut TensorState, other: &TensorState) {
        into.store = into.store.and(other.store.min(into.store));
        into.loads
            .retain(|it| other.loads.binary_search(it).is_ok());
    }
}

/// Loads and stores that are not waited for when others are told that they are done.
fn transfers(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    let rule = TensorRule {
        kernel,
        events: kernel.events.iter().collect(),
    };
    let Some(states) = solve(&kernel.flow.graph, &rule, kernel.check) else {
        return;
    };
    for (block, state) in (0..).zip(states) {
        let Some(mut state) = state else {
            continue;
        };
        for step in kernel.flow.graph.blocks[block as usize].clone() {
            rule.step(step, &mut state, &mut |step, transfer, group| {
                let (name, what) = (kernel.name(step), kernel.name(transfer));
                let wait = EventKind::Wait(group);
                let missing = tables().name_of(wait);
                reports.push(
                    report(
                        WAIT,
                        step,
                        format!("no `{missing}` comes between a `{what}` and this `{name}`"),
                        "the transfer is asynchronous: until it is waited for, others must not be told that it is done",
                    )
                    .related(transfer, "the transfer")
                    .fixed(Insertion::behind(transfer, wait, false)),
                );
            });
        }
    }
}

/// Tensor memory that is used after a wait without an order.
fn relaxed_waits(kernel: &Kernel<'_>, moments: &Moments<'_, '_>, reports: &mut Vec<Report>) {
    if !kernel
        .events
        .iter()
        .any(|it| it.kind == EventKind::PhaseWaitRelaxed)
    {
        return;
    }
    let apply = |step: Step, moment: Moment<'_>, state: &mut Option<Step>| match moment {
        Moment::Event(event) => match event.kind {
            EventKind::PhaseWaitRelaxed => *state = Some(step),
            EventKind::PhaseWait | EventKind::FenceAfter => *state = None,
            _ => {}
        },
        Moment::Call => *state = None,
        Moment::Access(_) => {}
    };
    let join = |into: &mut Option<Step>, other: &Option<Step>| *into = into.and(*other);
    let mut told: Vec<Step> = Vec::new();
    moments.go(None, apply, join, &mut |step, moment, state| {
        let (Moment::Event(event), Some(wait)) = (moment, state) else {
            return;
        };
        let uses = is_transfer(event) || event.kind == EventKind::Issue(Group::TensorMma);
        if !uses || told.contains(wait) {
            return;
        }
        told.push(*wait);
        let name = kernel.name(step);
        let fence = tables().name_of(EventKind::FenceAfter);
        reports.push(
            report(
                "tcgen05-missing-fence",
                step,
                format!("this `{name}` is not ordered after the relaxed wait before it"),
                format!("a wait that is `.relaxed` orders nothing; `{fence}` does"),
            )
            .related(*wait, "the wait")
            .fixed(Insertion::before(step, EventKind::FenceAfter)),
        );
    });
}
