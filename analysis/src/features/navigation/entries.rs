//! The entries of a file with the comments above them, in which runs are described.

use salsa::Database;
use syntax::{Cursor, NodeOrToken, SyntaxKind, TextSize};

use crate::{
    EntryPlace,
    db::SourceFile,
    hir::{body::body, items::items, module::signature},
};

/// The entries with a body, in the order of the text.
pub(crate) fn entries(db: &dyn Database, file: SourceFile) -> Vec<EntryPlace> {
    let mut functions = items(db, file).functions.iter();
    let mut found = Vec::new();
    let mut above = String::new();
    for item in file.contents(db).tree.cursor().nodes() {
        db.unwind_if_revision_cancelled();
        let function = (item.kind() == SyntaxKind::FUNCTION).then(|| functions.next());
        let function = function.flatten().copied();
        let signature = function.map(|it| signature(db, it));
        let mut trivia = String::new();
        push_trivia(&item, &mut trivia);
        let Some(signature) = signature.filter(|it| it.defined) else {
            // Most files have no such comment, and their declarations are not copied.
            if !above.is_empty() || trivia.contains(EntryPlace::RUN_WORD) {
                above += &item.green().to_string();
            }
            continue;
        };
        above += &trivia;
        let start = item.range().start();
        let name = function.filter(|_| signature.entry);
        if let Some((function, name_range)) = name.and_then(|it| Some((it, body(db, it).name?))) {
            found.push(EntryPlace {
                name: function.name(db).to_owned(),
                name_range: name_range + start,
                start: start + TextSize::of(&*trivia),
                above: std::mem::take(&mut above),
            });
        }
        above.clear();
    }
    found
}

/// Adds the trivia before the first word of a node; returns whether it has a word.
fn push_trivia(node: &Cursor<'_>, out: &mut String) -> bool {
    for child in node.children() {
        match child {
            NodeOrToken::Node(it) => {
                if push_trivia(&it, out) {
                    return true;
                }
            }
            NodeOrToken::Token(it) if it.kind().is_trivia() => out.push_str(it.text()),
            NodeOrToken::Token(_) => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::{FileId, FileRange, fixture::Fixture};

    #[test]
    fn comments_above_entries() {
        let fixture = Fixture::new(
            ".version 8.0 // of the directive\n.func f() { ret; }\n.entry d();\n\n  // run: a\n  //   b\n  .visible .entry k() { // in it\n}\n.entry j() {}\n// run: c\n.global .u32 t[1] = { 1 };\n.func g();\n.entry i() {}",
        );
        let analysis = fixture.host.analysis();
        let mut out = String::new();
        for it in analysis.entries(FileId(0)).unwrap() {
            let shown = fixture.show(FileRange {
                file: FileId(0),
                range: it.name_range,
            });
            out += &format!("{shown} at {:?}: {:?}\n", it.start, it.above);
        }
        expect![[r#"
            7:19 k at 88: "\n\n  // run: a\n  //   b\n  "
            9:8 j at 121: "\n"
            13:8 i at 183: "\n// run: c\n.global .u32 t[1] = { 1 };\n.func g();\n"
        "#]]
        .assert_eq(&out);
    }
}
