//! Writes of bytes in bulk: of memory, of boxes of tensors.

use isa::compute::{Bulk, BulkPart, BulkSource, Place, Program};

use super::access::Access;

/// Writes bytes in bulk in a lane; returns whether the tensor map has the box, if they are one.
pub(super) fn write_bulk(
    access: &mut Access<'_>,
    program: &Program,
    bulk: &Bulk,
    lane: usize,
    value: &impl Fn(u32) -> u64,
) -> bool {
    let place = program.places[usize::from(bulk.place)];
    let (address, size) = (value(bulk.address), value(bulk.size) as usize);
    if let Some(of) = &bulk.to_box {
        if let BulkSource::Memory {
            place: from,
            address: source,
            ..
        } = bulk.from
        {
            let from = program.places[usize::from(from)];
            let of = (of, bulk.combined);
            return access.write_box(address, of, (&from, value(source), size), lane, value);
        }
        return true;
    }
    let is_box = matches!(bulk.from, BulkSource::Box { .. });
    // Check the range first, and only then allocate a buffer of this size.
    if !is_box
        && access
            .many(place.space, address, size, lane, true)
            .is_none()
    {
        return true;
    }
    let bytes = match bulk.from {
        BulkSource::Box {
            address: map,
            ref of,
            ..
        } => {
            let found = access.read_box(value(map), of, lane, value);
            if let Some((bytes, map)) = &found {
                access.write_swizzled(&place, address, (bytes, map), lane);
            }
            return found.is_some();
        }
        BulkSource::Zero => vec![(0, false); size],
        BulkSource::Response => {
            let left = &mut access.left;
            let response = *access.response.get_or_insert_with(|| left.cancel());
            let bytes = response.to_le_bytes().into_iter();
            bytes.map(|it| (it, false)).take(size).collect()
        }
        BulkSource::Undefined => {
            if let Some((region, offset)) = access.resolve(place.space, address, size as u64) {
                access.forget(region, offset, size, lane);
            }
            return true;
        }
        BulkSource::Memory {
            place: from,
            address: source,
            size: count,
            part,
        } => {
            let from = program.places[usize::from(from)];
            let count = (value(count) as usize).min(size);
            if !access.are_aligned(&[address, value(source)], size, lane) {
                return true;
            }
            let (first, end) = match part {
                Some(BulkPart::Between(first, end)) => {
                    let end = (value(end) as usize).min(count);
                    ((value(first) as usize).min(end), end)
                }
                _ => (0, count),
            };
            let start = value(source).wrapping_add(first as u64);
            let Some(read) = access.read_many(&from, start, end - first, lane) else {
                return true;
            };
            if let Some(BulkPart::Masked(mask)) = part {
                let mask = value(mask);
                write_masked(access, (&place, address), &read, mask, lane);
                return true;
            }
            // Bytes before and after a part become anything.
            let others = matches!(part, Some(BulkPart::Between(..)));
            let mut bytes = vec![(0, others); first];
            bytes.extend(read);
            bytes.resize(size, (0, others));
            bytes
        }
    };
    access.write_many(&place, address, &bytes, lane);
    true
}

/// Writes of each 16 bytes those in a mask.
fn write_masked(
    access: &mut Access<'_>,
    (place, address): (&Place, u64),
    bytes: &[(u8, bool)],
    mask: u64,
    lane: usize,
) {
    let is_kept = |at: usize| mask >> (at % 16) & 1 == 1;
    let mut at = 0;
    while at < bytes.len() {
        let length = (at..bytes.len()).take_while(|it| is_kept(*it)).count();
        let run = &bytes[at..at + length];
        access.write_many(place, address.wrapping_add(at as u64), run, lane);
        at += length.max(1);
    }
}
