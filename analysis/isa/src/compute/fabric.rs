//! Programs of fabric operations, PTX ISA 9.7.10.

use super::{
    memory::{AddressSpace, BulkSource},
    program::Program,
};

impl Program {
    /// Whether it accesses memory at a logical endpoint of a fabric.
    #[must_use]
    pub fn accesses_fabric(&self) -> bool {
        let is_fabric = |it| matches!(it, AddressSpace::Fabric | AddressSpace::FabricCopies);
        let boxes = self.bulk.iter().filter_map(|it| match &it.from {
            BulkSource::Box { of, .. } => Some(of),
            _ => it.to_box.as_ref(),
        });
        self.places.iter().any(|it| is_fabric(it.space))
            || boxes.into_iter().any(|it| it.fabric.is_some())
    }
}
