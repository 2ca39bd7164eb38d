//! Requests that ptx-analyzer adds to LSP.
//!
//! | method | parameters | result |
//! |---|---|---|
//! | `ptx/viewSyntaxTree` | [`ViewSyntaxTreeParams`] | the tree as text, one node or token per line; `null` for a file that the server does not know |
//! | `ptx/sameSourceLine` | `TextDocumentPositionParams`: an opcode, or a `.loc` | [`SameSourceLine`], or `null` where no source line is known |
//! | `ptx/registers` | [`RegistersParams`] | [`Registers`]: what the entries of a file need, or the one at the position; `null` for a file that the server does not know |
//! | `ptx/registerChart` | [`ChartParams`] | [`RegisterChart`], or `null` outside entries with a body |
//! | `ptx/flowGraph` | [`DrawingParams`] | [`FlowGraph`], or `null` outside functions with a body |
//! | `ptx/liveRange` | `TextDocumentPositionParams`: a register | [`LiveRange`], or `null` elsewhere |
//! | `ptx/slice` | `TextDocumentPositionParams`: a register in an instruction | [`Slice`], or `null` elsewhere |
//! | `ptx/registerAccesses` | `TextDocumentPositionParams`: a name | [`NameAccess`]es: its references, with what each does |
//! | `ptx/accesses` | [`FunctionsParams`] | [`MemoryAccess`]es: the memory that each instruction accesses in a full warp, in the order of the text |
//! | `ptx/costs` | [`FunctionsParams`] | [`LoopCost`]s: for each entry those outside its loops, then its loops in the order of the text |
//! | `ptx/kernelMap` | [`DrawingParams`] | [`KernelMap`], or `null` outside entries with a body |
//! | `ptx/reading` | [`FunctionsParams`] | [`FunctionReading`]s: functions with a body as pseudocode |
//! | `ptx/tryStatements` | [`TryStatementsParams`]: a place in an asm statement, or a range of PTX | [`Trial`]: its operands, and on request its results on values; `null` where there is no statement |
//! | `ptx/machineCode` | [`MachineCodeParams`]: an open document, and which rows of which entry | [`MachineCode`]: what `ptxas` made of it when it was run last, or `null` if it has not been run |
//! | `ptx/fromSourceLine` | [`FromSourceLineParams`]: a line of a CUDA or other source file | the `Location`s of the runs of instructions that were made from it, in all PTX files that the server knows |
//! | `ptx/compareTargets` | [`CompareTargetsParams`] | [`TargetMatrix`] |
//! | `ptx/protocols` | [`ProtocolsParams`] | [`FunctionProtocol`]s: the instructions of barriers, asynchronous copies and allocations that belong together |
//! | `ptx/diff` | [`DiffParams`]: two files that the server knows | [`Difference`]s of meaning, none for texts that mean the same |
//! | `ptx/words` | [`WordsParams`] | [`Word`]s: everything that has documentation |
//! | `ptx/explain` | [`ExplainParams`] | [`Explanation`]s; none for an unknown word |
//! | `ptx/runPtxas` | [`RunPtxasParams`]: an open document, and perhaps another target | [`RunPtxas`] when `ptxas` is done; an error that says why when it cannot be run |
//! | `ptx/serverStatus` | none | [`ServerStatus`] |
//!
//! Drawings are SVG without scripts and without anything to load. Whatever stands for a line of the file
//! has the attribute `data-line`, the line counted from 0.
//!
//! Code lenses have commands of the client, if it says in `initialize` that it has them, in
//! `capabilities.experimental.commands.commands`: [`SHOW_REFERENCES`] with a URI, a position and a list of
//! locations as arguments, [`SHOW_REGISTERS`] with a URI and a position in an entry, and [`SHOW_KERNEL`] with a URI and
//! the position of a loop. To other clients the server offers [`REFERENCES_TEXT`] and [`REGISTERS_TEXT`] for
//! `workspace/executeCommand`, with a URI and a position, so that a click shows a message in any editor. A client that
//! runs kernels has [`RUN`] and perhaps [`DEBUG`], with a URI and the name of an entry, and [`ADD_RUN`], with a URI and
//! a text edit.
//!
//! In the same way the code action that renames all registers of a numbered declaration has the command
//! [`RENAME_FAMILY`], with a URI and the position of the declaration: the client asks for the new name there. In other
//! clients the declaration is renamed, or `%x<>` is given as the new name of one of the registers.
//!
//! The code action of an asm statement, or of selected PTX, that asks for the values of its operands has the command
//! [`TRY`] of a client that names it there, with a URI and a range as in [`TryStatementsParams`]; other clients have no
//! such action.
//!
//! Completions of `.version` and its like have the command [`TRIGGER_SUGGEST`] of a client that names it there, as their
//! values follow; in other clients they are snippets with a choice among the values.
//!
//! A client that shows pictures in hovers says so in `capabilities.experimental.hoverPictures`: `"light"` or `"dark"`,
//! by its background. Its hovers end with a figure where there is one, as a Markdown image whose address is a `data:`
//! URI of an SVG drawing; the setting `hover.figures` decides for other clients.
//!
//! The command `ptx/runPtxas` of `workspace/executeCommand` does the same as the request, and shows a message
//! at the end; its argument is a URI, and without one all open documents are meant.
//!
//! A client says in `initialize` whether the user trusts the open folders, as `trusted: bool` in the
//! `initializationOptions`, and sends the notification `ptx/didGrantTrust` when that changes later. No
//! setting of a folder may get there.

