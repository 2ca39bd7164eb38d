//! Instructions that no variant of the tables fits.
//!
//! The tables say what is wrong and what is allowed in its place; this file finds the token and the
//! words. Names, syntax and what depends on the callee of a call are judged elsewhere.

use isa::{
    matcher::{Problem, Reason},
    matching::alike,
    messages::either,
    operand::Operand,
    table::tables,
    target::{Gate, Module, Suffix, versions},
    types::type_of,
};
use salsa::Database;
use syntax::{Cursor, CursorToken, SyntaxKind, TextRange};

use crate::{
    Severity,
    db::SourceFile,
    flow::facts::references,
    hir::{
        body::{Body, Reference, Target},
        declared::{Declared, header, module_declared},
        in_force::{InForce, in_force},
        items::{Function, items},
        module::{DeclarationKind, DeclarationSource, module_scope},
        operand::{describe, special},
        tree::trimmed,
    },
};

use super::{
    Finding,
    codes::{
        INVALID_OPERAND, MODIFIER_NOT_ALLOWED, MODIFIER_REQUIRED, UNKNOWN_INSTRUCTION,
        UNSUPPORTED_BY_TARGET, UNSUPPORTED_BY_VERSION, WRONG_OPERAND_COUNT,
    },
    instruction_fixes::{self, change_header},
    lints::statement::Layouts,
    statement::Judge,
    subject::Subject,
    suggestion::most_similar,
    torn::Torn,
};

/// Words that a message lists.
const MAX_LISTED: usize = 12;
/// Names of an instruction of which one is found faster by a look at all of them.
const FEW: usize = 12;
/// How often a long body looks for a cancellation, in instructions.
const CHECK_INTERVAL: usize = 1024;

/// Instructions of a function that the tables do not know in this form.
pub(super) fn in_function(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Subject {
        db, function, body, ..
    } = *subject;
    let Some(in_force) = in_force(db, function) else {
        return;
    };
    let types = subject.types();
    let layouts = Layouts::new(subject);
    // A target that a body sets is no matter of the header.
    let header = header(db, function.file(db));
    let fixed = |module: Module| header.forced || header.target != Some(module.target);
    special_registers(body, &in_force, &fixed, findings);
    let torn = Torn::new(function.errors(db));
    let mut judge = Judge::default();
    let mut count = 0;
    subject.for_each_instruction(&mut |instruction, node| {
        count += 1;
        if count % CHECK_INTERVAL == 0 {
            db.unwind_if_revision_cancelled();
        }
        // What a syntax error has torn apart says nothing about the instruction.
        if torn.meets(instruction.range) {
            return;
        }
        // A search in those of the statement is much shorter than one in all.
        let references = references(body, instruction);
        let find = |range: TextRange| {
            // An operand may be a list as long as the file.
            let before = |it: &Reference| it.range.start() < range.start();
            let rest = match references.len() {
                0..=FEW => references,
                _ => &references[references.partition_point(before)..],
            };
            rest.iter()
                .find(|it| it.range.start() >= range.start())
                .filter(|it| it.range.start() == range.start())
        };
        let resolve = |range: TextRange, name: &str| match find(range) {
            Some(it) => meaning(db, function, types, it, name),
            None => Operand::Unknown,
        };
        let named = |range: TextRange| {
            let reference = find(range)?;
            match reference.target {
                // Most addresses are in registers.
                Target::Definition(id) if types[id as usize].is_register() => None,
                _ => layouts.named(reference),
            }
        };
        let module = in_force.at(instruction.range.start());
        judge.statement(node, module, fixed(module), &resolve, &named, findings);
    });
}

/// Special registers that the module does not have.
fn special_registers(
    body: &Body,
    in_force: &InForce<'_>,
    fixed: &dyn Fn(Module) -> bool,
    findings: &mut Vec<Finding>,
) {
    for reference in &body.references {
        let Target::Special(index) = reference.target else {
            continue;
        };
        let Some(register) = isa::special::get(index) else {
            continue;
        };
        let name = register.written(reference.member);
        let demanded = register.gate();
        let module = in_force.at(reference.range.start());
        if !demanded.admits_target(module.target) || !demanded.admits_version(module.version) {
            let subject = format!("`{name}`");
            let mut finding = gate_finding(reference.range, &subject, module, &demanded);
            finding.fixes = change_header(module, fixed(module), &[&demanded], |new| {
                demanded.admits_target(new.target) && demanded.admits_version(new.version)
            });
            findings.push(finding);
        }
    }
}

/// What a name in a function is.
pub(crate) fn resolve(
    db: &dyn Database,
    function: Function<'_>,
    body: &Body,
    types: &[Declared],
    range: TextRange,
    name: &str,
) -> Operand {
    match body.reference_at(range) {
        Some(it) => meaning(db, function, types, it, name),
        None => Operand::Unknown,
    }
}

/// What a reference to a name is.
fn meaning(
    db: &dyn Database,
    function: Function<'_>,
    types: &[Declared],
    reference: &Reference,
    name: &str,
) -> Operand {
    match reference.target {
        Target::Definition(id) => types[id as usize].0.clone(),
        Target::Special(index) => special(index),
        Target::WarpSize => Operand::Integer(32),
        Target::Free(_) => module_name(db, function.file(db), name),
        Target::Section(_) => Operand::Unknown,
    }
}

