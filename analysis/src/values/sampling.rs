//! Samples: numbers for what is unknown, warps of a block, and turns of loops.

use std::{
    hash::{Hash, Hasher},
    rc::Rc,
};

use isa::{compute::LANES, limits::THREADS_PER_CTA};

/// The number of threads along x, y and z of the blocks of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockShape {
    /// The shape, if it is known; else any multiple of a warp along x.
    pub(crate) threads: Option<[u32; 3]>,
    /// The threads of a block at most.
    pub(crate) most: u32,
}

/// The warp of a sample.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warp {
    /// The index of the thread of each lane along x, y and z.
    pub(crate) threads: [[u64; LANES]; 3],
    /// The threads of the block along x, y and z.
    pub(crate) shape: [u64; 3],
    /// The lanes that have threads, as a mask.
    pub(crate) lanes: u32,
}

impl BlockShape {
    /// The warps of a block; 0 if the shape is not known.
    pub(crate) fn warps(&self) -> u32 {
        let threads = self.threads.map_or(0, |it| it.iter().product::<u32>());
        threads.div_ceil(LANES as u32).min(LANES as u32)
    }

    /// The warp of a sample: all warps of a block have their turn.
    pub(crate) fn warp(&self, sample: u32, random: &Random) -> Warp {
        let lanes = LANES as u64;
        let most = u64::from(self.most.clamp(1, THREADS_PER_CTA));
        let shape = match self.threads {
            Some(it) => it.map(|it| u64::from(it.max(1))),
            None => {
                let warps = (most / lanes).max(1);
                let x = 1 + random.number(0xb10c) % warps;
                let y = 1 + random.number(0xb10d) % (warps / x).clamp(1, 4);
                [x * lanes, y, 1]
            }
        };
        let total = shape.iter().product::<u64>();
        let warps = total.div_ceil(lanes);
        let warp = match (self.threads, sample % 4) {
            (Some(_), _) => u64::from(sample) % warps,
            (None, 0) => 0,
            (None, _) => random.number(0xb10e) % warps,
        };
        let at = |lane: usize| warp * lanes + lane as u64;
        let [x, y, _] = shape;
        let mut mask = 0;
        for lane in 0..LANES {
            mask |= u32::from(at(lane) < total) << lane;
        }
        Warp {
            threads: [
                std::array::from_fn(|it| at(it) % x),
                std::array::from_fn(|it| at(it) / x % y),
                std::array::from_fn(|it| at(it) / x / y),
            ],
            shape,
            lanes: mask,
        }
    }
}

/// How numbers of something are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// The start of an array that a launch passes: a multiple of 256.
    Pointer,
    /// The address of a variable with this alignment, in a window that starts there.
    Address(u64, u64),
    /// An index of a block.
    Index,
    /// A number of blocks.
    Count,
    /// An integer parameter with this many bits; addresses of arrays are [`Style::Pointer`].
    Parameter(u32),
    /// Data of so many bits.
    Data(u32),
}

/// The alignment of arrays that a launch passes, in bytes.
pub(crate) const POINTER_ALIGNMENT: u64 = 256;
/// The alignment at which the shared memory of a block begins, in bytes.
pub(crate) const SHARED_ALIGNMENT: u64 = 1024;

/// The numbers of a sample.
#[derive(Clone, Debug, Default)]
pub(crate) struct Random {
    sample: u32,
    rows: RowLengths,
}

/// The numbers that integer parameters may be: most are lengths of rows and distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RowLengths {
    #[default]
    Any,
    /// Positive multiples of the first number; the second number is the smallest factor.
    Multiples(u64, u64),
}

/// Numbers for which figures are often others than for all larger ones: a row of one element, an array of none, a
/// distance that keeps accesses in one sector.
const SMALL: [u64; 8] = [0, 1, 2, 3, 4, 8, 16, 32];

impl Random {
    pub(crate) fn new(sample: u32, rows: RowLengths) -> Random {
        Random { sample, rows }
    }

    /// A number for a key (splitmix64).
    pub(crate) fn number(&self, key: u64) -> u64 {
        let seed = u64::from(self.sample).wrapping_mul(0xA076_1D64_78BD_642F);
        let mut state = (key ^ seed).wrapping_add(0x9E37_79B9_7F4A_7C15);
        state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        state ^ (state >> 31)
    }

