//! Verdicts of ptxas 13.5 on variables, their initial values and constants, as fixtures.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use crate::{Diagnostic, fixture::Fixture};

fn diagnostics(text: &str) -> Vec<Diagnostic> {
    Fixture::new(text).diagnostics()
}

/// Lists severity, code, place, message and fixes of each diagnostic of some lines of a module, each of
/// which is judged in a module of its own.
#[track_caller]
fn check_with(header: &str, lines: &str, expect: Expect) {
    let mut out = String::new();
    for line in lines.lines().map(str::trim).filter(|it| !it.is_empty()) {
        let text = format!("{header}\n{line}\n");
        for it in diagnostics(&text) {
            let _ = write!(
                out,
                "{:?} {} {:?}: {}",
                it.severity, it.code, &text[it.range], it.message
            );
            let _ = it.help.map(|help| write!(out, " | {help}"));
            for fix in it.fixes {
                let mut fixed = text.clone();
                for edit in fix.edits.iter().rev() {
                    fixed.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.insert);
                }
                let _ = write!(
                    out,
                    "\n    {} -> {}",
                    fix.title,
                    fixed[header.len()..].trim()
                );
            }
            out.push('\n');
        }
    }
    expect.assert_eq(&out);
}

#[track_caller]
fn check(lines: &str, expect: Expect) {
    check_with(".version 8.5 .target sm_90 .address_size 64", lines, expect);
}

