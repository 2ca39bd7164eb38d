//! Go to definition and go to declaration.

use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextSize};

use crate::{
    FilePosition, NavigationTarget, RangeInfo, SymbolKind,
    db::{SourceFile, find_file},
    diagnostics::CallParts,
    hir::{
        instruction::is_call,
        items::{item_offsets, items},
        module::{Declaration, module_body},
        symbol::{ItemAt, Symbol, declarations, item_at, linked_files, name_at},
        tree::{self, OneLine, node_at, trimmed},
    },
};

use super::{
    target::{local_target, module_target, path_to, section_label_targets},
    values::{self, RegisterOf},
};

type Targets = Option<RangeInfo<Vec<NavigationTarget>>>;

/// Where the name at a position is defined: the writes that reach the read of a register, or the body of a function,
/// if any file has it. A register that is written, or that nothing writes before, is defined by its declaration.
pub(crate) fn goto_definition(db: &dyn Database, file: SourceFile, at: FilePosition) -> Targets {
    let name = name_at(db, file, at.offset)?;
    let writes = values::definitions(db, file, &name.symbol, name.range);
    if !writes.is_empty() {
        return Some(RangeInfo {
            range: name.range,
            info: writes,
        });
    }
    goto(db, file, at, |file, name, member| {
        definition_targets(db, file, name, member)
    })
}

/// Where a name of a module is defined, in this file or in one that is linked to it; its declarations if
/// no file defines it.
pub(in crate::features) fn definition_targets(
    db: &dyn Database,
    file: SourceFile,
    name: &str,
    member: Option<u32>,
) -> Vec<NavigationTarget> {
    let here = declarations(db, file, name, member);
    let mut targets = targets_where(db, file, here, |it| it.defined);
    if targets.is_empty() {
        targets = aliases(db, file, name);
    }
    if targets.is_empty() {
        targets = linked_files(db, file, name)
            .into_iter()
            .flat_map(|file| {
                let there = declarations(db, file, name, member);
                targets_where(db, file, there, |it| it.defined && it.linkage.is_some())
            })
            .collect();
    }
    if targets.is_empty() {
        targets = targets_where(db, file, here, |_| true);
    }
    targets
}

/// Where the name at a position is declared: prototypes and `.extern` declarations, if there are any.
pub(crate) fn goto_declaration(db: &dyn Database, file: SourceFile, at: FilePosition) -> Targets {
    goto(db, file, at, |file, name, member| {
        let here = declarations(db, file, name, member);
        let targets = targets_where(db, file, here, |it| !it.defined);
        if targets.is_empty() {
            targets_where(db, file, here, |_| true)
        } else {
            targets
        }
    })
}

