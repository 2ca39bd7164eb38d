//! Instructions that only compute, or access memory and do nothing else: most of a run.
//!
//! [`Machine::step`] gives the same results without this file, and copies every operand on the way. Such instructions
//! make no groups and let none run, so that those that follow each other run without a look at other groups.

use analysis::code::{Instruction, Source};
use isa::compute::{Exactness, Op, Program};

use super::{
    Machine,
    findings::{At, lanes_of},
    mbarriers,
    races::Kind,
    running::{Running, kind_of},
    step::Evaluation,
    warp::{Group, LANES, Lanes, State, Warp},
};

/// Inputs of a program at most.
const MAX_INPUTS: usize = 8;
static ZEROS: Lanes = [0; LANES];

impl Machine<'_> {
    /// Runs at most `most` of the next instructions of a group that has been chosen to run, as long as they only
    /// compute or access memory, and it would be chosen again; returns how many.
    pub(super) fn run_straight(
        &mut self,
        (cluster, block): (usize, usize),
        warp: &mut Warp,
        group: usize,
        most: u32,
    ) -> u32 {
        let Group {
            lanes,
            frame,
            pc,
            state,
            ..
        } = warp.groups[group];
        if lanes == 0 || state != State::Ready || !warp.pending.is_idle() {
            return 0;
        }
        let most = match warp.next_meeting(group) {
            Some(other) => most.min(other.saturating_sub(pc)),
            None => most,
        };
        let code = self.code;
        let function = &code.functions[warp.frames[frame].function];
        let rest = function.instructions.get(pc as usize..).unwrap_or(&[]);
        let mut running = Running {
            cluster,
            block,
            group,
            frame,
            active: lanes,
            at: At {
                range: function.name_range,
                block: self.world.clusters[cluster].blocks[block].index,
                warp: warp.number,
            },
        };
        let mut count = 0;
        for (instruction, _) in rest.iter().zip(0..most) {
            let is_plain = instruction.computes_only || instruction.accesses_only;
            let Some(program) = instruction.program.as_deref().filter(|_| is_plain) else {
                break;
            };
            warp.time += 1;
            self.world.findings.step += 1;
            self.steps += 1;
            running.at.range = instruction.range;
            running.active = match instruction.guard {
                Some(guard) => lanes & self.guard(warp, frame, guard, lanes, &running.at),
                None => lanes,
            };
            let is_done = running.active == 0
                || match instruction.computes_only {
                    true => self.compute(warp, &running, instruction, program),
                    false => self.access_memory(warp, &running, instruction, program),
                };
            if !is_done {
                // A single step runs it, and counts it.
                warp.time -= 1;
                self.world.findings.step -= 1;
                self.steps -= 1;
                break;
            }
            count += 1;
            if self.ended.is_some() {
                break;
            }
        }
        warp.groups[group].pc += count;
        self.lane_instructions += u64::from(count * lanes.count_ones());
        count
    }

    /// Runs an instruction that accesses memory and does nothing else; `false` if nothing has been done, since a value
    /// that it reads is undefined.
    fn access_memory(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        instruction: &Instruction,
        program: &Program,
    ) -> bool {
        let sources = &instruction.sources[..];
        if sources.len() > MAX_INPUTS {
            return false;
        }
        let mut own = std::mem::take(&mut self.inputs);
        if own.len() < sources.len() {
            own.resize(sources.len(), [0; LANES]);
        }
        let mut inputs = [&ZEROS; MAX_INPUTS];
        let mut undefined = 0;
        for (((at, source), own), to) in (sources.iter().enumerate()).zip(&mut own).zip(&mut inputs)
        {
            match *source {
                Source::Register(slot, 0) => {
                    let frame = &warp.frames[running.frame];
                    undefined |= frame.undefined[slot as usize];
                    *own = frame.registers[slot as usize];
                }
                source => undefined |= self.read_into(warp, running, program, (at, source), own),
            }
            *to = own;
        }
        if undefined & running.active != 0 {
            self.inputs = own;
            return false;
        }
        let kind = kind_of(instruction, program);
        let inputs = &inputs[..sources.len()];
        let mut access = self.world.access(warp, running, kind);
        self.evaluator.access(program, inputs, &mut access);
        let (loaded, missing) = (access.undefined, access.missing);
        if loaded == 0 && !missing {
            for store in &program.stores {
                let place = program.places[usize::from(store.place)];
                let value = |node: u32| match program.steps[node as usize] {
                    Op::Input(it) => inputs[it as usize],
                    _ => self.evaluator.value(node),
                };
                let values = (value(store.value), store.high.map(value));
                let address = value(store.address);
                access.store_lanes(&place, address, store.element, values, None);
            }
            let frame = &mut warp.frames[running.frame];
            for (slot, (_, node)) in instruction.destinations.iter().zip(&program.outputs) {
                if let Some(slot) = *slot {
                    let value = match program.steps[*node as usize] {
                        Op::Input(it) => inputs[it as usize],
                        _ => self.evaluator.value(*node),
                    };
                    frame.write(slot as usize, running.active, value, None);
                }
            }
        }
        self.inputs = own;
        if missing {
            self.missing_argument(instruction);
        } else if loaded != 0 {
            self.keep_undefined(warp, running, instruction, program, loaded);
        } else if !program.stores.is_empty() {
            self.end_if_refused();
            mbarriers::settle(&mut self.world.clusters[running.cluster].blocks[running.block]);
        }
        true
    }

    /// Reads an operand that is not a plain register into `to`, and returns the lanes in which it is undefined.
    fn read_into(
        &mut self,
        warp: &Warp,
        running: &Running,
        program: &Program,
        (at, source): (usize, Source),
        to: &mut Lanes,
    ) -> u32 {
        if let Source::Constant(it) = source {
            to.fill(it);
            return 0;
        }
        let bits = program.inputs.get(at).map_or(64, |it| it.bits);
        let undefined;
        (*to, undefined) = self.read(warp, running, source, bits);
        undefined
    }

    /// Writes what an instruction has read from memory that was undefined in some lanes.
    fn keep_undefined(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        instruction: &Instruction,
        program: &Program,
        loaded: u32,
    ) {
        self.inputs.truncate(instruction.sources.len());
        let inputs = std::mem::take(&mut self.inputs);
        let (kind, how) = (Kind::default(), Evaluation::Quiet);
        self.evaluate(warp, running, program, &inputs, (0, 0), kind, how);
        self.inputs = inputs;
        self.keep(warp, running, instruction, program, (0, 0), (0, loaded));
    }

    /// Runs an instruction that only computes or exchanges values of lanes, and writes its results; `false` if nothing has
    /// been done, since a value that it reads or a result is undefined.
    pub(super) fn compute(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        instruction: &Instruction,
        program: &Program,
    ) -> bool {
        let sources = &instruction.sources[..];
        if sources.len() > MAX_INPUTS {
            return false;
        }
        let mut own = std::mem::take(&mut self.inputs);
        if own.len() < sources.len() {
            own.resize(sources.len(), [0; LANES]);
        }
        let mut inputs = [&ZEROS; MAX_INPUTS];
        let mut undefined = 0;
        for (((at, source), own), to) in (sources.iter().enumerate()).zip(&mut own).zip(&mut inputs)
        {
            *to = match *source {
                Source::Register(slot, 0) => {
                    let frame = &warp.frames[running.frame];
                    undefined |= frame.undefined[slot as usize];
                    &frame.registers[slot as usize]
                }
                source => {
                    undefined |= self.read_into(warp, running, program, (at, source), own);
                    own
                }
            };
        }
        let mut is_defined = undefined & running.active == 0;
        if is_defined {
            match program.exactness {
                Exactness::Exact => {}
                Exactness::Bounded => {
                    self.approximated.insert("approximations");
                }
                Exactness::Unordered => {
                    self.approximated.insert("order of additions");
                }
            }
            let inputs = &inputs[..sources.len()];
            self.evaluator.compute(program, inputs, running.active);
            if let Some(node) = program.unspecified {
                let is_open = self.evaluator.value(node);
                let mut lanes = lanes_of(running.active).map(usize::from);
                is_defined = lanes.all(|lane| is_open[lane] & 1 == 0);
            }
        }
        if is_defined {
            let frame = &mut warp.frames[running.frame];
            // Registers are written after all have been read.
            let input = |node: u32| match program.steps[node as usize] {
                Op::Input(it) => Some(it as usize),
                _ => None,
            };
            for at in program.outputs.iter().filter_map(|it| input(it.1)) {
                if let Source::Register(slot, 0) = sources[at] {
                    own[at] = frame.registers[slot as usize];
                }
            }
            for (slot, (_, node)) in instruction.destinations.iter().zip(&program.outputs) {
                if let Some(slot) = *slot {
                    let value = match input(*node) {
                        Some(at) => &own[at],
                        None => self.evaluator.value(*node),
                    };
                    frame.write(slot as usize, running.active, value, None);
                }
            }
        }
        self.inputs = own;
        is_defined
    }
}
