use expect_test::{Expect, expect};

use crate::{FileRange, fixture::Fixture};

fn check(text: &str, expect: Expect) {
    let fixture = Fixture::new(text);
    let (analysis, position) = fixture.cursor();
    let shown = match analysis.hover(position).unwrap() {
        Some(hover) => format!(
            "{}\n{}\n",
            fixture.text(FileRange {
                file: position.file,
                range: hover.range
            }),
            hover.info.markdown
        ),
        None => "nothing\n".to_owned(),
    };
    expect.assert_eq(&shown);
}

#[test]
fn comments_are_shown_as_they_are() {
    let shown = super::escaped("1. [a](http://b) ![c](d) <img> `e` # f");
    assert_eq!(
        shown,
        "1\\. \\[a\\](http\\://b) \\!\\[c\\](d) \\<img\\> \\`e\\` # f"
    );
    assert_eq!(super::escaped("# a"), "\\# a");
    assert_eq!(super::escaped("Adds n to each."), "Adds n to each.");
}

#[test]
fn mangled_names() {
    check(
        ".func _Z4axpyfPKf(.param .b32 _Z4axpyfPKf_param_0) { }\n.entry k { call _Z4a$0xpyfPKf, (1); }",
        expect![[r#"
                _Z4axpyfPKf
                `callee` of `call`: the name of a `.func`, or a 32- or 64-bit register with the address of one.

                ```ptx
                .func _Z4axpyfPKf(.param .b32 _Z4axpyfPKf_param_0)
                ```
                Device function

                ```cpp
                axpy(float, float const*)
                ```

                1 use in this file
            "#]],
    );
    check(
        ".func _Z4axpyfPKf(.param .b64 _Z4axpyfPKf_param_1) { .reg .b64 a; ld.param.b64 a, [$0_Z4axpyfPKf_param_1]; }",
        expect![[r#"
                _Z4axpyfPKf_param_1
                `a` of `ld`: the address: a register or a variable, plus an optional integer constant. It is a multiple of the whole access (`.v4.f32`: 16 bytes). Write `.unified` after it, `[a].unified`, if the variable is declared with `.attribute(.unified)`.

                ```ptx
                .param .b64 _Z4axpyfPKf_param_1
                ```
                Parameter in `.param` space, type `.b64`, 64 bits (8 bytes) in `_Z4axpyfPKf`

                Parameter 1, counted from 0, of
                ```cpp
                axpy(float, float const*)
                ```

                1 use in this file
            "#]],
    );
}

#[test]
fn system_calls() {
    let vprintf = ".extern .func (.param .b32 s) vprintf(.param .b64 f, .param .b64 a);";
    check(
        &format!(
            ".address_size 64\n{vprintf}\n.entry k {{ .reg .b64 a; call (_), vpri$0ntf, (a, a); }}"
        ),
        expect![[r#"
                vprintf
                `callee` of `call`: the name of a `.func`, or a 32- or 64-bit register with the address of one.

                ```ptx
                .extern .func (.param .b32 s) vprintf(.param .b64 f, .param .b64 a)
                ```
                Device function, declared only

                System call

                Prints: `format` and `valist` are generic addresses of the format string and of the arguments, each at its natural alignment

                1 use in this file
            "#]],
    );
    check(
        ".address_size 64\n.entry k { .reg .b64 a; call (a), mal$0loc, (a); }",
        expect![[r#"
                malloc
                `callee` of `call`: the name of a `.func`, or a 32- or 64-bit register with the address of one.

                ```ptx
                .extern .func (.param .b64 ptr) malloc (.param .b64 size)
                ```
                System call, not declared in this file

                Allocates `size` bytes of the device heap; returns a generic address, 0 if there is not room
            "#]],
    );
    check(
        ".entry k { .reg .b64 a; call (a), _optix_get_sbt_data_ptr$0_64, (); }",
        expect![[r#"
                _optix_get_sbt_data_ptr_64
                `callee` of `call`: the name of a `.func`, or a 32- or 64-bit register with the address of one.

                ```ptx
                _optix_get_sbt_data_ptr_64
                ```
                Function of OptiX

                OptiX replaces calls of `_optix_…` and `_rt_…` when it compiles the module; they need no declaration. `ptxas` alone rejects them
            "#]],
    );
}

#[test]
fn registers() {
    check(
        ".entry k { \n// Loop counters.\n.reg .b32 %r<10>; mov.b32 %r1$0, %r1; mov.b32 %r2, 1; }",
        expect![[r#"
            %r1
            `d` of `mov`: a register; in braces several, filled from the lowest bits upwards, `_` for parts that are not wanted.

            ```ptx
            .reg .b32 %r<10>
            ```
            Register, type `.b32`, 32 bits (4 bytes) in `k`: `%r1`

            Loop counters.

            Nothing reads this value

            2 uses in this file

            Probably takes no register of a thread (a constant, a parameter, the same in all threads, or a part of what uses it), live at line 3
        "#]],
    );
    check(
        ".entry k { .reg .b32 $0%r<10>; mov.b32 %r1, %r2; }",
        expect![[r#"
                %r
                ```ptx
                .reg .b32 %r<10>
                ```
                Register, type `.b32`, 32 bits (4 bytes) in `k`: `%r0` to `%r9`

                2 uses in this file
            "#]],
    );
    check(
        ".entry k { .reg .pred p; @p$0 ret; }",
        expect![[r#"
                p
                ```ptx
                .reg .pred p
                ```
                Register, type `.pred` in `k`

                Used before it is written

                1 use in this file

                Takes a predicate, live at line 1
            "#]],
    );
}

#[test]
fn variables() {
    check(
        "// Not about g.\n\n// A table.\n/* Of things. */\n.visible .global .align 16 .v2 .f32 g$0[4][2] = {{1.0}};",
        expect![[r#"
                g
                ```ptx
                .visible .global .align 16 .v2 .f32 g[4][2]
                ```
                Variable in `.global` space, type `.v2 .f32`, 64 bits (8 bytes) × 8 elements = 64 bytes

                A table.  
                Of things.

                0 uses in this file
            "#]],
    );
    check(
        "//- /a.ptx\n.extern .shared .align 16 .b8 buffer$0[];\n",
        expect![[r#"
                buffer
                ```ptx
                .extern .shared .align 16 .b8 buffer[]
                ```
                Variable in `.shared` space, type `.b8`, 8 bits (1 byte) × an unknown number of elements, declared only

                0 uses in this file
            "#]],
    );
}

#[test]
fn functions() {
    check(
        "// .globl k\n// Adds.\n.visible .entry k$0(\n  .param .u64 p // the sum\n) .maxntid 32 { ret; }",
        expect![[r#"
                k
                ```ptx
                .visible .entry k(.param .u64 p) .maxntid 32
                ```
                Kernel

                Adds.

                0 uses in this file
            "#]],
    );
    check(
        "//- /a.ptx\n.extern .func f;\n.entry k { call f$0; }\n//- /b.ptx\n.visible .func f { }",
        expect![[r#"
                f
                `callee` of `call`: the name of a `.func`, or a 32- or 64-bit register with the address of one.

                ```ptx
                .extern .func f
                ```
                Device function, defined in another file

                1 use in this file
            "#]],
    );
    check(
        ".entry k(.param .align 8 .b8 $0p[16]) { ret; }",
        expect![[r#"
                p
                ```ptx
                .param .align 8 .b8 p[16]
                ```
                Parameter in `.param` space, type `.b8`, 8 bits (1 byte) × 16 elements = 16 bytes in `k`

                0 uses in this file
            "#]],
    );
}

#[test]
fn many_parameters_are_folded() {
    let parameters: Vec<String> = (0..27).map(|it| format!(".param .u64 p{it}")).collect();
    check(
        &format!(
            ".visible .entry k$0({}) .maxntid 32 {{ ret; }}",
            parameters.join(", ")
        ),
        expect![[r#"
                k
                ```ptx
                .visible .entry k(
                    .param .u64 p0,
                    .param .u64 p1,
                    .param .u64 p2,
                    // 23 more parameters
                    .param .u64 p26) .maxntid 32
                ```
                Kernel

                0 uses in this file
            "#]],
    );
}

#[test]
fn labels() {
    check(
        ".entry k { L: bra L$0; }",
        expect![[r#"
                L
                `target` of `bra`: a label of the same function, before or after this statement.

                ```ptx
                L:
                ```
                Label in `k`

                1 use in this file
            "#]],
    );
    check(
        ".entry k { $0p: .callprototype _ (.param .b32 _); }",
        expect![[r#"
                p
                ```ptx
                p: .callprototype _ (.param .b32 _);
                ```
                Prototype of an indirect call in `k`

                0 uses in this file
            "#]],
    );
    check(
        ".section .debug_str { $0a: .b8 1 }",
        expect![[r#"
            a
            ```ptx
            a:
            ```
            Label in a debug section

            0 uses in this file
        "#]],
    );
}

#[test]
fn predefined_names() {
    check(
        ".entry k { .reg .b32 r; mov.u32 r, %ntid$0.x; }",
        expect![[r#"
                %ntid
                `a` of `mov`: a register, a constant, a special register, a variable with an optional offset, or a function; in braces the parts, the lowest first.

                ```ptx
                .sreg .v4 .u32 %ntid
                ```
                Special register, read-only

                Shape of the CTA in threads.

                Components: `%ntid.x`, `%ntid.y`, `%ntid.z`

                1 use in this file
            "#]],
    );
    check(
        ".entry k { .reg .b32 r; mov.u32 r, %pm3$0; }",
        expect![[r#"
                %pm3
                `a` of `mov`: a register, a constant, a special register, a variable with an optional offset, or a function; in braces the parts, the lowest first.

                ```ptx
                .sreg .u32 %pm3
                ```
                Special register, read-only

                Lower 32 bits of a performance monitor counter.

                1 use in this file
            "#]],
    );
    check(
        ".entry k { .reg .b32 r; mov.u32 r, WARP_SZ$0; }",
        expect![[r#"
                WARP_SZ
                `a` of `mov`: a register, a constant, a special register, a variable with an optional offset, or a function; in braces the parts, the lowest first.

                ```ptx
                WARP_SZ
                ```
                Number of threads in a warp, a constant of the target: 32

                1 use in this file
            "#]],
    );
    check(
        ".entry k { r$0et; }",
        expect![[r#"
            ret
            ```ptx
            ret;
            ```

            Returns from a function; in a kernel it ends the thread.

            - Results are not operands: store them in the return parameters first.
            - Threads of a warp that return at different places wait for each other before the caller continues, unless `.uni` is given.
            - In an entry function it is the same as `exit`. To end the thread from a function, use `exit`.
            - A `ret` in a function declared `.noreturn` is undefined behaviour.


            See also `call`, `exit`

            [PTX ISA 9.7.13.6](https://docs.nvidia.com/cuda/parallel-thread-execution/#control-flow-instructions-ret)
        "#]],
    );
}
