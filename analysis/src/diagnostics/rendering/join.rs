//! The diagnostics of a file, put together from the findings of its functions and other items.
//!
//! This happens at each keystroke, for files with tens of thousands of findings. So what can be kept for a
//! function is kept (severities by the settings, order), functions of which nothing is wanted are passed
//! over, and texts are put together only for what is answered.

use std::{borrow::Cow, cell::OnceCell};

use salsa::Database;
use syntax::{
    TextRange, TextSize,
    text::{Edit, escape_controls},
};

use crate::{
    Diagnostic, DiagnosticTag, FileRange, Fix, RelatedInformation, Severity,
    db::{SourceFile, Workspace},
    diagnostics::{
        finding::{LINE, MORE},
        findings::{function_findings, module_findings},
        fix::{HeaderPlaces, Repair},
        place::{ItemIndex, Place},
        registry::SYNTAX_ERROR,
        rendering::{
            levels::{self, HasLevel},
            syntax_errors::{syntax_diagnostics, without_items},
        },
        stored::StoredFinding,
    },
    hir::{
        body::body,
        items::{Function, ItemOffsets, Items, item_offsets, items},
        module::{DeclarationSource, ModuleBody, module_body},
    },
};

/// A diagnostic before its texts are put together, which costs more than all else about it.
#[derive(Clone)]
pub(in crate::diagnostics) struct Pending<'db> {
    pub(in crate::diagnostics) range: TextRange,
    pub(in crate::diagnostics) severity: Severity,
    pub(in crate::diagnostics) code: &'static str,
    pub(in crate::diagnostics) tags: &'static [DiagnosticTag],
    source: PendingPart<'db>,
    /// The places of the other findings of the file for which it speaks.
    others: Vec<TextRange>,
}

/// The parts of a [`Pending`].
#[derive(Clone, Copy)]
enum PendingPart<'db> {
    /// Index of a syntax error.
    Syntax(usize),
    /// A finding whose item starts there.
    Finding(&'db StoredFinding, TextSize),
}

/// Places of gathered findings that a diagnostic lists.
const MAX_OTHERS: usize = 16;

/// How many severities there are.
const SEVERITIES: usize = Severity::Hint as usize + 1;

/// The findings of a function that the settings want.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    /// Indices of the findings, in the order of the text, with their severities.
    findings: Vec<(u32, Severity)>,
    /// How many there are of each severity.
    counts: [usize; SEVERITIES],
    /// Whether one is gathered.
    gathers: bool,
}

/// The settings that apply to the findings of a function; comments in the file are not looked at.
#[salsa::tracked(returns(ref))]
fn wanted<'db>(db: &'db dyn Database, function: Function<'db>) -> Wanted {
    let all = function_findings(db, function);
    let settings = &Workspace::get(db).config(db).severity;
    let mut findings: Vec<_> = (0u32..)
        .zip(all)
        .filter_map(|(index, it)| {
            let severity = levels::severity(it.code, it.severity, settings.get(it.code).copied());
            Some((index, severity?))
        })
        .collect();
    findings.sort_by_key(|it| order(all[it.0 as usize].range));
    let mut counts = [0; SEVERITIES];
    for (_, severity) in &findings {
        counts[*severity as usize] += 1;
    }
    let gathers = findings.iter().any(|it| all[it.0 as usize].is_gathered());
    Wanted {
        findings,
        counts,
        gathers,
    }
}

fn order(range: TextRange) -> (TextSize, TextSize) {
    (range.start(), range.end())
}

/// Selects whether diagnostics have fixes, which are half of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fixes {
    Found,
    LeftOut,
    /// Only diagnostics with fixes, and the errors at a range; the others are left out.
    Required(TextRange),
}

