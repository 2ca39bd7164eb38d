//! Opcodes and modifiers: the variant that this instruction is, and what its parts are.

use std::fmt::Write as _;

use isa::documentation;
use syntax::{Cursor, SyntaxKind, TextRange, TextSize};

use crate::{
    accesses::sentences,
    features::hover::documentation::demand,
    flow::{facts::step_at, form_program::form_program},
    hir::{
        body::body,
        tree::{self, operand_nodes},
    },
};

use super::{WordContext, matrix, page};

/// The meaning of a constant to its instruction.
pub(super) struct Meaning {
    /// Whether it is a truth table.
    pub(super) is_table: bool,
    /// The result of the instruction, in Markdown.
    pub(super) outcome: Option<String>,
}

/// Alternatives of a modifier that are listed.
const MAX_ALTERNATIVES: usize = 10;
/// Elements of a vector that are shown.
const MAX_ELEMENTS: usize = 8;

impl WordContext<'_> {
    /// The documentation of the opcode of an instruction.
    pub(super) fn opcode(&self, instruction: &Cursor<'_>, opcode: &str) -> Option<String> {
        let found = self.find(instruction)?;
        let shown = tree::text_of_range(instruction, self.head_and_operands(instruction));
        let shown = folded(&shown);
        let mut fragments = String::new();
        matrix::fragments(&mut fragments, &found);
        // Both are about this statement, and more than the page of the instruction.
        let known = [self.outcome(&found, true), self.accesses(instruction)];
        let known: Vec<String> = known.into_iter().flatten().collect();
        let known = (!known.is_empty()).then(|| known.join("\n\n"));
        page::opcode(&found, opcode, &shown, &fragments, known)
    }

    /// Sentences about the accesses of an instruction.
    fn accesses(&self, instruction: &Cursor<'_>) -> Option<String> {
        let function = self.function?;
        let start = tree::trimmed(instruction).start();
        let body = body(self.db, function);
        let step = step_at(body, start);
        let found = body.instructions.get(step as usize)?;
        (found.range.start() == start).then(|| sentences(self.db, function, step))?
    }

    /// The range of an instruction without its guard.
    fn head_and_operands(&self, instruction: &Cursor<'_>) -> TextRange {
        let whole = tree::trimmed(instruction);
        let start = instruction
            .token(SyntaxKind::IDENT)
            .map_or(whole.start(), |it| it.range().start());
        TextRange::new(start, whole.end())
    }

    /// The meaning of a modifier of an instruction.
    pub(super) fn modifier(
        &self,
        instruction: &Cursor<'_>,
        word: &str,
        offset: TextSize,
    ) -> Option<String> {
        let found = self.find(instruction)?;
        let opcode = instruction.token(SyntaxKind::IDENT)?.text();
        let plain = word.trim_start_matches('.');
        let index = found
            .modifiers
            .iter()
            .position(|it| it.range().start() == offset)?;
        let Some(fit) = &found.fit else {
            let name = page::nearest_name(&found, opcode)?;
            // The words of a name are explained together with the opcode.
            if name.split('.').skip(1).any(|it| it == plain) {
                return self.opcode(instruction, opcode);
            }
            let entry = documentation::meanings(name, plain);
            return (!entry.is_empty())
                .then(|| format!("```ptx\n{opcode}…{word}\n```\n{}", entry.join("\n\nHere: ")));
        };
        // A fixed word is part of the name of the instruction.
        if index < fit.instruction.fixed.len() {
            return self.opcode(instruction, opcode);
        }
        if fit.ignored.contains(&index) {
            return Some(format!("`{word}` has no effect here: ptxas ignores it."));
        }
        let mut text = format!("```ptx\n{opcode}…{word}\n```\n");
        text.push_str(&documentation::meanings(fit.instruction.name, plain).join("\n\nHere: "));
        let id = fit.instruction.word_ids.get(plain).copied();
        // The same word may stand for several types: `.f32.bf16.bf16.f32`.
        let before = found.modifiers[..index]
            .iter()
            .filter(|it| it.text() == word);
        let mut places = (0..fit.slots.len()).filter(|it| id.is_some() && fit.slots[*it] == id);
        let slot = places.nth(before.count());
        let whose = slot
            .and_then(|it| whose_type(fit.variant.slots.get(it)?.name))
            .or_else(|| matrix::whose_type(&found, index));
        if let Some(whose) = whose {
            let _ = write!(text, "\n\nHere: the type of {whose}.");
        }
        if let Some(slot) = slot.and_then(|it| fit.variant.slots.get(it)) {
            let others: Vec<String> = slot
                .values
                .iter()
                .filter(|it| Some(*it) != id)
                .filter_map(|it| fit.instruction.words.get(usize::from(it)))
                .map(|it| format!("`.{it}`"))
                .collect();
            if !others.is_empty() {
                let _ = write!(text, "\n\nIn its place: {}", shortened(&others));
            }
            for (set, gate) in slot.gates.iter() {
                if id.is_some_and(|it| set.contains(it))
                    && let Some(demand) = demand(gate, fit.instruction.name)
                {
                    let _ = write!(text, "\n\n`{word}` needs {demand} here.");
                }
            }
        }
        Some(text)
    }

    /// The role of the operand at an offset.
    pub(super) fn role(&self, offset: TextSize) -> Option<String> {
        let instruction = self
            .path
            .iter()
            .rev()
            .find(|it| it.kind() == SyntaxKind::INSTRUCTION)?;
        let opcode = instruction.token(SyntaxKind::IDENT)?.text();
        let at = offset - self.start;
        let index = operand_nodes(instruction).position(|it| it.range().contains(at))?;
        let node = operand_nodes(instruction).nth(index)?;
        let start = tree::trimmed(&node).start();
        let before = tree::text_of_range(instruction, TextRange::new(start, at.max(start)));
        page::role(&self.find(instruction)?, opcode, index, &before)
    }

    /// The meaning of a constant at an offset to its instruction, and the result that it gives.
    pub(super) fn meaning_of(&self, instruction: &Cursor<'_>, offset: TextSize) -> Option<Meaning> {
        let found = self.find(instruction)?;
        let at = offset - self.start;
        let index = found.nodes.iter().position(|it| it.range().contains(at))?;
        let program = form_program(self.db, found.form)?;
        let bindings = (0..).zip(program.bindings);
        let mut own = bindings.filter(|it| usize::from(it.1.path.operand) == index);
        Some(Meaning {
            is_table: own.any(|it| program.program.is_table(it.0)),
            // A number is that of the constant, or has little to do with it.
            outcome: self.outcome(&found, false),
        })
    }
}

