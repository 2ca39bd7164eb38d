//! Lowering of what fabric operations access: the resource of a logical endpoint, PTX ISA 9.7.10.

use super::{Lowering, Result, mistake};
use crate::{
    computation::{Effect, Expression, Infix, Memory},
    compute::{
        exact::{Int, Ring},
        memory::{AddressSpace, Counter, ENDPOINT_BITS, FABRIC_SHIFT},
    },
};

/// Bytes of a counter.
const COUNTER_BYTES: u32 = 8;

impl Lowering<'_> {
    /// The address of an identifier and an offset, see [`FABRIC_SHIFT`], and the kind of endpoint.
    pub(super) fn address_at_endpoint(&mut self, memory: &Memory) -> Result<(Int, AddressSpace)> {
        let [id, offset] = &memory.address[..] else {
            return mistake("a place at an endpoint has an identifier and an offset");
        };
        let of_copies = memory.within.is_some() && memory.within == self.memory.copy;
        self.endpoint_address(id, offset, of_copies)
    }

    /// The same of the tensor of a box.
    pub(super) fn address_of_box(
        &mut self,
        id: &Expression,
        offset: &Expression,
    ) -> Result<(Int, AddressSpace)> {
        let of_copies = self.statement.words.contains(&"multimem");
        self.endpoint_address(id, offset, of_copies)
    }

    fn endpoint_address(
        &mut self,
        id: &Expression,
        offset: &Expression,
        of_copies: bool,
    ) -> Result<(Int, AddressSpace)> {
        let largest = |bits: u32| Int::constant((1 << bits) - 1);
        let id = self.int(id)?.plain().low_bits(32).plain();
        let id = Int::minimum(id, largest(ENDPOINT_BITS)).plain();
        let offset = self.int(offset)?.plain().low_bits(64).plain();
        let offset = Int::minimum(offset, largest(FABRIC_SHIFT)).plain();
        let above = id.shift_left(Int::constant(FABRIC_SHIFT.into()));
        let space = match of_copies {
            true => AddressSpace::FabricCopies,
            false => AddressSpace::Fabric,
        };
        Ok((Int::ring(Ring::Add, above, offset), space))
    }

    /// Adds a counter that grows: `place = place + number`.
    pub(super) fn write_counter(&mut self, effect: &Effect, memory: &Memory) -> Result<()> {
        let Expression::Infix(Infix::Add, before, plus) = &effect.value else {
            return mistake("a counter grows by a number");
        };
        if !matches!(&**before, Expression::Memory(it) if it == memory) {
            return mistake("a counter grows where it is");
        }
        // It grows once, whatever the number of elements of the operation.
        let sweep = self.memory.sweep.take();
        let place = self.place(memory, COUNTER_BYTES, 1, None);
        self.memory.sweep = sweep;
        let (place, address) = place?;
        let plus = self.int(plus)?;
        let plus = self.builder.low(&plus, 64);
        self.memory.counters.push(Counter {
            place,
            address,
            plus,
        });
        Ok(())
    }
}
