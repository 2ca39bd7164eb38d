//! Code actions: the fixes of the problems at a place, and those of the same kind in the whole file.
//!
//! They are tried first: each is applied to the text and the result is judged. What leaves its problem or makes another
//! one is not offered. Where nothing repairs an error, what may be too much is tried as well.

mod candidates;
mod headers;
mod trial;

use isa::target::{Gate, Target, Version};
use rustc_hash::{FxHashMap, FxHashSet};
use salsa::Database;
use syntax::{TextRange, TextSize, text::Edit};

use self::{
    candidates::candidates,
    trial::{Outcome, Trials},
};
use crate::{
    CodeAction, CodeActionKind, Diagnostic, FileEdits, FileId, FileRange, Fix, FixKind, Severity,
    SourceChange,
    db::SourceFile,
    diagnostics::{Fixes, diagnostics, touches},
};

/// Fixes that are tried at most for one problem.
const MAX_TRIED: usize = 6;
/// Fixes that no rule proposed and that are offered at most for one problem.
const MAX_FOUND: usize = 3;
/// Problems of a selection whose fixes are tried; those of others are not preferred.
const MAX_JUDGED: usize = 8;
/// How often fixes that break something are taken out of those that are applied together.
const MAX_ROUNDS: usize = 6;

/// The code actions at a range of a file.
pub(crate) fn code_actions(db: &dyn Database, file: SourceFile, at: FileRange) -> Vec<CodeAction> {
    let all = diagnostics(db, file, usize::MAX, Fixes::Required(at.range));
    if all.is_empty() {
        return Vec::new();
    }
    let trials = Trials::new(db, file);
    let here: Vec<(&Diagnostic, Offer)> = all
        .iter()
        .filter(|it| touches(it.range, at.range))
        .enumerate()
        .map(|(number, it)| {
            let fixes = fixes(it, &all);
            match number < MAX_JUDGED {
                true => (it, Offer::judged(it, fixes, &trials)),
                false => (it, Offer::of(fixes)),
            }
        })
        .collect();
    let mut actions = Actions::default();
    let mut kinds: Vec<FixKind> = Vec::new();
    for (diagnostic, offer) in &here {
        for (index, fix) in offer.fixes.iter().enumerate() {
            if fix.preferred && !kinds.contains(&fix.kind) {
                kinds.push(fix.kind);
            }
            actions.add(at.file, diagnostic, fix, offer.preferred == Some(index));
        }
    }
    let mut actions = actions.list;
    // One fix stands for its problem; where several are left, the author has to choose.
    for kind in kinds {
        trials.renew();
        let together = harmless(&all, |it| it.kind == kind, &trials);
        let together = match together {
            Judged::Known(it) => it,
            Judged::Unknown(it) => Some(it),
        };
        let together = together.filter(|it| it.diagnostics.len() > 1);
        actions
            .extend(together.map(|it| it.action(at.file, CodeActionKind::QuickFix, title(kind))));
    }
    trials.renew();
    if let Judged::Known(Some(safe)) = harmless(&all, is_safe, &trials) {
        let title = "Fix all auto-fixable problems";
        actions.push(safe.action(at.file, CodeActionKind::FixAll, title));
    }
    actions
}

/// The fixes of a problem; those that change the header change it to what the whole file needs.
fn fixes(diagnostic: &Diagnostic, all: &[Diagnostic]) -> Vec<Fix> {
    let mut fixes = diagnostic.fixes.clone();
    for fix in &mut fixes {
        if fix.kind == FixKind::ChangeHeader {
            headers::widen(fix, all);
        }
    }
    fixes
}

/// The fixes that are offered for a problem.
struct Offer {
    /// The best first.
    fixes: Vec<Fix>,
    /// Which of them most likely does what the author wants: it leaves no error in the statement of the problem, and
    /// makes none anywhere.
    preferred: Option<usize>,
}

