//! Names that are declared more often than ptxas allows.

use crate::{
    Severity, SymbolKind,
    db::SourceFile,
    diagnostics::{
        finding::{Finding, LINE},
        place::{ItemIndex, Place, declaration_place},
        registry::{CONFLICTING_DECLARATION, DUPLICATE_DEFINITION, DiagnosticCode},
        rules::calls::prototypes::{disagreement, formal_place, system_calls},
    },
    hir::{
        body::{Definition, body},
        items::{Function, items},
        linkage::Linkage,
        module::{Declaration, DeclarationKind, header_of, module_body, module_scope},
        number::{is_canonical, split_name},
    },
};

use rustc_hash::FxHashMap;
use salsa::Database;

const FIRST: &str = "first declared here";

/// Names that are taken in their block.
pub(in crate::diagnostics) fn in_function(
    db: &dyn Database,
    function: Function<'_>,
    findings: &mut Vec<Finding>,
) {
    let body = body(db, function);
    for duplicate in &body.duplicates {
        let definition = body.definition(duplicate.definition);
        let first = body.definition(duplicate.first);
        let message = if first.name == definition.name && first.count == definition.count {
            format!(
                "{} is already declared in this block, on line {LINE}",
                shown(definition)
            )
        } else {
            format!(
                "{} takes a name of {}, declared in the same block on line {LINE}",
                shown(definition),
                shown(first)
            )
        };
        findings.push(Finding {
            range: definition.name_range,
            severity: Severity::Error,
            code: DUPLICATE_DEFINITION.name,
            message,
            help: None,
            related: vec![(Place::Own(first.name_range), FIRST)],
            fixes: Vec::new(),
        });
    }
}

fn shown(definition: &Definition) -> String {
    let name = &definition.name;
    match (definition.kind, definition.count) {
        (SymbolKind::Label, _) => format!("label `{name}`"),
        (_, Some(count)) => format!("`{name}<{count}>`"),
        (_, None) => format!("`{name}`"),
    }
}

/// Declarations of the module that do not go together.
pub(in crate::diagnostics) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    let scope = module_scope(db, file);
    let mut problems = Vec::new();
    for (name, declarations) in scope.names() {
        if !name.is_empty() {
            check_name(name, declarations, &mut problems);
            check_headers(db, file, name, declarations, &mut problems);
        }
        // A single name that a parameterised one covers.
        if let Some((prefix, number)) = split_name(name).filter(|_| is_canonical(name)) {
            // As in functions, ptxas looks no further where the first of the names is taken.
            let first = scope.find(&format!("{prefix}0"));
            let first = first.iter().find(|it| it.defined && it.count.is_none());
            for single in declarations {
                let family = scope.family(prefix).iter().find(|it| {
                    it.defined
                        && single.defined
                        && it.count.is_some_and(|it| number < it)
                        && first.is_none_or(|first| first.order > it.order)
                });
                if let Some(family) = family {
                    problems.push(duplicate(name, single, family));
                }
            }
        }
    }
    for (prefix, declarations) in scope.families() {
        let mut defined = declarations.iter().filter(|it| it.defined);
        if let Some(first) = defined.next() {
            problems.extend(defined.map(|it| duplicate(prefix, it, first)));
        }
    }
    // The maps have no order; the answer has one.
    problems.sort_by_key(|it| (it.declaration.order, it.message.clone()));
    for problem in problems {
        let source = problem.declaration.source;
        let (item, range) = match problem.formal {
            Some(formal) => formal_place(db, file, source, formal),
            None => declaration_place(db, file, source),
        };
        let finding = Finding {
            range,
            severity: Severity::Error,
            code: problem.code.name,
            message: problem.message,
            help: None,
            related: problem.first.iter().map(|it| (*it, FIRST)).collect(),
            fixes: Vec::new(),
        };
        findings.push((item, finding));
    }
    section_labels(db, file, findings);
    system_calls(db, file, findings);
}

/// A declaration that does not go with an earlier one.
struct Disagreement {
    declaration: Declaration,
    code: &'static DiagnosticCode,
    message: String,
    first: Option<Place>,
    /// Index of the result or parameter that it is about.
    formal: Option<usize>,
}

fn duplicate(name: &str, declaration: &Declaration, first: &Declaration) -> Disagreement {
    let (declaration, first) = if declaration.order < first.order {
        (first, declaration)
    } else {
        (declaration, first)
    };
    Disagreement {
        declaration: *declaration,
        code: DUPLICATE_DEFINITION,
        message: format!("`{name}` is already defined on line {LINE}"),
        first: Some(Place::of(first)),
        formal: None,
    }
}

fn conflict(
    message: String,
    declaration: &Declaration,
    first: Option<&Declaration>,
) -> Disagreement {
    Disagreement {
        declaration: *declaration,
        code: CONFLICTING_DECLARATION,
        message,
        first: first.map(Place::of),
        formal: None,
    }
}

