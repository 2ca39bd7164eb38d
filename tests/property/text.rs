//! Parsing reproduces the text; what ptxas accepts has no errors.

use ptx_tests::{fixtures, generate};
use syntax::{SyntaxNode, TextRange, parse};

/// Checks what must hold for the tree of any text.
pub(crate) fn check_tree(name: &str, text: &str) -> syntax::Parse {
    let parse = parse(text);
    let tree = SyntaxNode::new_root(parse.tree.node().clone());
    assert!(tree.text() == text, "the tree of {name} has another text");
    assert_eq!(
        tree.text_range(),
        TextRange::up_to(syntax::TextSize::of(text))
    );
    parse
}

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
