//! Flow of small functions, drawn.

mod reference;

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

/// The values that are read from a block on and that no way to it writes.
fn undefined_in(flow: &Flow, block: u32) -> impl Iterator<Item = Value> {
    let values = 0..flow.facts.values.len() as Value;
    values.filter(move |it| flow.liveness.is_undefined_in(block, *it))
}

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
