//! Protocols between threads, copies and matrix units: what hangs a GPU or gives wrong numbers although every
//! instruction is right.
//!
//! [`kernel`] reads the events of a function, which are in the instruction tables, and knows about its values;
//! [`paths`] and [`solver`] know about the ways through it; each file of [`rules`] matches events and says what is
//! wrong. What is not known is silent: a call, an address in a register, a branch that depends on memory.

mod form;
mod kernel;
mod known;
mod lanes;
mod moments;
mod paths;
mod query;
mod report;
mod rules;
mod solver;
mod stages;
mod threads;
mod values;
mod view;

use kernel::Kernel;
use known::Known;
pub(crate) use query::ask;
pub(crate) use report::{Insertion, Report};
pub(crate) use stages::in_flight;
pub(crate) use view::{Protocol, protocols};

/// The findings of the rules in a function, in the order of the text. `may_run` tells whether anybody wants to hear of a
/// code.
pub(crate) fn reports(known: &Known<'_>) -> Vec<Report> {
    if known.flow.facts.eventful.is_empty() && !rules::may_poll(known) {
        return Vec::new();
    }
    let kernel = Kernel::new(known);
    let mut reports = Vec::new();
    rules::run(&kernel, &mut reports);
    reports.sort_by_key(|it| (it.step, it.code));
    reports.dedup_by_key(|it| (it.step, it.code));
    reports
}
