//! Statements that ptxas accepts by accident.

use crate::operand::Operand;

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

/// Opcodes that ptxas replaces by instructions of its own, which have no selectors.
const REPLACED: [&str; 14] = [
    "bar", "bfe", "bfi", "bfind", "brev", "clz", "cvt", "div", "ex2", "popc", "rcp", "rem", "shfl",
    "sqrt",
];

/// Whether ptxas ignores a selector of an operand: these three of the scalar video instructions, on any 32-bit
/// register, but for the operands of video instructions that may have selectors.
pub(crate) fn is_selector_ignored(
    opcode: &str,
    name: &str,
    base: &Operand,
    selector: &str,
) -> bool {
    let register = matches!(base, Operand::Register { class, lanes: 1 } if class.bits() == 32);
    let video = opcode.starts_with('v') && !matches!(opcode, "vote");
    let lanes = video && opcode.ends_with(['2', '4']);
    register
        && matches!(selector, "b01" | "b12" | "b23")
        && !REPLACED.contains(&opcode)
        && !lanes
        && !(video && matches!(name, "a" | "b"))
}
