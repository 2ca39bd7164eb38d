//! Declarations of one function that do not agree about its header, and prototypes of system calls.

use isa::{
    system_call::{self, Part},
    types::Class,
    variable::VariableType,
};
use salsa::Database;
use syntax::{SyntaxKind, TextRange};

use crate::{
    db::SourceFile,
    diagnostics::{
        finding::{Finding, LINE, finding},
        place::{ItemIndex, declaration_place},
        registry::SYSTEM_CALL_MISMATCH,
        rules::calls::arguments::{bytes, is_open, show, value},
    },
    hir::{
        declaration::Shape,
        declared::address_bytes,
        header::{Formal, FunctionHeader},
        items::items,
        module::{DeclarationSource, header_of, module_scope},
        tree::{self, node_at},
    },
};

/// The points on which two declarations of a function disagree.
pub(in crate::diagnostics) struct Disagreement {
    /// Index of the result or parameter, results first.
    pub(in crate::diagnostics) formal: Option<usize>,
    /// The problem with the later declaration.
    pub(in crate::diagnostics) message: String,
}

/// The first thing that the later one of two declarations has otherwise.
pub(in crate::diagnostics) fn disagreement(
    name: &str,
    first: &FunctionHeader,
    later: &FunctionHeader,
) -> Option<Disagreement> {
    if first.broken || later.broken {
        return None;
    }
    let whole = |message| {
        Some(Disagreement {
            formal: None,
            message,
        })
    };
    let count = |noun: &str, here: usize, there: usize| {
        let plural = if here == 1 { "" } else { "s" };
        whole(format!(
            "`{name}` has {here} {noun}{plural} here, but {there} on line {LINE}"
        ))
    };
    let (results, there) = (later.results.len(), first.results.len());
    if results != there {
        return count("result", results, there);
    }
    let (parameters, there) = (later.parameters.len(), first.parameters.len());
    if parameters != there {
        return count("parameter", parameters, there);
    }
    for (index, (here, there)) in later.formals().zip(first.formals()).enumerate() {
        if let Some(message) = different(here, there) {
            return Some(Disagreement {
                formal: Some(index),
                message,
            });
        }
    }
    if first.noreturn != later.noreturn {
        let (here, there) = if later.noreturn {
            ("", "not ")
        } else {
            ("not ", "")
        };
        return whole(format!(
            "`{name}` is {here}`.noreturn` here, but {there}on line {LINE}"
        ));
    }
    match (&first.unified, &later.unified) {
        (Some(there), Some(here)) if there != here => whole(format!(
            "`{name}` has `{here}` here, but `{there}` on line {LINE}"
        )),
        _ => None,
    }
}

fn different(here: &Formal, there: &Formal) -> Option<String> {
    let (new, old) = (&here.shape, &there.shape);
    let name = &here.name;
    if new.space != old.space {
        let (new, old) = (new.space?, old.space?);
        return Some(format!(
            "`{name}` is in `{}` here, but in `{}` on line {LINE}",
            new.word(),
            old.word()
        ));
    }
    let same = new.ty == old.ty && new.lanes == old.lanes && new.dimensions == old.dimensions;
    let (here, there) = (shown(new)?, shown(old)?);
    if !same {
        return Some(format!(
            "`{name}` is `{here}` here, but `{there}` on line {LINE}"
        ));
    }
    let (new, old) = (value(new)?, value(old)?);
    (new.alignment != old.alignment).then(|| {
        format!(
            "`{name}` is aligned to {} here, but to {} on line {LINE}",
            bytes(new.alignment),
            old.alignment
        )
    })
}

/// The type of a parameter for a message.
fn shown(shape: &Shape) -> Option<String> {
    if let Some(value) = value(shape) {
        return Some(show(&value, ""));
    }
    let mut out = shape.ty?.word().to_owned();
    for dimension in &shape.dimensions {
        out.push_str(&match dimension {
            0 => "[]".to_owned(),
            count => format!("[{count}]"),
        });
    }
    Some(out)
}

/// Where a result or parameter of a declaration appears: its item and its name.
pub(in crate::diagnostics) fn formal_place(
    db: &dyn Database,
    file: SourceFile,
    source: DeclarationSource,
    formal: usize,
) -> (ItemIndex, TextRange) {
    let (item, name) = declaration_place(db, file, source);
    let found = match source {
        DeclarationSource::Variable(_) => None,
        DeclarationSource::Function(index) | DeclarationSource::Prototype(index, _) => {
            let function = items(db, file).functions.get(index as usize);
            function.and_then(|function| {
                let mut node = function.green(db).cursor();
                if matches!(source, DeclarationSource::Prototype(..)) {
                    let block = node.node(SyntaxKind::BLOCK)?;
                    node = node_at(&block, SyntaxKind::FUNCTION, name.start())?;
                }
                let lists = node.nodes().filter(|it| {
                    matches!(
                        it.kind(),
                        SyntaxKind::RETURN_LIST | SyntaxKind::PARAMETER_LIST
                    )
                });
                let parameter = lists
                    .flat_map(|it| it.nodes().collect::<Vec<_>>())
                    .filter(|it| it.kind() == SyntaxKind::PARAMETER)
                    .nth(formal)?;
                Some(tree::name(&parameter)?.range())
            })
        }
    };
    (item, found.unwrap_or(name))
}

/// Declarations of system calls with another prototype than the driver has: ptxas takes them, but what
/// they pass is not what is read.
pub(in crate::diagnostics) fn system_calls(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    let scope = module_scope(db, file);
    let address = || address_bytes(db, file);
    for call in system_call::SYSTEM_CALLS {
        let declarations = scope.find(call.name);
        // A function of the module with this name is its own affair.
        if declarations.iter().any(|it| it.defined) {
            continue;
        }
        for declaration in declarations {
            let Some(header) = header_of(db, file, declaration.source).filter(|it| !it.broken)
            else {
                continue;
            };
            let result: Vec<Part> = call.result.iter().map(|it| it.1).collect();
            let parameters: Vec<Part> = call.parameters.iter().map(|it| it.1).collect();
            let agrees = |formals: &[Formal], parts: &[Part]| {
                formals.len() == parts.len()
                    && formals
                        .iter()
                        .zip(parts)
                        .all(|(formal, part)| passes(&formal.shape, part.bytes(address())))
            };
            if agrees(&header.results, &result) && agrees(&header.parameters, &parameters) {
                continue;
            }
            let (item, range) = declaration_place(db, file, declaration.source);
            findings.push((
                item,
                finding(
                    range,
                    SYSTEM_CALL_MISMATCH,
                    format!("the driver has another prototype of `{}`", call.name),
                    Some(format!("`{}`", call.prototype(address()))),
                ),
            ));
        }
    }
}

/// Whether a parameter is in `.param` and of so many bytes.
fn passes(shape: &Shape, bytes: u64) -> bool {
    let float = matches!(
        shape.ty,
        Some(VariableType::Basic(Class::F16 | Class::F32 | Class::F64))
    );
    let count = match shape.dimensions.as_slice() {
        [] => 1,
        [count] if !is_open(shape) => *count,
        _ => return false,
    };
    shape.space == Some(isa::variable::StateSpace::Parameter)
        && !float
        && value(shape).is_some_and(|it| count.checked_mul(it.bits()) == Some(bytes * 8))
}
