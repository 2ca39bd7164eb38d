//! Fixes that make an unknown register known.

use crate::{
    FixKind,
    diagnostics::{fix::Repair, subject::Subject},
    hir::{
        body::{Definition, OUTERMOST, Reference},
        in_force::{address_size, in_force},
        instruction::Parts,
        number::split_name,
        resolve::resolve,
        tree::node_at,
    },
};

use isa::{
    matcher::{Statement, fit},
    operand::Operand,
    table::tables,
    types::{CLASSES, Class},
};
use syntax::{Cursor, CursorToken, NodeOrToken, SyntaxKind, TextRange};

/// The largest number of registers that a fix declares together; above, the name is a mistake.
const MAX_COUNT: u32 = 1 << 20;

/// Makes the parameterised register that a name looks like long enough: `%r<4>` for `%r4`.
pub(in crate::diagnostics) fn widen(
    subject: &Subject<'_>,
    reference: &Reference,
    name: &str,
    family: &Definition,
) -> Option<Repair> {
    let (prefix, number) = split_name(name)?;
    let body = subject.body;
    let visible = family.scope == OUTERMOST
        || body.scopes[family.scope as usize]
            .range
            .contains_range(reference.range);
    let count = number.checked_add(1).filter(|it| *it <= MAX_COUNT)?;
    if !visible || family.name_range.start() > reference.range.start() {
        return None;
    }
    // A name of its own that lies in the way would be declared twice.
    let in_the_way = |it: &Definition| {
        it.count.is_none() && split_name(&it.name).is_some_and(|it| it.0 == prefix && it.1 < count)
    };
    if body.definitions.iter().any(in_the_way) {
        return None;
    }
    let cursor = subject.cursor();
    let declarator = node_at(&cursor, SyntaxKind::DECLARATOR, family.name_range.start())?;
    let literal = declarator
        .node(SyntaxKind::COUNT_SUFFIX)?
        .node(SyntaxKind::LITERAL)?;
    let range = literal.tokens().next()?.range();
    let title = format!("Declare `{prefix}<{count}>`");
    Some(Repair::new(FixKind::WidenRegisters, title, range, count.to_string()).preferred(true))
}

/// Declares a register of the type that the instruction wants.
pub(in crate::diagnostics) fn declare(
    subject: &Subject<'_>,
    reference: &Reference,
    name: &str,
) -> Option<Repair> {
    let cursor = subject.cursor();
    let instruction = node_at(&cursor, SyntaxKind::INSTRUCTION, reference.range.start())?;
    let class = wanted(subject, &instruction, reference, name)?;
    let block = cursor.node(SyntaxKind::BLOCK)?;
    let open = block.token(SyntaxKind::L_BRACE)?;
    let range = TextRange::empty(open.range().end());
    let text = format!(
        "{}.reg .{} {name};",
        indentation(&block, &open),
        class.word()
    );
    let title = format!("Declare `.reg .{} {name}`", class.word());
    Some(Repair::new(FixKind::DeclareRegister, title, range, text))
}

/// The first of the register types that the instruction takes in the place of a name.
fn wanted(
    subject: &Subject<'_>,
    instruction: &Cursor<'_>,
    reference: &Reference,
    name: &str,
) -> Option<Class> {
    let Subject {
        db, function, body, ..
    } = *subject;
    let contains = |it: &Cursor<'_>| it.range().contains_range(reference.range);
    if instruction
        .node(SyntaxKind::GUARD)
        .is_some_and(|it| contains(&it))
    {
        return Some(Class::Pred);
    }
    let module = in_force(db, function)?.at(reference.range.start());
    let parts = Parts::of(instruction);
    let opcode = parts.opcode?;
    let types = subject.types();
    // Addresses first, then the types that the instruction names, then bits, then the others.
    let address = parts
        .operands
        .iter()
        .any(|it| it.kind() == SyntaxKind::ADDRESS && contains(it));
    let mut addresses = [Class::B64, Class::B32];
    if address_size(db, function.file(db)) == 32 {
        addresses.reverse();
    }
    let addresses = addresses.into_iter().filter(|_| address);
    let named = parts.words.iter().filter_map(|it| Class::from_word(it));
    let usual = [
        Class::B32,
        Class::B64,
        Class::B16,
        Class::Pred,
        Class::F32,
        Class::F64,
    ];
    let mut classes = addresses
        .chain(named)
        .chain(usual)
        .chain(CLASSES.iter().map(|it| it.1));
    classes.find(|class| {
        let resolve = |range: TextRange, word: &str| {
            if word == name {
                return Operand::Register {
                    class: *class,
                    lanes: 1,
                };
            }
            resolve(db, function, body, types, range, word)
        };
        let operands = parts.resolved(&resolve);
        fit(
            tables(),
            &Statement {
                opcode: opcode.text(),
                words: &parts.words,
                operands: &operands,
                module,
            },
        )
        .is_some()
    })
}

/// What stands between the brace that opens a block and a declaration after it.
fn indentation(block: &Cursor<'_>, open: &CursorToken<'_>) -> String {
    let Some(blank) = first_blank(block, open) else {
        return " ".to_owned();
    };
    match blank.rfind('\n') {
        Some(line) => format!("\n{}", &blank[line + 1..]),
        None => " ".to_owned(),
    }
}

/// The white space directly after a token of a node.
fn first_blank<'a>(node: &Cursor<'a>, after: &CursorToken<'_>) -> Option<&'a str> {
    for child in node.children() {
        match child {
            NodeOrToken::Token(it) if it.range().start() == after.range().end() => {
                return (it.kind() == SyntaxKind::WHITESPACE).then(|| it.text());
            }
            NodeOrToken::Node(it) if it.range().contains(after.range().end()) => {
                return first_blank(&it, after);
            }
            _ => {}
        }
    }
    None
}
