//! Matrices in shared memory: where their elements are by a descriptor, PTX ISA 9.7.16.5.1.2 and 9.7.17.3.
//!
//! Everything is counted in chunks of 16 bytes. A chunk of a K-major matrix has neighbours along K, one of an MN-major
//! matrix neighbours along M or N.

use super::descriptor::{Format, Meaning};

/// A matrix in shared memory, as its descriptor states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedMatrix {
    /// The address of its first chunk.
    pub start: u32,
    /// The leading dimension offset in bytes, or an address.
    pub leading: u32,
    /// The stride dimension offset in bytes.
    pub stride: u32,
    /// The line of the pattern in which the address 0 is.
    pub base: u32,
    /// The permutation of the chunks.
    pub pattern: Pattern,
    /// Whether the leading dimension offset is the address of the chunks from the 128th byte of a row on.
    pub absolute: bool,
}

/// A permutation of the chunks of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The chunks that are permuted among each other: 1, 2, 4 or 8.
    pub chunks: u32,
    /// The chunks that stay together: 1 or 2.
    pub unit: u32,
}

impl Pattern {
    /// The pattern of a choice of descriptors.
    fn from_words(words: &str) -> Option<Pattern> {
        let (chunks, unit) = match words {
            "none" => (1, 1),
            "32 bytes" => (2, 1),
            "64 bytes" => (4, 1),
            "128 bytes" => (8, 1),
            "128 bytes in units of 32" => (8, 2),
            _ => return None,
        };
        Some(Pattern { chunks, unit })
    }
}

/// Bytes of a chunk, and rows of a group, which is what a pattern permutes.
const CHUNK: u32 = 16;
const GROUP: u32 = 8;
/// Chunks along K that a product reads of a matrix at most.
const CHUNKS_OF_PRODUCT: u32 = 2;

/// Descriptors of K-major matrices at the address 0 whose groups of 8 rows follow each other: the choice of the swizzle in
/// words, and the bits. Without a swizzle a group has 8 rows of one chunk and then 8 rows of the next one; with a swizzle
/// the rows are as long as its pattern, and the leading dimension offset is not used.
#[must_use]
pub fn contiguous(format: &Format) -> Vec<(&'static str, u64)> {
    let swizzle = format.fields.iter().find(|it| it.name == "swizzle");
    let Some(Meaning::Choice(choices)) = swizzle.map(|it| it.meaning) else {
        return Vec::new();
    };
    let encoded = |value: u64, words: &str| {
        let pattern = Pattern::from_words(words).filter(|it| it.unit == 1)?;
        let (leading, chunks) = match pattern.chunks {
            1 => (GROUP * CHUNK, CHUNKS_OF_PRODUCT),
            wide => (CHUNK, wide),
        };
        let stride = GROUP * CHUNK * chunks;
        format.encode(&[
            ("leading dimension offset", u64::from(leading / CHUNK)),
            ("stride dimension offset", u64::from(stride / CHUNK)),
            ("swizzle", value),
        ])
    };
    let all = choices.iter();
    all.filter_map(|(value, words)| Some((*words, encoded(*value, words)?)))
        .collect()
}

/// The address space of descriptors: 18 bits.
const ADDRESSES: u32 = 1 << 18;

impl SharedMatrix {
    /// Reads a descriptor in its format; `None` where its swizzle means nothing.
    #[must_use]
    pub fn decode(format: &Format, bits: u64) -> Option<SharedMatrix> {
        let fields = format.decode(bits);
        let value = |name: &str| {
            let found = fields.iter().find(|it| it.field.name == name);
            found.map_or(0, |it| it.value as u32)
        };
        let swizzle = fields.iter().find(|it| it.field.name == "swizzle")?;
        Some(SharedMatrix {
            start: value("start address") << 4,
            leading: value("leading dimension offset") << 4,
            stride: value("stride dimension offset") << 4,
            base: value("base offset"),
            pattern: Pattern::from_words(&swizzle.text)?,
            absolute: value("leading dimension") == 1,
        })
    }

    /// The address of a chunk of a K-major matrix: its row, and its number along K.
    #[must_use]
    pub fn along_depth(&self, row: u32, chunk: u32) -> u32 {
        let rows = (row / 8).wrapping_mul(self.stride);
        let offset = match self.pattern.chunks {
            1 => (row % 8) * 16 + chunk.wrapping_mul(self.leading),
            wide => (row % 8) * wide * 16 + chunk * 16,
        };
        // What is beyond a line of 128 bytes may begin elsewhere.
        if self.absolute && self.start % 128 + chunk * 16 >= 128 {
            let beyond = self.start % 128 + chunk * 16 - 128;
            let offset = (row % 8) * 128 + beyond;
            return self.permuted(self.leading.wrapping_add(rows).wrapping_add(offset));
        }
        self.permuted(self.start.wrapping_add(rows).wrapping_add(offset))
    }

