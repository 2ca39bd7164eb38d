//! Control and data flow inside one function.
//!
//! [`facts`] says what each instruction reads, writes and where it jumps; [`graph`] is made of that,
//! [`liveness`] of both. Only the targets of branches start blocks, so labels of debug information cut
//! nothing.

pub(crate) mod chains;
pub(crate) mod computation;
pub(crate) mod dominators;
pub(crate) mod effects;
pub(crate) mod facts;
pub(crate) mod form_program;
pub(crate) mod graph;
pub(crate) mod ids;
pub(crate) mod lists;
pub(crate) mod liveness;
pub(crate) mod operation;
#[cfg(test)]
mod tests;

use salsa::Database;

use crate::hir::items::Function;

use self::{facts::Facts, graph::Graph, liveness::Liveness};

/// The flow of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flow {
    /// The effects of its instructions.
    pub(crate) facts: Facts,
    /// Its blocks.
    pub(crate) graph: Graph,
    /// Which values live where.
    pub(crate) liveness: Liveness,
}

/// The flow of a function; empty for a prototype.
///
/// From one change to the next only those are kept that were asked for last.
#[salsa::tracked(returns(ref), lru = 64)]
pub(crate) fn flow<'db>(db: &'db dyn Database, function: Function<'db>) -> Flow {
    Flow::of(db, function)
}

impl Flow {
    /// Finds the flow of a function, which takes about half a microsecond per instruction.
    pub(crate) fn of(db: &dyn Database, function: Function<'_>) -> Flow {
        let facts = facts::of(db, function);
        db.unwind_if_revision_cancelled();
        let graph = Graph::of(&facts);
        db.unwind_if_revision_cancelled();
        let check = || db.unwind_if_revision_cancelled();
        let liveness = Liveness::of(&graph, &facts.accesses(), facts.values.len(), &check);
        Flow {
            facts,
            graph,
            liveness,
        }
    }
}
