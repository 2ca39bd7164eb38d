//! From text to lines, definitions and heads: what a table says, before names mean anything.

use super::{
    conditions::split_gate,
    scanner::{find, split_colon},
    scope::Sets,
};
use crate::{tables::event::Spelling, target::Gate};

/// The result of reading, or the line and the message of a mistake.
pub(super) type Result<T> = std::result::Result<T, (usize, String)>;

/// A line of a table without its comment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) indent: usize,
    pub(super) text: &'static str,
}

/// A definition: `name = …`, `names: …` or `when …`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Definition {
    pub(super) line: Line,
    pub(super) kind: DefinitionKind,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum DefinitionKind {
    /// `name = values`, `name! = values`
    Slot {
        name: &'static str,
        positional: bool,
        values: &'static str,
    },
    /// `names: kinds if condition`, with `in` or `out` before the kinds
    Operand {
        names: &'static str,
        /// Whether the instruction writes it, where the table says so.
        written: Option<bool>,
        kinds: &'static str,
    },
    /// `when condition: condition`, `when condition @gate`; `never` in the place of the second condition.
    Rule { text: &'static str },
    /// `order slot slot`: these keep their order although they share no value.
    Order { slots: &'static str },
    /// `free slot slot`: compilers write these in any order among themselves.
    Free { slots: &'static str },
    /// `spare word word`: words that ptxas ignores.
    Spare { words: &'static str },
    /// `does …`, `when …: does …`, `assume …`, `cost …`
    Facts { text: &'static str },
}

/// The first words of the lines that say what an instruction computes.
pub(super) const COMPUTATIONS: [&str; 6] = [
    "let",
    "computes",
    "inputs",
    "result",
    "unspecified",
    "ignores",
];

/// Whether a line is one of a computation. Definitions of slots and operands may begin with the same word.
fn is_computation(text: &'static str) -> bool {
    let text = match text.as_bytes().first() {
        Some(b'l' | b'c' | b'i' | b'r' | b'u') => text,
        Some(b'w') if text.starts_with("when ") => match split_colon(text) {
            Some((_, then)) => then,
            None => return false,
        },
        _ => return false,
    };
    let Some((word, rest)) = text.split_once(' ') else {
        return false;
    };
    COMPUTATIONS.contains(&word)
        && !is_definition_tail(rest)
        && (matches!(word, "let" | "computes" | "unspecified") || split_colon(rest).is_none())
}

pub(super) fn definition(line: Line) -> Result<Definition> {
    let starts = |word: &str| line.text.starts_with(word);
    let kind = if ["does ", "assume ", "cost "].into_iter().any(starts)
        || (starts("when ") && find(line.text, ": does ").is_some())
    {
        DefinitionKind::Facts { text: line.text }
    } else if starts("when ") || starts(".") {
        DefinitionKind::Rule { text: line.text }
    } else if let Some(slots) = line.text.strip_prefix("order ") {
        DefinitionKind::Order { slots }
    } else if let Some(slots) = line.text.strip_prefix("free ") {
        DefinitionKind::Free { slots }
    } else if let Some(words) = line.text.strip_prefix("spare ") {
        DefinitionKind::Spare { words }
    } else if let Some((names, kinds)) = split_colon(line.text) {
        let (written, kinds) = match (kinds.strip_prefix("in "), kinds.strip_prefix("out ")) {
            (Some(kinds), _) => (Some(false), kinds),
            (_, Some(kinds)) => (Some(true), kinds),
            _ => (None, kinds),
        };
        DefinitionKind::Operand {
            names,
            written,
            kinds,
        }
    } else if let Some((name, values)) = line.text.split_once('=') {
        let name = name.trim();
        let positional = name.ends_with('!');
        DefinitionKind::Slot {
            name: name.trim_end_matches('!'),
            positional,
            values: values.trim(),
        }
    } else {
        return Err((
            line.number,
            format!("`{}` is neither a variant nor a definition", line.text),
        ));
    };
    Ok(Definition { line, kind })
}

#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) header: Option<Line>,
    /// The opcodes of the header.
    pub(super) names: Vec<&'static str>,
    /// Heads with the definitions below them.
    pub(super) variants: Vec<(Line, Vec<Definition>)>,
    pub(super) shared: Vec<Definition>,
    /// The lines that say what the instructions compute.
    pub(super) computations: Vec<Line>,
}

/// Splits a file into the blocks of its instructions, and collects its sets, how events are written, and the modifiers
/// that change no value.
pub(super) fn split(
    text: &'static str,
    sets: &mut Sets,
    spellings: &mut Vec<Spelling>,
    ignored: &mut Vec<&'static str>,
) -> Result<Vec<Block>> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut variant_indent = 0;
    for (index, raw) in text.lines().enumerate() {
        let code = match raw.find('#') {
            Some(at) => &raw[..at],
            None => raw,
        };
        let line = Line {
            number: index + 1,
            indent: code.len() - code.trim_ascii_start().len(),
            text: code.trim_ascii(),
        };
        if line.text.is_empty() {
            continue;
        }
        if let Some(rest) = line.text.strip_prefix("set ") {
            let (name, words) = rest
                .split_once('=')
                .ok_or((line.number, "expected `set name = words`".to_owned()))?;
            let mut list = Vec::new();
            for word in words.split_whitespace() {
                match sets.get(word) {
                    Some(set) => list.extend(set.iter().copied()),
                    None => list.push(word),
                }
            }
            sets.insert(name.trim(), list);
        } else if let Some(rest) = line.text.strip_prefix("event ") {
            let spelling = Spelling::parse(rest).map_err(|it| (line.number, it))?;
            if spellings.iter().any(|it| it.event == spelling.event) {
                return Err((
                    line.number,
                    "this event is written above already".to_owned(),
                ));
            }
            spellings.push(spelling);
        } else if let Some(words) = line.text.strip_prefix("ignored ") {
            ignored.extend(words.split_ascii_whitespace());
        } else if line.text.starts_with("instr ") {
            blocks.push(Block {
                header: Some(line),
                names: header(line)?.0,
                ..Block::default()
            });
            variant_indent = 0;
        } else {
            let block = blocks.last_mut().ok_or((
                line.number,
                "expected `instr`, `set`, `event` or `ignored`".to_owned(),
            ))?;
            if is_computation(line.text) {
                if 0 < variant_indent && variant_indent < line.indent {
                    let message = "a computation belongs under `instr`, not deeper than the variants; \
                                   `when .word: computes …` says for which";
                    return Err((line.number, message.to_owned()));
                }
                block.computations.push(line);
            } else if is_variant(block, line) {
                variant_indent = line.indent;
                block.variants.push((line, Vec::new()));
            } else if let Some((_, definitions)) = block.variants.last_mut()
                && line.indent > variant_indent
            {
                definitions.push(definition(line)?);
            } else {
                block.shared.push(definition(line)?);
            }
        }
    }
    Ok(blocks)
}

/// The opcodes and the section of an `instr` line.
pub(super) fn header(line: Line) -> Result<(Vec<&'static str>, Vec<&'static str>, Gate)> {
    let (text, gate) = split_gate(&line.text["instr ".len()..]).map_err(|it| (line.number, it))?;
    let mut names: Vec<&'static str> = text.split_whitespace().collect();
    let sections = names
        .extract_if(.., |it| it.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    if names.is_empty() {
        return Err((line.number, "expected an opcode".to_owned()));
    }
    Ok((names, sections, gate))
}

pub(super) fn is_variant(block: &Block, line: Line) -> bool {
    let text = line.text;
    block.names.iter().copied().chain(["$"]).any(|name| {
        text.strip_prefix(name).is_some_and(|rest| {
            rest.is_empty()
                || rest.starts_with(['.', '{', '@'])
                || (rest.starts_with(' ') && !is_definition_tail(rest))
        })
    })
}

/// Whether what follows a word makes the line a definition.
pub(super) fn is_definition_tail(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with('=') || rest.starts_with("!=")
}

pub(super) struct Head {
    pub(super) line: Line,
    pub(super) syntax: &'static str,
    /// Name and whether it is required.
    pub(super) words: Vec<(&'static str, bool)>,
    pub(super) operands: &'static str,
    pub(super) gate: Gate,
}

pub(super) fn head(line: Line, name: &'static str) -> Result<Head> {
    let fail = |message: String| (line.number, message);
    let text: &'static str = if line.text.starts_with('$') {
        Box::leak(format!("{name}{}", &line.text[1..]).into_boxed_str())
    } else {
        line.text
    };
    let (text, gate) = split_gate(text).map_err(fail)?;
    let rest = &text[name.len()..];
    let head_end = rest.find(' ').unwrap_or(rest.len());
    let (mut modifiers, operands) = (&rest[..head_end], rest[head_end..].trim());
    let mut words = Vec::new();
    while !modifiers.is_empty() {
        let (word, required, tail) = if let Some(inner) = modifiers.strip_prefix("{.") {
            let (word, tail) = inner
                .split_once('}')
                .ok_or_else(|| fail("expected `}`".to_owned()))?;
            (word, false, tail)
        } else if let Some(inner) = modifiers.strip_prefix('.') {
            let end = inner.find(['.', '{']).unwrap_or(inner.len());
            (&inner[..end], true, &inner[end..])
        } else {
            return Err(fail(format!("expected `.` or `{{.` at `{modifiers}`")));
        };
        if word.is_empty() {
            return Err(fail("expected a word after `.`".to_owned()));
        }
        words.push((word, required));
        modifiers = tail;
    }
    Ok(Head {
        line,
        syntax: text,
        words,
        operands,
        gate,
    })
}
