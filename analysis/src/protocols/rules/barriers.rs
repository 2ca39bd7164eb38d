//! Barriers of the block: how many threads they wait for, and whether anybody does.

use isa::{event::EventKind, table::tables};

use crate::protocols::{
    kernel::{Kernel, KernelEvent},
    lanes::thread,
    report::{Report, report},
};

const WARP: i64 = isa::limits::THREADS_PER_WARP as i64;

pub(super) fn run(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    if !kernel.entry {
        return;
    }
    let before = reports.len();
    let barrier =
        |it: &&KernelEvent| matches!(it.kind, EventKind::BlockSync | EventKind::BlockArrive);
    for event in kernel.events.iter().filter(barrier) {
        let Some(count) = kernel.constant(event, 1) else {
            continue;
        };
        let register = kernel.register_of(event, 1).is_some();
        let most = kernel.bounds.threads.map_or(0, i64::from);
        let message = match () {
            () if register && count % WARP != 0 => {
                format!("the barrier is for {count} threads, which is not a multiple of {WARP}")
            }
            // Blocks are filled up to whole warps.
            () if most > 0 && count > (most + WARP - 1) / WARP * WARP => {
                format!("the barrier is for {count} threads, and a block has {most} at most")
            }
            () => continue,
        };
        reports.push(report(
            "barrier-thread-count",
            event.step,
            message,
            "the barrier opens when so many threads have come, in whole warps; here it never does",
        ));
    }
    if !kernel.calls {
        never_completed(kernel, reports);
        // Who arrives at another barrier than is meant, or for other numbers, is told of already.
        if reports.len() == before {
            too_few(kernel, reports);
        }
    }
}

/// Arrivals at a barrier for which nobody waits.
fn never_completed(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    let syncs = kernel
        .events
        .iter()
        .filter(|it| it.kind == EventKind::BlockSync);
    let waited: Option<Vec<i64>> = syncs.map(|it| kernel.constant(it, 0)).collect();
    let Some(waited) = waited else {
        return;
    };
    let mut told: Vec<i64> = Vec::new();
    for event in kernel
        .events
        .iter()
        .filter(|it| it.kind == EventKind::BlockArrive)
    {
        let Some(number) = kernel.constant(event, 0) else {
            continue;
        };
        if told.contains(&number) {
            continue;
        }
        if waited.contains(&number) {
            if let Some(other) = other_count(kernel, number, event) {
                told.push(number);
                reports.push(other);
            }
            continue;
        }
        told.push(number);
        let wait = tables().name_of(EventKind::BlockSync);
        reports.push(report(
            "barrier-never-completed",
            event.step,
            format!("threads arrive at barrier {number}, but no thread waits there"),
            format!(
                "the threads that need what was done before wait with `{wait}` for the same barrier"
            ),
        ));
    }
}

/// An arrival for so many threads as no wait at the same barrier is for.
fn other_count(kernel: &Kernel<'_>, number: i64, arrival: &KernelEvent) -> Option<Report> {
    let count = kernel.constant(arrival, 1)?;
    let is_wait = |it: &&KernelEvent| it.kind == EventKind::BlockSync;
    let waits = kernel.events.iter().filter(is_wait);
    let same = waits.filter(|it| kernel.constant(it, 0) == Some(number));
    let mut counts = Vec::new();
    for wait in same {
        counts.push((kernel.constant(wait, 1)?, wait.step));
    }
    let (other, step) = *counts.first()?;
    if counts.iter().any(|it| it.0 == count) {
        return None;
    }
    let found = report(
        "barrier-never-completed",
        arrival.step,
        format!("barrier {number} is for {count} threads here, and for {other} where threads wait"),
        "all that arrive or wait at a barrier must give the same number of threads",
    );
    Some(found.related(step, "the wait"))
}

/// Waits for so many threads as never come: each thread waits there itself, and no other one arrives.
fn too_few(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    // The number of each wait and arrival with that of its barrier.
    let of = |kind: EventKind| {
        let events = kernel.events.iter().filter(move |it| it.kind == kind);
        events.map(|it| Some((kernel.constant(it, 0)?, it)))
    };
    let waits: Option<Vec<(i64, &KernelEvent)>> = of(EventKind::BlockSync).collect();
    let arrivals: Option<Vec<(i64, &KernelEvent)>> = of(EventKind::BlockArrive).collect();
    let (Some(waits), Some(arrivals)) = (waits, arrivals) else {
        return;
    };
    let mut seen: Vec<i64> = Vec::new();
    for (number, first) in &waits {
        let arrives = arrivals.iter().any(|it| it.0 == *number);
        if arrives || seen.contains(number) {
            continue;
        }
        seen.push(*number);
        let mut warps: Vec<i64> = Vec::new();
        let mut least = i64::MAX;
        let known = waits.iter().filter(|it| it.0 == *number).all(|(_, it)| {
            let (Some(count), Some(runners)) = (kernel.constant(it, 1), kernel.runners(it.step))
            else {
                return false;
            };
            least = least.min(count);
            warps.extend(runners.iter().map(|it| thread(*it) / WARP));
            true
        });
        warps.sort_unstable();
        warps.dedup();
        let come = warps.len() as i64 * WARP;
        // Of most warps one thread only is looked at: a warp or two may come without it.
        if !known || come * 2 > least || least < MANY {
            continue;
        }
        reports.push(report(
            "barrier-never-completed",
            first.step,
            format!("barrier {number} is for {least} threads, and {come} come to it"),
            "the other threads must wait or arrive there as well",
        ));
    }
}

/// Fewer threads are not counted.
const MANY: i64 = 4 * WARP;
