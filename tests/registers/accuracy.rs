//! How good the estimates of registers are: compiles kernels with ptxas and compares.
//!
//! `tests/registers/accuracy` fetches ptxas and starts this program.

#![expect(clippy::print_stdout, reason = "a table is what this program is for")]

mod answers;
mod table;
mod tools;

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use analysis::{AnalysisHost, Change, EntryRegisters, FileId};
use anyhow::{Context as _, bail, ensure};
use clap::{Parser, ValueEnum};
use isa::target::Target;
use syntax::Document;
use walkdir::WalkDir;

use answers::Answers;
use table::Compared;
use tools::{Measured, Tools};

const FILE: FileId = FileId(0);
/// The folders that are searched when no path is given, separated as those of PATH are.
const FOLDERS: &str = "PTX_REGISTERS";
/// The word for the target that a file names.
const OF_FILE: &str = "file";
/// The oldest target of ptxas 13.5: files for older ones are compiled for it.
const OLDEST: u16 = 75;

/// Compares estimates of registers with what ptxas allocates.
#[derive(Parser)]
struct Arguments {
    /// PTX files, and folders that are searched for *.ptx; those that PTX_REGISTERS lists if none is given.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The targets to compile for; the target of a file is rewritten if need be. `file` is the target that
    /// the file names.
    #[arg(long, value_delimiter = ',', value_name = "TARGETS", default_value = OF_FILE)]
    target: Vec<String>,
    /// The ptxas to ask.
    #[arg(long, env = "PTXAS", default_value = "ptxas")]
    ptxas: PathBuf,
    /// The nvdisasm to ask where most registers are live; it is not asked without --peaks.
    #[arg(long, env = "NVDISASM")]
    nvdisasm: Option<PathBuf>,
    /// Tells too for how many kernels the line with the most registers is found.
    #[arg(long, requires = "nvdisasm")]
    peaks: bool,
    /// Keeps the answers of ptxas in this file, and asks no question whose answer is there.
    #[arg(long, value_name = "FILE", conflicts_with = "peaks")]
    answers: Option<PathBuf>,
    /// Entries of one file at most, spread over it.
    #[arg(long, default_value_t = 12)]
    entries: usize,
    /// Seconds that ptxas may take for a file and a target.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Files at a time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Only files of one half, by a hash of their families: fit on one, judge by the other.
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
    /// The half of a family: FNV-1a of its name.
    fn for_family(family: &str) -> Half {
        let hash = answers::fnv(family.as_bytes());
        match (hash >> 32) % 2 {
            0 => Half::First,
            _ => Half::Second,
        }
    }
}

/// A file, its producer and its family.
struct Source {
    path: PathBuf,
    producer: String,
    family: String,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let tools = Tools::new(
        &arguments.ptxas,
        arguments.nvdisasm.as_deref().filter(|_| arguments.peaks),
        Duration::from_secs(arguments.seconds),
    )?;
    let answers = Answers::open(arguments.answers.as_deref(), tools.release()?)?;
    let sources = sources(&arguments)?;
    let mut seen = BTreeSet::new();
    let mut compared: Vec<Compared> = Vec::new();
    let (mut refused, mut reason) = (0, None);
    for (source, outcome) in sources
        .iter()
        .zip(compare_all(&arguments, &tools, &answers, &sources))
    {
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
                if seen.insert((target.clone(), text)) {
                    compared.push(Compared {
                        file: source.path.to_string_lossy().into_owned(),
                        producer: source.producer.clone(),
                        family: source.family.clone(),
                        target: target.clone(),
                        estimate,
                        truth,
                    });
                }
            }
        }
    }
    if compared.is_empty() {
        let reason = reason.unwrap_or_default();
        bail!("ptxas accepts none of {} files: {reason}", sources.len());
    }
    if let Some(path) = &arguments.output {
        let lines: Vec<String> = compared.iter().map(Compared::json).collect();
        fs::write(path, lines.concat())?;
    }
    println!(
        "ptxas {}, {} files, {refused} times a file is not for a target\n",
        tools.release()?,
        sources.len()
    );
    table::print(&compared)
}

