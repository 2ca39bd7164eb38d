//! What a long function declares, kept from one change of its text to the next.
//!
//! To read some thousand labels takes milliseconds, most of them spent on waiting for memory, and a keystroke in an
//! instruction changes none of them. So what was read last is kept, together with the tree that it was read from.
//! The next tree has nearly all of its statements in common with that one, in memory; where it has not, and the
//! same is declared there as before, only places have moved.
//!
//! This is a memory outside of salsa, but what it answers depends on the tree alone.

mod change;

use std::sync::{Mutex, PoisonError};

use salsa::Database;
use syntax::{Cursor, Green, SyntaxError, SyntaxKind, TextRange, TextSize};

use self::change::{Change, Mark};
use super::{
    body::{Body, Instruction, Near, Reference, Target},
    items::Function,
    lower::{self, Known},
};

/// Most syntax errors with which something is kept.
const MAX_ERRORS: usize = 64;

/// The body of a long function, with the instructions that meet a part of it.
pub(super) fn read<'db>(
    db: &'db dyn Database,
    function: Function<'db>,
    part: TextRange,
) -> Near<'db> {
    let (green, errors) = (function.green(db), function.errors(db));
    let slot = slot(db, function);
    if let Some(mut outline) = slot.take() {
        if outline.adopt(green, errors) {
            slot.remember(&outline);
            let undo = outline.add_instructions(part, errors);
            return Near::Held(Held {
                slot,
                outline,
                undo,
            });
        }
        slot.put(outline);
    }
    let lowered = lower::lower(&green.cursor(), errors, Some(part), &|| {
        db.unwind_if_revision_cancelled();
    });
    // What may have been missed depends on errors, which are not compared so exactly.
    if lowered.uncertain || errors.len() > MAX_ERRORS {
        return Near::Part(Box::new(lowered.body));
    }
    let names = &lowered.body.definitions;
    let outline = Outline {
        green: Some(green.clone()),
        errors: errors.iter().map(Mark::of).collect(),
        hashes: names.iter().map(|it| lower::hash(&it.name)).collect(),
        quiet: !lowered.outward,
        body: lowered.body,
    };
    slot.remember(&outline);
    let undo = Undo::of_whole(&outline.body);
    Near::Held(Held {
        slot,
        outline: Box::new(outline),
        undo,
    })
}

/// Whether a function is known to hold neither a `.target` nor a prototype.
pub(super) fn is_known_quiet(db: &dyn Database, function: Function<'_>) -> bool {
    let green = function.green(db);
    let slot = slot(db, function);
    if let Some(mut outline) = slot.take() {
        if outline.adopt(green, function.errors(db)) {
            slot.remember(&outline);
        }
        slot.put(outline);
    }
    slot.with(|it| it.quiet.as_ref().is_some_and(|it| it.ptr_eq(green)))
}

/// Brings what is kept of a function up to date, or drops it if the function has become another.
pub(super) fn refresh(db: &dyn Database, function: Function<'_>) {
    let green = function.green(db);
    let slot = slot(db, function);
    if let Some(mut outline) = slot.take() {
        if outline.adopt(green, function.errors(db)) {
            slot.remember(&outline);
            slot.put(outline);
        } else if outline.is_like(green) {
            // While something is typed it may be no declaration for a moment.
            slot.put(outline);
        } else {
            slot.with(|it| it.quiet = None);
        }
    }
}

/// Where the outline of one function lies between two questions. It depends on nothing, so salsa keeps it as long
/// as the function.
#[salsa::tracked(returns(ref), no_eq)]
fn slot<'db>(_db: &'db dyn Database, _function: Function<'db>) -> Slot {
    Slot::default()
}

/// Empty while somebody uses what lies there; others then read for themselves.
#[derive(Debug, Default)]
struct Slot(Mutex<Shelf>);

#[derive(Debug, Default)]
struct Shelf {
    outline: Option<Box<Outline>>,
    /// A tree in which nothing concerns the module.
    quiet: Option<Green>,
}

impl Slot {
    fn with<T>(&self, act: impl FnOnce(&mut Shelf) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn take(&self) -> Option<Box<Outline>> {
        self.with(|it| it.outline.take())
    }

    fn put(&self, outline: Box<Outline>) {
        self.with(|it| it.outline = Some(outline));
    }

    /// Notes what others ask while the outline is in use.
    fn remember(&self, outline: &Outline) {
        let quiet = outline.green.as_ref().filter(|_| outline.quiet);
        self.with(|it| it.quiet = quiet.cloned());
    }
}

/// An outline in use, as a body with some instructions.
pub(crate) struct Held<'db> {
    slot: &'db Slot,
    outline: Box<Outline>,
    undo: Undo,
}

impl std::ops::Deref for Held<'_> {
    type Target = Body;

    fn deref(&self) -> &Body {
        &self.outline.body
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut outline = std::mem::take(&mut self.outline);
        std::mem::take(&mut self.undo).apply(&mut outline.body);
        self.slot.put(outline);
    }
}

