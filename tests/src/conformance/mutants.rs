//! Real programs with one random change of a token.
//!
//! A mutant is what a slip of the keyboard makes of a program that ptxas accepts. Programs are short
//! files, or single functions of long ones with what is around the functions.

pub mod report;

use std::path::Path;

use fastrand::Rng;
use isa::{table::tables, types::CLASSES};
use syntax::{
    Cursor, FileContents, SyntaxKind,
    lexer::{Tokens, tokenize},
};

use super::{
    generator::{any_target, any_version},
    ptxas::Judged,
    text::{Setting, words},
};
use crate::fixtures::Fixture;

/// Bytes of a program; longer files are cut into functions.
const MAX_LEN: usize = 12_000;
/// Functions that are taken from one file.
const MAX_FUNCTIONS: usize = 8;
/// How often another token is tried when a change does not suit one.
const TRIES: usize = 50;

/// A program that ptxas accepts.
#[derive(Clone, Debug)]
pub struct Base {
    /// Where it comes from.
    pub name: String,
    /// Text of the whole program.
    pub text: String,
    /// Names of its module, which must differ between programs that are judged together.
    names: Vec<String>,
    setting: Setting,
}

impl Base {
    fn new(name: String, text: String) -> Option<Base> {
        let contents = FileContents::new(&text);
        let root = contents.tree.cursor();
        let mut names = Vec::new();
        let suitable = module_names(&root, &mut names)
            // Errors would be reported for another file.
            && !text.lines().any(|it| it.trim_start().starts_with('#'));
        names.sort_unstable();
        names.dedup();
        suitable.then(|| Base {
            name,
            setting: Setting::from_text(&text),
            text,
            names,
        })
    }
}

/// Collects the names that functions and variables declare for the module. Fails on parameterised ones.
fn module_names(root: &Cursor<'_>, names: &mut Vec<String>) -> bool {
    root.nodes().all(|item| module_names_of(&item, names))
}

/// The same for one item.
fn module_names_of(item: &Cursor<'_>, names: &mut Vec<String>) -> bool {
    match item.kind() {
        SyntaxKind::FUNCTION => {
            names.extend(name(item));
            item.node(SyntaxKind::BLOCK)
                .is_none_or(|it| prototypes(&it, names))
        }
        SyntaxKind::VARIABLE_DECLARATION => item
            .nodes()
            .filter(|it| it.kind() == SyntaxKind::DECLARATOR)
            .all(|it| {
                names.extend(name(&it));
                it.token(SyntaxKind::LT).is_none()
            }),
        _ => true,
    }
}

/// The name that a node declares.
fn name(node: &Cursor<'_>) -> Option<String> {
    let name = node.node(SyntaxKind::NAME)?.token(SyntaxKind::IDENT)?;
    Some(name.text().to_owned())
}

/// Prototypes inside bodies also declare names of the module.
fn prototypes(block: &Cursor<'_>, names: &mut Vec<String>) -> bool {
    block.nodes().all(|it| match it.kind() {
        SyntaxKind::BLOCK | SyntaxKind::STATEMENT_RUN => prototypes(&it, names),
        SyntaxKind::FUNCTION => {
            names.extend(name(&it));
            true
        }
        _ => true,
    })
}

/// The programs of files; ptxas has still to say whether it accepts them.
pub fn bases(files: &[Fixture]) -> Vec<Base> {
    let mut bases = Vec::new();
    for file in files {
        if file.text.len() <= MAX_LEN {
            bases.extend(Base::new(file.name.clone(), file.text.clone()));
        } else {
            functions(file, &mut bases);
        }
    }
    bases
}

