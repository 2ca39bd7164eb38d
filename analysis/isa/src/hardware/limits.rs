//! The hardware of a target: the tables of technical specifications of the CUDA Programming Guide
//! and `cuda_occupancy.h` of CUDA 13.5; static shared memory as measured with ptxas 13.5.

use crate::target::{Suffix, Target};

/// Threads of a warp.
pub const THREADS_PER_WARP: u32 = 32;
/// Threads of a CTA at most.
pub const THREADS_PER_CTA: u32 = 1024;
/// 32-bit registers of a thread at most.
pub const REGISTERS_PER_THREAD: u32 = 255;
/// 32-bit registers of a multiprocessor.
pub const REGISTERS_PER_MULTIPROCESSOR: u32 = 65_536;
/// Registers are allocated to warps in multiples of this many.
pub const REGISTER_GRANULARITY: u32 = 256;
/// CTAs of a cluster that every target with clusters can run.
pub const PORTABLE_CLUSTER_SIZE: u32 = 8;

/// Bytes of static `.const` variables that ptxas 13.5 lets a module have, on every target.
pub const CONSTANT_BYTES: u64 = 65_536;

/// The limits of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Number of the target: 90 of `sm_90`.
    pub(crate) target: u16,
    /// Warps that a multiprocessor holds.
    pub warps: u32,
    /// CTAs that a multiprocessor holds.
    pub ctas: u32,
    /// 32-bit registers of a CTA at most.
    pub registers_per_cta: u32,
    /// Shared memory of a multiprocessor in KB.
    pub shared_kb: u32,
    /// Shared memory of a CTA in KB at most, if the launch asks for it.
    pub shared_per_cta_kb: u32,
    /// Shared memory is allocated in multiples of this many bytes.
    pub shared_granularity: u32,
    /// Whether there are clusters of CTAs.
    pub clusters: bool,
}

impl Limits {
    /// Threads that a multiprocessor holds.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.warps * THREADS_PER_WARP
    }
}

#[allow(clippy::too_many_arguments, reason = "the columns of a table")]
const fn row(
    target: u16,
    warps: u32,
    ctas: u32,
    registers_per_cta: u32,
    shared_kb: u32,
    shared_per_cta_kb: u32,
    shared_granularity: u32,
    clusters: bool,
) -> Limits {
    Limits {
        target,
        warps,
        ctas,
        registers_per_cta,
        shared_kb,
        shared_per_cta_kb,
        shared_granularity,
        clusters,
    }
}

/// Target, warps, CTAs, registers of a CTA, shared memory of a multiprocessor and of a CTA in KB, granularity
/// of shared memory in bytes, clusters. Those of 88 are those of 86, as `cuda_occupancy.h` treats it.
#[rustfmt::skip]
const LIMITS: &[Limits] = &[
    row(50, 64, 32, 65536, 64, 48, 256, false),
    row(52, 64, 32, 65536, 96, 48, 256, false),
    row(53, 64, 32, 32768, 64, 48, 256, false),
    row(60, 64, 32, 65536, 64, 48, 256, false),
    row(61, 64, 32, 65536, 96, 48, 256, false),
    row(62, 64, 32, 32768, 64, 48, 256, false),
    row(70, 64, 32, 65536, 96, 96, 256, false),
    row(72, 64, 32, 65536, 96, 96, 256, false),
    row(75, 32, 16, 65536, 64, 64, 256, false),
    row(80, 64, 32, 65536, 164, 163, 128, false),
    row(86, 48, 16, 65536, 100, 99, 128, false),
    row(87, 48, 16, 65536, 164, 163, 128, false),
    row(88, 48, 16, 65536, 100, 99, 128, false),
    row(89, 48, 24, 65536, 100, 99, 128, false),
    row(90, 64, 32, 65536, 228, 227, 128, true),
    row(100, 64, 32, 65536, 228, 227, 128, true),
    row(101, 48, 24, 65536, 228, 227, 128, true),
    row(103, 64, 32, 65536, 228, 227, 128, true),
    row(107, 32, 16, 65536, 328, 327, 128, true),
    row(110, 48, 24, 65536, 228, 227, 128, true),
    row(120, 48, 24, 65536, 100, 99, 128, true),
    row(121, 48, 24, 65536, 100, 99, 128, true),
];

/// All limits, by the number of the target.
pub(crate) fn all() -> impl Iterator<Item = &'static Limits> {
    LIMITS.iter()
}

/// The limits of a target; `None` below `sm_50`.
#[must_use]
pub fn of(target: Target) -> Option<&'static Limits> {
    LIMITS.iter().find(|it| it.target == target.number)
}

/// The largest shared memory of a CTA over all targets, in bytes, for launches that opt in to it.
#[must_use]
pub fn most_shared_per_cta() -> u64 {
    let kilobytes = LIMITS.iter().map(|it| u64::from(it.shared_per_cta_kb));
    kilobytes.max().unwrap_or(0) * 1024
}

/// Bytes of static `.shared` variables that ptxas 13.5 accepts for a CTA on every target.
pub const LEAST_STATIC_SHARED: u32 = 49_152;

