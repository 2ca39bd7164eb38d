//! The state of a warp to which it may come back, see [`super::sleep`].

/// The state to which a warp may come back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watch {
    /// How often memory had changed after the last turn.
    pub(super) changes: u64,
    /// Turns since it changed.
    pub(super) idle: u32,
    /// Instructions since the state that is kept.
    pub(super) since: u32,
    /// Hashes of that state: where the lanes are, and everything.
    pub(super) places: u64,
    pub(super) state: u64,
    /// Whether the warp has come back to it and runs single instructions to find how long the loop is.
    pub(super) traces: bool,
    /// The instructions of the loop in which it slept last; 0 if it did not.
    pub(super) period: u32,
    /// How often it has run through that loop since.
    pub(super) tries: u32,
}

impl Watch {
    /// The number of instructions of the next turn, if it is not the usual one.
    pub(super) fn turn(&self) -> Option<u32> {
        match self.traces {
            true => Some(1),
            false => (self.period > 0).then_some(self.period),
        }
    }
}
