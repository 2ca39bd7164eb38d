//! Shared memory that one thread writes and another reads without a barrier between.

use isa::{
    event::{EventKind, Group},
    table::tables,
};
use rustc_hash::FxHashMap;

use crate::flow::ids::{Base, Step};
use crate::protocols::{
    kernel::{Access, Kernel},
    lanes::thread,
    moments::{Moment, Moments},
    report::{Insertion, Report, report},
};

/// Whether threads meet there, or one waits for another.
fn orders(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::BlockSync
            | EventKind::BlockArrive
            | EventKind::ClusterArrive
            | EventKind::ClusterWait
            | EventKind::WarpSync
            | EventKind::WarpExchange
            | EventKind::PhaseWait
            | EventKind::PhaseWaitRelaxed
    )
}

pub(super) fn run(kernel: &Kernel<'_>, moments: &Moments<'_, '_>, reports: &mut Vec<Report>) {
    copies(kernel, moments, reports);
    if kernel.entry && !kernel.calls && kernel.bounds.threads.is_none_or(|it| it > 32) {
        plain(kernel, reports);
    }
}

/// The parts of other threads that are read after the wait for one's own copies.
fn copies(kernel: &Kernel<'_>, moments: &Moments<'_, '_>, reports: &mut Vec<Report>) {
    const ISSUE: EventKind = EventKind::Issue(Group::Copy);
    const WAIT: EventKind = EventKind::Wait(Group::Copy);
    let copies = kernel.events.iter().filter(|it| it.kind == ISSUE);
    let mut targets: Vec<(Base, i64, Step)> = Vec::new();
    for event in copies {
        let Some((base, offset)) = kernel.bracket(event, 0) else {
            return;
        };
        targets.push((base, offset, event.step));
    }
    if targets.is_empty() {
        return;
    }
    let places: Option<Vec<_>> = targets
        .iter()
        .map(|(base, offset, step)| {
            Some((kernel.place(*base, *offset, *step)?, kernel.root(*base)))
        })
        .collect();
    // Where a copy goes that nobody can tell, any address may be its own.
    let Some(places) = places else {
        return;
    };
    // The wait since the last barrier, on every way.
    let apply = |step: Step, moment: Moment<'_>, state: &mut Option<Step>| match moment {
        Moment::Event(event) if event.kind == WAIT => *state = Some(step),
        Moment::Event(event) if orders(event.kind) => *state = None,
        Moment::Call => *state = None,
        _ => {}
    };
    let join = |into: &mut Option<Step>, other: &Option<Step>| *into = into.and(*other);
    let mut told: Vec<Step> = Vec::new();
    moments.go(None, apply, join, &mut |step, moment, state| {
        let (Moment::Access(access), Some(wait)) = (moment, state) else {
            return;
        };
        if access.write || !access.is_shared() || !access.weak || told.contains(wait) {
            return;
        }
        let Some((base, offset)) = access.address else {
            return;
        };
        let (Some(place), root) = (kernel.place(base, offset, step), kernel.root(base)) else {
            return;
        };
        // An address that is computed from that of a copy, or that is a copy's, is of the thread itself.
        let same_origin = places
            .iter()
            .any(|it| it.0.symbol().is_none() && it.0.origin == place.origin);
        let same_variable = root.is_some() && places.iter().any(|it| it.1 == root);
        if same_origin || !same_variable || kernel.is_guarded(step) {
            return;
        }
        told.push(*wait);
        let name = kernel.name(*wait);
        reports.push(
            report(
                "cp-async-missing-barrier",
                step,
                format!("this may read what another thread copies: `{name}` waits for the copies of this thread only"),
                "a barrier of the block after the wait makes all parts visible to all threads",
            )
            .related(*wait, "the wait")
            .fixed(Insertion::behind(*wait, EventKind::BlockSync, false).filter(|_| kernel.is_common(*wait))),
        );
    });
}

/// A write and a read of other threads at the same address.
fn plain(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    let of = |write: bool| {
        let plain = |it: &&Access| it.is_shared() && it.weak && !it.asynchronous && it.alone;
        let alike = move |it: &&Access| it.write == write && it.address.is_some();
        kernel.accesses.iter().filter(plain).filter(alike)
    };
    // Someone who reads and writes at once, as atomics do, has an order of his own.
    let alone = |it: &Access| {
        let first = kernel
            .accesses
            .partition_point(|other| other.step < it.step);
        let second = kernel.accesses.get(first + 1);
        second.is_none_or(|other| other.step != it.step)
    };
    let (writes, reads): (Vec<&Access>, Vec<&Access>) = (
        of(true).filter(|it| alone(it)).collect(),
        of(false).filter(|it| alone(it)).collect(),
    );
    if writes.is_empty() || reads.is_empty() || writes.len() * reads.len() > MAX_PAIRS {
        return;
    }
    // A meeting of a warp orders nothing between threads of different ones, where there are such for certain.
    let many = kernel.bounds.exact;
    let in_warp = |it: EventKind| matches!(it, EventKind::WarpSync | EventKind::WarpExchange);
    let meetings = kernel.steps(|it| orders(it) && !(many && in_warp(it)));
    for write in writes {
        let open = |read: &&&Access| {
            let meetings = meetings.iter().copied();
            let paths = &kernel.paths;
            paths.nothing_between(write.step, read.step, meetings)
        };
        let mut open = reads.iter().filter(open).peekable();
        let Some((base, offset)) = write.address.filter(|_| open.peek().is_some()) else {
            continue;
        };
        let Some((written, targets)) = kernel.places(base, offset, write.step) else {
            continue;
        };
        let Some(writers) = kernel.runners(write.step) else {
            continue;
        };
        // Many writers of one address write the same, as far as they care.
        let mut writer_of: FxHashMap<i64, Option<usize>> = FxHashMap::default();
        for writer in writers {
            let only = writer_of.entry(targets[writer]).or_insert(Some(writer));
            *only = only.filter(|it| *it == writer);
        }
        let found = open.find(|read| {
            let Some((base, offset)) = read.address else {
                return false;
            };
            let Some((symbol, sources)) = kernel.places(base, offset, read.step) else {
                return false;
            };
            let Some(readers) = kernel.runners(read.step).filter(|_| symbol == written) else {
                return false;
            };
            // The threads of a warp may go in step, as older code has it.
            let apart = |writer: usize, reader: usize| thread(writer) / 32 != thread(reader) / 32;
            readers.into_iter().any(|reader| {
                let writer = writer_of.get(&sources[reader]).copied().flatten();
                writer.is_some_and(|it| apart(it, reader))
            })
        });
        let Some(read) = found else {
            continue;
        };
        let barrier = tables().name_of(EventKind::BlockSync);
        reports.push(
            report(
                "missing-barrier",
                read.step,
                "this reads what another thread writes, and no barrier is between the two".to_owned(),
                format!("threads of other warps may run ahead or behind; `{barrier}` between the two makes them meet"),
            )
            .related(write.step, "the write")
            .fixed(Insertion::before(read.step, EventKind::BlockSync).filter(|_| kernel.is_common(read.step))),
        );
    }
}

/// Pairs of accesses that are compared in one function.
const MAX_PAIRS: usize = 1 << 12;
