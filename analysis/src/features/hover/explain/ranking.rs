//! A search in all pages: which of them answers a question in words.
//!
//! A page has names, the aliases that lead to it, a summary and a text. A term weighs by how few pages have it (inverse
//! document frequency). A name or alias counts by how much of its own weight the question has, so that `bank conflict`
//! beats pages that only mention banks; summaries and texts decide among the rest.

use std::sync::LazyLock;

use isa::documentation;
use rustc_hash::FxHashMap;

use crate::DocumentationKey;

use super::{
    super::documentation::{documentation, pages, summary},
    spelling::distance,
    terms::{is_stop_word, terms, words},
};

/// The weight of a term in a name or alias that the question has whole.
const TITLE: f32 = 3.0;
/// The part of its weight that the second best name or alias of a page adds.
const SECOND: f32 = 0.2;
/// The weight of a term in a summary.
const SUMMARY: f32 = 0.7;
/// The weight of a term that a text repeats without end.
const TEXT: f32 = 0.8;
/// Repetitions after which a term in a text has half of that weight.
const REPETITIONS: f32 = 2.0;
/// The phrase before the names that a question compares; `difference` alone is a subject.
const COMPARISON: &str = "difference between ";
/// The part of a question's weight that a page must have at least.
const MIN_COVERED: f32 = 0.45;
/// The same where no page has that part.
const LEAST_COVERED: f32 = 0.3;
/// The weight of the name of a GPU or a tool, which a question has besides its subject: `shared memory on H100`.
const CONTEXT: f32 = 0.4;
/// Tools that are the context of a question rather than its subject: `why does ptxas unroll`.
const TOOLS: &[&str] = &["ptxas", "nvcc", "cuda"];
/// The weight of a term that is not in any page, but near one.
const MISSPELT: f32 = 0.8;
/// Letters that each part of a compound has at least.
const SHORTEST_PART: usize = 4;
/// The weight of an alias for the second and later pages that it leads to.
const LATER: f32 = 0.75;

/// A name or alias of a page.
struct Title {
    terms: Vec<u32>,
    weight: f32,
    is_alias: bool,
}

struct Document {
    name: String,
    key: DocumentationKey,
    titles: Vec<Title>,
    summary: Vec<u32>,
    /// Terms of the text with how often it has them, by term.
    text: Vec<(u32, u16)>,
}

struct Index {
    numbers: FxHashMap<String, u32>,
    /// Inverse document frequencies.
    weights: Vec<f32>,
    /// Terms that are in names or aliases.
    in_titles: Vec<bool>,
    documents: Vec<Document>,
}

static INDEX: LazyLock<Index> = LazyLock::new(Index::new);

/// A page that a question may mean.
pub(super) struct Hit {
    /// Its first name.
    pub(super) name: &'static str,
    pub(super) key: &'static DocumentationKey,
}

/// How much a page of a kind is worth: a question in words asks for a concept or a recipe rather than for an opcode of
/// another machine.
fn worth(key: &DocumentationKey) -> f32 {
    match key {
        DocumentationKey::Concept(_) => 1.25,
        DocumentationKey::Idiom(_) => 1.15,
        DocumentationKey::Instruction(_) | DocumentationKey::CudaError(_) => 1.0,
        DocumentationKey::Chapter(_) => 0.95,
        DocumentationKey::PtxasMessage(_) => 0.75,
        DocumentationKey::MachineInstruction(_) | DocumentationKey::Version(_) => 0.5,
        DocumentationKey::Diagnostic(_) => 0.8,
        _ => 0.9,
    }
}

/// Whether a page is about a word of PTX, which people name with its kind: `align directive`.
fn is_word(key: &DocumentationKey) -> bool {
    matches!(
        key,
        DocumentationKey::Instruction(_)
            | DocumentationKey::Modifier { .. }
            | DocumentationKey::SpecialRegister(_)
            | DocumentationKey::Directive(_)
            | DocumentationKey::Type(_)
            | DocumentationKey::Target(_)
            | DocumentationKey::Version(_)
            | DocumentationKey::Pragma(_)
    )
}

