//! ptxas as the judge.
//!
//! One process per program is beyond doubt and takes about 10 ms. Many files on one command line are
//! judged each on its own, a thousand times faster, but what ptxas expands from built-in text can hide
//! errors of later files: so whoever reports a disagreement asks again about that program alone.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use super::{generator, program::Case};

/// A program that ptxas can judge, alone or together with others.
pub trait Judged: Sync {
    /// The value of `-arch`.
    fn architecture(&self) -> String;
    /// The options of its `.target`, which reach into other programs of the same process.
    fn options(&self) -> String;
    /// Whether ptxas expands parts of it from built-in text, which can hide errors of later programs.
    fn is_expanded(&self) -> bool;
    /// The program; with a suffix, its names of the module end in it.
    fn text(&self, suffix: &str) -> String;
}

impl<P: Judged> Judged for &P {
    fn architecture(&self) -> String {
        (**self).architecture()
    }

    fn options(&self) -> String {
        (**self).options()
    }

    fn is_expanded(&self) -> bool {
        (**self).is_expanded()
    }

    fn text(&self, suffix: &str) -> String {
        (**self).text(suffix)
    }
}

impl Judged for Case {
    fn architecture(&self) -> String {
        architecture(&self.target)
    }

    fn options(&self) -> String {
        let options = self.target.split_once(',');
        options.map_or_else(String::new, |it| it.1.to_owned())
    }

    fn is_expanded(&self) -> bool {
        is_expanded(self.instruction.split('.').next().unwrap_or_default())
    }

    fn text(&self, suffix: &str) -> String {
        self.program(suffix)
    }
}

/// An error of ptxas.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its line, counted from one; 0 if it names none.
    pub line: u32,
    /// Message without file and line.
    pub text: String,
}

/// The release that the project compares itself with: package version of `nvidia-cuda-nvcc`.
pub const RELEASE: &str = "13.5.37";
/// The time for the machine code of a program.
const PATIENCE: Duration = Duration::from_secs(60);
/// Programs that one process judges.
const BATCH: usize = 1000;
/// After a syntax error, half-read modifiers reach into the next file; nothing of this one matters.
const FLUSH: &str = ".version 7.0\n.target sm_75\n.entry flush` { ret; }\n";

/// The verdict of ptxas on a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No error.
    Accepted,
    /// The first error.
    Rejected(String),
    /// It died.
    Crashed,
}

/// A ptxas.
#[derive(Debug)]
pub struct Ptxas {
    path: PathBuf,
    folder: tempfile::TempDir,
    next: AtomicUsize,
}

impl Ptxas {
    /// The program at this path.
    ///
    /// # Errors
    /// It cannot be run, or there is no place for files.
    pub fn new(path: &Path) -> io::Result<Ptxas> {
        Command::new(path).arg("--version").output()?;
        // Thousands of small files are quicker in memory.
        let memory = Path::new("/dev/shm");
        let folder = match tempfile::tempdir_in(memory) {
            Ok(folder) => folder,
            Err(_) => tempfile::tempdir()?,
        };
        Ok(Ptxas {
            path: path.to_owned(),
            folder,
            next: AtomicUsize::new(0),
        })
    }

    /// The release, from `--version`.
    ///
    /// # Errors
    /// It cannot be run.
    pub fn release(&self) -> io::Result<String> {
        let output = Command::new(&self.path).arg("--version").output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(text
            .rsplit(", V")
            .next()
            .unwrap_or("")
            .lines()
            .next()
            .unwrap_or("")
            .to_owned())
    }

    /// Judges a program in a process of its own.
    ///
    /// # Errors
    /// Files cannot be written or the process cannot be started.
    pub fn alone(&self, program: &impl Judged) -> io::Result<Verdict> {
        Ok(self.messages(&program.architecture(), &program.text(""))?.0)
    }

