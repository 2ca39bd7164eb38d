//! How ptxas spends registers: figures that were measured with ptxas 13.5 on kernels of five targets.
//!
//! Nothing here is promised by the manual. The figures feed an estimate and never a diagnostic.

use crate::{limits::Limits, target::Target};

/// Registers that an instruction needs for a moment besides its operands, because ptxas expands it into
/// a sequence.
#[must_use]
pub fn scratch(opcode: &str, modifiers: &[&str]) -> u32 {
    let has = |word: &str| modifiers.contains(&word);
    if has("approx") || has("full") {
        return 0;
    }
    let wide = has("f64") || has("s64") || has("u64");
    match opcode {
        "div" | "rem" if has("f64") => 14,
        "div" | "rem" if has("f32") => 6,
        "div" | "rem" if has("f16") => 3,
        "div" | "rem" if wide => 10,
        "div" | "rem" => 4,
        "sqrt" if wide => 10,
        "rcp" if wide => 6,
        "sqrt" | "rcp" => 2,
        "mul" if has("hi") && wide => 6,
        // What the calling convention of the driver's functions takes.
        "call" => 18,
        _ => 0,
    }
}

impl Limits {
    /// What ptxas adds to the registers of the values: two of its own, the stack pointer, and gaps.
    #[must_use]
    pub fn register_overhead(&self) -> u32 {
        if self.target < 80 { 5 } else { 6 }
    }

    /// What it adds to small kernels on top: from sm_80 on, most of those have even numbers of registers.
    #[must_use]
    pub fn small_overhead(&self) -> u32 {
        u32::from(self.target >= 80)
    }
}

/// Whether an opcode is arithmetic in the units for floating-point numbers.
#[must_use]
pub fn is_float_arithmetic(opcode: &str) -> bool {
    matches!(
        opcode,
        "add" | "div" | "fma" | "mad" | "mul" | "rcp" | "rsqrt" | "sqrt" | "sub"
    )
}

/// Whether a target has only a few units for f64, at most 4 per multiprocessor and not 16 or more. CUDA
/// programming guide, throughput of native arithmetic instructions.
#[must_use]
pub fn has_slow_f64(target: Target) -> bool {
    !matches!(target.number, 60 | 70 | 72 | 80 | 90 | 100)
}

/// Cycles from an instruction to the first use of its result, as the scheduler of ptxas seems to reckon.
#[must_use]
pub fn latency(opcode: &str, modifiers: &[&str]) -> u32 {
    let has = |word: &str| modifiers.contains(&word);
    let cycles = match opcode {
        "ld" if modifiers.iter().any(|it| it.starts_with("shared")) => 24,
        "ld" if modifiers.iter().any(|it| it.starts_with("param")) => 8,
        "ld" | "tcgen05" => 40,
        "ldmatrix" | "wmma" => 24,
        "tex" | "tld4" | "suld" | "atom" => 60,
        "mma" => 18,
        "shfl" | "div" => 20,
        "sqrt" | "rcp" => 12,
        "ex2" | "lg2" | "sin" | "cos" | "rsqrt" | "tanh" => 10,
        "cvt" => 6,
        _ => 5,
    };
    if has("f64") { cycles.max(8) } else { cycles }
}

/// Whether an opcode is integer arithmetic that runs once per warp when its operands are the same in all
/// threads, and so takes no register of a thread.
#[must_use]
pub fn may_be_uniform(opcode: &str, modifiers: &[&str]) -> bool {
    let float = |it: &&str| {
        ["f32", "f64", "f16", "bf16"]
            .iter()
            .any(|f| it.starts_with(f))
    };
    !modifiers.iter().any(float)
        && matches!(
            opcode,
            "abs"
                | "add"
                | "and"
                | "bfe"
                | "bfi"
                | "bfind"
                | "bmsk"
                | "brev"
                | "clz"
                | "cnot"
                | "cvt"
                | "cvta"
                | "div"
                | "lop3"
                | "mad"
                | "mad24"
                | "max"
                | "min"
                | "mov"
                | "mul"
                | "mul24"
                | "neg"
                | "not"
                | "or"
                | "popc"
                | "prmt"
                | "rem"
                | "sad"
                | "selp"
                | "setp"
                | "shf"
                | "shl"
                | "shr"
                | "sub"
                | "szext"
                | "xor"
        )
}

/// Whether a cheap integer operation with one source is done again rather than kept in a register.
#[must_use]
pub fn may_be_repeated(opcode: &str, modifiers: &[&str]) -> bool {
    may_be_uniform(opcode, modifiers)
        && matches!(
            opcode,
            "add"
                | "and"
                | "bfe"
                | "cvt"
                | "mad"
                | "mov"
                | "mul"
                | "or"
                | "shl"
                | "shr"
                | "sub"
                | "xor"
        )
}

/// Whether a special register has the same value in all threads of a block.
#[must_use]
pub fn is_uniform_register(name: &str) -> bool {
    [
        "%ctaid",
        "%nctaid",
        "%ntid",
        "%gridid",
        "%clusterid",
        "%nclusterid",
        "%cluster_ctaid",
        "%cluster_nctaid",
        "%cluster_ctarank",
        "%is_explicit",
    ]
    .iter()
    .any(|it| name.starts_with(it))
}
