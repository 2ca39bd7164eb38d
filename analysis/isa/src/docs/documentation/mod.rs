//! The documentation of the language: Markdown files beside the tables, in our own words.
//!
//! `docs/instructions` has a page per instruction, `docs/*.md` a page per kind of word. `docs/README.md`
//! says how they are written.

mod example;
mod page;
#[cfg(test)]
mod tests;

use std::sync::{LazyLock, OnceLock};

use include_dir::{Dir, File, include_dir};
use rustc_hash::FxHashMap;

use crate::target::Version;

pub use example::Example;
pub(crate) use example::in_kernel;
pub use page::{Entry, InstructionPage, Note, first_sentence};

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/docs");

/// A kind of words that are documented in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// Modifiers of instructions that mean the same on each of them.
    Modifiers,
    /// Fundamental, alternate and packed types.
    Types,
    /// State spaces.
    StateSpaces,
    /// Special registers.
    SpecialRegisters,
    /// Directives, with their period.
    Directives,
    /// Strings of `.pragma`, and options of `.target`.
    Pragmas,
    /// Target architectures.
    Targets,
    /// Versions of the PTX ISA.
    Versions,
    /// Other things of which a text may ask: scopes, proxies, swizzling, descriptors.
    Concepts,
    /// Errors of CUDA that come from kernels, by their messages and names.
    CudaErrors,
    /// Messages of ptxas, with `*` for the parts that differ.
    PtxasMessages,
    /// Complete kernels for what is written again and again, explained.
    Idioms,
    /// Opcodes of machine code (SASS).
    MachineInstructions,
}

impl Topic {
    /// Every topic, in the order of their declaration.
    pub const ALL: [Topic; 13] = [
        Topic::Modifiers,
        Topic::Types,
        Topic::StateSpaces,
        Topic::SpecialRegisters,
        Topic::Directives,
        Topic::Pragmas,
        Topic::Targets,
        Topic::Versions,
        Topic::Concepts,
        Topic::CudaErrors,
        Topic::PtxasMessages,
        Topic::Idioms,
        Topic::MachineInstructions,
    ];

    /// Its file in `docs`.
    #[must_use]
    pub fn file(self) -> &'static str {
        match self {
            Topic::Modifiers => "modifiers.md",
            Topic::Types => "types.md",
            Topic::StateSpaces => "state-spaces.md",
            Topic::SpecialRegisters => "special-registers.md",
            Topic::Directives => "directives.md",
            Topic::Pragmas => "pragmas.md",
            Topic::Targets => "targets.md",
            Topic::Versions => "versions.md",
            Topic::Concepts => "concepts.md",
            Topic::CudaErrors => "cuda-errors.md",
            Topic::PtxasMessages => "ptxas-messages.md",
            Topic::Idioms => "idioms.md",
            Topic::MachineInstructions => "machine-instructions.md",
        }
    }
}

impl Topic {
    /// The kind of its entries in `docs/manual.tsv`; none for those that the manual does not know.
    fn kind(self) -> Option<&'static str> {
        Some(match self {
            Topic::Modifiers => "modifier",
            Topic::Types => "type",
            Topic::StateSpaces => "state-space",
            Topic::SpecialRegisters => "special-register",
            Topic::Directives => "directive",
            Topic::Pragmas => "pragma",
            Topic::Targets => "target",
            Topic::Versions => "version",
            Topic::Concepts => "concept",
            Topic::CudaErrors
            | Topic::PtxasMessages
            | Topic::Idioms
            | Topic::MachineInstructions => return None,
        })
    }
}

/// The part of the manual that a page was held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManualPart {
    /// The version of the manual; none if it says nothing, and ptxas was asked.
    pub version: Option<&'static str>,
    /// The numbers of its sections, ascending.
    pub sections: Vec<&'static str>,
}

/// A page, taken apart when it is first asked for: together they are a megabyte, and one question needs one of them.
struct Page {
    text: &'static str,
    parts: OnceLock<Option<InstructionPage>>,
}

