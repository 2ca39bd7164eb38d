//! The costs of loops and entries.

use isa::peaks::Peak;
use syntax::TextRange;

/// The work of one block in one iteration of a loop, or outside the loops of an entry. Loops inside count for themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The entry.
    pub entry: String,
    /// The first instruction of the loop in the file; `None` outside loops.
    pub head: Option<TextRange>,
    /// The number of iterations, rounded up, as a number or an expression: `n/256`.
    pub trips: Option<String>,
    /// The same as a number, if it is one.
    pub count: Option<u64>,
    /// Bytes that threads read from global memory; `None` if some are not known, as the other figures.
    pub global_read: Option<u64>,
    /// Bytes that threads write to global memory.
    pub global_written: Option<u64>,
    /// Bytes that threads read from and write to shared memory.
    pub shared: Option<u64>,
    /// Additions and multiplications of floats.
    pub fma: Option<u64>,
    /// The same in products of matrices.
    pub tensor: Option<u64>,
    /// Divisions, roots and elementary functions.
    pub special: Option<u64>,
    /// Instructions of warps.
    pub instructions: Option<u64>,
    /// The peaks of a GPU of the target, if the question was about a file.
    pub peak: Option<&'static Peak>,
}

impl Cost {
    /// The operations on floats, also those in products of matrices, for each byte of global memory.
    #[must_use]
    pub fn intensity(&self) -> Option<f64> {
        let flops = self.fma?.saturating_add(self.tensor?);
        let bytes = self.global_read?.saturating_add(self.global_written?);
        (flops > 0 && bytes > 0).then(|| flops as f64 / bytes as f64)
    }

    /// The operations for each byte at which the memory of [`Cost::peak`] and its units take as long: its tensor cores
    /// with f16 if the cost has products of matrices, its f32 units otherwise.
    #[must_use]
    pub fn balance(&self) -> Option<f64> {
        let peak = self.peak?;
        Some(match self.tensor? {
            0 => peak.balance(),
            _ => peak.balance_of_products(),
        })
    }

    /// Whether the number of iterations is known, or that bytes are moved or numbers computed.
    #[must_use]
    pub fn is_known(&self) -> bool {
        let figures = [
            self.global_read,
            self.global_written,
            self.shared,
            self.fma,
            self.tensor,
            self.special,
        ];
        self.trips.is_some() || figures.iter().any(|it| it.is_some_and(|it| it > 0))
    }
}
