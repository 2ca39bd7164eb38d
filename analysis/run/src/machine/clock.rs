//! Vector clocks: how much of what each source did is ordered before.
//!
//! A grid may have millions of warps, and each knows of few others; so a clock has entries for those only.

/// A vector clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clock {
    known: Sparse,
    /// The part of it that the asynchronous proxy sees.
    proxied: Sparse,
}

/// Numbers by source, ascending by source; 0 for the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sparse(Vec<(u32, u32)>);

impl Sparse {
    fn get(&self, source: usize) -> u32 {
        let found = self.0.binary_search_by_key(&(source as u32), |it| it.0);
        found.map_or(0, |it| self.0[it].1)
    }

    fn set(&mut self, source: usize, number: u32) {
        let source = source as u32;
        match self.0.binary_search_by_key(&source, |it| it.0) {
            Ok(at) => self.0[at].1 = number,
            Err(at) => self.0.insert(at, (source, number)),
        }
    }

    /// The larger number of both for each source.
    fn join(&mut self, other: &Sparse) {
        if other.0.iter().all(|it| self.get(it.0 as usize) >= it.1) {
            return;
        }
        let mut joined = Vec::with_capacity(self.0.len().max(other.0.len()));
        let (mut own, mut others) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            let next = match (own.peek(), others.peek()) {
                (Some(a), Some(b)) if a.0 == b.0 => {
                    let both = (a.0, a.1.max(b.1));
                    own.next();
                    others.next();
                    both
                }
                (Some(a), Some(b)) if a.0 > b.0 => {
                    let it = **b;
                    others.next();
                    it
                }
                (Some(a), _) => {
                    let it = **a;
                    own.next();
                    it
                }
                (None, Some(b)) => {
                    let it = **b;
                    others.next();
                    it
                }
                (None, None) => break,
            };
            joined.push(next);
        }
        self.0 = joined;
    }
}

impl Clock {
    /// How much of a source is ordered before.
    pub(super) fn get(&self, source: usize) -> u32 {
        self.known.get(source)
    }

    /// How much of a source the asynchronous proxy sees.
    pub(super) fn proxied(&self, source: usize) -> u32 {
        self.proxied.get(source)
    }

    /// Knows of a source up to a number at least.
    pub(super) fn raise(&mut self, source: usize, to: u32) {
        if self.get(source) < to {
            self.known.set(source, to);
        }
    }

    /// Takes over what another clock knows.
    pub(super) fn join(&mut self, other: &Clock) {
        self.known.join(&other.known);
        self.proxied.join(&other.proxied);
    }

    /// The asynchronous proxy sees all that is known, of a source up to a number only.
    pub(super) fn publish(&mut self, source: usize, up_to: u32) {
        self.proxied.join(&self.known);
        self.proxied.set(source, up_to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(numbers: &[(usize, u32)]) -> Clock {
        let mut clock = Clock::default();
        for (source, number) in numbers {
            clock.raise(*source, *number);
        }
        clock
    }

    #[test]
    fn joined_clocks_know_what_both_know() {
        let mut clock = clock(&[(7, 2), (1, 5), (3, 1)]);
        clock.join(&self::clock(&[(1, 4), (2, 9), (3, 2), (8, 1)]));
        let known = (0..10).map(|it| clock.get(it));
        assert_eq!(known.collect::<Vec<_>>(), [0, 5, 9, 2, 0, 0, 0, 2, 1, 0]);
    }

    #[test]
    fn the_proxy_sees_what_was_published() {
        let mut clock = clock(&[(0, 3), (1, 5)]);
        assert_eq!(clock.proxied(1), 0);
        clock.publish(0, 2);
        clock.raise(1, 6);
        let seen = (0..2).map(|it| clock.proxied(it));
        assert_eq!(seen.collect::<Vec<_>>(), [2, 5]);
    }
}
