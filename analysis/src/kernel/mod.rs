//! The map of a kernel: which warps do what, the layout of shared memory, loops, rings of mbarriers, and copies with the
//! barriers that they complete on.
//!
//! [`events`] reads the protocol events of a function with their addresses, [`rings`] joins the mbarriers by address
//! modulo their stride, [`joins`] finds the products that read what copies write, [`tiles`] the same for copies of threads, [`roles`] finds the parts that different
//! warps execute, and [`outline`] adds these to the outline of the file. [`crate::values`] computes the addresses; what is
//! not known is left out or named as unknown.

mod chains;
mod events;
mod joins;
mod loops;
mod map;
mod outline;
mod rings;
mod roles;
#[cfg(test)]
mod tests;
mod tiles;

use salsa::Database;
use syntax::{TextRange, TextSize};

use crate::{
    db::SourceFile,
    hir::{
        items::{Function, item_offsets, items},
        layout::layouts,
        module::signature,
        tree::trimmed,
    },
    pressure::bounds,
    reading::Subject,
};

use events::Kernel;
pub use map::{
    AsyncCopy, BlockBarrier, CopiedTile, KernelLoop, KernelMap, Ring, SharedVariable, WarpRole,
};
pub(crate) use outline::with_roles;

/// The maps of the entries of a file, or of those with a name.
pub(crate) fn kernel_maps(
    db: &dyn Database,
    file: SourceFile,
    name: Option<&str>,
) -> Vec<KernelMap> {
    let items = items(db, file);
    let offsets = item_offsets(db, file);
    let starts = items.functions.iter().zip(&offsets.functions);
    starts
        .filter(|it| name.is_none_or(|name| it.0.name(db) == name))
        .filter(|it| signature(db, *it.0).defined && signature(db, *it.0).entry)
        .map(|(function, start)| kernel_map(db, *function, *start))
        .collect()
}

fn kernel_map(db: &dyn Database, function: Function<'_>, start: TextSize) -> KernelMap {
    let subject = Subject::of(db, function);
    let mut kernel = Kernel::of(&subject, start);
    let launch = bounds(db, function);
    let (rings, unknown) = kernel.rings();
    db.unwind_if_revision_cancelled();
    let mut copies = kernel.copies(&rings);
    let regions = kernel.join_products(&mut copies, &rings);
    let tiles = kernel.tiles(&regions, &mut copies);
    let roles = kernel.roles();
    let layouts = layouts(db, function);
    let size = |id: u32| {
        layouts
            .get(id as usize)
            .copied()
            .flatten()
            .and_then(|it| it.size)
    };
    let variables = kernel.variables(&size);
    let barriers = kernel.barriers(&roles);
    KernelMap {
        function: function.name(db).to_owned(),
        range: trimmed(&function.green(db).cursor()) + start,
        name_range: subject
            .body
            .name
            .map_or_else(TextRange::default, |it| it + start),
        threads: launch.threads.map(|it| (it, launch.exact)),
        variables,
        loops: kernel.loops(),
        unknown: kernel.ranges(unknown),
        rings: rings.into_iter().map(|it| it.ring).collect(),
        copies: copies.into_iter().map(|it| it.copy).collect(),
        tiles,
        barriers,
        roles: roles.into_iter().map(|it| it.role).collect(),
    }
}
