//! Random edits of the kinds that break incremental parsers.

use syntax::{
    TextRange, TextSize,
    text::{Edit, LineTable},
};

/// Texts that change the meaning of the text after them, or are easily misread.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "\"",
    "\\",
    "\\\"",
    "/*",
    "*/",
    "//",
    "/",
    "*",
    ";",
    ";",
    ":",
    ",",
    ".",
    "@",
    "@!",
    "!",
    "|",
    "%",
    "$",
    "#",
    "_",
    "-",
    "+",
    "=",
    "?",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "\0",
    "\u{feff}",
    "é",
    "→",
    "𝄞",
    "日本",
    "0f",
    "0d",
    "0x",
    "0b",
    "1",
    "12",
    "1.",
    "1e",
    "U",
    "a",
    "r",
    "%r1",
    "L:",
    "L: M:",
    "$L__BB0_1:",
    "bra L;",
    "ret;",
    "exit;",
    "\tadd.s32 \t%r1, %r2, %r3;\n",
    "@%p1 bra $L__BB0_1;\n",
    "// comment\n",
    "/* comment */",
    "# 1 \"f\"\n",
    ".reg .b32 %r<9>;\n",
    ".shared .align 4 .b8 s[4];\n",
    "{\n}\n",
    "{ }",
    "}\n{",
    ".version 8.0\n",
    ".target sm_90\n",
    ".loc 1 2 3\n",
    ".file 1 \"f\"\n",
    ".pragma \"x\";\n",
    ".section .debug_str\n{\n.b8 0\n}\n",
    ".func f\n{\n\tret;\n}\n",
    ".entry",
    ".visible",
    ".param",
    "call (a), f, (b, c);\n",
    ".branchtargets A, B;\n",
    "{a, b}",
    "[a+4]",
    "::",
    ".L2::128B",
];

/// Texts that change the meaning of the text after them, or are easily misread.
#[must_use]
pub fn pieces() -> &'static [&'static str] {
    PIECES
}

/// A random edit of `text`; `table` is the line table of the text.
///
/// The choice is biased to what changes structure: delimiters, comments, line ends, whole lines
/// and whole braced regions; pasted text comes from the text itself.
pub fn edit(rng: &mut fastrand::Rng, text: &str, table: &LineTable) -> Edit {
    let at = boundary(text, rng.usize(0..=text.len()));
    match rng.u8(..20) {
        // Typing, as people do it: one character, or one word.
        0..=4 => insert(at, &char::from(rng.u8(b' '..=b'~')).to_string()),
        5..=8 => insert(at, PIECES[rng.usize(..PIECES.len())]),
        // Deleting a few characters before or after the cursor.
        9..=11 => {
            let end = boundary(text, (at + rng.usize(1..4)).min(text.len()));
            replace(at.min(end), end.max(at), "")
        }
        12 => {
            let end = boundary(text, (at + rng.usize(1..40)).min(text.len()));
            replace(at, end.max(at), PIECES[rng.usize(..PIECES.len())])
        }
        // Commenting out, duplicating, moving away and opening lines.
        13 => insert(line_start(table, at), "//"),
        14 => {
            let lines = lines(rng, table, at);
            insert(lines.0, &text[lines.0..lines.1])
        }
        15 => {
            let lines = lines(rng, table, at);
            replace(lines.0, lines.1, "")
        }
        16 => {
            let from = rng.usize(0..=text.len());
            let lines = lines(rng, table, from);
            insert(line_start(table, at), &text[lines.0..lines.1])
        }
        // Pasting and deleting whole braced regions with what is before them.
        17 => {
            let source = braced(rng, text, table);
            insert(line_start(table, at), &text[source.0..source.1])
        }
        18 => {
            let (start, end) = braced(rng, text, table);
            replace(start, end, "")
        }
        _ => garbage(rng, at),
    }
}

fn insert(at: usize, insert: &str) -> Edit {
    replace(at, at, insert)
}

fn replace(start: usize, end: usize, insert: &str) -> Edit {
    Edit::new(TextRange::new(size(start), size(end)), insert)
}

fn garbage(rng: &mut fastrand::Rng, at: usize) -> Edit {
    let garbage: String = (0..rng.usize(1..12))
        .map(|_| match rng.u8(..4) {
            0 => rng.char(..),
            1 => char::from(rng.u8(..)),
            _ => char::from(rng.u8(..128)),
        })
        .collect();
    insert(at, &garbage)
}

/// The range of up to four whole lines, the first of which contains `at`.
fn lines(rng: &mut fastrand::Rng, table: &LineTable, at: usize) -> (usize, usize) {
    let first = table.line_of(size(at));
    let end = table.line_start(first + rng.u32(1..=4));
    (table.line_start(first).into(), end.into())
}

fn line_start(table: &LineTable, at: usize) -> usize {
    table.line_start(table.line_of(size(at))).into()
}

/// The range from the start of the line with some `{` to after the `}` that closes it.
///
/// Braces in comments and strings count: this is also meant to cut at odd offsets.
fn braced(rng: &mut fastrand::Rng, text: &str, table: &LineTable) -> (usize, usize) {
    let from = boundary(text, rng.usize(0..=text.len()));
    let Some(open) = text[from..].find('{').map(|it| from + it) else {
        return (from, from);
    };
    let mut depth = 0;
    let close = text[open..].bytes().position(|byte| {
        depth += i32::from(byte == b'{') - i32::from(byte == b'}');
        depth == 0
    });
    let end = close.map_or(text.len(), |it| open + it + 1);
    let first_line = table.line_of(size(open)).saturating_sub(rng.u32(0..4));
    (table.line_start(first_line).into(), end)
}

fn boundary(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

fn size(offset: usize) -> TextSize {
    TextSize::new(offset.try_into().expect("a text shorter than 4 GiB"))
}

/// A text of `count` random pieces, most of which mean something to a parser of PTX.
pub fn soup(rng: &mut fastrand::Rng, count: usize) -> String {
    let mut text = String::new();
    for _ in 0..count {
        text.push_str(PIECES[rng.usize(..PIECES.len())]);
        if rng.bool() {
            text.push(' ');
        }
    }
    text
}
