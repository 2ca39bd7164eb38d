//! Names that begin like a word, names that are close to it, and texts that have it.

use std::fmt::Write as _;

use isa::documentation::{self, Topic};

use crate::{DocumentationKey, Explanation};

use super::super::documentation::{documentation, documented};

/// Names that are proposed for an unknown one.
const MAX_SIMILAR: usize = 5;
/// Pages that a search in the texts lists.
const MAX_TEXTS: usize = 8;
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

/// Names that are close to a word, the closest first.
pub(super) fn similar(asked: &str) -> Vec<String> {
    let head = asked.split_whitespace().next().unwrap_or_default();
    let head = if asked.len() > 40 { head } else { asked };
    let plain = head.trim_start_matches(['.', '%']).to_lowercase();
    let found = close_to(&plain);
    // `shlf.sync` is a misspelt instruction with a modifier.
    match plain.split_once('.') {
        Some((opcode, _)) if found.is_empty() => close_to(opcode),
        _ => found,
    }
}

/// As [`similar`], of one word without period or per cent sign.
fn close_to(plain: &str) -> Vec<String> {
    let length = plain.chars().count();
    // Of five letters two may be wrong: `wmga`, `wgmma`.
    let limit = match length {
        0..4 => 1,
        4..6 => 2,
        _ => length / 3,
    };
    let mut found: Vec<(usize, bool, String)> = Vec::new();
    let aliases = documentation::aliases().map(|it| it.0.to_owned());
    let names = documented()
        .into_iter()
        .filter(|it| !matches!(it.1, DocumentationKey::PtxasMessage(_)));
    // `wgmma` is the beginning of names only.
    let groups = documentation::instructions().filter_map(|it| it.name.split_once('.'));
    let groups = groups.map(|it| it.0.to_owned());
    for name in names.map(|it| it.0).chain(aliases).chain(groups) {
        let other = name.trim_start_matches(['.', '%']).to_lowercase();
        let far = distance(plain, &other);
        if far <= limit && far < length {
            // The first letter is rarely the wrong one.
            found.push((far, other.chars().next() != plain.chars().next(), name));
        }
    }
    found.sort();
    found.dedup_by(|a, b| a.2 == b.2);
    let best = found.first().map_or(0, |it| it.0);
    found.retain(|it| it.0 <= best + 1);
    found.truncate(MAX_SIMILAR);
    found.into_iter().map(|it| it.2).collect()
}

/// The word that is closest, if it is close.
pub(super) fn closest<'a>(word: &str, all: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    all.map(|it| (distance(word, it), it))
        .filter(|it| it.0 <= limit)
        .min()
        .map(|it| it.1)
}

/// How many letters must be inserted, removed, replaced or swapped with the next.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 8 {
        return usize::MAX;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// The words of a question that a text may have.
fn terms(asked: &str) -> Vec<String> {
    let words = asked.split(|it: char| !it.is_alphanumeric() && it != '_' && it != '.');
    let words = words.map(|it| it.trim_matches('.').to_lowercase());
    let is_telling = |it: &String| {
        let is_number = it.starts_with(|it: char| it.is_ascii_digit());
        (it.len() > 2 || is_number)
            && ![
                "how", "what", "the", "and", "for", "does", "with", "why", "can",
            ]
            .contains(&it.as_str())
    };
    words
        .filter(is_telling)
        .map(|it| it.strip_suffix('s').unwrap_or(&it).to_owned())
        .collect()
}

/// The pages whose texts have all words of a question, the best first: name and first sentence.
fn pages(asked: &str) -> Vec<(String, String)> {
    let words = terms(asked);
    if words.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<(usize, String, String)> = Vec::new();
    for (name, key) in documented() {
        let Some(text) = documentation(&key) else {
            continue;
        };
        let (lower, title) = (text.to_lowercase(), name.to_lowercase());
        let score = |word: &String| match (
            title.contains(word.as_str()),
            lower.matches(word.as_str()).count(),
        ) {
            (true, _) => 20,
            (false, count) => count.min(5),
        };
        let scores: Vec<usize> = words.iter().map(score).collect();
        if scores.iter().all(|it| *it > 0) {
            found.push((scores.iter().sum(), name, summary(&key, &text)));
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    // One text has several names.
    let mut seen: Vec<(String, String)> = Vec::new();
    for (_, name, summary) in found {
        if !seen.iter().any(|it| it.0 == name || it.1 == summary) {
            seen.push((name, summary));
        }
    }
    seen
}

/// The names of the pages that a search finds.
pub(super) fn titles(asked: &str) -> Vec<String> {
    pages(asked).into_iter().map(|it| it.0).collect()
}

/// The pages whose texts have all words of a question, as a list.
pub(super) fn texts(asked: &str) -> Option<Explanation> {
    let found = pages(asked);
    if found.is_empty() {
        return None;
    }
    let mut text = "Pages that speak of it:\n\n".to_owned();
    for (name, summary) in found.iter().take(MAX_TEXTS) {
        let _ = writeln!(text, "- `{name}`: {summary}");
    }
    Some(Explanation {
        name: asked.to_owned(),
        kind: "search",
        text,
    })
}

fn summary(key: &DocumentationKey, text: &str) -> String {
    if let DocumentationKey::Instruction(name) = key
        && let Some(page) = documentation::instruction(name)
    {
        return page.summary.to_owned();
    }
    let entry = Topic::ALL.iter().find_map(|topic| {
        documentation::entries(*topic)
            .iter()
            .find(|it| it.text == text)
    });
    entry.map_or_else(
        || {
            text.lines()
                .find(|it| !it.is_empty())
                .unwrap_or_default()
                .to_owned()
        },
        |it| it.summary().to_owned(),
    )
}
