//! How many registers a block needs when its instructions are put into other orders.
//!
//! ptxas orders anew. Two orders bracket what it does: one keeps as few values live as possible, the
//! other starts every long operation as early as possible. A third one between them tells where most
//! values are live: it starts early as long as registers cost nothing, and spares them then.

use isa::semantics::{Access, Control, Location, Order, Proxy, Together};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::{
    facts::{Step, Value},
    ids::Base,
    operation::Operation,
};

use super::{fold::Folded, program::Program, turn::Fate};

/// Longer blocks are cut, so that the work grows with their length and not with its square.
const MAX_LENGTH: usize = 1600;
/// So many registers of values cost no occupancy on most targets: 32, without what ptxas adds.
pub(super) const FREE: u32 = 26;
/// How many earlier stores and loads an access is compared with.
const STORES: usize = 64;
const LOADS: usize = 128;

/// The registers that a block needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// In the order that needs the fewest.
    pub(super) low: u32,
    /// In the order that waits the least.
    pub(super) high: u32,
    /// Alive at each instruction in an order between the two, parallel to the instructions.
    pub(super) reordered: Vec<u32>,
}

/// The needs of a block: its instructions that are left, and the values that are live at its borders.
pub(super) fn needs(
    program: &Program<'_>,
    folded: &Folded,
    steps: &[Step],
    live_in: &FxHashSet<Value>,
    live_out: FxHashSet<Value>,
) -> Needs {
    let mut found = Needs {
        reordered: vec![0; steps.len()],
        ..Needs::default()
    };
    let mut after = live_out;
    let curves = found.reordered.chunks_mut(MAX_LENGTH);
    for (index, (steps, curve)) in steps.chunks(MAX_LENGTH).zip(curves).enumerate().rev() {
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
        let all: Vec<(Step, Fate)> = steps.iter().map(|it| (*it, Fate::Stays)).collect();
        let stretch = Stretch::new(program, folded, &all, &before, &after, false);
        let eager = stretch.registers(&stretch.eager());
        let lazy = stretch.registers(&stretch.lazy());
        let on_demand = stretch.registers(&stretch.on_demand());
        let sharing = stretch.registers(&stretch.sharing());
        let low = lazy.min(on_demand).min(eager).min(sharing);
        let mut most = 0;
        stretch.walk(&stretch.balanced(FREE.max(low)), |index, alive| {
            curve[index] = alive;
            most = most.max(alive);
        });
        found.low = found.low.max(low.min(most));
        found.high = found.high.max(eager);
        after = before;
    }
    found
}

/// The registers that the turns of an unrolled loop need in the order that waits the least: the
/// instructions of all turns that are left, and the values that are live at the borders of the loop.
pub(super) fn unrolled(
    program: &Program<'_>,
    folded: &Folded,
    steps: &[(Step, Fate)],
    live_in: &FxHashSet<Value>,
    live_out: &FxHashSet<Value>,
) -> u32 {
    let stretch = Stretch::new(program, folded, steps, live_in, live_out, true);
    stretch.registers(&stretch.eager())
}

/// Some consecutive instructions with numbers of their own for the values that they touch.
pub(super) struct Stretch {
    pub(super) reads: Vec<Vec<u32>>,
    pub(super) writes: Vec<Vec<u32>>,
    /// How many registers each value takes.
    pub(super) weights: Vec<u32>,
    pub(super) live_in: Vec<bool>,
    pub(super) live_out: Vec<bool>,
    /// The registers of values that live through and are not touched.
    pub(super) through: u32,
    pub(super) scratch: Vec<u32>,
    pub(super) latency: Vec<u32>,
    pub(super) memory: Vec<bool>,
    /// Instructions that emission on demand starts from.
    pub(super) anchor: Vec<bool>,
    /// The instructions that must come before each instruction, sorted, and those after it.
    pub(super) before: Vec<Vec<u32>>,
    pub(super) after: Vec<Vec<u32>>,
}

