//! The program of a form: made once for all instructions that are written alike.

use isa::{
    compute::{
        Graph, Node, Operation, Program, Work, constant_bits, product_of_shape, program as lower,
    },
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
    any_program(db, form).filter(|it| it.program.is_pure())
}

/// The same, also if it works on memory or moves matrices.
pub(crate) fn any_program<'db>(db: &'db dyn Database, form: Form<'db>) -> Option<FormProgram<'db>> {
    Some(FormProgram {
        program: lowered(db, form).as_ref()?,
        bindings: bindings(db, form),
    })
}

/// The operations on floats of the instructions of a form.
#[salsa::tracked(returns(copy))]
pub(crate) fn work<'db>(db: &'db dyn Database, form: Form<'db>) -> Work {
    let Some(fit) = fit(db, form) else {
        return Work::default();
    };
    let mut moves = false;
    let read = |statement: &Statement<'_>| {
        let program = lower(fit, statement, bindings(db, form)).ok()?;
        // Loads and stores of matrices have a shape as well.
        moves = program.matrix.is_none() && program.tensor.is_none() && !program.places.is_empty();
        let later = program.later.as_ref().map(|it| it.work());
        Some(later.unwrap_or_else(|| program.work()))
    };
    let mut work = form.data(db).with_statement(read).flatten();
    let semantics = form.data(db).semantics();
    let moves = moves || semantics.is_load() || semantics.is_store();
    if !moves && let Some(tensor) = product_of_shape(&form.data(db).words) {
        let work = work.get_or_insert_default();
        if work.tensor == 0 {
            work.tensor = tensor;
        }
    }
    work.unwrap_or_default()
}

#[salsa::tracked(returns(ref))]
fn lowered<'db>(db: &'db dyn Database, form: Form<'db>) -> Option<Program> {
    let fit = fit(db, form)?;
    let read = |statement: &Statement<'_>| lower(fit, statement, bindings(db, form)).ok();
    let program = form.data(db).with_statement(read).flatten();
    // Products of matrices are long, and nobody follows their elements.
    program.filter(|it| it.matrix.is_none())
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
