//! Programs that ptxas judges when it generates code, with the verdicts for several architectures.
//!
//! The notation is explained at the top of the file.

use super::ptxas::Verdict;

/// The file of the project.
const FILE: &str = include_str!("../../conformance/recorded/generation.txt");

/// The codes of what ptxas refuses only when it generates code. The recorded statements and programs were judged
/// without that.
pub const GENERATION_CODES: [&str; 8] = [
    "abi-type",
    "address-size-32",
    "memory-limit",
    "missing-call",
    "missing-definition",
    "narrow-address",
    "system-function-address",
    "undefined-section-label",
];

/// The verdict of ptxas on a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It accepts it.
    Accepted,
    /// It refuses it, and earlier releases did not: we warn.
    Warned,
    /// It refuses it.
    Refused,
}

impl Expected {
    /// Whether a verdict of ptxas is this one.
    #[must_use]
    pub fn is(self, verdict: &Verdict) -> bool {
        match verdict {
            Verdict::Accepted => self == Expected::Accepted,
            Verdict::Rejected(_) => self != Expected::Accepted,
            Verdict::Crashed => false,
        }
    }
}

/// A program for an architecture.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The line of the file where it begins, from 1 on.
    pub line: usize,
    /// The value of `-arch`.
    pub architecture: String,
    /// The whole text.
    pub text: String,
    /// Verdict of ptxas when it generates code.
    pub expected: Expected,
}

/// All of them, one for each program and architecture.
///
/// # Errors
/// A line is none of the notation.
pub fn generated() -> Result<Vec<Generated>, String> {
    let mut found = Vec::new();
    let lines: Vec<&str> = FILE.lines().collect();
    let mut starts = (0..lines.len())
        .filter(|it| lines[*it].starts_with('='))
        .peekable();
    while let Some(start) = starts.next() {
        let end = starts.peek().copied().unwrap_or(lines.len());
        let body = lines[start + 1..end].iter();
        let body: Vec<&str> = body
            .copied()
            .filter(|it| !it.is_empty() && !it.starts_with('#'))
            .collect();
        for word in lines[start][1..].split_whitespace() {
            let (architecture, mark) = word.split_at(word.len() - 1);
            let expected = match mark {
                "+" => Expected::Accepted,
                "~" => Expected::Warned,
                "-" => Expected::Refused,
                _ => return Err(format!("line {}: no verdict: {word}", start + 1)),
            };
            found.push(Generated {
                line: start + 1,
                architecture: architecture.to_owned(),
                text: format!(
                    ".version 9.0\n.target {architecture}\n{}\n",
                    body.join("\n")
                ),
                expected,
            });
        }
    }
    Ok(found)
}
