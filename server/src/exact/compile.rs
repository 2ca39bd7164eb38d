//! One file through `ptxas`, and through `nvdisasm` if it is there.

use std::{
    ffi::OsStr,
    fmt, fs,
    io::{self, Read as _},
    path::PathBuf,
    sync::{Arc, LazyLock, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use analysis::{CompilerMessage, Severity, code_target};
use machine::{cubin, disassembly, listing};
use rustc_hash::FxHashMap;
use session::{exact::Findings, machine_code::MachineCode};
use tracing::{debug, info};

use super::{
    find::Tools,
    jobs::Cancel,
    output::{self, Output},
    process::{Aborted, Finished, Program, run},
};

/// The names of the text and of the code in the private folder.
const TEXT: &str = "input.ptx";
const CODE: &str = "output.cubin";
/// The most that `ptxas` may write: some 80,000 messages.
const MAX_MESSAGES: usize = 8 << 20;
/// The most that `nvdisasm` may write: some 500,000 instructions.
const MAX_DISASSEMBLY: usize = 64 << 20;
/// The most machine code that is read, in bytes.
const MAX_CODE: u64 = 256 << 20;
/// How long `ptxas` may take to say who it is.
const INTRODUCTION: Duration = Duration::from_secs(10);

/// The input of a compilation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task<'a> {
    /// Paths of `ptxas` and perhaps `nvdisasm`.
    pub(crate) tools: &'a Tools,
    /// The text of the file.
    pub(crate) text: &'a str,
    /// The target of the file.
    pub(crate) target: &'a str,
    /// Make code for this target instead, if that can be done.
    pub(crate) wanted: Option<&'a str>,
    /// How long it may take.
    pub(crate) limit: Duration,
}

/// Why there are no findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The result is not wanted any more.
    Cancelled,
    /// `ptxas` could not be run; the text says why.
    NotRun(String),
    /// It took longer than this.
    TimedOut(Duration),
    /// It wrote without end.
    Flooded,
    /// It ended without a verdict; the text says how.
    Crashed(String),
    /// It makes no code for the target.
    NoTarget {
        /// The requested figures.
        target: String,
        /// The release of `ptxas`.
        release: String,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Cancelled => f.write_str("the run of ptxas was cancelled"),
            Failure::NotRun(reason) => write!(f, "ptxas cannot be run: {reason}"),
            Failure::TimedOut(limit) => {
                write!(
                    f,
                    "ptxas took longer than {} s and was ended",
                    limit.as_secs()
                )
            }
            Failure::Flooded => f.write_str("ptxas wrote without end and was ended"),
            Failure::Crashed(how) => write!(f, "ptxas ended without a verdict: {how}"),
            Failure::NoTarget { target, release } => {
                write!(
                    f,
                    "ptxas {release} makes no code for {target} out of this file"
                )
            }
        }
    }
}

impl Failure {
    fn new(aborted: Aborted, limit: Duration) -> Failure {
        match aborted {
            Aborted::Failed(error) => Failure::NotRun(error.to_string()),
            Aborted::Cancelled => Failure::Cancelled,
            Aborted::TimedOut => Failure::TimedOut(limit),
            Aborted::Flooded => Failure::Flooded,
        }
    }
}

/// Compiles a text in a private folder, which is gone afterwards in any case.
///
/// # Errors
/// See [`Failure`].
pub(crate) fn compile(task: &Task<'_>, cancel: &Cancel) -> Result<Findings, Failure> {
    let start = Instant::now();
    if cancel.is_cancelled() {
        return Err(Failure::Cancelled);
    }
    let folder = private_folder().map_err(|error| Failure::NotRun(error.to_string()))?;
    let session = Session {
        task,
        folder,
        // The largest time limit is minutes; a clock that cannot count so far has other problems.
        deadline: start.checked_add(task.limit).unwrap_or(start),
        cancel,
    };
    let release = session.introduction()?;
    let target = code_target(task.target, task.wanted, &release.targets)
        // Without a list of targets it has to say by itself what it thinks of this one.
        .or_else(|| release.targets.is_empty().then(|| task.target.to_owned()))
        .ok_or_else(|| Failure::NoTarget {
            target: task.wanted.unwrap_or(task.target).to_owned(),
            release: release.version.clone(),
        })?;
    session.write(task.text)?;
    let mut output = session.assemble(&target, false)?;
    if is_part(&output) {
        output = session.assemble(&target, true)?;
    }
    let mut code = MachineCode::default();
    if !output.entries.is_empty()
        && let Some(cubin) = session.code()
    {
        let disassembly = session.disassemble(&cubin, &target)?;
        code = MachineCode::read(&cubin, disassembly.as_deref(), &target, task.text);
        let mut lines = code.live_lines();
        for entry in &mut output.entries {
            entry.lines = lines.remove(&*entry.name).unwrap_or_default();
            let listing = code.listings.iter().find(|it| it.name == entry.name);
            let count = listing.map(|it| it.rows.len());
            entry.instructions = count.and_then(|it| u32::try_from(it).ok());
        }
    }
    info!(time = ?start.elapsed(), target, release = release.version, "ptxas has run");
    Ok(Findings {
        messages: messages(output.messages, task.text),
        entries: output.entries,
        code: Arc::new(code),
        release: release.version,
        target,
    })
}

