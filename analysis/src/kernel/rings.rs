//! Mbarriers, joined by address modulo their stride.

use isa::event::{EventKind, Group};

use crate::{
    flow::ids::Step,
    kernel::{
        events::{Address, Kernel, Start, is_wait},
        map::{AsyncCopy, Ring},
    },
};

/// A ring, with where it lies.
pub(super) struct Placed {
    pub(super) ring: Ring,
    start: Start,
    /// The first byte, and the byte after the last one.
    offset: i64,
    end: i64,
}

/// A copy, with the addresses of what it fills and of the mbarrier on which it completes.
pub(super) struct Copy {
    pub(super) step: Step,
    pub(super) copy: AsyncCopy,
    pub(super) destination: Option<Address>,
    pub(super) barrier: Option<Address>,
}

/// A use of an mbarrier.
struct Use {
    event: usize,
    step: Step,
    kind: EventKind,
    address: Address,
}

/// The size of an mbarrier in bytes.
const BYTES: i64 = 8;

fn concerns(kind: EventKind) -> bool {
    is_wait(kind)
        || matches!(
            kind,
            EventKind::Init
                | EventKind::Expect
                | EventKind::Arrive
                | EventKind::ArriveExpect
                | EventKind::ArriveCopies
                | EventKind::Complete
                | EventKind::Commit(Group::TensorMma)
        )
}

impl Kernel<'_, '_> {
    /// The rings, and the instructions on mbarriers whose address is not known.
    pub(super) fn rings(&mut self) -> (Vec<Placed>, Vec<Step>) {
        let mut uses = Vec::new();
        let mut unknown = Vec::new();
        for event in 0..self.events.all.len() {
            let (step, kind) = (self.events.all[event].step, self.events.all[event].kind);
            if !concerns(kind) {
                continue;
            }
            match self.event_address(event) {
                Some(address) => uses.push(Use {
                    event,
                    step,
                    kind,
                    address,
                }),
                None => unknown.push(step),
            }
        }
        let mut rings = Vec::new();
        let mut starts: Vec<Start> = Vec::new();
        for it in &uses {
            if !starts.contains(&it.address.start) {
                starts.push(it.address.start);
            }
        }
        for start in starts {
            let own: Vec<&Use> = uses.iter().filter(|it| it.address.start == start).collect();
            rings.extend(self.rings_from(start, &own));
        }
        (rings, unknown)
    }

    fn rings_from(&mut self, start: Start, uses: &[&Use]) -> Vec<Placed> {
        let inits = uses.iter().filter(|it| it.kind == EventKind::Init);
        let mut members: Vec<i64> = (inits.filter(|it| it.address.terms.is_empty()))
            .map(|it| it.address.offset)
            .collect();
        // Where the address varies a ring begins; elsewhere each mbarrier is alone.
        let varying = uses.iter().filter(|it| !it.address.terms.is_empty());
        let mut begins: Vec<(i64, i64)> = varying
            .map(|it| (it.address.offset, it.address.stride()))
            .collect();
        begins.sort_unstable();
        begins.dedup();
        members.extend(begins.iter().map(|it| it.0));
        let varying = uses.iter().filter(|it| !it.address.terms.is_empty());
        // How far after its first mbarrier a ring is used at most.
        let reaches: Vec<(i64, Option<i64>)> = varying
            .map(|it| (it.address.offset, self.most(&it.address)))
            .collect();
        let alone = uses.iter().filter(|it| it.address.terms.is_empty());
        members.extend(alone.map(|it| it.address.offset));
        members.sort_unstable();
        members.dedup();
        let mut found: Vec<Placed> = Vec::new();
        let mut next = 0;
        while let Some(first) = members.get(next).copied() {
            next += 1;
            let stride = begins.iter().find(|it| it.0 == first).map(|it| it.1);
            let mut end = first.saturating_add(BYTES);
            let mut stages = 1;
            if let Some(stride) = stride.filter(|it| *it >= BYTES) {
                // Up to the next place where another ring begins.
                let place = |stage: i64| stride.checked_mul(stage)?.checked_add(first);
                let mut own = reaches.iter().filter(|it| it.0 == first);
                let reach = own.try_fold(0, |most: i64, it| Some(most.max(it.1?)));
                let reached = |stage: i64| reach.is_none_or(|it| stride * stage <= it);
                while let Some(member) = members.get(next).copied()
                    && place(stages) == Some(member)
                    && reached(stages)
                    && begins.iter().all(|it| it.0 != member)
                {
                    stages += 1;
                    next += 1;
                    end = member.saturating_add(BYTES);
                }
            }
            found.push(Placed {
                ring: self.ring(start, first, stages, stride, uses, end),
                start,
                offset: first,
                end,
            });
        }
        found
    }

