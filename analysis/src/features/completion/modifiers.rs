//! Opcodes and modifiers, from the instruction tables.

use isa::{
    completion::{Partial, continuations, is_available},
    table::tables,
    target::Module,
    types::type_of,
    usage,
};

use crate::{CompletionItem, CompletionKind, DocumentationKey};

use super::context::Head;

/// The opcodes that the module has.
pub(super) fn opcodes(module: Module, items: &mut Vec<CompletionItem>) {
    let tables = tables();
    let mut opcodes: Vec<(u32, &str)> = tables
        .opcodes()
        .map(|it| (usage::of_opcode(it), it))
        .collect();
    opcodes.sort_unstable_by_key(|it| (std::cmp::Reverse(it.0), it.1));
    for (_, opcode) in opcodes {
        let mut instructions = tables
            .with_opcode(opcode)
            .filter(|it| is_available(it, module));
        let Some(first) = instructions.next() else {
            continue;
        };
        // The page of the shortest name says most about an opcode that several instructions share.
        let shortest = instructions.fold(
            first,
            |a, b| {
                if b.fixed.len() < a.fixed.len() { b } else { a }
            },
        );
        items.push(CompletionItem {
            detail: isa::documentation::instruction(shortest.name).map(|it| it.summary.to_owned()),
            documentation: Some(DocumentationKey::Instruction(shortest.name.to_owned())),
            ..CompletionItem::new(opcode, CompletionKind::Instruction)
        });
    }
}

/// The modifiers that can follow.
pub(super) fn modifiers(head: &Head, module: Module, items: &mut Vec<CompletionItem>) {
    let before: Vec<&str> = head.before.iter().map(String::as_str).collect();
    let after: Vec<&str> = head.after.iter().map(String::as_str).collect();
    let partial = Partial {
        opcode: &head.opcode,
        before: &before,
        after: &after,
        module,
    };
    let mut words = continuations(tables(), &partial);
    // What follows does not fit together with what is before: what does follow then?
    if words.is_empty() && !after.is_empty() {
        words = continuations(
            tables(),
            &Partial {
                after: &[],
                ..partial
            },
        );
    }
    let used = usage::next_words(&head.opcode, &before);
    // Types last among those that nobody uses.
    words.sort_by_key(|it| {
        let count = used.get(it.word).copied().unwrap_or_default();
        (
            std::cmp::Reverse(count),
            it.out_of_order,
            type_of(it.word).is_some(),
        )
    });
    for it in words {
        // A fixed word is part of the name of the instruction.
        if it.slot.is_none() {
            let page = isa::documentation::instruction(it.instruction.name);
            items.push(CompletionItem {
                detail: page.map(|it| it.summary.to_owned()),
                documentation: Some(DocumentationKey::Instruction(
                    it.instruction.name.to_owned(),
                )),
                ..CompletionItem::new(format!(".{}", it.word), CompletionKind::Instruction)
            });
            continue;
        }
        let documentation = isa::documentation::modifier(it.instruction.name, it.word);
        let kind = if type_of(it.word).is_some() {
            CompletionKind::Type
        } else {
            CompletionKind::Modifier
        };
        items.push(CompletionItem {
            detail: documentation.map(|it| it.summary().to_owned()),
            documentation: Some(DocumentationKey::Modifier {
                instruction: it.instruction.name.to_owned(),
                word: it.word.to_owned(),
            }),
            ..CompletionItem::new(format!(".{}", it.word), kind)
        });
    }
}
