//! Which functions and variables of two modules belong together.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use syntax::TextRange;

use crate::demangle::demangled;

use super::{
    ChangeKind, VariableChange, canonical, names,
    read::{Code, Module, Words},
};

/// Pairs of functions without a partner that are compared by their statements.
const MAX_PAIRS: usize = 250_000;
/// How many percent of their statements two functions share that are taken for the same one.
const ALIKE: usize = 60;

/// For each function of the new module its partner in the old one.
pub(super) fn pairs(old: &Module, new: &Module, words: &Words) -> Vec<Option<usize>> {
    let mut pairs = Pairs {
        of_new: vec![None; new.functions.len()],
        taken: vec![false; old.functions.len()],
    };
    let (a, b) = (&old.functions, &new.functions);
    pairs.by(a, b, |it| Some(Cow::Borrowed(&*it.name)));
    pairs.by(a, b, |it| Some(names::plain(&it.name)));
    pairs.by(a, b, |it| {
        let name = names::plain(&it.name).replace('#', "");
        let name = demangled(&name)?.name;
        let end = name.find('(').unwrap_or(name.len());
        name.get(..end).map(str::to_owned)
    });
    pairs.by_body(a, b, words);
    pairs.alike(a, b, words);
    pairs.of_new
}

struct Pairs {
    of_new: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Pairs {
    fn pair(&mut self, old: usize, new: usize) {
        self.of_new[new] = Some(old);
        self.taken[old] = true;
    }

    fn left(&self) -> (Vec<usize>, Vec<usize>) {
        let old = (0..self.taken.len()).filter(|it| !self.taken[*it]);
        let new = (0..self.of_new.len()).filter(|it| self.of_new[*it].is_none());
        (old.collect(), new.collect())
    }

    /// Pairs those that are the only ones with their key on both sides.
    fn by<'a, K: std::hash::Hash + Eq + 'a>(
        &mut self,
        old: &'a [Code],
        new: &'a [Code],
        key: impl Fn(&'a Code) -> Option<K>,
    ) {
        let (old_left, new_left) = self.left();
        let mut found: FxHashMap<(K, bool), [Option<Vec<usize>>; 2]> = FxHashMap::default();
        for (side, functions, left) in [(0, old, old_left), (1, new, new_left)] {
            for index in left {
                let function = &functions[index];
                if let Some(key) = key(function) {
                    let lists = found.entry((key, function.entry)).or_default();
                    lists[side].get_or_insert_default().push(index);
                }
            }
        }
        for lists in found.into_values() {
            if let [Some(old), Some(new)] = &lists
                && let (&[old], &[new]) = (&**old, &**new)
            {
                self.pair(old, new);
            }
        }
    }

    /// Pairs those with the same body; of several the first ones.
    fn by_body(&mut self, old: &[Code], new: &[Code], words: &Words) {
        let (old_left, new_left) = self.left();
        if old_left.is_empty() || new_left.is_empty() {
            return;
        }
        let mut known: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        for index in old_left {
            let print = canonical::fingerprint(&old[index], &|it| it);
            known.entry(print).or_default().push(index);
        }
        for index in new_left {
            let print = canonical::fingerprint(&new[index], &|it| words.of_new(it));
            let Some(partners) = known.get_mut(&print) else {
                continue;
            };
            let equal = |it: &usize| canonical::equal(&old[*it], &new[index], words);
            if let Some(place) = partners.iter().position(equal) {
                let partner = partners.remove(place);
                self.pair(partner, index);
            }
        }
    }

    /// Pairs those that share most statements, the closest ones first.
    fn alike(&mut self, old: &[Code], new: &[Code], words: &Words) {
        let (old_left, new_left) = self.left();
        if old_left.len().saturating_mul(new_left.len()) > MAX_PAIRS {
            return;
        }
        let shapes = |code: &Code, word: &dyn Fn(u32) -> u32| {
            let mut shapes: Vec<u32> = code.rows.iter().map(|it| word(it.shape)).collect();
            shapes.sort_unstable();
            shapes
        };
        let bags: Vec<_> = old_left
            .iter()
            .map(|it| shapes(&old[*it], &|it| it))
            .collect();
        let mut scored = Vec::new();
        for index in new_left {
            let bag = shapes(&new[index], &|it| words.of_new(it));
            for (partner, other) in old_left.iter().zip(&bags) {
                if old[*partner].entry != new[index].entry {
                    continue;
                }
                let most = bag.len().max(other.len());
                if bag.len().min(other.len()) * 100 < most * ALIKE {
                    continue;
                }
                let both = in_both(&bag, other);
                let all = bag.len() + other.len() - both;
                if all > 0 && both * 100 >= all * ALIKE {
                    scored.push((both * 1000 / all, *partner, index));
                }
            }
        }
        scored.sort_by_key(|it| (std::cmp::Reverse(it.0), it.1, it.2));
        for (_, partner, index) in scored {
            if !self.taken[partner] && self.of_new[index].is_none() {
                self.pair(partner, index);
            }
        }
    }
}

/// How many elements two sorted lists share.
fn in_both(a: &[u32], b: &[u32]) -> usize {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut count = 0;
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => drop(a.next()),
            std::cmp::Ordering::Greater => drop(b.next()),
            std::cmp::Ordering::Equal => {
                count += 1;
                a.next();
                b.next();
            }
        }
    }
    count
}

/// The variables outside functions that differ, by name.
pub(super) fn variables(old: &Module, new: &Module) -> Vec<VariableChange> {
    let mut found: std::collections::BTreeMap<&str, [Vec<(&str, TextRange)>; 2]> =
        std::collections::BTreeMap::new();
    for (side, module) in [(0, old), (1, new)] {
        for (name, text, range) in &module.variables {
            found.entry(name).or_default()[side].push((text, *range));
        }
    }
    let mut changes = Vec::new();
    for (name, [old, new]) in found {
        let texts =
            |it: &[(&str, TextRange)]| it.iter().map(|it| it.0.to_owned()).collect::<Vec<_>>();
        let kind = match (old.is_empty(), new.is_empty()) {
            (true, _) => ChangeKind::Added,
            (_, true) => ChangeKind::Removed,
            _ if texts(&old) != texts(&new) => ChangeKind::Changed,
            _ => continue,
        };
        changes.push(VariableChange {
            kind,
            name: name.into(),
            old: old.first().map(|it| it.1),
            new: new.first().map(|it| it.1),
        });
    }
    changes
}

/// The directives of the module that differ: the word, the old and the new value.
pub(super) fn directives(old: &Module, new: &Module) -> Vec<(Box<str>, Box<str>, Box<str>)> {
    let value = |module: &Module, word: &str| {
        let found = module.directives.iter().find(|it| &*it.0 == word);
        found.map(|it| it.1.clone()).unwrap_or_default()
    };
    let mut words: Vec<&str> = Vec::new();
    for (word, _) in old.directives.iter().chain(&new.directives) {
        if !words.contains(&&**word) {
            words.push(word);
        }
    }
    let change = |word: &str| (word.into(), value(old, word), value(new, word));
    let changes = words.into_iter().map(change);
    changes
        .filter(|it: &(Box<str>, _, _)| it.1 != it.2)
        .collect()
}
