//! Parsing reproduces the text; what ptxas accepts has no errors.

use ptx_tests::{fixtures, generate, properties::trees::check_tree};
use syntax::{Cursor, TextRange, TextSize, parse};

#[test]
fn accepted_files_have_no_errors() {
    for fixture in fixtures::ptx() {
        let parse = check_tree(&fixture.name, &fixture.text);
        let errors: Vec<_> = parse.errors.iter().flat_map(|it| it.iter()).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", fixture.name);
    }
}

#[test]
fn generated_files_have_no_errors_and_stay_the_same() {
    for len in [1, 1_000, 300_000] {
        let text = generate::module(len);
        assert!(len <= text.len() && text.len() < len + 2 * generate::KERNEL_LEN);
        assert!(text == generate::module(len));
        let parse = check_tree("a generated file", &text);
        assert_eq!(parse.errors.iter().flat_map(|it| it.iter()).count(), 0);
    }
}

#[test]
fn corpus_files_are_reproduced() {
    for fixture in fixtures::corpus() {
        check_tree(&fixture.name, &fixture.text);
    }
}

/// The nodes that contain an offset, found by a look at every child.
fn nodes_around<'a>(node: Cursor<'a>, offset: TextSize, out: &mut Vec<TextRange>) {
    out.push(node.range());
    if let Some(child) = node.nodes().find(|it| it.range().contains(offset)) {
        nodes_around(child, offset, out);
    }
}

#[test]
fn the_nodes_at_an_offset_are_those_that_contain_it() {
    for fixture in fixtures::ptx() {
        let parse = parse(&fixture.text);
        let whole = parse.tree.cursor();
        // Also from inside, where offsets still count from the start of the file.
        let inner = whole.nodes().last().expect("a file with items");
        for cursor in [whole, inner] {
            for offset in (0..=u32::try_from(fixture.text.len()).expect("a short text")).step_by(3)
            {
                let offset = TextSize::from(offset);
                let mut expected = Vec::new();
                if cursor.range().contains(offset) {
                    nodes_around(cursor, offset, &mut expected);
                }
                let found = cursor.nodes_at(offset);
                let found: Vec<TextRange> = found.iter().map(Cursor::range).collect();
                assert_eq!(found, expected, "{}, {offset:?}", fixture.name);
            }
        }
    }
}
