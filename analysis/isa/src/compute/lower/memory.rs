//! Memory: the places of a statement, what is read there, and what is written at once or later.

use super::{Lowering, Obstacle, Primitive, Result, Value, mistake, operands};
use crate::{
    computation::{Completion, Effect, Expression, Memory, MemoryKind, Set},
    compute::{
        exact::{Int, Range, Ring},
        memory::{
            AddressSpace, BarrierField, CANCELED, CTA_SHIFT, MapStore, Place, Store, Until, WINDOW,
            window,
        },
        node::Node,
        program::{Binary, Op, Width},
        value_type::ValueType,
    },
    matrix::tensor_map::MapField,
    operand::Operand,
};

/// Bytes of an address in tensor memory.
const ADDRESS_BYTES: u32 = 4;
/// Bytes of a tensor map.
const MAP_BYTES: u32 = 128;
/// The most bytes that an access has.
const MOST_BYTES: u32 = 128;

impl Lowering<'_> {
    /// Adds what an effect writes to memory.
    pub(super) fn memory_effect(&mut self, effect: &Effect, memory: &Memory) -> Result<()> {
        let before = match &effect.repeated {
            Some((name, Set::Named("copies"))) => {
                let before = self.memory.copy.replace(name);
                let written = self.write_memory(effect, memory);
                self.memory.copy = before;
                return written;
            }
            Some((name, set)) => {
                let mask = match set {
                    Set::Lanes(mask) => {
                        let mask = self.int(mask)?;
                        self.low_bits(&mask, 32)
                    }
                    Set::Named("cluster") => self.builder.push(Op::Ctas),
                    _ => return Err(Obstacle::Memory),
                };
                if self.memory.repeated.is_some_and(|it| it != mask) {
                    return Err(Obstacle::Memory);
                }
                self.memory.repeated = Some(mask);
                let member = self.builder.push(Op::Member);
                let member = Value::Int(Int::node(member, Range::of_bits(5, false)));
                Some((*name, self.variables.insert(name, member)))
            }
            None => None,
        };
        let written = self.write_memory(effect, memory);
        if let Some((name, value)) = before {
            self.restore(name, value);
        }
        written
    }

    fn write_memory(&mut self, effect: &Effect, memory: &Memory) -> Result<()> {
        if let Some((name, index)) = &memory.field
            && let Some(field) = self.statement.slot(name).and_then(MapField::from_word)
        {
            return self.replace_field(effect, memory, (field, index.as_deref()));
        }
        if effect.atomic && !effect.each && memory.size.is_some() {
            return self.write_counter(effect, memory);
        }
        self.memory.atomic |= effect.atomic || memory.field.is_some();
        if let Some(completion) = &effect.until {
            let until = self.completion(completion)?;
            if self.memory.until.is_some_and(|it| it != until) {
                return Err(Obstacle::Memory);
            }
            self.memory.until = Some(until);
        }
        if let Some((name, index)) = &memory.field {
            let Some(field) = BarrierField::from_word(name).filter(|_| index.is_none()) else {
                return Err(Obstacle::Memory);
            };
            let (place, address) = self.place(memory, 8, 1, Some(field))?;
            let value = self.int(&effect.value)?;
            let value = self.builder.low(&value, 64);
            self.store(place, address, 0, value, None);
            return Ok(());
        }
        if let (Some(_), Expression::Call(Primitive::Opaque, arguments)) =
            (&memory.size, &effect.value)
            && !arguments.is_empty()
        {
            // The address of what has been allocated.
            let (place, address) = self.place(memory, ADDRESS_BYTES, 1, None)?;
            let value = self.builder.push(Op::Allocated);
            self.store(place, address, 0, value, None);
            return Ok(());
        }
        match &memory.size {
            Some(size) if !effect.each => self.write_bulk(effect, memory, size),
            size => {
                let ty = self.memory_type(effect.ty)?;
                let bytes = ty.bits() / 8;
                if let Some(size) = size {
                    let size = self.int(size)?;
                    let size = self.builder.low(&size, 64);
                    self.memory.sweep = Some((size, bytes as u8));
                }
                self.write_elements(effect, memory, ty)
            }
        }
    }

    /// Adds a field of a tensor map that is replaced.
    fn replace_field(
        &mut self,
        effect: &Effect,
        memory: &Memory,
        (field, index): (MapField, Option<&Expression>),
    ) -> Result<()> {
        let (place, address) = self.place(memory, MAP_BYTES, 1, None)?;
        let index = match index {
            Some(index) => self.int(index)?,
            None => Int::constant(0),
        };
        let value = self.int(&effect.value)?;
        let store = MapStore {
            place,
            address,
            field,
            index: self.builder.low(&index, 64),
            value: self.builder.low(&value, 64),
        };
        self.memory.fields.push(store);
        Ok(())
    }

    fn write_elements(&mut self, effect: &Effect, memory: &Memory, ty: ValueType) -> Result<()> {
        let count = self.vector_length()?;
        let (place, address) = self.place(memory, ty.bits() / 8, count, None)?;
        let ty = self.stored_type(&effect.value, ty);
        self.target = ty.element;
        for element in 0..count {
            if self.is_sink(&effect.value, element) {
                continue;
            }
            let all = match (count, ty.count) {
                (_, 1) => {
                    self.element = (count > 1).then_some(element);
                    let value = self.expression(&effect.value);
                    self.element = None;
                    let bits = self.element_bits(value?, ty)?.plain();
                    bits.low_bits(ty.bits())
                }
                (_, parts) => self.pack(&effect.value, ty, element * parts)?,
            };
            match ty.bits() {
                ..=64 => {
                    let value = self.low_bits(&all.plain(), ty.bits());
                    self.store(place, address, element, value, None);
                }
                _ => {
                    let wide = self.builder.wide(&all);
                    let low = self.builder.push(Op::Narrow(wide));
                    let high = self.builder.push(Op::Upper(wide));
                    self.store(place, address, element, low, Some(high));
                }
            }
        }
        Ok(())
    }

    /// The type that is written: the bits of an operand that is not of the packed type of the access.
    fn stored_type(&self, value: &Expression, ty: ValueType) -> ValueType {
        let operand = match value {
            Expression::Name(name) => self.statement.operand(name),
            _ => None,
        };
        let own = operand.map(|it| operands::type_of(&self.statement.operands[it]));
        match own {
            Some(own) if own.count == 1 && ty.count > 1 && own.bits() == ty.bits() => own,
            _ => ty,
        }
    }

    /// Whether the value of an element is an operand whose element there is `_`.
    fn is_sink(&self, value: &Expression, element: u32) -> bool {
        let Expression::Name(name) = value else {
            return false;
        };
        let operand = self.statement.operand(name);
        match operand.map(|it| self.statement.operands[it].operand) {
            Some(Operand::Vector(items)) => {
                matches!(items.get(element as usize), Some(Operand::Sink))
            }
            _ => false,
        }
    }

    /// The value of memory in an expression.
    pub(super) fn read_memory(&mut self, memory: &Memory) -> Result<Value> {
        if let Some((name, index)) = &memory.field {
            let Some(field) = BarrierField::from_word(name).filter(|_| index.is_none()) else {
                return Err(Obstacle::Memory);
            };
            return self.read_field(memory, field);
        }
        if self.movement.is_some() {
            return self.read_for_matrix(memory);
        }
        if memory.size.is_some() {
            return Err(Obstacle::Memory);
        }
        let ty = self.memory_type(None)?;
        let count = self.vector_length()?;
        let (place, address) = self.place(memory, ty.bits() / 8, count, None)?;
        let (element, part) = match (count, ty.count) {
            (1, 1) => (0, None),
            (_, 1) => (self.element.unwrap_or(0), None),
            (1, _) => (0, self.element),
            (_, parts) => match self.element {
                Some(it) => (it / parts, Some(it % parts)),
                None => return Err(Obstacle::Memory),
            },
        };
        let load = |half| Op::Load {
            place,
            address,
            element: element as u8,
            half,
        };
        let low = self.builder.push(load(0));
        let bits = match ty.bits() {
            ..=64 => Int::node(low, Range::of_bits(64, false)).low_bits(ty.bits()),
            _ => {
                let high = self.builder.push(load(1));
                Int::wide_node(self.join(high, low), Range::of_bits(128, false))
            }
        };
        Ok(match (ty.count, part) {
            (1, _) => self.typed(&bits, ty.element),
            (_, Some(part)) => {
                let by = Int::constant(i128::from(ty.element.bits() * part));
                let bits = bits.plain().shift_right(by).low_bits(ty.element.bits());
                self.typed(&bits, ty.element)
            }
            (_, None) => Value::Int(bits),
        })
    }

    fn read_field(&mut self, memory: &Memory, field: BarrierField) -> Result<Value> {
        let (place, address) = self.place(memory, 8, 1, Some(field))?;
        let node = self.builder.push(Op::Load {
            place,
            address,
            element: 0,
            half: 0,
        });
        Ok(Value::Int(Int::node(node, Range::of_bits(64, true))))
    }

    /// Functions of addresses and of the states of mbarriers.
    pub(super) fn address_call(
        &mut self,
        primitive: Primitive,
        arguments: &[Expression],
    ) -> Result<Value> {
        let [first, ..] = arguments else {
            if primitive == Primitive::Opaque {
                // What only other instructions understand, and a machine may choose.
                self.memory.windows = true;
                return Ok(Value::Int(Int::constant(0)));
            }
            return mistake(format!("`{}` lacks an argument", primitive.name()));
        };
        if let Some(value) = self.texture_call(primitive, arguments)? {
            return Ok(value);
        }
        let number = |it: Int, bits: u32| Ok(Value::Int(it.low_bits(bits)));
        match primitive {
            Primitive::State => match first {
                Expression::Memory(memory) => self.read_field(memory, BarrierField::State),
                _ => mistake("`state` is that of memory"),
            },
            Primitive::Phase => {
                self.memory.windows = true;
                let state = self.int(first)?.plain();
                number(state.shift_right(Int::constant(32)), 32)
            }
            Primitive::Pending => {
                // The bits of a state are those of the machine.
                self.memory.windows = true;
                number(self.int(first)?.plain(), 32)
            }
            Primitive::Canceled => {
                self.memory.windows = true;
                let response = self.raw(first)?.low_bits(64);
                let node = self.low_bits(&response.plain(), 64);
                let none = self.equal_to_zero(node);
                Ok(Value::Truth(self.not(none)))
            }
            Primitive::FirstCta => {
                self.memory.windows = true;
                let response = self.raw(first)?.plain();
                let dimension = self.element.unwrap_or(0) as usize;
                let (at, bits) = CANCELED.get(dimension).copied().unwrap_or_default();
                number(response.shift_right(Int::constant(at.into())), bits)
            }
            Primitive::ToGeneric | Primitive::FromGeneric | Primitive::Within => {
                self.memory.windows = true;
                let space = self.space_word(arguments.get(1))?;
                let start = Int::constant(i128::from(window(space)));
                let (address, bits) = self.address_operand(first)?;
                match (primitive, window(space)) {
                    (Primitive::ToGeneric, _) => number(Int::ring(Ring::Add, address, start), bits),
                    (Primitive::FromGeneric, _) => {
                        number(Int::ring(Ring::Subtract, address, start), bits)
                    }
                    (_, 0) => self.outside_of_windows(&address),
                    _ => {
                        let offset = Int::ring(Ring::Subtract, address, start).low_bits(64);
                        self.below(&offset, i128::from(WINDOW))
                    }
                }
            }
            Primitive::InCta => {
                let Some(rank) = arguments.get(1) else {
                    return mistake("`in_cta` lacks the CTA");
                };
                self.memory.windows = true;
                let (address, bits) = self.address_operand(first)?;
                let rank = self.int(rank)?;
                number(in_cta(address, rank), bits)
            }
            Primitive::CtaOf => {
                self.memory.windows = true;
                let (address, _) = self.address_operand(first)?;
                let stated = address.shift_right(Int::constant(CTA_SHIFT.into()));
                let stated = stated.low_bits(8).plain();
                let own = self.builder.push(Op::CtaRank);
                let own = Int::node(own, Range::of_bits(8, false));
                let node = self.low_bits(&stated, 8);
                let is_own = self.equal_to_zero(node);
                let other = Int::ring(Ring::Subtract, stated, Int::constant(1));
                number(Int::select(is_own, own, other).plain(), 32)
            }
            _ => Err(Obstacle::Chapter(primitive)),
        }
    }

    /// The truth that a generic address is in no window, and so in global memory.
    fn outside_of_windows(&mut self, address: &Int) -> Result<Value> {
        let mut inside = self.builder.push(Op::Constant(0));
        for space in [
            AddressSpace::Shared,
            AddressSpace::Local,
            AddressSpace::Parameter,
            AddressSpace::Constant,
        ] {
            let start = Int::constant(i128::from(window(space)));
            let offset = Int::ring(Ring::Subtract, address.clone(), start).low_bits(64);
            let Value::Truth(one) = self.below(&offset, i128::from(WINDOW))? else {
                continue;
            };
            let either = Op::Binary(Binary::Or, Width::Narrow, inside, one);
            inside = self.builder.push(either);
        }
        Ok(Value::Truth(self.equal_to_zero(inside)))
    }

    fn below(&mut self, number: &Int, limit: i128) -> Result<Value> {
        let number = self.builder.low(number, 64);
        let limit = self.builder.push(Op::Constant(limit as u64));
        let less = Op::Binary(Binary::Less, Width::Narrow, number, limit);
        Ok(Value::Truth(self.builder.push(less)))
    }

    fn equal_to_zero(&mut self, number: Node) -> Node {
        let zero = self.builder.push(Op::Constant(0));
        self.builder
            .push(Op::Binary(Binary::Equal, Width::Narrow, number, zero))
    }

    fn space_word(&self, word: Option<&Expression>) -> Result<AddressSpace> {
        let Some(Expression::Name(name)) = word else {
            return mistake("a state space was expected");
        };
        let word = self.statement.slot(name).unwrap_or(name);
        match AddressSpace::from_word(word) {
            Some(it) => Ok(it),
            None => mistake(format!("`{word}` is not a state space")),
        }
    }

    /// An operand that is an address, unsigned, and the width of its type in bits.
    fn address_operand(&mut self, expression: &Expression) -> Result<(Int, u32)> {
        let bits = match expression {
            Expression::Name(name) => match self.statement.operand(name) {
                Some(index) => {
                    let bound = self.statement.operands[index];
                    match (bound.operand, bound.ty) {
                        // The name of a variable is an address of 64 bits whatever the type is.
                        (_, Some(ty)) if ty.bits() == 32 => 32,
                        (operand, None) => operands::register_bits(operand, None),
                        _ => 64,
                    }
                }
                None => 64,
            },
            _ => 64,
        };
        Ok((self.int(expression)?.plain(), bits))
    }

    /// How an effect is known to have happened.
    pub(super) fn completion(&mut self, completion: &Completion) -> Result<Until> {
        Ok(match completion {
            Completion::Group(kind) => Until::Group(kind),
            Completion::Copies => Until::Copies,
            Completion::Barrier(memory, bytes) => {
                let field = Some(BarrierField::Transactions);
                let (place, address) = self.place(memory, 8, 1, field)?;
                let bytes = self.int(bytes)?;
                let bytes = self.builder.low(&bytes, 64);
                Until::Barrier {
                    place,
                    address,
                    bytes,
                }
            }
        })
    }

    /// The place of a memory expression, by its index, and its address.
    pub(super) fn place(
        &mut self,
        memory: &Memory,
        bytes: u32,
        count: u32,
        field: Option<BarrierField>,
    ) -> Result<(u16, Node)> {
        if bytes * count > MOST_BYTES {
            return Err(Obstacle::Memory);
        }
        // There is one device, and so one copy of what a multimem address names.
        let (mut address, mut space) = match memory.kind {
            MemoryKind::Operand | MemoryKind::Copies => self.address_here(memory)?,
            MemoryKind::Fabric => self.address_at_endpoint(memory)?,
        };
        if let Some(within) = memory.within.filter(|it| self.memory.copy != Some(*it)) {
            let Some(Value::Int(rank)) = self.variables.get(within).cloned() else {
                return Err(Obstacle::Memory);
            };
            address = in_cta(address, rank);
            if space == AddressSpace::Shared {
                space = AddressSpace::SharedCluster;
            }
        }
        // Arrivals and bytes may come from other CTAs of the cluster; only its own threads wait at an mbarrier.
        let comes = matches!(
            field,
            Some(BarrierField::Expected | BarrierField::Pending | BarrierField::Transactions)
        );
        if comes && space == AddressSpace::Shared {
            space = AddressSpace::SharedCluster;
        }
        if self.memory.sweep.is_some() && memory.field.is_none() && field.is_none() {
            let sweep = self.builder.push(Op::Sweep);
            let sweep = Int::node(sweep, Range::of_bits(32, false));
            address = Int::ring(Ring::Add, address, sweep);
        }
        let node = self.builder.low(&address.low_bits(64), 64);
        let place = Place {
            space,
            bytes: bytes as u8,
            count: count as u8,
            field,
        };
        Ok((self.index_of(place), node))
    }

    /// The sum of the parts of an address, and its state space.
    fn address_here(&mut self, memory: &Memory) -> Result<(Int, AddressSpace)> {
        let mut address: Option<Int> = None;
        for part in &memory.address {
            let part = self.int(part)?.plain();
            address = Some(match address {
                Some(it) => Int::ring(Ring::Add, it, part),
                None => part,
            });
        }
        match address {
            Some(it) => Ok((it, self.address_space(&memory.address))),
            None => mistake("an access without an address"),
        }
    }

    pub(super) fn index_of(&mut self, place: Place) -> u16 {
        let known = self.memory.places.iter().position(|it| *it == place);
        let index = known.unwrap_or_else(|| {
            self.memory.places.push(place);
            self.memory.places.len() - 1
        });
        index as u16
    }

    fn address_space(&self, parts: &[Expression]) -> AddressSpace {
        let spaces = parts.iter().filter_map(|it| self.space_of(it));
        spaces.into_iter().next().unwrap_or(AddressSpace::Generic)
    }

    fn space_of(&self, expression: &Expression) -> Option<AddressSpace> {
        match expression {
            Expression::Name(name) => match self.definitions.get(name) {
                Some(definition) => self.space_of(&definition.value),
                None => {
                    let operand = self.statement.operand(name)?;
                    self.statement.operands[operand].space
                }
            },
            Expression::Infix(_, a, b) => self.space_of(a).or_else(|| self.space_of(b)),
            Expression::At(inner, _) => self.space_of(inner),
            Expression::Call(Primitive::Aligned, all) => self.space_of(all.first()?),
            Expression::Apply(name, _) => self.space_of(&self.definitions.get(name)?.value),
            _ => None,
        }
    }

    pub(super) fn store(
        &mut self,
        place: u16,
        address: Node,
        element: u32,
        value: Node,
        high: Option<Node>,
    ) {
        self.memory.stores.push(Store {
            place,
            address,
            element: element as u8,
            value,
            high,
        });
    }

    /// The type of an element in memory: that of the instruction.
    pub(super) fn memory_type(&self, stated: Option<&str>) -> Result<ValueType> {
        if let Some(word) = stated {
            return self.type_word(word);
        }
        if let Some(word) = self.statement.slot("type") {
            return self.type_word(word);
        }
        let typed = self.statement.operands.iter().find_map(|it| it.ty);
        typed.map_or_else(|| mistake("an access without a type"), Ok)
    }

    /// The number of elements of a vector access; 1 of any other.
    pub(super) fn vector_length(&self) -> Result<u32> {
        let Some(word) = self.statement.slot("vec") else {
            return Ok(1);
        };
        match word
            .trim_start_matches(|it: char| !it.is_ascii_digit())
            .parse()
        {
            Ok(it) => Ok(it),
            Err(_) => mistake(format!("`{word}` has no number")),
        }
    }
}

/// An address of shared memory in another CTA.
fn in_cta(address: Int, rank: Int) -> Int {
    let low = address.clone().low_bits(CTA_SHIFT).plain();
    let above = address.shift_right(Int::constant(32));
    let above = above.low_bits(32).plain().shift_left(Int::constant(32));
    let number = Int::ring(Ring::Add, rank.plain(), Int::constant(1)).low_bits(8);
    let number = number.plain().shift_left(Int::constant(CTA_SHIFT.into()));
    let rest = Int::ring(Ring::Or, low, number);
    Int::ring(Ring::Or, rest, above)
}