/// The implementations of the name at a position: all writes of a register, or the definition of anything else.
pub(crate) fn goto_implementation(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Targets {
    let name = name_at(db, file, at.offset)?;
    let writes = RegisterOf::of(db, file, &name.symbol).map(|it| it.all_writes());
    match writes.filter(|it| !it.is_empty()) {
        Some(writes) => Some(RangeInfo {
            range: name.range,
            info: writes,
        }),
        None => goto_definition(db, file, at),
    }
}

/// Where the register or variable at a position is declared, which says its type. An argument of a call
/// leads to the parameter that it is passed to, and a result to the one that it comes from.
pub(crate) fn goto_type_definition(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Targets {
    let declaration = goto_declaration(db, file, at)?;
    if let Some(parameter) = parameter_of(db, file, declaration.range.start()) {
        return Some(RangeInfo {
            range: declaration.range,
            info: vec![parameter],
        });
    }
    let has_type = |it: &NavigationTarget| {
        matches!(
            it.kind,
            SymbolKind::Register | SymbolKind::Variable | SymbolKind::Parameter
        )
    };
    declaration.info.iter().all(has_type).then_some(declaration)
}

/// The parameter or result of the callee that stands for the argument at an offset.
fn parameter_of(db: &dyn Database, file: SourceFile, offset: TextSize) -> Option<NavigationTarget> {
    let ItemAt::Function(function, start) = item_at(db, file, offset)? else {
        return None;
    };
    let instruction = node_at(
        &function.green(db).cursor(),
        SyntaxKind::INSTRUCTION,
        offset - start,
    )?;
    if !is_call(instruction.token(SyntaxKind::IDENT)?.text()) {
        return None;
    }
    let call = CallParts::of(&instruction).ok()?;
    let index = |list: &Option<Cursor<'_>>| {
        let mut nodes = list.as_ref()?.nodes();
        nodes.position(|it| it.range().contains(offset - start))
    };
    let (list, index) = match index(&call.arguments) {
        Some(index) => (SyntaxKind::PARAMETER_LIST, index),
        None => (SyntaxKind::RETURN_LIST, index(&call.results)?),
    };
    let name = call.callee.token(SyntaxKind::IDENT)?.text();
    let callee = definition_targets(db, file, name, None)
        .into_iter()
        .find(|it| it.kind == SymbolKind::Function)?;
    let text = find_file(db, callee.file)?.contents(db);
    // A prototype is inside another function.
    let header = path_to(&text.tree.cursor(), callee.focus_range.start())
        .into_iter()
        .rfind(|it| it.kind() == SyntaxKind::FUNCTION)?;
    let parameter = header.node(list)?.nodes().nth(index)?;
    let name = tree::name(&parameter)?;
    Some(NavigationTarget {
        file: callee.file,
        full_range: trimmed(&parameter),
        focus_range: name.range(),
        name: name.text().to_owned(),
        kind: SymbolKind::Parameter,
        container: Some(callee.name),
        detail: Some(OneLine::of(&parameter)),
    })
}

fn goto(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
    of_module: impl Fn(SourceFile, &str, Option<u32>) -> Vec<NavigationTarget>,
) -> Targets {
    let name = name_at(db, file, at.offset)?;
    let targets = match &name.symbol {
        Symbol::Local {
            function,
            definition,
            ..
        } => vec![local_target(db, *function, *definition)],
        Symbol::Module { file, name, member } => of_module(*file, name, *member),
        Symbol::SectionLabel { file, name } => section_label_targets(db, *file, name),
        // Nothing in the text declares them.
        Symbol::Special(..) | Symbol::WarpSize => return None,
    };
    (!targets.is_empty()).then_some(RangeInfo {
        range: name.range,
        info: targets,
    })
}

fn targets_where(
    db: &dyn Database,
    file: SourceFile,
    declarations: &[Declaration],
    filter: impl Fn(&Declaration) -> bool,
) -> Vec<NavigationTarget> {
    declarations
        .iter()
        .filter(|it| filter(it))
        .map(|it| module_target(db, file, it))
        .collect()
}

/// The `.alias` directives that define a function as another name of a function.
fn aliases(db: &dyn Database, file: SourceFile, name: &str) -> Vec<NavigationTarget> {
    let module = module_body(db, items(db, file).module);
    let offsets = item_offsets(db, file);
    module
        .aliases
        .iter()
        .filter_map(|index| {
            let alias = module.references.get(*index as usize)?;
            let of = module.references.get(*index as usize + 1)?;
            if *alias.name != *name || alias.item != of.item {
                return None;
            }
            let start = offsets.module[alias.item as usize];
            Some(NavigationTarget {
                file: file.id(db),
                full_range: alias.range.cover(of.range) + start,
                focus_range: alias.range + start,
                name: name.to_owned(),
                kind: SymbolKind::Alias,
                container: None,
                detail: Some(format!(".alias {name}, {}", of.name)),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use crate::{Analysis, Cancellable, FilePosition, FileRange, fixture::Fixture};

    use super::Targets;

    fn show(text: &str, question: fn(&Analysis, FilePosition) -> Cancellable<Targets>) -> String {
        let fixture = Fixture::new(text);
        let (analysis, position) = fixture.cursor();
        let Some(answer) = question(&analysis, position).unwrap() else {
            return "nothing\n".to_owned();
        };
        let mut out = String::new();
        for target in answer.info {
            let place = |range| {
                fixture.show(FileRange {
                    file: target.file,
                    range,
                })
            };
            let _ = writeln!(
                out,
                "{:?} {} at {} in {:?}: {}",
                target.kind,
                place(target.focus_range),
                place(target.full_range),
                target.container.unwrap_or_default(),
                target.detail.unwrap_or_default(),
            );
        }
        out
    }

    fn check(text: &str, expect: Expect) {
        expect.assert_eq(&show(text, Analysis::goto_definition));
    }

    fn check_declaration(text: &str, expect: Expect) {
        expect.assert_eq(&show(text, Analysis::goto_declaration));
    }

    #[track_caller]
    fn check_type(text: &str, expect: Expect) {
        expect.assert_eq(&show(text, Analysis::goto_type_definition));
    }

    #[test]
    fn types() {
        check_type(
            ".entry k { .reg .b32 %a, %r<4>; mov.b32 %r$03, 1; }",
            expect![[r#"
                Register 1:26 %r at 1:26 %r<4> in "k": .reg .b32 %r<4>
            "#]],
        );
        check_type(
            "//- /a.ptx\n.extern .func (.reg .b32 r) f(.param .b32 x, .param .b64 y);\n.entry k { .param .b64 a; .reg .b32 s; call (s), f, (1, $0a); }\n//- /b.ptx\n.visible .func (.reg .b32 r) f(.param .b32 x, .param .b64 y) { }\n",
            expect![[r#"
                Parameter /b.ptx:1:59 y at /b.ptx:1:47 .param .b64 y in "f": .param .b64 y
            "#]],
        );
        check_type(
            ".entry k { .reg .b32 s; .func (.reg .b32 r) f; call ($0s), f; }",
            expect![[r#"
                Parameter 1:42 r at 1:32 .reg .b32 r in "f": .reg .b32 r
            "#]],
        );
        check_type(
            ".func f;\n.entry k { call $0f; }",
            expect![[r#"
            nothing
        "#]],
        );
        check_type(
            ".entry k { L: bra $0L; }",
            expect![[r#"
            nothing
        "#]],
        );
    }

    #[test]
    fn registers() {
        check(
            ".entry k { .reg .b32 %a, %r<4>; mov.b32 %r$003, 1; }",
            expect![[r#"
                Register 1:26 %r at 1:26 %r<4> in "k": .reg .b32 %r<4>
            "#]],
        );
        check(
            ".entry k { .reg .b32 a; { .reg .b64 a; mov.b64 a$0, 1; } }",
            expect![[r#"
                Register 1:37 a at 1:27 .reg .b64 a; in "k": .reg .b64 a
            "#]],
        );
    }

    #[test]
    fn parameters_and_labels() {
        check(
            ".entry k(.param .u64 p) { .reg .b64 r; ld.param.u64 r, [$0p]; }",
            expect![[r#"
                Parameter 1:22 p at 1:10 .param .u64 p in "k": .param .u64 p
            "#]],
        );
        check(
            ".entry k { { bra L$0; } L: ret; }",
            expect![[r#"
                Label 1:23 L at 1:23 L: in "k": L:
            "#]],
        );
        check(
            ".entry k { .reg .b64 f; p: .callprototype _; call f, $0p; }",
            expect![[r#"
                Prototype 1:25 p at 1:25 p: .callprototype _; in "k": p: .callprototype _;
            "#]],
        );
    }

    #[test]
    fn a_call_goes_to_the_body() {
        let text =
            ".func f(.param .b32 x);\n.entry k { call $0f, (1); }\n.func f(.param .b32 x) { }";
        check(
            text,
            expect![[r#"
                Function 3:7 f at 3:1 .func f(.param .b32 x) { } in "": .func f(.param .b32 x)
            "#]],
        );
        check_declaration(
            text,
            expect![[r#"
                Function 1:7 f at 1:1 .func f(.param .b32 x); in "": .func f(.param .b32 x)
            "#]],
        );
    }

    #[test]
    fn extern_names_go_to_other_files() {
        check(
            "//- /a.ptx\n.extern .func f;\n.entry k { call f$0; }\n//- /b.ptx\n.func f { }\n//- /c.ptx\n.visible .func f { }\n",
            expect![[r#"
                Function /c.ptx:1:16 f at /c.ptx:1:1 .visible .func f { } in "": .visible .func f
            "#]],
        );
        check(
            "//- /a.ptx\n.extern .global .b32 g;\n.global .b64 t = g$0;\n",
            expect![[r#"
                Variable 1:22 g at 1:1 .extern .global .b32 g; in "": .extern .global .b32 g
            "#]],
        );
    }

    #[test]
    fn an_alias_defines_its_name() {
        check(
            ".func f { }\n.func g;\n.alias g, f;\n.entry k { call $0g; }",
            expect![[r#"
                Alias 3:8 g at 3:8 g, f in "": .alias g, f
            "#]],
        );
    }

    #[test]
    fn a_prototype_in_a_body_declares_a_function_of_the_module() {
        check(
            ".entry a { .func f; call f; }\n.entry k { call f$0; }",
            expect![[r#"
                Function 1:18 f at 1:12 .func f; in "a": .func f
            "#]],
        );
    }

    #[test]
    fn debug_information() {
        check(
            ".entry k { M: ret; }\n.section .debug_info { .b32 a$0 .b64 M }\n.section .debug_str { a: .b8 1 }",
            expect![[r#"
                SectionLabel 3:23 a at 3:23 a in "": 
            "#]],
        );
        check(
            ".entry k { M: ret; }\n.section .debug_info { .b64 $0M }",
            expect![[r#"
                Label 1:12 M at 1:12 M: in "k": M:
            "#]],
        );
    }

    #[test]
    fn predefined_and_unknown_names_go_nowhere() {
        check(
            ".entry k { .reg .b32 r; mov.b32 r, $0%laneid; }",
            expect!["nothing\n"],
        );
        check(".entry k { mov.b32 $0r, 1; }", expect!["nothing\n"]);
        check(".entry k { m$0ov.b32 r, 1; }", expect!["nothing\n"]);
    }
}
