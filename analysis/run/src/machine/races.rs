//! Races: which accesses of a location nothing orders, by vector clocks.
//!
//! A clock counts, for each warp and each source of asynchronous writes, how much of what it did is ordered before. A
//! barrier joins the clocks of those that meet; a release publishes a clock at a location and an acquire takes it from
//! there (PTX ISA 8.7 to 8.9). Lanes of one warp are ordered only where they meet, so each lane has its own knowledge
//! until then.

#[cfg(test)]
mod tests;
mod warps;

use std::collections::BTreeMap;

use isa::{event::Group, semantics::Order, strength::Scope};
use rustc_hash::FxHashMap;
use syntax::TextRange;

use crate::outcome::FindingCode;

use super::{
    clock::{Clock, Moment},
    conflict::{Circumstances, Conflict, add, describe},
    findings::{At, lanes_of},
    knowledge::Known,
    shadow::{Entry, Shadow, part},
    stripe::WORD,
};

/// The author of an access, and the warp whose knowledge counts for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thread {
    /// The source of the access: a warp, or one of asynchronous writes.
    pub(super) author: usize,
    /// How far the source is.
    pub(super) clock: u32,
    /// The warp that issued it.
    pub(super) view: usize,
    /// The number of the instruction in that warp.
    pub(super) time: u32,
}

/// How an access counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    /// Whether other strong accesses may meet it.
    pub(super) strong: bool,
    /// Whether it is an atomic operation.
    pub(super) atomic: bool,
    /// Among which threads.
    pub(super) scope: Scope,
    /// The accesses that it orders.
    pub(super) order: Order,
    /// Whether an asynchronous operation does it.
    pub(super) asynchronous: bool,
    /// Whether it is through the asynchronous proxy.
    pub(super) by_proxy: bool,
    /// Whether every proxy sees it in order, PTX ISA 9.7.17.6.1.
    pub(super) in_order: bool,
    /// Whether it is after all accesses that its source has begun before.
    pub(super) pipelined: bool,
    /// Whether it reads through the cache for memory that is never written.
    pub(super) read_only: bool,
    /// Whether it writes all that it reads, so that the write counts for both.
    pub(super) updates: bool,
    /// Whether it is relaxed: strong, but without an order.
    pub(super) relaxed: bool,
    /// The value that is written, so that equal ones do not count.
    pub(super) value: u64,
}

/// Who makes an access, how and by which statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccessOrigin {
    pub(super) thread: Thread,
    pub(super) kind: Kind,
    pub(super) range: TextRange,
}

impl AccessOrigin {
    /// The entry of an access by no lane and of no byte yet.
    fn entry(self, writes: bool) -> Entry {
        let AccessOrigin {
            thread,
            kind,
            range,
        } = self;
        Entry {
            author: thread.author as u32,
            clock: thread.clock,
            view: thread.view as u32,
            time: thread.time,
            lanes: 0,
            bytes: 0,
            writes,
            strong: kind.strong,
            atomic: kind.atomic,
            scope: kind.scope,
            asynchronous: kind.asynchronous,
            by_proxy: kind.by_proxy,
            in_order: kind.in_order,
            pipelined: kind.pipelined,
            read_only: kind.read_only,
            repeats: false,
            value: None,
            range,
            many: None,
        }
    }
}

/// The accesses so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Races {
    pub(super) enabled: bool,
    warps: FxHashMap<usize, Known>,
    /// For each source so far the number of the block, if it is a warp.
    sources: Vec<Option<u64>>,
    shadow: Shadow,
    /// The conflicts of the access that is made, by lane.
    found: Vec<(u8, Conflict)>,
    /// Reads that count unless an atomic operation follows, by word, warp and lane.
    doubtful: BTreeMap<(u64, usize, u8), (At, Conflict)>,
    /// The clocks that were published at locations, for all threads and for those of a block.
    published: FxHashMap<u64, Vec<(Option<u64>, Clock)>>,
}

/// The first word of shared memory, see [`super::block::Block::shared_key`].
const SHARED: u64 = (1 << 63) / WORD;
/// The first word of tensor memory, see [`super::block::Block::tensor_key`].
const TENSOR: u64 = (1 << 62) / WORD;

