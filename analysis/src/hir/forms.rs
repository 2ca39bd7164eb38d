//! The forms of the instructions of a function.
//!
//! A function keeps a number for each instruction, and no ranges. To find it, the nodes and tokens of an instruction are
//! written one after the other, with what its names mean in their place: instructions that are written the same have
//! the same form, so only the first of them is taken apart.

use std::borrow::Cow;

use isa::{operand::Operand, target::Module};
use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::{Cursor, NodeOrToken, SyntaxKind, TextRange};

use crate::constant::is_plain;

use super::{
    body::{Body, Reference, Target, body, body_around},
    form::{Form, FormContents},
    in_force::in_force,
    instruction::{Parts, find_reference, references},
    items::Function,
    resolve::meaning,
    tree,
};

/// How often a long body looks for a cancellation, in instructions.
const CHECK_INTERVAL: usize = 1024;

/// The forms of the instructions of a body.
#[derive(Clone, Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub(crate) struct Forms<'db> {
    /// Each once.
    pub(crate) all: Vec<Form<'db>>,
    /// For each instruction of the body the index of its form.
    of: Vec<u32>,
}

impl<'db> Forms<'db> {
    /// The index in [`Forms::all`] of the form of an instruction.
    pub(crate) fn index(&self, instruction: usize) -> Option<usize> {
        self.of.get(instruction).map(|it| *it as usize)
    }
}

/// The forms of the instructions of a function.
#[salsa::tracked(returns(ref))]
pub(crate) fn forms<'db>(db: &'db dyn Database, function: Function<'db>) -> Forms<'db> {
    forms_in(db, function, body(db, function), None)
}

/// The form of the instruction in a part of a function.
pub(crate) fn form_at<'db>(
    db: &'db dyn Database,
    function: Function<'db>,
    part: TextRange,
) -> Option<Form<'db>> {
    let body = body_around(db, function, part);
    let instructions = &body.instructions;
    let index = instructions
        .iter()
        .position(|it| part.contains_range(it.range))?;
    match &body {
        Cow::Borrowed(_) => {
            let forms = forms(db, function);
            forms.all.get(forms.index(index)?).copied()
        }
        Cow::Owned(body) => {
            let forms = forms_in(db, function, body, Some(part));
            forms.all.get(forms.index(index)?).copied()
        }
    }
}

/// As [`forms`], of a part of a function and the body that was made of it.
pub(super) fn forms_in<'db>(
    db: &'db dyn Database,
    function: Function<'db>,
    body: &Body,
    part: Option<TextRange>,
) -> Forms<'db> {
    let mut reader = Reader {
        db,
        function,
        body,
        key: Vec::new(),
        meanings: Vec::new(),
        definitions: Vec::new(),
        parts: Parts::default(),
        known: FxHashMap::default(),
        forms: Forms::default(),
    };
    let in_force = in_force(db, function);
    let mut module = None;
    let mut instructions = body.instructions.iter();
    tree::for_each_instruction_in(&function.green(db).cursor(), part, &mut |node| {
        let Some(instruction) = instructions.next() else {
            return;
        };
        if reader.forms.of.len().is_multiple_of(CHECK_INTERVAL) {
            db.unwind_if_revision_cancelled();
        }
        let here = in_force.map(|it| it.at(instruction.range.start()));
        if here != module {
            module = here;
            reader.known.clear();
        }
        let form = reader.form(node, references(body, instruction), module);
        reader.forms.of.push(form);
    });
    reader.forms
}

/// Finds the forms of instructions. Two instructions with the same key have the same form, which is made for the first
/// of them.
struct Reader<'a, 'db> {
    db: &'db dyn Database,
    function: Function<'db>,
    body: &'a Body,
    /// Nodes and tokens of the instruction, with what its names mean in their place.
    key: Vec<u8>,
    /// The meaning of names.
    meanings: Vec<Operand>,
    /// For definitions of the body the index in `meanings`, or [`UNSEEN`].
    definitions: Vec<u16>,
    parts: Parts<'a>,
    /// The forms by their keys.
    known: FxHashMap<Box<[u8]>, u32>,
    forms: Forms<'db>,
}

/// Stands for a definition that was not met.
const UNSEEN: u16 = u16::MAX;
/// Ends a text and a node; no UTF-8 contains it.
const END: u8 = 0xff;
/// Precedes the text of a name without a reference,
const UNKNOWN_NAME: u8 = 0xfe;
/// and before the meaning of the others.
const NAME: u8 = 0xfd;
/// Precedes a name to which a constant is added.
const OFFSET: u8 = 0xfc;
/// Precedes the kind of another node.
const NODE: u8 = 0xfb;