mod kernels;
mod machine;
mod modules;
mod trial;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::{kernels::*, machine::*, modules::*, trial::*};
use super::lsp_types::{Location, Position, Range, TextDocumentIdentifier, Url};

/// Shows the syntax tree of a file or a part of it.
pub const VIEW_SYNTAX_TREE: &str = "ptx/viewSyntaxTree";
/// Finds the instructions that were made from the same source line as one of them.
pub const SAME_SOURCE_LINE: &str = "ptx/sameSourceLine";
/// Request: the registers that entries need.
pub const REGISTERS: &str = "ptx/registers";
/// Draws how many registers are live at the lines of an entry.
pub const REGISTER_CHART: &str = "ptx/registerChart";
/// Shows how control flows in a function.
pub const FLOW_GRAPH: &str = "ptx/flowGraph";
/// Request: the live range of a register.
pub const LIVE_RANGE: &str = "ptx/liveRange";
/// Follows the value of a register through the instructions.
pub const SLICE: &str = "ptx/slice";
/// Lists the references of a name with what each does.
pub const REGISTER_ACCESSES: &str = "ptx/registerAccesses";
/// Lists the accesses of memory.
pub const ACCESSES: &str = "ptx/accesses";
/// Lists what the loops of entries cost.
pub const COSTS: &str = "ptx/costs";
/// Draws the map of an entry.
pub const KERNEL_MAP: &str = "ptx/kernelMap";
/// Writes functions as pseudocode.
pub const READING: &str = "ptx/reading";
/// Request: the machine code of a file.
pub const MACHINE_CODE: &str = "ptx/machineCode";
/// Finds the instructions that were made from a line of a source file.
pub const FROM_SOURCE_LINE: &str = "ptx/fromSourceLine";
/// Judges a file as if it were for other targets.
pub const COMPARE_TARGETS: &str = "ptx/compareTargets";
/// Method of [`ProtocolsParams`].
pub const PROTOCOLS: &str = "ptx/protocols";
/// Method of [`DiffParams`].
pub const DIFF: &str = "ptx/diff";
/// Lists what has documentation.
pub const WORDS: &str = "ptx/words";
/// Gives the documentation of a word.
pub const EXPLAIN: &str = "ptx/explain";
/// Command of the client that lists locations.
pub const SHOW_REFERENCES: &str = "ptx-analyzer.showReferences";
/// Command of the client that shows the registers of an entry.
pub const SHOW_REGISTERS: &str = "ptx-analyzer.showRegisters";
/// Command of the client that shows the map of an entry.
pub const SHOW_KERNEL: &str = "ptx-analyzer.showKernel";
/// Command of the client that runs an entry as the comments above it say.
pub const RUN: &str = "ptx-analyzer.run";
/// Command of the client that debugs an entry as the comments above it say.
pub const DEBUG: &str = "ptx-analyzer.debug";
/// Command of the client that writes a comment above an entry.
pub const ADD_RUN: &str = "ptx-analyzer.addRun";
/// Command of the client that asks the user for a new name at a position.
pub const RENAME_FAMILY: &str = "ptx-analyzer.renameFamily";
/// Command of VS Code that opens the list of completions.
pub const TRIGGER_SUGGEST: &str = "editor.action.triggerSuggest";
/// Command of the server that shows the uses of a name as a message.
pub const REFERENCES_TEXT: &str = "ptx/tellReferences";
/// Command of the server that shows the registers of an entry as a message.
pub const REGISTERS_TEXT: &str = "ptx/tellRegisters";
/// Runs `ptxas` on a document now.
pub const RUN_PTXAS: &str = "ptx/runPtxas";
/// The user trusts the open folders from now on.
pub const DID_GRANT_TRUST: &str = "ptx/didGrantTrust";
/// The user does not want to wait for something any more; tower-lsp does not know the notification.
pub const CANCEL_PROGRESS: &str = "window/workDoneProgress/cancel";
/// Says how the server is doing, for bug reports.
pub const SERVER_STATUS: &str = "ptx/serverStatus";

