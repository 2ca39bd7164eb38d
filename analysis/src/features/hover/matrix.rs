//! Matrix instructions: which lane holds which element, and descriptors field by field.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use isa::{
    descriptor::{self, Format},
    layout::{Axis, DigitSource, Fragment, Layout, layout},
    operand::Operand,
    types,
};
use syntax::{Cursor, SyntaxKind, TextSize};

use crate::{features::hover::known_bits::known_bits, hir::symbol::name_at};

use super::{WordContext, matched::MatchedInstruction};

/// Fragments with more registers are shown as one formula.
const MAX_REGISTERS: u32 = 8;
/// Lanes of a warp, and lanes in a line of a table.
const WARP: u32 = 32;
const LANES_IN_A_LINE: u32 = 4;

/// A fragment that is there as registers, with its place among the operands.
pub(super) struct Held<'a> {
    pub(super) index: usize,
    pub(super) fragment: &'a Fragment,
}

impl MatchedInstruction<'_> {
    pub(super) fn layout(&self) -> Option<Layout> {
        let words: Vec<&str> = self.modifiers.iter().map(|it| &it.text()[1..]).collect();
        layout(self.fit.as_ref()?.instruction.name, &words)
    }

    /// The operand with a name in the tables, and the number of registers in it.
    fn vector(&self, name: &str) -> Option<(usize, usize)> {
        let index =
            (0..self.nodes.len()).find(|it| self.pattern(*it).is_some_and(|it| it.name == name))?;
        let count = match self.operands.get(index)? {
            Operand::Vector(elements) => elements.len(),
            Operand::Register { lanes, .. } => usize::from(*lanes),
            _ => return None,
        };
        Some((index, count))
    }

    /// The fragments that are here in registers, and are as long as they should be.
    pub(super) fn held<'a>(&self, fragments: &'a [Fragment]) -> Vec<Held<'a>> {
        let held = |fragment: &'a Fragment| {
            let (index, count) = self.vector(fragment.operand)?;
            (count == fragment.registers as usize).then_some(Held { index, fragment })
        };
        fragments.iter().filter_map(held).collect()
    }
}

/// The fragments of an instruction as a table, after its operands.
pub(super) fn fragments(text: &mut String, found: &MatchedInstruction<'_>) {
    match found.layout() {
        Some(Layout::Fragments(all)) => {
            let held = found.held(&all);
            if !held.is_empty() {
                let _ = write!(text, "\n{}", table(&held));
            }
        }
        Some(Layout::Unspecified(operands)) => {
            let counts: Vec<String> = operands
                .iter()
                .filter_map(|name| Some((name, found.vector(name)?.1)))
                .map(|(name, count)| format!("`{name}` {count}"))
                .collect();
            let _ = writeln!(
                text,
                "\nWhich lane holds which element is not specified; registers of a lane: {}.",
                counts.join(", ")
            );
        }
        None => {}
    }
}

