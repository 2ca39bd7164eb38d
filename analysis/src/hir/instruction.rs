//! The parts of one instruction in the text, read from the tree when they are needed: to place a message, say.

use isa::{operand::Operand, semantics::Control};
use syntax::{Cursor, CursorToken, NodeOrToken, SyntaxKind, TextRange};

use super::{
    lowered::{Body, Instruction, Reference, Target},
    operand::{Resolve, operand},
    tree,
};

/// Names of an instruction of which one is found faster by a look at all of them.
const FEW: usize = 12;

/// The parts of an instruction in the text.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    pub(crate) guard: Option<Cursor<'a>>,
    pub(crate) opcode: Option<CursorToken<'a>>,
    pub(crate) modifiers: Vec<CursorToken<'a>>,
    /// The modifiers without their periods.
    pub(crate) words: Vec<&'a str>,
    pub(crate) operands: Vec<Cursor<'a>>,
}

/// Whether instructions with an opcode call functions.
pub(crate) fn is_call(opcode: &str) -> bool {
    isa::tables().semantics(opcode, std::iter::empty()).control == Control::Call
}

impl<'a> Parts<'a> {
    /// The parts of an instruction.
    pub(crate) fn of(instruction: &Cursor<'a>) -> Parts<'a> {
        let mut parts = Parts::default();
        parts.read(instruction);
        parts
    }

    /// As [`Parts::of`], in the memory of another one.
    pub(crate) fn read(&mut self, instruction: &Cursor<'a>) {
        (self.guard, self.opcode) = (None, None);
        self.modifiers.clear();
        self.words.clear();
        self.operands.clear();
        for child in instruction.children() {
            match child {
                NodeOrToken::Token(token) => match token.kind() {
                    SyntaxKind::IDENT if self.opcode.is_none() => self.opcode = Some(token),
                    SyntaxKind::DOTTED => {
                        self.modifiers.push(token);
                        self.words.push(&token.text()[1..]);
                    }
                    _ => {}
                },
                NodeOrToken::Node(node) => match node.kind() {
                    SyntaxKind::GUARD => self.guard = Some(node),
                    SyntaxKind::ERROR => {}
                    _ => self.operands.push(node),
                },
            }
        }
    }

    /// The words that name the instruction; see [`name`].
    pub(crate) fn name(&self) -> TextRange {
        let opcode = self.opcode.as_ref();
        opcode.map_or_else(TextRange::default, |it| name(it, &self.modifiers))
    }

    /// Where the parts are.
    pub(crate) fn ranges(&self) -> Ranges {
        Ranges {
            opcode: self.opcode.map(|it| it.range()).unwrap_or_default(),
            name: self.name(),
            modifiers: self.modifiers.iter().map(CursorToken::range).collect(),
            operands: self.operands.iter().map(tree::trimmed).collect(),
        }
    }

    /// The classes of the operands.
    pub(crate) fn resolved(&self, resolve: Resolve<'_>) -> Vec<Operand> {
        let operands = self.operands.iter();
        operands.map(|it| operand(it, resolve)).collect()
    }

    /// The class of the predicate of the guard, if there is one.
    pub(crate) fn predicate(&self, resolve: Resolve<'_>) -> Option<Operand> {
        let name = self.guard?.node(SyntaxKind::NAME_REFERENCE);
        Some(name.map_or(Operand::Unknown, |it| operand(&it, resolve)))
    }
}

/// The words of an opcode and its modifiers that name the instruction: all of `wgmma.mma_async`, but `add` of `add.f32`.
pub(crate) fn name(opcode: &CursorToken<'_>, modifiers: &[CursorToken<'_>]) -> TextRange {
    let words: Vec<&str> = modifiers.iter().map(|it| &it.text()[1..]).collect();
    let length = isa::tables().name_length(opcode.text(), &words);
    let last = length.checked_sub(1).and_then(|it| modifiers.get(it));
    last.map_or(opcode.range(), |it| opcode.range().cover(it.range()))
}

/// Where the parts of an instruction are, relative to the function. That of no instruction has empty ranges for all
/// of them.
#[derive(Default)]
pub(crate) struct Ranges {
    /// The first word.
    pub(crate) opcode: TextRange,
    /// The words that name the instruction: the opcode, and the modifiers that belong to its name.
    pub(crate) name: TextRange,
    modifiers: Vec<TextRange>,
    operands: Vec<TextRange>,
}

impl Ranges {
    /// A modifier with its period.
    pub(crate) fn modifier(&self, index: usize) -> TextRange {
        self.modifiers.get(index).copied().unwrap_or_default()
    }

    /// An operand without the whitespace and comments around it.
    pub(crate) fn operand(&self, index: usize) -> TextRange {
        self.operands.get(index).copied().unwrap_or_default()
    }
}

/// The references of an instruction.
pub(crate) fn references<'b>(body: &'b Body, instruction: &Instruction) -> &'b [Reference] {
    let range = &instruction.references;
    body.references
        .get(range.start as usize..range.end as usize)
        .unwrap_or_default()
}

/// The references that are names in operands: `WARP_SZ` is a constant, and a word that means several labels is one name.
pub(super) fn names(references: &[Reference]) -> impl Iterator<Item = &Reference> {
    let mut before = None;
    references.iter().filter(move |it| {
        let first = before.replace(it.range) != Some(it.range);
        first && it.target != Target::WarpSize
    })
}

/// The one of the references of an instruction that is the word at a place.
pub(crate) fn find_reference(references: &[Reference], range: TextRange) -> Option<&Reference> {
    // An operand may be a list as long as the file.
    let before = |it: &Reference| it.range.start() < range.start();
    let rest = match references.len() {
        0..=FEW => references,
        _ => &references[references.partition_point(before)..],
    };
    rest.iter()
        .find(|it| it.range.start() >= range.start())
        .filter(|it| it.range.start() == range.start())
}
