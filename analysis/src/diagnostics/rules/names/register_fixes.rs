//! Fixes that make an unknown register known.

use std::{cell::OnceCell, mem::replace};

use rustc_hash::FxHashMap;

use crate::{
    FixKind,
    diagnostics::{fix::Repair, subject::Subject},
    hir::{
        body::{Definition, OUTERMOST, Place, Reference, Target},
        in_force::{address_size, in_force},
        instruction::Parts,
        module::module_scope,
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
/// How many statements with missing names of a family are asked for the type that all take.
const MAX_ASKED: usize = 256;
/// Statements with more text than this, in bytes, are not tried with other operands: that takes as long as they are, for
/// each name and each type.
const MAX_STATEMENT: u32 = 4096;

/// The numbered names that a body uses as operands and nothing declares.
pub(in crate::diagnostics) struct Missing<'a> {
    /// By what is before the number.
    families: FxHashMap<&'a str, Family<'a>>,
}

/// Those of one name.
#[derive(Default)]
struct Family<'a> {
    /// The number that declares all of them.
    count: u32,
    /// The first use of each.
    uses: Vec<(&'a str, &'a Reference)>,
    /// The type that all these uses take, once it is asked for.
    class: OnceCell<Option<Class>>,
}

impl<'a> Missing<'a> {
    /// Collects them; numbers that are too large for a declaration are left out.
    pub(in crate::diagnostics) fn new(subject: &Subject<'a>) -> Missing<'a> {
        let Subject {
            db, function, body, ..
        } = *subject;
        let scope = module_scope(db, function.file(db));
        let mut seen = vec![false; body.free.len()];
        let mut families: FxHashMap<&str, Family<'_>> = FxHashMap::default();
        for reference in &body.references {
            let Target::Free(free) = reference.target else {
                continue;
            };
            let free = free as usize;
            if reference.place != Place::Operand || replace(&mut seen[free], true) {
                continue;
            }
            let name = &*body.free[free];
            let number = split_name(name).filter(|it| it.1 < MAX_COUNT);
            if let Some((prefix, number)) = number.filter(|_| scope.find(name).is_empty()) {
                let family = families.entry(prefix).or_default();
                family.count = family.count.max(number + 1);
                family.uses.push((name, reference));
            }
        }
        Missing { families }
    }

    /// The declaration of all that are missing of the family of a name, if there are several of which one can be made:
    /// their type, the text before the numbers, and the count.
    fn declaration<'n>(
        &self,
        subject: &Subject<'_>,
        name: &'n str,
    ) -> Option<(Class, &'n str, u32)> {
        let (prefix, _) = split_name(name)?;
        let family = self.families.get(prefix).filter(|it| it.uses.len() > 1)?;
        let class = family.class.get_or_init(|| {
            let of_family = |it: &str| split_name(it).is_some_and(|it| it.0 == prefix);
            let definitions = &subject.body.definitions;
            if definitions.iter().any(|it| of_family(&it.name)) {
                return None;
            }
            let (name, first) = family.uses.first()?;
            let mut classes = wanted(subject, first, name);
            for (name, reference) in family.uses.iter().take(MAX_ASKED).skip(1) {
                classes.retain(|it| accepts(subject, reference, name, *it));
            }
            classes.first().copied()
        });
        Some(((*class)?, prefix, family.count))
    }
}

/// Makes the parameterised register that a name looks like long enough: `%r<4>` for `%r4`.
pub(in crate::diagnostics) fn widen(
    subject: &Subject<'_>,
    missing: &Missing<'_>,
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
    let together = missing.families.get(prefix).map_or(0, |it| it.count);
    let count = count.max(together);
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
    missing: &Missing<'_>,
    reference: &Reference,
    name: &str,
) -> Option<Repair> {
    let cursor = subject.cursor();
    if !name.starts_with('%')
        && let Some(instruction) =
            node_at(&cursor, SyntaxKind::INSTRUCTION, reference.range.start())
        && names_parameter(subject, &instruction, reference, name)
    {
        return None;
    }
    let (class, name) = match missing.declaration(subject, name) {
        Some((class, prefix, count)) => (class, format!("{prefix}<{count}>")),
        None => {
            let classes = wanted(subject, reference, name);
            (*classes.first()?, name.to_owned())
        }
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
    if is_guard(&instruction, reference) {
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

/// Whether the instruction of a name takes a register of this type in its place.
pub(super) fn accepts(
    subject: &Subject<'_>,
    reference: &Reference,
    name: &str,
    class: Class,
) -> bool {
    let cursor = subject.cursor();
    let instruction = node_at(&cursor, SyntaxKind::INSTRUCTION, reference.range.start());
    let Some(instruction) = instruction.filter(|it| !is_long(it)) else {
        return true;
    };
    if is_guard(&instruction, reference) {
        return class == Class::Pred;
    }
    let register = Operand::Register { class, lanes: 1 };
    takes(
        subject,
        &Parts::of(&instruction),
        reference,
        name,
        &register,
    )
}

/// Whether a name is the predicate of an instruction's guard.
fn is_guard(instruction: &Cursor<'_>, reference: &Reference) -> bool {
    let guard = instruction.node(SyntaxKind::GUARD);
    guard.is_some_and(|it| it.range().contains_range(reference.range))
}

/// The register types that the instruction of a name takes in its place, the most likely one first.
pub(super) fn wanted(subject: &Subject<'_>, reference: &Reference, name: &str) -> Vec<Class> {
    let Subject { db, function, .. } = *subject;
    let contains = |it: &Cursor<'_>| it.range().contains_range(reference.range);
    let cursor = subject.cursor();
    let Some(instruction) = node_at(&cursor, SyntaxKind::INSTRUCTION, reference.range.start())
    else {
        return Vec::new();
    };
    if is_guard(&instruction, reference) {
        return vec![Class::Pred];
    }
    if is_long(&instruction) {
        return Vec::new();
    }
    let parts = Parts::of(&instruction);
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
pub(super) fn indentation(block: &Cursor<'_>, open: &CursorToken<'_>) -> String {
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
