//! How ptxas spends registers: figures that were measured with ptxas 13.5 on kernels of five targets.
//!
//! Nothing here is promised by the manual. The figures feed an estimate and never a diagnostic.

use crate::{limits::Limits, target::Target};

impl Limits {
    /// The registers that ptxas adds to those of the values: two of its own, the stack pointer, and gaps.
    #[must_use]
    pub fn register_overhead(&self) -> u32 {
        if self.target < 80 { 5 } else { 6 }
    }

    /// The fewest registers of a kernel that accesses memory: from sm_80 on, the address takes two.
    #[must_use]
    pub fn least_registers(&self) -> u32 {
        if self.target < 80 { 4 } else { 8 }
    }

    /// The registers that it adds to small kernels on top: from sm_80 on, most of those have even numbers of registers.
    /// Of 1 to 4 for each target these gave the least median errors with kernels of Triton, Warp and NVRTC.
    #[must_use]
    pub fn small_overhead(&self) -> u32 {
        if self.target < 80 { 1 } else { 2 }
    }
}

/// Whether a target has only a few units for f64, at most 4 per multiprocessor and not 16 or more. CUDA
/// programming guide, throughput of native arithmetic instructions.
#[must_use]
pub fn has_slow_f64(target: Target) -> bool {
    !matches!(target.number, 20 | 35 | 37 | 60 | 70 | 72 | 80 | 90 | 100)
}
