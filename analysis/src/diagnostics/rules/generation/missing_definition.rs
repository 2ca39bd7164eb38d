//! Functions that are declared and that no module can define.

use isa::system_call::has_address;
use rustc_hash::FxHashSet;
use salsa::Database;

use crate::{
    db::SourceFile,
    diagnostics::{
        finding::{Finding, finding},
        place::{ItemIndex, declaration_place},
        registry::MISSING_DEFINITION,
    },
    hir::{
        items::items,
        linkage::Linkage,
        module::{Declaration, DeclarationKind, module_body, module_scope},
    },
};

/// Functions and entries that are declared without `.extern`, used or not, and neither defined nor an alias. Those that
/// have no address are the driver's.
pub(super) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    let scope = module_scope(db, file);
    let module = module_body(db, items(db, file).module);
    let aliases = module.aliases.iter();
    let aliases: FxHashSet<&str> = aliases
        .filter_map(|it| Some(&*module.references.get(*it as usize)?.name))
        .collect();
    // A syntax error may hide it.
    if scope.uncertain {
        return;
    }
    let is_open = |it: &Declaration| {
        it.kind != DeclarationKind::Variable && !it.defined && it.linkage != Some(Linkage::Extern)
    };
    let mut found: Vec<(&str, &Declaration)> = scope
        .names()
        .filter(|(name, all)| {
            all.iter().all(is_open) && has_address(name) && !aliases.contains(name)
        })
        .filter_map(|(name, all)| Some((name, all.first()?)))
        .collect();
    found.sort_unstable_by_key(|it| it.1.order);
    for (name, first) in found {
        let (item, range) = declaration_place(db, file, first.source);
        findings.push((
            item,
            finding(
                range,
                MISSING_DEFINITION,
                format!("`{name}` is declared and never defined"),
                Some("declare it `.extern` if another module defines it".to_owned()),
            ),
        ));
    }
}
