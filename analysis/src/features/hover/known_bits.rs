//! The bits of registers that follow from the constants they are computed from.
//!
//! Descriptors of matrices are put together of constants and of addresses that only the GPU knows: the fields of the
//! constants can be shown all the same.

use salsa::Database;
use syntax::TextRange;

use crate::{
    db::SourceFile,
    hir::symbol::Symbol,
    values::{Purpose, Values},
};

use crate::features::navigation::values::RegisterOf;

/// The known bits of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::features) struct KnownBits {
    /// The known bits; the others are 0.
    pub(in crate::features) bits: u64,
    /// Which bits are known, of those that the register has.
    pub(in crate::features) mask: u64,
}

/// The known bits of a register at one of its uses, given by its range in the file.
pub(in crate::features) fn known_bits<'db>(
    db: &'db dyn Database,
    file: SourceFile,
    symbol: &Symbol<'db>,
    range: TextRange,
) -> Option<KnownBits> {
    let it = RegisterOf::of(db, file, symbol)?.value_at(range)?;
    let width = it.class()?.bits();
    let (flow, value, step) = it.place();
    let mut values = Values::of(db, it.function(), flow, Purpose::Bits);
    let node = values.before(value, step);
    let found = values.graph.known_bits(node);
    let all = u64::MAX >> (64 - width.clamp(1, 64));
    let mask = found.mask as u64 & all;
    let bits = found.bits as u64 & mask;
    (mask != 0).then_some(KnownBits { bits, mask })
}
