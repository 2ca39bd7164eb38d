//! The types under which instructions use registers that are declared without one.

use analysis::code::{Function, Instruction, Slot, Source};
use isa::compute::float::bits::is_nan;

use super::value::Type;
use crate::{
    description::Element,
    machine::{
        Machine,
        inspect::{WARP, WarpId},
    },
};

/// The type of a register at an instruction: the declared one, and for a register of bits the one under which it was
/// last used in the order of the text, or is used next if its last write has no type either.
pub(super) fn type_at(function: &Function, pc: u32, slot: Slot, declared: Type) -> Type {
    let Type::Number(Element::Bits(bits)) = declared else {
        return declared;
    };
    let fits = |it: &Element| it.bits() == bits && !matches!(it, Element::Bits(_));
    let before = function.instructions.iter().take(pc as usize).rev();
    for it in before {
        let (written, read) = uses(it, slot);
        if let Some(element) = written.flatten().or(read).filter(fits) {
            return Type::Number(element);
        }
        if written.is_some() {
            break;
        }
    }
    for it in function.instructions.iter().skip(pc as usize) {
        let (written, read) = uses(it, slot);
        if let Some(element) = read.filter(fits) {
            return Type::Number(element);
        }
        if written.is_some() {
            break;
        }
    }
    declared
}

/// The type under which an instruction writes a slot, if it does, and the one under which it reads it.
fn uses(instruction: &Instruction, slot: Slot) -> (Option<Option<Element>>, Option<Element>) {
    let element = |words: &[Option<_>], index: usize| -> Option<Element> {
        let word: &std::borrow::Cow<'static, str> = words.get(index)?.as_ref()?;
        Element::from_word(word)
    };
    let types = &instruction.types;
    let mut destinations = instruction.destinations.iter();
    let written = destinations.position(|it| *it == Some(slot));
    let written = written.map(|it| element(&types.destinations, it));
    let sources = instruction.sources.iter().enumerate();
    let mut reads =
        sources.filter(|it| matches!(it.1, Source::Register(other, _) if *other == slot));
    let read = reads.find_map(|it| element(&types.sources, it.0));
    (written, read)
}

/// The lanes in which a floating-point operand of an instruction is NaN, as a mask: of its sources, or of its
/// destinations.
pub(super) fn nans(
    machine: &Machine<'_>,
    instruction: &Instruction,
    (warp, frame, lanes): (WarpId, usize, u32),
    written: bool,
) -> u32 {
    let types = &instruction.types;
    let slots: Vec<(Option<Slot>, &Option<_>)> = match written {
        true => {
            let slots = instruction.destinations.iter().copied();
            slots.zip(&types.destinations).collect()
        }
        false => {
            let slots = instruction.sources.iter().map(|it| match it {
                Source::Register(slot, 0) => Some(*slot),
                _ => None,
            });
            slots.zip(&types.sources).collect()
        }
    };
    let mut mask = 0;
    for (slot, word) in slots {
        let element = word.as_ref().and_then(|it| Element::from_word(it));
        let (Some(slot), Some(Element::Float(format))) = (slot, element) else {
            continue;
        };
        let Some((bits, undefined)) = machine.register(warp, frame, slot) else {
            continue;
        };
        for lane in (0..WARP).filter(|it| lanes & !undefined & 1 << it != 0) {
            mask |= u32::from(is_nan(format, bits[lane])) << lane;
        }
    }
    mask
}
