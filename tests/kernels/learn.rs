//! The kernels of the course in `analysis/docs/learn`: each is silent under the checker and runs as its page says.
//!
//! Every module on a page, which is a block of PTX with a `.version`, has no diagnostic, and each of its `// run:`
//! comments holds under several schedules, with asynchronous operations at once and late. Under `## Exercises`, a
//! module outside `<details>` is unfinished and must fail; its solution inside must not.
//! Under `## Bug gallery`, a heading says which line of the last module is deleted, ``### Without the second `LINE` ``,
//! or replaced, ``### `NEW` instead of `LINE` ``, and the lines of the text below it are messages of the checker or of
//! runs of the result. Arrays are in `analysis/docs/learn/data`, made by the script on the page `gemm.md`.

use std::{collections::BTreeSet, fs, path::PathBuf, sync::Arc};

use analysis::{AnalysisHost, Change, FileContents, FileId, code::Code};
use ptx_tests::workspace::top;
use run::{
    Ended, Limits, Machine, Outcome, Schedule,
    description::{Description, Judgement, comments},
};

const FILE: FileId = FileId(0);
const SCHEDULES: [Schedule; 3] = [Schedule::Lowest, Schedule::Reverse, Schedule::Random(1)];
/// Pages with kernels that use instructions that the machine does not run yet. A page that runs must leave the list.
const NOT_RUN: [&str; 0] = [];
/// Modules that the pages have at least, so that the test cannot pass on an empty folder.
const LEAST_MODULES: usize = 70;
/// Lints about speed.
const SLOW: [&str; 2] = ["[bank-conflict]", "[uncoalesced-access]"];

/// A block of code on a page.
struct Example {
    page: String,
    /// The line of its fence, from 1.
    line: usize,
    language: String,
    text: String,
    is_exercise: bool,
    is_solution: bool,
    /// The heading of third level in the bug gallery.
    bug: Option<String>,
}

impl Example {
    fn is_module(&self) -> bool {
        self.language == "ptx" && self.text.contains(".version")
    }

    fn is_unfinished(&self) -> bool {
        self.is_exercise && !self.is_solution
    }

    fn place(&self) -> String {
        format!("{}:{}", self.page, self.line)
    }
}

fn examples_of(page: &str, text: &str) -> Vec<Example> {
    let (mut section, mut heading, mut is_folded) = ("", "", false);
    let mut examples = Vec::new();
    let mut lines = (1..).zip(text.lines());
    while let Some((line, text)) = lines.next() {
        if let Some(title) = text.strip_prefix("## ") {
            (section, heading) = (title, "");
        } else if let Some(title) = text.strip_prefix("### ") {
            heading = title;
        } else if text.starts_with("<details") {
            is_folded = true;
        } else if text.starts_with("</details") {
            is_folded = false;
        } else if let Some(language) = text.strip_prefix("```") {
            let body = lines.by_ref().take_while(|it| it.1 != "```");
            let body: String = body.map(|it| format!("{}\n", it.1)).collect();
            examples.push(Example {
                page: page.to_owned(),
                line,
                language: language.to_owned(),
                text: body,
                is_exercise: section == "Exercises",
                is_solution: is_folded,
                bug: (section == "Bug gallery").then(|| heading.to_owned()),
            });
        }
    }
    examples
}

fn pages() -> Vec<(String, Vec<Example>)> {
    let folder: PathBuf = top().join("analysis/docs/learn");
    let mut pages = Vec::new();
    for file in fs::read_dir(folder).expect("the pages") {
        let path = file.expect("a page").path();
        if path.extension().is_none_or(|it| it != "md") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(&path).expect("a text");
        pages.push((name.to_string(), examples_of(&name, &text)));
    }
    pages.sort_by(|a, b| a.0.cmp(&b.0));
    pages
}

