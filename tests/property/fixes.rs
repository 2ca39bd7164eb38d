//! Fixes of programs that were right before one change: what is preferred, what is offered first, and what is applied
//! to the whole file makes no new error.

#![expect(clippy::print_stdout, reason = "the shares are what one wants to know")]

use std::{collections::BTreeMap, fmt::Write, path::Path, sync::Arc};

use analysis::{CodeAction, CodeActionKind, Diagnostic, FileRange, Severity};
use fastrand::Rng;
use ptx_tests::{
    conformance::ptxas::{Ptxas, Verdict, architecture},
    fixtures::{self, Fixture},
    properties::answers::{self, FILE},
};
use syntax::{
    FileContents, TextRange, TextSize,
    lexer::{Tokens, tokenize},
    text::Edit,
};

/// Mutants of each producer that are tried, unless `PTX_FIXES` is set.
const COUNT: usize = 120;
/// Names the environment variable with the number of mutants.
const COUNT_VARIABLE: &str = "PTX_FIXES";
/// Names the environment variable with another seed: other mutants.
const SEED_VARIABLE: &str = "PTX_FIXES_SEED";
/// Names the environment variable with a ptxas that judges what has no error for us after a fix.
const PTXAS_VARIABLE: &str = "PTXAS";
/// Longest file, in bytes: each fix analyses one.
const LONGEST: usize = 40_000;
/// Largest share of preferred fixes that make a new error, in percent.
const BAD_PREFERRED: usize = 1;
/// The same of the fixes that are offered first where none is preferred.
const BAD_FIRST: usize = 8;
/// Errors of a mutant whose fixes are tried.
const ERRORS: usize = 4;
/// Attempts to make one mutant.
const TRIES: usize = 1000;

/// Errors by code and message, with how many there are.
type Errors = BTreeMap<(&'static str, String), usize>;

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mutation {
    /// A token is omitted.
    Drop,
    /// A token is written twice.
    Double,
    /// A token from elsewhere is written after a token.
    Insert,
    /// Two neighbours are exchanged.
    Exchange,
    /// One character of a token is omitted, doubled, inserted or replaced.
    Character,
    /// A bracket is omitted, doubled, or written somewhere.
    Bracket,
    /// A line is omitted.
    Line,
    /// A line from before the first body is written somewhere.
    Header,
}

impl Mutation {
    const ALL: [Mutation; 8] = [
        Mutation::Drop,
        Mutation::Double,
        Mutation::Insert,
        Mutation::Exchange,
        Mutation::Character,
        Mutation::Bracket,
        Mutation::Line,
        Mutation::Header,
    ];

    /// The text after one change of this kind at a random place.
    fn apply(self, text: &str, tokens: &Tokens, rng: &mut Rng) -> Option<String> {
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
        match self {
            Mutation::Drop => out.replace_range(this, ""),
            Mutation::Double => out.insert_str(this.end, &format!(" {word}")),
            Mutation::Insert => {
                let other = &text[range(rng.usize(..solid.len()))];
                let blank = if rng.bool() { " " } else { "" };
                out.insert_str(this.end, &format!("{blank}{other}"));
            }
            Mutation::Exchange => {
                let between = text[this.end..next.start].to_owned();
                let swapped = format!("{}{between}{word}", &text[next.clone()]);
                out.replace_range(this.start..next.end, &swapped);
            }
            Mutation::Character => {
                if !word.is_ascii() {
                    return None;
                }
                let place = this.start + rng.usize(..word.len());
                let letter = char::from(*rng.choice(b"abdfgpru0123456789")?);
                match rng.u8(..5) {
                    0 => out.replace_range(place..=place, ""),
                    1 => out.insert(place, char::from(text.as_bytes()[place])),
                    2 => out.insert(place, letter),
                    3 => out.insert(place, 'é'),
                    _ => out.replace_range(place..=place, letter.encode_utf8(&mut [0; 4])),
                }
            }
            Mutation::Bracket => {
                let is_bracket = |it: &usize| "()[]{}<>".contains(&text[range(*it)]);
                let brackets: Vec<usize> = (0..solid.len()).filter(is_bracket).collect();
                let bracket = range(*rng.choice(&brackets)?);
                match rng.u8(..3) {
                    0 => out.replace_range(bracket, ""),
                    1 => out.insert_str(bracket.end, &text[bracket]),
                    _ => out.insert_str(this.end, &text[bracket]),
                }
            }
            Mutation::Line => {
                let start = text[..this.start].rfind('\n').map_or(0, |it| it + 1);
                let end = text[this.end..].find('\n')?;
                out.replace_range(start..=this.end + end, "");
            }
            Mutation::Header => {
                let head = text.find('{')?;
                let lines: Vec<&str> = text[..head]
                    .lines()
                    .filter(|it| !it.trim().is_empty() && !it.starts_with("//"))
                    .collect();
                let start = text[..this.start].rfind('\n')? + 1;
                out.insert_str(start, &format!("{}\n", rng.choice(&lines)?));
            }
        }
        (out != text).then_some(out)
    }
}

fn diagnostics(text: &str) -> Vec<Diagnostic> {
    let host = answers::host(Arc::new(FileContents::new(text)));
    let mut found = host.analysis().diagnostics(FILE).expect("no cancellation");
    found.retain(|it| it.severity == Severity::Error);
    found
}

/// The errors; the line numbers in messages may differ after an edit.
fn errors(found: &[Diagnostic]) -> Errors {
    let mut errors = Errors::new();
    for it in found {
        let mut words: Vec<&str> = it.message.split(' ').collect();
        for index in 1..words.len() {
            if words[index - 1] == "line" {
                words[index] = "";
            }
        }
        *errors.entry((it.code, words.join(" "))).or_default() += 1;
    }
    errors
}

fn applied(text: &str, action: &CodeAction) -> String {
    let edits: &[Edit] = &action.edits.files[0].edits;
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        text.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.insert);
    }
    text
}

