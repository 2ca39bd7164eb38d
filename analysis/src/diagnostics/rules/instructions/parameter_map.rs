//! The name of a parameter where an instruction wants the generic address of a tensor map.

use isa::{
    matcher::{Place as At, Problem, Reason, Statement, fit},
    operand::{Operand, Space, Symbol},
    recipes::parameter_address,
    semantics::Location,
    table::tables,
    types::Class,
};
use syntax::TextRange;

use crate::{
    FixKind,
    diagnostics::{
        finding::{Finding, finding},
        fix::{Repair, blank_before},
        place::Place,
        registry::INVALID_OPERAND,
        rules::instructions::{
            context::Context,
            rejected::{Rejected, words},
        },
    },
    hir::tree::{text_of_range, trimmed},
};

/// The finding about such a name, with the fix that puts the address into a register.
pub(super) fn check(
    found: &Rejected<'_>,
    problem: &Problem<'_>,
    context: &Context<'_>,
) -> Option<Finding> {
    let Reason::Kind(_) = problem.reason else {
        return None;
    };
    let (index, element) = match problem.place {
        At::Operand(index) => (index, 0),
        At::Element { operand, element } => (operand, element),
        _ => return None,
    };
    let Operand::Address(items, unified) = found.operands.get(index)? else {
        return None;
    };
    let Operand::Symbol(Symbol::Variable(Space::EntryParameter, _)) = items.get(element)? else {
        return None;
    };
    let words = words(found);
    let semantics = tables().semantics(found.opcode.text(), words.iter().copied());
    let mut accesses = semantics.reads.iter().chain(semantics.writes);
    if !accesses.any(|it| it.location == Location::Space("map")) {
        return None;
    }
    let node = found.nodes.get(index)?;
    let name_range = trimmed(&node.nodes().nth(element)?);
    let name = text_of_range(node, name_range);
    let mut told = finding(
        name_range,
        INVALID_OPERAND,
        format!(
            "`{name}` is in `.param`; `{}` needs its generic address",
            found.head()
        ),
        None,
    );
    let steps = |register: &str| parameter_address(register, &name).join(" ");
    told.help = Some(format!("`{}` puts it into a register", steps("%rd")));
    // The matcher decides whether the register is taken.
    let class = Class::B64;
    let mut items = items.clone();
    items[element] = Operand::Register { class, lanes: 1 };
    let mut operands = found.operands.to_vec();
    operands[index] = Operand::Address(items, unified.clone());
    let fixed = Statement {
        opcode: found.opcode.text(),
        words: &words,
        operands: &operands,
        module: found.module,
    };
    if fit(tables(), &fixed).is_none() {
        return Some(told);
    }
    let Some(register) = (context.new_address)() else {
        return Some(told);
    };
    let register_name = &register.name;
    let separator = blank_before(context.node);
    let before = parameter_address(register_name, &name);
    let before: String = before.iter().map(|it| format!("{it}{separator}")).collect();
    let mut repair = Repair::new(
        FixKind::CorrectOperand,
        format!("Use its generic address in `{register_name}`"),
        TextRange::empty(trimmed(context.node).start()),
        before,
    );
    let edit = (Place::Own(name_range), register_name.clone());
    repair.edits.push(edit);
    repair
        .edits
        .push((Place::Own(register.place), register.text));
    told.fixes.push(repair.preferred(true));
    Some(told)
}