impl Offer {
    /// Fixes that are not tried, so none is preferred.
    fn of(fixes: Vec<Fix>) -> Offer {
        Offer {
            fixes,
            preferred: None,
        }
    }

    /// Those of the fixes that help. If none repairs an error, what may be surplus is tried.
    fn judged(problem: &Diagnostic, fixes: Vec<Fix>, trials: &Trials<'_>) -> Offer {
        let wanted = fixes.iter().any(|it| it.preferred);
        let mut judged: Vec<(Outcome, Fix)> = Vec::new();
        for (number, fix) in fixes.into_iter().enumerate() {
            let tried = number < MAX_TRIED || fix.preferred;
            let outcome = tried.then(|| trials.outcome(problem, &fix.edits)).flatten();
            // What is not known to fail may help.
            judged.push((outcome.unwrap_or(Outcome::Helps), fix));
        }
        let repairs = |it: &(Outcome, Fix)| it.0 == Outcome::Repairs;
        let mut found = 0;
        // Where a directive is missing, nothing is too much.
        let missing = judged
            .iter()
            .any(|it| it.1.kind == FixKind::InsertDirective);
        if problem.severity == Severity::Error && !missing && !judged.iter().any(repairs) {
            for fix in candidates(&trials.tree(), problem) {
                let is_known = judged
                    .iter()
                    .any(|it| it.0 == Outcome::Repairs && it.1.title == fix.title);
                if found == MAX_FOUND {
                    break;
                }
                if !is_known && trials.outcome(problem, &fix.edits) == Some(Outcome::Repairs) {
                    judged.push((Outcome::Repairs, fix));
                    found += 1;
                }
            }
        }
        judged.retain(|it| it.0 != Outcome::Fails);
        judged.sort_by_key(|it| it.0);
        let preferred = judged.iter().position(|it| repairs(it) && it.1.preferred);
        // Another one is preferred only if the first turned out to be wrong, and if nothing else repairs it.
        let other = || match &judged[..] {
            [first, rest @ ..] if wanted && repairs(first) => {
                (found == 0 || !rest.iter().any(repairs)).then_some(0)
            }
            _ => None,
        };
        let preferred = preferred.or_else(other);
        Offer {
            fixes: judged.into_iter().map(|it| it.1).collect(),
            preferred,
        }
    }
}

/// Whether a fix may be applied without a look at it: it repairs a slip of the keyboard, or declares numbered registers.
/// A register with a name of its own may be misspelt.
fn is_safe(fix: &Fix) -> bool {
    match fix.kind {
        FixKind::InsertPunctuation | FixKind::Respell | FixKind::WidenRegisters => true,
        FixKind::DeclareRegister => fix.edits.iter().any(|it| it.insert.contains('<')),
        _ => false,
    }
}

/// Fixes that are applied together, and whether that was tried.
enum Judged {
    /// They make no new error; none is left otherwise.
    Known(Option<Together>),
    /// The text is too long to try them.
    Unknown(Together),
}

