//! The version and the target that are in force at each place of a file.
//!
//! A `.target` inside a body changes what is judged from there on, in the functions after it too.

use isa::target::{Module, Target};
use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextSize};

use crate::db::SourceFile;

use super::{
    declared::header,
    items::{Function, items},
    module::{function_order, module_scope, outward},
};

/// What the statements of one function are judged against.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InForce<'db> {
    /// At the start of the function.
    pub(crate) start: Module,
    /// The targets that its body sets, in the order of the text, each with the end of its directive.
    changes: &'db [(TextSize, Target)],
}

impl InForce<'_> {
    /// What is in force at an offset of the function.
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

/// What the statements of a function are judged against; `None` if the file does not say.
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
    let scope = module_scope(db, file);
    if !scope.targets.is_empty() {
        let order = function_order(db, file).get(&function)?;
        start.target = scope.target_before(*order).unwrap_or(start.target);
    }
    Some(InForce {
        start,
        changes: &outward(db, function).targets,
    })
}

/// What an item of the module that is not a function is judged against; `None` if the file does not say.
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
#[salsa::tracked(returns(copy))]
pub(crate) fn address_size(db: &dyn Database, file: SourceFile) -> u32 {
    let mut sizes = items(db, file).module.items(db).iter().filter_map(|it| {
        let cursor = it.green.cursor();
        let directive = cursor.kind() == SyntaxKind::ADDRESS_SIZE_DIRECTIVE;
        directive.then(|| {
            cursor
                .node(SyntaxKind::LITERAL)?
                .tokens()
                .next()?
                .text()
                .parse()
                .ok()
        })?
    });
    sizes.next_back().unwrap_or(32)
}

/// The last architecture that a `.target` directive names.
pub(crate) fn target_of(directive: &Cursor<'_>) -> Option<Target> {
    directive
        .nodes()
        .filter_map(|it| Target::parse(it.token(SyntaxKind::IDENT)?.text()))
        .last()
}
