//! Rename, of what can be renamed without changing what any other name means.
//!
//! The safety of a rename is not decided by rules but tried out: the edited functions are lowered
//! again and must mean the same.

use salsa::Database;
use syntax::{
    FileContents, SyntaxKind, TextRange, TextSize,
    lexer::is_identifier,
    text::{Edit, apply_edit},
};

use crate::{
    FileEdits, FilePosition, RenameError, RenamePreparation, SourceChange, SymbolKind,
    db::SourceFile,
    hir::{
        body::{Body, body},
        items::{Function, item_offsets, items},
        module::module_scope,
        symbol::{NameAt, Symbol, declarations, linked_files, name_at, occurrences, word_at},
    },
};

/// Words of `.loc` that ptxas reads as keywords everywhere.
const UNREADABLE: [&str; 2] = ["inlined_at", "function_name"];

type Result<T> = std::result::Result<T, RenameError>;

fn refuse<T>(why: impl Into<String>) -> Result<T> {
    Err(RenameError(why.into()))
}

/// The range that a rename at a position would replace.
pub(crate) fn prepare_rename(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Result<RenamePreparation> {
    let (name, family) = renamable(db, file, at)?;
    let range = match &family {
        Some(prefix) => TextRange::at(name.range.start(), TextSize::of(&**prefix)),
        None => name.range,
    };
    let placeholder = match family {
        Some(prefix) => prefix.into(),
        None => word_at(db, file, at.offset)
            .map(|it| it.text().to_owned())
            .unwrap_or_default(),
    };
    Ok(RenamePreparation { range, placeholder })
}

/// The name at a position, and the prefix to rename if it is parameterised.
fn renamable(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Result<(NameAt<'_>, Option<Box<str>>)> {
    let Some(word) = word_at(db, file, at.offset) else {
        return refuse("There is no name here.");
    };
    let Some(name) = name_at(db, file, at.offset) else {
        let is_name = word
            .parent()
            .is_some_and(|it| matches!(it.kind(), SyntaxKind::NAME_REFERENCE | SyntaxKind::NAME));
        return if is_name {
            refuse(format!(
                "`{}` has no declaration that could be renamed with it.",
                word.text()
            ))
        } else {
            refuse(format!(
                "`{}` is a word of the language and cannot be renamed.",
                word.text()
            ))
        };
    };
    let family = match &name.symbol {
        Symbol::Special(..) => {
            return refuse(format!(
                "`{}` is a special register and cannot be renamed.",
                word.text()
            ));
        }
        Symbol::WarpSize => {
            return refuse("`WARP_SZ` is a constant of PTX and cannot be renamed.");
        }
        Symbol::Local {
            function,
            definition,
            ..
        } => {
            let body = body(db, *function);
            let found = body.definition(*definition);
            let in_list = found.kind == SymbolKind::Label
                && body
                    .references_to(*definition, None)
                    .any(|it| it.range.len() != found.name_range.len());
            if in_list {
                return refuse(format!(
                    "`{}` is used in a numbered list of branch targets; rename the whole list by hand.",
                    found.name
                ));
            }
            found.count.map(|_| found.name.clone())
        }
        Symbol::Module { file, name, member } => {
            let family = declarations(db, *file, name, *member)
                .iter()
                .any(|it| it.count.is_some());
            family.then(|| name.clone())
        }
        Symbol::SectionLabel { .. } => None,
    };
    Ok((name, family))
}

/// The edits that give the name at a position a new name.
pub(crate) fn rename(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
    new_name: &str,
) -> Result<SourceChange> {
    let (name, family) = renamable(db, file, at)?;
    check_name(new_name, family.is_some())?;
    // A parameterised name is renamed as a whole.
    let symbol = match name.symbol {
        Symbol::Local {
            function,
            definition,
            ..
        } => Symbol::Local {
            function,
            definition,
            member: None,
        },
        Symbol::Module { file, name, .. } => Symbol::Module {
            file,
            name,
            member: None,
        },
        other => other,
    };
    let mut files = vec![file];
    if let Symbol::Module { name, .. } = &symbol {
        files.extend(linked_files(db, file, name));
        for file in &files {
            check_module(db, *file, new_name)?;
        }
    }
    let mut change = SourceChange::default();
    for file in files {
        let mut edits: Vec<Edit> = occurrences(db, &symbol, file)
            .into_iter()
            .map(|it| {
                let range = it.location.range;
                // `%r12` keeps its number.
                let range = match &family {
                    Some(prefix) => TextRange::at(range.start(), TextSize::of(&**prefix)),
                    None => range,
                };
                Edit::new(range, new_name)
            })
            .collect();
        edits.dedup_by_key(|it| it.range);
        check_functions(db, file, &edits, new_name)?;
        if !edits.is_empty() {
            change.files.push(FileEdits {
                file: file.id(db),
                edits,
            });
        }
    }
    change.files.sort_by_key(|it| it.file);
    Ok(change)
}

fn check_name(name: &str, family: bool) -> Result<()> {
    if !is_identifier(name) {
        return refuse(format!(
            "`{name}` is not a name: names consist of letters, digits, `_` and `$`, may start with `%`, and do not start with a digit."
        ));
    }
    if name == "WARP_SZ" {
        return refuse("`WARP_SZ` is a constant of PTX.");
    }
    if UNREADABLE.contains(&name) {
        return refuse(format!(
            "`{name}` is a keyword of `.loc`: ptxas does not read it as a name."
        ));
    }
    if isa::special::find(name).is_some() {
        return refuse(format!("`{name}` is a special register."));
    }
    if family && name.ends_with(|it: char| it.is_ascii_digit()) {
        return refuse(format!(
            "The prefix of numbered names cannot end with a digit: `{name}1` would be read as number {}1.",
            name.trim_start_matches(|it: char| !it.is_ascii_digit())
        ));
    }
    Ok(())
}

fn check_module(db: &dyn Database, file: SourceFile, new_name: &str) -> Result<()> {
    let scope = module_scope(db, file);
    if !scope.find(new_name).is_empty() || !scope.family(new_name).is_empty() {
        return refuse(format!("`{new_name}` is declared in the module already."));
    }
    Ok(())
}

/// Checks that the edited functions mean the same as before.
fn check_functions(
    db: &dyn Database,
    file: SourceFile,
    edits: &[Edit],
    new_name: &str,
) -> Result<()> {
    let offsets = item_offsets(db, file);
    for (function, start) in items(db, file).functions.iter().zip(&offsets.functions) {
        db.unwind_if_revision_cancelled();
        let end = *start + function.green(db).text_len();
        let from = edits.partition_point(|it| it.range.start() < *start);
        let to = edits.partition_point(|it| it.range.start() < end);
        if from < to && !keeps_meaning(db, *function, *start, &edits[from..to]) {
            return refuse(format!(
                "`{new_name}` has a meaning in `{}` already, which the rename would change.",
                function.name(db)
            ));
        }
    }
    Ok(())
}

/// Whether a function means the same after the edits, but for the renamed name itself.
fn keeps_meaning(
    db: &dyn Database,
    function: Function<'_>,
    start: TextSize,
    edits: &[Edit],
) -> bool {
    let mut text = function.green(db).node().to_string();
    for edit in edits.iter().rev() {
        let edit = Edit::new(edit.range - start, edit.insert.clone());
        if apply_edit(&mut text, &edit).is_err() {
            return false;
        }
    }
    let contents = FileContents::new(&text);
    let Some(node) = contents.tree.cursor().nodes().next() else {
        return false;
    };
    let errors = contents.errors.first().map_or(&[][..], |it| it);
    if errors.len() != function.errors(db).len() {
        return false;
    }
    same_meaning(body(db, function), &Body::of(&node, errors))
}

fn same_meaning(old: &Body, new: &Body) -> bool {
    old.duplicates == new.duplicates
        && old.definitions.len() == new.definitions.len()
        && old.free.len() == new.free.len()
        && old.references.len() == new.references.len()
        // Free names are numbered in the order of their first use, so equal numbers mean equal names.
        && old.references.iter().zip(&new.references).all(|(old, new)| {
            old.member == new.member
                && old.target == new.target
        })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::Fixture;

    fn check(text: &str, new_name: &str, expect: Expect) {
        let fixture = Fixture::new(text);
        let (analysis, position) = fixture.cursor();
        let change = match analysis.rename(position, new_name).unwrap() {
            Ok(change) => change,
            Err(error) => return expect.assert_eq(&error.0),
        };
        assert!(analysis.prepare_rename(position).unwrap().is_ok());
        let mut out = String::new();
        for (index, (name, text)) in fixture.files.iter().enumerate() {
            let mut text = text.clone();
            let edits = change
                .files
                .iter()
                .find(|it| it.file.0 as usize == index)
                .map_or(&[][..], |it| &it.edits);
            assert!(edits.is_sorted_by_key(|it| it.range.start()));
            for edit in edits.iter().rev() {
                apply_edit(&mut text, edit).unwrap();
            }
            if fixture.files.len() > 1 {
                out.push_str(&format!("//- {name}\n"));
            }
            out.push_str(&text);
        }
        expect.assert_eq(&out);
    }

    fn check_prepare(text: &str, expect: Expect) {
        let fixture = Fixture::new(text);
        let (analysis, position) = fixture.cursor();
        expect.assert_eq(&match analysis.prepare_rename(position).unwrap() {
            Ok(it) => format!("{:?} {}", it.range, it.placeholder),
            Err(error) => error.0,
        });
    }

    #[test]
    fn one_name() {
        check(
            ".entry k { .reg .b32 a$0, b; add.s32 a, a, b; { .reg .b32 a; } }",
            "sum",
            expect![".entry k { .reg .b32 sum, b; add.s32 sum, sum, b; { .reg .b32 a; } }"],
        );
        check(
            ".entry k { $0L: bra L; { L: bra L; } }\n.section .debug_info { .b64 L }",
            "M",
            expect![[r#"
                .entry k { M: bra M; { L: bra L; } }
                .section .debug_info { .b64 M }"#]],
        );
    }

    #[test]
    fn a_whole_family() {
        let text = ".entry k { .reg .b32 %r<4>; add.s32 %r1, %r01, %r$02; }";
        check_prepare(text, expect!["47..49 %r"]);
        check(
            text,
            "%x",
            expect![".entry k { .reg .b32 %x<4>; add.s32 %x1, %x01, %x2; }"],
        );
        check(
            text,
            "%x1",
            expect![
                "The prefix of numbered names cannot end with a digit: `%x11` would be read as number 11."
            ],
        );
        check(
            ".entry k { .reg .b32 %r<4>; .reg .b32 %x2; add.s32 %r1, %r$02, %x2; }",
            "%x",
            expect!["`%x` has a meaning in `k` already, which the rename would change."],
        );
        check(
            ".global .b32 v<3>;\n.entry k { .reg .b64 a; mov.b64 a, v$02; }",
            "w",
            expect![[r#"
                .global .b32 w<3>;
                .entry k { .reg .b64 a; mov.b64 a, w2; }"#]],
        );
    }

    #[test]
    fn visible_names_of_all_files() {
        check(
            "//- /a.ptx\n.visible .func f { }\n//- /b.ptx\n.extern .func f;\n.entry k { call $0f; }\n//- /c.ptx\n.func f { }\n",
            "g",
            expect![[r#"
                //- /a.ptx
                .visible .func g { }
                //- /b.ptx
                .extern .func g;
                .entry k { call g; }
                //- /c.ptx
                .func f { }
            "#]],
        );
        check(
            "//- /a.ptx\n.visible .func f { }\n.func g;\n//- /b.ptx\n.extern .func f;\n.entry k { call $0f; }\n",
            "g",
            expect!["`g` is declared in the module already."],
        );
        check(
            ".func $0f { }\n.entry k { .reg .b32 g; call f; }\n",
            "g",
            expect!["`g` has a meaning in `k` already, which the rename would change."],
        );
    }

    #[test]
    fn names_that_are_taken() {
        let text = ".entry k { .reg .b32 a$0; { .reg .b32 b; mov.b32 a, b; } }";
        for name in [
            "b",
            "1x",
            "_",
            "WARP_SZ",
            "%tid",
            "a b",
            "",
            "inlined_at",
            "function_name",
        ] {
            let fixture = Fixture::new(text);
            let (analysis, position) = fixture.cursor();
            assert!(analysis.rename(position, name).unwrap().is_err(), "{name}");
        }
        check(
            ".entry k { .reg .b32 a; { .reg .b32 $0b; mov.b32 a, b; } }",
            "a",
            expect!["`a` has a meaning in `k` already, which the rename would change."],
        );
        check(
            ".entry k { .reg .b32 a; { .reg .b32 $0b; mov.b32 b, 1; } }",
            "a",
            expect![".entry k { .reg .b32 a; { .reg .b32 a; mov.b32 a, 1; } }"],
        );
    }

    #[test]
    fn what_cannot_be_renamed() {
        let prepare = |body: &str, expect: Expect| {
            check_prepare(&format!(".entry k {{ .reg .b32 r; {body} }}"), expect);
        };
        prepare(
            "mov.b32 r, $0%tid.x;",
            expect!["`%tid` is a special register and cannot be renamed."],
        );
        prepare(
            "mov.b32 r, WARP_SZ$0;",
            expect!["`WARP_SZ` is a constant of PTX and cannot be renamed."],
        );
        prepare(
            "m$0ov.b32 r, 1;",
            expect!["`mov` is a word of the language and cannot be renamed."],
        );
        prepare(
            "mov.b32 r, $0q;",
            expect!["`q` has no declaration that could be renamed with it."],
        );
        prepare("mov.b32 r, 1$0;", expect!["There is no name here."]);
        prepare(
            "t: .branchtargets A<2>; A0$0: A1: ret;",
            expect![
                "`A0` is used in a numbered list of branch targets; rename the whole list by hand."
            ],
        );
    }
}
