//! Declarations of one variable of the module that say different things of it.

use salsa::Database;

use crate::{
    db::SourceFile,
    diagnostics::{
        finding::{Finding, LINE, finding},
        place::{ItemIndex, Place},
        registry::CONFLICTING_DECLARATION,
    },
    hir::{
        declaration::Shape,
        items::items,
        linkage::Linkage,
        module::{
            Declaration, DeclarationKind, DeclarationSource, ModuleVariable, module_body,
            module_scope,
        },
    },
};

/// Compares the types and dimensions of variables that are declared more than once. What is wrong with
/// their linkage is judged with the duplicates.
pub(in crate::diagnostics) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    let scope = module_scope(db, file);
    let variables = &module_body(db, items(db, file).module).variables;
    let before = findings.len();
    for (name, declarations) in scope.names().chain(scope.families()) {
        if declarations.len() > 1 {
            compare(name, declarations, variables, findings);
        }
    }
    // The maps have no order; the answer has one.
    findings[before..].sort_by_key(|(item, it)| match item {
        ItemIndex::Function(index) => (*index, it.range.start()),
        ItemIndex::Other(index) => (*index, it.range.start()),
    });
}

fn compare(
    name: &str,
    declarations: &[Declaration],
    variables: &[ModuleVariable],
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    let all_variables = declarations
        .iter()
        .all(|it| it.kind == DeclarationKind::Variable);
    if !all_variables {
        return;
    }
    let mut known: Option<(Shape, &Declaration)> = None;
    let mut defined = false;
    for declaration in declarations {
        let DeclarationSource::Variable(index) = declaration.source else {
            continue;
        };
        let Some(variable) = variables.get(index as usize) else {
            continue;
        };
        let shape = &variable.shape;
        // A type that is missing or unknown is reported where it appears.
        if shape.ty.is_none() {
            continue;
        }
        let Some((first, place)) = &mut known else {
            defined = declaration.defined;
            known = Some((shape.clone(), declaration));
            continue;
        };
        let duplicate = declaration.defined && (defined || declaration.linkage.is_none());
        defined |= declaration.linkage != Some(Linkage::Extern);
        if duplicate {
            continue;
        }
        if !first.agrees(shape) {
            let mut finding = finding(
                variable.name_range,
                CONFLICTING_DECLARATION,
                format!("`{name}` is `{shape}` here, but `{first}` on line {LINE}"),
                None,
            );
            finding.related = vec![(Place::of(place), "first declared here")];
            findings.push((ItemIndex::Other(variable.item), finding));
            continue;
        }
        // A later declaration may say how large an open array is.
        if let (Some(open @ 0), Some(size)) =
            (first.dimensions.first_mut(), shape.dimensions.first())
        {
            *open = *size;
        }
    }
}
