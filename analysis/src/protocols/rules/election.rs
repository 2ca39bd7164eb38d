//! Work that one thread should do for all, and every thread does.

use isa::{event::EventKind, table::tables};

use crate::protocols::{
    kernel::Kernel,
    report::{Report, report},
};

pub(super) fn run(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    for event in kernel
        .events
        .iter()
        .filter(|it| it.kind == EventKind::Elect)
    {
        let facts = &kernel.flow.facts;
        let writes = facts.writes.get(event.step as usize);
        let read = writes
            .iter()
            .any(|it| kernel.is_read_after(*it, event.step));
        if !read {
            let name = kernel.name(event.step);
            let found = report(
                "ignored-election",
                event.step,
                format!("the lane elected by `{name}` is never used"),
                "the predicate is to guard what the chosen lane does for the others",
            );
            reports.push(found.hint(kernel.exercises()));
        }
    }
    if !kernel.entry || !kernel.has_threads() {
        return;
    }
    for event in kernel.events.iter().filter(|it| it.kind == EventKind::Once) {
        let facts = &kernel.flow.facts;
        let all = !kernel.is_guarded(event.step) && !kernel.may_be_for_some(event.step);
        if !all && !kernel.is_for_warp(event.step) {
            continue;
        }
        let reads = facts.reads.get(event.step as usize);
        if reads.iter().any(|it| kernel.varies(*it)) {
            continue;
        }
        let name = kernel.name(event.step);
        let elect = tables().name_of(EventKind::Elect);
        let found = report(
            "issued-by-every-thread",
            event.step,
            match all {
                true => format!("every thread of the block issues this `{name}`"),
                false => format!("several threads of a warp issue this `{name}`"),
            },
            format!(
                "one thread does it for all: guard it with the predicate of `{elect}`, or of one thread"
            ),
        );
        // A warp that does the same 32 times may only be slow.
        reports.push(found.hint(!all));
    }
}
