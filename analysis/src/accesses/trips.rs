//! How often loops run.

use isa::compute::{Binary, LANES, Node, Op, Width};

use crate::{
    flow::ids::BlockId,
    values::{Leaf, joins::LeafSource, lanes::LaneSamples},
};

/// Turns of a loop that are computed one after the other at most.
const MAX_TURNS: u32 = 256;

/// The iterations of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trips {
    /// A number, or an expression that is rounded up.
    pub(super) text: String,
    pub(super) count: Option<u64>,
}

/// A comparison of two numbers; the loop continues while it holds.
#[derive(Clone, Copy, Debug)]
struct Comparison {
    relation: Relation,
    a: Node,
    b: Node,
    signed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    NotEqual,
}

/// The iterations of a loop with one exit, whose test compares a counter with a number that the loop does not change, or
/// depends on the place of the thread only.
pub(super) fn trips(
    samples: &mut LaneSamples<'_>,
    index: u32,
    names: &dyn Fn(u32) -> Option<String>,
) -> Option<Trips> {
    let flow = samples.flow();
    let graph = &flow.graph;
    let head = graph.loops.get(index as usize)?.head;
    let [exit] = samples.exits_of(index) else {
        return None;
    };
    let exit = *exit;
    let latches: Vec<BlockId> = (graph.predecessors.get(head as usize).iter().copied())
        .filter(|it| graph.reachable[*it as usize] && graph.in_loop(*it, index))
        .collect();
    // Each iteration comes to the test, and no inner loop runs it more than once.
    let [latch] = latches[..] else { return None };
    if graph.loop_of[exit as usize] != Some(index) || !samples.dominates(exit, latch) {
        return None;
    }
    let last = graph.blocks[exit as usize].end - 1;
    let [target] = flow.facts.targets.get(last as usize) else {
        return None;
    };
    let target = graph.block_of.get(*target as usize).copied();
    let stays = target.is_some_and(|it| graph.in_loop(it, index));
    let condition = samples.branch(exit)?;
    let compared = compared(samples, index, exit, latch, condition, stays, names);
    if compared.as_ref().is_some_and(|it| it.count.is_some()) {
        return compared;
    }
    let turns = counted_turns(samples, index, exit, condition, stays);
    let counted = turns.map(|it| {
        let count = it + u64::from(exit != head || head == latch);
        Trips {
            text: count.to_string(),
            count: Some(count),
        }
    });
    counted.or(compared)
}

/// How many turns of a loop end with a branch that stays in it, computed turn by turn; `None` unless all threads of the
/// block have the same number, whatever is unknown.
fn counted_turns(
    samples: &mut LaneSamples<'_>,
    index: u32,
    exit: BlockId,
    condition: Node,
    stays: bool,
) -> Option<u64> {
    samples.leaves_of(condition)?;
    for leaf in samples.origins(condition) {
        let known = match samples.source(leaf)? {
            LeafSource::Phi(phi) => {
                phi.index == Some(index) && phi.entry.len() == 1 && phi.back.len() == 1
            }
            it => it.is_place() && samples.shape.threads.is_some(),
        };
        if !known {
            return None;
        }
    }
    let graph = &samples.flow().graph;
    let before = graph.dominator[graph.loops[index as usize].head as usize]?;
    let mut found = None;
    for warp in 0..samples.shape.warps().max(1) {
        samples.begin(warp);
        let lanes = samples.lanes_in(before);
        if lanes == 0 {
            continue;
        }
        let stays_after = |it: u64| (it & 1 == 1) == stays;
        let mut turn = 0;
        loop {
            let truths = samples.in_turn(condition, exit, turn);
            let staying = (0..LANES).filter(|it| lanes >> it & 1 == 1 && stays_after(truths[*it]));
            match staying.count() as u32 {
                0 => break,
                it if it == lanes.count_ones() && turn < MAX_TURNS => turn += 1,
                _ => return None,
            }
        }
        if *found.get_or_insert(turn) != turn {
            return None;
        }
    }
    found.map(u64::from)
}

