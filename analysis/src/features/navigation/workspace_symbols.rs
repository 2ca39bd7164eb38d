//! Search for names of modules in all files.

use salsa::Database;

use crate::{
    NavigationTarget,
    db::{SourceFile, Workspace},
    hir::module::{Declaration, module_scope},
};

use crate::features::navigation::target::module_target;

/// The names of modules that match `query`, best first, at most `limit`.
///
/// A name matches when it contains the letters of the query in their order, in either case.
pub(crate) fn workspace_symbols(
    db: &dyn Database,
    query: &str,
    limit: usize,
) -> Vec<NavigationTarget> {
    let mut found: Vec<(u32, &str, SourceFile, Declaration)> = Vec::new();
    for file in Workspace::get(db).files(db) {
        db.unwind_if_revision_cancelled();
        let scope = module_scope(db, *file);
        for (name, declarations) in scope.names().chain(scope.families()) {
            let Some(score) = score(name, query).filter(|_| !name.is_empty()) else {
                continue;
            };
            // One place for each name: the definition, if there is one.
            let shown = declarations
                .iter()
                .find(|it| it.defined)
                .or(declarations.first());
            found.extend(shown.map(|it| (score, name, *file, *it)));
        }
    }
    found.sort_by(|a, b| {
        let key = |it: &(u32, &str, SourceFile, Declaration)| (it.0, it.1.len());
        key(a)
            .cmp(&key(b))
            .then_with(|| a.1.cmp(b.1))
            .then_with(|| a.2.id(db).cmp(&b.2.id(db)))
    });
    found
        .into_iter()
        .take(limit)
        .map(|(_, _, file, declaration)| module_target(db, file, &declaration))
        .collect()
}

/// How badly a name matches, or `None` if it does not: equal, prefix, part, scattered letters.
fn score(name: &str, query: &str) -> Option<u32> {
    let name = name.to_ascii_lowercase();
    let query = query.to_ascii_lowercase();
    if name == query {
        return Some(0);
    }
    if name.starts_with(&query) {
        return Some(1);
    }
    if name.contains(&query) {
        return Some(2);
    }
    let mut letters = name.chars();
    let mut gaps = 0;
    for wanted in query.chars() {
        gaps += letters.position(|it| it == wanted)? as u32;
    }
    Some(3 + gaps)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::fixture::Fixture;

    fn check(query: &str, limit: usize, expect: Expect) {
        let fixture = Fixture::new(
            "//- /a.ptx\n.visible .entry matmul_kernel { .reg .b32 mul; }\n.func mul;\n.func mul { }\n//- /b.ptx\n.extern .func mul;\n.global .b32 Multiplier, x<3>;\n",
        );
        let found = fixture.host.analysis().workspace_symbols(query, limit);
        let shown: String = found
            .unwrap()
            .iter()
            .map(|it| {
                let file = &fixture.files[it.file.0 as usize];
                let line = file.1[..usize::from(it.focus_range.start())]
                    .matches('\n')
                    .count()
                    + 1;
                assert_eq!(file.1[it.focus_range], *it.name);
                format!("{:?} {} {}:{line}\n", it.kind, it.name, file.0)
            })
            .collect();
        expect.assert_eq(&shown);
    }

    #[test]
    fn best_matches_come_first() {
        check(
            "mul",
            10,
            expect![[r#"
            Function mul /a.ptx:3
            Function mul /b.ptx:1
            Variable Multiplier /b.ptx:2
            Entry matmul_kernel /a.ptx:1
        "#]],
        );
        check(
            "mul",
            1,
            expect![[r#"
            Function mul /a.ptx:3
        "#]],
        );
        check(
            "mmk",
            10,
            expect![[r#"
            Entry matmul_kernel /a.ptx:1
        "#]],
        );
        check(
            "",
            10,
            expect![[r#"
            Variable x /b.ptx:2
            Function mul /a.ptx:3
            Function mul /b.ptx:1
            Variable Multiplier /b.ptx:2
            Entry matmul_kernel /a.ptx:1
        "#]],
        );
        check("zz", 10, expect![[r#""#]]);
    }

    #[test]
    fn letters_match_in_order() {
        use super::score;
        assert_eq!(score("abc", "cb"), None);
        assert_eq!(score("abc", "abcd"), None);
        assert!(score("abc", "ac") < score("abbbc", "ac"));
    }
}
