//! The files under `tests/fixtures`, and an optional folder of more PTX.

use std::path::{Path, PathBuf};

/// Names the environment variable with a folder of PTX that the property tests use as well.
pub const CORPUS_VARIABLE: &str = "PTX_CORPUS";

/// A file to test with.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// File name, or path below the folder of a corpus.
    pub name: String,
    /// Its content; bytes that are not UTF-8 are replaced.
    pub text: String,
}

/// The folder `tests/fixtures`.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// All files below `tests/fixtures/<name>` with the extension, sorted by name.
pub fn all(name: &str, extension: &str) -> Vec<Fixture> {
    let files = files_below(&folder().join(name), extension);
    assert!(!files.is_empty(), "there is no fixture in {name}");
    files
}

/// The PTX fixtures; all of them are accepted by ptxas.
pub fn ptx() -> Vec<Fixture> {
    all("ptx", "ptx")
}

/// The files of the folder that [`CORPUS_VARIABLE`] names; none when it is not set.
pub fn corpus() -> Vec<Fixture> {
    let Some(folder) = std::env::var_os(CORPUS_VARIABLE) else {
        return Vec::new();
    };
    let files = files_below(Path::new(&folder), "ptx");
    assert!(
        !files.is_empty(),
        "{CORPUS_VARIABLE} names a folder without PTX"
    );
    files
}

/// The files with the extension below a folder, sorted by path.
pub fn files_below(folder: &Path, extension: &str) -> Vec<Fixture> {
    walkdir::WalkDir::new(folder)
        .follow_links(true)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.expect("a folder that can be read").into_path())
        .filter(|path| path.extension().is_some_and(|it| it == extension))
        .map(|path| {
            let bytes = std::fs::read(&path).expect("a file that can be read");
            let name = path
                .strip_prefix(folder)
                .unwrap_or(&path)
                .to_string_lossy()
                .into_owned();
            Fixture {
                name,
                text: String::from_utf8_lossy(&bytes).into_owned(),
            }
        })
        .collect()
}

/// Names the environment variable with a file to measure instead of a generated one.
pub const BENCH_VARIABLE: &str = "PTX_BENCH_FILE";

/// The text to measure: the file that [`BENCH_VARIABLE`] names, else 10 MB of generated PTX.
pub fn bench_text() -> String {
    match std::env::var_os(BENCH_VARIABLE) {
        Some(path) => std::fs::read_to_string(path).expect("a file in UTF-8"),
        None => crate::generate::module(10_000_000),
    }
}