/// The files of the paths in order, those of one half if only that is wanted.
fn sources(arguments: &Arguments) -> anyhow::Result<Vec<Source>> {
    let mut paths = arguments.paths.clone();
    if paths.is_empty()
        && let Some(folders) = env::var_os(FOLDERS)
    {
        paths.extend(env::split_paths(&folders));
    }
    ensure!(
        !paths.is_empty(),
        "name PTX files or folders, as arguments or in {FOLDERS}"
    );
    let mut sources = Vec::new();
    for path in &paths {
        for entry in WalkDir::new(path).sort_by_file_name() {
            let found = entry.context("cannot search")?.into_path();
            if found.extension().is_none_or(|it| it != "ptx") || !found.is_file() {
                continue;
            }
            let source = Source {
                producer: producer(path, &found),
                family: family(&found),
                path: found,
            };
            if arguments
                .half
                .is_none_or(|it| it == Half::for_family(&source.family))
            {
                sources.push(source);
            }
        }
    }
    Ok(sources)
}

/// The producer of a file: the folder that lies directly in the one that was named, or that one itself.
fn producer(root: &Path, file: &Path) -> String {
    let below = file.strip_prefix(root).unwrap_or(file);
    let folder = below.parent().and_then(|it| it.components().next());
    let own = || root.file_name().or(root.parent()?.file_name());
    let name = folder.map(|it| it.as_os_str()).or_else(own);
    name.map_or_else(String::new, |it| it.to_string_lossy().into_owned())
}

/// The family of a file: its name up to the first part with a digit, so that what one source gave with
/// other sizes and for other targets is of one family.
fn family(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let parts = stem.split(['_', '.', '-']);
    let words: Vec<&str> = parts
        .take_while(|it| !it.contains(|it: char| it.is_ascii_digit()))
        .collect();
    match words[..] {
        [] => stem.into_owned(),
        _ => words.join("_"),
    }
}

/// The result for a file on each target: its kernels with their texts, or why there are none.
type Outcome = Vec<(
    String,
    Result<Vec<(EntryRegisters, Measured, String)>, String>,
)>;

/// Compares all files, in their order.
fn compare_all(
    arguments: &Arguments,
    tools: &Tools,
    answers: &Answers,
    sources: &[Source],
) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let done: Mutex<BTreeMap<usize, Outcome>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            scope.spawn(|| {
                while let index = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(source) = sources.get(index)
                {
                    let outcome = compare(arguments, tools, answers, &source.path);
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

fn compare(arguments: &Arguments, tools: &Tools, answers: &Answers, path: &Path) -> Outcome {
    let Ok(bytes) = fs::read(path) else {
        return Vec::new();
    };
    // NVRTC counts the zero byte at the end of its text as text.
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_end_matches('\0').to_owned();
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FILE, Some(Document::new(text.clone()).contents()))],
        config: None,
    });
    let analysis = host.analysis();
    let mut outcome = Vec::new();
    for target in &arguments.target {
        let wanted = Some(&**target).filter(|it| *it != OF_FILE);
        // Queries of this host are not cancelled.
        let registers = |target: Option<&str>| analysis.registers(FILE, target).unwrap_or_default();
        let mut entries = registers(wanted);
        let Some(first) = entries.first() else {
            break;
        };
        let mut target = first.target.clone();
        if Target::parse(&target).is_some_and(|it| it.number < OLDEST) {
            target = format!("sm_{OLDEST}");
            entries = registers(Some(&target));
        }
        let count = entries.len();
        if count > arguments.entries {
            let step = count.div_ceil(arguments.entries.max(1));
            entries = entries.into_iter().step_by(step).collect();
        }
        let some = entries.len() < count;
        let names: Vec<&str> = entries.iter().map(|it| &*it.name).collect();
        let names = if some { &names[..] } else { &[] };
        let measured = answers.get(&text, &target, names, || {
            tools.measure(&text, &target, names)
        });
        outcome.push((
            target,
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
