//! Accesses of memory: the addresses of instructions as nodes.

use isa::compute::{AddressSpace, BulkSource, Node, Op, Program, TensorStep};

use super::engine::Values;
use crate::flow::{
    computation::Computation,
    form_program::{FormProgram, any_program},
    ids::Step,
};

/// How memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AccessKind {
    Load,
    Store,
    Atomic,
    /// Rows of matrices, which lanes name for each other.
    Matrix,
}

/// An access of an instruction.
#[derive(Clone, Debug)]
pub(crate) struct MemoryAccess {
    /// The space that the instruction names.
    pub(crate) space: AddressSpace,
    pub(crate) kind: AccessKind,
    /// Whether it writes; an atomic one reads as well.
    pub(crate) writes: bool,
    /// The address in each lane; of a matrix that of the row which the lane names.
    pub(crate) address: Node,
    /// Bytes of each lane, of a row, or of a bulk copy if that is constant.
    pub(crate) bytes: Option<u64>,
    /// The lanes whose addresses count, as a mask.
    pub(crate) lanes: u32,
    /// Whether one thread accesses many bytes at once.
    pub(crate) bulk: bool,
    /// Whether the address chooses a box of a tensor, by its map.
    pub(crate) tensor: bool,
    /// Whether it may read fewer bytes, as a register says.
    pub(crate) partial: bool,
}

/// Bytes of a row of a matrix.
const ROW: u64 = 16;

impl<'a> Values<'a> {
    /// The accesses of memory of an instruction, those of mbarriers left out, in the order in which they happen.
    pub(crate) fn accesses(&mut self, step: Step) -> Vec<MemoryAccess> {
        let Some(instruction) = self.operands.get(step) else {
            return Vec::new();
        };
        let Some(form) = any_program(instruction.db, instruction.id) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let mut program = Some(form.program);
        while let Some(it) = program {
            if !it.places.is_empty() || !it.bulk.is_empty() {
                let form = FormProgram {
                    program: it,
                    ..form
                };
                let facts = &self.flow.facts;
                let computation = Computation::from_program(facts, instruction, form);
                if let Some(nodes) = self.steps(step, &computation) {
                    self.push_accesses(it, &nodes, &mut found);
                }
            }
            program = it.later.as_deref();
        }
        found
    }

    /// The additions and multiplications of a product of matrices with an instruction descriptor, in each CTA: unknown if
    /// the descriptor is not a constant. `None` for other instructions.
    pub(crate) fn described_work(&mut self, step: Step) -> Option<Option<u64>> {
        let instruction = self.operands.get(step)?;
        let form = any_program(instruction.db, instruction.id)?;
        let later = form.program.later.as_deref();
        [Some(form.program), later]
            .into_iter()
            .flatten()
            .find_map(|program| {
                let Some(TensorStep::Product(product)) = program.tensor.as_deref() else {
                    return None;
                };
                let bits = product.described_by()?;
                let form = FormProgram { program, ..form };
                let facts = &self.flow.facts;
                let computation = Computation::from_program(facts, instruction, form);
                let nodes = self.steps(step, &computation);
                let node = nodes.and_then(|it| it.get(bits as usize).copied());
                let constant = node.and_then(|it| self.graph.as_constant(it));
                Some(constant.and_then(|it| product.described_work(it)))
            })
    }

