//! The accesses of memory that the next instruction of a warp makes, computed from its registers without running it.

use std::collections::BTreeSet;

use analysis::code::{Instruction, Source, Symbol};
use isa::{
    compute::{
        AddressSpace, BulkSource, Machine as Evaluator, Memory, Op, Place, Program, Surroundings,
        window,
    },
    matrix::tensor_map::BoxMode,
};

use crate::{
    Machine,
    machine::inspect::{View, WARP},
};

/// An access of memory that lanes of a warp are about to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextAccess {
    /// The state space of the instruction, which may be generic.
    pub space: AddressSpace,
    /// The address of each lane.
    pub addresses: [u64; WARP],
    /// Bytes of each lane.
    pub bytes: u64,
    /// The lanes that access memory, as a mask.
    pub lanes: u32,
    /// Whether it writes; an atomic operation does.
    pub writes: bool,
    /// Whether each address is the start of a row of a matrix, whose elements are spread over the lanes.
    pub matrix: bool,
}

impl NextAccess {
    /// Whether all of it is in shared memory of the block.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        let start = window(AddressSpace::Shared);
        match self.space {
            AddressSpace::Shared => true,
            AddressSpace::Generic => (0..WARP)
                .filter(|it| self.lanes >> it & 1 == 1)
                .all(|it| self.addresses[it].wrapping_sub(start) < 1 << 32),
            _ => false,
        }
    }
}

/// The accesses that an instruction makes in lanes of a frame; none if a register that it needs is not there.
#[must_use]
pub fn next_accesses(
    machine: &Machine<'_>,
    view: View,
    instruction: &Instruction,
    active: u32,
) -> Vec<NextAccess> {
    let mut all = Vec::new();
    let later = instruction
        .program
        .as_ref()
        .and_then(|it| it.later.as_ref());
    let programs = [
        (instruction.program.as_deref(), &instruction.sources),
        (later.map(|it| &**it), &instruction.later_sources),
    ];
    for (program, sources) in programs {
        if let Some(program) = program {
            all.extend(accesses_of(machine, view, program, sources, active).unwrap_or_default());
        }
    }
    all
}

/// A memory that only notes addresses.
#[derive(Default)]
struct Recorder {
    loads: Vec<(Place, [u64; WARP])>,
}

impl Memory<WARP> for Recorder {
    fn box_bytes(&mut self, _: &Place, _: BoxMode, _: &[u64; WARP], out: &mut [u64; WARP]) {
        *out = [0; WARP];
    }

    fn load(&mut self, place: &Place, address: &[u64; WARP], _: u8, _: u8, out: &mut [u64; WARP]) {
        self.loads.push((*place, *address));
        *out = [0; WARP];
    }
}

/// The accesses of a program on the registers of a warp.
fn accesses_of(
    machine: &Machine<'_>,
    view: View,
    program: &Program,
    sources: &[Source],
    active: u32,
) -> Option<Vec<NextAccess>> {
    let read = |source: &Source, bits: u8| -> Option<[u64; WARP]> {
        let mask = u64::MAX >> (64 - u32::from(bits.clamp(1, 64)));
        Some(match *source {
            Source::Constant(it) => [it; WARP],
            Source::Register(slot, plus) => {
                let values = machine.register(view.warp, view.frame, slot)?.0;
                match plus {
                    0 => *values,
                    _ => values.map(|it| it.wrapping_add_signed(plus) & mask),
                }
            }
            Source::Special {
                index,
                component,
                number,
            } => machine.special(view.warp, index, component, number)?,
            Source::Address(Symbol::Variable(id), plus) => {
                [machine.place_of(view, id)?.1.wrapping_add_signed(plus); WARP]
            }
            Source::GenericAddress(Symbol::Variable(id), plus) => {
                let (space, address) = machine.place_of(view, id)?;
                [(address + window(space)).wrapping_add_signed(plus); WARP]
            }
            _ => return None,
        })
    };
    let inputs = program.inputs.iter().zip(sources);
    let inputs: Vec<[u64; WARP]> = inputs
        .map(|(input, source)| read(source, input.bits))
        .collect::<Option<_>>()?;
    let zeros = [0; WARP];
    let surroundings = Surroundings {
        active,
        ..Surroundings::alone(&zeros)
    };
    let mut evaluator = Evaluator::<WARP>::default();
    let mut recorder = Recorder::default();
    evaluator.run_on(program, &inputs, &surroundings, &mut recorder);
    let mut found: Vec<NextAccess> = Vec::new();
    if program.fragments {
        // Each lane checks the row that it gets of the lane that names it.
        let aligned = program.steps.iter().find_map(|it| match it {
            Op::Aligned(address, bytes) => Some((*address, u64::from(*bytes))),
            _ => None,
        });
        let (address, bytes) = aligned?;
        let own = match program.steps.get(address as usize)? {
            Op::Gather(own, _) | Op::Broadcast(own, _) => *own,
            _ => address,
        };
        let rows = match program.steps.get(own as usize)? {
            Op::Input(index) => *inputs.get(*index as usize)?,
            _ => *evaluator.value(own),
        };
        let mut parts: BTreeSet<u64> = BTreeSet::new();
        for (_, addresses) in &recorder.loads {
            parts.extend(addresses);
        }
        for store in &program.stores {
            parts.extend(evaluator.value(store.address));
        }
        // The address of a row may be any number.
        let named = |it: u64| parts.range(it..it.saturating_add(bytes)).next().is_some();
        let lanes = (0..WARP).filter(|it| named(rows[*it]));
        let space = recorder.loads.first().map(|it| it.0.space);
        let space = space.or_else(|| program.places.first().map(|it| it.space))?;
        found.push(NextAccess {
            space,
            addresses: rows,
            bytes,
            lanes: lanes.fold(0, |all, it| all | 1 << it),
            writes: !program.stores.is_empty(),
            matrix: true,
        });
        return Some(found);
    }
    let mut push = |place: &Place, addresses: [u64; WARP], bytes: u64, writes: bool| {
        let same = |it: &&mut NextAccess| it.addresses == addresses && it.space == place.space;
        if place.field.is_some() {
            return;
        }
        match found.iter_mut().find(same) {
            Some(it) if program.atomic => it.writes |= writes,
            Some(it) if it.writes == writes => {}
            _ => found.push(NextAccess {
                space: place.space,
                addresses,
                bytes,
                lanes: active,
                writes,
                matrix: false,
            }),
        }
    };
    let size = |it: &Place| u64::from(it.bytes) * u64::from(it.count);
    for (place, addresses) in &recorder.loads {
        push(place, *addresses, size(place), false);
    }
    for store in &program.stores {
        let place = &program.places[usize::from(store.place)];
        push(place, *evaluator.value(store.address), size(place), true);
    }
    for bulk in &program.bulk {
        let bytes = evaluator.value(bulk.size)[0];
        if bulk.to_box.is_some() || bytes > 16 {
            continue;
        }
        if let BulkSource::Memory {
            place,
            address,
            size,
            ..
        } = &bulk.from
        {
            let place = &program.places[usize::from(*place)];
            let bytes = evaluator.value(*size)[0];
            push(place, *evaluator.value(*address), bytes, false);
        }
        let place = &program.places[usize::from(bulk.place)];
        push(place, *evaluator.value(bulk.address), bytes, true);
    }
    Some(found)
}
