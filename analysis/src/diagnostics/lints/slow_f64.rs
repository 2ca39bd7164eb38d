//! Arithmetic in f64 where it is slow.

use crate::diagnostics::{
    finding::{Finding, finding},
    lints::accepted::Accepted,
    registry::SLOW_F64,
};

use isa::compute::program;

pub(super) fn check(accepted: &Accepted<'_>, findings: &mut Vec<Finding>) {
    let words = accepted.statement.words;
    let slow = words.contains(&"f64")
        && isa::cost::has_slow_f64(accepted.statement.module.target)
        && is_arithmetic(accepted);
    if slow {
        findings.push(finding(
            accepted.ranges.name,
            SLOW_F64,
            format!(
                "`{}` does arithmetic in f64 many times slower than in f32",
                accepted.statement.module.target
            ),
            None,
        ));
    }
}

/// Whether a statement is done by the units for floating-point numbers.
fn is_arithmetic(accepted: &Accepted<'_>) -> bool {
    let bindings = accepted.fit.bind(accepted.statement);
    let program = program(accepted.fit, accepted.statement, &bindings);
    program.is_ok_and(|it| it.is_float_arithmetic())
}
