//! Shared memory that the generic proxy wrote, and the asynchronous proxy reads.

use isa::event::{EventKind, Group};

use crate::flow::ids::{Step, VariableName};
use crate::protocols::{
    kernel::{Access, Kernel, KernelEvent},
    moments::{Moment, Moments},
    report::{Insertion, Report, report},
};

const CODE: &str = "missing-proxy-fence";

/// Bytes of the least tile that a matrix unit reads. What is smaller holds flags and barriers.
const TILE: u64 = 128;

/// The writes since the last fence, on every way: bits of variables, the last for some tile or other.
type Written = (u64, Option<Step>);
/// Some tile was written.
const SOME: u64 = 1 << 63;

pub(super) fn run(kernel: &Kernel<'_>, moments: &Moments<'_, '_>, reports: &mut Vec<Report>) {
    let reads = |it: &Access| {
        let reads = |kind: EventKind| {
            let groups = [Group::Wgmma, Group::Bulk, Group::TensorMma];
            kind == EventKind::Complete || groups.map(EventKind::Issue).contains(&kind)
        };
        let mut events = kernel.events_at(it.step);
        it.asynchronous && !it.write && it.is_shared() && events.any(|it| reads(it.kind))
    };
    // Barriers in memory are written, too, and mean nothing to the asynchronous proxy.
    let writes = |it: &Access| {
        let mut events = kernel.events_at(it.step);
        let plain = events.all(|it| it.kind == EventKind::Issue(Group::Copy));
        it.write && it.is_shared() && !it.asynchronous && plain
    };
    if !kernel.accesses.iter().any(reads) {
        return;
    }
    let exchanges = |it: &Access| {
        let plain = !it.write && it.is_shared() && !it.asynchronous;
        plain && kernel.events_at(it.step).next().is_none()
    };
    let variables: Vec<VariableName> = {
        let mut found: Vec<VariableName> = Vec::new();
        for access in kernel.accesses.iter().filter(|it| writes(it)) {
            if let Some(it) = written(kernel, access)
                && !found.contains(&it)
                && found.len() < 62
            {
                found.push(it);
            }
        }
        found
    };
    let bit = |symbol: VariableName| {
        let index = variables.iter().position(|it| *it == symbol);
        index.map(|it| 1 << it)
    };
    let bits = |access: &Access| match written(kernel, access) {
        Some(symbol) => {
            let large = (kernel.size)(symbol).is_none_or(|it| it >= TILE);
            bit(symbol).unwrap_or(0) | if large { SOME } else { 0 }
        }
        None => u64::MAX,
    };
    let apply = |step: Step, moment: Moment<'_>, state: &mut Written| match moment {
        // Copies are guarded by bounds, other writes by a thread or lane that writes for its own ends.
        Moment::Access(access)
            if writes(access)
                && (!kernel.is_guarded(step) || kernel.is(step, EventKind::Issue(Group::Copy))) =>
        {
            *state = (state.0 | bits(access), Some(step));
        }
        // What this proxy reads itself was written for it: threads exchange values there.
        Moment::Access(access) if exchanges(access) => {
            let exchanged = match access.address.and_then(|it| kernel.root(it.0)) {
                Some(symbol) => match bit(symbol) {
                    Some(bit) => state.0 & bit != 0,
                    // Memory of open size may have another name, too.
                    None => (kernel.size)(symbol).is_none(),
                },
                None => true,
            };
            if exchanged {
                state.0 &= !SOME;
            }
        }
        Moment::Event(event) if event.kind == EventKind::ProxyFence => *state = (0, None),
        Moment::Call => *state = (0, None),
        _ => {}
    };
    let join = |into: &mut Written, other: &Written| {
        into.0 &= other.0;
        into.1 = into.1.max(other.1);
    };
    let mut told = 0;
    moments.go((0, None), apply, join, &mut |step, moment, state| {
        let Moment::Access(access) = moment else {
            return;
        };
        let (Some(writer), true) = (state.1, reads(access)) else {
            return;
        };
        let wanted = match source(kernel, step) {
            Some(symbol) => bit(symbol).unwrap_or(0),
            None => SOME,
        };
        if state.0 & wanted == 0 || told == writer + 1 {
            return;
        }
        // One fence after a write repairs all that follows.
        told = writer + 1;
        let name = kernel.name(step);
        let found = report(
            CODE,
            step,
            format!("`{name}` may read what shared memory held before the last writes"),
            "the writes go through the generic proxy and this read through the asynchronous one; \
             `fence.proxy.async` by the writing threads, before they meet the reading one, orders them",
        )
        .related(writer, "the write")
        .fixed(Insertion::behind(writer, EventKind::ProxyFence, false));
        reports.push(found);
    });
}

/// The variable into which an access writes.
fn written(kernel: &Kernel<'_>, access: &Access) -> Option<VariableName> {
    let base = match access.address {
        Some(it) => it.0,
        None => {
            let mut events = kernel.events_at(access.step);
            let copy = events.find(|it| it.kind == EventKind::Issue(Group::Copy))?;
            kernel.bracket(copy, 0)?.0
        }
    };
    kernel.root(base)
}

/// The variable that an asynchronous instruction reads.
fn source(kernel: &Kernel<'_>, step: Step) -> Option<VariableName> {
    let bulk = |it: &&KernelEvent| it.kind == EventKind::Issue(Group::Bulk);
    let event = kernel.events_at(step).find(bulk)?;
    kernel.root(kernel.bracket(event, 0)?.0)
}
