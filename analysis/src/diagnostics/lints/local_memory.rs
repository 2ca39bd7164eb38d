//! Variables in local memory.

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        registry::LOCAL_MEMORY,
    },
    hir::{
        body::{Target, body},
        declared::{Declared, declared},
        items::Function,
    },
};

use isa::operand::{Operand, Space, Symbol};
use salsa::Database;

/// Variables of a function in local memory.
pub(super) fn check(db: &dyn Database, function: Function<'_>, findings: &mut Vec<Finding>) {
    let body = body(db, function);
    let local =
        |operand: &Operand| matches!(operand, Operand::Symbol(Symbol::Variable(Space::Local, _)));
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
                definition.name_range,
                LOCAL_MEMORY,
                format!(
                    "`{}` is in local memory, which is as slow as global memory unless it is cached",
                    definition.name
                ),
                None,
            ));
        }
    }
}
