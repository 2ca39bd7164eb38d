//! Rename, of what can be renamed without changing what any other name means.
//!
//! One register of a numbered declaration gets a declaration of its own; the whole family is renamed at its
//! declaration, or with a new name that has angle brackets.
//!
//! The safety of a rename is not decided by rules but tried out: the edited functions are lowered
//! again and must mean the same.

use salsa::Database;
use syntax::{
    Cursor, FileContents, SyntaxKind, TextRange, TextSize,
    lexer::is_identifier,
    text::{Edit, apply_edit},
};

use crate::{
    FileEdits, FilePosition, RenameError, RenamePreparation, SourceChange, SymbolKind,
    db::SourceFile,
    hir::{
        body::{Body, DefinitionId, Duplicate, Reference, Target, body},
        items::{Function, item_offsets, items},
        module::module_scope,
        number::split_name,
        symbol::{
            NameAt, Symbol, declarations, function_start, linked_files, name_at, occurrences,
            word_at,
        },
        tree::{for_each_token, name, node_at, trimmed, variable_text},
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
        Some(prefix) if alone(&name).is_none() => {
            TextRange::at(name.range.start(), TextSize::of(&**prefix))
        }
        _ => name.range,
    };
    let text = word_at(db, file, at.offset).map(|it| it.text().to_owned());
    let mut placeholder = text.unwrap_or_default();
    placeholder.truncate(range.len().into());
    Ok(RenamePreparation { range, placeholder })
}

/// The numbered declaration that the register at a position belongs to: the place of its name, and the declaration
/// as it is written, such as `%r<100>`. Renaming there renames the whole family.
pub(crate) fn family(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Option<RenamePreparation> {
    let name = name_at(db, file, at.offset)?;
    let (function, definition, _) = alone(&name)?;
    let found = body(db, function).definition(definition);
    Some(RenamePreparation {
        range: found.name_range + function_start(db, function),
        placeholder: format!("{}<{}>", found.name, found.count?),
    })
}

/// The one member of a numbered declaration in a function that a name means.
fn alone<'db>(name: &NameAt<'db>) -> Option<(Function<'db>, DefinitionId, u32)> {
    match name.symbol {
        Symbol::Local {
            function,
            definition,
            member: Some(member),
        } => Some((function, definition, member)),
        _ => None,
    }
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
    let new_prefix = family.as_ref().and_then(|_| prefix_of_family(new_name));
    if let (Some((function, definition, member)), None) = (alone(&name), new_prefix) {
        check_name(new_name, false)?;
        return rename_alone(db, file, function, definition, member, new_name);
    }
    let new_name = new_prefix.unwrap_or(new_name);
    check_name(new_name, family.is_some())?;
    // The other names of a family keep their numbers.
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

/// The prefix in a new name that is written like a numbered declaration: `%x` of `%x<>` or `%x<9>`.
fn prefix_of_family(new_name: &str) -> Option<&str> {
    let (prefix, count) = new_name.strip_suffix('>')?.split_once('<')?;
    count
        .bytes()
        .all(|it| it.is_ascii_digit())
        .then_some(prefix)
}

/// The edits that give one member of a numbered declaration a name and a declaration of its own.
fn rename_alone(
    db: &dyn Database,
    file: SourceFile,
    function: Function<'_>,
    definition: DefinitionId,
    member: u32,
    new_name: &str,
) -> Result<SourceChange> {
    let body = body(db, function);
    let start = function_start(db, function);
    let found = body.definition(definition);
    if split_name(new_name)
        .is_some_and(|(prefix, number)| *prefix == *found.name && Some(number) < found.count)
    {
        return refuse(format!(
            "`{new_name}` is a register of `{}<{}>` already.",
            found.name,
            found.count.unwrap_or_default()
        ));
    }
    let uses = body.references_to(definition, Some(member));
    let mut edits: Vec<Edit> = uses.map(|it| Edit::new(it.range, new_name)).collect();
    let used_alone = body.references_to(definition, None).count() == edits.len();
    let (declaration, own) = declaration_of_one(
        &function.green(db).cursor(),
        found.name_range,
        new_name,
        used_alone,
    )
    .ok_or_else(|| RenameError(format!("`{}` has no declaration.", found.name)))?;
    edits.push(declaration.clone());
    edits.sort_by_key(|it| it.range.start());
    // A declaration of its own is before that of the family.
    let place = declaration.range.start();
    let added = body
        .definitions
        .partition_point(|it| it.name_range.start() < place) as DefinitionId;
    let moved = |id: DefinitionId| id + u32::from(own && added <= id);
    let same = edited_body(db, function, TextSize::default(), &edits).is_some_and(|new| {
        same_meaning(body, &new, moved, |it| match (it.target, it.member) {
            (Target::Definition(id), Some(it)) if id == definition && it == member => {
                Some(if own { added } else { definition })
            }
            _ => None,
        })
    });
    if !same {
        return refuse_meaning(new_name, function.name(db));
    }
    for edit in &mut edits {
        edit.range += start;
    }
    Ok(SourceChange {
        files: vec![FileEdits {
            file: file.id(db),
            edits,
        }],
    })
}

/// The edit that declares a member of a family on its own, and whether the family stays beside it: if nothing else of
/// it is used, it goes.
fn declaration_of_one(
    function: &Cursor<'_>,
    family: TextRange,
    new_name: &str,
    used_alone: bool,
) -> Option<(Edit, bool)> {
    let declaration = node_at(function, SyntaxKind::VARIABLE_DECLARATION, family.start())?;
    let mut declarators = declaration.nodes();
    let declarator = declarators.find(|it| name(it).is_some_and(|it| it.range() == family))?;
    if used_alone {
        let count = declarator
            .nodes()
            .find(|it| it.kind() == SyntaxKind::COUNT_SUFFIX)?;
        let range = family.cover(trimmed(&count));
        return Some((Edit::new(range, new_name), false));
    }
    let text = variable_text(&declaration, &declarator);
    let (head, rest) = text.split_once('<')?;
    let head = head.trim_end().strip_suffix(name(&declarator)?.text())?;
    let (_, rest) = rest.split_once('>')?;
    let place = trimmed(&declaration).start();
    let before = text_before(function, place);
    let line = &before[before.rfind('\n').map_or(0, |it| it + 1)..];
    // A comment after the declaration of the family stays with it.
    let gap = match line.trim().is_empty() && before.contains('\n') {
        true if before.ends_with(&format!("\r\n{line}")) => format!("\r\n{line}"),
        true => format!("\n{line}"),
        false => " ".to_owned(),
    };
    let insert = format!("{head}{new_name}{rest};{gap}");
    Some((Edit::new(TextRange::empty(place), insert), true))
}

/// The text of a function before an offset, as far back as its line and the end of the line before it.
fn text_before(function: &Cursor<'_>, offset: TextSize) -> String {
    let mut text = String::new();
    for_each_token(function, &mut |token| {
        if token.range().end() <= offset {
            let own = token.text();
            match own.rfind('\n') {
                Some(at) => {
                    text.clear();
                    let start = own[..at].strip_suffix('\r').map_or(at, str::len);
                    text.push_str(&own[start..]);
                }
                None => text.push_str(own),
            }
        }
    });
    text
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
        if from == to {
            continue;
        }
        let edited = edited_body(db, *function, *start, &edits[from..to]);
        if !edited.is_some_and(|it| same_meaning(body(db, *function), &it, |id| id, |_| None)) {
            return refuse_meaning(new_name, function.name(db));
        }
    }
    Ok(())
}

