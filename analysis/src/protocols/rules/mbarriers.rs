//! Barriers in memory: who arrives, how many bytes are awaited, and which phase is waited for.

use std::{cell::LazyCell, ops::Range};

use isa::{
    compute::Operation,
    event::{EventKind, Group},
    table::tables,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    flow::{
        graph::Graph,
        ids::{Base, Step},
    },
    protocols::{
        kernel::{Kernel, KernelEvent, MemoryPlace},
        report::{Report, report},
    },
    values::Origin,
};

/// Whether an event brings a barrier closer to the end of its phase.
fn arms(kind: EventKind) -> bool {
    arrives(kind) || matches!(kind, EventKind::Expect | EventKind::Complete)
}

fn arrives(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Arrive
            | EventKind::ArriveExpect
            | EventKind::ArriveCopies
            | EventKind::Commit(Group::TensorMma)
    )
}

pub(super) fn waits(kind: EventKind) -> bool {
    matches!(kind, EventKind::PhaseWait | EventKind::PhaseWaitRelaxed)
}

/// The events of barriers, in the order of the text.
struct Barriers<'k> {
    all: Vec<(&'k KernelEvent, Option<MemoryPlace>)>,
    /// Those of each place, by their index.
    at: FxHashMap<MemoryPlace, Vec<usize>>,
}

impl<'k> Barriers<'k> {
    fn of(kernel: &'k Kernel<'_>) -> Barriers<'k> {
        let events = kernel.events.iter().filter(|it| {
            arms(it.kind)
                || waits(it.kind)
                || matches!(it.kind, EventKind::Init | EventKind::Invalidate)
        });
        let all: Vec<_> = events.map(|it| (it, kernel.address(it))).collect();
        let mut at: FxHashMap<MemoryPlace, Vec<usize>> = FxHashMap::default();
        for (index, (_, place)) in all.iter().enumerate() {
            if let Some(place) = place {
                at.entry(*place).or_default().push(index);
            }
        }
        Barriers { all, at }
    }

    /// The events at a place.
    fn here(&self, place: MemoryPlace) -> impl Iterator<Item = &'k KernelEvent> {
        let indices = self.at.get(&place).map_or(&[][..], Vec::as_slice);
        indices.iter().map(|it| self.all[*it].0)
    }

    /// The events whose instructions are in a part of the text.
    fn within(&self, steps: &Range<Step>) -> &[(&'k KernelEvent, Option<MemoryPlace>)] {
        let first = self.all.partition_point(|it| it.0.step < steps.start);
        let count = self.all[first..].partition_point(|it| it.0.step < steps.end);
        &self.all[first..first + count]
    }
}

/// The part of the text in which the blocks of each loop are.
fn extents(graph: &Graph) -> Vec<Range<Step>> {
    let mut extents: Vec<Option<Range<Step>>> = vec![None; graph.loops.len()];
    for (steps, around) in graph.blocks.iter().zip(&graph.loop_of) {
        let mut around = *around;
        while let Some(index) = around {
            let it = extents[index as usize].get_or_insert_with(|| steps.clone());
            *it = it.start.min(steps.start)..it.end.max(steps.end);
            around = graph.loops[index as usize].parent;
        }
    }
    extents.into_iter().map(Option::unwrap_or_default).collect()
}

pub(super) fn run(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    let all = Barriers::of(kernel);
    if all.all.is_empty() {
        return;
    }
    constant_parity(kernel, &all, reports);
    ignored_results(kernel, reports);
    if kernel.entry && !kernel.calls && kernel.has_threads() {
        never_arrived(kernel, &all, reports);
        never_initialized(kernel, &all, reports);
        bytes(kernel, &all, reports);
    }
    counts(kernel, reports);
}

