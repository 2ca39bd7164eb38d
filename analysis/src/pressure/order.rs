//! How many registers a block needs when its instructions are put into other orders.
//!
//! ptxas orders anew. Two orders bracket what it does: one keeps as few values alive as possible, the
//! other starts every long operation as early as possible.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, BinaryHeap},
};

use isa::{
    control::{has_effect, orders_memory},
    cost::latency,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::{
    facts::{Step, Value},
    operation::{Base, Operation},
};

use super::{fold::Folded, program::Program};

/// Longer blocks are cut, so that the work grows with their length and not with its square.
const MAX_LENGTH: usize = 1600;
/// How many instructions that could come next are looked at, from the first and from the last on.
const CANDIDATES: usize = 150;
/// How many earlier stores and loads an access is compared with.
const STORES: usize = 64;
const LOADS: usize = 128;

/// The registers that a block needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// In the order that needs the fewest.
    pub(super) low: u32,
    /// In the order that waits the least.
    pub(super) high: u32,
}

/// The needs of a block: its instructions that are left, and the values that are alive at its borders.
pub(super) fn needs(
    program: &Program<'_>,
    folded: &Folded,
    steps: &[Step],
    live_in: &FxHashSet<Value>,
    live_out: FxHashSet<Value>,
) -> Needs {
    let mut found = Needs::default();
    let mut after = live_out;
    for (index, steps) in steps.chunks(MAX_LENGTH).enumerate().rev() {
        let before = if index == 0 {
            live_in.clone()
        } else {
            let mut before = after.clone();
            for step in steps.iter().rev().map(|it| *it as usize) {
                if !program.operations[step].keeps {
                    for value in folded.writes.get(step) {
                        before.remove(value);
                    }
                }
                before.extend(folded.reads.get(step));
            }
            before
        };
        let stretch = Stretch::new(program, folded, steps, &before, &after, false);
        let eager = stretch.registers(&stretch.eager());
        let lazy = stretch.registers(&stretch.lazy());
        let on_demand = stretch.registers(&stretch.on_demand());
        found.low = found.low.max(lazy.min(on_demand));
        found.high = found.high.max(eager);
        after = before;
    }
    found
}

/// The registers that the turns of an unrolled loop need in the order that waits the least: the
/// instructions of one turn that are left, how many turns follow each other, and the values that are
/// alive at the borders of the loop.
pub(super) fn unrolled(
    program: &Program<'_>,
    folded: &Folded,
    turn: &[Step],
    turns: u32,
    live_in: &FxHashSet<Value>,
    live_out: &FxHashSet<Value>,
) -> u32 {
    let steps: Vec<Step> = (0..turns).flat_map(|_| turn).copied().collect();
    let stretch = Stretch::new(program, folded, &steps, live_in, live_out, true);
    stretch.registers(&stretch.eager())
}

/// Some consecutive instructions with numbers of their own for the values that they touch.
struct Stretch {
    reads: Vec<Vec<u32>>,
    writes: Vec<Vec<u32>>,
    /// How many registers each value takes.
    weights: Vec<u32>,
    live_in: Vec<bool>,
    live_out: Vec<bool>,
    /// The registers of values that live through and are not touched.
    through: u32,
    scratch: Vec<u32>,
    latency: Vec<u32>,
    memory: Vec<bool>,
    /// Instructions that emission on demand starts from.
    anchor: Vec<bool>,
    /// What must come before each instruction, sorted, and what after it.
    before: Vec<Vec<u32>>,
    after: Vec<Vec<u32>>,
}

