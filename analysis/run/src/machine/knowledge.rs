//! The knowledge of a warp about what others did: that of all its lanes, and that of single ones.

use std::sync::Arc;

use isa::{event::Group, strength::Scope};

use super::{
    clock::{Clock, Layer, Moment},
    findings::lanes_of,
    warp::LANES,
};

/// The knowledge of a warp.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// The number of its source.
    source: u32,
    /// How often it has released all that it did, and one more.
    pub(super) epoch: u32,
    /// The knowledge of all lanes.
    all: Clock,
    /// The knowledge of single lanes besides, until they meet.
    single: [Option<Box<Clock>>; LANES],
    /// The lanes that know something of their own.
    knowing: u32,
    /// When two lanes last met, by the time of the warp after it.
    met: Box<[[u32; LANES]; LANES]>,
    /// When all lanes last met.
    all_met: u32,
    /// The clocks that the strong reads of a lane have seen, which its next fence takes over.
    seen: [Option<Box<Clock>>; LANES],
    /// The operations of tensor cores of other warps, also on their way, that its own ones follow in order.
    follows: Layer,
    /// The sources of its asynchronous operations, by the kind of their groups.
    pub(super) operations: Vec<(Group, usize)>,
}

impl Known {
    pub(super) fn new(source: usize) -> Known {
        Known {
            source: source as u32,
            epoch: 1,
            all: Clock::default(),
            single: Default::default(),
            knowing: 0,
            met: Box::new([[0; LANES]; LANES]),
            all_met: 0,
            seen: Default::default(),
            follows: Layer::default(),
            operations: Vec::new(),
        }
    }

    /// The knowledge of a lane that the others lack.
    fn own(&mut self, lane: usize) -> &mut Clock {
        self.knowing |= 1 << lane;
        self.single[lane].get_or_insert_default()
    }

    /// The knowledge of a lane.
    fn of_lane(&self, lane: usize) -> Clock {
        let mut clock = self.all.clone();
        if let Some(it) = &self.single[lane] {
            clock.join(it);
        }
        clock
    }

    /// Whether a lane knows of an access by another source, or by its own warp because of what it has acquired.
    pub(super) fn covers(&self, lane: usize, it: &Moment) -> bool {
        let single = self.single[lane].as_ref();
        self.all.known.covers(it) || single.is_some_and(|own| own.known.covers(it))
    }

    /// Whether all lanes know of an access, as far as they share what they know.
    pub(super) fn all_cover(&self, it: &Moment) -> bool {
        self.all.known.covers(it)
    }

    /// Whether the asynchronous proxy sees an access of shared or global memory that a lane knows of.
    pub(super) fn covers_by_proxy(&self, lane: usize, it: &Moment, globally: bool) -> bool {
        let sees = |clock: &Clock| match globally {
            true => clock.proxied_globally.covers(it),
            false => clock.proxied.covers(it),
        };
        sees(&self.all) || self.single[lane].as_deref().is_some_and(sees)
    }

    /// Whether operations of a lane on tensor memory are ordered after an access, if nothing else of the lane is.
    pub(super) fn covers_in_tensor(&self, lane: usize, it: &Moment) -> bool {
        let single = self.single[lane].as_ref();
        self.all.tensor.covers(it) || single.is_some_and(|own| own.tensor.covers(it))
    }

    /// Whether operations of tensor cores follow one of another warp in order.
    pub(super) fn follows(&self, it: &Moment) -> bool {
        self.follows.covers(it)
    }

    /// Whether strong reads of a lane have seen what follows an access, and no fence has ordered it since.
    pub(super) fn has_seen(&self, lane: usize, it: &Moment) -> bool {
        let seen = self.seen[lane].as_ref();
        seen.is_some_and(|seen| seen.known.covers(it))
    }

    /// Whether some lane knows of an access.
    pub(super) fn is_aware(&self, it: &Moment) -> bool {
        self.all.known.covers(it) || lanes_of(self.knowing).any(|lane| self.covers(lane.into(), it))
    }

    /// Whether some lane knows anything of a source.
    pub(super) fn has_heard_of(&self, source: usize) -> bool {
        let source = source as u32;
        let mut single = self.single.iter().flatten();
        self.all.known.has(source) || single.any(|it| it.known.has(source))
    }

    /// Whether a lane has met all of some lanes after a time.
    pub(super) fn has_met(&self, lane: usize, others: u32, time: u32) -> bool {
        let met = |other: u8| self.met[lane][usize::from(other)] > time;
        let others = others & !(1 << lane);
        others == 0 || self.all_met > time || lanes_of(others).all(met)
    }

    /// For each lane until when what it did is ordered before what a lane does at a time.
    fn row(&self, lane: usize, time: u32) -> Arc<[u32; LANES]> {
        let mut row = self.met[lane].map(|it| it.max(self.all_met));
        row[lane] = row[lane].max(time);
        Arc::new(row)
    }

    /// The knowledge of a lane at a time, its own warp included.
    pub(super) fn release_lane(&self, lane: usize, time: u32) -> Clock {
        let mut clock = self.of_lane(lane);
        clock.known.raise_lanes(self.source, &self.row(lane, time));
        clock
    }

