//! Completion: what can be written at the cursor, the likeliest first.

mod calls;
mod comments;
mod context;
mod descriptors;
pub(in crate::features) mod directives;
mod modifiers;
mod names;
pub(in crate::features) mod nearest;
mod numbers;
mod operands;
mod shapes;
pub(crate) mod signature_help;
mod snippets;
#[cfg(test)]
mod tests;
mod uses;
mod whole;
pub(crate) mod writing;

use isa::target::Module;
use salsa::Database;
use syntax::{SyntaxNode, TextSize, tokens_around};

use crate::{
    Completions, FilePosition,
    db::SourceFile,
    hir::{
        declared::header,
        form::assumed,
        instruction::is_call,
        items::Function,
        symbol::{ItemAt, item_at},
    },
};

pub(super) use context::{Context, CursorPlace, Head, context};

/// Most items of one answer. A large kernel has thousands of registers, and their list a megabyte of JSON, at
/// every key; an editor asks again when more is typed.
const MAX_ITEMS: usize = 200;

/// The completions at a position; none in comments, numbers and names that are being declared, but for numbered
/// registers.
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
    let site = function.map(|(function, offset)| Site {
        db,
        function,
        module,
        offset,
        // In a broken text it may start before the function.
        statement: context
            .start
            .checked_sub(at.offset - offset)
            .unwrap_or_default(),
    });
    match (&context.place, &site) {
        (CursorPlace::Item, _) => {
            let header = header(db, file);
            let has_size = directives::has_address_size(db, file);
            directives::of_module(module, header, has_size, &mut items);
            if ends_line(&root, at.offset) {
                directives::with_values(module, &mut items);
            }
            snippets::of_module(module, &mut items);
            // The whole module where there is none.
            if header.version.is_none()
                && let Some(whole) = items.iter().position(|it| it.label == snippets::MODULE)
            {
                let whole = items.remove(whole);
                items.insert(1.min(items.len()), whole);
            }
        }
        (CursorPlace::Statement, _) if context.prefix.starts_with('.') => {
            directives::of_body(module, &mut items);
        }
        (CursorPlace::Statement, _) => {
            modifiers::opcodes(module, &mut items);
            snippets::of_body(module, &mut items);
            directives::of_body(module, &mut items);
        }
        (CursorPlace::Guard, Some(site)) => operands::predicates(site, &mut items),
        (CursorPlace::Modifier(head), _) => modifiers::modifiers(head, module, &mut items),
        (CursorPlace::Operand(head, place), Some(site)) if place.first => {
            match is_call(&head.opcode) {
                true => calls::operands(site, place, &mut items),
                false => operands::operands(site, head, place, &mut items),
            }
        }
        (CursorPlace::Component(head, place, name), Some(site)) => {
            operands::components(site, head, place, name, &mut items);
        }
        (CursorPlace::Directive(tokens), _) => {
            let names = site.as_ref().filter(|_| directives::lists_names(tokens));
            match names {
                Some(site) => calls::tables(site, tokens, &mut items),
                None => directives::words(tokens, module, &mut items),
            }
            if let Some(site) = &site {
                operands::without_declared(site, &mut items);
            }
        }
        (CursorPlace::Pragma, _) => directives::pragmas(false, &mut items),
        (CursorPlace::PragmaString, _) => directives::pragmas(true, &mut items),
        (CursorPlace::Code(named), _) => comments::codes(db, file, at.offset, named, &mut items),
        (CursorPlace::Control, _) => comments::controls(&mut items),
        (CursorPlace::Guard | CursorPlace::Operand(..) | CursorPlace::Component(..), _) => {}
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

/// Whether nothing follows in the line of an offset.
fn ends_line(root: &SyntaxNode, offset: TextSize) -> bool {
    let Some(right) = tokens_around(root, offset).1 else {
        return true;
    };
    let hidden = offset.checked_sub(right.text_range().start());
    let rest = right.text().get(hidden.unwrap_or_default().into()..);
    rest.is_some_and(|it| it.starts_with(['\n', '\r']))
}

/// Whether a list should open by itself after a blank: where a directive of the header takes its value.
pub(crate) fn opens_after_blank(db: &dyn Database, file: SourceFile, at: FilePosition) -> bool {
    let root = file.contents(db).tree.syntax();
    let tokens = match context(&root, at.offset).map(|it| it.place) {
        Some(CursorPlace::Directive(tokens)) => tokens,
        _ => return false,
    };
    matches!(&tokens[..], [word] if directives::OF_HEADER.contains(&word.as_str()))
}

/// A place in a function.
struct Site<'db> {
    db: &'db dyn Database,
    function: Function<'db>,
    module: Module,
    /// The cursor, from the start of the function.
    offset: TextSize,
    /// The start of the statement, from the start of the function.
    statement: TextSize,
}

/// Whether what was typed could be meant for a label, as editors see it: its characters come in the label, in
/// this order.
fn matches(typed: &str, label: &str) -> bool {
    let mut rest = label.chars();
    typed
        .chars()
        .all(|typed| rest.any(|it| it.eq_ignore_ascii_case(&typed)))
}

/// The version and target for which a file is checked; the newest version and a recent target where it does not say.
pub(super) fn module(db: &dyn Database, file: SourceFile) -> Module {
    let header = header(db, file);
    let assumed = assumed();
    Module {
        version: header.version.unwrap_or(assumed.version),
        target: header.target.unwrap_or(assumed.target),
        texture_mode: header.texture_mode,
    }
}
