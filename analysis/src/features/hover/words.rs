//! Words with a meaning of their own: directives, types, state spaces, targets, versions.

use isa::{
    directive::gate,
    documentation::{Entry, Topic, entry},
    target::{Target, Version, least_version, versions},
};
use syntax::SyntaxKind;

use crate::features::documentation::demand;

fn page(topic: Topic, word: &str) -> Option<&'static Entry> {
    entry(topic, word)
}

/// A dotted word of a directive or declaration.
pub(super) fn of_directive(word: &str, place: SyntaxKind) -> Option<String> {
    let topics: &[Topic] = match place {
        // The spaces of pointers and variables come before directives of the same name.
        SyntaxKind::VARIABLE_DECLARATION | SyntaxKind::PARAMETER => &[
            Topic::StateSpaces,
            Topic::Types,
            Topic::Directives,
            Topic::Modifiers,
        ],
        _ => &[
            Topic::Directives,
            Topic::StateSpaces,
            Topic::Types,
            Topic::Modifiers,
        ],
    };
    let found = topics.iter().find_map(|topic| page(*topic, word))?;
    let mut text = format!("```ptx\n{word}\n```\n{}", found.text);
    if let Some(demand) = demand(&gate(word)) {
        text.push_str(&format!("\n\nNeeds {demand}."));
    }
    Some(text)
}

/// A target or an option of `.target`.
pub(super) fn target(word: &str) -> Option<String> {
    let documented = page(Topic::Targets, word).or_else(|| page(Topic::Pragmas, word));
    let least = Target::parse(word).and_then(least_version);
    let mut text = format!("```ptx\n.target {word}\n```\n");
    match documented {
        Some(entry) => text.push_str(entry.text),
        None if least.is_none() => return None,
        None => text.push_str("A target architecture."),
    }
    if let Some(least) = least {
        text.push_str(&format!("\n\nNeeds PTX ISA {least}."));
    }
    Some(text)
}

/// The number of a `.version`.
pub(super) fn version(number: &str) -> Option<String> {
    let version = Version::parse(number).filter(|it| versions().any(|known| known == *it))?;
    let mut text = format!("```ptx\n.version {version}\n```\n");
    match page(Topic::Versions, &version.to_string()) {
        Some(entry) => text.push_str(entry.text),
        None => text.push_str("A version of the PTX ISA."),
    }
    Some(text)
}

/// The string of a `.pragma`.
pub(super) fn pragma(text: &str) -> Option<String> {
    let found = page(Topic::Pragmas, text)?;
    Some(format!("```ptx\n.pragma \"{text}\";\n```\n{}", found.text))
}

/// A component of a vector, or a part of a register in a video instruction.
pub(super) fn selector(word: &str) -> Option<String> {
    let text = match word {
        ".x" | ".r" => "The first element of the vector.",
        ".y" | ".g" => "The second element of the vector.",
        ".z" | ".b" => "The third element of the vector.",
        ".w" | ".a" => "The fourth element of the vector.",
        ".unified" => {
            "The address is in the unified space of host and devices (`.attribute(.unified)`)."
        }
        ".b0" | ".b1" | ".b2" | ".b3" => "A byte of the register, `.b0` being the lowest.",
        ".h0" | ".h1" => "A half of the register, `.h0` being the lower one.",
        _ if word.starts_with(".b") => {
            "Bytes of the two source registers: digits 0 to 3 name those of the first, 4 to 7 those of the second."
        }
        _ if word.starts_with(".h") => {
            "Halves of the two source registers: digits 0 and 1 name those of the first, 2 and 3 those of the second."
        }
        _ => return None,
    };
    Some(format!("`{word}`: {text}"))
}

/// `_`
pub(super) fn sink() -> String {
    "`_`: the sink. The value that would be written here is thrown away.".to_owned()
}
