//! Fabric operations: logical endpoints of a launch, and when operations are submitted, PTX ISA 9.7.10.

#[cfg(test)]
mod tests;

use analysis::code::Instruction;
use isa::{
    compute::{AddressSpace, FABRIC_SHIFT, Place},
    event::{EventKind, Group},
    semantics::Order,
    strength::Scope,
};

use super::{
    access::Access,
    memory::{Global, Owner},
};

/// The layout of mbarriers at which fabric operations complete, PTX ISA 9.7.10.4.
pub(super) const FABRIC_LAYOUT: u64 = 1;
/// The identifier of the first logical endpoint of a launch; programs know them from their parameters only.
const FIRST_ENDPOINT: u64 = 0x1000;
/// The alignment of a counter in bytes, PTX ISA 9.7.10.4.3.
const COUNTER_ALIGNMENT: u64 = 256;

/// Whether operations of a kind run once they are submitted, and complete at an mbarrier, PTX ISA 9.7.10.3.
pub(super) fn is_submitted(group: Group) -> bool {
    matches!(group, Group::Fabric | Group::Fetch)
}

/// The group of fabric operations that an instruction issues.
pub(super) fn fabric_group(instruction: &Instruction) -> Option<Group> {
    instruction.events.iter().find_map(|it| match it.kind {
        EventKind::Issue(group) if is_submitted(group) => Some(group),
        _ => None,
    })
}

/// A place at a logical endpoint.
pub(super) struct AtEndpoint<'a> {
    pub(super) offset: u64,
    /// The bytes of its resource.
    pub(super) size: u64,
    /// The address in global memory.
    pub(super) address: u64,
    /// The array that is its resource.
    pub(super) name: &'a str,
}

impl Global {
    /// Adds a logical endpoint whose resource is an array; returns its identifier.
    pub(super) fn add_endpoint(&mut self, array: usize, multicast: bool) -> u32 {
        self.endpoints.push((Owner::Array(array), multicast));
        FIRST_ENDPOINT as u32 + self.endpoints.len() as u32 - 1
    }

    /// The place of an address of a fabric operation, see [`FABRIC_SHIFT`].
    ///
    /// # Errors
    /// The problem with the endpoint, as a phrase.
    pub(super) fn at_endpoint(
        &self,
        space: AddressSpace,
        address: u64,
    ) -> Result<AtEndpoint<'_>, String> {
        let (id, offset) = (address >> FABRIC_SHIFT, address & ((1 << FABRIC_SHIFT) - 1));
        let index = id.checked_sub(FIRST_ENDPOINT);
        let found = index.and_then(|it| self.endpoints.get(it as usize));
        let Some((owner, multicast)) = found else {
            return Err(format!("{id:#x} does not identify a logical endpoint"));
        };
        let Some(array) = self.all.iter().find(|it| it.owner == *owner) else {
            return Err("the logical endpoint has no resource".to_owned());
        };
        if *multicast != (space == AddressSpace::FabricCopies) {
            let (is, needs) = match multicast {
                true => ("multicast", "unicast"),
                false => ("unicast", "multicast"),
            };
            let name = &array.name;
            return Err(format!(
                "the logical endpoint of `{name}` is a {is} one, and the operation needs a {needs} one"
            ));
        }
        Ok(AtEndpoint {
            offset,
            size: array.data.len() as u64,
            address: array.base.wrapping_add(offset),
            name: &array.name,
        })
    }
}

impl Access<'_> {
    /// Increases a counter at a logical endpoint in a lane; who sees that sees what the operation has written.
    pub(super) fn increase(&mut self, place: &Place, address: u64, plus: u64, lane: usize) {
        if !address.is_multiple_of(COUNTER_ALIGNMENT) {
            return self.misaligned(address, COUNTER_ALIGNMENT, 1 << lane);
        }
        let bytes = usize::from(place.bytes);
        let found = self.checked(place.space, address, bytes as u64, lane, true);
        let Some((region, offset)) = found else {
            return;
        };
        let before = self.kind;
        self.kind.strong = true;
        self.kind.atomic = true;
        self.kind.scope = Scope::System;
        self.kind.order = Order::None;
        self.record(region, offset, bytes, lane, true);
        self.kind = before;
        let (value, undefined) = self.read(region, offset, bytes, lane);
        self.write(
            region,
            offset,
            bytes,
            lane,
            (value.wrapping_add(plus), undefined),
        );
        if let Some(key) = self.shared_key(region, offset) {
            let source = self.thread.author;
            let clock = self
                .races
                .completion(self.thread, 1 << lane, source, self.thread.clock);
            self.races.publish(key, &clock);
        }
    }
}
