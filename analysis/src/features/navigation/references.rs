//! Find all references, and highlight them in one file.

use salsa::Database;

use crate::{
    Access, FilePosition, Reference,
    db::SourceFile,
    hir::symbol::{Symbol, linked_files, name_at, occurrences},
};

use crate::features::navigation::values::mark_reads_and_writes;

/// All occurrences of the name at a position, in the files of the workspace that share it.
pub(crate) fn references(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
    include_declaration: bool,
) -> Option<Vec<Reference>> {
    let name = name_at(db, file, at.offset)?;
    let mut all = everywhere(db, file, &name.symbol);
    mark_reads_and_writes(db, file, at, &mut all);
    if !include_declaration {
        all.retain(|it| it.access != Access::Declaration);
    }
    Some(all)
}

/// All occurrences of a symbol of this file, sorted by file and place.
pub(in crate::features) fn everywhere(
    db: &dyn Database,
    file: SourceFile,
    symbol: &Symbol<'_>,
) -> Vec<Reference> {
    let mut all = occurrences(db, symbol, file);
    if let Symbol::Module { name, .. } = symbol {
        for other in linked_files(db, file, name) {
            all.extend(occurrences(db, symbol, other));
        }
    }
    all.sort_by_key(|it| (it.location.file, it.location.range.start()));
    all
}

/// The occurrences of the name at a position in its own file; of a register those of other values too, which are
/// told apart.
pub(crate) fn highlight(db: &dyn Database, file: SourceFile, at: FilePosition) -> Vec<Reference> {
    let Some(name) = name_at(db, file, at.offset) else {
        return Vec::new();
    };
    let mut all = occurrences(db, &name.symbol, file);
    mark_reads_and_writes(db, file, at, &mut all);
    all
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use crate::{Reference, fixture::Fixture};

    fn show(fixture: &Fixture, references: &[Reference]) -> String {
        let mut out = String::new();
        for it in references {
            let other = if it.other_value {
                " of another value"
            } else {
                ""
            };
            let _ = writeln!(out, "{:?} {}{other}", it.access, fixture.show(it.location));
        }
        out
    }

    fn check(text: &str, expect: Expect) {
        let fixture = Fixture::new(text);
        let (analysis, position) = fixture.cursor();
        let all = analysis.references(position, true).unwrap().unwrap();
        expect.assert_eq(&show(&fixture, &all));
        let uses = analysis.references(position, false).unwrap().unwrap();
        let declarations = all
            .iter()
            .filter(|it| it.access == crate::Access::Declaration)
            .count();
        assert_eq!(uses.len() + declarations, all.len());
    }

    fn check_highlight(text: &str, expect: Expect) {
        let fixture = Fixture::new(text);
        let (analysis, position) = fixture.cursor();
        expect.assert_eq(&show(&fixture, &analysis.highlight(position).unwrap()));
    }

    #[test]
    fn one_register_of_a_family() {
        check(
            ".entry k { .reg .b32 %r<4>; add.s32 %r1$0, %r01, %r2; }",
            expect![[r#"
                Declaration 1:22 %r
                Write 1:37 %r1
                Read 1:42 %r01 of another value
            "#]],
        );
    }

    #[test]
    fn the_whole_family() {
        check(
            ".entry k { .reg .b32 $0%r<4>; add.s32 %r1, %r1, %r2; }",
            expect![[r#"
                Declaration 1:22 %r
                Write 1:37 %r1
                Read 1:42 %r1
                Read 1:47 %r2
            "#]],
        );
    }

    #[test]
    fn writes_and_reads() {
        check_highlight(
            ".func f;\n.entry k { .reg .b32 $0r; .reg .b64 a; .reg .pred p; ld.b32 {r, _}, [a]; st.b32 [a], r;\nsetp.eq.s32 p|_, r, 1; bar.sync r; call (r), f, (r); vote.ballot.b32 r, p; bar.red.popc.u32 r, 1, p; }",
            expect![[r#"
                Declaration 2:22 r
                Write 2:60 r
                Read 2:84 r
                Read 3:18 r
                Read 3:33 r
                Write 3:42 r
                Read 3:50 r
                Write 3:70 r
                Write 3:93 r
            "#]],
        );
    }

    #[test]
    fn labels() {
        check(
            ".entry k { .reg .b32 r; L$0: bra L; t: .branchtargets L; brx.idx r, t; { L: bra L; } }",
            expect![[r#"
                Declaration 1:25 L
                Read 1:32 L
                Read 1:53 L
            "#]],
        );
        check(
            ".entry k { .reg .b32 r; t: .branchtargets A<2>; brx.idx r, t; A0: A1$0: ret; }",
            expect![[r#"
                Read 1:43 A
                Declaration 1:67 A1
            "#]],
        );
    }

    #[test]
    fn functions_of_several_files() {
        check(
            "//- /a.ptx\n.visible .func f$0 { call f; }\n.global .u64 t = f;\n//- /b.ptx\n.extern .func f;\n.entry k { call f; { .reg .b32 f; mov.b32 f, 1; } }\n//- /c.ptx\n.func f { }\n.entry f2 { call f; }\n",
            expect![[r#"
                Declaration /a.ptx:1:16 f
                Read /a.ptx:1:25 f
                Read /a.ptx:2:18 f
                Declaration /b.ptx:1:15 f
                Read /b.ptx:2:17 f
            "#]],
        );
    }

    #[test]
    fn prototypes_in_bodies_belong_to_the_function() {
        check(
            ".entry a { .func f; call f; }\n.func f$0 { }\n",
            expect![[r#"
                Declaration 1:18 f
                Read 1:26 f
                Declaration 2:7 f
            "#]],
        );
    }

    #[test]
    fn special_registers_and_section_labels() {
        check(
            ".entry k { .reg .b32 r; mov.b32 r, %tid$0.x; mov.b32 r, %tid.y; }",
            expect![[r#"
                Read 1:36 %tid
                Read 1:55 %tid
            "#]],
        );
        check(
            ".entry k { .loc 1 2 3, function_name $0a, inlined_at 1 2 3\n ret; }\n.section .debug_str { a: .b8 1 }",
            expect![[r#"
                Read 1:38 a
                Declaration 3:23 a
            "#]],
        );
    }
}
