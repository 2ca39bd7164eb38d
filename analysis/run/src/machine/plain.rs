//! Instructions that only compute: most of a run. Their operands are read where they are, and nothing else happens.
//!
//! [`Machine::step`] gives the same results without this file, and copies every operand on the way.

use analysis::code::{Instruction, Source};
use isa::compute::{Exactness, Op, Program};

use super::{
    Machine,
    running::Running,
    warp::{LANES, Lanes, Warp},
};

/// Inputs of a program at most.
const MAX_INPUTS: usize = 8;
static ZEROS: Lanes = [0; LANES];

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
                Source::Constant(it) => {
                    own.fill(it);
                    own
                }
                source => {
                    let bits = program.inputs.get(at).map_or(64, |it| it.bits);
                    let lanes;
                    (*own, lanes) = self.read(warp, running, source, bits);
                    undefined |= lanes;
                    own
                }
            };
        }
        let is_defined = undefined & running.active == 0;
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
            self.evaluator.compute(program, inputs);
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
