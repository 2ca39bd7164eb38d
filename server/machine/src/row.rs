//! A row of a listing: one instruction of machine code.

use crate::{cubin::Source, opcodes, schedule::Schedule};

/// An instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Offset in the section, in bytes.
    pub address: u64,
    /// Guard, opcode and operands; empty without `nvdisasm`.
    pub text: String,
    /// The label before it.
    pub label: Option<String>,
    /// The line of PTX, from 1. Routines of `ptxas` have none.
    pub line: Option<u32>,
    /// The line of what the PTX was made of.
    pub source: Option<Source>,
    /// How many general registers are live.
    pub live: Option<u32>,
    /// The scheduling fields, of targets that have them.
    pub schedule: Option<Schedule>,
    /// The addresses of the instructions that it waits for, as the order of the text tells.
    pub waits_for: Vec<u64>,
    /// Index of the routine that it is in.
    pub routine: Option<u32>,
}

impl Row {
    /// The opcode with its modifiers.
    #[must_use]
    pub fn opcode(&self) -> &str {
        let text = match self.text.strip_prefix('@') {
            Some(guarded) => guarded.split_once(' ').map_or("", |it| it.1.trim_start()),
            None => &self.text,
        };
        text.split([' ', ';']).next().unwrap_or_default()
    }

    /// Whether its guard is never true: `ptxas` puts such instructions where the hardware wants some.
    #[must_use]
    pub fn is_never_executed(&self) -> bool {
        self.text.starts_with("@!PT ")
    }

    /// The opcode without modifiers; none without `nvdisasm`.
    #[must_use]
    pub fn base_opcode(&self) -> Option<&str> {
        self.opcode().split('.').next().filter(|it| !it.is_empty())
    }

    /// Whether it accesses local memory, where spilled registers and arrays of a thread are.
    #[must_use]
    pub fn accesses_local_memory(&self) -> bool {
        opcodes::access(self.opcode()).is_some_and(|it| it.space == opcodes::Space::Local)
    }
}
