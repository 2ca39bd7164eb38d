//! Fixes of programs that were right before one token was changed: what is preferred, and what is applied to the whole
//! file, makes no new error.

#![expect(clippy::print_stdout, reason = "the shares are what one wants to know")]

use std::collections::BTreeMap;

use analysis::{CodeActionKind, Diagnostic, FileRange, Severity};
use fastrand::Rng;
use ptx_tests::{
    fixtures::{self, Fixture},
    properties::answers::{self, FILE},
};
use syntax::{
    FileContents, TextRange, TextSize,
    lexer::{Tokens, tokenize},
    text::Edit,
};

/// Mutants that are tried; `PTX_FIXES` says another number.
const COUNT: usize = 150;
/// Names the environment variable with another number of mutants.
const COUNT_VARIABLE: &str = "PTX_FIXES";
/// Names the environment variable with another seed: other mutants.
const SEED_VARIABLE: &str = "PTX_FIXES_SEED";
/// Longest file, in bytes: each fix analyses one.
const LONGEST: usize = 40_000;
/// Least share of preferred fixes that make no new error, in percent.
const PREFERRED: usize = 95;
/// Errors of a mutant whose fixes are tried.
const ERRORS: usize = 4;

/// Errors by code and message, with how many there are.
type Errors = BTreeMap<(&'static str, String), usize>;

/// The text with one change of a random token: left out, doubled, exchanged with its neighbour, or with one of its
/// characters changed.
fn mutant(text: &str, tokens: &Tokens, rng: &mut Rng) -> Option<String> {
    let solid: Vec<usize> = (0..tokens.len())
        .filter(|it| !tokens.kind(*it).is_trivia())
        .collect();
    let at = rng.usize(..solid.len().checked_sub(1)?);
    let range = |index: usize| {
        let start = tokens.start(solid[index]);
        start..tokens.start(solid[index] + 1)
    };
    let (this, next) = (range(at), range(at + 1));
    let word = &text[this.clone()];
    let mut out = text.to_owned();
    match rng.u8(..6) {
        0 => out.replace_range(this, ""),
        1 => out.insert_str(this.end, &format!(" {word}")),
        2 => {
            let between = text[this.end..next.start].to_owned();
            let swapped = format!("{}{between}{word}", &text[next.clone()]);
            out.replace_range(this.start..next.end, &swapped);
        }
        kind => {
            let place = rng.usize(..word.len());
            if !word.is_ascii() {
                return None;
            }
            let mut changed = word.as_bytes().to_vec();
            match kind {
                3 => {
                    changed.remove(place);
                }
                4 => changed.insert(place, changed[place]),
                _ => changed[place] = rng.choice(b"abdfgpru0123456789")?.to_owned(),
            }
            out.replace_range(this, std::str::from_utf8(&changed).ok()?);
        }
    }
    (out != text).then_some(out)
}

fn diagnostics(text: &str) -> Vec<Diagnostic> {
    let host = answers::host(std::sync::Arc::new(FileContents::new(text)));
    let mut found = host.analysis().diagnostics(FILE).expect("no cancellation");
    found.retain(|it| it.severity == Severity::Error);
    found
}

fn errors(found: Vec<Diagnostic>) -> Errors {
    let mut errors = Errors::new();
    for it in found {
        *errors.entry((it.code, it.message)).or_default() += 1;
    }
    errors
}

/// The errors after some edits that were not there before.
fn new_errors(before: &Errors, text: &str, edits: &[Edit]) -> Vec<String> {
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        text.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.insert);
    }
    let after = errors(diagnostics(&text));
    let mut new: Vec<String> = after
        .into_iter()
        .filter(|(error, count)| before.get(error).is_none_or(|it| it < count))
        .map(|((code, message), _)| format!("{code}: {message}"))
        .collect();
    new.sort();
    new
}

/// The counts.
#[derive(Default)]
struct Tally {
    mutants: usize,
    wrong: usize,
    preferred: usize,
    /// Preferred fixes that make a new error.
    bad: Vec<String>,
    all: usize,
    /// The same of those that are applied to the whole file.
    bad_all: Vec<String>,
}

fn judge(name: &str, text: &str, tally: &mut Tally) {
    let found = diagnostics(text);
    tally.mutants += 1;
    let Some(first) = found.first() else {
        return;
    };
    tally.wrong += 1;
    let places: Vec<TextRange> = found.iter().take(ERRORS).map(|it| it.range).collect();
    let whole = TextRange::up_to(TextSize::of(text));
    let message = first.message.clone();
    let before = errors(found);
    let host = answers::host(std::sync::Arc::new(FileContents::new(text)));
    let analysis = host.analysis();
    let mut seen = Vec::new();
    for range in places {
        let actions = analysis.code_actions(FileRange { file: FILE, range });
        for action in actions.expect("no cancellation") {
            if !action.preferred || seen.contains(&action.edits) {
                continue;
            }
            tally.preferred += 1;
            let new = new_errors(&before, text, &action.edits.files[0].edits);
            if !new.is_empty() {
                let title = &action.title;
                tally
                    .bad
                    .push(format!("{name}: {message}: {title}: {new:?}"));
            }
            seen.push(action.edits);
        }
    }
    let all = FileRange {
        file: FILE,
        range: whole,
    };
    let actions = analysis.code_actions(all).expect("no cancellation");
    let all = actions.iter().find(|it| it.kind == CodeActionKind::FixAll);
    if let Some(action) = all {
        tally.all += 1;
        let new = new_errors(&before, text, &action.edits.files[0].edits);
        if !new.is_empty() {
            tally.bad_all.push(format!("{name}: {message}: {new:?}"));
        }
    }
}

#[test]
fn fixes_of_mutants_make_no_new_error() {
    let count = std::env::var(COUNT_VARIABLE).map_or(COUNT, |it| it.parse().expect("a number"));
    let seed = std::env::var(SEED_VARIABLE).map_or(18, |it| it.parse().expect("a number"));
    let mut rng = Rng::with_seed(seed);
    let mut files: Vec<Fixture> = fixtures::corpus();
    if files.is_empty() {
        files = fixtures::ptx();
    }
    files.retain(|it| it.text.len() < LONGEST);
    // Whether a file of a large corpus is right is asked when its turn comes.
    let mut right: BTreeMap<usize, bool> = BTreeMap::new();
    let mut tally = Tally::default();
    while tally.mutants < count {
        let number = rng.usize(..files.len());
        let file = &files[number];
        let is_right = right
            .entry(number)
            .or_insert_with(|| diagnostics(&file.text).is_empty());
        if !*is_right {
            assert!(
                right.values().any(|it| *it) || right.len() < files.len(),
                "some files are right"
            );
            continue;
        }
        let tokens = tokenize(&file.text);
        if let Some(text) = mutant(&file.text, &tokens, &mut rng) {
            judge(&file.name, &text, &mut tally);
        }
    }
    println!(
        "{} mutants, {} with errors, {} preferred fixes, {} of them with a new error, {} for the whole file, {} of them with a new error",
        tally.mutants,
        tally.wrong,
        tally.preferred,
        tally.bad.len(),
        tally.all,
        tally.bad_all.len()
    );
    for it in tally.bad.iter().chain(&tally.bad_all) {
        println!("    {it}");
    }
    assert!(tally.preferred * 6 > tally.wrong, "too few preferred fixes");
    assert!(tally.bad.len() * 100 <= tally.preferred * (100 - PREFERRED));
    assert!(tally.bad_all.is_empty());
}
