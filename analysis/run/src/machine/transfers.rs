//! Reads and writes of elements and of many bytes, and of the fields of mbarriers.

use isa::{
    compute::{Memory, Place, TextureRequest},
    matrix::tensor_map::BoxMode,
};
use syntax::TextRange;

use super::{
    access::{Access, Region, Together},
    findings::lanes_of,
    mbarriers,
    warp::{LANES, Lanes},
};
impl Access<'_> {
    /// Writes an element of a place in all lanes that run; `high` has the bits above 64, `undefined` the bits whose
    /// value is undefined.
    pub(super) fn store_lanes(
        &mut self,
        place: &Place,
        addresses: &Lanes,
        element: u8,
        (low, high): (&Lanes, Option<&Lanes>),
        undefined: Option<&Lanes>,
    ) {
        let lanes = self.active;
        let bytes = usize::from(place.bytes);
        if high.is_none()
            && bytes <= 8
            && let Some(found) = self.together(place, addresses, lanes, true)
        {
            let region = found.region;
            let from = (usize::from(element) * bytes) as u64;
            let offset = |address: u64| address.wrapping_sub(found.base).wrapping_add(from);
            let offsets;
            if found.neighbours {
                let first = offset(addresses[0]) as usize;
                let pitch = bytes * usize::from(place.count);
                self.record_neighbours((region, first), bytes, pitch, Some(low));
                if undefined.is_none() && self.write_neighbours(region, first, (bytes, pitch), low)
                {
                    return;
                }
                offsets = addresses.map(offset);
            } else {
                offsets = addresses.map(offset);
                self.record_lanes(region, &offsets, bytes, lanes, Some(low));
            }
            for lane in lanes_of(lanes).map(usize::from) {
                let value = (low[lane], undefined.map_or(0, |it| it[lane]));
                self.write(region, offsets[lane] as usize, bytes, lane, value);
                if let Region::Shared(block) = region {
                    mbarriers::overwritten(self, block, offsets[lane] as usize, bytes, lane);
                }
            }
            return;
        }
        for lane in lanes_of(lanes).map(usize::from) {
            let (low, high) = (low[lane], high.map_or(0, |it| it[lane]));
            self.kind.value = low ^ high.rotate_left(17);
            // The high half has the marks of the low one.
            let bits = undefined.map_or(0, |it| it[lane]);
            let undefined = (bits, u64::from(bits != 0).wrapping_neg());
            self.store(
                place,
                addresses[lane],
                element,
                lane,
                (low, high),
                undefined,
            );
        }
    }

    /// Reads an element of a place in all lanes that run, if [`Access::together`] finds where; returns whether it does.
    fn load_lanes<const N: usize>(
        &mut self,
        place: &Place,
        addresses: &[u64; N],
        (element, half): (u8, u8),
        out: &mut [u64; N],
    ) -> bool {
        let lanes = self.active;
        let Some(found) = self.together(place, addresses, lanes, false) else {
            return false;
        };
        let Together { region, base, .. } = found;
        let bytes = usize::from(place.bytes);
        let from = (usize::from(element) * bytes) as u64;
        let offset = |address: u64| address.wrapping_sub(base).wrapping_add(from);
        let first = offset(addresses[0]) as usize;
        let pitch = bytes * usize::from(place.count);
        if half == 0 && found.neighbours {
            self.record_neighbours((region, first), bytes, pitch, None);
        }
        let skipped = usize::from(half) * 8;
        let count = (bytes - skipped.min(bytes)).min(8);
        let data = match region {
            Region::Global(index) => &self.global.all[index].data,
            Region::Shared(block) => &self.blocks[block].shared,
            _ => self.entry,
        };
        if found.neighbours && data.read_neighbours(first, (bytes, pitch), out) {
            return true;
        }
        if found.is_one
            && region == Region::Entry
            && let (value, 0) = data.read(first + skipped, count)
        {
            *out = [value; N];
            return true;
        }
        let mut offsets = [0; LANES];
        for (to, address) in offsets.iter_mut().zip(addresses) {
            *to = offset(*address);
        }
        if half == 0 && !found.neighbours {
            self.record_lanes(region, &offsets, bytes, lanes, None);
        }
        let data = match region {
            Region::Global(index) => &self.global.all[index].data,
            Region::Shared(block) => &self.blocks[block].shared,
            _ => self.entry,
        };
        let mut all = 0;
        for lane in lanes_of(lanes).map(usize::from) {
            let (value, undefined) = data.read(offsets[lane] as usize + skipped, count);
            all |= u32::from(undefined != 0) << lane;
            out[lane] = match self.inverts {
                true => value ^ undefined,
                false => value,
            };
        }
        self.undefined |= all;
        self.missing |= all != 0 && region == Region::Entry;
        true
    }

    /// Writes neighbours of all lanes, which are defined, if they are of a usual size and no mbarrier may be among them;
    /// returns whether it does.
    fn write_neighbours(
        &mut self,
        region: Region,
        offset: usize,
        sizes: (usize, usize),
        values: &Lanes,
    ) -> bool {
        let data = match region {
            Region::Global(index) => &mut self.global.all[index].data,
            Region::Shared(block) if self.blocks[block].mbarriers.is_empty() => {
                &mut self.blocks[block].shared
            }
            _ => return false,
        };
        let changed = data.write_neighbours(offset, sizes, values);
        self.global.changes += u64::from(changed == Some(true));
        changed.is_some()
    }

    /// Writes an element of a place in a lane.
    pub(super) fn store(
        &mut self,
        place: &Place,
        address: u64,
        element: u8,
        lane: usize,
        (low, high): (u64, u64),
        undefined: (u64, u64),
    ) {
        if let Some(field) = place.field {
            let whole = Place {
                bytes: 8,
                count: 1,
                ..*place
            };
            if let Some((region, offset)) = self.checked(whole.space, address, 8, lane, true) {
                mbarriers::write_field(self, region, offset, field, low, lane);
            }
            return;
        }
        let Some((region, start)) = self.whole(place, address, lane, true, element) else {
            return;
        };
        let bytes = usize::from(place.bytes);
        let offset = start + usize::from(element) * bytes;
        self.record(region, offset, bytes, lane, true);
        self.write(region, offset, bytes.min(8), lane, (low, undefined.0));
        if bytes > 8 {
            self.write(region, offset + 8, bytes - 8, lane, (high, undefined.1));
        }
        if let Region::Shared(block) = region {
            mbarriers::overwritten(self, block, offset, bytes, lane);
        }
    }

    /// Reports elements that a lane has stored in global memory with bits that depend on what was never written; for
    /// each its place, its address and these bits. Bytes between others that are written, as the padding of a
    /// structure, are not reported.
    pub(super) fn check_stored(
        &mut self,
        elements: &[(Place, u64, u64)],
        lane: usize,
        origin: Option<TextRange>,
    ) {
        let is_whole = |bits: u64| (0..8).all(|it| matches!(bits >> (8 * it) & 0xFF, 0 | 0xFF));
        let full = |it: &Place| u64::MAX >> (64 - 8 * u32::from(it.bytes.clamp(1, 8)));
        let defined = elements.iter().any(|it| it.2 & full(&it.0) != full(&it.0));
        let padding = defined && elements.iter().all(|it| is_whole(it.2));
        let Some((place, address, _)) = elements.iter().find(|it| it.2 != 0) else {
            return;
        };
        let found = self.resolve(place.space, *address, place.bytes.into());
        if let (Some(origin), false) = (origin, matches!(found, Some((Region::Global(_), _))))
            && self.findings.open.contains(&origin)
        {
            self.findings.stored = Some(origin);
        }
        if self.quiet || padding || !matches!(found, Some((Region::Global(_), _))) {
            return;
        }
        let message = "the value that is stored depends on one that was never written";
        self.findings
            .undefined(&self.at, 1 << lane, message, origin);
    }

    /// Writes many bytes in a lane; what does not lie in memory is reported.
    pub(super) fn write_many(
        &mut self,
        place: &Place,
        address: u64,
        bytes: &[(u8, bool)],
        lane: usize,
    ) {
        if bytes.is_empty() {
            return;
        }
        let size = bytes.len();
        let Some((region, offset)) = self.many(place.space, address, size, lane, true) else {
            return;
        };
        self.record(region, offset, size, lane, true);
        self.note_map(region, offset, size);
        for (at, (value, undefined)) in bytes.iter().enumerate() {
            let value = (u64::from(*value), u64::from(*undefined) * 0xFF);
            self.write(region, offset + at, 1, lane, value);
        }
        if let Region::Shared(block) = region {
            mbarriers::overwritten(self, block, offset, size, lane);
        }
    }
}

