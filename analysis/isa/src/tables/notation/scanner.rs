//! Small pieces of text.

/// The result of reading a part of a line, or the message of a mistake.
pub(super) type Checked<T> = Result<T, String>;

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

/// Splits at an ASCII separator that is outside brackets.
pub(super) fn split_outside(
    text: &'static str,
    separator: u8,
) -> impl Iterator<Item = &'static str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        // Most texts have none, and to look for one byte is quick.
        if !text.as_bytes().contains(&separator) {
            rest = None;
            return Some(text.trim_ascii());
        }
        let mut depth = 0usize;
        for (i, byte) in text.bytes().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ if byte == separator && depth == 0 => {
                    rest = Some(&text[i + 1..]);
                    return Some(text[..i].trim_ascii());
                }
                _ => {}
            }
        }
        rest = None;
        Some(text.trim_ascii())
    })
}

/// Index of the first occurrence of a short pattern; the lines are too short for a searcher.
pub(super) fn find(text: &str, pattern: &str) -> Option<usize> {
    // A byte in the middle is rarer than a space in front.
    let middle = pattern.as_bytes().get(pattern.len() / 3)?;
    if !text.as_bytes().contains(middle) {
        return None;
    }
    let mut windows = text.as_bytes().windows(pattern.len());
    windows.position(|it| it == pattern.as_bytes())
}

/// Collects what is nearly always one element, in an allocation of the right size.
pub(super) fn collect<T, E>(items: impl Iterator<Item = Result<T, E>>) -> Result<Vec<T>, E> {
    let mut out = Vec::new();
    for item in items {
        let item = item?;
        out.reserve_exact(1);
        out.push(item);
    }
    Ok(out)
}

/// Splits at the first `:` that is not part of a word.
pub(super) fn split_colon(text: &'static str) -> Option<(&'static str, &'static str)> {
    let bytes = text.as_bytes();
    let at = (0..bytes.len()).find(|&i| {
        bytes[i] == b':'
            && bytes.get(i + 1).is_none_or(|it| *it == b' ')
            && (i == 0 || bytes[i - 1] != b':')
    })?;
    Some((text[..at].trim_ascii(), text[at + 1..].trim_ascii()))
}
