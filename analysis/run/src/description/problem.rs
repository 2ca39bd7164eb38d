//! Problems of a description of a launch.

use std::{fmt, ops::Range};

/// A mistake in a description: where it is, which key it concerns, and what is allowed there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The bytes of the text, relative to the description; empty if nothing is known about the place.
    pub span: Range<usize>,
    /// The key with those around it, such as `args.x.type`; empty if it is about all.
    pub key: String,
    /// A sentence.
    pub message: String,
}

impl Problem {
    pub(super) fn new(
        span: Range<usize>,
        key: impl Into<String>,
        message: impl Into<String>,
    ) -> Problem {
        Problem {
            span,
            key: key.into(),
            message: message.into(),
        }
    }

    /// The same of a value of this key.
    pub(super) fn within(self, key: &str) -> Problem {
        let key = key.to_owned();
        Problem { key, ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

/// The sentence about a word that is not one of those that are allowed; it names the nearest.
pub(super) fn not_allowed(what: &str, word: &str, allowed: &[&str]) -> String {
    let mut message = format!("unknown {what} `{word}`");
    if let Some(nearest) = nearest(word, allowed) {
        message += &format!("; did you mean `{nearest}`?");
    }
    match allowed {
        [] => message += &format!(" (there is no {what})"),
        _ => message += &format!(" (allowed: {})", allowed.join(", ")),
    }
    message
}

/// The word that is most like this one, if any is.
fn nearest<'a>(word: &str, allowed: &[&'a str]) -> Option<&'a str> {
    let distance = |it: &&str| strsim::damerau_levenshtein(word, it);
    let nearest = allowed.iter().min_by_key(|it| distance(it))?;
    let most = (word.chars().count().max(nearest.chars().count()) / 3).max(1);
    let longest = word.len().max(nearest.len());
    (distance(nearest) <= most && distance(nearest) < longest).then_some(*nearest)
}
