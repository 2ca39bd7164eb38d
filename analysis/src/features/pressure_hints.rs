//! Inlay hints about registers: how many are live where most are, in loops, and everywhere on request.

use isa::limits::Limits;
use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::{TextRange, TextSize};

use crate::{
    InlayHint, InlayHintKind, InlayHintKinds,
    flow::{facts::Step, flow},
    hir::{body::body, in_force::in_force, items::Function, module::signature},
    pressure::{Estimate, bounds, pressure},
};

/// Editors ask for hints after every pause in typing, so larger functions get only what is on request.
const MOST_INSTRUCTIONS: usize = 5_000;

/// Adds the hints of a function that starts at an offset; the range is relative to it.
pub(super) fn pressure_hints(
    db: &dyn Database,
    function: Function<'_>,
    start: TextSize,
    range: TextRange,
    kinds: InlayHintKinds,
    hints: &mut Vec<InlayHint>,
) {
    let body = body(db, function);
    let small = body.instructions.len() <= MOST_INSTRUCTIONS;
    let peak_or_loops = small && (kinds.register_peak || kinds.loop_registers);
    if !peak_or_loops && !kinds.live_registers {
        return;
    }
    let first = body
        .instructions
        .partition_point(|it| it.range.end() < range.start());
    let after = body
        .instructions
        .partition_point(|it| it.range.start() <= range.end());
    if first >= after {
        return;
    }
    let mut shown: FxHashMap<Step, (String, String)> = FxHashMap::default();
    if peak_or_loops && let Some(estimate) = scarce(db, function) {
        let pressure = pressure(db, function);
        if kinds.loop_registers {
            let all = loops(db, function).into_iter();
            // Loops with few values are not why registers are scarce.
            for (head, most) in all.filter(|it| it.1 > pressure.written / 2) {
                let label = format!("⟨{most}⟩ in the loop");
                let tooltip = format!("At most {most} registers are live at once in this loop.");
                shown.insert(head, (label, tooltip));
            }
        }
        if let (true, Some(peak)) = (kinds.register_peak, pressure.peak) {
            let most = pressure.reordered.get(peak as usize).unwrap_or(&0);
            let tooltip = format!(
                "Most registers of `{}` are probably live here once ptxas has reordered it: {most}. It \
                 will need about {} ({} to {}).",
                function.name(db),
                estimate.registers,
                estimate.low,
                estimate.high
            );
            shown.insert(peak, (format!("⟨{most}⟩ peak"), tooltip));
        }
    }
    if kinds.live_registers {
        let alive = &pressure(db, function).alive;
        for step in first..after {
            if let Some(count) = alive.get(step) {
                let tooltip = format!("{count} registers are live here.");
                let hint = || (format!("⟨{count}⟩"), tooltip);
                shown.entry(step as Step).or_insert_with(hint);
            }
        }
    }
    for (step, (label, tooltip)) in shown {
        let step = step as usize;
        if let Some(instruction) = body.instructions.get(step)
            && (first..after).contains(&step)
        {
            hints.push(InlayHint {
                offset: instruction.range.end() + start,
                label,
                kind: InlayHintKind::Registers,
                tooltip: Some(tooltip),
            });
        }
    }
}

/// The estimate for an entry that may need more registers than cost nothing.
fn scarce(db: &dyn Database, function: Function<'_>) -> Option<Estimate> {
    let signature = signature(db, function);
    if !signature.entry || !signature.defined {
        return None;
    }
    let limits = Limits::at_least(in_force(db, function)?.start.target)?;
    let estimate = pressure(db, function).estimate(limits, &bounds(db, function));
    (estimate.high > limits.free_registers()).then_some(estimate)
}

