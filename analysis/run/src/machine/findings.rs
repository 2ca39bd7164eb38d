//! The findings of a run: each place once for each kind of mistake.

use rustc_hash::FxHashSet;
use syntax::TextRange;

use crate::outcome::{Finding, FindingCode, Related, Severity};

/// Where something happens.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    /// The instruction in the file.
    pub(super) range: TextRange,
    /// The block in the grid.
    pub(super) block: [u32; 3],
    /// The warp in its block.
    pub(super) warp: u32,
}

/// The findings so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    pub(super) all: Vec<Finding>,
    seen: FxHashSet<(FindingCode, TextRange)>,
}

/// The most findings that are kept; a kernel that has more has one mistake at many places.
const MOST: usize = 1000;

impl Findings {
    /// Whether a place has a finding of this kind already, so that no message need be made.
    pub(super) fn knows(&self, code: FindingCode, at: &At) -> bool {
        self.all.len() >= MOST || self.seen.contains(&(code, at.range))
    }

    /// Adds a finding unless the place has one of this kind.
    pub(super) fn push(
        &mut self,
        code: FindingCode,
        at: &At,
        lanes: u32,
        message: String,
        related: Vec<Related>,
    ) {
        if self.knows(code, at) {
            return;
        }
        self.seen.insert((code, at.range));
        self.all.push(Finding {
            code,
            severity: Severity::Error,
            message,
            range: at.range,
            block: at.block,
            warp: at.warp,
            lanes: lanes_of(lanes).collect(),
            related,
        });
    }
}

/// The numbers of the lanes in a mask, ascending.
pub(super) fn lanes_of(mask: u32) -> impl Iterator<Item = u8> {
    (0..32).filter(move |it| mask >> it & 1 == 1)
}
