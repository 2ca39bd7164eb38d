//! Products of tensor cores: from the lines of the table to a [`TensorProduct`].

use super::{Lowering, Obstacle, Result, mistake, product::matrix};
use crate::{
    computation::{Binder, Effect, Expression, Infix, Primitive, Set, Target},
    compute::{
        matrix::{Overflow, Product, Sparse},
        node::Node,
        program::{Destination, Exactness, Op},
        tensor::{
            Accumulator, Factor, InstructionDescriptor, Metadata, Plan, ProductShape, TensorCopy,
            TensorMovement, TensorProduct, TensorReduction, TensorStep,
        },
        value_type::ElementType,
    },
    matrix::{descriptor, layout::Shape},
    operand::Operand,
};

/// Bytes along K of a factor in shared memory that a product in tensor memory takes.
const DEPTH_BYTES: u32 = 32;

/// The parts of a product, as the table states them.
#[derive(Default)]
struct StatedProduct {
    /// The truth that the old result is added.
    enable: Option<Expression>,
    /// The factors: the expressions of a and b.
    factors: [Option<Expression>; 2],
    signs: [Option<&'static str>; 2],
    product: Option<Product>,
    saturates: bool,
    /// By how many bits the old result is divided.
    shift: Option<&'static str>,
    /// The addresses of factors of blocks, of a and of b.
    scales: [Option<&'static str>; 2],
}

impl Lowering<'_> {
    /// Adds a product whose factors a tensor core reads.
    pub(super) fn tensor_product(&mut self, effect: &Effect) -> Result<()> {
        if let Some(completion) = &effect.until {
            self.memory.until = Some(self.completion(completion)?);
        }
        let (name, indices) = match &effect.target {
            Target::Element(name, indices) => (name, indices),
            Target::Chapter(Primitive::TensorMemory, place, indices) => {
                return self.product_in_tensor_memory(effect, place, indices);
            }
            Target::Chapter(primitive, ..) => return Err(Obstacle::Chapter(*primitive)),
            _ => return Err(Obstacle::Matrix),
        };
        let mut stated = StatedProduct::default();
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
            shape: ProductShape::Stated(
                Plan {
                    rows: shape.m as usize,
                    columns: shape.n as usize,
                    depth: shape.k as usize,
                    types: [a, b, d],
                    across: [false; 2],
                    overflow,
                },
                [across_a, across_b],
            ),
            enable,
            signs,
            product: stated.product.unwrap_or(Product::Times),
            sparse,
        };
        self.tensor = Some(Box::new(TensorStep::Product(Box::new(product))));
        self.tensor_results(held.operand, results);
        Ok(())
    }

    /// Adds a product whose result is in tensor memory.
    fn product_in_tensor_memory(
        &mut self,
        effect: &Effect,
        place: &[Expression],
        indices: &[Expression],
    ) -> Result<()> {
        let [Expression::Name(result)] = place else {
            return Err(Obstacle::Chapter(Primitive::TensorMemory));
        };
        let mut stated = StatedProduct::default();
        // Rows that are switched off keep what they have.
        let (value, disabled) = match &effect.value {
            Expression::If(condition, _, new) => (&**new, self.disabled(condition)?),
            value => (value, Vec::new()),
        };
        self.read_tensor_sum(value, indices, &mut stated)?;
        let [Some(first), Some(second)] = &stated.factors else {
            return Err(Obstacle::Matrix);
        };
        let a = self.factor_of_fifth(first)?;
        let b = self.factor_of_fifth(second)?;
        let zero_columns = self.zero_columns(second)?;
        let metadata = self.metadata(first)?;
        let enable = match &stated.enable {
            Some(condition) => self.truth(condition)?,
            None => self.builder.push(Op::Constant(1)),
        };
        let mut address = |name: &str| self.word(name, 0);
        let result = address(result)?;
        let scales = match stated.scales {
            [Some(a), Some(b)] => Some(([address(a)?, address(b)?], self.blocks())),
            _ => None,
        };
        let words = self.statement.words.clone();
        let has = |word: &str| words.contains(&word);
        let Some(operand) = self.statement.operand("idesc") else {
            return mistake("a product without an instruction descriptor");
        };
        let name = self.statement.name;
        let Some(format) = descriptor::common_format(name, "idesc", &words) else {
            return Err(Obstacle::Chapter(Primitive::Described));
        };
        let shift = match stated.shift {
            Some(name) => {
                let value = self.int(&Expression::Name(name))?;
                Some(self.builder.low(&value, 64))
            }
            None => None,
        };
        let form = ProductShape::Described(InstructionDescriptor {
            bits: self.source(operand, None, 0),
            format,
            depth: DEPTH_BYTES,
            packed: has("kind::mxf4") || has("kind::mxf4nvf4"),
            peers: if has("cta_group::2") { 2 } else { 1 },
            stationary: name == "tcgen05.mma.ws",
            disabled,
            shift,
            scales,
            zero_columns,
            metadata,
        });
        let product = TensorProduct {
            d: Accumulator::Tensor(result),
            a,
            b,
            shape: form,
            enable,
            signs: [None, None],
            product: Product::Times,
            sparse: None,
        };
        self.tensor = Some(Box::new(TensorStep::Product(Box::new(product))));
        Ok(())
    }

