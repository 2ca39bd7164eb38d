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
    if !is_terminal {
        return DEFAULT_WIDTH;
    }
    let stated = std::env::var("COLUMNS").ok();
    let stated = stated.and_then(|it| it.parse().ok());
    let measured = || terminal_size::terminal_size().map(|it| usize::from(it.0.0));
    let columns = stated.or_else(measured).unwrap_or(DEFAULT_WIDTH);
    columns.clamp(MIN_WIDTH, MAX_WIDTH)
}

/// Markdown as lines of at most `width` columns. Longer lines of code are continued, indented, after a comma or before
/// a modifier.
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

/// The parts of a page that are not divided: a heading with what follows it, a paragraph, a list, a block of code.
pub(super) fn blocks(markdown: &str) -> Vec<&str> {
    let mut starts = Vec::new();
    let mut depth = 0;
    let mut after_heading = false;
    for (event, range) in Parser::new_ext(markdown, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    if !after_heading {
                        starts.push(range.start);
                    }
                    after_heading = matches!(tag, Tag::Heading { level, .. } if level as usize > 1);
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    let ends = starts.iter().skip(1).copied().chain([markdown.len()]);
    starts
        .iter()
        .zip(ends)
        .filter_map(|(start, end)| markdown.get(*start..end))
        .collect()
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
                    // An address is not broken, and without it the name of the section remains.
                    let fits = target.len() + 8 < self.width;
                    if text.concat() != target && fits {
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
        // Words without a blank between them stay together, unless they are longer than a line.
        let room = self.width.saturating_sub(indent).max(1);
        for group in groups(&broken(&words, room)) {
            let length = size(group);
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
        let room = self.width.saturating_sub(indent.len()).max(1);
        for line in text.lines().flat_map(|it| continued(it, room)) {
            self.out
                .push_str(if line.is_empty() { "" } else { &indent });
            self.styled(&line, CODE);
            self.out.push('\n');
        }
    }

    /// Writes a table whose cells are wrapped, or a list of its rows where the columns would be too narrow.
    fn rows(&mut self) {
        let rows = std::mem::take(&mut self.table);
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let indent: usize = self.indent.iter().sum();
        let room = self
            .width
            .saturating_sub(indent + GAP * columns.saturating_sub(1));
        let widest = |at: usize| {
            let cells = rows.iter().filter_map(|it| it.get(at));
            cells.map(|it| size(it)).max().unwrap_or_default()
        };
        let mut widths: Vec<usize> = (0..columns).map(widest).collect();
        while widths.iter().sum::<usize>() > room {
            match widths.iter_mut().max() {
                Some(most) if *most > MIN_COLUMN => *most -= 1,
                _ => return self.list_rows(&rows),
            }
        }
        for (number, row) in rows.iter().enumerate() {
            let cells: Vec<Vec<Vec<Word>>> = row
                .iter()
                .zip(&widths)
                .map(|(cell, width)| wrapped(cell, *width))
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or_default();
            for line in 0..height {
                self.out.push_str(&" ".repeat(indent));
                for (at, cell) in cells.iter().enumerate() {
                    let words = cell.get(line).map_or(&[][..], |it| it);
                    for (index, word) in words.iter().enumerate() {
                        if index > 0 && word.spaced {
                            self.out.push(' ');
                        }
                        let style = if number == 0 { BOLD } else { word.style };
                        self.styled(&word.text, style);
                    }
                    if at + 1 < cells.len() {
                        let padding = (widths[at] + GAP).saturating_sub(size(words));
                        self.out.push_str(&" ".repeat(padding));
                    }
                }
                while self.out.ends_with(' ') {
                    self.out.pop();
                }
                self.out.push('\n');
            }
        }
    }

    /// Writes the rows of a table as a list: the first cell, and below it the others with the heads of their columns.
    fn list_rows(&mut self, rows: &[Vec<Vec<Word>>]) {
        let Some((heads, rows)) = rows.split_first() else {
            return;
        };
        for row in rows {
            for (at, cell) in row.iter().enumerate().filter(|it| !it.1.is_empty()) {
                self.bullet = Some("- ".to_owned());
                self.indent.push(if at == 0 { 2 } else { 4 });
                if at > 0
                    && let Some(head) = heads.get(at)
                {
                    self.line.extend(head.iter().cloned());
                    self.push(":", "", false);
                }
                let start = self.line.len();
                self.line.extend(cell.iter().cloned());
                if let Some(first) = self.line.get_mut(start) {
                    first.spaced = start > 0;
                }
                self.paragraph();
                self.indent.pop();
            }
        }
    }
}

/// Blanks between two columns.
const GAP: usize = 2;
/// Columns that would be narrower make no table.
const MIN_COLUMN: usize = 10;

/// The columns that words take in one line.
fn size(words: &[Word]) -> usize {
    let blanks = words.iter().skip(1).filter(|it| it.spaced).count();
    words
        .iter()
        .map(|it| it.text.chars().count())
        .sum::<usize>()
        + blanks
}

/// The words, with those that are longer than `room` in pieces.
fn broken(words: &[Word], room: usize) -> Vec<Word> {
    let mut found = Vec::new();
    for group in groups(words) {
        if size(group) <= room {
            found.extend(group.iter().cloned());
            continue;
        }
        let mut spaced = group[0].spaced;
        for word in group {
            for piece in pieces(&word.text, room) {
                found.push(Word {
                    text: piece,
                    style: word.style,
                    spaced,
                });
                // A blank may come where nothing was; in a line of its own it is not seen.
                spaced = true;
            }
        }
    }
    found
}

/// A text without blanks in pieces of at most `room` letters, broken before a period where there is one.
fn pieces(text: &str, room: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut start = 0;
    while letters.len() - start > room {
        let window = &letters[start..start + room];
        let end = window.iter().rposition(|it| matches!(it, '.' | '/' | '{'));
        let end = start + end.filter(|it| *it > 0).unwrap_or(room);
        found.push(letters[start..end].iter().collect());
        start = end;
    }
    found.push(letters[start..].iter().collect());
    found
}

/// The lines of a cell of a width.
fn wrapped(cell: &[Word], width: usize) -> Vec<Vec<Word>> {
    let mut lines: Vec<Vec<Word>> = vec![Vec::new()];
    let mut column = 0;
    for group in groups(&broken(cell, width.max(1))) {
        let length = size(group);
        let blank = usize::from(column > 0 && group[0].spaced);
        if column > 0 && column + blank + length > width {
            lines.push(Vec::new());
            column = 0;
        } else {
            column += blank;
        }
        column += length;
        if let Some(last) = lines.last_mut() {
            last.extend(group.iter().cloned());
        }
    }
    lines
}

/// A line of code in lines of at most `room` columns: broken after a comma, at a blank, or before a modifier; the rest is
/// indented. The rest of a comment is a comment, and continues a `// run:`, so that a copy means the same.
fn continued(line: &str, room: usize) -> Vec<String> {
    let mut rest: Vec<char> = line.chars().collect();
    let own = rest.iter().take_while(|it| **it == ' ').count();
    let mut found = Vec::new();
    while rest.len() > room {
        let comment = rest.windows(2).position(|it| it == ['/', '/']);
        let whole = comment.filter(|it| rest[..*it].iter().all(|it| *it == ' '));
        // A line has more than its indentation.
        let start = whole.map_or(0, |it| it + 2);
        let blanks = rest[start..].iter().take_while(|it| **it == ' ').count();
        let start = start + blanks + 1;
        let breaks = |at: &usize| {
            let (before, after) = (rest[*at - 1], rest[*at]);
            after == ' '
                || matches!(after, '.' | '{') && (before.is_alphanumeric() || before == '}')
        };
        let blank = |at: &usize| rest[*at] == ' ';
        let half = room / 2;
        let mut places = (start.max(half)..=room).rev();
        let end = match places.find(blank) {
            Some(at) => at,
            // `expect.values` is one word of a comment.
            None if whole.is_some() => match (start..=room).rev().find(blank) {
                Some(at) => at,
                None => break,
            },
            None => (start..=room).rev().find(breaks).unwrap_or(room),
        };
        found.push(rest[..end].iter().collect::<String>().trim_end().to_owned());
        let is_comment = comment.is_some_and(|it| it < end);
        let before = match is_comment {
            true => format!("{}//  ", " ".repeat(own.min(room / 2))),
            false => " ".repeat((own + 4).min(room / 2)),
        };
        let after = rest[end..].iter().skip_while(|it| **it == ' ');
        rest = before.chars().chain(after.copied()).collect();
    }
    found.push(rest.into_iter().collect());
    found
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

    /// Copied code is still PTX.
    #[test]
    fn code_is_continued() {
        check(
            "Code:\n\n```ptx\n// run: block=[32] args.values={ramp=[64], type=\"u32\"} expect.values={value=7}\nmov.b32 %thousand, \
             0x64006400;  // {1024.0, 1024.0}\nmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1}\n```",
            expect![[r#"
                Code:

                    // run: block=[32]
                    //  args.values={ramp=[64],
                    //  type="u32"}
                    //  expect.values={value=7}
                    mov.b32 %thousand, 0x64006400;  //
                    //  {1024.0, 1024.0}
                    mma.sync.aligned.m16n8k16.row.col
                        .f32.f16.f16.f32 {%d0, %d1}
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
