//! Documentation of the words of the language as Markdown, from the pages beside the instruction tables.

use std::fmt::Write as _;

use include_dir::{Dir, include_dir};
use isa::{
    documentation::{self, Entry, InstructionPage, Topic},
    table::{Instruction, tables},
    target::Gate,
};

use crate::{DIAGNOSTIC_CODES, DocumentationKey};

use super::chapters;

impl DocumentationKey {
    /// Its kind, in the words of users: "instruction", "special register".
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            DocumentationKey::Instruction(_) => "instruction",
            DocumentationKey::Modifier { .. } => "modifier",
            DocumentationKey::SpecialRegister(_) => "special register",
            DocumentationKey::Directive(_) => "directive",
            DocumentationKey::Type(_) => "type",
            DocumentationKey::StateSpace(_) => "state space",
            DocumentationKey::Target(_) => "target",
            DocumentationKey::Version(_) => "version",
            DocumentationKey::Pragma(_) => "pragma",
            DocumentationKey::Concept(_) => "concept",
            DocumentationKey::CudaError(_) => "CUDA error",
            DocumentationKey::PtxasMessage(_) => "message of ptxas",
            DocumentationKey::Idiom(_) => "idiom",
            DocumentationKey::MachineInstruction(_) => "machine instruction",
            DocumentationKey::Diagnostic(_) => "diagnostic code",
            DocumentationKey::Chapter(_) => "chapter",
        }
    }

    /// The key of another name of the same page.
    fn named(&self, name: &str) -> DocumentationKey {
        let mut key = self.clone();
        match &mut key {
            DocumentationKey::Modifier { word, .. } => {
                name.trim_start_matches('.').clone_into(word);
            }
            DocumentationKey::Instruction(it)
            | DocumentationKey::SpecialRegister(it)
            | DocumentationKey::Directive(it)
            | DocumentationKey::Type(it)
            | DocumentationKey::StateSpace(it)
            | DocumentationKey::Target(it)
            | DocumentationKey::Version(it)
            | DocumentationKey::Pragma(it)
            | DocumentationKey::Concept(it)
            | DocumentationKey::CudaError(it)
            | DocumentationKey::PtxasMessage(it)
            | DocumentationKey::Idiom(it)
            | DocumentationKey::MachineInstruction(it)
            | DocumentationKey::Diagnostic(it)
            | DocumentationKey::Chapter(it) => name.clone_into(it),
        }
        key
    }

    /// The key as text that survives a way through an editor.
    #[must_use]
    pub fn to_text(&self) -> String {
        let (kind, first, second) = match self {
            DocumentationKey::Instruction(name) => ("instruction", name, None),
            DocumentationKey::Modifier { instruction, word } => {
                ("modifier", instruction, Some(word))
            }
            DocumentationKey::SpecialRegister(name) => ("special-register", name, None),
            DocumentationKey::Directive(name) => ("directive", name, None),
            DocumentationKey::Type(name) => ("type", name, None),
            DocumentationKey::StateSpace(name) => ("state-space", name, None),
            DocumentationKey::Target(name) => ("target", name, None),
            DocumentationKey::Version(name) => ("version", name, None),
            DocumentationKey::Pragma(name) => ("pragma", name, None),
            DocumentationKey::Concept(name) => ("concept", name, None),
            DocumentationKey::CudaError(name) => ("cuda-error", name, None),
            DocumentationKey::PtxasMessage(text) => ("ptxas-message", text, None),
            DocumentationKey::Idiom(name) => ("idiom", name, None),
            DocumentationKey::MachineInstruction(name) => ("machine-instruction", name, None),
            DocumentationKey::Diagnostic(name) => ("diagnostic", name, None),
            DocumentationKey::Chapter(title) => ("chapter", title, None),
        };
        match second {
            Some(second) => format!("{kind}\t{first}\t{second}"),
            None => format!("{kind}\t{first}"),
        }
    }

    /// The key that was such a text; none for other texts.
    #[must_use]
    pub fn from_text(text: &str) -> Option<DocumentationKey> {
        let mut parts = text.split('\t');
        let (kind, first) = (parts.next()?, parts.next()?.to_owned());
        Some(match kind {
            "instruction" => DocumentationKey::Instruction(first),
            "modifier" => DocumentationKey::Modifier {
                instruction: first,
                word: parts.next()?.to_owned(),
            },
            "special-register" => DocumentationKey::SpecialRegister(first),
            "directive" => DocumentationKey::Directive(first),
            "type" => DocumentationKey::Type(first),
            "state-space" => DocumentationKey::StateSpace(first),
            "target" => DocumentationKey::Target(first),
            "version" => DocumentationKey::Version(first),
            "pragma" => DocumentationKey::Pragma(first),
            "concept" => DocumentationKey::Concept(first),
            "cuda-error" => DocumentationKey::CudaError(first),
            "ptxas-message" => DocumentationKey::PtxasMessage(first),
            "idiom" => DocumentationKey::Idiom(first),
            "machine-instruction" => DocumentationKey::MachineInstruction(first),
            "diagnostic" => DocumentationKey::Diagnostic(first),
            "chapter" => DocumentationKey::Chapter(first),
            _ => return None,
        })
    }
}

