//! Characters that are not read but act on whatever shows a text, and data that is not text at all.

use std::borrow::Cow;

/// How much of a file decides whether it is text, in bytes.
pub(crate) const BEGINNING: usize = 4096;
/// Data has at least one control character among this many; a text in an 8-bit encoding has fewer.
const DENSITY: usize = 16;
/// Fewer control characters are mistakes in a text, however short it is.
const FEW: usize = 4;

/// Whether a character acts on a terminal, a log or the order of the others: the control characters C0, DEL and C1, the
/// separators of lines and paragraphs, and those that set the direction of writing (UAX #9).
pub fn is_control(it: char) -> bool {
    it.is_control()
        || matches!(
            it,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// A text with such characters as escapes of Rust, so that it stays on one line and is shown as it is written.
pub fn escape_controls(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for it in text.chars() {
        match is_control(it) {
            true => out.extend(it.escape_default()),
            false => out.push(it),
        }
    }
    Cow::Owned(out)
}

/// Whether something that was read as text is other data, such as machine code, by its beginning.
pub fn is_binary(text: &str) -> bool {
    let end = text.floor_char_boundary(BEGINNING.min(text.len()));
    let beginning = &text[..end];
    let blank = |it: &char| matches!(it, '\t' | '\n' | '\r' | '\u{b}' | '\u{c}');
    let controls = beginning.chars().filter(|it| it.is_control() && !blank(it));
    let controls = controls.count();
    controls > FEW && controls * DENSITY > beginning.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_escaped() {
        assert_eq!(escape_controls("größe %r1"), "größe %r1");
        let hostile = "a\u{1b}[2J\u{7}\u{9b}\n::error::\r\u{202e}\u{2066}\u{2028}\u{7f}\u{200f}b";
        assert_eq!(
            escape_controls(hostile),
            r"a\u{1b}[2J\u{7}\u{9b}\n::error::\r\u{202e}\u{2066}\u{2028}\u{7f}\u{200f}b"
        );
    }

    #[test]
    fn data_is_not_text() {
        let text = ".version 8.0\n.target sm_90\n\t// caf\u{1a}\n";
        assert!(!is_binary(text));
        assert!(!is_binary(&format!("{text}\0")));
        assert!(!is_binary(""));
        assert!(!is_binary("\0\0"));
        assert!(is_binary("\u{7f}ELF\u{2}\u{1}\u{1}\0\0\0\0\0\0\0\0\0"));
        // UTF-16 has a zero next to each letter.
        let utf16: String = text.chars().flat_map(|it| [it, '\0']).collect();
        assert!(is_binary(&utf16));
        // Bytes of no pattern, as `decode` reads them.
        let mut state = 1u32;
        let noise = (0..10_000).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match char::from((state >> 24) as u8) {
                it if it.is_ascii() => it,
                _ => '\u{1a}',
            }
        });
        assert!(is_binary(&noise.collect::<String>()));
        let late = text.repeat(1000) + "\0\0\0\0\0\0\0\0";
        assert!(!is_binary(&late));
    }
}
