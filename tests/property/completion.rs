//! Completion offers what stood there: the last modifier or an operand of an instruction is deleted, and
//! asked for again.

#![expect(
    clippy::print_stdout,
    reason = "what was not found among the first is what one wants to see"
)]

use std::{collections::BTreeMap, path::Path, sync::Arc};

use analysis::{AnalysisHost, Change, FileContents, FileId, FilePosition};
use fastrand::Rng;
use ptx_tests::fixtures;
use syntax::{Cursor, SyntaxKind, TextRange, TextSize};

/// Positions that are tried, unless `PTX_COMPLETIONS` is set.
const DEFAULT_COUNT: usize = 1_000;
/// How far down a list a person looks.
const FIRST: usize = 10;

/// Names the environment variable with a folder of PTX at whose every place completion is tried; `PTX_COMPLETION_FILES`
/// says how many of its files.
const EVERYWHERE_VARIABLE: &str = "PTX_COMPLETION_FOLDER";
const EVERYWHERE_FILES: usize = 300;
/// Longest file of these, in bytes: each thing that is offered analyses one.
const EVERYWHERE_LONGEST: usize = 12_000;

/// A word that is deleted, and how it is to be offered.
struct Question {
    range: TextRange,
    wanted: String,
    kind: &'static str,
}

#[test]
fn completion_offers_what_stood_there() {
    let count = std::env::var("PTX_COMPLETIONS").map_or(DEFAULT_COUNT, |it| {
        it.parse().expect("PTX_COMPLETIONS is a number")
    });
    let mut rng = Rng::with_seed(7);
    let mut files = fixtures::corpus();
    if files.is_empty() {
        files = fixtures::ptx();
    }
    // Many questions in one huge file would take long and say little.
    files.retain(|it| it.text.len() < 400_000);
    let mut tallies = [
        ("modifier", Tally::default()),
        ("operand", Tally::default()),
    ];
    let mut shown = 0;
    let mut asked = 0;
    while asked < count {
        let fixture = &files[rng.usize(..files.len())];
        let questions = questions(&FileContents::new(&fixture.text));
        if questions.is_empty() {
            asked += 1;
            continue;
        }
        let mut host = AnalysisHost::new();
        for _ in 0..20 {
            asked += 1;
            let question = &questions[rng.usize(..questions.len())];
            let mut text = fixture.text.clone();
            let start = usize::from(question.range.start());
            text.replace_range(start..usize::from(question.range.end()), "");
            if question.kind == "modifier" {
                text.insert(start, '.');
            }
            let offset =
                question.range.start() + TextSize::from(u32::from(question.kind == "modifier"));
            host.apply_change(Change {
                files: vec![(FileId(0), Some(Arc::new(FileContents::new(&text))))],
                config: None,
            });
            let found = host
                .analysis()
                .completions(FilePosition {
                    file: FileId(0),
                    offset,
                })
                .expect("no cancellation");
            let place =
                found.and_then(|it| it.items.iter().position(|it| it.label == question.wanted));
            let tally = tallies
                .iter_mut()
                .find(|it| it.0 == question.kind)
                .expect("a tally for each kind");
            tally.1.add(place);
            if place.is_none_or(|it| it >= FIRST) && shown < 60 {
                shown += 1;
                let line = text[..start].rfind('\n').map_or(0, |it| it + 1);
                let end = text[start..].find('\n').map_or(text.len(), |it| start + it);
                println!(
                    "{}: {} at {place:?} in `{}`",
                    fixture.name,
                    question.wanted,
                    text[line..end].trim()
                );
            }
        }
    }
    let (mut all, mut offered, mut first) = (0, 0, 0);
    for (kind, tally) in &tallies {
        println!("{kind}s: {tally}");
        all += tally.all;
        offered += tally.offered;
        first += tally.first;
    }
    // What is measured on real files is in the documents; here a step back is found.
    assert!(offered * 100 >= all * 97, "{offered} of {all} are offered");
    assert!(
        first * 100 >= all * 85,
        "{first} of {all} are among the first"
    );
}

/// The completions of a file, each inserted where it was offered.
struct Trial<'a> {
    text: &'a str,
    host: AnalysisHost,
    /// Whether each statement that was looked at is right as it is.
    right: BTreeMap<TextSize, bool>,
    offered: usize,
    refused: Vec<String>,
}

