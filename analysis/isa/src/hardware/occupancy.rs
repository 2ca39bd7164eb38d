//! How many warps of a kernel fit on a multiprocessor, and the registers that this leaves a thread.
//!
//! Sources: `cuda_occupancy.h` of CUDA 13.5; caps of launch bounds as measured with ptxas 13.5.

use crate::{
    limits::{
        self, Limits, REGISTER_GRANULARITY, REGISTERS_PER_MULTIPROCESSOR as REGISTERS,
        REGISTERS_PER_THREAD, THREADS_PER_WARP as WARP,
    },
    target::Target,
};

/// Registers of a thread are handed out in steps of so many.
pub const REGISTER_STEP: u32 = REGISTER_GRANULARITY / WARP;

/// The limit that keeps more warps from being resident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limiter {
    /// Nothing: every place for a warp is taken.
    Nothing,
    /// The registers of the threads.
    Registers,
    /// The shared memory of the blocks.
    SharedMemory,
    /// The places for blocks, or those for warps, of which a block does not fill the last.
    Blocks,
}

/// How many warps of a kernel are resident on a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Resident warps; 0 for a kernel that cannot be launched.
    pub warps: u32,
    /// Places for warps.
    pub of: u32,
    /// The limit that keeps more from being resident.
    pub limiter: Limiter,
}

impl Limits {
    /// Parts of a multiprocessor with schedulers and registers of their own, among which warps are
    /// distributed.
    fn partitions(&self) -> u32 {
        if self.target == 60 { 2 } else { 4 }
    }

    /// Shared memory that the system takes for each CTA, in KB.
    fn shared_reserved_kb(&self) -> u32 {
        u32::from(self.target >= 80)
    }

    /// The limits of a target, or of the next later architecture if there are none.
    #[must_use]
    pub fn at_least(target: Target) -> Option<&'static Limits> {
        limits::all().find(|it| it.target >= target.number)
    }

    /// The most registers a thread can have so that every place for a warp is taken.
    #[must_use]
    pub fn free_registers(&self) -> u32 {
        round_down(REGISTERS / (self.warps * WARP), REGISTER_STEP)
    }

    /// The most registers a thread can have so that as many blocks of so many threads and bytes of shared
    /// memory are resident as with so many registers.
    #[must_use]
    pub fn registers_of_same_occupancy(&self, registers: u32, threads: u32, shared: u32) -> u32 {
        let warps = |registers| self.occupancy(registers, threads, shared).warps;
        let needed = warps(registers);
        let first = round_up(registers.max(1), REGISTER_STEP);
        let steps = (first..=REGISTERS_PER_THREAD).step_by(REGISTER_STEP as usize);
        // A thread can have one register less than the last step has.
        let last = std::iter::once(REGISTERS_PER_THREAD);
        let mut same = steps.chain(last).take_while(|it| warps(*it) >= needed);
        same.next()
            .map_or(registers, |it| same.last().unwrap_or(it))
    }

    /// Warps for which the registers suffice.
    #[must_use]
    pub fn warps_by_registers(&self, registers: u32) -> u32 {
        let each = round_up(registers.max(1), REGISTER_STEP).saturating_mul(WARP);
        REGISTERS / self.partitions() / each * self.partitions()
    }

    /// The registers that a thread of a block can have so that so many blocks fit at once.
    #[must_use]
    pub fn register_cap(&self, threads: u32, blocks: u32) -> u32 {
        let warps = threads.div_ceil(WARP).max(1).saturating_mul(blocks.max(1));
        let share = REGISTERS / self.partitions() / warps.div_ceil(self.partitions());
        round_down(share / WARP, REGISTER_STEP).clamp(16, REGISTERS_PER_THREAD)
    }

    /// The occupancy of a kernel with so many registers per thread, threads per block and bytes of shared
    /// memory per block.
    #[must_use]
    pub fn occupancy(&self, registers: u32, threads: u32, shared: u32) -> Occupancy {
        let per_block = threads.div_ceil(WARP).max(1);
        let by_registers = self.warps_by_registers(registers) / per_block;
        let by_warps = (self.warps / per_block).min(self.ctas);
        let bytes = shared
            .saturating_add(self.shared_reserved_kb() * 1024)
            .max(1)
            .checked_next_multiple_of(self.shared_granularity)
            .unwrap_or(u32::MAX);
        let by_shared = match shared > self.shared_per_cta_kb * 1024 {
            true => 0,
            false => self.shared_kb * 1024 / bytes,
        };
        let blocks = by_registers.min(by_warps).min(by_shared);
        let warps = blocks * per_block;
        let limiter = if warps == self.warps {
            Limiter::Nothing
        } else if by_registers == blocks && by_registers < by_warps {
            Limiter::Registers
        } else if by_shared == blocks && by_shared < by_warps {
            Limiter::SharedMemory
        } else {
            Limiter::Blocks
        };
        Occupancy {
            warps,
            of: self.warps,
            limiter,
        }
    }
}

