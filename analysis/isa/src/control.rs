//! Where control goes after an instruction, and what an instruction does besides writing its result.

/// Where control goes after an instruction whose guard holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Control {
    /// To the next instruction.
    Next,
    /// To the label that it names (`bra`).
    Branch,
    /// To one of the labels of a table (`brx.idx`).
    Table,
    /// Into a function, and to the next instruction unless the function is `.noreturn` (`call`).
    Call,
    /// Back to the caller; out of the kernel in an entry (`ret`).
    Return,
    /// Nowhere: the thread ends (`exit`, `trap`).
    End,
}

impl Control {
    /// Where control goes after an opcode. PTX ISA 9.7.13, control flow, and 9.7.19, miscellaneous:
    /// `trap` aborts, `brkpt` suspends and goes on.
    #[must_use]
    pub fn of(opcode: &str) -> Control {
        match opcode {
            "bra" => Control::Branch,
            "brx" => Control::Table,
            "call" => Control::Call,
            "ret" => Control::Return,
            "exit" | "trap" => Control::End,
            _ => Control::Next,
        }
    }

    /// Whether control never goes on to the next instruction, unless a guard is there.
    #[must_use]
    pub fn leaves(self) -> bool {
        !matches!(self, Control::Next | Control::Call)
    }
}

/// Whether an instruction also reads what it writes: the accumulators of an asynchronous `wgmma`.
#[must_use]
pub fn reads_destination(opcode: &str) -> bool {
    opcode == "wgmma"
}

/// Whether an instruction only carries a value on. Compilers copy undefined values where ways join, so
/// that is no use of them.
#[must_use]
pub fn copies(opcode: &str) -> bool {
    matches!(opcode, "mov" | "cvt")
}

/// Whether all threads of a warp must run an instruction together: what is `.aligned`, and `bar`, of which
/// the manual says the same.
#[must_use]
pub fn runs_together<'a>(opcode: &str, mut modifiers: impl Iterator<Item = &'a str>) -> bool {
    match opcode {
        "bar" => true,
        "barrier" | "ldmatrix" | "mma" | "movmatrix" | "setmaxnreg" | "stmatrix" | "tcgen05"
        | "wgmma" | "wmma" => modifiers.any(|it| it == "aligned"),
        _ => false,
    }
}

/// Whether an operand, by its number, may well be undefined, because the instruction replaces parts of it or
/// may drop it: what is inserted into, what is permuted, what is selected from, and the elements of a vector
/// that is stored. Compilers write such instructions for values of which they know a part.
#[must_use]
pub fn takes_undefined(opcode: &str, operand: usize, of_vector: bool) -> bool {
    match opcode {
        "bfi" | "prmt" | "selp" | "slct" => matches!(operand, 1 | 2),
        "st" => of_vector,
        _ => false,
    }
}

/// Opcodes that matter even when nobody reads their result: memory is written, threads communicate, or
/// control moves.
const EFFECTS: &[&str] = &[
    "activemask",
    "alloca",
    "atom",
    "bar",
    "barrier",
    "bra",
    "brkpt",
    "brx",
    "call",
    "clusterlaunchcontrol",
    "cp",
    "discard",
    "elect",
    "exit",
    "fence",
    "griddepcontrol",
    "match",
    "mbarrier",
    "membar",
    "multimem",
    "nanosleep",
    "pmevent",
    "prefetch",
    "red",
    "redux",
    "ret",
    "setmaxnreg",
    "shfl",
    "st",
    "stackrestore",
    "stacksave",
    "stmatrix",
    "sust",
    "tcgen05",
    "tensormap",
    "trap",
    "vote",
    "wgmma",
];

/// Whether an instruction must stay when nobody reads what it writes.
#[must_use]
pub fn has_effect<'a>(opcode: &str, mut modifiers: impl Iterator<Item = &'a str>) -> bool {
    EFFECTS.binary_search(&opcode).is_ok() || modifiers.any(|it| it == "volatile")
}

/// Whether memory accesses stay on their side of an instruction.
#[must_use]
pub fn orders_memory(opcode: &str) -> bool {
    matches!(
        opcode,
        "bar"
            | "barrier"
            | "bra"
            | "brx"
            | "call"
            | "cp"
            | "exit"
            | "fence"
            | "griddepcontrol"
            | "mbarrier"
            | "membar"
            | "ret"
            | "setmaxnreg"
            | "tcgen05"
            | "trap"
            | "wgmma"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_are_sorted() {
        assert!(EFFECTS.is_sorted());
        assert!(has_effect("st", std::iter::empty()));
        assert!(has_effect("ld", ["volatile", "b32"].into_iter()));
        assert!(!has_effect("ld", ["global", "b32"].into_iter()));
    }
}
