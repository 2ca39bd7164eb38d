//! A text before and after.

use expect_test::{Expect, expect};
use syntax::text::apply_edit;

use super::MAX_EDITS;
use crate::{FileId, FormattingOptions, fixture::Fixture};

fn format(text: &str) -> String {
    format_with(text, FormattingOptions::default())
}

fn format_with(text: &str, options: FormattingOptions) -> String {
    let fixture = Fixture::new(text);
    let edits = fixture
        .host
        .analysis()
        .formatting(FileId(0), None, options)
        .unwrap();
    let mut formatted = text.to_owned();
    for edit in edits.iter().rev() {
        apply_edit(&mut formatted, edit).unwrap();
    }
    formatted
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    check_with(text, FormattingOptions::default(), expected);
}

#[track_caller]
fn check_with(text: &str, options: FormattingOptions, expected: Expect) {
    let once = format_with(text, options);
    expected.assert_eq(&once);
    assert_eq!(format_with(&once, options), once, "not stable");
    let tokens = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(tokens(text), tokens(&once), "a token has changed");
}

#[test]
fn statements_have_lines_and_columns() {
    check(
        "\n.version   8.0\n.target sm_90\n.address_size 64\n\n\n\n.visible .entry k( .param .u64 a , .param .u32 b )\n.maxntid 128,1,1\n{ .reg .b32 %r<4>; .reg .pred %p;\nmov.u32 %r1,%tid.x; ld.param.u32   %r2, [ b ];\n@%p bra L1;\nL1: add .s32 %r3,%r1 , %r2; // sum\n    @!%p   mul.lo.s32 %r3, %r3, 2; // twice\nret; }\n",
        expect![[r#"
            .version 8.0
            .target sm_90
            .address_size 64

            .visible .entry k(.param .u64 a, .param .u32 b)
                .maxntid 128, 1, 1
            {
                .reg .b32 %r<4>;
                .reg .pred %p;
                mov.u32         %r1, %tid.x;
                ld.param.u32    %r2, [b];
                @%p bra         L1;
            L1:
                add.s32         %r3, %r1, %r2;  // sum
                @!%p mul.lo.s32 %r3, %r3, 2;    // twice
                ret;
            }
        "#]],
    );
}

#[test]
fn a_function_has_one_column() {
    let text = "\n.func f()\n{\n    .loc 1 19 30    // file.py:19:30\nmov.u32 %r1, %r2;\n    .loc 1 2 3\n\nld.param.u32   %r2, [b];\n{\n@%p bra L1;\n}\n\
                mma.sync.aligned.m16n8k16.row.col.f32 {%r1}, {%r2}; // wide\n}\n.func g() { mov.u32 %r1, %r2; }\n";
    check(
        text,
        expect![[r#"
            .func f()
            {
                .loc 1 19 30    // file.py:19:30
                mov.u32      %r1, %r2;
                .loc 1 2 3

                ld.param.u32 %r2, [b];
                {
                    @%p bra      L1;
                }
                mma.sync.aligned.m16n8k16.row.col.f32 {%r1}, {%r2};  // wide
            }
            .func g()
            {
                mov.u32 %r1, %r2;
            }
        "#]],
    );
    let fixed = |column| FormattingOptions {
        operand_column: Some(column),
        ..FormattingOptions::default()
    };
    let text = ".func f() { mov.u32 %r1, %r2; ld.global.v4.u32 %r2, [b]; }";
    check_with(
        text,
        fixed(12),
        expect![[r#"
            .func f()
            {
                mov.u32     %r1, %r2;
                ld.global.v4.u32 %r2, [b];
            }"#]],
    );
    check_with(
        text,
        fixed(0),
        expect![[r#"
            .func f()
            {
                mov.u32 %r1, %r2;
                ld.global.v4.u32 %r2, [b];
            }"#]],
    );
}

#[test]
fn comments_that_compilers_align_keep_their_column() {
    check(
        ".func f()\n{\n\t.loc\t1 19 30                 // file.py:19:30\n\t.loc\t1 19 40  // near\n$L__BB0_1:                              // =>This Loop\n.loc 1 2 3 // one\n\t.loc\t1 19 30 // a /* b */\nret; // two\nL2: // three\nret; ret; .loc 1 4 5 // four\n}\n",
        expect![[r#"
            .func f()
            {
                .loc 1 19 30                        // file.py:19:30
                .loc 1 19 40         // near
            $L__BB0_1:                              // =>This Loop
                .loc 1 2 3  // one
                .loc 1 19 30        // a /* b */
                ret;  // two
            L2:  // three
                ret;
                ret;
                .loc 1 4 5       // four
            }
        "#]],
    );
}

#[test]
fn tokens_do_not_become_one() {
    check(
        "\n.func f() { st.b32 [a+2 .b], x; .reg .b32 %r< <; }\n",
        expect![[r#"
            .func f()
            {
                st.b32 [a+2 .b], x
                ;
                .reg .b32 %r< <
                ;
            }
        "#]],
    );
}

#[test]
fn comments_stay_where_they_are() {
    check(
        "// header\n.version 8.0\n.target sm_90 // the target\n/* a\n   block */\n.entry k() {\n// first\n   ret; // last\n   // end\n}\n// after\n",
        expect![[r#"
            // header
            .version 8.0
            .target sm_90  // the target
            /* a
               block */
            .entry k()
            {
                // first
                ret;  // last
                // end
            }
            // after
        "#]],
    );
    check(
        ".version 8.0\n.target sm_90\n.entry k() { mov.u32 %r1, // the thread\n %tid.x;\nld.global.v2.f32 { %f1 , %f2 } ,[ %rd1 + 16 ];\n}\n",
        expect![[r#"
            .version 8.0
            .target sm_90
            .entry k()
            {
                mov.u32          %r1, // the thread
                    %tid.x;
                ld.global.v2.f32 {%f1, %f2}, [%rd1 + 16];
            }
        "#]],
    );
}

#[test]
fn line_breaks_inside_statements_are_the_authors() {
    check(
        ".version 8.0\n.target sm_90\n.func (.param .b32 r) f (\n.param .b32 a,\n.param .b32 b\n)\n{\ncall (r),\nf,\n(a, b);\n{ ret;\n}\n}\n.global .u32 t[4] = {1,2,\n3,4};\n",
        expect![[r#"
            .version 8.0
            .target sm_90
            .func (.param .b32 r) f(
                .param .b32 a,
                .param .b32 b
            )
            {
                call (r),
                    f,
                    (a, b);
                {
                    ret;
                }
            }
            .global .u32 t[4] = {1, 2,
                3, 4};
        "#]],
    );
}

#[test]
fn lines_end_as_they_did() {
    let formatted = format(
        ".version 8.0\r\n.target sm_90\r\n.entry k() { ret; // end \r\n\r\n\r\n  /* a\r\n b */ ret; }\r\n",
    );
    assert_eq!(
        formatted.matches('\n').count(),
        formatted.matches("\r\n").count()
    );
    assert_eq!(format(&formatted), formatted);
}

#[test]
fn what_is_broken_is_left_alone() {
    check(
        ".version 8.0\n.target sm_90\n.entry k() {\n  add.s32   %r1, ;\n  ? ? ?\n  ret;\n",
        expect![[r#"
            .version 8.0
            .target sm_90
            .entry k()
            {
                add.s32 %r1,;
              ? ? ?
                ret;
        "#]],
    );
}

#[test]
fn what_is_broken_does_not_swallow_what_follows() {
    check(
        ".entry k() {\n  add.s32 %r1, #x\r %r2;\n  ld.param.u64 \"x\r %rd1;\n}\n",
        expect![[r#"
            .entry k()
            {
                add.s32         %r1, #x
                    %r2;
                ld.param.u64 "x
                    %rd1;
            }
        "#]],
    );
}

#[test]
fn a_long_text_gets_few_edits_and_the_same_result() {
    let line = "add.s32   %r1,%r2 , %r3;\n";
    let text = format!(
        ".entry k() {{\n.reg .b32 %r<4>;\n{}\n}}\n",
        line.repeat(3_000)
    );
    let fixture = Fixture::new(&text);
    let all = fixture.host.analysis();
    let edits = all.formatting(FileId(0), None, FormattingOptions::default());
    let edits = edits.unwrap();
    assert!(
        (1_000..=MAX_EDITS).contains(&edits.len()),
        "{}",
        edits.len()
    );
    assert!(edits.is_sorted_by(|a, b| a.range.end() <= b.range.start()));
    let expected = format(&text.replace(&line.repeat(3_000), line));
    let line = "    add.s32 %r1, %r2, %r3;\n";
    assert_eq!(format(&text), expected.replace(line, &line.repeat(3_000)));
}

#[test]
fn a_comment_before_a_block_has_its_level() {
    check(
        ".entry k()\n    // the body\n{\n\t// begin inline asm\n\t{\n\t// inside\n\tret;\n\t}\n\t// end inline asm\n\tret;\n}\n",
        expect![[r#"
            .entry k()
            // the body
            {
                // begin inline asm
                {
                    // inside
                    ret;
                }
                // end inline asm
                ret;
            }
        "#]],
    );
}

#[test]
fn tables_that_are_aligned_by_hand_are_kept() {
    // Operands in columns.
    check(
        ".entry k() {\n  mov.b32 %r1,   1;\n  mov.b32 %r100, 2;  // two\n  add.s32   %r1,  %r2,  %r3;\n  mul.lo.s32 %r1,  %r2,  %r3;\n}\n",
        expect![[r#"
            .entry k()
            {
                mov.b32 %r1,   1;
                mov.b32 %r100, 2;  // two
                add.s32    %r1, %r2, %r3;
                mul.lo.s32 %r1, %r2, %r3;
            }
        "#]],
    );
    // Several statements on each line.
    check(
        ".entry k() {\nmov.b32 %r1, 1; mov.b32 %r2, 2;\nmov.b32 %r3, 3; mov.b32 %r4, 4; // four\nret; ret;\n}\n",
        expect![[r#"
            .entry k()
            {
                mov.b32 %r1, 1; mov.b32 %r2, 2;
                mov.b32 %r3, 3; mov.b32 %r4, 4; // four
                ret;
                ret;
            }
        "#]],
    );
    // Lists under their first element, and rows of a list.
    check(
        ".entry k() {\n  wgmma.x {%f0,  %f1,\n           %f10, %f11}, %rd1;\nwgmma.y {\n%f0,  %f1,\n%f10, %f11\n}, %rd1;\n}\n",
        expect![[r#"
            .entry k()
            {
                wgmma.x {%f0,  %f1,
                         %f10, %f11}, %rd1;
                wgmma.y {
                    %f0,  %f1,
                    %f10, %f11
                }, %rd1;
            }
        "#]],
    );
}

#[test]
fn long_vectors_are_wrapped() {
    let vector = |count: usize, first: usize| {
        let all: Vec<String> = (first..first + count).map(|it| format!("%f{it}")).collect();
        all.join(", ")
    };
    check(
        &format!(
            ".entry k() {{\nwgmma.x {{{}}}, %rd1, p;\nwgmma.y {{{}}}, %rd1;\nld.v16 {{{}}}, [%rd1];\n}}\n",
            vector(20, 0),
            vector(24, 99_990),
            vector(16, 0)
        ),
        expect![[r#"
            .entry k()
            {
                wgmma.x {
                    %f0,  %f1,  %f2,  %f3, %f4, %f5, %f6, %f7, %f8, %f9, %f10, %f11, %f12, %f13, %f14, %f15,
                    %f16, %f17, %f18, %f19
                }, %rd1, p;
                wgmma.y {
                    %f99990,  %f99991,  %f99992,  %f99993,  %f99994,  %f99995,  %f99996,  %f99997,
                    %f99998,  %f99999,  %f100000, %f100001, %f100002, %f100003, %f100004, %f100005,
                    %f100006, %f100007, %f100008, %f100009, %f100010, %f100011, %f100012, %f100013
                }, %rd1;
                ld.v16  {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9, %f10, %f11, %f12, %f13, %f14, %f15}, [%rd1];
            }
        "#]],
    );
}

#[test]
fn options_say_how_wide_a_level_is_and_how_a_file_ends() {
    let check = |text: &str, options, expected: Expect| {
        let fixture = Fixture::new(text);
        let analysis = fixture.host.analysis();
        let mut formatted = text.to_owned();
        let edits = analysis.formatting(FileId(0), None, options).unwrap();
        for edit in edits.iter().rev() {
            apply_edit(&mut formatted, edit).unwrap();
        }
        expected.assert_eq(&format!("{formatted:?}"));
    };
    let usual = FormattingOptions::default();
    let two = FormattingOptions {
        indent_width: 2,
        insert_final_newline: true,
        ..usual
    };
    check(
        ".entry k() { mov.b32 a,\nb; }",
        two,
        expect![[r#"".entry k()\n{\n  mov.b32 a,\n    b;\n}\n""#]],
    );
    check(
        ".entry k() { ret; } // end",
        two,
        expect![[r#"".entry k()\n{\n  ret;\n}  // end\n""#]],
    );
    check(
        ".entry k() { ret; }\n\n\n",
        two,
        expect![[r#"".entry k()\n{\n  ret;\n}\n\n\n""#]],
    );
    let tabs = FormattingOptions {
        tabs: true,
        trim_final_newlines: true,
        ..usual
    };
    check(
        ".entry k() { mov.b32 a,\nb; }\n\n",
        tabs,
        expect![[r#"".entry k()\n{\n\tmov.b32 a,\n\t\tb;\n}\n""#]],
    );
    check(
        ".entry k() { ret; }\r\n\r\n",
        tabs,
        expect![[r#"".entry k()\n{\n\tret;\n}\r\n""#]],
    );
    check(
        ".entry k() { ret; }",
        tabs,
        expect![[r#"".entry k()\n{\n\tret;\n}""#]],
    );
    check("", two, expect![[r#""""#]]);
}
