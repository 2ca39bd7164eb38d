//! The map of a kernel: which warps do what, the layout of shared memory, loops, rings of mbarriers, and copies with the
//! barriers that they complete on.
//!
//! [`events`] reads the protocol events of a function with their addresses, [`rings`] joins the mbarriers by address
//! modulo their stride, [`joins`] finds the products that read what copies write, [`roles`] finds the parts that different warps execute. The addresses are those of the engine of
//! values; what is not known is left out or named as unknown.

mod events;
mod joins;
mod loops;
mod map;
mod rings;
mod roles;
#[cfg(test)]
mod tests;

use isa::compute::Operation;
use salsa::Database;
use syntax::{TextRange, TextSize};

use crate::{
    db::SourceFile,
    flow::{form_program::operation, ids::Step},
    hir::{
        items::{Function, item_offsets, items},
        layout::layouts,
        module::signature,
        tree::trimmed,
    },
    pressure::bounds,
    reading::Subject,
    values::{Purpose, Values},
};

use events::{Events, Kernel};
pub use map::{AsyncCopy, BlockBarrier, KernelLoop, KernelMap, Ring, SharedVariable, WarpRole};

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
    let flow = subject.flow;
    let mut kernel = Kernel {
        subject: &subject,
        values: Values::of(db, function, flow, Purpose::Addresses)
            .with_named(differences(&subject)),
        events: Events::of(&subject),
        start,
    };
    let launch = bounds(db, function);
    let (rings, unknown) = kernel.rings();
    db.unwind_if_revision_cancelled();
    let mut copies = kernel.copies(&rings);
    kernel.join_products(&mut copies, &rings);
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
        copies: copies.into_iter().map(|it| it.0).collect(),
        barriers,
        roles: roles.into_iter().map(|it| it.role).collect(),
    }
}

/// The instructions that subtract a register from another one. Their results are numbers of their own in addresses: the
/// remainder `i - i / 2 * 2` of a division chooses a stage, and the constants in `i` are not those of the address.
fn differences(subject: &Subject<'_>) -> Vec<bool> {
    let is_difference = |step: Step| {
        let instruction = subject.get(step)?;
        let found = operation(instruction.db, instruction.id)?;
        let constant = instruction.operands().any(|it| it.integer().is_some());
        Some(found == Operation::Subtract && !constant)
    };
    let count = subject.flow.facts.len() as Step;
    (0..count)
        .map(|it| is_difference(it) == Some(true))
        .collect()
}
