//! The plan of a reading: which instructions have a statement of their own, and which are told inside others.
//!
//! The result of an instruction that is read once is put into the statement that reads it, as long as everything that it
//! reads is the same there. Sums of addresses are told wherever they are read, for an element of an array says more.

use isa::{
    compute::Operation,
    semantics::{Control, Order},
};

use crate::{
    flow::ids::{BlockId, Step, Value},
    hir::{body::Target, bound::Bound},
    values::Values,
};

use super::{
    combination::{combination, is_copy, operation_of, takes_apart},
    subject::Subject,
};

/// Operations and loads in one statement at most, for each element of the vector that it reads.
const MAX_WEIGHT: u32 = 8;
/// The same of an address that several statements have.
const MAX_SHARED_WEIGHT: u32 = 4;
/// Statements that tell one instruction.
const MAX_OWNERS: usize = 64;
/// Writes of a register that are told apart, and blocks in which they are searched.
const MAX_WRITES: usize = 8;
const MAX_BLOCKS: usize = 256;

/// The plan of a function.
pub(super) struct Plan {
    /// Whether each instruction has a statement; its results have the names of their registers.
    pub(super) named: Vec<bool>,
    /// The instructions that the statement of each tells as well, ascending.
    pub(super) inside: Vec<Vec<Step>>,
    /// The instructions that read what each writes, ascending, if nothing else may have written what any of them reads;
    /// else none.
    pub(super) readers: Vec<Vec<Step>>,
}

/// A register that must have the same value in a statement as at an instruction that is told there.
type Read = (Value, Step);

/// The known facts about the instructions on the way to a plan.
struct Facts {
    /// The instructions that read what each writes, if nothing else may have written that; else none.
    readers: Vec<Vec<Step>>,
    /// Whether a result has a name because a read may get it or another one.
    variable: Vec<bool>,
    /// Whether the results are only parts of addresses.
    address: Vec<bool>,
    /// The registers with several writes that are read, and loads, by each instruction and those inside it.
    reads: Vec<Vec<Read>>,
    loads: Vec<Vec<Step>>,
    weight: Vec<u32>,
    /// The instructions after which memory may have other contents, ascending.
    clobbers: Vec<Step>,
}

impl Plan {
    /// The plan of a function, `forced` having the instructions that must have names.
    pub(super) fn new(subject: &Subject<'_>, values: &Values<'_>, forced: &[bool]) -> Plan {
        let plan = Plan::once(subject, values, forced);
        // Where what is taken apart has names, others need none.
        let mut again = forced.to_vec();
        for (step, named) in (0..).zip(&plan.named) {
            again[step as usize] |= *named && takes_apart(subject, values, step);
        }
        match again == forced {
            true => plan,
            false => Plan::once(subject, values, &again),
        }
    }

    fn once(subject: &Subject<'_>, values: &Values<'_>, forced: &[bool]) -> Plan {
        let count = subject.flow.facts.len();
        let mut facts = Facts::of(subject, values);
        facts.find_addresses(subject);
        let mut named = vec![true; count];
        for step in 0..count as Step {
            named[step as usize] = forced.get(step as usize) == Some(&true)
                || !facts.may_be_inside(subject, values, step);
            facts.weigh(subject, values, step, &mut named);
        }
        let mut owners: Vec<Vec<Step>> = vec![Vec::new(); count];
        for step in (0..count as Step).rev() {
            let index = step as usize;
            if !named[index] {
                let mut found: Vec<Step> = Vec::new();
                for reader in &facts.readers[index] {
                    found.extend(&owners[*reader as usize]);
                }
                found.sort_unstable();
                found.dedup();
                // An address that is a name says more than the name of a register.
                let many = found.len() > MAX_OWNERS && !is_address_of(subject, step);
                named[index] = many
                    || !found
                        .iter()
                        .all(|it| facts.holds(subject, values, step, *it));
                owners[index] = found;
            }
            if named[index] {
                owners[index] = vec![step];
            }
        }
        let mut inside = vec![Vec::new(); count];
        for (step, owners) in (0..).zip(&owners) {
            for owner in owners {
                if *owner != step {
                    inside[*owner as usize].push(step);
                }
            }
        }
        // Reads that may get another result as well are not among the readers.
        let variable = facts.readers.iter_mut().zip(&facts.variable);
        variable.filter(|it| *it.1).for_each(|it| it.0.clear());
        Plan {
            named,
            inside,
            readers: facts.readers,
        }
    }
}

