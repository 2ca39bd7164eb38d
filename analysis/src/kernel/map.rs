//! The map as plain data.

use syntax::TextRange;

use crate::Cost;

/// The map of a kernel. All other places are statements, in UTF-8 offsets of the file, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelMap {
    /// The name of the entry, as in the file.
    pub function: String,
    /// The whole entry.
    pub range: TextRange,
    /// Its name in the file.
    pub name_range: TextRange,
    /// The most threads of a block, if the text has launch bounds, and whether every block has as many.
    pub threads: Option<(u32, bool)>,
    /// The variables in shared memory that the kernel declares.
    pub variables: Vec<SharedVariable>,
    /// The parts that different warps execute; empty if all execute the same.
    pub roles: Vec<WarpRole>,
    /// The loops, in the order of the text.
    pub loops: Vec<KernelLoop>,
    /// The mbarriers.
    pub rings: Vec<Ring>,
    /// The mbarrier operations whose address is not known.
    pub unknown: Vec<TextRange>,
    /// The asynchronous copies that complete on an mbarrier.
    pub copies: Vec<AsyncCopy>,
    /// The tiles that asynchronous copies of threads fill, those that complete on no mbarrier.
    pub tiles: Vec<CopiedTile>,
    /// The barriers of the block.
    pub barriers: Vec<BlockBarrier>,
}

/// A variable in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVariable {
    /// Its name.
    pub name: String,
    /// Its size in bytes, if that is in the text; dynamic shared memory has none.
    pub bytes: Option<u64>,
    /// The instructions that write to it by its address.
    pub writes: Vec<TextRange>,
    /// The instructions that read from it by its address, or by one in a matrix descriptor.
    pub reads: Vec<TextRange>,
}

/// A part that some warps execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpRole {
    /// Its work: producer, consumer, epilogue, or nothing of these.
    pub name: &'static str,
    /// The statements from the first to the last one, which may have others between.
    pub range: TextRange,
    /// The registers of a thread that it asks for one after the other, as far as they are known.
    pub registers: Vec<i64>,
    /// Its asynchronous copies.
    pub copies: Vec<TextRange>,
    /// Its products of matrices.
    pub products: Vec<TextRange>,
    /// Its stores to global memory.
    pub stores: Vec<TextRange>,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelLoop {
    /// The statements from the first to the last one.
    pub range: TextRange,
    /// 1 for a loop that no other surrounds.
    pub depth: u32,
    /// Its iterations, and the work of a block in one of them.
    pub cost: Option<Cost>,
    /// The asynchronous copies in it.
    pub copies: usize,
    /// The products of matrices in it.
    pub products: usize,
    /// The waits for mbarriers in it.
    pub waits: usize,
    /// The barriers of the block in it.
    pub barriers: usize,
}

/// Mbarriers side by side that are used in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ring {
    /// The place of the first one, as a variable or register with an offset.
    pub place: String,
    /// How many there are, as far as they are initialized.
    pub stages: usize,
    /// The bytes from one to the next, if there is more than one.
    pub stride: Option<i64>,
    /// Where they are initialized.
    pub initialized: Vec<TextRange>,
    /// The arrivals that each phase needs, if all are initialized alike.
    pub arrivals: Option<i64>,
    /// Where threads arrive, and where bytes are expected.
    pub arrived: Vec<TextRange>,
    /// The bytes that are expected, if they are known, by the places in [`Ring::arrived`].
    pub bytes: Vec<Option<i64>>,
    /// The copies and products that complete on them.
    pub completed: Vec<TextRange>,
    /// Where they are waited for.
    pub waited: Vec<TextRange>,
}

/// A copy that completes on an mbarrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsyncCopy {
    /// The statement.
    pub range: TextRange,
    /// The address to which it copies.
    pub destination: Option<String>,
    /// The index of the ring of its barrier among [`KernelMap::rings`].
    pub ring: Option<usize>,
    /// The loads that read what it copies and whose results products of matrices use, directly or by way of a store to
    /// shared memory.
    pub reads: Vec<TextRange>,
    /// The products of matrices that use what it copies, as far as addresses show it.
    pub products: Vec<TextRange>,
}

/// A part of shared memory that asynchronous copies fill, each thread some bytes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedTile {
    /// The variable, with the offset of its first byte; `None` for copies to places that are not known.
    pub place: Option<String>,
    /// The parameter whose array they copy from, if there is only one.
    pub source: Option<String>,
    /// The copies.
    pub copies: Vec<TextRange>,
    /// The bytes that the copies of the innermost loop fill in one turn of it, in a block of [`KernelMap::threads`]; `None`
    /// if that depends on the shape of the block, which the text does not bound.
    pub bytes: Option<u64>,
    /// How many places these fill in turn, if they come again.
    pub stages: Option<usize>,
    /// The loads that read it and whose results products of matrices use.
    pub reads: Vec<TextRange>,
    /// The products, also those that read it by a matrix descriptor.
    pub products: Vec<TextRange>,
}

/// A barrier of the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockBarrier {
    /// Its number, if that is known.
    pub number: Option<i64>,
    /// The threads that meet, if not all and known.
    pub threads: Option<i64>,
    /// Where threads meet or arrive.
    pub places: Vec<TextRange>,
    /// The indices of the roles that have these among [`KernelMap::roles`].
    pub roles: Vec<usize>,
}