    /// The knowledge of all lanes, with all that they did; what they do from now on is not in it.
    pub(super) fn release(&mut self) -> Clock {
        let mut clock = self.all.clone();
        for it in self.single.iter().flatten() {
            clock.join(it);
        }
        clock.known.raise(self.source, self.epoch);
        self.epoch += 1;
        clock
    }

    /// Lanes take over what a clock knows.
    pub(super) fn acquire(&mut self, lanes: u32, clock: &Clock) {
        if lanes == u32::MAX {
            return self.all.join(clock);
        }
        if clock.is_empty() {
            return;
        }
        for lane in lanes_of(lanes).map(usize::from) {
            self.own(lane).join(clock);
        }
    }

    /// Lanes know of a source up to a number.
    pub(super) fn acquire_source(&mut self, lanes: u32, source: usize, number: u32) {
        for lane in lanes_of(lanes) {
            self.own(lane.into()).known.raise(source as u32, number);
        }
    }

    /// A lane knows what it has issued itself of a source, up to a number.
    pub(super) fn acquire_lane(&mut self, lane: usize, source: usize, number: u32) {
        let own = self.own(lane);
        own.known.raise_lane(source as u32, lane, number + 1);
    }

    /// Lanes meet, before the instruction with this number; `u32::MAX` means all that there are.
    pub(super) fn meet(&mut self, lanes: u32, time: u32) {
        let knowing = lanes & self.knowing;
        if knowing != 0 {
            let mut joined = Clock::default();
            for lane in lanes_of(knowing).map(usize::from) {
                if let Some(it) = self.single[lane].take() {
                    joined.join(&it);
                }
            }
            self.knowing &= !knowing;
            self.acquire(lanes, &joined);
        }
        if lanes == u32::MAX {
            self.all_met = time;
            return;
        }
        for (one, row) in self.met.iter_mut().enumerate() {
            for (other, met) in row.iter_mut().enumerate() {
                if lanes >> one & 1 == 1 && lanes >> other & 1 == 1 {
                    *met = time;
                }
            }
        }
    }

    /// Lanes execute a fence between proxies at a time: the asynchronous one sees what each of them knows, in shared memory
    /// or in global memory.
    pub(super) fn proxy_fence(&mut self, lanes: u32, time: u32, globally: bool) {
        for lane in lanes_of(lanes).map(usize::from) {
            let knows = self.release_lane(lane, time).known;
            let own = self.own(lane);
            match globally {
                true => own.proxied_globally.join(&knows),
                false => own.proxied.join(&knows),
            }
        }
    }

    /// Lanes execute a fence for the threads of a scope at a time.
    ///
    /// With `both_ways`, nothing crosses it, and it also orders what other threads have read before it: with a fence.sc
    /// in both places the writer's one must come first, or a read would see a later write (PTX ISA 8.9.1 and 8.10.4).
    pub(super) fn fence(&mut self, lanes: u32, scope: Scope, time: u32, both_ways: bool) {
        for lane in lanes_of(lanes).map(usize::from) {
            if let Some(seen) = self.seen[lane].take() {
                self.own(lane).join(&seen);
            }
            let seen = self.of_lane(lane).seen;
            if both_ways && !seen.is_empty() {
                self.own(lane).known.join(&seen);
            }
            let knows = self.release_lane(lane, time).known;
            let own = self.own(lane);
            if scope > Scope::Cta {
                own.widely_fenced.join(&knows);
            }
            own.fenced.join(&knows);
        }
    }

    /// Lanes execute a fence for tensor memory at a time, before they let others continue. `products` are the operations of
    /// tensor cores that the warp has issued: their source, and how many.
    pub(super) fn fence_before(&mut self, lanes: u32, time: u32, products: Option<(usize, u32)>) {
        for lane in lanes_of(lanes).map(usize::from) {
            let knows = self.release_lane(lane, time).known;
            let own = self.own(lane);
            own.tensor.join(&knows);
            if let Some((source, number)) = products {
                own.pipelined.raise(source as u32, number);
            }
        }
    }

    /// Lanes execute a fence for tensor memory after they have waited for others.
    pub(super) fn fence_after(&mut self, lanes: u32) {
        for lane in lanes_of(lanes).map(usize::from) {
            if let Some(seen) = self.seen[lane].clone() {
                let own = self.own(lane);
                own.tensor.join(&seen.known);
                own.tensor.join(&seen.tensor);
                own.pipelined.join(&seen.pipelined);
            }
            let pipelined = self.of_lane(lane).pipelined;
            self.follows.join(&pipelined);
        }
    }

    /// The knowledge that a strong write of a lane, which is not a release, publishes in its block or for all.
    pub(super) fn fenced(&self, lane: usize, widely: bool) -> Clock {
        self.of_lane(lane).after_fences(widely)
    }

    /// Whether that is anything: most kernels have no fence, and clocks are long.
    pub(super) fn has_fenced(&self, lane: usize, widely: bool) -> bool {
        let single = self.single[lane].as_deref();
        let mut clocks = single.into_iter().chain([&self.all]);
        clocks.any(|it| !it.layer_after_fences(widely).is_empty())
    }

    /// A strong read of a lane that is not an acquire has seen what was published.
    pub(super) fn see(&mut self, lane: usize, clock: &Clock) {
        self.seen[lane].get_or_insert_default().join(clock);
        self.own(lane).seen.join(&clock.known);
    }
}
