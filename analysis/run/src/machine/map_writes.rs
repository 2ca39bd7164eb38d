//! The tensor maps that a kernel has written, see [`super::maps`].

use rustc_hash::FxHashMap;
use syntax::TextRange;

/// The tensor maps in global memory that were written, by their addresses.
#[derive(Clone, Debug, Default)]
pub(super) struct Maps(pub(super) FxHashMap<u64, Written>);

/// A tensor map that was written.
#[derive(Clone, Debug)]
pub(super) struct Written {
    /// The last statement that wrote it.
    pub(super) range: TextRange,
    /// The numbers of the blocks one of whose threads has acquired it since.
    pub(super) acquired: Vec<u64>,
}
