//! Static variables that take more shared or constant memory than ptxas allows.

use std::cmp::Reverse;

use isa::{
    limits::{CONSTANT_BYTES, LEAST_STATIC_SHARED, static_shared},
    operand::{Operand, Space, Symbol},
    variable::StateSpace,
};
use rustc_hash::FxHashSet;
use salsa::Database;

use crate::{
    SymbolKind,
    db::SourceFile,
    diagnostics::{
        finding::{Finding, finding},
        place::{ItemIndex, Place},
        registry::MEMORY_LIMIT,
    },
    hir::{
        body::body,
        in_force::in_force,
        items::{Function, items},
        layout::{layouts, module_layouts},
        linkage::Linkage,
        module::{DeclarationSource, ModuleVariable, module_body, module_scope, signature},
        reached::names_reached,
    },
};

/// A static variable in shared memory.
#[derive(Clone, Copy)]
struct Shared {
    bytes: u64,
    place: Place,
    /// Index of the function that declares it.
    function: Option<u32>,
}

/// The variables of the module in constant memory, and those of its entries in shared memory.
pub(super) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    constants(db, file, findings);
    shared(db, file, findings);
}

/// ptxas counts all of them, used or not. It puts none before its alignment, so that they take at least what their sizes
/// add up to.
fn constants(db: &dyn Database, file: SourceFile, findings: &mut Vec<(ItemIndex, Finding)>) {
    let module = items(db, file).module;
    let variables = &module_body(db, module).variables;
    let counts = |it: &&ModuleVariable| {
        it.shape.space == Some(StateSpace::Const) && it.linkage != Some(Linkage::Extern)
    };
    if !variables.iter().any(|it| counts(&it)) {
        return;
    }
    let layouts = module_layouts(db, module);
    let own = variables.iter().zip(layouts).filter(|it| counts(&it.0));
    let mut sum: u64 = 0;
    for (variable, layout) in own {
        let bytes = layout.and_then(|it| it.size).unwrap_or_default();
        sum = sum.saturating_add(bytes);
        if sum > CONSTANT_BYTES {
            let message = format!(
                "the `.const` variables up to `{}` take {sum} bytes; a module has {CONSTANT_BYTES}",
                variable.name
            );
            let help = "keep large tables in `.global`".to_owned();
            findings.push((
                ItemIndex::Other(variable.item),
                finding(variable.name_range, MEMORY_LIMIT, message, Some(help)),
            ));
            return;
        }
    }
}

/// Bytes of the shared variables that the body of a function declares, used or not.
#[salsa::tracked(returns(copy))]
fn declared_shared<'db>(db: &'db dyn Database, function: Function<'db>) -> u64 {
    let own = variables_of(db, function, 0);
    own.iter().fold(0, |sum, it| sum.saturating_add(it.bytes))
}

/// The shared variables that the body of the function of an index declares.
fn variables_of(db: &dyn Database, function: Function<'_>, index: u32) -> Vec<Shared> {
    let body = body(db, function);
    let is_shared =
        |it: &Operand| matches!(it, Operand::Symbol(Symbol::Variable(Space::Shared, _)));
    if !body.operands.iter().any(|it| is_shared(&it.0)) {
        return Vec::new();
    }
    let definitions = body.definitions.iter().zip(&body.operands);
    let own = definitions.zip(layouts(db, function));
    own.filter(|((definition, operand), _)| {
        definition.kind == SymbolKind::Variable && is_shared(&operand.0)
    })
    .filter_map(|((definition, _), layout)| {
        Some(Shared {
            bytes: layout.as_ref()?.size?,
            place: Place::Own(definition.name_range),
            function: Some(index),
        })
    })
    .collect()
}

/// Entries whose shared variables, and those of the functions that they reach, are too large. Variables of the module
/// count where they are named.
fn shared(db: &dyn Database, file: SourceFile, findings: &mut Vec<(ItemIndex, Finding)>) {
    let items = items(db, file);
    let module = module_body(db, items.module);
    let module_variables: Vec<Option<Shared>> = module
        .variables
        .iter()
        .enumerate()
        .map(|(index, it)| {
            let counts =
                it.shape.space == Some(StateSpace::Shared) && it.linkage != Some(Linkage::Extern);
            // Layouts are asked for only if there is one.
            let layout = counts.then(|| module_layouts(db, items.module).get(index));
            Some(Shared {
                bytes: layout??.as_ref()?.size?,
                place: Place::Declaration(DeclarationSource::Variable(index as u32)),
                function: None,
            })
        })
        .collect();
    let declared = module_variables.iter().flatten().map(|it| it.bytes);
    let inside = items.functions.iter().map(|it| declared_shared(db, *it));
    let all = declared.chain(inside).fold(0, u64::saturating_add);
    if all <= LEAST_STATIC_SHARED.into() {
        return;
    }
    let scope = module_scope(db, file);
    for (index, entry) in (0u32..).zip(&items.functions) {
        if !signature(db, *entry).entry {
            continue;
        }
        let Some(module) = in_force(db, *entry) else {
            continue;
        };
        let target = module.start.target;
        let limit = u64::from(static_shared(target));
        let mut used: Vec<Shared> = variables_of(db, *entry, index);
        let mut seen: FxHashSet<(bool, u32)> = FxHashSet::default();
        for name in names_reached(db, *entry) {
            for declaration in scope.find(name) {
                match declaration.source {
                    DeclarationSource::Variable(it) if seen.insert((true, it)) => {
                        used.extend(module_variables.get(it as usize).copied().flatten());
                    }
                    DeclarationSource::Function(it) if it != index && seen.insert((false, it)) => {
                        if let Some(function) = items.functions.get(it as usize) {
                            used.extend(variables_of(db, *function, it));
                        }
                    }
                    _ => {}
                }
            }
        }
        let sum = used.iter().fold(0, |sum, it| it.bytes.saturating_add(sum));
        if sum <= limit {
            continue;
        }
        let name = entry.name(db);
        let range = body(db, *entry).name.unwrap_or_default();
        let mut found = finding(
            range,
            MEMORY_LIMIT,
            format!(
                "entry `{name}` uses {sum} bytes of static shared memory; `{target}` allows {limit}"
            ),
            Some("declare an `.extern .shared` array and pass its size to the launch".to_owned()),
        );
        // A finding can point into its own item and at declarations of the module only.
        used.retain(|it| it.function.is_none_or(|it| it == index));
        used.sort_by_key(|it| Reverse(it.bytes));
        let largest = used.first();
        found.related = largest
            .map(|it| (it.place, "the largest"))
            .into_iter()
            .collect();
        findings.push((ItemIndex::Function(index), found));
    }
}
