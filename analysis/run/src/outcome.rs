//! The outcome of a launch: how it ended, what was found, and the arrays.

use syntax::TextRange;

/// The outcome of a launch.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// Instructions of warps that ran.
    pub steps: u64,
    /// Instructions of threads that ran.
    pub lane_instructions: u64,
    /// The mistakes, in the order in which they were found; each place once.
    pub findings: Vec<Finding>,
    /// The bytes of the arrays afterwards, parallel to [`super::Launch::arrays`].
    pub arrays: Vec<Vec<u8>>,
    /// For each array the bytes whose value is undefined, ascending; parallel to the arrays.
    pub undefined: Vec<Vec<usize>>,
    /// The instructions that are not run yet, if one of them was reached.
    pub not_run: Vec<NotRun>,
    /// The problem of the launch, if it was seen only while it ran: a parameter without an argument was read.
    pub wrong_launch: Option<String>,
    /// The results that PTX leaves open and that were computed in one of the allowed ways, by name.
    pub approximated: Vec<&'static str>,
    /// The text that `vprintf` wrote.
    pub printed: String,
}

/// How a launch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All threads ended.
    Finished,
    /// An instruction was reached that is not run yet.
    Stopped,
    /// All threads wait.
    Deadlock,
    /// A thread ran into a trap, or an error of memory.
    Trap,
    /// It took more instructions or memory than it may.
    Limit,
}

/// A mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind of the mistake.
    pub code: FindingCode,
    /// How certain it is.
    pub severity: Severity,
    /// The sentence about it.
    pub message: String,
    /// The instruction in the file.
    pub range: TextRange,
    /// The block.
    pub block: [u32; 3],
    /// The warp in its block.
    pub warp: u32,
    /// The lanes, ascending.
    pub lanes: Vec<u8>,
    /// Other places.
    pub related: Vec<Related>,
}

/// Another place of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The instruction in the file.
    pub range: TextRange,
    /// The event there.
    pub message: String,
}

/// How certain a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// It is wrong.
    Error,
    /// The result depends on something that nothing specifies.
    Warning,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident $word:literal),* $(,)?) => {
        /// The kind of a mistake.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum FindingCode { $($(#[doc = $doc])+ $name),* }

        impl FindingCode {
            /// All of them.
            pub const ALL: &'static [FindingCode] = &[$(FindingCode::$name),*];

            /// Its code in messages and on pages.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(FindingCode::$name => $word),* }
            }
        }
    };
}

codes! {
    /// Two accesses of one location that nothing orders, one of which writes.
    Race "race",
    /// An access outside every array and variable.
    OutOfBounds "out-of-bounds",
    /// An address that is not a multiple of the size of the access.
    MisalignedAccess "misaligned-access",
    /// A value that matters was never written.
    UninitializedRead "uninitialized-read",
    /// An access to a variable of a function that has returned.
    UseAfterReturn "use-after-return",
    /// Threads that wait for what cannot happen.
    Deadlock "deadlock",
    /// Threads of a warp that reach different instructions where all must run the same one.
    DivergentSync "divergent-sync",
    /// A mask that lacks the lane itself, or names one that is elsewhere.
    InvalidMask "invalid-mask",
    /// A read before the wait that makes the value visible.
    StaleRead "stale-read",
    /// An access by another proxy without a fence between them.
    MissingProxyFence "missing-proxy-fence",
    /// An mbarrier that is used against its rules.
    MbarrierMisuse "mbarrier-misuse",
    /// A trap, or an assertion that fails.
    Trap "trap",
    /// A division of an integer by zero.
    DivisionByZero "division-by-zero",
    /// An operand for which the manual leaves the result open.
    UnspecifiedOperand "unspecified-operand",
}

/// An instruction or feature that is not run yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRun {
    /// The instruction in the file.
    pub range: TextRange,
    /// Its name, as a phrase.
    pub what: String,
}