    /// The words of a mask of rows: `bit(raw(lanes), i)`.
    fn disabled(&mut self, condition: &Expression) -> Result<Vec<Node>> {
        let Expression::Call(Primitive::Bit, arguments) = condition else {
            return Err(Obstacle::Matrix);
        };
        let Some(Expression::Call(Primitive::Raw, of)) = arguments.first() else {
            return Err(Obstacle::Matrix);
        };
        let [Expression::Name(name)] = &of[..] else {
            return Err(Obstacle::Matrix);
        };
        let Some(operand) = self.statement.operand(name) else {
            return mistake(format!("`{name}` is not an operand"));
        };
        let Operand::Vector(items) = self.statement.operands[operand].operand else {
            return Err(Obstacle::Matrix);
        };
        let words = 0..items.len() as u8;
        words.map(|it| self.word(name, it)).collect()
    }

    /// A factor of a product in tensor memory.
    fn factor_of_fifth(&mut self, expression: &Expression) -> Result<Factor> {
        let Expression::Index(inner, indices) = expression else {
            return Err(Obstacle::Matrix);
        };
        match &**inner {
            Expression::Call(Primitive::Described, arguments) => match arguments.first() {
                Some(Expression::Name(name)) => self.described(name, TF32),
                _ => Err(Obstacle::Matrix),
            },
            Expression::Call(Primitive::TensorMemory, arguments) => match &arguments[..] {
                // Rows of another number are shifted.
                [Expression::Name(name)]
                    if indices.iter().all(|it| matches!(it, Expression::Name(_))) =>
                {
                    Ok(Factor::Tensor(self.word(name, 0)?))
                }
                _ => Err(Obstacle::Chapter(Primitive::TensorMemory)),
            },
            Expression::Call(
                primitive @ (Primitive::ZeroColumns | Primitive::Sparse),
                arguments,
            ) => match &arguments[..] {
                [of, _] => {
                    let of = Expression::Index(Box::new(of.clone()), indices.clone());
                    self.factor_of_fifth(&of)
                }
                _ => Err(Obstacle::Chapter(*primitive)),
            },
            Expression::Call(primitive, _) => Err(Obstacle::Chapter(*primitive)),
            _ => Err(Obstacle::Matrix),
        }
    }

    /// The descriptor of the columns of a factor that count as zeros, if the statement has one.
    fn zero_columns(&mut self, factor: &Expression) -> Result<Option<Node>> {
        let Expression::Index(inner, _) = factor else {
            return Ok(None);
        };
        let Expression::Call(Primitive::ZeroColumns, arguments) = &**inner else {
            return Ok(None);
        };
        match arguments.last() {
            Some(mask @ Expression::Name(name)) if self.statement.operand(name).is_some() => {
                let mask = self.int(mask)?.plain();
                Ok(Some(self.builder.low(&mask, 64)))
            }
            _ => Ok(None),
        }
    }

