use expect_test::{Expect, expect};

use super::{Edit, Encoding, InvalidEdit, LineTable, Position, apply_edit, minimal_edit};
use crate::{TextRange, TextSize};

const ENCODINGS: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

fn range(start: usize, end: usize) -> TextRange {
    TextRange::new(size(start), size(end))
}

fn size(offset: usize) -> TextSize {
    u32::try_from(offset).unwrap().into()
}

fn pos(line: u32, character: u32) -> Position {
    Position { line, character }
}

/// Prints, for each offset of the text, its position in UTF-8, UTF-16 and UTF-32.
fn check_positions(text: &str, expect: Expect) {
    let table = LineTable::new(text);
    let mut out = String::new();
    for offset in 0..=text.len() {
        let [a, b, c] = ENCODINGS.map(|it| table.position(size(offset), it));
        assert_eq!((a.line, b.line), (b.line, c.line));
        let line = format!(
            "{offset}: {}:{},{},{}",
            a.line, a.character, b.character, c.character
        );
        out.push_str(&line);
        let [a, b, c] = [(a, 0), (b, 1), (c, 2)].map(|(it, n)| table.offset(it, ENCODINGS[n]));
        assert_eq!((a, b), (b, c), "the encodings disagree about {line}");
        if a != size(offset) {
            out.push_str(&format!(" -> {}", u32::from(a)));
        }
        out.push('\n');
    }
    expect.assert_eq(&out);
}

