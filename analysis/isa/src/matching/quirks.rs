//! What ptxas accepts by accident.

/// Words that ptxas 13.5 checks on no instruction.
pub const UNCHECKED: [&str; 23] = [
    "acc::f16",
    "acc::f32",
    "b2",
    "b4x16_p64",
    "b6x16_p32",
    "b8x16",
    "box_dim",
    "element_stride",
    "elemtype",
    "fill_mode",
    "finite",
    "global_address",
    "global_dim",
    "global_stride",
    "infinite",
    "interleave_layout",
    "normal",
    "notanumber",
    "number",
    "rank",
    "subnormal",
    "swizzle_atomicity",
    "swizzle_mode",
];

/// Words that ptxas accepts a second time.
pub(crate) const REPEATABLE: [&str; 9] = [
    "sync",
    "sat",
    "cc",
    "relu",
    "uni",
    "approx",
    "satfinite",
    "NaN",
    "shiftamt",
];
