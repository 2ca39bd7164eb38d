//! A register of 64 bits that nothing uses yet, for fixes that need one.

use isa::{
    operand::Operand,
    types::{Class, Family},
};
use syntax::{SyntaxKind, TextRange};

use crate::{
    diagnostics::{rules::names::register_fixes::indentation, subject::Subject},
    hir::{
        body::{Definition, OUTERMOST},
        tree::node_at,
    },
};

/// The register, and the edit that declares it.
pub(in crate::diagnostics) struct AddressRegister {
    /// Its name.
    pub(in crate::diagnostics) name: String,
    /// The place of the edit.
    pub(in crate::diagnostics) place: TextRange,
    /// The text that is written there.
    pub(in crate::diagnostics) text: String,
}

impl AddressRegister {
    /// One more of a family of such registers, if the function has one, else a declaration of its own.
    pub(in crate::diagnostics) fn of(subject: &Subject<'_>) -> Option<AddressRegister> {
        let all = subject.body.definitions.iter().zip(subject.types());
        let mut families = all.filter(|(it, declared)| {
            let Operand::Register { class, lanes: 1 } = &declared.0 else {
                return false;
            };
            it.scope == OUTERMOST && class.bits() == 64 && class.family() != Family::Float
        });
        families
            .find_map(|it| longer(subject, it.0))
            .or_else(|| declared(subject))
    }
}

/// The member after the last one of a family.
fn longer(subject: &Subject<'_>, family: &Definition) -> Option<AddressRegister> {
    let count = family.count?;
    let name = format!("{}{count}", family.name);
    if is_known(subject, &name) {
        return None;
    }
    let cursor = subject.cursor();
    let declarator = node_at(&cursor, SyntaxKind::DECLARATOR, family.name_range.start())?;
    let literal = declarator.node(SyntaxKind::COUNT_SUFFIX)?;
    let literal = literal.node(SyntaxKind::LITERAL)?;
    Some(AddressRegister {
        name,
        place: literal.tokens().next()?.range(),
        text: count.checked_add(1)?.to_string(),
    })
}

/// A register of its own at the top of the body.
fn declared(subject: &Subject<'_>) -> Option<AddressRegister> {
    let names = ["%rd", "%address", "%generic"].into_iter();
    let name = names.map(str::to_owned).find(|it| {
        let mut definitions = subject.body.definitions.iter();
        let alike = |other: &Definition| other.name.starts_with(it.as_str());
        !definitions.any(alike) && !is_known(subject, it)
    })?;
    let cursor = subject.cursor();
    let block = cursor.node(SyntaxKind::BLOCK)?;
    let open = block.token(SyntaxKind::L_BRACE)?;
    let class = Class::B64.word();
    Some(AddressRegister {
        text: format!("{}.reg .{class} {name};", indentation(&block, &open)),
        name,
        place: TextRange::empty(open.range().end()),
    })
}

/// Whether a name is declared or used in the function.
fn is_known(subject: &Subject<'_>, name: &str) -> bool {
    let body = subject.body;
    body.definitions.iter().any(|it| *it.name == *name) || body.free.iter().any(|it| **it == *name)
}
