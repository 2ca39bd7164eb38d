//! Rules of the host compiler: macros and guards, statements that it may drop or move, and its labels.

use super::*;

#[test]
fn macros_of_the_file_decide_what_is_compiled() {
    let text = r#"#pragma once
#ifndef FILE_CUH
#define FILE_CUH
#if __CUDA_ARCH__ >= 900
#define HAS_TMA 1
#endif
__device__ void f() {
#ifdef HAS_TMA
    asm volatile("fence.proxy.async;");
#else
    asm volatile("fence.proxy.bsync;");
#endif
    asm volatile("griddepcontrol.wait;");
}
#endif
"#;
    check(Language::Cuda, &["sm_90"], text, expect![[""]]);
    check(
        Language::Cuda,
        &["sm_80"],
        text,
        expect![[r#"
        11: `.bsync` Error modifier-not-allowed: `.bsync` is not allowed in `fence.proxy.bsync`
          Replace `.bsync` by `.async`: [("bsync", "async")]
        13: `griddepcontrol` Error unsupported-by-target: `griddepcontrol.wait` needs target `sm_90` or later; this code is compiled for `sm_80`
    "#]],
    );
}

#[test]
fn a_misspelt_opcode_alone_is_found_in_device_code() {
    check(
        Language::Cuda,
        &[],
        "__global__ void k() { if (f()) { asm volatile(\"brkptt;\"); asm(\"rtap;\"); } }\n\
         __device__ void f() { asm volatile(\"s_nop 0\"); asm(\"frobnicate;\"); }\n\
         void host() { asm(\"puase;\"); asm volatile(\"mfence\"); asm(\"rtap;\"); }\n",
        expect![[r#"
            1: `brkptt` Error unknown-instruction: unknown instruction `brkptt`
              Replace `brkptt` by `brkpt`: [("t", "")]
            1: `rtap` Error unknown-instruction: unknown instruction `rtap`
              Replace `rtap` by `trap`: [("rtap", "trap")]
        "#]],
    );
    check(
        Language::Python,
        &[],
        "import cutlass\nllvm.inline_asm(None, [], 'brkptt;', '', has_side_effects=True)\n",
        expect![[r#"
            2: `brkptt` Error unknown-instruction: unknown instruction `brkptt`
              Replace `brkptt` by `brkpt`: [("t", "")]
        "#]],
    );
    check(
        Language::Rust,
        &[],
        "extern \"ptx-kernel\" fn k() { asm!(\"tarp;\"); asm!(\"pmevent 3.0;\"); }\n",
        expect![[r#"
            1: `tarp` Error unknown-instruction: unknown instruction `tarp`
              Replace `tarp` by `trap`: [("arp", "rap")]
            1: `3.0` Error invalid-operand: a floating-point constant is not valid here in `pmevent`
        "#]],
    );
}

#[test]
fn statements_that_the_compiler_may_drop_or_move() {
    let text = cuda(
        r#"asm("atom.global.add.u32 %0, [%1], 1;" : "=r"(x) : "l"(p));
    asm("mov.u32 %0, %%clock;" : "=r"(x));
    asm("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(p));
    asm("ld.global.nc.u32 %0, [%1];" : "=r"(x) : "l"(p));
    asm("mov.u32 %0, %%laneid;" : "=r"(x));
    asm("st.global.u32 [%0], 1;" :: "l"(p));
    asm("atom.global.add.u32 %0, [%1], 1;" : "=r"(x) : "l"(p) : "memory");
    asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(x) : "l"(p));
    asm("{ L: add.u32 %0, %0, 1; @q bra L; }" : "=r"(x) : "l"(p) : FLAGS);"#,
    );
    check(
        Language::Cuda,
        &["sm_80"],
        &text,
        expect![[r#"
        2: `atom.global.add.u32` Warning asm-missing-volatile: the compiler may drop or move this `atom.global.add.u32`, which writes memory: the statement needs `volatile`
          Insert `volatile`: [("", " volatile")]
        3: `mov.u32` Warning asm-missing-volatile: the compiler may drop or move this `mov.u32`, which has another value each time: the statement needs `volatile`
          Insert `volatile`: [("", " volatile")]
        4: `ld.global.u32` Hint asm-missing-volatile: the compiler may drop or move this `ld.global.u32`, which reads memory that may change: the statement needs `volatile`
          Insert `volatile`: [("", " volatile")]
        10: `q` Error undefined-name: `q` is not declared
    "#]],
    );
    check(
        Language::Llvm,
        &["sm_80"],
        "target triple = \"nvptx64\"\n%r = call i32 asm \"atom.add.u32 $0, [$1], 1;\", \"=r,l\"(ptr %p)\n",
        expect![[r#"
            2: `atom.add.u32` Warning asm-missing-volatile: the compiler may drop or move this `atom.add.u32`, which writes memory: the statement needs `sideeffect`
              Insert `sideeffect`: [("", " sideeffect")]
        "#]],
    );
}

#[test]
fn outputs_and_addresses() {
    let text = cuda(
        r#"asm volatile("{ .reg .pred t; setp.ne.u32 t, %1, 0; @t mov.u32 %0, 1; }" : "=r"(x) : "r"(y));
    asm volatile("{ .reg .pred t; setp.ne.u32 t, %1, 0; @t mov.u32 %0, 1; }" : "+r"(x) : "r"(y));
    asm volatile("{ .reg .pred t; setp.ne.u32 t, %1, 0; @t mov.u32 %0, 1; @!t mov.u32 %0, 2; }" : "=r"(x) : "r"(y));
    asm volatile("{ .reg .pred t; mov.u32 %0, 0; setp.ne.u32 t, %1, 0; @t mov.u32 %0, 1; }" : "=r"(x) : "r"(y));
    asm volatile("st.shared.u32 [%0], %1;" :: "l"(&shared[1]), "r"(x));
    asm volatile("st.shared.u32 [%0], %1;" :: "l"((void *)p), "r"(x));
    asm volatile("st.shared.u32 [%0], %1;" :: "l"(__cvta_generic_to_shared(p)), "r"(x));
    asm volatile("st.global.u32 [%0], %1;" :: "l"(&p[1]), "r"(x));"#,
    );
    check(
        Language::Cuda,
        &["sm_80"],
        &text,
        expect![[r#"
            2: `%0` Hint asm-partial-output: `%0` is written only where `t` holds; with `=r` its value is undefined elsewhere: `+r` keeps the one it had
            6: `%0` Information asm-generic-address: `%0` is a generic pointer, and `st.shared.u32` takes an address in shared memory: `__cvta_generic_to_shared` makes one
            7: `%0` Information asm-generic-address: `%0` is a generic pointer, and `st.shared.u32` takes an address in shared memory: `__cvta_generic_to_shared` makes one
        "#]],
    );
}

#[test]
fn labels_of_rust_have_no_names() {
    check(
        Language::Rust,
        &["sm_80"],
        "fn f() { asm!(\"{{\", \".reg .pred p;\", \"A: setp.eq.u32 p, {0}, 0;\", \"@p bra A;\", \"}}\", in(reg32) x); }\n",
        expect![[r#"
            1: `A` Error asm-named-label: rustc denies names of labels in `asm!`: `#[allow(named_asm_labels)]` admits `A`
        "#]],
    );
}

#[test]
fn labels_twice_in_a_block_are_errors_if_both_are_there() {
    let text = cuda(
        r#"asm volatile("A: { .reg .pred c; setp.eq.u32 c, %0, 0; @c bra A; }" :: "r"(x));
    asm volatile("A: { .reg .pred c; setp.eq.u32 c, %0, 0; @c bra A; }" :: "r"(x));
    if (N == 1) asm volatile("B: bra B;"); else asm volatile("B: bra B;");"#,
    );
    check(
        Language::Cuda,
        &["sm_80"],
        &text,
        expect![[r#"
        2: `A` Error asm-duplicate-name: a later statement of this block declares the label `A`, too: put each into braces
        3: `A` Error asm-duplicate-name: an earlier statement of this block declares the label `A`, too: put each into braces
        4: `B` Warning asm-duplicate-name: a later statement of this block declares the label `B`, too: put each into braces
        4: `B` Warning asm-duplicate-name: an earlier statement of this block declares the label `B`, too: put each into braces
    "#]],
    );
}

#[test]
fn addresses_are_as_wide_as_pointers() {
    let text = cuda(
        r#"asm volatile("st.global.u32 [%0], 1;" :: "r"(x));
    asm volatile("st.shared.u32 [%0], 1;" :: "r"(x));
    asm volatile("st.global.u32 [%0], 1;" :: "l"(p));"#,
    );
    check(
        Language::Cuda,
        &["sm_80"],
        &text,
        expect![[r#"
            2: `[%0]` Error narrow-address: this address has 32 bits; ptxas needs 64 bits here
        "#]],
    );
}
