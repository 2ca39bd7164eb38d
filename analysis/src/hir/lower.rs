//! Lowering of functions: one walk in the order of the text, as ptxas reads it.
//!
//! A name means what is declared at that moment, in the innermost block first. A name that is not
//! declared yet waits for a label: when its block ends without one, it waits in the block around.

mod names;

use std::borrow::Cow;

use isa::{
    operand::{Operand, Symbol},
    role::Role,
    table::tables,
};
use syntax::{Cursor, NodeOrToken, SyntaxError, SyntaxKind, TextRange};

use crate::SymbolKind;

use self::names::Names;
use super::{
    declaration::{Declared, Owner, declarator_of, variable},
    lowered::{Body, DefinitionId, Duplicate, Instruction, OUTERMOST, Place, Reference, Target},
    number::integer,
    tree::{self, trimmed},
};

/// Names that elements such as `L<4>` of `.branchtargets` may stand for in one function; more are not
/// looked at.
const MAX_TARGETS: u32 = 1 << 16;
/// How often a long body looks for a cancellation, in instructions.
const CHECK_INTERVAL: usize = 4096;

/// Lowers a function, given by its tree and its syntax errors; of instructions only those that `part` meets,
/// if there is one. `check` is called now and then, so that it can interrupt the work on a long
/// function.
pub(super) fn lower<'a>(
    function: &Cursor<'a>,
    errors: &'a [SyntaxError],
    part: Option<TextRange>,
    check: &'a dyn Fn(),
) -> Body {
    let mut lowering = Lowering::new(errors, part, check);
    if part.is_none() {
        // Compilers write a name every dozen bytes, and an instruction every third name.
        let bytes = usize::from(function.range().len());
        lowering.names.body.references.reserve(bytes / 16);
        lowering.names.body.instructions.reserve(bytes / 48);
    }
    lowering.function(function);
    let mut body = lowering.names.body;
    // It is kept, and names are most of what a file costs besides its tree.
    body.references.shrink_to_fit();
    body.instructions.shrink_to_fit();
    body.definitions.shrink_to_fit();
    body.operands.shrink_to_fit();
    body
}

struct Lowering<'a> {
    check: &'a dyn Fn(),
    /// Where instructions are lowered, if not everywhere.
    part: Option<TextRange>,
    errors: &'a [SyntaxError],
    names: Names<'a>,
    /// The label just before the current statement.
    label: Option<DefinitionId>,
    /// How many names elements such as `L<4>` stood for.
    targets: u32,
}

