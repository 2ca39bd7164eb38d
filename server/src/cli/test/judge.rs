//! The verdict about a run: under all schedules, with the findings that are expected and no others.

use std::{collections::BTreeSet, time::Duration};

use run::{
    Ended, Schedule,
    description::{Judgement, Prepared},
};

use crate::cli::run::{
    execute::{Ran, execute, schedule_word},
    report::Report,
    subject::{Run, Subject},
};

/// An order in which warps run, and whether asynchronous operations land late.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    pub(super) schedule: Schedule,
    pub(super) late: bool,
}

impl Order {
    pub(super) fn word(self) -> String {
        let late = if self.late { " --late" } else { "" };
        format!("--schedule {}{late}", schedule_word(self.schedule))
    }
}

/// A run in one order.
pub(super) struct Attempt {
    pub(super) order: Order,
    pub(super) ran: Ran,
    pub(super) judgements: Vec<Judgement>,
    /// Why it fails, as a phrase, if it does.
    pub(super) failure: Option<String>,
}

/// Runs a launch in one order.
pub(super) fn attempt(
    subject: &Subject,
    it: &Run,
    prepared: &Prepared,
    order: Order,
    timeout: Option<Duration>,
) -> Result<Attempt, String> {
    let mut launch = prepared.launch.clone();
    launch.schedule = order.schedule;
    launch.late = order.late;
    let ran = execute(subject, launch, timeout, false)?;
    let judgements = match ran.is_stopped() {
        true => Vec::new(),
        false => prepared.judge(&ran.outcome),
    };
    let mut attempt = Attempt {
        order,
        ran,
        judgements,
        failure: None,
    };
    attempt.failure = failure(it, &attempt, subject);
    Ok(attempt)
}

/// Why a run fails.
fn failure(it: &Run, attempt: &Attempt, subject: &Subject) -> Option<String> {
    let outcome = &attempt.ran.outcome;
    let found: BTreeSet<_> = outcome.findings.iter().map(|it| it.code).collect();
    let wanted: BTreeSet<_> = it.description.finds.iter().copied().collect();
    let words = |codes: &mut dyn Iterator<Item = &run::FindingCode>| {
        codes.map(|it| it.word()).collect::<Vec<_>>().join(", ")
    };
    if attempt.ran.is_stopped() {
        let name = &it.name;
        let report = Report {
            subject,
            name,
            entry: name,
            ran: &attempt.ran,
            judgements: &[],
        };
        return Some(report.closing());
    }
    let more = words(&mut found.difference(&wanted));
    if !more.is_empty() {
        return Some(format!("found {more}"));
    }
    let less = words(&mut wanted.difference(&found));
    if !less.is_empty() {
        return Some(format!("expected to find {less}"));
    }
    // What goes wrong as expected need not have right results.
    if !wanted.is_empty() {
        return None;
    }
    match outcome.ended {
        Ended::Deadlock => return Some("deadlock".to_owned()),
        Ended::Trap => return Some("trap".to_owned()),
        Ended::Finished | Ended::Stopped | Ended::Limit => {}
    }
    let wrong: Vec<&str> = attempt
        .judgements
        .iter()
        .filter(|it| !it.holds())
        .map(|it| &*it.name)
        .collect();
    (!wrong.is_empty()).then(|| format!("unexpected contents of {}", wrong.join(", ")))
}
