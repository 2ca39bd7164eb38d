//! A problem as text: the source line, an underline, the code and advice.

use analysis::{Diagnostic, FileId, Severity};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use syntax::{
    TextRange,
    text::{Encoding, LineTable, is_control},
};

use super::plain;

/// Longer lines are cut; generated PTX has lines of half a megabyte.
const MAX_LINE: usize = 160;
/// How much of a cut line is shown before and after the underlined part, in bytes.
const CONTEXT: usize = 60;

/// The name of a severity in results.
pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    }
}

/// Stands for the location of an excerpt until it is rendered.
///
/// The renderer takes columns from the excerpt, which is wrong for cut lines, and counts characters
/// where this program counts bytes.
const LOCATION: &str = "\u{f0000}";

/// One problem with its source line, ending in an empty line.
pub(super) fn render(
    path: &str,
    text: &str,
    lines: &LineTable,
    diagnostic: &Diagnostic,
    color: bool,
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO,
        Severity::Hint => Level::HELP,
    };
    let title = level
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.code);
    let first = Excerpt::new(text, lines, diagnostic.range);
    let mut groups = vec![first.add_to(Group::with_title(title), AnnotationKind::Primary)];
    let mut excerpts = vec![first];
    // Only one file is checked at a time.
    let related = diagnostic.related.iter();
    for info in related.filter(|it| it.location.file == FileId(0)) {
        let excerpt = Excerpt::new(text, lines, info.location.range);
        let title = Level::NOTE.secondary_title(info.message.as_str());
        groups.push(excerpt.add_to(Group::with_title(title), AnnotationKind::Context));
        excerpts.push(excerpt);
    }
    if let Some(help) = &diagnostic.help {
        groups.push(Group::with_title(
            Level::HELP.secondary_title(help.as_str()),
        ));
    }
    let renderer = match color {
        true => Renderer::styled(),
        false => Renderer::plain(),
    };
    // Lines are cut here, around the underline; the renderer need not do it again.
    let mut rendered = renderer.term_width(4 * MAX_LINE).render(&groups);
    for excerpt in excerpts {
        let (line, column) = (excerpt.line, excerpt.column);
        let printed = format!("{LOCATION}:{line}:{}", excerpt.printed_column());
        rendered = rendered.replacen(&printed, &format!("{}:{line}:{column}", plain(path)), 1);
    }
    format!("{rendered}\n\n")
}

/// The line of a range, cut to a readable length.
struct Excerpt {
    source: String,
    /// The range, or its part in its first line, in `source`.
    from: usize,
    to: usize,
    /// Place in the file, both from 1, the column in bytes.
    line: usize,
    column: usize,
}

impl Excerpt {
    fn new(text: &str, lines: &LineTable, range: TextRange) -> Excerpt {
        let start = lines.position(range.start(), Encoding::Utf8);
        let line_start = usize::from(lines.line_start(start.line));
        let line_end = usize::from(lines.line_end(start.line));
        let line = text.get(line_start..line_end).unwrap_or_default();
        let column = |offset| usize::from(offset).saturating_sub(line_start);
        let from = line.floor_char_boundary(column(range.start()).min(line.len()));
        let to = line.floor_char_boundary(column(range.end()).clamp(from, line.len()));
        let (source, from, to) = cut(line, from, to);
        let (source, from, to) = visible(&source, from, to);
        Excerpt {
            source,
            from,
            to,
            line: start.line as usize + 1,
            column: start.character as usize + 1,
        }
    }

    fn add_to<'a>(&self, group: Group<'a>, kind: AnnotationKind) -> Group<'a> {
        group.element(
            Snippet::source(self.source.clone())
                .path(LOCATION)
                .line_start(self.line)
                .annotation(kind.span(self.from..self.to)),
        )
    }

    /// The column as the renderer counts it.
    fn printed_column(&self) -> usize {
        self.source[..self.from].chars().count() + 1
    }
}

/// A line whose characters that act on a terminal have a mark in their place, and a range of it. A tab stays.
fn visible(line: &str, from: usize, to: usize) -> (String, usize, usize) {
    let mark = |it: char| {
        if it != '\t' && is_control(it) {
            '\u{fffd}'
        } else {
            it
        }
    };
    let marked = |part: &str| part.chars().map(mark).collect::<String>();
    let (before, inside) = (marked(&line[..from]), marked(&line[from..to]));
    let (start, end) = (before.len(), before.len() + inside.len());
    (before + &inside + &marked(&line[to..]), start, end)
}

