//! Operations that are committed and waited for in groups.

use isa::{
    event::{EventKind, Group},
    table::tables,
};
use rustc_hash::FxHashMap;

use crate::{
    flow::facts::Step,
    protocols::{
        kernel::{Access, Kernel, KernelEvent, MemoryPlace},
        moments::{Moment, Moments},
        report::{Insertion, Report, report},
    },
    values::Origin,
};

/// More groups than are counted.
const MANY: i64 = 32;

/// The events that must follow an operation.
struct Pair {
    code: &'static str,
    group: Group,
    /// Any of these,
    partners: &'static [EventKind],
    /// after one of these, if there are such.
    only_after: Option<EventKind>,
    /// The missing event, as a message names it.
    missing: EventKind,
    help: &'static str,
}

/// The index of the pair of copies of the thread.
const COPIES: usize = 1;

const PAIRS: [Pair; 5] = [
    Pair {
        code: "wgmma-missing-wait",
        group: Group::Wgmma,
        partners: &[EventKind::Wait(Group::Wgmma)],
        only_after: Some(EventKind::Commit(Group::Wgmma)),
        missing: EventKind::Wait(Group::Wgmma),
        help: "the accumulators hold nothing until the product is waited for",
    },
    Pair {
        code: "cp-async-missing-wait",
        group: Group::Copy,
        partners: &[EventKind::Wait(Group::Copy), EventKind::ArriveCopies],
        only_after: None,
        missing: EventKind::Wait(Group::Copy),
        help: "the copied data may not be there when it is read",
    },
    Pair {
        code: "bulk-copy-missing-commit",
        group: Group::Bulk,
        partners: &[EventKind::Commit(Group::Bulk)],
        only_after: None,
        missing: EventKind::Commit(Group::Bulk),
        help: "a wait is for committed groups only, so nothing waits for this copy",
    },
    Pair {
        code: "bulk-copy-missing-wait",
        group: Group::Bulk,
        partners: &[
            EventKind::Wait(Group::Bulk),
            EventKind::WaitRead(Group::Bulk),
        ],
        only_after: Some(EventKind::Commit(Group::Bulk)),
        missing: EventKind::Wait(Group::Bulk),
        help: "the block may end, and its shared memory with it, before the copy has read it",
    },
    Pair {
        code: "tcgen05-missing-commit",
        group: Group::TensorMma,
        partners: &[EventKind::Commit(Group::TensorMma)],
        only_after: None,
        missing: EventKind::Commit(Group::TensorMma),
        help: "only a commit makes an mbarrier tell when the operation is done",
    },
];

pub(super) fn run(kernel: &Kernel<'_>, moments: &Moments<'_, '_>, reports: &mut Vec<Report>) {
    let early = read_early(kernel, moments);
    if kernel.entry && !kernel.calls {
        let exercises = kernel.exercises();
        for pair in &PAIRS {
            // The kernel uses a copy that it reads, so the finding is more than a hint.
            let hint = |step: Step| {
                exercises && !early.iter().any(|it| it.0 == step)
                    || pair.group == Group::Bulk && !rewrites(kernel, step)
            };
            missing(kernel, pair, &hint, reports);
        }
    }
    let before = reports.len();
    for group in [Group::Copy, Group::Wgmma, Group::Bulk] {
        let waits =
            |it: EventKind| matches!(it, EventKind::Wait(g) | EventKind::WaitRead(g) if g == group);
        if kernel.events.iter().any(|it| waits(it.kind)) {
            counted(kernel, moments, group, reports);
        }
    }
    // A wait that waits for nothing is told of already.
    if reports.len() > before {
        return;
    }
    for (copy, read) in early {
        let waits = kernel.steps(|it| PAIRS[COPIES].partners.contains(&it));
        // Without any wait the copy is told of.
        if kernel.paths.never_after(copy, waits) {
            continue;
        }
        let pair = &PAIRS[COPIES];
        let name = kernel.name(copy);
        let found = report(
            pair.code,
            read,
            format!("this reads what a `{name}` brings before it is waited for"),
            pair.help,
        );
        reports.push(found.related(copy, "the copy"));
    }
}

