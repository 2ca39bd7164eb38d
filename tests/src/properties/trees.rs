//! A tree has the text that it was made of, and an edited one equals one that was just parsed.

use syntax::{
    Document, FileContents, SyntaxNode, TextRange, TextSize, parse,
    text::{Edit, apply_edit},
};

/// Checks what must hold for the tree of any text.
pub fn check_tree(name: &str, text: &str) -> syntax::Parse {
    let parse = parse(text);
    let tree = SyntaxNode::new_root(parse.tree.node().clone());
    assert!(tree.text() == text, "the tree of {name} has another text");
    assert_eq!(tree.text_range(), TextRange::up_to(TextSize::of(text)));
    parse
}

/// Applies an edit, and says in what the document differs then from one that was just opened with
/// its text.
pub fn edit(document: &mut Document, edit: &Edit) -> Option<String> {
    let mut after = document.text().to_owned();
    apply_edit(&mut after, edit).expect("the edit fits");
    document.apply(edit).expect("the edit fits");
    assert!(document.text() == after);
    difference(document)
}

/// In what a document differs from one that was just opened with its text.
#[must_use]
pub fn difference(document: &Document) -> Option<String> {
    let incremental = document.contents();
    let fresh = FileContents::new(document.text());
    if incremental.tree != fresh.tree {
        let [a, b] = [&incremental.tree, &fresh.tree].map(|it| syntax::debug_tree(&it.syntax()));
        return Some(format!("trees differ:\n{}", first_difference(&a, &b)));
    }
    if incremental.errors != fresh.errors {
        let [a, b] = [&*incremental, &fresh].map(|it| {
            it.all_errors()
                .map(|it| format!("{it:?}\n"))
                .collect::<String>()
        });
        return Some(format!("errors differ:\nincremental:\n{a}fresh:\n{b}"));
    }
    (incremental.lines != fresh.lines).then(|| "line tables differ".to_owned())
}

/// The lines that only one of the two has.
fn first_difference(incremental: &str, fresh: &str) -> String {
    let mut out = String::new();
    let prefix = incremental
        .lines()
        .zip(fresh.lines())
        .take_while(|(a, b)| a == b)
        .count();
    for (name, text) in [("incremental", incremental), ("fresh", fresh)] {
        out.push_str(&format!("{name}, from line {prefix}:\n"));
        for line in text.lines().skip(prefix.saturating_sub(3)).take(20) {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}
