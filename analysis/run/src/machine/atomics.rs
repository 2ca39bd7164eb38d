//! Atomic operations: a program runs in one lane after the other.

#[cfg(test)]
mod tests;

use analysis::code::Instruction;
use isa::compute::{Program, Surroundings};

use crate::outcome::FindingCode;

use super::{
    Machine,
    findings::{UNDEFINED_ADDRESS, lanes_of},
    mbarriers,
    running::{Running, kind_of},
    warp::{LANES, Warp},
};

/// The message about an operation on an mbarrier whose effect the manual leaves open.
const OPEN_ARRIVAL: &str =
    "the arrival completes the phase of the mbarrier, which this form must not do";

impl Machine<'_> {
    /// Runs a program in one lane after the other: what it reads and writes is one access. `undefined` are the lanes in
    /// which an operand is.
    pub(super) fn run_lane_by_lane(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        instruction: &Instruction,
        program: &Program,
        undefined: u32,
    ) {
        let kind = kind_of(instruction, program);
        let inputs = std::mem::take(&mut self.inputs);
        let flipped = std::mem::take(&mut self.flipped);
        let rank = self.world.clusters[running.cluster].blocks[running.block].rank;
        let mut lanes: Vec<usize> = lanes_of(running.active).map(usize::from).collect();
        self.shuffle(&mut lanes);
        let (count, stores) = (program.outputs.len(), program.stores.len());
        let frame = &warp.frames[running.frame];
        let stated = Some(frame).filter(|_| undefined != 0);
        let stated = stated.and_then(|it| it.origin(&instruction.sources));
        for lane in lanes {
            let own: Vec<[u64; 1]> = inputs.iter().map(|it| [it[lane]]).collect();
            let frame = &warp.frames[running.frame];
            let carry = [frame.registers[analysis::code::CARRY as usize][lane]];
            let stack = [frame.registers[analysis::code::STACK as usize][lane]];
            let surroundings = Surroundings {
                active: running.active,
                carry: &carry,
                stack: &stack,
                cta: rank.into(),
                ..Surroundings::alone(&[0])
            };
            let mut access = self.world.access(warp, running, kind);
            access.active = 1 << lane;
            access.first_lane = lane;
            self.single
                .run_on(program, &own, &surroundings, &mut access);
            if let Some(node) = program.unspecified
                && self.single.value(node)[0] & 1 == 1
            {
                let (code, at) = (FindingCode::MbarrierMisuse, access.at);
                access
                    .findings
                    .push(code, &at, 1 << lane, OPEN_ARRIVAL.to_owned(), Vec::new());
            }
            let loaded = access.undefined >> lane & 1 == 1;
            let mut marks = Vec::new();
            if loaded || undefined >> lane & 1 == 1 {
                // The bits that change when all undefined ones are inverted.
                let others = if undefined == 0 { &inputs } else { &flipped };
                let others: Vec<[u64; 1]> = others.iter().map(|it| [it[lane]]).collect();
                let ends = Self::ends(program);
                let found = ends.iter().map(|it| self.single.value(*it)[0]);
                let found: Vec<u64> = found.collect();
                (access.quiet, access.inverts) = (true, true);
                self.single
                    .run_on(program, &others, &surroundings, &mut access);
                let changed = ends.iter().zip(found);
                marks.extend(changed.map(|(end, it)| self.single.value(*end)[0] ^ it));
                access.inverts = false;
                self.single
                    .run_on(program, &own, &surroundings, &mut access);
                access.quiet = false;
            }
            let addresses = marks.get(count + stores..).unwrap_or_default();
            let is_wrong = addresses.iter().any(|it| *it != 0);
            let value = |node: u32| self.single.value(node)[0];
            let mut elements = Vec::new();
            for (index, store) in program.stores.iter().enumerate() {
                let place = program.places[usize::from(store.place)];
                let values = (value(store.value), store.high.map_or(0, value));
                let address = value(store.address);
                // Memory keeps no single bits: a sum is undefined as a whole.
                let is_open = marks.get(count + index).is_some_and(|it| *it != 0)
                    || (store.high.is_some() && !marks.is_empty());
                let bits = u64::from(is_open).wrapping_neg();
                let undefined = (bits, bits);
                access.store(&place, address, store.element, lane, values, undefined);
                if !marks.is_empty() {
                    elements.push((place, address, bits));
                }
            }
            let origin = if loaded {
                Some(instruction.range)
            } else {
                stated
            };
            match is_wrong {
                true => {
                    let at = access.at;
                    access
                        .findings
                        .undefined(&at, 1 << lane, UNDEFINED_ADDRESS, origin);
                }
                false => access.check_stored(&elements, lane, origin),
            }
            access.write_texels(program, lane, &value);
            let frame = &mut warp.frames[running.frame];
            let outputs = instruction.destinations.iter().zip(&program.outputs);
            for (index, (slot, (_, node))) in outputs.enumerate() {
                if let Some(slot) = slot.map(|it| it as usize) {
                    frame.registers[slot][lane] = self.single.value(*node)[0];
                    let bits = marks.get(index).map(|it| [*it; LANES]);
                    frame.mark(slot, 1 << lane, bits.as_ref());
                    if loaded {
                        frame.origins.insert(slot as u32, instruction.range);
                    }
                }
            }
            for block in &mut self.world.clusters[running.cluster].blocks {
                mbarriers::settle(block);
            }
        }
        (self.inputs, self.flipped) = (inputs, flipped);
    }
}
