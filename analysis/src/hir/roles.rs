//! What the operands of an instruction are for, as far as names are concerned.
//!
//! The tables of the instruction set will say this for each form of each instruction and replace this
//! module; until then a few words stand for the exceptions from "the first operand is written".

/// How an instruction uses the names among its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The first operand is the destination.
    WritesFirst,
    /// All operands are sources.
    Reads,
    /// All operands are sources; names without a declaration are branch targets.
    Branches,
    /// `(results), callee, (arguments), targets`.
    Calls,
}

/// The role of an opcode with its modifiers.
pub(crate) fn role<'a>(opcode: &str, mut modifiers: impl Iterator<Item = &'a str>) -> Role {
    match opcode {
        "bra" | "brx" => Role::Branches,
        "call" => Role::Calls,
        // A barrier with a reduction has a result.
        "bar" | "barrier" if modifiers.any(|it| it == ".red") => Role::WritesFirst,
        "tcgen05" if modifiers.any(|it| matches!(it, ".ld" | ".alloc")) => Role::WritesFirst,
        "bar" | "barrier" | "tcgen05" | "nanosleep" | "stackrestore" | "setmaxnreg" => Role::Reads,
        _ => Role::WritesFirst,
    }
}