/// Bytes of static `.shared` variables that ptxas 13.5 accepts for a CTA: more than 48 KB only for targets with
/// architecture-specific features.
#[must_use]
pub fn static_shared(target: Target) -> u32 {
    match (target.suffix, target.number) {
        (Suffix::Architecture, 90..120) => 232_448,
        (Suffix::Architecture, 120..) => 101_376,
        _ => LEAST_STATIC_SHARED,
    }
}

/// Number of a target, name of its architecture, and some GPUs; empty if none is known.
#[rustfmt::skip]
const ARCHITECTURES: &[(u16, &str, &str)] = &[
    (10, "Tesla", "GeForce 8800 GTX, Tesla C870"),
    (11, "Tesla", "GeForce 8600 GT, 9800 GTX"),
    (12, "Tesla", "GeForce GT 240"),
    (13, "Tesla", "GeForce GTX 280, Tesla C1060"),
    (20, "Fermi", "GeForce GTX 480, Tesla C2050"),
    (21, "Fermi", "GeForce GTX 460"),
    (30, "Kepler", "GeForce GTX 680, Tesla K10"),
    (32, "Kepler", "Tegra K1"),
    (35, "Kepler", "GeForce GTX 780, Tesla K20 and K40"),
    (37, "Kepler", "Tesla K80"),
    (50, "Maxwell", "GeForce GTX 750 Ti"),
    (52, "Maxwell", "GeForce GTX 980, Tesla M40"),
    (53, "Maxwell", "Tegra X1 (Jetson TX1, Jetson Nano)"),
    (60, "Pascal", "Tesla P100"),
    (61, "Pascal", "GeForce GTX 1080, Tesla P4 and P40"),
    (62, "Pascal", "Jetson TX2"),
    (70, "Volta", "Tesla V100"),
    (72, "Volta", "Jetson Xavier"),
    (75, "Turing", "GeForce RTX 20 and GTX 16, T4, Quadro RTX"),
    (80, "Ampere", "A100, A30"),
    (82, "Ampere", ""),
    (86, "Ampere", "GeForce RTX 30, A40, A10, RTX A6000"),
    (87, "Ampere", "Jetson Orin"),
    (88, "Ampere", ""),
    (89, "Ada Lovelace", "GeForce RTX 40, L4, L40S, RTX 6000 Ada"),
    (90, "Hopper", "H100, H200, GH200"),
    (100, "Blackwell", "B200, GB200"),
    (103, "Blackwell Ultra", "B300, GB300"),
    (107, "Rubin", ""),
    (110, "Blackwell", "Jetson Thor, DRIVE Thor"),
    (120, "Blackwell", "GeForce RTX 50, RTX PRO 6000 Blackwell"),
    (121, "Blackwell", "GB10 (DGX Spark)"),
];

/// Name of the architecture of a target.
#[must_use]
pub fn architecture(target: Target) -> Option<&'static str> {
    let number = current(target);
    let found = ARCHITECTURES.iter().find(|it| it.0 == number);
    found.map(|it| it.1)
}

/// Some GPUs of a target, as a list for people.
#[must_use]
pub fn gpus(target: Target) -> Option<&'static str> {
    let number = current(target);
    let found = ARCHITECTURES.iter().find(|it| it.0 == number);
    found.map(|it| it.2).filter(|it| !it.is_empty())
}

/// Compute capability of a target: major and minor number.
#[must_use]
pub fn compute_capability(target: Target) -> (u16, u16) {
    let number = current(target);
    (number / 10, number % 10)
}

/// PTX ISA 9.0 renamed one architecture.
fn current(target: Target) -> u16 {
    if target.number == 101 {
        110
    } else {
        target.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        documentation::{Topic, entry},
        target::targets,
    };

    #[test]
    fn targets_have_limits_and_architectures() {
        for (target, _) in targets() {
            assert!(architecture(target).is_some(), "{target}");
            // Nobody has seen a GPU of sm_82.
            let known = target.number >= 50 && target.number != 82;
            assert_eq!(of(target).is_some(), known, "{target}");
        }
        for limits in LIMITS {
            assert!(limits.shared_per_cta_kb <= limits.shared_kb);
            assert!(limits.threads() >= THREADS_PER_CTA);
        }
        let of = |name: &str| static_shared(Target::parse(name).unwrap());
        assert_eq!(
            (of("sm_90"), of("sm_90a"), of("sm_121a")),
            (49_152, 232_448, 101_376)
        );
    }

    /// The pages of plain targets say the same, so that a hover shows it.
    #[test]
    fn pages_of_targets_name_their_gpus() {
        for &(number, name, gpus) in ARCHITECTURES {
            let suffix = Suffix::Plain;
            let target = Target { number, suffix };
            let page = entry(Topic::Targets, &target.to_string()).unwrap().text;
            assert!(
                page.contains(name) && page.contains(gpus),
                "{target}: {page}"
            );
            if !gpus.is_empty() {
                let (major, minor) = compute_capability(target);
                let capability = format!("compute capability {major}.{minor}: {gpus}");
                assert!(page.contains(&capability), "{target}: {page}");
            }
        }
    }
}
