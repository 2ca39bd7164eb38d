//! Pieces of code of several lines that assemble for the target of the module.

use isa::{
    snippets::{Place, SNIPPETS, Snippet},
    target::Module,
};

use crate::{CompletionItem, CompletionKind, Insertion};

/// Snippets that are items of a module.
pub(super) fn of_module(module: Module, items: &mut Vec<CompletionItem>) {
    add(Place::Module, module, items);
}

/// Snippets that are statements.
pub(super) fn of_body(module: Module, items: &mut Vec<CompletionItem>) {
    add(Place::Body, module, items);
}

fn add(place: Place, module: Module, items: &mut Vec<CompletionItem>) {
    for snippet in SNIPPETS.iter().filter(|it| it.place == place) {
        let gate = snippet.gate();
        // A whole module brings its own header.
        if place == Place::Body
            && !(gate.admits_version(module.version) && gate.admits_target(module.target))
        {
            continue;
        }
        items.push(item(snippet));
    }
}

fn item(snippet: &Snippet) -> CompletionItem {
    CompletionItem {
        detail: Some(snippet.description.to_owned()),
        insert: Some(Insertion {
            snippet: snippet.text.to_owned(),
            plain: snippet.plain(),
        }),
        ..CompletionItem::new(snippet.name, CompletionKind::Snippet)
    }
}
