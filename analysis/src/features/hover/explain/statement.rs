//! Statements and opcodes with modifiers, finished or not.

use std::fmt::Write as _;

use isa::{
    documentation::{self, Example, InstructionPage},
    table::{Instruction, tables},
    target::{Gate, Target, Version},
};

use crate::Explanation;

use super::{
    super::{
        documentation::{footer, syntax_lines},
        outcome::parts,
    },
    computed::computed,
    search, spelling,
};
use crate::features::completion::nearest::{
    Nearest, availability, everywhere, flattened, nearest, present,
};

/// Statements of one question that are explained.
const MAX_STATEMENTS: usize = 3;

/// The pages of the statements in a text, without declarations.
pub(super) fn explain(asked: &str, target: Option<Target>) -> Vec<Explanation> {
    let statements = asked.split(';').map(str::trim).filter(|it| !it.is_empty());
    statements
        .filter_map(|it| one(it, target))
        .take(MAX_STATEMENTS)
        .collect()
}

/// The page of a statement with modifiers, if a form has all of them.
pub(super) fn fitting(asked: &str, target: Option<Target>) -> Option<Explanation> {
    let written = Written::read(asked)?;
    let module = everywhere().next()?;
    let count = written.operands.len();
    let nearest = nearest(written.opcode, &written.words, count, module)?;
    let is_whole = !written.words.is_empty() && nearest.foreign.is_empty();
    one(asked, target).filter(|_| is_whole)
}

/// Whether a text may be operands: `b32`, `%r1, 7`, and not words of a sentence.
fn are_operands(all: &[&str]) -> bool {
    let has_sign = |it: &str| it.contains(|it: char| "[]{}()%|+-!".contains(it));
    all.iter()
        .all(|it| !it.contains(char::is_whitespace) || has_sign(it))
}

/// A statement in parts.
struct Written<'a> {
    opcode: &'a str,
    words: Vec<&'a str>,
    operands: Vec<&'a str>,
}