impl Stretch {
    fn new(
        program: &Program<'_>,
        folded: &Folded,
        all: &[(Step, Fate)],
        live_in: &FxHashSet<Value>,
        live_out: &FxHashSet<Value>,
        repeated: bool,
    ) -> Stretch {
        // `None` for values that are constant by now.
        let mut numbers: FxHashMap<Value, Option<u32>> = FxHashMap::default();
        let mut values: Vec<Value> = Vec::new();
        // The values that have the first of several numbers.
        let mut first: Vec<bool> = Vec::new();
        let (mut steps, mut reads, mut writes) = (Vec::new(), Vec::new(), Vec::new());
        for (step, fate) in all {
            let at = *step as usize;
            let mut number = |value: &Value, renews: bool| match numbers.get(value) {
                Some(number) if !renews => *number,
                before => {
                    let number = values.len() as u32;
                    values.push(*value);
                    first.push(before.is_none() && !renews);
                    numbers.insert(*value, Some(number));
                    Some(number)
                }
            };
            let read = folded.reads.get(at).iter();
            let read: Vec<u32> = read.filter_map(|it| number(it, false)).collect();
            let moved = match (fate, &read[..]) {
                (Fate::Constant, _) => Some(None),
                (Fate::Offset, [base]) => Some(Some(*base)),
                _ => None,
            };
            if let Some(moved) = moved {
                numbers.extend(folded.writes.get(at).iter().map(|it| (*it, moved)));
                continue;
            }
            // In a loop that repeats, each write makes a new value, as in the code of ptxas.
            let renews = repeated && !program.operations[at].keeps;
            let written = folded.writes.get(at).iter();
            writes.push(written.filter_map(|it| number(it, renews)).collect());
            reads.push(read);
            steps.push(*step);
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
            live_out: Vec::new(),
            through: untouched
                .filter(|it| live_out.contains(it))
                .map(weight)
                .sum(),
            scratch: operations.iter().map(|it| it.scratch).collect(),
            latency: (operations.iter())
                .map(|it| it.semantics.cost.latency)
                .collect(),
            memory: operations.iter().map(|it| it.accesses_memory()).collect(),
            anchor: (operations.iter())
                .map(|it| {
                    let semantics = &it.semantics;
                    let shared = semantics.together != Together::Nobody && !semantics.loads();
                    semantics.stays() || shared
                })
                .collect(),
            before: vec![Vec::new(); steps.len()],
            after: vec![Vec::new(); steps.len()],
            reads,
            writes,
        };
        stretch.live_out = vec![false; stretch.weights.len()];
        let last = live_out.iter().filter_map(|it| *numbers.get(it)?);
        for number in last {
            stretch.live_out[number as usize] = true;
        }
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
}

/// The accesses to memory so far, for their order.
#[derive(Default)]
struct Memory {
    barrier: Option<u32>,
    volatile: Option<u32>,
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
        if it.is_barrier() {
            let leaves = it.semantics.control != Control::Next;
            // What waits for others holds back the accesses after it; loads before it may follow it.
            let waits = !leaves && matches!(it.semantics.order, Order::Acquire | Order::Copies);
            let first = self.barrier.map_or(0, |it| it + 1);
            before.extend((first..index).filter(|number| {
                let other = operations[*number as usize];
                let follows = || waits && self.loads.binary_search(number).is_ok();
                leaves || (other.accesses_memory() || other.is_barrier()) && !follows()
            }));
            before.extend(self.barrier);
            let loads = std::mem::take(&mut self.loads);
            if !waits {
                before.extend(&loads);
            }
            *self = Memory {
                barrier: Some(index),
                loads: if waits { loads } else { Vec::new() },
                ..Memory::default()
            };
            return;
        }
        let semantics = &it.semantics;
        let writes = !semantics.writes.is_empty();
        if !semantics.accesses_memory() {
            return;
        }
        before.extend(self.barrier);
        if semantics.order == Order::Volatile {
            before.extend(self.volatile.replace(index));
        }
        let meets = |other: &&u32| meet(it, operations[**other as usize], folded);
        let recent = |list: &'_ [u32], count: usize| list.len().saturating_sub(count);
        let stores = &self.stores[recent(&self.stores, STORES)..];
        let loads = &self.loads[recent(&self.loads, LOADS)..];
        if writes {
            let all = !semantics.reads.is_empty();
            before.extend(stores.iter().filter(|it| all || meets(it)));
            before.extend(loads.iter().filter(meets));
            self.stores.push(index);
        } else {
            if semantics.reads.iter().any(|it| it.proxy != Proxy::Readonly) {
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
    let (true, Some((base, start)), Some((other, from))) = (
        is_plain(left) && is_plain(right),
        folded.place(left),
        folded.place(right),
    ) else {
        return true;
    };
    let same: bool = match (base, other) {
        (Base::Value(a), Base::Value(b)) => a == b,
        (Base::Symbol(a), Base::Symbol(b)) => a == b,
        _ => false,
    };
    let apart =
        start.saturating_add(bytes(left)) <= from || from.saturating_add(bytes(right)) <= start;
    !(same && apart)
}

/// Whether an instruction accesses as many bytes as its type and vector have, at one address.
fn is_plain(operation: &Operation<'_>) -> bool {
    let accesses = operation.semantics.reads.iter();
    let mut accesses = accesses.chain(operation.semantics.writes);
    accesses.all(Access::is_plain)
}

/// The state space of an access; `None` if it is generic, or if there are several.
fn space<'a>(operation: &Operation<'a>) -> Option<&'a str> {
    let accesses = operation.semantics.reads.iter();
    let mut accesses = accesses.chain(operation.semantics.writes);
    let named = |it: &Location| match it {
        Location::Space(space) => Some(*space),
        _ => None,
    };
    let first = accesses.next().and_then(|it| named(&it.location));
    if let Some(space) = first {
        let only = accesses.all(|it| named(&it.location) == first);
        return Some(space).filter(|it| only && matches!(*it, "shared" | "tmem" | "global"));
    }
    let spaces = ["shared", "global", "local", "const", "param"];
    let bare = operation
        .words()
        .iter()
        .map(|it| it.split("::").next().unwrap_or(it));
    bare.into_iter().find(|it| spaces.contains(it))
}

/// How many bytes an access touches.
fn bytes(operation: &Operation<'_>) -> i64 {
    let mut bytes = 4;
    let mut lanes = 1;
    for word in operation.words() {
        match &**word {
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
