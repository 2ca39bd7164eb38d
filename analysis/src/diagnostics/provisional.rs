//! Provisional diagnostics: those of statements that have just been changed.
//!
//! In a long function the rules about its flow, and the look at each of its statements, take up to a tenth of a
//! second. Here the rules about single statements are asked about the changed ones only. Everything else is as it
//! was found before, at its new place, until all is found anew.

use std::sync::Arc;

use salsa::Database;
use syntax::{Cursor, NodeOrToken, SyntaxKind, TextRange, TextSize};

use crate::{
    Diagnostic,
    db::SourceFile,
    diagnostics::{
        finding::Finding,
        findings::STATEMENTS,
        registry::{self, DiagnosticCode},
        rendering::{
            join::{Fixes, Join, Pending},
            levels,
        },
        stored::FindingInterner,
        subject::Subject,
    },
    hir::{
        body::{is_longer, partial_body},
        forms::forms_in,
        symbol::{ItemAt, item_at},
    },
};

/// Bytes of a function from which on this is worth it; in shorter ones all is found as fast.
const LONG: u32 = if cfg!(test) { 0 } else { 32 << 10 };
/// Most bytes between the first and the last change: more is not typed.
const WIDEST: u32 = 4 << 10;

/// The replacement of a part of a text, without what was inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The range that was removed, in UTF-8 offsets of the text before.
    pub range: TextRange,
    /// Bytes that are in its place afterwards.
    pub len: TextSize,
}

impl Replacement {
    /// Where a range is afterwards. What was removed from it is missing, what was inserted inside belongs to it, and
    /// what was inserted before or after it does not.
    fn moved(self, range: TextRange) -> TextRange {
        let behind = |it: TextSize| it - self.range.end() + self.range.start() + self.len;
        let start = match range.start() {
            it if it < self.range.start() => it,
            it if it >= self.range.end() => behind(it),
            _ => self.range.start(),
        };
        let end = match range.end() {
            it if it >= self.range.end() && it > self.range.start() => behind(it),
            it if it <= self.range.start() => it,
            _ => self.range.start() + self.len,
        };
        TextRange::new(start.min(end), end)
    }
}

/// All diagnostics that a file had, and what has changed in its text since.
#[derive(Clone, Debug)]
pub struct Earlier {
    /// Sorted by range.
    pub diagnostics: Arc<[Diagnostic]>,
    /// One after another, each in offsets of the text that the one before it left.
    pub edits: Vec<Replacement>,
}

impl Earlier {
    /// The smallest range with all changes.
    fn changed(&self) -> Option<TextRange> {
        let mut changed: Option<TextRange> = None;
        for edit in &self.edits {
            let new = TextRange::at(edit.range.start(), edit.len);
            changed = Some(changed.map_or(new, |it| edit.moved(it).cover(new)));
        }
        changed
    }

    /// A diagnostic in the text of now, unless its text is gone.
    fn moved(&self, diagnostic: &Diagnostic) -> Option<Diagnostic> {
        let place = |range: TextRange| self.edits.iter().fold(range, |it, edit| edit.moved(it));
        let mut moved = diagnostic.clone();
        moved.range = place(diagnostic.range);
        for related in &mut moved.related {
            related.location.range = place(related.location.range);
        }
        moved.fixes.clear();
        (!moved.range.is_empty() || diagnostic.range.is_empty()).then_some(moved)
    }
}

