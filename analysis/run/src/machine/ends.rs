//! The end of a block: what it leaves unfinished, though nothing has waited for it.

use std::collections::BTreeMap;

use syntax::TextRange;

use crate::outcome::{FindingCode, Related};

use super::{
    Machine,
    findings::At,
    running::Running,
    warp::{LANES, Warp},
};

/// Warps of a warpgroup.
const GROUP: u32 = 4;

impl Machine<'_> {
    /// Reports unfinished operations and barriers of a block all of whose threads have ended.
    pub(super) fn check_end(&mut self, running: &Running, warp: &Warp) {
        let mut found = self.unfinished(running);
        found.extend(self.incomplete_groups(running, warp));
        for (code, at, message) in found {
            let related = Vec::<Related>::new();
            self.world.findings.push(code, &at, 1, message, related);
        }
    }

    /// Columns that are still allocated, bytes that no phase of an mbarrier has expected, barriers at which threads
    /// have arrived and none has ever waited.
    fn unfinished(&self, running: &Running) -> Vec<(FindingCode, At, String)> {
        let block = &self.world.clusters[running.cluster].blocks[running.block];
        let mut found = Vec::new();
        for (columns, at) in block.tensor.iter().flat_map(|it| it.kept()) {
            let message = format!(
                "the block ends, and {columns} columns of tensor memory are still allocated: blocks that need them later wait forever"
            );
            found.push((FindingCode::Deadlock, at, message));
        }
        let mut barriers: Vec<_> = block.mbarriers.iter().collect();
        barriers.sort_by_key(|it| it.0);
        for (_, barrier) in barriers {
            if let (Some(at), true) = (barrier.completes, barrier.transactions < 0) {
                let message = format!(
                    "{} bytes have arrived at the mbarrier that no phase expects",
                    -barrier.transactions
                );
                found.push((FindingCode::MbarrierMisuse, at, message));
            }
        }
        let mut barriers: Vec<_> = block.barriers.iter().collect();
        barriers.sort_by_key(|it| it.0);
        for (number, barrier) in barriers {
            let is_waited_for = block.waited >> (number % 32) & 1 == 1;
            if let (Some(range), false, true) = (barrier.at, is_waited_for, barrier.arrived > 0) {
                let at = At {
                    range,
                    ..running.at
                };
                let message = format!(
                    "threads arrive at barrier {number}, and no thread of the block ever waits there"
                );
                found.push((FindingCode::DivergentSync, at, message));
            }
        }
        found
    }

    /// Instructions for whole warpgroups that some warp of a warpgroup has not executed as often as the others.
    fn incomplete_groups(&self, running: &Running, warp: &Warp) -> Vec<(FindingCode, At, String)> {
        let block = &self.world.clusters[running.cluster].blocks[running.block];
        let count = block.warps.len() as u32;
        let mut executed: BTreeMap<(u32, u32), (TextRange, [u32; GROUP as usize])> =
            BTreeMap::new();
        // The warp that runs is not in its block.
        let others = block.warps.iter().filter(|it| it.number != warp.number);
        for it in others.chain([warp]) {
            for (range, times) in &it.in_group {
                let key = (it.number / GROUP, u32::from(range.start()));
                let entry = executed.entry(key).or_insert((*range, [0; GROUP as usize]));
                entry.1[(it.number % GROUP) as usize] = *times;
            }
        }
        let mut found = Vec::new();
        for ((group, _), (range, times)) in executed {
            let most = times.into_iter().max().unwrap_or(0);
            let Some(missing) = times.iter().position(|it| *it != most) else {
                continue;
            };
            let missing = group * GROUP + missing as u32;
            let message = match missing < count {
                true => format!(
                    "all warps of a warpgroup must execute this instruction, and warp {missing} does not do so as often as the others"
                ),
                false => format!(
                    "all warps of a warpgroup must execute this instruction, and the last warpgroup of the block has only {} threads",
                    (count - group * GROUP) * LANES as u32
                ),
            };
            let at = At {
                range,
                block: running.at.block,
                warp: group * GROUP,
            };
            found.push((FindingCode::DivergentSync, at, message));
        }
        found
    }
}