/// The documentation of something; none if there is none.
#[must_use]
pub fn documentation(key: &DocumentationKey) -> Option<String> {
    let topic = |topic, word: &str| documentation::entry(topic, word).map(entry);
    match key {
        DocumentationKey::Instruction(name) => {
            let mut sections = tables().with_name(name);
            let first = sections.next()?;
            let page = documentation::instruction(name)?;
            Some(instruction(page, first, sections))
        }
        DocumentationKey::Modifier { instruction, word } => {
            documentation::modifier(instruction, word).map(entry)
        }
        DocumentationKey::SpecialRegister(name) => topic(Topic::SpecialRegisters, name),
        DocumentationKey::Directive(name) => topic(Topic::Directives, name),
        DocumentationKey::Type(name) => topic(Topic::Types, name),
        DocumentationKey::StateSpace(name) => topic(Topic::StateSpaces, name),
        DocumentationKey::Target(name) => topic(Topic::Targets, name),
        DocumentationKey::Version(name) => topic(Topic::Versions, name),
        DocumentationKey::Pragma(name) => topic(Topic::Pragmas, name),
        DocumentationKey::Concept(name) => topic(Topic::Concepts, name),
        DocumentationKey::CudaError(name) => topic(Topic::CudaErrors, name),
        DocumentationKey::PtxasMessage(text) => documentation::ptxas_message(text).map(entry),
        DocumentationKey::Idiom(name) => topic(Topic::Idioms, name),
        DocumentationKey::MachineInstruction(name) => {
            documentation::machine_instruction(name).map(entry)
        }
        DocumentationKey::Diagnostic(code) => diagnostic(code),
        DocumentationKey::Chapter(title) => chapters::text(title),
    }
}

static DIAGNOSTICS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/docs/diagnostics");

/// The page of the code of a diagnostic.
fn diagnostic(code: &str) -> Option<String> {
    let file = DIAGNOSTICS.get_file(format!("{code}.md"))?;
    let page = file.contents_utf8()?;
    // The title repeats the code.
    Some(page.split_once('\n')?.1.trim().to_owned())
}

/// Everything that has documentation, by name: instructions, then the other words.
#[must_use]
pub fn documented() -> Vec<(String, DocumentationKey)> {
    pages()
        .into_iter()
        .flat_map(|(names, key)| {
            names.into_iter().map(move |name| {
                let key = key.named(&name);
                (name, key)
            })
        })
        .collect()
}