    fn push_accesses(&mut self, program: &Program, nodes: &[Node], found: &mut Vec<MemoryAccess>) {
        if program.fragments {
            found.extend(self.rows(program, nodes));
            return;
        }
        let plain = |place: u16, address: Node, writes: bool| {
            let place = program.places.get(usize::from(place))?;
            let address = *nodes.get(address as usize)?;
            place.field.is_none().then(|| MemoryAccess {
                space: place.space,
                kind: match (program.atomic, writes) {
                    (true, _) => AccessKind::Atomic,
                    (false, true) => AccessKind::Store,
                    (false, false) => AccessKind::Load,
                },
                writes: writes || program.atomic,
                address,
                bytes: Some(u64::from(place.bytes) * u64::from(place.count)),
                lanes: u32::MAX,
                bulk: false,
                tensor: false,
                partial: false,
            })
        };
        let loads = program.steps.iter().filter_map(|it| match it {
            Op::Load { place, address, .. } => Some((*place, *address, false)),
            _ => None,
        });
        let stores = program.stores.iter().map(|it| (it.place, it.address, true));
        for (place, address, writes) in loads.chain(stores) {
            let Some(new) = plain(place, address, writes) else {
                continue;
            };
            let same = |it: &MemoryAccess| {
                it.address == new.address
                    && it.space == new.space
                    && (it.kind == new.kind || it.kind == AccessKind::Atomic)
            };
            if !found.iter().any(same) {
                found.push(new);
            }
        }
        for bulk in &program.bulk {
            let mut push = |place: u16, address: Node, size: Node, writes: bool, tensor: bool| {
                let (Some(address), Some(size)) = (
                    nodes.get(address as usize).copied(),
                    nodes.get(size as usize).copied(),
                ) else {
                    return;
                };
                let Some(mut new) = plain(place, 0, writes) else {
                    return;
                };
                new.address = address;
                // A source that is shorter than the copy is the exception, at borders.
                let number = |it: Node| self.graph.as_constant(it);
                let whole = nodes.get(bulk.size as usize).and_then(|it| number(*it));
                new.bytes = number(size).or(whole);
                new.partial = number(size).is_none() && whole.is_some();
                new.kind = if writes {
                    AccessKind::Store
                } else {
                    AccessKind::Load
                };
                new.writes = writes;
                // Copies of few bytes are those of each thread for itself.
                new.bulk = tensor || new.bytes.is_none_or(|it| it > ROW);
                new.tensor = tensor;
                if tensor {
                    new.space = AddressSpace::Global;
                }
                found.push(new);
            };
            match &bulk.from {
                BulkSource::Memory {
                    place,
                    address,
                    size,
                    ..
                } => push(*place, *address, *size, false, false),
                BulkSource::Box { place, address, .. } => {
                    push(*place, *address, bulk.size, false, true);
                }
                BulkSource::Zero | BulkSource::Undefined | BulkSource::Response => {}
            }
            let tensor = bulk.to_box.is_some();
            push(bulk.place, bulk.address, bulk.size, true, tensor);
        }
    }

    /// The rows of matrices that lanes name.
    fn rows(&mut self, program: &Program, nodes: &[Node]) -> Option<MemoryAccess> {
        let place = program.places.first()?;
        let mut named = program
            .steps
            .iter()
            .zip(nodes)
            .filter_map(|(op, node)| match op {
                Op::Aligned(_, bytes) => Some((*node, u64::from(*bytes))),
                _ => None,
            });
        let writes = !program.stores.is_empty();
        let (address, bytes) = named.next()?;
        // What is aligned may be what a lane gets of the one that names the row.
        let address = match self.graph.op(address) {
            Op::Gather(own, _) | Op::Broadcast(own, _) => own,
            _ => address,
        };
        Some(MemoryAccess {
            space: place.space,
            kind: AccessKind::Matrix,
            writes,
            address,
            bytes: (bytes == ROW).then_some(ROW),
            lanes: self.naming(address, nodes),
            bulk: false,
            tensor: false,
            partial: false,
        })
    }

    /// The lanes whose values of a node others read.
    fn naming(&self, of: Node, nodes: &[Node]) -> u32 {
        let mut lanes = 0;
        let mut numbers = isa::compute::LaneValues::<{ isa::compute::LANES }>::default();
        for node in nodes {
            match self.graph.op(*node) {
                Op::Broadcast(a, lane) if a == of => lanes |= 1 << lane,
                Op::Ballot(a) if a == of => return u32::MAX,
                Op::Gather(a, lane) if a == of => {
                    let found = numbers.get(&self.graph, lane, &mut |_| None);
                    match found {
                        Some(all) => all.iter().for_each(|it| lanes |= 1 << (it & 31)),
                        None => return u32::MAX,
                    }
                }
                _ => {}
            }
        }
        if lanes == 0 { u32::MAX } else { lanes }
    }
}
