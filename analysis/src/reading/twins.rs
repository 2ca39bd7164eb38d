//! Branches that do nearly the same, such as those of two groups of warps: the second has the names of the first, so that
//! its text is the same but for the numbers.

use std::{hash::BuildHasher, ops::Range};

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::{
    alignment::align,
    flow::{
        graph::Graph,
        ids::{Step, Value},
    },
};

use super::{
    line::Row,
    plan::Plan,
    structure::{Item, List, Structure},
    subject::Subject,
};

/// Instructions of a branch at least.
const MIN_STEPS: usize = 64;
/// The largest branches that are compared, and instructions that all comparisons may read.
const MAX_BRANCHES: usize = 48;
const MAX_COMPARED: usize = 2_000_000;
/// The percentage of the instructions of a branch that one inside it has, if it is not compared itself.
const MOST: usize = 90;
/// The percentage of instructions that two branches share at least.
const MIN_SHARED: usize = 80;

/// Groups of branches that do nearly the same.
#[derive(Default)]
pub(super) struct Twins {
    /// The lists of each group, at least two, in the order of the text.
    pub(super) groups: Vec<Vec<List>>,
    /// For each register of another branch, the one that does its work in the first branch. All are used in their branch only.
    pub(super) names: FxHashMap<Value, Value>,
}

/// A branch with its instructions, in the order of the text.
struct Branch {
    list: List,
    steps: Vec<Step>,
    keys: Vec<u64>,
    /// The places of its first row and after its last one, in the order of the text.
    rows: Range<usize>,
}

impl Twins {
    /// Finds the groups among the branches that are lists of the structure and of these rows.
    pub(super) fn new(
        subject: &Subject<'_>,
        structure: &Structure,
        plan: &Plan,
        lists: &[Vec<Row>],
    ) -> Twins {
        let mut branches = branches(structure, &subject.flow.graph, lists);
        branches.sort_by_key(|it| (std::cmp::Reverse(it.steps.len()), it.rows.start));
        branches.truncate(MAX_BRANCHES);
        for branch in &mut branches {
            branch.keys = branch.steps.iter().map(|it| key(subject, *it)).collect();
        }
        let mut twins = Twins::default();
        let mut used: Vec<Range<usize>> = Vec::new();
        let mut compared = 0;
        for (index, one) in branches.iter().enumerate() {
            let mut group = vec![one];
            for other in &branches[index + 1..] {
                let meet = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
                let is_used = used
                    .iter()
                    .any(|it| meet(it, &one.rows) || meet(it, &other.rows));
                let (long, short) = (one.steps.len(), other.steps.len());
                if is_used || meet(&one.rows, &other.rows) || short * 100 < long * MIN_SHARED {
                    continue;
                }
                compared += long + short;
                if compared > MAX_COMPARED {
                    break;
                }
                let pairs = align(&one.keys, &other.keys);
                if pairs.len() * 200 < (long + short) * MIN_SHARED {
                    continue;
                }
                used.push(other.rows.clone());
                group.push(other);
            }
            if group.len() < 2 {
                continue;
            }
            used.push(one.rows.clone());
            group.sort_by_key(|it| it.rows.start);
            for other in &group[1..] {
                let pairs = align(&group[0].keys, &other.keys);
                twins.name(subject, plan, group[0], other, &pairs);
            }
            twins.groups.push(group.iter().map(|it| it.list).collect());
        }
        twins
    }

    /// Pairs the registers of instructions that belong together.
    fn name(
        &mut self,
        subject: &Subject<'_>,
        plan: &Plan,
        first: &Branch,
        second: &Branch,
        pairs: &[(usize, usize)],
    ) {
        let own = [first, second].map(|it| own_registers(subject, plan, &it.steps));
        let mut taken: FxHashSet<Value> = FxHashSet::default();
        for (a, b) in pairs {
            let writes = |step: Step| subject.flow.facts.writes.get(step as usize);
            let (a, b) = (writes(first.steps[*a]), writes(second.steps[*b]));
            if a.len() != b.len() {
                continue;
            }
            for (x, y) in a.iter().zip(b) {
                if own[0].contains(x)
                    && own[1].contains(y)
                    && !self.names.contains_key(y)
                    && taken.insert(*x)
                {
                    self.names.insert(*y, *x);
                }
            }
        }
    }
}

