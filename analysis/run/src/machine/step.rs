//! One instruction of a group of lanes.

use analysis::code::{Guard, Instruction, Source, Symbol};
use isa::{
    compute::{Exactness, Input, Op, Program, Surroundings},
    event::EventKind,
    semantics::{Control, Together},
    variable::StateSpace,
};

use syntax::TextRange;

use crate::outcome::{Ended, FindingCode, NotRun};

use super::{
    Machine,
    findings::{At, UNDEFINED_ADDRESS, lanes_of},
    mbarriers,
    races::Kind,
    running::{Running, kind_of},
    special,
    sync::Met,
    warp::{Group, LANES, Lanes, State, Warp},
};

/// How a program is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evaluation {
    /// Its accesses count.
    Real,
    /// They do not.
    Quiet,
    /// The same, and the undefined bits of memory are read inverted.
    Inverted,
}

/// The carry flag and the stack pointer for programs that read neither.
static NO_FLAGS: [Lanes; 2] = [[0; LANES]; 2];

impl Machine<'_> {
    /// Runs an instruction of a group.
    pub(super) fn step(&mut self, place: (usize, usize), warp: &mut Warp, group: usize) {
        let Group {
            lanes,
            frame,
            pc,
            state,
            ..
        } = warp.groups[group];
        let code = self.code;
        let function = &code.functions[warp.frames[frame].function];
        warp.time += 1;
        self.world.findings.step += 1;
        self.lane_instructions += u64::from(lanes.count_ones());
        let block = &self.world.clusters[place.0].blocks[place.1];
        let mut at = At {
            range: function.name_range,
            block: block.index,
            warp: warp.number,
        };
        let Some(instruction) = function.instructions.get(pc as usize) else {
            // The end of a body is a return.
            let running = Running {
                cluster: place.0,
                block: place.1,
                group,
                frame,
                active: lanes,
                at,
            };
            self.leave(warp, running);
            return;
        };
        at.range = instruction.range;
        let active = match &instruction.guard {
            Some(guard) => lanes & self.guard(warp, frame, *guard, lanes, &at),
            None => lanes,
        };
        let mut running = Running {
            cluster: place.0,
            block: place.1,
            group,
            frame,
            active,
            at,
        };
        if active == 0 {
            warp.groups[group].pc += 1;
            return;
        }
        if instruction.computes_only
            && warp.pending.is_idle()
            && let Some(program) = &instruction.program
            && self.compute(warp, &running, instruction, program)
        {
            let group = &mut warp.groups[group];
            group.pc += 1;
            group.state = State::Ready;
            return;
        }
        if active != lanes && (Self::meets(instruction) || instruction.control != Control::Next) {
            if matches!(instruction.together, Together::Warp | Together::Warpgroup) {
                let message = "the guard of this instruction differs between lanes, and all of the warp must execute it";
                self.report(FindingCode::DivergentSync, &running, message.to_owned());
            }
            // Those whose guard does not hold continue alone.
            warp.groups[group].lanes = lanes & !active;
            warp.groups[group].pc += 1;
            warp.groups.push(Group {
                lanes: active,
                frame,
                pc,
                state: State::Ready,
                polled: None,
            });
            running.group = warp.groups.len() - 1;
        }
        match instruction.control {
            Control::Next => {}
            Control::Branch => {
                match instruction.targets.first() {
                    Some(target) => warp.groups[running.group].pc = *target,
                    None => self.stop(instruction, "a branch to a place that is not known"),
                }
                return;
            }
            Control::Table => return self.jump(warp, running, instruction),
            Control::Call => return self.call(warp, running, instruction),
            Control::Return => return self.leave(warp, running),
            Control::End => return self.end_lanes(warp, running),
            Control::Trap => {
                self.report(FindingCode::Trap, &running, "the kernel traps".to_owned());
                self.ended = Some(Ended::Trap);
                return;
            }
        }
        let participants = match self.meet(warp, &mut running, instruction, state) {
            Met::Waits => return,
            Met::Goes => (0, 0),
            Met::With(some, every) => (some, every),
        };
        let Some(program) = &instruction.program else {
            let what = format!("`{}`", instruction.name);
            return self.stop(instruction, &what);
        };
        self.handle_groups(warp, &running, instruction);
        self.run_program(warp, &running, instruction, program, participants);
        let group = &mut warp.groups[running.group];
        group.pc += 1;
        group.state = State::Ready;
        if self.polls_in_vain(instruction, program, running.active) {
            let changes = self.world.global.changes;
            if group.polled == Some((pc, changes)) {
                group.state = State::Polls { changes };
            }
            group.polled = Some((pc, changes));
        }
    }

    /// Whether an instruction has just tested a phase of an mbarrier that is not complete.
    fn polls_in_vain(&self, instruction: &Instruction, program: &Program, active: u32) -> bool {
        let polls = instruction
            .events
            .iter()
            .any(|it| matches!(it.kind, EventKind::PhaseWait | EventKind::PhaseWaitRelaxed));
        polls
            && program.outputs.first().is_some_and(|it| {
                let value = self.evaluator.value(it.1);
                lanes_of(active).all(|lane| value[usize::from(lane)] == 0)
            })
    }

    /// The lanes in which a guard holds.
    pub(super) fn guard(
        &mut self,
        warp: &Warp,
        frame: usize,
        guard: Guard,
        lanes: u32,
        at: &At,
    ) -> u32 {
        let frame = &warp.frames[frame];
        let slot = guard.slot as usize;
        let undefined = frame.undefined[slot] & lanes;
        if undefined != 0 {
            let message = "the guard of this instruction was never written";
            let origin = frame.origins.get(&guard.slot).copied();
            self.world
                .findings
                .undefined(at, undefined, message, origin);
        }
        let mut mask = 0;
        for (lane, value) in frame.registers[slot].iter().enumerate() {
            mask |= u32::from((*value & 1 == 1) != guard.negated) << lane;
        }
        mask
    }

    /// A jump by a table.
    fn jump(&mut self, warp: &mut Warp, running: Running, instruction: &Instruction) {
        let values = match instruction.index {
            Some(source) => self.read(warp, &running, source, 32).0,
            None => [0; LANES],
        };
        warp.groups[running.group].lanes = 0;
        for lane in lanes_of(running.active) {
            let index = values[usize::from(lane)] as usize;
            let Some(target) = instruction.targets.get(index).copied() else {
                let message = format!(
                    "the index {index} is beyond the table, which has {} targets",
                    instruction.targets.len()
                );
                self.report(FindingCode::UnspecifiedOperand, &running, message);
                self.ended = Some(Ended::Trap);
                return;
            };
            warp.groups.push(Group {
                lanes: 1 << lane,
                frame: running.frame,
                pc: target,
                state: State::Ready,
                polled: None,
            });
        }
    }

    /// Ends the run at an instruction that is not run yet.
    pub(super) fn stop(&mut self, instruction: &Instruction, what: &str) {
        self.not_run.push(NotRun {
            range: instruction.range,
            what: what.to_owned(),
        });
        self.ended = Some(Ended::Stopped);
    }

    /// Adds a finding about the lanes that run.
    pub(super) fn report(&mut self, code: FindingCode, running: &Running, message: String) {
        let (at, lanes) = (&running.at, running.active);
        self.world
            .findings
            .push(code, at, lanes, message, Vec::new());
    }

    /// The values of a source in all lanes, and the lanes in which it is undefined.
    pub(super) fn read(
        &self,
        warp: &Warp,
        running: &Running,
        source: Source,
        bits: u8,
    ) -> (Lanes, u32) {
        let mask = u64::MAX >> (64 - u32::from(bits.clamp(1, 64)));
        let frame = &warp.frames[running.frame];
        match source {
            Source::Constant(it) => ([it; LANES], 0),
            Source::Register(slot, plus) => {
                let undefined = frame.undefined[slot as usize];
                let values = &frame.registers[slot as usize];
                match plus {
                    0 => (*values, undefined),
                    _ => (
                        values.map(|it| it.wrapping_add_signed(plus) & mask),
                        undefined,
                    ),
                }
            }
            Source::Special {
                index,
                component,
                number,
            } => {
                let block = &self.world.clusters[running.cluster].blocks[running.block];
                let shape = special::Shape {
                    launch: &self.launch,
                    block,
                    warp: warp.number,
                    live: warp.groups[running.group].lanes,
                    steps: self.steps,
                    shared: self.layouts.shared,
                };
                (special::value(&shape, index, component, number), 0)
            }
            Source::Address(symbol, plus) | Source::GenericAddress(symbol, plus) => {
                let generic = matches!(source, Source::GenericAddress(..));
                let mut address = self.layouts.symbol(self.code, symbol, generic);
                if let Symbol::Variable(id) = symbol
                    && self.code.variables[id as usize].space == StateSpace::Local
                {
                    address += frame.local;
                }
                ([address.wrapping_add_signed(plus); LANES], 0)
            }
            Source::Unknown => ([0; LANES], 0),
        }
    }

    /// Reads the inputs of a program; the lanes in which one is undefined.
    pub(super) fn read_inputs(
        &mut self,
        warp: &Warp,
        running: &Running,
        inputs: &[Input],
        sources: &[Source],
    ) -> u32 {
        let mut all = std::mem::take(&mut self.inputs);
        let mut flipped = std::mem::take(&mut self.flipped);
        all.resize(inputs.len(), [0; LANES]);
        flipped.clear();
        let mut undefined = 0;
        for (index, (input, source)) in inputs.iter().zip(sources).enumerate() {
            let values = &mut all[index];
            let lanes = match *source {
                Source::Constant(it) => {
                    values.fill(it);
                    0
                }
                Source::Register(slot, 0) => {
                    let frame = &warp.frames[running.frame];
                    values.copy_from_slice(&frame.registers[slot as usize]);
                    frame.undefined[slot as usize]
                }
                source => {
                    let lanes;
                    (*values, lanes) = self.read(warp, running, source, input.bits);
                    lanes
                }
            };
            let lanes = lanes & running.active;
            if lanes != 0 && undefined == 0 {
                flipped.extend_from_slice(&all[..index]);
            }
            undefined |= lanes;
            if undefined != 0 {
                let mask = u64::MAX >> (64 - u32::from(input.bits.clamp(1, 64)));
                let mut other = all[index];
                for lane in lanes_of(lanes).map(usize::from) {
                    let bits = match source {
                        Source::Register(slot, 0) => {
                            warp.frames[running.frame].undefined_bits(*slot as usize, lane)
                        }
                        _ => u64::MAX,
                    };
                    other[lane] ^= mask & bits;
                }
                flipped.push(other);
            }
        }
        self.inputs = all;
        self.flipped = flipped;
        undefined
    }

    /// Runs a program and writes what it computes.
    fn run_program(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        instruction: &Instruction,
        program: &Program,
        participants: (u64, u64),
    ) {
        if !instruction.is_runnable {
            let what = format!("`{}` with such an operand", instruction.name);
            return self.stop(instruction, &what);
        }
        match program.exactness {
            Exactness::Exact => {}
            Exactness::Bounded => {
                self.approximated.insert("approximations");
            }
            Exactness::Unordered => {
                self.approximated.insert("order of additions");
            }
        }
        self.check_pending(warp, running, instruction);
        if instruction.exchanges_only && self.compute(warp, running, instruction, program) {
            return;
        }
        let undefined = self.read_inputs(warp, running, &program.inputs, &instruction.sources);
        if program.atomic {
            self.run_lane_by_lane(warp, running, instruction, program, undefined);
        } else if !program.steps.is_empty() || !program.bulk.is_empty() {
            self.run_lanes(warp, running, instruction, program, participants, undefined);
        }
        if let Some(later) = &program.later {
            self.issue(warp, running, instruction, later);
        }
    }

    /// The nodes of a program that matter if something undefined is read: results, what is stored, addresses.
    pub(super) fn ends(program: &Program) -> Vec<u32> {
        let mut ends: Vec<u32> = program.outputs.iter().map(|it| it.1).collect();
        ends.extend(program.stores.iter().map(|it| it.value));
        ends.extend(program.stores.iter().map(|it| it.address));
        ends.extend(program.steps.iter().filter_map(|it| match it {
            Op::Load { address, .. } => Some(*address),
            _ => None,
        }));
        ends
    }

    /// The bits of these nodes that depend on undefined bits: those that change when all of these are inverted.
    fn undefined_ends(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        program: &Program,
        participants: (u64, u64),
        undefined: u32,
    ) -> Vec<Lanes> {
        let ends = Self::ends(program);
        let all = |machine: &Self| -> Vec<Lanes> {
            let values = ends.iter().map(|it| *machine.evaluator.value(*it));
            values.collect()
        };
        let found = all(self);
        let inputs = std::mem::take(&mut self.inputs);
        let flipped = std::mem::take(&mut self.flipped);
        let others = if undefined == 0 { &inputs } else { &flipped };
        let (kind, how) = (Kind::default(), Evaluation::Inverted);
        self.evaluate(warp, running, program, others, participants, kind, how);
        let mut other = all(self);
        // What is written is read from the evaluator.
        let how = Evaluation::Quiet;
        self.evaluate(warp, running, program, &inputs, participants, kind, how);
        (self.inputs, self.flipped) = (inputs, flipped);
        for (other, found) in other.iter_mut().zip(&found) {
            for (lane, (other, found)) in other.iter_mut().zip(found).enumerate() {
                *other = match running.active >> lane & 1 {
                    1 => *other ^ found,
                    _ => 0,
                };
            }
        }
        other
    }

    /// Runs the steps of a program in all lanes; the lanes in which memory was undefined, and whether a parameter
    /// without an argument was read.
    #[allow(
        clippy::too_many_arguments,
        reason = "the state and the operands of one evaluation"
    )]
    pub(super) fn evaluate(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        program: &Program,
        inputs: &[Lanes],
        participants: (u64, u64),
        kind: Kind,
        how: Evaluation,
    ) -> (u32, bool) {
        let flags = program.flags.then(|| {
            let registers = &warp.frames[running.frame].registers;
            let flag = |slot: u32| registers[slot as usize];
            [flag(analysis::code::CARRY), flag(analysis::code::STACK)]
        });
        let [carry, stack] = flags.as_ref().unwrap_or(&NO_FLAGS);
        let rank = self.world.clusters[running.cluster].blocks[running.block].rank;
        let surroundings = Surroundings {
            active: running.active,
            carry,
            stack,
            cta: rank.into(),
            ctas: u64::MAX
                >> (64
                    - self.world.clusters[running.cluster]
                        .blocks
                        .len()
                        .clamp(1, 64)),
            member: 0,
            sweep: 0,
            allocated: self.allocated,
            participants,
        };
        if !program.accesses {
            self.evaluator.run(program, inputs, &surroundings);
            return (0, false);
        }
        let mut access = self.world.access(warp, running, kind);
        access.inverts = how == Evaluation::Inverted;
        access.quiet = how != Evaluation::Real;
        self.evaluator
            .run_on(program, inputs, &surroundings, &mut access);
        (access.undefined, access.missing)
    }

    /// The value of a node of a program whose inputs have been read; nothing is written or reported.
    pub(super) fn value_of(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        program: &Program,
        node: u32,
    ) -> Lanes {
        let inputs = std::mem::take(&mut self.inputs);
        let kind = Kind::default();
        let how = Evaluation::Quiet;
        self.evaluate(warp, running, program, &inputs, (0, 0), kind, how);
        self.inputs = inputs;
        *self.evaluator.value(node)
    }

    pub(super) fn run_lanes(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        instruction: &Instruction,
        program: &Program,
        participants: (u64, u64),
        undefined: u32,
    ) {
        let kind = kind_of(instruction, program);
        let inputs = std::mem::take(&mut self.inputs);
        let how = Evaluation::Real;
        let (loaded, missing) =
            self.evaluate(warp, running, program, &inputs, participants, kind, how);
        self.inputs = inputs;
        if missing {
            return self.missing_argument(instruction);
        }
        let open = self.unspecified(running, program);
        let undefined = (undefined | open, loaded | open);
        self.keep(warp, running, instruction, program, participants, undefined);
    }

    /// Writes what a program has computed. `undefined` are the lanes in which an input was undefined, `loaded` those in
    /// which the instruction itself gave an undefined value.
    pub(super) fn keep(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        instruction: &Instruction,
        program: &Program,
        participants: (u64, u64),
        (undefined, loaded): (u32, u32),
    ) {
        let kind = kind_of(instruction, program);
        let marks = match undefined | loaded {
            0 => Vec::new(),
            _ => self.undefined_ends(warp, running, program, participants, undefined),
        };
        let count = program.outputs.len();
        let stores = program.stores.len();
        let mut wrong = 0;
        for bits in marks.iter().skip(count + stores) {
            let lanes = (0..LANES).filter(|it| bits[*it] != 0);
            wrong |= lanes.fold(0_u32, |all, it| all | 1 << it);
        }
        if wrong != 0 {
            let (at, message) = (&running.at, UNDEFINED_ADDRESS);
            let origin = warp.frames[running.frame].origin(&instruction.sources);
            self.world.findings.undefined(at, wrong, message, origin);
        }
        let stored = marks.get(count..count + stores).unwrap_or_default();
        let frame = &warp.frames[running.frame];
        let origin = match undefined | loaded {
            0 => None,
            _ if loaded != 0 => Some(instruction.range),
            _ => frame.origin(&instruction.sources),
        };
        self.write_memory(warp, running, program, kind, stored, origin);
        let frame = &mut warp.frames[running.frame];
        for (index, (slot, (_, node))) in instruction
            .destinations
            .iter()
            .zip(&program.outputs)
            .enumerate()
        {
            let Some(slot) = slot.map(|it| it as usize) else {
                continue;
            };
            let value = self.evaluator.value(*node);
            frame.write(slot, running.active, value, marks.get(index));
            if let Some(origin) = origin {
                frame.origins.insert(slot as u32, origin);
            }
        }
    }

    /// Writes what a program stores, lane by lane.
    fn write_memory(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        program: &Program,
        kind: Kind,
        marks: &[Lanes],
        origin: Option<TextRange>,
    ) {
        if program.stores.is_empty()
            && program.bulk.is_empty()
            && program.fields.is_empty()
            && program.texels.is_empty()
        {
            return;
        }
        let mut access = self.world.access(warp, running, kind);
        let evaluator = &self.evaluator;
        for (index, store) in program.stores.iter().enumerate() {
            let place = program.places[usize::from(store.place)];
            let high = store.high.map(|it| evaluator.value(it));
            let values = (evaluator.value(store.value), high);
            let address = evaluator.value(store.address);
            access.store_lanes(&place, address, store.element, values, marks.get(index));
        }
        for field in &program.fields {
            for lane in lanes_of(running.active).map(usize::from) {
                let value = |node: u32| evaluator.value(node)[lane];
                let place = program.places[usize::from(field.place)];
                let values = (value(field.index), value(field.value));
                access.replace_field(&place, value(field.address), (field.field, values), lane);
            }
        }
        if !marks.is_empty() {
            for lane in lanes_of(running.active).map(usize::from) {
                let stores = program.stores.iter().zip(marks);
                let elements = stores.map(|(store, bits)| {
                    let place = program.places[usize::from(store.place)];
                    (place, evaluator.value(store.address)[lane], bits[lane])
                });
                let elements: Vec<_> = elements.collect();
                access.check_stored(&elements, lane, origin);
            }
        }
        if !program.texels.is_empty() {
            for lane in lanes_of(running.active).map(usize::from) {
                let value = |node: u32| evaluator.value(node)[lane];
                access.write_texels(program, lane, &value);
            }
        }
        for bulk in &program.bulk {
            for lane in lanes_of(running.active).map(usize::from) {
                let value = |node: u32| evaluator.value(node)[lane];
                super::bulk::write_bulk(&mut access, program, bulk, lane, &value);
            }
        }
        self.end_if_refused();
        mbarriers::settle(&mut self.world.clusters[running.cluster].blocks[running.block]);
    }
}
