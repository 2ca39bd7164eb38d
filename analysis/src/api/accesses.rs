//! Accesses of memory by a warp.

use syntax::TextRange;

/// Which memory an instruction accesses in a full warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessPattern {
    /// The function.
    pub entry: String,
    /// The instruction in the file.
    pub range: TextRange,
    /// Its opcode with its modifiers.
    pub instruction: String,
    /// The state space, without its period; `generic` if the address does not say which.
    pub space: &'static str,
    /// `load`, `store`, `atomic` or `matrix`.
    pub kind: &'static str,
    /// Whether it writes memory.
    pub writes: bool,
    /// Bytes of each lane; `None` if that is not known, or of a box of a tensor.
    pub bytes: Option<u64>,
    /// The address as an expression.
    pub address: String,
    /// Whether the figures are known.
    pub decided: bool,
    /// The lanes that access memory, if that is known.
    pub lanes: Option<u32>,
    /// Whether the distances between the addresses of lanes are the same whatever is unknown.
    pub fixed_distances: bool,
    /// Sectors of 32 bytes, of global memory.
    pub sectors: Option<u32>,
    /// How few sectors have room for the bytes that the lanes access.
    pub ideal_sectors: Option<u32>,
    /// The largest number of words of one bank in a phase, of shared memory.
    pub ways: Option<u32>,
    /// Lanes that access so many words of one bank, with the bank if it does not depend on where variables lie.
    pub conflict: Option<(Option<u32>, Vec<u32>)>,
    /// The place of each lane, if the distances between them are known.
    pub places: Option<LanePlaces>,
    /// The distance in bytes of rows whose lanes conflict, and how far apart they would be accessed without a conflict.
    pub padding: Option<(u64, u64)>,
    /// Whether addresses are multiples of the size of the access in all launches; `None` if in some only.
    pub aligned: Option<bool>,
    /// Whether all threads of a block access bytes of the variable only; `None` if that is not known.
    pub in_range: Option<bool>,
    /// The variable with its size in bytes, and the lowest offset with the end of the highest one, where `in_range` is
    /// known.
    pub extent: Option<(String, u64, i64, i64)>,
    /// The assumptions of the figures, for people.
    pub assumptions: Vec<String>,
    /// Those of them about lengths of rows, without the word `param`: other lengths have other figures.
    pub rows: Vec<String>,
    /// A number of 32 bits inside the address that wraps in some thread, as an expression.
    pub overflow: Option<(String, AddressOverflow)>,
}

/// The places that the lanes of a warp access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanePlaces {
    /// The first byte of the first lane in the 128 bytes after which the banks of shared memory come again, or in its
    /// sector of global memory; `None` if that depends on what is unknown.
    pub start: Option<u64>,
    /// The lanes that access memory, with the distances in bytes from the first one.
    pub lanes: Vec<(u32, i64)>,
}

/// A number of 32 bits that wraps before it becomes a part of an address of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressOverflow {
    /// The index of a thread in which it wraps, along x, y and z.
    pub thread: [u64; 3],
    /// The number that it would be without a limit.
    pub exact: i64,
    /// The number that the address gets.
    pub wrapped: i64,
}

impl AccessPattern {
    /// The known figures in a few words, such as `8 sectors, ideal 4` or `2-way conflict`; empty if none is known.
    #[must_use]
    pub fn figures(&self) -> String {
        let mut words = Vec::new();
        match (self.sectors, self.ideal_sectors, self.ways) {
            (Some(sectors), Some(ideal), _) if sectors > ideal => {
                words.push(format!("{sectors} sectors, ideal {ideal}"));
            }
            (Some(1), ..) => words.push("1 sector".to_owned()),
            (Some(sectors), ..) => words.push(format!("{sectors} sectors")),
            (_, _, Some(1)) => words.push("no conflict".to_owned()),
            (_, _, Some(ways)) => words.push(format!("{ways}-way conflict")),
            _ => {}
        }
        if self.aligned == Some(false) {
            words.push("misaligned".to_owned());
        }
        if self.in_range == Some(false) {
            words.push("out of bounds".to_owned());
        }
        words.join(", ")
    }
}
