//! Fixes that declare what a call lacks.

use isa::{
    call::Shape as Value,
    operand::{Operand, Space, Symbol},
    types::Class,
};
use salsa::Database;
use syntax::{Cursor, TextRange};

use crate::{
    FixKind,
    diagnostics::{
        fix::{Repair, blank_before},
        place::Place,
        rules::calls::{
            arguments::{show, value},
            context::{CallContext, CallParts},
        },
    },
    hir::{items::Function, tree::trimmed},
};

/// Declares a `.callprototype` for a call through a register, from what the call passes. `number` is
/// different for each call of the function.
pub(in crate::diagnostics) fn declare(
    context: &CallContext<'_>,
    instruction: &Cursor<'_>,
    call: &CallParts<'_>,
    number: usize,
) -> Option<Repair> {
    let list = |list: Option<&Cursor<'_>>| -> Option<Vec<String>> {
        let nodes = list.into_iter().flat_map(Cursor::nodes);
        nodes.map(|it| parameter(context, &it)).collect()
    };
    let (results, parameters) = (list(call.results.as_ref())?, list(call.arguments.as_ref())?);
    let mut label = format!("prototype_{number}");
    while context.body.definitions.iter().any(|it| *it.name == label) {
        label.push('_');
    }
    let mut text = format!("{label}: .callprototype ");
    if !results.is_empty() {
        text.push_str(&format!("({}) ", results.join(", ")));
    }
    text.push('_');
    if !parameters.is_empty() {
        text.push_str(&format!(" ({})", parameters.join(", ")));
    }
    text.push(';');
    let start = trimmed(instruction).start();
    text.push_str(&blank_before(instruction));
    let last = call.arguments.as_ref().unwrap_or(&call.callee);
    Some(Repair {
        title: "Declare the `.callprototype` of this call".to_owned(),
        edits: vec![
            (Place::Own(TextRange::empty(start)), text),
            (
                Place::Own(TextRange::empty(trimmed(last).end())),
                format!(", {label}"),
            ),
        ],
        preferred: true,
        kind: FixKind::DeclarePrototype,
    })
}

/// Declares a system call before the function that calls it.
pub(in crate::diagnostics) fn system_call(
    db: &dyn Database,
    function: Function<'_>,
    name: &str,
    prototype: &str,
) -> Repair {
    let start = trimmed(&function.green(db).cursor()).start();
    Repair::new(
        FixKind::DeclarePrototype,
        format!("Declare `{name}`"),
        TextRange::empty(start),
        format!("{prototype};\n"),
    )
    .preferred(true)
}

/// The parameter of a prototype for something that a call passes.
fn parameter(context: &CallContext<'_>, node: &Cursor<'_>) -> Option<String> {
    let value = match context.operand(node) {
        Operand::Integer(_) => Value::register(Class::B32, 1),
        Operand::Float(..) => Value::register(Class::F32, 1),
        Operand::Register { class, lanes } => {
            let shape = context.reference(node).and_then(|it| context.shape(it));
            shape
                .and_then(value)
                .unwrap_or_else(|| Value::register(class, lanes))
        }
        Operand::Symbol(Symbol::Variable(Space::LocalParameter, _)) => {
            value(context.shape(context.reference(node)?)?)?
        }
        _ => return None,
    };
    // Predicates and vectors are passed in registers only.
    let space = if value.class == Class::Pred || value.lanes > 1 {
        ".reg"
    } else {
        ".param"
    };
    let text = show(&value, " _");
    let name = if text.ends_with(']') { "" } else { " _" };
    Some(format!("{space} {text}{name}"))
}
