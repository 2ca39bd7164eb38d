//! Opcodes and modifiers: the variant that this instruction is, and what its parts are.

use std::fmt::Write as _;

use isa::{
    documentation::{self, InstructionPage},
    matcher::{Fit, Outcome, Statement},
    matching::match_statement,
    operand::Operand,
    table::{Form, Instruction, OperandPattern, Presence, Variant, tables},
    target::Module,
};
use syntax::{Cursor, CursorToken, SyntaxKind, TextRange, TextSize};

use crate::{
    features::{
        completion::module,
        documentation::{demand, footer},
    },
    hir::{
        body::near,
        declared::words,
        in_force::in_force,
        operand::{describe, operand},
        resolve::resolve,
        tree::{self, operand_nodes},
    },
};

use super::{Context, literal::Role, matrix};

/// Alternatives of a modifier that are listed.
const MAX_ALTERNATIVES: usize = 10;
/// Syntax lines that are shown for an instruction that fits none.
const MAX_LINES: usize = 8;

/// An instruction of a file, and what the tables say about it.
pub(super) struct Found<'a> {
    pub(super) module: Module,
    pub(super) modifiers: Vec<CursorToken<'a>>,
    pub(super) nodes: Vec<Cursor<'a>>,
    pub(super) operands: Vec<Operand>,
    /// The variant that fits.
    pub(super) fit: Option<Fit<'static>>,
}

impl Found<'_> {
    /// What an operand is in the tables, if its place tells it: nothing before it is left out.
    pub(super) fn pattern(&self, index: usize) -> Option<&'static OperandPattern> {
        let patterns = &self.fit.as_ref()?.variant.operands;
        let is_there = |it: &OperandPattern| matches!(it.presence, Presence::Required);
        let certain =
            patterns.len() == self.nodes.len() || patterns.iter().take(index + 1).all(is_there);
        patterns.get(index).filter(|_| certain)
    }
}

impl Context<'_> {
    fn module(&self) -> Module {
        let in_force = self.function.and_then(|it| in_force(self.db, it));
        in_force.map_or_else(|| module(self.db, self.file), |it| it.start)
    }

    pub(super) fn find<'a>(&'a self, instruction: &Cursor<'a>) -> Option<Found<'a>> {
        let function = self.function?;
        let (opcode, modifiers) = words(instruction);
        let body = &*near(self.db, function, instruction.range());
        let types = &body.operands;
        let nodes: Vec<_> = operand_nodes(instruction).collect();
        let operands: Vec<Operand> = nodes
            .iter()
            .map(|it| {
                operand(it, &|range, name: &str| {
                    resolve(self.db, function, body, types, range, name)
                })
            })
            .collect();
        let plain: Vec<&str> = modifiers.iter().map(|it| &it.text()[1..]).collect();
        let statement = Statement {
            opcode: opcode?.text(),
            words: &plain,
            operands: &operands,
            module: self.module(),
        };
        let fit = match match_statement(tables(), &statement) {
            Outcome::Fit(fit) => Some(fit),
            Outcome::Mismatch(_) => None,
        };
        Some(Found {
            module: self.module(),
            modifiers,
            nodes,
            operands,
            fit,
        })
    }

    /// What the opcode of an instruction does here.
    pub(super) fn opcode(&self, instruction: &Cursor<'_>, opcode: &str) -> Option<String> {
        let found = self.find(instruction)?;
        let Some(fit) = &found.fit else {
            return nearest(opcode, &found.modifiers);
        };
        let page = documentation::instruction(fit.instruction.name);
        // The form, and below it what stands here.
        let shown = tree::text_of_range(instruction, self.head_and_operands(instruction));
        let mut text = format!("```ptx\n{}\n{shown}\n```\n", syntax(fit.variant));
        if let Some(page) = page {
            let _ = write!(text, "{}", page.summary);
            if !page.description.is_empty() {
                let _ = write!(text, " {}", page.description);
            }
            text.push('\n');
            if !page.code.is_empty() {
                let _ = write!(text, "\n```c\n{}\n```\n", page.code.trim_end());
            }
        }
        modifiers(&mut text, fit);
        operands(&mut text, &found, page);
        matrix::fragments(&mut text, &found);
        if let Some(page) = page {
            if !page.notes.is_empty() {
                let _ = write!(text, "\n{}\n", page.notes);
            }
            if let Some(example) = page.examples.first() {
                let _ = write!(text, "\n```ptx\n{}\n```\n", example.text);
            }
        }
        needs(&mut text, fit, found.module);
        match page {
            Some(page) => text.push_str(&footer(page, fit.instruction)),
            None => link(&mut text, fit.instruction),
        }
        Some(text)
    }

    /// The range of an instruction without its guard.
    fn head_and_operands(&self, instruction: &Cursor<'_>) -> TextRange {
        let whole = tree::trimmed(instruction);
        let start = instruction
            .token(SyntaxKind::IDENT)
            .map_or(whole.start(), |it| it.range().start());
        TextRange::new(start, whole.end())
    }

    /// What a modifier of an instruction means.
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
            let name = tables()
                .with_opcode(opcode)
                .find(|it| it.words.contains(&plain))
                .map_or(opcode, |it| it.name);
            let entry = documentation::modifier(name, plain)?;
            return Some(format!("```ptx\n{opcode}…{word}\n```\n{}", entry.text));
        };
        // A fixed word is part of the name of the instruction.
        if index < fit.instruction.fixed.len() {
            return self.opcode(instruction, opcode);
        }
        if fit.ignored.contains(&index) {
            return Some(format!("`{word}`: ptxas reads over it here."));
        }
        let mut text = format!("```ptx\n{opcode}…{word}\n```\n");
        if let Some(entry) = documentation::modifier(fit.instruction.name, plain) {
            let _ = write!(text, "{}", entry.text);
        }
        let id = fit.instruction.word_ids.get(plain).copied();
        let slot = fit.slots.iter().position(|it| it.is_some() && *it == id);
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

    /// What a constant of an instruction selects.
    pub(super) fn selector_of(&self, instruction: &Cursor<'_>, offset: TextSize) -> Option<Role> {
        let opcode = instruction.token(SyntaxKind::IDENT)?.text();
        let at = offset - self.start;
        let index = operand_nodes(instruction).position(|it| it.range().contains(at))?;
        let last = operand_nodes(instruction).count() - 1;
        let modes = [".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"];
        Some(match opcode {
            "lop3" if index == 4 || index == last && index > 3 => Role::LookUpTable,
            "prmt" if index == 3 && !modes.iter().any(|it| tree::has_word(instruction, it)) => {
                Role::Permutation
            }
            _ => Role::Value,
        })
    }
}

