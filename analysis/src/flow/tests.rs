//! Flow of small functions, drawn; and of random ones against a slow reference.

use std::{collections::BTreeSet, fmt::Write as _};

use expect_test::{Expect, expect};
use rustc_hash::FxHashSet;

use crate::{
    Analysis,
    db::Workspace,
    fixture::{Fixture, HEADER},
    hir::{body::body, items::items},
};

use super::{Flow, facts::Value, flow, liveness::Liveness};

/// Looks at the flow of the last function of a file.
fn with_flow<T>(analysis: &Analysis, act: impl FnOnce(&Flow, &dyn Fn(Value) -> String) -> T) -> T {
    analysis
        .with(|db| {
            let file = Workspace::get(db).files(db)[0];
            let function = *items(db, file).functions.last().unwrap();
            let flow = flow(db, function);
            let body = body(db, function);
            act(flow, &|value| {
                let value = &flow.facts.values[value as usize];
                let name = &body.definition(value.definition).name;
                match value.member {
                    Some(member) => format!("{name}{member}"),
                    None => name.to_string(),
                }
            })
        })
        .unwrap()
}

/// Draws the blocks of the last function: instructions, successors, dominator, loop head, and the values
/// that are live at the start and at the end.
#[track_caller]
fn check(text: &str, expect: Expect) {
    let fixture = Fixture::new(&format!("{HEADER}{text}"));
    let drawn = with_flow(&fixture.host.analysis(), |flow, name| {
        let mut out = String::new();
        let graph = &flow.graph;
        for (block, steps) in (0..).zip(&graph.blocks) {
            let _ = write!(
                out,
                "{block}: {steps:?} -> {:?}",
                graph.successors.get(block)
            );
            match (graph.reachable[block], graph.dominator[block]) {
                (false, _) => out.push_str(" unreachable"),
                (true, Some(it)) => {
                    let _ = write!(out, " under {it}");
                }
                (true, None) => {}
            }
            if let Some(it) = graph.loop_of[block] {
                let head = graph.loops[it as usize].head;
                let _ = write!(out, " loop {head} depth {}", graph.depth(block as u32));
            }
            let names = |values: &mut dyn Iterator<Item = Value>| {
                let names: BTreeSet<String> = values.map(name).collect();
                names.into_iter().collect::<Vec<_>>().join(" ")
            };
            let id = block as u32;
            let _ = write!(out, " in [{}]", names(&mut flow.liveness.live_in(id)));
            let _ = write!(out, " out [{}]", names(&mut flow.liveness.live_out(id)));
            let undefined = names(&mut undefined_in(flow, id));
            if !undefined.is_empty() {
                let _ = write!(out, " undefined [{undefined}]");
            }
            out.push('\n');
        }
        if !graph.open_ends.is_empty() {
            let _ = writeln!(out, "open ends {:?}", graph.open_ends);
        }
        out
    });
    expect.assert_eq(&drawn);
}

