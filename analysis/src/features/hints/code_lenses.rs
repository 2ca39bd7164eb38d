//! Code lenses: the names above which an editor may show how often they are used, or what they need.

use salsa::Database;

use crate::{
    CodeLens, CodeLensKind, CodeLensKinds, SymbolKind,
    db::SourceFile,
    hir::{
        body::body,
        items::{item_offsets, items},
        module::signature,
    },
};

/// The lenses of some kinds in a file, in the order of the text. What they show is worked out when an
/// editor asks for it, because it asks only for what it shows.
pub(crate) fn code_lenses(
    db: &dyn Database,
    file: SourceFile,
    kinds: CodeLensKinds,
) -> Vec<CodeLens> {
    let offsets = item_offsets(db, file);
    let mut lenses = Vec::new();
    let none = CodeLensKinds {
        references: false,
        registers: false,
        runs: false,
    };
    if kinds == none {
        return lenses;
    }
    for (function, start) in items(db, file).functions.iter().zip(&offsets.functions) {
        db.unwind_if_revision_cancelled();
        let body = body(db, *function);
        let mut add = |range, kind| {
            let range = range + *start;
            lenses.push(CodeLens { range, kind });
        };
        let signature = signature(db, *function);
        if let Some(name) = body.name {
            if kinds.registers && signature.entry && signature.defined {
                add(name, CodeLensKind::Registers);
            }
            if kinds.runs && signature.entry && signature.defined {
                add(name, CodeLensKind::Runs);
            }
            if kinds.references {
                add(name, CodeLensKind::References);
            }
        }
        if kinds.references {
            let labels = body.definitions.iter();
            for label in labels.filter(|it| it.kind == SymbolKind::Label) {
                add(label.name_range, CodeLensKind::References);
            }
        }
    }
    lenses
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::{CodeLensKinds, FileId, FileRange, fixture::Fixture};

    #[track_caller]
    fn check(references: bool, registers: bool, expect: Expect) {
        let fixture = Fixture::new(
            ".func f;\n.entry d();\n.entry k {\n.reg .b32 r;\nL: bra L;\np: .callprototype _;\n}\n.global .b32 g;",
        );
        let kinds = CodeLensKinds {
            references,
            registers,
            runs: registers,
        };
        let analysis = fixture.host.analysis();
        let mut out = String::new();
        for lens in analysis.code_lenses(FileId(0), kinds).unwrap() {
            let shown = fixture.show(FileRange {
                file: FileId(0),
                range: lens.range,
            });
            out.push_str(&format!("{shown}: {:?}\n", lens.kind));
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn functions_and_labels() {
        check(
            true,
            false,
            expect![[r#"
            1:7 f: References
            2:8 d: References
            3:8 k: References
            5:1 L: References
        "#]],
        );
    }

    #[test]
    fn entries_with_a_body() {
        check(
            false,
            true,
            expect![[r#"
            3:8 k: Registers
            3:8 k: Runs
        "#]],
        );
    }

    #[test]
    fn both_and_none() {
        check(
            true,
            true,
            expect![[r#"
            1:7 f: References
            2:8 d: References
            3:8 k: Registers
            3:8 k: Runs
            3:8 k: References
            5:1 L: References
        "#]],
        );
        check(false, false, expect![""]);
    }
}