impl<const N: usize> Memory<N> for Access<'_> {
    fn box_bytes(&mut self, _: &Place, mode: BoxMode, address: &[u64; N], out: &mut [u64; N]) {
        for lane in lanes_of(self.running::<N>()).map(usize::from) {
            let Some(index) = lane.checked_sub(self.first_lane).filter(|it| *it < N) else {
                continue;
            };
            out[index] = self.box_bytes_at(mode, address[index], lane);
        }
    }

    fn load(
        &mut self,
        place: &Place,
        address: &[u64; N],
        element: u8,
        half: u8,
        out: &mut [u64; N],
    ) {
        *out = [0; N];
        if self.load_lanes(place, address, (element, half), out) {
            return;
        }
        for lane in lanes_of(self.running::<N>()) {
            let lane = usize::from(lane);
            let Some(index) = lane.checked_sub(self.first_lane).filter(|it| *it < N) else {
                continue;
            };
            let address = address[index];
            if let Some(field) = place.field {
                if let Some((region, offset)) = self.checked(place.space, address, 8, lane, false) {
                    out[index] = mbarriers::read_field(self, region, offset, field, lane);
                }
                continue;
            }
            let first = if half == 0 { element } else { 1 };
            let Some((region, start)) = self.whole(place, address, lane, false, first) else {
                // That is reported; what follows from it is not.
                continue;
            };
            let bytes = usize::from(place.bytes);
            let offset = start + usize::from(element) * bytes;
            if half == 0 {
                self.record(region, offset, bytes, lane, false);
            }
            let skipped = usize::from(half) * 8;
            let count = (bytes - skipped.min(bytes)).min(8);
            let (value, undefined) = self.read(region, offset + skipped, count, lane);
            if region == Region::Entry && undefined != 0 {
                self.missing = true;
            }
            self.undefined |= u32::from(undefined != 0) << lane;
            out[index] = match self.inverts {
                true => value ^ undefined,
                false => value,
            };
        }
    }

    fn texture(
        &mut self,
        request: &TextureRequest,
        element: u8,
        values: &[[u64; N]],
        out: &mut [u64; N],
    ) {
        *out = [0; N];
        for lane in lanes_of(self.running::<N>()).map(usize::from) {
            if let Some(index) = lane.checked_sub(self.first_lane).filter(|it| *it < N) {
                let value = |node: u32| values[node as usize][index];
                out[index] = self.read_texture(request, element, lane, &value);
            }
        }
    }

    fn aligned(&mut self, address: &[u64; N], bytes: u8) {
        let bytes = u64::from(bytes.max(1));
        if self.quiet {
            return;
        }
        for lane in lanes_of(self.running::<N>()) {
            let lane = usize::from(lane);
            let found = lane
                .checked_sub(self.first_lane)
                .and_then(|it| address.get(it));
            if let Some(address) = found
                && address % bytes != 0
            {
                self.misaligned(*address, bytes, 1 << lane);
            }
        }
    }
}
