//! Fixes that make an unknown register known.

use crate::{
    FixKind,
    diagnostics::{fix::Repair, subject::Subject},
    hir::{
        body::{Definition, OUTERMOST, Place, Reference, Target},
        in_force::{address_size, in_force},
        instruction::Parts,
        number::split_name,
        operand::special,
        resolve::{module_name, resolve},
        tree::node_at,
    },
};

use isa::{
    matcher::{Statement, fit},
    operand::{Operand, Space, Symbol},
    table::tables,
    types::{CLASSES, Class},
};
use syntax::{Cursor, CursorToken, NodeOrToken, SyntaxKind, TextRange};

/// The largest number of registers that a fix declares together; above, the name is a mistake.
const MAX_COUNT: u32 = 1 << 20;
/// How many missing names of a family are looked at.
const MAX_MISSING: usize = 16;
/// Statements with more text than this, in bytes, are not tried with other operands: that takes as long as they are, for
/// each name and each type.
const MAX_STATEMENT: u32 = 4096;

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
    // All that are missing of it are declared together.
    let missing = body.free.iter().filter_map(|it| split_name(it));
    let missing = missing.filter(|it| it.0 == prefix && it.1 < MAX_COUNT);
    let count = missing
        .map(|it| it.1 + 1)
        .max()
        .map_or(count, |it| it.max(count));
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
    if !name.starts_with('%') && names_parameter(subject, &instruction, reference, name) {
        return None;
    }
    let classes = wanted(subject, &instruction, reference, name);
    let family = missing_family(subject, reference, name, &classes);
    let (class, name) = match family {
        Some((class, prefix, count)) => (class, format!("{prefix}<{count}>")),
        None => (*classes.first()?, name.to_owned()),
    };
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

/// Whether a name is the address of a parameter: `ptxas` takes a register there, too, but nobody means one.
fn names_parameter(
    subject: &Subject<'_>,
    instruction: &Cursor<'_>,
    reference: &Reference,
    name: &str,
) -> bool {
    let parts = Parts::of(instruction);
    let address = parts
        .operands
        .iter()
        .any(|it| it.kind() == SyntaxKind::ADDRESS && it.range().contains_range(reference.range));
    let parameter = Operand::Symbol(Symbol::Variable(Space::EntryParameter, None));
    address && !is_long(instruction) && takes(subject, &parts, reference, name, &parameter)
}

/// The numbered registers that are missing, if there are several of which one declaration can be made: their type, the
/// text before the numbers, and the count.
fn missing_family<'n>(
    subject: &Subject<'_>,
    reference: &Reference,
    name: &'n str,
    classes: &[Class],
) -> Option<(Class, &'n str, u32)> {
    let (prefix, number) = split_name(name)?;
    let body = subject.body;
    let of_family = |it: &str| split_name(it).is_some_and(|it| it.0 == prefix);
    if body.definitions.iter().any(|it| of_family(&it.name)) {
        return None;
    }
    let cursor = subject.cursor();
    let mut count = number.checked_add(1)?;
    let mut seen = vec![name];
    let mut classes = classes.to_vec();
    for other in &body.references {
        let Target::Free(free) = other.target else {
            continue;
        };
        let other_name = &*body.free[free as usize];
        if other.place != reference.place || !of_family(other_name) || seen.contains(&other_name) {
            continue;
        }
        if seen.len() > MAX_MISSING {
            break;
        }
        seen.push(other_name);
        count = count.max(split_name(other_name)?.1.checked_add(1)?);
        let Some(instruction) = node_at(&cursor, SyntaxKind::INSTRUCTION, other.range.start())
        else {
            continue;
        };
        let others = wanted(subject, &instruction, other, other_name);
        classes.retain(|it| others.contains(it));
    }
    (seen.len() > 1 && count <= MAX_COUNT).then_some((*classes.first()?, prefix, count))
}

/// Whether an instruction takes another name in the place of an unknown one.
pub(in crate::diagnostics) fn would_fit(
    subject: &Subject<'_>,
    reference: &Reference,
    name: &str,
    other: &str,
) -> bool {
    let Subject { db, function, .. } = *subject;
    let cursor = subject.cursor();
    let instruction = node_at(&cursor, SyntaxKind::INSTRUCTION, reference.range.start());
    let Some(instruction) = instruction.filter(|_| reference.place == Place::Operand) else {
        return true;
    };
    let found = match find(subject, other) {
        Some(found) => found,
        None => match isa::special::find(other) {
            Some((index, _)) => special(index),
            None => module_name(db, function.file(db), other),
        },
    };
    if is_long(&instruction) {
        return true;
    }
    let guarded = instruction.node(SyntaxKind::GUARD);
    if guarded.is_some_and(|it| it.range().contains_range(reference.range)) {
        let class = Class::Pred;
        return found == Operand::Register { class, lanes: 1 };
    }
    takes(subject, &Parts::of(&instruction), reference, name, &found)
}

/// The operand that a name of the function means; it may be one of `%r<9>`.
pub(in crate::diagnostics) fn find(subject: &Subject<'_>, name: &str) -> Option<Operand> {
    let number = split_name(name);
    let mut all = subject.body.definitions.iter().zip(subject.types());
    let found = all.find(|(it, _)| match it.count {
        None => *it.name == *name,
        Some(count) => number.is_some_and(|(stem, at)| *it.name == *stem && at < count),
    });
    found.map(|it| it.1.0.clone())
}

fn is_long(instruction: &Cursor<'_>) -> bool {
    u32::from(instruction.range().len()) > MAX_STATEMENT
}

/// Whether an instruction takes an operand in the place of a name.
fn takes(
    subject: &Subject<'_>,
    parts: &Parts<'_>,
    reference: &Reference,
    name: &str,
    found: &Operand,
) -> bool {
    let Subject {
        db, function, body, ..
    } = *subject;
    let (Some(opcode), Some(in_force)) = (parts.opcode, in_force(db, function)) else {
        return true;
    };
    let types = subject.types();
    let resolve = |range: TextRange, word: &str| {
        if word == name {
            return found.clone();
        }
        resolve(db, function, body, types, range, word)
    };
    let statement = Statement {
        opcode: opcode.text(),
        words: &parts.words,
        operands: &parts.resolved(&resolve),
        module: in_force.at(reference.range.start()),
    };
    fit(tables(), &statement).is_some()
}

/// The register types that the instruction takes in the place of a name, the most likely one first.
fn wanted(
    subject: &Subject<'_>,
    instruction: &Cursor<'_>,
    reference: &Reference,
    name: &str,
) -> Vec<Class> {
    let Subject { db, function, .. } = *subject;
    let contains = |it: &Cursor<'_>| it.range().contains_range(reference.range);
    if instruction
        .node(SyntaxKind::GUARD)
        .is_some_and(|it| contains(&it))
    {
        return vec![Class::Pred];
    }
    if is_long(instruction) {
        return Vec::new();
    }
    let parts = Parts::of(instruction);
    if parts.opcode.is_none() {
        return Vec::new();
    }
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
    let classes = addresses
        .chain(named)
        .chain(usual)
        .chain(CLASSES.iter().map(|it| it.1));
    let mut found: Vec<Class> = Vec::new();
    for class in classes {
        let register = Operand::Register { class, lanes: 1 };
        if !found.contains(&class) && takes(subject, &parts, reference, name, &register) {
            found.push(class);
        }
    }
    found
}

/// The text between the brace that opens a block and a declaration after it.
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
