//! The machine code that `ptxas` made of a text, with the lines that an editor counts.

use std::collections::BTreeMap;

use machine::{
    cubin::{self, Source},
    listing::{self, Listing},
    row::Row,
};
use rustc_hash::FxHashMap;
use syntax::{Cursor, Document, SyntaxKind, text::LineTable};
use tracing::debug;

/// The machine code of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineCode {
    /// The code of each entry, in the order of the cubin. Lines count in the text, from 1.
    pub listings: Vec<Listing>,
    /// The files that PTX was made of, if `.loc` names them: [`Source::file`] is an index.
    pub files: Vec<String>,
    /// The statements of the text that have several lines: the first and the last one, from 1, in order.
    pub(crate) statements: Vec<(u32, u32)>,
}

impl MachineCode {
    /// Reads a cubin for a target, and what `nvdisasm` says of it, if it was run.
    #[must_use]
    pub fn read(bytes: &[u8], disassembly: Option<&str>, target: &str, text: &str) -> MachineCode {
        let cubin = match cubin::read(bytes) {
            Ok(cubin) => cubin,
            Err(error) => {
                debug!(%error, "the machine code cannot be read");
                return MachineCode::default();
            }
        };
        let mut listings = listing::join(&cubin, disassembly, target);
        let lines = Lines::new(text);
        for row in listings.iter_mut().flat_map(|it| &mut it.rows) {
            row.line = row.line.and_then(|it| lines.in_editor(it));
        }
        MachineCode {
            listings,
            files: cubin.files.names().to_owned(),
            statements: statements(text),
        }
    }

    /// The first and the last line of the statement that has a line; all count from 1. Of a statement on several
    /// lines `ptxas` names one, sometimes the first and sometimes the last.
    #[must_use]
    pub fn statement(&self, line: u32) -> (u32, u32) {
        let after = self.statements.partition_point(|it| it.0 <= line);
        let before = after.checked_sub(1).and_then(|it| self.statements.get(it));
        match before {
            Some(statement) if line <= statement.1 => *statement,
            _ => (line, line),
        }
    }

    /// The machine instructions that were made of the statement at a line, from 1, entry by entry. Routines of
    /// `ptxas` belong to no line.
    pub fn rows_at(&self, line: u32) -> impl Iterator<Item = &Row> {
        let (first, last) = self.statement(line);
        let rows = self.listings.iter().flat_map(|it| &it.rows);
        rows.filter(move |it| it.line.is_some_and(|it| first <= it && it <= last))
    }

    /// How many machine instructions were made of the statements of lines: the last line of each, from 1, in order.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<u32, u32> {
        let mut counts = BTreeMap::new();
        let rows = self.listings.iter().flat_map(|it| &it.rows);
        for line in rows.filter_map(|it| it.line) {
            *counts.entry(self.statement(line).1).or_default() += 1;
        }
        counts
    }

    /// The name of the file of a source.
    #[must_use]
    pub fn file(&self, source: Source) -> &str {
        self.files.get(source.file as usize).map_or("", |it| it)
    }

    /// For each function its lines, from 0, each with the most registers that are live there.
    #[must_use]
    pub fn live_lines(&self) -> FxHashMap<&str, Vec<(u32, u32)>> {
        let mut found = FxHashMap::default();
        for listing in &self.listings {
            let mut lines = BTreeMap::new();
            for row in &listing.rows {
                if let (Some(line), Some(live)) = (row.line, row.live) {
                    let most: &mut u32 = lines.entry(line.saturating_sub(1)).or_default();
                    *most = live.max(*most);
                }
            }
            found.insert(&*listing.name, lines.into_iter().collect());
        }
        found
    }
}

/// The instructions of a text that have several lines: the first and the last one, from 1.
fn statements(text: &str) -> Vec<(u32, u32)> {
    let document = Document::new(text.to_owned());
    let mut found = Vec::new();
    visit(
        &document.contents().tree.cursor(),
        document.lines(),
        &mut found,
    );
    found
}

