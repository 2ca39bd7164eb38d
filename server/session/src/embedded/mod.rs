//! Documents in other languages with PTX in them: CUDA C++, C++, Python, Rust and LLVM IR.
//!
//! The PTX of each statement is a module of its own, as [`analysis::HostFile`] makes it. What is found about a module
//! is a function of its text, so it is remembered by that text ([`Fragments`]) and stays through edits around it.

mod document;
mod fragments;
#[cfg(test)]
mod tests;

pub use document::{HostDocument, HostDocuments, language_of};
pub use fragments::Fragments;

use analysis::{Diagnostic, FileId, FragmentView, HostFile, HostSettings, Writing};
use syntax::{TextRange, TextSize};

use crate::snapshot::{Answer, RequestError, Snapshot};

/// A fragment of a document, for the target for which questions about it are answered.
pub struct FragmentPosition<'a> {
    /// The fragment as a module.
    pub view: FragmentView<'a>,
    /// The offset in its module.
    pub offset: TextSize,
    /// The offset in the document.
    pub in_document: TextSize,
}

impl HostDocument {
    /// The known facts about how the document is compiled.
    pub fn settings(&self, snapshot: &Snapshot, file: FileId) -> HostSettings {
        let targets = match &snapshot.settings.target_override {
            Some(target) => vec![target.to_string()],
            None if self.file().marked_targets().is_empty() => {
                self.compile_targets(|| match snapshot.uri(file) {
                    Some(uri) => snapshot.shared.host.compile_targets(&uri),
                    None => Vec::new(),
                })
            }
            None => Vec::new(),
        };
        HostSettings { targets }
    }

    /// The place in a fragment of an offset of the document; none outside fragments.
    ///
    /// # Errors
    /// The document has changed meanwhile.
    pub fn place(
        &self,
        snapshot: &Snapshot,
        file: FileId,
        offset: TextSize,
    ) -> Answer<Option<FragmentPosition<'_>>> {
        let Some(index) = self.file().fragment_inside(offset) else {
            return Ok(None);
        };
        let view = self.view(snapshot, file, index)?;
        Ok(view.to_module(offset).map(|it| FragmentPosition {
            view,
            offset: it,
            in_document: offset,
        }))
    }

    /// A fragment for the target for which questions about it are answered.
    ///
    /// # Errors
    /// The document has changed meanwhile.
    pub fn view(
        &self,
        snapshot: &Snapshot,
        file: FileId,
        index: usize,
    ) -> Answer<FragmentView<'_>> {
        let settings = self.settings(snapshot, file);
        let target = checking(snapshot, |check| {
            let config = &snapshot.settings;
            self.file()
                .usual_target(index, self.text(), &settings, config, check)
        })?;
        Ok(self.file().view(index, self.text(), &target))
    }

    /// The indices of the fragments that share a place with a range.
    pub fn fragments_in(&self, range: TextRange) -> impl Iterator<Item = usize> + '_ {
        let meets = move |it: &analysis::Fragment| {
            it.range().is_some_and(|it| it.intersect(range).is_some())
        };
        let file: &HostFile = self.file();
        let all = file.fragments();
        let first = all.partition_point(|it| it.range().is_none_or(|it| it.end() < range.start()));
        let near = (first..all.len())
            .take_while(move |it| all[*it].range().is_none_or(|it| it.start() <= range.end()));
        near.filter(move |it| meets(&all[*it]))
    }

    /// The problems in some fragments, in the order of the text.
    ///
    /// # Errors
    /// The document has changed meanwhile.
    pub fn diagnostics(
        &self,
        snapshot: &Snapshot,
        file: FileId,
        fragments: impl Iterator<Item = usize>,
    ) -> Answer<Vec<Diagnostic>> {
        let settings = self.settings(snapshot, file);
        let mut found = Vec::new();
        for index in fragments {
            if self.is_superseded() {
                return Err(RequestError::ContentModified);
            }
            snapshot.analysis.check_cancelled()?;
            found.extend(checking(snapshot, |check| {
                let config = &snapshot.settings;
                self.file()
                    .diagnostics(index, self.text(), &settings, config, check)
            })?);
        }
        for diagnostic in &mut found {
            for related in &mut diagnostic.related {
                related.location.file = file;
            }
        }
        found.sort_by_key(|it| (it.range.start(), it.range.end()));
        Ok(found)
    }

    /// All fragments.
    pub fn all_fragments(&self) -> std::ops::Range<usize> {
        0..self.file().fragments().len()
    }

    /// The text written at the end of an edit of the document; none outside fragments.
    ///
    /// # Errors
    /// The document has changed meanwhile.
    pub fn writing(
        &self,
        snapshot: &Snapshot,
        file: FileId,
        offset: TextSize,
    ) -> Answer<Option<Writing>> {
        let Some(place) = self.place(snapshot, file, offset)? else {
            return Ok(None);
        };
        let writing = snapshot.shared.fragments.query(
            &snapshot.settings,
            &place.view.module,
            |analysis, file| {
                analysis.writing(analysis::FilePosition {
                    file,
                    offset: place.offset,
                })
            },
        )?;
        let here = TextRange::empty(offset);
        let of_document = |range: TextRange| {
            let range = range.intersect(place.view.template())?;
            place.view.to_host(range)
        };
        Ok(writing.map(|it| Writing {
            statement: of_document(it.statement).unwrap_or(here),
            word: of_document(it.word).unwrap_or(here),
            finished: it.finished,
            inside: it.inside,
            brace: of_document(it.brace).unwrap_or(here),
        }))
    }
}

/// Does something that asks for the diagnostics of modules.
fn checking<T>(
    snapshot: &Snapshot,
    act: impl FnOnce(&mut dyn FnMut(&str) -> Vec<Diagnostic>) -> T,
) -> Answer<T> {
    let mut failure = None;
    let fragments = &snapshot.shared.fragments;
    let done = act(&mut |module| {
        let found = fragments.diagnostics(&snapshot.settings, module);
        found.map_or_else(
            |error| {
                failure = Some(error);
                Vec::new()
            },
            |it| it.to_vec(),
        )
    });
    match failure {
        Some(failure) => Err(failure),
        None => Ok(done),
    }
}
