//! Short texts of statements that fixes and help write.

use crate::{operands::special, types::Class};

/// The statement that reads a special register, by its name with its component, into a register of its width.
#[must_use]
pub fn special_register(name: &str) -> String {
    let base = name.split('.').next().unwrap_or(name);
    let class = special::find(base)
        .and_then(|it| special::get(it.0))
        .and_then(|it| it.class());
    let (class, register) = match class {
        Some(class) if class.bits() == 64 => (class.word(), "%rd"),
        Some(class) if class == Class::Pred => (class.word(), "%p"),
        Some(class) => (class.word(), "%r"),
        None => ("u32", "%r"),
    };
    format!("mov.{class} {register}, {name};")
}

/// The statements that put the generic address of a parameter of an entry into a register, PTX ISA 9.7.9.21.
#[must_use]
pub fn parameter_address(register: &str, parameter: &str) -> [String; 2] {
    [
        format!("mov.b64 {register}, {parameter};"),
        format!("cvta.param.u64 {register}, {register};"),
    ]
}
