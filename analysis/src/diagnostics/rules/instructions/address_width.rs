//! The width of addresses: whether ptxas wants more bits than a statement has.

use isa::{
    matcher::{Fit, Statement},
    operand::{Operand, Space, Symbol},
    semantics::Wide,
};

/// Bits of an address with which ptxas takes the program for one of 32-bit addresses.
pub(super) const REFUSED: u32 = 32;

/// Whether ptxas generates no code for a statement because an address is too narrow.
pub(crate) fn is_refused(statement: &Statement<'_>, fit: &Fit<'_>) -> bool {
    narrow(statement, fit).is_some_and(|it| it.1 == REFUSED)
}

/// The operand that is an address which is too narrow, or none where it is the whole statement, and its bits.
pub(super) fn narrow(statement: &Statement<'_>, fit: &Fit<'_>) -> Option<(Option<usize>, u32)> {
    match fit.semantics().wide {
        Wide::Nothing => None,
        Wide::Statement => Some((None, REFUSED)),
        Wide::Address => {
            let mut operands = statement.operands.iter().enumerate();
            operands.find_map(|(index, operand)| {
                let Operand::Address(items, _) = operand else {
                    return None;
                };
                let base = match items.first()? {
                    Operand::Offset(base, _) => base,
                    it => it,
                };
                match base {
                    Operand::Register { class, lanes: 1 } if class.bits() < 64 => {
                        Some((Some(index), class.bits()))
                    }
                    _ => None,
                }
            })
        }
        Wide::Name => {
            let words = statement.words.iter();
            let bits = words.rev().find_map(|it| isa::types::type_of(it))?.bits;
            let mut operands = statement.operands.iter();
            let index = operands.position(|it| {
                matches!(
                    it,
                    Operand::Symbol(Symbol::Variable(Space::Global | Space::Unified, _))
                )
            })?;
            Some((Some(index), bits))
        }
    }
}
