//! Places of operands in a statement.

use crate::operands::operand::Operand;

/// Where an operand that a head names is in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OperandPath {
    /// Index among the operands of the statement.
    pub operand: u8,
    /// Index inside its brackets; `None` if it is not in brackets.
    pub element: Option<u8>,
    /// Which one of a pair; `None` if it is not a pair.
    pub part: Option<PairPart>,
}

/// One of the two operands of `a|b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum PairPart {
    First,
    Second,
}

impl OperandPath {
    /// The path of a whole operand. Heads have less than 256 operands.
    pub(super) fn operand(index: usize) -> OperandPath {
        OperandPath {
            operand: index as u8,
            element: None,
            part: None,
        }
    }

    /// The path of an element in the brackets of an operand.
    pub(super) fn element(self, index: usize) -> OperandPath {
        OperandPath {
            element: Some(index as u8),
            ..self
        }
    }

    /// The operand at the path.
    #[must_use]
    pub fn get(self, operands: &[Operand]) -> Option<&Operand> {
        let mut operand = operands.get(usize::from(self.operand))?;
        if let Some(index) = self.element {
            let Operand::Address(elements, _) = operand else {
                return None;
            };
            operand = elements.get(usize::from(index))?;
        }
        match (self.part, operand) {
            (None, _) => Some(operand),
            (Some(PairPart::First), Operand::Pair(first, _)) => Some(first),
            (Some(PairPart::Second), Operand::Pair(_, second)) => Some(second),
            (Some(_), _) => None,
        }
    }
}
