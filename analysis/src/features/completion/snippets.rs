//! Pieces of code of several lines that assemble for the target of the module.

use isa::{
    documentation::{Entry, Topic, entries},
    snippets::{SNIPPETS, Snippet, SnippetPlace},
    target::{Gate, Module},
};

use crate::{CompletionItem, CompletionKind, DocumentationKey, Insertion};

/// The snippet that is a whole module.
pub(super) const MODULE: &str = "module";

/// Snippets that are items of a module.
pub(super) fn of_module(module: Module, items: &mut Vec<CompletionItem>) {
    add(SnippetPlace::Module, module, items);
    let idioms = entries(Topic::Idioms).iter();
    items.extend(idioms.filter_map(|it| idiom(it, module)));
}

/// Snippets that are statements.
pub(super) fn of_body(module: Module, items: &mut Vec<CompletionItem>) {
    add(SnippetPlace::Body, module, items);
}

fn add(place: SnippetPlace, module: Module, items: &mut Vec<CompletionItem>) {
    for snippet in SNIPPETS.iter().filter(|it| it.place == place) {
        let gate = snippet.gate();
        // A whole module brings its own header.
        if place == SnippetPlace::Body
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

/// The kernel of an idiom as an item of this module, with its name and parameters to be typed over.
fn idiom(entry: &'static Entry, module: Module) -> Option<CompletionItem> {
    let (name, example) = (entry.words.first()?, entry.examples.first()?);
    let needed = Gate {
        since: Some(example.version),
        targets: vec![example.target],
        ..Gate::default()
    };
    if !(needed.admits_version(module.version) && needed.admits_target(module.target)) {
        return None;
    }
    let start = example.text.find(".visible")?;
    let kernel = &example.text[start..];
    let (before, rest) = kernel.split_once(".entry ")?;
    let (entry_name, rest) = rest.split_once('(')?;
    Some(CompletionItem {
        detail: Some(entry.summary().to_owned()),
        insert: Some(Insertion {
            snippet: format!(
                "{before}.entry ${{1:{entry_name}}}({}",
                rest.replace('$', "\\$")
            ),
            plain: kernel.to_owned(),
        }),
        documentation: Some(DocumentationKey::Idiom((*name).to_owned())),
        ..CompletionItem::new(name.replace(' ', "-"), CompletionKind::Snippet)
    })
}
