//! Lines and columns without the text, kept up to date under edits.

use memchr::memchr2;

use crate::{
    TextRange, TextSize,
    text::{Edit, Encoding, MAX_LEN, Position},
};

/// Starts and ends of lines and the places of non-ASCII characters of one text.
///
/// A line ends after `\n`, after `\r\n` or after a `\r` without `\n`, as LSP defines lines and as
/// editors count them. (ptxas counts `\n` only: line numbers of its messages are its own.) The line
/// break belongs to the line that it ends; the last line has none, so every text has a line.
///
/// All questions are answered without the text. Offsets and positions outside the text, inside a
/// character or inside a line break are moved back to the nearest place that is none of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineTable {
    /// Offset of each line's first byte; the first is 0.
    starts: Vec<u32>,
    /// Length in bytes of the break that ends each line: 1 or 2, and 0 for the last line.
    breaks: Vec<u8>,
    /// All characters that are not ASCII, in order.
    wide: Vec<WideChar>,
    /// Length of the text in bytes.
    len: u32,
}

/// A non-ASCII character; everything besides its offset is relative to its line, such that an edit
/// changes nothing but offsets in the lines that it does not touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WideChar {
    offset: u32,
    /// How many bytes more than UTF-16 code units are before it on its line.
    excess16: u32,
    /// How many bytes more than characters are before it on its line.
    excess32: u32,
    /// Its length in UTF-8: 2 to 4 bytes.
    len: u8,
}

impl WideChar {
    /// Its length in code units of `encoding`.
    fn units(self, encoding: Encoding) -> u32 {
        match encoding {
            Encoding::Utf8 => u32::from(self.len),
            Encoding::Utf16 => 1 + u32::from(self.len == 4),
            Encoding::Utf32 => 1,
        }
    }

    /// How many bytes more than code units of `encoding` are before it on its line.
    fn excess_before(self, encoding: Encoding) -> u32 {
        match encoding {
            Encoding::Utf8 => 0,
            Encoding::Utf16 => self.excess16,
            Encoding::Utf32 => self.excess32,
        }
    }

    /// The same, with the character itself counted.
    fn excess_after(self, encoding: Encoding) -> u32 {
        self.excess_before(encoding) + u32::from(self.len) - self.units(encoding)
    }

    fn end(self) -> u32 {
        self.offset + u32::from(self.len)
    }
}

/// The table of the empty text.
impl Default for LineTable {
    fn default() -> LineTable {
        LineTable {
            starts: vec![0],
            breaks: vec![0],
            wide: Vec::new(),
            len: 0,
        }
    }
}

impl LineTable {
    /// The table of the first [`MAX_LEN`] bytes of `text`.
    pub fn new(text: &str) -> LineTable {
        let text = &text[..text.floor_char_boundary(MAX_LEN)];
        let mut scan = Scan::default();
        scan.lines(text, 0, text.len());
        scan.close();
        LineTable {
            starts: scan.starts,
            breaks: scan.breaks,
            wide: scan.wide,
            len: u32_from(text.len()),
        }
    }

    /// Brings the table up to date: it described the text before `edit`, and then describes
    /// `text_after`, the text after it.
    ///
    /// The cost grows with the lines that the edit touches, plus one addition per later line.
    /// A text that cannot be the result of the edit makes the table be built anew.
    pub fn apply(&mut self, edit: &Edit, text_after: &str) {
        let (start, end) = (u32::from(edit.range.start()), u32::from(edit.range.end()));
        let len_after =
            (self.len as usize + edit.insert.len()).wrapping_sub((end - start) as usize);
        if self.len < end || len_after != text_after.len() || MAX_LEN < len_after {
            *self = LineTable::new(text_after);
            return;
        }

        // The lines that are scanned again. A `\r` that ends the line before may come to be
        // before a `\n`, so an edit at the start of a line touches that one too.
        let first = self.line_index(start);
        let first = if self.starts[first] == start {
            first.saturating_sub(1)
        } else {
            first
        };
        let last = self.line_index(end);
        let window_start = self.starts[first];
        let window_end = self.starts.get(last + 1).copied().unwrap_or(self.len);
        let is_at_end = last + 1 == self.starts.len();

        // Shifts are wrapping because the text may shrink.
        let shift = u32_from(len_after).wrapping_sub(self.len);
        let window_end_after = window_end.wrapping_add(shift);
        let (from, to) = (window_start as usize, window_end_after as usize);
        if !text_after.is_char_boundary(from) || !text_after.is_char_boundary(to) {
            *self = LineTable::new(text_after);
            return;
        }

        let mut scan = Scan::default();
        scan.lines(text_after, from, to);
        if is_at_end {
            scan.close();
        } else if scan.starts.pop() != Some(window_end_after) {
            // The line after the window is known already, if the text is what the edit makes.
            *self = LineTable::new(text_after);
            return;
        }

        let first_wide = self.wide.partition_point(|it| it.offset < window_start);
        let end_wide = self.wide.partition_point(|it| it.offset < window_end);
        if shift != 0 {
            for it in &mut self.starts[last + 1..] {
                *it = it.wrapping_add(shift);
            }
            for it in &mut self.wide[end_wide..] {
                it.offset = it.offset.wrapping_add(shift);
            }
        }
        self.starts.splice(first..=last, scan.starts);
        self.breaks.splice(first..=last, scan.breaks);
        self.wide.splice(first_wide..end_wide, scan.wide);
        self.len = u32_from(len_after);
    }

    /// Length of the text in bytes.
    pub fn text_len(&self) -> TextSize {
        self.len.into()
    }

