//! Textures and surfaces: from the lines of the table to requests.

use super::{Float, Lowering, Obstacle, Primitive, Result, Value, mistake};
use crate::{
    computation::{Effect, Expression},
    compute::{
        combination::Combination,
        exact::{Int, Range},
        float::Format,
        node::Node,
        program::{Exactness, Op},
        texture::{
            Detail, Geometry, OpaqueKind, Outside, TexelStore, TextureProperty, TextureQuery,
            TextureRequest,
        },
        value_type::ElementType,
    },
    operand::Operand,
};

/// The dimensions of requests that are about none.
const NOWHERE: Geometry = Geometry {
    dimensions: 1,
    layered: false,
    cube: false,
    samples: false,
};
/// The bits of what a surface has.
const WORD: ElementType = ElementType::Integer {
    bits: 64,
    signed: false,
};

impl Lowering<'_> {
    /// A function of a texture or surface; `None` for other functions.
    pub(super) fn texture_call(
        &mut self,
        primitive: Primitive,
        arguments: &[Expression],
    ) -> Result<Option<Value>> {
        let element = self.element.unwrap_or(0) as u8;
        let value = match primitive {
            Primitive::Filtered | Primitive::Gathered => {
                let request = self.texel_request(primitive, arguments)?;
                let to = request.to;
                if request.query != (TextureQuery::Texel { floats: false })
                    || to == ElementType::Float(Format::F16)
                {
                    self.exactness = self.exactness.max(Exactness::Bounded);
                }
                let node = self.ask(request, element);
                match to {
                    ElementType::Float(format) => Value::Float(Float::Bits(node, format)),
                    _ => Value::Int(Int::node(node, Range::of_bits(32, false))),
                }
            }
            // The request has the number to compare with.
            Primitive::Compared => {
                let Some(value) = arguments.first() else {
                    return Err(Obstacle::Chapter(primitive));
                };
                return self.expression(value).map(Some);
            }
            Primitive::KindOf => {
                let [Expression::Name(handle), Expression::Name(kind)] = arguments else {
                    return Err(Obstacle::Chapter(primitive));
                };
                let word = self.statement.slot(kind).unwrap_or_default();
                let Some(kind) = OpaqueKind::from_word(word) else {
                    return Err(Obstacle::Chapter(primitive));
                };
                let request = self.plain_request(TextureQuery::Kind(kind), handle)?;
                Value::Truth(self.ask(request, 0))
            }
            // All of a texture is there.
            Primitive::Resident => {
                self.memory.windows = true;
                Value::Truth(self.builder.push(Op::Constant(1)))
            }
            Primitive::SurfaceBytes => {
                let (request, bits, _) = self.surface_request(primitive, arguments)?;
                let node = self.ask(request, element);
                Value::Int(Int::node(node, Range::of_bits(bits, false)))
            }
            Primitive::Attribute => {
                let [
                    Expression::Name(handle),
                    Expression::Name(query),
                    level @ ..,
                ] = arguments
                else {
                    return Err(Obstacle::Chapter(primitive));
                };
                let mut coordinates = Vec::new();
                for level in level {
                    let level = self.int(level)?.plain();
                    coordinates.push(self.builder.low(&level, 32));
                }
                let word = self.statement.slot(query).unwrap_or(query);
                let Some(property) = TextureProperty::from_word(word) else {
                    return Err(Obstacle::Chapter(primitive));
                };
                let query = TextureQuery::Property(property);
                let request = self.plain_request(query, handle)?;
                let request = TextureRequest {
                    coordinates,
                    ..request
                };
                let node = self.ask(request, 0);
                Value::Int(Int::node(node, Range::of_bits(32, false)))
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    fn ask(&mut self, request: TextureRequest, element: u8) -> Node {
        let index = self.request(request);
        self.builder.push(Op::Texture(index, element))
    }

    /// The index of a request, which is made once.
    fn request(&mut self, request: TextureRequest) -> u16 {
        self.memory.windows = true;
        let all = &mut self.memory.textures;
        let known = all.iter().position(|it| *it == request);
        let index = known.unwrap_or_else(|| {
            all.push(request);
            all.len() - 1
        });
        index as u16
    }

    fn handle(&mut self, name: &'static str) -> Result<Node> {
        let handle = self.int(&Expression::Name(name))?.plain();
        Ok(self.builder.low(&handle, 64))
    }

    /// A question about no place.
    fn plain_request(
        &mut self,
        query: TextureQuery,
        handle: &'static str,
    ) -> Result<TextureRequest> {
        Ok(TextureRequest {
            query,
            geometry: NOWHERE,
            handle: self.handle(handle)?,
            sampler: None,
            coordinates: Vec::new(),
            offsets: Vec::new(),
            detail: Detail::Base,
            reference: None,
            to: WORD,
        })
    }

    /// The level of detail of a statement.
    fn detail(&mut self, primitive: Primitive, geometry: Geometry) -> Result<Detail> {
        if let Some(operand) = self.statement.operand("lod") {
            let element = match self.statement.operands[operand].operand {
                Operand::Vector(_) => Some(0),
                _ => None,
            };
            return Ok(Detail::Level {
                at: self.source(operand, element, 0),
                floats: self.statement.slot("ctype") == Some("f32"),
            });
        }
        let (Some(_), Some(_)) = (
            self.statement.operand("dpdx"),
            self.statement.operand("dpdy"),
        ) else {
            return Ok(Detail::Base);
        };
        let count = geometry.dimensions + u8::from(geometry.cube);
        Ok(Detail::Gradients([
            self.vector(primitive, "dpdx", count)?,
            self.vector(primitive, "dpdy", count)?,
        ]))
    }

    /// A texel at the coordinates `c` of the texture `a`.
    fn texel_request(
        &mut self,
        primitive: Primitive,
        arguments: &[Expression],
    ) -> Result<TextureRequest> {
        let not_run = Err(Obstacle::Chapter(primitive));
        let [
            Expression::Name(handle),
            Expression::Name(sampler),
            Expression::Name(coordinates),
            Expression::Name(geometry),
            ..,
        ] = arguments
        else {
            return not_run;
        };
        if self.statement.operand("handle").is_some() {
            return Err(Obstacle::Unspecified("a sampler with unified textures"));
        }
        let sampler = match self.statement.operand(sampler) {
            Some(_) => Some(self.handle(sampler)?),
            None => None,
        };
        let word = self.statement.slot(geometry).unwrap_or_default();
        let Some(geometry) = Geometry::from_word(word) else {
            return not_run;
        };
        let query = match primitive {
            Primitive::Gathered => {
                let channel = self.statement.slot("comp").unwrap_or_default();
                let Some(channel) = ["r", "g", "b", "a"].iter().position(|it| *it == channel)
                else {
                    return not_run;
                };
                TextureQuery::Gather {
                    channel: channel as u8,
                }
            }
            _ => TextureQuery::Texel {
                floats: self.statement.slot("ctype") == Some("f32"),
            },
        };
        let offsets = match self.statement.operand("e") {
            Some(_) => self.vector(primitive, "e", geometry.dimensions)?,
            None => Vec::new(),
        };
        let to = self.type_word("dtype")?;
        let reference = self.statement.operand("f");
        let reference = reference.map(|it| self.source(it, None, 0));
        Ok(TextureRequest {
            query,
            geometry,
            handle: self.handle(handle)?,
            sampler,
            coordinates: self.vector(primitive, coordinates, geometry.coordinates())?,
            offsets,
            detail: self.detail(primitive, geometry)?,
            reference,
            to: to.element,
        })
    }

    /// The first `count` elements of an operand; a single one may be without braces.
    fn vector(&mut self, primitive: Primitive, name: &str, count: u8) -> Result<Vec<Node>> {
        let Some(operand) = self.statement.operand(name) else {
            return mistake(format!("`{name}` is not an operand"));
        };
        match self.statement.operands[operand].operand {
            Operand::Vector(items) if items.len() >= usize::from(count) => {}
            Operand::Register { lanes: 1, .. } if count == 1 => {
                return Ok(vec![self.source(operand, None, 0)]);
            }
            Operand::Register { .. } => {
                return Err(Obstacle::Unspecified("coordinates in a lone register"));
            }
            _ => return Err(Obstacle::Chapter(primitive)),
        }
        Ok((0..count)
            .map(|it| self.source(operand, Some(it), 0))
            .collect())
    }

    /// The request for elements of a surface, and their width in bits.
    fn surface_request(
        &mut self,
        primitive: Primitive,
        arguments: &[Expression],
    ) -> Result<(TextureRequest, u32, u32)> {
        let [
            Expression::Name(handle),
            Expression::Name(coordinates),
            Expression::Name(geometry),
            Expression::Name(outside),
        ] = arguments
        else {
            return Err(Obstacle::Chapter(primitive));
        };
        let geometry = self.statement.slot(geometry).and_then(Geometry::from_word);
        let outside = self.statement.slot(outside).and_then(Outside::from_word);
        let (Some(geometry), Some(outside)) = (geometry, outside) else {
            return Err(Obstacle::Chapter(primitive));
        };
        // Words of 32 bits make the channels of a texel.
        let (ty, bits) = match self.statement.slot("type") {
            Some(_) => (
                self.type_word("type")?.element,
                self.type_word("type")?.bits(),
            ),
            None => (WORD, 32),
        };
        let query = match primitive {
            Primitive::Texel if bits == 32 => TextureQuery::Sample { outside },
            Primitive::Texel => return Err(Obstacle::Chapter(primitive)),
            _ => TextureQuery::Bytes {
                bytes: (bits / 8) as u8,
                count: self.vector_length()? as u8,
                outside,
            },
        };
        let count = self.vector_length()?;
        // Braces of another number of elements than the words say.
        let mut operands = self.statement.operands.iter();
        let others = operands.any(|it| match it.operand {
            Operand::Vector(items) => it.name != *coordinates && items.len() != count as usize,
            _ => false,
        });
        if others {
            return Err(Obstacle::Chapter(primitive));
        }
        let request = TextureRequest {
            query,
            geometry,
            handle: self.handle(handle)?,
            sampler: None,
            coordinates: self.vector(primitive, coordinates, geometry.coordinates())?,
            offsets: Vec::new(),
            detail: Detail::Base,
            reference: None,
            to: ty,
        };
        Ok((request, bits, count))
    }

    /// Adds the elements that are written to a surface: bytes, or channels of a texel.
    pub(super) fn write_surface(
        &mut self,
        effect: &Effect,
        (primitive, arguments): (Primitive, &[Expression]),
    ) -> Result<()> {
        let not_run = Err(Obstacle::Chapter(primitive));
        // `apply(op, surface_bytes(…), c)`
        let (value, combined) = match (&effect.value, effect.atomic) {
            (Expression::Call(Primitive::Apply, all), true) => match &all[..] {
                [Expression::Name(op), _, value] => {
                    let word = self.statement.slot(op);
                    let Some(found) = word.and_then(Combination::from_word) else {
                        return not_run;
                    };
                    (value, Some(found))
                }
                _ => return not_run,
            },
            (value, false) => (value, None),
            _ => return not_run,
        };
        // The machine converts to the format of the surface.
        let value = match value {
            Expression::Call(Primitive::Formatted, all) => match all.first() {
                Some(value) => value,
                None => return not_run,
            },
            value => value,
        };
        self.memory.atomic |= effect.atomic;
        let (request, bits, count) = self.surface_request(primitive, arguments)?;
        let request = self.request(request);
        for element in 0..count as u8 {
            self.element = (count > 1).then_some(element.into());
            let value = self.int(value);
            self.element = None;
            let value = self.low_bits(&value?.plain(), bits);
            self.memory.texels.push(TexelStore {
                request,
                element,
                value,
                combined,
            });
        }
        Ok(())
    }
}
