//! ptxas as the judge.
//!
//! One process per program is beyond doubt and takes about 10 ms. Many files on one command line are
//! judged each on its own, a thousand times faster, but what ptxas expands from built-in text can hide
//! errors of later files: so whoever reports a disagreement asks again about that program alone.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::program::Case;

/// The release that the project compares itself with: package version of `nvidia-cuda-nvcc`.
pub const RELEASE: &str = "13.5.37";
/// Programs that one process judges.
const BATCH: usize = 1000;
/// After a syntax error, half-read modifiers reach into the next file; nothing of this one matters.
const FLUSH: &str = ".version 7.0\n.target sm_75\n.entry flush` { ret; }\n";

/// What ptxas says about a program.
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
    pub fn alone(&self, case: &Case) -> io::Result<Verdict> {
        let file = self.folder.path().join(format!(
            "alone{}.ptx",
            self.next.fetch_add(1, Ordering::Relaxed)
        ));
        fs::write(&file, case.program(""))?;
        let output = self.run(
            &architecture(case),
            self.folder.path(),
            std::slice::from_ref(&file),
        )?;
        fs::remove_file(&file)?;
        Ok(match output.status.code() {
            Some(0) => Verdict::Accepted,
            Some(255) => {
                let text = String::from_utf8_lossy(&output.stderr);
                let first = text.lines().find_map(error);
                Verdict::Rejected(
                    first.map_or_else(|| text.trim().to_owned(), |(_, message)| message.to_owned()),
                )
            }
            _ => Verdict::Crashed,
        })
    }

    /// Judges programs, many at a time, on `threads` threads. Crashes are told from the rest.
    ///
    /// # Errors
    /// Files cannot be written or a process cannot be started.
    pub fn together(&self, cases: &[Case], threads: usize) -> io::Result<Vec<Verdict>> {
        // The target must be one that the `-arch` of the process may have, and options of a target leak.
        let mut groups: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
        for (index, case) in cases.iter().enumerate() {
            let options = case.target.split_once(',').map_or("", |it| it.1);
            groups
                .entry((architecture(case), options.to_owned()))
                .or_default()
                .push(index);
        }
        let mut batches: Vec<Vec<usize>> = Vec::new();
        for group in groups.into_values() {
            // What ptxas expands from its own text can hide errors of later files: few of it at a time.
            let (expanded, plain): (Vec<usize>, Vec<usize>) = group
                .into_iter()
                .partition(|it| is_expanded(&cases[*it].instruction));
            batches.extend(plain.chunks(BATCH).map(<[usize]>::to_vec));
            batches.extend(expanded.chunks(BATCH / 10).map(<[usize]>::to_vec));
        }
        let batches = Mutex::new(batches);
        let verdicts = Mutex::new(vec![Verdict::Crashed; cases.len()]);
        std::thread::scope(|scope| {
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
        cases: &[Case],
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
                (format!("{index}"), cases[*index].program(&suffix)),
                (format!("flush{index}"), FLUSH.replace('`', &suffix)),
            ] {
                fs::write(folder.join(&name), text)?;
                files.push(PathBuf::from(name));
            }
        }
        let output = self.run(&architecture(&cases[batch[0]]), &folder, &files)?;
        fs::remove_dir_all(&folder)?;
        let text = String::from_utf8_lossy(&output.stderr);
        let lost = !matches!(output.status.code(), Some(0 | 255)) || text.contains("<builtin>");
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
        for (file, message) in text.lines().filter_map(error) {
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

    fn run(&self, architecture: &str, folder: &Path, files: &[PathBuf]) -> io::Result<Output> {
        Command::new(&self.path)
            .args(["-arch", architecture, "-o", "/dev/null"])
            .args(files)
            .current_dir(folder)
            .output()
    }
}

/// File and text of a line that reports an error.
fn error(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("ptxas ")?;
    let (place, rest) = match rest.split_once(", line ") {
        Some((file, rest)) => (file, rest.split_once(';')?.1),
        None => ("", rest),
    };
    let (severity, text) = rest.split_once(':')?;
    let is_error = matches!(severity.trim(), "error" | "fatal");
    (is_error && !text.contains("Ptx assembly aborted")).then(|| (place, text.trim()))
}

/// A value of `-arch` that accepts the target; code is not generated, so the oldest will do for old ones.
fn architecture(case: &Case) -> String {
    let target = case.target.split(',').next().unwrap_or_default().trim();
    let suffix = target
        .trim_start_matches("sm_")
        .trim_start_matches(|it: char| it.is_ascii_digit());
    match case.target_number() {
        ..75 => "compute_75".to_owned(),
        82 => "compute_86".to_owned(),
        101 => format!("compute_110{suffix}"),
        number => format!("compute_{number}{suffix}"),
    }
}

/// Whether ptxas expands the instruction from built-in text.
fn is_expanded(instruction: &str) -> bool {
    let opcode = instruction.split('.').next().unwrap_or_default();
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
