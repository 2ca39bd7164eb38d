//! Launch bounds that do not go with the registers that a kernel needs.

use isa::{
    limits::{Limits, REGISTERS_PER_MULTIPROCESSOR},
    occupancy::REGISTER_STEP,
};
use salsa::Database;
use syntax::{SyntaxKind, TextRange};

use crate::{
    flow::facts::Step,
    hir::{body::body, in_force::in_force, items::Function, module::signature, tree},
    pressure::{bounds, most_alive, pressure},
};

use super::{
    super::Finding,
    Statements,
    codes::{IGNORED_SETMAXNREG, LIKELY_SPILL, TOO_MANY_REGISTERS},
    finding,
};

/// Longer functions are not looked at for spills while somebody types.
const MAX_LENGTH: usize = 5_000;
/// How many registers an estimate may be above the cap before it is worth a word.
const MARGIN: u32 = 4;

pub(super) fn in_function(
    db: &dyn Database,
    function: Function<'_>,
    statements: &Statements<'_>,
    findings: &mut Vec<Finding>,
) {
    let of = signature(db, function);
    if !of.entry || !of.defined {
        return;
    }
    let bounds = bounds(db, function);
    too_many_registers(db, function, findings);
    let changes = setmaxnreg(db, function, statements);
    if changes.is_empty() {
        likely_spill(db, function, statements, findings);
    } else if bounds.threads.is_none() && bounds.registers.is_none() {
        let changes = changes.into_iter().filter(|it| !statements.is_wrong(*it));
        findings.extend(changes.map(|it| {
            finding(
                IGNORED_SETMAXNREG,
                it,
                "ptxas ignores this: it does not know how many registers the entry starts with"
                    .to_owned(),
                Some("`.maxnreg`, or `.maxntid` with `.minnctapersm`, tells it".to_owned()),
            )
        }));
    }
}

/// The first word of the directive with a name.
fn directive(db: &dyn Database, function: Function<'_>, name: &str) -> Option<TextRange> {
    let cursor = function.green(db).cursor();
    let mut all = cursor
        .nodes()
        .filter(|it| it.kind() == SyntaxKind::TUNING_DIRECTIVE);
    let found = all.find(|it| {
        let word = it.token(SyntaxKind::DOTTED);
        word.is_some_and(|it| it.text() == name)
    });
    found.map(|it| tree::trimmed(&it))
}

/// `.maxnreg` that allows more registers than a block of the bound size can have.
fn too_many_registers(db: &dyn Database, function: Function<'_>, findings: &mut Vec<Finding>) {
    let bounds = bounds(db, function);
    let (Some(threads), Some(registers)) = (bounds.threads, bounds.registers) else {
        return;
    };
    let Some(limits) = in_force(db, function).and_then(|it| Limits::at_least(it.start.target))
    else {
        return;
    };
    let fits = limits.register_cap(threads, 1);
    let given = registers
        .div_ceil(REGISTER_STEP)
        .saturating_mul(REGISTER_STEP);
    if threads > isa::limits::THREADS_PER_CTA || registers <= fits {
        return;
    }
    let Some(range) = directive(db, function, ".maxnreg") else {
        return;
    };
    findings.push(finding(
        TOO_MANY_REGISTERS,
        range,
        format!(
            "a block of {threads} threads with {given} registers each cannot be launched: a \
             multiprocessor has {REGISTERS_PER_MULTIPROCESSOR}"
        ),
        Some(format!("with so many threads there are {fits} for each")),
    ));
}

/// Where the entry changes its number of registers.
fn setmaxnreg(
    db: &dyn Database,
    function: Function<'_>,
    statements: &Statements<'_>,
) -> Vec<TextRange> {
    let (body, flow) = (body(db, function), statements.flow());
    let is_it = |step: &Step| {
        let node = statements.instruction(*step);
        node.is_some_and(|it| super::opcode(&it).0 == "setmaxnreg")
    };
    let steps = flow.facts.together.iter().filter(|it| is_it(it));
    let instructions = steps.filter_map(|it| body.instructions.get(*it as usize));
    instructions.map(|it| it.opcode).collect()
}

/// More values than registers under the bounds.
fn likely_spill(
    db: &dyn Database,
    function: Function<'_>,
    statements: &Statements<'_>,
    findings: &mut Vec<Finding>,
) {
    let Some(limits) = in_force(db, function).and_then(|it| Limits::at_least(it.start.target))
    else {
        return;
    };
    let Some((cap, name)) = bounds(db, function).cap(limits) else {
        return;
    };
    // The model is not asked while the text alone shows that there is room.
    if statements.flow().facts.len() > MAX_LENGTH || most_alive(db, function) + MARGIN <= cap {
        return;
    }
    let needs = pressure(db, function).least(limits);
    if needs <= cap + MARGIN {
        return;
    }
    let Some(range) = directive(db, function, name) else {
        return;
    };
    findings.push(finding(
        LIKELY_SPILL,
        range,
        format!("this leaves {cap} registers to a thread, and the entry needs about {needs}"),
        Some("ptxas keeps the rest in local memory, which is slow".to_owned()),
    ));
}