impl Races {
    /// A detector that watches.
    pub(super) fn new() -> Races {
        Races {
            enabled: true,
            ..Races::default()
        }
    }

    /// A new source: a warp of a block, or of asynchronous writes.
    pub(super) fn new_source(&mut self) -> usize {
        self.sources.push(None);
        self.sources.len() - 1
    }

    /// Warps have ended: nothing can be ordered after what others know of them, but by their accesses.
    pub(super) fn forget(&mut self, warps: impl Iterator<Item = usize>) {
        for warp in warps {
            self.warps.remove(&warp);
        }
    }

    /// Forgets the accesses of the words of some bytes, for memory that has been freed.
    pub(super) fn clear(&mut self, key: u64, bytes: u64) {
        for word in key / WORD..(key + bytes).div_ceil(WORD) {
            self.shadow.retain(word, |_| false, |_| false);
        }
    }

    /// The number of the block of a warp, also after its end.
    fn block_of(&self, warp: usize) -> Option<u64> {
        self.sources.get(warp).copied().flatten()
    }

    /// A new warp.
    pub(super) fn new_warp(&mut self, block: u64) -> usize {
        let source = self.new_source();
        self.sources[source] = Some(block);
        self.warps.insert(source, Known::new(source));
        source
    }

    /// Keeps a conflict that counts unless the readers do an atomic operation next.
    pub(super) fn doubt(&mut self, reads: (u64, usize, u32), at: &At, conflict: &Conflict) {
        for lane in lanes_of(reads.2) {
            let key = (reads.0, reads.1, lane);
            let value = || (*at, conflict.clone());
            self.doubtful.entry(key).or_insert_with(value);
        }
    }

    /// The conflicts that turned out to count, with the place and the lane of the read.
    pub(super) fn doubtful(&self) -> impl Iterator<Item = (u8, &At, &Conflict)> {
        let all = self.doubtful.iter();
        all.map(|(key, (at, conflict))| (key.2, at, conflict))
    }

    /// The thread of a warp at an instruction.
    pub(super) fn thread(&self, warp: usize, time: u32) -> Thread {
        Thread {
            author: warp,
            clock: self.warps.get(&warp).map_or(0, |it| it.epoch),
            view: warp,
            time,
        }
    }

    /// The knowledge and the accesses of all lanes of a warp, for others to join; what they do from now on is not in it.
    pub(super) fn release(&mut self, warp: usize) -> Clock {
        let known = self.warps.get_mut(&warp);
        known.map(Known::release).unwrap_or_default()
    }

    /// The knowledge and the accesses of some lanes of a warp before a time of the warp.
    pub(super) fn release_lanes(&mut self, warp: usize, lanes: u32, time: u32) -> Clock {
        let mut clock = Clock::default();
        if let Some(known) = self.warps.get(&warp) {
            lanes_of(lanes).for_each(|it| clock.join(&known.release_lane(it.into(), time)));
        }
        clock
    }

    /// Lanes of a warp take over what a clock knows; `u32::MAX` means all that there are.
    pub(super) fn acquire(&mut self, warp: usize, lanes: u32, clock: &Clock) {
        if let Some(known) = self.warps.get_mut(&warp) {
            known.acquire(lanes, clock);
        }
    }

    /// Lanes of a warp know of an asynchronous source up to a number.
    pub(super) fn acquire_source(&mut self, warp: usize, lanes: u32, source: usize, number: u32) {
        if let Some(known) = self.warps.get_mut(&warp) {
            known.acquire_source(lanes, source, number);
        }
    }

    /// A lane of a warp knows what it has issued itself of an asynchronous source, up to a number.
    pub(super) fn acquire_lane(&mut self, (warp, lane): (usize, u8), source: usize, number: u32) {
        if let Some(known) = self.warps.get_mut(&warp) {
            known.acquire_lane(lane.into(), source, number);
        }
    }