/// A loop in which a barrier goes through its phases, and every turn waits for the same one.
fn constant_parity(kernel: &Kernel<'_>, all: &Barriers<'_>, reports: &mut Vec<Report>) {
    let extents = extents(&kernel.flow.graph);
    for (event, place) in &all.all {
        let (Some(place), Some(_)) = (place, kernel.operand(event, 1)) else {
            continue;
        };
        if !waits(event.kind) {
            continue;
        }
        let block = kernel.flow.graph.block_of[event.step as usize];
        for index in kernel.flow.graph.loops_around(block) {
            let inside = |step: Step| {
                let block = kernel.flow.graph.block_of[step as usize];
                kernel.flow.graph.in_loop(block, index)
            };
            let same_parity = kernel.constant(event, 1).is_some()
                || kernel
                    .register_of(event, 1)
                    .is_some_and(|it| !kernel.definitions(it).iter().any(|it| inside(*it)));
            if !same_parity || kernel.has_call(&inside) {
                break;
            }
            let fixed = match place.origin {
                Origin::Written(step) => !inside(step),
                Origin::Symbol(_) | Origin::Input(_) => true,
            };
            // Any of a ring may be the same.
            let here = fixed.then(|| all.here(*place));
            let ring = (!fixed).then(|| all.within(&extents[index as usize]).iter());
            let own: Vec<&KernelEvent> = here
                .into_iter()
                .flatten()
                .chain(ring.into_iter().flatten().map(|it| it.0))
                .filter(|it| inside(it.step))
                .collect();
            let same = |it: &KernelEvent| kernel.address(it) == Some(*place);
            let other = own.iter().any(|it| {
                waits(it.kind) && same(it) && !same_phase(kernel, it, event)
                    || matches!(it.kind, EventKind::Init | EventKind::Invalidate)
            });
            if other {
                break;
            }
            // Where threads are told what to do next, or in the first turn only, one wait is for one phase.
            if !kernel.runs_each_turn(event.step, index) {
                continue;
            }
            let own_armed = || own.iter().copied().find(|it| arms(it.kind));
            let extent = &extents[index as usize];
            let armed = match fixed {
                true => own_armed()
                    .or_else(|| elsewhere(kernel, all, event.step, *place, (index, extent))),
                false if comes_round(kernel, event, &inside) => own_armed(),
                false => None,
            };
            let Some(armed) = armed else {
                continue;
            };
            let name = match fixed {
                true => format!("`{}`", kernel.describe(*place)),
                false => "each barrier of the ring".to_owned(),
            };
            reports.push(
                report(
                    "mbarrier-constant-parity",
                    event.step,
                    format!("every turn of the loop waits for the same parity of {name}"),
                    "a phase ends in each turn, so the parity must change in each; from the second turn on this \
                     does not wait, or waits forever",
                )
                .related(armed.step, "what brings the next phase"),
            );
            break;
        }
    }
}

/// Whether two waits are for phases of the same parity, as far as the text tells.
fn same_phase(kernel: &Kernel<'_>, one: &KernelEvent, other: &KernelEvent) -> bool {
    let numbers = (kernel.constant(one, 1), kernel.constant(other, 1));
    match numbers {
        (Some(one), Some(other)) => one == other,
        _ => kernel.register_of(one, 1) == kernel.register_of(other, 1),
    }
}

/// An arrival in a loop of other threads that ends a phase of a barrier in each turn, while each turn of a loop does
/// something of its own.
fn elsewhere<'k>(
    kernel: &Kernel<'_>,
    all: &Barriers<'k>,
    wait: Step,
    place: MemoryPlace,
    (index, extent): (u32, &Range<Step>),
) -> Option<&'k KernelEvent> {
    let graph = &kernel.flow.graph;
    let block = |step: Step| graph.block_of[step as usize];
    let inside = |step: Step| graph.in_loop(block(step), index);
    let works = |it: &(&KernelEvent, Option<MemoryPlace>)| {
        let step = it.0.step;
        arrives(it.0.kind) && inside(step) && kernel.paths.meets_in_turn(step, wait, index)
    };
    if !all.within(extent).iter().any(works) {
        return None;
    }
    let mut counts = all
        .here(place)
        .filter(|it| it.kind == EventKind::Init)
        .map(|it| kernel.constant(it, 1));
    let count = counts.next()??;
    if counts.any(|it| it != Some(count)) {
        return None;
    }
    // Of many arrivals each is by another thread.
    let ends_phase = |it: &KernelEvent| match count {
        1 => true,
        _ => count % i64::from(isa::limits::THREADS_PER_WARP) == 0 && !kernel.is_guarded(it.step),
    };
    let apart = |step: Step| {
        let of = graph.loop_of[block(step) as usize];
        let head = graph.loops[index as usize].head;
        of.is_some_and(|of| !graph.in_loop(head, of)) && !inside(step)
    };
    let mut arrivals = all.here(place).filter(|it| arrives(it.kind));
    arrivals.find(|it| apart(it.step) && ends_phase(it))
}

