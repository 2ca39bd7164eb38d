//! PTX that binaries keep as plain text, as the modules of IREE and the objects of Halide do, and whatever includes a
//! file as a string.

use std::{
    io::{self, Read as _, SeekFrom},
    ops::Range,
};

use machine::fatbin::MAX_IMAGE;
use memchr::memmem::Finder;

use super::Input;

/// The directive that begins a module.
const VERSION: &[u8] = b".version";
/// How much of a file is read at a time, in bytes.
const PIECE: usize = 256 << 10;
/// How far after `.version` the word `.target` may be, in bytes.
const HEADER: usize = 4096;

/// A module, and the offset of its text in the file.
pub(super) struct Module {
    pub(super) offset: u64,
    pub(super) text: Vec<u8>,
}

/// Visits the modules of a file, in its order, but for those at the ranges that are `known`, which are in order and apart.
/// Each byte is read once.
///
/// # Errors
/// If the file cannot be read, or `visit` fails.
pub(super) fn visit(
    input: &mut impl Input,
    known: &[Range<u64>],
    visit: &mut dyn FnMut(Module) -> io::Result<()>,
) -> io::Result<()> {
    let finder = Finder::new(VERSION);
    let mut known = known.iter().peekable();
    let mut window = Window::new(input)?;
    let mut at = 0;
    loop {
        let Some(place) = finder.find(window.after(at)) else {
            // The last bytes may be the start of the word, and the byte before it is also read.
            at = window
                .end()
                .saturating_sub(VERSION.len() as u64 - 1)
                .max(at);
            match window.read(at.saturating_sub(1))? {
                true => continue,
                false => return Ok(()),
            }
        };
        let offset = at + place as u64;
        while window.after(offset).len() < HEADER && window.read(offset.saturating_sub(1))? {}
        let before = offset
            .checked_sub(1)
            .and_then(|it| window.after(it).first());
        let begins = before.is_none_or(|it| matches!(it, 0 | b'\n' | b'\r'));
        while known.next_if(|it| it.end <= offset).is_some() {}
        let is_known = known.peek().is_some_and(|it| it.contains(&offset));
        if !begins || is_known || !has_header(window.after(offset)) {
            at = offset + VERSION.len() as u64;
            continue;
        }
        let len = run(&mut window, offset)?;
        let run = window.after(offset).get(..len).unwrap_or_default();
        if let Some(text) = module(run) {
            let text = text.to_vec();
            visit(Module { offset, text })?;
        }
        at = offset + len.max(VERSION.len()) as u64;
    }
}

/// A part of a file that is in memory.
struct Window<'a, I> {
    input: &'a mut I,
    start: u64,
    bytes: Vec<u8>,
}

