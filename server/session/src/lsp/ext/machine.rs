//! The request about machine code.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::lsp::lsp_types::TextDocumentIdentifier;

/// Parameters of `ptx/machineCode`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineCodeParams {
    /// A document that the client has open.
    pub text_document: TextDocumentIdentifier,
    /// The entry; without one that with code of the line, or else the first.
    #[serde(default)]
    pub entry: Option<String>,
    /// The target, if code for another one was made by `ptx/runPtxas`; without it, the target of the file.
    #[serde(default)]
    pub target: Option<String>,
    /// A line of the file, from 0.
    #[serde(default)]
    pub line: Option<u32>,
    /// The first row that is wanted, from 0.
    #[serde(default)]
    pub from: u32,
    /// How many rows are wanted; all without this.
    #[serde(default)]
    pub count: Option<u32>,
}

/// Result of `ptx/machineCode`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineCode {
    /// The entries that have machine code.
    pub entries: Vec<String>,
    /// The one that the rows are of.
    pub entry: String,
    /// The target that the code was made for.
    pub target: String,
    /// Whether the text has been edited since.
    pub stale: bool,
    /// How many rows there are in all.
    pub total: u32,
    /// The most general registers that are live, and the first line from 0 where they are.
    pub peak: Option<(u32, Option<u32>)>,
    /// How many of all rows access local memory.
    pub local: u32,
    /// The index of the first row, from 0.
    pub from: u32,
    /// The requested rows.
    pub rows: Vec<MachineRow>,
    /// The blocks that begin among them; none without `nvdisasm`.
    pub blocks: Vec<MachineBlock>,
    /// The documentation of the opcodes of these rows: Markdown by opcode without modifiers.
    pub opcodes: BTreeMap<String, String>,
}

/// Machine instructions that are executed one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineBlock {
    /// The index of its first row, from 0.
    pub first: u32,
    /// How many instructions it has.
    pub count: u32,
    /// The sum of their stalls: a warp needs at least this many cycles to issue them, and as a rule more.
    pub stalls: Option<u32>,
    /// How many of them wait for the result of another one, however long that takes.
    pub waits: u32,
    /// The accesses to memory, those alike together.
    pub memory: Vec<MachineMemory>,
    /// All of that in words.
    pub summary: String,
}

/// Accesses of a block that do the same in the same space.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineMemory {
    /// `global`, `generic`, `shared`, `local`, `tensor` or `texture`.
    pub space: String,
    /// `load`, `store`, `atomic` or `copy`.
    pub operation: String,
    /// How many instructions do it.
    pub count: u32,
    /// How many bytes each thread moves; `null` if an instruction does not say.
    pub bytes: Option<u32>,
}

/// A machine instruction.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineRow {
    /// Offset in the code of the entry, in bytes.
    pub address: u64,
    /// The instruction; empty without `nvdisasm`.
    pub text: String,
    /// The label before it.
    pub label: Option<String>,
    /// The first and the last line of the statement that it was made of, from 0.
    pub lines: Option<(u32, u32)>,
    /// The line of the source that PTX was made of, such as `scale.cu:7`.
    pub source: Option<String>,
    /// How many general registers are live.
    pub live: Option<u32>,
    /// How many cycles the next instruction waits at least.
    pub stall: Option<u8>,
    /// The addresses of the instructions that it waits for.
    pub waits_for: Vec<u64>,
    /// Whether it accesses local memory: a spill, or an array.
    pub local: bool,
    /// The function after the entry that it is in.
    pub routine: Option<String>,
    /// Whether that is one that `ptxas` brought along.
    pub of_ptxas: bool,
}
