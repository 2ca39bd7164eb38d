//! The protocols of kernels: which instructions belong together.

use std::fmt::Write as _;

use salsa::Database;
use syntax::{SyntaxKind, TextRange, TextSize};

use crate::{
    Access, FilePosition, FileRange, Reference,
    db::SourceFile,
    flow::{
        facts::{Nodes, step_at},
        flow,
    },
    hir::{
        body::body,
        instruction::Parts,
        items::{Function, function_name, item_offsets, items},
        symbol::{ItemAt, item_at},
    },
    protocols::{Protocol, ask, protocols},
};

/// Instructions of a function that take part in one protocol: a group of asynchronous operations, a barrier, an
/// allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolView {
    /// The name of the function.
    pub function: String,
    /// The common part of the instructions.
    pub title: String,
    /// The instructions, in the order of the text.
    pub parts: Vec<ProtocolPart>,
}

/// An instruction of a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolPart {
    /// The whole statement, in UTF-8 offsets of the file.
    pub range: TextRange,
    /// Its effect there.
    pub role: String,
    /// The indices of the parts that it waits for or commits, or that do so with it; empty if all count.
    pub partners: Vec<usize>,
}

fn of_function(db: &dyn Database, function: Function<'_>) -> Vec<Protocol> {
    ask(db, function, flow(db, function), protocols)
}

/// The protocols of all functions of a file, or of those with a name.
pub(crate) fn protocol_views(
    db: &dyn Database,
    file: SourceFile,
    name: Option<&str>,
) -> Vec<ProtocolView> {
    let mut found = Vec::new();
    let items = items(db, file);
    for (index, function) in items.functions.iter().enumerate() {
        db.unwind_if_revision_cancelled();
        let body = body(db, *function);
        let cursor = function.green(db).cursor();
        let own = function_name(&cursor).unwrap_or_default();
        if name.is_some_and(|it| it != own) {
            continue;
        }
        let start = item_offsets(db, file).functions[index];
        let place = |step: u32| {
            body.instructions
                .get(step as usize)
                .map(|it| it.range + start)
        };
        for it in of_function(db, *function) {
            let steps: Vec<u32> = it.parts.iter().map(|it| it.step).collect();
            let index = |step: &u32| steps.iter().position(|it| it == step);
            let parts = it.parts.iter().filter_map(|it| {
                Some(ProtocolPart {
                    range: place(it.step)?,
                    role: it.role.clone(),
                    partners: it.partners.iter().filter_map(index).collect(),
                })
            });
            found.push(ProtocolView {
                function: own.to_owned(),
                title: it.title.clone(),
                parts: parts.collect(),
            });
        }
    }
    found
}

/// The function at a position, where it starts, and the instruction whose opcode is there.
fn instruction_at(
    db: &dyn Database,
    file: SourceFile,
    offset: TextSize,
) -> Option<(Function<'_>, TextSize, u32)> {
    let ItemAt::Function(function, start) = item_at(db, file, offset)? else {
        return None;
    };
    let at = offset - start;
    // What most instructions are is told by their text, without a look at the function.
    let cursor = function.green(db).cursor();
    let path = |at: TextSize| cursor.nodes_at(at).into_iter().rev();
    let instruction = |at| path(at).find(|it| it.kind() == SyntaxKind::INSTRUCTION);
    let node = instruction(at).or_else(|| instruction(at.checked_sub(1.into())?))?;
    let opcode = node.token(SyntaxKind::IDENT)?;
    let words = node.tokens().filter(|it| it.kind() == SyntaxKind::DOTTED);
    let end = words
        .last()
        .map_or(opcode.range().end(), |it| it.range().end());
    let inside = (opcode.range().start()..=end).contains(&at);
    if !inside || !isa::tables().has_events(opcode.text()) {
        return None;
    }
    let body = body(db, function);
    let step = step_at(body, opcode.range().end()).checked_sub(1)?;
    let found = body.instructions.get(step as usize)?;
    (found.opcode == opcode.range()).then_some((function, start, step))
}

/// The part of an instruction in protocols, as Markdown, if its opcode is at a position.
pub(crate) fn hover(db: &dyn Database, file: SourceFile, offset: TextSize) -> Option<String> {
    let (function, start, step) = instruction_at(db, file, offset)?;
    let lines = &file.contents(db).lines;
    let body = body(db, function);
    let line = |step: u32| {
        let found = body.instructions.get(step as usize)?;
        Some(lines.line_of(found.opcode.start() + start) + 1)
    };
    let mut out = String::new();
    for it in of_function(db, function) {
        let Some(own) = it.parts.iter().find(|it| it.step == step) else {
            continue;
        };
        let _ = write!(out, "**Protocol**: {}; this {}.", it.title, own.role);
        let others = it.parts.iter().filter(|it| it.step != step);
        let others = others.filter(|it| own.partners.is_empty() || own.partners.contains(&it.step));
        for other in others.take(MAX_LINES) {
            let Some(line) = line(other.step) else {
                continue;
            };
            let _ = write!(out, "\n- line {line} {}", other.role);
        }
        out.push_str("\n\n");
    }
    (!out.is_empty()).then(|| out.trim_end().to_owned())
}