/// Fixes of a kind.
#[derive(Clone, Debug, Default)]
struct Count {
    tried: usize,
    /// Those that make a new error.
    bad: Vec<String>,
    /// Those after which a program without an error is none for ptxas.
    refused: Vec<String>,
}

impl Count {
    fn add(&mut self, other: &Count) {
        self.tried += other.tried;
        self.bad.extend(other.bad.iter().cloned());
        self.refused.extend(other.refused.iter().cloned());
    }
}

/// The counts of some mutants.
#[derive(Clone, Debug, Default)]
struct FixTally {
    mutants: usize,
    /// Mutants with an error.
    wrong: usize,
    /// Errors, at most [`ERRORS`] of each mutant.
    errors: usize,
    preferred: Count,
    /// Those that are offered first where nothing is preferred.
    first: Count,
    /// Those that are applied to the whole file.
    all: Count,
}

impl FixTally {
    fn add(&mut self, other: &FixTally) {
        self.mutants += other.mutants;
        self.wrong += other.wrong;
        self.errors += other.errors;
        self.preferred.add(&other.preferred);
        self.first.add(&other.first);
        self.all.add(&other.all);
    }

    fn row(&self, name: &str) -> String {
        let mut row = format!(
            "{name:<28}{:>8}{:>8}{:>8}",
            self.mutants, self.wrong, self.errors
        );
        for it in [&self.preferred, &self.first, &self.all] {
            let (bad, refused) = (it.bad.len(), it.refused.len());
            write!(row, "{:>10}{bad:>5}{refused:>5}", it.tried).expect("a string");
        }
        row
    }
}

/// Finds the errors of texts after fixes.
struct Judge {
    ptxas: Option<Ptxas>,
}

impl Judge {
    fn new() -> Judge {
        let path = std::env::var_os(PTXAS_VARIABLE);
        let path = path.filter(|_| std::env::var_os(fixtures::CORPUS_VARIABLE).is_some());
        Judge {
            ptxas: path.map(|it| Ptxas::new(Path::new(&it)).expect("a ptxas")),
        }
    }

    fn accepts(&self, text: &str) -> bool {
        let target = text.split(".target").nth(1).unwrap_or_default();
        let target = target.split(['\n', ',']).next().unwrap_or_default();
        self.ptxas.as_ref().is_none_or(|it| {
            let verdict = it.messages(&architecture(target), text);
            verdict.expect("ptxas runs").0 == Verdict::Accepted
        })
    }

    /// Counts a fix.
    fn count(&self, count: &mut Count, before: &Errors, text: &str, name: &str, fix: &CodeAction) {
        count.tried += 1;
        let text = applied(text, fix);
        let after = errors(&diagnostics(&text));
        let is_new = |(error, count): &(&_, &usize)| before.get(*error).is_none_or(|it| it < count);
        let new: Vec<String> = after
            .iter()
            .filter(is_new)
            .map(|((code, message), _)| format!("{code}: {message}"))
            .collect();
        let title = &fix.title;
        let was: Vec<&String> = before.keys().map(|it| &it.1).collect();
        if !new.is_empty() {
            count.bad.push(format!("{name}: {was:?}: {title}: {new:?}"));
        } else if after.is_empty() && !self.accepts(&text) {
            count.refused.push(format!("{name}: {was:?}: {title}"));
        }
    }

