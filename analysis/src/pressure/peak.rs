//! Who takes the registers: which values take any at all, and which are live where most are.

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
    hir::items::Function,
};

use super::{fold, pressure, program::Program};

/// A value that is live at the peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AtPeak {
    /// The last instruction before the peak that writes it, or the first of all.
    pub(crate) written: Step,
    /// The last instruction of the text that reads it.
    pub(crate) read: Step,
    /// How many 32-bit registers it takes.
    pub(crate) weight: u32,
}

/// The registers of a function in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AsWritten {
    /// For each value of the flow whether it takes no register of a thread.
    pub(crate) free: Vec<bool>,
    /// The instruction where most registers are live, those left out that take none.
    pub(crate) peak: Option<Step>,
}

/// The registers of a function in the order of the text, for which hovers ask again and again. Kept as its flow is.
#[salsa::tracked(returns(ref), lru = 64)]
pub(crate) fn as_written<'db>(db: &'db dyn Database, function: Function<'db>) -> AsWritten {
    let free = free(db, function);
    let peak = written_peak(flow(db, function), &free);
    AsWritten { free, peak }
}

fn free(db: &dyn Database, function: Function<'_>) -> Vec<bool> {
    let flow = flow(db, function);
    let mut program = Program::of(db, function, flow);
    program.rename(flow);
    let folded = fold::fold(&program, flow, false);
    let mut free = vec![true; flow.facts.values.len()];
    for (step, gone) in folded.gone.iter().enumerate() {
        for value in flow.facts.writes.get(step) {
            free[*value as usize] &= *gone;
        }
    }
    for (free, value) in free.iter_mut().zip(&flow.facts.values) {
        *free &= value.weight > 0;
    }
    free
}

/// The instruction where most registers are live in the order of the text, those left out that take none:
/// one walk over the instructions.
fn written_peak(flow: &Flow, free: &[bool]) -> Option<Step> {
    let facts = &flow.facts;
    let weight = |value: Value| match free.get(value as usize) {
        Some(false) => facts.values[value as usize].weight,
        _ => 0,
    };
    // For each value the last block, counted from 1, in which an access was seen, and whether the value is live before
    // that access.
    let mut seen = vec![(0_u32, false); facts.values.len()];
    let live_out = flow.liveness.weights_out(weight);
    let mut peak: Option<(u32, Step)> = None;
    for (block, steps) in (0..).zip(&flow.graph.blocks) {
        if !flow.graph.reachable[block as usize] {
            continue;
        }
        let mark = block + 1;
        let mut now = live_out.get(block as usize).copied().unwrap_or_default();
        let mut becomes = |value: Value, live: bool| {
            let before = std::mem::replace(&mut seen[value as usize], (mark, live));
            match before.0 == mark {
                true => before.1,
                false => flow.liveness.is_live_out(block, value),
            }
        };
        for step in steps.clone().rev() {
            let at = step as usize;
            let mut behind = now;
            for value in facts.writes.get(at) {
                let keeps = facts.keeps[at];
                if !becomes(*value, false) {
                    behind += weight(*value);
                } else if keeps {
                    becomes(*value, true);
                } else {
                    now -= weight(*value);
                }
            }
            for value in facts.reads.get(at) {
                if !becomes(*value, true) {
                    now += weight(*value);
                }
            }
            let most = behind.max(now);
            if peak.is_none_or(|it| it.0 <= most) {
                peak = Some((most, step));
            }
        }
    }
    peak.map(|it| it.1)
}

/// The first instruction where the most registers are live in the order of the text, after folding.
pub(crate) fn peak_as_written(db: &dyn Database, function: Function<'_>) -> Option<Step> {
    let alive = &pressure(db, function).alive;
    let most = alive.iter().max()?;
    let step = alive.iter().position(|it| it == most)?;
    Step::try_from(step).ok()
}

/// The values that are live where most are in the order of the text, by the instruction that writes them. To find
/// them costs as much as the pressure in that order, and is asked for when somebody looks.
pub(crate) fn at_peak(db: &dyn Database, function: Function<'_>) -> Vec<AtPeak> {
    let mut found = Vec::new();
    let Some(peak) = peak_as_written(db, function) else {
        return found;
    };
    let flow = flow(db, function);
    let mut program = Program::of(db, function, flow);
    program.rename(flow);
    let folded = fold::fold(&program, flow, false);
    let alive = alive_at(db, &program, &folded, flow, peak);
    let mut written: Vec<Option<Step>> = vec![None; program.weights.len()];
    let mut read = vec![peak; program.weights.len()];
    for step in 0..program.operations.len() {
        for value in folded.reads.get(step) {
            read[*value as usize] = read[*value as usize].max(step as Step);
        }
        for value in folded.writes.get(step) {
            let before = &mut written[*value as usize];
            if before.is_none() || step as Step <= peak {
                *before = Some(step as Step);
            }
        }
    }
    for value in alive {
        let index = value as usize;
        if let Some(written) = written[index]
            && program.weights[index] > 0
        {
            found.push(AtPeak {
                written,
                read: read[index],
                weight: program.weights[index],
            });
        }
    }
    found.sort_unstable_by_key(|it| (it.written, it.read));
    found
}

/// The values that are live at an instruction: those that it writes or that live on, and those that it
/// reads, whichever takes more.
fn alive_at(
    db: &dyn Database,
    program: &Program<'_>,
    folded: &fold::Folded,
    flow: &Flow,
    peak: Step,
) -> FxHashSet<Value> {
    let keeps: Vec<bool> = program.operations.iter().map(|it| it.keeps).collect();
    let accesses = Accesses {
        reads: &folded.reads,
        writes: &folded.writes,
        keeps: &keeps,
    };
    let liveness = Liveness::of(&flow.graph, &accesses, program.weights.len(), &|| {
        db.unwind_if_revision_cancelled();
    });
    let weight = |set: &FxHashSet<Value>| -> u32 {
        set.iter()
            .map(|it| program.weights[*it as usize])
            .fold(0, u32::saturating_add)
    };
    let block = flow.graph.block_of[peak as usize];
    let mut live: FxHashSet<Value> = liveness.live_out(block).collect();
    let back = |live: &mut FxHashSet<Value>, step: Step| {
        let at = step as usize;
        if !keeps[at] {
            for value in folded.writes.get(at) {
                live.remove(value);
            }
        }
        live.extend(folded.reads.get(at));
    };
    for step in (peak + 1..flow.graph.blocks[block as usize].end).rev() {
        back(&mut live, step);
    }
    let mut after = live.clone();
    after.extend(folded.writes.get(peak as usize));
    back(&mut live, peak);
    if weight(&after) > weight(&live) {
        after
    } else {
        live
    }
}
