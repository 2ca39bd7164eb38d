//! Aliases of functions.

use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::{Cursor, CursorToken, SyntaxKind};

use crate::{
    db::SourceFile,
    diagnostics::{
        finding::{Finding, LINE, finding},
        place::{ItemIndex, Place},
        registry::{DUPLICATE_DEFINITION, INVALID_ALIAS},
        rules::{calls::prototypes::disagreement, directives::context::removal},
    },
    hir::{
        body::{Target, body},
        items::{Function, items},
        linkage::Linkage,
        module::{Declaration, DeclarationKind, function_order, header_of, module_scope},
        tree::trimmed,
    },
};

/// Aliases between the functions.
pub(super) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    let items = items(db, file);
    let mut known: FxHashMap<&str, Place> = FxHashMap::default();
    for (index, item) in (0u32..).zip(items.module.items(db)) {
        let cursor = item.green.cursor();
        if cursor.kind() != SyntaxKind::ALIAS || !item.errors.is_empty() {
            continue;
        }
        let Some((alias, aliasee)) = names(&cursor) else {
            continue;
        };
        let functions = items.before.partition_point(|it| *it <= index);
        let order = index + functions as u32;
        let mut found = Vec::new();
        check(db, file, order, &alias, &aliasee, &mut found);
        if let Some(first) = known.get(alias.text()) {
            let message = format!(
                "`{}` is an alias already; it became one in line {LINE}",
                alias.text()
            );
            let mut finding = finding(alias.range(), DUPLICATE_DEFINITION, message, None);
            finding.related.push((*first, "first made an alias here"));
            finding.fixes.push(removal(".alias", trimmed(&cursor)));
            found.push(finding);
        } else if found.is_empty() {
            known.insert(alias.text(), Place::Item(index, alias.range()));
        }
        findings.extend(found.into_iter().map(|it| (ItemIndex::Other(index), it)));
    }
}

/// An alias in a body, where names of the body hide those of the module.
pub(super) fn in_body(
    db: &dyn Database,
    function: Function<'_>,
    directive: &Cursor<'_>,
    findings: &mut Vec<Finding>,
) {
    let Some((alias, aliasee)) = names(directive) else {
        return;
    };
    let body = body(db, function);
    for name in [&alias, &aliasee] {
        let target = body.reference_at(name.range()).map(|it| it.target);
        if let Some(Target::Definition(id)) = target {
            let definition = body.definition(id);
            if !body.prototypes.iter().any(|it| it.0 == id) {
                let mut finding = no_function(name, "is not a function");
                finding
                    .related
                    .push((Place::Own(definition.name_range), "declared here"));
                findings.push(finding);
            }
            return;
        }
    }
    let file = function.file(db);
    let Some(order) = function_order(db, file).get(&function) else {
        return;
    };
    // The function itself is declared in its body.
    check(db, file, order + 1, &alias, &aliasee, findings);
}

/// The new name and the function that it stands for.
fn names<'a>(directive: &Cursor<'a>) -> Option<(CursorToken<'a>, CursorToken<'a>)> {
    let mut names = directive
        .nodes()
        .filter(|it| it.kind() == SyntaxKind::NAME_REFERENCE)
        .filter_map(|it| it.token(SyntaxKind::IDENT));
    Some((names.next()?, names.next()?))
}

fn check(
    db: &dyn Database,
    file: SourceFile,
    order: u32,
    alias: &CursorToken<'_>,
    aliasee: &CursorToken<'_>,
    findings: &mut Vec<Finding>,
) {
    let scope = module_scope(db, file);
    let before = |name: &str| {
        let mut all: Vec<&Declaration> = scope.find(name).iter().collect();
        all.retain(|it| it.order < order);
        all
    };
    if alias.text() == aliasee.text() {
        findings.push(no_function(alias, "cannot be an alias of itself"));
        return;
    }
    let (new, old) = (before(alias.text()), before(aliasee.text()));
    for (name, declarations) in [(alias, &new), (aliasee, &old)] {
        let kind = |kind: DeclarationKind| declarations.iter().find(|it| it.kind == kind);
        let wrong = kind(DeclarationKind::Variable)
            .map(|it| (it, "is a variable; `.alias` is for functions"))
            .or_else(|| {
                let entry = kind(DeclarationKind::Entry)?;
                Some((entry, "is an entry; `.alias` is for functions"))
            });
        if let Some((declaration, message)) = wrong {
            findings.push(with_place(no_function(name, message), declaration));
            return;
        }
    }
    let before = findings.len();
    if let Some(defined) = new.iter().find(|it| it.defined) {
        let finding = no_function(alias, "has a body, so it cannot become an alias");
        findings.push(with_place(finding, defined));
    }
    for (linkage, message) in [
        (Linkage::Extern, "is `.extern`, so it cannot have an alias"),
        (Linkage::Weak, "is `.weak`, so it cannot have an alias"),
    ] {
        if let Some(declaration) = old.iter().find(|it| it.linkage == Some(linkage)) {
            findings.push(with_place(no_function(aliasee, message), declaration));
        }
    }
    if findings.len() == before
        && let (Some(new), Some(old)) = (new.first(), old.first())
        && let Some(what) = difference(db, file, new, old)
    {
        let message = format!(
            "`{}` cannot be an alias of `{}`: {what}",
            alias.text(),
            aliasee.text()
        );
        let mut finding = finding(alias.range(), INVALID_ALIAS, message, None);
        finding.related.push((Place::of(new), "the alias"));
        finding
            .related
            .push((Place::of(old), "the aliased function"));
        findings.push(finding);
    }
}

/// The points on which two functions disagree that must agree.
fn difference(
    db: &dyn Database,
    file: SourceFile,
    new: &Declaration,
    old: &Declaration,
) -> Option<String> {
    let new = header_of(db, file, new.source)?;
    let old = header_of(db, file, old.source)?;
    let found = disagreement("", old, new)?;
    if new.results.len() != old.results.len() {
        return Some("the numbers of their results differ".to_owned());
    }
    if new.parameters.len() != old.parameters.len() {
        return Some("the numbers of their parameters differ".to_owned());
    }
    match found.formal {
        Some(index) if index < new.results.len() => Some("their results differ".to_owned()),
        Some(index) => {
            let number = index - new.results.len() + 1;
            Some(format!("parameter {number} differs"))
        }
        None if new.noreturn != old.noreturn => Some("one of them is `.noreturn`".to_owned()),
        None => None,
    }
}

fn no_function(name: &CursorToken<'_>, message: &str) -> Finding {
    let message = format!("`{}` {message}", name.text());
    finding(name.range(), INVALID_ALIAS, message, None)
}

fn with_place(mut finding: Finding, declaration: &Declaration) -> Finding {
    finding
        .related
        .push((Place::of(declaration), "declared here"));
    finding
}