/// Whether the address of a wait in a loop is computed from a number that starts again and again.
fn comes_round(kernel: &Kernel<'_>, event: &KernelEvent, inside: &dyn Fn(Step) -> bool) -> bool {
    let Some((Base::Value(value), _)) = kernel.start(event) else {
        return false;
    };
    let mut starts = false;
    kernel.trace(vec![value], &mut |definitions, next| {
        for step in definitions.iter().filter(|it| inside(**it)) {
            let Some(operation) = kernel.operation(*step) else {
                continue;
            };
            starts |= definitions.len() > 2 && kernel.flow.facts.copies[*step as usize]
                || operation.is(Operation::Remainder)
                || operation.is(Operation::And)
                || operation.is(Operation::Select)
                    && operation.operands().any(|it| it.integer() == Some(0))
                    && operation.data.len() == 2;
            next.extend(kernel.flow.facts.reads.get(*step as usize));
        }
        (!starts).then_some(())
    });
    starts
}

/// The answer of a wait that nobody reads.
fn ignored_results(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    // Who waits and does nothing else tries the instruction out.
    let quiet = !kernel.has_threads() && kernel.flow.graph.loops.is_empty();
    let is_used = |event: &KernelEvent| {
        let writes = kernel.flow.facts.writes.get(event.step as usize);
        writes
            .first()
            .is_none_or(|it| kernel.is_read_after(*it, event.step))
    };
    // A first look at an element of a ring, which another wait waits for: compilers leave it when its answer is
    // for a turn that does not come.
    let ring = |it: &KernelEvent| kernel.address(it).is_none_or(|it| it.symbol().is_none());
    let waits = || kernel.events.iter().filter(|it| waits(it.kind));
    let ring_waits = LazyCell::new(|| waits().any(|it| ring(it) && is_used(it)));
    for event in waits() {
        if is_used(event) {
            continue;
        }
        let quiet = quiet || ring(event) && *ring_waits;
        let name = kernel.name(event.step);
        let found = report(
            "ignored-wait-result",
            event.step,
            format!("the result of `{name}` is never used"),
            "it returns false when the phase has not ended yet; a loop that branches back on false waits",
        );
        reports.push(found.hint(quiet));
    }
}

/// A barrier that is waited for and at which nobody arrives.
fn never_arrived(kernel: &Kernel<'_>, all: &Barriers<'_>, reports: &mut Vec<Report>) {
    // An arrival at an unknown barrier may be at any.
    let known = |it: &Option<MemoryPlace>| it.is_some_and(|it| it.symbol().is_some());
    let elsewhere = |it: &(&KernelEvent, Option<MemoryPlace>)| arrives(it.0.kind) && !known(&it.1);
    if all.all.iter().any(elsewhere) || kernel.has_remote() {
        return;
    }
    let mut told: FxHashSet<MemoryPlace> = FxHashSet::default();
    for (event, place) in &all.all {
        let (true, Some(place)) = (waits(event.kind), place) else {
            continue;
        };
        let Some(symbol) = place.symbol() else {
            continue;
        };
        if told.contains(place) {
            continue;
        }
        let arrived = all.here(*place).any(|it| arrives(it.kind));
        let initialized = all.here(*place).find(|it| it.kind == EventKind::Init);
        let Some(initialized) = initialized else {
            continue;
        };
        if arrived || !kernel.is_own(symbol) {
            continue;
        }
        told.insert(*place);
        let name = kernel.describe(*place);
        reports.push(
            report(
                "mbarrier-never-arrived",
                event.step,
                format!("no thread arrives at `{name}`, so this waits forever"),
                "a phase ends after as many arrivals as the barrier was initialized with; bytes that are expected \
                 or completed are none",
            )
            .related(initialized.step, "where it is initialized"),
        );
    }
}

/// A barrier that is used and that nobody initializes.
fn never_initialized(kernel: &Kernel<'_>, all: &Barriers<'_>, reports: &mut Vec<Report>) {
    // An initialization of an unknown barrier may be of any.
    let symbol = |it: &Option<MemoryPlace>| it.and_then(MemoryPlace::symbol);
    let initial = all.all.iter().filter(|it| it.0.kind == EventKind::Init);
    let initialized: Option<FxHashSet<MemoryPlace>> = initial
        .map(|it| it.1.filter(|it| it.symbol().is_some()))
        .collect();
    let Some(initialized) = initialized.filter(|_| !kernel.has_remote()) else {
        return;
    };
    let mut told = FxHashSet::default();
    for (event, place) in &all.all {
        let (Some(place), Some(symbol)) = (place, symbol(place)) else {
            continue;
        };
        // Memory of open size has other names, too.
        let known = (kernel.size)(symbol).is_some() && kernel.is_own(symbol);
        if initialized.contains(place) || !known || !told.insert(place) {
            continue;
        }
        let name = kernel.describe(*place);
        let init = tables().name_of(EventKind::Init);
        let found = report(
            "mbarrier-never-initialized",
            event.step,
            format!("`{name}` is never initialized"),
            format!(
                "`{init}` by one thread, and a barrier of the block after it, come before every other use"
            ),
        );
        reports.push(found.hint(kernel.exercises()));
    }
}

