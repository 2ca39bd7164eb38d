//! Fixes that are tried: what would be wrong with a text if they were applied.
//!
//! A long file is tried without what a fix inside one function cannot make wrong: the instructions far from it, and the
//! bodies of the other functions. All declarations, labels and braces stay.

use std::{borrow::Cow, cell::Cell, sync::Arc};

use rustc_hash::FxHashMap;
use salsa::Setter;
use syntax::{Cursor, SyntaxKind, TextRange, TextSize, text::Edit};

use crate::{
    Diagnostic, FileContents, FileId, Severity,
    db::{Database, SourceFile, Workspace},
    diagnostics::{Fixes, diagnostics},
    hir::tree::{node_at, trimmed},
};

/// How much text is judged for one question, in bytes: some ten milliseconds. Fixes that are not tried are not
/// preferred.
const BUDGET: usize = if cfg!(test) { 16 << 10 } else { 256 << 10 };
/// Statements before and after a change that are judged with it in a long file.
const NEAR: usize = 8;

/// The errors of a text, and how often each is there.
type Known = FxHashMap<(&'static str, String), usize>;

/// A file, and what is wrong with it before anything is repaired.
pub(super) struct Trials<'a> {
    db: &'a dyn salsa::Database,
    file: SourceFile,
    text: String,
    /// The errors of the whole text; none if it is too long to be judged.
    before: Option<Known>,
    /// How much text may still be judged.
    left: Cell<usize>,
}

/// The errors of a text after a repair.
pub(super) struct After {
    /// The errors that were not there before; ranges are those of the new text.
    pub(super) new: Vec<TextRange>,
    /// The errors.
    errors: Vec<TextRange>,
    text: String,
    left_out: LeftOut,
    /// The edits as those of the text without what is left out.
    edits: Vec<Edit>,
}