impl<'a> Lowering<'a> {
    fn new(
        errors: &'a [SyntaxError],
        part: Option<TextRange>,
        check: &'a dyn Fn(),
    ) -> Lowering<'a> {
        Lowering {
            check,
            part,
            errors,
            names: Names::default(),
            label: None,
            targets: 0,
        }
    }

    fn function(&mut self, function: &Cursor<'a>) {
        self.names.open_scope(function.range());
        let has_body = function.node(SyntaxKind::BLOCK).is_some();
        let owner = match tree::has_word(function, ".entry") {
            true => Owner::Entry,
            false => Owner::Function,
        };
        for child in function.nodes() {
            match child.kind() {
                SyntaxKind::NAME => {
                    self.names.body.name = child.token(SyntaxKind::IDENT).map(|it| it.range());
                }
                SyntaxKind::RETURN_LIST => self.parameters(&child, Owner::Returns, has_body),
                SyntaxKind::PARAMETER_LIST => self.parameters(&child, owner, has_body),
                SyntaxKind::BLOCK => {
                    self.names.body.scopes[OUTERMOST as usize].range = trimmed(&child);
                    self.statements(&child);
                }
                _ => {}
            }
        }
        self.names.close_scope();
    }

    fn parameters(&mut self, list: &Cursor<'a>, owner: Owner, has_body: bool) {
        if self.is_broken(list) {
            self.miss();
        }
        for parameter in list.nodes() {
            let Some(name) = tree::name(&parameter) else {
                continue;
            };
            let definition =
                self.names
                    .definition(name, SymbolKind::Parameter, trimmed(&parameter));
            let operand = declarator_of(&variable(&parameter, owner), &parameter);
            if has_body {
                self.names.declare(name.text(), definition, operand);
            } else {
                // ptxas ignores equal names in a prototype.
                self.names.add(name.text(), definition, operand);
            }
        }
    }

    // ---- Statements ----------------------------------------------------------------------------

    fn statements(&mut self, block: &Cursor<'a>) {
        for child in block.nodes() {
            if child.kind() == SyntaxKind::STATEMENT_RUN {
                if tree::lies_in(&child, self.part) {
                    self.statements(&child);
                } else {
                    self.last_statement(&child);
                }
            } else if !tree::may_declare(&child) && !tree::lies_in(&child, self.part) {
                self.label = None;
            } else {
                let label = self.statement(&child);
                self.label = label;
            }
        }
    }

    /// Reads a run of which no instruction is wanted.
    fn last_statement(&mut self, run: &Cursor<'a>) {
        let last = run.last_node().filter(tree::may_declare);
        if run.green().children().len() > 1 || last.is_none() {
            self.label = None;
        }
        if let Some(last) = last {
            let label = self.statement(&last);
            self.label = label;
        }
    }

    /// Reads a statement. Returns the label that it is.
    fn statement(&mut self, node: &Cursor<'a>) -> Option<DefinitionId> {
        let broken = self.is_broken(node);
        match node.kind() {
            SyntaxKind::INSTRUCTION => self.instruction(node, broken),
            SyntaxKind::LABEL => {
                let name = tree::name(node)?;
                let definition = self
                    .names
                    .definition(name, SymbolKind::Label, trimmed(node));
                let operand = Operand::Symbol(Symbol::Label);
                return Some(self.names.declare(name.text(), definition, operand));
            }
            SyntaxKind::BLOCK => {
                self.names.open_scope(trimmed(node));
                self.label = None;
                self.statements(node);
                self.names.close_scope();
                return None;
            }
            SyntaxKind::VARIABLE_DECLARATION => self.variables(node),
            SyntaxKind::FUNCTION => self.prototype(node),
            SyntaxKind::BRANCH_TARGETS => {
                self.table(node, SymbolKind::TargetList, Symbol::BranchTargets);
                for target in node.nodes() {
                    self.branch_target(&target, broken);
                }
            }
            SyntaxKind::CALL_TARGETS => {
                self.table(node, SymbolKind::TargetList, Symbol::CallTargets);
                self.names_of(node, Place::Callee, broken);
            }
            SyntaxKind::CALL_PROTOTYPE => {
                self.table(node, SymbolKind::Prototype, Symbol::CallPrototype);
            }
            SyntaxKind::ALIAS => self.names_of(node, Place::Callee, broken),
            SyntaxKind::LOC_DIRECTIVE => self.location(node),
            _ => {}
        }
        // What could have been a declaration was not understood: anything but a plain instruction. A word
        // alone may be a label without its colon.
        let alone = || node.nodes().next().is_none() && !has_token(node, SyntaxKind::DOTTED);
        if broken
            && (node.kind() != SyntaxKind::INSTRUCTION
                || has_token(node, SyntaxKind::COLON)
                || alone())
        {
            self.miss();
        }
        None
    }

    /// A declaration of the innermost block may have been missed.
    fn miss(&mut self) {
        self.names.scope().uncertain = true;
    }

    /// A table directive gives the label before it its meaning.
    fn table(&mut self, node: &Cursor<'a>, kind: SymbolKind, symbol: Symbol) {
        let range = trimmed(node);
        if let Some(label) = self.label {
            let definition = &mut self.names.body.definitions[label as usize];
            definition.kind = kind;
            definition.full_range = definition.full_range.cover(range);
            self.names.body.operands[label as usize] = Declared(Operand::Symbol(symbol));
        } else if let Some(word) = node.token(SyntaxKind::DOTTED) {
            self.names.body.unlabeled.push(word.range());
        }
    }

    fn names_of(&mut self, node: &Cursor<'a>, place: Place, broken: bool) {
        for name in node.nodes() {
            if let Some(token) = name.token(SyntaxKind::IDENT) {
                self.names.reference(token, place, false, broken);
            }
        }
    }

    /// `L` or `L<4>` in a list of branch targets.
    fn branch_target(&mut self, target: &Cursor<'a>, broken: bool) {
        let Some(token) = target
            .node(SyntaxKind::NAME_REFERENCE)
            .and_then(|it| it.token(SyntaxKind::IDENT))
        else {
            return;
        };
        let Some(count) = count(target) else {
            self.names.reference(token, Place::Branch, false, broken);
            return;
        };
        // The names are spelled nowhere, so each is a reference with the range of the prefix.
        let count = count.min(MAX_TARGETS - self.targets);
        self.targets += count;
        for number in 0..count {
            let name = Cow::Owned(format!("{}{number}", token.text()));
            self.names
                .reference_to(name, token.range(), Place::Branch, false, broken);
        }
    }

    fn location(&mut self, node: &Cursor<'a>) {
        tree::for_each_node(node, &mut |it| {
            if it.kind() == SyntaxKind::NAME_REFERENCE
                && let Some(token) = it.tokens().next()
            {
                let free = self.names.free(token.text());
                self.names.body.references.push(Reference {
                    range: token.range(),
                    target: Target::Section(free),
                    member: None,
                    write: false,
                    place: Place::Operand,
                    uncertain: false,
                });
            }
        });
    }

    // ---- Declarations --------------------------------------------------------------------------

    fn variables(&mut self, node: &Cursor<'a>) {
        let kind = tree::variable_kind(node);
        let declarators = || {
            node.nodes()
                .filter(|it| it.kind() == SyntaxKind::DECLARATOR)
        };
        if tree::is_nameless(node) {
            self.names.body.nameless.push(trimmed(node));
        }
        let only = declarators().nth(1).is_none();
        let operand = variable(node, Owner::Body);
        for declarator in declarators() {
            let Some(name) = tree::name(&declarator) else {
                continue;
            };
            let range = trimmed(if only { node } else { &declarator });
            let mut definition = self.names.definition(name, kind, range);
            definition.count = count(&declarator);
            self.names.declare(
                name.text(),
                definition,
                declarator_of(&operand, &declarator),
            );
            for child in declarator.nodes() {
                if !matches!(
                    child.kind(),
                    SyntaxKind::NAME | SyntaxKind::COUNT_SUFFIX | SyntaxKind::ARRAY_DIMENSION
                ) {
                    self.initializer(&child);
                }
            }
        }
    }

    /// Names in an initializer; the words of `filter_mode = nearest` are none.
    fn initializer(&mut self, node: &Cursor<'a>) {
        match node.kind() {
            SyntaxKind::FIELD_INITIALIZER => {}
            SyntaxKind::INITIALIZER_LIST => {
                for child in node.nodes() {
                    self.initializer(&child);
                }
            }
            _ => self.operand(node, Place::Operand, false, self.is_broken(node)),
        }
    }

    /// A prototype inside a body declares a function of the module from here on.
    fn prototype(&mut self, node: &Cursor<'a>) {
        let Some(name) = tree::name(node) else {
            return;
        };
        let definition = self
            .names
            .definition(name, SymbolKind::Function, trimmed(node));
        let taken = self.names.collision(name.text(), &definition);
        let id = self
            .names
            .push(definition, Operand::Symbol(Symbol::Function));
        if let Some(first) = taken {
            self.names.body.duplicates.push(Duplicate {
                definition: id,
                first,
            });
        }
        self.names.prototypes.entry(name.text()).or_insert(id);
        self.names.body.prototypes.push((id, tree::linkage(node)));
    }

    // ---- Instructions --------------------------------------------------------------------------

    fn instruction(&mut self, node: &Cursor<'a>, broken: bool) {
        if self
            .names
            .body
            .instructions
            .len()
            .is_multiple_of(CHECK_INTERVAL)
        {
            (self.check)();
        }
        let first = self.names.body.references.len() as u32;
        let mut opcode = None;
        let mut role = Role::Plain(0);
        let mut operand = 0;
        let mut end = node.range().end();
        let mut start = None;
        for child in node.children() {
            match child {
                NodeOrToken::Token(token) => {
                    if !token.kind().is_trivia() {
                        start.get_or_insert(token.range().start());
                        end = token.range().end();
                    }
                    if token.kind() == SyntaxKind::IDENT && opcode.is_none() {
                        opcode = Some(token.range());
                        role = tables().role(token.text(), || {
                            words(node).map(|it| it.trim_start_matches('.'))
                        });
                    }
                }
                NodeOrToken::Node(child) => {
                    start.get_or_insert(child.range().start());
                    end = child.range().end();
                    if child.kind() == SyntaxKind::GUARD {
                        self.names_of(&child, Place::Operand, broken);
                    } else if child.kind() != SyntaxKind::ERROR {
                        self.operand_of(&child, role, &mut operand, broken);
                    }
                }
            }
        }
        let range = TextRange::new(start.unwrap_or(end), end);
        self.names.body.instructions.push(Instruction {
            range,
            opcode: opcode.unwrap_or(TextRange::empty(range.start())),
            references: first..self.names.body.references.len() as u32,
            call: role == Role::Call,
        });
    }

    /// An operand, with its number counted for its role.
    fn operand_of(&mut self, node: &Cursor<'a>, role: Role, number: &mut u32, broken: bool) {
        let (place, write) = match role {
            Role::Plain(_) => (Place::Operand, role.writes(*number)),
            Role::Branch => (Place::Branch, false),
            Role::Call => {
                // Without a result list the callee comes first.
                if *number == 0 && node.kind() != SyntaxKind::ARGUMENT_LIST {
                    *number = 1;
                }
                match number {
                    0 => (Place::Operand, true),
                    1 => (Place::Callee, false),
                    _ => (Place::Operand, false),
                }
            }
        };
        *number += 1;
        self.operand(node, place, write, broken);
    }

    fn operand(&mut self, node: &Cursor<'a>, place: Place, write: bool, broken: bool) {
        match node.kind() {
            SyntaxKind::NAME_REFERENCE => {
                if let Some(token) = node.token(SyntaxKind::IDENT) {
                    self.names.reference(token, place, write, broken);
                }
            }
            SyntaxKind::LITERAL | SyntaxKind::SINK | SyntaxKind::ERROR => {}
            // `generic` and the number of a mask are operators.
            SyntaxKind::APPLY_EXPRESSION => {
                for child in node.nodes().skip(1) {
                    self.operand(&child, Place::Operand, false, broken);
                }
            }
            kind => {
                let write = write
                    && matches!(
                        kind,
                        SyntaxKind::VECTOR
                            | SyntaxKind::PAIR
                            | SyntaxKind::ARGUMENT_LIST
                            | SyntaxKind::MEMBER_EXPRESSION
                    );
                for child in node.nodes() {
                    self.operand(&child, Place::Operand, write, broken);
                }
            }
        }
    }

    fn is_broken(&self, node: &Cursor<'a>) -> bool {
        is_broken(self.errors, node)
    }
}

