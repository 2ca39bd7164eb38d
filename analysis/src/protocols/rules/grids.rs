//! Grids that depend on each other, and memory that a kernel says nobody writes.

use isa::event::EventKind;

use crate::{
    flow::facts::Step,
    protocols::{
        kernel::{Base, Kernel},
        report::{Insertion, Report, report},
    },
};

pub(super) fn run(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    if !kernel.entry {
        return;
    }
    let launch = kernel
        .events
        .iter()
        .find(|it| it.kind == EventKind::GridLaunch);
    let waits = kernel
        .events
        .iter()
        .any(|it| it.kind == EventKind::GridWait);
    if let Some(launch) = launch.filter(|_| !waits && !kernel.calls) {
        let name = EventKind::GridWait.name();
        reports.push(
            report(
                "griddepcontrol-missing-wait",
                launch.step,
                format!("the entry lets others start early and never waits itself: it has no `{name}`"),
                "in a chain of dependent grids, what the grids before wrote is visible after the wait only",
            )
            .fixed(Insertion::before(launch.step, EventKind::GridWait).filter(|_| kernel.is_common(launch.step)))
            .hint(true),
        );
    }
    read_only(kernel, reports);
}

/// Loads that say that nobody writes there, of what the kernel writes.
fn read_only(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    let constant = kernel.accesses.iter().filter(|it| it.constant);
    let mut told = Vec::new();
    let mut writes: Option<Vec<(Step, Base)>> = None;
    for load in constant {
        let Some(parameter) = load.address.and_then(|it| kernel.parameter(it.0)) else {
            continue;
        };
        if told.contains(&parameter) {
            continue;
        }
        let writes = writes.get_or_insert_with(|| kernel.global_writes());
        let same = |it: &&(Step, Base)| kernel.parameter(it.1) == Some(parameter);
        let Some((write, _)) = writes.iter().find(same) else {
            continue;
        };
        told.push(parameter);
        reports.push(
            report(
                "read-only-load-of-written-memory",
                load.step,
                "this load says that nobody writes there, and the kernel does".to_owned(),
                "`.nc` goes through a cache that does not see writes; load without it",
            )
            .related(*write, "the write")
            .hint(true),
        );
    }
}
