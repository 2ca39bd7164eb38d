//! Reads functions as rows: the only file here that knows how the text of an instruction is kept.

use isa::operand::Operand;
use rustc_hash::FxHashMap;
use salsa::Database;
use std::{
    fmt::Write as _,
    hash::{Hash, Hasher},
};
use syntax::{Cursor, NodeOrToken, SyntaxKind, TextRange, TextSize, text::StableHasher};

use crate::{
    SymbolKind,
    db::SourceFile,
    hir::{
        body::{Body, DefinitionId, Reference, Target, body},
        items::{Function, item_offsets, items},
        tree,
    },
};

use super::{Side, names};

/// A module as rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Module {
    pub(super) words: Interner,
    /// Functions with a body.
    pub(super) functions: Vec<Code>,
    /// Variables outside functions: name, declaration without hashes and blanks, place.
    pub(super) variables: Vec<(Box<str>, Box<str>, TextRange)>,
    /// `.version`, `.target` and `.address_size` with their values.
    pub(super) directives: Vec<(Box<str>, Box<str>)>,
}

/// A function as rows. Ranges are those of the file.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) name: Box<str>,
    pub(super) entry: bool,
    pub(super) range: TextRange,
    /// The header without names: a word of the interner.
    pub(super) header: u32,
    pub(super) rows: Vec<Row>,
    /// The names that the rows use.
    pub(super) symbols: Vec<LocalName>,
    /// The declarations of variables, used or not: words of the interner, in the order of the text.
    pub(super) declarations: Vec<u32>,
}

/// A statement.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Its text without names of the function: a word of the interner.
    pub(super) shape: u32,
    /// These names, in their order.
    pub(super) holes: Box<[Hole]>,
    /// Two lists of as many holes that can change places: where they start, and how many.
    pub(super) swap: Option<(u8, u8, u8)>,
    /// Whether it is an instruction, and not a directive.
    pub(super) instruction: bool,
    pub(super) range: TextRange,
}

/// A name of the function in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hole {
    /// Index of the symbol.
    pub(super) symbol: u32,
    /// Whether it is written there.
    pub(super) write: bool,
}

/// A name of the function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LocalName {
    /// A register, or one of a family.
    Register(Box<str>),
    /// A label: the number of the row after it.
    Label(Box<str>, u32),
    /// A parameter: its number.
    Parameter(Box<str>, u32),
    /// A variable: its declaration without its name, a word of the interner.
    Variable(Box<str>, u32),
}

impl LocalName {
    pub(super) fn name(&self) -> &str {
        match self {
            LocalName::Register(name)
            | LocalName::Label(name, _)
            | LocalName::Parameter(name, _)
            | LocalName::Variable(name, _) => name,
        }
    }
}

impl Code {
    pub(super) fn side(&self) -> Side {
        Side {
            name: self.name.clone(),
            entry: self.entry,
            range: self.range,
        }
    }
}

/// Texts with numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Interner {
    texts: Vec<Box<str>>,
    numbers: FxHashMap<Box<str>, u32>,
}

impl Interner {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        // A text of 4 GiB is not read.
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }
}

/// The words of two modules under the same numbers.
pub(super) struct Words {
    /// For each word of the new module its number in the old one, or one above all of these.
    new: Vec<u32>,
}

impl Words {
    pub(super) fn join(old: &Interner, new: &Interner) -> Words {
        let first = old.texts.len();
        let number = |(index, text): (usize, &str)| {
            let known = old.numbers.get(text).copied();
            known.unwrap_or_else(|| u32::try_from(first + index).unwrap_or(u32::MAX))
        };
        Words {
            new: new
                .texts
                .iter()
                .map(|it| &**it)
                .enumerate()
                .map(number)
                .collect(),
        }
    }

    /// The number of a word of the new module among those of the old one.
    pub(super) fn of_new(&self, word: u32) -> u32 {
        self.new.get(word as usize).copied().unwrap_or(u32::MAX)
    }
}

