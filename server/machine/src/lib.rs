//! Machine code of NVIDIA GPUs, as far as it can be read without programs of NVIDIA's.
//!
//! - [`fatbin`]: the PTX and the cubins that executables, libraries and objects carry;
//! - [`cubin`]: the sections of code of a cubin with their routines and line tables;
//! - [`schedule`]: the scheduling fields of instructions;
//! - [`disassembly`]: what `nvdisasm` prints;
//! - [`opcodes`]: which instructions access memory, and which end a block;
//! - [`listing`]: all of it joined, a [`row`] for each instruction;
//! - [`blocks`]: what the blocks of a listing cost at least.
//!
//! Everything here takes bytes of strangers: arithmetic is checked, what is allocated is bounded, and what
//! cannot be read is an error that says where. The crate knows neither PTX nor LSP, and opens nothing by itself.

pub mod blocks;
pub mod cubin;
pub mod disassembly;
pub mod fatbin;
pub mod listing;
pub mod opcodes;
pub mod row;
pub mod schedule;
