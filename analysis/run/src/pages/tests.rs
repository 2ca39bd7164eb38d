//! The examples on the pages of findings: the wrong ones show them, the right ones show nothing.

use std::{fs, path::Path, sync::Arc};

use analysis::{AnalysisHost, Change, FileContents, FileId};

use crate::{
    FindingCode, Limits, Machine, Schedule,
    description::{Description, comments},
};

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

/// The findings of the runs that an example describes; how many these are.
fn findings(example: &str, schedule: Schedule, late: bool) -> (usize, Vec<FindingCode>) {
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FileId(1), Some(Arc::new(FileContents::new(example))))],
        config: None,
    });
    let code = host.analysis().code(FileId(1)).unwrap();
    let mut found = Vec::new();
    let runs = comments(example);
    for comment in &runs {
        let value = comment.value.as_ref().unwrap();
        let description = Description::read(value).unwrap();
        let entry = description.entry_of(&code).unwrap();
        let files = |_: &str| Err("there are no files".to_owned());
        let limits = Limits {
            steps: 1 << 22,
            ..Limits::default()
        };
        let prepared = description.prepare(&code, entry, limits, &files).unwrap();
        let mut launch = prepared.launch;
        launch.schedule = schedule;
        launch.late = late;
        let mut machine = Machine::new(&code, launch).unwrap();
        machine.advance(u64::MAX);
        let outcome = machine.outcome();
        assert!(outcome.not_run.is_empty(), "{:?}", outcome.not_run);
        found.extend(outcome.findings.iter().map(|it| it.code));
    }
    (runs.len(), found)
}

#[test]
fn examples_of_the_pages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/diagnostics");
    let orders = [
        (Schedule::Lowest, false),
        (Schedule::Reverse, true),
        (Schedule::Random(1), false),
    ];
    let mut wrong = Vec::new();
    for code in FindingCode::ALL {
        let page = fs::read_to_string(folder.join(format!("{}.md", code.word())));
        let page = page.unwrap_or_else(|_| panic!("{} has no page", code.word()));
        for example in examples(&page, "Wrong") {
            for (schedule, late) in orders {
                let (runs, found) = findings(&example, schedule, late);
                if runs > 0 && !found.contains(code) {
                    wrong.push(format!("{} {schedule:?}: {found:?}", code.word()));
                }
            }
        }
        for example in examples(&page, "Right") {
            for (schedule, late) in orders {
                let (_, found) = findings(&example, schedule, late);
                if !found.is_empty() {
                    wrong.push(format!("right {} {schedule:?}: {found:?}", code.word()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
