//! `ptx-analyzer test`: run every launch that files describe, under several schedules.

mod collect;
mod judge;
mod junit;
mod markdown;
mod mutate;

use std::{io, path::PathBuf};

use analysis::code::Code;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use run::{Schedule, has_asynchronous_operations};
use serde_json::{Value, json};

use super::{
    FAILED, Io,
    check::STACK,
    counted, plain,
    run::{
        execute::{LimitArgs, is_interrupted, schedule, schedule_word, watch_interrupts},
        prepare,
        report::Report,
        settings::{SetArg, combinations, set_arg},
        subject::{Run, Subject},
    },
};
use collect::{Case, collect};
use judge::{Attempt, Order, attempt};
use mutate::{Mutants, mutate};

#[derive(Debug, clap::Args)]
pub(super) struct TestArgs {
    /// Files of PTX, launch files next to them, and folders that are searched for *.ptx. Every `// run:` comment is run,
    /// and for NAME.ptx every NAME.toml and NAME.*.toml. Of a page of Markdown, the blocks of PTX are run.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t)]
    format: TestFormat,
    /// Run only what has this text in its file, line and name.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// The orders in which warps run, each with asynchronous operations that land at once and that land late.
    #[arg(long, value_name = "ORDERS", value_delimiter = ',', value_parser = schedule,
        default_value = "lowest,reverse,random:1")]
    schedules: Vec<Schedule>,
    /// Delete each synchronizing instruction in turn: a test fails if it still passes without one of them.
    #[arg(long)]
    mutate: bool,
    /// Replace a scalar argument or another value of the launches that have it, such as n=8; n=1,7,64 and n=1..300 are
    /// several tests. May be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = set_arg)]
    set: Vec<SetArg>,
    #[command(flatten)]
    limits: LimitArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
enum TestFormat {
    /// A line for each test; why the others failed.
    #[default]
    Text,
    /// One JSON object per test and line.
    Json,
    /// A document of JUnit.
    Junit,
}

/// The result of a test.
struct Verdict {
    label: String,
    file: String,
    name: String,
    /// The reasons for which it fails.
    messages: Vec<String>,
    /// The sentences about them.
    text: String,
    /// The attempts as JSON.
    runs: Vec<Value>,
    mutants: Option<Survival>,
    seconds: f64,
}

/// The results of the mutants, by lines from 1.
struct Survival {
    found: usize,
    covered: usize,
    survivors: Vec<u32>,
}

impl Verdict {
    fn passes(&self) -> bool {
        self.messages.is_empty()
    }
}

pub(super) fn run(args: &TestArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let pool = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK)
        .build()
        .map_err(io::Error::other)?;
    let settings = match combinations(&args.set) {
        Ok(it) => it,
        Err(error) => {
            io.error(error)?;
            return Ok(FAILED);
        }
    };
    let (mut cases, failures) = pool.install(|| collect(&args.paths, &settings));
    if let Some(filter) = &args.filter {
        cases.retain(|it| it.label.contains(filter));
    }
    watch_interrupts();
    // It shows itself on terminals only.
    let progress = ProgressBar::new(cases.len() as u64).with_style(style());
    let color = io.color;
    let verdicts: Vec<Verdict> = pool.install(|| {
        let judged = cases.par_iter().map(|it| {
            let verdict = (!is_interrupted()).then(|| judge(it, args, color));
            progress.inc(1);
            verdict
        });
        judged.flatten().collect()
    });
    progress.finish_and_clear();
    let failed = verdicts.iter().filter(|it| !it.passes()).count();
    match args.format {
        TestFormat::Text => text(&verdicts, failed, args.mutate, io)?,
        TestFormat::Json => {
            for it in &verdicts {
                writeln!(io.stdout, "{}", record(it))?;
            }
        }
        TestFormat::Junit => io.stdout.write_all(junit::document(&verdicts).as_bytes())?,
    }
    for it in &failures {
        io.error(it)?;
    }
    if cases.is_empty() && failures.is_empty() {
        io.warning("no runs found")?;
    }
    Ok(match (failures.is_empty(), failed) {
        (false, _) => FAILED,
        (true, 0) if !is_interrupted() => 0,
        (true, _) => 1,
    })
}