/// Reads a file.
pub(crate) fn module(db: &dyn Database, file: SourceFile) -> Module {
    let mut module = Module::default();
    let items = items(db, file);
    let offsets = item_offsets(db, file);
    let mut commutative = FxHashMap::default();
    for (function, offset) in items.functions.iter().zip(&offsets.functions) {
        db.unwind_if_revision_cancelled();
        if let Some(code) = code(db, *function, *offset, &mut module.words, &mut commutative) {
            module.functions.push(code);
        }
    }
    for (item, offset) in items.module.items(db).iter().zip(&offsets.module) {
        let node = item.green.cursor();
        let range = tree::trimmed(&node) + *offset;
        let mut text = String::new();
        match node.kind() {
            SyntaxKind::VARIABLE_DECLARATION => {
                tree::for_each_token(&node, &mut |token| {
                    if !token.kind().is_trivia() {
                        text.push_str(&names::plain(token.text()));
                        text.push(' ');
                    }
                });
                let declarators = node
                    .nodes()
                    .filter(|it| it.kind() == SyntaxKind::DECLARATOR);
                for name in declarators.filter_map(|it| tree::name(&it)) {
                    let name = names::plain(name.text());
                    module
                        .variables
                        .push((name.into(), text.as_str().into(), range));
                }
            }
            SyntaxKind::VERSION_DIRECTIVE
            | SyntaxKind::TARGET_DIRECTIVE
            | SyntaxKind::ADDRESS_SIZE_DIRECTIVE => {
                let mut word = None;
                tree::for_each_token(&node, &mut |token| {
                    if token.kind().is_trivia() {
                    } else if word.is_none() {
                        word = Some(token.text());
                    } else {
                        text.push_str(token.text());
                    }
                });
                let word = word.unwrap_or_default();
                module.directives.push((word.into(), text.into()));
            }
            _ => {}
        }
    }
    module
}

fn code(
    db: &dyn Database,
    function: Function<'_>,
    offset: TextSize,
    words: &mut Interner,
    commutative: &mut FxHashMap<Box<str>, bool>,
) -> Option<Code> {
    let node = function.green(db).cursor();
    let block = node.node(SyntaxKind::BLOCK)?;
    let body = body(db, function);
    let mut reader = Reader {
        body,
        offset,
        words,
        rows: Vec::new(),
        symbols: Vec::new(),
        known: FxHashMap::default(),
        declarations: FxHashMap::default(),
        declared: Vec::new(),
        commutative,
        opcode: String::new(),
        text: String::new(),
        holes: Vec::new(),
        next: 0,
    };
    let header = reader.header(&node);
    reader.block(&block);
    let declarations = reader.declared;
    let (rows, mut symbols) = (reader.rows, reader.symbols);
    let starts: Vec<TextSize> = rows.iter().map(|it| it.range.start()).collect();
    for symbol in &mut symbols {
        if let LocalName::Label(_, place) = symbol {
            // It is the offset so far.
            let start = TextSize::new(*place) + offset;
            *place = u32::try_from(starts.partition_point(|it| *it < start)).unwrap_or(u32::MAX);
        }
    }
    Some(Code {
        name: function.name(db).into(),
        entry: tree::has_word(&node, ".entry"),
        range: body.name.unwrap_or_default() + offset,
        header,
        rows,
        symbols,
        declarations,
    })
}

struct Reader<'a> {
    body: &'a Body,
    offset: TextSize,
    words: &'a mut Interner,
    rows: Vec<Row>,
    symbols: Vec<LocalName>,
    /// The number of a definition, or of a register of a family.
    known: FxHashMap<(DefinitionId, Option<u32>), u32>,
    /// The declarations of variables, by the start of their names.
    declarations: FxHashMap<TextSize, u32>,
    declared: Vec<u32>,
    /// Whether operands of an opcode with its modifiers may change places, for those that were asked for.
    commutative: &'a mut FxHashMap<Box<str>, bool>,
    /// Opcode and modifiers of the instruction.
    opcode: String,
    text: String,
    holes: Vec<Hole>,
    /// The next reference of the body.
    next: usize,
}