#[test]
fn the_three_line_ends() {
    check_positions(
        "a\nb\r\nc\r\r\n\n\rd",
        expect![[r#"
            0: 0:0,0,0
            1: 0:1,1,1
            2: 1:0,0,0
            3: 1:1,1,1
            4: 1:1,1,1 -> 3
            5: 2:0,0,0
            6: 2:1,1,1
            7: 3:0,0,0
            8: 3:0,0,0 -> 7
            9: 4:0,0,0
            10: 5:0,0,0
            11: 6:0,0,0
            12: 6:1,1,1
        "#]],
    );
}

#[test]
fn columns_of_wide_characters() {
    check_positions(
        "xé→𝄞y\né",
        expect![[r#"
            0: 0:0,0,0
            1: 0:1,1,1
            2: 0:1,1,1 -> 1
            3: 0:3,2,2
            4: 0:3,2,2 -> 3
            5: 0:3,2,2 -> 3
            6: 0:6,3,3
            7: 0:6,3,3 -> 6
            8: 0:6,3,3 -> 6
            9: 0:6,3,3 -> 6
            10: 0:10,5,4
            11: 0:11,6,5
            12: 1:0,0,0
            13: 1:0,0,0 -> 12
            14: 1:2,1,1
        "#]],
    );
}

#[test]
fn the_empty_text_has_one_line() {
    check_positions("", expect![["0: 0:0,0,0\n"]]);
    assert_eq!(LineTable::new(""), LineTable::default());
    assert_eq!(LineTable::default().line_count(), 1);
}

#[test]
fn positions_outside_are_clamped() {
    let table = LineTable::new("ab\r\n𝄞é\n");
    let at = |line, character, encoding| u32::from(table.offset(pos(line, character), encoding));
    for encoding in ENCODINGS {
        assert_eq!(at(0, 2, encoding), 2, "before the line break");
        assert_eq!(at(0, 3, encoding), 2, "inside the line break");
        assert_eq!(at(0, u32::MAX, encoding), 2);
        assert_eq!(at(1, u32::MAX, encoding), 10);
        assert_eq!(at(2, 0, encoding), 11);
        assert_eq!(at(2, 7, encoding), 11);
        assert_eq!(at(3, 0, encoding), 11);
        assert_eq!(at(u32::MAX, u32::MAX, encoding), 11);
        assert_eq!(table.position(u32::MAX.into(), encoding), pos(2, 0));
    }
    assert_eq!(at(1, 1, Encoding::Utf16), 4, "between the surrogates");
    assert_eq!(at(1, 2, Encoding::Utf16), 8);
    assert_eq!(at(1, 3, Encoding::Utf8), 4, "inside four bytes");
    assert_eq!(at(1, 5, Encoding::Utf8), 8, "inside two bytes");
    assert_eq!(at(1, 1, Encoding::Utf32), 8);
}

#[test]
fn lines() {
    let table = LineTable::new("ab\r\nc\n\nd");
    let lines: Vec<_> = (0..table.line_count() + 1)
        .map(|it| (table.line_range(it), table.line_end(it).into()))
        .collect();
    assert_eq!(
        lines,
        [
            (range(0, 4), 2),
            (range(4, 6), 5),
            (range(6, 7), 6),
            (range(7, 8), 8),
            (range(8, 8), 8u32)
        ]
    );
    assert_eq!(table.line_range(u32::MAX), range(8, 8));
    assert_eq!(
        [0, 3, 4, 7, 8, 99].map(|it| table.line_of(size(it))),
        [0, 0, 1, 3, 3, 3]
    );
    assert_eq!(table.text_len(), size(8));
}

#[test]
fn inverted_ranges_are_put_in_order() {
    let table = LineTable::new("ab\ncd");
    let inverted = table.range(pos(1, 1), pos(0, 1), Encoding::Utf16);
    assert_eq!(inverted, range(1, 4));
    assert_eq!(inverted, table.range(pos(0, 1), pos(1, 1), Encoding::Utf16));
}

fn check_minimal(old: &str, new: &str, expect: Option<(usize, usize, &str)>) {
    let edit = minimal_edit(old, new);
    assert_eq!(
        edit,
        expect.map(|(start, end, insert)| Edit::new(range(start, end), insert))
    );
    let mut text = old.to_owned();
    if let Some(edit) = edit {
        apply_edit(&mut text, &edit).unwrap();
    }
    assert_eq!(text, new);
}

#[test]
fn minimal_edits() {
    check_minimal("", "", None);
    check_minimal("abc", "abc", None);
    check_minimal("", "abc", Some((0, 0, "abc")));
    check_minimal("abc", "", Some((0, 3, "")));
    check_minimal("abc", "axc", Some((1, 2, "x")));
    check_minimal("aaa", "aaaa", Some((3, 3, "a")));
    check_minimal("aaaa", "aaa", Some((3, 4, "")));
    check_minimal("abab", "ab", Some((2, 4, "")));
    // Characters that share their first bytes, their last bytes, and both.
    check_minimal("xéy", "xèy", Some((1, 3, "è")));
    check_minimal("xéy", "xũy", Some((1, 3, "ũ")));
    check_minimal("→é→", "→è→", Some((3, 5, "è")));
    check_minimal("𝄞", "𝄞𝄞", Some((4, 4, "𝄞")));
    check_minimal("𝄞", "𝄟", Some((0, 4, "𝄟")));

    let long = "add.s32 %r1, %r2, %r3;\n".repeat(1000);
    let mut changed = long.clone();
    changed.replace_range(10_000..10_001, "é!");
    let removed = &long[10_000..10_001];
    check_minimal(&long, &changed, Some((10_000, 10_001, "é!")));
    check_minimal(&changed, &long, Some((10_000, 10_003, removed)));
}

#[test]
fn edits_that_do_not_fit_change_nothing() {
    let mut text = "aé".to_owned();
    for (start, end) in [(2, 2), (0, 2), (2, 3), (0, 4), (4, 4), (9, 10)] {
        let edit = Edit::new(range(start, end), "x");
        assert!(!edit.fits(&text));
        assert_eq!(apply_edit(&mut text, &edit), Err(InvalidEdit));
    }
    assert_eq!(text, "aé");
    let edit = Edit::new(range(1, 3), "→x");
    assert_eq!(apply_edit(&mut text, &edit), Ok(()));
    assert_eq!(text, "a→x");
    assert_eq!(&text[edit.range_after()], "→x");
}

#[test]
fn a_table_of_another_text_is_built_anew() {
    let texts = [
        "",
        "\n",
        "ab\ncd\n",
        "ab\rcd\n",
        "éé\nx\n",
        "abcdef",
        "\r\n\r\n\r\n",
    ];
    for old in texts {
        for new in texts {
            for start in 0..8 {
                for end in start..8 {
                    for insert in ["", "x", "\n", "é\r"] {
                        let mut table = LineTable::new(old);
                        table.apply(&Edit::new(range(start, end), insert), new);
                        // Whatever it says about the text, it says it without a panic.
                        for offset in 0..8 {
                            let position = table.position(size(offset), Encoding::Utf16);
                            assert!(table.offset(position, Encoding::Utf16) <= table.text_len());
                        }
                    }
                }
            }
        }
    }
}

const PIECES: [&str; 20] = [
    "\n",
    "\n",
    "\r",
    "\r\n",
    "\r\n",
    "a",
    " ",
    "%r1",
    "mov.u32",
    "// é\n",
    "é",
    "→",
    "𝄞",
    "日本語",
    "😀😀",
    "\u{feff}",
    "\0",
    "\r\r\n",
    "\n\n",
    ";",
];

fn random_text(rng: &mut fastrand::Rng, max_pieces: usize) -> String {
    (0..rng.usize(0..=max_pieces))
        .map(|_| PIECES[rng.usize(..PIECES.len())])
        .collect()
}

fn random_boundary(rng: &mut fastrand::Rng, text: &str) -> usize {
    text.floor_char_boundary(rng.usize(0..=text.len()))
}

/// Lines and columns as LSP defines them, computed in the plainest way.
fn plain_position(text: &str, offset: usize, encoding: Encoding) -> Position {
    let mut position = Position::default();
    let mut chars = text[..offset].chars().peekable();
    while let Some(char) = chars.next() {
        let is_crlf = char == '\r'
            && text[offset - chars.clone().collect::<String>().len()..].starts_with('\n');
        if is_crlf {
            // Between the two there is no position; at the end of the loop it stays before both.
            continue;
        }
        if matches!(char, '\n' | '\r') {
            position = pos(position.line + 1, 0);
        } else {
            position.character += match encoding {
                Encoding::Utf8 => char.len_utf8(),
                Encoding::Utf16 => char.len_utf16(),
                Encoding::Utf32 => 1,
            } as u32;
        }
    }
    position
}

#[test]
fn positions_equal_the_plain_definition() {
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..2_000 {
        let text = random_text(&mut rng, 20);
        let table = LineTable::new(&text);
        for encoding in ENCODINGS {
            let boundaries = (0..=text.len()).filter(|&it| text.is_char_boundary(it));
            for offset in boundaries {
                let position = table.position(size(offset), encoding);
                assert_eq!(
                    position,
                    plain_position(&text, offset, encoding),
                    "{text:?} {offset}"
                );
                let inside_crlf =
                    text[..offset].ends_with('\r') && text[offset..].starts_with('\n');
                let back = table.offset(position, encoding);
                assert_eq!(
                    back,
                    size(offset - usize::from(inside_crlf)),
                    "{text:?} {position:?}"
                );
            }
            // Every requested position gives a boundary, and the largest one not after it.
            for _ in 0..10 {
                let asked = pos(rng.u32(0..=table.line_count()), rng.u32(0..30));
                let offset = table.offset(asked, encoding);
                assert!(text.is_char_boundary(offset.into()), "{text:?} {asked:?}");
                assert!(
                    table.position(offset, encoding) <= asked,
                    "{text:?} {asked:?}"
                );
            }
        }
    }
}

#[test]
fn incremental_tables_equal_fresh_ones() {
    let mut rng = fastrand::Rng::with_seed(2);
    for _ in 0..400 {
        let mut text = random_text(&mut rng, 60);
        let mut table = LineTable::new(&text);
        for _ in 0..100 {
            let start = random_boundary(&mut rng, &text);
            let end = match rng.u32(0..4) {
                0 => start,
                1 => random_boundary(&mut rng, &text).max(start),
                _ => text.ceil_char_boundary((start + rng.usize(0..4)).min(text.len())),
            };
            let edit = Edit::new(range(start, end), random_text(&mut rng, 4));
            let before = text.clone();
            apply_edit(&mut text, &edit).unwrap();
            table.apply(&edit, &text);
            assert_eq!(table, LineTable::new(&text), "{before:?} {edit:?}");

            let again = minimal_edit(&before, &text);
            let minimal = again.as_ref().map_or(0, |it| it.insert.len());
            assert!(minimal <= edit.insert.len());
            let mut replayed = before;
            if let Some(edit) = again {
                apply_edit(&mut replayed, &edit).unwrap();
            }
            assert_eq!(replayed, text);
        }
    }
}
