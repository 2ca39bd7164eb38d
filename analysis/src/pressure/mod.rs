//! How many registers a kernel will need, estimated from its text.
//!
//! ptxas orders instructions anew, keeps uniform values elsewhere and spends registers that are free
//! anyway. So the pressure of the text as it is written says little; what says more is how few registers
//! the best order needs ([`Pressure::low`]), how many an order takes that hides latency
//! ([`Pressure::high`]), and how many cost no more occupancy than the fewest ([`Bounds::spent`]). The
//! estimate is the last of these, kept between the other two, and then below what launch bounds allow.
//! Its figures were measured with ptxas 13.5.

mod bounds;
mod fold;
mod order;
mod peak;
mod program;
mod schedule;
#[cfg(test)]
mod tests;
mod turn;
mod turns;
mod unroll;

use isa::limits::{Limits, REGISTERS_PER_THREAD};
use rustc_hash::FxHashSet;
use salsa::Database;

use crate::{
    flow::{
        Flow,
        facts::{Step, Value},
        flow,
        ids::Accesses,
        liveness::Liveness,
    },
    hir::{body::body, items::Function},
    values::{Purpose, Values},
};

pub(crate) use bounds::{Bounds, bounds, product, width};
pub(crate) use peak::{as_written, at_peak, peak_as_written};
pub(crate) use program::most_alive;

use self::{
    fold::Folded,
    program::Program,
    turn::{Fate, Unrolled},
};

/// The registers that a function needs, in 32-bit registers of one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pressure {
    /// Alive at most in the order of the text, after folding.
    pub(crate) written: u32,
    /// Alive at each instruction in the order of the text, after folding.
    pub(crate) alive: Vec<u32>,
    /// Alive at each instruction in the order that ptxas may choose: one that starts early as long as
    /// registers are free.
    pub(crate) reordered: Vec<u32>,
    /// The instruction where most are live in that order.
    pub(crate) peak: Option<Step>,
    /// Alive at most in an order that keeps few values live.
    pub(crate) low: u32,
    /// The same when cheap values are computed again where they are used.
    pub(crate) low_repeated: u32,
    /// Alive at most in an order that hides latency.
    pub(crate) high: u32,
    /// Whether it calls functions of which the file knows nothing, or names functions otherwise.
    pub(crate) calls: bool,
    /// Whether it changes how many registers a thread has while it runs.
    pub(crate) changes_registers: bool,
    /// Whether it holds no value, accesses no memory and calls no function that holds one.
    pub(crate) empty: bool,
}

/// How many registers a kernel will have on a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Estimate {
    /// The most likely number.
    pub(crate) registers: u32,
    /// Four of five kernels are not below this,
    pub(crate) low: u32,
    /// and not above this.
    pub(crate) high: u32,
    /// Up to so many ptxas takes though it needs fewer.
    pub(crate) spent: u32,
}

/// The least registers of a kernel that calls a function of the driver, or takes the address of a function.
const CALLS: f64 = 24.0;
/// Kernels with fewer are small.
const SMALL: f64 = 24.5;
/// Very small ones have twice as many as values, and so many besides.
const FEW: f64 = 2.0;
/// To compute values again saves registers; ptxas keeps half of these values, up to so many registers.
const KEPT: f64 = 16.0;
/// No range ends below this.
const LEAST: f64 = 9.0;
/// The registers of a kernel that does nothing.
const EMPTY: u32 = 4;

/// The pressure of a function. It is asked for by people who look at the function; while typing only if
/// launch bounds leave fewer registers than values, and the function is not long.
#[salsa::tracked(returns(ref))]
pub(crate) fn pressure<'db>(db: &'db dyn Database, function: Function<'db>) -> Pressure {
    let flow = flow(db, function);
    let mut program = Program::of(db, function, flow);
    let kept = unroll::kept(&function.green(db).cursor(), body(db, function));
    let loops = match flow.graph.loops.is_empty() {
        true => Vec::new(),
        false => {
            let mut values = Values::of(db, function, flow, Purpose::Function);
            unroll::unrolled(&program, flow, &kept, &mut values)
        }
    };
    program.rename(flow);
    db.unwind_if_revision_cancelled();
    let first = measure(db, &program, flow, &loops, false);
    let repeated = measure(db, &program, flow, &loops, true);
    Pressure {
        low_repeated: repeated.low.min(first.low),
        ..first
    }
}