/// Notification of the client for a session that has no files of its own: the text of files that are not open.
pub const DID_READ_FILES: &str = "ptx/didReadFiles";

/// Parameters of `ptx/didReadFiles`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DidReadFilesParams {
    /// Files that were read or are gone since the last message.
    pub files: Vec<ReadFile>,
}

/// A file that the client has read.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadFile {
    /// Name of the file in the client.
    pub uri: Url,
    /// Its text; `None` when it is gone.
    pub text: Option<String>,
}

/// Parameters of `ptx/viewSyntaxTree`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewSyntaxTreeParams {
    /// A document that the client has open.
    pub text_document: TextDocumentIdentifier,
    /// The smallest node that covers this range is shown; the whole file without it.
    pub range: Option<Range>,
}

/// Result of `ptx/sameSourceLine`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SameSourceLine {
    /// The source file, if it exists.
    pub uri: Option<Url>,
    /// The path as the `.file` has it.
    pub path: String,
    /// The line in the source file, counted from 0.
    pub line: u32,
    /// Runs of instructions in the PTX file.
    pub ranges: Vec<Range>,
}

/// Parameters of `ptx/registers`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegistersParams {
    /// A document that the client has open.
    pub text_document: TextDocumentIdentifier,
    /// Only the entry around this is wanted.
    pub position: Option<Position>,
}

/// Result of `ptx/registers`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Registers {
    /// The entries with a body, in the order of the text.
    pub entries: Vec<EntryRegisters>,
}

/// The needs of one entry; registers are 32-bit registers of a thread, and lines count from 0.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryRegisters {
    /// Name of the entry, as in the text.
    pub name: String,
    /// The whole entry.
    pub range: Range,
    /// The name in the text.
    pub selection_range: Range,
    /// The target whose limits count.
    pub target: String,
    /// The most likely number of registers.
    pub estimate: u32,
    /// Four of five kernels need at least this many,
    pub low: u32,
    /// and at most this many.
    pub high: u32,
    /// So many, above that range, are needed if ptxas hides latency as much as it can; none if the range has them.
    pub may_need: Option<u32>,
    /// The most that are live at a line: the greatest of `lines`.
    pub max_live: u32,
    /// The first line with that many.
    pub peak_line: Option<u32>,
    /// The most that the launch bounds allow,
    pub cap: Option<u32>,
    /// and the directive that says so.
    pub cap_directive: Option<String>,
    /// How many warps fit.
    pub occupancy: Occupancy,
    /// The figures of ptxas, if it was run on this text.
    pub exact: Option<ExactRegisters>,
    /// Where live registers are counted: `text`, or `ptxas` for the machine code that it made of this text.
    pub counted: String,
    /// How many are live at each line with an instruction, in the order of the text; of machine code only lines that
    /// became some.
    pub lines: Vec<LineRegisters>,
}

