//! Code lenses: the names above which an editor may show how often they are used, or what they need, and the loops above
//! which it may show what they cost.

use salsa::Database;
use syntax::TextRange;

use crate::{
    CodeLens, CodeLensKind, CodeLensKinds, SymbolKind,
    accesses::costs_of,
    db::SourceFile,
    flow::facts::step_at,
    hir::{
        body::{Body, body},
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
        loops: false,
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
        if kinds.loops && signature.entry {
            let costs = costs_of(db, *function, None).iter();
            let costs = costs.filter(|it| it.is_known());
            for head in costs.filter_map(|it| it.head) {
                add(place_of(body, head), CodeLensKind::Loop);
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

/// The label right before the first statement of a loop, or else that statement.
fn place_of(body: &Body, head: TextRange) -> TextRange {
    let step = step_at(body, head.start());
    let labels = body.definitions.iter();
    let mut labels = labels.filter(|it| it.kind == SymbolKind::Label);
    let label = labels.find(|it| step_at(body, it.name_range.start()) == step);
    label.map_or(head, |it| it.name_range)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::{
        CodeLensKinds, FileId, FileRange,
        fixture::{Fixture, HEADER},
    };

    /// The lenses of a file, one on a line.
    fn shown(text: &str, kinds: CodeLensKinds) -> String {
        let fixture = Fixture::new(text);
        let analysis = fixture.host.analysis();
        let mut out = String::new();
        for lens in analysis.code_lenses(FileId(0), kinds).unwrap() {
            let shown = fixture.show(FileRange {
                file: FileId(0),
                range: lens.range,
            });
            out.push_str(&format!("{shown}: {:?}\n", lens.kind));
        }
        out
    }

    #[track_caller]
    fn check(references: bool, registers: bool, expect: Expect) {
        let text = ".func f;\n.entry d();\n.entry k {\n.reg .b32 r;\nL: bra L;\np: .callprototype _;\n}\n.global .b32 g;";
        let kinds = CodeLensKinds {
            loops: registers,
            references,
            registers,
            runs: registers,
        };
        expect.assert_eq(&shown(text, kinds));
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

    /// The lenses of loops of an entry with a block of 32 threads.
    #[track_caller]
    fn check_loops(body: &str, expect: Expect) {
        let text = format!(
            "{HEADER}.entry k(.param .u64 a, .param .u32 n) .reqntid 32\n{{\n.reg .pred p;\n.reg .b32 %r<9>;\n\
             .reg .b64 %rd<9>;\n{body}\n}}"
        );
        let kinds = CodeLensKinds {
            loops: true,
            references: false,
            registers: false,
            runs: false,
        };
        expect.assert_eq(&shown(&text, kinds));
    }

    #[test]
    fn loops_of_which_something_is_known() {
        check_loops(
            "ld.param.u64 %rd1, [a];\nmov.u32 %r1, 0;\nagain:\nld.global.u32 %r2, [%rd1];\nadd.u32 %r1, %r1, 1;\n\
             setp.lt.u32 p, %r1, 8;\n@p bra again;\nret;",
            expect![[r#"
                11:1 again: Loop
            "#]],
        );
        // Bytes are known, iterations are not.
        check_loops(
            "ld.param.u64 %rd1, [a];\nagain:\nld.volatile.shared.u32 %r2, [%rd1];\nsetp.ne.u32 p, %r2, 0;\n@p bra again;\n\
             ret;",
            expect![[r#"
                10:1 again: Loop
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
