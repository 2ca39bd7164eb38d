//! Code lenses: the names above which an editor may show how often they are used.

use salsa::Database;

use crate::{
    CodeLens, SymbolKind,
    db::SourceFile,
    hir::{
        body::body,
        items::{item_offsets, items},
    },
};

/// The functions and labels of a file, in the order of the text. Their uses are counted when an editor
/// asks for them, because it asks only for what it shows.
pub(crate) fn code_lenses(db: &dyn Database, file: SourceFile) -> Vec<CodeLens> {
    let offsets = item_offsets(db, file);
    let mut lenses = Vec::new();
    for (function, start) in items(db, file).functions.iter().zip(&offsets.functions) {
        db.unwind_if_revision_cancelled();
        let body = body(db, *function);
        let labels = body
            .definitions
            .iter()
            .filter(|it| it.kind == SymbolKind::Label)
            .map(|it| it.name_range);
        lenses.extend(
            body.name
                .into_iter()
                .chain(labels)
                .map(|it| CodeLens { range: it + *start }),
        );
    }
    lenses
}

#[cfg(test)]
mod tests {
    use crate::{FileId, FileRange, fixture::Fixture};

    #[test]
    fn functions_and_labels() {
        let fixture = Fixture::new(
            ".func f;\n.entry k {\n.reg .b32 r;\nL: bra L;\np: .callprototype _;\n}\n.global .b32 g;",
        );
        let lenses = fixture.host.analysis().code_lenses(FileId(0)).unwrap();
        let shown: Vec<String> = lenses
            .iter()
            .map(|it| {
                fixture.show(FileRange {
                    file: FileId(0),
                    range: it.range,
                })
            })
            .collect();
        assert_eq!(shown, ["1:7 f", "2:8 k", "4:1 L"]);
    }
}
