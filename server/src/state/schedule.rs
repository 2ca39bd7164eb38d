//! When the diagnostics of an open document are due.

use std::time::{Duration, Instant};

/// Bounds of the time without typing that the server waits for.
const MIN_DEBOUNCE: Duration = Duration::from_millis(50);
const MAX_DEBOUNCE: Duration = Duration::from_millis(200);
/// Typing without a pause shows diagnostics at least this often.
const MAX_DELAY: Duration = Duration::from_millis(600);

/// When the diagnostics of one open file are due.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    pub(super) due: Option<Instant>,
    /// When nothing is held back any more.
    pub(super) settles: Option<Instant>,
    /// When the first change came that is not yet diagnosed.
    pub(super) dirty: Option<Instant>,
    /// Number of the latest diagnosis; results of older ones are void.
    pub(super) latest: u64,
    /// How long the latest diagnosis took.
    pub(super) cost: Duration,
    /// The state that the client shows: the version of the text and a fingerprint.
    pub(super) published: Option<(i32, u64)>,
}

impl Schedule {
    /// Plans a diagnosis after `delay`; a change during the delay restarts it, up to a limit.
    pub(super) fn request(&mut self, now: Instant, delay: Duration) {
        let dirty = *self.dirty.get_or_insert(now);
        self.due = Some((now + delay).min(dirty + MAX_DELAY.max(delay)));
    }

    /// The time without typing after which diagnostics are searched.
    pub(super) fn debounce(&self, fixed: Option<Duration>) -> Duration {
        fixed.unwrap_or_else(|| self.cost.clamp(MIN_DEBOUNCE, MAX_DEBOUNCE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_delays_but_not_for_ever() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let delay = Duration::from_millis(100);
        let mut schedule = Schedule::default();
        schedule.request(start, delay);
        assert_eq!(schedule.due, Some(at(100)));
        schedule.request(at(90), delay);
        assert_eq!(schedule.due, Some(at(190)));
        schedule.request(at(590), delay);
        assert_eq!(schedule.due, Some(at(600)));
    }

    #[test]
    fn the_delay_follows_the_cost() {
        let debounce = |cost, fixed| {
            Schedule {
                cost: Duration::from_millis(cost),
                ..Schedule::default()
            }
            .debounce(fixed)
        };
        assert_eq!(debounce(1, None), Duration::from_millis(50));
        assert_eq!(debounce(120, None), Duration::from_millis(120));
        assert_eq!(debounce(5000, None), Duration::from_millis(200));
        let fixed = Some(Duration::from_millis(7));
        assert_eq!(debounce(5000, fixed), Duration::from_millis(7));
    }
}
