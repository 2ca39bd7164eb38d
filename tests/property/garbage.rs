//! Texts that are not PTX: they give a tree of the same text, in time that grows with their length.

use std::time::{Duration, Instant};

use ptx_tests::{
    fixtures,
    fuzz::fuzz,
    mutate,
    properties::{answers::ask_about_file, trees::check_tree},
};

/// Far more than a megabyte takes in an unoptimized build on a busy machine, and far less than
/// anything quadratic does.
const PATIENCE: Duration = Duration::from_secs(60);

fn check(name: &str, text: &str) {
    let start = Instant::now();
    check_tree(name, text);
    let time = start.elapsed();
    assert!(time < PATIENCE, "{name} took {time:?}");
}

fn check_analysis(name: &str, text: &str) {
    let start = Instant::now();
    ask_about_file(text);
    let time = start.elapsed();
    assert!(time < PATIENCE, "{name} took {time:?}");
}

/// Whatever a text may repeat.
const THINGS: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    "\"",
    "/*",
    "*/",
    "//",
    "/",
    "-",
    "!",
    "~",
    "@",
    "%",
    ".",
    ":",
    ";",
    ",",
    "|",
    "?",
    "#",
    "\n#",
    "$",
    "_",
    "\\",
    "\0",
    "\r",
    "\n",
    "\r\n",
    "\u{feff}",
    "é",
    "0",
    "0x",
    "9",
    "1e",
    "a",
    "a:",
    "a: ",
    "a b ",
    "a;",
    "a{",
    "{a",
    "a(",
    "(a,",
    "a,",
    "a.b",
    "{;",
    "{}",
    "{{}",
    "();",
    "a=",
    "@p ",
    "@!p{",
    "1+",
    "1?",
    "1?2:",
    "(1)",
    "+(",
    "[a+",
    "{ret;",
    "ret;",
    "a:{",
    ".b",
    ".reg",
    ".reg ",
    ".reg .b32 ",
    ".reg .b32 a<",
    ".entry ",
    ".entry a(",
    ".entry a{",
    ".func (",
    ".func a;",
    ".visible ",
    ".global .b32 a={",
    ".global .b32 a[",
    ".section .a{",
    ".loc ",
    ".file 1 \"",
    ".version ",
    ".target a,",
    ".pragma \"a\",",
    "call (",
    "call (a),b,(",
    ".branchtargets a,",
    "a:.branchtargets ",
    "a:.callprototype (",
    ".param .b32 a,",
    "@@dwarf ",
];

#[test]
fn a_megabyte_of_one_thing() {
    for thing in THINGS {
        check(
            &format!("repeated {thing:?}"),
            &thing.repeat((1 << 20) / thing.len()),
        );
    }
}

/// The analysis is not optimized in tests, so it gets less.
#[test]
fn the_analysis_of_one_thing() {
    for thing in THINGS {
        let text = thing.repeat((32 << 10) / thing.len());
        check_analysis(&format!("repeated {thing:?}"), &text);
        check_analysis(
            &format!("{thing:?} in a body"),
            &format!(".entry k()\n{{\n{text}"),
        );
    }
}

/// Long rather than nested, but deep where each operator takes what is on its left.
#[test]
fn long_operands() {
    for start in [
        "mov.b32 a, ",
        ".entry k()\n{\nmov.b32 a, ",
        ".global .b32 a[2] = {",
        "a: .b8 ",
    ] {
        for piece in [
            "1+", "1*2-", "1?2:", "1?", "-", "(", "1,", "a.b", "{1,", "a|", "[a]", "a ", "1 ",
        ] {
            let text = format!("{start}{}", piece.repeat(100_000 / piece.len()));
            check(&format!("{start:?} and {piece:?}"), &text);
            check_analysis(&format!("{start:?} and {piece:?}"), &text);
        }
    }
}

#[test]
fn deep_nesting() {
    for (open, close) in [
        ("{", "}"),
        ("(", ")"),
        ("[", "]"),
        ("{ {a, ", "}; }"),
        ("mov a, (1 + ", ");"),
        (".entry k() {", "}"),
        (".func f(.param .b32 a) { @p ", ";}"),
        (".global .b32 a = {", "};"),
        ("- ! ~", ""),
        ("1 ? ", " : 2"),
    ] {
        for depth in [10, 500, 511, 512, 513, 1_000, 100_000] {
            let text = format!("{}{}", open.repeat(depth), close.repeat(depth));
            check(&format!("{open:?} {depth} deep"), &text);
            let inside = format!(".entry k()\n{{\n{text}\n}}\n");
            check(&format!("{open:?} {depth} deep in a body"), &inside);
            if depth < 10_000 {
                check_analysis(&format!("{open:?} {depth} deep in a body"), &inside);
            }
        }
    }
}

#[test]
fn other_encodings() {
    let text = &fixtures::ptx()[0].text;
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let latin1: Vec<u8> = text
        .chars()
        .map(|it| if it.is_ascii() { it as u8 } else { 0xe9 })
        .collect();
    for bytes in [&utf16, &latin1] {
        check("another encoding", &String::from_utf8_lossy(bytes));
    }
    for mark in ["\u{feff}", "\u{fffe}", "\0"] {
        check("a byte order mark", &format!("{mark}{text}"));
        check("marks between", &text.replace('\n', &format!("\n{mark}")));
    }
    for line_end in ["\r", "\r\n", "\n\r", "\u{2028}", "\u{85}", "\u{b}", "\u{c}"] {
        check("other line ends", &text.replace('\n', line_end));
    }
}

#[test]
fn random_bytes_and_pieces() {
    fuzz("random bytes", 400, |rng| {
        let len = rng.usize(..2_000);
        let bytes: Vec<u8> = (0..len).map(|_| rng.u8(..)).collect();
        check("random bytes", &String::from_utf8_lossy(&bytes));
        let ascii: String = (0..len).map(|_| char::from(rng.u8(..128))).collect();
        check("random ASCII", &ascii);
        check("random pieces", &mutate::soup(rng, len));
    });
}

#[test]
fn truncated_files() {
    for fixture in fixtures::ptx() {
        // A step that is prime to most line lengths cuts in all kinds of places.
        for cut in (0..fixture.text.len()).step_by(13) {
            let (head, tail) = fixture.text.split_at(fixture.text.floor_char_boundary(cut));
            check(&fixture.name, head);
            check(&fixture.name, tail);
        }
    }
}