fn measure(
    db: &dyn Database,
    program: &Program<'_>,
    flow: &Flow,
    loops: &[Unrolled],
    repeat: bool,
) -> Pressure {
    let folded = fold::fold(program, flow, repeat);
    let keeps: Vec<bool> = program.operations.iter().map(|it| it.keeps).collect();
    let accesses = Accesses {
        reads: &folded.reads,
        writes: &folded.writes,
        keeps: &keeps,
    };
    let liveness = Liveness::of(&flow.graph, &accesses, program.weights.len(), &|| {
        db.unwind_if_revision_cancelled();
    });
    let mut found = Pressure {
        alive: vec![0; program.operations.len()],
        reordered: vec![0; program.operations.len()],
        calls: program.calls,
        changes_registers: program.changes_registers,
        empty: (program.operations.iter().enumerate()).all(|(step, it)| {
            let works = it.accesses_memory() || it.scratch > 0;
            let values = [&folded.reads, &folded.writes].map(|it| it.get(step).len());
            folded.gone[step] || !works && values == [0, 0]
        }),
        ..Pressure::default()
    };
    // The block that needs most, by the rule by which the registers of the whole are estimated.
    let mut worst = 0;
    for (block, steps) in (0..).zip(&flow.graph.blocks) {
        db.unwind_if_revision_cancelled();
        if !flow.graph.reachable[block as usize] {
            continue;
        }
        let live_out: FxHashSet<Value> = liveness.live_out(block).collect();
        let steps: Vec<Step> = (steps.clone())
            .filter(|it| !folded.gone[*it as usize])
            .collect();
        let most = most_as_written(program, &folded, &steps, &live_out, &mut found);
        let needs = if steps.len() > 1 {
            let live_in: FxHashSet<Value> = liveness.live_in(block).collect();
            order::needs(program, &folded, &steps, &live_in, live_out)
        } else {
            order::Needs {
                low: most,
                high: most,
                reordered: vec![most; steps.len()],
            }
        };
        let low = needs.low.min(most);
        let high = needs.high.max(low);
        found.low = found.low.max(low);
        found.high = found.high.max(high);
        let mut most = None;
        for (step, alive) in steps.iter().zip(needs.reordered) {
            found.reordered[*step as usize] = alive;
            if most.is_none_or(|it: (Step, u32)| it.1 < alive) {
                most = Some((*step, alive));
            }
        }
        let need = order::FREE.clamp(low, high);
        if let Some((step, _)) = most
            && need > worst
        {
            worst = need;
            found.peak = Some(step);
        }
    }
    for it in loops {
        db.unwind_if_revision_cancelled();
        let stays = |step: &(Step, Fate)| !folded.gone[step.0 as usize];
        let steps: Vec<(Step, Fate)> = it.steps.iter().copied().filter(stays).collect();
        let live_in: FxHashSet<Value> = liveness.live_in(it.first).collect();
        let live_out: FxHashSet<Value> = liveness.live_out(it.last).collect();
        let needs = order::unrolled(program, &folded, &steps, &live_in, &live_out);
        found.high = found.high.max(needs);
    }
    // A folded instruction appears where the one before it does.
    for curve in [&mut found.alive, &mut found.reordered] {
        let mut last = 0;
        for (alive, gone) in curve.iter_mut().zip(&folded.gone) {
            match gone {
                true => *alive = last,
                false => last = *alive,
            }
        }
    }
    found
}

/// The most registers live in a block in the order of the text; notes each instruction's.
fn most_as_written(
    program: &Program<'_>,
    folded: &Folded,
    steps: &[Step],
    live_out: &FxHashSet<Value>,
    found: &mut Pressure,
) -> u32 {
    let weight = |it: &Value| program.weights[*it as usize];
    let mut live = live_out.clone();
    let mut now: u32 = live.iter().map(weight).sum();
    let mut most = now;
    for step in steps.iter().rev().copied() {
        let at = step as usize;
        let (reads, writes) = (folded.reads.get(at), folded.writes.get(at));
        let dead = writes.iter().filter(|it| !live.contains(it)).map(weight);
        let after = now + dead.sum::<u32>();
        if !program.operations[at].keeps {
            for value in writes {
                if live.remove(value) {
                    now -= weight(value);
                }
            }
        }
        for value in reads {
            if live.insert(*value) {
                now += weight(value);
            }
        }
        let here = after.max(now) + program.operations[at].scratch;
        found.alive[at] = here;
        most = most.max(here);
    }
    found.written = found.written.max(most);
    most
}

impl Pressure {
    /// The registers without which it does not fit, on a target.
    pub(crate) fn least(&self, limits: &Limits) -> u32 {
        self.low.min(self.low_repeated) + limits.register_overhead()
    }

    /// The estimate for a target, under launch bounds.
    pub(crate) fn estimate(&self, limits: &Limits, bounds: &Bounds) -> Estimate {
        // Threads that hand registers to each other start with all that the bounds leave them: so did all
        // 30 such kernels that were compiled with ptxas 13.5.
        if let Some((registers, _)) = bounds.share(limits)
            && self.changes_registers
        {
            return Estimate {
                registers,
                low: registers,
                high: registers,
                spent: registers,
            };
        }
        if self.empty && !self.calls {
            return Estimate {
                registers: EMPTY,
                low: EMPTY,
                high: 2 * EMPTY,
                spent: EMPTY,
            };
        }
        let overhead = f64::from(limits.register_overhead());
        let (all, repeated) = (f64::from(self.low), f64::from(self.low_repeated));
        let mut low = repeated + (0.5 * (all - repeated)).min(KEPT) + overhead;
        if self.calls {
            low = low.max(CALLS);
        }
        let high = low.max(f64::from(self.high) + overhead);
        let whole = |it: f64| it.round() as u32;
        let spent = f64::from(bounds.spent(limits, whole(low)));
        let cap = bounds.cap(limits);
        let cap = f64::from(cap.map_or(REGISTERS_PER_THREAD, |it| it.0));
        let mut number = spent.clamp(low, high);
        if number < SMALL && !self.calls {
            let values = number - overhead;
            let more = overhead + f64::from(limits.small_overhead());
            number = values + more.min(values + FEW);
        }
        let number = number.max(limits.least_registers().into()).min(cap);
        let (less, more) = spread(number);
        Estimate {
            registers: whole(number),
            low: whole((number * less).max(4.0)),
            high: whole((number * more).max(LEAST).min(cap)),
            spent: whole(spent),
        }
    }
}

/// By what an estimate is multiplied for the range that holds four of five kernels.
fn spread(number: f64) -> (f64, f64) {
    match number {
        ..16.0 => (0.78, 1.40),
        ..24.0 => (0.80, 1.35),
        ..40.0 => (0.84, 1.25),
        ..96.0 => (0.75, 1.20),
        _ => (0.76, 1.20),
    }
}