impl<'a> Trials<'a> {
    /// Prepares trials.
    pub(super) fn new(db: &'a dyn salsa::Database, file: SourceFile) -> Trials<'a> {
        let tree = &file.contents(db).tree;
        let short = usize::from(tree.text_len()) <= BUDGET;
        let before = || errors(&diagnostics(db, file, usize::MAX, Fixes::LeftOut));
        Trials {
            db,
            file,
            text: tree.syntax().to_string(),
            before: short.then(before),
            left: Cell::new(BUDGET),
        }
    }

    /// The errors after some edits, which are sorted and do not overlap, to repair what is wrong at some ranges; none if
    /// too much has been tried already, or would have to be.
    pub(super) fn after(&self, edits: &[Edit], wrong: &[TextRange]) -> Option<After> {
        let left_out = match self.before {
            Some(_) => LeftOut::default(),
            None => self.left_out(edits, wrong)?,
        };
        let shorter = left_out.of(&self.text);
        let mut edits = edits.to_vec();
        for edit in &mut edits {
            edit.range = TextRange::new(
                left_out.place(edit.range.start()),
                left_out.place(edit.range.end()),
            );
        }
        let text = applied(&shorter, &edits)?;
        self.spend(text.len())?;
        let mut known = match &self.before {
            Some(known) => known.clone(),
            None => {
                self.spend(shorter.len())?;
                errors(&judge(self.db, &shorter))
            }
        };
        let mut after = After {
            new: Vec::new(),
            errors: Vec::new(),
            left_out,
            edits,
            text,
        };
        for it in judge(self.db, &after.text) {
            if it.severity != Severity::Error {
                continue;
            }
            after.errors.push(it.range);
            match known.get_mut(&(it.code, it.message)) {
                Some(left) if *left > 0 => *left -= 1,
                _ => after.new.push(it.range),
            }
        }
        Some(after)
    }

    fn spend(&self, bytes: usize) -> Option<()> {
        self.left.set(self.left.get().checked_sub(bytes)?);
        Some(())
    }

    /// Whether nothing is wrong any more in the instruction of a range, or on its lines where there is none, and nothing
    /// new anywhere, after some edits.
    pub(super) fn repairs(&self, range: TextRange, edits: &[Edit]) -> bool {
        let tree = &self.file.contents(self.db).tree;
        let instruction = node_at(&tree.cursor(), SyntaxKind::INSTRUCTION, range.start())
            .map(|it| trimmed(&it))
            .filter(|it| it.contains_range(range));
        self.after(edits, &[range]).is_some_and(|after| {
            let placed =
                |it: TextRange| TextRange::new(after.place(it.start()), after.place(it.end()));
            let around = match instruction {
                Some(it) => placed(it),
                None => after.lines(placed(range)),
            };
            after.new.is_empty() && !after.errors.iter().any(|it| it.intersect(around).is_some())
        })
    }

    /// The parts of the text that some edits cannot make wrong; none if they may make anything wrong.
    fn left_out(&self, edits: &[Edit], wrong: &[TextRange]) -> Option<LeftOut> {
        let places: Vec<TextRange> = edits
            .iter()
            .map(|it| it.range)
            .chain(wrong.to_vec())
            .collect();
        let touches = |range: TextRange| {
            let at = |it: &TextRange| it.start() <= range.end() && range.start() <= it.end();
            places.iter().any(at)
        };
        let mut ranges = Vec::new();
        let mut functions = Vec::new();
        for item in self.file.contents(self.db).tree.cursor().nodes() {
            let Some(block) = item.node(SyntaxKind::BLOCK) else {
                continue;
            };
            let inside = |kind| block.token(kind).map(|it| it.range());
            let (Some(open), Some(close)) =
                (inside(SyntaxKind::L_BRACE), inside(SyntaxKind::R_BRACE))
            else {
                continue;
            };
            let body = TextRange::new(open.end(), close.start());
            functions.push(body);
            if !touches(item.range()) {
                ranges.push(body);
                continue;
            }
            self.db.unwind_if_revision_cancelled();
            let mut statements = Vec::new();
            flatten(&block, &mut statements);
            let mut near = 0;
            let last = statements.len();
            // How far the statements near a change reach.
            let mut keep = vec![false; last];
            for (index, (range, _)) in statements.iter().enumerate() {
                if touches(*range) {
                    near = near.max(index.saturating_sub(NEAR));
                    let end = (index + NEAR + 1).min(last);
                    keep[near..end].fill(true);
                    near = end;
                }
            }
            for ((range, kind), keep) in statements.into_iter().zip(keep) {
                let far = matches!(kind, SyntaxKind::INSTRUCTION | SyntaxKind::LOC_DIRECTIVE);
                // What is declared otherwise may be meant by all instructions.
                let declares = |it: &Edit| {
                    it.range.intersect(range).is_some_and(|it| !it.is_empty())
                        && !widens(&self.text, it)
                };
                if !far && edits.iter().any(declares) {
                    return None;
                }
                if far && !keep {
                    ranges.push(range);
                }
            }
        }
        let in_body = |it: &Edit| functions.iter().any(|body| body.contains_range(it.range));
        edits.iter().all(in_body).then(|| LeftOut::new(ranges))
    }
}

/// Whether an edit makes a number larger, as that of registers.
fn widens(text: &str, edit: &Edit) -> bool {
    let old = text.get(std::ops::Range::<usize>::from(edit.range));
    let old: Option<u64> = old.and_then(|it| it.parse().ok());
    old.zip(edit.insert.parse().ok())
        .is_some_and(|(old, new)| old <= new)
}

/// The statements of a block, and of the blocks inside, each with its kind.
fn flatten(block: &Cursor<'_>, statements: &mut Vec<(TextRange, SyntaxKind)>) {
    for run in block.nodes() {
        if run.kind() != SyntaxKind::STATEMENT_RUN {
            statements.push((run.range(), run.kind()));
            continue;
        }
        for statement in run.nodes() {
            match statement.kind() {
                SyntaxKind::BLOCK => flatten(&statement, statements),
                kind => statements.push((statement.range(), kind)),
            }
        }
    }
}

/// Parts of a text that are left out.
#[derive(Default)]
struct LeftOut {
    /// In the order of the text, without overlaps, each with the bytes that are left out before its end.
    ranges: Vec<(TextRange, TextSize)>,
}

impl LeftOut {
    fn new(ranges: Vec<TextRange>) -> LeftOut {
        let mut sum = TextSize::default();
        let with_sum = ranges.into_iter().map(|it| {
            sum += it.len();
            (it, sum)
        });
        LeftOut {
            ranges: with_sum.collect(),
        }
    }

