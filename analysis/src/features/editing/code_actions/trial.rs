//! Fixes that are tried: what would be wrong with a text if they were applied.
//!
//! A long file is tried without what a fix inside one function cannot make wrong: the instructions far from it, and the
//! bodies of the other functions. All declarations, labels and braces stay.

use std::{
    borrow::Cow,
    cell::{Cell, OnceCell, RefCell},
    rc::Rc,
    sync::Arc,
};

use rustc_hash::FxHashMap;
use salsa::Setter;
use syntax::{Cursor, SyntaxKind, SyntaxNode, TextRange, TextSize, WalkEvent, text::Edit};

use crate::{
    Diagnostic, FileContents, FileId, Severity,
    db::{Database, SourceFile, Workspace},
    diagnostics::{Fixes, diagnostics},
    hir::tree::{node_at, trimmed},
};

/// How much text is judged for one question, in bytes: some ten milliseconds. Fixes that are not tried are not
/// preferred.
const BUDGET: usize = if cfg!(test) { 16 << 10 } else { 256 << 10 };
/// Longest text that is always judged as a whole, in bytes.
const SMALL: usize = 16 << 10;
/// The text before the number of a line in messages.
const LINE: &str = "line ";
/// Statements before and after a change that are judged with it in a long file.
const NEAR: usize = 8;
/// Texts with more nodes inside each other are not judged: the questions about operands in operands ask each other, and
/// the stack has room for one of them at a time.
const MAX_DEPTH: usize = 64;

/// Code and message of an error. A line that it names may have another number after an edit.
type Key = (&'static str, String);
/// The errors of a text, and how often each is there.
type ErrorCounts = FxHashMap<Key, usize>;

/// A file, and what is wrong with it before anything is repaired.
pub(super) struct Trials<'a> {
    db: &'a dyn salsa::Database,
    file: SourceFile,
    /// The whole text, once it is needed: most questions are about places without a problem.
    text: OnceCell<String>,
    /// The errors of the whole text, once they are needed.
    before: OnceCell<Rc<ErrorCounts>>,
    /// The text without some of its parts that was judged last, and its errors.
    shorter: RefCell<Option<(LeftOut, Rc<ErrorCounts>)>>,
    /// How much text may still be judged.
    left: Cell<usize>,
}

/// The effect of a fix on the problem that it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// Nothing is wrong any more in the statement of the problem, and nothing new anywhere.
    Repairs,
    /// The problem is gone, another one of its statement is not, and nothing new is wrong anywhere.
    Helps,
    /// The problem is still there, or something new is wrong.
    Fails,
}

/// The errors of a text after a repair.
pub(super) struct After {
    /// The errors that were not there before; ranges are those of the new text.
    pub(super) new: Vec<TextRange>,
    /// The errors.
    errors: Vec<TextRange>,
    /// How often each error was there before.
    before: Rc<ErrorCounts>,
    /// How often each error is there now.
    known: ErrorCounts,
    text: String,
    left_out: LeftOut,
    /// The edits as those of the text without what is left out.
    edits: Vec<Edit>,
    /// How far each edit and those before it move the text after them.
    shifts: Vec<i64>,
}

