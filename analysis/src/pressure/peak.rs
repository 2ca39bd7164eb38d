//! Who takes the registers: which values take any at all, and which are alive where most are.

use rustc_hash::FxHashSet;
use salsa::Database;

use crate::{
    flow::{
        Flow,
        facts::{Step, Value},
        flow,
        liveness::{Accesses, Liveness},
    },
    hir::items::Function,
};

use super::{fold, pressure, program::Program};

/// The values of a function as the model sees them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Values {
    /// For each value of the flow whether it takes no register of a thread.
    pub(crate) free: Vec<bool>,
    /// The values that are alive at the peak, by the instruction that writes them.
    pub(crate) at_peak: Vec<AtPeak>,
}

/// A value that is alive at the peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AtPeak {
    /// The last instruction before the peak that writes it, or the first of all.
    pub(crate) written: Step,
    /// The last instruction of the text that reads it.
    pub(crate) read: Step,
    /// How many 32-bit registers it takes.
    pub(crate) weight: u32,
}

/// Looks at the values of a function again. It costs as much as the pressure in the order of the text, and
/// is asked for when somebody looks.
pub(crate) fn values(db: &dyn Database, function: Function<'_>) -> Values {
    let flow = flow(db, function);
    let mut program = Program::of(db, function, flow);
    program.rename(flow);
    let folded = fold::fold(&program, flow, false);
    let count = flow.facts.values.len();
    let mut found = Values {
        free: vec![true; count],
        at_peak: Vec::new(),
    };
    for (step, gone) in folded.gone.iter().enumerate() {
        for value in flow.facts.writes.get(step) {
            found.free[*value as usize] &= *gone;
        }
    }
    for (free, value) in found.free.iter_mut().zip(&flow.facts.values) {
        *free &= value.weight > 0;
    }
    let Some(peak) = pressure(db, function).peak else {
        return found;
    };
    let alive = alive_at(&program, &folded, flow, peak);
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
            found.at_peak.push(AtPeak {
                written,
                read: read[index],
                weight: program.weights[index],
            });
        }
    }
    found
        .at_peak
        .sort_unstable_by_key(|it| (it.written, it.read));
    found
}

/// The values that are alive at an instruction: those that it writes or that live on, and those that it
/// reads, whichever takes more.
fn alive_at(
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
    let liveness = Liveness::of(&flow.graph, &accesses, program.weights.len());
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