impl Index {
    fn new() -> Index {
        let mut index = Index {
            numbers: FxHashMap::default(),
            weights: Vec::new(),
            in_titles: Vec::new(),
            documents: Vec::new(),
        };
        let mut by_name: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (names, key) in pages() {
            let Some(text) = documentation(&key) else {
                continue;
            };
            let at = index.documents.len();
            let mut titles: Vec<Title> = names.iter().map(|it| index.title(it, None)).collect();
            if is_word(&key) {
                let kind = key.kind();
                titles.extend(
                    names
                        .iter()
                        .map(|it| index.title(&format!("{it} {kind}"), None)),
                );
            }
            for name in &names {
                by_name.entry(name.clone()).or_default().push(at);
            }
            let summary = index.numbers_of(&summary(&key, &text));
            let mut counts: FxHashMap<u32, u16> = FxHashMap::default();
            for term in index.numbers_of(&text) {
                let count = counts.entry(term).or_default();
                *count = count.saturating_add(1);
            }
            let mut text: Vec<(u32, u16)> = counts.into_iter().collect();
            text.sort_unstable();
            index.documents.push(Document {
                name: names.into_iter().next().unwrap_or_default(),
                key,
                titles,
                summary,
                text,
            });
        }
        for (alias, names) in documentation::aliases() {
            for (place, name) in names.iter().enumerate() {
                for at in by_name.get(*name).into_iter().flatten() {
                    let title = index.title(alias, Some(place));
                    index.documents[*at].titles.push(title);
                }
            }
        }
        index.weigh();
        index
    }

    /// A name, or an alias with the place of the page among those that it leads to.
    fn title(&mut self, name: &str, alias: Option<usize>) -> Title {
        let mut terms = self.numbers_of(name);
        terms.sort_unstable();
        terms.dedup();
        for term in &terms {
            self.in_titles[*term as usize] = true;
        }
        Title {
            terms,
            weight: if alias.unwrap_or_default() == 0 {
                1.0
            } else {
                LATER
            },
            is_alias: alias.is_some(),
        }
    }

    fn numbers_of(&mut self, text: &str) -> Vec<u32> {
        let terms = terms(text).into_iter();
        terms
            .map(|term| {
                let next = self.in_titles.len() as u32;
                let number = *self.numbers.entry(term).or_insert(next);
                if number == next {
                    self.in_titles.push(false);
                }
                number
            })
            .collect()
    }

    fn weigh(&mut self) {
        let mut frequencies = vec![0_u32; self.in_titles.len()];
        for document in &self.documents {
            let titles = document.titles.iter().flat_map(|it| &it.terms);
            let mut all: Vec<u32> = document.text.iter().map(|it| it.0).collect();
            all.extend(titles.chain(&document.summary));
            all.sort_unstable();
            all.dedup();
            for term in all {
                frequencies[term as usize] += 1;
            }
        }
        let count = self.documents.len() as f32;
        let weight = |frequency: &u32| (1.0 + count / (*frequency as f32 + 0.5)).ln();
        self.weights = frequencies.iter().map(weight).collect();
        let targets = self.documents.iter();
        let targets = targets.filter(|it| matches!(it.key, DocumentationKey::Target(_)));
        let mut contexts: Vec<u32> = targets
            .flat_map(|it| it.titles.iter().filter(|it| it.is_alias))
            .filter_map(|it| match it.terms.as_slice() {
                [term] => Some(*term),
                _ => None,
            })
            .collect();
        contexts.extend(TOOLS.iter().filter_map(|it| self.numbers.get(*it)));
        contexts.sort_unstable();
        contexts.dedup();
        for term in contexts {
            self.weights[term as usize] *= CONTEXT;
        }
    }

    fn weight(&self, term: u32) -> f32 {
        self.weights[term as usize]
    }

    /// The terms of a question with their weight; unknown words become those that they are nearest to.
    fn question(&self, asked: &str) -> (Vec<(u32, f32)>, f32) {
        let mut found: Vec<(u32, f32)> = Vec::new();
        let mut unknown = 0.0;
        let rare = (1.0 + self.documents.len() as f32).ln();
        let asked = asked.replace(COMPARISON, "");
        for word in words(&asked) {
            let all = terms(word);
            let count = all.len();
            for (place, term) in all.into_iter().enumerate() {
                if let Some(parts) = self.compound(&term) {
                    for number in parts {
                        if found.iter().all(|it| it.0 != number) {
                            found.push((number, self.weight(number)));
                        }
                    }
                    continue;
                }
                let (number, weight) = match self.numbers.get(&term) {
                    Some(number) => (Some(*number), 1.0),
                    // The whole of a name in parts need not be known.
                    None if count > 1 && place + 1 == count => continue,
                    None => (self.nearest(&term), MISSPELT),
                };
                match number {
                    Some(number) if found.iter().any(|it| it.0 == number) => {}
                    Some(number) => found.push((number, weight * self.weight(number))),
                    None => unknown += rare / 2.0,
                }
            }
        }
        (found, unknown)
    }