/// Each function of a file with the names of the module that it uses and the headers of other functions.
fn functions(file: &Fixture, bases: &mut Vec<Base>) {
    let contents = FileContents::new(&file.text);
    let items: Vec<_> = contents.tree.cursor().nodes().collect();
    let text = |it: &Cursor<'_>| &file.text[it.range()];
    let short = items.iter().filter(|it| {
        it.kind() == SyntaxKind::FUNCTION
            && it.node(SyntaxKind::BLOCK).is_some()
            && text(it).len() <= MAX_LEN
    });
    for (index, chosen) in short.enumerate().take(MAX_FUNCTIONS) {
        let mut out = String::new();
        let body = text(chosen);
        for item in &items {
            let mut names = Vec::new();
            module_names_of(item, &mut names);
            if item.range() != chosen.range()
                && !names.is_empty()
                && !names.iter().any(|it| body.contains(it.as_str()))
            {
                continue;
            }
            match item.kind() {
                SyntaxKind::FUNCTION if item.range() == chosen.range() => out.push_str(text(item)),
                SyntaxKind::FUNCTION => {
                    // An entry cannot be called, so it is not missed.
                    let entry = item.tokens().any(|it| it.text() == ".entry");
                    let block = item.node(SyntaxKind::BLOCK).map(|it| it.range().start());
                    match block {
                        _ if entry => {}
                        Some(end) => {
                            let start = item.range().start();
                            out.push_str(&file.text[syntax::TextRange::new(start, end)]);
                            out.push_str(";\n");
                        }
                        None => out.push_str(text(item)),
                    }
                }
                // Debug information and aliases name functions that are gone.
                SyntaxKind::SECTION | SyntaxKind::ALIAS => {}
                _ => out.push_str(text(item)),
            }
        }
        if out.len() <= 2 * MAX_LEN {
            bases.extend(Base::new(format!("{}#{index}", file.name), out));
        }
    }
}

impl Judged for Base {
    fn architecture(&self) -> String {
        self.setting.architecture()
    }

    fn options(&self) -> String {
        self.setting.options.clone()
    }

    fn is_expanded(&self) -> bool {
        self.setting.expanded
    }

    fn text(&self, suffix: &str) -> String {
        rename(&self.text, &self.names, suffix)
    }
}

/// A program with one change.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Where the program comes from.
    pub base: String,
    /// Description of the change, for the report.
    pub change: String,
    /// The line of the change.
    pub line: usize,
    /// The text after the change.
    pub text: String,
    names: Vec<String>,
    setting: Setting,
}

impl Judged for Mutant {
    fn architecture(&self) -> String {
        self.setting.architecture()
    }

    fn options(&self) -> String {
        self.setting.options.clone()
    }

    fn is_expanded(&self) -> bool {
        self.setting.expanded
    }

    fn text(&self, suffix: &str) -> String {
        rename(&self.text, &self.names, suffix)
    }
}

/// The text with a suffix at every occurrence of one of the sorted names.
fn rename(text: &str, names: &[String], suffix: &str) -> String {
    let tokens = tokenize(text);
    let mut out = String::with_capacity(text.len() + 1024);
    for index in 0..tokens.len() {
        let token = tokens.text(text, index);
        out.push_str(token);
        let is_name = tokens.kind(index) == SyntaxKind::IDENT;
        if is_name && names.binary_search_by(|it| it.as_str().cmp(token)).is_ok() {
            out.push_str(suffix);
        }
    }
    out
}

/// The text that replaces a token: the changed token and perhaps the next.
struct Change {
    /// The tokens that are replaced, without those between them.
    old: [Option<usize>; 2],
    new: [String; 2],
}

/// Changes one token of the program.
pub fn mutant(base: &Base, rng: &mut Rng) -> Option<Mutant> {
    let text = &base.text;
    let tokens = tokenize(text);
    let words: Vec<usize> = words(&tokens).collect();
    let kind = rng.u8(..16);
    for _ in 0..TRIES {
        let at = rng.usize(..words.len());
        let Some(change) = change(kind, text, &tokens, &words, at, rng) else {
            continue;
        };
        let mut out = String::with_capacity(text.len() + 64);
        for index in 0..tokens.len() {
            match change.old.iter().position(|it| *it == Some(index)) {
                Some(which) => out.push_str(&change.new[which]),
                None => out.push_str(tokens.text(text, index)),
            }
        }
        if out == *text {
            continue;
        }
        let old = change.old.iter().flatten().map(|it| tokens.text(text, *it));
        return Some(Mutant {
            base: base.name.clone(),
            change: format!(
                "{} -> {}",
                old.collect::<Vec<_>>().join(" "),
                change.new.join(" ").trim()
            ),
            line: 1 + text[..tokens.start(words[at])].matches('\n').count(),
            setting: Setting::from_text(&out),
            text: out,
            names: base.names.clone(),
        });
    }
    None
}

