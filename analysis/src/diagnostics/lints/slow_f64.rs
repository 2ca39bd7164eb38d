//! Arithmetic in f64 where it is slow.

use crate::diagnostics::{
    finding::{Finding, finding},
    lints::accepted::Accepted,
    registry::SLOW_F64,
};

use isa::semantics::Operation;

pub(super) fn check(accepted: &Accepted<'_>, findings: &mut Vec<Finding>) {
    let words = accepted.statement.words;
    let slow = words.contains(&"f64")
        && accepted
            .fit
            .semantics()
            .value
            .is_some_and(|it| is_arithmetic(it.operation))
        && isa::cost::has_slow_f64(accepted.statement.module.target);
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

/// Whether an operation is done by the units for floating-point numbers.
fn is_arithmetic(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Add
            | Operation::Subtract
            | Operation::Multiply
            | Operation::MultiplyAdd
            | Operation::Divide
            | Operation::Reciprocal
            | Operation::SquareRoot
            | Operation::ReciprocalSquareRoot
    )
}