impl Page {
    fn get(&self) -> Option<&InstructionPage> {
        let read = || InstructionPage::read(self.text);
        self.parts.get_or_init(read).as_ref()
    }
}

/// The pages of instructions by their names.
static INSTRUCTIONS: LazyLock<FxHashMap<&'static str, Page>> = LazyLock::new(|| {
    let files = FILES.get_dir("instructions").into_iter();
    let texts = files.flat_map(Dir::files).filter_map(File::contents_utf8);
    texts
        .filter_map(|text| {
            let parts = OnceLock::new();
            Some((InstructionPage::name(text)?, Page { text, parts }))
        })
        .collect()
});

/// The entries of topics, in the order of [`Topic::ALL`].
static TOPICS: [OnceLock<Vec<Entry>>; Topic::ALL.len()] =
    [const { OnceLock::new() }; Topic::ALL.len()];

static SECTIONS: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let lines = text("sections.tsv").lines();
    lines.filter_map(|it| it.split_once('\t')).collect()
});

static ALIASES: LazyLock<Vec<(&'static str, Vec<&'static str>)>> = LazyLock::new(|| {
    let lines = text("aliases.tsv").lines();
    lines
        .filter_map(|it| it.split_once('\t'))
        .map(|(word, names)| (word, names.split(", ").collect()))
        .collect()
});

/// Kind and name of a page (which may end with `*`), and the concept whose figure it has.
static FIGURES: LazyLock<Vec<(&'static str, &'static str, &'static str)>> = LazyLock::new(|| {
    let lines = text("figures.tsv")
        .lines()
        .filter(|it| !it.starts_with('#'));
    lines
        .filter_map(|line| {
            let mut cells = line.split('\t');
            Some((cells.next()?, cells.next()?, cells.next()?))
        })
        .collect()
});

/// Kind and name of a page, and its source.
static SOURCES: LazyLock<FxHashMap<(&'static str, &'static str), ManualPart>> =
    LazyLock::new(|| {
        let lines = text("manual.tsv").lines().filter(|it| !it.starts_with('#'));
        lines
            .filter_map(|line| {
                let mut cells = line.split('\t');
                let key = (cells.next()?, cells.next()?);
                let version = cells.next()?;
                let sections = cells.next()?.split(", ").filter(|it| *it != "-");
                let source = ManualPart {
                    version: (version != "-").then_some(version),
                    sections: sections.collect(),
                };
                Some((key, source))
            })
            .collect()
    });

/// The part of the manual that the page of an instruction was held against.
#[must_use]
pub fn instruction_source(name: &str) -> Option<&'static ManualPart> {
    let name = instruction(name)?.name;
    SOURCES.get(&("instruction", name))
}

/// The part of the manual that an entry of a topic was held against.
#[must_use]
pub fn source(topic: Topic, entry: &Entry) -> Option<&'static ManualPart> {
    SOURCES.get(&(topic.kind()?, *entry.words.first()?))
}

/// The concept whose figure explains a page; the kind is that of `docs/manual.tsv`.
#[must_use]
pub fn figure(kind: &str, name: &str) -> Option<&'static str> {
    let is_meant = |pattern: &str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    };
    let mut all = FIGURES.iter();
    let found = all.find(|it| it.0 == kind && is_meant(it.1))?;
    Some(found.2)
}

fn text(file: &str) -> &'static str {
    let file = FILES.get_file(file);
    file.and_then(File::contents_utf8).unwrap_or_default()
}

/// The page of an instruction, by its name in the tables: `cp.async.bulk`.
#[must_use]
pub fn instruction(name: &str) -> Option<&'static InstructionPage> {
    INSTRUCTIONS.get(name)?.get()
}

/// Every page of an instruction, in no order.
pub fn instructions() -> impl Iterator<Item = &'static InstructionPage> {
    INSTRUCTIONS.values().filter_map(Page::get)
}

/// The entries of a topic, in the order of its file.
#[must_use]
pub fn entries(topic: Topic) -> &'static [Entry] {
    TOPICS[topic as usize].get_or_init(|| page::entries(text(topic.file())))
}

