//! `ptx-analyzer check`: report the problems of files.

use std::{
    cell::Cell,
    io,
    panic::AssertUnwindSafe,
    path::{Path, PathBuf},
    sync::Arc,
};

use analysis::{
    AnalysisConfig, AnalysisHost, Cancellable, Change, DIAGNOSTIC_CODES, Diagnostic, FileId, Level,
    Severity, is_target,
};
use clap::ValueEnum;
use rayon::prelude::*;
use run::description::with_mistakes;
use serde_json::Value;
use syntax::{Document, host::Language, text::LineTable};
use walkdir::WalkDir;

use super::{FAILED, Io, counted, embedded, plain, read_text, render, report};
use crate::{
    binaries::{Text, each_text},
    compile_commands::CompileCommands,
    files::is_ptx,
};

/// How many files are checked before their results are written.
const CHUNK: usize = 64;
/// After so many bytes of text the analysis of the files before is forgotten: enough to share what one costs to set
/// up, and so little that its memory, which the next one takes, is still in the cache of the processor.
const BATCH: usize = 32 << 10;
/// Deeply nested input is walked recursively.
pub(super) const STACK: usize = 16 << 20;

#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    /// Files of PTX, or of CUDA C++, C++, Python, Rust and LLVM IR with PTX in them; folders that are searched for
    /// *.ptx; binaries that carry PTX; or - for standard input.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t)]
    format: CheckFormat,
    /// Also search folders for files of other languages.
    #[arg(long)]
    embedded: bool,
    /// Check every file as if its .target directive were this one, such as sm_90a.
    #[arg(long, value_name = "TARGET", value_parser = target)]
    target: Option<String>,
    /// Also warn about code that is not valid for all of these targets, such as sm_80,sm_90.
    #[arg(long, value_name = "TARGETS", value_delimiter = ',', value_parser = target)]
    portable_to: Vec<String>,
    /// Also show hints.
    #[arg(long)]
    hints: bool,
    /// the severity: off, hint, information, warning or error; may be repeated.
    #[arg(long, value_name = "CODE=LEVEL", value_parser = severity)]
    severity: Vec<(Box<str>, Level)>,
    /// Show at most this many problems per file, the most severe ones; 0 shows all. Other formats are complete.
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// When to use colours.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum CheckFormat {
    /// Text with source lines.
    #[default]
    Text,
    /// One JSON object per diagnostic and line.
    Json,
    /// One SARIF 2.1.0 document, for code scanning.
    Sarif,
    /// Annotations for GitHub workflows.
    Github,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Color {
    /// On a terminal.
    #[default]
    Auto,
    Always,
    Never,
}

/// The result for one file.
#[derive(Default)]
struct Checked {
    /// How many texts it has: binaries may have several.
    texts: usize,
    output: String,
    /// The problems as results of SARIF, when that is asked for: the document is written at the end.
    results: Vec<Value>,
    errors: usize,
    warnings: usize,
    /// Information and hints.
    others: usize,
    /// The files that could not be checked, and why.
    failures: Vec<String>,
}

impl Checked {
    fn add(&mut self, other: Checked) {
        self.texts += other.texts;
        self.output += &other.output;
        self.results.extend(other.results);
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.others += other.others;
        self.failures.extend(other.failures);
    }
}

/// The analysis of several files: to set one up costs more than to look at a short file.
#[derive(Default)]
struct Batch {
    host: AnalysisHost,
    files: u32,
    bytes: usize,
}

thread_local! {
    static LAST_BATCH: Cell<Option<Batch>> = const { Cell::new(None) };
}

impl Batch {
    /// The problems of a text.
    fn diagnostics(text: &Document, config: &AnalysisConfig) -> Cancellable<Vec<Diagnostic>> {
        // One that panics is not put back.
        let mut batch = LAST_BATCH.take().unwrap_or_default();
        let file = FileId(batch.files);
        batch.files += 1;
        batch.bytes += text.text().len();
        batch.host.apply_change(Change {
            files: vec![(file, Some(text.contents()))],
            config: Some(config.clone()),
        });
        let analysis = batch.host.analysis();
        let diagnostics = analysis
            .diagnostics(file)
            .and_then(|found| with_mistakes(&analysis, file, found));
        drop(analysis);
        if batch.bytes < BATCH {
            LAST_BATCH.set(Some(batch));
        }
        diagnostics
    }
}

/// The problems of a module by its text.
pub(super) fn of_module(module: &str, config: &AnalysisConfig) -> Cancellable<Vec<Diagnostic>> {
    Batch::diagnostics(&Document::new(module.to_owned()), config)
}

/// A target that exists.
pub(super) fn target(text: &str) -> Result<String, String> {
    match is_target(text) {
        true => Ok(text.to_owned()),
        false => {
            let message = "there is no such target";
            Err(match nearest_target(text) {
                Some(it) => format!("{message}; did you mean `{it}`?"),
                None => message.to_owned(),
            })
        }
    }
}