impl Stretch {
    fn new(
        program: &Program<'_>,
        folded: &Folded,
        steps: &[Step],
        live_in: &FxHashSet<Value>,
        live_out: &FxHashSet<Value>,
        repeated: bool,
    ) -> Stretch {
        let mut numbers: FxHashMap<Value, u32> = FxHashMap::default();
        let mut values: Vec<Value> = Vec::new();
        // The values that have the first of several numbers.
        let mut first: Vec<bool> = Vec::new();
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for step in steps.iter().map(|it| *it as usize) {
            // In a loop that repeats, each write makes a new value, as in the code of ptxas.
            let renews = repeated && !program.operations[step].keeps;
            let lists = [(&folded.reads, false), (&folded.writes, renews)];
            let [read, written] = lists.map(|(lists, renews)| {
                let number = |value: &Value| match numbers.get(value) {
                    Some(number) if !renews => *number,
                    before => {
                        let number = values.len() as u32;
                        values.push(*value);
                        first.push(before.is_none() && !renews);
                        numbers.insert(*value, number);
                        number
                    }
                };
                lists.get(step).iter().map(number).collect::<Vec<u32>>()
            });
            reads.push(read);
            writes.push(written);
        }
        let weight = |it: &Value| program.weights[*it as usize];
        let untouched = live_in.iter().filter(|it| !numbers.contains_key(it));
        let operation = |it: &Step| &program.operations[*it as usize];
        let operations: Vec<&Operation<'_>> = steps.iter().map(operation).collect();
        let mut stretch = Stretch {
            weights: values.iter().map(weight).collect(),
            live_in: (values.iter().zip(&first))
                .map(|(it, first)| (*first || !repeated) && live_in.contains(it))
                .collect(),
            live_out: (0..)
                .zip(&values)
                .map(|(number, it)| numbers.get(it) == Some(&number) && live_out.contains(it))
                .collect(),
            through: untouched
                .filter(|it| live_out.contains(it))
                .map(weight)
                .sum(),
            scratch: operations.iter().map(|it| it.scratch).collect(),
            latency: (operations.iter())
                .map(|it| latency(it.opcode, &it.modifiers))
                .collect(),
            memory: operations.iter().map(|it| it.accesses_memory()).collect(),
            anchor: (operations.iter())
                .map(|it| it.opcode == "mma" || has_effect(it.opcode, std::iter::empty()))
                .collect(),
            before: vec![Vec::new(); steps.len()],
            after: vec![Vec::new(); steps.len()],
            reads,
            writes,
        };
        stretch.depend(&operations, folded);
        stretch
    }

