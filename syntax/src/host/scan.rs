//! The common part of the lexers of several languages: a place in the bytes of a text.

use rowan::{TextRange, TextSize};

/// A place in a text, of which only a part may be read.
#[derive(Clone)]
pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) pos: usize,
    /// Where reading ends.
    pub(super) end: usize,
}

/// Whether a byte may be inside a name; those of longer characters may.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// A range of bytes.
pub(super) fn range(from: usize, to: usize) -> TextRange {
    TextRange::new(TextSize::new(from as u32), TextSize::new(to as u32))
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Scan<'a> {
        Scan {
            text,
            bytes: text.as_bytes(),
            pos: 0,
            end: text.len(),
        }
    }

    /// The byte here; 0 at the end.
    pub(super) fn peek(&self) -> u8 {
        self.at(0)
    }

    /// A byte further on; 0 after the end.
    pub(super) fn at(&self, ahead: usize) -> u8 {
        match self.pos + ahead < self.end {
            true => self.bytes[self.pos + ahead],
            false => 0,
        }
    }

    pub(super) fn is_end(&self) -> bool {
        self.pos >= self.end
    }

    /// Whether a text is here.
    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.bytes[self.pos.min(self.end)..self.end].starts_with(text.as_bytes())
    }

    /// Advances by `count` bytes, at most to the end.
    pub(super) fn bump(&mut self, count: usize) {
        self.pos = (self.pos + count).min(self.end);
    }

    /// Moves past the next such byte, or to the end.
    pub(super) fn skip_past(&mut self, byte: u8) {
        self.pos = memchr::memchr(byte, &self.bytes[self.pos..self.end])
            .map_or(self.end, |it| self.pos + it + 1);
    }

    /// Goes to the next line break, or to the end.
    pub(super) fn skip_line(&mut self) {
        self.pos = memchr::memchr(b'\n', &self.bytes[self.pos..self.end])
            .map_or(self.end, |it| self.pos + it);
    }

    /// Moves past `*/`, or to the end.
    pub(super) fn skip_block_comment(&mut self) {
        loop {
            self.skip_past(b'*');
            if self.is_end() || self.peek() == b'/' {
                self.bump(1);
                return;
            }
        }
    }

    /// Reads a name that starts here; an empty one if none does.
    pub(super) fn name(&mut self) -> &'a str {
        let start = self.pos;
        while self.pos < self.end && is_name(self.bytes[self.pos]) {
            self.pos += 1;
        }
        // Bytes of longer characters are all taken or none of them.
        self.text.get(start..self.pos).unwrap_or_default()
    }

    /// Moves past a string that started with `quote` and ends with it, with backslashes before what does not end it;
    /// where a line break ends it, it is not closed. Returns where its content ends, and whether it is closed.
    pub(super) fn quoted(&mut self, quote: u8, lines: bool) -> (usize, bool) {
        while self.pos < self.end {
            match memchr::memchr3(quote, b'\\', b'\n', &self.bytes[self.pos..self.end]) {
                None => break,
                Some(found) => self.pos += found,
            }
            let byte = self.bytes[self.pos];
            if byte == quote {
                self.bump(1);
                return (self.pos - 1, true);
            }
            if byte == b'\n' {
                if !lines {
                    return (self.pos, false);
                }
                self.bump(1);
            } else if self.at(1) == b'\r' && self.at(2) == b'\n' {
                self.bump(3);
            } else {
                self.bump(1);
                // All of the character after it.
                self.bump(
                    self.text[self.pos..]
                        .chars()
                        .next()
                        .map_or(0, char::len_utf8),
                );
            }
        }
        self.pos = self.end;
        (self.end, false)
    }
}
