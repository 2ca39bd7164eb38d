//! Stores far outside a parameter of a call, or a result of the function: ptxas crashes on them.

use isa::operand::{Operand, Space, Symbol};
use salsa::Database;
use syntax::TextRange;

use crate::{
    Severity,
    diagnostics::{finding::Finding, lints::addresses::accessed, registry::OUT_OF_BOUNDS},
    flow::Flow,
    hir::{
        body::{Body, DefinitionId, Place, Reference, Target, body},
        bound::Operands,
        instruction::references,
        items::Function,
        layout::layouts,
        reached::{is_called, is_reached},
    },
};

/// Bytes after the end of a parameter, which has whole words, from which on ptxas 13.5 crashes. Nearer stores overwrite
/// its memory, too, and crash it in some programs.
const FAR: u64 = 12;

/// Makes errors of the findings about stores that are this far outside, or before the start.
pub(super) fn check(db: &dyn Database, function: Function<'_>, findings: &mut [Finding]) {
    let outside = |it: &&mut Finding| it.code == OUT_OF_BOUNDS.name;
    let mut found = findings.iter_mut().filter(outside).peekable();
    if found.peek().is_none() || !is_reached(db, function) {
        return;
    }
    let stores = Stores {
        db,
        function,
        body: body(db, function),
        operands: Operands::of(db, function),
    };
    let mut flow = None;
    for finding in found {
        let Some(step) = stores.far(finding.range) else {
            continue;
        };
        let graph = &flow.get_or_insert_with(|| Flow::of(db, function)).graph;
        let block = graph.block_of.get(step).map(|it| *it as usize);
        // ptxas drops what control never gets to.
        if block.is_some_and(|it| graph.reachable[it]) {
            finding.severity = Severity::Error;
            finding.help = Some("ptxas crashes on such a store".to_owned());
        }
    }
}

/// The stores of a function.
struct Stores<'a> {
    db: &'a dyn Database,
    function: Function<'a>,
    body: &'a Body,
    operands: Operands<'a>,
}

impl Stores<'_> {
    /// Index of the instruction with an address, if that is far outside a parameter.
    fn far(&self, address: TextRange) -> Option<usize> {
        let instructions = &self.body.instructions;
        let step = instructions.partition_point(|it| it.range.end() <= address.start());
        let instruction = self.operands.get(step as u32)?;
        let bytes = accessed(instruction.form)?;
        let (name, offset) = instruction.operands().find_map(|it| it.address(false))?;
        let Target::Definition(id) = name.target else {
            return None;
        };
        let size = layouts(self.db, self.function)
            .get(id as usize)?
            .as_ref()?
            .size?;
        let end = size.next_multiple_of(4).saturating_add(FAR);
        let far = offset < 0 || i128::from(offset) + i128::from(bytes) > i128::from(end);
        (far && instruction.form.semantics().is_store() && self.is_passed(id)).then_some(step)
    }

    /// Whether it is a result of a function that a call names, or an argument of such a call.
    fn is_passed(&self, id: DefinitionId) -> bool {
        match self.body.operands.get(id as usize).map(|it| &it.0) {
            Some(Operand::Symbol(Symbol::Variable(Space::ReturnParameter, _))) => {
                is_called(self.db, self.function)
            }
            Some(Operand::Symbol(Symbol::Variable(Space::LocalParameter, _))) => {
                let mut calls = self.body.instructions.iter().filter(|it| it.call);
                calls.any(|it| {
                    let mut names = references(self.body, it).iter();
                    let passes = |it: &Reference| !it.write && it.target == Target::Definition(id);
                    let direct = |it: &Reference| {
                        it.place == Place::Callee && matches!(it.target, Target::Free(_))
                    };
                    names.clone().any(passes) && names.any(direct)
                })
            }
            _ => false,
        }
    }
}
