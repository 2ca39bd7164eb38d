//! The run of a launch within limits, until it ends, its time is over or somebody interrupts it.

use std::{
    io,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
use run::{Ended, Launch, Limits, Machine, Outcome, Schedule};

use super::subject::Subject;

/// Instructions of warps between two looks at the clock.
const CHUNK: u64 = 1 << 18;

/// Set when Ctrl-C asks to stop.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The limits of runs.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(in crate::cli) struct LimitArgs {
    /// Stop after so many instructions of warps.
    #[arg(long, value_name = "N", default_value_t = Limits::default().steps)]
    steps: u64,
    /// Let arrays, shared and local memory take at most so many MiB.
    #[arg(long, value_name = "MIB", default_value_t = Limits::default().memory >> 20,
        value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    memory: u64,
    /// Stop after so many seconds.
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
}

impl LimitArgs {
    /// The limits for the machine.
    pub(in crate::cli) fn limits(self) -> Limits {
        Limits {
            steps: self.steps,
            memory: self.memory << 20,
            ..Limits::default()
        }
    }

    /// The time that a run may take.
    pub(in crate::cli) fn timeout(self) -> Option<Duration> {
        self.timeout.map(Duration::from_secs)
    }
}

/// Reads `lowest`, `reverse` or `random:SEED`.
pub(in crate::cli) fn schedule(text: &str) -> Result<Schedule, String> {
    match text {
        "lowest" => Ok(Schedule::Lowest),
        "reverse" => Ok(Schedule::Reverse),
        _ => {
            let seed = text.strip_prefix("random:").and_then(|it| it.parse().ok());
            let message = "a schedule is lowest, reverse or random:SEED, where SEED is a number";
            seed.map(Schedule::Random).ok_or_else(|| message.to_owned())
        }
    }
}

/// The word of a schedule.
pub(in crate::cli) fn schedule_word(schedule: Schedule) -> String {
    match schedule {
        Schedule::Lowest => "lowest".to_owned(),
        Schedule::Reverse => "reverse".to_owned(),
        Schedule::Random(seed) => format!("random:{seed}"),
    }
}

/// Why a run was stopped from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Cut {
    /// Its time is over.
    Time,
    /// Somebody interrupted it.
    Interrupt,
}

/// A run that has ended.
pub(in crate::cli) struct Ran {
    pub(in crate::cli) outcome: Outcome,
    pub(in crate::cli) seconds: f64,
    /// The reason for which it was stopped from outside.
    pub(in crate::cli) cut: Option<Cut>,
}

impl Ran {
    /// Whether it ended before the kernel did, for reasons that are not the kernel's.
    pub(in crate::cli) fn is_stopped(&self) -> bool {
        self.cut.is_some() || matches!(self.outcome.ended, Ended::Stopped | Ended::Limit)
    }
}

/// Runs a launch; the progress of long runs is shown if standard error is a terminal.
///
/// # Errors
/// The launch cannot start, as a sentence.
pub(in crate::cli) fn execute(
    subject: &Subject,
    launch: Launch,
    timeout: Option<Duration>,
    is_shown: bool,
) -> Result<Ran, String> {
    let start = Instant::now();
    let mut machine = Machine::new(&subject.code, launch).map_err(|it| it.0)?;
    let progress = match is_shown {
        true => ProgressBar::new_spinner().with_style(style()),
        false => ProgressBar::hidden(),
    };
    let mut cut = None;
    let mut steps = 0;
    while !machine.advance(CHUNK) {
        steps += CHUNK;
        progress.set_position(steps);
        progress.tick();
        if INTERRUPTED.load(Ordering::Relaxed) {
            cut = Some(Cut::Interrupt);
        } else if timeout.is_some_and(|it| start.elapsed() >= it) {
            cut = Some(Cut::Time);
        }
        if cut.is_some() {
            break;
        }
    }
    progress.finish_and_clear();
    let mut outcome = machine.outcome();
    if let Some(wrong) = outcome.wrong_launch {
        return Err(wrong);
    }
    subject.hear_comments(&mut outcome.findings);
    Ok(Ran {
        outcome,
        seconds: start.elapsed().as_secs_f64(),
        cut,
    })
}

fn style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{spinner} {human_pos} steps of warps {elapsed}");
    style.unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// Whether somebody asked to stop.
pub(in crate::cli) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Lets the first Ctrl-C stop runs, which tell what they reached, and the second one end the program.
pub(in crate::cli) fn watch_interrupts() {
    static ONCE: Once = Once::new();
    // Whoever interrupts tests wants them to end.
    if cfg!(test) {
        return;
    }
    ONCE.call_once(|| {
        let wait = || -> io::Result<()> {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(async {
                tokio::signal::ctrl_c().await?;
                INTERRUPTED.store(true, Ordering::Relaxed);
                tokio::signal::ctrl_c().await
            })?;
            // The status of a program that a signal ends.
            std::process::exit(130)
        };
        // Without it, Ctrl-C ends the program at once.
        let _ = thread::Builder::new()
            .name("interrupts".to_owned())
            .spawn(wait);
    });
}
