//! Verdicts of ptxas 13.5 on names, as fixtures; and the pages of the codes.

mod pages;

use crate::fixture::{check_diagnostics as check, check_file};

#[test]
fn names_need_a_declaration() {
    check(
        r#".entry k {
.reg .b32 a;
mov.b32 a, q;
//         ^ undefined-name: `q` is not declared
mov.b32 q, q;
//      ^ undefined-name: `q` is not declared
//         ^ undefined-name: `q` is not declared
@p ret;
//^ undefined-name: `p` is not declared
}
"#,
    );
}

#[test]
fn similar_names_are_suggested() {
    check(
        r#".global .b32 table;
.func helper { }
.entry k {
.reg .b32 counter, %r<4>;
mov.b32 countre, %tdi.x;
//      ^^^^^^^ undefined-name: `countre` is not declared | did you mean `counter`?
//               ^^^^ undefined-name: `%tdi` is not declared | did you mean `%tid`?
mov.b32 counter, tabel;
//               ^^^^^ undefined-name: `tabel` is not declared | did you mean `table`?
mov.b32 %r1, %r4;
//           ^^^ undefined-name: `%r4` is not declared | `%r<4>` declares `%r0` to `%r3`
call hepler;
//   ^^^^^^ undefined-function: function `hepler` is not declared: a call needs a `.func` declaration before it | did you mean `helper`?
bra $L_lop;
//  ^^^^^^ undefined-label: label `$L_lop` is not declared in this block or an enclosing one | did you mean `$L_loop`?
$L_loop: ret;
}
.global .b64 t[] = {tabel, 1};
//                  ^^^^^ undefined-name: `tabel` is not declared | did you mean `table`?
.alias a, hepler;
//     ^ undefined-function: function `a` is not declared
//        ^^^^^^ undefined-function: function `hepler` is not declared | did you mean `helper`?
"#,
    );
}

#[test]
fn declarations_come_first() {
    check(
        r#".entry k {
.reg .b64 a;
mov.b64 a, x;
//         ^ undefined-name: `x` is declared later, on line 10; PTX requires a declaration before the first use | declared here on line 10
mov.b64 a, g;
//         ^ undefined-name: `g` is declared later, on line 15; PTX requires a declaration before the first use | declared here on line 15
call f;
//   ^ undefined-name: `f` is declared later, on line 16; PTX requires a declaration before the first use | declared here on line 16
call a, p;
//      ^ undefined-name: `p` is declared later, on line 11; PTX requires a declaration before the first use | declared here on line 11
.reg .b64 x;
p: .callprototype _;
call h;
//   ^ undefined-name: `h` is declared later, on line 13; PTX requires a declaration before the first use | declared here on line 13
.func h;
//    ^ missing-definition: `h` is declared and never defined | declare it `.extern` if another module defines it
}
.global .u32 g;
.func f { ret; }
.global .u64 t = u;
//               ^ undefined-name: `u` is declared later, on line 18; PTX requires a declaration before the first use | declared here on line 18
.global .u64 u = u;
"#,
    );
}

#[test]
fn an_opcode_on_the_next_line_is_no_operand_unless_it_is_declared() {
    check(
        r#".entry k {
.reg .b32 a, exit;
add.s32 a, a,
//           ^ syntax-error: expected an operand after `,`, found `ret` on the next line
ret;
bar.arrive
//^^^^^^^^^^ wrong-operand-count: `bar.arrive` takes 2 operands, not 1
//        ^ syntax-error: expected an operand or `;`, found `ret` on the next line
ret;
mov.b32 a,
exit;
}
"#,
    );
}

#[test]
fn labels_are_visible_in_their_block_and_inside_it() {
    check(
        r#".entry k {
bra L;
//  ^ undefined-label: label `L` is not declared in this block or an enclosing one | `L` on line 6 is visible inside its own block only | declared in another block on line 6
{ bra M; L: ret; }
{ L: bra L; }
M: bra N;
//     ^ undefined-label: label `N` is not declared in this block or an enclosing one
{ .reg .b32 x; }
@x bra M;
//^ undefined-name: `x` is not declared | `x` on line 9 is visible inside its own block only | declared in another block on line 9
.reg .b32 r;
t: .branchtargets M, O, A<2>;
//                   ^ undefined-label: label `O` is not declared in this block or an enclosing one
//                      ^ undefined-label: label `A1` is not declared in this block or an enclosing one
A0: ret;
}
"#,
    );
}

