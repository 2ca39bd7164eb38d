//! The orders that instructions are put into.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, BinaryHeap},
};

use super::order::Stretch;

/// How many instructions that could come next are looked at, from the first and from the last on.
const CANDIDATES: usize = 150;

/// How many instructions are followed from a use of a value to those that can be placed.
const FOLLOWED: usize = 40;

/// The values that are live while instructions are placed one after the other.
struct Alive<'s> {
    stretch: &'s Stretch,
    live: Vec<bool>,
    /// How many reads of each value are to come.
    left: Vec<u32>,
    /// The registers of all that is live.
    now: u32,
}

impl<'s> Alive<'s> {
    fn start(stretch: &'s Stretch) -> Alive<'s> {
        let mut left = vec![0_u32; stretch.weights.len()];
        for value in stretch.reads.iter().flatten() {
            left[*value as usize] += 1;
        }
        let needed = |it: usize| left[it] > 0 || stretch.live_out[it];
        let live: Vec<bool> = (0..left.len())
            .map(|it| stretch.live_in[it] && needed(it))
            .collect();
        let weights = live.iter().zip(&stretch.weights);
        let of_live: u32 = weights.filter(|it| *it.0).map(|it| it.1).sum();
        Alive {
            stretch,
            live,
            left,
            now: stretch.through + of_live,
        }
    }

    /// The values that the next instruction would make live, and those that it would read last.
    fn changes(&self, index: usize) -> (impl Iterator<Item = usize>, impl Iterator<Item = usize>) {
        let stretch = self.stretch;
        let (reads, writes) = (&stretch.reads[index], &stretch.writes[index]);
        let needed = |it: &usize| self.left[*it] > 0 || stretch.live_out[*it];
        let born = writes.iter().map(|it| *it as usize);
        let ends = reads.iter().filter(|it| !writes.contains(it));
        (
            born.filter(move |it| !self.live[*it] && needed(it)),
            ends.map(|it| *it as usize)
                .filter(|it| self.left[*it] == 1 && self.live[*it] && !stretch.live_out[*it]),
        )
    }

    /// By how many registers an instruction would change what is live.
    fn change(&self, index: usize) -> i64 {
        let weight = |it: usize| i64::from(self.stretch.weights[it]);
        let (born, ends) = self.changes(index);
        born.map(weight).sum::<i64>() - ends.map(weight).sum::<i64>()
    }

    fn place(&mut self, index: usize) {
        let (born, ends): (Vec<usize>, Vec<usize>) = {
            let (born, ends) = self.changes(index);
            (born.collect(), ends.collect())
        };
        for value in ends {
            self.live[value] = false;
            self.now -= self.stretch.weights[value];
        }
        for value in born {
            self.live[value] = true;
            self.now += self.stretch.weights[value];
        }
        for value in &self.stretch.reads[index] {
            self.left[*value as usize] -= 1;
        }
    }
}

impl Stretch {
    /// Goes through an order of all instructions and tells how many registers each needs.
    pub(super) fn walk(&self, order: &[u32], mut act: impl FnMut(usize, u32)) {
        let mut alive = Alive::start(self);
        for index in order.iter().map(|it| *it as usize) {
            let before = alive.now;
            alive.place(index);
            act(index, alive.now.max(before) + self.scratch[index]);
        }
    }

    /// The most registers that an order of all instructions needs at once.
    pub(super) fn registers(&self, order: &[u32]) -> u32 {
        let mut most = 0;
        self.walk(order, |_, alive| most = most.max(alive));
        most
    }

    /// For each instruction how long the chains are that wait for it.
    fn chains(&self) -> Vec<u32> {
        let count = self.reads.len();
        let mut chain = vec![0_u32; count];
        for index in (0..count).rev() {
            let next = self.after[index].iter().map(|it| chain[*it as usize]).max();
            chain[index] = self.latency[index].saturating_add(next.unwrap_or(0));
        }
        chain
    }

    /// From the first on, what the longest chain waits for.
    pub(super) fn eager(&self) -> Vec<u32> {
        let count = self.reads.len();
        let chain = self.chains();
        let mut missing: Vec<usize> = self.before.iter().map(Vec::len).collect();
        let mut ready: BinaryHeap<(u32, Reverse<u32>)> = (0..count as u32)
            .filter(|it| missing[*it as usize] == 0)
            .map(|it| (chain[it as usize], Reverse(it)))
            .collect();
        let mut waiting: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
        let mut earliest = vec![0_u32; count];
        let mut order = Vec::with_capacity(count);
        let mut time = 0_u32;
        loop {
            while let Some(Reverse((start, index))) = waiting.peek().copied() {
                if start > time && !ready.is_empty() {
                    break;
                }
                time = time.max(start);
                waiting.pop();
                ready.push((chain[index as usize], Reverse(index)));
            }
            let Some((_, Reverse(index))) = ready.pop() else {
                return order;
            };
            order.push(index);
            let done = time.saturating_add(self.latency[index as usize]);
            time += 1;
            for next in &self.after[index as usize] {
                let at = *next as usize;
                earliest[at] = earliest[at].max(done);
                missing[at] -= 1;
                if missing[at] == 0 {
                    waiting.push(Reverse((earliest[at], *next)));
                }
            }
        }
    }

