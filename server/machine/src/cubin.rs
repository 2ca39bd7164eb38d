//! Cubins: the ELF files that `ptxas` writes.

mod lines;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, fmt, ops::Range};

use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, SectionIndex, SymbolKind,
    read::elf::{ElfFile64, FileHeader},
};

pub use lines::Files;

/// The machine number of the ELF files of NVIDIA's GPUs.
const MACHINE: u16 = 190;
/// The prefixes of the names of sections of code, before the name of the function.
const CODE: &str = ".text.";
/// The table from machine code to lines of PTX, and the one to lines of the sources that PTX names.
const PTX_LINES: &str = ".nv_debug_line_sass";
const SOURCE_LINES: &str = ".debug_line";
/// The lines of PTX, each trimmed and ended by a zero.
const PTX_TEXT: &str = ".nv_debug_ptx_txt";

/// A file that is not a cubin, or is a damaged one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a cubin that can be read: {}", self.0)
    }
}

impl std::error::Error for Malformed {}

/// The code of a cubin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cubin {
    /// A section for each entry, and for each function when they are compiled separately; in their order in
    /// the file.
    pub sections: Vec<Section>,
    /// The files that [`Section::sources`] names.
    pub files: Files,
}

/// A section of code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The name of its entry or function.
    pub name: String,
    /// Bytes of the machine code.
    pub code: Vec<u8>,
    /// Functions after the entry and routines of `ptxas`, by address.
    pub routines: Vec<Routine>,
    /// From an address on, the line of PTX, from 1; by address.
    pub lines: Vec<(u64, u32)>,
    /// From an address on, the file in [`Cubin::files`] and the line in it, from 1; by address.
    pub sources: Vec<(u64, Source)>,
}

/// A line of a file that PTX was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Index of the file.
    pub file: u32,
    /// From 1.
    pub line: u32,
}

/// A function within the section of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routine {
    /// Symbol in the symbol table.
    pub name: String,
    /// Offsets in the section, in bytes.
    pub range: Range<u64>,
}

impl Routine {
    /// Whether `ptxas` brought it along, for a division as an example: no line of PTX is its own.
    #[must_use]
    pub fn is_of_ptxas(&self) -> bool {
        self.name.starts_with("$__internal_") || self.name.contains("$__cuda_")
    }

    /// The function of PTX that it is, or what `ptxas` calls it.
    #[must_use]
    pub fn function(&self) -> &str {
        let name = self.name.rsplit_once('$');
        name.map_or(&*self.name, |(_, name)| name)
    }
}

impl Section {
    /// The line of PTX of the instruction at an address, from 1. Routines of `ptxas` have none.
    #[must_use]
    pub fn line(&self, address: u64) -> Option<u32> {
        match self.routine(address) {
            Some(routine) if routine.is_of_ptxas() => None,
            _ => at(&self.lines, address).filter(|it| *it != 0),
        }
    }

    /// The line of the source of the instruction at an address.
    #[must_use]
    pub fn source(&self, address: u64) -> Option<Source> {
        match self.routine(address) {
            Some(routine) if routine.is_of_ptxas() => None,
            _ => at(&self.sources, address).filter(|it| it.line != 0),
        }
    }

    /// The function after the entry that an address is in.
    #[must_use]
    pub fn routine(&self, address: u64) -> Option<&Routine> {
        let after = self
            .routines
            .partition_point(|it| it.range.start <= address);
        let routine = self.routines.get(after.checked_sub(1)?)?;
        routine.range.contains(&address).then_some(routine)
    }
}

/// The last row at or before an address.
fn at<T: Copy>(rows: &[(u64, T)], address: u64) -> Option<T> {
    let after = rows.partition_point(|it| it.0 <= address);
    Some(rows.get(after.checked_sub(1)?)?.1)
}