/// The diagnostics of a text, and its code.
fn checked(text: &str) -> (Vec<String>, Code) {
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FILE, Some(Arc::new(FileContents::new(text))))],
        config: None,
    });
    let analysis = host.analysis();
    let diagnostics = analysis.diagnostics(FILE).expect("nothing is cancelled");
    let code = analysis.code(FILE).expect("nothing is cancelled");
    let messages = diagnostics.iter().map(|it| shown(it.code, &it.message));
    (messages.collect(), code)
}

/// Runs a text as its comments say and collects messages, until they are enough.
/// No message means that everything is as the comments expect.
fn collect_messages(
    text: &str,
    code: &Code,
    messages: &mut BTreeSet<String>,
    are_enough: &dyn Fn(&BTreeSet<String>) -> bool,
) -> Result<(), String> {
    let folder = top().join("analysis/docs/learn");
    let files = |name: &str| fs::read(folder.join(name)).map_err(|it| it.to_string());
    let limits = Limits {
        steps: 3_000_000,
        ..Limits::default()
    };
    for comment in comments(text) {
        let value = comment.value.map_err(|it| it.message)?;
        let description = Description::read(&value).map_err(|it| it.message)?;
        let wanted: BTreeSet<_> = description.finds.iter().map(|it| it.word()).collect();
        let mut codes = BTreeSet::new();
        let entry = description.entry_of(code).map_err(|it| it.message)?;
        let prepared = description.prepare(code, entry, limits, &files);
        let prepared = prepared.map_err(|it| it.message)?;
        let ways = SCHEDULES
            .into_iter()
            .flat_map(|it| [(it, false), (it, true)]);
        for (schedule, late) in ways {
            if are_enough(messages) {
                return Ok(());
            }
            let mut launch = prepared.launch.clone();
            (launch.schedule, launch.late) = (schedule, late);
            let mut machine = Machine::new(code, launch).map_err(|it| format!("{it:?}"))?;
            machine.advance(u64::MAX);
            let outcome = machine.outcome();
            for it in &outcome.findings {
                codes.insert(it.code.word());
                if !wanted.contains(it.code.word()) {
                    messages.insert(shown(it.code.word(), &it.message));
                }
            }
            if wanted.is_empty() {
                messages.extend(ends(&outcome));
                let judgements = prepared.judge(&outcome);
                messages.extend(judgements.iter().filter(|it| !it.holds()).map(difference));
            }
        }
        for missing in wanted.difference(&codes) {
            messages.insert(format!("{missing} is not found"));
        }
    }
    Ok(())
}

/// The beginning of the line that the program prints for an array that is not as expected.
fn difference(it: &Judgement) -> String {
    let plural = if it.of == 1 { "" } else { "s" };
    format!(
        "{}: {} of {} element{plural} differ",
        it.name, it.different, it.of
    )
}

/// A finding as the program prints it, without its severity and the threads.
fn shown(code: &str, message: &str) -> String {
    format!("[{code}]: {message}")
}

fn ends(outcome: &Outcome) -> Vec<String> {
    let mut ends = Vec::new();
    if outcome.ended != Ended::Finished {
        ends.push(format!("{:?}", outcome.ended).to_lowercase());
    }
    ends.extend(
        outcome
            .not_run
            .iter()
            .map(|it| format!("not run yet: {}", it.what)),
    );
    ends.extend(outcome.wrong_launch.clone());
    ends
}

