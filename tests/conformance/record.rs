//! Records what ptxas says about statements, one process each.
//!
//! `cargo run -p ptx-analyzer-tests --bin conformance-record -- --ptxas PTXAS FILE…`, where a file holds
//! statements as JSON lines (`stmt`, `version`, `target`, `instruction`, and what a program needs beside)
//! and its folder is the name of the family. Statements that crash ptxas are left out.

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
    ptxas::{Ptxas, Verdict},
    recorded::{self, Candidate, Header, Recorded},
};

/// Records what ptxas says about statements.
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
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let ptxas = Ptxas::new(&arguments.ptxas)?;
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
    let rows = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..arguments.jobs)
            .map(|_| {
                scope.spawn(|| -> anyhow::Result<()> {
                    while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let sampled = sample(
                            group,
                            arguments.per_instruction,
                            arguments.keep_verdicts,
                            &ptxas,
                        )?;
                        rows.lock().expect("no worker panics").extend(sampled);
                    }
                    Ok(())
                })
            })
            .collect();
        workers
            .into_iter()
            .try_for_each(|it| it.join().expect("no worker panics"))
    })?;
    let mut rows = rows.into_inner().expect("no worker panics");
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
