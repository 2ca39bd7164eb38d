//! Accesses of instructions to parameters: a function reads its own parameters and writes its own
//! results, and those of a call are not memory with an address.

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        registry::INVALID_PARAMETER_ACCESS,
        rules::calls::context::{CallContext, text},
    },
    hir::{
        body::{Reference, Target},
        declared::Declared,
        instruction::Parts,
        tree::trimmed,
    },
};

use isa::operand::{Operand, Space, Symbol};
use syntax::Cursor;

/// Whether a name is a parameter in memory.
pub(in crate::diagnostics) fn is_parameter(types: &[Declared], reference: &Reference) -> bool {
    let Target::Definition(id) = reference.target else {
        return false;
    };
    matches!(
        types.get(id as usize),
        Some(Declared(Operand::Symbol(Symbol::Variable(
            Space::EntryParameter
                | Space::InputParameter
                | Space::ReturnParameter
                | Space::LocalParameter,
            _,
        ))))
    )
}

/// Judges an instruction whose operands fit it.
pub(in crate::diagnostics) fn check(
    context: &CallContext<'_>,
    instruction: &Cursor<'_>,
    findings: &mut Vec<Finding>,
) {
    let parts = Parts::of(instruction);
    let Some(opcode) = parts.opcode.map(|it| it.text()) else {
        return;
    };
    let semantics = isa::tables().semantics(opcode, parts.words.iter().copied());
    let accesses = (semantics.is_load() || semantics.is_store())
        && parts
            .words
            .iter()
            .any(|it| it.split("::").next() == Some("param"));
    for node in parts.operands {
        let operand = context.operand(&node);
        let (space, address) = match &operand {
            Operand::Symbol(Symbol::Variable(space, _)) => (*space, false),
            Operand::Address(items, _) => match items.as_slice() {
                [Operand::Symbol(Symbol::Variable(space, _))] => (*space, true),
                [Operand::Offset(base, _)] => match &**base {
                    Operand::Symbol(Symbol::Variable(space, _)) => (*space, true),
                    _ => continue,
                },
                _ => continue,
            },
            _ => continue,
        };
        let name = || text(&node).trim_matches(['[', ']']).to_owned();
        let (range, message, help) = match (space, address) {
            (Space::LocalParameter, false) => (
                trimmed(&node),
                format!("`{}` is a parameter of a call and has no address", name()),
                Some("use a `.local` variable for memory with an address".to_owned()),
            ),
            (Space::EntryParameter | Space::InputParameter, true)
                if accesses && semantics.is_store() =>
            {
                (
                    trimmed(&node),
                    format!(
                        "`{}` is a parameter that the function receives: it cannot be written",
                        name()
                    ),
                    None,
                )
            }
            (Space::ReturnParameter, true) if accesses && semantics.is_load() => (
                trimmed(&node),
                format!(
                    "`{}` is a result of the function: it cannot be read",
                    name()
                ),
                Some("keep the value in a register".to_owned()),
            ),
            (Space::LocalParameter, true) if accesses => match &parts.guard {
                Some(guard) => (
                    trimmed(guard),
                    format!(
                        "`{opcode}.param` cannot have a guard: `{}` is a parameter of a call",
                        name()
                    ),
                    Some("branch around the call, or select the value with `selp`".to_owned()),
                ),
                None => continue,
            },
            _ => continue,
        };
        findings.push(finding(range, INVALID_PARAMETER_ACCESS, message, help));
    }
}
