//! Text that editors show beside the document: hints, lenses, links, calls and source lines.

use syntax::{TextRange, TextSize};

use super::NavigationTarget;

/// Which inlay hints are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InlayHintKinds {
    /// Modifiers that are assumed where none is written.
    pub defaults: bool,
    /// C++ names after mangled names.
    pub demangled_names: bool,
    /// Values of floating-point constants that are written as bits.
    pub float_literals: bool,
    /// How many registers are live at each instruction.
    pub live_registers: bool,
    /// Sectors and bank conflicts of accesses of memory.
    pub memory_accesses: bool,
    /// How many registers are live in loops of entries that may need more than cost nothing.
    pub loop_registers: bool,
    /// Names of parameters before the arguments of calls.
    pub parameter_names: bool,
    /// Where most registers are live in such entries.
    pub register_peak: bool,
    /// Types of registers whose names do not tell them, where they are written.
    pub register_types: bool,
}

impl Default for InlayHintKinds {
    fn default() -> InlayHintKinds {
        InlayHintKinds {
            defaults: false,
            demangled_names: false,
            float_literals: true,
            live_registers: false,
            memory_accesses: false,
            loop_registers: true,
            parameter_names: true,
            register_peak: true,
            register_types: false,
        }
    }
}

/// The subject of an inlay hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InlayHintKind {
    /// A modifier that is assumed.
    Default,
    /// A C++ name.
    DemangledName,
    /// The value of a constant.
    FloatLiteral,
    /// Sectors or bank conflicts.
    MemoryAccess,
    /// The name of a parameter, shown before its argument.
    ParameterName,
    /// How many registers are live.
    Registers,
    /// The type of a register.
    RegisterType,
}

/// A short text that an editor shows between the words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlayHint {
    /// Where, as an offset in UTF-8 bytes.
    pub offset: TextSize,
    /// The text.
    pub label: String,
    /// Its subject.
    pub kind: InlayHintKind,
    /// More about it, Markdown.
    pub tooltip: Option<String>,
}

/// A name or statement above which something about it may be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeLens {
    /// The name where it is declared; of a loop the label at its head, or its first statement.
    pub range: TextRange,
    /// The hints that may be shown.
    pub kind: CodeLensKind,
}

/// The subject of a code lens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodeLensKind {
    /// The iterations and the costs of a loop.
    Loop,
    /// The uses of a name.
    References,
    /// The registers of an entry.
    Registers,
    /// The runs of an entry.
    Runs,
}

/// Which code lenses are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeLensKinds {
    /// Those of [`CodeLensKind::Loop`].
    pub loops: bool,
    /// Those of [`CodeLensKind::References`].
    pub references: bool,
    /// Those of [`CodeLensKind::Registers`].
    pub registers: bool,
    /// Those of [`CodeLensKind::Runs`].
    pub runs: bool,
}

impl Default for CodeLensKinds {
    fn default() -> CodeLensKinds {
        CodeLensKinds {
            loops: true,
            references: false,
            registers: true,
            runs: true,
        }
    }
}

/// An entry with a body, and the comments above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPlace {
    /// Its name.
    pub name: String,
    /// The name in the file.
    pub name_range: TextRange,
    /// Where its first word begins, in UTF-8 bytes.
    pub start: TextSize,
    /// The blanks and comments between the item above it and its first word; they end at `start`. If a comment above
    /// declarations describes a run, it begins with that.
    pub above: String,
}

impl EntryPlace {
    /// The word with which a comment begins that describes a run.
    pub const RUN_WORD: &str = "run:";
}

/// A function at one end of calls, and where the calls are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The other function.
    pub target: NavigationTarget,
    /// The callees in the text of the caller, in the order of the text.
    pub ranges: Vec<TextRange>,
}

/// A part of the text that names a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentLink {
    /// The part.
    pub range: TextRange,
    /// The path as it is written in the `.file`.
    pub path: String,
    /// The line in the file, counted from 1.
    pub line: Option<u32>,
}

/// A place in a file of another language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// The path as it is written in the `.file`.
    pub path: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1; 0 if it is not known.
    pub column: u32,
}

/// The instructions made from one source line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLines {
    /// The path as it is written in the `.file`.
    pub path: String,
    /// The line, counted from 1.
    pub line: u32,
    /// Runs of instructions, in the order of the text.
    pub ranges: Vec<TextRange>,
}
