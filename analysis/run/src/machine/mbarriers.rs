//! Mbarriers: their fields, their phases, and how they are misused, PTX ISA 9.7.14.16.

use isa::{compute::BarrierField, event::MAX_ARRIVALS};

use crate::outcome::{FindingCode, Related};

use super::{
    access::{Access, Region},
    mbarrier::Mbarrier,
};

/// The most bytes for which a phase can wait, PTX ISA 9.7.14.16.12.
const MOST_BYTES: i64 = (1 << 20) - 1;

pub(super) fn misuse(access: &mut Access<'_>, lane: usize, message: String) {
    let code = FindingCode::MbarrierMisuse;
    if !access.quiet {
        access
            .findings
            .push(code, &access.at, 1 << lane, message, Vec::new());
    }
}

fn barrier_at(region: Region) -> Option<usize> {
    match region {
        Region::Shared(block) => Some(block),
        _ => None,
    }
}

/// Reports a use of an mbarrier that nothing orders after its initialization.
pub(super) fn check_order(access: &mut Access<'_>, block: usize, offset: usize, lane: usize) {
    let barrier = access.blocks[block].mbarriers.get(&offset);
    let Some((thread, other, range)) = barrier.filter(|it| it.initialized).and_then(|it| it.made)
    else {
        return;
    };
    let known = access
        .races
        .knows(access.thread.view, lane as u8, thread, other);
    let (code, lanes) = (FindingCode::Race, 1 << lane);
    if known || access.quiet || access.findings.knows(code, &access.at, lanes) {
        return;
    }
    let message =
        "another thread initializes this mbarrier, and nothing orders that before this use";
    let related = vec![Related {
        range,
        message: "initializes the mbarrier".to_owned(),
    }];
    access
        .findings
        .push(code, &access.at, lanes, message.to_owned(), related);
}

/// Reads a field of the mbarrier at a place.
pub(super) fn read_field(
    access: &mut Access<'_>,
    region: Region,
    offset: usize,
    field: BarrierField,
    lane: usize,
) -> u64 {
    let Some(block) = barrier_at(region) else {
        misuse(
            access,
            lane,
            "an mbarrier lies in shared memory only".to_owned(),
        );
        return 0;
    };
    check_order(access, block, offset, lane);
    let Some(barrier) = access.blocks[block].mbarriers.get(&offset) else {
        misuse(
            access,
            lane,
            "there is no mbarrier at this address: it was not initialized, or has been invalidated"
                .to_owned(),
        );
        return 0;
    };
    match field {
        BarrierField::Phase | BarrierField::Conditional => {
            // Who sees that a phase is complete knows what was done in it.
            let (complete, source, phase) =
                (barrier.complete.clone(), barrier.source, barrier.phase);
            let warp = access.thread.view;
            let races = &mut access.races;
            if access.kind.relaxed {
                races.see(warp, lane, &complete, (source, phase as u32));
                return phase;
            }
            races.acquire(warp, 1 << lane, &complete);
            races.acquire_source(warp, 1 << lane, source, phase as u32);
            phase
        }
        BarrierField::Expected => barrier.expected as u64,
        BarrierField::Pending => barrier.pending as u64,
        BarrierField::Transactions => barrier.transactions as u64,
        BarrierField::State => barrier.phase << 32 | barrier.pending as u64 & 0xFFFF_FFFF,
        BarrierField::Layout => barrier.layout,
        BarrierField::Reported | BarrierField::Report => 0,
    }
}

/// Writes a field of the mbarrier at a place.
pub(super) fn write_field(
    access: &mut Access<'_>,
    region: Region,
    offset: usize,
    field: BarrierField,
    value: u64,
    lane: usize,
) {
    let Some(block) = barrier_at(region) else {
        misuse(
            access,
            lane,
            "an mbarrier lies in shared memory only".to_owned(),
        );
        return;
    };
    let number = value as i64;
    access.global.changes += 1;
    if field == BarrierField::Phase {
        // The first field that an initialization writes.
        let source = access.races.new_source();
        let before = access.blocks[block].mbarriers.insert(
            offset,
            Mbarrier {
                source,
                made: Some((access.thread, lane as u8, access.at.range)),
                ..Mbarrier::default()
            },
        );
        if before.is_some_and(|it| it.initialized) {
            let message = "the mbarrier has been initialized before, and not invalidated since";
            misuse(access, lane, message.to_owned());
        }
        let shared = &mut access.blocks[block].shared;
        shared.mark(offset, 8, false);
        return;
    }
    let warp = access.thread.view;
    check_order(access, block, offset, lane);
    let Some(barrier) = access.blocks[block].mbarriers.get_mut(&offset) else {
        misuse(
            access,
            lane,
            "there is no mbarrier at this address: it was not initialized, or has been invalidated"
                .to_owned(),
        );
        return;
    };
    let mut wrong = None;
    match field {
        BarrierField::Expected => {
            if !barrier.initialized && !(1..=MAX_ARRIVALS).contains(&number) {
                wrong = Some(format!(
                    "an mbarrier expects 1 to {MAX_ARRIVALS} arrivals, not {number}"
                ));
            }
            barrier.expected = number;
        }
        BarrierField::Pending => {
            if number < 0 {
                wrong = Some(format!(
                    "{} more arrive than the phase expects, which is {}",
                    -number, barrier.expected
                ));
            }
            let arrives = barrier.initialized && number < barrier.pending;
            barrier.pending = number.max(0);
            if arrives {
                let clock = match &access.knows {
                    Some(it) => it.clone(),
                    None if access.kind.relaxed => access.races.fenced(warp, 1 << lane, false),
                    None => access
                        .races
                        .release_lanes(warp, 1 << lane, access.thread.time),
                };
                let barrier = access.blocks[block].mbarriers.get_mut(&offset);
                if let Some(it) = barrier {
                    it.gathering.join(&clock);
                }
            }
        }
        BarrierField::Transactions => {
            if number.abs() > MOST_BYTES {
                wrong = Some(format!(
                    "the phase would wait for {number} bytes; the most are {MOST_BYTES}"
                ));
            }
            barrier.transactions = number;
        }
        // The last field that an initialization writes.
        BarrierField::Layout => {
            barrier.layout = number as u64;
            barrier.initialized = true;
        }
        _ => {}
    }
    if let Some(message) = wrong {
        misuse(access, lane, message);
    }
}

/// Begins new phases of the mbarriers of a block after an instruction has run as a whole.
pub(super) fn settle(block: &mut super::block::Block) {
    for barrier in block.mbarriers.values_mut() {
        barrier.turn();
    }
}

/// Bytes of shared memory are written: an mbarrier there is no more.
pub(super) fn overwritten(
    access: &mut Access<'_>,
    block: usize,
    offset: usize,
    bytes: usize,
    lane: usize,
) {
    if access.blocks[block].mbarriers.is_empty() || access.quiet {
        return;
    }
    let first = offset.saturating_sub(7);
    let hit = (first..offset + bytes).find(|it| access.blocks[block].mbarriers.contains_key(it));
    if let Some(hit) = hit {
        access.blocks[block].mbarriers.remove(&hit);
        misuse(
            access,
            lane,
            "the access writes over an mbarrier that has not been invalidated".to_owned(),
        );
    }
}