    /// Judges a program in a process of its own, with all errors; `-arch` must suit its target.
    ///
    /// # Errors
    /// Files cannot be written or the process cannot be started.
    pub fn messages(&self, architecture: &str, text: &str) -> io::Result<(Verdict, Vec<Message>)> {
        let file = self.folder.path().join(format!(
            "alone{}.ptx",
            self.next.fetch_add(1, Ordering::Relaxed)
        ));
        fs::write(&file, text)?;
        let output = self.run(
            architecture,
            self.folder.path(),
            std::slice::from_ref(&file),
        )?;
        fs::remove_file(&file)?;
        let report = String::from_utf8_lossy(&output.stderr);
        let messages: Vec<Message> = report
            .lines()
            .filter_map(error)
            .map(|(_, line, text)| Message {
                line,
                text: text.to_owned(),
            })
            .collect();
        let verdict = match output.status.code() {
            Some(0) => Verdict::Accepted,
            Some(255) => {
                let first = messages.first().map(|it| it.text.clone());
                Verdict::Rejected(first.unwrap_or_else(|| report.trim().to_owned()))
            }
            _ => Verdict::Crashed,
        };
        Ok((verdict, messages))
    }

    /// Judges programs, many at a time, on `threads` threads. Crashes are distinguished from errors.
    ///
    /// # Errors
    /// Files cannot be written or a process cannot be started.
    pub fn together(&self, cases: &[impl Judged], threads: usize) -> io::Result<Vec<Verdict>> {
        // The target must be one that the `-arch` of the process may have, and options of a target leak.
        let mut groups: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
        for (index, case) in cases.iter().enumerate() {
            groups
                .entry((case.architecture(), case.options()))
                .or_default()
                .push(index);
        }
        let mut batches: Vec<Vec<usize>> = Vec::new();
        for group in groups.into_values() {
            // What ptxas expands from its own text can hide errors of later files: few of it at a time.
            let (expanded, plain): (Vec<usize>, Vec<usize>) =
                group.into_iter().partition(|it| cases[*it].is_expanded());
            batches.extend(plain.chunks(BATCH).map(<[usize]>::to_vec));
            batches.extend(expanded.chunks(BATCH / 10).map(<[usize]>::to_vec));
        }
        let batches = Mutex::new(batches);
        let verdicts = Mutex::new(vec![Verdict::Crashed; cases.len()]);
        thread::scope(|scope| {
            let workers: Vec<_> = (0..threads)
                .map(|_| {
                    scope.spawn(|| -> io::Result<()> {
                        loop {
                            let batch = batches.lock().expect("no worker panics").pop();
                            let Some(batch) = batch else { return Ok(()) };
                            self.batch(cases, &batch, &verdicts)?;
                        }
                    })
                })
                .collect();
            workers
                .into_iter()
                .try_for_each(|it| it.join().expect("no worker panics"))
        })?;
        Ok(verdicts.into_inner().expect("no worker panics"))
    }

    fn batch(
        &self,
        cases: &[impl Judged],
        batch: &[usize],
        verdicts: &Mutex<Vec<Verdict>>,
    ) -> io::Result<()> {
        let folder = self.folder.path().join(format!(
            "batch{}",
            self.next.fetch_add(1, Ordering::Relaxed)
        ));
        fs::create_dir(&folder)?;
        let mut files = Vec::with_capacity(2 * batch.len());
        for index in batch {
            let suffix = format!("_{index}");
            for (name, text) in [
                (format!("{index}"), cases[*index].text(&suffix)),
                (format!("flush{index}"), FLUSH.replace('`', &suffix)),
            ] {
                fs::write(folder.join(&name), text)?;
                files.push(PathBuf::from(name));
            }
        }
        let output = self.run(&cases[batch[0]].architecture(), &folder, &files)?;
        fs::remove_dir_all(&folder)?;
        let text = String::from_utf8_lossy(&output.stderr);
        // An error without a file may belong to any program.
        let anonymous = batch.len() > 1
            && text
                .lines()
                .filter_map(error)
                .any(|(file, ..)| file.is_empty());
        let lost = !matches!(output.status.code(), Some(0 | 255))
            || text.contains("<builtin>")
            || anonymous;
        if lost && batch.len() > 1 {
            // A crash, or an error in built-in text, which ends the process: look for the file that did it.
            let (first, second) = batch.split_at(batch.len() / 2);
            self.batch(cases, first, verdicts)?;
            return self.batch(cases, second, verdicts);
        }
        let mut verdicts = verdicts.lock().expect("no worker panics");
        if lost {
            drop(text);
            verdicts[batch[0]] = match output.status.code() {
                Some(0) => Verdict::Accepted,
                Some(255) => Verdict::Rejected("error in built-in text".to_owned()),
                _ => Verdict::Crashed,
            };
            return Ok(());
        }
        for index in batch {
            verdicts[*index] = Verdict::Accepted;
        }
        for (file, _, message) in text.lines().filter_map(error) {
            if let Some(index) = file
                .parse::<usize>()
                .ok()
                .filter(|it| batch.binary_search(it).is_ok())
                && verdicts[index] == Verdict::Accepted
            {
                verdicts[index] = Verdict::Rejected(message.to_owned());
            }
        }
        Ok(())
    }