/// The iterations of a loop whose test is a comparison of a counter with a number that the loop does not change.
fn compared(
    samples: &mut LaneSamples<'_>,
    index: u32,
    exit: BlockId,
    latch: BlockId,
    condition: Node,
    stays: bool,
    names: &dyn Fn(u32) -> Option<String>,
) -> Option<Trips> {
    let head = samples.flow().graph.loops.get(index as usize)?.head;
    let test = comparison(samples, condition, stays, 0)?;
    let found = counter(samples, test.a, head).map(|it| (test, it));
    let found = found.or_else(|| {
        let test = test.swapped();
        counter(samples, test.a, head).map(|it| (test, it))
    });
    let found = found.or_else(|| {
        let test = isolated(samples, test, index, head)?;
        counter(samples, test.a, head).map(|it| (test, it))
    });
    let Some((test, counter)) = found else {
        let before = exit == head && head != latch;
        return strided(samples, test, index, before, names)
            .or_else(|| strided(samples, test.swapped(), index, before, names));
    };
    if !samples.is_outside(test.b, index) {
        return None;
    }
    let (first, step, is_old) = counter;
    let bits = if test.signed { 64 } else { 32 };
    // The test after the first iteration sees what that has left; before it, the loop may not run at all.
    let before = exit == head && head != latch && is_old;
    let graph = &mut samples.values.graph;
    let number = |it: Option<u64>| it.map(|it| if bits == 64 { it as i64 } else { sign(it) });
    let (start, end) = (
        number(graph.as_constant(first)),
        number(graph.as_constant(test.b)),
    );
    let extra = i64::from(!before);
    if let (Some(start), Some(end)) = (start.map(sign_of), end.map(sign_of)) {
        // Without a sign these are large numbers.
        if !test.signed && test.relation != Relation::NotEqual && (start < 0 || end < 0) {
            return None;
        }
        let count = counted(test.relation, start, end, step)?;
        let count = u64::try_from(count.checked_add(extra)?).ok()?;
        return Some(Trips {
            text: count.to_string(),
            count: Some(count),
        });
    }
    // `first` is what the first test sees: without the steps before it.
    let distance = match step > 0 {
        true => graph.subtract(test.b, first, 64),
        false => graph.subtract(first, test.b, 64),
    };
    let by = step.unsigned_abs();
    // The test at the end of an iteration has seen one step more.
    let added = extra * by as i64
        + match test.relation {
            Relation::LessEqual | Relation::GreaterEqual => 1,
            _ => 0,
        };
    let distance = match added {
        0 => distance,
        _ => graph.add(distance, added.cast_unsigned(), 64),
    };
    let text = graph.text(distance, names)?;
    let simple = text
        .chars()
        .all(|it| it.is_alphanumeric() || "_.$[]".contains(it));
    Some(Trips {
        text: match (by, simple) {
            (1, _) => text,
            (_, true) => format!("{text}/{by}"),
            (_, false) => format!("({text})/{by}"),
        },
        count: None,
    })
}

/// A test whether two numbers differ, as one whether a counter differs from what the loop does not change: compilers
/// compare their difference with 0.
fn isolated(
    samples: &mut LaneSamples<'_>,
    test: Comparison,
    index: u32,
    head: BlockId,
) -> Option<Comparison> {
    if test.relation != Relation::NotEqual {
        return None;
    }
    let difference = samples.values.graph.subtract(test.a, test.b, 32);
    let sum = samples.values.graph.linear(difference, 32);
    let mut counter = None;
    let mut rest = Vec::new();
    for (term, by) in &sum.terms {
        let inner = extended(samples, *term);
        let leaf = samples.leaf_number(inner);
        let leaf = leaf.and_then(|it| samples.values.leaves().get(it as usize));
        if matches!(leaf, Some(Leaf::Phi(_, block)) if *block == head) && counter.is_none() {
            counter = Some((inner, sign(*by)));
        } else if samples.is_outside(*term, index) {
            rest.push((*term, sign(*by)));
        } else {
            return None;
        }
    }
    let (a, by @ (1 | -1)) = counter? else {
        return None;
    };
    let rest = rest.into_iter().map(|(node, factor)| (node, -by * factor));
    let b = samples.values.graph.sum(rest, -by * sign(sum.constant));
    Some(Comparison { a, b, ..test })
}