/// The part of a long line around `from..to`, and that range in it.
fn cut(line: &str, from: usize, to: usize) -> (String, usize, usize) {
    if line.len() <= MAX_LINE {
        return (line.to_owned(), from, to);
    }
    let to = line.floor_char_boundary(to.min(from + CONTEXT)).max(from);
    let start = line.floor_char_boundary(from.saturating_sub(CONTEXT));
    let end = line.ceil_char_boundary((to + CONTEXT).min(line.len()));
    let before = if start > 0 { "…" } else { "" };
    let after = if end < line.len() { "…" } else { "" };
    let shift = |at: usize| at - start + before.len();
    (
        format!("{before}{}{after}", &line[start..end]),
        shift(from),
        shift(to),
    )
}

#[cfg(test)]
mod tests {
    use analysis::{FileRange, RelatedInformation};
    use expect_test::{Expect, expect};

    use super::*;

    fn range(text: &str, part: &str) -> TextRange {
        let start = text.find(part).expect("part of the text");
        let at = |offset: usize| u32::try_from(offset).expect("short text").into();
        TextRange::new(at(start), at(start + part.len()))
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "the convention of expect-test"
    )]
    fn check(text: &str, part: &str, related: &[&str], help: Option<&str>, expect: Expect) {
        let diagnostic = Diagnostic {
            range: range(text, part),
            severity: Severity::Error,
            code: "some-code",
            message: "something is wrong".to_owned(),
            help: help.map(str::to_owned),
            related: related
                .iter()
                .map(|part| RelatedInformation {
                    location: FileRange {
                        file: FileId(0),
                        range: range(text, part),
                    },
                    message: "because of this".to_owned(),
                })
                .collect(),
            tags: Vec::new(),
            fixes: Vec::new(),
        };
        let lines = LineTable::new(text);
        expect.assert_eq(&render("a/b.ptx", text, &lines, &diagnostic, false));
    }

    #[test]
    fn line_underline_note_and_help() {
        check(
            "add\n\tmov.b32 %r1, %r2;\n.reg .b32 %r<2>;\n",
            "%r2",
            &["%r<2>"],
            Some("declare more registers"),
            expect![[r#"
                error[some-code]: something is wrong
                 --> a/b.ptx:2:15
                  |
                2 |     mov.b32 %r1, %r2;
                  |                  ^^^
                  |
                note: because of this
                 --> a/b.ptx:3:11
                  |
                3 | .reg .b32 %r<2>;
                  |           -----
                help: declare more registers

            "#]],
        );
    }

    #[test]
    fn ends_of_lines_and_of_the_text() {
        check(
            "add",
            "",
            &[],
            None,
            expect![[r#"
            error[some-code]: something is wrong
             --> a/b.ptx:1:1
              |
            1 | add
              | ^

        "#]],
        );
        check(
            "ä ab\r\ncd",
            "ab\r\ncd",
            &[],
            None,
            expect![[r#"
            error[some-code]: something is wrong
             --> a/b.ptx:1:4
              |
            1 | ä ab
              |   ^^

        "#]],
        );
        check(
            "",
            "",
            &[],
            None,
            expect![[r#"
            error[some-code]: something is wrong
             --> a/b.ptx:1:1
              |
            1 |
              | ^

        "#]],
        );
    }

    #[test]
    fn long_lines_are_cut() {
        let text = format!(
            ".b8 x[] = {{{} 1ä2, {}}};",
            "0, ".repeat(100_000),
            "0, ".repeat(50_000)
        );
        check(
            &text,
            "1ä2",
            &[],
            None,
            expect![[r#"
            error[some-code]: something is wrong
             --> a/b.ptx:1:300013
              |
            1 | …, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  1ä2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0…
              |                                                              ^^^

        "#]],
        );
        let text = format!("{}{}", "é".repeat(200), "é".repeat(200));
        check(
            &text,
            &text,
            &[],
            None,
            expect![[r#"
            error[some-code]: something is wrong
             --> a/b.ptx:1:1
              |
            1 | éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé…
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

        "#]],
        );
    }
}
