//! The facts about machine instructions that follow from their opcodes: which of them access memory, and which end a
//! block.
//!
//! NVIDIA documents the opcodes with a line each (*CUDA Binary Utilities*); the spaces and the sizes were
//! checked on the machine code that `ptxas` makes of loads, stores and reductions of each width. No other file
//! names opcodes.

/// The memory that an instruction accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Space {
    /// The memory of the GPU.
    Global,
    /// Any, by the address; before sm_90 also reductions in global memory.
    Generic,
    /// The memory of a CTA, or of another one of the cluster.
    Shared,
    /// The memory of a thread: spilled registers and arrays.
    Local,
    /// The tensor memory of sm_100.
    Tensor,
    /// Textures and surfaces.
    Texture,
}

impl Space {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Generic => "generic",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Tensor => "tensor",
            Space::Texture => "texture",
        }
    }
}

/// The kind of an access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryOperation {
    /// It reads.
    Load,
    /// It writes.
    Store,
    /// It reads and writes in one step, with or without a result.
    Atomic,
    /// It copies between global and shared memory, past the registers.
    Copy,
}

impl MemoryOperation {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            MemoryOperation::Load => "load",
            MemoryOperation::Store => "store",
            MemoryOperation::Atomic => "atomic",
            MemoryOperation::Copy => "copy",
        }
    }

    /// The words for several of them.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            MemoryOperation::Load => "loads",
            MemoryOperation::Store => "stores",
            MemoryOperation::Atomic => "atomics",
            MemoryOperation::Copy => "copies",
        }
    }
}

/// One access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAccess {
    /// The memory; of a copy the one that is not the CTA's.
    pub space: Space,
    /// Kind of access.
    pub operation: MemoryOperation,
    /// How many bytes each thread moves; `None` if the opcode does not say.
    pub bytes: Option<u32>,
}

/// The access to memory of an instruction without its guard, such as `LDG.E.64 R2, desc[UR4][R2.64]`. Constants
/// are not counted: they come through a cache of their own.
#[must_use]
pub fn access(opcode: &str) -> Option<MemoryAccess> {
    use MemoryOperation::{Atomic, Copy, Load, Store};
    use Space::{Generic, Global, Local, Shared, Tensor, Texture};
    let mut words = opcode.split('.');
    let base = words.next()?;
    let (space, operation, size): (_, _, fn(_) -> _) = match base {
        "LDG" => (Global, Load, bytes),
        "STG" => (Global, Store, bytes),
        "ATOMG" | "REDG" => (Global, Atomic, bytes),
        "LDGSTS" => (Global, Copy, bytes),
        "LD" => (Generic, Load, bytes),
        "ST" => (Generic, Store, bytes),
        "ATOM" | "RED" => (Generic, Atomic, bytes),
        "LDS" => (Shared, Load, bytes),
        "STS" | "STAS" => (Shared, Store, bytes),
        "ATOMS" | "REDAS" => (Shared, Atomic, bytes),
        "LDSM" => (Shared, Load, matrices),
        "STSM" => (Shared, Store, matrices),
        "LDL" => (Local, Load, bytes),
        "STL" => (Local, Store, bytes),
        // Their sizes are in registers and descriptors, or depend on the shape.
        "UBLKCP" | "UTMALDG" | "UTMASTG" => (Global, Copy, unknown),
        "UBLKRED" | "UTMAREDG" => (Global, Atomic, unknown),
        "LDTM" => (Tensor, Load, unknown),
        "STTM" => (Tensor, Store, unknown),
        "UTCCP" => (Tensor, Copy, unknown),
        "TEX" | "TLD" | "TLD4" | "TXD" | "TMML" | "SULD" => (Texture, Load, unknown),
        "SUST" => (Texture, Store, unknown),
        "SURED" | "SUATOM" => (Texture, Atomic, unknown),
        _ => return None,
    };
    Some(MemoryAccess {
        space,
        operation,
        bytes: size(words),
    })
}

