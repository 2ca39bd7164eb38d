//! Registers that warps give to others.

use isa::event::EventKind;

use crate::flow::facts::Step;
use crate::protocols::{
    kernel::Kernel,
    moments::{Moment, Moments},
    report::{Report, report},
};

/// Numbers come in steps of 8.
const UNIT: i64 = 8;

pub(super) fn run(kernel: &Kernel<'_>, moments: &Moments<'_, '_>, reports: &mut Vec<Report>) {
    let changes = |it: EventKind| {
        matches!(
            it,
            EventKind::RegistersIncrease | EventKind::RegistersDecrease
        )
    };
    let Some(first) = kernel.bounds.registers.filter(|_| kernel.entry) else {
        return;
    };
    if !kernel.events.iter().any(|it| changes(it.kind)) {
        return;
    }
    // The numbers that a thread may have, as bits.
    let bit = |number: i64| match number {
        0..=256 => 1_u64 << ((number + UNIT - 1) / UNIT),
        _ => u64::MAX,
    };
    let apply = |step: Step, moment: Moment<'_>, state: &mut u64| match moment {
        Moment::Event(event) if changes(event.kind) => {
            let after = kernel.constant(event, 0).map_or(u64::MAX, bit);
            *state = match kernel.is_guarded(step) {
                true => *state | after,
                false => after,
            };
        }
        Moment::Call => *state = u64::MAX,
        _ => {}
    };
    let join = |into: &mut u64, other: &u64| *into |= other;
    moments.go(bit(first.into()), apply, join, &mut |step, moment, state| {
        let Moment::Event(event) = moment else {
            return;
        };
        let Some(number) = kernel.constant(event, 0).filter(|_| changes(event.kind)) else {
            return;
        };
        let own = bit(number);
        let below = own - 1;
        let name = kernel.name(step);
        let least = i64::from(state.trailing_zeros()) * UNIT;
        let most = (63 - i64::from(state.leading_zeros())) * UNIT;
        let message = match event.kind {
            EventKind::RegistersIncrease if state & (own | below) == 0 => {
                format!("`{name}` increases to {number} registers, and the thread has {least} already")
            }
            EventKind::RegistersDecrease if state & !below == 0 => {
                format!("`{name}` decreases to {number} registers, and the thread has only {most}")
            }
            _ => return,
        };
        reports.push(report(
            "setmaxnreg-direction",
            step,
            message,
            "`.inc` must not go below what the warp has, and `.dec` not above it",
        ));
    });
}