fn change(
    kind: u8,
    text: &str,
    tokens: &Tokens,
    words: &[usize],
    at: usize,
    rng: &mut Rng,
) -> Option<Change> {
    let index = words[at];
    let (word, token) = (tokens.text(text, index), tokens.kind(index));
    let one = |new: String| {
        Some(Change {
            old: [Some(index), None],
            new: [new, String::new()],
        })
    };
    let any = |rng: &mut Rng| {
        tokens
            .text(text, words[rng.usize(..words.len())])
            .to_owned()
    };
    match kind {
        0 | 1 => one(String::new()),
        2 => one(format!("{word} {word}")),
        3 => {
            let next = *words.get(at + 1)?;
            Some(Change {
                old: [Some(index), Some(next)],
                new: [tokens.text(text, next).to_owned(), word.to_owned()],
            })
        }
        4 => one(any(rng)),
        // Another token of the same sort from the same file.
        5 | 6 => {
            let same = words.iter().filter(|it| tokens.kind(**it) == token);
            let same: Vec<_> = same.map(|it| tokens.text(text, *it)).collect();
            one((*rng.choice(&same)?).to_owned())
        }
        7 | 8 if token == SyntaxKind::DOTTED => {
            let instruction = rng.choice(tables().instructions().collect::<Vec<_>>())?;
            let word = rng.choice(&instruction.words)?;
            one(format!(".{word}"))
        }
        9 if CLASSES
            .iter()
            .any(|it| word.strip_prefix('.') == Some(it.0)) =>
        {
            one(format!(".{}", rng.choice(CLASSES)?.0))
        }
        10 if token == SyntaxKind::IDENT => {
            let opcodes: Vec<_> = tables().opcodes().collect();
            opcodes
                .contains(&word)
                .then(|| rng.choice(&opcodes))
                .flatten()
                .and_then(|it| one((*it).to_owned()))
        }
        11 | 12 if token == SyntaxKind::INTEGER => one(number(word, rng)),
        12 if token == SyntaxKind::FLOAT => one("1".to_owned()),
        13 if token == SyntaxKind::IDENT => one(misspell(word, rng)),
        14 if is_header(text, tokens, words, at) => one(if word.starts_with("sm_") {
            any_target(rng).to_owned()
        } else {
            any_version(rng)
        }),
        15 => one(format!("{} {word}", any(rng))),
        _ => None,
    }
}

/// Whether the word follows `.version` or `.target`.
fn is_header(text: &str, tokens: &Tokens, words: &[usize], at: usize) -> bool {
    at.checked_sub(1)
        .and_then(|it| words.get(it))
        .is_some_and(|it| matches!(tokens.text(text, *it), ".version" | ".target"))
}

/// Another number, often one at the edge of a range.
fn number(old: &str, rng: &mut Rng) -> String {
    const EDGES: [&str; 22] = [
        "0",
        "1",
        "2",
        "3",
        "4",
        "5",
        "7",
        "8",
        "15",
        "16",
        "31",
        "32",
        "33",
        "63",
        "64",
        "127",
        "255",
        "256",
        "1024",
        "65536",
        "4294967296",
        "18446744073709551616",
    ];
    let near = old.parse::<u64>().ok().map(|it| match rng.u8(..4) {
        0 => it.saturating_add(1).to_string(),
        1 => it.saturating_sub(1).to_string(),
        2 => it.saturating_mul(2).to_string(),
        _ => format!("-{it}"),
    });
    match near {
        Some(near) if rng.bool() => near,
        _ if rng.u8(..8) == 0 => "0f3F800000".to_owned(),
        _ => EDGES[rng.usize(..EDGES.len())].to_owned(),
    }
}

/// A name with one character more, less or other.
fn misspell(name: &str, rng: &mut Rng) -> String {
    let mut characters: Vec<char> = name.chars().collect();
    let at = rng.usize(..characters.len());
    let other = *rng
        .choice("0123456789abdfprsx_".as_bytes())
        .unwrap_or(&b'x');
    match rng.u8(..3) {
        0 if characters.len() > 1 => {
            characters.remove(at);
        }
        1 => characters.insert(at + 1, char::from(other)),
        _ => characters[at] = char::from(other),
    }
    characters.into_iter().collect()
}

/// The files of a folder, or programs of the project.
pub fn sources(folder: Option<&Path>) -> Vec<Fixture> {
    match folder {
        Some(folder) => crate::fixtures::files_below(folder, "ptx"),
        None => {
            let mut files = crate::fixtures::ptx();
            let recorded = super::recorded::read::<super::recorded::RecordedProgram>(
                &super::recorded::programs_file(),
            );
            let (_, programs) = recorded.expect("the recorded verdicts are there");
            files.extend(
                programs
                    .into_iter()
                    .filter(|it| it.messages.is_empty())
                    .map(|it| Fixture {
                        name: it.name,
                        text: it.source,
                    }),
            );
            files.push(Fixture {
                name: "generated".to_owned(),
                text: crate::generate::module(MAX_LEN / 2),
            });
            files
        }
    }
}
