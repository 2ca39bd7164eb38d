use expect_test::{Expect, expect};

use super::*;
use crate::fixture::Fixture;

fn check(text: &str, new_name: &str, expect: Expect) {
    let fixture = Fixture::new(text);
    let (analysis, position) = fixture.cursor();
    let change = match analysis.rename(position, new_name).unwrap() {
        Ok(change) => change,
        Err(error) => return expect.assert_eq(&error.0),
    };
    assert!(analysis.prepare_rename(position).unwrap().is_ok());
    let mut out = String::new();
    for (index, (name, text)) in fixture.files.iter().enumerate() {
        let mut text = text.clone();
        let edits = change
            .files
            .iter()
            .find(|it| it.file.0 as usize == index)
            .map_or(&[][..], |it| &it.edits);
        assert!(edits.is_sorted_by_key(|it| it.range.start()));
        for edit in edits.iter().rev() {
            apply_edit(&mut text, edit).unwrap();
        }
        if fixture.files.len() > 1 {
            out.push_str(&format!("//- {name}\n"));
        }
        // New lines end as those of the file.
        let windows = text.matches("\r\n").count();
        assert!(windows == 0 || windows == text.matches('\n').count());
        out.push_str(&text.replace("\r\n", "\n"));
    }
    expect.assert_eq(&out);
}

fn check_prepare(text: &str, expect: Expect) {
    let fixture = Fixture::new(text);
    let (analysis, position) = fixture.cursor();
    expect.assert_eq(&match analysis.prepare_rename(position).unwrap() {
        Ok(it) => format!("{:?} {}", it.range, it.placeholder),
        Err(error) => error.0,
    });
}

