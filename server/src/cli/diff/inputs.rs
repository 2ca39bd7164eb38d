//! Which texts are compared with which.

use std::path::Path;

use rustc_hash::FxHashMap;

use crate::{
    binaries::{Text, Texts, texts},
    cli::check,
};

/// The two sides to compare.
#[derive(Default)]
pub(super) struct Inputs {
    /// The old and the new text.
    pub(super) pairs: Vec<(Text, Text)>,
    /// Texts of one side only, and whether that is the new one.
    pub(super) alone: Vec<(bool, Text)>,
    pub(super) failures: Vec<String>,
}

/// The key of a text among the others of its side, which is the same on the other side.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// Its path in a folder.
    Path(String),
    /// The target and the name of the source, of those images with these the how manieth.
    Image(String, String, usize),
}

/// Pairs the texts of two files, folders or binaries.
pub(super) fn inputs(old: &Path, new: &Path) -> Inputs {
    let mut found = Inputs::default();
    let old = keyed(old, &mut found.failures);
    let mut new = keyed(new, &mut found.failures);
    // Everything of the other side would be new.
    if !found.failures.is_empty() && (old.is_empty() || new.is_empty()) {
        return found;
    }
    // One text on each side: these are meant, whatever they are called.
    if let ([_], [_]) = (&*old, &*new) {
        found.pairs = old
            .into_iter()
            .map(|it| it.1)
            .zip(new.into_iter().map(|it| it.1))
            .collect();
        return found;
    }
    for (key, text) in old {
        match new.iter().position(|it| it.0 == key) {
            Some(place) => found.pairs.push((text, new.remove(place).1)),
            None => found.alone.push((false, text)),
        }
    }
    found.alone.extend(new.into_iter().map(|it| (true, it.1)));
    found
}

/// The texts of one side in their order.
fn keyed(path: &Path, failures: &mut Vec<String>) -> Vec<(Key, Text)> {
    if path.is_dir() {
        let (files, failed) = check::inputs(&[path.to_owned()], false);
        failures.extend(failed);
        let mut found = Vec::new();
        for file in files {
            let below = file.strip_prefix(path).unwrap_or(&file).to_string_lossy();
            let Texts {
                texts,
                failures: failed,
            } = texts(&file);
            failures.extend(failed);
            let key = Key::Path(below.into_owned());
            found.extend(texts.into_iter().map(|it| (key.clone(), it)));
        }
        return found;
    }
    let Texts {
        texts,
        failures: failed,
    } = texts(path);
    failures.extend(failed);
    let mut counts: FxHashMap<(String, String), usize> = FxHashMap::default();
    let key = |text: &Text| match &text.image {
        None => Key::Path(String::new()),
        Some((target, identifier)) => {
            let count = counts
                .entry((target.clone(), identifier.clone()))
                .or_default();
            *count += 1;
            Key::Image(target.clone(), identifier.clone(), *count)
        }
    };
    let keys: Vec<Key> = texts.iter().map(key).collect();
    keys.into_iter().zip(texts).collect()
}
