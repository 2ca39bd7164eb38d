//! The accesses of an instruction as the race detector sees them.

use crate::outcome::Related;

use super::{
    access::{Access, Region},
    conflict::Conflict,
    races::AccessOrigin,
    shadow::part,
    warp::Lanes,
};

impl Access<'_> {
    /// Passes an access to the race detector, and reports the conflict that it finds.
    pub(super) fn record(
        &mut self,
        region: Region,
        offset: usize,
        bytes: usize,
        lane: usize,
        writes: bool,
    ) {
        if self.quiet || !self.races.enabled {
            return;
        }
        if let Some(key) = self.shared_key(region, offset) {
            let (origin, sizes) = (self.origin(), (key, bytes as u64));
            let found = self.races.access(sizes, lane as u8, writes, origin);
            if let Some(conflict) = found {
                let value = self.kind.value;
                self.conflict_of_value(conflict, (region, offset), bytes, lane, value);
            }
        }
    }

    /// Reports a conflict of an access that writes a value, if the conflict counts.
    fn conflict_of_value(
        &mut self,
        conflict: Conflict,
        (region, offset): (Region, usize),
        bytes: usize,
        lane: usize,
        value: u64,
    ) {
        let held = |from: usize| {
            let count = bytes.saturating_sub(from).min(8);
            self.read(region, offset + from, count, lane).0
        };
        let mask = u64::MAX >> (64 - 8 * bytes.clamp(1, 8));
        let is_same = |index: u64| {
            let held = held(0) ^ held(8).rotate_left(17);
            let part = |it: u64| part(it & mask, bytes as u64, index);
            part(held) == part(value)
        };
        if let Some(it) = conflict.counting(is_same) {
            self.conflict(lane, it);
        }
    }

    /// Does the same for bytes that are identified by a key of the race detector.
    pub(super) fn record_key(&mut self, key: u64, bytes: u64, lane: u8, writes: bool) {
        if self.quiet || !self.races.enabled {
            return;
        }
        let origin = self.origin();
        let found = self.races.access((key, bytes), lane, writes, origin);
        if let Some(conflict) = found {
            self.conflict(usize::from(lane), conflict);
        }
    }

    fn origin(&self) -> AccessOrigin {
        AccessOrigin {
            thread: self.thread,
            kind: self.kind,
            range: self.at.range,
        }
    }

    /// Reports a race of the access in a lane.
    pub(super) fn conflict(&mut self, lane: usize, conflict: Conflict) {
        if self.findings.knows(conflict.code, &self.at, 1 << lane) {
            return;
        }
        if let Some(reads) = conflict.reads {
            return self.races.doubt(reads, &self.at, &conflict);
        }
        let related = Related {
            range: conflict.other,
            message: conflict.related,
        };
        let code = conflict.code;
        let mut at = self.at;
        let mut related = related;
        if conflict.reversed {
            // The finding is about the earlier access, which is the read.
            (at.range, related.range) = (related.range, at.range);
        }
        self.findings
            .push(code, &at, 1 << lane, conflict.message, vec![related]);
    }

    /// Records an access in each of some lanes: `bytes` bytes at the lane's offset in a region. Writes have `values`.
    pub(super) fn record_lanes(
        &mut self,
        region: Region,
        offsets: &Lanes,
        bytes: usize,
        lanes: u32,
        values: Option<&Lanes>,
    ) {
        if self.quiet || !self.races.enabled {
            return;
        }
        let Some(base) = self.shared_key(region, 0) else {
            return;
        };
        let keys = offsets.map(|it| base.wrapping_add(it));
        let (bytes, origin) = (bytes as u64, self.origin());
        let found = self.races.access_lanes(&keys, bytes, lanes, values, origin);
        for (lane, conflict) in found {
            let lane = usize::from(lane);
            let (at, value) = (offsets[lane] as usize, values.map_or(0, |it| it[lane]));
            self.conflict_of_value(conflict, (region, at), bytes as usize, lane, value);
        }
    }

    /// Records an access in each lane of a warp: lane 0 accesses `bytes` bytes at an offset, and each other lane those
    /// `pitch` bytes after the lane before it.
    pub(super) fn record_neighbours(
        &mut self,
        (region, offset): (Region, usize),
        bytes: usize,
        pitch: usize,
        values: Option<&Lanes>,
    ) {
        if self.quiet || !self.races.enabled {
            return;
        }
        let Some(key) = self.shared_key(region, offset) else {
            return;
        };
        let even = (key, pitch as u64);
        let (bytes, origin) = (bytes as u64, self.origin());
        let found = self.races.access_neighbours(even, bytes, values, origin);
        for (lane, conflict) in found {
            let lane = usize::from(lane);
            let (at, value) = (offset + pitch * lane, values.map_or(0, |it| it[lane]));
            self.conflict_of_value(conflict, (region, at), bytes as usize, lane, value);
        }
    }
}