    /// The rest of a text.
    fn of<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.ranges.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut rest = String::new();
        let mut last = 0;
        for (range, _) in &self.ranges {
            rest.push_str(&text[last..usize::from(range.start())]);
            last = usize::from(range.end());
        }
        rest.push_str(&text[last..]);
        Cow::Owned(rest)
    }

    /// Where an offset is in the rest.
    fn place(&self, offset: TextSize) -> TextSize {
        let before = self.ranges.partition_point(|it| it.0.end() <= offset);
        let sum = before
            .checked_sub(1)
            .map_or(TextSize::default(), |it| self.ranges[it].1);
        let inside = self.ranges.get(before).map(|it| it.0.start());
        inside.map_or(offset, |it| offset.min(it)) - sum
    }
}

impl After {
    /// Where an offset of the file is in the new text.
    pub(super) fn place(&self, offset: TextSize) -> TextSize {
        moved(self.left_out.place(offset), &self.edits)
    }

    /// The whole lines of a range.
    pub(super) fn lines(&self, range: TextRange) -> TextRange {
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        let start = self.text[..start].rfind('\n').map_or(0, |it| it + 1);
        let rest = &self.text[end..];
        let end = end + rest.find('\n').unwrap_or(rest.len());
        TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32))
    }
}

/// The errors among diagnostics.
fn errors(diagnostics: &[Diagnostic]) -> Known {
    let mut known = Known::default();
    for it in diagnostics {
        if it.severity == Severity::Error {
            *known.entry((it.code, it.message.clone())).or_default() += 1;
        }
    }
    known
}

/// The text after some edits.
fn applied(text: &str, edits: &[Edit]) -> Option<String> {
    let mut out = String::with_capacity(text.len() + 64);
    let mut last = 0;
    for edit in edits {
        let (start, end) = (
            usize::from(edit.range.start()),
            usize::from(edit.range.end()),
        );
        out.push_str(text.get(last..start)?);
        out.push_str(&edit.insert);
        last = end;
    }
    out.push_str(text.get(last..)?);
    Some(out)
}

/// Where an offset is after some edits; a place in a replaced text goes to its end.
fn moved(offset: TextSize, edits: &[Edit]) -> TextSize {
    let mut shift = 0i64;
    for edit in edits {
        if edit.range.start() > offset || edit.range.start() == offset && edit.range.is_empty() {
            break;
        }
        let (old, new) = (
            i64::from(u32::from(edit.range.len())),
            edit.insert.len() as i64,
        );
        if edit.range.end() > offset {
            let at = i64::from(u32::from(edit.range.start())) + shift + new;
            return TextSize::new(at as u32);
        }
        shift += new - old;
    }
    TextSize::new((i64::from(u32::from(offset)) + shift) as u32)
}

/// The diagnostics of a text in a database of its own, with the settings of another.
fn judge(settings: &dyn salsa::Database, text: &str) -> Vec<Diagnostic> {
    let config = Workspace::get(settings).config(settings).clone();
    let mut db = Database::new(None);
    let file = SourceFile::new(&db, FileId(0), Arc::new(FileContents::new(text)));
    let workspace = Workspace::get(&db);
    workspace.set_files(&mut db).to(vec![file]);
    workspace.set_config(&mut db).to(config);
    diagnostics(&db, file, usize::MAX, Fixes::LeftOut)
}
