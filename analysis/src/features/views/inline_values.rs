//! Inline values: the registers whose values an editor shows in the text while a kernel is stopped in the debugger.

use rustc_hash::FxHashSet;
use salsa::Database;
use syntax::{TextRange, TextSize};

use crate::{
    SymbolKind,
    db::SourceFile,
    hir::body::{Body, Reference, Target, body},
};

use super::registers::function_at;

/// The registers whose values belong to the text in a range if the kernel is stopped in the line at an offset.
///
/// These are the registers of that line, and in the lines before it in the function each register where it is written
/// last, since an earlier line would show a value that it did not compute. In the order of the text.
pub(crate) fn inline_values(
    db: &dyn Database,
    file: SourceFile,
    shown: TextRange,
    stop: TextSize,
) -> Vec<TextRange> {
    let Some((function, start)) = function_at(db, file, stop) else {
        return Vec::new();
    };
    let body = body(db, function);
    let lines = &file.contents(db).lines;
    let line_of = |it: TextSize| lines.line_of(it + start);
    let stopped = lines.line_of(stop);
    let end = body
        .instructions
        .partition_point(|it| line_of(it.range.start()) <= stopped);
    let mut known = FxHashSet::default();
    let mut found = Vec::new();
    for instruction in body.instructions[..end].iter().rev() {
        let range = instruction.range + start;
        if range.end() < shown.start() {
            break;
        }
        let is_last = line_of(instruction.range.start()) == stopped;
        let names = instruction.references.start as usize..instruction.references.end as usize;
        for name in body.references[names].iter().rev() {
            let range = name.range + start;
            if is_register(body, name)
                && (is_last || name.write)
                && known.insert((name.target, name.member))
                && shown.contains_range(range)
            {
                found.push(range);
            }
        }
    }
    found.reverse();
    found
}

/// Whether a name is that of one register.
fn is_register(body: &Body, name: &Reference) -> bool {
    match name.target {
        Target::Definition(id) => body.definition(id).kind == SymbolKind::Register,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::{
        FileRange,
        fixture::{Fixture, HEADER},
    };

    use super::*;

    /// The registers with values where the kernel is stopped at the cursor, of the whole text.
    #[track_caller]
    fn check(body: &str, expect: Expect) {
        let text = format!(
            "{HEADER}.entry k(.param .u64 a)\n{{\n.reg .pred p;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n{body}\n}}"
        );
        let fixture = Fixture::new(&text);
        let (analysis, at) = fixture.cursor();
        let shown = TextRange::up_to(TextSize::of(&*text));
        let found = analysis.inline_values(at, shown).unwrap();
        let file = at.file;
        let found = found
            .into_iter()
            .map(|range| fixture.show(FileRange { file, range }));
        expect.assert_eq(&found.collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn the_last_writes_and_the_line_itself() {
        check(
            "mov.b32 %r1, 1;\nmov.b32 %r2, 2;\nmov.b32 %r1, 3;\n@p add.s32 $0%r3, %r1, %r4;\nmov.b32 %r5, 1;",
            expect![[r#"
                10:9 %r2
                12:2 p
                12:12 %r3
                12:17 %r1
                12:22 %r4"#]],
        );
    }

    #[test]
    fn outside_functions() {
        check("ret;\n}\n.global .b32 g$0;\n.entry j() {", expect![[r#""#]]);
    }
}
