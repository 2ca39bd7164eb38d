//! A statement that no variant of the tables fits, and its problems in words.

use isa::{
    matcher::{Problem, Reason},
    matching::alike,
    messages::either,
    operand::{Operand, Symbol},
    table::tables,
    target::{Gate, Module},
    types::type_of,
};
use syntax::{Cursor, CursorToken, TextRange};

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        registry::{
            INVALID_OPERAND, MODIFIER_NOT_ALLOWED, MODIFIER_REQUIRED, UNKNOWN_INSTRUCTION,
            WRONG_OPERAND_COUNT,
        },
        rules::{gates::gate_finding, instructions::special_register},
        suggestion::most_similar,
    },
    hir::{
        instruction::name,
        operand::describe,
        tree::{text_of_range, trimmed},
    },
};

/// Words that a message lists.
const MAX_LISTED: usize = 12;

/// A statement whose problems are put into words.
pub(in crate::diagnostics) struct Rejected<'a> {
    pub(in crate::diagnostics) opcode: CursorToken<'a>,
    pub(in crate::diagnostics) modifiers: &'a [CursorToken<'a>],
    pub(in crate::diagnostics) nodes: &'a [Cursor<'a>],
    pub(in crate::diagnostics) operands: &'a [Operand],
    pub(in crate::diagnostics) module: Module,
    /// Whether the settings say which target it is, whatever the module says.
    pub(in crate::diagnostics) forced: bool,
}

