//! Masks of lanes that do not name the lanes that are there.

use isa::event::EventKind;

use crate::flow::facts::Step;
use crate::protocols::{
    kernel::{Kernel, KernelEvent},
    lanes::thread,
    report::{Report, report},
};

pub(super) fn run(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    let masked = |it: &&KernelEvent| {
        matches!(
            it.kind,
            EventKind::WarpExchange | EventKind::WarpSync | EventKind::Elect
        )
    };
    let meetings = kernel.steps(|it| {
        matches!(
            it,
            EventKind::WarpExchange | EventKind::WarpSync | EventKind::Elect | EventKind::BlockSync
        )
    });
    if !kernel.has_threads() {
        return;
    }
    for event in kernel.events.iter().filter(masked) {
        let Some(mask) = kernel.constant(event, 0) else {
            continue;
        };
        let mask = mask as u32;
        let Some(runners) = kernel.runners(event.step) else {
            continue;
        };
        let width = kernel.bounds.threads.unwrap_or(1024);
        for warp in [0, 1] {
            let lanes = runners
                .iter()
                .map(|it| thread(*it))
                .filter(|it| it / 32 == warp);
            let lanes = lanes.fold(0_u32, |all, it| all | 1 << (it % 32));
            if lanes == 0 {
                continue;
            }
            let missing = lanes & !mask;
            let name = kernel.name(event.step);
            let message = if missing != 0 {
                let lane = missing.trailing_zeros();
                format!("the mask {mask:#010x} of this `{name}` lacks lane {lane}, which runs it")
            } else {
                let there = match u32::try_from(warp).map(|it| width.saturating_sub(it * 32)) {
                    Ok(it @ 0..32) => (1_u32 << it) - 1,
                    _ => u32::MAX,
                };
                let elsewhere = mask & there & !lanes;
                // Lanes that end are missed by nobody.
                if elsewhere == 0 || !meets_later(kernel, event.step, &meetings) {
                    continue;
                }
                let lane = elsewhere.trailing_zeros();
                format!(
                    "the mask {mask:#010x} of this `{name}` names lane {lane}, which is elsewhere"
                )
            };
            reports.push(report(
                "sync-mask",
                event.step,
                message,
                "all lanes of the mask, and no others, must run it together",
            ));
            break;
        }
    }
}

/// Whether the lanes that do not run an instruction meet others later, so that they have not just ended.
fn meets_later(kernel: &Kernel<'_>, step: Step, meetings: &[Step]) -> bool {
    let block = kernel.flow.graph.block_of[step as usize];
    // After a guard the lanes continue.
    let controllers = kernel.paths.direct_controllers(block);
    let from = match (kernel.is_guarded(step), controllers) {
        (true, _) => Some(step),
        (false, [branch]) => kernel.paths.last(*branch),
        _ => None,
    };
    let Some(from) = from else {
        return false;
    };
    let other = |it: &Step| {
        let of = kernel.flow.graph.block_of[*it as usize];
        *it != step && (of != block || kernel.is_guarded(step))
    };
    let after = kernel.paths.after(from);
    let apart = |it: &&Step| other(it) && !kernel.shares_branch(**it, block);
    after.is_some_and(|after| meetings.iter().filter(apart).any(|it| after.contains(*it)))
}