impl<'a> Trials<'a> {
    /// Prepares trials.
    pub(super) fn new(db: &'a dyn salsa::Database, file: SourceFile) -> Trials<'a> {
        Trials {
            db,
            file,
            text: OnceCell::new(),
            before: OnceCell::new(),
            shorter: RefCell::new(None),
            left: Cell::new(BUDGET),
        }
    }

    fn text(&self) -> &str {
        self.text.get_or_init(|| self.tree().to_string())
    }

    /// The tree of the file.
    pub(super) fn tree(&self) -> SyntaxNode {
        self.file.contents(self.db).tree.syntax()
    }

    /// Allows as much text to be judged as at the start.
    pub(super) fn renew(&self) {
        self.left.set(BUDGET);
    }

    /// The parts of the text that are not judged; none if it is too long.
    fn judged(&self, edits: &[Edit], wrong: &[TextRange]) -> Option<LeftOut> {
        let whole = |limit| (self.text().len() <= limit).then(LeftOut::default);
        whole(SMALL)
            .or_else(|| self.left_out(edits, wrong))
            .or_else(|| whole(BUDGET))
    }

    /// The errors of the text without some of its parts.
    fn known(&self, left_out: &LeftOut, shorter: &str) -> Option<Rc<ErrorCounts>> {
        if left_out.ranges.is_empty() {
            let all = || diagnostics(self.db, self.file, usize::MAX, Fixes::LeftOut);
            return Some(self.before.get_or_init(|| Rc::new(errors(&all()))).clone());
        }
        let mut last = self.shorter.borrow_mut();
        if let Some((_, known)) = last.as_ref().filter(|it| it.0 == *left_out) {
            return Some(known.clone());
        }
        self.spend(shorter.len())?;
        let known = Rc::new(errors(&judge(self.db, shorter)?));
        *last = Some((left_out.clone(), known.clone()));
        Some(known)
    }

    /// The errors after some edits, which are sorted and do not overlap, to repair what is wrong at some ranges; none if
    /// too much has been tried already, or would have to be.
    pub(super) fn after(&self, edits: &[Edit], wrong: &[TextRange]) -> Option<After> {
        let left_out = self.judged(edits, wrong)?;
        let shorter = left_out.of(self.text());
        let mut edits = edits.to_vec();
        for edit in &mut edits {
            edit.range = TextRange::new(
                left_out.place(edit.range.start()),
                left_out.place(edit.range.end()),
            );
        }
        let text = applied(&shorter, &edits)?;
        self.spend(text.len())?;
        let before = self.known(&left_out, &shorter)?;
        let found = judge(self.db, &text)?;
        let mut shift = 0;
        let shifts = edits.iter().map(|it| {
            shift += it.insert.len() as i64 - i64::from(u32::from(it.range.len()));
            shift
        });
        let mut after = After {
            shifts: shifts.collect(),
            new: Vec::new(),
            errors: Vec::new(),
            before,
            known: errors(&found),
            left_out,
            edits,
            text,
        };
        let mut left = (*after.before).clone();
        for it in found.iter().filter(|it| it.severity == Severity::Error) {
            after.errors.push(it.range);
            match left.get_mut(&key(it)) {
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

    /// The effect of some edits on a problem; none if that is not known.
    pub(super) fn outcome(&self, problem: &Diagnostic, edits: &[Edit]) -> Option<Outcome> {
        let range = problem.range;
        let after = self.after(edits, &[range])?;
        let key = key(problem);
        let count = |known: &ErrorCounts| known.get(&key).copied().unwrap_or_default();
        let is_error = problem.severity == Severity::Error;
        let stays = is_error && count(&after.known) >= count(&after.before).max(1);
        if stays || !after.new.is_empty() {
            return Some(Outcome::Fails);
        }
        let tree = &self.file.contents(self.db).tree;
        let instruction = node_at(&tree.cursor(), SyntaxKind::INSTRUCTION, range.start())
            .map(|it| trimmed(&it))
            .filter(|it| it.contains_range(range));
        let placed = |it: TextRange| TextRange::new(after.place(it.start()), after.place(it.end()));
        let around = match instruction {
            Some(it) => placed(it),
            None => after.lines(placed(range)),
        };
        match after.errors.iter().any(|it| it.intersect(around).is_some()) {
            true => Some(Outcome::Helps),
            false => Some(Outcome::Repairs),
        }
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
                        && !widens(self.text(), it)
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

/// Whether nodes of a tree are too deep inside others.
fn is_deep(tree: &SyntaxNode) -> bool {
    let mut depth = 0;
    tree.preorder().any(|it| {
        match it {
            WalkEvent::Enter(_) => depth += 1,
            WalkEvent::Leave(_) => depth -= 1,
        }
        depth > MAX_DEPTH
    })
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
#[derive(Clone, Default, PartialEq, Eq)]
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
        let offset = self.left_out.place(offset);
        let mut count = self.edits.partition_point(|it| it.range.start() < offset);
        // What is inserted at a place comes after it, and a text that is replaced there before it.
        let replaces = |it: &&Edit| it.range.start() == offset && !it.range.is_empty();
        count += usize::from(self.edits.get(count).filter(replaces).is_some());
        let Some(last) = count.checked_sub(1) else {
            return offset;
        };
        // A place in a replaced text goes to its end.
        let from = offset.max(self.edits[last].range.end());
        TextSize::new((i64::from(u32::from(from)) + self.shifts[last]) as u32)
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

/// Code and message of a diagnostic, without the number of a line.
fn key(diagnostic: &Diagnostic) -> Key {
    let mut message = String::with_capacity(diagnostic.message.len());
    let mut rest = &*diagnostic.message;
    while let Some((before, after)) = rest.split_once(LINE) {
        message.push_str(before);
        message.push_str(LINE);
        rest = after.trim_start_matches(|it: char| it.is_ascii_digit());
    }
    message.push_str(rest);
    (diagnostic.code, message)
}

/// The errors among diagnostics.
fn errors(diagnostics: &[Diagnostic]) -> ErrorCounts {
    let mut known = ErrorCounts::default();
    for it in diagnostics {
        if it.severity == Severity::Error {
            *known.entry(key(it)).or_default() += 1;
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

/// The diagnostics of a text in a database of its own, with the settings of another; none if its nodes are too deep.
fn judge(settings: &dyn salsa::Database, text: &str) -> Option<Vec<Diagnostic>> {
    let contents = FileContents::new(text);
    if is_deep(&contents.tree.syntax()) {
        return None;
    }
    let config = Workspace::get(settings).config(settings).clone();
    let mut db = Database::new(None);
    let file = SourceFile::new(&db, FileId(0), Arc::new(contents));
    let workspace = Workspace::get(&db);
    workspace.set_files(&mut db).to(vec![file]);
    workspace.set_config(&mut db).to(config);
    Some(diagnostics(&db, file, usize::MAX, Fixes::LeftOut))
}
