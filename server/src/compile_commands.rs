//! For which targets files are compiled, by the `compile_commands.json` of their project.

use std::{
    borrow::Cow,
    fmt, fs,
    path::{Component, Path, PathBuf},
    string::FromUtf8Error,
    sync::{Arc, Mutex, PoisonError},
};

use analysis::{CommandTargets, words_of_command};
use rustc_hash::FxHashMap;
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, SeqAccess, Visitor},
};

use crate::files;

/// The name of a database.
pub(crate) const NAME: &str = "compile_commands.json";
/// Longer files are not read, in bytes.
const MAX_DATABASE: u64 = 256 << 20;
/// Longer files of options are not read, in bytes.
const MAX_OPTIONS: u64 = 1 << 20;
/// The most bytes of option files that are read for one database.
const MAX_ALL_OPTIONS: u64 = 32 << 20;
/// The most folders above a file that are searched.
const MAX_FOLDERS: usize = 64;

/// The most commands of a database that are read.
const MAX_COMMANDS: usize = 200_000;
/// The most option files of one command that are read.
const MAX_FILES_OF_COMMAND: usize = 64;

/// An entry of a database.
#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    directory: PathBuf,
    file: PathBuf,
    command: Option<Words>,
    arguments: Option<Words>,
}

/// The targets in the arguments of a command; the arguments themselves are not kept.
#[derive(Debug, Default)]
struct Words {
    targets: CommandTargets,
    /// The files of options that are named, each once.
    files: Vec<String>,
    /// The next word names such a file.
    open: bool,
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

/// The text of a regular file of at most `max` bytes.
fn read(path: &Path, most: u64) -> Option<String> {
    let bytes = files::read(path, most).ok()?;
    let lossy = |it: FromUtf8Error| String::from_utf8_lossy(it.as_bytes()).into_owned();
    Some(String::from_utf8(bytes).unwrap_or_else(lossy))
}

impl Words {
    fn word(&mut self, word: &str) {
        let file = match word.strip_prefix('@') {
            _ if std::mem::take(&mut self.open) => Some(word),
            Some(name) => Some(name),
            None => word.strip_prefix("--options-file="),
        };
        match file {
            Some(file) => {
                if self.files.len() < MAX_FILES_OF_COMMAND
                    && !self.files.iter().any(|it| it == file)
                {
                    self.files.push(file.to_owned());
                }
            }
            None if matches!(word, "--options-file" | "-optf") => self.open = true,
            None => self.targets.word(word),
        }
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Words, D::Error> {
        deserializer.deserialize_any(WordsVisitor)
    }
}

/// Reads a command, which is a string, or a list of words.
struct WordsVisitor;

impl<'de> Visitor<'de> for WordsVisitor {
    type Value = Words;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a command or a list of words")
    }

    fn visit_str<E>(self, command: &str) -> Result<Words, E> {
        let mut words = Words::default();
        words_of_command(command).for_each(|it| words.word(&it));
        Ok(words)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Words, A::Error> {
        let mut words = Words::default();
        while let Some(word) = list.next_element::<Cow<'_, str>>()? {
            words.word(&word);
        }
        Ok(words)
    }
}

/// Reads a database, one entry after the other.
struct Reader<'a> {
    /// The folder of the database.
    folder: &'a Path,
    database: Database,
    /// The targets that files of options name, by their paths.
    options: FxHashMap<PathBuf, Vec<String>>,
    /// How many bytes of files of options may still be read.
    room: u64,
}

impl Reader<'_> {
    fn entry(&mut self, entry: Entry) {
        let directory = self.folder.join(&entry.directory);
        let words = entry.arguments.or(entry.command).unwrap_or_default();
        let mut targets = words.targets;
        for file in words.files {
            targets.extend(self.options(directory.join(file)));
        }
        let file = normal(&directory.join(&entry.file));
        let known = self.database.files.entry(file).or_default();
        for target in targets.into_targets() {
            if !known.contains(&target) {
                known.push(target);
            }
        }
    }

    /// The targets that a file of options names.
    fn options(&mut self, path: PathBuf) -> &[String] {
        let room = &mut self.room;
        self.options.entry(path).or_insert_with_key(|path| {
            let mut targets = CommandTargets::default();
            if let Some(text) = read(path, MAX_OPTIONS.min(*room)) {
                *room -= text.len().min(usize::try_from(*room).unwrap_or(usize::MAX)) as u64;
                words_of_command(&text).for_each(|it| targets.word(&it));
            }
            targets.into_targets()
        })
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Database;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of commands")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Database, A::Error> {
        let mut count = 0;
        while count < MAX_COMMANDS
            && let Some(entry) = list.next_element()?
        {
            count += 1;
            self.entry(entry);
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(self.database)
    }
}

impl Database {
    fn read(path: &Path) -> Option<Database> {
        let text = read(path, MAX_DATABASE)?;
        let reader = Reader {
            folder: path.parent()?,
            database: Database::default(),
            options: FxHashMap::default(),
            room: MAX_ALL_OPTIONS,
        };
        let mut json = serde_json::Deserializer::from_str(&text);
        let mut database = json.deserialize_seq(reader).ok()?;
        json.end().ok()?;
        let mut all = database.files.values().filter(|it| !it.is_empty());
        if let Some(first) = all.next()
            && all.all(|it| it == first)
        {
            database.common.clone_from(first);
        }
        Some(database)
    }
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
    fn files_of_options_are_read_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(NAME);
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("a file");
        };
        // The first is named 3,000 times by each of two commands, and the others are together too long.
        write("o", &"-arch=sm_80 ".repeat(80_000));
        let many: Vec<_> = std::iter::repeat_n("@o".to_owned(), 3_000).collect();
        let long = "-a ".repeat((MAX_OPTIONS / 3) as usize);
        let names: Vec<_> = (0..40).map(|it| format!("@long{it}")).collect();
        for name in &names {
            write(&name[1..], &long);
        }
        write("last", "-arch=sm_90");
        let entries: Vec<_> = [&many, &many, &names]
            .into_iter()
            .map(|it| serde_json::json!({ "file": "a.cu", "arguments": it }).to_string())
            .collect();
        write(NAME, &format!("[{}]", entries.join(",")));
        let text = read(&path, MAX_DATABASE).expect("a database");
        let reader = || Reader {
            folder: folder.path(),
            database: Database::default(),
            options: FxHashMap::default(),
            room: MAX_ALL_OPTIONS,
        };
        let mut found = reader();
        for entry in serde_json::from_str::<Vec<Entry>>(&text).expect("entries") {
            let words = entry.arguments.as_ref().expect("words");
            assert!(words.files.len() <= MAX_FILES_OF_COMMAND);
            found.entry(entry);
        }
        assert_eq!(found.database.files[&folder.path().join("a.cu")], ["sm_80"]);
        assert_eq!(found.options.len(), 41);
        let read = MAX_ALL_OPTIONS - found.room;
        assert!(
            read <= MAX_ALL_OPTIONS && found.room < MAX_OPTIONS,
            "{read}"
        );
        // No room is left, but a short file fits.
        assert_eq!(found.options(folder.path().join("last")), ["sm_90"]);
        assert_eq!(Database::read(&path).expect("a database").common, ["sm_80"]);
    }

    #[test]
    fn what_is_no_database_says_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(NAME), "{").expect("a file");
        let commands = CompileCommands::default();
        assert_eq!(commands.targets(&folder.path().join("a.cu")), [""; 0]);
    }
}