    /// Number of lines, at least 1: the text after the last line break is a line, even when empty.
    pub fn line_count(&self) -> u32 {
        u32_from(self.starts.len())
    }

    /// The zero-based line that contains `offset`; a line break belongs to the line it ends.
    pub fn line_of(&self, offset: TextSize) -> u32 {
        u32_from(self.line_index(offset.into()))
    }

    /// Offset of the first byte of `line`, or the end of the text when there are fewer lines.
    pub fn line_start(&self, line: u32) -> TextSize {
        self.starts
            .get(line as usize)
            .copied()
            .unwrap_or(self.len)
            .into()
    }

    /// Offset of the end of `line`, before its line break, or the end of the text when there are
    /// fewer lines.
    pub fn line_end(&self, line: u32) -> TextSize {
        self.content_end(line as usize).into()
    }

    /// Range of `line` with its line break; empty at the end of the text when there are not so
    /// many lines.
    pub fn line_range(&self, line: u32) -> TextRange {
        TextRange::new(
            self.line_start(line),
            self.line_start(line.saturating_add(1)),
        )
    }

    /// The line and the column of `offset`.
    ///
    /// An offset that is not a position (see the type) gets the nearest position before it.
    pub fn position(&self, offset: TextSize, encoding: Encoding) -> Position {
        let offset = u32::from(offset).min(self.len);
        let line = self.line_index(offset);
        let mut offset = offset.min(self.content_end(line));
        let start = self.starts[line];

        let before = &self.wide[..self.wide.partition_point(|it| it.offset < offset)];
        let excess = match before.last() {
            Some(it) if it.offset < start => 0,
            Some(it) if offset < it.end() => {
                offset = it.offset;
                it.excess_before(encoding)
            }
            Some(it) => it.excess_after(encoding),
            None => 0,
        };
        Position {
            line: u32_from(line),
            character: offset - start - excess,
        }
    }

    /// The offset of a line and a column.
    ///
    /// A line after the last one means the end of the text, a column after the end of the line
    /// means the place before its line break, and a column inside a character means its start.
    pub fn offset(&self, position: Position, encoding: Encoding) -> TextSize {
        let line = position.line as usize;
        let Some(&start) = self.starts.get(line) else {
            return self.len.into();
        };
        let end = self.content_end(line);
        let column = position.character;

        // The last wide character of the line whose column is not after the one asked for.
        let before = self.wide.partition_point(|it| {
            it.offset < start
                || it.offset < end && it.offset - start - it.excess_before(encoding) <= column
        });
        let offset = match before.checked_sub(1).map(|it| self.wide[it]) {
            Some(it) if start <= it.offset => {
                let own_column = it.offset - start - it.excess_before(encoding);
                if column - own_column < it.units(encoding) {
                    it.offset
                } else {
                    start
                        .saturating_add(column)
                        .saturating_add(it.excess_after(encoding))
                }
            }
            _ => start.saturating_add(column),
        };
        offset.min(end).into()
    }

    /// The range between two positions, in either order: clients are known to send both.
    pub fn range(&self, start: Position, end: Position, encoding: Encoding) -> TextRange {
        let (start, end) = (self.offset(start, encoding), self.offset(end, encoding));
        TextRange::new(start.min(end), start.max(end))
    }

    fn line_index(&self, offset: u32) -> usize {
        // The first start is 0, hence there is always one that is not after the offset.
        self.starts.partition_point(|&it| it <= offset) - 1
    }

    fn content_end(&self, line: usize) -> u32 {
        match (self.starts.get(line + 1), self.breaks.get(line)) {
            (Some(next), Some(&line_break)) => next - u32::from(line_break),
            _ => self.len,
        }
    }
}

/// The facts in the table about a run of whole lines.
#[derive(Default)]
struct Scan {
    starts: Vec<u32>,
    breaks: Vec<u8>,
    wide: Vec<WideChar>,
}

impl Scan {
    /// Scans `text[from..to]`, where `from` is the start of a line and `to` the end of one.
    ///
    /// Afterwards there is one start more than there are breaks: the start of the line at `to`.
    fn lines(&mut self, text: &str, from: usize, to: usize) {
        self.starts.push(u32_from(from));
        let bytes = text.as_bytes();
        let is_ascii = bytes[from..to].is_ascii();
        let mut start = from;
        while start < to {
            let found = memchr2(b'\n', b'\r', &bytes[start..to]);
            let content_end = found.map_or(to, |it| start + it);
            if !is_ascii {
                self.wide_chars(&text[start..content_end], start);
            }
            if found.is_none() {
                break;
            }
            let is_crlf = bytes[content_end..].starts_with(b"\r\n");
            start = content_end + 1 + usize::from(is_crlf);
            self.breaks.push(1 + u8::from(is_crlf));
            self.starts.push(u32_from(start));
        }
    }

    /// Ends the last line, the one without a line break.
    fn close(&mut self) {
        self.breaks.push(0);
    }

    fn wide_chars(&mut self, line: &str, start: usize) {
        if line.is_ascii() {
            return;
        }
        let (mut excess16, mut excess32) = (0, 0);
        for (column, char) in line.char_indices().filter(|(_, char)| !char.is_ascii()) {
            let wide = WideChar {
                offset: u32_from(start + column),
                excess16,
                excess32,
                // A character has at most 4 bytes.
                len: char.len_utf8() as u8,
            };
            excess16 = wide.excess_after(Encoding::Utf16);
            excess32 = wide.excess_after(Encoding::Utf32);
            self.wide.push(wide);
        }
    }
}

/// Offsets and counts of a text that is no longer than [`MAX_LEN`] always fit.
fn u32_from(size: usize) -> u32 {
    size.try_into().unwrap_or(u32::MAX)
}