/// Every page with its names, the first of which is in the key.
pub(crate) fn pages() -> Vec<(Vec<String>, DocumentationKey)> {
    let mut found: Vec<(Vec<String>, DocumentationKey)> = documentation::instructions()
        .map(|it| {
            let name = it.name.to_owned();
            (vec![name.clone()], DocumentationKey::Instruction(name))
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    for topic in Topic::ALL {
        for entry in documentation::entries(topic) {
            let names: Vec<String> = entry.words.iter().map(|it| (*it).to_owned()).collect();
            let Some(name) = names.first().cloned() else {
                continue;
            };
            let key = match topic {
                Topic::Modifiers => DocumentationKey::Modifier {
                    instruction: String::new(),
                    word: name.trim_start_matches('.').to_owned(),
                },
                Topic::Types => DocumentationKey::Type(name),
                Topic::StateSpaces => DocumentationKey::StateSpace(name),
                Topic::SpecialRegisters => DocumentationKey::SpecialRegister(name),
                Topic::Directives => DocumentationKey::Directive(name),
                Topic::Pragmas => DocumentationKey::Pragma(name),
                Topic::Targets => DocumentationKey::Target(name),
                Topic::Versions => DocumentationKey::Version(name),
                Topic::Concepts => DocumentationKey::Concept(name),
                Topic::CudaErrors => DocumentationKey::CudaError(name),
                Topic::PtxasMessages => DocumentationKey::PtxasMessage(name),
                Topic::Idioms => DocumentationKey::Idiom(name),
                Topic::MachineInstructions => DocumentationKey::MachineInstruction(name),
            };
            found.push((names, key));
        }
    }
    found.extend(DIAGNOSTIC_CODES.iter().map(|it| {
        let name = it.name.to_owned();
        (vec![name.clone()], DocumentationKey::Diagnostic(name))
    }));
    found.extend(chapters::titles().map(|it| {
        let title = it.to_owned();
        (vec![title.clone()], DocumentationKey::Chapter(title))
    }));
    found
}

/// The sections of the manual that a page of a word was held against, as links; empty if the manual has none.
pub(crate) fn sources(key: &DocumentationKey) -> String {
    let (topic, word) = match key {
        DocumentationKey::Modifier { word, .. } => (Topic::Modifiers, format!(".{word}")),
        DocumentationKey::SpecialRegister(name) => (Topic::SpecialRegisters, name.clone()),
        DocumentationKey::Directive(name) => (Topic::Directives, name.clone()),
        DocumentationKey::Type(name) => (Topic::Types, name.clone()),
        DocumentationKey::StateSpace(name) => (Topic::StateSpaces, name.clone()),
        DocumentationKey::Pragma(name) => (Topic::Pragmas, name.clone()),
        DocumentationKey::Target(name) => (Topic::Targets, name.clone()),
        DocumentationKey::Version(name) => (Topic::Versions, name.clone()),
        DocumentationKey::Concept(name) => (Topic::Concepts, name.clone()),
        _ => return String::new(),
    };
    let source = documentation::entry(topic, &word).and_then(|it| documentation::source(topic, it));
    let sections = source.map_or(&[][..], |it| &it.sections).iter();
    let links: Vec<String> = sections
        .filter_map(|it| Some(format!("[{it}]({})", documentation::section_link(it)?)))
        .collect();
    match links.is_empty() {
        true => String::new(),
        false => format!("\n\nPTX ISA {}", links.join(", ")),
    }
}

/// The sentence that stands for a page in lists.
pub(crate) fn summary(key: &DocumentationKey, text: &str) -> String {
    match key {
        DocumentationKey::Instruction(name) => {
            let page = documentation::instruction(name);
            page.map_or("", |it| it.summary).to_owned()
        }
        _ => documentation::first_sentence(text).to_owned(),
    }
}

fn entry(entry: &Entry) -> String {
    entry.text.to_owned()
}

/// The whole page of an instruction.
fn instruction<'a>(
    page: &InstructionPage,
    first: &'a Instruction,
    more: impl Iterator<Item = &'a Instruction>,
) -> String {
    let mut text = format!("```ptx\n{}\n```\n", syntax_lines(first, more).join("\n"));
    let _ = write!(text, "\n{}\n", page.summary);
    let notes = page.all_notes();
    for part in [page.description, notes.trim_end()] {
        if !part.is_empty() {
            let _ = write!(text, "\n{part}\n");
        }
    }
    text.push_str(&operands(page));
    if !page.code.is_empty() {
        let _ = write!(text, "\n```c\n{}\n```\n", page.code.trim_end());
    }
    if let Some(example) = page.examples.first() {
        let _ = write!(text, "\n```ptx\n{}\n```\n", example.text);
    }
    text.push_str(&footer(page, first));
    text
}

/// The syntax lines of the variants, without repetitions.
pub(in crate::features) fn syntax_lines<'a>(
    first: &'a Instruction,
    more: impl Iterator<Item = &'a Instruction>,
) -> Vec<&'a str> {
    let mut lines: Vec<&str> = Vec::new();
    for instruction in std::iter::once(first).chain(more) {
        for variant in &instruction.variants {
            let line = variant.syntax.split(" @").next().unwrap_or_default().trim();
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}

fn operands(page: &InstructionPage) -> String {
    let mut text = String::new();
    for operand in &page.operands {
        let names: Vec<String> = operand.words.iter().map(|it| format!("`{it}`")).collect();
        let _ = write!(text, "\n- {}: {}", names.join(", "), operand.text);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// The requirements of an instruction, related instructions, and the section of the manual.
pub(crate) fn footer(page: &InstructionPage, instruction: &Instruction) -> String {
    let mut text = String::new();
    if let Some(demand) = demand(&instruction.gate, instruction.name) {
        let _ = write!(text, "\nNeeds {demand}.");
    }
    if !page.related.is_empty() {
        let names: Vec<String> = page.related.iter().map(|it| format!("`{it}`")).collect();
        let _ = write!(text, "\n\nSee also {}", names.join(", "));
    }
    if let Some(link) = documentation::section_link(instruction.section) {
        let _ = write!(text, "\n\n[PTX ISA {}]({link})", instruction.section);
    }
    text
}

/// A gate in words: "PTX ISA 8.0 and sm_90 or later". The version is the manual's; what ptxas accepts before
/// is added.
pub(crate) fn demand(gate: &Gate, instruction: &str) -> Option<String> {
    let mut parts = Vec::new();
    if let Some(accepted) = gate.since {
        let version = documentation::documented_since(instruction, accepted);
        parts.push(if version == accepted {
            format!("PTX ISA {version}")
        } else {
            format!("PTX ISA {version} (ptxas also accepts {accepted})")
        });
    }
    if !gate.targets.is_empty() {
        let targets: Vec<String> = gate.targets.iter().map(|it| format!("`{it}`")).collect();
        parts.push(targets.join(" or "));
    }
    (!parts.is_empty()).then(|| parts.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Severity, features::completion::directives};

    #[test]
    fn keys_survive_a_way_through_an_editor() {
        let keys = [
            DocumentationKey::Instruction("cp.async".to_owned()),
            DocumentationKey::Modifier {
                instruction: "add".to_owned(),
                word: "rn".to_owned(),
            },
            DocumentationKey::Target("sm_90".to_owned()),
        ];
        for key in keys {
            assert_eq!(DocumentationKey::from_text(&key.to_text()), Some(key));
        }
        assert_eq!(DocumentationKey::from_text("nonsense"), None);
        assert_eq!(DocumentationKey::from_text("modifier\tadd"), None);
    }

    /// The crate of the instruction set tests what it knows; it does not know these.
    #[test]
    fn directives_are_documented() {
        let directives = [
            directives::OF_HEADER,
            directives::OF_MODULE,
            directives::OF_BODY,
        ];
        let directives = directives.into_iter().flatten();
        let missing: Vec<_> = directives
            .filter(|it| documentation(&DocumentationKey::Directive((**it).to_owned())).is_none())
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    /// Whoever copies an example or an idiom gets no warning for it, lints included. Examples other than idioms read
    /// registers that the reader has written.
    #[test]
    fn examples_draw_no_warnings() {
        let warned = |example: &documentation::Example<'_>, left_open: &[&str]| {
            let fixture = crate::fixture::Fixture::new(&example.program());
            let all = fixture.host.analysis().diagnostics(crate::FileId(0));
            let mut all = all.expect("nothing is written");
            all.retain(|it| {
                matches!(it.severity, Severity::Error | Severity::Warning)
                    && !left_open.contains(&it.code)
            });
            let told = all
                .iter()
                .map(|it| format!("{}: {}\n", it.code, it.message));
            let told: String = told.collect();
            (!told.is_empty()).then(|| told + example.text)
        };
        let idioms = documentation::entries(Topic::Idioms);
        assert!(idioms.len() >= 12);
        let idioms = idioms.iter().flat_map(|it| &it.examples);
        let mut wrong: Vec<String> = idioms.filter_map(|it| warned(it, &[])).collect();
        let entries = Topic::ALL.iter().flat_map(|it| documentation::entries(*it));
        let examples = entries.flat_map(|it| &it.examples);
        let pages = documentation::instructions().flat_map(|it| &it.examples);
        let examples = examples.chain(pages);
        wrong.extend(examples.filter_map(|it| warned(it, &["uninitialized-register"])));
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    }
}
