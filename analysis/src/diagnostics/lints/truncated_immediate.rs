//! Integer constants that do not fit their type.

use crate::diagnostics::{
    finding::{Finding, finding},
    lints::accepted::Accepted,
    registry::TRUNCATED_IMMEDIATE,
};

use isa::operand::Operand;

/// Integer constants that do not fit their type.
pub(super) fn check(accepted: &Accepted<'_>, findings: &mut Vec<Finding>) {
    let operands = accepted.statement.operands;
    if !operands.iter().any(|it| matches!(it, Operand::Integer(_))) {
        return;
    }
    let bits = accepted.fit.constant_bits(accepted.statement);
    for (index, (operand, bits)) in operands.iter().zip(bits).enumerate() {
        let (Operand::Integer(value), Some(bits @ 8..=32)) = (operand, bits) else {
            continue;
        };
        let (least, most) = (-(1i128 << (bits - 1)), (1i128 << bits) - 1);
        // `-1024U` is a large number, but not meant as one.
        let wrapped = i128::from(*value as i64);
        if (least..=most).contains(value) || (least..0).contains(&wrapped) {
            continue;
        }
        let low = value & most;
        findings.push(finding(
            accepted.ranges.operand(index),
            TRUNCATED_IMMEDIATE,
            format!("{value} does not fit into {bits} bits: ptxas uses {low}"),
            None,
        ));
    }
}