/// The syntax line of a variant, without its gate.
fn syntax(variant: &Variant) -> &str {
    variant.syntax.split(" @").next().unwrap_or_default().trim()
}

fn shortened(words: &[String]) -> String {
    let mut text = words[..words.len().min(MAX_ALTERNATIVES)].join(", ");
    if words.len() > MAX_ALTERNATIVES {
        text.push_str(", …");
    }
    text
}

/// The words that were chosen for the slots.
fn modifiers(text: &mut String, fit: &Fit<'_>) {
    for id in fit.slots.iter().flatten() {
        let Some(word) = fit.instruction.words.get(usize::from(*id)) else {
            continue;
        };
        let meaning = documentation::modifier(fit.instruction.name, word);
        if let Some(meaning) = meaning {
            let _ = write!(text, "\n- `.{word}`: {}", meaning.summary());
        }
    }
    text.push('\n');
}

/// The operands of this instruction with their roles.
fn operands(text: &mut String, found: &Found<'_>, page: Option<&InstructionPage>) {
    for (index, (node, operand)) in found.nodes.iter().zip(&found.operands).enumerate() {
        let pattern = found.pattern(index);
        let shown = tree::OneLine::of(node);
        let _ = write!(text, "\n- `{shown}`");
        if let Some(pattern) = pattern {
            let _ = write!(text, " = `{}`", pattern_name(pattern));
        }
        if !matches!(
            operand,
            Operand::Unknown | Operand::Address(..) | Operand::Vector(_)
        ) {
            let _ = write!(text, ", {}", describe(operand));
        }
        if let Some(entry) = page.and_then(|it| it.operand(pattern?.name)) {
            let _ = write!(text, ": {}", entry.text);
        }
    }
    text.push('\n');
}

fn pattern_name(pattern: &OperandPattern) -> String {
    match &pattern.form {
        Form::Plain(_) => pattern.name.to_owned(),
        Form::Pair(_, second) => format!("{}|{}", pattern.name, pattern_name(second)),
        Form::Bracket(elements, _) => {
            let names: Vec<String> = elements.iter().map(pattern_name).collect();
            format!("[{}]", names.join(", "))
        }
    }
}

/// What this form of the instruction demands.
fn needs(text: &mut String, fit: &Fit<'_>, module: Module) {
    if let Some(demand) = demand(&fit.variant.gate, fit.instruction.name) {
        let _ = write!(
            text,
            "\nThis form needs {demand}; the module is PTX ISA {} for `{}`.\n",
            module.version, module.target
        );
    }
}

fn link(text: &mut String, instruction: &Instruction) {
    if let Some(link) = documentation::section_link(instruction.section) {
        let _ = write!(text, "\n[PTX ISA {}]({link})", instruction.section);
    }
}

/// The forms of an instruction that is wrong or incomplete.
fn nearest(opcode: &str, modifiers: &[CursorToken<'_>]) -> Option<String> {
    let words: Vec<&str> = modifiers.iter().map(|it| &it.text()[1..]).collect();
    let common = |it: &Instruction| {
        let fixed = it
            .fixed
            .iter()
            .zip(&words)
            .take_while(|(a, b)| a == b)
            .count();
        (fixed == it.fixed.len()).then_some(fixed)
    };
    let all = tables().with_opcode(opcode);
    let deepest = tables().with_opcode(opcode).filter_map(common).max();
    let mut lines: Vec<&str> = Vec::new();
    let mut first = None;
    for instruction in all.filter(|it| common(it) == deepest) {
        first = first.or(Some(instruction));
        for variant in &instruction.variants {
            let line = syntax(variant);
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    let first = first?;
    let more = lines.len().saturating_sub(MAX_LINES);
    lines.truncate(MAX_LINES);
    let mut text = format!("```ptx\n{}\n```\n", lines.join("\n"));
    if more > 0 {
        let _ = writeln!(text, "and {more} more forms\n");
    }
    text.push_str("This instruction fits none of its forms.");
    if let Some(page) = documentation::instruction(first.name) {
        let _ = write!(text, " {}\n{}", page.summary, footer(page, first));
    } else {
        link(&mut text, first);
    }
    Some(text)
}