    /// The address of a chunk of an MN-major matrix: its number along M or N, and its row along K.
    #[must_use]
    pub fn across_depth(&self, chunk: u32, row: u32) -> u32 {
        let offset = match self.pattern.chunks {
            1 => {
                let inside = chunk.wrapping_mul(self.stride).wrapping_add((row % 8) * 16);
                inside.wrapping_add((row / 8).wrapping_mul(self.leading))
            }
            wide => {
                // Patterns in units of 32 bytes have half as many lines.
                let lines = 8 / self.pattern.unit;
                let inside = chunk % wide * 16 + row % lines * wide * 16;
                let along = (chunk / wide).wrapping_mul(self.leading);
                let down = (row / lines).wrapping_mul(self.stride);
                inside.wrapping_add(along).wrapping_add(down)
            }
        };
        self.permuted(self.start.wrapping_add(offset))
    }

    /// Where the chunk is that would be at an address without the pattern.
    fn permuted(&self, address: u32) -> u32 {
        let lines = (address >> 7).wrapping_sub(self.base);
        let unit = self.pattern.unit;
        let mask = self.pattern.chunks / unit - 1;
        let moved = (lines & mask) * unit * 16;
        (address ^ moved) % ADDRESSES
    }
}

#[cfg(test)]
mod tests {
    use super::{super::descriptor::format, *};
    use crate::target::Target;

    fn matrix(leading: u64, stride: u64, swizzle: u64) -> SharedMatrix {
        let target = Target::parse("sm_90a").expect("a target");
        let format = format("wgmma.mma_async", "a", &[], target).expect("a format");
        let values = [
            ("start address", 0x400 >> 4),
            ("leading dimension offset", leading >> 4),
            ("stride dimension offset", stride >> 4),
            ("swizzle", swizzle),
        ];
        let bits = format.encode(&values).expect("fields");
        SharedMatrix::decode(&format, bits).expect("a swizzle")
    }

    /// The canonical layout `((8,2),(4,4)):((4,32),(1,64))` of tf32 without swizzling: a word every 4 bytes.
    #[test]
    fn k_major_without_swizzling() {
        let matrix = matrix(64 * 4, 32 * 4, 0);
        for row in 0..16 {
            for chunk in 0..4 {
                let element = row % 8 * 4 + row / 8 * 32 + chunk * 64;
                assert_eq!(matrix.along_depth(row, chunk), 0x400 + element * 4);
            }
        }
    }

    /// `((8,2),(4,4)):((8,64),(1,4))` of tf32 with 32 bytes: chunk 0 and 1 of a row change places every four lines.
    #[test]
    fn k_major_with_32_bytes() {
        let matrix = matrix(0, 64 * 4, 3);
        for row in 0..16 {
            for chunk in 0..2 {
                let plain = (row % 8 * 8 + row / 8 * 64) * 4;
                let swapped = chunk ^ (row / 4 % 2);
                assert_eq!(matrix.along_depth(row, chunk), 0x400 + plain + swapped * 16);
            }
        }
    }

    /// `((8,1,2),(8,2)):((1,8,64),(8,128))` of bf16 without swizzling.
    #[test]
    fn mn_major_without_swizzling() {
        let matrix = matrix(128 * 2, 64 * 2, 0);
        for chunk in 0..2 {
            for row in 0..16 {
                let element = chunk * 64 + row % 8 * 8 + row / 8 * 128;
                assert_eq!(matrix.across_depth(chunk, row), 0x400 + element * 2);
            }
        }
    }

    /// `((8,4,2),(8,2)):((1,8,256),(32,512))` of bf16 with 64 bytes.
    #[test]
    fn mn_major_with_64_bytes() {
        let matrix = matrix(256 * 2, 512 * 2, 2);
        for chunk in 0..8 {
            for row in 0..16 {
                let plain = chunk % 4 * 8 + chunk / 4 * 256 + row % 8 * 32 + row / 8 * 512;
                let line = plain * 2 / 128;
                let expected = (plain * 2) ^ (line % 4 * 16);
                assert_eq!(matrix.across_depth(chunk, row), 0x400 + expected);
            }
        }
    }
}
