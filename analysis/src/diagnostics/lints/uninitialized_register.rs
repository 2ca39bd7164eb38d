//! Registers that nobody wrote.

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        lints::statements::Statements,
        registry::UNINITIALIZED_REGISTER,
    },
    hir::{
        body::{Reference, Target, body},
        instruction::references,
        items::Function,
    },
};

use isa::semantics::Undefined;
use rustc_hash::FxHashSet;
use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextRange};

/// The first use of each register that no way to it writes.
pub(super) fn check(
    db: &dyn Database,
    function: Function<'_>,
    statements: &Statements<'_>,
    findings: &mut Vec<Finding>,
) {
    let (body, flow) = (body(db, function), statements.flow());
    let mut reported = FxHashSet::default();
    // For each value the last block that has written it.
    let mut written = vec![u32::MAX; flow.facts.values.len()];
    for (block, steps) in (0..).zip(&flow.graph.blocks) {
        if !flow.graph.reachable[block as usize] || !flow.liveness.any_undefined_in(block) {
            continue;
        }
        for step in steps.clone() {
            let at = step as usize;
            let Some(instruction) = body.instructions.get(at) else {
                break;
            };
            let mut node = None;
            for value in flow.facts.reads.get(at) {
                let is_unwritten = written[*value as usize] != block
                    && flow.liveness.is_undefined_in(block, *value);
                // What is wrong already may mean another register.
                if !is_unwritten || flow.facts.copies[at] || statements.is_wrong(instruction.range)
                {
                    continue;
                }
                let register = flow.facts.values[*value as usize];
                let is_it = |it: &&Reference| {
                    it.target == Target::Definition(register.definition)
                        && it.member == register.member
                };
                let references = references(body, instruction);
                // The accumulators of an asynchronous multiplication need no first value.
                let Some(read) = references.iter().filter(is_it).find(|it| !it.write) else {
                    continue;
                };
                let node = node.get_or_insert_with(|| statements.instruction(step));
                let undefined = statements.effects(step).map(|it| it.undefined);
                let may_be = |it| may_be_undefined(&it, undefined.unwrap_or_default(), read.range);
                if node.is_some_and(may_be) {
                    continue;
                }
                if reported.insert(*value) {
                    let definition = body.definition(register.definition);
                    let name = match register.member {
                        Some(member) => format!("{}{member}", definition.name),
                        None => definition.name.to_string(),
                    };
                    findings.push(finding(
                        read.range,
                        UNINITIALIZED_REGISTER,
                        format!("`{name}` is used before it is written"),
                        None,
                    ));
                }
            }
            for value in flow.facts.writes.get(at) {
                written[*value as usize] = block;
            }
        }
    }
}

/// Whether it does not matter what an operand of an instruction holds, as in what compilers write for
/// values of which they know a part.
fn may_be_undefined(instruction: &Cursor<'_>, undefined: Undefined, range: TextRange) -> bool {
    let of_operands = |it: &Cursor<'_>| !matches!(it.kind(), SyntaxKind::GUARD | SyntaxKind::ERROR);
    let operands = instruction.nodes().filter(of_operands);
    let found = operands
        .enumerate()
        .find(|it| it.1.range().contains_range(range));
    found.is_some_and(|(index, operand)| match undefined {
        Undefined::None => false,
        Undefined::Operands(bits) => bits.checked_shr(index as u32).is_some_and(|it| it & 1 == 1),
        Undefined::Elements => operand.kind() == SyntaxKind::VECTOR,
    })
}
