//! The state of a session between two messages: the run, the requested breakpoints, and the meaning of numbers of variables.

use run::{
    Finding,
    debug::{Debugger, Part, Thread, Type, View, Watch},
    description::Prepared,
};

use super::{
    program::Program,
    protocol::{FunctionBreakpoint, SourceBreakpoint},
};

/// The exception filter of instructions that make NaN.
pub(super) const NAN: &str = "nan";

/// The abilities of the client, and how it counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Client {
    pub(super) first_line: i64,
    pub(super) first_column: i64,
    pub(super) is_told_of_changes: bool,
    pub(super) is_told_of_memory: bool,
    pub(super) is_told_of_outcomes: bool,
}

impl Default for Client {
    fn default() -> Client {
        Client {
            first_line: 1,
            first_column: 1,
            is_told_of_changes: false,
            is_told_of_memory: false,
            is_told_of_outcomes: false,
        }
    }
}

/// A launch that is debugged.
pub(super) struct KernelRun<'a> {
    pub(super) program: &'a Program,
    pub(super) debugger: Debugger<'a>,
    pub(super) prepared: Prepared,
    pub(super) stops_on_entry: bool,
    pub(super) is_debugged: bool,
    /// Whether it has begun: the client has set its breakpoints.
    pub(super) has_begun: bool,
    /// The stop at which it is.
    pub(super) stopped: Option<Stopped>,
}

/// A stop.
#[derive(Clone, Debug, Default)]
pub(super) struct Stopped {
    pub(super) thread: Option<Thread>,
    pub(super) findings: Vec<Finding>,
    /// The sentence about NaN that the next instruction makes.
    pub(super) nan: Option<String>,
}

/// A breakpoint as the client asked for it.
#[derive(Clone, Debug)]
pub(super) struct Requested {
    pub(super) id: u64,
    pub(super) at: RequestedAt,
}

/// The place of a requested breakpoint.
#[derive(Clone, Debug)]
pub(super) enum RequestedAt {
    Line(SourceBreakpoint),
    Function(FunctionBreakpoint),
}

/// The breakpoints as the client asked for them.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// Those of files, with their paths.
    pub(super) lines: Vec<(String, Vec<Requested>)>,
    pub(super) functions: Vec<Requested>,
    pub(super) watches: Vec<Watch>,
    pub(super) ignored: Vec<run::FindingCode>,
    /// Whether the run stops where an instruction makes NaN.
    pub(super) nan: bool,
}

/// A frame of a thread that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrameRef {
    pub(super) view: View,
    /// The lanes that are there, as a mask.
    pub(super) lanes: u32,
}

/// The contents of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Registers,
    Special,
    Parameters,
    Shared,
    Local,
    Global,
    Barriers,
}

/// The meaning of a number of a frame or of variables. All of them end when the run continues.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a stop has few of them")]
pub(super) enum Handle {
    Frame(FrameRef),
    /// A place of source of a frame, by its index.
    SourceFrame(FrameRef, u8),
    Scope(FrameRef, ScopeKind),
    /// A register, by its slot and type.
    Register(FrameRef, String, u32, Type),
    /// A special register, by its name.
    Special(FrameRef, String),
    /// A register as another type, with its values.
    Values(FrameRef, String, run::debug::Row),
    Part(FrameRef, Part),
    /// Names and values.
    Fields(Vec<(String, String)>),
}

impl Handle {
    /// The frame in which it is.
    pub(super) fn frame(&self) -> Option<FrameRef> {
        match self {
            Handle::Frame(it)
            | Handle::SourceFrame(it, _)
            | Handle::Scope(it, _)
            | Handle::Register(it, ..)
            | Handle::Special(it, _)
            | Handle::Values(it, ..)
            | Handle::Part(it, _) => Some(*it),
            Handle::Fields(_) => None,
        }
    }
}
