//! Requests about kernels as wholes: their accesses, their costs, their map and their reading.

use serde::{Deserialize, Serialize};

use crate::lsp::lsp_types::{Position, Range, TextDocumentIdentifier, Url};

/// Parameters of `ptx/accesses`, `ptx/costs` and `ptx/reading`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionsParams {
    /// A document that the client has open.
    pub text_document: TextDocumentIdentifier,
    /// Only the function around this is wanted; all functions without it.
    #[serde(default)]
    pub position: Option<Position>,
    /// Only the functions with this name are wanted.
    #[serde(default)]
    pub function: Option<String>,
    /// The threads of a block along x, y and z for entries without `.reqntid`; a reading does not depend on it.
    #[serde(default)]
    pub block: Option<[u32; 3]>,
}

/// Part of the result of `ptx/accesses`: the memory that an instruction accesses in a full warp. Figures
/// that are not the same in every warp are `null`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryAccess {
    /// Name of the function.
    pub entry: String,
    /// Range of the instruction.
    pub range: Range,
    /// Its opcode with its modifiers.
    pub instruction: String,
    /// The state space without its period; `generic` if the address may be of several.
    pub space: String,
    /// `load`, `store`, `atomic` or `matrix`.
    pub kind: String,
    /// Bytes of each lane.
    pub bytes: Option<u64>,
    /// The address as an expression.
    pub address: String,
    /// `decided` or `unknown`.
    pub verdict: String,
    /// Sectors of 32 bytes, of global memory.
    pub sectors: Option<u32>,
    /// How few sectors have room for the bytes that the lanes access.
    pub ideal_sectors: Option<u32>,
    /// The largest number of words of one bank in a phase, of shared memory.
    pub ways: Option<u32>,
    /// Whether addresses are multiples of the size of the access.
    pub aligned: Option<bool>,
    /// Whether all threads of a block access bytes of the variable only.
    pub in_range: Option<bool>,
    /// The assumptions of the figures, for people.
    pub assumptions: Vec<String>,
}

/// Part of the result of `ptx/costs`: the work of a block in one iteration of a loop, or outside loops. Loops inside
/// count for themselves; figures that are not known are `null`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoopCost {
    /// Name of the entry.
    pub entry: String,
    /// The first instruction of the loop; `null` outside loops.
    pub head: Option<Range>,
    /// The number of iterations, as a number or an expression.
    pub trips: Option<String>,
    /// Bytes read from global memory.
    pub global_bytes_read: Option<u64>,
    /// Bytes written to global memory.
    pub global_bytes_written: Option<u64>,
    /// Bytes read from and written to shared memory.
    pub shared_bytes: Option<u64>,
    /// Operations on floats, by what computes them.
    pub flops: Flops,
    /// Instructions of warps.
    pub instructions: Option<u64>,
}

/// Operations on floats.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Flops {
    /// Additions and multiplications.
    pub fma: Option<u64>,
    /// The same in products of matrices.
    pub tensor: Option<u64>,
    /// Divisions, roots and elementary functions.
    pub special: Option<u64>,
}

/// Result of `ptx/kernelMap`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KernelMap {
    /// The name of the entry, as in the text.
    pub function: String,
    /// Its name for people, with the threads of a block.
    pub title: String,
    /// The whole entry.
    pub range: Range,
    /// The parts of the map that have something to show.
    pub sections: Vec<KernelSection>,
    /// An `<svg>` element.
    pub svg: String,
}

/// Part of the result of `ptx/kernelMap`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KernelSection {
    /// `shared memory`, `roles of warps`, `loops`, `mbarriers`, `asynchronous copies`, `tiles of copies` or `barriers of the block`.
    pub title: String,
    /// Lines of the section, in the order of the text.
    pub rows: Vec<KernelRow>,
}

/// A row of a section.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KernelRow {
    /// The text; lines in it count from 1.
    pub text: String,
    /// How many rows of the section are around it.
    pub depth: u32,
    /// The statements that it is about; a role or a loop has one range for all of them.
    pub ranges: Vec<Range>,
}

/// Part of the result of `ptx/reading`: a function as pseudocode for reading.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionReading {
    /// The name of the function, as in the text.
    pub function: String,
    /// Its first line: the name for people, and the parameters.
    pub heading: String,
    /// The lines below it.
    pub lines: Vec<ReadingLine>,
}

/// A line of a reading.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadingLine {
    /// The text without indentation.
    pub text: String,
    /// How many loops, conditions and the like are around it.
    pub indent: u32,
    /// The statements that it shows, ascending; empty for one that only shows the structure.
    pub ranges: Vec<Range>,
    /// The one of these by which the line has its place among the lines.
    pub lead: Option<Range>,
    /// The place in the source from which the last of these was made.
    pub source: Option<ReadingSource>,
}

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadingSource {
    /// The file, if it exists.
    pub uri: Option<Url>,
    /// The path as the `.file` has it.
    pub path: String,
    /// The line, counted from 0.
    pub line: u32,
}