#[test]
fn a_diamond_in_nested_loops() {
    check(
        ".entry k() {
.reg .pred %p; .reg .b32 %r<9>;
mov.b32 %r1, 0;
OUTER:
mov.b32 %r2, %r1;
INNER:
setp.eq.s32 %p, %r2, 7;
@%p bra EVEN;
add.s32 %r2, %r2, 1;
bra JOIN;
EVEN:
add.s32 %r2, %r2, 2;
JOIN:
setp.lt.s32 %p, %r2, 9;
@%p bra INNER;
add.s32 %r1, %r1, %r2;
setp.lt.s32 %p, %r1, 99;
DEBUG_LABEL:
@%p bra OUTER;
ret;
}",
        expect![[r#"
            0: 0..1 -> [1] in [] out [%r1]
            1: 1..2 -> [2] under 0 loop 1 depth 1 in [%r1] out [%r1 %r2]
            2: 2..4 -> [3, 4] under 1 loop 2 depth 2 in [%r1 %r2] out [%r1 %r2]
            3: 4..6 -> [5] under 2 loop 2 depth 2 in [%r1 %r2] out [%r1 %r2]
            4: 6..7 -> [5] under 2 loop 2 depth 2 in [%r1 %r2] out [%r1 %r2]
            5: 7..9 -> [2, 6] under 2 loop 2 depth 2 in [%r1 %r2] out [%r1 %r2]
            6: 9..12 -> [1, 7] under 5 loop 1 depth 1 in [%r1 %r2] out [%r1]
            7: 12..13 -> [] under 6 in [] out []
        "#]],
    );
}

#[test]
fn tables_calls_and_ends() {
    check(
        ".func stop() .noreturn;
.func step();
.entry k() {
.reg .pred %p; .reg .b32 %r<9>;
mov.b32 %r1, 0;
ts: .branchtargets A, B, C;
proto: .callprototype _ () .noreturn;
brx.idx %r1, ts;
mov.b32 %r1, 1;
A: call step;
@%p trap;
call stop;
mov.b32 %r1, 2;
B: exit;
C: @%p ret;
}",
        expect![[r#"
            0: 0..2 -> [2, 5, 6] in [] out [] undefined [%p]
            1: 2..3 -> [2] unreachable in [] out [] undefined [%p]
            2: 3..5 -> [3] under 0 in [] out [] undefined [%p]
            3: 5..6 -> [] under 2 in [] out []
            4: 6..7 -> [5] unreachable in [] out []
            5: 7..8 -> [] under 0 in [] out []
            6: 8..9 -> [] under 0 in [] out [] undefined [%p]
            open ends [6]
        "#]],
    );
}

#[test]
fn what_is_multiplied_without_a_sum_is_overwritten() {
    // The registers of D are live before the instruction only if it adds to them.
    let kernel = |before: &str, scale: &str| {
        format!(
            ".entry k {{\n.reg .f32 d<4>; .reg .b64 a; .reg .b32 r; .reg .pred p, q;\nmov.b64 a, 1;\n{before}\nbra L;\nL: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{d0, d1, d2, d3}}, a, a, {scale}, 1, 1, 0, 0;\nst.shared.f32 [r], d0;\nret;\n}}\n"
        )
    };
    check(
        &kernel("", "0"),
        expect![[r#"
        0: 0..2 -> [1] in [] out [a] undefined [r]
        1: 2..5 -> [] under 0 in [a] out [] undefined [r]
    "#]],
    );
    check(
        &kernel("", "1"),
        expect![[r#"
        0: 0..2 -> [1] in [] out [a] undefined [d0 d1 d2 d3 r]
        1: 2..5 -> [] under 0 in [a] out [] undefined [d0 d1 d2 d3 r]
    "#]],
    );
    check(
        &kernel("setp.ne.b32 p, 0, 0;", "p"),
        expect![[r#"
        0: 0..3 -> [1] in [] out [a p] undefined [r]
        1: 3..6 -> [] under 0 in [a p] out [] undefined [r]
    "#]],
    );
    check(
        &kernel("setp.ne.b32 p, 0, 0;", "!p"),
        expect![[r#"
        0: 0..3 -> [1] in [] out [a p] undefined [d0 d1 d2 d3 r]
        1: 3..6 -> [] under 0 in [a p] out [] undefined [d0 d1 d2 d3 r]
    "#]],
    );
    check(
        &kernel("setp.eq.b32 p, 2, 2;", "!p"),
        expect![[r#"
        0: 0..3 -> [1] in [] out [a p] undefined [r]
        1: 3..6 -> [] under 0 in [a p] out [] undefined [r]
    "#]],
    );
    check(
        &kernel("setp.ne.b32 p, r, 0;", "p"),
        expect![[r#"
        0: 0..3 -> [1] in [] out [a p] undefined [d0 d1 d2 d3 r]
        1: 3..6 -> [] under 0 in [a p] out [] undefined [d0 d1 d2 d3 r]
    "#]],
    );
    check(
        &kernel("setp.ne.b32 p, 0, 0; @q setp.ne.b32 p, 0, 0;", "p"),
        expect![[r#"
            0: 0..4 -> [1] in [] out [a p] undefined [d0 d1 d2 d3 q r]
            1: 4..7 -> [] under 0 in [a p] out [] undefined [d0 d1 d2 d3 r]
        "#]],
    );
    check(
        &kernel("setp.ne.b32 p, 0, 0; setp.ne.b32 p, 1, 0;", "p"),
        expect![[r#"
            0: 0..4 -> [1] in [] out [a p] undefined [d0 d1 d2 d3 r]
            1: 4..7 -> [] under 0 in [a p] out [] undefined [d0 d1 d2 d3 r]
        "#]],
    );
}

#[test]
fn guarded_and_partial_writes_keep_the_old_value() {
    check(
        ".entry k() {
.reg .pred %p; .reg .b32 %r<9>; .reg .v2 .b32 v;
setp.eq.s32 %p, %r1, 7;
mov.b32 v.x, 1;
L:
@%p mov.b32 %r2, 1;
mov.b32 v.y, %r2;
mov.b32 %r3, v.x;
mov.b32 %r4, %r3;
@%p bra L;
ret;
}",
        expect![[r#"
            0: 0..2 -> [1] in [] out [%p v] undefined [%r1 %r2 v]
            1: 2..7 -> [1, 2] under 0 loop 1 depth 1 in [%p %r2 v] out [%p %r2 v]
            2: 7..8 -> [] under 1 in [] out []
        "#]],
    );
}

#[test]
fn a_jump_that_may_go_anywhere() {
    check(
        ".entry k() {
.reg .pred %p;
@%p bra MISSING;
A: ret;
B: exit;
}",
        expect![[r#"
            0: 0..1 -> [1, 3] in [] out [] undefined [%p]
            1: 1..2 -> [] under 0 in [] out []
            2: 2..3 -> [] under 3 in [] out []
            3: 3..3 -> [1, 2] under 0 in [] out []
        "#]],
    );
}

#[test]
fn a_loop_with_two_entries() {
    // No block of the cycle dominates the other, so it is not a natural loop.
    check(
        ".entry k() {
.reg .pred %p; .reg .b32 %r<9>;
setp.eq.s32 %p, %r1, 7;
mov.b32 %r2, 1;
@%p bra B;
A:
add.s32 %r2, %r2, 1;
B:
add.s32 %r3, %r2, 1;
@%p bra A;
st.shared.b32 [%r3], %r2;
ret;
}",
        expect![[r#"
            0: 0..3 -> [1, 2] in [] out [%p %r2] undefined [%r1]
            1: 3..4 -> [2] under 0 in [%p %r2] out [%p %r2]
            2: 4..6 -> [1, 3] under 0 in [%p %r2] out [%p %r2 %r3]
            3: 6..8 -> [] under 2 in [%r2 %r3] out []
        "#]],
    );
}

#[test]
fn a_table_that_names_a_label_twice() {
    check(
        ".entry k() {
.reg .pred %p; .reg .b32 %r<9>;
mov.b32 %r1, 0;
mov.b32 %r2, 5;
L:
ts: .branchtargets A, B, A;
@%p brx.idx %r1, ts;
exit;
A: add.s32 %r1, %r1, 1;
bra L;
B: st.shared.b32 [%r1], %r2;
ret;
}",
        expect![[r#"
            0: 0..2 -> [1] in [] out [%r1 %r2] undefined [%p]
            1: 2..3 -> [2, 3, 4] under 0 loop 1 depth 1 in [%r1 %r2] out [%r1 %r2] undefined [%p]
            2: 3..4 -> [] under 1 in [] out []
            3: 4..6 -> [1] under 1 loop 1 depth 1 in [%r1 %r2] out [%r1 %r2] undefined [%p]
            4: 6..8 -> [] under 1 in [%r1 %r2] out []
        "#]],
    );
}

#[test]
fn calls_that_never_return() {
    check(
        ".func stop() .noreturn;
.func step();
.entry k(.param .b64 f) {
.reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd;
proto: .callprototype _ () .noreturn;
other: .callprototype _ ();
mov.b32 %r1, 0;
ld.param.b64 %rd, [f];
@%p call stop;
call step;
call %rd, (), other;
@%p bra L;
call %rd, (), proto;
mov.b32 %r1, 1;
L: call stop;
mov.b32 %r1, 2;
}",
        expect![[r#"
            0: 0..3 -> [1] in [] out [%rd] undefined [%p]
            1: 3..6 -> [2, 4] under 0 in [%rd] out [%rd] undefined [%p]
            2: 6..7 -> [] under 1 in [%rd] out []
            3: 7..8 -> [4] unreachable in [] out []
            4: 8..9 -> [] under 1 in [] out []
            5: 9..10 -> [] unreachable in [] out []
            open ends [5]
        "#]],
    );
}

// ---- Random functions --------------------------------------------------------------------------

/// A small generator of random numbers (SplitMix64), so that every run sees the same functions.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }
}

/// An instruction as the reference sees it.
#[derive(Default)]
struct Simple {
    reads: Vec<String>,
    writes: Vec<String>,
    keeps: bool,
    next: Vec<usize>,
}

/// A random function and what it means.
fn random(seed: u64) -> (String, Vec<Simple>) {
    let random = &mut Random(seed);
    let count = 1 + random.below(40);
    let registers = 1 + random.below(6);
    let mut text = format!(
        "{HEADER}.func stop() .noreturn;\n.func step();\n\
         .entry k() {{\n.reg .pred %p<2>; .reg .b32 %r<{registers}>; .reg .v2 .b32 v;\n"
    );
    let mut program = Vec::new();
    for index in 0..count {
        let register = |random: &mut Random| format!("%r{}", random.below(registers));
        let mut simple = Simple::default();
        let _ = write!(text, "L{index}: ");
        let guarded = random.below(3) == 0;
        if guarded {
            text.push_str("@%p0 ");
            simple.reads.push("%p0".to_owned());
            simple.keeps = true;
        }
        let mut falls = true;
        match random.below(11) {
            0 => {
                let target = random.below(count);
                let _ = writeln!(text, "bra L{target};");
                simple.next.push(target);
                falls = guarded;
            }
            1 => {
                text.push_str(["ret;\n", "exit;\n", "trap;\n"][random.below(3)]);
                falls = guarded;
            }
            2 => {
                let targets: Vec<usize> =
                    (0..=random.below(3)).map(|_| random.below(count)).collect();
                let names: Vec<String> = targets.iter().map(|it| format!("L{it}")).collect();
                let selector = register(random);
                let _ = writeln!(text, "brx.idx {selector}, T{index};");
                let _ = writeln!(text, "T{index}: .branchtargets {};", names.join(", "));
                simple.reads.push(selector);
                simple.next.extend(targets);
                falls = guarded;
            }
            3 => {
                let source = register(random);
                let _ = writeln!(text, "setp.eq.b32 %p0, {source}, 1;");
                simple.reads.push(source);
                simple.writes.push("%p0".to_owned());
            }
            4 => {
                text.push_str("call stop;\n");
                falls = guarded;
            }
            5 => text.push_str("call step;\n"),
            6 => {
                let source = register(random);
                let element = ["x", "y"][random.below(2)];
                let _ = writeln!(text, "mov.b32 v.{element}, {source};");
                simple.reads.push(source);
                simple.writes.push("v".to_owned());
                simple.keeps = true;
            }
            7 => {
                let to = register(random);
                let _ = writeln!(text, "mov.b32 {to}, v.x;");
                simple.reads.push("v".to_owned());
                simple.writes.push(to);
            }
            _ => {
                let (to, left, right) = (register(random), register(random), register(random));
                let _ = writeln!(text, "add.s32 {to}, {left}, {right};");
                simple.reads.extend([left, right]);
                simple.writes.push(to);
            }
        }
        if falls && index + 1 < count {
            simple.next.push(index + 1);
        }
        program.push(simple);
    }
    text.push_str("}\n");
    (text, program)
}

/// The state of each value at each instruction, as a walk finds it.
struct Reference {
    /// The values live before each instruction: read later and written earlier.
    alive: Vec<BTreeSet<String>>,
    /// The values that are read later, and that no way to there writes.
    undefined: Vec<BTreeSet<String>>,
}

/// The instructions that control gets to from one.
fn reach(program: &[Simple], from: usize, seen: &mut FxHashSet<usize>) {
    let mut work = vec![from];
    while let Some(at) = work.pop() {
        if seen.insert(at) {
            work.extend(&program[at].next);
        }
    }
}

/// Walks every way from every read and every write.
fn reference(program: &[Simple]) -> Reference {
    let mut names: FxHashSet<&String> = FxHashSet::default();
    for it in program {
        names.extend(it.reads.iter().chain(&it.writes));
    }
    let mut reachable = FxHashSet::default();
    reach(program, 0, &mut reachable);
    let mut found = Reference {
        alive: vec![BTreeSet::new(); program.len()],
        undefined: vec![BTreeSet::new(); program.len()],
    };
    for name in names {
        let mut written = FxHashSet::default();
        for (at, it) in program.iter().enumerate() {
            if it.writes.contains(name) && reachable.contains(&at) {
                for next in &it.next {
                    reach(program, *next, &mut written);
                }
            }
        }
        for start in 0..program.len() {
            let (mut seen, mut work) = (FxHashSet::default(), vec![start]);
            while let Some(at) = work.pop() {
                let it = &program[at];
                if it.reads.contains(name) {
                    let list = match written.contains(&start) {
                        true => &mut found.alive,
                        false => &mut found.undefined,
                    };
                    list[start].insert(name.clone());
                    break;
                }
                let replaced = it.writes.contains(name) && !it.keeps;
                if !replaced && seen.insert(at) {
                    work.extend(&it.next);
                }
            }
        }
    }
    found
}

/// The values that are read from a block on and that no way to it writes.
fn undefined_in(flow: &Flow, block: u32) -> impl Iterator<Item = Value> {
    let values = 0..flow.facts.values.len() as Value;
    values.filter(move |it| flow.liveness.is_undefined_in(block, *it))
}

#[test]
fn liveness_is_the_same_in_runs() {
    // So many values that they come in parts: written, half of them on one way only, passed by, and read.
    let line = |piece: fn(usize) -> String| (0..150).map(piece).collect::<String>();
    let many = format!(
        "{HEADER}.entry k()\n{{\n.reg .b32 %r<150>;\n.reg .pred %p;\n{}{}{}ret;\n}}\n",
        line(|it| format!("mov.u32 %r{it}, {it};\n@%p bra N{it};\n")),
        line(|it| format!("N{it}:\n@%p bra M{it};\nmov.u32 %r{it}, 1;\nM{it}:\n")),
        line(|it| format!("add.s32 %r{it}, %r{}, 1;\n@%p bra N0;\n", 149 - it)),
    );
    let texts = (0..500).map(|it| random(it).0).chain([many]);
    let mut parts = 0;
    for (seed, text) in texts.enumerate() {
        let fixture = Fixture::new(&text);
        with_flow(&fixture.host.analysis(), |flow, _| {
            let accesses = flow.facts.accesses();
            let values = flow.facts.values.len();
            let runs = Liveness::within(0, &flow.graph, &accesses, values, &|| ());
            parts += usize::from(runs != flow.liveness);
            for block in 0..flow.graph.blocks.len() as u32 {
                let place = format!("seed {seed}, block {block}\n{text}");
                let live_in: Vec<Value> = flow.liveness.live_in(block).collect();
                assert_eq!(runs.live_in(block).collect::<Vec<_>>(), live_in, "{place}");
                let live_out: Vec<Value> = flow.liveness.live_out(block).collect();
                assert_eq!(
                    runs.live_out(block).collect::<Vec<_>>(),
                    live_out,
                    "{place}"
                );
                let mut any = false;
                for value in 0..values as Value {
                    for it in [&flow.liveness, &runs] {
                        let is_live = it.is_live_out(block, value);
                        assert_eq!(is_live, live_out.contains(&value), "{place}");
                    }
                    let is_undefined = flow.liveness.is_undefined_in(block, value);
                    assert_eq!(runs.is_undefined_in(block, value), is_undefined, "{place}");
                    any |= is_undefined;
                }
                assert_eq!(flow.liveness.any_undefined_in(block), any, "{place}");
                assert!(runs.any_undefined_in(block) || !any, "{place}");
            }
        });
    }
    assert!(parts > 300, "{parts}");
}

#[test]
fn liveness_is_that_of_a_slow_reference() {
    let (mut blocks, mut loops, mut undefined) = (0, 0, 0);
    for seed in 0..500 {
        let (text, program) = random(seed);
        let expected = reference(&program);
        let fixture = Fixture::new(&text);
        with_flow(&fixture.host.analysis(), |flow, name| {
            assert_eq!(flow.facts.len(), program.len());
            loops += flow.graph.loops.len();
            for (block, steps) in (0..).zip(&flow.graph.blocks) {
                let place = format!("seed {seed}, block {block}\n{text}");
                if !flow.graph.reachable[block as usize] {
                    continue;
                }
                let start = steps.start as usize;
                let names = |values: &mut dyn Iterator<Item = Value>| {
                    values.map(name).collect::<BTreeSet<String>>()
                };
                let found = names(&mut flow.liveness.live_in(block));
                assert_eq!(found, expected.alive[start], "{place}");
                let found = names(&mut undefined_in(flow, block));
                assert_eq!(found, expected.undefined[start], "{place}");
                undefined += found.len();
                // What is live at the end is what is read after it and written somewhere before.
                let last = &program[steps.end as usize - 1];
                let mut after = BTreeSet::new();
                for next in &last.next {
                    after.extend(expected.alive[*next].clone());
                    after.extend(expected.undefined[*next].clone());
                }
                let written = |name: &String| {
                    expected.alive[start].contains(name)
                        || (steps.clone()).any(|it| program[it as usize].writes.contains(name))
                        || was_written(&program, start, name)
                };
                after.retain(written);
                let found = names(&mut flow.liveness.live_out(block));
                assert_eq!(found, after, "{place}");
                blocks += 1;
            }
        });
    }
    assert!(
        blocks > 1500 && loops > 100 && undefined > 500,
        "{blocks} {loops} {undefined}"
    );
}

/// Whether some way to an instruction writes a value.
fn was_written(program: &[Simple], step: usize, name: &String) -> bool {
    let mut reachable = FxHashSet::default();
    reach(program, 0, &mut reachable);
    program.iter().enumerate().any(|(at, it)| {
        let mut seen = FxHashSet::default();
        it.next
            .iter()
            .for_each(|next| reach(program, *next, &mut seen));
        it.writes.contains(name) && reachable.contains(&at) && seen.contains(&step)
    })
}

#[test]
fn dominators_and_loops_are_those_of_a_slow_reference() {
    let mut heads = 0;
    for seed in 1000..1300 {
        let (text, program) = random(seed);
        let fixture = Fixture::new(&text);
        with_flow(&fixture.host.analysis(), |flow, _| {
            let graph = &flow.graph;
            let count = graph.blocks.len();
            let from_start = |without: Option<usize>| {
                let mut seen = FxHashSet::default();
                let mut work = vec![0];
                while let Some(block) = work.pop() {
                    if Some(block) != without && seen.insert(block) {
                        let next = graph.successors.get(block).iter();
                        work.extend(next.map(|it| *it as usize));
                    }
                }
                seen
            };
            let place = format!("seed {seed}\n{text}");
            let reachable = from_start(None);
            // A block dominates those that nobody gets to without it.
            let dominates: Vec<FxHashSet<usize>> = (0..count)
                .map(|it| {
                    reachable
                        .difference(&from_start(Some(it)))
                        .copied()
                        .collect()
                })
                .collect();
            for block in 0..count {
                assert_eq!(
                    graph.reachable[block],
                    reachable.contains(&block),
                    "{place}"
                );
                if !reachable.contains(&block) {
                    continue;
                }
                let above = (0..count).filter(|it| *it != block && dominates[*it].contains(&block));
                // The closest one is dominated by all others.
                let closest = above.max_by_key(|it| {
                    (0..count)
                        .filter(|other| dominates[*other].contains(it))
                        .count()
                });
                assert_eq!(
                    graph.dominator[block].map(|it| it as usize),
                    closest,
                    "{place}"
                );
            }
            let mut expected: Vec<usize> = (0..count)
                .filter(|head| {
                    let before = graph.predecessors.get(*head).iter();
                    reachable.contains(head)
                        && before
                            .into_iter()
                            .any(|it| dominates[*head].contains(&(*it as usize)))
                })
                .collect();
            let mut found: Vec<usize> = graph.loops.iter().map(|it| it.head as usize).collect();
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{place}");
            heads += found.len();
            // The instructions of the program and the blocks agree on where control goes.
            for (block, steps) in graph.blocks.iter().enumerate() {
                let last = &program[steps.end as usize - 1];
                let mut next: Vec<u32> = last.next.iter().map(|it| graph.block_of[*it]).collect();
                next.sort_unstable();
                next.dedup();
                assert_eq!(graph.successors.get(block), next, "{place}");
            }
        });
    }
    assert!(heads > 50, "{heads}");
}