/// The diagnostics of a file, sorted by range; of more than `limit` only the worst, and of equally bad ones
/// the first in the text.
pub(crate) fn diagnostics(
    db: &dyn Database,
    file: SourceFile,
    limit: usize,
    fixes: Fixes,
) -> Vec<Diagnostic> {
    if file.contents(db).is_binary() {
        return vec![no_text()];
    }
    let join = Join::new(db, file, fixes);
    // Comments are rare, and their lines may reach over the ends of functions.
    let worst = match levels::has_controls(db, file) {
        true => join.worst_by_comments(limit),
        false => join.worst(limit),
    };
    worst
        .into_iter()
        .filter(|it| match fixes {
            Fixes::Required(at) => {
                join.has_fixes(it) || it.severity == Severity::Error && touches(it.range, at)
            }
            Fixes::Found | Fixes::LeftOut => true,
        })
        .map(|it| join.finish(it))
        .collect()
}

/// Whether a cursor or selection is at a problem; their ends belong to both.
pub(crate) fn touches(problem: TextRange, at: TextRange) -> bool {
    problem.start() <= at.end() && at.start() <= problem.end()
}

impl<'db> Pending<'db> {
    pub(in crate::diagnostics) fn of(finding: &'db StoredFinding, start: TextSize) -> Pending<'db> {
        Pending {
            range: finding.range + start,
            severity: finding.severity,
            code: finding.code,
            tags: &[],
            source: PendingPart::Finding(finding, start),
            others: Vec::new(),
        }
    }

    fn is_gathered(&self) -> bool {
        matches!(self.source, PendingPart::Finding(it, _) if it.is_gathered())
    }
}

impl HasLevel for Pending<'_> {
    fn place(&self) -> (TextRange, &'static str) {
        (self.range, self.code)
    }

    fn severity(&mut self) -> &mut Severity {
        &mut self.severity
    }

    fn tag(&mut self, tags: &'static [DiagnosticTag]) {
        self.tags = tags;
    }
}

/// The context for turning findings into diagnostics.
pub(in crate::diagnostics) struct Join<'db> {
    db: &'db dyn Database,
    file: SourceFile,
    fixes: Fixes,
    syntax: Vec<Diagnostic>,
    items: &'db Items<'db>,
    offsets: &'db ItemOffsets,
    module: &'db ModuleBody,
    header: OnceCell<HeaderPlaces>,
}

