//! Accesses to variables and parameters at constant offsets.

use std::cell::OnceCell;

use isa::word_class::{type_bits, vector_length};
use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::{Cursor, CursorToken, SyntaxKind, TextRange};

use crate::{
    SymbolKind,
    constant::{Value, evaluate},
    flow::facts::{for_each_instruction, references},
    hir::{
        body::{Body, OUTERMOST, Reference, Target, body},
        declared::words,
        items::{Function, items},
        layout::{Layout, layouts, module_layouts},
        module::{DeclarationSource, module_scope},
        tree::{self, trimmed},
    },
};

use super::{
    super::{Finding, LINE, Place, subject::Subject},
    codes::{INCOMPLETE_ARGUMENT, MISALIGNED_ACCESS, OUT_OF_BOUNDS},
    finding,
};

/// A variable or parameter in memory that a statement names.
#[derive(Clone, Copy)]
pub(in crate::diagnostics) struct Named {
    layout: Layout,
    declared: Place,
}

impl Named {
    /// Whether it is no array.
    pub(in crate::diagnostics) fn is_scalar(&self) -> bool {
        self.layout.scalar
    }

    /// Where it is declared.
    pub(in crate::diagnostics) fn declared(&self) -> Place {
        self.declared
    }
}

/// Finds what the names of a function stand for.
pub(in crate::diagnostics) struct Layouts<'a> {
    db: &'a dyn Database,
    function: Function<'a>,
    body: &'a Body,
    own: OnceCell<&'a [Option<Layout>]>,
}

