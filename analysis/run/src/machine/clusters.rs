//! The clusters of a grid that have not been launched, in the order of a schedule.

#[cfg(test)]
mod tests;

use isa::compute::canceled;

use crate::launch::{Launch, Schedule};

/// The number of requests among which one is refused under a random schedule.
const REFUSED: u64 = 8;

/// The clusters of a grid that remain.
#[derive(Clone, Debug, Default)]
pub(super) struct Clusters {
    /// How many have been launched or canceled.
    taken: u64,
    /// Clusters along each dimension.
    counts: [u64; 3],
    /// Blocks of one along each dimension.
    shape: [u32; 3],
    schedule: Schedule,
    /// Requests so far.
    requests: u64,
}

impl Clusters {
    pub(super) fn new(launch: &Launch) -> Clusters {
        let per = |it: usize| u64::from(launch.grid[it] / launch.cluster[it].max(1));
        Clusters {
            counts: [per(0), per(1), per(2)],
            shape: launch.cluster,
            schedule: launch.schedule,
            ..Clusters::default()
        }
    }

    /// Whether all have been launched or canceled.
    pub(super) fn is_empty(&self) -> bool {
        self.taken >= self.counts.iter().product()
    }

    /// The next one: its number, and the indices of its first block.
    pub(super) fn take(&mut self) -> Option<(u64, [u32; 3])> {
        if self.is_empty() {
            return None;
        }
        let number = match self.schedule {
            Schedule::Reverse => self.counts.iter().product::<u64>() - 1 - self.taken,
            _ => self.taken,
        };
        self.taken += 1;
        let [width, height, _] = self.counts;
        let place = [
            number % width,
            number / width % height,
            number / width / height,
        ];
        let first = std::array::from_fn(|it| place[it] as u32 * self.shape[it]);
        Some((number, first))
    }

    /// The response to a request to cancel one. A request may fail at any time; under a random schedule some do, so that
    /// several clusters share the work.
    pub(super) fn cancel(&mut self) -> u128 {
        self.requests += 1;
        let refused = match self.schedule {
            Schedule::Random(seed) => (seed ^ self.requests)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .rotate_left(7)
                .is_multiple_of(REFUSED),
            _ => false,
        };
        match refused {
            true => 0,
            false => self.take().map_or(0, |it| canceled(it.1)),
        }
    }
}
