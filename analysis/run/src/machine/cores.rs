//! Operations of tensor cores.

use isa::compute::{
    AddressSpace, Chunk, Op, Program, Surroundings, TensorMemory, TensorProblem, TensorStep,
};

use crate::outcome::{Ended, FindingCode, NotRun};

use super::{
    Machine,
    access::Access,
    asynchronous::Core,
    findings::lanes_of,
    pending::slot_of,
    races::{Kind, Thread},
    running::Running,
    warp::Warp,
};

/// The warps of a warpgroup.
const WARPGROUP: u32 = 4;

impl Machine<'_> {
    /// Does what an operation of a tensor core does.
    pub(super) fn run_core(
        &mut self,
        warp: &mut Warp,
        program: &Program,
        core: &Core,
        running: &Running,
        (thread, kind): (Thread, Kind),
    ) {
        let Some(tensor) = &program.tensor else {
            return;
        };
        // Results of a warp that has ended go nowhere.
        if warp.clock != thread.view || running.frame >= warp.frames.len() {
            return;
        }
        let mut inputs = core.inputs.clone();
        let frame = &warp.frames[running.frame];
        tensor.for_each_register(|node, _| {
            // An operation before this one may have written it since.
            if let Some(slot) = slot_of(program, &core.sources, node)
                && let Some(Op::Input(input)) = program.steps.get(node as usize)
            {
                inputs[*input as usize] = frame.registers[slot as usize];
            }
        });
        let (carry, stack) = ([0; 32], [0; 32]);
        let surroundings = Surroundings {
            active: running.active,
            carry: &carry,
            stack: &stack,
            cta: 0,
            member: 0,
            sweep: 0,
            participants: (0, 0),
        };
        self.evaluator.run(program, &inputs, &surroundings);
        let undefined: Vec<u32> = frame.undefined.clone();
        let slot = |node: u32| slot_of(program, &core.sources, node);
        let undefined = |node: u32| slot(node).map_or(0, |it| undefined[it as usize]);
        let place = (running.cluster, running.block, running.frame);
        let number = warp.number % WARPGROUP;
        let mut access = self.world.access_at(warp, place, running.at, thread, kind);
        access.active = running.active;
        let mut memory = CoreMemory {
            access: &mut access,
        };
        let before = self.evaluator.values();
        let made = match &**tensor {
            TensorStep::Product(product) => {
                product.run(number as usize, before, &undefined, &mut memory)
            }
        };
        let made = match made {
            Ok(made) => made,
            Err(TensorProblem::Operand(message)) => {
                return self.report(FindingCode::UnspecifiedOperand, running, message);
            }
            Err(TensorProblem::NotRun(what)) => {
                self.not_run.push(NotRun {
                    range: running.at.range,
                    what: format!("`{}` with {what}", core.name),
                });
                self.ended = Some(Ended::Stopped);
                return;
            }
        };
        let frame = &mut warp.frames[running.frame];
        for (slot, (_, node)) in core.destinations.iter().zip(&program.outputs) {
            let (Some(slot), Some(Op::Matrix(register))) =
                (slot.map(|it| it as usize), program.steps.get(*node as usize))
            else {
                continue;
            };
            let register = usize::from(*register);
            if let Some(value) = made.registers.get(register) {
                for lane in lanes_of(running.active).map(usize::from) {
                    frame.registers[slot][lane] = value[lane];
                }
            }
            let marks = made.undefined.get(register);
            if marks.is_some() || frame.undefined[slot] & running.active != 0 {
                frame.mark(slot, running.active, marks);
            }
        }
    }
}

/// The memory that a tensor core reaches.
struct CoreMemory<'a, 'b> {
    access: &'a mut Access<'b>,
}

impl TensorMemory for CoreMemory<'_, '_> {
    fn shared(&mut self, address: u32) -> Chunk {
        let access = &mut *self.access;
        let lane = access.active.trailing_zeros() as usize % 32;
        let (space, address) = (AddressSpace::Shared, u64::from(address));
        let Some((region, offset)) = access.many(space, address, 16, lane, false) else {
            return Chunk::default();
        };
        access.record(region, offset, 16, lane, false);
        let (low, marked) = access.read(region, offset, 8, lane);
        let (high, marked_too) = access.read(region, offset + 8, 8, lane);
        Chunk {
            bits: u128::from(high) << 64 | u128::from(low),
            undefined: marked | marked_too != 0,
        }
    }
}
