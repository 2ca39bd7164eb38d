//! Vector clocks: how much of what each source did is ordered before.
//!
//! A grid may have millions of warps, and each knows of few others; so a clock has entries for those only. A source
//! whose lanes are not ordered among each other has a row of numbers, one for each lane.

use std::sync::Arc;

use super::warp::LANES;

/// A vector clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clock {
    pub(super) known: Layer,
    /// The part of it that the asynchronous proxy sees in shared memory,
    pub(super) proxied: Layer,
    /// and in global memory.
    pub(super) proxied_globally: Layer,
    /// The part of `known` before a fence with the scope of the block, which strong writes publish.
    pub(super) fenced: Layer,
    /// The part of `known` before a fence with a wider scope, which strong writes publish.
    pub(super) widely_fenced: Layer,
    /// The accesses that relaxed reads have seen, by this thread or before it: a later fence of any thread after them
    /// takes them over.
    pub(super) seen: Layer,
    /// The accesses that only operations on tensor memory are ordered after, by fences for those, PTX ISA 9.7.17.6.3.
    pub(super) tensor: Layer,
    /// The operations of tensor cores, also on their way, that a fence has ordered before what its thread does next.
    pub(super) pipelined: Layer,
}

/// An access as clocks know it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) source: u32,
    /// How far the source was.
    pub(super) number: u32,
    /// How far its lanes were.
    pub(super) time: u32,
    pub(super) lanes: u32,
}

/// For each lane of a source the first time that is not known.
type Row = [u32; LANES];

/// Numbers by source: all that a source did up to a number is known, and what its lanes did before the times of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layer {
    numbers: Sparse<u32>,
    rows: Sparse<Arc<Row>>,
}

/// Values by source, ascending by source; nothing for the others.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sparse<T>(Vec<(u32, T)>);

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Sparse(Vec::new())
    }
}

/// Values of which the larger one can be taken.
trait Number: Clone {
    fn is_at_least(&self, other: &Self) -> bool;
    fn raise(&mut self, other: &Self);
}

impl Number for u32 {
    fn is_at_least(&self, other: &u32) -> bool {
        self >= other
    }

    fn raise(&mut self, other: &u32) {
        *self = (*self).max(*other);
    }
}

impl Number for Arc<Row> {
    fn is_at_least(&self, other: &Arc<Row>) -> bool {
        Arc::ptr_eq(self, other) || self.iter().zip(&**other).all(|(own, it)| own >= it)
    }

    fn raise(&mut self, other: &Arc<Row>) {
        if self.is_at_least(other) {
            return;
        }
        if other.is_at_least(self) {
            *self = Arc::clone(other);
            return;
        }
        for (own, it) in Arc::make_mut(self).iter_mut().zip(&**other) {
            *own = (*own).max(*it);
        }
    }
}

impl<T: Number> Sparse<T> {
    fn get(&self, source: u32) -> Option<&T> {
        let found = self.0.binary_search_by_key(&source, |it| it.0);
        found.ok().map(|it| &self.0[it].1)
    }

    fn raise(&mut self, source: u32, to: &T) {
        match self.0.binary_search_by_key(&source, |it| it.0) {
            Ok(at) => self.0[at].1.raise(to),
            Err(at) => self.0.insert(at, (source, to.clone())),
        }
    }

    /// The larger value of both for each source.
    fn join(&mut self, other: &Sparse<T>) {
        // Warps that meet again and again know of the same sources.
        let mut both = self.0.iter().zip(&other.0);
        if self.0.len() == other.0.len() && both.all(|(own, it)| own.0 == it.0) {
            for (own, it) in self.0.iter_mut().zip(&other.0) {
                own.1.raise(&it.1);
            }
            return;
        }
        let knows = |it: &(u32, T)| self.get(it.0).is_some_and(|own| own.is_at_least(&it.1));
        if other.0.iter().all(knows) {
            return;
        }
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        let mut joined = Vec::with_capacity(self.0.len().max(other.0.len()));
        let (mut own, mut others) = (self.0.drain(..).peekable(), other.0.iter().peekable());
        loop {
            let (first, second) = (own.peek().map(|it| it.0), others.peek().map(|it| it.0));
            let Some(source) = first.into_iter().chain(second).min() else {
                break;
            };
            let mine = own.next_if(|it| it.0 == source);
            let theirs = others.next_if(|it| it.0 == source);
            match (mine, theirs) {
                (Some(mut mine), Some(theirs)) => {
                    mine.1.raise(&theirs.1);
                    joined.push(mine);
                }
                (Some(it), None) => joined.push(it),
                (None, Some(it)) => joined.push(it.clone()),
                (None, None) => {}
            }
        }
        drop(own);
        self.0 = joined;
    }
}

