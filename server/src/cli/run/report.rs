//! The findings of a run, as text and as JSON.

use std::fmt::Write as _;

use analysis::{Diagnostic, FileId, FileRange, RelatedInformation};
use run::{
    Ended, Finding, Severity,
    debug::lane_ranges,
    description::{Judgement, Shown},
};
use serde::Serialize;
use serde_json::{Value, json};
use syntax::{TextRange, text::Encoding};

use super::{
    execute::{Cut, Ran},
    subject::Subject,
};
use crate::cli::{counted, plain, render, report::Place};

/// A run with what is expected of it.
pub(in crate::cli) struct Report<'a> {
    pub(in crate::cli) subject: &'a Subject,
    pub(in crate::cli) name: &'a str,
    pub(in crate::cli) entry: &'a str,
    pub(in crate::cli) ran: &'a Ran,
    pub(in crate::cli) judgements: &'a [Judgement],
}

/// A run as JSON.
#[derive(Serialize)]
pub(in crate::cli) struct Record<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    entry: &'a str,
    outcome: &'static str,
    steps: u64,
    lane_instructions: u64,
    seconds: f64,
    findings: Vec<FindingRecord<'a>>,
    expectations: Vec<JudgementRecord<'a>>,
    not_run: Vec<NotRunRecord<'a>>,
    approximated: &'a [&'static str],
    #[serde(skip_serializing_if = "str::is_empty")]
    printed: &'a str,
}

#[derive(Serialize)]
struct FindingRecord<'a> {
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    file: &'a str,
    line: u32,
    column: u32,
    block: [u32; 3],
    warp: u32,
    lanes: &'a [u8],
    related: Vec<RelatedRecord<'a>>,
}

#[derive(Serialize)]
struct RelatedRecord<'a> {
    line: u32,
    message: &'a str,
}

#[derive(Serialize)]
struct NotRunRecord<'a> {
    line: u32,
    what: &'a str,
}

impl<'a> Report<'a> {
    /// The status of the program for it.
    pub(in crate::cli) fn status(&self) -> u8 {
        if self.ran.is_stopped() {
            return 3;
        }
        let fails = self.judgements.iter().any(|it| !it.holds());
        u8::from(
            fails
                || !self.ran.outcome.findings.is_empty()
                || self.ran.outcome.ended != Ended::Finished,
        )
    }

    /// It as JSON.
    pub(in crate::cli) fn record(&self) -> Record<'a> {
        let outcome = &self.ran.outcome;
        let place = |range| Place::new(range, self.subject.document.lines(), Encoding::Utf8);
        let finding = |it: &'a Finding| {
            let place = place(it.range);
            let related = it.related.iter().map(|it| RelatedRecord {
                line: self.line(it.range),
                message: &it.message,
            });
            FindingRecord {
                code: it.code.word(),
                severity: severity(it.severity).0,
                message: &it.message,
                file: &self.subject.name,
                line: place.line,
                column: place.column,
                block: it.block,
                warp: it.warp,
                lanes: &it.lanes,
                related: related.collect(),
            }
        };
        let not_run = outcome.not_run.iter().map(|it| NotRunRecord {
            line: self.line(it.range),
            what: &it.what,
        });
        Record {
            name: Some(self.name).filter(|it| *it != self.entry),
            entry: self.entry,
            outcome: match self.ran.cut {
                Some(_) => "limit",
                None => ended(outcome.ended),
            },
            steps: outcome.steps,
            lane_instructions: outcome.lane_instructions,
            seconds: self.ran.seconds,
            findings: outcome.findings.iter().map(finding).collect(),
            expectations: self.judgements.iter().map(judgement_record).collect(),
            not_run: not_run.collect(),
            approximated: &outcome.approximated,
            printed: &outcome.printed,
        }
    }

    fn line(&self, range: TextRange) -> u32 {
        self.subject.line(range.start().into())
    }

    /// It as text: what was printed, the findings at their lines, the expectations, and a closing line.
    pub(in crate::cli) fn text(&self, color: bool) -> String {
        let outcome = &self.ran.outcome;
        let mut out = String::new();
        for line in outcome.printed.lines() {
            out += &plain(line);
            out.push('\n');
        }
        for it in &outcome.findings {
            out += &self.render(diagnostic(it), color);
        }
        for it in &outcome.not_run {
            let message = format!("not run yet: {}", it.what);
            let diagnostic = problem(it.range, analysis::Severity::Error, "not-run", message);
            out += &self.render(diagnostic, color);
        }
        for it in self.judgements {
            out += &judgement_text(it);
        }
        if !outcome.approximated.is_empty() {
            let names = outcome.approximated.join(", ");
            let _ = writeln!(out, "computed in one of the ways that PTX allows: {names}");
        }
        let _ = writeln!(out, "{}", plain(&self.closing()));
        out
    }

    fn render(&self, diagnostic: Diagnostic, color: bool) -> String {
        let document = &self.subject.document;
        render::render(
            &self.subject.name,
            document.text(),
            document.lines(),
            &diagnostic,
            color,
        )
    }

    /// The line that ends a report.
    pub(in crate::cli) fn closing(&self) -> String {
        let outcome = &self.ran.outcome;
        let how = match (self.ran.cut, outcome.ended) {
            (Some(Cut::Time), _) => "stopped, as its time is over: ",
            (Some(Cut::Interrupt), _) => "interrupted: ",
            (_, Ended::Finished) => "",
            (_, Ended::Stopped) => "stopped at what is not run yet: ",
            (_, Ended::Deadlock) => "deadlock: ",
            (_, Ended::Trap) => "trap: ",
            (_, Ended::Limit) => "stopped at a limit: ",
        };
        let steps = counted(usize::try_from(outcome.steps).unwrap_or(usize::MAX), "step");
        let findings = match outcome.findings.len() {
            0 => "no findings".to_owned(),
            count => counted(count, "finding"),
        };
        let mut line = format!("{}: {how}ran {steps} of warps; {findings}", self.name);
        let failed = self.judgements.iter().filter(|it| !it.holds()).count();
        if failed > 0 {
            line += &format!(
                ", {failed} of {} failed",
                counted(self.judgements.len(), "expectation")
            );
        }
        line
    }
}