/// The target whose number is nearest to that in a text, with the same letter after it if there is one.
fn nearest_target(text: &str) -> Option<String> {
    let parts = |name: &str| -> Option<(u32, String)> {
        let digits = name.trim_start_matches(|it: char| !it.is_ascii_digit());
        let end = digits.find(|it: char| !it.is_ascii_digit());
        let (number, letter) = digits.split_at(end.unwrap_or(digits.len()));
        Some((number.parse().ok()?, letter.to_ascii_lowercase()))
    };
    let (number, letter) = parts(text)?;
    let distance = |name: &String| {
        let (other, suffix) = parts(name).unwrap_or_default();
        // The older of two that are equally near has all that the wanted one surely has.
        (
            number.abs_diff(other),
            suffix != letter,
            !suffix.is_empty(),
            other,
        )
    };
    analysis::targets()
        .into_iter()
        .map(|it| it.0)
        .min_by_key(distance)
}

pub(super) fn run(args: &CheckArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let color = match args.color {
        Color::Auto => io.color,
        Color::Always => true,
        Color::Never => false,
    };
    let (inputs, mut failures) = inputs(&args.paths, args.embedded, io)?;
    let commands = CompileCommands::default();
    let pool = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK)
        .build()
        .map_err(io::Error::other)?;
    let config = AnalysisConfig {
        target_override: args.target.as_deref().map(Arc::from),
        portability_targets: args.portable_to.iter().map(|it| Arc::from(&**it)).collect(),
        severity: args.severity.iter().cloned().collect(),
        ..AnalysisConfig::default()
    };
    let (mut files, mut errors, mut warnings, mut others) = (0, 0, 0, 0);
    let mut results = Vec::new();
    for chunk in inputs.chunks(CHUNK) {
        // Standard input belongs to this thread.
        let stdin = match chunk.iter().any(|it| it == Path::new("-")) {
            true => read_text(Path::new("-"), io),
            false => Ok(String::new()),
        };
        let check = |path: &PathBuf| {
            let mut checked = Checked::default();
            let mut one = |text: Text| {
                let Text { name, text, .. } = text;
                let one = || check(&name, text, &config, &commands, args, color);
                let result = std::panic::catch_unwind(AssertUnwindSafe(one));
                match result.unwrap_or_else(|_| Err(format!("{name}: internal error"))) {
                    Ok(one) => checked.add(one),
                    Err(failure) => checked.failures.push(failure),
                }
            };
            let failures = if path == Path::new("-") {
                match &stdin {
                    Ok(text) => {
                        one(Text {
                            name: report::STDIN.to_owned(),
                            text: text.clone(),
                            image: None,
                        });
                        Vec::new()
                    }
                    Err(failure) => vec![failure.clone()],
                }
            } else {
                each_text(path, &mut one)
            };
            checked.failures.splice(0..0, failures);
            checked
        };
        let chunk: Vec<_> = pool.install(|| chunk.par_iter().map(check).collect());
        for checked in chunk {
            results.extend(checked.results);
            io.stdout.write_all(checked.output.as_bytes())?;
            files += checked.texts;
            errors += checked.errors;
            warnings += checked.warnings;
            others += checked.others;
            failures.extend(checked.failures);
        }
    }
    for failure in &failures {
        io.error(failure)?;
    }
    match args.format {
        // Where nothing could be read, nothing is said about problems.
        CheckFormat::Text | CheckFormat::Github if files == 0 && !failures.is_empty() => {}
        CheckFormat::Text | CheckFormat::Github => {
            let others = if args.hints { others } else { 0 };
            let summary = summary(files, errors, warnings, others);
            writeln!(io.stdout, "{summary}")?;
        }
        CheckFormat::Json => {}
        CheckFormat::Sarif => {
            let document = report::sarif(results, &failures);
            io.stdout.write_all(document.as_bytes())?;
        }
    }
    Ok(match (failures.is_empty(), errors) {
        (false, _) => FAILED,
        (true, 0) => 0,
        (true, _) => 1,
    })
}

/// The files that the arguments mean, sorted and each one once, and what could not be found.
///
/// Folders are searched for PTX, and for files of other languages that may have some if that is asked for. A folder
/// without any is told.
pub(super) fn inputs(
    paths: &[PathBuf],
    embedded: bool,
    io: &mut Io<'_>,
) -> io::Result<(Vec<PathBuf>, Vec<String>)> {
    let wanted = |path: &Path| is_ptx(path) || embedded && Language::of_path(path).is_some();
    let (mut inputs, mut failures) = (Vec::new(), Vec::new());
    for path in paths {
        if !path.is_dir() {
            inputs.push(path.clone());
            continue;
        }
        let before = (inputs.len(), failures.len());
        for entry in WalkDir::new(path).follow_links(false) {
            match entry {
                // Reading a pipe or a device in a folder may never end.
                Ok(entry) if wanted(entry.path()) && entry.path().is_file() => {
                    inputs.push(entry.into_path());
                }
                Ok(_) => {}
                Err(error) => failures.push(error.to_string()),
            }
        }
        if before == (inputs.len(), failures.len()) {
            let path = path.display();
            io.warning(match embedded {
                true => format!("{path}: no PTX files and no sources found"),
                false => format!("{path}: no PTX files found"),
            })?;
        }
    }
    inputs.sort_unstable();
    inputs.dedup();
    Ok((inputs, failures))
}

