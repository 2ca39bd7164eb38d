//! Parameters of functions and entries, as measured with ptxas 13.5.

use crate::{
    target::{Gate, Module, Suffix, Target, Version},
    types::Class,
    variable::{Opaque, VariableType},
};

fn gate(since: (u8, u8), target: u16) -> Gate {
    Gate {
        since: Some(Version::new(since.0, since.1)),
        targets: vec![Target {
            number: target,
            suffix: Suffix::Plain,
        }],
        ..Gate::default()
    }
}

/// The requirements of parameters of an entry.
#[must_use]
pub fn of_entry() -> Gate {
    gate((1, 4), 10)
}

/// The requirements of `.param` parameters of a function.
#[must_use]
pub fn of_function() -> Gate {
    gate((2, 0), 20)
}

/// The requirements of `a[]`; the manual says 6.0.
#[must_use]
pub fn unsized_array() -> Gate {
    gate((5, 1), 30)
}

/// The requirements of the prototype of an entry.
#[must_use]
pub fn entry_prototype() -> Gate {
    gate((3, 0), 10)
}

/// The requirements of more than [`SMALL_SPACE`] bytes of parameters.
#[must_use]
pub fn large_space() -> Gate {
    gate((8, 1), 70)
}

/// Bytes of parameters that entries had before PTX ISA 8.1.
pub const SMALL_SPACE: u64 = 4352;

/// Bytes of parameters that an entry may have.
#[must_use]
pub fn space(module: Module) -> u64 {
    let large = large_space();
    if large.admits_version(module.version) && large.admits_target(module.target) {
        32764
    } else if module.version >= Version::new(1, 5) {
        SMALL_SPACE
    } else {
        256
    }
}

/// Why a parameter with a body cannot be of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Only registers have it.
    OnlyRegisters,
    /// Only entries have it, in `.param` space.
    OnlyEntries,
    /// No scalar has it.
    OnlyInstructions,
}

/// Whether a scalar parameter of a function with a body may be of a type. Arrays of any type pass.
#[must_use]
pub fn unfit(ty: VariableType, register: bool, entry: bool) -> Option<Unfit> {
    match ty {
        VariableType::Basic(Class::Pred | Class::F16x2)
        | VariableType::Packed { scalar: true, .. } => (!register).then_some(Unfit::OnlyRegisters),
        VariableType::Basic(_) => None,
        VariableType::Packed { scalar: false, .. } => Some(Unfit::OnlyInstructions),
        VariableType::Opaque(Opaque::Texture | Opaque::Sampler | Opaque::Surface) => {
            (!entry).then_some(Unfit::OnlyEntries)
        }
    }
}