/// The first instruction of each loop, and the most registers live in it.
fn loops(db: &dyn Database, function: Function<'_>) -> Vec<(Step, u32)> {
    let graph = &flow(db, function).graph;
    let alive = &pressure(db, function).alive;
    let mut most = vec![0; graph.loops.len()];
    for (steps, innermost) in graph.blocks.iter().zip(&graph.loop_of) {
        let here = alive.get(steps.start as usize..steps.end as usize);
        let here = here.unwrap_or_default().iter().copied().max().unwrap_or(0);
        let parent = |it: &u32| graph.loops.get(*it as usize)?.parent;
        for around in std::iter::successors(*innermost, parent) {
            if let Some(most) = most.get_mut(around as usize) {
                *most = here.max(*most);
            }
        }
    }
    let heads = graph.loops.iter().zip(most);
    heads
        .filter_map(|(it, most)| Some((graph.blocks.get(it.head as usize)?.start, most)))
        .collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use syntax::TextRange;

    use crate::{
        FileId, FileRange, InlayHintKinds,
        fixture::{Fixture, HEADER},
    };

    const NONE: InlayHintKinds = InlayHintKinds {
        defaults: false,
        demangled_names: false,
        float_literals: false,
        live_registers: false,
        loop_registers: false,
        parameter_names: false,
        register_peak: false,
        register_types: false,
    };

    /// The lines that have a hint.
    #[track_caller]
    fn check(text: &str, kinds: InlayHintKinds, expect: Expect) {
        let fixture = Fixture::new(text);
        let at = FileRange {
            file: FileId(0),
            range: TextRange::up_to((text.len() as u32).into()),
        };
        let mut out = String::new();
        for hint in fixture.host.analysis().inlay_hints(at, kinds).unwrap() {
            let before = &text[..hint.offset.into()];
            let line = before.lines().last().unwrap_or_default();
            out.push_str(&format!("{line} {}\n", hint.label));
        }
        expect.assert_eq(&out);
    }

    /// Many values across one loop, and few in another.
    fn kernel(count: usize) -> String {
        let loads: String = (0..count)
            .map(|it| format!("ld.shared.b32 %r{it}, [%s+{}];\n", it * 4))
            .collect();
        let stores: String = (0..count)
            .rev()
            .map(|it| format!("st.volatile.shared.b32 [%s+{}], %r{it};\n", it * 4))
            .collect();
        format!(
            "{HEADER}.entry k() {{\n.reg .b32 %r<{count}>, %s; .reg .pred %p;\nmov.u32 %s, %tid.x;\n{loads}\
             K: add.u32 %s, %s, 1;\nsetp.lt.u32 %p, %s, %laneid;\n@%p bra K;\n{stores}L: add.u32 %s, %s, 1;\nsetp.lt.u32 %p, %s, %laneid;\n@%p bra L;\n\
             st.shared.b32 [0], %s;\nret;\n}}\n"
        )
    }

    #[test]
    fn the_peak_and_loops_where_registers_are_scarce() {
        let both = InlayHintKinds {
            register_peak: true,
            loop_registers: true,
            ..NONE
        };
        check(
            &kernel(60),
            both,
            expect![[r#"
                ld.shared.b32 %r59, [%s+236]; ⟨61⟩ peak
                K: add.u32 %s, %s, 1; ⟨61⟩ in the loop
            "#]],
        );
        check(&kernel(6), both, expect![""]);
        let peak = InlayHintKinds {
            register_peak: true,
            ..NONE
        };
        check(
            &kernel(60),
            peak,
            expect![[r#"
                ld.shared.b32 %r59, [%s+236]; ⟨61⟩ peak
            "#]],
        );
    }

    #[test]
    fn everywhere() {
        let all = InlayHintKinds {
            live_registers: true,
            ..NONE
        };
        check(
            &kernel(3),
            all,
            expect![[r#"
                mov.u32 %s, %tid.x; ⟨1⟩
                ld.shared.b32 %r0, [%s+0]; ⟨2⟩
                ld.shared.b32 %r1, [%s+4]; ⟨3⟩
                ld.shared.b32 %r2, [%s+8]; ⟨4⟩
                K: add.u32 %s, %s, 1; ⟨4⟩
                setp.lt.u32 %p, %s, %laneid; ⟨4⟩
                @%p bra K; ⟨4⟩
                st.volatile.shared.b32 [%s+8], %r2; ⟨4⟩
                st.volatile.shared.b32 [%s+4], %r1; ⟨3⟩
                st.volatile.shared.b32 [%s+0], %r0; ⟨2⟩
                L: add.u32 %s, %s, 1; ⟨1⟩
                setp.lt.u32 %p, %s, %laneid; ⟨1⟩
                @%p bra L; ⟨1⟩
                st.shared.b32 [0], %s; ⟨1⟩
                ret; ⟨0⟩
            "#]],
        );
        check(&kernel(3), NONE, expect![""]);
    }
}
