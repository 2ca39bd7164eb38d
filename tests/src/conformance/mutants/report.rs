//! Which verdicts on mutants differ, and why.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use super::Mutant;

/// Examples of one sort of disagreement.
const EXAMPLES: usize = 4;
/// Sorts of disagreement that are shown.
const SHOWN: usize = 60;

/// Verdicts on mutants.
#[derive(Debug, Default)]
pub struct Report {
    both_accept: usize,
    both_reject: usize,
    false_alarms: usize,
    missed: usize,
    groups: BTreeMap<(bool, String), (usize, Vec<String>)>,
}

impl Report {
    /// Adds a mutant; `ptxas` is its error, if it rejects the mutant.
    pub fn add(&mut self, mutant: &Mutant, ours: &[String], ptxas: Option<&str>) {
        match (ours.first(), ptxas) {
            (None, None) => self.both_accept += 1,
            (Some(_), Some(_)) => self.both_reject += 1,
            (Some(ours), None) => {
                self.false_alarms += 1;
                self.group(false, ours, mutant);
            }
            (None, Some(message)) => {
                self.missed += 1;
                self.group(true, message, mutant);
            }
        }
    }

    fn group(&mut self, missed: bool, message: &str, mutant: &Mutant) {
        let key = (missed, template(message));
        let (count, examples) = self.groups.entry(key).or_default();
        *count += 1;
        if examples.len() < EXAMPLES {
            examples.push(format!(
                "{}:{}: {} | {message}",
                mutant.base, mutant.line, mutant.change
            ));
        }
    }

    /// How many were judged.
    pub fn judged(&self) -> usize {
        self.both_accept + self.both_reject + self.false_alarms + self.missed
    }

    /// Share of equal verdicts, in percent.
    pub fn agreement(&self) -> f64 {
        100.0 * (self.both_accept + self.both_reject) as f64 / self.judged().max(1) as f64
    }

    /// Share of accepted mutants that we reject, in percent of all.
    pub fn false_alarms(&self) -> f64 {
        100.0 * self.false_alarms as f64 / self.judged().max(1) as f64
    }

    /// The disagreements by the message of the one who rejects, false alarms first, and the four counts.
    pub fn text(&self) -> String {
        let mut groups: Vec<_> = self.groups.iter().collect();
        groups.sort_by_key(|((missed, _), (count, _))| (*missed, std::cmp::Reverse(*count)));
        let mut out = String::new();
        let sorts: BTreeSet<bool> = self.groups.keys().map(|it| it.0).collect();
        for sort in sorts {
            for ((missed, message), (count, examples)) in
                groups.iter().filter(|it| it.0.0 == sort).take(SHOWN)
            {
                let what = if *missed { "missed" } else { "false alarm" };
                line(&mut out, format_args!("{what} ({count}): {message}"));
                for it in examples {
                    line(&mut out, format_args!("    {it}"));
                }
            }
        }
        let [a, b, c, d] = [
            self.both_accept,
            self.false_alarms,
            self.missed,
            self.both_reject,
        ];
        line(
            &mut out,
            format_args!("{:<18}{:>14}{:>14}", "", "we accept", "we reject"),
        );
        line(
            &mut out,
            format_args!("{:<18}{a:>14}{b:>14}", "ptxas accepts"),
        );
        line(
            &mut out,
            format_args!("{:<18}{c:>14}{d:>14}", "ptxas rejects"),
        );
        line(
            &mut out,
            format_args!(
                "agreement {:.3} %, false alarms {:.3} %",
                self.agreement(),
                self.false_alarms()
            ),
        );
        out
    }
}

/// A message without the names and numbers of the occasion.
fn template(message: &str) -> String {
    let mut out = String::new();
    let mut quote = None;
    for character in message.chars() {
        match (quote, character) {
            (Some(open), it) => {
                if it == open {
                    quote = None;
                    out.push(it);
                }
            }
            (None, '\'' | '`' | '"') => {
                quote = Some(character);
                out.push(character);
                out.push('…');
            }
            (None, it) if it.is_ascii_digit() => {
                if !out.ends_with('0') {
                    out.push('0');
                }
            }
            (None, it) => out.push(it),
        }
    }
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("a string takes everything");
}
