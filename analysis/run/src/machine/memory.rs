//! The bytes of a run: arrays and variables in global memory, shared memory of blocks, local memory of threads.

use isa::compute::{AddressSpace, window};
use rustc_hash::FxHashMap;

use super::{map_writes::Maps, texture::Described};

/// Bytes with what is known of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Bytes {
    pub(super) bytes: Vec<u8>,
    /// A bit for each byte whose value is undefined; empty if all are defined.
    undefined: Vec<u64>,
}

impl Bytes {
    /// Bytes that are defined.
    pub(super) fn defined(bytes: Vec<u8>) -> Bytes {
        Bytes {
            bytes,
            undefined: Vec::new(),
        }
    }

    /// So many bytes whose value is undefined.
    pub(super) fn undefined(size: usize) -> Bytes {
        Bytes {
            bytes: vec![0; size],
            undefined: vec![u64::MAX; size.div_ceil(64)],
        }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Up to 8 bytes as a number, the lowest first, and which bits of it are undefined. The range must lie inside.
    pub(super) fn read(&self, at: usize, count: usize) -> (u64, u64) {
        let value = match (count, self.bytes.get(at..at + count)) {
            (_, None) => 0,
            (4, Some(&[a, b, c, d])) => u32::from_le_bytes([a, b, c, d]).into(),
            (8, Some(&[a, b, c, d, e, f, g, h])) => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            (_, Some(all)) => {
                let mut number = [0; 8];
                number[..count].copy_from_slice(all);
                u64::from_le_bytes(number)
            }
        };
        (value, self.undefined_bits(at, count))
    }

    /// The undefined bits of a number of up to 8 bytes.
    fn undefined_bits(&self, at: usize, count: usize) -> u64 {
        if self.undefined.is_empty() {
            return 0;
        }
        // Accesses are aligned, so the bits of most lie in one word.
        let (word, bit) = (at / 64, at % 64);
        let mask = u64::MAX >> (64 - count.clamp(1, 64));
        if bit + count <= 64
            && let Some(bits) = self.undefined.get(word)
            && bits >> bit & mask == 0
        {
            return 0;
        }
        let byte = |it: usize| (u64::from(self.is_undefined(at + it)) * 0xFF) << (8 * it);
        (0..count).fold(0, |all, it| all | byte(it))
    }

    /// Whether a byte is undefined.
    pub(super) fn is_undefined(&self, at: usize) -> bool {
        let word = self.undefined.get(at / 64);
        word.is_some_and(|it| it >> (at % 64) & 1 == 1)
    }

    /// Whether all of some bytes are defined.
    fn are_defined(&self, at: usize, count: usize) -> bool {
        if self.undefined.is_empty() {
            return true;
        }
        let (first, last) = (at / 64, (at + count).div_ceil(64));
        let words = self.undefined.get(first..last).unwrap_or_default();
        let is_defined = |(index, word): (usize, &u64)| {
            let start = (first + index) * 64;
            let (low, high) = (at.max(start) - start, (at + count).min(start + 64) - start);
            word >> low & (u64::MAX >> (64 - (high - low))) == 0
        };
        words.iter().enumerate().all(is_defined)
    }

    /// Reads numbers of 4 or 8 bytes, of which each begins `pitch` bytes after the one before; `false` if they are of
    /// another size, or something is undefined there or between them.
    pub(super) fn read_neighbours(
        &self,
        at: usize,
        (bytes, pitch): (usize, usize),
        out: &mut [u64],
    ) -> bool {
        let count = pitch * (out.len() - 1) + bytes;
        let Some(all) = self.bytes.get(at..at + count) else {
            return false;
        };
        if !self.are_defined(at, count) {
            return false;
        }
        match (bytes, pitch) {
            (4, 4) => {
                for (out, it) in out.iter_mut().zip(all.as_chunks::<4>().0) {
                    *out = u32::from_le_bytes(*it).into();
                }
            }
            (8, 8) => {
                for (out, it) in out.iter_mut().zip(all.as_chunks::<8>().0) {
                    *out = u64::from_le_bytes(*it);
                }
            }
            (4, _) => {
                for (out, it) in out.iter_mut().zip(all.chunks(pitch)) {
                    *out = it
                        .first_chunk()
                        .map_or(0, |it| u32::from_le_bytes(*it).into());
                }
            }
            (8, _) => {
                for (out, it) in out.iter_mut().zip(all.chunks(pitch)) {
                    *out = it.first_chunk().map_or(0, |it| u64::from_le_bytes(*it));
                }
            }
            _ => return false,
        }
        true
    }

    /// Writes numbers of 4 or 8 bytes, which are defined, each `pitch` bytes after the one before; whether they have
    /// changed, `None` if they are of another size.
    pub(super) fn write_neighbours(
        &mut self,
        at: usize,
        (bytes, pitch): (usize, usize),
        values: &[u64],
    ) -> Option<bool> {
        let count = pitch * (values.len() - 1) + bytes;
        let all = self.bytes.get_mut(at..at + count)?;
        let mut changed = false;
        match (bytes, pitch) {
            (4, 4) => {
                for (place, value) in all.as_chunks_mut::<4>().0.iter_mut().zip(values) {
                    let value = (*value as u32).to_le_bytes();
                    changed |= *place != value;
                    *place = value;
                }
            }
            (8, 8) => {
                for (place, value) in all.as_chunks_mut::<8>().0.iter_mut().zip(values) {
                    let value = value.to_le_bytes();
                    changed |= *place != value;
                    *place = value;
                }
            }
            (4 | 8, _) => {
                for (place, value) in all.chunks_mut(pitch).zip(values) {
                    let (place, value) = (&mut place[..bytes], &value.to_le_bytes()[..bytes]);
                    changed |= place != value;
                    place.copy_from_slice(value);
                }
            }
            _ => return None,
        }
        if !self.are_defined(at, count) {
            if pitch == bytes {
                self.mark(at, count, false);
            } else {
                let starts = (at..at + count).step_by(pitch);
                starts.for_each(|it| self.mark(it, bytes, false));
            }
        }
        Some(changed)
    }

    /// Writes up to 8 bytes, of whose bits some are undefined. The range must lie inside.
    pub(super) fn write(&mut self, at: usize, count: usize, value: u64, undefined: u64) {
        if let Some(place) = self.bytes.get_mut(at..at + count) {
            match place {
                [a, b, c, d] => [*a, *b, *c, *d] = (value as u32).to_le_bytes(),
                _ => place.copy_from_slice(&value.to_le_bytes()[..count]),
            }
            if undefined == 0 {
                return self.mark(at, count, false);
            }
            for (byte, bits) in undefined.to_le_bytes()[..count].iter().enumerate() {
                self.mark(at + byte, 1, *bits != 0);
            }
        }
    }

    /// Says whether bytes are undefined.
    pub(super) fn mark(&mut self, at: usize, count: usize, undefined: bool) {
        if self.undefined.is_empty() {
            if !undefined {
                return;
            }
            self.undefined = vec![0; self.bytes.len().div_ceil(64)];
        }
        if count == 0 {
            return;
        }
        let (mut at, end) = (at, at + count);
        while let Some(word) = self.undefined.get_mut(at / 64).filter(|_| at < end) {
            let next = end.min((at / 64 + 1) * 64);
            let mask = u64::MAX >> (64 - (next - at)) << (at % 64);
            match undefined {
                true => *word |= mask,
                false => *word &= !mask,
            }
            at = next;
        }
    }

    /// The undefined bytes, ascending.
    pub(super) fn all_undefined(&self) -> Vec<usize> {
        let all = 0..self.bytes.len();
        match self.undefined.is_empty() {
            true => Vec::new(),
            false => all.filter(|it| self.is_undefined(*it)).collect(),
        }
    }
}

/// The purpose of an allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// An array of the launch, by its index.
    Array(usize),
    /// A variable of the module.
    Variable(u32),
    /// Memory that the kernel allocated.
    Heap,
    /// A tensor map of the launch.
    Map,
}

