use rustc_hash::FxHashSet;
use syntax::{TextRange, TextSize};

use super::*;
use crate::machine::warp::Lanes;

/// A generator of numbers below a bound: a linear congruence.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % bound
    }
}

/// Accesses by rows of lanes and the same lane by lane find the same races.
#[test]
fn rows_find_what_single_accesses_find() {
    let mut conflicts = 0;
    for seed in 0..300 {
        let mut draw = Draw(seed);
        let mut rows = Races::new();
        let mut single = Races::new();
        let warps: Vec<usize> = [0, 0, 1].map(|block| rows.new_warp(block)).into();
        for block in [0, 0, 1] {
            single.new_warp(block);
        }
        let mut memory = FxHashMap::default();
        // Where writes have raced, memory need not have the value of each of them.
        let mut raced = FxHashSet::default();
        for time in 1..40 {
            let warp = warps[draw.below(3) as usize];
            if draw.below(4) == 0 {
                let other = warps[draw.below(3) as usize];
                for races in [&mut rows, &mut single] {
                    races.meet(warp, u32::MAX, time);
                    let clock = races.release(warp);
                    races.acquire(other, u32::MAX, &clock);
                }
                continue;
            }
            let bytes = [4, 4, 8][draw.below(3) as usize];
            let step = bytes * [1, 1, 1, 2, 4][draw.below(5) as usize];
            let start = SHARED * WORD + [0, 0, 64, 128, 4 * bytes][draw.below(5) as usize];
            let mut keys: Lanes = std::array::from_fn(|lane| start + step * lane as u64);
            if draw.below(6) == 0 {
                keys.reverse();
            }
            let lanes = [u32::MAX, u32::MAX, 0xFFFF, 0xF0F0_F0F0][draw.below(4) as usize];
            let same = draw.below(2) == 0;
            let values: Lanes = std::array::from_fn(|lane| if same { 7 } else { lane as u64 });
            let writes = draw.below(2) == 0;
            let range = TextRange::empty(TextSize::new(draw.below(3) as u32));
            let thread = rows.thread(warp, time);
            let kind = Kind {
                read_only: !writes && draw.below(5) == 0,
                ..Kind::default()
            };
            let written = writes.then_some(&values);
            let origin = AccessOrigin {
                thread,
                kind,
                range,
            };
            let found = if lanes == u32::MAX && keys[0] == start {
                rows.access_neighbours((start, step), bytes, written, origin)
            } else {
                rows.access_lanes(&keys, bytes, lanes, written, origin)
            };
            let show = |(lane, it): (u8, Conflict)| (lane, it.message, it.other);
            // Memory has the values of rows.
            let words = |lane: u8| {
                let key = keys[usize::from(lane)];
                let value = values[usize::from(lane)];
                let part = move |it| (key / WORD + it, part(value, bytes, it));
                (0..bytes / WORD).map(part)
            };
            let counts = |(lane, it): (u8, Conflict)| {
                let is_same = |index: u64| {
                    let word = words(lane).nth(index as usize);
                    word.is_some_and(|it| memory.get(&it.0) == Some(&it.1))
                };
                it.counting(is_same).map(|it| (lane, it))
            };
            let found: Vec<_> = found.into_iter().filter_map(counts).map(show).collect();
            if writes {
                memory.extend(lanes_of(lanes).flat_map(words));
            }
            let one_by_one = lanes_of(lanes).filter_map(|lane| {
                let at = usize::from(lane);
                let kind = Kind {
                    value: if writes { values[at] } else { 0 },
                    ..kind
                };
                let origin = AccessOrigin { kind, ..origin };
                let found = single.access((keys[at], bytes), lane, writes, origin);
                found.map(|it| show((lane, it)))
            });
            let one_by_one: Vec<_> = one_by_one.collect();
            let is_clear =
                |it: &&(u8, String, TextRange)| words(it.0).all(|word| !raced.contains(&word.0));
            let clear = one_by_one.iter().filter(is_clear);
            let clear: Vec<_> = clear.collect();
            let found: Vec<_> = found.iter().filter(is_clear).collect();
            assert_eq!(found, clear, "seed {seed}, time {time}");
            conflicts += found.len();
            let lanes = one_by_one.iter().map(|it| it.0);
            let new: Vec<u64> = lanes.flat_map(words).map(|it| it.0).collect();
            raced.extend(new);
        }
    }
    assert!(conflicts > 1000, "{conflicts} conflicts");
}

/// Bytes of the shadow for each byte of a kind of memory, after each word of it has been accessed.
fn shadow_of(
    bytes: u64,
    mut accesses: impl FnMut(&mut Races, &mut dyn FnMut(&mut Races, usize, u32, Lanes, bool)),
) -> f64 {
    let mut races = Races::new();
    let range = TextRange::empty(TextSize::new(0));
    let mut access = |races: &mut Races, warp: usize, time: u32, keys: Lanes, writes: bool| {
        let origin = AccessOrigin {
            thread: races.thread(warp, time),
            kind: Kind::default(),
            range,
        };
        let values = [0; 32];
        let written = writes.then_some(&values);
        let found = races.access_lanes(&keys, 4, u32::MAX, written, origin);
        assert!(found.is_empty());
    };
    accesses(&mut races, &mut access);
    races.shadow.bytes() as f64 / bytes as f64
}

/// Global memory of which each word is read or written by one lane, as most kernels access it, takes at most 1.25 bytes
/// for each byte; shared memory that one warp writes and three read, in rows, at most 8.
#[test]
fn shadows_are_small() {
    const BYTES: u64 = 1 << 18;
    let row = |start: u64| -> Lanes { std::array::from_fn(|lane| start + 4 * lane as u64) };
    for writes in [false, true] {
        let global = shadow_of(BYTES, |races, access| {
            for line in 0..BYTES / 128 {
                let warp = races.new_warp(line / 8);
                access(races, warp, 1, row(line * 128), writes);
            }
        });
        assert!(global <= 1.25, "{global} bytes for a byte of global memory");
    }
    let shared = shadow_of(BYTES, |races, access| {
        let warps: Vec<usize> = (0..4).map(|_| races.new_warp(0)).collect();
        for line in 0..BYTES / 128 {
            let start = SHARED * WORD + line * 128;
            access(races, warps[0], 2 * line as u32 + 1, row(start), true);
            let clock = races.release(warps[0]);
            for warp in &warps[1..] {
                races.acquire(*warp, u32::MAX, &clock);
                access(races, *warp, 2 * line as u32 + 2, row(start), false);
            }
        }
    });
    assert!(shared <= 8.0, "{shared} bytes for a byte of shared memory");
}
