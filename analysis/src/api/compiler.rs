//! The output of a compiler for a file: the user of the crate runs it, the analysis only places its messages.

use isa::target::Target;

use super::Severity;

/// The figures of `ptxas` for one entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExactRegisters {
    /// 32-bit registers of a thread.
    pub registers: u32,
    /// Bytes that a thread stores to local memory because registers are short.
    pub spill_stores: u32,
    /// Bytes that it loads back.
    pub spill_loads: u32,
    /// Bytes of stack of a thread, those of the functions it calls included where that is known.
    pub stack: u32,
    /// Bytes of static shared memory of a block.
    pub shared: u32,
}

/// The figures of `ptxas` for one entry, with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactEntry {
    /// The name of the entry.
    pub name: String,
    /// The target that code was made for, such as `sm_90a`.
    pub target: String,
    /// The figures.
    pub registers: ExactRegisters,
    /// Lines of the PTX file, from 0, in order, each with the most registers that are live in the
    /// machine code that was made of it. Empty when nobody could take the machine code apart.
    pub lines: Vec<(u32, u32)>,
    /// How many machine instructions it has, with the functions after it and without padding, if that is known.
    pub instructions: Option<u32>,
}

/// A message of a compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerMessage {
    /// The line that it names, from 0, and the text of that line without the blanks at its ends when the
    /// compiler read it; `None` when it names no line.
    pub line: Option<(u32, String)>,
    /// Its severity.
    pub severity: Severity,
    /// The message.
    pub text: String,
}

/// The target to make code for, of those that an assembler offers: the wanted one if a file for the target
/// `module` can become code for it, else none; without a wish that of the file, or the first later one.
#[must_use]
pub fn code_target(module: &str, wanted: Option<&str>, offered: &[String]) -> Option<String> {
    let module = Target::parse(module)?;
    let wanted = match wanted {
        Some(it) => Some(Target::parse(it)?),
        None => None,
    };
    let offered: Vec<_> = offered.iter().filter_map(|it| Target::parse(it)).collect();
    isa::target::code_target(module, wanted, &offered).map(|it| it.to_string())
}
