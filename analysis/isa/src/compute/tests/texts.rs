//! Values as expressions.

use std::collections::BTreeMap;

use expect_test::{Expect, expect};

use super::statement::compile;
use crate::{compute::Graph, types::Class};

/// Runs statements whose registers that nothing writes are leaves, and writes the last result as an expression.
#[track_caller]
fn check(statements: &str, expect: Expect) {
    let mut graph = Graph::default();
    let mut nodes: BTreeMap<String, u32> = BTreeMap::new();
    let mut names: Vec<String> = Vec::new();
    let mut last = 0;
    let mut classes: BTreeMap<String, Class> = BTreeMap::new();
    for text in statements.lines().map(str::trim) {
        let statement = compile(text, &mut classes).unwrap();
        let mut inputs = Vec::new();
        for input in 0..statement.program.inputs.len() {
            inputs.push(match statement.input_name(input) {
                Err(constant) => graph.constant(constant),
                Ok(name) => match nodes.get(name) {
                    Some(node) => *node,
                    None => {
                        let bits = statement.program.inputs[input].bits;
                        let (node, _) = graph.leaf(bits);
                        names.push(name.trim_start_matches('$').to_owned());
                        nodes.insert(name.to_owned(), node);
                        node
                    }
                },
            });
        }
        let outputs = graph.apply(&statement.program, &inputs, false);
        for (index, (_, node)) in outputs.into_iter().enumerate() {
            if let Some(name) = statement.output_name(index) {
                nodes.insert(name.to_owned(), node);
            }
            last = node;
        }
    }
    let leaf = |it: u32| names.get(it as usize).cloned();
    let text = graph.text(last, &leaf);
    expect.assert_eq(text.as_deref().unwrap_or("-"));
}

#[test]
fn sums() {
    check(
        "mad.lo.s32 $i, $ctaid, $ntid, $tid
        mul.wide.s32 $o, $i, 4
        add.s64 $q, $p, $o",
        expect!["p + 4*(ctaid*ntid + tid)"],
    );
    check(
        "shl.b32 $a, $tid, 2
        add.s32 $b, $a, -12
        sub.s32 $c, $b, $n",
        expect!["4*tid - n - 12"],
    );
    check("sub.s32 $a, 5, 10", expect!["-5"]);
    check(
        "add.s32 $a, $x, $x
        sub.s32 $b, $a, $x
        sub.s32 $c, $b, $x",
        expect!["0"],
    );
}

#[test]
fn bits() {
    check(
        "and.b32 $a, $tid, 31
        shr.u32 $b, $tid, 5
        mad.lo.s32 $c, $b, 64, $a",
        expect!["(tid & 31) + 64*(tid >> 5)"],
    );
    check(
        "shl.b32 $a, $x, 3
        or.b32 $b, $a, 5",
        expect!["8*x + 5"],
    );
    check("xor.b32 $a, $x, $y", expect!["x ^ y"]);
    check("bfe.u32 $a, $x, 3, 4", expect!["x[6:3]"]);
}

#[test]
fn choices_and_floats() {
    check(
        "setp.lt.s32 $p, $i, $n
        selp.b32 $r, $i, 0, $p",
        expect!["i < n ? i : 0"],
    );
    check("fma.rn.f32 $d, $a, $b, $c", expect!["a*b + c"]);
    check(
        "mul.rn.f32 $d, $a, $b
        ex2.approx.f32 $e, $d",
        expect!["exp2(a*b)"],
    );
    check("lop3.b32 $d, $a, $b, $c, 0xca", expect!["-"]);
}

#[test]
fn what_is_too_deep_has_no_text() {
    let chain = |count: usize| vec!["xor.b32 $a, $a, $b"; count].join("\n");
    let long = chain(2) + "\nmin.s32 $a, $a, $b";
    check(&long, expect!["min(a ^ b ^ b, b)"]);
    // Deeper than the stack of a thread, if each step took a call.
    let shifts = ["shr.u32 $a, $a, $b", "min.u32 $a, $a, $b"]
        .repeat(4000)
        .join("\n");
    check(&shifts, expect!["-"]);
}

#[test]
fn divisions_by_powers_of_two() {
    const BIASED: &str = "shr.s32 $s, $x, 31
        shr.u32 $b, $s, 29
        add.s32 $a, $x, $b";
    let biased = |rest: &str| format!("{BIASED}\n{rest}");
    check(&biased("shr.s32 $q, $a, 3"), expect!["x/8"]);
    check(
        &biased(
            "shr.s32 $q, $a, 3
            mad.lo.s32 $o, $q, 4, $n",
        ),
        expect!["n + 4*(x/8)"],
    );
    check(
        &biased(
            "and.b32 $m, $a, -8
            sub.s32 $r, $x, $m
            mul.wide.s32 $o, $r, 4
            add.s64 $q, $p, $o",
        ),
        expect!["p + 4*(x%8)"],
    );
    // Of one bit the sign is the bias.
    check(
        "shr.u32 $s, $x, 31
        add.s32 $a, $x, $s
        and.b32 $m, $a, -2
        sub.s32 $r, $x, $m",
        expect!["x%2"],
    );
    check(
        "add.s32 $x, $n, 63
        shr.s32 $s, $x, 31
        shr.u32 $b, $s, 26
        add.s32 $a, $x, $b
        shr.s32 $q, $a, 6",
        expect!["(n + 63)/64"],
    );
    // Another shift is another number.
    check(
        &biased("shr.s32 $q, $a, 4"),
        expect!["(x + (x >> 31 >> 29)) >> 4"],
    );
}
