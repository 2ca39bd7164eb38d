//! Where a register is live.

use crate::hir::instruction::references;
use salsa::Database;

use crate::{
    FilePosition, LiveRange, SymbolKind,
    db::SourceFile,
    flow::{
        Flow,
        facts::{Register, Value, weight},
        flow,
    },
    hir::{
        body::{Target, body},
        declared::declared,
        symbol::{Symbol, name_at},
    },
    pressure::{as_written, peak_as_written},
};

use super::registers::function_at;
use crate::features::navigation::target::declared_type;

/// How much time there is for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// As much as it takes.
    Thorough,
    /// Somebody waits. In long functions the order of the text stands for that of the model, and nothing is
    /// said about the pressure of enormous ones.
    Quick,
}

/// The model takes some 6 µs for an instruction, so it has no time for longer functions when somebody waits,
const MODELLED: usize = 400;
/// and in longer ones nothing is folded then.
const FOLDED: usize = 20_000;

/// The life of the register at a position; `None` for anything else, and for a whole family such as
/// `%r<9>`.
pub(crate) fn live_range(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
    effort: Effort,
) -> Option<LiveRange> {
    let Symbol::Local {
        function,
        definition,
        member,
    } = name_at(db, file, at.offset)?.symbol
    else {
        return None;
    };
    let (_, start) = function_at(db, file, at.offset)?;
    let body = body(db, function);
    let declaration = body.definition(definition);
    if declaration.kind != SymbolKind::Register || declaration.count.is_some() && member.is_none() {
        return None;
    }
    let flow = flow(db, function);
    let ty = declared_type(&function.green(db).cursor(), declaration)?.join(" ");
    let name = match member {
        Some(member) => format!("{}{member}", declaration.name),
        None => declaration.name.to_string(),
    };
    let mut found = LiveRange {
        register: name,
        ty,
        weight: weight(declared(db, function), definition),
        ranges: Vec::new(),
        crosses_peak: false,
        free: false,
        definitions: Vec::new(),
        uses: Vec::new(),
    };
    let registers = &flow.facts.values;
    let is_it = |it: &Register| it.definition == definition && it.member == member;
    let Some((value, _)) = (0..).zip(registers).find(|(_, it)| is_it(it)) else {
        return Some(found);
    };
    for instruction in &body.instructions {
        for reference in references(body, instruction) {
            if reference.target == Target::Definition(definition) && reference.member == member {
                let list = match reference.write {
                    true => &mut found.definitions,
                    false => &mut found.uses,
                };
                list.push(reference.range + start);
            }
        }
    }
    let alive = alive(flow, value);
    let mut last: Option<usize> = None;
    for (step, instruction) in body.instructions.iter().enumerate() {
        if alive.get(step) != Some(&true) {
            continue;
        }
        let range = instruction.range + start;
        match found.ranges.last_mut() {
            Some(run) if last.is_some_and(|it| it + 1 == step) => *run = run.cover(range),
            _ => found.ranges.push(range),
        }
        last = Some(step);
    }
    let within = |most: usize| effort == Effort::Thorough || body.instructions.len() <= most;
    if !within(FOLDED) {
        return Some(found);
    }
    let written = as_written(db, function);
    let peak = match within(MODELLED) {
        true => peak_as_written(db, function),
        false => written.peak,
    };
    found.free = written.free.get(value as usize) == Some(&true);
    found.crosses_peak = found.weight > 0
        && !found.free
        && peak.is_some_and(|it| alive.get(it as usize) == Some(&true));
    Some(found)
}

