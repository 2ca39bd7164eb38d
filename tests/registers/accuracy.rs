//! How good the estimates of registers are: compiles kernels with ptxas and compares.
//!
//! `tests/registers/accuracy` fetches ptxas and starts this program.

#![expect(clippy::print_stdout, reason = "a table is what this program is for")]

mod tools;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use analysis::{AnalysisHost, Change, EntryRegisters, FileId};
use anyhow::{Context as _, bail};
use clap::{Parser, ValueEnum};
use isa::{limits::Limits, occupancy::REGISTER_STEP, target::Target};
use syntax::Document;
use walkdir::WalkDir;

use tools::{Measured, Tools};

const FILE: FileId = FileId(0);
/// The threads of a block for which resident warps are compared.
const THREADS: u32 = 256;
/// Larger kernels have a column of their own.
const LARGE: u32 = 128;
/// The place of the peak matters for kernels with so many registers.
const PEAK_FROM: u32 = 24;
/// A peak is found if nearly as many registers are live so many lines around it,
const PEAK_LINES: u32 = 15;
/// namely this share of the most, in percent.
const PEAK_SHARE: u32 = 90;

/// Compares estimates of registers with what ptxas allocates.
#[derive(Parser)]
struct Arguments {
    /// PTX files, and folders that are searched for *.ptx.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The targets to compile for; the target of a file is rewritten if need be.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "TARGETS",
        default_value = "sm_75,sm_80,sm_90a,sm_100a,sm_120"
    )]
    target: Vec<String>,
    /// The ptxas to ask.
    #[arg(long, env = "PTXAS", default_value = "ptxas")]
    ptxas: PathBuf,
    /// The nvdisasm to ask where most registers are live.
    #[arg(long, env = "NVDISASM")]
    nvdisasm: Option<PathBuf>,
    /// Entries of one file at most, spread over it.
    #[arg(long, default_value_t = 12)]
    entries: usize,
    /// Seconds that ptxas may take for a file and a target.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Files at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Only files of one half, by a hash of their names: fit on one, judge by the other.
    #[arg(long)]
    half: Option<Half>,
    /// Writes every kernel to this file, as JSON lines.
    #[arg(long)]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Half {
    First,
    Second,
}

impl Half {
    /// The half of a file: FNV-1a of its name, so that it depends on no folder.
    fn of(path: &Path) -> Half {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let hash = name.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        match (hash >> 32) % 2 {
            0 => Half::First,
            _ => Half::Second,
        }
    }
}

/// A kernel on a target: what we say and what ptxas says.
struct Compared {
    file: String,
    estimate: EntryRegisters,
    truth: Measured,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let tools = Tools::new(
        &arguments.ptxas,
        arguments.nvdisasm.as_deref(),
        Duration::from_secs(arguments.seconds),
    )?;
    let mut files = Vec::new();
    for path in &arguments.paths {
        for entry in WalkDir::new(path).sort_by_file_name() {
            let path = entry.context("cannot search")?.into_path();
            let wanted = path.extension().is_some_and(|it| it == "ptx") && path.is_file();
            if wanted && arguments.half.is_none_or(|it| it == Half::of(&path)) {
                files.push(path);
            }
        }
    }
    let mut seen = BTreeSet::new();
    let mut compared: BTreeMap<&str, Vec<Compared>> = BTreeMap::new();
    let (mut refused, mut reason) = (0, None);
    for (path, outcome) in files.iter().zip(compare_all(&arguments, &tools, &files)) {
        let name = path.to_string_lossy();
        for (target, outcome) in outcome {
            let kernels = match outcome {
                Ok(kernels) => kernels,
                Err(error) => {
                    refused += 1;
                    reason.get_or_insert(error);
                    continue;
                }
            };
            for (estimate, truth, text) in kernels {
                if seen.insert((target, text)) {
                    compared.entry(target).or_default().push(Compared {
                        file: name.clone().into_owned(),
                        estimate,
                        truth,
                    });
                }
            }
        }
    }
    if compared.is_empty() {
        let reason = reason.unwrap_or_default();
        bail!("ptxas accepts none of {} files: {reason}", files.len());
    }
    if let Some(path) = &arguments.output {
        fs::write(path, json(&compared)?)?;
    }
    println!(
        "ptxas {}, {} files, {refused} times a file is not for a target\n",
        tools.release()?,
        files.len()
    );
    print_table(&arguments.target, &compared)
}

/// The result for a file on each target: its kernels with their texts, or why there are none.
type Outcome<'a> = Vec<(
    &'a str,
    Result<Vec<(EntryRegisters, Measured, String)>, String>,
)>;

/// Compares all files, in their order.
fn compare_all<'a>(arguments: &'a Arguments, tools: &Tools, files: &[PathBuf]) -> Vec<Outcome<'a>> {
    let next = AtomicUsize::new(0);
    let done: Mutex<BTreeMap<usize, Outcome<'_>>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            scope.spawn(|| {
                while let index = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(path) = files.get(index)
                {
                    let outcome = compare(arguments, tools, path);
                    if let Ok(mut done) = done.lock() {
                        done.insert(index, outcome);
                    }
                }
            });
        }
    });
    done.into_inner()
        .unwrap_or_default()
        .into_values()
        .collect()
}

