//! The known facts about modules that were made of fragments, by their text.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use analysis::{
    Analysis, AnalysisConfig, AnalysisHost, Cancellable, Change, Diagnostic, FileContents, FileId,
    SemanticToken,
};
use rustc_hash::FxHashMap;

use crate::answer::Answer;

/// The diagnostics of modules are remembered up to so many bytes of text; the older half goes first.
const REMEMBERED: usize = 8 << 20;
/// An analysis is used for so many bytes of text: enough to share what one costs to set up and what is known about
/// instructions, and so few that what it keeps of modules of before does not matter.
const BATCH: usize = 256 << 10;
/// The one file of an analysis.
const MODULE: FileId = FileId(0);

/// The modules that were made of fragments: an analysis for whoever asks, and the diagnostics that were found.
#[derive(Default)]
pub struct Fragments {
    known: Mutex<Known>,
    analysed: AtomicU64,
}

#[derive(Default)]
struct Known {
    /// The settings for which all of it holds.
    settings: Arc<AnalysisConfig>,
    diagnostics: Memory<Diagnostic>,
    tokens: Memory<SemanticToken>,
    /// Those that nobody uses at the moment.
    idle: Vec<Modules>,
}

/// An analysis of one module after another.
struct Modules {
    host: AnalysisHost,
    bytes: usize,
}

/// Results for modules, by their texts.
struct Memory<T> {
    young: FxHashMap<Box<str>, Arc<[T]>>,
    old: FxHashMap<Box<str>, Arc<[T]>>,
    /// How long the texts of the young ones are together.
    bytes: usize,
}

impl<T> Default for Memory<T> {
    fn default() -> Memory<T> {
        Memory {
            young: FxHashMap::default(),
            old: FxHashMap::default(),
            bytes: 0,
        }
    }
}

impl<T> Memory<T> {
    fn get(&mut self, module: &str) -> Option<Arc<[T]>> {
        if let Some(found) = self.young.get(module) {
            return Some(Arc::clone(found));
        }
        let (text, found) = self.old.remove_entry(module)?;
        self.insert(text, Arc::clone(&found));
        Some(found)
    }

    fn insert(&mut self, module: Box<str>, found: Arc<[T]>) {
        self.bytes += module.len();
        self.young.insert(module, found);
        if self.bytes > REMEMBERED / 2 {
            self.bytes = 0;
            self.old = std::mem::take(&mut self.young);
        }
    }
}

impl Fragments {
    fn with<T>(&self, settings: &Arc<AnalysisConfig>, act: impl FnOnce(&mut Known) -> T) -> T {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !Arc::ptr_eq(&known.settings, settings) {
            *known = Known {
                settings: Arc::clone(settings),
                ..Known::default()
            };
        }
        act(&mut known)
    }

    /// Asks something about a module.
    ///
    /// # Errors
    /// None so far: nobody else has the analysis that answers.
    pub fn ask<T>(
        &self,
        settings: &Arc<AnalysisConfig>,
        module: &str,
        question: impl FnOnce(&Analysis, FileId) -> Cancellable<T>,
    ) -> Answer<T> {
        let idle = self.with(settings, |it| it.idle.pop());
        let (mut modules, config) = match idle {
            Some(modules) => (modules, None),
            None => {
                let modules = Modules {
                    host: AnalysisHost::new(),
                    bytes: 0,
                };
                // The text of a module says its target.
                let config = AnalysisConfig {
                    target_override: None,
                    portability_targets: Vec::new(),
                    ..AnalysisConfig::clone(settings)
                };
                (modules, Some(config))
            }
        };
        modules.bytes += module.len();
        self.analysed.fetch_add(1, Ordering::Relaxed);
        modules.host.apply_change(Change {
            files: vec![(MODULE, Some(Arc::new(FileContents::new(module))))],
            config,
        });
        // One that panics is not put back.
        let answer = question(&modules.host.analysis(), MODULE);
        if modules.bytes < BATCH {
            self.with(settings, |it| it.idle.push(modules));
        }
        Ok(answer?)
    }

    /// The diagnostics of a module, with their fixes.
    ///
    /// # Errors
    /// As with [`Fragments::ask`].
    pub fn diagnostics(
        &self,
        settings: &Arc<AnalysisConfig>,
        module: &str,
    ) -> Answer<Arc<[Diagnostic]>> {
        if let Some(found) = self.with(settings, |it| it.diagnostics.get(module)) {
            return Ok(found);
        }
        let found = self.ask(settings, module, Analysis::diagnostics)?;
        let found: Arc<[Diagnostic]> = found.into();
        self.with(settings, |it| {
            it.diagnostics.insert(module.into(), Arc::clone(&found));
        });
        Ok(found)
    }

    /// The semantic tokens of a module.
    ///
    /// # Errors
    /// As with [`Fragments::ask`].
    pub fn tokens(
        &self,
        settings: &Arc<AnalysisConfig>,
        module: &str,
    ) -> Answer<Arc<[SemanticToken]>> {
        if let Some(found) = self.with(settings, |it| it.tokens.get(module)) {
            return Ok(found);
        }
        let found = self.ask(settings, module, |analysis, file| {
            analysis.semantic_tokens(file, None)
        })?;
        let found: Arc<[SemanticToken]> = found.into();
        self.with(settings, |it| {
            it.tokens.insert(module.into(), Arc::clone(&found));
        });
        Ok(found)
    }

    /// How many modules were analysed so far.
    pub fn analysed(&self) -> u64 {
        self.analysed.load(Ordering::Relaxed)
    }
}

impl std::fmt::Debug for Fragments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fragments")
            .field("analysed", &self.analysed)
            .finish_non_exhaustive()
    }
}
