//! Values that ptxas cannot pass between functions.

use isa::{
    types::{Class, Family},
    variable::VariableType,
};
use syntax::Cursor;

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        registry::ABI_TYPE,
        rules::calls::context::{CallContext, CallParts, Callee, text},
    },
    hir::{header::Formal, items::items, module::signature, reached::is_reached, tree::trimmed},
};

/// Results and arguments of a call that have 8 or 16 bits and a sign, or are predicates: ptxas generates no
/// code for them. A function that no entry reaches it drops before, and with a function of several results in the module
/// it gives up its convention for calls.
pub(in crate::diagnostics) fn check(
    context: &CallContext<'_>,
    call: &CallParts<'_>,
    callee: &Callee<'_>,
    findings: &mut Vec<Finding>,
) {
    let header = &*callee.header;
    if !header.formals().any(is_refused) || !is_reached(context.db, context.function) {
        return;
    }
    if several_results(context) {
        return;
    }
    let results = (call.results.as_ref(), &header.results);
    let arguments = (call.arguments.as_ref(), &header.parameters);
    for (list, formals) in [results, arguments] {
        let nodes = list.into_iter().flat_map(Cursor::nodes);
        for (node, formal) in nodes.zip(formals).filter(|it| is_refused(it.1)) {
            let ty = formal.shape.ty.map_or("", VariableType::word);
            let mut found = finding(
                trimmed(&node),
                ABI_TYPE,
                format!(
                    "`{}` of `{}` is {ty}, which ptxas cannot pass between functions",
                    text(&node),
                    callee.name
                ),
                Some(
                    "declare the parameter as untyped bits (`.b8`, `.b16`) or with 32 bits"
                        .to_owned(),
                ),
            );
            found.related = callee
                .place
                .map(|it| (it, "declared here"))
                .into_iter()
                .collect();
            findings.push(found);
        }
    }
}

fn is_refused(formal: &Formal) -> bool {
    let shape = &formal.shape;
    let Some(VariableType::Basic(class)) = shape.ty else {
        return false;
    };
    let narrow = class == Class::Pred || class.family() == Family::Integer && class.bits() < 32;
    narrow && shape.lanes == 1 && shape.dimensions.is_empty()
}

/// Whether a function of the module has several results.
fn several_results(context: &CallContext<'_>) -> bool {
    let functions = &items(context.db, context.file()).functions;
    let mut headers = functions
        .iter()
        .map(|it| &signature(context.db, *it).header);
    headers.any(|it| it.results.len() > 1)
}
