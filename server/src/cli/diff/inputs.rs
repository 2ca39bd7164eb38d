//! Which texts are compared with which.

use std::{io, path::Path};

use analysis::stable_name;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::SyntaxKind;

use crate::{
    binaries::{Text, Texts, texts},
    cli::{Io, check},
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
enum TextKey {
    /// Its path in a folder.
    Path(String),
    /// The target and the name of the source, of those images with these the how manieth.
    Image(String, String, usize),
}

/// Pairs the texts of two files, folders or binaries.
///
/// # Errors
/// If a remark cannot be written.
pub(super) fn inputs(old: &Path, new: &Path, io: &mut Io<'_>) -> io::Result<Inputs> {
    let mut found = Inputs::default();
    let old = keyed(old, &mut found.failures, io)?;
    let mut new = keyed(new, &mut found.failures, io)?;
    // Everything of the other side would be new.
    if !found.failures.is_empty() && (old.is_empty() || new.is_empty()) {
        return Ok(found);
    }
    // One text on each side: these are meant, whatever they are called.
    if let ([_], [_]) = (&*old, &*new) {
        found.pairs = old
            .into_iter()
            .map(|it| it.1)
            .zip(new.into_iter().map(|it| it.1))
            .collect();
        return Ok(found);
    }
    let mut left = Vec::new();
    for (key, text) in old {
        match new.iter().position(|it| it.0 == key) {
            Some(place) => found.pairs.push((text, new.remove(place).1)),
            None => left.push(text),
        }
    }
    let mut new: Vec<Text> = new.into_iter().map(|it| it.1).collect();
    for text in left {
        match partner(&text, &new) {
            Some(place) => found.pairs.push((text, new.remove(place))),
            None => found.alone.push((false, text)),
        }
    }
    found.alone.extend(new.into_iter().map(|it| (true, it)));
    Ok(found)
}

/// Which of the texts of the other side belongs to an image that has none with its target and source there: the one that
/// has most of its functions.
fn partner(text: &Text, others: &[Text]) -> Option<usize> {
    text.image.as_ref()?;
    let own = functions(&text.text);
    let shared = |it: &Text| match it.image {
        Some(_) => functions(&it.text).intersection(&own).count(),
        None => 0,
    };
    let best = others.iter().map(shared).enumerate();
    // The first of those that are equally good.
    let best = best.rev().max_by_key(|it| it.1)?;
    (best.1 > 0).then_some(best.0)
}

/// The names of the functions with a body, without what differs between builds of one source.
fn functions(text: &str) -> FxHashSet<String> {
    let parsed = syntax::parse(text);
    let functions = parsed.tree.cursor().nodes();
    let functions = functions
        .filter(|it| it.kind() == SyntaxKind::FUNCTION && it.node(SyntaxKind::BLOCK).is_some());
    let names = functions.filter_map(|it| {
        let name = it.node(SyntaxKind::NAME)?;
        Some(stable_name(name.token(SyntaxKind::IDENT)?.text()).into_owned())
    });
    names.collect()
}

/// The texts of one side in their order.
fn keyed(
    path: &Path,
    failures: &mut Vec<String>,
    io: &mut Io<'_>,
) -> io::Result<Vec<(TextKey, Text)>> {
    if path.is_dir() {
        let (files, failed) = check::inputs(&[path.to_owned()], false, io)?;
        failures.extend(failed);
        let mut found = Vec::new();
        for file in files {
            let below = file.strip_prefix(path).unwrap_or(&file).to_string_lossy();
            let Texts {
                texts,
                failures: failed,
            } = texts(&file);
            failures.extend(failed);
            let key = TextKey::Path(below.into_owned());
            found.extend(texts.into_iter().map(|it| (key.clone(), it)));
        }
        return Ok(found);
    }
    let Texts {
        texts,
        failures: failed,
    } = texts(path);
    failures.extend(failed);
    let mut counts: FxHashMap<(String, String), usize> = FxHashMap::default();
    let key = |text: &Text| match &text.image {
        None => TextKey::Path(String::new()),
        Some((target, identifier)) => {
            let count = counts
                .entry((target.clone(), identifier.clone()))
                .or_default();
            *count += 1;
            TextKey::Image(target.clone(), identifier.clone(), *count)
        }
    };
    let keys: Vec<TextKey> = texts.iter().map(key).collect();
    Ok(keys.into_iter().zip(texts).collect())
}
