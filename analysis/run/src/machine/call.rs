//! Calls, returns, and the end of threads.

use std::sync::Arc;

use analysis::code::{Actual, Call, Callee, Formal, Instruction, Source, VariableId};

use crate::outcome::{Ended, FindingCode};

use super::{
    Machine,
    access::FRAME_PARAMETERS,
    findings::lanes_of,
    launch::Layouts,
    memory::LOCAL_SIZE,
    running::Running,
    warp::{Frame, Group, LANES, Lanes, State, Warp, first},
};

/// The most frames of a warp: deeper recursion ends the run.
const MOST_DEPTH: u32 = 4096;
/// The alignment of the local variables of a function together, in bytes.
const FRAME_ALIGNMENT: u64 = 16;

impl Machine<'_> {
    /// Enters a function.
    pub(super) fn call(&mut self, warp: &mut Warp, running: Running, instruction: &Instruction) {
        let Some(call) = &instruction.call else {
            return self.stop(instruction, "a call whose function is not known");
        };
        let function = match &call.callee {
            Callee::Function(id) => *id as usize,
            Callee::Unknown(_) => {
                return self.stop(instruction, "a call of a function that is not declared");
            }
            Callee::Indirect(slot) => {
                let frame = &warp.frames[running.frame];
                let values = frame.registers[*slot as usize];
                let own = values[first(running.active)];
                let same = lanes_of(running.active).filter(|it| values[usize::from(*it)] == own);
                let same = same.fold(0_u32, |all, it| all | 1 << it);
                if same != running.active {
                    // Each function in turn.
                    let group = &mut warp.groups[running.group];
                    group.lanes &= !same;
                    let mut other = *group;
                    other.lanes = same;
                    warp.groups.push(other);
                    let running = Running {
                        group: warp.groups.len() - 1,
                        active: same,
                        ..running
                    };
                    return self.call(warp, running, instruction);
                }
                match Layouts::function_at(own) {
                    Some(it) if it < self.code.functions.len() => it,
                    _ => {
                        let message = format!("{own:#x} is not the address of a function");
                        self.report(FindingCode::OutOfBounds, &running, message);
                        self.ended = Some(Ended::Trap);
                        return;
                    }
                }
            }
        };
        if !self.code.functions[function].defined {
            return self.call_system(warp, running, instruction, call, function);
        }
        let callee = &self.code.functions[function];
        let same = |formals: &[Formal], actuals: &[Actual]| formals.len() == actuals.len();
        if !same(&callee.parameters, &call.arguments) || !same(&callee.results, &call.results) {
            return self.stop(
                instruction,
                "a call that passes vectors in other ways than the function takes them",
            );
        }
        self.enter(warp, &running, call, function);
    }

    fn enter(&mut self, warp: &mut Warp, running: &Running, call: &Call, function: usize) {
        let code = self.code;
        let callee = &code.functions[function];
        let (local, parameters) = self.layouts.frames[function];
        let caller = &warp.frames[running.frame];
        let mut frame = Frame::new(function, callee.slots as usize, running.active);
        frame.depth = caller.depth + 1;
        frame.local = caller.local_end.next_multiple_of(FRAME_ALIGNMENT);
        frame.local_end = frame.local + local;
        frame.holes = Arc::clone(&self.layouts.local_holes[function]);
        frame.parameter_size = parameters as usize;
        frame.parameters = vec![0; frame.parameter_size * LANES];
        let pc = warp.groups[running.group].pc;
        frame.caller = Some((running.frame, pc));
        let stack = analysis::code::STACK as usize;
        frame.registers[stack] = caller.registers[stack];
        if frame.depth > MOST_DEPTH || frame.local_end > LOCAL_SIZE / 2 {
            let message = "the calls are nested deeper than local memory allows".to_owned();
            self.report(FindingCode::OutOfBounds, running, message);
            self.ended = Some(Ended::Limit);
            return;
        }
        for (formal, actual) in callee.parameters.iter().zip(&call.arguments) {
            self.pass(warp, running, &mut frame, formal, actual);
        }
        let index = match warp.free.pop() {
            Some(index) => {
                warp.frames[index] = frame;
                index
            }
            None => {
                warp.frames.push(frame);
                warp.frames.len() - 1
            }
        };
        let group = &mut warp.groups[running.group];
        group.frame = index;
        group.pc = 0;
        group.state = State::Ready;
    }

    /// Copies an argument into the frame of the callee.
    fn pass(
        &self,
        warp: &Warp,
        running: &Running,
        frame: &mut Frame,
        formal: &Formal,
        actual: &Actual,
    ) {
        match (formal, actual) {
            (Formal::Variable(to), Actual::Variable(from)) => {
                let from = (&warp.frames[running.frame], *from);
                self.copy_variable(from, frame, *to, running.active);
            }
            (Formal::Register(slot), actual) => {
                let (values, undefined) = self.actual(warp, running, actual);
                frame.registers[*slot as usize] = values;
                frame.undefined[*slot as usize] = undefined;
                frame.partly.remove(slot);
            }
            (Formal::Variable(to), Actual::Value(source)) => {
                let (values, _) = self.read(warp, running, *source, 64);
                let size = (self.code.variables[*to as usize].size as usize).min(8);
                let offset = self.offset(*to);
                for (lane, value) in values.iter().enumerate() {
                    let start = lane * frame.parameter_size + offset;
                    if let Some(place) = frame.parameters.get_mut(start..start + size) {
                        place.copy_from_slice(&value.to_le_bytes()[..size]);
                    }
                }
            }
        }
    }

    /// The value of an argument.
    pub(super) fn actual(&self, warp: &Warp, running: &Running, actual: &Actual) -> (Lanes, u32) {
        match actual {
            Actual::Value(source) => self.read(warp, running, *source, 64),
            Actual::Variable(id) => {
                let frame = &warp.frames[running.frame];
                let size = (self.code.variables[*id as usize].size as usize).min(8);
                let offset = self.offset(*id);
                let value = |lane: usize| {
                    let start = lane * frame.parameter_size + offset;
                    let mut bytes = [0; 8];
                    if let Some(place) = frame.parameters.get(start..start + size) {
                        bytes[..size].copy_from_slice(place);
                    }
                    u64::from_le_bytes(bytes)
                };
                (std::array::from_fn(value), 0)
            }
        }
    }

    /// Where a variable in `.param` space is in its frame.
    fn offset(&self, variable: VariableId) -> usize {
        let address = self.layouts.addresses[variable as usize];
        address.saturating_sub(FRAME_PARAMETERS) as usize
    }

    fn copy_variable(
        &self,
        from: (&Frame, VariableId),
        to: &mut Frame,
        id: VariableId,
        lanes: u32,
    ) {
        let (source, variable) = from;
        let size = |id: VariableId| self.code.variables[id as usize].size as usize;
        let size = size(variable).min(size(id));
        let (start, end) = (self.offset(variable), self.offset(id));
        for lane in lanes_of(lanes).map(usize::from) {
            let start = lane * source.parameter_size + start;
            let end = lane * to.parameter_size + end;
            let bytes = source.parameters.get(start..start + size);
            if let (Some(bytes), Some(place)) = (bytes, to.parameters.get_mut(end..end + size)) {
                place.copy_from_slice(bytes);
            }
        }
    }

    /// Writes the result of a call into the frame of the caller.
    pub(super) fn give(
        &self,
        frame: &mut Frame,
        place: &Actual,
        values: &Lanes,
        undefined: u32,
        lanes: u32,
    ) {
        for lane in lanes_of(lanes).map(usize::from) {
            match place {
                Actual::Value(Source::Register(slot, _)) => {
                    frame.registers[*slot as usize][lane] = values[lane];
                    let bits = [u64::MAX; LANES];
                    let bits = (undefined >> lane & 1 == 1).then_some(&bits);
                    frame.mark(*slot as usize, 1 << lane, bits);
                }
                Actual::Value(_) => {}
                Actual::Variable(id) => {
                    let size = (self.code.variables[*id as usize].size as usize).min(8);
                    let start = lane * frame.parameter_size + self.offset(*id);
                    if let Some(place) = frame.parameters.get_mut(start..start + size) {
                        place.copy_from_slice(&values[lane].to_le_bytes()[..size]);
                    }
                }
            }
        }
    }

    /// Returns from a function; in an entry the threads end.
    pub(super) fn leave(&mut self, warp: &mut Warp, running: Running) {
        let frame = &warp.frames[running.frame];
        let Some((caller, pc)) = frame.caller else {
            return self.end_lanes(warp, running);
        };
        let code = self.code;
        let callee = &code.functions[frame.function];
        let instruction = &code.functions[warp.frames[caller].function].instructions[pc as usize];
        let lanes = running.active;
        if let Some(call) = &instruction.call {
            for (formal, actual) in callee.results.iter().zip(&call.results) {
                let mut to = std::mem::replace(&mut warp.frames[caller], Frame::new(0, 2, 0));
                let frame = &warp.frames[running.frame];
                match (formal, actual) {
                    (Formal::Variable(from), Actual::Variable(place)) => {
                        self.copy_variable((frame, *from), &mut to, *place, lanes);
                    }
                    (Formal::Register(slot), place) => {
                        let values = frame.registers[*slot as usize];
                        let undefined = frame.undefined[*slot as usize];
                        self.give(&mut to, place, &values, undefined, lanes);
                    }
                    (Formal::Variable(from), place) => {
                        let actual = Actual::Variable(*from);
                        let inner = Running {
                            frame: running.frame,
                            ..running
                        };
                        let (values, _) = self.actual(warp, &inner, &actual);
                        self.give(&mut to, place, &values, 0, lanes);
                    }
                }
                warp.frames[caller] = to;
            }
        }
        let (local, local_end) = {
            let frame = &warp.frames[running.frame];
            (frame.local, frame.local_end)
        };
        for lane in lanes_of(lanes).map(usize::from) {
            warp.local[lane].clear(local, local_end);
        }
        let frame = &mut warp.frames[running.frame];
        frame.lanes &= !lanes;
        if frame.lanes == 0 {
            warp.free.push(running.frame);
        }
        let group = &mut warp.groups[running.group];
        let rest = group.lanes & !lanes;
        let inside = *group;
        *group = Group {
            lanes,
            frame: caller,
            pc: pc + 1,
            state: State::Ready,
            polled: None,
        };
        if rest != 0 {
            warp.groups.push(Group {
                lanes: rest,
                ..inside
            });
        }
    }

    /// Ends threads.
    pub(super) fn end_lanes(&mut self, warp: &mut Warp, running: Running) {
        let lanes = running.active;
        warp.live &= !lanes;
        warp.groups[running.group].lanes &= !lanes;
        for frame in &mut warp.frames {
            frame.lanes &= !lanes;
        }
        let block = &mut self.world.clusters[running.cluster].blocks[running.block];
        block.live -= lanes.count_ones().min(block.live);
        warp.merge();
        if block.live == 0 {
            self.order.block_ended = true;
            self.check_readers(&running, warp);
            self.check_end(&running, warp);
        }
        self.after_end(&running, warp);
    }
}
