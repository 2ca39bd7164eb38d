//! How long the turns of the state thread take.

use std::{collections::VecDeque, time::Duration};

use session::lsp::ext::TurnTimes;
use tracing::warn;

/// A longer turn delays every keystroke noticeably.
const SLOW: Duration = Duration::from_millis(50);
const KEPT: usize = 256;

/// The latest turns.
#[derive(Debug, Default)]
pub(super) struct Turns(VecDeque<(&'static str, Duration)>);

impl Turns {
    pub(super) fn record(&mut self, name: &'static str, duration: Duration) {
        if duration > SLOW {
            warn!(
                turn = name,
                ?duration,
                "a turn of the state thread took long"
            );
        }
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back((name, duration));
    }

    pub(super) fn summary(&self) -> TurnTimes {
        let mut sorted: Vec<_> = self.0.iter().collect();
        sorted.sort_by_key(|(_, duration)| *duration);
        let at = |percent: usize| {
            let index = (sorted.len().saturating_sub(1) * percent).div_ceil(100);
            sorted
                .get(index)
                .map_or(0.0, |(_, duration)| duration.as_secs_f64() * 1e3)
        };
        TurnTimes {
            count: sorted.len(),
            p50: at(50),
            p95: at(95),
            max: at(100),
            longest: sorted
                .last()
                .map(|(name, _)| (*name).to_owned())
                .unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_turns_are_summed_up() {
        let mut turns = Turns::default();
        assert_eq!(turns.summary().count, 0);
        turns.record("forgotten", Duration::from_secs(9));
        for millis in 1..=256 {
            turns.record("turn", Duration::from_millis(millis));
        }
        let summary = turns.summary();
        assert_eq!(summary.count, 256);
        assert_eq!(
            (summary.p50, summary.p95, summary.max),
            (129.0, 244.0, 256.0)
        );
        assert_eq!(summary.longest, "turn");
    }
}
