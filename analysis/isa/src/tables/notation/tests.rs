//! Mistakes in what an instruction computes.

use expect_test::{Expect, expect};

use crate::Tables;

/// The mistakes of a table with these lines, from line 2 on, of an instruction with a modifier and three operands.
#[track_caller]
fn check(lines: &str, expect: Expect) {
    let table = format!(
        "instr op\n{lines}\n  op{{.sat}}.type d, a, b?\n  type = s32 u32\n  d: reg(type)\n  a b: src(type)\n"
    );
    check_table(&table, expect);
}

#[track_caller]
fn check_table(table: &str, expect: Expect) {
    // Tables live as long as the program.
    let text: &'static str = Box::leak(table.to_owned().into_boxed_str());
    let files: &'static [_] = Box::leak(Box::new([("t.isa", text)]));
    let errors = Tables::read(files).err().unwrap_or_default();
    let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
    expect.assert_eq(&shown.join("\n"));
}

#[test]
fn right_computations() {
    let right = "\
  let n = b else 1
  let f(i) = field(a, i, 8)
  computes d = sum(i in 0..3: f(8 * i)) + n
  when .sat, type = u32 or .sat, !has b: computes d = clamp(a + n)
  unspecified if n == 0";
    check(right, expect![[r#""#]]);
    check(
        "  computes d = opaque(a, b)\n  ignores sat",
        expect![[r#""#]],
    );
}

#[test]
fn wrong_expressions() {
    check(
        "  computes d = a + foo(a)",
        expect![
            "t.isa:2: `foo` is neither a matrix, a `let` of this form nor a primitive: one of abs, min, max, quotient, remainder, field, bit, signed, ones, raw, concat, part, popcount, highest, reverse, nth, lut, aligned, clmul, merge, picked, masked, selected, clamp, round, integral, sqrt, flush, saturate, relu, finite, positive_zero, isnan, sign, withsign, oob, apply, exp2, log2, sin, cos, tanh, scaled, upper, lower, bits, bytes, number, half, quarter, skip, keep, box, box_bytes, fabric_box, texel, surface_bytes, filtered, gathered, compared, resident, formatted, attribute, described, looked_up, tmem, sparse, zero_columns, widened, scales, chosen, positions, spread, to_generic, from_generic, within, in_cta, cta_of, kind, state, phase, pending, canceled, first_cta, opaque, in `op{.sat}.type d, a, b?` with .sat.s32"
        ],
    );
    check(
        "  computes d = field(a, 1)",
        expect!["t.isa:2: `field` takes 3 arguments, found 2"],
    );
    check(
        "  computes d = a + e",
        expect![
            "t.isa:2: `e` has no meaning here: one of d, a, lane, active, cc, stack, nan, true, in `op{.sat}.type d, a, b?` with .sat.s32"
        ],
    );
    check(
        "  computes d = a +",
        expect!["t.isa:2: expected an operand, a number or a primitive at the end of the line"],
    );
    check("  computes d = a b", expect!["t.isa:2: unexpected `b`"]);
    check(
        "  computes d = a if b",
        expect!["t.isa:2: expected `else` at the end of the line"],
    );
    check(
        "  computes a + b = 1",
        expect!["t.isa:2: expected `=`, found `+ b = 1`"],
    );
    check(
        "  computes d = a until group copy",
        expect!["t.isa:2: `until` belongs to an effect that is `later`"],
    );
    check(
        "  computes later d = a until then",
        expect![
            "t.isa:2: expected one of `group KIND`, `[mbarrier] bytes`, `copies`, found `then`"
        ],
    );
    check(
        "  computes d = approx(a; near 3)",
        expect![
            "t.isa:2: `near 3` is not a bound: one of ulp N, relative E, absolute E, gross, none, the first three perhaps with `in A..B`"
        ],
    );
    check(
        "  computes d = sum(i in near: i)",
        expect![
            "t.isa:2: `near` is not a set: one of a range, `lanes(mask)`, participants, copies, cluster, or an operand in braces, in `op{.sat}.type d, a, b?` with .sat.s32"
        ],
    );
    check(
        "  computes d = sum(i in a + b: i)",
        expect!["t.isa:2: expected `..`, found `: i)`"],
    );
    check(
        "  computes d = round(a * a - a, rn)",
        expect![
            "t.isa:2: below `round`: one of x + y, x - y, x * y, x * y + z, x / y, sqrt(x), or a number, in `op{.sat}.type d, a, b?` with .sat.s32"
        ],
    );
    check(
        "  computes d = round(a, up)",
        expect![
            "t.isa:2: expected a rounding: a slot, or one of rn, rna, rz, rm, rp, rs, rni, rzi, rmi, rpi, in `op{.sat}.type d, a, b?` with .sat.s32"
        ],
    );
    check(
        "  computes d = clamp(a, u33)",
        expect![
            "t.isa:2: `u33` is neither a type nor a slot that has a word here, in `op{.sat}.type d, a, b?` with .sat.s32"
        ],
    );
    check(
        "  computes d = apply(mode, a, a)",
        expect![
            "t.isa:2: expected an operation: `$`, a slot that has a word here, or one of add, min, max, and, or, xor, in `op{.sat}.type d, a, b?` with .sat.s32"
        ],
    );
    check(
        "  computes d = a(1, 2)",
        expect![
            "t.isa:2: `a(…)` is an element of a matrix: `computes matrix …`, in `op{.sat}.type d, a, b?` with .sat.s32"
        ],
    );
    check(
        "  let max = a\n  computes d = a",
        expect!["t.isa:2: `max` is a primitive: a `let` needs another name"],
    );
    check(
        "  let x = y, y = x\n  computes d = x",
        expect!["t.isa:3: `x` is defined by itself, in `op{.sat}.type d, a, b?` with .sat.s32"],
    );
    check(
        "  let f(i) = i\n  computes d = f(a, a)",
        expect![
            "t.isa:3: `f` takes 1 argument, found 2, in `op{.sat}.type d, a, b?` with .sat.s32"
        ],
    );
    check(
        "  let f(i) = i\n  computes d = f",
        expect!["t.isa:3: `f` takes arguments, in `op{.sat}.type d, a, b?` with .sat.s32"],
    );
}

#[test]
fn wrong_lines() {
    check(
        "  when .sta: computes d = a",
        expect!["t.isa:2: no form of `op` has the word `.sta`"],
    );
    check(
        "  when mode = lo: computes d = a",
        expect!["t.isa:2: `mode` is not a slot of `op`"],
    );
    check(
        "  when type = s64: computes d = a",
        expect!["t.isa:2: `type` has no word `.s64`"],
    );
    check(
        "  when $ = po: computes d = a",
        expect!["t.isa:2: `po` is not an instruction of this block"],
    );
    check(
        "  when has e: computes d = a",
        expect!["t.isa:2: no form of `op` has an operand `e`"],
    );
    check(
        "  when a b: computes d = a",
        expect![
            "t.isa:2: `a b` is not a condition of a computation: one of `.word`, `slot`, `has operand`, each perhaps after `!`, `slot = words`, `slot != words`, `$ = names`"
        ],
    );
    check(
        "  computes d = a\n  when .sat, !.sat: computes d = b\n  ignores b",
        expect!["t.isa:3: no form has what this line is about"],
    );
    check(
        "  computes d = a\n  result sqrt",
        expect![
            "t.isa:3: `sqrt` does not map one float to one: one of flush, saturate, relu, finite, positive_zero"
        ],
    );
    check(
        "  computes d = a\n  unspecified a",
        expect!["t.isa:3: expected `unspecified if …`"],
    );
    check(
        "  computes d = a\n  ignores a b sat",
        expect!["t.isa:3: `a`: no need to ignore what other lines speak of, or every form has"],
    );
    check(
        "  computes d = a\n  ignores e",
        expect!["t.isa:3: `e` is neither a slot, a word nor an operand"],
    );
    check_table(
        "instr op\n  op.u32 d, a\n    computes d = a\n  d a: reg(u32)",
        expect![
            "t.isa:3: a computation belongs under `instr`, not deeper than the variants; `when .word: computes …` says for which"
        ],
    );
}

#[test]
fn what_is_not_stated() {
    check(
        "",
        expect![
            "t.isa:1: `op` does not state what it computes: a line `computes …`, or `computes nothing`, must"
        ],
    );
    check(
        "  computes nothing",
        expect!["t.isa:1: no line says what `d` of `op{.sat}.type d, a, b?` becomes with .sat.s32"],
    );
    check(
        "  when .sat: computes d = a\n  ignores b",
        expect!["t.isa:1: no line says what `d` of `op{.sat}.type d, a, b?` becomes with .s32"],
    );
    check(
        "  when has b: computes d = b\n  when !has b: computes d = 0\n  ignores sat",
        expect![
            "t.isa:1: no line reads `a` of `op{.sat}.type d, a, b?` with .sat.s32: `ignores a` says that it changes no value"
        ],
    );
    check(
        "  computes d = a + b",
        expect![
            "t.isa:2: `b` has no meaning here: one of d, a, lane, active, cc, stack, nan, true, in `op{.sat}.type d, a, b?` with .sat.s32"
        ],
    );
    check(
        "  computes d = a\n  ignores b",
        expect![
            "t.isa:1: no line says what `.sat` of `op` changes: `ignores sat` says that it changes no value"
        ],
    );
}

#[test]
fn memory() {
    let table = |line: &str| {
        format!(
            "instr op\n  does read [p], write [p]\n  {line}\n  op.b32 d, [p]\n  d: reg(b32)\n  p: addr(generic)\n"
        )
    };
    check_table(
        &table("computes d = [p], atomic [p] = [p] + 1"),
        expect![[r#""#]],
    );
    check_table(
        &table("computes d = [p].turn"),
        expect![
            "t.isa:3: `turn` is not a field: a slot, or one of phase, expected, pending, tx, reported, report, conditional, layout, in `op.b32 d, [p]`"
        ],
    );
    check_table(
        &table("computes d = [p in r]"),
        expect![
            "t.isa:3: `r` has no meaning here: one of d, p, lane, active, cc, stack, nan, true, in `op.b32 d, [p]`"
        ],
    );
    check_table(
        &table("computes d = [p"),
        expect!["t.isa:3: expected `]` at the end of the line"],
    );
    check_table(
        &table("computes d = within(p, moon)"),
        expect![
            "t.isa:3: expected a state space: a slot, or one of global, shared, local, const, param, in `op.b32 d, [p]`"
        ],
    );
}