impl<'a> Trial<'a> {
    fn from_text(text: &'a str) -> Trial<'a> {
        Trial {
            text,
            host: AnalysisHost::new(),
            right: BTreeMap::new(),
            offered: 0,
            refused: Vec::new(),
        }
    }

    fn set(&mut self, text: &str) -> analysis::Analysis {
        self.host.apply_change(Change {
            files: vec![(FileId(0), Some(Arc::new(FileContents::new(text))))],
            config: None,
        });
        self.host.analysis()
    }

    /// The errors within a range of a text.
    fn errors(&mut self, text: &str, within: TextRange) -> Vec<String> {
        let analysis = self.set(text);
        let all = analysis.diagnostics(FileId(0)).expect("nobody cancels");
        all.iter()
            .filter(|it| {
                it.severity == analysis::Severity::Error && within.contains_range(it.range)
            })
            .map(|it| format!("{}: {}", it.code, it.message))
            .collect()
    }

    /// Completes a name of a statement, and tries one item of each kind; whether there were any.
    fn ask(&mut self, name: TextRange, statement: TextRange) -> bool {
        let text = self.text;
        let is_right = match self.right.get(&statement.start()) {
            Some(known) => *known,
            None => {
                let is_right = self.errors(text, statement).is_empty();
                self.right.insert(statement.start(), is_right);
                is_right
            }
        };
        let (start, end) = (usize::from(name.start()), usize::from(name.end()));
        // A call that ends with its callee may still get arguments.
        let unfinished =
            text[statement].contains("call") && text[end..].trim_start().starts_with(';');
        // On a line of its own a new statement begins.
        let line = text[..start].rfind('\n').map_or(0, |it| it + 1);
        if !is_right || unfinished || text[line..start].trim().is_empty() {
            return false;
        }
        let with = |label: &str| format!("{}{label}{}", &text[..start], &text[end..]);
        let at = FilePosition {
            file: FileId(0),
            offset: name.start(),
        };
        let found = self.set(&with("")).completions(at).expect("nobody cancels");
        let mut kinds = Vec::new();
        for item in found.into_iter().flat_map(|it| it.items) {
            // One of each kind: the matcher sees no more of a name.
            let kind = (item.kind, item.detail);
            if kinds.contains(&kind) {
                continue;
            }
            kinds.push(kind);
            self.offered += 1;
            let inserted = item.insert.map_or(item.label, |it| it.plain);
            let changed = with(&inserted);
            let length = statement.len() - name.len() + TextSize::of(&inserted);
            let within = TextRange::at(statement.start(), length);
            let errors = self.errors(&changed, within);
            if !errors.is_empty() {
                let line = changed[within].trim();
                self.refused
                    .push(format!("`{line}`: {}", errors.join("; ")));
            }
        }
        true
    }
}

/// At places of names in instructions, guards, branches and calls included: what is offered there is taken.
#[test]
fn what_is_offered_is_accepted() {
    let count = std::env::var("PTX_COMPLETIONS").map_or(DEFAULT_COUNT, |it| {
        it.parse().expect("PTX_COMPLETIONS is a number")
    });
    let mut rng = Rng::with_seed(11);
    let mut files = fixtures::corpus();
    if files.is_empty() {
        files = fixtures::ptx();
    }
    files.retain(|it| it.text.len() < 60_000);
    let (mut asked, mut offered, mut refused) = (0, 0, Vec::new());
    while asked < count {
        let fixture = &files[rng.usize(..files.len())];
        let mut names = Vec::new();
        names_of(&FileContents::new(&fixture.text).tree.cursor(), &mut names);
        asked += 1;
        if names.is_empty() {
            continue;
        }
        let mut trial = Trial::from_text(&fixture.text);
        for _ in 0..5 {
            asked += 1;
            let (name, statement) = names[rng.usize(..names.len())];
            trial.ask(name, statement);
        }
        offered += trial.offered;
        refused.extend(
            trial
                .refused
                .into_iter()
                .map(|it| format!("{}: {it}", fixture.name)),
        );
    }
    println!("{offered} offered, {} refused", refused.len());
    for it in refused.iter().take(40) {
        println!("{it}");
    }
    assert!(offered > asked / 2, "{offered} offered at {asked} places");
    assert!(
        refused.is_empty(),
        "{} of {offered} are refused",
        refused.len()
    );
}

/// The same at every place of the smallest files of the folder that [`EVERYWHERE_VARIABLE`] names.
#[test]
fn what_is_offered_everywhere_is_accepted() {
    let Some(folder) = std::env::var_os(EVERYWHERE_VARIABLE) else {
        return;
    };
    let count = std::env::var("PTX_COMPLETION_FILES").map_or(EVERYWHERE_FILES, |it| {
        it.parse().expect("PTX_COMPLETION_FILES is a number")
    });
    let mut files = fixtures::files_below(Path::new(&folder), "ptx");
    // A random choice of the files, and not only the smallest: those are all of one producer.
    Rng::with_seed(5).shuffle(&mut files);
    files.retain(|it| it.text.len() < EVERYWHERE_LONGEST);
    files.truncate(count);
    let (mut places, mut offered, mut refused) = (0, 0, 0);
    for (number, fixture) in files.iter().enumerate() {
        let mut names = Vec::new();
        names_of(&FileContents::new(&fixture.text).tree.cursor(), &mut names);
        let mut trial = Trial::from_text(&fixture.text);
        for (name, statement) in names {
            places += usize::from(trial.ask(name, statement));
        }
        offered += trial.offered;
        refused += trial.refused.len();
        for it in &trial.refused {
            println!("{}: {it}", fixture.name);
        }
        if number % 10 == 9 {
            println!(
                "{} files, {places} places, {offered} offered, {refused} refused",
                number + 1
            );
        }
    }
    println!(
        "{} files, {places} places, {offered} offered, {refused} refused",
        files.len()
    );
    assert_eq!(refused, 0);
}

/// The names in instructions, each with its statement.
fn names_of(node: &Cursor<'_>, names: &mut Vec<(TextRange, TextRange)>) {
    fn within(node: &Cursor<'_>, statement: TextRange, names: &mut Vec<(TextRange, TextRange)>) {
        if node.kind() == SyntaxKind::NAME_REFERENCE {
            names.extend(node.tokens().next().map(|it| (it.range(), statement)));
        }
        // The name before a component is deleted together with it.
        if node.kind() == SyntaxKind::MEMBER_EXPRESSION {
            return;
        }
        for child in node.nodes() {
            within(&child, statement, names);
        }
    }
    if node.kind() == SyntaxKind::INSTRUCTION {
        within(node, node.range(), names);
        return;
    }
    for child in node.nodes() {
        names_of(&child, names);
    }
}

#[derive(Default)]
struct Tally {
    all: usize,
    offered: usize,
    first: usize,
}

impl Tally {
    fn add(&mut self, place: Option<usize>) {
        self.all += 1;
        self.offered += usize::from(place.is_some());
        self.first += usize::from(place.is_some_and(|it| it < FIRST));
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = |it: usize| 100.0 * it as f64 / self.all.max(1) as f64;
        write!(
            f,
            "{} asked, {:.2} % offered, {:.2} % among the first {FIRST}",
            self.all,
            percent(self.offered),
            percent(self.first)
        )
    }
}

/// The last modifier, and one name among the operands, of each instruction.
fn questions(contents: &FileContents) -> Vec<Question> {
    let mut questions = Vec::new();
    visit(&contents.tree.cursor(), &mut questions);
    questions
}

fn visit(node: &Cursor<'_>, questions: &mut Vec<Question>) {
    if node.kind() == SyntaxKind::INSTRUCTION {
        let modifier = node
            .tokens()
            .filter(|it| it.kind() == SyntaxKind::DOTTED)
            .last();
        questions.extend(modifier.map(|it| Question {
            range: it.range(),
            wanted: it.text().to_owned(),
            kind: "modifier",
        }));
        let operand = node
            .nodes()
            .filter(|it| it.kind() != SyntaxKind::GUARD)
            .last();
        let name = operand.and_then(|it| last_name(&it));
        questions.extend(name);
        return;
    }
    for child in node.nodes() {
        visit(&child, questions);
    }
}

fn last_name(node: &Cursor<'_>) -> Option<Question> {
    if node.kind() == SyntaxKind::NAME_REFERENCE {
        let token = node.tokens().next()?;
        return Some(Question {
            range: token.range(),
            wanted: token.text().to_owned(),
            kind: "operand",
        });
    }
    let nodes: Vec<_> = node.nodes().collect();
    // The name before an offset, the last element of a vector.
    match node.kind() {
        SyntaxKind::BINARY_EXPRESSION | SyntaxKind::MEMBER_EXPRESSION => None,
        _ => nodes.iter().rev().find_map(last_name),
    }
}