    fn depend(&mut self, operations: &[&Operation<'_>], folded: &Folded) {
        let mut last_write: Vec<Option<u32>> = vec![None; self.weights.len()];
        let mut last_reads: Vec<Vec<u32>> = vec![Vec::new(); self.weights.len()];
        let mut memory = Memory::default();
        for (index, operation) in operations.iter().enumerate() {
            let mut before = Vec::new();
            for value in &self.reads[index] {
                before.extend(last_write[*value as usize]);
            }
            for value in &self.writes[index] {
                before.extend(last_write[*value as usize]);
                before.extend(&last_reads[*value as usize]);
            }
            memory.order(index as u32, operations, folded, &mut before);
            for value in &self.reads[index] {
                last_reads[*value as usize].push(index as u32);
            }
            for value in &self.writes[index] {
                last_write[*value as usize] = Some(index as u32);
                last_reads[*value as usize].clear();
            }
            debug_assert!(operation.writes.len() >= self.writes[index].len());
            before.sort_unstable();
            before.dedup();
            for it in &before {
                self.after[*it as usize].push(index as u32);
            }
            self.before[index] = before;
        }
    }

    /// The most registers that an order of all instructions needs at once.
    fn registers(&self, order: &[u32]) -> u32 {
        let mut left = self.count_reads();
        let mut live = self.start(&left);
        let mut now = self.through + self.sum(&live);
        let mut most = now;
        for index in order.iter().map(|it| *it as usize) {
            let before = if self.scratch[index] > 0 { now } else { 0 };
            for value in &self.reads[index] {
                let at = *value as usize;
                left[at] -= 1;
                let ends = left[at] == 0 && live[at] && !self.live_out[at];
                if ends && !self.writes[index].contains(value) {
                    live[at] = false;
                    now -= self.weights[at];
                }
            }
            for value in &self.writes[index] {
                let at = *value as usize;
                if !live[at] && (left[at] > 0 || self.live_out[at]) {
                    live[at] = true;
                    now += self.weights[at];
                }
            }
            most = most.max(now.max(before) + self.scratch[index]);
        }
        most
    }

    fn count_reads(&self) -> Vec<u32> {
        let mut counts = vec![0; self.weights.len()];
        for value in self.reads.iter().flatten() {
            counts[*value as usize] += 1;
        }
        counts
    }

    /// The values that are alive at the start.
    fn start(&self, left: &[u32]) -> Vec<bool> {
        let values = 0..self.weights.len();
        values
            .map(|it| self.live_in[it] && (left[it] > 0 || self.live_out[it]))
            .collect()
    }

    fn sum(&self, live: &[bool]) -> u32 {
        let live = live.iter().zip(&self.weights).filter(|(live, _)| **live);
        live.map(|(_, weight)| weight).sum()
    }

    /// From the first on, what the longest chain waits for.
    fn eager(&self) -> Vec<u32> {
        let count = self.reads.len();
        let mut chain = vec![0_u32; count];
        for index in (0..count).rev() {
            let next = self.after[index].iter().map(|it| chain[*it as usize]).max();
            chain[index] = self.latency[index].saturating_add(next.unwrap_or(0));
        }
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

    /// From the last on, what makes the fewest values alive: writes sink to their uses.
    fn lazy(&self) -> Vec<u32> {
        let count = self.reads.len();
        let mut missing: Vec<usize> = self.after.iter().map(Vec::len).collect();
        let all = 0..count as u32;
        let mut ready: BTreeSet<u32> = all.filter(|it| missing[*it as usize] == 0).collect();
        let mut live = self.live_out.clone();
        let mut order = Vec::with_capacity(count);
        let weight = |it: &u32| i64::from(self.weights[*it as usize]);
        loop {
            let key = |index: &u32| {
                let at = *index as usize;
                let (reads, writes) = (&self.reads[at], &self.writes[at]);
                let born = reads
                    .iter()
                    .filter(|it| !live[**it as usize] && !writes.contains(it));
                let ends = || writes.iter().filter(|it| live[**it as usize]);
                let ended: i64 = ends().map(weight).sum();
                let freed: i64 = ends().filter(|it| !reads.contains(it)).map(weight).sum();
                let early = i64::from(self.memory[at] && ended > 1);
                let more = born.map(weight).sum::<i64>() - freed - early;
                (more, -ended, Reverse(*index))
            };
            let best = if ready.len() <= 2 * CANDIDATES {
                ready.iter().copied().min_by_key(key)
            } else {
                let last = ready.iter().rev().take(CANDIDATES);
                let first = ready.iter().take(CANDIDATES);
                last.chain(first).copied().min_by_key(key)
            };
            let Some(index) = best else { break };
            ready.remove(&index);
            order.push(index);
            for value in &self.writes[index as usize] {
                live[*value as usize] = false;
            }
            for value in &self.reads[index as usize] {
                live[*value as usize] = true;
            }
            for before in &self.before[index as usize] {
                let at = *before as usize;
                missing[at] -= 1;
                if missing[at] == 0 {
                    ready.insert(*before);
                }
            }
        }
        order.reverse();
        order
    }

    /// In the order of the text what has an effect, each with all that it needs just before it; and
    /// whatever frees registers at once.
    fn on_demand(&self) -> Vec<u32> {
        let count = self.reads.len();
        let left = self.count_reads();
        let mut emission = Emission {
            stretch: self,
            live: self.live_in.clone(),
            left,
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

/// What [`Stretch::on_demand`] has done so far.
struct Emission<'s> {
    stretch: &'s Stretch,
    live: Vec<bool>,
    /// How many reads of each value are to come.
    left: Vec<u32>,
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
            let before = &self.stretch.before[at];
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
                if !self.done[at] && self.missing[at] == 0 && self.change(index) < 0 {
                    self.place(index, &mut ready);
                }
            }
        }
    }

    /// By how many registers an instruction would change what is alive.
    fn change(&self, index: u32) -> i64 {
        let stretch = self.stretch;
        let (reads, writes) = (
            &stretch.reads[index as usize],
            &stretch.writes[index as usize],
        );
        let weight = |it: &u32| i64::from(stretch.weights[*it as usize]);
        let born = writes.iter().filter(|it| !self.live[**it as usize]);
        let ends = reads.iter().filter(|it| {
            let at = **it as usize;
            self.left[at] == 1 && self.live[at] && !stretch.live_out[at] && !writes.contains(it)
        });
        born.map(weight).sum::<i64>() - ends.map(weight).sum::<i64>()
    }

    fn place(&mut self, index: u32, ready: &mut Vec<u32>) {
        let at = index as usize;
        self.done[at] = true;
        self.order.push(index);
        for value in &self.stretch.reads[at] {
            let value = *value as usize;
            self.left[value] -= 1;
            if self.left[value] == 0 && !self.stretch.live_out[value] {
                self.live[value] = false;
            }
        }
        for value in &self.stretch.writes[at] {
            self.live[*value as usize] = true;
        }
        for next in &self.stretch.after[at] {
            let at = *next as usize;
            self.missing[at] -= 1;
            if self.missing[at] == 0 {
                ready.push(*next);
            }
        }
    }
}

/// The accesses to memory so far, for their order.
#[derive(Default)]
struct Memory {
    barrier: Option<u32>,
    stores: Vec<u32>,
    loads: Vec<u32>,
}

impl Memory {
    /// Adds to `before` what must come before an instruction because of memory.
    fn order(
        &mut self,
        index: u32,
        operations: &[&Operation<'_>],
        folded: &Folded,
        before: &mut Vec<u32>,
    ) {
        let it = operations[index as usize];
        if orders_memory(it.opcode) {
            let leaves = matches!(it.opcode, "bra" | "brx" | "ret" | "exit" | "call");
            let first = self.barrier.map_or(0, |it| it + 1);
            before.extend((first..index).filter(|other| {
                let other = operations[*other as usize];
                leaves || other.accesses_memory() || orders_memory(other.opcode)
            }));
            before.extend(self.barrier);
            *self = Memory {
                barrier: Some(index),
                ..Memory::default()
            };
            return;
        }
        let writes = matches!(it.opcode, "st" | "red" | "atom");
        if !writes && !it.accesses_memory() {
            return;
        }
        before.extend(self.barrier);
        let volatile = it.has("volatile");
        let meets = |other: &&u32| meet(it, operations[**other as usize], folded);
        let recent = |list: &'_ [u32], count: usize| list.len().saturating_sub(count);
        let stores = &self.stores[recent(&self.stores, STORES)..];
        let loads = &self.loads[recent(&self.loads, LOADS)..];
        if writes || volatile {
            let all = volatile || it.opcode != "st";
            before.extend(stores.iter().filter(|it| all || meets(it)));
            before.extend(loads.iter().filter(meets));
            self.stores.push(index);
        } else {
            if !it.has("nc") && !it.has("const") {
                before.extend(stores.iter().filter(meets));
            }
            self.loads.push(index);
        }
    }
}

/// Whether two accesses may touch the same bytes.
fn meet(left: &Operation<'_>, right: &Operation<'_>, folded: &Folded) -> bool {
    let (first, second) = (space(left), space(right));
    if first != second && first.is_some() && second.is_some() {
        return false;
    }
    let (Some((base, start)), Some((other, from))) = (folded.place(left), folded.place(right))
    else {
        return true;
    };
    let same: bool = match (base, other) {
        (Base::Value(a), Base::Value(b)) => a == b,
        (Base::Name(a), Base::Name(b)) => a == b,
        _ => false,
    };
    let apart =
        start.saturating_add(bytes(left)) <= from || from.saturating_add(bytes(right)) <= start;
    !(same && apart)
}

/// The state space of an access; `None` if it is generic.
fn space<'a>(operation: &Operation<'a>) -> Option<&'a str> {
    let spaces = ["shared", "global", "local", "const", "param"];
    let bare = operation
        .modifiers
        .iter()
        .map(|it| it.split("::").next().unwrap_or(it));
    bare.into_iter().find(|it| spaces.contains(it))
}

/// How many bytes an access touches.
fn bytes(operation: &Operation<'_>) -> i64 {
    let mut bytes = 4;
    let mut lanes = 1;
    for word in &operation.modifiers {
        match *word {
            "b8" | "u8" | "s8" => bytes = 1,
            "b16" | "u16" | "s16" | "f16" | "bf16" => bytes = 2,
            "b32" | "u32" | "s32" | "f32" => bytes = 4,
            "b64" | "u64" | "s64" | "f64" => bytes = 8,
            "b128" => bytes = 16,
            "v2" => lanes = 2,
            "v4" => lanes = 4,
            "v8" => lanes = 8,
            _ => {}
        }
    }
    bytes * lanes
}
