//! The tables of the comparison, in Markdown: a row for each producer, and one for each target.

use std::collections::BTreeMap;

use analysis::EntryRegisters;
use isa::{limits::Limits, occupancy::REGISTER_STEP, target::Target};

use crate::tools::Measured;

/// The threads of a block for which resident warps are compared.
const THREADS: u32 = 256;
/// Larger kernels have a column of their own.
const LARGE: u32 = 128;
/// The line of the peak matters for kernels with at least this many registers.
const PEAK_FROM: u32 = 24;
/// A peak is found if nearly as many registers are live this many lines around it,
const PEAK_LINES: u32 = 15;
/// namely this share of the most, in percent.
const PEAK_SHARE: u32 = 90;

/// A kernel on a target: what we say and what ptxas says.
pub(crate) struct Compared {
    pub(crate) file: String,
    pub(crate) producer: String,
    pub(crate) family: String,
    pub(crate) target: String,
    pub(crate) estimate: EntryRegisters,
    pub(crate) truth: Measured,
}

impl Compared {
    /// All figures as a line of JSON.
    pub(crate) fn json(&self) -> String {
        let line = serde_json::json!({
            "file": self.file,
            "producer": self.producer,
            "family": self.family,
            "entry": self.estimate.name,
            "target": self.target,
            "estimate": self.estimate.estimate,
            "low": self.estimate.low,
            "high": self.estimate.high,
            "as_written": self.estimate.max_live,
            "reordered": self.estimate.reordered,
            "recomputed": self.estimate.recomputed,
            "eager": self.estimate.eager,
            "most_live": self.estimate.most_live,
            "spent": self.estimate.spent,
            "cap": self.estimate.cap.map(|it| it.0),
            "registers": self.truth.registers,
            "spill_stores": self.truth.spill_stores,
        });
        format!("{line}\n")
    }

    fn off(&self) -> u32 {
        self.estimate.estimate.abs_diff(self.truth.registers)
    }

    fn is_near(&self) -> bool {
        let step = |registers: u32| registers.div_ceil(REGISTER_STEP);
        step(self.estimate.estimate).abs_diff(step(self.truth.registers)) <= 1
    }

    fn is_in_range(&self) -> bool {
        (self.estimate.low..=self.estimate.high).contains(&self.truth.registers)
    }

    fn has_same_warps(&self) -> bool {
        let limits = Target::parse(&self.target).and_then(Limits::at_least);
        let warps = |registers| limits.map(|it| it.occupancy(registers, THREADS, 0).warps);
        warps(self.estimate.estimate) == warps(self.truth.registers)
    }

    /// Whether nearly as many registers are live around the line of our peak as anywhere; `None` if that is
    /// unknown, and for small kernels.
    fn peak_found(&self) -> Option<bool> {
        let most = self.truth.alive.iter().map(|it| it.1).max()?;
        let line = self.estimate.peak_line? + 1;
        if self.truth.registers < PEAK_FROM {
            return None;
        }
        let around = self.truth.alive.iter();
        let around = around.filter(|it| it.0.abs_diff(line) <= PEAK_LINES);
        let here = around.map(|it| it.1).max().unwrap_or(0);
        Some(100 * here >= PEAK_SHARE * most)
    }
}

/// Prints both tables.
pub(crate) fn print(all: &[Compared]) -> anyhow::Result<()> {
    print_by("producer", all, |it| &it.producer);
    println!();
    print_by("target", all, |it| &it.target);
    Ok(())
}

fn print_by(title: &str, all: &[Compared], key: impl Fn(&Compared) -> &str) {
    println!(
        "| {title} | kernels | median error | within one step of {REGISTER_STEP} | same warps at {THREADS} \
         threads | mean error | mean estimate less truth | above {LARGE} | in the range | peak found |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut groups: BTreeMap<&str, Vec<&Compared>> = BTreeMap::new();
    for it in all {
        groups.entry(key(it)).or_default().push(it);
    }
    for (name, kernels) in &groups {
        println!("{}", row(name, kernels));
    }
    if groups.len() > 1 {
        let everything: Vec<&Compared> = all.iter().collect();
        println!("{}", row("all", &everything));
    }
}

fn row(name: &str, all: &[&Compared]) -> String {
    let relative = |it: &&Compared| f64::from(it.off()) / f64::from(it.truth.registers.max(1));
    let mut errors: Vec<f64> = all.iter().map(relative).collect();
    errors.sort_unstable_by(f64::total_cmp);
    let median = errors.get(errors.len() / 2).copied().unwrap_or(0.0);
    let share = |is: fn(&Compared) -> bool| {
        let found = all.iter().filter(|it| is(it)).count();
        percent(found, all.len())
    };
    let mean = |kernels: &[&Compared]| {
        let sum: u32 = kernels.iter().map(|it| it.off()).sum();
        f64::from(sum) / kernels.len().max(1) as f64
    };
    let less = |it: &&Compared| f64::from(it.estimate.estimate) - f64::from(it.truth.registers);
    let bias = all.iter().map(less).sum::<f64>() / all.len().max(1) as f64;
    let is_large = |it: &&Compared| it.truth.registers > LARGE;
    let large: Vec<&Compared> = all.iter().copied().filter(is_large).collect();
    let large = match large.len() {
        0 => "-".to_owned(),
        count => format!("{:.0} ({count})", mean(&large)),
    };
    let peaks: Vec<bool> = all.iter().filter_map(|it| it.peak_found()).collect();
    let peaks = match peaks.len() {
        0 => "-".to_owned(),
        count => {
            let found = peaks.iter().filter(|it| **it).count();
            format!("{} ({count})", percent(found, count))
        }
    };
    format!(
        "| {name} | {} | {:.1} % | {} | {} | {:.1} | {bias:+.1} | {large} | {} | {peaks} |",
        all.len(),
        100.0 * median,
        share(Compared::is_near),
        share(Compared::has_same_warps),
        mean(all),
        share(Compared::is_in_range),
    )
}

fn percent(part: usize, of: usize) -> String {
    format!("{:.0} %", 100.0 * part as f64 / of.max(1) as f64)
}
