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
            let found: Vec<_> = found.into_iter().map(show).collect();
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
            assert_eq!(found, one_by_one, "seed {seed}, time {time}");
            conflicts += found.len();
        }
    }
    assert!(conflicts > 1000, "{conflicts} conflicts");
}
