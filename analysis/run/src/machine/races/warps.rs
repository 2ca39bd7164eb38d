//! Accesses of all lanes of a warp at once, which the shadow keeps in rows where it can.

use super::{AccessOrigin, Races, is_simple};
use crate::machine::{
    conflict::Conflict,
    findings::lanes_of,
    shadow::Entry,
    stripe::{Stripe, WORD},
    warp::Lanes,
};

impl Races {
    /// Accesses of as many bytes at an address in each of some lanes, of which each writes its value; the races of each
    /// lane.
    pub(in crate::machine) fn access_lanes(
        &mut self,
        keys: &Lanes,
        bytes: u64,
        lanes: u32,
        values: Option<&Lanes>,
        origin: AccessOrigin,
    ) -> Vec<(u8, Conflict)> {
        let entry = origin.entry(values.is_some());
        let stripe = Stripe::new(keys, bytes, lanes).filter(|_| is_simple(origin.kind));
        let lanes = stripe.map_or(lanes, |it| self.access_rows(it, entry));
        self.access_each(keys, bytes, lanes, values, origin)
    }

    /// The same by all lanes: lane 0 accesses the bytes at a key, and each other lane those `step` bytes after the lane
    /// before it.
    pub(in crate::machine) fn access_neighbours(
        &mut self,
        (key, step): (u64, u64),
        bytes: u64,
        values: Option<&Lanes>,
        origin: AccessOrigin,
    ) -> Vec<(u8, Conflict)> {
        let entry = origin.entry(values.is_some());
        let stripe = Stripe::even((key, step), bytes).filter(|_| is_simple(origin.kind));
        let lanes = stripe.map_or(u32::MAX, |it| self.access_rows(it, entry));
        if lanes == 0 {
            return Vec::new();
        }
        let keys = std::array::from_fn(|lane| key.wrapping_add(step * lane as u64));
        self.access_each(&keys, bytes, lanes, values, origin)
    }

    /// The same one lane after the other.
    fn access_each(
        &mut self,
        keys: &Lanes,
        bytes: u64,
        lanes: u32,
        values: Option<&Lanes>,
        origin: AccessOrigin,
    ) -> Vec<(u8, Conflict)> {
        let writes = values.is_some();
        let AccessOrigin { thread, kind, .. } = origin;
        let entry = origin.entry(writes);
        for lane in lanes_of(lanes) {
            let at = usize::from(lane);
            let entry = Entry {
                lanes: 1 << lane,
                ..entry
            };
            let value = values.map_or(0, |it| it[at]);
            if writes || !kind.updates || kind.asynchronous {
                self.access_bytes((keys[at], bytes), entry, value, lane);
            }
            if kind.strong {
                self.synchronize(keys[at], thread, lane, writes, kind);
            }
        }
        std::mem::take(&mut self.found)
    }

    /// Records a stripe of accesses, where the shadow keeps rows. Returns the lanes whose accesses
    /// are left for [`Races::access_bytes`], as a mask.
    fn access_rows(&mut self, stripe: Stripe, entry: Entry) -> u32 {
        let known = self.warps.get(&(entry.view as usize));
        let mut left = 0;
        for (line, row) in stripe.rows() {
            let entry = Entry {
                lanes: row.lanes,
                bytes: u8::MAX >> (8 - WORD),
                ..entry
            };
            let is_before = |old: &Entry| known.is_none_or(|it| it.all_cover(&old.moment()));
            if !self.shadow.add_row(line, row, &entry, is_before) {
                left |= entry.lanes;
            }
        }
        left
    }
}
