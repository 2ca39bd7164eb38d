//! Products of matrices: from the lines of the table to a [`MatrixProgram`].

use super::{Lowering, Obstacle, Result, matrix::Held, mistake};
use crate::{
    computation::{Binder, Effect, Expression, Infix, Primitive},
    compute::{
        float::{Format, Rounding},
        matrix::{Matrix, MatrixProgram, Overflow, Product, Rule, Scales, Sparse},
        node::Node,
        program::{Destination, Exactness, Op},
        value_type::ElementType,
    },
    matrix::layout::Shape,
    operand::Operand,
};

/// The parts of a product, as the table states them.
#[derive(Default)]
struct Stated {
    a: Option<&'static str>,
    b: Option<&'static str>,
    c: Option<&'static str>,
    product: Option<Product>,
    saturates: bool,
    rounding: Option<Rounding>,
    /// The metadata and the selector.
    sparse: Option<(&'static str, &'static str)>,
    /// The register and the two selectors of factors, of a and of b.
    scales: [Option<(&'static str, &'static str)>; 2],
}

impl Lowering<'_> {
    /// Whether an expression is a sum over the depth of a product.
    pub(super) fn is_product(&self, expression: &Expression) -> bool {
        if let Expression::Over(Binder::Sum | Binder::Chain(_), ..) = expression {
            return true;
        }
        if let Expression::Apply(name, _) = expression
            && let Some(definition) = self.definitions.get(name)
        {
            return self.is_product(&definition.value);
        }
        let mut found = false;
        expression.each_part(&mut |it| found |= self.is_product(it));
        found
    }

    /// An expression that a definition of the table stands for: its indices are those of the target in every line.
    pub(super) fn meant<'a>(&'a self, expression: &'a Expression) -> &'a Expression {
        match expression {
            Expression::Apply(name, _) => match self.definitions.get(name) {
                Some(definition) => self.meant(&definition.value),
                None => expression,
            },
            _ => expression,
        }
    }

    /// Adds `d(i, j) = …` for a product.
    pub(super) fn product(
        &mut self,
        effect: &Effect,
        name: &str,
        indices: &[Expression],
    ) -> Result<()> {
        let mut stated = Stated::default();
        self.read_sum(&effect.value, indices, &mut stated)?;
        let (Some(a), Some(b), Some(c)) = (stated.a, stated.b, stated.c) else {
            return Err(Obstacle::Matrix);
        };
        let words = &self.statement.words;
        let Some(shape) = words.iter().find_map(|it| Shape::parse(it)) else {
            return mistake("a product without a shape");
        };
        let types: Vec<ElementType> = words
            .iter()
            .filter_map(|it| ElementType::from_word(it))
            .collect();
        // Where both factors are halves, they are not named.
        let half = ElementType::Float(Format::F16);
        let (types, rest) = match types[..] {
            [d, c] => ([d, half, half, c], &[][..]),
            [d, a, b, c, ref rest @ ..] => ([d, a, b, c], rest),
            _ => return mistake("a product of matrices without types"),
        };
        let held = [
            self.held(name)?,
            self.held(a)?,
            self.held(b)?,
            self.held(c)?,
        ];
        self.crosses_lanes = true;
        let mut matrices = Vec::new();
        for (held, ty) in held.iter().zip(types) {
            let registers = match held.fragment.operand == name {
                true => Vec::new(),
                false => self.registers(held),
            };
            matrices.push(matrix(held, ty, registers));
        }
        let [d, a, b, c] = <[Matrix; 4]>::try_from(matrices).map_err(|_| Obstacle::Matrix)?;
        let sparse = match (stated.sparse, held[1].fragment.kept) {
            (Some((metadata, selector)), Some((there, all))) => Some(Sparse {
                metadata: self.word(metadata, 0)?,
                selector: self.word(selector, 0)?,
                kept: (there as usize, all as usize),
                two_rows: a.ty.bits() > 8,
            }),
            (None, None) => None,
            _ => return Err(Obstacle::Matrix),
        };
        let mut scales = [None, None];
        for (scales, stated) in scales.iter_mut().zip(stated.scales) {
            if let Some((register, selectors)) = stated {
                let Some(ElementType::Float(format)) = rest.first().copied() else {
                    return mistake("factors of blocks without a type");
                };
                *scales = Some(Scales {
                    register: self.word(register, 0)?,
                    byte: self.word(selectors, 0)?,
                    lane: self.word(selectors, 1)?,
                    format,
                    blocks: self.blocks(),
                });
            }
        }
        let overflow = match stated.saturates {
            true => Overflow::Saturates,
            false => Overflow::Wraps,
        };
        let rule = match (d.ty, stated.rounding) {
            (ElementType::Integer { .. }, _) => {
                Rule::Integers(stated.product.unwrap_or(Product::Times), overflow)
            }
            (_, Some(rounding)) => {
                // Which step is the first is open.
                self.exactness = self.exactness.max(Exactness::Unordered);
                Rule::Steps(rounding)
            }
            _ => Rule::Floats,
        };
        let program = MatrixProgram {
            a,
            b,
            c,
            d,
            parts: held[0].fragment.parts.1 as usize,
            rows: shape.m as usize,
            columns: shape.n as usize,
            depth: shape.k as usize,
            rule,
            scales,
            sparse,
        };
        for register in 0..program.results() {
            let element = match self.statement.operands[held[0].operand].operand {
                Operand::Vector(items) => match items.get(register) {
                    Some(Operand::Sink) => continue,
                    _ => Some(register as u8),
                },
                _ => None,
            };
            let node = self.builder.push(Op::Matrix(register as u16));
            let destination = Destination::Operand {
                operand: held[0].operand as u8,
                element,
                half: 0,
            };
            self.outputs.push((destination, node));
        }
        self.product = Some(Box::new(program));
        Ok(())
    }

    /// Reads the right side: a sum, perhaps below functions.
    fn read_sum(
        &mut self,
        expression: &Expression,
        indices: &[Expression],
        stated: &mut Stated,
    ) -> Result<()> {
        let expression = self.meant(expression).clone();
        match &expression {
            Expression::Unordered(inner) => {
                self.exactness = self.exactness.max(Exactness::Unordered);
                self.read_sum(inner, indices, stated)
            }
            Expression::Call(Primitive::Clamp, arguments) => {
                stated.saturates = true;
                match &arguments[..] {
                    [inner] => self.read_sum(inner, indices, stated),
                    _ => Err(Obstacle::Matrix),
                }
            }
            Expression::Infix(Infix::Add, first, sum) => {
                let (Expression::Apply(c, _), Expression::Over(Binder::Sum, _, _, body)) =
                    (self.meant(first), &**sum)
                else {
                    return Err(Obstacle::Matrix);
                };
                stated.c = Some(c);
                self.read_factors(body, indices, stated)
            }
            Expression::Over(Binder::Chain(first), _, _, body) => {
                let Expression::Apply(c, _) = self.meant(first) else {
                    return Err(Obstacle::Matrix);
                };
                stated.c = Some(c);
                let Expression::Call(Primitive::Round, arguments) = &**body else {
                    return Err(Obstacle::Matrix);
                };
                let [
                    Expression::Infix(Infix::Add, product, _),
                    Expression::Name(slot),
                ] = &arguments[..]
                else {
                    return Err(Obstacle::Matrix);
                };
                stated.rounding = Some(match self.statement.slot(slot) {
                    None | Some("rn") => Rounding::NearestEven,
                    Some("rz") => Rounding::TowardZero,
                    Some("rm") => Rounding::Down,
                    Some("rp") => Rounding::Up,
                    Some(word) => return mistake(format!("`{word}` is not a rounding mode")),
                });
                self.read_factors(product, indices, stated)
            }
            _ => Err(Obstacle::Matrix),
        }
    }

    /// Reads what is multiplied.
    fn read_factors(
        &self,
        expression: &Expression,
        indices: &[Expression],
        stated: &mut Stated,
    ) -> Result<()> {
        let (matrix, of) = match expression {
            Expression::Infix(Infix::Multiply, first, second) => {
                self.read_factors(first, indices, stated)?;
                return self.read_factors(second, indices, stated);
            }
            Expression::Call(Primitive::Apply, arguments) => {
                let [Expression::Name(slot), first, second] = &arguments[..] else {
                    return Err(Obstacle::Matrix);
                };
                stated.product = Some(match self.statement.slot(slot) {
                    Some("and") => Product::And,
                    Some("xor") => Product::Xor,
                    _ => return Err(Obstacle::Matrix),
                });
                self.read_factors(first, indices, stated)?;
                return self.read_factors(second, indices, stated);
            }
            Expression::Apply(_, of) | Expression::Index(_, of) => (self.meant(expression), of),
            _ => return Err(Obstacle::Matrix),
        };
        // What has the row of the result is on the left.
        let right = of.first() != indices.first();
        match matrix {
            Expression::Apply(name, _) if right => stated.b = Some(name),
            Expression::Apply(name, _) => stated.a = Some(name),
            Expression::Index(inner, _) => match &**inner {
                Expression::Call(Primitive::Sparse, arguments) => match arguments[..] {
                    [
                        Expression::Name(a),
                        Expression::Name(metadata),
                        Expression::Name(selector),
                    ] => {
                        stated.a = Some(a);
                        stated.sparse = Some((metadata, selector));
                    }
                    _ => return Err(Obstacle::Matrix),
                },
                Expression::Call(Primitive::Scales, arguments) => match arguments[..] {
                    [Expression::Name(register), Expression::Name(selectors), ..] => {
                        stated.scales[usize::from(right)] = Some((register, selectors));
                    }
                    _ => return Err(Obstacle::Matrix),
                },
                _ => return Err(Obstacle::Matrix),
            },
            _ => return Err(Obstacle::Matrix),
        }
        Ok(())
    }

    /// The blocks along the depth that have a factor each.
    pub(super) fn blocks(&self) -> usize {
        let words = &self.statement.words;
        let stated = words.iter().find_map(|it| {
            let count = it.strip_prefix("scale_vec::")?.strip_suffix('X')?;
            count.parse().ok()
        });
        let has = |word: &&str| words.contains(word);
        let of_sixteen = has(&"block16");
        let packed = has(&"kind::mxf4") || (has(&"kind::mxf4nvf4") && has(&"block32"));
        stated.unwrap_or(match (of_sixteen, packed) {
            (true, _) => 4,
            (false, true) => 2,
            (false, false) => 1,
        })
    }

    /// The nodes of the registers of an operand.
    pub(super) fn registers(&mut self, held: &Held) -> Vec<Node> {
        let in_braces = matches!(
            self.statement.operands[held.operand].operand,
            Operand::Vector(_)
        );
        let registers = 0..held.fragment.registers as u8;
        registers
            .map(|it| self.source(held.operand, in_braces.then_some(it), 0))
            .collect()
    }

    /// A register of an operand other than a matrix.
    pub(super) fn word(&mut self, name: &str, element: u8) -> Result<Node> {
        let Some(operand) = self.statement.operand(name) else {
            return mistake(format!("`{name}` is not an operand"));
        };
        match self.statement.operands[operand].operand {
            Operand::Vector(items) if items.len() <= usize::from(element) => Err(Obstacle::Matrix),
            Operand::Vector(_) => Ok(self.source(operand, Some(element), 0)),
            _ => Ok(self.source(operand, None, 0)),
        }
    }
}

/// A matrix of a type in the registers of a warp, which has the first rows of that of a warpgroup.
pub(super) fn matrix(held: &Held, ty: ElementType, registers: Vec<Node>) -> Matrix {
    let fragment = &held.fragment;
    let stride = match ty.bits() {
        64 => 64,
        _ => 32 / fragment.elements,
    };
    let size = fragment.rows * fragment.columns;
    let mut at = Vec::new();
    for register in 0..fragment.registers {
        for lane in 0..fragment.lanes.min(32) {
            for element in 0..fragment.elements {
                let place = fragment.position(lane, register, element);
                let index = place.part * size + place.row * fragment.columns + place.column;
                at.push(index as u16);
            }
        }
    }
    // Four bits alone in a byte are in its middle.
    let offset = match (ty, stride) {
        (ElementType::Float(Format::E2m1), 8) => 2,
        _ => 0,
    };
    Matrix {
        registers,
        ty,
        elements: fragment.elements as usize,
        stride,
        offset,
        at,
    }
}
