//! Statements of a program: the words and operands of a fit, and the bits of constants.

use super::{
    float::{Format, Number, Rounding},
    lower::{self, BoundOperand, BoundStatement, Obstacle},
    memory::AddressSpace,
    program::Program,
    value_type::{ElementType, ValueType},
};
use crate::{
    matcher::{Fit, Statement},
    matching::binding::Binding,
    operand::{FloatForm, Operand},
    tables,
};

/// The program of a statement that fits; the operands of its inputs and outputs are indices of the bindings.
///
/// # Errors
/// The reason for which there is none.
pub fn program(
    fit: &Fit<'_>,
    statement: &Statement<'_>,
    bindings: &[Binding],
) -> Result<Program, Obstacle> {
    let Some(computation) = tables().computation(fit.instruction) else {
        return Err(Obstacle::Mistake(
            "the tables state no computation".to_owned(),
        ));
    };
    let slots = fit.variant.slots.iter().zip(&fit.slots);
    let slots = slots.filter_map(|(slot, word)| {
        let word = fit.instruction.words.get(usize::from((*word)?))?;
        Some((slot.name, *word))
    });
    let slots: Vec<(&str, &str)> = slots.collect();
    // A vector register, special ones too, is what its elements in braces are.
    let whole: Vec<Option<Operand>> = bindings
        .iter()
        .map(|it| match it.path.get(statement.operands)? {
            Operand::Register { class, lanes } if *lanes > 1 => {
                let element = Operand::Register {
                    class: *class,
                    lanes: 1,
                };
                Some(Operand::Vector(vec![element; usize::from(*lanes)]))
            }
            Operand::Special {
                class,
                lanes,
                component: false,
                narrow,
            } if *lanes > 1 => {
                let element = Operand::Special {
                    class: *class,
                    lanes: *lanes,
                    component: true,
                    narrow: *narrow,
                };
                Some(Operand::Vector(vec![element; usize::from(*lanes)]))
            }
            _ => None,
        })
        .collect();
    let mut operands = Vec::with_capacity(bindings.len());
    for (binding, whole) in bindings.iter().zip(&whole) {
        let Some(operand) = binding.path.get(statement.operands) else {
            continue;
        };
        let operand = whole.as_ref().unwrap_or(operand);
        let ty = binding.ty.as_deref();
        let known = ty.and_then(ValueType::from_word);
        if let (Some(ty), None) = (ty, known) {
            return Err(Obstacle::UnknownType(ty.to_owned()));
        }
        operands.push(BoundOperand {
            name: binding.name,
            ty: known,
            space: binding.space.and_then(AddressSpace::from_word),
            operand,
        });
    }
    let bound = BoundStatement {
        name: fit.instruction.name,
        words: slots.iter().map(|it| it.1).collect(),
        operands,
        slots,
    };
    lower::lower(computation, &bound)
}

/// The bits of a constant as a value of a type, which is that of a [`Binding`]; `None` for other operands.
///
/// An integer that does not fit keeps its low bits, a float is rounded to the nearest number of the type (measured with
/// ptxas 13.5).
#[must_use]
pub fn constant_bits(operand: &Operand, ty: Option<&str>) -> Option<u128> {
    let ty = ty.and_then(ValueType::from_word);
    match (operand, ty.map(|it| it.element)) {
        (Operand::Integer(it), Some(ElementType::Predicate)) => Some(u128::from(*it != 0)),
        (Operand::Integer(it), ty) => {
            let bits = ty.map_or(32, ElementType::bits);
            Some(low(*it as u128, bits))
        }
        (Operand::Float(form, value), ty) => {
            let format = match (ty, form) {
                (Some(ElementType::Float(format)), _) => format,
                // Untyped bits are those of the notation.
                (_, FloatForm::Hex32) => Format::F32,
                _ => Format::F64,
            };
            let number = Number::decode(Format::F64, value.to_bits());
            Some(number.round(format, Rounding::NearestEven).into())
        }
        (Operand::Minus(_) | Operand::Not(_), _) => None,
        _ => None,
    }
}

fn low(value: u128, bits: u32) -> u128 {
    match bits {
        128.. => value,
        _ => value & ((1 << bits) - 1),
    }
}
