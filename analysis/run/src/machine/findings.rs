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
    /// The statements with a result that the manual leaves open.
    pub(super) open: FxHashSet<TextRange>,
    /// Such a statement whose result was stored where lanes may read it again.
    pub(super) stored: Option<TextRange>,
    /// The finding of each place in [`Self::all`], and the step that found it.
    seen: FxHashMap<(FindingCode, TextRange), (usize, u64)>,
}

/// The message about an address that is not known.
pub(super) const UNDEFINED_ADDRESS: &str = "the address depends on a value that was never written";
/// The message about operands for which the manual leaves the result open.
pub(super) const OPEN_RESULT: &str = "PTX does not say what the result is for these operands";

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

    /// Reports that an instruction depends on what was never written. If the value comes from a result that the manual
    /// leaves open, that is the finding.
    pub(super) fn undefined(
        &mut self,
        at: &At,
        lanes: u32,
        message: &str,
        origin: Option<TextRange>,
    ) {
        let (mut at, mut code, mut message) = (*at, FindingCode::UninitializedRead, message);
        let of = |range: TextRange, message: &str| Related {
            range,
            message: message.to_owned(),
        };
        let mut related: Vec<Related> = Vec::new();
        related.extend(origin.map(|it| of(it, "reads what was never written")));
        let stored = self.stored.filter(|_| origin.is_some());
        related.extend(stored.map(|it| of(it, "or the result of this, which PTX leaves open")));
        if let Some(range) = origin.filter(|it| self.open.contains(it)) {
            related = vec![of(at.range, "depends on the result")];
            (at.range, code, message) = (range, FindingCode::UnspecifiedOperand, OPEN_RESULT);
        }
        if !self.knows(code, &at, lanes) {
            self.push(code, &at, lanes, message.to_owned(), related);
        }
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

    /// Drops reads of what was never written if it would have been, but for a missing order, a missing wait or an access
    /// that was not done, which are reported.
    pub(super) fn drop_consequences(&mut self) {
        use FindingCode::{
            MisalignedAccess, MissingProxyFence, OutOfBounds, Race, StaleRead, UninitializedRead,
        };
        let refused = |it: &Finding| matches!(it.code, OutOfBounds | MisalignedAccess);
        // What follows from a copy that has not landed may be far from it.
        let is_early = |it: &Finding| it.code == StaleRead;
        let is_consequence = self.all.iter().any(|it| refused(it) || is_early(it));
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
                || origins.any(|it| is_consequence || places.contains(&it));
            it.code != UninitializedRead || !follows
        });
    }
}

/// The numbers of the lanes in a mask, ascending.
pub(super) fn lanes_of(mask: u32) -> impl Iterator<Item = u8> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = left.trailing_zeros() as u8;
        left &= left.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}

/// Lanes as a list of ranges: `0-15, 31`.
#[must_use]
pub fn lane_ranges(mask: u32) -> String {
    let mut parts: Vec<(u8, u8)> = Vec::new();
    for lane in lanes_of(mask) {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => parts.push((lane, lane)),
        }
    }
    let parts = parts.into_iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    parts.collect::<Vec<_>>().join(", ")
}
