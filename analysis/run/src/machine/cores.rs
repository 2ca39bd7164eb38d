//! Operations of tensor cores.

use std::ops::Range;

use isa::compute::{
    AddressSpace, Cell, Chunk, Op, Program, Surroundings, TensorMemory, TensorProblem, TensorStep,
    memory::CTA_SHIFT,
    tensor::{Accumulator, Products},
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
    tensor_memory::{TENSOR_GRAIN, TENSOR_LANES},
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
        // Descriptors of this family have other fields.
        if (107..110).contains(&self.code.target) {
            self.not_run.push(NotRun {
                range: running.at.range,
                what: format!("`{}` for `sm_{}`", core.name, self.code.target),
            });
            self.ended = Some(Ended::Stopped);
            return;
        }
        let mut inputs = core.inputs.clone();
        // Registers of a warp that has ended are no more.
        let is_there = warp.clock == thread.view && running.frame < warp.frames.len();
        if !is_there && !core.destinations.is_empty() {
            return;
        }
        let place = Running {
            frame: if is_there { running.frame } else { 0 },
            ..*running
        };
        let running = &place;
        let frame = &warp.frames[running.frame];
        tensor.for_each_register(|node, _| {
            if !is_there {
                return;
            }
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
            ctas: 1,
            member: 0,
            sweep: 0,
            allocated: 0,
            participants: (0, 0),
        };
        self.evaluator.run(program, &inputs, &surroundings);
        let undefined: Vec<u32> = match is_there {
            true => frame.undefined.clone(),
            false => Vec::new(),
        };
        let slot = |node: u32| slot_of(program, &core.sources, node);
        let undefined = |node: u32| {
            let found = slot(node).and_then(|it| undefined.get(it as usize));
            found.copied().unwrap_or(0)
        };
        let place = (running.cluster, running.block, running.frame);
        let number = warp.number % WARPGROUP;
        let mut access = self.world.access_at(warp, place, running.at, thread, kind);
        access.active = running.active;
        // A pair of CTAs is one of an even number and the next.
        let ctas = match tensor.ctas() {
            1 => running.block..running.block + 1,
            pair => {
                let first = running.block / pair * pair;
                first..(first + pair).min(access.blocks.len())
            }
        };
        if ctas.len() < tensor.ctas() {
            let message = "an operation of a pair of CTAs, and the cluster has one".to_owned();
            return self.report(FindingCode::UnspecifiedOperand, running, message);
        }
        let mut memory = CoreMemory {
            access: &mut access,
            ctas,
        };
        let before = self.evaluator.values();
        let made = match &**tensor {
            TensorStep::Product(product) => match product.d {
                Accumulator::Registers(_) => {
                    product.run(number as usize, before, &undefined, &mut memory)
                }
                Accumulator::Tensor(_) => {
                    let made = product.run_in_tensor_memory(before, &mut memory);
                    made.map(|()| Products::default())
                }
            },
            TensorStep::Copy(copy) => {
                let made = copy.run(before, &mut memory);
                made.map(|()| Products::default())
            }
            TensorStep::Load(movement) => movement.load(number as usize, before, &mut memory),
            TensorStep::Store(movement) => {
                let made = movement.store(number as usize, before, &undefined, &mut memory);
                made.map(|()| Products::default())
            }
        };
        let made = match made {
            Ok(made) => made,
            Err(TensorProblem::Operand(message)) => {
                return self.report(FindingCode::UnspecifiedOperand, running, message);
            }
            Err(TensorProblem::OutOfReach(message)) => {
                return self.report(FindingCode::OutOfBounds, running, message);
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
            let (Some(slot), Some(Op::Matrix(register))) = (
                slot.map(|it| it as usize),
                program.steps.get(*node as usize),
            ) else {
                continue;
            };
            let register = usize::from(*register);
            if let Some(value) = made.registers.get(register) {
                for lane in lanes_of(running.active).map(usize::from) {
                    frame.registers[slot][lane] = value[lane];
                }
            }
            let marks = made.undefined.get(register);
            if marks.is_some() {
                frame.origins.insert(slot as u32, running.at.range);
            }
            if marks.is_some() || frame.undefined[slot] & running.active != 0 {
                frame.mark(slot, running.active, marks);
            }
        }
    }
}

/// The memory that a tensor core reaches.
struct CoreMemory<'a, 'b> {
    access: &'a mut Access<'b>,
    /// The CTAs that it uses, by their numbers in the cluster.
    ctas: Range<usize>,
}

impl TensorMemory for CoreMemory<'_, '_> {
    fn shared(&mut self, cta: usize, address: u32) -> Chunk {
        let access = &mut *self.access;
        let lane = access.active.trailing_zeros() as usize % 32;
        let block = self.ctas.start + cta;
        let within = ((block as u64 + 1) << CTA_SHIFT) | u64::from(address);
        let (space, address) = match block == access.own {
            true => (AddressSpace::Shared, u64::from(address)),
            false => (AddressSpace::SharedCluster, within),
        };
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

    fn touch(&mut self, cta: usize, lanes: Range<u32>, columns: Range<u32>, writes: bool) -> bool {
        let access = &mut *self.access;
        let block = &access.blocks[self.ctas.start + cta];
        let last = columns.end.saturating_sub(1);
        let is_there = block
            .tensor
            .as_ref()
            .is_some_and(|it| it.is_allocated(columns.start, last) && lanes.end <= TENSOR_LANES);
        let code = FindingCode::OutOfBounds;
        let lane = access.active.trailing_zeros() as u8 % 32;
        if !is_there {
            if !access.findings.knows(code, &access.at, access.active) {
                let message = format!(
                    "the access is to columns {} to {last} and lanes {} to {} of tensor memory, which are not allocated",
                    columns.start,
                    lanes.start,
                    lanes.end.saturating_sub(1)
                );
                let mask = access.active;
                access
                    .findings
                    .push(code, &access.at, mask, message, Vec::new());
            }
            return false;
        }
        let keys: Vec<u64> = columns
            .map(|it| block.tensor_key(lanes.start, it))
            .collect();
        let bytes = lanes.end.div_ceil(TENSOR_GRAIN) - lanes.start / TENSOR_GRAIN;
        for key in keys {
            access.record_key(key, bytes.into(), lane, writes);
        }
        true
    }

    fn cell(&self, cta: usize, lane: u32, column: u32) -> Cell {
        let block = &self.access.blocks[self.ctas.start + cta];
        let cells = block.tensor.as_ref();
        cells.map_or_else(Cell::default, |it| it.cell(lane, column))
    }

    fn set_cell(&mut self, cta: usize, lane: u32, column: u32, cell: Cell) {
        if let Some(cells) = &mut self.access.blocks[self.ctas.start + cta].tensor {
            cells.set(lane, column, cell);
        }
    }
}