impl Facts {
    fn of(subject: &Subject<'_>, values: &Values<'_>) -> Facts {
        let flow = &subject.flow.facts;
        let count = flow.len();
        let chains = values.chains();
        let mut facts = Facts {
            readers: vec![Vec::new(); count],
            variable: vec![false; count],
            address: vec![false; count],
            reads: vec![Vec::new(); count],
            loads: vec![Vec::new(); count],
            weight: vec![0; count],
            clobbers: Vec::new(),
        };
        for step in 0..count as Step {
            let semantics = subject.semantics(step);
            let ordered = !matches!(semantics.order, Order::None);
            if ordered || !semantics.writes.is_empty() || semantics.control == Control::Call {
                facts.clobbers.push(step);
            }
            for value in flow.reads.get(step as usize) {
                let writes = chains.writes(*value);
                let found = match writes {
                    [only] if !flow.keeps[*only as usize] => Some(vec![*only]),
                    [] => continue,
                    _ => chains.few_reaching_writes(*value, step, MAX_WRITES, MAX_BLOCKS),
                };
                match found.as_deref() {
                    Some([only]) if !flow.keeps[*only as usize] => {
                        facts.readers[*only as usize].push(step);
                    }
                    found => {
                        for write in found.unwrap_or(writes) {
                            facts.variable[*write as usize] = true;
                        }
                    }
                }
            }
        }
        facts
    }

    /// Finds the results that are only parts of addresses.
    fn find_addresses(&mut self, subject: &Subject<'_>) {
        for step in (0..self.readers.len() as Step).rev() {
            let index = step as usize;
            let [written] = *subject.flow.facts.writes.get(index) else {
                continue;
            };
            let is_address = |reader: &Step| {
                let times = |it: &[Value]| it.iter().filter(|it| **it == written).count();
                let all = subject.flow.facts.reads.get(*reader as usize);
                self.address[*reader as usize] || times(&subject.in_brackets(*reader)) == times(all)
            };
            let readers = &self.readers[index];
            self.address[index] =
                !readers.is_empty() && is_sum(subject, step) && readers.iter().all(is_address);
        }
    }

    fn may_be_inside(&self, subject: &Subject<'_>, values: &Values<'_>, step: Step) -> bool {
        let (index, flow) = (step as usize, &subject.flow.facts);
        let readers = &self.readers[index];
        if self.variable[index]
            || flow.guarded[index]
            || flow.keeps[index]
            || flow.writes.get(index).is_empty()
            || readers.is_empty()
            || !readers
                .iter()
                .all(|it| *it > step && values.precedes(step, *it))
        {
            return false;
        }
        if takes_apart(subject, values, step) {
            return true;
        }
        if flow.writes.get(index).len() != 1 {
            return false;
        }
        if subject.parameter(step).is_some() {
            return true;
        }
        // The stages of a reduction are one line.
        if let Some(it) = combination(subject, values, step)
            && combination(subject, values, it.source).is_some()
        {
            return false;
        }
        if subject.is_movable_load(step) {
            return readers.len() == 1;
        }
        if !values.has_program(step) || subject.reads_clock(step) {
            return false;
        }
        is_copy(subject, step)
            || self.address[index]
            || readers.len() == 1 && {
                // One product and sum is one line.
                let own = operation_of(subject, step);
                own != Some(Operation::MultiplyAdd) || own != operation_of(subject, readers[0])
            }
    }

