//! Completion: what can be written at the cursor, the likeliest first.

mod context;
pub(super) mod directives;
mod modifiers;
mod operands;
mod snippets;
#[cfg(test)]
mod tests;

use isa::target::{Module, Target, Version};
use salsa::Database;

use crate::{
    Completions, FilePosition,
    db::SourceFile,
    hir::{
        declared::header,
        symbol::{ItemAt, item_at},
    },
};

pub(super) use context::{Context, Head, Place, context};

/// Most items of one answer. A large kernel has thousands of registers, and their list a megabyte of JSON, at
/// every key; an editor asks again when more is typed.
const MAX_ITEMS: usize = 200;

/// What can be written at a position; none in comments, numbers and names that are being declared.
pub(crate) fn completions(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Option<Completions> {
    let root = file.contents(db).tree.syntax();
    let context = context(&root, at.offset)?;
    let module = module(db, file);
    let function = match item_at(db, file, at.offset) {
        Some(ItemAt::Function(function, start)) => Some((function, at.offset - start)),
        _ => None,
    };
    let mut items = Vec::new();
    match &context.place {
        Place::Item => {
            directives::of_module(module, &mut items);
            snippets::of_module(module, &mut items);
        }
        Place::Statement if context.prefix.starts_with('.') => {
            directives::of_body(module, &mut items);
        }
        Place::Statement => {
            modifiers::opcodes(module, &mut items);
            snippets::of_body(module, &mut items);
            directives::of_body(module, &mut items);
        }
        Place::Guard => {
            if let Some((function, offset)) = function {
                operands::predicates(db, function, offset, &mut items);
            }
        }
        Place::Modifier(head) => modifiers::modifiers(head, module, &mut items),
        Place::Operand(head, place) if place.first => {
            if let Some((function, offset)) = function {
                operands::operands(db, function, offset, head, place, module, &mut items);
            }
        }
        Place::Operand(..) => {}
        Place::Directive(tokens) => directives::words(tokens, module, &mut items),
        Place::Pragma => directives::pragmas(&mut items),
    }
    let is_incomplete = items.len() > MAX_ITEMS;
    if is_incomplete {
        items.retain(|it| matches(&context.prefix, &it.label));
        items.truncate(MAX_ITEMS);
    }
    Some(Completions {
        replace: context.replace,
        items,
        is_incomplete,
    })
}

/// Whether what was typed could be meant for a label, as editors see it: its characters come in the label, in
/// this order.
fn matches(typed: &str, label: &str) -> bool {
    let mut rest = label.chars();
    typed
        .chars()
        .all(|typed| rest.any(|it| it.eq_ignore_ascii_case(&typed)))
}

/// What a file is judged against; the newest version and a recent target where it does not say.
pub(super) fn module(db: &dyn Database, file: SourceFile) -> Module {
    let header = header(db, file);
    let newest = isa::target::versions().last();
    Module {
        version: header.version.or(newest).unwrap_or(Version::new(9, 0)),
        target: header.target.unwrap_or(Target {
            number: 90,
            suffix: isa::target::Suffix::Plain,
        }),
        texture_mode: header.texture_mode,
    }
}