impl Rejected<'_> {
    /// The opcode with its modifiers.
    pub(in crate::diagnostics) fn head(&self) -> String {
        self.modifiers
            .iter()
            .fold(self.opcode.text().to_owned(), |head, it| head + it.text())
    }

    /// The opcode with its first modifiers.
    fn head_to(&self, count: usize) -> String {
        let modifiers = self.modifiers.iter().take(count);
        modifiers.fold(self.opcode.text().to_owned(), |head, it| head + it.text())
    }

    pub(in crate::diagnostics) fn head_range(&self) -> TextRange {
        let end = self
            .modifiers
            .last()
            .map_or(self.opcode.range(), CursorToken::range);
        self.opcode.range().cover(end)
    }

    pub(in crate::diagnostics) fn range(&self, place: isa::matcher::Place) -> TextRange {
        use isa::matcher::Place;
        match place {
            Place::Opcode => name(&self.opcode, self.modifiers),
            Place::Word(index) => self
                .modifiers
                .get(index)
                .map_or(self.opcode.range(), CursorToken::range),
            Place::Operand(index) => self
                .nodes
                .get(index)
                .map_or(self.opcode.range(), |it| it.range()),
            Place::Element { operand, element } => self
                .nodes
                .get(operand)
                .map(|it| it.nodes().nth(element).unwrap_or(*it))
                .map_or(self.opcode.range(), |it| trimmed(&it)),
            Place::Statement => self.head_range(),
        }
    }

    pub(in crate::diagnostics) fn finding(&self, problem: &Problem<'_>) -> Finding {
        let range = self.range(problem.place);
        let word = match problem.place {
            isa::matcher::Place::Word(index) => {
                self.modifiers.get(index).map_or("", |it| it.text())
            }
            _ => self.opcode.text(),
        };
        match &problem.reason {
            Reason::UnknownOpcode => finding(
                range,
                UNKNOWN_INSTRUCTION,
                format!("unknown instruction `{word}`"),
                most_similar(word, tables().opcodes()).map(|it| format!("did you mean `{it}`?")),
            ),
            Reason::FixedWord { words, depth } => finding(
                range,
                MODIFIER_REQUIRED,
                format!(
                    "`{}` must be followed by {}",
                    self.head_to(*depth),
                    one_of(words)
                ),
                most_similar(word.trim_start_matches('.'), words.iter().copied())
                    .map(|it| format!("did you mean `.{it}`?")),
            ),
            Reason::Word { allowed, fitting } => {
                let plain = word.trim_start_matches('.');
                // A type is not a misspelling of another one.
                let known = || known_words(self).into_iter();
                let similar = most_similar(plain, allowed.iter().copied())
                    .or_else(|| most_similar(plain, known()))
                    .filter(|_| type_of(plain).is_none() && known().all(|it| it != plain));
                let help = match similar {
                    Some(it) => Some(format!("did you mean `.{it}`?")),
                    None if allowed.is_empty() => None,
                    None if *fitting > 0 => Some(format!(
                        "allowed here with these operands: {}",
                        list(allowed.get(..*fitting).unwrap_or(allowed))
                    )),
                    None => Some(format!("allowed here: {}", list(allowed))),
                };
                let message = if allowed.contains(&plain) {
                    format!("`{word}` is not valid here in `{}`", self.head())
                } else {
                    format!("`{word}` is not allowed in `{}`", self.head())
                };
                finding(range, MODIFIER_NOT_ALLOWED, message, help)
            }
            Reason::Superfluous { types, conflict } => {
                let conflict = conflict.and_then(|it| self.modifiers.get(it));
                let help = match conflict {
                    _ if !types.is_empty() => Some(format!("`{word}` is for {}", list(types))),
                    Some(it) => Some(format!("`{word}` and `{}` exclude each other", it.text())),
                    None => None,
                };
                let message = format!("`{word}` is not allowed in `{}`", self.head());
                finding(range, MODIFIER_NOT_ALLOWED, message, help)
            }
            Reason::Swapped { with } => {
                let other = self.nodes.get(*with).map(trimmed).unwrap_or(range);
                let message = format!("the operands of `{}` are in the wrong order", self.head());
                let help = "exchange the first and the second of these operands".to_owned();
                finding(range.cover(other), INVALID_OPERAND, message, Some(help))
            }
            Reason::Unlike { words } => finding(
                range,
                INVALID_OPERAND,
                format!(
                    "these operands do not go with `{word}` in `{}`",
                    self.head()
                ),
                Some(format!("they go with {}", list(words))),
            ),
            Reason::Misplaced { before } => finding(
                range,
                MODIFIER_NOT_ALLOWED,
                format!("`{word}` must directly follow `{}`", self.head_to(*before)),
                None,
            ),
            Reason::Missing { words, .. } => finding(
                range,
                MODIFIER_REQUIRED,
                format!("`{}` needs {}", self.head(), one_of(words)),
                None,
            ),
            Reason::Rule(rule) => finding(
                range,
                MODIFIER_NOT_ALLOWED,
                format!("in `{}`, {rule}", self.head()),
                None,
            ),
            Reason::Gate(gate) => self.gate(range, word, gate),
            Reason::Count(least, most) => {
                let wanted = if least == most {
                    least.to_string()
                } else {
                    format!("{least} to {most}")
                };
                let plural = if *most == 1 { "" } else { "s" };
                let surplus = self.nodes.get(*most..).unwrap_or_default();
                let surplus = surplus.iter().map(trimmed).reduce(|all, it| all.cover(it));
                finding(
                    surplus.unwrap_or(range),
                    WRONG_OPERAND_COUNT,
                    format!(
                        "`{}` takes {wanted} operand{plural}, not {}",
                        self.head(),
                        self.operands.len()
                    ),
                    None,
                )
            }
            Reason::Kind(kinds) => {
                let found = self.operand(problem.place);
                let expected = || format!("expected {}", either(kinds));
                finding(
                    range,
                    INVALID_OPERAND,
                    format!("{found} is not valid here in `{}`", self.head()),
                    self.unlike(problem.place)
                        .or_else(|| self.special(problem.place, range, kinds))
                        .or_else(|| (!kinds.is_empty()).then(expected)),
                )
            }
        }
    }

    /// The problem with elements that do not go together.
    fn unlike(&self, place: isa::matcher::Place) -> Option<String> {
        let isa::matcher::Place::Operand(index) = place else {
            return None;
        };
        match self.operands.get(index)? {
            Operand::Vector(elements) if !alike(elements) => Some(
                "all elements must be of one width, and neighbours both integers or both floats \
                 unless one is untyped"
                    .to_owned(),
            ),
            _ => None,
        }
    }

    /// The advice about a special register.
    fn special(
        &self,
        place: isa::matcher::Place,
        range: TextRange,
        kinds: &[String],
    ) -> Option<String> {
        let index = place.operand()?;
        let operand = match (place, self.operands.get(index)?) {
            (
                isa::matcher::Place::Element { element, .. },
                Operand::Address(elements, _) | Operand::Vector(elements),
            ) => elements.get(element)?,
            (_, it) => it,
        };
        let written = text_of_range(self.nodes.get(index)?, range);
        special_register::help(operand, written.trim(), kinds)
    }

    /// The operand at a place in words; of a variable also its state space.
    fn operand(&self, place: isa::matcher::Place) -> String {
        let describe = |it: &Operand| match it {
            Operand::Symbol(Symbol::Variable(space, _)) => {
                format!("the name of a `.{}` variable", space.word())
            }
            it => describe(it),
        };
        match place {
            isa::matcher::Place::Operand(index) => {
                self.operands.get(index).map_or_else(String::new, &describe)
            }
            isa::matcher::Place::Element { operand, element } => match self.operands.get(operand) {
                Some(Operand::Address(elements, _) | Operand::Vector(elements)) => {
                    elements.get(element).map_or_else(String::new, &describe)
                }
                Some(other) => describe(other),
                None => String::new(),
            },
            _ => String::new(),
        }
    }

    fn gate(&self, range: TextRange, word: &str, gate: &Gate) -> Finding {
        let subject = if word.starts_with('.') {
            format!("`{word}` in `{}`", self.head())
        } else {
            format!("`{}`", self.head())
        };
        gate_finding(range, &subject, self.module, gate)
    }
}

/// The modifiers without their periods.
pub(in crate::diagnostics) fn words<'a>(found: &Rejected<'a>) -> Vec<&'a str> {
    found.modifiers.iter().map(|it| &it.text()[1..]).collect()
}

/// The modifiers that some variant with the opcode and the fixed words of the statement has.
pub(in crate::diagnostics) fn known_words(found: &Rejected<'_>) -> Vec<&'static str> {
    let words = words(found);
    let instructions = tables().with_opcode(found.opcode.text());
    let mut known: Vec<&str> = instructions
        .filter(|it| words.starts_with(&it.fixed))
        .flat_map(|it| it.words.iter().copied())
        .collect();
    known.sort_unstable();
    known.dedup();
    known
}

fn list(words: &[&str]) -> String {
    let mut out: Vec<String> = words
        .iter()
        .take(MAX_LISTED)
        .map(|it| format!("`.{it}`"))
        .collect();
    if words.len() > MAX_LISTED {
        out.push("…".to_owned());
    }
    out.join(", ")
}

fn one_of(words: &[&str]) -> String {
    match words {
        [word] => format!("`.{word}`"),
        _ => format!("one of {}", list(words)),
    }
}