fn round_up(number: u32, step: u32) -> u32 {
    number.div_ceil(step).saturating_mul(step)
}

fn round_down(number: u32, step: u32) -> u32 {
    number / step * step
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(target: &str) -> &'static Limits {
        limits::of(Target::parse(target).unwrap()).unwrap()
    }

    #[test]
    fn registers_that_cost_nothing() {
        for (target, registers) in [("sm_75", 64), ("sm_80", 32), ("sm_90a", 32), ("sm_120", 40)] {
            assert_eq!(limits(target).free_registers(), registers, "{target}");
        }
    }

    #[test]
    fn registers_that_cost_no_block() {
        let most = |target, registers, threads, shared| {
            limits(target).registers_of_same_occupancy(registers, threads, shared)
        };
        // Measured with ptxas 13.5: kernels that need so many registers and can start 250 loads early take
        // all that leaves as many blocks of 128 threads, less up to 4.
        for (needs, takes) in [
            (8, 32),
            (33, 40),
            (41, 48),
            (51, 56),
            (59, 64),
            (67, 72),
            (75, 80),
            (85, 96),
            (101, 128),
            (131, 168),
            (171, 255),
        ] {
            assert_eq!(most("sm_80", needs, 128, 0), takes, "{needs}");
        }
        // The same with blocks that leave places for warps empty.
        assert_eq!(most("sm_80", 20, 32, 0), 64);
        assert_eq!(most("sm_75", 20, 640, 0), 96);
        assert_eq!(most("sm_80", 20, 128, 16_384), 56);
        assert_eq!(most("sm_90a", 20, 256, 40_000), 48);
        assert_eq!(most("sm_120", 20, 32, 0), 80);
        assert_eq!(most("sm_120", 20, 640, 0), 48);
        assert_eq!(most("sm_120", 20, 1024, 0), 64);
        assert_eq!(most("sm_120", 200, 1024, 0), 255);
    }

    #[test]
    fn caps_of_launch_bounds() {
        // Measured: what ptxas 13.5 leaves a kernel that wants 200 registers.
        for (threads, blocks, cap) in [
            (256, 1, 255),
            (320, 1, 168),
            (640, 1, 96),
            (768, 1, 80),
            (1024, 1, 64),
            (256, 2, 128),
            (256, 3, 80),
            (96, 8, 80),
        ] {
            assert_eq!(
                limits("sm_80").register_cap(threads, blocks),
                cap,
                "{threads}x{blocks}"
            );
        }
    }

    #[test]
    fn resident_warps() {
        let warps = |target, registers, threads, shared| {
            let it = limits(target).occupancy(registers, threads, shared);
            (it.warps, it.limiter)
        };
        assert_eq!(warps("sm_80", 32, 256, 0), (64, Limiter::Nothing));
        assert_eq!(warps("sm_80", 33, 256, 0), (48, Limiter::Registers));
        assert_eq!(warps("sm_80", 162, 128, 0), (12, Limiter::Registers));
        assert_eq!(warps("sm_80", 255, 1024, 0), (0, Limiter::Registers));
        assert_eq!(warps("sm_80", 16, 32, 0), (32, Limiter::Blocks));
        assert_eq!(warps("sm_80", 16, 768, 0), (48, Limiter::Blocks));
        assert_eq!(
            warps("sm_90", 32, 256, 100 << 10),
            (16, Limiter::SharedMemory)
        );
        assert_eq!(
            warps("sm_90", 32, 256, u32::MAX),
            (0, Limiter::SharedMemory)
        );
    }
}