impl<'db> Join<'db> {
    pub(in crate::diagnostics) fn new(
        db: &'db dyn Database,
        file: SourceFile,
        fixes: Fixes,
    ) -> Join<'db> {
        let mut syntax = syntax_diagnostics(db, file);
        syntax.extend(without_items(db, file));
        Join {
            db,
            file,
            fixes,
            syntax,
            items: items(db, file),
            offsets: item_offsets(db, file),
            module: module_body(db, items(db, file).module),
            header: OnceCell::new(),
        }
    }

    /// Everything that is not about one function: errors of the syntax, and findings about other items.
    fn around_functions(&self) -> Vec<Pending<'db>> {
        let of_syntax = self.syntax.iter().enumerate().map(|(index, it)| Pending {
            range: it.range,
            severity: it.severity,
            code: it.code,
            tags: &[],
            source: PendingPart::Syntax(index),
            others: Vec::new(),
        });
        let of_items = module_findings(self.db, self.file)
            .iter()
            .map(|(index, it)| {
                let start = match index {
                    ItemIndex::Function(index) => self.offsets.functions[*index as usize],
                    ItemIndex::Other(index) => self.offsets.module[*index as usize],
                };
                Pending::of(it, start)
            });
        of_syntax.chain(of_items).collect()
    }

    /// The worst that the settings want, in a file without comments that set levels.
    fn worst(&self, limit: usize) -> Vec<Pending<'db>> {
        // One function after the other: what the first look at it brings into the cache of the processor serves all
        // rules. The rules for what is around them read bodies of all.
        let functions: Vec<_> = self
            .items
            .functions
            .iter()
            .zip(&self.offsets.functions)
            .map(|(function, start)| {
                let findings = function_findings(self.db, *function);
                (wanted(self.db, *function), findings, *start)
            })
            .collect();
        // The findings that gather others are found by all of them.
        if functions.iter().any(|it| it.0.gathers) {
            return self.worst_by_comments(limit);
        }
        let mut around = self.around_functions();
        around.sort_by_key(|it| order(it.range));
        levels::apply_settings(self.db, &mut around);

        // How many of each severity there still is room for.
        let mut room = [0; SEVERITIES];
        for pending in &around {
            room[pending.severity as usize] += 1;
        }
        for (wanted, ..) in &functions {
            for (room, count) in room.iter_mut().zip(&wanted.counts) {
                *room += count;
            }
        }
        let mut left = limit;
        for room in &mut room {
            *room = left.min(*room);
            left -= *room;
        }

        let mut worst = Vec::with_capacity(room.iter().sum());
        let mut group: Vec<Pending<'db>> = Vec::new();
        let mut around = around.into_iter().peekable();
        for (index, (wanted, findings, start)) in functions.iter().enumerate() {
            let next = functions.get(index + 1).map(|it| it.2);
            while let Some(it) =
                around.next_if(|it| next.is_none_or(|next| it.range.start() < next))
            {
                group.push(it);
            }
            let has_others = !group.is_empty();
            if (wanted.counts.iter().zip(&room)).any(|(count, room)| *count > 0 && *room > 0) {
                let roomy = wanted.findings.iter().filter(|it| room[it.1 as usize] > 0);
                group.extend(roomy.map(|(index, severity)| {
                    let mut pending = Pending::of(&findings[*index as usize], *start);
                    pending.severity = *severity;
                    pending.tags = levels::tags(pending.code);
                    pending
                }));
            }
            if has_others {
                group.sort_by_key(|it| order(it.range));
            }
            take(&mut group, &mut room, &mut worst);
        }
        // There may be no function.
        group.extend(around);
        take(&mut group, &mut room, &mut worst);
        worst
    }

    /// The worst, in any file.
    fn worst_by_comments(&self, limit: usize) -> Vec<Pending<'db>> {
        let mut all = Vec::new();
        for (function, start) in self.items.functions.iter().zip(&self.offsets.functions) {
            let findings = function_findings(self.db, *function).iter();
            all.extend(findings.map(|it| Pending::of(it, *start)));
        }
        all.splice(0..0, self.around_functions());
        all.sort_by_key(|it| order(it.range));
        levels::apply(self.db, self.file, &mut all);
        gather(&mut all);
        if limit < all.len() {
            let mut worst: Vec<_> = (0..all.len()).collect();
            worst.sort_by_key(|it| all[*it].severity);
            worst.truncate(limit);
            worst.sort_unstable();
            all = worst.into_iter().map(|it| all[it].clone()).collect();
        }
        all
    }

    fn has_fixes(&self, pending: &Pending<'_>) -> bool {
        match pending.source {
            PendingPart::Syntax(index) => !self.syntax[index].fixes.is_empty(),
            PendingPart::Finding(finding, _) => !finding.fixes().is_empty(),
        }
    }

    pub(in crate::diagnostics) fn finish(&self, pending: Pending<'_>) -> Diagnostic {
        let diagnostic = match pending.source {
            PendingPart::Syntax(index) => self.syntax[index].clone(),
            PendingPart::Finding(finding, start) => self.diagnostic(finding, start),
        };
        let mut diagnostic = Diagnostic {
            severity: pending.severity,
            tags: pending.tags.to_vec(),
            ..diagnostic
        };
        if let Some(message) = diagnostic.message.strip_suffix(MORE) {
            diagnostic.message = match pending.others.len() {
                0 => message.to_owned(),
                count => format!("{message} (and {count} more in this file)"),
            };
        }
        for other in pending.others.iter().take(MAX_OTHERS) {
            diagnostic.related.push(RelatedInformation {
                location: FileRange {
                    file: self.file.id(self.db),
                    range: *other,
                },
                message: "also here".to_owned(),
            });
        }
        plain(diagnostic)
    }

    /// The diagnostic of a finding whose item starts at `start`.
    fn diagnostic(&self, finding: &StoredFinding, start: TextSize) -> Diagnostic {
        let related: Vec<_> = finding
            .related()
            .iter()
            .map(|(place, message)| RelatedInformation {
                location: FileRange {
                    file: self.file.id(self.db),
                    range: self.range(*place, start),
                },
                message: (*message).to_owned(),
            })
            .collect();
        let line = |text: &str| match related.first() {
            Some(first) if text.contains(LINE) => {
                let lines = self.file.contents(self.db).lines.clone();
                let line = lines.line_of(first.location.range.start()) + 1;
                text.replace(LINE, &line.to_string())
            }
            _ => text.to_owned(),
        };
        Diagnostic {
            range: finding.range + start,
            severity: finding.severity,
            code: finding.code,
            message: line(&finding.message),
            help: finding.help().map(line),
            related,
            tags: Vec::new(),
            fixes: finding
                .fixes()
                .iter()
                .filter(|_| self.fixes != Fixes::LeftOut)
                .filter_map(|it| self.fix(it, start))
                .collect(),
        }
    }

    /// The fix of a finding whose item starts at `start`.
    fn fix(&self, repair: &Repair, start: TextSize) -> Option<Fix> {
        let mut edits = Vec::with_capacity(repair.edits.len());
        for (place, text) in &repair.edits {
            let range = match place {
                Place::Version => self.header().version?,
                Place::Target => self.header().target?,
                _ => self.range(*place, start),
            };
            edits.push(Edit::new(range, text.as_str()));
        }
        edits.sort_by_key(|it| it.range.start());
        Some(Fix {
            title: repair.title.clone(),
            edits,
            preferred: repair.preferred,
            kind: repair.kind,
        })
    }

    fn header(&self) -> &HeaderPlaces {
        self.header.get_or_init(|| {
            HeaderPlaces::find(self.items.module.items(self.db), &self.offsets.module)
        })
    }

    fn range(&self, place: Place, start: TextSize) -> TextRange {
        match place {
            Place::Version => self.header().version.unwrap_or_default(),
            Place::Target => self.header().target.unwrap_or_default(),
            Place::Own(range) => range + start,
            Place::Item(item, range) => range + self.offsets.module[item as usize],
            Place::Declaration(DeclarationSource::Variable(index)) => {
                let variable = &self.module.variables[index as usize];
                variable.name_range + self.offsets.module[variable.item as usize]
            }
            Place::Declaration(DeclarationSource::Function(index)) => {
                let body = body(self.db, self.items.functions[index as usize]);
                body.name.unwrap_or_default() + self.offsets.functions[index as usize]
            }
            Place::Declaration(DeclarationSource::Prototype(index, definition)) => {
                let body = body(self.db, self.items.functions[index as usize]);
                body.definition(definition).name_range + self.offsets.functions[index as usize]
            }
        }
    }
}

