//! Markdown as text for terminals: wrapped at the width, with headings, lists, tables and colours.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use syntax::text::escape_controls;

const BOLD: &str = "\x1b[1m";
const TITLE: &str = "\x1b[1;4m";
const CODE: &str = "\x1b[36m";
const RESET: &str = "\x1b[0m";
/// The width where nothing is known about it.
const DEFAULT_WIDTH: usize = 80;
/// Lines that are longer are hard to read.
const MAX_WIDTH: usize = 110;
const MIN_WIDTH: usize = 40;

/// How many columns the output has.
pub(super) fn width(is_terminal: bool) -> usize {
    let columns = std::env::var("COLUMNS").ok().filter(|_| is_terminal);
    let columns = columns.and_then(|it| it.parse().ok());
    columns.unwrap_or(DEFAULT_WIDTH).clamp(MIN_WIDTH, MAX_WIDTH)
}

/// Markdown as lines of at most `width` columns, but for code, which keeps its lines.
pub(super) fn render(markdown: &str, width: usize, color: bool) -> String {
    let mut page = Page {
        out: String::new(),
        width,
        color,
        line: Vec::new(),
        indent: Vec::new(),
        bullet: None,
        table: Vec::new(),
        link: None,
    };
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        page.event(event);
    }
    page.paragraph();
    page.out
}

/// A word of a paragraph: what is shown, and how.
#[derive(Clone)]
struct Word {
    text: String,
    style: &'static str,
    /// Whether a blank is before it.
    spaced: bool,
}

struct Page {
    out: String,
    width: usize,
    color: bool,
    /// The words of the paragraph that is being read.
    line: Vec<Word>,
    /// The widths of the lists around it.
    indent: Vec<usize>,
    /// The text before the first line of a list item.
    bullet: Option<String>,
    /// The rows of the table that is being read.
    table: Vec<Vec<Vec<Word>>>,
    /// The target of the link that is being read, and how many words precede it.
    link: Option<(String, usize)>,
}

