//! Edits files at random for a long time with all features asked for: the server may not fail, its
//! memory may not grow, and at checkpoints it answers as one that never saw another text.
//!
//! `tests/property/soak` starts this program.

#![expect(clippy::print_stdout, reason = "a report is what this program is for")]

use std::{
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use clap::Parser;
use fastrand::Rng;
use ptx_tests::{
    binary,
    client::TestServer,
    fixtures::{self, Fixture},
    generate, process,
    session::{self, Session},
};

/// Steps between two comparisons with a fresh server.
const STEPS: usize = 40;
/// Most comparisons of one text before it is closed.
const COMPARISONS: usize = 4;
/// Longer files are not edited: each comparison asks everything about the whole text.
const LONGEST: usize = 2 << 20;
/// By what the memory in the last quarter of the sessions may exceed that in the first half, where it is highest:
/// a factor, and bytes. In ten minutes and 479 sessions it went from 154 to 188 MB, since what threads keep for
/// later memory fills up slowly; over 40 minutes and 72 files it fell from 176 to 160 MB.
const GROWTH: (f64, f64) = (1.25, 24e6);
/// With fewer sessions the server still warms up.
const SESSIONS: usize = 40;
/// How often a line is printed.
const REPORT: Duration = Duration::from_secs(60);

/// Edits PTX at random and compares the answers with those of fresh servers.
#[derive(Parser)]
struct Arguments {
    /// How long.
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,
    /// Seed of the first session.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The server to try; a debug build of this project if there is none.
    #[arg(long)]
    server: Option<PathBuf>,
    /// Where to write what the server took after each session: seconds since the start and bytes.
    #[arg(long)]
    curve: Option<PathBuf>,
    /// Files to edit, or folders of them; the fixtures and generated modules if there are none.
    files: Vec<PathBuf>,
}

/// The work done.
#[derive(Default)]
struct Counts {
    sessions: u64,
    edits: u64,
    questions: u64,
    comparisons: u64,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let files = files(&arguments.files)?;
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("log");
    let program = arguments.server.unwrap_or_else(|| binary::build("dev"));
    let log_name = log.to_str().context("a temporary folder in UTF-8")?;
    let options = ["lsp", "--log-level", "error", "--log-file", log_name];
    let mut server = TestServer::spawn(&program, &options);
    server.expect_problems_in_log();
    session::initialize(&mut server);

    println!(
        "{} files, {} minutes, from seed {}",
        files.len(),
        arguments.minutes,
        arguments.seed
    );
    let limit = Duration::from_secs_f64(arguments.minutes * 60.0);
    let start = Instant::now();
    let mut counts = Counts::default();
    let mut memory: Vec<(Duration, f64)> = Vec::new();
    let mut reported = Instant::now();
    while start.elapsed() < limit {
        let seed = arguments.seed + counts.sessions;
        let mut rng = Rng::with_seed(seed);
        if let Err(difference) = one_session(&mut rng, &mut server, &files, &mut counts) {
            println!("seed {seed}: {difference}");
            return Ok(ExitCode::FAILURE);
        }
        counts.sessions += 1;
        // Everything is closed now, so the rest stays forever.
        memory.extend(
            server
                .process()
                .and_then(process::resident)
                .map(|it| (start.elapsed(), it)),
        );
        if reported.elapsed() >= REPORT {
            reported = Instant::now();
            report(start, &counts, memory.last());
        }
    }
    report(start, &counts, memory.last());
    drop(server);
    if let Some(path) = arguments.curve {
        let line = |it: &(Duration, f64)| format!("{:.1} {}\n", it.0.as_secs_f64(), it.1);
        std::fs::write(path, memory.iter().map(line).collect::<String>())?;
    }
    let problems = std::fs::read_to_string(&log)?;
    if !problems.is_empty() {
        println!("the server has logged problems:\n{problems}");
        return Ok(ExitCode::FAILURE);
    }
    Ok(match is_flat(&memory) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

fn report(start: Instant, counts: &Counts, memory: Option<&(Duration, f64)>) {
    println!(
        "{:6.1} min: {} sessions, {} edits, {} questions, {} comparisons, {:.0} MB",
        start.elapsed().as_secs_f64() / 60.0,
        counts.sessions,
        counts.edits,
        counts.questions,
        counts.comparisons,
        memory.map_or(f64::NAN, |it| it.1 / 1e6),
    );
}

fn files(paths: &[PathBuf]) -> anyhow::Result<Vec<Fixture>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(fixtures::files_below(path, "ptx"));
        } else {
            let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
            files.push(Fixture {
                name: path.display().to_string(),
                text: String::from_utf8_lossy(&bytes).into_owned(),
            });
        }
    }
    if paths.is_empty() {
        files.extend(fixtures::ptx());
        for len in [1, 20_000, 80_000, 300_000] {
            files.push(Fixture {
                name: format!("generated, {len} bytes"),
                text: generate::module(len),
            });
        }
    }
    files.retain(|it| it.text.len() <= LONGEST);
    anyhow::ensure!(!files.is_empty(), "there are no files of a fitting size");
    Ok(files)
}

