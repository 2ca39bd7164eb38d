//! How memory serves a warp: the CUDA C++ Best Practices Guide, chapter on memory optimizations.

/// Bytes of a sector, the unit in which global memory is read and written through the caches.
pub const SECTOR_BYTES: u64 = 32;
/// Banks of shared memory, which serve one word each at a time.
pub const BANKS: u32 = 32;
/// Bytes of a word of a bank.
pub const BANK_BYTES: u64 = 4;

/// The lanes whose accesses of so many bytes each shared memory serves together: a phase has as many bytes as all
/// banks.
#[must_use]
pub fn lanes_per_phase(bytes: u64) -> u32 {
    match bytes {
        ..=4 => 32,
        5..=8 => 16,
        _ => 8,
    }
}
