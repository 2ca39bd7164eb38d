//! The launch bounds in the header and the variables of an entry.

use isa::limits::{Limits, REGISTERS_PER_THREAD};
use salsa::Database;
use syntax::{Cursor, SyntaxKind};

use crate::hir::{items::Function, number::integer};

/// The launch bounds of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Threads of a block at most, of `.reqntid` or `.maxntid`.
    pub(crate) threads: Option<u32>,
    /// Whether blocks have exactly so many.
    pub(crate) exact: bool,
    /// Blocks that are to fit at once, of `.minnctapersm`.
    pub(crate) blocks: u32,
    /// Whether a directive says how many.
    pub(crate) states_blocks: bool,
    /// Bytes of shared memory that the text declares for a block; only [`Bounds::spent`] counts them.
    pub(crate) shared: u32,
    /// Registers at most, of `.maxnreg`.
    pub(crate) registers: Option<u32>,
}

impl Bounds {
    /// The registers that they leave a thread, and the directive that decides. `.maxnreg` counts for more
    /// than `.maxntid`, even when no block can be launched then.
    pub(crate) fn cap(&self, limits: &Limits) -> Option<(u32, &'static str)> {
        self.share(limits).filter(|it| it.0 < REGISTERS_PER_THREAD)
    }

    /// The same, also if it is as much as a thread can have.
    pub(crate) fn share(&self, limits: &Limits) -> Option<(u32, &'static str)> {
        if let Some(registers) = self.registers {
            return Some((registers.clamp(1, REGISTERS_PER_THREAD), ".maxnreg"));
        }
        let cap = limits.register_cap(self.threads?, self.blocks);
        let directive = match (self.blocks, self.exact) {
            (2.., _) => ".minnctapersm",
            (_, true) => ".reqntid",
            (_, false) => ".maxntid",
        };
        Some((cap, directive))
    }

    /// Up to so many registers ptxas takes for a kernel that needs some: all that the bounds leave if they say how
    /// many blocks or registers are wanted, and otherwise those that keep no block from being resident.
    pub(crate) fn spent(&self, limits: &Limits, needed: u32) -> u32 {
        match self.share(limits) {
            Some((share, _)) if self.registers.is_some() || self.states_blocks => share,
            _ => {
                let threads = self.threads.unwrap_or(THREADS);
                limits.registers_of_same_occupancy(needed, threads, self.shared)
            }
        }
    }
}

/// The threads of a block that ptxas 13.5 counts with where no directive says how many.
const THREADS: u32 = 128;

/// The launch bounds of a function.
pub(crate) fn bounds(db: &dyn Database, function: Function<'_>) -> Bounds {
    let mut bounds = Bounds {
        blocks: 1,
        ..Bounds::default()
    };
    for directive in function.green(db).cursor().nodes() {
        if directive.kind() != SyntaxKind::TUNING_DIRECTIVE {
            continue;
        }
        let Some(word) = directive.token(SyntaxKind::DOTTED) else {
            continue;
        };
        let number = || u32::try_from(product(&directive)).unwrap_or(u32::MAX);
        match word.text() {
            ".reqntid" => {
                bounds.threads = Some(number());
                bounds.exact = true;
            }
            ".maxntid" if !bounds.exact => bounds.threads = Some(number()),
            ".minnctapersm" => {
                bounds.blocks = number().max(1);
                bounds.states_blocks = true;
            }
            ".maxnreg" => bounds.registers = Some(number()),
            _ => {}
        }
    }
    bounds
}

/// The threads of a block along x at most, of `.reqntid` or `.maxntid`.
pub(crate) fn width(db: &dyn Database, function: Function<'_>) -> u32 {
    let cursor = function.green(db).cursor();
    let directives = cursor.nodes().filter(|it| {
        let word = it.token(SyntaxKind::DOTTED);
        it.kind() == SyntaxKind::TUNING_DIRECTIVE
            && word.is_some_and(|it| matches!(it.text(), ".reqntid" | ".maxntid"))
    });
    let first = |it: Cursor<'_>| integer(it.node(SyntaxKind::LITERAL)?.tokens().next()?.text());
    let widths = directives.filter_map(first);
    let least = widths.min().and_then(|it| u32::try_from(it).ok());
    least.unwrap_or(isa::limits::THREADS_PER_CTA)
}

/// The product of the numbers of a directive.
pub(crate) fn product(directive: &Cursor<'_>) -> u64 {
    directive
        .nodes()
        .filter(|it| it.kind() == SyntaxKind::LITERAL)
        .filter_map(|it| integer(it.tokens().next()?.text()))
        .fold(1, u64::saturating_mul)
}
