//! The figures of one access, over all samples.

use isa::{
    compute::LANES,
    hardware::memory::{BANK_BYTES, BANKS, SECTOR_BYTES, bank_conflict},
};

use crate::{api::LanePlaces, values::lanes::Numbers};

/// The bytes after which the banks come again.
const BANK_ROW: u64 = BANKS as u64 * BANK_BYTES;

/// How many times the fewest possible sectors an access of global memory needs at least to be reported.
pub(crate) const MANY_SECTORS: u32 = 4;

/// A figure that is the same in all samples so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Agreed<T> {
    Nothing,
    On(T),
    Not,
}

impl<T: Clone + PartialEq> Agreed<T> {
    fn add(&mut self, new: T) {
        match self {
            Agreed::Nothing => *self = Agreed::On(new),
            Agreed::On(old) if *old != new => *self = Agreed::Not,
            _ => {}
        }
    }

    /// Whether samples do not agree.
    pub(super) fn is_not(&self) -> bool {
        matches!(self, Agreed::Not)
    }

    /// The figure, if all samples agree on it.
    pub(super) fn get(&self) -> Option<T> {
        match self {
            Agreed::On(it) => Some(it.clone()),
            _ => None,
        }
    }
}

/// The figures of an access.
pub(super) struct Fold {
    bytes: u64,
    /// Whether it is in shared memory, which has banks; the rest has sectors.
    shared: bool,
    /// The addresses relative to that of the first lane.
    pub(super) pattern: Agreed<Vec<u64>>,
    /// Sectors, and how few would do.
    pub(super) sectors: Agreed<(u32, u32)>,
    pub(super) ways: Agreed<u32>,
    /// Lanes that conflict, and the bank on which they do.
    pub(super) conflict: Agreed<Vec<u32>>,
    pub(super) bank: Agreed<u32>,
    /// The first byte of the first lane in its row of banks, or in its sector.
    start: Agreed<u64>,
    /// How many lanes access memory.
    pub(super) lanes: Agreed<u32>,
    /// Which lanes do.
    mask: Agreed<u32>,
    aligned: bool,
    /// How far each address is from a multiple of the size.
    residues: Agreed<Vec<u64>>,
    /// The lowest offset in the variable, and the end of the highest one.
    pub(super) span: Option<(i64, i64)>,
}

impl Fold {
    pub(super) fn new(bytes: u64, shared: bool) -> Fold {
        Fold {
            bytes,
            shared,
            pattern: Agreed::Nothing,
            sectors: Agreed::Nothing,
            ways: Agreed::Nothing,
            conflict: Agreed::Nothing,
            bank: Agreed::Nothing,
            start: Agreed::Nothing,
            lanes: Agreed::Nothing,
            mask: Agreed::Nothing,
            aligned: true,
            residues: Agreed::Nothing,
            span: None,
        }
    }

    /// The places of the lanes that access memory, if their distances are the same in all samples.
    pub(super) fn places(&self) -> Option<LanePlaces> {
        let (offsets, mask) = (self.pattern.get()?, self.mask.get()?);
        let lanes = (0..LANES as u32).filter(|it| mask >> it & 1 == 1);
        Some(LanePlaces {
            start: self.start.get(),
            lanes: lanes
                .zip(offsets.iter().map(|it| it.cast_signed()))
                .collect(),
        })
    }

    /// Whether all addresses are multiples of the size of the access; `None` if that depends on what is unknown.
    pub(super) fn aligned(&self) -> Option<bool> {
        match self.residues {
            Agreed::Nothing => None,
            _ if self.aligned => Some(true),
            Agreed::On(_) => Some(false),
            Agreed::Not => None,
        }
    }

    /// Whether the address is not a multiple of the size in all samples so far, in each lane by the same number.
    pub(super) fn is_misaligned(&self) -> bool {
        !self.aligned && self.residues.get().is_some()
    }

    /// Whether all samples so far have the same conflict, or sectors that are far more than needed.
    pub(super) fn is_slow(&self) -> bool {
        let many = |(used, ideal): (u32, u32)| used > 0 && used >= MANY_SECTORS * ideal;
        (self.ways.get() > Some(1) && self.conflict.get().is_some())
            || (self.sectors.get().is_some_and(many) && self.pattern.get().is_some())
    }

