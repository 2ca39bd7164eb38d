//! Files outside the repository: kernels of others, whose protocols are right or wrong, or not known.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use analysis::{DIAGNOSTIC_CODES, Severity};
use ptx_tests::properties::answers::{self, FILE};
use serde::Deserialize;
use syntax::FileContents;
use walkdir::WalkDir;

/// The name of the file that says which programs of a folder are wrong, and where.
const EXPECTED: &str = "expected.jsonl";

/// A finding of a rule in a file.
struct Firing {
    code: &'static str,
    /// From 1.
    line: usize,
    hint: bool,
    message: String,
}

/// A program that was judged by hand: a line of [`EXPECTED`].
#[derive(Deserialize)]
struct Judged {
    /// The name of its file.
    file: String,
    /// The code of the rule that it is about.
    rule: String,
    kind: Kind,
    /// The lines at which the rule may report it, from 1.
    #[serde(default)]
    lines: Vec<usize>,
    /// Codes that serve as well.
    #[serde(default)]
    also: Vec<String>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Right,
    Wrong,
}

/// The numbers of a folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Score {
    /// Wrong programs that a rule reports at an accepted line.
    pub(crate) told: usize,
    /// All wrong programs.
    pub(crate) wrong: usize,
    /// Right programs that no rule says anything about.
    pub(crate) silent: usize,
    /// All right programs.
    pub(crate) right: usize,
}

/// Judges a folder, and returns the lines of the report: a score if the folder says what is expected, and the firings
/// by rule.
pub(crate) fn report(folder: &Path) -> (Option<Score>, String) {
    let mut text = String::new();
    let expected = std::fs::read_to_string(folder.join(EXPECTED)).ok();
    let score = expected.map(|it| score(folder, &it, &mut text));
    if score.is_none() {
        list(folder, &mut text);
    }
    (score, text)
}

/// Compares the findings in the programs with what is expected.
fn score(folder: &Path, expected: &str, text: &mut String) -> Score {
    let files: BTreeMap<String, PathBuf> = files(folder)
        .into_iter()
        .map(|it| (name(&it), it))
        .collect();
    let mut score = Score::default();
    let mut rules: BTreeMap<String, Score> = BTreeMap::new();
    for line in expected.lines().filter(|it| !it.trim().is_empty()) {
        let judged: Judged = serde_json::from_str(line).expect("a judged program");
        let path = files.get(&judged.file);
        let path = path.unwrap_or_else(|| panic!("{} is in the folder", judged.file));
        let found = firings(path);
        let rule = rules.entry(judged.rule.clone()).or_default();
        let meant =
            |it: &Firing| it.code == judged.rule || judged.also.iter().any(|also| it.code == also);
        let good = match judged.kind {
            Kind::Wrong => {
                let told = found
                    .iter()
                    .any(|it| meant(it) && judged.lines.contains(&it.line));
                for it in [&mut score, rule] {
                    it.wrong += 1;
                    it.told += usize::from(told);
                }
                told
            }
            Kind::Right => {
                let silent = !found.iter().any(|it| is_rule(it.code));
                for it in [&mut score, rule] {
                    it.right += 1;
                    it.silent += usize::from(silent);
                }
                silent
            }
        };
        if !good {
            let _ = writeln!(text, "{} at {:?}:", judged.file, judged.lines);
            for it in found.iter().filter(|it| is_rule(it.code) || meant(it)) {
                let _ = writeln!(text, "    {}: {}: {}", it.line, it.code, it.message);
            }
        }
    }
    let _ = writeln!(text, " told     silent   rule");
    for (rule, it) in &rules {
        let Score {
            told,
            wrong,
            silent,
            right,
        } = it;
        let _ = writeln!(text, "{told:3}/{wrong:3}  {silent:3}/{right:3}  {rule}");
    }
    score
}

/// Counts the findings of each rule in all files, and lists them.
fn list(folder: &Path, text: &mut String) {
    // Files and findings, warnings and hints.
    let mut rules: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let all = files(folder);
    for path in &all {
        let found = firings(path);
        let mut seen: Vec<&str> = Vec::new();
        for it in found.iter().filter(|it| is_rule(it.code)) {
            let counts = rules.entry(it.code).or_default();
            counts[if it.hint { 2 } else { 1 }] += 1;
            if !seen.contains(&it.code) {
                seen.push(it.code);
                counts[0] += 1;
            }
            let shown = path.strip_prefix(folder).unwrap_or(path).display();
            let level = if it.hint { "hint" } else { "warning" };
            let _ = writeln!(
                text,
                "{shown}:{}: {level} {}: {}",
                it.line, it.code, it.message
            );
        }
    }
    let _ = writeln!(text, "{} files\nfiles warnings hints  rule", all.len());
    for (rule, [files, warnings, hints]) in rules {
        let _ = writeln!(text, "{files:5} {warnings:8} {hints:5}  {rule}");
    }
}

/// The PTX files below a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter();
    entries
        .map(|it| it.expect("the folder can be read").into_path())
        .filter(|it| it.extension().is_some_and(|it| it == "ptx"))
        .collect()
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// All findings in a file.
fn firings(path: &Path) -> Vec<Firing> {
    let text = std::fs::read(path).expect("the file can be read");
    let text = String::from_utf8_lossy(&text);
    let host = answers::host(Arc::new(FileContents::new(&text)));
    let all = host.analysis().diagnostics(FILE).expect("nothing changes");
    let firing = |it: analysis::Diagnostic| Firing {
        code: it.code,
        line: text[..usize::from(it.range.start())].matches('\n').count() + 1,
        hint: it.severity == Severity::Hint,
        message: it.message,
    };
    all.into_iter().map(firing).collect()
}

/// Whether a code is one of a rule of protocols.
fn is_rule(code: &str) -> bool {
    let mut rules = DIAGNOSTIC_CODES.iter().filter(|it| it.is_of_protocols());
    rules.any(|it| it.name == code)
}