/// How to take the instructions out of a body again.
#[derive(Default)]
struct Undo {
    /// References that were added or replaced: where they begin, how many they are, and what was there.
    at: usize,
    len: usize,
    replaced: Vec<Reference>,
    /// How many free names there were.
    free: usize,
}

impl Undo {
    /// Of a body that was read with instructions. What they have of free names stays.
    fn of_whole(body: &Body) -> Undo {
        let mut instructions = body.instructions.iter().peekable();
        let mut is_declared = |index: u32, it: &Reference| {
            while instructions
                .next_if(|it| it.references.end <= index)
                .is_some()
            {}
            let inside = instructions.peek();
            let inside = inside.is_some_and(|it| it.references.contains(&index));
            !inside && !matches!(it.target, Target::Section(_))
        };
        let references = (0u32..).zip(&body.references);
        Undo {
            at: 0,
            len: body.references.len(),
            replaced: references
                .filter(|(index, it)| is_declared(*index, it))
                .map(|(_, it)| it.clone())
                .collect(),
            free: body.free.len(),
        }
    }

    fn apply(self, body: &mut Body) {
        let range = self.at..self.at + self.len;
        body.references.splice(range, self.replaced);
        body.free.truncate(self.free);
        body.instructions = Vec::new();
    }
}

/// What a function declares.
#[derive(Debug, Default)]
struct Outline {
    /// The function that was read; none in an outline that nobody uses any more.
    green: Option<Green>,
    /// Its syntax errors.
    errors: Vec<Mark>,
    /// Without instructions and their references. No error has hidden a declaration.
    body: Body,
    /// Of the names of its definitions.
    hashes: Vec<u32>,
    /// Whether there is neither a `.target` nor a prototype.
    quiet: bool,
}

impl Outline {
    /// Makes this the outline of another tree, if that declares the same.
    fn adopt(&mut self, green: &Green, errors: &[SyntaxError]) -> bool {
        let Some(old) = &self.green else {
            return false;
        };
        if errors.len() > MAX_ERRORS {
            return false;
        }
        let marks: Vec<_> = errors.iter().map(Mark::of).collect();
        if old.ptr_eq(green) {
            return marks == self.errors;
        }
        let change = Change::between(&old.cursor(), &green.cursor());
        let Some(change) = change.filter(|it| it.hides_nothing(&self.errors, errors)) else {
            return false;
        };
        change.apply(&mut self.body);
        self.errors = marks;
        self.green = Some(green.clone());
        true
    }

    /// Whether most of another tree is the same in memory.
    fn is_like(&self, green: &Green) -> bool {
        let Some(old) = &self.green else {
            return false;
        };
        let (old, new) = (old.cursor(), green.cursor());
        let blocks = old.node(SyntaxKind::BLOCK).zip(new.node(SyntaxKind::BLOCK));
        let Some((old, new)) = blocks else {
            return false;
        };
        let (head, tail) = old.shared_children(&new);
        let count = |it: &Cursor<'_>| it.green().children().len();
        2 * (head + tail) >= count(&old).max(count(&new))
    }

    /// Adds the instructions that meet a part of the function.
    fn add_instructions(&mut self, part: TextRange, errors: &[SyntaxError]) -> Undo {
        let free = self.body.free.len();
        let mut undo = Undo {
            free,
            ..Undo::default()
        };
        // Nothing lies before the start of the text.
        let is_wanted = part.end() > TextSize::new(0);
        let Some(green) = self.green.as_ref().filter(|_| is_wanted) else {
            return undo;
        };
        let known = Known {
            body: &self.body,
            hashes: &self.hashes,
        };
        let found = lower::lower_instructions(&green.cursor(), errors, part, known);
        let body = &mut self.body;
        body.free.extend(found.free);
        body.instructions = found.instructions;
        let starts = body.instructions.first().map(|it| it.range.start());
        let named = found.references.first().map(|it| it.range.start());
        let ends = found.references.last().map(|it| it.range.end());
        let place = |at: Option<TextSize>| {
            let before = |it: &Reference| at.is_some_and(|at| it.range.start() < at);
            body.references.partition_point(before)
        };
        let from = place(starts.into_iter().chain(named).min());
        let range = from..place(ends).max(from);
        undo.at = from;
        undo.len = range.len() + found.references.len();
        undo.replaced = body.references[range.clone()].to_vec();
        let mut all = undo.replaced.clone();
        all.extend(found.references);
        all.sort_by_key(|it| it.range.start());
        body.references.splice(range, all);
        let shift = |it: &mut Instruction| {
            // What is declared lies in no instruction.
            let start = it.range.start();
            let between = undo.replaced.partition_point(|it| it.range.start() < start);
            let by = (undo.at + between) as u32;
            it.references = it.references.start + by..it.references.end + by;
        };
        body.instructions.iter_mut().for_each(shift);
        undo
    }
}

#[cfg(test)]
mod tests {
    use std::ops::AddAssign as _;

    use fastrand::Rng;
    use syntax::{Document, text::Edit};

    use super::*;
    use crate::{AnalysisHost, Change as HostChange, FileId, hir::items::items, host::find_file};

