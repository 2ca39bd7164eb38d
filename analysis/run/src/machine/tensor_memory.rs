//! Tensor memory of a block: its cells, and which columns are allocated, PTX ISA 9.7.17.1.

use std::collections::BTreeMap;

use analysis::code::{Event, Instruction};
use isa::compute::Cell;

use crate::outcome::{Ended, FindingCode};

use super::{
    Machine,
    findings::At,
    races::Kind,
    running::Running,
    warp::{State, Warp, first},
};

/// Lanes of tensor memory.
pub(super) const TENSOR_LANES: u32 = 128;
/// Columns of tensor memory.
pub(super) const TENSOR_COLUMNS: u32 = 512;
/// Lanes of tensor memory that count as one place.
pub(super) const TENSOR_GRAIN: u32 = 16;
/// Columns that are allocated together at least.
const UNIT: u32 = 32;

/// Tensor memory.
#[derive(Clone, Debug)]
pub(super) struct TensorCells {
    bits: Vec<u32>,
    undefined: Vec<bool>,
    /// For each unit of columns the first column of its allocation, if there is one.
    owners: [Option<u32>; (TENSOR_COLUMNS / UNIT) as usize],
    /// Whether no more may be allocated.
    pub(super) relinquished: bool,
    /// The statements that have allocated what is not free yet, by the first column.
    made: BTreeMap<u32, At>,
}

impl Default for TensorCells {
    fn default() -> TensorCells {
        let count = (TENSOR_LANES * TENSOR_COLUMNS) as usize;
        TensorCells {
            bits: vec![0; count],
            undefined: vec![true; count],
            owners: [None; (TENSOR_COLUMNS / UNIT) as usize],
            relinquished: false,
            made: BTreeMap::new(),
        }
    }
}

/// Whether so many columns can be allocated: a power of two from 32 on.
pub(super) fn is_size(columns: u32) -> bool {
    columns.is_power_of_two() && (UNIT..=TENSOR_COLUMNS).contains(&columns)
}

impl TensorCells {
    /// Allocates columns; the first of them, `None` if not enough are free.
    pub(super) fn allocate(&mut self, columns: u32) -> Option<u32> {
        let units = (columns / UNIT) as usize;
        let starts = (0..self.owners.len()).step_by(units.max(1));
        let mut starts = starts.filter(|it| it + units <= self.owners.len());
        let start = starts.find(|it| self.owners[*it..it + units].iter().all(Option::is_none))?;
        let first = start as u32 * UNIT;
        self.owners[start..start + units].fill(Some(first));
        for lane in 0..TENSOR_LANES {
            let from = (lane * TENSOR_COLUMNS + first) as usize;
            self.undefined[from..from + columns as usize].fill(true);
        }
        Some(first)
    }

    /// Frees columns; whether they are an allocation.
    pub(super) fn free(&mut self, address: u32, columns: u32) -> bool {
        let own = self.owners.iter().filter(|it| **it == Some(address));
        if own.count() as u32 * UNIT != columns || columns == 0 {
            return false;
        }
        self.made.remove(&address);
        for owner in &mut self.owners {
            if *owner == Some(address) {
                *owner = None;
            }
        }
        true
    }

    /// The allocations that have not been freed: how many columns each has, and where it was made.
    pub(super) fn kept(&self) -> impl Iterator<Item = (u32, At)> {
        self.made.iter().map(move |(first, at)| {
            let own = self.owners.iter().filter(|it| **it == Some(*first));
            (own.count() as u32 * UNIT, *at)
        })
    }

    /// Whether columns are allocated.
    pub(super) fn is_allocated(&self, first: u32, last: u32) -> bool {
        let units = first / UNIT..=last / UNIT;
        units
            .into_iter()
            .all(|it| self.owners.get(it as usize).is_some_and(Option::is_some))
    }