/// The instructions at which a value is live: those that write it too, even if nobody reads it then.
fn alive(flow: &Flow, value: Value) -> Vec<bool> {
    let facts = &flow.facts;
    let mut alive = vec![false; facts.len()];
    for (block, steps) in (0..).zip(&flow.graph.blocks) {
        let mut now = flow.liveness.is_live_out(block, value);
        for step in steps.clone().rev().map(|it| it as usize) {
            let written = facts.writes.get(step).contains(&value);
            let read = facts.reads.get(step).contains(&value);
            if let Some(alive) = alive.get_mut(step) {
                *alive = now || written || read;
            }
            now = read || now && (!written || facts.keeps[step]);
        }
    }
    alive
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use syntax::TextRange;

    use crate::{
        FileId, FileRange,
        fixture::{Fixture, HEADER},
    };

    /// The life of the register at the cursor, by the text of its places.
    #[track_caller]
    fn check(body: &str, expect: Expect) {
        let fixture = Fixture::new(&format!(
            "{HEADER}.entry k(.param .u64 p) {{\n.reg .b64 %rd<9>; .reg .b32 %r<9>, lone; .reg .pred %p;\n{body}ret;\n}}\n"
        ));
        let (analysis, position) = fixture.cursor();
        let Some(it) = analysis.live_range(position).unwrap() else {
            expect.assert_eq("nothing\n");
            return;
        };
        let mut out = format!(
            "{} {} weight {}, {}{}\n",
            it.register,
            it.ty,
            it.weight,
            if it.crosses_peak {
                "crosses the peak"
            } else {
                "not at the peak"
            },
            if it.free { ", free" } else { "" },
        );
        let text = |range| {
            let file = FileId(0);
            fixture.show(FileRange { file, range })
        };
        for range in it.ranges {
            let last = TextRange::empty(range.end());
            out.push_str(&format!("{} to {}\n", text(range), text(last).trim_end()));
        }
        for range in it.definitions {
            out.push_str(&format!("writes {}\n", text(range)));
        }
        for range in it.uses {
            out.push_str(&format!("reads {}\n", text(range)));
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn a_value_lives_from_its_write_to_its_last_read() {
        check(
            "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %laneid;\nadd.u32 %r3, %r1, %r$01;\nst.shared.u32 [%r2], %r3;\n",
            expect![[r#"
                %r1 .b32 weight 1, crosses the peak
                6:1 mov.u32 %r1, %tid.x; to 8:23
                writes 6:9 %r1
                reads 8:14 %r1
                reads 8:19 %r1
            "#]],
        );
    }

    #[test]
    fn a_value_lives_around_a_loop() {
        check(
            "mov.u32 %r1, %tid.x;\nL: setp.eq.u32 %p, %r1, 7;\n@%p bra M;\nst.shared.u32 [%r$01], %r1;\nbra L;\nM: mov.u32 %r1, 2;\n",
            expect![[r#"
                %r1 .b32 weight 1, crosses the peak
                6:1 mov.u32 %r1, %tid.x; to 11:19
                writes 6:9 %r1
                writes 11:12 %r1
                reads 7:20 %r1
                reads 9:16 %r1
                reads 9:22 %r1
            "#]],
        );
    }

    #[test]
    fn a_guarded_write_keeps_the_old_value_alive() {
        check(
            "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p, %r1, 7;\nmov.u32 %r2, %tid.y;\n@%p mov.u32 %r$02, %tid.z;\nst.shared.u32 [%r1], %r2;\n",
            expect![[r#"
                %r2 .b32 weight 1, crosses the peak
                8:1 mov.u32 %r2, %tid.y; to 10:26
                writes 8:9 %r2
                writes 9:13 %r2
                reads 10:22 %r2
            "#]],
        );
    }

    #[test]
    fn there_is_no_room_for_the_numbers_of_many_large_families() {
        let families = ["a", "b", "c", "d", "e", "f"];
        let text: String = families
            .iter()
            .map(|it| {
                format!(
                    ".reg .b32 {it}<65536>; mov.u32 {it}65535, %tid.x; mov.u32 {it}7, %laneid;\n"
                )
            })
            .collect();
        check(
            &format!("{text}st.shared.u32 [f65535], f$07;\nst.shared.u32 [a7], e65535;\n"),
            expect![[r#"
                f7 .b32 weight 1, crosses the peak
                11:45 mov.u32 f7, %laneid; to 12:28
                writes 11:53 f7
                reads 12:25 f7
            "#]],
        );
        check(
            &format!("{text}st.shared.u32 [f65$0535], f7;\nst.shared.u32 [a7], e65535;\n"),
            expect![[r#"
                f65535 .b32 weight 1, crosses the peak
                11:21 mov.u32 f65535, %tid.x; mov.u32 f7, %laneid; to 12:28
                writes 11:29 f65535
                reads 12:16 f65535
            "#]],
        );
    }

    #[test]
    fn what_takes_no_register() {
        check(
            "ld.param.u64 %rd$01, [p];\nst.global.u32 [%rd1], 1;\n",
            expect![[r#"
                %rd1 .b64 weight 2, not at the peak, free
                6:1 ld.param.u64 %rd1, [p]; to 7:25
                writes 6:14 %rd1
                reads 7:16 %rd1
            "#]],
        );
        check(
            "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p$0, %r1, 7;\n@%p ret;\n",
            expect![[r#"
                %p .pred weight 0, not at the peak
                7:1 setp.eq.u32 %p, %r1, 7; to 8:9
                writes 7:13 %p
                reads 8:2 %p
            "#]],
        );
        check(
            ".reg .b32 lo$0ner;\n",
            expect![[r#"
                loner .b32 weight 1, not at the peak
            "#]],
        );
        check(
            ".reg .b32 %x$0<3>;\n",
            expect![[r#"
            nothing
        "#]],
        );
        check(
            "L$0: bra L;\n",
            expect![[r#"
            nothing
        "#]],
        );
    }
}
