//! The statement that is being written: what is wrong in it may be wrong only because it is not finished.

use salsa::Database;
use syntax::{
    SyntaxKind::{self, *},
    SyntaxNode, SyntaxToken, TextRange, TextSize, tokens_around,
};

use crate::{Diagnostic, DiagnosticTag, db::SourceFile};

/// The statement or directive around the end of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writing {
    /// From its first token to its last or to the end of the edit, in UTF-8 bytes; empty where nothing is
    /// written yet.
    pub statement: TextRange,
    /// The word that ends or continues at the end of the edit; empty between words.
    pub word: TextRange,
    /// Whether the statement has its last token, such as `;`.
    pub finished: bool,
    /// Whether the edit ends before that token does.
    pub inside: bool,
    /// The `{` of the block around the edit, if it has no `}` yet; otherwise empty.
    pub brace: TextRange,
}

/// When a diagnostic is told to somebody who is writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// At once.
    Now,
    /// At once if it was told before; otherwise it may be a consequence of what is not finished.
    IfKnown,
    /// When the statement is left or finished.
    Later,
}

impl Writing {
    /// When a diagnostic of the same text is told.
    #[must_use]
    pub fn telling(&self, diagnostic: &Diagnostic) -> Telling {
        let touches = |range: TextRange| range.intersect(diagnostic.range).is_some();
        let own = if self.finished {
            touches(self.word) && (self.inside || !self.word.is_empty())
        } else {
            touches(self.statement) && !self.statement.is_empty()
        };
        // Values are written before they are used.
        let is_early = || diagnostic.tags.contains(&DiagnosticTag::Unnecessary);
        if own || !self.brace.is_empty() && diagnostic.range == self.brace {
            Telling::Later
        } else if !self.finished || self.inside || is_early() {
            // Nothing but the statement has changed.
            Telling::IfKnown
        } else {
            Telling::Now
        }
    }
}

/// The text written at the end of an edit.
pub(crate) fn writing(db: &dyn Database, file: SourceFile, offset: TextSize) -> Writing {
    let contents = file.contents(db);
    let root = contents.tree.syntax();
    let offset = offset.min(root.text_range().end());
    let (left, right) = tokens_around(&root, offset);
    let word = [&left, &right]
        .into_iter()
        .flatten()
        .filter(|it| is_word(it.kind()))
        .map(SyntaxToken::text_range)
        .reduce(TextRange::cover)
        .unwrap_or(TextRange::empty(offset));
    let line = |at: TextSize| contents.lines.line_of(at);
    let before = significant(left, SyntaxToken::prev_token);
    let block = before.as_ref().and_then(|it| {
        let mut around = it.parent_ancestors().filter(|it| it.kind() == BLOCK);
        around.find(|it| !is_closed(it))
    });
    let brace = block.and_then(|it| it.first_token());
    let brace = brace.map_or(TextRange::empty(offset), |it| it.text_range());
    let after = significant(right, SyntaxToken::next_token)
        .filter(|it| line(it.text_range().start()) == line(offset));
    // A new line leaves a statement, unless more of it is due.
    let unit = before
        .filter(|it| {
            line(it.text_range().end()) == line(offset)
                || matches!(it.kind(), COMMA | L_BRACKET | L_PAREN)
        })
        .as_ref()
        .and_then(unit)
        .filter(|it| !it.finished || offset < it.range.end() || after.is_none())
        .or_else(|| after.as_ref().and_then(self::unit));
    match unit {
        // At the end of a line, what follows on the next one may be another statement that is read as a
        // part of this one.
        Some(unit) if after.is_none() && offset < unit.range.end() => Writing {
            statement: TextRange::new(unit.range.start().min(offset), offset),
            word,
            finished: false,
            inside: true,
            brace,
        },
        Some(unit) => Writing {
            statement: unit.range.cover_offset(offset),
            word,
            // A list of targets or a prototype may follow a label.
            finished: unit.finished && !(unit.label && offset >= unit.range.end()),
            inside: offset < unit.range.end(),
            brace,
        },
        None => Writing {
            statement: TextRange::empty(offset),
            word,
            finished: false,
            inside: false,
            brace,
        },
    }
}

/// A statement, a directive, or the header of a function.
struct Unit {
    range: TextRange,
    finished: bool,
    /// Whether it is a label.
    label: bool,
}

/// The unit that a token belongs to.
fn unit(token: &SyntaxToken) -> Option<Unit> {
    let lists = [STATEMENT_RUN, BLOCK, SOURCE_FILE, SECTION];
    let node = token.parent_ancestors().find(|it| {
        matches!(it.kind(), BLOCK | FUNCTION)
            || it.parent().is_some_and(|it| lists.contains(&it.kind()))
    })?;
    if node.kind() == BLOCK {
        // A brace is whole by itself, once it has its partner.
        return Some(Unit {
            range: token.text_range(),
            finished: is_closed(&node),
            label: false,
        });
    }
    let first = significant(node.first_token(), SyntaxToken::next_token)?;
    let last = significant(node.last_token(), SyntaxToken::prev_token)?;
    let body = node.children().find(|it| it.kind() == BLOCK);
    let (end, finished) = match body.and_then(|it| it.first_token()) {
        Some(brace) => (brace.text_range().end(), brace.kind() == L_BRACE),
        None => {
            let closing = match node.kind() {
                LABEL => COLON,
                SECTION | INTERMEDIATE_SECTION => R_BRACE,
                _ => SEMICOLON,
            };
            (last.text_range().end(), last.kind() == closing)
        }
    };
    let start = first.text_range().start();
    Some(Unit {
        range: TextRange::new(start, end.max(start)),
        finished,
        label: node.kind() == LABEL,
    })
}

