//! Programs that only compute give the same in passes as step by step.

use std::collections::BTreeMap;

use expect_test::expect;
use fastrand::Rng;

use super::statement::compile;
use crate::compute::{Machine, Surroundings, pass::Pass};

const LANES: usize = 8;

/// Numbers at the edges of types, and others.
fn number(rng: &mut Rng) -> u64 {
    let edges = [
        0,
        1,
        31,
        32,
        33,
        63,
        64,
        0x7FFF_FFFF,
        0x8000_0000,
        0xFFFF_FFFF,
    ];
    match rng.u32(..4) {
        0 => rng.u64(..),
        1 => rng.u64(..70),
        2 => u64::MAX - rng.u64(..3),
        _ => edges[rng.usize(..edges.len())],
    }
}

#[test]
fn passes_give_what_steps_give() {
    let statements = "
        add.s32 $d, $a, $b
        add.u16 $d, $a, $b
        add.s64 $d, $a, $b
        sub.s32 $d, $a, $b
        mul.lo.s32 $d, $a, $b
        mul.lo.u32 $d, $a, -3
        mul.hi.s32 $d, $a, $b
        mul.wide.u32 $d, $a, $b
        mul.wide.s32 $d, $a, $b
        mad.lo.s32 $d, $a, $b, $c
        mad.wide.u32 $d, $a, $b, $c
        neg.s32 $d, $a
        shl.b32 $d, $a, $b
        shl.b32 $d, $a, 40
        shl.b64 $d, $a, $b
        shr.u32 $d, $a, $b
        shr.u32 $d, $a, 32
        shr.s32 $d, $a, $b
        shr.s32 $d, $a, 5
        shr.s64 $d, $a, $b
        min.s32 $d, $a, $b
        max.s32 $d, $a, -7
        min.u32 $d, $a, $b
        max.u32 $d, $a, $b
        min.s16 $d, $a, $b
        setp.eq.s32 $d, $a, $b
        setp.ne.u32 $d, $a, 7
        setp.lt.s32 $d, $a, $b
        setp.ge.s32 $d, $a, -1
        setp.le.u32 $d, $a, $b
        setp.hi.u32 $d, $a, $b
        setp.lt.s64 $d, $a, $b
        selp.b32 $d, $a, $b, $c
        abs.s32 $d, $a
        sad.s32 $d, $a, $b, $c
        cvt.s64.s32 $d, $a
        shf.l.wrap.b32 $d, $a, $b, $c
        shfl.sync.bfly.b32 $d, $a, $b, $c, -1
        shfl.sync.idx.b32 $d, $a, 3, 31, -1
        vote.sync.ballot.b32 $d, $a, -1
        vote.sync.any.pred $d, $a, 12
        vote.sync.all.pred $d, $a, 12
    ";
    let mut rng = Rng::with_seed(3);
    let mut words = String::new();
    for statement in statements
        .lines()
        .map(str::trim)
        .filter(|it| !it.is_empty())
    {
        let compiled = compile(statement, &mut BTreeMap::new()).expect("a statement that fits");
        let program = &compiled.program;
        let has_passes = program.computes_only() || program.exchanges_only();
        assert!(has_passes, "{statement}");
        let fused = program.passes.iter().filter_map(|it| match it {
            Pass::Word(_, word, _) => Some(format!(" {word:?}")),
            Pass::Step(_) => None,
        });
        let (fused, rest): (String, usize) = (fused.collect(), program.passes.len());
        words.push_str(&format!("{statement}: {rest} passes{fused}\n"));
        let (mut steps, mut passes) = (Machine::<LANES>::default(), Machine::<LANES>::default());
        for round in 0..200 {
            let mut inputs = Vec::new();
            for input in &program.inputs {
                let mask = u64::MAX >> (64 - u32::from(input.bits));
                let same = number(&mut rng);
                inputs.push(std::array::from_fn::<u64, LANES, _>(|_| {
                    let number = if round % 2 == 0 {
                        number(&mut rng)
                    } else {
                        same
                    };
                    number & mask
                }));
            }
            let active = u32::MAX;
            let surroundings = Surroundings {
                active,
                ..Surroundings::alone(&[0; LANES])
            };
            steps.run(program, &inputs, &surroundings);
            let read: Vec<&[u64; LANES]> = inputs.iter().collect();
            passes.compute(program, &read, active);
            for (_, node) in &program.outputs {
                let (one, other) = (steps.value(*node), passes.value(*node));
                assert_eq!(one, other, "{statement} of {inputs:x?}");
            }
        }
    }
    expect![[r#"
        add.s32 $d, $a, $b: 1 passes Add
        add.u16 $d, $a, $b: 2 passes
        add.s64 $d, $a, $b: 1 passes
        sub.s32 $d, $a, $b: 1 passes Subtract
        mul.lo.s32 $d, $a, $b: 1 passes Multiply
        mul.lo.u32 $d, $a, -3: 1 passes Multiply
        mul.hi.s32 $d, $a, $b: 6 passes
        mul.wide.u32 $d, $a, $b: 1 passes
        mul.wide.s32 $d, $a, $b: 3 passes
        mad.lo.s32 $d, $a, $b, $c: 1 passes MultiplyAdd
        mad.wide.u32 $d, $a, $b, $c: 2 passes
        neg.s32 $d, $a: 2 passes
        shl.b32 $d, $a, $b: 1 passes ShiftLeft
        shl.b32 $d, $a, 40: 1 passes ShiftLeft
        shl.b64 $d, $a, $b: 3 passes Minimum
        shr.u32 $d, $a, $b: 1 passes ShiftRight
        shr.u32 $d, $a, 32: 1 passes ShiftRight
        shr.s32 $d, $a, $b: 1 passes ShiftRightSigned
        shr.s32 $d, $a, 5: 1 passes ShiftRightSigned
        shr.s64 $d, $a, $b: 3 passes Minimum
        min.s32 $d, $a, $b: 1 passes MinimumSigned
        max.s32 $d, $a, -7: 1 passes MaximumSigned
        min.u32 $d, $a, $b: 1 passes Minimum
        max.u32 $d, $a, $b: 1 passes Maximum
        min.s16 $d, $a, $b: 4 passes
        setp.eq.s32 $d, $a, $b: 1 passes Equal
        setp.ne.u32 $d, $a, 7: 1 passes NotEqual
        setp.lt.s32 $d, $a, $b: 1 passes LessSigned
        setp.ge.s32 $d, $a, -1: 1 passes LessEqualSigned
        setp.le.u32 $d, $a, $b: 1 passes LessEqual
        setp.hi.u32 $d, $a, $b: 1 passes Less
        setp.lt.s64 $d, $a, $b: 1 passes
        selp.b32 $d, $a, $b, $c: 1 passes
        abs.s32 $d, $a: 4 passes
        sad.s32 $d, $a, $b, $c: 6 passes Add
        cvt.s64.s32 $d, $a: 1 passes
        shf.l.wrap.b32 $d, $a, $b, $c: 6 passes
        shfl.sync.bfly.b32 $d, $a, $b, $c, -1: 21 passes ShiftRight
        shfl.sync.idx.b32 $d, $a, 3, 31, -1: 22 passes ShiftRight
        vote.sync.ballot.b32 $d, $a, -1: 9 passes
        vote.sync.any.pred $d, $a, 12: 11 passes
        vote.sync.all.pred $d, $a, 12: 12 passes
    "#]]
    .assert_eq(&words);
}
