//! Small pieces of text.

/// A cursor over one line or a part of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scanner {
    rest: &'static str,
}

impl Scanner {
    pub(super) fn new(text: &'static str) -> Scanner {
        Scanner { rest: text.trim() }
    }

    pub(super) fn rest(self) -> &'static str {
        self.rest
    }

    pub(super) fn is_empty(self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn peek(self) -> char {
        self.rest.chars().next().unwrap_or('\0')
    }

    /// Consumes a piece of punctuation.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    /// Consumes a punctuation without the blanks after it.
    pub(super) fn eat_tight(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    pub(super) fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Consumes a keyword: a word that ends here.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let mut copy = *self;
        if copy.word() == Some(word) {
            *self = copy;
            return true;
        }
        false
    }

    /// Consumes a word: letters, digits, `_`, and `::` or `:` between them.
    pub(super) fn word(&mut self) -> Option<&'static str> {
        let word = self.word_tight()?;
        self.skip_blanks();
        Some(word)
    }

    pub(super) fn word_tight(&mut self) -> Option<&'static str> {
        let bytes = self.rest.as_bytes();
        let is_word = |it: u8| it.is_ascii_alphanumeric() || it == b'_' || it == b'%';
        let mut end = 0;
        while end < bytes.len() {
            if is_word(bytes[end]) {
                end += 1;
            } else if bytes[end..].starts_with(b"::")
                && bytes.get(end + 2).is_some_and(|it| is_word(*it))
                && end > 0
            {
                end += 2;
            } else if bytes[end] == b':'
                && end > 0
                && bytes[end - 1].is_ascii_digit()
                && bytes.get(end + 1).is_some_and(u8::is_ascii_digit)
            {
                end += 1;
            } else {
                break;
            }
        }
        if end == 0 {
            return None;
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(word)
    }

    /// Consumes a number.
    pub(super) fn number(&mut self) -> Option<i64> {
        let negative = self.rest.starts_with('-');
        let digits = &self.rest[usize::from(negative)..];
        let end = digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len());
        let value: i64 = digits[..end].parse().ok()?;
        self.rest = digits[end..].trim_start();
        Some(if negative { -value } else { value })
    }
}

/// Splits at a separator that stands outside of brackets.
pub(super) fn split_outside(text: &'static str, separator: char) -> Vec<&'static str> {
    let mut out = Vec::new();
    let mut depth = 0usize;
    let mut start = 0;
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if c == separator && depth == 0 => {
                out.push(text[start..i].trim());
                start = i + c.len_utf8();
            }
            _ => {}
        }
    }
    out.push(text[start..].trim());
    out
}

/// Splits at the first `:` that is no part of a word.
pub(super) fn split_colon(text: &'static str) -> Option<(&'static str, &'static str)> {
    let bytes = text.as_bytes();
    let at = (0..bytes.len()).find(|&i| {
        bytes[i] == b':'
            && bytes.get(i + 1).is_none_or(|it| *it == b' ')
            && (i == 0 || bytes[i - 1] != b':')
    })?;
    Some((text[..at].trim(), text[at + 1..].trim()))
}
