//! Instructions that only compute: most of a run. Their operands are read where they are, and nothing else happens.
//!
//! [`Machine::step`] gives the same results without this file, and copies every operand on the way.

use analysis::code::{Instruction, Source};
use isa::compute::{Exactness, Op, Program};

use super::{
    Machine,
    findings::lanes_of,
    running::Running,
    warp::{LANES, Lanes, Warp},
};

/// Inputs of a program at most.
const MAX_INPUTS: usize = 8;

impl Machine<'_> {
    /// Runs an instruction that only computes, and writes its results; `false` if nothing has been done, since a value
    /// that it reads is undefined.
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
        let mut is_defined = true;
        for ((input, source), own) in program.inputs.iter().zip(sources).zip(&mut own) {
            match *source {
                Source::Register(slot, 0) => {
                    let undefined = warp.frames[running.frame].undefined[slot as usize];
                    is_defined &= undefined & running.active == 0;
                }
                Source::Constant(it) => own.fill(it),
                source => {
                    let undefined;
                    (*own, undefined) = self.read(warp, running, source, input.bits);
                    is_defined &= undefined & running.active == 0;
                }
            }
        }
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
            let frame = &mut warp.frames[running.frame];
            let mut inputs = [&[0; LANES]; MAX_INPUTS];
            for ((input, source), own) in inputs.iter_mut().zip(sources).zip(&own) {
                *input = match *source {
                    Source::Register(slot, 0) => &frame.registers[slot as usize],
                    _ => own,
                };
            }
            let inputs = &inputs[..sources.len()];
            self.evaluator.compute(program, inputs);
            // Registers are written after all have been read.
            let is_input = |node: u32| matches!(program.steps[node as usize], Op::Input(_));
            let read = |node: u32| *self.evaluator.result(program, inputs, node);
            let mut only = [0; LANES];
            let mut copied: Vec<Lanes> = Vec::new();
            match &program.outputs[..] {
                [(_, node)] if is_input(*node) => only = read(*node),
                all if all.iter().any(|it| is_input(it.1)) => {
                    copied.extend(all.iter().map(|it| read(it.1)));
                }
                _ => {}
            }
            for (index, (slot, (_, node))) in (instruction.destinations.iter())
                .zip(&program.outputs)
                .enumerate()
            {
                let Some(slot) = slot.map(|it| it as usize) else {
                    continue;
                };
                let value = match copied.get(index) {
                    Some(copied) => copied,
                    None if is_input(*node) => &only,
                    None => self.evaluator.value(*node),
                };
                let register = &mut frame.registers[slot];
                if running.active == u32::MAX {
                    register.copy_from_slice(value);
                } else {
                    for lane in lanes_of(running.active).map(usize::from) {
                        register[lane] = value[lane];
                    }
                }
                if frame.undefined[slot] & running.active != 0 {
                    frame.mark(slot, running.active, None);
                }
            }
        }
        self.inputs = own;
        is_defined
    }
}
