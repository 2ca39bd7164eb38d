//! The hover of an opcode: the page of its instruction, cut to what concerns this line.
//!
//! Finished and unfinished statements share it: an unfinished one has the nearest form and, above the page, what is
//! still missing. A hover is for reading at a glance, so the parts that matter least are left out beyond
//! [`MAX_CHARACTERS`]; `ptx-analyzer explain` and the book have all of it.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use isa::{
    documentation::{self, InstructionPage},
    layout::Shape,
    matcher::Fit,
    operand::Operand,
    table::{Instruction, OperandPattern},
    target::Module,
    types::{Class, type_of},
};

use crate::{
    features::{
        completion::nearest::{Nearest, flattened, form, nearest, present, reading_of},
        hover::{
            documentation::{demand, footer},
            outcome,
        },
    },
    hir::{operand::describe, tree},
};

use super::matched::MatchedInstruction;

/// Characters of a hover.
pub(super) const MAX_CHARACTERS: usize = 2_500;

/// Characters of a hover that are left to the protocol of the instruction, which follows the page.
const PROTOCOL_CHARACTERS: usize = 250;
/// Characters of an operand that are repeated.
const MAX_OPERAND: usize = 32;
/// Characters of the statement that are repeated below its form.
const MAX_STATEMENT: usize = 160;

/// A part of a hover. Parts with greater numbers are left out first.
struct HoverPart {
    rank: u8,
    text: String,
}

/// The hover of a statement; none if there is no such opcode.
pub(super) fn opcode(
    found: &MatchedInstruction<'_>,
    opcode: &str,
    shown: &str,
    fragments: &str,
    outcome: Option<String>,
) -> Option<String> {
    let words: Vec<&str> = found.modifiers.iter().map(|it| &it.text()[1..]).collect();
    let count = found.nodes.len();
    let (nearest, fits) = match &found.fit {
        Some(fit) => (fitting(fit, found.module, count), true),
        None => (nearest(opcode, &words, count, found.module)?, false),
    };
    let reading = &nearest.reading;
    let instruction = reading.instruction;
    let page = documentation::instruction(instruction.name);
    let mut parts = vec![HoverPart {
        rank: 0,
        text: format!(
            "```ptx\n{}{}\n```\n",
            heading(&form(reading), fits),
            shortened(shown, MAX_STATEMENT)
        ),
    }];
    let mut add = |rank: u8, text: String| {
        if !text.is_empty() {
            parts.push(HoverPart { rank, text });
        }
    };
    if !fits {
        let problems = nearest.problems(count);
        let is_open = shown.trim_end().ends_with(['[', '{', '(', '|', '+', ',']);
        let problems = match (problems.is_empty(), is_open) {
            (true, true) => "The last operand is unfinished.".to_owned(),
            (true, false) => "No form takes these operands.".to_owned(),
            (false, _) => problems,
        };
        add(0, format!("{problems}\n"));
    }
    if let Some(page) = page {
        add(0, format!("\n{}\n", page.summary));
        if !page.description.is_empty() {
            add(2, format!("\n{}\n", page.description));
        }
    }
    add(1, operands(found, &nearest, page, fits));
    if let Some(outcome) = outcome {
        add(1, format!("\n{outcome}\n"));
    }
    for (rank, text) in modifiers(&nearest) {
        add(rank, text);
    }
    if let Some(size) = size(found) {
        add(1, format!("\n{size}\n"));
    }
    // No other text says which lane holds what.
    add(1, fragments.to_owned());
    if let Some(page) = page {
        if !page.code.is_empty() {
            add(3, format!("\n```c\n{}\n```\n", page.code.trim_end()));
        }
        let present: Vec<&str> = reading
            .choices
            .slots
            .iter()
            .flatten()
            .filter_map(|id| instruction.words.get(usize::from(*id)).copied())
            .collect();
        for (index, note) in notes(page, instruction, &present, found.module)
            .into_iter()
            .enumerate()
        {
            let gap = if index == 0 { "\n" } else { "" };
            // The first notes are what bites most.
            add(if index < 2 { 2 } else { 4 }, format!("{gap}- {note}\n"));
        }
        if let Some(example) = page.examples.first().filter(|_| !fits) {
            add(5, format!("\n```ptx\n{}\n```\n", example.text));
        }
    }
    if let Some(demand) = demand(&reading.variant.gate, instruction.name) {
        let Module {
            version, target, ..
        } = found.module;
        add(
            1,
            format!(
                "\nThis form needs {demand}; the module is PTX ISA {version} for `{target}`.\n"
            ),
        );
    }
    let foot = match page {
        Some(page) => footer(page, instruction),
        None => String::new(),
    };
    add(0, foot);
    Some(within(parts, instruction))
}

