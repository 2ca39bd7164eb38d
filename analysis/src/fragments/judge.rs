//! For which targets a fragment is judged, and what of that is told.

use isa::target::Target;

use crate::{AnalysisConfig, Diagnostic, Level, Severity};

use super::{
    Fragment, HostFile,
    filter::{self, GATES},
    guards::{Preprocessor, Truth},
    source::Source,
    targets::candidates,
};

/// The known facts about how a file is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostSettings {
    /// The names of the targets that it is compiled for; none if that is not known.
    pub targets: Vec<String>,
}

impl HostFile {
    /// The problems in a fragment; ranges are those of the file. `text` is the file, and `check` finds the
    /// diagnostics of a module.
    pub fn diagnostics(
        &self,
        index: usize,
        text: &str,
        settings: &HostSettings,
        config: &AnalysisConfig,
        check: &mut dyn FnMut(&str) -> Vec<Diagnostic>,
    ) -> Vec<Diagnostic> {
        let fragment = &self.fragments[index];
        let statement = self.statement(fragment);
        if !statement.complete {
            return Vec::new();
        }
        let source = Source::new(text, &self.host, statement);
        let preprocessor = |target| Preprocessor::new(source.all(), source.macros(), target);
        let guard = |target| preprocessor(target).compiled(&statement.conditions);
        let named = match settings.targets.is_empty() {
            true => &self.marks.targets,
            false => &settings.targets,
        };
        let named: Vec<Target> = named.iter().filter_map(|it| Target::parse(it)).collect();
        let mut found = if named.is_empty() {
            self.on_some_target(fragment, source.all(), &guard, check)
        } else {
            self.on_targets(fragment, &named, source.all(), &guard, check)
        };
        let Some(found) = &mut found else {
            return Vec::new();
        };
        // What the compiler says first is the reason of what the assembler would say.
        let own = &fragment.report.diagnostics;
        found.retain(|it| {
            let reason = |own: &Diagnostic| {
                own.severity == Severity::Error && own.range.contains_range(it.range)
            };
            !own.iter().any(reason)
        });
        found.extend(own.iter().cloned());
        // It is wrong where something defines the macro, and nothing may.
        let plain = |it| {
            preprocessor(Some(it))
                .plain()
                .compiled(&statement.conditions)
        };
        let mut wrong = found
            .iter_mut()
            .filter(|it| it.severity == Severity::Error)
            .peekable();
        if !statement.conditions.is_empty() && wrong.peek().is_some() {
            let unreached = match named.is_empty() {
                true => candidates().all(|it| plain(it) == Truth::No),
                false => named.iter().all(|it| plain(*it) == Truth::No),
            };
            for it in wrong.filter(|_| unreached) {
                it.severity = Severity::Warning;
            }
        }
        found.sort_by_key(|it| (it.range.start(), it.range.end()));
        found.dedup_by(|a, b| a.range == b.range && a.code == b.code && a.message == b.message);
        found.retain_mut(|it| {
            let level = self
                .marks
                .level(it.code, it.range.start())
                .or_else(|| config.severity.get(it.code).copied());
            match level.map(Level::severity) {
                None => true,
                Some(None) => false,
                Some(Some(severity)) => {
                    it.severity = severity;
                    true
                }
            }
        });
        std::mem::take(found)
    }

    /// The problems for a target.
    fn on_target(
        &self,
        fragment: &Fragment,
        target: Target,
        host: &str,
        guard: Truth,
        check: &mut dyn FnMut(&str) -> Vec<Diagnostic>,
    ) -> Vec<Diagnostic> {
        if fragment.template.text.text.trim().is_empty() {
            return Vec::new();
        }
        let mut found = filter::keep(
            self,
            fragment,
            target,
            host,
            check(&fragment.text_for(target)),
        );
        if guard == Truth::Unknown {
            found.retain(|it| !GATES.contains(&it.code));
        }
        found
    }

    /// The problems for any of the targets that the file is compiled for; none if it is compiled for none of them.
    fn on_targets(
        &self,
        fragment: &Fragment,
        targets: &[Target],
        host: &str,
        guard: &dyn Fn(Option<Target>) -> Truth,
        check: &mut dyn FnMut(&str) -> Vec<Diagnostic>,
    ) -> Option<Vec<Diagnostic>> {
        let mut all: Option<Vec<Diagnostic>> = None;
        let mut admitted = targets
            .iter()
            .map(|it| (*it, guard(Some(*it))))
            .filter(|it| it.1 != Truth::No);
        let first = admitted.next()?;
        for (target, guard) in std::iter::once(first).chain(admitted) {
            let found = self.on_target(fragment, target, host, guard, check);
            let all = all.get_or_insert_default();
            for mut diagnostic in found {
                let same =
                    |it: &Diagnostic| it.range == diagnostic.range && it.code == diagnostic.code;
                if all.iter().any(same) {
                    continue;
                }
                if target != first.0 {
                    diagnostic.message += &format!(" (for {target})");
                }
                all.push(diagnostic);
            }
        }
        all
    }

    /// The problems that exist on every target; what only some lack is information.
    fn on_some_target(
        &self,
        fragment: &Fragment,
        host: &str,
        guard: &dyn Fn(Option<Target>) -> Truth,
        check: &mut dyn FnMut(&str) -> Vec<Diagnostic>,
    ) -> Option<Vec<Diagnostic>> {
        let is_error = |it: &Diagnostic| it.severity == Severity::Error;
        let mut first: Option<Vec<Diagnostic>> = None;
        let mut best: Option<Vec<Diagnostic>> = None;
        for target in candidates() {
            let admitted = guard(Some(target));
            if admitted == Truth::No {
                continue;
            }
            let found = self.on_target(fragment, target, host, admitted, check);
            let errors = found.iter().filter(|it| is_error(it)).count();
            if errors == 0 {
                let mut found = found;
                let gates = first
                    .into_iter()
                    .flatten()
                    .filter(|it| GATES.contains(&it.code));
                found.extend(gates.map(|it| Diagnostic {
                    severity: Severity::Information,
                    fixes: Vec::new(),
                    ..it
                }));
                return Some(found);
            }
            let weight = |it: &[Diagnostic]| {
                let errors = it.iter().filter(|it| is_error(it));
                errors.fold((0, 0), |(gates, all), it| {
                    (gates + u32::from(GATES.contains(&it.code)), all + 1)
                })
            };
            if first.is_none() {
                first = Some(found.clone());
            }
            if best.as_deref().is_none_or(|it| weight(&found) < weight(it)) {
                best = Some(found);
            }
        }
        best
    }
}