    /// The largest number that what varies of an address adds, if its known bits bound it.
    fn most(&mut self, address: &Address) -> Option<i64> {
        address
            .terms
            .iter()
            .try_fold(0, |sum: i64, (node, factor)| {
                let known = self.values.graph.known_bits(*node);
                let most = i64::try_from(known.bits | !known.mask).ok()?;
                let product = factor.checked_mul(most).filter(|it| *it >= 0)?;
                sum.checked_add(product)
            })
    }

    fn ring(
        &mut self,
        start: Start,
        first: i64,
        stages: i64,
        stride: Option<i64>,
        uses: &[&Use],
        end: i64,
    ) -> Ring {
        let inside = uses
            .iter()
            .filter(|it| (first..end).contains(&it.address.offset));
        let inside: Vec<&&Use> = inside.collect();
        let steps = |is: &dyn Fn(EventKind) -> bool| -> Vec<Step> {
            let found = inside.iter().filter(|it| is(it.kind));
            found.map(|it| it.step).collect()
        };
        let is_arrival = |it: EventKind| {
            matches!(
                it,
                EventKind::Arrive
                    | EventKind::ArriveExpect
                    | EventKind::ArriveCopies
                    | EventKind::Expect
            )
        };
        let counts: Vec<Option<i64>> = (inside.iter())
            .filter(|it| it.kind == EventKind::Init)
            .map(|it| self.constant(it.event, 1))
            .collect();
        let same = counts.windows(2).all(|it| it[0] == it[1]);
        let bytes = inside.iter().filter(|it| is_arrival(it.kind));
        let bytes: Vec<Option<i64>> = bytes
            .map(|it| match it.kind {
                EventKind::ArriveExpect | EventKind::Expect => self.constant(it.event, 1),
                _ => None,
            })
            .collect();
        let is_completion = |it: EventKind| {
            matches!(
                it,
                EventKind::Complete | EventKind::Commit(Group::TensorMma)
            )
        };
        Ring {
            place: self.described(start, first),
            stages: stages as usize,
            stride: stride.filter(|_| stages > 1),
            arrivals: counts.first().copied().flatten().filter(|_| same),
            initialized: self.ranges(steps(&|it| it == EventKind::Init)),
            arrived: steps(&is_arrival)
                .into_iter()
                .map(|it| self.range(it))
                .collect(),
            bytes,
            completed: self.ranges(steps(&is_completion)),
            waited: self.ranges(steps(&is_wait)),
        }
    }

    /// The copies that complete on mbarriers, each with its destination.
    pub(super) fn copies(&mut self, rings: &[Placed]) -> Vec<Copy> {
        let mut found = Vec::new();
        for event in 0..self.events.all.len() {
            let (step, kind) = (self.events.all[event].step, self.events.all[event].kind);
            if kind != EventKind::Complete {
                continue;
            }
            let barrier = self.event_address(event);
            let ring = barrier.as_ref().and_then(|it| {
                rings.iter().position(|ring| {
                    ring.start == it.start && (ring.offset..ring.end).contains(&it.offset)
                })
            });
            // The destination is the first operand.
            let destination = self.subject.get(step).and_then(|it| it.operand(0));
            let destination = destination.and_then(|it| self.operand_address(it, step));
            let shown = destination.as_ref().map(|it| {
                let mut text = self.described(it.start, it.offset);
                if !it.terms.is_empty() {
                    text = format!("{text} + {}·…", it.stride());
                }
                text
            });
            let copy = AsyncCopy {
                range: self.range(step),
                destination: shown,
                ring,
                reads: Vec::new(),
                products: Vec::new(),
            };
            found.push(Copy {
                step,
                copy,
                destination,
                barrier,
            });
        }
        found
    }
}
