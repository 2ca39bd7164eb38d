//! Objects that one thread prepares, and others use before they can know of it.

use std::rc::Rc;

use isa::event::EventKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    flow::ids::{Step, VariableName},
    protocols::{
        kernel::{Kernel, KernelEvent, MemoryPlace},
        report::{Insertion, Report, report},
        rules::mbarriers::waits,
    },
    values::Origin,
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

/// Where threads meet, and where they wait for somebody.
struct Meetings<'k, 'f> {
    kernel: &'k Kernel<'f>,
    always: Vec<Step>,
    waits: Vec<(Option<MemoryPlace>, &'k KernelEvent)>,
    /// The meetings apart from an origin, which most barriers have in common.
    last: Option<(Option<Origin>, Rc<[Step]>)>,
}

impl<'k, 'f> Meetings<'k, 'f> {
    fn of(kernel: &'k Kernel<'f>) -> Meetings<'k, 'f> {
        let waits = kernel.events.iter().filter(|it| waits(it.kind));
        Meetings {
            kernel,
            always: kernel.steps(publishes),
            waits: waits.map(|it| (kernel.address(it), it)).collect(),
            last: None,
        }
    }

    /// Those that may be for what is prepared at a place: who waits at another barrier in memory waits for somebody,
    /// who may be the one.
    fn apart_from(&mut self, kind: EventKind, place: MemoryPlace) -> Rc<[Step]> {
        let origin = (kind == EventKind::Init).then_some(place.origin);
        if let Some((of, known)) = &self.last
            && *of == origin
        {
            return Rc::clone(known);
        }
        // An element of the same array may be the one.
        let apart = |it: &&(Option<MemoryPlace>, &KernelEvent)| match origin {
            Some(Origin::Symbol(symbol)) => self.kernel.address_root(it.1) != Some(symbol),
            Some(origin) => it.0.is_none_or(|it| it.origin != origin),
            None => true,
        };
        let waits = self.waits.iter().filter(apart).map(|it| it.1.step);
        let found: Rc<[Step]> = self.always.iter().copied().chain(waits).collect();
        self.last = Some((origin, Rc::clone(&found)));
        found
    }
}

/// Who uses barriers in memory, in the order of the text.
struct Users {
    /// By the place, where that is an element of a variable.
    at: FxHashMap<MemoryPlace, Vec<Step>>,
    /// By the variable, where the element is not known.
    within: FxHashMap<VariableName, Vec<Step>>,
}

impl Users {
    fn of(kernel: &Kernel<'_>) -> Users {
        let mut users = Users {
            at: FxHashMap::default(),
            within: FxHashMap::default(),
        };
        for event in kernel.events.iter().filter(|it| uses(it.kind)) {
            match kernel.address(event) {
                Some(place) if place.symbol().is_some() => {
                    users.at.entry(place).or_default().push(event.step);
                }
                _ => {
                    if let Some(symbol) = kernel.address_root(event) {
                        users.within.entry(symbol).or_default().push(event.step);
                    }
                }
            }
        }
        users
    }

    /// Those of the barrier at a place. Where all barriers are elements of one variable, all are prepared alike, and a
    /// user of some element counts.
    fn of_place(&self, place: MemoryPlace, only: Option<VariableName>) -> Vec<Step> {
        let at = self.at.get(&place).into_iter().flatten();
        let symbol = place.symbol().filter(|it| only == Some(*it));
        let within = symbol.and_then(|it| self.within.get(&it));
        let mut all: Vec<Step> = at.chain(within.into_iter().flatten()).copied().collect();
        all.sort_unstable();
        all
    }
}

pub(super) fn run(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    let prepared = kernel
        .events
        .iter()
        .filter(|it| matches!(it.kind, EventKind::Init | EventKind::TensorAlloc));
    let mut meetings = Meetings::of(kernel);
    let users = Users::of(kernel);
    // The variable of which all barriers are elements.
    let inits = kernel.events.iter().filter(|it| it.kind == EventKind::Init);
    let mut inits = inits.map(|it| kernel.address(it).and_then(MemoryPlace::symbol));
    let only = inits.next().flatten();
    let only = only.filter(|it| inits.all(|other| other == Some(*it)));
    let mut told: FxHashSet<MemoryPlace> = FxHashSet::default();
    for event in prepared {
        let Some(place) = kernel.address(event).filter(|it| !told.contains(it)) else {
            continue;
        };
        let meetings = meetings.apart_from(event.kind, place);
        let user = match event.kind {
            EventKind::Init => {
                let same = users.of_place(place, only);
                first(kernel, event.step, &meetings, same.into_iter())
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
        told.insert(place);
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
