//! Divisions of integers by what is not a constant.

use crate::diagnostics::{
    finding::{Finding, finding},
    lints::accepted::Accepted,
    registry::INTEGER_DIVISION,
};

use isa::{computation::Computation, operand::Operand, table::tables};

/// Divisions of integers by what is not a constant.
pub(super) fn check(accepted: &Accepted<'_>, findings: &mut Vec<Finding>) {
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
    let computation = tables().computation(accepted.fit.instruction);
    if !computation.is_some_and(Computation::divides_integers) {
        return;
    }
    let cost = match bits {
        32 => "about 20 instructions",
        _ => "a subroutine of about 100 instructions",
    };
    findings.push(finding(
        accepted.ranges.name,
        INTEGER_DIVISION,
        format!("no instruction of the hardware divides integers: ptxas makes {cost} of this"),
        Some("constant divisors become multiplications and shifts".to_owned()),
    ));
}
