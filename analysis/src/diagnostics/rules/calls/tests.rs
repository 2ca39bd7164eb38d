//! Verdicts of ptxas 13.5 on calls and the parameters of functions, as fixtures.

use crate::fixture::check_diagnostics as check;

/// Statements of an entry in a module with functions of all kinds.
#[track_caller]
fn check_calls(statements: &str) {
    check(&format!(
        ".func none {{ ret; }} .func one(.param .b32 a) {{ ret; }} .func (.param .f32 r) both(.param .u32 a, .param .f64 b) {{ ret; }} .func array(.param .align 8 .b8 a[8]) {{ ret; }} .func open(.param .b32 a, .param .b8 b[]) {{ ret; }} .func vector(.reg .v2 .b32 a) {{ ret; }} .entry other {{ ret; }} .global .b32 g;\n.entry k(.param .b32 p) {{ .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .u32 %u<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .f64 %d<4>; .reg .v2 .b32 %v; .param .b32 q; .param .align 8 .b32 q2[2]; .param .b8 q8[8]; .shared .b32 s;\n{statements}\n}}\n"
    ));
}

#[test]
fn calls_that_fit() {
    check_calls(
        "call none; call none, (); call (), none, (); @%p1 call.uni none;
call one, (%r1); call one, (%u1); call one, (%f1); call one, (4); call one, (1.5); call one, (q);
call (%f1), both, (%r1, %d1); call (_), both, (7, 0d3FF0000000000000); call (%r1), both, (%u1, %rd1);
call array, (q2);
call open, (%r1); call open, (%r1, q8);
call vector, (%v); call vector, (%rd1);
prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
call (%r1), %rd1, (%r2), prototype; { call (_), %r1, (7), prototype; }
targets: .calltargets one, other;
call %rd1, (%r2), targets;",
    );
}

#[test]
fn numbers_of_arguments() {
    check_calls(
        "call one;
//   ^^^ wrong-argument-count: `one` takes 1 argument, not 0 | declared here on line 4
call one, (%r1, %r2);
//        ^^^^^^^^^^ wrong-argument-count: `one` takes 1 argument, not 2 | declared here on line 4
call (%r1), one, (%r2);
//   ^^^^^ wrong-argument-count: `one` returns 0 results, not 1 | declared here on line 4
call both, (%r1, %d1);
//   ^^^^ wrong-argument-count: `both` returns 1 result, not 0 | declared here on line 4
call open, ();
//         ^^ wrong-argument-count: `open` takes 2 arguments, not 0 | declared here on line 4
call open;
//   ^^^^ wrong-argument-count: `open` takes 2 arguments, not 0 | declared here on line 4",
    );
}

#[test]
fn arguments() {
    check_calls(
        "call one, (%rd1);
//         ^^^^ invalid-argument: `%rd1` is `.b64`, but parameter `a` of `one` is `.b32` | declared here on line 4
call one, (%h1);
//         ^^^ invalid-argument: `%h1` is `.b16`, but parameter `a` of `one` is `.b32` | declared here on line 4
call (%u1), both, (%f1, 7);
//    ^^^ invalid-argument: `%u1` is `.u32`, but result `r` of `both` is `.f32` | declared here on line 4
//                 ^^^ invalid-argument: `%f1` is `.f32`, but parameter `a` of `both` is `.u32` | declared here on line 4
//                      ^ invalid-argument: `7` is an integer, but parameter `b` of `both` is `.f64` | declared here on line 4
call one, (_);
//         ^ invalid-argument: `_` discards a result; an argument needs a value | declared here on line 4
call one, (p);
//         ^ invalid-argument: `p` is a parameter of this function and cannot be an argument | copy it into a register or into a `.param` variable of the body | declared here on line 4
call one, (s);
//         ^ invalid-argument: the name of a variable cannot be an argument | move it into a register first | declared here on line 4
call one, (none);
//         ^^^^ invalid-argument: the name of a function cannot be an argument | move it into a register first | declared here on line 4
call one, (%laneid);
//         ^^^^^^^ invalid-argument: a special register of type .u32 cannot be an argument | move it into a register first | declared here on line 4
call one, (%r1+1);
//         ^^^^^ invalid-argument: `%r1+1` cannot be an argument | only a name or a constant is allowed; compute other values before | declared here on line 4
call one, ({%r1});
//         ^^^^^ invalid-argument: `{%r1}` cannot be an argument | only a name or a constant is allowed; compute other values before | declared here on line 4
call array, (%rd1);
//           ^^^^ invalid-argument: `%rd1` is a register, but parameter `a` of `array` is the array `.align 8 .b8[8]` | pass a `.param` variable of the same size and alignment | declared here on line 4
call array, (q8);
//           ^^ invalid-argument: `q8` is aligned to 1 byte, but parameter `a` of `array` to 8 | declare it with `.align 8` | declared here on line 4
call array, (q);
//           ^ invalid-argument: `q` is `.b32`, but parameter `a` of `array` is `.align 8 .b8[8]` | declared here on line 4
call open, (1, q2);
//             ^^ invalid-argument: `q2` is aligned to 8 bytes, but parameter `b` of `open` to 1 | declared here on line 4",
    );
}