impl<'a> Written<'a> {
    fn read(text: &'a str) -> Option<Written<'a>> {
        let mut text = text.trim_start_matches(['{', ' ', '\t']);
        // A label, a guard.
        if let Some((label, rest)) = text.split_once(':')
            && !rest.starts_with(':')
            && label
                .chars()
                .all(|it| it.is_ascii_alphanumeric() || "_$%".contains(it))
            && !rest.trim().is_empty()
        {
            text = rest.trim_start();
        }
        if text.starts_with('@') {
            text = text.split_once(char::is_whitespace)?.1.trim_start();
        }
        let (head, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mut words = head.split('.');
        Some(Written {
            opcode: words.next().filter(|it| !it.is_empty())?,
            words: words.filter(|it| !it.is_empty()).collect(),
            operands: operands(rest),
        })
    }
}

/// The operands between the commas outside brackets.
fn operands(text: &str) -> Vec<&str> {
    let mut found = parts(text, ',');
    found.retain(|it| !it.is_empty());
    found
}

fn one(statement: &str, target: Option<Target>) -> Option<Explanation> {
    let written = Written::read(statement)?;
    // `wgmma`, `cp.async.bul`: nothing but the beginning of names.
    let module = everywhere().next()?;
    if written.operands.is_empty()
        && let Some(overview) = search::prefix(statement)
    {
        return Some(overview);
    }
    let nearest = nearest(
        written.opcode,
        &written.words,
        written.operands.len(),
        module,
    )?;
    // `cp.asyn.bulk` is a misspelt name rather than `cp.async` with other modifiers.
    if written.operands.is_empty()
        && !nearest.foreign.is_empty()
        && spelling::is_near_instruction(statement)
    {
        return None;
    }
    let instruction = nearest.reading.instruction;
    // `mbarrier phase parity` and `add two numbers` begin like instructions, and are questions.
    let is_name = documentation::instruction(written.opcode).is_some();
    let is_word = |it: &&str| it.chars().all(|it| it.is_ascii_alphabetic());
    let is_text = !is_name && written.words.is_empty() && written.operands.iter().all(is_word);
    if !are_operands(&written.operands) || is_text && !written.operands.is_empty() {
        return None;
    }
    let name = match written.operands.is_empty() && nearest.foreign.is_empty() {
        true => statement.to_owned(),
        false => instruction.name.to_owned(),
    };
    let page = documentation::instruction(instruction.name)?;
    let mut text = format!("{}\n\n```ptx\n{}\n```\n\n", page.summary, nearest.form());
    let count = match written.operands.len() {
        0 => present(&nearest.reading).len(),
        it => it,
    };
    let problems = nearest.problems(count);
    let closed: Vec<String> = nearest
        .foreign
        .iter()
        .filter_map(|word| meant(word, instruction))
        .collect();
    if !problems.is_empty() {
        let _ = writeln!(text, "{problems}{}\n", closed.concat());
    }
    let kept: Vec<&str> = written
        .words
        .iter()
        .copied()
        .filter(|word| !nearest.foreign.iter().any(|it| it == word))
        .collect();
    text.push_str(&judged(written.opcode, &kept, instruction, target));
    // Before the page, as that is the same for every statement.
    if !written.operands.is_empty()
        && let Some(outcome) = computed(statement)
    {
        let _ = writeln!(text, "{outcome}\n");
    }
    text.push_str(page.description);
    text.push('\n');
    operands_of(&mut text, &nearest, &written.operands, page);
    chosen(&mut text, &nearest);
    rest(&mut text, page, instruction, "");
    Some(Explanation {
        name,
        kind: "instruction",
        text,
    })
}

/// A word of the instruction that a wrong one is close to.
fn meant(word: &str, instruction: &Instruction) -> Option<String> {
    let close = spelling::closest(word, instruction.words.iter().copied())?;
    Some(format!(" Did you mean `.{close}`?"))
}

/// The whole page of an instruction, by its name.
pub(super) fn page(name: &str, target: Option<Target>) -> Option<String> {
    let page = documentation::instruction(name)?;
    let mut sections = tables().with_name(name);
    let first = sections.next()?;
    let mut text = format!(
        "{}\n\n```ptx\n{}\n```\n\n",
        page.summary,
        syntax_lines(first, sections).join("\n")
    );
    text.push_str(&judged(first.opcode, &first.fixed, first, target));
    text.push_str(page.description);
    text.push('\n');
    entries(
        &mut text,
        "Operands",
        page.operands.iter().map(|it| (&it.words, it.text)),
    );
    let mut modifiers = String::new();
    entries(
        &mut modifiers,
        "Modifiers",
        page.modifiers.iter().map(|it| (&it.words, it.text)),
    );
    rest(&mut text, page, first, &modifiers);
    Some(text)
}

/// For which targets and versions the words are legal, and whether the asked target is one of them.
fn judged(
    opcode: &str,
    words: &[&str],
    instruction: &Instruction,
    target: Option<Target>,
) -> String {
    let (accepted, least) = availability(opcode, words);
    if accepted.is_empty() {
        return String::new();
    }
    let least = least.map(|it| documentation::documented_since(instruction.name, it));
    let gate = Gate {
        targets: accepted.clone(),
        ..Gate::default()
    };
    let mut text = String::new();
    let mut needed: Vec<String> = gate.alternatives().map(|it| format!("`{it}`")).collect();
    let everywhere = accepted.first().is_some_and(|it| it.number <= 20);
    if needed.len() > 6 {
        needed.truncate(6);
        needed.push("…".to_owned());
    }
    let since = least
        .filter(|it| *it > Version::new(1, 4))
        .map_or_else(String::new, |it| format!(", PTX ISA {it}"));
    let needs = match everywhere {
        true => format!("all targets{since}"),
        false => format!("{}{since}", needed.join(" or ")),
    };
    match target {
        Some(target) if accepted.contains(&target) => {
            let _ = writeln!(text, "Available on `{target}` (needs {needs}).\n");
        }
        Some(target) => {
            let _ = writeln!(text, "Not available on `{target}`: needs {needs}.\n");
        }
        None if everywhere => {
            let _ = writeln!(text, "Available on {needs}.\n");
        }
        None => {
            let _ = writeln!(text, "Needs {needs}.\n");
        }
    }
    text
}

fn entries<'a>(
    text: &mut String,
    heading: &str,
    all: impl Iterator<Item = (&'a Vec<&'static str>, &'static str)>,
) {
    let mut lines = String::new();
    for (words, meaning) in all {
        let words: Vec<String> = words.iter().map(|it| format!("`{it}`")).collect();
        let _ = writeln!(lines, "- {}: {meaning}", words.join(", "));
    }
    if !lines.is_empty() {
        let _ = write!(text, "\n## {heading}\n\n{lines}");
    }
}

/// The words that were chosen: what they mean everywhere, then what they mean here.
fn chosen(text: &mut String, nearest: &Nearest) {
    let mut lines = String::new();
    let instruction = nearest.reading.instruction;
    for id in nearest.reading.choices.slots.iter().flatten() {
        let Some(word) = instruction.words.get(usize::from(*id)) else {
            continue;
        };
        let meaning = documentation::meanings(instruction.name, word);
        if !meaning.is_empty() {
            let _ = writeln!(lines, "- `.{word}`: {}", meaning.join(" Here: "));
        }
    }
    if !lines.is_empty() {
        let _ = write!(text, "\n## Modifiers\n\n{lines}");
    }
}

/// The operands of the form with what is written for them.
fn operands_of(text: &mut String, nearest: &Nearest, written: &[&str], page: &InstructionPage) {
    let mut lines = String::new();
    for (index, pattern) in present(&nearest.reading).into_iter().enumerate() {
        let mut names = Vec::new();
        flattened(pattern, &nearest.reading, &mut names);
        let shown = written
            .get(index)
            .map_or_else(String::new, |it| format!(" (`{it}`)"));
        for (place, name) in names.iter().enumerate() {
            let meaning = page.operand(name).map_or("", |it| it.text);
            let shown = if place == 0 { shown.as_str() } else { "" };
            let _ = writeln!(lines, "- `{name}`{shown}: {meaning}");
        }
    }
    if !lines.is_empty() {
        let _ = write!(text, "\n## Operands\n\n{lines}");
    }
}

/// An example, then all that a first look does not need: pseudo-code, modifiers, notes, more examples, sources.
fn rest(text: &mut String, page: &InstructionPage, instruction: &Instruction, modifiers: &str) {
    let example = |text: &mut String, it: &Example<'_>| {
        let _ = write!(
            text,
            "\nPTX ISA {}, `{}`:\n\n```ptx\n{}\n```\n",
            it.version, it.target, it.text
        );
    };
    if let Some(first) = page.examples.first() {
        text.push_str("\n## Example\n");
        example(text, first);
    }
    let notes = page.all_notes();
    if !notes.is_empty() {
        let _ = write!(text, "\n## Notes\n\n{notes}");
    }
    text.push_str(modifiers);
    if !page.code.is_empty() {
        let code = page.code.trim_end();
        let _ = write!(text, "\n## Pseudo-code\n\n```c\n{code}\n```\n");
    }
    if page.examples.len() > 1 {
        text.push_str("\n## More examples\n");
        page.examples
            .iter()
            .skip(1)
            .for_each(|it| example(text, it));
    }
    text.push_str(&footer(page, instruction));
}