/// The diagnostics of a file after some instructions of one function were edited, sorted by range and without
/// fixes: fresh ones of these instructions and fresh syntax errors, and the others from before. `None` where that is
/// not enough, as when a declaration has changed, or where all can be found as fast.
///
/// `earlier` is of a file without comments that set levels; see [`levels::has_controls`].
pub(crate) fn after_edits(
    db: &dyn Database,
    file: SourceFile,
    earlier: &Earlier,
) -> Option<Vec<Diagnostic>> {
    let changed = earlier.changed()?;
    let ItemAt::Function(function, start) = item_at(db, file, changed.start())? else {
        return None;
    };
    if u32::from(changed.len()) > WIDEST || !is_longer(db, function, LONG) {
        return None;
    }
    let cursor = function.green(db).cursor();
    let changed = TextRange::new(
        changed.start().checked_sub(start)?,
        changed.end().checked_sub(start)?,
    );
    // A change at the end of a statement concerns it, too.
    let changed = TextRange::new(
        changed.start().checked_sub(1.into())?,
        changed.end() + TextSize::new(1),
    );
    let judged = instructions(&cursor, changed)?;
    let body = partial_body(db, function, judged);
    let forms = forms_in(db, function, &body, Some(judged));
    let subject = Subject::part(db, function, &body, &forms, judged);
    let mut findings: Vec<Finding> = Vec::new();
    for family in STATEMENTS {
        db.unwind_if_revision_cancelled();
        family(&subject, &mut findings);
    }
    findings.retain(|it| judged.contains(it.range.start()));

    let join = Join::new(db, file, Fixes::LeftOut);
    let findings = FindingInterner::keep_all(findings);
    let mut fresh: Vec<_> = findings.iter().map(|it| Pending::of(it, start)).collect();
    levels::apply_settings(db, &mut fresh);
    let judged = judged + start;
    let is_replaced = |it: &Diagnostic| {
        is_of_syntax(it.code) || judged.contains(it.range.start()) && is_of_statements(it.code)
    };
    let others = earlier
        .diagnostics
        .iter()
        .filter_map(|it| earlier.moved(it));
    let mut all: Vec<_> = others.filter(|it| !is_replaced(it)).collect();
    all.extend(join.syntax_errors());
    all.extend(fresh.into_iter().map(|it| join.finish(it)));
    all.sort_by_key(|it| (it.range.start(), it.range.end()));
    Some(all)
}

/// The range of the instructions that meet a part of a function, if they are all that does, with the blanks and
/// comments before them.
fn instructions(node: &Cursor<'_>, part: TextRange) -> Option<TextRange> {
    let mut found: Option<TextRange> = None;
    for child in node.children() {
        let range = match &child {
            NodeOrToken::Node(it) => it.range(),
            NodeOrToken::Token(it) => it.range(),
        };
        if range.end() <= part.start() || part.end() <= range.start() {
            continue;
        }
        let child = child.into_node()?;
        let inside = match child.kind() {
            SyntaxKind::BLOCK | SyntaxKind::STATEMENT_RUN => instructions(&child, part)?,
            SyntaxKind::INSTRUCTION if !levels::has_control(&child) => child.range(),
            _ => return None,
        };
        found = Some(found.map_or(inside, |it| it.cover(inside)));
    }
    found
}

fn is_of_syntax(code: &str) -> bool {
    registry::code(code).is_some_and(DiagnosticCode::is_of_syntax)
}