/// The preferred fixes that are wanted, but for those that would make a new error.
fn harmless(all: &[Diagnostic], wanted: impl Fn(&Fix) -> bool, trials: &Trials<'_>) -> Judged {
    let is_wanted = |it: &Diagnostic| it.fixes.iter().any(|it| it.preferred && wanted(it));
    let mut chosen: Vec<Diagnostic> = all.iter().filter(|it| is_wanted(it)).cloned().collect();
    for _ in 0..MAX_ROUNDS {
        let together = Together::of(&chosen, &wanted);
        if together.diagnostics.is_empty() {
            return Judged::Known(None);
        }
        let wrong: Vec<TextRange> = chosen.iter().map(|it| it.range).collect();
        let Some(after) = trials.after(&together.edits, &wrong) else {
            return Judged::Unknown(together);
        };
        if after.new.is_empty() {
            return Judged::Known(Some(together));
        }
        // The fix on the line of a new error, or else before it, has made it.
        let place = |it: &Diagnostic| after.place(it.range.end());
        let mut places: Vec<(TextSize, usize)> = chosen.iter().map(place).zip(0..).collect();
        places.sort_unstable();
        let mut is_guilty = vec![false; chosen.len()];
        let mut lines: Option<TextRange> = None;
        for error in &after.new {
            // Many errors may be on one long line.
            if lines.is_some_and(|it| it.contains_range(*error)) {
                continue;
            }
            let line = after.lines(*error);
            lines = Some(line);
            let first = places.partition_point(|it| it.0 < line.start());
            let end = places.partition_point(|it| it.0 <= line.end());
            let on_line = match first < end {
                true => first..end,
                false => first.saturating_sub(1)..first.max(1),
            };
            for (_, index) in &places[on_line] {
                is_guilty[*index] = true;
            }
        }
        let mut guilty = is_guilty.into_iter();
        chosen.retain(|_| guilty.next() != Some(true));
    }
    Judged::Known(None)
}

/// Actions, each once.
#[derive(Default)]
struct Actions<'a> {
    list: Vec<CodeAction>,
    /// Index of the action with a title and edits: a selection may have thousands.
    known: FxHashMap<(&'a str, &'a [Edit]), usize>,
}

impl<'a> Actions<'a> {
    /// Adds a fix, or only its diagnostic where another one is repaired in the same way.
    fn add(&mut self, file: FileId, diagnostic: &Diagnostic, fix: &'a Fix, preferred: bool) {
        let solved = (diagnostic.range, diagnostic.code);
        let next = self.list.len();
        let index = *self.known.entry((&fix.title, &fix.edits)).or_insert(next);
        if let Some(known) = self.list.get_mut(index) {
            known.preferred |= preferred;
            known.diagnostics.push(solved);
            return;
        }
        self.list.push(CodeAction {
            title: fix.title.clone(),
            kind: CodeActionKind::QuickFix,
            edits: change(file, fix.edits.clone()),
            diagnostics: vec![solved],
            preferred,
        });
    }
}

fn change(file: FileId, edits: Vec<Edit>) -> SourceChange {
    SourceChange {
        files: vec![FileEdits { file, edits }],
    }
}

/// The title of the action that applies all fixes of a kind.
fn title(kind: FixKind) -> &'static str {
    match kind {
        FixKind::Respell => "Replace all misspelt words in the file",
        FixKind::RespellName => "Replace all misspelt names in the file",
        FixKind::InsertModifier => "Insert all missing modifiers in the file",
        FixKind::RemoveModifier => "Remove all modifiers that are not allowed in the file",
        FixKind::ReplaceModifier => "Replace all modifiers that are not allowed in the file",
        FixKind::ChangeHeader => "Change `.version` and `.target` to what the whole file needs",
        FixKind::InsertStatement => "Insert all missing statements in the file",
        FixKind::InsertDirective => "Insert all missing directives in the file",
        FixKind::RemoveDirective => "Remove all directives that are not allowed in the file",
        FixKind::ChangeDirective => "Correct all directives in the file",
        FixKind::InsertPunctuation => "Insert all missing punctuation in the file",
        FixKind::DeclareRegister => "Declare all registers that are missing in the file",
        FixKind::RemoveSurplus => "Remove everything that is too much in the file",
        FixKind::CorrectOperand => "Correct all operands with one right form in the file",
        FixKind::ReorderModifiers => "Write all modifiers in the file in the order of the manual",
        FixKind::CorrectAssembly => "Correct all placeholders and constraints in the file",
        FixKind::Modernize => "Replace everything deprecated in the file",
        FixKind::WidenRegisters => "Declare all numbered registers that are missing in the file",
        FixKind::CorrectDeclaration => "Correct all declarations in the file",
        FixKind::CorrectInitializer => "Correct all initial values in the file",
        FixKind::DeclarePrototype => "Declare all prototypes that are missing in the file",
    }
}

