//! Answers of calculators, and what they say about wrong values.

use expect_test::{Expect, expect, expect_file};

use super::{calculate, calculators};

#[track_caller]
fn check(question: &str, expected: Expect) {
    let answer = calculate(question).expect("a calculator");
    expected.assert_eq(&answer.unwrap_or_else(|it| format!("error: {it}")));
}

#[test]
fn defaults_have_answers() {
    for calculator in calculators() {
        let first = &calculator.inputs[0];
        let answer = calculate(&format!("{} {}=", calculator.name, first.name));
        let text = answer.expect("a calculator").expect("an answer");
        assert!(text.lines().count() > 5, "{text}");
    }
}

/// Every choice of every input has an answer, or an error that names other choices.
#[test]
fn choices_have_answers() {
    let mut wrong = Vec::new();
    for calculator in calculators() {
        for input in &calculator.inputs {
            for choice in input.choices.iter().filter(|it| !it.is_empty()) {
                let question = format!("{} {}={choice}", calculator.name, input.name);
                let answer = calculate(&question).expect("a calculator");
                let is_answer = answer
                    .as_ref()
                    .is_ok_and(|it| it.contains('|') || it.contains("rejects"));
                let names_others = answer
                    .as_ref()
                    .is_err_and(|it| it.contains("expected") || it.contains("its fields"));
                wrong.extend(
                    (!is_answer && !names_others).then(|| format!("{question}: {answer:?}")),
                );
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn swizzles() {
    check(
        "swizzle mode=128 row=3 byte=36",
        expect![[r#"
        Row 3, byte 36 is at `0x194`; without swizzling it would be at `0x1a4`.

        The address is `address ^ ((address >> 3) & 0x70)`, and the pattern repeats every 1024 bytes.

        Chunks of 16 bytes by their number in the line of 128 bytes:

        | line | place 0 | place 1 | place 2 | place 3 | place 4 | place 5 | place 6 | place 7 |
        | --- | --- | --- | --- | --- | --- | --- | --- | --- |
        | 0 | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
        | 1 | 1 | 0 | 3 | 2 | 5 | 4 | 7 | 6 |
        | 2 | 2 | 3 | 0 | 1 | 6 | 7 | 4 | 5 |
        | 3 | 3 | 2 | 1 | 0 | 7 | 6 | 5 | 4 |
        | 4 | 4 | 5 | 6 | 7 | 0 | 1 | 2 | 3 |
        | 5 | 5 | 4 | 7 | 6 | 1 | 0 | 3 | 2 |
        | 6 | 6 | 7 | 4 | 5 | 2 | 3 | 0 | 1 |
        | 7 | 7 | 6 | 5 | 4 | 3 | 2 | 1 | 0 |
    "#]],
    );
    check(
        "swizzle mode=32 pitch=64 row=3 start=0x80",
        expect![[r#"
        Row 3, byte 0 is at `0x140`; without swizzling it would be at `0x140`.

        The address is `address ^ ((address >> 3) & 0x10)`, and the pattern repeats every 256 bytes.

        The box does not begin at a multiple of 256: its first row is in the middle of the pattern, and a matrix descriptor needs a base offset.

        The rows are longer than the 32 bytes that a box of this mode may have.

        Chunks of 16 bytes by their number in the line of 128 bytes:

        | line | place 0 | place 1 | place 2 | place 3 | place 4 | place 5 | place 6 | place 7 |
        | --- | --- | --- | --- | --- | --- | --- | --- | --- |
        | 0 | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
        | 1 | 1 | 0 | 3 | 2 | 5 | 4 | 7 | 6 |
    "#]],
    );
    check(
        "swizzle mode=none row=1",
        expect![[r#"
        Row 1, byte 0 is at `0x80`; without swizzling it would be at `0x80`.

        Chunks of 16 bytes by their number in the line of 128 bytes:

        | line | place 0 | place 1 | place 2 | place 3 | place 4 | place 5 | place 6 | place 7 |
        | --- | --- | --- | --- | --- | --- | --- | --- | --- |
        | 0 | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
    "#]],
    );
}

#[test]
fn tensor_maps() {
    check(
        "tensor-map type=bf16 shape=4096x4096 box=64x128 swizzle=128",
        expect![[r#"
            | fact | value |
            |---|---|
            | bytes of a box, which each copy adds to the transaction count of its mbarrier | 16384 = 0x4000 |
            | bytes of a row of the box | 128 |
            | alignment of the box in shared memory | 128 bytes; of 1024 bytes for the pattern to begin with the box, as matrix descriptors with the base offset 0 expect |
            | alignment of the tensor in global memory | 16 bytes |
            | alignment of the map | 64 bytes |
            | longest row of a box with this swizzle | 128 bytes |

            ```cuda
            cuuint64_t shape[] = {4096, 4096};
            cuuint64_t strides[] = {8192};
            cuuint32_t box[] = {64, 128};
            cuuint32_t steps[] = {1, 1};
            CUtensorMap map;
            cuTensorMapEncodeTiled(
                &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, address, shape, strides, box, steps,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
            ```
        "#]],
    );
    check(
        "tensor map type=f32 shape=100x7x3 strides=400,2800 box=8x7x1 steps=1,2,1",
        expect![[r#"
            | fact | value |
            |---|---|
            | bytes of a box, which each copy adds to the transaction count of its mbarrier | 128 = 0x80 |
            | bytes of a row of the box | 32 |
            | alignment of the box in shared memory | 128 bytes |
            | alignment of the tensor in global memory | 16 bytes |
            | alignment of the map | 64 bytes |

            ```cuda
            cuuint64_t shape[] = {100, 7, 3};
            cuuint64_t strides[] = {400, 2800};
            cuuint32_t box[] = {8, 7, 1};
            cuuint32_t steps[] = {1, 2, 1};
            CUtensorMap map;
            cuTensorMapEncodeTiled(
                &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, address, shape, strides, box, steps,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
            ```
        "#]],
    );
    check(
        "tensor-map type=f16 shape=100x100 box=100x100 swizzle=64",
        expect![[r#"
            `cuTensorMapEncodeTiled` rejects this:

            - `strides`: 200 bytes are not a multiple of 16
            - a row of the box has 200 bytes, which are not a multiple of 16
            - a row of the box has 200 bytes, more than the 64 that the swizzle permits
        "#]],
    );
}

#[test]
fn descriptors() {
    check(
        "matrix-descriptor for=wgmma start-address=0x400 leading-dimension-offset=16 stride-dimension-offset=1024 swizzle=128",
        expect![[r#"
            `0x4000004000010040`. Descriptor of a matrix in shared memory

            | bits | field | value |
            |---|---|---|
            | 0–13 | start address | 0x400 bytes (0x40 · 16) |
            | 16–29 | leading dimension offset | 0x10 bytes (0x1 · 16) |
            | 32–45 | stride dimension offset | 0x400 bytes (0x40 · 16) |
            | 49–51 | base offset | 0 |
            | 62–63 | swizzle | 128 bytes |

            See also `matrix descriptor`, `swizzling`

            Addresses of the 16-byte chunks of a K-major matrix, by row and by number along K:

            | row | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
            | --- | --- | --- | --- | --- | --- | --- | --- | --- |
            | 0 | 0x400 | 0x410 | 0x420 | 0x430 | 0x440 | 0x450 | 0x460 | 0x470 |
            | 1 | 0x490 | 0x480 | 0x4b0 | 0x4a0 | 0x4d0 | 0x4c0 | 0x4f0 | 0x4e0 |
            | 2 | 0x520 | 0x530 | 0x500 | 0x510 | 0x560 | 0x570 | 0x540 | 0x550 |
            | 3 | 0x5b0 | 0x5a0 | 0x590 | 0x580 | 0x5f0 | 0x5e0 | 0x5d0 | 0x5c0 |
            | 4 | 0x640 | 0x650 | 0x660 | 0x670 | 0x600 | 0x610 | 0x620 | 0x630 |
            | 5 | 0x6d0 | 0x6c0 | 0x6f0 | 0x6e0 | 0x690 | 0x680 | 0x6b0 | 0x6a0 |
            | 6 | 0x760 | 0x770 | 0x740 | 0x750 | 0x720 | 0x730 | 0x700 | 0x710 |
            | 7 | 0x7f0 | 0x7e0 | 0x7d0 | 0x7c0 | 0x7b0 | 0x7a0 | 0x790 | 0x780 |
            | 8 | 0x800 | 0x810 | 0x820 | 0x830 | 0x840 | 0x850 | 0x860 | 0x870 |
        "#]],
    );
    check(
        "matrix-descriptor for=tcgen05 value=0x4000404000010008",
        expect![[r#"
            `0x4000404000010008`. Descriptor of a matrix in shared memory

            | bits | field | value |
            |---|---|---|
            | 0–13 | start address | 0x80 bytes (0x8 · 16) |
            | 16–29 | leading dimension offset | 0x10 bytes (0x1 · 16) |
            | 32–45 | stride dimension offset | 0x400 bytes (0x40 · 16) |
            | 46–48 | constant | 0b1 |
            | 49–51 | base offset | 0 |
            | 52 | leading dimension | a relative offset |
            | 61–63 | swizzle | 128 bytes |

            See also `matrix descriptor`, `swizzling`

            The pattern repeats every 1024 bytes, and the start address is in its line 1: a matrix that begins there has the base offset 1.

            Addresses of the 16-byte chunks of a K-major matrix, by row and by number along K:

            | row | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
            | --- | --- | --- | --- | --- | --- | --- | --- | --- |
            | 0 | 0x90 | 0x80 | 0xb0 | 0xa0 | 0xd0 | 0xc0 | 0xf0 | 0xe0 |
            | 1 | 0x120 | 0x130 | 0x100 | 0x110 | 0x160 | 0x170 | 0x140 | 0x150 |
            | 2 | 0x1b0 | 0x1a0 | 0x190 | 0x180 | 0x1f0 | 0x1e0 | 0x1d0 | 0x1c0 |
            | 3 | 0x240 | 0x250 | 0x260 | 0x270 | 0x200 | 0x210 | 0x220 | 0x230 |
            | 4 | 0x2d0 | 0x2c0 | 0x2f0 | 0x2e0 | 0x290 | 0x280 | 0x2b0 | 0x2a0 |
            | 5 | 0x360 | 0x370 | 0x340 | 0x350 | 0x320 | 0x330 | 0x300 | 0x310 |
            | 6 | 0x3f0 | 0x3e0 | 0x3d0 | 0x3c0 | 0x3b0 | 0x3a0 | 0x390 | 0x380 |
            | 7 | 0x400 | 0x410 | 0x420 | 0x430 | 0x440 | 0x450 | 0x460 | 0x470 |
            | 8 | 0x490 | 0x480 | 0x4b0 | 0x4a0 | 0x4d0 | 0x4c0 | 0x4f0 | 0x4e0 |
        "#]],
    );
    check(
        "matrix-descriptor for=tcgen05 target=sm_107a start-address=0x60000",
        expect![[r#"
            `0x0000400000006000`. Descriptor of a matrix in shared memory

            | bits | field | value |
            |---|---|---|
            | 0–14 | start address | 0x60000 bytes (0x6000 · 16) |
            | 16–30 | leading dimension offset | 0x0 bytes (0x0 · 16) |
            | 32–45 | stride dimension offset | 0x0 bytes (0x0 · 16) |
            | 46–48 | constant | 0b1 |
            | 49–51 | base offset | 0 |
            | 52 | leading dimension | a relative offset |
            | 53 | segment of K, for `.decompress::lut::b` | 0 |
            | 61–63 | swizzle | none |

            See also `matrix descriptor`, `swizzling`
        "#]],
    );
    check(
        "instruction-descriptor for=f16 type-of-a=bf16 type-of-b=bf16 type-of-d=f32 m=128 n=256",
        expect![[r#"
            `0x08400490`. Instruction descriptor

            | bits | field | value |
            |---|---|---|
            | 2 | sparse | no |
            | 4–5 | type of D | f32 |
            | 7–9 | type of A | bf16 |
            | 10–12 | type of B | bf16 |
            | 13 | negate A | no |
            | 14 | negate B | no |
            | 15 | A | K-major |
            | 16 | B | K-major |
            | 17–22 | N | 256 |
            | 24–28 | M | 128 |

            See also `instruction descriptor`"#]],
    );
    check(
        "instruction-descriptor for=i8 type-of-a=s8 type-of-b=s8 m=64 n=8 value=",
        expect![[r#"
            `0x040204a0`. Instruction descriptor

            | bits | field | value |
            |---|---|---|
            | 2 | sparse | no |
            | 3 | saturate | no |
            | 4–5 | type of D | s32 |
            | 7–9 | type of A | s8 |
            | 10–12 | type of B | s8 |
            | 15 | A | K-major |
            | 16 | B | K-major |
            | 17–22 | N | 8 |
            | 24–28 | M | 64 |

            See also `instruction descriptor`"#]],
    );
}

#[test]
fn fragments() {
    check(
        "fragment instruction=mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 lane=5 matrix=A row=9 column=2",
        expect![[r#"
            Fragments, with `g = lane / 4`, `t = lane % 4`, the first of several elements in the lowest bits:

            | register | of | row | column |
            |---|---|---|---|
            | `d[0]`, `c[0]` | D, C | g | 2t |
            | `d[1]`, `c[1]` | D, C | g | 2t + 1 |
            | `d[2]`, `c[2]` | D, C | g + 8 | 2t |
            | `d[3]`, `c[3]` | D, C | g + 8 | 2t + 1 |
            | `a[0]` | A | g | 2t … 2t + 1 |
            | `a[1]` | A | g + 8 | 2t … 2t + 1 |
            | `a[2]` | A | g | 2t + 8 … 2t + 9 |
            | `a[3]` | A | g + 8 | 2t + 8 … 2t + 9 |
            | `b[0]` | B | 2t … 2t + 1 | g |
            | `b[1]` | B | 2t + 8 … 2t + 9 | g |

            Lane 5 holds:

            | register | of | row, column |
            |---|---|---|
            | `d[0]` | D | 1, 2 |
            | `d[1]` | D | 1, 3 |
            | `d[2]` | D | 9, 2 |
            | `d[3]` | D | 9, 3 |
            | `a[0]` | A | 1, 2…3 |
            | `a[1]` | A | 9, 2…3 |
            | `a[2]` | A | 1, 10…11 |
            | `a[3]` | A | 9, 10…11 |
            | `b[0]` | B | 2…3, 1 |
            | `b[1]` | B | 10…11, 1 |
            | `c[0]` | C | 1, 2 |
            | `c[1]` | C | 1, 3 |
            | `c[2]` | C | 9, 2 |
            | `c[3]` | C | 9, 3 |

            Row 9, column 2 of A:

            - lane 5, `a[1]`, bits 0 to 15
        "#]],
    );
    check(
        "fragment instruction=ldmatrix.sync.aligned.m8n8.x2.shared.b16 lane=1 row=0 column=3",
        expect![[r#"
            Fragments, with `g = lane / 4`, `t = lane % 4`, the first of several elements in the lowest bits:

            | register | of | matrix | row | column |
            |---|---|---|---|---|
            | `r[0]` | memory | 0 | g | 2t … 2t + 1 |
            | `r[1]` | memory | 1 | g | 2t … 2t + 1 |

            Lane 1 holds:

            | register | of | row, column |
            |---|---|---|
            | `r[0]` | memory | 0: 0, 2…3 |
            | `r[1]` | memory | 1: 0, 2…3 |

            Row 0, column 3 of memory:

            - lane 1, `r[0]`, bits 16 to 31, of matrix 0
            - lane 1, `r[1]`, bits 16 to 31, of matrix 1
        "#]],
    );
}

#[test]
fn wrong_values_are_named() {
    for (question, expected) in [
        ("swizzle mode=96", "`mode=96`: expected none, 32, 64, 128"),
        ("swizzle row=x", "`row=x`: expected a number"),
        (
            "swizzle row=99999999",
            "`row=99999999`: expected at most 1048576",
        ),
        (
            "swizzle rows=1",
            "`rows` is not an input; inputs: mode, start, pitch, row, byte",
        ),
        (
            "tensor-map box=64by64",
            "`box=64by64`: expected numbers, as in `64x128`",
        ),
        (
            "matrix-descriptor value=1 swizzle=32",
            "`value` and `swizzle` exclude each other",
        ),
        (
            "matrix-descriptor target=sm_x swizzle=32",
            "`target=sm_x`: unknown target",
        ),
        (
            "matrix-descriptor sparse=yes",
            "`sparse` is not a field of this descriptor; its fields: start-address, leading-dimension-offset, stride-dimension-offset, base-offset, swizzle",
        ),
        (
            "instruction-descriptor value=1 m=64",
            "`value` and `m` exclude each other",
        ),
        (
            "fragment instruction=mma.m17n8k16.f32",
            "`instruction=mma.m17n8k16.f32`: no instruction has this opcode with these modifiers",
        ),
        (
            "fragment instruction=add.s32",
            "`instruction=add.s32`: no fragments, or its shape or types are missing",
        ),
        ("fragment lane=32", "`lane=32`: expected at most 31"),
        ("fragment row=0 column=0", "`matrix=`: expected D, A, B, C"),
        (
            "fragment matrix=A row=99 column=0",
            "A has 8 rows and 4 columns",
        ),
    ] {
        let answer = calculate(question).expect("a calculator");
        assert_eq!(answer, Err(expected.to_owned()), "{question}");
    }
}

#[test]
fn other_questions_are_not_calculations() {
    for question in [
        "swizzle",
        "swizzle mode",
        "add a=1",
        "swizzle a=1 b",
        "=",
        "swizzle =1",
        "",
    ] {
        assert_eq!(calculate(question), None, "{question}");
    }
}

/// The page with the answer to each of its questions, each of which is also in the command before it.
fn with_answers(page: &str) -> String {
    let (start, end) = ("<!-- calculator: ", "<!-- end of calculator -->\n");
    let mut parts = page.split(start);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (question, rest) = part.split_once(" -->\n").expect("a question");
        let (_, after) = rest.split_once(end).expect("the end of an answer");
        assert!(
            page.contains(&format!("ptx-analyzer explain '{question}'\n")),
            "{question}"
        );
        let answer = calculate(question)
            .expect("a calculator")
            .expect("an answer");
        text += &format!(
            "{start}{question} -->\n\n{}\n\n{end}{after}",
            answer.trim_end()
        );
    }
    text
}

/// `UPDATE_EXPECT=1` writes the answers into the page.
#[test]
fn the_page_has_the_answers() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../editors/guide/calculators.md"
    );
    let page = std::fs::read_to_string(path)
        .expect("the page")
        .replace("\r\n", "\n");
    for calculator in calculators() {
        let question = format!("<!-- calculator: {} ", calculator.name);
        assert_eq!(page.matches(&question).count(), 1, "{question}");
    }
    expect_file![path].assert_eq(&with_answers(&page));
}
