//! Arithmetic in f64 where it is slow.

use crate::diagnostics::{
    finding::{Finding, finding},
    lints::accepted::Accepted,
    registry::SLOW_F64,
};

pub(super) fn check(accepted: &Accepted<'_>, findings: &mut Vec<Finding>) {
    let words = accepted.statement.words;
    let opcode = accepted.statement.opcode;
    let slow = words.contains(&"f64")
        && isa::cost::is_float_arithmetic(opcode)
        && isa::cost::has_slow_f64(accepted.statement.module.target);
    if slow {
        findings.push(finding(
            accepted.ranges.opcode,
            SLOW_F64,
            format!(
                "`{}` does arithmetic in f64 many times slower than in f32",
                accepted.statement.module.target
            ),
            None,
        ));
    }
}
