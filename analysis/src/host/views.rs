//! Questions of panels: registers, flow, protocols, maps and readings of kernels.

use syntax::TextRange;

use crate::{
    Cancellable, EntryRegisters, ExactEntry, FileId, FilePosition, FileStats, FlowGraph, KernelMap,
    LiveRange, ProtocolView, Reading, features::views, kernel, reading,
};

use super::Analysis;

impl Analysis {
    /// How many registers the entries of a file will need; for another target than that of the file if one
    /// is given.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn registers(
        &self,
        file: FileId,
        target: Option<&str>,
    ) -> Cancellable<Vec<EntryRegisters>> {
        self.with_file(file, |db, file| {
            views::registers::registers(db, file, target)
        })
    }

    /// How many registers the entry around a position will need.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn registers_at(&self, at: FilePosition) -> Cancellable<Option<EntryRegisters>> {
        self.with_file(at.file, |db, file| {
            views::registers::registers_at(db, file, at)
        })
    }

    /// How control flows in the function around a position; `exact` is what `ptxas` said of the entries of the file.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn flow_graph(
        &self,
        at: FilePosition,
        exact: &[ExactEntry],
    ) -> Cancellable<Option<FlowGraph>> {
        self.with_file(at.file, |db, file| {
            views::flow_graph::flow_graph_at(db, file, at, exact)
        })
    }

    /// How control flows in the functions of a file that have a body, or in those with a name; in the order
    /// of the text.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn flow_graphs(&self, file: FileId, name: Option<&str>) -> Cancellable<Vec<FlowGraph>> {
        self.with_file(file, |db, file| {
            views::flow_graph::flow_graphs(db, file, name)
        })
    }

    /// Which instructions belong together in the protocols of the functions of a file, or of those with a name:
    /// groups of asynchronous operations, barriers, allocations.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn protocols(&self, file: FileId, name: Option<&str>) -> Cancellable<Vec<ProtocolView>> {
        self.with_file(file, |db, file| {
            views::protocols::protocol_views(db, file, name)
        })
    }

    /// The functions of a file that have a body, or those with a name, as pseudocode for reading.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn readings(&self, file: FileId, name: Option<&str>) -> Cancellable<Vec<Reading>> {
        self.with_file(file, |db, file| reading::readings(db, file, name))
    }

    /// The maps of the entries of a file, or of those with a name: roles of warps, shared memory, mbarriers, copies.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn kernel_maps(&self, file: FileId, name: Option<&str>) -> Cancellable<Vec<KernelMap>> {
        self.with_file(file, |db, file| kernel::kernel_maps(db, file, name))
    }

    /// Where the register at a position is live.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn live_range(&self, at: FilePosition) -> Cancellable<Option<LiveRange>> {
        self.with_file(at.file, |db, file| {
            let effort = views::live_range::Effort::Thorough;
            views::live_range::live_range(db, file, at, effort)
        })
    }

    /// The registers in a range whose values an editor shows while a kernel is stopped in the line of a position.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn inline_values(
        &self,
        stop: FilePosition,
        shown: TextRange,
    ) -> Cancellable<Vec<TextRange>> {
        self.with_file(stop.file, |db, file| {
            views::inline_values::inline_values(db, file, shown, stop.offset)
        })
    }

    /// How much of everything a file has.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn stats(&self, file: FileId) -> Cancellable<FileStats> {
        self.with_file(file, views::stats::stats)
    }

    /// The syntax tree of a file as indented text, or of the smallest node that covers a range.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn syntax_tree(&self, file: FileId, range: Option<TextRange>) -> Cancellable<String> {
        self.with_file(file, |db, file| {
            views::syntax_tree::syntax_tree(db, file, range)
        })
    }
}