impl<'a, I: Input> Window<'a, I> {
    fn new(input: &'a mut I) -> io::Result<Window<'a, I>> {
        input.seek(SeekFrom::Start(0))?;
        Ok(Window {
            input,
            start: 0,
            bytes: Vec::new(),
        })
    }

    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// The bytes from an offset on.
    fn after(&self, offset: u64) -> &[u8] {
        let place = offset.checked_sub(self.start);
        let place = place.and_then(|it| usize::try_from(it).ok());
        place
            .and_then(|it| self.bytes.get(it..))
            .unwrap_or_default()
    }

    /// Reads on and forgets what is before an offset; whether there was more.
    fn read(&mut self, keep: u64) -> io::Result<bool> {
        let gone = self.bytes.len() - self.after(keep).len();
        self.bytes.drain(..gone);
        self.start += gone as u64;
        let mut input = self.input.by_ref().take(PIECE as u64);
        Ok(input.read_to_end(&mut self.bytes)? > 0)
    }
}

/// Whether `.version`, a number and `.target` with the name of a target begin here, with blanks and comments between.
fn has_header(text: &[u8]) -> bool {
    let header = text.get(..HEADER.min(text.len())).unwrap_or_default();
    let Some(rest) = header.strip_prefix(VERSION) else {
        return false;
    };
    let digits = |text: &[u8]| text.iter().take_while(|it| it.is_ascii_digit()).count();
    let number = rest.trim_ascii_start();
    let major = digits(number);
    let Some([b'.', minor @ ..]) = number.get(major..) else {
        return false;
    };
    let rest = &minor[digits(minor)..];
    if major == 0 || rest.len() == minor.len() || number.len() == rest.len() {
        return false;
    }
    let target = skip_blanks(rest).strip_prefix(b".target");
    target.is_some_and(|it| it.trim_ascii_start().starts_with(b"sm_"))
}

/// A text without the blanks and comments at its beginning.
fn skip_blanks(mut text: &[u8]) -> &[u8] {
    loop {
        text = text.trim_ascii_start();
        let end: &[u8] = match text {
            [b'/', b'/', ..] => b"\n",
            [b'/', b'*', ..] => b"*/",
            _ => return text,
        };
        match memchr::memmem::find(text, end) {
            Some(place) => text = &text[place + end.len()..],
            None => return &[],
        }
    }
}

/// The length of the text at an offset: up to a byte that no text has, the next module or the limit of a text.
fn run(window: &mut Window<'_, impl Input>, offset: u64) -> io::Result<usize> {
    let next = [b"\n", VERSION].concat();
    let finder = Finder::new(&next);
    let is_text = |it: &u8| *it >= b' ' && *it != 0x7f || (b'\t'..=b'\r').contains(it);
    let mut known = 0_usize;
    loop {
        let text = window.after(offset);
        let from = known.saturating_sub(next.len());
        let other = finder.find(text.get(from..).unwrap_or_default());
        let other = other.map(|it| from + it + 1);
        // Nothing after the next module is read.
        let fresh = text.get(known..other.unwrap_or(text.len()));
        let fresh = fresh.unwrap_or_default();
        let end = fresh.iter().position(|it| !is_text(it));
        if let Some(len) = end.map(|it| known + it).or(other) {
            return Ok(len);
        }
        known = text.len();
        if known as u64 > MAX_IMAGE || !window.read(offset.saturating_sub(1))? {
            return Ok(known);
        }
    }
}

/// The module that a text begins with, unless it has a header alone. ContentKind follows the last of its items, such as the next
/// string of a program, is nott a part of it.
fn module(text: &[u8]) -> Option<&[u8]> {
    let (mut depth, mut at) = (0_usize, 0);
    let mut items = 0;
    while let Some(byte) = text.get(at) {
        let rest = text.get(at..).unwrap_or_default();
        match byte {
            b'/' if rest.starts_with(b"//") || rest.starts_with(b"/*") => {
                at = text.len() - skip_blanks(rest).len();
                continue;
            }
            b'"' => {
                let string = rest.get(1..).unwrap_or_default();
                at += memchr::memchr2(b'"', b'\n', string).map_or(rest.len(), |it| it + 2);
                continue;
            }
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
        if depth == 0 && matches!(byte, b';' | b'}') {
            items += 1;
            let next = skip_blanks(text.get(at..).unwrap_or_default());
            let continues = matches!(next.first(), Some(b'.' | b';' | b',' | b'#' | b'@'));
            if !continues {
                break;
            }
        }
    }
    // The end of its line is a part of the last item.
    let end = match text.get(at) {
        Some(b'\n') => at + 1,
        _ => at,
    };
    (items > 0).then(|| text.get(..end).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    const MODULE: &str = ".version 8.0\n// made by hand\n.target sm_90a, debug\n.address_size 64\n\
        .global .b8 t[3] = {1, 2, 3};\n.extern .func (.param .b32 r) vprintf\n(\n\t.param .b64 f\n)\n;\n\
        .entry k(\n\t.param .u64 p\n)\n.maxntid 128, 1, 1\n{\n\tret; // }\n}\n\t.file\t1 \"a};b.cu\"\n\
        .section .debug_str\n{\n\t.b8 0\n}\n";

    /// The modules of a file, with their offsets.
    fn modules(bytes: &[u8], known: &[Range<u64>]) -> Vec<(u64, String)> {
        let mut found = Vec::new();
        visit(&mut Cursor::new(bytes), known, &mut |it| {
            let text = String::from_utf8_lossy(&it.text).into_owned();
            found.push((it.offset, text));
            Ok(())
        })
        .expect("no failure");
        found
    }

    #[test]
    fn modules_are_found_with_their_ends() {
        let one = |bytes: &[u8]| match &*modules(bytes, &[]) {
            [(_, text)] => text.clone(),
            other => panic!("{other:?}"),
        };
        // With a zero at the end, with the next string of the program, and truncated.
        assert_eq!(one(format!("\0\x01\0{MODULE}\0\x02").as_bytes()), MODULE);
        assert_eq!(one(format!("\0{MODULE}src/main.rs\0").as_bytes()), MODULE);
        assert_eq!(one(format!("\0// LLVM\n{MODULE}").as_bytes()), MODULE);
        let cut = &MODULE[..MODULE.len() - 30];
        assert_eq!(one(format!("\0{cut}\x01").as_bytes()), cut);
        let two = format!("\0{MODULE}\0\0\0{MODULE}{MODULE}\0");
        let offsets: Vec<_> = modules(two.as_bytes(), &[])
            .into_iter()
            .map(|it| it.0)
            .collect();
        let len = MODULE.len() as u64;
        assert_eq!(offsets, [1, len + 4, 2 * len + 4]);
        let known = 1..len + 1;
        assert_eq!(modules(two.as_bytes(), &[known]).len(), 2);
    }

    #[test]
    fn the_edges_of_pieces_do_not_matter() {
        for before in PIECE - HEADER - 20..PIECE + 20 {
            // Each place near the end of a piece would take long.
            if before % 97 != 0 && before.abs_diff(PIECE) > 12 {
                continue;
            }
            let mut bytes = vec![0; before];
            bytes.extend(MODULE.as_bytes());
            bytes.extend(vec![0; 2 * PIECE]);
            bytes.extend(MODULE.as_bytes());
            let found = modules(&bytes, &[]);
            assert!(found.iter().all(|it| it.1 == MODULE), "{before}");
            assert_eq!(found.len(), 2, "{before}");
        }
    }

    #[test]
    fn words_of_other_things_are_not_modules() {
        for text in [
            // ContentKind compilers and assemblers keep, and what asks for symbols.
            ".version %d.%d\n.target %s\n{}",
            ".version 8.0\0.target sm_90\0{}",
            ".version 8.0\n.target sm_90\n.address_size 64\n",
            ".version 8.0\nGLIBC_2.34 { .target sm_90 }",
            ".version 8\n.target sm_90\n.entry k() {}",
            ".version .8\n.target sm_90\n.entry k() {}",
            ".version 8.0\n.target x86\n.entry k() {}",
            ".gnu.version 8.0\n.target sm_90\n.entry k() {}",
            ".version 8.0\n/* .target sm_90\n.entry k() {}",
        ] {
            assert!(
                modules(format!("\0{text}\0").as_bytes(), &[]).is_empty(),
                "{text}"
            );
        }
    }

    #[test]
    fn a_flood_of_headers_is_read_once() {
        let flood = ".version 8.0\n.target sm_90\n{".repeat(200_000);
        assert!(modules(flood.as_bytes(), &[]).is_empty());
        let flood = ".version 8.0\n.target sm_90\n;\n".repeat(50_000);
        assert_eq!(modules(flood.as_bytes(), &[]).len(), 50_000);
    }
}
