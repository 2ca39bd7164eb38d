//! Compares `check` with other programs on the same files, in one run, and prints tables in Markdown.
//!
//! `tests/benches/compare` starts this program, and compares it with ptxas and other parsers.

#![expect(clippy::print_stdout, reason = "a table is what this program is for")]

use std::{
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use clap::Parser;
use fastrand::Rng;
use ptx_tests::{binary, conformance::text::Setting, fixtures, generate, process};
use walkdir::WalkDir;

/// How many times the processor time of `check` ptxas should need.
const TARGET: f64 = 20.0;
/// Bytes of names that one process is given: systems limit them.
const NAMES: usize = 500_000;
/// Files of at least this many bytes are also compared alone: with them the start of a process hardly counts.
const LARGE: u64 = 100_000;
/// A module without anything in it: what a process takes for it is its start and its end.
const EMPTY: &str = ".version 7.0\n.target sm_75\n.address_size 64\n";
/// Runs on such a module.
const STARTS: usize = 20;

/// Compares `check` with other programs.
#[derive(Parser)]
struct Arguments {
    /// Files and folders; the fixtures and a generated module of 1 MB if there are none.
    paths: Vec<PathBuf>,
    /// A program to compare with: `{}` stands for a file, `{}...` for many, `{arch}` for its compute_XX.
    #[arg(long)]
    against: Vec<String>,
    /// Runs of each program on each file, of which the fastest counts.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// So many of the files.
    #[arg(long)]
    sample: Option<usize>,
    /// Seed of the choice of files.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Our program; a release build of this project if there is none.
    #[arg(long)]
    program: Option<PathBuf>,
}

/// A file to compare on.
struct File {
    name: String,
    len: u64,
    /// The value of `-arch` for it.
    architecture: String,
}

impl File {
    fn read(path: &Path) -> anyhow::Result<File> {
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        Ok(File {
            name: path.to_str().context("a path in UTF-8")?.to_owned(),
            len: bytes.len() as u64,
            architecture: Setting::from_text(&String::from_utf8_lossy(&bytes)).architecture(),
        })
    }
}

/// The time and memory of processes.
#[derive(Clone, Copy, Default)]
struct Cost {
    wall: Duration,
    /// Time of all processors.
    processor: Duration,
}

impl Cost {
    /// The least of both: other work on the machine only adds to them.
    fn min(self, other: Cost) -> Cost {
        Cost {
            wall: self.wall.min(other.wall),
            processor: self.processor.min(other.processor),
        }
    }

    fn add(self, other: Cost) -> Cost {
        Cost {
            wall: self.wall + other.wall,
            processor: self.processor + other.processor,
        }
    }

    fn times(self, other: Cost) -> f64 {
        self.processor.as_secs_f64() / other.processor.as_secs_f64()
    }
}

/// A program that reads PTX.
struct Program {
    name: String,
    words: Vec<String>,
}

impl Program {
    fn parse(command: &str) -> anyhow::Result<Program> {
        let mut words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let name = Path::new(words.first().context("a command is empty")?).file_stem();
        let name = name.unwrap_or_default().to_string_lossy().into_owned();
        if !words.iter().any(|it| it.contains("{}")) {
            words.push("{}".to_owned());
        }
        Ok(Program { name, words })
    }

    fn takes_many(&self) -> bool {
        self.words.iter().any(|it| it == "{}...")
    }

    /// Runs one process on the files, and says whether it was content with them.
    fn run(&self, files: &[&File]) -> anyhow::Result<(Cost, bool)> {
        let first = files.first().context("a process needs a file")?;
        let mut words = Vec::new();
        for word in &self.words {
            if word == "{}..." {
                words.extend(files.iter().map(|it| it.name.clone()));
            } else {
                let word = word.replace("{arch}", &first.architecture);
                words.push(word.replace("{}", &first.name));
            }
        }
        let worked =
            || process::worked_by_children().context("the system tells no processor times");
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        command.stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let before = worked()?;
        let start = Instant::now();
        let status = command.status().with_context(|| words[0].clone())?;
        let wall = start.elapsed();
        let processor = worked()?.saturating_sub(before);
        Ok((Cost { wall, processor }, status.success()))
    }

    /// The cost of the files in as few processes as possible, and how many those are.
    fn run_on_many(&self, files: &[&File], runs: u32) -> anyhow::Result<(Cost, usize)> {
        let mut groups: Vec<Vec<&File>> = Vec::new();
        let mut len = NAMES;
        for file in files {
            len += file.name.len() + 1;
            if len > NAMES {
                groups.push(Vec::new());
                len = file.name.len() + 1;
            }
            if let Some(group) = groups.last_mut() {
                group.push(file);
            }
        }
        let mut best: Option<Cost> = None;
        for _ in 0..runs {
            let mut cost = Cost::default();
            for group in &groups {
                cost = cost.add(self.run(group)?.0);
            }
            best = Some(best.map_or(cost, |it| it.min(cost)));
        }
        Ok((best.unwrap_or_default(), groups.len()))
    }
}

/// The cost of a program for each of the files, in a process for each.
struct Measured {
    costs: Vec<Cost>,
    /// Whether it was content with the file.
    takes: Vec<bool>,
    /// For a module without anything.
    start: Cost,
}

impl Measured {
    fn sum(&self, files: &[usize]) -> Cost {
        let costs = files.iter().map(|it| self.costs[*it]);
        costs.fold(Cost::default(), Cost::add)
    }
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let folder = tempfile::tempdir()?;
    let mut paths = paths(&arguments, folder.path())?;
    if let Some(count) = arguments.sample {
        Rng::with_seed(arguments.seed).shuffle(&mut paths);
        paths.truncate(count);
        paths.sort_unstable();
    }
    ensure!(!paths.is_empty(), "there are no files");
    let files: Vec<File> = paths
        .iter()
        .map(|it| File::read(it))
        .collect::<Result<_, _>>()?;
    let ours = arguments
        .program
        .clone()
        .unwrap_or_else(|| binary::build("release"));
    let mut programs = vec![Program {
        name: "`check`".to_owned(),
        words: vec![
            ours.display().to_string(),
            "check".to_owned(),
            "{}...".to_owned(),
        ],
    }];
    for command in &arguments.against {
        programs.push(Program::parse(command)?);
    }
    let empty = folder.path().join("empty.ptx");
    std::fs::write(&empty, EMPTY)?;
    let measured = measure(&programs, &files, &File::read(&empty)?, arguments.runs)?;

    println!("{}", process::machine());
    println!(
        "The fastest of {} runs of each program on each file; MB/s and ratios are of processor time.\n",
        arguments.runs
    );
    let all: Vec<usize> = (0..files.len()).collect();
    let large: Vec<usize> = all
        .iter()
        .copied()
        .filter(|it| files[*it].len >= LARGE)
        .collect();
    let comparison = Comparison {
        files: &files,
        programs: &programs,
        measured: &measured,
        runs: arguments.runs,
    };
    let ours = comparison.print("All files", &all)?;
    if !large.is_empty() && large.len() < all.len() {
        comparison.print("Files of 100 kB and more", &large)?;
    }
    println!("Processor time of a process on a module without anything:");
    for (program, measured) in programs.iter().zip(&measured) {
        println!("- {}: {:.1} ms", program.name, millis(measured.start));
    }
    let Some(index) = programs.iter().position(|it| it.name == "ptxas") else {
        return Ok(ExitCode::SUCCESS);
    };
    let ratio = measured[index].sum(&all).times(ours);
    let met = ratio >= TARGET;
    println!(
        "\nOn all files ptxas takes {ratio:.1} times the processor time of `check`; target ≥ {TARGET}: {}",
        if met { "met" } else { "MISSED" }
    );
    Ok(ExitCode::from(u8::from(!met)))
}

/// The files to compare on, in order, each one once.
fn paths(arguments: &Arguments, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    let mut roots = arguments.paths.clone();
    if roots.is_empty() {
        let generated = folder.join("generated.ptx");
        std::fs::write(&generated, generate::module(1_000_000))?;
        roots = vec![fixtures::folder().join("ptx"), generated];
    }
    for root in roots {
        if root.is_dir() {
            for entry in WalkDir::new(&root) {
                let path = entry?.into_path();
                if path.is_file() && path.extension().is_some_and(|it| it == "ptx") {
                    paths.push(path);
                }
            }
        } else {
            paths.push(root);
        }
    }
    paths.sort_unstable();
    paths.dedup();
    Ok(paths)
}

/// Runs a process for each file and program. The programs take turns, so that what disturbs one of them
/// disturbs all.
fn measure(
    programs: &[Program],
    files: &[File],
    empty: &File,
    runs: u32,
) -> anyhow::Result<Vec<Measured>> {
    let mut measured = Vec::new();
    for program in programs {
        let mut start = program.run(&[empty])?.0;
        for _ in 1..STARTS {
            start = start.min(program.run(&[empty])?.0);
        }
        measured.push(Measured {
            costs: Vec::new(),
            takes: Vec::new(),
            start,
        });
    }
    for file in files {
        for run in 0..runs {
            for (program, measured) in programs.iter().zip(&mut measured) {
                let (cost, takes) = program.run(&[file])?;
                match measured.costs.last_mut() {
                    Some(best) if run > 0 => *best = best.min(cost),
                    _ => {
                        measured.costs.push(cost);
                        measured.takes.push(takes);
                    }
                }
            }
        }
    }
    Ok(measured)
}

/// The measurements for the tables.
struct Comparison<'a> {
    files: &'a [File],
    programs: &'a [Program],
    measured: &'a [Measured],
    runs: u32,
}