    /// The source of the asynchronous operations of a warp that are committed in groups of a kind.
    pub(super) fn operations_of(&mut self, warp: usize, group: Group) -> usize {
        let known = self.warps.get(&warp).map_or(&[][..], |it| &it.operations);
        if let Some((_, source)) = known.iter().find(|it| it.0 == group) {
            return *source;
        }
        let source = self.new_source();
        if let Some(known) = self.warps.get_mut(&warp) {
            known.operations.push((group, source));
        }
        source
    }

    /// The knowledge of those that see that operations of a source are done: what some lanes of the warp know, and these.
    pub(super) fn completion(
        &mut self,
        thread: Thread,
        lanes: u32,
        source: usize,
        number: u32,
    ) -> Clock {
        let mut knows = self.release_lanes(thread.view, lanes, thread.time);
        knows.known.raise(source as u32, number);
        knows
    }

    /// Whether a lane of a warp knows what another thread did.
    pub(super) fn knows(&self, warp: usize, lane: u8, thread: Thread, other: u8) -> bool {
        let Some(known) = self.warps.get(&warp).filter(|_| self.enabled) else {
            return true;
        };
        let own = thread.view == warp && known.has_met(lane.into(), 1 << other, thread.time);
        let moment = Moment {
            source: thread.author as u32,
            number: thread.clock,
            time: thread.time,
            lanes: 1 << other,
        };
        own || known.covers(lane.into(), &moment)
    }

    /// Lanes of a warp meet, before the instruction with this number; `u32::MAX` means all that there are.
    pub(super) fn meet(&mut self, warp: usize, lanes: u32, time: u32) {
        if let Some(known) = self.warps.get_mut(&warp) {
            known.meet(lanes, time);
        }
    }

    /// Whether a warp has started asynchronous copies.
    pub(super) fn copies(&self, warp: usize) -> bool {
        self.warps.get(&warp).is_some_and(|it| {
            let copies = |it: &(Group, usize)| matches!(it.0, Group::Copy | Group::Bulk);
            it.operations.iter().any(copies)
        })
    }

    /// Whether a warp knows that one of others has started.
    pub(super) fn knows_start(&self, warp: usize, others: impl Iterator<Item = usize>) -> bool {
        let known = self.warps.get(&warp).filter(|_| self.enabled);
        let mut others = others;
        known.is_none_or(|known| others.any(|it| known.has_heard_of(it)))
    }

    /// A fence between proxies by lanes of a warp, see [`Known::proxy_fence`].
    pub(super) fn proxy_fence(&mut self, warp: usize, lanes: u32, time: u32, globally: bool) {
        if let Some(known) = self.warps.get_mut(&warp) {
            known.proxy_fence(lanes, time, globally);
        }
    }

    /// A fence by lanes of a warp for the threads of a scope; with `both_ways` nothing crosses it.
    pub(super) fn fence(
        &mut self,
        (warp, time): (usize, u32),
        lanes: u32,
        scope: Scope,
        both_ways: bool,
    ) {
        if let Some(known) = self.warps.get_mut(&warp) {
            known.fence(lanes, scope, time, both_ways);
        }
    }

    /// Lanes of a warp have seen that a phase is complete, without an order: they know what its threads did and what its
    /// source has written up to a number only after a fence.
    pub(super) fn see(&mut self, warp: usize, lane: usize, clock: &Clock, source: (usize, u32)) {
        if let Some(known) = self.warps.get_mut(&warp) {
            let mut clock = clock.clone();
            clock.known.raise(source.0 as u32, source.1);
            known.see(lane, &clock);
        }
    }

    /// A fence for tensor memory by lanes of a warp, before they let others continue; see [`Known::fence_before`].
    pub(super) fn fence_before(
        &mut self,
        (warp, time): (usize, u32),
        lanes: u32,
        products: Option<(usize, u32)>,
    ) {
        if let Some(known) = self.warps.get_mut(&warp) {
            known.fence_before(lanes, time, products);
        }
    }

    /// A fence for tensor memory by lanes of a warp, after they have waited.
    pub(super) fn fence_after(&mut self, warp: usize, lanes: u32) {
        if let Some(known) = self.warps.get_mut(&warp) {
            known.fence_after(lanes);
        }
    }