impl<'a, 'db: 'a> Reader<'a, 'db> {
    fn form(&mut self, node: &Cursor<'a>, references: &[Reference], module: Option<Module>) -> u32 {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        let mut next = 0;
        self.write(node, references, &mut next, &mut key);
        let form = match self.known.get(&*key) {
            Some(form) => *form,
            None => {
                let form = self.make(node, references, module);
                self.known.insert(key.as_slice().into(), form);
                form
            }
        };
        self.key = key;
        form
    }

    fn make(&mut self, node: &Cursor<'a>, references: &[Reference], module: Option<Module>) -> u32 {
        self.parts.read(node);
        let (db, function, types) = (self.db, self.function, &self.body.operands);
        let resolve = |range: TextRange, name: &str| match find_reference(references, range) {
            Some(it) => meaning(db, function, types, it, name),
            None => Operand::Unknown,
        };
        let data = FormContents::of(node, &self.parts, module, references, &resolve);
        self.forms.all.push(Form::new(db, data));
        self.forms.all.len() as u32 - 1
    }

    fn write(
        &mut self,
        node: &Cursor<'_>,
        references: &[Reference],
        next: &mut usize,
        key: &mut Vec<u8>,
    ) {
        for child in node.children() {
            match child {
                NodeOrToken::Token(it) if it.kind().is_trivia() => {}
                NodeOrToken::Token(it) => {
                    key.extend_from_slice(it.text().as_bytes());
                    key.push(END);
                }
                NodeOrToken::Node(it) if it.kind() == SyntaxKind::NAME_REFERENCE => {
                    self.write_name(&it, references, next, key);
                }
                NodeOrToken::Node(it) => {
                    if it.kind() == SyntaxKind::BINARY_EXPRESSION
                        && let Some(name) = offset_name(&it)
                    {
                        key.push(OFFSET);
                        self.write_name(&name, references, next, key);
                        continue;
                    }
                    key.push(NODE);
                    key.extend_from_slice(&(it.kind() as u16).to_le_bytes());
                    self.write(&it, references, next, key);
                    key.push(END);
                }
            }
        }
    }

    fn write_name(
        &mut self,
        node: &Cursor<'_>,
        references: &[Reference],
        next: &mut usize,
        key: &mut Vec<u8>,
    ) {
        let Some(name) = node.tokens().next() else {
            key.push(UNKNOWN_NAME);
            key.push(END);
            return;
        };
        let start = name.range().start();
        while references
            .get(*next)
            .is_some_and(|it| it.range.start() < start)
        {
            *next += 1;
        }
        let found = references.get(*next).filter(|it| it.range.start() == start);
        let Some(reference) = found else {
            key.push(UNKNOWN_NAME);
            key.extend_from_slice(name.text().as_bytes());
            key.push(END);
            return;
        };
        let meaning = self.meaning(reference, name.text());
        key.push(NAME);
        key.extend_from_slice(&meaning.to_le_bytes());
    }

    /// The index in `meanings` of what a name means.
    fn meaning(&mut self, reference: &Reference, name: &str) -> u16 {
        let types = &self.body.operands;
        let Target::Definition(id) = reference.target else {
            return self.number(meaning(self.db, self.function, types, reference, name));
        };
        if self.definitions.is_empty() {
            self.definitions = vec![UNSEEN; self.body.definitions.len()];
        }
        match self.definitions.get(id as usize) {
            Some(&number) if number != UNSEEN => number,
            _ => {
                let number = self.number(meaning(self.db, self.function, types, reference, name));
                if let Some(slot) = self.definitions.get_mut(id as usize) {
                    *slot = number;
                }
                number
            }
        }
    }

    /// The index of a meaning. There are not more than types and state spaces.
    fn number(&mut self, meaning: Operand) -> u16 {
        let found = self.meanings.iter().position(|it| *it == meaning);
        found.unwrap_or_else(|| {
            self.meanings.push(meaning);
            self.meanings.len() - 1
        }) as u16
    }
}

/// The name in `name+4`, where what is added is a short integer.
fn offset_name<'a>(node: &Cursor<'a>) -> Option<Cursor<'a>> {
    let mut parts = node.children().filter(|it| match it {
        NodeOrToken::Token(it) => !it.kind().is_trivia(),
        NodeOrToken::Node(_) => true,
    });
    let name = parts.next()?.into_node()?;
    let plus = *parts.next()?.as_token()?;
    let number = parts.next()?.into_node()?;
    let number = match number.kind() {
        SyntaxKind::PREFIX_EXPRESSION => {
            let minus = number.tokens().next()?.kind() == SyntaxKind::MINUS;
            number.nodes().next().filter(|_| minus)?
        }
        _ => number,
    };
    let is_offset = name.kind() == SyntaxKind::NAME_REFERENCE
        && plus.kind() == SyntaxKind::PLUS
        && number.kind() == SyntaxKind::LITERAL
        && is_plain(&number)
        // It is a constant itself.
        && name.tokens().next()?.text() != "WARP_SZ";
    is_offset.then_some(name)
}
