//! Call hierarchy: who calls a function, and whom it calls.

use salsa::Database;
use syntax::TextRange;

use crate::{
    Call, FilePosition, NavigationTarget, SymbolKind,
    db::SourceFile,
    hir::{
        body::{Body, DefinitionId, Place, Target, body},
        items::{Function, item_offsets, items},
        module::{Declaration, DeclarationSource},
        symbol::{Symbol, declarations, linked_files, name_at},
    },
};

use super::{goto::definition_targets, target::module_target};

/// The function at a position: where it is defined, or else declared.
pub(crate) fn prepare(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Vec<NavigationTarget> {
    match function_at(db, file, at) {
        Some((file, name)) => targets(db, file, &name),
        None => Vec::new(),
    }
}

/// The functions that call the one at a position.
pub(crate) fn incoming(db: &dyn Database, file: SourceFile, at: FilePosition) -> Vec<Call> {
    let Some((file, name)) = function_at(db, file, at) else {
        return Vec::new();
    };
    let mut calls = Vec::new();
    for file in std::iter::once(file).chain(linked_files(db, file, &name)) {
        let offsets = item_offsets(db, file);
        for (index, function) in (0u32..).zip(&items(db, file).functions) {
            db.unwind_if_revision_cancelled();
            let body = body(db, *function);
            let start = offsets.functions[index as usize];
            let mut ranges = Vec::new();
            each_call(body, &mut |callee, range| {
                if callee == &*name {
                    ranges.push(range + start);
                }
            });
            if ranges.is_empty() {
                continue;
            }
            if let Some(target) = caller(db, file, *function, index) {
                calls.push(Call { target, ranges });
            }
        }
    }
    calls
}

/// The functions that the one at a position calls, in the order of their first calls; none if this file
/// does not define it.
pub(crate) fn outgoing(db: &dyn Database, file: SourceFile, at: FilePosition) -> Vec<Call> {
    let Some((file, name)) = function_at(db, file, at) else {
        return Vec::new();
    };
    let mut calls: Vec<Call> = Vec::new();
    let defined = declarations(db, file, &name, None)
        .iter()
        .find_map(|it| match it.source {
            DeclarationSource::Function(index) if it.defined => Some(index),
            _ => None,
        });
    let Some(index) = defined else {
        return calls;
    };
    let Some(function) = items(db, file).functions.get(index as usize) else {
        return calls;
    };
    let start = item_offsets(db, file).functions[index as usize];
    each_call(body(db, *function), &mut |callee, range| {
        if let Some(known) = calls.iter_mut().find(|it| it.target.name == callee) {
            known.ranges.push(range + start);
        } else if let Some(target) = targets(db, file, callee).into_iter().next() {
            calls.push(Call {
                target,
                ranges: vec![range + start],
            });
        }
    });
    calls
}

/// The name of the function at a position, and the file in which it is looked up.
fn function_at(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Option<(SourceFile, Box<str>)> {
    let Symbol::Module { file, name, .. } = name_at(db, file, at.offset)?.symbol else {
        return None;
    };
    let is_function = |it: &Declaration| !matches!(it.source, DeclarationSource::Variable(_));
    declarations(db, file, &name, None)
        .iter()
        .any(is_function)
        .then_some((file, name))
}

/// Where a function is defined, or else declared; a variable is not a function.
fn targets(db: &dyn Database, file: SourceFile, name: &str) -> Vec<NavigationTarget> {
    let mut targets = definition_targets(db, file, name, None);
    targets.retain(|it| {
        matches!(
            it.kind,
            SymbolKind::Entry | SymbolKind::Function | SymbolKind::Alias
        )
    });
    targets
}

/// A function as the caller of another.
fn caller(
    db: &dyn Database,
    file: SourceFile,
    function: Function<'_>,
    index: u32,
) -> Option<NavigationTarget> {
    let declaration = declarations(db, file, function.name(db), None)
        .iter()
        .find(|it| it.source == DeclarationSource::Function(index))?;
    Some(module_target(db, file, declaration))
}

/// Calls `act` with the name of each function that a body calls, and where: the callee, or the list of
/// targets of an indirect call.
fn each_call(body: &Body, act: &mut impl FnMut(&str, TextRange)) {
    for instruction in body.instructions.iter().filter(|it| it.call) {
        let range = instruction.references.start as usize..instruction.references.end as usize;
        for reference in body.references.get(range).unwrap_or_default() {
            if let Target::Definition(id) = reference.target
                && body.definition(id).kind == SymbolKind::TargetList
            {
                for name in listed(body, id) {
                    act(name, reference.range);
                }
            } else if reference.place == Place::Callee
                && let Some(name) = function_name(body, reference.target)
            {
                act(name, reference.range);
            }
        }
    }
}

/// The functions in a list of targets.
fn listed(body: &Body, list: DefinitionId) -> impl Iterator<Item = &str> {
    let range = body.definition(list).full_range;
    let first = body
        .references
        .partition_point(|it| it.range.start() < range.start());
    body.references[first..]
        .iter()
        .take_while(move |it| it.range.start() < range.end())
        .filter(|it| it.place == Place::Callee)
        .filter_map(|it| function_name(body, it.target))
}

/// The name of a function, or of what may be one, in the module.
fn function_name(body: &Body, target: Target) -> Option<&str> {
    match target {
        Target::Free(index) => body.free.get(index as usize).map(|it| &**it),
        Target::Definition(id) => {
            let found = body.definition(id);
            (found.kind == SymbolKind::Function).then_some(&found.name)
        }
        Target::Special(_) | Target::WarpSize | Target::Section(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use crate::{Call, FileRange, fixture::Fixture};

    /// Callers, then callees, of the function at the cursor.
    #[track_caller]
    fn check(text: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let (analysis, at) = fixture.cursor();
        let mut out = String::new();
        for it in analysis.call_hierarchy(at).unwrap() {
            let place = FileRange {
                file: it.file,
                range: it.focus_range,
            };
            let _ = writeln!(out, "{:?} {}", it.kind, fixture.show(place));
        }
        let mut show = |mark: &str, calls: Vec<Call>, from: Option<crate::FileId>| {
            for call in calls {
                let place = |file, range| fixture.show(FileRange { file, range });
                let target = place(call.target.file, call.target.focus_range);
                let file = from.unwrap_or(call.target.file);
                let ranges: Vec<String> =
                    call.ranges.into_iter().map(|it| place(file, it)).collect();
                let _ = writeln!(out, "{mark} {target}: {}", ranges.join(", "));
            }
        };
        show("from", analysis.incoming_calls(at).unwrap(), None);
        show("to", analysis.outgoing_calls(at).unwrap(), Some(at.file));
        expected.assert_eq(&out);
    }

    #[test]
    fn direct_calls() {
        check(
            ".func g { ret; }\n.func $0f { call g; call g; call f; vprintf: ret; }\n.entry k { call f; { call f; } }\n.entry n { call g; }",
            expect![[r#"
                Function 2:7 f
                from 2:7 f: 2:32 f
                from 3:8 k: 3:17 f, 3:27 f
                to 1:7 g: 2:16 g, 2:24 g
                to 2:7 f: 2:32 f
            "#]],
        );
        check(
            ".func f;\n.entry k { call f$0; }\n.func f { .func g; call g; call unknown; }\n.func g;",
            expect![[r#"
                Function 3:7 f
                from 2:8 k: 2:17 f
                to 3:17 g: 3:25 g
            "#]],
        );
    }

    #[test]
    fn indirect_calls() {
        check(
            ".func a { }\n.func b { }\n.entry $0k { .reg .b64 r; t: .calltargets a, b; u: .calltargets a; mov.b64 r, a; call r, t; call r, t; }",
            expect![[r#"
                Entry 3:8 k
                to 1:7 a: 3:88 t, 3:99 t
                to 2:7 b: 3:88 t, 3:99 t
            "#]],
        );
        check(
            ".func $0a { }\n.entry k { .reg .b64 r; t: .calltargets a; p: .callprototype _; call r, t; call r, p; mov.b64 r, a; }\n.entry n { t: .calltargets a; }",
            expect![[r#"
                Function 1:7 a
                from 2:8 k: 2:73 t
            "#]],
        );
    }

    #[test]
    fn calls_across_files() {
        check(
            "//- /a.ptx\n.visible .func f$0 { call g; }\n.func g { }\n//- /b.ptx\n.extern .func f;\n.entry k { call f; }\n//- /c.ptx\n.func f { call f; }\n",
            expect![[r#"
                Function /a.ptx:1:16 f
                from /b.ptx:2:8 k: /b.ptx:2:17 f
                to /a.ptx:2:7 g: /a.ptx:1:25 g
            "#]],
        );
        check(
            "//- /a.ptx\n.extern .func f;\n.entry $0k { call f; }\n//- /b.ptx\n.visible .func f { }\n",
            expect![[r#"
                Entry /a.ptx:2:8 k
                to /b.ptx:1:16 f: /a.ptx:2:17 f
            "#]],
        );
    }

    #[test]
    fn what_is_no_function_has_no_calls() {
        check(".global .b32 g$0;\n.entry k { call g; }", expect![[""]]);
        check(".entry k { .reg .b32 $0r; call r; }", expect![[""]]);
    }
}