/// Whether shared memory may be written after a copy from it. Blocks that end instead keep it until it is read, as
/// real kernels rely on.
fn rewrites(kernel: &Kernel<'_>, copy: Step) -> bool {
    let plain = |it: &&Access| {
        let mut events = kernel.events_at(it.step);
        // Writes to barriers in memory do not count.
        let data = events.all(|it| it.kind == EventKind::Issue(Group::Copy));
        it.write && it.is_shared() && data
    };
    let writes = kernel.accesses.iter().filter(plain).map(|it| it.step);
    let brings = kernel.steps(|it| it == EventKind::Complete);
    !kernel.paths.never_after(copy, writes.chain(brings))
}

/// Operations that nothing follows which must.
fn missing(
    kernel: &Kernel<'_>,
    pair: &Pair,
    hint: &dyn Fn(Step) -> bool,
    reports: &mut Vec<Report>,
) {
    let issues = kernel.steps(|it| it == EventKind::Issue(pair.group));
    let partners = kernel.steps(|it| pair.partners.contains(&it));
    let mut told: Option<u32> = None;
    for step in issues.iter().rev() {
        let block = kernel.flow.graph.block_of[*step as usize];
        if told == Some(block) || !kernel.paths.may_end_after(*step) {
            continue;
        }
        if let Some(first) = pair.only_after {
            let firsts = kernel.steps(|it| it == first);
            if kernel.paths.never_after(*step, firsts) {
                continue;
            }
        }
        if !kernel.paths.never_after(*step, partners.iter().copied()) {
            continue;
        }
        told = Some(block);
        let (name, missing) = (kernel.name(*step), tables().name_of(pair.missing));
        let commit = matches!(pair.missing, EventKind::Commit(Group::Bulk));
        let fix = match commit {
            true => Insertion::behind(*step, pair.missing, kernel.is_guarded(*step)),
            false => None,
        };
        let found = report(
            pair.code,
            *step,
            format!("no `{missing}` follows this `{name}`"),
            pair.help,
        );
        reports.push(found.fixed(fix).hint(hint(*step)));
    }
}

/// The copies whose target is read while they are on their way on every way, each with its first read.
fn read_early(kernel: &Kernel<'_>, moments: &Moments<'_, '_>) -> Vec<(Step, Step)> {
    const ISSUE: EventKind = EventKind::Issue(Group::Copy);
    let graph = &kernel.flow.graph;
    // In a loop an address that is computed there is another one in the next turn.
    let stays = |place: &MemoryPlace| match place.origin {
        Origin::Written(step) => graph.loop_of[graph.block_of[step as usize] as usize].is_none(),
        Origin::Symbol(_) | Origin::Input(_) => true,
    };
    let copies = kernel.events.iter().filter(|it| it.kind == ISSUE);
    let copies: FxHashMap<Step, MemoryPlace> = copies
        .filter(|it| !kernel.is_guarded(it.step))
        .filter_map(|it| Some((it.step, kernel.address(it).filter(stays)?)))
        .collect();
    if copies.is_empty() {
        return Vec::new();
    }
    // Copies on their way with the number of commits since.
    type Copies = Vec<(Step, i64)>;
    let apply = |step: Step, moment: Moment<'_>, state: &mut Copies| match moment {
        Moment::Event(event) => match event.kind {
            ISSUE if copies.contains_key(&step) => {
                state.retain(|it| it.0 != step);
                state.push((step, 0));
                state.sort_unstable();
            }
            EventKind::Commit(Group::Copy) => {
                for it in state {
                    it.1 = (it.1 + 1).min(MANY);
                }
            }
            EventKind::Wait(Group::Copy) => match kernel.operand(event, 0) {
                Some(_) => match kernel.constant(event, 0) {
                    Some(left) => state.retain(|it| it.1 <= left),
                    None => state.clear(),
                },
                None => state.clear(),
            },
            EventKind::ArriveCopies => state.clear(),
            _ => {}
        },
        Moment::Call => state.clear(),
        Moment::Access(_) => {}
    };
    let join = |into: &mut Copies, other: &Copies| {
        into.retain_mut(|it| {
            let found = other.iter().find(|other| other.0 == it.0);
            it.1 = found.map_or(it.1, |other| it.1.max(other.1));
            found.is_some()
        });
    };
    let mut found: Vec<(Step, Step)> = Vec::new();
    moments.go(Copies::new(), apply, join, &mut |step, moment, state| {
        let Moment::Access(access) = moment else {
            return;
        };
        let Some((base, offset)) = access
            .address
            .filter(|_| !access.write && access.is_shared())
        else {
            return;
        };
        let Some(place) = kernel.place(base, offset, step) else {
            return;
        };
        for (copy, _) in state {
            if copies.get(copy) == Some(&place) && !found.iter().any(|it| it.0 == *copy) {
                found.push((*copy, step));
            }
        }
    });
    found
}