#[test]
fn targets() {
    check_calls(
        "call other;
//   ^^^^^ invalid-call-target: `other` is an entry: only a `.func` can be called
call g;
//   ^ invalid-call-target: a call names a function or a register that holds its address; this is the name of a variable
call %rd1, (%r1);
//   ^^^^ invalid-call-target: the call through register `%rd1` does not say what it calls | name a `.callprototype` or `.calltargets` at the end
call %h1, targets;
//   ^^^ invalid-call-target: the address of a function is in an integer register of 32 or 64 bits; this is a .b16 register
//        ^^^^^^^ undefined-name: `targets` is declared later, on line 12; PTX requires a declaration before the first use | declared here on line 12
call one, (%r1), targets;
//               ^^^^^^^ undefined-name: `targets` is declared later, on line 12; PTX requires a declaration before the first use | declared here on line 12
call %rd1, none;
//         ^^^^ invalid-call-target: the last operand of a call through a register is the label of a `.callprototype` or `.calltargets`; this is the name of a function
targets: .calltargets g, none;
//                    ^ invalid-call-target: `.calltargets` lists functions; this is the name of a variable
.callprototype _;
//^^^^^^^^^^^^^^ invalid-call-target: `.callprototype` needs a label directly before it | as in `targets: .callprototype …`
L: branches: .branchtargets L, none, branches;
//                             ^^^^ invalid-call-target: `.branchtargets` lists labels; this is the name of a function
bad: .callprototype (.param .b32 _) _ .noreturn;
//                                    ^^^^^^^^^ invalid-parameter: `bad` returns a value, so it cannot be `.noreturn`
call %tid.x;
//   ^^^^^^ invalid-call-target: a call names a function or a register that holds its address; this is a special register of type .u32",
    );
}

#[test]
fn one_error_for_an_unknown_function() {
    check_calls(
        "call nothing, (%r1, %r2);
//   ^^^^^^^ undefined-function: function `nothing` is not declared: a call needs a `.func` declaration before it
call later, (%r1, %r2);
//   ^^^^^ undefined-name: `later` is declared later, on line 9; PTX requires a declaration before the first use | declared here on line 9
call %rd1, (%r1), nowhere;
//                ^^^^^^^ undefined-name: `nowhere` is not declared
.func later;
//    ^^^^^ missing-definition: `later` is declared and never defined | declare it `.extern` if another module defines it",
    );
}

#[test]
fn parameters_are_read_and_results_written() {
    check(
        ".func (.param .b32 r) f(.param .b32 a) {
.reg .b32 x; .reg .b64 y; .reg .pred p; .param .b32 q;
ld.param.b32 x, [a]; st.param.b32 [r], x; @p st.param.b32 [r], x; mov.u64 y, r; mov.u64 y, a;
st.param.b32 [q], x; ld.param.b32 x, [q+0];
//                                    ^ warning missing-call: `q` is read, but no call before returns it | ptxas rejects it only with `--compile-only`, as no entry uses `f`
st.param.b32 [a+4], x;
//           ^^^^^ invalid-parameter-access: `a+4` is a parameter that the function receives: it cannot be written
ld.param.b32 x, [r];
//              ^^^ invalid-parameter-access: `r` is a result of the function: it cannot be read | keep the value in a register
mov.u64 y, q;
//         ^ invalid-parameter-access: `q` is a parameter of a call and has no address | use a `.local` variable for memory with an address
@p st.param.b32 [q], x;
//^^ invalid-parameter-access: `st.param` cannot have a guard: `q` is a parameter of a call | branch around the call, or select the value with `selp`
@!p ld.param.b32 x, [q];
//^^^ invalid-parameter-access: `ld.param` cannot have a guard: `q` is a parameter of a call | branch around the call, or select the value with `selp`
}
",
    );
}

