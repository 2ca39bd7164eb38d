//! Products of a warpgroup: their registers belong to the matrix unit from the issue to the wait.

use std::collections::BTreeMap;

use isa::{
    event::{EventKind, Group},
    table::tables,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::{
    facts::{Step, Value},
    ids::BlockId,
};
use crate::hir::bound::BoundOperand;
use crate::protocols::{
    kernel::{Kernel, KernelEvent},
    report::{Insertion, Report, report},
    solver::{Domain, solve},
};

const READ: &str = "wgmma-result-before-wait";
const WRITTEN: &str = "wgmma-operand-overwritten";
const FENCE: &str = "wgmma-missing-fence";

/// The age of what is not committed is 0, of the last group 1, and so on to this.
const OLDEST: u8 = 16;

const ISSUE: EventKind = EventKind::Issue(Group::Wgmma);

/// A register that the matrix unit holds.
#[derive(Clone, Copy, PartialEq)]
struct Held {
    age: u8,
    issue: Step,
    /// Whether it is a part of the result.
    result: bool,
}

#[derive(Clone, PartialEq)]
struct WgmmaState {
    held: BTreeMap<Value, Held>,
    /// Whether no group is committed on any way.
    no_group: bool,
    /// Whether a fence was met on some way.
    fenced: bool,
    /// The registers that were written since the last fence, and where.
    written: BTreeMap<Value, Step>,
}

struct WgmmaRule<'k, 'f> {
    kernel: &'k Kernel<'f>,
    /// The events by their instructions.
    events: FxHashMap<Step, &'k KernelEvent>,
    /// The registers of all products.
    registers: FxHashSet<Value>,
    /// Those of their results.
    results: FxHashSet<Value>,
}

impl WgmmaRule<'_, '_> {
    /// The registers of a fragment that a product reads.
    fn fragment(&self, event: &KernelEvent) -> Vec<Value> {
        let operand = self.kernel.operand(event, 0);
        operand
            .filter(BoundOperand::is_vector)
            .map_or_else(Vec::new, |it| self.kernel.registers(it.references))
    }

    fn step(&self, step: Step, state: &mut WgmmaState, tell: &mut dyn FnMut(Telling)) {
        let facts = &self.kernel.flow.facts;
        let (reads, writes) = (
            facts.reads.get(step as usize),
            facts.writes.get(step as usize),
        );
        let event = self.events.get(&step).copied();
        match event.map(|it| it.kind) {
            Some(ISSUE) => {
                let Some(event) = event else {
                    return;
                };
                let fragment = self.fragment(event);
                if !state.fenced {
                    tell(Telling::Unfenced(step, None));
                } else if let Some(it) = writes
                    .iter()
                    .chain(&fragment)
                    .find_map(|it| state.written.get(it))
                {
                    tell(Telling::Unfenced(step, Some(*it)));
                }
                for it in &fragment {
                    if let Some(held) = state.held.get(it)
                        && held.result
                    {
                        tell(Telling::Read(step, *it, *held));
                    }
                }
                for it in writes {
                    if let Some(held) = state.held.get(it)
                        && !held.result
                    {
                        tell(Telling::Written(step, *it, *held));
                    }
                }
                let mut hold = |it: &Value, result| {
                    let held = Held {
                        age: 0,
                        issue: step,
                        result,
                    };
                    state.held.insert(*it, held);
                };
                fragment.iter().for_each(|it| hold(it, false));
                writes.iter().for_each(|it| hold(it, true));
                return;
            }
            Some(EventKind::Commit(_)) => {
                state.no_group = false;
                for held in state.held.values_mut() {
                    held.age = (held.age + 1).min(OLDEST);
                }
            }
            Some(EventKind::Wait(_)) => {
                let left = event.and_then(|it| self.kernel.constant(it, 0));
                let left = left.unwrap_or(0);
                // Another rule tells that nothing is committed.
                let all = state.no_group;
                state.held.retain(|_, it| !all && i64::from(it.age) <= left);
                state.no_group |= left == 0;
            }
            Some(EventKind::RegisterFence) => {
                state.fenced = true;
                state.written.clear();
            }
            _ => {}
        }
        if self.kernel.body.instructions[step as usize].call {
            // A callee may do all of it.
            state.held.clear();
            state.fenced = true;
            state.written.clear();
        }
        // From one accumulator to another: the compiler moves it between two products, and ptxas joins the registers.
        if let (&[from], &[to]) = (reads, writes)
            && facts.copies[step as usize]
            && !facts.guarded[step as usize]
            && self.registers.contains(&to)
            && let Some(held) = state.held.get(&from).copied()
            && held.result
        {
            state.held.insert(to, held);
            state.written.remove(&to);
            return;
        }
        // Between accumulators that are not in flight as well: what was in order before the move still is.
        if let (&[from], &[to]) = (reads, writes)
            && facts.copies[step as usize]
            && !facts.guarded[step as usize]
            && self.results.contains(&from)
            && self.results.contains(&to)
            && !state.held.contains_key(&from)
            && !state.held.contains_key(&to)
        {
            match state.written.get(&from).copied() {
                Some(it) => state.written.insert(to, it),
                None => state.written.remove(&to),
            };
            return;
        }
        for it in reads {
            if let Some(held) = state.held.get(it)
                && held.result
            {
                tell(Telling::Read(step, *it, *held));
            }
        }
        for it in writes {
            if let Some(held) = state.held.get(it) {
                tell(Telling::Written(step, *it, *held));
            }
            if self.registers.contains(it) {
                state.written.insert(*it, step);
            }
        }
    }
}

enum Telling {
    Read(Step, Value, Held),
    Written(Step, Value, Held),
    Unfenced(Step, Option<Step>),
}

impl Domain for WgmmaRule<'_, '_> {
    type State = WgmmaState;

    fn start(&self) -> WgmmaState {
        WgmmaState {
            held: BTreeMap::new(),
            no_group: true,
            // A function may be called after a fence.
            fenced: !self.kernel.entry,
            written: BTreeMap::new(),
        }
    }

    fn run(&self, block: BlockId, state: &mut WgmmaState) {
        for step in self.kernel.flow.graph.blocks[block as usize].clone() {
            self.step(step, state, &mut |_| {});
        }
    }

    fn join(&self, into: &mut WgmmaState, other: &WgmmaState) {
        for (value, held) in &other.held {
            let at = into.held.entry(*value).or_insert(*held);
            if (held.age, held.issue) < (at.age, at.issue) {
                *at = *held;
            }
        }
        into.no_group &= other.no_group;
        into.fenced |= other.fenced;
        for (value, step) in &other.written {
            let at = into.written.entry(*value).or_insert(*step);
            *at = (*at).min(*step);
        }
    }
}

pub(super) fn run(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    let of_group = |it: &&KernelEvent| {
        matches!(
            it.kind,
            EventKind::Issue(Group::Wgmma)
                | EventKind::Commit(Group::Wgmma)
                | EventKind::Wait(Group::Wgmma)
                | EventKind::RegisterFence
        )
    };
    let events: FxHashMap<Step, &KernelEvent> = kernel
        .events
        .iter()
        .filter(of_group)
        .map(|it| (it.step, it))
        .collect();
    if !events.values().any(|it| it.kind == ISSUE) {
        return;
    }
    let mut rule = WgmmaRule {
        kernel,
        events,
        registers: FxHashSet::default(),
        results: FxHashSet::default(),
    };
    for event in rule.events.values().filter(|it| it.kind == ISSUE) {
        let facts = &kernel.flow.facts;
        rule.registers.extend(facts.writes.get(event.step as usize));
        rule.results.extend(facts.writes.get(event.step as usize));
        rule.registers.extend(rule.fragment(event));
    }
    let Some(states) = solve(&kernel.flow.graph, &rule, kernel.check) else {
        return;
    };
    let wait = tables().name_of(EventKind::Wait(Group::Wgmma));
    let mut told: FxHashSet<(&str, Step)> = FxHashSet::default();
    for (block, state) in (0..).zip(states) {
        let Some(mut state) = state else {
            continue;
        };
        for step in kernel.flow.graph.blocks[block as usize].clone() {
            rule.step(step, &mut state, &mut |telling| match telling {
                // One wait, or one fence, repairs all that follows.
                Telling::Read(step, value, held) => {
                    // Nothing waits at all: another rule tells that, at the product.
                    if told.insert((READ, held.issue)) {
                        let register = kernel.register(value);
                        let committed = held.age > 0;
                        let found = report(
                            READ,
                            step,
                            format!("`{register}` is read before the product that writes it is waited for"),
                            format!("`{wait}` makes the results visible, of groups that are committed"),
                        )
                        .related(held.issue, "the product")
                        // Compilers put plain moves before a wait, and ptxas joins their registers.
                        .hint(kernel.flow.facts.copies[step as usize]);
                        reports.push(found.fixed(match committed {
                            true => Insertion::before(step, EventKind::Wait(Group::Wgmma)),
                            false => None,
                        }));
                    }
                }
                Telling::Written(step, value, held) => {
                    if told.insert((WRITTEN, held.issue)) {
                        let register = kernel.register(value);
                        let what = match held.result {
                            true => "writes it",
                            false => "reads it",
                        };
                        let found = report(
                            WRITTEN,
                            step,
                            format!("`{register}` is written while a product that {what} may still run"),
                            format!("the registers of a product belong to it until `{wait}`"),
                        )
                        .related(held.issue, "the product");
                        reports.push(found.fixed(match held.age {
                            0 => None,
                            _ => Insertion::before(step, EventKind::Wait(Group::Wgmma)),
                        }));
                    }
                }
                Telling::Unfenced(step, writer) => {
                    let name = kernel.name(step);
                    let fence = tables().name_of(EventKind::RegisterFence);
                    let (key, message) = match writer {
                        Some(it) => (
                            it,
                            format!("registers of this `{name}` were written since the last `{fence}`"),
                        ),
                        None => (Step::MAX, format!("no `{fence}` comes before this `{name}`")),
                    };
                    if told.insert((FENCE, key)) {
                        let mut found = report(
                            FENCE,
                            step,
                            message,
                            "the fence orders the registers before the product, which is asynchronous",
                        )
                        .fixed(Insertion::before(step, EventKind::RegisterFence));
                        if let Some(it) = writer {
                            // Compilers put plain moves after a fence, and ptxas moves the fence.
                            let copies = kernel.flow.facts.copies[it as usize];
                            found = found.related(it, "the write").hint(copies);
                        }
                        reports.push(found);
                    }
                }
            });
        }
    }
    calls(kernel, reports);
}

/// How many more calls are named beside the first one.
const MAX_NAMED: usize = 7;

/// Calls that stay calls beside products: ptxas then runs the products one by one. One of them is enough, so all are
/// told of together.
fn calls(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    let all = (0..).zip(&kernel.body.instructions);
    let mut calls = all
        .filter(|(step, it)| it.call && kernel.is_foreign_call(*step))
        .map(|it| it.0);
    let Some(first) = calls.next() else {
        return;
    };
    let mut found = report(
        "serialized-wgmma",
        first,
        "ptxas runs the `wgmma` of this function one after the other because of this call"
            .to_owned(),
        "only functions of the module are inlined; what stays a call ends every pipeline of products",
    );
    for it in calls.take(MAX_NAMED) {
        found = found.related(it, "another such call");
    }
    reports.push(found);
}
