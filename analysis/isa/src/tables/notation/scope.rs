//! The meaning of names while a table is read, and the definitions read already.

use std::{borrow::Cow, cell::RefCell};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::tables::instruction::Slot;

/// Words with a name.
pub(super) type Sets = FxHashMap<&'static str, Vec<&'static str>>;

/// The meaning of a name while a line of a variant is read.
pub(super) struct Scope<'a> {
    pub(super) slots: &'a [Slot],
    /// Slots of all variants of the instruction; those that this one lacks are always empty.
    pub(super) all: &'a FxHashSet<&'static str>,
    pub(super) word_ids: &'a FxHashMap<&'static str, u16>,
    pub(super) sets: &'a Sets,
    /// The slots that were asked for, with the answers.
    asked: RefCell<Meanings>,
}

/// Names of slots and what they mean.
type Meanings = Vec<(&'static str, Option<u8>)>;

/// Index of a slot that only other variants have.
pub(super) const NO_SLOT: u8 = u8::MAX;

impl<'a> Scope<'a> {
    pub(super) fn new(
        slots: &'a [Slot],
        all: &'a FxHashSet<&'static str>,
        word_ids: &'a FxHashMap<&'static str, u16>,
        sets: &'a Sets,
    ) -> Scope<'a> {
        let asked = RefCell::default();
        Scope {
            slots,
            all,
            word_ids,
            sets,
            asked,
        }
    }

    pub(super) fn slot(&self, name: &'static str) -> Option<u8> {
        let found = self.find(name);
        self.asked.borrow_mut().push((name, found));
        found
    }

    fn find(&self, name: &str) -> Option<u8> {
        match self.slots.iter().position(|it| it.name == name) {
            Some(index) => u8::try_from(index).ok(),
            None => self.all.contains(name).then_some(NO_SLOT),
        }
    }

    pub(super) fn word(&self, word: &str) -> Option<u16> {
        self.word_ids.get(word).copied()
    }

    /// Calls a function with the words of a list, with sets and ranges written out.
    pub(super) fn expand(
        &self,
        text: &'static str,
        with: impl FnMut(Cow<'static, str>) -> Result<(), String>,
    ) -> Result<(), String> {
        expand(text, self.sets, with)
    }
}

/// Calls a function with the words of a list, with sets and ranges written out.
pub(super) fn expand(
    text: &'static str,
    sets: &Sets,
    mut with: impl FnMut(Cow<'static, str>) -> Result<(), String>,
) -> Result<(), String> {
    for word in text.split_ascii_whitespace() {
        if let Some(set) = sets.get(word) {
            for word in set {
                with(Cow::Borrowed(word))?;
            }
        } else if let Some((before, rest)) = word.split_once('{') {
            let (range, after) = rest
                .split_once('}')
                .ok_or_else(|| format!("`{word}`: expected `}}`"))?;
            let (range, step) = range.split_once('/').unwrap_or((range, "1"));
            let (from, to) = range
                .split_once("..")
                .ok_or_else(|| format!("`{word}`: expected `from..to`"))?;
            let number = |it: &str| {
                it.parse::<usize>()
                    .map_err(|_| format!("`{word}`: `{it}` is not a number"))
            };
            for value in (number(from)?..=number(to)?).step_by(number(step)?.max(1)) {
                with(Cow::Owned(format!("{before}{value}{after}")))?;
            }
        } else {
            with(Cow::Borrowed(word))?;
        }
    }
    Ok(())
}

/// Definitions that several variants of an instruction share, by line. A definition is read
/// again only where its names mean other slots.
pub(super) struct Known<T>(FxHashMap<usize, Vec<(Meanings, T)>>);

impl<T> Default for Known<T> {
    fn default() -> Known<T> {
        Known(FxHashMap::default())
    }
}

impl<T: Clone> Known<T> {
    pub(super) fn read<E>(
        &mut self,
        line: usize,
        scope: &Scope<'_>,
        read: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let known = self.0.entry(line).or_default();
        let same = |it: &&(Meanings, T)| it.0.iter().all(|(name, slot)| scope.find(name) == *slot);
        if let Some((_, found)) = known.iter().find(same) {
            return Ok(found.clone());
        }
        scope.asked.borrow_mut().clear();
        let found = read()?;
        known.push((scope.asked.take(), found.clone()));
        Ok(found)
    }
}
