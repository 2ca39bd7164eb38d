//! Foldable regions.

use salsa::Database;
use syntax::{Cursor, CursorToken, NodeOrToken, SyntaxKind, TextRange, TextSize, text::LineTable};

use crate::{Fold, FoldKind, db::SourceFile, hir::tree::trimmed};

/// The foldable regions of a file, sorted. A region starts at the end of a line; the line of a closing
/// bracket stays visible if the bracket comes first in it.
pub(crate) fn folding_ranges(db: &dyn Database, file: SourceFile) -> Vec<Fold> {
    let contents = file.contents(db);
    let mut folding = Folding {
        lines: &contents.lines,
        folds: Vec::new(),
        comments: None,
        line_start: true,
        check: &|| db.unwind_if_revision_cancelled(),
    };
    folding.node(&contents.tree.cursor());
    folding.end_comments();
    let mut folds = folding.folds;
    folds.sort_by_key(|it| (it.range.start(), it.range.end()));
    folds
}

struct Folding<'a> {
    lines: &'a LineTable,
    folds: Vec<Fold>,
    /// Consecutive lines with nothing but comments.
    comments: Option<TextRange>,
    /// Whether only blanks are before the next token in its line.
    line_start: bool,
    check: &'a dyn Fn(),
}

/// Consecutive directives of one class fold together.
fn run_class(kind: SyntaxKind) -> Option<u8> {
    Some(match kind {
        SyntaxKind::VERSION_DIRECTIVE
        | SyntaxKind::TARGET_DIRECTIVE
        | SyntaxKind::ADDRESS_SIZE_DIRECTIVE => 0,
        SyntaxKind::FILE_DIRECTIVE => 1,
        SyntaxKind::DWARF_LINE => 2,
        SyntaxKind::LOC_DIRECTIVE => 3,
        _ => return None,
    })
}

impl Folding<'_> {
    fn node(&mut self, node: &Cursor<'_>) {
        (self.check)();
        let mut run: Option<(u8, TextRange)> = None;
        let mut open = None;
        for child in node.children() {
            match child {
                NodeOrToken::Token(token) => {
                    match token.kind() {
                        SyntaxKind::L_BRACE | SyntaxKind::L_PAREN => open = Some(token.range()),
                        SyntaxKind::R_BRACE | SyntaxKind::R_PAREN => {
                            if let Some(open) = open {
                                self.bracket(node.kind(), open, token.range());
                            }
                        }
                        _ => {}
                    }
                    self.token(&token);
                }
                NodeOrToken::Node(child) => {
                    match (run_class(child.kind()), &mut run) {
                        (Some(class), Some((same, range))) if class == *same => {
                            *range = range.cover(trimmed(&child));
                        }
                        (class, _) => {
                            self.end_run(run.take());
                            run = class.map(|it| (it, trimmed(&child)));
                        }
                    }
                    self.node(&child);
                }
            }
        }
        self.end_run(run);
    }

    fn token(&mut self, token: &CursorToken<'_>) {
        match token.kind() {
            SyntaxKind::WHITESPACE => self.line_start |= token.text().contains(['\n', '\r']),
            SyntaxKind::LINE_COMMENT | SyntaxKind::BLOCK_COMMENT => {
                let range = token.range();
                let line = self.lines.line_of(range.start());
                match &mut self.comments {
                    Some(run) if self.line_start && self.lines.line_of(run.end()) + 1 == line => {
                        *run = run.cover(range);
                    }
                    _ => {
                        self.end_comments();
                        self.comments = self.line_start.then_some(range);
                    }
                }
                self.line_start = false;
            }
            _ => {
                self.end_comments();
                self.line_start = false;
            }
        }
    }

    fn end_comments(&mut self) {
        if let Some(range) = self.comments.take() {
            self.add(range.start(), range.end(), FoldKind::Comment);
        }
    }

    fn end_run(&mut self, run: Option<(u8, TextRange)>) {
        if let Some((_, range)) = run {
            self.add(range.start(), range.end(), FoldKind::Imports);
        }
    }

    fn bracket(&mut self, node: SyntaxKind, open: TextRange, close: TextRange) {
        let kind = match node {
            SyntaxKind::SECTION | SyntaxKind::INTERMEDIATE_SECTION => FoldKind::Imports,
            SyntaxKind::BLOCK
            | SyntaxKind::PARAMETER_LIST
            | SyntaxKind::RETURN_LIST
            | SyntaxKind::INITIALIZER_LIST
            | SyntaxKind::ARGUMENT_LIST
            | SyntaxKind::VECTOR
            | SyntaxKind::CODE_BLOCK => FoldKind::Region,
            _ => return,
        };
        let line = self.lines.line_of(close.start());
        let end = if self.line_start && line > 0 {
            self.lines.line_end(line - 1)
        } else {
            close.start()
        };
        self.add(open.start(), end, kind);
    }

    /// Adds the region after the line of `start`, if it has at least a line of its own.
    fn add(&mut self, start: TextSize, end: TextSize, kind: FoldKind) {
        let first = self.lines.line_of(start);
        if self.lines.line_of(end) > first {
            self.folds.push(Fold {
                range: TextRange::new(self.lines.line_end(first), end),
                kind,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use crate::{FileId, fixture::Fixture};

    /// Shows the first and last line of each region, counted from 1.
    fn check(text: &str, expect: Expect) {
        let fixture = Fixture::new(text);
        let text = &fixture.files[0].1;
        let mut out = String::new();
        for fold in fixture.host.analysis().folding_ranges(FileId(0)).unwrap() {
            let line = |offset| text[..usize::from(offset)].matches('\n').count() + 1;
            assert!(text[usize::from(fold.range.start())..].starts_with(['\n', '\r']));
            let _ = writeln!(
                out,
                "{:?} {}-{}",
                fold.kind,
                line(fold.range.start()),
                line(fold.range.end())
            );
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn regions() {
        check(
            "// a
// b

/* c
   d */
.version 8.5
.target sm_90
.file 1 \"a\"
.file 2 \"b\"
.global .b32 t[2] = {
  1, // one
  2  // two
};
.entry k(
  .param .b32 a
)
{
  { ret; }
  {
    ret; }
  .loc 1 1 1
  .loc 1 2 1
  ret;
}
.section .debug_info
{
  .b8 1
}
",
            expect![[r#"
                Comment 1-2
                Comment 4-5
                Imports 6-7
                Imports 8-9
                Region 10-12
                Region 14-15
                Region 17-23
                Region 19-20
                Imports 21-22
                Imports 26-27
            "#]],
        );
    }

    #[test]
    fn broken_text() {
        check(".entry k {\nret;\n", expect![[r#""#]]);
    }
}
