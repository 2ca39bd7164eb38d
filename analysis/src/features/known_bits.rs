//! The bits of registers that follow from the constants they are computed from.
//!
//! Descriptors of matrices are put together of constants and of addresses that only the GPU knows: the fields of the
//! constants can be shown all the same.

use isa::semantics::Operation as Computes;
use rustc_hash::FxHashSet;
use salsa::Database;
use syntax::TextRange;

use crate::{
    db::SourceFile,
    flow::{
        Flow,
        chains::Chains,
        effects::meaning,
        facts::{Step, Value},
        operation::Operation,
    },
    hir::{
        body::Body,
        bound::{Bound, Operands},
        symbol::Symbol,
    },
};

use super::values::RegisterOf;

/// Instructions that one question looks at.
const MAX_STEPS: usize = 256;

/// The known bits of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KnownBits {
    /// The known bits; the others are 0.
    pub(super) bits: u64,
    /// Which bits are known.
    pub(super) mask: u64,
}

impl KnownBits {
    const NOTHING: KnownBits = KnownBits { bits: 0, mask: 0 };

    fn number(bits: i64) -> KnownBits {
        KnownBits {
            bits: bits.cast_unsigned(),
            mask: u64::MAX,
        }
    }

    /// The bits that both know, and that are the same.
    fn common(self, other: KnownBits) -> KnownBits {
        let mask = self.mask & other.mask & !(self.bits ^ other.bits);
        KnownBits {
            bits: self.bits & mask,
            mask,
        }
    }

    /// The least and the greatest value by bits: unknown ones are 0, or 1.
    fn extremes(self) -> [i64; 2] {
        [self.bits, self.bits | !self.mask].map(u64::cast_signed)
    }

    /// A sum. Above the unknown bits it is known as soon as no carry can come from them.
    fn sum(self, other: KnownBits) -> KnownBits {
        let unknown = !(self.mask & other.mask);
        let all = self.bits.wrapping_add(other.bits);
        if unknown == 0 {
            return KnownBits {
                bits: all,
                mask: u64::MAX,
            };
        }
        let low = (1_u64 << unknown.trailing_zeros()) - 1;
        let mut mask = low;
        for from in (u64::BITS - unknown.leading_zeros())..u64::BITS {
            let below = (1_u64 << from) - 1;
            let most = |it: KnownBits| (it.bits | !it.mask) & below;
            if most(self) + most(other) <= below {
                mask |= !below;
                break;
            }
        }
        KnownBits {
            bits: all & mask,
            mask,
        }
    }
}

/// The known bits of a register at one of its uses, given by its range in the file.
pub(super) fn known_bits<'db>(
    db: &'db dyn Database,
    file: SourceFile,
    symbol: &Symbol<'db>,
    range: TextRange,
) -> Option<KnownBits> {
    let it = RegisterOf::of(db, file, symbol)?.value_at(range)?;
    let function = it.function();
    let (flow, value, step) = it.place();
    let mut reader = Reader {
        db,
        flow,
        body: it.body(),
        operands: Operands::of(db, function),
        chains: Chains::of(flow),
        open: FxHashSet::default(),
        steps: 0,
    };
    let found = reader.value(value, step);
    (found.mask != 0).then_some(found)
}

struct Reader<'a> {
    db: &'a dyn Database,
    flow: &'a Flow,
    body: &'a Body,
    operands: Operands<'a>,
    chains: Chains<'a>,
    /// The instructions whose results are being asked for: a loop knows nothing of itself.
    open: FxHashSet<Step>,
    steps: usize,
}

