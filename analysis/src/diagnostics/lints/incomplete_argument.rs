//! Arguments of calls that get fewer bytes than they have.

use crate::{
    SymbolKind,
    diagnostics::{
        finding::{Finding, finding},
        lints::addresses::{accessed, place},
        place::Place,
        registry::INCOMPLETE_ARGUMENT,
    },
    flow::facts::for_each_instruction,
    hir::{
        body::{OUTERMOST, Target, body},
        forms::forms,
        instruction::{Parts, references},
        items::Function,
        layout::layouts,
        tree,
    },
};

use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::TextRange;

/// Arguments of calls that get fewer bytes than they have.
pub(super) fn check(db: &dyn Database, function: Function<'_>, findings: &mut Vec<Finding>) {
    let body = body(db, function);
    let cursor = function.green(db).cursor();
    // Nobody stores to the parameters of an entry, which are before its body.
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
    let forms = forms(db, function);
    let is_store: Vec<bool> = forms
        .all
        .iter()
        .map(|it| {
            let form = it.data(db);
            let words = form.words.iter().map(|it| &**it);
            isa::tables().semantics(&form.opcode, words).is_store()
        })
        .collect();
    let mut index = 0;
    for_each_instruction(&cursor, body, &mut |instruction, node| {
        let form = forms.index(index);
        index += 1;
        if form.is_none_or(|it| !is_store[it]) {
            return;
        }
        let parts = Parts::of(node);
        let Some((bytes, (name, _))) = accessed(&parts).zip(parts.operands.iter().find_map(place))
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
                range,
                INCOMPLETE_ARGUMENT,
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
