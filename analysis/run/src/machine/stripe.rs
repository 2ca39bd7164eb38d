//! Accesses of a warp whose lanes are at equal distances: the usual kind, which the shadow keeps line by line.

use super::{findings::lanes_of, warp::Lanes};

/// Bytes of a word: those of most elements, so that most accesses have a word for themselves.
pub(super) const WORD: u64 = 4;
/// Words of a line.
pub(super) const LINE: u64 = 32;

/// The most words between lanes, so that a line has some lanes.
const MOST_PITCH: u64 = 16;

/// Accesses of whole words by lanes at equal distances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stripe {
    /// The first word of lane 0, or what it would be if lane 0 took part.
    origin: u64,
    /// Words from a lane to the next.
    pitch: u64,
    /// Words of a lane.
    width: u64,
    lanes: u32,
}

/// The words of a stripe in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StripePart {
    /// The words, as a mask.
    pub(super) words: u32,
    /// Their lanes, as a mask.
    pub(super) lanes: u32,
    /// Words from a lane to the next.
    pitch: u8,
}

impl Stripe {
    /// The stripe of accesses of `bytes` bytes by `lanes`, each at its address in `keys`; `None` if the distances differ,
    /// or the accesses are not of whole words.
    pub(super) fn new(keys: &Lanes, bytes: u64, lanes: u32) -> Option<Stripe> {
        let first = lanes.trailing_zeros() as usize;
        let last = lanes.checked_ilog2()? as usize;
        if first == last || !(bytes.is_power_of_two() && bytes.is_multiple_of(WORD)) {
            return None;
        }
        let next = (lanes & (lanes - 1)).trailing_zeros() as usize;
        let distance = keys[next].checked_sub(keys[first])?;
        let between = (next - first) as u64;
        let step = distance / between;
        let reach = bytes..=MOST_PITCH * WORD;
        let aligned = (step | keys[first]).is_multiple_of(bytes);
        if !reach.contains(&step) || step * between != distance || !aligned {
            return None;
        }
        let origin = keys[first].checked_sub(step * first as u64)?;
        let is_right = |lane: u8| keys[usize::from(lane)] == origin + step * u64::from(lane);
        lanes_of(lanes).all(is_right).then_some(Stripe {
            origin: origin / WORD,
            pitch: step / WORD,
            width: bytes / WORD,
            lanes,
        })
    }

    /// The stripe of accesses of `bytes` bytes by all lanes, of which that of lane 0 is at `key` and the others are `step`
    /// bytes after each other; `None` where [`Stripe::new`] gives none.
    pub(super) fn even((key, step): (u64, u64), bytes: u64) -> Option<Stripe> {
        let is_whole = bytes.is_power_of_two() && bytes.is_multiple_of(WORD);
        let reach = bytes..=MOST_PITCH * WORD;
        let is_right = is_whole && reach.contains(&step) && (step | key).is_multiple_of(bytes);
        is_right.then_some(Stripe {
            origin: key / WORD,
            pitch: step / WORD,
            width: bytes / WORD,
            lanes: u32::MAX,
        })
    }

    /// The lines that it touches, each with the words of the stripe in that line.
    pub(super) fn rows(self) -> impl Iterator<Item = (u64, StripePart)> {
        let mut left = self.lanes;
        std::iter::from_fn(move || {
            let first = left.trailing_zeros();
            if left == 0 {
                return None;
            }
            let start = self.origin + u64::from(first) * self.pitch;
            let line = start / LINE;
            // An access is aligned to its size, so that all of its words are in a line.
            let there = (LINE - start % LINE).div_ceil(self.pitch);
            let lanes = left & (u32::MAX >> (32 - there.min(32))).wrapping_shl(first);
            let lanes = match u64::from(first) + there {
                ..32 => lanes,
                _ => left,
            };
            left &= !lanes;
            let adjacent = lanes >> first;
            let dense = self.pitch == self.width && adjacent & adjacent.wrapping_add(1) == 0;
            let words = match dense {
                true => {
                    let count = u64::from(lanes.count_ones()) * self.width;
                    (u32::MAX >> (LINE - count)) << (start % LINE)
                }
                false => lanes_of(lanes).fold(0, |all, lane| {
                    let word = self.origin + u64::from(lane) * self.pitch;
                    all | ((1 << self.width) - 1) << (word % LINE)
                }),
            };
            let pitch = self.pitch as u8;
            let row = StripePart {
                words,
                lanes,
                pitch,
            };
            Some((line, row))
        })
    }
}

impl StripePart {
    /// Each word, by its index in the line, with its lane.
    pub(super) fn each(self) -> impl Iterator<Item = (u8, u8)> {
        let first = self.words.trailing_zeros() as u8;
        let lane = self.lanes.trailing_zeros() as u8;
        lanes_of(self.words).map(move |it| (it, lane + (it - first) / self.pitch))
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn rows(start: u64, step: u64, bytes: u64, lanes: u32) -> String {
        let keys: Lanes = std::array::from_fn(|it| start + step * it as u64);
        let Some(stripe) = Stripe::new(&keys, bytes, lanes) else {
            return "none\n".to_owned();
        };
        let show = |(line, row): (u64, StripePart)| {
            let all = row.each().collect::<Vec<_>>();
            format!(
                "{line}: {:08x} {:?}..{:?}\n",
                row.words,
                all[0],
                all[all.len() - 1]
            )
        };
        stripe.rows().map(show).collect()
    }

    #[test]
    fn stripes_have_rows() {
        let cases = [
            (1024, 4, 4, u32::MAX),
            (1032, 4, 4, u32::MAX),
            (1024, 8, 8, u32::MAX),
            (1028, 16, 4, 0x0F0F),
            (1024, 132, 4, u32::MAX),
            (1026, 4, 4, u32::MAX),
            (1024, 0, 4, u32::MAX),
            (1024, 2, 2, u32::MAX),
        ];
        let all: String = cases
            .map(|(start, step, bytes, lanes)| {
                if lanes == u32::MAX {
                    let keys: Lanes = std::array::from_fn(|it| start + step * it as u64);
                    let rows = |it: Option<Stripe>| it.map(|it| it.rows().collect::<Vec<_>>());
                    let even = Stripe::even((start, step), bytes);
                    assert_eq!(rows(even), rows(Stripe::new(&keys, bytes, lanes)));
                }
                format!(
                    "{start} {step} {lanes:x}\n{}",
                    rows(start, step, bytes, lanes)
                )
            })
            .concat();
        expect![[r#"
            1024 4 ffffffff
            8: ffffffff (0, 0)..(31, 31)
            1032 4 ffffffff
            8: fffffffc (2, 0)..(31, 29)
            9: 00000003 (0, 30)..(1, 31)
            1024 8 ffffffff
            8: ffffffff (0, 0)..(31, 15)
            9: ffffffff (0, 16)..(31, 31)
            1028 16 f0f
            8: 00002222 (1, 0)..(13, 3)
            9: 00002222 (1, 8)..(13, 11)
            1024 132 ffffffff
            none
            1026 4 ffffffff
            none
            1024 0 ffffffff
            none
            1024 2 ffffffff
            none
        "#]]
        .assert_eq(&all);
    }
}