/// Has `show` tell what is wrong in a text, given with the text and its lines, in its order.
/// The name says the language of the text, and `commands` its targets if other files may be asked for them.
///
/// # Errors
/// The text is too long.
pub(super) fn problems<T>(
    name: &str,
    text: String,
    config: &AnalysisConfig,
    commands: Option<&CompileCommands>,
    show: impl FnOnce(&str, &LineTable, Vec<Diagnostic>) -> T,
) -> Result<T, String> {
    if text.len() > syntax::text::MAX_LEN {
        return Err(format!("{name}: the file is too long"));
    }
    let cancelled = |_| format!("{name}: the check was cancelled");
    match Language::of_path(Path::new(name)) {
        Some(language) => {
            let path = Path::new(name);
            let found = embedded::diagnostics(path, &text, language, config, commands, of_module);
            let found = found.map_err(cancelled)?;
            let lines = LineTable::new(if found.is_empty() { "" } else { &text });
            Ok(show(&text, &lines, found))
        }
        None => {
            let document = Document::new(text);
            let found = Batch::diagnostics(&document, config).map_err(cancelled)?;
            Ok(show(document.text(), document.lines(), found))
        }
    }
}

fn check(
    name: &str,
    text: String,
    config: &AnalysisConfig,
    commands: &CompileCommands,
    args: &CheckArgs,
    color: bool,
) -> Result<Checked, String> {
    let show =
        |text: &str, lines: &LineTable, found| checked(name, text, lines, found, args, color);
    problems(name, text, config, Some(commands), show)
}

/// The verdict on one text.
fn checked(
    name: &str,
    text: &str,
    lines: &LineTable,
    mut diagnostics: Vec<Diagnostic>,
    args: &CheckArgs,
    color: bool,
) -> Checked {
    diagnostics.retain(|it| args.hints || it.severity != Severity::Hint);
    let count = |severity| {
        diagnostics
            .iter()
            .filter(|it| it.severity == severity)
            .count()
    };
    let mut checked = Checked {
        texts: 1,
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        others: count(Severity::Information) + count(Severity::Hint),
        ..Checked::default()
    };
    let uri = match args.format {
        CheckFormat::Sarif if !diagnostics.is_empty() => report::uri(name),
        _ => String::new(),
    };
    let omitted = match args.format {
        CheckFormat::Text if args.limit > 0 => keep_worst(&mut diagnostics, args.limit),
        _ => 0,
    };
    for diagnostic in &diagnostics {
        let output = match args.format {
            CheckFormat::Text => render::render(name, text, lines, diagnostic, color),
            CheckFormat::Json => report::json(name, lines, diagnostic),
            CheckFormat::Github => report::github(name, lines, diagnostic),
            CheckFormat::Sarif => {
                let result = report::sarif_result(&uri, lines, diagnostic);
                checked.results.push(result);
                continue;
            }
        };
        checked.output += &output;
    }
    if omitted > 0 {
        let name = plain(name);
        let problems = counted(omitted, "more problem");
        checked.output += &format!("{name}: {problems} not shown; --limit 0 shows all\n\n");
    }
    checked
}

/// Keeps so many diagnostics, the worst, and of equally bad ones the first; how many are left out.
pub(super) fn keep_worst(diagnostics: &mut Vec<Diagnostic>, limit: usize) -> usize {
    let omitted = diagnostics.len().saturating_sub(limit);
    if omitted > 0 {
        diagnostics.sort_by_key(|it| it.severity);
        diagnostics.truncate(limit);
        diagnostics.sort_by_key(|it| (it.range.start(), it.range.end()));
    }
    omitted
}

/// Reads `unused-register=warning`.
fn severity(text: &str) -> Result<(Box<str>, Level), String> {
    let (code, level) = text.split_once('=').ok_or("this has the form CODE=LEVEL")?;
    if !DIAGNOSTIC_CODES.iter().any(|it| it.name == code) {
        return Err(format!("there is no code {code}"));
    }
    match Level::parse(level) {
        Some(level) => Ok((code.into(), level)),
        None => {
            let names: Vec<_> = Level::NAMES.iter().map(|it| it.0).collect();
            Err(format!("the level is one of {}", names.join(", ")))
        }
    }
}

fn summary(files: usize, errors: usize, warnings: usize, hints: usize) -> String {
    let kinds = [(errors, "error"), (warnings, "warning"), (hints, "hint")];
    let mut problems: Vec<String> = Vec::new();
    problems.extend(
        kinds
            .iter()
            .filter(|it| it.0 > 0)
            .map(|it| counted(it.0, it.1)),
    );
    // Nothing is right about files that are not there.
    if files == 0 {
        return "checked 0 files".to_owned();
    }
    if problems.is_empty() {
        problems.push("no problems".to_owned());
    }
    let problems = problems.join(", ");
    format!("checked {}: {problems}", counted(files, "file"))
}