/// The text of machine code, if `nvdisasm` is there and understands it.
///
/// # Errors
/// See [`Failure`].
pub(crate) fn disassemble(
    tools: &Tools,
    cubin: &[u8],
    target: &str,
    limit: Duration,
    cancel: &Cancel,
) -> Result<Option<String>, Failure> {
    let start = Instant::now();
    let folder = private_folder().map_err(|error| Failure::NotRun(error.to_string()))?;
    let session = Session {
        task: &Task {
            tools,
            text: "",
            target,
            wanted: None,
            limit,
        },
        folder,
        deadline: start.checked_add(limit).unwrap_or(start),
        cancel,
    };
    fs::write(session.folder.path().join(CODE), cubin)
        .map_err(|error| Failure::NotRun(error.to_string()))?;
    session.disassemble(cubin, target)
}

/// Whether the only errors are that the file calls functions of other files: it is a part of a program, and
/// that is not a mistake.
fn is_part(output: &Output) -> bool {
    let errors = output.messages.iter();
    let mut errors = errors
        .filter(|it| it.severity == Severity::Error)
        .peekable();
    errors.peek().is_some() && errors.all(|it| it.text.starts_with("Unresolved extern "))
}

/// A folder that only this user can look into.
fn private_folder() -> io::Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("ptx-analyzer-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir()
}

/// One file and the limits of its runs.
struct Session<'a> {
    task: &'a Task<'a>,
    folder: tempfile::TempDir,
    deadline: Instant,
    cancel: &'a Cancel,
}

impl Session<'_> {
    fn run(
        &self,
        path: &std::path::Path,
        arguments: &[&str],
        limit: usize,
        deadline: Instant,
    ) -> Result<Finished, Aborted> {
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        let program = Program {
            path,
            arguments: &arguments,
            folder: self.folder.path(),
            search: &self.task.tools.path,
            deadline,
            limit,
        };
        run(&program, self.cancel)
    }

    /// The answer of `ptxas` to questions about itself.
    fn introduction(&self) -> Result<Release, Failure> {
        let path = &self.task.tools.ptxas;
        let key = ProgramStamp::new(path.clone())
            .map_err(|error| Failure::NotRun(format!("{}: {error}", path.display())))?;
        if let Some(known) = releases().get(&key) {
            return Ok(known.clone());
        }
        let deadline = self.deadline.min(Instant::now() + INTRODUCTION);
        let ask = |option| {
            self.run(path, &[option], MAX_MESSAGES, deadline)
                .map_err(|aborted| Failure::new(aborted, self.task.limit.min(INTRODUCTION)))
        };
        let (version, help) = (ask("--version")?, ask("--help")?);
        let release = Release::new(&version.stdout, &help.stdout);
        releases().insert(key, release.clone());
        Ok(release)
    }

    fn write(&self, text: &str) -> Result<(), Failure> {
        fs::write(self.folder.path().join(TEXT), text)
            .map_err(|error| Failure::NotRun(error.to_string()))
    }

    /// Runs `ptxas` over the text.
    fn assemble(&self, target: &str, separate: bool) -> Result<Output, Failure> {
        let mut arguments = vec![
            "--verbose",
            // Does not change the code.
            "--generate-line-info",
            "--gpu-name",
            target,
            TEXT,
            "--output-file",
            CODE,
        ];
        if separate {
            arguments.push("--compile-only");
        }
        let path = &self.task.tools.ptxas;
        let finished = self
            .run(path, &arguments, MAX_MESSAGES, self.deadline)
            .map_err(|aborted| Failure::new(aborted, self.task.limit))?;
        let output = output::parse(&finished.stderr);
        let rejected = output
            .messages
            .iter()
            .any(|it| it.severity == Severity::Error);
        if finished.status.success() || (finished.status.code().is_some() && rejected) {
            return Ok(output);
        }
        let last = finished.stderr.lines().rfind(|it| !it.trim().is_empty());
        let last = last.map_or_else(String::new, |it| format!(" ({})", shortened(it.trim())));
        Err(Failure::Crashed(format!("{}{last}", finished.status)))
    }

    /// The code that `ptxas` wrote.
    fn code(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = fs::File::open(self.folder.path().join(CODE)).ok()?;
        file.take(MAX_CODE).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// The output of `nvdisasm`, if it is there and understands the code: an older one may not.
    fn disassemble(&self, code: &[u8], target: &str) -> Result<Option<String>, Failure> {
        let Some(path) = &self.task.tools.nvdisasm else {
            return Ok(None);
        };
        let text = self.print(path, disassembly::OPTIONS)?;
        let (Some(mut text), Ok(cubin)) = (text, cubin::read(code)) else {
            return Ok(None);
        };
        if !listing::is_complete(&cubin, &text, target)
            && let Some(rest) = self.print(path, disassembly::ALL_CODE)?
        {
            text.push('\n');
            text.push_str(&rest);
        }
        Ok(Some(text))
    }

    /// The output of `nvdisasm` with these options, if it understands the code.
    fn print(&self, path: &std::path::Path, options: &[&str]) -> Result<Option<String>, Failure> {
        let arguments = [options, &[CODE]].concat();
        match self.run(path, &arguments, MAX_DISASSEMBLY, self.deadline) {
            Ok(finished) if finished.status.success() => Ok(Some(finished.stdout)),
            Err(Aborted::Cancelled) => Err(Failure::Cancelled),
            // What ptxas says and the lines are good without it.
            other => {
                debug!(?other, "nvdisasm does not help");
                Ok(None)
            }
        }
    }
}

