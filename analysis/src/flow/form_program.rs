//! The program of a form: made once for all instructions that are written alike.

use isa::{
    compute::{Graph, Node, Operation, Program, constant_bits, program as lower},
    matcher::Statement,
    matching::binding::Binding,
    operand::Operand,
};
use salsa::Database;

use crate::hir::{
    fit::{bindings, fit},
    form::{Form, assumed},
};

/// The computation of the instructions of a form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormProgram<'a> {
    pub(crate) program: &'a Program,
    /// The operands, by the indices that the program has for them.
    pub(crate) bindings: &'a [Binding],
}

/// The program of a form; `None` if it computes nothing, does not fit, or works on memory or matrices.
pub(crate) fn form_program<'db>(
    db: &'db dyn Database,
    form: Form<'db>,
) -> Option<FormProgram<'db>> {
    Some(FormProgram {
        program: lowered(db, form).as_ref()?,
        bindings: bindings(db, form),
    })
}

#[salsa::tracked(returns(ref))]
fn lowered<'db>(db: &'db dyn Database, form: Form<'db>) -> Option<Program> {
    let fit = fit(db, form)?;
    let read = |statement: &Statement<'_>| lower(fit, statement, bindings(db, form)).ok();
    let program = form.data(db).with_statement(read).flatten();
    program.filter(Program::is_pure)
}

/// The operation that the instructions of a form are, if they are only one, whether or not the file says its target.
#[salsa::tracked(returns(copy))]
pub(crate) fn operation<'db>(db: &'db dyn Database, form: Form<'db>) -> Option<Operation> {
    let found = form_program(db, form.or_in_force(db, assumed))?;
    found.program.operation(found.bindings)
}

impl FormProgram<'_> {
    /// The bits of the result, if all operands but the first are constants.
    pub(crate) fn constant(&self, operands: &[Operand]) -> Option<u64> {
        let mut graph = Graph::default();
        let inputs = self.program.inputs.iter().map(|input| {
            let binding = self.bindings.get(usize::from(input.operand))?;
            let operand = binding.path.get(operands)?;
            let constant = constant_bits(operand, binding.ty.as_deref())?;
            Some(graph.constant(constant as u64))
        });
        let inputs: Vec<Node> = inputs.collect::<Option<_>>()?;
        match graph.apply(self.program, &inputs, true)[..] {
            [(_, node)] => graph.as_constant(node),
            _ => None,
        }
    }
}