    /// A strong access orders by what it reads and publishes.
    fn synchronize(&mut self, key: u64, thread: Thread, lane: u8, writes: bool, kind: Kind) {
        use Order::{Acquire, AcquireRelease, All, Release};
        let Some(block) = self.block_of(thread.view) else {
            return;
        };
        let Some(known) = self.warps.get_mut(&thread.view) else {
            return;
        };
        let narrow = kind.scope <= Scope::Cta;
        if (!writes || kind.order != Order::None)
            && let Some(all) = self.published.get(&key)
        {
            let reaches = |it: &&(Option<u64>, Clock)| it.0.is_none_or(|it| it == block);
            for (_, clock) in all.iter().filter(reaches) {
                match kind.order {
                    Acquire | AcquireRelease | All => known.acquire(1 << lane, clock),
                    _ => known.see(lane.into(), clock),
                }
            }
        }
        if !writes {
            return;
        }
        let clocks = match kind.order {
            Release | AcquireRelease | All => {
                let clock = known.release_lane(lane.into(), thread.time);
                [Some((narrow, clock)), None]
            }
            _ => {
                let lane = lane.into();
                [(true, false), (narrow, true)].map(|(narrow, widely)| {
                    let has_fenced = known.has_fenced(lane, widely);
                    has_fenced.then(|| (narrow, known.fenced(lane, widely)))
                })
            }
        };
        for (narrow, clock) in clocks.into_iter().flatten() {
            if clock.known.is_empty() {
                continue;
            }
            let to = narrow.then_some(block);
            let all = self.published.entry(key).or_default();
            match all.iter_mut().find(|it| it.0 == to) {
                Some(it) => it.1.join(&clock),
                None => all.push((to, clock)),
            }
        }
    }

    /// Publishes a clock at a location, for all threads that read it.
    pub(super) fn publish(&mut self, key: u64, clock: &Clock) {
        let all = self.published.entry(key).or_default();
        match all.iter_mut().find(|it| it.0.is_none()) {
            Some(it) => it.1.join(clock),
            None => all.push((None, clock.clone())),
        }
    }

    /// Whether an access is ordered before what a lane of a warp does now.
    fn is_before(known: Option<&Known>, entry: &Entry, new: &Entry, lane: u8) -> bool {
        let Some(known) = known else {
            return true;
        };
        let own = entry.author == entry.view && entry.view == new.view;
        // What an operation reads before it writes, or before it lands.
        if own && entry.asynchronous {
            return true;
        }
        // An asynchronous operation is ordered after what was before its issue only.
        if own && new.asynchronous && entry.time > new.time {
            return false;
        }
        let lane = usize::from(lane);
        (own && known.has_met(lane, entry.lanes, entry.time)) || known.covers(lane, &entry.moment())
    }

    /// The accesses of words of shared memory, by other blocks or by copies, that nothing orders before what these warps
    /// of its block do now, with the warp that issued each and its lanes; `passed` is known as well.
    pub(super) fn unordered_before(
        &self,
        keys: std::ops::Range<u64>,
        warps: &[usize],
        passed: &Clock,
    ) -> Vec<(TextRange, usize, u32)> {
        let own = warps.first().and_then(|it| self.block_of(*it));
        let mut found: Vec<(TextRange, usize, u32)> = Vec::new();
        for word in keys.start / WORD..keys.end.div_ceil(WORD) {
            for entry in self.shadow.of_word(word) {
                let view = entry.view as usize;
                let moment = entry.moment();
                let knows = |it: &usize| {
                    let known = self.warps.get(it);
                    known.is_none_or(|it| it.is_aware(&moment))
                };
                // Own accesses end before the block, but for copies out of it that nobody waits for.
                let is_own = (entry.writes || !entry.asynchronous) && self.block_of(view) == own;
                if is_own || passed.known.covers(&moment) || warps.iter().any(knows) {
                    continue;
                }
                match found
                    .iter_mut()
                    .find(|it| it.0 == entry.range && it.1 == view)
                {
                    Some(it) => it.2 |= entry.lanes,
                    None => found.push((entry.range, view, entry.lanes)),
                }
            }
        }
        found
    }

