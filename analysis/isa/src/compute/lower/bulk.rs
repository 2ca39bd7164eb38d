//! Lowering of bulk copies and of copies of tensor boxes: source, destination and number of bytes.

use super::{Lowering, Obstacle, Primitive, Result, Value, mistake};
use crate::{
    computation::{Effect, Expression, Memory},
    compute::{
        combination::Combination,
        exact::{Int, Range, Ring},
        memory::{AddressSpace, Bulk, BulkPart, BulkSource, Place, TensorBox},
        node::Node,
        program::Op,
    },
    matrix::tensor_map::BoxMode,
    operand::Operand,
};

impl Lowering<'_> {
    pub(super) fn write_bulk(
        &mut self,
        effect: &Effect,
        memory: &Memory,
        size: &Expression,
    ) -> Result<()> {
        let (place, address) = self.place(memory, 1, 1, None)?;
        let size = self.int(size)?;
        let size = self.builder.low(&size, 64);
        let from = self.bulk_source(&effect.value)?;
        self.memory.bulk.push(Bulk {
            place,
            address,
            size,
            to_box: None,
            combined: None,
            from,
        });
        Ok(())
    }

    /// Adds the bytes that are written to a box of a tensor.
    pub(super) fn write_box(&mut self, effect: &Effect, arguments: &[Expression]) -> Result<()> {
        if effect.repeated.is_some() {
            return Err(Obstacle::Memory);
        }
        // `apply(op, tile, [from; n])`
        let (value, combined) = match (&effect.value, effect.each) {
            (Expression::Call(Primitive::Apply, all), true) => match &all[..] {
                [
                    Expression::Name(op),
                    Expression::Name(_) | Expression::Call(Primitive::FabricBox, _),
                    source,
                ] => {
                    let word = self.statement.slot(op);
                    let Some(found) = word.and_then(Combination::from_word) else {
                        return Err(Obstacle::Memory);
                    };
                    (source, Some(found))
                }
                _ => return Err(Obstacle::Memory),
            },
            (value, false) => (value, None),
            _ => return Err(Obstacle::Memory),
        };
        self.memory.atomic |= effect.atomic;
        if let Some(completion) = &effect.until {
            self.memory.until = Some(self.completion(completion)?);
        }
        let (place, address, to) = self.tensor_box(arguments)?;
        let from = self.bulk_source(value)?;
        let BulkSource::Memory { size, .. } = from else {
            return mistake("a box is written from memory");
        };
        self.memory.bulk.push(Bulk {
            place,
            address,
            size,
            to_box: Some(to),
            combined,
            from,
        });
        Ok(())
    }

    /// The place and address of the map of a box, and the box.
    fn tensor_box(&mut self, arguments: &[Expression]) -> Result<(u16, Node, TensorBox)> {
        let [Expression::Name(map), ..] = arguments else {
            return mistake("a box needs a map");
        };
        let (place, address) = self.map_place(map)?;
        let mode = self.box_mode()?;
        let Some(index) = self.statement.operand("coordinates") else {
            return Err(Obstacle::Chapter(Primitive::TensorBox));
        };
        let count = match self.statement.operands[index].operand {
            Operand::Vector(items) => items.len() as u32,
            _ => return Err(Obstacle::Chapter(Primitive::TensorBox)),
        };
        let mut coordinates = Vec::new();
        for element in 0..count {
            let value = self.element_of(index, element)?;
            let Value::Int(it) = value else {
                return mistake("a coordinate is an integer");
            };
            let it = it.plain().signed_bits(32);
            coordinates.push(self.builder.low(&it.plain(), 64));
        }
        if let Some(index) = self.statement.operand("offsets") {
            let Operand::Vector(items) = self.statement.operands[index].operand else {
                return Err(Obstacle::Chapter(Primitive::TensorBox));
            };
            for element in 0..items.len() as u32 {
                let Value::Int(it) = self.element_of(index, element)? else {
                    return mistake("an offset is an integer");
                };
                coordinates.push(self.builder.low(&it.plain().low_bits(16), 64));
            }
        }
        let (start, fabric) = self.start_of_box(arguments)?;
        let of = TensorBox {
            mode,
            coordinates,
            start,
            fabric,
            sizes: self.numbers_of("new_dimensions", 16)?,
            strides: self.strides()?,
        };
        Ok((place, address, of))
    }

    /// The address that replaces the address in the map of a box, and the kind of endpoint where it is.
    fn start_of_box(
        &mut self,
        arguments: &[Expression],
    ) -> Result<(Option<Node>, Option<AddressSpace>)> {
        if let [_, id @ Expression::Name("from_id" | "to_id"), offset, ..] = arguments {
            let (address, space) = self.address_of_box(id, offset)?;
            let node = self.builder.low(&address.low_bits(64), 64);
            return Ok((Some(node), Some(space)));
        }
        if self.statement.operand("new_address").is_none() {
            return Ok((None, None));
        }
        let start = self.int(&Expression::Name("new_address"))?;
        Ok((Some(self.builder.low(&start.plain(), 64)), None))
    }

    /// The unsigned numbers of an operand in braces; none without it.
    fn numbers_of(&mut self, name: &str, bits: u32) -> Result<Vec<Node>> {
        let Some(index) = self.statement.operand(name) else {
            return Ok(Vec::new());
        };
        let Operand::Vector(items) = self.statement.operands[index].operand else {
            return Err(Obstacle::Chapter(Primitive::TensorBox));
        };
        let mut all = Vec::new();
        for element in 0..items.len() as u32 {
            let Value::Int(it) = self.element_of(index, element)? else {
                return mistake("a size is an integer");
            };
            all.push(self.builder.low(&it.plain().low_bits(bits), 64));
        }
        Ok(all)
    }

    /// The strides, in bytes, with which a statement replaces strides of a map. Both operands count units of 16 bytes: one
    /// has the lower 32 bits of each stride, the other one the upper 4 bits of all.
    fn strides(&mut self) -> Result<Vec<Node>> {
        let lower = self.numbers_of("new_strides", 32)?;
        if lower.is_empty() {
            return Ok(lower);
        }
        let upper = self.int(&Expression::Name("new_element_stride"))?.plain();
        let mut all = Vec::new();
        for (index, lower) in (0..).zip(lower) {
            let part = upper.clone().shift_right(Int::constant(4 * index));
            let part = part.low_bits(4).plain().shift_left(Int::constant(32));
            let lower = Int::node(lower, Range::of_bits(32, false));
            let units = Int::ring(Ring::Add, lower, part);
            let bytes = units.shift_left(Int::constant(4)).low_bits(64);
            all.push(self.builder.low(&bytes, 64));
        }
        Ok(all)
    }

    fn box_mode(&self) -> Result<BoxMode> {
        let word = self.statement.slot("mode").unwrap_or("tile");
        match word.split_once("::").map_or((word, ""), |it| it) {
            ("tile", "") => Ok(BoxMode::Tile),
            ("tile", _) => Ok(BoxMode::Rows),
            ("im2col" | "im2col_no_offs", "") => Ok(BoxMode::Images),
            ("im2col" | "im2col_no_offs", "w") => Ok(BoxMode::ImageRows { fixed: false }),
            ("im2col", "w::128") => Ok(BoxMode::ImageRows { fixed: true }),
            _ => Err(Obstacle::Chapter(Primitive::TensorBox)),
        }
    }

    /// The place of a tensor map, which a generic address names.
    fn map_place(&mut self, map: &'static str) -> Result<(u16, Node)> {
        let address = self.int(&Expression::Name(map))?;
        let node = self.builder.low(&address.plain(), 64);
        let place = Place {
            space: AddressSpace::Generic,
            bytes: 128,
            count: 1,
            field: None,
        };
        Ok((self.index_of(place), node))
    }

    /// The bytes of a box.
    pub(super) fn box_bytes(&mut self, arguments: &[Expression]) -> Result<Value> {
        let [Expression::Name(map)] = arguments else {
            return mistake("`box_bytes` needs a map");
        };
        let (place, map) = self.map_place(map)?;
        let mode = self.box_mode()?;
        let node = self.builder.push(Op::BoxBytes { place, map, mode });
        Ok(Value::Int(Int::node(node, Range::of_bits(32, false))))
    }

    fn bulk_source(&mut self, value: &Expression) -> Result<BulkSource> {
        Ok(match value {
            Expression::Integer(0) => BulkSource::Zero,
            Expression::Call(Primitive::Opaque, none) if none.is_empty() => BulkSource::Response,
            Expression::Name("unspecified") => BulkSource::Undefined,
            Expression::Memory(from) => {
                let Some(count) = &from.size else {
                    return mistake("bytes are copied, and not an element");
                };
                let (place, address) = self.place(from, 1, 1, None)?;
                let count = self.int(count)?;
                let size = self.builder.low(&count, 64);
                BulkSource::Memory {
                    place,
                    address,
                    size,
                    part: None,
                }
            }
            Expression::Call(which @ (Primitive::Skip | Primitive::Keep), arguments) => {
                let [bytes, bounds @ ..] = &arguments[..] else {
                    return mistake("bytes were expected");
                };
                let mut source = self.bulk_source(bytes)?;
                let mut bound = |it: &Expression| -> Result<Node> {
                    let bound = self.int(it)?.plain();
                    Ok(self.builder.low(&bound, 64))
                };
                let found = match (which, bounds) {
                    (Primitive::Skip, [first, end]) => {
                        BulkPart::Between(bound(first)?, bound(end)?)
                    }
                    (_, [mask]) => BulkPart::Masked(bound(mask)?),
                    _ => return mistake("one mask, or two bounds"),
                };
                if let BulkSource::Memory { part, .. } = &mut source {
                    *part = Some(found);
                }
                source
            }
            Expression::Call(Primitive::TensorBox | Primitive::FabricBox, arguments) => {
                let (place, address, of) = self.tensor_box(arguments)?;
                BulkSource::Box { place, address, of }
            }
            Expression::Name(name) => match self.definitions.get(name).copied() {
                Some(it) if it.parameters.is_empty() => self.bulk_source(&it.value)?,
                _ => return Err(Obstacle::Memory),
            },
            _ => return Err(Obstacle::Memory),
        })
    }
}