/// Opens two documents, edits them, asks, and compares; closes them.
fn one_session(
    rng: &mut Rng,
    server: &mut TestServer,
    files: &[Fixture],
    counts: &mut Counts,
) -> Result<(), String> {
    let mut open = |name: &str, server: &mut TestServer| {
        let fixture = rng.choice(files).ok_or("there are no files")?;
        let uri = format!("file:///ptx-analyzer-tests/{name}.ptx");
        Ok::<_, String>((Session::open(server, &uri, &fixture.text), &fixture.name))
    };
    let (mut first, name) = open("first", server)?;
    let (mut second, _) = open("second", server)?;
    for _ in 0..rng.usize(1..=COMPARISONS) {
        let mut asked = Vec::new();
        for _ in 0..rng.usize(1..=STEPS) {
            let session = if rng.u8(..4) == 0 {
                &mut second
            } else {
                &mut first
            };
            for _ in 0..rng.usize(1..=3) {
                session.edit(rng, server);
                counts.edits += 1;
            }
            for _ in 0..rng.usize(..=3) {
                asked.push(session.ask(rng, server));
                counts.questions += 1;
            }
            if rng.u8(..8) == 0 {
                Session::settle(server, std::mem::take(&mut asked))?;
            }
        }
        Session::settle(server, asked)?;
        // What other documents declare may be seen in this one, so it is alone then.
        let (uri, text) = second.into_parts();
        server.close(&uri);
        let compared = first.compare_with_fresh(rng, server);
        compared.map_err(|it| format!("{name}: {it}\nof\n{}", first.text()))?;
        counts.comparisons += 1;
        second = Session::open(server, &uri, &text);
    }
    second.close(server);
    let (uri, _) = first.into_parts();
    server.close(&uri);
    // The diagnostics are taken back last, so that none of them are taken for the next session's.
    server.diagnostics(&uri);
    server.forget_notifications();
    Ok(())
}

/// Prints the curve and says whether it is flat. There is a value for each session: a busy machine has few of them
/// in a minute, and what the server keeps depends on what it has done.
fn is_flat(memory: &[(Duration, f64)]) -> bool {
    if memory.is_empty() {
        println!("the system does not tell how much memory the server has");
        return true;
    }
    println!("memory of the server with everything closed:");
    // Of a part of the sessions; single ones are high for a while after a large text.
    let part = |from: f64, to: f64| {
        let index = |share: f64| (share * memory.len() as f64) as usize;
        let part = &memory[index(from)..index(to)];
        let mut bytes: Vec<f64> = part.iter().map(|it| it.1).collect();
        bytes.sort_by(f64::total_cmp);
        let median = bytes.get(bytes.len() / 2).copied().unwrap_or_default();
        let most = bytes.last().copied().unwrap_or_default();
        (part.last().map(|it| it.0), median, most)
    };
    let mut before: f64 = 0.0;
    for tenth in 1..=10 {
        let (end, median, most) = part(f64::from(tenth - 1) / 10.0, f64::from(tenth) / 10.0);
        if tenth <= 5 {
            before = before.max(median);
        }
        if let Some(end) = end {
            println!(
                "{:6.1} min: median {:6.1} MB, most {:6.1} MB",
                end.as_secs_f64() / 60.0,
                median / 1e6,
                most / 1e6
            );
        }
    }
    if memory.len() < SESSIONS {
        println!("{} sessions are too few to say more", memory.len());
        return true;
    }
    let flat = part(0.75, 1.0).1 <= before * GROWTH.0 + GROWTH.1;
    println!("it is {}", if flat { "flat" } else { "GROWING" });
    flat
}
