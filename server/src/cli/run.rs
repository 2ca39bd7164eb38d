//! `ptx-analyzer run`: run a kernel without a GPU.

pub(super) mod can;
pub(super) mod execute;
pub(super) mod report;
mod same;
pub(super) mod settings;
pub(super) mod subject;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use run::{
    Outcome, Schedule,
    description::{Prepared, npy},
};
use serde::Serialize;

use super::{FAILED, Io, read_text, render, report::STDIN};
use execute::{LimitArgs, execute, schedule};
use report::{Record, Report};
use same::Other;
use settings::{SetArg, combinations, set_arg};
use subject::{Run, Subject, of_comments, of_file, read_below};

#[derive(Debug, clap::Args)]
pub(super) struct RunArgs {
    /// A file of PTX, or - for standard input.
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// A launch file: what runs, and on what. Without it the `// run:` comments of the file are run.
    #[arg(long, value_name = "LAUNCH.toml")]
    launch: Option<PathBuf>,
    /// Run this entry; of comments, those above it.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Write every array after the run to this folder, as NAME.npy.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The order in which warps run: lowest, reverse or random:SEED.
    #[arg(long, value_name = "ORDER", default_value = "lowest", value_parser = schedule)]
    schedule: Schedule,
    /// Let asynchronous operations land as late as PTX allows, and not at once.
    #[arg(long)]
    late: bool,
    /// Replace a scalar argument or another value of the launch, such as n=8; n=1,7,64 and n=1..300 are several runs. May
    /// be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = set_arg)]
    set: Vec<SetArg>,
    /// Run nothing; list the instructions that cannot be run yet.
    #[arg(long, conflicts_with_all = ["launch", "out", "same_as"])]
    can: bool,
    /// Also run this kernel with the same arguments, and compare all arrays.
    #[arg(long, value_name = "FILE[:ENTRY]")]
    same_as: Option<String>,
    /// With --same-as: by how much an element may differ, times the magnitude of the other one.
    #[arg(long, value_name = "X", default_value_t = 0.0, requires = "same_as")]
    rtol: f64,
    /// With --same-as: by how much an element may additionally differ.
    #[arg(long, value_name = "X", default_value_t = 0.0, requires = "same_as")]
    atol: f64,
    #[command(flatten)]
    limits: LimitArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
enum Format {
    /// Findings with source lines, expectations, and a closing line.
    #[default]
    Text,
    /// One JSON object per run and line.
    Json,
}

pub(super) fn run(args: &RunArgs, io: &mut Io<'_>) -> io::Result<u8> {
    match work(args, io) {
        Ok(status) => Ok(status),
        Err(Failure::Said(messages)) => {
            for it in messages {
                io.error(it)?;
            }
            Ok(FAILED)
        }
        Err(Failure::Io(error)) => Err(error),
    }
}

/// A run as JSON, with that of the kernel to compare with.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    record: Record<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    same_as: Option<same::Record<'a>>,
}

/// Why nothing was run.
enum Failure {
    /// The sentence about it.
    Said(Vec<String>),
    /// The result cannot be written.
    Io(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Io(error)
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Said(vec![message])
    }
}

fn work(args: &RunArgs, io: &mut Io<'_>) -> Result<u8, Failure> {
    let Some(subject) = subject(&args.path, io)? else {
        return Ok(FAILED);
    };
    if let Some(name) = &args.entry
        && subject.entry(name).is_none()
    {
        let entries = subject
            .code
            .functions
            .iter()
            .filter(|it| it.entry && it.defined);
        let names: Vec<&str> = entries.map(|it| &*it.name).collect();
        let message = format!("{}: there is no entry `{name}`", subject.name);
        return Err(match &*names {
            [] => message,
            names => format!("{message} (entries: {})", names.join(", ")),
        }
        .into());
    }
    if args.can {
        let is_json = args.format == Format::Json;
        return Ok(can::list(&subject, args.entry.as_deref(), is_json, io)?);
    }
    let runs = runs(&subject, args)?;
    execute::watch_interrupts();
    let other = args.same_as.as_deref().map(Other::read).transpose()?;
    let mut status = 0;
    for (number, it) in (1..).zip(&runs) {
        let folder = match (&args.out, runs.len()) {
            (Some(folder), 1) => Some(folder.clone()),
            // Several runs may have arrays of the same name.
            (Some(folder), _) => Some(folder.join(format!("{number}"))),
            (None, _) => None,
        };
        let this = one(&subject, it, args, other.as_ref(), folder.as_deref(), io)?;
        status = worse(status, this);
        if execute::is_interrupted() {
            break;
        }
    }
    Ok(status)
}

/// The status of several runs: one that did not start counts most, then one that was stopped.
pub(super) fn worse(a: u8, b: u8) -> u8 {
    let rank = |it: u8| [0, 1, 3, 2].into_iter().position(|rank| rank == it);
    if rank(a) >= rank(b) { a } else { b }
}