    /// The knowledge that lanes of a warp give others by an arrival that is not a release.
    pub(super) fn fenced(&self, warp: usize, lanes: u32, widely: bool) -> Clock {
        let mut clock = Clock::default();
        if let Some(known) = self.warps.get(&warp) {
            for lane in lanes_of(lanes) {
                clock.join(&known.fenced(lane.into(), widely));
            }
        }
        clock
    }

    /// An access of some bytes; the first other access with which it races, if there is one.
    pub(super) fn access(
        &mut self,
        (key, bytes): (u64, u64),
        lane: u8,
        writes: bool,
        origin: AccessOrigin,
    ) -> Option<Conflict> {
        let entry = Entry {
            lanes: 1 << lane,
            ..origin.entry(writes)
        };
        let AccessOrigin { thread, kind, .. } = origin;
        if writes || !kind.updates || kind.asynchronous {
            self.access_bytes((key, bytes), entry, kind.value, lane);
        }
        if kind.strong {
            self.synchronize(key, thread, lane, writes, kind);
        }
        self.found.drain(..).next().map(|it| it.1)
    }

    fn access_bytes(&mut self, (key, bytes): (u64, u64), entry: Entry, value: u64, lane: u8) {
        let before = self.found.len();
        let end = key + bytes;
        let mut at = key;
        while at < end {
            let word = at / WORD;
            let stop = end.min((word + 1) * WORD);
            let mask = ((1u16 << (stop - at)) - 1) << (at % WORD);
            if entry.atomic {
                let view = entry.view as usize;
                self.doubtful.remove(&(word, view, lane));
            }
            let entry = Entry {
                bytes: mask as u8,
                value: Some(part(value, bytes, (at - key) / WORD)),
                ..entry
            };
            if self.shadow.add_own(word, &entry) {
                at = stop;
                continue;
            }
            let found = self.access_word(word, entry, lane);
            if let Some(mut it) = found {
                it.unless_same = it.unless_same.map(|_| (at - key) / WORD);
                match self.found.get_mut(before) {
                    Some((_, first)) => first.or_else(it),
                    None => self.found.push((lane, it)),
                }
            }
            at = stop;
        }
    }