/// How many warps of an entry are resident on a multiprocessor.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Occupancy {
    /// Resident warps; 0 for an entry that cannot be launched.
    pub warps: u32,
    /// Places for warps.
    pub of: u32,
    /// The limit that keeps more from being resident: `registers`, `shared memory`, `blocks` or nothing.
    pub limiter: Option<String>,
    /// Threads of a block.
    pub threads: u32,
    /// Whether that is assumed, because the text does not say.
    pub threads_assumed: bool,
    /// The largest smaller number of registers with which more warps fit.
    pub next: Option<OccupancyStep>,
}

/// A number of registers with which more warps fit.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OccupancyStep {
    /// Registers for each thread.
    pub registers: u32,
    /// The warps that are resident then.
    pub warps: u32,
}

/// The figures of ptxas for an entry.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExactRegisters {
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes that are stored because registers are missing,
    pub spill_stores: u32,
    /// and loaded.
    pub spill_loads: u32,
    /// Bytes of the stack frame.
    pub stack: u32,
    /// Bytes of static shared memory.
    pub shared: u32,
    /// How many are live in the machine code that was made of each line; empty without `nvdisasm`.
    pub lines: Vec<LineRegisters>,
}

impl From<&analysis::ExactEntry> for ExactRegisters {
    fn from(it: &analysis::ExactEntry) -> ExactRegisters {
        let line = |&(line, live): &(u32, u32)| LineRegisters { line, live };
        ExactRegisters {
            registers: it.registers.registers,
            spill_stores: it.registers.spill_stores,
            spill_loads: it.registers.spill_loads,
            stack: it.registers.stack,
            shared: it.registers.shared,
            lines: it.lines.iter().map(line).collect(),
        }
    }
}

/// How many registers are live at a line.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LineRegisters {
    /// Line of the document, from 0.
    pub line: u32,
    /// Registers that are live there.
    pub live: u32,
}

/// Parameters of `ptx/flowGraph` and `ptx/kernelMap`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrawingParams {
    /// A document that the client has open.
    pub text_document: TextDocumentIdentifier,
    /// A place in the function.
    pub position: Position,
    /// Whether the drawing will be shown on a dark background.
    #[serde(default)]
    pub dark: bool,
}

/// Parameters of `ptx/registerChart`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChartParams {
    /// A document that the client has open.
    pub text_document: TextDocumentIdentifier,
    /// A place in the entry.
    pub position: Position,
    /// Whether the chart will be shown on a dark background.
    #[serde(default)]
    pub dark: bool,
    /// The width of the chart in pixels; that of half a window without it.
    #[serde(default)]
    pub width: Option<u32>,
    /// Its height in pixels.
    #[serde(default)]
    pub height: Option<u32>,
}

/// Result of `ptx/registerChart`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegisterChart {
    /// An `<svg>` element.
    pub svg: String,
}

/// Result of `ptx/flowGraph`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FlowGraph {
    /// The name of the function.
    pub function: String,
    /// The basic blocks; control starts in the first.
    pub blocks: Vec<FlowBlock>,
    /// The ways among them.
    pub edges: Vec<FlowEdge>,
    /// How many edges through tables are omitted because there are too many.
    pub left_out: usize,
    /// Where live registers are counted: `text`, or `ptxas` for its machine code.
    pub counted: String,
    /// An `<svg>` element.
    pub svg: String,
    /// The graph as a flowchart of Mermaid.
    pub mermaid: String,
}

/// A basic block.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FlowBlock {
    /// Its index among the blocks.
    pub id: u32,
    /// From the first instruction to the last; empty for the block that stands for all labels, and for one that
    /// stands for the targets of a table.
    pub range: Range,
    /// The label at its start, or the name of the table.
    pub label: Option<String>,
    /// How many instructions it has.
    pub instructions: usize,
    /// The most registers that are live at one of its lines; none if `ptxas` made no machine code of them.
    pub live: Option<u32>,
    /// How many loops surround it.
    pub loop_depth: u32,
    /// Whether control may get there.
    pub reachable: bool,
    /// The asynchronous operations that may be in flight in it.
    pub in_flight: Vec<String>,
}

/// A way from one block to another.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FlowEdge {
    /// The block that control leaves.
    pub from: u32,
    /// The block that it enters.
    pub to: u32,
    /// `fallthrough`, `branch`, `taken` (a branch whose guard holds) or `table` (`brx.idx`).
    pub kind: String,
    /// Whether this closes a loop.
    pub back: bool,
}