/// Fixes that are applied at once.
#[derive(Default)]
struct Together {
    /// Sorted by offset, without overlaps.
    edits: Vec<Edit>,
    /// Those of the edits that only insert; many may appear at one place.
    inserted: FxHashSet<(TextSize, String)>,
    diagnostics: Vec<(TextRange, &'static str)>,
}

impl Together {
    /// The preferred fix of each diagnostic that has one of such a kind. Where two cannot both be
    /// applied, the second is left for the next time.
    fn of(diagnostics: &[Diagnostic], wanted: impl Fn(&Fix) -> bool) -> Together {
        let mut together = Together::default();
        for diagnostic in diagnostics {
            let fix = diagnostic
                .fixes
                .iter()
                .find(|it| it.preferred && wanted(it));
            if fix.is_some_and(|it| together.add(it)) {
                together
                    .diagnostics
                    .push((diagnostic.range, diagnostic.code));
            }
        }
        together
    }

    fn action(self, file: FileId, kind: CodeActionKind, title: &str) -> CodeAction {
        CodeAction {
            title: title.to_owned(),
            kind,
            edits: change(file, self.edits),
            diagnostics: self.diagnostics,
            preferred: false,
        }
    }

    /// Adds the edits of a fix, all or none; returns whether they are in.
    fn add(&mut self, fix: &Fix) -> bool {
        if fix.edits.iter().any(|it| self.step(it, fix.kind).is_none()) {
            return false;
        }
        for edit in &fix.edits {
            match self.step(edit, fix.kind) {
                Some(Step::Insert) => {
                    let place = (edit.range.start(), edit.range.end());
                    let index = self
                        .edits
                        .partition_point(|it| (it.range.start(), it.range.end()) <= place);
                    self.edits.insert(index, edit.clone());
                    if edit.range.is_empty() {
                        self.inserted
                            .insert((edit.range.start(), edit.insert.clone()));
                    }
                }
                Some(Step::Replace(index)) => self.edits[index].insert.clone_from(&edit.insert),
                Some(Step::Keep) | None => {}
            }
        }
        true
    }

    /// The effect of an edit on those that are there; `None` if it contradicts one of them.
    fn step(&self, edit: &Edit, kind: FixKind) -> Option<Step> {
        let (start, end) = (edit.range.start(), edit.range.end());
        if start == end && self.inserted.contains(&(start, edit.insert.clone())) {
            return Some(Step::Keep);
        }
        // Ranges that only touch do not overlap.
        let index = self.edits.partition_point(|it| it.range.end() <= start);
        if let Some(it) = self.edits.get(index)
            && it.range.start() < end
        {
            return if it == edit {
                Some(Step::Keep)
            } else if it.range != edit.range {
                None
            } else if suffices(kind, &it.insert, &edit.insert) {
                Some(Step::Keep)
            } else {
                suffices(kind, &edit.insert, &it.insert).then_some(Step::Replace(index))
            };
        }
        Some(Step::Insert)
    }
}

/// The relation of an edit to others.
enum Step {
    /// The others do what it does.
    Keep,
    /// It is a new one.
    Insert,
    /// It takes the place of the one with this index.
    Replace(usize),
}

/// Whether what one fix writes is enough for another that wants to write something else there.
fn suffices(kind: FixKind, written: &str, wanted: &str) -> bool {
    match kind {
        FixKind::WidenRegisters => written.parse::<u32>().ok() >= wanted.parse::<u32>().ok(),
        FixKind::ChangeHeader => match (Target::parse(written), Target::parse(wanted)) {
            (Some(written), Some(wanted)) => Gate {
                targets: vec![wanted],
                ..Gate::default()
            }
            .admits_target(written),
            _ => Version::parse(written) >= Version::parse(wanted),
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests;