fn compare<'a>(arguments: &'a Arguments, tools: &Tools, path: &Path) -> Outcome<'a> {
    let Ok(bytes) = fs::read(path) else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FILE, Some(Document::new(text.clone()).contents()))],
        config: None,
    });
    let analysis = host.analysis();
    let mut outcome = Vec::new();
    for target in &arguments.target {
        // Nobody cancels the questions of this host.
        let mut entries = analysis.registers(FILE, Some(target)).unwrap_or_default();
        if entries.is_empty() {
            break;
        }
        let count = entries.len();
        if count > arguments.entries {
            let step = count.div_ceil(arguments.entries.max(1));
            entries = entries.into_iter().step_by(step).collect();
        }
        let some = entries.len() < count;
        let names: Vec<&str> = entries.iter().map(|it| &*it.name).collect();
        let measured = tools.measure(&text, target, if some { &names } else { &[] });
        outcome.push((
            &**target,
            measured.map(|mut measured| {
                let both = entries.into_iter().filter_map(|it| {
                    let truth = measured.remove(&it.name)?;
                    let body = body(&text, &it);
                    Some((it, truth, body))
                });
                both.collect()
            }),
        ));
    }
    outcome
}

/// The text of an entry without its name, so that one that is in several files counts once.
fn body(text: &str, entry: &EntryRegisters) -> String {
    let rest = text.get(usize::from(entry.name_range.end())..);
    let rest = rest.unwrap_or_default();
    let end = rest.find("\n}").unwrap_or(rest.len());
    rest[..end].replace(&entry.name, "")
}

fn json(compared: &BTreeMap<&str, Vec<Compared>>) -> anyhow::Result<String> {
    let mut out = String::new();
    for (target, it) in compared
        .iter()
        .flat_map(|(t, all)| all.iter().map(move |it| (t, it)))
    {
        let line = serde_json::json!({
            "file": it.file,
            "entry": it.estimate.name,
            "target": target,
            "estimate": it.estimate.estimate,
            "low": it.estimate.low,
            "high": it.estimate.high,
            "as_written": it.estimate.max_live,
            "reordered": it.estimate.reordered,
            "eager": it.estimate.eager,
            "cap": it.estimate.cap.map(|it| it.0),
            "registers": it.truth.registers,
            "spill_stores": it.truth.spill_stores,
        });
        out.push_str(&serde_json::to_string(&line)?);
        out.push('\n');
    }
    Ok(out)
}

/// Prints a row for each target, in Markdown.
fn print_table(targets: &[String], compared: &BTreeMap<&str, Vec<Compared>>) -> anyhow::Result<()> {
    println!(
        "| target | kernels | median error | within one step of 8 | same warps at {THREADS} threads \
         | mean error | above {LARGE} | in the range | peak found |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for target in targets {
        let Some(all) = compared.get(&**target) else {
            continue;
        };
        let parsed = Target::parse(target).with_context(|| format!("no target is {target}"))?;
        let limits = Limits::at_least(parsed).with_context(|| format!("no limits of {target}"))?;
        println!("{}", row(target, limits, all));
    }
    Ok(())
}

fn row(target: &str, limits: &Limits, all: &[Compared]) -> String {
    let estimate = |it: &Compared| it.estimate.estimate;
    let off = |it: &Compared| estimate(it).abs_diff(it.truth.registers);
    let relative = |it: &Compared| f64::from(off(it)) / f64::from(it.truth.registers.max(1));
    let mut errors: Vec<f64> = all.iter().map(relative).collect();
    errors.sort_unstable_by(f64::total_cmp);
    let median = errors.get(errors.len() / 2).copied().unwrap_or(0.0);
    let share =
        |is: &dyn Fn(&Compared) -> bool| percent(all.iter().filter(|it| is(it)).count(), all.len());
    let step = |registers: u32| registers.div_ceil(REGISTER_STEP);
    let near = |it: &Compared| step(estimate(it)).abs_diff(step(it.truth.registers)) <= 1;
    let warps = |registers: u32| limits.occupancy(registers, THREADS, 0).warps;
    let same = |it: &Compared| warps(estimate(it)) == warps(it.truth.registers);
    let range = |it: &Compared| (it.estimate.low..=it.estimate.high).contains(&it.truth.registers);
    let mean = |kernels: &[&Compared]| {
        let sum: u32 = kernels.iter().map(|it| off(it)).sum();
        f64::from(sum) / kernels.len().max(1) as f64
    };
    let everything: Vec<&Compared> = all.iter().collect();
    let large: Vec<&Compared> = all.iter().filter(|it| it.truth.registers > LARGE).collect();
    let large = match large.len() {
        0 => "-".to_owned(),
        count => format!("{:.0} ({count})", mean(&large)),
    };
    let peaks: Vec<bool> = all.iter().filter_map(peak_found).collect();
    let peaks = match peaks.len() {
        0 => "-".to_owned(),
        count => {
            let found = peaks.iter().filter(|it| **it).count();
            format!("{} ({count})", percent(found, count))
        }
    };
    format!(
        "| {target} | {} | {:.1} % | {} | {} | {:.1} | {large} | {} | {peaks} |",
        all.len(),
        100.0 * median,
        share(&near),
        share(&same),
        mean(&everything),
        share(&range),
    )
}

/// Whether nearly as many registers are live around the line of our peak as anywhere; `None` if nobody
/// can tell, or for small kernels.
fn peak_found(it: &Compared) -> Option<bool> {
    let most = it.truth.alive.iter().map(|it| it.1).max()?;
    let line = it.estimate.peak_line? + 1;
    if it.truth.registers < PEAK_FROM {
        return None;
    }
    let around = it
        .truth
        .alive
        .iter()
        .filter(|it| it.0.abs_diff(line) <= PEAK_LINES);
    let here = around.map(|it| it.1).max().unwrap_or(0);
    Some(100 * here >= PEAK_SHARE * most)
}

fn percent(part: usize, of: usize) -> String {
    format!("{:.0} %", 100.0 * part as f64 / of.max(1) as f64)
}