/// Bytes that are expected and never come, or come without being expected.
fn bytes(kernel: &Kernel<'_>, barriers: &Barriers<'_>, reports: &mut Vec<Report>) {
    let all = &barriers.all;
    let concerns = |it: EventKind| {
        matches!(
            it,
            EventKind::Expect | EventKind::ArriveExpect | EventKind::Complete
        )
    };
    let expects = |it: EventKind| matches!(it, EventKind::Expect | EventKind::ArriveExpect);
    if !all.iter().any(|it| expects(it.0.kind)) && !kernel.has_remote() {
        // Nobody expects anything, wherever the barriers are.
        let copy = all.iter().find(|it| it.0.kind == EventKind::Complete);
        if let Some((copy, _)) = copy.filter(|_| all.iter().any(|it| waits(it.0.kind))) {
            reports.push(unexpected(
                copy.step,
                "the entry never expects the bytes of this copy",
            ));
        }
        return;
    }
    let known = |it: &Option<MemoryPlace>| {
        it.is_some_and(|it| it.symbol().is_some_and(|it| kernel.is_own(it)))
    };
    if all.iter().any(|it| concerns(it.0.kind) && !known(&it.1)) || kernel.has_remote() {
        return;
    }
    for place in barriers.at.keys().copied() {
        let here = barriers.here(place).filter(|it| concerns(it.kind));
        let events: Vec<&KernelEvent> = here.collect();
        let name = kernel.describe(place);
        let (complete, expect): (Vec<&KernelEvent>, Vec<&KernelEvent>) = events
            .iter()
            .copied()
            .partition(|it| it.kind == EventKind::Complete);
        let Some(first) = complete.first() else {
            continue;
        };
        let waited = barriers.here(place).any(|it| waits(it.kind));
        if !waited {
            continue;
        }
        if expect.is_empty() {
            reports.push(unexpected(
                first.step,
                &format!("`{name}` never expects the bytes of this copy"),
            ));
            continue;
        }
        // All of them run equally often, when the same branches and guards decide about them.
        let terms = |it: &KernelEvent| {
            let block = kernel.flow.graph.block_of[it.step as usize];
            let controllers = kernel.paths.direct_controllers(block).to_vec();
            let around = kernel.flow.graph.loop_of[block as usize];
            let guard = kernel.guard(it.step);
            (controllers, around, guard)
        };
        let same = events.iter().all(|it| terms(it) == terms(first));
        let sum = |list: &[&KernelEvent]| {
            let numbers = list
                .iter()
                .map(|it| kernel.constant(it, 1).filter(|it| *it >= 0));
            numbers.sum::<Option<i64>>()
        };
        let (Some(come), Some(expected)) = (sum(&complete), sum(&expect)) else {
            continue;
        };
        // Without a common loop each wait may be for a part.
        if !same || come == expected {
            continue;
        }
        let mut found = report(
            "expect-tx-mismatch",
            expect[0].step,
            format!("`{name}` expects {expected} bytes, and the copies bring {come}"),
            "the phase ends when as many bytes have come as are expected: with fewer it never does",
        );
        for it in complete.iter().take(4) {
            found = found.related(it.step, "a copy");
        }
        reports.push(found);
    }
}

/// A copy whose bytes nobody expects.
fn unexpected(step: Step, message: &str) -> Report {
    let expect = tables().name_of(EventKind::ArriveExpect);
    report(
        "expect-tx-mismatch",
        step,
        message.to_owned(),
        format!(
            "`{expect}` tells how many bytes belong to the phase; without it the phase ends before the data is there, \
             or never"
        ),
    )
}

/// Barriers for no arrivals, or for more than there can be.
fn counts(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    for event in kernel.events.iter().filter(|it| it.kind == EventKind::Init) {
        // ptxas judges constants itself.
        let register = kernel.register_of(event, 1).is_some();
        let Some(count) = kernel.constant(event, 1).filter(|_| register) else {
            continue;
        };
        if !(1..=isa::event::MAX_ARRIVALS).contains(&count) {
            let most = isa::event::MAX_ARRIVALS;
            reports.push(report(
                "mbarrier-never-arrived",
                event.step,
                format!(
                    "the barrier is initialized for {count} arrivals; 1 to {most} are possible"
                ),
                "a phase ends after so many arrivals",
            ));
        }
    }
}