    const FILE: FileId = FileId(0);

    /// Everything that a body may declare, over and over.
    fn text() -> String {
        let mut text = String::from(
            ".entry k(.param .u64 p) {\n.reg .b32 %r<9>, x; .reg .pred q;\n.func (.param .u32 o) f(.param .u32 i);\n",
        );
        for number in 0..20 {
            text += &format!(
                "L{number}: add.u32 %r1, x, unknown{};\nsub.u32 %r2, %r1, x{number};\n@q bra M{number};\n\
                 {{ .reg .u32 x{number}; .reg .b32 %r<4>; mov.u32 x{number}, %tid.x; mul.u32 %r1, %r2, %r7;\n\
                 {{ add.u32 x, x{number}, f; N{number}: bra L{number}; }} .reg .u32 x; mov.u32 x, WARP_SZ; }}\n\
                 M{number}: mov.u32 x, L{number};\nT{number}: .branchtargets L0, M{number};\n\
                 call (x), %r1, (x), C{number};\nC{number}: .callprototype _ (.param .b32 a);\n\
                 .reg .u32 x{};\n.loc 1 2 3, function_name $name{number};\nmov.u32 x{}, %r8;\n",
                number % 3,
                number % 7,
                number % 5,
            );
        }
        text + "ret;\n}\n"
    }

    /// A body without what may differ: indices of free names, and whether a declared reference is uncertain.
    fn shown(body: &Body) -> (Body, Vec<Option<Box<str>>>) {
        let mut shown = body.clone();
        let mut free = Vec::new();
        for (index, reference) in (0u32..).zip(&mut shown.references) {
            let target = &mut reference.target;
            free.push(match target {
                Target::Free(name) | Target::Section(name) => {
                    Some(body.free[std::mem::take(name) as usize].clone())
                }
                _ => None,
            });
            let mut instructions = body.instructions.iter();
            if !instructions.any(|it| it.references.contains(&index)) {
                reference.uncertain = false;
            }
        }
        shown.free.clear();
        (shown, free)
    }

    /// What is kept must be what would be read anew, whatever is typed.
    #[test]
    fn what_is_kept_is_as_what_is_read() {
        const WORDS: &str = "%r1|%r99|x|x3|1|2|11|_|\\t| |L2|M5|f|, |;|:|NEW: |{|}|7|bra |call |@q |\n| // c\n|\
                             add.u32 x, x1, M3;|.reg .u32 y;|.branchtargets L1;|.callprototype _;|.target sm_80;|\
                             mov.u32 %r1, %r3;\n|.func g(.param .u32 i);|x: |)";
        let words: Vec<_> = WORDS.split('|').collect();
        let mut rng = Rng::with_seed(5);
        let (mut kept, mut read) = (0, 0);
        for _ in 0..if cfg!(debug_assertions) { 10 } else { 100 } {
            let mut document = Document::new(text());
            let mut host = AnalysisHost::new();
            let mut undo = None;
            for _ in 0..40 {
                host.apply_change(HostChange {
                    files: vec![(FILE, Some(document.contents()))],
                    config: None,
                });
                let answer = host.analysis().with(|db| {
                    let file = find_file(db, FILE).expect("it was added");
                    let Some(&function) = items(db, file).functions.first() else {
                        return;
                    };
                    let (green, errors) = (function.green(db), function.errors(db));
                    let is_known = slot(db, function).with(|it| {
                        let outline = it.outline.as_mut();
                        outline.is_some_and(|it| it.adopt(green, errors))
                    });
                    (if is_known { &mut kept } else { &mut read }).add_assign(1);
                    for length in [0, 1, 40, 900] {
                        let end = u32::from(green.text_len());
                        let part = TextRange::at(rng.u32(..end).into(), length.into());
                        let fresh = lower::lower(&green.cursor(), errors, Some(part), &|| {});
                        let text = document.text();
                        let found = super::read(db, function, part);
                        assert_eq!(shown(&found), shown(&fresh.body), "{part:?} of {text}");
                        drop(found);
                        if is_known_quiet(db, function) {
                            assert!(!fresh.outward, "{text}");
                        }
                    }
                    refresh(db, function);
                });
                answer.expect("nobody cancels");
                // Most of what is typed is wrong only for a moment.
                if let Some(edit) = undo.take_if(|_| rng.u8(..8) > 0) {
                    document.apply(&edit).expect("it fits");
                    continue;
                }
                let text = document.text();
                let mut start = rng.usize(30..text.len() - 4);
                if rng.bool() {
                    // Behind a statement.
                    start += text[start..].find('\n').unwrap_or_default();
                }
                let range = TextRange::at((start as u32).into(), rng.u32(..3).into());
                let insert = words[rng.usize(..words.len())];
                let old = &text[std::ops::Range::<usize>::from(range)];
                let back = TextRange::at(range.start(), TextSize::of(insert));
                undo = Some(Edit::new(back, old));
                document.apply(&Edit::new(range, insert)).expect("it fits");
            }
        }
        assert!(kept > 80 && read > 30, "{kept} {read}");
    }
}
