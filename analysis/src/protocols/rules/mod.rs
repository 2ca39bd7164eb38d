//! The rules, one file for each protocol.

mod barriers;
mod clusters;
mod election;
mod grids;
mod groups;
mod initialization;
mod masks;
mod mbarriers;
mod polling;
mod proxies;
mod races;
mod registers;
mod tensor;
mod wgmma;

use crate::protocols::{kernel::Kernel, moments::Moments, report::Report};

pub(super) use polling::may_poll;

/// Runs all rules.
pub(super) fn run(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    polling::weak_poll(kernel, reports);
    if kernel.events.is_empty() && kernel.accesses.is_empty() {
        return;
    }
    let moments = Moments::of(kernel);
    proxies::run(kernel, &moments, reports);
    wgmma::run(kernel, reports);
    mbarriers::run(kernel, reports);
    initialization::run(kernel, reports);
    election::run(kernel, reports);
    tensor::run(kernel, &moments, reports);
    groups::run(kernel, &moments, reports);
    registers::run(kernel, &moments, reports);
    clusters::run(kernel, &moments, reports);
    barriers::run(kernel, reports);
    masks::run(kernel, reports);
    races::run(kernel, &moments, reports);
    grids::run(kernel, reports);
}