#[test]
fn parameters() {
    check(
        ".func fine(.reg .v2 .b32 v, .reg .pred p, .align 8 .param .align 4 .b8 a[], .param .b32 b) { ret; }
//                                                                      ^^ invalid-parameter: only the last parameter may be an array of any size
.func types(.param .v2 .b32 v, .param .pred p, .param .f16x2 h, .param .texref t, .reg .b32 a[4]) { ret; }
//                 ^^^ invalid-parameter: `v` is a vector: it can be passed in `.reg` only
//                                    ^^^^^ invalid-parameter: a parameter of type `.pred` must be a register | declare it in `.reg`
//                                                    ^^^^^^ invalid-parameter: a parameter of type `.f16x2` must be a register | declare it in `.reg`
//                                                                     ^^^^^^^ invalid-parameter: only an entry has parameters of type `.texref`
//                                                                                           ^^^ invalid-parameter: registers have no arrays: an array parameter is in `.param`
.func prototype(.param .v2 .b32 v, .param .pred p, .reg .b32 a[4], .param .align 256 .b32 b);
//    ^^^^^^^^^ missing-definition: `prototype` is declared and never defined | declare it `.extern` if another module defines it
.func alignments(.param .align 3 .b32 a, .param .align 256 .b32 b, .reg .align 256 .b32 c) { ret; }
//                             ^ invalid-parameter: an alignment is a power of two, not 3
//                                                     ^^^ invalid-parameter: a parameter of a function is aligned to at most 128 bytes, not 256
.func spaces(.b32 a, .global .b32 b, .reg .param .b32 c, .param .u64 .ptr d, .param .b32 .align 4 e) { ret; }
//                ^ invalid-parameter: `a` has no state space: a parameter of a function is in `.param` or `.reg`
//                   ^^^^^^^ invalid-parameter: a parameter of a function is in `.param` or `.reg`, not in `.global`
//                                        ^^^^^^ invalid-parameter: `c` has two state spaces
//                                                                   ^^^^ invalid-parameter: only parameters of entries have `.ptr`
//                                                                                       ^^^^^^^^ invalid-parameter: `.align` must precede the type: after it, it describes what the parameter of an entry points to
.func words(.param a, .param .bf16 b, .param .b32 .v2 c, .param .v2 .texref e, .reg .v4 .b64 f);
//    ^^^^^ missing-definition: `words` is declared and never defined | declare it `.extern` if another module defines it
//                 ^ invalid-parameter: `a` has no type
//                           ^^^^^ invalid-parameter: `.bf16` is not a word of parameters | did you mean `.b16`?
//                                                ^^^ invalid-parameter: `.v2` cannot appear after the type | the order is state space, alignment, vector, type
//                                                              ^^^ invalid-parameter: `.texref` has no vectors
//                                                                                  ^^^ invalid-parameter: a vector has at most 128 bits; `.v4 .b64` has 256
.func names(.param .b32 _);
//    ^^^^^ missing-definition: `names` is declared and never defined | declare it `.extern` if another module defines it
//                      ^ invalid-parameter: a parameter of a function needs a name
.func (.param .b32 a, .param .b32 b) results;
//                    ^^^^^^^^^^^^^ invalid-parameter: `results` has several results: all of them must be in `.reg` | return one `.param` array with all of them
//                                   ^^^^^^^ missing-definition: `results` is declared and never defined | declare it `.extern` if another module defines it
.func (.reg .b32 a, .reg .b32 b) registers;
//                               ^^^^^^^^^ missing-definition: `registers` is declared and never defined | declare it `.extern` if another module defines it
//                               ^^^^^^^^^ warning invalid-parameter: `registers` has several results: ptxas gives up the calling convention for it
.func (.param .b32 a) gone .noreturn;
//                    ^^^^ missing-definition: `gone` is declared and never defined | declare it `.extern` if another module defines it
//                         ^^^^^^^^^ invalid-parameter: `gone` returns a value, so it cannot be `.noreturn`
.entry pointers(.param .u64 .ptr .global .align 16 a, .param .u64 .ptr .align 4 .global b, .param .u64 .ptr .param c, .param .align 512 .b8 d[4]) { ret; }
//                                                                              ^^^^^^^ invalid-parameter: `.global` cannot appear here after `.ptr` | `.ptr` is followed by at most one of `.const`, `.global`, `.local` and `.shared`, and then by `.align`
//                                                                                                          ^^^^^^ invalid-parameter: `.param` cannot appear here after `.ptr` | `.ptr` is followed by at most one of `.const`, `.global`, `.local` and `.shared`, and then by `.align`
.entry spaces2(.reg .b32 a, .u64 b) { ret; }
//             ^^^^ invalid-parameter: a parameter of an entry is in `.param`, not in `.reg`
//                               ^ invalid-parameter: `b` has no state space: a parameter of an entry is in `.param`
.entry large(.param .u8 a, .param .b8 b[32764]) { ret; }
//     ^^^^^ invalid-parameter: the parameters of `large` take 32765 bytes; 32764 are allowed
.entry arrays(.param .b8 a[], .param .b8 b[2][2]) { ret; }
//                        ^^ invalid-parameter: an array parameter of an entry needs a size
//                                           ^^^ invalid-parameter: an array parameter has one dimension
",
    );
}

