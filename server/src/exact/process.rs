//! Runs a program that may hang, crash or write without end.

use std::{
    ffi::OsStr,
    io::{self, Read},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use process_wrap::std::{ChildWrapper, CommandWrap};

use super::jobs::Cancel;

/// How often a process is looked after that says nothing.
const TICK: Duration = Duration::from_millis(10);
/// How often its folder is measured.
const MEASURE: Duration = Duration::from_millis(100);
/// The most bytes of the files that a program may leave in its folder. Code of the largest modules has some 100 MB.
const MAX_FILES: u64 = 1 << 30;
/// How long to wait for the output of a process that was ended.
const GRACE: Duration = Duration::from_secs(1);

/// A program, its arguments and its limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program<'a> {
    /// The program, by an absolute path.
    pub(crate) path: &'a Path,
    /// Arguments after the path.
    pub(crate) arguments: &'a [&'a OsStr],
    /// A private folder: the current one of the program, and the one for its temporary files.
    pub(crate) folder: &'a Path,
    /// The folders of its `PATH`.
    pub(crate) search: &'a [PathBuf],
    /// It is ended then.
    pub(crate) deadline: Instant,
    /// The most bytes that it may write to each of its streams.
    pub(crate) limit: usize,
}

/// The result of a program that ended.
#[derive(Debug)]
pub(crate) struct Finished {
    /// How it ended.
    pub(crate) status: ExitStatus,
    /// Its standard output.
    pub(crate) stdout: String,
    /// Its standard error.
    pub(crate) stderr: String,
}

/// Why a program did not come to its end.
#[derive(Debug)]
pub(crate) enum Aborted {
    /// It could not be started or watched.
    Failed(io::Error),
    /// The result is not wanted any more.
    Cancelled,
    /// It took too long.
    TimedOut,
    /// It wrote too much, to a stream or to its folder.
    Flooded,
}

impl From<io::Error> for Aborted {
    fn from(error: io::Error) -> Aborted {
        Aborted::Failed(error)
    }
}

/// Runs a program until it ends or has to be ended; what it has started itself ends with it, unless it has left the
/// process group, as with `setsid`.
///
/// # Errors
/// See [`Aborted`].
pub(crate) fn run(program: &Program<'_>, cancel: &Cancel) -> Result<Finished, Aborted> {
    if cancel.is_cancelled() {
        return Err(Aborted::Cancelled);
    }
    let mut command = Command::new(program.path);
    command
        .args(program.arguments)
        .current_dir(program.folder)
        .env_clear()
        .envs(environment(program))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut command = CommandWrap::from(command);
    #[cfg(unix)]
    command.wrap(process_wrap::std::ProcessGroup::leader());
    #[cfg(windows)]
    command.wrap(process_wrap::std::JobObject);
    let mut child = command.spawn()?;
    let result = watch(&mut *child, program, cancel);
    if result.is_err() {
        // Also reaps it. An error means that there is nothing left to end.
        let _ = child.kill();
    }
    result
}

/// The few variables that programs cannot do without.
fn environment(program: &Program<'_>) -> Vec<(&'static str, std::ffi::OsString)> {
    let mut variables = vec![
        ("LANG", "C".into()),
        ("LC_ALL", "C".into()),
        ("TMPDIR", program.folder.into()),
        ("TEMP", program.folder.into()),
        ("TMP", program.folder.into()),
    ];
    if let Ok(path) = std::env::join_paths(program.search) {
        variables.push(("PATH", path));
    }
    // Programs on Windows do not start without it.
    if let Some(root) = std::env::var_os("SystemRoot") {
        variables.push(("SystemRoot", root));
    }
    variables
}

/// One of the streams of a process, at its end or at its limit.
struct Stream {
    is_error: bool,
    bytes: io::Result<Vec<u8>>,
}

fn watch(
    child: &mut dyn ChildWrapper,
    program: &Program<'_>,
    cancel: &Cancel,
) -> Result<Finished, Aborted> {
    let (sender, streams) = mpsc::channel();
    let limit = program.limit;
    let mut open = 0;
    if let Some(stdout) = child.stdout().take() {
        read(stdout, false, limit, sender.clone())?;
        open += 1;
    }
    if let Some(stderr) = child.stderr().take() {
        read(stderr, true, limit, sender)?;
        open += 1;
    }
    let (mut stdout, mut stderr) = (String::new(), String::new());
    // Its end is noticed by the end of its streams; for one that has closed them, its exit is awaited.
    let mut status = None;
    let mut ended_at = None;
    let mut measure = Instant::now() + MEASURE;
    while open > 0 || status.is_none() {
        if cancel.is_cancelled() {
            return Err(Aborted::Cancelled);
        }
        let now = Instant::now();
        if program.deadline <= now {
            return Err(Aborted::TimedOut);
        }
        if measure <= now {
            measure = now + MEASURE;
            if size(program.folder, MAX_FILES).is_none() {
                return Err(Aborted::Flooded);
            }
        }
        let wait = TICK.min(program.deadline - now);
        if open == 0 {
            thread::sleep(wait);
        } else if let Ok(stream) = streams.recv_timeout(wait) {
            open -= 1;
            let bytes = stream.bytes?;
            if bytes.len() > limit {
                return Err(Aborted::Flooded);
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            match stream.is_error {
                true => stderr = text,
                false => stdout = text,
            }
        }
        if status.is_none() {
            status = child.try_wait()?;
            ended_at = status.map(|_| now);
        }
        // Something that it has left behind holds its streams open.
        if let Some(ended) = ended_at
            && open > 0
            && ended + GRACE < now
        {
            // An error means that it has just ended by itself.
            let _ = child.start_kill();
            if ended + 2 * GRACE < now {
                break;
            }
        }
    }
    let status = status.ok_or_else(|| io::Error::other("the program has no end"))?;
    Ok(Finished {
        status,
        stdout,
        stderr,
    })
}

/// The bytes of all files in a folder and in those below it; none if there are more than `most`.
fn size(folder: &Path, most: u64) -> Option<u64> {
    let mut total = 0;
    // What disappears meanwhile takes no room.
    for entry in walkdir::WalkDir::new(folder).into_iter().flatten() {
        total += entry.metadata().map_or(0, |it| it.len());
        if total > most {
            return None;
        }
    }
    Some(total)
}

/// Reads a stream on a thread of its own, up to one byte more than the limit.
fn read(
    stream: impl Read + Send + 'static,
    is_error: bool,
    limit: usize,
    sender: mpsc::Sender<Stream>,
) -> io::Result<()> {
    let task = move || {
        let mut bytes = Vec::new();
        let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        let result = stream.take(most).read_to_end(&mut bytes);
        // The channel is closed when the process has been ended.
        let _ = sender.send(Stream {
            is_error,
            bytes: result.map(|_| bytes),
        });
    };
    thread::Builder::new()
        .name("ptxas-output".to_owned())
        .spawn(task)
        .map(drop)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_size_of_a_folder_has_a_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join("below");
        std::fs::create_dir(&below).expect("a folder");
        let empty = super::size(folder.path(), u64::MAX).expect("a size");
        for folder in [folder.path(), &below] {
            std::fs::write(folder.join("a"), [0; 100]).expect("a file");
        }
        assert_eq!(super::size(folder.path(), empty + 200), Some(empty + 200));
        assert_eq!(super::size(folder.path(), empty + 199), None);
    }
}
