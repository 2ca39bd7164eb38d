//! The answers of ptxas, kept in a file.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::Write as _,
    path::Path,
    sync::Mutex,
};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use crate::tools::Measured;

/// The figures of ptxas for the entries of a text, or its error.
type Answer = Result<BTreeMap<String, Measured>, String>;

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    /// The hash of the question.
    question: u64,
    answer: Answer,
}

/// The answers so far.
pub(crate) struct Answers {
    release: String,
    known: Mutex<BTreeMap<u64, Answer>>,
    file: Option<Mutex<File>>,
}

impl Answers {
    /// Reads the answers of a file, if one is named; it need not be there yet.
    pub(crate) fn open(path: Option<&Path>, release: String) -> anyhow::Result<Answers> {
        let mut known = BTreeMap::new();
        let mut file = None;
        if let Some(path) = path {
            let lines = match path.exists() {
                true => fs::read_to_string(path)?,
                false => String::new(),
            };
            for line in lines.lines() {
                let line: Line = serde_json::from_str(line).with_context(|| {
                    format!("{} holds something else than answers", path.display())
                })?;
                known.insert(line.question, line.answer);
            }
            let open = OpenOptions::new().create(true).append(true).open(path)?;
            file = Some(Mutex::new(open));
        }
        Ok(Answers {
            release,
            known: Mutex::new(known),
            file,
        })
    }

    /// The answer for some entries of a text on a target: the one that is known, or else the result of `ask`.
    pub(crate) fn get(
        &self,
        text: &str,
        target: &str,
        entries: &[&str],
        ask: impl FnOnce() -> Answer,
    ) -> Answer {
        let question = [&*self.release, target, &entries.join(" "), text].join("\n");
        let question = fnv(question.as_bytes());
        if let Ok(known) = self.known.lock()
            && let Some(answer) = known.get(&question)
        {
            return answer.clone();
        }
        let line = Line {
            question,
            answer: ask(),
        };
        if let Some(file) = &self.file
            && let Ok(mut file) = file.lock()
            && let Ok(text) = serde_json::to_string(&line)
        {
            // An answer that is not kept is computed again.
            let _ = writeln!(file, "{text}");
        }
        line.answer
    }
}

/// FNV-1a.
pub(crate) fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    })
}
