//! Objects that one thread prepares, and others use before they can know of it.

use isa::event::EventKind;

use crate::flow::facts::Step;
use crate::protocols::{
    kernel::{Event, Kernel, Place},
    report::{Insertion, Report, report},
    rules::mbarriers::waits,
};

/// Whether threads meet there, so that what was written before is seen.
pub(super) fn publishes(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::BlockSync | EventKind::ClusterWait | EventKind::WarpSync
    )
}

/// Whether an event needs the barrier in memory that it names.
fn uses(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Arrive
            | EventKind::ArriveExpect
            | EventKind::ArriveCopies
            | EventKind::Expect
            | EventKind::PhaseWait
            | EventKind::PhaseWaitRelaxed
    )
}

pub(super) fn run(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    let prepared = kernel
        .events
        .iter()
        .filter(|it| matches!(it.kind, EventKind::Init | EventKind::TensorAlloc));
    let meetings = kernel.steps(publishes);
    // Who waits at another barrier in memory waits for somebody, who may be the one.
    let waits: Vec<(Option<Place>, &Event)> = kernel
        .events
        .iter()
        .filter(|it| waits(it.kind))
        .map(|it| (kernel.address(it), it))
        .collect();
    let mut told: Vec<Place> = Vec::new();
    for event in prepared {
        let Some(place) = kernel.address(event).filter(|it| !told.contains(it)) else {
            continue;
        };
        // An element of the same array may be the one.
        let apart = |it: &&(Option<Place>, &Event)| match (event.kind, place.symbol()) {
            (EventKind::Init, Some(symbol)) => kernel.address_root(it.1) != Some(symbol),
            (EventKind::Init, None) => it.0.is_none_or(|it| it.origin != place.origin),
            _ => true,
        };
        let waits = waits.iter().filter(apart).map(|it| it.1.step);
        let meetings: Vec<Step> = meetings.iter().copied().chain(waits).collect();
        // Whether all barriers are elements of one variable.
        let inits = kernel.events.iter().filter(|it| it.kind == EventKind::Init);
        let alone = inits
            .map(|it| kernel.address(it).and_then(Place::symbol))
            .all(|it| it.is_some() && it == place.symbol());
        let user = match event.kind {
            EventKind::Init => {
                let users = kernel.events.iter().filter(|it| uses(it.kind));
                let same = |it: &&Event| match kernel.address(it) {
                    Some(other) if other.symbol().is_some() => other == place,
                    // Some element of an array, all of which are prepared alike.
                    _ => {
                        alone
                            && place.symbol().is_some()
                            && kernel.address_root(it) == place.symbol()
                    }
                };
                first(
                    kernel,
                    event.step,
                    &meetings,
                    users.filter(same).map(|it| it.step),
                )
            }
            _ => {
                let reads = kernel
                    .accesses
                    .iter()
                    .filter(|it| !it.write && it.address.is_some());
                let same = reads.filter(|it| {
                    it.address
                        .and_then(|(base, offset)| kernel.place(base, offset, it.step))
                        == Some(place)
                });
                first(kernel, event.step, &meetings, same.map(|it| it.step))
            }
        };
        let Some(user) = user else {
            continue;
        };
        told.push(place);
        let name = kernel.describe(place);
        reports.push(
            report(
                "unpublished-initialization",
                user,
                format!(
                    "threads use `{name}` here before they can know that another one prepared it"
                ),
                "a barrier of the block between the two makes them wait for it",
            )
            .related(event.step, "one thread or warp prepares it here")
            .fixed(
                Insertion::before(user, EventKind::BlockSync).filter(|_| kernel.is_common(user)),
            ),
        );
    }
}

/// The first user that no meeting separates from what is prepared, and that threads run which did not prepare it.
fn first(
    kernel: &Kernel<'_>,
    prepared: Step,
    meetings: &[Step],
    mut users: impl Iterator<Item = Step>,
) -> Option<Step> {
    if !kernel.is_for_some(prepared) {
        return None;
    }
    users.find(|user| {
        // Lanes that meet do not meet other warps.
        let across = kernel.bounds.exact && kernel.reaches_warps(prepared, *user);
        let meets = |it: &Step| !(across && kernel.is(*it, EventKind::WarpSync));
        kernel
            .paths
            .nothing_between(prepared, *user, meetings.iter().copied().filter(meets))
            && !kernel.calls
            && kernel.others_run(prepared, *user)
    })
}