/// The beginning of a line for a message.
fn shortened(line: &str) -> &str {
    line.char_indices()
        .nth(200)
        .map_or(line, |(end, _)| &line[..end])
}

/// The abilities of a `ptxas`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Release {
    /// Such as `13.5.37`.
    version: String,
    /// The targets that it makes code for.
    targets: Vec<String>,
}

impl Release {
    /// Reads `Cuda compilation tools, release 13.5, V13.5.37` and the values of `--gpu-name` in the help.
    fn new(version: &str, help: &str) -> Release {
        let version = version
            .split_whitespace()
            .filter_map(|it| it.strip_prefix('V'))
            .find(|it| it.starts_with(|it: char| it.is_ascii_digit()));
        let mut targets = Vec::new();
        for word in help.split('\'').filter(|it| it.starts_with("sm_")) {
            if analysis::is_target(word) && !targets.iter().any(|it| it == word) {
                targets.push(word.to_owned());
            }
        }
        Release {
            version: version.unwrap_or_default().to_owned(),
            targets,
        }
    }
}

/// A program on disk when its release was read: another length or time means another program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ProgramStamp {
    path: PathBuf,
    length: u64,
    modified: Option<SystemTime>,
}

impl ProgramStamp {
    fn new(path: PathBuf) -> io::Result<ProgramStamp> {
        let metadata = fs::metadata(&path)?;
        Ok(ProgramStamp {
            path,
            length: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }
}

/// The release of each `ptxas` that was run.
fn releases() -> std::sync::MutexGuard<'static, FxHashMap<ProgramStamp, Release>> {
    static KNOWN: LazyLock<Mutex<FxHashMap<ProgramStamp, Release>>> = LazyLock::new(Mutex::default);
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The messages with the lines that an editor counts, and the text of these lines.
fn messages(raw: Vec<output::RawMessage>, text: &str) -> Vec<CompilerMessage> {
    // ptxas counts line feeds only.
    let rows: Vec<&str> = text.split('\n').collect();
    let mut before: Vec<u32> = Vec::new();
    let mut extra = 0;
    if text.contains('\r') {
        for row in &rows {
            before.push(extra);
            let row = row.strip_suffix('\r').unwrap_or(row);
            extra += u32::try_from(row.matches('\r').count()).unwrap_or(u32::MAX);
        }
    }
    let convert = |it: output::RawMessage| {
        let (line, text) = match it.place {
            None => (None, it.text),
            // A message without a file is about the only one.
            Some((file, number)) if file == TEXT || file.is_empty() => {
                let index = number.saturating_sub(1);
                let row = rows.get(index as usize).copied().unwrap_or_default();
                let first = row.split('\r').next().unwrap_or_default();
                let shift = before.get(index as usize).copied().unwrap_or_default();
                let line = index.saturating_add(shift);
                (Some((line, first.trim().to_owned())), it.text)
            }
            // A line marker says that the text comes from another file.
            Some((file, number)) => (None, format!("{} ({file}:{number})", it.text)),
        };
        CompilerMessage {
            line,
            severity: it.severity,
            text,
        }
    };
    raw.into_iter().map(convert).collect()
}