/// Whether the parser reported an error inside a node, or just after its last token.
pub(super) fn is_broken(errors: &[SyntaxError], node: &Cursor<'_>) -> bool {
    let range = node.range();
    let from = errors.partition_point(|it| it.range.start() < range.start());
    errors[from..]
        .iter()
        .take_while(|it| it.range.start() <= range.end())
        .any(|it| {
            let start = it.range.start();
            if it.range.is_empty() {
                start > range.start()
            } else {
                start < range.end()
            }
        })
}

/// Whether a token of this kind is somewhere in a node.
fn has_token(node: &Cursor<'_>, kind: SyntaxKind) -> bool {
    let mut found = false;
    tree::for_each_token(node, &mut |it| found |= it.kind() == kind);
    found
}

/// The dotted words of an instruction.
fn words<'a>(node: &Cursor<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    node.tokens()
        .filter(|it| it.kind() == SyntaxKind::DOTTED)
        .map(|it| it.text())
}

/// The number in the angle brackets after a name.
pub(super) fn count(node: &Cursor<'_>) -> Option<u32> {
    let suffix = node.node(SyntaxKind::COUNT_SUFFIX)?;
    let literal = suffix.node(SyntaxKind::LITERAL)?;
    let number = integer(literal.tokens().next()?.text())?;
    // Like ptxas, which cuts numbers from 2^63 on to 32 bits.
    Some(match number >> 63 {
        0 => u32::try_from(number).unwrap_or(u32::MAX),
        _ => number as u32,
    })
}
