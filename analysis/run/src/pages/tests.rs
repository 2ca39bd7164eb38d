//! Examples of the documentation on the machine: right ones show nothing, wrong ones show their findings.

use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

use analysis::{AnalysisHost, Change, FileContents, FileId};
use expect_test::expect;
use isa::documentation::{self, Topic};

use crate::{
    Ended, FindingCode, Limits, Machine, Schedule,
    description::{Description, comments},
};

/// The schedules in which each example runs, with asynchronous operations at once and late.
const SCHEDULES: [Schedule; 5] = [
    Schedule::Lowest,
    Schedule::Reverse,
    Schedule::Random(1),
    Schedule::Random(2),
    Schedule::Random(3),
];

/// The examples below a heading of a page.
fn examples(page: &str, heading: &str) -> Vec<String> {
    let section = page.split_once(&format!("\n## {heading}\n"));
    let section = section.map_or("", |it| it.1.split("\n## ").next().unwrap_or_default());
    let examples = section.split("```ptx\n").skip(1);
    examples
        .filter_map(|it| it.split("```").next())
        .map(str::to_owned)
        .collect()
}

/// The findings and problems of the runs that an example describes.
#[derive(Debug, Default)]
struct Shown {
    /// How many runs it describes.
    runs: usize,
    /// The findings that it says it has.
    announced: BTreeSet<FindingCode>,
    /// The findings of each schedule.
    found: Vec<BTreeSet<FindingCode>>,
    /// Other problems: how a run ended, expectations that fail.
    problems: BTreeSet<String>,
    /// The instructions that are not run yet.
    not_run: BTreeSet<String>,
}

fn show(example: &str) -> Shown {
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FileId(1), Some(Arc::new(FileContents::new(example))))],
        config: None,
    });
    let code = host.analysis().code(FileId(1)).unwrap();
    let mut shown = Shown::default();
    for comment in comments(example) {
        shown.runs += 1;
        let value = comment.value.expect("a description of a run");
        let description = Description::read(&value).unwrap();
        shown.announced.extend(&description.finds);
        let entry = description.entry_of(&code).unwrap();
        let files = |_: &str| Err("there are no files".to_owned());
        let limits = Limits {
            steps: 1 << 22,
            ..Limits::default()
        };
        let prepared = description.prepare(&code, entry, limits, &files).unwrap();
        let ways = SCHEDULES.iter().flat_map(|it| [(*it, false), (*it, true)]);
        for (schedule, late) in ways {
            let mut launch = prepared.launch.clone();
            (launch.schedule, launch.late) = (schedule, late);
            let mut machine = Machine::new(&code, launch).unwrap();
            machine.advance(u64::MAX);
            let outcome = machine.outcome();
            let found = outcome.findings.iter().map(|it| it.code);
            shown.found.push(found.collect());
            let not_run = outcome.not_run.iter().map(|it| it.what.clone());
            shown.not_run.extend(not_run);
            if outcome.ended != Ended::Finished && outcome.ended != Ended::Stopped {
                shown.problems.insert(format!("{:?}", outcome.ended));
            }
            if outcome.ended == Ended::Finished {
                let judgements = prepared.judge(&outcome);
                let failed = judgements.iter().filter(|it| !it.holds());
                shown.problems.extend(failed.map(|it| it.name.clone()));
            }
        }
    }
    shown
}

/// The problem of a right example.
fn right(name: &str, example: &str, not_run: &mut BTreeSet<String>) -> Option<String> {
    let shown = show(example);
    not_run.extend(shown.not_run.iter().map(|it| format!("{name}: {it}")));
    let is_clean = shown.found.iter().all(BTreeSet::is_empty) && shown.problems.is_empty();
    (shown.runs == 0 || !is_clean).then(|| format!("right {name}: {shown:?}"))
}

/// The problem of a wrong example: it must show a finding in each schedule, or what it announces in one.
fn wrong(
    name: &str,
    finding: Option<FindingCode>,
    example: &str,
    not_run: &mut BTreeSet<String>,
) -> Option<String> {
    let shown = show(example);
    if !shown.not_run.is_empty() {
        not_run.extend(shown.not_run.iter().map(|it| format!("{name}: {it}")));
        return None;
    }
    let all: BTreeSet<FindingCode> = shown.found.iter().flatten().copied().collect();
    let is_shown = match finding {
        Some(it) => shown.runs > 0 && shown.found.iter().all(|found| found.contains(&it)),
        None => !shown.announced.is_empty() && shown.announced.is_subset(&all),
    };
    (!is_shown).then(|| format!("wrong {name}: {shown:?}"))
}

#[test]
fn idioms_run() {
    let mut not_run = BTreeSet::new();
    let mut problems = Vec::new();
    for entry in documentation::entries(Topic::Idioms) {
        for example in &entry.examples {
            problems.extend(right(&entry.words.join(" "), example.text, &mut not_run));
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
    expect![""].assert_eq(&lines(not_run));
}

fn lines(all: BTreeSet<String>) -> String {
    all.into_iter().map(|it| it + "\n").collect()
}

/// A page of a finding of runs shows it in both examples; one of a protocol does, or says why not.
#[test]
fn examples_of_the_pages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/diagnostics");
    let mut not_run = BTreeSet::new();
    let mut problems = Vec::new();
    for code in analysis::DIAGNOSTIC_CODES {
        let mut findings = FindingCode::ALL.iter();
        let finding = findings.find(|it| it.word() == code.name).copied();
        if finding.is_none() && !code.is_of_protocols() {
            continue;
        }
        let page = fs::read_to_string(folder.join(format!("{}.md", code.name)));
        let page = page.unwrap_or_else(|_| panic!("{} has no page", code.name));
        let has_reason = page.contains("\nA run does not show it: ");
        let has_run = |it: &str| it.contains("\n// run:");
        for example in examples(&page, "Wrong") {
            if has_run(&example) || !(finding.is_some() || has_reason) {
                problems.extend(wrong(code.name, finding, &example, &mut not_run));
            }
        }
        for example in examples(&page, "Right") {
            if has_run(&example) || !(finding.is_some() || has_reason) {
                problems.extend(right(code.name, &example, &mut not_run));
            }
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
    expect![[""]].assert_eq(&lines(not_run));
}