/// The file; if it has errors they are told, and there is none.
fn subject(path: &Path, io: &mut Io<'_>) -> Result<Option<Subject>, Failure> {
    let text = read_text(path, io)?;
    let name = match path == Path::new("-") {
        true => STDIN.to_owned(),
        false => path.to_string_lossy().into_owned(),
    };
    let subject = Subject::new(name, text);
    for it in &subject.errors {
        let document = &subject.document;
        let text = render::render(
            &subject.name,
            document.text(),
            document.lines(),
            it,
            io.color,
        );
        io.stderr.write_all(text.as_bytes())?;
    }
    Ok(Some(subject).filter(|it| it.errors.is_empty()))
}

/// The launches that are asked for, with all combinations of values that replace others.
fn runs(subject: &Subject, args: &RunArgs) -> Result<Vec<Run>, Failure> {
    let (mut runs, mut failures) = (Vec::new(), Vec::new());
    for settings in combinations(&args.set)? {
        let found = match &args.launch {
            Some(path) => vec![of_file(
                subject,
                path,
                &settings,
                true,
                args.entry.as_deref(),
            )],
            None => of_comments(subject, &settings, true)
                .into_iter()
                .map(|it| it.map_err(|it| it.1))
                .collect(),
        };
        for it in found {
            match it {
                Ok(run) => runs.push(run),
                Err(message) => failures.push(message),
            }
        }
        // The other combinations have the same mistakes.
        if !failures.is_empty() {
            return Err(Failure::Said(failures));
        }
    }
    if let Some(name) = &args.entry {
        runs.retain(|it| subject.code.functions[it.entry as usize].name == *name);
    }
    if runs.is_empty() {
        let message = format!(
            "{}: there is no launch: give --launch FILE, or write a `// run:` comment above the entry",
            subject.name
        );
        return Err(message.into());
    }
    Ok(runs)
}

/// Makes the launch of a run.
pub(super) fn prepare(subject: &Subject, it: &Run, limits: LimitArgs) -> Result<Prepared, String> {
    let read = |name: &str| read_below(&it.folder, name);
    let prepared = it
        .description
        .prepare(&subject.code, it.entry, limits.limits(), &read);
    prepared.map_err(|problem| it.problem(&problem))
}

fn one(
    subject: &Subject,
    it: &Run,
    args: &RunArgs,
    other: Option<&Other>,
    folder: Option<&Path>,
    io: &mut Io<'_>,
) -> Result<u8, Failure> {
    let mut prepared = prepare(subject, it, args.limits)?;
    prepared.launch.schedule = args.schedule;
    prepared.launch.late = args.late;
    let start = |message: String| format!("{}: {message}", it.name);
    let ran = execute(
        subject,
        prepared.launch.clone(),
        args.limits.timeout(),
        true,
    );
    let ran = ran.map_err(start)?;
    // What was not run to its end tells nothing about the arrays.
    let judgements = match ran.is_stopped() {
        true => Vec::new(),
        false => prepared.judge(&ran.outcome),
    };
    let report = Report {
        subject,
        name: &it.name,
        entry: &subject.code.functions[it.entry as usize].name,
        ran: &ran,
        judgements: &judgements,
    };
    let mut status = report.status();
    let compared = match other {
        Some(other) => {
            let compared = other.compare(subject, it, &prepared, &ran, args);
            Some(compared.map_err(start)?)
        }
        None => None,
    };
    match args.format {
        Format::Text => {
            let mut text = report.text(io.color);
            if let Some(compared) = &compared {
                text += &compared.text(io.color);
            }
            io.stdout.write_all(text.as_bytes())?;
        }
        Format::Json => {
            let line = Line {
                record: report.record(),
                same_as: compared.as_ref().map(same::Compared::record),
            };
            serde_json::to_writer(&mut *io.stdout, &line).map_err(io::Error::from)?;
            writeln!(io.stdout)?;
        }
    }
    if let Some(compared) = &compared {
        status = worse(status, compared.status());
    }
    if let Some(folder) = folder {
        write_arrays(folder, &prepared, &ran.outcome)?;
    }
    Ok(status)
}

/// Writes the arrays after a run.
fn write_arrays(folder: &Path, prepared: &Prepared, outcome: &Outcome) -> Result<(), String> {
    let failed = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(folder).map_err(|it| failed(folder, it))?;
    let arrays = prepared.launch.arrays.iter().zip(&prepared.arrays);
    for ((array, layout), bytes) in arrays.zip(&outcome.arrays) {
        // Names of parameters are identifiers, but a launch file may come from anywhere.
        if array.name.contains(['/', '\\', ':']) || array.name.starts_with('.') {
            return Err(format!("`{}` cannot be the name of a file", array.name));
        }
        let path = folder.join(format!("{}.npy", array.name));
        let file = npy::write(layout.element, &layout.shape, bytes);
        fs::write(&path, file).map_err(|it| failed(&path, it))?;
    }
    Ok(())
}
