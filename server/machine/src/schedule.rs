//! The scheduling fields of an instruction.
//!
//! Since sm_70 an instruction has 128 bits, and bits 105 to 125 define for the hardware when the next one may be
//! issued. NVIDIA does not document them; they are known from public reverse engineering of Volta and later
//! (among others arXiv 1804.06826 and 2503.20481), and the reuse bits agree with what `nvdisasm` prints.

/// The first generation whose instructions have these fields.
const FIRST: u32 = 70;
/// Size of an instruction, in bytes.
pub const INSTRUCTION: usize = 16;
/// The scoreboard that means none.
const NONE: u8 = 7;
/// Opcodes, the low 12 bits of an instruction.
const NOP: u64 = 0x918;
const BRA: u64 = 0x947;

/// When the instruction after this one may be issued, and for what this one waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// At least this many cycles pass before the next instruction of the warp is issued.
    pub stall: u8,
    /// Whether the scheduler should switch to another warp next.
    pub yields: bool,
    /// The scoreboard that is set when the result is there.
    pub write: Option<u8>,
    /// The scoreboard that is set when the operands have been read.
    pub read: Option<u8>,
    /// The scoreboards that it waits for, bit by bit.
    pub wait: u8,
    /// The operand slots whose values are kept for the next instruction, bit by bit.
    pub reuse: u8,
}

impl Schedule {
    /// The fields of an instruction, by its upper 64 bits.
    #[must_use]
    pub fn new(upper: u64) -> Schedule {
        let field = |from: u32, bits: u32| {
            let value = upper >> (from - 64) & ((1 << bits) - 1);
            // Fields have at most six bits.
            u8::try_from(value).unwrap_or_default()
        };
        let scoreboard = |it: u8| (it != NONE).then_some(it);
        Schedule {
            stall: field(105, 4),
            yields: field(109, 1) == 0,
            write: scoreboard(field(110, 3)),
            read: scoreboard(field(113, 3)),
            wait: field(116, 6),
            reuse: field(122, 4),
        }
    }

    /// The scoreboards that it waits for.
    pub fn waits(self) -> impl Iterator<Item = u8> {
        (0..6).filter(move |it| self.wait >> it & 1 != 0)
    }
}

/// Whether instructions of the target, such as `sm_90a`, have these fields.
#[must_use]
pub fn is_known(target: &str) -> bool {
    let number = target.strip_prefix("sm_").unwrap_or_default();
    let end = number
        .find(|it: char| !it.is_ascii_digit())
        .unwrap_or(number.len());
    number
        .get(..end)
        .and_then(|it| it.parse::<u32>().ok())
        .is_some_and(|it| it >= FIRST)
}

/// The halves of the instruction at an address of a section of code.
#[must_use]
pub fn halves(code: &[u8], address: u64) -> Option<(u64, u64)> {
    let at = usize::try_from(address).ok()?;
    let (low, rest) = code.get(at..)?.split_first_chunk::<8>()?;
    let high = rest.first_chunk::<8>()?;
    Some((u64::from_le_bytes(*low), u64::from_le_bytes(*high)))
}

/// Where the code of a section ends and the padding begins: instructions that do nothing, after a branch to
/// itself that keeps the hardware from running on.
#[must_use]
pub fn padding(code: &[u8]) -> u64 {
    let mut end = (code.len() - code.len() % INSTRUCTION) as u64;
    let size = INSTRUCTION as u64;
    let before = |end: u64| halves(code, end.checked_sub(size)?);
    while before(end).is_some_and(|(low, _)| low & 0xfff == NOP) {
        end -= size;
    }
    if before(end).is_some_and(|(low, high)| is_branch_to_itself(low, high)) {
        end -= size;
    }
    end
}

/// Whether a branch without a guard leads to its own address, 16 bytes before the next instruction.
fn is_branch_to_itself(low: u64, high: u64) -> bool {
    // Until sm_89 the distance is in bytes; since sm_90 it is in words of four, and bits 18 to 23 are set.
    let bytes = low == 0xffff_fff0_0000_7000 | BRA;
    let words = low == 0xffff_fffc_00fc_7000 | BRA;
    (bytes || words) && high & 0x3ffff == 0x3ffff
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn fields() {
        // LDG.E R2, desc[UR4][R2.64]; it sets scoreboard 2. FFMA with two slots kept, which waits for 2 and 5.
        let load = Schedule::new(0x000e_a800_0c1e_1900);
        let multiply = Schedule::new((0b0011 << 17 | 0b10_0100 << 11 | 7 << 8 | 7 << 5 | 4) << 41);
        expect![[r#"
            Schedule { stall: 4, yields: false, write: Some(2), read: None, wait: 0, reuse: 0 }
            Schedule { stall: 4, yields: true, write: None, read: None, wait: 36, reuse: 3 }
            [2, 5]
        "#]]
        .assert_eq(&format!(
            "{load:?}\n{multiply:?}\n{:?}\n",
            multiply.waits().collect::<Vec<_>>()
        ));
    }

    #[test]
    fn padding_is_no_code() {
        const EXIT: (u64, u64) = (0x794d, 0x000f_ea00_0380_0000);
        const NOP: (u64, u64) = (0x7918, 0x000f_c000_0000_0000);
        let end = |instructions: &[(u64, u64)]| {
            let halves = instructions.iter().flat_map(|it| [it.0, it.1]);
            padding(&halves.flat_map(u64::to_le_bytes).collect::<Vec<_>>())
        };
        let branch = |low| (low, 0x000f_c000_0383_ffff);
        // Of sm_80 and of sm_90a, both as ptxas writes them.
        for low in [0xffff_fff0_0000_7947, 0xffff_fffc_00fc_7947] {
            assert_eq!(end(&[EXIT, branch(low), NOP, NOP]), 16);
        }
        // A loop of four instructions, with a branch of sm_90a.
        assert_eq!(end(&[EXIT, branch(0xffff_fff0_00fc_7947), NOP]), 32);
        assert_eq!((end(&[NOP]), end(&[])), (0, 0));
    }

    #[test]
    fn targets_with_fields() {
        assert!(is_known("sm_75") && is_known("sm_90a") && is_known("sm_121f"));
        assert!(!is_known("sm_61") && !is_known("sm_") && !is_known("") && !is_known("compute_90"));
    }
}