/// Reads a cubin.
///
/// Rows and symbols that make no sense are skipped: an instruction without a line is still an instruction.
///
/// # Errors
/// If this is not an ELF file for GPUs, or its tables lead out of it.
pub fn read(bytes: &[u8]) -> Result<Cubin, Malformed> {
    let malformed = |error: object::Error| Malformed(error.to_string());
    let file: ElfFile64<'_, Endianness> = ElfFile64::parse(bytes).map_err(malformed)?;
    if file.elf_header().e_machine.get(file.endian()) != object::elf::Machine(MACHINE) {
        return Err(Malformed("it is for another machine".to_owned()));
    }
    let mut cubin = Cubin::default();
    let mut indices = Vec::new();
    for section in file.sections() {
        let Some(name) = section.name().ok().and_then(|it| it.strip_prefix(CODE)) else {
            continue;
        };
        indices.push(section.index());
        cubin.sections.push(Section {
            name: name.to_owned(),
            code: section.data().map_err(malformed)?.to_owned(),
            ..Section::default()
        });
    }
    let place = |index: SectionIndex| indices.iter().position(|it| *it == index);
    for symbol in file.symbols() {
        let section = symbol.section_index().and_then(place);
        let section = section.and_then(|it| cubin.sections.get_mut(it));
        let (Some(section), SymbolKind::Text, Ok(name)) = (section, symbol.kind(), symbol.name())
        else {
            continue;
        };
        let start = symbol.address();
        let end = start.saturating_add(symbol.size());
        if name != section.name && start < end && end <= section.code.len() as u64 {
            section.routines.push(Routine {
                name: name.to_owned(),
                range: start..end,
            });
        }
    }
    for section in &mut cubin.sections {
        section.routines.sort_by_key(|it| it.range.start);
    }
    let mut files = Files::default();
    for row in lines::rows(&file, PTX_LINES, &mut files) {
        if let Some(section) = place(row.section).and_then(|it| cubin.sections.get_mut(it)) {
            section.lines.push((row.address, row.line));
        }
    }
    files = Files::default();
    for row in lines::rows(&file, SOURCE_LINES, &mut files) {
        if let Some(section) = place(row.section).and_then(|it| cubin.sections.get_mut(it)) {
            let source = Source {
                file: row.file,
                line: row.line,
            };
            section.sources.push((row.address, source));
        }
    }
    cubin.files = files;
    for section in &mut cubin.sections {
        // Of several rows for an address the last one counts, and a stable sort keeps it last.
        section.lines.sort_by_key(|it| it.0);
        section.sources.sort_by_key(|it| it.0);
    }
    Ok(cubin)
}

/// How many bytes [`is_cubin`] needs.
pub const HEADER: usize = 20;

/// Whether a file that begins with these bytes is an ELF file for GPUs.
#[must_use]
pub fn is_cubin(start: &[u8]) -> bool {
    start.starts_with(b"\x7fELF\x02\x01") && start.get(18..HEADER) == Some(&MACHINE.to_le_bytes())
}

/// How many bytes a cubin has, by the tables that its header names: containers fill it up with zeros.
#[must_use]
pub fn length(bytes: &[u8]) -> Option<u64> {
    let header: &object::elf::FileHeader64<Endianness> = FileHeader::parse(bytes).ok()?;
    let endian = header.endian().ok()?;
    let table = |start: u64, count: u16, size: u16| {
        start.checked_add(u64::from(count).checked_mul(u64::from(size))?)
    };
    let segments = table(
        header.e_phoff(endian),
        header.e_phnum(endian),
        header.e_phentsize(endian),
    )?;
    let sections = table(
        header.e_shoff(endian),
        header.e_shnum(endian),
        header.e_shentsize(endian),
    )?;
    Some(segments.max(sections))
}

/// The first ABI whose flags have the target in another byte, as the header tells.
const NEW_ABI: u8 = 0x41;

/// The target of a cubin, such as `sm_90`; the header does not tell `sm_90a` from it.
#[must_use]
pub fn target(bytes: &[u8]) -> Option<String> {
    let flags = bytes.get(48..52)?.first_chunk::<4>()?;
    let number = match bytes.get(7)? {
        &NEW_ABI => flags[1],
        _ => flags[0],
    };
    (is_cubin(bytes) && number != 0).then(|| format!("sm_{number}"))
}

/// The PTX that a cubin keeps as debug information: trimmed lines, without comments and places in sources.
#[must_use]
pub fn ptx_text(bytes: &[u8]) -> Option<String> {
    let file: ElfFile64<'_, Endianness> = ElfFile64::parse(bytes).ok()?;
    let section = file.section_by_name(PTX_TEXT)?;
    let data = section.uncompressed_data().ok()?;
    let data = match data {
        Cow::Borrowed(data) => data,
        // Sections are not compressed, so no more memory is needed than the file has.
        Cow::Owned(_) => return None,
    };
    let lines = data.strip_suffix(&[0]).unwrap_or(data);
    let text = lines.iter().map(|it| if *it == 0 { b'\n' } else { *it });
    let mut text = String::from_utf8_lossy(&text.collect::<Vec<_>>()).into_owned();
    text.push('\n');
    Some(text)
}
