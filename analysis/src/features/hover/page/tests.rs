//! Hovers of finished statements, and of the same while they are typed.

use std::collections::BTreeSet;

use expect_test::{Expect, expect};

use super::MAX_CHARACTERS;
use crate::{features::hover::tests::check, fixture::Fixture};

const HEADER: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n\
    .visible .entry k(.param .u64 a, .param .align 64 .b8 map[128]) {\n\
    .reg .pred p, %p<9>; .reg .b16 %rs<9>, %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>;\n";

/// Statements as people write them.
const STATEMENTS: &str = include_str!("../explain/typed.tsv");

/// The hover at the opcode of a statement; nothing where there is none.
fn hover(statement: &str) -> String {
    let at = if statement.starts_with('@') {
        statement.find(' ').map_or(0, |it| it + 1)
    } else {
        0
    };
    let marked = format!("{}$0{}", &statement[..=at], &statement[at + 1..]);
    let fixture = Fixture::new(&format!("{HEADER}{marked}\n}}\n"));
    let (analysis, position) = fixture.cursor();
    let hover = analysis.hover(position).expect("not cancelled");
    hover.map_or_else(String::new, |it| it.info.markdown)
}

fn words(text: &str) -> BTreeSet<&str> {
    let all = text.split(|it: char| !it.is_alphanumeric());
    all.filter(|it| it.len() > 2).collect()
}

/// The ends of the tokens of a statement, from the opcode on.
fn ends(statement: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut is_word = true;
    for (at, letter) in statement.char_indices() {
        let continues = letter.is_alphanumeric() || "_%$".contains(letter);
        if at > 0 && (!continues || !is_word) {
            ends.push(at);
        }
        is_word = continues;
    }
    ends.push(statement.len());
    ends
}

/// A statement that is being typed keeps its documentation: cut after every token, the hover at the opcode has 40 % of the words that
/// it has in the end, in 95 % of the states.
#[test]
fn hovers_stay_while_typing() {
    let statements = STATEMENTS
        .lines()
        .filter_map(|it| it.split_once('\t'))
        .map(|it| it.0);
    let statements: Vec<&str> = statements
        .filter(|it| it.ends_with(';') && it.starts_with(|it: char| it.is_ascii_lowercase()))
        .filter(|it| !it.starts_with("asm"))
        .collect();
    assert!(statements.len() >= 100, "{}", statements.len());
    let (mut all, mut kept, mut lost) = (0, 0, Vec::new());
    for statement in statements {
        let whole = hover(statement);
        assert!(
            whole.chars().count() <= MAX_CHARACTERS,
            "{statement}: {whole}"
        );
        let wanted = words(&whole);
        let opcode = statement
            .find(|it: char| !it.is_alphanumeric())
            .unwrap_or(statement.len());
        for end in ends(statement).into_iter().filter(|it| *it >= opcode) {
            let state = hover(&statement[..end]);
            assert!(
                state.chars().count() <= MAX_CHARACTERS,
                "{}: {state}",
                &statement[..end]
            );
            let found = words(&state);
            let same = wanted.iter().filter(|it| found.contains(**it)).count();
            all += 1;
            if same * 10 >= wanted.len() * 4 {
                kept += 1;
            } else {
                lost.push(format!(
                    "{} ({same} of {})",
                    &statement[..end],
                    wanted.len()
                ));
            }
        }
    }
    assert!(
        kept * 100 >= all * 95,
        "{kept} of {all}: {}",
        lost.join("\n")
    );
}

#[track_caller]
fn check_statement(statement: &str, expected: Expect) {
    check(&format!("{HEADER}{statement}\nret;\n}}\n"), expected);
}

#[test]
fn unfinished_statements_show_what_is_missing() {
    check_statement(
        "shf$0l.sync.bf",
        expect![[r#"
            ```ptx
            shfl.sync.<mode>.b32 d|p, a, b, c, membermask
            shfl.sync.bf ret;
            ```
            Missing: `.bfly`. Missing operands: `a`, `b`, `c`, `membermask`.

            Reads a register of another lane of the warp.

            Exchanges 32 bits without memory. Use the form with `.sync`; the old one exchanges among the active lanes, is deprecated since PTX ISA 6.0, and removed in 6.4 for `sm_70` and later.

            - `ret` = `d`: the value read; its own `a` where the lane asked for is out of range.
            - `p`: true if the lane asked for is in range; optional.
            - `a`: the value that this lane provides.
            - `b`: a lane (`.idx`), a distance (`.up`, `.down`) or a mask for the lane number (`.bfly`); 5 bits count.
            - `c`: bits 0–4 the clamp, bits 8–12 the segment mask. For the whole warp 0x1f, with `.up` 0.
            - `membermask`: a bit for each lane that takes part; its own bit must be set.

            - `.sync`: The executing thread waits until all threads named by the member mask, or all threads of the warp where there is no mask, execute this same instruction. Here: waits for all lanes of the mask that have not exited.

            ```c
            clamp = c & 31;  segment = (c >> 8) & 31;  b = b & 31;
            first = lane & segment;                             // of the segment of the lane
            last  = first | (clamp & ~segment);
            .idx:   j = first | (b & ~segment);  p = j <= last;
            .down:  j = lane + b;                p = j <= last;
            .bfly:  j = lane ^ b;                p = j <= last;
            .up:    j = lane - b;                p = j >= last;  // so clamp is 0
            d = p ? a of lane j : a of this lane;
            ```

            - A lane outside the mask, exited or inactive gives an undefined value.
            - All lanes of the mask must execute it with the same modifiers and mask, or the warp hangs; do not put it under a condition that only some of them meet. Take the mask from the algorithm, not from `activemask`.
            - 64 bits take two `shfl`, after `mov.b64` has split the value.
            - It orders no memory.

            This form needs PTX ISA 6.0 (ptxas also accepts 5.1) and `sm_30`; the module is PTX ISA 9.0 for `sm_90a`.


            See also `redux`, `vote`, `match`, `bar.warp.sync`, `movmatrix`, `prmt`

            [PTX ISA 9.7.9.6](https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-shfl-sync)

            More: `ptx-analyzer explain shfl`"#]],
    );
    check_statement(
        "cp$0.async.bulk.tensor.2d.shared::cluster.global.tile",
        expect![[r#"
            ```ptx
            cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [to], [map, coordinates], [barrier]
            cp.async.bulk.tensor.2d.shared::cluster.global.tile ret;
            ```
            Missing: `.mbarrier::complete_tx::bytes`. Missing operands: `[map, coordinates]`, `[barrier]`.

            Starts a copy of a box of a tensor between global and shared memory.

            A tensor map, encoded on the host, describes the tensor: its address, sizes, strides, type of elements, the size of the box, the swizzle and the fill of elements outside. One thread gives the coordinates, and the copy engine (TMA) does all the address arithmetic, in the background and through the asynchronous proxy.

            - `ret` = `to`: the destination in shared memory, aligned to 128 bytes. With `.shared::cta` it must be in this CTA.
            - `map`: the generic address of the tensor map, 128 bytes in `.param`, `.const` or `.global` memory, aligned to 64.
            - `coordinates`: the start of the box, signed 32-bit numbers of elements, that of the innermost (contiguous) dimension first. With `.tile::gather4` and `.tile::scatter4` five: the column, then four rows.
            - `barrier`: the mbarrier that counts the bytes. It may be in another CTA only with `.shared::cluster`.

            - `.2d`: Two dimensions.
            - `.shared::cluster`: The shared memory of all CTAs of the cluster. Here: as destination, shared memory of any CTA of the cluster.
            - `.global`: Global memory: shared by all threads of all grids of the context; the host and other devices can access it too.
            - `.tile`: The box is a plain tile of the tensor: the default mode.

            - Every thread that executes it starts a copy of its own. Elect one thread.

            This form needs PTX ISA 8.0 and `sm_90`; the module is PTX ISA 9.0 for `sm_90a`.


            See also `cp.async.bulk`, `cp.reduce.async.bulk.tensor`, `cp.async.bulk.prefetch.tensor`, `tensormap.replace`, `prefetch`, `mbarrier.try_wait`

            [PTX ISA 9.7.9.26.5.2](https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cp-async-bulk-tensor)

            More: `ptx-analyzer explain cp.async.bulk.tensor`

            **Protocol**: bulk copies in groups; this starts."#]],
    );
}

#[test]
fn operands_are_flattened() {
    check_statement(
        "ele$0ct.sync _|p, -1;",
        expect![[r#"
            ```ptx
            elect.sync _|p, -1;
            ```

            Elects one lane of the warp, always the same for the same mask.

            For work that one thread does for its warp: bulk copies, arrivals, `tcgen05` and other instructions that a single thread issues.

            - `_` = `d`: the lane ID of the elected thread, or `_`.
            - `p` = `p`: true in the elected thread, false in all others.
            - `-1` = `membermask`, the constant -1: a bit for each lane that takes part; its own bit must be set.

            - `.sync`: The executing thread waits until all threads named by the member mask, or all threads of the warp where there is no mask, execute this same instruction.

            - The elected lane is unspecified. Do not assume lane 0.
            - The choice is deterministic, so groups of asynchronous operations, which belong to a thread, stay with the same one: the lane that commits must be the lane that waits.
            - All lanes of the mask must execute it; a missing one hangs the warp.
            - ptxas knows that exactly one lane is active under `p`; a test of `%laneid` does not always tell it.
            - It orders no memory; `bar.warp.sync` before it makes the stores of the other lanes visible to the elected one.

            This form needs PTX ISA 8.0 and `sm_90`; the module is PTX ISA 9.0 for `sm_90a`.


            See also `vote`, `activemask`, `cp.async.bulk`, `tcgen05.mma`, `mbarrier.arrive`

            [PTX ISA 9.7.14.15](https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-elect-sync)"#]],
    );
    check_statement(
        "shfl.sync.bfly.b32 %r1, %r2, 1, 0x$01f, -1;",
        expect![[r#"
        `c` of `shfl`: bits 0–4 the clamp, bits 8–12 the segment mask. For the whole warp 0x1f, with `.up` 0.

        ```ptx
        0x1f
        ```
        31 = 0x1f = 0b1_1111"#]],
    );
    check_statement(
        "cp.async.wait_group $02;",
        expect![[r#"
            `n` of `cp.async.wait_group`: the number of newest groups that may still be pending, a constant; 0 waits for all groups.

            ```ptx
            2
            ```
            2 = 0x2 = 0b10"#]],
    );
}

#[test]
fn types_say_whose_they_are() {
    check_statement(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f3$02 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};",
        expect![[r#"
            ```ptx
            mma….f32
            ```
            IEEE 754 single precision: 1 sign, 8 exponent and 23 fraction bits; about 7 decimal digits.

            Here: the type of C."#]],
    );
}

/// An operand that is being typed is not a wrong one.
#[test]
fn unfinished_operands_are_not_wrong() {
    let problem = |statement: &str| {
        let shown = hover(statement);
        let known = [
            "The last operand is unfinished.",
            "No form takes these operands.",
        ];
        let found = known.into_iter().find(|it| shown.contains(it));
        found.unwrap_or_default()
    };
    assert_eq!(
        problem("ld.shared.b32 %r1, ["),
        "The last operand is unfinished."
    );
    assert_eq!(
        problem("ld.shared.b32 %r1, %r2;"),
        "No form takes these operands."
    );
    assert_eq!(problem("ld.shared.b32 %r1, [%r2];"), "");
}

/// The lines of a hover about the operands and the numbers of a statement.
#[track_caller]
fn check_operands(statement: &str, expected: Expect) {
    let shown = hover(statement);
    let is_wanted = |it: &&str| it.contains(" = `") || it.starts_with("M = ");
    let lines: Vec<&str> = shown.lines().filter(is_wanted).collect();
    expected.assert_eq(&format!("{}\n", lines.join("\n")));
}

/// The lines of a hover about what a statement computes, which are after its operands.
#[track_caller]
fn check_outcome(statement: &str, expected: Expect) {
    let shown = hover(statement);
    let result = statement.split([' ', ',']).nth(1).expect("a result");
    let starts =
        |it: &&str| it.starts_with("This computes") || it.starts_with(&format!("`{result}`"));
    let mut lines = shown.lines().skip_while(|it| !starts(it));
    let first = lines.next().unwrap_or("nothing");
    let rest = lines.take_while(|it| it.starts_with("- "));
    let lines: Vec<&str> = std::iter::once(first).chain(rest).collect();
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn constants_tell_what_is_computed() {
    check_outcome(
        "prmt.b32 %r1, %r2, %r3, 0x1234;",
        expect![[r#"
        `%r1`:
        - byte 3: byte 1 of `%r2`
        - byte 2: byte 2 of `%r2`
        - byte 1: byte 3 of `%r2`
        - byte 0: byte 0 of `%r3`"#]],
    );
    check_outcome(
        "bfi.b32 %r1, %r2, %r3, 8, 4;",
        expect![[r#"
        `%r1`:
        - bits 31 to 12: bits 31 to 12 of `%r3`
        - bits 11 to 8: bits 3 to 0 of `%r2`
        - bits 7 to 0: bits 7 to 0 of `%r3`"#]],
    );
    check_outcome(
        "shf.r.wrap.b32 %r1, %r2, %r3, 5;",
        expect![[r#"
        `%r1`:
        - bits 31 to 27: bits 4 to 0 of `%r3`
        - bits 26 to 0: bits 31 to 5 of `%r2`"#]],
    );
    check_outcome(
        "and.b32 %r1, %r2, 0x0f0f0f0f;",
        expect![[r#"
        `%r1`:
        - bits 27 to 24: bits 27 to 24 of `%r2`
        - bits 19 to 16: bits 19 to 16 of `%r2`
        - bits 11 to 8: bits 11 to 8 of `%r2`
        - bits 3 to 0: bits 3 to 0 of `%r2`
        - other bits: 0"#]],
    );
    check_outcome("and.b32 %r1, %r2, 0x55555555;", expect!["nothing"]);
    check_outcome(
        "lop3.b32 %r1, %r2, %r3, %r4, 0x96;",
        expect!["`%r1` = `%r2 ^ %r3 ^ %r4`"],
    );
    check_outcome("add.s32 %r1, 5, 7;", expect!["This computes 12 = 0xc."]);
    check_outcome("add.s32 %r1, %r2, 7;", expect!["nothing"]);
    check_outcome("xor.b32 %r1, %r2, %r3;", expect!["nothing"]);
}

#[test]
fn operands_say_what_concerns_the_statement() {
    check_operands(
        "prmt.b32 %r1, %r2, 3, 0x1234;",
        expect![[r#"
            - `%r1` = `d`, a .b32 register: the four bytes.
            - `%r2` = `a`, a .b32 register: bytes 0 to 3.
            - `3` = `b`, the constant 3: bytes 4 to 7.
            - `0x1234` = `c`, the constant 4660: the selectors: four nibbles, the lowest for the lowest byte of `d`; with a mode the lowest 2 bits, for instance those of an address.
        "#]],
    );
    // Clauses about packs and predicates are left out.
    check_operands(
        "cvt.f64.f32 %fd1, %f1;",
        expect![[r#"
        - `%fd1` = `d`, a .f64 register: the result.
        - `%f1` = `a`, a .f32 register: the value to convert.
    "#]],
    );
    check_operands(
        "or.b64 %rd1, %rd2, %rd3;",
        expect![[r#"
        - `%rd1` = `d`, a .b64 register: the result.
        - `%rd2` = `a`, a .b64 register; `%rd3` = `b`, a .b64 register: the values.
    "#]],
    );
    // Numbers of the shape, and one line for operands with one role.
    check_operands(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, 1, 0, 0;",
        expect![[r#"
            - `{%f1, %f2, %f3, %f4}` = `d`: the accumulators; 4 registers. No `_`.
            - `%rd1` = `a`, a .b64 register: a descriptor of A in shared memory, or four 32-bit registers that hold rows `16 * w` to `16 * w + 15` as an A of `mma` does.
            - `%rd2` = `b`, a .b64 register: a descriptor of B in shared memory.
            - `%p1` = `scale_d`, a .pred register: a predicate or 0/1: false computes `A * B` without D, so that D need not be cleared for the first step along K.
            - `1` = `scale_a`, the constant 1; `1` = `scale_b`, the constant 1: 1, or -1 to negate A or B. Constants, floating-point types only.
            - `0` = `trans_a`, the constant 0; `0` = `trans_b`, the constant 0: 0 for K contiguous in memory, 1 for M or N contiguous. Constants, `.f16` and `.bf16` only; `trans_a` only if A is a descriptor.
            M = 64, N = 8, K = 16: 16,384 operations.
        "#]],
    );
}