/// Result of `ptx/liveRange`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveRange {
    /// The name of the register.
    pub register: String,
    /// Type of the register, such as `.f32`.
    #[serde(rename = "type")]
    pub ty: String,
    /// How many 32-bit registers it takes; 0 for a predicate.
    pub weight: u32,
    /// Runs of instructions at which it is live.
    pub ranges: Vec<Range>,
    /// Whether it is live where most registers of the function are.
    pub crosses_peak: bool,
    /// Whether it probably takes no register of a thread.
    pub free: bool,
    /// Where it is written.
    pub definitions: Vec<Range>,
    /// Where it is read.
    pub uses: Vec<Range>,
}

/// Result of `ptx/slice`: where the value of a register comes from and where it goes, as far as registers carry it:
/// not through memory, and without the branches that decide between writes.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Slice {
    /// The name of the register.
    pub register: String,
    /// The word as it was sent.
    pub origin: Range,
    /// The name in the instructions whose writes reach it, or the word itself where it is written.
    pub definitions: Vec<Range>,
    /// The name where these writes are read.
    pub uses: Vec<Range>,
    /// The instructions that the value was computed by, in the order of the text.
    pub backward: Vec<Range>,
    /// The instructions that are computed from it, in the order of the text.
    pub forward: Vec<Range>,
}

/// Part of the result of `ptx/registerAccesses`: a reference of a name.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NameAccess {
    /// Where.
    pub location: Location,
    /// `declaration`, `read` or `write`.
    pub access: String,
    /// Whether this is about another value in the same register.
    pub other_value: bool,
}

/// Parameters of `ptx/fromSourceLine`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct FromSourceLineParams {
    /// The source file.
    pub uri: Url,
    /// The line, counted from 0.
    pub line: u32,
}

/// Parameters of `ptx/compareTargets`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompareTargetsParams {
    /// A document that the client has open.
    pub text_document: TextDocumentIdentifier,
    /// Targets such as `sm_90`; empty: the target of the file and those of current GPUs.
    #[serde(default)]
    pub targets: Vec<String>,
}

/// Result of `ptx/compareTargets`: a table in which targets with the same errors are one column.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct TargetMatrix {
    /// The columns, in the order of their first targets.
    pub columns: Vec<TargetColumn>,
    /// The causes of errors, grouped by the columns that have them; those of most targets first.
    pub groups: Vec<TargetGroup>,
}

/// Part of the result of `ptx/compareTargets`: targets with the same errors.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct TargetColumn {
    /// The targets in few words, such as `sm_80–sm_89, sm_100`.
    pub title: String,
    /// The target of the file, if it is one of them.
    pub own: Option<String>,
    /// Each of them.
    pub targets: Vec<TargetVersion>,
    /// How many errors the file would have if its `.target` said one of these.
    pub errors: usize,
}

/// Part of the result of `ptx/compareTargets`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct TargetVersion {
    /// Name of the target, such as `sm_90`.
    pub target: String,
    /// The least `.version` that a module for it has, such as `8.7`; a lower one is not among the errors.
    pub version: String,
}

/// Part of the result of `ptx/compareTargets`: causes of errors for the same targets.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct TargetGroup {
    /// For each column whether the targets have these errors.
    pub wrong: Vec<bool>,
    /// Distinct errors of these targets.
    pub causes: Vec<TargetCause>,
}

/// Part of the result of `ptx/compareTargets`: errors that say the same.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct TargetCause {
    /// The code of the diagnostic.
    pub code: String,
    /// The message, without the target that the file was judged for.
    pub message: String,
    /// Where, in the order of the text.
    pub ranges: Vec<Range>,
}

/// Parameters of `ptx/words`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct WordsParams {
    /// Restricts the answer to this kind of words, such as `target`.
    pub kind: Option<String>,
}

/// Part of the result of `ptx/words`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Word {
    /// As it is written in PTX, such as `cp.async` or `.relaxed`.
    pub name: String,
    /// Its kind, such as `instruction` or `special register`.
    pub kind: String,
}

