//! ptxas and nvdisasm as witnesses.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use ptx_tests::conformance::ptxas::Ptxas;
use serde::{Deserialize, Serialize};

/// How often the end of a process is polled.
const PAUSE: Duration = Duration::from_millis(2);
/// The file that lines of PTX belong to when the text names no other.
const PTX_TEXT: &str = "\".nv_debug_ptx_txt\"";

/// The figures of ptxas for an entry.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// Registers of a thread.
    pub(crate) registers: u32,
    /// Bytes that are spilled.
    pub(crate) spill_stores: u32,
    /// The registers live at lines of the text, which count from 1; empty without nvdisasm.
    pub(crate) alive: Vec<(u32, u32)>,
}

/// Paths of ptxas and nvdisasm.
pub(crate) struct Tools {
    ptxas: PathBuf,
    nvdisasm: Option<PathBuf>,
    limit: Duration,
    folder: tempfile::TempDir,
    next: AtomicUsize,
}

impl Tools {
    pub(crate) fn new(
        ptxas: &Path,
        nvdisasm: Option<&Path>,
        limit: Duration,
    ) -> anyhow::Result<Tools> {
        Ok(Tools {
            ptxas: ptxas.to_owned(),
            nvdisasm: nvdisasm.map(Path::to_owned),
            limit,
            folder: tempfile::tempdir()?,
            next: AtomicUsize::new(0),
        })
    }

    /// The release of ptxas.
    pub(crate) fn release(&self) -> anyhow::Result<String> {
        let ptxas = Ptxas::new(&self.ptxas);
        let ptxas = ptxas.with_context(|| format!("cannot run {}", self.ptxas.display()))?;
        Ok(ptxas.release()?)
    }

    /// Compiles a text for a target: as it is or, if that is refused, with its target rewritten. Only the
    /// named entries are compiled, or all if none is named.
    pub(crate) fn measure(
        &self,
        text: &str,
        target: &str,
        entries: &[&str],
    ) -> Result<BTreeMap<String, Measured>, String> {
        self.compile(text, target, entries)
            .or_else(|_| self.compile(&retarget(text, target), target, entries))
            .map_err(|error| format!("{error:#}"))
    }

    fn compile(
        &self,
        text: &str,
        target: &str,
        entries: &[&str],
    ) -> anyhow::Result<BTreeMap<String, Measured>> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let file = |ending: &str| self.folder.path().join(format!("{number}.{ending}"));
        let (source, binary) = (file("ptx"), file("cubin"));
        fs::write(&source, text)?;
        let mut command = Command::new(&self.ptxas);
        command.args(["--verbose", "--gpu-name", target, "--output-file"]);
        command.arg(&binary).arg(&source);
        if self.nvdisasm.is_some() {
            command.arg("--generate-line-info");
        }
        for entry in entries {
            command.args(["--entry", entry]);
        }
        let report = self.run(command, &file("log"));
        fs::remove_file(&source)?;
        let mut measured = verbose(&report?);
        if let Some(nvdisasm) = &self.nvdisasm {
            let show = |options: &[&str]| {
                let mut command = Command::new(nvdisasm);
                command.arg("--print-code").args(options).arg(&binary);
                self.run(command, &file("sass"))
            };
            // Each of the two views excludes the other, so addresses join them.
            let alive = show(&["--print-life-ranges", "--life-range-mode", "count"])?;
            let lines = show(&["--print-line-info-ptx"])?;
            for (entry, alive) in joined(&alive, &lines) {
                if let Some(it) = measured.get_mut(&entry) {
                    it.alive = alive.into_iter().collect();
                }
            }
        }
        fs::remove_file(&binary)?;
        Ok(measured)
    }

    /// The output of a program, if it ends well and in time.
    fn run(&self, mut command: Command, log: &Path) -> anyhow::Result<String> {
        let output = File::create(log)?;
        command.stdin(Stdio::null()).stderr(output.try_clone()?);
        let mut child = command.stdout(output).spawn()?;
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if started.elapsed() > self.limit {
                child.kill()?;
                child.wait()?;
                anyhow::bail!("takes too long");
            }
            thread::sleep(PAUSE);
        };
        let text = String::from_utf8_lossy(&fs::read(log)?).into_owned();
        fs::remove_file(log)?;
        anyhow::ensure!(status.success(), "{}", text.trim());
        Ok(text)
    }
}