    /// Splits an unknown term into two terms of names: `spinlock` into `spin` and `lock`.
    fn compound(&self, term: &str) -> Option<[u32; 2]> {
        if self.numbers.contains_key(term) || !term.is_ascii() {
            return None;
        }
        let part = |text: &str| {
            let found = self.numbers.get(terms(text).first()?)?;
            (text.len() >= SHORTEST_PART && self.in_titles[*found as usize]).then_some(*found)
        };
        (1..term.len()).find_map(|at| Some([part(&term[..at])?, part(&term[at..])?]))
    }

    /// The term of names that an unknown one is nearest to.
    fn nearest(&self, term: &str) -> Option<u32> {
        let length = term.chars().count();
        let limit = match length {
            0..4 => return None,
            4..7 => 1,
            _ => 2,
        };
        let near = self
            .numbers
            .iter()
            .filter(|it| self.in_titles[*it.1 as usize]);
        near.filter(|it| it.0.len().abs_diff(length) <= limit)
            .map(|it| (distance(term, it.0), it.0, *it.1))
            .filter(|it| it.0 <= limit)
            .min()
            .map(|it| it.2)
    }

    /// How well a page answers, if it has at least the given part of the weight of a question.
    fn score(&self, document: &Document, asked: &[(u32, f32)], total: f32, part: f32) -> f32 {
        let weight_of = |term: &u32| asked.iter().find(|it| it.0 == *term).map(|it| it.1);
        let (mut best, mut second) = (0.0_f32, 0.0_f32);
        // The weight of the terms that the page has anywhere.
        let mut covered = 0.0;
        for title in &document.titles {
            let own: f32 = title.terms.iter().map(|it| self.weight(*it)).sum();
            let shared: f32 = title.terms.iter().filter_map(weight_of).sum();
            if own > 0.0 {
                let whole = shared / own;
                let weight = shared * whole * whole * title.weight;
                second = second.max(weight.min(best));
                best = best.max(weight);
            }
        }
        let mut rest = 0.0;
        for (term, weight) in asked {
            let count = document.text.binary_search_by_key(term, |it| it.0);
            let count = count.map_or(0.0, |it| f32::from(document.text[it].1));
            let in_summary = document.summary.contains(term);
            let in_title = document.titles.iter().any(|it| it.terms.contains(term));
            if count > 0.0 || in_title {
                covered += weight;
            }
            rest += TEXT * weight * count / (count + REPETITIONS);
            rest += if in_summary { SUMMARY * weight } else { 0.0 };
        }
        if covered < part * total {
            return 0.0;
        }
        (TITLE * (best + SECOND * second) + rest)
            * (0.5 + 0.5 * covered / total)
            * worth(&document.key)
    }
}

/// Whether all words of a question are in names or aliases of pages, so that none is misspelt.
pub(super) fn is_known(asked: &str) -> bool {
    let index = &*INDEX;
    let known = |it: &String| {
        let number = index.numbers.get(it);
        number.is_some_and(|it| index.in_titles[*it as usize])
    };
    let terms = terms(asked);
    !terms.is_empty() && terms.iter().all(known)
}

/// The pages that a question may mean, the best first; empty if no page has enough of its words.
pub(super) fn ranked(asked: &str) -> Vec<Hit> {
    let index = &*INDEX;
    let (question, unknown) = index.question(asked);
    let total = question.iter().map(|it| it.1).sum::<f32>() + unknown;
    let with = |part: f32| -> Vec<(f32, &Document)> {
        let scored = index.documents.iter();
        scored
            .map(|it| (index.score(it, &question, total, part), it))
            .filter(|it| it.0 > 0.0)
            .collect()
    };
    let mut scored = with(MIN_COVERED);
    if scored.is_empty() {
        scored = with(LEAST_COVERED);
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
    let hit = |it: (f32, &'static Document)| Hit {
        name: &it.1.name,
        key: &it.1.key,
    };
    scored.into_iter().map(hit).collect()
}

/// The parts of a question that may be the thing it asks about: without the words before and after it that every
/// question has, `what is a phase bit`. The longest first.
pub(super) fn subjects(asked: &str) -> Vec<&str> {
    let is_empty = |word: &str| {
        let word = word.trim_matches(|it: char| it.is_ascii_punctuation());
        is_stop_word(&word.to_lowercase())
    };
    let mut found = Vec::new();
    let mut start = asked.trim();
    loop {
        let mut rest = start;
        found.push(rest);
        while let Some((before, last)) = rest.rsplit_once(char::is_whitespace)
            && is_empty(last)
        {
            rest = before.trim_end();
            found.push(rest);
        }
        match start.split_once(char::is_whitespace) {
            Some((first, after)) if is_empty(first) => start = after.trim_start(),
            _ => break,
        }
    }
    found.sort_by_key(|it| std::cmp::Reverse(it.len()));
    found.retain(|it| *it != asked);
    found
}