    pub(super) fn cell(&self, lane: u32, column: u32) -> Cell {
        let at = (lane * TENSOR_COLUMNS + column) as usize;
        Cell {
            bits: self.bits.get(at).copied().unwrap_or(0),
            undefined: self.undefined.get(at).copied().unwrap_or(true),
        }
    }

    pub(super) fn set(&mut self, lane: u32, column: u32, cell: Cell) {
        let at = (lane * TENSOR_COLUMNS + column) as usize;
        if let (Some(bits), Some(undefined)) = (self.bits.get_mut(at), self.undefined.get_mut(at)) {
            (*bits, *undefined) = (cell.bits, cell.undefined);
        }
    }
}

impl Machine<'_> {
    /// Allocates columns for a warp; `false` if it has to wait for them.
    pub(super) fn allocate_columns(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        instruction: &Instruction,
        event: &Event,
    ) -> bool {
        let Some(columns) = event.operands[1] else {
            self.stop(instruction, &format!("`{}`", instruction.name));
            return false;
        };
        let columns = self.read(warp, running, columns, 32).0[first(running.active)] as u32;
        let block = &mut self.world.clusters[running.cluster].blocks[running.block];
        let cells = block.tensor.get_or_insert_default();
        let relinquished = cells.relinquished;
        if !is_size(columns) {
            let message = format!(
                "{columns} columns of tensor memory are allocated: a power of two from 32 to 512 is right"
            );
            self.report(FindingCode::UnspecifiedOperand, running, message);
            self.ended = Some(Ended::Trap);
            return false;
        }
        let Some(found) = cells.allocate(columns) else {
            let changes = self.world.global.changes;
            warp.groups[running.group].state = State::Polls { changes };
            warp.groups[running.group].polled = Some((warp.groups[running.group].pc, changes));
            return false;
        };
        cells.made.insert(found, running.at);
        self.allocated = found.into();
        if relinquished {
            let message = "the block has given up its right to allocate tensor memory".to_owned();
            self.report(FindingCode::UnspecifiedOperand, running, message);
        }
        true
    }

    /// Frees columns.
    pub(super) fn free_columns(&mut self, warp: &mut Warp, running: &Running, event: &Event) {
        let lane = first(running.active);
        let [address, columns] = event
            .operands
            .map(|it| it.map(|it| self.read(warp, running, it, 32).0[lane] as u32));
        let (Some(address), Some(columns)) = (address, columns) else {
            return;
        };
        let block = &mut self.world.clusters[running.cluster].blocks[running.block];
        let freed = block
            .tensor
            .as_mut()
            .is_some_and(|it| it.free(address, columns));
        self.world.global.changes += 1;
        if !freed {
            let message = format!(
                "there is no allocation of {columns} columns at address {address:#x} of tensor memory"
            );
            self.report(FindingCode::OutOfBounds, running, message);
            return;
        }
        // Others may get the columns at once: all accesses must be over.
        let mut access = self.world.access(warp, running, Kind::default());
        for column in address..address + columns {
            let key = access.blocks[running.block].tensor_key(0, column);
            let grains = (TENSOR_LANES / TENSOR_GRAIN).into();
            access.record_key(key, grains, lane as u8, true);
            access.races.clear(key, grains);
        }
    }

    /// Gives up the right to allocate.
    pub(super) fn relinquish(&mut self, running: &Running) {
        let block = &mut self.world.clusters[running.cluster].blocks[running.block];
        block.tensor.get_or_insert_default().relinquished = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_allocated_and_freed() {
        let mut cells = TensorCells::default();
        assert_eq!(cells.allocate(32), Some(0));
        assert_eq!(cells.allocate(256), Some(256));
        assert_eq!(cells.allocate(512), None);
        assert_eq!(cells.allocate(128), Some(128));
        assert!(cells.is_allocated(128, 255) && !cells.is_allocated(32, 64));
        assert!(!cells.free(0, 64));
        assert!(cells.free(0, 32) && cells.free(256, 256) && cells.free(128, 128));
        assert_eq!(cells.allocate(512), Some(0));
    }
}
