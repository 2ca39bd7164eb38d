//! Completion offers what stood there: the last modifier or an operand of an instruction is deleted, and
//! asked for again.

#![expect(
    clippy::print_stdout,
    reason = "what was not found among the first is what one wants to see"
)]

use std::sync::Arc;

use analysis::{AnalysisHost, Change, FileContents, FileId, FilePosition};
use fastrand::Rng;
use ptx_tests::fixtures;
use syntax::{Cursor, SyntaxKind, TextRange, TextSize};

/// Places that are tried; `PTX_COMPLETIONS` says another number.
const DEFAULT_COUNT: usize = 1_000;
/// How far down a list a person looks.
const FIRST: usize = 10;

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
                .expect("nobody cancels");
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
