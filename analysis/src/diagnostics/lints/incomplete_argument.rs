//! Arguments of calls that get fewer bytes than they have.

use crate::{
    SymbolKind,
    diagnostics::{
        finding::{Finding, finding},
        lints::addresses::accessed,
        place::Place,
        registry::INCOMPLETE_ARGUMENT,
    },
    hir::{
        body::{OUTERMOST, Target, body},
        bound::Operands,
        form::Form,
        forms::forms,
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
    let (forms, operands) = (forms(db, function), Operands::of(db, function));
    let bytes = |it: &Form<'_>| {
        let form = it.data(db);
        accessed(form).filter(|_| form.semantics().is_store())
    };
    let bytes: Vec<Option<u64>> = forms.all.iter().map(bytes).collect();
    for step in 0..body.instructions.len() {
        let Some(bytes) = forms.index(step).and_then(|it| bytes[it]) else {
            continue;
        };
        let instruction = operands.get(step as u32);
        let address = instruction.and_then(|it| it.operands().find_map(|it| it.address(false)));
        if let Some((name, _)) = address
            && let Target::Definition(id) = name.target
        {
            let sum = stored.entry(id).or_insert((0, name.range));
            sum.0 = sum.0.saturating_add(bytes);
        }
    }
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