/// A statement with long vectors reduced to their first and last element, and a comment with how many there are.
fn folded(statement: &str) -> String {
    let mut out = String::new();
    let mut counts: Vec<String> = Vec::new();
    let mut rest = statement;
    while let Some((before, list)) = rest.split_once('{') {
        let Some((list, after)) = list.split_once('}') else {
            break;
        };
        out.push_str(before);
        let elements: Vec<&str> = list.split(',').map(str::trim).collect();
        match elements[..] {
            [first, .., last] if elements.len() > MAX_ELEMENTS => {
                let _ = write!(out, "{{{first} … {last}}}");
                counts.push(elements.len().to_string());
            }
            _ => {
                let _ = write!(out, "{{{list}}}");
            }
        }
        rest = after;
    }
    out.push_str(rest);
    if !counts.is_empty() {
        let _ = write!(out, " // {} registers", counts.join(" and "));
    }
    out
}

/// Whose type a slot of types gives.
fn whose_type(slot: &str) -> Option<&'static str> {
    Some(match slot {
        "dtype" => "the result",
        "atype" => "the first source (A)",
        "btype" => "the second source (B)",
        "ctype" => "the accumulator (C)",
        "stype" => "the scales",
        _ => return None,
    })
}

fn shortened(words: &[String]) -> String {
    let mut text = words[..words.len().min(MAX_ALTERNATIVES)].join(", ");
    if words.len() > MAX_ALTERNATIVES {
        text.push_str(", …");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn long_vectors_are_folded() {
        let list = |count: usize| {
            let all: Vec<String> = (0..count).map(|it| format!("%f{it}")).collect();
            all.join(", ")
        };
        let check = |statement: &str, expected: &str| assert_eq!(folded(statement), expected);
        check(
            &format!("wgmma.x {{{}}}, {{{}}}, %rd1;", list(128), list(4)),
            "wgmma.x {%f0 … %f127}, {%f0, %f1, %f2, %f3}, %rd1; // 128 registers",
        );
        check(
            &format!("x {{{}}}, {{{}}};", list(9), list(64)),
            "x {%f0 … %f8}, {%f0 … %f63}; // 9 and 64 registers",
        );
        check("x {%f0, %f1", "x {%f0, %f1");
        check("ret;", "ret;");
    }
}
