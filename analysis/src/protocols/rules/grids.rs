//! Grids that depend on each other, and memory that a kernel says nobody writes.

use isa::{event::EventKind, table::tables};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    flow::ids::{Base, Step},
    protocols::{
        kernel::Kernel,
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
        let name = tables().name_of(EventKind::GridWait);
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
    // To follow an address to its parameter takes long, so each one is followed once, and writes only until the one
    // that is looked for.
    let mut bases: FxHashSet<Base> = FxHashSet::default();
    let mut parameters: FxHashSet<Parameter> = FxHashSet::default();
    let mut written: FxHashMap<Parameter, Step> = FxHashMap::default();
    let mut writes = kernel.global_writes();
    let mut followed: FxHashSet<Base> = FxHashSet::default();
    for load in constant {
        let Some((base, _)) = load.address.filter(|it| bases.insert(it.0)) else {
            continue;
        };
        let Some(parameter) = kernel.parameter(base) else {
            continue;
        };
        if !parameters.insert(parameter) {
            continue;
        }
        let mut write = written.get(&parameter).copied();
        while write.is_none()
            && let Some((step, base)) = writes.next()
        {
            if !followed.insert(base) {
                continue;
            }
            if let Some(found) = kernel.parameter(base) {
                written.entry(found).or_insert(step);
                write = (found == parameter).then_some(step);
            }
        }
        let Some(write) = write else {
            continue;
        };
        reports.push(
            report(
                "read-only-load-of-written-memory",
                load.step,
                "this read-only load reads memory that the kernel writes".to_owned(),
                "`.nc` goes through a cache that does not see writes; load without it",
            )
            .related(write, "the write")
            .hint(true),
        );
    }
}

/// A parameter, and the offset of the pointer in it.
type Parameter = (Base, i64);
