//! Fixes that are tried: what would be wrong with a text if they were applied.

use std::{cell::Cell, sync::Arc};

use rustc_hash::FxHashMap;
use salsa::Setter;
use syntax::{TextRange, TextSize, text::Edit};

use crate::{
    Diagnostic, FileContents, FileId, Severity,
    db::{Database, SourceFile, Workspace},
    diagnostics::{Fixes, diagnostics},
};

/// How much text is judged for one question, in bytes: some ten milliseconds. Fixes that are not tried are not
/// preferred.
const BUDGET: usize = 256 << 10;

/// A file, and what is wrong with it before anything is repaired.
pub(super) struct Trials<'a> {
    db: &'a dyn salsa::Database,
    text: String,
    before: FxHashMap<(&'static str, String), usize>,
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
}

impl<'a> Trials<'a> {
    /// Prepares trials; none if the file is too long for them.
    pub(super) fn new(db: &'a dyn salsa::Database, file: SourceFile) -> Option<Trials<'a>> {
        let contents = file.contents(db);
        let tree = &contents.tree;
        if usize::from(tree.text_len()) > BUDGET {
            return None;
        }
        let mut known = FxHashMap::default();
        let before = diagnostics(db, file, usize::MAX, Fixes::LeftOut);
        for it in before
            .into_iter()
            .filter(|it| it.severity == Severity::Error)
        {
            *known.entry((it.code, it.message)).or_default() += 1;
        }
        Some(Trials {
            db,
            text: tree.syntax().to_string(),
            before: known,
            left: Cell::new(BUDGET),
        })
    }

    /// The errors after some edits, which are sorted and do not overlap; none if too much has been tried already.
    pub(super) fn after(&self, edits: &[Edit]) -> Option<After> {
        let text = applied(&self.text, edits)?;
        self.left.set(self.left.get().checked_sub(text.len())?);
        let found = judge(self.db, &text);
        let mut known = self.before.clone();
        let mut after = After {
            new: Vec::new(),
            errors: Vec::new(),
            text,
        };
        for it in found
            .into_iter()
            .filter(|it| it.severity == Severity::Error)
        {
            after.errors.push(it.range);
            match known.get_mut(&(it.code, it.message)) {
                Some(left) if *left > 0 => *left -= 1,
                _ => after.new.push(it.range),
            }
        }
        Some(after)
    }

    /// Whether nothing is wrong any more on the lines of a range, and nothing new anywhere, after some edits.
    pub(super) fn repairs(&self, range: TextRange, edits: &[Edit]) -> bool {
        self.after(edits).is_some_and(|after| {
            let range = TextRange::new(moved(range.start(), edits), moved(range.end(), edits));
            let lines = after.lines(range);
            after.new.is_empty() && !after.errors.iter().any(|it| it.intersect(lines).is_some())
        })
    }
}

impl After {
    /// The whole lines of a range.
    pub(super) fn lines(&self, range: TextRange) -> TextRange {
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        let start = self.text[..start].rfind('\n').map_or(0, |it| it + 1);
        let rest = &self.text[end..];
        let end = end + rest.find('\n').unwrap_or(rest.len());
        TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32))
    }
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
pub(super) fn moved(offset: TextSize, edits: &[Edit]) -> TextSize {
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
