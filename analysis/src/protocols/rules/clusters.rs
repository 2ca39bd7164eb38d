//! Blocks of a cluster that reach into each other's shared memory.

use isa::{event::EventKind, table::tables};

use crate::flow::facts::Step;
use crate::protocols::{
    kernel::{Access, Kernel, KernelEvent},
    moments::{Moment, Moments},
    report::{Report, report},
};

pub(super) fn run(kernel: &Kernel<'_>, moments: &Moments<'_, '_>, reports: &mut Vec<Report>) {
    if !kernel.entry || !kernel.has_threads() {
        return;
    }
    let meets = |it: EventKind| matches!(it, EventKind::ClusterArrive | EventKind::ClusterWait);
    if kernel.events.iter().any(|it| meets(it.kind)) {
        order(kernel, moments, reports);
    }
    if kernel.has_remote() && !kernel.calls {
        accesses(kernel, reports);
    }
}

/// Arrivals and waits that do not take turns.
fn order(kernel: &Kernel<'_>, moments: &Moments<'_, '_>, reports: &mut Vec<Report>) {
    // Whether the thread has arrived and not waited; none if that depends on the way.
    let apply = |step: Step, moment: Moment<'_>, state: &mut Option<bool>| match moment {
        Moment::Event(event) => {
            let after = match event.kind {
                EventKind::ClusterArrive => true,
                EventKind::ClusterWait => false,
                _ => return,
            };
            let guarded = kernel.is_guarded(step) && *state != Some(after);
            *state = (!guarded).then_some(after);
        }
        Moment::Call => *state = None,
        Moment::Access(_) => {}
    };
    let join = |into: &mut Option<bool>, other: &Option<bool>| {
        if *into != *other {
            *into = None;
        }
    };
    moments.go(Some(false), apply, join, &mut |step, moment, state| {
        let Moment::Event(event) = moment else {
            return;
        };
        let (message, help) = match (event.kind, state) {
            (EventKind::ClusterWait, Some(false)) => (
                "the thread waits for the cluster and has not arrived",
                "each wait belongs to an arrival of the same thread before it; the cluster waits forever",
            ),
            (EventKind::ClusterArrive, Some(true)) => (
                "the thread arrives again and has not waited for the cluster since",
                "each arrival must be followed by a wait before the next one",
            ),
            _ => return,
        };
        reports.push(report(
            "cluster-barrier-mismatch",
            step,
            message.to_owned(),
            help,
        ));
    });
}

/// Accesses to other blocks that may not have started, or may have ended.
fn accesses(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    let waits = kernel.steps(|it| it == EventKind::ClusterWait);
    let remote = |it: &&Access| {
        matches!(it.space, "shared::cluster" | "")
            && it.address.is_some_and(|(base, _)| kernel.is_remote(base))
    };
    // Barriers in the memory of other blocks are reached as well.
    let reaches = |it: &&KernelEvent| {
        let at = matches!(
            it.kind,
            EventKind::Arrive | EventKind::ArriveExpect | EventKind::Complete
        );
        at && kernel.start(it).is_some_and(|it| kernel.is_remote(it.0))
    };
    let mut told = (false, false);
    let arrivals = kernel.events.iter().filter(reaches).map(|it| it.step);
    let unsynced = |step: Step| {
        let before = kernel.paths.before(step);
        before.is_some_and(|it| !waits.iter().any(|wait| it.contains(*wait)))
    };
    // Without any barrier of the cluster it may be of one block.
    let mut arrivals = arrivals.filter(|_| !waits.is_empty());
    if let Some(step) = arrivals.find(|it| unsynced(*it)) {
        told.0 = true;
        reports.push(early(step));
    }
    for access in kernel.accesses.iter().filter(remote) {
        let step = access.step;
        if unsynced(step) && !std::mem::replace(&mut told.0, true) {
            reports.push(early(step));
        }
        // Who hears of an asynchronous access, or of an arrival, waits for it.
        let arrivals = kernel.steps(|it| {
            matches!(
                it,
                EventKind::Arrive | EventKind::ArriveExpect | EventKind::ClusterWait
            )
        });
        let mut events = kernel.events_at(step);
        let waited = access.asynchronous || events.any(|it| it.kind == EventKind::Complete);
        let last = !waited && kernel.paths.never_after(step, arrivals);
        if last && kernel.paths.may_end_after(step) && !std::mem::replace(&mut told.1, true) {
            reports.push(report(
                "cluster-exit-before-sync",
                step,
                "the other block of the cluster may end before this reaches into it".to_owned(),
                "shared memory is gone when its block ends; a cluster barrier after the last access keeps it",
            ));
        }
    }
}

/// A finding about what reaches into a block too early.
fn early(step: Step) -> Report {
    let arrive = tables().name_of(EventKind::ClusterArrive);
    let wait = tables().name_of(EventKind::ClusterWait);
    report(
        "cluster-access-before-sync",
        step,
        "this reaches into another block of the cluster, which may not have started".to_owned(),
        format!("`{arrive}` and `{wait}` before it make sure that all blocks run"),
    )
}