#[test]
fn kernels_are_silent_and_run() {
    let (mut wrong, mut count, mut not_run) = (Vec::new(), 0, BTreeSet::new());
    for example in pages()
        .into_iter()
        .flat_map(|it| it.1)
        .filter(Example::is_module)
    {
        count += 1;
        let place = example.place();
        let (diagnostics, code) = checked(&example.text);
        let mut found = BTreeSet::new();
        let result = collect_messages(&example.text, &code, &mut found, &|_| false);
        found.extend(result.err());
        if example.is_unfinished() {
            if diagnostics.is_empty() && found.is_empty() {
                wrong.push(format!("{place}: the unfinished kernel passes"));
            }
            continue;
        }
        // A broken example may also be broken for the checker.
        if !example.text.contains("finds=[") {
            // Early steps of a product are slow, and later ones say what is better.
            let is_slow = |it: &&String| SLOW.iter().any(|code| it.starts_with(code));
            let diagnostics = diagnostics.iter().filter(|it| !is_slow(it));
            wrong.extend(diagnostics.map(|it| format!("{place}: {it}")));
        }
        let stopped = found.iter().any(|it| it.starts_with("not run yet"));
        if stopped && NOT_RUN.contains(&&*example.page) {
            not_run.insert(example.page);
            continue;
        }
        wrong.extend(found.iter().map(|it| format!("{place}: {it}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count >= LEAST_MODULES, "{count} modules");
    let listed: BTreeSet<_> = NOT_RUN.iter().map(|it| String::from(*it)).collect();
    assert_eq!(not_run, listed, "pages that are not run");
}

/// A kernel without a line, or with another one, as a heading of the gallery says.
fn mutated(kernel: &str, heading: &str) -> Option<String> {
    let (new, which) = match heading.strip_prefix("Without ") {
        Some(which) => ("", which),
        None => heading.strip_prefix('`')?.split_once("` instead of ")?,
    };
    let (ordinal, line) = which.split_once('`')?;
    let line = line.strip_suffix('`')?;
    let lines: Vec<&str> = kernel.lines().collect();
    let found: Vec<usize> = (0..lines.len())
        .filter(|it| lines[*it].trim() == line)
        .collect();
    let at = match (ordinal, &*found) {
        ("", [only]) => *only,
        ("the first ", [first, _, ..]) => *first,
        ("the second ", [_, second, ..]) => *second,
        ("the third ", [_, _, third, ..]) => *third,
        ("the last ", [_, .., last]) => *last,
        _ => return None,
    };
    let line = |(index, line)| if index == at { new } else { line };
    let lines: Vec<&str> = lines.into_iter().enumerate().map(line).collect();
    Some(lines.join("\n"))
}

/// The lines of a text that begin with none of the messages.
fn unseen<'a>(text: &'a str, messages: &BTreeSet<String>) -> Vec<&'a str> {
    let is_unseen = |line: &&str| {
        let message = line.strip_prefix("error").or(line.strip_prefix("warning"));
        let message = message.unwrap_or(line);
        !messages.iter().any(|it| message.starts_with(it.as_str()))
    };
    text.lines().filter(is_unseen).collect()
}

#[test]
fn bugs_are_found_as_the_gallery_says() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (_, examples) in pages() {
        let mut kernel = "";
        for example in &examples {
            if example.is_module() && !example.is_unfinished() {
                kernel = &example.text;
            }
            let Some(bug) = example.bug.as_ref().filter(|_| example.language == "text") else {
                continue;
            };
            count += 1;
            let place = example.place();
            let Some(broken) = mutated(kernel, bug) else {
                wrong.push(format!("{place}: `{bug}` names no line"));
                continue;
            };
            let (diagnostics, code) = checked(&broken);
            let mut found = diagnostics.into_iter().collect();
            let are_enough = |found: &BTreeSet<String>| unseen(&example.text, found).is_empty();
            if let Err(error) = collect_messages(&broken, &code, &mut found, &are_enough) {
                wrong.push(format!("{place}: {error}"));
            }
            for line in unseen(&example.text, &found) {
                wrong.push(format!("{place}: {line}\n  found: {found:#?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 50, "{count} bugs");
}

#[test]
fn lines_are_found_by_headings() {
    let kernel = "a;\n  b;\nc;\n  b;";
    let shown = |heading| mutated(kernel, heading).unwrap_or_default();
    assert_eq!(shown("Without `a;`"), "\n  b;\nc;\n  b;");
    assert_eq!(shown("Without the second `b;`"), "a;\n  b;\nc;\n");
    assert_eq!(shown("`d;` instead of the first `b;`"), "a;\nd;\nc;\n  b;");
    assert_eq!(shown("Without `b;`"), "");
    assert_eq!(shown("Without `x;`"), "");
}