    /// The distance in bytes after which a row of the array ends, and how long rows must be instead for the same
    /// accesses to have no bank conflict; `None` if no rows that are up to 32 bytes longer help.
    pub(super) fn padding(&self) -> Option<(u64, u64)> {
        let (addresses, conflict) = (self.pattern.get()?, self.conflict.get()?);
        let mask = self.mask.get()?;
        let lanes: Vec<u32> = (0..LANES as u32).filter(|it| mask >> it & 1 == 1).collect();
        let of = |lane: &u32| {
            let at = lanes.iter().position(|it| it == lane)?;
            addresses.get(at).map(|it| it.cast_signed())
        };
        let low = addresses.iter().map(|it| it.cast_signed()).min()?;
        let mut words: Vec<i64> = conflict.iter().filter_map(of).collect();
        words.sort_unstable();
        let row = words.windows(2).map(|it| it[1] - it[0]).min()?;
        let (row, unit) = (row.cast_unsigned(), self.bytes.max(BANK_BYTES));
        if row == 0 || !row.is_multiple_of(unit) {
            return None;
        }
        let longer = (1..=32 / unit).map(|it| row + it * unit);
        longer.map(|it| (row, it)).find(|(row, longer)| {
            let moved = |at: &u64| {
                let at = (at.cast_signed() - low).cast_unsigned();
                at / row * longer + at % row
            };
            let all = addresses.iter().map(moved);
            bank_conflict(
                &lanes.iter().copied().zip(all).collect::<Vec<_>>(),
                self.bytes,
            )
            .0 == 1
        })
    }

    /// Adds the addresses of a sample in the lanes of a mask, which is not empty.
    pub(super) fn add(&mut self, addresses: &Numbers, mask: u32, base: Option<u64>) {
        let bytes = self.bytes;
        let active = || (0..LANES).filter(move |it| mask >> it & 1 == 1);
        let first = active().next().map_or(0, |it| addresses[it]);
        let unit = bytes.next_power_of_two();
        self.aligned &= active().all(|it| addresses[it].is_multiple_of(unit));
        self.residues
            .add(active().map(|it| addresses[it] % unit).collect());
        // The machine runs no access whose address is wrong: where all lanes miss by the same number of bytes, the
        // numbers of the sample are to blame.
        let off = first % unit;
        let same = active().all(|it| addresses[it] % unit == off);
        let shift = if same { off } else { 0 };
        let all: Vec<(u32, u64)> = active()
            .map(|it| (it as u32, addresses[it].wrapping_sub(shift)))
            .collect();
        self.lanes.add(all.len() as u32);
        self.mask.add(mask);
        let relative = |it: &(u32, u64)| it.1.wrapping_sub(first - shift);
        self.pattern.add(all.iter().map(relative).collect());
        let row = if self.shared { BANK_ROW } else { SECTOR_BYTES };
        self.start.add((first - shift) % row);
        if self.shared {
            let (ways, conflict) = bank_conflict(&all, bytes);
            self.ways.add(ways);
            self.bank.add(conflict.bank);
            self.conflict.add(conflict.lanes);
        } else {
            self.sectors.add(sectors(&all, bytes));
        }
        if let Some(base) = base {
            for lane in active() {
                let at = addresses[lane].wrapping_sub(base).cast_signed();
                let end = at.saturating_add(bytes.cast_signed());
                let (low, high) = self.span.unwrap_or((at, end));
                self.span = Some((low.min(at), high.max(end)));
            }
        }
    }
}

/// The sectors in which the bytes of lanes lie, and the fewest that have room for as many different bytes.
fn sectors(lanes: &[(u32, u64)], bytes: u64) -> (u32, u32) {
    let mut starts: Vec<u64> = lanes.iter().map(|it| it.1).collect();
    starts.sort_unstable();
    let (mut sectors, mut different) = (0, 0);
    // The first byte and the first sector that are not counted yet.
    let (mut byte, mut sector) = (0, 0);
    for start in starts {
        // A copy may be of no byte.
        let end = start.saturating_add(bytes);
        if end == start {
            continue;
        }
        different += end - start.max(byte).min(end);
        byte = byte.max(end);
        let beyond = end.div_ceil(SECTOR_BYTES);
        sectors += beyond - (start / SECTOR_BYTES).max(sector).min(beyond);
        sector = sector.max(beyond);
    }
    let least = different.div_ceil(SECTOR_BYTES);
    (sectors as u32, least as u32)
}