    /// Weighs an instruction with those inside it, and takes the heaviest out if that is too much.
    fn weigh(
        &mut self,
        subject: &Subject<'_>,
        values: &Values<'_>,
        step: Step,
        named: &mut [bool],
    ) {
        let index = step as usize;
        let flow = &subject.flow.facts;
        let parameter = subject.parameter(step).is_some();
        let own = match is_copy(subject, step) || parameter {
            true => 0,
            false => 1,
        };
        let mut sources: Vec<Step> = Vec::new();
        let mut reads: Vec<Read> = Vec::new();
        for value in flow.reads.get(index) {
            match *values.chains().writes(*value) {
                [only] => sources.push(only),
                [] => {}
                _ => match values
                    .chains()
                    .few_reaching_writes(*value, step, 1, MAX_BLOCKS)
                    .as_deref()
                {
                    Some([only]) if !named[*only as usize] => sources.push(*only),
                    _ => reads.push((*value, step)),
                },
            }
        }
        sources.retain(|it| *it < step && !named[*it as usize]);
        let shared =
            !named[index] && self.readers[index].len() > 1 && own + sources.len() as u32 > 0;
        let most = if shared {
            MAX_SHARED_WEIGHT
        } else {
            MAX_WEIGHT * subject.width(step)
        };
        loop {
            // An address becomes an index, which is short.
            let part = |it: &Step| match self.address[*it as usize] && !self.address[index] {
                true => self.weight[*it as usize] / 4,
                false => self.weight[*it as usize],
            };
            let weight: u32 = sources.iter().map(part).sum();
            self.weight[index] = own + weight;
            if own + weight <= most {
                break;
            }
            // What several statements tell stays inside them.
            let heaviest = sources
                .iter()
                .copied()
                .max_by_key(|it| self.weight[*it as usize]);
            match heaviest.filter(|it| self.weight[*it as usize] > 0) {
                Some(it) => {
                    named[it as usize] = true;
                    self.weight[it as usize] = 0;
                    sources.retain(|other| *other != it);
                }
                None => break,
            }
        }
        let mut loads: Vec<Step> = Vec::new();
        for source in &sources {
            reads.extend(&self.reads[*source as usize]);
            loads.extend(&self.loads[*source as usize]);
        }
        if !named[index] && !parameter && subject.is_movable_load(step) {
            loads.push(step);
        }
        reads.sort_unstable();
        reads.dedup();
        if named[index] {
            self.weight[index] = 0;
            (reads, loads) = (Vec::new(), Vec::new());
        }
        (self.reads[index], self.loads[index]) = (reads, loads);
    }

    /// Whether all that an instruction and those inside it read is the same in a statement.
    fn holds(&self, subject: &Subject<'_>, values: &Values<'_>, step: Step, owner: Step) -> bool {
        let block = |it: Step| subject.flow.graph.block_of[it as usize];
        let loads = self.loads[step as usize].iter().all(|it| {
            let next = self.clobbers.partition_point(|clobber| clobber < it);
            block(*it) == block(owner) && self.clobbers.get(next).is_none_or(|it| *it >= owner)
        });
        loads
            && self.reads[step as usize].iter().all(|(value, at)| {
                let writes = values.chains().writes(*value);
                is_kept(subject, writes, *at, owner)
            })
    }
}

/// Whether none of some writes happens from an instruction until a later one.
fn is_kept(subject: &Subject<'_>, writes: &[Step], from: Step, to: Step) -> bool {
    let graph = &subject.flow.graph;
    let (first, last) = (graph.block_of[from as usize], graph.block_of[to as usize]);
    let any = |range: std::ops::Range<Step>| {
        let next = writes.partition_point(|it| *it < range.start);
        writes.get(next).is_some_and(|it| *it < range.end)
    };
    if first == last && from <= to {
        return !any(from..to);
    }
    if any(from..graph.blocks[first as usize].end) || any(graph.blocks[last as usize].start..to) {
        return false;
    }
    // The blocks between, back from the last one to the first; a loop comes back to the last one.
    let mut seen: Vec<BlockId> = Vec::new();
    let mut next = Some(last);
    let mut at = 0;
    while let Some(block) = next {
        for before in graph.predecessors.get(block as usize) {
            if *before == first || seen.contains(before) {
                continue;
            }
            if seen.len() == MAX_BLOCKS.min(64) || any(graph.blocks[*before as usize].clone()) {
                return false;
            }
            seen.push(*before);
        }
        next = seen.get(at).copied();
        at += 1;
    }
    true
}

/// Whether an instruction only copies the address of a variable.
fn is_address_of(subject: &Subject<'_>, step: Step) -> bool {
    let facts = &subject.flow.facts;
    let source = subject.get(step).and_then(|it| it.operand(1));
    let is_variable = source.is_some_and(|it| match it.bound() {
        Bound::Name(name, None) => {
            facts.value(name).is_none()
                && matches!(name.target, Target::Definition(_) | Target::Free(_))
        }
        _ => false,
    });
    is_variable && is_copy(subject, step)
}

/// Whether an instruction adds numbers, or multiplies one by a constant.
fn is_sum(subject: &Subject<'_>, step: Step) -> bool {
    let constant = || {
        let operands = subject.get(step).into_iter().flat_map(|it| it.operands());
        operands
            .into_iter()
            .any(|it| matches!(it.bound(), Bound::Integer(_)))
    };
    is_copy(subject, step)
        || match operation_of(subject, step) {
            Some(Operation::Add | Operation::Subtract) => true,
            Some(
                Operation::Multiply
                | Operation::MultiplyWide
                | Operation::MultiplyAdd
                | Operation::MultiplyAddWide
                | Operation::ShiftLeft,
            ) => constant(),
            _ => false,
        }
}
