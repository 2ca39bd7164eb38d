//! Counts of agreement and disagreement, by instruction.

use std::{collections::BTreeMap, fmt::Write as _};

use super::program::Case;

/// Sorts of disagreement that a report shows with an example, per instruction.
const SHOWN: usize = 12;

/// Where we disagree on purpose, with the reasons.
const ON_PURPOSE: &str = include_str!("../../conformance/on-purpose.md");

/// Verdicts compared so far.
#[derive(Debug, Default)]
pub struct Report {
    /// By family and instruction.
    counts: BTreeMap<(String, String), Count>,
    disagreements: Vec<Disagreement>,
}

/// Numbers of one instruction or family.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Statements judged.
    pub judged: usize,
    /// Those that ptxas accepts.
    pub accepted: usize,
    /// Statements that ptxas accepts and we do not.
    pub false_alarms: usize,
    /// Statements that we accept and ptxas does not.
    pub missed: usize,
}

impl Count {
    /// Share of equal verdicts, in percent.
    pub fn agreement(&self) -> f64 {
        let wrong = self.false_alarms + self.missed;
        100.0 * (self.judged - wrong) as f64 / self.judged.max(1) as f64
    }

    fn add(&mut self, other: &Count) {
        self.judged += other.judged;
        self.accepted += other.accepted;
        self.false_alarms += other.false_alarms;
        self.missed += other.missed;
    }
}

/// A statement on which the verdicts differ.
#[derive(Debug)]
pub struct Disagreement {
    /// Statement with its module.
    pub case: Case,
    /// Our errors; none if we accept it.
    pub ours: Vec<String>,
    /// The error of ptxas, if it does not.
    pub ptxas: Option<String>,
}

impl Report {
    /// Adds a statement; `ptxas` is its error, if it rejects the statement.
    pub fn add(&mut self, case: &Case, ours: Vec<String>, ptxas: Option<String>) {
        let count = self
            .counts
            .entry((case.family.clone(), case.instruction.clone()))
            .or_default();
        count.judged += 1;
        count.accepted += usize::from(ptxas.is_none());
        if ours.is_empty() == ptxas.is_none() {
            return;
        }
        if ptxas.is_none() {
            count.false_alarms += 1;
        } else {
            count.missed += 1;
        }
        self.disagreements.push(Disagreement {
            case: case.clone(),
            ours,
            ptxas,
        });
    }

    /// All statements together.
    pub fn total(&self) -> Count {
        self.counts.values().fold(Count::default(), |mut sum, it| {
            sum.add(it);
            sum
        })
    }

    /// By family.
    pub fn families(&self) -> BTreeMap<&str, Count> {
        let mut families: BTreeMap<&str, Count> = BTreeMap::new();
        for ((family, _), count) in &self.counts {
            families.entry(family).or_default().add(count);
        }
        families
    }

    /// The statements on which the verdicts differ.
    pub fn disagreements(&self) -> &[Disagreement] {
        &self.disagreements
    }

    /// The first disagreement of each sort of an instruction, with their number; false alarms first, which
    /// are the worse mistake, then the most frequent.
    fn groups(&self, family: &str, instruction: &str) -> Vec<(&Disagreement, usize)> {
        let of_it = self
            .disagreements
            .iter()
            .filter(|it| it.case.instruction == instruction && it.case.family == family);
        let mut groups: BTreeMap<(bool, &str), (&Disagreement, usize)> = BTreeMap::new();
        for it in of_it {
            let reason = it
                .ptxas
                .as_deref()
                .or(it.ours.first().map(String::as_str))
                .unwrap_or_default();
            groups
                .entry((it.ptxas.is_some(), reason))
                .or_insert((it, 0))
                .1 += 1;
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        groups.sort_by_key(|it| (it.0.ptxas.is_some(), std::cmp::Reverse(it.1)));
        groups.truncate(SHOWN);
        groups
    }

    /// The instructions with disagreements, most first, with examples; all counts in sum; where we disagree
    /// on purpose.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut wrong: Vec<_> = self
            .counts
            .iter()
            .filter(|it| it.1.false_alarms + it.1.missed > 0)
            .collect();
        wrong.sort_by_key(|it| std::cmp::Reverse(it.1.false_alarms + it.1.missed));
        for ((family, instruction), count) in &wrong {
            line(
                &mut out,
                format_args!(
                    "\n{instruction}{}{family}: {} judged, {} false alarms, {} missed",
                    if family.is_empty() { "" } else { " of " },
                    count.judged,
                    count.false_alarms,
                    count.missed
                ),
            );
            for (group, all) in self.groups(family, instruction) {
                group.write(&mut out, all);
            }
        }
        line(
            &mut out,
            format_args!(
                "\n{:<28}{:>9}{:>10}{:>14}{:>9}{:>11}",
                "", "judged", "accepted", "false alarms", "missed", "agreement"
            ),
        );
        for ((_, instruction), count) in &wrong {
            summary(&mut out, instruction, count);
        }
        line(
            &mut out,
            format_args!(
                "{} instructions without a disagreement",
                self.counts.len() - wrong.len()
            ),
        );
        for (family, count) in self.families().iter().filter(|it| !it.0.is_empty()) {
            summary(&mut out, &format!("[{family}]"), count);
        }
        summary(&mut out, "all", &self.total());
        out.push('\n');
        out.push_str(ON_PURPOSE);
        out
    }
}

impl Disagreement {
    fn write(&self, out: &mut String, all: usize) {
        let (case, ours) = (&self.case, self.ours.join("; "));
        let kind = if self.ptxas.is_none() {
            "false alarm"
        } else {
            "missed"
        };
        line(
            out,
            format_args!(
                "  {kind} ({all}), {} {}: {}",
                case.version, case.target, case.statement
            ),
        );
        if let Some(message) = &self.ptxas {
            line(out, format_args!("      ptxas: {message}"));
        } else {
            line(out, format_args!("      we say: {ours}"));
        }
    }
}

fn summary(out: &mut String, name: &str, count: &Count) {
    line(
        out,
        format_args!(
            "{name:<28}{:>9}{:>10}{:>14}{:>9}{:>10.3}%",
            count.judged,
            count.accepted,
            count.false_alarms,
            count.missed,
            count.agreement()
        ),
    );
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("a string takes everything");
}
