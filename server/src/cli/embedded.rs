//! PTX inside files of other languages on the command line.

use std::path::Path;

use analysis::{AnalysisConfig, Cancellable, Diagnostic, HostFile, HostSettings};
use rustc_hash::FxHashMap;
use syntax::host::Language;

use crate::compile_commands::CompileCommands;

/// The known facts about how a file is compiled: the target of the command line, or else those of the commands that
/// compile it, unless the file itself says which.
pub(super) fn settings(
    file: &HostFile,
    path: &Path,
    target: Option<&str>,
    commands: Option<&CompileCommands>,
) -> HostSettings {
    HostSettings {
        targets: match target {
            Some(target) => vec![target.to_owned()],
            None if file.marked_targets().is_empty() => {
                commands.map_or_else(Vec::new, |it| it.targets(path))
            }
            None => Vec::new(),
        },
    }
}

/// The problems in the fragments of a file, in the order of the text. `check` finds the diagnostics of a module.
pub(super) fn diagnostics(
    path: &Path,
    text: &str,
    language: Language,
    config: &AnalysisConfig,
    commands: Option<&CompileCommands>,
    check: impl Fn(&str, &AnalysisConfig) -> Cancellable<Vec<Diagnostic>>,
) -> Cancellable<Vec<Diagnostic>> {
    let file = HostFile::new(text, language);
    if file.fragments().is_empty() {
        return Ok(Vec::new());
    }
    let settings = settings(&file, path, config.target_override.as_deref(), commands);
    // The text of a module says its target.
    let of_modules = AnalysisConfig {
        target_override: None,
        ..config.clone()
    };
    let mut known: FxHashMap<String, Vec<Diagnostic>> = FxHashMap::default();
    let mut cancelled = None;
    let mut found = Vec::new();
    for index in 0..file.fragments().len() {
        let mut check = |module: &str| {
            if let Some(found) = known.get(module) {
                return found.clone();
            }
            let found = check(module, &of_modules).unwrap_or_else(|error| {
                cancelled = Some(error);
                Vec::new()
            });
            known.insert(module.to_owned(), found.clone());
            found
        };
        found.extend(file.diagnostics(index, text, &settings, config, &mut check));
    }
    found.sort_by_key(|it| (it.range.start(), it.range.end()));
    // Several statements may have the same definition of a string.
    found.dedup_by(|a, b| a.range == b.range && a.code == b.code && a.message == b.message);
    cancelled.map_or(Ok(found), Err)
}
