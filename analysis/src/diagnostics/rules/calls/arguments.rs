//! Results and arguments of calls, compared with the header of the callee.

use std::fmt::Write as _;

use isa::{
    call::{Argument, Elements, Misfit, Shape as Value, fits, natural_alignment},
    operand::{Operand, Space, Symbol},
    variable::{StateSpace, VariableType},
};
use syntax::{Cursor, SyntaxKind};

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        place::Place,
        registry::{INVALID_ARGUMENT, WRONG_ARGUMENT_COUNT},
        rules::calls::context::{CallContext, CallParts, Callee, text},
    },
    hir::{
        declaration::Shape,
        header::Formal,
        operand::describe,
        tree::{for_each_node, trimmed},
    },
};

/// Compares the results and arguments of a call with those of the callee.
pub(in crate::diagnostics) fn compare(
    context: &CallContext<'_>,
    call: &CallParts<'_>,
    callee: &Callee<'_>,
    findings: &mut Vec<Finding>,
) {
    let header = &*callee.header;
    let results = Values {
        list: call.results.as_ref(),
        formals: &header.results,
        result: true,
    };
    let arguments = Values {
        list: call.arguments.as_ref(),
        formals: &header.parameters,
        result: false,
    };
    for values in [results, arguments] {
        if !values.count(call, callee, findings) {
            continue;
        }
        let nodes = values.list.into_iter().flat_map(Cursor::nodes);
        for (node, formal) in nodes.zip(values.formals) {
            if let Some((message, help)) = values.judge(context, &node, formal, callee) {
                let mut found = finding(trimmed(&node), INVALID_ARGUMENT, message, help);
                found.related = declared(callee);
                findings.push(found);
            }
        }
    }
}

fn declared(callee: &Callee<'_>) -> Vec<(Place, &'static str)> {
    callee
        .place
        .map(|it| (it, "declared here"))
        .into_iter()
        .collect()
}

/// The results or the arguments of a call.
struct Values<'a> {
    list: Option<&'a Cursor<'a>>,
    formals: &'a [Formal],
    result: bool,
}

impl Values<'_> {
    /// Whether there are as many as the callee has; else says so.
    fn count(
        &self,
        call: &CallParts<'_>,
        callee: &Callee<'_>,
        findings: &mut Vec<Finding>,
    ) -> bool {
        let found = self.list.map_or(0, |it| it.nodes().count());
        let wanted = self.formals.len();
        // The array at the end may be left out, the parentheses not.
        let open = !self.result && self.formals.last().is_some_and(|it| is_open(&it.shape));
        let fits = found == wanted || open && self.list.is_some() && found + 1 == wanted;
        if fits && !(open && self.list.is_none()) {
            return true;
        }
        let range = self.list.map_or_else(|| trimmed(&call.callee), trimmed);
        let (verb, noun) = if self.result {
            ("returns", "result")
        } else {
            ("takes", "argument")
        };
        let plural = if wanted == 1 { "" } else { "s" };
        let message = if open && found == wanted.saturating_sub(1) {
            format!(
                "`{}` takes an array of any size: without it, write `()` after the callee",
                callee.name
            )
        } else {
            format!(
                "`{}` {verb} {wanted} {noun}{plural}, not {found}",
                callee.name
            )
        };
        let mut problem = finding(range, WRONG_ARGUMENT_COUNT, message, None);
        problem.related = declared(callee);
        findings.push(problem);
        false
    }

    /// The problem with one of them, and the right form.
    fn judge(
        &self,
        context: &CallContext<'_>,
        node: &Cursor<'_>,
        formal: &Formal,
        callee: &Callee<'_>,
    ) -> Option<(String, Option<String>)> {
        let role = if self.result {
            "a result"
        } else {
            "an argument"
        };
        let shown = text(node);
        let operand = context.operand(node);
        let computed = has_name(node) && node.kind() != SyntaxKind::NAME_REFERENCE;
        let argument = match &operand {
            Operand::Unknown => return None,
            _ if computed => {
                return Some((
                    format!("`{shown}` cannot be {role}"),
                    Some(
                        "only a name or a constant is allowed; compute other values before"
                            .to_owned(),
                    ),
                ));
            }
            Operand::Sink if self.result => return None,
            Operand::Sink => {
                return Some((
                    "`_` discards a result; an argument needs a value".to_owned(),
                    None,
                ));
            }
            Operand::Integer(_) => Argument::Integer,
            Operand::Float(..) => Argument::Float,
            Operand::Register { class, lanes } => {
                let reference = context.reference(node)?;
                let value = match context.shape(reference) {
                    Some(shape) => value(shape)?,
                    None => Value::register(*class, *lanes),
                };
                Argument::Register(value)
            }
            Operand::Symbol(Symbol::Variable(Space::LocalParameter, _)) => {
                let shape = context.shape(context.reference(node)?)?;
                if let Some(message) = other_elements(shape, formal, callee, &shown) {
                    return Some((message, None));
                }
                Argument::Variable(value(shape)?)
            }
            Operand::Symbol(Symbol::Variable(
                Space::EntryParameter | Space::InputParameter | Space::ReturnParameter,
                _,
            )) => {
                return Some((
                    format!("`{shown}` is a parameter of this function and cannot be {role}"),
                    Some(
                        "copy it into a register or into a `.param` variable of the body"
                            .to_owned(),
                    ),
                ));
            }
            Operand::Symbol(_) | Operand::Special { .. } => {
                return Some((
                    format!("{} cannot be {role}", describe(&operand)),
                    Some("move it into a register first".to_owned()),
                ));
            }
            // A wrong constant expression is judged with the others of its kind.
            _ => return None,
        };
        let parameter = value(&formal.shape)?;
        let misfit = fits(&parameter, &argument).err()?;
        let what = if self.result {
            format!("result `{}` of `{}`", formal.name, callee.name)
        } else {
            format!("parameter `{}` of `{}`", formal.name, callee.name)
        };
        let wanted = show(&parameter, "");
        let found = match argument {
            Argument::Integer => "an integer".to_owned(),
            Argument::Float => "a floating-point constant".to_owned(),
            Argument::Register(it) | Argument::Variable(it) => format!("`{}`", show(&it, "")),
        };
        Some(match misfit {
            Misfit::Space => (
                format!("`{shown}` is a register, but {what} is the array `{wanted}`"),
                Some("pass a `.param` variable of the same size and alignment".to_owned()),
            ),
            Misfit::Type => (
                format!("`{shown}` is {found}, but {what} is `{wanted}`"),
                None,
            ),
            Misfit::Alignment => {
                let (Argument::Register(it) | Argument::Variable(it)) = argument else {
                    return None;
                };
                (
                    format!(
                        "`{shown}` is aligned to {}, but {what} to {}",
                        bytes(it.alignment),
                        parameter.alignment
                    ),
                    Some(format!("declare it with `.align {}`", parameter.alignment))
                        .filter(|_| it.alignment < parameter.alignment),
                )
            }
        })
    }
}

