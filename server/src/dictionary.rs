//! The documentation of words by their names, for the command line and for editors.

use analysis::{DocumentationKey, documented};

/// The words that are called this, with or without their full stop or per cent sign.
pub(crate) fn called(name: &str) -> Vec<(String, DocumentationKey)> {
    let plain = |it: &str| it.trim_start_matches(['.', '%']).to_ascii_lowercase();
    let asked = plain(name);
    let mut found = documented();
    found.retain(|it| it.0 == name || plain(&it.0) == asked);
    found
}

/// What a word is, in the words of users.
pub(crate) fn kind(key: &DocumentationKey) -> &'static str {
    match key {
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
        DocumentationKey::Diagnostic(_) => "problem",
    }
}
