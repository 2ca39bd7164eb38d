//! Kernels on the machine: right ones give what numpy says and are without a finding, broken ones show theirs.
//!
//! `kernels` has a launch file for each right kernel, next to its PTX and its arrays; `kernels/make` makes them.
//! In `kernels/broken`, a `// run:` comment describes the launch. A comment `// ^ CODE` says that the statement above
//! has a finding with this code, `// ~ CODE` that it may have one, as the other place of it. The right twin of such a
//! kernel is without the lines that end with `// wrong`, and has the text of the comments `// right: TEXT`.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path, sync::Arc};

use analysis::{AnalysisHost, Change, FileContents, FileId, Severity, code::Code};
use ptx_tests::workspace::top;
use run::{
    Ended, Limits, Machine, Outcome, Schedule,
    description::{Description, Prepared, Value, comments},
};

const FILE: FileId = FileId(0);
/// The ways in which each kernel runs: the schedule, and whether asynchronous operations are late.
const WAYS: [(Schedule, bool); 6] = [
    (Schedule::Lowest, false),
    (Schedule::Reverse, false),
    (Schedule::Random(1), false),
    (Schedule::Random(2), false),
    (Schedule::Lowest, true),
    (Schedule::Random(3), true),
];

/// The code of a text, which must be without errors.
fn code(text: &str) -> Result<Code, String> {
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FILE, Some(Arc::new(FileContents::new(text))))],
        config: None,
    });
    let analysis = host.analysis();
    let diagnostics = analysis.diagnostics(FILE).expect("nobody cancels");
    let mut errors = diagnostics
        .iter()
        .filter(|it| it.severity == Severity::Error);
    match errors.next() {
        Some(error) => Err(format!("error: {}", error.message)),
        None => Ok(analysis.code(FILE).expect("nobody cancels")),
    }
}

/// The launch that a description means.
fn prepare(code: &Code, value: &Value, folder: &Path) -> Result<Prepared, String> {
    let message = |it: run::description::Problem| format!("launch: {}", it.message);
    let description = Description::read(value).map_err(message)?;
    let entry = description.entry_of(code).map_err(message)?;
    let limits = Limits {
        steps: 20_000_000,
        ..Limits::default()
    };
    let read = |name: &str| fs::read(folder.join(name)).map_err(|error| error.to_string());
    description
        .prepare(code, entry, limits, &read)
        .map_err(message)
}

fn run(code: &Code, prepared: &Prepared, (schedule, late): (Schedule, bool)) -> Outcome {
    let mut launch = prepared.launch.clone();
    (launch.schedule, launch.late) = (schedule, late);
    let mut machine = Machine::new(code, launch).expect("a launch that can start");
    machine.advance(u64::MAX);
    machine.outcome()
}

/// The line of an offset, from 1.
fn line_of(text: &str, offset: u32) -> usize {
    text[..offset as usize].matches('\n').count() + 1
}

/// The problems of the run of a right kernel.
fn faults(text: &str, prepared: &Prepared, outcome: &Outcome) -> String {
    let mut out = String::new();
    if outcome.ended != Ended::Finished {
        let _ = write!(out, " {:?}", outcome.ended);
    }
    for it in &outcome.not_run {
        let line = line_of(text, it.range.start().into());
        let _ = write!(out, " not run: {line}: {}", it.what);
    }
    if let Some(it) = &outcome.wrong_launch {
        let _ = write!(out, " wrong launch: {it}");
    }
    for it in outcome.findings.iter().take(4) {
        let line = line_of(text, it.range.start().into());
        let (code, message) = (it.code.word(), &it.message);
        let _ = write!(out, "\n    {code} {line} {message} (lanes {:?})", it.lanes);
    }
    for it in prepared.judge(outcome).iter().filter(|it| !it.holds()) {
        let _ = write!(
            out,
            "\n    {}: {} of {} differ, the first: {:?}",
            it.name, it.different, it.of, it.first
        );
    }
    out
}

/// Runs a launch in all ways; its problems.
fn all_ways(name: &str, text: &str, value: &Value, folder: &Path) -> Result<(), String> {
    let fail = |it: String| format!("{name}: {it}");
    let code = code(text).map_err(fail)?;
    let prepared = prepare(&code, value, folder).map_err(fail)?;
    for way in WAYS {
        let outcome = run(&code, &prepared, way);
        let faults = faults(text, &prepared, &outcome);
        if !faults.is_empty() {
            return Err(format!("{name} {way:?}:{faults}"));
        }
    }
    Ok(())
}