impl Layer {
    /// Whether an access is known.
    pub(super) fn covers(&self, it: &Moment) -> bool {
        if self
            .numbers
            .get(it.source)
            .is_some_and(|own| *own >= it.number)
        {
            return true;
        }
        let row = self.rows.get(it.source);
        row.is_some_and(|row| {
            (0..LANES).all(|lane| it.lanes >> lane & 1 == 0 || row[lane] > it.time)
        })
    }

    /// Whether nothing is known.
    pub(super) fn is_empty(&self) -> bool {
        self.numbers.0.is_empty() && self.rows.0.is_empty()
    }

    /// Whether anything of a source is known.
    pub(super) fn has(&self, source: u32) -> bool {
        self.numbers.get(source).is_some_and(|it| *it > 0) || self.rows.get(source).is_some()
    }

    /// Knows of a source up to a number at least.
    pub(super) fn raise(&mut self, source: u32, to: u32) {
        self.numbers.raise(source, &to);
    }

    /// Knows what the lanes of a source did before these times at least.
    pub(super) fn raise_lanes(&mut self, source: u32, times: &Arc<Row>) {
        self.rows.raise(source, times);
    }

    /// Knows what a lane of a source did before a time at least.
    pub(super) fn raise_lane(&mut self, source: u32, lane: usize, time: u32) {
        let known = self.rows.get(source).map_or(0, |it| it[lane]);
        if known < time {
            let mut row = [0; LANES];
            row[lane] = time;
            self.rows.raise(source, &Arc::new(row));
        }
    }

    /// Takes over what another layer knows.
    pub(super) fn join(&mut self, other: &Layer) {
        self.numbers.join(&other.numbers);
        self.rows.join(&other.rows);
    }
}

impl Clock {
    /// Whether nothing is known, and nothing of what others know is seen or fenced.
    pub(super) fn is_empty(&self) -> bool {
        let mut layers = [
            &self.known,
            &self.proxied,
            &self.proxied_globally,
            &self.fenced,
            &self.widely_fenced,
            &self.seen,
            &self.tensor,
            &self.pipelined,
        ]
        .into_iter();
        layers.all(Layer::is_empty)
    }

    /// Takes over what another clock knows.
    pub(super) fn join(&mut self, other: &Clock) {
        self.known.join(&other.known);
        self.proxied.join(&other.proxied);
        self.proxied_globally.join(&other.proxied_globally);
        self.fenced.join(&other.fenced);
        self.widely_fenced.join(&other.widely_fenced);
        self.seen.join(&other.seen);
        self.tensor.join(&other.tensor);
        self.pipelined.join(&other.pipelined);
    }

    /// The clock that a strong write publishes which is not a release: all before the fences of its thread, and before
    /// those of others that are ordered before it.
    pub(super) fn after_fences(&self, widely: bool) -> Clock {
        Clock {
            known: self.layer_after_fences(widely).clone(),
            ..self.clone()
        }
    }

    /// All that is known in it.
    pub(super) fn layer_after_fences(&self, widely: bool) -> &Layer {
        match widely {
            true => &self.widely_fenced,
            false => &self.fenced,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(numbers: &[(u32, u32)]) -> Clock {
        let mut clock = Clock::default();
        for (source, number) in numbers {
            clock.known.raise(*source, *number);
        }
        clock
    }

    fn moment(source: u32, number: u32, lanes: u32) -> Moment {
        Moment {
            source,
            number,
            time: number,
            lanes,
        }
    }

    #[test]
    fn joined_clocks_know_what_both_know() {
        let mut clock = clock(&[(7, 2), (1, 5), (3, 1)]);
        clock.join(&self::clock(&[(1, 4), (2, 9), (3, 2), (8, 1)]));
        let last = |source| {
            (1..=10)
                .filter(|it| clock.known.covers(&moment(source, *it, 1)))
                .max()
        };
        let known: Vec<_> = (0..10).map(|it| last(it).unwrap_or(0)).collect();
        assert_eq!(known, [0, 5, 9, 2, 0, 0, 0, 2, 1, 0]);
    }

    #[test]
    fn rows_know_of_lanes() {
        let mut layer = Layer::default();
        layer.raise_lane(4, 3, 7);
        layer.raise_lane(4, 5, 9);
        assert!(layer.covers(&moment(4, 6, 1 << 3)));
        assert!(!layer.covers(&moment(4, 7, 1 << 3)));
        assert!(layer.covers(&moment(4, 6, 1 << 3 | 1 << 5)));
        assert!(!layer.covers(&moment(4, 6, 1 << 2 | 1 << 5)));
        let mut other = Layer::default();
        other.raise_lane(4, 2, 7);
        other.join(&layer);
        assert!(other.covers(&moment(4, 6, 1 << 2 | 1 << 5)) && other.has(4) && !other.has(3));
    }
}
