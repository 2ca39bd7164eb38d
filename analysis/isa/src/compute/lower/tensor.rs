//! Products of tensor cores: from the lines of the table to a [`TensorProduct`].

use super::{Lowering, Obstacle, Result, mistake, product::matrix};
use crate::{
    computation::{Binder, Effect, Expression, Infix, Primitive, Target},
    compute::{
        matrix::{Overflow, Product, Sparse},
        node::Node,
        program::{Destination, Exactness, Op},
        tensor::{Accumulator, Factor, Form, Plan, TensorProduct, TensorStep},
        value_type::ElementType,
    },
    descriptor,
    layout::Shape,
    operand::Operand,
    target::Target as Architecture,
};

/// The target whose descriptors are meant where the statement does not tell.
const ARCHITECTURE: &str = "sm_100a";

/// The parts of a product, as the table states them.
#[derive(Default)]
struct Stated {
    /// The truth that the old result is added.
    enable: Option<Expression>,
    /// What is multiplied: the expressions of a and b.
    factors: [Option<Expression>; 2],
    signs: [Option<&'static str>; 2],
    product: Option<Product>,
    saturates: bool,
}

impl Lowering<'_> {
    /// Adds a product whose factors a tensor core reads.
    pub(super) fn tensor_product(&mut self, effect: &Effect) -> Result<()> {
        let Target::Element(name, indices) = &effect.target else {
            return match &effect.target {
                Target::Chapter(primitive, ..) => Err(Obstacle::Chapter(*primitive)),
                _ => Err(Obstacle::Matrix),
            };
        };
        if let Some(completion) = &effect.until {
            self.memory.until = Some(self.completion(completion)?);
        }
        let mut stated = Stated::default();
        self.read_tensor_sum(&effect.value, indices, &mut stated)?;
        let held = self.held_by(name, 128)?;
        let words = &self.statement.words;
        let Some(shape) = words.iter().find_map(|it| Shape::parse(it)) else {
            return mistake("a product without a shape");
        };
        let types = words.iter().filter_map(|it| ElementType::from_word(it));
        let types: Vec<ElementType> = types.collect();
        let [d, a, b] = types[..] else {
            return mistake("a product of a warpgroup without types");
        };
        let before = self.registers(&held);
        let results = before.len();
        let accumulator = matrix(&held, d, before);
        let [Some(first), Some(second)] = &stated.factors else {
            return Err(Obstacle::Matrix);
        };
        let (factor_a, across_a, sparse) = self.factor(first, a)?;
        let (factor_b, across_b, _) = self.factor(second, b)?;
        let enable = match &stated.enable {
            Some(condition) => self.truth(condition)?,
            None => self.builder.push(Op::Constant(1)),
        };
        let mut signs = [None, None];
        for (sign, name) in signs.iter_mut().zip(stated.signs) {
            if let Some(name) = name.filter(|it| self.statement.operand(it).is_some()) {
                let value = self.int(&Expression::Name(name))?;
                *sign = Some(self.builder.low(&value, 64));
            }
        }
        let overflow = match stated.saturates {
            true => Overflow::Saturates,
            false => Overflow::Wraps,
        };
        let product = TensorProduct {
            d: Accumulator::Registers(accumulator),
            a: factor_a,
            b: factor_b,
            form: Form::Stated(Plan {
                rows: shape.m as usize,
                columns: shape.n as usize,
                depth: shape.k as usize,
                types: [a, b, d],
                across: [across_a, across_b],
                overflow,
            }),
            enable,
            signs,
            product: stated.product.unwrap_or(Product::Times),
            sparse,
        };
        self.tensor = Some(Box::new(TensorStep::Product(Box::new(product))));
        self.tensor_results(held.operand, results);
        Ok(())
    }

    /// The registers of an operand get the results of the operation.
    pub(super) fn tensor_results(&mut self, operand: usize, count: usize) {
        for register in 0..count {
            let element = match self.statement.operands[operand].operand {
                Operand::Vector(_) => Some(register as u8),
                _ => None,
            };
            let node = self.builder.push(Op::Matrix(register as u16));
            let destination = Destination::Operand {
                operand: operand as u8,
                element,
                half: 0,
            };
            self.outputs.push((destination, node));
        }
    }