/// Goes through the declarations of a name in the order of the text, at most one problem for each.
fn check_name(name: &str, declarations: &[Declaration], problems: &mut Vec<Disagreement>) {
    // Inside functions, other names may hide special registers.
    if let Some(first) = declarations.first()
        && isa::special::find(name).is_some()
    {
        let message = format!("`{name}` is the name of a special register");
        problems.push(conflict(message, first, None));
        return;
    }
    let mut earlier = Earlier::default();
    for declaration in declarations {
        let variable = declaration.kind == DeclarationKind::Variable;
        let problem = if variable {
            check_variable(name, declaration, &earlier)
        } else {
            check_function(name, declaration, &earlier)
        };
        problems.extend(problem);
        earlier.first.get_or_insert(declaration);
        if variable {
            earlier.variable.get_or_insert(declaration);
        } else {
            earlier.function.get_or_insert(declaration);
        }
        if declaration.defined {
            earlier.definition.get_or_insert(declaration);
        }
    }
}

/// The first declarations of each kind before the one that is checked.
#[derive(Default)]
struct Earlier<'a> {
    first: Option<&'a Declaration>,
    variable: Option<&'a Declaration>,
    function: Option<&'a Declaration>,
    definition: Option<&'a Declaration>,
}

fn check_variable(
    name: &str,
    declaration: &Declaration,
    earlier: &Earlier<'_>,
) -> Option<Disagreement> {
    if let Some(function) = earlier.function {
        let message = format!("variable `{name}` has the name of the function on line {LINE}");
        return Some(conflict(message, declaration, Some(function)));
    }
    // `.extern` may be repeated, and follow the definition.
    if !declaration.defined {
        return None;
    }
    if let Some(first) = earlier.definition {
        return Some(duplicate(name, declaration, first));
    }
    let first = earlier.first?;
    if declaration.linkage.is_none() {
        let message = format!(
            "`{name}` was declared `.extern` on line {LINE}: its definition must be `.visible`, `.weak` or `.common`"
        );
        return Some(conflict(message, declaration, Some(first)));
    }
    None
}

fn check_function(
    name: &str,
    declaration: &Declaration,
    earlier: &Earlier<'_>,
) -> Option<Disagreement> {
    if declaration.defined && declaration.linkage == Some(Linkage::Extern) {
        let message = format!("`{name}` is `.extern`, so it cannot have a body here");
        return Some(conflict(message, declaration, None));
    }
    let first = earlier.first?;
    if let Some(variable) = earlier.variable {
        let message = format!("function `{name}` has the name of the variable on line {LINE}");
        return Some(conflict(message, declaration, Some(variable)));
    }
    // Nothing may follow the definition, not even a prototype.
    if let Some(definition) = earlier.definition {
        return Some(duplicate(name, declaration, definition));
    }
    if first.kind != declaration.kind {
        let message = format!("`{name}` is an `.entry` and a `.func`: see line {LINE}");
        return Some(conflict(message, declaration, Some(first)));
    }
    // The first declaration decides; `.visible` and `.weak` need not be repeated.
    let agrees = declaration.linkage == first.linkage
        || declaration.linkage.is_none()
            && matches!(first.linkage, Some(Linkage::Visible | Linkage::Weak));
    if !agrees {
        let shown = |it: Option<Linkage>| {
            it.map_or("no linking directive".to_owned(), |it| {
                format!("`{}`", it.as_str())
            })
        };
        let message = format!(
            "`{name}` has {} here, but {} on line {LINE}",
            shown(declaration.linkage),
            shown(first.linkage)
        );
        return Some(conflict(message, declaration, Some(first)));
    }
    None
}

/// Compares the headers of the declarations of a function, unless these are wrong for another reason.
fn check_headers(
    db: &dyn Database,
    file: SourceFile,
    name: &str,
    declarations: &[Declaration],
    problems: &mut Vec<Disagreement>,
) {
    let [first, later @ ..] = declarations else {
        return;
    };
    if later.is_empty() {
        return;
    }
    let Some(header) = header_of(db, file, first.source) else {
        return;
    };
    for declaration in later {
        let wrong = problems
            .iter()
            .any(|it| it.declaration.source == declaration.source);
        let Some(other) = header_of(db, file, declaration.source).filter(|_| !wrong) else {
            continue;
        };
        if let Some(found) = disagreement(name, header, other) {
            problems.push(Disagreement {
                formal: found.formal,
                ..conflict(found.message, declaration, Some(first))
            });
        }
    }
}

/// Labels of debug sections, which share one scope.
fn section_labels(db: &dyn Database, file: SourceFile, findings: &mut Vec<(ItemIndex, Finding)>) {
    let mut labels: FxHashMap<&str, Place> = FxHashMap::default();
    for label in &module_body(db, items(db, file).module).section_labels {
        let place = Place::Item(label.item, label.name_range);
        let first = *labels.entry(&label.name).or_insert(place);
        if first != place {
            let finding = Finding {
                range: label.name_range,
                severity: Severity::Error,
                code: DUPLICATE_DEFINITION.name,
                message: format!(
                    "section label `{}` is already defined on line {LINE}",
                    label.name
                ),
                help: None,
                related: vec![(first, FIRST)],
                fixes: Vec::new(),
            };
            findings.push((ItemIndex::Other(label.item), finding));
        }
    }
}