    fn access_word(&mut self, word: u64, mut entry: Entry, lane: u8) -> Option<Conflict> {
        let view = entry.view as usize;
        let known = self.warps.get(&view);
        let is_copy = entry.asynchronous && !entry.pipelined;
        let mut conflict: Option<Conflict> = None;
        let warps = &self.warps;
        let sources = &self.sources;
        let block = sources.get(view).copied().flatten();
        let same_block = |old: &Entry| sources.get(old.view as usize).copied().flatten() == block;
        let may_meet = |old: &Entry| {
            let wide = |it: Scope| same_block(old) || it > Scope::Cta;
            old.strong && entry.strong && wide(old.scope) && wide(entry.scope)
        };
        let (mut joined, mut repeats) = (false, false);
        // Nothing but the lane itself matters to atomic operations that may meet.
        let is_atomic = entry.atomic && is_own_and_generic(&entry);
        let keep_whole = |old: &mut Entry| {
            let is_apart = old.bytes & entry.bytes == 0;
            if !is_apart && old.is_repeated_by(&entry) {
                old.lanes &= !entry.lanes;
            }
            is_apart || old.lanes == 0 || (is_atomic && may_meet(old))
        };
        let tail = self.shadow.retain(word, keep_whole, |old| {
            let same_instruction = old.view == entry.view
                && old.time == entry.time
                && old.author == entry.author
                && old.writes == entry.writes;
            if same_instruction && old.bytes == entry.bytes && old.value == entry.value {
                old.lanes |= entry.lanes;
                joined = true;
                return true;
            }
            if old.bytes & entry.bytes == 0 {
                return true;
            }
            repeats |= old.range == entry.range && old.writes && is_copy;
            if old.is_repeated_by(&entry) {
                // What comes later is compared with the new access, lanes that poll need not meet.
                old.lanes &= !entry.lanes;
                if old.lanes == 0 {
                    return false;
                }
            }
            if entry.atomic && old.view == entry.view && !old.strong && !old.writes {
                // The read was only a guess at what the operation would find.
                old.lanes &= !entry.lanes;
                if old.lanes == 0 {
                    return false;
                }
            }
            let before = Self::is_before(known, old, &entry, lane)
                || known.is_some_and(|it| is_before_in_tensor(it, word, old, (&entry, lane)));
            if before && is_hidden(known, word, old, (&entry, lane)) {
                add(&mut conflict, || Conflict {
                    code: FindingCode::MissingProxyFence,
                    message: "this operation of the asynchronous proxy need not see what was written to this location: `fence.proxy.async` is missing between them".to_owned(),
                    other: old.range,
                    related: "writes the location".to_owned(),
                    ..Conflict::default()
                });
            }
            if before && entry.read_only && old.writes && word < SHARED {
                add(&mut conflict, || Conflict {
                    code: FindingCode::StaleRead,
                    message: "this load is for memory that the kernel only reads, and need not see what was written to this location".to_owned(),
                    other: old.range,
                    related: "writes the location".to_owned(),
                    ..Conflict::default()
                });
            }
            if before {
                // What comes later is compared with the new access, which is later too.
                let covered = old.bytes & !entry.bytes == 0;
                return !(covered && (entry.writes || !old.writes));
            }
            if !(old.writes || entry.writes) {
                return true;
            }
            // Compilers let all warps store one value by one statement.
            let same_store = old.writes
                && entry.writes
                && !(old.asynchronous || entry.asynchronous || old.atomic || entry.atomic)
                && (old.range, old.bytes) == (entry.range, entry.bytes);
            if (same_store && old.value == entry.value) || may_meet(old) {
                return true;
            }
            let waited = warps
                .get(&(old.view as usize))
                .is_some_and(|it| old.asynchronous && it.is_aware(&old.moment()));
            let with = Circumstances {
                is_tensor: (TENSOR..SHARED).contains(&word),
                waited,
                is_seen: known.is_some_and(|it| it.has_seen(lane.into(), &old.moment())),
                is_narrow: old.strong && entry.strong,
            };
            let new = Entry { repeats, ..entry };
            let mut found = describe(old, &new, with);
            if same_store && old.value.is_none() {
                found.unless_same = Some(0);
            }
            for (read, write) in [(&*old, &entry), (&entry, &*old)] {
                if write.atomic && !read.strong && !read.writes {
                    found.reads = Some((word, read.view as usize, read.lanes));
                }
            }
            add(&mut conflict, || found);
            true
        });
        entry.repeats = repeats;
        let joined = joined || (is_atomic && self.shadow.join_atomic(tail, &entry));
        if !joined {
            self.shadow.append(tail, entry);
        }
        conflict
    }
}

/// Whether an access is by its warp itself, and not through another proxy or cache.
fn is_own_and_generic(it: &Entry) -> bool {
    !(it.asynchronous || it.by_proxy || it.read_only) && it.author == it.view
}

/// Whether accesses of a kind neither synchronize nor are on the way while others run.
fn is_simple(kind: Kind) -> bool {
    !(kind.strong || kind.atomic || kind.asynchronous || kind.by_proxy)
}

/// Whether an operation of a tensor core or on tensor memory is ordered after an access, although its thread is not.
fn is_before_in_tensor(known: &Known, word: u64, old: &Entry, (new, lane): (&Entry, u8)) -> bool {
    let moment = old.moment();
    let follows = || old.author == new.author || (old.pipelined && known.follows(&moment));
    let is_for_tensors = new.pipelined || (TENSOR..SHARED).contains(&word);
    (new.pipelined && follows()) || (is_for_tensors && known.covers_in_tensor(lane.into(), &moment))
}

/// Whether the asynchronous proxy need not see what an access that is ordered before has written.
fn is_hidden(known: Option<&Known>, word: u64, old: &Entry, (new, lane): (&Entry, u8)) -> bool {
    new.by_proxy
        && !old.by_proxy
        && !old.in_order
        && old.writes
        // In global memory it is certain for what is read only.
        && (word >= SHARED || (word < TENSOR && !new.writes))
        && known.is_some_and(|it| !it.covers_by_proxy(lane.into(), &old.moment(), word < TENSOR))
}
