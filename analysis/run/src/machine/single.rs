//! One instruction at a time, in the order in which a run has them.

use super::{
    Machine,
    inspect::WarpId,
    schedule::begin_turn,
    warp::{State, Warp},
};

/// The warp whose turn it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor {
    cluster: usize,
    block: usize,
    warp: usize,
    /// How many more instructions it runs in this turn.
    left: u32,
    /// Whether its groups take turns.
    fair: bool,
    /// The group that runs next, once it has been chosen.
    group: Option<usize>,
    /// The instructions of the turn.
    quantum: u32,
    /// How often memory had changed before.
    changes: u64,
}

/// The instruction that runs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    /// The warp.
    pub warp: WarpId,
    /// The lanes that are at the instruction, as a mask.
    pub lanes: u32,
    /// The frame, by its index in the warp.
    pub frame: usize,
    /// The function, by its index in the code.
    pub function: usize,
    /// The instruction, by its index in the function; their number is its end.
    pub pc: u32,
}

impl Machine<'_> {
    fn warp_at(&mut self, cursor: &Cursor) -> Option<&mut Warp> {
        let cluster = self.world.clusters.get_mut(cursor.cluster)?;
        cluster
            .blocks
            .get_mut(cursor.block)?
            .warps
            .get_mut(cursor.warp)
    }

    /// Ends the turn of a warp.
    fn end_turn_at(&mut self, cursor: &Cursor) {
        let Some(place) = self.warp_at(cursor) else {
            return;
        };
        let mut warp = std::mem::take(place);
        self.end_turn(&mut warp, cursor.quantum - cursor.left, cursor.changes);
        if let Some(place) = self.warp_at(cursor) {
            *place = warp;
        }
    }

    /// The instruction that runs next; `None` if the run has ended. Asking again gives the same.
    pub fn next_instruction(&mut self) -> Option<Next> {
        while self.ended.is_none() {
            if let Some(mut cursor) = self.cursor {
                if cursor.group.is_none() && cursor.left > 0 {
                    cursor.group = self.warp_at(&cursor).and_then(|warp| {
                        warp.merge();
                        match cursor.fair {
                            true => warp.next_in_turn(),
                            false => warp.next(),
                        }
                    });
                }
                if let Some(group) = cursor.group {
                    self.cursor = Some(cursor);
                    let block = &self.world.clusters[cursor.cluster].blocks[cursor.block];
                    let warp = &block.warps[cursor.warp];
                    let group = &warp.groups[group];
                    return Some(Next {
                        warp: WarpId {
                            block: block.number,
                            warp: warp.number,
                        },
                        lanes: group.lanes,
                        frame: group.frame,
                        function: warp.frames[group.frame].function,
                        pc: group.pc,
                    });
                }
                self.cursor = None;
                self.end_turn_at(&cursor);
            }
            let Some((cluster, block, warp)) = self.choose() else {
                continue;
            };
            let mut cursor = Cursor {
                cluster,
                block,
                warp,
                left: 0,
                fair: false,
                group: None,
                quantum: 0,
                changes: self.world.global.changes,
            };
            if let Some(place) = self.warp_at(&cursor) {
                let mut warp = std::mem::take(place);
                warp.wake_pollers(cursor.changes);
                cursor.fair = begin_turn(&mut warp);
                cursor.quantum = self.quantum(&warp);
                cursor.left = cursor.quantum;
                if let Some(place) = self.warp_at(&cursor) {
                    *place = warp;
                }
                self.cursor = Some(cursor);
            }
        }
        None
    }

    /// Runs the instruction that is next; returns it, and whether its lanes have passed it: at a barrier they may wait.
    pub fn run_next(&mut self) -> Option<(Next, bool)> {
        let next = self.next_instruction()?;
        let mut cursor = self.cursor.take()?;
        let group = cursor.group.take()?;
        let mut warp = std::mem::take(self.warp_at(&cursor)?);
        self.steps += 1;
        self.step((cursor.cluster, cursor.block), &mut warp, group);
        let waits = warp
            .groups
            .iter()
            .any(|it| it.lanes & next.lanes != 0 && it.state != State::Ready);
        if let Some(place) = self.warp_at(&cursor) {
            *place = warp;
        }
        cursor.left -= 1;
        self.cursor = Some(cursor);
        Some((next, !waits))
    }
}
