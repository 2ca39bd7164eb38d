//! Effects: what is written, in the bits that the destinations have.

use super::{Lowering, Obstacle, Primitive, Result, Value, mistake, operands, truth_as_int};
use crate::{
    computation::{Effect, Expression, Target},
    compute::{
        exact::{Int, Range, Ring},
        float::Rounding,
        node::Node,
        program::{Destination, Op},
        value_type::{ElementType, ValueType},
    },
    operand::Operand,
};

impl Lowering<'_> {
    /// Adds what an effect writes.
    pub(super) fn effect(&mut self, effect: &Effect) -> Result<()> {
        if effect.matrix {
            return self.matrix_effect(effect);
        }
        if effect.repeated.is_some() && !matches!(effect.target, Target::Memory(_)) {
            return Err(Obstacle::Memory);
        }
        if effect.later
            && let Target::Operand(name) = effect.target
            && let Expression::Name(value) = effect.value
            && let Some(definition) = self.definitions.get(value).copied()
            && let Expression::Call(Primitive::TensorMemory, place) = &definition.value
        {
            return self.tensor_movement(effect, place, (name, true));
        }
        if effect.later
            && let Target::Operand(name) = effect.target
            && self.tensor.is_some()
            && self.tensor_reduction(effect, name)?
        {
            return Ok(());
        }
        match &effect.target {
            Target::Operand(name) => {
                let Some(index) = self.statement.operand(name) else {
                    // An optional result that is not there.
                    return Ok(());
                };
                self.write(index, effect)
            }
            Target::Carry => {
                self.target = ElementType::Predicate;
                let truth = self.truth(&effect.value)?;
                self.outputs.push((Destination::Carry, truth));
                Ok(())
            }
            Target::Stack => {
                self.target = ElementType::Integer {
                    bits: 64,
                    signed: false,
                };
                let value = self.int(&effect.value)?;
                let node = self.low_bits(&value, 64);
                self.outputs.push((Destination::Stack, node));
                Ok(())
            }
            Target::Element(..) => Err(Obstacle::Matrix),
            Target::Memory(memory) => self.memory_effect(effect, memory),
            Target::Chapter(Primitive::TensorBox | Primitive::FabricBox, arguments, _) => {
                self.write_box(effect, arguments)
            }
            Target::Chapter(Primitive::TensorMemory, place, _) => match &effect.value {
                Expression::Name(name) => self.tensor_movement(effect, place, (name, false)),
                Expression::Call(Primitive::Described, source) => {
                    self.tensor_copy(effect, place, source)
                }
                _ => Err(Obstacle::Chapter(Primitive::TensorMemory)),
            },
            Target::Chapter(
                primitive @ (Primitive::SurfaceBytes | Primitive::Texel),
                arguments,
                _,
            ) => self.write_surface(effect, (*primitive, arguments)),
            Target::Chapter(primitive, ..) => Err(Obstacle::Chapter(*primitive)),
        }
    }

    /// The elements of a packed type from one of the braces on, side by side.
    pub(super) fn pack(&mut self, value: &Expression, ty: ValueType, first: u32) -> Result<Int> {
        let mut all = Int::constant(0);
        let element = ValueType {
            element: ty.element,
            count: 1,
        };
        for index in 0..ty.count {
            self.element = Some(first + index);
            let value = self.expression(value);
            self.element = None;
            let part = self.element_bits(value?, element)?;
            let at = Int::constant(i128::from(index * ty.element.bits()));
            let part = part.plain().low_bits(ty.element.bits()).plain();
            all = Int::ring(Ring::Or, all, part.shift_left(at));
        }
        Ok(all.low_bits(ty.bits()))
    }

    fn write(&mut self, index: usize, effect: &Effect) -> Result<()> {
        let bound = self.statement.operands[index];
        let ty = match effect.ty {
            Some(word) => self.type_word(word)?,
            None => operands::type_of(&bound),
        };
        self.target = ty.element;
        let operand = index as u8;
        let place = |element: Option<u8>, half: u8| Destination::Operand {
            operand,
            element,
            half,
        };
        if let Operand::Vector(items) = bound.operand {
            if effect.each {
                for (element, item) in (0..).zip(items) {
                    if matches!(item, Operand::Sink) {
                        continue;
                    }
                    let bits = match ty.count {
                        1 => {
                            self.element = Some(element.into());
                            let value = self.expression(&effect.value);
                            self.element = None;
                            self.element_bits(value?, ty)?
                        }
                        count => self.pack(&effect.value, ty, u32::from(element) * count)?,
                    };
                    let node = self.extended(&bits, ty, operands::register_bits(item, Some(ty)));
                    self.outputs.push((place(Some(element), 0), node));
                }
                return Ok(());
            }
            // One value in braces: the first element is the lowest.
            let bits = match self.expression(&effect.value)? {
                Value::Int(it) => it.plain(),
                Value::Truth(it) => truth_as_int(it),
                Value::Float(_) => return mistake("a float in braces"),
            };
            let mut at = 0;
            for (element, item) in (0..).zip(items) {
                let width = operands::register_bits(item, Some(ty));
                let part = bits.clone().shift_right(Int::constant(at)).low_bits(width);
                if !matches!(item, Operand::Sink) {
                    self.put(&part, width, |half| place(Some(element), half));
                }
                at += i128::from(width);
            }
            return Ok(());
        }
        if matches!(bound.operand, Operand::Sink) {
            return Ok(());
        }
        let bits = if effect.each && ty.count > 1 {
            self.pack(&effect.value, ty, 0)?
        } else {
            let value = self.expression(&effect.value)?;
            self.element_bits(value, ty)?
        };
        let width = operands::register_bits(bound.operand, Some(ty));
        if width > 64 {
            self.put(&bits, width, |half| place(None, half));
            return Ok(());
        }
        let node = self.extended(&bits, ty, width);
        self.outputs.push((place(None, 0), node));
        Ok(())
    }

    /// Writes a number of up to 128 bits in parts of 64.
    fn put(&mut self, bits: &Int, width: u32, place: impl Fn(u8) -> Destination) {
        if width <= 64 {
            let node = self.low_bits(bits, width);
            self.outputs.push((place(0), node));
            return;
        }
        let wide = self.builder.wide(bits);
        let low = self.builder.push(Op::Narrow(wide));
        let high = self.builder.push(Op::Upper(wide));
        self.outputs.push((place(0), low));
        self.outputs.push((place(1), high));
    }

    /// The bits of a value of a type.
    pub(super) fn element_bits(&mut self, value: Value, ty: ValueType) -> Result<Int> {
        let bits = ty.bits();
        let unsigned = |node: Node| Int::node(node, Range::of_bits(bits.min(64), false));
        Ok(match (value, ty.element, ty.count) {
            (Value::Truth(it), ..) => truth_as_int(it),
            (Value::Float(it), ElementType::Float(format), 1) => {
                let (node, own) = self.result(it)?;
                if own != format {
                    return mistake("a float of another format than that of the target");
                }
                unsigned(node)
            }
            // `mov` and the like: bits of a float in a register without a type.
            (Value::Float(it), ..) => {
                let (node, own) = self.rounded(it)?;
                if own.bits() != bits {
                    return mistake("a float in a target of another width");
                }
                unsigned(node)
            }
            (Value::Int(it), ElementType::Float(_), 1) if it.width.is_none() => {
                let rounded = self.round(super::Float::Int(it), Rounding::NearestEven)?;
                let Value::Float(float) = rounded else {
                    return mistake("a number that does not round");
                };
                unsigned(self.result(float)?.0)
            }
            (Value::Int(it), ElementType::Predicate, _) => {
                let truth = self.as_truth(Value::Int(it))?;
                truth_as_int(truth)
            }
            (Value::Int(it), ..) => it.plain(),
        })
    }

    /// The bits of a type in a register that may be wider: filled with the sign of a signed type, else with 0.
    fn extended(&mut self, bits: &Int, ty: ValueType, width: u32) -> Node {
        let signed =
            ty.count == 1 && matches!(ty.element, ElementType::Integer { signed: true, .. });
        if signed && width > ty.bits() {
            let value = bits.clone().signed_bits(ty.bits());
            return self.low_bits(&value.plain(), width);
        }
        let value = bits.clone().low_bits(ty.bits().min(width));
        self.low_bits(&value, ty.bits().min(width))
    }

    /// The whole register of an operand, whatever its selector.
    pub(super) fn whole_register(&mut self, index: usize) -> Int {
        let bound = self.statement.operands[index];
        let bits = operands::register_bits(bound.operand, bound.ty).min(64);
        let node = self.builder.input(crate::compute::program::Input {
            operand: index as u8,
            element: None,
            half: 0,
            bits: bits as u8,
        });
        let node = self.in_lane(node);
        Int::node(node, Range::of_bits(64, false)).low_bits(bits)
    }
}
