//! Numbers of 32 bits inside addresses of 64 bits that wrap in some thread of every launch.
//!
//! A number is compared with the exact values of its sums, differences and products. Only numbers that depend on the
//! index of the thread are compared, in code that all threads of a block of known shape execute. Masks and right shifts
//! end an expression: code often discards those bits on purpose.

use isa::compute::{Binary, LANES, Node, Op, Width};

use crate::{
    api::AddressOverflow,
    flow::ids::{BlockId, Step},
    values::{joins::LeafSource, lanes::LaneSamples},
};

/// Operations inside each other at most.
const MAX_DEPTH: u32 = 16;
/// Numbers of one address at most.
const MAX_NUMBERS: usize = 8;
/// Nodes of one address at most in which such numbers are looked for, and operations inside each other for a bound.
const MAX_SEEN: usize = 64;
const MAX_BOUND_DEPTH: u32 = 8;
/// Threads of a block along an axis at most.
const MAX_THREADS: u128 = 1024;
const BITS: u8 = 32;

/// A number that becomes one of 64 bits.
#[derive(Clone, Copy)]
struct Extended {
    node: Node,
    inner: Node,
    signed: bool,
}

/// A number that wraps.
#[derive(Clone, Copy)]
pub(super) struct Wrap {
    pub(super) node: Node,
    pub(super) found: AddressOverflow,
}

/// The search for numbers of an address that wrap.
pub(super) struct OverflowSearch {
    block: BlockId,
    guard: Option<Node>,
    open: Vec<Extended>,
    pub(super) wrap: Option<Wrap>,
}

impl OverflowSearch {
    /// The search in the address of an instruction.
    pub(super) fn new(samples: &mut LaneSamples<'_>, step: Step, address: Node) -> OverflowSearch {
        let block = samples.flow().graph.block_of[step as usize];
        let guard = samples.condition(step);
        let certain = guard.is_none_or(|it| samples.is_placed(it))
            && samples.shape.threads.is_some()
            && is_run(samples, block);
        let mut open = Vec::new();
        if certain {
            push_extended(samples, address, MAX_DEPTH, &mut open);
        }
        OverflowSearch {
            block,
            guard,
            open,
            wrap: None,
        }
    }

    /// Whether there is nothing to search for.
    pub(super) fn is_over(&self) -> bool {
        self.open.is_empty()
    }

    /// Searches in the warp of this sample.
    pub(super) fn sample(&mut self, samples: &mut LaneSamples<'_>) {
        if self.open.is_empty() || self.wrap.is_some() {
            return;
        }
        let mut lanes = samples.lanes_in(self.block);
        if let Some(guard) = self.guard {
            lanes &= samples.mask(guard, self.block);
        }
        for extended in &self.open {
            let numbers = samples.at(extended.node, self.block);
            for (lane, number) in numbers.iter().enumerate() {
                if lanes >> lane & 1 == 0 {
                    continue;
                }
                let Some(exact) = exact(samples, extended.inner, self.block, lane, MAX_DEPTH)
                else {
                    break;
                };
                let (wraps, wrapped) = match extended.signed {
                    true => (i32::try_from(exact).is_err(), number.cast_signed()),
                    // A difference below 0 is often one of addresses.
                    false => (exact > u32::MAX.into(), i64::from(*number as u32)),
                };
                if let (true, Ok(exact)) = (wraps, i64::try_from(exact)) {
                    self.wrap = Some(Wrap {
                        node: extended.inner,
                        found: AddressOverflow {
                            thread: samples.thread(lane),
                            exact,
                            wrapped,
                        },
                    });
                    return;
                }
            }
        }
    }
}

/// Whether the threads for which the branches on the way to a block decide by their place alone run it for certain.
fn is_run(samples: &LaneSamples<'_>, block: BlockId) -> bool {
    let decided = samples.conditions_of(block);
    let mut at = block;
    for (condition, _, top) in decided {
        let alone = samples.flow().graph.predecessors.get(at as usize) == [top];
        if samples.is_always_run(at) {
            return true;
        }
        if !alone || !samples.is_placed(condition) {
            return false;
        }
        at = top;
    }
    samples.is_always_run(at)
}

/// Adds the numbers of 32 bits that sums and products of an address have as numbers of 64 bits.
fn push_extended(samples: &LaneSamples<'_>, node: Node, depth: u32, found: &mut Vec<Extended>) {
    if depth == 0 || found.len() == MAX_NUMBERS {
        return;
    }
    match samples.values.graph.op(node) {
        op @ (Op::ZeroExtend(inner, BITS) | Op::SignExtend(inner, BITS))
            if samples.is_placed(inner) && may_exceed(samples, inner) =>
        {
            found.push(Extended {
                node,
                inner,
                signed: matches!(op, Op::SignExtend(..)),
            });
        }
        Op::Binary(
            Binary::Add | Binary::Subtract | Binary::Multiply | Binary::ShiftLeft,
            Width::Narrow,
            a,
            b,
        ) => {
            push_extended(samples, a, depth - 1, found);
            push_extended(samples, b, depth - 1, found);
        }
        _ => {}
    }
}

