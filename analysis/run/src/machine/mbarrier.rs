//! The state of an mbarrier, PTX ISA 9.7.14.16.

use syntax::TextRange;

use super::{clock::Clock, findings::At, races::Thread};

/// An mbarrier.
#[derive(Clone, Debug, Default)]
pub(super) struct Mbarrier {
    pub(super) phase: u64,
    pub(super) expected: i64,
    pub(super) pending: i64,
    pub(super) transactions: i64,
    pub(super) layout: u64,
    /// The knowledge of the arrivals of this phase.
    pub(super) gathering: Clock,
    /// The knowledge of those of the phases before.
    pub(super) complete: Clock,
    /// The source of asynchronous writes that complete with it.
    pub(super) source: usize,
    pub(super) initialized: bool,
    /// The operation whose bytes have arrived last.
    pub(super) completes: Option<At>,
    /// Who initialized it, and where.
    pub(super) made: Option<(Thread, u8, TextRange)>,
}

impl Mbarrier {
    /// Begins phases while nothing is waited for.
    pub(super) fn turn(&mut self) {
        while self.initialized && self.pending == 0 && self.transactions == 0 && self.expected > 0 {
            self.phase += 1;
            self.pending = self.expected;
            let knows = std::mem::take(&mut self.gathering);
            self.complete.join(&knows);
        }
    }

    /// Bytes have arrived, written by its source; what the issuer knew is known to those that wait.
    pub(super) fn complete_bytes(&mut self, bytes: i64, at: At) {
        self.completes = Some(at);
        self.transactions -= bytes;
        self.turn();
    }
}
