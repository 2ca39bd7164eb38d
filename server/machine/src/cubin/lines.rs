//! The line tables of cubins: DWARF line programs, one sequence for each section of code.
//!
//! Each sequence begins at address 0, and a relocation says of which section. The addresses of rows are made
//! unique by putting the number of the section into their upper half.

use gimli::{
    DebugLine, DebugLineOffset, Reader, ReaderOffset, Relocate, RelocateReader, RunTimeEndian,
};
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionIndex,
    read::elf::ElfFile64,
};
use rustc_hash::FxHashMap;

/// How far the number of a section is shifted; sections of code are smaller than this.
const SECTION: u32 = 32;
/// The most rows of a table: a hostile one of some kilobytes could state far more than it has.
const MAX_ROWS: usize = 8 << 20;

/// File names, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    names: Vec<String>,
    indices: FxHashMap<String, u32>,
}

impl Files {
    /// The name with an index, with the folder if the table has one.
    #[must_use]
    pub fn name(&self, index: u32) -> Option<&str> {
        self.names.get(index as usize).map(String::as_str)
    }

    /// All names, in the order of their indices.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    fn intern(&mut self, name: String) -> u32 {
        if let Some(index) = self.indices.get(&name) {
            return *index;
        }
        let index = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(name.clone());
        self.indices.insert(name, index);
        index
    }
}

/// From this address on, this line.
pub(super) struct LineRow {
    pub(super) section: SectionIndex,
    pub(super) address: u64,
    pub(super) file: u32,
    pub(super) line: u32,
}

/// Puts sections into addresses.
#[derive(Clone, Copy, Debug)]
struct Sections<'a>(&'a FxHashMap<usize, u64>);

impl Relocate for Sections<'_> {
    fn relocate_address(&self, offset: usize, value: u64) -> gimli::Result<u64> {
        let base = self.0.get(&offset).copied().unwrap_or_default();
        Ok(base.wrapping_add(value))
    }

    fn relocate_offset(&self, _: usize, value: usize) -> gimli::Result<usize> {
        Ok(value)
    }
}

/// The rows of a table; none if there is no table. What cannot be read ends it.
pub(super) fn rows(
    file: &ElfFile64<'_, Endianness>,
    section: &str,
    files: &mut Files,
) -> Vec<LineRow> {
    let mut rows = Vec::new();
    let Some(section) = file.section_by_name(section) else {
        return rows;
    };
    let Ok(data) = section.data() else {
        return rows;
    };
    let mut bases: FxHashMap<usize, u64> = FxHashMap::default();
    for (offset, relocation) in section.relocations() {
        let RelocationTarget::Symbol(symbol) = relocation.target() else {
            continue;
        };
        let Ok(symbol) = file.symbol_by_index(symbol) else {
            continue;
        };
        let (Some(section), Ok(offset)) = (symbol.section_index(), usize::try_from(offset)) else {
            continue;
        };
        let base = ((section.0 as u64) << SECTION).wrapping_add(symbol.address());
        // The place has the rest of the value, or the relocation does.
        let addend = relocation.addend().cast_unsigned();
        bases.insert(offset, base.wrapping_add(addend));
    }
    let endian = match file.endianness() {
        object::Endianness::Little => RunTimeEndian::Little,
        object::Endianness::Big => RunTimeEndian::Big,
    };
    let reader = gimli::EndianSlice::new(data, endian);
    let table = DebugLine::from(RelocateReader::new(reader, Sections(&bases)));
    let mut unit = 0;
    while unit < data.len()
        && let Ok(next) = one_program(&table, unit, data.len(), files, &mut rows)
    {
        unit = next;
    }
    rows
}

/// Reads the program at an offset and returns where the next one is.
fn one_program<R: Reader<Offset = usize>>(
    table: &DebugLine<R>,
    offset: usize,
    end: usize,
    files: &mut Files,
    rows: &mut Vec<LineRow>,
) -> gimli::Result<usize> {
    let program = table.program(DebugLineOffset(offset), 8, None, None)?;
    let header = program.header();
    // The length itself has four bytes, or twelve.
    let length = usize::from(header.format().initial_length_size());
    let next = header.unit_length().into_u64() as usize;
    let next = offset.saturating_add(length).saturating_add(next).min(end);
    let mut known: FxHashMap<u64, u32> = FxHashMap::default();
    let mut machine = program.rows();
    while let Some((header, row)) = machine.next_row()? {
        if rows.len() >= MAX_ROWS {
            return Ok(end);
        }
        let section = SectionIndex((row.address() >> SECTION) as usize);
        if row.end_sequence() || section.0 == 0 {
            continue;
        }
        let number = row.file_index();
        let file = match known.get(&number) {
            Some(file) => *file,
            None => {
                let name = row.file(header).map(|it| file_name(header, it));
                let file = files.intern(name.transpose()?.unwrap_or_default());
                known.insert(number, file);
                file
            }
        };
        rows.push(LineRow {
            section,
            address: row.address() & ((1 << SECTION) - 1),
            file,
            line: row
                .line()
                .and_then(|it| u32::try_from(it.get()).ok())
                .unwrap_or_default(),
        });
    }
    Ok(next.max(offset.saturating_add(1)))
}

/// The path of a file as its program has it.
fn file_name<R: Reader>(
    header: &gimli::LineProgramHeader<R>,
    file: &gimli::FileEntry<R>,
) -> gimli::Result<String> {
    let text = |value: gimli::AttributeValue<R>| match value {
        gimli::AttributeValue::String(text) => Ok(text.to_string_lossy()?.into_owned()),
        _ => gimli::Result::Ok(String::new()),
    };
    let name = text(file.path_name())?;
    let folder = match file.directory(header) {
        Some(folder) if !name.starts_with('/') && file.directory_index() != 0 => text(folder)?,
        _ => String::new(),
    };
    Ok(match &*folder {
        "" => name,
        folder => format!("{}/{name}", folder.trim_end_matches('/')),
    })
}