/// The branches of some size, with their places in the text.
fn branches(structure: &Structure, graph: &Graph, lists: &[Vec<Row>]) -> Vec<Branch> {
    let mut found: Vec<Branch> = Vec::new();
    let mut place = 0;
    // Lists with the next of their rows, and where they began.
    let mut open: Vec<(List, usize, usize, bool)> = vec![(0, 0, 0, false)];
    while let Some((list, next, start, branch)) = open.last_mut() {
        let Some(row) = lists[*list].get(*next) else {
            let (list, start) = (*list, *start);
            if *branch && list < structure.lists.len() {
                let steps = steps(structure, graph, list);
                // Those inside it are the last ones.
                let inside = found.iter().rev().take_while(|it| it.rows.start >= start);
                let most = inside.map(|it| it.steps.len()).max().unwrap_or(0);
                if steps.len() >= MIN_STEPS && most * 100 < steps.len() * MOST {
                    found.push(Branch {
                        list,
                        steps,
                        keys: Vec::new(),
                        rows: start..place,
                    });
                }
            }
            open.pop();
            continue;
        };
        *next += 1;
        place += 1;
        match row {
            Row::If(_, inner, _) | Row::Else(inner) => open.push((*inner, 0, place, true)),
            Row::Nest(_, inner, _) | Row::Only(_, inner) => open.push((*inner, 0, place, false)),
            Row::Line(_) | Row::Leave(_) | Row::Break => {}
        }
    }
    found
}

/// The registers that only statements of some instructions name.
fn own_registers(subject: &Subject<'_>, plan: &Plan, steps: &[Step]) -> FxHashSet<Value> {
    let facts = &subject.flow.facts;
    let inside: FxHashSet<Step> = steps.iter().copied().collect();
    let accessed = |step: Step| {
        let (reads, writes) = (&facts.reads, &facts.writes);
        let index = step as usize;
        reads.get(index).iter().chain(writes.get(index)).copied()
    };
    let mut own: FxHashSet<Value> = steps.iter().flat_map(|it| accessed(*it)).collect();
    for step in (0..facts.len() as Step).filter(|it| !inside.contains(it)) {
        let shown = plan.inside[step as usize].iter().copied();
        for value in shown.chain([step]).flat_map(accessed) {
            own.remove(&value);
        }
    }
    own
}

fn key(subject: &Subject<'_>, step: Step) -> u64 {
    let Some(instruction) = subject.get(step) else {
        return 0;
    };
    let form = instruction.id.data(instruction.db);
    FxBuildHasher.hash_one((&form.opcode, &form.words, form.negated))
}

/// The instructions of a list and of those inside it, in the order of the text.
fn steps(structure: &Structure, graph: &Graph, list: List) -> Vec<Step> {
    let mut found = Vec::new();
    let mut open: Vec<(List, usize)> = vec![(list, 0)];
    while let Some((list, next)) = open.last_mut() {
        let Some(item) = structure.lists[*list].get(*next) else {
            open.pop();
            continue;
        };
        *next += 1;
        match item {
            Item::Steps(block) => found.extend(graph.blocks[*block as usize].clone()),
            Item::Loop(_, inner) => open.push((*inner, 0)),
            Item::If(_, then, otherwise) => open.extend([(*otherwise, 0), (*then, 0)]),
            Item::Table(_, cases) => open.extend(cases.iter().rev().map(|it| (*it, 0))),
            Item::Label(_) | Item::Jump(_) | Item::Leave(_) => {}
        }
    }
    found
}