#[test]
fn one_name() {
    check(
        ".entry k { .reg .b32 a$0, b; add.s32 a, a, b; { .reg .b32 a; } }",
        "sum",
        expect![".entry k { .reg .b32 sum, b; add.s32 sum, sum, b; { .reg .b32 a; } }"],
    );
    check(
        ".entry k { $0L: bra L; { L: bra L; } }\n.section .debug_info { .b64 L }",
        "M",
        expect![[r#"
                .entry k { M: bra M; { L: bra L; } }
                .section .debug_info { .b64 M }"#]],
    );
}

#[test]
fn a_whole_family() {
    let text = ".entry k { .reg .b32 %r<4>; add.s32 %r1, %r01, %r$02; }";
    check_prepare(text, expect!["47..50 %r2"]);
    check(
        text,
        "%x<>",
        expect![".entry k { .reg .b32 %x<4>; add.s32 %x1, %x01, %x2; }"],
    );
    let declaration = ".entry k { .reg .b32 %$0r<4>; add.s32 %r1, %r01, %r2; }";
    check_prepare(declaration, expect!["21..23 %r"]);
    check(
        declaration,
        "%x",
        expect![".entry k { .reg .b32 %x<4>; add.s32 %x1, %x01, %x2; }"],
    );
    check(
        text,
        "%x1<4>",
        expect![
            "The prefix of numbered names cannot end with a digit: `%x11` would be read as number 11."
        ],
    );
    check(
        ".entry k { .reg .b32 %r<4>; .reg .b32 %x2; add.s32 %r1, %r$02, %x2; }",
        "%x<>",
        expect!["`%x` has a meaning in `k` already, which the rename would change."],
    );
    check(
        ".global .b32 v<3>;\n.entry k { .reg .b64 a; mov.b64 a, v$02; }",
        "w",
        expect![[r#"
                .global .b32 w<3>;
                .entry k { .reg .b64 a; mov.b64 a, w2; }"#]],
    );
}

#[test]
fn one_register_of_a_family() {
    let text = ".entry k {\n\t.reg .pred p;\n\t.reg .b32 \t%r<4>, x; // numbers\n\tadd.s32 %r1, %r01, %r$02;\n\t{ .reg .b32 y; mov.b32 %r2, y; }\n}\n";
    check(
        text,
        "sum",
        expect![[r#"
            .entry k {
            	.reg .pred p;
            	.reg .b32 sum;
            	.reg .b32 	%r<4>, x; // numbers
            	add.s32 %r1, %r01, sum;
            	{ .reg .b32 y; mov.b32 sum, y; }
            }
        "#]],
    );
    check(
        text,
        "%r7",
        expect![[r#"
            .entry k {
            	.reg .pred p;
            	.reg .b32 %r7;
            	.reg .b32 	%r<4>, x; // numbers
            	add.s32 %r1, %r01, %r7;
            	{ .reg .b32 y; mov.b32 %r7, y; }
            }
        "#]],
    );
    check(
        text,
        "%r3",
        expect!["`%r3` is a register of `%r<4>` already."],
    );
    check(
        text,
        "%r02",
        expect!["`%r02` is a register of `%r<4>` already."],
    );
    check(
        text,
        "x",
        expect!["`x` has a meaning in `k` already, which the rename would change."],
    );
    check(
        text,
        "y",
        expect!["`y` has a meaning in `k` already, which the rename would change."],
    );
    check(text, "%tid", expect!["`%tid` is a special register."]);
    // On a line with others, and at a vector.
    check(
        ".entry k { .reg .v2 .b32 v<3>; mov.b32 v1.x, v2$0.y; }",
        "pair",
        expect![".entry k { .reg .v2 .b32 pair; .reg .v2 .b32 v<3>; mov.b32 v1.x, pair.y; }"],
    );
    // In an inner block that hides others; the family goes if nothing else of it is used.
    check(
        ".entry k {\r\n.reg .b32 %r<4>, x;\r\nadd.s32 %r1, %r2, x;\r\n{\r\n  .reg .b64 %r<2>, %q<9>;\r\n  mov.b64 %r$01, 1; mov.b64 %q1, %q2;\r\n}\r\n}",
        "wide",
        expect![[r#"
                .entry k {
                .reg .b32 %r<4>, x;
                add.s32 %r1, %r2, x;
                {
                  .reg .b64 wide, %q<9>;
                  mov.b64 wide, 1; mov.b64 %q1, %q2;
                }
                }"#]],
    );
    check(
        ".entry k {\r\n.reg .b32 %r<4>, x;\r\n{\r\n  .reg .b64 %r<2>, %q<9>;\r\n  mov.b64 %r1, 1; mov.b64 %q1, %q$02;\r\n}\r\n}",
        "wide",
        expect![[r#"
                .entry k {
                .reg .b32 %r<4>, x;
                {
                  .reg .b64 wide;
                  .reg .b64 %r<2>, %q<9>;
                  mov.b64 %r1, 1; mov.b64 %q1, wide;
                }
                }"#]],
    );
}

#[test]
fn visible_names_of_all_files() {
    check(
        "//- /a.ptx\n.visible .func f { }\n//- /b.ptx\n.extern .func f;\n.entry k { call $0f; }\n//- /c.ptx\n.func f { }\n",
        "g",
        expect![[r#"
                //- /a.ptx
                .visible .func g { }
                //- /b.ptx
                .extern .func g;
                .entry k { call g; }
                //- /c.ptx
                .func f { }
            "#]],
    );
    check(
        "//- /a.ptx\n.visible .func f { }\n.func g;\n//- /b.ptx\n.extern .func f;\n.entry k { call $0f; }\n",
        "g",
        expect!["`g` is declared in the module already."],
    );
    check(
        ".func $0f { }\n.entry k { .reg .b32 g; call f; }\n",
        "g",
        expect!["`g` has a meaning in `k` already, which the rename would change."],
    );
}

#[test]
fn names_that_are_taken() {
    let text = ".entry k { .reg .b32 a$0; { .reg .b32 b; mov.b32 a, b; } }";
    for name in [
        "b",
        "1x",
        "_",
        "WARP_SZ",
        "%tid",
        "a b",
        "",
        "inlined_at",
        "function_name",
    ] {
        let fixture = Fixture::new(text);
        let (analysis, position) = fixture.cursor();
        assert!(analysis.rename(position, name).unwrap().is_err(), "{name}");
    }
    check(
        ".entry k { .reg .b32 a; { .reg .b32 $0b; mov.b32 a, b; } }",
        "a",
        expect!["`a` has a meaning in `k` already, which the rename would change."],
    );
    check(
        ".entry k { .reg .b32 a; { .reg .b32 $0b; mov.b32 b, 1; } }",
        "a",
        expect![".entry k { .reg .b32 a; { .reg .b32 a; mov.b32 a, 1; } }"],
    );
}

#[test]
fn what_cannot_be_renamed() {
    let prepare = |body: &str, expect: Expect| {
        check_prepare(&format!(".entry k {{ .reg .b32 r; {body} }}"), expect);
    };
    prepare(
        "mov.b32 r, $0%tid.x;",
        expect!["`%tid` is a special register and cannot be renamed."],
    );
    prepare(
        "mov.b32 r, WARP_SZ$0;",
        expect!["`WARP_SZ` is a constant of PTX and cannot be renamed."],
    );
    prepare(
        "m$0ov.b32 r, 1;",
        expect!["`mov` is a word of the language and cannot be renamed."],
    );
    prepare(
        "mov.b32 r, $0q;",
        expect!["`q` has no declaration that could be renamed with it."],
    );
    prepare("mov.b32 r, 1$0;", expect!["There is no name here."]);
    prepare(
        "t: .branchtargets A<2>; A0$0: A1: ret;",
        expect![
            "`A0` is used in a numbered list of branch targets; rename the whole list by hand."
        ],
    );
}

#[test]
fn names_that_a_function_or_label_has() {
    for (text, new_name, expected) in [
        (
            ".func END() { bra.uni $0L; L: ret; }",
            "END",
            expect!["`END` is the name of the function."],
        ),
        (
            ".func $0END() { bra.uni L; L: ret; }",
            "L",
            expect!["`L` is declared in `END` already."],
        ),
        (
            ".entry kern() { .param .b32 $0a; }",
            "kern",
            expect!["`kern` is the name of the function."],
        ),
        (
            ".entry $0kern() { .reg .b32 a; }",
            "a",
            expect!["`a` is declared in `kern` already."],
        ),
        (
            ".entry kern() { .reg .b32 %r<3>; mov.b32 %r$01, 1; mov.b32 %r2, 1; }",
            "kern",
            expect!["`kern` is the name of the function."],
        ),
        (
            ".func E() { ret; } .func f() { bra $0L; L: ret; }",
            "E",
            expect!["`E` is declared in the module already."],
        ),
        (
            ".global .u32 $0g; .func f() { bra L; L: ret; }",
            "L",
            expect!["`L` is declared in `f` already."],
        ),
        (
            ".global .u32 $0g; .func f() { .reg .u32 a; ld.global.u32 a, [g]; }",
            "L",
            expect![".global .u32 L; .func f() { .reg .u32 a; ld.global.u32 a, [L]; }"],
        ),
    ] {
        check(text, new_name, expected);
    }
}