#[test]
fn calls_without_a_prototype() {
    check(
        r#".entry k {
.reg .b32 r;
call (r), vprintf, (r, r);
//        ^^^^^^^ undefined-function: function `vprintf` is not declared: a call needs a `.func` declaration before it | the driver provides it: declare `.extern .func (.param .b32 status) vprintf (.param .b64 format, .param .b64 valist)`
call (r), _optix_get_launch_index_x, ();
//        ^^^^^^^^^^^^^^^^^^^^^^^^^ info optix-call: OptiX provides `_optix_get_launch_index_x`; ptxas alone rejects the call | compile the module with `optixModuleCreate`
c: .calltargets foo;
//              ^^^ undefined-function: function `foo` is not declared: a call needs a `.func` declaration before it
}
"#,
    );
}

#[test]
fn parameterised_names() {
    check(
        r#".entry k {
.reg .b32 %r<010>, %z<0>, q1<4>;
mov.b32 %r7, %r007;
mov.b32 %r8, %z0;
//      ^^^ undefined-name: `%r8` is not declared | `%r<8>` declares `%r0` to `%r7`
//           ^^^ undefined-name: `%z0` is not declared | `%z<0>` declares no name
mov.b32 q11, 1;
//      ^^^ undefined-name: `q11` is not declared
.reg .b32 %r9;
.reg .b32 %r03;
//        ^^^^ duplicate-definition: `%r03` takes a name of `%r<8>`, declared in the same block on line 5 | first declared here on line 5
.reg .b32 %r<2>;
//        ^^ duplicate-definition: `%r<2>` takes a name of `%r<8>`, declared in the same block on line 5 | first declared here on line 5
.reg .b32 s2;
.reg .b32 s<3>;
//        ^ duplicate-definition: `s<3>` takes a name of `s2`, declared in the same block on line 12 | first declared here on line 12
r1: ret;
{ .reg .b32 %r<4>; .reg .b32 s2; }
}
"#,
    );
}

#[test]
fn one_declaration_for_each_block() {
    check(
        r#".func (.reg .b32 a) f(.reg .b32 a) {
//                              ^ duplicate-definition: `a` is already declared in this block, on line 4 | first declared here on line 4
.reg .b32 a, b;
//        ^ duplicate-definition: `a` is already declared in this block, on line 4 | first declared here on line 4
b: ret;
//^ duplicate-definition: label `b` is already declared in this block, on line 5 | first declared here on line 5
L: ret;
L: ret;
//^ duplicate-definition: label `L` is already declared in this block, on line 7 | first declared here on line 7
.reg .b32 L;
//        ^ duplicate-definition: `L` is already declared in this block, on line 7 | first declared here on line 7
}
.func g(.reg .b32 a, .reg .b32 a);
//    ^ missing-definition: `g` is declared and never defined | declare it `.extern` if another module defines it
.entry k(.param .b32 k) { .reg .b32 f; f1: ret; }
"#,
    );
}

#[test]
fn variables_of_the_module() {
    check(
        r#".global .u32 a;
.global .u32 a;
//           ^ duplicate-definition: `a` is already defined on line 4 | first declared here on line 4
.extern .global .u32 b;
.extern .global .u32 b;
.visible .global .u32 b;
.extern .global .u32 b;
.weak .global .u32 b;
//                 ^ duplicate-definition: `b` is already defined on line 8 | first declared here on line 8
.extern .global .u32 c;
.global .u32 c;
//           ^ conflicting-declaration: `c` was declared `.extern` on line 11: its definition must be `.visible`, `.weak` or `.common` | first declared here on line 11
.global .u32 d<3>;
.global .u32 d2;
//           ^^ duplicate-definition: `d2` is already defined on line 13 | first declared here on line 13
.global .u32 d3;
.extern .global .u32 e<3>;
.visible .global .u32 e1;
.section .debug_info { l: .b8 1 l: .b8 1 a: .b32 nope }
//                              ^ duplicate-definition: section label `l` is already defined on line 18 | first declared here on line 18
"#,
    );
}

#[test]
fn functions_of_the_module() {
    check(
        r#".func a;
.func a;
.func a { ret; }
.func a;
//    ^ duplicate-definition: `a` is already defined on line 6 | first declared here on line 6
.extern .func b;
.extern .func b;
.visible .func b { ret; }
//             ^ conflicting-declaration: `b` has `.visible` here, but `.extern` on line 8 | first declared here on line 8
.visible .func c;
.func c { ret; }
.func d;
.visible .func d { ret; }
//             ^ conflicting-declaration: `d` has `.visible` here, but no linking directive on line 13 | first declared here on line 13
.func e;
.entry e { ret; }
//     ^ conflicting-declaration: `e` is an `.entry` and a `.func`: see line 15 | first declared here on line 15
.func f { ret; }
.global .u32 f;
//           ^ conflicting-declaration: variable `f` has the name of the function on line 17 | first declared here on line 17
.global .u32 g;
.func g;
//    ^ conflicting-declaration: function `g` has the name of the variable on line 19 | first declared here on line 19
.entry h { .func a; .func i; ret; }
//               ^ duplicate-definition: `a` is already defined on line 6 | first declared here on line 6
.func i { ret; }
.global .u32 %tid;
//           ^^^^ conflicting-declaration: `%tid` is the name of a special register
"#,
    );
}

