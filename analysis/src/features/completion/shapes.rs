//! The forms that a statement may get around the operand that is written.

use isa::{
    matcher::{Statement, fit},
    operand::Operand,
    table::tables,
    target::Module,
    types::Class,
};
use syntax::SyntaxKind;

use crate::{diagnostics::is_refused, hir::in_force::has_size_32};

use super::{
    Site,
    context::{Head, OperandPlace},
};

/// Numbers of operands that are tried.
const MAX_OPERANDS: usize = 12;
/// Lengths of vectors that are tried.
const VECTORS: [usize; 10] = [1, 2, 3, 4, 5, 8, 16, 32, 64, 128];

/// Forms of the whole statement in which the operand can appear.
pub(super) struct Shapes<'a> {
    pub(super) head: &'a Head,
    module: Module,
    /// Whether all addresses of the module have 32 bits: its header is to blame, and no operand.
    has_narrow_addresses: bool,
    /// Number of operands, and the lengths of the brackets around the cursor.
    pub(super) all: Vec<(usize, Vec<usize>)>,
    pub(super) place: &'a OperandPlace,
    known: Known,
}

/// The parts of a statement that are written around the cursor.
#[derive(Default)]
pub(super) struct Known {
    /// The operands before the cursor, as far as they are whole.
    pub(super) before: Vec<Operand>,
    /// The other elements of the vector that is being written, each kind once.
    pub(super) siblings: Vec<Operand>,
}

impl<'a> Shapes<'a> {
    pub(super) fn find(
        head: &'a Head,
        place: &'a OperandPlace,
        known: Known,
        site: &Site<'_>,
    ) -> Shapes<'a> {
        let mut shapes = Shapes {
            head,
            module: site.module,
            has_narrow_addresses: has_size_32(site.db, site.function.file(site.db)),
            all: Vec::new(),
            place,
            known,
        };
        let mut lengths: Vec<Vec<usize>> = vec![Vec::new()];
        for (kind, commas) in place.nesting.iter().take(3) {
            let possible: Vec<usize> = match kind {
                SyntaxKind::PIPE | SyntaxKind::BANG | SyntaxKind::MINUS => vec![1],
                SyntaxKind::L_BRACE => {
                    let longer = VECTORS.into_iter().filter(|it| it > commas);
                    longer.collect()
                }
                _ => (commas + 1..commas + 5).collect(),
            };
            lengths = lengths
                .iter()
                .flat_map(|outer| {
                    possible.iter().map(|it| {
                        let mut all = outer.clone();
                        all.push(*it);
                        all
                    })
                })
                .collect();
        }
        shapes.count(&lengths);
        if shapes.all.is_empty() && !shapes.known.before.is_empty() {
            // What is before does not fit itself.
            shapes.known.before.clear();
            shapes.count(&lengths);
        }
        shapes
    }

    /// Tries numbers of operands with lengths of brackets.
    fn count(&mut self, lengths: &[Vec<usize>]) {
        let least = self.place.index + 1;
        for count in least..=least.max(MAX_OPERANDS) {
            for lengths in lengths {
                let shape = (count, lengths.clone());
                if self.fits(&shape, &Operand::Unknown) {
                    self.all.push(shape);
                }
            }
        }
    }

    /// Whether an operand fits in a shape. The matcher compares the elements of a vector, so what it has, or may have,
    /// represents the others.
    pub(super) fn fits(&self, shape: &(usize, Vec<usize>), operand: &Operand) -> bool {
        let register = |class| Operand::Register { class, lanes: 1 };
        let vector = self
            .place
            .nesting
            .iter()
            .any(|it| it.0 == SyntaxKind::L_BRACE);
        if *operand == Operand::Unknown || !vector {
            return self.fits_with(shape, operand, &Operand::Unknown);
        }
        let likely = [operand.clone(), register(Class::B32), register(Class::F32)];
        let rest = match self.known.siblings.is_empty() {
            true => &likely[..],
            false => &self.known.siblings,
        };
        rest.iter().any(|rest| self.fits_with(shape, operand, rest))
    }

    fn fits_with(
        &self,
        (count, lengths): &(usize, Vec<usize>),
        operand: &Operand,
        rest: &Operand,
    ) -> bool {
        let mut inner = operand.clone();
        for ((kind, commas), length) in self.place.nesting.iter().zip(lengths).rev() {
            let prefixed = !matches!(kind, SyntaxKind::L_BRACE | SyntaxKind::L_BRACKET);
            let elements = |inner| {
                let rest = match kind {
                    SyntaxKind::L_BRACE => rest.clone(),
                    _ => Operand::Unknown,
                };
                let mut elements = vec![rest; *length];
                elements[*commas] = inner;
                elements
            };
            inner = match kind {
                SyntaxKind::L_BRACE => Operand::Vector(elements(inner)),
                SyntaxKind::L_BRACKET => Operand::Address(elements(inner), None),
                // A form with nothing known in it is not a form.
                _ if prefixed && *operand == Operand::Unknown => Operand::Unknown,
                SyntaxKind::PIPE => Operand::Pair(Box::new(Operand::Unknown), Box::new(inner)),
                SyntaxKind::BANG => Operand::Not(Box::new(inner)),
                SyntaxKind::MINUS => Operand::Minus(Box::new(inner)),
                _ => return true,
            };
        }
        let mut operands = vec![Operand::Unknown; *count];
        for (operand, known) in operands.iter_mut().zip(&self.known.before) {
            *operand = known.clone();
        }
        operands[self.place.index] = inner;
        let words: Vec<&str> = self.head.before.iter().map(String::as_str).collect();
        let statement = Statement {
            opcode: &self.head.opcode,
            words: &words,
            operands: &operands,
            module: self.module,
        };
        // Where all addresses of the module are narrow, no operand is to blame.
        fit(tables(), &statement)
            .is_some_and(|it| self.has_narrow_addresses || !is_refused(&statement, &it))
    }
}
