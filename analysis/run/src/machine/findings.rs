//! The findings of a run: each place once for each kind of mistake.

use rustc_hash::{FxHashMap, FxHashSet};
use syntax::TextRange;

use crate::outcome::{Finding, FindingCode, NotRun, Related, Severity};

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

/// The reason why an operation was not done, so that nothing that waits for it can be judged.
#[derive(Clone, Debug)]
pub(super) enum Refusal {
    /// The machine does not run it.
    NotRun(NotRun),
    /// An operand has no meaning, as a finding reports.
    Operand,
}

/// The findings so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    pub(super) all: Vec<Finding>,
    /// The step of a warp that runs, counted from the start.
    pub(super) step: u64,
    /// The first operation that was not done, until the run ends at it.
    pub(super) refused: Option<Refusal>,
    /// The finding of each place in [`Self::all`], and the step that found it.
    seen: FxHashMap<(FindingCode, TextRange), (usize, u64)>,
}

/// The most findings that are kept; a kernel that has more has one mistake at many places.
const MOST: usize = 1000;

impl Findings {
    /// Whether a place has a finding of this kind already, so that no message need be made. If the step that runs
    /// has found it, these lanes are added to it.
    pub(super) fn knows(&mut self, code: FindingCode, at: &At, lanes: u32) -> bool {
        let Some((index, step)) = self.seen.get(&(code, at.range)) else {
            return self.all.len() >= MOST;
        };
        let finding = &mut self.all[*index];
        if *step == self.step && finding.block == at.block && finding.warp == at.warp {
            let before = finding.lanes.iter().fold(0, |all, it| all | 1 << it);
            if before | lanes != before {
                finding.lanes = lanes_of(before | lanes).collect();
            }
        }
        true
    }

    /// Adds a finding, or only its lanes if the place has one of this kind.
    pub(super) fn push(
        &mut self,
        code: FindingCode,
        at: &At,
        lanes: u32,
        message: String,
        related: Vec<Related>,
    ) {
        if self.knows(code, at, lanes) {
            return;
        }
        let found = (self.all.len(), self.step);
        self.seen.insert((code, at.range), found);
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

    /// Drops reads of what was never written if it would have been, but for a missing order or an access that was not
    /// done, which are reported.
    pub(super) fn drop_consequences(&mut self) {
        use FindingCode::{
            MisalignedAccess, MissingProxyFence, OutOfBounds, Race, StaleRead, UninitializedRead,
        };
        let refused = |it: &Finding| matches!(it.code, OutOfBounds | MisalignedAccess);
        let was_refused = self.all.iter().any(refused);
        let refusals = self.all.iter().filter(|it| refused(it));
        let first_refused = refusals.map(|it| it.range.start()).min();
        let unordered = self.all.iter();
        let unordered =
            unordered.filter(|it| matches!(it.code, Race | StaleRead | MissingProxyFence));
        let places = unordered.flat_map(|it| {
            let others = it.related.iter().map(|it| it.range);
            others.chain([it.range])
        });
        let places: FxHashSet<TextRange> = places.collect();
        self.all.retain(|it| {
            let mut origins = it.related.iter().map(|it| it.range);
            let is_after = first_refused.is_some_and(|at| at < it.range.start());
            let follows = (is_after && it.related.is_empty())
                || origins.any(|it| was_refused || places.contains(&it));
            it.code != UninitializedRead || !follows
        });
    }
}

/// The numbers of the lanes in a mask, ascending.
pub(super) fn lanes_of(mask: u32) -> impl Iterator<Item = u8> {
    (0..32).filter(move |it| mask >> it & 1 == 1)
}