impl Reader<'_> {
    /// The header: its words, with parameters by their place and without the name of the function.
    fn header(&mut self, function: &Cursor<'_>) -> u32 {
        let body = self.body;
        let mut text = String::new();
        let mut parameters = 0;
        let mut visit = |token: syntax::CursorToken<'_>| {
            if token.kind().is_trivia() || Some(token.range()) == body.name {
                return;
            }
            let is_parameter = token.kind() == SyntaxKind::IDENT
                && body
                    .definitions
                    .iter()
                    .any(|it| it.name_range == token.range());
            if is_parameter {
                text += &format!("${parameters} ");
                parameters += 1;
            } else {
                text += token.text();
                text.push(' ');
            }
        };
        for child in function.children() {
            match child {
                NodeOrToken::Node(it) if it.kind() == SyntaxKind::BLOCK => {}
                NodeOrToken::Node(it) => tree::for_each_token(&it, &mut visit),
                NodeOrToken::Token(it) => visit(it),
            }
        }
        self.words.number(&text)
    }

    fn block(&mut self, block: &Cursor<'_>) {
        for child in block.nodes() {
            match child.kind() {
                SyntaxKind::STATEMENT_RUN | SyntaxKind::BLOCK => self.block(&child),
                SyntaxKind::INSTRUCTION => self.instruction(&child),
                SyntaxKind::VARIABLE_DECLARATION => self.declaration(&child),
                SyntaxKind::LABEL
                | SyntaxKind::LOC_DIRECTIVE
                | SyntaxKind::FILE_DIRECTIVE
                | SyntaxKind::SECTION => {}
                _ => {
                    self.tokens(&child);
                    self.row(&child, None, false);
                }
            }
        }
    }

    /// Notes how a variable is declared; a register is known by its width.
    fn declaration(&mut self, node: &Cursor<'_>) {
        if tree::has_word(node, ".reg") {
            return;
        }
        let mut words = String::new();
        for token in node.tokens().filter(|it| !it.kind().is_trivia()) {
            if !matches!(token.text(), "," | ";") {
                words += token.text();
                words.push(' ');
            }
        }
        for child in node.nodes() {
            if child.kind() != SyntaxKind::DECLARATOR {
                push_text(&mut words, &child, None);
            }
        }
        for declarator in node
            .nodes()
            .filter(|it| it.kind() == SyntaxKind::DECLARATOR)
        {
            let Some(name) = tree::name(&declarator) else {
                continue;
            };
            let mut text = words.clone();
            push_text(&mut text, &declarator, Some(name.range()));
            let number = self.words.number(&text);
            self.declarations.insert(name.range().start(), number);
            self.declared.push(number);
        }
    }

    fn instruction(&mut self, node: &Cursor<'_>) {
        let mut pieces: Vec<(usize, usize)> = Vec::new();
        for child in node.children() {
            match child {
                NodeOrToken::Token(token) => self.token(&token),
                NodeOrToken::Node(operand) => {
                    if !matches!(operand.kind(), SyntaxKind::GUARD | SyntaxKind::ERROR) {
                        pieces.push((self.text.len(), self.holes.len()));
                    }
                    self.tokens(&operand);
                }
            }
        }
        let swap = match self.commutes(node) {
            true => self.sort(&pieces, (1, 2)),
            false => None,
        };
        self.row(node, swap, true);
    }

    /// Whether two operands of an instruction may change places.
    fn commutes(&mut self, node: &Cursor<'_>) -> bool {
        let opcode = node.token(SyntaxKind::IDENT).map_or("", |it| it.text());
        self.opcode.clear();
        self.opcode.push_str(opcode);
        let modifiers = |it: &syntax::CursorToken<'_>| it.kind() == SyntaxKind::DOTTED;
        for token in node.tokens().filter(modifiers) {
            self.opcode.push_str(token.text());
        }
        if let Some(known) = self.commutative.get(&*self.opcode) {
            return *known;
        }
        let words = self.opcode.split('.').skip(1);
        let commutes = isa::tables().semantics(opcode, words).commutes;
        self.commutative
            .insert(self.opcode.as_str().into(), commutes);
        commutes
    }

    /// Puts two operands that may change places into an order that does not depend on names. If there is
    /// none, the holes that may change places are returned.
    fn sort(&mut self, pieces: &[(usize, usize)], (a, b): (usize, usize)) -> Option<(u8, u8, u8)> {
        let piece = |index: usize| {
            let start = *pieces.get(index)?;
            let end = pieces.get(index + 1).copied();
            Some((start, end.unwrap_or((self.text.len(), self.holes.len()))))
        };
        let ((a, a_end), (b, b_end)) = (piece(a)?, piece(b)?);
        let trimmed =
            |start: usize, end: usize| self.text[start..end].trim_end_matches([' ', ',', ';']);
        let (first, second) = (trimmed(a.0, a_end.0), trimmed(b.0, b_end.0));
        if first == second {
            let number = |it: usize| u8::try_from(it).ok();
            return Some((number(a.1)?, number(b.1)?, number(a_end.1 - a.1)?));
        }
        if first > second {
            let (middle, end) = (a.0 + first.len(), b.0 + second.len());
            let text = format!(
                "{}{second}{}{first}{}",
                &self.text[..a.0],
                &self.text[middle..b.0],
                &self.text[end..]
            );
            let holes = [
                &self.holes[..a.1],
                &self.holes[b.1..b_end.1],
                &self.holes[a_end.1..b.1],
                &self.holes[a.1..a_end.1],
                &self.holes[b_end.1..],
            ];
            self.holes = holes.concat();
            self.text = text;
        }
        None
    }

    fn row(&mut self, node: &Cursor<'_>, swap: Option<(u8, u8, u8)>, instruction: bool) {
        let shape = self.words.number(&self.text);
        self.text.clear();
        self.rows.push(Row {
            shape,
            holes: self.holes.drain(..).collect(),
            swap,
            instruction,
            range: tree::trimmed(node) + self.offset,
        });
    }

    fn tokens(&mut self, node: &Cursor<'_>) {
        for child in node.children() {
            match child {
                NodeOrToken::Node(it) => self.tokens(&it),
                NodeOrToken::Token(it) => self.token(&it),
            }
        }
    }

    fn token(&mut self, token: &syntax::CursorToken<'_>) {
        if token.kind().is_trivia() {
            return;
        }
        if token.kind() == SyntaxKind::IDENT && self.name(token.range()) {
            return;
        }
        match token.kind() {
            SyntaxKind::INTEGER | SyntaxKind::FLOAT => {
                let digits = token.text().chars();
                self.text.extend(digits.map(|it| it.to_ascii_lowercase()));
            }
            _ => self.text.push_str(&names::plain(token.text())),
        }
        self.text.push(' ');
    }

    /// Reads a name of the function; other words are not its names.
    fn name(&mut self, range: TextRange) -> bool {
        let references = &self.body.references;
        while references
            .get(self.next)
            .is_some_and(|it| it.range.start() < range.start())
        {
            self.next += 1;
        }
        let mut found = false;
        // One word may stand for several labels.
        while let Some(reference) = references.get(self.next).filter(|it| it.range == range) {
            self.next += 1;
            found |= self.reference(reference);
        }
        found
    }

    fn reference(&mut self, reference: &Reference) -> bool {
        let Target::Definition(id) = reference.target else {
            return false;
        };
        let Some(definition) = self.body.definitions.get(id as usize) else {
            return false;
        };
        let operand = self.body.operands.get(id as usize).map(|it| &it.0);
        match operand {
            Some(Operand::Register { class, lanes }) => {
                // A string takes any text.
                let _ = write!(self.text, "%{}x{lanes} ", class.bits());
            }
            _ if definition.kind == SymbolKind::Label => self.text.push_str("$label "),
            _ => self.text.push_str("$name "),
        }
        let next = u32::try_from(self.symbols.len()).unwrap_or(u32::MAX);
        let symbol = *self.known.entry((id, reference.member)).or_insert(next);
        if symbol == next {
            let member = reference.member.filter(|_| definition.count.is_some());
            let name: Box<str> = match member {
                Some(member) => format!("{}{member}", definition.name).into(),
                None => definition.name.clone(),
            };
            self.symbols.push(match operand {
                Some(Operand::Register { .. }) => LocalName::Register(name),
                _ if definition.kind == SymbolKind::Label => {
                    LocalName::Label(name, definition.full_range.end().into())
                }
                _ => {
                    let start = definition.name_range.start();
                    match self.declarations.get(&start) {
                        Some(declaration) => LocalName::Variable(name, *declaration),
                        // Parameters are the first definitions.
                        None => LocalName::Parameter(name, id),
                    }
                }
            });
        }
        self.holes.push(Hole {
            symbol,
            write: reference.write,
        });
        true
    }
}

/// Adds the words of a node but for one.
fn push_text(out: &mut String, node: &Cursor<'_>, but: Option<TextRange>) {
    tree::for_each_token(node, &mut |token| {
        if !token.kind().is_trivia() && Some(token.range()) != but {
            out.push_str(token.text());
            out.push(' ');
        }
    });
}

/// A hash of plain numbers.
pub(super) fn hash_of(values: &[u64]) -> u64 {
    let mut hasher = StableHasher::default();
    values.hash(&mut hasher);
    hasher.finish()
}
