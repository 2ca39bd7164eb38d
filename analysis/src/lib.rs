//! Incremental semantic analysis of NVIDIA PTX.
//!
//! [`AnalysisHost`] owns the state and accepts changes; [`Analysis`] is an immutable snapshot that
//! answers questions. The boundary speaks files, byte offsets and plain data: nothing here knows LSP,
//! threads, the clock or the file system.

mod accesses;
mod alignment;
mod api;
pub mod code;
mod constant;
mod db;
mod demangle;
mod diagnostics;
mod diff;
mod features;
#[cfg(test)]
mod fixture;
mod flow;
mod fragments;
mod hir;
mod host;
mod kernel;
mod pressure;
mod protocols;
mod reading;
#[cfg(test)]
mod tests;
mod values;

pub use api::*;
pub use demangle::short_name;
pub use diagnostics::{DIAGNOSTIC_CODES, DiagnosticCode, NO_MODULE_CODE, PTXAS_CODE};
pub use diff::{
    ChangeKind, Comparable, Comparison, FunctionChange, Rewired, Side, VariableChange, compare,
    stable_name,
};
pub use features::{
    completion::writing::{Telling, Writing},
    hover::{
        calculators::{Calculator, CalculatorInput, calculate, calculators},
        documentation::{documentation, documented},
        explain::explain,
        site::{SiteChapter, SitePage, site_chapters, site_path, site_with_links},
    },
    views::{
        live_registers::{LiveIn, LiveRegisters},
        protocols::{ProtocolPart, ProtocolView},
        registers::EntryRegisters,
        target_matrix::{
            TargetCause, TargetColumn, TargetGroup, TargetMatrix, TargetVerdict, target_matrix,
        },
    },
};
pub use kernel::{
    AsyncCopy, BlockBarrier, CopiedTile, KernelLoop, KernelMap, Ring, SharedVariable, WarpRole,
};
pub use reading::{Reading, ReadingLine};

pub use fragments::{
    CommandTargets, Fragment, FragmentOperand, FragmentView, HostFile, HostSettings,
    candidate_targets, lines_as_strings, words_of_command,
};
/// The layouts of matrix fragments, and swizzling, for drawings.
pub use isa::{layout as matrix_layout, swizzle};

pub use host::{Analysis, AnalysisHost, CancellationToken, Change};
pub use syntax::FileContents;
