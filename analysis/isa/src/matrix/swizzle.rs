//! Swizzling: how tensor copies permute chunks of 16 bytes in lines of 128 bytes of shared memory.

/// Chunks in a line.
pub const CHUNKS: u32 = 8;
/// Lines after which every pattern has begun anew.
pub const LINES: u32 = 8;

/// A mode of swizzling (9.7.9.26.5.1 and the figures of 5.5.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swizzle {
    /// Its name.
    pub name: &'static str,
    /// The bits of an address that change; `address ^ ((address >> 3) & mask)`.
    pub mask: u32,
}

/// The modes whose pieces are chunks of 16 bytes.
pub const MODES: [Swizzle; 4] = [
    Swizzle {
        name: "none",
        mask: 0,
    },
    Swizzle {
        name: "32 bytes",
        mask: 0x10,
    },
    Swizzle {
        name: "64 bytes",
        mask: 0x30,
    },
    Swizzle {
        name: "128 bytes",
        mask: 0x70,
    },
];

impl Swizzle {
    /// The shared-memory address at which a byte is that would be at `address` without swizzling.
    #[must_use]
    pub fn address(self, address: u32) -> u32 {
        address ^ ((address >> 3) & self.mask)
    }

    /// The chunk of the source that is at a place of a line. Swizzling is its own inverse.
    #[must_use]
    pub fn chunk(self, line: u32, place: u32) -> u32 {
        self.address((line * CHUNKS + place) * 16) / 16 % CHUNKS
    }

    /// Lines after which the pattern begins anew.
    #[must_use]
    pub fn period(self) -> u32 {
        (self.mask >> 4) + 1
    }
}

#[cfg(test)]
mod tests {
    use crate::documentation::{Topic, entry};

    use super::*;

    /// The table of the concept is what the formula says.
    #[test]
    fn the_page_agrees() {
        let page = entry(Topic::Concepts, "swizzle").expect("a page").text;
        for line in 0..LINES {
            let cells = MODES.map(|mode| {
                let places = (0..CHUNKS).map(|it| mode.chunk(line, it).to_string());
                let text = places.collect::<Vec<_>>().join(" ");
                // Lines beyond the page's rows repeat the ones above.
                (line < mode.period().max(2), text)
            });
            let mut shown = String::new();
            for (is_shown, text) in cells {
                shown += &format!("{:18}", if is_shown { &*text } else { "" });
            }
            assert!(page.contains(shown.trim_end()), "line {line}: {shown}");
        }
        for mode in &MODES[1..] {
            let formula = format!("address ^ ((address >> 3) & {:#x})", mode.mask);
            assert!(page.contains(&formula), "{formula}");
        }
    }

    #[test]
    fn swizzling_is_its_own_inverse() {
        for mode in MODES {
            for address in 0..4096 {
                assert_eq!(mode.address(mode.address(address)), address);
            }
        }
    }
}
