//! Names that begin like a word, and lists of pages.

use std::fmt::Write as _;

use isa::documentation;

use crate::Explanation;

use super::{
    super::documentation::{documentation, summary},
    ranking::Hit,
};

/// Pages that a search in the texts lists.
const MAX_LISTED: usize = 6;
/// Names that are listed under a beginning.
const MAX_NAMES: usize = 30;

/// The instructions whose names begin with these words, if no instruction is called so: `wgmma`, `sust`.
pub(super) fn prefix(asked: &str) -> Option<Explanation> {
    let asked = asked.trim_end_matches(['.', ':', '*']);
    if documentation::instruction(asked).is_some() || asked.is_empty() {
        return None;
    }
    let mut found: Vec<_> = documentation::instructions()
        .filter(|it| {
            it.name
                .strip_prefix(asked)
                .is_some_and(|rest| rest.starts_with(['.', ':']))
        })
        .collect();
    found.sort_by_key(|it| it.name);
    if found.is_empty() {
        return None;
    }
    let mut text = format!("The instructions that begin with `{asked}`:\n\n");
    for page in found.iter().take(MAX_NAMES) {
        let _ = writeln!(text, "- `{}`: {}", page.name, page.summary);
    }
    Some(Explanation {
        name: asked.to_owned(),
        kind: "instructions",
        text,
    })
}

/// The pages that a search found, as a list; none if there are none.
pub(super) fn list(asked: &str, found: &[Hit]) -> Option<Explanation> {
    let mut text = String::new();
    for hit in found.iter().take(MAX_LISTED) {
        let summary = summary(hit.key, &documentation(hit.key)?);
        let _ = writeln!(text, "- `{}`: {summary}", hit.name);
    }
    // A question is one line of the answer.
    let words: Vec<&str> = asked.split_whitespace().collect();
    (!text.is_empty()).then(|| Explanation {
        name: words.join(" "),
        kind: "other pages",
        text: format!("Other pages that speak of it:\n\n{text}"),
    })
}
