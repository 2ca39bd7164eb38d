//! Fragments and descriptors as they are shown.

use expect_test::{Expect, expect};

use crate::features::hover::tests::check;

/// A module for an architecture, with registers for matrices.
#[track_caller]
fn check_matrix(target: &str, statement: &str, expected: Expect) {
    check(
        &format!(
            ".version 9.0\n.target {target}\n.address_size 64\n.entry k() {{\n\
             .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .pred %p;\n{statement}\nret;\n}}\n"
        ),
        expected,
    );
}

#[test]
fn fragments_of_matrices() {
    check_matrix(
        "sm_80",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1$0,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};",
        expect![[r#"
            `a` of `mma`: the fragment of A, M * K * bits / 1024 registers of 32 bits; half as many with `.sp`. `.f64`: M * K / 32 registers.

            ```ptx
            .reg .b32 %r<9>
            ```
            Register, type `.b32`, 32 bits (4 bytes) in `k`: `%r1`

            Used before it is written

            1 use in this file

            Probably takes no register of a thread (a constant, a parameter, the same in all threads, or a part of what uses it), live at line 6

            `a[1]` of A: row g + 8, column 2t … 2t + 1; `g = lane / 4`, `t = lane % 4`, the first of several elements in the lowest bits

            ```text
            lane  row, column
             0–3  8, 0…1   8, 2…3   8, 4…5   8, 6…7
             4–7  9, 0…1   9, 2…3   9, 4…5   9, 6…7
             8–11 10, 0…1  10, 2…3  10, 4…5  10, 6…7
            12–15 11, 0…1  11, 2…3  11, 4…5  11, 6…7
            16–19 12, 0…1  12, 2…3  12, 4…5  12, 6…7
            20–23 13, 0…1  13, 2…3  13, 4…5  13, 6…7
            24–27 14, 0…1  14, 2…3  14, 4…5  14, 6…7
            28–31 15, 0…1  15, 2…3  15, 4…5  15, 6…7
            ```"#]],
    );
    check_matrix(
        "sm_80",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1$0}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r6, 0;",
        expect![[r#"
            `a` of `mma`: the fragment of A, M * K * bits / 1024 registers of 32 bits; half as many with `.sp`. `.f64`: M * K / 32 registers.

            ```ptx
            .reg .b32 %r<9>
            ```
            Register, type `.b32`, 32 bits (4 bytes) in `k`: `%r1`

            Used before it is written

            1 use in this file

            Probably takes no register of a thread (a constant, a parameter, the same in all threads, or a part of what uses it), live at line 6

            `a[1]` of A: row g + 8, column 4t … 4t + 3; `g = lane / 4`, `t = lane % 4`, the first of several elements in the lowest bits

            Of each 4 neighbouring columns of A 2 are kept: the columns are those among which they are.

            ```text
            lane  row, column
             0–3  8, 0…3     8, 4…7     8, 8…11    8, 12…15
             4–7  9, 0…3     9, 4…7     9, 8…11    9, 12…15
             8–11 10, 0…3    10, 4…7    10, 8…11   10, 12…15
            12–15 11, 0…3    11, 4…7    11, 8…11   11, 12…15
            16–19 12, 0…3    12, 4…7    12, 8…11   12, 12…15
            20–23 13, 0…3    13, 4…7    13, 8…11   13, 12…15
            24–27 14, 0…3    14, 4…7    14, 8…11   14, 12…15
            28–31 15, 0…3    15, 4…7    15, 8…11   15, 12…15
            ```"#]],
    );
    check_matrix(
        "sm_80",
        "m$0ma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};",
        expect![[r#"
            ```ptx
            mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};
            ```

            Multiplies two matrices of a warp and adds a third, all held in registers.

            One instruction computes `D = A * B + C` for the whole warp: A is M by K, B is K by N, C and D are M by N. Every lane provides its fragment of A, B and C and receives its fragment of D. With `.sp`, half of A is zero and left out.

            - `{%f0,%f1,%f2,%f3}` = `d`: the result, as many registers as `c`. Elements that are not needed may be `_`.
            - `{%r0,%r1,%r2,%r3}` = `a`: the fragment of A, M * K * bits / 1024 registers of 32 bits; half as many with `.sp`.
            - `{%r4,%r5}` = `b`: the fragment of B, K * N * bits / 1024 registers of 32 bits.
            - `{%f0,%f1,%f2,%f3}` = `c`: the accumulators: M * N / 32 registers of type `.f32`, `.s32` or `.f64`, half as many of two `.f16` values. May be the same registers as `d`.
            - `.m16n8k16`: The shape of the operation: A has m rows and k columns, B has k rows and n columns, C and D have m rows and n columns. Here: the shape. M and N are the same for nearly all types, K depends on their width; the largest K is the fastest per element.
            - `.row`: The matrix is stored row by row. Here: the order of A and B. Only the `.f16` form of `m8n8k4` has a choice; all others are `.row.col`.

            M = 16, N = 8, K = 16: 4,096 operations.

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


            See also `ldmatrix`, `stmatrix`, `movmatrix`, `wgmma.mma_async`, `tcgen05.mma`, `wmma.mma`

            [PTX ISA 9.7.15.5.14](https://docs.nvidia.com/cuda/parallel-thread-execution/#multiply-and-accumulate-instruction-mma)

            More: `ptx-analyzer explain mma`"#]],
    );
    check_matrix(
        "sm_100a",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1$0}, [%r2];",
        expect![[r#"
            `r` of `ldmatrix`: a 32-bit register for each matrix, two for each of `.m16n16`; in braces, also a single one.

            ```ptx
            .reg .b32 %r<9>
            ```
            Register, type `.b32`, 32 bits (4 bytes) in `k`: `%r1`

            Nothing reads this value

            1 use in this file

            Probably takes no register of a thread (a constant, a parameter, the same in all threads, or a part of what uses it), live at line 6

            `r[1]` of memory: row (e % 2) + 4t + 2, column 8·(e / 2) + g; `g = lane / 4`, `t = lane % 4`, `e` the element in the register, lowest bits first

            ```text
            lane  row, column
             0–3  2…3, 0/8     6…7, 0/8     10…11, 0/8   14…15, 0/8
             4–7  2…3, 1/9     6…7, 1/9     10…11, 1/9   14…15, 1/9
             8–11 2…3, 2/10    6…7, 2/10    10…11, 2/10  14…15, 2/10
            12–15 2…3, 3/11    6…7, 3/11    10…11, 3/11  14…15, 3/11
            16–19 2…3, 4/12    6…7, 4/12    10…11, 4/12  14…15, 4/12
            20–23 2…3, 5/13    6…7, 5/13    10…11, 5/13  14…15, 5/13
            24–27 2…3, 6/14    6…7, 6/14    10…11, 6/14  14…15, 6/14
            28–31 2…3, 7/15    6…7, 7/15    10…11, 7/15  14…15, 7/15
            ```"#]],
    );
    check_matrix(
        "sm_70",
        "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%r6,%r7$0}, {%r0,%r1,%r2,%r3};",
        expect![[r#"
            `b` of `mma`: the fragment of B, K * N * bits / 1024 registers of 32 bits. `.f64`: K * N / 32 registers.

            ```ptx
            .reg .b32 %r<9>
            ```
            Register, type `.b32`, 32 bits (4 bytes) in `k`: `%r7`

            Used before it is written

            1 use in this file

            Probably takes no register of a thread (a constant, a parameter, the same in all threads, or a part of what uses it), live at line 6

            `b[1]` of B: row 2 … 3, column t + 4·(lane / 16), product (lane / 4 % 4); `t = lane % 4`, the first of several elements in the lowest bits

            ```text
            lane  product: row, column
             0–3  0: 2…3, 0  0: 2…3, 1  0: 2…3, 2  0: 2…3, 3
             4–7  1: 2…3, 0  1: 2…3, 1  1: 2…3, 2  1: 2…3, 3
             8–11 2: 2…3, 0  2: 2…3, 1  2: 2…3, 2  2: 2…3, 3
            12–15 3: 2…3, 0  3: 2…3, 1  3: 2…3, 2  3: 2…3, 3
            16–19 0: 2…3, 4  0: 2…3, 5  0: 2…3, 6  0: 2…3, 7
            20–23 1: 2…3, 4  1: 2…3, 5  1: 2…3, 6  1: 2…3, 7
            24–27 2: 2…3, 4  2: 2…3, 5  2: 2…3, 6  2: 2…3, 7
            28–31 3: 2…3, 4  3: 2…3, 5  3: 2…3, 6  3: 2…3, 7
            ```"#]],
    );
    check_matrix(
        "sm_90a",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3$0}, {%r0,%r1,%r2,%r3}, %rd1, %p, 1, 1, 0;",
        expect![[r#"
            `d` of `wgmma.mma_async`: the accumulators; N / 2 registers, or N / 4 with two `.f16` each. No `_`.

            ```ptx
            .reg .f32 %f<9>
            ```
            Register, type `.f32`, 32 bits (4 bytes) in `k`: `%f3`

            Used before it is written

            Nothing reads this value

            1 use in this file

            Takes 1 register, live at line 6, also where most registers are live

            `d[3]` of D: row g + 16w + 8, column 2t + 1; `g = lane / 4`, `t = lane % 4`, `w` the warp in its warpgroup

            ```text
            lane  row, column
             0–3  8, 1   8, 3   8, 5   8, 7
             4–7  9, 1   9, 3   9, 5   9, 7
             8–11 10, 1  10, 3  10, 5  10, 7
            12–15 11, 1  11, 3  11, 5  11, 7
            16–19 12, 1  12, 3  12, 5  12, 7
            20–23 13, 1  13, 3  13, 5  13, 7
            24–27 14, 1  14, 3  14, 5  14, 7
            28–31 15, 1  15, 3  15, 5  15, 7
            ```
            Warp 0; each of the next three has the 16 rows below."#]],
    );
    // A vector of a wrong length says nothing.
    check_matrix(
        "sm_80",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1$0}, {%r4,%r5}, {%f0,%f1,%f2,%f3};",
        expect![[r#"
            `a` of `mma`: the fragment of A, M * K * bits / 1024 registers of 32 bits; half as many with `.sp`. `.f64`: M * K / 32 registers.

            ```ptx
            .reg .b32 %r<9>
            ```
            Register, type `.b32`, 32 bits (4 bytes) in `k`: `%r1`

            Used before it is written

            1 use in this file

            Probably takes no register of a thread (a constant, a parameter, the same in all threads, or a part of what uses it), live at line 6"#]],
    );
}

#[test]
fn descriptors_of_matrices() {
    check_matrix(
        "sm_100a",
        "tcgen05.mma.cta_group::1.kind::f16 [%r0], %rd0, %rd1, 13631$01632, %p;",
        expect![[r#"
            `idesc` of `tcgen05.mma`: the instruction descriptor, 32 bits; see the notes.

            ```ptx
            136311632
            ```
            136311632 = 0x81ff350 = 0b1000_0001_1111_1111_0011_0101_0000

            Instruction descriptor

            | bits | field | value |
            |---|---|---|
            | 2 | sparse | no |
            | 4–5 | type of D | f32 |
            | 6 | reserved | 0b1 |
            | 7–9 | type of A | 6 |
            | 10–12 | type of B | 4 |
            | 13 | negate A | yes |
            | 14 | negate B | yes |
            | 15 | A | M-major, transposed |
            | 16 | B | N-major, transposed |
            | 17–22 | N | 120 |
            | 24–28 | M | 128 |

            Invalid:
            - reserved (bit 6): must be 0
            - type of A (bits 7–9): 6 means nothing here; 0 (f16), 1 (bf16)
            - type of B (bits 10–12): 4 means nothing here; 0 (f16), 1 (bf16)

            See also `instruction descriptor`"#]],
    );
    check_matrix(
        "sm_100a",
        "mov.b32 %r1, 0x8200490;\ntcgen05.mma.cta_group::1.kind::f16 [%r0], %rd0, %rd1, %r$01, %p;",
        expect![[r#"
            `idesc` of `tcgen05.mma`: the instruction descriptor, 32 bits; see the notes.

            ```ptx
            .reg .b32 %r<9>
            ```
            Register, type `.b32`, 32 bits (4 bytes) in `k`: `%r1`

            = `136316048 = 0x8200490`

            Written at line 6: `mov.b32 %r1, 0x8200490;`

            Read at line 7

            2 uses in this file

            Probably takes no register of a thread (a constant, a parameter, the same in all threads, or a part of what uses it), live at lines 6 to 7

            `0x8200490`, computed from constants. Instruction descriptor

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
            | 17–22 | N | 128 |
            | 24–28 | M | 128 |

            See also `instruction descriptor`"#]],
    );
    // An address that only the GPU knows, and constants around it.
    check_matrix(
        "sm_90a",
        "cvt.u64.u32 %rd4, %r1;\nand.b64 %rd5, %rd4, 0x3ffff;\nshr.u64 %rd6, %rd5, 4;\n\
         or.b64 %rd7, %rd6, 0x4000004000010000;\nadd.s64 %rd8, %rd7, 2;\n\
         wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd$08, %rd1, %p, 1, 1, 0, 0;",
        expect![[r#"
            `a` of `wgmma.mma_async`: a descriptor of A in shared memory, or four 32-bit registers that hold rows `16 * w` to `16 * w + 15` as an A of `mma` does.

            ```ptx
            .reg .b64 %rd<9>
            ```
            Register, type `.b64`, 64 bits (8 bytes) in `k`: `%rd8`

            = `((%r1 & 262143) >> 4) + 0x4000004000010002`

            Written at line 10: `add.s64 %rd8, %rd7, 2;`

            Read at line 11

            2 uses in this file

            Takes 2 registers, live at lines 10 to 11

            Partly computed from constants. Descriptor of a matrix in shared memory

            | bits | field | value |
            |---|---|---|
            | 0–13 | start address | not constant |
            | 16–29 | leading dimension offset | 0x10 bytes (0x1 · 16) |
            | 32–45 | stride dimension offset | 0x400 bytes (0x40 · 16) |
            | 49–51 | base offset | 0 |
            | 62–63 | swizzle | 128 bytes |

            See also `matrix descriptor`, `swizzling`"#]],
    );
    // Which of two values it is depends on the way.
    check_matrix(
        "sm_100a",
        "mov.b32 %r1, 0x8200490;\n@%p bra L;\nmov.b32 %r1, 0x8200410;\nL: tcgen05.mma.cta_group::1.kind::f16 [%r0], %rd0, %rd1, %r$01, %p;",
        expect![[r#"
            `idesc` of `tcgen05.mma`: the instruction descriptor, 32 bits; see the notes.

            ```ptx
            .reg .b32 %r<9>
            ```
            Register, type `.b32`, 32 bits (4 bytes) in `k`: `%r1`

            Known to be a multiple of 16

            Written at one of

            - line 6: `mov.b32 %r1, 0x8200490;`
            - line 8: `mov.b32 %r1, 0x8200410;`

            Read at line 9

            3 uses in this file

            Takes 1 register, live at lines 6 to 9, also where most registers are live

            Partly computed from constants. Instruction descriptor

            | bits | field | value |
            |---|---|---|
            | 2 | sparse | no |
            | 4–5 | type of D | f32 |
            | 7–9 | type of A | not constant |
            | 10–12 | type of B | bf16 |
            | 13 | negate A | no |
            | 14 | negate B | no |
            | 15 | A | K-major |
            | 16 | B | K-major |
            | 17–22 | N | 128 |
            | 24–28 | M | 128 |

            See also `instruction descriptor`"#]],
    );
    // The last write counts.
    check_matrix(
        "sm_100a",
        "mov.b32 %r1, 0x8200490;\nmov.b32 %r1, 5;\ntcgen05.mma.cta_group::1.kind::f16 [%r0], %rd0, %rd1, %r$01, %p;",
        expect![[r#"
            `idesc` of `tcgen05.mma`: the instruction descriptor, 32 bits; see the notes.

            ```ptx
            .reg .b32 %r<9>
            ```
            Register, type `.b32`, 32 bits (4 bytes) in `k`: `%r1`

            = `5`

            Written at line 7: `mov.b32 %r1, 5;`

            Read at line 8

            3 uses in this file

            Probably takes no register of a thread (a constant, a parameter, the same in all threads, or a part of what uses it), live at lines 6 to 8

            `0x5`, computed from constants. Instruction descriptor

            | bits | field | value |
            |---|---|---|
            | 0–1 | reserved | 0b1 |
            | 2 | sparse | yes |
            | 4–5 | type of D | f16 |
            | 7–9 | type of A | f16 |
            | 10–12 | type of B | f16 |
            | 13 | negate A | no |
            | 14 | negate B | no |
            | 15 | A | K-major |
            | 16 | B | K-major |
            | 17–22 | N | 0 |
            | 24–28 | M | 0 |

            Invalid:
            - reserved (bits 0–1): must be 0
            - sparse (bit 2): the instruction has no `.sp`, so it must be 0
            - N (bits 17–22): from 8 to 256
            - M (bits 24–28): there are 64, 128, 256

            See also `instruction descriptor`"#]],
    );
    check_matrix(
        "sm_90a",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, 0x4000$0004000010040, %rd1, %p, 1, 1, 0, 0;",
        expect![[r#"
            `a` of `wgmma.mma_async`: a descriptor of A in shared memory, or four 32-bit registers that hold rows `16 * w` to `16 * w + 15` as an A of `mma` does.

            ```ptx
            0x4000004000010040
            ```
            4611686293305360448 = 0x4000004000010040 = 0b100_0000_0000_0000_0000_0000_0100_0000_0000_0000_0000_0001_0000_0000_0100_0000

            Descriptor of a matrix in shared memory

            | bits | field | value |
            |---|---|---|
            | 0–13 | start address | 0x400 bytes (0x40 · 16) |
            | 16–29 | leading dimension offset | 0x10 bytes (0x1 · 16) |
            | 32–45 | stride dimension offset | 0x400 bytes (0x40 · 16) |
            | 49–51 | base offset | 0 |
            | 62–63 | swizzle | 128 bytes |

            See also `matrix descriptor`, `swizzling`"#]],
    );
}