    /// From the last on, what makes the fewest values live: writes sink to their uses.
    pub(super) fn lazy(&self) -> Vec<u32> {
        let mut state = Backwards::start(self);
        loop {
            let key = |index: &u32| {
                let (more, ended) = state.change(*index);
                let early = i64::from(self.memory[*index as usize] && ended > 1);
                (more - early, -ended, Reverse(*index))
            };
            let Some(index) = best(&state.ready, key) else {
                break;
            };
            state.place(index);
        }
        state.order.reverse();
        state.order
    }

    /// Like [`lazy`](Stretch::lazy), but while nothing frees registers, it prefers instructions that the live
    /// values wait for: all uses of a value that several results share are placed before more values become live.
    pub(super) fn sharing(&self) -> Vec<u32> {
        let count = self.reads.len();
        let mut users: Vec<Vec<u32>> = vec![Vec::new(); self.weights.len()];
        for (index, reads) in (0..).zip(&self.reads) {
            for value in reads {
                users[*value as usize].push(index);
            }
        }
        let mut state = Backwards::start(self);
        let mut placed = vec![false; count];
        // When each instruction was last found to keep a live value waiting.
        let mut wanted = vec![0_u32; count];
        loop {
            let key = |index: &u32| {
                let (more, _) = state.change(*index);
                let urgent = if more <= 0 {
                    u32::MAX
                } else {
                    wanted[*index as usize]
                };
                (Reverse(urgent), more, Reverse(*index))
            };
            let Some(index) = best(&state.ready, key) else {
                break;
            };
            state.place(index);
            placed[index as usize] = true;
            let now = state.order.len() as u32;
            for value in &self.reads[index as usize] {
                let others = users[*value as usize].iter().rev();
                let others = others.filter(|it| !placed[**it as usize]);
                let mut stack: Vec<u32> = others.copied().collect();
                let mut left = FOLLOWED;
                while let Some(index) = stack.pop() {
                    let at = index as usize;
                    if placed[at] || wanted[at] == now || left == 0 {
                        continue;
                    }
                    left -= 1;
                    wanted[at] = now;
                    if state.missing[at] > 0 {
                        stack.extend(&self.after[at]);
                    }
                }
            }
        }
        state.order.reverse();
        state.order
    }

    /// As early as possible while fewer registers are needed than a limit, and otherwise whatever makes
    /// the fewest values live.
    pub(super) fn balanced(&self, limit: u32) -> Vec<u32> {
        let count = self.reads.len();
        let chain = self.chains();
        let mut alive = Alive::start(self);
        let mut missing: Vec<usize> = self.before.iter().map(Vec::len).collect();
        let mut earliest = vec![0_u32; count];
        let mut time = 0_u32;
        let mut ready: BTreeSet<u32> = (0..count as u32)
            .filter(|it| missing[*it as usize] == 0)
            .collect();
        // The same, for the early ones; those that were taken meanwhile are passed over.
        let mut waiting: BinaryHeap<Reverse<(u32, u32)>> =
            ready.iter().map(|it| Reverse((0, *it))).collect();
        let mut urgent: BinaryHeap<(u32, Reverse<u32>)> = BinaryHeap::new();
        let mut order = Vec::with_capacity(count);
        while !ready.is_empty() {
            let next = if alive.now < limit {
                loop {
                    while let Some(Reverse((start, index))) = waiting.peek().copied() {
                        if start > time && !urgent.is_empty() {
                            break;
                        }
                        waiting.pop();
                        if ready.contains(&index) {
                            time = time.max(start);
                            urgent.push((chain[index as usize], Reverse(index)));
                        }
                    }
                    match urgent.pop() {
                        Some((_, Reverse(index))) if !ready.contains(&index) => {}
                        other => break other.map(|it| it.1.0),
                    }
                }
            } else {
                best(&ready, |index| (alive.change(*index as usize), *index))
            };
            let Some(index) = next else { break };
            ready.remove(&index);
            order.push(index);
            let at = index as usize;
            alive.place(at);
            time = time.max(earliest[at]);
            let done = time.saturating_add(self.latency[at]);
            time = time.saturating_add(1);
            for next in &self.after[at] {
                let at = *next as usize;
                earliest[at] = earliest[at].max(done);
                missing[at] -= 1;
                if missing[at] == 0 {
                    ready.insert(*next);
                    waiting.push(Reverse((earliest[at], *next)));
                }
            }
        }
        order
    }