    /// The metadata in tensor memory of a factor, if it is sparse.
    fn metadata(&mut self, factor: &Expression) -> Result<Option<Metadata>> {
        let Expression::Index(inner, _) = factor else {
            return Ok(None);
        };
        let Expression::Call(Primitive::Sparse, arguments) = &**inner else {
            return Ok(None);
        };
        let Some(Expression::Call(Primitive::TensorMemory, place)) = arguments.get(1) else {
            return Err(Obstacle::Chapter(Primitive::Sparse));
        };
        let [Expression::Name(name)] = &place[..] else {
            return Err(Obstacle::Chapter(Primitive::Sparse));
        };
        let address = self.word(name, 0)?;
        Ok(Some(Metadata { address }))
    }

    /// Adds a copy of shared memory, of which an operand is the descriptor, to tensor memory.
    pub(super) fn tensor_copy(
        &mut self,
        effect: &Effect,
        place: &[Expression],
        source: &[Expression],
    ) -> Result<()> {
        if let Some(completion) = &effect.until {
            self.memory.until = Some(self.completion(completion)?);
        }
        let ([Expression::Name(address), ..], [Expression::Name(name), ..]) = (place, source)
        else {
            return Err(Obstacle::Chapter(Primitive::TensorMemory));
        };
        let shape = self.statement.slot("shape").unwrap_or_default();
        let multicast = self.statement.slot("multicast");
        let (rows, chunks, quarters) = match (shape, multicast) {
            ("128x256b", None) => (128, 2, [0, 32, 64, 96]),
            ("128x128b", None) => (128, 1, [0, 32, 64, 96]),
            ("64x128b", Some("warpx2::02_13")) => (64, 1, [0, 0, 32, 32]),
            ("64x128b", Some("warpx2::01_23")) => (64, 1, [0, 32, 0, 32]),
            ("32x128b", Some("warpx4")) => (32, 1, [0; 4]),
            // The manual does not say which lanes get four rows.
            _ => return Err(Obstacle::Chapter(Primitive::TensorMemory)),
        };
        let peers = match self.statement.words.contains(&"cta_group::2") {
            true => 2,
            false => 1,
        };
        let Factor::Shared { descriptor, format } = self.described(name, TF32)? else {
            return Err(Obstacle::Chapter(Primitive::Described));
        };
        self.tensor = Some(Box::new(TensorStep::Copy(TensorCopy {
            address: self.word(address, 0)?,
            descriptor,
            format,
            rows,
            chunks,
            quarters,
            peers,
        })));
        Ok(())
    }

    /// Adds what moves between registers and tensor memory; `name` is the operand with the registers.
    pub(super) fn tensor_movement(
        &mut self,
        effect: &Effect,
        place: &[Expression],
        (name, loads): (&str, bool),
    ) -> Result<()> {
        if let Some(completion) = &effect.until {
            self.memory.until = Some(self.completion(completion)?);
        }
        let Some(Expression::Name(address)) = place.first() else {
            return Err(Obstacle::Chapter(Primitive::TensorMemory));
        };
        if self.tensor.is_some() {
            return Err(Obstacle::Chapter(Primitive::TensorMemory));
        }
        self.fragments = true;
        self.crosses_lanes = true;
        let held = self.held(name)?;
        let half = match self.statement.operand("half") {
            Some(_) => {
                let value = self.int(&Expression::Name("half"))?;
                Some(self.builder.low(&value, 64))
            }
            None => None,
        };
        let mut movement = TensorMovement {
            address: self.word(address, 0)?,
            half,
            fragment: held.fragment.clone(),
            registers: Vec::new(),
            reduction: None,
        };
        if loads {
            let count = held.fragment.registers as usize;
            self.tensor = Some(Box::new(TensorStep::Load(movement)));
            self.tensor_results(held.operand, count);
        } else {
            movement.registers = self.registers(&held);
            self.tensor = Some(Box::new(TensorStep::Store(movement)));
        }
        Ok(())
    }

