//! The values of string literals.

use rowan::{TextRange, TextSize};

use super::map::{Mapped, RunKind};

/// The rules by which the content of a literal is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Escapes {
    /// C and C++.
    C,
    /// Nothing is an escape: raw strings of C++, Python and Rust.
    Raw,
    /// Python.
    Python,
    /// Python with expressions in braces.
    PythonFormat,
    /// Python with expressions in braces, without escapes.
    PythonRawFormat,
    /// Rust.
    Rust,
    /// LLVM IR.
    Llvm,
}

impl Escapes {
    /// How the text of a piece of assembly is written in such a literal, where it means itself; none if it cannot be
    /// written there.
    #[must_use]
    pub fn escape(self, text: &str) -> Option<String> {
        let mut out = String::with_capacity(text.len());
        for char in text.chars() {
            match (self, char) {
                (Escapes::Raw, '"' | '\'' | '\r') => return None,
                (Escapes::PythonRawFormat, '"' | '\'' | '\\') => return None,
                (Escapes::PythonFormat | Escapes::PythonRawFormat, '{' | '}') => {
                    out.push(char);
                    out.push(char);
                }
                (Escapes::Raw | Escapes::PythonRawFormat, _) => out.push(char),
                (Escapes::Llvm, '"' | '\\') => out += &format!("\\{:02X}", char as u32),
                (Escapes::Llvm, '\0'..='\x1f') => out += &format!("\\{:02X}", char as u32),
                (_, '\n') => out += "\\n",
                (_, '\t') => out += "\\t",
                (_, '\r') => out += "\\r",
                (_, '"' | '\\') => {
                    out.push('\\');
                    out.push(char);
                }
                (Escapes::Python | Escapes::PythonFormat, '\'') => out += "\\'",
                _ => out.push(char),
            }
        }
        Some(out)
    }
}

/// Adds what a literal stands for. `content` is what is between its quotes, at an offset of the host. A hole is
/// filled with `hole`.
pub fn decode(content: &str, at: TextSize, escapes: Escapes, hole: &str, out: &mut Mapped) {
    let format = matches!(escapes, Escapes::PythonFormat | Escapes::PythonRawFormat);
    let raw = matches!(escapes, Escapes::Raw | Escapes::PythonRawFormat);
    let bytes = content.as_bytes();
    let place = |from: usize, to: usize| {
        let offset = |it: usize| at + TextSize::new(it as u32);
        TextRange::new(offset(from), offset(to))
    };
    let (mut copied, mut pos) = (0, 0);
    while pos < bytes.len() {
        let found = if format {
            bytes[pos..]
                .iter()
                .position(|it| matches!(it, b'\\' | b'{' | b'}'))
        } else {
            memchr::memchr(b'\\', &bytes[pos..])
        };
        let Some(found) = found else {
            break;
        };
        pos += found;
        if bytes[pos] == b'\\' {
            if raw {
                pos += 1;
                continue;
            }
            let (len, char) = escape(&content[pos..], escapes);
            if len == 0 {
                pos += 1;
                continue;
            }
            out.copy(&content[copied..pos], at + TextSize::new(copied as u32));
            let mut buffer = [0; 4];
            let text = char.map_or("", |it| it.encode_utf8(&mut buffer));
            out.put(text, place(pos, pos + len), RunKind::Escape);
            pos += len;
        } else {
            out.copy(&content[copied..pos], at + TextSize::new(copied as u32));
            let doubled = bytes.get(pos + 1) == Some(&bytes[pos]);
            if doubled {
                let text = &content[pos..=pos];
                out.put(text, place(pos, pos + 2), RunKind::Escape);
                pos += 2;
            } else {
                let len = match bytes[pos] {
                    b'{' => braces(&bytes[pos..]),
                    _ => 1,
                };
                out.put(hole, place(pos, pos + len), RunKind::Hole);
                pos += len;
            }
        }
        copied = pos;
    }
    out.copy(&content[copied..], at + TextSize::new(copied as u32));
}

/// The length of an expression in braces with its braces.
fn braces(bytes: &[u8]) -> usize {
    let mut depth = 0u32;
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return index + 1;
                }
            }
            _ => {}
        }
    }
    bytes.len()
}

/// The length of an escape at the start of a text and the character that it stands for, if any. A length of 0 says
/// that the backslash means itself.
fn escape(text: &str, escapes: Escapes) -> (usize, Option<char>) {
    let bytes = text.as_bytes();
    let Some(&kind) = bytes.get(1) else {
        return (0, None);
    };
    if escapes == Escapes::Llvm {
        return match bytes.get(1..3).and_then(|it| str::from_utf8(it).ok()) {
            _ if kind == b'\\' => (2, Some('\\')),
            Some(hex) if hex.bytes().all(|it| it.is_ascii_hexdigit()) => {
                (3, Some(character(u32::from_str_radix(hex, 16).ok())))
            }
            _ => (0, None),
        };
    }
    let python = matches!(escapes, Escapes::Python | Escapes::PythonFormat);
    let digits = |from: usize, most: usize, radix: u32| {
        let len = bytes[from.min(bytes.len())..]
            .iter()
            .take(most)
            .take_while(|it| char::from(**it).is_digit(radix))
            .count();
        let digits = text.get(from..from + len).unwrap_or_default();
        (
            from + len,
            Some(character(u32::from_str_radix(digits, radix).ok())),
        )
    };
    let line_break = |at: usize| match bytes.get(at) {
        Some(b'\n') => Some(at + 1),
        Some(b'\r') if bytes.get(at + 1) == Some(&b'\n') => Some(at + 2),
        _ => None,
    };
    if let Some(mut end) = line_break(1) {
        if escapes == Escapes::Rust {
            end += bytes[end..]
                .iter()
                .take_while(|it| it.is_ascii_whitespace())
                .count();
        }
        return (end, None);
    }
    match kind {
        b'n' => (2, Some('\n')),
        b't' => (2, Some('\t')),
        b'r' => (2, Some('\r')),
        b'a' => (2, Some('\x07')),
        b'b' => (2, Some('\x08')),
        b'v' => (2, Some('\x0b')),
        b'f' => (2, Some('\x0c')),
        b'\\' | b'"' | b'\'' => (2, Some(char::from(kind))),
        b'?' if escapes == Escapes::C => (2, Some('?')),
        b'0'..=b'7' if escapes == Escapes::Rust => (2, Some('\0')),
        b'0'..=b'7' => digits(1, 3, 8),
        b'x' if escapes == Escapes::C => digits(2, usize::MAX, 16),
        b'x' => digits(2, 2, 16),
        b'u' if escapes == Escapes::Rust => {
            let end = text.find('}').map_or(2, |it| it + 1);
            let digits = text.get(3..end.max(4) - 1).unwrap_or_default();
            (end, Some(character(u32::from_str_radix(digits, 16).ok())))
        }
        b'u' => digits(2, 4, 16),
        b'U' => digits(2, 8, 16),
        b'N' if python && bytes.get(2) == Some(&b'{') => {
            let end = text.find('}').map_or(2, |it| it + 1);
            (end, Some(char::REPLACEMENT_CHARACTER))
        }
        _ if python => (0, None),
        _ => {
            let char = text[1..].chars().next();
            (1 + char.map_or(0, char::len_utf8), char)
        }
    }
}

/// A character by its number; bytes of longer characters are not put together.
fn character(number: Option<u32>) -> char {
    match number {
        Some(it @ 0..0x80) => char::from(it as u8),
        _ => char::REPLACEMENT_CHARACTER,
    }
}