/// Whether a number of an address may wrap, before it is known what depends on the place of the thread.
pub(super) fn may_wrap(samples: &LaneSamples<'_>, address: Node) -> bool {
    let mut work = vec![address];
    let mut seen = 0;
    while let Some(node) = work.pop() {
        seen += 1;
        match samples.values.graph.op(node) {
            Op::ZeroExtend(inner, BITS) | Op::SignExtend(inner, BITS)
                if may_exceed(samples, inner) =>
            {
                return true;
            }
            op @ Op::Binary(..) if seen < MAX_SEEN => op.for_each_operand(|it| work.push(it)),
            _ => {}
        }
    }
    false
}

/// Whether a number may need more than 31 bits: most are a few times the index of a thread, and never do.
fn may_exceed(samples: &LaneSamples<'_>, node: Node) -> bool {
    let bound = bound(samples, node, MAX_BOUND_DEPTH);
    bound.is_some_and(|it| it > i32::MAX.unsigned_abs().into())
}

/// The largest magnitude of a number, with or without its sign; `None` if it depends on more than the place of the thread.
fn bound(samples: &LaneSamples<'_>, node: Node, depth: u32) -> Option<u128> {
    let graph = &samples.values.graph;
    if let Some(number) = graph.as_constant(node) {
        return Some(match u32::try_from(number) {
            Ok(it) => it.cast_signed().unsigned_abs().into(),
            Err(_) => number.cast_signed().unsigned_abs().into(),
        });
    }
    let any = Some(u128::from(u32::MAX));
    let Some(inner) = depth.checked_sub(1) else {
        return any;
    };
    match graph.op(node) {
        Op::Input(leaf) => match samples.source(leaf)? {
            LeafSource::Tid(_) | LeafSource::Threads(_) => Some(MAX_THREADS),
            it => it.is_place().then_some(u32::MAX.into()),
        },
        Op::Lane => Some(LANES as u128),
        Op::ZeroExtend(a, BITS) | Op::SignExtend(a, BITS) => bound(samples, a, inner),
        Op::Binary(operation, Width::Narrow, a, b) => {
            let constant = graph.as_constant(b).and_then(|it| u32::try_from(it).ok());
            let shift = constant.filter(|it| *it < BITS.into());
            let left = bound(samples, a, inner)?;
            let right = bound(samples, b, inner)?;
            match (operation, constant, shift) {
                (Binary::Add | Binary::Subtract, ..) => Some(left.saturating_add(right)),
                (Binary::Multiply, ..) => Some(left.saturating_mul(right)),
                (Binary::ShiftLeft, _, Some(by)) => Some(left.saturating_mul(1 << by)),
                (Binary::ShiftRight, _, Some(by)) => any.map(|it| it >> by),
                (Binary::And, Some(mask), _) => Some(mask.into()),
                _ => any,
            }
        }
        op => {
            let mut all = true;
            op.for_each_operand(|it| all &= bound(samples, it, inner).is_some());
            any.filter(|_| all)
        }
    }
}

/// The number of a node in a lane if sums, differences and products had no limit.
fn exact(
    samples: &mut LaneSamples<'_>,
    node: Node,
    block: BlockId,
    lane: usize,
    depth: u32,
) -> Option<i128> {
    let graph = &samples.values.graph;
    if let Some(number) = graph.as_constant(node) {
        return Some(match u32::try_from(number) {
            Ok(it) => it.cast_signed().into(),
            Err(_) => number.cast_signed().into(),
        });
    }
    let inner = depth.checked_sub(1)?;
    match graph.op(node) {
        Op::ZeroExtend(a, BITS) | Op::SignExtend(a, BITS) => exact(samples, a, block, lane, inner),
        Op::Binary(operation, Width::Narrow, a, b) => {
            let shift = graph.as_constant(b).filter(|it| *it < u64::from(BITS));
            match (operation, shift) {
                (Binary::Add | Binary::Subtract | Binary::Multiply, _) => {
                    let a = exact(samples, a, block, lane, inner)?;
                    let b = exact(samples, b, block, lane, inner)?;
                    match operation {
                        Binary::Add => a.checked_add(b),
                        Binary::Subtract => a.checked_sub(b),
                        _ => a.checked_mul(b),
                    }
                }
                (Binary::ShiftLeft, Some(by)) => {
                    let a = exact(samples, a, block, lane, inner)?;
                    a.checked_mul(1 << by)
                }
                _ => number(samples, node, block, lane),
            }
        }
        _ => number(samples, node, block, lane),
    }
}

/// The number of another node, if it is the same with a sign and without.
fn number(samples: &mut LaneSamples<'_>, node: Node, block: BlockId, lane: usize) -> Option<i128> {
    let number = samples.at(node, block)[lane];
    i32::try_from(number).ok().map(Into::into)
}
