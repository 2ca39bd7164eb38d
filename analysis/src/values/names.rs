//! The names of leaves in texts of values.

use std::fmt::Write as _;

use crate::{
    SymbolKind,
    flow::{
        computation::BoundName,
        effects::semantics,
        facts::{Facts, Register},
        ids::{Base, Step, VariableName as Variable},
    },
    hir::{
        body::{Body, Target},
        bound::Operands,
    },
};

/// The name of a register, with its number.
pub(crate) fn register_name(body: &Body, register: &Register) -> String {
    let definition = body.definition(register.definition);
    match register.member.filter(|_| definition.count.is_some()) {
        Some(member) => format!("{}{member}", definition.name),
        None => definition.name.to_string(),
    }
}

/// A special register without its `%`, or the name of a variable.
pub(crate) fn name_of(body: &Body, name: BoundName<'_>) -> String {
    let mut text = match name.0.target {
        Target::Special(index) => {
            let name = isa::special::get(index).map_or("", |it| it.name);
            name.trim_start_matches('%').to_owned()
        }
        Target::Definition(id) => body.definition(id).name.to_string(),
        Target::Free(id) => body.free.get(id as usize).map_or("", |it| it).to_owned(),
        Target::WarpSize | Target::Section(_) => String::new(),
    };
    if let Some(component) = name.1 {
        let _ = write!(text, ".{component}");
    }
    text
}

/// The parameter that an instruction loads, as `n` or `args[8]`.
pub(crate) fn parameter(
    operands: &Operands<'_>,
    facts: &Facts,
    body: &Body,
    step: Step,
) -> Option<String> {
    let instruction = operands.get(step)?;
    if !semantics(instruction.db, instruction.id).is_load() {
        return None;
    }
    let mut addresses = instruction.operands().filter_map(|it| it.address(true));
    let (name, offset) = addresses.next()?;
    let Base::Symbol(variable) = facts.base(body, name)? else {
        return None;
    };
    let name = match variable {
        Variable::Own(id) => {
            let definition = body.definition(id);
            let parameter = definition.kind == SymbolKind::Parameter;
            parameter.then(|| definition.name.to_string())?
        }
        Variable::Free(_) => return None,
    };
    Some(match offset {
        0 => name,
        _ => format!("{name}[{offset}]"),
    })
}