/// The files with an extension in a folder, by name; those that `KERNELS` names if it is set.
fn files(folder: &Path, extension: &str) -> Vec<(String, String)> {
    let chosen = std::env::var("KERNELS").unwrap_or_default();
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of kernels") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.extension().is_some_and(|it| it == extension) && name.contains(&chosen) {
            found.push((name, fs::read_to_string(&path).expect("a text")));
        }
    }
    found.sort();
    found
}

#[track_caller]
fn all_hold(results: Vec<Result<(), String>>, least: usize) {
    let count = results.len();
    let wrong: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(
        wrong.is_empty(),
        "{} of {count} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(
        count >= least || std::env::var("KERNELS").is_ok(),
        "{count} kernels"
    );
}

#[test]
fn right_kernels_give_what_numpy_says() {
    let folder = top().join("tests/kernels");
    let results = files(&folder, "toml").into_iter().map(|(name, launch)| {
        let text = fs::read_to_string(folder.join(format!("{name}.ptx")));
        let text = text.map_err(|error| format!("{name}: {error}"))?;
        let value = Value::parse(&launch).map_err(|it| format!("{name}: {}", it.message))?;
        all_ways(&name, &text, &value, &folder)
    });
    all_hold(results.collect(), 90);
}

/// The lines that markers name, with their codes.
fn marked(text: &str, marker: &str) -> BTreeSet<(usize, String)> {
    let mut found = BTreeSet::new();
    let mut statement = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let comment = line.trim_start().strip_prefix("//");
        match comment.map(str::trim_start) {
            None => statement = number,
            Some(it) => {
                if let Some(code) = it.strip_prefix(marker) {
                    found.insert((statement, code.trim().to_owned()));
                }
            }
        }
    }
    found
}

/// The right twin of a broken kernel. Lines stay where they are.
fn twin(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let kept = match line.trim_start().strip_prefix("// right: ") {
            Some(right) => right,
            None if line.ends_with("// wrong") => "",
            None => line,
        };
        out += kept;
        out.push('\n');
    }
    out
}

fn value_of(text: &str) -> Result<Value, String> {
    let comment = comments(text).into_iter().next().ok_or("no `// run:`")?;
    comment.value.map_err(|it| it.message)
}

fn broken(name: &str, text: &str, folder: &Path) -> Result<(), String> {
    let fail = |it: String| format!("{name}: {it}");
    let code = code(text).map_err(fail)?;
    let prepared = prepare(&code, &value_of(text).map_err(fail)?, folder).map_err(fail)?;
    let mut found = BTreeSet::new();
    for way in WAYS {
        let outcome = run(&code, &prepared, way);
        if let Some(it) = outcome.not_run.first() {
            let line = line_of(text, it.range.start().into());
            return Err(format!("{name}: not run: {line}: {}", it.what));
        }
        found.extend(outcome.findings.iter().map(|it| {
            let line = line_of(text, it.range.start().into());
            (line, it.code.word().to_owned())
        }));
    }
    let must = marked(text, "^");
    let may = marked(text, "~");
    if must.is_empty() {
        return Err(format!("{name}: no marker"));
    }
    let missed: Vec<_> = must.difference(&found).collect();
    let more: Vec<_> = found
        .iter()
        .filter(|it| !must.contains(it) && !may.contains(it))
        .collect();
    match missed.is_empty() && more.is_empty() {
        true => Ok(()),
        false => Err(format!("{name}: missed {missed:?}, too many {more:?}")),
    }
}

#[test]
fn broken_kernels_show_what_is_wrong() {
    let folder = top().join("tests/kernels/broken");
    let all = files(&folder, "ptx").into_iter();
    let results = all.map(|(name, text)| broken(&name, &text, &folder));
    all_hold(results.collect(), 100);
}

#[test]
fn right_twins_are_without_a_finding() {
    let folder = top().join("tests/kernels/broken");
    let all = files(&folder, "ptx").into_iter();
    let results = all.map(|(name, text)| {
        let right = twin(&text);
        if right.trim() == text.trim() {
            return Err(format!("{name}: has no right twin"));
        }
        let value = value_of(&right).map_err(|it| format!("{name}: {it}"))?;
        all_ways(&name, &right, &value, &folder)
    });
    all_hold(results.collect(), 100);
}