/// Whether a register or variable of the body, whose declaration has a shape, can be passed for a parameter or take a
/// result.
pub(crate) fn admits(formal: &Formal, operand: &Operand, shape: &Shape) -> bool {
    let same_elements = match (shape.ty, formal.shape.ty) {
        (Some(found), Some(wanted)) => {
            let basic = |it| matches!(it, VariableType::Basic(_));
            basic(found) == basic(wanted)
        }
        _ => true,
    };
    let argument = match operand {
        Operand::Register { .. } => value(shape).map(Argument::Register),
        Operand::Symbol(Symbol::Variable(Space::LocalParameter, _)) if same_elements => {
            value(shape).map(Argument::Variable)
        }
        _ => None,
    };
    let parameter = value(&formal.shape);
    parameter
        .zip(argument)
        .is_some_and(|(parameter, argument)| fits(&parameter, &argument).is_ok())
}

/// That only one of two arrays has elements of a type that ptxas compares with its like only.
fn other_elements(
    shape: &Shape,
    formal: &Formal,
    callee: &Callee<'_>,
    shown: &str,
) -> Option<String> {
    let (found, wanted) = (shape.ty?, formal.shape.ty?);
    let basic = |it| matches!(it, VariableType::Basic(_));
    (basic(found) != basic(wanted)).then(|| {
        format!(
            "`{shown}` has elements of type `{}`, but parameter `{}` of `{}` of type `{}`",
            found.word(),
            formal.name,
            callee.name,
            wanted.word()
        )
    })
}

/// Whether an expression contains a name, or is one of the forms that have names inside.
fn has_name(node: &Cursor<'_>) -> bool {
    let forms = [
        SyntaxKind::NAME_REFERENCE,
        SyntaxKind::ADDRESS,
        SyntaxKind::VECTOR,
    ];
    let mut found = forms.contains(&node.kind());
    for_each_node(node, &mut |it| found |= forms.contains(&it.kind()));
    found
}

/// `1 byte`, `8 bytes`
pub(in crate::diagnostics) fn bytes(number: u64) -> String {
    format!("{number} byte{}", if number == 1 { "" } else { "s" })
}

/// Whether it is `a[]`.
pub(in crate::diagnostics) fn is_open(shape: &Shape) -> bool {
    shape.dimensions.as_slice() == [0]
}

/// The shape as calls compare it; `None` for types that they do not pass, which is reported elsewhere.
pub(in crate::diagnostics) fn value(shape: &Shape) -> Option<Value> {
    let Some(VariableType::Basic(class)) = shape.ty else {
        return None;
    };
    if !matches!(
        shape.space,
        Some(StateSpace::Register | StateSpace::Parameter)
    ) {
        return None;
    }
    let elements = match shape.dimensions.as_slice() {
        [] => Elements::One,
        [0] => Elements::Unsized,
        [count] => Elements::Array(*count),
        _ => Elements::Nested,
    };
    let natural = natural_alignment(class, shape.lanes);
    Some(Value {
        class,
        lanes: shape.lanes,
        elements,
        alignment: shape.alignment.unwrap_or_default().max(natural),
    })
}

/// A type with what calls compare: `.b32`, `.align 8 .b8[16]`; `name` is before the brackets.
pub(in crate::diagnostics) fn show(value: &Value, name: &str) -> String {
    let mut out = String::new();
    if value.alignment != natural_alignment(value.class, value.lanes) {
        let _ = write!(out, ".align {} ", value.alignment);
    }
    if value.lanes > 1 {
        let _ = write!(out, ".v{} ", value.lanes);
    }
    let _ = write!(out, ".{}", value.class.word());
    let _ = match value.elements {
        Elements::One => Ok(()),
        Elements::Array(count) => write!(out, "{name}[{count}]"),
        Elements::Unsized => write!(out, "{name}[]"),
        Elements::Nested => write!(out, "{name}[][]"),
    };
    out
}