/// The word of an end in JSON.
fn ended(ended: Ended) -> &'static str {
    match ended {
        Ended::Finished => "finished",
        Ended::Stopped => "stopped",
        Ended::Deadlock => "deadlock",
        Ended::Trap => "trap",
        Ended::Limit => "limit",
    }
}

fn severity(severity: Severity) -> (&'static str, analysis::Severity) {
    match severity {
        Severity::Error => ("error", analysis::Severity::Error),
        Severity::Warning => ("warning", analysis::Severity::Warning),
    }
}

fn problem(
    range: TextRange,
    severity: analysis::Severity,
    code: &'static str,
    message: String,
) -> Diagnostic {
    Diagnostic {
        range,
        severity,
        code,
        message,
        help: None,
        related: Vec::new(),
        tags: Vec::new(),
        fixes: Vec::new(),
    }
}

/// A finding as a diagnostic, which names the threads.
fn diagnostic(it: &Finding) -> Diagnostic {
    let [x, y, z] = it.block;
    let mut message = format!("{} (block {x},{y},{z}, warp {}", it.message, it.warp);
    match &*it.lanes {
        [] => {}
        [one] => message += &format!(", lane {one}"),
        lanes => {
            let mask = lanes.iter().fold(0, |mask, it| mask | 1 << it);
            message += &format!(", lanes {}", lane_ranges(mask));
        }
    }
    message.push(')');
    let related = it.related.iter().map(|it| RelatedInformation {
        location: FileRange {
            file: FileId(0),
            range: it.range,
        },
        message: it.message.clone(),
    });
    Diagnostic {
        related: related.collect(),
        ..problem(it.range, severity(it.severity).1, it.code.word(), message)
    }
}

/// A number as JSON, which has no word for those that are not finite.
fn shown(number: Shown) -> Value {
    match number {
        Shown::Float(it) if it.is_finite() => json!(it),
        Shown::Single(it) if it.is_finite() => json!(f64::from(it)),
        Shown::Integer(it) => match (i64::try_from(it), u64::try_from(it)) {
            (Ok(it), _) => json!(it),
            (_, Ok(it)) => json!(it),
            _ => json!(it.to_string()),
        },
        other => json!(other.to_string()),
    }
}

/// A judgement as JSON.
#[derive(Serialize)]
pub(super) struct JudgementRecord<'a> {
    name: &'a str,
    holds: bool,
    first_difference: Option<DifferenceRecord<'a>>,
    different: usize,
    of: usize,
}

#[derive(Serialize)]
struct DifferenceRecord<'a> {
    index: &'a [u64],
    got: Value,
    want: Value,
}

/// A judgement as JSON.
pub(super) fn judgement_record(it: &Judgement) -> JudgementRecord<'_> {
    JudgementRecord {
        name: &it.name,
        holds: it.holds(),
        first_difference: it.first.as_ref().map(|it| DifferenceRecord {
            index: &it.index,
            got: shown(it.got),
            want: shown(it.want),
        }),
        different: it.different,
        of: it.of,
    }
}

/// A judgement as a line.
pub(super) fn judgement_text(it: &Judgement) -> String {
    let name = plain(&it.name);
    match &it.first {
        None => format!("{name}: as expected\n"),
        Some(first) => {
            let index: Vec<String> = first.index.iter().map(u64::to_string).collect();
            format!(
                "{name}: {} of {} {}, first at [{}]: got {}, want {}\n",
                it.different,
                counted(it.of, "element"),
                if it.of == 1 { "differs" } else { "differ" },
                index.join(", "),
                first.got,
                first.want,
            )
        }
    }
}