    /// Adds a register with what a load makes of the others of its lane, if an effect is about that.
    pub(super) fn tensor_reduction(&mut self, effect: &Effect, name: &str) -> Result<bool> {
        let Some(reduction) = self.reduction_of_loaded(&effect.value)? else {
            return Ok(false);
        };
        let Some(operand) = self.statement.operand(name) else {
            return mistake(format!("`{name}` is not an operand"));
        };
        // Of a shape in two parts the manual does not say whether both are of one result.
        let Some(TensorStep::Load(movement)) = self.tensor.as_deref_mut() else {
            return Err(Obstacle::Chapter(Primitive::TensorMemory));
        };
        if movement.fragment.parts.1 > 1 || movement.fragment.elements > 1 {
            return Err(Obstacle::Chapter(Primitive::TensorMemory));
        }
        movement.reduction = Some(reduction);
        let register = movement.fragment.registers as u16;
        let element = match self.statement.operands[operand].operand {
            Operand::Vector(_) => Some(0),
            _ => None,
        };
        let node = self.builder.push(Op::Matrix(register));
        let destination = Destination::Operand {
            operand: operand as u8,
            element,
            half: 0,
        };
        self.outputs.push((destination, node));
        Ok(true)
    }

    /// The smallest or largest one of what is loaded: `reduce(op; x in loaded: abs(x as t))`, perhaps a NaN before it.
    fn reduction_of_loaded(&self, value: &Expression) -> Result<Option<TensorReduction>> {
        match value {
            Expression::If(_, _, other) => {
                let inner = self.reduction_of_loaded(other)?;
                Ok(inner.map(|it| TensorReduction {
                    spreads_nan: true,
                    ..it
                }))
            }
            Expression::Over(Binder::Reduce(operation), _, Set::Named(set), body)
                if self.definitions.contains_key(set) =>
            {
                let (magnitude, body) = match &**body {
                    Expression::Call(Primitive::Absolute, inner) => (true, inner.first()),
                    inner => (false, Some(inner)),
                };
                let Some(Expression::As(_, word)) = body else {
                    return mistake("a register that is loaded without a type");
                };
                Ok(Some(TensorReduction {
                    ty: self.type_word(word)?.element,
                    largest: self.statement.slot(operation) == Some("max"),
                    magnitude,
                    spreads_nan: false,
                }))
            }
            _ => Ok(None),
        }
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
        stated: &mut StatedProduct,
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
                if let Expression::If(condition, old, _) = self.meant(old) {
                    if let Expression::Call(Primitive::Scaled, arguments) = &**old
                        && let [_, Expression::Prefix(_, by)] = &arguments[..]
                        && let Expression::Name(by) = &**by
                    {
                        stated.shift = Some(by);
                    }
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
        stated: &mut StatedProduct,
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
            Expression::Index(inner, of) => {
                let Expression::Call(Primitive::Scales, arguments) = &**inner else {
                    return Err(Obstacle::Matrix);
                };
                let Some(Expression::Call(Primitive::TensorMemory, place)) = arguments.first()
                else {
                    return Err(Obstacle::Matrix);
                };
                let [Expression::Name(name)] = &place[..] else {
                    return Err(Obstacle::Matrix);
                };
                stated.scales[usize::from(of.first() != indices.first())] = Some(name);
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
    ) -> Result<(Factor, Option<Node>, Option<Sparse>)> {
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
                        let value = self.int(&Expression::Name(trans))?;
                        Some(self.builder.low(&value, 64))
                    }
                    _ => None,
                };
                Ok((self.described(name, ty)?, across, None))
            }
            Expression::Call(Primitive::Sparse, arguments) => {
                let [
                    matrix,
                    Expression::Name(metadata),
                    Expression::Name(selector),
                ] = &arguments[..]
                else {
                    return Err(Obstacle::Matrix);
                };
                let of = Expression::Index(Box::new(matrix.clone()), Vec::new());
                let (factor, across, _) = self.factor(&of, ty)?;
                let sparse = Sparse {
                    metadata: self.word(metadata, 0)?,
                    selector: self.word(selector, 0)?,
                    kept: if ty.bits() > 16 || ty == TF32 {
                        (1, 2)
                    } else {
                        (2, 4)
                    },
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
        let Some(format) = descriptor::common_format(instruction, name, words) else {
            return mistake(format!("`{name}` is not a descriptor"));
        };
        let descriptor: Node = self.source(operand, None, 0);
        Ok(Factor::Shared { descriptor, format })
    }
}

const TF32: ElementType = ElementType::Float(crate::compute::float::Format::Tf32);