/// Whether a finding at an instruction is of those that look at it alone.
fn is_of_statements(code: &str) -> bool {
    registry::code(code).is_some_and(DiagnosticCode::is_of_statements)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use fastrand::Rng;
    use syntax::{Document, text::Edit};

    use super::*;
    use crate::{AnalysisHost, Change, FileId, Severity};

    const FILE: FileId = FileId(0);
    const TEXT: &str = "\
.version 8.5
.target sm_90
.address_size 64
.func (.param .b32 r) f(.param .b32 a);
.entry k(.param .u64 p) {
    .reg .b32 %r<9>; .reg .f32 %f<4>; .reg .b64 %rd<4>; .reg .pred %p;
    .shared .b8 s[16];
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [p];
LOOP:
    add.s32 %r2, %r1, 0x1ff; // a comment
    { .param .b32 x; st.param.b32 [x], %r2; call (x), f, (x); ld.param.b32 %r3, [x]; }
    div.s32 %r3, %r2, %r1; ld.shared.u32 %r4, [s+20]; mul.lo.s32 %r5, %r9, %f1;
    setp.lt.s32 %p, %r3, 10;
    @%p bra LOOP;
    st.global.u32 [%rd1], %r3;
    ret;
}
";

    struct Session {
        host: AnalysisHost,
        document: Document,
    }

    impl Session {
        fn new(text: &str) -> Session {
            let mut session = Session {
                host: AnalysisHost::new(),
                document: Document::new(text.to_owned()),
            };
            session.write();
            session
        }

        fn write(&mut self) {
            self.host.apply_change(Change {
                files: vec![(FILE, Some(self.document.contents()))],
                config: None,
            });
        }

        fn all(&self) -> Vec<Diagnostic> {
            let all = self.host.analysis().worst_diagnostics(FILE, usize::MAX);
            all.expect("no cancellation")
        }

        fn apply(&mut self, edit: &Edit, earlier: &mut Earlier) -> Option<Vec<Diagnostic>> {
            self.document.apply(edit).expect("it fits");
            earlier.edits.push(Replacement {
                range: edit.range,
                len: TextSize::of(edit.insert.as_str()),
            });
            self.write();
            let found = self.host.analysis().diagnostics_after_edits(FILE, earlier);
            found.expect("no cancellation")
        }
    }

    /// Replaces the first occurrence of each text, and shows what is known at once.
    fn check(edits: &[(&str, &str)], expect: Expect) {
        let mut session = Session::new(TEXT);
        let mut earlier = Earlier {
            diagnostics: session.all().into(),
            edits: Vec::new(),
        };
        let mut found = None;
        for (old, new) in edits {
            let start = session.document.text().find(old).expect("it is there");
            let range = TextRange::at((start as u32).into(), TextSize::of(*old));
            found = session.apply(&Edit::new(range, *new), &mut earlier);
        }
        let text = session.document.text().to_owned();
        let Some(found) = found else {
            expect.assert_eq("nothing\n");
            return;
        };
        let mut out = String::new();
        for it in found {
            if it.severity <= Severity::Warning || it.code == "integer-division" {
                let words = &text[std::ops::Range::<usize>::from(it.range)];
                out += &format!("{words}: {}\n", it.code);
            }
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn findings_at_changed_instructions_are_fresh() {
        check(
            &[("0x1ff", "0x1f")],
            expect![[r#"
                f: missing-definition
                div: integer-division
                [s+20]: out-of-bounds
                %r9: undefined-name
                %f1: invalid-operand
            "#]],
        );
        check(
            &[("0x1ff", "%r77")],
            expect![[r#"
                f: missing-definition
                %r77: undefined-name
                div: integer-division
                [s+20]: out-of-bounds
                %r9: undefined-name
                %f1: invalid-operand
            "#]],
        );
        check(
            &[("s+20", "s+12")],
            expect![[r#"
                f: missing-definition
                div: integer-division
                %r9: undefined-name
                %f1: invalid-operand
            "#]],
        );
        check(
            &[("%r9,", "%r8,"), ("%f1", "%r1")],
            expect![[r#"
                f: missing-definition
                div: integer-division
                [s+20]: out-of-bounds
            "#]],
        );
        check(
            &[("0x1ff;", "0x1ff")],
            expect![[r#"
                f: missing-definition
                : syntax-error
                div: integer-division
                [s+20]: out-of-bounds
                %r9: undefined-name
                %f1: invalid-operand
            "#]],
        );
        check(
            &[(", f,", ", g,")],
            expect![[r#"
                f: missing-definition
                g: undefined-function
                div: integer-division
                [s+20]: out-of-bounds
                %r9: undefined-name
                %f1: invalid-operand
            "#]],
        );
        check(
            &[("call (x), f", "call f")],
            expect![[r#"
                f: missing-definition
                f: wrong-argument-count
                div: integer-division
                [s+20]: out-of-bounds
                %r9: undefined-name
                %f1: invalid-operand
            "#]],
        );
        check(
            &[("0x1ff", "0x1ff, %r3"), ("[%rd1]", "[%r1]")],
            expect![[r#"
                nothing
            "#]],
        );
        // Elsewhere the rules of others speak.
        check(
            &[("LOOP:", "LOOK:")],
            expect![[r#"
            nothing
        "#]],
        );
        check(
            &[("%r<9>", "%r<10>")],
            expect![[r#"
            nothing
        "#]],
        );
        check(
            &[("sm_90", "sm_80")],
            expect![[r#"
            nothing
        "#]],
        );
        check(
            &[("// a comment", "// ptx-analyzer: allow(undefined-name)")],
            expect![[r#"
                nothing
            "#]],
        );
        check(
            &[("    ret;\n}", "    ret;\n")],
            expect![[r#"
                f: missing-definition
                {: unclosed-delimiter
                div: integer-division
                [s+20]: out-of-bounds
                %r9: undefined-name
                %f1: invalid-operand
            "#]],
        );
    }

    #[test]
    fn ranges_move_with_their_text() {
        let moved = |edit: std::ops::Range<u32>, len: u32, range: std::ops::Range<u32>| {
            let text_range =
                |it: std::ops::Range<u32>| TextRange::new(it.start.into(), it.end.into());
            let edit = Replacement {
                range: text_range(edit),
                len: len.into(),
            };
            let moved = edit.moved(text_range(range));
            u32::from(moved.start())..u32::from(moved.end())
        };
        // After, before, directly after and directly before; inside.
        assert_eq!(moved(9..9, 2, 5..8), 5..8);
        assert_eq!(moved(1..2, 3, 5..8), 7..10);
        assert_eq!(moved(8..8, 2, 5..8), 5..8);
        assert_eq!(moved(5..5, 2, 5..8), 7..10);
        assert_eq!(moved(6..7, 3, 5..8), 5..10);
        // Over the start, over the end, over all of it, and in its place.
        assert_eq!(moved(4..6, 1, 5..8), 4..7);
        assert_eq!(moved(7..9, 1, 5..8), 5..8);
        assert_eq!(moved(4..9, 2, 5..8), 4..6);
        assert_eq!(moved(5..8, 2, 5..8), 5..7);
        // What is empty stays empty.
        assert_eq!(moved(5..5, 2, 5..5), 5..5);
        assert_eq!(moved(4..6, 0, 5..5), 4..4);
    }

    /// Checks of single statements find the same as a check of the whole text.
    #[test]
    fn a_part_is_judged_as_the_whole() {
        let mut rng = Rng::with_seed(7);
        const WORDS: &str = "%r1|%r99|%f1|%rd1|x|s|p|f|, |;|.u32|.f32|[|]|{|}|7|0xfffffffff|LOOP|bra |call |+4|\
                             .param |div.u32 |@%p |1.5|\n| // c\n";
        let words: Vec<_> = WORDS.split('|').collect();
        let mut compared = 0;
        for _ in 0..if cfg!(debug_assertions) { 400 } else { 4000 } {
            let mut session = Session::new(TEXT);
            let mut earlier = Earlier {
                diagnostics: session.all().into(),
                edits: Vec::new(),
            };
            for _ in 0..rng.usize(1..=3) {
                let text = session.document.text();
                let start = rng.usize(90..text.len() - 4);
                let range = TextRange::at((start as u32).into(), rng.u32(..4).into());
                let insert = if rng.u8(..4) == 0 {
                    ""
                } else {
                    words[rng.usize(..words.len())]
                };
                let edit = Edit::new(range, insert);
                let found = session.apply(&edit, &mut earlier);
                let Some(found) = found else {
                    continue;
                };
                let changed = earlier.changed().expect("something has");
                let all = session.all();
                let fresh = |of: &[Diagnostic]| -> Vec<_> {
                    let inside = of.iter().filter(|it| {
                        is_of_syntax(it.code)
                            || changed.contains(it.range.start()) && is_of_statements(it.code)
                    });
                    inside
                        .map(|it| (it.range, it.code, it.message.clone()))
                        .collect()
                };
                assert_eq!(fresh(&found), fresh(&all), "{}", session.document.text());
                compared += fresh(&all).len();
            }
        }
        assert!(compared > 100, "{compared}");
    }
}