/// Whose type a word of a product of matrices is: D, A, B and C follow each other.
pub(super) fn whose_type(found: &MatchedInstruction<'_>, index: usize) -> Option<&'static str> {
    found.layout()?;
    let types: Vec<usize> = (0..found.modifiers.len())
        .filter(|it| types::type_of(&found.modifiers[*it].text()[1..]).is_some())
        .collect();
    let names: &[&str] = match types.len() {
        4 => &["D", "A", "B", "C"],
        3 => &["D", "A", "B"],
        _ => return None,
    };
    let at = types.iter().position(|it| *it == index)?;
    names.get(at).copied()
}

/// The fragments as a table of formulas, with a legend.
pub(super) fn table(held: &[Held<'_>]) -> String {
    let all: Vec<&Fragment> = held.iter().map(|it| it.fragment).collect();
    let mut text = format!("Fragments, with {}:\n\n", legend(&all));
    let parts = all.iter().find(|it| it.parts.1 > 1).map(|it| it.parts.0);
    let (heading, line) = match parts {
        Some(name) => (format!(" {name} |"), "---|"),
        None => (String::new(), ""),
    };
    let _ = writeln!(
        text,
        "| register | of |{heading} row | column |\n|---|---|{line}---|---|"
    );
    let mut done: Vec<&Fragment> = Vec::new();
    for fragment in &all {
        // C and D are mostly spread alike: one table for both.
        let twins: Vec<&&Fragment> = all.iter().filter(|it| alike(it, fragment)).collect();
        if done.iter().any(|it| alike(it, fragment)) {
            continue;
        }
        done.push(fragment);
        let names = |index: &str| {
            let names: Vec<String> = twins
                .iter()
                .map(|it| format!("`{}[{index}]`", it.operand))
                .collect();
            names.join(", ")
        };
        let matrices: Vec<&str> = twins.iter().map(|it| it.matrix).collect();
        let mut line = |names: String, register: Option<u32>| {
            let formula = fragment.formula(register);
            let part = match (parts, formula.part) {
                (None, _) => String::new(),
                (Some(_), part) => format!(" {} |", part.unwrap_or_default()),
            };
            let _ = writeln!(
                text,
                "| {names} | {} |{part} {} | {} |",
                matrices.join(", "),
                formula.row,
                formula.column
            );
        };
        if fragment.registers > MAX_REGISTERS {
            line(names("i"), None);
        } else {
            for register in 0..fragment.registers {
                line(names(&register.to_string()), Some(register));
            }
        }
    }
    if let Some(note) = all.iter().find_map(|it| kept_note(it)) {
        let _ = writeln!(text, "\n{note}");
    }
    text
}

/// Whether two fragments are spread over lanes and registers in the same way.
fn alike(a: &Fragment, b: &Fragment) -> bool {
    (a.terms.as_slice(), a.registers, a.elements) == (b.terms.as_slice(), b.registers, b.elements)
}

/// The meaning of the letters of the formulas.
fn legend(fragments: &[&Fragment]) -> String {
    let uses = |source, divide, modulo| {
        let mut terms = fragments.iter().flat_map(|it| &it.terms);
        terms.any(|it| (it.source, it.divide, it.modulo) == (source, divide, modulo))
    };
    let mut parts = Vec::new();
    if uses(DigitSource::Lane, 4, 8) {
        parts.push("`g = lane / 4`");
    }
    if uses(DigitSource::Lane, 1, 4) {
        parts.push("`t = lane % 4`");
    }
    if uses(DigitSource::Lane, 32, 4) {
        parts.push("`w` the warp in its warpgroup");
    }
    let numbered = |it: &&Fragment| {
        let along = |axis| {
            let mut terms = it.terms.iter();
            terms.any(|it| it.source == DigitSource::Element && it.axis == axis)
        };
        along(Axis::Row) && along(Axis::Column)
    };
    if fragments.iter().any(numbered) {
        parts.push("`e` the element in the register, lowest bits first");
    } else if fragments.iter().any(|it| it.elements > 1) {
        parts.push("the first of several elements in the lowest bits");
    }
    if parts.is_empty() {
        parts.push("`lane` the thread in its warp");
    }
    parts.join(", ")
}

/// The elements that are left out of a sparse matrix.
fn kept_note(fragment: &Fragment) -> Option<String> {
    let (kept, of) = fragment.kept?;
    let pairs = if kept == 4 { " as two pairs" } else { "" };
    Some(format!(
        "Of each {of} neighbouring columns of {} {kept} are kept{pairs}: the columns are those among which they are.",
        fragment.matrix
    ))
}

impl WordContext<'_> {
    /// The instruction around the word, and the index of the operand with it.
    pub(super) fn operand_around(&self, offset: TextSize) -> Option<(Cursor<'_>, usize)> {
        let mut nodes = self.path.iter().rev();
        let instruction = *nodes.find(|it| it.kind() == SyntaxKind::INSTRUCTION)?;
        let at = offset - self.start;
        let mut operands = crate::hir::tree::operand_nodes(&instruction);
        let index = operands.position(|it| it.range().contains(at))?;
        Some((instruction, index))
    }

    /// The contents of a register of a fragment.
    pub(super) fn element(&self, offset: TextSize) -> Option<String> {
        let (instruction, index) = self.operand_around(offset)?;
        let found = self.find(&instruction)?;
        let Layout::Fragments(all) = found.layout()? else {
            return None;
        };
        let held = found.held(&all);
        let fragment = held.iter().find(|it| it.index == index)?.fragment;
        let node = found.nodes.get(index)?;
        let at = offset - self.start;
        let register = match node.kind() {
            SyntaxKind::VECTOR => node.nodes().position(|it| it.range().contains(at))?,
            // A register that is a vector is all of the fragment.
            _ if fragment.registers > 1 => return None,
            _ => 0,
        };
        Some(register_of(fragment, u32::try_from(register).ok()?))
    }

    /// The descriptor that an operand of an instruction is.
    pub(super) fn descriptor(&self, offset: TextSize) -> Option<Format> {
        let (instruction, index) = self.operand_around(offset)?;
        let found = self.find(&instruction)?;
        let words: Vec<&str> = found.modifiers.iter().map(|it| &it.text()[1..]).collect();
        let name = found.fit.as_ref()?.instruction.name;
        // A part of an expression is not a descriptor.
        let is_whole = matches!(
            found.nodes.get(index)?.kind(),
            SyntaxKind::LITERAL | SyntaxKind::NAME_REFERENCE
        );
        let operand = found.pattern(index)?.name;
        let format = descriptor::format(name, operand, &words, found.module.target);
        format.filter(|_| is_whole)
    }

    /// The descriptor in a register, as far as it follows from constants.
    pub(super) fn known_descriptor(&self, offset: TextSize) -> Option<String> {
        let format = self.descriptor(offset)?;
        let name = name_at(self.db, self.file, offset)?;
        let known = known_bits(self.db, self.file, &name.symbol, name.range)?;
        let all = match format.bits {
            64 => u64::MAX,
            bits => (1 << bits) - 1,
        };
        let (bits, mask) = (known.bits & all, known.mask & all);
        if mask == 0 {
            return None;
        }
        let value = match mask == all {
            true => format!("`{bits:#x}`, computed from constants."),
            false => "Partly computed from constants.".to_owned(),
        };
        Some(format!("{value} {}", decoded(&format, bits, mask)))
    }
}

/// A register of a fragment, as a formula and lane by lane.
fn register_of(fragment: &Fragment, register: u32) -> String {
    let formula = fragment.formula(Some(register));
    let mut text = format!(
        "`{}[{register}]` of {}: row {}, column {}",
        fragment.operand, fragment.matrix, formula.row, formula.column
    );
    if let Some(part) = &formula.part {
        let _ = write!(text, ", {} {part}", fragment.parts.0);
    }
    let _ = writeln!(text, "; {}", legend(&[fragment]));
    if let Some(note) = kept_note(fragment) {
        let _ = writeln!(text, "\n{note}");
    }
    let by_lane = fragment
        .terms
        .iter()
        .any(|it| (it.source, it.axis) == (DigitSource::Lane, Axis::Part));
    let cells: Vec<String> = (0..WARP)
        .map(|it| cell(fragment, it, register, by_lane))
        .collect();
    let width = cells
        .iter()
        .map(|it| it.chars().count())
        .max()
        .unwrap_or_default();
    let heading = match by_lane {
        true => format!("{}: row, column", fragment.parts.0),
        false => "row, column".to_owned(),
    };
    let _ = writeln!(text, "\n```text\nlane  {heading}");
    for (first, line) in (0u32..)
        .step_by(LANES_IN_A_LINE as usize)
        .zip(cells.chunks(LANES_IN_A_LINE as usize))
    {
        let line: Vec<String> = line.iter().map(|it| format!("{it:width$}")).collect();
        let _ = writeln!(
            text,
            "{:>2}–{:<2} {}",
            first,
            first + LANES_IN_A_LINE - 1,
            line.join("  ").trim_end()
        );
    }
    text.push_str("```");
    if fragment.lanes > WARP {
        text.push_str("\nWarp 0; each of the next three has the 16 rows below.");
    }
    text
}

/// The elements of a register of a lane.
fn cell(fragment: &Fragment, lane: u32, register: u32, with_part: bool) -> String {
    let all: Vec<_> = (0..fragment.elements)
        .map(|it| fragment.position(lane, register, it))
        .collect();
    let rows = all.iter().map(|it| it.row).collect();
    let columns = all.iter().map(|it| it.column);
    // Of a sparse matrix the columns among which the kept ones are.
    let columns = match fragment.kept {
        Some((kept, of)) => columns
            .flat_map(|it| (0..of).map(move |other| it / kept * of + other))
            .collect(),
        None => columns.collect(),
    };
    let text = format!("{}, {}", numbers(rows), numbers(columns));
    match all.first() {
        Some(first) if with_part => format!("{}: {text}", first.part),
        _ => text,
    }
}

/// The elements of a register of a lane, with the matrix where there are several.
pub(super) fn lane_cell(fragment: &Fragment, lane: u32, register: u32) -> String {
    cell(fragment, lane, register, fragment.parts.1 > 1)
}

/// Numbers as a range if they are one.
fn numbers(mut all: Vec<u32>) -> String {
    all.sort_unstable();
    all.dedup();
    match all.as_slice() {
        [one] => one.to_string(),
        [first, .., last] if (last - first) as usize == all.len() - 1 => format!("{first}…{last}"),
        _ => {
            let all: Vec<String> = all.iter().map(u32::to_string).collect();
            all.join("/")
        }
    }
}

/// A descriptor field by field; `mask` has the bits that are known.
pub(super) fn decoded(format: &Format, bits: u64, mask: u64) -> String {
    let mut text = format!(
        "{}\n\n| bits | field | value |\n|---|---|---|\n",
        format.title
    );
    let mut problems = Vec::new();
    let decoded = format.decode(bits);
    for it in &decoded {
        let whole = ((1_u64 << it.field.width) - 1) << it.field.low;
        let is_known = mask & whole == whole;
        let last = it.field.low + it.field.width - 1;
        let place = if it.field.width == 1 {
            last.to_string()
        } else {
            format!("{}–{last}", it.field.low)
        };
        if let Some(problem) = it.problem.as_ref().filter(|_| is_known) {
            let plural = if it.field.width == 1 { "" } else { "s" };
            problems.push(format!(
                "- {} (bit{plural} {place}): {problem}",
                it.field.name
            ));
        }
        let is_reserved = it.field.name == "reserved";
        let value = if is_known { &*it.text } else { "not constant" };
        if !is_reserved || is_known && it.problem.is_some() {
            let _ = writeln!(text, "| {place} | {} | {value} |", it.field.name);
        }
    }
    if format.bits == 32 && bits >> 32 != 0 {
        problems.push("- the descriptor has 32 bits, the constant has more".to_owned());
    }
    if !problems.is_empty() {
        let _ = writeln!(text, "\nInvalid:\n{}", problems.join("\n"));
    }
    let concepts: Vec<String> = format.concepts.iter().map(|it| format!("`{it}`")).collect();
    let _ = write!(text, "\nSee also {}", concepts.join(", "));
    text
}