    /// In the order of the text what has an effect, each with all that it needs just before it; and
    /// at once whatever takes no more registers than it frees, so that what frees some can follow.
    pub(super) fn on_demand(&self) -> Vec<u32> {
        let count = self.reads.len();
        let mut emission = Emission {
            alive: Alive::start(self),
            done: vec![false; count],
            missing: self.before.iter().map(Vec::len).collect(),
            next: vec![0; count],
            order: Vec::with_capacity(count),
        };
        for index in (0..count as u32).filter(|it| self.anchor[*it as usize]) {
            emission.emit(index);
        }
        for index in 0..count as u32 {
            emission.emit(index);
        }
        emission.order
    }
}

/// Instructions that are placed from the last one on, so far.
struct Backwards<'s> {
    stretch: &'s Stretch,
    /// How many instructions after each one are not placed.
    missing: Vec<usize>,
    /// Those after which everything is placed.
    ready: BTreeSet<u32>,
    live: Vec<bool>,
    /// The instructions that are placed, the last one first.
    order: Vec<u32>,
}

impl<'s> Backwards<'s> {
    fn start(stretch: &'s Stretch) -> Backwards<'s> {
        let missing: Vec<usize> = stretch.after.iter().map(Vec::len).collect();
        let all = 0..missing.len() as u32;
        Backwards {
            stretch,
            ready: all.filter(|it| missing[*it as usize] == 0).collect(),
            missing,
            live: stretch.live_out.clone(),
            order: Vec::with_capacity(stretch.reads.len()),
        }
    }

    /// By how many registers an instruction would change what is live before it, and those of the live values that
    /// it writes.
    fn change(&self, index: u32) -> (i64, i64) {
        let at = index as usize;
        let (reads, writes) = (&self.stretch.reads[at], &self.stretch.writes[at]);
        let weight = |it: &u32| i64::from(self.stretch.weights[*it as usize]);
        let born = reads
            .iter()
            .filter(|it| !self.live[**it as usize] && !writes.contains(it));
        let ends = || writes.iter().filter(|it| self.live[**it as usize]);
        let ended: i64 = ends().map(weight).sum();
        let freed: i64 = ends().filter(|it| !reads.contains(it)).map(weight).sum();
        (born.map(weight).sum::<i64>() - freed, ended)
    }

    fn place(&mut self, index: u32) {
        let at = index as usize;
        self.ready.remove(&index);
        self.order.push(index);
        for value in &self.stretch.writes[at] {
            self.live[*value as usize] = false;
        }
        for value in &self.stretch.reads[at] {
            self.live[*value as usize] = true;
        }
        for before in &self.stretch.before[at] {
            let at = *before as usize;
            self.missing[at] -= 1;
            if self.missing[at] == 0 {
                self.ready.insert(*before);
            }
        }
    }
}

/// The work that [`Stretch::on_demand`] has done so far.
struct Emission<'s> {
    alive: Alive<'s>,
    done: Vec<bool>,
    missing: Vec<usize>,
    /// For each instruction, how many of those before it are known to be done.
    next: Vec<usize>,
    order: Vec<u32>,
}

impl Emission<'_> {
    fn emit(&mut self, root: u32) {
        let mut stack = vec![root];
        while let Some(index) = stack.last().copied() {
            let at = index as usize;
            if self.done[at] {
                stack.pop();
                continue;
            }
            let before = &self.alive.stretch.before[at];
            while let Some(it) = before.get(self.next[at])
                && self.done[*it as usize]
            {
                self.next[at] += 1;
            }
            if let Some(it) = before.get(self.next[at]) {
                stack.push(*it);
                continue;
            }
            stack.pop();
            let mut ready = Vec::new();
            self.place(index, &mut ready);
            while let Some(index) = ready.pop() {
                let at = index as usize;
                if !self.done[at] && self.missing[at] == 0 && self.alive.change(at) <= 0 {
                    self.place(index, &mut ready);
                }
            }
        }
    }

    fn place(&mut self, index: u32, ready: &mut Vec<u32>) {
        let at = index as usize;
        self.done[at] = true;
        self.order.push(index);
        self.alive.place(at);
        for next in &self.alive.stretch.after[at] {
            let at = *next as usize;
            self.missing[at] -= 1;
            if self.missing[at] == 0 {
                ready.push(*next);
            }
        }
    }
}

/// The best of the instructions that could come next, or of some if they are very many.
fn best<K: Ord>(ready: &BTreeSet<u32>, key: impl Fn(&u32) -> K) -> Option<u32> {
    if ready.len() <= 2 * CANDIDATES {
        return ready.iter().copied().min_by_key(key);
    }
    let last = ready.iter().rev().take(CANDIDATES);
    let first = ready.iter().take(CANDIDATES);
    last.chain(first).copied().min_by_key(key)
}
