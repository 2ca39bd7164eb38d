//! Records what ptxas says about statements, one process each.
//!
//! `cargo run -p ptx-analyzer-tests --bin conformance-record -- --ptxas PTXAS FILE…`, where a file holds
//! statements as JSON lines (`stmt`, `version`, `target`, `instruction`, and additions of a program)
//! and its folder is the name of the family. With `--programs` the files hold whole programs: one per
//! `TOPIC_….ptx`, or JSON lines (`name`, `topic`, `source`). Programs that crash ptxas are omitted.
//! With `--semantics N` no file is read: of each instruction, `N` statements that ptxas accepts are taken from those
//! that are recorded, and what optimization leaves of them is measured.

#![expect(clippy::print_stdout, reason = "progress and a summary")]

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Mutex, atomic::AtomicUsize, atomic::Ordering},
};

use anyhow::Context as _;
use clap::Parser;
use fastrand::Rng;
use ptx_tests::conformance::{
    program::Prelude,
    ptxas::{Ptxas, Verdict},
    recorded::{self, Candidate, Header, ProgramCandidate, Recorded, RecordedProgram},
    semantics::{self, Optimized},
    text::Setting,
};

/// Records what ptxas says about statements, or about programs.
#[derive(Parser)]
struct Arguments {
    /// The ptxas to ask.
    #[arg(long, env = "PTXAS", default_value = "ptxas")]
    ptxas: PathBuf,
    /// Accepted and rejected statements per family and instruction, half of each if there are enough.
    #[arg(long, default_value_t = 90)]
    per_instruction: usize,
    /// Do not judge again what has a verdict of this release already, judged alone.
    #[arg(long)]
    keep_verdicts: bool,
    /// The files hold whole programs, and all of them are recorded.
    #[arg(long)]
    programs: bool,
    /// Measures what optimization leaves of this number of recorded statements of each instruction.
    #[arg(long, conflicts_with_all = ["programs", "files"])]
    semantics: Option<usize>,
    /// The nvdisasm that prints machine code.
    #[arg(long, env = "NVDISASM", default_value = "nvdisasm")]
    nvdisasm: PathBuf,
    /// Seed of the sample.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Processes of ptxas at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Where to write; the file of the project if not given.
    #[arg(long)]
    output: Option<PathBuf>,
    /// Files with statements.
    #[arg(required_unless_present = "semantics")]
    files: Vec<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let ptxas = Ptxas::new(&arguments.ptxas)?;
    if arguments.programs {
        return record_programs(&arguments, &ptxas);
    }
    if let Some(count) = arguments.semantics {
        return record_semantics(&arguments, count, &ptxas);
    }
    let mut rng = Rng::with_seed(arguments.seed);
    let mut candidates: BTreeMap<(String, String), Vec<Candidate>> = BTreeMap::new();
    for path in &arguments.files {
        let family = path
            .parent()
            .and_then(|it| it.file_name())
            .map_or_else(String::new, |it| it.to_string_lossy().into());
        for it in recorded::candidates(path, &family).with_context(|| path.display().to_string())? {
            candidates
                .entry((it.case.family.clone(), it.case.instruction.clone()))
                .or_default()
                .push(it);
        }
    }
    let groups: Vec<Vec<Candidate>> = candidates
        .into_values()
        .map(|mut cases| {
            rng.shuffle(&mut cases);
            cases
        })
        .collect();
    let mut rows = in_parallel(&groups, arguments.jobs, |group| {
        sample(
            group,
            arguments.per_instruction,
            arguments.keep_verdicts,
            &ptxas,
        )
    })?;
    rows.sort_by(|a: &Recorded, b| {
        let key = |it: &Recorded| {
            let case = &it.case;
            (
                case.family.clone(),
                case.instruction.clone(),
                case.statement.clone(),
                case.version.clone(),
                case.target.clone(),
            )
        };
        key(a).cmp(&key(b))
    });
    let output = arguments.output.unwrap_or_else(recorded::file);
    recorded::write(
        &output,
        &Header {
            ptxas: ptxas.release()?,
            seed: arguments.seed,
        },
        &rows,
    )?;
    println!(
        "{} statements, {} accepted, in {}",
        rows.len(),
        rows.iter().filter(|it| it.ok).count(),
        output.display()
    );
    Ok(())
}

/// The results for all parts of the work, in no order.
fn in_parallel<T: Sync, R: Send>(
    parts: &[T],
    jobs: usize,
    work: impl Fn(&T) -> anyhow::Result<Vec<R>> + Sync,
) -> anyhow::Result<Vec<R>> {
    let results = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs)
            .map(|_| {
                scope.spawn(|| -> anyhow::Result<()> {
                    while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let some = work(part)?;
                        results.lock().expect("no worker panics").extend(some);
                    }
                    Ok(())
                })
            })
            .collect();
        workers
            .into_iter()
            .try_for_each(|it| it.join().expect("no worker panics"))
    })?;
    Ok(results.into_inner().expect("no worker panics"))
}