    /// Reads the right side: a sum, perhaps below functions.
    fn read_tensor_sum(
        &mut self,
        expression: &Expression,
        indices: &[Expression],
        stated: &mut Stated,
    ) -> Result<()> {
        let expression = self.meant(expression).clone();
        match &expression {
            Expression::Unordered(inner) => {
                self.exactness = self.exactness.max(Exactness::Unordered);
                self.read_tensor_sum(inner, indices, stated)
            }
            Expression::Call(Primitive::Clamp, arguments) => {
                stated.saturates = true;
                match &arguments[..] {
                    [inner] => self.read_tensor_sum(inner, indices, stated),
                    _ => Err(Obstacle::Matrix),
                }
            }
            Expression::Infix(Infix::Add, old, sum) => {
                let Expression::Over(Binder::Sum, _, _, body) = &**sum else {
                    return Err(Obstacle::Matrix);
                };
                if let Expression::If(condition, _, _) = self.meant(old) {
                    stated.enable = Some((**condition).clone());
                }
                let mut last = 0;
                self.read_tensor_factors(body, indices, stated, &mut last)
            }
            _ => Err(Obstacle::Matrix),
        }
    }

    /// Reads what is multiplied; `last` is the factor that was read last.
    fn read_tensor_factors(
        &self,
        expression: &Expression,
        indices: &[Expression],
        stated: &mut Stated,
        last: &mut usize,
    ) -> Result<()> {
        match expression {
            Expression::Infix(infix @ (Infix::Multiply | Infix::And), first, second) => {
                if *infix == Infix::And {
                    stated.product = Some(Product::And);
                }
                self.read_tensor_factors(first, indices, stated, last)?;
                self.read_tensor_factors(second, indices, stated, last)
            }
            Expression::Name(name) => {
                stated.signs[*last] = Some(name);
                Ok(())
            }
            Expression::Apply(_, of) => {
                // What has the row of the result is on the left.
                *last = usize::from(of.first() != indices.first());
                stated.factors[*last] = Some(self.meant(expression).clone());
                Ok(())
            }
            _ => Err(Obstacle::Matrix),
        }
    }

    /// A factor, whether its neighbours are along M or N, and the positions of a sparse one.
    fn factor(
        &mut self,
        expression: &Expression,
        ty: ElementType,
    ) -> Result<(Factor, bool, Option<Sparse>)> {
        let Expression::Index(inner, _) = expression else {
            return Err(Obstacle::Matrix);
        };
        match &**inner {
            Expression::Call(Primitive::Described, arguments) => {
                let [Expression::Name(name), rest @ ..] = &arguments[..] else {
                    return Err(Obstacle::Matrix);
                };
                let across = match rest.first() {
                    Some(Expression::Name(trans)) if self.statement.operand(trans).is_some() => {
                        self.constant(&Expression::Name(trans))? == 1
                    }
                    _ => false,
                };
                Ok((self.described(name, ty)?, across, None))
            }
            Expression::Call(Primitive::Sparse, arguments) => {
                let [matrix, Expression::Name(metadata), Expression::Name(selector)] =
                    &arguments[..]
                else {
                    return Err(Obstacle::Matrix);
                };
                let of = Expression::Index(Box::new(matrix.clone()), Vec::new());
                let (factor, across, _) = self.factor(&of, ty)?;
                let sparse = Sparse {
                    metadata: self.word(metadata, 0)?,
                    selector: self.word(selector, 0)?,
                    kept: if ty.bits() > 16 || ty == TF32 { (1, 2) } else { (2, 4) },
                    two_rows: ty.bits() > 8,
                };
                Ok((factor, across, Some(sparse)))
            }
            Expression::Call(primitive, _) => Err(Obstacle::Chapter(*primitive)),
            _ => Err(Obstacle::Matrix),
        }
    }

    /// A matrix that is in registers, or that a descriptor describes.
    fn described(&mut self, name: &str, ty: ElementType) -> Result<Factor> {
        let Some(operand) = self.statement.operand(name) else {
            return mistake(format!("`{name}` is not an operand"));
        };
        if matches!(self.statement.operands[operand].operand, Operand::Vector(_)) {
            let held = self.held_by(name, 128)?;
            let registers = self.registers(&held);
            return Ok(Factor::Registers(matrix(&held, ty, registers)));
        }
        let (instruction, words) = (self.statement.name, &self.statement.words);
        let architecture = Architecture::parse(ARCHITECTURE);
        let format = architecture.and_then(|it| descriptor::format(instruction, name, words, it));
        let Some(format) = format else {
            return mistake(format!("`{name}` is not a descriptor"));
        };
        let descriptor: Node = self.source(operand, None, 0);
        Ok(Factor::Shared { descriptor, format })
    }
}

const TF32: ElementType = ElementType::Float(crate::compute::float::Format::Tf32);
