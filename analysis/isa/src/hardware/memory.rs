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

/// Lanes that access different words of one bank in one phase; none if no bank is accessed twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BankConflict {
    /// The bank, 0 to 31.
    pub bank: u32,
    /// The lanes, one for each word, ascending.
    pub lanes: Vec<u32>,
}

/// The worst bank conflict among the lanes of one phase: the number of different words in one bank, 1 without a
/// conflict, and the lanes that conflict. Of several equal conflicts, this is the one with the lowest lane.
///
/// `lanes` has each lane with its address in shared memory, in ascending order; each of them accesses `bytes` bytes.
#[must_use]
pub fn bank_conflict(lanes: &[(u32, u64)], bytes: u64) -> (u32, BankConflict) {
    let group = lanes_per_phase(bytes);
    let mut worst = (1, BankConflict::default());
    let mut words: Vec<(u32, u64, u32)> = Vec::with_capacity(lanes.len());
    for phase in 0..BANKS.div_ceil(group) {
        words.clear();
        for (lane, address) in lanes.iter().filter(|it| it.0 / group == phase) {
            for word in 0..(bytes / BANK_BYTES).max(1) {
                let word = address / BANK_BYTES + word;
                let bank = (word % u64::from(BANKS)) as u32;
                words.push((bank, word, *lane));
            }
        }
        words.sort_unstable();
        words.dedup_by_key(|it| it.1);
        for words in words.chunk_by(|one, other| one.0 == other.0) {
            let ways = words.len() as u32;
            if ways < worst.0.max(2) {
                continue;
            }
            let mut lanes: Vec<u32> = words.iter().map(|it| it.2).collect();
            lanes.sort_unstable();
            if ways > worst.0 || lanes.first() < worst.1.lanes.first() {
                let bank = words[0].0;
                worst = (ways, BankConflict { bank, lanes });
            }
        }
    }
    worst
}