    /// A number of so many bits for each lane.
    pub(crate) fn each(&self, key: u64, bits: u32) -> [u64; LANES] {
        std::array::from_fn(|lane| {
            let key = key.wrapping_mul(0x2545_F491_4F6C_DD1D);
            // Data may also be the same in all lanes, in groups of them, or all zeros.
            let lane = match self.sample % 8 {
                1 | 5 => 0,
                3 => lane / 8,
                _ => lane,
            };
            let number = match self.sample % 8 {
                6 => 0,
                _ => self.number(key.wrapping_add(lane as u64 + 1)),
            };
            if bits == 1 {
                number & 1
            } else {
                number % 65_521
            }
        })
    }

    /// A small number in some of the samples: each has its turn for every key.
    fn small(&self, key: u64) -> Option<u64> {
        let first = Random::default().number(key) as usize;
        let turn = first % SMALL.len() + (self.sample / 4) as usize;
        (self.sample % 4 == 2).then(|| SMALL[turn % SMALL.len()])
    }

    pub(crate) fn styled(&self, key: u64, style: Style) -> u64 {
        let number = self.number(key);
        match style {
            Style::Parameter(bits) => {
                let number = self.styled(key, Style::Data(bits));
                match self.rows {
                    RowLengths::Multiples(unit, least) if bits >= 32 && number < least => {
                        unit * (number + least)
                    }
                    RowLengths::Multiples(unit, _) if bits >= 32 => unit * number,
                    _ => number,
                }
            }
            Style::Pointer => 0x7f00_0000_0000 + POINTER_ALIGNMENT * (number % (1 << 22)),
            Style::Address(alignment, start) => start + alignment.max(1) * (number % 128),
            // Guards hold in the first blocks, and of large arrays.
            Style::Index if self.sample % 2 == 1 => number % 3,
            Style::Index => number % 4093,
            Style::Count => self.small(key).unwrap_or(number % 4093).max(1),
            Style::Data(1) => number & 1,
            Style::Data(_) if self.sample % 4 == 3 => 1 + number % 1_000_003,
            Style::Data(_) => self.small(key).unwrap_or(1 + number % 5003),
        }
    }

    /// The turn of a loop, counted from 0. All turns before it are computed, so the first two samples, which decide
    /// of most accesses that there is nothing to report, are in the first two turns.
    pub(crate) fn turn(&self, index: u32, outside: &LoopTurns) -> u32 {
        const TURNS: [u32; 8] = [0, 1, 2, 3, 4, 5, 7, 11];
        if let early @ 0..2 = self.sample {
            return early;
        }
        let key = u64::from(index) << 40 ^ outside.hash() ^ 0x1009;
        TURNS[self.number(key) as usize % TURNS.len()]
    }
}

/// The turns of the loops around a place, the outermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct LoopTurns(Rc<[(u32, u32)]>);

impl LoopTurns {
    /// The turn of a loop, if the place is in it.
    pub(crate) fn turn(&self, index: u32) -> Option<u32> {
        self.0.iter().find(|it| it.0 == index).map(|it| it.1)
    }

    /// The same with another turn of a loop, which is the innermost if it is new.
    pub(crate) fn with(&self, index: u32, turn: u32) -> LoopTurns {
        let others = self.0.iter().copied();
        LoopTurns(match self.turn(index) {
            Some(_) => others
                .map(|it| if it.0 == index { (index, turn) } else { it })
                .collect(),
            None => others.chain([(index, turn)]).collect(),
        })
    }

    /// The turns of these loops, the outermost first, if they are the outermost ones here.
    pub(crate) fn of_outermost(&self, loops: &[u32]) -> Option<LoopTurns> {
        let outermost = self.0.get(..loops.len())?;
        if !outermost.iter().map(|it| it.0).eq(loops.iter().copied()) {
            return None;
        }
        Some(match outermost.len() == self.0.len() {
            true => self.clone(),
            false => LoopTurns(outermost.into()),
        })
    }

    /// The place outside the innermost loop.
    pub(crate) fn outside(&self) -> LoopTurns {
        let count = self.0.len().saturating_sub(1);
        LoopTurns(self.0[..count].into())
    }

    pub(crate) fn hash(&self) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        self.0.as_ref().hash(&mut hasher);
        if self.0.is_empty() {
            0
        } else {
            hasher.finish()
        }
    }
}
