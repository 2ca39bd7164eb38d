//! `ptx-analyzer registers`: how many registers the entries of files will need.

pub(super) mod exact;
mod table;

use std::{
    io,
    path::{Path, PathBuf},
};

use analysis::{
    AnalysisConfig, AnalysisHost, DEFAULT_THREADS, EntryRegisters, ExactEntry, FileId,
    LaunchAssumptions,
};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use session::draw::{Theme, chart};
use syntax::{Document, text::MAX_LEN};

use super::{
    FAILED, Io,
    check::{inputs, target},
    plain, read_text,
};
use crate::{
    binaries::{Text, each_text},
    files::read,
};

use exact::{Exact, ExactArgs, Ptxas};
use table::table;

const FILE: FileId = FileId(0);

#[derive(Debug, clap::Args)]
pub(super) struct RegistersArgs {
    /// Files, folders that are searched for *.ptx, binaries that carry PTX, or - for standard input.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Estimate for these targets instead of the file's own, such as sm_80,sm_90.
    #[arg(long, value_name = "TARGETS", value_delimiter = ',', value_parser = target)]
    target: Vec<String>,
    /// Threads per CTA where the file does not say.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_THREADS,
        value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// Bytes of dynamic shared memory per CTA.
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    shared: u32,
    #[command(flatten)]
    exact: ExactArgs,
    /// Output format.
    #[arg(long, value_enum, default_value_t)]
    format: RegistersFormat,
    /// Order of the rows of the table; by default that of files and their entries.
    #[arg(long, value_enum, value_name = "COLUMN")]
    sort: Option<Sort>,
    /// Use the dark theme for drawings.
    #[arg(long)]
    dark: bool,
    /// The output of an earlier run with --format json; exit with status 1 if an estimate has grown.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Registers by which an estimate may exceed the baseline.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "baseline")]
    growth: u32,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum RegistersFormat {
    /// A table.
    #[default]
    Text,
    /// One JSON object per entry, target and line.
    Json,
    /// A drawing with a chart for each entry and target: how many registers are live at its lines.
    Svg,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Sort {
    /// Those that need the most registers first, by ptxas where it was asked.
    Registers,
    /// Those with the most live registers first.
    Live,
    /// Those with fewest resident warps first.
    Warps,
    /// By the name of the entry.
    Entry,
}

/// An estimate as JSON; lines count from 1.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EntryRecord {
    file: String,
    entry: String,
    target: String,
    estimate: u32,
    low: u32,
    high: u32,
    /// The most registers that are live at a line of the text,
    max_live: u32,
    /// and the first such line, from 1.
    peak_line: Option<u32>,
    cap: Option<u32>,
    occupancy: Occupancy,
    /// The figures of ptxas, if it was asked and makes code for the target.
    exact: Option<Exact>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Occupancy {
    warps: u32,
    of: u32,
    limiter: Option<String>,
}

pub(super) fn run(args: &RegistersArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let baseline = match &args.baseline {
        None => None,
        Some(path) => match read_baseline(path) {
            Ok(baseline) => Some(baseline),
            Err(error) => {
                io.error(&error)?;
                return Ok(FAILED);
            }
        },
    };
    let ptxas = match Ptxas::for_arguments(&args.exact) {
        Ok(ptxas) => ptxas,
        Err(error) => {
            io.error(&error)?;
            return Ok(FAILED);
        }
    };
    let (inputs, mut failures) = inputs(&args.paths, false, io)?;
    let launch = LaunchAssumptions {
        threads: args.threads,
        dynamic_shared: args.shared,
    };
    let (mut records, mut charts) = (Vec::new(), Vec::new());
    // It shows itself on terminals only.
    let progress = ProgressBar::new(inputs.len() as u64).with_style(progress_style());
    for path in &inputs {
        progress.set_message(plain(&path.to_string_lossy()));
        let (mut remarks, mut failed) = (Vec::new(), Vec::new());
        let mut one = |text: Text| {
            let Text { name, text, .. } = text;
            let (estimates, said) = estimate(&name, text, &args.target, launch, ptxas.as_ref());
            for (it, exact) in estimates {
                if matches!(args.format, RegistersFormat::Svg) {
                    let theme = Theme::for_background(args.dark);
                    let size = chart::Size::default();
                    charts.push(chart::register_chart(&it, exact.as_ref(), size, &theme));
                }
                records.push(record(&name, it, exact.as_ref()));
            }
            for it in said {
                match it {
                    Ok(remark) => remarks.push(remark),
                    Err(failure) => failed.push(failure),
                }
            }
        };
        if path == Path::new("-") {
            match read_text(path, io) {
                Ok(text) => one(Text {
                    name: "-".to_owned(),
                    text,
                    image: None,
                }),
                Err(failure) => failures.push(failure),
            }
        } else {
            failures.extend(each_text(path, &mut one));
        }
        failures.extend(failed);
        for remark in remarks {
            progress.suspend(|| io.note(&remark))?;
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    match args.format {
        RegistersFormat::Json => {
            for record in &records {
                serde_json::to_writer(&mut *io.stdout, record)?;
                writeln!(io.stdout)?;
            }
        }
        // After errors, an empty table adds nothing.
        RegistersFormat::Text if records.is_empty() && !failures.is_empty() => {}
        RegistersFormat::Text => table(&mut records, args.sort, ptxas.is_some(), io)?,
        RegistersFormat::Svg => write!(io.stdout, "{}", chart::column(&charts))?,
    }
    for failure in &failures {
        io.error(failure)?;
    }
    let mut grown = 0;
    for record in &records {
        let key = (
            record.file.clone(),
            record.entry.clone(),
            record.target.clone(),
        );
        let Some(before) = baseline.as_ref().and_then(|it| it.get(&key)) else {
            continue;
        };
        // Figures of ptxas count more than estimates, if both runs have them.
        let (about, now, before) = match (record.exact, before.exact) {
            (Some(now), Some(before)) => ("", now.registers, before.registers),
            _ => ("about ", record.estimate, before.estimate),
        };
        if now > before.saturating_add(args.growth) {
            grown += 1;
            let EntryRecord {
                file,
                entry,
                target,
                ..
            } = record;
            let grown = format!(
                "{file}: {entry} on {target}: {about}{now} registers, {before} in the baseline"
            );
            writeln!(io.stderr, "{}", plain(&grown))?;
        }
    }
    Ok(match (failures.is_empty(), grown) {
        (false, _) => FAILED,
        (true, 0) => 0,
        (true, _) => 1,
    })
}

fn progress_style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{pos}/{len} files {elapsed} {wide_msg}");
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// The figures of an earlier run.
struct BaselineEntry {
    estimate: u32,
    exact: Option<Exact>,
}

/// The figures of an earlier run, by file, entry and target.
fn read_baseline(
    path: &Path,
) -> Result<FxHashMap<(String, String, String), BaselineEntry>, String> {
    let text = read(path, MAX_LEN as u64).and_then(|it| {
        String::from_utf8(it).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    });
    let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
    let mut found = FxHashMap::default();
    for (number, line) in (1..).zip(text.lines()) {
        let record: EntryRecord = serde_json::from_str(line)
            .map_err(|error| format!("{}:{number}: {error}", path.display()))?;
        let before = BaselineEntry {
            estimate: record.estimate,
            exact: record.exact,
        };
        found.insert((record.file, record.entry, record.target), before);
    }
    Ok(found)
}

/// An estimate, and what `ptxas` says.
type Estimate = (EntryRegisters, Option<ExactEntry>);

/// The needs of the entries of a text by our estimates, for its own target or for these.
pub(super) fn records(
    name: &str,
    text: String,
    targets: &[String],
    launch: LaunchAssumptions,
) -> Vec<EntryRecord> {
    let (estimates, _) = estimate(name, text, targets, launch, None);
    let records = estimates.into_iter().map(|(it, _)| record(name, it, None));
    records.collect()
}

/// The entries of a file, and what is to be said about them: remarks and failures.
fn estimate(
    name: &str,
    text: String,
    targets: &[String],
    launch: LaunchAssumptions,
    ptxas: Option<&Ptxas>,
) -> (Vec<Estimate>, Vec<Result<String, String>>) {
    let document = Document::new(text);
    let config = AnalysisConfig {
        launch,
        ..AnalysisConfig::default()
    };
    let host = AnalysisHost::with_file(FILE, document.contents(), Some(config));
    let analysis = host.analysis();
    let targets: Vec<Option<&str>> = match targets.is_empty() {
        true => vec![None],
        false => targets.iter().map(|it| Some(&**it)).collect(),
    };
    let (mut estimates, mut remarks) = (Vec::new(), Vec::new());
    for target in targets {
        // Nobody cancels the questions of this host.
        let found = analysis.registers(FILE, target);
        let found = found.unwrap_or_default();
        let mut exact = Vec::new();
        if let Some(ptxas) = ptxas
            && !found.is_empty()
            && let Ok(Some(own)) = analysis.target(FILE)
        {
            match ptxas.ask(name, document.text(), &own, target) {
                Ok((entries, remark)) => {
                    exact = entries;
                    remarks.extend(remark.map(Ok));
                }
                Err(failure) => remarks.push(Err(failure)),
            }
        }
        estimates.extend(found.into_iter().map(|it| {
            let exact = exact.iter().find(|exact| exact.name == it.name).cloned();
            (it, exact)
        }));
    }
    (estimates, remarks)
}

fn record(file: &str, it: EntryRegisters, exact: Option<&ExactEntry>) -> EntryRecord {
    // ContentKind is live in the machine code is told for its lines by `sass`.
    let live = it.live(None);
    EntryRecord {
        file: file.to_owned(),
        entry: it.name,
        target: it.target,
        estimate: it.estimate,
        low: it.low,
        high: it.high,
        max_live: live.most(),
        peak_line: live.peak().map(|it| it.0 + 1),
        cap: it.cap.map(|it| it.0),
        occupancy: Occupancy {
            warps: it.warps,
            of: it.of,
            limiter: it.limiter.map(str::to_owned),
        },
        exact: exact.map(Into::into),
    }
}