/// A text for another target.
fn retarget(text: &str, target: &str) -> String {
    let line = |line: &str| {
        let blank = line.len() - line.trim_start().len();
        let Some(rest) = line.trim_start().strip_prefix(".target") else {
            return line.to_owned();
        };
        let word = rest.trim_start();
        let end = word.find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
        let after = &word[end.unwrap_or(word.len())..];
        format!("{}.target {target}{after}", &line[..blank])
    };
    let lines: Vec<String> = text.split('\n').map(line).collect();
    lines.join("\n")
}

/// The number before some text of a line.
fn number_before(line: &str, words: &str) -> Option<u32> {
    line.split(words)
        .next()?
        .split_whitespace()
        .next_back()?
        .parse()
        .ok()
}

/// Reads the figures of ptxas for each entry.
fn verbose(report: &str) -> BTreeMap<String, Measured> {
    let mut found: BTreeMap<String, Measured> = BTreeMap::new();
    let (mut entry, mut about) = (None, None);
    for line in report.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            entry = rest.split('\'').next().map(str::to_owned);
        } else if let Some((_, name)) = line.split_once("Function properties for ") {
            about = Some(name.trim().to_owned());
        } else if line.contains(" bytes spill stores") && about == entry {
            let bytes = number_before(line, " bytes spill stores");
            if let Some(entry) = entry.clone() {
                found.entry(entry).or_default().spill_stores = bytes.unwrap_or(0);
            }
        } else if let Some((_, rest)) = line.split_once("Used ")
            && let Some(registers) = number_before(rest, " registers")
            && let Some(entry) = entry.take()
        {
            found.entry(entry).or_default().registers = registers;
        }
    }
    found.retain(|_, it| it.registers > 0);
    found
}

/// An instruction as nvdisasm shows it: its function and its address.
type Place<'a> = (&'a str, u32);

/// Calls `act` for each line with the function it is in and, for an instruction, its address.
fn for_each_line<'a>(text: &'a str, act: &mut impl FnMut(&'a str, Option<u32>, &'a str)) {
    let mut function = "";
    for line in text.lines() {
        if let Some(name) = line.strip_prefix(".text.") {
            function = name.split(':').next().unwrap_or_default();
        }
        let address = || {
            let (hex, _) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
            u32::from_str_radix(hex, 16).ok()
        };
        act(function, address(), line);
    }
}

/// For each function the most registers live at each line of PTX.
fn joined(alive: &str, lines: &str) -> BTreeMap<String, BTreeMap<u32, u32>> {
    let mut counts: BTreeMap<Place<'_>, u32> = BTreeMap::new();
    for_each_line(alive, &mut |function, address, line| {
        let columns = line.rsplit_once("// |");
        if let (Some(address), Some((_, columns))) = (address, columns) {
            let first = columns.split('|').next().unwrap_or_default();
            counts.insert((function, address), first.trim().parse().unwrap_or(0));
        }
    });
    let mut found: BTreeMap<String, BTreeMap<u32, u32>> = BTreeMap::new();
    let mut at = None;
    for_each_line(lines, &mut |function, address, line| {
        // Routines of ptxas, such as those of divisions, follow the code of the entry and have no lines.
        if line.starts_with('$') {
            at = None;
        }
        if let Some((_, rest)) = line.split_once("//## File ") {
            let of_text = rest
                .strip_prefix(PTX_TEXT)
                .and_then(|it| it.split_once("line "));
            at = of_text.and_then(|(_, it)| it.split(' ').next()?.parse().ok());
        }
        if let (Some(line), Some(address)) = (at, address)
            && let Some(count) = counts.get(&(function, address))
        {
            let most = found
                .entry(function.to_owned())
                .or_default()
                .entry(line)
                .or_default();
            *most = (*most).max(*count);
        }
    });
    found
}
