//! Parameters of calls that are read before a call has written them.

use isa::operand::{Operand, Space, Symbol};
use salsa::Database;
use syntax::{TextRange, TextSize};

use crate::{
    Severity,
    diagnostics::{
        finding::{Finding, finding},
        place::Place,
        registry::MISSING_CALL,
    },
    hir::{
        body::{Body, DefinitionId, Instruction, Target, body},
        forms::forms,
        instruction::references,
        items::Function,
        reached::is_reached,
    },
};

/// A call that comes before a read, or after it.
#[derive(Clone, Copy, Default)]
struct Calls {
    /// Whether a call before the read returns the parameter.
    returned: bool,
    /// Index of the last call before the read that passes it.
    passed: Option<usize>,
}

/// Reads of a parameter of the body that no call before has as its result. ptxas goes by the order of the text, whatever
/// way control takes.
pub(super) fn check(db: &dyn Database, function: Function<'_>, findings: &mut Vec<Finding>) {
    let body = body(db, function);
    let parameters: Vec<bool> = body
        .operands
        .iter()
        .map(|it| is_call_parameter(&it.0))
        .collect();
    // What the parser did not understand may be a call.
    if !parameters.contains(&true) || !function.errors(db).is_empty() {
        return;
    }
    let forms = forms(db, function);
    let is_read: Vec<bool> = forms
        .all
        .iter()
        .map(|it| {
            let form = it.data(db);
            let words = form.words.iter().map(|it| &**it);
            let mut operands = form.operands.iter();
            operands.any(names_call_parameter)
                && isa::tables().semantics(&form.opcode, words).is_load()
        })
        .collect();
    let mut calls = vec![Calls::default(); body.definitions.len()];
    let mut found = Vec::new();
    for (index, instruction) in body.instructions.iter().enumerate() {
        let reads = forms.index(index).is_some_and(|it| is_read[it]);
        if !(instruction.call || reads) {
            continue;
        }
        for reference in references(body, instruction) {
            let Target::Definition(id) = reference.target else {
                continue;
            };
            if parameters.get(id as usize) != Some(&true) {
                continue;
            }
            let calls = &mut calls[id as usize];
            match (instruction.call, reference.write) {
                (true, true) => calls.returned = true,
                (true, false) => calls.passed = Some(index),
                _ if !calls.returned => found.push((reference.range, id, index, calls.passed)),
                _ => {}
            }
        }
    }
    if found.is_empty() {
        return;
    }
    let errors = findings.iter().filter(|it| it.severity == Severity::Error);
    let mut errors: Vec<TextSize> = errors.map(|it| it.range.start()).collect();
    errors.sort_unstable();
    let is_wrong = |range: TextRange| {
        let next = errors.partition_point(|it| *it < range.start());
        errors.get(next).is_some_and(|it| *it < range.end())
    };
    let reached = is_reached(db, function);
    for (range, id, index, passed) in found {
        let statement = body.instructions.get(index).map(|it| it.range);
        if statement.is_some_and(is_wrong) {
            continue;
        }
        let name = &body.definition(id).name;
        let mut finding = finding(
            range,
            MISSING_CALL,
            format!("`{name}` is read, but no call before returns it"),
            None,
        );
        let place = |it: &Instruction| Place::Own(it.range);
        if let Some(later) = returning(body, id, index) {
            finding.help = Some("move the call before the read".to_owned());
            finding.related.push((place(later), "returned here"));
        } else if let Some(call) = passed.and_then(|it| body.instructions.get(it)) {
            finding.help = Some("an argument cannot be read again after the call".to_owned());
            finding.related.push((place(call), "passed here"));
        }
        if !reached {
            finding.severity = Severity::Warning;
            finding.help = Some(super::dropped(function.name(db)));
        }
        findings.push(finding);
    }
}

/// The first call after an instruction that returns a parameter.
fn returning(body: &Body, id: DefinitionId, after: usize) -> Option<&Instruction> {
    let rest = body.instructions.get(after..)?;
    rest.iter().find(|it| {
        it.call
            && references(body, it)
                .iter()
                .any(|it| it.write && it.target == Target::Definition(id))
    })
}

fn is_call_parameter(operand: &Operand) -> bool {
    matches!(
        operand,
        Operand::Symbol(Symbol::Variable(Space::LocalParameter, _))
    )
}

/// Whether an operand is an address in a parameter of a call.
fn names_call_parameter(operand: &Operand) -> bool {
    let Operand::Address(items, _) = operand else {
        return false;
    };
    items.iter().any(|it| match it {
        Operand::Offset(base, _) => is_call_parameter(base),
        it => is_call_parameter(it),
    })
}