#[test]
fn prototypes_agree() {
    check(
        ".func same(.param .b32 a, .param .align 8 .b8 b[16]); .func same(.param .align 4 .b32 c, .param .align 8 .b8 d[16]) { ret; }
.func results; .func (.reg .b32 r) results;
//    ^^^^^^^ missing-definition: `results` is declared and never defined | declare it `.extern` if another module defines it
//                                 ^^^^^^^ conflicting-declaration: `results` has 1 result here, but 0 on line 5 | first declared here on line 5
.func count(.param .b32 a); .func count { ret; }
//                                ^^^^^ conflicting-declaration: `count` has 0 parameters here, but 1 on line 6 | first declared here on line 6
.func types(.param .b32 a); .func types(.param .u32 a) { ret; }
//                                                  ^ conflicting-declaration: `a` is `.u32` here, but `.b32` on line 7 | first declared here on line 7
.func space(.reg .b32 a); .func space(.param .b32 a) { ret; }
//                                                ^ conflicting-declaration: `a` is in `.param` here, but in `.reg` on line 8 | first declared here on line 8
.func align(.param .b8 a[4]); .func align(.param .align 4 .b8 a[4]) { ret; }
//                                                            ^ conflicting-declaration: `a` is aligned to 4 bytes here, but to 1 on line 9 | first declared here on line 9
.func returns .noreturn; .func returns { ret; }
//                             ^^^^^^^ conflicting-declaration: `returns` is not `.noreturn` here, but on line 10 | first declared here on line 10
.entry body { .func inner(.param .b32 a); ret; } .func inner(.param .b64 a) { ret; }
//                                                                       ^ conflicting-declaration: `a` is `.b64` here, but `.b32` on line 11 | first declared here on line 11
.entry scope { .reg .b32 taken; .func taken; ret; }
//                                    ^^^^^ missing-definition: `taken` is declared and never defined | declare it `.extern` if another module defines it
//                                    ^^^^^ duplicate-definition: `taken` is already declared in this block, on line 12 | first declared here on line 12
",
    );
}

#[test]
fn system_calls() {
    check(
        ".extern .func (.param .b32 status) vprintf(.param .b64 format, .param .u64 arguments);
.extern .func (.param .b32 ptr) malloc(.param .b64 size);
//                              ^^^^^^ warning system-call-mismatch: the driver has another prototype of `malloc` | `.extern .func (.param .b64 ptr) malloc (.param .b64 size)`
.func free(.param .b32 own) { ret; }
.extern .func __assertfail;
//            ^^^^^^^^^^^^ warning system-call-mismatch: the driver has another prototype of `__assertfail` | `.extern .func __assertfail (.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 charSize)`
.entry k {
.reg .b64 a;
call cudaLaunchDevice;
//   ^^^^^^^^^^^^^^^^ undefined-function: function `cudaLaunchDevice` is not declared: a call needs a `.func` declaration before it | the driver provides it: declare `.extern .func (.param .b32 status) cudaLaunchDevice (.param .b64 func, .param .b64 parameterBuffer, .param .align 4 .b8 gridDimension[12], .param .align 4 .b8 blockDimension[12], .param .b32 sharedMemSize, .param .b64 stream)`
call (a), _optix_get_sbt_data_ptr_64, ();
//        ^^^^^^^^^^^^^^^^^^^^^^^^^^ info optix-call: OptiX provides `_optix_get_sbt_data_ptr_64`; ptxas alone rejects the call | compile the module with `optixModuleCreate`
}
",
    );
}

#[test]
fn linkage_of_functions() {
    check(
        ".visible .weak .func two;
//       ^^^^^ syntax-error: unexpected `.weak`: there is a linking directive already
//                   ^^^ missing-definition: `two` is declared and never defined | declare it `.extern` if another module defines it
.common .func common;
//^^^^^^^ syntax-error: only variables are `.common`: expected `.extern`, `.visible` or `.weak`
//            ^^^^^^ missing-definition: `common` is declared and never defined | declare it `.extern` if another module defines it
.entry k {
.weak .func fine;
//          ^^^^ missing-definition: `fine` is declared and never defined | declare it `.extern` if another module defines it
.visible .global .b32 g;
//^^^^^^^^ syntax-error: `.visible` is not allowed in a body, where variables have no linkage; or is a `}` missing before it?
.extern .shared .b8 s[];
//^^^^^^^ syntax-error: `.extern` is not allowed in a body, where variables have no linkage; or is a `}` missing before it?
}
",
    );
}