impl<'a> Layouts<'a> {
    pub(in crate::diagnostics) fn new(subject: &Subject<'a>) -> Layouts<'a> {
        Layouts {
            db: subject.db,
            function: subject.function,
            body: subject.body,
            own: OnceCell::new(),
        }
    }

    /// The variable or parameter that a reference means.
    pub(in crate::diagnostics) fn named(&self, reference: &Reference) -> Option<Named> {
        match reference.target {
            Target::Definition(id) => {
                let definition = self.body.definition(id);
                if definition.kind == SymbolKind::Register {
                    return None;
                }
                let own = self.own.get_or_init(|| layouts(self.db, self.function));
                Some(Named {
                    layout: (*own.get(id as usize)?)?,
                    declared: Place::Own(definition.name_range),
                })
            }
            Target::Free(free) => {
                let file = self.function.file(self.db);
                let name = self.body.free.get(free as usize)?;
                // Of several declarations one may be larger.
                let [declaration] = module_scope(self.db, file).find(name) else {
                    return None;
                };
                let DeclarationSource::Variable(index) = declaration.source else {
                    return None;
                };
                let layouts = module_layouts(self.db, items(self.db, file).module);
                Some(Named {
                    layout: (*layouts.get(index as usize)?)?,
                    declared: Place::of(declaration),
                })
            }
            _ => None,
        }
    }
}

/// Bytes that a load, store or atomic operation touches.
fn accessed(opcode: &str, modifiers: &[CursorToken<'_>]) -> Option<u64> {
    if !matches!(opcode, "ld" | "ldu" | "st" | "atom" | "red") {
        return None;
    }
    let mut found = modifiers.iter().rev().map(CursorToken::text);
    let bits = found.find_map(type_bits)?;
    let mut lanes = modifiers.iter().filter_map(|it| vector_length(it.text()));
    Some(u64::from(bits / 8) * u64::from(lanes.next().unwrap_or(1)))
}

/// The name and the constant offset of an address such as `[x+4]`.
fn place<'a>(address: &Cursor<'a>) -> Option<(CursorToken<'a>, i128)> {
    if address.kind() != SyntaxKind::ADDRESS {
        return None;
    }
    let (name, offset) = match evaluate(&address.nodes().next()?, &mut Vec::new()) {
        Value::Offset(name, offset) => (name, offset),
        Value::Other(name) => (name, 0),
        _ => return None,
    };
    let token = name.tokens().next()?;
    (name.kind() == SyntaxKind::NAME_REFERENCE).then_some((token, offset))
}

/// An access outside of a variable, or one whose address is not a multiple of its size.
pub(in crate::diagnostics) fn access(
    opcode: &str,
    modifiers: &[CursorToken<'_>],
    nodes: &[Cursor<'_>],
    named: &dyn Fn(TextRange) -> Option<Named>,
    findings: &mut Vec<Finding>,
) {
    let Some(bytes) = accessed(opcode, modifiers) else {
        return;
    };
    for node in nodes {
        let Some((name, offset)) = place(node) else {
            continue;
        };
        let Some(Named { layout, declared }) = named(name.range()) else {
            continue;
        };
        let shown = name.text();
        let last = offset + i128::from(bytes);
        let outside = layout
            .size
            .filter(|it| offset < 0 || last > i128::from(*it));
        let mut found = if let Some(size) = outside {
            finding(
                OUT_OF_BOUNDS,
                trimmed(node),
                format!(
                    "these {bytes} bytes at offset {offset} lie outside of `{shown}`, which has {size} bytes (line {LINE})"
                ),
                None,
            )
        } else {
            let known = bytes.min(layout.alignment);
            if bytes == 0 || offset.rem_euclid(i128::from(known)) == 0 {
                continue;
            }
            finding(
                MISALIGNED_ACCESS,
                trimmed(node),
                format!(
                    "an access to {bytes} bytes needs an address that is a multiple of {bytes}; `{shown}` is aligned to {} (line {LINE}) and the offset is {offset}",
                    layout.alignment
                ),
                None,
            )
        };
        found.related.push((declared, "declared here"));
        findings.push(found);
    }
}

/// Arguments of calls that get fewer bytes than they have.
pub(super) fn arguments(db: &dyn Database, function: Function<'_>, findings: &mut Vec<Finding>) {
    let body = body(db, function);
    let cursor = function.green(db).cursor();
    // Nobody stores to the parameters of an entry, which stand before its body.
    let start = match tree::has_word(&cursor, ".entry") {
        true => body
            .scopes
            .get(OUTERMOST as usize)
            .map(|it| it.range.start()),
        false => None,
    };
    let start = start.unwrap_or_default();
    let mut own = body.definitions.iter();
    if !own.any(|it| it.kind == SymbolKind::Parameter && it.name_range.start() > start) {
        return;
    }
    let layouts = layouts(db, function);
    // Bytes stored to each scalar, and the place of the last store.
    let mut stored: FxHashMap<u32, (u64, TextRange)> = FxHashMap::default();
    for_each_instruction(&cursor, body, &mut |instruction, node| {
        if node
            .token(SyntaxKind::IDENT)
            .is_none_or(|it| it.text() != "st")
        {
            return;
        }
        let (_, modifiers) = words(node);
        let Some((bytes, (name, _))) =
            accessed("st", &modifiers).zip(node.nodes().find_map(|it| place(&it)))
        else {
            return;
        };
        let mut references = references(body, instruction).iter();
        let reference = references.find(|it| it.range.start() == name.range().start());
        if let Some(Target::Definition(id)) = reference.map(|it| it.target) {
            let sum = stored.entry(id).or_insert((0, name.range()));
            sum.0 = sum.0.saturating_add(bytes);
        }
    });
    for (id, (bytes, range)) in stored {
        let (Some(definition), Some(Some(layout))) =
            (body.definitions.get(id as usize), layouts.get(id as usize))
        else {
            continue;
        };
        let Some(size) = layout.size.filter(|it| layout.scalar && bytes < *it) else {
            continue;
        };
        if definition.kind == SymbolKind::Parameter {
            let mut found = finding(
                INCOMPLETE_ARGUMENT,
                range,
                format!(
                    "only {bytes} of the {size} bytes of `{}` are stored: the rest of the value is undefined",
                    definition.name
                ),
                None,
            );
            found
                .related
                .push((Place::Own(definition.name_range), "declared here"));
            findings.push(found);
        }
    }
    findings.sort_by_key(|it| it.range.start());
}