/// The known facts about the groups of a thread.
#[derive(Clone, PartialEq)]
struct State {
    /// The operation that is not committed, on every way.
    uncommitted: Option<Step>,
    /// Groups that may be pending at most.
    groups: i64,
}

/// Waits for groups that cannot be.
fn counted(
    kernel: &Kernel<'_>,
    moments: &Moments<'_, '_>,
    group: Group,
    reports: &mut Vec<Report>,
) {
    let start = State {
        uncommitted: None,
        groups: if kernel.entry { 0 } else { MANY },
    };
    let left = |event: &KernelEvent| match kernel.operand(event, 0) {
        Some(_) => kernel.constant(event, 0).unwrap_or(MANY),
        None => -1,
    };
    let apply = |step: Step, moment: Moment<'_>, state: &mut State| match moment {
        Moment::Event(event) => match event.kind {
            EventKind::Issue(it) if it == group => state.uncommitted = Some(step),
            EventKind::Commit(it) if it == group => {
                state.uncommitted = None;
                state.groups = (state.groups + 1).min(MANY);
            }
            EventKind::Wait(it) | EventKind::WaitRead(it) if it == group => match left(event) {
                -1 => (state.groups, state.uncommitted) = (0, None),
                it => state.groups = state.groups.min(it),
            },
            _ => {}
        },
        Moment::Call => (state.groups, state.uncommitted) = (MANY, None),
        Moment::Access(_) => {}
    };
    let join = |into: &mut State, other: &State| {
        into.uncommitted = into
            .uncommitted
            .and(other.uncommitted.min(into.uncommitted));
        into.groups = into.groups.max(other.groups);
    };
    let mut idle: Vec<(i64, Report)> = Vec::new();
    let mut useful: Vec<(i64, Step)> = Vec::new();
    moments.go(start, apply, join, &mut |step, moment, state| {
        let Moment::Event(event) = moment else {
            return;
        };
        if !matches!(event.kind, EventKind::Wait(it) | EventKind::WaitRead(it) if it == group) {
            return;
        }
        let left = left(event);
        if left < 0 {
            return;
        }
        let name = kernel.name(step);
        let commit = EventKind::Commit(group);
        match state.uncommitted {
            Some(issue) if state.groups == 0 => {
                let code = match group {
                    Group::Wgmma => "wgmma-missing-commit",
                    Group::Copy => "cp-async-missing-commit",
                    // Told at the copy.
                    _ => return,
                };
                let missing = tables().name_of(commit);
                let found = report(
                    code,
                    step,
                    format!("`{name}` waits for nothing: no `{missing}` comes before it"),
                    "a wait is for committed groups only",
                )
                .related(issue, "what is not committed");
                reports.push(found.fixed(Insertion::before(step, commit)));
            }
            _ if (1..=left).contains(&state.groups) => {
                let most = match state.groups {
                    1 => "1 group is".to_owned(),
                    it => format!("{it} groups are"),
                };
                idle.push((left, report(
                    "ineffective-wait",
                    step,
                    format!("`{name}` waits for nothing: it leaves {left} pending, and at most {most}"),
                    "the number tells how many of the latest groups may still be pending; 0 waits for all",
                )));
            }
            _ if state.groups > left => useful.push((left, step)),
            _ => {}
        }
    });
    // The first of unrolled turns have nothing to wait for yet; later ones have.
    reports.extend(idle.into_iter().filter_map(|(left, it)| {
        let later = useful.iter().filter(|it| it.0 == left).map(|it| it.1);
        // Code for any number of stages drains its pipeline at the end.
        let drains = useful.iter().filter(|it| it.0 < left).map(|it| it.1);
        let drained = group == Group::Bulk && !kernel.paths.never_after(it.step, drains);
        let alone = kernel.paths.never_after(it.step, later);
        alone.then(|| it.hint(drained))
    }));
}