/// The entry of a word in a topic. The word is spelled as in a text: with its period or per cent sign.
#[must_use]
pub fn entry(topic: Topic, word: &str) -> Option<&'static Entry> {
    page::find(entries(topic), word)
}

/// Words that are not PTX but stand for something in PTX (of CUDA C++, SASS, Triton and everyday speech), with the
/// names of the pages for them.
pub fn aliases() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    ALIASES.iter().map(|it| (it.0, it.1.as_slice()))
}

/// The documentation of the opcode of a machine instruction, with its words (`LDG.E.128`) and its guard (`@P0`).
#[must_use]
pub fn machine_instruction(text: &str) -> Option<&'static Entry> {
    let mut words = text.split_whitespace();
    let opcode = words.find(|it| !it.starts_with('@'))?;
    let opcode = opcode.split('.').next().unwrap_or(opcode);
    entry(Topic::MachineInstructions, opcode)
}

/// The documentation of a message of ptxas, with or without what is before its first colon: `Potential Performance
/// Loss: …`.
#[must_use]
pub fn ptxas_message(message: &str) -> Option<&'static Entry> {
    let entries = entries(Topic::PtxasMessages).iter();
    entries
        .flat_map(|entry| entry.words.iter().map(move |it| (entry, it)))
        .filter(|(_, pattern)| {
            let rest = pattern
                .split_once(": ")
                .filter(|it| !it.0.contains('*') && it.1 != "*");
            page::is_like(pattern, message) || rest.is_some_and(|it| page::is_like(it.1, message))
        })
        // The pattern with the most letters of its own says most.
        .max_by_key(|(_, pattern)| pattern.len())
        .map(|it| it.0)
}

/// The meaning of a modifier, given without its period, on an instruction.
///
/// The page of the instruction decides; then what the word means on all instructions, as a modifier, a state
/// space or a type.
#[must_use]
pub fn modifier(name: &str, word: &str) -> Option<&'static Entry> {
    let word = format!(".{word}");
    instruction(name)
        .and_then(|it| page::find(&it.modifiers, &word))
        .or_else(|| entry(Topic::Modifiers, &word))
        .or_else(|| entry(Topic::StateSpaces, &word))
        .or_else(|| entry(Topic::Types, &word))
}

/// The meaning of a modifier on all instructions, and on this one; either may be missing.
///
/// Texts for one instruction that do not stand alone are one sentence each.
#[must_use]
pub fn meanings(name: &str, word: &str) -> Vec<&'static str> {
    let word = format!(".{word}");
    let general = entry(Topic::Modifiers, &word)
        .or_else(|| entry(Topic::StateSpaces, &word))
        .or_else(|| entry(Topic::Types, &word));
    let here = instruction(name).and_then(|it| page::find(&it.modifiers, &word));
    let general = general.map(Entry::summary);
    general.into_iter().chain(here.map(|it| it.text)).collect()
}

/// The version since when the manual has something that ptxas accepts from `since` on.
///
/// ptxas takes some instructions before the version that introduced them; 5.1 was never published.
#[must_use]
pub fn documented_since(instruction: &str, since: Version) -> Version {
    if since == Version::new(5, 1) {
        Version::new(6, 0)
    } else if instruction == "nanosleep" && since == Version::new(6, 2) {
        Version::new(6, 3)
    } else {
        since
    }
}

/// The title of a section of the PTX ISA 9.3 manual.
#[must_use]
pub fn section_title(section: &str) -> Option<&'static str> {
    SECTIONS.get(section).copied()
}

/// Where a section of the manual can be read.
#[must_use]
pub fn section_link(section: &str) -> Option<String> {
    let title = section_title(section)?;
    let mut anchor = String::with_capacity(title.len());
    for letter in title.chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            anchor.push(letter.to_ascii_lowercase());
        } else if !anchor.ends_with('-') && !anchor.is_empty() {
            anchor.push('-');
        }
    }
    Some(format!(
        "https://docs.nvidia.com/cuda/parallel-thread-execution/#{}",
        anchor.trim_end_matches('-')
    ))
}