/// The only diagnostic of a file that is not text.
fn no_text() -> Diagnostic {
    Diagnostic {
        range: TextRange::empty(0.into()),
        severity: Severity::Error,
        code: SYNTAX_ERROR.name,
        message: "this is not PTX text: binary".to_owned(),
        help: None,
        related: Vec::new(),
        tags: Vec::new(),
        fixes: Vec::new(),
    }
}

/// Escapes control and bidirectional characters in a diagnostic, which quotes text of the file.
fn plain(mut diagnostic: Diagnostic) -> Diagnostic {
    let plain = |text: &mut String| {
        if let Cow::Owned(escaped) = escape_controls(text) {
            *text = escaped;
        }
    };
    plain(&mut diagnostic.message);
    diagnostic.help.as_mut().map(plain);
    diagnostic
        .related
        .iter_mut()
        .for_each(|it| plain(&mut it.message));
    diagnostic
        .fixes
        .iter_mut()
        .for_each(|it| plain(&mut it.title));
    diagnostic
}

/// Leaves the first of the gathered findings of each code, which gets the places of the others.
fn gather(all: &mut Vec<Pending<'_>>) {
    let mut first: Vec<(&'static str, usize)> = Vec::new();
    let mut kept: Vec<Pending<'_>> = Vec::with_capacity(all.len());
    for pending in all.drain(..) {
        let known = first.iter().find(|it| it.0 == pending.code);
        match known {
            _ if !pending.is_gathered() => kept.push(pending),
            Some((_, index)) => kept[*index].others.push(pending.range),
            None => {
                first.push((pending.code, kept.len()));
                kept.push(pending);
            }
        }
    }
    *all = kept;
}

/// Moves from `group` to `worst` what there is room for.
fn take<'db>(
    group: &mut Vec<Pending<'db>>,
    room: &mut [usize; SEVERITIES],
    worst: &mut Vec<Pending<'db>>,
) {
    worst.extend(group.drain(..).filter(|it| {
        let room = &mut room[it.severity as usize];
        let fits = *room > 0;
        *room -= usize::from(fits);
        fits
    }));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{AnalysisHost, Change, FileContents, FileId, db::find_file};

    /// Two functions and items between them, with findings of every kind and syntax errors everywhere.
    const TEXT: &str = "\
.version 8.5
.target sm_90
.address_size 64
.global .u32 unused = %;
.func f() { .reg .b32 %r<4>; A: mov.b32 %r1, %q; B: ret; }
.global .b99 x
.entry k(.param .u64 p) { .reg .b32 %r<4>; div.s32 %r1, %r2, %r3; mov %r1 %r2; bra NOWHERE; }
.func f() { ret; } }
.entry k() { add.s32 %r1, %r2; }
";

    #[test]
    fn comments_make_no_difference_where_there_are_none() {
        for text in [TEXT, "", ".version", ".entry k() { A: }", "} { ; .reg"] {
            let mut host = AnalysisHost::new();
            host.apply_change(Change {
                files: vec![(FileId(0), Some(Arc::new(FileContents::new(text))))],
                config: None,
            });
            let compared = host.analysis().with(|db| {
                let file = find_file(db, FileId(0)).expect("it was added");
                let join = Join::new(db, file, Fixes::Found);
                let show = |found: Vec<Pending<'_>>| -> Vec<Diagnostic> {
                    found.into_iter().map(|it| join.finish(it)).collect()
                };
                let all = join.worst_by_comments(usize::MAX).len();
                for limit in (0..all + 2).chain([usize::MAX]) {
                    let (fast, slow) = (join.worst(limit), join.worst_by_comments(limit));
                    assert_eq!(show(fast), show(slow), "{limit} of {text}");
                }
                all
            });
            let all = compared.expect("no cancellation");
            assert!(text != TEXT || all > 12, "{all}");
        }
    }

    fn found(text: &str) -> Vec<Diagnostic> {
        let host = AnalysisHost::with_file(FileId(0), Arc::new(FileContents::new(text)), None);
        host.analysis()
            .diagnostics(FileId(0))
            .expect("no cancellation")
    }

    #[test]
    fn data_has_one_diagnostic() {
        let data = "\u{7f}ELF\0\0\u{1}\0 { %r1; \0\0\0";
        let messages: Vec<_> = found(data).into_iter().map(|it| it.message).collect();
        assert_eq!(messages, ["this is not PTX text: binary"]);
    }

    #[test]
    fn words_of_a_file_do_not_act_on_what_shows_them() {
        let found =
            found(".version 8.0\n.target sm_90\n.entry k() { \u{9b} add\u{202e}.s32 %r\u{7}; }");
        assert!(found.len() > 1);
        for it in found {
            let related = it.related.iter().map(|it| &it.message);
            let titles = it.fixes.iter().map(|it| &it.title);
            for text in related.chain(titles).chain(&it.help).chain([&it.message]) {
                assert!(!text.contains(syntax::text::is_control), "{text:?}");
            }
        }
    }
}