/// The iterations of a loop whose counter grows by a number that is known at run time only.
fn strided(
    samples: &mut LaneSamples<'_>,
    test: Comparison,
    index: u32,
    before: bool,
    names: &dyn Fn(u32) -> Option<String>,
) -> Option<Trips> {
    if test.relation != Relation::Less || !samples.is_outside(test.b, index) {
        return None;
    }
    let head = samples.flow().graph.loops.get(index as usize)?.head;
    let tested = extended(samples, test.a);
    let leaves = samples.leaves_of(tested)?;
    let of_head = |it: &u32| {
        let leaf = samples.values.leaves().get(*it as usize);
        matches!(leaf, Some(Leaf::Phi(_, block)) if *block == head)
    };
    let leaf = leaves.iter().copied().find(of_head)?;
    let Some(LeafSource::Phi(phi)) = samples.source(leaf).cloned() else {
        return None;
    };
    let ([(_, entry)], [(_, back)]) = (&phi.entry[..], &phi.back[..]) else {
        return None;
    };
    // The test is of the counter before the iteration, or of what the iteration leaves.
    let of_counter = samples.leaf_number(tested) == Some(leaf);
    if !(before && of_counter || !before && tested == extended(samples, *back)) {
        return None;
    }
    let sum = samples.values.graph.linear(*back, 32);
    let mut counter = None;
    for (term, by) in &sum.terms {
        let inner = extended(samples, *term);
        if samples.leaf_number(inner) == Some(leaf) && *by == 1 && counter.is_none() {
            counter = Some(*term);
        } else if !samples.is_outside(*term, index) {
            return None;
        }
    }
    let graph = &mut samples.values.graph;
    let stride = graph.subtract(*back, counter?, 64);
    let distance = graph.subtract(test.b, *entry, 64);
    let (distance, stride) = (graph.text(distance, names)?, graph.text(stride, names)?);
    Some(Trips {
        text: format!("({distance})/({stride})"),
        count: None,
    })
}

/// A node without the extensions around it.
fn extended(samples: &LaneSamples<'_>, node: Node) -> Node {
    let mut node = node;
    while let Op::ZeroExtend(a, _) | Op::SignExtend(a, _) = samples.values.graph.op(node) {
        node = a;
    }
    node
}

/// A number of 32 bits with its sign.
fn sign(number: u64) -> i64 {
    i64::from(number as u32 as i32)
}

fn sign_of(number: i64) -> i64 {
    match u32::try_from(number) {
        Ok(it) => i64::from(it as i32),
        Err(_) => number,
    }
}

/// How often a test holds that begins with `start`.
fn counted(relation: Relation, start: i64, end: i64, step: i64) -> Option<i64> {
    let (distance, step) = match relation {
        Relation::Less => (end.checked_sub(start)?, step),
        Relation::LessEqual => (end.checked_sub(start)?.checked_add(1)?, step),
        Relation::Greater => (start.checked_sub(end)?, step.checked_neg()?),
        Relation::GreaterEqual => (start.checked_sub(end)?.checked_add(1)?, step.checked_neg()?),
        Relation::NotEqual => {
            let distance = end.checked_sub(start)?;
            let whole = distance % step == 0 && distance / step >= 0;
            return whole.then(|| distance / step);
        }
    };
    match (distance, step) {
        (..=0, _) => Some(0),
        (_, ..=0) => None,
        _ => Some((distance - 1) / step + 1),
    }
}

impl Comparison {
    fn swapped(self) -> Comparison {
        Comparison {
            relation: match self.relation {
                Relation::Less => Relation::Greater,
                Relation::LessEqual => Relation::GreaterEqual,
                Relation::Greater => Relation::Less,
                Relation::GreaterEqual => Relation::LessEqual,
                Relation::NotEqual => Relation::NotEqual,
            },
            a: self.b,
            b: self.a,
            ..self
        }
    }
}

