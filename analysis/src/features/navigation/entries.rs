//! The entries of a file with the comments above them, in which runs are described.

use salsa::Database;
use syntax::{Cursor, NodeOrToken, TextSize};

use crate::{
    EntryPlace,
    db::SourceFile,
    hir::{
        body::body,
        items::{item_offsets, items},
        module::signature,
    },
};

/// The entries with a body, in the order of the text.
pub(crate) fn entries(db: &dyn Database, file: SourceFile) -> Vec<EntryPlace> {
    let offsets = item_offsets(db, file);
    let mut found = Vec::new();
    for (function, start) in items(db, file).functions.iter().zip(&offsets.functions) {
        db.unwind_if_revision_cancelled();
        let signature = signature(db, *function);
        if !signature.entry || !signature.defined {
            continue;
        }
        let Some(name_range) = body(db, *function).name else {
            continue;
        };
        let mut above = String::new();
        push_trivia(&function.green(db).cursor(), &mut above);
        found.push(EntryPlace {
            name: function.name(db).to_owned(),
            name_range: name_range + *start,
            start: *start + TextSize::of(&*above),
            above,
        });
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
            ".version 8.0 // of the directive\n.func f() { ret; }\n.entry d();\n\n  // run: a\n  //   b\n  .visible .entry k() { // in it\n}\n.entry j() {}",
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
        "#]]
        .assert_eq(&out);
    }
}