/// Lines that a hover lists.
const MAX_LINES: usize = 12;

/// The instructions that belong to the one whose opcode is at a position, itself included.
pub(crate) fn highlight(db: &dyn Database, file: SourceFile, at: FilePosition) -> Vec<Reference> {
    let Some((function, start, step)) = instruction_at(db, file, at.offset) else {
        return Vec::new();
    };
    let mut steps: Vec<u32> = Vec::new();
    for it in of_function(db, function) {
        let Some(own) = it.parts.iter().find(|it| it.step == step) else {
            continue;
        };
        let others = it.parts.iter().map(|it| it.step);
        steps.extend(
            others.filter(|it| *it == step || own.partners.is_empty() || own.partners.contains(it)),
        );
    }
    steps.sort_unstable();
    steps.dedup();
    let body = body(db, function);
    let nodes = Nodes::new(db, function);
    let range = |step: u32| {
        let opcode = body.instructions.get(step as usize)?.opcode;
        let node = nodes.get(step);
        Some(node.map_or(opcode, |it| Parts::of(&it).name()))
    };
    let found = steps.into_iter().filter_map(range);
    found
        .map(|range| Reference {
            location: FileRange {
                file: at.file,
                range: range + start,
            },
            access: Access::Read,
            other_value: false,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::fixture::Fixture;

    fn check(text: &str, hover: Expect, highlight: Expect) {
        let fixture = Fixture::new(text);
        let (analysis, position) = fixture.cursor();
        let found = analysis.hover(position).unwrap();
        let found = found.map(|it| it.info.markdown).unwrap_or_default();
        let own = found.split_once("**Protocol**").map_or("", |it| it.1);
        hover.assert_eq(own);
        let found = analysis.highlight(position).unwrap();
        let found = found.iter().map(|it| fixture.show(it.location));
        highlight.assert_eq(&found.collect::<Vec<_>>().join("\n"));
    }

    const KERNEL: &str = "\
.version 8.7
.target sm_90a
.address_size 64
.shared .align 16 .b8 tile[64];
.shared .align 8 .b64 full;
.entry k(.param .u64 in) {
.reg .b64 %a; .reg .b32 %r; .reg .pred %p;
ld.param.u64 %a, [in]; mov.u32 %r, tile;
cp.async.ca.shared.global [%r], [%a], 4;
cp.async.commit_group;
cp.async.ca.shared.global [%r+4], [%a], 4;
cp.async.commit_group;
cp.async.wait_group 1;
mbarrier.init.shared::cta.b64 [full], 2;
mbarrier.arrive.shared::cta.b64 _, [full];
W: mbarrier.try_wait.parity.shared::cta.b64 %p, [full], 0;
@!%p bra W;
ret;
}
";

    #[test]
    fn a_wait_and_what_it_waits_for() {
        check(
            &KERNEL.replace("cp.async.wait_group 1", "cp.as$0ync.wait_group 1"),
            expect![[r#"
                : asynchronous copies of the thread; this waits until at most 1 group is pending.
                - line 9 starts"#]],
            expect![[r#"
                9:1 cp.async
                13:1 cp.async.wait_group"#]],
        );
    }

    #[test]
    fn a_barrier_and_all_who_use_it() {
        check(
            &KERNEL.replace("mbarrier.init", "$0mbarrier.init"),
            expect![[r#"
                : mbarrier `full`; this initializes for arrivals: 2.
                - line 15 arrives
                - line 16 waits for parity 0"#]],
            expect![[r#"
                14:1 mbarrier.init
                15:1 mbarrier.arrive
                16:4 mbarrier.try_wait"#]],
        );
    }

    #[test]
    fn what_takes_part_in_nothing() {
        check(
            &KERNEL.replace("ld.param", "l$0d.param"),
            expect![[""]],
            expect![[""]],
        );
    }

    #[test]
    fn numbers_that_are_not_known_leave_no_colon() {
        check(
            ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u32 n) {\n.reg .b32 %r<3>; .reg .pred %p; .shared .b64 bar;\nld.param.u32 %r1, [n];\nmbarrier$0.init.shared.b64 [bar], %r1;\nmbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], %r1;\nW: mbarrier.try_wait.parity.shared.b64 %p, [bar], %r1;\n@!%p bra W;\nret;\n}\n",
            expect![[r#"
                : mbarrier `bar`; this initializes.
                - line 8 expects bytes
                - line 9 waits"#]],
            expect![[r#"
                7:1 mbarrier.init
                8:1 mbarrier.expect_tx
                9:4 mbarrier.try_wait"#]],
        );
    }
}
