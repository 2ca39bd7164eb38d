//! The version and the target that are in force at each place of a file.
//!
//! A `.target` inside a body changes what is judged from there on, in the functions after it too.

use isa::target::{Module, Target};
use salsa::Database;
use syntax::TextSize;

use crate::db::SourceFile;

use super::{
    declared::header,
    items::{Function, items},
    module::{module_scope, outward},
    outer::target_before,
};

/// The version and target for which the statements of one function are checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InForce<'db> {
    /// At the start of the function.
    pub(crate) start: Module,
    /// The targets that its body sets, in the order of the text, each with the end of its directive.
    changes: &'db [(TextSize, Target)],
}

impl InForce<'_> {
    /// The target in force at an offset of the function.
    pub(crate) fn at(&self, offset: TextSize) -> Module {
        let before = self.changes.partition_point(|it| it.0 <= offset);
        let target = before
            .checked_sub(1)
            .and_then(|it| self.changes.get(it))
            .map_or(self.start.target, |it| it.1);
        Module {
            target,
            ..self.start
        }
    }
}

/// The version and target for which the statements of a function are checked; `None` if the file does not say.
pub(crate) fn in_force<'db>(
    db: &'db dyn Database,
    function: Function<'db>,
) -> Option<InForce<'db>> {
    let file = function.file(db);
    let header = header(db, file);
    let mut start = header.module()?;
    if header.forced {
        return Some(InForce {
            start,
            changes: &[],
        });
    }
    start.target = target_before(db, function).unwrap_or(start.target);
    Some(InForce {
        start,
        changes: &outward(db, function).targets,
    })
}

/// The version and target for which an item other than a function is checked; `None` if the file does not say.
pub(crate) fn in_force_at_item(db: &dyn Database, file: SourceFile, item: u32) -> Option<Module> {
    let header = header(db, file);
    let mut module = header.module()?;
    let scope = module_scope(db, file);
    if !header.forced && !scope.targets.is_empty() {
        let functions = items(db, file).before.partition_point(|it| *it <= item);
        let order = functions as u32 + item;
        module.target = scope.target_before(order).unwrap_or(module.target);
    }
    Some(module)
}

/// Width of addresses in bits: what `.address_size` says, or 32 without one.
pub(crate) fn address_size(db: &dyn Database, file: SourceFile) -> u32 {
    header(db, file).address_size.unwrap_or(32)
}

/// Whether the module says that its addresses have 32 bits. ptxas takes one that says nothing for a 64-bit one.
pub(crate) fn has_size_32(db: &dyn Database, file: SourceFile) -> bool {
    header(db, file).address_size == Some(32)
}
