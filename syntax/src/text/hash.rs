//! Hashes that are the same on every machine.

use std::hash::Hasher;

/// The golden ratio as a fraction of 2^64, odd.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// A fast hasher of short texts, with the same 64 bits whatever the width of an address. The hash of `rustc_hash` has
/// others on machines of 32 bits, where what depends on a hash would then be cut or told differently.
#[derive(Clone, Copy, Debug)]
pub struct StableHasher(u64);

impl Default for StableHasher {
    fn default() -> Self {
        // From 0, zeros at the front would not count.
        StableHasher(FACTOR)
    }
}

impl StableHasher {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.add(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.add(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }

    fn finish(&self) -> u64 {
        // The low bits of a product depend on low bits alone.
        self.0 ^ (self.0 >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_are_fixed() {
        let hash = |text: &str| {
            let mut hasher = StableHasher::default();
            hasher.write(text.as_bytes());
            hasher.write_usize(text.len());
            hasher.finish()
        };
        assert_eq!(hash(""), 0xA6A3_AD1E_9D31_C1B1);
        assert_eq!(hash("ret;"), 0x6D4F_5AAD_CCF3_05D9);
        assert_eq!(hash("add.u32 %r1, %r2, %r3;"), 0xD61C_93D8_61EF_6C7B);
    }
}