/// Parameters of `ptx/explain`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ExplainParams {
    /// A word, a statement, a constant, a message: whatever a person types.
    pub name: String,
    /// Restricts the answer to this kind of words.
    pub kind: Option<String>,
}

/// Part of the result of `ptx/explain`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Explanation {
    /// The word and its kind.
    #[serde(flatten)]
    pub word: Word,
    /// Its documentation, in Markdown.
    pub text: String,
}

/// Parameters of `ptx/runPtxas`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunPtxasParams {
    /// A document that the client has open.
    pub text_document: TextDocumentIdentifier,
    /// Make code for this target, in addition to the file's own: its messages are not shown, and `ptx/machineCode`
    /// has the code. Of several only the last one is kept.
    #[serde(default)]
    pub target: Option<String>,
}

/// Result of `ptx/runPtxas`. The messages of `ptxas` are among the diagnostics of the document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunPtxas {
    /// The release of `ptxas`, such as `13.5.37`.
    pub release: String,
    /// The target that code was made for.
    pub target: String,
    /// How many errors it reports.
    pub errors: usize,
    /// How many warnings.
    pub warnings: usize,
    /// The entries; none when there are errors.
    pub entries: Vec<RunPtxasEntry>,
}

impl fmt::Display for RunPtxas {
    /// In one line, for editors that show no more.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |count: usize, noun: &str| match count {
            1 => format!("1 {noun}"),
            _ => format!("{count} {noun}s"),
        };
        let entry = |it: &RunPtxasEntry| format!("{} {} registers", it.name, it.exact.registers);
        let mut parts: Vec<String> = match self.errors {
            0 => self.entries.iter().map(entry).collect(),
            errors => vec![counted(errors, "error")],
        };
        if self.warnings > 0 {
            parts.push(counted(self.warnings, "warning"));
        }
        if parts.is_empty() {
            parts.push("no errors".to_owned());
        }
        write!(
            f,
            "ptxas {} for {}: {}",
            self.release,
            self.target,
            parts.join(", ")
        )
    }
}

/// The figures of `ptxas` for one entry.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunPtxasEntry {
    /// Name of the entry.
    pub name: String,
    /// Registers, spills and stack, as `ptxas` prints them.
    #[serde(flatten)]
    pub exact: ExactRegisters,
}

/// The exact mode, as a part of `ptx/serverStatus`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PtxasStatus {
    /// `ready`, or why `ptxas` is not run: `off`, `untrusted` or `missing`.
    pub state: String,
    /// The same as a sentence, when it is not run.
    pub reason: Option<String>,
    /// Path of the `ptxas` that is run.
    pub path: Option<String>,
    /// The disassembler of machine code.
    pub nvdisasm: Option<String>,
    /// Runs that are under way.
    pub running: usize,
    /// Documents that wait for a run.
    pub waiting: usize,
    /// The result of the latest run.
    pub latest: Option<String>,
}

/// Result of `ptx/serverStatus`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerStatus {
    /// Version of the server.
    pub version: String,
    /// Seconds since the server started.
    pub uptime_seconds: f64,
    /// Unit of columns: `utf-8`, `utf-16` or `utf-32`.
    pub position_encoding: String,
    /// `pull` or `push`.
    pub diagnostics: String,
    /// Files that the client has open.
    pub open_documents: usize,
    /// Files whose contents the server holds, open ones included.
    pub files: usize,
    /// Bytes of text of these files.
    pub text_bytes: u64,
    /// Files that wait to be read in the background.
    pub indexing: usize,
    /// Pieces of work that run on workers now.
    pub workers_running: usize,
    /// Pieces of work that wait for a worker.
    pub workers_waiting: usize,
    /// The exact mode.
    pub ptxas: PtxasStatus,
    /// Durations of the latest turns of the state thread.
    pub turns: TurnTimes,
}

/// Durations of turns of the state thread, in milliseconds.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnTimes {
    /// How many turns these figures are about, at most 256.
    pub count: usize,
    /// Half of the turns were at most this long.
    pub p50: f64,
    /// 95 of 100 turns were at most this long.
    pub p95: f64,
    /// The longest turn.
    pub max: f64,
    /// The name of the longest turn.
    pub longest: String,
}