fn refuse_meaning<T>(new_name: &str, function: &str) -> Result<T> {
    refuse(format!(
        "`{new_name}` has a meaning in `{function}` already, which the rename would change."
    ))
}

/// The body of a function after some edits, unless they make an error of the parser.
fn edited_body(
    db: &dyn Database,
    function: Function<'_>,
    start: TextSize,
    edits: &[Edit],
) -> Option<Body> {
    let mut text = function.green(db).node().to_string();
    for edit in edits.iter().rev() {
        let edit = Edit::new(edit.range - start, edit.insert.clone());
        apply_edit(&mut text, &edit).ok()?;
    }
    let contents = FileContents::new(&text);
    let node = contents.tree.cursor().nodes().next()?;
    let errors = contents.errors.first().map_or(&[][..], |it| it);
    (errors.len() == function.errors(db).len()).then(|| Body::of(&node, errors))
}

/// Whether the names of a body mean the same as before, where definitions have `moved` and some references mean a
/// definition `alone` that was a member of another.
fn same_meaning(
    old: &Body,
    new: &Body,
    moved: impl Fn(DefinitionId) -> DefinitionId,
    alone: impl Fn(&Reference) -> Option<DefinitionId>,
) -> bool {
    let added = match old.definitions.len().checked_sub(1) {
        Some(last) => moved(last as DefinitionId) as usize - last,
        None => 0,
    };
    let duplicates = old.duplicates.iter().map(|it| Duplicate {
        definition: moved(it.definition),
        first: moved(it.first),
    });
    duplicates.eq(new.duplicates.iter().copied())
        && old.definitions.len() + added == new.definitions.len()
        && old.free.len() == new.free.len()
        && old.references.len() == new.references.len()
        // Free names are numbered in the order of their first use, so equal numbers mean equal names.
        && old.references.iter().zip(&new.references).all(|(old, new)| {
            let (target, member) = match (alone(old), old.target) {
                (Some(id), _) => (Target::Definition(id), None),
                (None, Target::Definition(id)) => (Target::Definition(moved(id)), old.member),
                (None, other) => (other, old.member),
            };
            (target, member) == (new.target, new.member)
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
            // New lines end as those of the file.
            let windows = text.matches("\r\n").count();
            assert!(windows == 0 || windows == text.matches('\n').count());
            out.push_str(&text.replace("\r\n", "\n"));
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
        check_prepare(text, expect!["47..50 %r2"]);
        check(
            text,
            "%x<>",
            expect![".entry k { .reg .b32 %x<4>; add.s32 %x1, %x01, %x2; }"],
        );
        let declaration = ".entry k { .reg .b32 %$0r<4>; add.s32 %r1, %r01, %r2; }";
        check_prepare(declaration, expect!["21..23 %r"]);
        check(
            declaration,
            "%x",
            expect![".entry k { .reg .b32 %x<4>; add.s32 %x1, %x01, %x2; }"],
        );
        check(
            text,
            "%x1<4>",
            expect![
                "The prefix of numbered names cannot end with a digit: `%x11` would be read as number 11."
            ],
        );
        check(
            ".entry k { .reg .b32 %r<4>; .reg .b32 %x2; add.s32 %r1, %r$02, %x2; }",
            "%x<>",
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
    fn one_register_of_a_family() {
        let text = ".entry k {\n\t.reg .pred p;\n\t.reg .b32 \t%r<4>, x; // numbers\n\tadd.s32 %r1, %r01, %r$02;\n\t{ .reg .b32 y; mov.b32 %r2, y; }\n}\n";
        check(
            text,
            "sum",
            expect![[r#"
            .entry k {
            	.reg .pred p;
            	.reg .b32 sum;
            	.reg .b32 	%r<4>, x; // numbers
            	add.s32 %r1, %r01, sum;
            	{ .reg .b32 y; mov.b32 sum, y; }
            }
        "#]],
        );
        check(
            text,
            "%r7",
            expect![[r#"
            .entry k {
            	.reg .pred p;
            	.reg .b32 %r7;
            	.reg .b32 	%r<4>, x; // numbers
            	add.s32 %r1, %r01, %r7;
            	{ .reg .b32 y; mov.b32 %r7, y; }
            }
        "#]],
        );
        check(
            text,
            "%r3",
            expect!["`%r3` is a register of `%r<4>` already."],
        );
        check(
            text,
            "%r02",
            expect!["`%r02` is a register of `%r<4>` already."],
        );
        check(
            text,
            "x",
            expect!["`x` has a meaning in `k` already, which the rename would change."],
        );
        check(
            text,
            "y",
            expect!["`y` has a meaning in `k` already, which the rename would change."],
        );
        check(text, "%tid", expect!["`%tid` is a special register."]);
        // On a line with others, and at a vector.
        check(
            ".entry k { .reg .v2 .b32 v<3>; mov.b32 v1.x, v2$0.y; }",
            "pair",
            expect![".entry k { .reg .v2 .b32 pair; .reg .v2 .b32 v<3>; mov.b32 v1.x, pair.y; }"],
        );
        // In an inner block that hides others; the family goes if nothing else of it is used.
        check(
            ".entry k {\r\n.reg .b32 %r<4>, x;\r\nadd.s32 %r1, %r2, x;\r\n{\r\n  .reg .b64 %r<2>, %q<9>;\r\n  mov.b64 %r$01, 1; mov.b64 %q1, %q2;\r\n}\r\n}",
            "wide",
            expect![[r#"
                .entry k {
                .reg .b32 %r<4>, x;
                add.s32 %r1, %r2, x;
                {
                  .reg .b64 wide, %q<9>;
                  mov.b64 wide, 1; mov.b64 %q1, %q2;
                }
                }"#]],
        );
        check(
            ".entry k {\r\n.reg .b32 %r<4>, x;\r\n{\r\n  .reg .b64 %r<2>, %q<9>;\r\n  mov.b64 %r1, 1; mov.b64 %q1, %q$02;\r\n}\r\n}",
            "wide",
            expect![[r#"
                .entry k {
                .reg .b32 %r<4>, x;
                {
                  .reg .b64 wide;
                  .reg .b64 %r<2>, %q<9>;
                  mov.b64 %r1, 1; mov.b64 %q1, wide;
                }
                }"#]],
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