impl Page {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::Heading { .. }) => self.gap(),
            Event::End(TagEnd::Heading(level)) => {
                let style = if level as usize == 1 { TITLE } else { BOLD };
                for word in &mut self.line {
                    word.style = style;
                }
                self.paragraph();
            }
            Event::Start(Tag::Paragraph) if self.bullet.is_none() => self.gap(),
            Event::End(TagEnd::Paragraph) => self.paragraph(),
            Event::Start(Tag::CodeBlock(_)) => {
                self.paragraph();
                self.gap();
                self.table.clear();
                self.indent.push(4);
            }
            Event::End(TagEnd::CodeBlock) => {
                self.code();
                self.indent.pop();
            }
            Event::Start(Tag::List(_)) => {
                self.paragraph();
                if self.indent.is_empty() {
                    self.gap();
                }
            }
            Event::Start(Tag::Item) => {
                self.paragraph();
                self.bullet = Some("- ".to_owned());
                self.indent.push(2);
            }
            Event::End(TagEnd::Item) => {
                self.paragraph();
                self.indent.pop();
            }
            Event::Start(Tag::Table(_)) => {
                self.gap();
                self.table.clear();
            }
            Event::Start(Tag::TableHead | Tag::TableRow) => self.table.push(Vec::new()),
            Event::End(TagEnd::TableCell) => {
                let cell = std::mem::take(&mut self.line);
                if let Some(row) = self.table.last_mut() {
                    row.push(cell);
                }
            }
            Event::End(TagEnd::Table) => self.rows(),
            Event::Start(Tag::Link { dest_url, .. }) => {
                self.link = Some((dest_url.into_string(), self.line.len()));
            }
            Event::End(TagEnd::Link) => {
                if let Some((target, start)) = self.link.take() {
                    let text: Vec<&str> = self.line[start..]
                        .iter()
                        .map(|it| it.text.as_str())
                        .collect();
                    if text.concat() != target {
                        self.words(&format!(" ({target})"), "");
                    }
                }
            }
            Event::Text(text) => self.words(&text, ""),
            Event::Code(text) => self.push(&text, CODE, false),
            Event::SoftBreak => self.words(" ", ""),
            Event::HardBreak => self.paragraph(),
            _ => {}
        }
    }

    /// Adds text that may be broken at its blanks.
    fn words(&mut self, text: &str, style: &'static str) {
        // Code blocks come as text, too.
        if self.indent.last() == Some(&4) {
            self.line.push(Word {
                text: text.to_owned(),
                style: "",
                spaced: false,
            });
            return;
        }
        for (index, part) in text.split(' ').enumerate() {
            self.push(part, style, index > 0);
        }
    }

    fn push(&mut self, text: &str, style: &'static str, spaced: bool) {
        self.line.push(Word {
            text: text.to_owned(),
            style,
            spaced,
        });
    }

    /// An empty line, unless there is one or nothing is before.
    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn styled(&mut self, text: &str, style: &str) {
        let text = &*escape_controls(text);
        if self.color && !style.is_empty() && !text.is_empty() {
            self.out.push_str(style);
            self.out.push_str(text);
            self.out.push_str(RESET);
        } else {
            self.out.push_str(text);
        }
    }

    /// Writes the words that were read, wrapped.
    fn paragraph(&mut self) {
        let words = std::mem::take(&mut self.line);
        if words.iter().all(|it| it.text.is_empty()) {
            return;
        }
        let indent: usize = self.indent.iter().sum();
        let bullet = self.bullet.take();
        let first = bullet
            .as_ref()
            .map_or(indent, |it| indent.saturating_sub(it.len()));
        self.out.push_str(&" ".repeat(first));
        self.out.push_str(bullet.as_deref().unwrap_or_default());
        let mut column = indent;
        let mut is_start = true;
        // Words without a blank between them stay together.
        for group in groups(&words) {
            let length: usize = group.iter().map(|it| it.text.chars().count()).sum();
            let blank = usize::from(!is_start && group[0].spaced);
            if !is_start && column + blank + length > self.width {
                self.out.push('\n');
                self.out.push_str(&" ".repeat(indent));
                column = indent;
            } else if blank == 1 {
                self.out.push(' ');
                column += 1;
            }
            for word in group {
                self.styled(&word.text, word.style);
            }
            column += length;
            is_start = is_start && length == 0;
        }
        self.out.push('\n');
    }

    /// Writes a block of code, without the blanks that all its lines begin with.
    fn code(&mut self) {
        let indent = " ".repeat(self.indent.iter().sum());
        let text: String = std::mem::take(&mut self.line)
            .iter()
            .map(|it| it.text.as_str())
            .collect();
        for line in text.lines() {
            self.out
                .push_str(if line.is_empty() { "" } else { &indent });
            self.styled(line, CODE);
            self.out.push('\n');
        }
    }

    /// Writes a table with columns of equal width; the last one is wrapped.
    fn rows(&mut self) {
        let rows = std::mem::take(&mut self.table);
        let size = |cell: &[Word]| -> usize {
            let blanks = cell.iter().skip(1).filter(|it| it.spaced).count();
            cell.iter().map(|it| it.text.chars().count()).sum::<usize>() + blanks
        };
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let widths: Vec<usize> = (0..columns)
            .map(|at| {
                rows.iter()
                    .filter_map(|it| it.get(at))
                    .map(|it| size(it))
                    .max()
                    .unwrap_or_default()
            })
            .collect();
        let indent: usize = self.indent.iter().sum();
        for (number, row) in rows.iter().enumerate() {
            self.out.push_str(&" ".repeat(indent));
            let mut column = indent;
            for (at, cell) in row.iter().enumerate() {
                if at > 0 {
                    self.out.push_str("  ");
                    column += 2;
                }
                let is_last = at + 1 == columns;
                let start = column;
                for (index, group) in groups(cell).into_iter().enumerate() {
                    let length: usize = group.iter().map(|it| it.text.chars().count()).sum();
                    let blank = usize::from(index > 0 && group[0].spaced);
                    if is_last && index > 0 && column + blank + length > self.width.max(start + 20)
                    {
                        self.out.push('\n');
                        self.out.push_str(&" ".repeat(start));
                        column = start;
                    } else if blank == 1 {
                        self.out.push(' ');
                        column += 1;
                    }
                    for word in group {
                        let style = if number == 0 { BOLD } else { word.style };
                        self.styled(&word.text, style);
                    }
                    column += length;
                }
                if !is_last {
                    let padding = (start + widths[at]).saturating_sub(column);
                    self.out.push_str(&" ".repeat(padding));
                    column += padding;
                }
            }
            while self.out.ends_with(' ') {
                self.out.pop();
            }
            self.out.push('\n');
        }
    }
}

/// The words that a line break must not part.
fn groups(words: &[Word]) -> Vec<&[Word]> {
    words.chunk_by(|_, next| !next.spaced).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::render;

    #[track_caller]
    fn check(markdown: &str, expected: Expect) {
        expected.assert_eq(&render(markdown, 40, false));
    }

    #[test]
    fn pages_are_wrapped() {
        check(
            "# add (instruction)\n\nAdds two numbers, and says so in a sentence that is long (`.sat` clamps).\n\n- `d`: the sum of \
             both of the addends, whatever they are.\n- `a`: a addend.\n\n## Notes\n\n```ptx\nadd.s32 %r0, %r1, %r2;\n```\n\n[PTX ISA 9.7](https://x.y/#add)",
            expect![[r#"
                add (instruction)

                Adds two numbers, and says so in a
                sentence that is long (.sat clamps).

                - d: the sum of both of the addends,
                  whatever they are.
                - a: a addend.

                Notes

                    add.s32 %r0, %r1, %r2;

                PTX ISA 9.7 (https://x.y/#add)
            "#]],
        );
    }

    #[test]
    fn tables_have_columns() {
        check(
            "| Bits | Meaning |\n|---|---|\n| 0–13 | start address |\n| 16–29 | the `leading` dimension offset of the matrix |",
            expect![[r#"
                Bits   Meaning
                0–13   start address
                16–29  the leading dimension offset of
                       the matrix
            "#]],
        );
    }

    #[test]
    fn terminals_get_colours() {
        let shown = render("# a\n\n`b` c", 40, true);
        assert_eq!(shown, "\u{1b}[1;4ma\u{1b}[0m\n\n\u{1b}[36mb\u{1b}[0m c\n");
    }
}