#[test]
fn syntax_errors_hide_their_consequences() {
    check(
        r#".entry k {
.reg .pred p;
@p L: ret;
//  ^ syntax-error: a label cannot follow a guard: write the label first
bra L;
}
"#,
    );
    check(
        r#".entry k {
.reg .b32 a;
add.s32 a, b c;
//           ^ syntax-error: expected `,` or `;`, found `c`
{ .reg .b32 x y; mov.b32 x, y; }
//            ^ syntax-error: expected `,` or `;`, found `y`
mov.b32 a, z;
//         ^ undefined-name: `z` is not declared
}
"#,
    );
    check(
        r#".global .u32 x[;
//            ^ unclosed-delimiter: unclosed `[` | expected `]` here on line 4
//             ^ syntax-error: expected an array size or `]`, found `;`
.entry k {
.reg .b32 a;
mov.b32 a, y;
}
"#,
    );
}

#[test]
fn words_that_are_no_names() {
    check(
        r#".global .texref t = {filter_mode = nearest, width = 4};
.global .u32 g[WARP_SZ];
.global .u64 p = generic(g)+4;
.global .u8 m[2] = {0xff(g), 0xff00(g)};
.file 1 "a.cu"
.entry k {
.reg .b32 r, %ctaid;
.loc 1 2 3
.loc 1 2 4, function_name $L__info, inlined_at 1 2 3
add.s32 r, %ctaid, WARP_SZ;
mov.b64 {r, _}, %clock64;
.pragma "nounroll";
}
.section .debug_str {
$L__info:
.b8 65, 0
}
"#,
    );
}

#[test]
fn a_declaration_that_lost_its_name() {
    check(
        r#".entry k {
.reg .b32 r, q;
.reg .b32 ;
//^^^^^^^^^^^ undefined-name: this declaration has no name, and `s` is not declared | used here on line 8
mov.b32 r, 1;
add.s32 s, r, 1;
add.s32 q, s, r;
add.s32 q, t, r;
//         ^ undefined-name: `t` is not declared
}
"#,
    );
    // ptxas accepts a declaration without a name where none is missing.
    check(".entry k {\n.reg .b32 ;\nret;\n}\n");
}

#[test]
fn many_uses_of_one_unknown_name() {
    let text = format!(
        "{}.entry k {{\n{}ret;\n}}\n",
        crate::fixture::HEADER,
        "@p ret;\n".repeat(250)
    );
    let fixture = crate::fixture::Fixture::new(&text);
    let diagnostics = fixture.host.analysis().diagnostics(crate::FileId(0));
    assert_eq!(diagnostics.unwrap().len(), 100);
}

#[test]
fn the_worst_stay_when_there_is_a_limit() {
    use std::sync::Arc;

    use crate::{AnalysisHost, Change, FileContents, FileId};

    let text = ".version 8.5 .target sm_90 .address_size 64 .entry k() { .reg .b32 %r<4>; A: B: mov.b32 %r1, %q; mov.b32 %r2, %s; mov.b32 %r3, %t; ret; }";
    let mut host = AnalysisHost::new();
    let file = FileId(0);
    host.apply_change(Change {
        files: vec![(file, Some(Arc::new(FileContents::new(text))))],
        config: None,
    });
    let analysis = host.analysis();
    let texts = |limit| -> Vec<&str> {
        let found = analysis.worst_diagnostics(file, limit);
        let found = found.expect("no cancellation").into_iter();
        found.map(|it| &text[it.range]).collect()
    };
    assert_eq!(texts(2), ["%q", "%s"]);
    assert_eq!(texts(3), ["%q", "%s", "%t"]);
    let all = texts(usize::MAX);
    assert!(all.contains(&"A") && all.contains(&"%t"), "{all:?}");
}

#[test]
fn debug_information_that_ptxas_does_not_read() {
    check_file(
        r#".version 8.5
.target sm_90
.address_size 64
.file 1 "/src" "a.cu"
//             ^^^^^^ syntax-error: `.file` takes one string, the path of the file | a directory and a name are DWARF 5, which ptxas does not read: compile with `-gdwarf-4`
.file 2 "/src/b.cu", 1, 2
"#,
    );
}
