//! Recorded verdicts: a file of JSON lines, compressed.

use std::{
    fs,
    io::{self, BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{program::Case, ptxas::Message};

/// A statement and what ptxas says about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// Statement with its module.
    #[serde(flatten)]
    pub case: Case,
    /// Whether ptxas accepts it.
    pub ok: bool,
    /// Its message if not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The first line of a file of recorded verdicts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Header {
    /// Release of ptxas, as its package has it.
    pub ptxas: String,
    /// Seed of the sample.
    pub seed: u64,
}

/// The file of the project with statements.
pub fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/recorded/statements.jsonl.gz")
}

/// The file of the project with whole programs.
pub fn programs_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/recorded/programs.jsonl.gz")
}

/// The file of the project with what optimization leaves of statements.
pub fn semantics_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/recorded/semantics.jsonl.gz")
}

/// A whole program and what ptxas says about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedProgram {
    /// A name that no other program has.
    pub name: String,
    /// Its subject, for the report.
    pub topic: String,
    /// Text of the program.
    pub source: String,
    /// The errors of ptxas; none if it accepts the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
}

/// A program to be judged.
#[derive(Clone, Debug, Deserialize)]
pub struct ProgramCandidate {
    /// A name that no other program has.
    pub name: String,
    /// Its subject, for the report.
    pub topic: String,
    /// Text of the program.
    pub source: String,
    /// The value of `-arch`, if the target does not tell it.
    pub arch: Option<String>,
}

/// Reads programs to be judged: a file with one JSON object a line, or a file `TOPIC_….ptx`.
///
/// # Errors
/// The file cannot be read or is not such a file.
pub fn program_candidates(path: &Path) -> io::Result<Vec<ProgramCandidate>> {
    if path.extension().is_none_or(|it| it != "ptx") {
        let lines = BufReader::new(fs::File::open(path)?).lines();
        return lines
            .map(|line| Ok(serde_json::from_str(&line?)?))
            .collect();
    }
    let name = path
        .file_stem()
        .map_or_else(String::new, |it| it.to_string_lossy().into_owned());
    Ok(vec![ProgramCandidate {
        topic: name.split('_').next().unwrap_or_default().to_owned(),
        name,
        source: fs::read_to_string(path)?,
        arch: None,
    }])
}

/// Reads a file of recorded verdicts.
///
/// # Errors
/// It cannot be read or is not such a file.
pub fn read<T: DeserializeOwned>(path: &Path) -> io::Result<(Header, Vec<T>)> {
    let mut lines = BufReader::new(GzDecoder::new(fs::File::open(path)?)).lines();
    let first = lines
        .next()
        .ok_or_else(|| io::Error::other("the file is empty"))??;
    let header = serde_json::from_str(&first)?;
    let rows = lines
        .map(|line| Ok(serde_json::from_str(&line?)?))
        .collect::<io::Result<_>>()?;
    Ok((header, rows))
}

/// Writes a file of recorded verdicts.
///
/// # Errors
/// It cannot be written.
pub fn write<T: Serialize>(path: &Path, header: &Header, rows: &[T]) -> io::Result<()> {
    let mut out = GzEncoder::new(fs::File::create(path)?, Compression::best());
    serde_json::to_writer(&mut out, header)?;
    for row in rows {
        out.write_all(b"\n")?;
        serde_json::to_writer(&mut out, row)?;
    }
    out.write_all(b"\n")?;
    out.finish()?.flush()
}

/// A statement to be judged, perhaps with a verdict from before.
#[derive(Clone, Debug, Deserialize)]
pub struct Candidate {
    /// Statement with its module.
    #[serde(flatten)]
    pub case: Case,
    /// Whether ptxas accepted it.
    pub ok: Option<bool>,
    /// Its message if not.
    pub message: Option<String>,
}

/// Reads statements to be judged, one JSON object a line.
///
/// # Errors
/// The file cannot be read or is not such a file.
pub fn candidates(path: &Path, family: &str) -> io::Result<Vec<Candidate>> {
    let lines = BufReader::new(fs::File::open(path)?).lines();
    let mut candidates = Vec::new();
    for line in lines {
        let mut candidate: Candidate = serde_json::from_str(&line?)?;
        if candidate.case.family.is_empty() {
            family.clone_into(&mut candidate.case.family);
        }
        candidates.push(candidate);
    }
    Ok(candidates)
}