type Words<'a> = std::str::Split<'a, char>;

/// The size that modifiers tell: `.U8`, `.128`, `.F16x8`; four bytes if none does.
fn bytes(mut words: Words<'_>) -> Option<u32> {
    let bits = words.find_map(|word| {
        let digits = word.trim_start_matches(['U', 'S', 'F', 'B']);
        let (digits, lanes) = digits.split_once('x').unwrap_or((digits, "1"));
        let bits: u32 = digits.parse().ok()?;
        bits.checked_mul(lanes.parse().ok()?)
            .filter(|it| matches!(it, 8 | 16 | 32 | 64 | 128 | 256))
    });
    Some(bits.unwrap_or(32) / 8)
}

/// The size of `.16.M88.4`: each of the matrices is four bytes of each thread.
fn matrices(words: Words<'_>) -> Option<u32> {
    let after = words.skip_while(|it| !it.starts_with('M'));
    let count = after.skip(1).find_map(|it| it.parse::<u32>().ok());
    count.unwrap_or(1).checked_mul(4)
}

fn unknown(_: Words<'_>) -> Option<u32> {
    None
}

/// Whether control may go elsewhere after an instruction with this opcode, without its modifiers: then a block
/// ends there.
#[must_use]
pub fn ends_block(base: &str) -> bool {
    matches!(
        base,
        "BRA" | "BRX" | "BRXU" | "JMP" | "JMX" | "JMXU" | "CALL" | "RET" | "EXIT" | "KILL" | "BPT"
    )
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::expect;

    use super::*;

    #[test]
    fn accesses() {
        let mut out = String::new();
        for opcode in [
            "LDG.E.128",
            "LDG.E.LTC128B.64.CONSTANT",
            "LDG.E.ENL2.256",
            "LDG.E.U8",
            "STG.E",
            "ST.E.U16",
            "REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU",
            "REDG.E.ADD.F16x8.RN.STRONG.GPU",
            "REDG.E.ADD.BF16x2.RN",
            "RED.E.ADD.F64.RN.STRONG.GPU",
            "ATOMS.CAS.64",
            "ATOMG.E.ADD.STRONG.GPU",
            "LDGSTS.E.BYPASS.128",
            "LDSM.16.M88.4",
            "STSM.16.MT88.2",
            "LDSM.16.M88",
            "LDL.LU",
            "STL.64",
            "UTMALDG.2D",
            "LDC.64",
            "IMAD.WIDE",
            "",
        ] {
            let _ = match access(opcode) {
                Some(it) => writeln!(
                    out,
                    "{opcode}: {} {} {:?}",
                    it.space.word(),
                    it.operation.word(),
                    it.bytes
                ),
                None => writeln!(out, "{opcode}: none"),
            };
        }
        expect![[r#"
            LDG.E.128: global load Some(16)
            LDG.E.LTC128B.64.CONSTANT: global load Some(8)
            LDG.E.ENL2.256: global load Some(32)
            LDG.E.U8: global load Some(1)
            STG.E: global store Some(4)
            ST.E.U16: generic store Some(2)
            REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU: global atomic Some(16)
            REDG.E.ADD.F16x8.RN.STRONG.GPU: global atomic Some(16)
            REDG.E.ADD.BF16x2.RN: global atomic Some(4)
            RED.E.ADD.F64.RN.STRONG.GPU: generic atomic Some(8)
            ATOMS.CAS.64: shared atomic Some(8)
            ATOMG.E.ADD.STRONG.GPU: global atomic Some(4)
            LDGSTS.E.BYPASS.128: global copy Some(16)
            LDSM.16.M88.4: shared load Some(16)
            STSM.16.MT88.2: shared store Some(8)
            LDSM.16.M88: shared load Some(4)
            LDL.LU: local load Some(4)
            STL.64: local store Some(8)
            UTMALDG.2D: global copy None
            LDC.64: none
            IMAD.WIDE: none
            : none
        "#]]
        .assert_eq(&out);
    }
}