/// The comparison that a condition is, where it holds or where it does not.
fn comparison(
    samples: &LaneSamples<'_>,
    node: Node,
    holds: bool,
    depth: u32,
) -> Option<Comparison> {
    let graph = &samples.values.graph;
    if depth > 8 {
        return None;
    }
    let number = |it: Node| graph.as_constant(it);
    let inner = |node: Node, holds: bool| comparison(samples, node, holds, depth + 1);
    Some(match graph.op(node) {
        Op::ZeroExtend(a, _) => inner(a, holds)?,
        Op::Select(Width::Narrow, condition, a, b) => match (number(a), number(b)) {
            (Some(1), Some(0)) => inner(condition, holds)?,
            (Some(0), Some(1)) => inner(condition, !holds)?,
            _ => return None,
        },
        Op::Binary(Binary::Xor, Width::Narrow, a, b) => match (number(a), number(b)) {
            (Some(1), _) => inner(b, !holds)?,
            (_, Some(1)) => inner(a, !holds)?,
            _ => return None,
        },
        // A truth that is compared with 0 is inverted.
        Op::Binary(Binary::Equal, Width::Narrow, a, b)
            if number(b) == Some(0) && is_truth(samples, a) =>
        {
            inner(a, !holds)?
        }
        Op::Binary(binary, Width::Narrow, a, b) if binary.is_comparison() => {
            let signed = matches!(binary, Binary::LessSigned | Binary::LessEqualSigned);
            let relation = match (binary, holds) {
                (Binary::Less | Binary::LessSigned, true) => Relation::Less,
                (Binary::Less | Binary::LessSigned, false) => Relation::GreaterEqual,
                (Binary::LessEqual | Binary::LessEqualSigned, true) => Relation::LessEqual,
                (Binary::LessEqual | Binary::LessEqualSigned, false) => Relation::Greater,
                (Binary::NotEqual, true) | (Binary::Equal, false) => Relation::NotEqual,
                _ => return None,
            };
            Comparison {
                relation,
                a,
                b,
                signed,
            }
        }
        _ => return None,
    })
}

fn is_truth(samples: &LaneSamples<'_>, node: Node) -> bool {
    match samples.values.graph.op(node) {
        Op::Binary(binary, ..) => binary.is_comparison(),
        _ => false,
    }
}

/// The value of a node in the first test, its change from one test to the next, and whether the iteration has not
/// changed it before the test; if it is a counter of the loop with this head.
fn counter(samples: &mut LaneSamples<'_>, node: Node, head: BlockId) -> Option<(Node, i64, bool)> {
    let node = extended(samples, node);
    let (leaf, added) = plus(samples, node, head)?;
    let Some(LeafSource::Phi(phi)) = samples.source(leaf).cloned() else {
        return None;
    };
    let ([(_, entry)], [(_, back)]) = (&phi.entry[..], &phi.back[..]) else {
        return None;
    };
    let (again, step) = plus(samples, *back, head)?;
    if again != leaf || step == 0 {
        return None;
    }
    let graph = &mut samples.values.graph;
    let first = match added {
        0 => *entry,
        _ => graph.add(*entry, added.cast_unsigned(), 32),
    };
    Some((first, step, added == 0))
}

/// The leaf of the head of a loop to which a node adds a constant.
fn plus(samples: &mut LaneSamples<'_>, node: Node, head: BlockId) -> Option<(u32, i64)> {
    let sum = samples.values.graph.linear(node, 32);
    let mut terms = sum.terms.iter();
    let (Some((term, 1)), None) = (terms.next(), terms.next()) else {
        return None;
    };
    let term = extended(samples, *term);
    let leaf = samples.leaf_number(term)?;
    match samples.values.leaves().get(leaf as usize) {
        Some(Leaf::Phi(_, block)) if *block == head => Some((leaf, sign(sum.constant))),
        _ => None,
    }
}