    /// Makes machine code of a program at `-O3` and prints it with nvdisasm; `None` if ptxas refuses the program or
    /// takes longer than a minute: there are statements that it never finishes.
    ///
    /// # Errors
    /// Files cannot be written or a process cannot be started.
    pub fn listing(
        &self,
        nvdisasm: &Path,
        architecture: &str,
        text: &str,
    ) -> io::Result<Option<String>> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let file = |extension| self.folder.path().join(format!("code{number}.{extension}"));
        let (source, code) = (file("ptx"), file("cubin"));
        fs::write(&source, text)?;
        let mut process = Command::new(&self.path)
            .args(["-O3", "-arch", architecture, "-o"])
            .args([&code, &source])
            .stderr(Stdio::null())
            .spawn()?;
        let started = Instant::now();
        let status = loop {
            match process.try_wait()? {
                None if started.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(5)),
                None => {
                    process.kill()?;
                    break process.wait()?;
                }
                Some(status) => break status,
            }
        };
        fs::remove_file(&source)?;
        if !status.success() {
            return Ok(None);
        }
        let printed = Command::new(nvdisasm).arg("-c").arg(&code).output()?;
        fs::remove_file(&code)?;
        let listing = String::from_utf8_lossy(&printed.stdout).into_owned();
        Ok(printed.status.success().then_some(listing))
    }

    fn run(&self, architecture: &str, folder: &Path, files: &[PathBuf]) -> io::Result<Output> {
        // Code is generated for `sm_90`, and not for `compute_90`; then nothing need be made fast.
        Command::new(&self.path)
            .args(["-O0", "-arch", architecture, "-o", "/dev/null"])
            .args(files)
            .current_dir(folder)
            .output()
    }
}

/// File, line and text of a line that reports an error.
fn error(line: &str) -> Option<(&str, u32, &str)> {
    let rest = line.strip_prefix("ptxas ")?;
    let (place, line, rest) = match rest.split_once(", line ") {
        Some((file, rest)) => {
            let (line, rest) = rest.split_once(';')?;
            (file, line.parse().ok()?, rest)
        }
        None => ("", 0, rest),
    };
    let (severity, text) = rest.split_once(':')?;
    let is_error = matches!(severity.trim(), "error" | "fatal");
    (is_error && !text.contains("Ptx assembly aborted")).then(|| (place, line, text.trim()))
}

/// A value of `-arch` that accepts the `.target` (its first word counts); code is not generated, so the
/// oldest will do for old ones, and any for unknown ones.
pub fn architecture(target: &str) -> String {
    let target = target.split(',').next().unwrap_or_default().trim();
    if !generator::is_target(target) {
        return "compute_90".to_owned();
    }
    let number = target
        .trim_start_matches("sm_")
        .trim_end_matches(['a', 'f']);
    let suffix = target
        .trim_start_matches("sm_")
        .trim_start_matches(|it: char| it.is_ascii_digit());
    match number.parse::<u32>().unwrap_or(0) {
        ..75 => "compute_75".to_owned(),
        82 => "compute_86".to_owned(),
        101 => format!("compute_110{suffix}"),
        number => format!("compute_{number}{suffix}"),
    }
}

/// Whether ptxas expands the instruction from built-in text.
pub fn is_expanded(opcode: &str) -> bool {
    matches!(
        opcode,
        "div"
            | "rem"
            | "rcp"
            | "sqrt"
            | "popc"
            | "clz"
            | "bfind"
            | "brev"
            | "bfe"
            | "bfi"
            | "shfl"
            | "wmma"
            | "mma"
            | "fabric"
            | "createpolicy"
            | "cvt"
            | "tcgen05"
    ) || opcode.starts_with('v')
}