/// An allocation in global memory.
#[derive(Clone, Debug)]
pub(super) struct Allocation {
    /// Its address.
    pub(super) base: u64,
    pub(super) data: Bytes,
    pub(super) owner: Owner,
    /// Its name in messages.
    pub(super) name: String,
    /// Whether kernels may write it.
    pub(super) writable: bool,
    /// Whether it has been freed.
    pub(super) freed: bool,
}

/// The first address of global memory: far above the windows of the other state spaces.
const FIRST: u64 = 0x7f00_0000_0000;
/// Bytes between allocations that no access may touch.
const RED_ZONE: u64 = 4096;
/// The first address of a variable in constant memory.
const FIRST_CONSTANT: u64 = 256;
/// Bytes between variables in constant memory that no access may touch.
const CONSTANT_RED_ZONE: u64 = 64;
/// Alignment of allocations in bytes, as `cudaMalloc` gives it.
const ALIGNMENT: u64 = 256;

/// Global and constant memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Global {
    /// Ascending by address.
    pub(super) all: Vec<Allocation>,
    /// The allocation that was used last.
    last: usize,
    /// The textures, samplers and surfaces of the launch, by their handles.
    pub(super) textures: Vec<Described>,
    /// The tensor maps that were written.
    pub(super) maps: Maps,
    /// The logical endpoints of the launch: their arrays, and whether they are multicast.
    pub(super) endpoints: Vec<(Owner, bool)>,
    /// How often memory changed, shared memory and mbarriers too: who polls need not look again before it does.
    pub(super) changes: u64,
}