fn visit(node: &Cursor<'_>, lines: &LineTable, found: &mut Vec<(u32, u32)>) {
    for child in node.nodes() {
        match child.kind() {
            SyntaxKind::INSTRUCTION => {
                let words = || child.tokens().filter(|it| !it.kind().is_trivia());
                // It ends at the semicolon; comments may be before its start.
                let (Some(first), Some(last)) = (words().next(), words().last()) else {
                    continue;
                };
                let guard = child.nodes().next().map(|it| it.range().start());
                let start = guard.map_or(first.range().start(), |it| it.min(first.range().start()));
                let first = lines.line_of(start) + 1;
                let last = lines.line_of(last.range().end()) + 1;
                if first < last {
                    found.push((first, last));
                }
            }
            SyntaxKind::FUNCTION | SyntaxKind::BLOCK | SyntaxKind::STATEMENT_RUN => {
                visit(&child, lines, found);
            }
            _ => {}
        }
    }
}

/// The lines that `ptxas` counts, and those that an editor does.
struct Lines {
    /// From each physical line on (from 0, by line feeds) which number it has for `ptxas`, from 1: line markers
    /// change that.
    markers: Vec<(u32, u32)>,
    /// For each physical line how many lone carriage returns are before it, if there are any: they break lines
    /// for an editor.
    returns: Vec<u32>,
    count: u32,
}

impl Lines {
    fn new(text: &str) -> Lines {
        let mut lines = Lines {
            markers: vec![(0, 1)],
            returns: Vec::new(),
            count: 0,
        };
        let has_returns = text.contains('\r');
        let mut returns = 0;
        for row in text.split('\n') {
            if has_returns {
                lines.returns.push(returns);
                let row = row.strip_suffix('\r').unwrap_or(row);
                returns += u32::try_from(row.matches('\r').count()).unwrap_or(u32::MAX);
            }
            if let Some(number) = marker(row) {
                lines.markers.push((lines.count + 1, number));
            }
            lines.count += 1;
        }
        lines
    }

    /// The line of an editor, from 1, of a line of `ptxas`. With line markers a number may stand for several
    /// lines; the first one is meant.
    fn in_editor(&self, line: u32) -> Option<u32> {
        let mut ends = self.markers.iter().skip(1).map(|it| it.0);
        for (start, first) in &self.markers {
            let end = ends.next().unwrap_or(self.count);
            let Some(place) = line
                .checked_sub(*first)
                .and_then(|it| it.checked_add(*start))
            else {
                continue;
            };
            if place < end {
                let returns = self.returns.get(place as usize).copied();
                return place
                    .checked_add(1)?
                    .checked_add(returns.unwrap_or_default());
            }
        }
        None
    }
}

/// The number of the line after `# 7 "original.ptx"`.
fn marker(row: &str) -> Option<u32> {
    let rest = row.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.split(|it: char| !it.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_on_several_lines() {
        let text = ".entry k() {\n// a\nmov.u32\n%r1,\n1;\nret;\n{\n@%p\nbra\nL; ret;\n}\n}";
        assert_eq!(statements(text), [(3, 5), (8, 10)]);
        let code = MachineCode {
            statements: statements(text),
            ..MachineCode::default()
        };
        let of = [2, 3, 5, 6, 9, 11].map(|it| code.statement(it));
        assert_eq!(of, [(2, 2), (3, 5), (3, 5), (6, 6), (8, 10), (11, 11)]);
    }

    #[test]
    fn lines_of_an_editor() {
        let of = |text: &str, line: u32| Lines::new(text).in_editor(line);
        assert_eq!(of("a\nb\nc", 2), Some(2));
        assert_eq!(of("a\nb", 3), None);
        // A marker says which number the next line has.
        let marked = "a\n# 7 \"x.ptx\"\nb\nc\n #line 100\nd";
        let lines = [1, 2, 7, 8, 9, 100, 101].map(|it| of(marked, it));
        assert_eq!(
            lines,
            [Some(1), Some(2), Some(3), Some(4), Some(5), Some(6), None]
        );
        // A lone carriage return breaks a line for an editor only.
        assert_eq!(of("a\rb\r\nc\n", 1), Some(1));
        assert_eq!(of("a\rb\r\nc\n", 2), Some(3));
        assert_eq!(of("a", 0), None);
    }
}
