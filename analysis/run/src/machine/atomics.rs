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
    races::Kind,
    running::{Running, kind_of, updated},
    step::Evaluation,
    warp::{LANES, Lanes, Warp},
};

/// The message about an operation on an mbarrier whose effect the manual leaves open.
const OPEN_ARRIVAL: &str =
    "the arrival completes the phase of the mbarrier, which this form must not do";

/// The most lanes at one address whose operations run with those at other addresses, round by round.
const MOST_ROUNDS: usize = 8;

impl Machine<'_> {
    /// Runs an atomic operation in all lanes at once, or in those with different addresses, one round after the other.
    /// Returns whether it has, which is if no order of the lanes but the one at each address makes a difference.
    fn run_in_rounds(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        instruction: &Instruction,
        program: &Program,
        lanes: &[usize],
    ) -> bool {
        let is_usual = program.bulk.is_empty()
            && program.fields.is_empty()
            && program.texels.is_empty()
            && program.repeated.is_none()
            && program.sweep.is_none()
            && program.unspecified.is_none();
        let Some((place, node)) = updated(program).filter(|_| is_usual) else {
            return false;
        };
        let inputs = std::mem::take(&mut self.inputs);
        let (kind, how) = (Kind::default(), Evaluation::Quiet);
        let (open, missing) = self.evaluate(warp, running, program, &inputs, (0, 0), kind, how);
        self.inputs = inputs;
        let addresses: Lanes = *self.evaluator.value(node);
        let mut access = self.world.access(warp, running, kind);
        let together = access.together(&place, &addresses, running.active, true);
        if open != 0 || missing || together.is_none() {
            return false;
        }
        let mut rounds = [0_u32; MOST_ROUNDS];
        // Those at one address are in the order in which they are to run.
        let mut order: Vec<(u64, usize)> = lanes.iter().map(|it| (addresses[*it], *it)).collect();
        order.sort_by_key(|it| it.0);
        for same in order.chunk_by(|one, other| one.0 == other.0) {
            if same.len() > MOST_ROUNDS {
                return false;
            }
            for (round, (_, lane)) in rounds.iter_mut().zip(same) {
                *round |= 1 << lane;
            }
        }
        for active in rounds.into_iter().filter(|it| *it != 0) {
            let running = Running { active, ..*running };
            self.run_lanes(warp, &running, instruction, program, (0, 0), 0);
        }
        true
    }

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
        let mut lanes: Vec<usize> = lanes_of(running.active).map(usize::from).collect();
        self.shuffle(&mut lanes);
        if undefined == 0 && self.run_in_rounds(warp, running, instruction, program, &lanes) {
            return;
        }
        let kind = kind_of(instruction, program);
        let inputs = std::mem::take(&mut self.inputs);
        let flipped = std::mem::take(&mut self.flipped);
        let rank = self.world.clusters[running.cluster].blocks[running.block].rank;
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