impl Reader<'_> {
    /// The known bits of a value before an instruction.
    fn value(&mut self, value: Value, before: Step) -> KnownBits {
        let writes = self.chains.reaching_writes(value, before);
        let mut found: Option<KnownBits> = None;
        for step in writes {
            let one = self.result(step);
            found = Some(found.map_or(one, |it| it.common(one)));
        }
        found.unwrap_or(KnownBits::NOTHING)
    }

    /// The known bits of the result of an instruction.
    fn result(&mut self, step: Step) -> KnownBits {
        self.steps += 1;
        // What may keep the old value says nothing.
        let keeps = self.flow.facts.keeps[step as usize];
        if keeps || self.steps > MAX_STEPS || !self.open.insert(step) {
            return KnownBits::NOTHING;
        }
        let found = self.computed(step);
        self.open.remove(&step);
        found.unwrap_or(KnownBits::NOTHING)
    }

    fn computed(&mut self, step: Step) -> Option<KnownBits> {
        let instruction = self.operands.get(step)?;
        let meaning = meaning(self.db, self.operands.form(step)?);
        let operation = Operation::of(self.body, &self.flow.facts, instruction, meaning);
        if operation.guard.is_some() || operation.special || operation.writes.len() != 1 {
            return None;
        }
        let sources: Vec<KnownBits> = operation
            .data
            .iter()
            .map(|it| self.value(*it, step))
            .collect();
        let source = operation.operands().nth(1);
        if operation.is(Computes::Move) && source.is_some_and(|it| it.is_vector()) {
            // Two halves of a register of 64 bits.
            let (wide, [low, high]) = (operation.has("b64"), &sources[..]) else {
                return None;
            };
            let half = u64::from(u32::MAX);
            return wide.then_some(KnownBits {
                bits: low.bits & half | high.bits << 32,
                mask: low.mask & half | high.mask << 32,
            });
        }
        let computation = operation.computation()?;
        // A number for each register; one that is read twice has the same one.
        let evaluate = |numbers: &[i64]| {
            let number = |value: Value| {
                let at = operation.data.iter().position(|it| *it == value)?;
                numbers.get(at).copied()
            };
            computation.evaluate(number)
        };
        let all: Vec<[i64; 2]> = sources.iter().map(|it| it.extremes()).collect();
        if sources.iter().all(|it| it.mask == u64::MAX) {
            let numbers: Vec<i64> = all.iter().map(|it| it[0]).collect();
            return evaluate(&numbers).map(KnownBits::number);
        }
        match operation.plain? {
            Computes::Add => {
                let constants = operation.operands().skip(1);
                let constants = constants.filter_map(|it| match it.bound() {
                    Bound::Integer(number) => i64::try_from(number).ok().map(KnownBits::number),
                    _ => None,
                });
                let all: Vec<KnownBits> = sources.iter().copied().chain(constants).collect();
                let [a, b] = all[..] else { return None };
                Some(a.sum(b))
            }
            // Each bit of the result depends on one bit of each source.
            Computes::Move
            | Computes::Convert
            | Computes::Not
            | Computes::And
            | Computes::Or
            | Computes::Xor => self::combined(&all, evaluate),
            Computes::ShiftLeft | Computes::ShiftRight if sources.len() == 1 => {
                self::combined(&all, evaluate)
            }
            _ => None,
        }
    }
}

/// The bits that are the same in all results if the unknown bits of each source are 0, or 1.
fn combined(all: &[[i64; 2]], evaluate: impl Fn(&[i64]) -> Option<i64>) -> Option<KnownBits> {
    let mut found: Option<KnownBits> = None;
    for choice in 0..1_usize << all.len() {
        let numbers: Vec<i64> = (0..)
            .zip(all)
            .map(|(at, it)| it[choice >> at & 1])
            .collect();
        let one = KnownBits::number(evaluate(&numbers)?);
        found = Some(found.map_or(one, |it| it.common(one)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    /// Sums of all small numbers agree with what is said of them.
    #[test]
    fn sums() {
        let of = |bits: u64, unknown: u64| KnownBits {
            bits: bits & !unknown,
            mask: !unknown,
        };
        for unknown in 0..16 {
            for a in 0..16 {
                for b in 0..16 {
                    let found = of(a, unknown).sum(of(b, 0));
                    for actual in (0..16).filter(|it| it & !unknown == a & !unknown) {
                        assert_eq!((actual + b) & found.mask, found.bits, "{a} {b} {unknown}");
                    }
                }
            }
        }
    }
}
