//! The registers that a function uses and nothing declares, with the types that their uses take.

use salsa::Database;
use syntax::SyntaxKind;

use crate::{
    MissingRegister,
    db::SourceFile,
    diagnostics::subject::Subject,
    hir::{
        body::{Place, Reference, Target},
        instruction::Parts,
        items::items,
        tree::node_at,
    },
};

use super::register_fixes::{accepts, wanted};

/// Lists those of all functions of a file, in the order of their first uses.
pub(crate) fn missing_registers(db: &dyn Database, file: SourceFile) -> Vec<MissingRegister> {
    let functions = items(db, file).functions.iter();
    functions
        .flat_map(|it| of_function(&Subject::new(db, *it)))
        .collect()
}

fn of_function(subject: &Subject<'_>) -> Vec<MissingRegister> {
    let body = subject.body;
    let mut found: Vec<(u32, Vec<&Reference>)> = Vec::new();
    for reference in &body.references {
        let (Target::Free(free), Place::Operand) = (reference.target, reference.place) else {
            continue;
        };
        match found.iter_mut().find(|it| it.0 == free) {
            Some(it) => it.1.push(reference),
            None => found.push((free, vec![reference])),
        }
    }
    let all = found.into_iter().map(|(free, uses)| {
        let name = &*body.free[free as usize];
        let mut classes = uses
            .first()
            .map_or_else(Vec::new, |it| wanted(subject, it, name));
        for it in uses.iter().skip(1) {
            classes.retain(|class| accepts(subject, it, name, *class));
        }
        MissingRegister {
            name: name.to_owned(),
            class: classes.first().copied(),
            in_address: uses.iter().any(|it| is_in_address(subject, it)),
        }
    });
    all.collect()
}

fn is_in_address(subject: &Subject<'_>, reference: &Reference) -> bool {
    let cursor = subject.cursor();
    let instruction = node_at(&cursor, SyntaxKind::INSTRUCTION, reference.range.start());
    instruction.is_some_and(|it| {
        let parts = Parts::of(&it);
        let mut operands = parts.operands.iter();
        operands.any(|it| {
            it.kind() == SyntaxKind::ADDRESS && it.range().contains_range(reference.range)
        })
    })
}