/// What a name of the module is.
pub(super) fn module_name(db: &dyn Database, file: SourceFile, name: &str) -> Operand {
    use isa::operand::Symbol;
    let Some(declaration) = module_scope(db, file).find(name).first() else {
        return Operand::Unknown;
    };
    match (declaration.kind, declaration.source) {
        (DeclarationKind::Entry, _) => Operand::Symbol(Symbol::Entry),
        (DeclarationKind::Function, _) => Operand::Symbol(Symbol::Function),
        (DeclarationKind::Variable, DeclarationSource::Variable(index)) => {
            module_declared(db, items(db, file).module)[index as usize]
                .0
                .clone()
        }
        _ => Operand::Unknown,
    }
}

/// The nodes of the operands of an instruction.
pub(crate) fn operand_nodes<'a>(instruction: &Cursor<'a>) -> impl Iterator<Item = Cursor<'a>> {
    instruction
        .nodes()
        .filter(|it| !matches!(it.kind(), SyntaxKind::GUARD | SyntaxKind::ERROR))
}

pub(super) fn finding(
    range: TextRange,
    code: &'static str,
    message: String,
    help: Option<String>,
) -> Finding {
    Finding {
        range,
        severity: Severity::Error,
        code,
        message,
        help,
        related: Vec::new(),
        fixes: Vec::new(),
    }
}

/// A statement whose problems are put into words.
pub(super) struct Found<'a> {
    pub(super) opcode: CursorToken<'a>,
    pub(super) modifiers: &'a [CursorToken<'a>],
    pub(super) nodes: &'a [Cursor<'a>],
    pub(super) operands: &'a [Operand],
    pub(super) module: Module,
    /// Whether the settings say which target it is, whatever the module says.
    pub(super) forced: bool,
}

impl Found<'_> {
    /// The opcode with its modifiers.
    pub(super) fn head(&self) -> String {
        self.modifiers
            .iter()
            .fold(self.opcode.text().to_owned(), |head, it| head + it.text())
    }

    /// The opcode with its first modifiers.
    fn head_to(&self, count: usize) -> String {
        let modifiers = self.modifiers.iter().take(count);
        modifiers.fold(self.opcode.text().to_owned(), |head, it| head + it.text())
    }

    pub(super) fn head_range(&self) -> TextRange {
        let end = self
            .modifiers
            .last()
            .map_or(self.opcode.range(), CursorToken::range);
        self.opcode.range().cover(end)
    }

    pub(super) fn range(&self, place: isa::matcher::Place) -> TextRange {
        use isa::matcher::Place;
        match place {
            Place::Opcode => self.opcode.range(),
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

    pub(super) fn finding(&self, problem: &Problem<'_>) -> Finding {
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
                format!("there is no instruction `{word}`"),
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
                // A type is no misspelling of another one.
                let known = || instruction_fixes::known_words(self).into_iter();
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
                    format!("`{word}` cannot stand here in `{}`", self.head())
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
                format!("`{}` lacks {}", self.head(), one_of(words)),
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
                finding(
                    range,
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
                    format!("{found} cannot stand here in `{}`", self.head()),
                    self.unlike(problem.place)
                        .or_else(|| (!kinds.is_empty()).then(expected)),
                )
            }
        }
    }

    /// What is wrong with elements that do not go together.
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

    fn operand(&self, place: isa::matcher::Place) -> String {
        match place {
            isa::matcher::Place::Operand(index) => {
                self.operands.get(index).map_or_else(String::new, describe)
            }
            isa::matcher::Place::Element { operand, element } => match self.operands.get(operand) {
                Some(Operand::Address(elements, _) | Operand::Vector(elements)) => {
                    elements.get(element).map_or_else(String::new, describe)
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

/// The targets that a gate demands, if it demands one.
pub(super) fn needed(gate: &Gate) -> Option<String> {
    let all: Vec<String> = gate
        .alternatives()
        .map(|it| match it.suffix {
            Suffix::Plain => format!("`{it}` or later"),
            _ => format!("`{it}`"),
        })
        .collect();
    (!all.is_empty()).then(|| either(&all))
}

/// That the module does not meet a gate.
pub(super) fn gate_finding(
    range: TextRange,
    subject: &str,
    module: Module,
    gate: &Gate,
) -> Finding {
    let Module {
        version, target, ..
    } = module;
    if !gate.admits_target(target) {
        let message = match gate.below {
            Some(below) if target.number >= below => {
                format!("{subject} is gone since `sm_{below}`; this module is for `{target}`")
            }
            _ => format!(
                "{subject} needs target {}; this module is for `{target}`",
                needed(gate).unwrap_or_default()
            ),
        };
        return finding(range, UNSUPPORTED_BY_TARGET, message, None);
    }
    let message = match (gate.since, gate.until) {
        (_, Some(until)) if version > until => {
            let gone = versions().find(|it| *it > until).unwrap_or(until);
            format!("{subject} is gone since PTX ISA {gone}; this module is {version}")
        }
        (Some(since), _) => format!("{subject} needs PTX ISA {since}; this module is {version}"),
        _ => format!("{subject} is not in PTX ISA {version}"),
    };
    finding(range, UNSUPPORTED_BY_VERSION, message, None)
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
