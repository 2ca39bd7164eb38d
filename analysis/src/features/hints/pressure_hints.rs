//! Inlay hints about registers: how many are live where most are, in loops, and everywhere on request.

use isa::limits::Limits;
use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::{TextRange, TextSize};

use crate::{
    ExactEntry, InlayHint, InlayHintKind, InlayHintKinds, LiveIn, LiveRegisters,
    flow::flow,
    hir::{body::body, in_force::in_force, items::Function, module::signature},
    pressure::{Estimate, pressure},
};

use crate::features::views::{live_registers::live_registers, registers::launch_bounds};

/// Editors ask for hints after every pause in typing, so larger functions get only what is on request.
const MOST_INSTRUCTIONS: usize = 5_000;

/// Adds the hints of a function and where it starts; the range is relative to it.
pub(super) fn pressure_hints(
    db: &dyn Database,
    (function, start): (Function<'_>, TextSize),
    range: TextRange,
    kinds: InlayHintKinds,
    exact: &[ExactEntry],
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
    let lines = &function.file(db).contents(db).lines;
    let line_of = |step: usize| {
        let instruction = body.instructions.get(step)?;
        Some(lines.line_of(instruction.range.start() + start))
    };
    let exact_entry = exact.iter().find(|it| it.name == *function.name(db));
    let scarce = match peak_or_loops {
        true => scarce(db, function, exact_entry),
        false => None,
    };
    if scarce.is_none() && !kinds.live_registers {
        return;
    }
    let live = live_registers(db, function, start, exact);
    let counted = live.counted.words();
    let short = match live.counted {
        LiveIn::Text => "live",
        LiveIn::MachineCode => "live, ptxas",
    };
    // By line, as that is what is counted.
    let mut shown: FxHashMap<u32, (String, String)> = FxHashMap::default();
    if let Some(scarce) = scarce {
        if kinds.loop_registers {
            let most = live.most();
            // Loops with few values are not why registers are scarce.
            for (head, most) in loops(db, function, &live, &line_of)
                .into_iter()
                .filter(|it| it.1 > most / 2)
            {
                let label = format!("⟨{most} {short}⟩ in the loop");
                let tooltip = format!("At most {most} registers are {counted} in this loop.");
                shown.insert(head, (label, tooltip));
            }
        }
        if let (true, Some((line, most))) = (kinds.register_peak, live.peak()) {
            let tooltip = format!(
                "The most registers of `{}` are live here: {most} {counted}. {scarce}",
                function.name(db),
            );
            shown.insert(line, (format!("⟨{most} {short}⟩ peak"), tooltip));
        }
    }
    if kinds.live_registers {
        let inside = line_of(first)..=line_of(after - 1);
        for (line, count) in live.lines.iter().filter(|it| inside.contains(&Some(it.0))) {
            shown.entry(*line).or_insert_with(|| {
                let tooltip = format!("At most {count} registers are {counted} in this line.");
                (format!("⟨{count} {short}⟩"), tooltip)
            });
        }
    }
    for step in first..after {
        let line = line_of(step);
        // After the last instruction of a line.
        if line == line_of(step + 1) {
            continue;
        }
        if let Some((label, tooltip)) = line.and_then(|it| shown.remove(&it))
            && let Some(instruction) = body.instructions.get(step)
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

/// A sentence about the registers of an entry that may need more than cost nothing.
fn scarce(db: &dyn Database, function: Function<'_>, exact: Option<&ExactEntry>) -> Option<String> {
    let signature = signature(db, function);
    if !signature.entry || !signature.defined {
        return None;
    }
    let limits = Limits::at_least(in_force(db, function)?.start.target)?;
    if let Some(registers) = exact.map(|it| it.registers.registers) {
        let sentence = format!("`ptxas` needs {registers} registers.");
        return (registers > limits.free_registers()).then_some(sentence);
    }
    let estimate = pressure(db, function).estimate(limits, &launch_bounds(db, function));
    let Estimate {
        registers,
        low,
        high,
        ..
    } = estimate;
    let sentence = format!("`ptxas` will need about {registers} registers ({low} to {high}).");
    (high > limits.free_registers()).then_some(sentence)
}

/// The first line of each loop, and the most registers live in it.
fn loops(
    db: &dyn Database,
    function: Function<'_>,
    live: &LiveRegisters,
    line_of: &dyn Fn(usize) -> Option<u32>,
) -> Vec<(u32, u32)> {
    let graph = &flow(db, function).graph;
    let mut most = vec![0; graph.loops.len()];
    for (steps, innermost) in graph.blocks.iter().zip(&graph.loop_of) {
        let ends = steps.end.checked_sub(1).filter(|_| !steps.is_empty());
        let lines = line_of(steps.start as usize).zip(ends.and_then(|it| line_of(it as usize)));
        let Some(here) = lines.and_then(|(first, last)| live.most_in(first..=last)) else {
            continue;
        };
        let parent = |it: &u32| graph.loops.get(*it as usize)?.parent;
        for around in std::iter::successors(*innermost, parent) {
            if let Some(most) = most.get_mut(around as usize) {
                *most = here.max(*most);
            }
        }
    }
    let heads = graph.loops.iter().zip(most);
    heads
        .filter_map(|(it, most)| {
            let head = graph.blocks.get(it.head as usize)?.start;
            Some((line_of(head as usize)?, most))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use syntax::TextRange;

    use crate::{
        ExactEntry, ExactRegisters, FileId, FileRange, InlayHintKinds,
        fixture::{Fixture, HEADER, NO_HINTS},
    };

    /// The lines that have a hint.
    #[track_caller]
    fn check(text: &str, kinds: InlayHintKinds, expect: Expect) {
        check_with(text, kinds, &[], expect);
    }

    /// The same after a run of `ptxas`.
    #[track_caller]
    fn check_with(text: &str, kinds: InlayHintKinds, exact: &[ExactEntry], expect: Expect) {
        let fixture = Fixture::new(text);
        let at = FileRange {
            file: FileId(0),
            range: TextRange::up_to((text.len() as u32).into()),
        };
        let mut out = String::new();
        for hint in fixture
            .host
            .analysis()
            .inlay_hints(at, kinds, exact)
            .unwrap()
        {
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
            ..NO_HINTS
        };
        check(
            &kernel(60),
            both,
            expect![[r#"
                ld.shared.b32 %r59, [%s+236]; ⟨61 live⟩ peak
                K: add.u32 %s, %s, 1; ⟨61 live⟩ in the loop
            "#]],
        );
        check(&kernel(6), both, expect![""]);
        let peak = InlayHintKinds {
            register_peak: true,
            ..NO_HINTS
        };
        check(
            &kernel(60),
            peak,
            expect![[r#"
                ld.shared.b32 %r59, [%s+236]; ⟨61 live⟩ peak
            "#]],
        );
    }

    #[test]
    fn the_figures_of_ptxas_where_it_was_asked() {
        let text = kernel(60);
        let line = |needle: &str| text.lines().position(|it| it.contains(needle)).unwrap() as u32;
        let of = |registers: u32| ExactEntry {
            name: "k".to_owned(),
            target: "sm_80".to_owned(),
            registers: ExactRegisters {
                registers,
                ..ExactRegisters::default()
            },
            lines: vec![(line("%r9,"), 40), (line("K:"), 70), (line("L:"), 3)],
            instructions: None,
        };
        let all = InlayHintKinds {
            register_peak: true,
            loop_registers: true,
            live_registers: true,
            ..NO_HINTS
        };
        check_with(
            &text,
            all,
            &[of(72)],
            expect![[r#"
            ld.shared.b32 %r9, [%s+36]; ⟨40 live, ptxas⟩
            K: add.u32 %s, %s, 1; ⟨70 live, ptxas⟩ peak
            L: add.u32 %s, %s, 1; ⟨3 live, ptxas⟩
        "#]],
        );
        // So few cost nothing.
        let peak = InlayHintKinds {
            register_peak: true,
            ..NO_HINTS
        };
        check_with(&text, peak, &[of(24)], expect![[""]]);
    }

    #[test]
    fn everywhere() {
        let all = InlayHintKinds {
            live_registers: true,
            ..NO_HINTS
        };
        check(
            &kernel(3),
            all,
            expect![[r#"
                mov.u32 %s, %tid.x; ⟨1 live⟩
                ld.shared.b32 %r0, [%s+0]; ⟨2 live⟩
                ld.shared.b32 %r1, [%s+4]; ⟨3 live⟩
                ld.shared.b32 %r2, [%s+8]; ⟨4 live⟩
                K: add.u32 %s, %s, 1; ⟨4 live⟩
                setp.lt.u32 %p, %s, %laneid; ⟨4 live⟩
                @%p bra K; ⟨4 live⟩
                st.volatile.shared.b32 [%s+8], %r2; ⟨4 live⟩
                st.volatile.shared.b32 [%s+4], %r1; ⟨3 live⟩
                st.volatile.shared.b32 [%s+0], %r0; ⟨2 live⟩
                L: add.u32 %s, %s, 1; ⟨1 live⟩
                setp.lt.u32 %p, %s, %laneid; ⟨1 live⟩
                @%p bra L; ⟨1 live⟩
                st.shared.b32 [0], %s; ⟨1 live⟩
                ret; ⟨0 live⟩
            "#]],
        );
        check(&kernel(3), NO_HINTS, expect![""]);
    }
}
