//! Where each piece of a text that was put together comes from.

use rowan::{TextRange, TextSize};

/// The fate of a piece of the host's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunKind {
    /// It is in both texts.
    Copied,
    /// An escape of the host's strings, which cannot be divided.
    Escape,
    /// A placeholder that is written differently.
    Placeholder,
    /// The text of the host is unknown here; the result has a placeholder.
    Hole,
    /// The host has nothing there.
    Inserted,
}

/// A piece of a text and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it starts in the text; it ends where the next one starts.
    pub start: TextSize,
    /// Where it comes from; empty for what was inserted.
    pub host: TextRange,
    /// Relation between text and host.
    pub kind: RunKind,
}

/// The way from a text to its host and back: runs in the order of both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Map {
    runs: Vec<Run>,
    len: TextSize,
}

/// A text that was put together from pieces of another one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapped {
    /// Assembled text.
    pub text: String,
    /// Where its pieces come from.
    pub map: Map,
}

impl Map {
    /// Pieces in the order of the text, without gaps.
    #[must_use]
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The range of a run in the text.
    fn range(&self, index: usize) -> TextRange {
        let end = self.runs.get(index + 1).map_or(self.len, |it| it.start);
        TextRange::new(self.runs[index].start, end)
    }

    /// The runs that share a byte with a range, or that an empty one touches, with their own ranges.
    pub fn runs_in(&self, range: TextRange) -> impl Iterator<Item = (TextRange, Run)> + '_ {
        let first = self
            .runs
            .partition_point(|it| it.start <= range.start())
            .saturating_sub(1);
        (first..self.runs.len())
            .map(|index| (self.range(index), self.runs[index]))
            .take_while(move |(it, _)| {
                it.start() < range.end().max(range.start() + TextSize::new(1))
            })
            .filter(move |(it, _)| {
                it.end() > range.start() || range.is_empty() && it.contains_inclusive(range.start())
            })
    }

    /// Where a range of the text comes from: a range that divides an escape has all of it. None if the host has
    /// nothing there.
    #[must_use]
    pub fn to_host(&self, range: TextRange) -> Option<TextRange> {
        let mut found: Option<TextRange> = None;
        for (own, run) in self.runs_in(range) {
            if run.kind == RunKind::Inserted {
                continue;
            }
            let part = match run.kind {
                RunKind::Copied => {
                    let from = range.start().clamp(own.start(), own.end()) - own.start();
                    let to = range.end().clamp(own.start(), own.end()) - own.start();
                    TextRange::new(run.host.start() + from, run.host.start() + to)
                }
                _ if range.is_empty() && range.start() == own.end() => {
                    TextRange::empty(run.host.end())
                }
                _ if range.is_empty() => TextRange::empty(run.host.start()),
                _ => run.host,
            };
            found = Some(found.map_or(part, |it| it.cover(part)));
        }
        found
    }

    /// The place in the text of an offset of the host; none outside what was taken from it. Inside an escape
    /// it is the start of what that stands for.
    #[must_use]
    pub fn to_text(&self, host: TextSize) -> Option<TextSize> {
        let after = self.runs.partition_point(|it| it.host.start() <= host);
        // Inserted runs have the place of the host where they are.
        for index in (0..after).rev() {
            let run = self.runs[index];
            if run.kind == RunKind::Inserted {
                continue;
            }
            if run.host.end() < host {
                return None;
            }
            let own = self.range(index);
            return Some(match run.kind {
                RunKind::Copied => own.start() + (host - run.host.start()),
                _ if host == run.host.end() => own.end(),
                _ => own.start(),
            });
        }
        None
    }

    /// The range of the host that was copied as it is into all of a range of the text, within one run: where an edit
    /// of the text can be made in the host.
    #[must_use]
    pub fn editable(&self, range: TextRange) -> Option<TextRange> {
        let mut runs = self
            .runs_in(range)
            .filter(|(own, run)| run.kind == RunKind::Copied && own.contains_range(range));
        let (own, run) = runs.next()?;
        Some(range - own.start() + run.host.start())
    }
}

impl Mapped {
    /// The end of the text so far.
    #[must_use]
    pub fn len(&self) -> TextSize {
        self.map.len
    }

    /// Whether there is no text yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Adds what the host has at an offset.
    pub fn copy(&mut self, text: &str, host: TextSize) {
        if text.is_empty() {
            return;
        }
        let range = TextRange::at(host, TextSize::of(text));
        match self.map.runs.last_mut() {
            Some(last) if last.kind == RunKind::Copied && last.host.end() == host => {
                last.host = last.host.cover(range);
                self.text.push_str(text);
                self.map.len += TextSize::of(text);
            }
            _ => self.put(text, range, RunKind::Copied),
        }
    }

    /// Adds a text that stands for a range of the host; it may be empty.
    pub fn put(&mut self, text: &str, host: TextRange, kind: RunKind) {
        self.map.runs.push(Run {
            start: self.map.len,
            host,
            kind,
        });
        self.text.push_str(text);
        self.map.len += TextSize::of(text);
    }

    /// Adds a text that the host does not have.
    pub fn insert(&mut self, text: &str) {
        let at = self
            .map
            .runs
            .last()
            .map_or(TextSize::new(0), |it| it.host.end());
        self.put(text, TextRange::empty(at), RunKind::Inserted);
    }

    /// Adds a piece of another text with where that comes from.
    pub fn append(&mut self, other: &Mapped, range: TextRange) {
        if range.is_empty() {
            return;
        }
        for (own, run) in other.map.runs_in(range) {
            let Some(part) = own.intersect(range) else {
                continue;
            };
            let text = &other.text[part];
            match run.kind {
                RunKind::Copied => self.copy(text, run.host.start() + (part.start() - own.start())),
                kind => self.put(text, run.host, kind),
            }
        }
    }

    /// The same text with the places of the host of its host.
    #[must_use]
    pub fn through(&self, outer: &Mapped) -> Mapped {
        let mut composed = Mapped::default();
        for (index, run) in self.map.runs.iter().enumerate() {
            let own = self.map.range(index);
            match run.kind {
                RunKind::Copied => composed.append(outer, run.host),
                RunKind::Inserted => composed.insert(&self.text[own]),
                kind => {
                    let host = outer.map.to_host(run.host);
                    let host = host.unwrap_or_else(|| {
                        TextRange::empty(
                            composed
                                .map
                                .runs
                                .last()
                                .map_or_else(TextSize::default, |it| it.host.end()),
                        )
                    });
                    composed.put(&self.text[own], host, kind);
                }
            }
        }
        composed
    }
}