#[test]
fn what_ptxas_accepts() {
    check(
        "
        .b32;
        .visible .v2 .f32;
        .align 4 .pred;
        .global .b32 p0; .global .b32 p<4>;
        .entry k { .b64; .reg .b32 p0, p3; .reg .b16 p<8>; mov.b16 p5, p6; ret; }
        .global .b32 g[4]; .entry k { .reg .b32 r; .reg .b64 l; ld.global.b32 r, g[l+1]; mov.b64 l, g[1]; ld.global.b32 r, g[g]; ret; }
        .visible .align 8 .global .align 16 .v4 .f32 x[2] = {{1.0, 2.0, 3.0, 4.0}};
        .global .attribute(.managed) .u32 x, y = 2;
        .global .align 2147483648 .u8 x;
        .global .b32 r< 4 >, s;
        .global .e4m3 x[4];
        .global .e2m1x4 x;
        .global .samplerref x[4];
        .extern .shared .b8 x[]; .extern .shared .b8 y[];
        .global .u32 x[0] = {1};
        .global .u32 x[2][2] = {{1}, {}};
        .global .u32 x[][2] = {{1, 2}, {3, 4}};
        .global .b8 x = 1.5; .global .u8 y = 300; .global .f32 z = 0d3ff0000000000000;
        .global .u32 g; .global .u64 x[4] = {g, g+4<<1, generic(g)+-4, x};
        .func f; .entry e { ret; } .global .u64 x[2] = {f, e};
        .global .u32 g; .global .u8 x[3] = {0xff(g), 0xff00(generic(g)+4), 0xff(12)};
        .global .texref x = {width = 1, width = 1.5, filter_mode = nearest, addr_mode_0 = 0};
        .common .global .u32 x = 1;
        .global .f16x2 x = {1, 2, 3};
        .entry e { .param .align 16 .b8 q[2][2], s; .const .u32 x[2] = {1, 2}; .reg .b32; ret; }
        .global .u32 x = WARP_SZ * (7 % 4) + (1 ? 2 : 3);
        ",
        expect![[r#"
            Warning undefined-name ".b32;": this declaration has no name
            Warning undefined-name ".visible .v2 .f32;": this declaration has no name
            Warning undefined-name ".align 4 .pred;": this declaration has no name
            Error missing-definition "f": `f` is declared and never defined | declare it `.extern` if another module defines it
        "#]],
    );
}

#[test]
fn words() {
    check(
        "
        .global .bf16 x;
        .global .e4m3x2 x;
        .globl .u32 x;
        .weak .global .u23 x;
        .global .f32 .v4 x;
        .global .v4 .align 16 .f32 x;
        .global .visible .u32 x;
        .visible .weak .global .u32 x;
        .global .u32 .u64 x;
        .global .shared .u32 x;
        .global x;
        .global .ptr .u32 x;
        .entry e { .reg .tf32 %r<4>; ret; }
        ",
        expect![[r#"
            Error invalid-declaration ".bf16": no variable has the type `.bf16`: only instructions know it | such values are kept in `.b16`
                Replace `.bf16` by `.b16` -> .global .b16 x;
            Error invalid-declaration ".e4m3x2": only instructions know the type `.e4m3x2` | such values are kept in `.b16`
                Replace `.e4m3x2` by `.b16` -> .global .b16 x;
            Error syntax-error ".globl": expected a directive, a variable or a function, found `.globl`
            Error invalid-declaration ".u23": `.u23` is not valid in a declaration
            Error invalid-declaration ".v4": `.v4` must precede `.f32` | the order is: linking directive; state space, `.align` and `.attribute`; vector size; type
                Move `.v4` before `.f32` -> .global .v4 .f32  x;
            Error invalid-declaration ".align 16": `.align` must precede `.v4` | the order is: linking directive; state space, `.align` and `.attribute`; vector size; type
                Move `.align` before `.v4` -> .global .align 16 .v4  .f32 x;
            Error invalid-declaration ".visible": `.visible` must precede `.global` | the order is: linking directive; state space, `.align` and `.attribute`; vector size; type
                Move `.visible` before `.global` -> .visible .global  .u32 x;
            Error invalid-declaration ".weak": a variable has one linking directive: `.visible` and `.weak` exclude each other
                Remove `.weak` -> .visible  .global .u32 x;
            Error invalid-declaration ".u64": a variable has one type: `.u32` and `.u64` exclude each other
                Remove `.u64` -> .global .u32  x;
            Error invalid-declaration ".shared": `.shared` is a second state space beside `.global`
                Remove `.shared` -> .global  .u32 x;
            Error invalid-declaration "x": `x` has no type | expected a type such as `.b32` before the name
            Error invalid-declaration ".ptr": `.ptr` is for parameters of entries only
            Error invalid-declaration ".tf32": no variable has the type `.tf32`: only instructions know it | such values are kept in `.b32`
                Replace `.tf32` by `.b32` -> .entry e { .reg .b32 %r<4>; ret; }
        "#]],
    );
}

#[test]
fn types_and_spaces() {
    check(
        "
        .global .v4 .b64 x;
        .global .v2 .texref x;
        .entry e { .reg .v2 .pred p; ret; }
        .entry e { .reg .pred p[2]; ret; }
        .entry e { .shared .pred p; ret; }
        .entry e { .reg .b32 q[2]; ret; }
        .entry e { .param .f16x2 q; ret; }
        .entry e { .global .texref q; ret; }
        .const .texref x;
        .const .texref x[2];
        .global .samplerref x;
        .reg .u32 x;
        .param .u32 x;
        .tex .u32 x;
        .const[2] .u32 x;
        .common .const .u32 x;
        .common .global .texref x;
        ",
        expect![[r#"
            Error invalid-declaration ".v4": `.v4` of `.b64` has 256 bits; a vector has at most 128
            Error invalid-declaration ".v2": there are no vectors of `.texref`
            Error invalid-declaration ".v2": there are no vectors of predicates
            Error invalid-declaration ".pred": there are no arrays of predicates
            Error invalid-declaration ".pred": predicates are registers; `p` is in `.shared`
                Replace `.shared` by `.reg` -> .entry e { .reg .pred p; ret; }
            Error invalid-declaration "[2]": `q` is a register, and there are no arrays of registers | `<…>` declares several registers
                Declare 2 registers -> .entry e { .reg .b32 q<2>; ret; }
            Error invalid-declaration ".param": a `.param` variable is not a vector and no packed type, except in arrays; `q` is one
            Error invalid-declaration ".texref": a `.texref` is declared outside bodies or as a parameter of an entry
            Error invalid-declaration ".texref": a `.texref` is `.global`; `x` is in `.const`
            Error invalid-declaration ".samplerref": a `.samplerref` needs `.target texmode_independent` | otherwise textures have their samplers with them
            Error unsupported-by-version ".reg": a `.reg` variable outside functions was removed in PTX ISA 3.0; this module is 8.5
            Error invalid-declaration ".param": `x` is a parameter, and there are none outside functions
            Error unsupported-by-version ".tex": `.tex` was removed in PTX ISA 1.5; this module is 8.5
            Error unsupported-by-version "[2]": a constant bank was removed in PTX ISA 2.2; this module is 8.5
            Error invalid-declaration ".common": `.common` variables are `.global`; `x` is `.const`
            Error invalid-declaration ".common": a `.texref` cannot be `.common`
        "#]],
    );
}

#[test]
fn sizes_and_numbers() {
    check(
        "
        .global .align 12 .u32 x;
        .global .align 0 .u32 x;
        .global .align 4.0 .u32 x;
        .entry e { .param .align 256 .b8 q[4]; ret; }
        .global .u32 x[];
        .shared .b8 x[0];
        .global .u32 x[4][];
        .global .u32 x[1.5];
        .entry e { .local .b32 r<4>[2]; ret; }
        .global .u32 r<4> = 1;
        ",
        expect![[r#"
            Error invalid-declaration "12": an alignment must be a power of two, which 12 is not
                Replace 12 by 16 -> .global .align 16 .u32 x;
            Error invalid-declaration "0": an alignment must be a power of two, which 0 is not
                Replace 0 by 1 -> .global .align 1 .u32 x;
            Error invalid-declaration "4.0": this number must be an integer
            Error invalid-declaration "256": an alignment of 256 bytes is too large: at most 128 are possible here
                Replace 256 by 128 -> .entry e { .param .align 128 .b8 q[4]; ret; }
            Error invalid-declaration "[]": `x` has no size | write the number of elements, or initial values, or make it `.extern`
                Make it `.extern` -> .extern .global .u32 x[];
            Error invalid-declaration "[0]": `x` has no size | write the number of elements, or initial values, or make it `.extern`
                Make it `.extern` -> .extern .shared .b8 x[0];
            Error invalid-declaration "[]": only the first dimension of `x` may be left open
            Error invalid-declaration "1.5": this number must be an integer
            Error invalid-declaration "[2]": a parameterised name cannot have an array | declare each variable by itself, or an array without `<…>`
            Error invalid-declaration "=": a parameterised name cannot have an initial value | declare each variable by itself, or an array without `<…>`
        "#]],
    );
}

#[test]
fn attributes() {
    check(
        "
        .const .attribute(.managed) .u32 x;
        .global .attribute(.manged) .u32 x;
        .global .attribute(.managed(1)) .u32 x;
        .global .attribute(.unified(1)) .u32 x;
        .global .attribute(.unified(1, 2)) .u32 x;
        ",
        expect![[r#"
            Error invalid-declaration ".managed": `.managed` is for `.global` variables; `x` is in `.const`
            Error invalid-declaration ".manged": there is no attribute `.manged` | did you mean `.managed`?
            Error invalid-declaration "(1)": `.managed` takes no numbers
            Error invalid-declaration "(1)": `.unified` takes 2 numbers in parentheses
            Error compile-only ".unified": ptxas takes `.unified` with `--compile-only` only | such modules are linked before they run
        "#]],
    );
}

#[test]
fn initial_values() {
    check(
        "
        .shared .u32 x = 1;
        .extern .global .u32 x = 1;
        .global .f32 x = 1;
        .global .u32 x = 1.0;
        .global .f16 x = 1.0;
        .global .u32 x = {1};
        .global .u32 x[2] = 1;
        .global .u32 x[2] = {1, 2, 3, 4};
        .global .u32 x[2][2] = {1, 2};
        .global .v2 .u32 x = {1};
        .global .u32 x[] = {};
        ",
        expect![[r#"
            Error invalid-initializer "=": `x` is in `.shared`: only `.global` and `.const` variables have initial values
                Remove the initial value -> .shared .u32 x ;
            Error invalid-initializer "=": `x` is `.extern`: its initial value belongs to its definition
                Remove the initial value -> .extern .global .u32 x ;
            Error invalid-initializer "1": this is an integer; the initial value of a `.f32` is a floating-point number
                Append `.0` -> .global .f32 x = 1.0;
            Error invalid-initializer "1.0": this is a floating-point number; the initial value of a `.u32` is an integer
            Error invalid-initializer "1.0": variables of type `.f16` have no initial value
            Error invalid-initializer "{1}": a single value has no braces
            Error invalid-initializer "1": the values of an array of 2 elements must be in braces of their own
            Error invalid-initializer "3, 4": 4 values for 2 elements
                Remove the surplus values -> .global .u32 x[2] = {1, 2};
            Error invalid-initializer "1": the values of an array of 2 elements must be in braces of their own
            Error invalid-initializer "{1}": a vector of 2 elements needs 2 values, not 1
            Error invalid-initializer "{}": `x` has no size, and no values that would give it one
        "#]],
    );
}

#[test]
fn addresses() {
    check(
        "
        .global .u32 g; .global .b64 x = g;
        .global .u32 g; .global .u8 x = g;
        .global .u32 g; .global .u64 x = g-4;
        .global .u32 g; .global .u64 x = generic(g+4);
        .shared .u32 s; .global .u64 x = s;
        .func f; .global .u64 x = f+4;
        .func f; .global .u64 x = generic(f);
        .global .u32 g; .global .u8 x = 0xf(g);
        .global .u32 g; .global .b8 x = 0xff(g);
        .entry e { .reg .u64 r; .global .u64 x = r; ret; }
        ",
        expect![[r#"
            Error invalid-initializer "g": this is an address; only `.u32` and `.u64` hold addresses, not `.b64`
                Replace `.b64` by `.u64` -> .global .u32 g; .global .u64 x = g;
            Error invalid-initializer "g": this is an address; only `.u32` and `.u64` hold addresses, not `.u8` | invalid mask: must select exactly one byte, as in `0xff(name)`
            Error invalid-initializer "g-4": invalid initial value | initial values are constants and addresses: `name`, `name+4`, `name+-4`, `generic(name)+4`
            Error invalid-initializer "g+4": invalid initial value | initial values are constants and addresses: `name`, `name+4`, `name+-4`, `generic(name)+4`
            Error invalid-initializer "s": the address of `s` is not fixed: only `.global` and `.const` variables can be named here
            Error missing-definition "f": `f` is declared and never defined | declare it `.extern` if another module defines it
            Error invalid-initializer "f": `f` is a function: nothing can be added to its address
            Error missing-definition "f": `f` is declared and never defined | declare it `.extern` if another module defines it
            Error invalid-initializer "f": `generic` takes a variable; `f` is a function
            Error invalid-initializer "0xf": invalid mask: must select exactly one byte | masks are `0xff`, `0xff00`, `0xff0000` and so on
            Error invalid-initializer "0xff": a byte of an address is a `.u8`, `.u32` or `.u64`, not a `.b8`
            Error invalid-initializer "r": `r` is a .u64 register, which has no address
        "#]],
    );
}

#[test]
fn fields() {
    check(
        "
        .global .texref x = 1;
        .global .texref x = {1};
        .global .texref x = {memory_layout = 1};
        .global .surfref x = {widht = 1};
        .global .texref x = {filter_mode = nearst};
        ",
        expect![[r#"
            Error invalid-initializer "1": the initial value of a `.texref` is a list such as `{ width = 4 }`
            Error invalid-initializer "1": the values of a `.texref` need the names of their fields, as in `width = 4`
            Error invalid-initializer "memory_layout": a `.texref` has no field `memory_layout` | its fields are width, height, depth, channel_data_type, channel_order, normalized_coords, filter_mode, addr_mode_0, addr_mode_1, addr_mode_2, array_size, num_mipmap_levels, num_samples
            Error invalid-initializer "widht": a `.surfref` has no field `widht` | did you mean `width`?
                Replace `widht` by `width` -> .global .surfref x = {width = 1};
            Error invalid-initializer "nearst": the value of a field is a constant or one of its words | the words are nearest, linear, wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border
                Replace `nearst` by `nearest` -> .global .texref x = {filter_mode = nearest};
        "#]],
    );
    check_with(
        ".version 8.5 .target sm_90, texmode_independent",
        ".global .samplerref s = {filter_mode = linear}; .global .texref t = {filter_mode = linear};",
        expect![[r#"
            Information invalid-initializer "filter_mode": `filter_mode` is that of the sampler: ptxas ignores it in a `.texref` with texmode_independent
        "#]],
    );
}

#[test]
fn demands() {
    check_with(
        ".version 2.0 .target sm_10",
        "
        .global .u32 g; .global .u32 x = g;
        .reg .u32 x;
        .global .f16x2 x;
        .global .b128 x;
        .global .b128 x[2];
        .extern .const[2] .u32 x[];
        .const[2] .u32 x;
        .extern .const[11] .u32 x[];
        .extern .const .u32 x[];
        ",
        expect![[r#"
            Error unsupported-by-version "g": an address as initial value needs PTX ISA 2.1; this module is 2.0
                Raise `.version` to 2.1 -> .global .u32 g; .global .u32 x = g;
            Warning invalid-declaration ".reg": `x` outside functions turns off the ABI
            Error unsupported-by-target ".f16x2": a variable of type `.f16x2` needs target `sm_53` or later; this module is for `sm_10`
                Change `.target` to `sm_53` and raise `.version` to 4.2 -> .global .f16x2 x;
            Error unsupported-by-target ".b128": a variable of type `.b128` needs target `sm_70` or later; this module is for `sm_10`
                Change `.target` to `sm_70` and raise `.version` to 8.3 -> .global .b128 x;
            Error invalid-declaration "[2]": bank 2 is for `.extern` arrays of unknown size only
            Error invalid-declaration "[11]": there is no constant bank 11: the last one is 10
            Error invalid-declaration ".const": bank 0 holds no `.extern` array of unknown size
        "#]],
    );
    check_with(
        ".version 1.4 .target sm_10",
        "
        .tex .u32 x;
        .tex .b32 x;
        .global .texref x;
        .entry e { .param .b32 q; ret; }
        .extern .const[2] .u32 x[];
        ",
        expect![[r#"
            Error invalid-declaration ".tex": `x` must be a single `.u32` or `.u64`, as all of `.tex`
            Error unsupported-by-version ".texref": a variable of type `.texref` needs PTX ISA 1.5; this module is 1.4
                Raise `.version` to 1.5 -> .global .texref x;
            Error unsupported-by-version ".param": a `.param` variable in a body needs PTX ISA 2.0; this module is 1.4
                Raise `.version` to 2.0 -> .entry e { .param .b32 q; ret; }
            Error unsupported-by-version "[2]": a constant bank needs PTX ISA 1.5; this module is 1.4
                Raise `.version` to 1.5 -> .extern .const[2] .u32 x[];
        "#]],
    );
}

#[test]
fn constants() {
    check(
        "
        .global .u32 x = 1 || 1/(2 - 2);
        .global .f32 x = 1.0 + 2;
        .global .u32 x = !1.0;
        .global .u64 x = (.s32)1;
        .global .f32 x = -0f3f800000;
        .global .f64 x = 1e-308;
        .global .f64 x = 1e400;
        .global .align 99999999999999999999 .u64 x;
        .entry e { .reg .b32 r; mov.b32 r, 7 % 0; ret; }
        .entry e { .reg .b32 r; .reg .b64 a; ld.global.b32 r, [a+1.5]; ret; }
        ",
        expect![[r#"
            Error invalid-constant "(2 - 2)": division by zero: `(2 - 2)` is 0 | ptxas divides in branches that are not taken, too
            Error invalid-constant "1.0 + 2": `1.0 + 2` joins an integer and a floating-point number | both sides of an operator must be of one kind
            Error invalid-constant "1.0": `1.0` must be an integer here
            Error invalid-constant ".s32": constants cannot be cast to `.s32` | the casts of constants are `.s64` and `.u64`
                Replace `.s32` by `.s64` -> .global .u64 x = (.s64)1;
            Error invalid-constant "0f3f800000": `0f3f800000` cannot be combined with an operator | use decimal or `0d` constants in expressions
            Error invalid-constant "1e-308": `1e-308` is too small for a normal 64-bit float
            Error invalid-constant "1e400": `1e400` is too large for a 64-bit float
            Error invalid-constant "99999999999999999999": `99999999999999999999` does not fit into 64 bits
            Error invalid-constant "0": division by zero: `0` is 0 | ptxas divides in branches that are not taken, too
            Error invalid-constant "1.5": `1.5` must be an integer here
        "#]],
    );
}

#[test]
fn redeclarations() {
    check(
        "
        .extern .global .u32 x; .extern .const .align 8 .u32 x; .visible .global .u32 x;
        .extern .global .u32 x[]; .visible .global .u32 x[4]; .extern .global .u32 x[];
        .extern .global .u32 x; .extern .global .s32 x;
        .extern .global .u32 x[4]; .visible .global .u32 x[] = {1, 2};
        .extern .global .u32 x[]; .extern .global .u32 x[4]; .extern .global .u32 x[5];
        .extern .global .u32 x[2]; .extern .global .v2 .u32 x;
        .extern .global .u32 x<4>; .extern .global .s32 x<4>;
        ",
        expect![[r#"
            Error conflicting-declaration "x": `x` is `.s32` here, but `.u32` on line 2
            Error conflicting-declaration "x": `x` is `.u32 [2]` here, but `.u32 [4]` on line 2
            Error conflicting-declaration "x": `x` is `.u32 [5]` here, but `.u32 [4]` on line 2
            Error conflicting-declaration "x": `x` is `.v2 .u32` here, but `.u32 [2]` on line 2
            Error conflicting-declaration "x": `x` is `.s32` here, but `.u32` on line 2
        "#]],
    );
}

#[test]
fn state_spaces_are_required() {
    check(
        "
        .extern .b32 q;
        .align 8 .v2 .b32 q;
        .func f { .align 8 .b32 q; ret; }
        .func f { .reg .b64 a; .shared .b32 s; mov.u64 a, generic(s); ret; }
        .func f { .reg .b32 a; .shared .b32 s; mov.b32 a, 0xff(s); ret; }
        ",
        expect![[r#"
            Error invalid-declaration ".b32": expected a state space such as `.global` before the type `.b32`
                Insert `.global` -> .extern .global .b32 q;
            Error invalid-declaration ".v2": expected a state space such as `.global` before the type `.v2`
                Insert `.global` -> .align 8 .global .v2 .b32 q;
            Error invalid-declaration ".b32": expected a state space such as `.reg` before the type `.b32`
                Insert `.reg` -> .func f { .align 8 .reg .b32 q; ret; }
            Error syntax-error "(": `generic(…)` and masks such as `0xff(…)` are allowed in initial values of variables only
            Error syntax-error "(": `generic(…)` and masks such as `0xff(…)` are allowed in initial values of variables only
        "#]],
    );
}

#[test]
fn names_and_numbers() {
    check(
        "
        .reg .b32 WARP_SZ;
        .entry k { WARP_SZ: ret; }
        .global .align 4.b8 x[4];
        .entry k { .reg .b32 r<4294967296>; .reg .b16 h<4294967295>; ret; }
        .global .b32 p<8>; .global .b32 p0;
        .global .b32 p1; .global .b32 p<8>;
        .entry k { .reg .b32 p<8>; .reg .b32 p0; ret; }
        .entry k(.param .b8 a[1.0], .param .align 0f3F800000 .b8 b[4], .param .u64 .ptr .align 2.0 c) { ret; }
        .global .texref t = {width = };
        ",
        expect![[r#"
            Error syntax-error "WARP_SZ": `WARP_SZ` is a constant, not a name
            Error syntax-error "WARP_SZ": `WARP_SZ` is a constant, not a name
            Error malformed-number "4.b8": malformed number `4.b8`: the `.` is part of the number; put a space before it
            Error invalid-declaration "<4294967296>": a parameterised name makes at most 4294967295 names
            Error duplicate-definition "p0": `p0` is already defined on line 2
            Error duplicate-definition "p": `p1` is already defined on line 2
            Error duplicate-definition "p0": `p0` takes a name of `p<8>`, declared in the same block on line 2
            Error invalid-parameter "1.0": this number must be an integer
            Error invalid-parameter "0f3F800000": this number must be an integer
            Error invalid-parameter "2.0": this number must be an integer
            Error syntax-error "}": expected an operand, found `}`
        "#]],
    );
}

#[test]
fn elements() {
    check(
        "
        .global .b32 g; .entry k { .reg .b32 r; ld.global.b32 r, g[0]; ret; }
        .func (.param .b32 o) f { .reg .b32 r; st.param.b32 o[r], r; ret; }
        .shared .v2 .b32 v; .entry k { .reg .b64 l; mov.b64 l, v[1]; ret; }
        .global .b32 g[4]; .entry k { .reg .b32 r; .reg .f32 f; ld.global.b32 r, g[f]; ret; }
        .global .b32 g[4]; .entry k { .reg .b32 r; .reg .b128 q; ld.global.b32 r, g[q+1]; ret; }
        ",
        expect![[r#"
            Error invalid-operand "g[0]": `g` is not an array, so it has no elements | its address plus a constant is written `[g+4]`
            Error invalid-operand "o[r]": `o` is not an array, so it has no elements | its address plus a constant is written `[o+4]`
            Error invalid-operand "v[1]": `v` is not an array, so it has no elements | its address plus a constant is written `[v+4]`
            Error invalid-operand "g[f]": this expression is not valid here in `ld.global.b32` | expected an address in brackets `[…]`
            Error invalid-operand "g[q+1]": this expression is not valid here in `ld.global.b32` | expected an address in brackets `[…]`
        "#]],
    );
}
