//! Textures and surfaces: from the lines of the table to requests.

use super::{Float, Lowering, Obstacle, Primitive, Result, Value, mistake};
use crate::{
    computation::{Effect, Expression},
    compute::{
        exact::{Int, Range},
        float::Format,
        node::Node,
        program::{Exactness, Op},
        texture::{Geometry, Outside, TexelStore, TextureProperty, TextureQuery, TextureRequest},
        value_type::ElementType,
    },
    operand::Operand,
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
            Primitive::Filtered => {
                let request = self.texel_request(primitive, arguments)?;
                let to = request.to;
                if request.query == (TextureQuery::Texel { floats: true }) {
                    self.exactness = self.exactness.max(Exactness::Bounded);
                }
                let node = self.ask(request, element);
                match to {
                    ElementType::Float(format) => Value::Float(Float::Bits(node, format)),
                    _ => Value::Int(Int::node(node, Range::of_bits(32, false))),
                }
            }
            // All of a texture is there.
            Primitive::Resident => {
                self.memory.windows = true;
                Value::Truth(self.builder.push(Op::Constant(1)))
            }
            Primitive::SurfaceBytes => {
                let (request, bits) = self.surface_request(arguments)?;
                let node = self.ask(request, element);
                Value::Int(Int::node(node, Range::of_bits(bits, false)))
            }
            Primitive::Attribute => {
                let [Expression::Name(handle), Expression::Name(query)] = arguments else {
                    return Err(Obstacle::Chapter(primitive));
                };
                let word = self.statement.slot(query).unwrap_or(query);
                let Some(property) = TextureProperty::from_word(word) else {
                    return Err(Obstacle::Chapter(primitive));
                };
                let request = TextureRequest {
                    query: TextureQuery::Property(property),
                    geometry: Geometry {
                        dimensions: 1,
                        layered: false,
                    },
                    handle: self.handle(handle)?,
                    coordinates: Vec::new(),
                    to: WORD,
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

    /// A texel at the coordinates `c` of the texture `a`. There is one level, which is the one for any level of detail.
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
        // Samplers of their own, offsets, comparisons, and handles that are read as coordinates.
        let names = ["e", "f", "handle", "offsets", "depth", sampler];
        if names.iter().any(|it| self.statement.operand(it).is_some()) {
            return not_run;
        }
        let word = self.statement.slot(geometry).unwrap_or_default();
        let Some(geometry) = Geometry::from_word(word) else {
            return not_run;
        };
        let floats = self.statement.slot("ctype") == Some("f32");
        let to = self.type_word("dtype")?;
        let is_known = match to.element {
            ElementType::Float(format) => format == Format::F32,
            _ => true,
        };
        if to.count > 1 || !is_known {
            return not_run;
        }
        Ok(TextureRequest {
            query: TextureQuery::Texel { floats },
            geometry,
            handle: self.handle(handle)?,
            coordinates: self.coordinates(primitive, coordinates, geometry)?,
            to: to.element,
        })
    }

    fn coordinates(
        &mut self,
        primitive: Primitive,
        name: &str,
        geometry: Geometry,
    ) -> Result<Vec<Node>> {
        let Some(operand) = self.statement.operand(name) else {
            return mistake(format!("`{name}` is not an operand"));
        };
        match self.statement.operands[operand].operand {
            Operand::Vector(items) if items.len() >= usize::from(geometry.coordinates()) => {}
            _ => return Err(Obstacle::Chapter(primitive)),
        }
        let all = 0..geometry.coordinates();
        Ok(all.map(|it| self.source(operand, Some(it), 0)).collect())
    }

    /// The request for elements of a surface, and their width in bits.
    fn surface_request(&mut self, arguments: &[Expression]) -> Result<(TextureRequest, u32)> {
        let primitive = Primitive::SurfaceBytes;
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
        let bits = self.type_word("type")?.bits();
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
            query: TextureQuery::Bytes {
                bytes: (bits / 8) as u8,
                count: count as u8,
                outside,
            },
            geometry,
            handle: self.handle(handle)?,
            coordinates: self.coordinates(primitive, coordinates, geometry)?,
            to: WORD,
        };
        Ok((request, bits))
    }

    /// Adds the elements that are written to a surface.
    pub(super) fn write_surface(
        &mut self,
        effect: &Effect,
        arguments: &[Expression],
    ) -> Result<()> {
        if effect.atomic {
            return Err(Obstacle::Chapter(Primitive::SurfaceBytes));
        }
        let (request, bits) = self.surface_request(arguments)?;
        let TextureQuery::Bytes { count, .. } = request.query else {
            return Ok(());
        };
        let request = self.request(request);
        for element in 0..count {
            self.element = (count > 1).then_some(element.into());
            let value = self.int(&effect.value);
            self.element = None;
            let value = self.low_bits(&value?.plain(), bits);
            self.memory.texels.push(TexelStore {
                request,
                element,
                value,
            });
        }
        Ok(())
    }
}
