//! For which targets files are compiled, by the `compile_commands.json` of their project.

use std::{
    fs,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use analysis::{compile_command_targets, words_of_command};
use rustc_hash::FxHashMap;
use serde::Deserialize;

/// The name of a database.
pub(crate) const NAME: &str = "compile_commands.json";
/// Longer files are not read, in bytes.
const MAX_DATABASE: u64 = 256 << 20;
/// Longer files of options are not read, in bytes.
const MAX_OPTIONS: u64 = 1 << 20;
/// At most so many folders above a file are searched.
const MAX_FOLDERS: usize = 64;

/// An entry as it is in the file.
#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// The contents of one `compile_commands.json`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Database {
    files: FxHashMap<PathBuf, Vec<String>>,
    /// The targets of every file that has any, if they are the same.
    common: Vec<String>,
}

/// The databases of folders, each read once.
#[derive(Debug, Default)]
pub(crate) struct CompileCommands {
    folders: Mutex<FxHashMap<PathBuf, Option<Arc<Database>>>>,
}

impl CompileCommands {
    /// The targets that a file is compiled for; none if that is not known. A file that no command names, as a header,
    /// has those that all others have in common.
    pub(crate) fn targets(&self, file: &Path) -> Vec<String> {
        let Ok(file) = std::path::absolute(file) else {
            return Vec::new();
        };
        let file = normal(&file);
        for folder in file.ancestors().skip(1).take(MAX_FOLDERS) {
            if let Some(database) = self.database(folder) {
                return match database.files.get(&file) {
                    Some(targets) => targets.clone(),
                    None => database.common.clone(),
                };
            }
        }
        Vec::new()
    }

    /// Everything is read anew when it is next asked for.
    pub(crate) fn forget(&self) {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.clear();
    }

    fn database(&self, folder: &Path) -> Option<Arc<Database>> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = folders.get(folder) {
            return known.clone();
        }
        let found = candidates(folder)
            .iter()
            .find_map(|it| Database::read(it))
            .map(Arc::new);
        folders.insert(folder.to_owned(), found.clone());
        found
    }
}

/// Where a folder may have its database: in itself and in its folders for builds.
fn candidates(folder: &Path) -> Vec<PathBuf> {
    let mut candidates = vec![folder.join(NAME)];
    let children = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut builds: Vec<_> = children
        .filter(|it| it.file_name().to_string_lossy().starts_with("build"))
        .map(|it| it.path().join(NAME))
        .collect();
    builds.sort_unstable();
    candidates.extend(builds);
    candidates
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            it => normal.push(it),
        }
    }
    normal
}

/// The text of a regular file of at most so many bytes.
fn read(path: &Path, most: u64) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > most {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

impl Database {
    fn read(path: &Path) -> Option<Database> {
        let entries: Vec<Entry> = serde_json::from_str(&read(path, MAX_DATABASE)?).ok()?;
        let folder = path.parent()?;
        let mut database = Database::default();
        for entry in entries {
            let directory = folder.join(&entry.directory);
            let words = entry
                .arguments
                .or_else(|| entry.command.as_deref().map(words_of_command))
                .unwrap_or_default();
            let targets = compile_command_targets(&with_options(words, &directory));
            let file = normal(&directory.join(&entry.file));
            database.files.entry(file).or_default().extend(targets);
        }
        let mut all = database.files.values().filter(|it| !it.is_empty());
        if let Some(first) = all.next()
            && all.all(|it| it == first)
        {
            database.common.clone_from(first);
        }
        Some(database)
    }
}

/// The words with those of the files of options that they name.
fn with_options(words: Vec<String>, directory: &Path) -> Vec<String> {
    let mut all = Vec::with_capacity(words.len());
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let named = match word.strip_prefix('@') {
            Some(name) => Some(name.to_owned()),
            None if matches!(&*word, "--options-file" | "-optf") => words.next(),
            None => word.strip_prefix("--options-file=").map(str::to_owned),
        };
        let options = named.and_then(|it| read(&directory.join(it), MAX_OPTIONS));
        match options {
            Some(text) => all.extend(words_of_command(&text)),
            None => all.push(word),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_targets_of_their_commands() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        };
        write(
            "build-release/compile_commands.json",
            r#"[{"directory": "..", "file": "src/a.cu", "command": "nvcc -gencode \"arch=compute_90a,code=sm_90a\" -c src/a.cu"},
                {"directory": ".", "file": "../b.cu", "arguments": ["nvcc", "@flags.rsp"]},
                {"file": "c.cpp", "command": "c++ c.cpp"}]"#,
        );
        write("build-release/flags.rsp", "-O3\n-arch=sm_90a\n");
        let commands = CompileCommands::default();
        let targets = |name: &str| commands.targets(&folder.path().join(name));
        assert_eq!(targets("src/a.cu"), ["sm_90a"]);
        assert_eq!(targets("b.cu"), ["sm_90a"]);
        assert_eq!(targets("src/header.cuh"), ["sm_90a"]);
        assert_eq!(targets("src/deeper/../a.cu"), ["sm_90a"]);
        assert_eq!(targets("build-release/c.cpp"), [""; 0]);
    }

    #[test]
    fn what_is_no_database_says_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(NAME), "{").expect("a file");
        let commands = CompileCommands::default();
        assert_eq!(commands.targets(&folder.path().join("a.cu")), [""; 0]);
    }
}