impl Comparison<'_> {
    /// Prints a table about some of the files. Returns what ours takes for them in one process.
    fn print(&self, title: &str, all: &[usize]) -> anyhow::Result<Cost> {
        println!("### {title}\n");
        println!(
            "| program | files | MB | processes | wall s | processor s | MB/s | MB/s without starts | × `check` | × `check`, a process for each file |"
        );
        println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
        let ours_on_all = self.programs[0].run_on_many(&self.files(all), self.runs)?;
        for (index, (program, measured)) in self.programs.iter().zip(self.measured).enumerate() {
            let is_taken = |it: &usize| measured.takes[*it];
            let taken: Vec<usize> = all.iter().copied().filter(is_taken).collect();
            let cost = (measured.sum(all), all.len());
            self.row(&program.name, all, cost, measured, ours_on_all.0);
            // A parser that stops at the first line is not a measure of speed.
            let (mut name, mut ours) = (program.name.clone(), ours_on_all);
            if taken.len() < all.len() {
                name += ", files that it takes";
                if taken.is_empty() {
                    println!("| {name} | 0 |");
                    continue;
                }
                ours = self.programs[0].run_on_many(&self.files(&taken), self.runs)?;
                let cost = (measured.sum(&taken), taken.len());
                self.row(&name, &taken, cost, measured, ours.0);
            }
            if program.takes_many() {
                let cost = match index {
                    0 => ours,
                    _ => program.run_on_many(&self.files(&taken), self.runs)?,
                };
                self.row(&name, &taken, cost, measured, ours.0);
            }
        }
        println!();
        Ok(ours_on_all.0)
    }

    fn row(
        &self,
        name: &str,
        files: &[usize],
        (cost, processes): (Cost, usize),
        measured: &Measured,
        ours: Cost,
    ) {
        let bytes: u64 = files.iter().map(|it| self.files[*it].len).sum();
        let megabytes = bytes as f64 / 1e6;
        let processor = cost.processor.as_secs_f64();
        let starts = measured.start.processor.as_secs_f64() * processes as f64;
        // The difference of two numbers that are nearly the same is noise.
        let without = match processor - starts {
            rest if rest > processor * 0.05 => format!("{:.1}", megabytes / rest),
            _ => "–".to_owned(),
        };
        println!(
            "| {name} | {} | {megabytes:.2} | {processes} | {:.2} | {processor:.2} | {:.1} | {without} | {:.1} | {:.1} |",
            files.len(),
            cost.wall.as_secs_f64(),
            megabytes / processor,
            cost.times(ours),
            cost.times(self.measured[0].sum(files)),
        );
    }

    fn files(&self, indices: &[usize]) -> Vec<&File> {
        indices.iter().map(|it| &self.files[*it]).collect()
    }
}

fn millis(cost: Cost) -> f64 {
    cost.processor.as_secs_f64() * 1e3
}
