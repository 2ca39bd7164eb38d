//! The documentation of the language: Markdown files beside the tables, in our own words.
//!
//! `docs/instructions` has a page per instruction, `docs/*.md` a page per kind of word. `docs/README.md`
//! says how they are written.

mod example;
mod page;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use rustc_hash::FxHashMap;

use crate::target::Version;

pub use example::Example;
pub(crate) use example::in_kernel;
pub use page::{Entry, InstructionPage};

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
    /// Directives, with their full stop.
    Directives,
    /// Strings of `.pragma`, and options of `.target`.
    Pragmas,
    /// Target architectures.
    Targets,
    /// Versions of the PTX ISA.
    Versions,
    /// Other things of which a text may ask: scopes, proxies, swizzling, descriptors.
    Concepts,
    /// Messages of ptxas, with `*` for the parts that differ.
    PtxasMessages,
    /// Complete kernels for what is written again and again, explained.
    Idioms,
}

impl Topic {
    /// Every topic.
    pub const ALL: [Topic; 11] = [
        Topic::Modifiers,
        Topic::Types,
        Topic::StateSpaces,
        Topic::SpecialRegisters,
        Topic::Directives,
        Topic::Pragmas,
        Topic::Targets,
        Topic::Versions,
        Topic::Concepts,
        Topic::PtxasMessages,
        Topic::Idioms,
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
            Topic::PtxasMessages => "ptxas-messages.md",
            Topic::Idioms => "idioms.md",
        }
    }
}

/// All pages, read once.
struct Library {
    instructions: FxHashMap<&'static str, InstructionPage>,
    topics: FxHashMap<Topic, Vec<Entry>>,
    sections: FxHashMap<&'static str, &'static str>,
    aliases: Vec<(&'static str, Vec<&'static str>)>,
}

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let text = |file: &str| {
        FILES
            .get_file(file)
            .and_then(|it| it.contents_utf8())
            .unwrap_or_default()
    };
    Library {
        instructions: FILES
            .get_dir("instructions")
            .into_iter()
            .flat_map(Dir::files)
            .filter_map(|file| InstructionPage::read(file.contents_utf8()?))
            .map(|page| (page.name, page))
            .collect(),
        topics: Topic::ALL
            .into_iter()
            .map(|topic| (topic, page::entries(text(topic.file()))))
            .collect(),
        sections: text("sections.tsv")
            .lines()
            .filter_map(|it| it.split_once('\t'))
            .collect(),
        aliases: text("aliases.tsv")
            .lines()
            .filter_map(|it| it.split_once('\t'))
            .map(|(word, names)| (word, names.split(", ").collect()))
            .collect(),
    }
});

/// The page of an instruction, by its name in the tables: `cp.async.bulk`.
#[must_use]
pub fn instruction(name: &str) -> Option<&'static InstructionPage> {
    LIBRARY.instructions.get(name)
}

/// Every page of an instruction, in no order.
pub fn instructions() -> impl Iterator<Item = &'static InstructionPage> {
    LIBRARY.instructions.values()
}

/// The entries of a topic, in the order of its file.
#[must_use]
pub fn entries(topic: Topic) -> &'static [Entry] {
    LIBRARY.topics.get(&topic).map_or(&[], |it| it)
}

/// The entry of a word in a topic. The word is spelled as in a text: with its full stop or per cent sign.
#[must_use]
pub fn entry(topic: Topic, word: &str) -> Option<&'static Entry> {
    page::find(entries(topic), word)
}

/// Words that are not PTX but stand for something in PTX (of CUDA C++, SASS, Triton and everyday speech), with the
/// names of the pages for them.
pub fn aliases() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    LIBRARY.aliases.iter().map(|it| (it.0, it.1.as_slice()))
}

/// What is said about a message of ptxas.
#[must_use]
pub fn ptxas_message(message: &str) -> Option<&'static Entry> {
    let entries = entries(Topic::PtxasMessages).iter();
    entries
        .flat_map(|entry| entry.words.iter().map(move |it| (entry, it)))
        .filter(|(_, pattern)| page::is_like(pattern, message))
        // The pattern with the most letters of its own says most.
        .max_by_key(|(_, pattern)| pattern.len())
        .map(|it| it.0)
}

/// What a modifier, given without its full stop, means on an instruction.
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

/// What a modifier means on all instructions, and what it means on this one; either may be missing.
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
    LIBRARY.sections.get(section).copied()
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
