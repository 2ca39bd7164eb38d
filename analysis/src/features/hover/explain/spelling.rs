//! Names that are close to a word.

use isa::documentation;

use crate::DocumentationKey;

use crate::features::hover::documentation::documented;

/// Names that are proposed for an unknown one.
const MAX_SIMILAR: usize = 5;

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

/// The costs of one mistake. Letters are swapped or forgotten more often than others are typed instead.
const SWAPPED: usize = 2;
const FORGOTTEN: usize = 2;
const ADDED: usize = 3;
const REPLACED: usize = 3;

/// How unlikely it is that somebody who means `name` types `typed`.
fn cost(typed: &str, name: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (typed.chars().collect(), name.chars().collect());
    // A letter that is typed once instead of twice, or twice instead of once.
    let doubled = |text: &[char], at: usize| usize::from(at > 0 && text[at] == text[at - 1]);
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = vec![0];
    for j in 0..b.len() {
        last.push(last[j] + FORGOTTEN - doubled(&b, j));
    }
    for i in 0..a.len() {
        let added = ADDED - doubled(&a, i);
        let mut row = vec![last[0] + added];
        for j in 0..b.len() {
            let replaced = last[j] + if a[i] == b[j] { 0 } else { REPLACED };
            let forgotten = row[j] + FORGOTTEN - doubled(&b, j);
            let mut best = replaced.min(last[j + 1] + added).min(forgotten);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + SWAPPED);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
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
    // How far a name is, what it names, and the name.
    let mut found: Vec<(usize, u8, String)> = Vec::new();
    let mut see = |name: String, kind: u8| {
        let other = name.trim_start_matches(['.', '%']).to_lowercase();
        let edits = distance(plain, &other);
        if edits <= limit && edits < length {
            // The first letter is rarely the wrong one.
            let first = other.chars().next() != plain.chars().next();
            found.push((cost(plain, &other) + usize::from(first), kind, name));
        }
    };
    for (name, key) in documented() {
        match key {
            DocumentationKey::PtxasMessage(_) => {}
            DocumentationKey::Instruction(_) => see(name, 0),
            DocumentationKey::MachineInstruction(_) => see(name, 3),
            _ => see(name, 1),
        }
    }
    // `wgmma` is the beginning of names only.
    let groups = documentation::instructions().filter_map(|it| it.name.split_once('.'));
    groups.for_each(|it| see(it.0.to_owned(), 0));
    documentation::aliases().for_each(|it| see(it.0.to_owned(), 2));
    found.sort();
    let mut seen: Vec<String> = Vec::new();
    let best = found.first().map_or(0, |it| it.0);
    for (far, _, name) in found {
        if far <= best + REPLACED && seen.len() < MAX_SIMILAR && !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

/// Letters that may be wrong in a word for it to be a name with several parts.
const MISTAKES: usize = 2;

/// Whether a word is nearly the name of an instruction that has several parts, such as `cp.async.bulk`.
pub(super) fn is_near_instruction(word: &str) -> bool {
    let parts = word.split('.').count();
    let mut names = documentation::instructions().map(|it| it.name);
    names.any(|it| it.split('.').count() == parts && parts > 1 && distance(word, it) <= MISTAKES)
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
pub(super) fn distance(a: &str, b: &str) -> usize {
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