/// Whether a block ends with its brace.
fn is_closed(block: &SyntaxNode) -> bool {
    let last = significant(block.last_token(), SyntaxToken::prev_token);
    last.is_some_and(|it| it.kind() == R_BRACE && it.parent().as_ref() == Some(block))
}

/// The token or the next one in a direction that the grammar sees.
fn significant(
    token: Option<SyntaxToken>,
    next: fn(&SyntaxToken) -> Option<SyntaxToken>,
) -> Option<SyntaxToken> {
    std::iter::successors(token, next)
        .find(|it| !it.kind().is_trivia() && !matches!(it.kind(), UNKNOWN | UNTERMINATED))
}

fn is_word(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        IDENT | DOTTED | INTEGER | FLOAT | BAD_NUMBER | UNKNOWN | PERCENT | UNDERSCORE
    )
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::fixture::{Fixture, HEADER};

    #[track_caller]
    fn check(body: &str, expect: Expect) {
        let fixture = Fixture::new(&format!("{HEADER}.entry k() {{\n{body}\nret;\n}}\n"));
        let (analysis, at) = fixture.cursor();
        let writing = analysis.writing(at).unwrap().unwrap();
        let text = &fixture.files[0].1;
        let finished = if writing.finished { "" } else { "un" };
        expect.assert_eq(&format!(
            "{:?} {:?} {finished}finished",
            &text[writing.statement], &text[writing.word],
        ));
    }

    #[test]
    fn the_statement_of_an_edit() {
        check("    add$0\nret;", expect![[r#""add" "add" unfinished"#]]);
        check("    add.$0\nret;", expect![[r#""add." "." unfinished"#]]);
        check(
            "    add.u32 %r1, %$0\nret;",
            expect![[r#""add.u32 %r1, %" "%" unfinished"#]],
        );
        check(
            "    add.u32 %r1, $0\nret;",
            expect![[r#""add.u32 %r1, " "" unfinished"#]],
        );
        check(
            "    add.u32 %r1, %r2, %r3;$0\nret;",
            expect![[r#""add.u32 %r1, %r2, %r3;" "" finished"#]],
        );
        check(
            "    add.u32 %r1, %r$02, %r3; // why\nret;",
            expect![[r#""add.u32 %r1, %r2, %r3;" "%r2" finished"#]],
        );
        check(
            "    mov.b32 a, b; a$0\nret;",
            expect![[r#""a" "a" unfinished"#]],
        );
        check(
            "    mov.b32 a, b;\n$0\nret;",
            expect![[r#""" "" unfinished"#]],
        );
        check(
            "    mov.b32 a, b\n$0\nret;",
            expect![[r#""" "" unfinished"#]],
        );
        check(
            "    mov.b32 a,\n    $0\nret;",
            expect![[r#""mov.b32 a,\n    " "" unfinished"#]],
        );
        check(
            "    mov.b32 a, // x\n    b$0\n",
            expect![[r#""mov.b32 a, // x\n    b" "b" unfinished"#]],
        );
        check("L$0\nmov.b32 a, b;", expect![[r#""L" "L" unfinished"#]]);
        check("L: $0\nmov.b32 a, b;", expect![[r#""L: " "" unfinished"#]]);
        check("L$0:\nmov.b32 a, b;", expect![[r#""L:" "L" finished"#]]);
        check("{$0\nmov.b32 a, b;\n}", expect![[r#""{" "" finished"#]]);
    }

    #[test]
    fn the_brace_of_an_open_block() {
        let check = |text: &str, expect: Expect| {
            let fixture = Fixture::new(text);
            let (analysis, at) = fixture.cursor();
            let writing = analysis.writing(at).unwrap().unwrap();
            expect.assert_eq(&format!("{:?} {:?}", writing.brace, writing.inside));
        };
        check(".entry k() {$0", expect!["11..12 false"]);
        check(
            ".entry k() {\n    $0\n.entry l() { ret; }",
            expect!["11..12 false"],
        );
        check(
            ".entry k() {\n    mov.u32 %r1, $0\n",
            expect!["11..12 false"],
        );
        check(
            ".entry k() {\n    mov.u32 %r$01, 1;\n}",
            expect!["27..27 true"],
        );
    }

    #[test]
    fn items_and_headers() {
        let check = |text: &str, expect: Expect| {
            let fixture = Fixture::new(text);
            let (analysis, at) = fixture.cursor();
            let writing = analysis.writing(at).unwrap().unwrap();
            let text = &fixture.files[0].1;
            expect.assert_eq(&format!(
                "{:?} {}",
                &text[writing.statement], writing.finished
            ));
        };
        check(
            ".version 8.$0\n.target sm_90\n",
            expect![[r#"".version 8." false"#]],
        );
        check(
            ".version 8.5\n.target sm_9$0\n.entry k() { ret; }",
            expect![[r#"".target sm_9" false"#]],
        );
        check(".entry k$0\n{\nret;\n}", expect![[r#"".entry k" false"#]]);
        check(
            ".entry k(.param .u32$0\n.entry l() { ret; }",
            expect![[r#"".entry k(.param .u32" false"#]],
        );
        check(
            ".global .b32 $0\n.entry l() { ret; }",
            expect![[r#"".global .b32 " false"#]],
        );
        check("$0", expect![[r#""" false"#]]);
    }
}