/// The line with the form above a statement. The operands below say which is which, so a form without anything optional
/// says nothing about a statement that fits.
fn heading(form: &str, fits: bool) -> String {
    match fits && !form.contains('{') {
        true => String::new(),
        false => format!("{form}\n"),
    }
}

/// The name of the instruction that is nearest to a statement.
pub(super) fn nearest_name(found: &MatchedInstruction<'_>, opcode: &str) -> Option<&'static str> {
    let words: Vec<&str> = found.modifiers.iter().map(|it| &it.text()[1..]).collect();
    let nearest = nearest(opcode, &words, found.nodes.len(), found.module)?;
    Some(nearest.reading.instruction.name)
}

/// A fit as a form without problems.
fn fitting(fit: &Fit<'static>, module: Module, operands: usize) -> Nearest {
    Nearest {
        reading: reading_of(fit, module, operands),
        foreign: Vec::new(),
        missing: Vec::new(),
    }
}

/// The parts that fit into a hover, in their order.
fn within(mut parts: Vec<HoverPart>, instruction: &Instruction) -> String {
    let more = format!("\n\nMore: `ptx-analyzer explain {}`", instruction.name);
    let length =
        |parts: &[HoverPart]| -> usize { parts.iter().map(|it| it.text.chars().count()).sum() };
    let mut is_cut = false;
    while length(&parts) + more.chars().count() > MAX_CHARACTERS - PROTOCOL_CHARACTERS {
        let last = parts.iter().map(|it| it.rank).max().filter(|it| *it > 0);
        let Some(at) = last.and_then(|rank| parts.iter().rposition(|it| it.rank == rank)) else {
            break;
        };
        parts.remove(at);
        is_cut = true;
    }
    let mut text: String = parts.into_iter().map(|it| it.text).collect();
    if is_cut {
        text.push_str(&more);
    }
    text
}

/// The words that were chosen, each with what it means everywhere and what it means here.
fn modifiers(nearest: &Nearest) -> Vec<(u8, String)> {
    let reading = &nearest.reading;
    let mut all = Vec::new();
    for id in reading.choices.slots.iter().flatten() {
        let Some(word) = reading.instruction.words.get(usize::from(*id)) else {
            continue;
        };
        let meanings = documentation::meanings(reading.instruction.name, word);
        // What everybody knows of a type is not about this statement.
        let is_plain_type = meanings.len() == 1 && Class::from_word(word).is_some();
        if meanings.is_empty() || is_plain_type {
            continue;
        }
        let gap = if all.is_empty() { "\n" } else { "" };
        let line = format!("{gap}- `.{word}`: {}\n", meanings.join(" Here: "));
        // What every warp instruction says is known.
        let rank = if matches!(*word, "sync" | "aligned") {
            4
        } else {
            2
        };
        if !all
            .iter()
            .any(|it: &(u8, String)| it.1.trim_start() == line.trim_start())
        {
            all.push((rank, line));
        }
    }
    all
}

/// An operand of a form as it is written.
struct Shown {
    /// The text that is written for it, if that can be told, and its name in the form.
    name: String,
    /// Its kind, in words.
    described: String,
    /// The role.
    role: String,
}

/// The operands of the form, each with what is written for it and its role. Neighbours with one role share a line.
fn operands(
    found: &MatchedInstruction<'_>,
    nearest: &Nearest,
    page: Option<&InstructionPage>,
    fits: bool,
) -> String {
    let mut all: Vec<Shown> = Vec::new();
    let present = present(&nearest.reading);
    let mut in_form = Vec::new();
    for pattern in &present {
        flattened(pattern, &nearest.reading, &mut in_form);
    }
    let mut words = found.modifiers.iter();
    let shape = words.find_map(|it| Shape::parse(&it.text()[1..]));
    for (index, pattern) in present.into_iter().enumerate() {
        let node = found.nodes.get(index);
        let written = node.map(|it| tree::OneLine::of(it));
        let mut names = Vec::new();
        flattened(pattern, &nearest.reading, &mut names);
        let parts = written
            .as_deref()
            .map(|it| parts(it, names.len()))
            .unwrap_or_default();
        for (place, name) in names.iter().enumerate() {
            let written = parts.get(place).map(|it| shortened(it, MAX_OPERAND));
            let written = written.map(|it| format!("`{it}` = "));
            let operand = found.operands.get(index);
            let operand = operand.filter(|it| names.len() == 1 && says_more(it));
            let entry = page.and_then(|it| it.operand(name));
            // Which words an unfinished statement will have is not known yet.
            let role = entry.map(|it| match fits {
                true => clauses(it.text, nearest, &in_form, page),
                false => it.text.to_owned(),
            });
            let count = match found.operands.get(index) {
                Some(Operand::Vector(elements)) if shape.is_some() => Some(elements.len()),
                _ => None,
            };
            let role = role.map(|it| match count {
                Some(count) => with_count(&it, count),
                None => it,
            });
            all.push(Shown {
                name: format!("{}`{name}`", written.unwrap_or_default()),
                described: operand.map_or_else(String::new, |it| format!(", {}", describe(it))),
                role: role.unwrap_or_default(),
            });
        }
    }
    let mut text = String::new();
    let mut rest = &all[..];
    while let Some(first) = rest.first() {
        let same = |it: &&Shown| !first.role.is_empty() && it.role == first.role;
        let count = rest.iter().take_while(same).count().max(1);
        let (group, after) = rest.split_at(count);
        let names = group
            .iter()
            .map(|it| format!("{}{}", it.name, it.described));
        let names: Vec<String> = names.collect();
        let _ = write!(text, "\n- {}", names.join("; "));
        if !first.role.is_empty() {
            let _ = write!(text, ": {}", first.role);
        }
        rest = after;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// The numbers of a product of matrices.
fn size(found: &MatchedInstruction<'_>) -> Option<String> {
    let words = || found.modifiers.iter().map(|it| &it.text()[1..]);
    let shape = words().find_map(Shape::parse)?;
    // Loads and stores of a matrix have one type.
    if words().filter(|it| type_of(it).is_some()).count() < 2 {
        return None;
    }
    let Shape { m, n, k } = shape;
    let operations = grouped(shape.operations());
    Some(format!(
        "M = {m}, N = {n}, K = {k}: {operations} operations."
    ))
}

/// A number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The part of a text about an operand that concerns this form: clauses about other words and operands are left out.
fn clauses(
    text: &str,
    nearest: &Nearest,
    in_form: &[&str],
    page: Option<&InstructionPage>,
) -> String {
    let instruction = nearest.reading.instruction;
    let slots = nearest.reading.choices.slots.iter().flatten();
    let present: Vec<&str> = slots
        .filter_map(|id| instruction.words.get(usize::from(*id)).copied())
        .collect();
    // Of nothing but exceptions the clause is about this form.
    let excludes = |it: &str| {
        let words = [
            " no ", " not ", " but ", "without", "except", "unless", "else",
        ];
        words.iter().any(|word| it.contains(word))
    };
    let concerns = |clause: &str| {
        let quoted: Vec<&str> = clause.split('`').skip(1).step_by(2).collect();
        let is_known = |it: &&&str| match it.strip_prefix('.') {
            Some(word) => instruction.words.contains(&word) || type_of(word).is_some(),
            None => page.is_some_and(|page| page.operand(it).is_some()),
        };
        let is_here = |it: &&str| match it.strip_prefix('.') {
            Some(word) => present.iter().any(|it| is_kind_of(it, word)),
            None => in_form.contains(it),
        };
        let known: Vec<&str> = quoted.iter().filter(is_known).copied().collect();
        known.is_empty() || known.iter().any(is_here) || excludes(clause)
    };
    let mut out = String::new();
    for (number, sentence) in text.split_inclusive(". ").enumerate() {
        let kept: Vec<&str> = sentence
            .trim_end_matches(['.', ' '])
            .split("; ")
            .enumerate()
            .filter(|(at, clause)| number == 0 && *at == 0 || concerns(clause))
            .map(|it| it.1)
            .collect();
        if !kept.is_empty() {
            let gap = if out.is_empty() { "" } else { " " };
            let _ = write!(out, "{gap}{}.", kept.join("; "));
        }
    }
    out
}

/// A text about a fragment with the number of its registers in place of the clause with the formula.
fn with_count(text: &str, count: usize) -> String {
    let Some((role, formula)) = text.split_once("; N / ") else {
        return text.to_owned();
    };
    let rest = formula.find(". ").map_or(".", |at| &formula[at..]);
    format!("{role}; {count} registers{rest}")
}

/// Whether an operand is described in words beside its text.
fn says_more(operand: &Operand) -> bool {
    !matches!(
        operand,
        Operand::Unknown | Operand::Address(..) | Operand::Vector(_)
    )
}

/// The parts of an operand, as many as it has names: of `d|p` and `[a, {b, c}]`, or the whole.
fn parts(written: &str, count: usize) -> Vec<String> {
    if count <= 1 {
        return vec![written.to_owned()];
    }
    let inside = written
        .strip_prefix('[')
        .and_then(|it| it.strip_suffix(']'));
    let (text, separator) = match inside {
        Some(inside) => (inside, ','),
        None => (written, '|'),
    };
    let parts = outcome::parts(text, separator);
    parts.into_iter().map(str::to_owned).collect()
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let elements = text.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
    if let Some((first, rest)) = elements.and_then(|it| it.split_once(','))
        && let Some(last) = rest.rsplit(',').next()
    {
        return format!("{{{} … {}}}", first.trim(), last.trim());
    }
    let start: String = text.chars().take(most - 1).collect();
    format!("{start}…")
}

/// The notes that concern these words and this target.
///
/// A note with tags is about statements with one of them. A note whose first word is a modifier of the instruction
/// that is not here is about others.
fn notes(
    page: &InstructionPage,
    instruction: &Instruction,
    present: &[&str],
    module: Module,
) -> Vec<&'static str> {
    let is_here = |tag: &str| match tag.strip_prefix('.') {
        Some(word) => present.iter().any(|it| is_kind_of(it, word)),
        None => {
            let name = module.target.to_string();
            name.trim_end_matches(['a', 'f']) == tag.trim_end_matches(['a', 'f'])
        }
    };
    let all = page.tagged_notes().filter(|note| {
        if !note.tags.is_empty() {
            return note.tags.iter().any(|it| is_here(it));
        }
        let first = note.text.trim_start_matches("With ").strip_prefix("`.");
        let first = first.and_then(|it| it.split_once('`'));
        first.is_none_or(|(word, _)| {
            !instruction.words.contains(&word) || present.iter().any(|it| is_kind_of(it, word))
        })
    });
    all.map(|it| it.text).collect()
}

/// Whether a word is the one of a tag, or begins with it and `::`.
fn is_kind_of(word: &str, tag: &str) -> bool {
    word.strip_prefix(tag)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The operand at a place: its name in the form, and its role.
///
/// `before` is the text of the operand up to the place; it tells which part of `d|p` or `[a, {b, c}]` is meant.
pub(super) fn role(
    found: &MatchedInstruction<'_>,
    opcode: &str,
    index: usize,
    before: &str,
) -> Option<String> {
    let words: Vec<&str> = found.modifiers.iter().map(|it| &it.text()[1..]).collect();
    let count = found.nodes.len();
    let nearest = match &found.fit {
        Some(fit) => fitting(fit, found.module, count),
        None => nearest(opcode, &words, count, found.module)?,
    };
    let pattern: &'static OperandPattern = present(&nearest.reading).get(index).copied()?;
    let mut names = Vec::new();
    flattened(pattern, &nearest.reading, &mut names);
    let separator = if before.starts_with('[') { ',' } else { '|' };
    let mut depth = 0_i32;
    let part = before.trim_start_matches('[').chars().filter(|letter| {
        depth += i32::from(*letter == '{') - i32::from(*letter == '}');
        *letter == separator && depth == 0
    });
    let name = names.get(part.count()).or(names.first()).copied()?;
    let page = documentation::instruction(nearest.reading.instruction.name)?;
    let text = page.operand(name)?.text;
    Some(format!("`{name}` of `{}`: {text}", page.name))
}