    /// The fixes of a mutant.
    fn mutant(&self, name: &str, text: &str) -> FixTally {
        let found = diagnostics(text);
        let mut tally = FixTally {
            mutants: 1,
            ..FixTally::default()
        };
        if found.is_empty() {
            return tally;
        }
        tally.wrong = 1;
        let before = errors(&found);
        let host = answers::host(Arc::new(FileContents::new(text)));
        let analysis = host.analysis();
        let mut seen = Vec::new();
        for error in found.iter().take(ERRORS) {
            tally.errors += 1;
            let at = FileRange {
                file: FILE,
                range: error.range,
            };
            let mut actions = analysis.code_actions(at).expect("no cancellation");
            actions.retain(|it| {
                it.kind == CodeActionKind::QuickFix
                    && it.diagnostics.contains(&(error.range, error.code))
            });
            let any = actions.iter().any(|it| it.preferred);
            for (index, fix) in actions.iter().enumerate() {
                let count = match fix.preferred {
                    true => &mut tally.preferred,
                    false if index == 0 && !any => &mut tally.first,
                    false => continue,
                };
                if !seen.contains(&fix.edits) {
                    self.count(count, &before, text, name, fix);
                    seen.push(fix.edits.clone());
                }
            }
        }
        let all = FileRange {
            file: FILE,
            range: TextRange::up_to(TextSize::of(text)),
        };
        let actions = analysis.code_actions(all).expect("no cancellation");
        let all = actions.iter().find(|it| it.kind == CodeActionKind::FixAll);
        if let Some(fix) = all {
            self.count(&mut tally.all, &before, text, name, fix);
        }
        tally
    }
}

/// The files of each producer: of a corpus its folders, otherwise our fixtures.
fn producers() -> BTreeMap<String, Vec<Fixture>> {
    let mut files = fixtures::corpus();
    if files.is_empty() {
        files = fixtures::ptx();
    }
    let mut producers = BTreeMap::<String, Vec<Fixture>>::new();
    for file in files.into_iter().filter(|it| it.text.len() < LONGEST) {
        let folder = file.name.split_once('/').map_or("", |it| it.0);
        producers.entry(folder.to_owned()).or_default().push(file);
    }
    producers
}

#[test]
fn fixes_of_mutants_make_no_new_error() {
    let number = |name: &str| Some(std::env::var(name).ok()?.parse().expect("a number"));
    let count = number(COUNT_VARIABLE).map_or(COUNT, |it: u64| it as usize);
    let mut rng = Rng::with_seed(number(SEED_VARIABLE).unwrap_or(18));
    let judge = Judge::new();
    let mut rows = BTreeMap::<String, FixTally>::new();
    let mut kinds = BTreeMap::<Mutation, FixTally>::new();
    let mut sum = FixTally::default();
    for (producer, files) in producers() {
        // A file of a large corpus is checked when its turn comes.
        let mut right: BTreeMap<usize, bool> = BTreeMap::new();
        let row = rows.entry(producer).or_default();
        let mut tries = 0;
        while row.mutants < count {
            let number = rng.usize(..files.len());
            let file = &files[number];
            let is_right = right
                .entry(number)
                .or_insert_with(|| diagnostics(&file.text).is_empty() && judge.accepts(&file.text));
            let kind = Mutation::ALL[row.mutants % Mutation::ALL.len()];
            let text = is_right
                .then(|| kind.apply(&file.text, &tokenize(&file.text), &mut rng))
                .flatten();
            let Some(text) = text else {
                tries += 1;
                assert!(tries < TRIES, "there are mutants of {}", file.name);
                continue;
            };
            tries = 0;
            let tally = judge.mutant(&file.name, &text);
            row.add(&tally);
            kinds.entry(kind).or_default().add(&tally);
            sum.add(&tally);
        }
    }
    println!(
        "{:<28}{:>8}{:>8}{:>8}{:>10}{:>5}{:>5}{:>10}{:>5}{:>5}{:>10}{:>5}{:>5}",
        "",
        "mutants",
        "wrong",
        "errors",
        "preferred",
        "new",
        "ref",
        "first",
        "new",
        "ref",
        "all",
        "new",
        "ref"
    );
    for (name, tally) in &rows {
        println!("{}", tally.row(name));
    }
    for (kind, tally) in &kinds {
        println!("{}", tally.row(&format!("{kind:?}")));
    }
    println!("{}", sum.row("sum"));
    for (name, it) in [
        ("preferred", &sum.preferred),
        ("first", &sum.first),
        ("all", &sum.all),
    ] {
        for (what, list) in [("new", &it.bad), ("refused", &it.refused)] {
            for it in list {
                println!("    {name} {what} {it}");
            }
        }
    }
    assert!(
        sum.preferred.tried * 6 > sum.wrong,
        "too few preferred fixes"
    );
    assert!(sum.preferred.bad.len() * 100 <= sum.preferred.tried * BAD_PREFERRED);
    assert!(sum.first.bad.len() * 100 <= sum.first.tried * BAD_FIRST);
    assert!(sum.all.bad.is_empty());
}
