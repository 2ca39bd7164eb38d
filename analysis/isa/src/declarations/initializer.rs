//! Initial values of variables, as measured with ptxas 13.5.

use crate::{
    target::{Gate, Suffix, Target, Version},
    types::{Class, Family},
    variable::{Opaque, VariableType},
};

/// A form of initial value that not every version has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The address of a variable.
    Address,
    /// The address of a `.func`.
    Function,
    /// The address of an `.entry`.
    Entry,
    /// `generic(variable)`
    Generic,
    /// `0xff(variable)`
    Mask,
    /// `0xff(12)`
    MaskedInteger,
}

/// The requirements of a form of initial value.
#[must_use]
pub fn gate(form: Form) -> Gate {
    let (major, minor, target) = match form {
        Form::Address => (2, 1, 10),
        Form::Function => (2, 1, 20),
        Form::Entry => (3, 1, 35),
        Form::Generic => (3, 1, 10),
        Form::Mask => (7, 1, 10),
        Form::MaskedInteger => (7, 2, 10),
    };
    Gate {
        since: Some(Version::new(major, minor)),
        targets: vec![Target {
            number: target,
            suffix: Suffix::Plain,
        }],
        ..Gate::default()
    }
}

/// The kinds of constants that may be the initial value of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Accepted {
    /// Integers, of any size: ptxas cuts them off.
    pub integer: bool,
    /// Floats, in any notation.
    pub float: bool,
    /// Addresses.
    pub address: bool,
    /// One byte of an address.
    pub masked_address: bool,
}

/// The initial values that an element of a type can have. None for `.f16` and for packed types.
#[must_use]
pub fn accepted(ty: VariableType) -> Accepted {
    let VariableType::Basic(class) = ty else {
        return Accepted::default();
    };
    let number = !matches!(class, Class::F16 | Class::F16x2 | Class::Pred);
    let family = class.family();
    Accepted {
        integer: number && family != Family::Float,
        float: number && family != Family::Integer,
        address: matches!(class, Class::U32 | Class::U64),
        masked_address: matches!(class, Class::U8 | Class::U32 | Class::U64),
    }
}

/// Whether the mask operator takes this number: it selects one byte.
#[must_use]
pub fn is_mask(value: u64) -> bool {
    (0..8).any(|byte| value == 0xff << (8 * byte))
}

const TEXTURE: &[&str] = &[
    "width",
    "height",
    "depth",
    "channel_data_type",
    "channel_order",
    "normalized_coords",
    "filter_mode",
    "addr_mode_0",
    "addr_mode_1",
    "addr_mode_2",
    "array_size",
    "num_mipmap_levels",
    "num_samples",
];
const SAMPLER: &[&str] = &[
    "force_unnormalized_coords",
    "filter_mode",
    "addr_mode_0",
    "addr_mode_1",
    "addr_mode_2",
];
const SURFACE: &[&str] = &[
    "width",
    "height",
    "depth",
    "channel_data_type",
    "channel_order",
    "array_size",
    "memory_layout",
];

/// The fields of an opaque type that may have an initial value. No list may have more values than there
/// are fields, though a field may have several.
#[must_use]
pub fn fields(opaque: Opaque) -> &'static [&'static str] {
    match opaque {
        Opaque::Texture => TEXTURE,
        Opaque::Sampler => SAMPLER,
        Opaque::Surface => SURFACE,
    }
}

/// Whether a texture has the field from its sampler, so that it is ignored where samplers are apart.
#[must_use]
pub fn is_sampler_field(field: &str) -> bool {
    field == "filter_mode" || field.starts_with("addr_mode_")
}

/// The words that may be the value of a field, whichever it is.
pub const FIELD_WORDS: &[&str] = &[
    "nearest",
    "linear",
    "wrap",
    "mirror",
    "clamp_ogl",
    "clamp_to_edge",
    "clamp_to_border",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_select_a_byte() {
        assert!(is_mask(0xff) && is_mask(0xff00_0000_0000_0000));
        assert!(!is_mask(0) && !is_mask(0xff0) && !is_mask(0xffff));
    }

    #[test]
    fn types_take_constants() {
        let of = |class| accepted(VariableType::Basic(class));
        assert!(of(Class::B8).integer && of(Class::B8).float);
        assert!(!of(Class::S64).float && !of(Class::F64).integer);
        assert_eq!(of(Class::F16), Accepted::default());
        assert!(of(Class::U64).address && !of(Class::B64).address);
        assert!(of(Class::U8).masked_address && !of(Class::U8).address);
    }
}
