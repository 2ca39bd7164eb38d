//! Cached results for the modules of fragments, by their text.

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

/// Results are kept for at most this many bytes of text; the older half goes first.
const REMEMBERED: usize = 8 << 20;
/// A host is used for this many bytes of text: enough to share its setup and the forms of instructions, and few enough
/// to bound what it keeps of former modules.
const BATCH: usize = 256 << 10;
/// The one file of an analysis.
const MODULE: FileId = FileId(0);

/// Hosts that analyse the modules of fragments, and the results by the texts of the modules.
#[derive(Default)]
pub struct Fragments {
    known: Mutex<ModuleCache>,
    analysed: AtomicU64,
}

#[derive(Default)]
struct ModuleCache {
    /// The settings of all results.
    settings: Arc<AnalysisConfig>,
    diagnostics: ResultCache<Diagnostic>,
    tokens: ResultCache<SemanticToken>,
    /// Hosts that no worker uses at the moment.
    idle: Vec<ModuleHost>,
}

/// A host that analyses one module after another.
struct ModuleHost {
    host: AnalysisHost,
    bytes: usize,
}

/// Results for modules, by their texts.
struct ResultCache<T> {
    young: FxHashMap<Box<str>, Arc<[T]>>,
    old: FxHashMap<Box<str>, Arc<[T]>>,
    /// Length of the young texts together.
    bytes: usize,
}

impl<T> Default for ResultCache<T> {
    fn default() -> ResultCache<T> {
        ResultCache {
            young: FxHashMap::default(),
            old: FxHashMap::default(),
            bytes: 0,
        }
    }
}

impl<T> ResultCache<T> {
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
    fn with<T>(
        &self,
        settings: &Arc<AnalysisConfig>,
        act: impl FnOnce(&mut ModuleCache) -> T,
    ) -> T {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !Arc::ptr_eq(&known.settings, settings) {
            *known = ModuleCache {
                settings: Arc::clone(settings),
                ..ModuleCache::default()
            };
        }
        act(&mut known)
    }

    /// Runs a query on a module.
    ///
    /// # Errors
    /// None so far: the host of the query belongs to this worker alone.
    pub fn query<T>(
        &self,
        settings: &Arc<AnalysisConfig>,
        module: &str,
        question: impl FnOnce(&Analysis, FileId) -> Cancellable<T>,
    ) -> Answer<T> {
        let idle = self.with(settings, |it| it.idle.pop());
        let (mut module_host, config) = match idle {
            Some(module_host) => (module_host, None),
            None => {
                let module_host = ModuleHost {
                    host: AnalysisHost::new(),
                    bytes: 0,
                };
                // The text of a module says its target.
                let config = AnalysisConfig {
                    target_override: None,
                    portability_targets: Vec::new(),
                    ..AnalysisConfig::clone(settings)
                };
                (module_host, Some(config))
            }
        };
        module_host.bytes += module.len();
        self.analysed.fetch_add(1, Ordering::Relaxed);
        module_host.host.apply_change(Change {
            files: vec![(MODULE, Some(Arc::new(FileContents::new(module))))],
            config,
        });
        // One that panics is not put back.
        let answer = question(&module_host.host.analysis(), MODULE);
        if module_host.bytes < BATCH {
            self.with(settings, |it| it.idle.push(module_host));
        }
        Ok(answer?)
    }

    /// The diagnostics of a module, with their fixes.
    ///
    /// # Errors
    /// As with [`Fragments::query`].
    pub fn diagnostics(
        &self,
        settings: &Arc<AnalysisConfig>,
        module: &str,
    ) -> Answer<Arc<[Diagnostic]>> {
        if let Some(found) = self.with(settings, |it| it.diagnostics.get(module)) {
            return Ok(found);
        }
        let found = self.query(settings, module, Analysis::diagnostics)?;
        let found: Arc<[Diagnostic]> = found.into();
        self.with(settings, |it| {
            it.diagnostics.insert(module.into(), Arc::clone(&found));
        });
        Ok(found)
    }

    /// The semantic tokens of a module.
    ///
    /// # Errors
    /// As with [`Fragments::query`].
    pub fn tokens(
        &self,
        settings: &Arc<AnalysisConfig>,
        module: &str,
    ) -> Answer<Arc<[SemanticToken]>> {
        if let Some(found) = self.with(settings, |it| it.tokens.get(module)) {
            return Ok(found);
        }
        let found = self.query(settings, module, |analysis, file| {
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
