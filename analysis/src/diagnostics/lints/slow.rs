//! What takes longer than it looks.

use isa::operand::{Operand, Space, Symbol};
use salsa::Database;

use crate::hir::{
    body::{Target, body},
    declared::{Declared, declared},
    items::Function,
};

use super::{
    super::Finding,
    codes::{INTEGER_DIVISION, LOCAL_MEMORY, SLOW_F64},
    finding,
    statement::Accepted,
};

/// Single statements.
pub(super) fn statement(accepted: &Accepted<'_>, findings: &mut Vec<Finding>) {
    let words = accepted.statement.words;
    let opcode = accepted.opcode.text();
    if matches!(opcode, "div" | "rem") {
        division(accepted, findings);
    }
    let slow = words.contains(&"f64")
        && isa::cost::is_float_arithmetic(opcode)
        && isa::cost::has_slow_f64(accepted.statement.module.target);
    if slow {
        findings.push(finding(
            SLOW_F64,
            accepted.opcode.range(),
            format!(
                "`{}` does arithmetic in f64 many times slower than in f32",
                accepted.statement.module.target
            ),
            None,
        ));
    }
}

/// Divisions of integers by what is no constant.
fn division(accepted: &Accepted<'_>, findings: &mut Vec<Finding>) {
    let words = accepted.statement.words;
    let Some(bits) = words.last().and_then(|it| match *it {
        "s16" | "u16" | "s32" | "u32" => Some(32),
        "s64" | "u64" => Some(64),
        _ => None,
    }) else {
        return;
    };
    if matches!(
        accepted.statement.operands.last(),
        Some(Operand::Integer(_))
    ) {
        return;
    }
    let cost = match bits {
        32 => "some 20 instructions",
        _ => "a subroutine of some 100 instructions",
    };
    findings.push(finding(
        INTEGER_DIVISION,
        accepted.opcode.range(),
        format!("no instruction of the hardware divides integers: ptxas makes {cost} of this"),
        Some("constant divisors become multiplications and shifts".to_owned()),
    ));
}

/// Variables of a function in local memory.
pub(super) fn in_function(db: &dyn Database, function: Function<'_>, findings: &mut Vec<Finding>) {
    let body = body(db, function);
    let local =
        |operand: &Operand| matches!(operand, Operand::Symbol(Symbol::Variable(Space::Local)));
    let mut used = vec![false; body.definitions.len()];
    for reference in &body.references {
        if let Target::Definition(definition) = reference.target
            && let Some(used) = used.get_mut(definition as usize)
        {
            *used = true;
        }
    }
    let definitions = body.definitions.iter().zip(declared(db, function));
    for ((definition, Declared(operand)), used) in definitions.zip(used) {
        if used && local(operand) {
            findings.push(finding(
                LOCAL_MEMORY,
                definition.name_range,
                format!(
                    "`{}` lies in local memory, which is as slow as global memory unless caches help",
                    definition.name
                ),
                None,
            ));
        }
    }
}