fn style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{pos}/{len} tests {elapsed}");
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn text(
    verdicts: &[Verdict],
    failed: usize,
    with_mutants: bool,
    io: &mut Io<'_>,
) -> io::Result<()> {
    for it in verdicts {
        let word = if it.passes() { "passed" } else { "failed" };
        io.line(format_args!("{word} {}", it.label))?;
        // Each line of it is escaped already.
        io.stdout.write_all(it.text.as_bytes())?;
    }
    if with_mutants {
        let mutants = verdicts.iter().filter_map(|it| it.mutants.as_ref());
        let covered: usize = mutants.clone().map(|it| it.covered).sum();
        let (found, all) = mutants.fold((0, 0), |(found, all), it| {
            (found + it.found, all + it.found + it.survivors.len())
        });
        let mutants = counted(all, "mutant");
        writeln!(io.stdout, "{found} of {mutants} found")?;
        if covered > 0 {
            let fences = counted(covered, "fence");
            let text =
                "for tensor memory not needed, as all waits acquire and all arrivals release";
            writeln!(io.stdout, "{fences} {text}")?;
        }
    }
    let passed = verdicts.len() - failed;
    writeln!(io.stdout, "{passed} passed, {failed} failed")
}

fn record(it: &Verdict) -> Value {
    let mut record = json!({
        "test": it.label,
        "file": it.file,
        "name": it.name,
        "passed": it.passes(),
        "seconds": it.seconds,
        "messages": it.messages,
        "runs": it.runs,
    });
    if let Some(mutants) = &it.mutants {
        record["mutants"] = json!({
            "found": mutants.found,
            "covered": mutants.covered,
            "survivors": mutants.survivors,
        });
    }
    record
}

/// Runs a test in all orders.
fn judge(case: &Case, args: &TestArgs, color: bool) -> Verdict {
    let mut verdict = Verdict {
        label: case.label.clone(),
        file: case.file.clone(),
        name: case.name.clone(),
        messages: Vec::new(),
        text: String::new(),
        runs: Vec::new(),
        mutants: None,
        seconds: 0.0,
    };
    let prepared = match &case.run {
        Ok((subject, run)) => prepare(subject, run, args.limits).map(|it| (subject, run, it)),
        Err(error) => Err(error.clone()),
    };
    let (subject, run, prepared) = match prepared {
        Ok(it) => it,
        Err(error) => {
            verdict.text += &format!("{}\n", plain(&error));
            verdict.messages.push(error);
            return verdict;
        }
    };
    let orders = orders(&subject.code, &args.schedules);
    let mut steps = 0;
    for order in &orders {
        match attempt(subject, run, &prepared, *order, args.limits.timeout()) {
            Ok(attempt) => {
                steps = steps.max(attempt.ran.outcome.steps);
                verdict.add(subject, run, &attempt, color);
            }
            Err(error) => {
                verdict.text += &format!("{}\n", plain(&error));
                verdict.messages.push(error);
                return verdict;
            }
        }
    }
    if args.mutate && verdict.passes() {
        let Mutants {
            found,
            covered,
            survivors,
        } = mutate(subject, run, &prepared, &orders, steps);
        let lines = survivors.iter().map(|it| {
            let line = subject.line(it.start().into());
            let statement = plain(&subject.document.text()[*it]);
            let message = format!("{}:{line}: passes without `{statement}`", subject.name);
            verdict.text += &format!("{}\n", plain(&message));
            verdict.messages.push(message);
            line
        });
        let survivors = lines.collect();
        verdict.mutants = Some(Survival {
            found,
            covered,
            survivors,
        });
    }
    verdict
}

impl Verdict {
    fn add(&mut self, subject: &Subject, run: &Run, attempt: &Attempt, color: bool) {
        self.seconds += attempt.ran.seconds;
        let report = Report {
            subject,
            name: &run.name,
            entry: &subject.code.functions[run.entry as usize].name,
            ran: &attempt.ran,
            judgements: &attempt.judgements,
        };
        let mut record = json!(report.record());
        record["schedule"] = schedule_word(attempt.order.schedule).into();
        record["late"] = attempt.order.late.into();
        self.runs.push(record);
        if let Some(failure) = &attempt.failure {
            let message = format!("{}: {failure}", attempt.order.word());
            // The first failure is told in full; the others are mostly the same.
            if self.messages.is_empty() {
                self.text += &report.text(color);
            }
            self.text += &format!("{}\n", plain(&message));
            self.messages.push(message);
        }
    }
}

/// The orders to run in: those in which operations land late only where there are any.
fn orders(code: &Code, schedules: &[Schedule]) -> Vec<Order> {
    let late: &[bool] = match has_asynchronous_operations(code) {
        true => &[false, true],
        false => &[false],
    };
    let orders = schedules.iter().flat_map(|schedule| {
        late.iter().map(|late| Order {
            schedule: *schedule,
            late: *late,
        })
    });
    orders.collect()
}