impl Global {
    /// Adds a variable in constant memory, before anything in global memory; returns its address in its state space.
    pub(super) fn add_constant(
        &mut self,
        data: Bytes,
        alignment: u64,
        owner: Owner,
        name: String,
    ) -> u64 {
        let window = window(AddressSpace::Constant);
        let end = self.all.last().map_or(FIRST_CONSTANT, |it| {
            it.base - window + it.data.len() as u64 + CONSTANT_RED_ZONE
        });
        let address = end.next_multiple_of(alignment.max(1));
        self.all.push(Allocation {
            base: window + address,
            data,
            owner,
            name,
            writable: false,
            freed: false,
        });
        address
    }

    /// Adds an allocation in global memory; returns its address.
    pub(super) fn add(&mut self, data: Bytes, owner: Owner, name: String, writable: bool) -> u64 {
        let end = self.all.last().map_or(FIRST, |it| {
            (it.base + (it.data.len() as u64).max(1) + RED_ZONE).max(FIRST)
        });
        // Some distance that no kernel may rely on.
        let spread = (self.all.len() as u64).wrapping_mul(0x9E37_79B9) % 64 * ALIGNMENT;
        let base = (end + spread).next_multiple_of(ALIGNMENT);
        self.all.push(Allocation {
            base,
            data,
            owner,
            name,
            writable,
            freed: false,
        });
        base
    }

    /// The allocation at an address, if so many bytes lie in it, with the offset.
    pub(super) fn find(&mut self, address: u64, bytes: u64) -> Option<(usize, usize)> {
        let inside = |it: &Allocation| {
            let offset = address.wrapping_sub(it.base);
            let size = it.data.len() as u64;
            (offset < size && bytes <= size - offset).then_some(offset as usize)
        };
        if let Some(offset) = self.all.get(self.last).and_then(inside) {
            return Some((self.last, offset));
        }
        let index = self.all.partition_point(|it| it.base <= address);
        let index = index.checked_sub(1)?;
        let offset = inside(&self.all[index])?;
        self.last = index;
        Some((index, offset))
    }

    /// A phrase for what is next to an address that lies in no allocation.
    pub(super) fn neighbour(&self, address: u64) -> String {
        let index = self.all.partition_point(|it| it.base <= address);
        let before = index.checked_sub(1).map(|it| &self.all[it]);
        match (before, self.all.get(index)) {
            (Some(it), _) if address - it.base < it.data.len() as u64 + RED_ZONE => {
                let beyond = (address - it.base).saturating_sub(it.data.len() as u64);
                let far = match beyond {
                    0 => "directly".to_owned(),
                    1 => "1 byte".to_owned(),
                    _ => format!("{beyond} bytes"),
                };
                format!(
                    "{far} after the end of `{}`, which has {} bytes",
                    it.name,
                    it.data.len()
                )
            }
            (_, Some(it)) if it.base - address <= RED_ZONE => {
                format!(
                    "{} bytes before the start of `{}`",
                    it.base - address,
                    it.name
                )
            }
            _ => "in no array or variable".to_owned(),
        }
    }
}

/// Local memory of a thread, in pages that exist once they are written.
#[derive(Clone, Debug, Default)]
pub(super) struct Local {
    pages: FxHashMap<u64, Box<Bytes>>,
    /// Where the variables of functions that have returned ended at most.
    used: u64,
}

/// Bytes of a page of local memory.
const PAGE: u64 = 256;
/// Bytes of local memory that a thread may use.
pub(super) const LOCAL_SIZE: u64 = 512 << 10;

impl Local {
    /// Up to 8 bytes as a number, and its undefined bits. They lie in one page, as they are aligned.
    pub(super) fn read(&self, address: u64, count: usize) -> (u64, u64) {
        match self.pages.get(&(address / PAGE)) {
            Some(page) => page.read((address % PAGE) as usize, count),
            None => (0, u64::MAX >> (64 - 8 * count as u32)),
        }
    }

    /// Writes up to 8 bytes, of whose bits some are undefined.
    pub(super) fn write(&mut self, address: u64, count: usize, value: u64, undefined: u64) {
        let page = self.pages.entry(address / PAGE);
        let page = page.or_insert_with(|| Box::new(Bytes::undefined(PAGE as usize)));
        page.write((address % PAGE) as usize, count, value, undefined);
    }

    /// Whether a function that has returned had a variable at an offset where there is none now.
    pub(super) fn was_used(&self, offset: u64) -> bool {
        let is_stack = offset >= LOCAL_SIZE / 2;
        offset < self.used || (is_stack && self.pages.contains_key(&(offset / PAGE)))
    }

    /// Makes bytes undefined again, where a function has returned.
    pub(super) fn clear(&mut self, from: u64, to: u64) {
        self.used = self.used.max(to);
        for address in (from..to).step_by(8) {
            if let Some(page) = self.pages.get_mut(&(address / PAGE)) {
                page.mark(
                    (address % PAGE) as usize,
                    8.min((to - address) as usize),
                    true,
                );
            }
        }
    }
}