fn record_semantics(arguments: &Arguments, count: usize, ptxas: &Ptxas) -> anyhow::Result<()> {
    let (_, mut candidates) = recorded::read::<Recorded>(&recorded::file())?;
    candidates.retain(|it| it.ok && it.case.prelude == Prelude::Std && it.case.body.is_none());
    Rng::with_seed(arguments.seed).shuffle(&mut candidates);
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    candidates.retain(|it| {
        let taken = taken.entry(it.case.instruction.clone()).or_default();
        *taken += 1;
        *taken <= count
    });
    let mut rows = in_parallel(&candidates, arguments.jobs, |it| {
        let found = semantics::measure(ptxas, &arguments.nvdisasm, &it.case)?;
        Ok(found.into_iter().collect())
    })?;
    rows.sort_by(|a: &Optimized, b| {
        let key = |it: &Optimized| (it.case.instruction.clone(), it.case.statement.clone());
        key(a).cmp(&key(b))
    });
    let output = arguments.output.clone();
    let output = output.unwrap_or_else(recorded::semantics_file);
    let header = Header {
        ptxas: ptxas.release()?,
        seed: arguments.seed,
    };
    recorded::write(&output, &header, &rows)?;
    let (wrong, report) = semantics::report(&rows);
    println!(
        "{report}{} statements, {wrong} not as the tables say, in {}",
        rows.len(),
        output.display()
    );
    Ok(())
}

fn record_programs(arguments: &Arguments, ptxas: &Ptxas) -> anyhow::Result<()> {
    let mut candidates = Vec::new();
    for path in &arguments.files {
        // What is not UTF-8 never reaches the analysis.
        match recorded::program_candidates(path) {
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {}
            found => candidates.extend(found.with_context(|| path.display().to_string())?),
        }
    }
    let mut rows = in_parallel(&candidates, arguments.jobs, |it| program(it, ptxas))?;
    rows.sort_by(|a: &RecordedProgram, b| (&a.topic, &a.name).cmp(&(&b.topic, &b.name)));
    let output = arguments
        .output
        .clone()
        .unwrap_or_else(recorded::programs_file);
    let header = Header {
        ptxas: ptxas.release()?,
        seed: arguments.seed,
    };
    recorded::write(&output, &header, &rows)?;
    println!(
        "{} programs, {} accepted, in {}",
        rows.len(),
        rows.iter().filter(|it| it.messages.is_empty()).count(),
        output.display()
    );
    Ok(())
}

/// The verdict on a program; none if ptxas dies of it.
fn program(candidate: &ProgramCandidate, ptxas: &Ptxas) -> anyhow::Result<Vec<RecordedProgram>> {
    let architecture = candidate
        .arch
        .clone()
        .unwrap_or_else(|| Setting::from_text(&candidate.source).architecture());
    let (verdict, messages) = ptxas.messages(&architecture, &candidate.source)?;
    let judged = match verdict {
        Verdict::Accepted => true,
        Verdict::Rejected(_) => !messages.is_empty(),
        Verdict::Crashed => false,
    };
    let row = judged.then(|| RecordedProgram {
        name: candidate.name.clone(),
        topic: candidate.topic.clone(),
        source: candidate.source.clone(),
        messages,
    });
    Ok(row.into_iter().collect())
}

/// Judges the statements in order until there are enough of both sorts.
fn sample(
    candidates: &[Candidate],
    count: usize,
    keep_verdicts: bool,
    ptxas: &Ptxas,
) -> anyhow::Result<Vec<Recorded>> {
    let (mut accepted, mut rejected) = (Vec::new(), Vec::new());
    for candidate in candidates {
        if accepted.len() >= count / 2 && rejected.len() >= count / 2 {
            break;
        }
        let verdict = match candidate.ok.filter(|_| keep_verdicts) {
            Some(true) => Verdict::Accepted,
            Some(false) => Verdict::Rejected(candidate.message.clone().unwrap_or_default()),
            None => ptxas.alone(&candidate.case)?,
        };
        let (list, message) = match verdict {
            Verdict::Accepted => (&mut accepted, None),
            Verdict::Rejected(message) => (&mut rejected, Some(message)),
            Verdict::Crashed => continue,
        };
        if list.len() < count / 2 {
            list.push(Recorded {
                case: candidate.case.clone(),
                ok: message.is_none(),
                message,
            });
        }
    }
    accepted.append(&mut rejected);
    Ok(accepted)
}
